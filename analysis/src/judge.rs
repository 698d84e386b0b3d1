//! The judge: takes a record and returns a judgement.

use crate::levels::verification::load_only;
use crate::validity::{layers, ranks, sampling};
use crate::verdict::shares;
use crate::verdict::workloads::judge_workloads;
use crate::{database, durability, hydration, metadata, replay, watch};
use model::{Judgement, RunKind, RunRecord, bounds::Need};

/// Judges a run. Pure: the same record gives the same judgement, live or stored. Clones of a section and targets that
/// run side by side are judged by the sum over the same seconds, with the share of each target. The step numbers in the
/// judgement are those of [`RunRecord::joint`].
#[must_use]
pub fn judge(record: &RunRecord) -> Judgement {
    let mut judgement = judge_kind(record);
    judgement.caveats.extend(ranks::part_alone(record));
    judgement
}

fn judge_kind(record: &RunRecord) -> Judgement {
    match &record.plan.kind {
        RunKind::Metadata => return metadata::judge(record),
        RunKind::Durability => return durability::judge(record),
        RunKind::Hydration { reads } => return hydration::judge(record, reads),
        RunKind::Watch { watch } => return watch::judge(record, watch),
        RunKind::Database => {
            if let Some(used) = record.database() {
                let judgement = database::judge(record, used);
                return Judgement { layers: layers::layers(record), ..judgement };
            }
        }
        RunKind::Blocks | RunKind::Mark { .. } | RunKind::JobFile { .. } | RunKind::Ping | RunKind::Replay => {}
    }
    let mut judgement = judge_workloads(&load_only(&record.joint()));
    judgement.sampling = sampling::sampling(record);
    judgement.layers = layers::layers(record);
    if record.plan.side_by_side() {
        shares::add_shares(record, &mut judgement);
        judgement.caveats.extend(ranks::doubts(record));
    }
    if let Some(replayed) = record.replayed() {
        replay::judge(record, replayed, &mut judgement);
    }
    judgement
}

/// Judges a run by the given needs instead of those in its plan.
#[must_use]
pub fn judge_by(record: &RunRecord, needs: Vec<Need>) -> (RunRecord, Judgement) {
    let mut record = record.clone();
    record.plan.needs = needs;
    let judgement = judge(&record);
    (record, judgement)
}
