//! Target errors: messages with advice, and the class that determines the exit code.

use std::fmt;
use std::io;
use std::path::Path;

/// Class of an error. Each class has an exit code (docs/design/results.md, "Exit codes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Rejected for safety: exit code 3.
    Refused,
    /// Not possible on this machine (permissions, space, file system, engine): exit code 4.
    Cannot,
    /// The device went away: exit code 5.
    Lost,
    /// Invalid input: exit code 64.
    BadInput,
}

/// Parts of a one-line error message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Attempted action, and the object to which it was applied.
    pub what: String,
    /// Cause of the failure.
    pub why: String,
    /// Advice; may be empty.
    pub advice: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)?;
        if self.advice.is_empty() { Ok(()) } else { write!(f, "; {}", self.advice) }
    }
}

/// Reason why a target cannot be used. The target was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The request could destroy or disturb other users' data or devices.
    #[error("refused: {0}")]
    Refused(Reason),
    /// The machine does not support or allow the request.
    #[error("cannot {0}")]
    Cannot(Reason),
    /// The file system is full.
    #[error("{0}")]
    Full(Reason),
    /// The device or file went away, or changed its size, during the run.
    #[error("lost: {0}")]
    Lost(Reason),
    /// The request is invalid.
    #[error("{0}")]
    BadInput(Reason),
}

impl TargetError {
    /// Returns the class of the error.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            TargetError::Refused(_) => Class::Refused,
            TargetError::Cannot(_) | TargetError::Full(_) => Class::Cannot,
            TargetError::Lost(_) => Class::Lost,
            TargetError::BadInput(_) => Class::BadInput,
        }
    }

    /// Returns the parts of the message.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        match self {
            TargetError::Refused(r)
            | TargetError::Cannot(r)
            | TargetError::Full(r)
            | TargetError::Lost(r)
            | TargetError::BadInput(r) => r,
        }
    }
}

fn reason(what: impl Into<String>, why: impl Into<String>, advice: impl Into<String>) -> Reason {
    Reason { what: what.into(), why: why.into(), advice: advice.into() }
}

pub(super) fn refused(what: impl Into<String>, why: impl Into<String>, advice: impl Into<String>) -> TargetError {
    TargetError::Refused(reason(what, why, advice))
}

pub(super) fn cannot(what: impl Into<String>, why: impl Into<String>, advice: impl Into<String>) -> TargetError {
    TargetError::Cannot(reason(what, why, advice))
}

pub(super) fn full(what: impl Into<String>, why: impl Into<String>) -> TargetError {
    TargetError::Full(reason(what, why, "free some space or take a larger volume"))
}

pub(super) fn lost(what: impl Into<String>, why: impl Into<String>) -> TargetError {
    TargetError::Lost(reason(what, why, "the results so far are kept"))
}

pub(super) fn bad_input(what: impl Into<String>, why: impl Into<String>, advice: impl Into<String>) -> TargetError {
    TargetError::BadInput(reason(what, why, advice))
}

/// Classifies a system error: lost, full, or not possible.
pub(super) fn failed(what: impl Into<String>, error: &io::Error) -> TargetError {
    let advice = match error.kind() {
        _ if sys::files::is_lost_error(error) => return lost(what, error.to_string()),
        // An exhausted quota has the same effect as a full disk.
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, raise the quota, or reduce the size"
        }
        io::ErrorKind::PermissionDenied => "check owner and mode, or run as a user with permission",
        io::ErrorKind::ReadOnlyFilesystem => "use a file system that is mounted for writing",
        _ => "",
    };
    cannot(what, error.to_string(), advice)
}

/// Formats a path for display. Control characters, which could manipulate the terminal, are escaped.
pub(super) fn printable(path: &Path) -> String {
    let mut out = String::new();
    for c in path.to_string_lossy().chars() {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_what_why_and_what_to_try() {
        let e = refused("/data/x", "is not ours", "name a directory");
        assert_eq!(e.to_string(), "refused: /data/x: is not ours; name a directory");
        assert_eq!(e.class(), Class::Refused);
        assert_eq!(bad_input("size", "is zero", "").to_string(), "size: is zero");
    }

    #[test]
    fn a_quota_is_a_full_disk_and_a_dead_device_is_lost() {
        use sys::errno::{EACCES, EDQUOT, ENOSPC, ENXIO};
        let error_of = |errno| failed("write", &io::Error::from_raw_os_error(errno));
        assert!(error_of(EDQUOT).reason().advice.contains("quota"));
        assert_eq!(error_of(EDQUOT).reason().advice, error_of(ENOSPC).reason().advice);
        assert_eq!(error_of(ENXIO).class(), Class::Lost);
        assert_eq!(error_of(EACCES).class(), Class::Cannot);
    }

    #[test]
    fn no_path_plays_with_the_terminal() {
        assert_eq!(printable(Path::new("/a\u{1b}[2Jb\n")), "/a\\u{1b}[2Jb\\n");
    }
}
