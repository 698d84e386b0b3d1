//! The database of each rank in a run on many hosts.

use super::open::OpenDatabase;
use crate::exit::{self, Code, coded};
use crate::session::hosts::launch::{self, Reach};
use crate::session::hosts::{OwnRank, Ranks};
use crate::terminal::remark;
use anyhow::Result;
use run::ranks::Done;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time for which ranks wait for each other's engines: an engine that was killed may have much to recover. A rank that
/// is gone is detected within seconds.
pub const STARTING: Duration = Duration::from_secs(30 * 60);

/// Returns the database directory of this rank. It is the rank's folder in the directory that all ranks received, if
/// `setup` created one. Otherwise it is that directory itself, which may be local to each host. Without ranks it is
/// always the directory itself.
///
/// # Errors
/// If there is no database: a refusal that names the command to create one.
pub fn of_rank(directory: &Path, ranks: &Ranks) -> Result<PathBuf> {
    let Some(OwnRank { name, .. }) = ranks.own() else { return Ok(directory.to_owned()) };
    let folder = ranks.own_folder(directory);
    if is_database(&folder) {
        return Ok(folder);
    }
    if is_database(directory) {
        return Ok(directory.to_owned());
    }
    let shown = directory.display();
    let message = format!(
        "refused: there is no database in {} for {name}, nor in {shown} itself; run `secchi db setup {shown}` under \
         the same mpirun to create one for each rank",
        folder.display()
    );
    Err(coded(exit::REFUSED, message))
}

fn is_database(directory: &Path) -> bool {
    directory.join(db::MARKER).symlink_metadata().is_ok()
}

/// Rejects a database on an external server if there are several ranks, because the server's counters would add the
/// work of all ranks to each rank's figures.
///
/// # Errors
/// A refusal if the database of a rank is a schema on such a server.
pub fn check_own_server(place: &OpenDatabase, ranks: &Ranks) -> Result<()> {
    let Some(OwnRank { name, .. }) = ranks.own().filter(|_| place.marker.url.is_some()) else { return Ok(()) };
    let message = format!(
        "refused: the database of {name} is on an external server, whose counters cover all ranks together; set up \
         without --url, or run it from one host with more processes (-p)"
    );
    Err(coded(exit::REFUSED, message))
}

/// Calls `what` on each rank, or locally without ranks, and prints the results. Each line begins with the name of its
/// rank.
///
/// # Errors
/// The error of `what` without ranks, and errors of the communication between ranks.
pub fn on_each(
    directory: &Path,
    tell: impl Fn(&str) -> Result<()>,
    what: impl FnOnce(&Path) -> Result<(Vec<String>, Code)>,
) -> Result<Code> {
    if let Some(code) = launch::refusal(Reach::ManyHosts)? {
        return Ok(code);
    }
    Ranks::run(None, |ranks| {
        ranks.wait_at_most(STARTING);
        let folder = of_rank(directory, ranks)?;
        ranks.all_can()?;
        tell_all(ranks, what(&folder), tell)
    })
}

/// Prints the results of all ranks. Each line begins with the name of its rank.
///
/// # Errors
/// The error of `own` without ranks, and an error if a rank is gone.
pub fn tell_all(
    ranks: &mut Ranks,
    own: Result<(Vec<String>, Code)>,
    tell: impl Fn(&str) -> Result<()>,
) -> Result<Code> {
    let (results, code) = ranks.gather(own)?;
    for Done { host, code, lines } in &results {
        let of_host = |line: &String| if host.is_empty() { line.clone() } else { format!("{host}: {line}") };
        // Errors go to standard error.
        let failed = *code != 0 && !host.is_empty();
        for line in lines.iter().map(of_host) {
            if failed {
                remark(&line);
            } else {
                tell(&line)?;
            }
        }
    }
    Ok(code)
}
