//! Tests of journals with other record versions. The store rejects them with advice, lists them, and does not change
//! them.

use crate::child::open;
use model::record::RECORD_VERSION;
use std::fs;
use std::path::Path;
use store::{Indexed, RunStatus, StoreError, Unreadable};

const ID: &str = "f86a6882-7b87-413b-9150-c8c312d9a8d7";

/// Returns a journal with this record version. Its only frame has fields that this program does not know.
fn journal(version: u32) -> Vec<u8> {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store/fixtures/record-version-7.journal");
    let journal = fs::read(fixture).expect("reads");
    let text = std::str::from_utf8(&journal[24..]).expect("JSON");
    let text = text.replacen("\"version\":7", &format!("\"version\":{version}"), 1);
    let length = u32::try_from(text.len()).expect("short").to_le_bytes();
    let sum = crc32c::crc32c_append(crc32c::crc32c(&length), text.as_bytes()).to_le_bytes();
    [&journal[..16], &length, &sum, text.as_bytes()].concat()
}

#[test]
fn runs_of_another_record_version_are_rejected_with_what_to_do_and_left_as_they_are() {
    for version in [0, 2, 7, 99] {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let store = open(dir.path());
        let path = store.journal_path(ID).expect("an id");
        fs::write(&path, journal(version)).expect("writes");
        let sentence = format!(
            "the run has record version {version}, but this secchi reads version {RECORD_VERSION}: to keep the run, export \
             it with the secchi version that wrote it (secchi runs export)"
        );
        let error = store.read(ID).expect_err("another version");
        assert!(
            matches!(&error, StoreError::Recover(e) if matches!(e.cause, Unreadable::Version(v) if v == version)),
            "{error}"
        );
        assert!(error.to_string().ends_with(&sentence), "{error}");
        for turn in ["without an index", "with an index"] {
            let listed = store.list().expect("lists");
            assert_eq!((listed.indexed, listed.runs.len()), (Indexed::Yes, 1), "{turn}");
            let run = &listed.runs[0];
            assert_eq!((run.state, run.verdict.as_str()), (RunStatus::Unreadable, sentence.as_str()), "{turn}");
            assert!(run.verdict.message().is_some(), "{turn}: it is translated");
        }
        assert!(store.export(&[ID.to_owned()], Vec::new()).expect_err("rejects").to_string().contains(&sentence));
        assert_eq!(fs::read(&path).expect("reads"), journal(version));
    }
}

#[test]
fn a_begin_of_this_version_without_a_plan_is_damage() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("run.journal");
    fs::write(&path, journal(RECORD_VERSION)).expect("writes");
    assert!(store::recover(&path).expect_err("no plan").cause.is_damage());
}
