//! The first sentence, and the exit code (`measurement.md` section 6).

use crate::binding::{Bound, Unclear, Why};
use crate::caveats::step_name;
use crate::findings::BEYOND;
use messages::in_catalogue;
use model::{
    BindingKind, Caveat, Iops, Message, NeedResult, Outcome, PatternJudgement, Pinged, RunRecord, RunState, Said,
    Severity, StageRole, StepStop, thousands,
};

/// Groups spelled out; the rest is counted.
const MOST_GROUPS: usize = 2;
/// Members whose own figures are told.
const MOST_FIGURES: usize = 4;
/// Rates that differ by no more are told as one.
const SAME: f64 = 0.03;
/// Labels named in a group.
const MOST_LABELS: usize = 3;
/// Columns of three lines on a screen of 100, the label in the margin left out: a longer sentence says less.
const MOST_COLUMNS: usize = 270;
/// Whose figures lead, if it was measured: what databases do most.
const FIRST: &str = "8k randread";

/// Outcome over needs and validity, and the exit code that goes with it.
pub(crate) fn outcome(record: &RunRecord, needs: &[NeedResult], caveats: &[Caveat]) -> (Outcome, u8) {
    let invalid = caveats.iter().any(|c| c.severity == Severity::Invalid);
    let any = |o: Outcome| needs.iter().any(|n| n.outcome == o);
    match record.state {
        RunState::Hung => return (Outcome::Undecided, 5),
        RunState::Stopped => return (Outcome::Undecided, record.stopped_code()),
        RunState::Interrupted | RunState::Failed | RunState::Damaged => return (Outcome::Undecided, 2),
        RunState::Complete => {}
    }
    // A rate that contradicts what was bought proves nothing of it, whatever the needs are.
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

/// A pattern with what binds it.
type Judged<'a> = (&'a PatternJudgement, &'a Bound);

/// Patterns that share a cause, or the same reason for knowing none.
struct Group<'a> {
    members: Vec<Judged<'a>>,
    /// The pattern whose figures are quoted.
    leader: Judged<'a>,
}

impl<'a> Group<'a> {
    fn new(members: Vec<Judged<'a>>, first: Option<&PatternJudgement>) -> Option<Self> {
        // A ramp leads, for its depth is its own.
        let ramp = members.iter().find(|(p, _)| p.role == StageRole::Ramp);
        let important = members.iter().find(|(p, _)| first.is_some_and(|f| std::ptr::eq(f, *p)));
        let leader = *important.or(ramp).or(members.first())?;
        Some(Group { members, leader })
    }

    fn has_ramp(&self) -> bool {
        self.leader.0.role == StageRole::Ramp || self.members.iter().any(|(p, _)| p.role == StageRole::Ramp)
    }

    /// `4k, 8k randread`; `8k randread, 8k randwrite and 3 more`.
    fn subject(&self) -> String {
        let mut members: Vec<&PatternJudgement> = self.members.iter().map(|(p, _)| *p).collect();
        members.dedup_by(|a, b| a.label == b.label);
        let split: Vec<(&str, &str)> =
            members.iter().map(|p| p.label.split_once(' ').unwrap_or((&p.label, ""))).collect();
        if split.len() > 1 && split.iter().all(|s| s.1 == split[0].1) {
            members.sort_by_key(|p| p.mean_size);
            let sizes: Vec<&str> = members.iter().map(|p| p.label.split_once(' ').map_or("", |s| s.0)).collect();
            return format!("{} {}", sizes.join(", "), split[0].1);
        }
        let labels: Vec<&str> = members.iter().map(|p| p.label.as_str()).collect();
        if labels.len() > MOST_LABELS {
            return format!("{} and {} more", labels[..MOST_LABELS - 1].join(", "), labels.len() - MOST_LABELS + 1);
        }
        labels.join(", ")
    }

    /// `of` is the number of workloads the sentence speaks of.
    fn clause(&self, of: usize) -> String {
        let (pattern, bound) = self.leader;
        let n = self.members.len();
        let some = if n == of { format!("all {n}") } else { format!("{n} of {of}") };
        match &bound.unclear {
            Some(_) if n == 1 => bound.binding.statement.to_string(),
            Some(unclear) => match &unclear.why {
                Why::NotSaturated { deepest } => {
                    let same = |b: &Bound| b.unclear.as_ref().is_some_and(|u| u.why == unclear.why);
                    let depth = if self.members.iter().all(|(_, b)| same(b)) {
                        format!("at depth {deepest}")
                    } else {
                        "at the deepest level tried".to_owned()
                    };
                    let rising = unclear.rising();
                    format!("{}: {rising}; {some} workloads were not saturated {depth}", pattern.label)
                }
                Why::Noisy => format!(
                    "{} reached {}; what limits {some} workloads cannot be told: levels too noisy",
                    pattern.label, unclear.figure
                ),
                Why::Brief { agree, longer } => format!(
                    "{} reached {}: {agree}; levels of {some} workloads are too few or too short to name a cap: {longer}",
                    pattern.label, unclear.figure
                ),
                Why::NothingKnown(why) => {
                    format!("{} reached {}; {some} workloads: {why}", pattern.label, unclear.figure)
                }
            },
            // Each of several came to no level in its own way.
            None if bound.no_rate() && n > 1 => format!("{} came to no level", self.subject()),
            None if bound.no_rate() => bound.binding.statement.to_string(),
            None => {
                let verb = if n > 1 { "are" } else { "is" };
                let detail = self.figures().unwrap_or_else(|| bound.detail.clone());
                let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
                format!("{} {verb} {}{detail}", self.subject(), bound.predicate)
            }
        }
    }

    /// What binds, for which workloads, at what figure: `volume IOPS, for 4k, 8k randread: 5,998 of 6,000 (100 %)`.
    fn brief(&self) -> String {
        let (pattern, bound) = self.leader;
        let subject = self.subject();
        // One figure of several is that of one of them.
        let of = match pattern.label.split_once(' ') {
            Some((size, _)) if subject != pattern.label && subject.contains(size) => format!("{size} at "),
            _ => String::new(),
        };
        let what = match bound.binding.kind {
            BindingKind::Undecidable => format!("{}, undecidable here", bound.binding.names.join(" or ")),
            BindingKind::IopsCap | BindingKind::BandwidthCap => {
                format!("{} that no given limit names", bound.binding.in_short())
            }
            _ => bound.binding.in_short(),
        };
        match &bound.unclear {
            Some(unclear) => {
                let why = match &unclear.why {
                    Why::NotSaturated { .. } => return format!("not reached, for {subject}: {of}{}", unclear.rising()),
                    Why::Noisy => "levels too noisy",
                    Why::Brief { .. } => "levels too few or too short",
                    Why::NothingKnown(why) => why,
                };
                format!("not known, for {subject}: {of}{}, {why}", unclear.figure)
            }
            None if bound.no_rate() => format!("no steady rate, for {subject}: {}", bound.detail),
            None if bound.figure.is_empty() => format!("not known, for {subject}: {}", bound.detail),
            None if bound.binding.kind == BindingKind::Unknown => format!("nothing, for {subject}: {}", bound.figure),
            None => format!("{what}, for {subject}: {of}{}", bound.figure),
        }
    }

    /// The same as [`Group::brief`], for every language.
    fn told(&self) -> Message {
        let (pattern, bound) = self.leader;
        let subject = self.subject();
        // One figure of several is that of one of them.
        let of = |figure: Said| match pattern.label.split_once(' ') {
            Some((size, _)) if subject != pattern.label && subject.contains(size) => {
                Said::Message(Message::new("figure-of-size").put("size", size).put("figure", figure))
            }
            _ => figure,
        };
        let said = |id: &str| Message::new(id).put("what", subject.as_str());
        match &bound.unclear {
            Some(unclear) => match &unclear.why {
                Why::NotSaturated { .. } => said("binds-not-reached").put("figure", of(unclear.told_rising().into())),
                why => said("binds-not-known").put("figure", of(unclear.told().into())).put("why", why_said(why)),
            },
            None if bound.no_rate() => said("binds-no-rate").put("figure", bound.detail.as_str()),
            None if bound.figure.is_empty() => said("binds-no-figure").put("why", bound.detail.as_str()),
            None if bound.binding.kind == BindingKind::Unknown => {
                said("binds-nothing").put("figure", bound.said.clone())
            }
            None => said("binds-limit").put("limit", limit_said(bound)).put("figure", of(bound.said.clone())),
        }
    }

    /// The figure of each member where one would not be true of all: `8k 21,000 IOPS, 64k 3,100 IOPS`. What is held against a
    /// row is the same for all that are at it, in the row's own unit.
    fn figures(&self) -> Option<String> {
        let (pattern, bound) = self.leader;
        let by_bytes = matches!(bound.binding.kind, BindingKind::LimitBandwidth | BindingKind::BandwidthCap);
        let row = matches!(bound.binding.kind, BindingKind::LimitIops | BindingKind::LimitBandwidth);
        let unit = |p: &PatternJudgement| if by_bytes { p.mean_size.0 as f64 } else { 1.0 };
        let own = bound.rate * unit(pattern);
        let same = |(p, b): &Judged| (b.rate * unit(p) / own.max(1e-9) - 1.0).abs() <= SAME;
        if row || self.members.iter().all(same) {
            return None;
        }
        let mut members = self.members.clone();
        // The most important one first.
        members.sort_by_key(|(p, _)| (!std::ptr::eq(*p, pattern), p.mean_size));
        members.dedup_by(|a, b| a.0.label == b.0.label);
        let sizes_differ = members.iter().all(|(p, _)| p.mean_size != pattern.mean_size || p.label == pattern.label);
        let name = |p: &PatternJudgement| match p.label.split_once(' ') {
            Some((size, _)) if sizes_differ => size.to_owned(),
            _ => p.label.clone(),
        };
        let told = members.iter().take(MOST_FIGURES).map(|(p, b)| format!("{} {}", name(p), Iops(b.rate)));
        let mut text = format!("{} IOPS", told.collect::<Vec<_>>().join(", "));
        if members.len() > MOST_FIGURES {
            text.push_str(&format!(" and {} more", members.len() - MOST_FIGURES));
        }
        if bound.binding.kind == BindingKind::Generator {
            text.push_str(&format!(" are lower bounds; {}", bound.reason));
        }
        Some(text)
    }
}

/// Why a cause is not known, for every language; what is in no catalogue stays as it is.
pub(crate) fn why_said(why: &Why) -> Said {
    let text = match why {
        Why::NotSaturated { .. } => return Message::new("why-rising").into(),
        Why::Noisy => return Message::new("why-noisy").into(),
        Why::Brief { .. } => return Message::new("why-brief").into(),
        Why::NothingKnown(text) => text,
    };
    in_catalogue("why-", text)
}

/// What binds in a few words, for every language: names as they are.
pub(crate) fn limit_said(bound: &Bound) -> Said {
    let binding = &bound.binding;
    match binding.kind {
        BindingKind::Undecidable => Message::new("limit-undecidable").put("names", binding.names.join(" / ")).into(),
        BindingKind::IopsCap | BindingKind::BandwidthCap => {
            Message::new("limit-unnamed").put("name", in_catalogue("limit-", &binding.in_short())).into()
        }
        _ => in_catalogue("limit-", &binding.in_short()),
    }
}

/// Whether two patterns share what is said of them.
fn alike(a: &Bound, b: &Bound) -> bool {
    match (&a.unclear, &b.unclear) {
        (None, None) => {
            a.binding.kind == b.binding.kind && a.binding.names == b.binding.names && a.no_rate() == b.no_rate()
        }
        (Some(a), Some(b)) => match (&a.why, &b.why) {
            (Why::NotSaturated { .. }, Why::NotSaturated { .. }) | (Why::Brief { .. }, Why::Brief { .. }) => true,
            (a, b) => a == b,
        },
        _ => false,
    }
}

/// Patterns worth a word: no probes beside others, and of sweeps that nothing is known about only the table speaks.
fn spoken_of<'a>(patterns: &'a [PatternJudgement], bounds: &'a [Bound]) -> Vec<Judged<'a>> {
    let judged: Vec<Judged> = patterns.iter().zip(bounds).filter(|(p, b)| p.best.is_some() || b.no_rate()).collect();
    let probe = |p: &PatternJudgement| p.role == StageRole::Probe;
    let mute = |(p, b): &Judged| {
        p.role == StageRole::Sweep && matches!(&b.unclear, Some(Unclear { why: Why::NothingKnown(_), .. }))
    };
    let probes_only = judged.iter().all(|(p, _)| probe(p));
    let ramps = judged.iter().any(|(p, _)| p.role == StageRole::Ramp);
    judged.into_iter().filter(|j| (probes_only || !probe(j.0)) && !(ramps && mute(j))).collect()
}

/// What contradicts what was bought, as the beginning of a sentence.
pub(crate) fn contradiction(caveats: &[Caveat]) -> String {
    caveats.iter().find(|c| c.id == BEYOND).map_or_else(String::new, |c| format!("{}; ", c.statement))
}

/// The first sentence: what is wrong with the run, if anything, then which limit binds which patterns.
pub(crate) fn sentence(
    record: &RunRecord,
    patterns: &[PatternJudgement],
    bounds: &[Bound],
    caveats: &[Caveat],
) -> String {
    let judged = spoken_of(patterns, bounds);
    let beyond = contradiction(caveats);
    let room = MOST_COLUMNS.saturating_sub(beyond.len());
    let said = match &record.ping {
        Some(pinged) => response_times(pinged),
        None if judged.is_empty() => "nothing was measured".to_owned(),
        None => limits(&judged, room),
    };
    match trouble(record, caveats) {
        None => format!("{beyond}{said}"),
        // Every figure is struck: that is all there is to say.
        Some((trouble, "")) if judged.is_empty() && !patterns.is_empty() => trouble,
        // What was measured before the trouble stands apart from it.
        Some((trouble, before)) => format!("{trouble}; {before}{said}"),
    }
}

/// What a ping is run for: how long a request took. One at a time, at a beat, shows no limit.
fn response_times(pinged: &Pinged) -> String {
    let times = &pinged.total.times;
    let Some(mean) = times.mean() else { return "no request counted".to_owned() };
    let p99 = times.percentile(99.0).value().map(|p99| format!(", p99 {p99}")).unwrap_or_default();
    let max = times.max().map(|max| format!(", max {max}")).unwrap_or_default();
    let count = match times.count() {
        few @ ..100 => few.to_string(),
        many => thousands(many as f64),
    };
    format!("{count} requests: mean {mean}{p99}{max}")
}

/// Workloads that share what is said of them, the group of the most important workload first, known causes before unknown ones.
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
    let leads = |g: &Group| first.is_some_and(|f| std::ptr::eq(f, g.leader.0));
    groups.sort_by_key(|g| (!leads(g), g.leader.1.unclear.is_some(), !g.has_ramp()));
    groups
}

/// What binds at about three lines.
fn limits(judged: &[Judged], room: usize) -> String {
    let groups = groups(judged);
    let mut shown = groups.len().min(MOST_GROUPS);
    loop {
        let mut parts: Vec<String> = groups.iter().take(shown).map(|g| g.clause(judged.len())).collect();
        let rest: usize = groups.iter().skip(shown).map(|g| g.members.len()).sum();
        if rest > 0 {
            parts.push(format!("{rest} more below"));
        }
        let text = parts.join("; ");
        if shown <= 1 || text.len() <= room {
            return text;
        }
        shown -= 1;
    }
}

/// What binds the most important workloads, in one short sentence, with the pattern that leads them and what binds it.
pub(crate) struct Leading<'a> {
    pub pattern: &'a PatternJudgement,
    pub bound: &'a Bound,
    /// `volume IOPS, for 4k, 8k randread: 5,998 of 6,000 (100 %); 3 others differ`.
    pub text: String,
    /// The same for every language.
    pub message: Message,
}

/// `None` where nothing was measured.
pub(crate) fn leading<'a>(patterns: &'a [PatternJudgement], bounds: &'a [Bound]) -> Option<Leading<'a>> {
    let judged = spoken_of(patterns, bounds);
    let groups = groups(&judged);
    let group = groups.first()?;
    let others: usize = groups.iter().skip(1).map(|g| g.members.len()).sum();
    let more = match others {
        0 => String::new(),
        1 => "; 1 other differs".to_owned(),
        n => format!("; {n} others differ"),
    };
    let (pattern, bound) = group.leader;
    let message = match others {
        0 => group.told(),
        n => Message::new("binds-others").put("binds", group.told()).put("n", n.to_string()),
    };
    Some(Leading { pattern, bound, text: format!("{}{more}", group.brief()), message })
}

/// What stands before everything else, and how the rest is to be read.
pub(crate) fn trouble(record: &RunRecord, caveats: &[Caveat]) -> Option<(String, &'static str)> {
    let reason = if record.reason.is_empty() { String::new() } else { format!(" ({})", record.reason) };
    match record.state {
        RunState::Hung => Some((hang(record), "before that: ")),
        RunState::Failed => Some((format!("ended by errors{reason}"), "before that: ")),
        RunState::Damaged => Some((format!("no measurement, its journal is damaged{reason}"), "of what is left: ")),
        RunState::Stopped => Some((format!("stopped before its end{reason}"), "so far: ")),
        RunState::Interrupted => Some(("without an end, killed or still running".into(), "so far: ")),
        RunState::Complete => {
            let gravest = caveats.iter().find(|c| c.severity == Severity::Invalid)?;
            let same = |c: &&Caveat| c.id == gravest.id && c.statement == gravest.statement;
            // Steps that saw the same are no more evidence.
            let others = caveats.iter().filter(same).filter(|c| c.evidence != gravest.evidence).count();
            let more = if others > 0 { format!("; and {others} more") } else { String::new() };
            Some((format!("not valid: {} ({}{more})", gravest.statement, gravest.evidence), ""))
        }
    }
}

fn hang(record: &RunRecord) -> String {
    let stuck = record
        .steps
        .iter()
        .enumerate()
        .rev()
        .find_map(|(i, s)| s.end.as_ref().filter(|e| e.stop == StepStop::Hung || e.pending > 0).map(|e| (i, e)));
    match stuck {
        Some((i, end)) => {
            let oldest = end.pending_ages.iter().max().copied().unwrap_or_default();
            // What a database's workers do is no block pattern.
            let of = match record.database {
                Some(_) => record.db_title(),
                None => step_name(record, Some(i)).into(),
            };
            format!("hung: {} operations of {of} did not come back, the oldest after {oldest}", end.pending)
        }
        None => "hung: operations did not come back".into(),
    }
}
