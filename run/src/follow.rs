//! What the conductor does while a load runs: gives intervals to the sink, judges steadiness by the
//! very rule that judges the result, looks after the target, and shows progress.

use crate::background::BackgroundSampler;
use crate::context::Interrupt;
use crate::open_target::OpenTarget;
use crate::rate_snapshot::RateSnapshot;
use crate::sink::{Progress, Sink};
use crate::workers::{Decision, Live, LoadEnd, WatchAll};
use load::recorder::Entry;
use model::{BytesPerSecond, Interval, Iops, Job, Nanos, Op, Phase, RunEvent, StepStop, Window};

/// Follows one step, or those of several targets side by side: they are steady when their sum is.
pub struct Follow<'a, 's> {
    /// Where everything goes.
    pub sink: &'a mut dyn Sink,
    /// Whether anybody asks to stop.
    pub interrupt: &'a Interrupt,
    /// Counters beside the load.
    pub upkeep: &'a mut BackgroundSampler,
    /// What must not go away.
    pub sites: &'a [&'s mut dyn OpenTarget],
    /// What is run, one job per target; they differ in nothing but the target.
    pub jobs: &'a [Job],
    /// Number of the first job's step in the record.
    pub base: usize,
    /// Whether this is the held level after a ramp.
    pub hold: bool,
    /// For the eye: which of all this is, and how many there are.
    pub steps: (usize, usize),
    /// Expected time of what comes after.
    pub left_after: Nanos,
    /// When it was first looked at.
    pub began: Option<u64>,
    /// What is known of each job.
    pub sides: Vec<TargetProgress>,
    /// Why all are to stop.
    pub stop: Option<StepStop>,
    /// Windows there were when steadiness was last judged.
    pub judged: usize,
    /// Bytes that may still be written, if that is bounded.
    pub may_write: Option<u64>,
}

/// What is known of one job that is followed.
#[derive(Debug, Clone, Default)]
pub struct TargetProgress {
    /// The last windows.
    glance: RateSnapshot,
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
    /// Bytes it wrote, as far as its intervals are complete.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// What is written and not in an interval yet, and once more what the last window had: the next look comes that much later,
    /// and what is in flight then is still done.
    fn foresee(&mut self, recent: &[Window]) {
        let write = Op::Write.index();
        let since = recent.iter().filter(|w| w.start.0 >= self.told_until);
        let last = recent.last().map_or(0, |w| w.bytes[write]);
        self.coming = since.map(|w| w.bytes[write]).fold(last.saturating_mul(2), u64::saturating_add);
    }

    fn extend(&mut self, before: usize, windows: &[Window]) {
        // Looked at many times a second: none is dropped before it was seen.
        for window in windows.get(self.rates.len().saturating_sub(before)..).unwrap_or_default() {
            self.rates.push(window.iops().0);
            self.covered += window.length.0;
        }
    }
}

impl Follow<'_, '_> {
    fn show(&mut self, live: &Live<'_>) {
        let began = *self.began.get_or_insert(live.now.0);
        if !self.upkeep.blink.due(live, began) {
            return;
        }
        let Some(job) = self.jobs.first() else { return };
        // A held level takes longer only if it has to.
        let time = job.stop.steady_after.filter(|_| self.hold).unwrap_or(job.stop.time);
        let total = Nanos(job.stop.ramp.0.saturating_add(time.0));
        let left = total.since(Nanos(live.now.0 - began));
        let phase = match (live.windows.is_empty(), left.0) {
            (_, 0) => Phase::Drain,
            (true, _) => Phase::Ramp,
            (false, _) => Phase::Measure,
        };
        let glances = || self.sides.iter().map(|s| s.glance);
        self.sink.progress(&Progress {
            label: job.workload.label(),
            concurrency: self.jobs.iter().map(Job::concurrency).sum(),
            hold: self.hold,
            phase,
            iops: Iops(glances().map(|g| g.iops.0).sum()),
            bandwidth: BytesPerSecond(glances().map(|g| g.bandwidth.0).sum()),
            latency: glances().filter_map(|g| g.latency).max(),
            step: self.steps.0,
            steps: self.steps.1,
            elapsed: live.now,
            left: Nanos(self.left_after.0.saturating_add(left.0)),
            warning: live.stuck.map(|age| format!("an operation has been in flight for {age}")),
            jobs: None,
        });
    }

    /// Rates of the measured windows that all sides have: the sum over them.
    pub fn rates(&self) -> Vec<f64> {
        let common = self.sides.iter().map(|s| s.rates.len()).min().unwrap_or(0);
        (0..common).map(|window| self.sides.iter().map(|s| s.rates[window]).sum()).collect()
    }

    /// Whether the series of the sum is steady enough to stop; looked at when all have a window more.
    fn settled(&mut self) -> bool {
        let Some(after) = self.jobs.first().and_then(|j| j.stop.steady_after) else { return false };
        let common = self.sides.iter().map(|s| s.rates.len()).min().unwrap_or(0);
        if common == self.judged {
            return false;
        }
        self.judged = common;
        if self.sides.iter().any(|s| s.covered < after.0) {
            return false;
        }
        let rates = self.rates();
        if self.hold { analysis::conclusive(&rates) } else { analysis::settled(&rates) }
    }
}

impl WatchAll for Follow<'_, '_> {
    fn interval(&mut self, which: usize, interval: Interval) {
        let side = &mut self.sides[which];
        side.written += interval.op(Op::Write).tally.bytes;
        side.told_until = interval.start.0 + interval.length.0;
        self.sink.event(RunEvent::Interval { step: self.base + which, interval });
    }

    fn operations(&mut self, _which: usize, _entries: &[Entry]) {}

    fn look(&mut self, which: usize, live: &Live<'_>) -> Decision {
        self.sides[which].glance = RateSnapshot::over(live.recent);
        self.sides[which].extend(live.before, live.windows);
        self.show(live);
        if let Some(most) = self.may_write {
            self.sides[which].foresee(live.recent);
            let written = self.sides.iter().map(|s| s.written.saturating_add(s.coming));
            if written.fold(0, u64::saturating_add) >= most {
                self.stop.get_or_insert(StepStop::Written);
            }
        }
        if self.stop.is_none() && self.settled() {
            self.stop = Some(StepStop::Steady);
        }
        self.stop.map_or(Decision::GoOn, Decision::Stop)
    }

    fn tick(&mut self, now: Nanos) -> Decision {
        if self.interrupt.asked() {
            return Decision::Stop(StepStop::Signal);
        }
        if self.upkeep.due(now) {
            self.upkeep.sample(now.0, self.sink);
            if self.sites.iter().any(|site| site.present().is_err()) {
                return Decision::Stop(StepStop::Errors);
            }
        }
        Decision::GoOn
    }

    fn ended(&mut self, _which: usize, end: &LoadEnd) {
        // Where one fails the sum is none any more: the others need not go on.
        if matches!(end.stop, StepStop::Errors | StepStop::Hung) {
            self.stop.get_or_insert(StepStop::Time);
        }
    }
}
