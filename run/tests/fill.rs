//! Tests of the fill on a real file without a target guard: which ranges are marked as filled, and what ends the fill.

use load::target::{Reason, TargetError};
use model::plan::{Access, ErrorPolicy, Mix, StopRule, TargetKind, Workload};
use model::{
    Bytes, Job, Nanos, Plan, RunEvent, RunKind, RunRecord, RunState, Stage, Target, judged::AnswerSubject,
    record::Preflight,
};
use run::{Ending, Identity, Interrupt, OpenTarget, Progress, RunInputs, Sink, Targets, conduct};
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use sys::clock::{RunClock, SimulatedClock, monotonic_ns};

/// Returns a clock that runs two hundred times as fast, so that checks once per second occur in a short test.
fn hasty() -> RunClock {
    RunClock::Simulated(SimulatedClock {
        zero: monotonic_ns(),
        now: |zero| (monotonic_ns() - zero) * 200,
        sleep: |ns| std::thread::sleep(std::time::Duration::from_nanos(ns)),
    })
}

struct Scratch {
    file: Arc<File>,
    size: u64,
    filled: Vec<Range<u64>>,
    /// Number of checks after which there is no more space.
    room_for: Cell<u32>,
    /// Number of checks after which the target is gone.
    present_for: Cell<u32>,
}

fn another(left: &Cell<u32>) -> bool {
    left.set(left.get().saturating_sub(1));
    left.get() > 0
}

fn reason(why: &str) -> Reason {
    Reason { what: "write".to_owned(), why: why.to_owned(), advice: String::new() }
}

impl OpenTarget for Scratch {
    fn file(&self, _direct: bool, _write: bool) -> io::Result<Arc<File>> {
        Ok(Arc::clone(&self.file))
    }
    fn unfilled(&self) -> Vec<Range<u64>> {
        std::iter::once(0..self.size).filter(|_| self.filled.is_empty()).collect()
    }
    fn filled(&mut self, range: Range<u64>) -> io::Result<()> {
        self.filled.push(range);
        Ok(())
    }
    fn room(&self) -> Result<(), TargetError> {
        another(&self.room_for).then_some(()).ok_or_else(|| TargetError::Full(reason("only 1 GiB would stay free")))
    }
    fn present(&self) -> Result<(), TargetError> {
        another(&self.present_for).then_some(()).ok_or_else(|| TargetError::Lost(reason("the device was removed")))
    }
}

#[derive(Default)]
struct Record {
    events: Vec<RunEvent>,
    progress: Vec<Progress>,
}

impl Sink for Record {
    fn event(&mut self, event: RunEvent) {
        self.events.push(event);
    }
    fn progress(&mut self, progress: &Progress) {
        self.progress.push(progress.clone());
    }
}

fn plan(size: u64) -> Plan {
    let target = Target {
        offset: Bytes(0),
        kind: TargetKind::File,
        path: "scratch".into(),
        size: Bytes(size),
        direct: false,
        align: Bytes(1),
        uuid: Some(7),
    };
    let job = Job {
        tuning: model::plan::JobTuning::default(),
        more: Vec::new(),
        name: "read".into(),
        workload: Workload::new(Mix::READ, Bytes(4096), Access::RANDOM),
        target: target.clone(),
        engine: "psync".into(),
        queue_depth: 1,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: Nanos::from_secs(1), steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
    };
    let stage = Stage::fixed("read", job);
    Plan {
        args: vec![],
        fill: Bytes(size),
        limits: vec![],
        needs: vec![],
        ..Plan::new(RunKind::Blocks, target, vec![stage], Nanos::from_secs(3_600))
    }
}

fn run(size: u64, room_for: u32, present_for: u32) -> (Ending, Record, Vec<Range<u64>>) {
    let file = Arc::new(tempfile::tempfile().expect("a file"));
    file.set_len(size).expect("room for it");
    let (room_for, present_for) = (Cell::new(room_for), Cell::new(present_for));
    let mut site = Scratch { file, size, filled: Vec::new(), room_for, present_for };
    let identity = Identity { id: "test".into(), tool: "test".into(), started: String::new(), notes: vec![] };
    let (clock, mut sink) = (hasty(), Record::default());
    let interrupt = Interrupt::default();
    let (plan, preflight) = (plan(size), Preflight::default());
    let inputs = RunInputs { plan: &plan, preflight: &preflight, identity: &identity, caveats: &[] };
    let ending = conduct(clock, &inputs, Targets::TestAreas(&mut [&mut site]), &mut sink, &interrupt);
    (ending, sink, site.filled)
}

const SIZE: u64 = 96 << 20;

#[test]
fn a_fill_marks_what_it_made_durable_and_shows_its_rate() {
    let (ending, sink, filled) = run(SIZE, u32::MAX, u32::MAX);
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    assert_eq!(filled.as_slice(), std::slice::from_ref(&(0..SIZE)));
    assert!(sink.events.iter().any(|e| matches!(e, RunEvent::Filled { bytes: SIZE, .. })));
    let fills = || sink.progress.iter().filter(|p| p.step == 0);
    assert!(fills().all(|p| p.concurrency == 1), "psync has one in flight");
    // A fast disk is filled before a rate is known.
    assert!(fills().count() < 2 || fills().any(|p| p.bandwidth.per_second() > 0.0), "no rate was shown");
}

#[test]
fn a_fill_ends_within_a_second_when_others_have_used_up_the_room() {
    // The first check is before the part, the second one a second later.
    let (ending, sink, filled) = run(SIZE, 2, u32::MAX);
    assert_eq!(ending.state, RunState::Failed);
    assert!(ending.reason.starts_with("the fill stopped after "), "{ending:?}");
    assert!(ending.reason.ends_with(" of 96 MiB: write: only 1 GiB would stay free"), "{ending:?}");
    let record = RunRecord::from_events(sink.events.clone()).expect("events of one run");
    let judged = analysis::judge(&record);
    let next = judged.answer.line(AnswerSubject::Do).expect("a next step");
    assert!(next.text.contains("free some space"), "{}", next.text);
    assert!(filled.is_empty(), "an unfinished part is not marked");
    assert!(!sink.events.iter().any(|e| matches!(e, RunEvent::StepBegin { .. })));
    let written =
        sink.events.iter().find_map(|e| if let RunEvent::Filled { bytes, .. } = e { Some(*bytes) } else { None });
    assert!(written.is_some_and(|bytes| (1..=SIZE).contains(&bytes)), "{written:?} bytes were written before it ended");
}

#[test]
fn a_target_that_goes_away_during_the_fill_is_lost() {
    let (ending, _, filled) = run(SIZE, u32::MAX, 1);
    assert_eq!((ending.state, ending.reason.as_str()), (RunState::Hung, "lost: write: the device was removed"));
    assert!(filled.is_empty());
}
