//! Engines that use a server.

pub(super) mod http;
pub(super) mod nfs;
pub(super) mod rbd;
