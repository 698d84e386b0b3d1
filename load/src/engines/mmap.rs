//! Copies to and from a shared mapping of the file: the page cache's own path, one operation per thread.

use super::is_device;
use super::submission;
use crate::engine::{Blocking, EngineEntry, Inline, OpenError, Opened, Request};
use sys::MappedQueue;

pub(super) const ENTRY: EngineEntry = EngineEntry {
    name: "mmap",
    summary: "copies through a shared mapping, always through the page cache",
    blocking: true,
    open: |opening| {
        opening.one_at_a_time("mmap")?;
        if opening.trims && is_device(&opening.files) {
            return Err(OpenError::Unsupported { engine: "mmap", why: "cannot trim a device; use psync".into() });
        }
        let file = opening.descriptor("mmap")?;
        let queue = MappedQueue::new(file, opening.size, opening.writes, opening.buffer_size)
            .map_err(|e| OpenError::unavailable("mmap", &e, "use psync"))?;
        Ok(Opened::new(Inline::new(Mmap { queue })))
    },
};

struct Mmap {
    queue: MappedQueue,
}

impl Blocking for Mmap {
    #[inline]
    fn perform(&mut self, request: &Request) -> i32 {
        self.queue.perform(&submission(request)).result
    }

    fn buffer(&mut self) -> &mut [u8] {
        self.queue.buffer()
    }
}
