//! What every test that touches the machine needs: patience with it, its tools.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Says aloud that a test, or a part of one, cannot run here, and notes it where `SECCHI_SKIPS` says.
#[expect(clippy::print_stderr, reason = "skips are said aloud")]
pub fn skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    eprintln!("SKIPPED: {test}: {why}");
    note("SECCHI_SKIPS", &format!("{test}: {}", why.replace('\n', " ")));
}

/// Adds a line to the file that this variable names, if it names one.
pub(crate) fn note(variable: &str, line: &str) {
    let Some(log) = std::env::var_os(variable) else { return };
    let file = OpenOptions::new().append(true).create(true).open(&log);
    let noted = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    noted.unwrap_or_else(|e| panic!("{}: `{line}` cannot be noted: {e}", log.display()));
}

/// How long anything that must happen may take: a slow machine is no mistake of the program.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// Whether something came true in time.
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

/// Runs a tool of the machine; its standard output.
///
/// # Errors
/// What it said, when it failed or is not there.
pub fn tool(program: &str, args: &[&OsStr]) -> Result<String, String> {
    let run = Command::new(program).args(args).output().map_err(|e| format!("{program}: {e}"))?;
    if run.status.success() {
        Ok(String::from_utf8_lossy(&run.stdout).trim().to_owned())
    } else {
        Err(format!("{program}: {}", String::from_utf8_lossy(&run.stderr).trim()))
    }
}

/// Names in a directory, sorted; none where there is no directory.
#[must_use]
pub fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .map(|entries| entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    names.sort();
    names
}
