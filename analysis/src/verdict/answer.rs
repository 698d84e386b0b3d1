//! The answer, at most a sentence for each question: was the purchased performance delivered, are the needs met, what
//! binds, and what is the next step.

use super::measured::MeasuredPattern;
use crate::levels::figures::Level;
use crate::limits::burst;
use crate::limits::caps::{self, Cap};
use crate::validity::cache;
use crate::validity::caveats::FILE_SYSTEM_FULL;
use crate::validity::cpu::starved;
use crate::verdict::binding::{Bound, Why};
use crate::verdict::findings::BEYOND;
use crate::verdict::needs;
use crate::verdict::sentences::{Leading, Rest, contradiction, leading, trouble};
use messages::sentence;
use model::bounds::{Bound as NeedBound, Need};
use model::judged::{
    AnswerLine, AnswerStanding, AnswerSubject, BindingKind, NeedResult, Outcome, PatternJudgement, RunAnswer,
};
use model::plan::{StageRole, Thoroughness};
use model::{Bytes, Caveat, CompactSort, Iops, RunRecord, RunState, Sentence, Severity};

/// Maximum number of delivered rows that are listed.
const MOST_ROWS: usize = 2;
/// Maximum depth of a ramp.
const DEEPEST: u32 = 4096;

/// Input of an answer.
pub(crate) struct Asked<'a> {
    pub record: &'a RunRecord,
    pub stages: &'a [Vec<Level<'a>>],
    pub measured: &'a [MeasuredPattern],
    pub bounds: &'a [Bound],
    pub patterns: &'a [PatternJudgement],
    pub needs: &'a [NeedResult],
    pub caveats: &'a [Caveat],
}

/// Returns the answer of a run of workloads.
pub(crate) fn answer(of: &Asked) -> RunAnswer {
    if of.record.ping().is_some() {
        return of_ping(of);
    }
    let lead = leading(of.patterns, of.bounds);
    let tested = tested(of);
    let lines = [bought(of, &tested), needs_line(of.needs), binds(of, lead.as_ref()), next(of, &tested, lead.as_ref())];
    RunAnswer::from_lines(lines.into_iter().flatten())
}

/// Returns the answer of a ping: its result is the response times, and single requests at fixed intervals show no
/// limit.
fn of_ping(of: &Asked) -> RunAnswer {
    let invalid = trouble(of.record, of.caveats).and_then(|_| binds(of, None));
    RunAnswer::from_lines([needs_line(of.needs), invalid, remedy(of.caveats, Severity::Invalid)].into_iter().flatten())
}

/// Binding limit of a database run, as far as its devices show it.
pub(crate) enum DatabaseBinding {
    /// An exhausted limit: its name with its axis, and the sentence with figures.
    Limit { name: Sentence, statement: Sentence },
    /// An undeclared throttle, recognised by its pauses.
    Suspected { statement: Sentence },
}

/// Returns the answer of a database run: its needs, a limit that its devices contradict, what binds, and the next step.
/// No limit applies to a logical rate.
pub(crate) fn of_database(
    record: &RunRecord,
    needs: &[NeedResult],
    caveats: &[Caveat],
    binding: Option<DatabaseBinding>,
) -> RunAnswer {
    let line = |subject, id, standing, said| AnswerLine::new(subject, id, standing, said);
    let undecided = AnswerStanding::Undecided;
    let bought = contradiction(caveats).map(|beyond| line(AnswerSubject::Bought, "more", undecided, beyond.clone()));
    // A detected cap also matters to a run without needs and limits.
    let raises =
        needs.iter().any(|n| n.outcome == Outcome::Fail) || (needs.is_empty() && record.plan.limits.is_empty());
    let (binds, for_it) = match (trouble(record, caveats), binding) {
        (Some(trouble), _) => (Some(line(AnswerSubject::Binds, "not-valid", undecided, trouble.what)), None),
        (None, Some(DatabaseBinding::Limit { name, statement })) => (
            Some(line(AnswerSubject::Binds, "limit", AnswerStanding::NotAsked, statement)),
            raises.then(|| step("raise", sentence!("db-do-raise", limit = name))).flatten(),
        ),
        (None, Some(DatabaseBinding::Suspected { statement })) => (
            Some(line(AnswerSubject::Binds, "unnamed-cap", AnswerStanding::NotAsked, statement)),
            step("cap", sentence!("db-do-find-cap")),
        ),
        (None, None) => (None, None),
    };
    let unfinished = || match record.state {
        RunState::Failed => step("log", sentence!("db-operations-failed-remedy")),
        RunState::Hung => step("device", sentence!("do-device")),
        RunState::Damaged | RunState::Stopped | RunState::Interrupted => step("again", sentence!("do-again")),
        RunState::Running | RunState::Complete => None,
    };
    let next = remedy(caveats, Severity::Invalid).or_else(unfinished).or(for_it).or_else(|| {
        let command = needs.iter().find(|n| n.outcome == Outcome::Undecided).and_then(needs::measured_by);
        command.and_then(|command| step("measure", sentence!("do-measure", command)))
    });
    RunAnswer::from_lines([bought, needs_line(needs), binds, next].into_iter().flatten())
}

// --- the purchased performance ----------------------------------------------------------------------------------

/// Result of comparing a level with the tightest purchased limit.
#[derive(Debug, Clone, PartialEq)]
enum Delivery {
    /// The level reached the limit.
    Reached,
    /// More concurrency does not raise the rate, and neither secchi nor another known limit is the reason.
    Less,
    /// Another limit is tighter.
    HeldBy {
        /// Name of the limit.
        name: String,
        /// True if the limit is that of a control group, which can be raised on this machine.
        cgroup: bool,
    },
    /// The run did not show whether the limit is reached, for this reason.
    NotShown(Sentence),
}

/// A workload's level compared with the tightest purchased limit.
struct Tested<'a> {
    label: String,
    cap: Cap<'a>,
    /// Text such as `5,998 of 6,000 (100 %)`.
    measured: Sentence,
    used: f64,
    kind: BindingKind,
    delivery: Delivery,
}

fn tested<'a>(of: &'a Asked) -> Vec<Tested<'a>> {
    let role = |body: &MeasuredPattern| of.record.plan.stages[body.stage].role;
    let probes_only = of.measured.iter().all(|b| role(b) == StageRole::Probe);
    let mut tested: Vec<(bool, Tested)> = of
        .measured
        .iter()
        .zip(of.bounds)
        .filter_map(|(body, bound)| {
            let level = of.stages[body.stage].get(body.chosen?).filter(|l| l.sound() && !cache::from_cache(l))?;
            let span = caps::span(level);
            // Sequential neighbours that are counted as one do not test a cap on operations.
            let untested = |c: &Cap| c.merged.is_some() && caps::above(span, c.allows);
            let bought = |c: &Cap| !c.is_cgroup() && c.burst.is_none() && !untested(c);
            let caps = caps::caps(of.record, level);
            let cap = caps.iter().find(|cap| bought(cap))?.clone();
            let on_credits = burst::on_burst(of.record, level).is_some();
            let asked = probes_only || role(body) != StageRole::Probe;
            let one = Tested {
                label: level.job.workload.label(),
                measured: cap.measured(level),
                used: level.rate() / cap.allows,
                kind: bound.binding.kind,
                delivery: if on_credits {
                    Delivery::NotShown(sentence!("why-burst"))
                } else {
                    delivery(level, body, bound, (&cap, &caps))
                },
                cap,
            };
            Some((asked, one))
        })
        .collect();
    let reached = |t: &Tested| t.delivery == Delivery::Reached;
    let rows: Vec<String> = tested.iter().filter(|(_, t)| reached(t)).map(|(_, t)| t.cap.name.clone()).collect();
    // A probe can show that the limit is reached, but not that it is missed. The same applies to a workload that the
    // device may have held back, if another workload reached the row.
    let excused = |t: &Tested| t.kind == BindingKind::CapOrDevice && rows.contains(&t.cap.name);
    tested.retain(|(asked, t)| reached(t) || *asked && !excused(t));
    tested.into_iter().map(|(_, t)| t).collect()
}

/// Compares a level with a limit, one of `caps`.
fn delivery(level: &Level, body: &MeasuredPattern, bound: &Bound, (cap, caps): (&Cap, &[Cap])) -> Delivery {
    let span = caps::span(level);
    if caps::at(span, cap.allows) || caps::promised(span, cap) || caps::above(span, cap.allows) {
        return Delivery::Reached;
    }
    match (bound.binding.kind, &bound.unclear) {
        // The storage enforces this very limit, but at less than the row's value.
        (BindingKind::LimitIops | BindingKind::LimitBandwidth, _) if bound.binding.names.contains(&cap.name) => {
            Delivery::Less
        }
        (BindingKind::LimitIops | BindingKind::LimitBandwidth, _) => {
            let names = &bound.binding.names;
            let cgroup = caps.iter().any(|c| c.is_cgroup() && names.contains(&c.name));
            Delivery::HeldBy { name: names.join(" = "), cgroup }
        }
        (BindingKind::Generator, _) => Delivery::NotShown(sentence!("why-cpu")),
        (BindingKind::Latency, _) => Delivery::NotShown(sentence!("why-few")),
        (BindingKind::Undecidable, _) => Delivery::NotShown(sentence!("why-undecidable")),
        _ if cache::disturbed(level) => Delivery::NotShown(sentence!("why-others")),
        (_, Some(unclear)) => match &unclear.why {
            why @ (Why::NotSaturated { .. } | Why::Noisy) => Delivery::NotShown(why.in_short()),
            why if !body.saturated => Delivery::NotShown(why.in_short()),
            _ => Delivery::Less,
        },
        _ if bound.no_rate => Delivery::NotShown(sentence!("why-no-level")),
        (BindingKind::Unknown, None) => Delivery::NotShown(sentence!("why-no-more")),
        _ => Delivery::Less,
    }
}

fn bought(of: &Asked, tested: &[Tested]) -> Option<AnswerLine> {
    let line = |id: &str, standing, said: Sentence| Some(AnswerLine::new(AnswerSubject::Bought, id, standing, said));
    if of.record.plan.limits.is_empty() {
        return None;
    }
    if of.caveats.iter().any(|c| c.id == BEYOND) {
        let most = tested.iter().max_by(|a, b| a.used.total_cmp(&b.used));
        let said = most.map_or_else(
            || sentence!("bought-more-somewhere"),
            |t| sentence!("bought-more", what = &t.label, measured = &t.measured, row = &t.cap.name),
        );
        return line("more", AnswerStanding::Undecided, said);
    }
    let least =
        |wanted: &dyn Fn(&Tested) -> bool| tested.iter().filter(|t| wanted(t)).min_by(|a, b| a.used.total_cmp(&b.used));
    if let Some(less) = least(&|t| t.delivery == Delivery::Less) {
        let said = sentence!("bought-less", what = &less.label, measured = &less.measured, row = &less.cap.name);
        return line("less", AnswerStanding::NotMet, said);
    }
    // One entry for each row name: the best one.
    let mut rows: Vec<&Tested> = Vec::new();
    for one in tested {
        match rows.iter_mut().find(|t| t.cap.name == one.cap.name) {
            None => rows.push(one),
            Some(known)
                if (one.delivery == Delivery::Reached, one.used)
                    > (known.delivery == Delivery::Reached, known.used) =>
            {
                *known = one;
            }
            Some(_) => {}
        }
    }
    let (reached, open): (Vec<&Tested>, Vec<&Tested>) = rows.into_iter().partition(|t| t.delivery == Delivery::Reached);
    let row = |t: &&Tested| sentence!("bought-row", measured = &t.measured, row = &t.cap.name);
    let shown = reached.iter().take(MOST_ROWS).map(row);
    let shown = shown.reduce(|first, second| sentence!("bought-rows", first, second)).unwrap_or_default();
    let reason_of = |t: &Tested| match &t.delivery {
        Delivery::HeldBy { name, .. } => sentence!("why-lower", name),
        Delivery::NotShown(why) => why.clone(),
        Delivery::Reached | Delivery::Less => Sentence::default(),
    };
    match (reached.is_empty(), open.first()) {
        (false, None) => line("delivered", AnswerStanding::Met, sentence!("bought-delivered", shown)),
        (false, Some(t)) => {
            let said = sentence!("bought-in-part", shown, row = &t.cap.name, why = reason_of(t));
            line("in-part", AnswerStanding::Undecided, said)
        }
        (true, Some(t)) => {
            let (what, measured, row) = (&t.label, &t.measured, &t.cap.name);
            let said = sentence!("bought-not-shown", what, measured, row, why = reason_of(t));
            line("not-shown", AnswerStanding::Undecided, said)
        }
        (true, None) => line("not-tested", AnswerStanding::Undecided, sentence!("bought-not-tested")),
    }
}

// --- needs ------------------------------------------------------------------------------------------------------

/// Returns the line about the needs; `None` without any.
pub(crate) fn needs_line(needs: &[NeedResult]) -> Option<AnswerLine> {
    let having = |o: Outcome| needs.iter().filter(move |n| n.outcome == o);
    let total = needs.len();
    // The first clause with the outcome of the need.
    let figure = |n: &NeedResult| {
        let clause = n.clauses.iter().find(|c| c.outcome == n.outcome)?;
        Some(sentence!("need-figure", metric = clause.clause.metric.to_string(), measured = &clause.measured))
    };
    let line = |id: &str, standing, n: usize, first: &NeedResult, what: Option<Sentence>| {
        let need = Sentence::from(format!("`{}`", model::clip(&first.text)));
        let need = match what {
            Some(figure) => sentence!("need-and-figure", need, figure),
            None => need,
        };
        let said = match (total, id) {
            (1, "met") => sentence!("needs-met", need),
            (1, "not-met") => sentence!("needs-not-met", need),
            (1, _) => sentence!("needs-undecided", need),
            (_, "met") => sentence!("needs-some-met", all = total, need),
            (_, "not-met") => sentence!("needs-some-not-met", n, all = total, need),
            _ => sentence!("needs-some-undecided", n, all = total, need),
        };
        Some(AnswerLine::new(AnswerSubject::Needs, id, standing, said))
    };
    if let Some(first) = having(Outcome::Fail).next() {
        return line("not-met", AnswerStanding::NotMet, having(Outcome::Fail).count(), first, figure(first));
    }
    if let Some(first) = having(Outcome::Undecided).next() {
        let reason = (!first.why.is_empty()).then(|| first.why.clone());
        return line("undecided", AnswerStanding::Undecided, having(Outcome::Undecided).count(), first, reason);
    }
    let with_remark = |first: &NeedResult| {
        let remark = (!first.why.is_empty()).then(|| first.why.clone());
        let parts: Vec<Sentence> = figure(first).into_iter().chain(remark).collect();
        (!parts.is_empty()).then(|| Sentence::join(parts, "; "))
    };
    needs.first().and_then(|first| line("met", AnswerStanding::Met, total, first, with_remark(first)))
}

// --- what binds -------------------------------------------------------------------------------------------------

fn binds(of: &Asked, lead: Option<&Leading>) -> Option<AnswerLine> {
    let line = |id: &str, standing, said: Sentence| Some(AnswerLine::new(AnswerSubject::Binds, id, standing, said));
    match (trouble(of.record, of.caveats), lead) {
        (Some(trouble), Some(lead)) if trouble.rest != Rest::Same => {
            line("partial", AnswerStanding::Undecided, trouble.before(lead.text.clone()))
        }
        (Some(trouble), _) => {
            let id = if trouble.rest == Rest::Same { "not-valid" } else { "partial" };
            line(id, AnswerStanding::Undecided, trouble.what)
        }
        (None, Some(lead)) => {
            let id = match lead.bound.binding.kind {
                BindingKind::Latency => "latency",
                BindingKind::LimitIops | BindingKind::LimitBandwidth => "limit",
                BindingKind::IopsCap | BindingKind::BandwidthCap | BindingKind::Cap => "unnamed-cap",
                BindingKind::Generator => "generator",
                BindingKind::Device => "device",
                BindingKind::CapOrDevice => "cap-or-device",
                BindingKind::VirtualDisk => "virtual-disk",
                BindingKind::Undecidable => "undecidable",
                BindingKind::Unknown => "unknown",
            };
            line(id, AnswerStanding::NotAsked, lead.text.clone())
        }
        (None, None) => line("nothing", AnswerStanding::Undecided, sentence!("nothing-measured")),
    }
}

// --- what to do -------------------------------------------------------------------------------------------------

/// Creates the line for a next step.
fn step(id: &str, said: Sentence) -> Option<AnswerLine> {
    Some(AnswerLine::new(AnswerSubject::Do, id, AnswerStanding::NotAsked, said))
}

fn next(of: &Asked, tested: &[Tested], lead: Option<&Leading>) -> Option<AnswerLine> {
    // The device did not fail in this case.
    if let Some(full) = of.caveats.iter().find(|c| c.id == FILE_SYSTEM_FULL) {
        return step(&full.id, full.remedy.clone());
    }
    match of.record.state {
        RunState::Hung | RunState::Failed => {
            return step("device", sentence!("do-device"));
        }
        RunState::Damaged | RunState::Stopped | RunState::Interrupted => {
            return step("again", sentence!("do-again"));
        }
        RunState::Running => return step("wait", sentence!("do-wait")),
        RunState::Complete => {}
    }
    let failed = of.needs.iter().position(|n| n.outcome == Outcome::Fail);
    let undecided = of.needs.iter().find(|n| n.outcome == Outcome::Undecided);
    let met = failed.is_none()
        && undecided.is_none()
        && tested.iter().all(|t| t.delivery == Delivery::Reached)
        && !(of.needs.is_empty() && tested.is_empty());
    // Needs that were met despite other load need not be measured without it.
    let matters = |c: &&Caveat| !met || ![cache::FOREIGN_LOAD, starved::ID].contains(&c.id.as_str());
    remedy(of.caveats, Severity::Invalid)
        .or_else(|| remedy(of.caveats.iter().filter(|c| c.id == BEYOND), Severity::Doubt))
        .or_else(|| failed.and_then(|i| for_need(of, i)))
        .or_else(|| {
            let command = undecided.and_then(needs::measured_by);
            command.and_then(|command| step("measure", sentence!("do-measure", command)))
        })
        .or_else(|| for_bought(tested))
        .or_else(|| lead.and_then(|l| for_limit(of, l)))
        .or_else(|| remedy(of.caveats.iter().filter(matters), Severity::Doubt))
        .or_else(|| {
            let nothing = of.record.plan.limits.is_empty() && of.needs.is_empty();
            if nothing { ask(of.record) } else { None }
        })
}

/// Suggests how to get a verdict for a run without needs or limits.
fn ask(record: &RunRecord) -> Option<AnswerLine> {
    let short: String = record.id.chars().take(8).collect();
    let said = match record.plan.kind.is_qualification() {
        true => sentence!("do-ask"),
        false => sentence!("do-judge", command = format!("secchi judge {short} --limit ... --need ...")),
    };
    step("ask", said)
}

/// Returns the remedy of the most severe doubt of a severity.
fn remedy<'c>(caveats: impl IntoIterator<Item = &'c Caveat>, severity: Severity) -> Option<AnswerLine> {
    let gravest = caveats.into_iter().find(|c| c.severity == severity && !c.remedy.is_empty())?;
    Some(AnswerLine::new(AnswerSubject::Do, &gravest.id, AnswerStanding::NotAsked, gravest.remedy.clone()))
}

/// Returns the step that would meet a failed need.
fn for_need(of: &Asked, index: usize) -> Option<AnswerLine> {
    let need: &Need = of.record.plan.needs.get(index)?;
    let failed = of.needs[index].clauses.iter().find(|c| c.outcome == Outcome::Fail)?;
    let of_it =
        |(body, _): &(&MeasuredPattern, &Bound)| needs::matches(need, &of.record.plan.stages[body.stage].job.workload);
    let ramp = |(body, _): &(&MeasuredPattern, &Bound)| of.record.plan.stages[body.stage].role == StageRole::Ramp;
    let mut judged: Vec<(&MeasuredPattern, &Bound)> = of.measured.iter().zip(of.bounds).filter(of_it).collect();
    judged.compact_sort_by_key(|one| !ramp(one));
    let (body, bound) = judged.first()?;
    let wanted = match failed.clause.bound {
        NeedBound::Iops(v) => (v.per_second(), format!("{v} IOPS")),
        NeedBound::Bandwidth(v) => (v.per_second() / need.blocks()?.block.as_u64() as f64, v.to_string()),
        NeedBound::Latency(most) => {
            let alone = body.l0?;
            return if alone > most {
                step("faster", sentence!("do-faster-storage", alone, most))
            } else {
                step("fewer", sentence!("do-fewer", alone))
            };
        }
    };
    let ((rate, wanted), figure) = (wanted, &bound.figure);
    match bound.binding.kind {
        BindingKind::LimitIops
        | BindingKind::LimitBandwidth
        | BindingKind::IopsCap
        | BindingKind::BandwidthCap
        | BindingKind::Cap => match body.chosen.and_then(|i| burst::on_burst(of.record, &of.stages[body.stage][i])) {
            Some(on) => step(
                "raise",
                sentence!("do-raise-baseline", limit = on.cap.name, wanted, baseline = Iops(on.cap.allows)),
            ),
            None => step("raise", sentence!("do-raise", limit = bound.binding.in_short(), wanted, figure)),
        },
        BindingKind::Latency => {
            let cycle = body.cycle?;
            let n = (rate * cycle.secs()).ceil().to_string();
            step("deeper", sentence!("do-keep", n, wanted, cycle))
        }
        BindingKind::Device | BindingKind::VirtualDisk => step("faster", sentence!("do-faster-device", wanted, figure)),
        BindingKind::Generator | BindingKind::CapOrDevice | BindingKind::Undecidable | BindingKind::Unknown => None,
    }
}

/// Returns the next step if less was delivered than purchased, or if the run did not show all of it.
fn for_bought(tested: &[Tested]) -> Option<AnswerLine> {
    let least = tested.iter().filter(|t| t.delivery == Delivery::Less).min_by(|a, b| a.used.total_cmp(&b.used));
    if let Some(less) = least {
        return match less.kind {
            BindingKind::IopsCap | BindingKind::BandwidthCap | BindingKind::Cap => {
                step("find-cap", sentence!("do-find-cap"))
            }
            _ => step("seller", sentence!("do-seller", row = &less.cap.name)),
        };
    }
    let held = tested.iter().find_map(|t| match &t.delivery {
        Delivery::HeldBy { name, cgroup: true } => Some((name, &t.cap.name)),
        _ => None,
    });
    held.and_then(|(name, row)| step("lift", sentence!("do-lift", name, row)))
}

/// Returns the step that would identify a limit that is not known yet.
fn for_limit(of: &Asked, lead: &Leading) -> Option<AnswerLine> {
    if !of.record.plan.kind.is_qualification() {
        return None;
    }
    if lead.bound.binding.kind == BindingKind::CapOrDevice {
        let size = lead.pattern.mean_size;
        let sizes = [size / 2, size, Bytes(size.as_u64().saturating_mul(2))].map(|size| size.short()).join(",");
        return step("another-size", sentence!("do-another-size", option = format!("--bs {sizes}")));
    }
    let longer = match of.record.plan.time {
        Thoroughness::Quick => "--effort standard",
        Thoroughness::Standard => "--effort thorough",
        Thoroughness::Thorough => return step("quiet", sentence!("do-quiet")),
    };
    let deeper = |deepest: u32| {
        let depth = deepest.saturating_mul(4).min(DEEPEST);
        let said = || sentence!("do-deeper", option = format!("--max-depth {depth}"));
        (depth > deepest).then(|| step("deeper", said()))?
    };
    match (&lead.bound.unclear, lead.bound.binding.kind) {
        (Some(unclear), _) => match &unclear.why {
            Why::NotSaturated { deepest } => deeper(*deepest),
            Why::Noisy | Why::Brief { .. } => step("longer", sentence!("do-longer", option = longer)),
            Why::NothingKnown(_) => None,
        },
        (None, BindingKind::Latency) => {
            deeper(lead.pattern.levels.iter().map(model::judged::LevelFigures::concurrency).max()?)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judge;
    use crate::testkit::{Rig, Run, Storage, randread};
    use model::{Judgement, Op, judged::MOST_WORDS, plan::Workload};

    /// Judges a ramp at 8k with accompanying sweeps, as secchi runs them.
    fn run(storage: &Storage, needs: &[&str], prepare: impl FnOnce(&mut Rig)) -> Judgement {
        let mut rig = Rig::new();
        prepare(&mut rig);
        let ramp = rig.ramp(randread(8 << 10), storage);
        for k in [4, 64] {
            rig.sweep(randread(k << 10), ramp, 32, storage);
        }
        let mut record = rig.record();
        record.plan.needs = needs.iter().map(|n| n.parse().expect("a need")).collect();
        judge(&record)
    }

    fn throttled() -> Storage {
        Storage::capped(0.0004, 6000.0, 93_750_000.0)
    }

    /// Returns the lines with their labels.
    fn answer_lines(judgement: &Judgement) -> Vec<String> {
        for line in &judgement.answer.lines {
            let words = line.text.split_whitespace().count();
            assert!(words <= MOST_WORDS && !line.text.contains(['\n', '…']), "{words} words: {}", line.text);
        }
        judgement.answer.lines.iter().map(|l| format!("{} {}", l.subject.label(), l.text)).collect()
    }

    fn standing(judgement: &Judgement) -> AnswerStanding {
        judgement.answer.standing
    }

    #[test]
    fn what_is_said_of_a_run_is_in_the_language_of_the_reader() {
        let needs = ["8k randread: iops>=9000", "16k randwrite: iops>=10"];
        let judgement = run(&throttled(), &needs, |rig| rig.declare("volume iops=6000 mbps=93.75MB"));
        let answers = judgement.answer.lines.iter().map(|l| &l.text);
        let bindings = judgement.patterns.iter().map(|p| &p.binding.statement);
        let findings = judgement.findings.iter().map(|f| &f.statement);
        let needs = judgement.needs.iter().map(|n| &n.why);
        let said = answers.chain(bindings).chain(findings).chain(needs).chain([&judgement.verdict]);
        for sentence in said.filter(|s| !s.is_empty()) {
            for language in messages::Language::ALL.into_iter().filter(|l| *l != messages::Language::English) {
                let read = messages::translate(language, sentence);
                let english =
                    ["the ", " is ", " not ", "needed", "delivered", "measured"].iter().any(|w| read.contains(w));
                assert!(!english && read != sentence.as_str(), "{}: {read}", language.code());
            }
        }
    }

    #[test]
    fn where_nothing_was_asked_what_binds_is_told_and_how_to_ask() {
        let judgement = run(&throttled(), &[], |rig| rig.cgroup(Op::Read, Some(6000.0), Some(93_750_000.0)));
        let lines = answer_lines(&judgement);
        assert!(lines[0].starts_with("BINDS cgroup read IOPS, for 4k, 8k randread: 8k at "), "{lines:?}");
        assert!(lines[0].ends_with(" of 6,000 (100 %); 1 other workload differs"), "{lines:?}");
        assert_eq!(lines[1], "DO specify what was bought (--limit, --volume) or needed (--need) to get a verdict");
        assert_eq!((lines.len(), standing(&judgement)), (2, AnswerStanding::NotAsked));
    }

    #[test]
    fn what_was_bought_is_delivered_where_each_row_that_is_the_tightest_somewhere_is_reached() {
        let judgement = run(&throttled(), &[], |rig| rig.declare("volume iops=6000 mbps=93.75MB"));
        let lines = answer_lines(&judgement);
        assert!(lines[0].starts_with("BOUGHT delivered: ") && lines[0].contains("volume IOPS; "), "{lines:?}");
        assert!(lines[0].ends_with("volume bandwidth"), "{lines:?}");
        assert_eq!(standing(&judgement), AnswerStanding::Met);
        assert!(judgement.answer.line(AnswerSubject::Do).is_none(), "{lines:?}");
    }

    #[test]
    fn what_was_met_beside_others_need_not_be_repeated_without_them() {
        let storage = throttled();
        for (wanted, repeat) in [("5000", false), ("", true)] {
            let mut rig = Rig::new();
            rig.ramp(randread(8 << 10), &storage);
            let mut record = rig.record();
            // Other commands than `qualify` do not accept additional sizes.
            record.plan.kind = model::RunKind::Replay;
            record.plan.needs = match wanted {
                "" => Vec::new(),
                iops => vec![format!("8k randread: iops>={iops}").parse().expect("a need")],
            };
            for a in record.steps.iter_mut().filter_map(|s| s.accounting.as_mut()) {
                a.device_read = a.device_read.map(|bytes| bytes + bytes / 5);
                a.device_ops = a.device_ops.map(|ops| ops + ops / 5);
            }
            let judgement = judge(&record);
            assert!(judgement.caveats.iter().any(|c| c.id == cache::FOREIGN_LOAD), "{:?}", judgement.caveats);
            let line = judgement.answer.line(AnswerSubject::Do);
            assert_eq!(line.is_some_and(|l| l.id == cache::FOREIGN_LOAD), repeat, "{line:?}");
        }
    }

    #[test]
    fn what_a_probe_reached_is_not_less_than_bought() {
        let judgement = |durable: f64| {
            let mut rig = Rig::new();
            rig.declare("volume write iops=8000");
            let plain = Workload::new(model::plan::Mix::WRITE, Bytes(8192), model::plan::Access::RANDOM);
            rig.ramp(plain.clone(), &Storage::capped(0.000_15, 7177.0, 1e12));
            let stage = rig.stage("d", StageRole::Probe, Workload { flush_every: Some(1), ..plain });
            rig.step(stage, Run::at(1, durable));
            judge(&rig.record())
        };
        let bought = |j: &Judgement| j.answer.line(AnswerSubject::Bought).map(|l| l.standing);
        assert_eq!(bought(&judgement(4000.0)), Some(AnswerStanding::Met), "4,000 writes and 4,000 flushes are the row");
        assert_eq!(bought(&judgement(2000.0)), Some(AnswerStanding::NotMet));
    }

    #[test]
    fn what_names_nothing_leads_only_alone() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        for (depth, rate) in [(1, 5000.0), (2, 9500.0), (4, 9900.0), (8, 10_000.0)] {
            rig.step(stage, Run::at(depth, rate));
        }
        rig.ramp(randread(64 << 10), &throttled());
        rig.declare("volume mbps=93.75MB");
        let mut record = rig.record();
        for a in record.steps[1..4].iter_mut().filter_map(|s| s.accounting.as_mut()) {
            a.device_write = Some(a.asked_read / 3);
        }
        let judgement = judge(&record);
        let text = judgement.answer.line(AnswerSubject::Binds).expect("it is said").text.to_string();
        assert!(text.starts_with("volume bandwidth, for 64k randread"), "{text}");
    }

    #[test]
    fn less_than_bought_is_told_with_figure_row_and_workload() {
        let judgement = run(&throttled(), &[], |rig| rig.declare("volume iops=8000 mbps=250MB"));
        let lines = answer_lines(&judgement);
        assert!(lines[0].starts_with("BOUGHT less than bought: 64k randread reached 93."), "{lines:?}");
        assert!(lines[0].contains(" of 250.0 MB/s (38 %), volume bandwidth"), "{lines:?}");
        assert_eq!(standing(&judgement), AnswerStanding::NotMet);
    }

    #[test]
    fn more_than_bought_means_that_the_row_is_wrong() {
        let judgement = run(&throttled(), &[], |rig| rig.declare("volume iops=800"));
        let lines = answer_lines(&judgement);
        assert!(
            lines[0].starts_with("BOUGHT more than bought: ") && lines[0].contains("the limit is wrong"),
            "{lines:?}"
        );
        assert_eq!((standing(&judgement), judgement.exit_code), (AnswerStanding::Undecided, 2));
    }

    #[test]
    fn what_burst_credits_carry_is_not_delivered() {
        let mut rig = Rig::new();
        let mut limit: model::Limit = "volume iops=300".parse().expect("a limit");
        let lasts = model::bounds::BurstLasts::Bucket { capacity: 5_400_000.0 };
        limit.burst_iops = Some(model::bounds::Burst { rate: 3000.0, lasts });
        rig.limits(vec![limit]);
        rig.ramp(randread(8 << 10), &Storage::capped(0.0004, 3000.0, 1e12));
        let judgement = judge(&rig.record());
        let lines = answer_lines(&judgement);
        assert!(
            lines[0].starts_with("BOUGHT not shown: ") && lines[0].ends_with("uses burst credits, which run out"),
            "{lines:?}"
        );
        assert_eq!(standing(&judgement), AnswerStanding::Undecided);
    }

    #[test]
    fn a_limit_of_our_own_control_group_shows_nothing_of_a_larger_one_that_was_bought() {
        let judgement = run(&throttled(), &[], |rig| {
            rig.cgroup(Op::Read, Some(6000.0), Some(93_750_000.0));
            rig.declare("volume iops=16000");
        });
        let lines = answer_lines(&judgement);
        assert!(lines[0].starts_with("BOUGHT not shown: "), "{lines:?}");
        assert!(lines[0].ends_with("is the lower limit"), "{lines:?}");
        assert!(lines.iter().any(|l| l.starts_with("DO raise cgroup read")), "{lines:?}");
        assert_eq!(standing(&judgement), AnswerStanding::Undecided);
    }

    #[test]
    fn a_ramp_that_still_rises_shows_nothing_and_says_how_to_go_on() {
        let mut rig = Rig::new();
        rig.declare("volume iops=60000");
        let stage = rig.stage("8k randread", StageRole::Ramp, randread(8 << 10));
        for n in [1, 2, 4] {
            rig.step(stage, Run::at(n, 2000.0 * f64::from(n).powf(0.8)));
        }
        let record = rig.record();
        let judgement = judge(&record);
        let lines = answer_lines(&judgement);
        assert!(lines[0].starts_with("BOUGHT not shown: 8k randread reached "), "{lines:?}");
        assert!(
            lines.iter().any(|l| l.starts_with("DO increase the depth until the rate stops rising: --max-depth 16")),
            "{lines:?}"
        );
    }

    #[test]
    fn a_need_that_is_not_met_comes_with_its_figure_and_what_would_meet_it() {
        let declared = |rig: &mut Rig| rig.declare("volume iops=6000 mbps=93.75MB");
        let judgement = run(&throttled(), &["8k randread: iops>=9000", "8k randread: p99<=1s"], declared);
        let lines = answer_lines(&judgement);
        let first = "NEEDS 1 of 2 not met; the first: `8k randread: iops>=9000`: iops is ";
        assert!(lines[1].starts_with(first), "{lines:?}");
        assert!(lines[3].starts_with("DO raise volume IOPS: 9,000 IOPS are needed, but it delivered "), "{lines:?}");
        assert_eq!((standing(&judgement), judgement.exit_code), (AnswerStanding::NotMet, 1));
        let met = run(&throttled(), &["8k randread: iops>=5000"], declared);
        assert_eq!((standing(&met), met.exit_code), (AnswerStanding::Met, 0));
        assert!(self::answer_lines(&met)[1].starts_with("NEEDS met `8k randread: iops>=5000`: iops is "), "{met:?}");
    }

    #[test]
    fn a_need_on_what_was_not_run_says_the_command_that_measures_it() {
        let judgement = run(&throttled(), &["16k randwrite: iops>=10"], |_| ());
        let lines = answer_lines(&judgement);
        assert!(lines[0].starts_with("NEEDS undecided `16k randwrite: iops>=10`: the run did not "), "{lines:?}");
        assert!(lines.iter().any(|l| l.starts_with("DO measure what is missing: secchi qualify ")), "{lines:?}");
    }

    #[test]
    fn a_ping_is_asked_for_times_and_names_no_limit() {
        let ping = |prepare: fn(&mut Rig)| {
            let mut rig = Rig::new();
            prepare(&mut rig);
            let stage = rig.stage("ping", StageRole::Fixed, randread(4 << 10));
            rig.step(stage, Run::at(1, 52.6));
            let mut record = rig.record();
            let mut total = model::record::PingStats::begin(model::Nanos(0));
            (1..=20).for_each(|n| total.add(model::Nanos(n * 100_000), model::record::Standing::Counts));
            let pinged = model::record::Pinged { total, ..model::record::Pinged::default() };
            record.results = Some(model::record::Results::Ping(Box::new(pinged)));
            judge(&record)
        };
        let quiet = ping(|_| ());
        assert!(quiet.answer.lines.is_empty(), "{:?}", quiet.answer);
        assert_eq!(quiet.verdict, "20 requests: mean 1.05 ms, max 2.00 ms");
        assert!(quiet.caveats.iter().all(|c| !c.remedy.contains("--size")), "{:?}", quiet.caveats);
        let at_limit = ping(|rig| rig.declare("volume iops=53"));
        assert!(at_limit.answer.lines.is_empty(), "one in flight cannot tell a limit from its latency");
    }

    #[test]
    fn a_run_that_is_not_valid_says_so_and_is_amber() {
        let mut rig = Rig::new();
        rig.ramp(randread(8 << 10), &throttled());
        let mut record = rig.record();
        let caveat =
            Caveat::new("memory", Severity::Invalid, "memory answered, not storage", "tmpfs").remedy("name a disk");
        record.caveats.push(caveat);
        let judgement = judge(&record);
        let lines = answer_lines(&judgement);
        assert_eq!(lines[0], "BINDS not valid: memory answered, not storage (tmpfs)");
        assert_eq!(lines[1], "DO name a disk");
        assert_eq!(standing(&judgement), AnswerStanding::Undecided);
    }

    #[test]
    fn a_run_that_was_stopped_tells_what_it_has() {
        let mut rig = Rig::new();
        rig.ramp(randread(8 << 10), &throttled());
        let mut record = rig.record();
        (record.state, record.reason) = (RunState::Stopped, "SIGINT".into());
        let lines = answer_lines(&judge(&record));
        assert!(lines[0].starts_with("BINDS stopped before it finished (SIGINT)"), "{lines:?}");
        assert_eq!(lines.last().unwrap(), "DO repeat the run and let it finish");
    }
}
