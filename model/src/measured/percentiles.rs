//! Percentiles as fields of JSON documents: a number, or `null` with the reason in the next field.

use super::Percentile;
use crate::Nanos;
use serde::{Deserialize, Serialize};

/// Reason why a figure is not reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NoFigure {
    /// Fewer than 10 samples lie beyond the percentile.
    TooFewSamples,
    /// The recording is shorter than one interval.
    TooShort,
}

impl Percentile {
    /// Returns the reason why the percentile is not reported.
    #[must_use]
    pub fn reason(self) -> Option<NoFigure> {
        (self == Percentile::TooFew).then_some(NoFigure::TooFewSamples)
    }

    fn from_value(value: Option<Nanos>) -> Percentile {
        value.map_or(Percentile::TooFew, Percentile::Value)
    }
}

/// Defines a module with which serde writes the field of a percentile, and the fields for its schema.
macro_rules! field {
    ($module:ident, $fields:ident, $value:ident, $reason:ident, $help:literal) => {
        #[doc = $help]
        pub mod $module {
            use super::*;
            use serde::{Deserializer, Serializer};

            /// Fields of the percentile.
            #[derive(Serialize, Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            pub struct $fields {
                #[doc = $help]
                $value: Option<Nanos>,
                /// Reason why the percentile before this field is `null`.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                $reason: Option<NoFigure>,
            }

            /// Writes the fields.
            ///
            /// # Errors
            /// Returns an error if the serializer fails.
            pub fn serialize<S: Serializer>(percentile: &Percentile, to: S) -> Result<S::Ok, S::Error> {
                $fields { $value: percentile.value(), $reason: percentile.reason() }.serialize(to)
            }

            /// Reads the fields.
            ///
            /// # Errors
            /// Returns an error if the field is missing or is not a number.
            pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Percentile, D::Error> {
                $fields::deserialize(from).map(|fields| Percentile::from_value(fields.$value))
            }
        }
    };
}

field!(p50, P50, p50, p50_reason, "Median latency; `null` if it is not reported.");
field!(p95, P95, p95, p95_reason, "95th percentile of the latencies; `null` if it is not reported.");
field!(p99, P99, p99, p99_reason, "99th percentile of the latencies; `null` if it is not reported.");
field!(p999, P999, p999, p999_reason, "99.9th percentile of the latencies; `null` if it is not reported.");

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Figures {
        ops: u64,
        #[serde(flatten, with = "p50")]
        p50: Percentile,
        #[serde(flatten, with = "p999")]
        p999: Percentile,
        max: Nanos,
    }

    #[test]
    fn a_percentile_is_a_number_or_null_with_its_reason() {
        let figures = Figures { ops: 30, p50: Percentile::Value(Nanos(7)), p999: Percentile::TooFew, max: Nanos(9) };
        let text = serde_json::to_string(&figures).unwrap();
        assert_eq!(text, r#"{"ops":30,"p50":7,"p999":null,"p999_reason":"too_few_samples","max":9}"#);
        assert_eq!(serde_json::from_str::<Figures>(&text).unwrap(), figures);
    }
}
