//! Work on names of files, in the two shapes and the phases of mdtest as IO500 runs them.
//!
//! Sources: mdtest 4.0 (`src/mdtest.c` of hpc/ior) and IO500 (`phase_mdtest_easy.c`, `phase_mdtest_hard.c`, `phase-definitions.h`). Each
//! thread is one of mdtest's tasks. As with `-N 1`, a later phase works on the files of another thread than the one before: of its
//! next neighbour where it stats, of the one behind that where it reads, of the third where it removes.

use crate::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What files there are, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetadataShape {
    /// Empty files, each thread's in a directory of its own (mdtest `-u -L -F`).
    Easy,
    /// Files of 3901 bytes, those of all threads in one directory (mdtest `-t -F -w 3901 -e 3901`).
    Hard,
}

impl MetadataShape {
    /// Bytes of a file.
    #[must_use]
    pub const fn file_size(self) -> Bytes {
        match self {
            MetadataShape::Easy => Bytes(0),
            MetadataShape::Hard => Bytes(3901),
        }
    }

    /// The name that people who know mdtest and IO500 look for.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            MetadataShape::Easy => "mdtest-easy",
            MetadataShape::Hard => "mdtest-hard",
        }
    }
}

/// What is done with every file before the next is done with any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetadataPhase {
    /// Made, written if it is not to be empty, and closed.
    Create,
    /// Looked at by its name.
    Stat,
    /// Opened, read whole, and closed.
    Read,
    /// Removed.
    Remove,
}

impl MetadataPhase {
    /// Every phase.
    pub const ALL: [MetadataPhase; 4] =
        [MetadataPhase::Create, MetadataPhase::Stat, MetadataPhase::Read, MetadataPhase::Remove];

    /// mdtest's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            MetadataPhase::Create => "create",
            MetadataPhase::Stat => "stat",
            MetadataPhase::Read => "read",
            MetadataPhase::Remove => "remove",
        }
    }

    /// IO500's word.
    #[must_use]
    pub const fn io500_name(self) -> &'static str {
        match self {
            MetadataPhase::Create => "write",
            MetadataPhase::Remove => "delete",
            MetadataPhase::Stat | MetadataPhase::Read => self.name(),
        }
    }

    /// Whether it changes the file system.
    #[must_use]
    pub const fn changes(self) -> bool {
        matches!(self, MetadataPhase::Create | MetadataPhase::Remove)
    }

    /// Whose files a thread works on: of the thread so many behind it.
    #[must_use]
    pub const fn stride(self) -> u32 {
        match self {
            MetadataPhase::Create => 0,
            MetadataPhase::Stat => 1,
            MetadataPhase::Read => 2,
            MetadataPhase::Remove => 3,
        }
    }
}

/// The phases of a run in IO500's order: between two phases on the same files lie those on the others.
pub const METADATA_PHASES: [(MetadataShape, MetadataPhase); 7] = [
    (MetadataShape::Easy, MetadataPhase::Create),
    (MetadataShape::Hard, MetadataPhase::Create),
    (MetadataShape::Easy, MetadataPhase::Stat),
    (MetadataShape::Hard, MetadataPhase::Stat),
    (MetadataShape::Easy, MetadataPhase::Remove),
    (MetadataShape::Hard, MetadataPhase::Read),
    (MetadataShape::Hard, MetadataPhase::Remove),
];

/// What one thread does in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataRule {
    /// Which files.
    pub shape: MetadataShape,
    /// What is done with each.
    pub phase: MetadataPhase,
    /// Whose files they are: the number of the thread that makes them, from 0.
    pub owner: u32,
    /// So many.
    pub files: u64,
}

impl fmt::Display for MetadataRule {
    /// `mdtest-easy create`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.shape.name(), self.phase.name())
    }
}

/// A series of the seconds that making each phase durable took, in the order of the phases.
pub const METADATA_SYNC: &str = "metadata.sync";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shape_is_made_first_and_removed_last_and_only_files_with_contents_are_read() {
        for shape in [MetadataShape::Easy, MetadataShape::Hard] {
            let phases: Vec<_> = METADATA_PHASES.iter().filter(|(s, _)| *s == shape).map(|(_, p)| *p).collect();
            assert_eq!(phases.first(), Some(&MetadataPhase::Create));
            assert_eq!(phases.last(), Some(&MetadataPhase::Remove));
            assert_eq!(phases.contains(&MetadataPhase::Read), !shape.file_size().is_zero());
        }
    }
}
