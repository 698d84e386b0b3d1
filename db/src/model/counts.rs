//! Counters of the model: calls on its files, and work done for sessions.

use model::measured::{FileRole, RoleUse, Waiter};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Counters for the system calls on files of one role.
#[derive(Debug, Default)]
pub(super) struct RoleCounts {
    reads: AtomicU64,
    read_bytes: AtomicU64,
    writes: AtomicU64,
    write_bytes: AtomicU64,
    syncs: AtomicU64,
    /// Total times that sessions and writers waited for the system calls, in nanoseconds.
    waited: [AtomicU64; 2],
}

impl RoleCounts {
    /// Runs an action that the waiter `by` waits for, and adds the action's duration to the counters.
    pub fn timed<T>(&self, by: Waiter, what: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = what();
        self.waited[by as usize].fetch_add(began.elapsed().as_nanos() as u64, Relaxed);
        done
    }

    fn waited_ms(&self, by: Waiter) -> f64 {
        self.waited[by as usize].load(Relaxed) as f64 / 1e6
    }

    /// Counts a read of this many bytes.
    pub fn read(&self, bytes: usize) {
        self.reads.fetch_add(1, Relaxed);
        self.read_bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// Counts a write of this many bytes.
    pub fn wrote(&self, bytes: usize) {
        self.writes.fetch_add(1, Relaxed);
        self.write_bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// Counts a sync of a file.
    pub fn synced(&self) {
        self.syncs.fetch_add(1, Relaxed);
    }

    fn of_role(&self, role: FileRole) -> RoleUse {
        let n = |count: &AtomicU64| Some(count.load(Relaxed));
        RoleUse {
            role,
            source: "calls of the model".into(),
            reads: n(&self.reads),
            read_bytes: n(&self.read_bytes),
            writes: n(&self.writes),
            write_bytes: n(&self.write_bytes),
            flushes: n(&self.syncs),
        }
    }
}

/// Counters of the model since its start.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub data: RoleCounts,
    pub journal: RoleCounts,
    pub image: RoleCounts,
    /// Number of records that sessions read.
    pub gets: AtomicU64,
    /// Number of records that sessions set.
    pub sets: AtomicU64,
    /// Number of values that were longer than their space in the page.
    pub cut: AtomicU64,
    pub commits: AtomicU64,
    /// Number of page lookups served by the buffer pool.
    pub hits: AtomicU64,
    /// Number of page lookups that had to read from a file.
    pub misses: AtomicU64,
    /// Number of pages that sessions wrote because they needed a page's buffer.
    pub written_by_sessions: AtomicU64,
    /// Number of pages written by the write daemon.
    pub written_by_daemon: AtomicU64,
    /// Number of records appended to the journal, including page images.
    pub journal_records: AtomicU64,
    /// Number of page images appended to the journal.
    pub page_images: AtomicU64,
    /// Number of commits whose record was made durable by another commit's sync.
    pub shared_syncs: AtomicU64,
    pub write_backs: AtomicU64,
    pub journal_switches: AtomicU64,
}

/// Adds `n` to a counter.
pub(super) fn add(count: &AtomicU64, n: u64) {
    count.fetch_add(n, Relaxed);
}

impl Counts {
    /// Converts the counters to the form common to all engines; `backlog` is in pages.
    pub fn to_counters(&self, journaled: bool, imaged: bool, backlog: f64) -> crate::Counters {
        let n = |count: &AtomicU64| count.load(Relaxed) as f64;
        let counts = [
            ("gets", &self.gets),
            ("sets", &self.sets),
            ("values_cut", &self.cut),
            ("commits", &self.commits),
            ("pool_hits", &self.hits),
            ("pool_misses", &self.misses),
            ("pages_written_by_sessions", &self.written_by_sessions),
            ("pages_written_by_daemon", &self.written_by_daemon),
            ("journal_records", &self.journal_records),
            ("journal_page_images", &self.page_images),
            ("commits_by_a_shared_sync", &self.shared_syncs),
            ("journal_switches", &self.journal_switches),
            ("write_backs", &self.write_backs),
        ];
        let mut mgstat = vec![
            ("Glorefs", n(&self.gets) + n(&self.sets)),
            ("Gloupds", n(&self.sets)),
            ("PhyRds", n(&self.data.reads)),
            // mgstat counts blocks, regardless of how many one call writes.
            ("PhyWrs", n(&self.written_by_sessions) + n(&self.written_by_daemon)),
        ];
        let mut roles = vec![(FileRole::Data, &self.data)];
        if journaled {
            mgstat.push(("Jrnwrts", n(&self.journal.writes)));
            roles.push((FileRole::Journal, &self.journal));
        }
        // Passes of the write daemon.
        mgstat.push(("WDpass", n(&self.write_backs)));
        if imaged {
            mgstat.push(("WIJwri", n(&self.image.writes)));
            roles.push((FileRole::Image, &self.image));
        }
        let mut values: Vec<(String, f64)> =
            counts.iter().map(|(name, count)| ((*name).to_owned(), n(count))).collect();
        for (role, calls) in &roles {
            let wait_time = |by| (role.wait_counter(by).to_owned(), calls.waited_ms(by));
            values.extend([Waiter::Sessions, Waiter::Writers].map(wait_time));
        }
        let roles = roles.into_iter().map(|(role, calls)| calls.of_role(role)).collect();
        crate::Counters { counts: values, mgstat, backlog: Some(backlog), roles }
    }
}
