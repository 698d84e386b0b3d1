//! Use of caps: the sum of several devices in the same second, never of each device's maximum
//! (docs/design/foreign-results.md, "A shared cap", B08).

use super::{FULL, Table};
use model::judged::{CapNow, CapUse, DiskFigures};
use model::measured::{Sample, sampled, series_of};
use model::{CompactSort, Limit, Nanos, Op, RunRecord, bounds::LimitAxis, distinct, plan::WatchPlan};

/// Returns the use of every axis of every declared limit, the most used first.
pub(super) fn uses(record: &RunRecord, plan: &WatchPlan, table: &Table, devices: &[DiskFigures]) -> Vec<CapUse> {
    let mut uses = Vec::new();
    let devices: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
    for limit in &record.plan.limits {
        let (over, left_out) = members(limit, plan, &devices);
        if over.is_empty() {
            continue;
        }
        for axis in [LimitAxis::Iops, LimitAxis::Bandwidth] {
            let cap = limit.cap(axis).filter(|cap| *cap > 0.0);
            uses.extend(cap.and_then(|cap| used(limit, axis, cap, plan, table, &over, &left_out)));
        }
    }
    uses.compact_sort_by(|a, b| (b.most.0 / b.cap).total_cmp(&(a.most.0 / a.cap)));
    uses
}

/// Returns the devices that a limit applies to, and those left out. A device on top of another one of them is left out:
/// its I/O is already included in the counters of the lower device.
fn members(limit: &Limit, plan: &WatchPlan, devices: &[&str]) -> (Vec<String>, Vec<String>) {
    let named = |name: &str| {
        let device = plan.device(name);
        limit.on.is_empty() || limit.on.iter().any(|on| device.is_named(on))
    };
    let covered: Vec<&str> = devices.iter().copied().filter(|name| named(name)).collect();
    let stands = |name: &&str| plan.device(name).below.iter().any(|below| covered.contains(&below.as_str()));
    let (above, lowest): (Vec<&str>, Vec<&str>) = covered.iter().partition(|name| stands(name));
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    (owned(lowest), owned(above))
}

/// Returns the charge of one device for a limit in one interval, in the unit of the axis; `value` returns its figures
/// by name.
fn charge(limit: &Limit, axis: LimitAxis, value: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    let rates_of = |op: &str| {
        let (ops, bytes) = value(&format!("{op}_ops")).zip(value(op))?;
        // The block layer has already merged requests: its counts are like those of the cap, except for the cap's own
        // unit.
        Some(if ops > 0.0 { ops * limit.charged(axis, bytes / ops, false) } else { 0.0 })
    };
    match limit.op {
        Some(Op::Read) => rates_of("read"),
        Some(Op::Write) => rates_of("write"),
        _ => rates_of("read").zip(rates_of("write")).map(|(read, write)| read + write),
    }
}

/// Returns the charge for every interval.
fn charged(limit: &Limit, axis: LimitAxis, table: &Table, name: &str) -> Vec<Option<f64>> {
    let columns =
        ["read_ops", "read", "write_ops", "write"].map(|what| (what, table.column(&format!("device.{name}.{what}"))));
    let at = |i: usize| charge(limit, axis, |what| columns.iter().find(|c| c.0 == what).and_then(|c| c.1[i]));
    (0..table.stretches.len()).map(at).collect()
}

/// Returns the use of the caps in one sample, counted as in the judgement, for display during a watch.
#[must_use]
pub fn fullness(limits: &[Limit], plan: &WatchPlan, samples: &[Sample]) -> Vec<CapNow> {
    let devices = distinct(samples.iter().filter_map(|s| Some(series_of(&s.name, "device")?.0)));
    let mut caps = Vec::new();
    for limit in limits {
        let (over, _) = members(limit, plan, &devices);
        for axis in [LimitAxis::Iops, LimitAxis::Bandwidth] {
            let Some(cap) = limit.cap(axis).filter(|cap| *cap > 0.0) else { continue };
            let charge_of =
                |name: &String| charge(limit, axis, |what| sampled(samples, &format!("device.{name}.{what}")));
            if let Some(used) = over.iter().filter_map(charge_of).reduce(|a, b| a + b) {
                caps.push(CapNow { name: name_of(limit), axis, cap, used, burst: limit.burst(axis) });
            }
        }
    }
    caps
}

fn name_of(limit: &Limit) -> String {
    limit.op.map_or_else(|| limit.name.clone(), |op| format!("{} {op}", limit.name))
}

fn used(
    limit: &Limit,
    axis: LimitAxis,
    cap: f64,
    plan: &WatchPlan,
    table: &Table,
    over: &[String],
    left_out: &[String],
) -> Option<CapUse> {
    let columns: Vec<Vec<Option<f64>>> = over.iter().map(|name| charged(limit, axis, table, name)).collect();
    // A device that was absent used nothing; an interval without any known device has no value.
    let total: Vec<Option<f64>> =
        (0..table.stretches.len()).map(|i| columns.iter().filter_map(|c| c[i]).reduce(|a, b| a + b)).collect();
    let most = table.most(&total)?;
    let (mut full, mut longest, mut run, mut time) = (0, 0, 0, 0);
    for (value, stretch) in total.iter().zip(&table.stretches) {
        let Some(value) = value else {
            run = 0;
            continue;
        };
        time += stretch.length.as_nanos();
        if *value >= FULL * cap {
            full += stretch.length.as_nanos();
            run += stretch.length.as_nanos();
            longest = longest.max(run);
        } else {
            run = 0;
        }
    }
    let weigh = |column: &Vec<Option<f64>>| -> f64 {
        let counts = |i: usize| full == 0 || total[i].is_some_and(|v| v >= FULL * cap);
        let part: Vec<Option<f64>> = column.iter().enumerate().map(|(i, v)| v.filter(|_| counts(i))).collect();
        table.integral(&part).0
    };
    let parts: Vec<f64> = columns.iter().map(weigh).collect();
    let sum: f64 = parts.iter().sum();
    Some(CapUse {
        name: name_of(limit),
        axis,
        cap,
        over: over.iter().map(|name| plan.device(name).label()).collect(),
        left_out: left_out.iter().map(|name| plan.device(name).label()).collect(),
        mean: table.mean(&total).unwrap_or(0.0),
        most,
        sum_of_maxima: columns.iter().filter_map(|c| table.most(c)).map(|m| m.0).sum(),
        full: Nanos(full),
        longest: Nanos(longest),
        of: Nanos(time),
        shares: parts.iter().map(|p| if sum > 0.0 { p / sum } else { 0.0 }).collect(),
    })
}

/// Formats a cap's figure: `6,000 IOPS`, `93.75 MB/s`.
pub(crate) fn figure(axis: LimitAxis, value: f64) -> String {
    match axis {
        LimitAxis::Iops => format!("{} IOPS", model::Iops(value)),
        LimitAxis::Bandwidth => model::BytesPerSecond(value).to_string(),
    }
}
