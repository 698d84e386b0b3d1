//! Contents of written data, and verification.

use super::facts::Facts;
use crate::error::JobError;
use crate::file::{Section, not_done};
use crate::options::{BufferOptions, DedupeMode, JobOptions, VerifyMethod};
use model::Bytes;
use model::plan::{BlockSizes, Checksum, Contents, Filling, Verify, none_if_zero};

pub(super) fn contents(section: &Section, facts: &dyn Facts) -> Result<Contents, JobError> {
    let b: &BufferOptions = &section.options.buffers;
    let kind = match &b.pattern {
        Some(pattern) => Filling::Pattern(pattern_bytes(section, "buffer_pattern", pattern, facts)?.0),
        None if b.zero => Filling::Zero,
        None if b.refill => Filling::Refilled,
        None if b.scramble => Filling::Scrambled,
        None => Filling::Fixed,
    };
    Ok(Contents {
        kind,
        compress_percent: b.compress_percentage.unwrap_or(0),
        compress_chunk: none_if_zero(b.compress_chunk),
        dedupe_percent: b.dedupe_percentage.unwrap_or(0),
        dedupe_shared: None,
        dedupe_working_set: if b.dedupe_mode == DedupeMode::WorkingSet { b.dedupe_working_set } else { 0 },
    })
}

/// Returns the bytes of a pattern, and the positions in the pattern at which each write inserts its offset.
fn pattern_bytes(
    section: &Section,
    option: &str,
    pattern: &crate::options::Pattern,
    facts: &dyn Facts,
) -> Result<(Vec<u8>, Vec<u32>), JobError> {
    use crate::options::PatternPart;
    let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
    for part in &pattern.0 {
        match part {
            PatternPart::Bytes(part) => bytes.extend_from_slice(part),
            PatternPart::File(path) => {
                let read = facts.contents(path);
                bytes.extend(read.map_err(|why| not_done(section, option, format!("{}: {why}", path.display())))?);
            }
            PatternPart::Offset => {
                offsets.push(bytes.len() as u32);
                bytes.extend([0; 8]);
            }
        }
    }
    Ok((bytes, offsets))
}

pub(super) fn verify(section: &Section, facts: &dyn Facts) -> Result<Option<Verify>, JobError> {
    let v = &section.options.verify;
    let method = match v.method {
        VerifyMethod::None => return Ok(None),
        VerifyMethod::Crc32c => Checksum::Crc32c,
        VerifyMethod::Crc32 => Checksum::Crc32,
        VerifyMethod::Crc64 => Checksum::Crc64,
        VerifyMethod::Crc16 => Checksum::Crc16,
        VerifyMethod::Crc7 => Checksum::Crc7,
        VerifyMethod::Md5 => Checksum::Md5,
        VerifyMethod::Sha1 => Checksum::Sha1,
        VerifyMethod::Sha256 => Checksum::Sha256,
        VerifyMethod::Sha512 => Checksum::Sha512,
        VerifyMethod::Sha3_224 => Checksum::Sha3_224,
        VerifyMethod::Sha3_256 => Checksum::Sha3_256,
        VerifyMethod::Sha3_384 => Checksum::Sha3_384,
        VerifyMethod::Sha3_512 => Checksum::Sha3_512,
        VerifyMethod::Xxhash => Checksum::Xxhash,
        VerifyMethod::Pattern => Checksum::Pattern,
        VerifyMethod::PatternHdr => Checksum::PatternHeader,
        VerifyMethod::Meta => Checksum::Header,
        VerifyMethod::Null => Checksum::Null,
    };
    let (pattern, pattern_offsets) = match &v.pattern {
        Some(pattern) => pattern_bytes(section, "verify_pattern", pattern, facts)?,
        None => Default::default(),
    };
    Ok(Some(Verify {
        method,
        interval: interval(&section.options),
        offset: Bytes(u64::from(v.offset)),
        pattern,
        pattern_offsets,
        pattern_interval: none_if_zero(v.pattern_interval),
        check: v.do_verify,
        only: v.verify_only,
        backlog: none_if_zero(u32::try_from(v.backlog).unwrap_or(u32::MAX)),
        backlog_batch: none_if_zero(v.backlog_batch),
        fatal: v.fatal,
    }))
}

/// Returns the number of bytes that one header covers. If writes differ in size, each write is divided into pieces. The
/// size of a piece is the greatest common divisor of the write sizes, and every piece has a header. As in fio, a piece
/// can then be verified without knowing which write it belongs to.
fn interval(o: &JobOptions) -> Option<Bytes> {
    let block = &o.block.bs[1];
    // As in fio, a header covers at most one write. If the sizes are not multiples of the interval, their common
    // divisor is used instead.
    let given = o.verify.interval.min(block.min());
    let given = none_if_zero(given);
    let one_header = block.min() == block.max() || o.verify.method == VerifyMethod::Pattern;
    match given {
        Some(given)
            if block.min().as_u64().is_multiple_of(given.as_u64())
                && block.max().as_u64().is_multiple_of(given.as_u64()) =>
        {
            Some(given)
        }
        None if one_header => None,
        _ => common(block),
    }
}

/// Returns the greatest common divisor of all sizes, or `None` if it is too small for a header.
fn common(block: &BlockSizes) -> Option<Bytes> {
    let sizes: Vec<u64> = match block {
        BlockSizes::Split(list) => list.iter().map(|s| s.size.as_u64()).collect(),
        other => vec![other.min().as_u64(), other.max().as_u64()],
    };
    sizes.into_iter().reduce(gcd).filter(|common| *common >= SMALLEST_INTERVAL).map(Bytes)
}

/// Smallest interval that has room for every kind of header.
const SMALLEST_INTERVAL: u64 = 512;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
