//! A trace of the block layer: the sizes in which I/O really reaches a device, and the device's own times.
//!
//! ```text
//! tracefs --per CPU--> page (ring buffer) --> events (by the kernel's formats) --> streams (issue to answer, roles)
//!                                                  places (extents of roles' files) --^
//! ```
//!
//! One door: [`BlockTracer`]. It records in an instance of its own (`tracefs.rs`), which is gone when it is dropped, and
//! after a kill when the next one begins. Everything runs on a thread of its own; the load is touched only by the
//! kernel's writing down of each event.

mod events;
mod format;
mod page;
mod places;
mod reader;
mod streams;
mod tracefs;

use crate::Roots;
use crate::facts::{stack, stack_of_path};
use crate::roots::{names, text, word};
use model::{BlockTrace, Bytes, CacheUse, DeviceFacts, Nanos, RolePath};
use reader::{Ask, Work, trace};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use streams::Whole;

/// Why there is no trace of the block layer. The run goes on without one.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// No tracing file system, and it may not be attached.
    #[error(
        "no block trace: tracefs is not mounted, and attaching it failed ({0}): it needs root (CAP_SYS_ADMIN); try `sudo \
         secchi ...`, or once `sudo mount -t tracefs tracefs /sys/kernel/tracing`"
    )]
    NotMounted(io::Error),
    /// A file of it that may not be used.
    #[error(
        "no block trace: could not {what} {path}: {error}; it needs root (CAP_DAC_OVERRIDE on files of tracefs); try `sudo \
         secchi ...`"
    )]
    Denied {
        /// What was attempted.
        what: &'static str,
        /// On which file.
        path: String,
        /// Why it failed.
        error: io::Error,
    },
    /// A kernel built without the block layer's events.
    #[error("no block trace: the kernel has no event block/{0} (CONFIG_EVENT_TRACING, CONFIG_BLOCK)")]
    NoEvent(&'static str),
    /// A file of the kernel's that is not understood.
    #[error("no block trace: {0}; please report the kernel's version with the file")]
    Format(String),
    /// Files in memory or on another machine.
    #[error("no block trace: there is no block device under the target")]
    NoDevice,
    /// No thread.
    #[error("no block trace: its thread could not be started: {0}")]
    Thread(io::Error),
    /// This machine orders bytes the other way.
    #[error("no block trace: the ring buffer is read on little-endian machines only")]
    Endian,
}

impl TraceError {
    fn denied(what: &'static str, path: &Path, error: &io::Error) -> TraceError {
        // The place of a file system of our own says nothing to anybody.
        let path = path.to_string_lossy();
        let shown = match path.strip_prefix("/proc/thread-self/fd/") {
            Some(rest) => format!("tracefs/{}", rest.split_once('/').map_or("", |(_, rest)| rest)),
            None => path.into_owned(),
        };
        let error = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
        TraceError::Denied { what, path: shown, error }
    }
}

/// A trace under way.
#[derive(Debug)]
pub struct BlockTracer {
    asks: Sender<Ask>,
    thread: Option<JoinHandle<()>>,
    /// An answer that was not waited for.
    owed: Option<Receiver<BlockTrace>>,
}

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

impl BlockTracer {
    /// Begins tracing the whole disks among `devices` (a stack as [`crate::facts::storage`] gives it, partitions by their
    /// disks) and those under the paths of `roles`. `now` is the time on the run's clock.
    ///
    /// # Errors
    /// A sentence saying what is missing and what would grant it.
    pub fn begin(
        roots: &Roots,
        devices: &[DeviceFacts],
        roles: &[RolePath],
        now: Nanos,
    ) -> Result<BlockTracer, TraceError> {
        Self::begin_sized(roots, devices, roles, now, None)
    }

    /// With buffers of so many bytes a CPU instead of what suits the machine.
    fn begin_sized(
        roots: &Roots,
        devices: &[DeviceFacts],
        roles: &[RolePath],
        now: Nanos,
        buffer: Option<u64>,
    ) -> Result<BlockTracer, TraceError> {
        if cfg!(target_endian = "big") {
            return Err(TraceError::Endian);
        }
        let mut numbers: Vec<(u32, u32)> = devices.iter().map(|d| d.dev).collect();
        numbers.extend(roles.iter().flat_map(|r| under(roots, &r.path)).map(|d| d.dev));
        let wholes = wholes(roots, &numbers);
        if wholes.is_empty() {
            return Err(TraceError::NoDevice);
        }
        let work = Work { roots: roots.clone(), wholes, roles: roles.to_vec(), now, buffer };
        let (asks, asked) = channel();
        let (ready, answer) = channel();
        let thread = std::thread::Builder::new().name("block-trace".to_owned());
        let thread = thread.spawn(move || trace(&work, &ready, &asked)).map_err(TraceError::Thread)?;
        match answer.recv() {
            Ok(Ok(())) => Ok(BlockTracer { asks, thread: Some(thread), owed: None }),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(TraceError::Thread(io::Error::other("it ended at once"))),
        }
    }

    /// What was seen since the beginning or the last call, everything that ended before this call included; `now` is the
    /// time on the run's clock. `None` when it cannot be told now: it comes with the next call then.
    pub fn take(&mut self, now: Nanos) -> Option<BlockTrace> {
        let mut late = self.late();
        if self.owed.is_none() {
            late = put_together(late, self.ask(|reply| Ask::Take(now, reply), PATIENCE));
        }
        late
    }

    /// The same, for the last time: the instance is removed when this returns.
    #[must_use]
    pub fn finish(mut self, now: Nanos) -> Option<BlockTrace> {
        let late = self.late();
        put_together(late, self.ask(|reply| Ask::Finish(now, reply), 5 * PATIENCE))
    }

    /// Files on a disk that hangs cannot be looked at: whoever asks must not hang with the thread that does.
    fn ask(&mut self, ask: impl FnOnce(SyncSender<BlockTrace>) -> Ask, patience: Duration) -> Option<BlockTrace> {
        let (reply, told) = sync_channel(1);
        self.asks.send(ask(reply)).ok()?;
        match told.recv_timeout(patience) {
            Ok(trace) => Some(trace),
            Err(RecvTimeoutError::Timeout) => {
                self.owed = Some(told);
                None
            }
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// What an earlier call was not told in time.
    fn late(&mut self) -> Option<BlockTrace> {
        match self.owed.as_ref()?.try_recv() {
            Err(TryRecvError::Empty) => None,
            told => {
                self.owed = None;
                told.ok()
            }
        }
    }
}

fn put_together(earlier: Option<BlockTrace>, later: Option<BlockTrace>) -> Option<BlockTrace> {
    match (earlier, later) {
        (Some(mut earlier), Some(later)) => {
            earlier.merge(&later);
            Some(earlier)
        }
        (earlier, later) => earlier.or(later),
    }
}

impl Drop for BlockTracer {
    fn drop(&mut self) {
        // The thread ends when nobody can ask any more; one that hangs in the kernel is not waited for.
        (self.asks, _) = channel();
        let Some(thread) = self.thread.take() else { return };
        let began = Instant::now();
        while !thread.is_finished() && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        if thread.is_finished() {
            let _ = thread.join();
        }
    }
}

/// The stack under a path of a role, or under the device it is.
fn under(roots: &Roots, path: &Path) -> Vec<DeviceFacts> {
    match std::fs::metadata(path) {
        Ok(meta) if meta.file_type().is_block_device() => stack(roots, &[sys::device_number(meta.rdev())]),
        Ok(meta) if roots.block(sys::device_number(meta.dev())).is_some() => {
            stack(roots, &[sys::device_number(meta.dev())])
        }
        _ => stack_of_path(roots, path),
    }
}

/// The whole disks of these numbers, each once, with their partitions.
fn wholes(roots: &Roots, numbers: &[(u32, u32)]) -> Vec<Whole> {
    let mut wholes: Vec<Whole> = Vec::new();
    for number in numbers {
        let Some(dir) = roots.block(*number) else { continue };
        let disk = if dir.join("partition").exists() { dir.parent().unwrap_or(&dir) } else { &dir };
        let dev_of = |dir: &Path| word(&dir.join("dev")).and_then(|d| sys::parse_dev(&d));
        let Some(dev) = dev_of(disk).filter(|dev| !wholes.iter().any(|w| w.dev == *dev)) else { continue };
        let inside = names(disk).into_iter().map(|n| disk.join(n)).filter(|d| d.join("partition").exists());
        wholes.push(Whole {
            name: disk.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
            dev,
            over: facts_below(roots, dev),
            // What is made of requests has hardware queues.
            without_requests: !disk.join("mq").is_dir(),
            partitions: inside.filter_map(|d| dev_of(&d)).collect(),
        });
    }
    wholes
}

/// What a device stands on, one layer down, in words: `vda`; `/var/tmp/image on vda`. Empty for a disk.
fn facts_below(roots: &Roots, dev: (u32, u32)) -> Vec<String> {
    let stack = stack(roots, &[dev]);
    let below = stack.iter().filter(|d| d.depth == 1).map(|d| d.name.clone());
    match stack.first().and_then(|d| d.backing.clone()) {
        None => below.collect(),
        Some(file) => {
            let on: Vec<String> = below.collect();
            // A loop device over another device names that as its file.
            let itself = |name: &String| Path::new("/dev").join(name) == Path::new(&file);
            match on.is_empty() {
                true => vec![file],
                false if on.iter().any(itself) => on,
                false => vec![format!("{file} on {}", on.join(", "))],
            }
        }
    }
}

/// `/proc/vmstat`: what was paged in and out in KiB, and pages that became dirty and were written back.
fn cache_use(roots: &Roots) -> CacheUse {
    let vmstat = text(&roots.proc.join("vmstat")).unwrap_or_default();
    let value = |key: &str| {
        let found = vmstat.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(' ')?.trim().parse::<u64>().ok());
        found.unwrap_or(0)
    };
    let page = rustix::param::page_size() as u64;
    let bytes = |key, unit: u64| Bytes(value(key).saturating_mul(unit));
    CacheUse {
        paged_in: bytes("pgpgin", 1024),
        paged_out: bytes("pgpgout", 1024),
        dirtied: bytes("nr_dirtied", page),
        written: bytes("nr_written", page),
    }
}

#[cfg(test)]
mod tests;
