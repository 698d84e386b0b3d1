//! Engines that read and write files and devices.

pub(super) mod io_uring;
pub(super) mod io_uring_cmd;
pub(super) mod libaio;
pub(super) mod mmap;
pub(super) mod null;
pub(super) mod posixaio;
pub(super) mod psync;
pub(super) mod sg;
pub(super) mod vsync;
