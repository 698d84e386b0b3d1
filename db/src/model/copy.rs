//! Copies the globals of one database to another, so that runs on both begin with the same pages.

use super::failed;
use super::globals::{self, file_name};
use crate::{DbError, Marker};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use sys::files::{Access, OpenHow};

/// Size of the pieces that are copied, in bytes.
const PIECE: usize = 1 << 20;

/// Returns the size of a copy of the globals, in bytes.
///
/// # Errors
/// Returns an error if the files cannot be inspected.
pub fn size_of_globals(marker: &Marker) -> Result<u64, DbError> {
    let mut total = 0;
    for number in 0..=marker.begun.max(marker.globals) {
        let path = marker.directories.data_of_global(number).join(file_name(number));
        match std::fs::symlink_metadata(&path) {
            Ok(m) if m.is_file() => total += m.len(),
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(DbError::io("look at", path)(e)),
            _ => {}
        }
    }
    Ok(total)
}

/// Copies the globals of an idle model database into a new one, whose directory is `home`. `goes_on` is called
/// periodically; the copy stops when it returns `false`.
///
/// # Errors
/// Returns an error if a file cannot be read or written, if a file was not created by the model, or if `goes_on`
/// returned `false`.
pub fn copy_globals(from: &Marker, to: &mut Marker, home: &Path, goes_on: &dyn Fn() -> bool) -> Result<(), DbError> {
    to.begun = from.begun.max(from.globals);
    to.save(home)?;
    for number in 0..=to.begun {
        let source = from.directories.data_of_global(number).join(file_name(number));
        match std::fs::symlink_metadata(&source) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(DbError::io("look at", source)(e)),
            Ok(_) => {}
        }
        if !globals::is_own(&source) {
            return Err(DbError::refused(
                source.display().to_string(),
                "it is not the file that was created for this global",
                "put the original file back, or move this one away and create the global again",
            ));
        }
        let into = to.directories.data_of_global(number);
        copy(&source, into, &file_name(number), goes_on).map_err(failed(format!(
            "copy {} into {}",
            source.display(),
            into.display()
        )))?;
    }
    (to.globals, to.filler, to.names) = (from.globals, from.filler, from.names);
    (to.scattered, to.indexes) = (from.scattered.clone(), from.indexes);
    to.save(home)
}

fn copy(source: &Path, into: &Path, name: &str, goes_on: &dyn Fn() -> bool) -> io::Result<()> {
    let mut source = sys::files::open_no_links(None, source, OpenHow::plain(Access::Read))?;
    let directory: File = sys::files::open_no_links(None, into, OpenHow::plain(Access::Directory))?;
    let mut made = sys::files::create_new(&directory, name.as_ref())?;
    let mut piece = vec![0; PIECE];
    loop {
        let n = source.read(&mut piece)?;
        if n == 0 {
            break;
        }
        made.write_all(&piece[..n])?;
        if !goes_on() {
            return Err(io::Error::other("it was stopped"));
        }
    }
    made.sync_all()?;
    let length = made.metadata()?.len();
    // A run on one database must not find pages of the other database in memory.
    sys::storage::drop_cache(&made, 0..length)?;
    sys::storage::drop_cache(&source, 0..length)
}
