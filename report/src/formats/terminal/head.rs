//! The first screen: `VERDICT`, `NEED`, `TRUST`.

use super::brief;
use super::closing::findings;
use super::pattern::binding;
use crate::widgets::doubts::{grouped, write_counts, write_doubt};
use crate::widgets::figures::duration;
use crate::widgets::ink::{Ink, listed};
use crate::widgets::page::{LABEL, Page};
use crate::widgets::text::{Hue, Line, Paint, width};
use messages::{Sentence, message, sentence};
use model::{Caveat, ClauseResult, Judgement, NeedResult, Outcome, RunRecord, RunState, StageRole};
use std::collections::BTreeSet;
use std::io;

/// Maximum number of examples listed for one doubt; the rest are only counted.
const EXAMPLES: usize = 3;
/// Maximum length of the evidence for one doubt, in columns; two lines are allowed even if they are longer.
const EVIDENCE: usize = 160;

pub(crate) fn write(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    let verdict = page.ink.translate(&judgement.verdict);
    page.labelled(page.ink.word("label-verdict"), Paint::new(hue(judgement.outcome)).bold(), &verdict, Paint::BOLD)?;
    if record.state != RunState::Complete {
        let text = page.ink.translate(partial(record));
        page.labelled(page.ink.word("label-partial"), Paint::new(Hue::Doubt).bold(), &text, Paint::PLAIN)?;
    }
    needs(page, &judgement.needs)?;
    trust(page, record, judgement)
}

/// Writes the judgement of a stored run: its needs, and the delivered performance compared with the purchased one.
pub(super) fn judged(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    if !judgement.answer.lines.is_empty() {
        brief::answer(page, &judgement.answer)?;
        page.blank()?;
    }
    let count = |o: Outcome| judgement.needs.iter().filter(|n| n.outcome == o).count();
    let total = judgement.needs.len();
    let ink = page.ink;
    let counted = [
        (Outcome::Pass, sentence!("need-count-met", n = count(Outcome::Pass))),
        (Outcome::Fail, sentence!("need-count-not-met", n = count(Outcome::Fail))),
        (Outcome::Undecided, sentence!("need-count-undecided", n = count(Outcome::Undecided))),
    ];
    let outcomes = listed(counted.into_iter().filter(|(o, _)| count(*o) > 0).map(|(_, told)| told));
    let run = format!("{}, {}", record.id, record.started);
    let (verdict, run) = match total {
        0 => (ink.translate(&judgement.verdict), run),
        _ => {
            let verdict = ink.format(&message!("need-counts", n = total, told = outcomes));
            (verdict, ink.format(&message!("told-of", what = run, told = &judgement.verdict)))
        }
    };
    page.labelled(ink.word("label-verdict"), Paint::new(hue(judgement.outcome)).bold(), &verdict, Paint::BOLD)?;
    page.labelled(ink.word("label-run"), Paint::DIM, &run, Paint::PLAIN)?;
    if record.state != RunState::Complete {
        let text = page.ink.translate(partial(record));
        page.labelled(page.ink.word("label-partial"), Paint::new(Hue::Doubt).bold(), &text, Paint::PLAIN)?;
    }
    needs(page, &judgement.needs)?;
    trust(page, record, judgement)?;
    if record.plan.limits.is_empty() {
        return Ok(());
    }
    for limit in &record.plan.limits {
        page.labelled(ink.word("label-limit"), Paint::BOLD, &ink.group(&limit.to_string()), Paint::PLAIN)?;
    }
    let probes_only = judgement.patterns.iter().all(|p| p.role == StageRole::Probe);
    for pattern in judgement.patterns.iter().filter(|p| probes_only || p.role != StageRole::Probe) {
        page.blank()?;
        page.heading(&pattern.label, ink.word("show-delivered"))?;
        binding(page, pattern)?;
    }
    findings(page, judgement)
}

/// Returns the style of the first sentence.
pub(crate) fn outcome_paint(outcome: Outcome) -> Paint {
    Paint::new(hue(outcome)).bold()
}

fn hue(outcome: Outcome) -> Hue {
    match outcome {
        Outcome::Pass => Hue::Pass,
        Outcome::Fail => Hue::Fail,
        Outcome::Undecided => Hue::Doubt,
    }
}

/// Returns a sentence about the end of an incomplete run.
pub(crate) fn partial(record: &RunRecord) -> Sentence {
    let time = duration(record.ended);
    let partial = match record.state {
        RunState::Complete => sentence!("partial-complete", time),
        RunState::Interrupted => sentence!("partial-interrupted", time),
        RunState::Running => sentence!("partial-running", time),
        RunState::Stopped => sentence!("partial-stopped", time),
        RunState::Hung if record.lost_a_host() => sentence!("partial-host-gone", time),
        RunState::Hung => sentence!("partial-hung", time),
        RunState::Failed => sentence!("partial-failed", time),
        RunState::Damaged => sentence!("partial-damaged", time),
    };
    match record.reason.is_empty() {
        true => partial,
        false => sentence!("told-of", what = partial, told = &record.reason),
    }
}

/// Writes the needs, each with its clauses.
pub(crate) fn needs(page: &mut Page, needs: &[NeedResult]) -> io::Result<()> {
    for (i, need) in needs.iter().enumerate() {
        if i == 0 {
            page.blank()?;
        }
        let word = match need.outcome {
            Outcome::Pass => "need-word-met",
            Outcome::Fail => "need-word-not-met",
            Outcome::Undecided => "need-word-undecided",
        };
        let ink = page.ink;
        let mut lead = Line::new().with(if i == 0 { ink.word("label-need") } else { "" }, Paint::BOLD);
        lead.pad_to(LABEL);
        lead.push(ink.word(word), Paint::new(hue(need.outcome)).bold());
        let text = match need.depth {
            Some(depth) => ink.format(&message!("need-at", need = &need.text, depth)),
            None => need.text.clone(),
        };
        page.hanging(lead, LABEL + 11, &text, Paint::PLAIN)?;
        clauses(page, &need.clauses)?;
        if !need.why.is_empty() {
            page.hanging(Line::new(), LABEL + 11, &ink.translate(&need.why), Paint::DIM)?;
        }
    }
    Ok(())
}

fn clauses(page: &mut Page, clauses: &[ClauseResult]) -> io::Result<()> {
    let demands: Vec<String> = clauses.iter().map(|c| page.ink.text(&page.ink.group(&c.clause.to_string()))).collect();
    let widest = demands.iter().map(|d| width(d)).max().unwrap_or(0);
    for (clause, demand) in clauses.iter().zip(demands) {
        let glyphs = page.ink.glyphs();
        let sign = match clause.outcome {
            Outcome::Pass => glyphs.yes,
            Outcome::Fail => glyphs.no,
            Outcome::Undecided => glyphs.maybe,
        };
        let mut lead = Line::plain(" ".repeat(LABEL + 11));
        lead.push(format!("{sign} "), Paint::new(hue(clause.outcome)).bold());
        let rest = " ".repeat(widest - width(&demand) + 3);
        lead.push(demand + &rest, Paint::DIM);
        let hang = lead.width();
        page.hanging(lead, hang, &page.ink.translate(&clause.measured), Paint::PLAIN)?;
    }
    Ok(())
}

fn trust(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    page.blank()?;
    let groups = grouped(&judgement.caveats);
    if groups.is_empty() {
        let yes = page.ink.glyphs().yes;
        let line = Line::new()
            .with(yes, Paint::new(Hue::Pass))
            .with(" ", Paint::PLAIN)
            .with(page.ink.word("trust-none"), Paint::PLAIN);
        return page.labelled_line(page.ink.word("label-trust"), Paint::BOLD, line);
    }
    write_counts(page, &groups)?;
    for group in groups {
        let evidence = evidence(page, record, &group, LABEL + 2);
        write_doubt(page, group[0], &evidence)?;
    }
    Ok(())
}

/// Returns the evidence for a doubt, on about two lines: as many examples as fit, and the number of the others. The
/// JSON contains all of them.
fn evidence(page: &Page, record: &RunRecord, group: &[&Caveat], hang: usize) -> String {
    let room = page.ink.width.saturating_sub(hang).max(8);
    let lines = EVIDENCE.div_ceil(room).max(2);
    let fits = |text: &str| page.ink.wrap(text, room).len() <= lines;
    let ink = page.ink;
    let evidence: Vec<String> = group.iter().map(|c| ink.translate(&c.evidence)).collect();
    let examples = examples(record, group, &evidence, ink);
    let steps = group.iter().filter_map(|c| c.step).collect::<BTreeSet<_>>().len();
    let of_steps = |evidence: Sentence| match steps > 1 {
        true => sentence!("trust-in-steps", n = steps, all = record.steps.len(), told = evidence),
        false => evidence,
    };
    let and_more = |evidence: Sentence, n: usize| match n {
        0 => evidence,
        n => sentence!("list-told-and-more", told = evidence, n),
    };
    let text_of =
        |n: usize| ink.translate(and_more(of_steps(crate::widgets::ink::clauses(&examples[..n])), examples.len() - n));
    let most = examples.len().min(EXAMPLES);
    (1..=most).rev().map(text_of).find(|text| fits(text)).unwrap_or_else(|| {
        // Not even one example fits, so it is shortened.
        let rest = examples.len().saturating_sub(1);
        let text = ink.translate(of_steps(examples.first().map(String::as_str).unwrap_or_default().into()));
        let cut = |columns: usize| ink.translate(and_more(ink.clipped_at_word(&text, columns).into(), rest));
        let widest = (room..=lines * room).rev().map(cut).find(|text| fits(text));
        widest.unwrap_or_else(|| cut(room))
    })
}

/// Steps with the same evidence, or with evidence that differs only in its leading figure:
/// `8k randread at 4, 8: 7 to 31 % more bytes`.
struct Example<'a> {
    /// Minimum and maximum of the leading figure; both are empty if the evidence has none.
    from: &'a str,
    to: &'a str,
    /// Text after the figure.
    rest: &'a str,
    /// Labels of workloads, each with the queue depths of its steps.
    places: Vec<(String, Vec<u32>)>,
}

/// Splits evidence into its leading figure and the rest.
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

    fn evidence(&self, ink: Ink) -> String {
        match (self.from, self.to) {
            ("", _) => self.rest.to_owned(),
            (from, to) if from == to => format!("{from} {}", self.rest),
            (from, to) => ink.format(&message!("trust-from-to", from, to, what = self.rest)),
        }
    }

    fn add(&mut self, label: String, depth: u32) {
        match self.places.iter_mut().find(|(l, _)| *l == label) {
            // The held level has the same label and depth as a level of the ramp.
            Some((_, depths)) if depths.contains(&depth) => {}
            Some((_, depths)) => depths.push(depth),
            None => self.places.push((label, vec![depth])),
        }
    }

    fn text(&self, ink: Ink) -> String {
        let depths = |d: &[u32]| listed(d.iter().map(u32::to_string));
        let places = self.places.iter().take(EXAMPLES);
        let mut names: Vec<Sentence> =
            places.map(|(what, d)| sentence!("trust-at", what, depths = depths(d))).collect();
        if self.places.len() > EXAMPLES {
            names.push(sentence!("list-others", n = self.places.len() - EXAMPLES));
        }
        let (what, places) = (listed(names), self.evidence(ink));
        match (what.is_empty(), places.is_empty()) {
            (true, _) => places,
            (false, true) => ink.translate(&what),
            (false, false) => ink.format(&message!("told-of", what, told = places)),
        }
    }
}

/// Returns one example for each kind of evidence, in the order of the caveats; `told` is their evidence in the reader's
/// language.
fn examples(record: &RunRecord, group: &[&Caveat], told: &[String], ink: Ink) -> Vec<String> {
    let mut examples: Vec<Example> = Vec::new();
    for (c, evidence) in group.iter().zip(told) {
        let (lead, rest) = led(evidence);
        let at =
            examples.iter().position(|e| e.rest == rest && e.from.is_empty() == lead.is_empty()).unwrap_or_else(|| {
                examples.push(Example { from: lead, to: lead, rest, places: Vec::new() });
                examples.len() - 1
            });
        examples[at].widen(lead);
        if let Some(job) = c.step.and_then(|s| record.steps.get(s)).map(|s| &s.job) {
            examples[at].add(job.workload.label(), job.concurrency());
        }
    }
    examples.iter().map(|e| e.text(ink)).filter(|e| !e.is_empty()).collect()
}
