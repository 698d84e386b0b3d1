//! Free space for the files of databases.

use std::fs::File;
use std::io;
use std::path::Path;

/// Returns the free bytes of a directory's file system, and the reserved bytes: a twentieth of its size, but at least 1
/// GiB.
///
/// # Errors
/// When the directory cannot be opened or its file system cannot be queried.
pub fn free_and_kept(directory: &Path) -> io::Result<(u64, u64)> {
    let space = sys::file_systems::space(&File::open(directory)?)?;
    Ok((space.available, (space.total / 20).max(1 << 30)))
}
