//! The requested cache, divided evenly among the open connections.
//!
//! SQLite has a cache for each connection, and a session opens one connection for each of its globals. No session knows
//! the total number of connections. Since all sessions open before the load begins, each session determines its share
//! at its first batch.

use model::Bytes;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Minimum number of pages in a connection's cache. With fewer pages, SQLite cannot hold the path to a record.
const LEAST: u64 = 8;

/// The shared cache.
#[derive(Debug, Default)]
pub(super) struct SharedCache {
    /// Total size in bytes.
    all: u64,
    /// Number of open connections.
    open: AtomicU64,
}

impl SharedCache {
    pub fn new(total: Bytes) -> SharedCache {
        SharedCache { all: total.as_u64(), open: AtomicU64::new(0) }
    }

    /// Returns the cache size of each connection if there are `open` connections, in bytes.
    fn bytes_per_connection(&self, open: u64) -> u64 {
        self.all / open.max(1)
    }

    /// Returns the current number of open connections.
    pub fn open(&self) -> u64 {
        self.open.load(Relaxed)
    }

    /// Sets the cache of each of these connections to its share among `open` connections. SQLite interprets a negative
    /// cache size as KiB instead of pages.
    pub fn apply(&self, open: u64, connections: &[(u32, Connection)]) -> rusqlite::Result<()> {
        let each = (self.bytes_per_connection(open) / 1024).max(1) as i64;
        connections.iter().try_for_each(|(_, c)| c.pragma_update(None, "cache_size", -each))
    }
}

/// Connections of one open session.
pub(super) struct CachePart {
    pub share: Arc<SharedCache>,
    connections: u64,
}

impl CachePart {
    /// Registers the connections of a session.
    ///
    /// # Errors
    /// Returns an error if the requested cache is too small for all connections.
    pub fn reserve(share: &Arc<SharedCache>, connections: u64, page: u64) -> Result<CachePart, String> {
        let open = share.open.fetch_add(connections, Relaxed) + connections;
        let part = CachePart { share: Arc::clone(share), connections };
        if share.bytes_per_connection(open) < LEAST * page {
            let (cache, least) = (Bytes(share.all), Bytes(LEAST * page * open));
            return Err(format!(
                "--cache {cache}: the sessions have {open} connections, and each needs at least {LEAST} pages; use at \
                 least {least}"
            ));
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
        let many = CachePart::reserve(&share, 1000, 8192).err().unwrap();
        assert!(many.contains("--cache 16") && many.contains("1000 connections"), "{many}");
        assert_eq!(share.open(), 0);
    }
}
