//! A trace of the block layer: the actual sizes of requests to a device, and the times that the device takes for them.
//!
//! ```text
//! tracefs --per CPU--> page (ring buffer) --> events (by kernel format) --> streams (issue to completion, roles)
//!                                           places (extents of roles' files) --^
//!                                  submitters (processes of threads) --------^
//! ```
//!
//! [`CallTracer`] traces system calls instead (`calls/`).
//!
//! The entry point is [`BlockTracer`]. It records in a private tracing instance (`tracefs.rs`), which is removed on
//! drop. If the process is killed, the next trace removes the instance. Everything runs on a separate thread; the only
//! effect on the load is the time that the kernel needs to record each event.

mod calls;
mod events;
mod format;
mod locations;
mod page;
mod reader;
mod recorded;
mod streams;
mod submitters;
mod tracefs;
mod whole;

use crate::facts::{stack, stack_of_path};
use crate::roots::{names, text, value};
use crate::{DiskCounters, Roots};
pub use calls::CallTracer;
use messages::sentence;
use model::measured::{BlockTrace, CacheUse, DiskUse};
use model::{Bytes, Nanos, Sentence, plan::RolePath, record::DeviceFacts, text::Message};
use reader::{Ask, Work, start_thread, trace};
pub use recorded::RecordedBatch;
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use sys::files::{FileTypeExt, MetadataExt};
use whole::Whole;

/// Reason why the block layer cannot be traced. The run continues without a trace.
#[derive(Debug)]
pub enum TraceError {
    /// The tracing file system is not mounted and could not be attached.
    NotMounted(io::Error),
    /// The tracing file system is not available in this container, which cannot obtain the necessary permission by
    /// itself.
    InContainer,
    /// Access to a file in the tracing file system was denied.
    Denied {
        /// Identifier of the message that describes the attempt.
        what: &'static str,
        /// Path of the file.
        path: String,
        /// Error returned by the system.
        error: io::Error,
    },
    /// The kernel was built without the block layer's events.
    NoEvent(&'static str),
    /// The kernel was built without system call events.
    NoCalls,
    /// Process IDs here differ from the kernel's, because of a PID namespace.
    OtherNumbers,
    /// A format file of the kernel could not be parsed.
    Format(String),
    /// The files are in memory or on another machine.
    NoDevice,
    /// The thread could not be started.
    Thread(io::Error),
    /// The machine is big-endian.
    Endian,
}

impl std::fmt::Display for TraceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for TraceError {}

impl TraceError {
    /// Returns a sentence that names the missing requirement and explains how to meet it.
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
        // Do not show the path of a privately attached file system, which users cannot find.
        let path = path.to_string_lossy();
        let shown = match path.strip_prefix("/proc/thread-self/fd/") {
            Some(rest) => format!("tracefs/{}", rest.split_once('/').map_or("", |(_, rest)| rest)),
            None => path.into_owned(),
        };
        let error = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
        TraceError::Denied { what, path: shown, error }
    }
}

/// Running trace of the block layer. Each request for an answer has a name of type `T`, which identifies answers that
/// arrive late.
#[derive(Debug)]
pub struct BlockTracer<T> {
    asks: Sender<Ask>,
    thread: Option<JoinHandle<()>>,
    /// Outstanding answers, in the order of the requests.
    owed: VecDeque<(T, Receiver<BlockTrace>)>,
    roots: Roots,
    disks: DiskCounters,
    cache: CacheUse,
}

/// End of a traced interval, with the kernel's own counts since the previous one.
#[derive(Debug)]
struct Moment {
    /// Time on the run's clock.
    now: Nanos,
    /// Time on CLOCK_MONOTONIC, the clock of events.
    until: u64,
    counted: Vec<DiskUse>,
    cache: CacheUse,
}

/// Maximum number of attempts to read the counters while no request completes.
const STILL: usize = 8;

/// Inode number of the initial PID namespace (PROC_PID_INIT_INO), whose process IDs appear in events.
const INITIAL_PID_NAMESPACE: u64 = 0xEFFF_FFFC;

/// Maximum time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(1);

impl<T> BlockTracer<T> {
    /// Starts tracing the whole disks among `devices` (a stack as returned by [`crate::facts::storage`]; partitions are
    /// replaced by their disks) and the whole disks under the paths of `roles`. `now` is the time on the run's clock.
    ///
    /// # Errors
    /// Returns [`TraceError`], whose sentence names the missing requirement and how to meet it.
    pub fn begin(
        roots: &Roots,
        devices: &[DeviceFacts],
        roles: &[RolePath],
        now: Nanos,
    ) -> Result<BlockTracer<T>, TraceError> {
        let wholes = traced_disks(roots, devices, roles);
        Self::begin_sized(roots, wholes, roles, now, None, None)
    }

    /// Starts tracing as [`BlockTracer::begin`] does, but sends each request to `requests`. Enables only the events
    /// needed for requests, so sizes before the queue are not available. Records the requests to `devices` and to the
    /// devices under the paths of `roles`, but not to the devices below these devices. Exception: a device that has no
    /// request queue and is built on a single device is replaced by that device.
    ///
    /// # Errors
    /// Returns the same errors as [`BlockTracer::begin`].
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

    /// Starts tracing with buffers of `buffer` bytes per CPU instead of the default for the machine.
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
        let thread = start_thread("block-trace", move |ready| trace(&work, ready, &asked))?;
        Ok(BlockTracer {
            asks,
            thread: Some(thread),
            owed: VecDeque::new(),
            roots: roots.clone(),
            disks: DiskCounters::begin(roots, &facts),
            cache: cache_use(roots),
        })
    }

    /// Returns the trace since the beginning or the last call: everything that ended before this call and nothing that
    /// ended later. `now` is the time on the run's clock. An answer that is not available in time is returned by a
    /// later call, with the name that was given when it was requested.
    pub fn take(&mut self, now: Nanos, name: T) -> Vec<(T, BlockTrace)> {
        self.ask(now, name, false);
        self.answers(PATIENCE)
    }

    /// Returns `true` if an answer is outstanding; another request would not speed it up.
    #[must_use]
    pub fn owes(&self) -> bool {
        !self.owed.is_empty()
    }

    /// Returns outstanding answers that are available now.
    pub fn late(&mut self) -> Vec<(T, BlockTrace)> {
        self.answers(Duration::ZERO)
    }

    /// Returns the last part of the trace, as [`BlockTracer::take`] does. The instance is removed when this returns.
    #[must_use]
    pub fn finish(mut self, now: Nanos, name: T) -> Vec<(T, BlockTrace)> {
        self.ask(now, name, true);
        self.answers(5 * PATIENCE)
    }

    /// Returns the current moment. Its counters cover exactly the requests whose events precede it. To ensure this, the
    /// counters are read repeatedly until no request completes during a reading. If the devices never pause, the last
    /// of [`STILL`] attempts is used.
    fn moment(&mut self, now: Nanos) -> Moment {
        let counts = |disks: &[DiskUse]| disks.iter().map(|d| (d.ops, d.sectors, d.flushes)).collect::<Vec<_>>();
        let mut tries = STILL;
        loop {
            let before = counts(&self.disks.clone().take());
            let until = sys::clock::monotonic_ns();
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

    /// Requests the trace up to now, and the end of the thread if it is the `last` request.
    fn ask(&mut self, now: Nanos, name: T, last: bool) {
        let (reply, answer) = sync_channel(1);
        let moment = self.moment(now);
        if self.asks.send(Ask { moment, reply, last }).is_ok() {
            self.owed.push_back((name, answer));
        }
    }

    /// Returns the answers that arrive in time. If a disk hangs, inspecting its files blocks forever, so the caller
    /// must not wait for the inspecting thread without a limit.
    fn answers(&mut self, patience: Duration) -> Vec<(T, BlockTrace)> {
        let begin = Instant::now();
        let mut answers = Vec::new();
        while let Some((name, answer)) = self.owed.pop_front() {
            match answer.recv_timeout(patience.saturating_sub(begin.elapsed())) {
                Ok(trace) => answers.push((name, trace)),
                Err(RecvTimeoutError::Timeout) => {
                    self.owed.push_front((name, answer));
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => {}
            }
        }
        answers
    }
}

impl<T> Drop for BlockTracer<T> {
    fn drop(&mut self) {
        // The thread ends when the sender is dropped. Do not wait for it, because it may hang in the kernel.
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

/// Returns `true` if process IDs in events differ from those in `/proc`, because of a PID namespace.
fn has_other_process_ids(roots: &Roots) -> bool {
    let space = sys::files::metadata(roots.proc.join("self/ns/pid")).map(|meta| meta.ino());
    space.is_ok_and(|space| space != INITIAL_PID_NAMESPACE)
}

/// Returns the stack under the path of a role, or under the device that the path names.
fn under(roots: &Roots, path: &Path) -> Vec<DeviceFacts> {
    match sys::files::metadata(path) {
        Ok(meta) if meta.file_type().is_block_device() => stack(roots, &[sys::devices::device_number(meta.rdev())]),
        Ok(meta) if roots.block(sys::devices::device_number(meta.dev())).is_some() => {
            stack(roots, &[sys::devices::device_number(meta.dev())])
        }
        _ => stack_of_path(roots, path),
    }
}

/// Returns the whole disks among `devices`, and the whole disks under the paths of `roles`.
fn traced_disks(roots: &Roots, devices: &[DeviceFacts], roles: &[RolePath]) -> Vec<Whole> {
    let mut numbers: Vec<(u32, u32)> = devices.iter().map(|d| d.dev).collect();
    numbers.extend(roles.iter().flat_map(|r| under(roots, &r.path)).map(|d| d.dev));
    wholes(roots, &numbers)
}

/// Returns the device itself or, if it has no request queue and is built on a single device, the device below it.
/// Operations that are merged on the device below reach the storage as one request.
fn with_requests(roots: &Roots, number: (u32, u32)) -> (u32, u32) {
    let without = wholes(roots, &[number]).first().is_some_and(|whole| whole.without_requests);
    let below: Vec<(u32, u32)> = stack(roots, &[number]).iter().filter(|d| d.depth == 1).map(|d| d.dev).collect();
    match below.as_slice() {
        [one] if without && *one != number => with_requests(roots, *one),
        _ => number,
    }
}

/// Returns the whole disks to which these device numbers belong, each once, with their partitions.
fn wholes(roots: &Roots, numbers: &[(u32, u32)]) -> Vec<Whole> {
    let mut wholes: Vec<Whole> = Vec::new();
    for number in numbers {
        let Some(dir) = roots.block(*number) else { continue };
        let disk = if dir.join("partition").exists() { dir.parent().unwrap_or(&dir) } else { &dir };
        let Some(dev) = crate::roots::dev(disk).filter(|dev| !wholes.iter().any(|w| w.dev == *dev)) else { continue };
        let inside = names(disk).into_iter().map(|n| disk.join(n)).filter(|d| d.join("partition").exists());
        let number = |file: &str| crate::roots::number(&disk.join(file));
        wholes.push(Whole {
            size: Bytes(number("size").unwrap_or(0).saturating_mul(512)),
            sector: number("queue/logical_block_size").and_then(|b| u32::try_from(b).ok()).unwrap_or(0),
            name: disk.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
            dev,
            over: facts_below(roots, dev),
            // Devices with a request queue have hardware queues in sysfs.
            without_requests: !disk.join("mq").is_dir(),
            partitions: inside.filter_map(|d| crate::roots::dev(&d)).collect(),
        });
    }
    wholes
}

fn whole_facts(whole: &Whole) -> DeviceFacts {
    DeviceFacts { name: whole.name.clone(), dev: whole.dev, kind: "disk".to_owned(), ..DeviceFacts::default() }
}

/// Describes the devices one layer below a device, such as `vda` or `/var/tmp/image on vda`. Returns an empty list for
/// a disk.
fn facts_below(roots: &Roots, dev: (u32, u32)) -> Vec<String> {
    let stack = stack(roots, &[dev]);
    let below = stack.iter().filter(|d| d.depth == 1).map(|d| d.name.clone());
    match stack.first().and_then(|d| d.backing.clone()) {
        None => below.collect(),
        Some(file) => {
            let on: Vec<String> = below.collect();
            // The backing file of a loop device over another device is that device.
            let itself = |name: &String| Path::new("/dev").join(name) == Path::new(&file);
            match on.is_empty() {
                true => vec![file],
                false if on.iter().any(itself) => on,
                false => vec![format!("{file} on {}", on.join(", "))],
            }
        }
    }
}

/// Reads `/proc/vmstat`: bytes paged in and out (listed in KiB), and pages that became dirty and were written back.
fn cache_use(roots: &Roots) -> CacheUse {
    let vmstat = text(&roots.proc.join("vmstat")).unwrap_or_default();
    let page = sys::memory::page_size() as u64;
    let bytes = |key, unit: u64| Bytes(value(&vmstat, key).unwrap_or(0).saturating_mul(unit));
    CacheUse {
        paged_in: bytes("pgpgin ", 1024),
        paged_out: bytes("pgpgout ", 1024),
        dirtied: bytes("nr_dirtied ", page),
        written: bytes("nr_written ", page),
    }
}

#[cfg(test)]
mod tests;
