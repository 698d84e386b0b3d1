//! What is asked and told of files.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Which file: the device it lies on and its number there. Equal for all names of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Device number of the file system, as `st_dev`.
    pub dev: u64,
    /// Inode number.
    pub ino: u64,
}

/// What an open file may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only to look at: `O_PATH`. Opens no device, waits for no pipe.
    Locate,
    /// A directory, to open and name files in it.
    Directory,
    /// For reading only.
    Read,
    /// Reading and writing.
    ReadWrite,
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenHow {
    /// For what.
    pub access: Access,
    /// Past the page cache: `O_DIRECT`.
    pub direct: bool,
    /// `O_EXCL`: on a block device, fails with `EBUSY` while anybody (a mount, swap, dm, md, another claim) uses it, its
    /// partitions or its whole disk, under whatever name; and keeps them out while held.
    pub exclusive: bool,
}

/// Room on a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Bytes in all; 0 when the file system does not tell.
    pub total: u64,
    /// Free bytes for an ordinary user: the root reserve is not counted.
    pub available: u64,
    /// Files it can hold in all; 0 where it has no such bound, or does not tell.
    pub files: u64,
    /// Files that an ordinary user can still make, where there is a bound.
    pub files_available: u64,
    /// Mounted read-only.
    pub read_only: bool,
}

/// What direct I/O on a file must be aligned to, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectAlign {
    /// The buffer's address; 0 = no direct I/O on this file.
    pub memory: u32,
    /// Offset and length; 0 = no direct I/O on this file.
    pub offset: u32,
}

/// What the page cache holds of a range, in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct CacheStat {
    /// In the cache.
    pub cached: u64,
    /// Of these, to be written.
    pub dirty: u64,
    /// Of these, being written.
    pub writeback: u64,
    /// Pages that were evicted.
    pub evicted: u64,
    /// Evicted of late: was in memory and would have been worth keeping.
    pub recently_evicted: u64,
}

/// How durable each write is when it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// As page cache and device like.
    #[default]
    None,
    /// The data: `O_DSYNC`.
    Data,
    /// Data and metadata: `O_SYNC`.
    Full,
}

/// How a load opens a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadOpen {
    /// For writing too; otherwise for reading only.
    pub write: bool,
    /// Past the page cache: `O_DIRECT`.
    pub direct: bool,
    /// Of each write.
    pub durability: Durability,
    /// Access times are left: `O_NOATIME`, which only the owner may ask for.
    pub no_atime: bool,
}

/// In what order places of a file will come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// One after the other: the kernel reads twice as far ahead.
    Sequential,
    /// At random: the kernel does not read ahead.
    Random,
}

/// How long the data written to a file is expected to live: the kernel's `RWH_WRITE_LIFE_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Nothing is known of it.
    None = 1,
    /// A short life (RWH_WRITE_LIFE_SHORT).
    Short = 2,
    /// A medium life (RWH_WRITE_LIFE_MEDIUM).
    Medium = 3,
    /// A long life (RWH_WRITE_LIFE_LONG).
    Long = 4,
    /// Extremely long.
    Extreme = 5,
}

/// A stretch of a file as the file system keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of the file.
    pub range: Range<u64>,
    /// `FIEMAP_EXTENT_*` of linux/fiemap.h.
    pub flags: u32,
    /// Where it begins on the device under the file system, in bytes, as the file system tells it.
    pub physical: u64,
}

impl Extent {
    pub(crate) const UNKNOWN: u32 = 0x2;
    pub(crate) const DELALLOC: u32 = 0x4;
    pub(crate) const ENCODED: u32 = 0x8;
    pub(crate) const INLINE: u32 = 0x200;
    pub(crate) const TAIL: u32 = 0x400;
    pub(crate) const UNWRITTEN: u32 = 0x800;

    /// Allocated and never written: reads as zeros.
    #[must_use]
    pub fn unwritten(&self) -> bool {
        self.flags & Self::UNWRITTEN != 0
    }

    /// Written, still in memory only.
    #[must_use]
    pub fn delayed(&self) -> bool {
        self.flags & Self::DELALLOC != 0
    }

    /// Lies on the device as it is in the file, at `physical`.
    #[must_use]
    pub fn placed(&self) -> bool {
        self.flags & (Self::UNKNOWN | Self::DELALLOC | Self::ENCODED | Self::INLINE | Self::TAIL) == 0
    }

    /// Compressed or encrypted by the file system.
    #[must_use]
    pub fn encoded(&self) -> bool {
        self.flags & Self::ENCODED != 0
    }
}

impl OpenHow {
    /// Nothing but the access.
    #[must_use]
    pub const fn plain(access: Access) -> Self {
        OpenHow { access, direct: false, exclusive: false }
    }
}

/// What opening a file by its name must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Guards {
    /// Follow a link at the last component.
    pub no_link: bool,
    /// Wait for the other end of a pipe, or take a terminal; nothing of that kind happens on Windows.
    pub no_wait: bool,
    /// Let anybody but its owner read or write what is made. On Windows it has the rights its directory gives, which are the user's own in
    /// his.
    pub private: bool,
}

impl Guards {
    /// Nothing is waited for.
    pub const NO_WAIT: Guards = Guards { no_link: false, no_wait: true, private: false };
    /// No link is followed.
    pub const NO_LINK: Guards = Guards { no_link: true, no_wait: false, private: false };
    /// Neither.
    pub const NEITHER: Guards = Guards { no_link: true, no_wait: true, private: false };

    /// And what is made is its owner's alone.
    #[must_use]
    pub const fn private(self) -> Guards {
        Guards { private: true, ..self }
    }
}

/// Opening with guards.
pub trait OpenGuarded {
    /// Opens a file as these options say, and as the guards forbid.
    ///
    /// # Errors
    /// As `open(2)`, `CreateFileW`; at a link that must not be followed one for which [`crate::is_link_error`] holds.
    fn open_guarded(&mut self, path: &Path, guards: Guards) -> io::Result<File>;
}
