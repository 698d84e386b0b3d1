//! The screen: verdict, needs, the table of results, sampled series, findings with their lines, and lines that were not
//! understood.

use super::super::terminal::{needs, outcome_paint};
use super::counted;
use crate::Style;
use crate::widgets::doubts::{severity_paint, severity_sign};
use crate::widgets::figures::{duration, megabytes, percent};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::sentence;
use model::CompactSort;
use model::{
    BytesPerSecond, ForeignFinding, ForeignJudgement, ForeignRow, ForeignSampled, Nanos, RuleText, Sentence, Severity,
    SourceLine, distinct_names, thousands,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Maximum numbers of evidence lines, files and lines per file shown for one finding; the JSON has all of them.
const MOST_EVIDENCE: usize = 12;
const MOST_FILES: usize = 4;
const MOST_LINES: usize = 6;
/// Maximum numbers of series and remarks shown.
const MOST_SERIES: usize = 14;
const MOST_REMARKS: usize = 8;

/// Writes the screen.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write(judgement: &ForeignJudgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let ink = page.ink;
    let verdict = ink.translate(&judgement.verdict);
    page.labelled(ink.word("judged-verdict"), Paint::BOLD, &verdict, outcome_paint(judgement.outcome))?;
    needs(page, &judgement.needs)?;
    let rows_of = judgement.rows.iter().map(|r| r.source.as_str());
    let sampled_of = judgement.sampled.iter().map(|s| s.source.as_str());
    let names = Names::new(judgement.files.iter().map(|f| f.0.as_str()).chain(rows_of).chain(sampled_of));
    if !judgement.rows.is_empty() {
        page.blank()?;
        let limits: Vec<String> = judgement.limits.iter().map(ToString::to_string).collect();
        page.heading(ink.word("judged-head-results"), &limits.join("; "))?;
        rows(page, &judgement.rows, &names)?;
    }
    if !judgement.sampled.is_empty() {
        page.blank()?;
        page.heading(ink.word("judged-head-sampled"), "")?;
        sampled(page, &judgement.sampled, &names)?;
    }
    if !judgement.findings.is_empty() {
        page.blank()?;
        let counted = counted(judgement.findings.iter().map(|f| f.finding.severity));
        page.heading(ink.word("judged-head-findings"), &ink.translate(&counted))?;
        judgement.findings.iter().try_for_each(|f| finding(page, f, &names))?;
        page.blank()?;
        explained(page, "secchi judge --explain ID")?;
    }
    if !judgement.remarks.is_empty() {
        page.blank()?;
        page.heading(ink.word("judged-head-remarks"), "")?;
        remarks(page, &judgement.remarks)?;
    }
    page.blank()?;
    page.heading(ink.word("judged-head-files"), "")?;
    files(page, judgement)
}

/// Writes a verdict and findings without a table, for plans.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_findings(
    verdict: &Sentence,
    paint_bad: bool,
    findings: &[ForeignFinding],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let paint = Paint::new(if paint_bad { Hue::Doubt } else { Hue::Pass }).bold();
    page.labelled(page.ink.word("judged-lint"), Paint::BOLD, &page.ink.translate(verdict), paint)?;
    if findings.is_empty() {
        return Ok(());
    }
    page.blank()?;
    // For plans, names are shown as typed, because that is the text to correct.
    let names = Names(BTreeMap::new());
    findings.iter().try_for_each(|f| finding(page, f, &names))?;
    page.blank()?;
    explained(page, "secchi lint --explain ID")
}

/// Writes the command that explains a rule in full.
fn explained(page: &mut Page, command: &str) -> io::Result<()> {
    let text = page.ink.translate(sentence!("judged-explain", command));
    page.labelled("", Paint::DIM, &text, Paint::DIM)
}

/// Returns the translated header of a column; `file` looks up the message `judged-column-file`.
fn head(page: &Page, name: &str) -> &'static str {
    messages::fixed(page.ink.language, &format!("judged-column-{name}"))
}

/// Returns the table's columns. `has_work` adds a column for work that is not device operations, if any result reports
/// it.
fn columns(page: &Page, has_work: bool) -> Vec<Column> {
    let head = |name| head(page, name);
    let first = [
        Column::left(head("file")),
        Column::left(head("load")),
        Column::right(head("jobs")).droppable(5),
        Column::right(head("depth")).droppable(4),
        Column::right("IOPS"),
        Column::right("MB/s").droppable(6),
    ];
    let rest = [
        Column::right(head("mean")),
        Column::right("p99").droppable(2),
        Column::right(head("max")).droppable(8),
        Column::right(head("in-flight")).droppable(7),
        Column::right(head("submit")).droppable(10),
        Column::right(head("passes")).droppable(9),
        Column::right(head("limit")).droppable(1),
        Column::left(head("binds")).droppable(3),
    ];
    let work = has_work.then(|| Column::right(head("work")));
    first.into_iter().chain(work).chain(rest).collect()
}

/// Maximum width of a file's name, in columns; longer names are shortened in the middle.
const NAME: usize = 26;

fn rows(page: &mut Page, rows: &[ForeignRow], names: &Names) -> io::Result<()> {
    let has_work = rows.iter().any(|r| r.work.is_some());
    let mut table = Table::new(columns(page, has_work), 1);
    let mut per_file: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *per_file.entry(row.source.as_str()).or_default() += 1;
    }
    // If several rows have the same line and load, such as two volumes tested together, they also show the names of
    // their tests.
    let place = |row: &ForeignRow| (row.source.clone(), row.line, row.label(), row.jobs, row.depth);
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for row in rows {
        *places.entry(place(row)).or_default() += 1;
    }
    let ellipsis = page.ink.glyphs().ellipsis;
    let (alone, numbered) = (names.fitted(NAME, ellipsis), names.fitted(NAME - 4, ellipsis));
    for row in rows {
        let paint = if row.struck.is_some() { Paint::STRUCK } else { Paint::PLAIN };
        let text = |t: String| Line::new().with(t, paint);
        let number =
            |v: Option<f64>, f: fn(f64) -> String| text(v.filter(|v| v.is_finite()).map(f).unwrap_or_default());
        let source = row.source.as_str();
        let name = match per_file[source] {
            1 => alone.get(source).cloned().unwrap_or_default(),
            _ => format!("{}:{}", numbered.get(source).map_or("", String::as_str), row.line),
        };
        let iops = row.iops.map(thousands).unwrap_or_default();
        let (mean, p99) = (number(row.mean, time), number(row.p99, time));
        let mut cells = vec![
            Line::new().with(name, if row.struck.is_some() { Paint::DIM } else { Paint::PLAIN }),
            Line::plain(match places[&place(row)] {
                1 => row.label(),
                _ => format!("{} {}", row.label(), row.name),
            }),
            Line::plain(row.jobs.map(|n| n.to_string()).unwrap_or_default()),
            Line::plain(row.depth.map(|n| n.to_string()).unwrap_or_default()),
            // Invalid figures are in parentheses, in case the terminal cannot strike them through.
            text(if row.struck.is_some() && !iops.is_empty() { format!("({iops})") } else { iops }),
            number(row.bandwidth, |b| megabytes(BytesPerSecond(b))),
        ];
        cells.extend(has_work.then(|| text(row.work.as_ref().map(work).unwrap_or_default())));
        cells.extend([
            if row.mean_by_little { mean.with(" L", Paint::DIM) } else { mean },
            if row.p99_least.is_some() { p99.with(" C", Paint::DIM) } else { p99 },
            number(row.max, time),
            number(row.in_flight, |n| format!("{n:.1}")),
            number(row.submit_cpu, percent),
            number(row.passes, |n| format!("{n:.1}")),
            limit(row),
            binds(page, row),
        ]);
        table.row(cells);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    legend(page, rows, &laid.dropped)
}

/// Formats work such as `7,345 entries/s` or `2.72 points`: smaller values get more digits.
fn work((rate, unit): &(f64, String)) -> String {
    match rate {
        r if r.abs() >= 100.0 => format!("{} {unit}", thousands(*r)),
        r => format!("{r:.2} {unit}"),
    }
}

fn time(seconds: f64) -> String {
    Nanos::from_secs_f64(seconds).to_string()
}

fn limit(row: &ForeignRow) -> Line {
    match &row.limit {
        Some((_, used)) if *used >= 0.97 => Line::new().with(percent(*used), Paint::new(Hue::Limit)),
        Some((_, used)) => Line::plain(percent(*used)),
        None => Line::new(),
    }
}

fn binds(page: &Page, row: &ForeignRow) -> Line {
    match &row.struck {
        Some(rule) => Line::new().with(rule.clone(), Paint::new(Hue::Fail)),
        None => Line::plain(page.ink.translate(&row.binds)),
    }
}

/// Explains the table's signs and missing columns.
fn legend(page: &mut Page, rows: &[ForeignRow], dropped: &[&str]) -> io::Result<()> {
    let mut words = Vec::new();
    let any = |f: fn(&ForeignRow) -> bool| rows.iter().any(f);
    if any(|r| r.mean_by_little) {
        words.push(sentence!("judged-legend-little"));
    }
    if any(|r| r.p99_least.is_some()) && !dropped.contains(&"p99") {
        words.push(sentence!("judged-legend-clones"));
    }
    if any(|r| r.struck.is_some()) {
        words.push(sentence!("judged-legend-struck"));
    }
    if any(|r| r.limit.is_some()) {
        words.push(sentence!("judged-legend-limit"));
    }
    if any(|r| r.submit_cpu.is_some()) && !dropped.contains(&head(page, "submit")) {
        words.push(sentence!("judged-legend-submit"));
    }
    if !dropped.is_empty() {
        words.push(sentence!("judged-legend-no-room", columns = dropped.join(", ")));
    }
    if words.is_empty() {
        return Ok(());
    }
    let text = page.ink.translate(Sentence::join(words, "; "));
    page.hanging(Line::plain(" "), 1, &text, Paint::DIM)
}

/// Maximum width of a series' name, in columns.
const SERIES: usize = 40;

/// Splits the machine's name off a Windows counter: `\\\\HOST\\PhysicalDisk(4 H:)\\Disk Reads/sec`.
fn without_machine(name: &str) -> (&str, &str) {
    match name.strip_prefix("\\\\").and_then(|rest| rest.split_once('\\')) {
        Some(parts) => parts,
        None => ("", name),
    }
}

fn sampled(page: &mut Page, all: &[ForeignSampled], files: &Names) -> io::Result<()> {
    let head = |name| head(page, name);
    let columns = vec![
        Column::left(head("series")),
        Column::left(head("unit")).droppable(2),
        Column::right(head("samples")).droppable(3),
        Column::right(head("time")).droppable(4),
        Column::right(head("mean")),
        Column::right(head("max")),
    ];
    let mut table = Table::new(columns, 1);
    let alive: Vec<&ForeignSampled> = all.iter().filter(|s| s.max != 0.0 || s.mean != 0.0).collect();
    let shown = &alive[..alive.len().min(MOST_SERIES)];
    let machines: BTreeSet<&str> = shown.iter().map(|s| without_machine(&s.name).0).collect();
    let name = |s: &&'_ ForeignSampled| {
        if machines.len() > 1 { s.name.clone() } else { without_machine(&s.name).1.to_owned() }
    };
    let plain: Vec<String> = shown.iter().map(name).collect();
    let series = fit(plain.iter().map(|n| (n.as_str(), n.as_str())), SERIES, page.ink.glyphs().ellipsis);
    for (s, plain) in shown.iter().zip(&plain) {
        let bytes = s.unit == "B/s";
        let figure = |v: f64| {
            if bytes {
                BytesPerSecond(v).to_string()
            } else if s.unit == "s" {
                time(v)
            } else {
                thousands(v)
            }
        };
        table.row(vec![
            Line::plain(format!("{} {}", files.short_name(&s.source), series[plain.as_str()])),
            Line::new().with(if bytes || s.unit == "s" { String::new() } else { s.unit.clone() }, Paint::DIM),
            Line::plain(s.samples.to_string()),
            Line::plain(duration(Nanos::from_secs_f64(s.seconds))),
            Line::plain(figure(s.mean)),
            Line::plain(figure(s.max)),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    let rest = all.len() - alive.len().min(MOST_SERIES);
    if rest == 0 {
        return Ok(());
    }
    let zero = all.len() - alive.len();
    let text = page.ink.translate(sentence!("judged-more-series", rest, zero));
    page.hanging(Line::plain(" "), 1, &text, Paint::DIM)
}

fn finding(page: &mut Page, f: &ForeignFinding, names: &Names) -> io::Result<()> {
    let finding = &f.finding;
    let mut lead = Line::plain(" ");
    lead.push(severity_sign(page, finding.severity), severity_paint(finding.severity).bold());
    let ink = page.ink;
    let statement = format!("{}  {}", finding.id, ink.translate(&finding.statement));
    page.hanging(lead, 3, &statement, severity_paint(finding.severity))?;
    for line in finding.evidence.iter().take(MOST_EVIDENCE) {
        page.hanging(Line::plain("   "), 5, &ink.translate(line), Paint::PLAIN)?;
    }
    if finding.evidence.len() > MOST_EVIDENCE {
        let text = ink.translate(sentence!("judged-more", n = finding.evidence.len() - MOST_EVIDENCE));
        page.hanging(Line::plain("   "), 5, &text, Paint::DIM)?;
    }
    sources(page, &f.lines, names)?;
    let lead = Line::plain("   ").with(format!("{}: ", ink.word("judged-try")), Paint::BOLD);
    page.hanging(lead, 8, &ink.translate(&finding.remedy), Paint::PLAIN)
}

/// Writes the lines that support a finding, with the words found there, grouped by file:
/// `write-1.txt:8 avg=705.83, :9 avg=15568.51`.
fn sources(page: &mut Page, lines: &[SourceLine], names: &Names) -> io::Result<()> {
    let mut files: Vec<(&Sentence, Vec<&SourceLine>)> = Vec::new();
    for line in lines {
        match files.iter_mut().find(|f| *f.0 == line.source) {
            Some(file) => file.1.push(line),
            None => files.push((&line.source, vec![line])),
        }
    }
    let ink = page.ink;
    let mut left = lines.len();
    for (source, own) in files.iter_mut().take(MOST_FILES) {
        own.compact_sort_by_key(|l| l.line);
        let mut text = names.short_name(&ink.translate(&**source)).to_owned();
        let mut last = None;
        for line in own.iter().take(MOST_LINES) {
            let at = if line.line == 0 { ":".to_owned() } else { format!(":{}", line.line) };
            let words = ink.translate(&line.words);
            match last {
                Some(same) if same == line.line => write!(text, " {words}"),
                Some(_) => write!(text, ", {at} {words}"),
                None => write!(text, "{at} {words}"),
            }
            .map_err(io::Error::other)?;
            last = Some(line.line);
            left -= 1;
        }
        page.hanging(Line::plain("     "), 7, &text, Paint::DIM)?;
    }
    if left > 0 {
        let text = ink.translate(sentence!("judged-more-lines", n = left));
        page.hanging(Line::plain("     "), 7, &text, Paint::DIM)?;
    }
    Ok(())
}

/// Shortest names that distinguish the files on the screen, by path.
struct Names<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Names<'a> {
    fn new(sources: impl Iterator<Item = &'a str>) -> Names<'a> {
        Names(distinct_names(sources))
    }

    fn short_name<'b>(&'b self, source: &'b str) -> &'b str {
        self.0.get(source).copied().unwrap_or(source)
    }

    /// Returns names that fit a column: long names are shortened in the middle unless two would become equal.
    fn fitted(&self, most: usize, ellipsis: &str) -> BTreeMap<&'a str, String> {
        fit(self.0.iter().map(|(source, name)| (*source, *name)), most, ellipsis)
    }
}

/// Shortens names to `most` characters, except those that would become equal.
fn fit<'a, 'b>(
    names: impl Iterator<Item = (&'a str, &'b str)> + Clone,
    most: usize,
    ellipsis: &str,
) -> BTreeMap<&'a str, String> {
    let mut uses: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    names.clone().for_each(|(_, name)| {
        uses.entry(shortened(name, most, ellipsis)).or_default().insert(name);
    });
    let one = |(key, name): (&'a str, &'b str)| {
        let short = shortened(name, most, ellipsis);
        (key, if uses[&short].len() > 1 { name.to_owned() } else { short })
    };
    names.map(one).collect()
}

fn remarks(page: &mut Page, remarks: &[SourceLine]) -> io::Result<()> {
    for remark in remarks.iter().take(MOST_REMARKS) {
        let SourceLine { source, line, words } = remark;
        let (source, words) = (page.ink.translate(source), page.ink.translate(words));
        let at = if *line == 0 { source } else { format!("{source}:{line}") };
        page.hanging(Line::plain(" "), 3, &format!("{at}: {words}"), Paint::DIM)?;
    }
    if remarks.len() > MOST_REMARKS {
        let text = page.ink.translate(sentence!("judged-more", n = remarks.len() - MOST_REMARKS));
        page.hanging(Line::plain(" "), 3, &text, Paint::DIM)?;
    }
    Ok(())
}

/// Writes the number of files by format.
fn files(page: &mut Page, judgement: &ForeignJudgement) -> io::Result<()> {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for (_, format, tool) in &judgement.files {
        let kind = if tool.is_empty() || tool == format { format.clone() } else { format!("{format} ({tool})") };
        match kinds.iter_mut().find(|k| k.0 == kind) {
            Some(k) => k.1 += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let counts: Vec<String> = kinds.into_iter().map(|(k, n)| if n == 1 { k } else { format!("{n} x {k}") }).collect();
    page.labelled(page.ink.word("judged-read-as"), Paint::DIM, &counts.join(", "), Paint::PLAIN)
}

/// Shortens a name in the middle, because names may differ at either end.
fn shortened(name: &str, most: usize, ellipsis: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= most {
        return name.to_owned();
    }
    let (front, back) = (most / 2, most - most / 2 - ellipsis.chars().count());
    let end: String = chars[chars.len() - back..].iter().collect();
    format!("{}{ellipsis}{end}", chars[..front].iter().collect::<String>())
}

/// Writes all rules, one per line.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_rules<'a>(
    rules: impl Iterator<Item = &'a RuleText>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    for rule in rules {
        let mut lead = Line::plain(" ");
        lead.push(severity_sign(page, rule.severity), severity_paint(rule.severity).bold());
        lead.push(format!(" {}", rule.id), Paint::BOLD);
        let title = messages::format(page.ink.language, &rule.title());
        page.hanging(lead, 27, &title, Paint::PLAIN)?;
    }
    Ok(())
}

/// Writes one rule in full.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_rule(rule: &RuleText, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let ink = page.ink;
    let [title, explanation, remedy] =
        [rule.title(), rule.explanation(), rule.remedy()].map(|text| messages::format(ink.language, &text));
    let severity = ink.word(match rule.severity {
        Severity::Invalid => "judged-invalid",
        Severity::Doubt => "judged-doubt",
        Severity::Note => "judged-note",
    });
    let paint = severity_paint(rule.severity).bold();
    page.labelled(severity, paint, &format!("{}: {title}", rule.id), Paint::BOLD)?;
    page.blank()?;
    page.labelled(ink.word("judged-why"), Paint::DIM, &explanation, Paint::PLAIN)?;
    page.labelled(ink.word("judged-try"), Paint::DIM, &remedy, Paint::PLAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_become_alike_are_not_shortened() {
        let names =
            ["LogicalDisk(C:)\\Avg. Disk sec/Transfer and more", "LogicalDisk(D:)\\Avg. Disk sec/Transfer and more"];
        let fitted = fit(names.iter().map(|n| (*n, *n)), 20, "...");
        assert!(names.iter().all(|n| fitted[n] == *n), "{fitted:?}");
        let alone = fit([("a-long-name-of-a-file.txt", "a-long-name-of-a-file.txt")].into_iter(), 12, "...");
        assert!(alone["a-long-name-of-a-file.txt"].chars().count() <= 12, "{alone:?}");
        let files = Names::new(["gp2/read-1.txt", "gp3/read-1.txt", "x/iostat.txt"].into_iter());
        let shown: Vec<String> = files.fitted(NAME, "...").into_values().collect();
        assert_eq!(shown, ["gp2/read-1.txt", "gp3/read-1.txt", "iostat.txt"]);
    }

    #[test]
    fn a_counter_of_windows_keeps_its_drive() {
        let name = "\\\\MYPC\\PhysicalDisk(4 H:)\\Disk Write Bytes/sec";
        assert_eq!(without_machine(name), ("MYPC", "PhysicalDisk(4 H:)\\Disk Write Bytes/sec"));
        assert!(without_machine(name).1.chars().count() <= SERIES);
        assert_eq!(without_machine("sda r/s"), ("", "sda r/s"));
    }
}
