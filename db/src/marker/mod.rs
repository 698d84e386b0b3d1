//! The marker: a file that identifies a directory as a database created by secchi, and records the contents that secchi
//! created.
//!
//! Nothing is opened, written or removed because of its location or name. The marker records the identity
//! ([`DirectoryIdentity`]) of the directory that contains it and of every directory of the database. A stamp in each of
//! these directories names the database and the directory of the marker. Files are opened only if the marker and the
//! stamps agree, and only entries that the engine creates are removed.

mod entries;
mod identity;
#[cfg(test)]
mod tests;

pub use entries::{DirectoryEntry, EntryKind, LOCK, OwnsEntry};
pub use identity::{DirectoryIdentity, STAMP};
pub(crate) use {entries::check_entries, entries::remove_owned, identity::read_stamp};

use crate::DbError;
use identity::identity_of;
use model::Bytes;
use model::plan::{GlobalSize, NodeNames};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the marker in the directory of a database.
pub const MARKER: &str = "secchi-database.json";

/// Version of the marker's format. Markers with another version are rejected.
const FORM: u32 = 1;

/// Facts about a database, stored in its directory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// Version of the format.
    pub form: u32,
    /// Identity of the database, constant for its lifetime.
    pub uuid: uuid::Uuid,
    /// Name of the engine.
    pub engine: String,
    /// Name given at setup.
    pub name: String,
    /// Creation time, RFC 3339.
    pub created: String,
    /// Size of a page.
    pub page: Bytes,
    /// Absolute paths of the database's directories. In the marker file, paths inside the database's main directory are
    /// relative.
    pub directories: Directories,
    /// Main directory of the database when it was last verified; `None` if setup was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<DatabaseDirectory>,
    /// Identities of the directories, in the order of `Directories::all`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identities: Vec<DirectoryIdentity>,
    /// True if updates are journaled unless a run overrides it.
    pub journal: bool,
    /// Engine parameters that are set unless a run overrides them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<(String, String)>,
    /// True if the last run journaled updates; `None` if that run used the setting in `journal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_now: Option<bool>,
    /// Number of the last global created so far. Globals are numbered from 1.
    pub globals: u32,
    /// Names of the nodes in the database's globals; `None` for integer subscripts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<NodeNames>,
    /// Number of secondary indexes that each global has.
    #[serde(default, skip_serializing_if = "no_indexes")]
    pub indexes: u32,
    /// Highest number among the globals whose creation was started.
    pub begun: u32,
    /// Number of nodes that random inserts placed at arbitrary subscripts above the ordered nodes, by global. Globals
    /// without such nodes are not listed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scattered: BTreeMap<u32, u64>,
    /// Insert run that is active or was killed. While it is set, the sizes recorded with its globals are from before
    /// the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inserting: Option<Inserting>,
    /// Number of records in the filler (global 0).
    pub filler: u64,
    /// URL of the external server that holds this database as a schema; `None` if all of it is in the directories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Text of the engine's profile; `None` if the engine has no profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Identity of the database that this one was copied from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<uuid::Uuid>,
    /// True if a purge was started. The remains are no longer a usable database.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub purged: bool,
}

/// Part of a marker that is decoded first, to check the version.
#[derive(Deserialize)]
struct MarkerForm {
    form: u32,
}

fn no_indexes(n: &u32) -> bool {
    *n == 0
}

/// A run of inserts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inserting {
    /// True if subscripts are chosen anywhere above the ordered nodes. Always false for named nodes.
    pub scattered: bool,
    /// Globals that the run inserts into, with their sizes before the run.
    pub before: Vec<GlobalSize>,
}

/// Main directory of a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseDirectory {
    /// Path of the directory. Absolute paths in the engine's files begin with it.
    pub path: PathBuf,
    /// Identity of the directory.
    pub identity: DirectoryIdentity,
}

/// Directories that were created for a database, each inside one that the user named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directories {
    /// Directories of the data files, at least one. Globals are distributed over the directories by number.
    pub data: Vec<PathBuf>,
    /// Directory of the journal; the first data directory if none was requested.
    pub journal: PathBuf,
    /// Directory of the image journal, if that journal has a separate directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<PathBuf>,
    /// Directory of other files of the engine (sockets, logs, routines), inside the directory of the database.
    pub work: PathBuf,
}

impl Directories {
    /// Returns the data directory of a global.
    #[must_use]
    pub fn data_of_global(&self, number: u32) -> &Path {
        let n = self.data.len().max(1);
        &self.data[number.saturating_sub(1) as usize % n]
    }

    /// Returns each directory once: data, journal, image journal, work.
    pub(crate) fn all(&self) -> Vec<&PathBuf> {
        let mut directories: Vec<&PathBuf> = Vec::new();
        for dir in self.data.iter().chain([&self.journal]).chain(&self.image).chain([&self.work]) {
            if !directories.contains(&dir) {
                directories.push(dir);
            }
        }
        directories
    }

    /// Returns the directories with `f` applied to each path.
    fn map(&self, f: impl Fn(&Path) -> PathBuf) -> Directories {
        Directories {
            data: self.data.iter().map(|p| f(p)).collect(),
            journal: f(&self.journal),
            image: self.image.as_deref().map(&f),
            work: f(&self.work),
        }
    }

    /// Returns the directories that are not inside `home`.
    pub(crate) fn outside(&self, home: &Path) -> Vec<&PathBuf> {
        self.all().into_iter().filter(|dir| !dir.starts_with(home)).collect()
    }
}

/// Returns the path of the directory with links resolved.
fn canonical(directory: &Path) -> Result<PathBuf, DbError> {
    sys::files::canonical(directory).map_err(DbError::io("find", directory))
}

fn list(dirs: &[&PathBuf]) -> String {
    dirs.iter().map(|r| r.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl Marker {
    /// Creates the directories of a new database and its marker. The marker comes first, so that a purge is possible
    /// after any failure. `directory` is created if it does not exist; otherwise, it must be empty. The directories for
    /// the data and the journal must exist. Their contents are not touched.
    ///
    /// # Errors
    /// Returns an error if the directory is not empty, or if a directory cannot be created.
    #[expect(clippy::too_many_arguments, reason = "what setup was asked, from one caller")]
    pub fn create(
        directory: &Path,
        engine: &str,
        name: &str,
        created: String,
        page: Bytes,
        data: &[PathBuf],
        journal: Option<&Path>,
        image: Option<&Path>,
        journaled: bool,
    ) -> Result<Marker, DbError> {
        let uuid = uuid::Uuid::new_v4();
        match fs::read_dir(directory).map(|mut inside| inside.next().is_some()) {
            Ok(true) => {
                return Err(DbError::refused(
                    format!("set up a database in {}", directory.display()),
                    "the directory is not empty",
                    "use a new one; `secchi db purge` removes a database that secchi created",
                ));
            }
            Ok(false) => {}
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                fs::create_dir(directory).map_err(DbError::io("make", directory))?;
            }
            Err(e) => return Err(DbError::io("look into", directory)(e)),
        }
        let home = canonical(directory)?;
        let prefix = format!("secchi-{name}-{}", &uuid.simple().to_string()[..8]);
        let data = match data {
            [] => vec![home.join("data")],
            several => several
                .iter()
                .enumerate()
                .map(|(i, d)| Ok(canonical(d)?.join(format!("{prefix}-data{}", i + 1))))
                .collect::<Result<Vec<_>, DbError>>()?,
        };
        let journal = match journal {
            None => data[0].clone(),
            Some(dir) => canonical(dir)?.join(format!("{prefix}-journal")),
        };
        let image = image.map(|dir| Ok::<_, DbError>(canonical(dir)?.join(format!("{prefix}-image")))).transpose()?;
        let mut marker = Marker {
            form: FORM,
            uuid,
            engine: engine.to_owned(),
            name: name.to_owned(),
            created,
            page,
            directories: Directories { data, journal, image, work: home.join("work") },
            journal: journaled,
            ..Marker::default()
        };
        marker.save(&home)?;
        for dir in marker.directories.all() {
            fs::create_dir(dir).map_err(DbError::io("make", dir))?;
        }
        marker.stamp_directories(&home)?;
        Ok(marker)
    }

    /// Stamps every directory and records their identities in the marker.
    fn stamp_directories(&mut self, home: &Path) -> Result<(), DbError> {
        let identity = identity_of(home)?;
        let dirs = self.directories.all();
        self.identities =
            dirs.iter().map(|dir| identity::write_stamp(dir, self.uuid, &identity)).collect::<Result<_, _>>()?;
        self.home = Some(DatabaseDirectory { path: home.to_owned(), identity });
        self.save(home)
    }

    /// Reads the marker of a directory without verifying anything.
    pub(crate) fn read(directory: &Path) -> Result<(Marker, PathBuf), DbError> {
        let path = directory.join(MARKER);
        let not_ours = |reason: String| DbError::refused(path.display().to_string(), reason, "it was not touched");
        let none = || {
            DbError::refused(
                directory.display().to_string(),
                format!("it is not a secchi database: it has no {MARKER}"),
                "create one with `secchi db setup`",
            )
        };
        let metadata = fs::symlink_metadata(&path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => none(),
            _ => DbError::io("read", &path)(e),
        })?;
        if !metadata.is_file() || metadata.len() > 1 << 20 {
            return Err(not_ours("not a regular file, or too large for a marker".into()));
        }
        let text = fs::read_to_string(&path).map_err(DbError::io("read", &path))?;
        let not_a_marker = |e: serde_json::Error| not_ours(format!("not a marker of this form: {e}"));
        let form = serde_json::from_str::<MarkerForm>(&text).map_err(not_a_marker)?.form;
        if form != FORM {
            return Err(DbError::refused(
                path.display().to_string(),
                format!("a marker of form {form}, this secchi reads form {FORM}"),
                "purge the database with the secchi that created it, and set it up again",
            ));
        }
        let mut marker: Marker = serde_json::from_str(&text).map_err(not_a_marker)?;
        if marker.directories.data.is_empty() {
            return Err(not_ours("it does not name a data directory".into()));
        }
        if marker.directories.all().iter().any(|dir| dir.components().any(|c| c == std::path::Component::ParentDir)) {
            return Err(not_ours("it contains a path with `..`".into()));
        }
        let home = canonical(directory)?;
        marker.directories = marker.directories.map(|dir| home.join(dir));
        Ok((marker, home))
    }

    /// Returns the marker after verifying that its directory and the work directory are the original directories.
    /// Intended for callers that do not open the engine's files, for example to list the history or to stop a run.
    ///
    /// # Errors
    /// Returns an error if there is no marker, if its format is unknown, or if the directory is a copy.
    pub fn read_proven(directory: &Path) -> Result<Marker, DbError> {
        let (marker, home) = Marker::read(directory)?;
        marker.prove_home(&home)?;
        marker.prove_directory(&home, &marker.directories.work.clone(), false)?;
        Ok(marker)
    }

    /// Opens the marker for a purge. Directories that are missing, or empty and never stamped, are accepted.
    ///
    /// # Errors
    /// Returns an error in the cases listed at [`Marker::read_proven`], and if a directory is not the original one. The
    /// error names the directory.
    pub fn open_to_purge(directory: &Path) -> Result<Marker, DbError> {
        let (marker, home) = Marker::read(directory)?;
        if marker.home.is_none() {
            // Setup was interrupted.
            return Ok(marker);
        }
        marker.prove_home(&home)?;
        marker.prove_directories(&home, true)?;
        Ok(marker)
    }

    /// Returns `true` if setup was completed, no purge was started, and every directory exists.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.purged && self.home.is_some() && self.directories.all().iter().all(|dir| dir.is_dir())
    }

    /// Returns the previous directory of a database that has been moved since the engine's absolute paths were written.
    #[must_use]
    pub fn moved_from(&self, directory: &Path) -> Option<&Path> {
        let here = sys::files::canonical(directory).unwrap_or_else(|_| directory.to_owned());
        self.home.as_ref().map(|home| home.path.as_path()).filter(|path| **path != here)
    }

    /// Records the current location of the database and the current device numbers of its directories.
    ///
    /// # Errors
    /// Returns an error if the marker cannot be written.
    pub fn update_location(&mut self, directory: &Path) -> Result<(), DbError> {
        let home = canonical(directory)?;
        let now = DatabaseDirectory { path: home.clone(), identity: identity_of(&home)? };
        if self.home.as_ref() == Some(&now) {
            return Ok(());
        }
        self.stamp_directories(&home)
    }

    pub(crate) fn refuse_copy(&self, home: &Path, original: &Path) -> DbError {
        let what = home.display().to_string();
        let mut reason =
            format!("it is a copy of the database {}, which was created in {}", self.name, original.display());
        let outside = self.directories.outside(home);
        if self.url.is_some() {
            reason += ", and its data is in a schema on a server that belongs to the original";
        } else if !outside.is_empty() {
            reason = format!("{reason}, and {} belong to the original", list(&outside));
        } else {
            let advice = format!("run `secchi db adopt {}` to turn the copy into a separate database", home.display());
            return DbError::refused(what, reason, advice);
        }
        DbError::refused(
            what,
            reason,
            "set up a new one; only this directory belongs to the copy, and you can remove it yourself",
        )
    }

    /// Verifies that `home` is the original directory, which may have been moved.
    pub(crate) fn prove_home(&self, home: &Path) -> Result<(), DbError> {
        let Some(was) = &self.home else {
            return Err(DbError::refused(
                home.display().to_string(),
                "its setup was interrupted",
                format!("run `secchi db purge {}` to remove it", home.display()),
            ));
        };
        let now = identity_of(home)?;
        let same_path = was.path == home;
        if !was.identity.is_same(&now, same_path) {
            return Err(self.refuse_copy(home, &was.path));
        }
        if same_path {
            return Ok(());
        }
        // A copied disk image has the same inode numbers and birth times, and the copy may since have received the old
        // device number. If the original is still accessible, this directory is the copy.
        let original = Marker::read(&was.path).is_ok_and(|(other, _)| other.uuid == self.uuid);
        let elsewhere = DirectoryIdentity::of_directory(&was.path).is_ok_and(|p| p.is_some_and(|p| p != now));
        if original && elsewhere {
            return Err(self.refuse_copy(home, &was.path));
        }
        let outside = self.directories.outside(home);
        if outside.is_empty() || was.identity.device == now.device {
            return Ok(());
        }
        Err(DbError::refused(
            home.display().to_string(),
            format!(
                "its device and path have changed (it was {}), so it is unclear whether {} belong to it or to another \
                 database",
                was.path.display(),
                list(&outside)
            ),
            "mount it or move it back to its original path",
        ))
    }

    pub(crate) fn prove_directories(&self, home: &Path, to_purge: bool) -> Result<(), DbError> {
        for dir in self.directories.all() {
            self.prove_directory(home, dir, to_purge)?;
        }
        Ok(())
    }

    /// Verifies that `dir` is the original directory, and that it was created for this database.
    fn prove_directory(&self, home: &Path, dir: &Path, to_purge: bool) -> Result<(), DbError> {
        let refused = |reason: &str, advice: String| Err(DbError::refused(dir.display().to_string(), reason, advice));
        let put_back = || "nothing in it was opened; put the original directory back".to_owned();
        let Some(now) = DirectoryIdentity::of_directory(dir)? else {
            return if to_purge { Ok(()) } else { refused("this directory of the database is missing", put_back()) };
        };
        if sys::files::canonical(dir).map_err(DbError::io("find", dir))? != dir {
            return refused("a component of its path is a symbolic link", put_back());
        }
        let at = self.directories.all().iter().position(|r| *r == dir);
        let was = at.and_then(|at| self.identities.get(at));
        let stamp = match identity::read_stamp(dir) {
            Some(stamp) if stamp.uuid == self.uuid => stamp,
            Some(_) => return refused("its stamp belongs to another database", put_back()),
            None => return refused("it does not have the stamp of this database", put_back()),
        };
        let here = identity_of(home)?;
        let knows = was.is_some_and(|was| was.is_same(&now, true)) && stamp.directory.is_same(&now, true);
        if !knows {
            let inside = dir.starts_with(home);
            let advice = if inside {
                format!("if it was restored from a backup, run `secchi db adopt {}`", home.display())
            } else {
                put_back()
            };
            return refused("it is a copy, not the original directory", advice);
        }
        if !stamp.home.is_same(&here, self.home.as_ref().is_some_and(|was| was.path == home)) {
            return refused("its stamp names another database directory", put_back());
        }
        Ok(())
    }

    /// Writes the new identity of a copy ([`Marker::from_copy`]). The marker is written first, so that the call can be
    /// repeated after a failure.
    ///
    /// # Errors
    /// Returns an error if the marker cannot be written.
    pub fn adopt(&mut self, directory: &Path) -> Result<(), DbError> {
        let home = canonical(directory)?;
        self.save(&home)?;
        self.stamp_directories(&home)
    }

    /// Writes the marker atomically.
    ///
    /// # Errors
    /// Returns an error if the marker cannot be written.
    pub fn save(&self, directory: &Path) -> Result<(), DbError> {
        let home = canonical(directory)?;
        let mut written = self.clone();
        written.directories =
            self.directories.map(|dir| dir.strip_prefix(&home).map_or_else(|_| dir.to_owned(), PathBuf::from));
        let text = serde_json::to_string_pretty(&written).expect("a marker has a JSON form");
        // The URL may contain a password.
        identity::replace_file(&directory.join(MARKER), &text, self.url.as_ref().map(|_| 0o600))
    }
}
