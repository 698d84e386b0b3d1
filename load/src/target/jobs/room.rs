//! Total space that the jobs' files need on each file system.

use super::super::error::TargetError;
use super::super::resolve::{FileSystem, locate, open_directory};
use super::super::space::{self, SpaceVerdict};
use super::JobFile;
use model::Bytes;
use std::fs::File;
use std::path::{Path, PathBuf};
use sys::files::MetadataExt;

/// File system on which files are created, and the total space that these files need.
#[derive(Debug)]
pub(super) struct Room {
    pub dir: File,
    pub path: PathBuf,
    pub fs: FileSystem,
    pub needed: u64,
    pub watched: bool,
    dev: u64,
}

impl Room {
    /// Checks that there is space for `more` additional bytes and that the minimum stays free. Otherwise returns an
    /// error with the figures.
    pub(super) fn check(&self, more: u64) -> Result<SpaceVerdict, TargetError> {
        space::check(&self.dir, &self.path, &self.fs, Bytes(more))
    }
}

/// Returns the file systems of the files, each file system once.
pub(super) fn rooms(files: &[JobFile]) -> Result<Vec<Room>, TargetError> {
    let mut rooms: Vec<Room> = Vec::new();
    for file in files.iter().filter(|f| f.work.needs > 0 || f.work.watched) {
        let folder = file.path.parent().unwrap_or(Path::new("/"));
        let place = locate(folder, true)?;
        let dev = place.meta.dev();
        if !rooms.iter().any(|r| r.dev == dev) {
            let dir = open_directory(&place)?;
            let fs = FileSystem::holding(&dir);
            rooms.push(Room { dir, path: folder.to_owned(), fs, needed: 0, watched: false, dev });
        }
        if let Some(room) = rooms.iter_mut().find(|r| r.dev == dev) {
            room.needed = room.needed.saturating_add(file.work.needs);
            room.watched |= file.work.watched;
        }
    }
    Ok(rooms)
}
