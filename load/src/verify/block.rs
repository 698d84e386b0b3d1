//! One block that can be checked: a header with its place and its write, a checksum of the rest, and the rest.
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 8 | magic `SECCHIV1` |
//! | 8 | 1 | method |
//! | 9 | 1 | zero |
//! | 10 | 2 | number of the file in its job |
//! | 12 | 4 | length, header included |
//! | 16 | 8 | byte offset it was written to |
//! | 24 | 8 | number of the write |
//! | 32 | 8 | owner: made of the UUID of the target |
//! | 40 | 4 | CRC-32C of the 40 bytes before |
//! | 44 | 4 | zero |
//! | 48 | | checksum of what follows |
//!
//! Numbers are little-endian. A header that stands elsewhere has changed places with what stood there, as fio does it.

use super::sum;
use crate::contents::{randomize, repeat};
use crate::random::{Random, mix};
use model::Checksum;

const MAGIC: [u8; 8] = *b"SECCHIV1";
const FIXED: usize = 48;
/// In a pattern, these two bytes stand for the byte offset of the block, eight bytes, little-endian (fio's `%o`).
const OFFSET_MARK: &[u8] = b"%o";

/// Where a block stands and by which write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) at: u64,
    pub(super) file: u16,
    /// `None` = any write will do.
    pub(super) write: Option<u64>,
}

/// How blocks are made and checked.
#[derive(Debug, Clone)]
pub(super) struct Recipe {
    pub(super) method: Checksum,
    /// 0 = the whole block.
    pub(super) interval: usize,
    pub(super) offset: usize,
    pub(super) pattern: Vec<u8>,
    pub(super) owner: u64,
}

/// What is wrong with a block: what was expected, and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    /// Where, within the operation.
    pub(super) within: usize,
    pub(super) expected: String,
    pub(super) found: String,
}

impl Recipe {
    /// Bytes of a header with its checksum; 0 for patterns without.
    pub(super) fn header(&self) -> usize {
        if self.method == Checksum::Pattern { 0 } else { FIXED + sum::length(self.method) }
    }

    /// Makes a buffer about to be written.
    pub(super) fn make(&self, buffer: &mut [u8], id: Identity) {
        let step = self.step(buffer.len());
        let mut at = id.at;
        for part in buffer.chunks_mut(step) {
            self.make_part(part, Identity { at, ..id });
            at += step as u64;
        }
    }

    /// Checks a buffer that was read. Headers that stand elsewhere are moved, so the buffer is of no use afterwards.
    pub(super) fn check(&self, buffer: &mut [u8], id: Identity) -> Result<(), Wrong> {
        if self.method == Checksum::Null {
            return Ok(());
        }
        let step = self.step(buffer.len());
        for (i, part) in buffer.chunks_mut(step).enumerate() {
            let within = i * step;
            self.check_part(part, Identity { at: id.at + within as u64, ..id }).map_err(|(expected, found)| Wrong {
                within,
                expected,
                found,
            })?;
        }
        Ok(())
    }

    fn step(&self, len: usize) -> usize {
        if self.interval == 0 { len.max(1) } else { self.interval }
    }

    fn make_part(&self, part: &mut [u8], id: Identity) {
        let write = id.write.unwrap_or(0);
        if self.has_pattern() {
            self.lay_pattern(part, id.at);
        } else {
            let mut random = Random::new(mix(id.at ^ mix(write ^ self.owner)));
            randomize(part, &mut random);
        }
        let header = self.header();
        if header == 0 || part.len() < header {
            return;
        }
        let sum = sum::of(self.method, &part[header..]);
        let length = part.len() as u32;
        part[..8].copy_from_slice(&MAGIC);
        part[8] = self.method as u8;
        part[9] = 0;
        part[10..12].copy_from_slice(&id.file.to_le_bytes());
        part[12..16].copy_from_slice(&length.to_le_bytes());
        part[16..24].copy_from_slice(&id.at.to_le_bytes());
        part[24..32].copy_from_slice(&write.to_le_bytes());
        part[32..40].copy_from_slice(&self.owner.to_le_bytes());
        let crc = crc32c::crc32c(&part[..40]);
        part[40..44].copy_from_slice(&crc.to_le_bytes());
        part[44..48].fill(0);
        part[FIXED..header].copy_from_slice(&sum[..header - FIXED]);
        self.move_header(part);
    }

    fn check_part(&self, part: &mut [u8], id: Identity) -> Result<(), (String, String)> {
        let header = self.header();
        if part.len() >= header && header > 0 {
            self.move_header(part);
            self.check_header(part, id)?;
        } else if header > 0 {
            // Too short to have one.
            return Ok(());
        }
        if self.has_pattern() && matches!(self.method, Checksum::Pattern | Checksum::PatternHeader) {
            return self.check_pattern(part, header, id.at);
        }
        let sum = sum::of(self.method, &part[header..]);
        let stored = &part[FIXED..header];
        let made = &sum[..stored.len()];
        if stored == made {
            return Ok(());
        }
        Err((format!("{:?} {}", self.method, hex(stored)), format!("{:?} {}", self.method, hex(made))))
    }

    fn check_header(&self, part: &[u8], id: Identity) -> Result<(), (String, String)> {
        let number = |at: usize| u64::from_le_bytes(part[at..at + 8].try_into().expect("eight bytes"));
        if part[..8] != MAGIC {
            let zero = part.iter().all(|b| *b == 0);
            let found = if zero { "only zeros".to_owned() } else { format!("the bytes {}", hex(&part[..8])) };
            return Err(("a header".into(), found));
        }
        let crc = u32::from_le_bytes(part[40..44].try_into().expect("four bytes"));
        if crc32c::crc32c(&part[..40]) != crc {
            return Err(("a whole header".into(), "a damaged one".into()));
        }
        let fields = [
            ("offset", id.at, number(16)),
            ("length", part.len() as u64, u64::from(u32::from_le_bytes(part[12..16].try_into().expect("four bytes")))),
            ("file", u64::from(id.file), u64::from(u16::from_le_bytes(part[10..12].try_into().expect("two bytes")))),
            ("method", self.method as u64, u64::from(part[8])),
            ("owner", self.owner, number(32)),
            ("write", id.write.unwrap_or(number(24)), number(24)),
        ];
        match fields.into_iter().find(|(_, expected, found)| expected != found) {
            None => Ok(()),
            // Numbers of writes carry the worker's above the count.
            Some(("write", expected, found)) => Err((write_name(expected), write_name(found))),
            Some((name, expected, found)) => Err((format!("{name} {expected}"), format!("{name} {found}"))),
        }
    }

    fn check_pattern(&self, part: &[u8], from: usize, at: u64) -> Result<(), (String, String)> {
        // Compared with itself laid anew; only of blocks that are read back, never of those in a load.
        let mut good = vec![0; part.len()];
        self.lay_pattern(&mut good, at);
        match (from..part.len()).find(|i| part[*i] != good[*i]) {
            None => Ok(()),
            Some(i) => {
                let end = (i + 8).min(part.len());
                Err((format!("{} at its byte {i}", hex(&good[i..end])), hex(&part[i..end])))
            }
        }
    }

    fn has_pattern(&self) -> bool {
        !self.pattern.is_empty() || matches!(self.method, Checksum::Pattern | Checksum::PatternHeader)
    }

    /// The pattern over and over, the place of the block put in where it has its mark.
    fn lay_pattern(&self, part: &mut [u8], at: u64) {
        if self.pattern.is_empty() {
            part.fill(0);
            return;
        }
        let Some(mark) = self.pattern.windows(2).position(|w| w == OFFSET_MARK) else {
            repeat(part, &self.pattern);
            return;
        };
        let (before, after) = (&self.pattern[..mark], &self.pattern[mark + 2..]);
        let place = at.to_le_bytes();
        let mut bytes = before.iter().chain(&place).chain(after).cycle();
        part.iter_mut().for_each(|b| *b = *bytes.next().expect("a cycle of at least eight bytes"));
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

    const ID: Identity = Identity { at: 8192, file: 3, write: Some(77) };

    proptest! {
        #[test]
        fn what_was_made_is_right_and_a_flipped_bit_is_wrong(
            method in prop::sample::select(METHODS.to_vec()), interval in prop::sample::select(vec![0usize, 512, 1024]),
            offset in prop::sample::select(vec![0usize, 128, 300]), byte in 0usize..4096, bit in 0u8..8, marked: bool,
        ) {
            let pattern = if marked { b"ab%ocde".to_vec() } else { b"xyz".to_vec() };
            let pattern = match method {
                Checksum::Pattern | Checksum::PatternHeader => pattern,
                _ if marked => pattern,
                _ => Vec::new(),
            };
            let recipe = Recipe { method, interval, offset, pattern, owner: 9 };
            let mut block = vec![0; 4096];
            recipe.make(&mut block, ID);
            prop_assert_eq!(recipe.check(&mut block.clone(), ID), Ok(()));
            let earlier = Identity { write: Some(76), ..ID };
            prop_assert_eq!(recipe.check(&mut block.clone(), earlier).is_ok(), method == Checksum::Pattern);
            let any = Identity { write: None, ..ID };
            prop_assert_eq!(recipe.check(&mut block.clone(), any), Ok(()));
            prop_assert!(recipe.check(&mut vec![0; 4096], ID).is_err());
            block[byte] ^= 1 << bit;
            // A header says nothing of the payload, and four of its bytes are free.
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
        let recipe = Recipe { method: Checksum::Crc32c, interval: 512, offset: 0, pattern: Vec::new(), owner: 1 };
        let mut block = vec![0; 4096];
        recipe.make(&mut block, ID);
        let wrong = recipe.check(&mut block, Identity { at: 0, ..ID }).unwrap_err();
        assert_eq!((wrong.expected.as_str(), wrong.found.as_str()), ("offset 0", "offset 8192"));
    }
}
