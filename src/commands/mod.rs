//! The commands, one file each.

pub mod ab;
pub mod compare;
pub mod completions;
pub mod durable;
pub mod hydration;
pub mod judge;
pub mod limits;
pub mod lint;
pub mod manual;
pub mod mark;
mod metadata;
pub mod needs;
pub mod qualify;
pub mod record;
mod reference;
pub mod replay;
pub mod reports;
pub mod runs;
pub mod serve;
pub mod show;
mod token;
pub mod version;
pub mod watch;
