//! Proof that secchi created a test file. An existing file is written only with this proof.
//!
//! Name, sidecar and data must contain the same UUID. The file must be a regular file with one name and a matching
//! size. Every block checked must have secchi's header or be empty. Ranges that the sidecar lists as filled but the
//! file system does not report as written are filled again. Any other file is a user's file and is not touched.

use super::ranges::RangeSet;
use super::sidecar::{MAX_BYTES, Part, Sidecar};
use super::written::{Evidence, written_ranges};
use crate::content::{BlockFault, GRANULE, header};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};
use sys::files::{Access, FileExt, FileId, Metadata, MetadataExt, OpenHow};

/// Test file that secchi provably created.
#[derive(Debug)]
pub(super) struct Proof {
    /// Locked file; open for writing if [`Purpose::take`] is true.
    pub file: File,
    pub id: FileId,
    /// Sidecar; `None` if the run that created the file was killed before it wrote the sidecar. Such a file is used
    /// like a new one.
    pub sidecar: Option<Sidecar>,
    /// Filled ranges according to the sidecar, confirmed by the file system and by samples.
    pub filled: RangeSet,
    /// Number of bytes that the file system has allocated to the file.
    pub allocated: u64,
    pub modified: SystemTime,
    pub notes: Vec<String>,
}

/// Reason why the proof failed.
#[derive(Debug)]
pub(super) enum Unproven {
    /// The file is a user's file. Holds the reason, worded as a predicate.
    NotOurs(String),
    /// Another run uses the file.
    Busy(String),
    /// The file could not be checked.
    Failed(io::Error),
}

impl From<io::Error> for Unproven {
    fn from(e: io::Error) -> Self {
        Unproven::Failed(e)
    }
}

/// Purpose of the proof.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose {
    /// True if the file will be kept locked and written; otherwise it is only checked, and the lock is released.
    pub take: bool,
    /// True if the lock is shared, so that other runs that also share the file may use it.
    pub share: bool,
}

/// Number of blocks whose headers are read in the filled ranges. The same number is read in the unfilled ranges.
const SAMPLES: u64 = 16;

const LOCK_TRIES: u32 = 5;

/// Proves that secchi created the file with this UUID in the directory.
pub(super) fn prove(dir: &File, uuid: u128, purpose: Purpose) -> Result<Proof, Unproven> {
    let name = Part::Data.name(uuid);
    let named = sys::files::open_no_links(Some(dir), Path::new(&name), OpenHow::plain(Access::Locate));
    let node = match named {
        Err(e) if sys::files::is_link_error(&e) => return Err(not_ours("is a symbolic link")),
        other => other?,
    };
    let meta = sys::files::file_metadata(&node)?;
    is_plain(&meta)?;
    let id = FileId::from(&meta);
    if let Some(used) = sys::devices::file_uses(id).into_iter().next() {
        return Err(Unproven::NotOurs(used));
    }
    let access = if purpose.take { Access::ReadWrite } else { Access::Read };
    let file = sys::files::open_no_links(Some(dir), Path::new(&name), OpenHow::plain(access))?;
    if FileId::from_file(&file)? != id {
        return Err(Unproven::Busy("it was just replaced by another file".to_owned()));
    }
    let mut notes: Vec<String> = lock(&file, id, purpose)?.into_iter().collect();
    if !(meta.uid() == sys::files::effective_user() || sys::files::may_write(dir, Some(&name))) {
        return Err(not_ours("belongs to another user"));
    }
    // The size is reliable only now that the file is locked.
    let meta = sys::files::file_metadata(&file)?;
    is_plain(&meta)?;
    let sidecar = read_sidecar(dir, uuid)?;
    fits(&file, &meta, sidecar.as_ref(), uuid)?;
    let filled = filled(&file, meta.len(), sidecar.as_ref(), uuid, &mut notes)?;
    let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Ok(Proof { file, id, sidecar, filled, allocated: meta.blocks().saturating_mul(512), modified, notes })
}

/// Returns `true` if a test file that no run holds is a leftover of a killed run, which no user requested to keep.
pub(super) fn is_left(proof: &Proof) -> bool {
    proof.sidecar.as_ref().is_none_or(|s| !s.keep)
}

fn not_ours(reason: &str) -> Unproven {
    Unproven::NotOurs(reason.to_owned())
}

fn is_plain(meta: &Metadata) -> Result<(), Unproven> {
    if !meta.is_file() {
        return Err(not_ours("is not a regular file"));
    }
    match meta.nlink() {
        1 => Ok(()),
        0 => Err(not_ours("was just removed")),
        n => Err(Unproven::NotOurs(format!("has {n} names (hard links)"))),
    }
}

/// Locks the file. Returns a note if the file system does not support locks.
pub(super) fn lock(file: &File, id: FileId, purpose: Purpose) -> Result<Option<String>, Unproven> {
    // Another run that only checks the file holds the lock briefly, as does a process just forked from the holder. A
    // killed run holds the lock until its last I/O has completed.
    for again in 0..LOCK_TRIES {
        if again > 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        let last = again + 1 == LOCK_TRIES;
        match sys::locks::lock_once_ended(file, !purpose.share, || sys::locks::lock_holder(id).filter(|_| last)) {
            Ok(true) => {
                if !purpose.take {
                    sys::locks::unlock(file)?;
                }
                return Ok(None);
            }
            Ok(false) => {}
            Err(e) => {
                return Ok(Some(format!(
                    "this file system does not support locks ({e}): do not start other runs on it"
                )));
            }
        }
    }
    Err(Unproven::Busy(match sys::locks::lock_holder(id) {
        Some(pid) => format!("another run uses it (process {pid})"),
        None => "another run uses it".to_owned(),
    }))
}

/// Reads the sidecar of a UUID; returns `None` if there is none.
pub(super) fn read_sidecar(dir: &File, uuid: u128) -> Result<Option<Sidecar>, Unproven> {
    let name = Part::Sidecar.name(uuid);
    let file = match sys::files::open_no_links(Some(dir), Path::new(&name), OpenHow::plain(Access::Locate)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) if sys::files::is_link_error(&e) => return Err(not_ours("has a sidecar that is a symbolic link")),
        other => other?,
    };
    let meta = sys::files::file_metadata(&file)?;
    if !meta.is_file() || meta.nlink() != 1 {
        return Err(not_ours("has a sidecar that is not a regular file"));
    }
    let file = sys::files::open_no_links(Some(dir), Path::new(&name), OpenHow::plain(Access::Read))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let sidecar = Sidecar::parse(&bytes).map_err(|fault| Unproven::NotOurs(format!("has a sidecar that {fault}")))?;
    if sidecar.uuid != uuid {
        return Err(not_ours("has a sidecar with another UUID"));
    }
    Ok(Some(sidecar))
}

/// Checks that size, sidecar and first block are consistent. A run killed while it created the file leaves one of these
/// states: an empty file; a single block and no sidecar; a sidecar that lists no filled range, with part of the space
/// reserved.
fn fits(file: &File, meta: &Metadata, sidecar: Option<&Sidecar>, uuid: u128) -> Result<(), Unproven> {
    let len = meta.len();
    let first = GRANULE as u64;
    let begun = || Ok::<_, io::Error>(len == 0 || (len >= first && matches!(block(file, 0, uuid)?, Block::Ours)));
    match sidecar {
        None if len <= first && begun()? => Ok(()),
        None => Err(not_ours("has no sidecar")),
        Some(s) if s.size == len => Ok(()),
        Some(s) if len < s.size && s.filled.is_empty() && begun()? => Ok(()),
        Some(s) => Err(Unproven::NotOurs(format!("has {len} bytes, but {} according to its sidecar", s.size))),
    }
}

enum Block {
    Ours,
    Zero,
    Not(BlockFault),
}

fn block(file: &File, at: u64, uuid: u128) -> io::Result<Block> {
    let mut bytes = [0; GRANULE];
    file.read_exact_at(&mut bytes, at)?;
    // Drop the pages, so that the reads made here do not speed up the run's own first reads.
    let _ = sys::storage::drop_cache(file, at..at + GRANULE as u64);
    Ok(match header(&bytes, at) {
        Ok(h) if h.uuid == uuid => Block::Ours,
        Ok(h) => Block::Not(BlockFault::OtherFile { offset: at, found: h.uuid }),
        Err(BlockFault::Zero { .. }) => Block::Zero,
        Err(fault) => Block::Not(fault),
    })
}

/// Returns the ranges that are certainly filled. The proof fails if a block contains anything but secchi's data or
/// zeros.
fn filled(
    file: &File,
    len: u64,
    sidecar: Option<&Sidecar>,
    uuid: u128,
    notes: &mut Vec<String>,
) -> Result<RangeSet, Unproven> {
    let written = written_ranges(file, len)?;
    let claimed = sidecar.map(|s| s.filled.clone()).unwrap_or_default();
    let present = match written.evidence {
        // Sampling finds zeros, but not the ranges they occupy; the samples below check the relevant ranges.
        Evidence::Sampled { .. } => (0..len).into(),
        Evidence::Extents | Evidence::Holes => written.ranges,
    };
    let mut filled = claimed.and(&present).whole_blocks(GRANULE as u64);
    let beside = filled.missing(0..len).and(&present);
    let mut zeros = 0;
    for (set, counts) in [(&filled, true), (&beside, false)] {
        for at in set.samples(SAMPLES, GRANULE as u64) {
            match block(file, at, uuid)? {
                Block::Ours => {}
                Block::Zero => zeros += u32::from(counts),
                Block::Not(fault) => return Err(Unproven::NotOurs(format!("contains other data: {fault}"))),
            }
        }
    }
    if zeros > 0 {
        notes.push(
            "blocks that its sidecar lists as filled are empty (a crash, or trimmed): it is filled again".to_owned(),
        );
        filled = RangeSet::new();
    }
    if written.encoded {
        notes.push("the file system compresses or encrypts the test file".to_owned());
    }
    Ok(filled)
}

/// Returns the UUID in the headers of a range, if all samples have secchi headers with the same UUID.
pub(super) fn owner_of(file: &File, len: u64, samples: u64) -> io::Result<Option<u128>> {
    let mut owner = None;
    let mut bytes = [0; GRANULE];
    for at in RangeSet::from(0..len).samples(samples, GRANULE as u64) {
        file.read_exact_at(&mut bytes, at)?;
        let _ = sys::storage::drop_cache(file, at..at + GRANULE as u64);
        match header(&bytes, at) {
            Ok(h) if h.offset == at && owner.is_none_or(|o| o == h.uuid) => owner = Some(h.uuid),
            _ => return Ok(None),
        }
    }
    Ok(owner)
}

/// Returns `true` if the first block is still secchi's, or empty. Checked before a file is removed.
pub(super) fn begins_ours(file: &File, uuid: u128) -> io::Result<bool> {
    if sys::files::file_metadata(file)?.len() < GRANULE as u64 {
        return Ok(true);
    }
    Ok(matches!(block(file, 0, uuid)?, Block::Ours | Block::Zero))
}
