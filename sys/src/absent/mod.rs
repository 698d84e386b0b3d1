//! Stubs for features of Linux on the other systems: they return what always holds there, or an error. Each system
//! suggests its own alternatives in the error (`instead.rs` in its folder).

pub(crate) mod devices;
pub(crate) mod mcall;
pub(crate) mod queues;
pub(crate) mod shared_memory;
pub(crate) mod thread;
pub(crate) mod thread_io;
