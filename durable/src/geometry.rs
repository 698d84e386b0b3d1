//! The shape of an experiment: how many writers of which kind, and how large their files are.

use serde::{Deserialize, Serialize};

/// Most blocks of a group, and most sectors of a record.
pub const MOST: u64 = 8;

/// Bytes of a sector: the smallest piece that any device writes as a whole.
pub const SECTOR: usize = 512;

/// The shape of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Geometry {
    /// Bytes of a block: a multiple of 512.
    pub block: u32,
    /// Blocks of the file of each writer of blocks.
    pub blocks: u64,
    /// Writers of blocks. Behind them come one of a growing file and one of names.
    pub jobs: u16,
    /// Records of a growing file before the next one is begun.
    pub records: u64,
    /// Names that files are renamed to.
    pub slots: u64,
}

impl Default for Geometry {
    fn default() -> Self {
        Geometry { block: 4096, blocks: 16_384, jobs: 1, records: 1024, slots: 64 }
    }
}

/// Bounds of a geometry: what a marker or a witness tells is not trusted.
impl Geometry {
    /// Largest block, in bytes.
    pub const LARGEST_BLOCK: u32 = 1 << 20;
    /// Most blocks of a file.
    pub const MOST_BLOCKS: u64 = 1 << 22;
    /// Most writers of blocks.
    pub const MOST_JOBS: u16 = 64;

    /// Whether an experiment can have it.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.block.is_multiple_of(512)
            && (512..=Self::LARGEST_BLOCK).contains(&self.block)
            && (1..=Self::MOST_BLOCKS).contains(&self.blocks)
            && (1..=Self::MOST_JOBS).contains(&self.jobs)
            && (1..=65_536).contains(&self.records)
            && (2..=65_536).contains(&self.slots)
    }

    /// Writers in all.
    #[must_use]
    pub fn writers(&self) -> u16 {
        self.jobs + 2
    }

    /// What a writer does.
    #[must_use]
    pub fn kind(&self, writer: u16) -> WriterKind {
        match writer.checked_sub(self.jobs) {
            None => WriterKind::Blocks,
            Some(0) => WriterKind::Append,
            Some(_) => WriterKind::Names,
        }
    }

    /// Bytes that an experiment takes at most, with what file systems keep for its names.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let blocks = u64::from(self.jobs) * self.blocks * u64::from(self.block);
        let growing = 3 * self.records * MOST * 512;
        blocks + growing + (self.slots + 1) * MOST * 512 + (1 << 20)
    }
}

/// What a writer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WriterKind {
    /// Groups of blocks of a file that has its size, then a sync.
    Blocks,
    /// Records at the end of a file, then a sync.
    Append,
    /// Files written, synced and renamed, and removed, then a sync of their directory.
    Names,
}
