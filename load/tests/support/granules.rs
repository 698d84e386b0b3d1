//! Check of the blocks that `load::content` writes, as its table describes them.

use crc32c::crc32c;
use load::content::{BlockFault, HEADER, header};
use load::random::mix;

/// Summary of a verified buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Number of granules, all intact.
    pub granules: u64,
    /// Lowest sequence number among the granules.
    pub oldest: u64,
    /// Highest sequence number among the granules. If it differs from `oldest`, the buffer holds parts of more than one
    /// write.
    pub newest: u64,
}

/// Fault in a granule, with its byte offset in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GranuleFault {
    /// A fault in the header.
    Header(BlockFault),
    /// An intact granule whose header contains the offset `found`.
    Misdirected { offset: u64, found: u64 },
    /// A header and a trailer from different writes.
    Torn { offset: u64, sequence: u64 },
    /// An intact header and trailer around a changed payload.
    PayloadCorrupt { offset: u64, sequence: u64 },
    /// The buffer ends within a granule.
    Partial { offset: u64, have: u64, length: u32 },
}

impl From<BlockFault> for GranuleFault {
    fn from(fault: BlockFault) -> Self {
        GranuleFault::Header(fault)
    }
}

/// Checks a buffer that was read at `offset` of the test file `uuid`, granule by granule. Returns the fault with the
/// lowest offset.
pub fn verify(buffer: &[u8], mut offset: u64, uuid: u128) -> Result<Verified, GranuleFault> {
    let mut seen = Verified { granules: 0, oldest: u64::MAX, newest: 0 };
    let mut rest = buffer;
    while !rest.is_empty() {
        let header = header(rest, offset)?;
        if header.uuid != uuid {
            return Err(BlockFault::OtherFile { offset, found: header.uuid }.into());
        }
        let Some((granule, tail)) = rest.split_at_checked(header.length as usize) else {
            return Err(GranuleFault::Partial { offset, have: rest.len() as u64, length: header.length });
        };
        let (sequence, end) = (header.sequence, granule.len() - 8);
        let trailer = mix(header.offset ^ sequence.rotate_left(32) ^ 0x5345_4343_4849_5452);
        if granule[end..] != trailer.to_le_bytes() {
            return Err(GranuleFault::Torn { offset, sequence });
        }
        if crc32c(&granule[HEADER..end]).to_le_bytes() != granule[28..32] {
            return Err(GranuleFault::PayloadCorrupt { offset, sequence });
        }
        if header.offset != offset {
            return Err(GranuleFault::Misdirected { offset, found: header.offset });
        }
        seen.granules += 1;
        seen.oldest = seen.oldest.min(sequence);
        seen.newest = seen.newest.max(sequence);
        offset += u64::from(header.length);
        rest = tail;
    }
    Ok(seen)
}
