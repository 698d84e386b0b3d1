//! Copies to and from a shared mapping of the file through the page cache. Each thread has one operation in flight.

use crate::engine::{EngineEntry, Inline, OpenError, Opened, Opening, Probe, WriteConsent};
use crate::engines::options::Options;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use std::io::{self, Seek, SeekFrom};
use sys::queues::{Advice, FileSet, MappedQueue};

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new("mmap", "memory-mapped file", EngineQueue::Single, EngineTarget::Mapping),
    size: None,
    consent: WriteConsent::None,
    // Every kernel supports mappings, but /dev/null cannot be mapped.
    probe: Probe::Own(|| Ok(())),
    open: |opening| {
        Options::new("mmap", opening).finish()?;
        opening.one_at_a_time("mmap")?;
        let files = opening.file_set("mmap")?;
        let fail = |e: io::Error| OpenError::unavailable("mmap", &e, "use psync");
        let lens = lens(&files, opening).map_err(fail)?;
        let advice = if opening.random { Advice::Random } else { Advice::Sequential };
        let queue = MappedQueue::new(files, &lens, opening.writes, advice, opening.buffer_size).map_err(fail)?;
        let notes = queue.notes().to_vec();
        Ok(Opened { notes, ..Opened::new(Inline::new(queue)) })
    },
};

/// Returns the mapped length of each file. A mapping never extends beyond the end of the file, because an access there
/// would kill the process.
fn lens(files: &FileSet, opening: &Opening) -> io::Result<Vec<u64>> {
    files.files().iter().map(|mut file| file.seek(SeekFrom::End(0)).map(|end| end.min(opening.size))).collect()
}
