//! Kernel AIO by system call, named as fio names it. Asynchronous only with direct I/O.

use crate::engine::{Completion, Engine, EngineEntry, OpenError, Opened, Request, Wait};
use crate::engines::options::Options;
use crate::engines::wrappers::priority::Priorities;
use crate::engines::wrappers::trimming::with_trims;
use crate::engines::{in_batches, submission};
use model::{EngineQueue, EngineSpec, EngineTarget};
use std::io;
use sys::AioQueue;

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec {
        name: "libaio",
        aliases: &["aio", "linuxaio"],
        help: "Linux asynchronous I/O",
        queue: EngineQueue::Deep,
        works_on: EngineTarget::Contents,
    },
    size: None,
    open: |opening| {
        let mut options = Options::new("libaio", opening);
        let nowait = options.flag("nowait")?.unwrap_or(false);
        let userspace = options.flag("userspace_reap")?.unwrap_or(false);
        let priorities = Priorities::take(&mut options, opening.depth)?;
        options.finish()?;
        let files = opening.file_set("libaio")?;
        let mut queue = AioQueue::new(files.clone(), opening.depth, opening.buffer_size)
            .map_err(|e| OpenError::unavailable("libaio", &e, advice(&e, opening.depth)))?;
        if nowait {
            queue.set_nowait();
        }
        if userspace && !queue.set_userspace_reap() {
            let why = "cannot read this kernel's completion ring: leave out userspace_reap".into();
            return Err(OpenError::Unsupported { engine: "libaio", why });
        }
        let engine = Aio { queue, batch: opening.batch() };
        let engine = match priorities {
            Some(priorities) => with_trims(AioByPriority { engine, priorities }, files, opening),
            None => with_trims(engine, files, opening),
        };
        Ok(Opened { engine, notes: Vec::new() })
    },
};

fn advice(error: &io::Error, depth: u32) -> String {
    if error.kind() != io::ErrorKind::WouldBlock {
        return "use psync".into();
    }
    let read = |name: &str| std::fs::read_to_string(format!("/proc/sys/fs/{name}")).unwrap_or_else(|_| "?".into());
    format!(
        "sysctl fs.aio-max-nr is {}, {} are taken, {depth} more were wanted: raise it, or use io_uring",
        read("aio-max-nr").trim(),
        read("aio-nr").trim()
    )
}

struct Aio {
    queue: AioQueue,
    batch: usize,
}

impl Engine for Aio {
    #[inline]
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        in_batches(self.batch, requests, |batch| Ok(self.queue.push(batch.iter().map(submission))))
    }

    #[inline]
    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        self.queue.reap(at_least, wait, |r| done.push(Completion { slot: r.slot, result: r.result }))
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.queue.buffer(slot)
    }
}

/// The same with a priority for each operation.
struct AioByPriority {
    engine: Aio,
    priorities: Priorities,
}

impl Engine for AioByPriority {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        let AioByPriority { engine: Aio { queue, batch }, priorities } = self;
        in_batches(*batch, requests, |batch| {
            Ok(queue.push_with(batch.iter().map(|r| (submission(r), priorities.draw(r)))))
        })
    }

    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        self.engine.reap(at_least, wait, done)
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.engine.buffer(slot)
    }

    fn priority(&self, slot: u32) -> u16 {
        self.priorities.of_slot(slot)
    }
}
