//! A run with its judgement and labels, as reports receive it.

use model::record::{Labels, WorkloadFigures};
use model::{Judgement, RunRecord};

/// A run to be written.
#[derive(Debug, Clone, Copy)]
pub struct ReportedRun<'a> {
    /// Name of the run among several; if empty, the first digits of its ID are used.
    pub label: &'a str,
    /// The record of the run.
    pub record: &'a RunRecord,
    /// The judgement of the run.
    pub judgement: &'a Judgement,
    /// Tags and note of the run in the store.
    pub labels: &'a Labels,
    /// Figures of earlier runs of the same plan, oldest first.
    pub earlier: &'a [Vec<WorkloadFigures>],
}

impl ReportedRun<'_> {
    /// Returns the name of the run in a document.
    pub(crate) fn name(&self) -> String {
        if self.label.is_empty() { self.record.id.chars().take(8).collect() } else { crate::harmless(self.label) }
    }

    /// Returns a figure of a workload in the earlier runs that have it, followed by that of this run.
    pub(crate) fn course(&self, workload: &str, figure: fn(&WorkloadFigures) -> Option<f64>, now: f64) -> Vec<f64> {
        let named = |run: &Vec<WorkloadFigures>| run.iter().find(|w| w.name == workload).and_then(figure);
        self.earlier.iter().filter_map(named).chain([now]).collect()
    }

    /// Returns the run's ID as an anchor. Our IDs are hexadecimal; other characters, which a file may contain, are
    /// dropped.
    pub(crate) fn anchor(&self) -> String {
        self.record.id.chars().filter(char::is_ascii_alphanumeric).collect()
    }
}
