//! File functions that only measurements need: they return an error or no value.

use crate::common::{CacheStat, DirectAlign, Extent, Life, LoadOpen, Order};
use crate::macos::unmeasured;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Source of the alignment of direct I/O, for messages.
pub const ALIGNMENT_TOLD_BY: &str = "nothing";

impl fmt::Display for LoadOpen {
    /// Formats the access as in the manual: `O_RDWR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.write { "O_RDWR" } else { "O_RDONLY" })
    }
}

/// Defines functions that always return an error.
macro_rules! refused {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $kind:ty),*) -> $told:ty;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Errors
            /// Always: nothing is measured here.
            pub fn $name($($arg: $kind),*) -> io::Result<$told> {
                Err(unmeasured())
            }
        )*
    };
}

refused! {
    /// Returns the value of an attribute of a file.
    fn read_attribute(_file: &File, _name: &str) -> Option<Vec<u8>>;
    /// Sets an attribute of a file.
    fn write_attribute(_file: &File, _name: &str, _value: &[u8]) -> bool;
    /// Reopens the same file.
    fn reopen(_file: &File) -> File;
    /// Makes everything durable that was written to a file system.
    fn sync_file_system(_file: &File) -> ();
    /// Creates a file without a name.
    fn create_nameless(_dir: &File) -> File;
    /// Allocates a file.
    fn allocate(_file: &File, _len: u64) -> bool;
    /// Drops a range from the cache.
    fn drop_cache(_file: &File, _range: Range<u64>) -> ();
    /// Opens a file for a load.
    fn open_for_load(_at: Option<&File>, _path: &Path, _how: LoadOpen) -> File;
    /// Reopens a file for a load.
    fn reopen_for_load(_file: &File, _how: LoadOpen) -> File;
    /// Starts the write-back of a range and waits for it.
    fn write_back_range(_file: &File, _at: u64, _len: u64) -> ();
    /// Starts the write-back of a range.
    fn begin_write_back_range(_file: &File, _at: u64, _len: u64) -> ();
    /// Allocates blocks beyond the end of a file.
    fn allocate_beyond(_file: &File, _len: u64) -> bool;
    /// Advises the order in which a file will be accessed.
    fn advise_order(_file: &File, _order: Order) -> ();
    /// Advises how long data will live.
    fn advise_life(_file: &File, _life: Life) -> ();
    /// Raises the number of files this process may open.
    fn raise_descriptor_limit() -> u64;
    /// Checks that extents can be moved.
    fn can_move_extents() -> ();
    /// Moves extents.
    fn move_extents(_file: &File, _donor: &File, _first: u64, _blocks: u64) -> u64;
    /// Allocates a range.
    fn reserve_room(_file: &File, _range: Range<u64>) -> ();
    /// Opens the tracing file system of the kernel.
    fn attach_tracefs() -> (File, PathBuf);
}

/// Returns `None`: the alignment of direct I/O is not queried.
///
/// # Errors
/// None.
pub fn direct_align(_file: &File) -> io::Result<Option<DirectAlign>> {
    Ok(None)
}

/// Returns `None`, like [`direct_align`].
#[must_use]
pub fn direct_align_at(_path: &Path, _is_dir: bool) -> Option<DirectAlign> {
    None
}

/// Returns `None`: the cached part of a range is not queried.
///
/// # Errors
/// None.
pub fn cachestat(_file: &File, _range: Range<u64>) -> io::Result<Option<CacheStat>> {
    Ok(None)
}

/// Returns `None`: extents are not queried.
///
/// # Errors
/// None.
pub fn extents(_file: &File, _range: Range<u64>) -> io::Result<Option<Vec<Extent>>> {
    Ok(None)
}

/// Returns `None`, like [`extents`].
///
/// # Errors
/// None.
pub fn extents_as_they_are(_file: &File, _range: Range<u64>) -> io::Result<Option<Vec<Extent>>> {
    Ok(None)
}

/// Returns `None`: only Linux has magic numbers of file systems.
#[must_use]
pub fn file_system_magic(_file: &File) -> Option<u64> {
    None
}

/// Returns `None`, like [`file_system_magic`].
#[must_use]
pub fn file_system_magic_at(_path: &Path) -> Option<u64> {
    None
}

/// Returns `false`: no file is opened unbuffered.
#[must_use]
pub fn is_direct(_file: &File) -> bool {
    false
}

/// Returns `false`: no file is opened for writes that are durable when they return.
#[must_use]
pub fn is_sync(_file: &File) -> bool {
    false
}
