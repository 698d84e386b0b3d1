//! Entries in the directories of a database: ownership, links that lead outside the database, and removal.

use super::Marker;
use super::identity::STAMP;
use crate::{DbError, remove_if_exists};
use model::CompactSort;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use sys::files::{Metadata, MetadataExt};

/// Function that returns `true` if an engine creates this directory entry ([`crate::EngineEntry::owns`]).
pub type OwnsEntry = fn(&Marker, &DirectoryEntry<'_>) -> bool;

/// File in the work directory that is locked while runs are listed or registered there.
pub const LOCK: &str = "runs.lock";
/// Maximum number of foreign files per directory that are listed by name.
const NAMED: usize = 10;

/// Type of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind<'a> {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link with its target.
    Link(&'a Path),
    /// A socket, a pipe or a device.
    Other,
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy)]
pub struct DirectoryEntry<'a> {
    /// The database directory that contains the entry.
    pub directory: &'a Path,
    /// Path of the entry, relative to that directory.
    pub path: &'a Path,
    /// Type of the entry.
    pub kind: EntryKind<'a>,
}

impl DirectoryEntry<'_> {
    /// Returns the absolute path of the entry.
    #[must_use]
    pub fn full_path(&self) -> PathBuf {
        self.directory.join(self.path)
    }

    /// Returns the components of the relative path, or an empty list if a component is not UTF-8.
    #[must_use]
    pub fn parts(&self) -> Vec<&str> {
        let parts: Option<Vec<&str>> = self.path.iter().map(|p| p.to_str()).collect();
        parts.unwrap_or_default()
    }
}

/// Returns `true` if secchi or the engine created the entry: the stamp, a file that registers runs, or one of the
/// engine's files.
fn is_ours(marker: &Marker, owns: OwnsEntry, item: &DirectoryEntry<'_>) -> bool {
    match (item.parts().as_slice(), item.kind) {
        ([name], EntryKind::File) if *name == STAMP || name.starts_with(".secchi-stamp.new-") => true,
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
    let mut entries = Vec::new();
    for entry in listed {
        let path = entry.map_err(DbError::io("look into", directory))?.path();
        match sys::files::symlink_metadata(&path) {
            Ok(m) => entries.push((path, m)),
            // A running server may have removed the file in the meantime.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(DbError::io("look at", path)(e)),
        }
    }
    entries.compact_sort_by(|a, b| a.0.cmp(&b.0));
    Ok(entries)
}

fn entry_kind<'a>(metadata: &Metadata, target: &'a Path) -> EntryKind<'a> {
    match metadata.file_type() {
        t if t.is_file() => EntryKind::File,
        t if t.is_dir() => EntryKind::Directory,
        t if t.is_symlink() => EntryKind::Link(target),
        _ => EntryKind::Other,
    }
}

/// Rejects directories with entries that lead outside the database: links that the engine did not create, files with
/// another hard link outside the database, and other file systems. Opening such entries could write to files outside
/// the database.
pub(crate) fn check_entries(marker: &Marker, owns: OwnsEntry) -> Result<(), DbError> {
    let roots = marker.directories.all();
    let mut names: HashMap<(u64, u64), (u64, PathBuf)> = HashMap::new();
    for root in &roots {
        let device = sys::files::symlink_metadata(root).map_err(DbError::io("look at", *root))?.dev();
        let mut waiting = vec![(*root).clone()];
        while let Some(directory) = waiting.pop() {
            let inside = match list_entries(&directory) {
                Err(DbError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => continue,
                other => other?,
            };
            for (path, metadata) in inside {
                let refuse = |reason: String| {
                    let advice = "nothing was opened; remove it, or restore the original entry";
                    Err(DbError::refused(path.display().to_string(), reason, advice))
                };
                if metadata.is_symlink() {
                    let target = fs::read_link(&path).unwrap_or_default();
                    let inside = path.strip_prefix(root).unwrap_or(&path);
                    let item = DirectoryEntry { directory: root, path: inside, kind: EntryKind::Link(&target) };
                    if !is_ours(marker, owns, &item) {
                        return refuse(format!("unexpected symbolic link to {}", target.display()));
                    }
                } else if metadata.dev() != device {
                    return refuse("another file system is mounted on it".into());
                } else if metadata.is_dir() {
                    waiting.push(path);
                } else if metadata.is_file() && metadata.nlink() > 1 {
                    let seen = names.entry((metadata.dev(), metadata.ino())).or_insert((0, path));
                    seen.0 += 1;
                }
            }
        }
    }
    for (seen, path) in names.into_values() {
        // Check again, because a running server may have renamed the file by means of a temporary second link.
        if sys::files::symlink_metadata(&path).is_ok_and(|m| m.nlink() > seen) {
            return Err(DbError::refused(
                path.display().to_string(),
                "the file has another name outside the database (a hard link)",
                "nothing was opened; copy the directory with its contents, not with `cp -l`",
            ));
        }
    }
    Ok(())
}

/// Removes the entries that secchi or the engine created, and the directory if it is then empty. Adds a sentence to
/// `left` for each entry that remains.
pub(crate) fn remove_owned(
    marker: &Marker,
    owns: OwnsEntry,
    root: &Path,
    left: &mut Vec<String>,
) -> Result<(), DbError> {
    let device = sys::files::symlink_metadata(root).map_err(DbError::io("look at", root))?.dev();
    let mut foreign = Vec::new();
    remove_entries(marker, owns, root, root, device, &mut foreign)?;
    if foreign.is_empty() {
        remove_if_exists(&root.join(STAMP))?;
        return fs::remove_dir(root).map_err(DbError::io("remove", root));
    }
    let more = foreign.len().saturating_sub(NAMED);
    left.extend(
        foreign
            .iter()
            .take(NAMED)
            .map(|path| format!("{} does not belong to the database and was not removed", path.display())),
    );
    if more > 0 {
        left.push(format!("{} contains {more} more such entries", root.display()));
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
    for (path, metadata) in list_entries(directory)? {
        let target = if metadata.is_symlink() { fs::read_link(&path).unwrap_or_default() } else { PathBuf::new() };
        let inside = path.strip_prefix(root).unwrap_or(&path);
        let item = DirectoryEntry { directory: root, path: inside, kind: entry_kind(&metadata, &target) };
        if item.path == Path::new(STAMP) && item.kind == EntryKind::File {
            // The stamp is removed last.
            continue;
        }
        if !is_ours(marker, owns, &item) || metadata.dev() != device {
            foreign.push(path);
            continue;
        }
        if !metadata.is_dir() {
            remove_if_exists(&path)?;
            continue;
        }
        let before = foreign.len();
        remove_entries(marker, owns, root, &path, device, foreign)?;
        if foreign.len() == before {
            match fs::remove_dir(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(DbError::io("remove", path)(e)),
                _ => {}
            }
        }
    }
    Ok(())
}
