//! System V shared memory of other programs.

use crate::common::SharedMemory;
use crate::unix::check;
use std::io;

/// Returns the segments of this machine (of this IPC namespace).
///
/// # Errors
/// If /proc cannot be read.
pub fn shared_memory() -> io::Result<Vec<SharedMemory>> {
    Ok(std::fs::read_to_string("/proc/sysvipc/shm")?.lines().skip(1).filter_map(row).collect())
}

/// Parses a line: `key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime ...`
fn row(line: &str) -> Option<SharedMemory> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let word = |at: usize| words.get(at);
    Some(SharedMemory {
        id: word(1)?.parse().ok()?,
        attached: word(6)?.parse().ok()?,
        changed: word(13)?.parse().ok()?,
    })
}

/// Removes a segment that no process has attached, if it is still the described one.
///
/// # Errors
/// `EBUSY` if a process has it attached, `ENOENT` if it is gone or was replaced by another; otherwise as `shmctl(2)`.
pub fn remove_shared_memory(segment: SharedMemory) -> io::Result<()> {
    let now = shared_memory()?.into_iter().find(|s| s.id == segment.id && s.changed == segment.changed);
    match now {
        None => return Err(io::Error::from_raw_os_error(libc::ENOENT)),
        Some(now) if now.attached > 0 => return Err(io::Error::from_raw_os_error(libc::EBUSY)),
        Some(_) => {}
    }
    let id = libc::c_int::try_from(segment.id).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    // SAFETY: the call marks a segment for removal; no memory is passed, and no process has it mapped.
    check(unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_removed_only_while_nobody_has_it_and_only_that_one() {
        // SAFETY: creates and attaches a new segment; a new mapping overlaps no existing memory.
        let (id, at) = unsafe {
            let id = libc::shmget(libc::IPC_PRIVATE, 4096, 0o600);
            (id, libc::shmat(id, std::ptr::null(), 0))
        };
        assert!(id >= 0);
        let find = || shared_memory().unwrap().into_iter().find(|s| s.id == i64::from(id));
        let segment = find().expect("just made");
        assert_eq!(segment.attached, 1);
        assert_eq!(remove_shared_memory(segment).unwrap_err().raw_os_error(), Some(libc::EBUSY));
        // SAFETY: attached above, and nothing points into it.
        unsafe { libc::shmdt(at) };
        let other = SharedMemory { changed: segment.changed + 1, ..segment };
        assert_eq!(remove_shared_memory(other).unwrap_err().raw_os_error(), Some(libc::ENOENT));
        remove_shared_memory(segment).unwrap();
        assert_eq!(find(), None);
    }
}
