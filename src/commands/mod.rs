//! The commands, one file each.

pub mod qualify;
pub mod rm;
pub mod runs;
pub mod show;
