//! Statements beyond the verdict: what the levels and limits show when they are laid side by side.

use crate::binding::Bound;
use crate::figures::Level;
use crate::judge::Body;
use crate::limits::{above, caps, span};
use model::{BindingKind, Bytes, BytesPerSecond, Finding, Iops, RunRecord, Severity, StageRole};

/// A rate below every known cap by more than this is not explained by any of them.
const WELL_BELOW: f64 = 0.90;
/// Held against the ramp, and the deepest level against the best: smaller losses are not worth a sentence.
const LOSS: f64 = 0.90;

pub(crate) fn find(record: &RunRecord, stages: &[Vec<Level>], bodies: &[Body], bounds: &[Bound]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (body, bound) in bodies.iter().zip(bounds) {
        let Some(chosen) = body.chosen else { continue };
        let levels = &stages[body.stage];
        let level = &levels[chosen];
        let label = level.job.workload.label();
        found.extend(above_limit(record, &label, level));
        if record.plan.stages[body.stage].role != StageRole::Probe {
            found.extend(below_limits(record, &label, level, bound));
        }
        found.extend(retrograde(&label, levels));
        found.extend(held_below_ramp(&label, levels));
    }
    found.extend(crossover(stages, bodies, bounds));
    found.sort_by_key(|f| std::cmp::Reverse(f.severity));
    found
}

/// Faster than a known cap: never silence (`limits.md` section 7).
fn above_limit(record: &RunRecord, label: &str, level: &Level) -> Option<Finding> {
    let span = span(level);
    let exceeded: Vec<_> = caps(record, level).into_iter().filter(|c| above(span, c.allows)).collect();
    let tightest = exceeded.first()?;
    Some(Finding {
        id: "above-limit".into(),
        severity: Severity::Doubt,
        statement: format!(
            "{label} runs above {}: a burst, merged requests, the wrong row, or a cache",
            tightest.phrase()
        ),
        evidence: exceeded.iter().map(|c| format!("{}: {}", c.name, c.measured(level))).collect(),
        remedy: "check the row; run past the burst; check the caveats on caching".into(),
    })
}

fn below_limits(record: &RunRecord, label: &str, level: &Level, bound: &Bound) -> Option<Finding> {
    let (_, hi) = span(level);
    let caps = caps(record, level);
    let tightest = caps.first()?;
    let explained = !matches!(bound.binding.kind, BindingKind::Unknown | BindingKind::Device);
    if explained || hi >= WELL_BELOW * tightest.allows {
        return None;
    }
    Some(Finding {
        id: "below-all-limits".into(),
        severity: Severity::Note,
        statement: format!("{label} stays below every known limit; the nearest is {}", tightest.phrase()),
        evidence: vec![format!("{}: {}", tightest.name, tightest.measured(level))],
        remedy: "look for a cause the rows do not name: a shared path, a smaller instance cap, the file system".into(),
    })
}

/// More concurrency costs rate.
fn retrograde(label: &str, levels: &[Level]) -> Option<Finding> {
    let ramp: Vec<&Level> = levels.iter().filter(|l| !l.figures.hold && l.sound()).collect();
    let best = ramp.iter().max_by(|a, b| a.rate().total_cmp(&b.rate()))?;
    let deepest = ramp.last()?;
    let lost = deepest.rate() * (1.0 + deepest.half) < LOSS * best.rate();
    (lost && deepest.concurrency() > best.concurrency()).then(|| Finding {
        id: "retrograde".into(),
        severity: Severity::Note,
        statement: format!("{label} loses rate when pushed: keep it at depth {} or below", best.concurrency()),
        evidence: vec![
            format!("{} IOPS at depth {}", Iops(best.rate()), best.concurrency()),
            format!("{} IOPS at depth {}", Iops(deepest.rate()), deepest.concurrency()),
        ],
        remedy: String::new(),
    })
}

/// What the ramp showed did not last.
fn held_below_ramp(label: &str, levels: &[Level]) -> Option<Finding> {
    let held = levels.iter().find(|l| l.figures.hold && l.sound())?;
    let ramp = levels.iter().find(|l| !l.figures.hold && l.sound() && l.concurrency() == held.concurrency())?;
    (held.rate() * (1.0 + held.half) < LOSS * ramp.rate()).then(|| Finding {
        id: "not-sustained".into(),
        severity: Severity::Doubt,
        statement: format!("{label} does not sustain what its ramp showed: a burst, or others on the device"),
        evidence: vec![
            format!("{} IOPS in the ramp, {:.1} s", Iops(ramp.rate()), ramp.figures.time.secs()),
            format!("{} IOPS held for {:.1} s", Iops(held.rate()), held.figures.time.secs()),
        ],
        remedy: "plan with the held rate; run longer to see the burst end and recover".into(),
    })
}

/// Operations bind up to one size, bytes from the next: where the two caps cross.
fn crossover(stages: &[Vec<Level>], bodies: &[Body], bounds: &[Bound]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let side = |wanted: [BindingKind; 2]| -> Vec<&Level> {
        let bound = bodies.iter().zip(bounds).filter(|(_, b)| wanted.contains(&b.binding.kind));
        bound.filter_map(|(body, _)| stages[body.stage].get(body.chosen?)).collect()
    };
    let by_ops = side([BindingKind::LimitIops, BindingKind::IopsCap]);
    let by_bytes = side([BindingKind::LimitBandwidth, BindingKind::BandwidthCap]);
    for ops in &by_ops {
        let key = |l: &Level| (l.job.workload.access, l.job.workload.mix, l.job.workload.flush_every);
        let rw = ops.job.workload.rw();
        let mut larger: Vec<&&Level> =
            by_bytes.iter().filter(|l| key(l) == key(ops) && l.mean_size() > ops.mean_size()).collect();
        larger.sort_by(|a, b| a.mean_size().total_cmp(&b.mean_size()));
        let beaten = by_ops.iter().any(|o| key(o) == key(ops) && o.mean_size() > ops.mean_size());
        let Some(bytes) = larger.first().filter(|_| !beaten) else { continue };
        let bandwidth = bytes.rate() * bytes.mean_size();
        let cross = bandwidth / ops.rate();
        let short = |size: f64| Bytes(size.round() as u64).short();
        let finding = Finding {
            id: "crossover".into(),
            severity: Severity::Note,
            statement: format!(
                "{rw}: operations bind up to {}, bytes from {}; the two cross at {:.1} KiB",
                short(ops.mean_size()),
                short(bytes.mean_size()),
                cross / 1024.0
            ),
            evidence: vec![
                format!("{} IOPS at {}", Iops(ops.rate()), short(ops.mean_size())),
                format!("{} at {}", BytesPerSecond(bandwidth), short(bytes.mean_size())),
            ],
            remedy: String::new(),
        };
        if !found.iter().any(|f| f.statement == finding.statement) {
            found.push(finding);
        }
    }
    found
}
