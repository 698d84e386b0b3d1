//! Series of counters sampled during the load, each with its unit and its layer.

use crate::Nanos;
use serde::{Deserialize, Serialize};

/// Layer at which a figure was read; comparisons of figures from different layers must name the layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
