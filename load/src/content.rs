//! Contents of secchi's own blocks: a header with owner and offset, and a payload that does not compress.
//!
//! Data is divided into granules of 4096 bytes, or of 512 bytes if requests are smaller or unaligned. Each granule
//! begins with a header of 64 bytes:
//!
//! | offset | bytes | contents |
//! |---|---|---|
//! | 0 | 8 | magic `SECCHIB1` |
//! | 8 | 16 | UUID of the test file, big-endian |
//! | 24 | 4 | length of the granule |
//! | 28 | 4 | CRC-32C of the payload: everything between header and trailer |
//! | 32 | 8 | byte offset of the write |
//! | 40 | 8 | sequence number of the write |
//! | 48 | 12 | zero |
//! | 60 | 4 | CRC-32C of the preceding 60 bytes |
//!
//! Each granule ends with a trailer of 8 bytes derived from the offset and the sequence number, so that a partially
//! completed write is detected as torn. Numbers are little-endian. No two granules are alike, so deduplication does not
//! help; the payload is random, so compression does not help either (docs/design/storage.md, "Data content"). With
//! 512-byte granules, one byte in eight belongs to a header, and the repeated UUID compresses by about 5 %.
//!
//! The payload and its checksum are generated once per buffer ([`Content::fill_pool`]). Before each write, only the
//! offset, sequence number, trailer and the header's checksum change ([`Content::stamp`]). Small sequential writes from
//! a few buffers therefore repeat the same payloads close together. A file system that compresses records larger than
//! the write (btrfs, ZFS) can exploit that; a load on such a file system calls `fill_pool` before each write.

use crate::contents::randomize;
use crate::pattern::NextIo;
use crate::random::{Random, mix};
use crate::stamp::Stamp;
use crc32c::{crc32c, crc32c_append};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// First bytes of each granule.
pub const MAGIC: [u8; 8] = *b"SECCHIB1";
/// Size of a header, in bytes.
pub const HEADER: usize = 64;
/// Size of the largest granule, in bytes.
pub const GRANULE: usize = 4096;
/// Size of the smallest granule, in bytes. All lengths are multiples of this size.
pub const SECTOR: usize = 512;

const UUID: usize = 8;
const LENGTH: usize = 24;
const PAYLOAD_CRC: usize = 28;
const OFFSET: usize = 32;
const SEQUENCE: usize = 40;
const HEADER_CRC: usize = 60;
const TRAILER: usize = 8;

/// Generator of the contents of one test file, shared by the threads of a run.
#[derive(Debug)]
pub struct Content {
    /// Magic and UUID, the first bytes of every header.
    owner: [u8; LENGTH],
    /// Checksum of `owner`: the initial value for each header's checksum.
    owner_crc: u32,
    seed: u64,
    granule: usize,
    fills: AtomicU64,
}

impl Content {
    /// Returns a generator for the test file `uuid`, with granules of 4096 bytes. The seed determines the payload. Give
    /// each run a different seed; otherwise, deduplicating storage recognizes the data from the previous run.
    #[must_use]
    pub fn new(uuid: u128, seed: u64) -> Self {
        let mut owner = [0; LENGTH];
        owner[..UUID].copy_from_slice(&MAGIC);
        owner[UUID..].copy_from_slice(&uuid.to_be_bytes());
        Content { owner, owner_crc: crc32c(&owner), seed, granule: GRANULE, fills: AtomicU64::new(0) }
    }

    /// Sets the granule size for a load whose offsets and lengths are all multiples of `grain`. The size is 4096 bytes
    /// if `grain` is a multiple of 4096, and 512 bytes otherwise.
    #[must_use]
    pub fn for_grain(mut self, grain: u64) -> Self {
        self.granule = if grain.is_multiple_of(GRANULE as u64) { GRANULE } else { SECTOR };
        self
    }

    /// Fills a whole buffer with new payloads and headers, which differ from those of every earlier call. This is slow
    /// (about 5 GB/s), so call it once per buffer, before the load. Bytes after the last whole 512-byte sector are
    /// zeroed.
    pub fn fill_pool(&self, buffer: &mut [u8]) {
        let number = self.fills.fetch_add(1, Relaxed);
        let mut random = Random::new(mix(self.seed ^ mix(number)));
        randomize(buffer, &mut random);
        let whole = buffer.len() / SECTOR * SECTOR;
        buffer[whole..].fill(0);
        for granule in buffer[..whole].chunks_mut(self.granule) {
            self.seal(granule);
        }
    }

    /// Stamps the buffer for a write at `offset`: every granule gets its offset and sequence number. The length should
    /// be a multiple of 512; bytes beyond the last multiple are left unchanged. Does not allocate; takes about 11 ns
    /// per granule.
    ///
    /// If a granule does not start with a header for this file and length, its other header fields are also computed,
    /// which takes about 0.2 us. This is the case after a read into the buffer, and when the length changes.
    #[inline]
    pub fn stamp(&self, buffer: &mut [u8], offset: u64, sequence: u64) {
        let whole = buffer.len() / SECTOR * SECTOR;
        let mut at = offset;
        for granule in buffer[..whole].chunks_mut(self.granule) {
            if granule[..LENGTH] != self.owner || get32(granule, LENGTH) as usize != granule.len() {
                self.seal(granule);
            }
            put64(granule, OFFSET, at);
            put64(granule, SEQUENCE, sequence);
            let crc = crc32c_append(self.owner_crc, &granule[LENGTH..HEADER_CRC]);
            put32(granule, HEADER_CRC, crc);
            let end = granule.len() - TRAILER;
            put64(granule, end, trailer(at, sequence));
            at = at.wrapping_add(granule.len() as u64);
        }
    }

    /// Writes all header fields that do not depend on the offset.
    #[cold]
    fn seal(&self, granule: &mut [u8]) {
        let length = granule.len();
        granule[..LENGTH].copy_from_slice(&self.owner);
        put32(granule, LENGTH, length as u32);
        put32(granule, PAYLOAD_CRC, crc32c(&granule[HEADER..length - TRAILER]));
        granule[SEQUENCE + 8..HEADER_CRC].fill(0);
    }
}

#[inline(always)]
fn trailer(offset: u64, sequence: u64) -> u64 {
    mix(offset ^ sequence.rotate_left(32) ^ 0x5345_4343_4849_5452)
}

#[inline(always)]
fn get32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

#[inline(always)]
fn get64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[inline(always)]
fn put32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

#[inline(always)]
fn put64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// Header of a granule, with a valid checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// UUID of the test file that the granule belongs to.
    pub uuid: u128,
    /// Length of the granule, in bytes.
    pub length: u32,
    /// Byte offset that the granule was written to.
    pub offset: u64,
    /// Sequence number of the write.
    pub sequence: u64,
}

/// Reads the header at the start of `bytes`. The payload is not checked, so one sector is enough.
///
/// # Errors
/// Returns [`BlockFault::Zero`], [`BlockFault::Foreign`] or [`BlockFault::HeaderCorrupt`], each with `offset`.
pub fn header(bytes: &[u8], offset: u64) -> Result<Header, BlockFault> {
    let whole = bytes.len() >= HEADER;
    if !whole || bytes[..UUID] != MAGIC {
        let zero = bytes.iter().take(GRANULE).all(|b| *b == 0);
        return Err(if zero { BlockFault::Zero { offset } } else { BlockFault::Foreign { offset } });
    }
    let length = get32(bytes, LENGTH);
    let sane = (SECTOR..=GRANULE).contains(&(length as usize)) && (length as usize).is_multiple_of(SECTOR);
    if !sane || crc32c(&bytes[..HEADER_CRC]) != get32(bytes, HEADER_CRC) {
        return Err(BlockFault::HeaderCorrupt { offset });
    }
    Ok(Header {
        uuid: u128::from_be_bytes(bytes[UUID..LENGTH].try_into().expect("sixteen bytes")),
        length,
        offset: get64(bytes, OFFSET),
        sequence: get64(bytes, SEQUENCE),
    })
}

/// Fault in the header of a block, with its byte offset in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockFault {
    /// Only zeros: never written, trimmed or lost.
    #[error("block at byte {offset} contains only zeros: never written, trimmed or lost")]
    Zero {
        /// Byte offset in the target.
        offset: u64,
    },
    /// Data that secchi did not write.
    #[error("block at byte {offset} does not contain secchi's data")]
    Foreign {
        /// Byte offset in the target.
        offset: u64,
    },
    /// A secchi header with a wrong checksum or length.
    #[error("block at byte {offset} has a damaged header")]
    HeaderCorrupt {
        /// Byte offset in the target.
        offset: u64,
    },
    /// Data of another test file.
    #[error("block at byte {offset} belongs to another test file, {}", uuid::Uuid::from_u128(*.found))]
    OtherFile {
        /// Byte offset in the target.
        offset: u64,
        /// UUID of the other test file.
        found: u128,
    },
}

/// Stamper that numbers and stamps the writes of one worker.
#[derive(Debug)]
pub struct Stamper {
    content: Arc<Content>,
    sequence: u64,
}

impl Stamper {
    /// Creates the stamper for worker number `worker`. Sequence numbers of different workers never overlap.
    #[must_use]
    pub fn new(content: Arc<Content>, worker: u16) -> Self {
        Stamper { content, sequence: u64::from(worker) << 48 }
    }
}

impl Stamp for Stamper {
    const WRITES: bool = true;

    fn fill(&mut self, buffer: &mut [u8]) {
        self.content.fill_pool(buffer);
    }

    #[inline]
    fn stamp(&mut self, buffer: &mut [u8], place: &NextIo) {
        self.sequence += 1;
        self.content.stamp(buffer, place.at, self.sequence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::granules::{GranuleFault, Verified, verify};
    use proptest::prelude::*;
    use std::collections::HashSet;

    const ME: u128 = 0x1234_5678_9ABC_DEF0_1122_3344_5566_7788;

    fn block(length: usize, offset: u64) -> Vec<u8> {
        let mut buffer = vec![0; length];
        let content = Content::new(ME, 1).for_grain(length as u64);
        content.fill_pool(&mut buffer);
        content.stamp(&mut buffer, offset, 7);
        buffer
    }

    proptest! {
        #[test]
        fn what_was_stamped_verifies_at_any_length_and_place(
            sectors in 1usize..64, at in 0u64..1 << 40, first in 1usize..64, grain in prop_oneof![Just(512u64), Just(4096)]
        ) {
            let content = Content::new(ME, 3).for_grain(grain);
            let mut slot = vec![0; 64 * SECTOR];
            content.fill_pool(&mut slot);
            // The length of a slot's writes varies.
            content.stamp(&mut slot[..first * SECTOR], 0, 1);
            let length = sectors * SECTOR;
            content.stamp(&mut slot[..length], at * 512, 2);
            let granules = length.div_ceil(grain as usize) as u64;
            prop_assert_eq!(verify(&slot[..length], at * 512, ME), Ok(Verified { granules, oldest: 2, newest: 2 }));
        }

        #[test]
        fn any_flipped_bit_is_found(byte in 0usize..4096, bit in 0u8..8) {
            let mut buffer = block(4096, 8192);
            buffer[byte] ^= 1 << bit;
            prop_assert!(verify(&buffer, 8192, ME).is_err());
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..9000), cut in 0usize..9000) {
            let _ = verify(&bytes, 0, ME);
            let good = block(8192, 0);
            let _ = verify(&good[..cut.min(8192)], 0, ME);
            Content::new(ME, 1).stamp(&mut bytes.clone(), 5, 5);
        }
    }

    #[test]
    fn each_fault_has_its_name() {
        let good = block(8192, 4096);
        let fault = |buffer: &[u8], at| verify(buffer, at, ME).unwrap_err();
        assert_eq!(fault(&[0; 4096], 4096), BlockFault::Zero { offset: 4096 }.into());
        assert_eq!(fault(&[9; 4096], 4096), BlockFault::Foreign { offset: 4096 }.into());
        assert_eq!(fault(&good, 0), GranuleFault::Misdirected { offset: 0, found: 4096 });
        assert_eq!(verify(&good, 4096, 1).unwrap_err(), BlockFault::OtherFile { offset: 4096, found: ME }.into());
        assert_eq!(fault(&good[..6144], 4096), GranuleFault::Partial { offset: 8192, have: 2048, length: 4096 });
        let mut bad = good.clone();
        bad[SEQUENCE] ^= 1;
        assert_eq!(fault(&bad, 4096), BlockFault::HeaderCorrupt { offset: 4096 }.into());
        let mut bad = good.clone();
        bad[4096 + 2000] ^= 1;
        assert_eq!(fault(&bad, 4096), GranuleFault::PayloadCorrupt { offset: 8192, sequence: 7 });
        // The first half of a newer write, on top of an older one.
        let mut newer = good.clone();
        Content::new(ME, 1).stamp(&mut newer, 4096, 8);
        let mut torn = good.clone();
        torn[..2048].copy_from_slice(&newer[..2048]);
        assert_eq!(fault(&torn, 4096), GranuleFault::Torn { offset: 4096, sequence: 8 });
        // Torn between granules: both are intact, but they belong to different writes.
        let mut torn = good;
        torn[..4096].copy_from_slice(&newer[..4096]);
        assert_eq!(verify(&torn, 4096, ME), Ok(Verified { granules: 2, oldest: 7, newest: 8 }));
    }

    #[test]
    fn a_buffer_that_a_read_went_into_is_sealed_anew() {
        let mut buffer = vec![0; 8192];
        Content::new(77, 9).fill_pool(&mut buffer);
        buffer[4096..].fill(0);
        let content = Content::new(ME, 1);
        content.stamp(&mut buffer, 0, 1);
        assert_eq!(verify(&buffer, 0, ME).unwrap().granules, 2);
    }

    /// Returns the number of bytes that a simple LZ77 (greedy, 4-byte hash, unlimited window) would need.
    fn squeezed(data: &[u8]) -> usize {
        let mut last = std::collections::HashMap::new();
        let (mut at, mut out) = (0, 0);
        while at + 4 <= data.len() {
            let key: [u8; 4] = data[at..at + 4].try_into().unwrap();
            let length = last
                .insert(key, at)
                .map_or(0, |from: usize| data[from..].iter().zip(&data[at..]).take_while(|(a, b)| a == b).count());
            (at, out) = if length >= 4 { (at + length, out + 3) } else { (at + 1, out + 1) };
        }
        out + data.len() - at
    }

    fn entropy(data: &[u8]) -> f64 {
        let mut counts = [0u32; 256];
        data.iter().for_each(|b| counts[*b as usize] += 1);
        let share = |c: &u32| f64::from(*c) / data.len() as f64;
        -counts.iter().filter(|c| **c > 0).map(|c| share(c) * share(c).log2()).sum::<f64>()
    }

    #[test]
    fn it_does_not_compress_and_no_block_is_like_another() {
        let content = Content::new(ME, 42);
        let mut slots = vec![vec![0; 1 << 18]; 2];
        slots.iter_mut().for_each(|s| content.fill_pool(s));
        let mut written = Vec::new();
        for write in 0..4u64 {
            let slot = &mut slots[write as usize % 2];
            content.stamp(slot, write << 18, write + 1);
            written.extend_from_slice(slot);
        }
        let blocks: HashSet<&[u8]> = written.chunks(4096).collect();
        assert_eq!(blocks.len(), written.len() / 4096, "deduplication would find something");
        assert!(entropy(&written[..1 << 18]) > 7.95);
        assert!(squeezed(&written[..1 << 18]) as f64 > 0.985 * (1 << 18) as f64);
        assert!(written.chunks(4096).all(|b| squeezed(b) as f64 > 0.99 * 4096.0), "a page by itself");
        assert!(squeezed(&vec![0; 1 << 18]) < 1000, "the measure itself");
    }

    #[test]
    fn workers_never_use_the_same_sequence() {
        let content = Arc::new(Content::new(ME, 1));
        let mut buffer = vec![0; 4096];
        content.fill_pool(&mut buffer);
        let mut seen = HashSet::new();
        for worker in 0..3 {
            let mut stamper = Stamper::new(Arc::clone(&content), worker);
            for _ in 0..100 {
                let place =
                    NextIo { at: 0, len: 4096, op: model::Op::Write, flush: model::plan::FlushKind::Data, file: 0 };
                stamper.stamp(&mut buffer, &place);
                assert!(seen.insert(header(&buffer, 0).unwrap().sequence));
            }
        }
    }

    #[test]
    #[ignore = "measures: run with optimisation, --ignored --nocapture"]
    #[expect(clippy::print_stderr, reason = "it is a measurement")]
    fn cost_of_a_stamp() {
        let content = Content::new(ME, 1);
        for length in [512, 4096, 8192, 131_072, 1 << 20] {
            let content = Content::new(content.seed.into(), 1).for_grain(length as u64);
            let mut buffer = vec![0u8; length];
            content.fill_pool(&mut buffer);
            let rounds = ((256u64 << 20) / length as u64).min(2_000_000);
            let start = std::time::Instant::now();
            for i in 0..rounds {
                content.stamp(std::hint::black_box(&mut buffer), i * length as u64, i);
            }
            let ns = start.elapsed().as_nanos() as f64 / rounds as f64;
            let granules = length.div_ceil(content.granule) as f64;
            eprintln!("{length:8} bytes: {ns:7.1} ns a write, {:5.1} ns a granule", ns / granules);
        }
        let mut buffer = vec![0u8; 1 << 20];
        let start = std::time::Instant::now();
        (0..64).for_each(|_| content.fill_pool(std::hint::black_box(&mut buffer)));
        eprintln!("fill_pool: {:.2} GB/s", 64.0 * 1.048_576e6 / start.elapsed().as_nanos() as f64);
        let start = std::time::Instant::now();
        content.stamp(&mut buffer, 0, 1);
        (0..64).for_each(|_| assert!(verify(std::hint::black_box(&buffer), 0, ME).is_ok()));
        eprintln!("verify: {:.2} GB/s", 64.0 * 1.048_576e6 / start.elapsed().as_nanos() as f64);
    }
}
