//! Exhaustion of the CPU allowance, and stops by the control group.

use crate::levels::figures::Level;
use model::RunRecord;

/// Share of a thread's or the allowance's CPU time above which it counts as used up: scheduling takes the rest.
pub(super) const USED_UP: f64 = 0.85;

/// Length of a CPU bandwidth period, in seconds: the kernel's default. The record counts throttled periods, not their
/// length.
const CFS_PERIOD: f64 = 0.1;

/// Returns the share of CPU bandwidth periods in which the control group stopped us.
pub(super) fn throttled_share(record: &RunRecord, level: &Level) -> f64 {
    let (mut periods, mut throttled) = (0.0, 0.0);
    for step in level.steps.iter().map(|i| &record.steps[*i]) {
        if let Some(end) = &step.end {
            periods += end.at.since(step.start).secs() / CFS_PERIOD;
            throttled += end.cpu_throttled as f64;
        }
    }
    if periods > 0.0 { throttled / periods } else { 0.0 }
}
