//! Documents on the screen: the answer, the full report, and their blocks.

mod bars;
mod chart;
mod intervals;
mod notes;
mod table;
mod trend;

use notes::{gravest, needs, remedy, trust};
pub(crate) use table::lines;

use crate::Style;
use crate::document::table::Row;
use crate::document::{Block, Document, Field, Finding, Head, Margin, Notes, Part, Sign, Text, Tone, View};
use crate::render::stack;
use crate::widgets::ink::listed;
use crate::widgets::page::{LABEL, Page};
use crate::widgets::text::{Hue, Line, Paint, width};
use messages::{Message, Sentence, message, sentence};
use model::judged::{AnswerStanding, AnswerSubject, Outcome, RunAnswer};
use model::record::Labels;
use std::io::{self, Write};

/// Number of lines on a screen, without the line of the prompt that follows.
pub(crate) const SCREEN: usize = 23;
/// Minimum number of table rows in an answer, regardless of the remaining room.
const LEAST_ROWS: usize = 4;
/// Maximum number of lines of the verdict in an answer.
const MOST_VERDICT: usize = 4;
/// Maximum number of doubts in an answer; the others are only counted.
const MOST_DOUBTS: usize = 3;
/// Margin of labelled lines within a part, in columns.
const PART_LABEL: usize = 11;

/// Writes a document as on the screen of a terminal.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(crate) fn write(d: &Document, view: View, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    if view == View::Answer && !d.is_whole {
        return answer_screen(page, d);
    }
    if view == View::Judged {
        return judged_screen(page, d);
    }
    if let Some((title, aside)) = &d.head.title {
        page.heading(&page.ink.translate(title), &page.ink.translate(aside))?;
    }
    if d.head.answer_on_screen && !d.head.answer.lines.is_empty() {
        answer(page, &d.head.answer)?;
        page.blank()?;
    }
    verdict(page, &d.head)?;
    needs(page, d.needs())?;
    if d.head.is_judged {
        trust(page, &d.notes)?;
    }
    let mut parts = d.parts(View::Full);
    if !d.head.is_judged && d.head.verdict.is_none() {
        // Nothing comes before the first part.
        parts.next().into_iter().try_for_each(|part| part_lines(page, part, &d.notes))?;
    }
    parts.try_for_each(|part| write_part(page, part, &d.notes))
}

/// Writes the tags and the note of a run above it; nothing if there are none.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn labels(labels: &Labels, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let tags = labels.tags.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let texts = [("label-tags", tags), ("label-note", labels.note.clone())].into_iter();
    let fields = texts.filter(|(_, text)| !text.is_empty()).map(|(label, text)| Field::new(label, text));
    blocks(&[Block::Fields(Margin::Page, fields.collect())], style, out)
}

/// Writes blocks without a head or notes, such as a list.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(crate) fn blocks(blocks: &[Block], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    blocks.iter().try_for_each(|block| write_block(page, block, &Notes::default()))
}

/// Writes the answer, the key tables, the most serious doubts, and how to see the rest, on one screen.
fn answer_screen(page: &mut Page, d: &Document) -> io::Result<()> {
    let ink = page.ink;
    answer(page, &d.head.answer)?;
    let room = ink.width.saturating_sub(LABEL).max(1);
    let mut lines: usize = d.head.answer.lines.iter().map(|l| ink.wrap(&ink.translate(&l.text), room).len()).sum();
    if d.head.verdict_in_answer {
        let short = |(text, outcome): &(Sentence, Outcome)| {
            let text = ink.clipped_at_word(&ink.translate(text), room.saturating_sub(1).max(1) * MOST_VERDICT - LABEL);
            (Sentence::from(text), *outcome)
        };
        let verdict = d.head.verdict.as_ref().map(short);
        let head = Head { verdict, partial: d.head.partial.clone(), ..Head::default() };
        let texts = head.verdict.iter().map(|(text, _)| text).chain(&head.partial);
        lines += texts.map(|text| ink.wrap(&ink.translate(text), room).len()).sum::<usize>();
        self::verdict(page, &head)?;
    }
    let doubts = gravest(&d.notes, MOST_DOUBTS, ink);
    // Lines other than the table's rows: answer, doubts, the table's header, two closing lines, and blank lines.
    let beside = lines + doubts.len() + 3 + 2 + usize::from(!doubts.is_empty());
    let mut room = SCREEN.saturating_sub(beside).max(LEAST_ROWS);
    let mut left = 0;
    for block in d.parts(View::Answer).flat_map(|part| &part.blocks) {
        let Block::Table(table) = block else {
            page.blank()?;
            write_block(page, block, &d.notes)?;
            continue;
        };
        let mut shown = table.clone();
        shown.rows.truncate(room);
        // A row that belongs to the one above is not shown without it, and not separated from it.
        let is_sub = |row: Option<&Row>| matches!(row, Some(Row::Cells { is_sub: true, .. }));
        while is_sub(table.rows.get(shown.rows.len())) && shown.rows.pop().is_some() {}
        left += table.rows[shown.rows.len()..].iter().filter(|row| !is_sub(Some(row))).count();
        room = room.saturating_sub(shown.rows.len());
        if !shown.rows.is_empty() {
            page.blank()?;
            table::write(page, &shown, &d.notes)?;
        }
    }
    if !doubts.is_empty() {
        page.blank()?;
    }
    page.lines(doubts)?;
    page.blank()?;
    page.labelled(ink.word("label-run"), Paint::DIM, &ink.translate(&d.head.took), Paint::PLAIN)?;
    let command = format!("{} --full", d.head.again);
    let text = match (left, d.head.rows_left) {
        (0, _) | (_, "") => command,
        (n, id) => ink.format(&Message::new(id).put("command", command).put("n", n)),
    };
    page.labelled(ink.word("label-all"), Paint::DIM, &text, Paint::PLAIN)
}

/// Writes the judgement of a stored run: its needs and doubts, and the delivered performance compared with the purchased
/// one.
fn judged_screen(page: &mut Page, d: &Document) -> io::Result<()> {
    let (ink, head) = (page.ink, &d.head);
    if !head.answer.lines.is_empty() {
        answer(page, &head.answer)?;
        page.blank()?;
    }
    let count = |o: Outcome| d.needs().filter(|n| n.outcome == o).count();
    let counted = [
        (Outcome::Pass, sentence!("need-count-met", n = count(Outcome::Pass))),
        (Outcome::Fail, sentence!("need-count-not-met", n = count(Outcome::Fail))),
        (Outcome::Undecided, sentence!("need-count-undecided", n = count(Outcome::Undecided))),
    ];
    let outcomes = listed(counted.into_iter().filter(|(o, _)| count(*o) > 0).map(|(_, text)| text));
    let run = format!("{}, {}", head.run, head.started);
    let (verdict, outcome) = head.verdict.clone().unwrap_or((Sentence::default(), Outcome::Undecided));
    let (verdict, run) = match d.needs().count() {
        0 => (verdict, run.into()),
        n => (sentence!("need-counts", n, told = outcomes), sentence!("told-of", what = run, told = verdict)),
    };
    let paint = Tone::from(outcome).paint().bold();
    page.labelled(ink.word("label-verdict"), paint, &ink.translate(verdict), Paint::BOLD)?;
    page.labelled(ink.word("label-run"), Paint::DIM, &ink.translate(run), Paint::PLAIN)?;
    partial(page, head)?;
    needs(page, d.needs())?;
    trust(page, &d.notes)?;
    if head.limits.is_empty() {
        return Ok(());
    }
    for limit in &head.limits {
        page.labelled(ink.word("label-limit"), Paint::BOLD, &ink.group(limit), Paint::PLAIN)?;
    }
    d.parts(View::Judged).try_for_each(|part| write_part(page, part, &d.notes))
}

/// Writes the lines of an answer, each with its label; nothing for an empty answer.
pub(crate) fn answer(page: &mut Page, answer: &RunAnswer) -> io::Result<()> {
    for line in &answer.lines {
        let text = if line.subject == AnswerSubject::Do { Paint::PLAIN } else { Paint::BOLD };
        let paint = match line.standing {
            AnswerStanding::NotAsked => Paint::PLAIN,
            AnswerStanding::Met => Paint::new(Hue::Pass),
            AnswerStanding::Undecided => Paint::new(Hue::Doubt),
            AnswerStanding::NotMet => Paint::new(Hue::Fail),
        };
        let label = page.ink.word(line.subject.label_message());
        page.labelled(label, paint.bold(), &page.ink.translate(&line.text), text)?;
    }
    Ok(())
}

/// Writes the verdict and, for a run that is not complete, its end.
pub(crate) fn verdict(page: &mut Page, head: &Head) -> io::Result<()> {
    let ink = page.ink;
    if let Some((verdict, outcome)) = &head.verdict {
        let paint = Tone::from(*outcome).paint().bold();
        page.labelled(ink.word("label-verdict"), paint, &ink.translate(verdict), Paint::BOLD)?;
    }
    partial(page, head)
}

fn partial(page: &mut Page, head: &Head) -> io::Result<()> {
    let ink = page.ink;
    if let Some(partial) = &head.partial {
        let paint = Paint::new(Hue::Doubt).bold();
        page.labelled(ink.word("label-partial"), paint, &ink.translate(partial), Paint::PLAIN)?;
    }
    Ok(())
}

/// Writes a part after an empty line.
pub(crate) fn write_part(page: &mut Page, part: &Part, notes: &Notes) -> io::Result<()> {
    page.blank()?;
    part_lines(page, part, notes)
}

fn part_lines(page: &mut Page, part: &Part, notes: &Notes) -> io::Result<()> {
    let language = page.ink.language;
    let title = part.title.text(language);
    if !title.is_empty() {
        page.heading(&title, &part.aside.text(language))?;
    }
    let mut blocks = part.blocks.as_slice();
    while let [block, rest @ ..] = blocks {
        blocks = match (block, rest.first()) {
            (Block::Chart(left), Some(Block::Chart(right))) => {
                chart::write(page, &[left, right])?;
                &rest[1..]
            }
            _ => {
                write_block(page, block, notes)?;
                rest
            }
        };
    }
    Ok(())
}

fn write_block(page: &mut Page, block: &Block, notes: &Notes) -> io::Result<()> {
    match block {
        Block::Table(table) => table::write(page, table, notes),
        Block::Chart(chart) => chart::write(page, &[chart]),
        Block::Text(text) => paragraph(page, text),
        Block::Fields(margin, fields) => write_fields(page, *margin, fields),
        Block::List { items, most } => list(page, items, *most),
        Block::Code { .. } => Ok(()),
        Block::Tree { label, branches } => {
            let label = label.text(page.ink.language);
            for (i, line) in stack::lines(branches, page.ink, page.ink.width - LABEL).into_iter().enumerate() {
                page.labelled_line(if i == 0 { &label } else { "" }, Paint::DIM, line)?;
            }
            Ok(())
        }
        Block::Findings(findings) => findings.iter().try_for_each(|f| finding(page, f)),
        Block::Subheading(text) => {
            let text = page.ink.clipped(&page.ink.translate(text), page.ink.width - 1);
            page.line(Line::plain(" ").with(text, Paint::BOLD))
        }
        Block::Doubts => trust(page, notes),
        Block::Blank => page.blank(),
    }
}

fn paint(tone: Tone, strong: bool) -> Paint {
    Paint { bold: strong, ..tone.paint() }
}

fn paragraph(page: &mut Page, text: &Text) -> io::Result<()> {
    let ink = page.ink;
    let mut lead = Line::plain(" ");
    let mut hang = 1;
    if let Some(sign) = text.sign {
        lead.push(sign.glyph(ink), text.tone.paint().bold());
        hang = 3;
    }
    page.hanging(lead, hang, &ink.translate(&text.text), paint(text.tone, text.strong))
}

fn list(page: &mut Page, items: &[Text], most: usize) -> io::Result<()> {
    items.iter().take(most).try_for_each(|item| paragraph(page, item))?;
    more(page, items.len().saturating_sub(most))
}

/// Writes the number of items or rows that were left out, if any.
fn more(page: &mut Page, n: usize) -> io::Result<()> {
    match n {
        0 => Ok(()),
        n => page.line(Line::new().with(format!(" {}", page.ink.format(&message!("list-and-more", n))), Paint::DIM)),
    }
}

fn write_fields(page: &mut Page, margin: Margin, fields: &[Field]) -> io::Result<()> {
    let labels: Vec<String> = fields.iter().map(|f| page.ink.text(&f.label.text(page.ink.language))).collect();
    let widest = labels.iter().map(|label| width(label)).max().unwrap_or(0);
    let (indent, hang) = match margin {
        Margin::Page => (0, LABEL),
        Margin::Part => (1, PART_LABEL),
        Margin::Fitted => (1, widest + 3),
    };
    for (field, label) in fields.iter().zip(labels) {
        let lead = Line::plain(" ".repeat(indent)).with(label, Paint::DIM);
        let Text { sign, tone, strong, text } = &field.text;
        let sign = sign.map_or(String::new(), |sign| format!("{} ", sign.glyph(page.ink)));
        let text = format!("{sign}{}", page.ink.translate(text));
        page.hanging(lead, hang, &text, paint(*tone, *strong))?;
    }
    Ok(())
}

fn finding(page: &mut Page, f: &Finding) -> io::Result<()> {
    let ink = page.ink;
    let paint = Tone::from(f.severity).paint();
    let lead = Line::plain(" ").with(Sign::from(f.severity).glyph(ink), paint.bold());
    let rule = if f.rule.is_empty() { String::new() } else { format!("{}  ", f.rule) };
    page.hanging(lead, 3, &format!("{rule}{}", ink.translate(&f.statement)), paint)?;
    let (hang, paint) = if f.rule.is_empty() { (3, Paint::DIM) } else { (5, Paint::PLAIN) };
    for line in &f.evidence {
        page.hanging(Line::new(), hang, &ink.translate(line), paint)?;
    }
    for line in &f.lines {
        page.hanging(Line::plain("     "), hang + 2, &ink.translate(line), Paint::DIM)?;
    }
    if f.remedy.is_empty() { Ok(()) } else { remedy(page, 3, &f.remedy) }
}
