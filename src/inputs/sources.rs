//! A run by its name, wherever it lies: in the store, in a journal, in a document of `--json`, in a file of fio's.

use crate::args::StoreArg;
use crate::exit::{self, coded};
use crate::inputs;
use crate::session::run_store::{open_existing, unread};
use anyhow::Result;
use model::{Labels, Metric, RunFigures, RunRecord, RunState};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::Path;
use store::{RunDocument, Store};

/// Looks runs up; opens the store only when one is asked for by its id.
pub struct Sources<'a> {
    arg: &'a StoreArg,
    store: Option<Store>,
}

/// What was found.
pub enum Source {
    /// A run of ours.
    Ours(Box<RunRecord>),
    /// fio's JSON.
    Fio(Vec<u8>),
}

/// A run found by its name.
pub struct Found {
    /// Unique: an id, or a path with its links resolved.
    pub key: String,
    /// As it is shown.
    pub shown: String,
    /// The run.
    pub source: Source,
    /// What is said of it where it is kept.
    pub labels: Labels,
}

/// Which document it is, without reading all of it.
#[derive(Deserialize)]
struct Heads {
    record: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
    comparison: Option<IgnoredAny>,
}

impl<'a> Sources<'a> {
    pub fn new(arg: &'a StoreArg) -> Self {
        Sources { arg, store: None }
    }

    /// The run that `typed` stands for: a path where it looks like one, else an id or its beginning, `last`, `last-1`, or a tag.
    pub fn find(&mut self, typed: &str) -> Result<Found> {
        let path = Path::new(typed);
        if typed.contains(['/', '.']) || path.is_file() {
            return file(path, typed);
        }
        let Some(store) = self.store()? else {
            let why = format!("no run and no file `{}`: there are no runs yet", model::clip(typed));
            return Err(coded(exit::BAD_INPUT, why));
        };
        kept(store, typed)
    }
}

/// A run of the store with its labels.
fn kept(store: &Store, typed: &str) -> Result<Found> {
    let record = store.read(typed).map_err(unread)?;
    let labels = store.labels(&record.id).map_err(|e| coded(exit::CANNOT, e))?;
    let id = record.id.clone();
    Ok(Found { key: id.clone(), shown: id, source: Source::Ours(Box::new(record)), labels })
}

impl Sources<'_> {
    fn store(&mut self) -> Result<Option<&Store>> {
        if self.store.is_none() {
            self.store = open_existing(self.arg)?;
        }
        Ok(self.store.as_ref())
    }
}

impl Found {
    /// Whether it is a run of a damaged journal.
    pub fn is_damaged(&self) -> bool {
        matches!(&self.source, Source::Ours(record) if record.state == RunState::Damaged)
    }

    /// Its figures.
    pub fn figures(&self, metrics: &[Metric]) -> Result<RunFigures> {
        match &self.source {
            Source::Ours(record) => Ok(analysis::reduce(record, &self.shown, metrics)),
            Source::Fio(text) => {
                import::read_figures(text, &self.shown, metrics).map_err(|e| unreadable(&self.shown, e))
            }
        }
    }

    /// The run, if it is one of ours: only those can be judged.
    pub fn record(self) -> Result<RunRecord> {
        match self.source {
            Source::Ours(record) => Ok(*record),
            Source::Fio(_) => {
                let why = "it is fio's, without the record that a judgement rests on: run it as `secchi fio ...`";
                Err(unreadable(&self.shown, why))
            }
        }
    }
}

fn unreadable(shown: &str, why: impl std::fmt::Display) -> anyhow::Error {
    coded(exit::BAD_INPUT, format!("cannot read {}: {why}", model::clip(shown)))
}

fn file(path: &Path, typed: &str) -> Result<Found> {
    let key = sys::canonical(path).map_err(|e| unreadable(typed, e))?.display().to_string();
    let found = |key, source, labels| Ok(Found { key, shown: typed.to_owned(), source, labels });
    if path.extension().is_some_and(|e| e == "journal") {
        // Opened and closed again: what is no regular file is told apart here.
        inputs::open(path).map_err(|why| unreadable(typed, why))?;
        let recovered = store::recover(path).map_err(|e| coded(exit::unread(&e), e))?;
        let key = recovered.record.id.clone();
        return found(key, Source::Ours(Box::new(recovered.record)), Labels::default());
    }
    let text = inputs::bytes(path, import::LARGEST).map_err(|why| unreadable(typed, why))?;
    let heads = serde_json::from_slice::<Heads>(&text).ok();
    match heads {
        Some(Heads { record: Some(_), .. }) => {
            let document = RunDocument::read(&text).map_err(|e| unreadable(typed, e))?;
            found(document.record.id.clone(), Source::Ours(Box::new(document.record)), document.labels)
        }
        Some(Heads { error: Some(_), .. }) => {
            Err(unreadable(typed, "it holds the error of a run that did not come about"))
        }
        Some(Heads { comparison: Some(_), .. }) => Err(unreadable(typed, "it is a comparison, not a run")),
        _ => found(key, Source::Fio(text), Labels::default()),
    }
}
