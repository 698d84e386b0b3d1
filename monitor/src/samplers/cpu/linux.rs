//! Reads the first line of `/proc/stat`.

use super::Cpu;
use crate::Roots;
use crate::counters::CpuTicks;
use crate::roots::text;
use crate::samplers::Sampler;
use model::DeviceFacts;

pub(super) fn open(roots: &Roots, _devices: &[DeviceFacts]) -> Result<Box<dyn Sampler>, String> {
    let path = roots.proc.join("stat");
    let source = move || text(&path).and_then(|t| CpuTicks::parse(&t));
    let last = source().ok_or_else(|| format!("{} cannot be read", roots.proc.join("stat").display()))?;
    Ok(Box::new(Cpu { source, last }))
}
