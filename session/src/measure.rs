//! Parts shared by every measuring command: clock, signals, store, and the identity of the run.

use crate::exit::{CANNOT, coded};
use crate::{environment, reject};
use anyhow::{Context, Result};
use load::target::Provenance;
use model::{Bytes, Nanos, Sentence, record::StorageFacts};
use run::{Identity, Interrupt};
use std::path::Path;
use std::time::Duration;
use sys::clock::{Clock, RunClock};
use sys::process::{Signals, signal};

/// Additional time without reports, after the hang limit, before the supervisor gives up on the load process.
pub const GRACE: Duration = Duration::from_secs(30);

/// Rejects a measuring command on systems on which secchi cannot measure, before anything is opened. `command` is the
/// name of the command.
///
/// # Errors
/// Error with the code [`CANNOT`] and a suggestion of what to do instead.
pub fn check_system(command: &str) -> Result<()> {
    sys::can_measure().map_err(|reason| coded(CANNOT, refusal(command, &reason)))
}

fn refusal(command: &str, error: &std::io::Error) -> String {
    let instead = sys::instead_of(error).unwrap_or("measure elsewhere");
    format!(
        "{command}: {error}; {instead}, and judge, lint, compare, show, report, serve, list or transfer results here"
    )
}

/// Checks that the hang limit for operations is long enough for a healthy device.
///
/// # Errors
/// Bad input, if the limit is too short.
pub fn check_hang(hang: Nanos) -> Result<()> {
    if hang < Nanos::from_secs(1) {
        reject!("--hang {hang}: must be at least 1 s");
    }
    Ok(())
}

/// Returns the ID of a new run.
pub fn run_id() -> String {
    environment::round().map_or_else(|| uuid::Uuid::new_v4().to_string(), |(_, id)| id)
}

/// Returns the identity of a run. Its start time is when the run's clock started, not the time of this call: preparing
/// the load can take seconds, for example to start a database engine.
pub fn identity(clock: &RunClock, notes: impl IntoIterator<Item: Into<Sentence>>) -> Identity {
    let notes = notes.into_iter().map(Into::into).collect();
    let zero = jiff::Zoned::now().saturating_sub(Duration::from_nanos(clock.now()));
    Identity { id: run_id(), tool: env!("CARGO_PKG_VERSION").to_owned(), started: written(&zero), notes }
}

/// Returns the provenance that is recorded in the mark of created files.
pub fn provenance() -> Provenance {
    Provenance {
        host: sys::process::host_name(),
        created: written(&jiff::Zoned::now()),
        tool: format!("secchi {}", env!("CARGO_PKG_VERSION")),
    }
}

/// Formats a time with milliseconds, so that runs that began within the same second are listed in order.
fn written(moment: &jiff::Zoned) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}

/// Returns the alignment for direct I/O. It is the one reported by the file system, otherwise the sector size of the
/// device.
pub fn align_of(storage: Option<&StorageFacts>) -> Bytes {
    let direct = storage.and_then(|s| s.direct_align.as_ref()).map(|(align, _)| *align);
    let sector = || storage.and_then(|s| s.devices.first()).map_or(4096, |d| d.logical_block.as_u64().max(512));
    direct.unwrap_or_else(|| Bytes(sector()))
}

/// Returns the path whose file system and devices are inspected: the path if it exists, otherwise its parent directory.
pub fn standing(path: &Path) -> &Path {
    if path.exists() { path } else { path.parent().unwrap_or(path) }
}

/// Catches signals: the first one requests a stop, the second one ends the process immediately.
pub fn catch_signals() -> Result<Interrupt> {
    let interrupt = Interrupt::default();
    let count = interrupt.clone();
    receive_signals(move |signals| {
        for signal in signals {
            use std::sync::atomic::Ordering::Relaxed;
            if count.0.load(Relaxed) > 0 {
                crate::console::exit_now(128 + signal);
            }
            count.0.store(signal.unsigned_abs(), Relaxed);
        }
    })?;
    Ok(interrupt)
}

/// Starts a thread that receives the signals that end a run.
///
/// # Errors
/// If signals cannot be received.
pub fn receive_signals(listen: impl FnOnce(&mut Signals) + Send + 'static) -> Result<()> {
    let mut signals = Signals::new([signal::INT, signal::TERM, signal::HUP]).context("cannot receive signals")?;
    let thread = std::thread::Builder::new().name("signals".into()).stack_size(128 << 10);
    thread.spawn(move || listen(&mut signals)).map(drop).context("cannot start a thread to receive signals")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_measured_here_is_refused_with_what_can_be_done() {
        let error = std::io::Error::new(std::io::ErrorKind::Unsupported, "secchi does not measure on macOS");
        let message = refusal("qualify", &error);
        assert!(
            message.starts_with("qualify: secchi does not measure on macOS; measure elsewhere, and judge, "),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1);
    }

    #[test]
    fn this_system_measures() {
        // Tests that measure are run only on systems on which secchi can measure.
        check_system("qualify").unwrap();
    }
}
