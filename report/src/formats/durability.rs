//! The screen of a run about durable writes: promises first, then the layers below, then a row for each method tested.

use super::{head, measured_on};
use crate::Style;
use crate::widgets::figures::{count, latency};
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint, width};
use model::{
    CommitAtDevice, CommitFigures, DurabilityFigures, Judgement, Nanos, PromiseFinding, PromiseStanding, RunRecord,
    Sentence, thousands,
};
use std::io::{self, Write};

/// Writes the screen of a durability run.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(super) fn write(
    record: &RunRecord,
    judgement: &Judgement,
    figures: &DurabilityFigures,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    head(page, record, judgement)?;
    page.blank()?;
    page.heading(page.ink.word("durable-title"), "")?;
    promises(page, figures)?;
    page.blank()?;
    page.heading(page.ink.word("durable-title-layers"), "")?;
    layers(page, figures)?;
    page.blank()?;
    page.heading(page.ink.word("durable-title-commits"), &at_device(figures))?;
    commits(page, figures)?;
    if figures.commits.iter().any(|of| of.rule.apart) {
        page.blank()?;
        page.heading(page.ink.word("durable-title-sync"), "")?;
        syncs(page, figures)?;
    }
    measured_on(page, record, judgement)
}

/// Returns the name of the device whose flushes are shown in the tables: the lowest device with counters.
fn at_device(figures: &DurabilityFigures) -> String {
    lowest(figures).map_or_else(String::new, |name| name.to_owned())
}

fn lowest(figures: &DurabilityFigures) -> Option<&str> {
    let counted = |name: &str| figures.commits.iter().any(|of| of.devices.iter().any(|at| at.name == name));
    figures.layers.iter().rev().map(|layer| layer.name.as_str()).find(|name| counted(name))
}

/// Returns the I/O of a method on the lowest device.
pub(super) fn at_lowest<'f>(figures: &'f DurabilityFigures, of: &'f CommitFigures) -> Option<&'f CommitAtDevice> {
    let name = lowest(figures)?;
    of.devices.iter().find(|at| at.name == name)
}

/// Formats a count per commit, with two decimals.
pub(super) fn each(n: u64, of: &CommitFigures) -> String {
    format!("{:.2}", n as f64 / of.commits.max(1) as f64)
}

/// Joins the evidence for a promise into one text.
pub(super) fn evidence(of: &PromiseFinding) -> Sentence {
    Sentence::join(of.evidence.iter().cloned(), "; ")
}

fn paint(standing: &PromiseStanding) -> Paint {
    match standing {
        PromiseStanding::Kept { .. } => Paint::new(Hue::Pass),
        PromiseStanding::Broken { .. } => Paint::new(Hue::Fail).bold(),
        PromiseStanding::Doubtful { .. } | PromiseStanding::Unseen | PromiseStanding::Refused => Paint::new(Hue::Doubt),
    }
}

fn promises(page: &mut Page, figures: &DurabilityFigures) -> io::Result<()> {
    let ink = page.ink;
    let names = figures.promises.iter().map(|of| width(of.method.name())).max().unwrap_or(0);
    let words = figures.promises.iter().map(|of| width(ink.word(of.standing.message()))).max().unwrap_or(0);
    let mut before = None;
    for of in &figures.promises {
        let mut lead = Line::plain(format!("  {}", of.method.name()));
        lead.pad_to(2 + names + 2);
        lead.push(ink.word(of.standing.message()), paint(&of.standing));
        lead.pad_to(2 + names + 2 + words + 2);
        let same = before == Some((&of.standing, &of.evidence));
        let shown = if same { ink.word("durable-same").to_owned() } else { ink.translate(evidence(of)) };
        let paint = if same { Paint::DIM } else { Paint::PLAIN };
        page.hanging(lead, 2 + names + 2 + words + 2, &shown, paint)?;
        before = Some((&of.standing, &of.evidence));
    }
    Ok(())
}

fn layers(page: &mut Page, figures: &DurabilityFigures) -> io::Result<()> {
    let ink = page.ink;
    let columns = ["durable-head-layer", "durable-head-kind", "durable-head-cache", "durable-head-note"];
    let mut table = Table::new(columns.map(|id| Column::left(ink.word(id))).into(), 1);
    for layer in &figures.layers {
        let note = ink.translate(&layer.note);
        table.row([layer.name.clone(), layer.kind.clone(), layer.write_cache.clone(), note].map(Line::plain).into());
    }
    table.write(page)
}

/// Message IDs of the table headers for the methods tested.
pub(super) const HEADS: [&str; 7] = [
    "durable-head-method",
    "durable-head-rate",
    "page-mean",
    "page-maximum",
    "durable-head-flushes",
    "durable-head-forced",
    "durable-head-flush",
];

fn commits(page: &mut Page, figures: &DurabilityFigures) -> io::Result<()> {
    let ink = page.ink;
    let [method, rate, mean, max, flushes, forced, flush] = HEADS.map(|id| ink.word(id));
    let columns = vec![
        Column::left(method),
        Column::right(rate),
        Column::right(mean),
        Column::right("p50").droppable(3),
        Column::right("p99"),
        Column::right("p99.9").droppable(2),
        Column::right(max).droppable(4),
        Column::right(flushes),
        Column::right(forced).droppable(1),
        Column::right(flush).droppable(1),
    ];
    let mut table = Table::new(columns, 1);
    for of in figures.commits.iter().filter(|of| !of.rule.apart) {
        let at = at_lowest(figures, of);
        let mut cells = vec![Line::plain(of.rule.to_string()), Line::plain(thousands(of.rate.per_second()))];
        cells.extend(times(of));
        cells.push(Line::plain(at.map_or_else(|| "-".to_owned(), |at| each(at.flushes, of))));
        let forced = at.filter(|at| at.traced).map_or_else(|| "-".to_owned(), |at| each(at.forced, of));
        cells.push(Line::plain(forced));
        cells.push(time(at.and_then(|at| at.flush_p50)));
        table.row(cells);
    }
    table.write(page)
}

fn time(of: Option<Nanos>) -> Line {
    of.map_or_else(|| Line::plain("-"), |t| latency(t, Paint::PLAIN))
}

fn times(of: &CommitFigures) -> [Line; 5] {
    [of.mean, of.p50.value(), of.p99.value(), of.p999.value(), of.max].map(time)
}

fn syncs(page: &mut Page, figures: &DurabilityFigures) -> io::Result<()> {
    let ink: Ink = page.ink;
    let columns = vec![
        Column::right(ink.word("durable-head-dirty")),
        Column::right(ink.word("durable-head-syncs")),
        Column::right(ink.word("page-mean")),
        Column::right("p50"),
        Column::right("p99"),
        Column::right("p99.9"),
        Column::right(ink.word("page-maximum")),
    ];
    let mut table = Table::new(columns, 1);
    for of in figures.commits.iter().filter(|of| of.rule.apart) {
        let mut cells = vec![Line::plain(of.rule.bytes().to_string()), Line::plain(count(of.commits))];
        cells.extend(times(of));
        table.row(cells);
    }
    table.write(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, text};
    use crate::formats::{ReportedRun, write_answer, write_terminal};
    use messages::Language;
    use model::{Bytes, CommitMethod, CommitRule, DurabilityLayer, Iops, Labels, Percentile};

    fn run() -> (RunRecord, Judgement) {
        let (record, mut judgement) = fixture::capped();
        let rules = [
            CommitRule { method: CommitMethod::Fdatasync, block: Bytes::from_kib(8), writes: 2, apart: false },
            CommitRule { method: CommitMethod::Fdatasync, block: Bytes::from_kib(64), writes: 16, apart: true },
        ];
        let commits = rules.map(|rule| CommitFigures {
            rule,
            commits: 2_000,
            rate: Iops(1_000.0),
            mean: Some(Nanos(995_000)),
            p50: Percentile::Value(Nanos(990_000)),
            p99: Percentile::Value(Nanos::from_millis(2)),
            p999: Percentile::TooFew,
            max: Some(Nanos::from_millis(7)),
            errors: 0,
            devices: vec![CommitAtDevice {
                name: "sda".into(),
                writes: 2_000,
                bytes: Bytes::from_mib(16),
                forced: 1_000,
                flushes: 3_000,
                flush_p50: Some(Nanos::from_micros(321)),
                busy: Nanos::from_millis(900),
                traced: true,
            }],
            step: 0,
        });
        let layer = |name: &str, kind: &str, cache: &str, note: &str| DurabilityLayer {
            name: name.into(),
            kind: kind.into(),
            write_cache: cache.into(),
            note: note.into(),
        };
        let broken = |method| PromiseFinding {
            method,
            standing: PromiseStanding::Broken { layer: "dm-0".into() },
            evidence: vec!["dm-0 got all".into(), "sda got none".into()],
        };
        judgement.patterns.clear();
        judgement.answer = model::RunAnswer::default();
        judgement.figures = Some(model::KindFigures::Durability(Box::new(DurabilityFigures {
            promises: vec![broken(CommitMethod::Fdatasync), broken(CommitMethod::Rename)],
            layers: vec![layer("ext4", "/data", "", "rw"), layer("sda", "scsi", "write back", "has a cache")],
            commits: commits.into(),
        })));
        (record, judgement)
    }

    #[test]
    fn a_screen_has_promises_layers_and_ways_and_says_nothing_twice() {
        let (record, judgement) = run();
        for language in Language::ALL {
            let style = Style { color: false, unicode: true, width: 100, language };
            let whole = text(|out| write_terminal(&record, &judgement, &style, out));
            assert_eq!(whole, text(|out| write_answer(&record, &judgement, &style, out)));
            assert_eq!(whole.matches("dm-0 got all; sda got none").count(), 1, "{whole}");
            let row = whole.lines().find(|l| l.contains("fdatasync 2 x 8k")).unwrap_or_else(|| panic!("{whole}"));
            let figure = |text| messages::group_digits(language, text);
            assert!(row.contains(&*figure("1,000")) && row.contains("1.50") && row.contains("0.50"), "{row}");
            let syncs = whole.lines().find(|l| l.contains("1 MiB") && l.contains(&*figure("2,000")));
            assert!(syncs.is_some_and(|row| row.contains("990 us")), "{whole}");
            assert!(whole.lines().all(|l| width(l) <= 100), "{whole}");
        }
    }

    #[test]
    fn every_format_of_a_run_has_the_promises_or_the_ways() {
        let (record, judgement) = run();
        let labels = Labels::default();
        let reported = ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels };
        for (name, row) in [
            ("terminal", "rename"),
            ("markdown", "| rename | BROKEN | dm-0 got all; sda got none |"),
            ("csv", "fdatasync behind 1m,fdatasync,sync,1,0,2000,1000,"),
            ("html", "sda got none"),
            (
                "junit",
                r#"<testcase classname="promise" name="rename" time="0"><failure type="not-met" message="dm-0 got all"#,
            ),
            ("json", r#""standing":"broken","layer":"dm-0""#),
        ] {
            if name == "html" && !cfg!(feature = "html") {
                continue;
            }
            let format = crate::format(name).expect("it is registered");
            let written = text(|out| format.write(&[reported], &Style::default(), out));
            assert!(written.contains(row), "{name}: {written}");
            let fields: Vec<usize> = written.lines().map(|l| l.split(',').count()).collect();
            assert!(name != "csv" || fields.iter().all(|n| *n == fields[0]), "{written}");
        }
    }
}
