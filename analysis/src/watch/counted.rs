//! Limits that EBS volumes counted as exceeded during a watch: counters take precedence over conclusions from rates
//! (docs/design/limits.md, "What the storage counts").

use super::Table;
use super::caps::figure;
use crate::limits::counted::LIMITS;
use crate::verdict::findings::NOT_COUNTED;
use messages::sentence;
use model::{Caveat, CompactSort, Nanos, RunRecord, Sentence, Severity, distinct};
use model::{judged::CapUse, measured::series_of, plan::WatchPlan};

/// Minimum total time that is reported: shorter times may be due to the boundaries of intervals.
const LEAST: Nanos = Nanos::from_millis(500);

/// A limit of a volume, or of the instance as seen by this volume.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Excess {
    device: String,
    limit: &'static str,
    exceeded: Nanos,
    of: Nanos,
}

/// Returns the time for which each limit was exceeded, the longest first; `None` if no volume has counters.
pub(super) fn excesses(record: &RunRecord, plan: &WatchPlan, table: &Table) -> Option<Vec<Excess>> {
    let volumes = distinct(record.series.iter().filter_map(|s| Some(series_of(&s.name, "ebs")?.0)));
    let mut excesses = Vec::new();
    let mut counted = false;
    for name in volumes {
        for limit in LIMITS {
            let (percent_seconds, time) = table.integral(&table.column(&format!("ebs.{name}.{}", limit.series)));
            counted |= time > 0.0;
            // Late counts may assign more than its full duration to one interval.
            let exceeded = Nanos::from_secs_f64((percent_seconds / 100.0).clamp(0.0, time));
            if exceeded >= LEAST {
                let (device, time) = (plan.device(name).label(), Nanos::from_secs_f64(time));
                excesses.push(Excess { device, limit: limit.name, exceeded, of: time });
            }
        }
    }
    excesses.compact_sort_by_key(|e| std::cmp::Reverse(e.exceeded));
    counted.then_some(excesses)
}

/// Reports the limit that was exceeded for the longest time.
pub(super) fn longest(excesses: &[Excess]) -> Option<Sentence> {
    let Excess { device, limit, exceeded, of: time } = excesses.first()?;
    let (limit, exceeded, time) = (*limit, *exceeded, *time);
    Some(match excesses.len() - 1 {
        0 => sentence!("watch-counted", device, limit, exceeded, time),
        n => sentence!("watch-counted-more", device, limit, exceeded, time, n),
    })
}

/// Returns the doubt about a cap that was reached according to the rates of its devices, although the volumes counted
/// nothing.
pub(super) fn doubt(excesses: Option<&[Excess]>, caps: &[CapUse]) -> Option<Caveat> {
    excesses.filter(|counted| counted.is_empty())?;
    let cap = caps.iter().filter(|c| c.full >= LEAST).max_by_key(|c| c.full)?;
    let (limit, time) = (&cap.name, cap.of);
    let evidence = sentence!("watch-not-counted-seen", limit, cap = figure(cap.axis, cap.cap), full = cap.full, time);
    let doubt = Caveat::new(NOT_COUNTED, Severity::Doubt, sentence!("watch-not-counted"), evidence);
    Some(doubt.remedy(sentence!("watch-not-counted-remedy")))
}
