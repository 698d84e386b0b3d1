//! I/O of SQLite's threads, as counted by the kernel for each thread, and pages moved by the write daemon.
//!
//! With a write-ahead log, sessions write only to the log, and the daemon writes only to the data files. The counts of
//! the threads are therefore also the counts of the roles.

use crate::engine::Counters;
use crate::locked;
use model::measured::{FileRole, RoleUse};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Counters of all threads in one run.
#[derive(Default)]
pub(super) struct Counts {
    sessions: Mutex<Vec<Arc<Thread>>>,
    /// Counters of the daemon's thread.
    pub daemon: Mutex<Option<Arc<Thread>>>,
    /// Number of pages moved from the log to the data files.
    pub moved: AtomicU64,
    /// Number of completed checkpoints.
    pub checkpoints: AtomicU64,
    /// Number of pages in the log that are not in the data files, at the last poll.
    pub waiting: AtomicU64,
    /// Page size in bytes.
    pub page: AtomicU64,
}

/// Counters of one thread.
pub(super) struct Thread {
    io: sys::threads::ThreadIoMeter,
    read: AtomicU64,
    updated: AtomicU64,
    commits: AtomicU64,
}

impl Thread {
    fn of_this_thread() -> Self {
        Thread {
            io: sys::threads::ThreadIoMeter::of_this_thread(),
            read: AtomicU64::new(0),
            updated: AtomicU64::new(0),
            commits: AtomicU64::new(0),
        }
    }

    /// Reads the kernel's counters of the thread once more, because they disappear when the thread ends.
    pub fn refresh(&self) {
        let _ = self.io.so_far();
    }

    /// Returns the number of bytes that the thread has written, or `None` if the kernel does not count them.
    pub fn written(&self) -> Option<u64> {
        self.io.counts().then(|| self.io.so_far().written)
    }

    pub fn read(&self, n: u64) {
        self.read.fetch_add(n, Relaxed);
    }

    pub fn updated(&self, n: u64, commits: u64) {
        self.updated.fetch_add(n, Relaxed);
        self.commits.fetch_add(commits, Relaxed);
    }
}

impl Counts {
    /// Registers the calling thread as a session. Counting begins now.
    pub fn register_session(&self) -> Arc<Thread> {
        let thread = Arc::new(Thread::of_this_thread());
        locked(&self.sessions).push(Arc::clone(&thread));
        thread
    }

    /// Registers the calling thread as the daemon.
    pub fn register_daemon(&self) -> Arc<Thread> {
        let thread = Arc::new(Thread::of_this_thread());
        *locked(&self.daemon) = Some(Arc::clone(&thread));
        thread
    }

    pub fn to_counters(&self, journal: bool) -> Counters {
        let (mut read, mut updated, mut commits) = (0, 0, 0);
        let mut of_sessions = sys::threads::ThreadIo::default();
        // A kernel without per-thread accounting reports nothing, which is not zero.
        let mut counted = true;
        for thread in locked(&self.sessions).iter() {
            read += thread.read.load(Relaxed);
            updated += thread.updated.load(Relaxed);
            commits += thread.commits.load(Relaxed);
            of_sessions.add(&thread.io.so_far());
            counted &= thread.io.counts();
        }
        let daemon = locked(&self.daemon).clone();
        let of_daemon = daemon.map(|d| d.io.so_far()).unwrap_or_default();
        let (moved, checkpoints) = (self.moved.load(Relaxed), self.checkpoints.load(Relaxed));
        let n = |count: u64| count as f64;
        let counts = vec![
            ("reads".to_owned(), n(read)),
            ("updates".to_owned(), n(updated)),
            ("commits".to_owned(), n(commits)),
            ("session_read_calls".to_owned(), n(of_sessions.read_calls)),
            ("session_device_read_bytes".to_owned(), n(of_sessions.device_read)),
            ("session_write_calls".to_owned(), n(of_sessions.write_calls)),
            ("session_written_bytes".to_owned(), n(of_sessions.written)),
            ("checkpoints".to_owned(), n(checkpoints)),
            ("checkpointed_pages".to_owned(), n(moved)),
        ];
        let data_writes = if journal {
            (of_daemon.write_calls, of_daemon.written)
        } else {
            (of_sessions.write_calls, of_sessions.written)
        };
        let source = model::measured::RoleSource::from("calls of SQLite's threads");
        let mut roles = vec![RoleUse {
            role: FileRole::Data,
            source: source.clone(),
            reads: Some(of_sessions.read_calls),
            read_bytes: Some(of_sessions.read),
            writes: Some(data_writes.0),
            write_bytes: Some(data_writes.1),
            flushes: journal.then_some(checkpoints),
        }];
        let mut journal_writes = None;
        if journal {
            journal_writes = counted.then(|| n(of_sessions.write_calls));
            roles.push(RoleUse {
                role: FileRole::Journal,
                source,
                reads: Some(of_daemon.read_calls),
                read_bytes: Some(of_daemon.read),
                writes: counted.then_some(of_sessions.write_calls),
                write_bytes: counted.then_some(of_sessions.written),
                flushes: None,
            });
        }
        let mut mgstat = vec![
            ("Glorefs", n(read + updated)),
            ("Gloupds", n(updated)),
            ("PhyRds", n(of_sessions.read_calls)),
            ("PhyWrs", n(data_writes.0)),
        ];
        mgstat.extend(journal_writes.map(|n| ("Jrnwrts", n)));
        Counters { counts, mgstat, backlog: journal.then(|| n(self.waiting.load(Relaxed))), roles }
    }
}
