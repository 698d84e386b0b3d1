//! All samplers of a run, with the time between samples, the cost of sampling, and gaps while the machine was
//! suspended.

use super::{Sampler, Subjects, Unavailable, all};
use crate::Roots;
use messages::sentence;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};

/// Sleep time, in nanoseconds, above which the machine counts as suspended; clock drift alone is smaller, even over a
/// day.
const SLEPT: i64 = 100_000_000;

/// Samplers of a run with the time of the last sample.
pub struct SamplerSet {
    samplers: Vec<Box<dyn Sampler>>,
    unavailable: Vec<Unavailable>,
    last: u64,
    /// Boot time minus monotonic time at the last sample: time asleep since boot.
    asleep: u64,
    /// CPU time spent on the last sample. It is known only once that sample is complete.
    cost: Option<Nanos>,
}

/// Result of sampling all samplers once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sampled {
    /// Values over the time since the previous sample; empty if there is no valid interval.
    pub samples: Vec<Sample>,
    /// Events of the sampled subjects, one sentence each.
    pub remarks: Vec<Sentence>,
}

impl SamplerSet {
    /// Opens the samplers that work here and takes the first reading. `now` is on the run's clock.
    #[must_use]
    pub fn open(roots: &Roots, subjects: &Subjects, now: u64) -> SamplerSet {
        let (samplers, unavailable) = all(roots, subjects);
        SamplerSet { samplers, unavailable, last: now, asleep: asleep(), cost: None }
    }

    /// Returns the samplers that do not work here, with the reasons.
    #[must_use]
    pub fn unavailable(&self) -> &[Unavailable] {
        &self.unavailable
    }

    /// Returns the time of the last sample, on the run's clock.
    #[must_use]
    pub fn last(&self) -> Nanos {
        Nanos(self.last)
    }

    /// Samples everything, at `now` on the run's clock.
    ///
    /// Adds these series to the series of the samplers:
    /// - `sampler.stretch` (s): the actual time since the previous sample.
    /// - `sampler.cpu` (us) and `sampler.cost` (percent of one core): measured CPU time of the sample **before** this
    ///   one.
    ///
    /// If the machine was suspended since the previous sample, returns only a remark, because rates would be averaged
    /// over a period in which nothing ran.
    pub fn sample(&mut self, now: u64) -> Sampled {
        let before = sys::threads::thread_cpu_ns();
        let elapsed = Nanos(now.saturating_sub(self.last));
        self.last = now;
        let asleep = asleep();
        // The difference is signed, because the two clocks are not read at exactly the same moment.
        let slept = asleep.wrapping_sub(std::mem::replace(&mut self.asleep, asleep)) as i64;
        let mut out = Sampled::default();
        if slept > SLEPT || elapsed.is_zero() {
            self.samplers.iter_mut().for_each(|s| s.forget());
            if slept > SLEPT {
                out.remarks.push(sentence!("note-suspended", time = Nanos(slept.unsigned_abs())));
            }
        } else {
            for sampler in &mut self.samplers {
                sampler.sample(elapsed, &mut out.samples);
            }
            self.own(elapsed, &mut out.samples);
        }
        out.remarks.extend(self.samplers.iter_mut().flat_map(|s| s.remarks()));
        self.cost = Some(Nanos(sys::threads::thread_cpu_ns().saturating_sub(before)));
        out
    }

    fn own(&self, elapsed: Nanos, samples: &mut Vec<Sample>) {
        let mut gauge = |name: &str, unit: &str, value: f64| {
            samples.push(Sample { name: name.into(), unit: unit.into(), layer: Layer::Application, value });
        };
        gauge("sampler.stretch", "s", elapsed.secs());
        if let Some(cost) = self.cost {
            gauge("sampler.cpu", "us", cost.micros());
            gauge("sampler.cost", "percent", 100.0 * cost.secs() / elapsed.secs());
        }
    }
}

/// Returns the time asleep since boot.
fn asleep() -> u64 {
    sys::clock::boottime_ns().wrapping_sub(sys::clock::monotonic_ns())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_tells_its_stretch_and_what_the_one_before_cost() {
        let mut set = SamplerSet::open(&Roots::host(), &Subjects::default(), 0);
        let first = set.sample(1_000_000_000);
        let value = |sampled: &Sampled, name: &str| sampled.samples.iter().find(|s| s.name == name).map(|s| s.value);
        assert_eq!((value(&first, "sampler.stretch"), value(&first, "sampler.cost")), (Some(1.0), None));
        let second = set.sample(1_500_000_000);
        assert_eq!(value(&second, "sampler.stretch"), Some(0.5));
        let (cpu, cost) = (value(&second, "sampler.cpu").unwrap(), value(&second, "sampler.cost").unwrap());
        assert!(cpu >= 0.0 && (cost - cpu / 1e4 / 0.5).abs() < 1e-9, "{cpu} {cost}");
        assert!(set.sample(1_500_000_000).samples.is_empty(), "no time passed");
    }

    #[test]
    fn time_asleep_leaves_a_gap_and_not_a_mean() {
        let mut set = SamplerSet::open(&Roots::host(), &Subjects::default(), 0);
        set.asleep = set.asleep.wrapping_sub(5_000_000_000);
        let sampled = set.sample(1_000_000_000);
        assert!(sampled.samples.is_empty() && sampled.remarks[0].contains("suspended for 5.00 s"), "{sampled:?}");
    }
}
