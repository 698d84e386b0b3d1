//! The volumes of this machine in the form of a mount table, and their device numbers.

use crate::common::Mount;
use crate::windows::nt::{narrow, wide};
use crate::windows::number::{number_of, read_volume_extents};
use crate::windows::open::{NtOpen, READ_ONLY_VOLUME, SHARE_ALL, at_name};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use windows_sys::Wdk::Storage::FileSystem::{FILE_OPEN, FILE_SYNCHRONOUS_IO_NONALERT};
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::SystemInformation::GetSystemWindowsDirectoryW;

/// Maximum length of a volume's name, and of the list of its mount points, in UTF-16 units; longer ones are not read.
const NAME: usize = 64;
const PATHS: usize = 4096;

/// Volume, as the mount manager reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Volume {
    /// Name: `\\?\Volume{...}\`.
    pub(crate) name: OsString,
    /// Mount points: `C:\`, directories.
    pub(crate) points: Vec<PathBuf>,
}

impl Volume {
    /// Opens the volume as a device: for queries, or if `whole` for reading and writing, which requires an
    /// administrator.
    ///
    /// # Errors
    /// Errors of `NtCreateFile`.
    pub(crate) fn open(&self, whole: bool) -> io::Result<File> {
        let text = self.name.to_string_lossy();
        let device = text.trim_end_matches('\\').replacen(r"\\?\", r"\??\", 1);
        let rights = if whole {
            fs::FILE_GENERIC_READ | fs::FILE_GENERIC_WRITE
        } else {
            fs::FILE_READ_ATTRIBUTES | fs::SYNCHRONIZE
        };
        let how = NtOpen { rights, share: SHARE_ALL, options: FILE_SYNCHRONOUS_IO_NONALERT };
        at_name(None, OsStr::new(&device), how, FILE_OPEN)
    }

    /// Returns `true` if Windows runs from it.
    pub(crate) fn is_system(&self) -> bool {
        let mut directory = [0u16; 512];
        // SAFETY: the call writes at most the number of units passed.
        let length = unsafe { GetSystemWindowsDirectoryW(directory.as_mut_ptr(), directory.len() as u32) };
        let directory = PathBuf::from(narrow(&directory));
        // If the directory is unknown, any volume may contain it.
        length == 0 || self.points.iter().any(|point| directory.starts_with(point))
    }

    /// Returns `true` if it has extents on a disk, numbered from 0. A volume that does not report its extents counts if
    /// it is mounted.
    pub(crate) fn is_on(&self, disk: u32) -> bool {
        let disks = self.open(false).and_then(|volume| read_volume_extents(&volume));
        disks.map_or_else(|_| !self.points.is_empty(), |disks| disks.contains(&disk))
    }
}

/// Returns the volumes of this machine, mounted or not.
///
/// # Errors
/// Errors of `FindFirstVolumeW`.
pub(crate) fn volumes() -> io::Result<Vec<Volume>> {
    let mut name = [0u16; NAME];
    // SAFETY: the call writes at most the number of units passed.
    let search = unsafe { fs::FindFirstVolumeW(name.as_mut_ptr(), NAME as u32) };
    if search == w::INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    let mut volumes = Vec::new();
    loop {
        let volume = narrow(&name);
        volumes.push(Volume { points: points(&volume), name: volume });
        // SAFETY: the search is open, and the call writes at most the number of units passed.
        if unsafe { fs::FindNextVolumeW(search, name.as_mut_ptr(), NAME as u32) } == 0 {
            break;
        }
    }
    // SAFETY: the search was opened above, and nothing uses it after this.
    unsafe { fs::FindVolumeClose(search) };
    Ok(volumes)
}

fn points(volume: &OsStr) -> Vec<PathBuf> {
    let (name, mut paths, mut length) = (wide(volume), [0u16; PATHS], 0);
    // SAFETY: the name ends with a zero; the call writes at most the number of units passed.
    let known = unsafe {
        fs::GetVolumePathNamesForVolumeNameW(name.as_ptr(), paths.as_mut_ptr(), PATHS as u32, &raw mut length)
    };
    if known == 0 {
        return Vec::new();
    }
    paths.split(|unit| *unit == 0).take_while(|path| !path.is_empty()).map(|path| narrow(path).into()).collect()
}

/// Returns the mounted volumes and network drives, one entry for each mount point: `C:\`, a directory. The root within
/// the file system is always `\`, and a network drive has the device number (0, 0).
///
/// # Errors
/// Errors of `FindFirstVolumeW`.
pub fn mounts() -> io::Result<Vec<Mount>> {
    let mut mounts = Vec::new();
    for volume in volumes()? {
        let dev = volume.open(false).and_then(|device| number_of(&device)).unwrap_or((0, 0));
        for point in &volume.points {
            mounts.extend(mount(point, PathBuf::from(&volume.name), dev, false));
        }
    }
    for letter in b'A'..=b'Z' {
        let point = format!("{}:\\", char::from(letter));
        // SAFETY: the name ends with a zero.
        if unsafe { fs::GetDriveTypeW(wide(OsStr::new(&point)).as_ptr()) } == DRIVE_REMOTE {
            mounts.extend(mount(Path::new(&point), PathBuf::from(&point), (0, 0), true));
        }
    }
    Ok(mounts)
}

/// Returns the mount of an open file; `None` if the file has no path. Only its volume is queried, because there may be
/// many volumes, some of them on drives in standby.
#[must_use]
pub fn mount_of(file: &File) -> Option<Mount> {
    let (mut path, mut root) = (vec![0u16; LONGEST_PATH], vec![0u16; LONGEST_PATH]);
    // SAFETY: the handle is open, and the call writes at most the number of units passed.
    let length = unsafe {
        fs::GetFinalPathNameByHandleW(crate::windows::nt::handle(file), path.as_mut_ptr(), LONGEST_PATH as u32, 0)
    };
    // SAFETY: the path ends with a zero, which the call before wrote; this one writes at most the number of units
    // passed.
    let known = (1..LONGEST_PATH as u32).contains(&length)
        && unsafe { fs::GetVolumePathNameW(path.as_ptr(), root.as_mut_ptr(), LONGEST_PATH as u32) } != 0;
    if !known {
        return None;
    }
    let point = plain_root(&narrow(&root).to_string_lossy());
    let (place, mut name) = (wide(point.as_os_str()), [0u16; NAME]);
    // SAFETY: the path ends with a zero; the first call writes at most the number of units passed.
    let (named, remote) = unsafe {
        let named = fs::GetVolumeNameForVolumeMountPointW(place.as_ptr(), name.as_mut_ptr(), NAME as u32) != 0;
        (named, fs::GetDriveTypeW(place.as_ptr()) == DRIVE_REMOTE)
    };
    if !named {
        return mount(&point, point.clone(), (0, 0), remote);
    }
    let volume = Volume { name: narrow(&name), points: Vec::new() };
    let dev = volume.open(false).and_then(|device| number_of(&device)).unwrap_or((0, 0));
    mount(&point, PathBuf::from(volume.name), dev, remote)
}

/// Returns the device number for a [`crate::files::FileId::dev`]: unpacks a packed number (disk in the upper half), or
/// looks up the volume with this serial number; (0, 0) for a volume that is not on a disk.
#[must_use]
pub fn device_number(dev: u64) -> (u32, u32) {
    let (upper, lower) = ((dev >> 32) as u32, dev as u32);
    if upper > 0 {
        return (upper, lower);
    }
    // Querying all volumes takes milliseconds, and callers query each file of a job: answers are cached for one second.
    static KNOWN: Mutex<Vec<Answer>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|answer| answer.asked.elapsed() < Duration::from_secs(1));
    if let Some(answer) = known.iter().find(|answer| answer.serial == dev) {
        return answer.number;
    }
    let mounts = mounts().unwrap_or_default();
    let number = mounts.iter().find(|m| m.id == dev).map_or((0, 0), |m| m.dev);
    known.push(Answer { serial: dev, number, asked: Instant::now() });
    number
}

/// Device number of the volume with this serial number, and the time of the query.
struct Answer {
    serial: u64,
    number: (u32, u32),
    asked: Instant,
}

/// Returns a root without the prefix of verbatim paths: `C:\`, `\\server\share\`. A volume without a drive letter keeps
/// the prefix.
fn plain_root(root: &str) -> PathBuf {
    match root.strip_prefix(r"\\?\") {
        Some(share) if share.starts_with(r"UNC\") => format!(r"\\{}", &share[4..]).into(),
        Some(drive) if drive.as_bytes().get(1) == Some(&b':') => drive.into(),
        _ => root.into(),
    }
}

/// Maximum length of a path in UTF-16 units.
const LONGEST_PATH: usize = 1 << 15;

/// `DRIVE_REMOTE` of winbase.h.
const DRIVE_REMOTE: u32 = 4;

fn mount(point: &Path, source: PathBuf, dev: (u32, u32), remote: bool) -> Option<Mount> {
    let (path, mut name) = (wide(point.as_os_str()), [0u16; NAME]);
    let (mut serial, mut longest, mut flags) = (0, 0, 0);
    // SAFETY: the path ends with a zero, and the places live until the call returns; the label is not requested.
    let known = unsafe {
        fs::GetVolumeInformationW(
            path.as_ptr(),
            std::ptr::null_mut(),
            0,
            &raw mut serial,
            &raw mut longest,
            &raw mut flags,
            name.as_mut_ptr(),
            NAME as u32,
        )
    };
    // The call fails for a drive without a medium.
    (known != 0).then(|| Mount {
        id: u64::from(serial),
        dev,
        root: PathBuf::from(r"\"),
        point: point.to_owned(),
        options: if flags & READ_ONLY_VOLUME != 0 { "ro" } else { "rw" }.to_owned(),
        // A server reports the file system of its disk, not the protocol used to reach it.
        fs: if remote { "smbfs".to_owned() } else { narrow(&name).to_string_lossy().into_owned() },
        source,
        super_options: String::new(),
    })
}

/// Returns a name from the mount table: Windows escapes nothing.
#[must_use]
pub fn unescape(field: &[u8]) -> PathBuf {
    String::from_utf8_lossy(field).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_volume_is_mounted_and_known_for_what_it_is() {
        let volumes = volumes().unwrap();
        assert!(volumes.iter().any(Volume::is_system), "{volumes:?}");
        let mounted = mounts().unwrap();
        let system = mounted.iter().find(|m| m.point == Path::new(r"C:\")).expect("a drive C:");
        assert!(!system.fs.is_empty() && system.source.to_string_lossy().starts_with(r"\\?\Volume{"), "{system:?}");
        let windows = crate::files::open_no_links(
            None,
            Path::new(r"C:\windows"),
            crate::files::OpenHow::plain(crate::files::Access::Directory),
        );
        assert_eq!(mount_of(&windows.unwrap()).as_ref(), Some(system), "a file's own volume is the one of the table");
    }

    #[test]
    fn numbers_are_packed_or_looked_up_by_serial() {
        assert_eq!(device_number(3 << 32 | 2), (3, 2));
        assert_eq!(device_number(0), (0, 0));
    }

    #[test]
    fn roots_are_told_as_people_write_them() {
        for (root, plain) in [
            (r"\\?\C:\", r"C:\"),
            (r"\\?\UNC\server\share\", r"\\server\share\"),
            (r"\\?\Volume{1-2}\", r"\\?\Volume{1-2}\"),
            (r"D:\", r"D:\"),
        ] {
            assert_eq!(plain_root(root), Path::new(plain));
        }
    }
}
