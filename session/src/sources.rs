//! Finds a run by its name: in the store, in a journal, in a `--json` document, or in fio's JSON output.

use crate::exit::{self, coded};
use crate::result_files::KeptRun;
use crate::run_store::{open_existing, unread};
use crate::{inputs, reject};
use anyhow::Result;
use model::record::{Labels, WorkloadFigures};
use model::{RunRecord, RunState, bounds::Metric, judged::RunFigures};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::{Path, PathBuf};
use store::{RunDocument, RunStatus, Store};

/// Maximum number of earlier runs in a report.
const MOST_EARLIER: usize = 19;

/// Looks up runs; opens the store only if a run is requested by its ID.
pub struct Sources<'a> {
    place: Option<&'a PathBuf>,
    store: Option<Store>,
}

/// Source of a run.
pub enum Source {
    /// A run of secchi.
    Ours(Box<RunRecord>),
    /// fio's JSON.
    Fio(Vec<u8>),
}

/// A run found by its name.
pub struct Found {
    /// Unique key: the ID of the run, or the path of its file with links resolved.
    pub key: String,
    /// Name as it is displayed.
    pub shown: String,
    /// Record or file in which the run was found.
    pub source: Source,
    /// Labels from the store or document.
    pub labels: Labels,
}

/// Top-level keys that identify the kind of a document, without parsing all of it.
#[derive(Deserialize)]
struct Heads {
    record: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
    comparison: Option<IgnoredAny>,
}

impl<'a> Sources<'a> {
    /// Creates the lookup for the store in this place, or in the default place.
    pub fn new(place: Option<&'a PathBuf>) -> Self {
        Sources { place, store: None }
    }

    /// Returns the run named by `typed`. It is a path if it looks like one, otherwise an ID or the beginning of one,
    /// `last`, `last-1`, or a tag.
    pub fn find(&mut self, typed: &str) -> Result<Found> {
        let path = Path::new(typed);
        if typed.contains(['/', '.']) || path.is_file() {
            return file(path, typed);
        }
        let Some(store) = self.store()? else {
            reject!("no run and no file `{}`: there are no runs yet", model::clip(typed));
        };
        kept(store, typed)
    }

    /// Returns the figures of the last complete runs of the same plan before this one, oldest first; none for a run
    /// that is not from the store.
    pub fn earlier(&self, record: &RunRecord) -> Vec<Vec<WorkloadFigures>> {
        // A listing that fails leaves out this addition to a report.
        let Some(mut runs) = self.store.as_ref().and_then(|store| store.list().ok()).map(|listing| listing.runs) else {
            return Vec::new();
        };
        let Some(at) = runs.iter().position(|run| run.id == record.id) else { return Vec::new() };
        let plan = std::mem::take(&mut runs[at].plan);
        let before = runs.into_iter().skip(at + 1).filter(|run| run.plan == plan && run.state == RunStatus::Complete);
        let mut figures: Vec<_> = before.take(MOST_EARLIER).map(|run| run.workloads).collect();
        figures.reverse();
        figures
    }

    fn store(&mut self) -> Result<Option<&Store>> {
        if self.store.is_none() {
            self.store = open_existing(self.place)?;
        }
        Ok(self.store.as_ref())
    }
}

/// Reads a run of the store with its labels.
fn kept(store: &Store, typed: &str) -> Result<Found> {
    let record = store.read(typed).map_err(unread)?;
    let labels = store.labels(&record.id).map_err(|e| coded(exit::CANNOT, e))?;
    let id = record.id.clone();
    Ok(Found { key: id.clone(), shown: id, source: Source::Ours(Box::new(record)), labels })
}

impl Found {
    /// Returns `true` if the run comes from a damaged journal.
    pub fn is_damaged(&self) -> bool {
        matches!(&self.source, Source::Ours(record) if record.state == RunState::Damaged)
    }

    /// Returns the figures of the run.
    pub fn figures(&self, metrics: &[Metric]) -> Result<RunFigures> {
        match &self.source {
            Source::Ours(record) => Ok(analysis::reduce(record, &self.shown, metrics)),
            Source::Fio(text) => {
                import::read_figures(text, &self.shown, metrics).map_err(|e| unreadable(&self.shown, e))
            }
        }
    }

    /// Returns the run, judged by the current rules. `label` is its name on a page.
    ///
    /// # Errors
    /// As [`Found::record`].
    pub fn judged(mut self, label: String) -> Result<KeptRun> {
        let labels = std::mem::take(&mut self.labels);
        Ok(KeptRun::judged(label, self.record()?, labels))
    }

    /// Returns the record, if this is a run of secchi. Other runs cannot be judged.
    ///
    /// # Errors
    /// Returns an error for other runs.
    pub fn record(self) -> Result<RunRecord> {
        match self.source {
            Source::Ours(record) => Ok(*record),
            Source::Fio(_) => {
                let reason = "it is output of fio, without the record that a judgement needs: run it as `secchi fio \
                              ...`";
                Err(unreadable(&self.shown, reason))
            }
        }
    }
}

fn unreadable(shown: &str, reason: impl std::fmt::Display) -> anyhow::Error {
    coded(exit::BAD_INPUT, format!("cannot read {}: {reason}", model::clip(shown)))
}

fn file(path: &Path, typed: &str) -> Result<Found> {
    let key = sys::files::canonical(path).map_err(|e| unreadable(typed, e))?.display().to_string();
    let build = |key, source, labels| Ok(Found { key, shown: typed.to_owned(), source, labels });
    if path.extension().is_some_and(|e| e == "journal") {
        // Open the file only to reject anything that is not a regular file.
        inputs::open(path).map_err(|reason| unreadable(typed, reason))?;
        let recovered = store::recover(path).map_err(|e| coded(exit::unread(&e), e))?;
        let key = recovered.record.id.clone();
        return build(key, Source::Ours(Box::new(recovered.record)), Labels::default());
    }
    let text = inputs::bytes(path, import::LARGEST).map_err(|reason| unreadable(typed, reason))?;
    let heads = serde_json::from_slice::<Heads>(&text).ok();
    match heads {
        Some(Heads { record: Some(_), .. }) => {
            let document = RunDocument::read(&text).map_err(|e| unreadable(typed, e))?;
            build(document.record.id.clone(), Source::Ours(Box::new(document.record)), document.labels)
        }
        Some(Heads { error: Some(_), .. }) => {
            Err(unreadable(typed, "it contains the error of a run that did not start"))
        }
        Some(Heads { comparison: Some(_), .. }) => Err(unreadable(typed, "it is a comparison, not a run")),
        _ => build(key, Source::Fio(text), Labels::default()),
    }
}
