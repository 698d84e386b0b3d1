//! Extended attributes of a file: a few bytes stored with the inode, lost if the file is replaced.

use rustix::fs::XattrFlags;
use rustix::io::Errno;
use std::fs::File;
use std::io;

/// Maximum size of a value in bytes; a longer one was not written by secchi.
const LONGEST: usize = 4096;

/// Returns the value of an attribute (`user.something`) of an open file. Returns `None` if the file has no such
/// attribute, if the file system has no attributes, or if the value is longer than 4096 bytes.
///
/// # Errors
/// As `fgetxattr(2)`.
pub fn read_attribute(file: &File, name: &str) -> io::Result<Option<Vec<u8>>> {
    let mut value = vec![0; LONGEST];
    match rustix::fs::fgetxattr(file, name, value.as_mut_slice()) {
        Ok(length) => {
            value.truncate(length);
            Ok(Some(value))
        }
        Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS | Errno::RANGE) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Sets an attribute of an open file, replacing any previous value. Returns `false` if the file system has no
/// attributes, or no room for this one.
///
/// # Errors
/// Any other error of `fsetxattr(2)`.
pub fn write_attribute(file: &File, name: &str, value: &[u8]) -> io::Result<bool> {
    match rustix::fs::fsetxattr(file, name, value, XattrFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOSPC | Errno::DQUOT | Errno::TOOBIG) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_read_back_and_replaced_and_most_files_have_none() {
        let file = tempfile::tempfile_in(".").unwrap();
        assert_eq!(read_attribute(&file, "user.secchi-test").unwrap(), None);
        if !write_attribute(&file, "user.secchi-test", b"one").unwrap() {
            testkit::skipped("no extended attributes on this file system");
            return;
        }
        assert_eq!(read_attribute(&file, "user.secchi-test").unwrap().as_deref(), Some(&b"one"[..]));
        assert!(write_attribute(&file, "user.secchi-test", b"two, longer").unwrap());
        assert_eq!(read_attribute(&file, "user.secchi-test").unwrap().as_deref(), Some(&b"two, longer"[..]));
        // On a file system without user attributes, the call returns `None` instead of failing.
        let proc = File::open("/proc/self/stat").unwrap();
        assert_eq!(read_attribute(&proc, "user.secchi-test").unwrap(), None);
        assert!(!write_attribute(&proc, "user.secchi-test", b"x").unwrap_or(false));
    }
}
