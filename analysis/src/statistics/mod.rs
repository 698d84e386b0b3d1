//! Series of numbers, and nothing of storage: how well a mean is known, where a level changes, where a ramp's gain ends, and tests between two sides.

pub(crate) mod changes;
pub(crate) mod ramp;
pub(crate) mod rank;
pub(crate) mod series;
pub(crate) mod steady;
#[cfg(test)]
pub(crate) mod steady_shapes;
pub(crate) mod tail;
pub(crate) mod welch;
