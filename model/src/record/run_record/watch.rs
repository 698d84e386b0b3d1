//! Results of watches in records.

use super::results::Results;
use crate::{Alarm, CommandUse, FoldError, KindName, RunEvent, RunRecord};
use serde::Serialize;

/// Results of a watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct WatchResults {
    /// Usage and result of the command in `secchi watch -- COMMAND`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Box<CommandUse>>,
    /// Alarms of `secchi watch --alert`, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<Alarm>,
}

impl WatchResults {
    /// Returns the events that report these results.
    pub(super) fn into_events(self) -> Vec<RunEvent> {
        let alarms = self.alarms.into_iter().map(|alarm| RunEvent::Alarm(Box::new(alarm)));
        self.command.map(RunEvent::Command).into_iter().chain(alarms).collect()
    }
}

impl RunRecord {
    /// Returns the command of a watch, if it was started.
    #[must_use]
    pub fn command(&self) -> Option<&CommandUse> {
        match &self.results {
            Some(Results::Watch(results)) => results.command.as_deref(),
            _ => None,
        }
    }

    /// Returns the alarms of a watch; empty for other kinds.
    #[must_use]
    pub fn alarms(&self) -> &[Alarm] {
        match &self.results {
            Some(Results::Watch(results)) => &results.alarms,
            _ => &[],
        }
    }

    /// Returns the results of a watch, to be changed; they are empty at first.
    ///
    /// # Errors
    /// Returns an error if the run is not a watch.
    pub(super) fn watch_results(&mut self) -> Result<&mut WatchResults, FoldError> {
        self.check_kind(KindName::Watch.as_str())?;
        match self.results.get_or_insert(Results::Watch(WatchResults::default())) {
            Results::Watch(results) => Ok(results),
            other => Err(FoldError::OtherKind(other.kind(), KindName::Watch.as_str())),
        }
    }
}
