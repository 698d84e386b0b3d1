//! Runs at work on a database: a locked file each, in its work room, by which they are found and stopped.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

const PREFIX: &str = "running-";
/// What the name of a run's file is followed by where it was asked to stop.
const ASKED: &str = ".stop";

/// This run's file; removed when the run ends.
pub struct Running {
    path: PathBuf,
    _file: File,
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

/// Leaves word for a run that it is asked to stop, before it is signalled: it then knows from whom the signal comes.
pub fn ask_to_stop(work: &Path, id: &str) -> Result<()> {
    let path = asked(&work.join(format!("{PREFIX}{id}")));
    match File::create_new(&path) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(e).with_context(|| format!("cannot write {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Another run.
#[derive(Debug, Clone)]
pub struct Other {
    pub id: String,
    pub pid: u32,
    /// It drives the engine, rather than reading the files.
    pub engine: bool,
}

impl Running {
    /// Whether the signal that stopped it came by way of `secchi db stop`.
    pub fn was_asked(&self) -> bool {
        asked(&self.path).symlink_metadata().is_ok()
    }

    /// Says that this run is at work. The lock says that it still is: it goes with the process, however that ends.
    pub fn announce(work: &Path, id: &str, engine: bool) -> Result<Running> {
        let path = work.join(format!("{PREFIX}{id}"));
        // Never through a link: the name is new.
        let mut file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.as_mut().map_err(|e| anyhow::anyhow!("cannot write {}: {e}", path.display()))?;
        anyhow::ensure!(sys::try_lock(file, true)?, "{} is another process's", path.display());
        file.set_len(0)?;
        file.rewind()?;
        write!(file, "{} {}", std::process::id(), if engine { "engine" } else { "files" })?;
        let file = file.try_clone()?;
        Ok(Running { path, _file: file })
    }
}

/// Runs at work on the database with this work room. Files of runs that were killed are removed.
pub fn others(work: &Path) -> Result<Vec<Other>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(work).with_context(|| format!("cannot look into {}", work.display()))?;
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
        if sys::try_lock(&file, true)? {
            let _ = fs::remove_file(entry.path());
            continue;
        }
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let Some((pid, what)) = text.split_once(' ') else { continue };
        let Ok(pid) = pid.parse() else { continue };
        found.push(Other { id: id.to_owned(), pid, engine: what.trim() == "engine" });
    }
    Ok(found)
}
