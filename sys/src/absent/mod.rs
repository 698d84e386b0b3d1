//! What Linux alone has, for the systems that have it not: each answers with what is true of all here, or by name. What to take in place of
//! it is the system's own to say (`instead.rs` of its folder).

pub(crate) mod devices;
pub(crate) mod mcall;
pub(crate) mod queues;
pub(crate) mod shared_memory;
pub(crate) mod thread;
pub(crate) mod thread_io;
