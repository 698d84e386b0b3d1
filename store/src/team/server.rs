//! What a server that keeps a team's runs does for us.

use crate::filter::Filter;
use crate::index::rows::IndexRow;
use crate::runs::labels_file::LabelChange;
use crate::runs::summary::RunSummary;
use crate::team::error::TeamError;
use model::{LabelError, Labels};

/// What became of a change of a run's labels.
#[derive(Debug)]
#[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "no server is built that answers"))]
pub(crate) enum Relabelled {
    /// The run has these labels now.
    Changed(Labels),
    /// The result would be out of bounds, and nothing was changed.
    OutOfBounds(LabelError),
    /// There is no such run.
    NoSuchRun,
}

/// What a server does for us.
pub(crate) trait Server: Send + Sync {
    /// How it is shown: without its password.
    fn name(&self) -> &str;
    /// Whether it answers, is ours, and of our version.
    fn check(&self) -> Result<(), TeamError>;
    /// Makes the tables; nothing where they are.
    fn init(&self) -> Result<(), TeamError>;
    fn ids(&self) -> Result<Vec<String>, TeamError>;
    /// Of all runs, or of those a filter lists.
    fn rows(&self, filter: Option<&Filter>) -> Result<Vec<IndexRow>, TeamError>;
    /// Puts a run whole; one that is there, the same to the byte, is kept once.
    fn put(&self, summary: &RunSummary, journal: &[u8]) -> Result<(), TeamError>;
    fn journal(&self, id: &str) -> Result<Option<Vec<u8>>, TeamError>;
    fn labels(&self, id: &str) -> Result<Option<Labels>, TeamError>;
    fn relabel(&self, id: &str, change: &LabelChange) -> Result<Relabelled, TeamError>;
    /// Whether there was one.
    fn remove(&self, id: &str) -> Result<bool, TeamError>;
}
