//! The same I/O counted at several layers. Each figure names its layer, so that requests of an application are not
//! mistaken for requests to a device. Derived, never stored.

use crate::{Bytes, Nanos, Sentence};
use serde::{Deserialize, Serialize};

/// Layer at which I/O was counted, from top to bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StackLayer {
    /// Operations that the load requested from the kernel.
    Application,
    /// Reads and writes of a watched process by system calls, to files of any kind.
    SystemCalls,
    /// Bytes that the kernel charged to the process when it passed them on.
    Process,
    /// Pages of the page cache that became dirty, on the whole machine.
    Dirtied,
    /// Dirty pages written back, on the whole machine.
    WrittenBack,
    /// Operations as they entered the block layer.
    Queued,
    /// Requests after merging and splitting, as dispatched to the device.
    Requests,
    /// The kernel's counters of the device.
    Device,
}

/// Figures of one direction at one layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerSide {
    /// Number of operations; `None` if not counted at this layer.
    pub ops: Option<u64>,
    /// Bytes of the operations; `None` if not counted at this layer.
    pub bytes: Option<Bytes>,
    /// Mean latency as measured at this layer; `None` if not measured.
    pub latency: Option<Nanos>,
}

impl LayerSide {
    /// Returns the mean size, if operations and bytes are known.
    #[must_use]
    pub fn mean_size(&self) -> Option<Bytes> {
        self.bytes?.as_u64().checked_div(self.ops?).map(Bytes)
    }

    /// Returns `true` if nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.unwrap_or(0) == 0 && self.bytes.unwrap_or_default().is_zero()
    }
}

/// Figures of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerFigures {
    /// Layer at which the I/O was counted.
    pub layer: StackLayer,
    /// Device, if there are several, or watched process; empty for the other layers.
    pub device: String,
    /// Source of the counts: `secchi`, `/proc/self/io`, `block_rq_complete`.
    pub source: String,
    /// Read operations and their bytes.
    pub reads: LayerSide,
    /// Write operations and their bytes.
    pub writes: LayerSide,
}

/// Figures of all layers for steps that ran together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayersSeen {
    /// Indices of the steps; empty for the time between steps.
    pub steps: Vec<usize>,
    /// Workload that ran: `8k randwrite`.
    pub label: Sentence,
    /// Time over which the I/O was counted.
    pub length: Nanos,
    /// Layers from top to bottom.
    pub layers: Vec<LayerFigures>,
    /// Explanations of the differences between layers, one sentence each.
    pub says: Vec<Sentence>,
}
