//! What another system has and this one has not.

use std::fmt;
use std::io;

/// Why something is not here, and what to take in place of it.
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

/// The error of what another system has: `why` it is not here, and what to take `instead`.
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "Linux has all there is so far"))]
pub(crate) fn foreign(why: &'static str, instead: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, Foreign { why, instead })
}

/// What to take in place of what another system has; `None` of other errors.
#[must_use]
pub fn instead_of(error: &io::Error) -> Option<&'static str> {
    Some(error.get_ref()?.downcast_ref::<Foreign>()?.instead)
}
