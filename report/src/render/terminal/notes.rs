//! `NEED` and `TRUST`: needs with their clauses, doubts with examples of their evidence.

use crate::document::{Evidence, Note, Notes, Sign, Tone};
use crate::grouping::{distinct, grouped};
use crate::widgets::ink::{Ink, clauses as joined, listed};
use crate::widgets::page::{LABEL, Page};
use crate::widgets::text::{Line, Paint, width};
use messages::{Sentence, message, sentence};
use model::Severity;
use model::judged::{ClauseResult, NeedResult, Outcome};
use std::collections::BTreeSet;
use std::io;

/// Maximum number of examples listed for one doubt; the rest are only counted.
const EXAMPLES: usize = 3;
/// Maximum length of the evidence for one doubt, in columns; two lines are allowed even if they are longer.
const EVIDENCE: usize = 160;

/// Writes the needs, each with its clauses.
pub(super) fn needs<'a>(page: &mut Page, needs: impl Iterator<Item = &'a NeedResult>) -> io::Result<()> {
    for (i, need) in needs.enumerate() {
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
        lead.push(ink.word(word), Tone::from(need.outcome).paint().bold());
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
        let sign = Sign::from(clause.outcome).glyph(page.ink);
        let mut lead = Line::plain(" ".repeat(LABEL + 11));
        lead.push(format!("{sign} "), Tone::from(clause.outcome).paint().bold());
        let rest = " ".repeat(widest - width(&demand) + 3);
        lead.push(demand + &rest, Paint::DIM);
        let hang = lead.width();
        page.hanging(lead, hang, &page.ink.translate(&clause.measured), Paint::PLAIN)?;
    }
    Ok(())
}

/// Writes the doubts after an empty line, or that there are none.
pub(super) fn trust(page: &mut Page, notes: &Notes) -> io::Result<()> {
    page.blank()?;
    counts(page, notes)?;
    for note in notes.doubts() {
        let evidence = evidence(page.ink, note, notes.steps, LABEL + 2);
        doubt(page, note, &evidence)?;
    }
    Ok(())
}

/// Writes the number of doubts by severity.
fn counts(page: &mut Page, notes: &Notes) -> io::Result<()> {
    let ink = page.ink;
    let mut line = Line::new();
    for severity in [Severity::Invalid, Severity::Doubt, Severity::Note] {
        let n = notes.doubts().filter(|note| note.severity == severity).count();
        if n > 0 {
            let heading = match severity {
                Severity::Invalid => message!("trust-invalid", n),
                Severity::Doubt => message!("trust-doubts", n),
                Severity::Note => message!("trust-notes", n),
            };
            line.push(if line.spans.is_empty() { "" } else { ", " }, Paint::PLAIN);
            line.push(ink.format(&heading), Tone::from(severity).paint());
        }
    }
    if line.spans.is_empty() {
        line.push(Sign::YES.glyph(ink), Tone::Pass.paint());
        line.push(" ", Paint::PLAIN);
        line.push(ink.word("trust-none"), Paint::PLAIN);
    }
    page.labelled_line(ink.word("label-trust"), Paint::BOLD, line)
}

/// Writes a doubt: its statement, the given evidence, and the recommended action.
fn doubt(page: &mut Page, note: &Note, evidence: &str) -> io::Result<()> {
    let (ink, paint) = (page.ink, Tone::from(note.severity).paint());
    let hang = LABEL + 2;
    let lead = Line::plain(" ".repeat(LABEL)).with(Sign::from(note.severity).glyph(ink), paint.bold());
    page.hanging(lead, hang, &ink.translate(note.listed()), paint)?;
    if !evidence.is_empty() {
        page.hanging(Line::new(), hang, evidence, Paint::DIM)?;
    }
    if note.remedy.is_empty() { Ok(()) } else { remedy(page, hang, &note.remedy) }
}

/// Writes the recommended action after its label.
pub(super) fn remedy(page: &mut Page, indent: usize, remedy: &Sentence) -> io::Result<()> {
    let ink = page.ink;
    let lead = Line::plain(" ".repeat(indent)).with(format!("{} ", ink.word("label-try")), Paint::BOLD);
    let hang = lead.width();
    page.hanging(lead, hang, &ink.translate(remedy), Paint::PLAIN)
}

/// Returns the most serious doubts, one line each, and a line with the number of the others.
pub(super) fn gravest(notes: &Notes, most: usize, ink: Ink) -> Vec<Line> {
    let doubts: Vec<&Note> = notes.doubts().collect();
    let shown = if doubts.len() > most { most - 1 } else { doubts.len() };
    let line = |sign: &str, paint: Paint, text: &str| {
        let text = ink.clipped_at_word(text, ink.width.saturating_sub(3));
        Line::plain(" ").with(sign, paint.bold()).with(" ", Paint::PLAIN).with(text, Paint::PLAIN)
    };
    let doubt = |n: &&Note| {
        let (sign, paint) = (Sign::from(n.severity).glyph(ink), Tone::from(n.severity).paint());
        line(sign, paint, &ink.translate(&n.statement))
    };
    let mut lines: Vec<Line> = doubts[..shown].iter().map(doubt).collect();
    if doubts.len() > shown {
        lines.push(line("", Paint::DIM, &ink.format(&message!("show-more-doubts", n = doubts.len() - shown))));
    }
    lines
}

/// Returns the evidence for a doubt, on about two lines: as many examples as fit, and the number of the others. The
/// JSON contains all of them.
fn evidence(ink: Ink, note: &Note, all: usize, hang: usize) -> String {
    let room = ink.width.saturating_sub(hang).max(8);
    let lines = EVIDENCE.div_ceil(room).max(2);
    let fits = |text: &str| ink.wrap(text, room).len() <= lines;
    let texts: Vec<String> = note.evidence.iter().map(|e| ink.translate(&e.text)).collect();
    let examples = examples(&note.evidence, &texts, ink);
    let steps = note.evidence.iter().filter_map(|e| e.step).collect::<BTreeSet<_>>().len();
    let of_steps = |evidence: Sentence| match steps > 1 {
        true => sentence!("trust-in-steps", n = steps, all, told = evidence),
        false => evidence,
    };
    let and_more = |evidence: Sentence, n: usize| match n {
        0 => evidence,
        n => sentence!("list-told-and-more", told = evidence, n),
    };
    let text_of = |n: usize| ink.translate(and_more(of_steps(joined(&examples[..n])), examples.len() - n));
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

/// Leading figure of the evidence of a step, and its workload and concurrency.
type Step<'e> = (&'e str, Option<&'e (String, u32)>);

/// Returns one example for each kind of evidence, in the order of the caveats: steps with the same evidence, or with
/// evidence that differs only in its leading figure, such as `8k randread at 4, 8: 7 to 31 % more bytes`. `texts` is the
/// evidence in the reader's language.
fn examples(evidence: &[Evidence], texts: &[String], ink: Ink) -> Vec<String> {
    let kinds = texts.iter().zip(evidence).map(|(text, evidence)| {
        let (lead, rest) = led(text);
        ((rest, lead.is_empty()), (lead, evidence.place.as_ref()))
    });
    let example = |((rest, _), steps): ((&str, bool), Vec<Step<'_>>)| {
        let leads = || steps.iter().filter_map(|(lead, _)| Some((figure(lead)?, *lead)));
        let range = leads().min_by(by_figure).zip(leads().rev().max_by(by_figure));
        let evidence = match range.map(|((_, from), (_, to))| (from, to)) {
            None => rest.to_owned(),
            Some((from, to)) if from == to => format!("{from} {rest}"),
            Some((from, to)) => ink.format(&message!("trust-from-to", from, to, what = rest)),
        };
        let places = places(steps.iter().filter_map(|(_, place)| *place));
        match (places.is_empty(), evidence.is_empty()) {
            (true, _) => evidence,
            (false, true) => ink.translate(&places),
            (false, false) => ink.format(&message!("told-of", what = places, told = evidence)),
        }
    };
    grouped(kinds).into_iter().map(example).filter(|text| !text.is_empty()).collect()
}

fn by_figure(a: &(f64, &str), b: &(f64, &str)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0)
}

/// Returns the workloads with the queue depths of their steps. The held level has the same depth as a level of the ramp.
fn places<'e>(steps: impl Iterator<Item = &'e (String, u32)>) -> Sentence {
    let workloads = grouped(steps.map(|(workload, depth)| (workload, depth)));
    let place = |(what, depths): &(&String, Vec<&u32>)| {
        let depths = listed(distinct(depths.iter().copied()).into_iter().map(u32::to_string));
        sentence!("trust-at", what = *what, depths)
    };
    let mut names: Vec<Sentence> = workloads.iter().take(EXAMPLES).map(place).collect();
    if workloads.len() > EXAMPLES {
        names.push(sentence!("list-others", n = workloads.len() - EXAMPLES));
    }
    listed(names)
}
