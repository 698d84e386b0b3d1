//! Statistics of number series, independent of storage: precision of a mean, changes of level, the knee of a ramp, and
//! tests that compare two sides.
//!
//! All functions are pure; each documents its method and source. They are in a separate crate from the rules that use
//! them (`analysis`) because of build times: simulations call these functions thousands of times and need them
//! optimised, while the rules do not.

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
