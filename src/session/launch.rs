//! What is started together by a launcher of MPI programs, and cannot run on many hosts as one: in a build without MPI nothing can.

use crate::environment::{self, MpiLaunch};
use crate::exit::{CANNOT, Code, OK, coded};
use anyhow::Result;
use std::time::Duration;

/// How long the others leave rank 0 to say it: most launchers end all processes as soon as one fails.
const SENTENCE: Duration = Duration::from_secs(3);

/// What follows rank 0 waits so long before it ends after its load process died: launchers of MPI programs end all ranks with the
/// first that fails, and what rank 0 knows is to be kept first.
const AFTER_A_DEATH: Duration = Duration::from_secs(15);

/// What a command that measures can be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Many hosts as one run, in a build with the feature `mpi`.
    ManyHosts,
    /// One host only; what the command is called by.
    OneHost(&'static str),
}

/// The code to end with where a launcher started several of this program, which would each measure for itself, on top of each other,
/// and tell it as if it were alone. Called before a measurement begins.
///
/// # Errors
/// At rank 0: one sentence for all.
pub fn refusal(reach: Reach) -> Result<Option<Code>> {
    let many = cfg!(feature = "mpi") && reach == Reach::ManyHosts;
    let Some(launch) = environment::mpi_launch().filter(|_| !many) else { return Ok(None) };
    if launch.rank == 0 {
        return Err(coded(CANNOT, sentence(&launch, reach)));
    }
    std::thread::sleep(SENTENCE);
    Ok(Some(CANNOT))
}

/// Whether a launcher started several of this program, in a build that makes one run of them.
pub fn is_one_of_many() -> bool {
    cfg!(feature = "mpi") && environment::mpi_launch().is_some()
}

/// Whether another rank speaks for this process.
fn another_speaks() -> bool {
    cfg!(feature = "mpi") && environment::mpi_launch().is_some_and(|launch| launch.rank > 0)
}

/// Rank 0 speaks for all: what the others would print goes nowhere.
pub fn leave_speaking_to_rank_0() {
    if another_speaks() {
        // What is printed all the same is seen twice.
        let _ = sys::silence_standard_streams();
    }
}

/// Ends a supervisor whose load process ended with `code`.
pub fn end_supervisor(code: Code) -> Code {
    if another_speaks() && code != OK {
        std::thread::sleep(AFTER_A_DEATH);
    }
    code
}

fn sentence(launch: &MpiLaunch, reach: Reach) -> String {
    let started = match launch.size {
        Some(size) => format!("{size} processes"),
        None => "several processes".to_owned(),
    };
    let why = match reach {
        Reach::ManyHosts => "this build cannot run on many hosts: `cargo build --release --features mpi` makes one \
                             that can"
            .to_owned(),
        Reach::OneHost(command) => {
            format!("`secchi {command}` is of one host: qualify, fio, mark, ping, db and watch run on many as one")
        }
    };
    format!("{} started {started}, and {why}", launch.launcher)
}
