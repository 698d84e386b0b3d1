//! Identity of a directory, recorded in both the marker and a stamp inside the directory.
//!
//! A path proves nothing: a directory can be copied, restored, or replaced by a link or another directory. A directory
//! is identified by its inode number and its birth time, which neither `cp -a` nor a restored archive preserves. Its
//! device number is recorded as well, but changes when disks are detected in another order. The stamp in each of a
//! database's directories records the identity of the database, and the identity of the directory at the time of
//! stamping. Thus, the marker proves the directory, and the directory proves the marker.

use crate::DbError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;
use sys::files::MetadataExt;

/// Name of the stamp file in every directory.
pub const STAMP: &str = ".secchi-stamp";

/// Identity of a directory when it was created or last verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryIdentity {
    /// Inode number.
    pub inode: u64,
    /// Device number from `stat(2)`; it can change when the machine restarts.
    pub device: u64,
    /// Birth time, in nanoseconds since 1970; `None` if the file system does not record it, or if the file system's
    /// inode numbers are unique (NTFS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born: Option<u64>,
}

impl DirectoryIdentity {
    /// Returns the identity of a directory, or `None` if it does not exist. A symbolic link is rejected.
    pub(crate) fn of_directory(path: &Path) -> Result<Option<DirectoryIdentity>, DbError> {
        let metadata = match sys::files::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(DbError::io("look at", path)(e)),
        };
        if !metadata.is_dir() {
            let what = if metadata.is_symlink() { "a symbolic link" } else { "not a directory" };
            return Err(DbError::refused(
                path.display().to_string(),
                format!("it is {what}, not the directory that was created for this database"),
                "nothing in it was opened; put the original directory back",
            ));
        }
        Ok(Some(DirectoryIdentity {
            inode: metadata.ino(),
            device: metadata.dev(),
            born: sys::files::moment_made(path),
        }))
    }

    /// Returns `true` if both identities belong to the same directory. The device numbers may differ. However, if a
    /// birth time is missing, the device numbers must match, unless the path is unchanged (`same_path`).
    pub(crate) fn is_same(&self, other: &DirectoryIdentity, same_path: bool) -> bool {
        self.inode == other.inode
            && match (self.born, other.born) {
                (Some(a), Some(b)) => a == b,
                _ => self.device == other.device || same_path,
            }
    }
}

/// Contents of the stamp in a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// Identity of the database.
    pub uuid: uuid::Uuid,
    /// Identity of the stamped directory itself.
    pub directory: DirectoryIdentity,
    /// Identity of the database's main directory, which contains the marker.
    pub home: DirectoryIdentity,
}

/// Reads the stamp of a directory; returns `None` if there is no stamp, or a file that is not a stamp.
pub(crate) fn read_stamp(dir: &Path) -> Option<Stamp> {
    let path = dir.join(STAMP);
    let plain = sys::files::symlink_metadata(&path).is_ok_and(|m| m.is_file() && m.len() < 4096);
    let text = if plain { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    serde_json::from_str(&text).ok()
}

/// Writes a text to a temporary file and renames that file. A symbolic or hard link at the destination is replaced, and
/// its target is not written to.
pub(crate) fn replace_file(path: &Path, text: &str, mode: Option<u32>) -> Result<(), DbError> {
    use std::io::Write;
    let mut new = path.to_owned().into_os_string();
    new.push(format!(".new-{}", std::process::id()));
    let write = || -> io::Result<()> {
        let _ = fs::remove_file(&new);
        let mut file = fs::File::create_new(&new)?;
        if let Some(mode) = mode {
            sys::files::set_mode(&file, mode)?;
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
    let directory = identity_of(dir)?;
    let stamp = Stamp { uuid, directory: directory.clone(), home: home.clone() };
    let text = serde_json::to_string(&stamp).expect("a stamp has a JSON form");
    replace_file(&dir.join(STAMP), &text, None)?;
    Ok(directory)
}

/// Returns the identity of a directory that must exist.
pub(super) fn identity_of(home: &Path) -> Result<DirectoryIdentity, DbError> {
    DirectoryIdentity::of_directory(home)?.ok_or_else(|| DbError::io("find", home)(std::io::ErrorKind::NotFound.into()))
}
