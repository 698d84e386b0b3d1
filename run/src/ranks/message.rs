//! Messages between ranks, as JSON. Other builds of the same version can read JSON, and so can people who look at a
//! trace.

use super::joint::RankPlan;
use crate::wave::Stop;
use crate::workers::LoadEnd;
use load::recorder::Entry;
use model::{Job, Nanos, RunEvent, Sentence, measured::Window, record::StepStop};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Identity of a rank.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Greeting {
    /// Host name.
    pub host: String,
    /// Version of secchi.
    pub version: String,
}

/// Order of rank 0 to another rank.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Order {
    /// Assigns the name of the rank's targets and the id of the run.
    Called {
        /// Name for the targets.
        name: String,
        /// Id of the run.
        run: String,
    },
    /// Information from all ranks for the others (see [`Report::Word`]), rank 0 first.
    Words(Vec<String>),
    /// All plans are compatible.
    Agreed,
    /// Fill targets, or lay out files. Answered by [`Report::Filled`].
    Fill,
    /// Open the files of these jobs. Answered by [`Report::Ready`]; the jobs begin on [`Order::Begin`].
    Wave(Vec<JobOrder>),
    /// Start time of the wave, on the run's clock.
    Begin(Nanos),
    /// Stop a step of the wave.
    Stop(usize, StepStop),
    /// Cancel the wave, because another rank cannot begin.
    Cancel,
    /// No wave follows: do the remaining work of a completed run, and report it. Answered by [`Report::Finished`].
    Finish,
    /// The run is over: disconnect.
    End,
}

/// Job of a wave for one rank.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct JobOrder {
    /// Number of the job's step in the run.
    pub step: usize,
    /// Index of the stage in the rank's own plan.
    pub stage: usize,
    /// Pass over the stage's levels.
    pub pass: u32,
    /// True for the held level, the best level of a ramp measured again for longer.
    pub hold: bool,
    /// Job to run.
    pub job: Job,
    /// Delay of the job's start after the start of the wave.
    pub delay: Nanos,
    /// Indices of the jobs in this order that must end before this job begins.
    pub after: Vec<usize>,
}

/// Report of a rank to rank 0.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// Identity of the rank.
    Greeting(Greeting),
    /// Information for the other ranks before they plan. Answered by [`Order::Words`].
    Word(String),
    /// Plan of the rank for its own targets.
    Plan(Box<RankPlan>),
    /// The rank cannot take part and has begun nothing.
    Refused {
        /// Exit code that the rank would have ended with.
        code: i32,
        /// Reason, as a sentence.
        text: String,
    },
    /// Result of work other than a run.
    Did {
        /// Exit code that the rank would have ended with.
        code: i32,
        /// Lines to print about it.
        lines: Vec<String>,
    },
    /// Number of bytes written to fill the targets.
    Filled(u64),
    /// All files of a wave are open.
    Ready,
    /// Failure; the rank does not continue with its orders.
    Failed(Stop),
    /// Measured time of a step: from, until.
    Scheduled(usize, Nanos, Nanos),
    /// State of a running step.
    Live(usize, Box<LiveReport>),
    /// Individual operations of a step that records each one.
    Operations(usize, Vec<Entry>),
    /// Event for the record, with the step numbers of the whole run.
    Event(Box<RunEvent>),
    /// End of a step's load. The event for the step's end was reported before.
    Ended(usize, Box<LoadEnd>),
    /// Failure other than an I/O error.
    Beside(Sentence),
    /// Last report about a wave.
    WaveOver,
    /// Last report about the run.
    Finished,
}

/// State of a running job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct LiveReport {
    /// Measured windows since the last report.
    pub windows: Vec<Window>,
    /// Last windows, including those of the ramp.
    pub recent: Vec<Window>,
    /// Age of the oldest operation in flight, if it is suspiciously high.
    pub stuck: Option<Nanos>,
}

pub(super) fn encode(message: &impl Serialize) -> Vec<u8> {
    // Serializing plain data to memory cannot fail.
    serde_json::to_vec(message).unwrap_or_default()
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}
