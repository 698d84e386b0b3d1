//! Metadata workloads: the two shapes and the phases of mdtest as IO500 runs them.
//!
//! Sources: mdtest 4.0 (`src/mdtest.c` of hpc/ior) and IO500 (`phase_mdtest_easy.c`, `phase_mdtest_hard.c`,
//! `phase-definitions.h`). Each thread corresponds to one mdtest task. As with `-N 1`, each phase works on the files of
//! a different thread than the previous phase: stat, read and remove use the files of the threads whose numbers are
//! higher by one, two and three.

use crate::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Shape of a metadata workload: sizes and directories of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MetadataShape {
    /// Empty files, with a separate directory for each thread (mdtest `-u -L -F`).
    Easy,
    /// Files of 3901 bytes, with the files of all threads in one directory (mdtest `-t -F -w 3901 -e 3901`).
    Hard,
}

impl MetadataShape {
    /// Returns the size of a file.
    #[must_use]
    pub const fn file_size(self) -> Bytes {
        match self {
            MetadataShape::Easy => Bytes(0),
            MetadataShape::Hard => Bytes(3901),
        }
    }

    /// Returns the name that users of mdtest and IO500 expect.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            MetadataShape::Easy => "mdtest-easy",
            MetadataShape::Hard => "mdtest-hard",
        }
    }
}

/// Operation that a phase performs on every file before the next phase begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::VariantNames)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MetadataPhase {
    /// Create the file, write it unless it stays empty, and close it.
    Create,
    /// Stat the file by name.
    Stat,
    /// Open the file, read all of it, and close it.
    Read,
    /// Remove the file.
    Remove,
}

impl MetadataPhase {
    /// All phases.
    pub const ALL: [MetadataPhase; 4] =
        [MetadataPhase::Create, MetadataPhase::Stat, MetadataPhase::Read, MetadataPhase::Remove];

    /// Returns the name of the phase in mdtest.
    #[must_use]
    pub const fn name(self) -> &'static str {
        <Self as strum::VariantNames>::VARIANTS[self as usize]
    }

    /// Returns the name of the phase in IO500.
    #[must_use]
    pub const fn io500_name(self) -> &'static str {
        match self {
            MetadataPhase::Create => "write",
            MetadataPhase::Remove => "delete",
            MetadataPhase::Stat | MetadataPhase::Read => self.name(),
        }
    }

    /// Returns `true` if the phase changes the file system.
    #[must_use]
    pub const fn changes(self) -> bool {
        matches!(self, MetadataPhase::Create | MetadataPhase::Remove)
    }

    /// Returns the distance, in thread numbers, from a thread to the thread whose files it works on.
    #[must_use]
    pub const fn stride(self) -> u32 {
        self as u32
    }
}

/// Phases of a run in IO500's order, which mostly alternates between the shapes.
pub const METADATA_PHASES: [(MetadataShape, MetadataPhase); 7] = [
    (MetadataShape::Easy, MetadataPhase::Create),
    (MetadataShape::Hard, MetadataPhase::Create),
    (MetadataShape::Easy, MetadataPhase::Stat),
    (MetadataShape::Hard, MetadataPhase::Stat),
    (MetadataShape::Easy, MetadataPhase::Remove),
    (MetadataShape::Hard, MetadataPhase::Read),
    (MetadataShape::Hard, MetadataPhase::Remove),
];

/// Work of one thread in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetadataRule {
    /// Shape of the files.
    pub shape: MetadataShape,
    /// Operation on each file.
    pub phase: MetadataPhase,
    /// Number of the thread that creates the files, from 0.
    pub owner: u32,
    /// Number of files.
    pub files: u64,
}

impl fmt::Display for MetadataRule {
    /// Formats the rule as `mdtest-easy create`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.shape.name(), self.phase.name())
    }
}

/// Name of the series with the time in seconds that syncing took after each phase, in the order of the phases.
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
