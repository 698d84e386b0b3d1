//! Series of counters sampled during the load, each with its unit and its layer.

use crate::Nanos;
use serde::{Deserialize, Serialize};

/// Layer at which a figure was read; comparisons of figures from different layers must name the layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The load generator itself.
    Application,
    /// Usage that the kernel charged to our process.
    Process,
    /// Usage that the kernel charged to our control group.
    Cgroup,
    /// The block device, including all its users.
    Device,
    /// The machine.
    Host,
}

/// One sampled counter or gauge over the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Series {
    /// Name: `device.vda.read_ops`.
    pub name: String,
    /// Unit of the values: `ops/s`, `B/s`, `percent`, `bytes`.
    pub unit: String,
    /// Layer at which the series was read.
    pub layer: Layer,
    /// Points: time on the run's clock, and value over the period that ends at this time.
    pub points: Vec<(Nanos, f64)>,
}

/// One reading of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Name of the series.
    pub name: String,
    /// Unit of the value.
    pub unit: String,
    /// Layer at which the value was read.
    pub layer: Layer,
    /// The value.
    pub value: f64,
}

/// Kinds of series that belong to an object: `device.vda.read_ops`.
const OF_THINGS: [&str; 7] = ["device", "process", "top", "group", "net", "ebs", "space"];

/// Returns the name of a series with its host: `device.host/vda.read_ops`, `host/cpu.user`. The `sampler` series of the
/// `first` host keep their names because they define the sampling intervals.
#[must_use]
pub fn name_on_host(name: &str, host: &str, first: bool) -> String {
    match name.split_once('.') {
        Some((kind, rest)) if OF_THINGS.contains(&kind) => format!("{kind}.{host}/{rest}"),
        Some(("sampler", _)) if first => name.to_owned(),
        _ => format!("{host}/{name}"),
    }
}

/// Returns `true` if the name of a series includes this host ([`name_on_host`]).
#[must_use]
pub fn is_on_host(name: &str, host: &str) -> bool {
    let is_on_host = |text: &str| text.strip_prefix(host).is_some_and(|rest| rest.starts_with('/'));
    match name.split_once('.') {
        Some((kind, rest)) if OF_THINGS.contains(&kind) => is_on_host(rest),
        _ => is_on_host(name),
    }
}

/// Returns a value of one sample.
#[must_use]
pub fn sampled(samples: &[Sample], name: &str) -> Option<f64> {
    samples.iter().find(|s| s.name == name).map(|s| s.value)
}

/// Splits the name of a series into object and figure: `device.vda.read_ops` gives (`vda`, `read_ops`). Names of
/// objects may contain dots.
#[must_use]
pub fn series_of<'a>(name: &'a str, kind: &str) -> Option<(&'a str, &'a str)> {
    name.strip_prefix(kind)?.strip_prefix('.')?.rsplit_once('.')
}

/// Splits the name of a control group's series into group, device and figure: `group./db:vda.read_ops` gives (`/db`,
/// `vda`, `read_ops`). Names of groups may contain colons. Figures of a whole group have no device.
#[must_use]
pub fn group_series(name: &str) -> Option<(&str, Option<&str>, &str)> {
    let (thing, what) = series_of(name, "group")?;
    match thing.rsplit_once(':').filter(|_| ["read_ops", "write_ops", "read", "write"].contains(&what)) {
        Some((group, device)) => Some((group, Some(device), what)),
        None => Some((thing, None, what)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_named_by_its_object_and_its_host() {
        assert_eq!(series_of("device.cciss!c0d0.read_ops", "device"), Some(("cciss!c0d0", "read_ops")));
        assert_eq!(series_of("space./mnt/a.b.free", "space"), Some(("/mnt/a.b", "free")));
        assert_eq!(series_of("devices.vda.x", "device"), None);
        assert_eq!(group_series("group./a:b:vda.read_ops"), Some(("/a:b", Some("vda"), "read_ops")));
        assert_eq!(group_series("group./a:b.cpu"), Some(("/a:b", None, "cpu")));
        let on = |name, first| name_on_host(name, "node.x:1", first);
        assert_eq!(series_of(&on("device.vda.read_ops", true), "device"), Some(("node.x:1/vda", "read_ops")));
        assert_eq!((on("cpu.user", true), on("sampler.cpu", true)), ("node.x:1/cpu.user".into(), "sampler.cpu".into()));
        assert_eq!(on("sampler.cpu", false), "node.x:1/sampler.cpu");
    }
}
