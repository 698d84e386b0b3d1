//! Waves: jobs that run together, the scheduler that provides them, and the rules that end them.

use crate::context::{Ending, Interrupt};
use crate::sink::{Progress, Sink};
use crate::workers::{Decision, Live, LoadEnd, LoadError};
use model::{Caveat, Interval, Job, Nanos, RunEvent, Sentence, record::StepStop};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

/// Reason why a run ends before its plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Stop {
    /// The run was interrupted by a signal.
    Signal {
        /// True if threads may be blocked in the kernel by operations that did not return.
        stuck: bool,
    },
    /// Operations did not return, or the target no longer exists.
    Hung(Sentence),
    /// Another host is lost, or its operations did not return. On this host, no operation hangs.
    Lost(Sentence),
    /// Operations failed, or the load could not begin.
    Failed(Sentence),
    /// The machine lacks memory or threads for the load.
    Lacking(Sentence),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Signal { .. } => f.write_str("stopped by a signal"),
            Stop::Hung(what) | Stop::Lost(what) | Stop::Failed(what) | Stop::Lacking(what) => f.write_str(what),
        }
    }
}

impl From<LoadError> for Stop {
    fn from(error: LoadError) -> Self {
        let what = error.to_string().into();
        if error.lacks() { Stop::Lacking(what) } else { Stop::Failed(what) }
    }
}

impl Ending {
    /// Converts the outcome of a run.
    pub(crate) fn from_outcome(outcome: Result<Vec<Sentence>, Stop>, interrupt: &Interrupt) -> Ending {
        match outcome {
            Ok(failures) if failures.is_empty() => Ending::complete(),
            Ok(failures) => Ending::failed(Sentence::join(failures, "; ")),
            Err(Stop::Signal { stuck }) => Ending::signal(interrupt, stuck),
            Err(Stop::Hung(what)) => Ending::hung(what),
            Err(Stop::Lost(what)) => Ending::lost(what),
            Err(Stop::Failed(what)) => Ending::failed(what),
            Err(Stop::Lacking(what)) => Ending::lacking(what),
        }
    }
}

/// Job of a wave: a step of the record.
pub(crate) struct WaveJob<'p> {
    /// Index of the plan's stage.
    pub stage: usize,
    /// Pass over the stage's levels, from 0.
    pub pass: u32,
    /// True for the held level, the best level of a ramp measured again for longer.
    pub hold: bool,
    /// Job to run; engine, queue depth and threads are final.
    pub job: Cow<'p, Job>,
    /// Delay of the job's start after the start of the wave.
    pub delay: Nanos,
    /// Indices of the wave's jobs that must end before this job begins.
    pub after: Vec<usize>,
}

/// Pause before a wave, in which nothing is measured.
#[derive(Debug, Clone)]
pub(crate) struct Pause {
    /// Duration of the pause.
    pub time: Nanos,
    /// Progress to show, without its times.
    pub progress: Progress,
    /// Expected time of everything after the pause.
    pub left_after: Nanos,
}

/// Jobs that run together. Each begins after its own delay; the wave ends when all jobs have ended.
pub(crate) struct Wave<'p, R> {
    /// Jobs of the wave.
    pub jobs: Vec<WaveJob<'p>>,
    /// Pause before the wave.
    pub pause: Option<Pause>,
    /// Rules that may end the wave's jobs early.
    pub rules: R,
}

/// Result of a wave.
pub(crate) struct WaveEnd {
    /// Results of the jobs, in their order.
    pub ends: Vec<LoadEnd>,
    /// Failures other than I/O errors, one sentence each.
    pub failed: Vec<Sentence>,
}

/// Provider of the waves of a run; each wave can depend on the results of earlier ones. A scheduler does no I/O and
/// reads no clock.
pub(crate) trait Scheduler<'p> {
    /// Rules that may end the jobs of its waves.
    type Rules: WaveRules;

    /// Returns `true` if the next wave, or the end of the run, is known. Before returning `false`, it waits for a
    /// moment.
    fn is_ready(&mut self) -> bool {
        true
    }

    /// Returns the next wave; `None` at the end of the run. `elapsed` is the time since the first call.
    fn next(&mut self, elapsed: Nanos) -> Option<Wave<'p, Self::Rules>>;

    /// Processes the result of a wave.
    ///
    /// # Errors
    /// Returns the reason if the run must stop.
    fn wave_ended(&mut self, wave: Wave<'p, Self::Rules>, end: WaveEnd) -> Result<(), Stop>;

    /// Returns caveats about the figures of the whole run, at its end.
    fn doubts(&mut self) -> Vec<Caveat> {
        Vec::new()
    }

    /// Returns failures of jobs that did not end the run, one sentence each.
    fn failures(&mut self) -> Vec<Sentence> {
        Vec::new()
    }
}

/// Rules that end the jobs of one wave early, and the progress to be shown.
pub(crate) trait WaveRules {
    /// Called when the measured time of a job, without its ramp, is known.
    fn scheduled(&mut self, _which: usize, _from: Nanos, _until: Nanos) {}

    /// Called when an interval of a job is complete.
    fn interval(&mut self, which: usize, interval: &Interval);

    /// Returns the name of a job for use in sentences.
    fn label(&self, job: &Job) -> String {
        job.name.clone()
    }

    /// Decides whether a job continues. Called every few milliseconds while it runs. If the job stops because of a
    /// failure without an errno, also returns a sentence about it.
    fn decide(&mut self, which: usize, live: &Live<'_>) -> (Decision, Option<Sentence>);

    /// Returns the progress to be shown now, if any. Called every few milliseconds.
    fn progress(&mut self, now: Nanos) -> Option<Progress>;

    /// Called when only the reserved space of a file system is left; `why` describes this. Returns the reason if the
    /// wave fails because of it.
    fn no_room(&mut self, why: String, _now: Nanos, _sink: &mut dyn Sink) -> Option<String> {
        Some(why)
    }

    /// Returns the reason why a job ended. The rules may know it better than the workers do.
    fn why_ended(&self, _which: usize, end: &LoadEnd) -> StepStop {
        end.stop
    }

    /// Returns how steady a job's figures were, if requested.
    fn steadiness(&self, _which: usize) -> Option<model::record::SteadyResult> {
        None
    }

    /// Called when a job has ended and its step is closed.
    fn ended(&mut self, which: usize, end: &LoadEnd);
}

/// Interval at which a pause checks for signals and updates its progress.
pub(crate) const PAUSE_TICK: Duration = Duration::from_millis(100);

/// Returns a note for the record.
pub(crate) fn note(at: Nanos, text: impl Into<Sentence>) -> RunEvent {
    RunEvent::Note { at, text: text.into() }
}
