//! Common parts of the tests: temporary directories, child processes with a timeout, locks for the machine.

pub use testkit::{Blkio, Loop, alone, beside, eventually, skip, tool};

use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Creates a temporary directory on the disk of the build directory.
pub fn place() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory under target/tmp")
}

/// Result of a finished program.
#[derive(Debug)]
pub struct Ended {
    pub good: bool,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Ended {
    /// Returns the last lines of its error output on one line.
    pub fn output(&self) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        lines.iter().rev().take(3).rev().copied().collect::<Vec<_>>().join(" | ")
    }
}

/// Runs a program to its end in a directory. Its output goes to files, so that nothing blocks on a full pipe.
pub fn run(command: &mut Command, dir: &Path, patience: Duration) -> Result<Ended, String> {
    let out = tempfile::NamedTempFile::new().map_err(|e| e.to_string())?;
    let err = tempfile::NamedTempFile::new().map_err(|e| e.to_string())?;
    let since = Instant::now();
    let mut child = command
        .current_dir(dir)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(out.reopen().map_err(|e| e.to_string())?)
        .stderr(err.reopen().map_err(|e| e.to_string())?)
        .spawn()
        .map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    let ended = eventually(patience, || matches!(child.try_wait(), Ok(Some(_))));
    if !ended {
        // Before fio: its jobs would lose it as their parent.
        let mut processes = descendants(child.id());
        processes.push(child.id());
        for pid in processes.iter().filter_map(|pid| Pid::from_raw(*pid as i32)) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    let (stdout, stderr) = (text(out.path()), text(err.path()));
    if !ended {
        return Err(format!("did not end within {patience:?}: {}", stderr.lines().last().unwrap_or("silent")));
    }
    Ok(Ended { good: status.success(), code: status.code(), stdout, stderr, took: since.elapsed() })
}

/// Returns the processes that a process started, and those that they started. fio's jobs have their own sessions.
fn descendants(pid: u32) -> Vec<u32> {
    let children = text(Path::new(&format!("/proc/{pid}/task/{pid}/children")));
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    children.flat_map(|child| descendants(child).into_iter().chain([child])).collect()
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

/// Returns every file below a directory with its size, by relative path.
pub fn files_beneath(dir: &Path) -> std::collections::BTreeMap<String, u64> {
    fn walk(root: &Path, dir: &Path, out: &mut std::collections::BTreeMap<String, u64>) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => walk(root, &path, out),
                Ok(meta) => {
                    let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                    out.insert(name, meta.len());
                }
                Err(_) => {}
            }
        }
    }
    let mut out = std::collections::BTreeMap::new();
    walk(dir, dir, &mut out);
    out
}

/// Returns a directory next to this file.
pub fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio").join(name)
}
