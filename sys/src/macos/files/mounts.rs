//! The file systems that are mounted (`getfsstat(2)`).

use crate::common::Mount;
use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

impl Mount {
    /// The value of an option of the file system: none has one here.
    #[must_use]
    pub fn super_option(&self, _key: &str) -> Option<PathBuf> {
        None
    }
}

/// The mounts this process sees.
///
/// # Errors
/// As `getfsstat(2)`.
pub fn mounts() -> io::Result<Vec<Mount>> {
    // SAFETY: without a place for them the call only says how many there are.
    let there = unsafe { libc::getfsstat(std::ptr::null_mut(), 0, libc::MNT_NOWAIT) };
    // Some may come meanwhile.
    let room = usize::try_from(there).map_err(|_| io::Error::last_os_error())? + 16;
    // SAFETY: statfs is plain integers and texts, for which zero is a value.
    let mut told: Vec<libc::statfs> = vec![unsafe { std::mem::zeroed() }; room];
    let bytes = libc::c_int::try_from(size_of_val(told.as_slice())).unwrap_or(libc::c_int::MAX);
    // SAFETY: the call writes at most so many bytes, and `told` has them.
    let got = unsafe { libc::getfsstat(told.as_mut_ptr(), bytes, libc::MNT_NOWAIT) };
    told.truncate(usize::try_from(got).map_err(|_| io::Error::last_os_error())?);
    Ok(told.iter().enumerate().map(|(id, told)| mount(id as u64, told)).collect())
}

fn mount(id: u64, told: &libc::statfs) -> Mount {
    let source = path(&told.f_mntfromname);
    // Of a device what is mounted has its number; else that of what is mounted.
    let of_device = source.metadata().ok().filter(|m| m.file_type().is_block_device()).map(|m| m.rdev());
    let point = path(&told.f_mntonname);
    let dev = of_device.or_else(|| point.metadata().ok().map(|m| m.dev())).map_or((0, 0), crate::device_number);
    let options = if told.f_flags & libc::MNT_RDONLY.cast_unsigned() != 0 { "ro" } else { "rw" };
    let fs = path(&told.f_fstypename).to_string_lossy().into_owned();
    Mount { id, dev, root: "/".into(), point, options: options.to_owned(), fs, source, super_options: String::new() }
}

fn path(text: &[libc::c_char]) -> PathBuf {
    let bytes: Vec<u8> = text.iter().map(|c| c.cast_unsigned()).collect();
    let text = CStr::from_bytes_until_nul(&bytes).map_or(bytes.as_slice(), CStr::to_bytes);
    OsStr::from_bytes(text).into()
}

/// The mount an open file lies on, by its device.
#[must_use]
pub fn mount_of(file: &File) -> Option<Mount> {
    let dev = file.metadata().ok().map(|told| crate::device_number(told.dev()))?;
    mounts().ok()?.into_iter().rfind(|m| m.dev == dev)
}

/// Files in the form of Linux's mountinfo are not read here.
///
/// # Errors
/// Always: `Unsupported`.
pub fn mounts_in(_table: &Path) -> io::Result<Vec<Mount>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "a mount table as a file is Linux's"))
}

/// Number of the mount an open file was reached through: the system has none.
#[must_use]
pub fn mount_id(_file: &File) -> Option<u64> {
    None
}

/// As [`mount_id`], of a path.
#[must_use]
pub fn mount_id_at(_path: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_mounted_and_vital() {
        let all = mounts().unwrap();
        let root = all.iter().find(|m| m.point == Path::new("/")).unwrap();
        assert!(!root.fs.is_empty() && root.dev != (0, 0), "{root:?}");
        let uses = crate::device_uses(root.dev);
        assert!(uses.iter().any(crate::DeviceUse::vital), "{uses:?}");
        let temp = tempfile::tempfile().unwrap();
        assert!(mount_of(&temp).is_some());
    }
}
