//! Holders of locks, and whether they are still alive.

use crate::common::FileId;
use std::path::Path;

/// Returns the process that holds a lock on a file, from /proc/locks; `None` if not listed (another container, NFS).
#[must_use]
pub fn lock_holder(id: FileId) -> Option<u32> {
    holder(&std::fs::read_to_string("/proc/locks").ok()?, id)
}

fn holder(table: &str, id: FileId) -> Option<u32> {
    // `1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF`; lines of waiters have `->` in the second column.
    let (major, minor) = super::mounts::device_number(id.dev);
    let wanted = format!("{major:02x}:{minor:02x}:{}", id.ino);
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields.as_slice() {
            [_, "FLOCK", _, _, pid, file, ..] if *file == wanted => pid.parse().ok(),
            _ => None,
        }
    })
}

/// Returns `true` if a process has ended or is exiting: killed, a zombie, or already without memory. Its locks remain
/// held until its last thread has returned from disk I/O.
#[must_use]
pub fn is_ending(pid: u32) -> bool {
    let process = Path::new("/proc").join(pid.to_string());
    match std::fs::read_to_string(process.join("status")) {
        Ok(status) => ends(&status),
        Err(_) => Path::new("/proc/self").exists() && !process.exists(),
    }
}

fn ends(status: &str) -> bool {
    let field = |name| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let pending = |name| field(name).and_then(|set| u64::from_str_radix(set, 16).ok()).unwrap_or(0);
    let kill = 1 << (rustix::process::Signal::KILL.as_raw() - 1);
    // A process without memory lists no sizes.
    (pending("SigPnd:") | pending("ShdPnd:")) & kill != 0 || field("VmSize:").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locks::{lock_once_ended, try_lock, unlock};
    use std::fs::File;

    #[test]
    fn an_exclusive_lock_keeps_all_out_and_a_shared_one_only_exclusive_ones() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || File::open(file.path()).unwrap();
        let (a, b, c) = (open(), open(), open());
        assert!(try_lock(&a, false).unwrap());
        assert!(try_lock(&b, false).unwrap());
        assert!(!try_lock(&c, true).unwrap());
        drop((a, b));
        assert!(try_lock(&c, true).unwrap());
        assert!(!try_lock(&open(), false).unwrap());
        // The kernel may leave a line out of its table while other tests take and release locks.
        let id = FileId::from_file(&c).unwrap();
        assert_eq!((0..1000).find_map(|_| lock_holder(id)), Some(std::process::id()));
        unlock(&c).unwrap();
        assert!(try_lock(&open(), true).unwrap());
    }

    #[test]
    fn the_table_of_locks_is_read_by_device_and_inode() {
        let table = "1: POSIX  ADVISORY  WRITE 11 fe:00:5678 0 EOF\n2: -> FLOCK  ADVISORY  WRITE 12 fe:00:5678 0 EOF\n\
                     3: FLOCK  ADVISORY  WRITE 13 fe:00:5678 0 EOF\n";
        assert_eq!(holder(table, FileId { dev: 0xFE00, ino: 5678 }), Some(13));
        assert_eq!(holder(table, FileId { dev: 0xFE01, ino: 5678 }), None);
    }

    #[test]
    fn a_process_that_is_killed_is_ending_before_it_is_gone() {
        assert!(!is_ending(std::process::id()));
        let status = |kill: &str| format!("State:\tD (disk sleep)\nVmSize:\t  9 kB\nSigPnd:\t{kill}\nShdPnd:\t0\n");
        assert!(!ends(&status("0000000000000002")));
        assert!(ends(&status("0000000000000100")));
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        assert!(!is_ending(child.id()));
        child.kill().unwrap();
        // Killed, then a zombie, then gone: its locks are waited for, those of a live process are not.
        assert!(is_ending(child.id()));
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || File::open(file.path()).unwrap();
        let mut locked = Some(open());
        assert!(try_lock(locked.as_ref().unwrap(), true).unwrap());
        assert!(!lock_once_ended(&open(), true, || Some(std::process::id())).unwrap());
        let mut asked = 0;
        let waits = || {
            asked += 1;
            locked = locked.take().filter(|_| asked < 3);
            Some(child.id())
        };
        assert!(lock_once_ended(&open(), true, waits).unwrap());
        // A child that another test starts meanwhile holds a copy of the descriptor until it executes its program.
        assert!(asked >= 3 && locked.is_none(), "asked {asked} times");
        child.wait().unwrap();
        assert!(is_ending(child.id()));
    }
}
