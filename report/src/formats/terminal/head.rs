//! The first screen: `VERDICT`, `NEED`, `TRUST`.

use super::brief;
use super::closing::findings;
use super::pattern::binding;
use crate::figures::duration;
use crate::page::{LABEL, Page};
use crate::text::{Hue, Line, Paint};
use model::{Caveat, ClauseResult, Judgement, NeedResult, Outcome, RunRecord, RunState, Severity, StageRole};
use std::collections::BTreeSet;
use std::io;

/// Examples told of one doubt before the rest is only counted.
const EXAMPLES: usize = 3;
/// Columns that the evidence of one doubt may fill; never less than two lines.
const EVIDENCE: usize = 160;

pub(crate) fn write(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    page.labelled("VERDICT", Paint::of(hue(judgement.outcome)).bold(), &judgement.verdict, Paint::BOLD)?;
    if record.state != RunState::Complete {
        page.labelled("PARTIAL", Paint::of(Hue::Doubt).bold(), &partial(record), Paint::PLAIN)?;
    }
    needs(page, &judgement.needs)?;
    trust(page, record, judgement)
}

/// What a kept run was judged by: its needs, and what was bought held against what was delivered.
pub(super) fn judged(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    if !judgement.answer.lines.is_empty() {
        brief::answer(page, &judgement.answer)?;
        page.blank()?;
    }
    let count = |o: Outcome| judgement.needs.iter().filter(|n| n.outcome == o).count();
    let all = judgement.needs.len();
    let parts: Vec<String> = [(Outcome::Pass, "met"), (Outcome::Fail, "not met"), (Outcome::Undecided, "undecided")]
        .iter()
        .filter(|(o, _)| count(*o) > 0)
        .map(|(o, word)| format!("{} {word}", count(*o)))
        .collect();
    let what = if all == 1 { "1 need".to_owned() } else { format!("{all} needs") };
    let run = format!("{}, {}", record.id, record.started);
    let (verdict, run) = match all {
        0 => (judgement.verdict.to_string(), run),
        _ => (format!("{what}: {}", parts.join(", ")), format!("{run}: {}", judgement.verdict)),
    };
    page.labelled("VERDICT", Paint::of(hue(judgement.outcome)).bold(), &verdict, Paint::BOLD)?;
    page.labelled("run", Paint::DIM, &run, Paint::PLAIN)?;
    if record.state != RunState::Complete {
        page.labelled("PARTIAL", Paint::of(Hue::Doubt).bold(), &partial(record), Paint::PLAIN)?;
    }
    needs(page, &judgement.needs)?;
    trust(page, record, judgement)?;
    if record.plan.limits.is_empty() {
        return Ok(());
    }
    for limit in &record.plan.limits {
        page.labelled("LIMIT", Paint::BOLD, &limit.to_string(), Paint::PLAIN)?;
    }
    let probes_only = judgement.patterns.iter().all(|p| p.role == StageRole::Probe);
    for pattern in judgement.patterns.iter().filter(|p| probes_only || p.role != StageRole::Probe) {
        page.blank()?;
        page.heading(&pattern.label, "delivered, and what was bought")?;
        binding(page, pattern)?;
    }
    findings(page, judgement)
}

/// How the first sentence is painted.
pub(crate) fn outcome_paint(outcome: Outcome) -> Paint {
    Paint::of(hue(outcome)).bold()
}

fn hue(outcome: Outcome) -> Hue {
    match outcome {
        Outcome::Pass => Hue::Pass,
        Outcome::Fail => Hue::Fail,
        Outcome::Undecided => Hue::Doubt,
    }
}

/// How a run that is not complete ended.
pub(crate) fn partial(record: &RunRecord) -> String {
    let how = match record.state {
        RunState::Complete => "complete",
        RunState::Interrupted => "the run has no end: it was killed, or still runs",
        RunState::Stopped => "the run was stopped",
        RunState::Hung => "the run was given up: operations did not come back",
        RunState::Failed => "the run was ended by errors",
        RunState::Damaged => "the journal of the run is damaged, and what is left of it is no measurement",
    };
    let mut text = format!("{how}, after {}", duration(record.ended));
    if !record.reason.is_empty() {
        text.push_str(": ");
        text.push_str(&record.reason);
    }
    text
}

/// Needs, each with its clauses.
pub(crate) fn needs(page: &mut Page, needs: &[NeedResult]) -> io::Result<()> {
    for (i, need) in needs.iter().enumerate() {
        if i == 0 {
            page.blank()?;
        }
        let word = match need.outcome {
            Outcome::Pass => "MET",
            Outcome::Fail => "NOT MET",
            Outcome::Undecided => "UNDECIDED",
        };
        let mut lead = Line::new().with(if i == 0 { "NEED" } else { "" }, Paint::BOLD);
        lead.pad_to(LABEL);
        lead.push(word, Paint::of(hue(need.outcome)).bold());
        let mut text = need.text.clone();
        if let Some(depth) = need.depth {
            text.push_str(&format!("  (at {depth} in flight)"));
        }
        page.hanging(lead, LABEL + 11, &text, Paint::PLAIN)?;
        clauses(page, &need.clauses)?;
        if !need.why.is_empty() {
            page.hanging(Line::new(), LABEL + 11, &need.why, Paint::DIM)?;
        }
    }
    Ok(())
}

fn clauses(page: &mut Page, clauses: &[ClauseResult]) -> io::Result<()> {
    let demands: Vec<String> = clauses.iter().map(|c| page.ink.text(&c.clause.to_string())).collect();
    let widest = demands.iter().map(|d| d.len()).max().unwrap_or(0);
    for (clause, demand) in clauses.iter().zip(demands) {
        let glyphs = page.ink.glyphs();
        let sign = match clause.outcome {
            Outcome::Pass => glyphs.yes,
            Outcome::Fail => glyphs.no,
            Outcome::Undecided => glyphs.maybe,
        };
        let mut lead = Line::plain(" ".repeat(LABEL + 11));
        lead.push(format!("{sign} "), Paint::of(hue(clause.outcome)).bold());
        lead.push(format!("{demand:<widest$}   "), Paint::DIM);
        let hang = lead.width();
        page.hanging(lead, hang, &clause.measured, Paint::PLAIN)?;
    }
    Ok(())
}

fn trust(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    page.blank()?;
    let groups = grouped(&judgement.caveats);
    if groups.is_empty() {
        let yes = page.ink.glyphs().yes;
        let line = Line::new().with(yes, Paint::of(Hue::Pass)).with(" no doubt was found", Paint::PLAIN);
        return page.labelled_line("TRUST", Paint::BOLD, line);
    }
    let mut line = Line::new();
    for (severity, one, many) in [
        (Severity::Invalid, "invalid", "invalid"),
        (Severity::Doubt, "doubt", "doubts"),
        (Severity::Note, "note", "notes"),
    ] {
        let n = groups.iter().filter(|g| g[0].severity == severity).count();
        if n > 0 {
            line.push(if line.spans.is_empty() { "" } else { ", " }, Paint::PLAIN);
            line.push(format!("{n} {}", if n == 1 { one } else { many }), severity_paint(severity));
        }
    }
    page.labelled_line("TRUST", Paint::BOLD, line)?;
    groups.iter().try_for_each(|group| caveat(page, record, group))
}

pub(crate) fn severity_paint(severity: Severity) -> Paint {
    match severity {
        Severity::Invalid => Paint::of(Hue::Fail),
        Severity::Doubt => Paint::of(Hue::Doubt),
        Severity::Note => Paint::PLAIN,
    }
}

pub(crate) fn severity_sign(page: &Page, severity: Severity) -> &'static str {
    match severity {
        Severity::Invalid => page.ink.glyphs().no,
        Severity::Doubt => "!",
        Severity::Note => page.ink.glyphs().dot,
    }
}

/// The same doubt about several steps is one doubt with several figures; the gravest first, else in their order.
pub(crate) fn grouped(caveats: &[Caveat]) -> Vec<Vec<&Caveat>> {
    let mut groups: Vec<Vec<&Caveat>> = Vec::new();
    for caveat in caveats {
        let key = |c: &Caveat| (c.severity, c.id.clone(), c.statement.clone());
        match groups.iter_mut().find(|g| key(g[0]) == key(caveat)) {
            Some(group) => group.push(caveat),
            None => groups.push(vec![caveat]),
        }
    }
    groups.sort_by_key(|g| std::cmp::Reverse(g[0].severity));
    groups
}

fn caveat(page: &mut Page, record: &RunRecord, group: &[&Caveat]) -> io::Result<()> {
    let first = group[0];
    let mut lead = Line::plain(" ".repeat(LABEL));
    lead.push(severity_sign(page, first.severity), severity_paint(first.severity).bold());
    let hang = LABEL + 2;
    page.hanging(lead, hang, &first.statement, severity_paint(first.severity))?;
    let evidence = evidence(page, record, group, hang);
    if !evidence.is_empty() {
        page.hanging(Line::new(), hang, &evidence, Paint::DIM)?;
    }
    if !first.remedy.is_empty() {
        let mut lead = Line::plain(" ".repeat(hang));
        lead.push("try: ", Paint::BOLD);
        page.hanging(lead, hang + 5, &first.remedy, Paint::PLAIN)?;
    }
    Ok(())
}

/// What a doubt rests on, in about two lines: as many examples as fit, the rest counted. All of them are in the JSON.
fn evidence(page: &Page, record: &RunRecord, group: &[&Caveat], hang: usize) -> String {
    let room = page.ink.width.saturating_sub(hang).max(8);
    let lines = EVIDENCE.div_ceil(room).max(2);
    let fits = |text: &str| page.ink.wrap(text, room).len() <= lines;
    let examples = examples(record, group);
    let steps = group.iter().filter_map(|c| c.step).collect::<BTreeSet<_>>().len();
    let lead = if steps > 1 { format!("in {steps} of {} steps: ", record.steps.len()) } else { String::new() };
    let told = |n: usize| {
        let rest = examples.len() - n;
        let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
        format!("{lead}{}{more}", examples[..n].join("; "))
    };
    let most = examples.len().min(EXAMPLES);
    (1..=most).rev().map(told).find(|text| fits(text)).unwrap_or_else(|| {
        // Not even one fits: its beginning.
        let rest = examples.len().saturating_sub(1);
        let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
        let text = format!("{lead}{}", examples.first().map_or("", String::as_str));
        let cut = |columns: usize| format!("{}{more}", page.ink.clipped(&text, columns));
        let widest = (room..=lines * room).rev().map(cut).find(|text| fits(text));
        widest.unwrap_or_else(|| cut(room))
    })
}

/// Steps with the same evidence, or with evidence that differs in its leading figure only:
/// `8k randread at 4, 8: 7 to 31 % more bytes`.
struct Example<'a> {
    /// The leading figure, least and greatest; both empty if the evidence begins with none.
    from: &'a str,
    to: &'a str,
    /// What follows it.
    rest: &'a str,
    /// Labels, each with the depths of its steps.
    places: Vec<(String, Vec<u32>)>,
}

/// Evidence as its leading figure and the rest.
fn led(evidence: &str) -> (&str, &str) {
    match evidence.split_once(' ') {
        Some((first, rest)) if figure(first).is_some() => (first, rest),
        _ => ("", evidence),
    }
}

fn figure(text: &str) -> Option<f64> {
    text.replace(',', "").parse().ok().filter(|v: &f64| v.is_finite())
}

impl<'a> Example<'a> {
    fn widen(&mut self, lead: &'a str) {
        let Some(value) = figure(lead) else { return };
        if figure(self.from).is_some_and(|from| value < from) {
            self.from = lead;
        }
        if figure(self.to).is_some_and(|to| value > to) {
            self.to = lead;
        }
    }

    fn evidence(&self) -> String {
        match (self.from, self.to) {
            ("", _) => self.rest.to_owned(),
            (from, to) if from == to => format!("{from} {}", self.rest),
            (from, to) => format!("{from} to {to} {}", self.rest),
        }
    }

    fn add(&mut self, label: String, depth: u32) {
        match self.places.iter_mut().find(|(l, _)| *l == label) {
            // A held level bears the name of the ramp's.
            Some((_, depths)) if depths.contains(&depth) => {}
            Some((_, depths)) => depths.push(depth),
            None => self.places.push((label, vec![depth])),
        }
    }

    fn text(&self) -> String {
        let depths = |d: &[u32]| d.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let mut names: Vec<String> =
            self.places.iter().take(EXAMPLES).map(|(label, d)| format!("{label} at {}", depths(d))).collect();
        if self.places.len() > EXAMPLES {
            names.push(format!("{} others", self.places.len() - EXAMPLES));
        }
        let parts = [names.join(", "), self.evidence()];
        parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(": ")
    }
}

/// One for each kind of evidence, in the order of the caveats.
fn examples(record: &RunRecord, group: &[&Caveat]) -> Vec<String> {
    let mut all: Vec<Example> = Vec::new();
    for c in group {
        let (lead, rest) = led(&c.evidence);
        let at = all.iter().position(|e| e.rest == rest && e.from.is_empty() == lead.is_empty()).unwrap_or_else(|| {
            all.push(Example { from: lead, to: lead, rest, places: Vec::new() });
            all.len() - 1
        });
        all[at].widen(lead);
        if let Some(job) = c.step.and_then(|s| record.steps.get(s)).map(|s| &s.job) {
            all[at].add(job.workload.label(), job.concurrency());
        }
    }
    all.iter().map(Example::text).filter(|e| !e.is_empty()).collect()
}
