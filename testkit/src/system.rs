//! Functions that differ between operating systems.

#[cfg_attr(unix, path = "system/unix.rs")]
#[cfg_attr(windows, path = "system/windows.rs")]
mod own;

pub(crate) use own::hold_group;
pub use own::{is_root, other_process, symlink};
