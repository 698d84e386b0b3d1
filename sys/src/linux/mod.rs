//! Linux.

mod aio;
mod buffers;
mod clock;
mod queue;
mod rw;
mod thread;
mod uring;

pub use aio::*;
pub use clock::*;
pub use queue::*;
pub use rw::*;
pub use thread::*;
pub use uring::*;
