//! Numbers of errors by the names of `errno(3)`, for code that answers with them or asks for them. The numbers are the system's own
//! (`winerror.h`), so that [`std::io::Error::from_raw_os_error`] has its words for them.

use windows_sys::Win32::Foundation as w;

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident = $code:ident,)*) => {
        $($(#[$doc])* pub const $name: i32 = w::$code as i32;)*
    };
}

numbers! {
    /// No permission.
    EACCES = ERROR_ACCESS_DENIED,
    /// Not now.
    EAGAIN = ERROR_RETRY,
    /// Somebody else has it.
    EBUSY = ERROR_BUSY,
    /// The other side is gone.
    ECONNRESET = ERROR_CONNECTION_ABORTED,
    /// The quota is used up.
    EDQUOT = ERROR_DISK_QUOTA_EXCEEDED,
    /// Longer than a file may be.
    EFBIG = ERROR_FILE_TOO_LARGE,
    /// Not a value it takes.
    EINVAL = ERROR_INVALID_PARAMETER,
    /// The device failed.
    EIO = ERROR_IO_DEVICE,
    /// The process has as many files open as it may.
    EMFILE = ERROR_TOO_MANY_OPEN_FILES,
    /// The machine has as many handles as it may.
    ENFILE = ERROR_NO_MORE_USER_HANDLES,
    /// No such device.
    ENODEV = ERROR_DEV_NOT_EXIST,
    /// No such file.
    ENOENT = ERROR_FILE_NOT_FOUND,
    /// No memory.
    ENOMEM = ERROR_NOT_ENOUGH_MEMORY,
    /// No room.
    ENOSPC = ERROR_DISK_FULL,
    /// What it is asked of cannot do that; on Linux the same as [`EOPNOTSUPP`].
    ENOTSUP = ERROR_NOT_SUPPORTED,
    /// The device is gone.
    ENXIO = ERROR_DEVICE_NOT_CONNECTED,
    /// It cannot do that.
    EOPNOTSUPP = ERROR_CALL_NOT_IMPLEMENTED,
    /// The device was removed.
    EREMOTEIO = ERROR_DEVICE_REMOVED,
    /// It took too long.
    ETIMEDOUT = ERROR_TIMEOUT,
}

/// The number that the last call of this thread failed with.
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
