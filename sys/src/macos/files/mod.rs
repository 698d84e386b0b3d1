//! Files: opened so that no name can be swapped on the way, made durable down to the medium; where file systems are mounted; and what only
//! measurements ask for, by name.

mod file;
mod metadata;
mod mounts;
mod unmeasured;

pub use crate::unix::directory::*;
pub use crate::unix::lock::*;
pub use crate::unix::looked::*;
pub use crate::unix::metadata::*;
pub use crate::unix::ranges::*;
pub use file::*;
pub use metadata::*;
pub use mounts::*;
pub use unmeasured::*;
