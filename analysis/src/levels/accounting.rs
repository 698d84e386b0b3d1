//! Comparisons between the steps and the kernel's counters for the same time, before anything is judged.

use model::{Interval, Nanos, Op, RunRecord, record::Step};

/// Share of our work above which the work of other processes may have slowed us down.
pub(crate) const SLOWED: f64 = 0.25;

/// Maximum size at which a request fits into the segments of any device, so that the kernel does not split it.
pub(crate) const SURELY_WHOLE: u64 = 64 << 10;

/// Writes per second by the run itself: its journal, and the file system's additions to it.
pub(crate) const OWN_WRITES: f64 = 20.0;

/// Size of one such write, in bytes.
pub(crate) const OWN_BLOCK: f64 = 4096.0;

/// Returns `true` if the kernel may split one operation into several requests. The maximum number of sectors per
/// request is known (`max_sectors_kb`), but the maximum number of segments is not, and large buffers are scattered over
/// several segments.
pub(crate) fn may_be_split(record: &RunRecord, step: &Step) -> bool {
    let grain = record.preflight.storage.devices.iter().map(|d| d.max_request.as_u64()).min().unwrap_or(0);
    step.job.workload.block.max().as_u64() > grain.min(SURELY_WHOLE)
}

/// Returns the time covered by a step's accounting, in seconds.
pub(crate) fn lasted(step: &Step) -> f64 {
    let measured: u64 = step.intervals.iter().map(|i| i.length.as_nanos()).fold(0, u64::saturating_add);
    step.end.as_ref().map_or(Nanos(measured), |end| end.at.since(step.start)).max(Nanos(measured)).secs()
}

/// Returns the number of writes that the run itself may have made during a step, in addition to the requested ones.
pub(crate) fn own_writes(step: &Step) -> f64 {
    OWN_WRITES * lasted(step).ceil()
}

/// Returns X*R over N: the sum of latencies divided by the workers' own integral of operations in flight. It is 1 if
/// Little's law holds. `None` if nothing was in flight.
pub(crate) fn ratio(total: &Interval) -> Option<f64> {
    if total.in_flight_ns == 0 {
        return None;
    }
    let waited: u128 =
        Op::ALL.iter().map(|op| total.op(*op)).map(|o| o.latency.summary().sum + o.failed.summary().sum).sum();
    Some(waited as f64 / total.in_flight_ns as f64)
}

/// Share of the threads' time from which a loss of CPU time is reported.
pub(crate) const WAITED: f64 = 0.05;
