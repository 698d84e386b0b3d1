//! What is known of the runs while they are served: figures that were asked for, runs that are followed.

use super::following::Followed;
use super::source::{Source, Trouble};
use crate::args::StoreArg;
use crate::commands::runs::row;
use crate::locked::locked;
use anyhow::Result;
use model::{Labels, RunRecord};
use report::formats::dashboard::{Headline, ListedRun};
use report::formats::html::Language;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{RunStatus, RunSummary};

/// Runs followed at a time; the one nobody asked for the longest is let go.
const FOLLOWED: usize = 8;
/// A run nobody asked for so long is not followed any more.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// A run's figures, and the state it was listed in since they were asked for.
type Known = (Option<RunStatus>, Option<Headline>);

/// Everything that answers are made of.
pub struct DashboardState {
    pub source: Source,
    /// Of runs that are over; `None` for those that cannot be read. With the state they were listed in since: figures of
    /// a run that has become another, a damaged one, say, are not shown any more.
    figures: Mutex<HashMap<String, Known>>,
    followed: Mutex<HashMap<String, Arc<Mutex<Followed>>>>,
}

impl DashboardState {
    /// Of a store that is there, or of the usual place, where one may come to be.
    pub fn open(arg: &StoreArg) -> Result<DashboardState> {
        let source = Source::open(arg)?;
        Ok(DashboardState { source, figures: Mutex::new(HashMap::new()), followed: Mutex::new(HashMap::new()) })
    }

    pub fn language(&self) -> Language {
        crate::language::chosen()
    }

    /// A run as the list shows it, with its figures if they are known.
    pub fn listed(&self, run: RunSummary) -> ListedRun {
        let mut known = locked(&self.figures);
        let mut figures = None;
        if let Some((state, found)) = known.get_mut(&run.id) {
            if *state.get_or_insert(run.state) == run.state {
                figures.clone_from(found);
            } else {
                known.remove(&run.id);
            }
        }
        drop(known);
        ListedRun { row: row(run), figures }
    }

    /// Whose figures are shown for a run; empty while they are not known.
    pub fn label(&self, id: &str) -> String {
        locked(&self.figures).get(id).and_then(|(_, f)| f.as_ref()).map(|f| f.label.clone()).unwrap_or_default()
    }

    /// The figures of a run; read and judged if they are not known. `None`: it is in progress, unreadable, or gone.
    pub fn figures(&self, id: &str) -> Result<Option<Headline>, Trouble> {
        if let Some((_, known)) = locked(&self.figures).get(id) {
            return Ok(known.clone());
        }
        let recovered = match self.source.recover(id) {
            Ok(recovered) if recovered.live && !recovered.ended() => return Ok(None),
            Ok(recovered) => Some(recovered),
            // What is not to be had now may be later.
            Err(trouble @ (Trouble::Away(_) | Trouble::Store(_))) => return Err(trouble),
            Err(Trouble::Run(_)) => None,
        };
        let figures = recovered.map(|r| Headline::new(&analysis::judge(&r.record), crate::language::chosen()));
        locked(&self.figures).insert(id.to_owned(), (None, figures.clone()));
        Ok(figures)
    }

    /// The whole record of a run, and what is said of it.
    pub fn kept(&self, id: &str) -> Result<(RunRecord, Labels), Trouble> {
        Ok((self.source.recover(id)?.record, self.source.labels(id)?))
    }

    /// Whether a run is in progress, by what the list says.
    pub fn is_running(&self, id: &str) -> bool {
        !self.source.is_team()
            && self.source.list().is_ok_and(|runs| runs.iter().any(|r| r.id == id && r.state == RunStatus::Running))
    }

    /// A run that is followed, or begins to be.
    pub fn follow(&self, id: &str) -> Result<Arc<Mutex<Followed>>, Trouble> {
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
        let path = self.source.journal(id)?;
        let new = Arc::new(Mutex::new(Followed::open(&path).map_err(Trouble::Run)?));
        followed.insert(id.to_owned(), Arc::clone(&new));
        Ok(new)
    }

    /// A run that is not followed any more: it was removed, say.
    pub fn forget(&self, id: &str) {
        locked(&self.followed).remove(id);
    }
}
