//! Findings in addition to the verdict, from comparing levels and limits.

use super::measured::MeasuredPattern;
use crate::catalog::age_remark;
use crate::levels::figures::Level;
use crate::levels::gaps;
use crate::limits::burst::{on_burst, round};
use crate::limits::caps::{Cap, above, caps, refutes, span};
use crate::limits::counted::Counted;
use crate::validity::{cache, shaper};
use crate::verdict::binding::Bound;
use messages::sentence;
use model::judged::{BindingKind, Finding, Steadiness};
use model::{Bytes, BytesPerSecond, Caveat, CompactSort, Iops, Limit, RunRecord, Sentence, Severity};
use model::{bounds::LimitSource, distinct, grouped, plan::StageRole};

/// Share of a known cap below which the cap does not explain a rate.
const WELL_BELOW: f64 = 0.90;
/// Ratio of a rate to a row above which no tolerance of a shaper explains it.
const FAR_ABOVE: f64 = 1.10;
/// Ratio of the sustained rate to that of the ramp, and of the rate at the greatest depth to the best rate, below which
/// the loss is reported.
const LOSS: f64 = 0.90;

/// A judged level and its binding.
type Judged<'a> = (&'a Level<'a>, &'a Bound);

/// Identifier of the doubt about a rate far above the purchased limit for the whole measured time, which no published
/// burst explains. Either the row is wrong, or the measured storage is not the purchased one. This leaves the limit
/// undecided, and the run with it.
pub(crate) const BEYOND: &str = "beyond-limit";

pub(crate) fn beyond_limits(
    record: &RunRecord,
    stages: &[Vec<Level>],
    measured: &[MeasuredPattern],
    bounds: &[Bound],
) -> Vec<Caveat> {
    let judged = judged(stages, measured, bounds);
    let beyond = against(record, &judged, |level, cap| far_above(record, level, cap));
    let caveat = |group: Vec<Against>| {
        let (what, share) = (subject(&group, &judged), format!("{:.0}", group[0].used() * 100.0));
        let row = group[0].cap.phrase();
        let statement = match is_one_workload(&group) {
            true => sentence!("found-beyond-limit", what, share, row),
            false => sentence!("found-beyond-limit-several", what, share, row),
        };
        Caveat::new(BEYOND, Severity::Doubt, statement, group[0].figure()).remedy(sentence!("remedy-beyond-limit"))
    };
    by_cap(beyond).into_iter().map(caveat).collect()
}

/// Identifier of the doubt about a rate that looks like a limit of the volume or the instance, although the storage
/// itself counted none as exceeded.
pub(crate) const NOT_COUNTED: &str = "limit-not-counted";

/// Returns doubts about rates at a cap for which the storage, which counts the excess of its own caps, counted nothing.
/// The limit of a control group is enforced above the storage and is not one of its caps.
pub(crate) fn not_counted(
    record: &RunRecord,
    stages: &[Vec<Level>],
    measured: &[MeasuredPattern],
    bounds: &[Bound],
) -> Vec<Caveat> {
    let contradicted = |(level, bound): Judged| {
        let enforced = |c: &Cap| c.is_cgroup() && bound.binding.names.contains(&c.name);
        let of_storage = match bound.binding.kind {
            BindingKind::IopsCap | BindingKind::BandwidthCap | BindingKind::Cap => true,
            BindingKind::LimitIops | BindingKind::LimitBandwidth => !caps(record, level).iter().any(enforced),
            _ => false,
        };
        let counted = Counted::of_level(record, level).filter(|_| of_storage)?;
        counted.exceeded().is_empty().then(|| {
            let evidence = sentence!(
                "seen-limit-not-counted",
                what = level.job.workload.label(),
                limit = bound.binding.in_short()
            );
            Caveat::new(NOT_COUNTED, Severity::Doubt, sentence!("doubt-limit-not-counted"), evidence)
                .remedy(sentence!("remedy-limit-not-counted"))
                .at_step(level.steps[0])
        })
    };
    judged(stages, measured, bounds).into_iter().filter_map(contradicted).collect()
}

fn far_above(record: &RunRecord, level: &Level, cap: &Cap) -> bool {
    let lasted = !matches!(level.figures.steadiness, Steadiness::NotSettled { .. });
    lasted && exceeded(record, level, cap) && span(level).0 > FAR_ABOVE * cap.excused().max(cap.allows)
}

fn judged<'a>(stages: &'a [Vec<Level>], measured: &[MeasuredPattern], bounds: &'a [Bound]) -> Vec<Judged<'a>> {
    measured
        .iter()
        .zip(bounds)
        .filter_map(|(body, bound)| Some((stages[body.stage].get(body.chosen?)?, bound)))
        // Figures from the page cache are not compared with a limit of the storage.
        .filter(|(level, _)| !cache::from_cache(level))
        .collect()
}

pub(crate) fn find(
    record: &RunRecord,
    stages: &[Vec<Level>],
    measured: &[MeasuredPattern],
    bounds: &[Bound],
) -> Vec<Finding> {
    let judged = judged(stages, measured, bounds);
    let mut findings = above_limits(record, &judged);
    findings.extend(on_bursts(record, &judged));
    findings.extend(merged(record, &judged));
    findings.extend(published(record));
    findings.extend(below_limits(record, &judged));
    for body in measured.iter().filter(|b| b.chosen.is_some()) {
        let levels = &stages[body.stage];
        let label = record.plan.stages[body.stage].job.workload.label();
        findings.extend(retrograde(&label, levels));
        findings.extend(held_below_ramp(&label, levels));
        // If the page cache answered, or others used the device, no burst bucket can be derived either.
        let undisturbed = levels.iter().filter(|l| l.sound() && !cache::from_cache(l) && !cache::disturbed(l));
        findings.extend(undisturbed.filter_map(|l| shaper::finding(record, &label, l)));
    }
    // Also for levels with invalid figures: a stall may be the reason.
    for body in measured {
        let label = record.plan.stages[body.stage].job.workload.label();
        findings.extend(stages[body.stage].iter().filter_map(|l| gaps::finding(record, &label, l)));
    }
    findings.extend(crossover(stages, measured, bounds));
    findings.compact_sort_by_key(|f| std::cmp::Reverse(f.severity));
    findings
}

/// A judged level compared with one of the caps known for it.
struct Against<'a> {
    level: &'a Level<'a>,
    cap: Cap<'a>,
}

impl Against<'_> {
    fn used(&self) -> f64 {
        self.level.rate() / self.cap.allows
    }

    fn label(&self) -> String {
        self.level.job.workload.label()
    }

    fn figure(&self) -> Sentence {
        Sentence::concat([format!("{}: ", self.label()).into(), self.cap.measured(self.level)])
    }
}

/// Compares each level with those of its caps that `wanted` selects.
fn against<'a>(
    record: &'a RunRecord,
    judged: &[Judged<'a>],
    wanted: impl Fn(&Level, &Cap) -> bool,
) -> Vec<Against<'a>> {
    let of_level = |(level, _): &Judged<'a>| {
        let (level, caps) = (*level, caps(record, level));
        caps.into_iter().filter(|cap| wanted(level, cap)).map(|cap| Against { level, cap }).collect::<Vec<_>>()
    };
    judged.iter().flat_map(of_level).collect()
}

/// Returns one finding for each cap, with all workloads compared with it. `statement` gets a group, its workloads and
/// its cap.
fn findings_by_cap(
    judged: &[Judged],
    against: Vec<Against>,
    (id, severity): (&str, Severity),
    statement: impl Fn(&[Against], Sentence, Sentence) -> Sentence,
    remedy: Sentence,
) -> Vec<Finding> {
    let finding = |group: Vec<Against>| {
        let figure = group[0].figure();
        Finding {
            id: id.to_owned(),
            severity,
            statement: statement(&group, subject(&group, judged), group[0].cap.phrase()),
            evidence: vec![if is_one_workload(&group) { figure } else { sentence!("figure-at-most", figure) }],
            remedy: remedy.clone(),
        }
    };
    by_cap(against).into_iter().map(finding).collect()
}

/// Groups the entries by cap, so that a limit has one finding for all workloads. Each group begins with its highest
/// figure.
fn by_cap(all: Vec<Against>) -> Vec<Vec<Against>> {
    let mut groups: Vec<Vec<Against>> = Vec::new();
    for one in all {
        let same = |o: &Against| o.cap.name == one.cap.name && o.cap.phrase() == one.cap.phrase();
        match groups.iter_mut().find(|g| same(&g[0])) {
            // A nested group repeats the rows of its parent.
            Some(group) if group.iter().any(|o| std::ptr::eq(o.level, one.level)) => {}
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.iter_mut().for_each(|g| g.compact_sort_by(|a, b| b.used().total_cmp(&a.used())));
    groups
}

/// Formats the workloads: `8k randread`; `4k to 64k randread, 8k randwrite`. A range omits none of the judged levels.
fn subject(group: &[Against], judged: &[Judged]) -> Sentence {
    let mode = |l: &Level| l.job.workload.label().split_once(' ').map_or(String::new(), |(_, m)| m.to_owned());
    let mut modes = grouped(group.iter().map(|one| (mode(one.level), one.level)));
    let sizes = |own: &str, levels: &mut Vec<&Level>| -> Sentence {
        if let [one] = levels.as_slice() {
            return one.job.workload.label().into();
        }
        levels.compact_sort_by(|a, b| a.mean_size().total_cmp(&b.mean_size()));
        let mut sizes: Vec<u64> = levels.iter().map(|l| l.mean_size().round() as u64).collect();
        sizes.dedup();
        let short = |size: &u64| Bytes(*size).short();
        let (least, most) = (sizes[0], sizes[sizes.len() - 1]);
        let within = |l: &&Level| mode(l) == own && (least..=most).contains(&(l.mean_size().round() as u64));
        let levels = judged.iter().map(|(level, _)| *level);
        let gap = levels.filter(within).any(|l| !sizes.contains(&(l.mean_size().round() as u64)));
        if sizes.len() > 2 && !gap {
            sentence!("sizes-from-to", least = short(&least), most = short(&most), mode = own)
        } else {
            // `and` within a mode, so that the comma separates modes.
            let sizes = sizes.iter().map(|size| Sentence::from(short(size)));
            let sizes = sizes.reduce(|first, second| sentence!("one-and-another", first, second));
            Sentence::concat([sizes.unwrap_or_default(), format!(" {own}").into()])
        }
    };
    Sentence::join(modes.iter_mut().map(|(m, levels)| sizes(m, levels)), ", ")
}

/// Returns `true` if the group has only one workload; a probe and a ramp of the same workload count as one.
fn is_one_workload(group: &[Against]) -> bool {
    group.iter().all(|o| o.label() == group[0].label())
}

/// Reports rates above a known cap, which are always mentioned (docs/design/limits.md, "Above and below the caps").
fn above_limits(record: &RunRecord, judged: &[Judged]) -> Vec<Finding> {
    let exceeded = against(record, judged, |level, cap| exceeded(record, level, cap));
    let statement = |group: &[Against], what, row| {
        // Published bursts and merging have been considered.
        let published = matches!(group[0].cap.limit.source, LimitSource::Catalog { .. });
        match (is_one_workload(group), published) {
            (true, true) => sentence!("found-above-published", what, row),
            (false, true) => sentence!("found-above-published-several", what, row),
            (true, false) => sentence!("found-above-limit", what, row),
            (false, false) => sentence!("found-above-limit-several", what, row),
        }
    };
    findings_by_cap(judged, exceeded, ("above-limit", Severity::Doubt), statement, sentence!("remedy-above-limit"))
}

/// Returns `true` if a level is above a cap without a published explanation, or for longer than its burst can last.
fn exceeded(record: &RunRecord, level: &Level, cap: &Cap) -> bool {
    if cap.burst.is_some() || !above(span(level), cap.allows) {
        return false;
    }
    let outlived = cap.limit.burst(cap.axis).is_some() && cap.merged.is_none() && on_burst(record, level).is_none();
    refutes(cap, level) || outlived
}

/// Reports rates above a baseline that were reached with burst credits.
fn on_bursts(record: &RunRecord, judged: &[Judged]) -> Vec<Finding> {
    // A level above everything published in another row indicates wrong rows, not credits.
    let credible = |level: &Level| !caps(record, level).iter().any(|c| exceeded(record, level, c));
    let bursts = judged.iter().filter(|(level, _)| credible(level)).filter_map(|(level, _)| {
        let burst = on_burst(record, level)?;
        Some((Against { level, cap: burst.cap }, (burst.loaded, burst.lasts)))
    });
    let (against, times): (Vec<Against>, Vec<_>) = bursts.unzip();
    let loaded = times.iter().map(|t| t.0).max().unwrap_or_default();
    let lasts = times.iter().map(|t| t.1).min().unwrap_or_default();
    let statement = |group: &[Against], what, row| match is_one_workload(group) {
        true => sentence!("found-burst-credits", what, row),
        false => sentence!("found-burst-credits-several", what, row),
    };
    let id = ("burst-credits", Severity::Doubt);
    let mut findings = findings_by_cap(judged, against, id, statement, sentence!("remedy-burst-credits"));
    let credits = sentence!("seen-credits", loaded = round(loaded), lasts = round(lasts));
    findings.iter_mut().for_each(|finding| finding.evidence.push(credits.clone()));
    findings
}

/// Reports sequential operations above an IOPS cap that counts neighbours as one.
fn merged(record: &RunRecord, judged: &[Judged]) -> Vec<Finding> {
    let explained = |level: &Level, c: &Cap| {
        let passed = c.burst.is_none() && c.merged.is_some() && above(span(level), c.allows);
        let on_credits = || on_burst(record, level).is_some_and(|b| (b.cap.row, b.cap.axis) == (c.row, c.axis));
        passed && !exceeded(record, level, c) && !on_credits()
    };
    let statement = |group: &[Against], what, row| match is_one_workload(group) {
        true => sentence!("found-merged", what, row),
        false => sentence!("found-merged-several", what, row),
    };
    let crossings = against(record, judged, explained);
    findings_by_cap(judged, crossings, ("merged", Severity::Note), statement, Sentence::default())
}

/// Lists the catalogue rows used by this judgement, with their age.
fn published(record: &RunRecord) -> Option<Finding> {
    let line = |limit: &Limit| {
        let LimitSource::Catalog { source, date, row } = &limit.source else { return None };
        let age = age_remark(date, &record.started).unwrap_or_else(|| sentence!("published-on", date));
        Some(Sentence::concat([format!("{row}: {source}; ").into(), age]))
    };
    let rows = distinct(record.plan.limits.iter().filter_map(line));
    (!rows.is_empty()).then(|| Finding {
        id: "published-limits".into(),
        severity: Severity::Note,
        statement: sentence!("found-published-limits"),
        evidence: rows,
        remedy: Sentence::default(),
    })
}

fn below_limits(record: &RunRecord, judged: &[Judged]) -> Vec<Finding> {
    let below = judged.iter().filter_map(|(level, bound)| {
        let stage = record.stage_of(&record.steps[level.steps[0]]);
        let explained = !matches!(
            bound.binding.kind,
            BindingKind::Unknown | BindingKind::Device | BindingKind::VirtualDisk | BindingKind::CapOrDevice
        );
        let cap = caps(record, level).into_iter().next()?;
        let well_below = span(level).1 < WELL_BELOW * cap.allows;
        let is_below = stage.role != StageRole::Probe && !explained && well_below;
        is_below.then_some(Against { level, cap })
    });
    let statement = |group: &[Against], what, row| match is_one_workload(group) {
        true => sentence!("found-below-all-limits", what, row),
        false => sentence!("found-below-all-limits-several", what, row),
    };
    let id = ("below-all-limits", Severity::Note);
    findings_by_cap(judged, below.collect(), id, statement, sentence!("remedy-below-all-limits"))
}

/// Reports that more concurrency reduces the rate.
fn retrograde(label: &str, levels: &[Level]) -> Option<Finding> {
    let ramp: Vec<&Level> = levels.iter().filter(|l| !l.figures.hold && l.sound()).collect();
    let best = ramp.iter().max_by(|a, b| a.rate().total_cmp(&b.rate()))?;
    let deepest = ramp.last()?;
    let lost = deepest.rate() * (1.0 + deepest.half) < LOSS * best.rate();
    (lost && deepest.concurrency() > best.concurrency()).then(|| Finding {
        id: "retrograde".into(),
        severity: Severity::Note,
        statement: match best.concurrency() {
            depth @ ..=1 => sentence!("found-retrograde-from-one", what = label, depth),
            depth => sentence!("found-retrograde", what = label, depth),
        },
        evidence: vec![rate_at_depth(best), rate_at_depth(deepest)],
        remedy: Sentence::default(),
    })
}

/// Formats `6,000 IOPS at depth 32`.
fn rate_at_depth(level: &Level) -> Sentence {
    sentence!("figure-at-depth", figure = format!("{} IOPS", Iops(level.rate())), depth = level.concurrency())
}

/// Reports that the rate of the ramp did not last.
fn held_below_ramp(label: &str, levels: &[Level]) -> Option<Finding> {
    let held = levels.iter().find(|l| l.figures.hold && l.sound())?;
    let ramp = levels.iter().find(|l| !l.figures.hold && l.sound() && l.concurrency() == held.concurrency())?;
    (held.rate() * (1.0 + held.half) < LOSS * ramp.rate()).then(|| Finding {
        id: "not-sustained".into(),
        severity: Severity::Doubt,
        statement: sentence!("found-not-sustained", what = label),
        evidence: vec![
            sentence!("seen-in-ramp", rate = Iops(ramp.rate()), seconds = format!("{:.1}", ramp.figures.time.secs())),
            sentence!("seen-held-for", rate = Iops(held.rate()), seconds = format!("{:.1}", held.figures.time.secs())),
        ],
        remedy: sentence!("remedy-not-sustained"),
    })
}

/// Reports the crossing of two caps: the cap on operations binds up to one size, and the cap on bytes binds from the
/// next size on.
fn crossover(stages: &[Vec<Level>], measured: &[MeasuredPattern], bounds: &[Bound]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let side = |wanted: [BindingKind; 2]| -> Vec<&Level> {
        let bound = measured.iter().zip(bounds).filter(|(_, b)| wanted.contains(&b.binding.kind));
        bound.filter_map(|(body, _)| stages[body.stage].get(body.chosen?)).collect()
    };
    let by_ops = side([BindingKind::LimitIops, BindingKind::IopsCap]);
    let by_bytes = side([BindingKind::LimitBandwidth, BindingKind::BandwidthCap]);
    for ops in &by_ops {
        let key = |l: &Level| (l.job.workload.access, l.job.workload.mix, l.job.workload.flush_every);
        let rw = ops.job.workload.rw();
        let mut larger: Vec<&&Level> =
            by_bytes.iter().filter(|l| key(l) == key(ops) && l.mean_size() > ops.mean_size()).collect();
        larger.compact_sort_by(|a, b| a.mean_size().total_cmp(&b.mean_size()));
        let beaten = by_ops.iter().any(|o| key(o) == key(ops) && o.mean_size() > ops.mean_size());
        let Some(bytes) = larger.first().filter(|_| !beaten) else { continue };
        let bandwidth = bytes.rate() * bytes.mean_size();
        let cross = bandwidth / ops.rate();
        let short = |size: f64| Bytes(size.round() as u64).short();
        let finding = Finding {
            id: "crossover".into(),
            severity: Severity::Note,
            statement: sentence!(
                "found-crossover",
                mode = rw,
                up_to = short(ops.mean_size()),
                from = short(bytes.mean_size()),
                cross = format!("{:.1}", cross / 1024.0)
            ),
            evidence: vec![
                sentence!(
                    "figure-at-size",
                    figure = format!("{} IOPS", Iops(ops.rate())),
                    size = short(ops.mean_size())
                ),
                sentence!("figure-at-size", figure = BytesPerSecond(bandwidth), size = short(bytes.mean_size())),
            ],
            remedy: Sentence::default(),
        };
        if !findings.iter().any(|f| f.statement == finding.statement) {
            findings.push(finding);
        }
    }
    findings
}
