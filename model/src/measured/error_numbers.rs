//! Error numbers and their numbering: a record contains the error numbers of the system on which it was made, and can
//! be read on any system.

/// Numbering of the errors in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorNumbers {
    /// Numbers of errno(3), as on Linux.
    Errno,
    /// Numbers of Windows (`winerror.h`), plus our own [`END_OF_FILE`], [`crate::measured::WRONG_DATA`] and [`TOO_LATE`].
    Windows,
}

/// Number for a read at or beyond the end of the target, which is an error and never an operation (ENODATA).
pub const END_OF_FILE: i32 = 61;
/// Number for an operation that took too long, as in fio (ETIMEDOUT).
pub const TOO_LATE: i32 = 110;

/// Names, numbers and texts of errno(3) values that storage returns.
const ERRNOS: &[(&str, i32, &str)] = &[
    ("EPERM", 1, "Operation not permitted"),
    ("ENOENT", 2, "No such file or directory"),
    ("EINTR", 4, "Interrupted system call"),
    ("EIO", 5, "Input/output error"),
    ("ENXIO", 6, "No such device or address"),
    ("EBADF", 9, "Bad file descriptor"),
    ("EAGAIN", 11, "Resource temporarily unavailable"),
    ("ENOMEM", 12, "Cannot allocate memory"),
    ("EACCES", 13, "Permission denied"),
    ("EFAULT", 14, "Bad address"),
    ("EBUSY", 16, "Device or resource busy"),
    ("EEXIST", 17, "File exists"),
    ("ENODEV", 19, "No such device"),
    ("ENOTDIR", 20, "Not a directory"),
    ("EISDIR", 21, "Is a directory"),
    ("EINVAL", 22, "Invalid argument"),
    ("EMFILE", 24, "Too many open files"),
    ("EFBIG", 27, "File too large"),
    ("ENOSPC", 28, "No space left on device"),
    ("EROFS", 30, "Read-only file system"),
    ("EPIPE", 32, "Broken pipe"),
    ("ENOTEMPTY", 39, "Directory not empty"),
    ("ENODATA", END_OF_FILE, "No data available"),
    ("EOVERFLOW", 75, "Value too large for defined data type"),
    ("EILSEQ", crate::measured::WRONG_DATA, "Invalid or incomplete multibyte or wide character"),
    ("EOPNOTSUPP", 95, "Operation not supported"),
    ("ECONNRESET", 104, "Connection reset by peer"),
    ("ETIMEDOUT", TOO_LATE, "Connection timed out"),
    ("ESTALE", 116, "Stale file handle"),
    ("EREMOTEIO", 121, "Remote I/O error"),
    ("EDQUOT", 122, "Disk quota exceeded"),
];

/// Numbers and texts of Windows errors, with the equivalent errno; sorted by number.
const WINDOWS: &[(i32, &str, &str)] = &[
    (1, "EINVAL", "Incorrect function"),
    (2, "ENOENT", "The system cannot find the file specified"),
    (3, "ENOENT", "The system cannot find the path specified"),
    (4, "EMFILE", "The system cannot open the file"),
    (5, "EACCES", "Access is denied"),
    (6, "EBADF", "The handle is invalid"),
    (8, "ENOMEM", "Not enough memory resources are available to process this command"),
    (14, "ENOMEM", "Not enough memory resources are available to complete this operation"),
    (15, "ENODEV", "The system cannot find the drive specified"),
    (19, "EROFS", "The media is write protected"),
    (20, "ENODEV", "The system cannot find the device specified"),
    (21, "ENXIO", "The device is not ready"),
    (23, "EIO", "Data error (cyclic redundancy check)"),
    (25, "EIO", "The drive cannot locate a specific area or track on the disk"),
    (27, "EIO", "The drive cannot find the sector requested"),
    (29, "EIO", "The system cannot write to the specified device"),
    (30, "EIO", "The system cannot read from the specified device"),
    (31, "EIO", "A device attached to the system is not functioning"),
    (32, "EACCES", "The process cannot access the file because it is being used by another process"),
    (33, "EACCES", "The process cannot access the file because another process has locked a portion of the file"),
    (38, "ENODATA", "Reached the end of the file"),
    (39, "ENOSPC", "The disk is full"),
    (50, "EOPNOTSUPP", "The request is not supported"),
    (55, "ENODEV", "The specified network resource or device is no longer available"),
    (64, "ENXIO", "The specified network name is no longer available"),
    (80, "EEXIST", "The file exists"),
    (87, "EINVAL", "The parameter is incorrect"),
    (109, "EPIPE", "The pipe has been ended"),
    (112, "ENOSPC", "There is not enough space on the disk"),
    (120, "EOPNOTSUPP", "This function is not supported on this system"),
    (121, "ETIMEDOUT", "The semaphore timeout period has expired"),
    (123, "EINVAL", "The filename, directory name, or volume label syntax is incorrect"),
    (145, "ENOTEMPTY", "The directory is not empty"),
    (170, "EBUSY", "The requested resource is in use"),
    (183, "EEXIST", "Cannot create a file when that file already exists"),
    (206, "EINVAL", "The filename or extension is too long"),
    (223, "EFBIG", "The file size exceeds the limit allowed and cannot be saved"),
    (267, "ENOTDIR", "The directory name is invalid"),
    (433, "ENODEV", "A device which does not exist was specified"),
    (483, "EIO", "The request failed due to a fatal device hardware error"),
    (995, "EINTR", "The I/O operation has been aborted because of either a thread exit or an application request"),
    (1006, "ENXIO", "The volume for a file has been externally altered so that the opened file is no longer valid"),
    (1112, "ENXIO", "No media in drive"),
    (1117, "EIO", "The request could not be performed because of an I/O device error"),
    (1167, "ENXIO", "The device is not connected"),
    (1236, "ECONNRESET", "The network connection was aborted by the local system"),
    (1237, "EAGAIN", "The operation could not be completed. A retry should be performed"),
    (1295, "EDQUOT", "The requested file operation failed because the storage quota was exceeded"),
    (1450, "ENOMEM", "Insufficient system resources exist to complete the requested service"),
    (1460, "ETIMEDOUT", "This operation returned because the timeout period expired"),
    (1617, "EREMOTEIO", "The device has been removed"),
];

/// Returns the Linux number of an errno by its name, or `None` if it is not in the table.
#[must_use]
pub fn errno_number(name: &str) -> Option<i32> {
    ERRNOS.iter().find(|(known, ..)| *known == name).map(|(_, number, _)| *number)
}

fn windows(number: i32) -> Option<&'static (i32, &'static str, &'static str)> {
    WINDOWS.iter().find(|(known, ..)| *known == number)
}

/// Returns the name and text of an errno: `("ENOSPC", "No space left on device")`, or `None` if it is not in the table.
#[must_use]
pub fn errno_text(number: i32) -> Option<(&'static str, &'static str)> {
    ERRNOS.iter().find(|(_, known, _)| *known == number).map(|(name, _, text)| (*name, *text))
}

impl ErrorNumbers {
    /// Returns the numbering of the current system.
    #[must_use]
    pub fn here() -> ErrorNumbers {
        if std::env::consts::OS == "windows" { ErrorNumbers::Windows } else { ErrorNumbers::Errno }
    }

    /// Returns the errno of an error, as fio reports it on every system. As in fio, a Windows error without equivalent
    /// is EIO.
    #[must_use]
    pub fn errno(self, number: i32) -> i32 {
        match (self, number) {
            (ErrorNumbers::Errno, _) | (_, 0 | END_OF_FILE | crate::measured::WRONG_DATA | TOO_LATE) => number,
            (ErrorNumbers::Windows, _) => windows(number).and_then(|(_, name, _)| errno_number(name)).unwrap_or(5),
        }
    }

    /// Formats an error for people: `errno 28`, `Windows error 112 (There is not enough space on the disk)`.
    #[must_use]
    pub fn describe(self, number: i32) -> String {
        let is_common = [END_OF_FILE, crate::measured::WRONG_DATA, TOO_LATE].contains(&number);
        match (self, windows(number)) {
            (ErrorNumbers::Windows, Some((_, _, text))) => format!("Windows error {number} ({text})"),
            (ErrorNumbers::Windows, None) if !is_common => format!("Windows error {number}"),
            _ => format!("errno {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_windows_says_what_an_errno_says_and_none_stands_twice() {
        assert!(WINDOWS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(WINDOWS.iter().all(|(_, name, _)| errno_number(name).is_some()));
        assert!(ERRNOS.is_sorted_by(|a, b| a.1 < b.1));
        // Our own numbers have the same meaning on all systems.
        assert!(
            [END_OF_FILE, crate::measured::WRONG_DATA, TOO_LATE].into_iter().all(|number| windows(number).is_none())
        );
    }

    #[test]
    fn an_error_is_told_by_number_and_text_and_as_fio_would() {
        let (linux, windows) = (ErrorNumbers::Errno, ErrorNumbers::Windows);
        assert_eq!((linux.errno(28), windows.errno(112), windows.errno(39)), (28, 28, 28));
        assert_eq!((windows.errno(1117), windows.errno(9999), windows.errno(0)), (5, 5, 0));
        assert_eq!((windows.errno(84), windows.errno(61), windows.errno(110)), (84, 61, 110));
        assert_eq!(linux.describe(112), "errno 112");
        assert_eq!(windows.describe(112), "Windows error 112 (There is not enough space on the disk)");
        assert_eq!(windows.describe(9999), "Windows error 9999");
        assert_eq!(windows.describe(84), "errno 84");
        assert_eq!(errno_text(28), Some(("ENOSPC", "No space left on device")));
        assert_eq!(errno_text(9999), None);
    }
}
