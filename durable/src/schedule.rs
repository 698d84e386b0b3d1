//! Operations of each writer, as a pure function of seed, writer and sequence number. An acknowledgement therefore
//! contains only a writer and the number of its last write, and any process can compute the expected contents.

use crate::geometry::{Geometry, MOST, SECTOR};

/// Mixes two words into one by applying the finalizer of splitmix64 twice.
#[must_use]
pub fn mix(a: u64, b: u64) -> u64 {
    let step = |word: u64| {
        let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    step(step(a.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ b.wrapping_mul(0xd605_bbb5_8c8a_bbfd))
}

/// Positions of the blocks in a group, in the order in which they are written, without duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    at: [u64; MOST as usize],
    len: usize,
}

impl Group {
    /// Returns the positions of the blocks.
    #[must_use]
    pub fn blocks(&self) -> &[u64] {
        &self.at[..self.len]
    }
}

/// Operations of one writer. Each writer has its own random sequence.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    seed: u64,
    geometry: Geometry,
}

/// Operation of a name writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameStep {
    /// Writes and syncs a file, and renames it to the name of the slot, replacing any existing file.
    Replace {
        /// Slot to which the file is renamed.
        slot: u64,
        /// Number of sectors in the file.
        sectors: u64,
    },
    /// Removes the slot's file, if there is one.
    Remove {
        /// Slot from which the file is removed.
        slot: u64,
    },
}

impl NameStep {
    /// Returns the slot that the operation changes.
    #[must_use]
    pub fn slot(&self) -> u64 {
        let (NameStep::Replace { slot, .. } | NameStep::Remove { slot }) = self;
        *slot
    }
}

/// Position of a record in the files of an append writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Index of the file, from 0.
    pub file: u64,
    /// Index of the record in its file, from 0.
    pub number: u64,
    /// Offset in the file, in bytes.
    pub at: u64,
    /// Length of the record, in bytes.
    pub len: u64,
}

impl Schedule {
    /// Returns the schedule of a writer.
    #[must_use]
    pub fn new(seed: u64, writer: u16, geometry: Geometry) -> Schedule {
        Schedule { seed: mix(seed, u64::from(writer)), geometry }
    }

    /// Returns the blocks in group number `sequence`, counted from 1.
    #[must_use]
    pub fn group(&self, sequence: u64) -> Group {
        let blocks = self.geometry.blocks;
        let word = mix(self.seed, sequence);
        let len = (1 + word % MOST).min(blocks) as usize;
        let mut at = [0; MOST as usize];
        for i in 0..len {
            let mut place = mix(word, i as u64) % blocks;
            while at[..i].contains(&place) {
                place = (place + 1) % blocks;
            }
            at[i] = place;
        }
        Group { at, len }
    }

    /// Returns the number of sectors in record number `sequence`, or in the file that a name writer's operation with
    /// this number writes.
    #[must_use]
    pub fn sectors(&self, sequence: u64) -> u64 {
        1 + mix(self.seed, !sequence) % MOST
    }

    /// Iterates over the records of a file in order, each with its sequence number.
    pub fn records(&self, file: u64) -> impl Iterator<Item = (u64, Record)> + '_ {
        let (each, mut at) = (self.geometry.records, 0);
        (0..each).map(move |number| {
            let sequence = file * each + number + 1;
            let len = self.sectors(sequence) * SECTOR as u64;
            let record = Record { file, number, at, len };
            at += len;
            (sequence, record)
        })
    }

    /// Returns the index of the file that contains record number `sequence`. For 0, which means no record yet,
    /// returns the index of the first file.
    #[must_use]
    pub fn file_of(&self, sequence: u64) -> u64 {
        sequence.saturating_sub(1) / self.geometry.records
    }

    /// Returns a name writer's operation with number `sequence`, counted from 1.
    ///
    /// Every other operation replaces a file, and no operation removes the file that the previous operation created.
    /// Therefore, if storage kept its promises, the effect of the operation before the last one is always visible
    /// (docs/design/durability.md, "Without a witness").
    #[must_use]
    pub fn name_step(&self, sequence: u64) -> NameStep {
        let slots = self.geometry.slots;
        let word = mix(self.seed, sequence);
        if sequence.is_multiple_of(2) && word.is_multiple_of(3) {
            let before = self.name_step(sequence - 1).slot();
            return NameStep::Remove { slot: (before + 1 + (word >> 8) % (slots - 1)) % slots };
        }
        NameStep::Replace { slot: (word >> 8) % slots, sectors: self.sectors(sequence) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn schedule(seed: u64, blocks: u64) -> Schedule {
        Schedule::new(seed, 1, Geometry { blocks, slots: 5, records: 16, ..Geometry::default() })
    }

    proptest! {
        #[test]
        fn a_group_is_the_same_each_time_and_has_no_block_twice(seed: u64, blocks in 1_u64..200, sequence in 1_u64..1 << 40) {
            let group = schedule(seed, blocks).group(sequence);
            prop_assert_eq!(group, schedule(seed, blocks).group(sequence));
            let mut sorted = group.blocks().to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(sorted.len(), group.blocks().len());
            prop_assert!(!sorted.is_empty() && sorted.iter().all(|b| *b < blocks));
        }

        #[test]
        fn no_removal_follows_another_or_takes_what_the_step_before_made(seed: u64, sequence in 1_u64..1 << 40) {
            let schedule = schedule(seed, 9);
            if let NameStep::Remove { slot } = schedule.name_step(sequence) {
                for beside in [sequence - 1, sequence + 1] {
                    let replaces = matches!(schedule.name_step(beside), NameStep::Replace { .. });
                    prop_assert!(replaces);
                }
                prop_assert!(schedule.name_step(sequence - 1).slot() != slot && slot < 5);
            }
        }

        #[test]
        fn records_follow_each_other_without_a_gap(seed: u64, file in 0_u64..1 << 30) {
            let schedule = schedule(seed, 9);
            let mut end = 0;
            for (sequence, record) in schedule.records(file) {
                prop_assert_eq!((record.at, schedule.file_of(sequence)), (end, file));
                end += record.len;
            }
        }
    }

    #[test]
    fn every_block_and_slot_has_its_turn() {
        let schedule = schedule(4, 64);
        let mut blocks: Vec<u64> = (1..200).flat_map(|n| schedule.group(n).blocks().to_vec()).collect();
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), 64);
        let removals = (1..3000).filter(|n| matches!(schedule.name_step(*n), NameStep::Remove { .. })).count();
        assert!((400..600).contains(&removals), "{removals}");
    }
}
