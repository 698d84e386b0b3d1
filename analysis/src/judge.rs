//! The judge: record in, judgement out.

use crate::levels::clones;
use crate::levels::figures::levels;
use crate::levels::verification::load_only;
use crate::validity::{caveats, layers, ranks, sampling};
use crate::verdict::workloads::judge_workloads;
use crate::verdict::{answer, needs, sentences, shares};
use crate::{database, durability, metadata, replay, watch};
use model::{Caveat, Judgement, Need, RunRecord};

/// Judges a run. Pure: the same record gives the same judgement, live or stored. Several targets side by side are judged
/// as one, by the sum of the same seconds, with what each had of it.
#[must_use]
pub fn judge(record: &RunRecord) -> Judgement {
    let mut judgement = judge_kind(record);
    judgement.caveats.extend(ranks::part_alone(record));
    judgement
}

fn judge_kind(record: &RunRecord) -> Judgement {
    if let Some(used) = record.database.as_deref() {
        let judgement = database::judge(record, used);
        return Judgement { layers: layers::layers(record), ..judgement };
    }
    if record.plan.is_about_names() {
        return metadata::judge(record);
    }
    if record.plan.is_about_commits() {
        return durability::judge(record);
    }
    if let Some(plan) = &record.plan.watch {
        return watch::judge(record, plan);
    }
    let mut judgement = judge_workloads(&load_only(&record.joint()));
    judgement.sampling = sampling::sampling(record);
    judgement.layers = layers::layers(record);
    if record.plan.side_by_side() {
        shares::add_shares(record, &mut judgement);
        judgement.caveats.extend(ranks::doubts(record));
    }
    if let Some(replayed) = &record.replayed {
        replay::judge(record, replayed, &mut judgement);
    }
    judgement
}

/// Judges a run by other needs than its own. Clones of a job count together.
#[must_use]
pub fn judge_by(record: &RunRecord, needs: Vec<Need>) -> (RunRecord, Judgement) {
    let mut asked = record.clone();
    asked.plan.needs = needs;
    let mut judgement = judge(&asked);
    if asked.plan.sections.is_empty() {
        return (asked, judgement);
    }
    let gathered = load_only(&clones::gathered(&asked)).into_owned();
    let mut stages = levels(&gathered);
    let errors = judgement.caveats.iter().any(|c| c.id == "io-errors" || c.id == "wrong-data");
    // Doubts of single clones strike what they make together.
    for level in stages.iter_mut().flatten() {
        let section = |step: usize| asked.plan.stages[asked.steps[step].stage].place.section;
        let own = section(level.steps[0]);
        let of_it: Vec<Caveat> =
            judgement.caveats.iter().filter(|c| c.step.is_some_and(|s| section(s) == own)).cloned().collect();
        caveats::mark(level, &of_it, &asked.caveats);
    }
    judgement.needs = asked.plan.needs.iter().map(|n| needs::check(n, &asked, &stages, errors)).collect();
    (judgement.outcome, judgement.exit_code) = sentences::outcome(&asked, &judgement.needs, &judgement.caveats);
    judgement.answer = answer::by_needs(judgement.answer, &judgement.needs);
    (asked, judgement)
}
