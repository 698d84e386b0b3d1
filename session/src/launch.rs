//! Handling of processes that an MPI launcher started together but that cannot form one run on many hosts. In a build
//! without MPI, this applies to every command.

use crate::environment::{self, MpiLaunch};
use crate::exit::{CANNOT, Code, OK, coded};
use anyhow::Result;
use std::time::Duration;

/// Time that the other ranks give rank 0 to print the error. Most launchers end all processes as soon as one of them
/// fails.
const SENTENCE: Duration = Duration::from_secs(3);

/// Delay before a rank other than 0 ends after its load process died. MPI launchers end all ranks when one of them
/// fails, and rank 0 must notice the loss and store its data before that, also on a busy machine. When rank 0 has ended,
/// its exit code makes most launchers end the other ranks at once.
const AFTER_A_DEATH: Duration = Duration::from_secs(45);

/// Delay before a rank other than 0 ends after its load process ended as planned. A launcher on a busy machine may
/// notice the end of the process before it reads that the process had disconnected, and would then end all ranks.
const AFTER_DISCONNECTING: Duration = Duration::from_secs(1);

/// Hosts that a measuring command can run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Many hosts as one run, in a build with the feature `mpi`.
    ManyHosts,
    /// One host only. The value is the name of the command.
    OneHost(&'static str),
}

/// Returns the exit code if a launcher started several processes of this command that cannot form one run. Each of them
/// would measure at the same time as the others and report its results as if it were alone. Called before a measurement
/// begins.
///
/// # Errors
/// On rank 0: one sentence for all ranks.
pub fn refusal(reach: Reach) -> Result<Option<Code>> {
    let many = cfg!(feature = "mpi") && reach == Reach::ManyHosts;
    let Some(launch) = environment::mpi_launch().filter(|_| !many) else { return Ok(None) };
    if launch.rank == 0 {
        return Err(coded(CANNOT, sentence(&launch, reach)));
    }
    std::thread::sleep(SENTENCE);
    Ok(Some(CANNOT))
}

/// Returns `true` if a launcher started several processes and this build combines them into one run.
pub fn is_one_of_many() -> bool {
    cfg!(feature = "mpi") && environment::mpi_launch().is_some()
}

/// Returns `true` if another rank prints the results of this process.
fn another_speaks() -> bool {
    cfg!(feature = "mpi") && environment::mpi_launch().is_some_and(|launch| launch.rank > 0)
}

/// Silences the standard streams of every rank except 0, which prints for all.
pub fn leave_speaking_to_rank_0() {
    if another_speaks() {
        // If silencing fails, the output appears twice.
        let _ = sys::streams::silence_standard_streams();
    }
}

/// Ends a supervisor whose load process ended with `code`. On ranks other than 0, waits before that.
pub fn end_supervisor(code: Code) -> Code {
    if another_speaks() {
        std::thread::sleep(if code == OK { AFTER_DISCONNECTING } else { AFTER_A_DEATH });
    }
    code
}

fn sentence(launch: &MpiLaunch, reach: Reach) -> String {
    let started = match launch.size {
        Some(size) => format!("{size} processes"),
        None => "several processes".to_owned(),
    };
    let reason = match reach {
        Reach::ManyHosts => "this build cannot run on many hosts: build secchi with `cargo build --release --features \
                             mpi`"
            .to_owned(),
        Reach::OneHost(command) => {
            format!("`secchi {command}` runs on one host only; qualify, fio, mark, ping, db and watch can run on many")
        }
    };
    format!("{} started {started}, and {reason}", launch.launcher)
}
