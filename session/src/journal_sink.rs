//! The sink of a run. It adds events to the record, passes them to the journal's thread, shows progress, and reports to
//! the supervisor that the process is alive.
//!
//! The journal is written by a separate thread, so a slow or hung disk under the store does not delay the load.

use crate::console::Live;
use crate::exit::{self, Code};
use crate::supervisor::Lifeline;
use messages::sentence;
use model::{Nanos, RunEvent, RunRecord};
use run::{Progress, Sink};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use store::{Digest, RunWriter, Store, without_passwords};

enum Message {
    Event(Box<RunEvent>),
    /// The run has ended; lists show this digest.
    Verdict(Box<Digest>),
    /// The run has ended and is stored completely elsewhere.
    Discard,
}

/// Time for which the end of a run waits for the journal's disk.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of further waits of that length, made while the journal's thread is working: writing a large record
/// on a slow machine does not mean that the disk hangs.
const MOST_ROUNDS: u32 = 30;
/// Time for which the end of a run waits until a team's server accepts the run.
const TEAM_PATIENCE: Duration = Duration::from_secs(60);
/// Time for which the journal's thread waits for another process that holds the index. If that is too short, the next
/// listing updates the index.
const INDEX_PATIENCE: Duration = Duration::from_secs(2);

/// Outcome of writing the journal.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// Reason why the run was not stored completely; `None` if it was.
    pub lost: Option<String>,
    /// Remark about the index, if there is one.
    pub remark: Option<String>,
}

impl Kept {
    /// Returns the exit code of a run that would end with `code`. A run that was not stored completely must not end
    /// with success.
    pub fn code(&self, code: Code) -> Code {
        if self.lost.is_some() && code == exit::OK { exit::CANNOT } else { code }
    }
}

/// Progress of the journal's thread.
#[derive(Default)]
struct JournalProgress {
    /// True if the end of the run is on disk and only the index has to be updated.
    whole: AtomicBool,
    /// Kernel ID of the thread; 0 before it has started.
    thread: AtomicU32,
}

impl JournalProgress {
    /// Returns the time for which the thread was runnable.
    fn runnable(&self) -> Duration {
        Duration::from_nanos(sys::threads::runnable_ns(self.thread.load(Relaxed)).unwrap_or(0))
    }
}

/// The sink of a run.
pub struct JournalSink {
    pub(super) record: Option<RunRecord>,
    journal: Option<mpsc::Sender<Message>>,
    thread: Option<JoinHandle<Kept>>,
    progress: Arc<JournalProgress>,
    /// True if the store is a team's.
    team: bool,
    /// Live line.
    pub live: Live,
    /// Connection to the supervisor, to report the exit code.
    pub(super) lifeline: Lifeline,
    last_report: Instant,
    /// Interval length that was last reported, for a long run whose record merges intervals.
    reported_length: Nanos,
}

impl JournalSink {
    /// Creates a sink that stores the run in `store`, or only in memory without one.
    pub fn new(store: Option<Store>, live: Live, lifeline: Lifeline) -> Self {
        let progress = Arc::<JournalProgress>::default();
        let team = store.as_ref().is_some_and(|s| s.team_name().is_some());
        let (journal, thread) = match store {
            None => (None, None),
            Some(store) => {
                // While another process holds the index, nothing is written, and a killed run would lose those events.
                // Limit this wait.
                let store = store.with_patience(INDEX_PATIENCE);
                let (send, receive) = mpsc::channel();
                let shared_progress = Arc::clone(&progress);
                let thread = std::thread::Builder::new()
                    .name("journal".into())
                    .spawn(move || write_journal(&store, &receive, &shared_progress))
                    .ok();
                (Some(send), thread)
            }
        };
        JournalSink {
            record: None,
            journal,
            thread,
            progress,
            team,
            live,
            lifeline,
            last_report: Instant::now(),
            reported_length: Nanos(0),
        }
    }

    /// Returns the record so far, or `None` if the run never began.
    pub fn record(&self) -> Option<&RunRecord> {
        self.record.as_ref()
    }

    /// Closes the journal with the digest for lists. Waits until it is on disk, with a time limit.
    pub fn finish(&mut self, digest: Digest) -> Kept {
        self.close(Message::Verdict(Box::new(digest)))
    }

    /// Removes the journal of a run that is stored completely elsewhere. Waits with the same limit as
    /// [`JournalSink::finish`].
    pub fn discard(&mut self) -> Kept {
        self.close(Message::Discard)
    }

    fn close(&mut self, last: Message) -> Kept {
        let Some(journal) = self.journal.take() else { return Kept::default() };
        let lost = |reason: &str| Kept { lost: Some(reason.to_owned()), remark: None };
        // If the thread ended early, `join` returns the reason below.
        let _ = journal.send(last);
        drop(journal);
        let Some(thread) = self.thread.take() else { return lost("the journal thread could not be started") };
        let (mut since, mut runnable, mut rounds) = (Instant::now(), self.progress.runnable(), 0);
        let patience = if self.team { TEAM_PATIENCE } else { PATIENCE };
        while !thread.is_finished() {
            self.report_alive();
            if since.elapsed() > patience {
                let now = self.progress.runnable();
                if now.saturating_sub(runnable) > patience / 2 && rounds < MOST_ROUNDS {
                    (since, runnable, rounds) = (Instant::now(), now, rounds + 1);
                    continue;
                }
                let whole = self.progress.whole.load(Relaxed);
                if whole && self.team {
                    let remark = "the team's store does not answer; the run is kept on this machine until `secchi \
                                  runs push` or the next run sends it";
                    return Kept { lost: None, remark: Some(remark.to_owned()) };
                }
                if whole {
                    let remark = "the disk of the run store does not respond; the run is kept, and the next `secchi \
                                  runs` adds it to the index";
                    return Kept { lost: None, remark: Some(remark.to_owned()) };
                }
                return lost("the disk of the run store does not respond");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        thread.join().unwrap_or_else(|_| lost("the journal thread panicked"))
    }

    /// Shows a text of several lines instead of the live line, on a terminal.
    pub fn show(&mut self, progress: &Progress, text: &str) {
        self.report_alive();
        self.live.block(progress, text);
    }

    /// Reports regularly that the process is alive, without showing anything.
    pub fn report_alive(&mut self) {
        if self.last_report.elapsed() > Duration::from_millis(500) {
            self.last_report = Instant::now();
            self.lifeline.report_alive();
        }
    }
}

impl Sink for JournalSink {
    fn event(&mut self, mut event: RunEvent) {
        self.report_alive();
        if let RunEvent::Begin { plan, .. } = &mut event {
            // Store and show the arguments as typed, except for the password in a store's URL.
            plan.args.iter_mut().for_each(|word| *word = without_passwords(word));
        }
        match (event, &self.record) {
            // Samples are stored under the numbers of their series.
            (RunEvent::Samples { at, samples }, Some(record)) => {
                record.look_events(at, &samples).into_iter().for_each(|event| self.keep(event));
            }
            (RunEvent::Blocks { steps, trace }, _) => {
                self.keep(RunEvent::Traced { steps, trace: Box::new((*trace).into()) });
            }
            (event, _) => self.keep(event),
        }
    }

    fn progress(&mut self, progress: &Progress) {
        self.report_alive();
        self.live.show(progress);
    }
}

impl JournalSink {
    /// Adds the event to the journal and to the record, so that both contain the same events.
    fn keep(&mut self, event: RunEvent) {
        log_event(&event);
        if let Some(journal) = &self.journal {
            // If the journal ended early, `finish` returns the reason.
            let _ = journal.send(Message::Event(Box::new(event.clone())));
        }
        match &mut self.record {
            None => self.record = RunRecord::begin(event).ok(),
            Some(record) => {
                let before: u32 = record.coarse.iter().sum();
                // The conductor's events are in order by construction.
                let _ = record.apply(event);
                let now: u32 = record.coarse.iter().sum();
                // Half of the record's memory was freed, and it may not be needed again for days.
                if now > before {
                    sys::memory::release_freed_memory();
                }
                // With several jobs in parallel, the intervals of some jobs are merged a little later than those of
                // others.
                if let Some(length) = record.coarsened().filter(|length| now > before && *length > self.reported_length)
                {
                    self.reported_length = length;
                    let remark = sentence!("remark-coarsened", time = record.ended.to_string(), length);
                    self.live.line(&crate::console::translate(&remark));
                }
            }
        }
    }
}

/// Reports the events that an engineer looks for in diagnostics. Intervals and samples are left out. Plans and
/// jobs are printed as in the record, where secrets are replaced; their `Debug` output would contain them.
fn log_event(event: &RunEvent) {
    match event {
        RunEvent::Begin { id, plan, .. } => {
            tracing::info!(id, kind = plan.kind.name().as_str(), stages = plan.stages.len(), "the run begins");
            tracing::debug!("plan: {}", serde_json::to_string(plan).unwrap_or_default());
        }
        RunEvent::Filled { bytes, time } => tracing::info!(bytes, %time, "filled"),
        RunEvent::EngineChosen { requested, why } => tracing::info!(requested, "chose the engine: {why}"),
        RunEvent::StepBegin { number, job, at, .. } => {
            let (engine, depth, threads) = (&job.engine, job.queue_depth, job.threads);
            tracing::info!(number, job = job.name, engine, depth, threads, %at, "step begins");
            tracing::debug!(number, "job: {}", serde_json::to_string(job).unwrap_or_default());
        }
        RunEvent::StepEnd { step, end } => tracing::info!(step, stop = ?end.stop, "step ended"),
        RunEvent::Caveat(caveat) => tracing::info!(id = caveat.id, step = caveat.step, "doubt: {}", caveat.statement),
        RunEvent::Note { at, text } => tracing::debug!(%at, "note: {text}"),
        RunEvent::End { state, at, reason, signal } => tracing::info!(?state, %at, ?signal, "the run ended: {reason}"),
        _ => {}
    }
}

/// Longest time without a sync while events keep arriving.
const UNSAVED: Duration = Duration::from_millis(500);

/// Appends events as they arrive and makes them durable about once a second.
fn write_journal(store: &Store, messages: &mpsc::Receiver<Message>, progress: &JournalProgress) -> Kept {
    progress.thread.store(sys::threads::thread_number(), Relaxed);
    let mut kept = Kept::default();
    let mut writer = None;
    // Events that arrive together are synced together: a run on many hosts receives the intervals of all hosts for the
    // same second at once.
    let (mut due, mut synced) = (false, Instant::now());
    loop {
        let message = match messages.try_recv() {
            Ok(message) => message,
            Err(mpsc::TryRecvError::Disconnected) => return kept,
            Err(mpsc::TryRecvError::Empty) => {
                let saved = writer.as_mut().filter(|_| std::mem::take(&mut due)).map(RunWriter::sync);
                synced = Instant::now();
                if let Some(Err(error)) = saved {
                    kept.lost = Some(error.to_string());
                    return kept;
                }
                match messages.recv() {
                    Ok(message) => message,
                    Err(_) => return kept,
                }
            }
        };
        match message {
            Message::Event(event) if writer.is_none() => match store.create_run(&event) {
                Ok(w) => writer = Some(w),
                Err(error) => {
                    kept.lost = Some(error.to_string());
                    return kept;
                }
            },
            Message::Event(event) => {
                let Some(w) = &mut writer else { continue };
                let last = matches!(*event, RunEvent::End { .. });
                due |= matches!(
                    *event,
                    RunEvent::Interval { .. } | RunEvent::Filled { .. } | RunEvent::StepEnd { .. } | RunEvent::Disks(_)
                );
                let before = w.bytes();
                let now = last || (due && synced.elapsed() > UNSAVED);
                let written = w.append(&event).and_then(|()| if now { w.sync() } else { Ok(()) });
                if now {
                    (due, synced) = (false, Instant::now());
                }
                if w.bytes() < before {
                    // The journal was rewritten from a second record, whose memory is free now.
                    sys::memory::release_freed_memory();
                }
                if let Err(error) = written {
                    kept.lost = Some(error.to_string());
                    return kept;
                }
                progress.whole.store(last, Relaxed);
            }
            Message::Discard => {
                let removed = writer.take().map_or(Ok(()), RunWriter::discard);
                kept.lost = removed.err().map(|error| error.to_string());
            }
            Message::Verdict(verdict) => {
                let Some(w) = writer.take() else { continue };
                match w.finish(*verdict) {
                    Ok(finished) => kept.remark = finished.waits.or_else(|| finished.indexed.remark()),
                    Err(error) => kept.lost = Some(error.to_string()),
                }
            }
        }
    }
}
