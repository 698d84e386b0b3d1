//! Markdown, for issues, wikis and pull requests: answer, verdict, needs, doubts, and the parts of the document. Charts
//! are omitted.

use crate::Style;
use crate::document::table::Align;
use crate::document::{Block, Cell, Column, Document, Field, Finding, Notes, Part, Row, Table, Text, Value, View};
use crate::widgets::digits::group_markdown;
use crate::widgets::escape::escape_markdown;
use crate::widgets::ink::Ink;
use messages::{Sentence, message};
use model::{Severity, judged::Outcome};
use std::fmt::Write as _;
use std::io::{self, Write};

/// First line of a report in Markdown: a comment, which is not displayed.
pub(crate) const MARK: &str = "<!-- secchi report -->";
/// Maximum number of distinct pieces of evidence shown for a doubt.
const EXAMPLES: usize = 2;
/// Sign for an unknown value.
const UNKNOWN: &str = "–";

/// Writes a document.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(crate) fn write(d: &Document, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let ink = Ink::new(style);
    let mut text = String::new();
    compose(d, ink, &mut text).map_err(io::Error::other)?;
    out.write_all(group_markdown(ink.language, text).as_bytes())
}

fn compose(d: &Document, ink: Ink, out: &mut String) -> std::fmt::Result {
    writeln!(out, "{}", MARK)?;
    let head = &d.head;
    for line in &head.answer.lines {
        writeln!(out, "- **{}** {}", ink.word(line.subject.label_message()), escaped(ink, &line.text))?;
    }
    if let Some((verdict, _)) = &head.verdict {
        let gap = if head.answer.lines.is_empty() { "" } else { "\n" };
        writeln!(out, "{gap}**{}**", escaped(ink, verdict))?;
    }
    if let Some(partial) = &head.partial {
        writeln!(out, "\n{}", ink.format(&message!("markdown-incomplete", told = escaped(ink, partial))))?;
    }
    if let (Some((title, aside)), None) = (&head.title, &head.verdict)
        && head.answer.lines.is_empty()
    {
        let aside = if aside.is_empty() { String::new() } else { format!(" ({})", escaped(ink, aside)) };
        writeln!(out, "# {}{aside}", escaped(ink, title))?;
    }
    needs(d, ink, out)?;
    doubts(&d.notes, ink, out)?;
    d.parts(View::Markdown).try_for_each(|part| write_part(part, &d.notes, ink, out))?;
    if !head.typed.is_empty() {
        let (typed, machine) = (head.typed.replace('`', "'"), escaped(ink, &head.machine));
        writeln!(out, "\n`{typed}`  \n{machine}, {}", escape_markdown(&head.started))?;
    }
    if !head.labels.tags.is_empty() {
        let tags: Vec<String> = head.labels.tags.iter().map(|t| escape_markdown(t)).collect();
        writeln!(out, "\n{}", ink.format(&message!("markdown-tags", tags = tags.join(", "))))?;
    }
    if head.labels.note.is_empty() { Ok(()) } else { writeln!(out, "\n{}", escape_markdown(&head.labels.note)) }
}

fn escaped(ink: Ink, text: &Sentence) -> String {
    escape_markdown(&ink.translate(text))
}

fn needs(d: &Document, ink: Ink, out: &mut String) -> std::fmt::Result {
    let outcome = |outcome: Outcome| match outcome {
        Outcome::Pass => ink.word("page-met").to_owned(),
        Outcome::Fail => format!("**{}**", ink.word("page-not-met")),
        Outcome::Undecided => ink.word("page-undecided").to_owned(),
    };
    if d.needs().next().is_some() {
        let [need, demand, measured] = ["page-need", "page-demand", "page-measured"].map(|id| ink.word(id));
        writeln!(out, "\n| {need} | {demand} | {measured} | |\n|---|---|---|---|")?;
    }
    for need in d.needs() {
        let text = escape_markdown(&need.text);
        for clause in &need.clauses {
            let (demand, measured) = (escape_markdown(&clause.clause.to_string()), escaped(ink, &clause.measured));
            writeln!(out, "| {text} | {demand} | {measured} | {} |", outcome(clause.outcome))?;
        }
        if need.clauses.is_empty() || !need.why.is_empty() {
            writeln!(out, "| {text} | | {} | {} |", escaped(ink, &need.why), outcome(need.outcome))?;
        }
    }
    Ok(())
}

/// Returns the ID of the word before a doubt.
pub(crate) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Invalid => "markdown-invalid",
        Severity::Doubt => "markdown-doubt",
        Severity::Note => "markdown-note",
    }
}

fn doubts(notes: &Notes, ink: Ink, out: &mut String) -> std::fmt::Result {
    if notes.doubts().next().is_some() {
        writeln!(out)?;
    }
    for note in notes.doubts() {
        let evidence = note.evidence.iter().filter(|e| !e.text.is_empty());
        let mut evidence: Vec<String> = evidence.map(|e| ink.translate(&e.text)).collect();
        evidence.dedup();
        let mut examples: Vec<String> = evidence.iter().take(EXAMPLES).map(|e| escape_markdown(e)).collect();
        if evidence.len() > EXAMPLES {
            examples.push(ink.format(&message!("list-others", n = evidence.len() - EXAMPLES)));
        }
        let statement = escaped(ink, &note.listed());
        let described = match examples.is_empty() {
            true => statement,
            false => ink.format(&message!("told-with", told = statement, aside = examples.join("; "))),
        };
        let word = format!("**{}**", ink.word(severity(note.severity)));
        writeln!(out, "- {}", ink.format(&message!("told-of", what = word, told = described)))?;
    }
    Ok(())
}

fn write_part(part: &Part, notes: &Notes, ink: Ink, out: &mut String) -> std::fmt::Result {
    let (title, aside) = (part.title.heading(ink.language), part.aside.text(ink.language));
    if !title.is_empty() {
        let aside = if aside.is_empty() { aside } else { format!(" ({aside})") };
        writeln!(out, "\n### {}", escape_markdown(&format!("{title}{aside}")))?;
    }
    part.blocks.iter().try_for_each(|block| write_block(block, notes, ink, out))
}

fn write_block(block: &Block, notes: &Notes, ink: Ink, out: &mut String) -> std::fmt::Result {
    match block {
        Block::Table(table) => write_table(table, notes, ink, out),
        Block::Text(text) => writeln!(out, "\n{}", paragraph(text, ink)),
        Block::Fields(_, fields) => write_fields(fields, ink, out),
        Block::List { items, most } => {
            writeln!(out)?;
            items.iter().take(*most).try_for_each(|item| writeln!(out, "- {}", paragraph(item, ink)))?;
            match items.len().saturating_sub(*most) {
                0 => Ok(()),
                n => writeln!(out, "- {}", ink.format(&message!("list-and-more", n))),
            }
        }
        Block::Tree { branches, .. } => {
            writeln!(out)?;
            branches.iter().try_for_each(|b| {
                let indent = "  ".repeat(b.depth.min(8) as usize);
                writeln!(out, "{indent}- {}: {}", escape_markdown(&b.name), escaped(ink, &b.text))
            })
        }
        Block::Findings(findings) => {
            writeln!(out)?;
            findings.iter().try_for_each(|f| finding(f, ink, out))
        }
        Block::Subheading(text) => writeln!(out, "\n**{}**", escaped(ink, text)),
        Block::Chart(_) | Block::Code { .. } | Block::Doubts | Block::Blank => Ok(()),
    }
}

fn paragraph(text: &Text, ink: Ink) -> String {
    let sign = text.sign.map_or_else(String::new, |sign| format!("{} ", escape_markdown(sign.glyph(ink))));
    format!("{sign}{}", escaped(ink, &text.text))
}

fn write_fields(fields: &[Field], ink: Ink, out: &mut String) -> std::fmt::Result {
    writeln!(out)?;
    for field in fields {
        let (label, value) = (field.label.text(ink.language), paragraph(&field.text, ink));
        match label.as_str() {
            "" => writeln!(out, "- {value}")?,
            label => writeln!(out, "- {}: {value}", escape_markdown(label))?,
        }
    }
    Ok(())
}

fn finding(f: &Finding, ink: Ink, out: &mut String) -> std::fmt::Result {
    let rule = if f.rule.is_empty() { String::new() } else { format!("{} ", escape_markdown(&f.rule)) };
    writeln!(out, "- **{}** {rule}{}", ink.word(severity(f.severity)), escaped(ink, &f.statement))?;
    f.evidence
        .iter()
        .chain(&f.lines)
        .chain([&f.remedy])
        .filter(|text| !text.is_empty())
        .try_for_each(|text| writeln!(out, "  - {}", escaped(ink, text)))
}

/// Writes a table; notes of rows become numbered footnotes below it.
fn write_table(table: &Table, notes: &Notes, ink: Ink, out: &mut String) -> std::fmt::Result {
    let has_value = |i: usize| table.cells().any(|cells| !matches!(cells[i].value, Value::Blank | Value::Bar(_)));
    let columns: Vec<(usize, &Column)> =
        table.columns.iter().enumerate().filter(|(i, c)| c.is_in_files() && has_value(*i)).collect();
    if table.rows.is_empty() || columns.is_empty() {
        return Ok(());
    }
    let heads: Vec<String> = columns.iter().map(|(_, c)| escape_markdown(&c.head.text(ink.language))).collect();
    let rule: String = columns.iter().map(|(_, c)| if c.align == Align::Right { "---:|" } else { "---|" }).collect();
    writeln!(out, "\n| {} |\n|{rule}", heads.join(" | "))?;
    let mut letters = Vec::new();
    for row in &table.rows {
        match row {
            Row::Cells { cells, notes, .. } => {
                let mut shown: Vec<String> = columns.iter().map(|(i, _)| cell(&cells[*i], ink)).collect();
                for id in notes {
                    let at = letters.iter().position(|l| l == id).unwrap_or_else(|| {
                        letters.push(*id);
                        letters.len() - 1
                    });
                    write!(shown[0], " \\[{}\\]", at + 1)?;
                }
                writeln!(out, "| {} |", shown.join(" | "))?;
            }
            Row::Group(text) => {
                writeln!(out, "| **{}** |{}", escaped(ink, text), " |".repeat(columns.len() - 1))?;
            }
            Row::Note(text) => writeln!(out, "| {} |{}", escaped(ink, text), " |".repeat(columns.len() - 1))?,
            Row::Blank => {}
        }
    }
    if !table.signs.is_empty() {
        writeln!(out, "\n{}", table.signs.iter().map(|text| paragraph(text, ink)).collect::<Vec<_>>().join("; "))?;
    }
    if table.more > 0 {
        writeln!(out, "\n{}", ink.format(&message!("list-and-more", n = table.more)))?;
    }
    if !letters.is_empty() {
        writeln!(out)?;
    }
    for (i, note) in letters.iter().map(|id| notes.note(*id)).enumerate() {
        let text = if note.is_local { escaped(ink, &note.statement) } else { escape_markdown(&note.key) };
        writeln!(out, "- \\[{}\\] {text}", i + 1)?;
    }
    let meanings = table.meanings(|c| columns.iter().any(|(_, shown)| shown.key == c.key));
    if !meanings.is_empty() {
        writeln!(out, "\n{}", escaped(ink, &meanings))?;
    }
    table
        .legend
        .iter()
        .filter(|line| line.sign.is_none())
        .try_for_each(|line| writeln!(out, "\n{}", escaped(ink, &line.text)))
}

fn cell(cell: &Cell, ink: Ink) -> String {
    let text = escape_markdown(&cell.value.shown(ink));
    let sign = cell.sign.map_or_else(String::new, |sign| format!("{} ", escape_markdown(sign.glyph(ink))));
    let text = match &cell.value {
        Value::Blank => return String::new(),
        value if value.is_unknown() => UNKNOWN.to_owned(),
        _ if cell.struck => format!("~~{text}~~"),
        _ => text,
    };
    format!("{sign}{text}{}", cell.suffix)
}
