//! ioping's outputs, as ioping 1.3 lays them out: a line for each request, the statistics, raw statistics, JSON; behind
//! them, on lines of their own, what ioping does not tell: percentiles and a histogram.
//!
//! Pure: what happened comes in as [`PingStats`](model::PingStats) and [`PingRequest`], text goes out, so that ten published times can be
//! replayed. Sums are integers and rounded when printed, as ioping rounds (docs/design/foreign-results.md, "ioping").

mod figures;
mod json;
mod live;
mod marks;
mod number;
mod percentiles;
#[cfg(test)]
mod tests;
mod text;

pub use json::{JsonTime, json_begin, json_end, json_request, json_statistics};
pub use live::{Slice, live_chart};
pub use marks::{Marks, notice};
pub use percentiles::write_percentiles;
pub use text::{host, raw, request_line, summary};

use model::{Nanos, Op};

/// A request that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PingRequest {
    /// Its number, from 1.
    pub number: u64,
    /// Which way.
    pub op: Op,
    /// Byte offset in the target.
    pub offset: u64,
    /// Bytes moved.
    pub moved: u64,
    /// How long it took, or how long after it was due it had ended.
    pub time: Nanos,
    /// What stands behind it in parentheses; also the name of its error.
    pub notice: Option<&'static str>,
    /// Whether it counts in the statistics.
    pub counts: bool,
}

/// Percentiles that are told, in percent.
pub const PERCENTILES: [f64; 4] = [50.0, 90.0, 99.0, 99.9];

/// Any time in ioping's notation: `138.8 us`.
#[must_use]
pub fn time(time: Nanos) -> String {
    number::time(time.as_nanos())
}
