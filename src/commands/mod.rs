//! The commands, one file each.

pub mod ab;
pub mod compare;
pub mod db;
pub mod db_session;
pub mod fio;
pub mod judge;
pub mod limits;
pub mod lint;
pub mod mark;
pub mod ping;
pub mod qualify;
pub mod reports;
pub mod runs;
pub mod serve;
pub mod show;
pub mod watch;
