//! The shared memory a database is open with: who has it attached, and whether it is still that one.
//!
//! The header of a file keeps its number until the file is closed. After a crash of the machine the number may be somebody
//! else's, so the segments are written down (number and time) as soon as the database is open.

use super::header::Header;
use crate::{DbError, Marker};
use std::fs;
use std::path::PathBuf;
use sys::SharedMemory;

/// Who has the database open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Users {
    /// Nobody; it was closed in an orderly way.
    Nobody,
    /// Nobody, but it was not closed: a process was killed, or the machine fell over. What is left in memory.
    Dead(Vec<SharedMemory>),
    /// So many processes.
    Live(u64),
}

/// Looks who has a database open that has these headers.
///
/// # Errors
/// When the segments cannot be told.
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
    let all = sys::shared_memory().map_err(DbError::io("read", "/proc/sysvipc/shm"))?;
    let segments: Vec<SharedMemory> = all.into_iter().filter(ours).collect();
    match segments.iter().map(|s| s.attached).max() {
        Some(n) if n > 0 => Ok(Users::Live(n)),
        // What was not written down may be somebody else's.
        _ => Ok(Users::Dead(segments.into_iter().filter(|s| noted.contains(&(s.id, s.changed))).collect())),
    }
}

/// Writes down what it is open with.
///
/// # Errors
/// When that cannot be told or written.
pub fn note_segments(marker: &Marker, headers: &[Header]) -> Result<(), DbError> {
    let all = sys::shared_memory().map_err(DbError::io("read", "/proc/sysvipc/shm"))?;
    let own = all.iter().filter(|s| headers.iter().any(|h| h.shared_memory == Some(s.id)));
    let text: String = own.map(|s| format!("{} {}\n", s.id, s.changed)).collect();
    fs::write(note(marker), text).map_err(DbError::io("write", note(marker)))
}

fn note(marker: &Marker) -> PathBuf {
    marker.directories.work.join("shared-memory")
}
