//! A run on many hosts, as seen in its record.
//!
//! Each participating process is a *rank*, as in MPI. Its targets are part of the plan's targets, like the targets of
//! one host that are loaded in parallel. Hosts differ only in the names of their targets, so code that judges several
//! targets also judges several hosts.

use crate::record::{RankFacts, Step};
use crate::{RunRecord, RunState, Stage, plan::NamedTarget};

impl RunRecord {
    /// Returns `true` if the run was aborted because contact with a host was lost, not because of operations on a disk.
    #[must_use]
    pub fn lost_a_host(&self) -> bool {
        let pending = self.steps.iter().filter_map(|s| s.end.as_ref()).any(|end| end.pending > 0);
        self.state == RunState::Hung && self.preflight.ranks.len() > 1 && !pending
    }

    /// Returns the target of a step if there are several, otherwise `None`.
    #[must_use]
    pub fn target_of(&self, step: &Step) -> Option<&NamedTarget> {
        self.plan.targets.get(self.plan.stages.get(step.stage)?.place.side)
    }

    /// Returns the index and the facts of the rank that a stage belongs to; `None` in a run of one process.
    #[must_use]
    pub fn rank_of(&self, stage: &Stage) -> Option<(usize, &RankFacts)> {
        let ranks = &self.preflight.ranks;
        RankFacts::owner(ranks, stage).map(|rank| (rank, &ranks[rank]))
    }
}
