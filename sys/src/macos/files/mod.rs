//! Files: opens them so that no name can be replaced meanwhile, makes them durable down to the medium, lists mounts;
//! and stubs for functions that only measurements need.

mod file;
mod metadata;
mod mounts;
mod unmeasured;

pub use crate::elsewhere::files::*;
pub use crate::unix::directory::*;
pub use crate::unix::lock::*;
pub use crate::unix::looked::*;
pub use crate::unix::metadata::*;
pub use crate::unix::ranges::*;
pub use file::*;
pub use metadata::*;
pub use mounts::*;
pub use unmeasured::*;
