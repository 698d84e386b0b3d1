//! Helpers for tests that use the machine: timeouts, skips, external tools.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Reports on stderr that a test or a part of it cannot run here, and appends the report to the file named by
/// `SECCHI_SKIPS`.
#[expect(clippy::print_stderr, reason = "skips are printed")]
pub fn skipped(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    eprintln!("SKIPPED: {test}: {reason}");
    note("SECCHI_SKIPS", &format!("{test}: {}", reason.replace('\n', " ")));
}

/// Appends a line to the file that an environment variable names, if it is set.
pub(crate) fn note(variable: &str, line: &str) {
    let Some(log) = std::env::var_os(variable) else { return };
    let file = OpenOptions::new().append(true).create(true).open(&log);
    let noted = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    noted.unwrap_or_else(|e| panic!("{}: cannot record `{line}`: {e}", log.display()));
}

/// Timeout for events that a test waits for. It is long, so that tests do not fail on a slow machine.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// Waits until a check succeeds. Returns `false` if it does not succeed within the given time.
pub fn eventually(patience: Duration, mut check: impl FnMut() -> bool) -> bool {
    let since = Instant::now();
    while !check() {
        if since.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

/// Runs an external tool and returns its standard output.
///
/// # Errors
/// Returns the tool's standard error if the tool fails, or the reason if the tool cannot be started.
pub fn tool(program: &str, args: &[&OsStr]) -> Result<String, String> {
    let run = Command::new(program).args(args).output().map_err(|e| format!("{program}: {e}"))?;
    if run.status.success() {
        Ok(String::from_utf8_lossy(&run.stdout).trim().to_owned())
    } else {
        Err(format!("{program}: {}", String::from_utf8_lossy(&run.stderr).trim()))
    }
}

/// Returns the files below a directory that have one of these extensions, sorted. Build outputs and hidden names are
/// left out.
#[must_use]
pub fn files_below(dir: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    fn walk(dir: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if path.is_dir() {
                let is_built = name == "target" && dir.join("Cargo.toml").exists();
                if is_built || name.to_string_lossy().starts_with('.') {
                    continue;
                }
                walk(&path, extensions, files);
            } else if path.extension().is_some_and(|end| extensions.iter().any(|wanted| end == *wanted)) {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(dir, extensions, &mut files);
    files.sort();
    files
}

/// Returns the names in a directory, sorted; empty if the directory does not exist.
#[must_use]
pub fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .map(|entries| entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    names.sort();
    names
}
