//! A ping: statistics of the requests that count, of each host and of all.

use super::{blocks, columns};
use crate::ReportedRun;
use crate::document::figure::Times;
use crate::document::{Block, Column, Document, FigureRow, Table, Tile, Value, View, Word};
use crate::widgets::figures::count;
use messages::{Sentence, sentence};
use model::record::{PingStats, Pinged};

/// Returns the document of a ping. The levels of its load include requests that do not count, so files omit them.
pub(super) fn document(run: &ReportedRun<'_>, pinged: &Pinged, view: View) -> Document {
    let mut d = blocks::document(run, view);
    d.kind = "ping";
    d.tiles = tiles(pinged);
    d.figures = rows(run, pinged);
    let mut load = std::mem::take(&mut d.parts);
    load.retain(|part| part.id != "workloads" && (part.id != "as_given" || view == View::Full));
    d.part("requests", "demand-requests", [Block::Table(table(pinged))]).aside(pinged.block.to_string());
    d.parts.extend(load);
    d
}

fn tiles(pinged: &Pinged) -> Vec<Tile> {
    let times = &pinged.total.times;
    let label = Sentence::concat([format!("{} ", count(times.count())).into(), sentence!("page-requests")]);
    let (mean, [p50, p99, _], max) = times.times();
    let figures = [(mean, "page-mean"), (p50.value(), "page-median"), (p99.value(), ""), (max, "page-maximum")];
    let tile = |(time, unit): (Option<model::Nanos>, &'static str)| {
        let unit = if unit.is_empty() { Word::Term("p99") } else { unit.into() };
        Some(Tile::new(label.clone(), time?, unit))
    };
    figures.into_iter().filter_map(tile).collect()
}

/// Returns a row for each of several hosts, and one for all requests.
fn table(pinged: &Pinged) -> Table {
    let hosts = pinged.hosts.iter().map(|host| (Some(&host.place.host), &host.total));
    let mut table = Table::builder("requests", hosts.chain([(None, &pinged.total)]));
    if !pinged.hosts.is_empty() {
        table = table.column(Column::text("host", "metadata-head-host"), |(host, _)| match host {
            Some(host) => Value::name(host),
            None => Value::word("ranks-all-hosts"),
        });
    }
    table
        .column(Column::figure("requests", "page-requests"), |(_, stats)| Value::Count(stats.times.count()))
        .column(Column::figure("min_ns", "page-minimum").rank(4), |(_, stats)| stats.times.min())
        .columns(columns::times(1, 2, 0), |(_, stats)| columns::time_cells(&stats.times))
        .column(Column::figure("left_out", "page-left-out").rank(3), |(_, stats)| {
            Value::Count(stats.count.saturating_sub(stats.times.count()))
        })
        .build()
}

/// Returns the rows of CSV: the level, with the requests that count, then those of each host.
fn rows(run: &ReportedRun<'_>, pinged: &Pinged) -> Vec<FigureRow> {
    let level = run.judgement.patterns.first().and_then(|p| Some(columns::level(p, p.levels.first()?)));
    let row = |stats: &PingStats, level: FigureRow| FigureRow {
        operations: stats.times.count(),
        times: stats.times.figures(),
        ..level
    };
    let total = row(&pinged.total, level.unwrap_or_default());
    let host = |host: &Pinged| {
        let workload = format!("{}@{}", total.workload, host.place.host);
        row(&host.total, FigureRow { workload, rate: None, interval: None, bytes: None, ..total.clone() })
    };
    let hosts: Vec<FigureRow> = pinged.hosts.iter().map(host).collect();
    [total].into_iter().chain(hosts).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fixture;
    use model::record::{Labels, PingPlace, Results};
    use model::{Judgement, Nanos, RunKind, RunRecord};

    /// Returns a ping by a number of hosts, each with a request that does not count.
    pub(crate) fn run(hosts: u64) -> (RunRecord, Judgement) {
        let (mut record, judgement) = fixture::capped();
        let host = |i: u64| {
            let place = PingPlace { host: format!("node{i}"), ..PingPlace::default() };
            let mut pinged = Pinged { place, block: model::Bytes(4096), ..Pinged::default() };
            (0..1500).for_each(|us| pinged.total.times.record(Nanos::from_micros(100 + us)));
            pinged.total.count = 1501;
            pinged
        };
        let hosts: Vec<Pinged> = (0..hosts).map(host).collect();
        record.plan.kind = RunKind::Ping;
        record.results = Some(Results::Ping(Box::new(Pinged::of_hosts(&hosts))));
        (record, judgement)
    }

    #[test]
    fn requests_that_do_not_count_are_only_in_the_last_column() {
        let (record, judgement) = run(2);
        let run =
            ReportedRun { label: "", record: &record, judgement: &judgement, labels: &Labels::default(), earlier: &[] };
        for view in [View::Page, View::Markdown] {
            let d = document(&run, record.ping().expect("a ping"), view);
            let Block::Table(table) = &d.parts(view).next().expect("a part").blocks[0] else { panic!("{d:?}") };
            let column = |key: &str| table.columns.iter().position(|c| c.key == key).expect("a column");
            let values = |key: &str| table.cells().map(|row| row[column(key)].value.raw()).collect::<Vec<_>>();
            assert_eq!(values("requests"), [1500.0, 1500.0, 3000.0].map(Some));
            assert_eq!(values("left_out"), [1.0, 1.0, 2.0].map(Some));
            assert_eq!(d.figures.iter().map(|row| row.operations).collect::<Vec<_>>(), [3000, 1500, 1500]);
        }
    }
}
