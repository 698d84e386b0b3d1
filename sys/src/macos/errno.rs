//! Error numbers under their names (`errno(2)`), for code that returns or compares them.

pub use libc::{
    EACCES, EAGAIN, EBUSY, ECONNRESET, EDQUOT, EFBIG, EINVAL, EIO, EMFILE, ENFILE, ENODEV, ENOENT, ENOMEM, ENOSPC,
    ENOTSUP, ENXIO, EOPNOTSUPP, ETIMEDOUT,
};

/// Device removed; macOS has no separate number for it and reports that the device is not configured.
pub const EREMOTEIO: i32 = ENXIO;
