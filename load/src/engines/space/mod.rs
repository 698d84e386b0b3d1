//! Engines that reserve, cut and move the room of files.

#[cfg(target_os = "linux")]
pub(super) mod e4defrag;
#[cfg(target_os = "linux")]
pub(super) mod falloc;
pub(super) mod ftruncate;
