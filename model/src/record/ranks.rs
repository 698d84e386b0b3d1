//! A run on many hosts: who takes part, how their clocks agree, and the plans of all put together into one.
//!
//! Each process that takes part is a *rank*, as in MPI. Its targets are among [`Plan::targets`] as those of one host loaded side by
//! side are: a host is one more name of a target, and whoever judges several targets judges several hosts.

use crate::{DeviceFacts, HostFacts, NamedTarget, Nanos, Plan, Preflight, RunRecord, RunState, Stage, Step, WatchPlan};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How another clock stands to the run's, which is rank 0's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClockOffset {
    /// The other clock less the run's, in nanoseconds.
    pub offset: i64,
    /// The offset is true within so much: half of the shortest round trip of many.
    pub uncertainty: Nanos,
}

/// One of the processes that run together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankFacts {
    /// What its targets are called by: its host, with the rank behind it (`host:3`) where several ranks have one host.
    pub name: String,
    /// Its machine.
    pub host: HostFacts,
    /// How its clock stood to the run's before anything began. Times in the record are of the run's clock.
    pub clock: ClockOffset,
    /// How many of the plan's targets are its own: those of rank 0 first, then rank 1's, and so on.
    pub targets: usize,
}

impl RankFacts {
    /// Which of these ranks a stage is of; `None` where there are none.
    #[must_use]
    pub fn owner(ranks: &[RankFacts], stage: &Stage) -> Option<usize> {
        let mut targets = 0;
        ranks.iter().position(|facts| {
            targets += facts.targets;
            stage.place.side < targets
        })
    }
}

/// Which part of a run on many hosts a record is. Each rank keeps its own on its host until rank 0 has ended the run, which keeps all
/// of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankPart {
    /// Id of the run: that of the record which rank 0 keeps.
    pub run: String,
    /// Number of the rank, from 1.
    pub rank: usize,
    /// How many ranks there are.
    pub ranks: usize,
    /// Who it is.
    pub facts: RankFacts,
}

/// What a rank would do by itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RankPlan {
    /// Who it is.
    pub facts: RankFacts,
    /// What it would do alone.
    pub plan: Plan,
    /// What it knows of its machine and storage.
    pub preflight: Preflight,
    /// Files and devices that are there, by device and inode: two names may be of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(PathBuf, (u64, u64))>,
}

impl Plan {
    /// Its targets by name: the only one is called like its rank, of several each has the rank's name before its own.
    fn targets_of_rank(&self, rank: &str) -> Vec<NamedTarget> {
        if self.targets.is_empty() {
            return vec![NamedTarget { name: rank.to_owned(), target: self.target.clone(), fill: self.fill }];
        }
        let named = |t: &NamedTarget| NamedTarget { name: format!("{rank}:{}", t.name), ..t.clone() };
        self.targets.iter().map(named).collect()
    }

    /// One plan of what several ranks do at the same time, rank 0 first: each stage on all of them side by side. `None` where they
    /// do not have the same stages.
    #[must_use]
    pub fn of_ranks(ranks: &[RankPlan]) -> Option<Plan> {
        let first = &ranks.first()?.plan;
        let mut joint = Plan { stages: Vec::new(), targets: Vec::new(), fill: crate::Bytes(0), ..first.clone() };
        let mut sides = Vec::with_capacity(ranks.len());
        for (rank, RankPlan { facts, plan, .. }) in ranks.iter().enumerate() {
            let (base, targets) = (joint.targets.len(), plan.targets_of_rank(&facts.name));
            let of_rank = |stage: &Stage| {
                let mut stage = stage.clone();
                let own = stage.place.side;
                stage.place.side += base;
                if rank > 0 {
                    stage.set_beside(rank, targets.get(own).map_or("", |t| &t.name));
                }
                stage
            };
            sides.push(plan.stages.iter().map(of_rank).collect::<Vec<Stage>>());
            joint.fill += plan.fill;
            joint.targets.extend(targets);
        }
        let watches = ranks.iter().filter_map(|r| Some((r.facts.name.as_str(), r.plan.watch.as_deref()?)));
        let watches: Vec<(&str, &WatchPlan)> = watches.collect();
        if watches.len() != ranks.len() && !watches.is_empty() {
            return None;
        }
        joint.watch = WatchPlan::of_hosts(&watches).map(Box::new);
        // A stage is followed by those of the same rank's other targets, these by the same of the next rank.
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
    /// Whether the run was given up because one of its hosts was not heard of any more, rather than for operations of a disk.
    #[must_use]
    pub fn lost_a_host(&self) -> bool {
        let pending = self.steps.iter().filter_map(|s| s.end.as_ref()).any(|end| end.pending > 0);
        self.state == RunState::Hung && self.preflight.ranks.len() > 1 && !pending
    }

    /// The target that a step works on, of several; `None` where there is one.
    #[must_use]
    pub fn target_of(&self, step: &Step) -> Option<&NamedTarget> {
        self.plan.targets.get(self.plan.stages.get(step.stage)?.place.side)
    }

    /// Which rank a stage is of, and who that is; `None` in a run of one process.
    #[must_use]
    pub fn rank_of(&self, stage: &Stage) -> Option<(usize, &RankFacts)> {
        let ranks = &self.preflight.ranks;
        RankFacts::owner(ranks, stage).map(|rank| (rank, &ranks[rank]))
    }
}

impl Preflight {
    /// What is known of all ranks' storage and limits, rank 0 first; of the machine and its engines what rank 0 knows.
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
                let own = |on: &String| format!("{}:{on}", facts.name);
                // A limit of a machine is one of all its targets.
                let on = if limit.on.is_empty() { names.clone() } else { limit.on.iter().map(own).collect() };
                joint.limits.push(crate::Limit { on, ..limit.clone() });
            }
            joint.ranks.push(facts.clone());
        }
        if ranks.iter().all(|r| r.plan.watch.is_some()) {
            joint.storage.devices = ranks.iter().flat_map(RankPlan::named_devices).collect();
        }
        Some(joint)
    }
}

impl RankPlan {
    /// The devices it watches, with its name.
    fn named_devices(&self) -> impl Iterator<Item = DeviceFacts> {
        let on = |name: &str| format!("{}/{name}", self.facts.name);
        self.preflight.storage.devices.iter().map(move |d| DeviceFacts { name: on(&d.name), ..d.clone() })
    }
}
