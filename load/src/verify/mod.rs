//! Verification of written data (fio's `verify`).
//!
//! Every write is numbered and logged in memory allocated before the load. The data read back must come from the last
//! write to its offset. This also detects writes that were acknowledged but lost. Writes that failed, or that were
//! partially overwritten or trimmed, are not verified.
//!
//! Each block contains a hash of the target's UUID and a hash of the name of its file. Data of an earlier run may have
//! been copied to this file, or the target may have got a new UUID since then. Therefore, blocks from earlier runs only
//! have to agree with each other on these hashes. The write numbers of these blocks are not checked, because another
//! job may have written the blocks in another order or in more passes. fio's verify_only does not compare numbers
//! either.

mod block;
mod log;
mod sum;

use crate::pattern::NextIo;
use crate::random::mix;
use block::{Identity, Kin, Recipe};
use log::Log;
use model::plan::{Checksum, FlushKind, Verify};
use model::{Op, record::Verified};

/// Maximum number of stored messages about wrong blocks.
const FINDINGS: usize = 8;

/// Properties of the load that a checker depends on.
#[derive(Debug, Clone)]
pub struct Frame {
    /// True if the load writes.
    pub writes: bool,
    /// Queue depth.
    pub depth: u32,
    /// Number of the worker.
    pub worker: u32,
    /// Maximum number of writes between two checks, or [`u64::MAX`].
    pub most: u64,
    /// True if no data is transferred, as with fio's null engine. Then nothing is compared and no errors are reported.
    pub nothing: bool,
    /// Name of each file, for messages, with the UUID if the file holds secchi's content.
    pub files: Vec<(String, Option<u128>)>,
}

/// Reason why blocks cannot hold their headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The header is longer than a block or an interval; lengths in bytes.
    #[error("a {method:?} header has {header} bytes, more than a block of {block}")]
    LongerThanBlock {
        /// Checksum in the header.
        method: Checksum,
        /// Length of the header.
        header: u64,
        /// Length of the block or interval.
        block: u64,
    },
    /// The header does not fit into the interval at its offset, or overlaps the start of the interval, with which it is
    /// swapped. All values are in bytes.
    #[error(
        "a {method:?} header has {header} bytes: at offset {offset} of {whole} it does not fit, or overlaps the first"
    )]
    Misplaced {
        /// Checksum in the header.
        method: Checksum,
        /// Length of the header.
        header: u64,
        /// Offset of the header.
        offset: u64,
        /// Length of the interval.
        whole: u64,
    },
}

/// Checks that blocks of this length can hold their headers.
///
/// # Errors
/// Returns an error if an interval or a block is too small for the header.
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

/// Returns the identity of the blocks of a file: hashes of the target's UUID and of the file's name. Jobs may list the
/// same files in a different order, so the index of a file does not identify it.
fn kin_of(name: &str, uuid: u128) -> Kin {
    let file = name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte))) as u16;
    Kin { owner: mix(uuid as u64 ^ mix((uuid >> 64) as u64)), file }
}

/// Checker of one worker, which generates, logs and checks the worker's blocks.
pub struct Checker {
    verify: Verify,
    recipe: Recipe,
    frame: Frame,
    /// Identity of the blocks that this run writes to each file.
    own: Vec<Kin>,
    /// Identity of the blocks that an earlier run wrote to each file, known once the first of them has been read.
    kin: Vec<Option<Kin>>,
    /// Number of the last write.
    write: u64,
    log: Log,
    /// Writes since the last check.
    since: u64,
    /// Write number expected by the read in each slot, during a check.
    expected: Vec<Option<u64>>,
    checking: bool,
    verified: Verified,
}

impl Checker {
    /// Creates the checker of one worker and allocates the log of writes.
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

    /// Returns `true` if written data is read back.
    #[must_use]
    pub fn reads_back(&self) -> bool {
        self.verify.reads_back(self.frame.writes)
    }

    /// Returns `true` if only data written by an earlier run is checked.
    #[must_use]
    pub fn writes_nothing(&self) -> bool {
        self.verify.only
    }

    /// Returns the number of writes that are allowed before the next check.
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

    /// Logs a write that an earlier run of the same job would have made.
    pub(crate) fn recall(&mut self, place: &NextIo) {
        if self.log.room() == 0 {
            self.log.tidy();
            self.log.grow();
        }
        self.write += 1;
        self.log.wrote(place.at, place.len, place.file, self.write);
    }

    /// Marks the contents of a range as unknown.
    pub(crate) fn unknown(&mut self, at: u64, len: u32, file: u16) {
        if self.reads_back() {
            self.log.unknown(at, len, file, self.write + 1);
        }
    }

    /// Prepares the entries to read back: all of them, or a batch of the backlog.
    pub(crate) fn begin_check(&mut self, everything: bool) {
        self.log.tidy();
        let batch = self.verify.backlog_batch.filter(|_| !everything && !self.log.is_crowded());
        self.log.begin(batch.map_or(u64::MAX, u64::from));
        self.checking = true;
    }

    /// Returns the next read for checking, to be performed with this slot.
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

    /// Checks the data that was read. Returns `true` if it is correct; otherwise records the error.
    pub(crate) fn judge(&mut self, slot: u32, buffer: &mut [u8], at: u64, file: u16) -> bool {
        // Reads made by the load itself may return older data if the load also writes.
        if self.frame.nothing || !self.checking && self.frame.writes {
            return true;
        }
        let is_own = self.frame.writes && !self.verify.only;
        let write = if self.checking && is_own { self.expected[slot as usize] } else { None };
        let known = self.kin.get(usize::from(file)).copied().flatten();
        let kin = if is_own { Some(self.own(file)) } else { known };
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
    use model::{Bytes, plan::Checksum};

    fn verify(method: Checksum, interval: u64, offset: u64) -> Verify {
        Verify { interval: model::plan::none_if_zero(Bytes(interval)), offset: Bytes(offset), ..Verify::new(method) }
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
