//! `memory.*`: not sampled on this system.

use super::SamplerEntry;
use messages::sentence;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "memory", open: |_, _| Err(sentence!("sampler-not-made")) };
