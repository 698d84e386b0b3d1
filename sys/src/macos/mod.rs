//! Implementation for macOS, as far as reading, judging and storing runs needs it. secchi does not measure on macOS:
//! functions that only measurements need return an error, and their types cannot be created. `lib.rs` lists what the
//! crate exports.

pub(crate) mod clock;
pub(crate) mod devices;
pub mod errno;
pub(crate) mod files;
pub(crate) mod instead;
pub(crate) mod process;
pub(crate) mod queues;

/// Returns the error for functions that only measurements need.
pub(crate) fn unmeasured() -> std::io::Error {
    crate::common::foreign(instead::WHY, instead::DEEP)
}
