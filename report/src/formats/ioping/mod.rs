//! ioping's outputs in the layout of ioping 1.3: a line for each request, the statistics, raw statistics, JSON; then,
//! on separate lines, percentiles and a histogram, which ioping does not have.
//!
//! All functions are pure: events come in as [`PingStats`](model::record::PingStats) and [`PingRequest`], text goes out, so
//! that ten published times can be replayed. Sums are integers and are rounded when printed, as in ioping
//! (docs/design/foreign-results.md, "ioping").

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

/// A completed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PingRequest {
    /// Number of the request, from 1.
    pub number: u64,
    /// Kind of operation.
    pub op: Op,
    /// Byte offset in the target.
    pub offset: u64,
    /// Number of bytes moved.
    pub moved: u64,
    /// Duration of the request, from its submission or from the time when it was due.
    pub time: Nanos,
    /// Note in parentheses after the request, such as the name of its error.
    pub notice: Option<&'static str>,
    /// True if the request counts in the statistics.
    pub counts: bool,
}

/// Percentiles that are reported, in percent.
pub const PERCENTILES: [f64; 4] = [50.0, 90.0, 99.0, 99.9];

/// Formats a time in ioping's notation: `138.8 us`.
#[must_use]
pub fn time(time: Nanos) -> String {
    number::time(time.as_nanos())
}
