//! What the judge says of a record. Derived, never stored: `analysis` makes it, `report` prints it.

use crate::{
    Bytes, BytesPerSecond, Caveat, Clause, DbJudgement, DurabilityFigures, Iops, LatencyHistogram, LayersSeen, Message,
    MetadataFigures, Nanos, Op, Percentile, Phase, RunAnswer, RunRecord, Said, SamplingCost, Sentence, Severity,
    StageRole, WatchJudgement,
};
use serde::{Deserialize, Serialize};

/// A statement with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable identifier, kebab-case.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence.
    pub statement: Sentence,
    /// Figures it rests on, one per line.
    pub evidence: Vec<Sentence>,
    /// What to do; may be empty.
    pub remedy: Sentence,
}

/// An estimate with a 95 % confidence interval, or the reason there is none.
///
/// The interval is that of the mean over the time measured: from the windows of a step, and from its passes where a level
/// was run several times. It says nothing of another run, which may differ by more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Interval, if enough independent samples.
    pub ci: Option<(f64, f64)>,
    /// Why there is no interval; empty when there is one.
    pub ci_missing: Sentence,
    /// Windows it rests on.
    pub n: u64,
}

/// What a window series looks like over its time (docs/design/statistics.md, "Levels of a series").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "regime")]
pub enum Steadiness {
    /// One level.
    Steady,
    /// One level after a start.
    Settled {
        /// Since the start of measuring.
        after: Nanos,
    },
    /// Changed level once; the figures are those after it, and a mean over both is never made.
    TwoRegimes {
        /// When it changed, on the run's clock.
        at: Nanos,
        /// Rate before.
        before: Iops,
        /// Rate after.
        after: Iops,
    },
    /// Changed level several times; the figures are those of the last level, which is long enough.
    Changed {
        /// When the last level began, on the run's clock.
        at: Nanos,
        /// How many levels there were.
        levels: u32,
    },
    /// A trend, or a last level too short to speak for the step: there is no rate to tell. The figures are those of the
    /// end, struck.
    NotSettled {
        /// What was seen.
        why: Sentence,
    },
    /// Too few windows to tell.
    TooShort,
}

impl Steadiness {
    /// Whether the figures are those of a last level only.
    #[must_use]
    pub const fn changed(&self) -> bool {
        matches!(self, Steadiness::TwoRegimes { .. } | Steadiness::Changed { .. })
    }

    /// Whether there is no level that figures could be of.
    #[must_use]
    pub const fn unsettled(&self) -> bool {
        matches!(self, Steadiness::NotSettled { .. })
    }
}

/// A level that a step was at for a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// Since measuring began.
    pub from: Nanos,
    /// Since measuring began.
    pub until: Nanos,
    /// Mean rate.
    pub iops: Iops,
}

/// Levels spelled out at either end where there are many.
const TOLD_LEVELS: usize = 3;

/// Levels with their times, for a catalogue to say: `8,000 IOPS until 12.3 s, 2,000 until 15.0 s, then 8,000`.
#[must_use]
pub fn told_course(course: &[Stretch]) -> Said {
    let one = |(i, s): (usize, &Stretch)| {
        let rate = if i == 0 { format!("{} IOPS", s.iops) } else { s.iops.to_string() };
        match i + 1 == course.len() {
            true if i > 0 => Message::new("course-then").put("rate", rate).into(),
            true => Said::Text(rate),
            false => Message::new("course-until").put("rate", rate).put("time", s.until).into(),
        }
    };
    let mut parts: Vec<Said> = course.iter().enumerate().map(one).collect();
    if parts.len() > 2 * TOLD_LEVELS {
        let left = parts.len() - 2 * TOLD_LEVELS;
        parts.splice(TOLD_LEVELS..TOLD_LEVELS + left, [Message::new("course-more").put("n", left).into()]);
    }
    Said::join(parts, ", ")
}

/// Latency of one kind of operation in a mix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OpLatency {
    /// The kind of operation.
    pub op: Op,
    /// Operations it rests on.
    pub ops: u64,
    /// Arithmetic mean of the latencies.
    pub mean: Nanos,
    /// 99th percentile.
    pub p99: Percentile,
}

/// Figures of one step, at one level of concurrency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelFigures {
    /// Index of the step in the record; for repeated passes the first.
    pub step: usize,
    /// Engine that ran it.
    pub engine: String,
    /// Operations in flight per thread.
    pub queue_depth: u32,
    /// Submitting threads.
    pub threads: u32,
    /// Whether this is the held level.
    pub hold: bool,
    /// Operations the figures rest on.
    pub ops: u64,
    /// Measured time they rest on.
    pub time: Nanos,
    /// Operations per second.
    pub iops: Estimate,
    /// Bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Mean latency.
    pub mean: Option<Nanos>,
    /// The median latency.
    pub p50: Percentile,
    /// 99th percentile.
    pub p99: Percentile,
    /// 95 % interval of the 99th percentile, by block bootstrap over the seconds; only where there are 30 of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ci: Option<(Nanos, Nanos)>,
    /// 99.9th percentile.
    pub p999: Percentile,
    /// Largest latency.
    pub max: Option<Nanos>,
    /// Latency of each kind of data operation by itself, if the workload mixes several; else empty, for then the
    /// figures above are it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<OpLatency>,
    /// Mean and p99 of flushes, if the workload has them.
    pub flush: Option<(Nanos, Percentile)>,
    /// User CPU time per operation.
    pub cpu_user: Option<Nanos>,
    /// System CPU time per operation.
    pub cpu_system: Option<Nanos>,
    /// Share of wall time the busiest submitting thread was on a CPU, 0..=1.
    pub busiest_thread: f64,
    /// Time average in flight, from the workers' integral.
    pub in_flight: f64,
    /// X*R over N: 1 when Little's law holds.
    pub little: f64,
    /// Failed operations.
    pub errors: u64,
    /// Regime of the series.
    pub steadiness: Steadiness,
    /// The levels it was at, in order, where it was not at one; of a drift its first and its last eighth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub course: Vec<Stretch>,
    /// Its steps, and from when on, on the run's clock, what they measured is in its figures: from the beginning, or from
    /// that of the last level.
    #[serde(default)]
    pub kept: Vec<(usize, Nanos)>,
    /// Identifiers of the caveats that touch it.
    pub caveats: Vec<String>,
    /// `Some(reason)`: print struck with the reason, never plain.
    pub struck: Option<Sentence>,
}

impl LevelFigures {
    /// The latencies its figures are of: from the due time where the load is paced, and with what was in flight at the end; of what
    /// never came back its age.
    #[must_use]
    pub fn latencies(&self, record: &RunRecord) -> LatencyHistogram {
        let (mut latency, mut response) = (LatencyHistogram::default(), LatencyHistogram::default());
        for (step, from) in &self.kept {
            let Some(step) = record.steps.get(*step) else { continue };
            let measured = step.intervals.iter().filter(|i| i.phase == Phase::Measure && i.start >= *from);
            for interval in measured.chain(step.drained()) {
                latency.merge(&interval.latency());
                response.merge(&interval.response());
            }
        }
        let mut latency = if response.count() > 0 { response } else { latency };
        let ends = self.kept.iter().filter_map(|(step, _)| record.steps.get(*step)?.end.as_ref());
        ends.flat_map(|end| &end.pending_ages).for_each(|age| latency.record(*age));
        latency
    }

    /// Operations in flight over all threads.
    #[must_use]
    pub fn concurrency(&self) -> u32 {
        self.queue_depth.saturating_mul(self.threads)
    }
}

/// The last levels of a ramp, where they agree: flat, though that may not be proven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Concurrency of the first of them.
    pub from: u32,
    /// Concurrency of the last.
    pub to: u32,
    /// How much the highest is above the lowest, as a share of the lowest.
    pub within: f64,
}

/// Rates this near to each other agree.
const AGREE: f64 = 0.05;

/// The longest end of a ramp whose rates lie within 5 % of each other; `None` where there are not two such levels, or
/// where their own intervals are wider than that.
pub fn agreement<'a>(levels: impl DoubleEndedIterator<Item = &'a LevelFigures>) -> Option<Agreement> {
    let (mut low, mut high, mut found) = (f64::INFINITY, 0.0f64, None);
    let mut last = None;
    for level in levels.rev().filter(|l| !l.hold && l.struck.is_none() && l.iops.value > 0.0) {
        let (value, to) = (level.iops.value, *last.get_or_insert(level.concurrency()));
        (low, high) = (low.min(value), high.max(value));
        let vague = level.iops.ci.is_some_and(|(a, b)| b - a > 2.0 * AGREE * value);
        if vague || high > low * (1.0 + AGREE) {
            break;
        }
        if level.concurrency() != to {
            found = Some(Agreement { from: level.concurrency(), to, within: high / low - 1.0 });
        }
    }
    found
}

/// Where the gain of more concurrency ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "knee")]
pub enum Knee {
    /// Between these levels of concurrency.
    Between {
        /// Last level significantly below the best.
        below: u32,
        /// First level not below it.
        at: u32,
        /// Mean latency at the first level not below the best.
        latency: Option<Nanos>,
    },
    /// The rate still grew at the deepest level.
    NotReached {
        /// The deepest level run.
        deepest: u32,
    },
    /// Cannot be told: levels too few, too short, or too noisy for the number of passes.
    NotResolved,
    /// Not a ramp.
    NotAsked,
}

/// What kind of thing binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingKind {
    /// Too few in flight: rate = N / L0.
    Latency,
    /// A declared or detected cap on operations.
    LimitIops,
    /// A declared or detected cap on bytes.
    LimitBandwidth,
    /// Operations per second are equal over block sizes, though no limit row says so.
    IopsCap,
    /// Bytes per second are equal over block sizes, though no limit row says so.
    BandwidthCap,
    /// A cap on operations or on bytes: the latencies show a throttle, though no limit row says so.
    Cap,
    /// The load generator ran out of CPU: a lower bound of the device.
    Generator,
    /// The device itself: it saturated below every known cap with the generator idle, and no cap explains its rates.
    Device,
    /// A cap or the device: the rate is flat, and the sizes measured do not distinguish them.
    CapOrDevice,
    /// The virtual disk as the guest sees it: below every known cap its rate rises by a few percent with each doubling of the
    /// depth. The disk and the limits of its host cannot be told apart from inside.
    VirtualDisk,
    /// Two or more that cannot be told apart at this point.
    Undecidable,
    /// Nothing known explains the rate.
    Unknown,
}

/// One constraint with what it allows at a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// What: `volume IOPS`, `instance bandwidth`, `cgroup read IOPS`, `queue (Little)`.
    pub name: String,
    /// Operations per second it allows here.
    pub allows: Iops,
    /// Measured over allowed.
    pub used: f64,
}

/// Which limit binds at a point, with the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// What kind.
    pub kind: BindingKind,
    /// Names of the binding limits; several when undecidable or equal.
    pub names: Vec<String>,
    /// One sentence for the verdict.
    pub statement: Sentence,
    /// Figures it rests on, one per line.
    pub evidence: Vec<Sentence>,
    /// Known constraints at this point, tightest first.
    pub constraints: Vec<Constraint>,
}

impl Binding {
    /// What binds, in a few words for a table, for a catalogue to say: `volume IOPS`, `the device`.
    #[must_use]
    pub fn in_short(&self) -> Said {
        let id = match self.kind {
            BindingKind::Undecidable => "limit-undecided",
            BindingKind::Unknown => "limit-unknown",
            BindingKind::Latency => "limit-few",
            BindingKind::Generator => "limit-cpu",
            BindingKind::Device => "limit-device",
            BindingKind::CapOrDevice => "limit-cap-or-device",
            BindingKind::Cap => "limit-cap",
            BindingKind::VirtualDisk => "limit-virtual-disk",
            _ if !self.names.is_empty() => return self.names.join(" = ").into(),
            BindingKind::IopsCap | BindingKind::LimitIops => "limit-iops-cap",
            BindingKind::BandwidthCap | BindingKind::LimitBandwidth => "limit-bandwidth-cap",
        };
        Message::new(id).into()
    }
}

/// What the judge says of one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PatternJudgement {
    /// Label: `8k randread`.
    pub label: String,
    /// Name of the stage.
    pub stage: String,
    /// Its role.
    pub role: StageRole,
    /// Mean size of an operation.
    pub mean_size: Bytes,
    /// Levels in rising concurrency, the held one last.
    pub levels: Vec<LevelFigures>,
    /// Index into `levels` of the highest rate.
    pub best: Option<usize>,
    /// Rate of the held level: the sustained figure, if it was steady.
    pub sustained: Option<Estimate>,
    /// Lowest and highest rate among the seconds `sustained` rests on: what was seen, and no interval of confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sustained_seconds: Option<(Iops, Iops)>,
    /// Mean latency with one in flight, of the same workload.
    pub l0: Option<Nanos>,
    /// Set where L0 cannot be: the level that did certainly more than N / L0 allows, with the largest time per
    /// operation its rate leaves, N / X. That time stands for L0 in N* and in the limit of the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l0_doubted: Option<(u32, Nanos)>,
    /// X_max * L0: the least concurrency for the best rate, enough only if no operation waits for another.
    pub n_star: Option<f64>,
    /// Mean latency measured at the level nearest to N*, with that level.
    pub at_n_star: Option<(u32, Nanos)>,
    /// Where the gain ends.
    pub knee: Knee,
    /// What binds at the best level.
    pub binding: Binding,
    /// What each of several targets had of it at the level judged; empty where there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<TargetShare>,
}

/// What one of several targets side by side had of a rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetShare {
    /// The user's name for it.
    pub name: String,
    /// Operations per second, over the same seconds as the sum.
    pub iops: Iops,
    /// Bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Share of the sum's operations, 0..=1.
    pub share: f64,
    /// Mean latency.
    pub mean: Option<Nanos>,
    /// 99th percentile.
    pub p99: Percentile,
    /// The limit it is at, if it is: its own, or one that it shares with some of the others (`disk IOPS of A + B`).
    pub at: Option<String>,
}

/// Pass, fail, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The demand is met.
    Pass,
    /// Not met.
    Fail,
    /// Could not be told.
    Undecided,
}

/// One clause checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClauseResult {
    /// The demand.
    pub clause: Clause,
    /// How it came out.
    pub outcome: Outcome,
    /// The measured figure, printed.
    pub measured: Sentence,
}

/// One need checked: every clause at the same level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeedResult {
    /// As typed.
    pub text: String,
    /// How it came out.
    pub outcome: Outcome,
    /// Concurrency at which it was checked.
    pub depth: Option<u32>,
    /// Each clause with its figure and outcome.
    pub clauses: Vec<ClauseResult>,
    /// Why undecided, or a remark; may be empty.
    pub why: Sentence,
}

/// What the judge says of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// What was asked, in at most four lines.
    #[serde(default)]
    pub answer: RunAnswer,
    /// One sentence: what is wrong with the run if anything is, then which limit binds which workloads.
    pub verdict: Sentence,
    /// Outcome over the needs; `Pass` without needs when the measurement is valid.
    pub outcome: Outcome,
    /// Each need with its outcome.
    pub needs: Vec<NeedResult>,
    /// Each workload, judged.
    pub patterns: Vec<PatternJudgement>,
    /// Further statements.
    pub findings: Vec<Finding>,
    /// Doubts, those of the record and those found by the judge, the gravest first.
    pub caveats: Vec<Caveat>,
    /// Of `secchi db`: what is judged instead of patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Box<DbJudgement>>,
    /// Of `secchi qualify --metadata`: alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<MetadataFigures>>,
    /// Of `secchi durable`: alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Box<DurabilityFigures>>,
    /// Of `secchi watch`: alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<Box<WatchJudgement>>,
    /// What sampling counters beside the run cost; `None` where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCost>,
    /// Where the block layer was traced: the same I/O at every layer, for each group of steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayersSeen>,
    /// Exit code (docs/design/results.md, "Exit codes").
    pub exit_code: u8,
}

impl Judgement {
    /// What was found, on one line: the answer; where it has no line, the verdict.
    #[must_use]
    pub fn headline(&self) -> Sentence {
        let answer = self.answer.on_one_line();
        if answer.is_empty() { self.verdict.clone() } else { answer }
    }
}
