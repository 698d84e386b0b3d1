//! Reads `/proc/meminfo`.

use super::{Memory, Reading};
use crate::Roots;
use crate::facts::host::meminfo_bytes;
use crate::roots::text;
use crate::samplers::{Sampler, Subjects};
use messages::sentence;
use model::Sentence;

pub(super) fn open(roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let path = roots.proc.join("meminfo");
    if text(&path).is_none() {
        return Err(sentence!("sampler-unreadable", file = path.display().to_string()));
    }
    Ok(Box::new(Memory { source: move || text(&path).map(|t| parse(&t)) }))
}

fn parse(meminfo: &str) -> Reading {
    let bytes = |key: &str| meminfo_bytes(meminfo, key);
    Reading { available: bytes("MemAvailable"), dirty: bytes("Dirty"), writeback: bytes("Writeback") }
}
