//! `pressure.*`, in percent of the time, for `io`, `memory` and `cpu`. `some`: at least one task waited for the
//! resource. `full`: all tasks with work to do waited for the resource (pressure stall information, psi.rst).

use super::{Out, Sampler, SamplerEntry};
use model::Nanos;
use model::measured::{Layer, Sample};

#[path = "linux.rs"]
mod platform;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "pressure", open: platform::open };

/// Microseconds of waiting since boot; for the CPU of a whole machine, `full` is meaningless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Reading {
    some: u64,
    full: Option<u64>,
}

struct Resource<R> {
    name: &'static str,
    source: R,
    last: Reading,
}

struct Pressure<R> {
    resources: Vec<Resource<R>>,
}

impl<R: FnMut() -> Option<Reading> + Send> Sampler for Pressure<R> {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let mut out = Out::new(Layer::Host, elapsed, out);
        let microseconds = out.seconds * 1e6;
        for resource in &mut self.resources {
            let Some(now) = (resource.source)() else { continue };
            let then = std::mem::replace(&mut resource.last, now);
            let full = now.full.zip(then.full).map(|(now, then)| now.saturating_sub(then));
            let some = now.some.saturating_sub(then.some);
            for (kind, waited) in [("some", Some(some)), ("full", full)] {
                if let Some(waited) = waited {
                    // The kernel updates its averages every two seconds, so a short interval may exceed 100 percent.
                    let share = (100.0 * waited as f64 / microseconds).min(100.0);
                    out.gauge(format!("pressure.{}.{kind}", resource.name), "percent", share);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_a_share_of_the_time() {
        let now = Reading { some: 250_000, full: None };
        let io = Resource { name: "io", source: move || Some(now), last: Reading { some: 0, full: Some(3) } };
        let mut samples = Vec::new();
        Pressure { resources: vec![io] }.sample(Nanos::from_millis(500), &mut samples);
        assert_eq!(samples.len(), 1);
        assert_eq!((samples[0].name.as_str(), samples[0].value), ("pressure.io.some", 50.0));
    }
}
