//! Which limit binds a pattern, with the evidence (`limits.md` section 7).
//!
//! Order of the questions, the first answered yes decides: does the rate sit at a known row; is the generator out of
//! CPU; are too few operations in flight (Little); does a rate stay equal over block sizes; did the device
//! saturate with the generator idle. Where two causes fit, both are named; where none does, `unknown` is the cause.

use crate::blocks::Blocks;
use crate::cache;
use crate::figures::{Level, NOT_SETTLED};
use crate::generator::{Generator, Strength, generator};
use crate::limits::{self, Cap, EQUAL, TOLERANCE};
use crate::ramp::PROPORTIONAL;
use crate::starved::starved;
use model::{
    Agreement, Binding, BindingKind, BlockSizes, Bytes, BytesPerSecond, Constraint, Iops, Knee, LimitAxis, Message,
    Nanos, RunRecord, Said, Thoroughness, agreement, thousands,
};

const FROM_CACHE: &str = "the page cache answered, not the storage";
const BESIDE_OTHERS: &str = "others used the device, so that its limit does not show";
const DEEPER_STRUCK: &str = "the figures of deeper levels are not valid";

/// Everything the question of one pattern rests on.
pub(crate) struct Subject<'a> {
    pub record: &'a RunRecord,
    pub levels: &'a [Level<'a>],
    /// Index of the level judged.
    pub chosen: usize,
    pub knee: &'a Knee,
    /// More concurrency brings no more: by its own ramp, or the ramp it follows.
    pub saturated: bool,
    /// Time from one operation to the next with one in flight: L0, flushes included.
    pub cycle: Option<Nanos>,
    /// The concurrency of the level that time was taken from.
    pub cycle_from: Option<u32>,
    pub blocks: &'a Blocks,
    /// The levels judged of all patterns.
    pub judged: &'a [&'a Level<'a>],
}

/// A binding, and its parts for putting several patterns into one sentence.
pub(crate) struct Bound {
    pub binding: Binding,
    /// `limited by the cgroup's 6,000 read IOPS`.
    pub predicate: String,
    /// `5,998 of 6,000 (100 %) at depth 4 and above`.
    pub detail: String,
    /// The figure of the detail: `5,998 of 6,000 (100 %)`, `13,290 IOPS`.
    pub figure: String,
    /// The same for other languages.
    pub said: Said,
    /// Set where no cause can be named; predicate and detail are empty then.
    pub unclear: Option<Unclear>,
    /// Operations per second of the level judged; zero without one.
    pub rate: f64,
    /// What is to be said whatever the rates are: of the generator its state.
    pub reason: String,
}

/// A rate without a cause.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unclear {
    pub why: Why,
    /// `56,744 IOPS at depth 64`.
    pub figure: String,
    /// The figure without its depth, and the depth.
    pub apart: (String, u32),
}

/// Why no cause can be named.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Why {
    /// The rate still grew at this depth, the deepest tried.
    NotSaturated { deepest: u32 },
    /// The levels of the ramp scatter too much to see where its gain ends.
    Noisy,
    /// The last levels of the ramp agree, but are too few or too short to show that its gain has ended.
    Brief {
        /// `depths 1 to 4 agree within 3.5 %`.
        agree: String,
        /// What names caps: `--effort standard`.
        longer: &'static str,
    },
    /// Neither its own ramp nor a limit speaks for this pattern; in a few words.
    NothingKnown(String),
}

impl Unclear {
    /// What is said behind the label.
    fn said(&self) -> String {
        match &self.why {
            Why::NotSaturated { .. } => format!("was not saturated: {}", self.rising()),
            Why::Noisy => format!("reached {}; what limits it cannot be told: levels too noisy", self.figure),
            Why::Brief { agree, longer } => {
                format!("reached {}: {agree}, too few or too short levels to name a cap; {longer}", self.figure)
            }
            Why::NothingKnown(why) => format!("reached {}; {why}", self.figure),
        }
    }

    /// The figure for other languages: `56,744 IOPS at depth 64`.
    pub fn told(&self) -> Message {
        let (figure, depth) = &self.apart;
        Message::new("figure-at-depth").put("figure", figure.as_str()).put("depth", depth.to_string())
    }

    /// As [`Unclear::rising`], for other languages.
    pub fn told_rising(&self) -> Message {
        let rising = match self.why {
            Why::NotSaturated { deepest } if deepest != self.apart.1 => {
                Message::new("figure-rising-at").put("deepest", deepest.to_string())
            }
            _ => Message::new("figure-rising"),
        };
        rising.put("figure", self.told())
    }

    /// `56,744 IOPS at depth 64 and still rising`; the depth of the rise apart if the rate is of another.
    pub fn rising(&self) -> String {
        match self.why {
            Why::NotSaturated { deepest } if !self.figure.ends_with(&format!(" at depth {deepest}")) => {
                format!("{}, still rising at depth {deepest}", self.figure)
            }
            _ => format!("{} and still rising", self.figure),
        }
    }
}

/// What was found, before it is dressed.
struct Cause {
    kind: BindingKind,
    names: Vec<String>,
    predicate: String,
    detail: String,
    figure: String,
    said: Said,
    unclear: Option<Unclear>,
    /// Lines beyond the usual evidence.
    remarks: Vec<String>,
}

/// Which limit binds.
pub(crate) fn bind(label: &str, subject: &Subject) -> Bound {
    let level = &subject.levels[subject.chosen];
    let caps = limits::caps(subject.record, level);
    let generator = generator(subject.record, level);
    let cause = cause(subject, level, &caps, &generator);
    let constraints = constraints(subject, level, &caps, &generator);
    let mut evidence = evidence(level, &cause, &constraints, &generator);
    evidence.extend(cause.remarks);
    evidence.extend(exceeded_elsewhere(subject, level, &caps));
    let statement = match &cause.unclear {
        Some(unclear) => format!("{label} {}", unclear.said()),
        None if cause.detail.is_empty() => format!("{label} is {}", cause.predicate),
        None => format!("{label} is {}: {}", cause.predicate, cause.detail),
    };
    let binding = Binding {
        kind: cause.kind,
        names: cause.names,
        statement: statement.into(),
        evidence: evidence.into_iter().map(Into::into).collect(),
        constraints,
    };
    let reason = if cause.kind == BindingKind::Generator { generator.told().into() } else { String::new() };
    Bound {
        binding,
        predicate: cause.predicate,
        detail: cause.detail,
        figure: cause.figure,
        said: cause.said,
        unclear: cause.unclear,
        rate: level.rate(),
        reason,
    }
}

/// What is said of a pattern whose level did not settle.
const NO_RATE: &str = "without a rate to judge";

impl Bound {
    /// Whether the pattern was measured, but came to no level.
    pub fn no_rate(&self) -> bool {
        self.predicate == NO_RATE
    }
}

/// A pattern without a level whose figures could be judged.
pub(crate) fn unjudged(label: &str, why: &str) -> Bound {
    let unsettled = why.strip_prefix(NOT_SETTLED);
    let predicate = if unsettled.is_some() { NO_RATE } else { "without a figure to judge" };
    let binding = Binding {
        kind: BindingKind::Unknown,
        names: Vec::new(),
        statement: match unsettled {
            Some(why) => format!("{label} came to no level: {why}").into(),
            None => format!("{label} has no figure to judge: {why}").into(),
        },
        evidence: Vec::new(),
        constraints: Vec::new(),
    };
    Bound {
        binding,
        predicate: predicate.into(),
        detail: unsettled.unwrap_or(why).into(),
        figure: String::new(),
        said: Said::default(),
        unclear: None,
        rate: 0.0,
        reason: String::new(),
    }
}

fn cause(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Cause {
    if cache::from_cache(level) {
        return unclear(level, Why::NothingKnown(FROM_CACHE.into()), Vec::new());
    }
    at_a_cap(s, level, caps, generator)
        .or_else(|| (generator.strength == Strength::Strong).then(|| out_of_cpu(level, generator)))
        .or_else(|| level.only_a_cap.then(|| equal_over_sizes(s, level)).flatten())
        .or_else(|| others_had_cpu(s, level))
        .or_else(|| paced(level))
        .or_else(|| latency_bound(s, level))
        .or_else(|| equal_over_sizes(s, level))
        .or_else(|| device(s, level, caps, generator))
        .or_else(|| (generator.strength == Strength::Weak && !s.saturated).then(|| out_of_cpu(level, generator)))
        .unwrap_or_else(|| unknown(s, level, caps, generator))
}

// --- at a known row ---------------------------------------------------------------------------------------------

fn at_a_cap(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Option<Cause> {
    let span = limits::span(level);
    let stands = |c: &&Cap| exceeding(s, level, c).is_none_or(|other| other.steps[0] < level.steps[0]);
    let mut met: Vec<&Cap> = caps.iter().filter(|c| limits::at(span, c.allows)).filter(stands).collect();
    if met.is_empty() && s.saturated && generator.strength == Strength::None {
        met.extend(caps.first().filter(|c| limits::promised(span, c)).filter(stands));
    }
    let tightest = met.first()?.allows;
    let mut ties: Vec<&Cap> = Vec::new();
    for cap in met.into_iter().filter(|c| c.allows <= tightest * (1.0 + TOLERANCE)) {
        // The same row found twice (nested groups) is one cause.
        if !ties.iter().any(|t| t.name == cap.name && t.limit.source == cap.limit.source) {
            ties.push(cap);
        }
    }
    let queue = queue_tie(s, level);
    if generator.exhausted || queue.is_some() || !one_cause(&ties) {
        return Some(tie(level, &ties, generator, queue));
    }
    let cap = ties.iter().copied().find(|c| c.is_cgroup()).unwrap_or(ties[0]);
    let equals: Vec<String> =
        ties.iter().filter(|c| c.name != cap.name || c.is_cgroup() != cap.is_cgroup()).map(|c| c.briefly()).collect();
    let since = if limits::still_holds(s.record, cap) { "" } else { ", which has changed since" };
    let predicate = if equals.is_empty() {
        format!("limited by {}{since}", cap.phrase())
    } else {
        format!("limited at {}{since}, equal to {}", cap.phrase(), equals.join(" and "))
    };
    let kind = match cap.axis {
        LimitAxis::Iops => BindingKind::LimitIops,
        LimitAxis::Bandwidth => BindingKind::LimitBandwidth,
    };
    let remarks = match generator.strength {
        Strength::None => Vec::new(),
        _ => vec![format!("remark: the generator was busy ({}), but the rate is the limit's", generator.told())],
    };
    Some(Cause {
        kind,
        names: names(&ties),
        predicate,
        detail: format!("{} {}{}", cap.measured(level), place(s, level), cap.beside(span)),
        figure: cap.measured(level),
        said: cap.told(level).into(),
        unclear: None,
        remarks,
    })
}

/// A judged level that is certainly above this row, whatever is published of bursts and merging. What a control group
/// enforces holds; a row that was declared or published may be wrong.
fn exceeding<'a>(s: &'a Subject, level: &Level, cap: &Cap) -> Option<&'a Level<'a>> {
    if cap.is_cgroup() {
        return None;
    }
    let exceeds = |other: &&&Level| {
        other.steps[0] != level.steps[0]
            && limits::caps(s.record, other)
                .iter()
                .any(|c| (c.row, c.axis) == (cap.row, cap.axis) && limits::refutes(c, other))
    };
    s.judged.iter().filter(exceeds).max_by_key(|other| other.steps[0]).copied()
}

/// What is to be said of rows that fit this rate and were passed by another pattern: later, then the row is not what
/// binds and the rate is equal by chance; before, then a burst may have ended since.
fn exceeded_elsewhere(s: &Subject, level: &Level, caps: &[Cap]) -> Vec<String> {
    let fits = caps.iter().filter(|c| c.burst.is_none() && limits::at(limits::span(level), c.allows));
    let remark = |cap: &Cap| {
        let other = exceeding(s, level, cap)?;
        let label = other.job.workload.label();
        Some(if other.steps[0] > level.steps[0] {
            format!("remark: {} is as high as this rate by chance: {label} passed it afterwards", cap.phrase())
        } else {
            format!("remark: {label} passed {} before: by a burst that ended, or the row is wrong", cap.phrase())
        })
    };
    fits.filter_map(remark).collect()
}

/// Whether rows that allow the same can be one and the same thing: one row; or one declared row that repeats, on the
/// same axis and to the figure, what a control group enforces.
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

/// N / L0, if it is as tight as the cap and no deeper level shows which of the two it is.
fn queue_tie(s: &Subject, level: &Level) -> Option<f64> {
    let queue = queue_bound(s, level)?;
    let deeper = s.levels.iter().any(|l| l.sound() && l.concurrency() > level.concurrency());
    (!deeper && !s.saturated && (queue / level.rate() - 1.0).abs() <= TOLERANCE).then_some(queue)
}

fn tie(level: &Level, ties: &[&Cap], generator: &Generator, queue: Option<f64>) -> Cause {
    let mut names = names(ties);
    let mut deciders = Vec::new();
    if ties.len() > 1 {
        deciders.push(decider(level, ties));
    }
    if queue.is_some() {
        names.push("queue (Little)".into());
        deciders.push("a deeper queue would decide".into());
    }
    if generator.exhausted {
        names.push("generator CPU".into());
        deciders.push("more CPU for the tool would decide".into());
    }
    let both = if names.len() == 2 { "both" } else { "all" };
    let allow = Iops(ties.first().map_or(level.rate(), |c| c.allows));
    Cause {
        kind: BindingKind::Undecidable,
        predicate: format!("limited by {}, undecidable here", names.join(" or ")),
        detail: format!("{both} allow {allow} ({} measured); {}", Iops(level.rate()), deciders.join("; ")),
        figure: plain(level),
        said: plain(level).into(),
        names,
        unclear: None,
        remarks: if generator.exhausted {
            generator.reasons.iter().map(ToString::to_string).collect()
        } else {
            Vec::new()
        },
    }
}

/// What run would tell the tied rows apart.
fn decider(level: &Level, ties: &[&Cap]) -> String {
    let axes_differ = ties.iter().any(|c| c.axis != ties[0].axis);
    let ops_differ = ties.iter().any(|c| c.limit.op != ties[0].limit.op);
    if axes_differ {
        // At the crossing size both bind; at half of it operations do, at double bytes do.
        return match &level.job.workload.block {
            BlockSizes::Fixed(size) if size.0 >= 1024 => format!(
                "a run at {} or {} would decide",
                Bytes(size.0 / 2).short(),
                Bytes(size.0.saturating_mul(2)).short()
            ),
            _ => "a run at another block size would decide".into(),
        };
    }
    if ops_differ && level.job.workload.mix.writes() && level.job.workload.mix.write_percent < 100 {
        return "a run with another mix would decide".into();
    }
    "no block size tells them apart: raise one, or load a second volume beside (an unchanged sum is the shared one)"
        .into()
}

// --- the generator ----------------------------------------------------------------------------------------------

fn out_of_cpu(level: &Level, generator: &Generator) -> Cause {
    Cause {
        kind: BindingKind::Generator,
        names: vec!["generator CPU".into()],
        predicate: "limited by the load generator's CPU, not by the storage".into(),
        detail: format!("{} IOPS{} is a lower bound; {}", Iops(level.rate()), changed(level), generator.told()),
        figure: format!("at least {}", plain(level)),
        said: Message::new("figure-at-least").put("figure", plain(level)).into(),
        unclear: None,
        remarks: Vec::new(),
    }
}

/// Others had the CPU that our threads waited for: neither latency nor the device can be blamed then.
fn others_had_cpu(s: &Subject, level: &Level) -> Option<Cause> {
    let starved = starved(s.record, level)?;
    let figure = format!("{} IOPS{} at depth {}", Iops(level.rate()), changed(level), level.concurrency());
    Some(Cause {
        kind: BindingKind::Unknown,
        names: Vec::new(),
        predicate: String::new(),
        detail: String::new(),
        figure: String::new(),
        said: Said::default(),
        unclear: Some(Unclear {
            why: Why::NothingKnown("others had the CPU".into()),
            figure,
            apart: (plain(level), level.concurrency()),
        }),
        remarks: vec![format!("others had the CPU: {}", starved.seen)],
    })
}

// --- pacing and latency -----------------------------------------------------------------------------------------

/// A plan that asks for a rate gets no more.
fn paced(level: &Level) -> Option<Cause> {
    let came = Iops(level.rate());
    let detail = match level.job.workload.pacing.rate() {
        Some(asked) if level.missed_rate().is_none() => {
            format!("{came} of {asked} per second came; no limit was sought")
        }
        Some(_) => return None,
        None => format!("{came} IOPS came of at most {}; no limit was sought", level.held_back()?),
    };
    Some(Cause {
        kind: BindingKind::Unknown,
        names: Vec::new(),
        predicate: "not limited at the rate asked for".into(),
        figure: detail.clone(),
        said: detail.clone().into(),
        detail,
        unclear: None,
        remarks: Vec::new(),
    })
}

fn queue_bound(s: &Subject, level: &Level) -> Option<f64> {
    let l0 = s.cycle.filter(|l| l.0 > 0)?;
    (!level.job.workload.pacing.is_open()).then(|| f64::from(level.concurrency()) / l0.secs())
}

/// At the deepest level the rate is still N / L0: nothing waits, so more concurrency gives more.
fn latency_bound(s: &Subject, level: &Level) -> Option<Cause> {
    let bound = queue_bound(s, level)?;
    // Nor may a deeper one be struck: what it would have given nobody knows.
    let deepest = s.levels.iter().map(Level::concurrency).max()?;
    if level.concurrency() < deepest || s.saturated || level.rate() < PROPORTIONAL * bound {
        return None;
    }
    // N / L0 says something only of another level than the one the latency was taken from.
    if level.concurrency() > 1 && s.cycle_from == Some(level.concurrency()) {
        return None;
    }
    let n = level.concurrency();
    let l0 = s.cycle.unwrap_or_default();
    let give = Iops(bound);
    Some(Cause {
        kind: BindingKind::Latency,
        names: vec!["queue (Little)".into()],
        predicate: "limited by latency".into(),
        detail: if n == 1 {
            // No forecast: it is the same level.
            format!("one in flight, {l0} each: {} IOPS{}", Iops(level.rate()), changed(level))
        } else {
            format!(
                "{n} in flight at {l0} each give {give} IOPS, {} measured{}; a deeper queue gives more",
                Iops(level.rate()),
                changed(level)
            )
        },
        figure: format!("{} with {n} in flight", plain(level)),
        said: Message::new("figure-in-flight").put("figure", plain(level)).put("n", n.to_string()).into(),
        unclear: None,
        remarks: Vec::new(),
    })
}

// --- without a row ----------------------------------------------------------------------------------------------

fn equal_over_sizes(s: &Subject, level: &Level) -> Option<Cause> {
    let list = |sizes: &[Bytes]| sizes.iter().map(|b| b.short()).collect::<Vec<_>>().join(", ");
    // Two digits: what is read off a measurement, and the same for every size under the same cap.
    let iops = Iops(two_digits(level.rate()));
    let bandwidth = BytesPerSecond(two_digits(level.rate() * level.mean_size()));
    let bandwidth = format!("{} MB/s", thousands(bandwidth.mb()).trim_end_matches(".0"));
    let by_iops = s.blocks.same_iops.len() >= 2;
    let by_bandwidth = s.blocks.same_bandwidth.len() >= 2;
    let (kind, name, detail) = match (by_iops, by_bandwidth) {
        (false, false) => return None,
        (true, false) => (
            BindingKind::IopsCap,
            format!("a cap of about {iops} IOPS that no given limit names"),
            format!("the same over {}", list(&s.blocks.same_iops)),
        ),
        (false, true) => (
            BindingKind::BandwidthCap,
            format!("a cap of about {bandwidth} that no given limit names"),
            format!("the same over {}", list(&s.blocks.same_bandwidth)),
        ),
        (true, true) => (
            BindingKind::Undecidable,
            format!("a cap of about {iops} IOPS or one of about {bandwidth}, which cross at this size"),
            format!(
                "operations are equal over {}, bytes over {}",
                list(&s.blocks.same_iops),
                list(&s.blocks.same_bandwidth)
            ),
        ),
    };
    let names = match kind {
        BindingKind::IopsCap => vec![format!("IOPS cap near {iops}")],
        BindingKind::BandwidthCap => vec![format!("bandwidth cap near {bandwidth}")],
        _ => vec![format!("IOPS cap near {iops}"), format!("bandwidth cap near {bandwidth}")],
    };
    let predicate = format!("limited by {name}");
    let others = cache::foreign(s.record, level);
    let shared = || {
        let sum = Iops(two_digits(level.rate() * (1.0 + others)));
        format!("others used the device meanwhile: if the cap counts them too, it is of up to {sum} IOPS of this size")
    };
    let remarks = (others > 0.0).then(shared).into_iter().collect();
    Some(Cause {
        kind,
        names,
        predicate,
        detail,
        figure: plain(level),
        said: plain(level).into(),
        unclear: None,
        remarks,
    })
}

fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.max(1.0).log10().floor() - 1.0);
    (value / unit).round() * unit
}

/// The rate stayed flat while latency grew with concurrency, and the generator had time to spare.
fn device(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Option<Cause> {
    if !s.saturated || generator.strength != Strength::None || cache::slowed_by_others(s.record, level) {
        return None;
    }
    let over = if caps.is_empty() { "" } else { " and away from every known limit" };
    Some(Cause {
        kind: BindingKind::Device,
        names: vec!["device".into()],
        predicate: "limited by the device".into(),
        detail: format!("{} IOPS {}", Iops(level.rate()), place(s, level)),
        figure: plain(level),
        said: plain(level).into(),
        unclear: None,
        remarks: vec![format!("latency grew with depth while the rate did not, the generator idle{over}")],
    })
}

fn unknown(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Cause {
    let mut remarks = match generator.strength {
        Strength::None => Vec::new(),
        _ => generator.reasons.iter().map(ToString::to_string).collect(),
    };
    // Of the levels of its own ramp, for those that were held back by others, too.
    let slowed = |l: &Level| cache::slowed_by_others(s.record, l);
    let deeper = || s.levels.iter().filter(|l| l.concurrency() > level.concurrency());
    let beside_others = slowed(level) || deeper().any(|l| l.sound() && slowed(l));
    let struck = deeper().any(|l| !l.sound());
    let (why, hint) = match s.knee {
        _ if beside_others => (Why::NothingKnown(BESIDE_OTHERS.into()), "repeat when the device is quiet"),
        Knee::NotReached { .. } | Knee::NotResolved if struck => (Why::NothingKnown(DEEPER_STRUCK.into()), "repeat it"),
        Knee::NotReached { deepest } => (Why::NotSaturated { deepest: *deepest }, "try deeper"),
        Knee::NotResolved => match agreement(s.levels.iter().map(|l| &l.figures)) {
            Some(a) => (Why::Brief { agree: agree(a), longer: names_caps(s.record) }, ""),
            None => (Why::Noisy, "use more time"),
        },
        _ if !remarks.is_empty() => (Why::NothingKnown("the generator may have held it back".into()), ""),
        _ if caps.is_empty() => (Why::NothingKnown("no limit is known here".into()), "declare limits with --limit"),
        _ => (Why::NothingKnown("away from every known limit".into()), "not shown to be saturated"),
    };
    if !hint.is_empty() {
        remarks.push(hint.to_owned());
    }
    unclear(level, why, remarks)
}

/// A rate whose cause cannot be named.
fn unclear(level: &Level, why: Why, remarks: Vec<String>) -> Cause {
    let figure = format!("{} IOPS{} at depth {}", Iops(level.rate()), changed(level), level.concurrency());
    Cause {
        kind: BindingKind::Unknown,
        names: Vec::new(),
        predicate: String::new(),
        detail: String::new(),
        figure: String::new(),
        said: Said::default(),
        unclear: Some(Unclear { why, figure, apart: (plain(level), level.concurrency()) }),
        remarks,
    }
}

fn agree(a: Agreement) -> String {
    format!("depths {} to {} agree within {:.1} %", a.from, a.to, a.within * 100.0)
}

/// What gives a ramp levels long enough, and enough of them, to prove a cap.
fn names_caps(record: &RunRecord) -> &'static str {
    match record.plan.time {
        Thoroughness::Quick => "--effort standard names caps",
        Thoroughness::Standard => "--effort thorough repeats the levels",
        Thoroughness::Thorough => "repeat it when the device is quiet",
    }
}

// --- evidence ---------------------------------------------------------------------------------------------------

/// `13,290 IOPS`.
fn plain(level: &Level) -> String {
    format!("{} IOPS{}", Iops(level.rate()), changed(level))
}

/// What is said behind the rate of a level that changed: the figure is never plain (`measurement.md` section 6).
fn changed(level: &Level) -> &'static str {
    if level.figures.steadiness.changed() { " after a change of level" } else { "" }
}

/// Where the rate was seen: from the knee on, if the level lies there, else at the level.
fn place(s: &Subject, level: &Level) -> String {
    match s.knee {
        // What came after a change of level was seen at this level only.
        _ if !changed(level).is_empty() => format!("at depth {}{}", level.concurrency(), changed(level)),
        Knee::Between { at, .. } if level.concurrency() >= *at => format!("at depth {at} and above"),
        _ => format!("at depth {}", level.concurrency()),
    }
}

fn constraints(s: &Subject, level: &Level, caps: &[Cap], generator: &Generator) -> Vec<Constraint> {
    let constraint = |name: &str, allows: f64| Constraint {
        name: name.to_owned(),
        allows: Iops(allows),
        used: level.rate() / allows,
    };
    let mut all: Vec<Constraint> = caps.iter().map(|c| constraint(&c.name, c.allows)).collect();
    all.extend(queue_bound(s, level).map(|q| constraint("queue (Little)", q)));
    if generator.allows.is_finite() && generator.allows > 0.0 {
        all.push(constraint("generator CPU", generator.allows));
    }
    all.sort_by(|a, b| a.allows.0.total_cmp(&b.allows.0));
    all
}

fn evidence(level: &Level, cause: &Cause, constraints: &[Constraint], generator: &Generator) -> Vec<String> {
    let interval = match level.figures.iops.ci {
        Some((lo, hi)) => format!("[{}, {}]", Iops(lo), Iops(hi)),
        None => format!("(no interval: {})", level.figures.iops.ci_missing),
    };
    let held = if level.figures.hold { ", held" } else { "" };
    let mut lines = vec![format!(
        "{} IOPS{} {interval} at depth {}{held}",
        Iops(level.rate()),
        changed(level),
        level.concurrency()
    )];
    for c in constraints.iter().filter(|c| cause.names.contains(&c.name)) {
        lines.push(format!("{} allows {} here: {:.1} % used", c.name, c.allows, c.used * 100.0));
    }
    let next = constraints.iter().find(|c| !cause.names.contains(&c.name) && c.used < 1.0 - TOLERANCE);
    if let Some(next) = next {
        lines.push(format!(
            "next: {} allows {}, {:.2} times this rate",
            next.name,
            next.allows,
            1.0 / next.used.max(1e-9)
        ));
    }
    lines.push(generator.usage.to_string());
    lines
}
