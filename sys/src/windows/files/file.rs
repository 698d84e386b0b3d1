//! Opens, creates and deletes files so that no name can be replaced meanwhile, and returns facts about open files.
//!
//! Every path that may be written to is walked name by name from the root of its volume through the native interface,
//! which does not reinterpret names. A reparse point (a symbolic link, a junction, a mounted folder) ends the walk, and
//! no directory on the way can be renamed during it. Afterwards the file is identified by its [`FileId`], never by its
//! name (docs/design/safety.md, "Targets").

use super::path::{Parts, Start, Step, is_old_device, plain};
use crate::common::{Access, DirectAlign, FileId, OpenHow, Space};
use crate::windows::clock::monotonic_ns;
use crate::windows::errno::last_errno;
use crate::windows::nt;
use crate::windows::open::{NtOpen, READ_ONLY_VOLUME, SHARE_ALL, at_name, attributes, information, length, unbuffered};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Component, Path};
use windows_sys::Wdk::Storage::FileSystem as wdk;
use windows_sys::Wdk::System::SystemServices::{FILE_FS_FULL_SIZE_INFORMATION, FILE_FS_SIZE_INFORMATION};
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;

nt::plain!(FILE_FS_FULL_SIZE_INFORMATION, FILE_FS_SIZE_INFORMATION, fs::FILE_STORAGE_INFO, fs::FILE_ATTRIBUTE_TAG_INFO,);

impl FileId {
    /// Returns the identity of an open file.
    ///
    /// # Errors
    /// Errors of `GetFileInformationByHandle`: a device has no identity.
    pub fn from_file(file: &File) -> io::Result<FileId> {
        let info = information(file)?;
        Ok(FileId {
            dev: u64::from(info.dwVolumeSerialNumber),
            ino: nt::joined(info.nFileIndexHigh, info.nFileIndexLow),
        })
    }
}

const SYNCHRONOUS: u32 = wdk::FILE_SYNCHRONOUS_IO_NONALERT;
/// Access to a directory on the way; the share mode prevents its rename and deletion meanwhile.
const ON_THE_WAY: NtOpen = NtOpen {
    rights: fs::FILE_TRAVERSE | fs::FILE_READ_ATTRIBUTES | fs::SYNCHRONIZE,
    share: fs::FILE_SHARE_READ | fs::FILE_SHARE_WRITE,
    options: SYNCHRONOUS,
};

impl OpenHow {
    fn how(self) -> NtOpen {
        let rights = match self.access {
            Access::Locate => fs::FILE_READ_ATTRIBUTES | fs::SYNCHRONIZE,
            Access::Directory => {
                fs::FILE_LIST_DIRECTORY | fs::FILE_TRAVERSE | fs::FILE_READ_ATTRIBUTES | fs::SYNCHRONIZE
            }
            Access::Read => fs::FILE_GENERIC_READ,
            Access::ReadWrite => fs::FILE_GENERIC_READ | fs::FILE_GENERIC_WRITE,
        };
        let mut options = SYNCHRONOUS;
        if self.access == Access::Directory {
            options |= wdk::FILE_DIRECTORY_FILE;
        }
        if self.direct {
            options |= wdk::FILE_NO_INTERMEDIATE_BUFFERING;
        }
        NtOpen { rights: unbuffered(rights, self.direct), share: SHARE_ALL, options }
    }
}

impl fmt::Display for OpenHow {
    /// Formats the access as in the manual: `GENERIC_READ|GENERIC_WRITE|FILE_FLAG_NO_BUFFERING`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.access {
            Access::Locate => "FILE_READ_ATTRIBUTES",
            Access::Directory => "FILE_LIST_DIRECTORY",
            Access::Read => "GENERIC_READ",
            Access::ReadWrite => "GENERIC_READ|GENERIC_WRITE",
        })?;
        f.write_str(if self.direct { "|FILE_FLAG_NO_BUFFERING" } else { "" })?;
        f.write_str(if self.exclusive { "|FSCTL_LOCK_VOLUME" } else { "" })
    }
}

/// Opens an existing file without following reparse points anywhere in the path. `at` is the directory that a relative
/// path starts from; the working directory if `None`. A device that is opened exclusively keeps its volumes locked
/// ([`crate::devices::hold_volumes`]) until the process ends.
///
/// # Errors
/// Errors of `NtCreateFile`, with the numbers of `winerror.h`; a link gives an error for which [`is_link_error`]
/// returns `true`, and a name that Windows would reinterpret gives [`io::ErrorKind::InvalidInput`].
pub fn open_no_links(at: Option<&File>, path: &Path, how: OpenHow) -> io::Result<File> {
    let asked = how.how();
    // Flushing a directory requires the right to create files in it, which not everyone has who may read it.
    let flushed = NtOpen { rights: asked.rights | fs::FILE_ADD_FILE, ..asked };
    let file = match open_with(at, path, if how.access == Access::Directory { flushed } else { asked }) {
        Err(e) if how.access == Access::Directory && e.kind() == io::ErrorKind::PermissionDenied => {
            open_with(at, path, asked)?
        }
        other => other?,
    };
    if how.exclusive && super::device_path(path).is_some() {
        super::guards::hold_volumes(&file)?;
    }
    Ok(file)
}

/// Opens like [`open_no_links`], with any rights and options.
pub(crate) fn open_with(at: Option<&File>, path: &Path, how: NtOpen) -> io::Result<File> {
    let parts = Parts::parse(path)?;
    let here;
    let first = match &parts.start {
        Start::Device(name) if parts.steps.is_empty() => return at_name(None, name, how, wdk::FILE_OPEN),
        Start::Device(_) => return Err(io::Error::from_raw_os_error(w::ERROR_DIRECTORY as i32)),
        Start::Root(name) => at_name(None, name, ON_THE_WAY, wdk::FILE_OPEN)?,
        Start::Here => match at {
            Some(at) => at.try_clone()?,
            None => {
                here = std::env::current_dir()?;
                std::fs::OpenOptions::new()
                    .access_mode(ON_THE_WAY.rights)
                    .custom_flags(fs::FILE_FLAG_BACKUP_SEMANTICS)
                    .open(&here)?
            }
        },
    };
    let rooted = matches!(parts.start, Start::Root(_));
    let mut way = vec![first];
    let mut steps = parts.steps.iter().peekable();
    while let Some(step) = steps.next() {
        let here = way.last().expect("it begins somewhere");
        match step {
            Step::Back if way.len() > 1 => drop(way.pop()),
            // The parent of the root is the root.
            Step::Back if rooted => {}
            Step::Back => {
                let reason = "a path that leaves its start directory (`..`)";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
            }
            Step::Into(name) if steps.peek().is_some() => way.push(passed(here, name)?),
            Step::Into(name) => {
                let options = how.options | if parts.directory { wdk::FILE_DIRECTORY_FILE } else { 0 };
                return found(here, name, NtOpen { options, ..how });
            }
        }
    }
    // The path ends at a directory that was already opened on the way: open it with the requested rights.
    let here = way.last().expect("it begins somewhere");
    at_name(Some(here), OsStr::new(""), how, wdk::FILE_OPEN)
}

/// Returns the error for a link in the path.
fn link() -> io::Error {
    io::Error::from_raw_os_error(w::ERROR_REPARSE_POINT_ENCOUNTERED as i32)
}

/// Opens a directory on the way.
fn passed(dir: &File, name: &OsStr) -> io::Result<File> {
    let next = at_name(Some(dir), name, ON_THE_WAY, wdk::FILE_OPEN)?;
    let attributes = attributes(&next)?;
    if attributes & fs::FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        return Err(link());
    }
    if attributes & fs::FILE_ATTRIBUTE_DIRECTORY == 0 {
        return Err(io::Error::from_raw_os_error(w::ERROR_DIRECTORY as i32));
    }
    Ok(next)
}

/// Opens the last name of the path.
fn found(dir: &File, name: &OsStr, how: NtOpen) -> io::Result<File> {
    let file = match at_name(Some(dir), name, how, wdk::FILE_OPEN) {
        // A link to a file is reported as a link, even if a directory was requested.
        Err(e) if how.options & wdk::FILE_DIRECTORY_FILE != 0 => {
            let plain = NtOpen { rights: fs::FILE_READ_ATTRIBUTES | fs::SYNCHRONIZE, options: SYNCHRONOUS, ..how };
            let seen = at_name(Some(dir), name, plain, wdk::FILE_OPEN).and_then(|f| attributes(&f));
            let is_link = seen.is_ok_and(|seen| seen & fs::FILE_ATTRIBUTE_REPARSE_POINT != 0);
            return Err(if is_link { link() } else { e });
        }
        other => other?,
    };
    if attributes(&file)? & fs::FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        return Err(link());
    }
    Ok(file)
}

/// Returns `true` if an error of [`open_no_links`] means that the path contains a reparse point (a symbolic link, a
/// junction, a mounted folder).
#[must_use]
pub fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(w::ERROR_REPARSE_POINT_ENCOUNTERED as i32)
}

/// Returns `true` if a path names a device: a DOS device name (`nul`, `com1.txt`), or a device path (`\\.\...`). The
/// device need not exist.
#[must_use]
pub fn is_kernel_path(place: &Path) -> bool {
    let named = |c: Component<'_>| matches!(c, Component::Normal(name) if is_old_device(name));
    super::device_path(place).is_some() || place.components().any(named)
}

/// Makes everything durable that was written to this file. Only an administrator could flush a whole volume.
///
/// # Errors
/// Errors of `FlushFileBuffers`.
pub fn sync_file_system(file: &File) -> io::Result<()> {
    super::sync_file(file)
}

/// Rights for a file created by secchi, which is named, renamed and deleted by its handle.
const OURS: NtOpen = NtOpen {
    rights: fs::FILE_GENERIC_READ | fs::FILE_GENERIC_WRITE | fs::DELETE,
    share: SHARE_ALL,
    options: SYNCHRONOUS | wdk::FILE_NON_DIRECTORY_FILE,
};

/// Creates a file in a directory for reading and writing; never opens an existing one.
///
/// # Errors
/// Errors of `NtCreateFile` with `FILE_CREATE`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn create_new(dir: &File, name: &OsStr) -> io::Result<File> {
    let how = NtOpen { rights: fs::FILE_GENERIC_READ | fs::FILE_GENERIC_WRITE, ..OURS };
    at_name(Some(dir), plain(name)?, how, wdk::FILE_CREATE)
}

/// Creates a temporary file for [`crate::files::create_whole`], which disappears with this process until it has its
/// final name.
pub(crate) fn created(
    dir: &File,
    name: &OsStr,
    mut write: impl FnMut(&mut File) -> io::Result<()>,
    durable: bool,
) -> io::Result<File> {
    let name = plain(name)?;
    // While the file is marked for deletion, it cannot be opened under its temporary name.
    let mut file = unnamed(dir, OURS)?;
    go_when_closed(&file, true)?;
    write(&mut file)?;
    if durable {
        file.sync_all()?;
    }
    go_when_closed(&file, false)?;
    if let Err(e) = rename(&file, dir, name, false) {
        let _ = go_when_closed(&file, true);
        return Err(e);
    }
    Ok(file)
}

/// Sets whether a file is deleted when its last handle is closed. It must be open with the right to delete.
pub(crate) fn go_when_closed(file: &File, goes: bool) -> io::Result<()> {
    nt::set(file, wdk::FileDispositionInformation, &[u64::from(goes)], 1)
}

/// Gives a file a name in a directory. It must be open with the right to delete.
pub(crate) fn rename(file: &File, dir: &File, name: &OsStr, replace: bool) -> io::Result<()> {
    // FILE_RENAME_INFORMATION: replace flag (8 bytes with padding), handle of the directory, length of the name, and
    // the name.
    let units: Vec<u16> = name.encode_wide().collect();
    let mut words = vec![0u64; 3 + units.len().div_ceil(4)];
    words[0] = u64::from(replace);
    words[1] = nt::handle(dir) as u64;
    let mut tail: Vec<u8> = ((units.len() * 2) as u32).to_le_bytes().to_vec();
    tail.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    let bytes = 16 + tail.len();
    for (word, eight) in words[2..].iter_mut().zip(tail.chunks(8)) {
        let mut whole = [0; 8];
        whole[..eight.len()].copy_from_slice(eight);
        *word = u64::from_le_bytes(whole);
    }
    // The structure has room for at least one unit.
    let bytes = bytes.max(24);
    if replace {
        // As on Linux, the replaced file may be open. Older systems and file systems only support the stricter call
        // below.
        let mut posix = words.clone();
        posix[0] = u64::from(wdk::FILE_RENAME_REPLACE_IF_EXISTS | wdk::FILE_RENAME_POSIX_SEMANTICS);
        if nt::set(file, wdk::FileRenameInformationEx, &posix, bytes).is_ok() {
            return Ok(());
        }
    }
    nt::set(file, wdk::FileRenameInformation, &words, bytes)
}

/// Creates a file in a directory for reading and writing that is deleted once all its handles are closed. Until then it
/// has a name, `.secchi-...`, because Windows cannot reopen a file without a name.
///
/// # Errors
/// Errors of `NtCreateFile`.
pub fn create_nameless(dir: &File) -> io::Result<File> {
    unnamed(dir, NtOpen { options: OURS.options | wdk::FILE_DELETE_ON_CLOSE, ..OURS })
}

/// Creates a file under a unique name.
fn unnamed(dir: &File, how: NtOpen) -> io::Result<File> {
    static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!(".secchi-{}-{}-{number}", std::process::id(), monotonic_ns());
    at_name(Some(dir), OsStr::new(&name), how, wdk::FILE_CREATE)
}

/// Opens a file in a directory for reading; a reparse point is not followed.
///
/// # Errors
/// Errors of `NtCreateFile`; for a link an error for which [`is_link_error`] returns `true`;
/// [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn open_at(dir: &File, name: &OsStr) -> io::Result<File> {
    found(dir, plain(name)?, OpenHow::plain(Access::Read).how())
}

/// Returns the size in bytes of a file in a directory; links are not followed.
///
/// # Errors
/// Errors of `NtCreateFile`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn stat_at(dir: &File, name: &OsStr) -> io::Result<u64> {
    let file = at_name(Some(dir), plain(name)?, OpenHow::plain(Access::Locate).how(), wdk::FILE_OPEN)?;
    length(&file)
}

/// Creates a directory in a directory and opens it. It inherits the permissions of its parent.
///
/// # Errors
/// Errors of `NtCreateFile` with `FILE_CREATE`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn create_directory_at(dir: &File, name: &OsStr) -> io::Result<File> {
    let how = OpenHow::plain(Access::Directory).how();
    at_name(Some(dir), plain(name)?, NtOpen { rights: how.rights | fs::FILE_ADD_FILE, ..how }, wdk::FILE_CREATE)
}

/// Deletes an empty directory in a directory.
///
/// # Errors
/// Errors of `NtSetInformationFile`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn remove_directory_at(dir: &File, name: &OsStr) -> io::Result<()> {
    remove(dir, name, wdk::FILE_DIRECTORY_FILE)
}

fn remove(dir: &File, name: &OsStr, kind: u32) -> io::Result<()> {
    let rights = fs::DELETE | fs::FILE_READ_ATTRIBUTES | fs::SYNCHRONIZE;
    let how = NtOpen { rights, share: SHARE_ALL, options: SYNCHRONOUS | kind };
    let file = at_name(Some(dir), plain(name)?, how, wdk::FILE_OPEN)?;
    // The name must disappear at once, even if other processes have the file open. Older systems and file systems only
    // support the call below, which waits for them.
    const POSIX: u64 = (fs::FILE_DISPOSITION_FLAG_DELETE | fs::FILE_DISPOSITION_FLAG_POSIX_SEMANTICS) as u64;
    match nt::set(&file, wdk::FileDispositionInformationEx, &[POSIX], 4) {
        Err(e) if !nt::is_one_of(&e, &[w::ERROR_DIR_NOT_EMPTY, w::ERROR_ACCESS_DENIED]) => go_when_closed(&file, true),
        other => other,
    }
}

/// Returns the names in a directory, in the order of the file system, without `.` and `..`.
///
/// # Errors
/// Errors of `GetFileInformationByHandleEx`.
pub fn names_in(dir: &File) -> io::Result<impl Iterator<Item = io::Result<OsString>>> {
    // A listing continues from the last one of the same handle, so each gets a new handle.
    let dir = at_name(Some(dir), OsStr::new(""), OpenHow::plain(Access::Directory).how(), wdk::FILE_OPEN)?;
    let mut names = Vec::new();
    let mut buffer = vec![0u64; 8 << 10];
    let mut class = fs::FileIdBothDirectoryRestartInfo;
    loop {
        // SAFETY: the handle is that of a directory; the call writes at most the bytes of the buffer, which is aligned
        // to 8.
        let known = unsafe {
            fs::GetFileInformationByHandleEx(
                nt::handle(&dir),
                class,
                buffer.as_mut_ptr().cast(),
                size_of_val(buffer.as_slice()) as u32,
            )
        };
        if known == 0 {
            match last_errno() as u32 {
                w::ERROR_NO_MORE_FILES | w::ERROR_FILE_NOT_FOUND => break,
                code => return Err(io::Error::from_raw_os_error(code as i32)),
            }
        }
        class = fs::FileIdBothDirectoryInfo;
        let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
        listed(&bytes, &mut names);
    }
    Ok(names.into_iter().map(Ok))
}

/// Parses the names in a chain of FILE_ID_BOTH_DIR_INFO.
fn listed(bytes: &[u8], names: &mut Vec<OsString>) {
    const LENGTH: usize = std::mem::offset_of!(fs::FILE_ID_BOTH_DIR_INFO, FileNameLength);
    const NAME: usize = std::mem::offset_of!(fs::FILE_ID_BOTH_DIR_INFO, FileName);
    let number = |at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let mut at = 0;
    while let (Some(next), Some(length)) = (number(at), number(at + LENGTH)) {
        let Some(name) = bytes.get(at + NAME..at + NAME + length) else { return };
        let units: Vec<u16> = name.chunks_exact(2).map(|two| u16::from_ne_bytes([two[0], two[1]])).collect();
        let name = nt::narrow(&units);
        if name != "." && name != ".." {
            names.push(name);
        }
        if next == 0 {
            return;
        }
        at += next;
    }
}

/// Renames a file within a directory, atomically replacing an existing file.
///
/// # Errors
/// Errors of `NtSetInformationFile` with `FileRenameInformation`, which also fails if the replaced file is open without
/// sharing.
pub fn rename_at(dir: &File, from: &OsStr, to: &OsStr) -> io::Result<()> {
    let how = NtOpen { rights: fs::DELETE | fs::FILE_READ_ATTRIBUTES | fs::SYNCHRONIZE, ..OURS };
    let file = at_name(Some(dir), plain(from)?, NtOpen { options: SYNCHRONOUS, ..how }, wdk::FILE_OPEN)?;
    rename(&file, dir, plain(to)?, true)
}

/// Deletes a file in a directory.
///
/// # Errors
/// Errors of `NtSetInformationFile`.
pub fn remove_at(dir: &File, name: &OsStr) -> io::Result<()> {
    remove(dir, name, wdk::FILE_NON_DIRECTORY_FILE)
}

/// Returns `true` if the name still refers to this file; a link of that name does not.
#[must_use]
pub fn names_file(dir: &File, name: &OsStr, id: FileId) -> bool {
    let how = OpenHow::plain(Access::Locate).how();
    plain(name).and_then(|n| found(dir, n, how)).and_then(|f| FileId::from_file(&f)).ok() == Some(id)
}

/// Returns `true` if this process may write to a name in a directory, or to the directory itself if `name` is `None`.
/// It is opened for writing, which is the only reliable check, and not modified.
#[must_use]
pub fn may_write(dir: &File, name: Option<&OsStr>) -> bool {
    let (name, rights) = match name.map(plain) {
        Some(Ok(name)) => (name, fs::FILE_WRITE_DATA | fs::SYNCHRONIZE),
        Some(Err(_)) => return false,
        // For a directory, this is the same bit as the right to add a file.
        None => (OsStr::new(""), fs::FILE_ADD_FILE | fs::SYNCHRONIZE),
    };
    let how = NtOpen { rights, share: SHARE_ALL, options: SYNCHRONOUS };
    match at_name(Some(dir), name, how, wdk::FILE_OPEN) {
        Ok(_) => true,
        // The file is open elsewhere without sharing, which does not depend on rights.
        Err(e) => e.raw_os_error() == Some(w::ERROR_SHARING_VIOLATION as i32),
    }
}

constant! {
    /// Windows has no numeric users.
    fn effective_user() -> u32 = 0;
}

/// Returns the space on the volume of an open file or directory. Windows reports no number of files.
///
/// # Errors
/// Errors of `NtQueryVolumeInformationFile`.
pub fn space(file: &File) -> io::Result<Space> {
    let info: FILE_FS_FULL_SIZE_INFORMATION = nt::query_volume(file, wdk::FileFsFullSizeInformation)?;
    let unit = u64::from(info.SectorsPerAllocationUnit) * u64::from(info.BytesPerSector);
    let flags = volume_of(file).map_or(0, |volume| volume.flags);
    Ok(Space {
        total: (info.TotalAllocationUnits as u64).saturating_mul(unit),
        available: (info.CallerAvailableAllocationUnits as u64).saturating_mul(unit),
        files: 0,
        files_available: 0,
        read_only: flags & READ_ONLY_VOLUME != 0,
    })
}

/// Returns the cluster size of the volume of an open file, in bytes.
///
/// # Errors
/// Errors of `NtQueryVolumeInformationFile`.
pub(crate) fn space_unit(file: &File) -> io::Result<u64> {
    let info: FILE_FS_FULL_SIZE_INFORMATION = nt::query_volume(file, wdk::FileFsFullSizeInformation)?;
    Ok((u64::from(info.SectorsPerAllocationUnit) * u64::from(info.BytesPerSector)).max(1))
}

/// Facts about the volume of an open file.
pub(crate) struct VolumeFacts {
    /// Serial number of the volume.
    pub(crate) serial: u32,
    /// `FILE_*` flags of GetVolumeInformationByHandleW.
    pub(crate) flags: u32,
    /// Name of the file system: `NTFS`.
    pub(crate) file_system: String,
}

/// Returns facts about the volume of an open file.
///
/// # Errors
/// Errors of `GetVolumeInformationByHandleW`.
pub(crate) fn volume_of(file: &File) -> io::Result<VolumeFacts> {
    let (mut serial, mut longest, mut flags, mut name) = (0, 0, 0, [0u16; 64]);
    // SAFETY: the handle is open, and the places live until the call returns; it writes at most the number of units
    // passed, and the label is not requested.
    nt::check(unsafe {
        fs::GetVolumeInformationByHandleW(
            nt::handle(file),
            std::ptr::null_mut(),
            0,
            &raw mut serial,
            &raw mut longest,
            &raw mut flags,
            name.as_mut_ptr(),
            name.len() as u32,
        )
    })?;
    Ok(VolumeFacts { serial, flags, file_system: nt::narrow(&name).to_string_lossy().into_owned() })
}

/// Returns the alignment of direct I/O, the sector size of the volume; `None` if the file system does not report it.
///
/// # Errors
/// None so far: an unknown alignment is `None`.
pub fn direct_align(file: &File) -> io::Result<Option<DirectAlign>> {
    let sector = match file_info::<fs::FILE_STORAGE_INFO>(file, fs::FileStorageInfo) {
        Ok(told) => Some(told.LogicalBytesPerSector),
        Err(_) => nt::query_volume::<FILE_FS_SIZE_INFORMATION>(file, wdk::FileFsSizeInformation)
            .ok()
            .map(|told| told.BytesPerSector),
    };
    Ok(sector.filter(|bytes| bytes.is_power_of_two()).map(|bytes| DirectAlign { memory: bytes, offset: bytes }))
}

/// Queries a class of information with GetFileInformationByHandleEx.
pub(crate) fn file_info<T: nt::Plain>(file: &File, class: fs::FILE_INFO_BY_HANDLE_CLASS) -> io::Result<T> {
    let mut answer = T::zero();
    // SAFETY: the handle is open, and the call writes at most the number of bytes passed, into a structure of plain
    // numbers.
    nt::check(unsafe {
        fs::GetFileInformationByHandleEx(nt::handle(file), class, (&raw mut answer).cast(), size_of::<T>() as u32)
    })?;
    Ok(answer)
}

/// Returns the serial number of the volume of an open file, as in [`crate::file_systems::Mount::id`]; `None` if it is
/// unknown.
#[must_use]
pub fn mount_id(file: &File) -> Option<u64> {
    volume_of(file).ok().map(|volume| u64::from(volume.serial))
}

/// Allocates the first `len` bytes of a file and extends it to that length (`SetEndOfFile`); nothing is written, and
/// reads return zeros. `SetFileValidData`, which would expose old contents of the disk, is never called. Returns
/// `false` if the file system does not support it.
///
/// # Errors
/// Errors of `NtSetInformationFile`: no space, quota.
pub fn allocate(file: &File, len: u64) -> io::Result<bool> {
    if len > length(file)? {
        nt::set(file, wdk::FileEndOfFileInformation, &[len], 8)?;
    }
    Ok(true)
}

/// Drops a file from the cache, on a best-effort basis. Opening a file unbuffered makes Windows write out its dirty pages
/// and drop all of its cached pages, unless the file is mapped. Windows cannot drop a range, so the whole file is dropped;
/// an empty `range` does nothing.
///
/// # Errors
/// Errors of `ReOpenFile`.
pub fn drop_cache(file: &File, range: Range<u64>) -> io::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    super::descriptor::reopen_with(file, fs::FILE_GENERIC_READ, fs::FILE_FLAG_NO_BUFFERING).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::create_whole;
    use std::io::{Read, Write};
    use std::path::PathBuf;
    use std::process::Command;

    const LOOK: OpenHow = OpenHow::plain(Access::Locate);

    fn house() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("real")).unwrap();
        std::fs::write(dir.path().join("real/file"), b"x").unwrap();
        let base = dir.path().to_owned();
        (dir, base)
    }

    fn opened(base: &Path) -> File {
        open_no_links(None, base, OpenHow::plain(Access::Directory)).unwrap()
    }

    /// Creates a junction, which needs no privilege, and a symbolic link to a file, which may need one. Returns `true`
    /// if the junction exists.
    fn linked(base: &Path) -> bool {
        let mklink = |words: &[&str]| {
            let made = Command::new("cmd").args(["/c", "mklink"]).args(words).current_dir(base).output();
            made.is_ok_and(|o| o.status.success())
        };
        let made = mklink(&["/J", "dirlink", "real"]) && base.join("dirlink").symlink_metadata().is_ok();
        mklink(&["filelink", r"real\file"]);
        made
    }

    #[test]
    fn no_reparse_point_is_followed_at_any_place_of_the_path() {
        let (_dir, base) = house();
        if !linked(&base) {
            testkit::skip!("no junction can be made here (wine has no reparse points)");
        }
        for path in ["dirlink", r"dirlink\file", r"dirlink\", r"dirlink\..\real\file"] {
            let error = open_no_links(None, &base.join(path), LOOK).expect_err(path);
            assert!(is_link_error(&error), "{path}: {error}");
        }
        if base.join("filelink").symlink_metadata().is_ok() {
            assert!(is_link_error(&open_no_links(None, &base.join("filelink"), LOOK).unwrap_err()));
            assert!(is_link_error(&open_at(&opened(&base), "filelink".as_ref()).unwrap_err()));
        } else {
            testkit::skipped("no symbolic link of a file can be made by this user");
        }
        let dir = opened(&base);
        assert_eq!(create_new(&dir, "dirlink".as_ref()).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn a_file_is_the_same_by_any_way_to_it() {
        let (_dir, base) = house();
        let id = |path: &Path| open_no_links(None, path, LOOK).and_then(|f| FileId::from_file(&f)).unwrap();
        let plain = id(&base.join(r"real\file"));
        assert_eq!(id(&base.join(r".\real\..\real\FILE")), plain);
        let verbatim = PathBuf::from(format!(r"\\?\{}", base.join(r"real\file").display()));
        assert_eq!(id(&verbatim), plain);
        let real = opened(&base.join("real"));
        let from = open_no_links(Some(&real), Path::new("file"), LOOK).unwrap();
        assert_eq!(FileId::from_file(&from).unwrap(), plain);
        let out = open_no_links(Some(&real), Path::new(r"..\real\file"), LOOK).unwrap_err();
        assert_eq!(out.kind(), io::ErrorKind::InvalidInput);
        std::fs::hard_link(base.join(r"real\file"), base.join("second")).unwrap();
        assert_eq!(id(&base.join("second")), plain);
        let file = open_no_links(None, &base.join("second"), LOOK).unwrap();
        assert_eq!(information(&file).unwrap().nNumberOfLinks, 2);
    }

    #[test]
    fn what_is_missing_is_not_a_link() {
        let (_dir, base) = house();
        for path in ["none", r"none\none", r"real\file\x"] {
            assert!(!is_link_error(&open_no_links(None, &base.join(path), LOOK).expect_err(path)), "{path}");
        }
        let error = open_no_links(None, Path::new(""), LOOK).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(crate::errno::ENOENT));
    }

    #[test]
    fn streams_devices_and_names_that_fall_off_are_never_opened_or_made() {
        let (_dir, base) = house();
        let dir = opened(&base);
        for wrong in ["file:stream", "file::$DATA", "nul", "com1.txt", "x.", "x ", "", ".", "..", r"real\x", "/x", "a?"]
        {
            assert_eq!(create_new(&dir, wrong.as_ref()).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{wrong}");
            assert_eq!(remove_at(&dir, wrong.as_ref()).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{wrong}");
            assert_eq!(open_at(&dir, wrong.as_ref()).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{wrong}");
        }
        let stream = base.join(r"real\file:hidden");
        assert_eq!(open_no_links(None, &stream, LOOK).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn creating_never_opens_what_exists() {
        let (_dir, base) = house();
        let dir = opened(&base);
        std::fs::write(base.join("taken"), b"theirs").unwrap();
        for taken in ["taken", "TAKEN", "real"] {
            assert_eq!(create_new(&dir, taken.as_ref()).unwrap_err().kind(), io::ErrorKind::AlreadyExists, "{taken}");
            let whole = create_whole(&dir, taken.as_ref(), |f| f.write_all(b"y"));
            assert_eq!(whole.unwrap_err().kind(), io::ErrorKind::AlreadyExists, "{taken}");
        }
        assert_eq!(std::fs::read(base.join("taken")).unwrap(), b"theirs");
        assert_eq!(std::fs::read_dir(&base).unwrap().count(), 2);
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let (_dir, base) = house();
        let dir = opened(&base);
        let mut made = create_whole(&dir, "new".as_ref(), |f| f.write_all(b"all of it")).unwrap();
        made.write_all(b", and more").unwrap();
        drop(made);
        assert_eq!(std::fs::read(base.join("new")).unwrap(), b"all of it, and more");
        let failed = create_whole(&dir, "half".as_ref(), |f| {
            f.write_all(b"half")?;
            Err(io::Error::other("enough"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "enough");
        let nameless = create_nameless(&dir).unwrap();
        let mut again = crate::files::reopen(&nameless).unwrap();
        again.write_all(b"by another way").unwrap();
        assert_eq!(nameless.metadata().unwrap().len(), 14);
        drop((nameless, again));
        let mut names: Vec<OsString> = names_in(&dir).unwrap().map(Result::unwrap).collect();
        names.sort();
        assert_eq!(names, ["new", "real"]);
    }

    #[test]
    fn names_are_listed_moved_and_removed_in_the_directory_that_is_open() {
        let (_dir, base) = house();
        let dir = opened(&base);
        for n in 0..300 {
            create_new(&dir, OsStr::new(&format!("file with a rather long name {n}"))).unwrap();
        }
        assert_eq!(names_in(&dir).unwrap().count(), 301);
        assert_eq!(names_in(&dir).unwrap().count(), 301);
        let (first, second) =
            (OsStr::new("file with a rather long name 0"), OsStr::new("file with a rather long name 1"));
        std::fs::write(base.join(first), b"first").unwrap();
        rename_at(&dir, first, second).unwrap();
        assert_eq!(std::fs::read(base.join(second)).unwrap(), b"first");
        assert_eq!((stat_at(&dir, second).unwrap(), names_in(&dir).unwrap().count()), (5, 300));
        assert!(remove_at(&dir, "real".as_ref()).is_err() && remove_directory_at(&dir, "real".as_ref()).is_err());
        remove_at(&dir, second).unwrap();
        assert_eq!(names_in(&dir).unwrap().count(), 299);
        let mut inner = create_directory_at(&dir, "inner".as_ref()).unwrap();
        assert!(create_directory_at(&dir, "inner".as_ref()).is_err());
        create_new(&inner, "f".as_ref()).unwrap();
        assert!(remove_directory_at(&dir, "inner".as_ref()).is_err());
        remove_at(&inner, "f".as_ref()).unwrap();
        assert!(inner.read(&mut [0]).is_err());
        drop(inner);
        remove_directory_at(&dir, "inner".as_ref()).unwrap();
        assert!(!base.join("inner").exists());
    }

    #[test]
    fn a_name_is_known_to_stand_for_another_file() {
        let (_dir, base) = house();
        let dir = opened(&base);
        let mine = create_new(&dir, "mine".as_ref()).unwrap();
        let id = FileId::from_file(&mine).unwrap();
        assert!(names_file(&dir, "mine".as_ref(), id));
        rename_at(&dir, "mine".as_ref(), "moved".as_ref()).unwrap();
        std::fs::write(base.join("mine"), b"").unwrap();
        assert!(!names_file(&dir, "mine".as_ref(), id) && names_file(&dir, "moved".as_ref(), id));
    }

    #[test]
    fn a_file_is_as_long_as_was_reserved_and_reads_as_zeros() {
        let (_dir, base) = house();
        let mut file = create_new(&opened(&base), "room".as_ref()).unwrap();
        assert!(allocate(&file, 1 << 20).unwrap());
        assert_eq!(file.metadata().unwrap().len(), 1 << 20);
        let mut back = Vec::new();
        file.read_to_end(&mut back).unwrap();
        assert!(back.len() == 1 << 20 && back.iter().all(|b| *b == 0));
        let room = space(&file).unwrap();
        assert!(room.total >= room.available && room.available > 0 && !room.read_only, "{room:?}");
        assert!(direct_align(&file).unwrap().is_some_and(|a| a.offset >= 512));
        drop_cache(&file, 0..1 << 20).unwrap();
        assert!(may_write(&opened(&base), None) && may_write(&opened(&base), Some("room".as_ref())));
    }

    #[test]
    fn devices_are_told_from_files_by_their_names() {
        for theirs in ["nul", r"C:\dir\nul.txt", "com1", r"\\.\PhysicalDrive0", r"\\.\C:", r"\\?\Volume{1}"] {
            assert!(is_kernel_path(Path::new(theirs)), "{theirs}");
        }
        for others in [r"C:\dir\null", "x", r"\\?\C:\x", r"\\?\Volume{1}\x", r"\\server\share\x"] {
            assert!(!is_kernel_path(Path::new(others)), "{others}");
        }
    }

    #[test]
    fn flags_read_as_in_the_manual() {
        let how = OpenHow { access: Access::ReadWrite, direct: true, exclusive: true };
        assert_eq!(how.to_string(), "GENERIC_READ|GENERIC_WRITE|FILE_FLAG_NO_BUFFERING|FSCTL_LOCK_VOLUME");
    }
}
