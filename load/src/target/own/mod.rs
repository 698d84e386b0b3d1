//! Test files and directories of our own: where they lie, what proves that they are ours, how they are made, and which of their
//! blocks are written.

pub(super) mod create;
pub(super) mod directory;
pub(super) mod inspect;
pub(super) mod joined;
pub(super) mod proof;
pub(super) mod sidecar;
pub(super) mod written;
