//! A run as Markdown, for issues, wikis and pull requests: the answer, the verdict, needs, doubts, and a table for each
//! workload.

use super::run::{Format, ReportedRun, WriteComparison};
use crate::Style;
use crate::screens::comparison::write_comparison_markdown;
use crate::widgets::digits::group_markdown;
use crate::widgets::doubts::grouped;
use crate::widgets::escape::escape_markdown;
use crate::widgets::figures::{count, duration};
use crate::widgets::ink::Ink;
use messages::message;
use model::{
    DbOperation, DurabilityFigures, Judgement, Labels, LevelFigures, MetadataFigures, Nanos, OpFigures, Outcome,
    Percentile, RunRecord, RunState, Severity, thousands,
};
use std::io::{self, Write};

/// Maximum number of distinct pieces of evidence shown for a doubt.
const EXAMPLES: usize = 2;

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    aliases: &["md"],
    help: "Markdown, for issues and wikis",
    endings: &["md", "markdown"],
    several: false,
    is_screen: false,
    write,
    write_comparison: WriteComparison::Figures(write_comparison_markdown),
};

fn write(runs: &[ReportedRun<'_>], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for run in runs {
        let mut text = Vec::new();
        write_run(run.record, run.judgement, style, &mut text)?;
        let text = String::from_utf8(text).map_err(io::Error::other)?;
        out.write_all(group_markdown(Ink::new(style).language, text).as_bytes())?;
    }
    runs.iter().try_for_each(|r| write_labels(r.labels, style, out))
}

fn write_run(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let ink = Ink::new(style);
    writeln!(out, "{}", crate::formats::earlier::MARKDOWN_MARK)?;
    for line in &judgement.answer.lines {
        let said = escape_markdown(&ink.translate(&line.text));
        writeln!(out, "- **{}** {said}", super::answer_label(line.subject, ink))?;
    }
    if !judgement.answer.lines.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "**{}**", escape_markdown(&ink.translate(&judgement.verdict)))?;
    if record.state != RunState::Complete {
        let state = escape_markdown(&ink.translate(super::partial(record)));
        writeln!(out, "\n{}", ink.format(&message!("markdown-incomplete", told = state)))?;
    }
    needs(judgement, ink, out)?;
    doubts(judgement, ink, out)?;
    for pattern in &judgement.patterns {
        writeln!(out, "\n### {}\n", escape_markdown(&pattern.label))?;
        let word = |id: &str| ink.word(id);
        let (mean, max) = (word("page-mean"), word("page-maximum"));
        let (depth, operations) = (word("page-in-flight"), word("page-operations"));
        writeln!(out, "| {depth} | IOPS | MB/s | {mean} | p50 | p99 | p99.9 | {max} | {operations} |")?;
        writeln!(out, "|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
        pattern.levels.iter().try_for_each(|l| level(l, ink, out))?;
        if !pattern.binding.statement.is_empty() {
            writeln!(out, "\n{}", escape_markdown(&ink.translate(&pattern.binding.statement)))?;
        }
    }
    for wave in judgement.database().into_iter().flat_map(|d| &d.waves) {
        let (class, n, time) = (escape_markdown(&wave.class), wave.processes, duration(wave.time));
        writeln!(out, "\n### {}\n", ink.format(&message!("markdown-wave", class, n, time)))?;
        let [count, rate, mean, max] = ["head-count", "page-rate", "page-mean", "page-maximum"].map(|id| ink.word(id));
        writeln!(out, "| | {count} | {rate} | {mean} | p50 | p99 | p99.9 | {max} |")?;
        writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|")?;
        wave.kinds().try_for_each(|(name, f)| operation(ink.word(super::database::kind(name)), f, out))?;
        for host in &wave.hosts {
            let label = |name: DbOperation| {
                format!("{} {}", escape_markdown(&host.host), ink.word(super::database::kind(name)))
            };
            host.kinds().try_for_each(|(name, f)| operation(&label(name), f, out))?;
        }
    }
    if let Some(figures) = judgement.metadata() {
        metadata(figures, ink, out)?;
    }
    if let Some(figures) = judgement.durability() {
        durability(figures, ink, out)?;
    }
    let host = escape_markdown(&ink.translate(super::host_line(&record.preflight.host)));
    writeln!(out, "\n`{}`  \n{host}, {}", super::typed(record).replace('`', "'"), escape_markdown(&record.started))
}

/// Writes a row for each promise, and one for each durability method tested.
fn durability(figures: &DurabilityFigures, ink: Ink, out: &mut dyn Write) -> io::Result<()> {
    let [promise, standing, evidence] =
        ["durable-head-promise", "durable-head-standing", "durable-head-evidence"].map(|id| ink.word(id));
    writeln!(out, "\n### {}\n\n| {promise} | {standing} | {evidence} |\n|---|---|---|", ink.word("durable-title"))?;
    for of in &figures.promises {
        let evidence_text = escape_markdown(&ink.translate(super::durability::evidence(of)));
        writeln!(out, "| {} | {} | {evidence_text} |", of.method, ink.word(of.standing.message()))?;
    }
    let [method, rate, mean, max, flushes, forced, flush] = super::durability::HEADS.map(|id| ink.word(id));
    writeln!(out, "\n### {}\n", ink.word("durable-title-commits"))?;
    writeln!(out, "| {method} | {rate} | {mean} | p50 | p99 | p99.9 | {max} | {flushes} | {forced} | {flush} |")?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
    let time = |of: Option<Nanos>| of.map_or_else(|| "-".to_owned(), |t| t.to_string());
    for of in &figures.commits {
        let at = super::durability::at_lowest(figures, of);
        let (label, rate) = (of.rule, thousands(of.rate.per_second()));
        let times = [of.mean, of.p50.value(), of.p99.value(), of.p999.value(), of.max].map(time).join(" | ");
        let each = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), |n| super::durability::each(n, of));
        let (flushes, forced) = (each(at.map(|at| at.flushes)), each(at.filter(|at| at.traced).map(|at| at.forced)));
        let flush = time(at.and_then(|at| at.flush_p50));
        writeln!(out, "| {label} | {rate} | {times} | {flushes} | {forced} | {flush} |")?;
    }
    Ok(())
}

/// Writes a row for each phase of a metadata run.
fn metadata(figures: &MetadataFigures, ink: Ink, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n### {}\n", ink.format(&super::metadata::summary(figures)))?;
    let [phase, files, rate, durable, mean, max] = super::metadata::HEADS.map(|id| ink.word(id));
    writeln!(out, "| {phase} | {files} | {rate} | {durable} | {mean} | p50 | p99 | p99.9 | {max} |")?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|---:|")?;
    let time = |of: Option<Nanos>| of.map_or_else(|| "-".to_owned(), |t| t.to_string());
    for of in &figures.phases {
        let durable = of.durable_rate.map_or_else(String::new, |r| thousands(r.per_second()));
        let (label, files, rate) = (of.label(), count(of.all.files), thousands(of.all.rate.per_second()));
        let times = [of.all.mean, of.all.p50.value(), of.all.p99.value(), of.all.p999.value(), of.all.max]
            .map(time)
            .join(" | ");
        writeln!(out, "| {label} | {files} | {rate} | {durable} | {times} |")?;
    }
    if figures.hosts.is_empty() {
        return Ok(());
    }
    let heads: Vec<&str> = figures.phases.iter().map(super::metadata::short_label).collect();
    let (host, note) = (ink.word("metadata-head-host"), ink.word("metadata-by-host-note"));
    writeln!(out, "\n{}, {note}:\n", ink.word("metadata-by-host"))?;
    writeln!(out, "| {host} | {} |\n|---|{}", heads.join(" | "), "---:|".repeat(heads.len()))?;
    for (which, name) in figures.hosts.iter().enumerate() {
        let rates: Vec<String> = figures.phases.iter().map(|of| super::metadata::rate_of_host(of, which)).collect();
        writeln!(out, "| {} | {} |", escape_markdown(name), rates.join(" | "))?;
    }
    Ok(())
}

/// Writes tags and note of a stored run, after the run itself.
///
/// # Errors
/// Returns an error if writing to `out` fails.
fn write_labels(labels: &Labels, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if !labels.tags.is_empty() {
        let tags: Vec<String> = labels.tags.iter().map(|t| escape_markdown(t)).collect();
        writeln!(out, "\n{}", Ink::new(style).format(&message!("markdown-tags", tags = tags.join(", "))))?;
    }
    if labels.note.is_empty() { Ok(()) } else { writeln!(out, "\n{}", escape_markdown(&labels.note)) }
}

fn needs(judgement: &Judgement, ink: Ink, out: &mut dyn Write) -> io::Result<()> {
    if judgement.needs.is_empty() {
        return Ok(());
    }
    let [need, demand, measured] = ["page-need", "page-demand", "page-measured"].map(|id| ink.word(id));
    writeln!(out, "\n| {need} | {demand} | {measured} | |\n|---|---|---|---|")?;
    for need in &judgement.needs {
        for clause in &need.clauses {
            let (demand, measured) =
                (escape_markdown(&clause.clause.to_string()), escape_markdown(&ink.translate(&clause.measured)));
            writeln!(
                out,
                "| {} | {demand} | {measured} | {} |",
                escape_markdown(&need.text),
                word(clause.outcome, ink)
            )?;
        }
        if need.clauses.is_empty() || !need.why.is_empty() {
            let reason = escape_markdown(&ink.translate(&need.why));
            writeln!(out, "| {} | | {reason} | {} |", escape_markdown(&need.text), word(need.outcome, ink))?;
        }
    }
    Ok(())
}

fn word(outcome: Outcome, ink: Ink) -> String {
    match outcome {
        Outcome::Pass => ink.word("page-met").to_owned(),
        Outcome::Fail => format!("**{}**", ink.word("page-not-met")),
        Outcome::Undecided => ink.word("page-undecided").to_owned(),
    }
}

/// Returns the ID of the word before a doubt.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Invalid => "markdown-invalid",
        Severity::Doubt => "markdown-doubt",
        Severity::Note => "markdown-note",
    }
}

fn doubts(judgement: &Judgement, ink: Ink, out: &mut dyn Write) -> io::Result<()> {
    if !judgement.caveats.is_empty() {
        writeln!(out)?;
    }
    for group in grouped(&judgement.caveats) {
        let mut evidence: Vec<String> = group.iter().map(|c| ink.translate(&c.evidence)).collect();
        evidence.dedup();
        let statement = escape_markdown(&ink.translate(&group[0].statement));
        let mut examples: Vec<String> = evidence.iter().take(EXAMPLES).map(|e| escape_markdown(e)).collect();
        if evidence.len() > EXAMPLES {
            examples.push(ink.format(&message!("list-others", n = evidence.len() - EXAMPLES)));
        }
        let described = message!("told-with", told = statement, aside = examples.join("; "));
        let doubt =
            message!("told-of", what = format!("**{}**", ink.word(severity(group[0].severity))), told = described);
        writeln!(out, "- {}", ink.format(&doubt))?;
    }
    Ok(())
}

fn time(value: Option<Nanos>) -> String {
    value.map_or_else(|| "–".to_owned(), |n| n.to_string())
}

fn at(percentile: Percentile) -> String {
    time(percentile.value())
}

fn level(l: &LevelFigures, ink: Ink, out: &mut dyn Write) -> io::Result<()> {
    let n = l.concurrency();
    let n = if l.hold { ink.format(&message!("markdown-held", n)) } else { n.to_string() };
    if let Some(reason) = &l.struck {
        let struck = ink.format(&message!("markdown-struck", why = reason));
        return writeln!(out, "| {n} | {} | | | | | | | |", escape_markdown(&struck));
    }
    let (iops, mb) = (thousands(l.iops.value), l.bandwidth.mb());
    let figures = [time(l.mean), at(l.p50), at(l.p99), at(l.p999), time(l.max), count(l.ops)].join(" | ");
    writeln!(out, "| {n} | {iops} | {mb:.1} | {figures} |")
}

fn operation(name: &str, f: &OpFigures, out: &mut dyn Write) -> io::Result<()> {
    let figures = [time(f.mean), at(f.p50), at(f.p99), at(f.p999), time(f.max)].join(" | ");
    let rate = f.rate.map_or_else(|| "–".to_owned(), |rate| thousands(rate.per_second()));
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
        write_run(&record, &judgement, &Style::default(), &mut out).expect("memory takes it");
        insta::assert_snapshot!(String::from_utf8(out).expect("UTF-8"));
    }
}
