//! `group.*`: control groups do not exist on this system.

use super::{Sampler, SamplerEntry, Subjects};
use crate::Roots;
use crate::cgroup::GroupError;
use messages::sentence;
use model::{Sentence, plan::WatchedGroup, record::DeviceFacts};

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "group", open };

fn open(_roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    Err(if subjects.groups.is_empty() { sentence!("sampler-no-process") } else { sentence!("sampler-of-linux") })
}

/// Returns an error, since there are no control groups.
///
/// # Errors
/// Always returns an error.
pub fn process_group(_roots: &Roots, _pid: u32, _devices: &[DeviceFacts]) -> Result<WatchedGroup, GroupError> {
    Err(GroupError::NotCounted)
}
