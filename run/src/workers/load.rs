//! Loads: inputs, state while running, results, and watches.

use super::programs::LeftRunning;
use load::engine::OpenError;
use load::engines::SharedLock;
use load::pattern::PatternError;
use load::recorder::Entry;
use load::session::Sessions;
use load::worker::{Flow, Refused, WorkerEnd};
use load::zoned::ShareError;
use model::{Bytes, Interval, Job, Nanos, Sentence, measured::Window, record::StepStop};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

/// Inputs of a load.
#[derive(Clone)]
pub struct Load {
    /// Job to run; engine, queue depth and threads are final.
    pub job: Arc<Job>,
    /// Files of the job's targets, in their order; empty for the null target.
    pub files: Vec<Arc<File>>,
    /// Start and length of the part to use, if it is not the whole target.
    pub part: Option<(Bytes, Bytes)>,
    /// Contents of writes; `None` for arbitrary contents of the buffers (null engine).
    pub content: Option<Arc<load::content::Content>>,
    /// Time in flight after which an operation counts as hung and the load is abandoned.
    pub hang: Nanos,
    /// Maximum time to wait for operations in flight after a signal.
    pub patience: Nanos,
    /// Source of database sessions, for a job with [`model::plan::Work::Session`].
    pub sessions: Option<Arc<dyn Sessions>>,
    /// Delay of its start after the common start of the loads that run together.
    pub delay: Nanos,
    /// Indices of the loads that must end before it begins.
    pub after: Vec<usize>,
    /// State shared with the other jobs of its flow, if the job has a flow.
    pub flow: Option<Arc<Flow>>,
    /// Zones of its files, if the job works in zones.
    pub zones: Vec<Arc<load::zoned::Zones>>,
    /// Locks of its files, if jobs take turns.
    pub locks: Vec<SharedLock>,
    /// Collection of the processes that its commands leave running.
    pub left_running: LeftRunning,
}

/// Decision of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Continue.
    GoOn,
    /// Stop submitting, and wait for the operations in flight.
    Stop(StepStop),
}

/// State of a running load.
#[derive(Debug)]
pub struct Live<'a> {
    /// Time on the run's clock.
    pub now: Nanos,
    /// Complete measured windows; for a long load, only those of the last minutes.
    pub windows: &'a [Window],
    /// Number of earlier measured windows, which were dropped.
    pub before: usize,
    /// Last complete windows, including those before the measurement, for the display.
    pub recent: &'a [Window],
    /// Age of the oldest operation in flight, if it is suspiciously high.
    pub stuck: Option<Nanos>,
}

/// Result of a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadEnd {
    /// Reason for the end.
    pub stop: StepStop,
    /// Start on the run's clock.
    pub start: Nanos,
    /// End on the run's clock, including the drain.
    pub end: Nanos,
    /// Closing counts, merged over the workers.
    pub workers: WorkerEnd,
    /// For each CPU number, number of readings in which a worker ran on that CPU. Empty if the system does not report
    /// it.
    pub cpus: BTreeMap<u32, u32>,
    /// Share of wall time in which the busiest worker was on a CPU, 0..=1.
    pub busiest: f64,
    /// Notes about features that were not available to the engines.
    pub notes: Vec<String>,
    /// Other remarks.
    pub remarks: Vec<Sentence>,
    /// Start time, if a command before the load delayed it.
    pub began: Option<Nanos>,
    /// Sum of the measured intervals.
    pub total: Interval,
}

impl LoadEnd {
    /// Returns `true` if operations never returned. A thread is then blocked in the kernel with the file open, and any
    /// use of the file may also block.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.stop == StepStop::Hung || self.workers.pending > 0
    }
}

/// Error when a load cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The engine could not be opened.
    #[error(transparent)]
    Engine(#[from] OpenError),
    /// The workload does not fit the target.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The worker does not support what the job requests.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The job cannot use the zones of a device as requested.
    #[error(transparent)]
    Zones(#[from] ShareError),
    /// A database session could not be opened.
    #[error("{0}")]
    Session(String),
    /// A thread could not be placed as the job requests.
    #[error("{job} cannot {what}: {source}")]
    Placed {
        /// Name of the job.
        job: String,
        /// Placement that failed, as a phrase that follows "cannot".
        what: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The hosts were to begin together, but one of them could not.
    #[error("{0}")]
    Elsewhere(String),
    /// There is no memory for the counters.
    #[error(
        "no memory for the counters of {threads} threads: {source}; lower the concurrency or raise the limit (ulimit -v)"
    )]
    Memory {
        /// Number of requested threads.
        threads: u32,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A thread could not be started.
    #[error(
        "cannot start {threads} threads: {source}; lower the concurrency, or raise the limits on processes and memory (ulimit -u, -v)"
    )]
    Thread {
        /// Number of requested threads.
        threads: u32,
        /// Error of the system.
        source: std::io::Error,
    },
}

impl LoadError {
    /// Returns `true` if the machine lacks memory or threads, as opposed to an error of the load itself.
    #[must_use]
    pub fn lacks(&self) -> bool {
        match self {
            LoadError::Memory { .. } | LoadError::Thread { .. } => true,
            LoadError::Engine(error) => error.lacks(),
            _ => false,
        }
    }
}

impl Load {
    /// Creates a load on all of the job's targets, without delay and without files.
    #[must_use]
    pub fn new(job: Job, hang: Nanos) -> Self {
        Load {
            job: Arc::new(job),
            files: Vec::new(),
            part: None,
            content: None,
            hang,
            patience: Nanos::from_secs(5),
            sessions: None,
            delay: Nanos(0),
            after: Vec::new(),
            flow: None,
            zones: Vec::new(),
            locks: Vec::new(),
            left_running: LeftRunning::default(),
        }
    }
}

/// Watch for loads that run together; `which` is the index of a load.
pub trait WatchAll {
    /// Called when an interval of a load is complete.
    fn interval(&mut self, which: usize, interval: Interval);
    /// Receives the operations of a load that records every one (`JobTuning::every_op`), including ramp and drain.
    fn operations(&mut self, which: usize, entries: &[Entry]);
    /// Called every few milliseconds for every load that has begun and not ended.
    fn decide(&mut self, which: usize, live: &Live<'_>) -> Decision;
    /// Called when the measured time of a load is known: from the end of its ramp until its time is up, on the run's
    /// clock. A stop or a count may end it earlier.
    fn scheduled(&mut self, _which: usize, _from: Nanos, _until: Nanos) {}
    /// Called every few milliseconds, even if nothing is running. A stop ends all loads, including those that have not
    /// begun.
    fn tick(&mut self, now: Nanos) -> Decision;
    /// Called when a load has ended and its last interval was passed on.
    fn ended(&mut self, which: usize, end: &LoadEnd);
    /// Called once all files are open. Returns the start time on the run's clock, which currently shows `now`. Several
    /// hosts agree on the time here.
    ///
    /// # Errors
    /// Returns [`LoadError::Elsewhere`] if another host cannot start.
    fn begin(&mut self, now: Nanos) -> Result<Nanos, LoadError> {
        Ok(Nanos(now.as_nanos() + 2_000_000))
    }
}
