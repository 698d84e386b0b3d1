//! Engines that talk to a server.

pub(super) mod http;
#[cfg(target_os = "linux")]
pub(super) mod nfs;
#[cfg(target_os = "linux")]
pub(super) mod rbd;
