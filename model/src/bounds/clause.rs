//! Clauses: bounds on figures, such as `iops>=6000` and `p99<=5ms`.

use crate::units::{UnitError, suggestion};
use crate::{BytesPerSecond, Iops, Nanos, clip};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Figure that a clause bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Operations per second, higher is better.
    Iops,
    /// Bytes per second, higher is better.
    Bandwidth,
    /// Mean latency, lower is better.
    Mean,
    /// Maximum latency, lower is better.
    Max,
    /// A latency percentile: 99.9 means p99.9.
    Percentile(f64),
    /// Device writes per update of a database, lower is better. This metric can be compared, but no clause can require
    /// it.
    DeviceWrites,
}

impl Metric {
    /// Returns `true` if larger values are better.
    #[must_use]
    pub const fn more_is_better(&self) -> bool {
        matches!(self, Metric::Iops | Metric::Bandwidth)
    }

    /// Returns the sign of a clause about the metric.
    const fn sign(&self) -> &'static str {
        if self.more_is_better() { ">=" } else { "<=" }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Iops => f.write_str("iops"),
            Metric::Bandwidth => f.write_str("mbps"),
            Metric::Mean => f.write_str("avg"),
            Metric::Max => f.write_str("max"),
            Metric::Percentile(p) => write!(f, "p{p}"),
            Metric::DeviceWrites => f.write_str("device writes"),
        }
    }
}

impl FromStr for Metric {
    type Err = UnitError;

    /// Parses `iops`, `mbps`, `avg`, `max` or `p99.9`.
    fn from_str(name: &str) -> Result<Self, UnitError> {
        Ok(match name {
            "iops" => Metric::Iops,
            "mbps" | "bw" => Metric::Bandwidth,
            "avg" | "mean" => Metric::Mean,
            "max" => Metric::Max,
            _ => match name.strip_prefix('p').and_then(|p| p.parse::<f64>().ok()) {
                Some(p) if p > 0.0 && p < 100.0 => Metric::Percentile(p),
                Some(p) => return Err(UnitError(format!("percentile {p} is not between 0 and 100"))),
                None => {
                    let hint = suggestion(name, ["iops", "mbps", "avg", "max", "p99"]);
                    return Err(UnitError(format!("unknown figure `{}`: iops mbps avg max pNN{hint}", clip(name))));
                }
            },
        })
    }
}

/// Bound of a clause, in the unit of its metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At least this many operations per second.
    Iops(Iops),
    /// At least this many bytes per second.
    Bandwidth(BytesPerSecond),
    /// At most this latency.
    Latency(Nanos),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Iops(v) => v.fmt(f),
            Bound::Bandwidth(v) => v.fmt(f),
            Bound::Latency(v) => v.fmt(f),
        }
    }
}

/// One demand: `iops>=6000`, `p99<=5ms`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clause {
    /// Bounded metric.
    pub metric: Metric,
    /// Bound: a minimum for rates, a maximum for latencies.
    pub bound: Bound,
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.metric, self.metric.sign(), self.bound)
    }
}

impl FromStr for Clause {
    type Err = UnitError;

    /// Parses `iops>=6000` or `p99<=5ms`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let split = |sign: &'static str| Some((text.split_once(sign)?, sign));
        let ((name, value), sign) = split(">=").or_else(|| split("<=")).ok_or_else(|| not_a_clause(text))?;
        let metric: Metric = name.trim().parse()?;
        if sign != metric.sign() {
            return Err(UnitError(format!("`{}`: {metric} takes `{}`", clip(text), metric.sign())));
        }
        let value = value.trim();
        let bound = match metric {
            Metric::Iops => Bound::Iops(value.parse()?),
            Metric::Bandwidth => Bound::Bandwidth(value.parse()?),
            Metric::DeviceWrites => {
                return Err(UnitError(format!("`{}`: device writes cannot be demanded", clip(text))));
            }
            _ => Bound::Latency(value.parse()?),
        };
        Ok(Clause { metric, bound })
    }
}

/// Returns the error for a clause without `>=` or `<=`, with the corrected clause if another comparison was typed.
fn not_a_clause(text: &str) -> UnitError {
    let corrected = text.split_once(['<', '>', '=']).and_then(|(name, value)| {
        let (name, value) = (name.trim(), value.trim_start_matches('=').trim());
        Some(format!("; did you mean `{name}{}{value}`?", name.parse::<Metric>().ok()?.sign()))
    });
    let hint = corrected.unwrap_or_default();
    let expected = "expected METRIC>=VALUE for a rate or METRIC<=VALUE for a latency";
    UnitError(format!("invalid clause `{}`: {expected}{hint}", clip(text)))
}
