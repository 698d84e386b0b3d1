//! `cpu.*`: not sampled on this system.

use super::{Sampler, SamplerEntry, Subjects};
use crate::Roots;
use messages::sentence;
use model::Sentence;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "cpu", open };

fn open(_roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    Err(sentence!("sampler-not-made"))
}
