//! What ranks tell each other, as JSON: a stranger's build of the same version reads it, and a trace of it is read by eye.

use crate::workers::LoadEnd;
use load::recorder::Entry;
use model::{Job, Nanos, RankPlan, RunEvent, Sentence, StepStop, Window};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Who a rank is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Greeting {
    /// Its machine's name.
    pub host: String,
    /// Version of secchi.
    pub version: String,
}

/// What rank 0 has others do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Order {
    /// What the rank's targets are called by, and the id of the run.
    Called {
        /// Its name.
        name: String,
        /// The run's id.
        run: String,
    },
    /// What each rank said, rank 0 first.
    Words(Vec<String>),
    /// All plans go together.
    Agreed,
    /// Fill targets, or lay out files. Answered by [`Report::Filled`].
    Fill,
    /// Open what these jobs need. Answered by [`Report::Ready`], and they begin by [`Order::Begin`].
    Wave(Vec<JobOrder>),
    /// When the wave begins, on the run's clock.
    Begin(Nanos),
    /// A step of the wave is to stop.
    Stop(usize, StepStop),
    /// The wave does not begin: another rank cannot.
    Cancel,
    /// No wave follows: do what is left when a run went to its end, and tell of it. Answered by [`Report::Finished`].
    Finish,
    /// The run is over: take leave.
    End,
}

/// A job of a wave that a rank is to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct JobOrder {
    /// Number of its step in the run.
    pub step: usize,
    /// Which stage of the rank's own plan it runs.
    pub stage: usize,
    /// Which pass over the stage's levels.
    pub pass: u32,
    /// Whether it holds the best level of a ramp.
    pub hold: bool,
    /// What is run.
    pub job: Job,
    /// How much later than the wave it begins.
    pub delay: Nanos,
    /// It begins when these have ended, by their numbers among the jobs of this order.
    pub after: Vec<usize>,
}

/// What a rank tells rank 0.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// Who it is.
    Greeting(Greeting),
    /// What the others are to know before they plan. Answered by [`Order::Words`].
    Word(String),
    /// What it would do alone.
    Plan(Box<RankPlan>),
    /// It cannot take part: nothing was begun, or nothing of its own.
    Refused {
        /// The exit code it would have ended with.
        code: i32,
        /// A sentence.
        text: String,
    },
    /// What is no run was done.
    Did {
        /// The exit code it would have ended with.
        code: i32,
        /// What is to be said of it.
        lines: Vec<String>,
    },
    /// So many bytes were written to make targets ready.
    Filled(u64),
    /// Everything of a wave is open.
    Ready,
    /// What could not be done; the rank goes no further with what it was told to do.
    Failed(Trouble, Sentence),
    /// It is known when a step is measured: from, until.
    Scheduled(usize, Nanos, Nanos),
    /// How a step stands.
    Live(usize, Box<LiveReport>),
    /// Single operations of a step that keeps every one.
    Operations(usize, Vec<Entry>),
    /// For the record, with the numbers that steps have in the run.
    Event(Box<RunEvent>),
    /// How the load of a step ended; the step's end was told before.
    Ended(usize, Box<LoadEnd>),
    /// What failed beside I/O.
    Beside(Sentence),
    /// All of a wave is told.
    WaveOver,
    /// All of the run is told.
    Finished,
}

/// The kind of what could not be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Trouble {
    /// A signal.
    Signal,
    /// Operations did not come back, or the target is gone.
    Hung,
    /// Something else.
    Failed,
    /// Memory or threads are lacking.
    Lacking,
}

/// A look at a job that runs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct LiveReport {
    /// Measured windows since the last look.
    pub windows: Vec<Window>,
    /// The last windows, ramp included.
    pub recent: Vec<Window>,
    /// Age of the oldest operation in flight, if worrying.
    pub stuck: Option<Nanos>,
}

pub(super) fn encode(message: &impl Serialize) -> Vec<u8> {
    // Plain data in memory: it cannot fail.
    serde_json::to_vec(message).unwrap_or_default()
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}
