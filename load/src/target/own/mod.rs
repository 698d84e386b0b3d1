//! secchi's own test files and directories: their location, the proof that secchi created them, their creation, and the
//! detection of written blocks.

pub(super) mod create;
pub(super) mod directory;
pub(super) mod inspect;
pub(super) mod joined;
pub(super) mod proof;
pub(super) mod sidecar;
pub(super) mod written;
