//! Counters sampled over a whole run, on its clock, whatever it measures.

use super::caps::CapWatch;
use super::traced::Tracing;
use crate::sink::Sink;
use model::{Nanos, RunEvent};
use monitor::Roots;
use monitor::samplers::{SamplerSet, Subjects};

/// How often counters are looked at beside a load.
pub const SECOND: Nanos = Nanos::from_secs(1);

/// Counters sampled at an interval over the whole run.
pub struct BackgroundSampler {
    set: SamplerSet,
    /// The trace of the block layer.
    pub(crate) trace: Tracing,
    interval: Nanos,
    /// When the next look is due.
    next: u64,
    /// Limits of our control group.
    pub(crate) caps: CapWatch,
}

impl BackgroundSampler {
    /// Opens the samplers that work here.
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

    /// The samplers.
    #[must_use]
    pub fn set(&self) -> &SamplerSet {
        &self.set
    }

    /// Whether the next sample is due.
    #[must_use]
    pub fn due(&self, now: Nanos) -> bool {
        now.as_nanos() >= self.next
    }

    /// When the next sample is due.
    #[must_use]
    pub fn next(&self) -> Nanos {
        Nanos(self.next)
    }

    /// Takes one sample of every counter.
    pub fn sample(&mut self, now: u64, sink: &mut dyn Sink) {
        // On the grid of the first: what is late once does not make all after it late.
        let missed = now.saturating_sub(self.next) / self.interval.as_nanos().max(1);
        self.next = self.next.saturating_add(self.interval.as_nanos().saturating_mul(missed + 1));
        let looked = self.set.sample(now);
        self.caps.sample(Nanos(now));
        for text in looked.remarks {
            sink.event(RunEvent::Note { at: Nanos(now), text });
        }
        if !looked.samples.is_empty() {
            sink.event(RunEvent::Samples { at: Nanos(now), samples: looked.samples });
        }
        self.trace.write_stretch(Nanos(now), sink);
    }
}
