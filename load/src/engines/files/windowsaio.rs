//! Windows' overlapped I/O on a completion port, named as fio names it. Asynchronous only past the cache: through it the system does a read at
//! once, and a write, too.

use super::kernel_queue::{Batched, KernelQueue, kernel_queue};
use crate::engine::{EngineEntry, OpenError, Opened, Probe, WriteConsent};
use crate::engines::options::Options;
use crate::engines::wrappers::trimming::with_trims;
use model::{EngineQueue, EngineSpec, EngineTarget};
use std::io;
use sys::{IocpQueue, Reaped, Submission, Wait};

kernel_queue!(IocpQueue, |self| Ok(()));

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new("windowsaio", "Windows overlapped I/O", EngineQueue::Deep, EngineTarget::Contents),
    size: None,
    consent: WriteConsent::None,
    probe: Probe::Opening,
    open: |opening| {
        Options::new("windowsaio", opening).finish()?;
        let files = opening.file_set("windowsaio")?;
        let queue = IocpQueue::new(files.clone(), opening.depth, opening.buffer_size)
            .map_err(|e| OpenError::unavailable("windowsaio", &e, "use psync"))?;
        let notes = queue.notes().to_vec();
        let engine = with_trims(Batched { queue, batch: opening.batch() }, files, opening);
        Ok(Opened { engine, notes })
    },
};
