//! Source of the served runs: a directory on this machine, or a team's database, which secchi only reads here.

use crate::commands::runs::filter_of;
use anyhow::Result;
use cli::StoreArg;
use model::record::Labels;
use session::environment;
use session::exit::{self, coded};
use session::locked::locked;
use session::run_store::{digest_of, judging, open_existing};
use std::path::PathBuf;
use std::sync::Mutex;
use store::{Recovered, RunListCache, RunSummary, Store, StoreError, TeamView};

/// Runs to serve.
pub enum Source {
    /// Runs in a directory, including runs in progress. The store may be created later.
    Here {
        /// Path of the store.
        dir: PathBuf,
        /// Cached list of the store, once it exists.
        lookout: Mutex<Option<RunListCache>>,
    },
    /// Runs of a team. Each of them was pushed after it had ended.
    Team(TeamView),
}

/// Reason why a request cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The store cannot be reached now, but perhaps later.
    Away(String),
    /// The store cannot be read.
    Store(String),
    /// The run does not exist or cannot be read.
    Run(String),
}

impl Trouble {
    /// Returns the sentence.
    pub fn reason(&self) -> &str {
        match self {
            Trouble::Away(reason) | Trouble::Store(reason) | Trouble::Run(reason) => reason,
        }
    }

    fn from_error(error: &StoreError, otherwise: fn(String) -> Trouble) -> Trouble {
        match error {
            StoreError::Team(team) if team.is_away() => Trouble::Away(team.to_string()),
            StoreError::Team(team) => Trouble::Store(team.to_string()),
            other => otherwise(other.to_string()),
        }
    }
}

impl Source {
    /// Opens an existing store, or the default directory, in which a store may be created later.
    pub fn open(arg: &StoreArg) -> Result<Source> {
        if let Some(url) = arg.store.as_deref().filter(|place| store::is_team(place)) {
            let view = TeamView::open(&url.to_string_lossy(), &environment::team_access(), digest_of)
                .map_err(|e| coded(exit::BAD_INPUT, e))?;
            view.reach().map_err(|e| coded(exit::CANNOT, e))?;
            return Ok(Source::Team(view));
        }
        let lookout = open_existing(arg.store.as_ref())?.map(RunListCache::new);
        let place = "neither XDG_DATA_HOME nor HOME is set: name a directory with --store";
        let dir = environment::store_dir(arg.store.as_ref()).ok_or_else(|| coded(exit::CANNOT, place))?;
        Ok(Source::Here { dir, lookout: Mutex::new(lookout) })
    }

    /// Returns the displayed name, without a password.
    pub fn name(&self) -> String {
        match self {
            Source::Here { dir, .. } => dir.display().to_string(),
            Source::Team(view) => view.name().to_owned(),
        }
    }

    /// Returns `true` if the runs are a team's.
    pub fn is_team(&self) -> bool {
        matches!(self, Source::Team(_))
    }

    /// Returns the current list of runs, newest first.
    pub fn list(&self) -> Result<Vec<RunSummary>, Trouble> {
        match self {
            Source::Here { dir, lookout } => {
                let trouble = |e: StoreError| Trouble::from_error(&e, Trouble::Store);
                let mut lookout = locked(lookout);
                if lookout.is_none() {
                    *lookout = Store::existing(dir).map_err(trouble)?.map(judging).map(RunListCache::new);
                }
                lookout.as_mut().map_or(Ok(Vec::new()), |l| l.refresh().map_err(trouble))
            }
            Source::Team(view) => view.list().map_err(|e| Trouble::from_error(&e.into(), Trouble::Store)),
        }
    }

    /// Reads the run with this full ID.
    pub fn recover(&self, id: &str) -> Result<Recovered, Trouble> {
        let run = match self {
            Source::Here { .. } => {
                self.here().ok_or_else(|| Trouble::Run("there are no runs yet".to_owned()))?.recover(id)
            }
            Source::Team(view) => view.recover(id),
        };
        run.map_err(|e| Trouble::from_error(&e, Trouble::Run))
    }

    /// Returns the tags and the note of a run. They are empty if the file of labels in a directory cannot be read.
    pub fn labels(&self, id: &str) -> Result<Labels, Trouble> {
        match self {
            Source::Here { .. } => Ok(self.here().and_then(|store| store.labels(id).ok()).unwrap_or_default()),
            Source::Team(view) => view.labels(id).map_err(|e| Trouble::from_error(&e.into(), Trouble::Store)),
        }
    }

    /// Returns the path of the journal of a run in progress. Such journals exist only on this machine.
    pub fn journal(&self, id: &str) -> Result<PathBuf, Trouble> {
        let none = || {
            Trouble::Run(match self {
                Source::Here { .. } => "there are no runs yet".to_owned(),
                Source::Team(_) => "a run of a team's store has always ended: runs are pushed when they end".to_owned(),
            })
        };
        self.here().ok_or_else(none)?.journal_path(id).map_err(|e| Trouble::Run(e.to_string()))
    }

    /// Returns the store in the directory, if it exists by now.
    fn here(&self) -> Option<Store> {
        match self {
            Source::Here { lookout, .. } => locked(lookout).as_ref().map(|l| l.store().clone()),
            Source::Team(_) => None,
        }
    }
}

/// A search query.
pub enum Search {
    /// Words that a run must contain.
    Words(Vec<String>),
    /// A filter, as accepted by `secchi runs --where`.
    Filter(store::Filter),
}

impl Search {
    /// Parses a query. A query that contains an operator counts as a filter even if it is invalid; the error is then
    /// the same as for the command.
    pub fn read(typed: &str) -> Result<Search, String> {
        let words = || Search::Words(typed.to_lowercase().split_whitespace().map(str::to_owned).collect());
        if typed.is_empty() {
            return Ok(words());
        }
        match filter_of(typed) {
            Ok(filter) => Ok(Search::Filter(filter)),
            Err(reason) if typed.contains(['=', '~', '<', '>']) => Err(reason),
            Err(_) => Ok(words()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_a_filter_where_it_reads_as_one_and_words_elsewhere() {
        for filter in ["bs=8k", "target~/mnt and not tag=old", "since 3d", "(exit=1)", "before 2026-11-01"] {
            assert!(matches!(Search::read(filter), Ok(Search::Filter(_))), "{filter}");
        }
        for words in ["", "randread mnt", "before the move", "since", "nightly and good", "it's 8k (old)"] {
            assert!(matches!(Search::read(words), Ok(Search::Words(_))), "{words}");
        }
        for (wrong, needle) in
            [("bs=8q", "bs: "), ("blocksize=8k", "unknown field"), ("mnt bs=8k", "mnt"), ("bs=", "a value")]
        {
            let error = Search::read(wrong).err().unwrap_or_default();
            assert!(error.contains(needle), "{wrong}: {error}");
        }
    }
}
