//! Judgement of a record. Derived, never stored: `analysis` produces it, `report` prints it.

use crate::judged::{
    DbJudgement, DurabilityFigures, Estimate, HydrationFigures, LayersSeen, MetadataFigures, NeedResult, Outcome,
    RunAnswer, SamplingCost, WatchJudgement,
};
use crate::measured::{Percentile, Phase, percentiles};
use crate::text::{Message, Said};
use crate::{
    Bytes, BytesPerSecond, Caveat, Iops, LatencyHistogram, Nanos, Op, RunRecord, Sentence, Severity, plan::StageRole,
};
use serde::{Deserialize, Serialize};

/// A statement with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Stable identifier, kebab-case.
    pub id: String,
    /// Severity of the finding.
    pub severity: Severity,
    /// Statement in one sentence.
    pub statement: Sentence,
    /// Supporting figures, one per line.
    pub evidence: Vec<Sentence>,
    /// Suggested action; may be empty.
    pub remedy: Sentence,
}

/// Shape of a window series over time (docs/design/statistics.md, "Levels of a series").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "regime")]
pub enum Steadiness {
    /// One level.
    Steady,
    /// One level after a start-up phase.
    Settled {
        /// Time from the start of the measurement.
        after: Nanos,
    },
    /// Two levels; the figures are those of the second, and no mean over both is ever taken.
    TwoRegimes {
        /// Time of the change, on the run's clock.
        at: Nanos,
        /// Rate before.
        before: Iops,
        /// Rate after.
        after: Iops,
    },
    /// Several levels; the figures are those of the last one, which is long enough.
    Changed {
        /// Start of the last level, on the run's clock.
        at: Nanos,
        /// Number of levels.
        levels: u32,
    },
    /// A trend, or a last level too short to represent the step: there is no rate to report. The figures describe the
    /// end of the step and are marked as invalid.
    NotSettled {
        /// Observation that led to this result.
        why: Sentence,
    },
    /// Too few windows to decide.
    TooShort,
}

impl Steadiness {
    /// Returns `true` if the figures are only those of the last level.
    #[must_use]
    pub const fn changed(&self) -> bool {
        matches!(self, Steadiness::TwoRegimes { .. } | Steadiness::Changed { .. })
    }

    /// Returns `true` if there is no level that figures could describe.
    #[must_use]
    pub const fn unsettled(&self) -> bool {
        matches!(self, Steadiness::NotSettled { .. })
    }
}

/// A period in which a step was at one level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stretch {
    /// Start, from the start of the measurement.
    pub from: Nanos,
    /// End, from the start of the measurement.
    pub until: Nanos,
    /// Mean rate.
    pub iops: Iops,
}

/// Number of levels listed at each end of the course if there are many.
const TOLD_LEVELS: usize = 3;

/// Formats levels with their times as a translatable value: `8,000 IOPS until 12.3 s, 2,000 until 15.0 s, then 8,000`.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpLatency {
    /// The kind of operation.
    pub op: Op,
    /// Number of operations.
    pub ops: u64,
    /// Arithmetic mean of the latencies.
    pub mean: Nanos,
    /// 99th percentile.
    #[serde(flatten, with = "percentiles::p99")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p99::P99"))]
    pub p99: Percentile,
}

/// Latency of flushes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlushLatency {
    /// Arithmetic mean of the latencies.
    pub mean: Nanos,
    /// 99th percentile.
    #[serde(flatten, with = "percentiles::p99")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p99::P99"))]
    pub p99: Percentile,
}

/// Figures of a step, at one level of concurrency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LevelFigures {
    /// Index of the step in the record; the first of them if the level was run in several passes.
    pub step: usize,
    /// Engine that ran the step.
    pub engine: String,
    /// Queue depth per thread.
    pub queue_depth: u32,
    /// Number of submitting threads.
    pub threads: u32,
    /// True for the sustained level, which is held after the ramp.
    pub hold: bool,
    /// Number of operations in the figures.
    pub ops: u64,
    /// Measured time covered by the figures.
    pub time: Nanos,
    /// Operations per second.
    pub iops: Estimate,
    /// Bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Mean latency.
    pub mean: Option<Nanos>,
    /// The median latency.
    #[serde(flatten, with = "percentiles::p50")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p50::P50"))]
    pub p50: Percentile,
    /// 99th percentile.
    #[serde(flatten, with = "percentiles::p99")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p99::P99"))]
    pub p99: Percentile,
    /// 95 % interval of the 99th percentile, from a block bootstrap over the seconds; present only if there are at
    /// least 30 seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ci: Option<(Nanos, Nanos)>,
    /// 99.9th percentile.
    #[serde(flatten, with = "percentiles::p999")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p999::P999"))]
    pub p999: Percentile,
    /// Largest latency.
    pub max: Option<Nanos>,
    /// Latency of each kind of data operation if the workload mixes several; else empty, because the figures above then
    /// describe the only kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<OpLatency>,
    /// Mean and p99 of flushes, if the workload has them.
    pub flush: Option<FlushLatency>,
    /// User CPU time per operation.
    pub cpu_user: Option<Nanos>,
    /// System CPU time per operation.
    pub cpu_system: Option<Nanos>,
    /// Share of wall time that the busiest submitting thread spent on a CPU, 0..=1.
    pub busiest_thread: f64,
    /// Time-averaged number of operations in flight, from the workers' integral.
    pub in_flight: f64,
    /// X*R over N: 1 if Little's law holds.
    pub little: f64,
    /// Failed operations.
    pub errors: u64,
    /// Shape of the series.
    pub steadiness: Steadiness,
    /// Levels in order, if there was more than one; for a drift, the first and last eighth of the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub course: Vec<Stretch>,
    /// Steps that contribute to the figures, each with the time, on the run's clock, from which its measurements count:
    /// the start of the step, or of its last level.
    pub kept: Vec<(usize, Nanos)>,
    /// Identifiers of the caveats that affect the level.
    pub caveats: Vec<String>,
    /// Reason why the figures are invalid. They must be printed as invalid with this reason, never plain.
    pub struck: Option<Sentence>,
}

impl LevelFigures {
    /// Returns the latencies from which the figures are computed, measured from the due time if the load is paced. They
    /// include operations in flight at the end; an operation that never completed counts with its age.
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

    /// Returns the operations in flight over all threads.
    #[must_use]
    pub fn concurrency(&self) -> u32 {
        self.queue_depth.saturating_mul(self.threads)
    }
}

/// The last levels of a ramp, if they agree: the ramp is flat, although that may not be proven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Concurrency of the first of these levels.
    pub from: u32,
    /// Concurrency of the last of these levels.
    pub to: u32,
    /// Excess of the highest rate over the lowest, as a share of the lowest.
    pub within: f64,
}

/// Relative distance within which rates agree.
const AGREE: f64 = 0.05;

/// Returns the longest sequence of final ramp levels whose rates are within 5 % of each other; `None` if there are
/// fewer than two such levels, or if their confidence intervals are wider than 5 %.
pub fn agreement<'a>(levels: impl DoubleEndedIterator<Item = &'a LevelFigures>) -> Option<Agreement> {
    let (mut low, mut high, mut agreement) = (f64::INFINITY, 0.0f64, None);
    let mut last = None;
    for level in levels.rev().filter(|l| !l.hold && l.struck.is_none() && l.iops.value > 0.0) {
        let (value, to) = (level.iops.value, *last.get_or_insert(level.concurrency()));
        (low, high) = (low.min(value), high.max(value));
        let vague = level.iops.ci.is_some_and(|(a, b)| b - a > 2.0 * AGREE * value);
        if vague || high > low * (1.0 + AGREE) {
            break;
        }
        if level.concurrency() != to {
            agreement = Some(Agreement { from: level.concurrency(), to, within: high / low - 1.0 });
        }
    }
    agreement
}

/// Knee of a ramp: the concurrency beyond which the rate no longer rises.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "knee")]
pub enum Knee {
    /// The knee is between these levels of concurrency.
    Between {
        /// Last level significantly below the best.
        below: u32,
        /// First level that is not significantly below the best.
        at: u32,
        /// Mean latency at that first level.
        latency: Option<Nanos>,
    },
    /// The rate was still growing at the highest concurrency.
    NotReached {
        /// Highest concurrency that was run.
        deepest: u32,
    },
    /// Undecided: there are too few levels, or they are too short or too noisy for the number of passes.
    NotResolved,
    /// Not a ramp.
    NotAsked,
}

/// Kind of the binding limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BindingKind {
    /// Latency: too few operations in flight, rate = N / L0.
    Latency,
    /// A declared or detected cap on operations.
    LimitIops,
    /// A declared or detected cap on bytes.
    LimitBandwidth,
    /// A cap on operations: their rate is the same for all block sizes, although no known limit matches.
    IopsCap,
    /// A cap on bytes: their rate is the same for all block sizes, although no known limit matches.
    BandwidthCap,
    /// A cap on operations or on bytes: the latencies show a throttle, although no known limit matches.
    Cap,
    /// The load generator ran out of CPU: the rate is a lower bound for the device.
    Generator,
    /// The device itself: it saturated below every known cap with an idle generator, and no cap explains its rates.
    Device,
    /// A cap or the device: the rate is flat, and the sizes measured do not distinguish them.
    CapOrDevice,
    /// The virtual disk as the guest sees it: below every known cap, its rate rises by a few percent with each doubling
    /// of the depth. The guest cannot distinguish the disk from the limits of its host.
    VirtualDisk,
    /// Two or more limits that cannot be distinguished at this point.
    Undecidable,
    /// No known limit explains the rate.
    #[default]
    Unknown,
}

/// Source of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConstraintSource {
    /// Declared or published limit: what was bought.
    Limit,
    /// Limit of our own control group.
    Cgroup,
    /// Operations in flight, by Little's law.
    Queue,
    /// CPU time of the load generator.
    Generator,
}

/// A constraint, and the rate that it allows at a measured point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Constraint {
    /// Name: `volume IOPS`, `instance bandwidth`, `cgroup read IOPS`, `queue (Little)`.
    pub name: String,
    /// Source of the constraint.
    pub source: ConstraintSource,
    /// Operations per second that it allows at this point.
    pub allows: Iops,
    /// Measured rate divided by the allowed rate.
    pub used: f64,
}

/// Binding limit at a point, with the evidence.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Binding {
    /// Kind of the limit.
    pub kind: BindingKind,
    /// Names of the binding limits; several if they are undecidable or equal.
    pub names: Vec<String>,
    /// One sentence for the verdict.
    pub statement: Sentence,
    /// Supporting figures, one per line.
    pub evidence: Vec<Sentence>,
    /// Known constraints at this point, tightest first.
    pub constraints: Vec<Constraint>,
}

impl Binding {
    /// Returns the binding limit in a few translatable words, for a table: `volume IOPS`, `the device`.
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

/// Judgement of one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternJudgement {
    /// Label: `8k randread`.
    pub label: String,
    /// Name of the stage.
    pub stage: String,
    /// Role of the stage.
    pub role: StageRole,
    /// Mean size of an operation.
    pub mean_size: Bytes,
    /// Levels in order of ascending concurrency; the held (sustained) level is last.
    pub levels: Vec<LevelFigures>,
    /// Index into `levels` of the highest rate.
    pub best: Option<usize>,
    /// Rate of the held level: the sustained rate, if it was steady.
    pub sustained: Option<Estimate>,
    /// Lowest and highest rate among the seconds used for `sustained`: a range of observations, not a confidence
    /// interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sustained_seconds: Option<(Iops, Iops)>,
    /// L0: mean latency of the same workload with one operation in flight.
    pub l0: Option<Nanos>,
    /// Set if L0 cannot be right: the level whose rate was certainly above N / L0, with the largest time per operation
    /// that its rate allows, N / X. That time replaces L0 in N* and in the limit of the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l0_doubted: Option<(u32, Nanos)>,
    /// N* = X_max * L0: the smallest concurrency for the best rate, sufficient only if no operation waits for another.
    pub n_star: Option<f64>,
    /// The level nearest to N*, with its measured mean latency.
    pub at_n_star: Option<(u32, Nanos)>,
    /// Knee of the ramp.
    pub knee: Knee,
    /// Binding limit at the best level.
    pub binding: Binding,
    /// Shares of the targets at the judged level; empty if there is only one target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<TargetShare>,
}

/// Share of one of several concurrent targets in a rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetShare {
    /// Name of the target, as the user gave it.
    pub name: String,
    /// Operations per second, over the same seconds as the total.
    pub iops: Iops,
    /// Bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Share of the total operations, 0..=1.
    pub share: f64,
    /// Mean latency.
    pub mean: Option<Nanos>,
    /// 99th percentile.
    #[serde(flatten, with = "percentiles::p99")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p99::P99"))]
    pub p99: Percentile,
    /// Limit that the target has reached, if any: a limit of the target alone, or one shared with other targets (`disk
    /// IOPS of A + B`).
    pub at: Option<String>,
}

/// Judgement of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judgement {
    /// Answer in at most four lines.
    pub answer: RunAnswer,
    /// Verdict in one sentence: the problem of the run if there is one, then the limits that bind, with their
    /// workloads.
    pub verdict: Sentence,
    /// Outcome of the needs; without needs `Pass` if the measurement is valid.
    pub outcome: Outcome,
    /// Result of each need.
    pub needs: Vec<NeedResult>,
    /// Judgement of each workload.
    pub patterns: Vec<PatternJudgement>,
    /// Further findings.
    pub findings: Vec<Finding>,
    /// Doubts from the record and from the analysis, the most severe first.
    pub caveats: Vec<Caveat>,
    /// Figures that replace the patterns, for kinds of runs that are not judged by workloads.
    #[serde(flatten)]
    pub figures: Option<KindFigures>,
    /// Cost of sampling counters during the run; `None` if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCost>,
    /// I/O at every layer for each group of steps, if the block layer was traced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayersSeen>,
    /// Exit code (docs/design/results.md, "Exit codes").
    pub exit_code: u8,
}

/// Figures of a kind of run that is not judged by workloads, serialized as one key with the variant's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KindFigures {
    /// Figures of `secchi db`.
    Database(Box<DbJudgement>),
    /// Figures of `secchi qualify --metadata`.
    Metadata(Box<MetadataFigures>),
    /// Figures of `secchi durable`.
    Durability(Box<DurabilityFigures>),
    /// Figures of `secchi hydration`.
    Hydration(Box<HydrationFigures>),
    /// Figures of `secchi watch`.
    Watch(Box<WatchJudgement>),
}

impl Judgement {
    /// Returns the figures of a database run.
    #[must_use]
    pub fn database(&self) -> Option<&DbJudgement> {
        if let Some(KindFigures::Database(figures)) = &self.figures { Some(figures) } else { None }
    }

    /// Returns the figures of a metadata run.
    #[must_use]
    pub fn metadata(&self) -> Option<&MetadataFigures> {
        if let Some(KindFigures::Metadata(figures)) = &self.figures { Some(figures) } else { None }
    }

    /// Returns the figures of a comparison of durable writes.
    #[must_use]
    pub fn durability(&self) -> Option<&DurabilityFigures> {
        if let Some(KindFigures::Durability(figures)) = &self.figures { Some(figures) } else { None }
    }

    /// Returns the figures of a watch.
    #[must_use]
    pub fn watch(&self) -> Option<&WatchJudgement> {
        if let Some(KindFigures::Watch(figures)) = &self.figures { Some(figures) } else { None }
    }

    /// Returns the result on one line: the answer, or the verdict if the answer has no lines.
    #[must_use]
    pub fn headline(&self) -> Sentence {
        let answer = self.answer.on_one_line();
        if answer.is_empty() { self.verdict.clone() } else { answer }
    }
}
