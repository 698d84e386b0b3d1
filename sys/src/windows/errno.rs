//! Error numbers under their names from `errno(3)`, for code that returns or compares them. The values are those of
//! Windows (`winerror.h`), so that [`std::io::Error::from_raw_os_error`] finds their messages.

use windows_sys::Win32::Foundation as w;

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident = $code:ident,)*) => {
        $($(#[$doc])* pub const $name: i32 = w::$code as i32;)*
    };
}

numbers! {
    /// Permission denied.
    EACCES = ERROR_ACCESS_DENIED,
    /// Temporarily unavailable.
    EAGAIN = ERROR_RETRY,
    /// In use by another process.
    EBUSY = ERROR_BUSY,
    /// Connection lost.
    ECONNRESET = ERROR_CONNECTION_ABORTED,
    /// Quota exceeded.
    EDQUOT = ERROR_DISK_QUOTA_EXCEEDED,
    /// File too large.
    EFBIG = ERROR_FILE_TOO_LARGE,
    /// Invalid argument.
    EINVAL = ERROR_INVALID_PARAMETER,
    /// Device error.
    EIO = ERROR_IO_DEVICE,
    /// Too many open files in this process.
    EMFILE = ERROR_TOO_MANY_OPEN_FILES,
    /// Too many open handles on this machine.
    ENFILE = ERROR_NO_MORE_USER_HANDLES,
    /// No such device.
    ENODEV = ERROR_DEV_NOT_EXIST,
    /// No such file.
    ENOENT = ERROR_FILE_NOT_FOUND,
    /// Out of memory.
    ENOMEM = ERROR_NOT_ENOUGH_MEMORY,
    /// No space left.
    ENOSPC = ERROR_DISK_FULL,
    /// Not supported by this object; the same as [`EOPNOTSUPP`] on Linux.
    ENOTSUP = ERROR_NOT_SUPPORTED,
    /// Device not connected.
    ENXIO = ERROR_DEVICE_NOT_CONNECTED,
    /// Operation not supported.
    EOPNOTSUPP = ERROR_CALL_NOT_IMPLEMENTED,
    /// Device removed.
    EREMOTEIO = ERROR_DEVICE_REMOVED,
    /// Timed out.
    ETIMEDOUT = ERROR_TIMEOUT,
}

/// Returns the error number of the last failed call of this thread.
pub(crate) fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(EIO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn the_standard_library_knows_them_for_what_they_are_called() {
        let kind = |errno| Error::from_raw_os_error(errno).kind();
        assert_eq!(kind(EACCES), ErrorKind::PermissionDenied);
        assert_eq!(kind(ENOENT), ErrorKind::NotFound);
        assert_eq!(kind(ENOSPC), ErrorKind::StorageFull);
        assert_eq!(kind(EINVAL), ErrorKind::InvalidInput);
        assert_eq!(kind(EOPNOTSUPP), ErrorKind::Unsupported);
        assert_eq!(kind(ENOMEM), ErrorKind::OutOfMemory);
        assert_eq!(kind(EDQUOT), ErrorKind::QuotaExceeded);
        assert_eq!(kind(EBUSY), ErrorKind::ResourceBusy);
    }
}
