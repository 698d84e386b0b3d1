//! Alerts of a watch: a figure of a device, or the utilisation of a cap, that stays beyond a bound for some time.

use crate::text::{Message, Said};
use crate::units::{UnitError, suggestion, thousands};
use crate::{BytesPerSecond, Iops, Nanos, clip};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A figure that an alert bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AlertFigure {
    /// Operations per second, reads and writes together.
    Iops,
    /// Reads per second.
    ReadIops,
    /// Writes per second.
    WriteIops,
    /// Bytes per second, reads and writes together.
    Bandwidth,
    /// Bytes read per second.
    ReadBandwidth,
    /// Bytes written per second.
    WriteBandwidth,
    /// Mean time of the requests in a sample, including queueing; weighted by the numbers of reads and writes.
    Await,
    /// Mean time of reads.
    ReadAwait,
    /// Mean time of writes.
    WriteAwait,
    /// 99th percentile of the device's service time, from dispatch to completion of a request; needs a block trace.
    P99,
    /// Mean number of requests in flight.
    Queue,
    /// Percentage of time with at least one request in flight.
    Busy,
    /// Used percentage of a cap.
    Cap,
}

/// All figures with their names as typed.
const FIGURES: [(AlertFigure, &str); 13] = [
    (AlertFigure::Iops, "iops"),
    (AlertFigure::ReadIops, "r_iops"),
    (AlertFigure::WriteIops, "w_iops"),
    (AlertFigure::Bandwidth, "mbps"),
    (AlertFigure::ReadBandwidth, "r_mbps"),
    (AlertFigure::WriteBandwidth, "w_mbps"),
    (AlertFigure::Await, "await"),
    (AlertFigure::ReadAwait, "r_await"),
    (AlertFigure::WriteAwait, "w_await"),
    (AlertFigure::P99, "p99"),
    (AlertFigure::Queue, "queue"),
    (AlertFigure::Busy, "busy"),
    (AlertFigure::Cap, "cap"),
];

impl AlertFigure {
    /// Parses a value in the unit of the figure: operations or bytes per second, nanoseconds, requests, percent.
    fn value(self, text: &str) -> Result<f64, UnitError> {
        use AlertFigure as F;
        Ok(match self {
            F::Iops | F::ReadIops | F::WriteIops => text.parse::<Iops>()?.per_second(),
            F::Bandwidth | F::ReadBandwidth | F::WriteBandwidth => text.parse::<BytesPerSecond>()?.per_second(),
            F::Await | F::ReadAwait | F::WriteAwait | F::P99 => text.parse::<Nanos>()?.as_nanos() as f64,
            F::Queue => text.parse::<Iops>()?.per_second(),
            F::Busy | F::Cap => {
                let number = text.strip_suffix('%').unwrap_or(text).trim();
                let percent = number.parse::<f64>().ok().filter(|p| (0.0..=1000.0).contains(p));
                percent.ok_or_else(|| UnitError(format!("`{}` is not a percentage such as 95%", clip(text))))?
            }
        })
    }

    /// Returns `true` for latencies, whose values are in nanoseconds.
    #[must_use]
    pub fn is_latency(self) -> bool {
        matches!(self, AlertFigure::Await | AlertFigure::ReadAwait | AlertFigure::WriteAwait | AlertFigure::P99)
    }

    /// Formats a value with its unit.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        use AlertFigure as F;
        match self {
            F::Iops | F::ReadIops | F::WriteIops => format!("{} IOPS", thousands(value)),
            F::Bandwidth | F::ReadBandwidth | F::WriteBandwidth => BytesPerSecond(value).to_string(),
            F::Await | F::ReadAwait | F::WriteAwait | F::P99 => Nanos(value.max(0.0).round() as u64).to_string(),
            F::Queue => format!("{value:.1} in flight"),
            F::Busy | F::Cap => format!("{value:.0} %"),
        }
    }
}

impl fmt::Display for AlertFigure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FIGURES.iter().find(|(figure, _)| figure == self).map_or("", |(_, name)| name))
    }
}

/// An alert: `await>20ms for 30s on=data`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alert {
    /// Text as typed.
    pub text: String,
    /// Figure that the alert checks.
    pub figure: AlertFigure,
    /// True if the alert is for values above the bound, false for values below it.
    pub above: bool,
    /// Bound in operations or bytes per second, nanoseconds, requests or percent.
    pub bound: f64,
    /// Time for which the figure must be beyond the bound without interruption; 0 = one sample is enough.
    pub lasting: Nanos,
    /// Roles, devices or caps that are checked; empty = all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
}

impl Alert {
    /// Returns `true` if a value is beyond the bound.
    #[must_use]
    pub fn is_beyond(&self, value: f64) -> bool {
        if self.above { value > self.bound } else { value < self.bound }
    }
}

impl FromStr for Alert {
    type Err = UnitError;

    /// Parses `FIGURE>VALUE` or `FIGURE<VALUE`, followed by `for TIME` and `on=NAME`: `await>20ms for 30s on=data`,
    /// `cap>95% for 1m`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let fail = |why: String| UnitError(format!("alert `{}`: {why}", clip(text.trim())));
        let expected = "expected FIGURE>VALUE or FIGURE<VALUE, as in `await>20ms for 30s`";
        let at = text.find(['>', '<']).ok_or_else(|| fail(expected.into()))?;
        let (name, rest) = (text[..at].trim(), &text[at + 1..]);
        let above = text[at..].starts_with('>');
        // `>=` is treated as `>`, because measured figures are practically never equal to the bound.
        let rest = rest.strip_prefix('=').unwrap_or(rest);
        let figure = FIGURES.iter().find(|(_, n)| *n == name).map(|(figure, _)| *figure).ok_or_else(|| {
            let names = FIGURES.map(|(_, n)| n);
            let hint = suggestion(name, names);
            fail(format!("unknown figure `{}`: {}{hint}", clip(name), names.join(" ")))
        })?;
        let mut words = rest.split_whitespace();
        let value = words.next().ok_or_else(|| fail(expected.into()))?;
        let bound = figure.value(value).map_err(|e| fail(e.0))?;
        let mut alert = Alert { text: text.trim().to_owned(), figure, above, bound, lasting: Nanos(0), on: Vec::new() };
        while let Some(word) = words.next() {
            if word == "for" {
                let time = words.next().ok_or_else(|| fail("a time must follow `for`, as in `for 30s`".into()))?;
                alert.lasting = time.parse().map_err(|e: UnitError| fail(e.0))?;
            } else if let Some(names) = word.strip_prefix("on=").filter(|n| !n.is_empty()) {
                alert.on = names.split(',').map(str::to_owned).collect();
            } else {
                return Err(fail(format!("`{}` is neither `for TIME` nor `on=NAME`", clip(word))));
            }
        }
        Ok(alert)
    }
}

impl fmt::Display for Alert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An alert that was triggered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alarm {
    /// Text of the alert as typed.
    pub alert: String,
    /// Figure that the alert checks.
    pub figure: AlertFigure,
    /// Device or cap for which the alert was triggered.
    pub of: String,
    /// Time at which the alert was triggered, on the run's clock.
    pub at: Nanos,
    /// Time since which the figure was beyond the bound.
    pub since: Nanos,
    /// Time at which the figure was back within the bound; `None` = not before the watch ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Nanos>,
    /// Value furthest beyond the bound.
    pub worst: f64,
}

impl Alarm {
    /// Returns a message: `data (vda): await 31.0 ms (await>20ms for 30s)`.
    #[must_use]
    pub fn to_message(&self) -> Message {
        let worst = match self.figure {
            AlertFigure::Queue => Message::new("alarm-queue").put("n", format!("{:.1}", self.worst)).into(),
            figure => Said::from(figure.format(self.worst)),
        };
        let named = Message::new("alarm-told").put("of", &self.of).put("figure", self.figure.to_string());
        named.put("worst", worst).put("alert", &self.alert)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(text: &str) -> Alert {
        text.parse().unwrap_or_else(|e: UnitError| panic!("{e}"))
    }

    #[test]
    fn alerts_are_read_with_their_units() {
        let a = alert("p99>20ms for 30s");
        assert_eq!((a.figure, a.above, a.bound, a.lasting), (AlertFigure::P99, true, 2e7, Nanos::from_secs(30)));
        let a = alert("r_mbps < 93.75MB for 1m on=data,journal");
        assert_eq!((a.figure, a.above, a.bound), (AlertFigure::ReadBandwidth, false, 93.75e6));
        assert_eq!(a.on, ["data", "journal"]);
        assert_eq!((alert("iops>=6k").bound, alert("cap>95%").bound, alert("busy>95").bound), (6000.0, 95.0, 95.0));
        assert!(alert("iops>10").is_beyond(10.5) && !alert("iops>10").is_beyond(10.0));
        assert!(alert("iops<10").is_beyond(9.0) && !alert("iops<10").is_beyond(11.0));
    }

    #[test]
    fn mistakes_are_named() {
        let message = |t: &str| t.parse::<Alert>().unwrap_err().0;
        assert!(message("await 20ms").contains("FIGURE>VALUE"));
        assert!(message("awiat>20ms").contains("did you mean `await`?"));
        assert!(message("await>20").contains("no unit of time"));
        assert!(message("mbps>20").contains("no unit"));
        assert!(message("iops>10 for").contains("a time must follow"));
        assert!(message("iops>10 for 10").contains("no unit of time"));
        assert!(message("iops>10 data").contains("neither `for TIME` nor `on=NAME`"));
        assert!(message("cap>full").contains("not a percentage"));
        assert!(message("iops>").contains("expected"));
    }

    #[test]
    fn every_figure_reads_its_own_name_back() {
        for (figure, name) in FIGURES {
            assert_eq!(figure.to_string(), name);
            let value = if figure.value("5").is_ok() {
                "5"
            } else if figure.value("5ms").is_ok() {
                "5ms"
            } else {
                "5MB"
            };
            assert_eq!(alert(&format!("{name}>{value}")).figure, figure);
        }
    }
}
