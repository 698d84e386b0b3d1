//! A writer process that can be killed (this test binary, started again), and helper functions shared by the tests.

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

/// Returns the verdict for a record, as the judge used in the tests determines it.
pub(crate) fn judge(record: &RunRecord) -> String {
    format!("judged {} after {} steps", record.id, record.steps.len())
}

/// Opens a store with the judge used in the tests.
pub(crate) fn open(dir: &Path) -> Store {
    Store::open(dir).expect("the store opens").with_digest(judge)
}

/// Writes the complete run generated from `seed`.
pub(crate) fn write_run(store: &Store, seed: u64, seconds: u64) -> store::Finished {
    let events = fixture::run(seed, seconds);
    let mut writer = store.create_run(&events[0]).expect("the run begins");
    for event in &events[1..] {
        writer.append(event).expect("appends");
    }
    let record = RunRecord::from_events(events).expect("one run");
    writer.finish(judge(&record)).expect("finishes")
}

/// Returns the record of the first `frames` events of the run generated from `seed`, which was written without an end.
pub(crate) fn open_record(seed: u64, frames: u64) -> RunRecord {
    let mut events = fixture::open_run(seed, frames.saturating_sub(2));
    events.truncate(usize::try_from(frames).expect("few"));
    RunRecord::from_events(events).expect("one run")
}

/// Writer in a separate process.
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

    /// Returns the next acknowledgement of the writer; `None` after it has ended.
    pub(crate) fn next_ack(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).expect("reads") == 0 {
                return None;
            }
            // Skip lines that the kill cut off, and output of the test harness.
            if let Some((_, ack)) = line.split_once("ack ")
                && let Some(ack) = ack.strip_suffix('\n')
            {
                return Some(ack.to_owned());
            }
        }
    }

    /// Sends SIGKILL and returns the acknowledgements still in the pipe.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.process.kill().expect("it is ours");
        let rest = std::iter::from_fn(|| self.next_ack()).collect();
        self.process.wait().expect("it is ours");
        rest
    }

    /// Waits for the process to end. Returns the remaining acknowledgements.
    pub(crate) fn end(mut self) -> Vec<String> {
        let acks = std::iter::from_fn(|| self.next_ack()).collect();
        assert!(self.process.wait().expect("it is ours").success());
        acks
    }
}

fn ack(what: &str) {
    let mut out = std::io::stdout().lock();
    // If the reader has ended, the writer must not continue; the error ends it.
    out.write_all(format!("ack {what}\n").as_bytes()).and_then(|()| out.flush()).expect("the parent listens");
}

/// Entry point of the process started by [`Writer::spawn`]; not a test.
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

/// Appends events of one second each at full speed. Each is made durable, then acknowledged with the number of frames.
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

/// Writes complete runs one at a time. Acknowledges each run with its id and the state of the index.
fn many(store: &Store, seed: u64, count: u64) {
    for n in 0..count {
        let finished = write_run(store, seed * 1_000_000 + n, 3);
        assert_eq!(finished.summary.state, RunStatus::Complete);
        ack(&format!("{} {:?}", finished.summary.id, finished.indexed));
    }
}
