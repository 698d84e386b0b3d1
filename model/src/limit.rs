//! Limits: what the storage was sold as, or what this machine allows.

use crate::{Bytes, BytesPerSecond, Iops, Op, UnitError, clip, nearest};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where a limit row comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitSource {
    /// Given by the user with `--limit`, as typed.
    Declared(String),
    /// Found in a control group; the file and the line read.
    Cgroup {
        /// Path of the file the row was read from.
        file: String,
    },
    /// From the catalogue.
    Catalog {
        /// Document the figure was published in.
        source: String,
        /// Its date.
        date: String,
    },
}

/// A cap on operations per second, bytes per second, or both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// What is capped: `volume`, `instance`, `cgroup`, or any name the user gave.
    pub name: String,
    /// Only this operation; `None` = all together.
    pub op: Option<Op>,
    /// Only this one of several targets, by its name; `None` = all of them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Operations per second.
    pub iops: Option<Iops>,
    /// Bytes per second.
    pub bandwidth: Option<BytesPerSecond>,
    /// Where it comes from.
    pub source: LimitSource,
}

/// One axis of a limit: each is a constraint of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitAxis {
    /// Operations per second.
    Iops,
    /// Bytes per second.
    Bandwidth,
}

impl Limit {
    /// What this limit allows, in operations per second, for a workload whose mean size is `mean_bytes` and whose
    /// share of operations this limit touches is `share` (1 for a limit on all operations): one entry per axis.
    #[must_use]
    pub fn allows(&self, mean_bytes: f64, share: f64) -> Vec<(LimitAxis, Iops)> {
        let mut out = Vec::with_capacity(2);
        if share <= 0.0 {
            return out;
        }
        if let Some(iops) = self.iops {
            out.push((LimitAxis::Iops, Iops(iops.0 / share)));
        }
        if let Some(bandwidth) = self.bandwidth {
            out.push((LimitAxis::Bandwidth, Iops(bandwidth.0 / mean_bytes / share)));
        }
        out
    }

    /// The block size at which bandwidth takes over from IOPS, if both are capped.
    #[must_use]
    pub fn crossover(&self) -> Option<Bytes> {
        match (self.iops, self.bandwidth) {
            (Some(iops), Some(bw)) if iops.0 > 0.0 => Some(Bytes((bw.0 / iops.0) as u64)),
            _ => None,
        }
    }
}

impl FromStr for Limit {
    type Err = UnitError;

    /// `NAME [read|write] [on=TARGET] [iops=N] [mbps=BANDWIDTH]`, for example `volume iops=6000 mbps=125MiB`.
    ///
    /// In `mbps=` a bare number is refused: megabytes decimal or binary, or megabits, differ by up to a factor of eight.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let mut words = text.split([' ', '\t', ',']).filter(|w| !w.is_empty());
        let name = words
            .next()
            .filter(|w| !w.contains('='))
            .ok_or_else(|| {
                UnitError(format!(
                    "limit `{}` has no name: NAME [read|write] iops=N mbps=BANDWIDTH, as in `volume iops=6000 mbps=125MiB`",
                    clip(text)
                ))
            })?
            .to_owned();
        let mut limit = Limit {
            name,
            op: None,
            on: None,
            iops: None,
            bandwidth: None,
            source: LimitSource::Declared(text.trim().to_owned()),
        };
        for word in words {
            let in_limit = |e: UnitError| UnitError(format!("limit `{}`: {e}", clip(text)));
            match word.split_once('=') {
                None if word == "read" => limit.op = Some(Op::Read),
                None if word == "write" => limit.op = Some(Op::Write),
                Some(("on", v)) if limit.on.is_none() && !v.is_empty() => limit.on = Some(v.to_owned()),
                Some(("iops", v)) if limit.iops.is_none() => limit.iops = Some(v.parse().map_err(in_limit)?),
                Some(("mbps" | "bw", v)) if limit.bandwidth.is_none() => {
                    limit.bandwidth = Some(v.parse().map_err(in_limit)?);
                }
                Some(("on", "")) => return Err(in_limit(UnitError("`on=` names no target".to_owned()))),
                Some((key @ ("iops" | "mbps" | "bw" | "on"), _)) => {
                    return Err(in_limit(UnitError(format!("`{key}` is given twice"))));
                }
                other => {
                    let key = other.map_or(word, |(k, _)| k);
                    let hint = nearest(key, ["iops", "mbps", "bw", "on", "read", "write"])
                        .map(|n| format!("; did you mean `{n}`?"))
                        .unwrap_or_default();
                    return Err(in_limit(UnitError(format!(
                        "unknown word `{}`; iops=N, mbps=BANDWIDTH, on=TARGET, read or write are allowed{hint}",
                        clip(word)
                    ))));
                }
            }
        }
        let positive = |v: Option<f64>| v.is_none_or(|v| v > 0.0);
        if limit.iops.is_none() && limit.bandwidth.is_none() {
            return Err(UnitError(format!("limit `{}` caps nothing: give iops=N or mbps=BANDWIDTH", clip(text))));
        }
        if !positive(limit.iops.map(|v| v.0)) || !positive(limit.bandwidth.map(|v| v.0)) {
            return Err(UnitError(format!("limit `{}`: a cap must be above zero", clip(text))));
        }
        Ok(limit)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(op) = self.op {
            write!(f, " {op}")?;
        }
        if let Some(on) = &self.on {
            write!(f, " of {on}")?;
        }
        if let Some(iops) = self.iops {
            write!(f, " {iops} IOPS")?;
        }
        if let Some(bandwidth) = self.bandwidth {
            write!(f, " {bandwidth}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_limits_of_the_issue_parse() {
        let volume: Limit = "volume iops=6000 mbps=125MiB".parse().unwrap();
        assert_eq!(volume.iops, Some(Iops(6000.0)));
        assert_eq!(volume.bandwidth, Some(BytesPerSecond(131_072_000.0)));
        let instance: Limit = "instance mbps=93.75MB".parse().unwrap();
        assert_eq!(instance.iops, None);
        assert_eq!(instance.allows(16384.0, 1.0), [(LimitAxis::Bandwidth, Iops(93_750_000.0 / 16384.0))]);
    }

    #[test]
    fn a_limit_on_reads_leaves_room_in_a_mix() {
        let reads: Limit = "disk read iops=6000".parse().unwrap();
        assert_eq!(reads.allows(8192.0, 0.5), [(LimitAxis::Iops, Iops(12000.0))]);
        assert!(reads.allows(8192.0, 0.0).is_empty());
    }

    #[test]
    fn the_crossover_of_m4_xlarge_is_15_kib() {
        let l: Limit = "instance iops=6000 mbps=93.75MB".parse().unwrap();
        assert_eq!(l.crossover(), Some(Bytes(15625)));
    }

    #[test]
    fn mistakes_are_named() {
        let message = |t: &str| t.parse::<Limit>().unwrap_err().0;
        assert!(message("iops=6000").contains("has no name"));
        assert!(message("volume").contains("caps nothing"));
        assert!(message("volume iosp=6000").contains("did you mean `iops`?"));
        assert!(message("volume mbps=125").contains("no unit"));
        assert!(message("volume iops=0").contains("above zero"));
        assert!(message("volume iops=1 iops=2").contains("given twice"));
        assert!(message("volume on= iops=1").contains("names no target"));
    }
}
