//! No device is asked what it counts.

use super::Row;
use crate::Roots;
use crate::samplers::{Sampler, Subjects};
use messages::sentence;
use model::Sentence;

pub(super) fn open(_roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    Err(sentence!("sampler-not-made"))
}

/// Every device that is counted for: none.
pub(crate) fn every(_roots: &Roots) -> Vec<Row> {
    Vec::new()
}

/// As of devices that are counted for.
pub(crate) fn is_whole(_name: &str) -> bool {
    true
}
