//! The limit that binds a pattern, with the evidence (docs/design/limits.md, "Which limit binds").
//!
//! The checks run in this order, and the first match decides: the storage itself counted a limit as exceeded; the rate
//! equals a known row; the generator is out of CPU; too few operations are in flight (Little); a rate stays equal over
//! block sizes; the device saturated while the generator was idle. If two causes fit, both are named; if none does, the
//! cause is `unknown`.

use crate::levels::figures::Level;
use crate::limits::blocks::{Blocks, Point};
use crate::limits::caps::{self, Cap, EQUAL, TOLERANCE};
use crate::limits::counted::{Counted, CountedLimit};
use crate::validity::cache;
use crate::validity::cpu::generator::{Generator, Strength, generator};
use crate::validity::cpu::starved::{Starved, starved};
use crate::validity::disturbed::undisturbed;
use crate::verdict::rising::{Course, Rise, is_virtual};
use messages::sentence;
use model::judged::{Agreement, Binding, BindingKind, Constraint, ConstraintSource, Knee, agreement};
use model::plan::{BlockSizes, Pacing, Thoroughness};
use model::{
    Bytes, BytesPerSecond, CompactSort, Iops, Nanos, RunRecord, Sentence, bounds::LimitAxis, units::thousands,
};
use statistics::ramp::PROPORTIONAL;
use std::collections::BTreeSet;

/// Input for judging one pattern.
pub(crate) struct Subject<'a> {
    pub record: &'a RunRecord,
    pub levels: &'a [Level<'a>],
    /// Index of the judged level.
    pub chosen: usize,
    pub knee: &'a Knee,
    /// True if more concurrency does not raise the rate, according to its own ramp or the ramp that it follows.
    pub saturated: bool,
    /// Time from one operation to the next with one in flight: L0, flushes included.
    pub cycle: Option<Nanos>,
    /// Concurrency of the level that this time was taken from.
    pub cycle_from: Option<u32>,
    pub blocks: &'a Blocks,
    /// Judged levels of all patterns.
    pub judged: &'a [&'a Level<'a>],
    /// The same levels as points for comparison.
    pub points: &'a [Point<'a>],
}

/// A binding, and its parts for combining several patterns into one sentence.
#[derive(Default)]
pub(crate) struct Bound {
    pub binding: Binding,
    /// Text such as `limited by the cgroup's 6,000 read IOPS`.
    pub predicate: Sentence,
    /// Text such as `5,998 of 6,000 (100 %) at depth 4 and above`.
    pub detail: Sentence,
    /// Figure of the detail, such as `5,998 of 6,000 (100 %)` or `13,290 IOPS`.
    pub figure: Sentence,
    /// Set if no cause can be named; predicate and detail are then empty.
    pub unclear: Option<Unclear>,
    /// True if the pattern was measured but did not settle at one level.
    pub no_rate: bool,
    /// Operations per second of the judged level; zero without one.
    pub rate: f64,
    /// Lowest and highest rate, if the level did not settle but the binding limit is known all the same.
    pub between: Option<(Iops, Iops)>,
    /// Reason that is printed regardless of the rates: the state of the generator.
    pub reason: Sentence,
}

/// A rate without a known cause.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unclear {
    pub why: Why,
    /// Text such as `56,744 IOPS at depth 64`.
    pub figure: Sentence,
    /// Depth of this figure.
    pub depth: u32,
}

/// Reason why no cause can be named.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Why {
    /// The rate was still growing at this depth, the greatest one tried.
    NotSaturated { deepest: u32 },
    /// The levels of the ramp scatter too much to see where the rate stops rising.
    Noisy,
    /// The last levels of the ramp agree, but are too few or too short to show that the rate has stopped rising.
    Brief {
        /// Text such as `the rates at depths 1 to 4 agree within 3.5 %`.
        agree: Sentence,
        /// Option that would identify caps, such as `--effort standard`.
        longer: Sentence,
    },
    /// Neither its own ramp nor a limit gives a cause for this pattern; a short reason.
    NothingKnown(Sentence),
}

impl Why {
    /// Returns the reason in a few words.
    pub fn in_short(&self) -> Sentence {
        match self {
            Why::NotSaturated { .. } => sentence!("why-rising"),
            Why::Noisy => sentence!("why-noisy"),
            Why::Brief { .. } => sentence!("why-brief"),
            Why::NothingKnown(why) => why.clone(),
        }
    }
}

impl Unclear {
    /// Returns the sentence about a pattern.
    fn to_sentence(&self, what: &str) -> Sentence {
        let figure = &self.figure;
        match &self.why {
            Why::NotSaturated { .. } => sentence!("unclear-rising", what, rising = self.rising()),
            Why::Noisy => sentence!("unclear-noisy", what, figure),
            Why::Brief { agree, longer } => sentence!("unclear-brief", what, figure, agree, longer),
            Why::NothingKnown(why) => sentence!("unclear-why", what, figure, why),
        }
    }

    /// Formats `56,744 IOPS at depth 64 and still rising`; the depth of the rise is separate if the rate is from
    /// another depth.
    pub fn rising(&self) -> Sentence {
        let figure = &self.figure;
        match self.why {
            Why::NotSaturated { deepest } if deepest != self.depth => sentence!("figure-rising-at", figure, deepest),
            _ => sentence!("figure-rising", figure),
        }
    }
}

/// Formats alternatives: `volume IOPS or queue (Little)`.
pub(crate) fn one_of(names: &[String]) -> Sentence {
    let mut names = names.iter().map(Sentence::from);
    let first = names.next().unwrap_or_default();
    names.fold(first, |first, second| sentence!("one-or-another", first, second))
}

/// Maximum ratio of the highest to the lowest rate of a sustained level that did not settle, for which the binding
/// limit is named all the same. Levels changed by 5 to 17 % within five seconds next to a busy core; the range is
/// reported.
const WAVERING: f64 = 1.25;
/// Factor within which a known limit may be the binding one: under a throttle, rates were up to 10.7 % above it for
/// less than a second.
const NEAR: f64 = 1.15;
/// Factor within which the rates of two sizes may be at the same limit. Under a throttle, the rates of sizes that were
/// measured for several seconds differed by up to 1.5 %.
const NEAR_OTHERS: f64 = 1.05;

/// A detected cause, before its sentences are composed.
#[derive(Default)]
struct Cause {
    kind: BindingKind,
    names: Vec<String>,
    predicate: Sentence,
    detail: Sentence,
    figure: Sentence,
    unclear: Option<Unclear>,
    /// Lines in addition to the usual evidence.
    remarks: Vec<Sentence>,
}

/// Returns the limit that binds.
pub(crate) fn bind(label: &str, subject: &Subject) -> Bound {
    let level = &subject.levels[subject.chosen];
    let caps = caps::caps(subject.record, level);
    let generator = generator(subject.record, level);
    let cause = cause(subject, level, &caps, &generator);
    let constraints = constraints(subject, level, &caps, &generator);
    let mut evidence = evidence(level, &cause, &constraints, &generator);
    evidence.extend(cause.remarks.iter().cloned());
    evidence.extend(Counted::of_level(subject.record, level).map(|counted| seen_counted(&counted)));
    evidence.extend(exceeded_elsewhere(subject, level, &caps));
    let reason = if cause.kind == BindingKind::Generator { generator.to_sentence() } else { Sentence::default() };
    Bound { rate: level.rate(), reason, ..cause.into_bound(label, evidence, constraints) }
}

impl Cause {
    /// Turns the cause into a binding, with a sentence for the pattern of this label.
    fn into_bound(self, label: &str, evidence: Vec<Sentence>, constraints: Vec<Constraint>) -> Bound {
        let statement = match &self.unclear {
            Some(unclear) => unclear.to_sentence(label),
            None => sentence!("binds-one", what = label, predicate = &self.predicate, detail = &self.detail),
        };
        Bound {
            binding: Binding { kind: self.kind, names: self.names, statement, evidence, constraints },
            predicate: self.predicate,
            detail: self.detail,
            figure: self.figure,
            unclear: self.unclear,
            ..Bound::default()
        }
    }

    /// Adds a remark about the CPU time that others took meanwhile.
    fn beside_others(mut self, starved: &Starved) -> Cause {
        self.remarks.push(sentence!("remark-others-cpu", seen = &starved.seen));
        self
    }
}

/// Returns the binding limit if the sustained level did not settle but varied only a little. This is the device if the
/// ramp shows that more concurrency does not raise the rate, and if no limit is near: neither a known one, nor one that
/// another size in `shown` reached as well. The figure is the range of the rate, never a mean.
pub(crate) fn wavered(label: &str, s: &Subject, shown: &[&Level]) -> Option<Bound> {
    let level = &s.levels[s.chosen];
    let reason = level.no_level().filter(|_| level.figures.hold)?;
    let (low, high) = level.between();
    let caps = caps::caps(s.record, level);
    let between = || sentence!("figure-between", low = Iops(low), high = Iops(high));
    let bound = |cause: Cause, generator: &Generator, seen: Vec<Sentence>| {
        let evidence = [vec![sentence!("no-level", what = label, why = reason)], seen].concat();
        let bound = cause.into_bound(label, evidence, constraints(s, level, &caps, generator));
        Some(Bound { between: Some((Iops(low), Iops(high))), ..bound })
    };
    if let Some(cause) = counted(s, level, &caps, between()) {
        let seen = Counted::of_level(s.record, level).map(|counted| seen_counted(&counted));
        return bound(cause, &generator(s.record, level), seen.into_iter().collect());
    }
    let near = |c: &Cap| low <= NEAR * c.allows && c.allows <= NEAR * high;
    let shared = |other: &&Level| crate::limits::blocks::about_the_same(level, other, NEAR_OTHERS);
    if low <= 0.0 || high > WAVERING * low || caps.iter().any(near) || shown.iter().any(shared) {
        return None;
    }
    let starved = starved(s.record, level);
    if cache::from_cache(level) || starved.as_ref().is_some_and(|s| s.share.is_none() || s.is_bound()) {
        return None;
    }
    let generator = generator(s.record, level);
    let flat = virtual_disk(s, level, &generator).or_else(|| flat(s, level, &caps, &generator))?;
    let figure = between();
    let detail = |figure: &Sentence| sentence!("figure-at-depth", figure, depth = level.concurrency());
    let cause = match &starved {
        None => Cause { detail: detail(&figure), figure, ..flat },
        Some(starved) => {
            let at_least = sentence!("figure-at-least", figure);
            Cause { detail: detail(&at_least), figure: at_least, ..flat }.beside_others(starved)
        }
    };
    let remarks = cause.remarks.clone();
    bound(cause, &generator, remarks)
}

/// Returns the result for a pattern without a valid level; `struck` is the invalid level that gives the reason.
pub(crate) fn unjudged(label: &str, struck: Option<&Level>) -> Bound {
    let no_level = struck.and_then(Level::no_level);
    let reason = match (no_level, struck.and_then(|l| l.figures.struck.as_ref())) {
        (Some(why), _) | (None, Some(why)) => why.clone(),
        (None, None) => sentence!("nothing-completed"),
    };
    let (predicate, statement) = match no_level {
        Some(_) => (sentence!("binds-without-rate"), sentence!("no-level", what = label, why = &reason)),
        None => (sentence!("binds-without-figure"), sentence!("no-figure", what = label, why = &reason)),
    };
    Bound {
        binding: Binding { statement, ..Binding::default() },
        predicate,
        detail: reason,
        no_rate: no_level.is_some(),
        ..Bound::default()
    }
}

fn cause(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Cause {
    if cache::from_cache(level) {
        return unclear(level, Why::NothingKnown(sentence!("why-from-cache")), Vec::new());
    }
    counted(s, level, caps, plain(level))
        .or_else(|| paced(level))
        .or_else(|| at_a_cap(s, level, caps, generator))
        .or_else(|| (generator.strength == Strength::Strong).then(|| out_of_cpu(level, generator)))
        .or_else(|| level.only_a_cap.then(|| equal_over_sizes(s, level)).flatten())
        .or_else(|| throttled(s, level))
        .or_else(|| others_had_cpu(s, level, caps, generator))
        .or_else(|| flushes_at_a_cap(s, level))
        .or_else(|| latency_bound(s, level))
        .or_else(|| equal_over_sizes(s, level))
        .or_else(|| virtual_disk(s, level, generator))
        .or_else(|| flat(s, level, caps, generator))
        .or_else(|| (generator.strength == Strength::Weak && !s.saturated).then(|| out_of_cpu(level, generator)))
        .unwrap_or_else(|| unknown(s, level, caps, generator))
}

// --- counted by the storage ---------------------------------------------------------------------------------------

/// Returns the limits that the storage itself counted as exceeded for most of the time: no rate is better evidence.
/// `figure` is the level's rate.
fn counted(s: &Subject, level: &Level, caps: &[Cap], figure: Sentence) -> Option<Cause> {
    let exceeded = Counted::of_level(s.record, level)?.binding();
    let (longest, share) = *exceeded.first()?;
    let names: Vec<String> = exceeded.iter().map(|(limit, _)| limit.name_among(caps)).collect();
    let share = percent(share);
    // The limit row given for it may be wrong, so its figure is printed next to the rate.
    let row = longest.row(caps).filter(|_| exceeded.len() == 1);
    let at_row = row.filter(|c| caps::at(caps::span(level), c.allows) || caps::promised(caps::span(level), c));
    let limit = match (names.as_slice(), at_row) {
        (_, Some(row)) => row.phrase(),
        ([one], None) => one.into(),
        (several, None) => one_of(several),
    };
    let kind = match (names.len(), longest.axis) {
        (1, LimitAxis::Iops) => BindingKind::LimitIops,
        (1, LimitAxis::Bandwidth) => BindingKind::LimitBandwidth,
        // Each was exceeded for most of the time: they alternated, or bind together.
        _ => BindingKind::Undecidable,
    };
    let figure = match row {
        Some(row) if level.sound() => row.measured(level),
        _ => figure,
    };
    Some(Cause {
        kind,
        names,
        predicate: sentence!("limited-as-counted", limit),
        detail: sentence!("counted-exceeded", share = &share, figure = placed(s, level, figure.clone())),
        figure: sentence!("figure-counted", figure, share),
        ..Cause::default()
    })
}

/// Lists the exceeded limits with their shares.
fn seen_counted(counted: &Counted) -> Sentence {
    let each = |(limit, share): &(CountedLimit, f64)| Sentence::from(format!("{} {} %", limit.name, percent(*share)));
    match counted.exceeded().as_slice() {
        [] => sentence!("seen-counted-none"),
        exceeded => sentence!("seen-counted", limits = Sentence::join(exceeded.iter().map(each), ", ")),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

// --- at a known row ---------------------------------------------------------------------------------------------

fn at_a_cap(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Option<Cause> {
    let span = caps::span(level);
    let stands = |c: &&Cap| exceeding(s, level, c).is_none_or(|other| other.steps[0] < level.steps[0]);
    let mut met: Vec<&Cap> = caps.iter().filter(|c| caps::at(span, c.allows)).filter(stands).collect();
    if met.is_empty() && s.saturated && generator.strength == Strength::None {
        met.extend(caps.first().filter(|c| caps::promised(span, c)).filter(stands));
    }
    let tightest = met.first()?.allows;
    let mut ties: Vec<&Cap> = Vec::new();
    for cap in met.into_iter().filter(|c| c.allows <= tightest * (1.0 + TOLERANCE)) {
        // The same row found twice (nested groups) is one cause.
        if !ties.iter().any(|t| t.name == cap.name && t.limit.source == cap.limit.source) {
            ties.push(cap);
        }
    }
    let queue = queue_tie(s, level).filter(|_| !shown_with_flushes(s, level, &ties));
    if generator.exhausted || queue.is_some() || !one_cause(&ties) {
        return Some(tie(level, &ties, generator, queue));
    }
    let cap = ties.iter().copied().find(|c| c.is_cgroup()).unwrap_or(ties[0]);
    let equals = ties.iter().filter(|c| c.name != cap.name || c.is_cgroup() != cap.is_cgroup()).map(|c| c.briefly());
    let equal = equals.reduce(|first, second| sentence!("one-and-another", first, second));
    let limit = match caps::still_holds(s.record, cap) {
        true => cap.phrase(),
        false => sentence!("row-changed-since", row = cap.phrase()),
    };
    let predicate = match equal {
        None => sentence!("limited-by", limit),
        Some(equal) => sentence!("limited-at-equals", limit, equal),
    };
    let kind = match cap.axis {
        LimitAxis::Iops => BindingKind::LimitIops,
        LimitAxis::Bandwidth => BindingKind::LimitBandwidth,
    };
    let remarks = match generator.strength {
        Strength::None => Vec::new(),
        _ => vec![sentence!("remark-generator-busy", reasons = generator.to_sentence())],
    };
    Some(Cause {
        kind,
        names: names(&ties),
        predicate,
        detail: cap.beside(span, placed(s, level, cap.measured(level))),
        figure: cap.measured(level),
        remarks,
        ..Cause::default()
    })
}

/// Returns a judged level that is certainly above this row, even considering published bursts and merging. The limit of
/// a control group is enforced; a declared or published row may be wrong.
fn exceeding<'a>(s: &'a Subject, level: &Level, cap: &Cap) -> Option<&'a Level<'a>> {
    if cap.is_cgroup() {
        return None;
    }
    let exceeds = |other: &&&Level| {
        other.steps[0] != level.steps[0]
            && caps::caps(s.record, other)
                .iter()
                .any(|c| (c.row, c.axis) == (cap.row, cap.axis) && caps::refutes(c, other))
    };
    s.judged.iter().filter(exceeds).max_by_key(|other| other.steps[0]).copied()
}

/// Returns remarks on rows that match this rate although another pattern exceeded them. If the other pattern did so
/// later, the row does not bind and the rate is equal by chance; if earlier, a burst may have ended since.
fn exceeded_elsewhere(s: &Subject, level: &Level, caps: &[Cap]) -> Vec<Sentence> {
    let fits = caps.iter().filter(|c| c.burst.is_none() && caps::at(caps::span(level), c.allows));
    let remark = |cap: &Cap| {
        let other = exceeding(s, level, cap)?;
        let label = other.job.workload.label();
        Some(if other.steps[0] > level.steps[0] {
            sentence!("remark-by-chance", row = cap.phrase(), what = label)
        } else {
            sentence!("remark-passed-before", row = cap.phrase(), what = label)
        })
    };
    fits.filter_map(remark).collect()
}

/// Returns `true` if rows that allow the same rate can be one limit: a single row, or a declared row that repeats a
/// control group's limit exactly and on the same axis.
fn one_cause(ties: &[&Cap]) -> bool {
    match ties {
        [_] => true,
        [a, b] => a.axis == b.axis && a.is_cgroup() != b.is_cgroup() && (a.allows / b.allows - 1.0).abs() <= EQUAL,
        _ => false,
    }
}

fn names(caps: &[&Cap]) -> Vec<String> {
    caps.iter().map(|c| c.name.clone()).collect()
}

/// Returns N / L0, if it is as tight as the cap and no level at a greater depth shows which of the two binds.
fn queue_tie(s: &Subject, level: &Level) -> Option<f64> {
    let queue = queue_bound(s, level)?;
    let deeper = s.levels.iter().any(|l| l.sound() && l.concurrency() > level.concurrency());
    // If the latencies show a throttle, the throttle caused them.
    (!deeper && !s.saturated && !level.throttled && (queue / level.rate() - 1.0).abs() <= TOLERANCE).then_some(queue)
}

/// Returns `true` if writes and the flushes that the cap counts reach the cap, and another workload of the run without
/// flushes is at the same row. Then a latency that allows the same rate is an effect of the cap.
fn shown_with_flushes(s: &Subject, level: &Level, ties: &[&Cap]) -> bool {
    let reached = |cap: &&&Cap| {
        cap.axis == LimitAxis::Iops && cap.counts_flushes() && level.rate() >= cap.allows * (1.0 - TOLERANCE)
    };
    let shows = |cap: &Cap, other: &Level| {
        let same = |c: &Cap| (c.row, c.axis) == (cap.row, cap.axis) && caps::at(caps::span(other), c.allows);
        other.steps[0] != level.steps[0] && other.flushes() <= 0.0 && caps::caps(s.record, other).iter().any(same)
    };
    level.flushes() > 0.0 && ties.iter().find(reached).is_some_and(|cap| s.judged.iter().any(|l| shows(cap, l)))
}

fn tie(level: &Level, ties: &[&Cap], generator: &Generator, queue: Option<f64>) -> Cause {
    let mut names = names(ties);
    let mut deciders = Vec::new();
    if ties.len() > 1 {
        deciders.push(decider(level, ties));
    }
    if queue.is_some() {
        names.push("queue (Little)".into());
        deciders.push(sentence!("decider-deeper"));
    }
    if generator.exhausted {
        names.push("generator CPU".into());
        deciders.push(sentence!("decider-cpu"));
    }
    let allows = Iops(ties.first().map_or(level.rate(), |c| c.allows));
    let (rate, deciders) = (Iops(level.rate()), Sentence::join(deciders, "; "));
    Cause {
        kind: BindingKind::Undecidable,
        predicate: sentence!("limited-undecidable", names = one_of(&names)),
        detail: match names.len() {
            2 => sentence!("both-allow", allows, rate, deciders),
            _ => sentence!("all-allow", allows, rate, deciders),
        },
        figure: plain(level),
        names,
        remarks: if generator.exhausted { generator.reasons.clone() } else { Vec::new() },
        ..Cause::default()
    }
}

/// Suggests a run that would distinguish the tied rows.
fn decider(level: &Level, ties: &[&Cap]) -> Sentence {
    let axes_differ = ties.iter().any(|c| c.axis != ties[0].axis);
    let ops_differ = ties.iter().any(|c| c.limit.op != ties[0].limit.op);
    if axes_differ {
        // At the crossing size both caps bind. At half of it the cap on operations binds, and at double the size the
        // cap on bytes binds.
        return match &level.job.workload.block {
            BlockSizes::Fixed(size) if size.as_u64() >= 1024 => {
                let (half, double) = ((*size / 2).short(), Bytes(size.as_u64().saturating_mul(2)).short());
                sentence!("decider-sizes", half, double)
            }
            _ => sentence!("decider-another-size"),
        };
    }
    if ops_differ && level.job.workload.mix.writes() && level.job.workload.mix.write_percent < 100 {
        return sentence!("decider-another-mix");
    }
    sentence!("decider-raise-one")
}

// --- the generator ----------------------------------------------------------------------------------------------

fn out_of_cpu(level: &Level, generator: &Generator) -> Cause {
    lower_bound(level, sentence!("limited-by-generator"), &generator.to_sentence())
}

/// Returns the CPU as the cause: the rate is a lower bound.
fn lower_bound(level: &Level, predicate: Sentence, reasons: &Sentence) -> Cause {
    let figure = plain(level);
    Cause {
        kind: BindingKind::Generator,
        names: vec!["generator CPU".into()],
        predicate,
        detail: sentence!("lower-bound", figure = &figure, reasons),
        figure: sentence!("figure-at-least", figure),
        ..Cause::default()
    }
}

/// Returns the cause if others used the CPU that our threads waited for; latency cannot be the cause then. Threads that
/// were always ready to run are bound by the CPU. If the threads also rested and more concurrency does not raise the
/// rate, the device binds, and the true rate is higher by no more than the waits.
fn others_had_cpu(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Option<Cause> {
    let starved = starved(s.record, level)?;
    if starved.is_bound() {
        return Some(lower_bound(level, sentence!("limited-by-busy-cpu"), &starved.seen));
    }
    if let Some(flat) = starved.share.and_then(|_| flat(s, level, caps, generator)) {
        let detail = sentence!("figure-at-least", figure = &flat.detail);
        let figure = sentence!("figure-at-least", figure = &flat.figure);
        return Some(Cause { detail, figure, ..flat }.beside_others(&starved));
    }
    let reason = Why::NothingKnown(sentence!("why-others-cpu"));
    Some(unclear(level, reason, Vec::new()).beside_others(&starved))
}

// --- pacing and latency -----------------------------------------------------------------------------------------

/// Returns the requested rate as the reason, if the load reached it: a plan with a rate gets no more than that.
fn paced(level: &Level) -> Option<Cause> {
    let came = Iops(level.rate());
    let detail = match level.job.workload.pacing.rate() {
        Some(asked) if level.missed_rate().is_none() => sentence!("came-of-asked", came, asked),
        Some(_) => return None,
        None => sentence!("came-of-most", came, most = level.held_back()?.to_string()),
    };
    Some(Cause { predicate: sentence!("not-limited-as-asked"), figure: detail.clone(), detail, ..Cause::default() })
}

fn queue_bound(s: &Subject, level: &Level) -> Option<f64> {
    let l0 = s.cycle.filter(|l| !l.is_zero())?;
    (!level.job.workload.pacing.is_open()).then(|| f64::from(level.concurrency()) / l0.secs())
}

/// Returns latency as the cause if the rate is still N / L0 at the greatest depth: no operation waits, so more
/// concurrency raises the rate.
fn latency_bound(s: &Subject, level: &Level) -> Option<Cause> {
    let bound = queue_bound(s, level)?;
    // An invalid level at a greater depth rules this out as well: its true rate is unknown.
    let deepest = s.levels.iter().map(Level::concurrency).max()?;
    if level.concurrency() < deepest || s.saturated || level.rate() < PROPORTIONAL * bound {
        return None;
    }
    // N / L0 is meaningful only for a level other than the one the latency was taken from.
    if level.concurrency() > 1 && s.cycle_from == Some(level.concurrency()) {
        return None;
    }
    let n = level.concurrency();
    let l0 = s.cycle.unwrap_or_default();
    let figure = plain(level);
    Some(Cause {
        kind: BindingKind::Latency,
        names: vec!["queue (Little)".into()],
        predicate: sentence!("limited-by-latency"),
        detail: if n == 1 {
            // This is not a prediction, because it is the same level.
            sentence!("one-in-flight", each = l0, figure = &figure)
        } else {
            let measured = match level.figures.steadiness.changed() {
                true => sentence!("measured-after-change", rate = Iops(level.rate())),
                false => sentence!("measured", rate = Iops(level.rate())),
            };
            sentence!("in-flight-give", n, each = l0, give = Iops(bound), measured)
        },
        figure: sentence!("figure-in-flight", figure, n),
        ..Cause::default()
    })
}

// --- without a row ----------------------------------------------------------------------------------------------

fn equal_over_sizes(s: &Subject, level: &Level) -> Option<Cause> {
    let list = |sizes: &[Bytes]| sizes.iter().map(|b| b.short()).collect::<Vec<_>>().join(", ");
    let (iops, bandwidth) = near(level);
    let by_iops = s.blocks.same_iops.len() >= 2 && !contradicts_cap(s, level);
    let by_bandwidth = s.blocks.same_bandwidth.len() >= 2;
    let over = |sizes: &[Bytes]| sentence!("same-over", sizes = list(sizes));
    let (kind, predicate, detail) = match (by_iops, by_bandwidth) {
        (false, false) => return None,
        (true, false) => (BindingKind::IopsCap, sentence!("limited-by-iops-near", iops), over(&s.blocks.same_iops)),
        (false, true) => (
            BindingKind::BandwidthCap,
            sentence!("limited-by-bandwidth-near", bandwidth = &bandwidth),
            over(&s.blocks.same_bandwidth),
        ),
        (true, true) => (
            BindingKind::Undecidable,
            sentence!("limited-by-crossing", iops, bandwidth = &bandwidth),
            sentence!("same-over-both", iops = list(&s.blocks.same_iops), bandwidth = list(&s.blocks.same_bandwidth)),
        ),
    };
    let names = match kind {
        BindingKind::IopsCap => vec![format!("IOPS cap near {iops}")],
        BindingKind::BandwidthCap => vec![format!("bandwidth cap near {bandwidth}")],
        _ => vec![format!("IOPS cap near {iops}"), format!("bandwidth cap near {bandwidth}")],
    };
    let remarks = shared(s, level).into_iter().collect();
    Some(Cause { kind, names, predicate, detail, figure: plain(level), remarks, ..Cause::default() })
}

/// Returns the value of a cap that also counts the I/O of others, if others used the device.
fn shared(s: &Subject, level: &Level) -> Option<Sentence> {
    let others = cache::foreign(s.record, level);
    (others > 0.0).then(|| sentence!("remark-cap-shared", sum = Iops(two_digits(level.rate() * (1.0 + others)))))
}

/// Returns `true` if a level of at least the same depth was certainly slower than the judged one: equal rates of two
/// sizes are then a coincidence.
fn contradicts_cap(s: &Subject, level: &Level) -> bool {
    let below = |l: &Level| l.concurrency() >= level.concurrency() && l.rate() < level.rate() * (1.0 - SLOWER);
    s.blocks.same_iops.len() == 2 && !level.throttled && s.levels.iter().any(|l| undisturbed(s.record, l) && below(l))
}

fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.max(1.0).log10().floor() - 1.0);
    (value / unit).round() * unit
}

/// Returns a cap as the cause if the latencies show a throttle: on the axis that the sizes show, otherwise on either.
fn throttled(s: &Subject, level: &Level) -> Option<Cause> {
    if !level.throttled {
        return None;
    }
    let seen = sentence!(
        "seen-pauses",
        longest = level.latency.max().unwrap_or_default(),
        median = level.figures.p50.value().unwrap_or_default(),
        mean = level.figures.mean.unwrap_or_default()
    );
    if let Some(mut cause) = equal_over_sizes(s, level) {
        cause.remarks.push(seen);
        return Some(cause);
    }
    let (iops, bandwidth) = near(level);
    Some(Cause {
        kind: BindingKind::Cap,
        names: vec![format!("IOPS cap near {iops}"), format!("bandwidth cap near {bandwidth}")],
        predicate: sentence!("limited-by-either-cap", iops, bandwidth),
        detail: placed(s, level, plain(level)),
        figure: plain(level),
        remarks: vec![seen],
        ..Cause::default()
    })
}

/// Returns a cap as the cause if the operations of writes with flushes, counted with or without the flushes, equal the
/// rate of plain writes: the same cap limits both. A group is not charged for flushes that a kernel worker sends.
fn flushes_at_a_cap(s: &Subject, level: &Level) -> Option<Cause> {
    let charged = [level.rate() + level.flushes(), level.rate()];
    let is_cap = |p: &&Point| {
        p.workload.mix.writes()
            && p.workload.mix.write_percent == 100
            && p.workload.flush_every.is_none()
            && p.saturated
            && p.usable
            && charged.iter().any(|charged| (p.rate / charged - 1.0).abs() <= TOLERANCE)
    };
    if level.flushes() <= 0.0 || level.job.workload.pacing != Pacing::Closed {
        return None;
    }
    let other = s.points.iter().find(is_cap)?;
    let iops = Iops(two_digits(other.rate));
    let (writes, flushes) = (Iops(level.rate()), Iops(level.flushes()));
    Some(Cause {
        kind: BindingKind::IopsCap,
        names: vec![format!("IOPS cap near {iops}")],
        predicate: sentence!("limited-by-iops-near", iops),
        detail: sentence!("same-with-flushes", writes, flushes, what = other.workload.label(), rate = Iops(other.rate)),
        figure: plain(level),
        ..Cause::default()
    })
}

/// Returns operations per second, flushes included, and bytes per second, rounded to two digits.
fn near(level: &Level) -> (Iops, String) {
    let bandwidth = BytesPerSecond(two_digits(level.rate() * level.mean_size()));
    let bandwidth = format!("{} MB/s", thousands(bandwidth.mb()).trim_end_matches(".0"));
    (Iops(two_digits(level.rate() + level.flushes())), bandwidth)
}

/// Returns the evidence against a cap if the rate is flat; `None` if a cap explains it as well as the device does.
fn no_cap(s: &Subject, level: &Level) -> Option<Sentence> {
    if Counted::of_level(s.record, level).is_some_and(|counted| counted.exceeded().is_empty()) {
        return Some(sentence!("no-cap-counted"));
    }
    if s.blocks.no_cap {
        return Some(sentence!("no-cap-sizes"));
    }
    bends(s, level).then(|| sentence!("no-cap-bend"))
}

/// Minimum share by which a level that is not at the same cap is slower than another level.
const SLOWER: f64 = 0.08;

/// Share of the judged level's rate above which lower rates belong to the bend of the curve.
const BEND: f64 = 0.75;

/// Returns `true` if the rate approaches its limit in a bend, as a queue does: the two levels below are certainly
/// lower, the gain decreases, and they are within a quarter of the limit. Under a cap the rate grows in proportion
/// until it reaches the cap.
fn bends(s: &Subject, level: &Level) -> bool {
    let mut below: Vec<&Level> = s.levels.iter().filter(|l| l.concurrency() < level.concurrency()).collect();
    below.retain(|l| !l.figures.hold);
    let [.., first, second] = below.as_slice() else { return false };
    let certainly_below = |l: &Level| l.rate() * (1.0 + l.half) < level.rate() * (1.0 - TOLERANCE);
    let (early, late) = (second.rate() / first.rate().max(1e-9), level.rate() / second.rate().max(1e-9));
    [first, second, &level].into_iter().all(|l| undisturbed(s.record, l))
        && certainly_below(first)
        && certainly_below(second)
        && first.rate() >= BEND * level.rate()
        && early >= late
}

/// Maximum relative difference of the rates of one throttle at several depths.
const EXACT: f64 = 0.02;

/// Returns `true` if three or more depths, over a factor of four, had the same rate: the rate of a device shared with
/// others is not that constant.
fn same_at_every_depth(s: &Subject, level: &Level) -> bool {
    let same = |l: &&Level| l.sound() && (l.rate() / level.rate() - 1.0).abs() <= EXACT;
    let depths: BTreeSet<u32> = s.levels.iter().filter(same).map(Level::concurrency).collect();
    let (least, most) = (depths.first().copied().unwrap_or(1), depths.last().copied().unwrap_or(1));
    let between = |l: &&Level| (least..=most).contains(&l.concurrency()) && l.sound();
    depths.len() >= 3 && most >= 4 * least && s.levels.iter().filter(between).all(|l| same(&l))
}

/// Returns the cause of a rate that stayed flat while latency grew with concurrency and the generator had time to
/// spare: the device if something rules out a cap, otherwise one of the two. If others used the device, both remain
/// possible, because either may be shared.
fn flat(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Option<Cause> {
    let slowed = cache::slowed_by_others(s.record, level);
    let is_flat = if slowed { same_at_every_depth(s, level) } else { s.saturated };
    if !is_flat || generator.strength != Strength::None {
        return None;
    }
    let no_cap = no_cap(s, level).filter(|_| !slowed);
    let (kind, names, predicate) = match no_cap {
        Some(_) if is_virtual(s.record) => {
            (BindingKind::VirtualDisk, vec!["virtual disk".into()], sentence!("limited-by-virtual-disk"))
        }
        Some(_) => (BindingKind::Device, vec!["device".into()], sentence!("limited-by-device")),
        None => (
            BindingKind::CapOrDevice,
            vec!["unknown cap".into(), "device".into()],
            sentence!("limited-by-cap-or-device"),
        ),
    };
    let flat = match caps.is_empty() {
        true => sentence!("remark-device"),
        false => sentence!("remark-device-away"),
    };
    Some(Cause {
        kind,
        names,
        predicate,
        detail: placed(s, level, format!("{} IOPS", Iops(level.rate())).into()),
        figure: plain(level),
        remarks: [flat, no_cap.unwrap_or_else(|| sentence!("remark-cap-or-device"))]
            .into_iter()
            .chain(shared(s, level).filter(|_| slowed))
            .collect(),
        ..Cause::default()
    })
}

/// Returns the virtual disk as the cause if its rate rises by a few percent with each doubling of the depth, while the
/// latency absorbs most of it: no known limit was reached, and the bottleneck lies below the layers that the guest can
/// see.
fn virtual_disk(s: &Subject, level: &Level, generator: &Generator) -> Option<Cause> {
    let rise = Rise::of_ramp(s.record, s.levels)?;
    if generator.strength == Strength::Strong || cache::slowed_by_others(s.record, level) {
        return None;
    }
    let tail = rise.p99.map(|(low, high)| sentence!("rise-tail", low, high));
    let at = sentence!("figure-at-depth", figure = plain(level), depth = level.concurrency());
    let figure = plain(level);
    let (course, figure, remark) = match rise.course {
        Course::PerDoubling(gain) => {
            let percent = format!("{:.0}", gain * 100.0);
            let course = sentence!("rise-per-doubling", percent = &percent);
            (course, sentence!("figure-per-doubling", figure, percent), sentence!("remark-virtual-disk"))
        }
        Course::Between(low, high) => {
            (sentence!("rise-between", low, high), figure, sentence!("remark-virtual-disk-scatters"))
        }
    };
    Some(Cause {
        kind: BindingKind::VirtualDisk,
        names: vec!["virtual disk".into()],
        predicate: sentence!("limited-by-virtual-disk"),
        detail: Sentence::join([at, course].into_iter().chain(tail), ", "),
        figure,
        remarks: vec![remark],
        ..Cause::default()
    })
}

fn unknown(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Cause {
    let mut remarks: Vec<Sentence> = match generator.strength {
        Strength::None => Vec::new(),
        _ => generator.reasons.clone(),
    };
    // Also for the levels of its own ramp that were slowed down by others.
    let slowed = |l: &Level| cache::slowed_by_others(s.record, l);
    let deeper = || s.levels.iter().filter(|l| l.concurrency() > level.concurrency());
    let beside_others = slowed(level) || deeper().any(|l| l.sound() && slowed(l));
    let struck = deeper().any(|l| !l.sound());
    let known = |why: Sentence, hint: Option<Sentence>| (Why::NothingKnown(why), hint);
    let (reason, hint) = match s.knee {
        _ if beside_others => known(sentence!("why-others-hide"), Some(sentence!("hint-quiet"))),
        Knee::NotReached { .. } | Knee::NotResolved if struck => {
            known(sentence!("why-deeper-struck"), Some(sentence!("hint-repeat")))
        }
        Knee::NotReached { deepest } => (Why::NotSaturated { deepest: *deepest }, Some(sentence!("hint-deeper"))),
        Knee::NotResolved => match agreement(s.levels.iter().map(|l| &l.figures)) {
            Some(a) => (Why::Brief { agree: agree(a), longer: names_caps(s.record) }, None),
            None => (Why::Noisy, Some(sentence!("hint-more-time"))),
        },
        _ if !remarks.is_empty() => known(sentence!("why-generator"), None),
        _ if caps.is_empty() => known(sentence!("why-no-limit"), Some(sentence!("hint-declare"))),
        _ => known(sentence!("why-away"), Some(sentence!("hint-not-saturated"))),
    };
    remarks.extend(hint);
    unclear(level, reason, remarks)
}

/// Returns the result for a rate whose cause cannot be named.
fn unclear(level: &Level, why: Why, remarks: Vec<Sentence>) -> Cause {
    let depth = level.concurrency();
    let figure = sentence!("figure-at-depth", figure = plain(level), depth);
    Cause { unclear: Some(Unclear { why, figure, depth }), remarks, ..Cause::default() }
}

fn agree(a: Agreement) -> Sentence {
    sentence!("depths-agree", from = a.from, to = a.to, within = format!("{:.1}", a.within * 100.0))
}

/// Returns the option that makes the levels of a ramp long and numerous enough to prove a cap.
fn names_caps(record: &RunRecord) -> Sentence {
    match record.plan.time {
        Thoroughness::Quick => sentence!("longer-names-caps", option = "--effort standard"),
        Thoroughness::Standard => sentence!("longer-repeats", option = "--effort thorough"),
        Thoroughness::Thorough => sentence!("longer-quiet"),
    }
}

// --- evidence ---------------------------------------------------------------------------------------------------

/// Formats `13,290 IOPS`. The figure of a level that changed is always marked (docs/design/results.md, "Doubted
/// figures").
fn plain(level: &Level) -> Sentence {
    let rate = Iops(level.rate());
    match level.figures.steadiness.changed() {
        true => sentence!("figure-after-change", rate),
        false => format!("{rate} IOPS").into(),
    }
}

/// Adds the depth to a figure: from the knee on, if the level is at or above it, otherwise the depth of the level.
fn placed(s: &Subject, level: &Level, figure: Sentence) -> Sentence {
    match s.knee {
        // The rate after a change was seen at this level only.
        _ if level.figures.steadiness.changed() => {
            sentence!("figure-at-depth-after-change", figure, depth = level.concurrency())
        }
        Knee::Between { at, .. } if level.concurrency() >= *at => {
            sentence!("figure-at-depth-and-above", figure, depth = *at)
        }
        _ => sentence!("figure-at-depth", figure, depth = level.concurrency()),
    }
}

fn constraints(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Vec<Constraint> {
    let constraint = |name: &str, source, allows: f64| Constraint {
        name: name.to_owned(),
        source,
        allows: Iops(allows),
        used: level.rate() / allows,
    };
    let cap = |c: &Cap| {
        let source = if c.is_cgroup() { ConstraintSource::Cgroup } else { ConstraintSource::Limit };
        constraint(&c.name, source, c.allows)
    };
    let mut constraints: Vec<Constraint> = caps.iter().map(cap).collect();
    constraints.extend(queue_bound(s, level).map(|q| constraint("queue (Little)", ConstraintSource::Queue, q)));
    if generator.allows.is_finite() && generator.allows > 0.0 {
        constraints.push(constraint("generator CPU", ConstraintSource::Generator, generator.allows));
    }
    constraints.compact_sort_by(|a, b| a.allows.per_second().total_cmp(&b.allows.per_second()));
    constraints
}

fn evidence(level: &Level, cause: &Cause, constraints: &[Constraint], generator: &Generator) -> Vec<Sentence> {
    let interval: Sentence = match level.figures.iops.ci {
        Some((lo, hi)) => format!("[{}, {}]", Iops(lo), Iops(hi)).into(),
        None => sentence!("no-interval", why = &level.figures.iops.ci_missing),
    };
    let (figure, depth) = (plain(level), level.concurrency());
    let mut lines = vec![match level.figures.hold {
        true => sentence!("seen-held", figure, interval, depth),
        false => sentence!("seen-at-depth", figure, interval, depth),
    }];
    for c in constraints.iter().filter(|c| cause.names.contains(&c.name)) {
        lines.push(sentence!(
            "constraint-used",
            name = &c.name,
            allows = c.allows,
            used = format!("{:.1}", c.used * 100.0)
        ));
    }
    let next = constraints.iter().find(|c| !cause.names.contains(&c.name) && c.used < 1.0 - TOLERANCE);
    if let Some(next) = next {
        let times = format!("{:.2}", 1.0 / next.used.max(1e-9));
        lines.push(sentence!("constraint-next", name = &next.name, allows = next.allows, times));
    }
    lines.push(generator.usage.clone());
    lines
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Rig, Run, Storage, randread, with_counts};
    use model::judged::{BindingKind, PatternJudgement};
    use model::plan::{Access, Mix, StageRole, Workload};
    use model::{Bytes, Judgement, Op};

    /// Falls from 4 % above to 4 % below.
    const SLIGHTLY: fn(f64) -> f64 = |t| 1.04 - 0.08 * t;
    /// Falls by a third.
    const FAR: fn(f64) -> f64 = |t| 1.2 - 0.4 * t;

    /// Adds a ramp to 12,000 per second, and a sustained level during which the rate changes by `bend`.
    fn ramp(rig: &mut Rig, size: u64, bend: fn(f64) -> f64) {
        let stage = rig.stage(&format!("r{size}"), StageRole::Ramp, randread(size));
        for (depth, rate) in [(1, 6000.0), (2, 11_000.0), (4, 12_000.0), (8, 11_950.0), (16, 12_050.0)] {
            rig.step(stage, Run::at(depth, rate));
        }
        rig.step(stage, Run { bend, ..Run::at(4, 12_000.0).hold() });
    }

    fn judged(prepare: impl FnOnce(&mut Rig)) -> Vec<PatternJudgement> {
        let mut rig = Rig::new();
        prepare(&mut rig);
        crate::judge::judge(&rig.record()).patterns
    }

    #[test]
    fn a_held_level_that_wavers_is_limited_by_a_cap_or_the_device_within_its_range() {
        let patterns = judged(|rig| ramp(rig, 8192, SLIGHTLY));
        let (binding, held) = (&patterns[0].binding, patterns[0].levels.last().expect("held"));
        assert!(held.struck.is_some() && held.steadiness.unsettled(), "no figure is made of it");
        assert_eq!(binding.kind, BindingKind::CapOrDevice, "{}", binding.statement);
        assert!(
            binding.statement.starts_with(
                "8k randread is limited by a cap or by the device (this run cannot distinguish them): 11,"
            ),
            "{}",
            binding.statement
        );
        assert!(binding.statement.ends_with(" IOPS, without a steady level at depth 4"), "{}", binding.statement);
        let far = judged(|rig| ramp(rig, 8192, FAR));
        assert_eq!(far[0].binding.kind, BindingKind::Unknown, "by more than a quarter");
    }

    #[test]
    fn near_a_limit_or_the_rate_of_another_size_a_wavering_level_names_nothing() {
        let near = judged(|rig| {
            rig.declare("volume iops=13000");
            ramp(rig, 8192, SLIGHTLY);
        });
        assert_eq!(near[0].binding.kind, BindingKind::Unknown, "{}", near[0].binding.statement);
        let away = judged(|rig| {
            rig.declare("volume iops=60000");
            ramp(rig, 8192, SLIGHTLY);
        });
        assert_eq!(away[0].binding.kind, BindingKind::CapOrDevice, "{}", away[0].binding.statement);
        let shared = judged(|rig| {
            ramp(rig, 8192, SLIGHTLY);
            rig.ramp(randread(16_384), &Storage::capped(0.000_15, 12_000.0, 1e12));
        });
        assert_eq!(shared[0].binding.kind, BindingKind::Unknown, "an untold cap of 12,000 would look so");
        let other = judged(|rig| {
            ramp(rig, 8192, SLIGHTLY);
            rig.ramp(randread(16_384), &Storage::capped(0.000_15, 9000.0, 1e12));
        });
        assert_eq!(other[0].binding.kind, BindingKind::CapOrDevice);
    }

    #[test]
    fn the_device_is_named_where_a_bend_or_other_sizes_exclude_a_cap() {
        let bend = judged(|rig| {
            let stage = rig.stage("r", StageRole::Ramp, randread(8192));
            for (depth, rate) in [(1, 6000.0), (2, 9500.0), (4, 11_300.0), (8, 12_000.0), (16, 12_050.0)] {
                rig.step(stage, Run::at(depth, rate));
            }
            rig.step(stage, Run::at(8, 12_000.0).hold());
        });
        assert_eq!(bend[0].binding.kind, BindingKind::Device, "{}", bend[0].binding.statement);
        assert!(bend[0].binding.evidence.iter().any(|e| e.contains("gradually")), "{:?}", bend[0].binding.evidence);
        let sizes = judged(|rig| {
            for (k, cap) in [(8, 12_000.0), (4, 16_000.0), (16, 8000.0)] {
                rig.ramp(randread(k << 10), &Storage::capped(0.000_15, cap, 1e12));
            }
        });
        let kinds: Vec<BindingKind> = sizes.iter().map(|p| p.binding.kind).collect();
        assert_eq!(kinds, [BindingKind::Device, BindingKind::CapOrDevice, BindingKind::CapOrDevice]);
        let one = judged(|rig| {
            rig.ramp(randread(8192), &Storage::capped(0.000_15, 12_000.0, 1e12));
        });
        assert_eq!(one[0].binding.kind, BindingKind::CapOrDevice, "a cap would look the same");
    }

    #[test]
    fn flushes_count_where_a_cap_that_no_row_names_is_shared_with_plain_writes() {
        let durable = |rate: f64| {
            let patterns = judged(|rig| {
                let plain = Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM);
                rig.ramp(plain.clone(), &Storage::capped(0.000_15, 8000.0, 1e12));
                let stage = rig.stage("d", StageRole::Probe, Workload { flush_every: Some(1), ..plain });
                rig.step(stage, Run::at(1, rate));
            });
            patterns[1].binding.clone()
        };
        let capped = durable(3970.0);
        assert_eq!(capped.kind, BindingKind::IopsCap, "{}", capped.statement);
        assert_eq!(capped.names, ["IOPS cap near 8,000"]);
        // A kernel worker sends the flushes, so the group is not charged for them.
        assert_eq!(durable(7950.0).kind, BindingKind::IopsCap, "{}", durable(7950.0).statement);
        assert_eq!(durable(2000.0).kind, BindingKind::Latency, "{}", durable(2000.0).statement);
    }

    #[test]
    fn a_job_that_asks_for_no_more_than_its_limit_is_held_by_itself() {
        let paced = judged(|rig| {
            let mut workload = randread(8192);
            workload.pacing = model::plan::Pacing::Fixed(model::Iops(1600.0));
            let stage = rig.stage("r", StageRole::Fixed, workload);
            rig.step(stage, Run::at(4, 1600.0));
            rig.declare("v iops=1600");
        });
        assert_eq!(paced[0].binding.kind, BindingKind::Unknown, "{}", paced[0].binding.statement);
        assert!(paced[0].binding.names.is_empty());
    }

    #[test]
    fn a_flat_rate_beside_others_is_a_cap_or_the_device_that_they_share() {
        let mut rig = Rig::new();
        rig.ramp(randread(8192), &Storage::capped(0.000_15, 12_000.0, 1e12));
        let mut record = rig.record();
        for a in record.steps.iter_mut().filter_map(|s| s.accounting.as_mut()) {
            a.device_read = a.device_read.map(|bytes| bytes + bytes / 3);
            a.device_ops = a.device_ops.map(|ops| ops + ops / 3);
        }
        let binding = crate::judge::judge(&record).patterns.remove(0).binding;
        assert_eq!(binding.kind, BindingKind::CapOrDevice, "{}", binding.statement);
        let evidence: Vec<&str> = binding.evidence.iter().map(model::Sentence::as_str).collect();
        assert!(evidence.iter().any(|e| e.contains("as high as 16,000 IOPS")), "{evidence:?}");
    }

    #[test]
    fn one_write_with_its_flush_in_flight_is_at_a_row_that_plain_writes_show() {
        let durable = |rate: f64, plain_cap: f64| {
            let patterns = judged(|rig| {
                rig.declare("volume iops=6000");
                rig.preflight().storage.devices[0].write_cache = "write back".into();
                rig.preflight().storage.devices[0].size = Bytes::from_gib(64);
                let plain = Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM);
                rig.ramp(plain.clone(), &Storage::capped(0.000_15, plain_cap, 1e12));
                let stage = rig.stage("d", StageRole::Probe, Workload { flush_every: Some(1), ..plain });
                rig.step(stage, Run { cv: 0.0, ..Run::at(1, rate) });
            });
            patterns[1].binding.clone()
        };
        let at = durable(2967.0, 6000.0);
        assert_eq!((at.kind, at.names.join(", ")), (BindingKind::LimitIops, "volume IOPS".into()), "{}", at.statement);
        let unshown = durable(2967.0, 4000.0);
        assert_eq!(unshown.kind, BindingKind::Undecidable, "nothing else is at the row: {}", unshown.statement);
        assert_eq!(durable(2000.0, 6000.0).kind, BindingKind::Latency);
    }

    /// Judges a volume that delivers 3,000 IOPS, with its counters and the declared limits.
    fn counted(percents: [f64; 4], prepare: impl FnOnce(&mut Rig)) -> Judgement {
        let mut rig = Rig::new();
        prepare(&mut rig);
        rig.ramp(randread(8192), &Storage::capped(0.000_5, 3000.0, 1e12));
        crate::judge::judge(&with_counts(rig.record(), percents))
    }

    fn doubted(judgement: &Judgement) -> bool {
        judgement.caveats.iter().any(|c| c.id == "limit-not-counted")
    }

    #[test]
    fn what_the_volume_itself_counted_binds_above_what_is_inferred() {
        // Without a row and with one block size the device would be named.
        let judgement = counted([98.0, 0.0, 12.0, 0.0], |_| ());
        let binding = &judgement.patterns[0].binding;
        assert_eq!(
            (binding.kind, binding.names.as_slice()),
            (BindingKind::LimitIops, ["volume IOPS".into()].as_slice())
        );
        let said = "8k randread is limited by volume IOPS, according to EBS's own counters: the limit was \
                    exceeded for 98 % of the time; ";
        assert!(binding.statement.starts_with(said), "{}", binding.statement);
        assert!(judgement.verdict.contains("according to EBS's own counters"), "{}", judgement.verdict);
        let seen = "time during which limits were exceeded, according to EBS: volume IOPS 98 %, instance IOPS 12 %";
        assert!(binding.evidence.iter().any(|e| *e == *seen), "{:?}", binding.evidence);
        let binds = judgement.answer.lines.iter().find(|l| l.id == "limit").expect("it is answered");
        assert!(
            binds.text.starts_with("volume IOPS, for 8k randread: ") && binds.text.contains("EBS's own count"),
            "{}",
            binds.text
        );
        assert!(!doubted(&judgement));
    }

    #[test]
    fn a_row_of_the_same_limit_is_named_and_one_that_is_not_delivered_is_contradicted() {
        let met = counted([98.0, 0.0, 0.0, 0.0], |rig| rig.declare("volume iops=3000"));
        let statement = &met.patterns[0].binding.statement;
        let said = "the declared limit `volume` of 3,000 IOPS, according to EBS's own counters";
        assert!(statement.contains(said), "{statement}");
        let less = counted([98.0, 0.0, 0.0, 0.0], |rig| rig.declare("volume iops=6000"));
        let binding = &less.patterns[0].binding;
        assert!(binding.statement.contains("limited by volume IOPS, according to EBS"), "{}", binding.statement);
        assert!(binding.statement.contains(" of 6,000 (50 %)"), "{}", binding.statement);
        let bought =
            less.answer.lines.iter().find(|l| l.subject == model::judged::AnswerSubject::Bought).expect("it is told");
        assert_eq!(bought.id, "less", "{}", bought.text);
    }

    #[test]
    fn of_several_that_were_exceeded_for_most_of_the_time_all_are_named() {
        let judgement = counted([60.0, 0.0, 0.0, 90.0], |_| ());
        let binding = &judgement.patterns[0].binding;
        assert_eq!(
            (binding.kind, binding.names.join(", ").as_str()),
            (BindingKind::Undecidable, "instance bandwidth, volume IOPS")
        );
        assert!(binding.statement.contains("exceeded for 90 % of the time"), "{}", binding.statement);
    }

    #[test]
    fn a_limit_that_was_exceeded_for_a_part_of_the_time_is_evidence_and_decides_nothing() {
        let judgement = counted([30.0, 0.0, 0.0, 0.0], |_| ());
        let binding = &judgement.patterns[0].binding;
        assert_eq!(binding.kind, BindingKind::CapOrDevice, "{}", binding.statement);
        assert!(binding.evidence.iter().any(|e| e.contains("volume IOPS 30 %")), "{:?}", binding.evidence);
    }

    #[test]
    fn a_cap_that_the_volume_never_counted_is_doubted_but_not_a_control_groups() {
        let declared = |rig: &mut Rig| rig.declare("volume iops=3000");
        assert!(doubted(&counted([0.0, 0.2, 0.0, 0.0], declared)));
        assert!(!doubted(&counted([30.0, 0.0, 0.0, 0.0], declared)), "it was exceeded for a time");
        let group = counted([0.0; 4], |rig| rig.cgroup(Op::Read, Some(3000.0), None));
        assert_eq!(group.patterns[0].binding.kind, BindingKind::LimitIops);
        assert!(!doubted(&group), "{:?}", group.caveats);
        let device = counted([0.0; 4], |_| ());
        assert!(!doubted(&device) && device.patterns[0].binding.kind == BindingKind::Device);
        assert!(device.patterns[0].binding.evidence.iter().any(|e| e.contains("according to EBS, none of its limits")));
        // Without counters nothing is known.
        let mut rig = Rig::new();
        declared(&mut rig);
        rig.ramp(randread(8192), &Storage::capped(0.000_5, 3000.0, 1e12));
        assert!(!doubted(&crate::judge::judge(&rig.record())));
    }

    #[test]
    fn a_level_that_wavers_far_is_named_where_the_volume_counted() {
        let mut rig = Rig::new();
        ramp(&mut rig, 8192, FAR);
        let judgement = crate::judge::judge(&with_counts(rig.record(), [0.0, 97.0, 0.0, 0.0]));
        let binding = &judgement.patterns[0].binding;
        assert_eq!(binding.kind, BindingKind::LimitBandwidth, "{}", binding.statement);
        assert!(binding.statement.contains("without a steady level"), "{}", binding.statement);
    }
}
