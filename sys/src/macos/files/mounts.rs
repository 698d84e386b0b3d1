//! Mounted file systems (`getfsstat(2)`) and their device numbers.

use crate::common::Mount;
use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Returns the mounts that this process sees.
///
/// # Errors
/// Errors of `getfsstat(2)`.
pub fn mounts() -> io::Result<Vec<Mount>> {
    // SAFETY: without a buffer, the call only returns the number of mounts.
    let count = unsafe { libc::getfsstat(std::ptr::null_mut(), 0, libc::MNT_NOWAIT) };
    // Leaves room for file systems that are mounted meanwhile.
    let room = usize::try_from(count).map_err(|_| io::Error::last_os_error())? + 16;
    // SAFETY: statfs consists of integers and texts, for which zero is valid.
    let mut entries: Vec<libc::statfs> = vec![unsafe { std::mem::zeroed() }; room];
    let bytes = libc::c_int::try_from(size_of_val(entries.as_slice())).unwrap_or(libc::c_int::MAX);
    // SAFETY: the call writes at most this number of bytes, which the buffer has.
    let got = unsafe { libc::getfsstat(entries.as_mut_ptr(), bytes, libc::MNT_NOWAIT) };
    entries.truncate(usize::try_from(got).map_err(|_| io::Error::last_os_error())?);
    Ok(entries.iter().enumerate().map(|(id, entry)| mount(id as u64, entry)).collect())
}

fn mount(id: u64, entry: &libc::statfs) -> Mount {
    let source = path(&entry.f_mntfromname);
    // The number of the mounted device, or else that of the mounted directory.
    let of_device = source.metadata().ok().filter(|m| m.file_type().is_block_device()).map(|m| m.rdev());
    let point = path(&entry.f_mntonname);
    let dev = of_device.or_else(|| point.metadata().ok().map(|m| m.dev())).map_or((0, 0), device_number);
    let options = if entry.f_flags & libc::MNT_RDONLY.cast_unsigned() != 0 { "ro" } else { "rw" };
    let fs = path(&entry.f_fstypename).to_string_lossy().into_owned();
    Mount { id, dev, root: "/".into(), point, options: options.to_owned(), fs, source, super_options: String::new() }
}

fn path(text: &[libc::c_char]) -> PathBuf {
    let bytes: Vec<u8> = text.iter().map(|c| c.cast_unsigned()).collect();
    let text = CStr::from_bytes_until_nul(&bytes).map_or(bytes.as_slice(), CStr::to_bytes);
    OsStr::from_bytes(text).into()
}

/// Returns the mount of an open file, found by its device number.
#[must_use]
pub fn mount_of(file: &File) -> Option<Mount> {
    let dev = file.metadata().ok().map(|told| device_number(told.dev()))?;
    mounts().ok()?.into_iter().rfind(|m| m.dev == dev)
}

constant! {
    /// macOS has no numbers of mounts.
    fn mount_id(&File) -> Option<u64> = None;
    fn mount_id_at(&Path) -> Option<u64> = None;
}

/// Returns the major and minor number of a device from a packed `st_rdev` or `st_dev`.
#[must_use]
pub fn device_number(dev: u64) -> (u32, u32) {
    // Of the 32 bits, the upper eight are the major number.
    let dev = dev as u32;
    (dev >> 24, dev & 0x00FF_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_mounted_and_vital() {
        let mounts = mounts().unwrap();
        let root = mounts.iter().find(|m| m.point == Path::new("/")).unwrap();
        assert!(!root.fs.is_empty() && root.dev != (0, 0), "{root:?}");
        let uses = crate::devices::device_uses(root.dev);
        assert!(uses.iter().any(crate::devices::DeviceUse::vital), "{uses:?}");
        let temp = tempfile::tempfile().unwrap();
        assert!(mount_of(&temp).is_some());
    }
}
