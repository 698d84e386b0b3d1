//! What is started together by a launcher of MPI programs, in a build that cannot run on many hosts as one.

use crate::environment::{self, MpiLaunch};
use crate::exit::{CANNOT, Code, coded};
use anyhow::Result;
use std::time::Duration;

/// How long the others leave rank 0 to say it: most launchers end all processes as soon as one fails.
const SENTENCE: Duration = Duration::from_secs(3);

/// The code to end with where a launcher started several of this program, which would each measure for itself, on top of each other,
/// and tell it as if it were alone. Called before a measurement begins; the build with the feature `mpi` has none.
///
/// # Errors
/// At rank 0: one sentence for all.
pub fn refusal() -> Result<Option<Code>> {
    let launch = environment::mpi_launch().filter(|_| !cfg!(feature = "mpi"));
    let Some(launch) = launch else { return Ok(None) };
    if launch.rank == 0 {
        return Err(coded(CANNOT, sentence(&launch)));
    }
    std::thread::sleep(SENTENCE);
    Ok(Some(CANNOT))
}

fn sentence(launch: &MpiLaunch) -> String {
    let started = match launch.size {
        Some(size) => format!("{size} processes"),
        None => "several processes".to_owned(),
    };
    format!(
        "{} started {started}, and this build cannot run on many hosts: `cargo build --release --features mpi` makes one that can",
        launch.launcher
    )
}
