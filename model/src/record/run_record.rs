//! The record of a run: one type whether live, stored, or imported; the fold of its [`RunEvent`]s.

use crate::{
    Alarm, BlockTrace, Bytes, Caveat, CommandUse, CpuWait, DatabaseUse, DiskUse, Interval, Job, LatencyHistogram,
    Limit, Nanos, OtherWorkEnd, Phase, Pinged, Plan, Preflight, Replayed, RunEvent, RunState, Sample, Sampled,
    Sentence, Series, Stage, StepTrace, Window,
};
use serde::{Deserialize, Serialize};

/// Version of the record and of the events that are written. Version 3 has `Series` and `SeriesSample` among its events, version 4
/// `Traced`, version 5 intervals in words and `Coarse`, version 6 latencies by priority, version 7 `Replayed`, which older readers do
/// not know.
pub const RECORD_VERSION: u32 = 7;

/// The oldest version that is read: all its events have their meaning still. A reader of another version refuses.
pub const RECORD_VERSION_READ: u32 = 2;

/// Whether a record of this version, or the events of one, can be read here.
///
/// # Errors
/// [`FoldError::Version`].
pub fn readable(version: u32) -> Result<(), FoldError> {
    if (RECORD_VERSION_READ..=RECORD_VERSION).contains(&version) { Ok(()) } else { Err(FoldError::Version(version)) }
}

/// Why a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStop {
    /// Its series was steady.
    Steady,
    /// Its time was up.
    #[default]
    Time,
    /// Its count of operations was reached.
    Count,
    /// The bytes that the run may write were written.
    Written,
    /// I/O errors, by policy.
    Errors,
    /// A signal.
    Signal,
    /// Operations did not come back.
    Hung,
}

/// Closing counts of a step, from the workers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepEnd {
    /// On the run's clock.
    pub at: Nanos,
    /// Why it ended.
    pub stop: StepStop,
    /// Operations given to the engine, ramp and drain included.
    pub submitted: u64,
    /// Operations that completed in full, ramp and drain included.
    pub completed: u64,
    /// Operations that failed, ramp and drain included.
    pub failed: u64,
    /// Operations never seen again.
    pub pending: u64,
    /// Bytes of completed operations, ramp and drain included.
    pub bytes: u64,
    /// Ages of the pending operations, in nanoseconds, at most 64 of them (censored latencies).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending_ages: Vec<Nanos>,
    /// Share of wall time the busiest submitting thread was on a CPU, 0..=1.
    pub busiest_thread: f64,
    /// Open loop: largest lateness of a submission behind its due time.
    pub late_max: Nanos,
    /// Times the control group took the CPU away during the step.
    pub cpu_throttled: u64,
    /// Share of machine CPU time that was idle during the step, 0..=1.
    pub host_idle: Option<f64>,
    /// Share of machine CPU time stolen by the hypervisor during the step, 0..=1.
    pub host_steal: Option<f64>,
    /// Share of machine CPU time that neither this process used nor was idle or stolen during the step: other processes
    /// and the kernel's own threads, 0..=1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_others: Option<f64>,
    /// Share of machine CPU time in `host_others` that interrupts and the kernel's own threads used, 0..=1. They serve I/O; threads
    /// that work on memory alone are left out. `None` where the kernel does not show its threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_kernel: Option<f64>,
    /// Share of the time of the CPUs that the submitting threads ran on which other processes used, 0..=1: a mean, weighted by how
    /// often a thread was seen on each CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_near: Option<f64>,
    /// Time the submitting threads were ready to run and had no CPU, ramp and drain included; `None` where the kernel
    /// does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_wait: Option<CpuWait>,
    /// What the submitting threads used.
    #[serde(default)]
    pub usage: ThreadUsage,
    /// Blocks read back and checked, and how many were wrong; all zero without verification.
    #[serde(default, skip_serializing_if = "Verified::is_empty")]
    pub verified: Verified,
    /// The depth a latency target settled at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_depth: Option<u32>,
    /// When it settled, on the run's clock: what was done before was the search, and is no measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<Nanos>,
    /// Zones of zoned devices that it reset.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub zone_resets: u64,
    /// Reads of things that are not there, which an engine answered with zeros (objects of a server).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub absent_reads: u64,
    /// Whether the rule of `Ends::steady` was fulfilled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyResult>,
    /// The first error, by the [numbers](crate::ErrorNumbers) of the system; 0 = none.
    #[serde(default)]
    pub first_error: i32,
    /// Limits of our control group during the step, where they were not those of the preflight, or changed: each from when on.
    /// Empty if nothing changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caps: Vec<CapsSeen>,
    /// When it began in truth, on the run's clock: later than was told where a command ran before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Nanos>,
    /// What it did instead of I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_work: Option<Box<OtherWorkEnd>>,
}

/// The limits of our control group from a moment on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CapsSeen {
    /// Since when they were seen, on the run's clock; 0 if it was before the step.
    pub from: Nanos,
    /// They; empty if they were lifted.
    pub limits: Vec<Limit>,
}

/// What threads used over a step, ramp and drain included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ThreadUsage {
    /// CPU time in user mode.
    pub user: Nanos,
    /// CPU time in the kernel.
    pub system: Nanos,
    /// Context switches, voluntary and not.
    pub switches: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
    /// Page faults that did not.
    pub minor_faults: u64,
}

impl ThreadUsage {
    /// Adds that of another thread.
    pub fn merge(&mut self, other: &ThreadUsage) {
        self.user += other.user;
        self.system += other.system;
        self.switches += other.switches;
        self.major_faults += other.major_faults;
        self.minor_faults += other.minor_faults;
    }
}

/// Blocks read back and checked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Verified {
    /// Blocks that were checked.
    pub blocks: u64,
    /// Blocks that were not what was written.
    pub wrong: u64,
    /// What was wrong with the first few: one sentence each.
    pub findings: Vec<String>,
}

impl Verified {
    /// Adds what another worker checked.
    pub fn merge(&mut self, other: Verified) {
        let Verified { blocks, wrong, findings } = other;
        self.blocks += blocks;
        self.wrong += wrong;
        self.findings.extend(findings);
    }

    /// Whether nothing was checked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Verified::default()
    }
}

/// What fio's steadystate found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SteadyResult {
    /// Whether it was reached.
    pub attained: bool,
    /// Largest deviation or slope at the last look, in the unit of the limit.
    pub criterion: f64,
    /// Slope of the last window of looks, per look.
    pub slope: f64,
    /// Largest deviation from the mean, same unit.
    pub max_deviation: f64,
    /// Seconds of the last window: operations, bytes and mean completion latency (ns) of each.
    pub iops: Vec<f64>,
    /// As above.
    pub bandwidth: Vec<f64>,
    /// As above.
    pub latency: Vec<f64>,
}

/// What the kernel counted for a step, against what was asked. Reads and writes apart; `None` = no such counter here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Accounting {
    /// Bytes the workers read, ramp and drain included.
    pub asked_read: u64,
    /// Bytes the workers wrote.
    pub asked_write: u64,
    /// Operations the workers read.
    pub asked_read_ops: u64,
    /// Operations the workers wrote.
    pub asked_write_ops: u64,
    /// `/proc/self/io` read_bytes: what went to the block layer for this process.
    pub process_read: Option<u64>,
    /// `/proc/self/io` write_bytes.
    pub process_write: Option<u64>,
    /// Operations charged to our control group on the device (before merging and splitting).
    pub cgroup_read_ops: Option<u64>,
    /// As above, writes.
    pub cgroup_write_ops: Option<u64>,
    /// Bytes charged to our control group on the device.
    pub cgroup_read: Option<u64>,
    /// As above, writes.
    pub cgroup_write: Option<u64>,
    /// Bytes read on the whole device, everybody's.
    pub device_read: Option<u64>,
    /// Bytes written on the whole device, everybody's.
    pub device_write: Option<u64>,
    /// Operations on the whole device, everybody's.
    pub device_ops: Option<u64>,
}

/// One step that was run: a stage at one level of concurrency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Index of its stage in the plan.
    pub stage: usize,
    /// Pass number, from 0.
    pub pass: u32,
    /// Whether this is the held level after a ramp.
    pub hold: bool,
    /// The job as run.
    pub job: Job,
    /// Start on the run's clock.
    pub start: Nanos,
    /// Seconds of it, in order.
    pub intervals: Vec<Interval>,
    /// Of a job of a job file whose intervals were put together: fio's samples, from windows as they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Box<Sampled>>,
    /// Closing counts; `None` if the run was killed inside this step.
    pub end: Option<StepEnd>,
    /// Kernel's counts.
    pub accounting: Option<Accounting>,
}

impl Step {
    /// All measured intervals as one. Windows are kept.
    #[must_use]
    pub fn total(&self) -> Interval {
        let mut total = Interval::default();
        for interval in self.intervals.iter().filter(|i| i.phase == Phase::Measure) {
            total.merge(interval);
        }
        total
    }

    /// What completed after the measured time, having been in flight at its end. It is no rate, but its latencies count:
    /// left out, a stall that outlasts the step would be in none.
    pub fn drained(&self) -> impl Iterator<Item = &Interval> {
        self.intervals.iter().filter(|i| i.phase == Phase::Drain)
    }

    /// Latencies of data operations from their submission: of those that completed in the measured time, and of those in
    /// flight at its end, to their completion or, where they never came back, to the age they reached.
    #[must_use]
    pub fn latency(&self) -> LatencyHistogram {
        let mut all = self.total().latency();
        self.drained().for_each(|i| all.merge(&i.latency()));
        self.end.iter().flat_map(|e| &e.pending_ages).for_each(|age| all.record(*age));
        all
    }

    /// As [`Step::latency`], from when they were due; empty for a closed loop.
    #[must_use]
    pub fn response(&self) -> LatencyHistogram {
        let mut all = self.total().response();
        self.drained().for_each(|i| all.merge(&i.response()));
        if all.count() > 0 {
            self.end.iter().flat_map(|e| &e.pending_ages).for_each(|age| all.record(*age));
        }
        all
    }

    /// What began before the depth was found was the search for it: a ramp, as fio starts its figures anew there. Where
    /// nothing began after that, the search is all there is.
    fn search_ended(&mut self, settled: Nanos) {
        let measured = |i: &Interval| i.phase == Phase::Measure;
        if self.intervals.iter().any(|i| measured(i) && i.start >= settled) {
            let search = self.intervals.iter_mut().filter(|i| i.phase == Phase::Measure && i.start < settled);
            search.for_each(|i| i.phase = Phase::Ramp);
        }
    }

    /// Measured windows in order of time.
    pub fn windows(&self) -> impl Iterator<Item = &Window> {
        self.intervals.iter().filter(|i| i.phase == Phase::Measure).flat_map(|i| &i.windows)
    }
}

/// What the fill did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fill {
    /// Bytes written.
    pub bytes: Bytes,
    /// Time it took, flush included.
    pub time: Nanos,
}

/// A run: what was planned, what was found, what happened, and the doubts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// [`RECORD_VERSION`] of the secchi that made it.
    pub version: u32,
    /// Version of secchi that made it.
    pub tool: String,
    /// UUID, hyphenated.
    pub id: String,
    /// Wall-clock time of the run's zero, RFC 3339 with offset.
    pub started: String,
    /// What was to be done.
    pub plan: Plan,
    /// What was found before.
    pub preflight: Preflight,
    /// How it ended.
    pub state: RunState,
    /// Why, if not complete.
    pub reason: Sentence,
    /// Number of the signal that stopped it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<u8>,
    /// Last moment known, on the run's clock.
    pub ended: Nanos,
    /// What the fill did, if there was one.
    pub fill: Option<Fill>,
    /// Steps in the order run.
    pub steps: Vec<Step>,
    /// Counters sampled beside the load.
    pub series: Vec<Series>,
    /// Doubts that were known while it ran.
    pub caveats: Vec<Caveat>,
    /// Log lines (time on the run's clock, text).
    pub notes: Vec<(Nanos, Sentence)>,
    /// Kernel's counts of steps that ran together, by their numbers; those of a step alone stand in the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<(Vec<usize>, Accounting)>,
    /// Kernel's counts of the devices under the target, over all steps; empty where nobody looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<DiskUse>,
    /// Of `secchi ping`: its requests, without those that do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ping: Option<Box<Pinged>>,
    /// Of `secchi replay`: what was made, beside what was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Box<Replayed>>,
    /// Of `secchi db`: the database, and what its engine and devices counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Box<DatabaseUse>>,
    /// What a trace of the block layer saw, for each group of steps that ran together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<StepTrace>,
    /// Of `secchi watch -- COMMAND`: how that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Box<CommandUse>>,
    /// Of `secchi watch --alert`: the alerts that went off, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<Alarm>,
    /// Of a long run, by step: its intervals and windows were put together by twos so often. Empty where none were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coarse: Vec<u32>,
}

impl RunRecord {
    /// Bytes that the run wrote: the fill, and what its workers wrote, measured or not. Intervals have them all, also where the
    /// kernel counted nothing.
    #[must_use]
    pub fn written(&self) -> Bytes {
        let intervals = self.steps.iter().flat_map(|s| &s.intervals);
        let filled = self.fill.map_or(0, |f| f.bytes.as_u64());
        Bytes(intervals.map(|i| i.op(crate::Op::Write).tally.bytes).fold(filled, u64::saturating_add))
    }
}

/// Why an event could not be added to a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// The first event must be `Begin`.
    #[error("the run does not begin with its plan")]
    NoBegin,
    /// Another format.
    #[error("the run has record version {0}, this secchi reads versions {RECORD_VERSION_READ} to {RECORD_VERSION}")]
    Version(u32),
    /// An interval or end of a step that did not begin.
    #[error("`{0}` of a step that did not begin")]
    NoStep(&'static str),
    /// Series or values by numbers that are not those of the series told before.
    #[error("{0} by numbers that do not follow from the series named before")]
    NoSeries(&'static str),
    /// A trace whose words are none.
    #[error("a block trace is told in words that are none of ours")]
    NoTrace,
    /// A second `Begin`.
    #[error("the run begins twice")]
    SecondBegin,
    /// A step whose number does not follow from the steps before.
    #[error("a step begins by a number that does not follow from those before")]
    StepNumber,
    /// A step of a stage the plan does not have.
    #[error("a step names stage {0}, which the plan does not have")]
    NoStage(usize),
}

impl RunRecord {
    /// The record of a run that has just begun; what it is told of comes by [`RunRecord::apply`]. Until its end is told, it was
    /// interrupted.
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
            ping: None,
            replayed: None,
            database: None,
            blocks: Vec::new(),
            command: None,
            alarms: Vec::new(),
            coarse: Vec::new(),
        }
    }

    /// The code a process ends with that was stopped as this run was: 128 and the number of the signal, as a shell tells
    /// it; Ctrl-C's where a key stood for it, or where an older secchi did not keep the number.
    #[must_use]
    pub fn stopped_code(&self) -> u8 {
        128u8.saturating_add(self.signal.unwrap_or(2))
    }

    /// Folds events into a record. A missing `End` leaves the state at [`RunState::Interrupted`].
    ///
    /// # Errors
    /// When the events are not those of one run of a version that is read here.
    pub fn from_events(events: impl IntoIterator<Item = RunEvent>) -> Result<RunRecord, FoldError> {
        let mut events = events.into_iter();
        let mut record = RunRecord::begin(events.next().ok_or(FoldError::NoBegin)?)?;
        for event in events {
            record.apply(event)?;
        }
        Ok(record)
    }

    /// The record of a run that has only just begun.
    ///
    /// # Errors
    /// When `event` is not a `Begin` of a version that is read here.
    pub fn begin(event: RunEvent) -> Result<RunRecord, FoldError> {
        let RunEvent::Begin { version, tool, id, started, plan, preflight } = event else {
            return Err(FoldError::NoBegin);
        };
        readable(version)?;
        Ok(RunRecord { version, ..RunRecord::new(tool, id, started, plan, *preflight) })
    }

    /// Adds what happened next.
    ///
    /// # Errors
    /// When the event does not fit here.
    pub fn apply(&mut self, event: RunEvent) -> Result<(), FoldError> {
        match event {
            RunEvent::Begin { .. } => return Err(FoldError::SecondBegin),
            RunEvent::Filled { bytes, time } => self.fill = Some(Fill { bytes: Bytes(bytes), time }),
            RunEvent::EngineChosen { why } => self.preflight.engine_choice = why,
            RunEvent::StepBegin { stage, pass, hold, job, at, number } => {
                if stage >= self.plan.stages.len() {
                    return Err(FoldError::NoStage(stage));
                }
                if number.is_some_and(|n| n != self.steps.len()) {
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
                // The step first: an event that is refused leaves the record as it was.
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
                if let Some(began) = end.began {
                    step.start = began;
                }
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
                    return Err(FoldError::NoSeries("values are told"));
                }
                self.bound_points();
                self.seen(at);
            }
            RunEvent::Disks(disks) => self.disks = disks,
            RunEvent::Ping(pinged) => self.ping = Some(pinged),
            RunEvent::Replayed(replayed) => self.replayed = Some(replayed),
            RunEvent::Blocks { steps, trace } => self.add_trace(steps, *trace)?,
            RunEvent::Traced { steps, trace } => {
                self.add_trace(steps, trace.unpacked().ok_or(FoldError::NoTrace)?)?;
            }
            RunEvent::Database(database) => self.database = Some(database),
            RunEvent::Command(command) => self.command = Some(command),
            RunEvent::Alarm(alarm) => {
                self.seen(alarm.until.unwrap_or(alarm.at));
                let same =
                    |known: &&mut Alarm| (&known.alert, &known.of, known.at) == (&alarm.alert, &alarm.of, alarm.at);
                match self.alarms.iter_mut().find(same) {
                    Some(known) => *known = *alarm,
                    None => self.alarms.push(*alarm),
                }
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
        let series = match self.series.iter().position(|s| s.name == sample.name) {
            Some(i) => &mut self.series[i],
            None => {
                self.series.push(Series {
                    name: sample.name,
                    unit: sample.unit,
                    layer: sample.layer,
                    points: Vec::new(),
                });
                self.series.last_mut().expect("just pushed")
            }
        };
        series.points.push((at, sample.value));
    }

    /// The stage a step belongs to.
    #[must_use]
    pub fn stage_of(&self, step: &Step) -> &Stage {
        &self.plan.stages[step.stage]
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
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
