//! What clones work on: the paths, how large each is, and what is made ready.

pub(super) mod paths;
pub(super) mod sizes;
pub(super) mod targets;
