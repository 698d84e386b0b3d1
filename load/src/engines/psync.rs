//! pread and pwrite (`psync`), and lseek with read and write (`sync`): one operation per thread.

use super::{is_device, submission};
use crate::engine::{Blocking, EngineEntry, Inline, OpenError, Opened, Opening, Request};
use sys::{BlockingQueue, Call};

pub(super) const PSYNC: EngineEntry = EngineEntry {
    name: "psync",
    summary: "pread and pwrite, one operation per thread",
    blocking: true,
    open: |opening| open("psync", opening, Call::Positioned),
};

pub(super) const SYNC: EngineEntry = EngineEntry {
    name: "sync",
    summary: "lseek, then read or write, one operation per thread",
    blocking: true,
    open: |opening| open("sync", opening, Call::Seeking),
};

fn open(name: &'static str, opening: &Opening, call: Call) -> Result<Opened, OpenError> {
    opening.one_at_a_time(name)?;
    let file = match call {
        Call::Positioned => opening.descriptor(name)?,
        // A duplicate would share the file position with the other threads.
        Call::Seeking => opening.own_descriptor(name)?,
    };
    let queue = BlockingQueue::new(file, call, is_device(&opening.files), opening.buffer_size)
        .map_err(|e| OpenError::unavailable(name, &e, "check limits on memory"))?;
    Ok(Opened::new(Inline::new(Psync { queue })))
}

struct Psync {
    queue: BlockingQueue,
}

impl Blocking for Psync {
    #[inline]
    fn perform(&mut self, request: &Request) -> i32 {
        self.queue.perform(&submission(request)).result
    }

    fn buffer(&mut self) -> &mut [u8] {
        self.queue.buffer()
    }
}
