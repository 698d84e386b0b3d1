//! What steps and the kernel's counts beside them say of each other, before anything is judged.

use model::{Interval, Nanos, Op, RunRecord, Step};

/// Others that did more than this share of what we did may be what held us back.
pub(crate) const SLOWED: f64 = 0.25;

/// Up to this size a request fits into the segments of any device, so that the kernel does not split it.
pub(crate) const SURELY_WHOLE: u64 = 64 << 10;

/// Writes a second that the run makes for itself: its journal's, and what the file system adds to them.
pub(crate) const OWN_WRITES: f64 = 20.0;

/// Bytes of one of them.
pub(crate) const OWN_BLOCK: f64 = 4096.0;

/// Whether the kernel may make several requests of one operation. The sectors of a request are known
/// (`max_sectors_kb`); its segments are not, and large buffers are scattered over them.
pub(crate) fn may_be_split(record: &RunRecord, step: &Step) -> bool {
    let grain = record.preflight.storage.devices.iter().map(|d| d.max_request.as_u64()).min().unwrap_or(0);
    step.job.workload.block.max().as_u64() > grain.min(SURELY_WHOLE)
}

/// How long a step was accounted for, in seconds.
pub(crate) fn lasted(step: &Step) -> f64 {
    let measured: u64 = step.intervals.iter().map(|i| i.length.as_nanos()).fold(0, u64::saturating_add);
    step.end.as_ref().map_or(Nanos(measured), |end| end.at.since(step.start)).max(Nanos(measured)).secs()
}

/// Writes the run itself may have made in a step beside those asked for.
pub(crate) fn own_writes(step: &Step) -> f64 {
    OWN_WRITES * lasted(step).ceil()
}

/// X*R over N: the sum of latencies over the workers' own integral of operations in flight; 1 when Little's law
/// holds. `None` when nothing was in flight.
pub(crate) fn ratio(total: &Interval) -> Option<f64> {
    if total.in_flight_ns == 0 {
        return None;
    }
    let waited: u128 =
        Op::ALL.iter().map(|op| total.op(*op)).map(|o| o.latency.summary().sum + o.failed.summary().sum).sum();
    Some(waited as f64 / total.in_flight_ns as f64)
}

/// Share of the threads' time from which on the loss is told.
pub(crate) const WAITED: f64 = 0.05;
