//! io_uring: registered file, buffers and ring, one system call to submit and wait.

use super::{in_batches, submission};
use crate::engine::{Completion, Engine, EngineEntry, OpenError, Opened, Request, Wait};
use std::io;
use sys::UringQueue;

pub(super) const ENTRY: EngineEntry = EngineEntry {
    name: "io_uring",
    summary: "io_uring with registered buffers and files, submit and wait in one call",
    blocking: false,
    open: |opening| {
        if opening.trims {
            // A hole punched through the ring answers 0, not the length, and a device is not discarded by it.
            return Err(OpenError::Unsupported { engine: "io_uring", why: "cannot trim; use psync".into() });
        }
        let file = opening.descriptor("io_uring")?;
        let queue = UringQueue::new(file, opening.depth, opening.buffer_size)
            .map_err(|e| OpenError::unavailable("io_uring", &e, advice(&e)))?;
        let notes = queue.notes().to_vec();
        Ok(Opened { engine: Box::new(Uring { queue, batch: opening.batch() }), notes })
    },
};

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "forbidden by kernel.io_uring_disabled or a seccomp filter (containers); use libaio"
        }
        io::ErrorKind::Unsupported => "the kernel has no io_uring, or an early one (before 5.11); use libaio",
        io::ErrorKind::OutOfMemory => "raise RLIMIT_MEMLOCK (ulimit -l), or use libaio",
        _ => "use libaio",
    }
}

struct Uring {
    queue: UringQueue,
    batch: usize,
}

impl Engine for Uring {
    #[inline]
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        // The last batch goes with the call that waits.
        in_batches(self.batch, requests, |batch| {
            self.queue.flush()?;
            Ok(self.queue.push(batch.iter().map(submission)))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.queue.flush()
    }

    #[inline]
    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        self.queue.reap(at_least, wait, |r| done.push(Completion { slot: r.slot, result: r.result }))
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.queue.buffer(slot)
    }
}
