//! What is known of the store while it is served: the runs as they stand, figures that were asked for, runs that are followed.

use super::following::Followed;
use crate::args::{PageLanguage, StoreArg};
use crate::commands::runs::row;
use crate::commands::show::{judging, open_existing};
use crate::exit::{self, coded};
use crate::places;
use anyhow::Result;
use model::{Labels, RunRecord};
use report::formats::dashboard::{Headline, ListedRun};
use report::formats::html::Language;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Lookout, RunStatus, RunSummary, Store};

/// Runs followed at a time; the one nobody asked for the longest is let go.
const FOLLOWED: usize = 8;
/// A run nobody asked for so long is not followed any more.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// Everything that answers are made of.
pub struct Board {
    dir: PathBuf,
    pub lang: PageLanguage,
    lookout: Mutex<Option<Lookout>>,
    /// Of runs that are over; `None` for those that cannot be read.
    figures: Mutex<HashMap<String, Option<Headline>>>,
    followed: Mutex<HashMap<String, Arc<Mutex<Followed>>>>,
}

/// What a holder that panicked left is as good as what it found: everything here can be read again.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Board {
    /// Of a store that is there, or of the usual place, where one may come to be.
    pub fn open(arg: &StoreArg, lang: PageLanguage) -> Result<Board> {
        let lookout = open_existing(arg)?.map(Lookout::new);
        let place = "neither XDG_DATA_HOME nor HOME is set: name a directory with --store";
        let dir = places::store_dir(arg.store.as_ref()).ok_or_else(|| coded(exit::CANNOT, place))?;
        Ok(Board {
            dir,
            lang,
            lookout: Mutex::new(lookout),
            figures: Mutex::new(HashMap::new()),
            followed: Mutex::new(HashMap::new()),
        })
    }

    /// Where the runs are.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn language(&self) -> Language {
        self.lang.of_pages()
    }

    /// All runs as they stand, newest first. The error is a sentence.
    pub fn look(&self) -> Result<Vec<RunSummary>, String> {
        let mut lookout = locked(&self.lookout);
        if lookout.is_none() {
            *lookout = Store::existing(&self.dir).map_err(|e| e.to_string())?.map(judging).map(Lookout::new);
        }
        lookout.as_mut().map_or(Ok(Vec::new()), |l| l.look().map_err(|e| e.to_string()))
    }

    /// The store, if there is one by now.
    pub fn store(&self) -> Option<Store> {
        locked(&self.lookout).as_ref().map(|l| l.store().clone())
    }

    /// A run as the list shows it, with its figures if they are known.
    pub fn listed(&self, run: RunSummary) -> ListedRun {
        let figures = locked(&self.figures).get(&run.id).cloned().flatten();
        ListedRun { row: row(run), figures }
    }

    /// Whose figures are shown for a run; empty while they are not known.
    pub fn label(&self, id: &str) -> String {
        locked(&self.figures).get(id).and_then(Option::as_ref).map(|f| f.label.clone()).unwrap_or_default()
    }

    /// The figures of a run; read and judged if they are not known. `None`: it is in progress, unreadable, or gone.
    pub fn figures(&self, id: &str) -> Option<Headline> {
        if let Some(known) = locked(&self.figures).get(id) {
            return known.clone();
        }
        let recovered = self.store()?.recover(id).ok();
        if recovered.as_ref().is_some_and(|r| r.live && !r.ended()) {
            return None;
        }
        let figures = recovered.map(|r| Headline::of(&analysis::judge(&r.record)));
        locked(&self.figures).insert(id.to_owned(), figures.clone());
        figures
    }

    /// The whole record of a run, and whether it is still in progress. The error is a sentence.
    pub fn record(&self, id: &str) -> Result<(RunRecord, bool), String> {
        let none = || "there are no runs yet".to_owned();
        let recovered = self.store().ok_or_else(none)?.recover(id).map_err(|e| e.to_string())?;
        let running = recovered.live && !recovered.ended();
        Ok((recovered.record, running))
    }

    /// What is said of a run; nothing where that cannot be read.
    pub fn labels(&self, id: &str) -> Labels {
        self.store().and_then(|store| store.labels(id).ok()).unwrap_or_default()
    }

    /// Whether a run is in progress, by what the list says.
    pub fn is_running(&self, id: &str) -> bool {
        self.look().is_ok_and(|runs| runs.iter().any(|r| r.id == id && r.state == RunStatus::Running))
    }

    /// A run that is followed, or begins to be. The error is a sentence.
    pub fn follow(&self, id: &str) -> Result<Arc<Mutex<Followed>>, String> {
        let mut followed = locked(&self.followed);
        followed.retain(|_, f| f.try_lock().map_or(true, |f| f.asked.elapsed() < FORGOTTEN));
        if let Some(found) = followed.get(id) {
            return Ok(Arc::clone(found));
        }
        if followed.len() >= FOLLOWED {
            let asked = |f: &Arc<Mutex<Followed>>| f.try_lock().map_or(Duration::ZERO, |f| f.asked.elapsed());
            let oldest = followed.iter().max_by_key(|(_, f)| asked(f)).map(|(id, _)| id.clone());
            oldest.and_then(|id| followed.remove(&id));
        }
        let store = self.store().ok_or("there are no runs yet")?;
        let path = store.journal_path(id).map_err(|e| e.to_string())?;
        let new = Arc::new(Mutex::new(Followed::open(&path)?));
        followed.insert(id.to_owned(), Arc::clone(&new));
        Ok(new)
    }

    /// A run that is not followed any more: it was removed, say.
    pub fn forget(&self, id: &str) {
        locked(&self.followed).remove(id);
    }
}
