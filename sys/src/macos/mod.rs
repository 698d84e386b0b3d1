//! macOS: what reading, judging and keeping runs need. Nothing is measured here: what only measurements ask for answers by name, and is
//! made by nobody. What the crate shows of it is listed in `lib.rs`.

pub(crate) mod clock;
pub(crate) mod devices;
pub mod errno;
pub(crate) mod files;
pub(crate) mod instead;
pub(crate) mod process;
pub(crate) mod queues;

/// The error of what only measurements ask for.
pub(crate) fn unmeasured() -> std::io::Error {
    crate::common::foreign(instead::WHY, instead::DEEP)
}
