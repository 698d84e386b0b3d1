//! Doubts about each level's figures and about the host, attached to the levels, one for each affected step.

use crate::levels::figures::Level;
use crate::limits::counted::packets_beyond;
use crate::limits::{blocks, caps, single, throttle};
use crate::validity::cpu::generator::{Strength, generator};
use crate::validity::cpu::starved;
use crate::validity::{cache, drive, layers, little, repeats, shaper, sync};
use messages::sentence;
use model::judged::{LevelFigures, Steadiness, told_course};
use model::measured::{Percentile, Phase, WRONG_DATA};
use model::plan::{Filling, KindName, Pacing, StageRole, SyncMode, TargetKind, Thoroughness};
use model::record::{Step, StepStop, Verified};
use model::{
    Bytes, Caveat, CompactSort, Interval, Iops, LatencyHistogram, Limit, Nanos, Op, RunKind, RunRecord, RunState,
    Sentence, Severity, Target, distinct, grouped, units::thousands,
};
use std::collections::BTreeMap;

const GIB: u64 = 1 << 30;
/// Identifiers of doubts about reads of unwritten data.
const UNWRITTEN: [&str; 2] = ["unwritten-extents", "never-written"];

/// Finds all doubts, marks the affected levels and returns the doubts, the most severe first. Equal doubts of several
/// steps are not merged: the caller that prints them does this.
pub(crate) fn doubts(record: &RunRecord, stages: &mut [Vec<Level>]) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    let mut seen = Vec::new();
    let capped = blocks::only_a_cap_explains(record, stages);
    for levels in stages.iter_mut() {
        let throttled: Vec<bool> = (0..levels.len()).map(|i| throttle::throttled(levels, i)).collect();
        levels.iter_mut().zip(throttled).for_each(|(level, throttled)| level.throttled = throttled);
    }
    for level in stages.iter_mut().flatten() {
        level.only_a_cap = level.throttled || capped.contains(&level.steps[0]);
        let of_this_level = of_level(record, level);
        mark(level, &of_this_level, &record.caveats);
        seen.extend_from_slice(&level.steps);
        caveats.extend(of_this_level);
    }
    starved::spare_the_run(record, stages, &mut caveats);
    // Memory as the storage is the more informative doubt, and the doubt about each step makes that step invalid.
    let memory = caveats.iter().any(|c: &Caveat| c.id == cache::MEMORY);
    let said = |c: &&Caveat| memory && c.step.is_none() && c.id == "direct-not-honoured";
    caveats.splice(0..0, record.caveats.iter().filter(|c| !said(c)).cloned());
    for ((stage, level), caveat) in single::doubts(record, stages) {
        stages[stage][level].figures.caveats.push(caveat.id.clone());
        caveats.push(caveat);
    }
    for (i, step) in record.steps.iter().enumerate() {
        // A step cut short by the bound on writes is reported as such.
        let ended = step.end.as_ref().is_some_and(|end| end.stop != StepStop::Written);
        // A job without I/O had nothing to do.
        let ended = ended && step.job.tuning.work.does_io();
        if !seen.contains(&i) && ended {
            caveats.push(nothing_done().at_step(i));
        }
    }
    caveats.extend(of_run(record, stages));
    tidy(caveats)
}

/// Stores the identifiers in the level. Marks its figures as invalid if a caveat requires it: one of the level itself,
/// of its steps, or of the whole run.
pub(crate) fn mark(level: &mut Level, own: &[Caveat], recorded: &[Caveat]) {
    // Only reads of unwritten data are answered without a device.
    let about = |c: &Caveat| !UNWRITTEN.contains(&c.id.as_str()) || level.share(Op::Read) > 0.0;
    let touches = |c: &&Caveat| match c.step {
        Some(step) => level.steps.contains(&step),
        None => c.severity == Severity::Invalid && about(c),
    };
    let caveats: Vec<&Caveat> = own.iter().chain(recorded.iter().filter(touches)).collect();
    level.figures.caveats = distinct(caveats.iter().map(|c| c.id.clone()));
    let invalid = caveats.iter().find(|c| c.severity == Severity::Invalid);
    let struck = invalid.map(|c| Sentence::concat([format!("{}: ", c.id).into(), c.evidence.clone()]));
    // A level that did not settle has no figure, either.
    level.figures.struck = struck.or_else(|| level.unsettled_why());
}

pub(crate) fn of_level(record: &RunRecord, level: &Level) -> Vec<Caveat> {
    let step = level.steps[0];
    type Check = fn(&RunRecord, &Level) -> Option<Caveat>;
    let failures: [Check; 5] = [errors, wrong_data, verification_mixed, absent, hung];
    let mut caveats: Vec<Caveat> = failures.iter().filter_map(|check| check(record, level)).collect();
    if level.figures.ops == 0 && level.figures.errors == 0 {
        caveats.push(nothing_done());
    }
    caveats.extend(cache::doubts(record, level));
    caveats.extend(little::doubts(record, level));
    caveats.extend(starved::doubt(record, level));
    caveats.extend(crate::validity::disturbed::doubt(level));
    // If the figures do not represent the storage, no burst bucket is fitted to them.
    let storage = caveats.iter().all(|c| c.severity < Severity::Doubt);
    caveats.extend(regime(record, level, storage));
    caveats.extend(too_soon(record, level));
    caveats.extend(limit_changed(record, level));
    let others: [Check; 7] = [contents, beyond_allowance, out_of_cpu, scheduling, not_sustained, from_due, unsent];
    caveats.extend(others.iter().filter_map(|check| check(record, level)));
    caveats.into_iter().map(|c| if c.step.is_some() { c } else { c.at_step(step) }).collect()
}

/// Returns the doubt about syncs that take less time than a medium needs.
fn too_soon(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let step = &record.steps[level.steps[0]];
    // A job without I/O syncs nothing, and a database's commits are checked separately.
    let tuning = &step.job.tuning;
    let asked = tuning.sync != SyncMode::None || step.job.workload.flush_every.is_some();
    asked.then(|| sync::doubt(&record.preflight, level, tuning.sync, &step.total()))?
}

/// Reports packets that the instance's interface delayed or dropped, for storage over the network
/// (docs/design/limits.md, "What the storage counts"). A number of packets is not a time, so it decides nothing.
fn beyond_allowance(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let remote = record.caveats.iter().any(|c| c.id == "remote-storage");
    let packets = if remote { packets_beyond(record, level) } else { Vec::new() };
    let rate = |rate: f64| if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") };
    let seen = packets.iter().map(|(interface, counter, each)| {
        sentence!("seen-allowance", interface = *interface, counter = *counter, rate = rate(*each))
    });
    let seen: Vec<Sentence> = seen.collect();
    (!seen.is_empty()).then(|| {
        Caveat::new("network-allowance", Severity::Doubt, sentence!("doubt-allowance"), Sentence::join(seen, ", "))
            .remedy(sentence!("remedy-allowance"))
    })
}

fn errors(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let failed = level.figures.errors;
    if failed == 0 {
        return None;
    }
    let mut by_code: BTreeMap<i32, u64> = BTreeMap::new();
    let intervals = level.steps.iter().flat_map(|i| &record.steps[*i].intervals);
    for (code, n) in intervals.flat_map(|i: &Interval| &i.per_op).flat_map(|o| &o.tally.errors) {
        *by_code.entry(*code).or_default() += n;
    }
    if by_code.keys().all(|code| *code == WRONG_DATA) && verified(record, level).any(|v| v.wrong > 0) {
        // Only comparisons failed; they are reported with their findings.
        return None;
    }
    let numbers = record.preflight.host.error_numbers();
    let codes: Vec<String> = by_code.iter().map(|(code, n)| format!("{}: {n}", numbers.describe(*code))).collect();
    let (done, codes) = (level.figures.ops, codes.join(", "));
    let evidence = match codes.as_str() {
        "" => sentence!("seen-io-errors", failed, done),
        _ => sentence!("seen-io-errors-of", failed, done, codes),
    };
    Some(
        Caveat::new("io-errors", Severity::Invalid, sentence!("doubt-io-errors"), evidence)
            .weighing(failed as f64)
            .remedy(sentence!("remedy-io-errors")),
    )
}

/// Maximum number of wrong blocks that are described.
const DESCRIBED: usize = 3;

fn verified<'a>(record: &'a RunRecord, level: &'a Level) -> impl Iterator<Item = &'a Verified> {
    level.steps.iter().filter_map(|i| record.steps[*i].end.as_ref()).map(|end| &end.verified)
}

/// Reports blocks whose content is not what was written there.
pub(crate) fn wrong_data(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let (wrong, blocks) = verified(record, level).fold((0, 0), |(w, b), v| (w + v.wrong, b + v.blocks));
    if wrong == 0 {
        return None;
    }
    let findings: Vec<&str> =
        verified(record, level).flat_map(|v| &v.findings).map(String::as_str).take(DESCRIBED).collect();
    let blocks_found = match findings[..] {
        [] => sentence!("seen-wrong-blocks", wrong, blocks),
        _ => sentence!("seen-wrong-blocks-as", wrong, blocks, findings = findings.join("; ")),
    };
    let other = level.steps.iter().find_map(|i| written_over(record, *i));
    let also = other.map(|o| sentence!("seen-also-wrote", job = &o.job.name));
    let (title, remedy) = if other.is_some() {
        // Then nothing can be concluded about the storage.
        (sentence!("doubt-written-over"), sentence!("remedy-own-file"))
    } else if wrong == blocks {
        // A job that reads what it did not write is more common than a device that garbles everything.
        (sentence!("doubt-no-block-right"), sentence!("remedy-same-options"))
    } else {
        (sentence!("doubt-wrong-data"), sentence!("remedy-wrong-data"))
    };
    let evidence = Sentence::join([blocks_found].into_iter().chain(also), "; ");
    Some(Caveat::new("wrong-data", Severity::Invalid, title, evidence).remedy(remedy))
}

/// Reports a mixed job that verifies while it writes: workers count both kinds of reads in the same intervals.
fn verification_mixed(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let workload = &record.steps[level.steps[0]].job.workload;
    let verifies = workload.detail.verify.as_ref().is_some_and(|v| v.backlog.is_some() && v.check);
    let mixed = workload.mix.writes() && workload.mix.share(Op::Read) > 0.0;
    let blocks: u64 = verified(record, level).map(|v| v.blocks).sum();
    (verifies && mixed).then(|| {
        let (statement, evidence) = (sentence!("saw-verification-mixed"), sentence!("seen-verification-mixed", blocks));
        Caveat::new("verification-mixed", Severity::Invalid, statement, evidence)
            .remedy(sentence!("rule-E03-verification-remedy"))
    })
}

/// Reports reads that were counted but found nothing: the storage returned no data for them.
fn absent(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let ends = level.steps.iter().filter_map(|i| record.steps[*i].end.as_ref());
    let absent: u64 = ends.map(|end| end.absent_reads).sum();
    if absent == 0 {
        return None;
    }
    let evidence = sentence!("seen-absent", absent, done = level.figures.ops);
    Some(
        Caveat::new("absent-objects", Severity::Doubt, sentence!("doubt-absent"), evidence)
            .weighing(absent as f64)
            .remedy(sentence!("remedy-absent")),
    )
}

/// Returns a step that wrote to the same place while this one ran.
fn written_over(record: &RunRecord, step: usize) -> Option<&Step> {
    let current = &record.steps[step];
    let until = |step: &Step| step.end.as_ref().map_or(Nanos(u64::MAX), |end| end.at);
    let same = |a: &Target, b: &Target| {
        a.kind != TargetKind::Null
            && (a.kind, &a.path) == (b.kind, &b.path)
            && a.offset.as_u64() < b.offset.as_u64().saturating_add(b.size.as_u64())
            && b.offset.as_u64() < a.offset.as_u64().saturating_add(a.size.as_u64())
    };
    record.steps.iter().enumerate().filter(|(i, _)| *i != step).map(|(_, other)| other).find(|other| {
        other.job.workload.mix.writes()
            && other.start < until(current)
            && current.start < until(other)
            && other.job.targets().any(|theirs| current.job.targets().any(|ours| same(ours, theirs)))
    })
}

pub(crate) fn hung(record: &RunRecord, level: &Level) -> Option<Caveat> {
    // Reports of a lost host up to its loss are valid, and its loss is not a hung disk.
    if record.lost_a_host() {
        return None;
    }
    let end = level
        .steps
        .iter()
        .filter_map(|i| record.steps[*i].end.as_ref())
        .find(|e| e.stop == StepStop::Hung || e.pending > 0)?;
    let oldest = end.pending_ages.iter().max().copied().unwrap_or_default();
    let evidence = sentence!("seen-hung", n = end.pending, oldest);
    Some(Caveat::new("hung", Severity::Invalid, sentence!("doubt-hung"), evidence).remedy(sentence!("remedy-hung")))
}

pub(crate) fn nothing_done() -> Caveat {
    Caveat::new("no-io", Severity::Invalid, sentence!("doubt-no-io"), sentence!("seen-no-io"))
        .remedy(sentence!("remedy-no-io"))
}

pub(crate) fn regime(record: &RunRecord, level: &Level, storage: bool) -> Option<Caveat> {
    let figures = &level.figures;
    // fio's output keeps fio's mean over the whole job; a mark's figure covers the whole loop.
    let (fio, mark) = (speaks_fio(record), record.plan.kind.name() == KindName::Mark);
    match &figures.steadiness {
        Steadiness::TwoRegimes { .. } | Steadiness::Changed { .. } => {
            let bucket = shaper::fit(record, level).filter(|_| storage);
            let bucket = bucket.map(|b| sentence!("seen-bucket", n = Iops(b.depth)));
            let course = messages::sentence(told_course(&figures.course));
            let evidence = Sentence::join([course].into_iter().chain(bucket), "; ");
            let title = if fio {
                sentence!("doubt-level-changed-fio")
            } else if mark {
                sentence!("doubt-level-changed-mark")
            } else {
                sentence!("doubt-level-changed")
            };
            Some(
                Caveat::new("two-regimes", Severity::Doubt, title, evidence)
                    .weighing(apart(figures))
                    .remedy(sentence!("remedy-level-changed")),
            )
        }
        Steadiness::NotSettled { why } => {
            let title = if fio {
                sentence!("doubt-not-settled-fio")
            } else if mark {
                sentence!("doubt-not-settled-mark")
            } else {
                sentence!("doubt-not-settled")
            };
            Some(
                Caveat::new("not-settled", Severity::Doubt, title, why)
                    .weighing(apart(figures))
                    .remedy(sentence!("remedy-not-settled")),
            )
        }
        _ => too_short(record, level),
    }
}

/// Returns the ratio of the highest to the lowest of the levels between which the rate changed.
fn apart(figures: &LevelFigures) -> f64 {
    let rates = || figures.course.iter().map(|s| s.iops.per_second());
    let (most, least) = (rates().fold(0.0, f64::max), rates().fold(f64::INFINITY, f64::min));
    // A level of zero is further away than any other.
    (most / least.max(most / 1e6).max(1e-9)).min(1e6)
}

/// Reports levels without enough windows. Levels of a ramp are meant to be short: they lead to the sustained level,
/// which provides the figure and must have an interval. For other single levels a missing interval is printed in their
/// row.
fn too_short(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let figures = &level.figures;
    let on_the_way = !figures.hold && record.stage_of(&record.steps[level.steps[0]]).role == StageRole::Ramp;
    let short = figures.steadiness == Steadiness::TooShort || (figures.hold && figures.iops.ci.is_none());
    if on_the_way || !short || figures.ops == 0 {
        return None;
    }
    let evidence = if figures.iops.ci.is_none() {
        figures.iops.ci_missing.clone()
    } else {
        sentence!("seen-windows", n = figures.iops.n)
    };
    Some(
        Caveat::new("too-short", Severity::Note, sentence!("doubt-too-short"), evidence)
            .weighing(1.0 / (1.0 + figures.iops.n as f64))
            .remedy(longer(record)),
    )
}

/// Returns `true` if the run came from fio options or a fio job file. Its remedies then name fio's options.
fn speaks_fio(record: &RunRecord) -> bool {
    matches!(record.plan.kind, RunKind::JobFile { .. })
}

/// Returns the remedy that gives more windows than this run had.
fn longer(record: &RunRecord) -> Sentence {
    match record.plan.time {
        _ if speaks_fio(record) => sentence!("remedy-longer-runtime"),
        _ if !record.plan.kind.is_qualification() => sentence!("remedy-more-time"),
        Thoroughness::Quick => sentence!("remedy-more-effort"),
        Thoroughness::Standard => sentence!("remedy-most-effort"),
        Thoroughness::Thorough => sentence!("remedy-wavers"),
    }
}

/// Identifier of the doubt about steps during which a limit of our control group changed.
pub(crate) const LIMIT_CHANGED: &str = "limit-changed";

/// Joins the entries, or reports that there are none.
fn listed(all: Vec<Sentence>) -> Sentence {
    if all.is_empty() { sentence!("seen-none") } else { Sentence::join(all, ", ") }
}

fn format_limits(limits: &[Limit]) -> Sentence {
    listed(limits.iter().map(|l| l.to_string().into()).collect())
}

/// Maximum number of limit changes of a step that are listed one by one.
const TOLD_CHANGES: usize = 3;

fn limit_changed(record: &RunRecord, level: &Level) -> Vec<Caveat> {
    let statement = if caps::of_several(record, level) {
        sentence!("doubt-limit-changed-steps")
    } else {
        sentence!("doubt-limit-changed")
    };
    let mut caveats = Vec::new();
    for index in &level.steps {
        let step = &record.steps[*index];
        let Some(end) = &step.end else { continue };
        let mut before: &[Limit] = &record.preflight.limits;
        let mut changes = Vec::new();
        for seen in &end.caps {
            if seen.from > step.start {
                changes.push((seen.from.since(step.start), before, &seen.limits[..]));
            }
            before = &seen.limits;
        }
        let one =
            |at: Nanos, was, is| sentence!("seen-limit-changed", at, is = format_limits(is), was = format_limits(was));
        let sentences: Vec<Sentence> = match changes[..] {
            [(first, was, _), .., (last, _, is)] if changes.len() > TOLD_CHANGES => {
                let (n, was, is) = (changes.len(), format_limits(was), format_limits(is));
                vec![sentence!("seen-limit-changed-often", n, first, last, was, is)]
            }
            ref few => few.iter().map(|(at, was, is)| one(*at, was, is)).collect(),
        };
        caveats.extend(sentences.into_iter().map(|evidence| {
            let caveat = Caveat::new(LIMIT_CHANGED, Severity::Doubt, &statement, evidence);
            caveat.at_step(*index).remedy(sentence!("remedy-limit-changed"))
        }));
    }
    caveats
}

/// Reports contents that are easier to compress or deduplicate than the contents of a database.
fn contents(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let (workload, kind) = (&level.job.workload, level.job.target.kind);
    let contents = &workload.detail.contents;
    if !workload.mix.writes() || kind == TargetKind::Null || level.job.tuning.work.session().is_some() {
        return None;
    }
    let (severity, evidence) = match &contents.kind {
        Filling::Zero => (Severity::Doubt, sentence!("seen-zeros-written")),
        Filling::Pattern(bytes) => (Severity::Doubt, sentence!("seen-pattern-written", n = bytes.len())),
        _ if contents.compress_percent > 0 || contents.dedupe_percent > 0 => {
            let some = |percent: u8| (percent > 0).then_some(percent);
            let compresses = some(contents.compress_percent).map(|p| sentence!("seen-compresses", percent = p));
            let repeats = some(contents.dedupe_percent).map(|p| sentence!("seen-repeats", percent = p));
            (Severity::Note, Sentence::join(compresses.into_iter().chain(repeats), ", "))
        }
        _ => return None,
    };
    // A mark uses such contents on purpose, and is known for it.
    let severity = if record.plan.kind.name() == KindName::Mark { Severity::Note } else { severity };
    let caveat = Caveat::new("easy-contents", severity, sentence!("doubt-easy-contents"), evidence);
    Some(caveat.remedy(match speaks_fio(record) {
        true => sentence!("remedy-easy-contents-fio"),
        false => sentence!("remedy-easy-contents"),
    }))
}

fn out_of_cpu(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let generator = generator(record, level);
    let busy = generator.strength == Strength::Strong && !caps::at_any(record, level);
    if !busy && !generator.exhausted {
        return None;
    }
    Some(
        Caveat::new("generator-bound", Severity::Doubt, sentence!("doubt-generator-bound"), generator.to_sentence())
            .weighing(level.rate() / generator.allows.max(1e-9))
            .remedy(sentence!("remedy-generator-bound")),
    )
}

fn scheduling(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let gap = record.preflight.timer.gap_p999;
    let Percentile::Value(p999) = level.figures.p999 else { return None };
    (p999 < gap).then(|| {
        Caveat::new(
            "scheduling-noise",
            Severity::Note,
            sentence!("doubt-scheduling-noise", gap),
            sentence!("seen-p999", p999),
        )
        .weighing(gap.secs() / p999.secs().max(1e-9))
        .remedy(sentence!("remedy-scheduling-noise"))
    })
}

/// Reports that an open loop requested more than the storage completed, so that the queue grew for as long as the step
/// ran (docs/design/statistics.md, "Open and closed loops").
fn not_sustained(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let asked = level.missed_rate()?;
    let late = level.steps.iter().filter_map(|i| record.steps[*i].end.as_ref()).map(|e| e.late_max).max();
    let evidence = sentence!("seen-late", rate = Iops(level.rate()), asked, late = late.unwrap_or_default());
    Some(
        Caveat::new("rate-not-sustained", Severity::Doubt, sentence!("doubt-rate-not-sustained"), evidence)
            .weighing(asked.per_second() / level.rate().max(1e-9))
            .remedy(sentence!("remedy-lower-rate")),
    )
}

/// Reports that a paced load has two latencies, and which of them the figures use.
fn from_due(record: &RunRecord, level: &Level) -> Option<Caveat> {
    if level.kept.response().count() == 0 {
        return None;
    }
    let mut sent = level.kept.latency();
    level.steps.iter().flat_map(|i| record.steps[*i].drained()).for_each(|i| sent.merge(&i.latency()));
    let mean_and_longest = |all: &LatencyHistogram| {
        let (mean, longest) = (all.mean().unwrap_or_default(), all.max().unwrap_or_default());
        match all.percentile(99.0).value() {
            Some(p99) => sentence!("seen-latency-p99", mean, p99, longest),
            None => sentence!("seen-latency", mean, longest),
        }
    };
    Some(Caveat::new(
        "from-due",
        Severity::Note,
        sentence!("doubt-from-due"),
        sentence!("seen-from-due", due = mean_and_longest(&level.latency), sent = mean_and_longest(&sent)),
    ))
}

/// Reports requests that were due at the end of a step but not sent: they have no response time, although it would be
/// the longest.
fn unsent(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let rate = due_rate(level)?;
    let steps = level.steps.iter().map(|i| &record.steps[*i]);
    let cut_at = |step: &Step| {
        let end = step.end.as_ref().filter(|end| end.stop == StepStop::Time)?;
        let measured = step.intervals.iter().filter(|i| i.phase == Phase::Measure);
        let until = measured.map(|i| i.start + i.length).max()?;
        let due = rate * until.since(step.start).secs();
        // Beyond chance and edge effects: the number of arrivals of a Poisson process scatters by its square root.
        let poisson = matches!(step.job.workload.pacing, Pacing::Poisson(_));
        let chance = if poisson { 4.0 * due.sqrt() } else { 2.0 * f64::from(step.job.threads.max(1)) };
        let left = due - end.submitted as f64;
        (left > chance.max(0.001 * due)).then_some((left, due))
    };
    let (left, due) = steps.filter_map(cut_at).reduce(|a, b| if a.0 > b.0 { a } else { b })?;
    let waited = Nanos::from_secs_f64(left / rate);
    Some(
        Caveat::new(
            "unsent",
            Severity::Doubt,
            sentence!("doubt-unsent"),
            sentence!("seen-unsent", left = thousands(left), due = thousands(due), waited),
        )
        .weighing(left / due)
        .remedy(sentence!("remedy-unsent")),
    )
}

/// Returns the operations that came due each second, if this is known independently of the storage.
fn due_rate(level: &Level) -> Option<f64> {
    let workload = &level.job.workload;
    if workload.detail.think.is_some() || workload.flush_every.is_some() || level.job.stop.max_ops.is_some() {
        return None;
    }
    let rate = match workload.pacing {
        Pacing::Closed => {
            let request_interval = level
                .job
                .tuning
                .work
                .paced()
                .filter(|request_interval| request_interval.from_due && !request_interval.interval.is_zero())?;
            request_interval.burst.max(1) as f64 / request_interval.interval.secs()
        }
        Pacing::Fixed(rate) | Pacing::Poisson(rate) => rate.per_second(),
        Pacing::Rates(rates) => {
            let mut sum = 0.0;
            for (op, rate) in Op::ALL.iter().zip(rates.of).filter(|(op, _)| workload.mix.share(**op) > 0.0) {
                let stats = level.kept.op(*op);
                let size = stats.tally.bytes as f64 / (stats.tally.ops as f64).max(1.0);
                sum += match rate? {
                    model::plan::Rate::Iops(most) => most.per_second(),
                    model::plan::Rate::Bytes(most) => most.per_second() / size.max(1.0),
                };
            }
            sum
        }
    };
    (rate > 0.0).then_some(rate)
}

// --- the run as a whole -----------------------------------------------------------------------------------------

fn of_run(record: &RunRecord, stages: &[Vec<Level>]) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    caveats.extend(ended_early(record));
    caveats.extend(written_enough(record, stages));
    caveats.extend(other_limits(record));
    caveats.extend(repeats::doubts(record));
    // A device's cache that may hold the file is more informative than memory.
    caveats.extend(repeats::too_small(record).or_else(|| working_set(record)));
    caveats.extend(read_modify_write(record));
    caveats.extend(busy_host(record));
    caveats.extend(layers::doubts(record));
    caveats.extend(drive::doubts(record));
    caveats.extend(coarse(record));
    caveats
}

/// Reports a long run whose single seconds are no longer stored.
fn coarse(record: &RunRecord) -> Option<Caveat> {
    let length = record.coarsened()?;
    Some(Caveat::new("long-run", Severity::Note, sentence!("doubt-long-run", length), sentence!("seen-long-run")))
}

/// Reports limits of our control group that did not change during a step but differ from those at the beginning.
fn other_limits(record: &RunRecord) -> Option<Caveat> {
    let ends = record.steps.iter().filter_map(|s| Some((s, s.end.as_ref()?)));
    let (step, seen) = ends.filter_map(|(s, e)| Some((s, e.caps.first()?))).find(|(s, seen)| seen.from <= s.start)?;
    let (is, was) = (format_limits(&seen.limits), format_limits(&record.preflight.limits));
    let evidence = sentence!("seen-limits-differ", at = step.start, is, was);
    Some(
        Caveat::new("limits-differ", Severity::Note, sentence!("doubt-limits-differ"), evidence)
            .remedy(sentence!("remedy-limits-differ")),
    )
}

/// Identifier of [`file_system_full`].
pub(crate) const FILE_SYSTEM_FULL: &str = "file-system-full";

/// Returns the caveat about a run that ended because its file system is full.
///
/// `evidence` names the path and the free space, or quotes the database engine's log. The caveat is
/// [`Severity::Invalid`] if the file system filled up during the measurement.
#[must_use]
pub fn file_system_full(severity: Severity, evidence: impl Into<Sentence>) -> Caveat {
    Caveat::new(FILE_SYSTEM_FULL, severity, sentence!("doubt-file-system-full"), evidence)
        .remedy(sentence!("remedy-file-system-full"))
}

/// Identifier of the doubts about a bound on writes.
const MAX_WRITTEN: &str = "max-written";

/// Returns the doubt about a ramp that the bound on writes ended at this concurrency.
#[must_use]
pub fn ramp_bounded(label: &str, deepest: u32) -> Caveat {
    let evidence = sentence!("seen-ramp-bounded", label, deepest);
    Caveat::new(MAX_WRITTEN, Severity::Doubt, sentence!("doubt-max-written"), evidence)
        .remedy(sentence!("remedy-max-written"))
}

/// Reports the parts of a run that were skipped because of the bound on writes.
fn written_enough(record: &RunRecord, stages: &[Vec<Level>]) -> Option<Caveat> {
    let most = record.plan.max_written?;
    let stopped = |s: &Step| s.end.as_ref().is_some_and(|e| e.stop == StepStop::Written);
    let cut = record.steps.iter().enumerate().filter(|(_, s)| stopped(s));
    let cut: Vec<Sentence> = cut.map(|(i, _)| step_name(record, Some(i))).collect();
    let run = |index: usize| record.steps.iter().any(|s| s.stage == index);
    let out = record.plan.stages.iter().enumerate().filter(|(i, s)| s.job.workload.mix.writes() && !run(*i));
    let out: Vec<Sentence> = out.map(|(_, s)| s.job.workload.label().into()).collect();
    // Far from the bound, the parts were skipped for another reason.
    let near = record.written().as_u64() >= most.as_u64() / 2;
    if cut.is_empty() && (out.is_empty() || !near || record.state != RunState::Complete) {
        return None;
    }
    let evidence =
        sentence!("seen-max-written", written = record.written(), most, cut = listed(cut), out = listed(out));
    let (severity, statement) = match stages.iter().all(Vec::is_empty) {
        true => (Severity::Invalid, sentence!("doubt-nothing-within-bound", most)),
        false => (Severity::Doubt, sentence!("doubt-max-written")),
    };
    Some(Caveat::new(MAX_WRITTEN, severity, statement, evidence).remedy(sentence!("remedy-max-written")))
}

pub(crate) fn ended_early(record: &RunRecord) -> Option<Caveat> {
    let (severity, statement) = match record.state {
        RunState::Complete => return None,
        RunState::Interrupted => (Severity::Doubt, sentence!("doubt-run-killed")),
        RunState::Running => (Severity::Doubt, sentence!("doubt-run-running")),
        RunState::Stopped => (Severity::Doubt, sentence!("doubt-run-stopped")),
        RunState::Hung if record.lost_a_host() => (Severity::Doubt, sentence!("doubt-host-gone")),
        RunState::Hung => (Severity::Invalid, sentence!("doubt-run-hung")),
        RunState::Failed => (Severity::Invalid, sentence!("doubt-run-failed")),
        // The reader of the journal already reported this, with the lost parts.
        RunState::Damaged => return None,
    };
    let run = sentence!("seen-steps-run", n = record.steps.len());
    let reason = Some(&record.reason).filter(|r| !r.is_empty()).map(Sentence::from);
    let evidence = Sentence::join([run].into_iter().chain(reason), "; ");
    Some(Caveat::new("partial", severity, statement, evidence))
}

/// Reports a file that fits into memory, or into a controller's cache of the same size, and so does not represent the
/// storage.
fn working_set(record: &RunRecord) -> Option<Caveat> {
    let host = &record.preflight.host;
    let memory = host.memory_limit.map_or(host.memory, |limit| limit.min(host.memory));
    let size = record.plan.target.size;
    if !record.plan.target.kind.is_local()
        || record.steps.is_empty()
        || size.is_zero()
        || memory.is_zero()
        || size.as_u64() / 2 >= memory.as_u64()
    {
        return None;
    }
    // Direct I/O bypasses memory; a cache below us remains possible.
    let (severity, what) = if record.plan.target.direct {
        (Severity::Note, sentence!("doubt-device-cache"))
    } else {
        (Severity::Doubt, sentence!("doubt-page-cache"))
    };
    let twice = Bytes(memory.as_u64().saturating_mul(2).div_ceil(GIB).saturating_mul(GIB));
    let doubt = Caveat::new("small-working-set", severity, what, sentence!("seen-working-set", size, memory));
    // A ping uses the place as it is; its only remedy is to bypass memory.
    if record.ping().is_some() {
        return Some(if severity == Severity::Doubt { doubt.remedy(sentence!("remedy-ping-direct")) } else { doubt });
    }
    // A replay uses files of the recorded sizes.
    if record.plan.stages.iter().any(|stage| stage.job.tuning.work.replay().is_some()) {
        return Some(doubt);
    }
    Some(doubt.remedy(match speaks_fio(record) {
        true => sentence!("remedy-larger-fio", size = twice.short()),
        false => sentence!("remedy-larger", size = twice.short()),
    }))
}

fn read_modify_write(record: &RunRecord) -> Option<Caveat> {
    let physical = record.preflight.storage.devices.iter().map(|d| d.physical_block).max()?;
    let workloads = record.steps.iter().map(|step| &step.job.workload);
    let labels = distinct(workloads.filter(|w| w.mix.writes() && w.block.min() < physical).map(|w| w.label()));
    (!labels.is_empty()).then(|| {
        Caveat::new(
            "read-modify-write",
            Severity::Note,
            sentence!("doubt-read-modify-write"),
            sentence!("seen-read-modify-write", labels = labels.join(", "), physical),
        )
        .remedy(sentence!("remedy-read-modify-write", physical = physical.short()))
    })
}

pub(crate) fn busy_host(record: &RunRecord) -> Option<Caveat> {
    let ends = || record.steps.iter().filter_map(|s| s.end.as_ref());
    let stolen = ends().filter_map(|e| e.host_steal).filter(|s| *s > 0.02);
    let (n, most) = stolen.fold((0, 0.0), |(n, most), s| (n + 1, f64::max(most, s)));
    (n > 0).then(|| {
        Caveat::new(
            "cpu-steal",
            Severity::Note,
            sentence!("doubt-cpu-steal"),
            sentence!("seen-cpu-steal", most = format!("{:.0}", most * 100.0), n, all = record.steps.len()),
        )
        .remedy(sentence!("remedy-cpu-steal"))
    })
}

// --- order ------------------------------------------------------------------------------------------------------

/// Removes duplicates and sorts the caveats: the most severe first, otherwise in order of appearance. Among equal
/// doubts of several steps the worst comes first, because it is the example that is shown.
pub(crate) fn tidy(all: Vec<Caveat>) -> Vec<Caveat> {
    let keyed = distinct(all).into_iter().map(|c| ((c.severity, c.id.clone(), c.statement.clone()), c));
    let mut kinds = grouped(keyed);
    kinds.iter_mut().for_each(|(_, kind)| kind.compact_sort_by_key(|c| std::cmp::Reverse(c.weight)));
    kinds.compact_sort_by_key(|((severity, ..), _)| std::cmp::Reverse(*severity));
    kinds.into_iter().flat_map(|(_, kind)| kind).collect()
}

/// Names a step: `8k randread at depth 32`.
pub(crate) fn step_name(record: &RunRecord, step: Option<usize>) -> Sentence {
    match step.and_then(|i| record.steps.get(i)) {
        Some(step) => sentence!("seen-step", label = step.job.workload.label(), n = step.job.concurrency()),
        None => sentence!("seen-the-run"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::Nanos;
    use model::plan::{Access, Mix, Pacing, Workload};

    fn found(record: &RunRecord) -> Vec<Caveat> {
        doubts(record, &mut crate::levels::figures::levels(record))
    }

    fn ids(record: &RunRecord) -> Vec<String> {
        found(record).into_iter().map(|c| c.id).collect()
    }

    fn record_of(run: Run) -> RunRecord {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, run);
        rig.record()
    }

    #[test]
    fn a_clean_run_has_no_caveats() {
        assert!(ids(&record_of(Run::at(32, 6000.0))).is_empty());
    }

    #[test]
    fn packets_that_were_held_back_are_a_doubt_about_storage_behind_the_network() {
        let mut record = record_of(Run::at(32, 6000.0));
        for (counter, rate) in [("bw_in_allowance_exceeded", 250.0), ("pps_allowance_exceeded", 0.0)] {
            record.series.push(model::measured::Series {
                name: format!("net.ens5.{counter}"),
                unit: "packets/s".into(),
                layer: model::measured::Layer::Host,
                points: (1..12).map(|s| (Nanos::from_secs(s), rate)).collect(),
            });
        }
        assert!(ids(&record).is_empty(), "storage of this machine has nothing to do with it");
        record.caveats.push(Caveat::new("remote-storage", Severity::Note, "remote", "nfs4"));
        let doubts = found(&record);
        let doubt = doubts.iter().find(|c| c.id == "network-allowance").expect("it is doubted");
        assert_eq!(doubt.evidence, *"ens5: bw_in_allowance_exceeded 250 packets/s");
    }

    #[test]
    fn a_doubt_is_read_in_the_language_of_the_reader() {
        let mut record = record_of(Run::at(32, 6000.0));
        record.steps[0].end.as_mut().unwrap().host_steal = Some(0.1);
        let doubt = found(&record).into_iter().find(|c| c.id == "cpu-steal").expect("told");
        assert_eq!(doubt.evidence, "up to 10 % in 1 of 1 steps");
        let read = |sentence: &Sentence| messages::translate(messages::Language::Russian, sentence).into_owned();
        assert_eq!(read(&doubt.evidence), "до 10 %, в 1 из 1 шагов");
        assert_ne!(read(&doubt.statement), doubt.statement.as_str());
    }

    #[test]
    fn a_caveat_of_many_steps_names_and_marks_each() {
        let mut rig = Rig::new();
        rig.preflight().timer.gap_p999 = Nanos::from_secs(60);
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        for depth in [1, 2, 4, 8, 16, 32] {
            rig.step(stage, Run::at(depth, 10_000.0).seconds(2));
        }
        let record = rig.record();
        let mut stages = crate::levels::figures::levels(&record);
        let caveats = doubts(&record, &mut stages);
        assert!(caveats.iter().all(|c| c.id == "scheduling-noise"), "{caveats:?}");
        assert_eq!(caveats.iter().map(|c| c.step).collect::<Vec<_>>(), (0..6).map(Some).collect::<Vec<_>>());
        assert!(caveats.iter().all(|c| c.statement == caveats[0].statement), "so that they can be put together");
        assert!(stages[0].iter().all(|l| l.figures.caveats == ["scheduling-noise"]));
    }

    #[test]
    fn only_figures_that_stand_alone_are_too_short() {
        let short = |role, hold| {
            let mut rig = Rig::new();
            let stage = rig.stage("r", role, randread(8192));
            rig.step(stage, Run { hold, ..Run::at(8, 6000.0).seconds(1) });
            ids(&rig.record())
        };
        assert!(short(StageRole::Ramp, false).is_empty(), "a level on the way to the held one");
        for (role, hold) in
            [(StageRole::Ramp, true), (StageRole::Probe, false), (StageRole::Sweep, false), (StageRole::Fixed, false)]
        {
            assert_eq!(short(role, hold), ["too-short"], "{role:?}");
        }
    }

    #[test]
    fn a_held_level_without_an_interval_is_too_short_and_says_how_long_it_takes() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        rig.step(stage, Run::at(8, 6000.0).seconds(2).hold());
        let caveats = found(&rig.record());
        assert_eq!(caveats.len(), 1, "{caveats:?}");
        assert!(caveats[0].evidence.ends_with(" windows needed, 20 available"), "{}", caveats[0].evidence);
    }

    #[test]
    fn nobody_is_told_to_use_the_time_he_used() {
        let remedy = |time, kind: RunKind| {
            let mut record = record_of(Run::at(8, 6000.0).seconds(1));
            (record.plan.time, record.plan.kind) = (time, kind);
            found(&record).remove(0).remedy
        };
        assert_eq!(remedy(Thoroughness::Quick, RunKind::Blocks), "use --effort standard or thorough");
        assert_eq!(remedy(Thoroughness::Standard, RunKind::Blocks), "use --effort thorough");
        assert!(!remedy(Thoroughness::Thorough, RunKind::Blocks).contains("--time"));
        assert!(!remedy(Thoroughness::Quick, RunKind::Replay).contains("--time"), "there is no such option");
    }

    #[test]
    fn a_burst_tells_both_rates_and_the_bucket() {
        let record = record_of(Run::at(32, 314.0).seconds(10).first(50, 3029.0));
        let caveats = found(&record);
        assert_eq!(caveats[0].id, "two-regimes");
        // (3029 - 314) * 5 s.
        assert!(caveats[0].evidence.contains("held about 13,"), "{}", caveats[0].evidence);
    }

    #[test]
    fn errors_strike_the_figure_they_touch() {
        let mut record = record_of(Run { errors: 12, ..Run::at(32, 6000.0) });
        record.steps[0].intervals[0].per_op[0].tally.errors.insert(5, 12);
        let mut stages = crate::levels::figures::levels(&record);
        let caveats = doubts(&record, &mut stages);
        assert_eq!((caveats[0].id.as_str(), caveats[0].severity), ("io-errors", Severity::Invalid));
        assert!(caveats[0].evidence.contains("errno 5: 12"));
        assert!(stages[0][0].figures.struck.as_ref().is_some_and(|s| s.contains("12 failed")));
    }

    #[test]
    fn wrong_data_is_told_as_such_with_what_was_found() {
        let mut record = record_of(Run { errors: 12, ..Run::at(32, 6000.0) });
        record.steps[0].intervals[0].per_op[0].tally.errors.insert(84, 12);
        let findings = vec!["/data at byte 4096: expected a header, found only zeros".to_owned()];
        let end = record.steps[0].end.as_mut().expect("it ended");
        end.verified = Verified { blocks: 900, wrong: 12, findings };
        let caveats = found(&record);
        assert!(caveats.iter().all(|c| c.id != "io-errors"), "{caveats:?}");
        assert_eq!((caveats[0].id.as_str(), caveats[0].severity), ("wrong-data", Severity::Invalid));
        assert!(caveats[0].evidence.starts_with("12 of 900 blocks"), "{}", caveats[0].evidence);
        assert!(caveats[0].evidence.ends_with("found only zeros") && caveats[0].statement.contains("data is wrong"));
        record.steps[0].end.as_mut().expect("it ended").verified.blocks = 12;
        assert!(found(&record)[0].statement.contains("no block has"));
        // Next to a job that writes to the same place, wrong data proves nothing about the storage; next to one that
        // writes elsewhere, it does.
        let mut other = record.steps[0].clone();
        other.job.name = "other".to_owned();
        other.job.workload.mix.write_percent = 100;
        record.steps.push(other);
        let caveat = &found(&record)[0];
        assert!(
            caveat.statement.contains("another job may have overwritten")
                && caveat.evidence.contains("; other wrote to the same")
        );
        assert!(!caveat.remedy.contains("storage"), "{}", caveat.remedy);
        let end = record.steps[0].job.target.size;
        record.steps[1].job.target.offset = end;
        assert!(found(&record)[0].statement.contains("no block has"));
        record.steps[1].job.target.offset = Bytes(0);
        record.steps[1].start = record.steps[0].end.as_ref().expect("it ended").at;
        assert!(found(&record)[0].statement.contains("no block has"), "one after the other");
    }

    #[test]
    fn a_step_without_an_operation_is_a_failure() {
        assert_eq!(ids(&record_of(Run::at(32, 0.0))), ["no-io"]);
        let mut record = record_of(Run::at(32, 100.0));
        record.steps[0].intervals.clear();
        assert_eq!(ids(&record), ["no-io"]);
    }

    #[test]
    fn a_file_smaller_than_twice_the_memory_is_noted() {
        let small = |direct| {
            let mut rig = Rig::new();
            rig.target().size = Bytes::from_gib(1);
            rig.target().direct = direct;
            let stage = rig.stage("r", StageRole::Fixed, randread(8192));
            rig.step(stage, Run::at(32, 6000.0));
            found(&rig.record())
        };
        assert_eq!((small(true)[0].id.as_str(), small(true)[0].severity), ("small-working-set", Severity::Note));
        assert_eq!(small(false)[0].severity, Severity::Doubt);
        assert_eq!(small(true)[0].remedy, "use --size 8g or more");
        // Twice 23.54 GiB: no user types 49368184k.
        let mut rig = Rig::new();
        rig.target().size = Bytes::from_gib(2);
        rig.preflight().host.memory = Bytes::from_kib(24_684_092);
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(32, 6000.0));
        let mut record = rig.record();
        assert_eq!(found(&record)[0].remedy, "use --size 48g or more");
        record.plan.kind = RunKind::JobFile { sections: vec![model::plan::Section::default()] };
        assert_eq!(found(&record)[0].remedy, "use size=48g or more", "in the words of the job file");
    }

    #[test]
    fn writes_below_the_physical_block_are_noted() {
        let mut rig = Rig::new();
        let stage = rig.stage("w", StageRole::Fixed, Workload::new(Mix::WRITE, Bytes(512), Access::RANDOM));
        rig.step(stage, Run::at(1, 1000.0));
        assert_eq!(ids(&rig.record()), ["read-modify-write"]);
    }

    #[test]
    fn a_tail_below_the_machines_own_noise_is_noted() {
        let mut rig = Rig::new();
        rig.preflight().timer.gap_p999 = Nanos::from_millis(40);
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(8, 6000.0));
        assert_eq!(ids(&rig.record()), ["scheduling-noise"]);
    }

    #[test]
    fn an_open_loop_that_falls_behind_is_doubted() {
        let mut rig = Rig::new();
        let mut workload = randread(8192);
        workload.pacing = Pacing::Fixed(Iops(1000.0));
        let stage = rig.stage("r", StageRole::Fixed, workload);
        rig.step(stage, Run::at(32, 900.0));
        assert_eq!(ids(&rig.record()), ["rate-not-sustained", "unsent"]);
    }

    #[test]
    fn the_worst_of_several_steps_is_shown_first() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        for depth in [1, 2, 4, 8] {
            rig.step(stage, Run::at(depth, 6000.0));
        }
        let mut record = rig.record();
        for (step, kept) in record.steps.iter_mut().zip([0.9, 0.05, 0.5, 0.97]) {
            step.job.target.direct = false;
            let a = step.accounting.as_mut().expect("counted");
            let charged = |v: Option<u64>| v.map(|b| (b as f64 * kept) as u64);
            (a.process_read, a.cgroup_read) = (charged(a.process_read), charged(a.cgroup_read));
        }
        let steps: Vec<_> =
            found(&record).into_iter().filter(|c| c.id == "served-from-cache").map(|c| c.step).collect();
        assert_eq!(steps, [Some(1), Some(2), Some(0), Some(3)]);
    }

    #[test]
    fn what_makes_a_whole_run_invalid_strikes_every_level() {
        let struck = |caveat: Caveat, workload: Workload| {
            let mut rig = Rig::new();
            let stage = rig.stage("r", StageRole::Fixed, workload);
            rig.step(stage, Run::at(8, 6000.0));
            let mut record = rig.record();
            record.caveats.push(caveat);
            let mut stages = crate::levels::figures::levels(&record);
            doubts(&record, &mut stages);
            stages[0][0].figures.struck.is_some()
        };
        let write = || Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM);
        let caveat = |id: &str, severity| Caveat::new(id, severity, "it is so", "seen");
        assert!(struck(caveat("suspended", Severity::Invalid), randread(8192)));
        assert!(!struck(caveat("clock-drift", Severity::Doubt), randread(8192)));
        assert!(struck(caveat("unwritten-extents", Severity::Invalid), randread(8192)));
        assert!(!struck(caveat("unwritten-extents", Severity::Invalid), write()), "writing is writing");
    }

    #[test]
    fn no_bucket_is_drawn_from_memory() {
        let mut record = record_of(Run::at(32, 314.0).seconds(10).first(50, 3029.0));
        record.preflight.storage.memory = Some("tmpfs keeps its files in memory".into());
        let caveats = found(&record);
        assert!(caveats.iter().all(|c| !c.evidence.contains("bucket")), "{caveats:?}");
        let judgement = crate::judge::judge(&record);
        assert!(judgement.findings.iter().all(|f| f.id != "burst-bucket"), "{:?}", judgement.findings);
    }

    #[test]
    fn a_recorded_caveat_strikes_the_level_of_its_step() {
        let mut record = record_of(Run::at(32, 6000.0));
        record.caveats.push(Caveat::new("suspended", Severity::Invalid, "the machine slept", "61 s").at_step(0));
        let mut stages = crate::levels::figures::levels(&record);
        doubts(&record, &mut stages);
        assert_eq!(stages[0][0].figures.caveats, ["suspended"]);
        assert!(!stages[0][0].sound());
    }

    #[test]
    fn the_chance_of_arrivals_is_no_rate_missed() {
        let ids_at = |pacing: Pacing, rate: f64| {
            let mut rig = Rig::new();
            let mut workload = randread(8192);
            workload.pacing = pacing;
            let stage = rig.stage("r", StageRole::Fixed, workload);
            rig.step(stage, Run::at(32, rate));
            ids(&rig.record())
        };
        // 4 s at 100 per second: 400 ± 20 arrivals of a Poisson process; 400 ± 1 with fixed intervals.
        assert!(ids_at(Pacing::Poisson(Iops(100.0)), 96.0).is_empty());
        assert_eq!(ids_at(Pacing::Poisson(Iops(100.0)), 80.0), ["rate-not-sustained", "unsent"]);
        assert_eq!(ids_at(Pacing::Poisson(Iops(10_000.0)), 9600.0), ["rate-not-sustained", "unsent"]);
        assert!(ids_at(Pacing::Fixed(Iops(10.0)), 9.75).is_empty());
        assert_eq!(ids_at(Pacing::Fixed(Iops(1000.0)), 985.0), ["rate-not-sustained", "unsent"]);
    }

    #[test]
    fn what_was_due_and_not_sent_is_counted() {
        let caveat_of = |pacing: Pacing, submitted: u64| {
            let mut rig = Rig::new();
            let mut workload = randread(8192);
            workload.pacing = pacing;
            let stage = rig.stage("r", StageRole::Fixed, workload);
            rig.step(stage, Run::at(32, 1000.0));
            let mut record = rig.record();
            let step = &mut record.steps[0];
            step.start = step.intervals[0].start;
            let end = step.end.as_mut().expect("it ended");
            (end.submitted, end.stop) = (submitted, StepStop::Time);
            found(&record).into_iter().find(|c| c.id == "unsent").map(|c| c.evidence)
        };
        let told_of = |left: u64| caveat_of(Pacing::Fixed(Iops(1000.0)), 4000 - left);
        assert_eq!(told_of(0), None);
        assert_eq!(told_of(3), None);
        let evidence = told_of(1600).expect("told");
        assert_eq!(
            evidence,
            "about 1,600 of 4,000 due operations were not submitted; the oldest had waited for 1.60 s"
        );
        assert_eq!(caveat_of(Pacing::Poisson(Iops(1000.0)), 3800), None, "by chance");
        assert!(caveat_of(Pacing::Poisson(Iops(1000.0)), 3500).is_some());
        assert_eq!(caveat_of(Pacing::Closed, 100), None);
    }

    #[test]
    fn changes_of_level_are_told_with_the_greatest_first() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        for (depth, before) in [(1, 1500.0), (2, 8000.0), (4, 2500.0)] {
            rig.step(stage, Run::at(depth, 1000.0).seconds(10).first(50, before));
        }
        let steps: Vec<_> =
            found(&rig.record()).into_iter().filter(|c| c.id == "two-regimes").map(|c| c.step).collect();
        assert_eq!(steps, [Some(1), Some(2), Some(0)]);
    }

    #[test]
    fn the_null_engine_has_no_working_set() {
        let mut rig = Rig::new();
        rig.target().kind = model::plan::TargetKind::Null;
        rig.target().size = Bytes::from_gib(1);
        let stage = rig.stage("n", StageRole::Fixed, randread(8192));
        rig.step(stage, Run { cpu_per_op: 0.0, ..Run::at(32, 6000.0) });
        assert!(ids(&rig.record()).is_empty());
    }
}
