//! Errors for features that only other systems have.

use std::fmt;
use std::io;

/// Reason why a feature is missing, and its replacement.
#[derive(Debug)]
struct Foreign {
    why: &'static str,
    instead: &'static str,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why)
    }
}

impl std::error::Error for Foreign {}

/// Returns the error for a feature of another system: `why` it is missing here, and what to use `instead`.
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "Linux supports all of them"))]
pub(crate) fn foreign(reason: &'static str, instead: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, Foreign { why: reason, instead })
}

/// Returns the replacement for a feature of another system; `None` for other errors.
#[must_use]
pub fn instead_of(error: &io::Error) -> Option<&'static str> {
    Some(error.get_ref()?.downcast_ref::<Foreign>()?.instead)
}
