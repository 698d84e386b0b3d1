//! Engines that read and write files and devices.

pub(super) mod io_uring;
pub(super) mod io_uring_cmd;
#[cfg(windows)]
pub(super) mod ioring;
mod kernel_queue;
pub(super) mod libaio;
pub(super) mod mmap;
pub(super) mod null;
pub(super) mod posixaio;
mod priority;
pub(super) mod psync;
pub(super) mod sg;
pub(super) mod vsync;
#[cfg(windows)]
pub(super) mod windowsaio;
