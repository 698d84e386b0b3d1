//! The figures of a stretch of requests, computed from exact sums (docs/design/foreign-results.md, "ioping").

use model::{measured::Summary, record::PingStats};

/// Results of ioping's `finish_statistics`.
pub(super) struct Figures {
    /// Number of requests that count, followed by the sum of their times in nanoseconds, or by the wall time if
    /// requests overlap.
    pub valid: u64,
    pub sum: f64,
    /// Total bytes of the requests that count.
    pub size: u64,
    /// Reciprocal of the mean time. It is an actual rate only if requests follow each other without pause.
    pub iops: f64,
    pub speed: f64,
    pub min: u64,
    pub avg: f64,
    pub max: u64,
    pub mdev: f64,
    /// Number of all completed requests; the rates below divide by wall time.
    pub count: u64,
    pub load_size: u64,
    pub load_time: u64,
    pub load_iops: f64,
    pub load_speed: f64,
}

impl Figures {
    pub fn new(stats: &PingStats, block: u64) -> Figures {
        let times = stats.times.summary();
        let per_second = |n: u64, ns: f64| if ns > 0.0 { 1e9 * n as f64 / ns } else { 0.0 };
        let load_time = stats.length().as_nanos();
        // If requests are timed from when they were due, their times overlap and can add up to more than the wall time.
        // The sum is then limited to the wall time.
        let overlap = load_time > 0 && times.sum > u128::from(load_time);
        let sum = if overlap { load_time as f64 } else { times.sum as f64 };
        let iops = per_second(times.count, sum);
        let load_iops = per_second(stats.count, load_time as f64);
        Figures {
            valid: times.count,
            sum,
            size: times.count.saturating_mul(block),
            iops,
            speed: iops * block as f64,
            min: times.min,
            avg: times.mean().unwrap_or(0.0),
            max: times.max,
            mdev: deviation(times),
            count: stats.count,
            load_size: stats.count.saturating_mul(block),
            load_time,
            load_iops,
            load_speed: load_iops * block as f64,
        }
    }
}

/// Returns `sqrt(E[x^2] - E[x]^2)` of the population. Uses integers, `(n*sum(x^2) - sum(x)^2) / n^2`, as long as they
/// do not overflow: the difference of two doubles could be negative if all times are nearly equal.
fn deviation(times: &Summary) -> f64 {
    if times.count == 0 {
        return 0.0;
    }
    let n = u128::from(times.count);
    let exact = || Some(n.checked_mul(times.sum_sq)?.saturating_sub(times.sum.checked_mul(times.sum)?));
    match exact() {
        Some(difference) => (difference as f64).sqrt() / times.count as f64,
        None => times.stddev().unwrap_or(0.0),
    }
}
