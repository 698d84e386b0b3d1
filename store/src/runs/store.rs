//! The store: its directory and journals, and the creation, lookup, reading and removal of runs.

use crate::index::error::IndexError;
use crate::index::index_file::Index;
use crate::journal::error::RecoverError;
use crate::journal::recover::{Recovered, recover};
use crate::journal::writer::TEMPORARY;
use crate::os;
use crate::runs::error::StoreError;
use crate::runs::id;
use crate::runs::labels_file::LABELS;
use crate::runs::server::Server;
use crate::summary::{Digest, RunSummary};
use model::RunRecord;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub(crate) const RUNS: &str = "runs";
const JOURNAL: &str = "journal";
/// Maximum time to wait for the index lock. After that, secchi continues without the index (docs/design/safety.md, "The
/// journal").
const PATIENCE: Duration = Duration::from_secs(10);
/// Minimum age of a journal without a plan before it is deleted as a leftover.
const TEMPORARY_AGE: Duration = Duration::from_secs(3600);

/// State of the index. If the index is outdated, nothing is lost: the journals are complete, and a later listing
/// updates the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Indexed {
    /// The index is up to date.
    Yes,
    /// The index was damaged and was rebuilt. Holds the new path of the damaged file.
    Repaired(PathBuf),
    /// The index is not up to date. Holds the reason.
    No(String),
}

impl Indexed {
    /// Returns a sentence for the user; `None` if the index is up to date.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        match self {
            Indexed::Yes => None,
            Indexed::Repaired(path) => Some(format!(
                "the index of runs was damaged and has been rebuilt from the journals; the damaged file is {}",
                path.display()
            )),
            Indexed::No(why) => {
                Some(format!("not indexed: the index of runs could not be used: {why}; the journals are complete"))
            }
        }
    }

    pub(crate) fn from_result(result: Result<Option<PathBuf>, IndexError>) -> Indexed {
        match result {
            Ok(None) => Indexed::Yes,
            Ok(Some(aside)) => Indexed::Repaired(aside),
            Err(e) => Indexed::No(e.to_string()),
        }
    }
}

type DigestOf = dyn Fn(&RunRecord) -> Digest + Send + Sync;

/// Store in a directory. Cheap to clone; keeps no files open.
#[derive(Clone)]
pub struct Store {
    dir: PathBuf,
    patience: Duration,
    digest_of: Arc<DigestOf>,
    /// Server of the team's store, to which runs are moved after they have ended.
    server: Option<Arc<dyn Server>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("dir", &self.dir).field("patience", &self.patience).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the store at `dir`. If it is missing, creates it (mode 0700). Does not read anything yet.
    ///
    /// # Errors
    /// Returns [`StoreError::Directory`] if the directory cannot be created or is not a directory.
    pub fn open(dir: &Path) -> Result<Store, StoreError> {
        let runs = dir.join(RUNS);
        // Check this first, so that a store on a read-only file system can be read.
        if !runs.is_dir() {
            sys::files::create_private_directory(&runs, true).map_err(|e| directory_error("create", dir, e))?;
        }
        let dir = sys::files::canonical(dir).map_err(|e| directory_error("open", dir, e))?;
        tracing::info!(directory = %dir.display(), "opened store");
        Ok(Store { dir, patience: PATIENCE, digest_of: Arc::new(|_| Digest::default()), server: None })
    }

    /// Opens the store at `dir` if it exists, for commands that only read.
    ///
    /// # Errors
    /// Returns an error if the store exists but cannot be opened.
    pub fn existing(dir: &Path) -> Result<Option<Store>, StoreError> {
        match dir.join(RUNS).symlink_metadata() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(directory_error("open", dir, e)),
            Ok(_) => Store::open(dir).map(Some),
        }
    }

    /// Sets the function that judges a run when the index is rebuilt from journals, or after a run was killed. Verdicts
    /// and key figures are derived data, so they are not stored in the journals.
    #[must_use]
    pub fn with_digest<D: Into<Digest>>(self, digest_of: impl Fn(&RunRecord) -> D + Send + Sync + 'static) -> Store {
        Store { digest_of: Arc::new(move |record| digest_of(record).into()), ..self }
    }

    /// Sets the maximum time to wait for the index lock; the default is 10 s.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Store {
        Store { patience, ..self }
    }

    /// Returns the directory of the store.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn with_server(self, server: Arc<dyn Server>) -> Store {
        Store { server: Some(server), ..self }
    }

    pub(crate) fn server(&self) -> Option<&dyn Server> {
        self.server.as_deref()
    }

    pub(crate) fn digest_of(&self, record: &RunRecord) -> Digest {
        (self.digest_of)(record)
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    pub(crate) fn runs(&self) -> PathBuf {
        self.dir.join(RUNS)
    }

    /// Returns the path of a run's journal. Only valid ids are converted to paths.
    ///
    /// # Errors
    /// Returns [`StoreError::BadId`] if `id` is not a whole id.
    pub fn journal_path(&self, id: &str) -> Result<PathBuf, StoreError> {
        id::check(id)?;
        Ok(self.runs().join(format!("{id}.{JOURNAL}")))
    }

    pub(crate) fn open_index(&self) -> Result<Index, IndexError> {
        Index::open(&self.dir, self.patience)
    }

    /// Changes the index, which is opened for the change.
    pub(crate) fn change_index(&self, change: impl FnOnce(&mut Index) -> Result<(), IndexError>) -> Indexed {
        Indexed::from_result(self.open_index().and_then(|mut index| change(&mut index).map(|()| index.aside)))
    }

    /// Returns the ids of all runs, in no particular order.
    ///
    /// # Errors
    /// Returns an error if the directory or the team's store cannot be read.
    pub fn ids(&self) -> Result<Vec<String>, StoreError> {
        let mut ids = self.ids_here()?;
        if let Some(server) = self.server() {
            ids.extend(server.ids()?);
            ids.sort_unstable();
            ids.dedup();
        }
        Ok(ids)
    }

    /// Returns the ids of all journals in the directory.
    pub(crate) fn ids_here(&self) -> Result<Vec<String>, StoreError> {
        let mut ids = Vec::new();
        self.each_file(|stem, extension, _| {
            if extension == JOURNAL {
                ids.push(stem.to_owned());
            }
        })?;
        Ok(ids)
    }

    /// Calls `visit` for each file in `runs` whose name begins with an id.
    pub(crate) fn each_file(&self, mut visit: impl FnMut(&str, &str, &Path)) -> Result<(), StoreError> {
        let runs = self.runs();
        let read = |e| directory_error("read", &runs, e);
        for entry in std::fs::read_dir(&runs).map_err(read)? {
            let path = entry.map_err(read)?.path();
            if let (Some(stem), Some(extension)) =
                (path.file_stem().and_then(|s| s.to_str()), path.extension().and_then(|e| e.to_str()))
                && id::is_id(stem)
            {
                visit(stem, extension, &path);
            }
        }
        Ok(())
    }

    /// Deletes journals that a killed process left without a plan. Errors are ignored.
    pub(crate) fn sweep(&self) -> Result<(), StoreError> {
        self.each_file(|_, extension, path| {
            if extension == TEMPORARY && is_old(path) && os::open_existing(path, true).is_ok_and(|f| is_free(&f)) {
                let _ = std::fs::remove_file(path);
            }
        })
    }

    /// Returns the id to which `typed` refers. `typed` is a whole id or its first digits; or `last`, `last-1` and so on
    /// for the newest runs; or a tag that exactly one run has.
    ///
    /// # Errors
    /// Returns an error if `typed` matches no run (the error suggests similar ids) or several runs (the error lists
    /// them).
    pub fn find(&self, typed: &str) -> Result<String, StoreError> {
        if let Some(back) = id::back_from_last(typed) {
            let runs = self.list()?.runs;
            let count = runs.len();
            let run = runs.into_iter().nth(back);
            return run.map(|r| r.id).ok_or_else(|| StoreError::TooFew { typed: model::clip(typed), count });
        }
        let unknown = match id::find(typed, &self.ids()?) {
            Err(e @ (StoreError::BadId { .. } | StoreError::Unknown { .. })) => e,
            result => return result,
        };
        let tagged = self.list()?.runs.into_iter().filter(|r| r.labels.tags.contains(typed));
        let mut tagged: Vec<String> = tagged.map(|r| r.id).collect();
        match tagged.len() {
            0 => Err(unknown),
            1 => Ok(tagged.remove(0)),
            count => Err(StoreError::SeveralTagged { tag: model::clip(typed), count, newest: tagged.remove(0) }),
        }
    }

    /// Returns the record of the run to which `typed` refers.
    ///
    /// # Errors
    /// Returns the same errors as [`Store::find`] and [`recover`].
    pub fn read(&self, typed: &str) -> Result<RunRecord, StoreError> {
        self.recover(typed).map(|r| r.record)
    }

    /// Returns the run to which `typed` refers, with the state of its journal.
    ///
    /// # Errors
    /// Returns the same errors as [`Store::find`] and [`recover`].
    pub fn recover(&self, typed: &str) -> Result<Recovered, StoreError> {
        let id = self.find(typed)?;
        let run = self.recover_any(&id)?;
        if run.is_damaged() && !run.live {
            self.list_damaged(&run);
        }
        Ok(run)
    }

    /// Updates the index row of a run whose journal turned out to be damaged, because a listing would not read that
    /// journal.
    fn list_damaged(&self, run: &Recovered) {
        let mut summary = RunSummary::from_recovered(run);
        summary.set_digest(self.digest_of(&run.record));
        summary.labels = self.labels(&summary.id).unwrap_or_default();
        // If the index is unusable, the next listing reads the journal anyway.
        if self.is_here(&summary.id).unwrap_or(false) {
            let _ = self.change_index(|index| index.put(&summary));
        }
    }

    /// Recovers a run by its whole id from the directory or the team's store.
    pub(crate) fn recover_any(&self, id: &str) -> Result<Recovered, StoreError> {
        match self.server() {
            Some(server) if !self.is_here(id)? => self.recover_team(server, id),
            _ => Ok(self.recover_id(id)?),
        }
    }

    /// Returns `true` if the run's journal is in the directory.
    pub(crate) fn is_here(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.journal_path(id)?.symlink_metadata().is_ok())
    }

    /// Recovers a run from the directory. `id` must be the id of one of its journals.
    pub(crate) fn recover_id(&self, id: &str) -> Result<Recovered, RecoverError> {
        recover(&self.runs().join(format!("{id}.{JOURNAL}")))
    }

    /// Removes a run: its journal, labels and index row. Accepts only a whole id; see [`Store::find`].
    ///
    /// # Errors
    /// Returns an error if there is no such run, if it is running, or if its files cannot be removed. An unusable index
    /// is not an error: the next listing deletes the row.
    pub fn remove(&self, id: &str) -> Result<Indexed, StoreError> {
        let Some(server) = self.server() else { return self.remove_here(id) };
        let here = if self.is_here(id)? { Some(self.remove_here(id)?) } else { None };
        let removed = server.remove(id)?;
        match here {
            None if !removed => Err(StoreError::unknown(id)),
            here => Ok(here.unwrap_or(Indexed::Yes)),
        }
    }

    /// Removes a run from the directory.
    pub(crate) fn remove_here(&self, id: &str) -> Result<Indexed, StoreError> {
        let path = self.journal_path(id)?;
        let failed = |source| StoreError::Remove { path: path.clone(), source };
        match os::open_existing(&path, false) {
            // Hold the lock until the file is removed, to exclude readers and other removals.
            Ok(file) if !os::lock_exclusive(&file).map_err(failed)? => {
                return Err(StoreError::Live { id: id.to_owned() });
            }
            Ok(_file) => {
                // Remove the labels first. Otherwise they could remain and be applied to a later run with the same id.
                os::unless_missing(std::fs::remove_file(path.with_extension(LABELS))).map_err(failed)?;
                std::fs::remove_file(&path).map_err(failed)?;
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::unknown(id));
            }
            Err(e) => return Err(failed(e)),
        }
        os::sync_dir(&self.runs()).map_err(failed)?;
        Ok(self.change_index(|index| index.delete(id)))
    }

    /// Releases the space that a killed run had reserved after its last frame. Errors are ignored.
    pub(crate) fn release_reserve(&self, id: &str) {
        let path = self.runs().join(format!("{id}.{JOURNAL}"));
        if let Ok(file) = os::open_existing(&path, true)
            && is_free(&file)
            && let Ok(meta) = file.metadata()
        {
            // The length stays the same, so the contents of the journal do not change.
            let _ = file.set_len(meta.len());
        }
    }
}

/// Tries to take an exclusive lock on the file. Returns `true` on success; the lock is then held until `file` is
/// dropped.
pub(crate) fn is_free(file: &std::fs::File) -> bool {
    os::lock_exclusive(file).unwrap_or(false)
}

fn is_old(path: &Path) -> bool {
    let age = path.symlink_metadata().and_then(|m| m.modified()).map(|m| SystemTime::now().duration_since(m));
    matches!(age, Ok(Ok(age)) if age > TEMPORARY_AGE)
}

fn directory_error(doing: &'static str, dir: &Path, source: io::Error) -> StoreError {
    StoreError::Directory { doing, dir: dir.to_owned(), source }
}
