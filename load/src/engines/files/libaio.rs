//! Kernel AIO through system calls, under fio's name. It is asynchronous only with direct I/O.

use super::kernel_queue::{Batched, WithPriorities};
use super::priority::Priorities;
use crate::engine::{EngineEntry, OpenError, Opened};
use crate::engines::options::Options;
use crate::engines::wrappers::trimming::with_trims;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use std::io;
use sys::queues::AioQueue;

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry::new(
    EngineSpec::new("libaio", "Linux asynchronous I/O", EngineQueue::Deep, EngineTarget::Contents)
        .with_aliases(&["aio", "linuxaio"]),
    |opening| {
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
            let reason = "cannot read the completion ring of this kernel: leave out userspace_reap";
            return Err(OpenError::unsupported("libaio", reason));
        }
        let engine = Batched { queue, batch: opening.batch() };
        let engine = match priorities {
            Some(priorities) => with_trims(WithPriorities { inner: engine, priorities }, files, opening),
            None => with_trims(engine, files, opening),
        };
        Ok(Opened { engine, notes: Vec::new() })
    },
);

fn advice(error: &io::Error, depth: u32) -> String {
    if error.kind() != io::ErrorKind::WouldBlock {
        return "use psync".into();
    }
    let read = |name: &str| std::fs::read_to_string(format!("/proc/sys/fs/{name}")).unwrap_or_else(|_| "?".into());
    format!(
        "sysctl fs.aio-max-nr is {}, {} are in use, and {depth} more are needed: raise it, or use io_uring",
        read("aio-max-nr").trim(),
        read("aio-nr").trim()
    )
}
