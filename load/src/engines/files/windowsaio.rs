//! Windows overlapped I/O on a completion port, under fio's name.

use super::kernel_queue::Batched;
use crate::engine::{EngineEntry, OpenError, Opened};
use crate::engines::options::Options;
use crate::engines::wrappers::trimming::with_trims;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use sys::queues::IocpQueue;

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry::new(
    EngineSpec::new("windowsaio", "Windows overlapped I/O", EngineQueue::Deep, EngineTarget::Contents),
    |opening| {
        Options::new("windowsaio", opening).finish()?;
        let files = opening.file_set("windowsaio")?;
        let queue = IocpQueue::new(files.clone(), opening.depth, opening.buffer_size)
            .map_err(|e| OpenError::unavailable("windowsaio", &e, "take psync"))?;
        let notes = queue.notes().to_vec();
        Ok(Opened { engine: with_trims(Batched { queue, batch: opening.batch() }, files, opening), notes })
    },
);
