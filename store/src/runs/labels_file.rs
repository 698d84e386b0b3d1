//! File with the tags and note of a run. Labels are not measurements, so they are stored separately from the journal,
//! in `runs/<id>.labels`: one small JSON document, always replaced as a whole. The index holds a copy.

use crate::os;
use crate::runs::error::StoreError;
use model::record::{LabelError, Labels};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::Path;

pub(crate) const LABELS: &str = "labels";
/// File name extension of a new labels file until it replaces the old file.
const TEMPORARY: &str = "labels-new";
/// Name of the lock file for label changes. Without the lock, one of two concurrent changes would be lost.
pub(crate) const LOCK: &str = "labels.lock";
const VERSION: u32 = 1;
/// Maximum size of a file, in bytes; larger than any valid labels.
const LONGEST: u64 = 256 << 10;

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    #[serde(flatten)]
    labels: Labels,
}

/// Change to a run's tags and note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelChange {
    /// Tags to add.
    pub add: Vec<String>,
    /// Tags to remove; tags that the run does not have are ignored.
    pub remove: Vec<String>,
    /// New note. An empty note removes the existing note.
    pub note: Option<String>,
}

impl LabelChange {
    /// Returns `labels` with this change applied.
    ///
    /// # Errors
    /// Returns an error if the result exceeds the limits.
    pub(crate) fn apply(&self, labels: &Labels) -> Result<Labels, LabelError> {
        let mut labels = labels.clone();
        labels.tags.retain(|t| !self.remove.contains(t));
        labels.tags.extend(self.add.iter().cloned());
        if let Some(note) = &self.note {
            labels.note = note.trim().to_owned();
        }
        labels.check()?;
        Ok(labels)
    }
}

/// Reads the labels of a run from its file. If the file is missing, there are no labels.
pub(crate) fn read(path: &Path) -> Result<Labels, StoreError> {
    let bad = |why: String| StoreError::Labels { path: path.to_owned(), why };
    let file = match os::open_existing(path, false) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Labels::default()),
        other => other.map_err(|e| bad(e.to_string()))?,
    };
    let mut text = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut text).map_err(|e| bad(e.to_string()))?;
    if text.len() as u64 > LONGEST {
        return Err(bad(format!("it is longer than {LONGEST} bytes")));
    }
    let document: Document = serde_json::from_slice(&text).map_err(|e| bad(e.to_string()))?;
    if document.version != VERSION {
        return Err(bad(format!("it has version {}, but this secchi reads version {VERSION}", document.version)));
    }
    document.labels.check().map_err(|e| bad(e.to_string()))?;
    Ok(document.labels)
}

/// Writes the labels of a run. If there are no labels, removes the file.
pub(crate) fn write(path: &Path, labels: &Labels) -> Result<(), StoreError> {
    let bad = |why: io::Error| StoreError::Labels { path: path.to_owned(), why: why.to_string() };
    let replace = || -> io::Result<()> {
        if labels.is_empty() {
            return os::unless_missing(std::fs::remove_file(path));
        }
        let text = serde_json::to_vec(&Document { version: VERSION, labels: labels.clone() })?;
        let fresh = path.with_extension(TEMPORARY);
        // The file was left by a killed process. We hold the lock, so no other process is writing it.
        let _ = std::fs::remove_file(&fresh);
        let mut file = os::create_new(&fresh)?;
        file.write_all(&text)?;
        sys::files::sync_data(&file)?;
        std::fs::rename(&fresh, path)
    };
    replace().and_then(|()| os::sync_parent(path)).map_err(bad)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_survive_their_file_and_go_with_the_last_of_them() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("x.labels");
        assert_eq!(read(&path).expect("none"), Labels::default());
        let first = LabelChange {
            add: vec!["nightly".into(), "gp3".into()],
            note: Some(" a\nb ".into()),
            ..LabelChange::default()
        };
        let labels = first.apply(&Labels::default()).expect("in bounds");
        write(&path, &labels).expect("writes");
        assert_eq!(read(&path).expect("reads"), labels);
        assert_eq!(labels.note, "a\nb");
        let last = LabelChange {
            remove: vec!["nightly".into(), "gp3".into(), "never".into()],
            note: Some(String::new()),
            ..first
        };
        let last = LabelChange { add: Vec::new(), ..last };
        write(&path, &last.apply(&labels).expect("in bounds")).expect("writes");
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_holds_no_labels_is_told_by_name() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("x.labels");
        for (text, needle) in [
            ("", "EOF"),
            ("{}", "version"),
            (r#"{"version":9}"#, "version 9"),
            (r#"{"version":1,"tags":["-a"]}"#, "not a valid tag"),
            (r#"{"version":1,"note":"\u001b[2J"}"#, "control"),
        ] {
            std::fs::write(&path, text).expect("writes");
            let error = read(&path).expect_err("refused").to_string();
            assert!(error.contains(needle) && error.contains("x.labels"), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_labels_that_pass_the_bounds_are_lost(tags in prop::collection::btree_set("[a-z0-9][a-zä._-]{0,20}", 0..9), note in "[ -~ä\\n]{0,80}") {
            let labels = Labels { tags, note };
            prop_assume!(labels.check().is_ok());
            let text = serde_json::to_vec(&Document { version: VERSION, labels: labels.clone() }).expect("JSON");
            prop_assert_eq!(serde_json::from_slice::<Document>(&text).expect("reads").labels, labels);
        }
    }
}
