//! Rules that end a step of a qualification early: steady figures, according to the same rule that judges the result,
//! and a bound on the bytes written.

use crate::sampling::{RateSnapshot, RefreshTimer};
use crate::sink::Progress;
use crate::wave::WaveRules;
use crate::workers::{Decision, Live, LoadEnd};
use model::measured::{Phase, Window};
use model::{BytesPerSecond, Interval, Iops, Job, Nanos, Op, Sentence, record::StepStop};

/// Rules for one step, or for concurrent steps on several targets, which count as steady if the sum of their rates is
/// steady.
pub(in crate::conduct) struct RampRules {
    /// True for the held level, the best level of a ramp measured again for longer.
    hold: bool,
    /// Label of the jobs, which differ only in the target.
    label: String,
    concurrency: u32,
    ramp: Nanos,
    time: Nanos,
    steady_after: Option<Nanos>,
    /// True if the jobs have an operation count only to enforce the write bound.
    count_is_bound: bool,
    /// Number of this step and of all steps, for the display.
    steps: (usize, usize),
    /// Expected time of everything after this step.
    left_after: Nanos,
    /// Time of the first call on the run's clock, in nanoseconds.
    began: Option<u64>,
    /// State of each job.
    targets: Vec<TargetProgress>,
    /// Reason to stop all jobs.
    stop: Option<StepStop>,
    /// Number of windows when steadiness was last judged.
    judged: usize,
    /// Bytes that may still be written, if there is a bound.
    may_write: Option<u64>,
    /// Timer of the progress display, followed by the progress to be shown.
    timer: RefreshTimer,
    progress: Option<Progress>,
}

/// State of one job.
#[derive(Debug, Clone, Default)]
struct TargetProgress {
    /// Snapshot of the last windows.
    snapshot: RateSnapshot,
    /// Rates of the measured windows.
    rates: Vec<f64>,
    /// Total length of these windows, in nanoseconds.
    covered: u64,
    /// Bytes written in complete intervals.
    written: u64,
    /// End of the last complete interval, in nanoseconds.
    told_until: u64,
    /// Bytes written after the last complete interval, plus an estimate of the bytes written until the next call.
    coming: u64,
}

impl TargetProgress {
    /// Updates `coming`: the bytes written that are in no interval yet, plus the bytes of the last window a second
    /// time, because about as many are written until the next call and by the operations in flight.
    fn foresee(&mut self, recent: &[Window]) {
        let write = Op::Write.index();
        let since = recent.iter().filter(|w| w.start.as_nanos() >= self.told_until);
        let last = recent.last().map_or(0, |w| w.bytes[write]);
        self.coming = since.map(|w| w.bytes[write]).fold(last.saturating_mul(2), u64::saturating_add);
    }

    fn extend(&mut self, before: usize, windows: &[Window]) {
        // This method is called many times per second, so every window is counted before it is dropped.
        for window in windows.get(self.rates.len().saturating_sub(before)..).unwrap_or_default() {
            self.rates.push(window.iops().per_second());
            self.covered += window.length.as_nanos();
        }
    }
}

impl RampRules {
    /// Creates the rules for jobs that differ only in the target.
    pub fn new(jobs: &[Job], hold: bool) -> Self {
        let first = jobs.first();
        RampRules {
            hold,
            label: first.map(|job| job.workload.label()).unwrap_or_default(),
            concurrency: jobs.iter().map(Job::concurrency).sum(),
            ramp: first.map_or(Nanos(0), |job| job.stop.ramp),
            time: first.map_or(Nanos(0), |job| job.stop.time),
            steady_after: first.and_then(|job| job.stop.steady_after),
            count_is_bound: first.is_some_and(|job| job.stop.max_ops.is_some()),
            steps: (1, 1),
            left_after: Nanos(0),
            began: None,
            targets: vec![TargetProgress::default(); jobs.len()],
            stop: None,
            judged: 0,
            may_write: None,
            timer: RefreshTimer::default(),
            progress: None,
        }
    }

    /// Sets the timer, the number of this step and of all steps, and the expected time of everything after it.
    pub fn with_progress(mut self, timer: RefreshTimer, steps: (usize, usize), left_after: Nanos) -> Self {
        (self.timer, self.steps, self.left_after) = (timer, steps, left_after);
        self
    }

    /// Sets the maximum number of bytes to write; `bounded` is true if the run has a write bound.
    pub fn may_write(mut self, bytes: Option<u64>, bounded: bool) -> Self {
        self.may_write = bytes;
        self.count_is_bound &= bounded;
        self
    }

    /// Returns the bytes written in complete intervals.
    pub fn written(&self) -> u64 {
        self.targets.iter().map(|t| t.written).sum()
    }

    /// Returns the timer, for the next step.
    pub fn into_timer(self) -> RefreshTimer {
        self.timer
    }

    fn show(&mut self, live: &Live<'_>) {
        let began = *self.began.get_or_insert(live.now.as_nanos());
        if !self.timer.due(live, began) {
            return;
        }
        // A held level uses its full time only if it is not steady.
        let time = self.steady_after.filter(|_| self.hold).unwrap_or(self.time);
        let total = self.ramp.saturating_add(time);
        let left = total.since(Nanos(live.now.as_nanos() - began));
        let phase = match (live.windows.is_empty(), left.as_nanos()) {
            (_, 0) => Phase::Drain,
            (true, _) => Phase::Ramp,
            (false, _) => Phase::Measure,
        };
        let snapshots = || self.targets.iter().map(|t| t.snapshot);
        self.progress = Some(Progress {
            label: self.label.clone(),
            concurrency: self.concurrency,
            hold: self.hold,
            phase,
            iops: snapshots().map(|s| s.iops).sum::<Iops>(),
            bandwidth: snapshots().map(|s| s.bandwidth).sum::<BytesPerSecond>(),
            latency: snapshots().filter_map(|s| s.latency).max(),
            step: self.steps.0,
            steps: self.steps.1,
            elapsed: live.now,
            left: self.left_after.saturating_add(left),
            warning: live.stuck.map(|age| format!("an operation has been in flight for {age}")),
            ..Progress::default()
        });
    }

    /// Returns the rates summed over all targets, for the windows that every target has completed.
    pub fn rates(&self) -> Vec<f64> {
        let common = self.targets.iter().map(|t| t.rates.len()).min().unwrap_or(0);
        (0..common).map(|window| self.targets.iter().map(|t| t.rates[window]).sum()).collect()
    }

    /// Returns `true` if the summed series is steady enough to stop; evaluated only when all targets have a new window.
    fn settled(&mut self) -> bool {
        let Some(after) = self.steady_after else { return false };
        let common = self.targets.iter().map(|t| t.rates.len()).min().unwrap_or(0);
        if common == self.judged {
            return false;
        }
        self.judged = common;
        if self.targets.iter().any(|t| t.covered < after.as_nanos()) {
            return false;
        }
        let rates = self.rates();
        if self.hold { analysis::conclusive(&rates) } else { analysis::settled(&rates) }
    }
}

impl WaveRules for RampRules {
    fn label(&self, job: &Job) -> String {
        job.workload.label()
    }

    fn interval(&mut self, which: usize, interval: &Interval) {
        let target = &mut self.targets[which];
        target.written += interval.op(Op::Write).tally.bytes;
        target.told_until = interval.start.as_nanos() + interval.length.as_nanos();
    }

    fn decide(&mut self, which: usize, live: &Live<'_>) -> (Decision, Option<Sentence>) {
        self.targets[which].snapshot = RateSnapshot::over(live.recent);
        self.targets[which].extend(live.before, live.windows);
        self.show(live);
        if let Some(most) = self.may_write {
            self.targets[which].foresee(live.recent);
            let written = self.targets.iter().map(|t| t.written.saturating_add(t.coming));
            if written.fold(0, u64::saturating_add) >= most {
                self.stop.get_or_insert(StepStop::Written);
            }
        }
        if self.stop.is_none() && self.settled() {
            self.stop = Some(StepStop::Steady);
        }
        (self.stop.map_or(Decision::GoOn, Decision::Stop), None)
    }

    fn progress(&mut self, _now: Nanos) -> Option<Progress> {
        self.progress.take()
    }

    fn why_ended(&self, _which: usize, end: &LoadEnd) -> StepStop {
        // Jobs of a stage have an operation count only because of the bound.
        if end.stop == StepStop::Count && self.count_is_bound { StepStop::Written } else { end.stop }
    }

    fn ended(&mut self, _which: usize, end: &LoadEnd) {
        // If one target fails, there is no sum over all targets any more, so the others stop.
        if matches!(end.stop, StepStop::Errors | StepStop::Hung) {
            self.stop.get_or_insert(StepStop::Time);
        }
    }
}
