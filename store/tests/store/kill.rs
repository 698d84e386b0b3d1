//! Tests with SIGKILL at random moments, and with many concurrent processes.

use crate::child::{Writer, judge, open, open_record};
use std::collections::BTreeSet;
use std::path::Path;
use store::fixture::{id, scramble};
use store::{Indexed, RunStatus, Store};

#[test]
fn a_killed_run_keeps_all_that_was_acknowledged_and_is_listed_as_interrupted() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    for seed in 0..40 {
        let mut writer = Writer::spawn("endless", dir.path(), seed, 100_000);
        let mut acked = 0;
        for _ in 0..=scramble(seed) % 50 {
            acked = writer.next_ack().expect("it goes on").parse().expect("a number");
        }
        if seed % 8 == 0 {
            let listed = store.list().expect("lists");
            let run = listed.runs.iter().find(|r| r.id == id(seed)).expect("listed");
            assert_eq!((run.state, run.verdict.as_str()), (RunStatus::Running, ""));
        }
        acked = writer.kill().last().map_or(acked, |last| last.parse().expect("a number"));
        let run = store.recover(&id(seed)).expect("the journal is readable");
        assert!(run.frames >= acked && run.frames <= acked + 1, "{} frames, {acked} acknowledged", run.frames);
        assert_eq!(run.record, open_record(seed, run.frames));
        assert!(!run.live && !run.ended());
        let listed = store.list().expect("lists");
        assert_eq!(listed.indexed, Indexed::Yes);
        let summary = listed.runs.iter().find(|r| r.id == id(seed)).expect("listed");
        assert_eq!((summary.state, summary.verdict.as_str()), (RunStatus::Interrupted, judge(&run.record).as_str()));
    }
    assert_eq!(store.list().expect("lists").runs.len(), 40);
}

/// Checks that every journal has a plan, that each kill left at most one incomplete run, and that no acknowledged run
/// is lost.
fn assert_sound(store: &Store, acked: &BTreeSet<String>, kills: usize) {
    let listed = store.list().expect("lists");
    assert_eq!(listed.indexed, Indexed::Yes);
    let mut cut = 0;
    let mut complete = BTreeSet::new();
    for run in listed.runs {
        match run.state {
            RunStatus::Complete => {
                assert_eq!(run.verdict, judge(&store.read(&run.id).expect("reads")));
                complete.insert(run.id);
            }
            RunStatus::Interrupted => cut += 1,
            other => panic!("{} is {other:?}: {}", run.id, run.verdict),
        }
    }
    assert!(acked.is_subset(&complete), "an acknowledged run is missing");
    assert!(cut <= kills, "{cut} runs cut off by {kills} kills");
}

#[test]
fn kills_while_runs_begin_and_end_lose_no_finished_run() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    let mut acked = BTreeSet::new();
    for seed in 0..40 {
        let mut writer = Writer::spawn("many", dir.path(), seed, 10_000);
        for _ in 0..scramble(seed) % 4 {
            acked.insert(id_of(&writer.next_ack().expect("it goes on")));
        }
        // With this delay, the kill may occur at any time while a run is being written, which takes some milliseconds.
        std::thread::sleep(std::time::Duration::from_micros(scramble(!seed) % 15_000));
        acked.extend(writer.kill().iter().map(|ack| id_of(ack)));
        assert_sound(&store, &acked, usize::try_from(seed).expect("few") + 1);
    }
    assert!(!acked.is_empty());
    assert_foreign_free(dir.path());
}

fn id_of(ack: &str) -> String {
    ack.split(' ').next().expect("an id").to_owned()
}

/// Checks that the store contains no unexpected files.
fn assert_foreign_free(dir: &Path) {
    for entry in dir.read_dir().expect("reads") {
        let name = entry.expect("reads").file_name().into_string().expect("text");
        assert!(
            matches!(name.as_str(), "runs" | "index.sqlite" | "index.sqlite-wal" | "index.sqlite-shm" | "index.lock"),
            "{name}"
        );
    }
    for entry in dir.join("runs").read_dir().expect("reads") {
        let name = entry.expect("reads").file_name().into_string().expect("text");
        assert!(name.ends_with(".journal") || name.ends_with(".new"), "{name}");
    }
}

/// Starts `writers` processes, each of which writes `each` runs, while this process lists the runs.
fn all_at_once(writers: u64, each: u64) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = open(dir.path());
    let children: Vec<Writer> = (1..=writers).map(|n| Writer::spawn("many", dir.path(), n, each)).collect();
    let waiting = std::thread::spawn(|| children.into_iter().flat_map(Writer::end).collect::<Vec<String>>());
    while !waiting.is_finished() {
        for run in store.list().expect("lists").runs {
            assert!(matches!(run.state, RunStatus::Running | RunStatus::Complete), "{:?}", run);
        }
    }
    let acks = waiting.join().expect("every writer ended well");
    assert_eq!(acks.len() as u64, writers * each);
    assert!(acks.iter().all(|ack| ack.ends_with(" Yes")), "{acks:?}");
    let listed = store.list().expect("lists");
    assert_eq!(listed.indexed, Indexed::Yes);
    let ids: BTreeSet<String> = listed.runs.iter().map(|r| r.id.clone()).collect();
    assert_eq!(ids, acks.iter().map(|ack| id_of(ack)).collect());
    assert!(listed.runs.iter().all(|r| r.state == RunStatus::Complete && r.verdict.starts_with("judged ")));
}

#[test]
fn ten_processes_writing_at_once_are_all_listed() {
    all_at_once(10, 6);
}

/// Tests goal G13 of docs/design/goals.md, "Reliability".
#[test]
#[ignore = "goal G13 in full, a minute or more"]
fn ten_processes_writing_a_hundred_runs_each_are_all_listed() {
    all_at_once(10, 100);
}
