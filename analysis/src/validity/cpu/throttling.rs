//! When the CPU that our threads may use is used up, and how often their control group stopped them.

use crate::levels::figures::Level;
use model::RunRecord;

/// A thread, or the whole allowance, used beyond this share is used up: scheduling takes the rest.
pub(super) const USED_UP: f64 = 0.85;

/// Length of a CPU bandwidth period: the kernel's default. The record counts throttled periods, not their length.
const CFS_PERIOD: f64 = 0.1;

/// Share of CPU bandwidth periods in which the control group stopped us.
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
