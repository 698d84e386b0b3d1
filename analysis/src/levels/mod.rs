//! Steps of a record -> the figures of a level of concurrency, without what others disturbed.

pub(crate) mod accounting;
pub(crate) mod clones;
pub(crate) mod disturbance;
pub(crate) mod figures;
pub(crate) mod gaps;
pub(crate) mod verification;
