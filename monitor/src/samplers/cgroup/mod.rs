//! `cgroup.*`: I/O charged to secchi's control group on the devices that the target's I/O enters, before merging.
//!
//! - `read_ops`, `write_ops` (ops/s), `read`, `write` (B/s).

use super::{Out, Sampler, SamplerEntry, Subjects};
use crate::Roots;
use crate::cgroup::Member;
use crate::counters::{GroupIo, GroupReading};
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "cgroup", open };

struct Cgroup {
    source: GroupIo,
    last: GroupReading,
}

fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let source = GroupIo::open(roots, &subjects.devices, Member::Own).map_err(|e| Sentence::from(e.to_string()))?;
    let last = source.read();
    Ok(Box::new(Cgroup { source, last }))
}

impl Sampler for Cgroup {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let now = self.source.read();
        let mut out = Out::new(Layer::Cgroup, elapsed, out);
        if let Some(io) = now.since(self.last) {
            out.rate("cgroup.read_ops".into(), "ops/s", io.read_ops);
            out.rate("cgroup.write_ops".into(), "ops/s", io.write_ops);
            out.rate("cgroup.read".into(), "B/s", io.read);
            out.rate("cgroup.write".into(), "B/s", io.write);
        }
        self.last = now;
    }
}
