//! Limits: the performance the storage was sold with, or that this machine allows.

use crate::units::{UnitError, suggestion};
use crate::{Bytes, BytesPerSecond, Iops, Nanos, Op, clip};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Source of a limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitSource {
    /// Given by the user with `--limit`, as typed.
    Declared(String),
    /// Found in a control group.
    Cgroup {
        /// Path of the file the row was read from.
        file: String,
    },
    /// Taken from the catalogue.
    Catalog {
        /// Document the figure was published in.
        source: String,
        /// Date of the document, `YYYY-MM-DD`; empty if it has none.
        date: String,
        /// Row with its parameters: `aws/gp3:size=2000GiB,iops=6000,mbps=125`.
        #[serde(default)]
        row: String,
    },
}

/// Scope of a limit: one volume, all volumes of an instance together, or a path shared with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitScope {
    /// Not specified.
    #[default]
    Unsaid,
    /// One volume.
    Volume,
    /// Everything that one instance reads and writes.
    Instance,
    /// A path shared with others.
    Shared,
}

/// Rule by which a limit counts operations larger or smaller than its unit (docs/design/limits.md, "How a cap counts").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Charging {
    /// Size of the largest operation that counts as one; larger operations count as several.
    pub unit: Bytes,
    /// True if sequential operations below the unit are merged up to it, so that more operations than the cap can be
    /// issued.
    pub merges: bool,
    /// True if non-sequential operations below the unit count as a whole unit of bytes.
    pub whole: bool,
}

impl Charging {
    /// Returns the number of operations charged for one of `bytes` bytes.
    #[must_use]
    pub fn ops(&self, bytes: f64) -> f64 {
        (bytes / self.unit.as_u64().max(1) as f64).ceil().max(1.0)
    }
}

/// A rate above a cap that is available for a limited time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Burst {
    /// Rate during the burst, in the unit of the axis: operations or bytes per second.
    pub rate: f64,
    /// Rule for how long the burst is available.
    pub lasts: BurstLasts,
}

/// Rule for the duration of a burst.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BurstLasts {
    /// Until a bucket is empty. Rates above the cap drain it, and rates below the cap fill it.
    Bucket {
        /// Capacity of the bucket, in operations or bytes.
        capacity: f64,
    },
    /// For a fixed time at the full rate.
    Time {
        /// Time at the full rate.
        time: Nanos,
        /// Interval at which the time is granted again, if published.
        every: Option<Nanos>,
    },
}

impl Burst {
    /// Returns the capacity of the bucket above a cap of `base`, in operations or bytes. A published time is the time
    /// at the full burst rate.
    #[must_use]
    pub fn capacity(&self, base: f64) -> f64 {
        match self.lasts {
            BurstLasts::Bucket { capacity } => capacity,
            BurstLasts::Time { time, .. } => time.secs() * (self.rate - base).max(0.0),
        }
    }

    /// Returns the credits that are granted per second below a cap of `base`, if they are published; `None` if the
    /// unused part of the cap fills the bucket.
    #[must_use]
    pub fn granted(&self, base: f64) -> Option<f64> {
        match self.lasts {
            BurstLasts::Time { every: Some(every), .. } => Some(self.capacity(base) / every.secs().max(1.0)),
            _ => None,
        }
    }

    /// Returns how long a full bucket sustains the rate `x` above a cap of `base`: capacity / (x - base), in seconds.
    #[must_use]
    pub fn seconds_at(&self, x: f64, base: f64) -> f64 {
        if x <= base { f64::INFINITY } else { self.capacity(base) / (x - base) }
    }

    /// Returns how long an idle volume takes to fill an empty bucket, in seconds: capacity / base, or the published
    /// value.
    #[must_use]
    pub fn refill_seconds(&self, base: f64) -> Option<f64> {
        match self.lasts {
            BurstLasts::Bucket { capacity } => (base > 0.0).then(|| capacity / base),
            BurstLasts::Time { every, .. } => every.map(Nanos::secs),
        }
    }
}

/// A cap on operations per second, bytes per second, or both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limit {
    /// Name of the capped object: `volume`, `instance`, `cgroup`, or any name given by the user.
    pub name: String,
    /// Operation the limit applies to; `None` = all operations together.
    pub op: Option<Op>,
    /// Names of the targets the limit applies to if there are several; it applies to their sum. Empty = all targets
    /// together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
    /// Operations per second.
    pub iops: Option<Iops>,
    /// Bytes per second.
    pub bandwidth: Option<BytesPerSecond>,
    /// Source of the limit.
    pub source: LimitSource,
    /// Scope of the limit.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub scope: LimitScope,
    /// Rule for counting operations; `None` = each counts as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charging: Option<Charging>,
    /// Burst above `iops`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_iops: Option<Burst>,
    /// Burst above `bandwidth`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_bandwidth: Option<Burst>,
    /// Share of the cap that the vendor promises to deliver, if below 1: 0.9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promised: Option<f64>,
}

/// One axis of a limit; each is a separate constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitAxis {
    /// Operations per second.
    Iops,
    /// Share of the cap that the vendor promises to deliver, for example 0.9, if below 1.
    Bandwidth,
}

impl LimitAxis {
    /// Returns the name of the axis.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LimitAxis::Iops => "IOPS",
            LimitAxis::Bandwidth => "bandwidth",
        }
    }
}

impl Limit {
    /// Creates a limit of this name that caps nothing yet.
    #[must_use]
    pub fn new(name: impl Into<String>, source: LimitSource) -> Limit {
        Limit {
            name: name.into(),
            op: None,
            on: Vec::new(),
            iops: None,
            bandwidth: None,
            source,
            scope: LimitScope::Unsaid,
            charging: None,
            burst_iops: None,
            burst_bandwidth: None,
            promised: None,
        }
    }

    /// Returns the rate that the limit allows on each capped axis, in operations per second, for a workload with a mean
    /// size of `mean_bytes`. `share` is the share of its operations that the limit applies to (1 for a limit on all
    /// operations).  Bursts and merging are not considered.
    #[must_use]
    pub fn allows(&self, mean_bytes: f64, share: f64) -> Vec<(LimitAxis, Iops)> {
        let axes = [LimitAxis::Iops, LimitAxis::Bandwidth].into_iter();
        axes.filter_map(|axis| Some((axis, self.allows_on(axis, self.cap(axis)?, mean_bytes, share, false)?))).collect()
    }

    /// Returns the cap on one axis, in the unit of the axis.
    #[must_use]
    pub fn cap(&self, axis: LimitAxis) -> Option<f64> {
        match axis {
            LimitAxis::Iops => self.iops.map(|v| v.per_second()),
            LimitAxis::Bandwidth => self.bandwidth.map(|v| v.per_second()),
        }
    }

    /// Returns the name of the cap on one axis: `volume IOPS`, `instance read bandwidth`.
    #[must_use]
    pub fn axis_name(&self, axis: LimitAxis) -> String {
        let op = self.op.map(|op| format!("{op} ")).unwrap_or_default();
        format!("{} {op}{}", self.name, axis.name())
    }

    /// Returns the burst above the cap on one axis, or `None` if the cap is at least as high.
    #[must_use]
    pub fn burst(&self, axis: LimitAxis) -> Option<Burst> {
        let burst = match axis {
            LimitAxis::Iops => self.burst_iops,
            LimitAxis::Bandwidth => self.burst_bandwidth,
        };
        burst.filter(|b| self.cap(axis).is_some_and(|cap| b.rate > cap))
    }

    /// Returns the operations per second that a rate of `rate` on `axis` allows the workload; the rate may be the cap
    /// or a burst. `merged` assumes that adjacent sequential operations are merged if the limit merges them. Returns
    /// `None` if the limit does not apply to the workload.
    #[must_use]
    pub fn allows_on(&self, axis: LimitAxis, rate: f64, mean_bytes: f64, share: f64, merged: bool) -> Option<Iops> {
        (share > 0.0).then(|| Iops(rate / self.charged(axis, mean_bytes, merged) / share))
    }

    /// Returns the charge for one operation of `mean_bytes` on `axis`, in operations or bytes.
    #[must_use]
    pub fn charged(&self, axis: LimitAxis, mean_bytes: f64, merged: bool) -> f64 {
        match (axis, self.charging) {
            (LimitAxis::Iops, None) => 1.0,
            (LimitAxis::Iops, Some(c)) if merged && c.merges => mean_bytes / c.unit.as_u64().max(1) as f64,
            (LimitAxis::Iops, Some(c)) => c.ops(mean_bytes),
            (LimitAxis::Bandwidth, Some(c)) if c.whole && !merged => c.ops(mean_bytes) * c.unit.as_u64() as f64,
            (LimitAxis::Bandwidth, _) => mean_bytes,
        }
    }

    /// Returns the block size above which bandwidth is the tighter cap, if both axes are capped.
    #[must_use]
    pub fn crossover(&self) -> Option<Bytes> {
        let iops = self.iops.filter(|iops| iops.per_second() > 0.0)?;
        Some(Bytes((self.bandwidth?.per_second() / iops.per_second()) as u64))
    }
}

/// Parses `CAP` or `COUNT*CAP`. Returns the count, 1 to 1,000, and the cap of one volume.
fn product<T: FromStr<Err = UnitError>>(text: &str) -> Result<(f64, T), UnitError> {
    let Some((count, cap)) = text.split_once('*') else { return Ok((1.0, text.parse()?)) };
    let parsed = count.parse::<u32>().ok().filter(|count| (1..=1000).contains(count));
    let count = parsed.ok_or_else(|| {
        UnitError(format!("`{}` is not a number of volumes: COUNT*CAP needs a count of 1 to 1000", clip(count)))
    })?;
    Ok((f64::from(count), cap.parse()?))
}

impl FromStr for Limit {
    type Err = UnitError;

    /// Parses `NAME [read|write] [on=TARGET[+TARGET...]] [iops=N] [mbps=BANDWIDTH]`, for example
    /// `volume iops=6000 mbps=125MiB`.
    ///
    /// `mbps=` requires a unit: decimal and binary megabytes and megabits differ by up to a factor of eight. A cap of
    /// several equal volumes can be a product: `iops=4*3000`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let mut words = text.split([' ', '\t', ',']).filter(|w| !w.is_empty());
        // A number in place of the name, as in `6000 iops`, is a cap without a name.
        let name = words
            .next()
            .filter(|w| !w.contains('=') && !w.starts_with(|c: char| c.is_ascii_digit()))
            .ok_or_else(|| {
                UnitError(format!(
                    "limit `{}` has no name: NAME [read|write] iops=N mbps=BANDWIDTH, as in `volume iops=6000 mbps=125MiB`",
                    clip(text)
                ))
            })?
            .to_owned();
        let mut limit = Limit::new(name, LimitSource::Declared(text.trim().to_owned()));
        for word in words {
            let in_limit = |e: UnitError| UnitError(format!("limit `{}`: {e}", clip(text)));
            match word.split_once('=') {
                None if word == "read" => limit.op = Some(Op::Read),
                None if word == "write" => limit.op = Some(Op::Write),
                Some(("on", v)) if limit.on.is_empty() && v.split('+').all(|name| !name.is_empty()) => {
                    for name in v.split('+') {
                        if limit.on.iter().any(|known| known == name) {
                            return Err(in_limit(UnitError(format!("`on=` names `{}` twice", clip(name)))));
                        }
                        limit.on.push(name.to_owned());
                    }
                }
                Some(("iops", v)) if limit.iops.is_none() => {
                    let (count, cap) = product::<Iops>(v).map_err(in_limit)?;
                    limit.iops = Some(Iops(count * cap.0));
                }
                Some(("mbps" | "bw", v)) if limit.bandwidth.is_none() => {
                    let (count, cap) = product::<BytesPerSecond>(v).map_err(in_limit)?;
                    limit.bandwidth = Some(BytesPerSecond(count * cap.0));
                }
                Some(("on", _)) if limit.on.is_empty() => {
                    return Err(in_limit(UnitError("`on=` has an empty target name".to_owned())));
                }
                Some((key @ ("iops" | "mbps" | "bw" | "on"), _)) => {
                    return Err(in_limit(UnitError(format!("`{key}` is given twice"))));
                }
                other => {
                    if ["iops", "mbps", "bw", "on"].contains(&word) {
                        return Err(in_limit(UnitError(format!("`{word}` needs a value: `{word}=VALUE`"))));
                    }
                    let key = other.map_or(word, |(k, _)| k);
                    let hint = suggestion(key, ["iops", "mbps", "bw", "on", "read", "write"]);
                    return Err(in_limit(UnitError(format!(
                        "unknown word `{}`; iops=N, mbps=BANDWIDTH, on=TARGET, read or write are allowed{hint}",
                        clip(word)
                    ))));
                }
            }
        }
        let caps = [limit.cap(LimitAxis::Iops), limit.cap(LimitAxis::Bandwidth)];
        if caps == [None, None] {
            return Err(UnitError(format!("limit `{}` caps nothing: give iops=N or mbps=BANDWIDTH", clip(text))));
        }
        if !caps.into_iter().flatten().all(|cap| cap > 0.0) {
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
        if !self.on.is_empty() {
            write!(f, " of {}", self.on.join(" + "))?;
        }
        if let Some(iops) = self.iops {
            write!(f, " {iops} IOPS")?;
        }
        if let Some(bandwidth) = self.bandwidth {
            write!(f, " {bandwidth}")?;
        }
        if let Some(burst) = self.burst(LimitAxis::Iops) {
            write!(f, ", burst {} IOPS", Iops(burst.rate))?;
        }
        if let Some(burst) = self.burst(LimitAxis::Bandwidth) {
            write!(f, ", burst {}", BytesPerSecond(burst.rate))?;
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
    fn caps_of_equal_volumes_are_a_product() {
        let stripe: Limit = "stripe iops=4*3000 mbps=4*125MiB".parse().unwrap();
        let single: Limit = "stripe iops=12000 mbps=500MiB".parse().unwrap();
        assert_eq!((stripe.iops, stripe.bandwidth), (single.iops, single.bandwidth));
        for wrong in ["v iops=0*3000", "v iops=1.5*3000", "v iops=2000*1", "v iops=4*", "v mbps=4*125", "v iops=*3"] {
            assert!(wrong.parse::<Limit>().is_err(), "{wrong}");
        }
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
        assert!(message("volume on= iops=1").contains("has an empty target name"));
    }

    #[test]
    fn bytes_beyond_the_unit_count_as_several_operations_and_neighbours_below_it_as_one() {
        let mut volume: Limit = "volume iops=6000".parse().unwrap();
        volume.charging = Some(Charging { unit: Bytes::from_kib(256), merges: true, whole: false });
        assert_eq!(volume.allows(8192.0, 1.0), [(LimitAxis::Iops, Iops(6000.0))]);
        assert_eq!(volume.allows(f64::from(1 << 20), 1.0), [(LimitAxis::Iops, Iops(1500.0))]);
        let merged = volume.allows_on(LimitAxis::Iops, 6000.0, 8192.0, 1.0, true);
        assert_eq!(merged, Some(Iops(192_000.0)));
    }

    #[test]
    fn small_random_operations_may_cost_a_whole_unit_of_bytes() {
        let mut disk: Limit = "st1 mbps=40MiB".parse().unwrap();
        disk.charging = Some(Charging { unit: Bytes::from_mib(1), merges: true, whole: true });
        assert_eq!(disk.allows(16384.0, 1.0), [(LimitAxis::Bandwidth, Iops(40.0))]);
        let sequential = disk.allows_on(LimitAxis::Bandwidth, 40.0 * 1_048_576.0, 16384.0, 1.0, true);
        assert_eq!(sequential, Some(Iops(2560.0)));
    }

    #[test]
    fn a_full_bucket_of_gp2_lasts_and_fills_as_published() {
        let burst = Burst { rate: 3000.0, lasts: BurstLasts::Bucket { capacity: 5_400_000.0 } };
        assert_eq!(burst.seconds_at(3000.0, 300.0), 2000.0);
        assert_eq!(burst.refill_seconds(300.0), Some(18_000.0));
        let half_an_hour = BurstLasts::Time { time: Nanos::from_secs(1_800), every: None };
        assert_eq!(Burst { rate: 18_750.0, lasts: half_an_hour }.seconds_at(18_750.0, 3600.0), 1800.0);
    }
}
