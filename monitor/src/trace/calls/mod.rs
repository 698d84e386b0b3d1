//! A trace of system calls: reads, writes and syncs as processes request them, before the page cache.
//!
//! ```text
//! tracefs --per CPU--+--every 50 ms---> calls -------------------------+--> streams (begin to end, --> requests
//!                    +--immediately---> opens: /proc/PID/fd/N is read --+    descriptor tables)
//! ```
//!
//! There are two tracing instances, both restricted to the named processes and everything that they start. Opened files
//! are inspected as soon as the kernel reports the open, because they may be closed a moment later. All other calls are
//! read periodically.

#[cfg(all(test, target_os = "linux"))]
mod descriptor_tests;
mod events;
mod files;
mod streams;
mod tables;

use super::page;
use super::reader::{announced, cpu_time, start_thread};
use super::recorded::RecordedBatch;
use super::tracefs::{Instance, put};
use super::{PATIENCE, TraceError, has_other_process_ids};
use crate::Roots;
use crate::processes::with_descendants;
use crate::roots::names;
use events::{CallDecoder, CallEvent};
use files::{Files, Looked, inspect};
use model::recording::{LostRequests, RecordingEnd};
use model::{CompactSort, Nanos, plan::RolePath};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use streams::{Calls, Inspect};
use tables::{Slot, Table, Tasks};

/// Interval at which the buffers are drained. The buffers hold at least a quarter of a second at a million calls per
/// second.
const EVERY: Duration = Duration::from_millis(50);
/// Interval between batches of requests.
const HAND_ON_EVERY: Duration = Duration::from_millis(500);
/// Maximum number of pages taken from one CPU at a time: its whole buffer, plus pages that are filled in the meantime.
const PAGES: usize = 4096;
/// Size of each CPU's buffer for opens, in bytes; an open takes 24 bytes.
const OPENS_BUFFER: u64 = 1 << 20;
/// Maximum number of opens that are remembered to detect reused descriptor numbers. If a number is reused soon, the
/// inspection for the first open may have seen the file of the second open.
const REMEMBERED: usize = 4096;

/// Running trace of system calls that sends each call to a recording.
#[derive(Debug)]
pub struct CallTracer {
    /// Channel for the time at which the trace is to end (CLOCK_MONOTONIC).
    ask: Sender<u64>,
    ended: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl CallTracer {
    /// Starts tracing the processes with these IDs, all their descendants, and the processes that the calling thread
    /// starts from now on. Files below the paths of `roles` are recorded under those roles.
    ///
    /// # Errors
    /// Returns [`TraceError`], whose sentence names the missing requirement and how to meet it.
    pub fn begin(
        roots: &Roots,
        roles: &[RolePath],
        processes: &[u32],
        requests: SyncSender<RecordedBatch>,
    ) -> Result<CallTracer, TraceError> {
        if cfg!(target_endian = "big") {
            return Err(TraceError::Endian);
        }
        if has_other_process_ids(roots) {
            return Err(TraceError::OtherNumbers);
        }
        let work = Work {
            roots: roots.clone(),
            roles: roles.to_vec(),
            processes: processes.to_vec(),
            starter: sys::threads::thread_number(),
            requests,
        };
        let (ask, asked) = channel();
        let (end, ended) = sync_channel(1);
        let thread = start_thread("call-trace", move |ready| {
            trace(&work, ready, &asked);
            let _ = end.send(());
        })?;
        Ok(CallTracer { ask, ended, thread: Some(thread) })
    }

    /// Sends the remaining calls and stops. The instances are removed when this returns.
    pub fn finish(mut self) {
        let _ = self.ask.send(sys::clock::monotonic_ns());
        // If a disk hangs, inspecting its files blocks forever, so the caller must not wait for the inspecting thread
        // without a limit.
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
    /// Thread that starts the command.
    starter: u32,
    requests: SyncSender<RecordedBatch>,
}

fn trace(work: &Work, ready: &Sender<Result<(), TraceError>>, asks: &Receiver<u64>) {
    // Inspecting files must not release the locks of a database within this process.
    sys::threads::own_descriptors();
    // Files may be closed within microseconds after being opened, so this thread has a high priority; it needs little
    // CPU time.
    let _ = sys::threads::renice_thread(-20);
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

/// A tracing instance and the decoder of its events.
struct Source {
    instance: Instance,
    decoder: CallDecoder,
    buffer: Vec<u8>,
}

impl Source {
    /// Calls `give` for each available event. Returns the number of invalid pages.
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
    /// Results of inspecting opened descriptors, by the sequence number of the open.
    opened: FxHashMap<u64, (Looked, u64)>,
    /// Sequence number of the last open of each descriptor, by task and descriptor.
    last_opens: FxHashMap<(u32, i32), u64>,
    opens_so_far: u64,
    begun: u64,
    handed_on: Instant,
    broken: u64,
    lost: u64,
    /// End of the last interval for which lost events were counted, on CLOCK_MONOTONIC.
    told_until: u64,
    cpu_before: u64,
}

struct Eye<'a>(&'a Roots);

impl Inspect for Eye<'_> {
    fn inspect(&mut self, task: u32, descriptor: i32) -> (Looked, u64) {
        let inspected = inspect(self.0, task, descriptor);
        (inspected, sys::clock::monotonic_ns())
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
        let begun = sys::clock::monotonic_ns();
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

    /// Inspects the files opened since the last call.
    fn look_at_opens(&mut self) {
        let Reader { work, opens, waiting, opened, last_opens, opens_so_far, broken, calls, .. } = self;
        *broken += opens.read(|mut event| {
            if calls.tasks.known(event.task).is_some_and(|table| table.borrow().own) {
                return;
            }
            let key = (event.task, event.descriptor(0));
            // The descriptor was opened again before the first open was inspected, so the inspection saw the second
            // file.
            if let Some(before) = last_opens.get(&key).and_then(|number| opened.get_mut(number))
                && event.at <= before.1
            {
                before.0 = Looked::Gone;
            }
            let inspected = match inspect(&work.roots, key.0, key.1) {
                Looked::Other { nameless: true, .. } => Looked::Gone,
                inspected => inspected,
            };
            *opens_so_far += 1;
            opened.insert(*opens_so_far, (inspected, sys::clock::monotonic_ns()));
            if last_opens.len() >= REMEMBERED {
                last_opens.clear();
            }
            last_opens.insert(key, *opens_so_far);
            event.arguments[1] = *opens_so_far;
            waiting.push(event);
        });
    }

    fn turn(&mut self) {
        // Take the time before draining the CPUs one at a time. Then, if the end of a call is found on one CPU, the
        // beginning on another CPU has been read as well.
        let until = sys::clock::monotonic_ns().saturating_sub(EVERY.as_nanos() as u64);
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
        // The receiver is gone only if writing failed, which the writer reports.
        let _ = self.work.requests.send(batch);
    }
}

/// Returns all tasks of the named processes and their descendants.
fn tasks_of(work: &Work) -> Vec<(u32, u32)> {
    let processes = with_descendants(&work.roots, &work.processes);
    let own_pid = std::process::id();
    let tasks = processes.into_iter().filter(|process| *process != own_pid).flat_map(|process| {
        let dir = work.roots.proc.join(process.to_string()).join("task");
        names(&dir).into_iter().filter_map(move |name| Some((process, name.parse().ok()?)))
    });
    tasks.collect()
}

/// Restricts the instance at `dir` to events of these tasks, the tasks that they start, and the tasks that the starter
/// starts.
fn choose_tasks(work: &Work, dir: &Path) -> Result<(), TraceError> {
    put(dir, "options/event-fork", "1")?;
    put(dir, "set_event_pid", &format!("{}\n", work.starter))?;
    let path = dir.join("set_event_pid");
    let refused = |error: io::Error| TraceError::denied("trace-no-write", &path, &error);
    let mut chosen = std::collections::BTreeSet::new();
    // Repeat until no new task was started in the meantime.
    loop {
        let new: Vec<u32> = tasks_of(work).into_iter().map(|(_, task)| task).filter(|t| chosen.insert(*t)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut file = OpenOptions::new().append(true).open(&path).map_err(refused)?;
        for task in new {
            // The kernel rejects tasks that have ended since then.
            let _ = file.write(format!("{task}\n").as_bytes());
        }
    }
}

/// Returns the current descriptor tables of the named processes, and of our own process, whose table the command
/// inherits.
fn tables_of_now(work: &Work, files: &mut Files) -> Tasks {
    let mut tasks = Tasks::default();
    let own_pid = std::process::id();
    let mut tables: FxHashMap<u32, tables::SharedTable> = FxHashMap::default();
    let task_ids = std::iter::once((own_pid, work.starter)).chain(tasks_of(work));
    for (process, task) in task_ids {
        let table = tables.entry(process).or_insert_with(|| {
            let slots = slots_of_now(&work.roots, process, files);
            Rc::new(RefCell::new(Table { slots, own: process == own_pid }))
        });
        tasks.set(task, Rc::clone(table));
    }
    tasks
}

fn slots_of_now(roots: &Roots, process: u32, files: &mut Files) -> FxHashMap<i32, Slot> {
    let descriptors = names(&roots.proc.join(process.to_string()).join("fd"));
    let descriptors = descriptors.into_iter().filter_map(|name| name.parse::<i32>().ok());
    let slots = descriptors.filter_map(|descriptor| match inspect(roots, process, descriptor) {
        Looked::Gone => None,
        inspected => Some((descriptor, Slot::new(files, &inspected, sys::clock::monotonic_ns(), None))),
    });
    slots.collect()
}

#[cfg(test)]
mod tests;
