//! Numbers of errors by their names (`errno(2)`), for code that answers with them or asks for them.

pub use libc::{
    EACCES, EAGAIN, EBUSY, ECONNRESET, EDQUOT, EFBIG, EINVAL, EIO, EMFILE, ENFILE, ENODEV, ENOENT, ENOMEM, ENOSPC,
    ENOTSUP, ENXIO, EOPNOTSUPP, ETIMEDOUT,
};

/// The device was removed: macOS has no number of its own for it, and says that it is not configured.
pub const EREMOTEIO: i32 = ENXIO;
