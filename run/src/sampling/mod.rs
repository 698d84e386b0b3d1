//! Sampling during a load: counters about once per second, caps of control groups, the trace of the block layer, and
//! rates of the last windows for the display.

mod background;
mod caps;
mod rate_snapshot;
mod traced;

pub use background::{BackgroundSampler, SECOND};
pub(crate) use caps::CapWatch;
pub use rate_snapshot::{RateSnapshot, RefreshTimer};
pub use traced::RequestTap;
pub(crate) use traced::Tracing;
