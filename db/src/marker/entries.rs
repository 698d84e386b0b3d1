//! What lies in the directories of a database: which entries are ours, whether one leads elsewhere, and their removal.

use super::Marker;
use super::identity::STAMP;
use crate::DbError;
use model::CompactSort;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use sys::Metadata;
use sys::MetadataExt;

/// Tells whether an entry of a directory is one that an engine makes ([`crate::EngineEntry::owns`]).
pub type OwnsEntry = fn(&Marker, &DirectoryEntry<'_>) -> bool;

/// File in the work directory that is locked while runs are looked for and announced there.
pub const LOCK: &str = "runs.lock";
/// So many foreign files of a directory are named one by one.
const NAMED: usize = 10;

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind<'a> {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, and what it says.
    Link(&'a Path),
    /// A socket, a pipe, a device.
    Other,
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy)]
pub struct DirectoryEntry<'a> {
    /// The directory.
    pub directory: &'a Path,
    /// Its path inside.
    pub path: &'a Path,
    /// What it is.
    pub kind: EntryKind<'a>,
}

impl DirectoryEntry<'_> {
    /// Where it lies.
    #[must_use]
    pub fn full_path(&self) -> PathBuf {
        self.directory.join(self.path)
    }

    /// Its path inside in parts; nothing where one is no UTF-8.
    #[must_use]
    pub fn parts(&self) -> Vec<&str> {
        let parts: Option<Vec<&str>> = self.path.iter().map(|p| p.to_str()).collect();
        parts.unwrap_or_default()
    }
}

/// Whether it is ours: the stamp, files by which runs are found, and what the engine says it makes.
fn is_ours(marker: &Marker, owns: OwnsEntry, item: &DirectoryEntry<'_>) -> bool {
    match (item.parts().as_slice(), item.kind) {
        ([name], EntryKind::File) if *name == STAMP || name.starts_with(".secchi-room.new-") => true,
        ([name], EntryKind::File)
            if item.directory == marker.directories.work && (name.starts_with("running-") || *name == LOCK) =>
        {
            true
        }
        _ => owns(marker, item),
    }
}

fn list_entries(directory: &Path) -> Result<Vec<(PathBuf, Metadata)>, DbError> {
    let listed = fs::read_dir(directory).map_err(DbError::io("look into", directory))?;
    let mut found = Vec::new();
    for entry in listed {
        let path = entry.map_err(DbError::io("look into", directory))?.path();
        match sys::symlink_metadata(&path) {
            Ok(m) => found.push((path, m)),
            // A server at work removes files.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(DbError::io("look at", path)(e)),
        }
    }
    found.compact_sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

fn entry_kind<'a>(found: &Metadata, target: &'a Path) -> EntryKind<'a> {
    match found.file_type() {
        t if t.is_file() => EntryKind::File,
        t if t.is_dir() => EntryKind::Directory,
        t if t.is_symlink() => EntryKind::Link(target),
        _ => EntryKind::Other,
    }
}

/// Refuses directories in which something leads elsewhere: links that the engine did not make, files that have a name outside as
/// well, other file systems. Who opened those would write into what is not ours.
pub(crate) fn check_entries(marker: &Marker, owns: OwnsEntry) -> Result<(), DbError> {
    let roots = marker.directories.all();
    let mut names: HashMap<(u64, u64), (u64, PathBuf)> = HashMap::new();
    for root in &roots {
        let device = sys::symlink_metadata(root).map_err(DbError::io("look at", *root))?.dev();
        let mut waiting = vec![(*root).clone()];
        while let Some(directory) = waiting.pop() {
            let inside = match list_entries(&directory) {
                Err(DbError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => continue,
                other => other?,
            };
            for (path, found) in inside {
                let refuse = |why: String| {
                    let advice = "nothing was opened; remove it, or put back what was there";
                    Err(DbError::refused(path.display().to_string(), why, advice))
                };
                if found.is_symlink() {
                    let target = fs::read_link(&path).unwrap_or_default();
                    let inside = path.strip_prefix(root).unwrap_or(&path);
                    let item = DirectoryEntry { directory: root, path: inside, kind: EntryKind::Link(&target) };
                    if !is_ours(marker, owns, &item) {
                        return refuse(format!("it is a symbolic link to {}", target.display()));
                    }
                } else if found.dev() != device {
                    return refuse("another file system is mounted there".into());
                } else if found.is_dir() {
                    waiting.push(path);
                } else if found.is_file() && found.nlink() > 1 {
                    let seen = names.entry((found.dev(), found.ino())).or_insert((0, path));
                    seen.0 += 1;
                }
            }
        }
    }
    for (seen, path) in names.into_values() {
        // Looked at again: a server at work may have had it under two names for a moment.
        if sys::symlink_metadata(&path).is_ok_and(|m| m.nlink() > seen) {
            return Err(DbError::refused(
                path.display().to_string(),
                "the file has another name outside the database (a hard link)",
                "nothing was opened; copy the directory with its contents, not with `cp -l`",
            ));
        }
    }
    Ok(())
}

/// Removes what is ours from a directory, and the directory itself if nothing else is in it. Says what was left.
pub(crate) fn remove_owned(
    marker: &Marker,
    owns: OwnsEntry,
    root: &Path,
    left: &mut Vec<String>,
) -> Result<(), DbError> {
    let device = sys::symlink_metadata(root).map_err(DbError::io("look at", root))?.dev();
    let mut foreign = Vec::new();
    remove_entries(marker, owns, root, root, device, &mut foreign)?;
    if foreign.is_empty() {
        let stamp = root.join(STAMP);
        match fs::remove_file(&stamp) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(DbError::io("remove", stamp)(e)),
            _ => {}
        }
        return fs::remove_dir(root).map_err(DbError::io("remove", root));
    }
    let more = foreign.len().saturating_sub(NAMED);
    left.extend(
        foreign.iter().take(NAMED).map(|path| format!("{} is no file of the database's: left alone", path.display())),
    );
    if more > 0 {
        left.push(format!("{} holds {more} more", root.display()));
    }
    Ok(())
}

fn remove_entries(
    marker: &Marker,
    owns: OwnsEntry,
    root: &Path,
    directory: &Path,
    device: u64,
    foreign: &mut Vec<PathBuf>,
) -> Result<(), DbError> {
    for (path, found) in list_entries(directory)? {
        let target = if found.is_symlink() { fs::read_link(&path).unwrap_or_default() } else { PathBuf::new() };
        let inside = path.strip_prefix(root).unwrap_or(&path);
        let item = DirectoryEntry { directory: root, path: inside, kind: entry_kind(&found, &target) };
        if item.path == Path::new(STAMP) && item.kind == EntryKind::File {
            // The last to go.
            continue;
        }
        if !is_ours(marker, owns, &item) || found.dev() != device {
            foreign.push(path);
            continue;
        }
        let gone = if found.is_dir() {
            let before = foreign.len();
            remove_entries(marker, owns, root, &path, device, foreign)?;
            if foreign.len() > before {
                continue;
            }
            fs::remove_dir(&path)
        } else {
            fs::remove_file(&path)
        };
        match gone {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(DbError::io("remove", path)(e)),
            _ => {}
        }
    }
    Ok(())
}
