//! Checks of the figures' credibility: caches, the load generator, other processes, identities, the host and its
//! drives. Each doubt is a caveat.

pub(crate) mod cache;
pub(crate) mod caveats;
pub(crate) mod cpu;
pub(crate) mod disturbed;
pub(crate) mod drive;
pub(crate) mod layers;
pub(crate) mod little;
pub(crate) mod ranks;
pub(crate) mod repeats;
pub(crate) mod sampling;
pub(crate) mod shaper;
pub(crate) mod sync;
