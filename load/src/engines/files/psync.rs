//! Reads and writes with one system call each: pread and pwrite (`psync`), lseek with read and write (`sync`), and the
//! vectored calls with one element (`pvsync`, `pvsync2`). Each thread has one operation in flight.

use crate::engine::{EngineEntry, Inline, OpenError, Opened, Opening};
use crate::engines::options::{Options, POLL_COMPLETIONS};
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use sys::queues::{BlockingQueue, Call, Flags};

pub(in crate::engines) const PSYNC: EngineEntry = EngineEntry::new(
    EngineSpec::new("psync", "pread and pwrite", EngineQueue::Single, EngineTarget::Contents),
    |opening| plain("psync", opening, Call::Positioned),
);

pub(in crate::engines) const SYNC: EngineEntry = EngineEntry::new(
    EngineSpec::new("sync", "read and write with a seek", EngineQueue::Single, EngineTarget::Contents),
    |opening| plain("sync", opening, Call::Seeking),
);

pub(in crate::engines) const PVSYNC: EngineEntry = EngineEntry::new(
    EngineSpec::new("pvsync", "preadv and pwritev", EngineQueue::Single, EngineTarget::Contents),
    |opening| plain("pvsync", opening, Call::Vector),
);

pub(in crate::engines) const PVSYNC2: EngineEntry = EngineEntry::new(
    EngineSpec::new("pvsync2", "preadv2 and pwritev2", EngineQueue::Single, EngineTarget::Contents)
        .with_options(&[POLL_COMPLETIONS]),
    |opening| {
        let mut options = Options::new("pvsync2", opening);
        let poll = options.flag("hipri")?.unwrap_or(false);
        let nowait = options.flag("nowait")?.unwrap_or(false);
        options.finish()?;
        open("pvsync2", opening, Call::Flagged(Flags { poll, nowait }))
    },
);

fn plain(name: &'static str, opening: &Opening, call: Call) -> Result<Opened, OpenError> {
    Options::new(name, opening).finish()?;
    open(name, opening, call)
}

fn open(name: &'static str, opening: &Opening, call: Call) -> Result<Opened, OpenError> {
    opening.one_at_a_time(name)?;
    let files = match call {
        // A duplicate would share the file position with the other threads.
        Call::Seeking => opening.own_file_set(name)?,
        _ => opening.file_set(name)?,
    };
    let queue = BlockingQueue::new(files, call, opening.buffer_size)
        .map_err(|e| OpenError::unavailable(name, &e, "check limits on memory"))?;
    Ok(Opened::new(Inline::new(queue)))
}
