//! Files: opening and creating them safely against concurrent renames, opening them for a load, locks; properties of
//! file systems and their mounts.

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
