//! Arguments and results of calls, shared by all systems. Each system has a folder for its calls.

#[macro_use]
mod constant;

pub(crate) mod calls;
pub(crate) mod devices;
pub(crate) mod files;
mod foreign;
mod mounts;
mod process;
#[cfg_attr(target_os = "macos", allow(dead_code, reason = "nothing is measured there"))]
mod submission;
mod sysfs;

pub use calls::*;
pub use devices::*;
pub use files::*;
pub use foreign::*;
pub use mounts::*;
pub use process::*;
pub use submission::*;
pub use sysfs::*;
