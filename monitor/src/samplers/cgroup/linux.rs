//! The control group's counters are found and read by the same code as those of the accounting.

use super::Cgroup;
use crate::Roots;
use crate::counters::GroupIo;
use crate::samplers::Sampler;
use model::DeviceFacts;

pub(super) fn open(roots: &Roots, devices: &[DeviceFacts]) -> Result<Box<dyn Sampler>, String> {
    let source = GroupIo::open(roots, devices)?;
    let last = source.read();
    Ok(Box::new(Cgroup { source, last }))
}
