//! Room for files of databases.

use std::fs::File;
use std::io;
use std::path::Path;

/// Free bytes of a directory's file system, and how many of them are never used: a twentieth of all and at least a gibibyte.
///
/// # Errors
/// When the directory cannot be opened or looked at.
pub fn free_and_kept(directory: &Path) -> io::Result<(u64, u64)> {
    let space = sys::space(&File::open(directory)?)?;
    Ok((space.available, (space.total / 20).max(1 << 30)))
}
