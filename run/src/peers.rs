//! Other processes of a run. The conductor calls the same functions at the same points of every run, so that it does
//! not depend on how many processes there are.

use crate::context::Interrupt;
use crate::sink::Sink;
use crate::wave::{Stop, WaveJob};
use crate::workers::{Decision, Live, LoadEnd, LoadError};
use load::recorder::Entry;
use model::record::{StepEnd, StepStop};
use model::{Interval, Nanos, RunEvent, Sentence};
use sys::clock::RunClock;

/// Other processes of a run. The default of each method is right for a process that has no others to lead.
pub(crate) trait Peers {
    /// Makes the others prepare their targets. Returns when this process may prepare its own.
    ///
    /// # Errors
    /// Returns the reason if the run ended before.
    fn prepare(&mut self, _sink: &mut dyn Sink) -> Result<(), Stop> {
        Ok(())
    }

    /// Called when this process has prepared its targets, with the number of bytes written. Waits until the others have
    /// as well, and returns the number of bytes that they wrote.
    ///
    /// # Errors
    /// Returns the reason if one of them cannot continue, or if the run was interrupted.
    fn prepared(&mut self, _bytes: u64, _sink: &mut dyn Sink, _interrupt: &Interrupt) -> Result<u64, Stop> {
        Ok(0)
    }

    /// Orders the others to run their jobs of a wave whose first step has the number `base`. Returns the indices of the
    /// jobs that run here.
    fn order(&mut self, jobs: &[WaveJob<'_>], _base: usize) -> Vec<usize> {
        (0..jobs.len()).collect()
    }

    /// Cancels the wave, because it cannot begin here.
    fn cancel(&self) {}

    /// Waits until all processes have opened the files of the wave, and returns their common start time; `None` if this
    /// process decides alone.
    ///
    /// # Errors
    /// Returns an error if one of them cannot begin.
    fn begin(&mut self, _clock: RunClock, _interrupt: &Interrupt) -> Result<Option<Nanos>, LoadError> {
        Ok(None)
    }

    /// Returns new reports about the wave, without waiting.
    fn reports(&mut self, _now: Nanos) -> Vec<PeerReport> {
        Vec::new()
    }

    /// Returns the state of a job of the wave; `None` if it has ended or runs here.
    fn live(&mut self, _which: usize, _now: Nanos) -> Option<Live<'_>> {
        None
    }

    /// Stops a job of the wave, unless it runs here.
    fn stop(&mut self, _which: usize, _why: StepStop) {}

    /// Applies a decision about all jobs of the wave to those of the others. Returns the decision for this process,
    /// which is to stop if another process is lost.
    fn apply(&mut self, decision: Decision) -> Decision {
        decision
    }

    /// Returns `true` if the jobs of the others have ended.
    fn all_ended(&self) -> bool {
        true
    }

    /// Passes the last events of the wave to the sink. Returns the failures of the others once all events are received,
    /// `None` before.
    fn end_wave(&mut self, _now: Nanos, _sink: &mut dyn Sink) -> Option<Vec<Sentence>> {
        Some(Vec::new())
    }

    /// Returns the reason why another process could not continue, if there is one.
    fn failure(&mut self) -> Option<Stop> {
        None
    }

    /// Passes an event to the sink. Events that exist once per host are merged.
    fn emit(&mut self, event: RunEvent, sink: &mut dyn Sink) {
        sink.event(event);
    }

    /// Announces that no wave follows: the others do their remaining work and report it.
    fn finish(&self) {}

    /// Passes events after the last wave to the sink; returns `true` once all are received.
    ///
    /// # Errors
    /// Returns the reason if one of the others could not continue.
    fn finished(&mut self, _sink: &mut dyn Sink) -> Result<bool, Stop> {
        Ok(true)
    }
}

/// Peers of a run in one process: none.
pub(crate) struct Alone;

impl Peers for Alone {}

/// Report of another process about a wave. Jobs are named by their index in the wave.
pub(crate) enum PeerReport {
    /// New windows of a job.
    Live(usize),
    /// Measured time of a job.
    Scheduled(usize, Nanos, Nanos),
    /// Complete interval of a job.
    Interval(usize, Box<Interval>),
    /// Individual operations of a step.
    Operations(usize, Vec<Entry>),
    /// Event for the record.
    Event(Box<RunEvent>),
    /// End of a job: result of its load, and the end of its step if the process reported it.
    Ended(usize, Box<LoadEnd>, Option<Box<StepEnd>>),
}
