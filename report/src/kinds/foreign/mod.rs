//! Judgement of other tools' files: results, sampled series, findings with the lines that support them, lines that were
//! not understood, and files.

#[cfg(test)]
pub(crate) mod tests;

use crate::document::{Block, Case, Cell, Column, Document, Field, Finding, Head, Margin, Table, Tone, Value, View};
use crate::grouping::grouped;
use messages::{Sentence, sentence};
use model::judged::{ForeignFinding, ForeignJudgement, ForeignRow, ForeignSampled, SourceLine};
use model::{BytesPerSecond, CompactSort, Nanos, Severity, text::distinct_names, units::thousands};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum numbers of evidence lines, files and lines per file of one finding; the JSON has all of them.
const MOST_EVIDENCE: usize = 12;
const MOST_FILES: usize = 4;
const MOST_LINES: usize = 6;
/// Maximum numbers of series and remarks.
const MOST_SERIES: usize = 14;
const MOST_REMARKS: usize = 8;
/// Maximum widths of the names of a file and of a series on the screen, in columns.
const NAME: u8 = 26;
const SERIES: u8 = 40;

/// Shortest names that distinguish the files, by path.
pub(crate) type Names<'a> = BTreeMap<&'a str, &'a str>;

/// Returns the document of a judgement.
pub(crate) fn document(judgement: &ForeignJudgement) -> Document {
    let files = || judgement.files.iter().map(|f| f.0.as_str());
    let rows_of = judgement.rows.iter().map(|r| r.source.as_str());
    let names = distinct_names(files().chain(rows_of).chain(judgement.sampled.iter().map(|s| s.source.as_str())));
    let sources = files().collect::<Vec<_>>().join(" ");
    let mut d = Document::new("foreign", sources.as_str());
    d.head = Head {
        verdict: Some((judgement.verdict.clone(), judgement.outcome)),
        path: sources,
        seconds: judgement.rows.iter().filter_map(|r| r.seconds).sum(),
        ..Head::default()
    };
    let case =
        |result: &model::judged::NeedResult| Case { class: "need".to_owned(), is_need: true, result: result.clone() };
    d.cases = judgement.needs.iter().map(case).collect();
    if !judgement.rows.is_empty() {
        let limits: Vec<String> = judgement.limits.iter().map(ToString::to_string).collect();
        let table = results(&judgement.rows, &names);
        d.part("results", "judged-head-results", [Block::Table(table)]).aside(limits.join("; "));
    }
    if !judgement.sampled.is_empty() {
        d.part("sampled", "judged-head-sampled", [Block::Table(sampled(&judgement.sampled, &names))]);
    }
    if !judgement.findings.is_empty() {
        let findings = judgement.findings.iter().map(|f| finding(f, &names)).collect();
        let counted = counted(judgement.findings.iter().map(|f| f.finding.severity));
        d.part("findings", "judged-head-findings", [Block::Findings(findings)]).aside(counted);
        d.part("explain", "", [explained("secchi judge --explain ID")]).views(&[View::Full]);
    }
    if !judgement.remarks.is_empty() {
        d.part("remarks", "judged-head-remarks", [remarks(&judgement.remarks)]);
    }
    let formats = Field::new("judged-read-as", formats(&judgement.files));
    d.part("files", "judged-head-files", [Block::Fields(Margin::Page, vec![formats])]);
    d
}

/// Returns the line with the command that explains a rule in full.
pub(crate) fn explained(command: &str) -> Block {
    Block::Fields(Margin::Page, vec![Field::remark(sentence!("judged-explain", command))])
}

/// Returns the number of findings of each severity, such as `1 invalid, 3 doubts`.
fn counted(severities: impl Iterator<Item = Severity> + Clone) -> Sentence {
    let count_of = |wanted| Some(severities.clone().filter(|s| *s == wanted).count()).filter(|n| *n > 0);
    let counts = [
        count_of(Severity::Invalid).map(|n| sentence!("judged-counted-invalid", n)),
        count_of(Severity::Doubt).map(|n| sentence!("judged-counted-doubts", n)),
        count_of(Severity::Note).map(|n| sentence!("judged-counted-notes", n)),
    ];
    counts.into_iter().flatten().reduce(|all, next| sentence!("saw-list", all, next)).unwrap_or_default()
}

/// Returns the table of results. Columns of which no result has a value are empty.
fn results(rows: &[ForeignRow], names: &Names<'_>) -> Table {
    // If several rows have the same line and load, such as two volumes tested together, they also show the names of
    // their tests.
    let place = |row: &ForeignRow| (row.source.clone(), row.line, row.label(), row.jobs, row.depth);
    let mut per_file: BTreeMap<&str, usize> = BTreeMap::new();
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for row in rows {
        *per_file.entry(row.source.as_str()).or_default() += 1;
        *places.entry(place(row)).or_default() += 1;
    }
    let name = |row: &ForeignRow| {
        let name = names.get(row.source.as_str()).copied().unwrap_or(&row.source);
        if per_file[row.source.as_str()] == 1 { name.to_owned() } else { format!("{name}:{}", row.line) }
    };
    let load = |row: &ForeignRow| match places[&place(row)] {
        1 => row.label(),
        _ => format!("{} {}", row.label(), row.name),
    };
    let figure = |row: &ForeignRow, v: Option<f64>, convert: fn(f64) -> Value| {
        Cell::or_blank(v.filter(|v| v.is_finite()).map(convert)).tone(tone(row))
    };
    let setting = |n: Option<u32>| Cell::or_blank(n.map(|n| Value::Setting(n.into())));
    let limit = |row: &ForeignRow| row.limit.as_ref().map(|(_, used)| *used);
    // Marks are explained if they occur.
    let any = |f: fn(&ForeignRow) -> bool, text: Sentence| rows.iter().any(f).then_some(text);
    let struck = any(|r| r.struck.is_some(), sentence!("judged-legend-struck"));
    let little = any(|r| r.mean_by_little, sentence!("judged-legend-little"));
    let clones = any(|r| r.p99_least.is_some(), sentence!("judged-legend-clones"));
    let submit = any(|r| r.submit_cpu.is_some(), sentence!("judged-legend-submit"));
    let used = any(|r| r.limit.is_some(), sentence!("judged-legend-limit"));
    let mark = |is_marked: bool, mark| if is_marked { mark } else { "" };
    Table::builder("results", rows)
        .column(Column::text("file", "judged-column-file").middle(NAME), |r| {
            Cell::from(Value::Name(name(r))).tone(tone(r))
        })
        .column(Column::text("load", "judged-column-load"), |r| Value::Name(load(r)))
        .column(Column::figure("jobs", "judged-column-jobs").rank(5), |r| setting(r.jobs))
        .column(Column::figure("depth", "judged-column-depth").rank(4), |r| setting(r.depth))
        .column(Column::term("iops", "IOPS").meaning(struck), |r| {
            Cell::or_blank(r.iops.map(Value::Number)).struck(r.struck.is_some())
        })
        .column(Column::term("bytes_per_s", "MB/s").rank(6), |r| figure(r, r.bandwidth, |v| BytesPerSecond(v).into()))
        .column(Column::figure("work", "judged-column-work"), |r| {
            Cell::or_blank(r.work.as_ref().map(work)).tone(tone(r))
        })
        .column(Column::figure("mean_ns", "judged-column-mean").meaning(little), |r| {
            figure(r, r.mean, time).suffix(mark(r.mean_by_little, " L"))
        })
        .column(Column::term("p99_ns", "p99").rank(2).meaning(clones), |r| {
            figure(r, r.p99, time).suffix(mark(r.p99_least.is_some(), " C"))
        })
        .column(Column::figure("max_ns", "judged-column-max").rank(8), |r| figure(r, r.max, time))
        .column(Column::figure("in_flight", "judged-column-in-flight").rank(7), |r| {
            figure(r, r.in_flight, |n| Value::Fixed(n, 1))
        })
        .column(Column::figure("submit_cpu", "judged-column-submit").rank(10).meaning(submit), |r| {
            figure(r, r.submit_cpu, Value::Share)
        })
        .column(Column::figure("passes", "judged-column-passes").rank(9), |r| {
            figure(r, r.passes, |n| Value::Fixed(n, 1))
        })
        .column(Column::figure("limit", "judged-column-limit").rank(1).meaning(used), |r| {
            let is_reached = limit(r).is_some_and(|used| used >= 0.97);
            Cell::or_blank(limit(r).map(Value::Share)).tone(if is_reached { Tone::Limit } else { Tone::Plain })
        })
        .column(Column::text("binds", "judged-column-binds").rank(3), binds)
        .build()
}

/// Returns the colour of figures: those that are not usable are dimmed, and the rate is struck.
fn tone(row: &ForeignRow) -> Tone {
    if row.struck.is_some() { Tone::Dim } else { Tone::Plain }
}

/// Returns the limit that binds, or the rule by which the figures are not usable.
fn binds(row: &ForeignRow) -> Cell {
    match &row.struck {
        Some(rule) => Cell::from(Value::name(rule)).tone(Tone::Fail),
        None => Cell::or_blank(Some(row.binds.clone()).filter(|text| !text.is_empty())),
    }
}

/// Returns work such as `7,345 entries/s` or `2.72 points`: smaller values have more digits.
fn work((rate, unit): &(f64, String)) -> Value {
    Value::Name(match rate {
        r if r.abs() >= 100.0 => format!("{} {unit}", thousands(*r)),
        r => format!("{r:.2} {unit}"),
    })
}

fn time(seconds: f64) -> Value {
    Value::Time(Nanos::from_secs_f64(seconds))
}

/// Splits the machine's name off a Windows counter: `\\\\HOST\\PhysicalDisk(4 H:)\\Disk Reads/sec`.
fn without_machine(name: &str) -> (&str, &str) {
    match name.strip_prefix("\\\\").and_then(|rest| rest.split_once('\\')) {
        Some(parts) => parts,
        None => ("", name),
    }
}

/// Returns the table of sampled series, without those that are zero throughout.
fn sampled(all: &[ForeignSampled], files: &Names<'_>) -> Table {
    let alive: Vec<&ForeignSampled> = all.iter().filter(|s| s.max != 0.0 || s.mean != 0.0).collect();
    let shown = &alive[..alive.len().min(MOST_SERIES)];
    let machines: BTreeSet<&str> = shown.iter().map(|s| without_machine(&s.name).0).collect();
    let file = |s: &ForeignSampled| Value::name(files.get(s.source.as_str()).unwrap_or(&s.source.as_str()));
    let name =
        |s: &ForeignSampled| Value::name(if machines.len() > 1 { s.name.as_str() } else { without_machine(&s.name).1 });
    let unit = |s: &ForeignSampled| match s.unit.as_str() {
        "B/s" | "s" => Value::Blank,
        unit => Value::name(unit),
    };
    let figure = |s: &ForeignSampled, v: f64| match s.unit.as_str() {
        "B/s" => Value::name(BytesPerSecond(v)),
        "s" => time(v),
        _ => Value::Number(v),
    };
    let mut table = Table::builder("sampled", shown.iter().copied())
        .column(Column::text("file", "judged-column-file").middle(NAME), file)
        .column(Column::text("series", "judged-column-series").middle(SERIES), name)
        .column(Column::text("unit", "judged-column-unit").rank(2), |s| Cell::from(unit(s)).tone(Tone::Dim))
        .column(Column::figure("samples", "judged-column-samples").rank(3), |s| Value::Setting(s.samples as u64))
        .column(Column::figure("length_ns", "judged-column-time").rank(4), |s| {
            Value::Length(Nanos::from_secs_f64(s.seconds))
        })
        .column(Column::figure("mean", "judged-column-mean"), |s| figure(s, s.mean))
        .column(Column::figure("max", "judged-column-max"), |s| figure(s, s.max))
        .build();
    let rest = all.len() - shown.len();
    if rest > 0 {
        table.remark(sentence!("judged-more-series", rest, zero = all.len() - alive.len()));
    }
    table
}

/// Returns a finding with the lines that support it.
pub(crate) fn finding(f: &ForeignFinding, names: &Names<'_>) -> Finding {
    let finding = &f.finding;
    let mut evidence: Vec<Sentence> = finding.evidence.iter().take(MOST_EVIDENCE).cloned().collect();
    let more = finding.evidence.len() - evidence.len();
    evidence.extend((more > 0).then(|| sentence!("judged-more", n = more)));
    Finding {
        rule: finding.id.clone(),
        severity: finding.severity,
        statement: finding.statement.clone(),
        evidence,
        lines: lines(&f.lines, names),
        remedy: finding.remedy.clone(),
    }
}

/// Returns lines with the words found there, grouped by file: `write-1.txt:8 avg=705.83, :9 avg=15568.51`.
fn lines(lines: &[SourceLine], names: &Names<'_>) -> Vec<Sentence> {
    let mut files = grouped(lines.iter().map(|line| (&line.source, line)));
    let (mut texts, mut left) = (Vec::new(), lines.len());
    for (source, own) in files.iter_mut().take(MOST_FILES) {
        own.compact_sort_by_key(|l| l.line);
        let mut parts = vec![names.get(source.as_str()).map_or_else(|| source.clone(), |name| Sentence::from(*name))];
        let mut last = None;
        for line in own.iter().take(MOST_LINES) {
            let at = if line.line == 0 { ": ".to_owned() } else { format!(":{} ", line.line) };
            parts.push(match last {
                Some(same) if same == line.line => " ".into(),
                Some(_) => format!(", {at}").into(),
                None => at.into(),
            });
            parts.push(line.words.clone());
            last = Some(line.line);
            left -= 1;
        }
        texts.push(Sentence::concat(parts));
    }
    texts.extend((left > 0).then(|| sentence!("judged-more-lines", n = left)));
    texts
}

fn remarks(remarks: &[SourceLine]) -> Block {
    let text = |SourceLine { source, line, words }: &SourceLine| {
        let at = if *line == 0 { ": ".to_owned() } else { format!(":{line}: ") };
        Sentence::concat([source.clone(), at.into(), words.clone()])
    };
    let more = remarks.len().saturating_sub(MOST_REMARKS);
    let shown = remarks.iter().take(MOST_REMARKS).map(text);
    let texts = shown.chain((more > 0).then(|| sentence!("judged-more", n = more)));
    Block::Fields(Margin::Fitted, texts.map(Field::remark).collect())
}

/// Returns the number of files by format.
fn formats(files: &[(String, String, String)]) -> String {
    let kind = |(_, format, tool): &(String, String, String)| match tool {
        tool if tool.is_empty() || tool == format => format.clone(),
        tool => format!("{format} ({tool})"),
    };
    let kinds = grouped(files.iter().map(|file| (kind(file), ()))).into_iter().map(|(kind, files)| (kind, files.len()));
    let counts: Vec<String> = kinds.map(|(k, n)| if n == 1 { k } else { format!("{n} x {k}") }).collect();
    counts.join(", ")
}

/// Returns every figure of the results in base units, for CSV.
pub(crate) fn csv(judgement: &ForeignJudgement) -> Table {
    let key = |key| Column::text(key, "");
    let number = |v: Option<f64>| Value::or_blank(v.filter(|v| v.is_finite()).map(Value::Number));
    let whole = |n: Option<u32>| Value::or_blank(n.map(|n| Value::Setting(n.into())));
    let name = |name: Option<&String>| Value::name(name.map(String::as_str).unwrap_or_default());
    Table::builder("results", &judgement.rows)
        .column(key("source"), |r| Value::name(&r.source))
        .column(key("line"), |r| Value::Setting(r.line.into()))
        .column(key("name"), |r| Value::name(&r.name))
        .column(key("rw"), |r| Value::name(&r.rw))
        .column(key("block_bytes"), |r| Value::or_blank(r.block))
        .column(key("depth"), |r| whole(r.depth))
        .column(key("jobs"), |r| whole(r.jobs))
        .column(key("engine"), |r| Value::name(&r.engine))
        .column(key("ops"), |r| number(r.ops))
        .column(key("seconds"), |r| number(r.seconds))
        .column(key("iops"), |r| number(r.iops))
        .column(key("iops_least"), |r| number(r.iops_between.map(|(least, _)| least)))
        .column(key("iops_most"), |r| number(r.iops_between.map(|(_, most)| most)))
        .column(key("read_share"), |r| number(r.reads))
        .column(key("bytes_per_s"), |r| number(r.bandwidth))
        .column(key("mean_s"), |r| number(r.mean))
        .column(key("mean_by_little"), |r| Value::name(r.mean_by_little))
        .column(key("p99_s"), |r| number(r.p99))
        .column(key("max_s"), |r| number(r.max))
        .column(key("in_flight"), |r| number(r.in_flight))
        .column(key("submit_cpu"), |r| number(r.submit_cpu))
        .column(key("passes"), |r| number(r.passes))
        .column(key("limit"), |r| name(r.limit.as_ref().map(|(name, _)| name)))
        .column(key("limit_share"), |r| number(r.limit.as_ref().map(|(_, share)| *share)))
        .column(key("binds"), |r| r.binds.clone())
        .column(key("not_usable"), |r| Value::name(r.struck.as_deref().unwrap_or_default()))
        .column(key("findings"), |r| Value::Name(r.findings.join(" ")))
        .column(key("work"), |r| number(r.work.as_ref().map(|(work, _)| *work)))
        .column(key("work_unit"), |r| name(r.work.as_ref().map(|(_, unit)| unit)))
        .column(key("p99_least_s"), |r| number(r.p99_least))
        .build()
}
