//! How a directory is known to be the one that was made: what the marker and the stamp in the directory say of each other.
//!
//! A name proves nothing: a directory can be copied, restored, replaced by a link or by somebody's own. A directory is
//! known by its inode number and the moment it was born, which neither `cp -a` nor a restored archive bring along; the number
//! of its device is written down, too, but changes when a disk is found in another order. A directory of a database has a stamp,
//! which says whose it is and which directory it lay in when it was stamped, so that the marker proves the directory and the
//! directory the marker.

use crate::DbError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;
use sys::MetadataExt;

/// Name of the stamp in every directory.
pub const STAMP: &str = ".secchi-room";

/// A directory as it was when it was made or last proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryIdentity {
    /// Inode number.
    pub inode: u64,
    /// Number of its device, as `stat(2)` tells it; another after some restarts of the machine.
    pub device: u64,
    /// When it was made, in nanoseconds since 1970; `None` where the file system does not say, or its numbers alone tell (NTFS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born: Option<u64>,
}

impl DirectoryIdentity {
    /// Of a directory; a symbolic link is none.
    pub(crate) fn of_directory(path: &Path) -> Result<Option<DirectoryIdentity>, DbError> {
        let found = match sys::symlink_metadata(path) {
            Ok(found) => found,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(DbError::io("look at", path)(e)),
        };
        if !found.is_dir() {
            let what = if found.is_symlink() { "a symbolic link" } else { "no directory" };
            return Err(DbError::refused(
                path.display().to_string(),
                format!("it is {what}, and not the directory that was made for this database"),
                "nothing was opened in it; put the directory back",
            ));
        }
        Ok(Some(DirectoryIdentity { inode: found.ino(), device: found.dev(), born: sys::moment_made(path) }))
    }

    /// Whether it is the same directory: the number of the device alone may differ. Where nobody knows when it was born, that
    /// must be the same, too, unless it lies where it lay (`same_path`).
    pub(crate) fn is_same(&self, other: &DirectoryIdentity, same_path: bool) -> bool {
        self.inode == other.inode
            && match (self.born, other.born) {
                (Some(a), Some(b)) => a == b,
                _ => self.device == other.device || same_path,
            }
    }
}

/// What the stamp of a directory says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// Identity of the database.
    pub uuid: uuid::Uuid,
    /// The directory itself.
    #[serde(rename = "room")]
    pub dir: DirectoryIdentity,
    /// The directory of the database.
    pub home: DirectoryIdentity,
}

/// A stamp as it is found.
pub(crate) enum FoundStamp {
    /// None, or none of ours.
    Missing,
    /// Of an earlier build: the identity alone.
    UuidOnly(uuid::Uuid),
    /// A stamp whose checksum is right.
    Whole(Stamp),
}

impl FoundStamp {
    pub(crate) fn uuid(&self) -> Option<uuid::Uuid> {
        match self {
            FoundStamp::Missing => None,
            FoundStamp::UuidOnly(uuid) => Some(*uuid),
            FoundStamp::Whole(stamp) => Some(stamp.uuid),
        }
    }
}

/// Reads the stamp of a directory.
pub(crate) fn read_stamp(dir: &Path) -> FoundStamp {
    let path = dir.join(STAMP);
    let plain = sys::symlink_metadata(&path).is_ok_and(|m| m.is_file() && m.len() < 4096);
    let text = if plain { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    if let Ok(stamp) = serde_json::from_str(&text) {
        return FoundStamp::Whole(stamp);
    }
    text.trim().parse().map_or(FoundStamp::Missing, FoundStamp::UuidOnly)
}

/// Writes a text beside and puts it in its place: a link or a second name in that place is replaced, not written through.
pub(crate) fn replace_file(path: &Path, text: &str, mode: Option<u32>) -> Result<(), DbError> {
    use std::io::Write;
    let mut new = path.to_owned().into_os_string();
    new.push(format!(".new-{}", std::process::id()));
    let write = || -> io::Result<()> {
        let _ = fs::remove_file(&new);
        let mut file = fs::File::create_new(&new)?;
        if let Some(mode) = mode {
            sys::set_mode(&file, mode)?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().map_err(DbError::io("write", path))
}

/// Stamps a directory.
pub(crate) fn write_stamp(
    dir: &Path,
    uuid: uuid::Uuid,
    home: &DirectoryIdentity,
) -> Result<DirectoryIdentity, DbError> {
    let Some(print) = DirectoryIdentity::of_directory(dir)? else {
        return Err(DbError::io("find", dir)(io::ErrorKind::NotFound.into()));
    };
    let stamp = Stamp { uuid, dir: print.clone(), home: home.clone() };
    let text = serde_json::to_string(&stamp).expect("a stamp has a JSON form");
    replace_file(&dir.join(STAMP), &text, None)?;
    Ok(print)
}

/// Identity of a directory that must be there.
pub(super) fn identity_of(home: &Path) -> Result<DirectoryIdentity, DbError> {
    DirectoryIdentity::of_directory(home)?.ok_or_else(|| DbError::io("find", home)(std::io::ErrorKind::NotFound.into()))
}
