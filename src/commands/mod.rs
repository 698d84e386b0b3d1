//! The commands, one file each.

pub mod fio;
pub mod limits;
pub mod qualify;
pub mod rm;
pub mod runs;
pub mod show;
