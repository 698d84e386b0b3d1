//! Plans that are created from requests of the user: qualifications, marks and others. `job` creates the plans of job
//! files.

pub mod durable;
pub mod hydration;
pub mod mark;
pub mod metadata;
pub mod qualify;
pub mod sharing;
pub mod write_bound;

use model::{Nanos, plan::StopRule};

/// Returns the rule of a stage that ends after a number of operations, and has no time limit.
fn after(ops: u64) -> StopRule {
    StopRule { ramp: Nanos(0), time: Nanos::from_days(365), steady_after: None, max_ops: Some(ops) }
}
