//! Engines that reserve, truncate or move space in files.

pub(super) mod e4defrag;
pub(super) mod lengths;
