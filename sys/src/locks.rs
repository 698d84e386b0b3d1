//! Locks on files and directories, a lock file for file systems shared with other hosts, and the wait for a lock holder
//! that is exiting (docs/design/safety.md, "Two runs on one target").

use crate::common::{Access, OpenHow};
use crate::files::create_whole;
pub use crate::platform::files::{hold_directory, is_ending, lock_file, lock_holder, try_lock, unlock, unlock_file};
use crate::platform::files::{open_no_links, remove_at};
use crate::platform::process::{boot, started};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Maximum wait for a killed process: its threads may have to return from disk I/O first.
pub const ENDING: Duration = Duration::from_secs(30);

/// Same as [`try_lock`], but if `holder` returns a process that is exiting ([`is_ending`]), waits for it, up to
/// [`ENDING`].
///
/// # Errors
/// As [`try_lock`].
pub fn lock_once_ended(file: &File, exclusive: bool, mut holder: impl FnMut() -> Option<u32>) -> io::Result<bool> {
    lock_while(file, exclusive, ENDING, || holder().is_some_and(is_ending))
}

/// Locks a file, and waits up to `longest` until other processes release it. Returns `false` if they do not.
///
/// # Errors
/// As [`try_lock`].
pub fn lock_within(file: &File, exclusive: bool, longest: Duration) -> io::Result<bool> {
    lock_while(file, exclusive, longest, || true)
}

fn lock_while(file: &File, exclusive: bool, longest: Duration, mut may_wait: impl FnMut() -> bool) -> io::Result<bool> {
    let until = Instant::now() + longest;
    loop {
        if try_lock(file, exclusive)? {
            return Ok(true);
        }
        if !may_wait() || Instant::now() > until {
            // The lock may have been released between the two checks.
            return try_lock(file, exclusive);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Creator of a lock file, with enough detail to determine on the same machine whether it is still running.
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
        let host = host.chars().filter(|c| !c.is_control()).take(255).collect();
        Owner { host, boot: boot(), pid, started: started(pid).unwrap_or_default() }
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

    /// Returns `true` if the owner has certainly ended: same boot of the same machine, and no such process.
    fn is_dead(&self, me: &Owner) -> bool {
        !self.boot.is_empty() && self.boot == me.boot && started(self.pid).is_none_or(|s| s != self.started)
    }
}

/// A lock file, removed when dropped.
///
/// For NFS, SMB and FUSE, where `flock(2)` may hold on one host only. The file names its owner, so that the lock file
/// of a killed run on this machine can be taken over. Two runs on one machine are kept apart by [`try_lock`], which
/// must be held first.
#[derive(Debug)]
pub struct LockFile {
    dir: File,
    name: OsString,
}

/// Holder of a lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockHolder {
    /// A process that may still be running.
    Process {
        /// Process ID on its host.
        pid: u32,
        /// Host name.
        host: String,
    },
    /// The content of the file names no process.
    Unknown,
    /// Another process created the file while the one of a dead process was being removed.
    CameBefore,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockHolder::Process { pid, host } => write!(f, "process {pid} on host {host}"),
            LockHolder::Unknown => f.write_str("somebody unknown"),
            LockHolder::CameBefore => f.write_str("another process that started just before"),
        }
    }
}

impl LockFile {
    /// Creates the lock file; the inner error names the current holder.
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
    // A file that is longer, or is not text, was not written by secchi.
    let read = file.take(4096).read_to_string(&mut text);
    Ok(read.is_ok().then_some(text))
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Errors cannot be reported here; a remaining lock file names its dead owner.
        let _ = remove_at(&self.dir, &self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dir() -> (tempfile::TempDir, File) {
        let dir = tempfile::tempdir().unwrap();
        let file = open_no_links(None, dir.path(), OpenHow::plain(Access::Directory)).unwrap();
        (dir, file)
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
