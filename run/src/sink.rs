//! What a run tells the outside: events for the record, progress for the eye.

use load::recorder::Entry;
use model::{BytesPerSecond, Iops, Nanos, Phase, RunEvent};

/// Where a run is, about five times a second.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// What is being done: `fill`, `8k randread`.
    pub label: String,
    /// Operations in flight over all threads.
    pub concurrency: u32,
    /// Whether this is the held level after a ramp.
    pub hold: bool,
    /// Whether figures count already, or not any more.
    pub phase: Phase,
    /// Rate over the last windows.
    pub iops: Iops,
    /// Bandwidth over the last windows.
    pub bandwidth: BytesPerSecond,
    /// Mean latency over the last windows.
    pub latency: Option<Nanos>,
    /// Step being run, from 1.
    pub step: usize,
    /// Steps expected in all.
    pub steps: usize,
    /// Since the run's zero.
    pub elapsed: Nanos,
    /// Expected until the end.
    pub left: Nanos,
    /// Something to worry about now: `one operation has been in flight for 12 s`.
    pub warning: Option<String>,
    /// For job files: what each job is doing.
    pub jobs: Option<JobsProgress>,
}

/// Where the jobs of a job file are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JobsProgress {
    /// Jobs that have not ended.
    pub running: u32,
    /// Files they have open.
    pub files: u32,
    /// fio's letter for each job of the wave, in order.
    pub states: Vec<char>,
    /// Rates of reads, writes and trims over the last windows.
    pub rates: [(Iops, BytesPerSecond); 3],
}

/// Takes what happens. Must not block on the storage under test: the journal is written by a thread of its own.
pub trait Sink {
    /// Something for the record.
    fn event(&mut self, event: RunEvent);
    /// Something for the eye.
    fn progress(&mut self, progress: &Progress);
    /// Single operations of a step that keeps every one, in order of each worker; they are in no event.
    fn operations(&mut self, _step: usize, _entries: &[Entry]) {}
}
