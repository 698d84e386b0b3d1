//! Tests of runs, from their beginning to their removal.

use crate::child::{judge, open, write_run};
use model::{Nanos, RunEvent, RunRecord, RunState};
use std::fs;
use std::time::{Duration, SystemTime};
use store::fixture::{self, id};
use store::{Damage, Indexed, JournalError, RunStatus, StoreError};

#[test]
fn a_finished_run_reads_back_as_it_was_lived() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    let finished = write_run(&store, 3, 5);
    let events = fixture::run(3, 5);
    assert_eq!((finished.frames, &finished.indexed), (events.len() as u64, &Indexed::Yes));
    let record = RunRecord::from_events(events).expect("one run");
    assert_eq!(store.read(&id(3)[..6]).expect("reads"), record);
    let listed = store.list().expect("lists");
    assert_eq!(listed.runs, std::slice::from_ref(&finished.summary));
    let summary = finished.summary;
    assert_eq!(summary.state, RunStatus::Complete);
    assert_eq!(summary.duration, record.ended);
    assert_eq!(summary.target, "/mnt/volume/secchi.data");
    assert_eq!((summary.command.as_str(), summary.tool.as_str()), ("qualify", "0.1.0"));
    assert_eq!(summary.verdict, judge(&record));
}

#[test]
fn a_living_run_is_listed_as_running_can_be_read_and_is_not_removed() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    let events = fixture::run(4, 2);
    let mut writer = store.create_run(&events[0]).expect("begins");
    writer.append(&events[1]).expect("appends");
    writer.append(&events[2]).expect("appends");
    let run = store.recover(&id(4)).expect("reads");
    assert!(run.live && run.damage.is_none());
    assert_eq!((run.frames, run.record.state), (3, RunState::Running));
    let listed = store.list().expect("lists").runs;
    assert_eq!((listed[0].state, listed[0].duration), (RunStatus::Running, Nanos::from_secs(1)));
    assert!(matches!(store.remove(&id(4)), Err(StoreError::Live { .. })));
    drop(writer);
    let listed = store.list().expect("lists").runs;
    assert_eq!((listed[0].state, listed[0].duration), (RunStatus::Interrupted, Nanos::from_secs(1)));
    assert_eq!(store.remove(&id(4)).expect("removes"), Indexed::Yes);
    assert!(store.list().expect("lists").runs.is_empty());
    assert!(matches!(store.remove(&id(4)), Err(StoreError::Unknown { .. })));
}

#[test]
fn a_run_whose_writer_ended_it_but_died_before_the_index_is_listed_by_its_end() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    let events = fixture::run(5, 1);
    let mut writer = store.create_run(&events[0]).expect("begins");
    for event in &events[1..] {
        writer.append(event).expect("appends");
    }
    drop(writer);
    let listed = store.list().expect("lists").runs;
    assert_eq!(listed[0].state, RunStatus::Complete);
    assert!(listed[0].verdict.starts_with("judged"), "the judge is asked: {}", listed[0].verdict);
}

#[test]
fn what_a_killed_run_had_reserved_is_given_back() {
    use sys::files::MetadataExt;
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    let writer = store.create_run(&fixture::run(6, 0)[0]).expect("begins");
    let path = writer.path().to_owned();
    drop(writer);
    let before = fs::read(&path).expect("reads");
    // A process that another test is just starting holds the journal's lock until its exec.
    let given_back = testkit::eventually(testkit::PATIENCE, || {
        store.list().expect("lists");
        sys::files::metadata(&path).expect("exists").blocks() * 512 <= 64 << 10
    });
    assert!(given_back);
    assert_eq!(fs::read(&path).expect("reads"), before);
}

#[test]
fn a_damaged_journal_is_read_around_the_damage_which_is_told_and_listed() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    write_run(&store, 8, 4);
    let path = store.journal_path(&id(8)).expect("an id");
    let mut bytes = fs::read(&path).expect("reads");
    let whole = store.recover(&id(8)).expect("reads");
    assert_eq!((whole.bytes, whole.truncated_bytes, &whole.damage), (bytes.len() as u64, 0, &None));
    // This position is inside the payload of one of the last frames, whose JSON is longer than the distance to the end.
    let at = bytes.len() - 600;
    bytes[at] ^= 0x40;
    fs::write(&path, &bytes).expect("writes");
    let run = store.recover(&id(8)).expect("reads");
    assert!(matches!(run.damage, Some(Damage::Checksum { .. })), "{:?}", run.damage);
    assert_eq!(run.bytes + run.truncated_bytes, bytes.len() as u64);
    assert_eq!(run.frames, whole.frames - 1);
    assert_eq!(run.record.state, model::RunState::Damaged);
    let listed = |store: &store::Store| store.list().expect("lists").runs[0].clone();
    assert_eq!(listed(&store).state, RunStatus::Damaged);
    assert_eq!(listed(&store).state, RunStatus::Damaged, "and so it stands in the index");
    // When the byte is restored, the journal is complete again.
    bytes[at] ^= 0x40;
    fs::write(&path, &bytes).expect("writes");
    assert_eq!(listed(&store).state, RunStatus::Complete);
}

#[test]
fn an_unreadable_journal_is_listed_with_the_reason_and_can_be_removed() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    write_run(&store, 9, 1);
    fs::write(store.journal_path(&id(10)).expect("an id"), b"SECCHI").expect("writes");
    fs::copy(store.journal_path(&id(9)).expect("an id"), store.journal_path(&id(11)).expect("an id")).expect("copies");
    for _ in 0..2 {
        let listed = store.list().expect("lists");
        assert_eq!(listed.indexed, Indexed::Yes);
        let find = |n| listed.runs.iter().find(|r| r.id == id(n)).expect("listed");
        assert_eq!(find(9).state, RunStatus::Complete);
        assert_eq!((find(10).state, find(11).state), (RunStatus::Unreadable, RunStatus::Unreadable));
        assert!(find(10).verdict.contains("ends after 6 bytes"), "{}", find(10).verdict);
        assert!(find(11).verdict.contains("another run"), "{}", find(11).verdict);
    }
    let error = store.read(&id(10)).expect_err("unreadable").to_string();
    assert!(error.contains(&id(10)) && error.contains("ends after"), "{error}");
    store.remove(&id(10)).expect("removes");
    store.remove(&id(11)).expect("removes");
    assert_eq!(store.list().expect("lists").runs.len(), 1);
}

#[test]
fn runs_are_listed_newest_first_whatever_their_time_zone() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    let times = ["2026-11-21T10:00:00+05:00", "2026-11-21T06:00:00Z", "2026-11-21T00:30:00-06:00"];
    for (seed, time) in (20..).zip(times) {
        let mut begin = fixture::begin(seed);
        if let RunEvent::Begin { started, .. } = &mut begin {
            *started = time.to_owned();
        }
        store.create_run(&begin).expect("begins").finish("").expect("finishes");
    }
    let listed: Vec<String> = store.list().expect("lists").runs.into_iter().map(|r| r.started).collect();
    assert_eq!(listed, [times[2], times[1], times[0]]);
}

#[test]
fn events_out_of_order_are_refused_and_the_journal_stays_whole() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    let events = fixture::run(12, 1);
    assert!(matches!(store.create_run(&events[1]), Err(StoreError::Begin(_))));
    let mut writer = store.create_run(&events[0]).expect("begins");
    assert!(matches!(writer.append(&events[2]), Err(JournalError::Order { .. })));
    assert!(matches!(writer.append(&events[0]), Err(JournalError::Order { .. })));
    for event in &events[1..] {
        writer.append(event).expect("appends");
    }
    writer.finish("").expect("finishes");
    assert_eq!(store.read(&id(12)).expect("reads"), RunRecord::from_events(events).expect("one run"));
}

#[test]
fn ids_that_are_paths_or_names_never_reach_the_file_system() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(&dir.path().join("store"));
    fs::write(dir.path().join("precious.journal"), b"precious").expect("writes");
    for bad in ["../../precious", "precious", "/etc/passwd", "", "*"] {
        let mut begin = fixture::begin(1);
        if let RunEvent::Begin { id, .. } = &mut begin {
            bad.clone_into(id);
        }
        assert!(matches!(store.create_run(&begin), Err(StoreError::BadId { .. })), "{bad}");
        assert!(matches!(store.remove(bad), Err(StoreError::BadId { .. })), "{bad}");
        assert!(matches!(store.read(bad), Err(StoreError::BadId { .. })), "{bad}");
    }
    assert!(dir.path().join("precious.journal").exists());
}

#[test]
fn a_journal_that_never_got_its_plan_is_swept_once_it_is_old_and_nobody_holds_it() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    let [old, young, held] = [31, 32, 33].map(|n| dir.path().join(format!("runs/{}.new", id(n))));
    let foreign = dir.path().join("runs/notes.new");
    let long_ago = SystemTime::now() - Duration::from_secs(7200);
    for path in [&old, &young, &held, &foreign] {
        let file = fs::File::create(path).expect("creates");
        if *path != young {
            file.set_modified(long_ago).expect("sets");
        }
    }
    let holder = fs::File::open(&held).expect("opens");
    assert!(sys::locks::lock_file(&holder, true).expect("locks"));
    store.list().expect("lists");
    assert_eq!([&old, &young, &held, &foreign].map(|p| p.exists()), [false, true, true, true]);
}
