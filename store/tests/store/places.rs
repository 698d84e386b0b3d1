//! Tests of places that cannot hold a store, or that no longer can: read-only, full, or not a directory.

use crate::child::{judge, open, write_run};
use model::{RunRecord, RunState};
use std::fs;
use std::io;
use std::path::Path;
use store::fixture::{self, id};
use store::{Indexed, JournalError, RunStatus, Store, StoreError};
use testkit::{Mounted, Tmpfs};

/// Mounts a small file system, which is unmounted when dropped. Returns `None` and prints a skip message if there is no
/// permission to mount.
fn mount_small(test: &str, size: &str) -> Option<(Mounted, tempfile::TempDir)> {
    let outer = tempfile::tempdir().expect("a temporary directory");
    match Tmpfs::mount(&outer.path().join("small"), size) {
        Ok(mounted) => Some((mounted, outer)),
        Err(why) => {
            testkit::skipped(&format!("{test}: no mount: {why}"));
            None
        }
    }
}

fn assert_elsewhere(error: &StoreError, dir: &Path) {
    let text = error.to_string();
    assert!(text.contains(&dir.display().to_string()) && text.contains("--store"), "{text}");
}

#[test]
fn a_file_in_place_of_the_directory_is_told_so_that_another_place_can_be_tried() {
    let outer = tempfile::tempdir().expect("a temporary directory");
    let file = outer.path().join("store");
    fs::write(&file, b"mine").expect("writes");
    for dir in [file.clone(), file.join("below")] {
        assert_elsewhere(&Store::open(&dir).expect_err("a file is in the way"), &dir);
    }
    assert_eq!(fs::read(&file).expect("reads"), b"mine");
}

#[test]
fn looking_for_a_store_makes_none() {
    let outer = tempfile::tempdir().expect("a temporary directory");
    let dir = outer.path().join("store");
    assert!(Store::existing(&dir).expect("no error").is_none());
    assert!(!dir.exists());
    open(&dir);
    assert!(Store::existing(&dir).expect("no error").is_some());
}

#[test]
fn a_store_on_a_read_only_file_system_is_read_but_not_written() {
    let Some((small, _outer)) = mount_small("a_store_on_a_read_only_file_system_is_read_but_not_written", "8m") else {
        return;
    };
    let dir = small.point.join("store");
    write_run(&open(&dir), 1, 2);
    small.remount("remount,ro");
    let store = Store::existing(&dir).expect("opens").expect("exists").with_digest(judge);
    let listed = store.list().expect("lists");
    assert!(matches!(&listed.indexed, Indexed::No(why) if why.contains("Read-only")), "{:?}", listed.indexed);
    let record = RunRecord::from_events(fixture::run(1, 2)).expect("one run");
    assert_eq!((listed.runs[0].state, listed.runs[0].verdict.as_str()), (RunStatus::Complete, judge(&record).as_str()));
    assert_eq!(store.read(&id(1)).expect("reads"), record);
    assert_elsewhere(&store.create_run(&fixture::begin(2)).expect_err("read-only"), &dir);
    let fresh = small.point.join("other");
    assert_elsewhere(&Store::open(&fresh).expect_err("read-only"), &fresh);
    assert!(matches!(store.remove(&id(1)), Err(StoreError::Remove { .. })));
}

#[test]
fn a_place_too_small_for_the_journal_is_told_before_the_run() {
    let Some((small, _outer)) = mount_small("a_place_too_small_for_the_journal_is_told_before_the_run", "512k") else {
        return;
    };
    let store = open(&small.point);
    let error = store.create_run(&fixture::begin(1)).expect_err("no room");
    assert_elsewhere(&error, &small.point);
    assert!(error.to_string().contains("No space left on device"), "{error}");
    assert_eq!(small.point.join("runs").read_dir().expect("reads").count(), 0, "nothing is left behind");
}

#[test]
fn a_disk_that_fills_up_during_the_run_keeps_every_frame_before_and_names_the_cause() {
    let test = "a_disk_that_fills_up_during_the_run_keeps_every_frame_before_and_names_the_cause";
    let Some((small, _outer)) = mount_small(test, "3m") else { return };
    let store = open(&small.point);
    let events = fixture::run(1, 100);
    let mut writer = store.create_run(&events[0]).expect("begins");
    assert_eq!(writer.indexed(), &Indexed::Yes);
    writer.append(&events[1]).expect("appends");
    // Another file takes all space that is not reserved.
    let hog = small.point.join("hog");
    let full = fill(&hog);
    assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    let mut kept = events[..2].to_vec();
    let error = loop {
        let event = &events[2 + (kept.len() - 2) % 100];
        match writer.append(event) {
            Ok(()) => kept.push(event.clone()),
            Err(e) => break e,
        }
    };
    writer.sync().expect("what is there is durable");
    let text = error.to_string();
    assert!(matches!(error, JournalError::Write { .. }), "{text}");
    assert!(text.contains("No space left on device") && text.contains(&format!("{} frames", kept.len())), "{text}");
    assert!(writer.bytes() > 1 << 20, "what was reserved could be used: {}", writer.bytes());
    let expected = RunRecord::from_events(kept.clone()).expect("one run");
    assert_eq!(store.read(&id(1)).expect("reads"), RunRecord { state: RunState::Running, ..expected });
    let finished = writer.finish("partial").expect("the journal itself is sound");
    assert_eq!(finished.frames, kept.len() as u64);
    let listed = store.list().expect("lists");
    assert_eq!(listed.runs[0].state, RunStatus::Interrupted);
    // Releasing the reserved space may have made room for the row. If not, the reason must be a lack of space.
    for indexed in [&finished.indexed, &listed.indexed] {
        assert!(
            matches!(indexed, Indexed::Yes) || indexed.remark().is_some_and(|r| r.contains("no space left")),
            "{indexed:?}"
        );
    }
    fs::remove_file(hog).expect("removes");
    assert_eq!(store.list().expect("lists").indexed, Indexed::Yes);
}

/// Writes until the file system is full. Returns the error.
fn fill(path: &Path) -> io::Error {
    use std::io::Write;
    let mut file = fs::File::create(path).expect("creates");
    loop {
        if let Err(e) = file.write_all(&[7; 4096]) {
            return e;
        }
    }
}

#[test]
fn an_index_on_a_full_disk_does_not_stop_a_run_that_has_its_space() {
    let Some((small, _outer)) = mount_small("an_index_on_a_full_disk_does_not_stop_a_run_that_has_its_space", "4m")
    else {
        return;
    };
    let store = open(&small.point);
    write_run(&store, 1, 1);
    let mut writer = store.create_run(&fixture::begin(2)).expect("begins");
    fill(&small.point.join("hog"));
    for event in &fixture::run(2, 5)[1..] {
        writer.append(event).expect("the space was reserved");
    }
    writer.sync().expect("syncs");
    assert_eq!(store.read(&id(2)).expect("reads"), RunRecord::from_events(fixture::run(2, 5)).expect("one run"));
    assert_eq!(store.list().expect("lists").runs.len(), 2);
}
