//! Reads `/proc/pressure/{io,memory,cpu}`.

use super::{Pressure, Reading, Resource};
use crate::Roots;
use crate::roots::text;
use crate::samplers::{Sampler, Subjects};
use messages::sentence;
use model::Sentence;

pub(super) fn open(roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
