//! `pressure.*`, in percent of the time, for `io`, `memory` and `cpu`. `some`: at least one task waited for the
//! resource. `full`: all tasks with work to do waited for the resource (pressure stall information, psi.rst).

use super::{Out, Sampler, SamplerEntry, Subjects};
use crate::Roots;
use crate::roots::text;
use messages::sentence;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "pressure", open };

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

fn open(roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let mut resources = Vec::new();
    for name in ["io", "memory", "cpu"] {
        let path = roots.proc.join("pressure").join(name);
        let source = move || {
            let mut reading = parse(&text(&path)?)?;
            reading.full = reading.full.filter(|_| name != "cpu");
            Some(reading)
        };
        if let Some(last) = source() {
            resources.push(Resource { name, source, last });
        }
    }
    if resources.is_empty() {
        // Reading fails with EOPNOTSUPP if PSI is compiled in but disabled.
        return Err(sentence!("sampler-no-pressure"));
    }
    Ok(Box::new(Pressure { resources }))
}

/// Parses `some avg10=0.30 avg60=0.40 avg300=0.13 total=3563177`, and the same for `full`.
fn parse(pressure: &str) -> Option<Reading> {
    let total = |kind: &str| {
        let line = pressure.lines().find_map(|l| l.strip_prefix(kind))?;
        line.split_whitespace().find_map(|w| w.strip_prefix("total="))?.parse().ok()
    };
    Some(Reading { some: total("some ")?, full: total("full ") })
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

    #[test]
    fn totals_are_read_and_half_written_files_are_not() {
        let text = "some avg10=0.30 avg60=0.40 avg300=0.13 total=3563177\nfull avg10=0.30 total=3375847\n";
        assert_eq!(parse(text), Some(Reading { some: 3_563_177, full: Some(3_375_847) }));
        assert_eq!(parse("some avg10=0.00 total=5\n"), Some(Reading { some: 5, full: None }));
        for bad in ["", "some", "some total=", "full avg10=0 total=5"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
