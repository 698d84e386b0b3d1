//! Files: opens and creates them so that no name can be replaced meanwhile, opens them for a load, locks them; reports
//! facts about file systems, and lists volumes.

mod attribute;
mod descriptor;
mod extents;
mod file;
mod guards;
mod load_open;
mod lock;
mod looked;
mod metadata;
mod mounts;
mod path;

pub use crate::elsewhere::files::*;
pub(crate) use crate::windows::open::information;
pub use crate::windows::open::is_lost_error;
pub use attribute::*;
pub use descriptor::*;
pub use extents::*;
pub use file::*;
pub use guards::{dismount_volume, hold_volumes};
pub use load_open::*;
pub use lock::*;
pub use looked::*;
pub use metadata::*;
pub use mounts::*;
pub use path::{device_path, is_plain_name};
