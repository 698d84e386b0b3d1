//! Linux. The exported items are listed in `lib.rs`.

pub(crate) mod clock;
pub(crate) mod devices;
pub mod errno;
pub(crate) mod files;
pub(crate) mod process;
pub(crate) mod queues;
