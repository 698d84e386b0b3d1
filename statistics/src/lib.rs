//! Series of numbers, and nothing of storage: how well a mean is known, where a level changes, where a ramp's gain ends, and tests
//! between two sides.
//!
//! Pure functions; each names its method and source. They stand apart from the rules that use them
//! (`analysis`) for the time of builds: simulations try them thousands of times and want them optimised, the rules do not.

pub mod alternation;
pub mod changes;
pub mod ramp;
pub mod rank;
pub mod series;
pub mod steady;
#[cfg(test)]
mod steady_shapes;
pub mod tail;
pub mod welch;
