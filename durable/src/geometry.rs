//! Geometry of an experiment: the number of writers of each kind, and the sizes of the files that they write.

use serde::{Deserialize, Serialize};

/// Maximum number of blocks in a group, and maximum number of sectors in a record.
pub const MOST: u64 = 8;

/// Size of a sector in bytes, the smallest unit that every device writes atomically.
pub const SECTOR: usize = 512;

/// Number of writers of each kind, and sizes of the files that they write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Geometry {
    /// Size of a block in bytes, a multiple of 512.
    pub block: u32,
    /// Number of blocks in each block writer's file.
    pub blocks: u64,
    /// Number of block writers. In addition, there is one append writer and one name writer.
    pub jobs: u16,
    /// Number of records in a growing file before the next file is begun.
    pub records: u64,
    /// Number of different names that the name writer uses.
    pub slots: u64,
}

impl Default for Geometry {
    fn default() -> Self {
        Geometry { block: 4096, blocks: 16_384, jobs: 1, records: 1024, slots: 64 }
    }
}

/// Limits for a geometry, because values from a marker or a witness are not trusted.
impl Geometry {
    /// Maximum size of a block, in bytes.
    pub const LARGEST_BLOCK: u32 = 1 << 20;
    /// Maximum number of blocks in a file.
    pub const MOST_BLOCKS: u64 = 1 << 22;
    /// Maximum number of block writers.
    pub const MOST_JOBS: u16 = 64;

    /// Returns `true` if the geometry is within the limits.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.block.is_multiple_of(512)
            && (512..=Self::LARGEST_BLOCK).contains(&self.block)
            && (1..=Self::MOST_BLOCKS).contains(&self.blocks)
            && (1..=Self::MOST_JOBS).contains(&self.jobs)
            && (1..=65_536).contains(&self.records)
            && (2..=65_536).contains(&self.slots)
    }

    /// Returns the total number of writers.
    #[must_use]
    pub fn writers(&self) -> u16 {
        self.jobs + 2
    }

    /// Returns the kind of the writer with this number.
    #[must_use]
    pub fn kind(&self, writer: u16) -> WriterKind {
        match writer.checked_sub(self.jobs) {
            None => WriterKind::Blocks,
            Some(0) => WriterKind::Append,
            Some(_) => WriterKind::Names,
        }
    }

    /// Returns the maximum size of an experiment in bytes. The result includes the space that the file system needs
    /// for file names.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let blocks = u64::from(self.jobs) * self.blocks * u64::from(self.block);
        let growing = 3 * self.records * MOST * 512;
        blocks + growing + (self.slots + 1) * MOST * 512 + (1 << 20)
    }
}

/// Kind of a writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WriterKind {
    /// Writes groups of blocks to a file of fixed size, then syncs it.
    Blocks,
    /// Appends records to a file, then syncs it.
    Append,
    /// Writes, syncs and renames files, or removes them, then syncs their directory.
    Names,
}
