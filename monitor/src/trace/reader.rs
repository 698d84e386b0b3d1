//! The thread that drains the kernel's buffers and counts the events in them.
//!
//! The thread has a private descriptor table. To inspect the extents of a database's file, the thread must open and
//! close the file. In a table shared with the process, closing the file would release the locks (fcntl) of a database
//! within this process.

use super::events::{Decoder, Event, enable};
use super::locations::{Finder, RoleSectors};
use super::page;
use super::recorded::{RecordedBatch, RequestLog};
use super::streams::Streams;
use super::submitters::Submitters;
use super::tracefs::Instance;
use super::whole::Whole;
use super::{Moment, TraceError};
use crate::Roots;
use model::measured::{BlockTrace, RoleFiles};
use model::{CompactSort, Nanos, plan::RolePath};
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Interval at which the buffers are drained. The buffers hold at least a quarter of a second of events from the
/// fastest devices.
const EVERY: Duration = Duration::from_millis(50);
/// Interval between counts of events. Files are always scanned just before a count, because data gets its location
/// before it is written.
const COUNT_EVERY: Duration = Duration::from_millis(500);
/// Number of waiting events at which events are counted before the interval has passed.
const COUNT_AT: usize = 100_000;
/// Inverse of the maximum share of time spent scanning files. Events wait during a scan.
const LOOK_SHARE: u32 = 20;
/// Number of waiting events (56 bytes each) at which files are scanned and events are counted regardless of these
/// intervals.
const WAITING_MAX: usize = 1_000_000;
/// Maximum number of pages taken from one CPU at a time: its whole buffer, plus pages that are filled in the meantime.
const PAGES: usize = 4096;

/// Request to the thread for the trace up to a moment.
pub(super) struct Ask {
    pub moment: Moment,
    pub reply: SyncSender<BlockTrace>,
    /// True if the thread then stops.
    pub last: bool,
}

/// Parameters of a trace.
pub(super) struct Work {
    pub roots: Roots,
    pub wholes: Vec<Whole>,
    pub roles: Vec<RolePath>,
    pub now: Nanos,
    /// Size of each CPU's buffer in bytes; `None` means the default for the machine.
    pub buffer: Option<u64>,
    /// Channel that receives each request.
    pub requests: Option<SyncSender<RecordedBatch>>,
}

/// Starts the thread of a trace and waits until it reports through the sender whether it can trace.
pub(super) fn start_thread(
    name: &str,
    trace: impl FnOnce(&Sender<Result<(), TraceError>>) + Send + 'static,
) -> Result<JoinHandle<()>, TraceError> {
    let (ready, answer) = channel();
    let thread = std::thread::Builder::new().name(name.to_owned());
    let thread = thread.spawn(move || trace(&ready)).map_err(TraceError::Thread)?;
    answer.recv().unwrap_or_else(|_| Err(TraceError::Thread(io::Error::other("it ended at once"))))?;
    Ok(thread)
}

/// Reports to the starter whether creating the reader succeeded. Returns the reader, or `None` if that failed or if the
/// starter no longer waits.
pub(super) fn announced<R>(made: Result<R, TraceError>, ready: &Sender<Result<(), TraceError>>) -> Option<R> {
    let (reader, outcome) = match made {
        Ok(reader) => (Some(reader), Ok(())),
        Err(error) => (None, Err(error)),
    };
    ready.send(outcome).ok().and(reader)
}

/// Traces until a request to stop, or until all senders are dropped.
pub(super) fn trace(work: &Work, ready: &Sender<Result<(), TraceError>>, asks: &Receiver<Ask>) {
    let own_table = sys::threads::own_descriptors();
    let Some(mut reader) = announced(Reader::new(work, own_table), ready) else { return };
    loop {
        match asks.recv_timeout(EVERY) {
            Err(RecvTimeoutError::Timeout) => reader.turn(),
            Err(RecvTimeoutError::Disconnected) => return,
            Ok(Ask { moment, reply, last: false }) => {
                let _ = reply.send(reader.take_trace(&moment, false));
            }
            Ok(Ask { moment, reply, last: true }) => {
                reader.instance.stop();
                let last_trace = reader.take_trace(&moment, true);
                // Remove the instance before the caller learns about the end.
                drop(reader);
                let _ = reply.send(last_trace);
                return;
            }
        }
    }
}

struct Reader {
    instance: Instance,
    decoder: Decoder,
    streams: Streams,
    places: RoleSectors,
    /// Scanner for files; `None` if files must not be opened on this thread.
    finder: Option<Finder>,
    found: Vec<RoleFiles>,
    buffer: Vec<u8>,
    waiting: Vec<Event>,
    counted: Instant,
    look_after: Instant,
    broken: u64,
    // Counts of the current interval.
    from: Nanos,
    events: u64,
    lost: u64,
    cpu: u64,
    /// CPU time of the thread at the beginning of the interval.
    cpu_before: u64,
    /// End of the last interval for which lost events were counted, on CLOCK_MONOTONIC.
    told_until: u64,
}

impl Reader {
    fn new(work: &Work, own_table: bool) -> Result<Reader, TraceError> {
        let numbers: Vec<(u32, u32)> =
            work.wholes.iter().flat_map(|w| std::iter::once(w.dev).chain(w.partitions.iter().copied())).collect();
        let bios = work.wholes.iter().any(|w| w.without_requests);
        let enable = |dir: &Path| enable(dir, &numbers, bios, work.requests.is_some());
        let (instance, decoder) = Instance::make(&work.roots, work.buffer, enable)?;
        let (now, begun) = (Instant::now(), sys::clock::monotonic_ns());
        let cpu = cpu_time();
        let mut reader = Reader {
            buffer: vec![0; instance.page.size],
            instance,
            decoder,
            streams: Streams::new(work.wholes.clone(), work.roles.iter().map(|r| r.role.clone()).collect()),
            places: RoleSectors::default(),
            finder: (own_table && !work.roles.is_empty()).then(|| Finder::new(&work.roots, &work.roles)),
            found: Vec::new(),
            waiting: Vec::new(),
            counted: now,
            look_after: now,
            broken: 0,
            from: work.now,
            events: 0,
            lost: 0,
            cpu,
            cpu_before: cpu,
            told_until: begun,
        };
        reader.streams.submitters = Submitters::new(&work.roots);
        reader.streams.log = work.requests.clone().map(|out| RequestLog::new(out, begun));
        if !own_table {
            let reason =
                || "the kernel does not allow opening files without affecting their locks (unshare)".to_owned();
            let without = |r: &RolePath| RoleFiles {
                role: r.role.clone(),
                path: r.path.display().to_string(),
                why_not: reason(),
                ..RoleFiles::default()
            };
            reader.found = work.roles.iter().map(without).collect();
        }
        reader.find_files();
        Ok(reader)
    }

    /// Drains the buffers, and counts events if it is time to do so.
    fn turn(&mut self) {
        // Take the time before draining the CPUs one at a time. Then, if a completion is found on one CPU, the start on
        // another CPU has been read as well. A CPU may also still be writing an event that it has already stamped.
        let until = sys::clock::monotonic_ns().saturating_sub(EVERY.as_nanos() as u64);
        let (now, events) = (Instant::now(), self.waiting.len());
        let due = self.counted.elapsed() >= COUNT_EVERY || events >= COUNT_AT;
        let count = due && (now >= self.look_after || events >= WAITING_MAX);
        if count {
            self.find_files();
        }
        self.drain();
        if count {
            self.count(until);
            self.streams.hand_on(until, None, None);
        }
    }

    fn drain(&mut self) {
        let Reader { instance, decoder, streams, waiting, buffer, broken, .. } = self;
        let page_format = instance.page;
        let mut pages = Vec::new();
        instance.read(PAGES, buffer, |page| pages.push(page.to_vec()));
        for bytes in &pages {
            let walked = page::walk(&page_format, bytes, |at, event| {
                let Some(event) = decoder.read(at, event) else { return };
                streams.submitters.remember(&event.thread);
                waiting.push(event);
            });
            *broken += u64::from(walked.broken);
        }
    }

    fn find_files(&mut self) {
        let Some(finder) = &mut self.finder else { return };
        let begin = Instant::now();
        self.found = finder.find_files(&mut self.places);
        self.look_after = Instant::now() + begin.elapsed() * LOOK_SHARE;
    }

    /// Counts events with timestamps up to `until`.
    fn count(&mut self, until: u64) {
        self.counted = Instant::now();
        self.waiting.compact_sort_by_key(|e| e.at);
        let ready = self.waiting.partition_point(|e| e.at <= until);
        for event in self.waiting.drain(..ready) {
            self.streams.take(&event, &self.places);
        }
        self.events += ready as u64;
    }

    /// Returns the trace since the previous moment, up to this moment. `last` also ends the recording of requests.
    fn take_trace(&mut self, moment: &Moment, last: bool) -> BlockTrace {
        self.find_files();
        self.drain();
        self.count(moment.until);
        let lost = self.instance.lost().saturating_add(std::mem::take(&mut self.broken));
        let lost_now = lost.saturating_sub(self.lost);
        self.lost = lost;
        let (mut devices, unmatched) = self.streams.take_counts();
        let missing = (lost_now > 0).then_some((self.told_until, moment.until, lost_now));
        let end = last.then(|| (moment.until, Nanos(cpu_time().saturating_sub(self.cpu_before))));
        self.streams.hand_on(moment.until, missing, end);
        self.told_until = moment.until;
        if lost_now > 0 {
            self.streams.forget();
        }
        for device in &mut devices {
            device.counted = moment.counted.iter().find(|c| c.name == device.name).cloned();
        }
        let cpu = cpu_time();
        let trace = BlockTrace {
            from: self.from,
            until: moment.now,
            length: moment.now.since(self.from),
            devices,
            roles: self.found.clone(),
            cache: moment.cache,
            lost: lost_now,
            unmatched,
            events: std::mem::take(&mut self.events),
            cpu: Nanos(cpu.saturating_sub(self.cpu)),
        };
        (self.from, self.cpu) = (moment.now, cpu);
        trace
    }
}

pub(super) fn cpu_time() -> u64 {
    let time = sys::threads::thread_cpu_time();
    time.user_ns + time.system_ns
}
