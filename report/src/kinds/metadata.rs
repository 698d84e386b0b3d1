//! A metadata run: a row for each phase of each mdtest shape, and one for each host with its rates.

use super::{charts, columns, common};
use crate::ReportedRun;
use crate::document::figure::Times;
use crate::document::{Block, Cell, Column, Document, FigureRow, Table, Tile, Value, View};
use crate::widgets::figures::count;
use messages::{Message, message};
use model::judged::{MetadataFigures, MetadataPhaseFigures, MetadataTotals};
use model::metadata::{MetadataPhase, MetadataShape};

/// Returns the document of a metadata run.
pub(super) fn document(run: &ReportedRun<'_>, figures: &MetadataFigures, view: View) -> Document {
    let mut d = common::begin(run);
    d.kind = "metadata";
    d.is_whole = true;
    let tile = |of: &MetadataPhaseFigures| Tile::new(of.label(), of.all.rate, "metadata-head-rate");
    d.tiles = figures.phases.iter().filter(|of| of.phase.changes()).map(tile).collect();
    d.figures = figures.phases.iter().flat_map(|of| rows(figures, of)).collect();
    d.part("phases", "metadata-title", [Block::Table(phases(figures))]).aside(summary(figures));
    if !figures.hosts.is_empty() {
        d.part("hosts", "metadata-by-host", [Block::Table(hosts(figures))]).aside("metadata-by-host-note");
    }
    charts::add(&mut d, run, view);
    common::end(&mut d, run);
    d
}

/// Returns a summary such as `100,000 files of each shape, by 2 threads`.
fn summary(figures: &MetadataFigures) -> Message {
    let files = count(figures.files_each.saturating_mul(u64::from(figures.threads)));
    match figures.hosts.len() {
        0 => message!("metadata-summary", files, n = figures.threads),
        hosts => message!("metadata-summary-hosts", files, n = figures.threads, hosts),
    }
}

fn phases(figures: &MetadataFigures) -> Table {
    Table::builder("phases", &figures.phases)
        .column(Column::text("phase", "metadata-head-phase"), |of| Value::name(of.label()))
        .column(Column::figure("files", "metadata-head-files").rank(3), |of| Value::Count(of.all.files))
        .column(Column::figure("rate", "metadata-head-rate"), |of| Cell::from(of.all.rate).strong())
        .column(Column::figure("durable_rate", "metadata-head-durable").rank(1), |of| Cell::or_blank(of.durable_rate))
        .columns(columns::times(2, 1, 2), |of| columns::time_cells(&of.all))
        .build()
}

/// Returns a row for each host, with its rate in each phase.
fn hosts(figures: &MetadataFigures) -> Table {
    let mut table = Table::builder("hosts", figures.hosts.iter().enumerate())
        .column(Column::text("host", "metadata-head-host"), |(_, name)| Value::name(name));
    for of in &figures.phases {
        let (key, head) = short_label(of);
        table = table.column(Column::term(key, head), |(which, _)| of.hosts.get(which).map(|host| host.rate));
    }
    table.build()
}

/// Returns key and label of a phase without the `mdtest` prefix, such as `easy create`.
const fn short_label(of: &MetadataPhaseFigures) -> (&'static str, &'static str) {
    match (of.shape, of.phase) {
        (MetadataShape::Easy, MetadataPhase::Create) => ("easy_create", "easy create"),
        (MetadataShape::Easy, MetadataPhase::Stat) => ("easy_stat", "easy stat"),
        (MetadataShape::Easy, MetadataPhase::Read) => ("easy_read", "easy read"),
        (MetadataShape::Easy, MetadataPhase::Remove) => ("easy_remove", "easy remove"),
        (MetadataShape::Hard, MetadataPhase::Create) => ("hard_create", "hard create"),
        (MetadataShape::Hard, MetadataPhase::Stat) => ("hard_stat", "hard stat"),
        (MetadataShape::Hard, MetadataPhase::Read) => ("hard_read", "hard read"),
        (MetadataShape::Hard, MetadataPhase::Remove) => ("hard_remove", "hard remove"),
    }
}

/// Returns the rows of CSV for a phase: all hosts together, then each host.
fn rows(figures: &MetadataFigures, of: &MetadataPhaseFigures) -> Vec<FigureRow> {
    let label = of.label();
    let row = |workload: String, threads: u64, totals: &MetadataTotals| FigureRow {
        workload,
        stage: of.shape.name().to_owned(),
        role: of.phase.name().to_owned(),
        in_flight: threads,
        operations: totals.files,
        rate: Some(totals.rate.per_second()),
        times: totals.figures(),
        errors: Some(totals.errors),
        ..FigureRow::default()
    };
    let threads = u64::from(figures.threads);
    let mut rows = vec![row(label.to_string(), threads, &of.all)];
    let each = threads / figures.hosts.len().max(1) as u64;
    rows.extend(of.hosts.iter().zip(&figures.hosts).map(|(host, name)| row(format!("{label}@{name}"), each, host)));
    rows
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Style;
    use crate::fixture::{self, text};
    use crate::{write_answer, write_terminal};
    use messages::Language;
    use model::{Iops, Judgement, Nanos, RunRecord, measured::Percentile, metadata::METADATA_PHASES, record::Labels};

    pub(crate) fn run() -> (RunRecord, Judgement) {
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
        judgement.figures = Some(model::judged::KindFigures::Metadata(Box::new(MetadataFigures {
            threads: 2,
            files_each: 50_000,
            hosts: Vec::new(),
            one_directory: None,
            phases: phases.into(),
        })));
        (record, judgement)
    }

    pub(crate) fn several_hosts() -> (RunRecord, Judgement) {
        let (record, mut judgement) = run();
        let Some(model::judged::KindFigures::Metadata(figures)) = &mut judgement.figures else { panic!("it has them") };
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
        let (record, judgement) = several_hosts();
        let style = Style { color: false, unicode: true, width: 120, language: Language::English };
        let whole = text(|out| write_terminal(&record, &judgement, &style, out));
        assert!(whole.contains("by 2 threads on 2 hosts") && whole.contains("easy create"), "{whole}");
        for (host, rate) in [("node1", "31,111"), ("node2", "25,222")] {
            let row = whole.lines().find(|l| l.trim_start().starts_with(host)).unwrap_or_else(|| panic!("{whole}"));
            assert_eq!(row.matches(rate).count(), METADATA_PHASES.len(), "{row}");
        }
        let labels = Labels::default();
        let reported = ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels, earlier: &[] };
        for (name, row) in [
            ("markdown", "| node2 | 25,222 |"),
            ("csv", "mdtest-hard remove@node2,"),
            ("html", "node2"),
            ("json", r#""one_directory":true"#),
        ] {
            crate::kinds::tests::contains(reported, name, row);
        }
    }
}
