//! Alternating runs of two sides, each in a child process of this program, so that storage drift affects both sides
//! equally.

use crate::exit::{self, Code, coded};
use crate::locked::locked;
use crate::{bail, environment};
use anyhow::{Context, Result};
use model::{RunRecord, RunState};
use std::ffi::OsStr;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use store::Store;

/// Minimum number of rounds. Fewer rounds cannot prove a difference (docs/design/statistics.md, "Comparing runs": 3 + 3
/// runs never reach p < .05).
pub const LEAST_ROUNDS: u32 = 4;
/// Names of the sides.
pub const NAMES: [&str; 2] = ["A", "B"];

/// Returns the order of the sides: A B B A A B B A ..., or with B first, depending on the seed.
pub fn turns(rounds: u32, seed: u64) -> Vec<usize> {
    // Take one bit of a good mix of the seed, so that neighbouring seeds do not simply alternate.
    let first = (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63) as usize;
    (0..rounds).flat_map(|round| if round % 2 == 0 { [first, 1 - first] } else { [1 - first, first] }).collect()
}

/// Executes one run in a child process with these arguments and returns its record.
///
/// # Errors
/// If the run did not complete. The error has the exit code of the run.
pub fn run_once(plan: &[impl AsRef<OsStr>], store: &Store, signals: &Forwarder) -> Result<RunRecord> {
    let id = uuid::Uuid::new_v4().to_string();
    let exe = std::env::current_exe().context("cannot find the path of this program to start a run")?;
    let mut command = Command::new(exe);
    // The child runs in a separate process group, so that Ctrl-C reaches it once, through the forwarder.
    sys::process::own_group(&mut command)
        .args(plan)
        .arg(format!("--store={}", store.dir().display()))
        .env(environment::ROUND, format!("{}:{id}", std::process::id()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = signals.begin(&mut command).context("cannot start a run")?;
    let mut said = Vec::new();
    if let Some(mut stderr) = child.stderr.take() {
        // The results of a run are in its record. Of its output, the last line explains a failure.
        let _ = stderr.read_to_end(&mut said);
    }
    let status = child.wait().context("cannot wait for a run")?;
    signals.ended();
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().last().unwrap_or("it printed no message").trim_start_matches("secchi: ").to_owned();
    let code = status.code().unwrap_or(exit::INVALID.0);
    // Runs with unmet needs or doubts have valid results.
    if !matches!(code, 0..=2) {
        return Err(coded(Code(code), last));
    }
    let record = store.read(&id).map_err(|e| coded(exit::INVALID, format!("{last} ({e})")))?;
    if record.state != RunState::Complete {
        bail!(exit::INVALID, "the run did not complete: {last}");
    }
    Ok(record)
}

/// Forwards signals to the run in progress, and remembers them.
pub struct Forwarder(Arc<Mutex<Progress>>);

/// Progress of the runs. Locked while a run is started, so that no signal is lost at that moment.
#[derive(Default)]
struct Progress {
    child: Option<u32>,
    /// The last signal; 0 if there was none.
    asked: i32,
}

impl Progress {
    fn forward_signal(&self) {
        if let (Some(child), 1..) = (self.child, self.asked) {
            // A child that has ended needs no signal.
            let _ = sys::process::send_signal(child, self.asked);
        }
    }
}

impl Forwarder {
    /// Starts to forward signals to the run in progress.
    ///
    /// # Errors
    /// If signals cannot be received.
    pub fn start() -> Result<Self> {
        let forwarder = Forwarder(Arc::default());
        let progress = Arc::clone(&forwarder.0);
        crate::measure::receive_signals(move |signals| {
            for signal in signals {
                let mut progress = locked(&progress);
                progress.asked = signal;
                progress.forward_signal();
            }
        })?;
        Ok(forwarder)
    }

    fn begin(&self, command: &mut Command) -> std::io::Result<Child> {
        let mut progress = locked(&self.0);
        let child = command.spawn()?;
        progress.child = Some(child.id());
        progress.forward_signal();
        Ok(child)
    }

    /// Returns the last signal; 0 if there was none.
    pub fn asked(&self) -> i32 {
        locked(&self.0).asked
    }

    fn ended(&self) {
        locked(&self.0).child = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_alternate_so_that_a_drift_meets_both_sides() {
        for seed in 0..20 {
            let t = turns(6, seed);
            assert_eq!((t.len(), t.iter().sum::<usize>()), (12, 6));
            // Over two rounds, both sides have the same mean position.
            let places = |side| (0..4).filter(|i| t[*i] == side).sum::<usize>();
            assert_eq!(places(0), places(1));
        }
        assert!((0..20).any(|s| turns(4, s)[0] == 0) && (0..20).any(|s| turns(4, s)[0] == 1));
    }
}
