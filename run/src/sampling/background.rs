//! Sampling of counters during a whole run, on the run's clock.

use super::caps::CapWatch;
use super::traced::Tracing;
use crate::sink::Sink;
use model::{Nanos, RunEvent};
use monitor::Roots;
use monitor::samplers::{SamplerSet, Subjects};

/// Interval at which counters are sampled during a load.
pub const SECOND: Nanos = Nanos::from_secs(1);

/// Counters sampled at an interval over the whole run.
pub struct BackgroundSampler {
    set: SamplerSet,
    /// Trace of the block layer.
    pub(crate) trace: Tracing,
    interval: Nanos,
    /// Time of the next sample, in nanoseconds.
    next: u64,
    /// Limits of this process's control group.
    pub(crate) caps: CapWatch,
}

impl BackgroundSampler {
    /// Opens the samplers that work on this machine.
    #[must_use]
    pub fn new(roots: &Roots, subjects: &Subjects, interval: Nanos, now: u64) -> Self {
        let set = SamplerSet::open(roots, subjects, now);
        BackgroundSampler {
            set,
            trace: Tracing::default(),
            interval,
            next: now.saturating_add(interval.as_nanos()),
            caps: CapWatch::default(),
        }
    }

    /// Returns the samplers.
    #[must_use]
    pub fn set(&self) -> &SamplerSet {
        &self.set
    }

    /// Returns `true` if the next sample is due.
    #[must_use]
    pub fn due(&self, now: Nanos) -> bool {
        now.as_nanos() >= self.next
    }

    /// Returns the time of the next sample.
    #[must_use]
    pub fn next(&self) -> Nanos {
        Nanos(self.next)
    }

    /// Takes one sample of every counter.
    pub fn sample(&mut self, now: u64, sink: &mut dyn Sink) {
        // Keep to the schedule of the first sample, so that one late sample does not delay all later ones.
        let missed = now.saturating_sub(self.next) / self.interval.as_nanos().max(1);
        self.next = self.next.saturating_add(self.interval.as_nanos().saturating_mul(missed + 1));
        let looked = self.set.sample(now);
        self.caps.sample(Nanos(now));
        for text in looked.remarks {
            sink.event(RunEvent::Note { at: Nanos(now), text });
        }
        // The trace first, because samples complete the interval in displays.
        self.trace.write_stretch(Nanos(now), sink);
        if !looked.samples.is_empty() {
            sink.event(RunEvent::Samples { at: Nanos(now), samples: looked.samples });
        }
    }
}
