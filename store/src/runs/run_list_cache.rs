//! Cached list of runs for pages that are refreshed regularly. It changes no files. A run that can no longer change is
//! read once. For a run in progress, only the beginning is read.

use crate::index::index_file::Index;
use crate::journal::follow::Follower;
use crate::journal::recover::is_live;
use crate::os;
use crate::runs::error::StoreError;
use crate::runs::listing::newest_first;
use crate::runs::store::Store;
use crate::summary::{RunStatus, RunSummary};
use crate::time;
use model::{Nanos, RunRecord};
use std::collections::HashMap;
use std::fs::Metadata;
use std::io;
use std::time::{Duration, SystemTime};

/// Maximum time to wait for the index lock. Without the index, the journals are read, which is only slower.
const PATIENCE: Duration = Duration::from_millis(200);

/// Cache for repeated listings of a directory of runs. For a team's store, see [`crate::TeamView`].
#[derive(Debug)]
pub struct RunListCache {
    store: Store,
    known: HashMap<String, CachedRun>,
}

/// Cached state of a run.
#[derive(Debug)]
struct CachedRun {
    summary: RunSummary,
    /// Length and modification time of the journal when it was last read. If they change, the journal is read again.
    journal_version: Option<(u64, SystemTime)>,
}

impl RunListCache {
    /// Creates an empty cache for a store.
    #[must_use]
    pub fn new(store: Store) -> RunListCache {
        RunListCache { store, known: HashMap::new() }
    }

    /// Returns the store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns all runs in their current state, newest first. Like [`Store::list`], but without changing the index or
    /// journals.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be read. An unusable index is not an error: the journals are read
    /// instead.
    pub fn refresh(&mut self) -> Result<Vec<RunSummary>, StoreError> {
        let ids = self.store.ids_here()?;
        let (labels, _) = self.store.all_labels()?;
        if ids.iter().any(|id| !self.known.contains_key(id)) {
            self.load_settled();
        }
        let mut known = std::mem::take(&mut self.known);
        let mut runs = Vec::with_capacity(ids.len());
        for id in ids {
            // Skip a run that was removed since the directory was read.
            let Some(seen) = self.refresh_run(&id, known.remove(&id)) else { continue };
            let labels_of_run = labels.get(&id).cloned().unwrap_or_default();
            runs.push(RunSummary { labels: labels_of_run, ..seen.summary.clone() });
            self.known.insert(id, seen);
        }
        newest_first(&mut runs);
        Ok(runs)
    }

    /// Loads runs that can no longer change from the index, except those whose journals were written after the index.
    fn load_settled(&mut self) {
        let indexed_at = Index::written(self.store.dir());
        for row in Index::read_unchanged(self.store.dir(), PATIENCE).unwrap_or_default() {
            let id = &row.summary.id;
            if row.sound && row.summary.state.is_settled() && !self.store.written_after(id, indexed_at) {
                let journal_version = self.journal_version(id);
                self.known.entry(id.clone()).or_insert(CachedRun { summary: row.summary, journal_version });
            }
        }
    }

    /// Returns the length and modification time of a journal, without opening it.
    fn journal_version(&self, id: &str) -> Option<(u64, SystemTime)> {
        version(&self.store.journal_path(id).ok()?.symlink_metadata().ok()?)
    }

    /// Returns the current state of a run, or `None` if the run was removed.
    fn refresh_run(&self, id: &str, known: Option<CachedRun>) -> Option<CachedRun> {
        let as_seen = |k: &CachedRun| {
            k.summary.state.is_settled() && k.journal_version.is_some() && k.journal_version == self.journal_version(id)
        };
        if known.as_ref().is_some_and(as_seen) {
            return known;
        }
        let path = self.store.journal_path(id).ok()?;
        let file = match os::open_existing(&path, false) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return None,
            Err(e) => {
                let summary = RunSummary::unreadable(id, &e.to_string().into(), known.as_ref().map(|k| &k.summary));
                return Some(CachedRun { summary, journal_version: None });
            }
        };
        let live = is_live(&file).ok()?;
        let meta = file.metadata().ok()?;
        let journal_version = version(&meta);
        if live {
            let begun = known.map(|k| k.summary).filter(|s| s.state == RunStatus::Running).or_else(|| {
                let (_, begin) = Follower::open(&path).ok()?;
                Some(RunSummary::begun(&RunRecord::begin(begin).ok()?, RunStatus::Running))
            });
            if let Some(mut summary) = begun {
                summary.duration = since(&summary.started, &meta);
                return Some(CachedRun { summary, journal_version: None });
            }
            // Not even the first event of the journal can be read.
            return Some(CachedRun { summary: self.store.summarize_journal(id, None), journal_version });
        }
        drop(file);
        // A damaged journal stays damaged unless it is written again.
        let is_same = |k: &CachedRun| journal_version.is_some() && k.journal_version == journal_version;
        if known.as_ref().is_some_and(|k| k.summary.state.is_spoilt() && is_same(k)) {
            return known;
        }
        let summary = self.store.summarize_journal(id, known.as_ref().map(|k| &k.summary));
        Some(CachedRun { summary, journal_version })
    }
}

/// Returns the length and modification time of a journal.
fn version(meta: &Metadata) -> Option<(u64, SystemTime)> {
    Some((meta.len(), meta.modified().ok()?))
}

/// Returns the time from the start of a run to the last write to its journal.
fn since(started: &str, journal: &Metadata) -> Nanos {
    let written = journal.modified().ok().and_then(|m| m.duration_since(SystemTime::UNIX_EPOCH).ok());
    let (Some(started), Some(written)) = (time::parse_instant(started), written) else { return Nanos(0) };
    let passed = i128::try_from(written.as_nanos()).unwrap_or(started).saturating_sub(started);
    Nanos(u64::try_from(passed).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use std::collections::BTreeMap;
    use std::path::Path;

    /// Returns every file of a store with its contents, except SQLite's log and shared memory.
    fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        for dir in [dir.to_owned(), dir.join("runs")] {
            for entry in std::fs::read_dir(dir).expect("ours").flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if entry.path().is_file() && !name.ends_with("-shm") && !name.ends_with("-wal") {
                    files.insert(name, std::fs::read(entry.path()).expect("ours"));
                }
            }
        }
        files
    }

    fn kept(store: &Store, seed: u64, finish: bool) -> String {
        let events = fixture::run(seed, 2);
        let mut writer = store.create_run(&events[0]).expect("begun");
        events[1..].iter().for_each(|e| writer.append(e).expect("appended"));
        let id = writer.id().to_owned();
        if finish {
            writer.finish("good").expect("finished");
        }
        id
    }

    #[test]
    fn it_tells_what_a_listing_tells_and_changes_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path()).expect("a store").with_digest(|_| "judged");
        kept(&store, 31, true);
        // This run was dropped without `finish`, so its row still says that it is running.
        kept(&store, 32, false);
        std::fs::write(store.journal_path(&fixture::id(33)).expect("an id"), b"no journal").expect("ours");
        let before = contents(dir.path());
        let mut lookout = RunListCache::new(store.clone());
        let seen = lookout.refresh().expect("it can be read");
        assert_eq!(contents(dir.path()), before);
        assert_eq!(lookout.refresh().expect("again"), seen);
        assert_eq!(seen, store.list().expect("listed").runs);
    }

    #[test]
    fn a_run_in_progress_is_seen_and_so_is_its_end() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path()).expect("a store");
        let mut lookout = RunListCache::new(store.clone());
        assert_eq!(lookout.refresh().expect("empty"), []);
        let events = fixture::run(34, 2);
        let mut writer = store.create_run(&events[0]).expect("begun");
        let running = lookout.refresh().expect("one");
        assert_eq!((running.len(), running[0].state), (1, RunStatus::Running));
        events[1..].iter().for_each(|e| writer.append(e).expect("appended"));
        let id = writer.id().to_owned();
        let finished = writer.finish("well done").expect("finished").summary;
        let over = lookout.refresh().expect("one");
        assert_eq!((over[0].state, over[0].duration), (finished.state, finished.duration));
        store.remove(&id).expect("removed");
        assert_eq!(lookout.refresh().expect("none"), []);
    }

    #[test]
    fn without_an_index_the_journals_tell() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path()).expect("a store");
        let id = kept(&store, 35, true);
        std::fs::write(dir.path().join("index.sqlite"), b"garbage, which is no database at all").expect("ours");
        let before = contents(dir.path());
        let seen = RunListCache::new(store).refresh().expect("it can be read");
        assert_eq!((seen.len(), seen[0].id.as_str()), (1, id.as_str()));
        assert_eq!(contents(dir.path()), before);
    }

    #[test]
    fn a_run_whose_journal_is_another_by_now_is_not_shown_as_it_was() {
        for known in [false, true] {
            let dir = tempfile::tempdir().expect("a directory");
            let store = Store::open(dir.path()).expect("a store");
            let id = kept(&store, 36, true);
            let mut lookout = RunListCache::new(store.clone());
            if known {
                assert_eq!(lookout.refresh().expect("one")[0].state, RunStatus::Complete);
            }
            let path = store.journal_path(&id).expect("an id");
            let mut bytes = std::fs::read(&path).expect("ours");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(&path, bytes).expect("ours");
            let later = SystemTime::now() + Duration::from_secs(5);
            std::fs::File::options().write(true).open(&path).and_then(|f| f.set_modified(later)).expect("ours");
            assert_eq!(lookout.refresh().expect("one")[0].state, RunStatus::Damaged, "known before: {known}");
        }
    }

    #[test]
    fn a_store_that_vanished_is_an_error() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut lookout = RunListCache::new(Store::open(dir.path()).expect("a store"));
        std::fs::remove_dir_all(dir.path().join("runs")).expect("ours");
        assert!(lookout.refresh().is_err());
    }
}
