//! The doubt about seconds in which other processes disturbed a level.

use crate::levels::accounting::{SLOWED, WAITED};
use crate::levels::disturbance::{Disturbance, Shares};
use crate::levels::figures::Level;
use crate::validity::cache;
use crate::validity::cpu::starved::starved;
use messages::sentence;
use model::{Caveat, RunRecord, Sentence, Severity};

/// Returns `true` if a level's figures are sound and others took neither the device nor the CPU from it.
pub(crate) fn undisturbed(record: &RunRecord, level: &Level) -> bool {
    level.sound() && starved(record, level).is_none() && !cache::disturbed(level)
}

/// Returns notes about the parts of a level that were set aside.
pub(crate) fn doubt(level: &Level) -> Vec<Caveat> {
    level.each_step().filter_map(|(step, found)| Some(to_caveat(found?).at_step(step))).collect()
}

fn to_caveat(found: &Disturbance) -> Caveat {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let Shares { bytes, ops, stolen, waited } = found.most;
    let mut seen: Vec<Sentence> = Vec::new();
    if bytes.max(ops) > SLOWED {
        seen.push(match bytes >= ops {
            true => sentence!("aside-bytes", percent = percent(bytes)),
            false => sentence!("aside-operations", percent = percent(ops)),
        });
    }
    if waited > WAITED {
        seen.push(sentence!("aside-waited", percent = percent(waited)));
    }
    if stolen > WAITED {
        seen.push(sentence!("aside-stolen", percent = percent(stolen)));
    }
    let (aside, measured) = (format!("{:.1}", found.time.secs()), format!("{:.1}", found.measured.secs()));
    let evidence = sentence!("aside-seen", aside, measured, seen = Sentence::join(seen, ", "));
    Caveat::new("set-aside", Severity::Note, sentence!("aside-statement"), evidence)
        .weighing(found.time.secs() / found.measured.secs())
}
