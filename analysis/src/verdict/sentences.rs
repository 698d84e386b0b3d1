//! The first sentence, and the exit code (docs/design/results.md, "Exit codes").

use crate::validity::caveats::{self, step_name};
use crate::validity::sampling;
use crate::verdict::binding::{Bound, Unclear, Why, one_of};
use crate::verdict::findings::BEYOND;
use messages::sentence;
use model::judged::{BindingKind, KindFigures, NeedResult, Outcome, PatternJudgement};
use model::record::{Pinged, StepStop};
use model::{
    Caveat, CompactSort, Iops, Judgement, RunRecord, RunState, Sentence, Severity, plan::StageRole, units::thousands,
};

/// Maximum number of groups that are spelled out; the rest is counted.
const MOST_GROUPS: usize = 2;
/// Maximum number of members whose own figures are listed.
const MOST_FIGURES: usize = 4;
/// Relative difference up to which rates are reported as one.
const SAME: f64 = 0.03;
/// Maximum number of labels named in a group.
const MOST_LABELS: usize = 3;
/// Maximum length, which is three lines on a screen of 100 columns without the label in the margin: longer sentences
/// are shortened.
const MOST_COLUMNS: usize = 270;
/// Workload whose figures lead, if it was measured: the most common operation of databases.
const FIRST: &str = "8k randread";

/// Returns the outcome from needs and validity, with its exit code.
pub(crate) fn outcome(record: &RunRecord, needs: &[NeedResult], caveats: &[Caveat]) -> (Outcome, u8) {
    let invalid = caveats.iter().any(|c| c.severity == Severity::Invalid);
    let any = |o: Outcome| needs.iter().any(|n| n.outcome == o);
    match record.state {
        RunState::Hung => return (Outcome::Undecided, 5),
        RunState::Stopped => return (Outcome::Undecided, record.stopped_code()),
        RunState::Interrupted | RunState::Running | RunState::Failed | RunState::Damaged => {
            return (Outcome::Undecided, 2);
        }
        RunState::Complete => {}
    }
    // A rate that contradicts the purchased limit proves nothing about it, regardless of the needs.
    let contradicted = caveats.iter().any(|c| c.id == BEYOND);
    if invalid {
        (Outcome::Undecided, 2)
    } else if any(Outcome::Fail) {
        (Outcome::Fail, 1)
    } else if any(Outcome::Undecided) || contradicted {
        (Outcome::Undecided, 2)
    } else {
        (Outcome::Pass, 0)
    }
}

/// A pattern with its binding.
type Judged<'a> = (&'a PatternJudgement, &'a Bound);

/// Returns the judgement of a kind of run that has no needs. `own` is the outcome of a complete and valid run, and
/// `statement` its first sentence.
pub(crate) fn without_needs(
    record: &RunRecord,
    doubts: Vec<Caveat>,
    own: (Outcome, u8),
    statement: Sentence,
    figures: KindFigures,
) -> Judgement {
    let doubts = caveats::tidy(doubts);
    let (outcome, exit_code) = match outcome(record, &[], &doubts) {
        (Outcome::Pass, _) => own,
        other => other,
    };
    Judgement {
        verdict: behind(trouble(record, &doubts), &doubts, statement),
        outcome,
        caveats: doubts,
        figures: Some(figures),
        sampling: sampling::sampling(record),
        exit_code,
        ..Judgement::default()
    }
}

/// Patterns with the same cause, or the same reason for an unknown cause.
struct Group<'a> {
    members: Vec<Judged<'a>>,
    /// Pattern whose figures are quoted.
    leader: Judged<'a>,
}

impl<'a> Group<'a> {
    fn new(members: Vec<Judged<'a>>, first: Option<&PatternJudgement>) -> Option<Self> {
        // A ramp leads, because it determined its own depth.
        let ramp = members.iter().find(|(p, _)| p.role == StageRole::Ramp);
        let important = members.iter().find(|(p, _)| first.is_some_and(|f| std::ptr::eq(f, *p)));
        let leader = *important.or(ramp).or(members.first())?;
        Some(Group { members, leader })
    }

    fn has_ramp(&self) -> bool {
        self.leader.0.role == StageRole::Ramp || self.members.iter().any(|(p, _)| p.role == StageRole::Ramp)
    }

    /// Formats the members: `4k, 8k randread`; `8k randread, 8k randwrite and 3 more`.
    fn subject(&self) -> Sentence {
        let mut members: Vec<&PatternJudgement> = self.members.iter().map(|(p, _)| *p).collect();
        members.dedup_by(|a, b| a.label == b.label);
        let split: Vec<(&str, &str)> =
            members.iter().map(|p| p.label.split_once(' ').unwrap_or((&p.label, ""))).collect();
        if split.len() > 1 && split.iter().all(|s| s.1 == split[0].1) {
            members.compact_sort_by_key(|p| p.mean_size);
            let sizes: Vec<&str> = members.iter().map(|p| p.label.split_once(' ').map_or("", |s| s.0)).collect();
            return format!("{} {}", sizes.join(", "), split[0].1).into();
        }
        let labels: Vec<&str> = members.iter().map(|p| p.label.as_str()).collect();
        if labels.len() > MOST_LABELS {
            let n = labels.len() - MOST_LABELS + 1;
            return sentence!("and-more", some = labels[..MOST_LABELS - 1].join(", "), n);
        }
        labels.join(", ").into()
    }

    /// Returns the clause of the group. `of` is the number of workloads that the sentence covers.
    fn clause(&self, of: usize) -> Sentence {
        let (pattern, bound) = self.leader;
        let n = self.members.len();
        let some = if n == of { sentence!("workloads-all", n) } else { sentence!("workloads-of", n, all = of) };
        let what = &pattern.label;
        match &bound.unclear {
            Some(_) if n == 1 => bound.binding.statement.clone(),
            Some(unclear) => {
                let figure = &unclear.figure;
                match &unclear.why {
                    Why::NotSaturated { deepest } => {
                        let same = |b: &Bound| b.unclear.as_ref().is_some_and(|u| u.why == unclear.why);
                        let rising = unclear.rising();
                        match self.members.iter().all(|(_, b)| same(b)) {
                            true => sentence!("several-rising-at", what, rising, some, deepest = *deepest),
                            false => sentence!("several-rising", what, rising, some),
                        }
                    }
                    Why::Noisy => sentence!("several-noisy", what, figure, some),
                    Why::Brief { agree, longer } => sentence!("several-brief", what, figure, agree, some, longer),
                    Why::NothingKnown(why) => sentence!("several-why", what, figure, some, why),
                }
            }
            // Each of several patterns failed to settle in its own way.
            None if bound.no_rate && n > 1 => sentence!("several-no-level", what = self.subject()),
            None if bound.no_rate => bound.binding.statement.clone(),
            None => {
                let detail = self.figures().unwrap_or_else(|| bound.detail.clone());
                let (what, predicate) = (self.subject(), &bound.predicate);
                match n {
                    1 => sentence!("binds-one", what, predicate, detail),
                    _ => sentence!("binds-several", what, predicate, detail),
                }
            }
        }
    }

    /// Returns what binds, for which workloads, at what figure: `volume IOPS, for 4k, 8k randread: 5,998 of 6,000 (100
    /// %)`.
    fn brief(&self) -> Sentence {
        let (pattern, bound) = self.leader;
        let what = self.subject();
        // A single figure for several sizes belongs to one of them.
        let size = pattern.label.split_once(' ').map(|(size, _)| size);
        let size = size.filter(|size| what != pattern.label && what.contains(size));
        let with_size = |figure: Sentence| match size {
            Some(size) => sentence!("figure-of-size", size, figure),
            None => figure,
        };
        match &bound.unclear {
            Some(unclear) => match &unclear.why {
                Why::NotSaturated { .. } => sentence!("binds-not-reached", what, figure = with_size(unclear.rising())),
                why => {
                    sentence!("binds-not-known", what, figure = with_size(unclear.figure.clone()), why = why.in_short())
                }
            },
            None if bound.no_rate => sentence!("binds-no-rate", what, figure = &bound.detail),
            None if bound.figure.is_empty() => sentence!("binds-no-figure", what, why = &bound.detail),
            None if bound.binding.kind == BindingKind::Unknown => {
                sentence!("binds-nothing", what, figure = &bound.figure)
            }
            None => sentence!("binds-limit", limit = limit(bound), what, figure = with_size(bound.figure.clone())),
        }
    }

    /// Returns the figure of each member if one figure would not be true for all: `8k 21,000 IOPS, 64k 3,100 IOPS`. A
    /// comparison with a row, in the row's own unit, is the same for all members at that row.
    fn figures(&self) -> Option<Sentence> {
        let (pattern, bound) = self.leader;
        let by_bytes = matches!(bound.binding.kind, BindingKind::LimitBandwidth | BindingKind::BandwidthCap);
        let row = matches!(bound.binding.kind, BindingKind::LimitIops | BindingKind::LimitBandwidth);
        let unit = |p: &PatternJudgement| if by_bytes { p.mean_size.as_u64() as f64 } else { 1.0 };
        let rate_here = bound.rate * unit(pattern);
        let same =
            |(p, b): &Judged| b.between.is_none() && (b.rate * unit(p) / rate_here.max(1e-9) - 1.0).abs() <= SAME;
        if row || self.members.len() == 1 || self.members.iter().all(same) {
            return None;
        }
        let mut members = self.members.clone();
        // The most important one first.
        members.compact_sort_by_key(|(p, _)| (!std::ptr::eq(*p, pattern), p.mean_size));
        members.dedup_by(|a, b| a.0.label == b.0.label);
        let sizes_differ = members.iter().all(|(p, _)| p.mean_size != pattern.mean_size || p.label == pattern.label);
        let name = |p: &PatternJudgement| match p.label.split_once(' ') {
            Some((size, _)) if sizes_differ => size.to_owned(),
            _ => p.label.clone(),
        };
        let rate = |b: &Bound| match b.between {
            Some((low, high)) => format!("{low}–{high}"),
            None => Iops(b.rate).to_string(),
        };
        let listed = members.iter().take(MOST_FIGURES).map(|(p, b)| format!("{} {}", name(p), rate(b)));
        let mut figures = Sentence::from(format!("{} IOPS", listed.collect::<Vec<_>>().join(", ")));
        if members.len() > MOST_FIGURES {
            figures = sentence!("and-more", some = figures, n = members.len() - MOST_FIGURES);
        }
        Some(match bound.binding.kind {
            BindingKind::Generator => sentence!("figures-lower-bounds", figures, reasons = &bound.reason),
            _ => figures,
        })
    }
}

/// Returns what binds in a few words, with unchanged names.
fn limit(bound: &Bound) -> Sentence {
    let binding = &bound.binding;
    match binding.kind {
        BindingKind::Undecidable => sentence!("limit-undecidable", names = one_of(&binding.names)),
        BindingKind::Cap => sentence!("limit-unnamed", name = one_of(&binding.names)),
        BindingKind::Device => sentence!("limit-device-defined"),
        BindingKind::IopsCap | BindingKind::BandwidthCap => sentence!("limit-unnamed", name = binding.in_short()),
        _ => messages::sentence(binding.in_short()),
    }
}

/// Returns `true` if the same sentence applies to two patterns.
fn alike(a: &Bound, b: &Bound) -> bool {
    match (&a.unclear, &b.unclear) {
        (None, None) => {
            a.binding.kind == b.binding.kind && a.binding.names == b.binding.names && a.no_rate == b.no_rate
        }
        (Some(a), Some(b)) => match (&a.why, &b.why) {
            (Why::NotSaturated { .. }, Why::NotSaturated { .. }) | (Why::Brief { .. }, Why::Brief { .. }) => true,
            (a, b) => a == b,
        },
        _ => false,
    }
}

/// Returns the patterns that the sentence mentions: no probes next to others, and no sweeps without a known cause,
/// which appear only in the table.
fn spoken_of<'a>(patterns: &'a [PatternJudgement], bounds: &'a [Bound]) -> Vec<Judged<'a>> {
    let judged: Vec<Judged> = patterns.iter().zip(bounds).filter(|(p, b)| p.best.is_some() || b.no_rate).collect();
    let probe = |p: &PatternJudgement| p.role == StageRole::Probe;
    let mute = |(p, b): &Judged| {
        p.role == StageRole::Sweep && matches!(&b.unclear, Some(Unclear { why: Why::NothingKnown(_), .. }))
    };
    let probes_only = judged.iter().all(|(p, _)| probe(p));
    let ramps = judged.iter().any(|(p, _)| p.role == StageRole::Ramp);
    judged.into_iter().filter(|j| (probes_only || !probe(j.0)) && !(ramps && mute(j))).collect()
}

/// Returns the statement of the `beyond-limit` doubt, if a measurement exceeded a limit.
pub(crate) fn contradiction(caveats: &[Caveat]) -> Option<&Sentence> {
    caveats.iter().find(|c| c.id == BEYOND).map(|c| &c.statement)
}

/// Returns the first sentence: problems of the run, if any, then which limit binds which patterns.
pub(crate) fn first_sentence(
    record: &RunRecord,
    patterns: &[PatternJudgement],
    bounds: &[Bound],
    caveats: &[Caveat],
) -> Sentence {
    let judged = spoken_of(patterns, bounds);
    let room = MOST_COLUMNS.saturating_sub(contradiction(caveats).map_or(0, |beyond| beyond.len() + "; ".len()));
    let said = match record.ping() {
        Some(pinged) => response_times(pinged),
        None if judged.is_empty() => sentence!("nothing-measured"),
        None => limits(&judged, room),
    };
    match trouble(record, caveats) {
        // No figure is valid: nothing else can be reported.
        Some(trouble) if trouble.rest == Rest::Same && judged.is_empty() && !patterns.is_empty() => trouble.what,
        trouble => behind(trouble, caveats, said),
    }
}

/// Puts the result after the problem with the run, or else after the contradiction to the purchased limit.
pub(crate) fn behind(trouble: Option<Trouble>, caveats: &[Caveat], said: Sentence) -> Sentence {
    match trouble {
        None => Sentence::join(contradiction(caveats).cloned().into_iter().chain([said]), "; "),
        Some(trouble) => trouble.before(said),
    }
}

/// Reports the result of a ping, which is the duration of requests. Single requests at fixed intervals show no limit.
fn response_times(pinged: &Pinged) -> Sentence {
    let times = &pinged.total.times;
    let Some(mean) = times.mean() else { return sentence!("ping-none-counted") };
    let p99 = times.percentile(99.0).value().map(|p99| format!("p99 {p99}").into());
    let max = times.max().map(|time| sentence!("time-max", time));
    let figures = [Some(sentence!("time-mean", time = mean)), p99, max].into_iter().flatten();
    let count = match times.count() {
        few @ ..100 => few.to_string(),
        many => thousands(many as f64),
    };
    sentence!("ping-times", count, times = Sentence::join(figures, ", "))
}

/// Groups workloads with the same result: the group of the most important workload first, known causes before unknown
/// ones.
fn groups<'a>(judged: &[Judged<'a>]) -> Vec<Group<'a>> {
    let ramp = |p: &PatternJudgement| p.role == StageRole::Ramp;
    let pick = |f: &dyn Fn(&PatternJudgement) -> bool| judged.iter().map(|(p, _)| *p).find(|p| f(p));
    let first = pick(&|p| ramp(p) && p.label == FIRST).or_else(|| pick(&|p| p.label == FIRST)).or_else(|| pick(&ramp));
    let mut sets: Vec<Vec<Judged>> = Vec::new();
    for one in judged {
        match sets.iter_mut().find(|s| alike(s[0].1, one.1)) {
            Some(set) => set.push(*one),
            None => sets.push(vec![*one]),
        }
    }
    let mut groups: Vec<Group> = sets.into_iter().filter_map(|set| Group::new(set, first)).collect();
    // A group without a named cause leads only if no other group has one.
    let named = groups.iter().any(|g| g.leader.1.unclear.is_none());
    let mute = |g: &Group| matches!(&g.leader.1.unclear, Some(Unclear { why: Why::NothingKnown(_), .. }));
    let leads = |g: &Group| first.is_some_and(|f| std::ptr::eq(f, g.leader.0)) && !(named && mute(g));
    groups.compact_sort_by_key(|g| (!leads(g), g.leader.1.unclear.is_some(), !g.has_ramp()));
    groups
}

/// Reports what binds in about three lines.
fn limits(judged: &[Judged], room: usize) -> Sentence {
    let groups = groups(judged);
    let mut shown = groups.len().min(MOST_GROUPS);
    loop {
        let mut parts: Vec<Sentence> = groups.iter().take(shown).map(|g| g.clause(judged.len())).collect();
        let rest: usize = groups.iter().skip(shown).map(|g| g.members.len()).sum();
        if rest > 0 {
            parts.push(sentence!("more-below", n = rest));
        }
        let text = Sentence::join(parts, "; ");
        if shown <= 1 || text.len() <= room {
            return text;
        }
        shown -= 1;
    }
}

/// The limit of the most important workloads in one short sentence, with the leading pattern and its binding.
pub(crate) struct Leading<'a> {
    pub pattern: &'a PatternJudgement,
    pub bound: &'a Bound,
    /// Text such as `volume IOPS, for 4k, 8k randread: 5,998 of 6,000 (100 %); 3 other workloads differ`.
    pub text: Sentence,
}

/// Returns the leading group's sentence; `None` if nothing was measured.
pub(crate) fn leading<'a>(patterns: &'a [PatternJudgement], bounds: &'a [Bound]) -> Option<Leading<'a>> {
    let judged = spoken_of(patterns, bounds);
    let groups = groups(&judged);
    let group = groups.first()?;
    let (pattern, bound) = group.leader;
    let text = match groups.iter().skip(1).map(|g| g.members.len()).sum::<usize>() {
        0 => group.brief(),
        n => sentence!("binds-others", binds = group.brief(), n),
    };
    Some(Leading { pattern, bound, text })
}

/// A problem that precedes everything else.
pub(crate) struct Trouble {
    pub what: Sentence,
    pub rest: Rest,
}

/// Meaning of the measurements if the run had a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Same meaning as without the problem.
    Same,
    /// Measured before the problem occurred.
    Before,
    /// Measurements that remain after the problem.
    Left,
    /// Preliminary: the run has not ended normally.
    SoFar,
}

impl Trouble {
    /// Puts the problem before the result.
    pub fn before(self, said: Sentence) -> Sentence {
        let Trouble { what, rest } = self;
        match rest {
            Rest::Same => Sentence::join([what, said], "; "),
            Rest::Before => sentence!("trouble-before", what, said),
            Rest::Left => sentence!("trouble-left", what, said),
            Rest::SoFar => sentence!("trouble-so-far", what, said),
        }
    }
}

/// Returns the problem of a run as a whole.
pub(crate) fn trouble(record: &RunRecord, caveats: &[Caveat]) -> Option<Trouble> {
    let because = |what: Sentence| match record.reason.is_empty() {
        true => what,
        false => Sentence::concat([what, format!(" ({})", record.reason).into()]),
    };
    let (what, rest) = match record.state {
        RunState::Hung => (hang(record), Rest::Before),
        RunState::Failed => (because(sentence!("ended-by-errors")), Rest::Before),
        RunState::Damaged => (because(sentence!("journal-damaged")), Rest::Left),
        RunState::Stopped => (because(sentence!("stopped-early")), Rest::SoFar),
        RunState::Interrupted => (sentence!("without-end"), Rest::SoFar),
        RunState::Running => (sentence!("still-running"), Rest::SoFar),
        RunState::Complete => {
            let gravest = caveats.iter().find(|c| c.severity == Severity::Invalid)?;
            let same = |c: &&Caveat| c.id == gravest.id && c.statement == gravest.statement;
            // Steps with the same evidence add nothing.
            let others = caveats.iter().filter(same).filter(|c| c.evidence != gravest.evidence).count();
            let (statement, evidence) = (&gravest.statement, &gravest.evidence);
            let what = match others {
                0 => sentence!("not-valid", statement, evidence),
                n => sentence!("not-valid-and-more", statement, evidence, n),
            };
            (what, Rest::Same)
        }
    };
    Some(Trouble { what, rest })
}

fn hang(record: &RunRecord) -> Sentence {
    let stuck = record
        .steps
        .iter()
        .enumerate()
        .rev()
        .find_map(|(i, s)| s.end.as_ref().filter(|e| e.stop == StepStop::Hung || e.pending > 0).map(|e| (i, e)));
    match stuck {
        _ if record.lost_a_host() => sentence!("doubt-host-gone"),
        Some((i, end)) => {
            let oldest = end.pending_ages.iter().max().copied().unwrap_or_default();
            // The work of a database's workers is not a block pattern.
            let title = match record.database() {
                Some(_) => Sentence::from(record.db_title()),
                None => step_name(record, Some(i)),
            };
            sentence!("hung-operations", n = end.pending, of = title, oldest)
        }
        None => sentence!("hung"),
    }
}
