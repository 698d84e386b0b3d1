//! Numbers of errors by their names (`errno(3)`), for code that answers with them or asks for them.

pub use libc::{
    EACCES, EAGAIN, EBUSY, ECONNRESET, EDQUOT, EFBIG, EINVAL, EIO, EMFILE, ENFILE, ENODEV, ENOENT, ENOMEM, ENOSPC,
    ENOTSUP, ENXIO, EOPNOTSUPP, EREMOTEIO, ETIMEDOUT,
};

/// The number that the last system call of this thread failed with.
pub(crate) fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}
