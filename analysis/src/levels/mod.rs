//! Turns the steps of a record into the figures of a level of concurrency, without disturbances by other processes.

pub(crate) mod accounting;
pub(crate) mod clones;
pub(crate) mod disturbance;
pub(crate) mod figures;
pub(crate) mod gaps;
pub(crate) mod verification;
