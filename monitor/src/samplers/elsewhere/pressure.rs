//! `pressure.*`: available on Linux only.

use super::SamplerEntry;
use messages::sentence;

pub(super) const ENTRY: SamplerEntry =
    SamplerEntry { name: "pressure", open: |_, _| Err(sentence!("sampler-of-linux")) };
