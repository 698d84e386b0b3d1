//! One test file that all ranks of a run work on (`--shared-file` of `qualify` and `mark`): rank 0 makes it, fills it and removes it, once
//! every rank has looked at its place; the others open it when it is there.

use crate::exit::{self, coded};
use crate::session::ranks::Ranks;
use anyhow::Result;
use load::target::{self, Action, Inspection, TargetRequest, TestTarget};
use model::{Bytes, Plan, Target};
use run::sharing::{FilePart, FileSharing};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, Instant};

/// So long the others may go on after nothing was heard of rank 0 any more.
const GONE_ON: Duration = Duration::from_secs(run::ranks::SILENCE.as_secs() + 4);

/// What a run of one process says to the option.
pub const ALONE: &str =
    "--shared-file is for the ranks of a run on many hosts, and this run has one: start it with mpirun";

/// This rank's part of the file of all.
pub struct SharedFile {
    part: FilePart,
}

/// What rank 0 found, for the others.
#[derive(Serialize, Deserialize)]
struct Found {
    /// The file's name.
    name: String,
    /// Bytes of it that are tested.
    size: Bytes,
    /// It is somebody's, and only read.
    adopted: bool,
}

impl SharedFile {
    /// What was asked for.
    ///
    /// # Errors
    /// When there is nobody to share it with.
    pub fn asked(sharing: Option<FileSharing>, ranks: &Ranks) -> Result<Option<SharedFile>> {
        let Some(sharing) = sharing else { return Ok(None) };
        match ranks.own().map(|own| (own.rank, own.ranks)) {
            Some((rank, ranks)) => Ok(Some(SharedFile { part: FilePart { sharing, rank, ranks } })),
            // One process of a launcher has all of it.
            None if ranks.are_one() => Ok(None),
            None => Err(coded(exit::BAD_INPUT, ALONE)),
        }
    }

    /// How many work on it.
    pub fn ranks(&self) -> u64 {
        self.part.ranks as u64
    }

    /// Rank 0 looks at its target as one alone would, the others at where it is on their hosts. Nothing is made before all have.
    ///
    /// # Errors
    /// When one of them cannot work there, said by rank 0.
    pub fn inspect(&self, request: TargetRequest, ranks: &mut Ranks) -> Result<Inspection> {
        let request = TargetRequest { share: request.share || request.adopt, ..request };
        if self.part.rank == 0 {
            let inspection = target::inspect(&request)?;
            let name = inspection.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let adopted = inspection.action == Action::Adopt;
            let found = Found { name, size: inspection.size, adopted };
            ranks.exchange(&serde_json::to_string(&found)?)?;
            ranks.all_can()?;
            return Ok(inspection);
        }
        let said = ranks.exchange("")?;
        let found: Found = serde_json::from_str(said.first().map_or("", String::as_str))?;
        let request = TargetRequest { size: Some(found.size), ..request };
        let inspection = match found.adopted {
            true => target::inspect(&request)?,
            false => target::inspect_joined(&request, found.name.as_ref())?,
        };
        ranks.all_can()?;
        Ok(inspection)
    }

    /// This rank's part, as a plan for it alone has it.
    pub fn stretch(&self, whole: &Target) -> Target {
        self.part.stretch(whole, whole.align)
    }

    /// What the run says of it.
    pub fn note(&self, inspection: &Inspection) -> String {
        let (ranks, name) = (self.part.ranks, inspection.path.display());
        let size = self.part.size(inspection.size, inspection.request.align);
        match self.part.sharing {
            FileSharing::Segmented => {
                format!("all {ranks} ranks share one file, {name}: a stretch of {size} each, one behind the other")
            }
            FileSharing::Interleaved => {
                format!("all {ranks} ranks share one file, {name}: its blocks in turns, {size} each")
            }
        }
    }

    /// Has a plan for the stretch work on what is this rank's.
    ///
    /// # Errors
    /// Where it cannot be divided so.
    pub fn divide(&self, plan: &mut Plan) -> Result<()> {
        self.part.divide(plan).map_err(|why| coded(exit::BAD_INPUT, why))
    }

    /// Opens it: rank 0 first, which makes it where there is none; the others when it is there. What was made is removed again where one of
    /// them cannot.
    ///
    /// # Errors
    /// When one of them cannot, said by rank 0.
    pub fn open(&self, inspection: Inspection, ranks: &mut Ranks) -> Result<TestTarget> {
        if self.part.rank > 0 {
            ranks.all_can()?;
            let target = target::open(inspection)?;
            ranks.all_can()?;
            // Leave is waited for where rank 0 is gone, and the file is to be given back before.
            ranks.stay();
            return Ok(target);
        }
        let made = inspection.action == Action::Create;
        let target = target::open(inspection)?;
        // It is there; then all have it.
        match target.admit().map_err(Into::into).and_then(|()| ranks.all_can()).and_then(|()| ranks.all_can()) {
            Ok(()) => Ok(target),
            Err(error) => {
                if made {
                    // The first error is the one to tell; what stays behind is found by its mark.
                    let _ = target.remove();
                }
                Err(error)
            }
        }
    }
}

/// Removes the file of a run whose rank 0 is gone: whoever of the others comes last takes it away, as nobody holds it then. One that was to be
/// kept stays, and one on a file system where locks of other hosts are not seen.
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
