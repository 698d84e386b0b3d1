//! Joint plan and preflight of a run on many hosts, from what each rank has planned for itself.

use model::plan::{NamedTarget, WatchPlan, WatchedDevice, WatchedGroup, WatchedProcess};
use model::record::{DeviceFacts, Preflight, RankFacts};
use model::{Bytes, Limit, Plan, Stage};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Plan that a rank has made for itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RankPlan {
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

impl RankPlan {
    /// Returns the devices under the rank's targets, prefixed with the rank's name.
    fn named_devices(&self) -> impl Iterator<Item = DeviceFacts> {
        let on = |name: &str| format!("{}/{name}", self.facts.name);
        self.preflight.storage.devices.iter().map(move |d| DeviceFacts { name: on(&d.name), ..d.clone() })
    }
}

/// Returns the rank's targets with their names in the joint plan. A single target is named after the rank; with several
/// targets, the rank's name is a prefix.
fn targets_of_rank(plan: &Plan, rank: &str) -> Vec<NamedTarget> {
    if plan.targets.is_empty() {
        return vec![NamedTarget { name: rank.to_owned(), target: plan.target.clone(), fill: plan.fill }];
    }
    let named = |t: &NamedTarget| NamedTarget { name: format!("{rank}:{}", t.name), ..t.clone() };
    plan.targets.iter().map(named).collect()
}

/// Returns the joint plan of several ranks that run at the same time, rank 0 first: each stage runs on all of them in
/// parallel. Returns `None` if their stages differ.
pub(super) fn joint_plan(ranks: &[RankPlan]) -> Option<Plan> {
    let first = &ranks.first()?.plan;
    let mut joint = Plan { stages: Vec::new(), targets: Vec::new(), fill: Bytes(0), ..first.clone() };
    let mut sides = Vec::with_capacity(ranks.len());
    for (rank, RankPlan { facts, plan, .. }) in ranks.iter().enumerate() {
        let (base, targets) = (joint.targets.len(), targets_of_rank(plan, &facts.name));
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
    if let (Some(watch), Some(of_hosts)) = (joint.watch_mut(), joint_watch(&watches)) {
        *watch = of_hosts;
    }
    // A stage is followed by the same stage on the rank's other targets, then by the same stage on the next rank.
    let mut groups: Vec<_> = sides.iter().map(|stages| stages.chunk_by(|a, b| b.place.side > a.place.side)).collect();
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

/// Combines the watches of several hosts; names are prefixed with the host.
fn joint_watch(hosts: &[(&str, &WatchPlan)]) -> Option<WatchPlan> {
    let mut joint = hosts.first()?.1.clone();
    (joint.devices, joint.processes, joint.groups) = (Vec::new(), Vec::new(), Vec::new());
    joint.hosts = hosts.iter().map(|(host, _)| (*host).to_owned()).collect();
    for (host, own) in hosts {
        let on = |name: &String| format!("{host}/{name}");
        joint.devices.extend(own.devices.iter().map(|d| WatchedDevice {
            name: on(&d.name),
            roles: d.roles.clone(),
            below: d.below.iter().map(on).collect(),
        }));
        joint.processes.extend(own.processes.iter().map(|p| WatchedProcess { name: on(&p.name), ..p.clone() }));
        joint.groups.extend(own.groups.iter().map(|g| WatchedGroup {
            name: on(&g.name),
            processes: g.processes.iter().map(on).collect(),
            ..g.clone()
        }));
    }
    Some(joint)
}

/// Returns the combined preflight results: the storage and limits of all ranks (rank 0 first), and the machine and
/// engines of rank 0 only.
pub(super) fn joint_preflight(ranks: &[RankPlan]) -> Option<Preflight> {
    let mut joint = ranks.first()?.preflight.clone();
    joint.under_each.clear();
    joint.limits.clear();
    for RankPlan { facts, plan, preflight, .. } in ranks {
        let names: Vec<String> = targets_of_rank(plan, &facts.name).into_iter().map(|t| t.name).collect();
        match preflight.under_each.as_slice() {
            [] => joint.under_each.extend(names.iter().map(|_| preflight.storage.clone())),
            each => joint.under_each.extend_from_slice(each),
        }
        for limit in &preflight.limits {
            let on_host = |on: &String| format!("{}:{on}", facts.name);
            // A limit of a machine applies to all its targets.
            let on = if limit.on.is_empty() { names.clone() } else { limit.on.iter().map(on_host).collect() };
            joint.limits.push(Limit { on, ..limit.clone() });
        }
        joint.ranks.push(facts.clone());
    }
    if ranks.iter().all(|r| r.plan.watch().is_some()) {
        joint.storage.devices = ranks.iter().flat_map(RankPlan::named_devices).collect();
    }
    Some(joint)
}
