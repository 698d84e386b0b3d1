//! Engines that reserve, truncate and move the space of files.

pub(super) mod e4defrag;
pub(super) mod falloc;
pub(super) mod ftruncate;
