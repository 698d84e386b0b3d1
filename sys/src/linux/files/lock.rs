//! Locks that keep a second run off a target: `flock(2)` on the file itself, and a lock file for file systems that
//! other hosts see too (docs/design/safety.md, "Two runs on one target").

use super::file::{Access, OpenHow};
use super::file::{FileId, create_whole, open_no_links, remove_at};
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long one is waited for that was killed: its threads may have to come back from the disk first.
pub const ENDING: Duration = Duration::from_secs(30);

/// Tries to lock an open file for as long as it (or a duplicate of it) is open; does not wait. `false` when somebody
/// else holds it. An exclusive lock keeps everybody out, a shared one only exclusive ones.
///
/// # Errors
/// As `flock(2)`; `EOPNOTSUPP` or `ENOLCK` where the file system has no locks.
pub fn try_lock(file: &File, exclusive: bool) -> io::Result<bool> {
    let how = if exclusive { FlockOperation::NonBlockingLockExclusive } else { FlockOperation::NonBlockingLockShared };
    loop {
        return match rustix::fs::flock(file, how) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(Errno::INTR) => continue,
            Err(e) => Err(e.into()),
        };
    }
}

/// As [`try_lock`]; where its `holder` is a process that is ending ([`is_ending`]) it is waited for, up to [`ENDING`].
///
/// # Errors
/// As [`try_lock`].
pub fn lock_once_ended(file: &File, exclusive: bool, mut holder: impl FnMut() -> Option<u32>) -> io::Result<bool> {
    let until = Instant::now() + ENDING;
    loop {
        if try_lock(file, exclusive)? {
            return Ok(true);
        }
        if !holder().is_some_and(is_ending) || Instant::now() > until {
            // It may have been given back between the two looks.
            return try_lock(file, exclusive);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Gives a lock back before the file is closed.
///
/// # Errors
/// As `flock(2)`.
pub fn unlock(file: &File) -> io::Result<()> {
    Ok(rustix::fs::flock(file, FlockOperation::Unlock)?)
}

/// The process that holds a lock on a file, by /proc/locks; `None` if it does not show (another container, NFS).
#[must_use]
pub fn lock_holder(id: FileId) -> Option<u32> {
    holder(&std::fs::read_to_string("/proc/locks").ok()?, id)
}

fn holder(table: &str, id: FileId) -> Option<u32> {
    // `1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF`; lines of waiters have `->` in the second column.
    let (major, minor) = crate::linux::devices::device_number(id.dev);
    let wanted = format!("{major:02x}:{minor:02x}:{}", id.ino);
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields.as_slice() {
            [_, "FLOCK", _, _, pid, file, ..] if *file == wanted => pid.parse().ok(),
            _ => None,
        }
    })
}

/// Whether a process is gone or on its way: killed, ended and not waited for, or without memory already. What it has locked
/// stays locked until its last thread has come back from the disk.
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
    // Without memory it has no sizes.
    (pending("SigPnd:") | pending("ShdPnd:")) & kill != 0 || field("VmSize:").is_none()
}

/// Who made a lock file: enough to know, on the same machine, whether it still runs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Owner {
    host: String,
    boot: String,
    pid: u32,
    started: String,
}

impl Owner {
    fn me(host: &str) -> Owner {
        let pid = std::process::id();
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let host = host.chars().filter(|c| !c.is_control()).take(255).collect();
        Owner { host, boot: boot.trim().to_owned(), pid, started: started(pid).unwrap_or_default() }
    }

    fn text(&self) -> String {
        format!("secchi lock 1\n{}\n{}\n{}\n{}\n", self.host, self.boot, self.pid, self.started)
    }

    fn parse(text: &str) -> Option<Owner> {
        let mut lines = text.lines();
        (lines.next()? == "secchi lock 1").then_some(())?;
        let [host, boot] = [lines.next()?, lines.next()?].map(str::to_owned);
        Some(Owner { host, boot, pid: lines.next()?.parse().ok()?, started: lines.next()?.to_owned() })
    }

    /// Ended for certain: same boot of the same machine, and no such process.
    fn is_dead(&self, me: &Owner) -> bool {
        !self.boot.is_empty() && self.boot == me.boot && started(self.pid).is_none_or(|s| s != self.started)
    }
}

/// When a process started, in ticks since boot: a process number may be used again, this pair is not.
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold blanks and brackets; what follows the last bracket is columns, the 20th is the start.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

/// A lock file, removed when dropped.
///
/// For NFS, SMB and FUSE, where `flock(2)` may hold on one host only. Its owner is written in it, so that what a
/// killed run on this machine left behind is taken over. Two runs on one machine are kept apart by [`try_lock`],
/// which must be held before.
#[derive(Debug)]
pub struct LockFile {
    dir: File,
    name: OsString,
}

/// Who holds a lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockHolder {
    /// A process that may live.
    Process {
        /// Its number there.
        pid: u32,
        /// Where it runs.
        host: String,
    },
    /// What is written in it names nobody.
    Unknown,
    /// Somebody made it while a dead one's was taken away.
    CameBefore,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockHolder::Process { pid, host } => write!(f, "process {pid} on host {host}"),
            LockHolder::Unknown => f.write_str("somebody unknown"),
            LockHolder::CameBefore => f.write_str("somebody who came just before"),
        }
    }
}

impl LockFile {
    /// Makes it; the inner error is who holds it.
    ///
    /// # Errors
    /// As creating a file.
    pub fn take(dir: &File, name: &OsStr, host: &str) -> io::Result<Result<LockFile, LockHolder>> {
        let me = Owner::me(host);
        for _ in 0..2 {
            match create_whole(dir, name, |f| f.write_all(me.text().as_bytes())) {
                Ok(_) => return Ok(Ok(LockFile { dir: dir.try_clone()?, name: name.to_owned() })),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
            match read(dir, name)?.as_deref().and_then(Owner::parse) {
                Some(owner) if owner.is_dead(&me) => remove_at(dir, name)?,
                Some(owner) => return Ok(Err(LockHolder::Process { pid: owner.pid, host: owner.host })),
                None => return Ok(Err(LockHolder::Unknown)),
            }
        }
        Ok(Err(LockHolder::CameBefore))
    }
}

fn read(dir: &File, name: &OsStr) -> io::Result<Option<String>> {
    let file = match open_no_links(Some(dir), Path::new(name), OpenHow::plain(Access::Read)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let mut text = String::new();
    // Whatever it is, it was not made by us if it is longer or no text.
    let read = file.take(4096).read_to_string(&mut text);
    Ok(read.is_ok().then_some(text))
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Nobody to tell; a lock file left behind names its dead owner.
        let _ = remove_at(&self.dir, &self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dir() -> (tempfile::TempDir, File) {
        let dir = tempfile::tempdir().unwrap();
        let file = File::open(dir.path()).unwrap();
        (dir, file)
    }

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
        assert_eq!(lock_holder(FileId::from_file(&c).unwrap()), Some(std::process::id()));
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
        // Killed, then a zombie, then gone: what it has locked is waited for, and what somebody else has is not.
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
        assert_eq!((asked, locked.is_none()), (3, true));
        child.wait().unwrap();
        assert!(is_ending(child.id()));
    }

    #[test]
    fn a_lock_file_of_a_living_process_holds_and_goes_with_its_owner() {
        let (path, dir) = dir();
        let lock = LockFile::take(&dir, "x.lock".as_ref(), "here").unwrap().unwrap();
        let second = LockFile::take(&dir, "x.lock".as_ref(), "here").unwrap().unwrap_err();
        assert_eq!(second.to_string(), format!("process {} on host here", std::process::id()));
        drop(lock);
        assert_eq!(std::fs::read_dir(path.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_lock_file_of_the_dead_is_taken_over_and_one_of_another_host_is_not() {
        let (path, dir) = dir();
        let dead = Owner { started: "1".to_owned(), ..Owner::me("here") };
        std::fs::write(path.path().join("x.lock"), dead.text()).unwrap();
        drop(LockFile::take(&dir, "x.lock".as_ref(), "here").unwrap().unwrap());
        let other = Owner { boot: "another".to_owned(), ..dead };
        for text in [other.text(), "scrawl".to_owned(), String::new()] {
            std::fs::write(path.path().join("x.lock"), &text).unwrap();
            assert!(LockFile::take(&dir, "x.lock".as_ref(), "here").unwrap().is_err(), "{text:?}");
        }
    }
}
