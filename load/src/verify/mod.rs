//! Writing so that it can be checked, and checking: fio's verify.
//!
//! Every write is numbered and logged in memory set aside before the load; what is read back must be of the last write
//! to its place, which also finds writes that were acknowledged and lost. Where a place was written more than once the
//! newest counts; one that was overwritten in part is not checked, nor one whose write failed or that was trimmed.
//!
//! Blocks carry the UUID of the target they were written to, and its name. What an earlier run wrote may have come to this
//! place since as a copy, or the target was given another UUID: of such blocks it is asked that they are all of one file,
//! whichever. Nor is it asked which write an earlier run's blocks are of: another job may have written them, in an order of its
//! own, or in more passes (fio's verify_only compares no numbers either).

mod block;
mod log;
mod sum;

use crate::pattern::NextIo;
use crate::random::mix;
use block::{Identity, Kin, Recipe};
use log::Log;
use model::{Checksum, FlushKind, Op, Verified, Verify};

/// Sentences kept about wrong blocks.
const FINDINGS: usize = 8;

/// What a checker has to know of the load.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Whether the load writes.
    pub writes: bool,
    /// Queue depth.
    pub depth: u32,
    /// Number of the worker.
    pub worker: u32,
    /// Writes between two checks at most, or [`u64::MAX`].
    pub most: u64,
    /// Nothing is transferred: there is nothing to be compared, and nothing is wrong (fio's null engine).
    pub nothing: bool,
    /// Names of the files, for findings, and the UUID of each whose content is ours.
    pub files: Vec<(String, Option<u128>)>,
}

/// Why blocks cannot hold their headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The header is longer than a block, or than an interval of it; lengths in bytes.
    #[error("a header of {method:?} is {header} bytes, more than a block of {block}")]
    LongerThanBlock {
        /// What it holds.
        method: Checksum,
        /// Its length.
        header: u64,
        /// Length of what it stands in.
        block: u64,
    },
    /// At its offset it reaches beyond the interval, or into the header at its start; all in bytes.
    #[error(
        "a header of {method:?} is {header} bytes: at offset {offset} of {whole} it does not fit, or overlaps the first"
    )]
    Misplaced {
        /// What it holds.
        method: Checksum,
        /// Its length.
        header: u64,
        /// Where it stands.
        offset: u64,
        /// Length of the interval.
        whole: u64,
    },
}

/// Whether blocks of this length can be written so.
///
/// # Errors
/// An interval or a block that cannot hold the header.
pub fn check_fit(verify: &Verify, min_block: u64) -> Result<(), HeaderError> {
    let (header, method) = (recipe(verify).header() as u64, verify.method);
    let whole = verify.interval.map_or(min_block, |interval| interval.as_u64());
    let block = whole.min(min_block);
    if header > block {
        return Err(HeaderError::LongerThanBlock { method, header, block });
    }
    let offset = verify.offset.as_u64();
    if offset > 0 && (offset < header || offset + header > whole) {
        return Err(HeaderError::Misplaced { method, header, offset, whole });
    }
    Ok(())
}

fn recipe(verify: &Verify) -> Recipe {
    sum::prepare(verify.method);
    Recipe {
        method: verify.method,
        interval: verify.interval.map_or(0, |interval| interval.as_u64() as usize),
        offset: verify.offset.as_u64() as usize,
        pattern: verify.pattern.clone(),
        offsets: verify.pattern_offsets.clone(),
        anew: verify.pattern_interval.map_or(0, |interval| interval.as_u64() as usize),
    }
}

/// Whose blocks are that are written to a file: its own UUID and sixteen bits that stand for its name. Jobs list files each in
/// their own order, so that neither its number nor the UUID of the first one would do.
fn kin_of(name: &str, uuid: u128) -> Kin {
    let file = name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte))) as u16;
    Kin { owner: mix(uuid as u64 ^ mix((uuid >> 64) as u64)), file }
}

/// Makes, logs and checks the blocks of one worker.
pub struct Checker {
    verify: Verify,
    recipe: Recipe,
    frame: Frame,
    /// Whose the blocks are that are written to each file.
    own: Vec<Kin>,
    /// Whose the blocks of each file are that an earlier run wrote, once the first was seen.
    kin: Vec<Option<Kin>>,
    /// Number of the last write.
    write: u64,
    log: Log,
    /// Writes since the last check.
    since: u64,
    /// What each slot is expected to read, while checking.
    expected: Vec<Option<u64>>,
    checking: bool,
    verified: Verified,
}

impl Checker {
    /// For one worker. Sets memory aside for the log of writes.
    #[must_use]
    pub fn new(verify: Verify, frame: Frame) -> Self {
        let reads_back = verify.reads_back(frame.writes);
        let backlog = verify.backlog.map_or(u64::MAX, |blocks| u64::from(blocks).saturating_mul(2));
        let room = frame.most.min(if verify.only { u64::MAX } else { backlog });
        Checker {
            recipe: recipe(&verify),
            own: frame.files.iter().map(|(name, uuid)| kin_of(name, uuid.unwrap_or(0))).collect(),
            kin: vec![None; frame.files.len()],
            write: u64::from(frame.worker) << 48,
            log: Log::new(if reads_back { room } else { 0 }, frame.depth),
            since: 0,
            expected: vec![None; frame.depth.max(1) as usize],
            checking: false,
            verified: Verified::default(),
            verify,
            frame,
        }
    }

    /// Whether what is written is read back.
    #[must_use]
    pub fn reads_back(&self) -> bool {
        self.verify.reads_back(self.frame.writes)
    }

    /// Whether only what an earlier run wrote is checked.
    #[must_use]
    pub fn writes_nothing(&self) -> bool {
        self.verify.only
    }

    /// Writes that may be made before a check.
    pub(crate) fn room(&self) -> u64 {
        let backlog = self.verify.backlog.map_or(u64::MAX, |blocks| u64::from(blocks).saturating_sub(self.since));
        backlog.min(self.log.room())
    }

    fn own(&self, file: u16) -> Kin {
        self.own.get(usize::from(file)).copied().unwrap_or(Kin { owner: 0, file })
    }

    pub(crate) fn make(&mut self, buffer: &mut [u8], place: &NextIo) {
        self.write += 1;
        self.recipe.make(buffer, place.at, self.own(place.file), self.write);
        if self.reads_back() {
            self.since += 1;
            self.log.wrote(place.at, place.len, place.file, self.write);
        }
    }

    /// A write as it would have been made by an earlier run of the same job.
    pub(crate) fn recall(&mut self, place: &NextIo) {
        if self.log.room() == 0 {
            self.log.tidy();
            self.log.grow();
        }
        self.write += 1;
        self.log.wrote(place.at, place.len, place.file, self.write);
    }

    /// Nothing is known of this range any more.
    pub(crate) fn unknown(&mut self, at: u64, len: u32, file: u16) {
        if self.reads_back() {
            self.log.unknown(at, len, file, self.write + 1);
        }
    }

    /// What is to be read back is put in order: everything, or a batch of the backlog.
    pub(crate) fn begin_check(&mut self, all: bool) {
        self.log.tidy();
        let batch = self.verify.backlog_batch.filter(|_| !all && !self.log.is_crowded());
        self.log.begin(batch.map_or(u64::MAX, u64::from));
        self.checking = true;
    }

    /// The next place to be read back into this slot.
    pub(crate) fn next_io(&mut self, slot: u32) -> Option<NextIo> {
        let written = self.log.next()?;
        self.expected[slot as usize] = Some(written.write);
        Some(NextIo { at: written.at, len: written.len, op: Op::Read, flush: FlushKind::Data, file: written.file })
    }

    pub(crate) fn end_check(&mut self) {
        self.log.end();
        self.since = 0;
        self.checking = false;
    }

    /// Whether what was read is right. What is not is remembered.
    pub(crate) fn judge(&mut self, slot: u32, buffer: &mut [u8], at: u64, file: u16) -> bool {
        // Reads of a load that also writes may meet what was there before.
        if self.frame.nothing || !self.checking && self.frame.writes {
            return true;
        }
        let own = self.frame.writes && !self.verify.only;
        let write = if self.checking && own { self.expected[slot as usize] } else { None };
        let known = self.kin.get(usize::from(file)).copied().flatten();
        let kin = if own { Some(self.own(file)) } else { known };
        self.verified.blocks += 1;
        let wrong = match self.recipe.check(buffer, Identity { at, kin, write }) {
            Ok(kin) => {
                if let Some(known) = self.kin.get_mut(usize::from(file)) {
                    *known = kin;
                }
                return true;
            }
            Err(wrong) => wrong,
        };
        self.verified.wrong += 1;
        if self.verified.findings.len() < FINDINGS {
            let name = match self.frame.files.get(usize::from(file)) {
                Some((name, _)) => name.clone(),
                None => format!("file {file}"),
            };
            let place = at + wrong.within as u64;
            let sentence = format!("{name} at byte {place}: expected {}, found {}", wrong.expected, wrong.found);
            self.verified.findings.push(sentence);
        }
        false
    }

    pub(crate) fn take_verified(&mut self) -> Verified {
        std::mem::take(&mut self.verified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, Checksum};

    fn verify(method: Checksum, interval: u64, offset: u64) -> Verify {
        Verify { interval: model::none_if_zero(Bytes(interval)), offset: Bytes(offset), ..Verify::new(method) }
    }

    #[test]
    fn a_header_that_does_not_fit_is_refused() {
        assert!(check_fit(&verify(Checksum::Sha512, 0, 0), 4096).is_ok());
        assert!(check_fit(&verify(Checksum::Sha512, 0, 0), 64).unwrap_err().to_string().contains("112 bytes"));
        assert!(check_fit(&verify(Checksum::Crc32c, 512, 0), 4096).is_ok());
        assert!(check_fit(&verify(Checksum::Crc32c, 512, 500), 4096).is_err());
        assert!(check_fit(&verify(Checksum::Crc32c, 512, 16), 4096).is_err());
        assert!(check_fit(&verify(Checksum::Pattern, 0, 0), 1).is_ok());
    }
}
