//! A mark as a Markdown table, for issues, wikis and pull requests.

use super::{Loop, Mark};
use crate::Style;
use crate::formats::markdown::severity;
use crate::widgets::escape::escape_markdown;
use crate::widgets::figures::megabytes;
use crate::widgets::ink::Ink;
use messages::message;
use model::{Nanos, RunState, Severity, thousands};
use std::io::{self, Write};

pub(super) fn write(mark: &Mark, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let place = escape_markdown(&format!("{} ({})", mark.place, mark.storage));
    let ink = Ink::new(style);
    let asked = escape_markdown(&ink.translate(mark.asked("×")));
    writeln!(out, "{}\n", ink.format(&message!("mark-of", mark = "**secchi mark**", place, asked)))?;
    let [test, way, median, mean] =
        ["mark-head-test", "mark-head-direction", "mark-head-median", "page-mean"].map(|id| ink.word(id));
    let best = ink.format(&message!("mark-head-best", n = mark.loops));
    writeln!(out, "| {test} | {way} | {best} | {median} | IOPS | {mean} | p99 |")?;
    writeln!(out, "|---|---|---:|---:|---:|---:|---:|")?;
    for direction in &mark.directions {
        for (test, cell) in mark.in_direction(*direction) {
            let median = cell.median().map_or_else(|| "–".to_owned(), rate);
            let name = match direction {
                model::MarkDirection::Read => ink.word("page-read").to_owned(),
                model::MarkDirection::Write => ink.word("page-write").to_owned(),
                model::MarkDirection::Mix(reads) => format!("{} {reads}/{}", ink.word("page-mix"), 100 - reads),
            };
            let [best, iops, mean, p99] = cell.best().map_or_else(|| ["–"; 4].map(str::to_owned), figures);
            writeln!(out, "| {test} | {name} | {best} | {median} | {iops} | {mean} | {p99} |")?;
        }
    }
    writeln!(out, "\n{}", ink.word("mark-legend"))?;
    if let Some(sum) = mark.sum_of() {
        writeln!(out, "\n{}\n", escape_markdown(&ink.translate(sum)))?;
    }
    for (what, told) in mark.by_host() {
        let described = escape_markdown(&ink.translate(told));
        writeln!(out, "- {}", ink.format(&message!("told-of", what, told = described)))?;
    }
    if mark.state != RunState::Complete {
        let verdict = escape_markdown(&ink.translate(mark.verdict()));
        writeln!(out, "\n{}", ink.format(&message!("markdown-incomplete", told = verdict)))?;
    }
    if mark.doubts.iter().any(|d| d.severity > Severity::Note) {
        writeln!(out)?;
    }
    for doubt in mark.doubts.iter().filter(|d| d.severity > Severity::Note) {
        let what = format!("**{}**", ink.word(severity(doubt.severity)));
        let line = escape_markdown(&ink.translate(doubt.line()));
        writeln!(out, "- {}", ink.format(&message!("told-of", what, told = line)))?;
    }
    let (date, time) = mark.moment();
    let device = mark.device.as_ref().map_or_else(String::new, |d| format!(", {}", escape_markdown(d)));
    let (kernel, engine) = (escape_markdown(&mark.kernel), escape_markdown(&mark.engine));
    writeln!(out, "\nsecchi {}, {engine}, {kernel}{device}, {date} {time}", escape_markdown(&mark.tool))
}

fn rate(one: &Loop) -> String {
    let text = megabytes(one.rate);
    if one.struck { format!("~~{text}~~") } else { text }
}

fn figures(one: &Loop) -> [String; 4] {
    let time = |t: Option<Nanos>| t.map_or_else(|| "–".to_owned(), |t| t.to_string());
    [rate(one), thousands(one.iops.per_second()), time(one.mean), time(one.p99.value())]
}

#[cfg(test)]
mod tests {
    use super::super::testkit::{doubted, marked, written};
    use super::*;

    #[test]
    fn a_table_for_an_issue() {
        insta::assert_snapshot!(written("markdown", &marked()));
        insta::assert_snapshot!(written("markdown", &doubted()));
    }

    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(escape_markdown("a|b <i> *x* [l](u)"), "a\\|b &lt;i> \\*x\\* \\[l\\](u)");
    }
}
