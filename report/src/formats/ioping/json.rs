//! ioping's JSON: one array with an object for each request and for each set of statistics.

use super::figures::Figures;
use super::{PERCENTILES, PingRequest};
use model::Op;
use model::record::{PingPlace, PingStats};
use std::fmt::Write;

/// Time of an event, for the head of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonTime {
    /// Seconds since 1970.
    pub seconds: f64,
    /// Local time as ISO 8601.
    pub local: String,
}

/// Appends the beginning of the document.
pub fn json_begin(out: &mut String) {
    out.push('[');
}

/// Appends the end of the document.
pub fn json_end(out: &mut String) {
    out.push_str("]\n");
}

fn text(value: &str) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "\"\"".to_owned())
}

fn head(first: bool, at: &JsonTime, place: &PingPlace, out: &mut String) {
    let comma = if first { "" } else { "," };
    let (path, fs, device) = (text(&place.path), text(&place.fs), text(&place.device));
    let host = if place.host.is_empty() { String::new() } else { format!("\n    \"host\": {},", text(&place.host)) };
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "{comma}{{\n  \"timestamp\": {:.6},\n  \"localtime\": {},\n  \"target\": {{{host}\n    \"path\": {path},\n    \
         \"fstype\": {fs},\n    \"device\": {device},\n    \"device_size\": {}\n  }},\n",
        at.seconds,
        text(&at.local),
        place.size.as_u64()
    );
}

/// Appends one request.
pub fn json_request(first: bool, at: &JsonTime, place: &PingPlace, request: &PingRequest, out: &mut String) {
    head(first, at, place, out);
    let _ = write!(
        out,
        "  \"io\": {{\n    \"request\": {},\n    \"operation\": \"{}\",\n    \"offset\": {},\n    \"size\": {},\n    \
         \"time\": {},\n    \"ignored\": {}\n  }}\n}}",
        request.number,
        if request.op == Op::Write { "write" } else { "read" },
        request.offset,
        request.moved,
        request.time.as_nanos(),
        !request.counts
    );
}

/// Appends the statistics of a stretch of requests; `beyond` adds percentiles (null for a percentile with fewer than
/// ten slower requests).
pub fn json_statistics(
    first: bool,
    at: &JsonTime,
    place: &PingPlace,
    (stats, block): (&PingStats, u64),
    beyond: bool,
    out: &mut String,
) {
    head(first, at, place, out);
    let f = Figures::new(stats, block);
    let _ = write!(
        out,
        "  \"stat\": {{\n    \"count\": {},\n    \"size\": {},\n    \"time\": {:.0},\n    \"iops\": {:.6},\n    \
         \"bps\": {:.0},\n    \"min\": {},\n    \"avg\": {:.0},\n    \"max\": {},\n    \"mdev\": {:.0}\n  }},\n",
        f.valid, f.size, f.sum, f.iops, f.speed, f.min, f.avg, f.max, f.mdev
    );
    let _ = write!(
        out,
        "  \"load\": {{\n    \"count\": {},\n    \"size\": {},\n    \"time\": {},\n    \"iops\": {:.6},\n    \
         \"bps\": {:.0}\n  }}",
        f.count, f.load_size, f.load_time, f.load_iops, f.load_speed
    );
    if beyond {
        let figures: Vec<String> = PERCENTILES
            .iter()
            .map(|p| {
                let value = stats.times.percentile(*p).value();
                format!("\"p{p}\": {}", value.map_or("null".to_owned(), |v| v.as_nanos().to_string()))
            })
            .collect();
        let _ = write!(out, ",\n  \"percentiles\": {{ {} }}", figures.join(", "));
    }
    out.push_str("\n}");
}
