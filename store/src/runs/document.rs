//! Documents written by `--json` and `report -f json`. They are parsed in this crate because journals use the same
//! format, so the deserialisation code is compiled only once.

use crate::journal::error::version_sentence;
use crate::journal::frame::RecordVersion;
use model::{RunRecord, record::Labels};
use serde::Deserialize;

/// Run saved as a document.
#[derive(Debug, Deserialize)]
pub struct RunDocument {
    /// Record of the run, in a version that this program supports.
    pub record: RunRecord,
    /// Tags and note in the original store.
    #[serde(default)]
    pub labels: Labels,
}

/// Part of a document that is decoded first, to determine its version.
#[derive(Deserialize)]
struct Head {
    record: RecordVersion,
}

/// Error from reading a document.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The text is not JSON, or not a run.
    #[error(transparent)]
    Damaged(#[from] serde_json::Error),
    /// The document was written by another version of secchi.
    #[error("{}", version_sentence(*.0))]
    Version(u32),
}

impl RunDocument {
    /// Parses a whole document.
    ///
    /// # Errors
    /// Returns a [`DocumentError`] if the text is not a run of this version.
    pub fn read(text: &[u8]) -> Result<Self, DocumentError> {
        let version = serde_json::from_slice::<Head>(text)?.record.version;
        model::record::readable(version).map_err(|_| DocumentError::Version(version))?;
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
        let refused = RunDocument::read(text.as_bytes()).expect_err("another version").to_string();
        assert!(refused.contains("record version 99") && refused.contains("secchi runs export"), "{refused}");
        assert!(matches!(RunDocument::read(b"{}"), Err(DocumentError::Damaged(_))));
    }
}
