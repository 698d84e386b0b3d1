//! Conversion of a histogram's figure to a value, and of a parameter to text.

use messages::sentence;
use model::{LatencyHistogram, Sentence, bounds::Metric, measured::Percentile};

pub(super) fn latency_value(latency: &LatencyHistogram, metric: Metric) -> Result<f64, Sentence> {
    let none = || sentence!("nothing-completed");
    match metric {
        Metric::Mean => latency.mean().map(|m| m.as_nanos() as f64).ok_or_else(none),
        Metric::Max => latency.max().map(|m| m.as_nanos() as f64).ok_or_else(none),
        Metric::Percentile(p) => match latency.percentile(p) {
            Percentile::Value(value) => Ok(value.as_nanos() as f64),
            Percentile::TooFew => {
                Err(sentence!("too-few-operations", n = latency.count(), percentile = format!("p{p}")))
            }
        },
        Metric::Iops | Metric::Bandwidth | Metric::DeviceWrites => Err(sentence!("no-latency")),
    }
}

/// Formats a value as in a record; `none` for a missing one.
pub(super) fn format_value(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::Null) | Err(_) => "none".to_owned(),
        Ok(serde_json::Value::String(text)) => text,
        Ok(serde_json::Value::Array(list)) if list.is_empty() => "none".to_owned(),
        Ok(other) => other.to_string(),
    }
}
