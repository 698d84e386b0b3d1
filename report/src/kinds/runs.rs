//! Several runs in one report: an answer about all of them, a row for each run, and the figures of each workload by run.

use super::common;
use crate::ReportedRun;
use crate::document::figure::Times;
use crate::document::{Block, Case, Cell, Column, Document, Head, Notes, Only, Table, Tone, Value, View, Word};
use crate::grouping::distinct;
use crate::marks::{Loop, Mark};
use crate::overview::{entries, is_doubted};
use crate::widgets::figures::percent;
use crate::widgets::ink::{clauses, listed};
use messages::{Sentence, sentence};
use model::judged::{AnswerLine, AnswerStanding, AnswerSubject, NeedResult, Outcome, RunAnswer};
use model::{BytesPerSecond, Caveat, Nanos, plan::KindName, units::thousands};
use std::collections::BTreeSet;

/// Maximum number of workloads in the verdict; the others are only counted.
const MOST_NAMED: usize = 3;

/// Main figures of a workload in one run.
struct Figure {
    workload: String,
    /// Operations per second.
    rate: Option<f64>,
    bandwidth: Option<BytesPerSecond>,
    times: [Option<Nanos>; 5],
    /// Reason why the figures are invalid.
    struck: Option<Sentence>,
    is_doubted: bool,
}

impl Figure {
    fn valid_rate(&self) -> Option<f64> {
        self.rate.filter(|rate| self.struck.is_none() && *rate > 0.0)
    }
}

/// Returns the document of several runs.
pub(crate) fn document(runs: &[ReportedRun<'_>], view: View) -> Document {
    let names: Vec<String> = runs.iter().map(ReportedRun::name).collect();
    let figures: Vec<Vec<Figure>> = runs.iter().map(figures).collect();
    let workloads = distinct(figures.iter().flatten().map(|figure| figure.workload.as_str()));
    let mut d = Document::new("runs", names.join(", "));
    d.head = head(runs, &d.name, spread(&workloads, &figures));
    d.notes = notes(runs);
    d.cases = runs.iter().flat_map(cases).collect();
    d.part("runs", "page-compared", [Block::Table(list(runs))]);
    let are_blocks = runs.iter().all(|run| !run.judgement.patterns.is_empty());
    let table = by_workload(&workloads, &names, &figures, are_blocks, &mut d.notes);
    d.part("figures", "page-figures", [Block::Table(table)]);
    super::charts::add_several(&mut d, runs, view);
    d
}

/// Returns the main figures of a run: each workload with its representative level, or what the kind of the run has.
fn figures(run: &ReportedRun<'_>) -> Vec<Figure> {
    let judgement = run.judgement;
    if run.record.plan.kind.name() == KindName::Mark {
        let mark = Mark::from_record(run.record, &judgement.caveats);
        let cells = mark.directions.iter().flat_map(|d| mark.in_direction(*d));
        let best = cells.filter_map(|(test, cell)| Some((format!("{test} {}", cell.direction.name()), cell.best()?)));
        let figure = |(workload, best): (String, &Loop)| Figure {
            workload,
            rate: Some(best.iops.per_second()),
            bandwidth: Some(best.rate),
            times: [best.mean, None, best.p99.value(), None, None],
            struck: None,
            is_doubted: best.struck || best.partial,
        };
        return best.map(figure).collect();
    }
    if judgement.patterns.is_empty() {
        let rows = super::document(run, View::Full).figures;
        let name = |row: &crate::document::FigureRow| {
            let mut words = vec![row.workload.as_str(), &row.stage, &row.role];
            words.dedup();
            words.join(" ").trim_end().to_owned()
        };
        let figure = |row: crate::document::FigureRow| Figure {
            workload: name(&row),
            rate: row.rate,
            bandwidth: row.bytes.map(BytesPerSecond),
            times: row.times,
            struck: (!row.struck.is_empty()).then(|| row.struck.clone().into()),
            is_doubted: !row.caveats.is_empty(),
        };
        return rows.into_iter().map(figure).collect();
    }
    let figure = |(pattern, level): (&model::judged::PatternJudgement, &model::judged::LevelFigures)| Figure {
        workload: pattern.label.clone(),
        rate: Some(level.iops.value),
        bandwidth: Some(level.bandwidth),
        times: level.figures(),
        struck: level.struck.clone(),
        is_doubted: is_doubted(level, &judgement.caveats),
    };
    entries(judgement).into_iter().map(figure).collect()
}

fn head(runs: &[ReportedRun<'_>], names: &str, spread: Option<Sentence>) -> Head {
    let joined = |texts: BTreeSet<String>| texts.into_iter().collect::<Vec<_>>().join(", ");
    let worst = runs.iter().map(|run| run.judgement.outcome).max_by_key(|outcome| match outcome {
        Outcome::Pass => 0,
        Outcome::Undecided => 1,
        Outcome::Fail => 2,
    });
    Head {
        answer: RunAnswer::from_lines(answer(runs)),
        answer_on_screen: true,
        verdict: spread.zip(worst),
        is_judged: true,
        place: joined(runs.iter().map(|run| common::target(run.record)).collect()),
        path: names.to_owned(),
        host: joined(runs.iter().map(|run| run.record.preflight.host.hostname.clone()).collect()),
        started: runs.first().map(|run| run.record.started.clone()).unwrap_or_default(),
        seconds: runs.iter().map(|run| run.record.ended.secs()).sum(),
        ..Head::default()
    }
}

/// Returns how many runs meet their needs, and how to compare configurations.
fn answer(runs: &[ReportedRun<'_>]) -> Vec<AnswerLine> {
    let needs = || runs.iter().map(|run| &run.judgement.needs).filter(|needs| !needs.is_empty());
    let is_met = |needs: &&Vec<NeedResult>| needs.iter().all(|need| need.outcome == Outcome::Pass);
    let is_missed = |need: &NeedResult| need.outcome == Outcome::Fail;
    let (met, all) = (needs().filter(is_met).count(), needs().count());
    let standing = match met == all {
        true => AnswerStanding::Met,
        false if needs().flatten().any(is_missed) => AnswerStanding::NotMet,
        false => AnswerStanding::Undecided,
    };
    let met = sentence!("several-needs-met", met, all);
    let met = (all > 0).then(|| AnswerLine::new(AnswerSubject::Needs, "several", standing, met));
    let compare = sentence!("several-compare");
    let compare = AnswerLine::new(AnswerSubject::Do, "several", AnswerStanding::NotAsked, compare);
    met.into_iter().chain([compare]).collect()
}

/// Returns the range of each workload's rate over the runs; `None` if no workload has valid rates in two runs.
fn spread(workloads: &[&str], figures: &[Vec<Figure>]) -> Option<Sentence> {
    let range = |workload: &&str| {
        let rates = figures.iter().flatten().filter(|f| f.workload == *workload).filter_map(Figure::valid_rate);
        let rates: Vec<f64> = rates.collect();
        let (low, high) = rates.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), r| (low.min(*r), high.max(*r)));
        let half = percent((high - low) / (high + low));
        let (low, high) = (thousands(low), thousands(high));
        (rates.len() > 1).then(|| sentence!("several-range", workload = *workload, low, high, half))
    };
    let mut ranges: Vec<Sentence> = workloads.iter().filter_map(range).collect();
    let more = ranges.len().saturating_sub(MOST_NAMED);
    ranges.truncate(MOST_NAMED);
    if more > 0 {
        ranges.push(sentence!("list-and-more", n = more));
    }
    (!ranges.is_empty()).then(|| clauses(ranges))
}

/// Returns the doubts of all runs, each once, with one observation of each run.
fn notes(runs: &[ReportedRun<'_>]) -> Notes {
    let of_run = |run: &ReportedRun<'_>| {
        let name = run.name();
        let caveat = |note: &crate::document::Note| {
            let evidence = note.evidence.iter().map(|e| &e.text).find(|text| !text.is_empty());
            let evidence = match evidence {
                Some(text) => sentence!("told-of", what = &name, told = text),
                None => name.as_str().into(),
            };
            Caveat::new(&note.key, note.severity, note.statement.clone(), evidence).remedy(note.remedy.clone())
        };
        Notes::new(&run.judgement.caveats, None).doubts().map(caveat).collect::<Vec<_>>()
    };
    Notes::new(&runs.iter().flat_map(of_run).collect::<Vec<_>>(), None)
}

fn cases(run: &ReportedRun<'_>) -> Vec<Case> {
    let cases = common::cases(run.record, run.judgement).into_iter();
    let named = |case: Case| Case { class: format!("{}.{}", run.name(), case.class), is_need: false, ..case };
    cases.map(named).collect()
}

/// Returns the table of the runs.
fn list(runs: &[ReportedRun<'_>]) -> Table {
    let started = |run: &ReportedRun<'_>| run.record.started.get(..19).unwrap_or(&run.record.started).replace('T', " ");
    let verdict = |run: &ReportedRun<'_>| match run.judgement.answer.on_one_line() {
        answer if answer.is_empty() => run.judgement.verdict.clone(),
        answer => answer,
    };
    Table::builder("runs", runs)
        .column(Column::text("run", "page-run"), |run| {
            let href = Some(format!("#run-{}", run.anchor()));
            Cell { href, ..Value::Name(run.name()).into() }
        })
        .column(Column::text("started", "page-started"), |run| Value::Name(started(run)))
        .column(Column::text("target", "page-target").most(24), |run| Value::Name(common::target(run.record)))
        .column(Column::text("tags", "runs-head-tags"), |run| listed(run.labels.tags.iter().map(String::as_str)))
        .column(Column::text("verdict", "page-verdict").wraps(), |run| {
            Cell::from(verdict(run)).tone(run.judgement.outcome.into())
        })
        .build()
}

/// Returns the figures of each workload by run, with the change from the first run.
fn by_workload(
    workloads: &[&str],
    names: &[String],
    figures: &[Vec<Figure>],
    are_blocks: bool,
    notes: &mut Notes,
) -> Table {
    let rate = if are_blocks { Word::Term("IOPS") } else { "page-rate".into() };
    let of_run = |i: usize, workload: &str| figures[i].iter().find(|f| f.workload == workload);
    let rows = workloads.iter().flat_map(|workload| {
        let base = of_run(0, workload).and_then(Figure::valid_rate);
        let row = move |(i, name)| Some((name, base.filter(|_| i > 0), of_run(i, workload)?));
        names.iter().enumerate().filter_map(row).collect::<Vec<(&String, Option<f64>, &Figure)>>()
    });
    let mut table = Table::builder("workloads", rows)
        .column(Column::text("run", "page-run"), |(name, ..)| Value::name(name))
        .column(Column::figure("rate", rate), |(.., f)| {
            let cell = Cell::from(f.rate.map(Value::Number)).strong().struck(f.struck.is_some());
            cell.suffix(if f.is_doubted { " ?" } else { "" })
        })
        .column(Column::figure("ratio", "page-change").rank(1), |(_, base, f)| {
            Cell::or_blank(base.zip(f.valid_rate()).map(|(base, rate)| Value::Ratio(rate / base)))
        })
        .column(Column::figure("bytes_per_s", "page-bandwidth").rank(5), |(.., f)| f.bandwidth)
        .columns(super::columns::times(3, 2, 4), |(.., f)| {
            f.times.map(|time| Cell::from(time).struck(f.struck.is_some()))
        })
        .column(Column::signs().only(Only::Screen), |_| Value::Blank)
        .notes(|(name, _, f)| {
            let reason = f.struck.as_ref().map(|why| sentence!("told-of", what = name, told = why));
            reason.map(|reason| notes.footnote(reason, Tone::Fail)).into_iter().collect()
        })
        .build_grouped(|(.., f)| f.workload.as_str().into());
    if figures.len() > 1 {
        table.remark(sentence!("several-relative"));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, text};
    use crate::{FORMATS, Style};
    use model::record::Labels;

    #[test]
    fn several_runs_are_one_report_in_every_format() {
        let (runs, labels) = ([fixture::capped(), fixture::troubled()], Labels::default());
        let reported =
            |(label, (record, judgement))| ReportedRun { label, record, judgement, labels: &labels, earlier: &[] };
        let reported: Vec<ReportedRun<'_>> =
            ["first", "second"].into_iter().zip(runs.iter().map(|(r, j)| (r, j))).map(reported).collect();
        for format in FORMATS.iter().filter(|f| f.name != "html" || cfg!(feature = "html")) {
            let out = text(|out| format.write(&reported, &Style::default(), out));
            let names = if format.name == "csv" { [&*runs[0].0.id, &*runs[1].0.id] } else { ["first", "second"] };
            if format.name != "json" && format.name != "junit" {
                assert!(names.iter().all(|name| out.contains(name)), "{}: {out}", format.name);
            }
        }
        let d = document(&reported, View::Full);
        assert!(d.head.answer.line(AnswerSubject::Do).is_some() && d.head.verdict.is_some());
        let table = list(&reported);
        assert_eq!(table.rows.len(), 2);
    }

    #[test]
    fn a_doubt_of_two_runs_is_one_note_with_both() {
        let ((record, judgement), labels) = (fixture::troubled(), Labels::default());
        let run = |label| ReportedRun { label, record: &record, judgement: &judgement, labels: &labels, earlier: &[] };
        let runs = [run("first"), run("second")];
        let (alone, both) = (Notes::new(&judgement.caveats, None), notes(&runs));
        assert_eq!(both.doubts().count(), alone.doubts().count());
        assert!(both.doubts().all(|note| note.evidence.len() == 2), "{both:#?}");
    }
}
