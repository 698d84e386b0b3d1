//! Windows. What the crate shows of it is listed in `lib.rs`.

pub(crate) mod clock;
pub(crate) mod devices;
pub mod errno;
pub(crate) mod files;
pub(crate) mod instead;
mod nt;
mod open;
pub(crate) mod process;
pub(crate) mod queues;
