//! Proof that a test file is ours: the only way an existing file is ever written to.
//!
//! Name, sidecar and data must tell the same UUID; the file must be regular, have one name and a size that fits; every
//! block looked at must carry our header, or be empty. What only the sidecar calls filled and the file system does not
//! call written is filled again. Anything else is a user's file and is left alone.

use super::sidecar::{MAX_BYTES, Part, Sidecar};
use super::written::{Evidence, written_ranges};
use crate::content::{BlockFault, GRANULE, header};
use crate::target::ranges::RangeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};
use sys::Metadata;
use sys::{Access, FileId, OpenHow};
use sys::{FileExt, MetadataExt};

/// A file that was proven ours.
#[derive(Debug)]
pub(in crate::target) struct Proof {
    /// Locked; open for writing if taken.
    pub file: File,
    pub id: FileId,
    /// `None` if the run that made the file was killed before it wrote one; the file is then as good as new.
    pub sidecar: Option<Sidecar>,
    /// Sidecar, file system and samples agree that these bytes are filled.
    pub filled: RangeSet,
    /// Bytes the file system has set aside for it.
    pub allocated: u64,
    pub modified: SystemTime,
    pub notes: Vec<String>,
}

/// Why it was not.
#[derive(Debug)]
pub(in crate::target) enum Unproven {
    /// It is somebody's file; the reason as a predicate.
    NotOurs(String),
    /// Another run has it.
    Busy(String),
    /// It could not be looked at.
    Failed(io::Error),
}

impl From<io::Error> for Unproven {
    fn from(e: io::Error) -> Self {
        Unproven::Failed(e)
    }
}

/// What for.
#[derive(Debug, Clone, Copy)]
pub(in crate::target) struct Purpose {
    /// To keep and write it; else only to look, and the lock is given back.
    pub take: bool,
    /// Together with other runs that also share.
    pub share: bool,
}

/// Blocks whose header is read, in what is called filled and in what is not.
const SAMPLES: u64 = 16;

const LOCK_TRIES: u32 = 5;

/// Proves that the file of this UUID in the directory is ours.
pub(in crate::target) fn prove(dir: &File, uuid: u128, purpose: Purpose) -> Result<Proof, Unproven> {
    let name = Part::Data.name(uuid);
    let named = sys::open_no_links(Some(dir), Path::new(&name), OpenHow::plain(Access::Locate));
    let node = match named {
        Err(e) if sys::is_link_error(&e) => return Err(not_ours("is a symbolic link")),
        other => other?,
    };
    let meta = sys::file_metadata(&node)?;
    is_plain(&meta)?;
    let id = FileId::from(&meta);
    if let Some(used) = sys::file_uses(id).into_iter().next() {
        return Err(Unproven::NotOurs(used));
    }
    let access = if purpose.take { Access::ReadWrite } else { Access::Read };
    let file = sys::open_no_links(Some(dir), Path::new(&name), OpenHow::plain(access))?;
    if FileId::from_file(&file)? != id {
        return Err(Unproven::Busy("it was exchanged for another file just now".to_owned()));
    }
    let mut notes: Vec<String> = lock(&file, id, purpose)?.into_iter().collect();
    if !(meta.uid() == sys::effective_user() || sys::may_write(dir, Some(&name))) {
        return Err(not_ours("belongs to another user"));
    }
    // Only now is the size sure to stand still.
    let meta = sys::file_metadata(&file)?;
    is_plain(&meta)?;
    let sidecar = read_sidecar(dir, uuid)?;
    fits(&file, &meta, sidecar.as_ref(), uuid)?;
    let filled = filled(&file, meta.len(), sidecar.as_ref(), uuid, &mut notes)?;
    let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Ok(Proof { file, id, sidecar, filled, allocated: meta.blocks().saturating_mul(512), modified, notes })
}

/// Whether a file of ours that no run holds was left by one that was killed: nobody asked to keep it.
pub(in crate::target) fn is_left(proof: &Proof) -> bool {
    proof.sidecar.as_ref().is_none_or(|s| !s.keep)
}

fn not_ours(why: &str) -> Unproven {
    Unproven::NotOurs(why.to_owned())
}

fn is_plain(meta: &Metadata) -> Result<(), Unproven> {
    if !meta.is_file() {
        return Err(not_ours("is no regular file"));
    }
    match meta.nlink() {
        1 => Ok(()),
        0 => Err(not_ours("was just removed")),
        n => Err(Unproven::NotOurs(format!("has {n} names (hard links)"))),
    }
}

/// Locks the file; `Some` is a note that the file system has no locks.
pub(in crate::target) fn lock(file: &File, id: FileId, purpose: Purpose) -> Result<Option<String>, Unproven> {
    // Another run that only looks holds the lock for a moment, as does a process just forked from one that had it; one that was
    // killed until its disk has answered.
    for again in 0..LOCK_TRIES {
        if again > 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        let last = again + 1 == LOCK_TRIES;
        match sys::lock_once_ended(file, !purpose.share, || sys::lock_holder(id).filter(|_| last)) {
            Ok(true) => {
                if !purpose.take {
                    sys::unlock(file)?;
                }
                return Ok(None);
            }
            Ok(false) => {}
            Err(e) => return Ok(Some(format!("no lock is possible on this file system ({e}): keep other runs away"))),
        }
    }
    Err(Unproven::Busy(match sys::lock_holder(id) {
        Some(pid) => format!("another run uses it (process {pid})"),
        None => "another run uses it".to_owned(),
    }))
}

/// The sidecar of a UUID; `None` if there is none.
pub(in crate::target) fn read_sidecar(dir: &File, uuid: u128) -> Result<Option<Sidecar>, Unproven> {
    let name = Part::Sidecar.name(uuid);
    let file = match sys::open_no_links(Some(dir), Path::new(&name), OpenHow::plain(Access::Locate)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) if sys::is_link_error(&e) => return Err(not_ours("has a sidecar that is a symbolic link")),
        other => other?,
    };
    let meta = sys::file_metadata(&file)?;
    if !meta.is_file() || meta.nlink() != 1 {
        return Err(not_ours("has a sidecar that is no plain file"));
    }
    let file = sys::open_no_links(Some(dir), Path::new(&name), OpenHow::plain(Access::Read))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let sidecar = Sidecar::parse(&bytes).map_err(|why| Unproven::NotOurs(format!("has a sidecar that {why}")))?;
    if sidecar.uuid != uuid {
        return Err(not_ours("has a sidecar with another UUID"));
    }
    Ok(Some(sidecar))
}

/// Whether size, sidecar and first block fit together. A run killed while it made the file leaves it empty or with a
/// single block and no sidecar, or with one that calls nothing filled and part of the room reserved.
fn fits(file: &File, meta: &Metadata, sidecar: Option<&Sidecar>, uuid: u128) -> Result<(), Unproven> {
    let len = meta.len();
    let first = GRANULE as u64;
    let begun = || Ok::<_, io::Error>(len == 0 || (len >= first && matches!(block(file, 0, uuid)?, Block::Ours)));
    match sidecar {
        None if len <= first && begun()? => Ok(()),
        None => Err(not_ours("has no sidecar")),
        Some(s) if s.size == len => Ok(()),
        Some(s) if len < s.size && s.filled.is_empty() && begun()? => Ok(()),
        Some(s) => Err(Unproven::NotOurs(format!("has {len} bytes where its sidecar says {}", s.size))),
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
    // What we read must not make the run's own first reads fast.
    let _ = sys::drop_cache(file, at..at + GRANULE as u64);
    Ok(match header(&bytes, at) {
        Ok(h) if h.uuid == uuid => Block::Ours,
        Ok(h) => Block::Not(BlockFault::OtherFile { offset: at, found: h.uuid }),
        Err(BlockFault::Zero { .. }) => Block::Zero,
        Err(fault) => Block::Not(fault),
    })
}

/// What is filled for certain. Any block that holds something else than ours or zeros ends the proof.
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
        // Zeros found by sampling say nothing about where; the samples below look where it matters.
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
                Block::Not(fault) => return Err(Unproven::NotOurs(format!("holds other data: {fault}"))),
            }
        }
    }
    if zeros > 0 {
        notes.push("blocks its sidecar calls filled are empty (a crash, or trimmed): it is filled again".to_owned());
        filled = RangeSet::new();
    }
    if written.encoded {
        notes.push("the file system compresses or encrypts the test file".to_owned());
    }
    Ok(filled)
}

/// Whether a range of data, read where samples say, carries our header throughout; and whose.
pub(in crate::target) fn owner_of(file: &File, len: u64, samples: u64) -> io::Result<Option<u128>> {
    let mut owner = None;
    let mut bytes = [0; GRANULE];
    for at in RangeSet::from(0..len).samples(samples, GRANULE as u64) {
        file.read_exact_at(&mut bytes, at)?;
        let _ = sys::drop_cache(file, at..at + GRANULE as u64);
        match header(&bytes, at) {
            Ok(h) if h.offset == at && owner.is_none_or(|o| o == h.uuid) => owner = Some(h.uuid),
            _ => return Ok(None),
        }
    }
    Ok(owner)
}

/// Whether the first block still is ours or empty: asked before a file is removed.
pub(in crate::target) fn begins_ours(file: &File, uuid: u128) -> io::Result<bool> {
    if sys::file_metadata(file)?.len() < GRANULE as u64 {
        return Ok(true);
    }
    Ok(matches!(block(file, 0, uuid)?, Block::Ours | Block::Zero))
}
