//! The directory of a run that measures file operations. Rank 0 creates a directory for all hosts after each of them has
//! checked its path. The others check whether they see this directory. If all of them do, they all work in it. If one
//! does not, the hosts do not share a file system, and every host creates its own directory. The host that created a
//! directory removes it; if that host is gone, the others remove it.

use super::{GONE_ON, Member};
use crate::Session;
use crate::supervisor::Lifeline;
use anyhow::Result;
use load::target::{DirectoryInspection, DirectoryRequest, OwnDirectory};
use messages::sentence;
use model::{Caveat, Plan, Severity, record::Preflight};
use run::Ending;
use run::metadata::Sharing;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest time until a directory created by another host becomes visible. Name caches delay this.
const SEEN: Duration = Duration::from_secs(2);

/// Directory in which this process works.
pub struct SharedDirectory {
    inspection: DirectoryInspection,
    /// Processes that work in it.
    pub sharing: Sharing,
    /// Doubt raised if the hosts have no common directory.
    pub doubt: Option<Caveat>,
    /// Note that several processes work in it.
    pub note: Option<String>,
    /// Directory, if it is open already: on rank 0, and on other ranks that work in the directory of rank 0.
    held: Option<HeldDirectory>,
}

impl Session {
    /// Finds out whether all hosts can work in one directory. Creates that directory on rank 0.
    ///
    /// # Errors
    /// If a process cannot do its part.
    pub fn directory(&mut self, inspection: DirectoryInspection) -> Result<SharedDirectory> {
        let mut directory = SharedDirectory { inspection, sharing: Sharing::NONE, doubt: None, note: None, held: None };
        let Some(Member { rank, ranks, name: own_name }) = self.member() else { return Ok(directory) };
        let own_name = own_name.to_owned();
        let inspection = &directory.inspection;
        let name = self.exchange(&inspection.own_name())?.swap_remove(0);
        let mut held = if rank == 0 { Some(HeldDirectory::begin(inspection, &self.lifeline)?) } else { None };
        // Returns after rank 0 has created it.
        self.all_can()?;
        if rank > 0 {
            held = find(inspection, &name)?.map(|directory| HeldDirectory { directory, removes: false, filled: false });
        }
        let answers = self.exchange(if held.is_some() { "" } else { &own_name })?;
        let blind: Vec<String> = answers.into_iter().filter(|name| !name.is_empty()).collect();
        if blind.is_empty() {
            let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            directory.note = Some(format!(
                "the files of all {ranks} ranks are in one directory, {name}; as with mdtest -N 1, each rank stats \
                 the files of the next"
            ));
            directory.sharing = Sharing { rank: number(rank), ranks: number(ranks) };
            directory.held = held;
            return Ok(directory);
        }
        if rank == 0 {
            let evidence = sentence!("metadata-seen-apart", hosts = blind.join(", "), name);
            let doubt = Caveat::new("hard-apart", Severity::Doubt, sentence!("metadata-doubt-apart"), evidence);
            directory.doubt = Some(doubt.remedy(sentence!("metadata-remedy-apart")));
        }
        directory.held = held.filter(|held| held.removes);
        Ok(directory)
    }

    /// Agrees on the plan, creates the files of the directory and opens them.
    ///
    /// # Errors
    /// If a process cannot take part, or the files cannot be created.
    pub fn agree_in(&mut self, directory: SharedDirectory, plan: &Plan, facts: &Preflight) -> Result<HeldDirectory> {
        let SharedDirectory { inspection, sharing, held, .. } = directory;
        let mut held = held;
        // The other ranks open these files after they have agreed, so rank 0 creates them now.
        if let Some(made) = held.as_mut().filter(|made| made.removes) {
            made.fill(&inspection, plan, sharing)?;
        }
        self.agree(plan, facts)?;
        let mut held = match held {
            Some(held) => held,
            None => HeldDirectory::begin(&inspection, &self.lifeline)?,
        };
        match (held.filled, held.removes) {
            (true, _) => {}
            (false, true) => held.fill(&inspection, plan, sharing)?,
            (false, false) => held.directory.open(owners(plan))?,
        }
        Ok(held)
    }

    /// Removes the directory after the run, even if the run failed. Returns a sentence if something remains. If another
    /// process is gone, it may still be creating files; if it created the directory, the directory is removed here.
    pub fn remove_directory(&self, mut held: HeldDirectory, ending: &Ending) -> Option<String> {
        let path = held.directory.path().to_owned();
        let misses = self.misses_any();
        if !std::mem::take(&mut held.removes) && !misses {
            return None;
        }
        if ending.stuck {
            return Some(format!("the files could not be removed while an operation hangs: {}", path.display()));
        }
        let mut reported = Instant::now();
        let mut alive = || {
            if reported.elapsed() > Duration::from_millis(500) {
                reported = Instant::now();
                self.lifeline.moves();
            }
        };
        let until = Instant::now() + if misses { GONE_ON } else { Duration::ZERO };
        loop {
            let error = held.directory.remove(&mut alive).err()?;
            // Another process may have removed it.
            if misses && is_gone(&path) {
                return None;
            }
            if Instant::now() >= until {
                return Some(format!("the files could not be removed: {error}"));
            }
            std::thread::sleep(Duration::from_millis(100));
            alive();
        }
    }
}

/// Returns the ranks whose files a plan works on.
fn owners(plan: &Plan) -> BTreeSet<u32> {
    plan.stages.iter().filter_map(|stage| stage.job.tuning.work.metadata()).map(|rule| rule.owner).collect()
}

/// Returns the directory created by rank 0, if it is visible here.
fn find(inspection: &DirectoryInspection, name: &str) -> Result<Option<OwnDirectory>> {
    let since = Instant::now();
    loop {
        let directory = OwnDirectory::find(inspection, name)?;
        if directory.is_some() || since.elapsed() > SEEN {
            return Ok(directory);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// An open directory of files. It is removed on drop if this process created it.
pub struct HeldDirectory {
    directory: OwnDirectory,
    /// True if this process created it.
    removes: bool,
    /// True if its files exist and are open.
    filled: bool,
}

impl HeldDirectory {
    fn begin(inspection: &DirectoryInspection, lifeline: &Lifeline) -> Result<HeldDirectory> {
        lifeline.makes(&inspection.own_path());
        Ok(HeldDirectory { directory: OwnDirectory::begin(inspection)?, removes: true, filled: false })
    }

    /// Creates the directory with its files, for this process only.
    ///
    /// # Errors
    /// If a file cannot be created; nothing is left in that case.
    pub fn make(inspection: &DirectoryInspection, lifeline: &Lifeline) -> Result<HeldDirectory> {
        lifeline.makes(&inspection.own_path());
        Ok(HeldDirectory { directory: OwnDirectory::make(inspection)?, removes: true, filled: true })
    }

    /// Creates the files for all processes that work in this directory.
    fn fill(&mut self, inspection: &DirectoryInspection, plan: &Plan, sharing: Sharing) -> Result<()> {
        let tasks = inspection.request.tasks.saturating_mul(sharing.ranks);
        let request = DirectoryRequest { tasks, ..inspection.request.clone() };
        self.directory.fill(&request, owners(plan))?;
        self.filled = true;
        Ok(())
    }
}

impl std::ops::Deref for HeldDirectory {
    type Target = OwnDirectory;

    fn deref(&self) -> &OwnDirectory {
        &self.directory
    }
}

impl Drop for HeldDirectory {
    fn drop(&mut self) {
        if self.removes {
            // The error is reported elsewhere. If the directory remains, it is recognised by its mark later.
            let _ = self.directory.remove(&mut || ());
        }
    }
}

fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
}
