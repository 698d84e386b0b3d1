//! Files that clones use: paths, sizes and preparation.

pub(super) mod paths;
pub(super) mod sizes;
pub(super) mod targets;
