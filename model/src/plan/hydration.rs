//! Stages of a run of `secchi hydration`.

use serde::{Deserialize, Serialize};

/// Purpose of the reads of a stage. A volume that was created from a snapshot loads a block when it is read for the
/// first time, so first and second reads of the same blocks differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum HydrationReads {
    /// Random blocks for the first time.
    First,
    /// The blocks of the stage before, in the same order.
    Second,
    /// Large random blocks, as fast as possible: the rate at which the volume loads.
    Rate,
    /// Every block in order, to load the whole volume.
    Warm,
}

impl HydrationReads {
    /// Returns the name: `first`, `second`, `rate`, `warm`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}
