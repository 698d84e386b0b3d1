//! Implementation for Windows. `lib.rs` lists what the crate exports.

pub(crate) mod clock;
pub(crate) mod devices;
pub mod errno;
pub(crate) mod files;
pub(crate) mod instead;
mod nt;
mod number;
mod open;
pub(crate) mod process;
pub(crate) mod queues;
