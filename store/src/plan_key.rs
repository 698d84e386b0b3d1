//! Key of a plan: a short hash of its workloads, targets and limits. Comparable runs have the same key. The hash leaves
//! out the start, the duration, the seed, the arguments and the names of secchi's own files, which differ between runs.

use crate::hex::hex;
use model::{Bytes, Job, Nanos, Plan, RunKind, Target, plan::named_place};
use sha2::{Digest, Sha256};

/// Number of hexadecimal digits in a key: 48 bits. The probability of a collision among a million plans is 1 in 500.
const DIGITS: usize = 12;

/// Returns the key of a plan.
pub(crate) fn plan_key(plan: &Plan) -> String {
    // A plan whose path is not UTF-8 also has a JSON form, so this does not fail. If it failed, all such plans would
    // share a key.
    let text = serde_json::to_vec(&comparable_plan(plan)).unwrap_or_default();
    hex(&Sha256::digest(&text))[..DIGITS].to_owned()
}

/// Returns the plan without the parts that may differ between comparable runs.
fn comparable_plan(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.args.clear();
    plan.fill = Bytes(0);
    plan.hang = Nanos(0);
    plan.keep = false;
    plan.time = model::plan::Thoroughness::Quick;
    plan.trace = None;
    plan.needs.clear();
    // The sections and the layout record how the plan was typed and how it is reported. Their effect is already
    // contained in the stages.
    if let RunKind::JobFile { sections } = &mut plan.kind {
        sections.clear();
    }
    plan.layout.clear();
    without_names(&mut plan.target);
    for named in &mut plan.targets {
        without_names(&mut named.target);
        named.fill = Bytes(0);
    }
    for stage in &mut plan.stages {
        without_times(&mut stage.job);
        if let Some(ramp) = &mut stage.ramp {
            ramp.hold = Nanos(0);
            ramp.passes = 1;
        }
    }
    plan
}

fn without_names(target: &mut Target) {
    target.path = named_place(&target.path).to_owned();
    target.uuid = None;
}

fn without_times(job: &mut Job) {
    job.seed = 0;
    job.stop.ramp = Nanos(0);
    job.stop.time = Nanos(0);
    job.stop.steady_after = None;
    without_names(&mut job.target);
    job.more.iter_mut().for_each(without_names);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use model::RunEvent;

    fn plan(seed: u64) -> Plan {
        match fixture::begin(seed) {
            RunEvent::Begin { plan, .. } => plan,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn when_how_long_and_our_own_names_make_no_other_plan() {
        let key = plan_key(&plan(1));
        assert_eq!(key.len(), DIGITS);
        let mut other = plan(2);
        other.args = vec!["--seed".into(), "7".into()];
        other.stages[0].job.seed = 7;
        other.stages[0].job.stop.time = Nanos(1);
        other.stages[0].job.target.uuid = Some(9);
        other.time = model::plan::Thoroughness::Thorough;
        assert_eq!(plan_key(&other), key);
        let at = |name: &str| {
            let mut plan = plan(1);
            plan.target.path = name.into();
            plan_key(&plan)
        };
        let ours = "/mnt/a/secchi-58bd13c7-bdd5-412b-85b9-8442fe6d68d0.dat";
        assert_eq!(at(ours), at("/mnt/a/secchi-00000000-bdd5-412b-85b9-8442fe6d68d0.dat"));
        assert_ne!(at(ours), at("/mnt/b/secchi-58bd13c7-bdd5-412b-85b9-8442fe6d68d0.dat"));
    }

    #[test]
    fn what_is_asked_where_and_within_which_limits_makes_the_plan() {
        let key = plan_key(&plan(1));
        let changed = |change: fn(&mut Plan)| {
            let mut plan = plan(1);
            change(&mut plan);
            plan_key(&plan)
        };
        assert_ne!(changed(|p| p.stages[0].job.queue_depth = 64), key);
        assert_ne!(changed(|p| p.stages[0].job.workload.flush_every = Some(1)), key);
        assert_ne!(changed(|p| p.stages[0].job.engine = "psync".into()), key);
        assert_ne!(changed(|p| p.target.path = "/mnt/other".into()), key);
        assert_ne!(changed(|p| p.limits.push("volume iops=3000".parse().expect("a limit"))), key);
    }
}
