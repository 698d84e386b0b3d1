//! Options for the workload: files, offsets, sizes, contents, verification, zones, replay.

pub(super) mod block;
pub(super) mod buffers;
pub(super) mod files;
pub(super) mod pattern;
pub(super) mod replay;
pub(super) mod verify;
pub(super) mod zones;

pub use block::*;
pub use buffers::*;
pub use files::*;
pub use pattern::*;
pub use replay::*;
pub use verify::*;
pub use zones::*;
