//! What ends a step of a qualification before its time: figures that are steady, by the very rule that judges the result,
//! and a bound on what is written.

use crate::conduct::wave::WaveRules;
use crate::sampling::{RateSnapshot, RefreshTimer};
use crate::sink::Progress;
use crate::workers::{Decision, Live, LoadEnd};
use model::{BytesPerSecond, Interval, Iops, Job, Nanos, Op, Phase, Sentence, StepStop, Window};

/// Rules for one step, or for those of several targets side by side: they are steady when their sum is.
pub(in crate::conduct) struct RampRules {
    /// Whether this is the held level after a ramp.
    hold: bool,
    /// What the jobs are; they differ in nothing but the target.
    label: String,
    concurrency: u32,
    ramp: Nanos,
    time: Nanos,
    steady_after: Option<Nanos>,
    /// Whether a job ends after a number of operations, and that is the bound on what is written.
    count_is_bound: bool,
    /// For the eye: which of all this is, and how many there are.
    steps: (usize, usize),
    /// Expected time of what comes after.
    left_after: Nanos,
    /// When it was first looked at, on the run's clock.
    began: Option<u64>,
    /// What is known of each job.
    targets: Vec<TargetProgress>,
    /// Why all are to stop.
    stop: Option<StepStop>,
    /// Windows there were when steadiness was last judged.
    judged: usize,
    /// Bytes that may still be written, if that is bounded.
    may_write: Option<u64>,
    /// When progress is due, and what is to be shown.
    timer: RefreshTimer,
    progress: Option<Progress>,
}

/// What is known of one job that is followed.
#[derive(Debug, Clone, Default)]
struct TargetProgress {
    /// The last windows.
    snapshot: RateSnapshot,
    /// Rates of its measured windows.
    rates: Vec<f64>,
    /// Time they cover, in nanoseconds.
    covered: u64,
    /// Bytes written in the intervals that are complete.
    written: u64,
    /// When the last of them ended.
    told_until: u64,
    /// Bytes written since, and those that the next look may find besides.
    coming: u64,
}

impl TargetProgress {
    /// What is written and not in an interval yet, and once more what the last window had: the next look comes that much later,
    /// and what is in flight then is still done.
    fn foresee(&mut self, recent: &[Window]) {
        let write = Op::Write.index();
        let since = recent.iter().filter(|w| w.start.as_nanos() >= self.told_until);
        let last = recent.last().map_or(0, |w| w.bytes[write]);
        self.coming = since.map(|w| w.bytes[write]).fold(last.saturating_mul(2), u64::saturating_add);
    }

    fn extend(&mut self, before: usize, windows: &[Window]) {
        // Looked at many times a second: none is dropped before it was seen.
        for window in windows.get(self.rates.len().saturating_sub(before)..).unwrap_or_default() {
            self.rates.push(window.iops().per_second());
            self.covered += window.length.as_nanos();
        }
    }
}

impl RampRules {
    /// For these jobs, which differ in nothing but the target.
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

    /// Shown as the step of so many, with the time expected for what comes after.
    pub fn with_progress(mut self, timer: RefreshTimer, steps: (usize, usize), left_after: Nanos) -> Self {
        (self.timer, self.steps, self.left_after) = (timer, steps, left_after);
        self
    }

    /// Ends before more than so many bytes are written; `bounded` tells whether the run bounds them at all.
    pub fn may_write(mut self, bytes: Option<u64>, bounded: bool) -> Self {
        self.may_write = bytes;
        self.count_is_bound &= bounded;
        self
    }

    /// Bytes written, as far as intervals are complete.
    pub fn written(&self) -> u64 {
        self.targets.iter().map(|t| t.written).sum()
    }

    /// The timer, for the step that follows.
    pub fn into_timer(self) -> RefreshTimer {
        self.timer
    }

    fn show(&mut self, live: &Live<'_>) {
        let began = *self.began.get_or_insert(live.now.as_nanos());
        if !self.timer.due(live, began) {
            return;
        }
        // A held level takes longer only if it has to.
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
            jobs: None,
        });
    }

    /// Rates of the measured windows that all targets have: the sum over them.
    pub fn rates(&self) -> Vec<f64> {
        let common = self.targets.iter().map(|t| t.rates.len()).min().unwrap_or(0);
        (0..common).map(|window| self.targets.iter().map(|t| t.rates[window]).sum()).collect()
    }

    /// Whether the series of the sum is steady enough to stop; looked at when all have a window more.
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
        // Nothing but the bound gives a job of a stage a count.
        if end.stop == StepStop::Count && self.count_is_bound { StepStop::Written } else { end.stop }
    }

    fn ended(&mut self, _which: usize, end: &LoadEnd) {
        // Where one fails the sum is none any more: the others need not go on.
        if matches!(end.stop, StepStop::Errors | StepStop::Hung) {
            self.stop.get_or_insert(StepStop::Time);
        }
    }
}
