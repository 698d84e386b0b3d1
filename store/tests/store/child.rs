//! This test binary run again as a writer that can be killed, and what is shared by the tests.

use model::{RunEvent, RunRecord};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use store::fixture;
use store::{RunStatus, Store};

const TASK: &str = "SECCHI_STORE_TEST_TASK";
const DIR: &str = "SECCHI_STORE_TEST_DIR";
const SEED: &str = "SECCHI_STORE_TEST_SEED";
const COUNT: &str = "SECCHI_STORE_TEST_COUNT";

/// The verdict the tests' judge derives from a record.
pub(crate) fn judge(record: &RunRecord) -> String {
    format!("judged {} after {} steps", record.id, record.steps.len())
}

/// Opens a store with the tests' judge.
pub(crate) fn open(dir: &Path) -> Store {
    Store::open(dir).expect("the store opens").with_digest(judge)
}

/// Writes the run made from `seed` to its end.
pub(crate) fn write_run(store: &Store, seed: u64, seconds: u64) -> store::Finished {
    let events = fixture::run(seed, seconds);
    let mut writer = store.create_run(&events[0]).expect("the run begins");
    for event in &events[1..] {
        writer.append(event).expect("appends");
    }
    let record = RunRecord::from_events(events).expect("one run");
    writer.finish(judge(&record)).expect("finishes")
}

/// The record of the run made from `seed`, as far as its first `frames` events go when it is written without end.
pub(crate) fn open_record(seed: u64, frames: u64) -> RunRecord {
    let mut events = fixture::open_run(seed, frames.saturating_sub(2));
    events.truncate(usize::try_from(frames).expect("few"));
    RunRecord::from_events(events).expect("one run")
}

/// A writer in a process of its own.
pub(crate) struct Writer {
    process: Child,
    lines: BufReader<ChildStdout>,
}

impl Writer {
    /// Starts `task` (`endless` or `many`) on the store `dir`.
    pub(crate) fn spawn(task: &str, dir: &Path, seed: u64, count: u64) -> Writer {
        let mut process = Command::new(std::env::current_exe().expect("this test binary"))
            .args(["child::this_binary_as_a_writer", "--exact", "--nocapture", "--test-threads=1"])
            .env(TASK, task)
            .env(DIR, dir)
            .env(SEED, seed.to_string())
            .env(COUNT, count.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let lines = BufReader::new(process.stdout.take().expect("piped"));
        Writer { process, lines }
    }

    /// The next thing the writer says is done; `None` when it is gone.
    pub(crate) fn next_ack(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).expect("reads") == 0 {
                return None;
            }
            // A line cut off by the kill is no acknowledgement; nor is what the test harness prints.
            if let Some((_, ack)) = line.split_once("ack ")
                && let Some(ack) = ack.strip_suffix('\n')
            {
                return Some(ack.to_owned());
            }
        }
    }

    /// SIGKILL, then the acknowledgements that were still on their way.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.process.kill().expect("it is ours");
        let rest = std::iter::from_fn(|| self.next_ack()).collect();
        self.process.wait().expect("it is ours");
        rest
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Vec<String> {
        let acks = std::iter::from_fn(|| self.next_ack()).collect();
        assert!(self.process.wait().expect("it is ours").success());
        acks
    }
}

fn ack(what: &str) {
    let mut out = std::io::stdout().lock();
    // With its reader gone the writer must not go on: an error ends it.
    out.write_all(format!("ack {what}\n").as_bytes()).and_then(|()| out.flush()).expect("the parent listens");
}

/// Not a test by itself: what [`Writer::spawn`] runs.
#[test]
fn this_binary_as_a_writer() {
    let Ok(task) = std::env::var(TASK) else { return };
    let number = |name| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok()).expect("set by the parent");
    let store = open(std::env::var_os(DIR).expect("set by the parent").as_ref());
    match task.as_str() {
        "endless" => endless(&store, number(SEED), number(COUNT)),
        "many" => many(&store, number(SEED), number(COUNT)),
        other => panic!("no task {other}"),
    }
}

/// Appends seconds as fast as it can, each durable before it is acknowledged by the number of frames.
fn endless(store: &Store, seed: u64, count: u64) {
    let mut events = fixture::open_run(seed, 0).into_iter();
    let mut writer = store.create_run(&events.next().expect("a begin")).expect("the run begins");
    ack("1");
    let seconds = (0..count).map(|n| RunEvent::Interval { step: 0, interval: fixture::second(seed, n, 30) });
    for (frames, event) in (2u64..).zip(events.chain(seconds)) {
        writer.append(&event).expect("appends");
        writer.sync().expect("syncs");
        ack(&frames.to_string());
    }
}

/// Writes whole runs one after the other, each acknowledged by its id and whether it is indexed.
fn many(store: &Store, seed: u64, count: u64) {
    for n in 0..count {
        let finished = write_run(store, seed * 1_000_000 + n, 3);
        assert_eq!(finished.summary.state, RunStatus::Complete);
        ack(&format!("{} {:?}", finished.summary.id, finished.indexed));
    }
}
