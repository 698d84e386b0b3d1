//! The screen of a metadata run: findings first, then a row for each phase of each mdtest shape.

use super::{head, measured_on};
use crate::Style;
use crate::widgets::figures::{count, latency};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Line, Paint};
use messages::{Message, message};
use model::{
    Iops, Judgement, MetadataFigures, MetadataPhase, MetadataPhaseFigures, MetadataShape, Nanos, RunRecord, thousands,
};
use std::io::{self, Write};

/// Writes the screen of a metadata run.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(super) fn write(
    record: &RunRecord,
    judgement: &Judgement,
    figures: &MetadataFigures,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    head(page, record, judgement)?;
    page.blank()?;
    page.heading(page.ink.word("metadata-title"), &page.ink.format(&summary(figures)))?;
    table(page, figures)?;
    if !figures.hosts.is_empty() {
        page.blank()?;
        page.heading(page.ink.word("metadata-by-host"), page.ink.word("metadata-by-host-note"))?;
        hosts(page, figures)?;
    }
    measured_on(page, record, judgement)
}

/// Returns a summary such as `100,000 files of each shape, by 2 threads`.
pub(super) fn summary(figures: &MetadataFigures) -> Message {
    let files = count(figures.files_each.saturating_mul(u64::from(figures.threads)));
    match figures.hosts.len() {
        0 => message!("metadata-summary", files, n = figures.threads),
        hosts => message!("metadata-summary-hosts", files, n = figures.threads, hosts),
    }
}

/// Returns the label of a phase without the `mdtest` prefix, such as `easy create`.
pub(super) const fn short_label(of: &MetadataPhaseFigures) -> &'static str {
    match (of.shape, of.phase) {
        (MetadataShape::Easy, MetadataPhase::Create) => "easy create",
        (MetadataShape::Easy, MetadataPhase::Stat) => "easy stat",
        (MetadataShape::Easy, MetadataPhase::Read) => "easy read",
        (MetadataShape::Easy, MetadataPhase::Remove) => "easy remove",
        (MetadataShape::Hard, MetadataPhase::Create) => "hard create",
        (MetadataShape::Hard, MetadataPhase::Stat) => "hard stat",
        (MetadataShape::Hard, MetadataPhase::Read) => "hard read",
        (MetadataShape::Hard, MetadataPhase::Remove) => "hard remove",
    }
}

/// Formats the rate of a host in a phase, for a cell of a table.
pub(super) fn rate_of_host(of: &MetadataPhaseFigures, which: usize) -> String {
    of.hosts.get(which).map_or_else(|| "-".to_owned(), |host| thousands(host.rate.per_second()))
}

/// Message IDs of the table headers, the phase first.
pub(super) const HEADS: [&str; 6] = [
    "metadata-head-phase",
    "metadata-head-files",
    "metadata-head-rate",
    "metadata-head-durable",
    "page-mean",
    "page-maximum",
];

fn table(page: &mut Page, figures: &MetadataFigures) -> io::Result<()> {
    let ink = page.ink;
    let [phase, files, per_second, durable, mean, max] = HEADS.map(|id| ink.word(id));
    let columns = vec![
        Column::left(phase),
        Column::right(files).droppable(3),
        Column::right(per_second),
        Column::right(durable).droppable(1),
        Column::right(mean),
        Column::right("p50").droppable(2),
        Column::right("p99"),
        Column::right("p99.9").droppable(1),
        Column::right(max).droppable(2),
    ];
    let mut table = Table::new(columns, 1);
    let time = |of: Option<Nanos>| of.map_or_else(|| Line::plain("-"), |t| latency(t, Paint::PLAIN));
    let rate = |of: Option<Iops>| of.map_or_else(Line::new, |r| Line::plain(thousands(r.per_second())));
    for of in &figures.phases {
        table.row(vec![
            Line::plain(of.label()),
            Line::plain(count(of.all.files)),
            Line::new().with(thousands(of.all.rate.per_second()), Paint::BOLD),
            rate(of.durable_rate),
            time(of.all.mean),
            time(of.all.p50.value()),
            time(of.all.p99.value()),
            time(of.all.p999.value()),
            time(of.all.max),
        ]);
    }
    table.write(page)
}

/// Writes a row for each host, with its rate in each phase.
fn hosts(page: &mut Page, figures: &MetadataFigures) -> io::Result<()> {
    let heads = figures.phases.iter().map(|of| Column::right(short_label(of)));
    let mut table =
        Table::new([Column::left(page.ink.word("metadata-head-host"))].into_iter().chain(heads).collect(), 1);
    for (which, name) in figures.hosts.iter().enumerate() {
        let rates = figures.phases.iter().map(|of| Line::plain(rate_of_host(of, which)));
        table.row([Line::plain(name.clone())].into_iter().chain(rates).collect());
    }
    table.write(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, text};
    use crate::formats::{ReportedRun, write_answer, write_terminal};
    use messages::Language;
    use model::{Labels, METADATA_PHASES, MetadataTotals, Percentile};

    fn run() -> (RunRecord, Judgement) {
        let (record, mut judgement) = fixture::capped();
        let phases = METADATA_PHASES.map(|(shape, phase)| MetadataPhaseFigures {
            shape,
            phase,
            all: MetadataTotals {
                files: 100_000,
                time: Nanos::from_secs(2),
                rate: Iops(50_000.0),
                mean: Some(Nanos(39_500)),
                p50: Percentile::Value(Nanos(31_000)),
                p99: Percentile::Value(Nanos(210_000)),
                p999: Percentile::TooFew,
                max: Some(Nanos::from_millis(12)),
                errors: 0,
            },
            sync: phase.changes().then_some(Nanos::from_millis(500)),
            durable_rate: phase.changes().then_some(Iops(40_000.0)),
            steps: vec![0, 1],
            together: None,
            hosts: Vec::new(),
        });
        judgement.patterns.clear();
        judgement.figures = Some(model::KindFigures::Metadata(Box::new(MetadataFigures {
            threads: 2,
            files_each: 50_000,
            hosts: Vec::new(),
            one_directory: None,
            phases: phases.into(),
        })));
        (record, judgement)
    }

    fn of_hosts() -> (RunRecord, Judgement) {
        let (record, mut judgement) = run();
        let Some(model::KindFigures::Metadata(figures)) = &mut judgement.figures else { panic!("it has them") };
        figures.hosts = vec!["node1".to_owned(), "node2".to_owned()];
        figures.one_directory = Some(true);
        for phase in &mut figures.phases {
            let host = |rate: f64| MetadataTotals { files: 50_000, rate: Iops(rate), ..phase.all };
            phase.hosts = vec![host(31_111.0), host(25_222.0)];
        }
        (record, judgement)
    }

    #[test]
    fn the_answer_and_the_whole_are_one_screen_with_a_row_for_each_phase() {
        let (record, judgement) = run();
        let style = Style { color: false, unicode: true, width: 100, language: Language::English };
        let whole = text(|out| write_terminal(&record, &judgement, &style, out));
        assert_eq!(whole, text(|out| write_answer(&record, &judgement, &style, out)));
        assert!(whole.contains("100,000 files of each shape, by 2 threads"), "{whole}");
        for (shape, phase) in METADATA_PHASES {
            let row = whole.lines().find(|l| l.contains(&format!("{} {}", shape.name(), phase.name())));
            let row = row.unwrap_or_else(|| panic!("{whole}"));
            assert!(row.contains("50,000") && row.contains("39.5 us") && row.contains("210 us"), "{row}");
            assert_eq!(row.contains("40,000"), phase.changes(), "{row}");
        }
        assert!(whole.lines().all(|l| l.chars().count() <= 100), "{whole}");
    }

    #[test]
    fn hosts_have_a_row_each() {
        let (record, judgement) = of_hosts();
        let style = Style { color: false, unicode: true, width: 120, language: Language::English };
        let whole = text(|out| write_terminal(&record, &judgement, &style, out));
        assert!(whole.contains("by 2 threads on 2 hosts") && whole.contains("easy create"), "{whole}");
        for (host, rate) in [("node1", "31,111"), ("node2", "25,222")] {
            let row = whole.lines().find(|l| l.trim_start().starts_with(host)).unwrap_or_else(|| panic!("{whole}"));
            assert_eq!(row.matches(rate).count(), METADATA_PHASES.len(), "{row}");
        }
        let labels = Labels::default();
        let reported = ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels };
        for (name, row) in [
            ("markdown", "| node2 | 25,222 |"),
            ("csv", "mdtest-hard remove@node2,"),
            ("html", "node2"),
            ("json", r#""one_directory":true"#),
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

    #[test]
    fn every_format_of_a_run_has_the_phases() {
        let (record, judgement) = run();
        let labels = Labels::default();
        let reported = ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels };
        for (name, row) in [
            ("terminal", "mdtest-hard remove"),
            ("markdown", "| mdtest-hard remove |"),
            ("csv", "mdtest-hard remove,"),
            ("json", r#""shape":"hard","phase":"remove""#),
        ] {
            let format = crate::format(name).expect("it is registered");
            let written = text(|out| format.write(&[reported], &Style::default(), out));
            assert!(written.contains(row), "{name}: {written}");
        }
        let csv = text(|out| crate::format("csv").expect("registered").write(&[reported], &Style::default(), out));
        let fields: Vec<usize> = csv.lines().map(|l| l.split(',').count()).collect();
        assert!(fields.iter().all(|n| *n == fields[0]), "{csv}");
    }
}
