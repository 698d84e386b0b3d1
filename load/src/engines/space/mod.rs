//! Engines that reserve, cut and move the room of files.

pub(super) mod e4defrag;
pub(super) mod falloc;
pub(super) mod ftruncate;
