//! Kinds of reports: one file for each, with a function that builds the [`Document`] which every format writes.
//!
//! How to add a kind:
//!
//! 1. Create `kinds/NAME.rs` with `document(run, view)`: [`common::begin`] sets head, doubts and needs;
//!    [`Document::part`] adds each part with its [`Block`](crate::document::Block)s; [`common::end`] adds findings,
//!    environment and plan. Set `kind`, `tiles` and `figures` (the rows of CSV). Build each table once, with
//!    [`Column`](crate::document::Column)s for all formats: stable `key`s with units, `rank`s for narrow screens, `only`
//!    for columns of some formats; [`Table::builder`](crate::document::Table::builder) adds each column with its cells,
//!    [`columns::times`] is mean, p50, p99, p99.9 and maximum.
//! 2. Cells are [`Value`](crate::document::Value)s, never formatted text; `Unknown` is a dash, `Blank` does not apply. A
//!    reason for a doubtful figure is a footnote of its row: `builder.notes(…)` with `d.notes.footnote(…)`.
//! 3. Parts name their [`View`]s: the answer on one screen, the full screen, `judge RUN`, the page before and after the
//!    charts, Markdown. [`charts::add`] builds the charts of a run only for its page. A chart on a screen is
//!    built only for that view.
//! 4. Return the document for the kind in [`document`], and add the kind to `fixtures` in the tests below.

mod blocks;
pub(crate) mod charts;
pub(crate) mod columns;
pub(crate) mod common;
pub(crate) mod comparison;
pub(crate) mod database;
pub(crate) mod demand;
pub(crate) mod durability;
pub(crate) mod foreign;
pub(crate) mod hydration;
pub(crate) mod list;
pub(crate) mod mark;
pub(crate) mod metadata;
pub(crate) mod ping;
pub(crate) mod plan;
pub(crate) mod purchase;
pub(crate) mod replay;
pub(crate) mod runs;
pub(crate) mod sheet;
pub(crate) mod traced;
pub(crate) mod trend;
mod watch;
pub(crate) mod words;

use crate::ReportedRun;
use crate::document::{Document, View};
use model::{judged::KindFigures, plan::KindName, record::Results};

/// Returns the document of a run, with everything that a view shows.
pub(crate) fn document(run: &ReportedRun<'_>, view: View) -> Document {
    let mut d = of_kind(run, view);
    // The one-screen answer does not contain the verdict.
    if view != View::Answer {
        d.notes.remove_repeated(&d.head, d.head.answer_on_screen || matches!(view, View::Page | View::PageEnd));
    }
    d
}

fn of_kind(run: &ReportedRun<'_>, view: View) -> Document {
    match (&run.judgement.figures, &run.record.results) {
        (Some(KindFigures::Metadata(figures)), _) => metadata::document(run, figures, view),
        (Some(KindFigures::Durability(figures)), _) => durability::document(run, figures, view),
        (Some(KindFigures::Hydration(figures)), _) => hydration::document(run, figures, view),
        (Some(KindFigures::Database(figures)), Some(Results::Database(used))) => {
            database::document(run, used, figures, view)
        }
        (Some(KindFigures::Watch(figures)), _) => watch::document(run, figures, view),
        (_, Some(Results::Ping(pinged))) => ping::document(run, pinged, view),
        (_, Some(Results::Replay(replayed))) => replay::document(run, replayed, view),
        _ if run.record.plan.kind.name() == KindName::Mark => mark::document(run, view),
        _ => blocks::document(run, view),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, Value};
    use crate::fixture::text;
    use crate::render;
    use crate::widgets::ink::Ink;
    use crate::{FORMATS, Style};
    use model::{Judgement, RunRecord, record::Labels};

    /// Returns a run of each kind.
    fn fixtures() -> Vec<(RunRecord, Judgement)> {
        vec![
            metadata::tests::run(),
            crate::formats::watch::testkit::watched(),
            crate::formats::watch::testkit::crowded(),
            metadata::tests::several_hosts(),
            durability::tests::run(),
            durability::tests::troubled(),
            hydration::tests::run(),
            crate::fixture::capped(),
            crate::fixture::troubled(),
            mark::tests::run(),
            ping::tests::run(1),
            ping::tests::run(2),
            replay::tests::run(),
            database(analysis::database_fixture::updates()),
            database(analysis::database_fixture::ramp()),
        ]
    }

    fn database(record: RunRecord) -> (RunRecord, Judgement) {
        let judgement = analysis::judge(&record);
        (record, judgement)
    }

    fn written(record: &RunRecord, judgement: &Judgement, format: &str) -> String {
        let run = ReportedRun { label: "", record, judgement, labels: &Labels::default(), earlier: &[] };
        let format = crate::format(format).expect("it is registered");
        text(|out| format.write(&[run], &Style { width: 140, ..Style::default() }, out))
    }

    /// Joins lines and removes markup, so that a wrapped sentence is found.
    fn plain(text: &str) -> String {
        let text = text.replace(['\\', '*', '~'], "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        text.replace("&quot;", "\"").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_kind_has_every_format() {
        for (record, judgement) in fixtures() {
            let run = ReportedRun {
                label: "",
                record: &record,
                judgement: &judgement,
                labels: &Labels::default(),
                earlier: &[],
            };
            let built = |view| document(&run, view);
            let d = built(View::Page);
            let ink = Ink::new(&Style::default());
            assert!(!d.figures.is_empty() && !d.parts.is_empty(), "{:?}", d.kind);
            for (format, view) in [("terminal", View::Full), ("markdown", View::Markdown), ("html", View::Page)] {
                if format == "html" && !cfg!(feature = "html") {
                    continue;
                }
                let out = plain(&written(&record, &judgement, format));
                for block in built(view).parts(view).flat_map(|part| &part.blocks) {
                    let Block::Table(table) = block else { continue };
                    for cells in table.cells().filter(|cells| matches!(cells[0].value, Value::Name(_) | Value::Text(_)))
                    {
                        let first = plain(&cells[0].value.shown(ink));
                        assert!(out.contains(&first), "{:?} in {format} lacks {first}:\n{out}", d.kind);
                    }
                }
            }
            let csv = written(&record, &judgement, "csv");
            let fields: Vec<usize> = csv.lines().map(|l| l.split(',').count()).collect();
            assert!(fields.len() == d.figures.len() + 1 && fields.iter().all(|n| *n == fields[0]), "{csv}");
            assert!(render::json::tables(&d, ink)["parts"].as_array().is_some_and(|parts| !parts.is_empty()));
            for format in FORMATS.iter().filter(|f| f.name != "html" || cfg!(feature = "html")) {
                assert!(!written(&record, &judgement, format.name).is_empty(), "{}", format.name);
            }
        }
    }

    #[test]
    fn one_doubt_is_printed_once() {
        for (record, judgement) in fixtures() {
            for format in ["terminal", "markdown", "html"] {
                if format == "html" && !cfg!(feature = "html") {
                    continue;
                }
                let out = plain(&written(&record, &judgement, format));
                // A page contains the document once more, as data of its charts.
                let out = out.split("<script id=").next().unwrap_or_default();
                for caveat in &judgement.caveats {
                    let statement = plain(&caveat.statement);
                    assert_eq!(out.matches(&statement).count(), 1, "{format}: {statement}\n{out}");
                    let remedy = plain(&caveat.remedy);
                    assert!(remedy.is_empty() || out.matches(&remedy).count() <= 1, "{format}: {remedy}\n{out}");
                }
            }
        }
    }

    /// Asserts that the run in a format contains a row, and that all lines of CSV have the same number of fields.
    pub fn contains(run: ReportedRun<'_>, name: &str, row: &str) {
        if name == "html" && !cfg!(feature = "html") {
            return;
        }
        let format = crate::format(name).expect("it is registered");
        let written = text(|out| format.write(&[run], &Style::default(), out));
        assert!(written.contains(row), "{name}: {written}");
        let fields: Vec<usize> = written.lines().map(|l| l.split(',').count()).collect();
        assert!(name != "csv" || fields.iter().all(|n| *n == fields[0]), "{written}");
    }
}
