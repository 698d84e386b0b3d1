//! Linux.

mod aio;
mod attribute;
mod block;
mod buffers;
mod clock;
mod extents;
mod file;
mod fileset;
mod load_open;
mod lock;
mod mapped;
mod mounts;
mod program;
mod queue;
mod rw;
mod thread;
mod uring;
mod usage;

pub use aio::*;
pub use attribute::*;
pub use block::*;
pub use buffers::Counters;
pub use clock::*;
pub use extents::*;
pub use file::*;
pub use fileset::*;
pub use load_open::*;
pub use lock::*;
pub use mapped::*;
pub use mounts::*;
pub use program::*;
pub use queue::*;
pub use rw::*;
pub use thread::*;
pub use uring::*;
pub use usage::*;
