//! io_uring: registered file, buffers and ring, one system call to submit and wait.

use crate::engine::{Completion, Engine, EngineEntry, OpenError, Opened, Opening, Request, Wait};
use crate::engines::options::Options;
use crate::engines::wrappers::priority::Priorities;
use crate::engines::wrappers::trimming::with_trims;
use crate::engines::{in_batches, submission};
use model::{EngineQueue, EngineSpec, EngineTarget};
use std::io;
use sys::{UringOptions, UringQueue};

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec {
        name: "io_uring",
        aliases: &[],
        help: "Linux submission and completion rings",
        queue: EngineQueue::Deep,
        works_on: EngineTarget::Contents,
    },
    size: None,
    open: |opening| {
        let mut asked = Options::new("io_uring", opening);
        let priorities = Priorities::take(&mut asked, opening.depth)?;
        let options = options(asked, opening)?;
        let files = opening.file_set("io_uring")?;
        let queue = UringQueue::new(files.clone(), opening.depth, opening.buffer_size, options)
            .map_err(|e| OpenError::unavailable("io_uring", &e, advice(&e)))?;
        let notes = queue.notes().to_vec();
        let engine = Uring { queue, batch: opening.batch() };
        let engine = match priorities {
            Some(priorities) => with_trims(UringByPriority { engine, priorities }, files, opening),
            None => with_trims(engine, files, opening),
        };
        Ok(Opened { engine, notes })
    },
};

/// What fio's options of this name say; without them, what is fastest for one device.
fn options(mut asked: Options<'_>, opening: &Opening) -> Result<UringOptions, OpenError> {
    const NAME: &str = "io_uring";
    let refuse = |why: &str| Err(OpenError::Unsupported { engine: NAME, why: why.into() });
    let mut options = UringOptions::default();
    if let Some(on) = asked.flag("registerfiles")? {
        options.register_files = on;
    }
    if let Some(on) = asked.flag("fixedbufs")? {
        options.register_buffers = on;
    }
    let cpu = asked.number("sqthread_poll_cpu")?;
    if asked.flag("sqthread_poll")?.unwrap_or(false) {
        options.poll_submissions = Some(cpu);
    } else if cpu.is_some() {
        return refuse("has a CPU for its submission thread only with sqthread_poll=1");
    }
    options.poll_completions = asked.flag("hipri")?.unwrap_or(false);
    if options.poll_completions {
        if opening.files.iter().any(|f| !sys::is_direct(f)) {
            return refuse("polls for completions only of direct I/O: set direct=1, or leave out hipri");
        }
        if opening.flushes {
            return refuse("cannot flush while it polls for completions: leave out hipri");
        }
    }
    options.force_async = asked.number("force_async")?.unwrap_or(0);
    options.nowait = asked.flag("nowait")?.unwrap_or(false);
    if asked.flag("nonvectored")? == Some(false) {
        return refuse("always uses the calls for one buffer: leave out nonvectored=0");
    }
    asked.finish()?;
    Ok(options)
}

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

/// The same with a priority for each operation.
struct UringByPriority {
    engine: Uring,
    priorities: Priorities,
}

impl Engine for UringByPriority {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        let UringByPriority { engine: Uring { queue, batch }, priorities } = self;
        in_batches(*batch, requests, |batch| {
            queue.flush()?;
            Ok(queue.push_with(batch.iter().map(|r| (submission(r), priorities.draw(r)))))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.engine.flush()
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
