//! The write daemon: a thread that moves what the log holds to the data files, so that no session does.
//!
//! First as much as can be moved beside the writers (PASSIVE), then, with writers held up for the little that is left, all of
//! it (TRUNCATE), for a log that is never moved wholly grows for ever.

use super::connect;
use super::counts::Counts;
use crate::DbError;
use crate::engine::RunHow;
use model::{EnginePhase, Nanos};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// A log of so many bytes is moved at once, whatever the time.
const LONG_LOG: u64 = 256 << 20;
/// How often the logs are looked at.
const LOOK: Duration = Duration::from_millis(200);

pub(super) struct Daemon {
    shared: Arc<Shared>,
    more: mpsc::Sender<PathBuf>,
    thread: JoinHandle<Result<(), String>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    busy: Arc<AtomicBool>,
    phases: Mutex<Vec<EnginePhase>>,
}

impl Daemon {
    pub fn start(files: Vec<PathBuf>, how: RunHow, clock: Clock, counts: Arc<Counts>) -> Result<Self, DbError> {
        let shared = Arc::new(Shared::default());
        let (more, news) = mpsc::channel();
        let work = Work { shared: Arc::clone(&shared), how, clock, counts, files: Vec::new() };
        let thread =
            std::thread::Builder::new().name("write-daemon".into()).spawn(move || work.run(files, &news)).map_err(
                |e| DbError::Engine { engine: "sqlite", what: "start its write daemon".into(), why: e.to_string() },
            )?;
        Ok(Daemon { shared, more, thread })
    }

    /// A global that was made since.
    pub fn also(&self, path: PathBuf) {
        // A daemon that ended says why when it is stopped.
        let _ = self.more.send(path);
    }

    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.busy)
    }

    pub fn phases(&self) -> Vec<EnginePhase> {
        std::mem::take(&mut *self.shared.phases.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn stop(self) -> Result<(), DbError> {
        self.shared.stop.store(true, Relaxed);
        self.thread.thread().unpark();
        let ended = self.thread.join().unwrap_or_else(|_| Err("its thread panicked".to_owned()));
        ended.map_err(|why| DbError::Engine { engine: "sqlite", what: "write back its log".into(), why })
    }
}

struct Work {
    shared: Arc<Shared>,
    how: RunHow,
    clock: Clock,
    counts: Arc<Counts>,
    files: Vec<(PathBuf, Connection)>,
}

impl Work {
    fn run(mut self, files: Vec<PathBuf>, news: &mpsc::Receiver<PathBuf>) -> Result<(), String> {
        self.counts.enter_daemon();
        for path in files {
            self.open(path)?;
        }
        let every = Duration::from_nanos(self.how.write_back_every.0);
        let mut last = Instant::now();
        while !self.shared.stop.load(Relaxed) {
            std::thread::park_timeout(LOOK.min(every));
            for path in news.try_iter().collect::<Vec<_>>() {
                self.open(path)?;
            }
            let waiting: u64 = self.files.iter().map(|(path, _)| log_length(path)).sum();
            self.counts.waiting.store(waiting / self.counts.page.load(Relaxed).max(512), Relaxed);
            if waiting > 0 && (last.elapsed() >= every || waiting > LONG_LOG) {
                self.write_back()?;
                last = Instant::now();
            }
        }
        // What is left is moved when the next one starts or the files are read.
        self.write_back()
    }

    fn open(&mut self, path: PathBuf) -> Result<(), String> {
        // One made anew has the name of the one before.
        self.files.retain(|(old, _)| *old != path);
        let connection = connect(&path, &self.how).map_err(|e| format!("{}: {e}", path.display()))?;
        // Writers that leave no gap are not waited for: most is moved beside them, and the next time comes.
        connection.busy_timeout(Duration::from_secs(5)).map_err(|e| e.to_string())?;
        let page: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0)).map_err(|e| e.to_string())?;
        self.counts.page.store(page as u64 + 24, Relaxed);
        self.files.push((path, connection));
        Ok(())
    }

    fn write_back(&self) -> Result<(), String> {
        let began = (self.clock)();
        self.shared.busy.store(true, Relaxed);
        let mut pages = 0;
        let mut outcome = Ok(());
        for (path, connection) in &self.files {
            match checkpoint(connection) {
                Ok(moved) => pages += moved,
                Err(e) => outcome = Err(format!("{}: {e}", path.display())),
            }
        }
        self.shared.busy.store(false, Relaxed);
        if pages > 0 {
            self.counts.moved.fetch_add(pages, Relaxed);
            self.counts.checkpoints.fetch_add(1, Relaxed);
            let phase = EnginePhase {
                name: "WAL checkpoint".to_owned(),
                start: Nanos(began),
                end: Nanos((self.clock)()),
                pages: Some(pages),
            };
            self.shared.phases.lock().unwrap_or_else(PoisonError::into_inner).push(phase);
        }
        outcome
    }
}

fn log_length(path: &std::path::Path) -> u64 {
    let mut log = path.to_owned().into_os_string();
    log.push("-wal");
    std::fs::metadata(log).map_or(0, |m| m.len())
}

/// Moves all of the log; says how many pages that were.
fn checkpoint(connection: &Connection) -> rusqlite::Result<u64> {
    let run = |sql: &str| connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)));
    let (_, moved) = run("PRAGMA wal_checkpoint(PASSIVE)")?;
    let (_, all) = run("PRAGMA wal_checkpoint(TRUNCATE)")?;
    // After a TRUNCATE that went through the log is empty, and SQLite tells 0 of 0.
    Ok(moved.max(all).max(0) as u64)
}
