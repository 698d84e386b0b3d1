//! What only measurements ask of files: refused by name, since there are none here.

use crate::common::{CacheStat, DirectAlign, Extent, Life, LoadOpen, Order};
use crate::macos::unmeasured;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What tells the alignment of direct I/O.
pub const ALIGNMENT_TOLD_BY: &str = "nothing";

impl fmt::Display for LoadOpen {
    /// As in the manual: `O_RDWR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.write { "O_RDWR" } else { "O_RDONLY" })
    }
}

/// Functions that refuse, whatever they are given.
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
    /// An attribute of a file of ours.
    fn read_attribute(_file: &File, _name: &str) -> Option<Vec<u8>>;
    /// Sets an attribute of a file of ours.
    fn write_attribute(_file: &File, _name: &str, _value: &[u8]) -> bool;
    /// Opens the same file anew.
    fn reopen(_file: &File) -> File;
    /// Makes everything durable that was written to a file system.
    fn sync_file_system(_file: &File) -> ();
    /// Makes a file without a name.
    fn create_nameless(_dir: &File) -> File;
    /// Reserves room for a file.
    fn allocate(_file: &File, _len: u64) -> bool;
    /// Drops a range from the cache.
    fn drop_cache(_file: &File, _range: Range<u64>) -> ();
    /// Opens a file for a load.
    fn open_for_load(_at: Option<&File>, _path: &Path, _how: LoadOpen) -> File;
    /// Opens a file for a load once more.
    fn reopen_for_load(_file: &File, _how: LoadOpen) -> File;
    /// Has a range handed to its device, and waits.
    fn write_back_range(_file: &File, _at: u64, _len: u64) -> ();
    /// Has a range handed to its device.
    fn begin_write_back_range(_file: &File, _at: u64, _len: u64) -> ();
    /// Reserves room beyond the end of a file.
    fn allocate_beyond(_file: &File, _len: u64) -> bool;
    /// Tells the order of places.
    fn advise_order(_file: &File, _order: Order) -> ();
    /// Tells how long data will live.
    fn advise_life(_file: &File, _life: Life) -> ();
    /// Raises the number of files this process may open.
    fn raise_descriptor_limit() -> u64;
    /// Whether extents can be moved.
    fn can_move_extents() -> ();
    /// Moves extents.
    fn move_extents(_file: &File, _donor: &File, _first: u64, _blocks: u64) -> u64;
    /// Reserves room for a range.
    fn reserve_room(_file: &File, _range: Range<u64>) -> ();
    /// The kernel's tracing file system.
    fn attach_tracefs() -> (File, PathBuf);
}

/// Alignment of direct I/O: not told.
///
/// # Errors
/// None.
pub fn direct_align(_file: &File) -> io::Result<Option<DirectAlign>> {
    Ok(None)
}

/// As [`direct_align`], of a path.
#[must_use]
pub fn direct_align_at(_path: &Path, _is_dir: bool) -> Option<DirectAlign> {
    None
}

/// What the page cache holds of a range: not told.
///
/// # Errors
/// None.
pub fn cachestat(_file: &File, _range: Range<u64>) -> io::Result<Option<CacheStat>> {
    Ok(None)
}

/// The extents of a range: not told.
///
/// # Errors
/// None.
pub fn extents(_file: &File, _range: Range<u64>) -> io::Result<Option<Vec<Extent>>> {
    Ok(None)
}

/// As [`extents`].
///
/// # Errors
/// None.
pub fn extents_as_they_are(_file: &File, _range: Range<u64>) -> io::Result<Option<Vec<Extent>>> {
    Ok(None)
}

/// Magic numbers of file systems are Linux's.
#[must_use]
pub fn file_system_magic(_file: &File) -> Option<u64> {
    None
}

/// As [`file_system_magic`].
#[must_use]
pub fn file_system_magic_at(_path: &Path) -> Option<u64> {
    None
}

/// Whether a file was opened past the cache: none is.
#[must_use]
pub fn is_direct(_file: &File) -> bool {
    false
}

/// Whether every write to a file is durable when it returns: none is opened so.
#[must_use]
pub fn is_sync(_file: &File) -> bool {
    false
}
