//! A run as Markdown, for issues, wikis and pull requests: the answer, the verdict, needs, doubts, and a table for each workload.

use super::Format;
use super::mark::escaped;
use crate::Style;
use crate::figures::{count, duration};
use model::{
    Judgement, Labels, LevelFigures, Nanos, OpFigures, Outcome, Percentile, RunRecord, RunState, Severity, thousands,
};
use std::io::{self, Write};

pub(super) struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn write(&self, record: &RunRecord, judgement: &Judgement, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", crate::earlier::MARKDOWN_MARK)?;
        for line in &judgement.answer.lines {
            writeln!(out, "- **{}** {}", line.subject.label(), escaped(&line.text))?;
        }
        if !judgement.answer.lines.is_empty() {
            writeln!(out)?;
        }
        writeln!(out, "**{}**", escaped(&judgement.verdict))?;
        if record.state != RunState::Complete {
            writeln!(out, "\nIncomplete: {}", escaped(&super::partial(record)))?;
        }
        needs(judgement, out)?;
        doubts(judgement, out)?;
        for pattern in &judgement.patterns {
            writeln!(out, "\n### {}\n", escaped(&pattern.label))?;
            writeln!(out, "| in flight | IOPS | MB/s | mean | p50 | p99 | p99.9 | max | operations |")?;
            writeln!(out, "|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
            pattern.levels.iter().try_for_each(|l| level(l, out))?;
            if !pattern.binding.statement.is_empty() {
                writeln!(out, "\n{}", escaped(&pattern.binding.statement))?;
            }
        }
        for wave in judgement.database.iter().flat_map(|d| &d.waves) {
            writeln!(out, "\n### {} at {}, {}\n", escaped(&wave.class), wave.processes, duration(wave.time))?;
            writeln!(out, "| | count | a second | mean | p50 | p99 | p99.9 | max |")?;
            writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|")?;
            wave.kinds().try_for_each(|(name, f)| operation(name, f, out))?;
        }
        let host = escaped(&super::host_line(&record.preflight.host));
        writeln!(out, "\n`{}`  \n{host}, {}", super::typed(record).replace('`', "'"), escaped(&record.started))
    }
}

/// Tags and note of a kept run, as lines after its own.
///
/// # Errors
/// Those of `out`.
pub fn write_labels(labels: &Labels, out: &mut dyn Write) -> io::Result<()> {
    if !labels.tags.is_empty() {
        let tags: Vec<String> = labels.tags.iter().map(|t| escaped(t)).collect();
        writeln!(out, "\nTags: {}", tags.join(", "))?;
    }
    if labels.note.is_empty() { Ok(()) } else { writeln!(out, "\n{}", escaped(&labels.note)) }
}

fn needs(judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    if judgement.needs.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| need | demand | measured | |\n|---|---|---|---|")?;
    for need in &judgement.needs {
        for clause in &need.clauses {
            let (demand, measured) = (escaped(&clause.clause.to_string()), escaped(&clause.measured));
            writeln!(out, "| {} | {demand} | {measured} | {} |", escaped(&need.text), word(clause.outcome))?;
        }
        if need.clauses.is_empty() || !need.why.is_empty() {
            writeln!(out, "| {} | | {} | {} |", escaped(&need.text), escaped(&need.why), word(need.outcome))?;
        }
    }
    Ok(())
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "met",
        Outcome::Fail => "**not met**",
        Outcome::Undecided => "undecided",
    }
}

fn doubts(judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    if !judgement.caveats.is_empty() {
        writeln!(out)?;
    }
    for caveat in &judgement.caveats {
        let word = match caveat.severity {
            Severity::Invalid => "Not valid",
            Severity::Doubt => "Doubt",
            Severity::Note => "Note",
        };
        writeln!(out, "- **{word}**: {} ({})", escaped(&caveat.statement), escaped(&caveat.evidence))?;
    }
    Ok(())
}

fn time(value: Option<Nanos>) -> String {
    value.map_or_else(|| "–".to_owned(), |n| n.to_string())
}

fn at(percentile: Percentile) -> String {
    time(percentile.value())
}

fn level(l: &LevelFigures, out: &mut dyn Write) -> io::Result<()> {
    let n = l.concurrency();
    let held = if l.hold { " (held)" } else { "" };
    if let Some(why) = &l.struck {
        return writeln!(out, "| {n}{held} | not a figure: {} | | | | | | | |", escaped(why));
    }
    let (iops, mb) = (thousands(l.iops.value), l.bandwidth.mb());
    let figures = [time(l.mean), at(l.p50), at(l.p99), at(l.p999), time(l.max), count(l.ops)].join(" | ");
    writeln!(out, "| {n}{held} | {iops} | {mb:.1} | {figures} |")
}

fn operation(name: &str, f: &OpFigures, out: &mut dyn Write) -> io::Result<()> {
    let figures = [time(f.mean), at(f.p50), at(f.p99), at(f.p999), time(f.max)].join(" | ");
    let rate = f.rate.map_or_else(|| "–".to_owned(), |rate| thousands(rate.0));
    writeln!(out, "| {name} | {} | {rate} | {figures} |", count(f.count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_run_for_an_issue() {
        let (record, judgement) = fixture::capped();
        let mut out = Vec::new();
        Markdown.write(&record, &judgement, &Style::default(), &mut out).expect("memory takes it");
        insta::assert_snapshot!(String::from_utf8(out).expect("UTF-8"));
    }
}
