//! Reads `/proc/meminfo`.

use super::{Memory, Reading};
use crate::Roots;
use crate::facts::meminfo_bytes;
use crate::roots::text;
use crate::samplers::{Sampler, Subjects};

pub(super) fn open(roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, String> {
    let path = roots.proc.join("meminfo");
    if text(&path).is_none() {
        return Err(format!("{} cannot be read", path.display()));
    }
    Ok(Box::new(Memory { source: move || text(&path).map(|t| parse(&t)) }))
}

fn parse(meminfo: &str) -> Reading {
    let bytes = |key: &str| meminfo_bytes(meminfo, key);
    Reading { available: bytes("MemAvailable"), dirty: bytes("Dirty"), writeback: bytes("Writeback") }
}
