//! readv and writev: adjacent requests of one batch are transferred by one call, as in fio.

use crate::engine::{Completion, Engine, EngineEntry, OpenError, Opened, Request, Wait};
use crate::engines::options::Options;
use crate::engines::submission;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use std::io;
use sys::queues::{GatheringQueue, Submission};

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry::new(
    EngineSpec::new("vsync", "readv and writev", EngineQueue::Batch, EngineTarget::Contents),
    |opening| {
        Options::new("vsync", opening).finish()?;
        let files = opening.own_file_set("vsync")?;
        let queue = GatheringQueue::new(files, opening.depth, opening.buffer_size)
            .map_err(|e| OpenError::unavailable("vsync", &e, "check limits on memory, or lower the depth"))?;
        let depth = opening.depth.max(1) as usize;
        Ok(Opened::new(Vsync { queue, batch: Vec::with_capacity(depth), done: Vec::with_capacity(depth) }))
    },
);

struct Vsync {
    queue: GatheringQueue,
    batch: Vec<Submission>,
    done: Vec<Completion>,
}

impl Engine for Vsync {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        self.batch.clear();
        self.batch.extend(requests.iter().map(submission));
        let mut rest = &self.batch[..];
        while !rest.is_empty() {
            let (group, others) = rest.split_at(GatheringQueue::neighbours(rest));
            self.queue.perform(group, |r| self.done.push(Completion { slot: r.slot, result: r.result }));
            rest = others;
        }
        Ok(requests.len())
    }

    fn reap(&mut self, _at_least: usize, _wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        done.append(&mut self.done);
        Ok(())
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.queue.buffer(slot)
    }
}
