//! Thread of a load. It sets its CPUs and priorities as the job requests, opens its engine, session and pattern, waits
//! for the start, and works.

use super::load::{Load, LoadError};
use super::waits;
use load::engine::{Opened, Opening};
use load::engines::{self, Faulty, Locked};
use load::pattern::{Part, Pattern, Span};
use load::session;
use load::worker::{Exchange, Pulse, Shared, WorkerEnd};
use model::Job;
use model::plan::{MemoryPolicy, SyncMode};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use sys::clock::{Clock, RunClock};
use sys::memory::MemoryMode;

/// Thread that is not started yet.
pub(super) struct WorkerThread {
    pub clock: RunClock,
    pub load: Load,
    pub part: Part,
    pub exchange: Exchange,
    pub shared: Arc<Shared>,
    pub pulse: Arc<Pulse>,
    pub ready: mpsc::Sender<Result<Vec<String>, LoadError>>,
    pub start: mpsc::Receiver<u64>,
}

impl WorkerThread {
    /// Opens its targets, waits for the start time, and works.
    pub fn work(self) -> WorkerEnd {
        let WorkerThread { clock, load, part, exchange, shared, pulse, ready, start } = self;
        let thread = sys::threads::thread_number();
        pulse.thread.store(thread, Relaxed);
        if load.job.tuning.work.paced().is_some() {
            // The overhead per request of these runs is compared with other tools. A failure does no harm.
            sys::threads::own_descriptors();
        }
        // Placed before the engine is opened, so that the engine's threads inherit the placement.
        let placed = place_thread(&load.job);
        let (pinned, placed) = match placed.and_then(|()| pin_memory(&load.job)) {
            Ok(pinned) => (pinned, Ok(())),
            Err(error) => (None, Err(error)),
        };
        let opened = placed.and_then(|()| open_engine(clock, &load, part)).and_then(|opened| {
            let notes = opened.notes.clone();
            let runner = load::worker::build_worker(
                clock,
                load::worker::WorkerSpec {
                    job: &load.job,
                    part,
                    engine: opened.engine,
                    session: open_session(&load, part)?,
                    blocking: engines::find(&load.job.engine)?.spec.is_blocking(),
                    patterns: patterns(&load, part)?,
                    content: load.content.clone(),
                    files: load.files.clone(),
                    exchange,
                    shared,
                    pulse,
                    flow: load.flow.clone(),
                    zones: load::zoned::shares(&load.job, &load.zones, &load.files)?,
                },
            )?;
            Ok((runner, notes))
        });
        let runner = match opened {
            Ok((runner, notes)) => {
                let _ = ready.send(Ok(notes));
                runner
            }
            Err(error) => {
                let _ = ready.send(Err(error));
                return WorkerEnd::default();
            }
        };
        drop(ready);
        // If no start time arrives, another worker could not be opened.
        let Ok(at) = start.recv() else { return WorkerEnd::default() };
        let before = waits::of_thread(thread);
        let end = runner(at);
        drop(pinned);
        let cpu_wait = waits::of_thread(thread).zip(before).map(|(after, before)| after.since(before));
        WorkerEnd { cpu_wait, ..end }
    }
}

/// Opens the database session of one worker, together with the indicator that shows when the engine writes back.
fn open_session(load: &Load, part: Part) -> Result<Option<session::Opened>, LoadError> {
    let Some(sessions) = load.sessions.as_ref().filter(|_| load.job.tuning.work.session().is_some()) else {
        return Ok(None);
    };
    let session = sessions.open(&load.job, part.worker).map_err(LoadError::Session)?;
    Ok(Some((session, sessions.writing_back())))
}

/// Pins the amount of memory that the job requests.
pub(crate) fn pin_memory(job: &Job) -> Result<Option<sys::memory::PinnedMemory>, LoadError> {
    let wanted = job.tuning.thread.pinned;
    let failed = |source| LoadError::Placed { job: job.name.clone(), what: format!("pin {wanted} of memory"), source };
    (!wanted.is_zero()).then(|| sys::memory::PinnedMemory::new(wanted.as_u64() as usize).map_err(failed)).transpose()
}

/// Sets CPUs, memory policy and priorities of the calling thread as the job requests.
pub(crate) fn place_thread(job: &Job) -> Result<(), LoadError> {
    let rule = &job.tuning.thread;
    let failed = |what: String| move |source| LoadError::Placed { job: job.name.clone(), what, source };
    if !rule.cpus.is_empty() {
        let cpus: Vec<usize> = rule.cpus.iter().map(|cpu| *cpu as usize).collect();
        sys::threads::bind_thread(&cpus).map_err(failed(format!("run on CPUs {cpus:?}")))?;
    }
    if let Some(policy) = &rule.memory {
        let (mode, nodes) = match policy {
            MemoryPolicy::Prefer(node) => (MemoryMode::Preferred, vec![*node]),
            MemoryPolicy::Bind(nodes) => (MemoryMode::Bind, nodes.clone()),
            MemoryPolicy::Interleave(nodes) => (MemoryMode::Interleave, nodes.clone()),
            MemoryPolicy::Local => (MemoryMode::Local, Vec::new()),
        };
        sys::memory::take_memory_from(mode, &nodes)
            .map_err(failed(format!("allocate its memory on nodes {nodes:?}")))?;
    }
    if rule.nice != 0 {
        sys::threads::renice_thread(rule.nice).map_err(failed(format!("change its niceness by {}", rule.nice)))?;
    }
    if let Some((class, level)) = rule.io_priority {
        sys::threads::set_io_priority(class, level)
            .map_err(failed(format!("set I/O priority {level} of class {class}")))?;
    }
    Ok(())
}

/// Returns the offset patterns of one worker: one pattern, or one per direction if there are rates.
fn patterns(load: &Load, part: Part) -> Result<Vec<Pattern>, LoadError> {
    let job = &load.job;
    if job.tuning.work.replay().is_some() {
        return Ok(vec![Pattern::none()]);
    }
    let spans: Vec<Span> = match load.part {
        Some((at, size)) => vec![Span { at, size }],
        None => job.targets().map(|t| Span { at: t.offset, size: t.size }).collect(),
    };
    let pass_bytes = job.tuning.ends.pass_bytes;
    load::worker::workloads(job)
        .iter()
        .map(|workload| Ok(Pattern::over(workload, &spans, part, job.seed, pass_bytes)?))
        .collect()
}

fn open_engine(clock: RunClock, load: &Load, part: Part) -> Result<Opened, LoadError> {
    let job = &load.job;
    let workload = &job.workload;
    let entry = engines::find(&job.engine)?;
    let mut opened = (entry.open)(&Opening {
        files: load.files.clone(),
        names: job.targets().filter(|t| !t.kind.is_local()).map(|t| t.path.clone()).collect(),
        size: job.target.offset.as_u64() + job.target.size.as_u64(),
        writes: workload.mix.writes() || workload.flush_every.is_some(),
        trims: workload.mix.trim_percent > 0,
        flushes: job.tuning.work.paced().is_some_and(|b| b.durable)
            || workload.flush_every.is_some()
            || workload.detail.full_flush_every.is_some()
            || job.tuning.work.replay().is_some_and(|r| r.flushes > 0),
        durable_writes: job.tuning.sync != SyncMode::None,
        random: workload.access.is_random(),
        depth: job.queue_depth,
        buffer_size: workload.max_buffer().as_u64() as usize,
        options: job.tuning.engine_options.clone(),
        submit: job.tuning.queueing.submit,
    })?;
    if let Some(kind) = job.tuning.lock {
        opened.engine = Box::new(Locked::new(opened.engine, kind, load.locks.clone()));
    }
    if let Some(plan) = job.faults {
        let seed = job.seed ^ u64::from(part.worker);
        opened.engine = Box::new(Faulty::new(opened.engine, job.queue_depth, plan, seed, move || clock.now()));
    }
    Ok(opened)
}
