//! A mark as a Markdown table, for issues, wikis and pull requests.

use super::{Loop, Mark};
use crate::Style;
use crate::figures::megabytes;
use model::{Nanos, RunState, Severity, thousands};
use std::io::{self, Write};

pub(super) fn write(mark: &Mark, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let place = escaped(&format!("{} ({})", mark.place, mark.storage));
    writeln!(out, "**secchi mark** of {place}: {}\n", escaped(&mark.asked("×")))?;
    writeln!(out, "| Test | Direction | MB/s (best of {}) | MB/s (median) | IOPS | mean | p99 |", mark.loops)?;
    writeln!(out, "|---|---|---:|---:|---:|---:|---:|")?;
    for direction in &mark.directions {
        for (test, cell) in mark.in_direction(*direction) {
            let median = cell.median().map_or_else(|| "–".to_owned(), rate);
            let name = match direction {
                model::MarkDirection::Mix(reads) => format!("mix {reads}/{}", 100 - reads),
                other => other.name().to_owned(),
            };
            let [best, iops, mean, p99] = cell.best().map_or_else(|| ["–"; 4].map(str::to_owned), figures);
            writeln!(out, "| {test} | {name} | {best} | {median} | {iops} | {mean} | {p99} |")?;
        }
    }
    writeln!(out, "\nMB/s are 10^6 bytes; IOPS, mean and p99 are those of the best loop.")?;
    if mark.state != RunState::Complete {
        writeln!(out, "\nIncomplete: {}", escaped(&mark.verdict()))?;
    }
    if mark.doubts.iter().any(|d| d.severity > Severity::Note) {
        writeln!(out)?;
    }
    for doubt in mark.doubts.iter().filter(|d| d.severity > Severity::Note) {
        let word = if doubt.severity == Severity::Invalid { "Not valid" } else { "Doubt" };
        writeln!(out, "- **{word}**: {}", escaped(&doubt.line()))?;
    }
    let (date, time) = mark.moment();
    let device = mark.device.as_ref().map_or_else(String::new, |d| format!(", {}", escaped(d)));
    let (kernel, engine) = (escaped(&mark.kernel), escaped(&mark.engine));
    writeln!(out, "\nsecchi {}, {engine}, {kernel}{device}, {date} {time}", escaped(&mark.tool))
}

fn rate(one: &Loop) -> String {
    let text = megabytes(one.rate);
    if one.struck { format!("~~{text}~~") } else { text }
}

fn figures(one: &Loop) -> [String; 4] {
    let time = |t: Option<Nanos>| t.map_or_else(|| "–".to_owned(), |t| t.to_string());
    [rate(one), thousands(one.iops.0), time(one.mean), time(one.p99.value())]
}

/// Foreign text that neither ends a cell nor begins markup.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in crate::harmless(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '~' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
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
        assert_eq!(escaped("a|b <i> *x* [l](u)"), "a\\|b &lt;i> \\*x\\* \\[l\\](u)");
    }
}
