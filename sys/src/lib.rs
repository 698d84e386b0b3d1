//! The machine secchi stands on: buffers, files, devices, clocks, queues. All `unsafe` and all FFI live here.
//!
//! This crate knows nothing of ours, not even `model`: it speaks of bytes, nanoseconds and errno.

mod linux;
pub use linux::*;
