//! Engines that read and write files and devices.

#[cfg(target_os = "linux")]
pub(super) mod io_uring;
#[cfg(target_os = "linux")]
pub(super) mod io_uring_cmd;
mod kernel_queue;
#[cfg(target_os = "linux")]
pub(super) mod libaio;
pub(super) mod mmap;
pub(super) mod null;
#[cfg(target_os = "linux")]
pub(super) mod posixaio;
#[cfg(target_os = "linux")]
mod priority;
pub(super) mod psync;
#[cfg(target_os = "linux")]
pub(super) mod pvsync;
#[cfg(target_os = "linux")]
pub(super) mod sg;
#[cfg(target_os = "linux")]
pub(super) mod vsync;
#[cfg(target_os = "windows")]
pub(super) mod windowsaio;
#[cfg(target_os = "linux")]
mod with_priorities;
