//! The database of each process in a run on many hosts.

use super::{Done, Member};
use crate::console::remark;
use crate::exit::{self, Code, coded};
use crate::{Session, bail};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time for which processes wait for each other's engines: an engine that was killed may have much to recover. A process
/// that is gone is detected within seconds.
const STARTING: Duration = Duration::from_secs(30 * 60);

impl Session {
    /// Waits longer for other processes before the run, because they start database engines.
    pub fn wait_for_engines(&mut self) {
        if let Some(team) = self.team_mut() {
            team.wait_at_most(STARTING);
        }
    }

    /// Returns the database directory of this process. It is the folder of the rank in the directory that all hosts
    /// received, if `setup` created one. Otherwise it is that directory itself, which may be local to each host. In a
    /// run of one process it is always the directory itself.
    ///
    /// # Errors
    /// If there is no database: a refusal that names the command to create one.
    pub fn database(&self, directory: &Path) -> Result<PathBuf> {
        let Some(Member { name, .. }) = self.member() else { return Ok(directory.to_owned()) };
        let folder = self.folder(directory);
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

    /// Returns the directory in which this process creates a database, which is a separate folder for each process.
    /// `check` checks everything else for that directory. Nothing is created until all processes have passed the
    /// checks.
    ///
    /// # Errors
    /// Errors of `check`, and a refusal if there is something in the directory.
    pub fn new_database(&mut self, directory: &Path, check: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        if self.team().is_none() {
            return Ok(directory.to_owned());
        }
        let folder = self.folder(directory);
        check(&folder)?;
        if is_database(directory) || has_entries(&folder) {
            bail!(exit::REFUSED, "refused: {} is not empty; name a new directory", folder.display());
        }
        self.all_can()?;
        match std::fs::create_dir(directory) {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(coded(exit::CANNOT, format!("cannot create {}: {e}", directory.display())))
            }
            _ => Ok(folder),
        }
    }

    /// Rejects an external server in a run of several processes, because the server's counters would add the work of
    /// all of them to the figures of each.
    ///
    /// # Errors
    /// A refusal if `url`, the server of this process's database, is given.
    pub fn check_server(&self, url: Option<&str>) -> Result<()> {
        let Some(Member { name, .. }) = self.member().filter(|_| url.is_some()) else { return Ok(()) };
        let message = format!(
            "refused: the database of {name} is on an external server, whose counters cover all ranks together; set \
             up without --url, or run it from one host with more processes (-p)"
        );
        Err(coded(exit::REFUSED, message))
    }

    /// Calls `work` with the database directory of each process and prints the results by `print`. If there are several
    /// processes, each line begins with the name of its rank.
    ///
    /// # Errors
    /// The error of `work` in a run of one process, and an error if a process is gone.
    pub fn on_each_database(
        &mut self,
        directory: &Path,
        print: impl Fn(&str) -> Result<()>,
        work: impl FnOnce(&Path) -> Result<(Vec<String>, Code)>,
    ) -> Result<Code> {
        self.wait_for_engines();
        let folder = self.database(directory)?;
        self.all_can()?;
        self.print_results(work(&folder), print)
    }

    /// Prints the results of all processes by `print`. If there are several, each line begins with the name of its
    /// rank, and errors go to standard error.
    ///
    /// # Errors
    /// The error of `own` in a run of one process, and an error if a process is gone.
    pub fn print_results(
        &mut self,
        own: Result<(Vec<String>, Code)>,
        print: impl Fn(&str) -> Result<()>,
    ) -> Result<Code> {
        let (results, code) = self.gather(own)?;
        for Done { host, code, lines } in &results {
            let named = |line: &String| if host.is_empty() { line.clone() } else { format!("{host}: {line}") };
            let failed = *code != 0 && !host.is_empty();
            for line in lines.iter().map(named) {
                if failed {
                    remark(&line);
                } else {
                    print(&line)?;
                }
            }
        }
        Ok(code)
    }

    /// Combines the results of all processes after a run in which each has a separate engine. In a run of one process,
    /// returns `own`.
    ///
    /// # Errors
    /// The errors of all processes together.
    pub fn combine(&mut self, own: Result<()>) -> Result<()> {
        if self.team().is_none() {
            return own;
        }
        let (results, code) = self.gather(own.map(|()| (Vec::new(), exit::OK)))?;
        let failed: Vec<String> = results
            .into_iter()
            .filter(|done| done.code != 0)
            .map(|done| format!("{}: {}", done.host, done.lines.join("; ")))
            .collect();
        if failed.is_empty() { Ok(()) } else { Err(coded(code, failed.join("; "))) }
    }
}

fn is_database(directory: &Path) -> bool {
    directory.join(db::MARKER).symlink_metadata().is_ok()
}

fn has_entries(directory: &Path) -> bool {
    std::fs::read_dir(directory).is_ok_and(|mut inside| inside.next().is_some())
}
