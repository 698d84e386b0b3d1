//! State kept while runs are served: figures that were requested, and runs that are being followed.

use super::following::Followed;
use super::source::{Source, Trouble};
use crate::commands::runs::row;
use anyhow::Result;
use cli::StoreArg;
use model::{RunRecord, record::Labels};
use report::formats::dashboard::{Headline, ListedRun};
use report::formats::html::Language;
use session::locked::locked;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{RunStatus, RunSummary};

/// Maximum number of runs followed at a time; the least recently requested one is dropped.
const FOLLOWED: usize = 8;
/// Time without a request after which a run is no longer followed.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// Figures of a run, with the state in which the run was first listed after its figures had been requested.
type Known = (Option<RunStatus>, Option<Headline>);

/// State that is needed to answer requests.
pub struct DashboardState {
    pub source: Source,
    /// Figures of runs that have ended; `None` for runs that cannot be read. An entry is dropped if the listed state of
    /// its run changes, for example to damaged.
    figures: Mutex<HashMap<String, Known>>,
    followed: Mutex<HashMap<String, Arc<Mutex<Followed>>>>,
}

impl DashboardState {
    /// Opens an existing store, or the default directory, in which a store may be created later.
    pub fn open(arg: &StoreArg) -> Result<DashboardState> {
        let source = Source::open(arg)?;
        Ok(DashboardState { source, figures: Mutex::new(HashMap::new()), followed: Mutex::new(HashMap::new()) })
    }

    pub fn language(&self) -> Language {
        session::language::chosen()
    }

    /// Returns a run for the list, with its figures if they are known.
    pub fn listed(&self, run: RunSummary) -> ListedRun {
        let mut known = locked(&self.figures);
        let mut figures = None;
        if let Some((state, known_figures)) = known.get_mut(&run.id) {
            if *state.get_or_insert(run.state) == run.state {
                figures.clone_from(known_figures);
            } else {
                known.remove(&run.id);
            }
        }
        drop(known);
        ListedRun { row: row(run), figures }
    }

    /// Returns the label of the figures that are shown for a run; empty while they are unknown.
    pub fn label(&self, id: &str) -> String {
        locked(&self.figures).get(id).and_then(|(_, f)| f.as_ref()).map(|f| f.label.clone()).unwrap_or_default()
    }

    /// Returns the figures of a run. The run is read and judged if they are not known yet. Returns `None` if the run is
    /// in progress, unreadable, or gone.
    pub fn figures(&self, id: &str) -> Result<Option<Headline>, Trouble> {
        if let Some((_, known)) = locked(&self.figures).get(id) {
            return Ok(known.clone());
        }
        let recovered = match self.source.recover(id) {
            Ok(recovered) if recovered.live && !recovered.ended() => return Ok(None),
            Ok(recovered) => Some(recovered),
            // The store may be available again later, so do not cache this result.
            Err(trouble @ (Trouble::Away(_) | Trouble::Store(_))) => return Err(trouble),
            Err(Trouble::Run(_)) => None,
        };
        let figures = recovered.map(|r| Headline::new(&analysis::judge(&r.record), session::language::chosen()));
        locked(&self.figures).insert(id.to_owned(), (None, figures.clone()));
        Ok(figures)
    }

    /// Returns the record and the labels of a run.
    pub fn kept(&self, id: &str) -> Result<(RunRecord, Labels), Trouble> {
        Ok((self.source.recover(id)?.record, self.source.labels(id)?))
    }

    /// Returns `true` if the list shows the run as in progress.
    pub fn is_running(&self, id: &str) -> bool {
        !self.source.is_team()
            && self.source.list().is_ok_and(|runs| runs.iter().any(|r| r.id == id && r.state == RunStatus::Running))
    }

    /// Returns a followed run. Opens its journal if the run is not followed yet.
    pub fn follow(&self, id: &str) -> Result<Arc<Mutex<Followed>>, Trouble> {
        let mut followed = locked(&self.followed);
        followed.retain(|_, f| f.try_lock().map_or(true, |f| f.asked.elapsed() < FORGOTTEN));
        if let Some(run) = followed.get(id) {
            return Ok(Arc::clone(run));
        }
        if followed.len() >= FOLLOWED {
            let asked = |f: &Arc<Mutex<Followed>>| f.try_lock().map_or(Duration::ZERO, |f| f.asked.elapsed());
            let oldest = followed.iter().max_by_key(|(_, f)| asked(f)).map(|(id, _)| id.clone());
            oldest.and_then(|id| followed.remove(&id));
        }
        let path = self.source.journal(id)?;
        let new = Arc::new(Mutex::new(Followed::open(&path).map_err(Trouble::Run)?));
        followed.insert(id.to_owned(), Arc::clone(&new));
        Ok(new)
    }

    /// Stops following a run, for example because it was removed.
    pub fn forget(&self, id: &str) {
        locked(&self.followed).remove(id);
    }
}
