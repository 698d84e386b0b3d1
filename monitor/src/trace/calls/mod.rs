//! A trace of system calls: reads, writes and syncs as processes ask them, before the page cache answers.
//!
//! ```text
//! tracefs --per CPU--> calls, every 50 ms ----------------\
//!         --at once--> opens: /proc/PID/fd/N is looked at --+--> streams (begin to end, tables of descriptors) --> requests
//! ```
//!
//! Two instances, both of the named processes and all they start alone: what is opened is looked at as soon as the kernel says
//! so, for a moment later it may be closed again. The rest is looked at in its own time.

#[cfg(all(test, target_os = "linux"))]
mod descriptor_tests;
mod events;
mod files;
mod streams;
mod tables;

use super::page;
use super::reader::{announced, cpu_time};
use super::recorded::RecordedBatch;
use super::tracefs::{Instance, put};
use super::{PATIENCE, TraceError};
use crate::Roots;
use crate::processes::with_descendants;
use crate::roots::names;
use events::{CallDecoder, CallEvent};
use files::{Files, Looked, look};
use model::CompactSort;
use model::{LostRequests, Nanos, RecordingEnd, RolePath};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use streams::{Calls, Look};
use sys::MetadataExt;
use tables::{Slot, Table, Tasks};

/// Buffers are emptied so often; they hold a quarter of a second and more of a million calls a second.
const EVERY: Duration = Duration::from_millis(50);
/// Requests are handed on so often.
const HAND_ON_EVERY: Duration = Duration::from_millis(500);
/// Pages taken from one CPU in a turn: its whole buffer, and what came meanwhile.
const PAGES: usize = 4096;
/// Bytes of each CPU's buffer of opens, of 24 bytes each.
const OPENS_BUFFER: u64 = 1 << 20;
/// The first name space of process numbers (PROC_PID_INIT_INO): events bear its numbers.
const FIRST_NAME_SPACE: u64 = 0xEFFF_FFFC;
/// Opened again under the same number within this time: who looked at the first may have seen the second.
const REMEMBERED: usize = 4096;

/// A trace of system calls under way, each call handed on.
#[derive(Debug)]
pub struct CallTracer {
    /// When it is to end (CLOCK_MONOTONIC).
    ask: Sender<u64>,
    ended: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl CallTracer {
    /// Begins to trace the processes of these numbers, all that come from them, and what the calling thread starts from now on.
    /// Files below the paths of `roles` are told by those.
    ///
    /// # Errors
    /// A sentence saying what is missing and what would grant it.
    pub fn begin(
        roots: &Roots,
        roles: &[RolePath],
        processes: &[u32],
        requests: SyncSender<RecordedBatch>,
    ) -> Result<CallTracer, TraceError> {
        if cfg!(target_endian = "big") {
            return Err(TraceError::Endian);
        }
        let space = sys::metadata(roots.proc.join("self/ns/pid")).map(|meta| meta.ino());
        if space.is_ok_and(|space| space != FIRST_NAME_SPACE) {
            return Err(TraceError::OtherNumbers);
        }
        let work = Work {
            roots: roots.clone(),
            roles: roles.to_vec(),
            processes: processes.to_vec(),
            starter: sys::thread_number(),
            requests,
        };
        let (ask, asked) = channel();
        let (ready, answer) = channel();
        let (end, ended) = sync_channel(1);
        let thread = std::thread::Builder::new().name("call-trace".to_owned());
        let thread = thread.spawn(move || {
            trace(&work, &ready, &asked);
            let _ = end.send(());
        });
        let thread = thread.map_err(TraceError::Thread)?;
        match answer.recv() {
            Ok(Ok(())) => Ok(CallTracer { ask, ended, thread: Some(thread) }),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(TraceError::Thread(io::Error::other("it ended at once"))),
        }
    }

    /// Hands on the rest, and ends: the instances are removed when this returns.
    pub fn finish(mut self) {
        let _ = self.ask.send(sys::monotonic_ns());
        // Files on a disk that hangs cannot be looked at: whoever asks must not hang with the thread that does.
        if self.ended.recv_timeout(5 * PATIENCE) != Err(RecvTimeoutError::Timeout)
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

struct Work {
    roots: Roots,
    roles: Vec<RolePath>,
    processes: Vec<u32>,
    /// The thread that starts the command.
    starter: u32,
    requests: SyncSender<RecordedBatch>,
}

fn trace(work: &Work, ready: &Sender<Result<(), TraceError>>, asks: &Receiver<u64>) {
    // Looking must not let go the locks of a database within this process.
    sys::own_descriptors();
    // What is opened may be closed again within microseconds; ours are few.
    let _ = sys::renice_thread(-20);
    let Some(mut reader) = announced(Reader::new(work), ready) else { return };
    let mut next = Instant::now() + EVERY;
    loop {
        match asks.try_recv() {
            Ok(until) => return reader.end(until),
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {}
        }
        reader.opens.instance.wait(next.saturating_duration_since(Instant::now()));
        reader.look_at_opens();
        if Instant::now() >= next {
            next = Instant::now() + EVERY;
            reader.turn();
        }
    }
}

/// An instance, and how its events are read.
struct Source {
    instance: Instance,
    decoder: CallDecoder,
    buffer: Vec<u8>,
}

impl Source {
    /// The events there are; and pages that made no sense.
    fn read(&mut self, mut give: impl FnMut(CallEvent)) -> u64 {
        let Source { instance, decoder, buffer } = self;
        let format = instance.page;
        let mut broken = 0;
        instance.read(PAGES, buffer, |bytes| {
            let walked =
                page::walk(&format, bytes, |at, event| decoder.read(at, event).into_iter().for_each(&mut give));
            broken += u64::from(walked.broken);
        });
        broken
    }
}

struct Reader<'a> {
    work: &'a Work,
    calls_source: Source,
    opens: Source,
    calls: Calls,
    waiting: Vec<CallEvent>,
    /// What descriptors were that opens gave, by numbers.
    opened: FxHashMap<u64, (Looked, u64)>,
    /// The last open that gave a task a descriptor of a number.
    last_opens: FxHashMap<(u32, i32), u64>,
    opens_so_far: u64,
    begun: u64,
    handed_on: Instant,
    broken: u64,
    lost: u64,
    /// CLOCK_MONOTONIC up to which was told.
    told_until: u64,
    cpu_before: u64,
}

struct Eye<'a>(&'a Roots);

impl Look for Eye<'_> {
    fn look(&mut self, task: u32, descriptor: i32) -> (Looked, u64) {
        let found = look(self.0, task, descriptor);
        (found, sys::monotonic_ns())
    }
}

impl<'a> Reader<'a> {
    fn new(work: &'a Work) -> Result<Reader<'a>, TraceError> {
        let cpu_before = cpu_time();
        let make = |buffer, enable: fn(&Path) -> Result<CallDecoder, TraceError>| {
            let (instance, decoder) = Instance::make(&work.roots, buffer, |dir| {
                choose_tasks(work, dir)?;
                enable(dir)
            })?;
            let buffer = vec![0; instance.page.size];
            Ok(Source { instance, decoder, buffer })
        };
        let calls_source = make(None, CallDecoder::enable_calls)?;
        let opens = make(Some(OPENS_BUFFER), CallDecoder::enable_opens)?;
        let mut files = Files::new(&work.roles);
        let tasks = tables_of_now(work, &mut files);
        let begun = sys::monotonic_ns();
        Ok(Reader {
            work,
            calls_source,
            opens,
            calls: Calls::new(tasks, files, begun),
            waiting: Vec::new(),
            opened: FxHashMap::default(),
            last_opens: FxHashMap::default(),
            opens_so_far: 0,
            begun,
            handed_on: Instant::now(),
            broken: 0,
            lost: 0,
            told_until: begun,
            cpu_before,
        })
    }

    /// Looks at what was opened since.
    fn look_at_opens(&mut self) {
        let Reader { work, opens, waiting, opened, last_opens, opens_so_far, broken, calls, .. } = self;
        *broken += opens.read(|mut event| {
            if calls.tasks.known(event.task).is_some_and(|table| table.borrow().own) {
                return;
            }
            let key = (event.task, event.descriptor(0));
            // Opened again before it was looked at: what was seen is the second.
            if let Some(before) = last_opens.get(&key).and_then(|number| opened.get_mut(number))
                && event.at <= before.1
            {
                before.0 = Looked::Gone;
            }
            let found = match look(&work.roots, key.0, key.1) {
                Looked::Other { nameless: true, .. } => Looked::Gone,
                found => found,
            };
            *opens_so_far += 1;
            opened.insert(*opens_so_far, (found, sys::monotonic_ns()));
            if last_opens.len() >= REMEMBERED {
                last_opens.clear();
            }
            last_opens.insert(key, *opens_so_far);
            event.arguments[1] = *opens_so_far;
            waiting.push(event);
        });
    }

    fn turn(&mut self) {
        // From before the buffers are emptied, one CPU's after the other's: what was begun on the one is read by then when
        // its end is found on the other.
        let until = sys::monotonic_ns().saturating_sub(EVERY.as_nanos() as u64);
        self.drain();
        self.take(until);
        if self.handed_on.elapsed() >= HAND_ON_EVERY {
            self.hand_on(until, false);
        }
    }

    fn drain(&mut self) {
        let Reader { calls_source, waiting, broken, .. } = self;
        *broken += calls_source.read(|event| waiting.push(event));
        self.look_at_opens();
    }

    fn take(&mut self, until: u64) {
        self.waiting.compact_sort_by_key(|event| event.at);
        let ready = self.waiting.partition_point(|event| event.at <= until);
        self.calls.take(&self.waiting, ready, &mut self.opened, &mut Eye(&self.work.roots));
        self.waiting.drain(..ready);
    }

    fn end(mut self, until: u64) {
        self.calls_source.instance.stop();
        self.opens.instance.stop();
        self.drain();
        self.take(until);
        self.hand_on(until, true);
    }

    fn hand_on(&mut self, until: u64, last: bool) {
        self.handed_on = Instant::now();
        let mut batch = self.calls.batch(until, last);
        let lost = self.calls_source.instance.lost() + self.opens.instance.lost() + std::mem::take(&mut self.broken);
        let since = |at: u64| Nanos(at.saturating_sub(self.begun));
        let events = lost.saturating_sub(self.lost);
        if events > 0 {
            batch.lost = Some(LostRequests { from: since(self.told_until), until: since(until), events });
            self.calls.forget();
        }
        (self.lost, self.told_until) = (lost, until);
        if last {
            let (unmatched, unresolved, unseen) = self.calls.untold();
            let cpu = Nanos(cpu_time().saturating_sub(self.cpu_before));
            let length = since(until);
            batch.end = Some(RecordingEnd { length, unmatched, cpu, unresolved, unseen, ..RecordingEnd::default() });
        }
        // Nobody takes them any more where writing failed, which whoever writes says.
        let _ = self.work.requests.send(batch);
    }
}

/// Every task of the processes named, and of those that come from them.
fn tasks_of(work: &Work) -> Vec<(u32, u32)> {
    let processes = with_descendants(&work.roots, &work.processes);
    let own = std::process::id();
    let tasks = processes.into_iter().filter(|process| *process != own).flat_map(|process| {
        let dir = work.roots.proc.join(process.to_string()).join("task");
        names(&dir).into_iter().filter_map(move |name| Some((process, name.parse().ok()?)))
    });
    tasks.collect()
}

/// Has the instance at `dir` take events of these tasks alone, of those that they begin, and of what the starter begins.
fn choose_tasks(work: &Work, dir: &Path) -> Result<(), TraceError> {
    put(dir, "options/event-fork", "1")?;
    put(dir, "set_event_pid", &format!("{}\n", work.starter))?;
    let path = dir.join("set_event_pid");
    let refused = |error: io::Error| TraceError::denied("trace-no-write", &path, &error);
    let mut chosen = std::collections::BTreeSet::new();
    // Until none has begun while they were counted.
    loop {
        let new: Vec<u32> = tasks_of(work).into_iter().map(|(_, task)| task).filter(|t| chosen.insert(*t)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut file = OpenOptions::new().append(true).open(&path).map_err(refused)?;
        for task in new {
            // One that has ended since is no number any more.
            let _ = file.write(format!("{task}\n").as_bytes());
        }
    }
}

/// Tables as they are now: of the processes named, and our own, which the command inherits from.
fn tables_of_now(work: &Work, files: &mut Files) -> Tasks {
    let mut tasks = Tasks::default();
    let own = std::process::id();
    let mut tables: FxHashMap<u32, tables::SharedTable> = FxHashMap::default();
    let all = std::iter::once((own, work.starter)).chain(tasks_of(work));
    for (process, task) in all {
        let table = tables.entry(process).or_insert_with(|| {
            let slots = slots_of_now(&work.roots, process, files);
            Rc::new(RefCell::new(Table { slots, own: process == own }))
        });
        tasks.set(task, Rc::clone(table));
    }
    tasks
}

fn slots_of_now(roots: &Roots, process: u32, files: &mut Files) -> FxHashMap<i32, Slot> {
    let descriptors = names(&roots.proc.join(process.to_string()).join("fd"));
    let descriptors = descriptors.into_iter().filter_map(|name| name.parse::<i32>().ok());
    let slots = descriptors.filter_map(|descriptor| match look(roots, process, descriptor) {
        Looked::Gone => None,
        found => Some((descriptor, Slot::of(files, &found, sys::monotonic_ns(), None))),
    });
    slots.collect()
}

#[cfg(test)]
mod tests;
