//! The process, its threads and memory, and the processes it starts.

mod child;
mod group;
mod host;
mod memory;
mod others;
mod pinned;
mod program;
mod signals;
mod started;
mod thread;

pub use crate::elsewhere::process::*;
pub use child::*;
pub use group::*;
pub use host::*;
pub use memory::*;
pub use others::*;
pub use pinned::*;
pub use program::*;
pub use signals::*;
pub use started::*;
pub use thread::*;
