//! `top.*`: not sampled on this system.

use super::{Sampler, SamplerEntry, Subjects, TopAccess};
use crate::Roots;
use messages::sentence;
use model::Sentence;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "top", open };

/// Returns full access, because nothing is read on this system.
#[must_use]
pub fn top_access(_roots: &Roots) -> TopAccess {
    TopAccess { processes: 0, hidden: 0 }
}

fn open(_roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    Err(sentence!("sampler-of-linux"))
}
