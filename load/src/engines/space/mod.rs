//! Engines that reserve, truncate or move the space of files.

pub(super) mod e4defrag;
pub(super) mod falloc;
pub(super) mod ftruncate;
