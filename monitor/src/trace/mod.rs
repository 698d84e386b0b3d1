//! A trace of the block layer: the sizes in which I/O really reaches a device, and the device's own times.
//!
//! ```text
//! tracefs --per CPU--> page (ring buffer) --> events (by the kernel's formats) --> streams (issue to answer, roles)
//!                                                  places (extents of roles' files) --^
//! ```
//!
//! [`CallTracer`] sees system calls instead (`calls/`).
//!
//! One door: [`BlockTracer`]. It records in an instance of its own (`tracefs.rs`), which is gone when it is dropped, and
//! after a kill when the next one begins. Everything runs on a thread of its own; the load is touched only by the
//! kernel's writing down of each event.

mod calls;
mod events;
mod format;
mod locations;
mod page;
mod reader;
mod recorded;
mod streams;
mod tracefs;
mod whole;

use crate::facts::{stack, stack_of_path};
use crate::roots::{names, text, word};
use crate::{DiskCounters, Roots};
pub use calls::CallTracer;
use messages::sentence;
use model::{BlockTrace, Bytes, CacheUse, DeviceFacts, DiskUse, Message, Nanos, RolePath, Sentence};
use reader::{Ask, Work, trace};
pub use recorded::RecordedBatch;
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use sys::{FileTypeExt, MetadataExt};
use whole::Whole;

/// Why there is no trace of the block layer. The run goes on without one.
#[derive(Debug)]
pub enum TraceError {
    /// No tracing file system, and it may not be attached.
    NotMounted(io::Error),
    /// The same in a container, where no right of its own helps.
    InContainer,
    /// A file of it that may not be used.
    Denied {
        /// The message that says what was attempted.
        what: &'static str,
        /// On which file.
        path: String,
        /// Why it failed.
        error: io::Error,
    },
    /// A kernel built without the block layer's events.
    NoEvent(&'static str),
    /// A kernel built without events of system calls.
    NoCalls,
    /// Numbers of processes are others here than the kernel's.
    OtherNumbers,
    /// A file of the kernel's that is not understood.
    Format(String),
    /// Files in memory or on another machine.
    NoDevice,
    /// No thread.
    Thread(io::Error),
    /// This machine orders bytes the other way.
    Endian,
}

impl std::fmt::Display for TraceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for TraceError {}

impl TraceError {
    /// What is missing, and what would grant it.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        match self {
            TraceError::NotMounted(error) => sentence!("trace-not-mounted", error = error.to_string()),
            TraceError::InContainer => sentence!("trace-in-container"),
            TraceError::Denied { what, path, error } => {
                messages::sentence(Message::new(what).put("path", path).put("error", error.to_string()))
            }
            TraceError::NoEvent(event) => sentence!("trace-no-event", event = *event),
            TraceError::NoCalls => sentence!("trace-no-calls"),
            TraceError::OtherNumbers => sentence!("trace-other-numbers"),
            TraceError::Format(file) => sentence!("trace-strange", file),
            TraceError::NoDevice => sentence!("trace-no-device"),
            TraceError::Thread(error) => sentence!("trace-no-thread", error = error.to_string()),
            TraceError::Endian => sentence!("trace-endian"),
        }
    }

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

/// A trace under way. What is asked of it has a name of the asker's, by which late answers are known.
#[derive(Debug)]
pub struct BlockTracer<T> {
    asks: Sender<Ask>,
    thread: Option<JoinHandle<()>>,
    /// Answers that have not come yet, in the order of the questions.
    owed: VecDeque<(T, Receiver<BlockTrace>)>,
    roots: Roots,
    disks: DiskCounters,
    cache: CacheUse,
}

/// A moment up to which is told, and what the kernel had counted by itself since the one before.
#[derive(Debug)]
struct Moment {
    /// On the run's clock.
    now: Nanos,
    /// CLOCK_MONOTONIC, the clock of events.
    until: u64,
    counted: Vec<DiskUse>,
    cache: CacheUse,
}

/// So often counters are read again until nothing was completed meanwhile.
const STILL: usize = 8;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

impl<T> BlockTracer<T> {
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
    ) -> Result<BlockTracer<T>, TraceError> {
        let wholes = traced_disks(roots, devices, roles);
        Self::begin_sized(roots, wholes, roles, now, None, None)
    }

    /// As [`BlockTracer::begin`], with each request handed on, and only the events that requests are made of: no sizes in front of
    /// the queue are told. Of these devices, and those under the paths of `roles`, the ones whose requests are recorded: not what
    /// stands below, but for what has no requests of its own and stands on one device alone.
    ///
    /// # Errors
    /// As there.
    pub fn begin_recording(
        roots: &Roots,
        devices: &[DeviceFacts],
        roles: &[RolePath],
        now: Nanos,
        requests: SyncSender<RecordedBatch>,
    ) -> Result<BlockTracer<T>, TraceError> {
        let mut numbers: Vec<(u32, u32)> = devices.iter().map(|d| d.dev).collect();
        let on_top = |r: &RolePath| under(roots, &r.path).into_iter().filter(|d| d.depth == 0).map(|d| d.dev);
        numbers.extend(roles.iter().flat_map(on_top));
        let numbers: Vec<(u32, u32)> = numbers.into_iter().map(|number| with_requests(roots, number)).collect();
        Self::begin_sized(roots, wholes(roots, &numbers), roles, now, None, Some(requests))
    }

    /// With buffers of so many bytes a CPU instead of what suits the machine.
    fn begin_sized(
        roots: &Roots,
        wholes: Vec<Whole>,
        roles: &[RolePath],
        now: Nanos,
        buffer: Option<u64>,
        requests: Option<SyncSender<RecordedBatch>>,
    ) -> Result<BlockTracer<T>, TraceError> {
        if cfg!(target_endian = "big") {
            return Err(TraceError::Endian);
        }
        if wholes.is_empty() {
            return Err(TraceError::NoDevice);
        }
        let facts: Vec<DeviceFacts> = wholes.iter().map(whole_facts).collect();
        let work = Work { roots: roots.clone(), wholes, roles: roles.to_vec(), now, buffer, requests };
        let (asks, asked) = channel();
        let (ready, answer) = channel();
        let thread = std::thread::Builder::new().name("block-trace".to_owned());
        let thread = thread.spawn(move || trace(&work, &ready, &asked)).map_err(TraceError::Thread)?;
        match answer.recv() {
            Ok(Ok(())) => Ok(BlockTracer {
                asks,
                thread: Some(thread),
                owed: VecDeque::new(),
                roots: roots.clone(),
                disks: DiskCounters::begin(roots, &facts),
                cache: cache_use(roots),
            }),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(TraceError::Thread(io::Error::other("it ended at once"))),
        }
    }

    /// What was seen since the beginning or the last call, everything that ended before this call and nothing that ended
    /// later; `now` is the time on the run's clock. What cannot be told in time comes with a later call, by the name it was
    /// asked under.
    pub fn take(&mut self, now: Nanos, name: T) -> Vec<(T, BlockTrace)> {
        let moment = self.moment(now);
        self.ask(name, |reply| Ask::Take(moment, reply));
        self.answers(PATIENCE)
    }

    /// Whether an answer has not come yet: one more question would not hasten it.
    #[must_use]
    pub fn owes(&self) -> bool {
        !self.owed.is_empty()
    }

    /// What was asked and not told in time, as far as it can be told now.
    pub fn late(&mut self) -> Vec<(T, BlockTrace)> {
        self.answers(Duration::ZERO)
    }

    /// As [`BlockTracer::take`], for the last time: the instance is removed when this returns.
    #[must_use]
    pub fn finish(mut self, now: Nanos, name: T) -> Vec<(T, BlockTrace)> {
        let moment = self.moment(now);
        self.ask(name, |reply| Ask::Finish(moment, reply));
        self.answers(5 * PATIENCE)
    }

    /// This moment, with counts of the same requests that have an event before it: nothing was completed while they were
    /// read, as far as the devices ever pause.
    fn moment(&mut self, now: Nanos) -> Moment {
        let counts = |told: &[DiskUse]| told.iter().map(|d| (d.ops, d.sectors, d.flushes)).collect::<Vec<_>>();
        let mut tries = STILL;
        loop {
            let before = counts(&self.disks.so_far());
            let until = sys::monotonic_ns();
            let mut ahead = self.disks.clone();
            let counted = ahead.take();
            tries -= 1;
            if tries == 0 || counts(&counted) == before {
                self.disks = ahead;
                let cache = cache_use(&self.roots);
                let since = cache.since(&std::mem::replace(&mut self.cache, cache));
                return Moment { now, until, counted, cache: since };
            }
        }
    }

    fn ask(&mut self, name: T, ask: impl FnOnce(SyncSender<BlockTrace>) -> Ask) {
        let (reply, told) = sync_channel(1);
        if self.asks.send(ask(reply)).is_ok() {
            self.owed.push_back((name, told));
        }
    }

    /// Files on a disk that hangs cannot be looked at: whoever asks must not hang with the thread that does.
    fn answers(&mut self, patience: Duration) -> Vec<(T, BlockTrace)> {
        let begin = Instant::now();
        let mut told = Vec::new();
        while let Some((name, answer)) = self.owed.pop_front() {
            match answer.recv_timeout(patience.saturating_sub(begin.elapsed())) {
                Ok(trace) => told.push((name, trace)),
                Err(RecvTimeoutError::Timeout) => {
                    self.owed.push_front((name, answer));
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => {}
            }
        }
        told
    }
}

impl<T> Drop for BlockTracer<T> {
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
    match sys::metadata(path) {
        Ok(meta) if meta.file_type().is_block_device() => stack(roots, &[sys::device_number(meta.rdev())]),
        Ok(meta) if roots.block(sys::device_number(meta.dev())).is_some() => {
            stack(roots, &[sys::device_number(meta.dev())])
        }
        _ => stack_of_path(roots, path),
    }
}

/// The whole disks among devices, and those under the paths of roles.
fn traced_disks(roots: &Roots, devices: &[DeviceFacts], roles: &[RolePath]) -> Vec<Whole> {
    let mut numbers: Vec<(u32, u32)> = devices.iter().map(|d| d.dev).collect();
    numbers.extend(roles.iter().flat_map(|r| under(roots, &r.path)).map(|d| d.dev));
    wholes(roots, &numbers)
}

/// The device itself, or what it stands on where it has no requests of its own and stands on one device alone: what is merged below
/// reaches the storage as one.
fn with_requests(roots: &Roots, number: (u32, u32)) -> (u32, u32) {
    let without = wholes(roots, &[number]).first().is_some_and(|whole| whole.without_requests);
    let below: Vec<(u32, u32)> = stack(roots, &[number]).iter().filter(|d| d.depth == 1).map(|d| d.dev).collect();
    match below.as_slice() {
        [one] if without && *one != number => with_requests(roots, *one),
        _ => number,
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
        let number = |file: &str| word(&disk.join(file)).and_then(|n| n.parse::<u64>().ok());
        wholes.push(Whole {
            size: Bytes(number("size").unwrap_or(0).saturating_mul(512)),
            sector: number("queue/logical_block_size").and_then(|b| u32::try_from(b).ok()).unwrap_or(0),
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

fn whole_facts(whole: &Whole) -> DeviceFacts {
    DeviceFacts { name: whole.name.clone(), dev: whole.dev, kind: "disk".to_owned(), ..DeviceFacts::default() }
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
    let page = sys::page_size() as u64;
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
