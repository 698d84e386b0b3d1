//! Record of a run, folded from its [`RunEvent`]s; the same type for live, stored and imported runs.

mod results;

pub use results::{Results, WatchResults};

use crate::measured::{BlockTrace, DiskUse, Phase, Sample, Sampled, Series, StepTrace, Window};
use crate::record::{Accounting, Preflight, StepEnd};
use crate::{
    Bytes, Caveat, Interval, Job, LatencyHistogram, Nanos, Plan, RunEvent, RunState, Sentence, Stage, bounds::Alarm,
};
use serde::{Deserialize, Serialize};

/// Version of the records and events that are written and read. Other versions are rejected.
pub const RECORD_VERSION: u32 = 1;

/// Checks that a record, or its events, of this version can be read.
///
/// # Errors
/// Returns [`FoldError::Version`] if the version is not supported.
pub fn readable(version: u32) -> Result<(), FoldError> {
    if version == RECORD_VERSION { Ok(()) } else { Err(FoldError::Version(version)) }
}

/// One executed step: a stage at one level of concurrency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// Index of the step's stage in the plan.
    pub stage: usize,
    /// Pass number, from 0.
    pub pass: u32,
    /// True for the sustained level, which is held after a ramp.
    pub hold: bool,
    /// The job as run.
    pub job: Job,
    /// Start on the run's clock.
    pub start: Nanos,
    /// Intervals of about one second, in order.
    pub intervals: Vec<Interval>,
    /// fio's samples, computed from the windows as measured. Only for jobs of a job file whose intervals were merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Box<Sampled>>,
    /// Final counts; `None` if the run was killed during the step.
    pub end: Option<StepEnd>,
    /// Kernel counts.
    pub accounting: Option<Accounting>,
}

impl Step {
    /// Returns all measured intervals merged into one, including their windows.
    #[must_use]
    pub fn total(&self) -> Interval {
        let mut total = Interval::default();
        self.measured().for_each(|interval| total.merge(interval));
        total
    }

    /// Returns the intervals with the completions of operations that were in flight at the end of the measured time.
    /// Rates exclude these operations, but latencies include them; otherwise a stall that outlasts the step would not
    /// be visible.
    pub fn drained(&self) -> impl Iterator<Item = &Interval> {
        self.intervals.iter().filter(|i| i.phase == Phase::Drain)
    }

    /// Returns the latencies of data operations from submission. They include operations in flight at the end of the
    /// measured time, with the latency at completion or, if they never returned, with the age they reached.
    #[must_use]
    pub fn latency(&self) -> LatencyHistogram {
        let mut latency = self.total().latency();
        self.drained().for_each(|i| latency.merge(&i.latency()));
        self.end.iter().flat_map(|e| &e.pending_ages).for_each(|age| latency.record(*age));
        latency
    }

    /// Returns the latencies as in [`Step::latency`], but from the due time; empty for a closed loop.
    #[must_use]
    pub fn response(&self) -> LatencyHistogram {
        let mut response = self.total().response();
        self.drained().for_each(|i| response.merge(&i.response()));
        if response.count() > 0 {
            self.end.iter().flat_map(|e| &e.pending_ages).for_each(|age| response.record(*age));
        }
        response
    }

    /// Marks intervals from before the depth was found as ramp, because they belong to the search; fio also restarts
    /// its figures at that point. If no interval began after that point, the search itself is the measurement.
    fn search_ended(&mut self, settled: Nanos) {
        if self.measured().any(|i| i.start >= settled) {
            let search = self.intervals.iter_mut().filter(|i| i.phase == Phase::Measure && i.start < settled);
            search.for_each(|i| i.phase = Phase::Ramp);
        }
    }

    /// Returns the measured windows in order of time.
    pub fn windows(&self) -> impl Iterator<Item = &Window> {
        self.measured().flat_map(|i| &i.windows)
    }

    /// Returns the measured intervals.
    pub fn measured(&self) -> impl Iterator<Item = &Interval> {
        self.intervals.iter().filter(|i| i.phase == Phase::Measure)
    }
}

/// Result of the fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fill {
    /// Bytes written.
    pub bytes: Bytes,
    /// Duration, including the flush.
    pub time: Nanos,
}

/// Record of a run: plan, preflight, results and caveats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(!remote))]
#[serde(remote = "Self")]
pub struct RunRecord {
    /// [`RECORD_VERSION`] of the secchi version that created it.
    pub version: u32,
    /// Version of secchi that created it.
    pub tool: String,
    /// UUID, hyphenated.
    pub id: String,
    /// Wall-clock time of zero on the run's clock, RFC 3339 with offset.
    pub started: String,
    /// Plan of the run.
    pub plan: Plan,
    /// Results of the preflight.
    pub preflight: Preflight,
    /// Final state.
    pub state: RunState,
    /// Reason, if not complete.
    pub reason: Sentence,
    /// Number of the signal that stopped the run, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<u8>,
    /// Latest known time on the run's clock.
    pub ended: Nanos,
    /// Result of the fill, if there was one.
    pub fill: Option<Fill>,
    /// Steps in order of execution.
    pub steps: Vec<Step>,
    /// Counters sampled during the load.
    pub series: Vec<Series>,
    /// Caveats known during the run.
    pub caveats: Vec<Caveat>,
    /// Log lines (time on the run's clock, text).
    pub notes: Vec<(Nanos, Sentence)>,
    /// Kernel counts of steps that ran together, by step numbers. Counts for a step that ran alone are stored in the
    /// step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<(Vec<usize>, Accounting)>,
    /// Kernel counts of the devices under the target, over all steps; empty if they were not collected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<DiskUse>,
    /// Results that only runs of one kind have; `None` if the run has reported none.
    #[serde(flatten, serialize_with = "Results::serialize_keys", skip_deserializing)]
    pub results: Option<Results>,
    /// Results of a trace of the block layer, for each group of steps that ran together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<StepTrace>,
    /// Number of times that intervals and windows of each step were merged in pairs, in a long run. Empty if none were
    /// merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coarse: Vec<u32>,
}

impl RunRecord {
    /// Returns the bytes written by the run: the fill and all writes of the workers, measured or not. The figure is
    /// from intervals, so it does not depend on kernel counts.
    #[must_use]
    pub fn written(&self) -> Bytes {
        let intervals = self.steps.iter().flat_map(|s| &s.intervals);
        let filled = self.fill.map_or(0, |f| f.bytes.as_u64());
        Bytes(intervals.map(|i| i.op(crate::Op::Write).tally.bytes).fold(filled, u64::saturating_add))
    }
}

/// Reason why an event could not be added to a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// The first event was not `Begin`.
    #[error("the run does not begin with its plan")]
    NoBegin,
    /// The version is not supported.
    #[error("the run has record version {0}, this secchi reads version {RECORD_VERSION}")]
    Version(u32),
    /// An interval or end refers to a step that has not begun.
    #[error("`{0}` of a step that has not begun")]
    NoStep(&'static str),
    /// Series numbers do not match the series named before.
    #[error("{0} with numbers that do not match the series named before")]
    NoSeries(&'static str),
    /// A block trace has an unknown encoding.
    #[error("a block trace has an unknown encoding")]
    NoTrace,
    /// There is a second `Begin`.
    #[error("the run begins twice")]
    SecondBegin,
    /// The number of a step does not follow from the previous steps.
    #[error("a step has a number that does not follow the steps before")]
    StepNumber,
    /// A step belongs to a stage that is not in the plan.
    #[error("a step refers to stage {0}, which is not in the plan")]
    NoStage(usize),
    /// Results belong to runs of another kind: the kind of the results, then that of the run.
    #[error("results of the kind `{0}` in a run of the kind `{1}`")]
    OtherKind(&'static str, &'static str),
}

impl RunRecord {
    /// Creates the record of a run that has just begun; events are added by [`RunRecord::apply`]. Until an `End` event
    /// is added, the state is [`RunState::Interrupted`].
    #[must_use]
    pub fn new(
        tool: impl Into<String>,
        id: impl Into<String>,
        started: impl Into<String>,
        plan: Plan,
        preflight: Preflight,
    ) -> RunRecord {
        RunRecord {
            version: RECORD_VERSION,
            tool: tool.into(),
            id: id.into(),
            started: started.into(),
            plan,
            preflight,
            state: RunState::Interrupted,
            reason: Sentence::default(),
            signal: None,
            ended: Nanos(0),
            fill: None,
            steps: Vec::new(),
            series: Vec::new(),
            caveats: Vec::new(),
            notes: Vec::new(),
            together: Vec::new(),
            disks: Vec::new(),
            results: None,
            blocks: Vec::new(),
            coarse: Vec::new(),
        }
    }

    /// Returns the exit code of a process stopped like this run: 128 plus the number of the signal, as in a shell. If
    /// the user stopped the run with a key, the code is that of Ctrl-C.
    #[must_use]
    pub fn stopped_code(&self) -> u8 {
        128u8.saturating_add(self.signal.unwrap_or(2))
    }

    /// Folds events into a record. A missing `End` leaves the state at [`RunState::Interrupted`].
    ///
    /// # Errors
    /// Returns an error if the events are not those of one run, or have a version that cannot be read.
    pub fn from_events(events: impl IntoIterator<Item = RunEvent>) -> Result<RunRecord, FoldError> {
        let mut events = events.into_iter();
        let mut record = RunRecord::begin(events.next().ok_or(FoldError::NoBegin)?)?;
        for event in events {
            record.apply(event)?;
        }
        Ok(record)
    }

    /// Creates the record of a run that has just begun.
    ///
    /// # Errors
    /// Returns an error if `event` is not a `Begin` of a version that can be read.
    pub fn begin(event: RunEvent) -> Result<RunRecord, FoldError> {
        let RunEvent::Begin { version, tool, id, started, plan, preflight } = event else {
            return Err(FoldError::NoBegin);
        };
        readable(version)?;
        Ok(RunRecord { version, ..RunRecord::new(tool, id, started, plan, *preflight) })
    }

    /// Adds the next event.
    ///
    /// # Errors
    /// Returns an error if the event is not valid at this point.
    pub fn apply(&mut self, event: RunEvent) -> Result<(), FoldError> {
        match event {
            RunEvent::Begin { .. } => return Err(FoldError::SecondBegin),
            RunEvent::Filled { bytes, time } => self.fill = Some(Fill { bytes: Bytes(bytes), time }),
            RunEvent::EngineChosen { why, requested } => {
                (self.preflight.engine_choice, self.preflight.engine_requested) = (why, requested);
            }
            RunEvent::StepBegin { stage, pass, hold, job, at, number } => {
                if stage >= self.plan.stages.len() {
                    return Err(FoldError::NoStage(stage));
                }
                if number != self.steps.len() {
                    return Err(FoldError::StepNumber);
                }
                self.seen(at);
                self.steps.push(Step {
                    stage,
                    pass,
                    hold,
                    job: *job,
                    start: at,
                    intervals: Vec::new(),
                    sampled: None,
                    end: None,
                    accounting: None,
                });
            }
            RunEvent::Interval { step, interval } => {
                // Check the step first, so that a rejected event leaves the record unchanged.
                self.step_mut(step, "interval")?;
                let end = interval.start.saturating_add(interval.length);
                self.take_interval(step, interval);
                self.seen(end);
            }
            RunEvent::Coarse { steps, sampled, .. } => {
                self.coarse = steps;
                for (step, told) in self.steps.iter_mut().zip(sampled).filter(|(_, told)| told.is_some()) {
                    step.sampled = told;
                }
            }
            RunEvent::StepEnd { step, end } => {
                let at = end.at;
                let step = self.step_mut(step, "step end")?;
                if let Some(settled) = end.settled_at {
                    step.search_ended(settled);
                }
                step.start = end.began.unwrap_or(step.start);
                step.end = Some(end);
                self.seen(at);
            }
            RunEvent::Accounting { steps, counts } => match steps[..] {
                [step] => self.step_mut(step, "accounting")?.accounting = Some(counts),
                _ => {
                    for step in &steps {
                        self.step_mut(*step, "accounting")?;
                    }
                    self.together.push((steps, counts));
                }
            },
            RunEvent::Samples { at, samples } => {
                self.seen(at);
                for sample in samples {
                    self.add_sample(at, sample);
                }
                self.bound_points();
            }
            RunEvent::Series { first, series } => {
                if !self.name_series(first, series) {
                    return Err(FoldError::NoSeries("series are named"));
                }
            }
            RunEvent::Look { at, look } => {
                if !self.add_look(at, look) {
                    return Err(FoldError::NoSeries("values are recorded"));
                }
                self.bound_points();
                self.seen(at);
            }
            RunEvent::Disks(disks) => self.disks = disks,
            RunEvent::Results(results) => self.set_results(results)?,
            RunEvent::Blocks { steps, trace } => self.add_trace(steps, *trace)?,
            RunEvent::Traced { steps, trace } => {
                self.add_trace(steps, trace.unpacked().ok_or(FoldError::NoTrace)?)?;
            }
            RunEvent::Command(command) => self.watch_results()?.command = Some(command),
            RunEvent::Alarm(alarm) => {
                let at = alarm.until.unwrap_or(alarm.at);
                let alarms = &mut self.watch_results()?.alarms;
                let same =
                    |known: &&mut Alarm| (&known.alert, &known.of, known.at) == (&alarm.alert, &alarm.of, alarm.at);
                match alarms.iter_mut().find(same) {
                    Some(known) => *known = *alarm,
                    None => alarms.push(*alarm),
                }
                self.seen(at);
            }
            RunEvent::Caveat(caveat) => self.caveats.push(caveat),
            RunEvent::Note { at, text } => {
                self.seen(at);
                self.notes.push((at, text));
            }
            RunEvent::End { state, at, reason, signal } => {
                self.seen(at);
                self.state = state;
                self.reason = reason;
                self.signal = signal;
            }
        }
        Ok(())
    }

    fn add_trace(&mut self, steps: Vec<usize>, trace: BlockTrace) -> Result<(), FoldError> {
        for step in &steps {
            self.step_mut(*step, "block trace")?;
        }
        self.seen(trace.until);
        match self.blocks.iter_mut().find(|b| b.steps == steps) {
            Some(own) => own.trace.merge(&trace),
            None => self.blocks.push(StepTrace { steps, trace }),
        }
        Ok(())
    }

    fn seen(&mut self, at: Nanos) {
        self.ended = self.ended.max(at);
    }

    fn step_mut(&mut self, step: usize, what: &'static str) -> Result<&mut Step, FoldError> {
        self.steps.get_mut(step).ok_or(FoldError::NoStep(what))
    }

    fn add_sample(&mut self, at: Nanos, sample: Sample) {
        let Sample { name, unit, layer, value } = sample;
        let number = self.series.iter().position(|s| s.name == name).unwrap_or_else(|| {
            self.series.push(Series { name, unit, layer, points: Vec::new() });
            self.series.len() - 1
        });
        self.series[number].points.push((at, value));
    }

    /// Returns the stage of a step.
    #[must_use]
    pub fn stage_of(&self, step: &Step) -> &Stage {
        &self.plan.stages[step.stage]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{job, second};

    fn step(seconds: &[u64]) -> Step {
        Step {
            stage: 0,
            pass: 0,
            hold: false,
            job: job(),
            start: Nanos(0),
            intervals: seconds.iter().map(|s| second(*s * 1_000_000_000, 1000, s + 1)).collect(),
            sampled: None,
            end: None,
            accounting: None,
        }
    }

    #[test]
    fn what_was_done_before_the_depth_was_found_is_no_measurement() {
        let mut searched = step(&[0, 1, 2, 3]);
        searched.search_ended(Nanos::from_millis(1_500));
        assert_eq!(searched.total().data_ops(), 3 + 4);
        assert_eq!(searched.total().length, Nanos::from_secs(2));
        assert_eq!(searched.windows().count(), 2);
    }

    #[test]
    fn a_search_that_nothing_follows_is_all_there_is() {
        let mut searched = step(&[0, 1]);
        searched.search_ended(Nanos::from_millis(1_500));
        assert_eq!(searched.total().data_ops(), 1 + 2);
    }
}
