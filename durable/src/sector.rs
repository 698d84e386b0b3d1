//! Format of each 512-byte sector: owner, write number, position, and a checksum over everything. It distinguishes
//! blocks with sectors from several writes, blocks that were lost completely, and foreign data
//! (docs/design/durability.md, "What is written").

pub use crate::geometry::SECTOR;
use crate::schedule::mix;
use uuid::Uuid;

const MAGIC: &[u8; 8] = b"SECCHIdu";
const CHECKSUM: usize = SECTOR - 4;
const FILL: usize = 48;

/// Owner of sectors, which is one generation of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Identifier of the experiment.
    pub run: Uuid,
    /// Number of times that the experiment has been begun, from 1.
    pub generation: u32,
}

/// Header of a sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sector {
    /// Number of the writer.
    pub writer: u16,
    /// Number of the write; 0 = initial contents. A write is a group of blocks, a record, or an operation on names.
    pub sequence: u64,
    /// Position: the index of the block or record in its file, or the slot.
    pub place: u64,
    /// Index of the sector in its block, record or file, from 0.
    pub index: u16,
}

impl Sector {
    /// Writes the sector into a buffer of 512 bytes.
    fn put(self, owner: Owner, out: &mut [u8]) {
        out[..8].copy_from_slice(MAGIC);
        out[8..24].copy_from_slice(owner.run.as_bytes());
        out[24..28].copy_from_slice(&owner.generation.to_le_bytes());
        out[28..30].copy_from_slice(&self.writer.to_le_bytes());
        out[30..32].copy_from_slice(&self.index.to_le_bytes());
        out[32..40].copy_from_slice(&self.sequence.to_le_bytes());
        out[40..FILL].copy_from_slice(&self.place.to_le_bytes());
        // Fill the rest with bytes that a device can neither compress nor deduplicate.
        let mut word = mix(self.sequence ^ (self.place << 20), u64::from(self.index) << 16 | u64::from(self.writer));
        let mut chunks = out[FILL..CHECKSUM].chunks_exact_mut(4);
        for chunk in &mut chunks {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            chunk.copy_from_slice(&((word >> 32) as u32).to_le_bytes());
        }
        let checksum = crc32c::crc32c(&out[..CHECKSUM]);
        out[CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Parses a sector of 512 bytes. Returns `None` if the sector is damaged or does not belong to this owner.
    #[must_use]
    pub fn read(owner: Owner, bytes: &[u8]) -> Option<Sector> {
        let bytes: &[u8; SECTOR] = bytes.try_into().ok()?;
        let (number2, number4) = (
            |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]),
            |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]),
        );
        let number8 = |at: usize| u64::from(number4(at)) | u64::from(number4(at + 4)) << 32;
        let ours = &bytes[..8] == MAGIC && &bytes[8..24] == owner.run.as_bytes() && number4(24) == owner.generation;
        (ours && number4(CHECKSUM) == crc32c::crc32c(&bytes[..CHECKSUM])).then(|| Sector {
            writer: number2(28),
            index: number2(30),
            sequence: number8(32),
            place: number8(40),
        })
    }
}

/// Fills `out` with the sectors of one write. The length of `out` must be a multiple of the sector size.
pub fn put_sectors(owner: Owner, writer: u16, sequence: u64, place: u64, out: &mut [u8]) {
    for (index, out) in out.chunks_exact_mut(SECTOR).enumerate() {
        Sector { writer, sequence, place, index: index as u16 }.put(owner, out);
    }
}

/// Summary of the contents that were found in a block, record or file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Found {
    /// Lowest and highest write number in intact sectors, or `None` if no sector is intact.
    pub sequences: Option<(u64, u64)>,
    /// Number of sectors that are damaged, or belong to another writer, generation or position.
    pub bad: u16,
}

impl Found {
    /// Summarises the contents of `bytes`, which should be sectors of `writer` at position `place`.
    #[must_use]
    pub fn read(owner: Owner, writer: u16, place: u64, bytes: &[u8]) -> Found {
        let mut contents = Found::default();
        for (index, bytes) in bytes.chunks(SECTOR).enumerate() {
            let here = |s: &Sector| s.writer == writer && s.place == place && usize::from(s.index) == index;
            match Sector::read(owner, bytes).filter(here) {
                Some(sector) => {
                    let (low, high) = contents.sequences.unwrap_or((u64::MAX, 0));
                    contents.sequences = Some((low.min(sector.sequence), high.max(sector.sequence)));
                }
                None => contents.bad += 1,
            }
        }
        contents
    }

    /// Returns the write to which all sectors belong. Returns `None` if a sector is damaged, or if the sectors belong
    /// to different writes.
    #[must_use]
    pub fn whole(&self) -> Option<u64> {
        self.sequences.filter(|(low, high)| self.bad == 0 && low == high).map(|(low, _)| low)
    }

    /// Returns the number of the newest write from which a sector was found, or 0.
    #[must_use]
    pub fn newest(&self) -> u64 {
        self.sequences.map_or(0, |(_, high)| high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn owner() -> Owner {
        Owner { run: Uuid::from_u128(7), generation: 3 }
    }

    proptest! {
        #[test]
        fn a_sector_is_read_as_it_was_written_and_with_any_bit_changed_it_is_none(
            writer: u16, sequence: u64, place: u64, at in 0..SECTOR, bit in 0..8,
        ) {
            let mut bytes = [0; SECTOR];
            put_sectors(owner(), writer, sequence, place, &mut bytes);
            prop_assert_eq!(Sector::read(owner(), &bytes), Some(Sector { writer, sequence, place, index: 0 }));
            prop_assert_eq!(Sector::read(Owner { generation: 4, ..owner() }, &bytes), None);
            prop_assert_eq!(Sector::read(Owner { run: Uuid::from_u128(8), ..owner() }, &bytes), None);
            bytes[at] ^= 1_u8 << bit;
            prop_assert_eq!(Sector::read(owner(), &bytes), None);
        }
    }

    #[test]
    fn torn_lost_and_foreign_blocks_are_told_apart() {
        let mut old = vec![0; 4096];
        put_sectors(owner(), 1, 5, 9, &mut old);
        let mut new = old.clone();
        put_sectors(owner(), 1, 8, 9, &mut new);
        let read = |bytes: &[u8]| Found::read(owner(), 1, 9, bytes);
        assert_eq!((read(&old).whole(), read(&new).whole()), (Some(5), Some(8)));
        let torn = [&new[..1024], &old[1024..]].concat();
        assert_eq!((read(&torn).whole(), read(&torn).sequences, read(&torn).bad), (None, Some((5, 8)), 0));
        let damaged = [&new[..1024], &[0; 512], &new[1536..]].concat();
        assert_eq!((read(&damaged).whole(), read(&damaged).newest(), read(&damaged).bad), (None, 8, 1));
        // These are sectors at another block's position, sectors of another writer, and truncated contents.
        assert_eq!(Found::read(owner(), 1, 10, &new).bad, 8);
        assert_eq!(Found::read(owner(), 2, 9, &new).bad, 8);
        assert_eq!(read(&new[..700]).bad, 1);
        // Two sectors are swapped.
        let swapped = [&new[512..1024], &new[..512], &new[1024..]].concat();
        assert_eq!(read(&swapped).bad, 2);
    }
}
