//! What the conductor does while a load runs: gives intervals to the sink, samples counters, judges steadiness by the
//! very rule that judges the result, looks after the target, and shows progress.

use crate::frame::Interrupt;
use crate::glance::{Blink, Glance};
use crate::sink::{Progress, Sink};
use crate::site::Site;
use crate::workers::{Decision, Live, Watch};
use model::{DeviceFacts, Interval, Job, Nanos, Phase, RunEvent, StepStop, Window};
use monitor::Roots;
use monitor::samplers::{self, Sampler};

/// Counters sampled about once a second over the whole run.
pub struct Upkeep {
    samplers: Vec<Box<dyn Sampler>>,
    last: u64,
    blink: Blink,
}

const SECOND: u64 = 1_000_000_000;

impl Upkeep {
    /// Opens the samplers that work here.
    #[must_use]
    pub fn new(roots: &Roots, devices: &[DeviceFacts], now: u64) -> Self {
        let (samplers, _) = samplers::all(roots, devices);
        Upkeep { samplers, last: now, blink: Blink::default() }
    }

    /// Whether the next sample is due.
    #[must_use]
    pub fn due(&self, now: Nanos) -> bool {
        now.0 >= self.last + SECOND
    }

    /// Takes one sample of every counter.
    pub fn sample(&mut self, now: u64, sink: &mut dyn Sink) {
        let elapsed = Nanos(now.saturating_sub(self.last));
        self.last = now;
        let mut samples = Vec::new();
        for sampler in &mut self.samplers {
            sampler.sample(elapsed, &mut samples);
        }
        if !samples.is_empty() {
            sink.event(RunEvent::Samples { at: Nanos(now), samples });
        }
    }
}

/// Follows one step.
pub struct Follow<'a> {
    /// Where everything goes.
    pub sink: &'a mut dyn Sink,
    /// Whether anybody asks to stop.
    pub interrupt: &'a Interrupt,
    /// Counters beside the load.
    pub upkeep: &'a mut Upkeep,
    /// What must not go away.
    pub target: &'a dyn Site,
    /// What is run.
    pub job: &'a Job,
    /// Whether this is the held level after a ramp.
    pub hold: bool,
    /// Number of this step, and of all.
    pub steps: (usize, usize),
    /// Expected time of what comes after.
    pub left_after: Nanos,
    /// When it was first looked at.
    pub began: Option<u64>,
    /// Windows there were when steadiness was last judged.
    pub judged: usize,
}

impl Follow<'_> {
    fn show(&mut self, live: &Live<'_>) {
        let began = *self.began.get_or_insert(live.now.0);
        if !self.upkeep.blink.due(live, began) {
            return;
        }
        // A held level takes longer only if it has to.
        let time = self.job.stop.steady_after.filter(|_| self.hold).unwrap_or(self.job.stop.time);
        let total = Nanos(self.job.stop.ramp.0.saturating_add(time.0));
        let left = total.since(Nanos(live.now.0 - began));
        let phase = match (live.windows.is_empty(), left.0) {
            (_, 0) => Phase::Drain,
            (true, _) => Phase::Ramp,
            (false, _) => Phase::Measure,
        };
        let Glance { iops, bandwidth, latency } = Glance::over(live.recent);
        self.sink.progress(&Progress {
            label: self.job.workload.label(),
            concurrency: self.job.concurrency(),
            hold: self.hold,
            phase,
            iops,
            bandwidth,
            latency,
            step: self.steps.0,
            steps: self.steps.1,
            elapsed: live.now,
            left: Nanos(self.left_after.0.saturating_add(left.0)),
            warning: live.stuck.map(|age| format!("an operation has been in flight for {age}")),
            jobs: None,
        });
    }

    /// Whether the series is steady enough to stop; looked at when a window has been added.
    fn settled(&mut self, windows: &[Window]) -> bool {
        let Some(after) = self.job.stop.steady_after else { return false };
        if windows.len() == self.judged {
            return false;
        }
        self.judged = windows.len();
        let covered: u64 = windows.iter().map(|w| w.length.0).sum();
        if covered < after.0 {
            return false;
        }
        let rates: Vec<f64> = windows.iter().map(|w| w.iops().0).collect();
        if self.hold { analysis::conclusive(&rates) } else { analysis::settled(&rates) }
    }
}

impl Watch for Follow<'_> {
    fn interval(&mut self, interval: Interval) {
        self.sink.event(RunEvent::Interval { step: self.steps.0 - 1, interval });
    }

    fn look(&mut self, live: &Live<'_>) -> Decision {
        self.show(live);
        if self.interrupt.asked() {
            return Decision::Stop(StepStop::Signal);
        }
        if live.now.0 >= self.upkeep.last + SECOND {
            self.upkeep.sample(live.now.0, self.sink);
            if self.target.present().is_err() {
                return Decision::Stop(StepStop::Errors);
            }
        }
        if self.settled(live.windows) {
            return Decision::Stop(StepStop::Steady);
        }
        Decision::GoOn
    }
}
