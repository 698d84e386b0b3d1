//! A run on many hosts: the plans of its ranks, and the joint plan of all.
//!
//! Each participating process is a *rank*, as in MPI. Its targets are part of [`Plan::targets`], like the targets of
//! one host that are loaded in parallel. Hosts differ only in the names of their targets, so code that judges several
//! targets also judges several hosts.

use crate::plan::{NamedTarget, WatchPlan};
use crate::record::{DeviceFacts, Preflight, RankFacts, Step};
use crate::{Plan, RunRecord, RunState, Stage};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Plan that a rank has made for itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RankPlan {
    /// Facts about the rank.
    pub facts: RankFacts,
    /// Plan that the rank would execute alone.
    pub plan: Plan,
    /// Results of the rank's preflight.
    pub preflight: Preflight,
    /// Existing files and devices, identified by device and inode number because two names may refer to the same file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(PathBuf, (u64, u64))>,
}

impl Plan {
    /// Returns the rank's targets with their names in the joint plan. A single target is named after the rank; with
    /// several targets, the rank's name is a prefix.
    fn targets_of_rank(&self, rank: &str) -> Vec<NamedTarget> {
        if self.targets.is_empty() {
            return vec![NamedTarget { name: rank.to_owned(), target: self.target.clone(), fill: self.fill }];
        }
        let named = |t: &NamedTarget| NamedTarget { name: format!("{rank}:{}", t.name), ..t.clone() };
        self.targets.iter().map(named).collect()
    }

    /// Returns the joint plan of several ranks that run at the same time, rank 0 first: each stage runs on all of them
    /// in parallel. Returns `None` if their stages differ.
    #[must_use]
    pub fn of_ranks(ranks: &[RankPlan]) -> Option<Plan> {
        let first = &ranks.first()?.plan;
        let mut joint = Plan { stages: Vec::new(), targets: Vec::new(), fill: crate::Bytes(0), ..first.clone() };
        let mut sides = Vec::with_capacity(ranks.len());
        for (rank, RankPlan { facts, plan, .. }) in ranks.iter().enumerate() {
            let (base, targets) = (joint.targets.len(), plan.targets_of_rank(&facts.name));
            let of_rank = |stage: &Stage| {
                let mut stage = stage.clone();
                let side = stage.place.side;
                stage.place.side += base;
                if rank > 0 {
                    stage.set_beside(rank, targets.get(side).map_or("", |t| &t.name));
                }
                stage
            };
            sides.push(plan.stages.iter().map(of_rank).collect::<Vec<Stage>>());
            joint.fill += plan.fill;
            joint.targets.extend(targets);
        }
        let watches = ranks.iter().filter_map(|r| Some((r.facts.name.as_str(), r.plan.watch()?)));
        let watches: Vec<(&str, &WatchPlan)> = watches.collect();
        if ranks.iter().any(|rank| rank.plan.kind.name() != first.kind.name()) {
            return None;
        }
        if let (Some(watch), Some(of_hosts)) = (joint.watch_mut(), WatchPlan::of_hosts(&watches)) {
            *watch = of_hosts;
        }
        // A stage is followed by the same stage on the rank's other targets, then by the same stage on the next rank.
        let mut groups: Vec<_> =
            sides.iter().map(|stages| stages.chunk_by(|a, b| b.place.side > a.place.side)).collect();
        loop {
            let together: Vec<Option<&[Stage]>> = groups.iter_mut().map(Iterator::next).collect();
            if together.iter().all(Option::is_none) {
                return Some(joint);
            }
            let mut group: Vec<Stage> = together.into_iter().collect::<Option<Vec<_>>>()?.concat();
            group.iter_mut().skip(1).for_each(|stage| stage.place.with_previous = true);
            joint.stages.extend(group);
        }
    }
}

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

impl Preflight {
    /// Returns the combined preflight results: the storage and limits of all ranks (rank 0 first), and the machine and
    /// engines of rank 0 only.
    #[must_use]
    pub fn of_ranks(ranks: &[RankPlan]) -> Option<Preflight> {
        let mut joint = ranks.first()?.preflight.clone();
        joint.under_each.clear();
        joint.limits.clear();
        for RankPlan { facts, plan, preflight, .. } in ranks {
            let names: Vec<String> = plan.targets_of_rank(&facts.name).into_iter().map(|t| t.name).collect();
            match preflight.under_each.as_slice() {
                [] => joint.under_each.extend(names.iter().map(|_| preflight.storage.clone())),
                each => joint.under_each.extend_from_slice(each),
            }
            for limit in &preflight.limits {
                let on_host = |on: &String| format!("{}:{on}", facts.name);
                // A limit of a machine applies to all its targets.
                let on = if limit.on.is_empty() { names.clone() } else { limit.on.iter().map(on_host).collect() };
                joint.limits.push(crate::Limit { on, ..limit.clone() });
            }
            joint.ranks.push(facts.clone());
        }
        if ranks.iter().all(|r| r.plan.watch().is_some()) {
            joint.storage.devices = ranks.iter().flat_map(RankPlan::named_devices).collect();
        }
        Some(joint)
    }
}

impl RankPlan {
    /// Returns the devices under the rank's targets, prefixed with the rank's name.
    fn named_devices(&self) -> impl Iterator<Item = DeviceFacts> {
        let on = |name: &str| format!("{}/{name}", self.facts.name);
        self.preflight.storage.devices.iter().map(move |d| DeviceFacts { name: on(&d.name), ..d.clone() })
    }
}
