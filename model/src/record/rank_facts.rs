//! Facts about the ranks of a run on many hosts.

use crate::{Nanos, Stage, record::HostFacts};
use serde::{Deserialize, Serialize};

/// Offset of another clock from the run's clock, which is that of rank 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockOffset {
    /// Difference of the other clock minus the run's clock, in nanoseconds.
    pub offset: i64,
    /// Uncertainty of the offset: half of the shortest of many round trips.
    pub uncertainty: Nanos,
}

/// One of the processes that run together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankFacts {
    /// Prefix of the names of the rank's targets: its host, followed by the rank (`host:3`) if several ranks share one
    /// host.
    pub name: String,
    /// Machine of the rank.
    pub host: HostFacts,
    /// Offset of the rank's clock from the run's clock, determined before the run began. Times in the record are on the
    /// run's clock.
    pub clock: ClockOffset,
    /// Number of the plan's targets that belong to the rank. Targets are ordered by rank.
    pub targets: usize,
}

impl RankFacts {
    /// Returns the index of the rank that a stage belongs to, or `None` if there are no ranks.
    #[must_use]
    pub fn owner(ranks: &[RankFacts], stage: &Stage) -> Option<usize> {
        let mut targets = 0;
        ranks.iter().position(|facts| {
            targets += facts.targets;
            stage.place.side < targets
        })
    }
}

/// Part of a run on many hosts that a record covers. Each rank stores its part on its host until rank 0, which stores
/// the whole run, has ended the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankPart {
    /// ID of the run, as in the record of rank 0.
    pub run: String,
    /// Number of the rank, from 1.
    pub rank: usize,
    /// Number of ranks.
    pub ranks: usize,
    /// Facts about the rank.
    pub facts: RankFacts,
}
