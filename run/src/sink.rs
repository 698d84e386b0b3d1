//! Output of a run: events for the record, progress for the display.

use load::recorder::Entry;
use model::{BytesPerSecond, Iops, Nanos, RunEvent, measured::Phase};

/// Progress of a run, updated about five times per second.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// Label of the current work: `fill`, `8k randread`.
    pub label: String,
    /// Operations in flight over all threads.
    pub concurrency: u32,
    /// True during a pause before the step.
    pub pausing: bool,
    /// True for the held level, the best level of a ramp measured again for longer.
    pub hold: bool,
    /// Current phase, which determines whether figures count.
    pub phase: Phase,
    /// Rate over the last windows.
    pub iops: Iops,
    /// Bandwidth over the last windows.
    pub bandwidth: BytesPerSecond,
    /// Mean latency over the last windows.
    pub latency: Option<Nanos>,
    /// Number of the current step, from 1.
    pub step: usize,
    /// Expected number of steps.
    pub steps: usize,
    /// Time since the run's zero.
    pub elapsed: Nanos,
    /// Expected time until the end.
    pub left: Nanos,
    /// Current warning, such as `one operation has been in flight for 12 s`.
    pub warning: Option<String>,
    /// States of the jobs, for job files.
    pub jobs: Option<JobsProgress>,
}

/// Progress of the jobs of a job file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JobsProgress {
    /// Number of jobs that have not ended.
    pub running: u32,
    /// Number of files that these jobs have open.
    pub files: u32,
    /// fio's letter for each job of the wave, in order.
    pub states: Vec<char>,
    /// Rates of reads, writes and trims over the last windows.
    pub rates: [(Iops, BytesPerSecond); 3],
}

/// Receiver of a run's output. Must not block on the storage under test; a separate thread writes the journal.
pub trait Sink {
    /// Receives an event for the record.
    fn event(&mut self, event: RunEvent);
    /// Receives the progress for the display.
    fn progress(&mut self, progress: &Progress);
    /// Receives the operations of a step that records every one, in order for each worker. Events do not contain them.
    fn operations(&mut self, _step: usize, _entries: &[Entry]) {}
}
