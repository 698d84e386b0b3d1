//! Windows 11 I/O rings: many operations in one call. fio has no such engine, so secchi chose the name.

use super::kernel_queue::Batched;
use crate::engine::{EngineEntry, OpenError, Opened};
use crate::engines::options::Options;
use crate::engines::wrappers::trimming::with_trims;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use sys::queues::IoRingQueue;

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry::new(
    EngineSpec::new("ioring", "I/O rings of Windows 11", EngineQueue::Deep, EngineTarget::Contents),
    |opening| {
        Options::new("ioring", opening).finish()?;
        let files = opening.file_set("ioring")?;
        let writes = opening.writes || opening.flushes;
        let queue = IoRingQueue::new(files.clone(), opening.depth, opening.buffer_size, writes)
            .map_err(|e| OpenError::unavailable("ioring", &e, "use windowsaio"))?;
        let notes = queue.notes().to_vec();
        let engine = with_trims(Batched { queue, batch: opening.batch() }, files, opening);
        Ok(Opened { engine, notes })
    },
);
