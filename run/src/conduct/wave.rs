//! What runs together: the jobs of a wave, the scheduler that gives waves, and the rules that end them.

use crate::sink::{Progress, Sink};
use crate::workers::{Decision, Live, LoadEnd, LoadError};
use model::{Caveat, Interval, Job, Nanos, RunEvent, Sentence, StepStop};
use std::borrow::Cow;
use std::time::Duration;

/// Why a run ends before its plan.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Somebody asked to stop.
    Signal {
        /// Operations that did not come back may hold threads in the kernel.
        stuck: bool,
    },
    /// Operations did not come back, or the target is gone.
    Hung(Sentence),
    /// Another host is gone, or its operations did not come back: nothing hangs here.
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

/// One job of a wave: a step of the record.
pub(crate) struct WaveJob<'p> {
    /// Which stage of the plan it runs.
    pub stage: usize,
    /// Which pass over the stage's levels, from 0.
    pub pass: u32,
    /// Whether it holds the best level of a ramp.
    pub hold: bool,
    /// What is run; engine, queue depth and threads are final.
    pub job: Cow<'p, Job>,
    /// How much later than the wave it begins.
    pub delay: Nanos,
    /// It begins only when these jobs of the wave have ended, as indices.
    pub after: Vec<usize>,
}

/// A wait before a wave, in which nothing is measured.
#[derive(Debug, Clone)]
pub(crate) struct Pause {
    /// How long.
    pub time: Nanos,
    /// What is shown meanwhile, its times left out.
    pub progress: Progress,
    /// Expected time of everything after the pause.
    pub left_after: Nanos,
}

/// Jobs that run together. Each begins at its own delay; the wave has ended when all have.
pub(crate) struct Wave<'p, R> {
    /// What runs.
    pub jobs: Vec<WaveJob<'p>>,
    /// What comes before it.
    pub pause: Option<Pause>,
    /// What may end its jobs before their time.
    pub rules: R,
}

/// What a wave came to.
pub(crate) struct WaveEnd {
    /// How each job ended, in their order.
    pub ends: Vec<LoadEnd>,
    /// What failed beside I/O: a sentence each.
    pub failed: Vec<Sentence>,
}

/// Gives the waves of a run one after the other, each in view of what those before it came to. It does no I/O and reads no
/// clock.
pub(crate) trait Scheduler<'p> {
    /// What may end the jobs of its waves.
    type Rules: WaveRules;

    /// Whether the next wave is known, or that there is none; where it is not, this has waited a moment.
    fn is_ready(&mut self) -> bool {
        true
    }

    /// The next wave; `None` at the end of the run. `elapsed` is the time since the first one was asked for.
    fn next(&mut self, elapsed: Nanos) -> Option<Wave<'p, Self::Rules>>;

    /// Takes in what a wave came to.
    ///
    /// # Errors
    /// When the run is not to go on.
    fn wave_ended(&mut self, wave: Wave<'p, Self::Rules>, end: WaveEnd) -> Result<(), Stop>;

    /// Returns doubts about the figures of the whole run, at its end.
    fn doubts(&mut self) -> Vec<Caveat> {
        Vec::new()
    }

    /// Jobs that failed while others went on: a sentence each.
    fn failures(&mut self) -> Vec<Sentence> {
        Vec::new()
    }
}

/// What ends the jobs of one wave before their time, and what is shown of them.
pub(crate) trait WaveRules {
    /// Everything is open; asked before the jobs begin, on the run's clock, which shows `now`. `None`: at once.
    ///
    /// # Errors
    /// When they cannot begin after all.
    fn begin(&mut self, _now: Nanos) -> Result<Option<Nanos>, LoadError> {
        Ok(None)
    }

    /// It is known when a job is measured, ramp left out: from, until.
    fn scheduled(&mut self, _which: usize, _from: Nanos, _until: Nanos) {}

    /// An interval of a job is complete.
    fn interval(&mut self, which: usize, interval: &Interval);

    /// How a job is called in a sentence about it.
    fn label(&self, job: &Job) -> String {
        job.name.clone()
    }

    /// Whether a job goes on. Called every few milliseconds while it runs; a sentence is given where that it stops is a
    /// failure which no errno tells.
    fn decide(&mut self, which: usize, live: &Live<'_>) -> (Decision, Option<Sentence>);

    /// What is to be shown now, if anything is. Called every few milliseconds.
    fn progress(&mut self, now: Nanos) -> Option<Progress>;

    /// A file system is as full as it may get, for this reason. Returns the reason where that fails the wave.
    fn no_room(&mut self, why: String, _now: Nanos, _sink: &mut dyn Sink) -> Option<String> {
        Some(why)
    }

    /// What ended a job, where the rules know better than its workers.
    fn why_ended(&self, _which: usize, end: &LoadEnd) -> StepStop {
        end.stop
    }

    /// How steady a job's figures were, where that was asked for.
    fn steadiness(&self, _which: usize) -> Option<model::SteadyResult> {
        None
    }

    /// A job has ended; its step is closed.
    fn ended(&mut self, which: usize, end: &LoadEnd);
}

/// How often a pause looks for signals and shows how long it still takes.
pub(crate) const PAUSE_TICK: Duration = Duration::from_millis(100);

/// A remark for the record.
pub(crate) fn note(at: Nanos, text: impl Into<Sentence>) -> RunEvent {
    RunEvent::Note { at, text: text.into() }
}
