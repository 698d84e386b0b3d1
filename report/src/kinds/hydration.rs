//! A run about the hydration of a volume: a row for the first reads and the second reads of each half of the sample, and
//! for the large reads.

use super::{charts, columns, common};
use crate::ReportedRun;
use crate::document::figure::Times;
use crate::document::{Block, Cell, Column, Document, FigureRow, Table, Tile, Value, View, Word};
use messages::message;
use model::judged::{HydrationFigures, HydrationStage};
use model::plan::HydrationReads;

/// Returns the document of a hydration run.
pub(super) fn document(run: &ReportedRun<'_>, figures: &HydrationFigures, view: View) -> Document {
    let mut d = common::begin(run);
    d.kind = "hydration";
    d.is_whole = true;
    let large = figures.stages.iter().filter(|of| matches!(of.reads, HydrationReads::Rate | HydrationReads::Warm));
    d.tiles = large.map(|of| Tile::new(of.reads.name(), of.bandwidth, Word::Term("MB/s"))).collect();
    d.figures = figures.stages.iter().map(row).collect();
    let part = d.part("reads", "hydration-title", [Block::Table(table(figures))]);
    if let Some(share) = figures.not_loaded {
        part.aside(message!("hydration-slow-over", time = share.slow_over));
    }
    charts::add(&mut d, run, view);
    common::end(&mut d, run);
    d
}

fn table(figures: &HydrationFigures) -> Table {
    Table::builder("reads", &figures.stages)
        .column(Column::text("reads", "hydration-head-reads"), |of| Value::name(of.reads.name()))
        .column(Column::figure("block", "hydration-head-block"), |of| of.block)
        .column(Column::figure("in_flight", "hydration-head-depth").rank(2), |of| Value::Count(of.in_flight.into()))
        .column(Column::figure("ops", "hydration-head-ops"), |of| Value::Count(of.ops))
        .column(Column::figure("slow", "hydration-head-slow"), |of| Cell::or_blank(of.slow.map(Value::Count)))
        .column(Column::term("bytes_per_s", "MB/s"), |of| of.bandwidth)
        .columns(columns::times(2, 3, 1), columns::time_cells)
        .build()
}

/// Returns the row of CSV for a stage.
fn row(of: &HydrationStage) -> FigureRow {
    FigureRow {
        workload: format!("{} reads", of.block.short()),
        stage: of.reads.name().to_owned(),
        role: "read".to_owned(),
        in_flight: of.in_flight.into(),
        operations: of.ops,
        bytes: Some(of.bandwidth.per_second()),
        times: of.figures(),
        errors: Some(of.errors),
        ..FigureRow::default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fixture;
    use model::judged::{KindFigures, RunAnswer, ShareNotLoaded};
    use model::{Bytes, BytesPerSecond, Judgement, Nanos, RunRecord, measured::Percentile, record::Labels};

    pub(crate) fn run() -> (RunRecord, Judgement) {
        let (record, mut judgement) = fixture::capped();
        let stage = |reads, block, slow, p50| HydrationStage {
            reads,
            block,
            in_flight: 1,
            ops: 200,
            slow,
            bandwidth: BytesPerSecond(98e6),
            mean: Some(p50),
            p50: Percentile::Value(p50),
            p99: Percentile::Value(Nanos::from_millis(31)),
            p999: Percentile::TooFew,
            max: Some(Nanos::from_millis(40)),
            errors: 0,
        };
        let small = Bytes::from_kib(16);
        judgement.patterns.clear();
        judgement.answer = RunAnswer::default();
        judgement.figures = Some(KindFigures::Hydration(Box::new(HydrationFigures {
            size: Bytes::from_gib(500),
            not_loaded: Some(ShareNotLoaded {
                value: 0.37,
                low: 0.32,
                high: 0.42,
                blocks: 400,
                slow_over: Nanos::from_micros(1_240),
            }),
            rate: Some(BytesPerSecond(98e6)),
            full_read: Some(Nanos::from_secs(5_478)),
            warmed: None,
            stages: vec![
                stage(HydrationReads::First, small, Some(74), Nanos::from_micros(612)),
                stage(HydrationReads::Second, small, Some(1), Nanos::from_micros(488)),
                stage(HydrationReads::Rate, Bytes::from_mib(1), None, Nanos::from_millis(9)),
            ],
        })));
        (record, judgement)
    }

    #[test]
    fn every_format_has_the_reads() {
        let (record, judgement) = run();
        let labels = Labels::default();
        let reported = ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels, earlier: &[] };
        for (name, row) in [
            ("terminal", "second"),
            ("markdown", "| first | 16 KiB |"),
            ("csv", "16k reads,first,read,1,0,200,"),
            ("html", "second"),
            ("json", r#""slow":74"#),
        ] {
            crate::kinds::tests::contains(reported, name, row);
        }
    }
}
