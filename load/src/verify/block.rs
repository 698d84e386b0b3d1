//! Format of a verifiable block: a header with the block's offset, its write number and a checksum of the payload,
//! followed by the payload.
//!
//! | offset | bytes | contents |
//! |---|---|---|
//! | 0 | 8 | magic `SECCHIV1` |
//! | 8 | 1 | method |
//! | 9 | 1 | zero |
//! | 10 | 2 | hash of the name of the file |
//! | 12 | 4 | length, including the header |
//! | 16 | 8 | byte offset of the write |
//! | 24 | 8 | number of the write |
//! | 32 | 8 | owner: hash of the target's UUID at the time of the write |
//! | 40 | 4 | CRC-32C of the preceding 40 bytes |
//! | 44 | 4 | zero |
//! | 48 | | checksum of the following bytes |
//!
//! Numbers are little-endian. If the header is not at the start of the block, it is swapped with the bytes at its
//! offset, as in fio.

use super::sum;
use crate::contents::randomize;
use crate::random::{Random, mix};
use model::plan::Checksum;

const MAGIC: [u8; 8] = *b"SECCHIV1";
const FIXED: usize = 48;

/// Expected offset, owner and write number of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) at: u64,
    /// Expected owner and file; `None` = taken from the first block.
    pub(super) kin: Option<Kin>,
    /// Expected write number; `None` = any.
    pub(super) write: Option<u64>,
}

/// Identity that all blocks of one file have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kin {
    /// Hash of the target's UUID.
    pub(super) owner: u64,
    /// Hash of the file's name.
    pub(super) file: u16,
}

/// Parameters for generating and checking blocks.
#[derive(Debug, Clone)]
pub(super) struct Recipe {
    pub(super) method: Checksum,
    /// Length of an interval in bytes; 0 = the whole block.
    pub(super) interval: usize,
    pub(super) offset: usize,
    pub(super) pattern: Vec<u8>,
    /// Positions in the pattern that hold the offset of the write.
    pub(super) offsets: Vec<u32>,
    /// Number of bytes after which the pattern restarts within a write; 0 = never.
    pub(super) anew: usize,
}

/// Fault in a block, with the expected and the actual value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    /// Offset of the block within the operation.
    pub(super) within: usize,
    pub(super) expected: String,
    pub(super) found: String,
}

impl Recipe {
    /// Returns the length of a header with its checksum, in bytes; 0 for patterns without headers.
    pub(super) fn header(&self) -> usize {
        if self.method == Checksum::Pattern { 0 } else { FIXED + sum::length(self.method) }
    }

    /// Fills a buffer that is about to be written.
    pub(super) fn make(&self, buffer: &mut [u8], at: u64, kin: Kin, write: u64) {
        if self.has_pattern() {
            let stretch = if self.anew == 0 { buffer.len().max(1) } else { self.anew };
            for (i, stretch) in buffer.chunks_mut(stretch).enumerate() {
                self.lay_pattern(stretch, at + (i * self.anew) as u64);
            }
        }
        let step = self.step(buffer.len());
        let mut at = at;
        for part in buffer.chunks_mut(step) {
            self.make_part(part, at, kin, write);
            at += step as u64;
        }
    }

    /// Checks a buffer that was read, and returns the identity of its blocks, if they have headers. Headers that are
    /// not at the start of a block are moved, so the buffer cannot be used afterwards.
    pub(super) fn check(&self, buffer: &mut [u8], mut id: Identity) -> Result<Option<Kin>, Wrong> {
        if self.method == Checksum::Null {
            return Ok(id.kin);
        }
        let step = self.step(buffer.len());
        let begin = id.at;
        for (i, part) in buffer.chunks_mut(step).enumerate() {
            let within = i * step;
            id.at = begin + within as u64;
            let checked = self.check_part(part, id, begin);
            id.kin = checked.map_err(|(expected, found)| Wrong { within, expected, found })?;
        }
        Ok(id.kin)
    }

    fn step(&self, len: usize) -> usize {
        if self.interval == 0 { len.max(1) } else { self.interval }
    }

    fn make_part(&self, part: &mut [u8], at: u64, kin: Kin, write: u64) {
        if !self.has_pattern() {
            let mut random = Random::new(mix(at ^ mix(write ^ kin.owner)));
            randomize(part, &mut random);
        }
        let header = self.header();
        if header == 0 || part.len() < header {
            return;
        }
        let sum = sum::checksum(self.method, &part[header..]);
        let length = part.len() as u32;
        part[..8].copy_from_slice(&MAGIC);
        part[8] = self.method as u8;
        part[9] = 0;
        part[10..12].copy_from_slice(&kin.file.to_le_bytes());
        part[12..16].copy_from_slice(&length.to_le_bytes());
        part[16..24].copy_from_slice(&at.to_le_bytes());
        part[24..32].copy_from_slice(&write.to_le_bytes());
        part[32..40].copy_from_slice(&kin.owner.to_le_bytes());
        let crc = crc32c::crc32c(&part[..40]);
        part[40..44].copy_from_slice(&crc.to_le_bytes());
        part[44..48].fill(0);
        part[FIXED..header].copy_from_slice(&sum[..header - FIXED]);
        self.move_header(part);
    }

    /// Checks one interval. `begin` is the offset of the whole operation.
    fn check_part(&self, part: &mut [u8], id: Identity, begin: u64) -> Result<Option<Kin>, (String, String)> {
        let header = self.header();
        let mut kin = id.kin;
        if part.len() >= header && header > 0 {
            self.move_header(part);
            kin = Some(self.check_header(part, id)?);
        } else if header > 0 {
            // The part is too short for a header.
            return Ok(kin);
        }
        if self.has_pattern() && matches!(self.method, Checksum::Pattern | Checksum::PatternHeader) {
            return self.check_pattern(part, header, id.at - begin, begin).map(|()| kin);
        }
        let sum = sum::checksum(self.method, &part[header..]);
        let stored = &part[FIXED..header];
        let made = &sum[..stored.len()];
        if stored == made {
            return Ok(kin);
        }
        Err((format!("{:?} {}", self.method, hex(stored)), format!("{:?} {}", self.method, hex(made))))
    }

    fn check_header(&self, part: &[u8], id: Identity) -> Result<Kin, (String, String)> {
        let number = |at: usize| u64::from_le_bytes(part[at..at + 8].try_into().expect("eight bytes"));
        if part[..8] != MAGIC {
            let zero = part.iter().all(|b| *b == 0);
            let actual = if zero { "only zeros".to_owned() } else { format!("the bytes {}", hex(&part[..8])) };
            return Err(("a header".into(), actual));
        }
        let crc = u32::from_le_bytes(part[40..44].try_into().expect("four bytes"));
        if crc32c::crc32c(&part[..40]) != crc {
            return Err(("an intact header".into(), "a damaged one".into()));
        }
        let file = u16::from_le_bytes(part[10..12].try_into().expect("two bytes"));
        let actual = Kin { owner: number(32), file };
        let kin = id.kin.unwrap_or(actual);
        let fields = [
            ("offset", id.at, number(16)),
            ("length", part.len() as u64, u64::from(u32::from_le_bytes(part[12..16].try_into().expect("four bytes")))),
            ("file", u64::from(kin.file), u64::from(actual.file)),
            ("method", self.method as u64, u64::from(part[8])),
            ("owner", kin.owner, actual.owner),
            ("write", id.write.unwrap_or(number(24)), number(24)),
        ];
        match fields.into_iter().find(|(_, expected, actual)| expected != actual) {
            None => Ok(kin),
            Some(("owner" | "file", ..)) => Err(("a block of this file".into(), "a block of another file".into())),
            // Write numbers contain the worker in the bits above the count.
            Some(("write", expected, actual)) => Err((write_name(expected), write_name(actual))),
            Some((name, expected, actual)) => Err((format!("{name} {expected}"), format!("{name} {actual}"))),
        }
    }

    /// Compares the bytes after the header with the pattern of an operation at offset `at`. The part begins at byte
    /// `begin` of the operation.
    fn check_pattern(&self, part: &[u8], header: usize, begin: u64, at: u64) -> Result<(), (String, String)> {
        let begin = begin as usize;
        if self.offsets.is_empty() && self.anew == 0 && self.is_repeated(&part[header..], begin + header) {
            return Ok(());
        }
        let Some(wrong) = (header..part.len()).find(|i| part[*i] != self.pattern_byte(begin + i, at)) else {
            return Ok(());
        };
        let end = (wrong + 8).min(part.len());
        let good: Vec<u8> = (wrong..end).map(|i| self.pattern_byte(begin + i, at)).collect();
        Err((format!("{} at its byte {wrong}", hex(&good)), hex(&part[wrong..end])))
    }

    fn has_pattern(&self) -> bool {
        !self.pattern.is_empty() || matches!(self.method, Checksum::Pattern | Checksum::PatternHeader)
    }

    /// Fills the buffer with repetitions of the pattern, with the offset of the operation inserted.
    fn lay_pattern(&self, buffer: &mut [u8], at: u64) {
        let first = self.pattern.len().min(buffer.len());
        if first == 0 {
            buffer.fill(0);
            return;
        }
        buffer[..first].copy_from_slice(&self.pattern[..first]);
        let place = at.to_le_bytes();
        for start in &self.offsets {
            for (byte, place) in buffer[..first].iter_mut().skip(*start as usize).zip(place) {
                *byte = place;
            }
        }
        let mut laid = first;
        while laid < buffer.len() {
            // Copies whole periods, and doubles the filled length each time.
            let more = laid.min(buffer.len() - laid);
            buffer.copy_within(..more, laid);
            laid += more;
        }
    }

    /// Returns `true` if `bytes`, which begin at byte `begin` of an operation, are repetitions of the pattern.
    fn is_repeated(&self, bytes: &[u8], begin: usize) -> bool {
        let Some(skip) = begin.checked_rem(self.pattern.len()) else { return bytes.iter().all(|b| *b == 0) };
        let (first, rest) = bytes.split_at(bytes.len().min(self.pattern.len() - skip));
        self.pattern[skip..].starts_with(first) && rest.chunks(self.pattern.len()).all(|c| self.pattern.starts_with(c))
    }

    /// Returns the expected byte at index `i` of an operation at offset `at`.
    fn pattern_byte(&self, i: usize, at: u64) -> u8 {
        let begun = i.checked_div(self.anew).map_or(0, |n| n * self.anew);
        let Some(within) = (i - begun).checked_rem(self.pattern.len()) else { return 0 };
        let at = at + begun as u64;
        let field = self.offsets.iter().find_map(|start| within.checked_sub(*start as usize).filter(|n| *n < 8));
        match field {
            Some(n) => at.to_le_bytes()[n],
            None => self.pattern[within],
        }
    }

    fn move_header(&self, part: &mut [u8]) {
        let (offset, header) = (self.offset, self.header());
        if offset == 0 || offset < header || offset + header > part.len() {
            return;
        }
        let (front, back) = part.split_at_mut(offset);
        front[..header].swap_with_slice(&mut back[..header]);
    }
}

fn write_name(number: u64) -> String {
    format!("write {} of worker {}", number & ((1 << 48) - 1), number >> 48)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const METHODS: [Checksum; 17] = [
        Checksum::Md5,
        Checksum::Crc64,
        Checksum::Crc32c,
        Checksum::Crc32,
        Checksum::Crc16,
        Checksum::Crc7,
        Checksum::Xxhash,
        Checksum::Sha1,
        Checksum::Sha256,
        Checksum::Sha512,
        Checksum::Sha3_224,
        Checksum::Sha3_256,
        Checksum::Sha3_384,
        Checksum::Sha3_512,
        Checksum::Header,
        Checksum::PatternHeader,
        Checksum::Pattern,
    ];

    const KIN: Kin = Kin { owner: 9, file: 3 };
    const ID: Identity = Identity { at: 8192, kin: Some(KIN), write: Some(77) };

    proptest! {
        #[test]
        fn what_was_made_is_right_and_a_flipped_bit_is_wrong(
            method in prop::sample::select(METHODS.to_vec()), interval in prop::sample::select(vec![0usize, 512, 1024, 2222]),
            offset in prop::sample::select(vec![0usize, 128, 300]), byte in 0usize..4096, bit in 0u8..8, marked: bool,
            anew in prop::sample::select(vec![0usize, 10, 129, 512, 4089]),
        ) {
            let pattern = if marked { b"ab\0\0\0\0\0\0\0\0cde".to_vec() } else { b"xyz".to_vec() };
            let pattern = match method {
                Checksum::Pattern | Checksum::PatternHeader => pattern,
                _ if marked => pattern,
                _ => Vec::new(),
            };
            let offsets = if marked { vec![2] } else { Vec::new() };
            let recipe = Recipe { method, interval, offset, pattern, offsets, anew };
            let mut block = vec![0; 4096];
            recipe.make(&mut block, 8192, KIN, 77);
            prop_assert_eq!(recipe.check(&mut block.clone(), ID), Ok(Some(KIN)));
            let earlier = Identity { write: Some(76), ..ID };
            prop_assert_eq!(recipe.check(&mut block.clone(), earlier).is_ok(), method == Checksum::Pattern);
            let any = Identity { write: None, kin: None, ..ID };
            let headed = recipe.header() > 0;
            prop_assert_eq!(recipe.check(&mut block.clone(), any), Ok(headed.then_some(KIN)));
            let other = Identity { kin: Some(Kin { owner: 8, ..KIN }), ..ID };
            prop_assert_eq!(recipe.check(&mut block.clone(), other).is_err(), headed);
            prop_assert!(recipe.check(&mut vec![0; 4096], ID).is_err());
            block[byte] ^= 1 << bit;
            // The checksum of a header-only method does not cover the payload, and four bytes of the header are unused.
            let whole = if interval == 0 { 4096 } else { interval };
            let inside = (byte % whole).checked_sub(if offset >= recipe.header() { offset } else { 0 });
            let free = inside.is_some_and(|i| (44..48).contains(&i));
            if method != Checksum::Header && !free && recipe.header() > 0 || method == Checksum::Pattern {
                prop_assert!(recipe.check(&mut block, ID).is_err(), "{:?} {} {}", method, byte, offset);
            }
        }
    }

    #[test]
    fn a_block_at_the_wrong_place_is_named_with_both() {
        let recipe = Recipe {
            method: Checksum::Crc32c,
            interval: 512,
            offset: 0,
            pattern: Vec::new(),
            offsets: Vec::new(),
            anew: 0,
        };
        let mut block = vec![0; 4096];
        recipe.make(&mut block, 8192, KIN, 77);
        let wrong = recipe.check(&mut block, Identity { at: 0, ..ID }).unwrap_err();
        assert_eq!((wrong.expected.as_str(), wrong.found.as_str()), ("offset 0", "offset 8192"));
    }

    #[test]
    fn a_pattern_runs_through_the_intervals_and_has_the_offset_of_the_operation_as_fio_lays_it() {
        // As written by fio 3.33 with verify_pattern=0xdead%o"x"%o, verify_interval=512, bs=4k.
        let pattern = b"\xde\xad\0\0\0\0\0\0\0\0x\0\0\0\0\0\0\0\0".to_vec();
        let recipe =
            Recipe { method: Checksum::Pattern, interval: 512, offset: 0, pattern, offsets: vec![2, 11], anew: 0 };
        let mut block = vec![0; 4096];
        recipe.make(&mut block, 4096, KIN, 1);
        assert_eq!(hex(&block[..24]), "dead0010000000000000780010000000000000dead001000");
        let mut first = vec![0; 4096];
        recipe.make(&mut first, 0, KIN, 1);
        assert_eq!(hex(&first[0x1f8..0x20c]), "780000000000000000dead000000000000000078");
        let id = Identity { at: 4096, kin: None, write: None };
        assert_eq!(recipe.check(&mut block.clone(), id), Ok(None));
        block[700] ^= 4;
        assert_eq!(recipe.check(&mut block, id).unwrap_err().within, 512);
    }

    #[test]
    fn a_pattern_that_begins_anew_has_the_offset_of_where_it_does() {
        // As written by fio 3.42 with verify_pattern=%o, verify_pattern_interval=512: each eight bytes contain the
        // offset of their 512-byte interval.
        let pattern = vec![0; 8];
        let recipe = Recipe { method: Checksum::Pattern, interval: 0, offset: 0, pattern, offsets: vec![0], anew: 512 };
        let mut block = vec![0; 4096];
        recipe.make(&mut block, 8192, KIN, 1);
        for (i, eight) in block.chunks(8).enumerate() {
            assert_eq!(u64::from_le_bytes(eight.try_into().unwrap()), 8192 + i as u64 / 64 * 512);
        }
        let id = Identity { at: 8192, kin: None, write: None };
        assert_eq!(recipe.check(&mut block.clone(), id), Ok(None));
        block[3000] ^= 1;
        assert!(recipe.check(&mut block, id).is_err());
    }
}
