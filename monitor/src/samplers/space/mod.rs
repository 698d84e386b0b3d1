//! `space.NAME.free`, `space.NAME.size` (bytes): current values for the requested file systems. Free space excludes the
//! blocks reserved for root.

use super::{Out, Sampler, SamplerEntry, Subjects};
use crate::Roots;
use messages::sentence;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};
use std::path::PathBuf;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "space", open };

/// File system with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// Name used in the series of the file system: the role or, if it has no role, the mount point.
    pub name: String,
    /// Any path on the file system.
    pub path: PathBuf,
}

struct Space {
    rooms: Vec<Room>,
}

fn open(_roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    if subjects.rooms.is_empty() {
        return Err(sentence!("sampler-no-file-system"));
    }
    Ok(Box::new(Space { rooms: subjects.rooms.clone() }))
}

impl Sampler for Space {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let mut out = Out::new(Layer::Host, elapsed, out);
        for room in &self.rooms {
            if let Ok(space) = sys::file_systems::space_at(&room.path) {
                out.gauge(format!("space.{}.free", room.name), "bytes", space.available as f64);
                out.gauge(format!("space.{}.size", room.name), "bytes", space.total as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_has_a_size_and_one_that_is_gone_has_none() {
        let room = |name: &str, path: &str| Room { name: name.into(), path: path.into() };
        let mut space = Space { rooms: vec![room("root", "/"), room("gone", "/nowhere/at/all")] };
        let mut samples = Vec::new();
        space.sample(Nanos(1), &mut samples);
        let names: Vec<&str> = samples.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["space.root.free", "space.root.size"]);
        assert!(samples[0].value <= samples[1].value);
    }
}
