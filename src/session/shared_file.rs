//! One test file on which all ranks of a run work (`--shared-file` of `qualify` and `mark`). After every rank has
//! checked its path, rank 0 creates and fills the file; the other ranks open it once it exists. Rank 0 removes it at
//! the end.

use crate::exit::{self, coded};
use crate::session::ranks::Ranks;
use anyhow::Result;
use load::target::{self, Action, Inspection, TargetRequest, TestTarget};
use model::{Bytes, Plan, Target};
use run::sharing::{FilePart, FileSharing};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest time for which the other ranks may continue after contact with rank 0 was lost.
const GONE_ON: Duration = Duration::from_secs(run::ranks::SILENCE.as_secs() + 4);

/// Error if the option is used in a run of one process.
pub const ALONE: &str = "--shared-file requires a run of several ranks, and this run has one: start it with mpirun";

/// This rank's part of the shared file.
pub struct SharedFile {
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

impl SharedFile {
    /// Returns the shared file, if one was requested.
    ///
    /// # Errors
    /// If there are no other ranks to share it with.
    pub fn asked(sharing: Option<FileSharing>, ranks: &Ranks) -> Result<Option<SharedFile>> {
        let Some(sharing) = sharing else { return Ok(None) };
        match ranks.own().map(|own| (own.rank, own.ranks)) {
            Some((rank, ranks)) => Ok(Some(SharedFile { part: FilePart { sharing, rank, ranks } })),
            // The only process of a launcher works on the whole file.
            None if ranks.are_one() => Ok(None),
            None => Err(coded(exit::BAD_INPUT, ALONE)),
        }
    }

    /// Returns the number of ranks that work on the file.
    pub fn ranks(&self) -> u64 {
        self.part.ranks as u64
    }

    /// Inspects the target. Rank 0 does this as in a run of one process; the others inspect the same path on their
    /// hosts. Nothing is created until every rank has done this.
    ///
    /// # Errors
    /// If a rank cannot work there; rank 0 prints the reason.
    pub fn inspect(&self, request: TargetRequest, ranks: &mut Ranks) -> Result<Inspection> {
        let request = TargetRequest { share: request.share || request.adopt, ..request };
        if self.part.rank == 0 {
            let inspection = target::inspect(&request)?;
            let name = inspection.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let adopted = inspection.action == Action::Adopt;
            let file = Found { name, size: inspection.size, adopted };
            ranks.exchange(&serde_json::to_string(&file)?)?;
            ranks.all_can()?;
            return Ok(inspection);
        }
        let said = ranks.exchange("")?;
        let file: Found = serde_json::from_str(said.first().map_or("", String::as_str))?;
        let request = TargetRequest { size: Some(file.size), ..request };
        let inspection = match file.adopted {
            true => target::inspect(&request)?,
            false => target::inspect_joined(&request, file.name.as_ref())?,
        };
        ranks.all_can()?;
        Ok(inspection)
    }

    /// Returns this rank's part of the file as the target of a plan for this rank.
    pub fn stretch(&self, whole: &Target) -> Target {
        self.part.stretch(whole, whole.align)
    }

    /// Returns the note about the shared file for the run.
    pub fn note(&self, inspection: &Inspection) -> String {
        let (ranks, name) = (self.part.ranks, inspection.path.display());
        let size = self.part.size(inspection.size, inspection.request.align);
        match self.part.sharing {
            FileSharing::Segmented => {
                format!("all {ranks} ranks share one file, {name}: consecutive parts of {size} each")
            }
            FileSharing::Interleaved => {
                format!("all {ranks} ranks share one file, {name}: interleaved blocks, {size} each")
            }
        }
    }

    /// Changes a plan for the whole range so that it works on this rank's part.
    ///
    /// # Errors
    /// If the file cannot be divided in this way.
    pub fn divide(&self, plan: &mut Plan) -> Result<()> {
        self.part.divide(plan).map_err(|reason| coded(exit::BAD_INPUT, reason))
    }

    /// Opens the file. Rank 0 opens it first and creates it if it is missing; then the others open it. If one of them
    /// fails, a created file is removed again.
    ///
    /// # Errors
    /// If a rank cannot open the file; rank 0 prints the reason.
    pub fn open(&self, inspection: Inspection, ranks: &mut Ranks) -> Result<TestTarget> {
        if self.part.rank > 0 {
            ranks.all_can()?;
            let target = target::open(inspection)?;
            ranks.all_can()?;
            // Keep the ranks connected: if rank 0 is gone, disconnecting takes a while, and the file has to be released
            // before.
            ranks.stay();
            return Ok(target);
        }
        let made = inspection.action == Action::Create;
        let target = target::open(inspection)?;
        // The first exchange reports that the file exists, and the second that all ranks have opened it.
        match target.admit().map_err(Into::into).and_then(|()| ranks.all_can()).and_then(|()| ranks.all_can()) {
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

/// Removes the shared file if rank 0 is gone. The last of the other ranks removes it, because then no other process
/// holds it. The file is kept if this was requested, or if the file system does not show locks of other hosts.
pub fn remove_of_lost_leader(path: &Path, ranks: &Ranks) {
    if !ranks.follows() || !ranks.miss_any() {
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
