//! Series of counters sampled beside the load, each with its unit and the layer it was read at.

use crate::Nanos;
use serde::{Deserialize, Serialize};

/// The layer a number was read at; figures of different layers are never compared without saying so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The load generator itself.
    Application,
    /// What the kernel charged to our process.
    Process,
    /// What the kernel charged to our control group.
    Cgroup,
    /// The block device, all users of it together.
    Device,
    /// The machine.
    Host,
}

/// One sampled counter or gauge over the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What it is: `device.vda.read_ops`.
    pub name: String,
    /// Unit of the values: `ops/s`, `B/s`, `percent`, `bytes`.
    pub unit: String,
    /// Where it was read.
    pub layer: Layer,
    /// (time on the run's clock, value over the stretch ending there).
    pub points: Vec<(Nanos, f64)>,
}

/// One reading of several series at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// What it is.
    pub name: String,
    /// Unit of the value.
    pub unit: String,
    /// Where it was read.
    pub layer: Layer,
    /// The value.
    pub value: f64,
}
