//! Active runs on a database. Each has a locked file in the work directory, which is used to find and stop the run.
//!
//! A command looks for other runs and creates its own file under one lock. If two commands start at the same moment,
//! the second one sees the first.

use anyhow::{Context, Result};
use db::LOCK;
use session::exit::{self, coded};
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const PREFIX: &str = "running-";
/// Suffix of the file that requests a run to stop.
const ASKED: &str = ".stop";

/// Maximum wait for the lock. The process that holds it only reads one directory, or starts an engine that several runs
/// share.
const PATIENCE: Duration = Duration::from_secs(60);

/// Use of a database by a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Run that drives the engine.
    Engine,
    /// Run that drives the engine and inserts nodes. Meanwhile, other runs cannot know which nodes exist.
    Inserts,
    /// Run that reads the files.
    Files,
    /// Command that is not a run: it counts, checks or removes. It cannot be stopped with `secchi db stop`.
    Maintenance,
}

impl Use {
    const fn word(self) -> &'static str {
        match self {
            Use::Engine => "engine",
            Use::Inserts => "inserts",
            Use::Files => "files",
            Use::Maintenance => "maintenance",
        }
    }
}

/// File of this run, removed when the run ends.
#[derive(Debug)]
pub struct Running {
    path: PathBuf,
    _file: File,
    /// Lock on the work directory, held until the run has begun.
    lock: Option<File>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(asked(&self.path));
    }
}

fn asked(path: &Path) -> PathBuf {
    let mut asked = path.to_owned().into_os_string();
    asked.push(ASKED);
    asked.into()
}

/// Requests a run to stop. Called before the signal is sent, so that the run knows that `secchi db stop` sent it.
pub fn ask_to_stop(work: &Path, id: &str) -> Result<()> {
    let path = asked(&work.join(format!("{PREFIX}{id}")));
    match File::create_new(&path) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(e).with_context(|| format!("cannot write {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Another active run.
#[derive(Debug, Clone)]
pub struct Other {
    pub id: String,
    pub pid: u32,
    pub what: Use,
}

impl Other {
    /// Returns `true` if the command uses the engine. Such commands conflict, unless the engine can be shared.
    pub fn drives(&self) -> bool {
        self.what != Use::Files
    }

    /// Returns the refusal for a command that cannot run at the same time as this one.
    pub fn conflict_error(&self) -> anyhow::Error {
        let message = match self.what {
            Use::Maintenance => {
                format!(
                    "refused: another command (process {}) is using this database; try again when it has ended",
                    self.pid
                )
            }
            _ => {
                format!("refused: run {} is using this database; wait for it, or end it with `secchi db stop`", self.id)
            }
        };
        coded(exit::REFUSED, message)
    }
}

/// Returns an error if there are other runs, except those that the predicate allows.
pub fn alone(others: &[Other], beside: impl Fn(&Other) -> bool) -> Result<()> {
    others.iter().find(|other| !beside(other)).map_or(Ok(()), |other| Err(other.conflict_error()))
}

/// Returns the lock that protects the files of runs, released when it is dropped.
fn lock(work: &Path) -> Result<File> {
    let path = work.join(LOCK);
    let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let file = file.with_context(|| format!("cannot open {}", path.display()))?;
    anyhow::ensure!(
        sys::locks::lock_within(&file, true, PATIENCE)?,
        "another command is about to start on this database and has locked {} for a minute",
        path.display()
    );
    Ok(file)
}

impl Running {
    /// Returns `true` if `secchi db stop` requested the run to stop.
    pub fn was_asked(&self) -> bool {
        asked(&self.path).symlink_metadata().is_ok()
    }

    /// Registers this run as active, if `may` accepts the other runs. The lock on the run's file shows that the run
    /// is alive, and ends with the process. The next command waits until [`Running::begun`] is called for this run.
    pub fn claim(work: &Path, id: &str, what: Use, may: impl FnOnce(&[Other]) -> Result<()>) -> Result<Running> {
        let held = lock(work)?;
        may(&find_others(work)?)?;
        let path = work.join(format!("{PREFIX}{id}"));
        // The name is new, so this never follows a link.
        let mut file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.as_mut().map_err(|e| anyhow::anyhow!("cannot write {}: {e}", path.display()))?;
        anyhow::ensure!(sys::locks::try_lock(file, true)?, "{} is locked by another process", path.display());
        file.set_len(0)?;
        file.rewind()?;
        write!(file, "{} {}", std::process::id(), what.word())?;
        let file = file.try_clone()?;
        Ok(Running { path, _file: file, lock: Some(held) })
    }

    /// Releases the lock, so that the next command can start and see this run.
    pub fn begun(&mut self) {
        self.lock = None;
    }

    /// Same as [`Running::claim`], for a command that is not a run and needs the database exclusively. Runs that the
    /// predicate allows may be active.
    pub fn maintenance(work: &Path, beside: impl Fn(&Other) -> bool) -> Result<Running> {
        let id = format!("maintenance-{}", uuid::Uuid::new_v4());
        let mut claimed = Running::claim(work, &id, Use::Maintenance, |others| alone(others, beside))?;
        claimed.begun();
        Ok(claimed)
    }
}

/// Returns the active runs on the database with this work directory. Removes the files of killed runs.
pub fn others(work: &Path) -> Result<Vec<Other>> {
    let _held = lock(work)?;
    find_others(work)
}

fn find_others(work: &Path) -> Result<Vec<Other>> {
    let mut others = Vec::new();
    let entries = fs::read_dir(work).with_context(|| format!("cannot read the directory {}", work.display()))?;
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let Some(id) = name.to_str().and_then(|n| n.strip_prefix(PREFIX)) else { continue };
        if !entry.file_type().is_ok_and(|t| t.is_file()) {
            continue;
        }
        if let Some(run) = id.strip_suffix(ASKED) {
            if !work.join(format!("{PREFIX}{run}")).exists() {
                let _ = fs::remove_file(entry.path());
            }
            continue;
        }
        let Ok(mut file) = File::options().read(true).write(true).open(entry.path()) else { continue };
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let (pid, what) = text.split_once(' ').unwrap_or_default();
        let pid = pid.parse().ok();
        // Wait until a killed process has exited. A process in another container is not visible here.
        let file_id = sys::files::FileId::from_file(&file)?;
        if sys::locks::lock_once_ended(&file, true, || sys::locks::lock_holder(file_id))? {
            let _ = fs::remove_file(entry.path());
            continue;
        }
        let Some(pid) = pid else { continue };
        let what = [Use::Engine, Use::Inserts, Use::Maintenance]
            .into_iter()
            .find(|u| u.word() == what.trim())
            .unwrap_or(Use::Files);
        others.push(Other { id: id.to_owned(), pid, what });
    }
    Ok(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    #[test]
    fn of_those_that_come_in_the_same_instant_one_is_let_in() {
        let dir = tempfile::tempdir().unwrap();
        let (work, rounds, threads) = (dir.path(), 100, 4);
        let (start, end) = (Barrier::new(threads), Barrier::new(threads));
        let let_in: Vec<AtomicU32> = (0..rounds).map(|_| AtomicU32::new(0)).collect();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (start, end, let_in) = (&start, &end, &let_in);
                scope.spawn(move || {
                    for (round, let_in) in let_in.iter().enumerate() {
                        start.wait();
                        let nobody = |others: &[Other]| alone(others, |_| false);
                        let mut claimed = Running::claim(work, &format!("{round}-{thread}"), Use::Engine, nobody);
                        claimed.iter_mut().for_each(Running::begun);
                        let_in.fetch_add(u32::from(claimed.is_ok()), SeqCst);
                        if let Err(error) = &claimed {
                            assert!(error.to_string().contains("is using this database"), "{error}");
                        }
                        end.wait();
                    }
                });
            }
        });
        assert!(let_in.iter().all(|n| n.load(SeqCst) == 1), "{let_in:?}");
        assert!(others(work).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_run_keeps_others_away_and_cannot_be_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let work = dir.path();
        let mut files = Running::claim(work, "a", Use::Files, |_| Ok(())).unwrap();
        files.begun();
        assert!(Running::maintenance(work, |_| false).is_err());
        let maintenance = Running::maintenance(work, |o| !o.drives()).unwrap();
        let seen = others(work).unwrap();
        assert_eq!(seen.len(), 2);
        assert!(seen.iter().any(|o| o.what == Use::Maintenance && o.drives()));
        assert!(Running::maintenance(work, |o| !o.drives()).unwrap_err().to_string().contains("process"));
        drop((files, maintenance));
        assert!(others(work).unwrap().is_empty());
    }
}
