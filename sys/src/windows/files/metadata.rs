//! What the standard library says and does of files on one system only, under one name on every system.

use super::lock;
use crate::common::{FileId, Guards, OpenGuarded};
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

/// From 1601, where Windows' clock begins, to 1970, in units of 100 ns.
const TO_1970: u64 = 116_444_736_000_000_000;

/// What kind of thing stands at a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    File,
    Directory,
    Link,
    Disk,
    Character,
    Pipe,
}

/// What kind of thing stands at a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileType(Kind);

impl FileType {
    /// A regular file.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.0 == Kind::File
    }

    /// A directory.
    #[must_use]
    pub fn is_dir(&self) -> bool {
        self.0 == Kind::Directory
    }

    /// A reparse point that stands for another name: a symbolic link, a junction, a mounted folder.
    #[must_use]
    pub fn is_symlink(&self) -> bool {
        self.0 == Kind::Link
    }
}

/// Kinds of things that are no files.
pub trait FileTypeExt {
    /// A disk or a volume.
    fn is_block_device(&self) -> bool;
    /// A console, a serial line, `NUL`.
    fn is_char_device(&self) -> bool;
    /// A pipe.
    fn is_fifo(&self) -> bool;
    /// A socket: they have no names here.
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

/// What the system says of a file.
#[derive(Debug, Clone)]
pub struct Metadata {
    kind: Kind,
    id: FileId,
    length: u64,
    allocated: u64,
    links: u64,
    device: u64,
    attributes: u32,
    /// Made, read, written, in units of 100 ns since 1601.
    times: [u64; 3],
}

impl Metadata {
    /// What kind of thing it is.
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

    /// Bytes of a file.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "as the standard library's")]
    pub fn len(&self) -> u64 {
        self.length
    }

    /// When it was written last.
    ///
    /// # Errors
    /// Where nobody knows: devices.
    pub fn modified(&self) -> io::Result<SystemTime> {
        self.time(2)
    }

    /// When it was read last; some systems do not note it.
    ///
    /// # Errors
    /// Where nobody knows: devices.
    pub fn accessed(&self) -> io::Result<SystemTime> {
        self.time(1)
    }

    /// When it was made.
    ///
    /// # Errors
    /// Where nobody knows: devices.
    pub fn created(&self) -> io::Result<SystemTime> {
        self.time(0)
    }

    fn time(&self, which: usize) -> io::Result<SystemTime> {
        let since = self.times[which].checked_sub(TO_1970).ok_or(io::Error::from(ErrorKind::Unsupported))?;
        Ok(UNIX_EPOCH + Duration::new(since / 10_000_000, (since % 10_000_000) as u32 * 100))
    }

    /// Of a thing that is no file and no directory.
    fn of_device(kind: Kind, device: u64) -> Metadata {
        let id = FileId { dev: u64::MAX, ino: device };
        Metadata { kind, id, length: 0, allocated: 0, links: 1, device, attributes: 0, times: [0; 3] }
    }
}

/// What Unix says of a file, in its words.
pub trait MetadataExt {
    /// The volume it lies on, by its serial number.
    fn dev(&self) -> u64;
    /// Its number there.
    fn ino(&self) -> u64;
    /// Who may do what, as nine bits of `chmod(2)`: there is only whether it may be written at all.
    fn mode(&self) -> u32;
    /// Names it has; 0 once its last is removed.
    fn nlink(&self) -> u64;
    /// Whose it is: users have no numbers here, so all are 0.
    fn uid(&self) -> u32;
    /// The disk or volume that it is.
    fn rdev(&self) -> u64;
    /// Units of 512 bytes that are allocated for it.
    fn blocks(&self) -> u64;
    /// What it is best read in: not told, so a page.
    fn blksize(&self) -> u64;
    /// When it was written last, in seconds since 1970.
    fn mtime(&self) -> i64;
    /// The rest of that, in nanoseconds.
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

/// When a file or directory was made, in nanoseconds since 1970, for knowing it again by that and its number. `None` where the number
/// alone is enough, or nobody knows. NTFS never gives a number to another file, for there is a count of its uses in it; and it gives a
/// directory that is made anew the moment of the one that had its name before.
#[must_use]
pub fn moment_made(path: &Path) -> Option<u64> {
    let file = look(path, fs::FILE_FLAG_OPEN_REPARSE_POINT).ok()?;
    if super::file_system_name(&file).is_ok_and(|name| name == "NTFS") {
        return None;
    }
    let made = file_metadata(&file).ok()?.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(made.as_nanos()).ok().filter(|ns| *ns > 0)
}

/// What stands at a path, links followed.
///
/// # Errors
/// As `CreateFileW`.
pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    file_metadata(&look(path.as_ref(), 0)?)
}

/// What stands at a path, a link itself.
///
/// # Errors
/// As `CreateFileW`.
pub fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    file_metadata(&look(path.as_ref(), fs::FILE_FLAG_OPEN_REPARSE_POINT)?)
}

/// Opens whatever stands at a path for questions only, which anybody may who may see its name.
fn look(path: &Path, flags: u32) -> io::Result<File> {
    OpenOptions::new()
        .access_mode(fs::FILE_READ_ATTRIBUTES)
        .custom_flags(fs::FILE_FLAG_BACKUP_SEMANTICS | flags)
        .open(path)
}

/// Of an open file.
///
/// # Errors
/// As `GetFileInformationByHandle`.
pub fn file_metadata(file: &File) -> io::Result<Metadata> {
    // SAFETY: the handle is open.
    match unsafe { fs::GetFileType(nt::handle(file)) } {
        fs::FILE_TYPE_CHAR => return Ok(Metadata::of_device(Kind::Character, 0)),
        fs::FILE_TYPE_PIPE => return Ok(Metadata::of_device(Kind::Pipe, 0)),
        _ => {}
    }
    let told = match super::information(file) {
        Ok(told) => told,
        // Disks and volumes have no such information.
        Err(error) => {
            let (disk, part) = crate::block_number(file)?.ok_or(error)?;
            return Ok(Metadata::of_device(Kind::Disk, u64::from(disk) << 32 | u64::from(part)));
        }
    };
    let wide = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let time = |time: w::FILETIME| wide(time.dwHighDateTime, time.dwLowDateTime);
    let length = wide(told.nFileSizeHigh, told.nFileSizeLow);
    let standard = standard(file);
    let removed = standard.is_some_and(|s| s.DeletePending);
    Ok(Metadata {
        kind: kind(file, told.dwFileAttributes),
        id: FileId { dev: u64::from(told.dwVolumeSerialNumber), ino: wide(told.nFileIndexHigh, told.nFileIndexLow) },
        length,
        allocated: standard.map_or(length, |s| s.AllocationSize.cast_unsigned()),
        links: if removed { 0 } else { told.nNumberOfLinks.into() },
        device: 0,
        attributes: told.dwFileAttributes,
        times: [told.ftCreationTime, told.ftLastAccessTime, told.ftLastWriteTime].map(time),
    })
}

/// Allocation and whether it is removed; `None` where the file system does not tell.
fn standard(file: &File) -> Option<fs::FILE_STANDARD_INFO> {
    let mut told: fs::FILE_STANDARD_INFO = nt::Plain::zero();
    let length = size_of::<fs::FILE_STANDARD_INFO>() as u32;
    // SAFETY: the handle is open, and `told` a valid place of that length.
    let known = unsafe {
        fs::GetFileInformationByHandleEx(nt::handle(file), fs::FileStandardInfo, (&raw mut told).cast(), length)
    };
    (known != 0).then_some(told)
}

/// Reparse points that stand for other names are links; others (a cloud's placeholder, a compressed file) are what they look like.
fn kind(file: &File, attributes: u32) -> Kind {
    let mut tag = fs::FILE_ATTRIBUTE_TAG_INFO { FileAttributes: 0, ReparseTag: 0 };
    if attributes & fs::FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        let length = size_of::<fs::FILE_ATTRIBUTE_TAG_INFO>() as u32;
        // SAFETY: the handle is open, and `tag` a valid place of that length.
        let known = unsafe {
            fs::GetFileInformationByHandleEx(nt::handle(file), fs::FileAttributeTagInfo, (&raw mut tag).cast(), length)
        };
        // The bit of tags that stand for another name; a tag that is not told is taken to be one.
        if known == 0 || tag.ReparseTag & 0x2000_0000 != 0 {
            return Kind::Link;
        }
    }
    if attributes & fs::FILE_ATTRIBUTE_DIRECTORY != 0 { Kind::Directory } else { Kind::File }
}

/// Reading and writing at a place. The file's own place is moved, too, which nobody may rely on.
pub trait FileExt {
    /// Reads at a place; how many bytes, 0 at the end.
    ///
    /// # Errors
    /// As `ReadFile`.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes at a place; how many bytes.
    ///
    /// # Errors
    /// As `WriteFile`.
    fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize>;

    /// Fills a buffer from a place.
    ///
    /// # Errors
    /// As `ReadFile`; [`ErrorKind::UnexpectedEof`] where the file ends before.
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

    /// Writes all of a buffer at a place.
    ///
    /// # Errors
    /// As `WriteFile`; [`ErrorKind::WriteZero`] where nothing more is taken.
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
        // The link itself was opened, and nothing behind it.
        if guards.no_link && file_metadata(&file).is_ok_and(|meta| meta.is_symlink()) {
            return Err(io::Error::from_raw_os_error(w::ERROR_REPARSE_POINT_ENCOUNTERED as i32));
        }
        Ok(file)
    }
}

/// Has reads and writes of a pipe wait again that was opened by [`Guards::NO_WAIT`]: here they wait always.
///
/// # Errors
/// None.
pub fn wait_again(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Whether an error of opening a pipe for writing means that nobody reads from it.
#[must_use]
pub fn is_no_reader(error: &io::Error) -> bool {
    error.raw_os_error() == Some(w::ERROR_PIPE_NOT_CONNECTED as i32)
}

/// Whether an open file may be written by anybody, by the three bits of `chmod(2)` for that: there are no others here.
///
/// # Errors
/// As `SetFileInformationByHandle`.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    let read_only = mode & 0o222 == 0;
    if permissions.readonly() == read_only {
        return Ok(());
    }
    permissions.set_readonly(read_only);
    file.set_permissions(permissions)
}

/// Asks whether this process may write what stands at a path, by opening it for that and nothing more.
///
/// # Errors
/// As `CreateFileW`.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let flags = fs::FILE_FLAG_OPEN_REPARSE_POINT | fs::FILE_FLAG_BACKUP_SEMANTICS;
    OpenOptions::new().access_mode(fs::FILE_WRITE_DATA).custom_flags(flags).open(path).map(drop)
}

/// Hands a file or directory over to a user and a group: they have no numbers here.
///
/// # Errors
/// Always.
pub fn hand_over(_path: &Path, user: u32, _group: u32) -> io::Result<()> {
    Err(io::Error::new(ErrorKind::Unsupported, format!("Windows has no user {user}")))
}

/// Where a kernel's own files would lie: the names of a device that is nowhere, so that nobody's directory `\\proc` is taken for one.
pub const KERNEL_FILES: [&str; 3] = [r"\\.\secchi-none\", r"\\.\secchi-none\proc", r"\\.\secchi-none\sys"];

/// Whether programs of one machine reach each other through sockets among its files: few do here.
pub const FILE_SOCKETS: bool = false;

/// Whether a file is a program that somebody may run: its name ends as theirs do.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    let ends =
        path.extension().is_some_and(|end| ["exe", "com", "bat", "cmd"].iter().any(|e| end.eq_ignore_ascii_case(e)));
    ends && metadata(path).is_ok_and(|meta| meta.is_file())
}

/// Makes a directory, with those above it where `parents` says so. It has the rights the one above gives, which are the user's own in his.
///
/// # Errors
/// As `CreateDirectoryW`.
pub fn create_private_directory(path: &Path, parents: bool) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(parents).create(path)
}

/// Opens a file so that what anybody wrote to it can be made durable: flushing is for those who may write.
///
/// # Errors
/// As `CreateFileW`.
pub fn open_for_sync(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Makes creations, renames and removals in a directory durable.
///
/// # Errors
/// As `CreateFileW`, `FlushFileBuffers`; not where the file system flushes no directories: its log keeps their order.
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

/// Renames without ever replacing what stands at the new name.
///
/// # Errors
/// As `MoveFileExW`; [`ErrorKind::AlreadyExists`] where something stands there.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let [from, to] = [from, to].map(|path| nt::wide(path.as_os_str()));
    // SAFETY: both are texts that end with a zero and live until the call returns. Without a flag nothing is replaced or copied.
    nt::check(unsafe { fs::MoveFileExW(from.as_ptr(), to.as_ptr(), fs::MOVEFILE_WRITE_THROUGH) })
}

/// Reserves room for `from..from + bytes` without changing a file's length. `false`: this file system cannot.
///
/// # Errors
/// As `FileAllocationInfo`.
pub fn reserve_beyond(file: &File, from: u64, bytes: u64) -> io::Result<bool> {
    crate::allocate_beyond(file, from.saturating_add(bytes))
}

/// Takes the lock of an open file without waiting; `exclusive` keeps everybody out, else only those who want it exclusively.
/// `false`: somebody else holds it.
///
/// # Errors
/// As [`crate::try_lock`].
pub fn lock_file(file: &File, exclusive: bool) -> io::Result<bool> {
    lock::try_lock(file, exclusive)
}

/// Gives a lock of [`lock_file`] back before the file is closed.
///
/// # Errors
/// As [`crate::unlock`].
pub fn unlock_file(file: &File) -> io::Result<()> {
    lock::unlock(file)
}

/// A file that is gone when nobody has it open any more: its name, of this process and `name`, is in the directory for such files until
/// then, and it stays in memory while there is room.
///
/// # Errors
/// As `CreateFileW`.
pub fn memory_file(name: &str) -> io::Result<File> {
    let place = std::env::temp_dir().join(format!("{name}-{}-{}.tmp", std::process::id(), crate::monotonic_ns()));
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .attributes(fs::FILE_ATTRIBUTE_TEMPORARY)
        .custom_flags(fs::FILE_FLAG_DELETE_ON_CLOSE)
        .open(place)
}

/// Lets programs that are started from now on have this open file; by the number they can take it up ([`inherited`]).
///
/// # Errors
/// As `SetHandleInformation`.
pub fn inherit(file: &impl Inheritable) -> io::Result<u64> {
    file.inherit()
}

/// What can be handed to a program.
pub trait Inheritable {
    /// See [`inherit`].
    ///
    /// # Errors
    /// As `SetHandleInformation`.
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

/// A file that whoever started this program left open for it, at its beginning: a second handle of it, for no number is trusted to be ours
/// to close.
///
/// # Errors
/// As `DuplicateHandle`: there is none of this number.
pub fn inherited(number: u64, _write: bool) -> io::Result<File> {
    let mut own: RawHandle = std::ptr::null_mut();
    // SAFETY: numbers in; a number that stands for nothing gives an error, and a handle that comes out is new and ours alone.
    let mut file = unsafe {
        let us = GetCurrentProcess();
        let handle = number as usize as RawHandle;
        nt::check(w::DuplicateHandle(us, handle, us, &raw mut own, 0, 0, w::DUPLICATE_SAME_ACCESS))?;
        File::from_raw_handle(own)
    };
    if file_metadata(&file)?.is_file() {
        io::Seek::rewind(&mut file)?;
    }
    Ok(file)
}

/// Makes a pipe with a name: here they have no names among files.
///
/// # Errors
/// Always.
pub fn create_pipe(_path: &Path) -> io::Result<()> {
    Err(io::Error::new(ErrorKind::Unsupported, "Windows has no pipes among files"))
}

/// A name of plain ASCII; whoever makes names for every operation makes them so. Panics at any other.
#[must_use]
pub fn ascii_name(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).expect("a name of plain ASCII"))
}

/// Whether a character device is the one that forgets everything: consoles and serial lines do not say which they are, so none is.
#[must_use]
pub fn is_null_device(_meta: &Metadata) -> bool {
    false
}

/// The device that forgets everything.
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
        assert!(crate::is_link_error(&open(&link).unwrap_err()));
        testkit::symlink(dir.path().join("nowhere"), &dangling).unwrap();
        let made = OpenOptions::new().write(true).create(true).open_guarded(&dangling, Guards::NO_LINK);
        assert!(crate::is_link_error(&made.unwrap_err()) && !dir.path().join("nowhere").exists());
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
