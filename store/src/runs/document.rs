//! A run in the document that `--json` and `report -f json` write: read here, where the events of journals are read from the same
//! notation, so that what reads it is compiled once.

use crate::journal::frame::RecordVersion;
use model::{FoldError, Labels, RunRecord};
use serde::Deserialize;

/// A run that somebody kept as a document.
#[derive(Debug, Deserialize)]
pub struct RunDocument {
    /// Its record, of a version that is read here.
    pub record: RunRecord,
    /// What was said of it where it was kept.
    #[serde(default)]
    pub labels: Labels,
}

/// What is looked at first.
#[derive(Deserialize)]
struct Head {
    record: RecordVersion,
}

/// Why a document is not read.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// It is not JSON, or not of a run.
    #[error(transparent)]
    Damaged(#[from] serde_json::Error),
    /// It is of another version of secchi.
    #[error("{0}; read it with the secchi that wrote it")]
    Version(#[from] FoldError),
}

impl RunDocument {
    /// Reads a whole document.
    ///
    /// # Errors
    /// [`DocumentError`].
    pub fn read(text: &[u8]) -> Result<Self, DocumentError> {
        model::readable(serde_json::from_slice::<Head>(text)?.record.version)?;
        Ok(serde_json::from_slice(text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_and_one_of_another_version_refused() {
        let record = RunRecord::from_events(crate::fixture::run(1, 3)).expect("one run");
        let written = |record: &RunRecord| serde_json::to_string(record).expect("it is written");
        let text = format!(r#"{{"record":{},"labels":{{"tags":["nightly"],"note":""}}}}"#, written(&record));
        let read = RunDocument::read(text.as_bytes()).expect("it is read");
        assert_eq!((read.record, read.labels.tags), (record.clone(), ["nightly".to_owned()].into()));
        let newer = RunRecord { version: 99, ..record };
        let text = format!(r#"{{"record":{}}}"#, written(&newer));
        assert!(matches!(RunDocument::read(text.as_bytes()), Err(DocumentError::Version(_))));
        assert!(matches!(RunDocument::read(b"{}"), Err(DocumentError::Damaged(_))));
    }
}
