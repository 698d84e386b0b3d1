//! File functions that only measurements need: they return an error or no value.

use crate::common::{DirectAlign, Extent, Life, LoadOpen, Order};
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

constant! {
    fn read_attribute(&File, &str) -> io::Result<Option<Vec<u8>>> = Err(unmeasured());
    fn write_attribute(&File, &str, &[u8]) -> io::Result<bool> = Err(unmeasured());
    fn reopen(&File) -> io::Result<File> = Err(unmeasured());
    fn sync_file_system(&File) -> io::Result<()> = Err(unmeasured());
    fn create_nameless(&File) -> io::Result<File> = Err(unmeasured());
    fn allocate(&File, u64) -> io::Result<bool> = Err(unmeasured());
    fn drop_cache(&File, Range<u64>) -> io::Result<()> = Err(unmeasured());
    fn open_for_load(Option<&File>, &Path, LoadOpen) -> io::Result<File> = Err(unmeasured());
    fn reopen_for_load(&File, LoadOpen) -> io::Result<File> = Err(unmeasured());
    fn write_back_range(&File, u64, u64) -> io::Result<()> = Err(unmeasured());
    fn begin_write_back_range(&File, u64, u64) -> io::Result<()> = Err(unmeasured());
    fn allocate_beyond(&File, u64) -> io::Result<bool> = Err(unmeasured());
    fn inherited(u64, bool) -> io::Result<File> = Err(unmeasured());
    fn advise_order(&File, Order) -> io::Result<()> = Err(unmeasured());
    fn advise_life(&File, Life) -> io::Result<()> = Err(unmeasured());
    fn raise_descriptor_limit() -> io::Result<u64> = Err(unmeasured());
    fn can_move_extents() -> io::Result<()> = Err(unmeasured());
    fn move_extents(&File, &File, u64, u64) -> io::Result<u64> = Err(unmeasured());
    fn reserve_room(&File, Range<u64>) -> io::Result<()> = Err(unmeasured());
    fn attach_tracefs() -> io::Result<(File, PathBuf)> = Err(unmeasured());
    fn direct_align(&File) -> io::Result<Option<DirectAlign>> = Ok(None);
    fn direct_align_at(&Path, bool) -> Option<DirectAlign> = None;
    fn extents(&File, Range<u64>) -> io::Result<Option<Vec<Extent>>> = Ok(None);
    fn extents_as_they_are(&File, Range<u64>) -> io::Result<Option<Vec<Extent>>> = Ok(None);
    fn is_direct(&File) -> bool = false;
    fn is_sync(&File) -> bool = false;
}
