//! One test file on which all ranks of a run work (`--shared-file` of `qualify` and `mark`). After every rank has
//! checked its path, rank 0 creates and fills the file; the other ranks open it once it exists. Rank 0 removes it at
//! the end.

use super::GONE_ON;
use crate::Session;
use crate::exit::{self, coded};
use anyhow::Result;
use load::target::{self, Action, Inspection, TargetRequest, TestTarget};
use model::{Bytes, Plan, Target};
use run::sharing::{FilePart, FileSharing};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, Instant};

/// Error if the option is used in a run of one process.
const ALONE: &str = "--shared-file requires a run of several ranks, and this run has one: start it with mpirun";

/// This rank's part of the shared file.
#[derive(Clone)]
pub(crate) struct SharedFile {
    part: FilePart,
}

/// Description of the target that rank 0 sends to the other ranks.
#[derive(Serialize, Deserialize)]
struct Found {
    /// Name of the file.
    name: String,
    /// Size of the tested part, in bytes.
    size: Bytes,
    /// True if the file belongs to the user and is only read.
    adopted: bool,
}

impl Session {
    /// Makes all processes work on one test file, if this was requested. Called before anything is inspected.
    ///
    /// # Errors
    /// If there are no other processes to share it with.
    pub fn share_file(&mut self, sharing: Option<FileSharing>) -> Result<()> {
        let Some(sharing) = sharing else { return Ok(()) };
        let part = self.member().map(|own| FilePart { sharing, rank: own.rank, ranks: own.ranks });
        // The only process of a launcher works on the whole file.
        if part.is_none() && !self.is_launched_alone() {
            return Err(coded(exit::BAD_INPUT, ALONE));
        }
        self.shared = part.map(|part| SharedFile { part });
        Ok(())
    }

    /// Returns the number of parts of a test file: the number of processes that share it, or 1 if it is not shared.
    pub fn file_parts(&self) -> u64 {
        self.shared.as_ref().map_or(1, |shared| shared.part.ranks as u64)
    }

    /// Returns this process's part of a test file, as the target of its plan.
    pub fn own_part(&self, whole: Target) -> Target {
        self.shared.as_ref().map_or(whole.clone(), |shared| shared.part.stretch(&whole, whole.align))
    }

    /// Changes a plan for [`Session::own_part`] so that it works only on the blocks of this process.
    ///
    /// # Errors
    /// If the file cannot be divided in this way.
    pub fn divide(&self, plan: &mut Plan) -> Result<()> {
        let Some(shared) = &self.shared else { return Ok(()) };
        shared.part.divide(plan).map_err(|reason| coded(exit::BAD_INPUT, reason))
    }

    /// Returns the note about a shared test file for the run; `None` if the file is not shared.
    pub fn sharing_note(&self, inspection: &Inspection) -> Option<String> {
        let part = self.shared.as_ref()?.part;
        let (ranks, name) = (part.ranks, inspection.path.display());
        let size = part.size(inspection.size, inspection.request.align);
        Some(match part.sharing {
            FileSharing::Segmented => {
                format!("all {ranks} ranks share one file, {name}: consecutive parts of {size} each")
            }
            FileSharing::Interleaved => {
                format!("all {ranks} ranks share one file, {name}: interleaved blocks, {size} each")
            }
        })
    }

    /// Removes the shared file if rank 0 is gone. The last of the other ranks removes it, because then no other process
    /// holds it. The file is kept if this was requested, or if the file system does not show locks of other hosts.
    pub(crate) fn remove_shared_file(&self, path: &Path) {
        if self.reports() || !self.misses_any() {
            return;
        }
        let until = Instant::now() + GONE_ON;
        while path.exists() && Instant::now() < until {
            if target::remove_leftover(path) {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl SharedFile {
    /// Inspects the target. Rank 0 does this as in a run of one process; the others inspect the same path on their
    /// hosts. Nothing is created until every rank has done this.
    ///
    /// # Errors
    /// If a rank cannot work there; rank 0 prints the reason.
    pub(crate) fn inspect(&self, request: TargetRequest, session: &mut Session) -> Result<Inspection> {
        let request = TargetRequest { share: request.share || request.adopt, ..request };
        if self.part.rank == 0 {
            let inspection = target::inspect(&request)?;
            let name = inspection.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let adopted = inspection.action == Action::Adopt;
            let file = Found { name, size: inspection.size, adopted };
            session.exchange(&serde_json::to_string(&file)?)?;
            session.all_can()?;
            return Ok(inspection);
        }
        let said = session.exchange("")?;
        let file: Found = serde_json::from_str(said.first().map_or("", String::as_str))?;
        let request = TargetRequest { size: Some(file.size), ..request };
        let inspection = match file.adopted {
            true => target::inspect(&request)?,
            false => target::inspect_joined(&request, file.name.as_ref())?,
        };
        session.all_can()?;
        Ok(inspection)
    }

    /// Opens the file. Rank 0 opens it first and creates it if it is missing; then the others open it. If one of them
    /// fails, a created file is removed again.
    ///
    /// # Errors
    /// If a rank cannot open the file; rank 0 prints the reason.
    pub(crate) fn open(&self, inspection: Inspection, session: &mut Session) -> Result<TestTarget> {
        if self.part.rank > 0 {
            session.all_can()?;
            let target = target::open(inspection)?;
            session.all_can()?;
            // Keep the ranks connected: if rank 0 is gone, disconnecting takes a while, and the file has to be released
            // before.
            session.stay();
            return Ok(target);
        }
        let made = inspection.action == Action::Create;
        let target = target::open(inspection)?;
        // The first exchange reports that the file exists, and the second that all ranks have opened it.
        match target.admit().map_err(Into::into).and_then(|()| session.all_can()).and_then(|()| session.all_can()) {
            Ok(()) => Ok(target),
            Err(error) => {
                if made {
                    // Return the first error. If the file remains, it is recognised by its mark later.
                    let _ = target.remove();
                }
                Err(error)
            }
        }
    }
}
