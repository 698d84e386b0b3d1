//! The cache that was asked for, shared out evenly among the connections that are open.
//!
//! SQLite has a cache for each connection, and sessions open as many connections as they work on globals; how many that will
//! be, no session knows by itself. They open before the load begins, so that each finds its share when it does its first batch.

use model::Bytes;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Least pages of a connection: below, SQLite cannot hold the path to a record.
const LEAST: u64 = 8;

/// What is shared.
#[derive(Debug, Default)]
pub(super) struct SharedCache {
    /// Bytes in all.
    all: u64,
    /// Connections open.
    open: AtomicU64,
}

impl SharedCache {
    pub fn new(all: Bytes) -> SharedCache {
        SharedCache { all: all.as_u64(), open: AtomicU64::new(0) }
    }

    /// Bytes for each connection, if there are so many.
    fn bytes_per_connection(&self, open: u64) -> u64 {
        self.all / open.max(1)
    }

    /// Connections open now.
    pub fn open(&self) -> u64 {
        self.open.load(Relaxed)
    }

    /// Gives connections their share of the cache as it is with so many open. Negative: KiB rather than pages.
    pub fn apply(&self, open: u64, connections: &[(u32, Connection)]) -> rusqlite::Result<()> {
        let each = (self.bytes_per_connection(open) / 1024).max(1) as i64;
        connections.iter().try_for_each(|(_, c)| c.pragma_update(None, "cache_size", -each))
    }
}

/// A cache that is too small for all the connections there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "--cache {cache}: the sessions have {connections} connections, and each needs at least {LEAST} pages; at least {least}"
)]
pub(super) struct CacheTooSmall {
    /// What was asked for.
    pub cache: Bytes,
    /// Connections of all sessions.
    pub connections: u64,
    /// What they need.
    pub least: Bytes,
}

/// Connections of one session, as long as it is open.
pub(super) struct CachePart {
    pub share: Arc<SharedCache>,
    connections: u64,
}

impl CachePart {
    /// Counts them in.
    ///
    /// # Errors
    /// When so many cannot work with the cache that was asked for.
    pub fn reserve(share: &Arc<SharedCache>, connections: u64, page: u64) -> Result<CachePart, CacheTooSmall> {
        let open = share.open.fetch_add(connections, Relaxed) + connections;
        let part = CachePart { share: Arc::clone(share), connections };
        if share.bytes_per_connection(open) < LEAST * page {
            let least = Bytes(LEAST * page * open);
            return Err(CacheTooSmall { cache: Bytes(share.all), connections: open, least });
        }
        Ok(part)
    }
}

impl Drop for CachePart {
    fn drop(&mut self) {
        self.share.open.fetch_sub(self.connections, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_what_all_have_together() {
        let share = Arc::new(SharedCache::new(Bytes::from_mib(16)));
        let parts: Vec<CachePart> = (0..8).map(|_| CachePart::reserve(&share, 2, 8192).unwrap()).collect();
        assert_eq!((share.open(), share.bytes_per_connection(share.open())), (16, 1 << 20));
        drop(parts);
        assert_eq!(share.open(), 0);
        let many = CachePart::reserve(&share, 1000, 8192).err().unwrap().to_string();
        assert!(many.contains("--cache 16") && many.contains("1000 connections"), "{many}");
        assert_eq!(share.open(), 0);
    }
}
