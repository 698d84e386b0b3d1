//! What the conductor does while a load runs: gives intervals to the sink, samples counters, judges steadiness by the
//! very rule that judges the result, looks after the target, and shows progress.

use crate::conduct::Interrupt;
use crate::sink::{Progress, Sink};
use crate::site::Site;
use crate::workers::{Decision, Live, Watch};
use model::{BytesPerSecond, DeviceFacts, Interval, Iops, Job, Nanos, RunEvent, StepStop, Window};
use monitor::Roots;
use monitor::samplers::{self, Sampler};

/// Counters sampled about once a second over the whole run.
pub struct Upkeep {
    samplers: Vec<Box<dyn Sampler>>,
    last: u64,
    last_progress: u64,
}

const SECOND: u64 = 1_000_000_000;
/// Progress is shown so often.
const BLINK: u64 = 200_000_000;
/// Windows a progress figure is taken over.
const GLANCE: usize = 5;

impl Upkeep {
    /// Opens the samplers that work here.
    #[must_use]
    pub fn new(roots: &Roots, devices: &[DeviceFacts], now: u64) -> Self {
        let (samplers, _) = samplers::all(roots, devices);
        Upkeep { samplers, last: now, last_progress: 0 }
    }

    fn sample(&mut self, now: u64, sink: &mut dyn Sink) {
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
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
    upkeep: &'a mut Upkeep,
    target: &'a dyn Site,
    job: &'a Job,
    hold: bool,
    steps: (usize, usize),
    left_after: Nanos,
    began: Option<u64>,
    judged: usize,
}

impl<'a> Follow<'a> {
    /// `steps` = number of this step and of all; `left_after` = expected time of what comes after.
    #[expect(clippy::too_many_arguments, reason = "made in one place, from the conductor's own fields")]
    pub fn new(
        sink: &'a mut dyn Sink,
        interrupt: &'a Interrupt,
        upkeep: &'a mut Upkeep,
        target: &'a dyn Site,
        job: &'a Job,
        hold: bool,
        steps: (usize, usize),
        left_after: Nanos,
    ) -> Self {
        Follow { sink, interrupt, upkeep, target, job, hold, steps, left_after, began: None, judged: 0 }
    }

    fn show(&mut self, live: &Live<'_>) {
        let began = *self.began.get_or_insert(live.now.0);
        if live.now.0 < self.upkeep.last_progress + BLINK {
            return;
        }
        self.upkeep.last_progress = live.now.0;
        let recent = &live.windows[live.windows.len().saturating_sub(GLANCE)..];
        let total = Nanos(self.job.stop.ramp.0 + self.job.stop.time.0);
        let (iops, bandwidth, latency) = glance(recent);
        self.sink.progress(&Progress {
            label: self.job.workload.label(),
            concurrency: self.job.concurrency(),
            hold: self.hold,
            iops,
            bandwidth,
            latency,
            step: self.steps.0,
            steps: self.steps.1,
            elapsed: live.now,
            left: Nanos(self.left_after.0 + total.since(Nanos(live.now.0 - began)).0),
            warning: live.stuck.map(|age| format!("an operation has been in flight for {age}")),
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
        analysis::settled(&rates)
    }
}

/// Rate, bandwidth and mean latency over a few windows.
pub fn glance(windows: &[Window]) -> (Iops, BytesPerSecond, Option<Nanos>) {
    let seconds = Nanos(windows.iter().map(|w| w.length.0).sum()).secs().max(1e-9);
    let ops: u64 = windows.iter().map(Window::total_ops).sum();
    let bytes: u64 = windows.iter().map(Window::total_bytes).sum();
    let latency: u64 = windows.iter().map(|w| w.latency_sum).sum();
    (Iops(ops as f64 / seconds), BytesPerSecond(bytes as f64 / seconds), (ops > 0).then(|| Nanos(latency / ops.max(1))))
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
