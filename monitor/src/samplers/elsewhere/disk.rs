//! Device counters: not sampled on this system.

use super::Row;
use crate::Roots;
use crate::samplers::{Sampler, Subjects};
use messages::sentence;
use model::Sentence;

pub(super) fn open(_roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    Err(sentence!("sampler-not-made"))
}

/// Returns an empty list: no device has counters on this system.
pub(super) fn every(_roots: &Roots) -> Vec<Row> {
    Vec::new()
}

/// Returns `true`: on this system, every name counts as the name of a whole disk.
pub(super) fn is_whole(_name: &str) -> bool {
    true
}
