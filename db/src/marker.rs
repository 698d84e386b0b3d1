//! The marker: a file by which a directory is known to hold a database of ours, and what of it we made.
//!
//! Nothing is ever removed because of where it lies or what it is called: only a room (a directory we made, named after the
//! database's UUID, with a stamp of that UUID inside) is removed, and only rooms that the marker names.

use crate::DbError;
use model::Bytes;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Name of the marker in the directory of a database.
pub const MARKER: &str = "secchi-database.json";
/// Name of the stamp in every room.
const STAMP: &str = ".secchi-room";
/// Version of the marker's form.
const FORM: u32 = 1;

/// What is known of a database, kept beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// Version of this form.
    pub form: u32,
    /// Identity.
    pub uuid: uuid::Uuid,
    /// Engine by name.
    pub engine: String,
    /// Name given at setup.
    pub name: String,
    /// When it was made, RFC 3339.
    pub created: String,
    /// Size of a page.
    pub page: Bytes,
    /// Where its files lie.
    pub rooms: Rooms,
    /// Whether updates are journaled unless a run says otherwise.
    pub journal: bool,
    /// Whether the last run had them journaled, where that was otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_now: Option<bool>,
    /// Highest global made so far; they are numbered from 1.
    pub globals: u32,
    /// Records of the filler (global 0).
    pub filler: u64,
    /// Server that somebody else runs and that this database is a schema of; `None` = it is all in the rooms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Directories that were made for a database, each in one the user named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rooms {
    /// For data files: at least one. Globals are spread over them by number.
    pub data: Vec<PathBuf>,
    /// For the journal; the same as the first of data where none was asked for.
    pub journal: PathBuf,
    /// For whatever else the engine needs: sockets, logs, routines. In the directory of the database.
    pub work: PathBuf,
}

impl Rooms {
    /// The data room of a global.
    #[must_use]
    pub fn of_global(&self, number: u32) -> &Path {
        let n = self.data.len().max(1);
        &self.data[number.saturating_sub(1) as usize % n]
    }

    /// Every room once.
    fn all(&self) -> Vec<&PathBuf> {
        let mut all: Vec<&PathBuf> = self.data.iter().chain([&self.journal, &self.work]).collect();
        all.sort();
        all.dedup();
        all
    }
}

impl Marker {
    /// Makes the rooms of a new database and its marker, the marker first, so that whatever happens can be purged.
    /// `directory` is made if it is not there; otherwise it must be empty. The directories for data and journal must exist;
    /// what is in them is not touched.
    ///
    /// # Errors
    /// When the directory holds something, or a room cannot be made.
    #[expect(clippy::too_many_arguments, reason = "what setup was asked, from one caller")]
    pub fn make(
        directory: &Path,
        engine: &str,
        name: &str,
        created: String,
        page: Bytes,
        data: &[PathBuf],
        journal: Option<&Path>,
        journaled: bool,
    ) -> Result<Marker, DbError> {
        let uuid = uuid::Uuid::new_v4();
        match fs::read_dir(directory).map(|mut inside| inside.next().is_some()) {
            Ok(true) => {
                return Err(DbError::refused(
                    format!("set up a database in {}", directory.display()),
                    "the directory is not empty",
                    "name a new one; `secchi db purge` removes a database that secchi made",
                ));
            }
            Ok(false) => {}
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                fs::create_dir(directory).map_err(DbError::io("make", directory))?;
            }
            Err(e) => return Err(DbError::io("look into", directory)(e)),
        }
        let absolute = |path: &Path| fs::canonicalize(path).map_err(DbError::io("find", path));
        let home = absolute(directory)?;
        let own = format!("secchi-{name}-{}", &uuid.simple().to_string()[..8]);
        let data = match data {
            [] => vec![home.join("data")],
            several => several
                .iter()
                .enumerate()
                .map(|(i, d)| Ok(absolute(d)?.join(format!("{own}-data{}", i + 1))))
                .collect::<Result<Vec<_>, DbError>>()?,
        };
        let journal = match journal {
            None => data[0].clone(),
            Some(dir) => absolute(dir)?.join(format!("{own}-journal")),
        };
        let rooms = Rooms { data, journal, work: home.join("work") };
        let marker = Marker {
            form: FORM,
            uuid,
            engine: engine.to_owned(),
            name: name.to_owned(),
            created,
            page,
            rooms,
            journal: journaled,
            journal_now: None,
            globals: 0,
            filler: 0,
            url: None,
        };
        marker.save(&home)?;
        for room in marker.rooms.all() {
            fs::create_dir(room).map_err(DbError::io("make", room))?;
            let stamp = room.join(STAMP);
            fs::write(&stamp, uuid.to_string()).map_err(DbError::io("write", stamp))?;
        }
        Ok(marker)
    }

    /// Reads the marker of a directory.
    ///
    /// # Errors
    /// When there is none, or it is not of a form known here.
    pub fn read(directory: &Path) -> Result<Marker, DbError> {
        let path = directory.join(MARKER);
        let text = fs::read_to_string(&path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => DbError::refused(
                directory.display().to_string(),
                format!("no database of secchi's: there is no {MARKER} in it"),
                "make one with `secchi db setup`",
            ),
            _ => DbError::io("read", &path)(e),
        })?;
        let not_ours = |why: String| DbError::refused(path.display().to_string(), why, "it was not touched");
        let marker: Marker =
            serde_json::from_str(&text).map_err(|e| not_ours(format!("not a marker of this form: {e}")))?;
        if marker.form != FORM {
            return Err(not_ours(format!("a marker of form {}, this secchi knows form {FORM}", marker.form)));
        }
        Ok(marker)
    }

    /// Writes the marker, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path) -> Result<(), DbError> {
        let path = directory.join(MARKER);
        let new = directory.join(format!("{MARKER}.new"));
        let text = serde_json::to_string_pretty(self).expect("a marker has a JSON form");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&new)?;
            if self.url.is_some() {
                // There may be a password in it.
                file.set_permissions(Permissions::from_mode(0o600))?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        write().map_err(DbError::io("write", &path))
    }

    /// Removes every room and the marker, and the directory if nothing else is in it. What lies beside them stays. Says what
    /// was left, one sentence each.
    ///
    /// # Errors
    /// When a room is not the one that was made: then nothing of it is removed.
    pub fn purge(&self, directory: &Path) -> Result<Vec<String>, DbError> {
        let mut left = Vec::new();
        for room in self.rooms.all() {
            let stamp = room.join(STAMP);
            match fs::symlink_metadata(room) {
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
                Err(e) => return Err(DbError::io("look at", room)(e)),
                Ok(found) if !found.is_dir() => {
                    left.push(format!("{} is not a directory any more: left alone", room.display()));
                    continue;
                }
                Ok(_) => {}
            }
            // A room without a stamp is one whose making was cut short: then it is empty.
            let ours = fs::read_to_string(&stamp).is_ok_and(|text| text.trim() == self.uuid.to_string());
            if ours {
                fs::remove_dir_all(room).map_err(DbError::io("remove", room))?;
            } else if fs::remove_dir(room).is_err() {
                left.push(format!("{} has not the stamp of this database: left alone", room.display()));
            }
        }
        if left.is_empty() {
            let path = directory.join(MARKER);
            fs::remove_file(&path).map_err(DbError::io("remove", path))?;
            if let Err(e) = fs::remove_dir(directory) {
                left.push(format!("{} stays: {e}", directory.display()));
            }
        }
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(at: &Path, data: &[PathBuf], journal: Option<&Path>) -> Marker {
        Marker::make(at, "sqlite", "RAN", "now".into(), Bytes(8192), data, journal, true).unwrap()
    }

    #[test]
    fn a_database_is_found_again_and_purged_without_a_trace() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("ran");
        let marker = make(&at, &[], None);
        assert_eq!(Marker::read(&at).unwrap(), marker);
        fs::write(marker.rooms.data[0].join("x.db"), "x").unwrap();
        assert_eq!(marker.purge(&at).unwrap(), Vec::<String>::new());
        assert!(!at.exists());
    }

    #[test]
    fn only_what_was_made_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (at, d1, d2) = (dir.path().join("ran"), dir.path().join("d1"), dir.path().join("d2"));
        for d in [&d1, &d2] {
            fs::create_dir(d).unwrap();
            fs::write(d.join("precious"), "p").unwrap();
        }
        let marker = make(&at, std::slice::from_ref(&d1), Some(&d2));
        let decoy = d1.join("secchi-RAN-00000000-data1");
        fs::create_dir(&decoy).unwrap();
        fs::write(at.join("mine.txt"), "m").unwrap();
        // Somebody put a directory of their own in the place of the journal's.
        fs::remove_dir_all(&marker.rooms.journal).unwrap();
        fs::create_dir(&marker.rooms.journal).unwrap();
        fs::write(marker.rooms.journal.join("theirs"), "t").unwrap();
        let left = marker.purge(&at).unwrap();
        assert!(left.len() == 1 && left[0].contains("stamp"), "{left:?}");
        assert!(marker.rooms.journal.join("theirs").exists() && decoy.exists() && at.join("mine.txt").exists());
        assert!(d1.join("precious").exists() && d2.join("precious").exists() && !marker.rooms.data[0].exists());
    }

    #[test]
    fn a_directory_with_something_in_it_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("x"), "x").unwrap();
        let refused =
            Marker::make(dir.path(), "sqlite", "RAN", "now".into(), Bytes(8192), &[], None, true).unwrap_err();
        assert!(refused.to_string().contains("not empty"), "{refused}");
        assert!(!dir.path().join(MARKER).exists());
    }
}
