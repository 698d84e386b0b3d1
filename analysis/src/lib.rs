//! Judgement, pure: steady state, knees, binding limits, needs, verdict.
mod figures;
mod little;
mod ramp;
mod series;
mod steady;
#[cfg(test)]
mod testkit;

pub use ramp::{RampWatch, best_level, ramp_continues};
pub use series::{MIN_ESS, Spread, spread};
pub use steady::settled;
