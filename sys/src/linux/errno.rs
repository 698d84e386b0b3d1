//! Numbers of errors by their names (`errno(3)`), for code that answers with them or asks for them.

pub use libc::{
    EACCES, EAGAIN, EBUSY, ECONNRESET, EFBIG, EINVAL, EIO, EMFILE, ENFILE, ENODEV, ENOENT, ENOMEM, ENOSPC, ENXIO,
    EOPNOTSUPP, EREMOTEIO, ETIMEDOUT,
};
