//! The write daemon: a thread that moves the contents of the log to the data files, so that sessions do not have to.
//!
//! It first moves as much as possible while writers continue (PASSIVE). Then it blocks writers and moves the small
//! remainder (TRUNCATE), because a log that is never completely moved grows forever.

use super::counts::{Counts, Thread};
use super::{NAME, connect, with_suffix};
use crate::{Clock, DbError, EngineSettings, locked};
use model::{Nanos, measured::EnginePhase};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Size of the logs, in bytes, at which the daemon moves them without waiting for the interval.
const LONG_LOG: u64 = 256 << 20;
/// Size of the header of each page in the log, in bytes.
const FRAME: u64 = 24;
/// Interval between checks of the logs.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Request to the daemon, which answers once the request is done: open the file of a global that was just created, or
/// close the file of a global that is about to be removed.
struct DaemonRequest {
    path: PathBuf,
    open: bool,
    answer: mpsc::Sender<Outcome>,
}

/// Result of the daemon's work. The error is a clause with the reason.
type Outcome = Result<(), String>;

pub(super) struct Daemon {
    shared: Arc<Shared>,
    more: mpsc::Sender<DaemonRequest>,
    thread: JoinHandle<Outcome>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    busy: Arc<AtomicBool>,
    phases: Mutex<Vec<EnginePhase>>,
}

impl Daemon {
    pub fn start(files: Vec<PathBuf>, how: EngineSettings, clock: Clock, counts: Arc<Counts>) -> Result<Self, DbError> {
        let shared = Arc::new(Shared::default());
        let (more, news) = mpsc::channel();
        let work = Work { shared: Arc::clone(&shared), how, clock, counts, files: Vec::new(), io: None };
        let thread = std::thread::Builder::new().name("write-daemon".into()).spawn(move || work.run(files, &news));
        let thread = thread.map_err(|e| DbError::engine(NAME, "start its write daemon", e.to_string()))?;
        Ok(Daemon { shared, more, thread })
    }

    /// Adds a global that was created after the start.
    pub fn open_file(&self, path: &Path) -> Result<(), DbError> {
        self.send_request("add a global to its write daemon", path, true)
    }

    /// Closes the files of a global that is about to be removed.
    pub fn close_file(&self, path: &Path) -> Result<(), DbError> {
        self.send_request("remove a global from its write daemon", path, false)
    }

    fn send_request(&self, what: &str, path: &Path, open: bool) -> Result<(), DbError> {
        let (answer, hear) = mpsc::channel();
        let sent = self.more.send(DaemonRequest { path: path.to_owned(), open, answer }).is_ok();
        self.thread.thread().unpark();
        let heard = if sent { hear.recv().ok() } else { None };
        // The reason is reported when the daemon is stopped.
        heard.unwrap_or(Err("its write daemon has ended".into())).map_err(|error| DbError::engine(NAME, what, error))
    }

    pub fn writing_back(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.busy)
    }

    pub fn phases(&self) -> Vec<EnginePhase> {
        std::mem::take(&mut *locked(&self.shared.phases))
    }

    pub fn stop(self) -> Result<(), DbError> {
        self.shared.stop.store(true, Relaxed);
        self.thread.thread().unpark();
        let ended = self.thread.join().unwrap_or(Err("its thread panicked".into()));
        ended.map_err(|error| DbError::engine(NAME, "write back its log", error))
    }
}

struct Work {
    shared: Arc<Shared>,
    how: EngineSettings,
    clock: Clock,
    counts: Arc<Counts>,
    files: Vec<(PathBuf, Connection)>,
    /// Counters of this thread, which writes only pages of the data files.
    io: Option<Arc<Thread>>,
}

impl Work {
    fn run(mut self, files: Vec<PathBuf>, news: &mpsc::Receiver<DaemonRequest>) -> Outcome {
        self.io = Some(self.counts.register_daemon());
        for path in files {
            self.open(path)?;
        }
        let every = Duration::from_nanos(self.how.write_back_every.as_nanos());
        let mut last = Instant::now();
        while !self.shared.stop.load(Relaxed) {
            std::thread::park_timeout(POLL_INTERVAL.min(every));
            self.answer_requests(news);
            let waiting: u64 = self.files.iter().map(|(path, _)| log_length(path)).sum();
            self.counts.waiting.store(waiting / (self.counts.page.load(Relaxed).max(512) + FRAME), Relaxed);
            if waiting > 0 && (last.elapsed() >= every || waiting > LONG_LOG) {
                // A full disk may have space again the next time; if not, the last write-back reports it.
                let _ = self.write_back();
                last = Instant::now();
            }
        }
        self.answer_requests(news);
        // The rest of the log is moved at the next start, or when the files are read.
        self.write_back()
    }

    fn answer_requests(&mut self, news: &mpsc::Receiver<DaemonRequest>) {
        while let Ok(DaemonRequest { path, open, answer }) = news.try_recv() {
            let done = if open {
                self.open(path)
            } else {
                self.files.retain(|(old, _)| *old != path);
                Ok(())
            };
            // The caller waits for the answer.
            let _ = answer.send(done);
        }
    }

    fn open(&mut self, path: PathBuf) -> Outcome {
        let connection = connect(&path, &self.how).map_err(|e| format!("{}: {e}", path.display()))?;
        // The daemon does not wait longer for writers that never pause. Most pages are moved while writers continue,
        // and the rest follows at the next attempt.
        let page = connection
            .busy_timeout(Duration::from_secs(5))
            .and_then(|()| connection.query_row("PRAGMA page_size", [], |row| row.get::<_, i64>(0)))
            .map_err(|e| e.to_string())?;
        self.counts.page.store(page as u64, Relaxed);
        self.files.push((path, connection));
        Ok(())
    }

    /// Returns the number of bytes that this thread has written, if the kernel counts them.
    fn written(&self) -> Option<u64> {
        self.io.as_ref()?.written()
    }

    fn write_back(&self) -> Outcome {
        let began = (self.clock)();
        self.shared.busy.store(true, Relaxed);
        let before = self.written();
        let (mut frames, mut outcome) = (0, Ok(()));
        for (path, connection) in &self.files {
            match checkpoint(connection) {
                Ok(moved) => frames += moved,
                Err(e) => outcome = Err(format!("{}: {e}", path.display())),
            }
        }
        self.shared.busy.store(false, Relaxed);
        let page = self.counts.page.load(Relaxed).max(512);
        let pages = match (before, self.written()) {
            (Some(before), Some(now)) => now.saturating_sub(before) / page,
            // A page that was updated many times has as many frames in the log but is written once.
            _ => frames,
        };
        if pages > 0 {
            self.counts.moved.fetch_add(pages, Relaxed);
            self.counts.checkpoints.fetch_add(1, Relaxed);
            let phase = EnginePhase {
                name: "WAL checkpoint".to_owned(),
                start: Nanos(began),
                end: Nanos((self.clock)()),
                pages: before.map(|_| pages),
            };
            locked(&self.shared.phases).push(phase);
        }
        outcome
    }
}

fn log_length(path: &Path) -> u64 {
    std::fs::metadata(with_suffix(path, "-wal")).map_or(0, |m| m.len())
}

/// Moves the whole log and returns the number of its frames.
fn checkpoint(connection: &Connection) -> rusqlite::Result<u64> {
    let run = |sql: &str| connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)));
    let (_, moved) = run("PRAGMA wal_checkpoint(PASSIVE)")?;
    let (_, truncated) = run("PRAGMA wal_checkpoint(TRUNCATE)")?;
    // After a successful TRUNCATE, the log is empty, and SQLite reports that 0 of 0 frames were moved.
    Ok(moved.max(truncated).max(0) as u64)
}
