//! Statistics of number series, independent of storage: precision of a mean, level changes, the knee of a ramp, and
//! tests that compare two samples.
//!
//! All functions are pure, and each documents its method and source. The rules that use them are in another crate
//! (`analysis`) because of build times: simulations call these functions thousands of times and need them optimised,
//! while the rules do not need optimisation.

pub mod alternation;
pub mod changes;
pub mod proportion;
pub mod ramp;
pub mod rank;
pub mod series;
pub mod steady;
#[cfg(test)]
mod steady_shapes;
pub mod tail;
pub mod welch;
