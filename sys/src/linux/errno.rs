//! Error numbers by name (`errno(3)`), for code that returns or compares them.

pub use libc::{
    EACCES, EAGAIN, EBUSY, ECONNRESET, EDQUOT, EFBIG, EINVAL, EIO, EMFILE, ENFILE, ENODEV, ENOENT, ENOMEM, ENOSPC,
    ENOTSUP, ENXIO, EOPNOTSUPP, EREMOTEIO, ETIMEDOUT,
};

/// Returns the error number of the last failed system call of this thread.
pub(crate) fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}
