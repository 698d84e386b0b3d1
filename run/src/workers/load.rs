//! A load: what it needs, what it shows while it runs, how it ends, and who follows it.

use super::programs::LeftRunning;
use load::engine::OpenError;
use load::engines::SharedLock;
use load::pattern::PatternError;
use load::recorder::Entry;
use load::session::Sessions;
use load::worker::{Flow, Refused, WorkerEnd};
use model::{Bytes, Interval, Job, Nanos, Sentence, StepStop, Window};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

/// What a load needs.
#[derive(Clone)]
pub struct Load<'a> {
    /// What is asked; engine, queue depth and threads are final.
    pub job: &'a Job,
    /// The files of the job's targets, in their order; none for the null target.
    pub files: Vec<Arc<File>>,
    /// First byte and length of the part that is used, where that is not all of the target.
    pub part: Option<(Bytes, Bytes)>,
    /// What writes hold; `None` = whatever the buffers hold (the null engine).
    pub content: Option<Arc<load::content::Content>>,
    /// Age of an operation in flight at which the load is given up.
    pub hang: Nanos,
    /// How long to wait for operations in flight after a signal.
    pub patience: Nanos,
    /// Opens the database sessions of a job with [`model::JobTuning::session`].
    pub sessions: Option<Arc<dyn Sessions>>,
    /// How much later than the loads it runs with it begins.
    pub delay: Nanos,
    /// Begins only when these of the loads it runs with have ended, as indices.
    pub after: Vec<usize>,
    /// What it shares with the jobs of its flow, if it is in one.
    pub flow: Option<Arc<Flow>>,
    /// The zones of its files, where it works in zones.
    pub zones: Vec<Arc<load::zoned::Zones>>,
    /// The locks of its files, where jobs take turns at them.
    pub locks: Vec<SharedLock>,
    /// Takes what commands beside it leave running.
    pub left_running: LeftRunning,
}

/// What to do after a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    GoOn,
    /// Stop sending; wait for what is in flight.
    Stop(StepStop),
}

/// What a load shows while it runs.
#[derive(Debug)]
pub struct Live<'a> {
    /// On the run's clock.
    pub now: Nanos,
    /// Measured windows complete so far; of a long load the last ones, minutes of them.
    pub windows: &'a [Window],
    /// So many measured windows before those are not kept any more.
    pub before: usize,
    /// The last complete windows, those before measuring began included: for the eye.
    pub recent: &'a [Window],
    /// Age of the oldest operation in flight, if worrying.
    pub stuck: Option<Nanos>,
}

/// Follows a load.
pub trait Watch {
    /// An interval is complete.
    fn interval(&mut self, interval: Interval);
    /// Called every few milliseconds.
    fn decide(&mut self, live: &Live<'_>) -> Decision;
}

/// How a load ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadEnd {
    /// What ended it.
    pub stop: StepStop,
    /// Start on the run's clock.
    pub start: Nanos,
    /// End on the run's clock, drain included.
    pub end: Nanos,
    /// Closing counts, merged over workers.
    pub workers: WorkerEnd,
    /// Number of looks that saw a worker on each CPU, by the CPU's number. Empty where the system does not report it.
    pub cpus: BTreeMap<u32, u32>,
    /// Share of wall time the busiest worker was on a CPU, 0..=1.
    pub busiest: f64,
    /// What engines had to do without.
    pub notes: Vec<String>,
    /// What else is worth a line.
    pub remarks: Vec<Sentence>,
    /// When it began, where that was later than planned: a command ran before it.
    pub began: Option<Nanos>,
    /// Measured intervals put together.
    pub total: Interval,
}

impl LoadEnd {
    /// Whether operations never came back: a thread in the kernel holds its file, and who touches that waits with it.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.stop == StepStop::Hung || self.workers.pending > 0
    }
}

/// Why a load could not run.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The engine could not be opened.
    #[error(transparent)]
    Engine(#[from] OpenError),
    /// The workload does not fit the target.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The worker cannot do at once what is asked.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A database session could not be opened.
    #[error("{0}")]
    Session(String),
    /// A thread could not be put where the job wants it.
    #[error("{job} cannot {what}: {source}")]
    Placed {
        /// Which job.
        job: String,
        /// What was asked.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// One of the hosts that were to begin together could not.
    #[error("{0}")]
    Elsewhere(String),
    /// There is no memory for what is counted.
    #[error(
        "no memory for the counters of {threads} threads: {source}; lower the concurrency or raise the limit (ulimit -v)"
    )]
    Memory {
        /// Threads that were asked for.
        threads: u32,
        /// What the system said.
        source: std::io::Error,
    },
    /// A thread could not be started.
    #[error(
        "cannot start {threads} threads: {source}; lower the concurrency, or raise the limits on processes and memory (ulimit -u, -v)"
    )]
    Thread {
        /// Threads that were asked for.
        threads: u32,
        /// What the system said.
        source: std::io::Error,
    },
}

impl LoadError {
    /// Whether the machine lacks memory or threads for it, rather than that something is wrong with it.
    #[must_use]
    pub fn lacks(&self) -> bool {
        match self {
            LoadError::Memory { .. } | LoadError::Thread { .. } => true,
            LoadError::Engine(error) => error.lacks(),
            _ => false,
        }
    }
}

impl<'a> Load<'a> {
    /// A load of all of the job's targets, at once, on no files yet.
    #[must_use]
    pub fn new(job: &'a Job, hang: Nanos) -> Self {
        Load {
            job,
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

/// Follows loads that run together, by their place in the list.
pub trait WatchAll {
    /// An interval of a load is complete.
    fn interval(&mut self, which: usize, interval: Interval);
    /// Operations of a load whose every operation is kept (`JobTuning::every_op`), ramp and drain included.
    fn operations(&mut self, which: usize, entries: &[Entry]);
    /// Called every few milliseconds for every load that has begun and not ended.
    fn decide(&mut self, which: usize, live: &Live<'_>) -> Decision;
    /// It is known when a load is measured: from its ramp's end until its time is up, on the run's clock. A stop or a
    /// count may end it before.
    fn scheduled(&mut self, _which: usize, _from: Nanos, _until: Nanos) {}
    /// Called every few milliseconds, whatever is running. A stop ends all loads, those that have not begun included.
    fn tick(&mut self, now: Nanos) -> Decision;
    /// A load has ended, its last interval given out.
    fn ended(&mut self, which: usize, end: &LoadEnd);
    /// Everything is open: when do the loads begin, on the run's clock, which shows `now`? Those of several hosts agree here.
    ///
    /// # Errors
    /// [`LoadError::Elsewhere`], when another of the hosts cannot begin.
    fn begin(&mut self, now: Nanos) -> Result<Nanos, LoadError> {
        Ok(Nanos(now.as_nanos() + 2_000_000))
    }
}
