//! Combination of the records that ranks stored separately into the record of the run, for runs whose rank 0 was lost
//! before it had received everything.

use super::joint::{RankPlan, joint_plan, joint_preflight};
use super::watch::{Look, put_together};
use super::{database_of, named_by};
use messages::sentence;
use model::measured::{DatabaseUse, DiskUse, Sample, Series, is_on_host, name_on_host};
use model::record::{Fill, Preflight, RankFacts, RankPart, Results, Step};
use model::{Bytes, Caveat, CompactSort, Nanos, RunEvent, RunRecord, RunState, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// Reason why records cannot be combined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// A record does not come from a rank, or belongs to another run.
    #[error("{0} is not part of the same run as {1}")]
    Stranger(String, String),
    /// None of the records comes from a rank.
    #[error("none of them is the record of a rank")]
    NoPart,
    /// Two records come from the same rank.
    #[error("{0} and {1} are both from rank {2}")]
    Twice(String, String, usize),
    /// The record of rank 0 is complete.
    #[error("{0} already contains the complete run: there is nothing to add")]
    Whole(String),
    /// The records have different stages.
    #[error("the parts do not have the same stages")]
    Apart,
}

/// Combines the records of one run. `whole` is the incomplete record of rank 0, if it exists; `parts` are the records
/// of other ranks. Intervals, counts and the end of a step come from the rank that ran it, because its own record has
/// more data than it reported to rank 0. The result has the id of `whole`, or else the id of the run.
///
/// # Errors
/// Returns [`JoinError`] if the records do not belong together, or if the record of rank 0 is already complete.
pub fn join_parts(whole: Option<RunRecord>, parts: Vec<RunRecord>) -> Result<RunRecord, JoinError> {
    let mut known: Vec<(RankPart, RunRecord)> = Vec::with_capacity(parts.len());
    let first = parts.first().ok_or(JoinError::NoPart)?.id.clone();
    for record in parts {
        let stranger = || JoinError::Stranger(record.id.clone(), first.clone());
        let part = record.preflight.part.clone().ok_or_else(stranger)?;
        let same =
            known.first().map_or_else(|| whole.as_ref().is_none_or(|w| w.id == part.run), |k| k.0.run == part.run);
        if !same {
            return Err(stranger());
        }
        if let Some((_, other)) = known.iter().find(|(p, _)| p.rank == part.rank) {
            return Err(JoinError::Twice(other.id.clone(), record.id, part.rank));
        }
        known.push((part, record));
    }
    known.compact_sort_by_key(|(part, _)| part.rank);
    let (total, numbers) =
        (known[0].0.ranks, known.iter().map(|(p, _)| p.rank.to_string()).collect::<Vec<_>>().join(", "));
    let (mut joined, severity, evidence) = match whole {
        Some(whole) if whole.state == RunState::Complete => return Err(JoinError::Whole(whole.id)),
        Some(whole) => (whole, Severity::Note, sentence!("ranks-joined-of", ranks = numbers)),
        None => (begun(&known)?, Severity::Doubt, sentence!("ranks-joined-without-lead", ranks = numbers, all = total)),
    };
    let looks = joined.plan.watch().map(|watch| looks_of(&joined, &known, watch.interval));
    let mut databases: Vec<DatabaseUse> = match joined.database_mut().map(std::mem::take) {
        Some(used) if used.hosts.is_empty() => vec![used],
        Some(used) => used.hosts,
        None => Vec::new(),
    };
    for (part, mut record) in known {
        if let Some(used) = record.database_mut().map(std::mem::take) {
            databases.retain(|other| other.host != part.facts.name);
            databases.push(database_of(&part.facts.name, used));
        }
        take(&mut joined, &part, record);
    }
    if let Some(looks) = looks {
        take_looks(&mut joined, looks);
    }
    let place = |host: &str| joined.preflight.ranks.iter().position(|facts| facts.name == host);
    databases.compact_sort_by_key(|used| place(&used.host));
    if !databases.is_empty() {
        joined.results = Some(Results::Database(Box::new(DatabaseUse::of_hosts(databases))));
    }
    joined.caveats.push(Caveat::new("joined", severity, sentence!("ranks-joined"), evidence));
    Ok(joined)
}

/// Returns the samples of a watch by time. Samples that a rank stored replace those that it reported to rank 0.
fn looks_of(joined: &RunRecord, parts: &[(RankPart, RunRecord)], interval: Nanos) -> Vec<Look> {
    let names: Vec<String> = joined.preflight.ranks.iter().map(|facts| facts.name.clone()).collect();
    let part_of = |name: &String| parts.iter().find(|(part, _)| part.facts.name == *name);
    let kept = |(place, name): (usize, &String)| match part_of(name) {
        Some((_, record)) => looks_in(&record.series, |series| Some(name_on_host(series, name, false))),
        // Use the samples that rank 0 stored: its own, and those of ranks whose record is missing.
        None if place == 0 => looks_in(&joined.series, |series| {
            let is_of = |(part, _): &(RankPart, RunRecord)| is_on_host(series, &part.facts.name);
            (!parts.iter().any(is_of)).then(|| series.to_owned())
        }),
        None => Vec::new(),
    };
    put_together(interval, names.iter().enumerate().map(kept).collect(), &names)
}

/// Returns the values at each sampling time, in order of time. `name` returns the new name of a series, or `None` to
/// skip it.
fn looks_in(series: &[Series], name: impl Fn(&str) -> Option<String>) -> Vec<Look> {
    let mut looks: BTreeMap<Nanos, Vec<Sample>> = BTreeMap::new();
    for one in series {
        let Some(name) = name(&one.name) else { continue };
        for (at, value) in &one.points {
            let (name, unit) = (name.clone(), one.unit.clone());
            looks.entry(*at).or_default().push(Sample { name, unit, layer: one.layer, value: *value });
        }
    }
    looks.into_iter().collect()
}

/// Replaces the series of the record with those of the samples.
fn take_looks(joined: &mut RunRecord, looks: Vec<Look>) {
    joined.series.clear();
    for (at, samples) in looks {
        // These samples contain their names, so this cannot fail.
        let _ = joined.apply(RunEvent::Samples { at, samples });
    }
    let ranks = &joined.preflight.ranks;
    let place = |disk: &DiskUse| ranks.iter().position(|facts| disk.name.starts_with(&format!("{}/", facts.name)));
    joined.disks.compact_sort_by_key(place);
}

/// Returns the beginning of the record as rank 0 would have written it, with the steps of all ranks, but without data.
fn begun(parts: &[(RankPart, RunRecord)]) -> Result<RunRecord, JoinError> {
    let plan_of = |(part, record): &(RankPart, RunRecord)| RankPlan {
        facts: part.facts.clone(),
        plan: record.plan.clone(),
        preflight: Preflight { part: None, ..record.preflight.clone() },
        files: Vec::new(),
    };
    let plans: Vec<RankPlan> = parts.iter().map(plan_of).collect();
    let plan = joint_plan(&plans).ok_or(JoinError::Apart)?;
    let preflight = joint_preflight(&plans).ok_or(JoinError::Apart)?;
    let (part, first) = &parts[0];
    let mut joined = RunRecord::new(&first.tool, &part.run, &first.started, plan, preflight);
    joined.version = first.version;
    joined.steps = steps(&joined, parts);
    let fills = parts.iter().filter_map(|(_, record)| record.fill);
    joined.fill =
        fills.reduce(|a, b| Fill { bytes: Bytes(a.bytes.as_u64() + b.bytes.as_u64()), time: a.time.max(b.time) });
    Ok(joined)
}

/// Returns the steps of all ranks, wave by wave; steps of the same stage are in the order of the ranks.
fn steps(joined: &RunRecord, parts: &[(RankPart, RunRecord)]) -> Vec<Step> {
    // A rank's stages have the same order in the common plan as in the rank's own plan.
    let ranks = &joined.preflight.ranks;
    let owner: Vec<usize> = joined.plan.stages.iter().map(|s| RankFacts::owner(ranks, s).unwrap_or(0)).collect();
    let stages: Vec<Vec<usize>> =
        (0..parts.len()).map(|rank| (0..owner.len()).filter(|stage| owner[*stage] == rank).collect()).collect();
    // Groups of stages that are the same on all ranks.
    let mut group = 0;
    let groups: Vec<usize> = (0..owner.len())
        .map(|stage| {
            group += usize::from(stage > 0 && (owner[stage] < owner[stage - 1] || ranks.len() == 1));
            group
        })
        .collect();
    let mut heads: Vec<&[Step]> = parts.iter().map(|(_, record)| record.steps.as_slice()).collect();
    let mut joined_steps = Vec::new();
    loop {
        let begins = heads.iter().enumerate().filter_map(|(rank, steps)| Some((steps.first()?.start, rank)));
        let Some((_, rank)) = begins.min() else { return joined_steps };
        let stage_of = |rank: usize, step: &Step| stages[rank].get(step.stage).copied();
        let key = |rank: usize, step: &Step| (stage_of(rank, step).map(|s| groups[s]), step.pass, step.hold);
        let wanted = key(rank, &heads[rank][0]);
        for (rank, steps) in heads.iter_mut().enumerate() {
            let before = joined_steps.len();
            while let Some((step, rest)) = steps.split_first() {
                // A rank with several targets has one step for each.
                let again = joined_steps[before..].iter().any(|s: &Step| Some(s.stage) == stage_of(rank, step));
                if key(rank, step) != wanted || again {
                    break;
                }
                *steps = rest;
                if let Some(stage) = stage_of(rank, step) {
                    let nothing = Step {
                        stage,
                        intervals: Vec::new(),
                        sampled: None,
                        end: None,
                        accounting: None,
                        ..step.clone()
                    };
                    joined_steps.push(nothing);
                }
            }
        }
    }
}

/// Adds the data of a rank's record to the steps and the host of that rank.
fn take(joined: &mut RunRecord, part: &RankPart, record: RunRecord) {
    let name = &part.facts.name;
    let Some(rank) = joined.preflight.ranks.iter().position(|facts| facts.name == *name) else { return };
    let of_rank =
        |step: &Step| RankFacts::owner(&joined.preflight.ranks, &joined.plan.stages[step.stage]) == Some(rank);
    let numbers: Vec<usize> = (0..joined.steps.len()).filter(|n| of_rank(&joined.steps[*n])).collect();
    let number = |step: usize| numbers.get(step).copied();
    let numbers_of = |steps: &[usize]| steps.iter().map(|step| number(*step)).collect::<Option<Vec<usize>>>();
    if !record.coarse.is_empty() {
        joined.coarse.resize(joined.steps.len(), 0);
    }
    for (local, step) in record.steps.into_iter().enumerate() {
        // The remaining steps had only just begun, so rank 0 did not record them.
        let Some(number) = number(local) else { break };
        if let Some(coarse) = joined.coarse.get_mut(number) {
            *coarse = record.coarse.get(local).copied().unwrap_or(0);
        }
        let known = &mut joined.steps[number];
        *known = Step { stage: known.stage, ..step };
    }
    let reported: BTreeSet<Vec<usize>> = joined.together.iter().map(|(steps, _)| steps.clone()).collect();
    let together = record.together.into_iter().filter_map(|(steps, counts)| Some((numbers_of(&steps)?, counts)));
    joined.together.extend(together.filter(|(steps, _)| !reported.contains(steps)));
    for mut traced in record.blocks {
        let Some(steps) = numbers_of(&traced.steps) else { continue };
        traced.steps = steps;
        joined.blocks.retain(|b| b.steps != traced.steps);
        joined.blocks.push(traced);
    }
    // The series get the same names as on rank 0, where those of the first host have no prefix.
    for mut series in record.series {
        if rank > 0 {
            series.name = format!("{name}/{}", series.name);
        }
        joined.series.retain(|s| s.name != series.name);
        joined.series.push(series);
    }
    if joined.plan.watch().is_some() {
        let with_host = |disk: DiskUse| DiskUse { name: format!("{name}/{}", disk.name), ..disk };
        let disks: Vec<DiskUse> = record.disks.into_iter().map(with_host).collect();
        joined.disks.retain(|disk| !disks.iter().any(|known| known.name == disk.name));
        joined.disks.extend(disks);
    }
    for mut caveat in record.caveats {
        caveat.step = caveat.step.and_then(number);
        if let RunEvent::Caveat(caveat) = named_if(rank > 0, name, RunEvent::Caveat(caveat))
            && !joined.caveats.contains(&caveat)
        {
            joined.caveats.push(caveat);
        }
    }
    for (at, text) in record.notes {
        if let RunEvent::Note { at, text } = named_if(rank > 0, name, RunEvent::Note { at, text })
            && !joined.notes.contains(&(at, text.clone()))
        {
            joined.notes.push((at, text));
        }
    }
    joined.notes.compact_sort_by_key(|(at, _): &(Nanos, _)| *at);
    joined.ended = joined.ended.max(record.ended);
}

fn named_if(other: bool, name: &str, event: RunEvent) -> RunEvent {
    if other { named_by(name, event) } else { event }
}
