//! Documents as pages for a browser: the header, key figures, tables, needs, doubts, and the data of the charts.

pub(crate) mod assets;
mod chart;
pub(crate) mod shell;
mod table;
pub(crate) mod texts;

pub(crate) use chart::charts;

use crate::Style;
use crate::document::{Block, Document, Field, Finding, Note, Notes, Part, Qualifier, Text, Tile, Tone, View};

use crate::widgets::ink::Ink;
use maud::{Markup, html};
use messages::Sentence;
use model::Severity;
use model::judged::{AnswerStanding, Outcome};
use shell::{answer, bar, labels, needs, text};
use texts::Texts;

/// Length in bytes above which a sentence at the top of a page is set in smaller type.
const LONG: usize = 120;
/// Maximum number of evidence lines shown for one doubt.
const EXAMPLES: usize = 4;

/// Texts, signs and notes of a page, for the functions of this module.
pub(crate) struct Sheet<'a> {
    t: &'static Texts,
    ink: Ink,
    notes: &'a Notes,
}

impl<'a> Sheet<'a> {
    /// Creates the sheet of a document.
    pub fn new(d: &'a Document, t: &'static Texts) -> Sheet<'a> {
        Sheet { t, ink: Ink::new(&Style { language: t.language(), ..Style::default() }), notes: &d.notes }
    }

    /// Returns a sentence in the language of the page, without harmful characters.
    fn said(&self, sentence: &Sentence) -> String {
        text(&self.ink.translate(sentence))
    }
}

/// Returns the header of a page with one document: answer, verdict, place and time.
pub(crate) fn header(d: &Document, home: Option<&str>, t: &'static Texts) -> Markup {
    let (head, sheet) = (&d.head, Sheet::new(d, t));
    html! {
        header .(standing(d)) {
            (bar(home, t))
            @if head.answer.lines.is_empty() {
                @if let Some((verdict, _)) = &head.verdict { h1 .long[verdict.len() > LONG] { (sheet.said(verdict)) } }
                @else if let Some((title, aside)) = &head.title { h1 { (sheet.said(title)) } @if !aside.is_empty() { p .said { (sheet.said(aside)) } } }
            } @else {
                h1 .answer { (answer(&head.answer, t)) }
                @if let Some((verdict, _)) = &head.verdict { p .said .small { (sheet.said(verdict)) } }
            }
            p .meta {
                @for part in [&head.place, &head.host].into_iter().filter(|part| !part.is_empty()) { span { (text(part)) } }
                @if !head.started.is_empty() { time datetime=(head.started) { (text(&head.started)) } }
            }
            (labels(&head.labels))
            @if let Some(partial) = &head.partial { p .partial { (sheet.said(partial)) } }
        }
    }
}

/// Returns the colour class of the header: the result of the answer, or the outcome of a document without an answer.
fn standing(d: &Document) -> &'static str {
    let head = &d.head;
    let outcome = head.verdict.as_ref().map(|(_, outcome)| *outcome);
    match (head.answer.lines.is_empty(), head.answer.standing, outcome) {
        // There were no needs to meet.
        (true, _, Some(Outcome::Pass)) if head.is_judged && d.needs().next().is_none() => "grey",
        (true, _, outcome) => outcome.map_or("grey", |outcome| Tone::from(outcome).class()),
        (false, AnswerStanding::NotAsked, _) => "grey",
        (false, AnswerStanding::Met, _) => "pass",
        (false, AnswerStanding::Undecided, _) => "open",
        (false, AnswerStanding::NotMet, _) => "fail",
    }
}

/// Returns the key figures and the parts before needs and doubts.
pub(crate) fn key(d: &Document, t: &'static Texts) -> Markup {
    html! { (tiles(&d.tiles, &Sheet::new(d, t))) (parts(d, View::Page, t)) }
}

/// Returns needs and doubts.
pub(crate) fn trust(d: &Document, t: &'static Texts) -> Markup {
    let required: Vec<_> = d.needs().cloned().collect();
    let sheet = Sheet::new(d, t);
    html! {
        @if !required.is_empty() { (needs(&required, t)) }
        @if d.head.is_judged { div .part {
            h2 { (t.trust) }
            @if d.notes.doubts().next().is_none() { p .pass { "✓ " (t.no_doubt) } }
            ul .doubts { @for note in d.notes.doubts() { (doubt(note, &sheet)) } }
        } }
    }
}

/// Returns the parts of a view.
pub(crate) fn parts(d: &Document, view: View, t: &'static Texts) -> Markup {
    let sheet = Sheet::new(d, t);
    html! { @for p in d.parts(view) { (part(p, &sheet)) } }
}

fn part(part: &Part, sheet: &Sheet<'_>) -> Markup {
    let (title, aside) = (part.title.heading(sheet.ink.language), part.aside.text(sheet.ink.language));
    html! {
        div .part {
            @if !title.is_empty() {
                h2 { (text(&title)) @if !aside.is_empty() { span .small { (text(&aside)) } } }
            }
            @for block in &part.blocks { (self::block(block, sheet)) }
        }
    }
}

fn block(block: &Block, sheet: &Sheet<'_>) -> Markup {
    let language = sheet.ink.language;
    match block {
        Block::Table(table) => table::table(table, sheet),
        Block::Text(text) => html! { p class=[class_of(text.tone, "")] { (paragraph(text, sheet)) } },
        Block::Fields(_, fields) => html! { dl { @for f in fields { (field(f, sheet)) } } },
        Block::List { items, most } => html! {
            ul { @for item in items.iter().take(*most) { li class=[class_of(item.tone, "")] { (paragraph(item, sheet)) } } }
            @if items.len() > *most { details {
                summary { (items.len() - *most) " " (sheet.t.more) }
                ul { @for item in &items[*most..] { li class=[class_of(item.tone, "")] { (paragraph(item, sheet)) } } }
            } }
        },
        Block::Code { label, text: code } => html! {
            h3 { (text(&label.text(language))) }
            pre tabindex="0" { code { (text(code)) } }
        },
        Block::Tree { label, branches } => html! { dl { @for (i, branch) in branches.iter().enumerate() {
            dt { @if i == 0 { (text(&label.text(language))) } }
            dd { (text(&branch.name)) ": " (sheet.said(&branch.text)) }
        } } },
        Block::Findings(findings) => html! { ul .doubts { @for f in findings { (finding(f, sheet)) } } },
        Block::Subheading(title) => html! { h3 { (sheet.said(title)) } },
        // Charts are drawn by the script, in the order of the document.
        Block::Chart(_) | Block::Doubts | Block::Blank => html! {},
    }
}

/// Returns the class of an element: that of its tone, after `kind`; `None` if both are empty.
fn class_of(tone: Tone, kind: &'static str) -> Option<String> {
    let class = format!("{kind} {}", tone.class());
    (class.len() > 1).then(|| class.trim().to_owned())
}

fn paragraph(item: &Text, sheet: &Sheet<'_>) -> Markup {
    html! {
        @if let Some(sign) = item.sign { (sign.glyph(sheet.ink)) " " }
        @if item.strong { b { (sheet.said(&item.text)) } } @else { (sheet.said(&item.text)) }
    }
}

fn field(field: &Field, sheet: &Sheet<'_>) -> Markup {
    html! {
        dt { (text(&field.label.text(sheet.ink.language))) }
        dd class=[class_of(field.text.tone, "")] { (paragraph(&field.text, sheet)) }
    }
}

fn tiles(tiles: &[Tile], sheet: &Sheet<'_>) -> Markup {
    let t = sheet.t;
    let qualifier = |tile: &Tile| match tile.qualifier {
        Qualifier::Plain => "",
        Qualifier::Mean => t.mean,
        Qualifier::Maximum => t.maximum,
    };
    html! {
        @if !tiles.is_empty() {
            section .tiles aria-label=(t.key_figures) { @for tile in tiles {
                div .tile {
                    p .figure {
                        (table::shown(&tile.value, sheet)) " "
                        span .unit { (text(&tile.unit.text(sheet.ink.language))) }
                    }
                    p .small { (sheet.said(&tile.label)) @if !qualifier(tile).is_empty() { " · " (qualifier(tile)) } }
                    (spark(&tile.earlier))
                }
            } }
        }
    }
}

/// Returns a line through the values of earlier runs; nothing for fewer than two.
fn spark(values: &[f64]) -> Markup {
    let (least, most) = values.iter().fold((f64::INFINITY, 0.0_f64), |(l, m), v| (l.min(*v), m.max(*v)));
    let x = |i: usize| 2.0 + 96.0 * i as f64 / (values.len() - 1).max(1) as f64;
    let y = |v: f64| 22.0 - 20.0 * (v - least) / (most - least).max(f64::MIN_POSITIVE);
    let points = || values.iter().enumerate().map(|(i, v)| format!("{:.1},{:.1}", x(i), y(*v)));
    html! { @if let [_, .., last] = values {
        svg .spark viewBox="0 0 100 24" aria-hidden="true" {
            polyline points=(points().collect::<Vec<_>>().join(" ")) {}
            circle cx="98" cy=(format!("{:.1}", y(*last))) r="2" {}
        }
    } }
}

fn word(severity: Severity, t: &Texts) -> (&'static str, &'static str) {
    match severity {
        Severity::Invalid => ("fail", t.invalid),
        Severity::Doubt => ("open", t.doubt),
        Severity::Note => ("note", t.note),
    }
}

fn doubt(note: &Note, sheet: &Sheet<'_>) -> Markup {
    let (class, tag) = word(note.severity, sheet.t);
    let shown = note.evidence.iter().take(EXAMPLES).filter(|e| !e.text.is_empty());
    html! {
        li .(class) { details {
            summary { span .tag { (tag) } " " (sheet.said(&note.listed())) }
            @for e in shown { p .small {
                @if let Some((label, n)) = &e.place { (text(&format!("{label} × {n}: "))) }
                (sheet.said(&e.text))
            } }
            @if note.evidence.len() > EXAMPLES { p .small { (note.evidence.len() - EXAMPLES) " " (sheet.t.more) } }
            @if !note.remedy.is_empty() { p .small { b { (sheet.t.do_try) ": " } (sheet.said(&note.remedy)) } }
        } }
    }
}

fn finding(f: &Finding, sheet: &Sheet<'_>) -> Markup {
    let (class, tag) = word(f.severity, sheet.t);
    html! {
        li .(class) {
            p { span .tag { (tag) } " " @if !f.rule.is_empty() { code { (text(&f.rule)) } " " } (sheet.said(&f.statement)) }
            @for line in &f.evidence { p .small { (sheet.said(line)) } }
            @for line in &f.lines { p .small { code { (sheet.said(line)) } } }
            @if !f.remedy.is_empty() { p .small { b { (sheet.t.do_try) ": " } (sheet.said(&f.remedy)) } }
        }
    }
}
