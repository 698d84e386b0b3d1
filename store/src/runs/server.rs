//! Interface of a server that stores a team's runs.

use crate::filter::Filter;
use crate::index::rows::IndexRow;
use crate::runs::labels_file::LabelChange;
use crate::runs::team_error::TeamError;
use crate::summary::RunSummary;
use model::record::{LabelError, Labels};

/// Result of changing a run's labels.
#[derive(Debug)]
#[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "this build has no server"))]
pub(crate) enum Relabelled {
    /// The labels were changed. Holds the new labels.
    Changed(Labels),
    /// The new labels would exceed the limits. Nothing was changed.
    OutOfBounds(LabelError),
    /// There is no such run.
    NoSuchRun,
}

/// Server that stores runs.
pub(crate) trait Server: Send + Sync {
    /// Returns the name for display, without the password.
    fn name(&self) -> &str;
    /// Checks that the server responds and that its tables have this version.
    fn check(&self) -> Result<(), TeamError>;
    /// Creates the tables if they do not exist.
    fn init(&self) -> Result<(), TeamError>;
    fn ids(&self) -> Result<Vec<String>, TeamError>;
    /// Returns the rows of the runs that match `filter`, or of all runs.
    fn rows(&self, filter: Option<&Filter>) -> Result<Vec<IndexRow>, TeamError>;
    /// Inserts a complete run. Does nothing if an identical run exists.
    fn put(&self, summary: &RunSummary, journal: &[u8]) -> Result<(), TeamError>;
    fn journal(&self, id: &str) -> Result<Option<Vec<u8>>, TeamError>;
    fn labels(&self, id: &str) -> Result<Option<Labels>, TeamError>;
    fn relabel(&self, id: &str, change: &LabelChange) -> Result<Relabelled, TeamError>;
    /// Removes a run. Returns `true` if it existed.
    fn remove(&self, id: &str) -> Result<bool, TeamError>;
}
