//! Files of clones: paths, sizes, and preparation.

pub(super) mod paths;
pub(super) mod sizes;
pub(super) mod targets;
