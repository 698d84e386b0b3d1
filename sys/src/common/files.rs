//! Arguments and results of file operations.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Identity of a file: its device and its number there. Equal for all names of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Device number of the file system, as `st_dev`.
    pub dev: u64,
    /// Inode number.
    pub ino: u64,
}

/// Intended use of an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only to locate the file: `O_PATH`. Opens no device and does not block on a pipe.
    Locate,
    /// A directory, for opening and naming files in it.
    Directory,
    /// For reading only.
    Read,
    /// For reading and writing.
    ReadWrite,
}

/// Options for opening a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenHow {
    /// Intended use.
    pub access: Access,
    /// Bypass the page cache: `O_DIRECT`.
    pub direct: bool,
    /// `O_EXCL`: on a block device, fails with `EBUSY` while anything (a mount, swap, dm, md, another claim) uses the
    /// device, its partitions or its whole disk under any name, and keeps others out while the file is open.
    pub exclusive: bool,
}

/// Room on a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Total bytes; 0 if the file system does not report them.
    pub total: u64,
    /// Free bytes for an ordinary user, without the blocks reserved for root.
    pub available: u64,
    /// Maximum number of files; 0 if there is no such limit or it is not reported.
    pub files: u64,
    /// Files an ordinary user can still create, if there is a limit.
    pub files_available: u64,
    /// True if mounted read-only.
    pub read_only: bool,
}

/// Alignment that direct I/O on a file requires, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectAlign {
    /// Alignment of the buffer address; 0 = no direct I/O on this file.
    pub memory: u32,
    /// Alignment of offset and length; 0 = no direct I/O on this file.
    pub offset: u32,
}

/// Durability of each write at the time it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Left to the page cache and the device.
    #[default]
    None,
    /// The data is durable: `O_DSYNC`.
    Data,
    /// Data and metadata are durable: `O_SYNC`.
    Full,
}

/// Options with which a load opens an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadOpen {
    /// Open for writing too; otherwise for reading only.
    pub write: bool,
    /// Bypass the page cache: `O_DIRECT`.
    pub direct: bool,
    /// Durability of each write.
    pub durability: Durability,
    /// Do not update access times: `O_NOATIME`, which only the owner may request.
    pub no_atime: bool,
}

/// Expected order of accesses to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Sequential: the kernel doubles its read-ahead.
    Sequential,
    /// Random: the kernel does not read ahead.
    Random,
}

/// Expected lifetime of the data written to a file: the kernel's `RWH_WRITE_LIFE_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Unknown lifetime.
    None = 1,
    /// Short lifetime (RWH_WRITE_LIFE_SHORT).
    Short = 2,
    /// Medium lifetime (RWH_WRITE_LIFE_MEDIUM).
    Medium = 3,
    /// Long lifetime (RWH_WRITE_LIFE_LONG).
    Long = 4,
    /// Extremely long lifetime (RWH_WRITE_LIFE_EXTREME).
    Extreme = 5,
}

/// An extent of a file, as stored by the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Byte range in the file.
    pub range: Range<u64>,
    /// Flags `FIEMAP_EXTENT_*` of linux/fiemap.h.
    pub flags: u32,
    /// Byte offset on the device below the file system, as reported by the file system.
    pub physical: u64,
}

impl Extent {
    pub(crate) const UNKNOWN: u32 = 0x2;
    pub(crate) const DELALLOC: u32 = 0x4;
    pub(crate) const ENCODED: u32 = 0x8;
    pub(crate) const INLINE: u32 = 0x200;
    pub(crate) const TAIL: u32 = 0x400;
    pub(crate) const UNWRITTEN: u32 = 0x800;

    /// Returns `true` if the extent is allocated but was never written: it reads as zeros.
    #[must_use]
    pub fn unwritten(&self) -> bool {
        self.flags & Self::UNWRITTEN != 0
    }

    /// Returns `true` if the data is stored unchanged on the device, at `physical`.
    #[must_use]
    pub fn placed(&self) -> bool {
        self.flags & (Self::UNKNOWN | Self::DELALLOC | Self::ENCODED | Self::INLINE | Self::TAIL) == 0
    }

    /// Returns `true` if the file system compressed or encrypted the data.
    #[must_use]
    pub fn encoded(&self) -> bool {
        self.flags & Self::ENCODED != 0
    }
}

impl OpenHow {
    /// Returns options with this access and nothing else.
    #[must_use]
    pub const fn plain(access: Access) -> Self {
        OpenHow { access, direct: false, exclusive: false }
    }
}

/// Returns `true` if a path contains a zero, which no system call accepts.
#[must_use]
pub fn has_nul(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().contains(&0)
}

/// Actions that opening a file by name must not perform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Guards {
    /// Follow a link at the last component.
    pub no_link: bool,
    /// Block on the other end of a pipe, or acquire a controlling terminal; neither happens on Windows.
    pub no_wait: bool,
    /// Let users other than the owner read or write a created file. On Windows the file inherits the rights of its
    /// directory; in the user's own directories these are limited to that user.
    pub private: bool,
}

impl Guards {
    /// Do not block.
    pub const NO_WAIT: Guards = Guards { no_link: false, no_wait: true, private: false };
    /// Follow no link.
    pub const NO_LINK: Guards = Guards { no_link: true, no_wait: false, private: false };
    /// Do not block and follow no link.
    pub const NEITHER: Guards = Guards { no_link: true, no_wait: true, private: false };

    /// Adds that only the owner may access a created file.
    #[must_use]
    pub const fn private(self) -> Guards {
        Guards { private: true, ..self }
    }
}

/// Extension trait to open files with [`Guards`].
pub trait OpenGuarded {
    /// Opens a file with these options, restricted by the guards.
    ///
    /// # Errors
    /// As `open(2)`, `CreateFileW`; for a link that must not be followed, an error that [`crate::files::is_link_error`]
    /// recognizes.
    fn open_guarded(&mut self, path: &Path, guards: Guards) -> io::Result<File>;
}
