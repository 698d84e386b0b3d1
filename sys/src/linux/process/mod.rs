//! The process, its threads and memory; child processes, and engines called in this process (`mcall.rs`).

mod child;
mod mcall;
mod pinned;
mod program;
mod shared_memory;
mod started;
mod thread;
mod thread_io;

pub use crate::unix::child::*;
pub use crate::unix::group::*;
pub use crate::unix::host::*;
pub use crate::unix::memory::*;
pub use crate::unix::signals::*;
pub use crate::unix::usage::*;
pub use child::*;
pub use mcall::*;
pub use pinned::*;
pub use program::*;
pub use shared_memory::*;
pub use started::*;
pub use thread::*;
pub use thread_io::*;
