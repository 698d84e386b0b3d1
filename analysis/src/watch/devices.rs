//! Activity of each device: counts, means weighted by requests or by time, and maxima of one interval.

use super::Table;
use model::{Bytes, BytesPerSecond, CompactSort, Iops, Nanos, RunRecord, distinct};
use model::{judged::DiskFigures, measured::series_of, plan::WatchPlan};

/// Returns the figures of every active device, the busiest first; devices named in the plan are included even if idle.
pub(super) fn figures(record: &RunRecord, plan: &WatchPlan, table: &Table) -> Vec<DiskFigures> {
    let sampled = record.series.iter().filter_map(|s| Some(series_of(&s.name, "device")?.0));
    let names = distinct(plan.devices.iter().map(|d| d.name.as_str()).chain(sampled));
    let mut devices: Vec<DiskFigures> =
        names.into_iter().map(|name| device_figures(record, plan, table, name)).collect();
    if plan.all_devices {
        devices.retain(|d| d.all_ops() > 0.0);
        devices.compact_sort_by(|a, b| b.all_ops().total_cmp(&a.all_ops()));
    }
    devices
}

/// Adds the columns; `None` if one has no value.
pub(super) fn sum(a: &[Option<f64>], b: &[Option<f64>]) -> Vec<Option<f64>> {
    a.iter().zip(b).map(|(a, b)| a.zip(*b).map(|(a, b)| a + b)).collect()
}

fn device_figures(record: &RunRecord, plan: &WatchPlan, table: &Table, name: &str) -> DiskFigures {
    let column = |what: &str| table.column(&format!("device.{name}.{what}"));
    let total = |what: &str| table.integral(&column(what)).0;
    let both = |a: &str, b: &str| {
        let column = sum(&column(a), &column(b));
        (table.mean(&column).unwrap_or(0.0), table.most(&column).unwrap_or_default())
    };
    let (iops, most_iops) = both("read_ops", "write_ops");
    let (bandwidth, most_bandwidth) = both("read", "write");
    // The kernel's counts from the first to the last sample are exact; the rates of the intervals reproduce them
    // closely.
    let counted = record.disks.iter().find(|d| d.name == name);
    let ops = counted.map_or_else(|| [total("read_ops"), total("write_ops")], |d| d.ops.map(|n| n as f64));
    let sectors = |d: &model::measured::DiskUse| d.sectors.map(|n| n as f64 * 512.0);
    let bytes = counted.map_or_else(|| [total("read"), total("write")], sectors);
    let size = |i: usize| (ops[i] >= 1.0).then(|| Bytes((bytes[i] / ops[i]).round() as u64));
    let latency = |what: &str| {
        let (waits, ops) = (column(&format!("{what}_await")), column(&format!("{what}_ops")));
        let weighed: Vec<Option<f64>> = waits.iter().zip(&ops).map(|(w, o)| w.zip(*o).map(|(w, o)| w * o)).collect();
        let weights: Vec<Option<f64>> = waits.iter().zip(&ops).map(|(w, o)| w.and(*o)).collect();
        let ((sum, _), (count, _)) = (table.integral(&weighed), table.integral(&weights));
        (count > 0.0).then(|| millis(sum / count))
    };
    let slowest = |what: &str| table.most(&column(&format!("{what}_await"))).map(|(ms, at)| (millis(ms), at));
    DiskFigures {
        name: name.to_owned(),
        shown: plan.device(name).label(),
        ops,
        bytes,
        merges: counted.map_or_else(|| [total("read_merged"), total("write_merged")], |d| d.merges.map(|n| n as f64)),
        flushes: counted.and_then(|d| d.flushes).map_or_else(|| total("flush_ops"), |n| n as f64),
        discards: total("discard_ops"),
        iops: (Iops(iops), Iops(most_iops.0), most_iops.1),
        bandwidth: (BytesPerSecond(bandwidth), BytesPerSecond(most_bandwidth.0), most_bandwidth.1),
        size: [size(0), size(1)],
        latency: [latency("read"), latency("write")],
        slowest: [slowest("read"), slowest("write")],
        queue: table.mean(&column("queue")).unwrap_or(0.0),
        busy: table.mean(&column("busy")).unwrap_or(0.0) / 100.0,
    }
}

fn millis(ms: f64) -> Nanos {
    Nanos::from_secs_f64(ms / 1e3)
}
