//! The same I/O counted at several layers, side by side: each number names its layer, so that what an application asked
//! and what a device did are never mistaken for each other. Derived, never stored.

use crate::{Bytes, Nanos, Sentence};
use serde::{Deserialize, Serialize};

/// Where on its way I/O was counted, top first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StackLayer {
    /// Operations the load asked of the kernel.
    Application,
    /// Reads and writes a watched process asked of the kernel by system calls, of files of any kind.
    SystemCalls,
    /// Bytes the kernel charged to the process as it sent them on.
    Process,
    /// Pages of the page cache that became dirty, of the whole machine.
    Dirtied,
    /// Dirty pages written back, of the whole machine.
    WrittenBack,
    /// Operations as they entered the block layer.
    Queued,
    /// Requests after merging and splitting, as they were handed to the device.
    Requests,
    /// The kernel's own count of the device.
    Device,
}

impl StackLayer {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            StackLayer::Application => "application",
            StackLayer::SystemCalls => "system calls",
            StackLayer::Process => "process, to block devices",
            StackLayer::Dirtied => "page cache, made dirty",
            StackLayer::WrittenBack => "page cache, written back",
            StackLayer::Queued => "block layer, before merging",
            StackLayer::Requests => "block layer, after merging",
            StackLayer::Device => "device",
        }
    }
}

/// One direction at one layer; `None` = not counted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LayerSide {
    /// Number of operations; `None` = not counted there.
    pub ops: Option<u64>,
    /// Their bytes.
    pub bytes: Option<Bytes>,
    /// Mean latency, as that layer sees it.
    pub latency: Option<Nanos>,
}

impl LayerSide {
    /// Mean size, where both are known.
    #[must_use]
    pub fn mean_size(&self) -> Option<Bytes> {
        self.bytes?.as_u64().checked_div(self.ops?).map(Bytes)
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.unwrap_or(0) == 0 && self.bytes.unwrap_or_default().is_zero()
    }
}

/// A layer with what was counted there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerFigures {
    /// The layer the figures were counted at.
    pub layer: StackLayer,
    /// The device, where there are several, or the process that is watched; empty between.
    pub device: String,
    /// Who counted: `secchi`, `/proc/self/io`, `block_rq_complete`.
    pub source: String,
    /// Read operations and their bytes.
    pub reads: LayerSide,
    /// Write operations and their bytes.
    pub writes: LayerSide,
}

/// The layers of steps that ran together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayersSeen {
    /// Their numbers; empty for the time between steps.
    pub steps: Vec<usize>,
    /// What ran: `8k randwrite`.
    pub label: Sentence,
    /// Time counted over.
    pub length: Nanos,
    /// Layers, top first.
    pub layers: Vec<LayerFigures>,
    /// What explains their differences: one sentence each.
    pub says: Vec<Sentence>,
}
