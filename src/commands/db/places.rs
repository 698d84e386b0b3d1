//! Where the database of a rank is, of a run on many hosts.

use super::open::OpenDatabase;
use crate::exit::{self, Code, coded};
use crate::session::launch::{self, Reach};
use crate::session::ranks::{OwnRank, Ranks};
use crate::terminal::remark;
use anyhow::Result;
use run::ranks::Done;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long ranks wait for each other's engines: one that was killed may have much to recover. A rank that is gone is missed in seconds.
pub const STARTING: Duration = Duration::from_secs(30 * 60);

/// The database that this rank drives of a directory that all were given: the one in its folder there, as `setup` makes it; else the
/// directory's own, which is one of each host where the path is. In a run alone the directory itself.
///
/// # Errors
/// A refusal that says what would make one, where there is neither.
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
    let why = format!(
        "refused: there is no database in {} for {name}, nor in {shown} itself; the same mpirun with `secchi db setup {shown}` makes one for each rank",
        folder.display()
    );
    Err(coded(exit::REFUSED, why))
}

fn is_database(directory: &Path) -> bool {
    directory.join(db::MARKER).symlink_metadata().is_ok()
}

/// A server that is not ours is one for all: it would count what every rank does once for each.
///
/// # Errors
/// A refusal, where a rank's database is a schema on such a server.
pub fn check_own_server(place: &OpenDatabase, ranks: &Ranks) -> Result<()> {
    let Some(OwnRank { name, .. }) = ranks.own().filter(|_| place.marker.url.is_some()) else { return Ok(()) };
    let why = format!(
        "refused: the database of {name} is on a server of somebody else's, which counts for all ranks together; set up without --url, or run it from one host with more processes (-p)"
    );
    Err(coded(exit::REFUSED, why))
}

/// Does what is no run as each rank, or alone, and tells what they did: lines of a rank begin with its name.
///
/// # Errors
/// What could not be done in a run alone, and where ranks cannot do anything together.
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
        let own = of_rank(directory, ranks)?;
        ranks.all_can()?;
        tell_all(ranks, what(&own), tell)
    })
}

/// Tells what all did, each line once, and with the name of the rank it is of.
///
/// # Errors
/// What could not be done in a run alone, and when a rank is gone.
pub fn tell_all(
    ranks: &mut Ranks,
    own: Result<(Vec<String>, Code)>,
    tell: impl Fn(&str) -> Result<()>,
) -> Result<Code> {
    let (all, code) = ranks.gather(own)?;
    for Done { host, code, lines } in &all {
        let of_host = |line: &String| if host.is_empty() { line.clone() } else { format!("{host}: {line}") };
        // What went wrong is no result.
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
