//! What the model asked of its files, call by call, and what it did for sessions.

use model::{FileRole, RoleUse, Waiter};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Calls on the files of one role.
#[derive(Debug, Default)]
pub(super) struct RoleCounts {
    reads: AtomicU64,
    read_bytes: AtomicU64,
    writes: AtomicU64,
    write_bytes: AtomicU64,
    syncs: AtomicU64,
    /// Nanoseconds that sessions and writers waited for them.
    waited: [AtomicU64; 2],
}

impl RoleCounts {
    /// Does what is to be waited for.
    pub fn timed<T>(&self, by: Waiter, what: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = what();
        self.waited[by as usize].fetch_add(began.elapsed().as_nanos() as u64, Relaxed);
        done
    }

    fn waited_ms(&self, by: Waiter) -> f64 {
        self.waited[by as usize].load(Relaxed) as f64 / 1e6
    }

    /// A read of so many bytes.
    pub fn read(&self, bytes: usize) {
        self.reads.fetch_add(1, Relaxed);
        self.read_bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// A write of so many bytes.
    pub fn wrote(&self, bytes: usize) {
        self.writes.fetch_add(1, Relaxed);
        self.write_bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// A file was made durable.
    pub fn synced(&self) {
        self.syncs.fetch_add(1, Relaxed);
    }

    fn of_role(&self, role: FileRole) -> RoleUse {
        let n = |count: &AtomicU64| Some(count.load(Relaxed));
        RoleUse {
            role,
            source: "calls of the model".to_owned(),
            reads: n(&self.reads),
            read_bytes: n(&self.read_bytes),
            writes: n(&self.writes),
            write_bytes: n(&self.write_bytes),
            flushes: n(&self.syncs),
        }
    }
}

/// All counts since the model was started.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub data: RoleCounts,
    pub journal: RoleCounts,
    pub image: RoleCounts,
    /// Records read by sessions, and set by them.
    pub gets: AtomicU64,
    pub sets: AtomicU64,
    /// Of those with a value that is longer than its place in the page.
    pub cut: AtomicU64,
    pub commits: AtomicU64,
    /// Pages that were in the buffer pool, or had to be read.
    pub hits: AtomicU64,
    pub misses: AtomicU64,
    /// Pages written by sessions that needed their buffer.
    pub written_by_sessions: AtomicU64,
    /// Pages written by the write daemon.
    pub written_by_daemon: AtomicU64,
    /// Records put into the journal, and images of pages among them.
    pub journal_records: AtomicU64,
    pub page_images: AtomicU64,
    /// Times that a commit found its record made durable by another's.
    pub shared_syncs: AtomicU64,
    pub write_backs: AtomicU64,
    pub journal_switches: AtomicU64,
}

/// Adds one.
pub(super) fn add(count: &AtomicU64, n: u64) {
    count.fetch_add(n, Relaxed);
}

impl Counts {
    /// As the trait tells it; `backlog` in pages.
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
            // mgstat counts blocks, however many go with one call.
            ("PhyWrs", n(&self.written_by_sessions) + n(&self.written_by_daemon)),
        ];
        let mut roles = vec![self.data.of_role(FileRole::Data)];
        if journaled {
            mgstat.push(("Jrnwrts", n(&self.journal.writes)));
            roles.push(self.journal.of_role(FileRole::Journal));
        }
        // The passes of the write daemon.
        mgstat.push(("WDpass", n(&self.write_backs)));
        if imaged {
            mgstat.push(("WIJwri", n(&self.image.writes)));
            roles.push(self.image.of_role(FileRole::Image));
        }
        let mut all: Vec<(String, f64)> = counts.iter().map(|(name, count)| ((*name).to_owned(), n(count))).collect();
        for role in &roles {
            let own = match role.role {
                FileRole::Journal => &self.journal,
                FileRole::Image => &self.image,
                _ => &self.data,
            };
            let told = |by| (role.role.wait_counter(by).to_owned(), own.waited_ms(by));
            all.extend([Waiter::Sessions, Waiter::Writers].map(told));
        }
        crate::Counters { counts: all, mgstat, backlog: Some(backlog), roles }
    }
}
