//! SIGINT and SIGTERM: operations are drained, the run is stored, files are removed; a second signal ends at once
//! (docs/design/safety.md, "Signals").

use crate::support::{
    OwnDisk, PATIENCE, Sandbox, beside, eventually, names_in, processes_about, skip, wait_until_still,
};
use model::{RunState, record::StepStop};
use rustix::process::Signal;
use std::time::Duration;

const RUN: &str = "--patterns randread --bs 8k --max-depth 2 --size 64m --effort standard --json";

fn stopped_by(signal: Signal, code: i32) {
    let sandbox = Sandbox::new();
    let mut running = sandbox.qualify(sandbox.data(), RUN).start();
    running.wait_for_message("8k randread, 1 in flight");
    sandbox.wait_until_measured(&running);
    running.signal(signal);
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, code, "{}", ended.stderr);
    let run = ended.json();
    assert_eq!(run.record.state, RunState::Stopped);
    assert_eq!(i32::from(run.judgement.exit_code), code, "the summary tells the process's own code");
    assert_eq!(run.record.signal.map(i32::from), Some(signal.as_raw()));
    crate::whole_run::adds_up(&run);
    let last = run.record.steps.last().expect("a step was on");
    let end = last.end.as_ref().expect("it was drained");
    assert_eq!((end.stop, end.pending), (StepStop::Signal, 0));
    assert!(end.completed > 0);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "the test file is removed");
    assert_eq!(sandbox.newest().expect("it is kept"), run);
    assert!(eventually(PATIENCE, || processes_about(&sandbox.data()).is_empty()));
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let _beside = beside();
    stopped_by(Signal::INT, 130);
}

#[test]
fn sigterm_keeps_what_was_measured() {
    let _beside = beside();
    stopped_by(Signal::TERM, 143);
}

#[test]
fn a_signal_during_the_fill_removes_the_test_file() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut running = sandbox.qualify(sandbox.data(), "--patterns randread --size 2g --json --yes").start();
    running.wait_for_message("fill");
    running.signal(Signal::INT);
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    assert_eq!(ended.json().record.state, RunState::Stopped);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
}

#[test]
fn one_signal_is_enough_when_operations_do_not_come_back() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let disk = match OwnDisk::at(&sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    for engine in ["io_uring", "psync"] {
        let words = format!("{RUN} --engine {engine}");
        let mut running = sandbox.qualify(disk.point(), &words).inside(disk.group.path()).start();
        running.wait_for_message("8k randread, 1 in flight");
        sandbox.wait_until_measured(&running);
        disk.group.cap_reads(0, 1);
        wait_until_still(|| disk.group.reads());
        running.signal(Signal::INT);
        let ended = running.wait(PATIENCE);
        assert_eq!(ended.code, 130, "{}", ended.stderr);
        let run = ended.json();
        assert_eq!(run.record.state, RunState::Stopped);
        let end = run.record.steps.last().and_then(|s| s.end.clone()).expect("the step is closed");
        assert!(end.pending > 0, "what did not come back is told: {end:?}");
        disk.group.lift();
        assert!(eventually(PATIENCE, || processes_about(disk.point()).is_empty()));
    }
}

#[test]
fn the_second_signal_ends_at_once() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let disk = match OwnDisk::at(&sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    let mut running = sandbox.qualify(disk.point(), RUN).inside(disk.group.path()).start();
    running.wait_for_message("8k randread, 1 in flight");
    // Operations in flight do not complete: after the first signal secchi waits five seconds for them, then reports the
    // results so far.
    disk.group.cap_reads(0, 1);
    wait_until_still(|| disk.group.reads());
    running.signal(Signal::INT);
    // There is no sign that the first signal was received; two at the same time would count as one.
    std::thread::sleep(Duration::from_millis(800));
    running.signal(Signal::INT);
    let ended = running.wait(PATIENCE);
    assert_eq!((ended.code, ended.stdout.as_str()), (130, ""), "it did not wait: {}", ended.stderr);
    disk.group.lift();
    assert!(eventually(PATIENCE, || processes_about(disk.point()).is_empty()));
}
