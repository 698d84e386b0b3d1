//! Functions that the standard library has on one system only, under the same names on every system.

use super::lock;
use crate::common::{FileId, Guards, OpenGuarded};
use crate::elsewhere::unsupported;
use crate::windows::nt;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, RawHandle};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::Threading::GetCurrentProcess;

nt::plain!(fs::FILE_STANDARD_INFO);

/// Time from 1601, the epoch of Windows, to 1970, in units of 100 ns.
const TO_1970: u64 = 116_444_736_000_000_000;

/// Kind of a file, directory or device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    File,
    Directory,
    Link,
    Disk,
    Character,
    Pipe,
}

/// Kind of a file, directory or device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileType(Kind);

impl FileType {
    /// Returns `true` for a regular file.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.0 == Kind::File
    }

    /// Returns `true` for a directory.
    #[must_use]
    pub fn is_dir(&self) -> bool {
        self.0 == Kind::Directory
    }

    /// Returns `true` for a reparse point that refers to another name: a symbolic link, a junction, a mounted folder.
    #[must_use]
    pub fn is_symlink(&self) -> bool {
        self.0 == Kind::Link
    }
}

/// Kinds of special files.
pub trait FileTypeExt {
    /// Returns `true` for a disk or a volume.
    fn is_block_device(&self) -> bool;
    /// Returns `true` for a console, a serial line, or `NUL`.
    fn is_char_device(&self) -> bool;
    /// Returns `true` for a pipe.
    fn is_fifo(&self) -> bool;
    /// Returns `true` for a socket: never on Windows, where sockets have no names.
    fn is_socket(&self) -> bool;
}

impl FileTypeExt for FileType {
    fn is_block_device(&self) -> bool {
        self.0 == Kind::Disk
    }

    fn is_char_device(&self) -> bool {
        self.0 == Kind::Character
    }

    fn is_fifo(&self) -> bool {
        self.0 == Kind::Pipe
    }

    fn is_socket(&self) -> bool {
        false
    }
}

/// Metadata of a file, directory or device.
#[derive(Debug, Clone)]
pub struct Metadata {
    kind: Kind,
    id: FileId,
    length: u64,
    allocated: u64,
    links: u64,
    device: u64,
    attributes: u32,
    /// Times of creation, last access and last write, in units of 100 ns since 1601.
    times: [u64; 3],
}

impl Metadata {
    /// Returns the kind of the file.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        FileType(self.kind)
    }

    /// See [`FileType::is_file`].
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.file_type().is_file()
    }

    /// See [`FileType::is_dir`].
    #[must_use]
    pub fn is_dir(&self) -> bool {
        self.file_type().is_dir()
    }

    /// See [`FileType::is_symlink`].
    #[must_use]
    pub fn is_symlink(&self) -> bool {
        self.file_type().is_symlink()
    }

    /// Returns the size of the file in bytes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "as the standard library's")]
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Returns the time of the last write.
    ///
    /// # Errors
    /// If the time is unknown, as for devices.
    pub fn modified(&self) -> io::Result<SystemTime> {
        self.time(2)
    }

    /// Returns the time of the last access; some systems do not record it.
    ///
    /// # Errors
    /// If the time is unknown, as for devices.
    pub fn accessed(&self) -> io::Result<SystemTime> {
        self.time(1)
    }

    /// Returns the time of creation.
    ///
    /// # Errors
    /// If the time is unknown, as for devices.
    pub fn created(&self) -> io::Result<SystemTime> {
        self.time(0)
    }

    fn time(&self, which: usize) -> io::Result<SystemTime> {
        let since = self.times[which].checked_sub(TO_1970).ok_or(io::Error::from(ErrorKind::Unsupported))?;
        Ok(UNIX_EPOCH + Duration::new(since / 10_000_000, (since % 10_000_000) as u32 * 100))
    }

    /// Returns the metadata of a device or pipe.
    fn of_device(kind: Kind, device: u64) -> Metadata {
        let id = FileId { dev: u64::MAX, ino: device };
        Metadata { kind, id, length: 0, allocated: 0, links: 1, device, attributes: 0, times: [0; 3] }
    }
}

/// Metadata in the terms of Unix.
pub trait MetadataExt {
    /// Returns the serial number of the volume.
    fn dev(&self) -> u64;
    /// Returns the number of the file on its volume.
    fn ino(&self) -> u64;
    /// Returns the nine permission bits of `chmod(2)`; Windows only distinguishes writable from read-only.
    fn mode(&self) -> u32;
    /// Returns the number of hard links; 0 once the last has been removed.
    fn nlink(&self) -> u64;
    /// Returns the owner: 0, because Windows has no numeric users.
    fn uid(&self) -> u32;
    /// Returns the device number of a disk or volume.
    fn rdev(&self) -> u64;
    /// Returns the allocated size in units of 512 bytes.
    fn blocks(&self) -> u64;
    /// Returns the preferred size for I/O: one page, because Windows does not report it.
    fn blksize(&self) -> u64;
    /// Returns the time of the last write, in whole seconds since 1970.
    fn mtime(&self) -> i64;
    /// Returns the fraction of that time, in nanoseconds.
    fn mtime_nsec(&self) -> i64;
}

impl MetadataExt for Metadata {
    fn dev(&self) -> u64 {
        self.id.dev
    }

    fn ino(&self) -> u64 {
        self.id.ino
    }

    fn mode(&self) -> u32 {
        if self.attributes & fs::FILE_ATTRIBUTE_READONLY == 0 { 0o666 } else { 0o444 }
    }

    fn nlink(&self) -> u64 {
        self.links
    }

    fn uid(&self) -> u32 {
        0
    }

    fn rdev(&self) -> u64 {
        self.device
    }

    fn blocks(&self) -> u64 {
        self.allocated.div_ceil(512)
    }

    fn blksize(&self) -> u64 {
        4096
    }

    fn mtime(&self) -> i64 {
        (self.times[2].cast_signed() - TO_1970.cast_signed()).div_euclid(10_000_000)
    }

    fn mtime_nsec(&self) -> i64 {
        (self.times[2].cast_signed() - TO_1970.cast_signed()).rem_euclid(10_000_000) * 100
    }
}

impl From<&Metadata> for FileId {
    fn from(meta: &Metadata) -> FileId {
        meta.id
    }
}

/// Returns the creation time of a file or directory, in nanoseconds since 1970, which identifies it together with its
/// number. `None` if the number alone is sufficient, or the time is unknown. NTFS never reuses a number, because it
/// contains a count of its uses; and NTFS gives a recreated directory the creation time of the one that had its name
/// before.
#[must_use]
pub fn moment_made(path: &Path) -> Option<u64> {
    let file = open_for_queries(path, fs::FILE_FLAG_OPEN_REPARSE_POINT).ok()?;
    if super::volume_of(&file).is_ok_and(|volume| volume.file_system == "NTFS") {
        return None;
    }
    let made = file_metadata(&file).ok()?.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(made.as_nanos()).ok().filter(|ns| *ns > 0)
}

/// Returns the metadata of a path; links are followed.
///
/// # Errors
/// Errors of `CreateFileW`.
pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    file_metadata(&open_for_queries(path.as_ref(), 0)?)
}

/// Returns the metadata of a path; of a link, that of the link itself.
///
/// # Errors
/// Errors of `CreateFileW`.
pub fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    file_metadata(&open_for_queries(path.as_ref(), fs::FILE_FLAG_OPEN_REPARSE_POINT)?)
}

/// Opens a path for queries only, which requires no more than seeing its name.
fn open_for_queries(path: &Path, flags: u32) -> io::Result<File> {
    OpenOptions::new()
        .access_mode(fs::FILE_READ_ATTRIBUTES)
        .custom_flags(fs::FILE_FLAG_BACKUP_SEMANTICS | flags)
        .open(path)
}

/// Returns the metadata of an open file.
///
/// # Errors
/// Errors of `GetFileInformationByHandle`.
pub fn file_metadata(file: &File) -> io::Result<Metadata> {
    // SAFETY: the handle is open.
    match unsafe { fs::GetFileType(nt::handle(file)) } {
        fs::FILE_TYPE_CHAR => return Ok(Metadata::of_device(Kind::Character, 0)),
        fs::FILE_TYPE_PIPE => return Ok(Metadata::of_device(Kind::Pipe, 0)),
        _ => {}
    }
    let info = match super::information(file) {
        Ok(info) => info,
        // Disks and volumes have no file information.
        Err(error) => {
            let (disk, part) = crate::windows::number::block_number(file)?.ok_or(error)?;
            return Ok(Metadata::of_device(Kind::Disk, u64::from(disk) << 32 | u64::from(part)));
        }
    };
    let length = nt::joined(info.nFileSizeHigh, info.nFileSizeLow);
    // Allocation and deletion state, if the file system reports them.
    let standard = super::file_info::<fs::FILE_STANDARD_INFO>(file, fs::FileStandardInfo).ok();
    let removed = standard.is_some_and(|s| s.DeletePending);
    Ok(Metadata {
        kind: kind(file, info.dwFileAttributes),
        id: FileId {
            dev: u64::from(info.dwVolumeSerialNumber),
            ino: nt::joined(info.nFileIndexHigh, info.nFileIndexLow),
        },
        length,
        allocated: standard.map_or(length, |s| s.AllocationSize.cast_unsigned()),
        links: if removed { 0 } else { info.nNumberOfLinks.into() },
        device: 0,
        attributes: info.dwFileAttributes,
        times: [info.ftCreationTime, info.ftLastAccessTime, info.ftLastWriteTime].map(nt::file_time),
    })
}

/// Returns the kind of a file. Reparse points that refer to other names are links; others (a cloud placeholder, a
/// compressed file) are the kind they appear as.
fn kind(file: &File, attributes: u32) -> Kind {
    if attributes & fs::FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        let info = super::file_info::<fs::FILE_ATTRIBUTE_TAG_INFO>(file, fs::FileAttributeTagInfo);
        // Bit of tags that refer to another name; an unknown tag counts as a link.
        if info.map_or(true, |info| info.ReparseTag & 0x2000_0000 != 0) {
            return Kind::Link;
        }
    }
    if attributes & fs::FILE_ATTRIBUTE_DIRECTORY != 0 { Kind::Directory } else { Kind::File }
}

/// Reads and writes at an offset. They also move the file position, so callers must not rely on it.
pub trait FileExt {
    /// Reads at an offset. Returns the number of bytes, 0 at the end of the file.
    ///
    /// # Errors
    /// Errors of `ReadFile`.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes at an offset. Returns the number of bytes.
    ///
    /// # Errors
    /// Errors of `WriteFile`.
    fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize>;

    /// Fills a buffer from an offset.
    ///
    /// # Errors
    /// Errors of `ReadFile`; [`ErrorKind::UnexpectedEof`] if the file ends early.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let (mut done, end) = (0, buffer.len());
        while done < end {
            match self.read_at(&mut buffer[done..], offset + done as u64) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(length) => done += length,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Writes a whole buffer at an offset.
    ///
    /// # Errors
    /// Errors of `WriteFile`; [`ErrorKind::WriteZero`] if no more bytes are accepted.
    fn write_all_at(&self, buffer: &[u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            match self.write_at(&buffer[done..], offset + done as u64) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(length) => done += length,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

impl FileExt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }

    fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_write(self, buffer, offset)
    }
}

impl OpenGuarded for OpenOptions {
    fn open_guarded(&mut self, path: &Path, guards: Guards) -> io::Result<File> {
        self.custom_flags(if guards.no_link { fs::FILE_FLAG_OPEN_REPARSE_POINT } else { 0 });
        let file = self.open(path)?;
        // The link itself was opened, not its target.
        if guards.no_link && file_metadata(&file).is_ok_and(|meta| meta.is_symlink()) {
            return Err(io::Error::from_raw_os_error(w::ERROR_REPARSE_POINT_ENCOUNTERED as i32));
        }
        Ok(file)
    }
}

/// Returns `true` if an error of opening a pipe for writing means that it has no reader.
#[must_use]
pub fn is_no_reader(error: &io::Error) -> bool {
    error.raw_os_error() == Some(w::ERROR_PIPE_NOT_CONNECTED as i32)
}

/// Sets or clears the read-only attribute of an open file: a file is writable if any of the three write bits of
/// `chmod(2)` is set. Windows has no other permission bits.
///
/// # Errors
/// Errors of `SetFileInformationByHandle`.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    let read_only = mode & 0o222 == 0;
    if permissions.readonly() == read_only {
        return Ok(());
    }
    permissions.set_readonly(read_only);
    file.set_permissions(permissions)
}

/// Checks that this process may write to a path, by opening it for writing without writing.
///
/// # Errors
/// Errors of `CreateFileW`.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let flags = fs::FILE_FLAG_OPEN_REPARSE_POINT | fs::FILE_FLAG_BACKUP_SEMANTICS;
    OpenOptions::new().access_mode(fs::FILE_WRITE_DATA).custom_flags(flags).open(path).map(drop)
}

/// Would change the owner and group of a file or directory. Windows has no numeric users.
///
/// # Errors
/// Always.
pub fn hand_over(_path: &Path, user: u32, _group: u32) -> io::Result<()> {
    Err(io::Error::new(ErrorKind::Unsupported, format!("Windows has no user {user}")))
}

/// Directories of kernel files. On Windows they are names below a device that does not exist, so that no ordinary
/// directory `\\proc` matches.
pub const KERNEL_FILES: [&str; 3] = [r"\\.\secchi-none\", r"\\.\secchi-none\proc", r"\\.\secchi-none\sys"];

/// True if programs of one machine commonly communicate through sockets in the file system, which is rare on Windows.
pub const FILE_SOCKETS: bool = false;

/// Returns `true` if a file is an executable program, judged by its extension.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    let ends =
        path.extension().is_some_and(|end| ["exe", "com", "bat", "cmd"].iter().any(|e| end.eq_ignore_ascii_case(e)));
    ends && metadata(path).is_ok_and(|meta| meta.is_file())
}

/// Creates a directory, and its parents if `parents` is set. It inherits the permissions of its parent; inside a user's
/// profile, those are the user's.
///
/// # Errors
/// Errors of `CreateDirectoryW`.
pub fn create_private_directory(path: &Path, parents: bool) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(parents).create(path)
}

/// Opens a file in order to sync data written by any process. Flushing requires the right to write.
///
/// # Errors
/// Errors of `CreateFileW`.
pub fn open_for_sync(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Makes creations, renames and deletions in a directory durable.
///
/// # Errors
/// Errors of `CreateFileW` and `FlushFileBuffers`. No error if the file system does not flush directories: its log
/// preserves their order.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    let directory = OpenOptions::new()
        .access_mode(fs::FILE_GENERIC_READ | fs::FILE_ADD_FILE)
        .custom_flags(fs::FILE_FLAG_BACKUP_SEMANTICS)
        .open(path)?;
    match directory.sync_all() {
        Err(e)
            if matches!(e.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported) =>
        {
            Ok(())
        }
        Err(e) if e.raw_os_error() == Some(w::ERROR_INVALID_HANDLE as i32) => Ok(()),
        other => other,
    }
}

/// Renames a file, but never replaces an existing one.
///
/// # Errors
/// Errors of `MoveFileExW`; [`ErrorKind::AlreadyExists`] if the new name exists.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let [from, to] = [from, to].map(|path| nt::wide(path.as_os_str()));
    // SAFETY: both texts end with a zero and live until the call returns. The flags allow neither replacing nor
    // copying.
    nt::check(unsafe { fs::MoveFileExW(from.as_ptr(), to.as_ptr(), fs::MOVEFILE_WRITE_THROUGH) })
}

/// Allocates `from..from + bytes` without changing the length of the file. Returns `false` if the file system does not
/// support it.
///
/// # Errors
/// Errors of `FileAllocationInfo`.
pub fn reserve_beyond(file: &File, from: u64, bytes: u64) -> io::Result<bool> {
    crate::storage::allocate_beyond(file, from.saturating_add(bytes))
}

/// Locks an open file without waiting; an exclusive lock excludes all others, a shared one only exclusive ones. Returns
/// `false` if another process holds a conflicting lock.
///
/// # Errors
/// Errors of [`crate::locks::try_lock`].
pub fn lock_file(file: &File, exclusive: bool) -> io::Result<bool> {
    lock::try_lock(file, exclusive)
}

/// Releases a lock of [`lock_file`] before the file is closed.
///
/// # Errors
/// Errors of [`crate::locks::unlock`].
pub fn unlock_file(file: &File) -> io::Result<()> {
    lock::unlock(file)
}

/// Creates a file that is deleted once all its handles are closed. Until then its name, made of `name` and the process
/// ID, is in the directory for temporary files. Windows keeps it in memory if there is room.
///
/// # Errors
/// Errors of `CreateFileW`.
pub fn memory_file(name: &str) -> io::Result<File> {
    let place =
        std::env::temp_dir().join(format!("{name}-{}-{}.tmp", std::process::id(), crate::clock::monotonic_ns()));
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .attributes(fs::FILE_ATTRIBUTE_TEMPORARY)
        .custom_flags(fs::FILE_FLAG_DELETE_ON_CLOSE)
        .open(place)
}

/// Makes child processes started from now on inherit this open file. Returns the number they open it by
/// ([`inherited`]).
///
/// # Errors
/// Errors of `SetHandleInformation`.
pub fn inherit(file: &impl Inheritable) -> io::Result<u64> {
    file.inherit()
}

/// Object that child processes can inherit.
pub trait Inheritable {
    /// See [`inherit`].
    ///
    /// # Errors
    /// Errors of `SetHandleInformation`.
    fn inherit(&self) -> io::Result<u64>;
}

impl<F: AsHandle + AsRawHandle> Inheritable for F {
    fn inherit(&self) -> io::Result<u64> {
        let handle = self.as_raw_handle();
        // SAFETY: the handle is open.
        nt::check(unsafe { w::SetHandleInformation(handle, w::HANDLE_FLAG_INHERIT, w::HANDLE_FLAG_INHERIT) })?;
        Ok(handle as u64)
    }
}

/// Opens a file that the parent process left open for this program, from its beginning. Returns a second handle,
/// because closing an arbitrary number might close a handle of another owner.
///
/// # Errors
/// Errors of `DuplicateHandle`: the number is not an open handle.
pub fn inherited(number: u64, _write: bool) -> io::Result<File> {
    let mut duplicate: RawHandle = std::ptr::null_mut();
    // SAFETY: the arguments are numbers; a number that is not a handle gives an error, and a returned handle is new and
    // only ours.
    let mut file = unsafe {
        let us = GetCurrentProcess();
        let handle = number as usize as RawHandle;
        nt::check(w::DuplicateHandle(us, handle, us, &raw mut duplicate, 0, 0, w::DUPLICATE_SAME_ACCESS))?;
        File::from_raw_handle(duplicate)
    };
    if file_metadata(&file)?.is_file() {
        io::Seek::rewind(&mut file)?;
    }
    Ok(file)
}

constant! {
    fn create_pipe(&Path) -> io::Result<()> =
        Err(unsupported("Windows does not support named pipes in directories"));
    /// Would make reads and writes of a pipe opened with [`Guards::NO_WAIT`] block again: on Windows, they always block.
    fn wait_again(&File) -> io::Result<()> = Ok(());
    /// Character devices of Windows do not identify themselves, so none is recognized as the null device.
    fn is_null_device(&Metadata) -> bool = false;
}

/// Returns a file name of plain ASCII bytes. Panics on other bytes; callers generate such names for every operation.
#[must_use]
pub fn ascii_name(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).expect("a name of plain ASCII"))
}

/// Device that discards everything.
pub const NULL_DEVICE: &str = "NUL";

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn two_names_of_a_file_are_one_file_and_its_room_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| dir.path().join(name));
        std::fs::write(&a, vec![1; 10_000]).unwrap();
        std::fs::hard_link(&a, &b).unwrap();
        let (one, two) = (metadata(&a).unwrap(), symlink_metadata(&b).unwrap());
        assert_eq!((one.dev(), one.ino(), one.len()), (two.dev(), two.ino(), 10_000));
        assert!(one.nlink() == 2 && one.is_file() && one.blocks() * 512 >= 10_000);
        assert_eq!(FileId::from(&one), FileId::from_file(&File::open(&b).unwrap()).unwrap());
        assert!(metadata(dir.path()).unwrap().is_dir());
        let age = SystemTime::now().duration_since(one.modified().unwrap()).unwrap_or_default();
        assert!(age < Duration::from_secs(600), "{age:?}");
    }

    #[test]
    fn guards_follow_no_link_and_make_nothing_behind_one() {
        let dir = tempfile::tempdir().unwrap();
        let [real, link, dangling] = ["real", "link", "dangling"].map(|name| dir.path().join(name));
        std::fs::write(&real, "x").unwrap();
        let open = |path: &Path| OpenOptions::new().read(true).open_guarded(path, Guards::NO_LINK);
        assert!(open(&real).is_ok());
        let Ok(()) = testkit::symlink(&real, &link) else { testkit::skip!("no symbolic link can be made here (wine)") };
        assert!(crate::files::is_link_error(&open(&link).unwrap_err()));
        testkit::symlink(dir.path().join("nowhere"), &dangling).unwrap();
        let made = OpenOptions::new().write(true).create(true).open_guarded(&dangling, Guards::NO_LINK);
        assert!(crate::files::is_link_error(&made.unwrap_err()) && !dir.path().join("nowhere").exists());
    }

    #[test]
    fn places_are_read_and_written_whole() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(b"abcdef", 10).unwrap();
        let mut bytes = [0; 4];
        file.read_exact_at(&mut bytes, 12).unwrap();
        assert_eq!(&bytes, b"cdef");
        assert_eq!(file.read_exact_at(&mut bytes, 14).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_name_that_is_taken_is_not_renamed_onto() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| dir.path().join(name));
        std::fs::write(&a, "a").unwrap();
        std::fs::write(&b, "b").unwrap();
        assert_eq!(rename_new(&a, &b).unwrap_err().kind(), ErrorKind::AlreadyExists);
        std::fs::remove_file(&b).unwrap();
        rename_new(&a, &b).unwrap();
        assert_eq!(std::fs::read(&b).unwrap(), b"a");
        sync_directory(dir.path()).unwrap();
    }

    #[test]
    fn a_file_in_memory_is_taken_up_by_its_number_from_its_beginning() {
        let mut file = memory_file("secchi-test").unwrap();
        file.write_all(b"kept").unwrap();
        let mut text = String::new();
        inherited(inherit(&file).unwrap(), false).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "kept");
    }

    #[test]
    fn a_device_that_forgets_is_no_file() {
        let null = OpenOptions::new().write(true).open(NULL_DEVICE).unwrap();
        assert!(file_metadata(&null).unwrap().file_type().is_char_device());
    }
}
