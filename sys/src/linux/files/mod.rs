//! Files: opened and made so that no name can be swapped on the way, opened for a load, locked; what a file system says of
//! them, and where they are mounted.

mod attribute;
mod descriptor;
mod extents;
mod file;
mod load_open;
mod lock;
mod looked;
mod metadata;
mod mounts;

pub use attribute::*;
pub use descriptor::*;
pub(crate) use descriptor::{discard, reserve};
pub use extents::*;
pub use file::*;
pub use load_open::*;
pub use lock::*;
pub use looked::*;
pub use metadata::*;
pub use mounts::*;

pub use crate::unix::directory::*;
pub use crate::unix::lock::*;
pub use crate::unix::looked::*;
pub use crate::unix::metadata::*;
pub use crate::unix::ranges::*;
