//! Finds and reads the control group's counters with the code in `counters`.

use super::Cgroup;
use crate::Roots;
use crate::cgroup::Member;
use crate::counters::GroupIo;
use crate::samplers::{Sampler, Subjects};
use model::Sentence;

pub(super) fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let source = GroupIo::open(roots, &subjects.devices, Member::Own).map_err(|e| Sentence::from(e.to_string()))?;
    let last = source.read();
    Ok(Box::new(Cgroup { source, last }))
}
