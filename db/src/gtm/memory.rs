//! The shared memory of an open database: its users, and checks that it still belongs to this database.
//!
//! The header of a file contains the ID of its shared memory until the file is closed. After a crash of the machine,
//! that ID may belong to another program. Therefore, the ID and time of each segment are recorded as soon as the
//! database is open.

use super::header::Header;
use crate::{DbError, Marker};
use std::fs;
use std::path::PathBuf;
use sys::memory::SharedMemory;

/// Processes that have the database open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Users {
    /// No process. The database was closed cleanly.
    Nobody,
    /// No process, but the database was not closed: a process was killed, or the machine crashed. Holds the segments
    /// that are still in memory.
    Dead(Vec<SharedMemory>),
    /// Some processes. Holds the number of processes that have the database open.
    Live(u64),
}

/// Determines the users of the database with these headers.
///
/// # Errors
/// Returns an error if the shared memory segments cannot be listed.
pub fn users(marker: &Marker, headers: &[Header]) -> Result<Users, DbError> {
    let ids: Vec<i64> = headers.iter().filter_map(|h| h.shared_memory).collect();
    if ids.is_empty() {
        return Ok(Users::Nobody);
    }
    let noted = fs::read_to_string(note(marker)).unwrap_or_default();
    let noted: Vec<(i64, u64)> = noted
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(id, changed)| Some((id.parse().ok()?, changed.parse().ok()?)))
        .collect();
    let ours = |s: &SharedMemory| {
        let known = noted.iter().find(|(id, _)| *id == s.id);
        ids.contains(&s.id) && known.is_none_or(|(_, changed)| *changed == s.changed)
    };
    let listed = sys::memory::shared_memory().map_err(DbError::io("read", "/proc/sysvipc/shm"))?;
    let segments: Vec<SharedMemory> = listed.into_iter().filter(ours).collect();
    match segments.iter().map(|s| s.attached).max() {
        Some(n) if n > 0 => Ok(Users::Live(n)),
        // Segments that were not recorded may belong to other programs.
        _ => Ok(Users::Dead(segments.into_iter().filter(|s| noted.contains(&(s.id, s.changed))).collect())),
    }
}

/// Records the shared memory segments of the open database.
///
/// # Errors
/// Returns an error if the segments cannot be listed or recorded.
pub fn note_segments(marker: &Marker, headers: &[Header]) -> Result<(), DbError> {
    let listed = sys::memory::shared_memory().map_err(DbError::io("read", "/proc/sysvipc/shm"))?;
    let recorded = listed.iter().filter(|s| headers.iter().any(|h| h.shared_memory == Some(s.id)));
    let text: String = recorded.map(|s| format!("{} {}\n", s.id, s.changed)).collect();
    fs::write(note(marker), text).map_err(DbError::io("write", note(marker)))
}

fn note(marker: &Marker) -> PathBuf {
    marker.directories.work.join("shared-memory")
}
