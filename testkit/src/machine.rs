//! What every test that touches the machine needs: turns on it, patience with it, its tools.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

/// Says aloud that a test, or a part of one, cannot run here, and notes it where `SECCHI_SKIPS` says.
#[expect(clippy::print_stderr, reason = "skips are said aloud")]
pub fn skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    eprintln!("SKIPPED: {test}: {why}");
    if let Some(log) = std::env::var_os("SECCHI_SKIPS") {
        let line = format!("{test}: {}\n", why.replace('\n', " "));
        let file = OpenOptions::new().append(true).create(true).open(&log);
        let noted = file.and_then(|mut file| file.write_all(line.as_bytes()));
        noted.unwrap_or_else(|e| panic!("{}: the skip of {test} cannot be noted: {e}", log.display()));
    }
}

static MACHINE: RwLock<()> = RwLock::new(());

/// Other tests may run at the same time.
pub fn beside() -> RwLockReadGuard<'static, ()> {
    MACHINE.read().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// No other test runs at the same time: the figures count.
pub fn alone() -> RwLockWriteGuard<'static, ()> {
    MACHINE.write().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Whether the tests run as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
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
