//! A run about durable writes: promises first, then the layers below, then a row for each method tested.

use super::{charts, columns, common};
use crate::ReportedRun;
use crate::document::figure::Times;
use crate::document::{Block, Case, Cell, Column, Document, FigureRow, Repeat, Table, Tile, Value, View, Word};
use model::Sentence;
use model::judged::{
    CommitAtDevice, CommitFigures, DurabilityFigures, NeedResult, Outcome, PromiseFinding, PromiseStanding,
};

/// Maximum number of methods among the key figures.
const MOST_TILES: usize = 4;

/// Returns the document of a durability run.
pub(super) fn document(run: &ReportedRun<'_>, figures: &DurabilityFigures, view: View) -> Document {
    let mut d = common::begin(run);
    d.kind = "durability";
    d.is_whole = true;
    d.cases.extend(figures.promises.iter().map(case));
    let usual = figures.commits.iter().filter(|of| of.rule.method.promises() && of.rule.writes == 1 && !of.rule.apart);
    let tile = |of: &CommitFigures| Tile::new(of.rule.to_string(), of.rate, "durable-head-rate");
    d.tiles = usual.take(MOST_TILES).map(tile).collect();
    d.figures = figures.commits.iter().map(row).collect();
    d.part("promises", "durable-title", [Block::Table(promises(figures))]);
    d.part("layers", "durable-title-layers", [Block::Table(layers(figures))]);
    let device = lowest(figures).map_or(Word::None, |name| Word::from(name.to_owned()));
    d.part("commits", "durable-title-commits", [Block::Table(commits(figures))]).aside(device);
    if figures.commits.iter().any(|of| of.rule.apart) {
        d.part("syncs", "durable-title-sync", [Block::Table(syncs(figures))]);
    }
    charts::add(&mut d, run, view);
    common::end(&mut d, run);
    d
}

/// Returns the lowest device with counters: its flushes are shown in the tables.
fn lowest(figures: &DurabilityFigures) -> Option<&str> {
    let counted = |name: &str| figures.commits.iter().any(|of| of.devices.iter().any(|at| at.name == name));
    figures.layers.iter().rev().map(|layer| layer.name.as_str()).find(|name| counted(name))
}

/// Returns the I/O of a method on the lowest device.
fn at_lowest<'f>(figures: &'f DurabilityFigures, of: &'f CommitFigures) -> Option<&'f CommitAtDevice> {
    let name = lowest(figures)?;
    of.devices.iter().find(|at| at.name == name)
}

/// Returns the outcome of a promise: broken means not met; doubtful or not observed means undecided.
const fn outcome(standing: &PromiseStanding) -> Outcome {
    match standing {
        PromiseStanding::Kept { .. } => Outcome::Pass,
        PromiseStanding::Broken { .. } => Outcome::Fail,
        PromiseStanding::Doubtful { .. } | PromiseStanding::Unseen | PromiseStanding::Refused => Outcome::Undecided,
    }
}

fn evidence(of: &PromiseFinding) -> Sentence {
    Sentence::join(of.evidence.iter().cloned(), "; ")
}

fn case(of: &PromiseFinding) -> Case {
    let (text, outcome, why) = (of.method.to_string(), outcome(&of.standing), evidence(of));
    let result = NeedResult { text, outcome, depth: None, clauses: Vec::new(), why };
    Case { class: "promise".to_owned(), is_need: false, result }
}

fn promises(figures: &DurabilityFigures) -> Table {
    let standing = |of: &PromiseFinding| {
        let outcome = outcome(&of.standing);
        let cell = Cell::from(Value::word(of.standing.message())).tone(outcome.into());
        Cell { strong: outcome == Outcome::Fail, ..cell }
    };
    let same = Repeat::Word("durable-same");
    let table = Table::builder("promises", &figures.promises)
        .column(Column::text("method", "durable-head-promise").bare(), |of| Value::name(of.method.name()))
        .column(Column::text("standing", "durable-head-standing").bare(), standing)
        .column(Column::text("evidence", "durable-head-evidence").bare().repeat(same).wraps(), evidence);
    Table { indent: 2, ..table.build() }
}

fn layers(figures: &DurabilityFigures) -> Table {
    Table::builder("layers", &figures.layers)
        .column(Column::text("layer", "durable-head-layer"), |layer| Value::name(&layer.name))
        .column(Column::text("kind", "durable-head-kind"), |layer| Value::name(&layer.kind))
        .column(Column::text("write_cache", "durable-head-cache"), |layer| Value::name(&layer.write_cache))
        .column(Column::text("note", "durable-head-note"), |layer| layer.note.clone())
        .build()
}

fn commits(figures: &DurabilityFigures) -> Table {
    let each = |of: &CommitFigures, n: Option<u64>| n.map(|n| Value::Fixed(n as f64 / of.commits.max(1) as f64, 2));
    let commits = figures.commits.iter().filter(|of| !of.rule.apart);
    Table::builder("commits", commits.map(|of| (of, at_lowest(figures, of))))
        .column(Column::text("method", "durable-head-method"), |(of, _)| Value::name(of.rule))
        .column(Column::figure("rate", "durable-head-rate"), |(of, _)| of.rate)
        .columns(columns::times(3, 2, 4), |(of, _)| columns::time_cells(of))
        .column(Column::figure("flushes", "durable-head-flushes"), |(of, at)| each(of, at.map(|at| at.flushes)))
        .column(Column::figure("forced", "durable-head-forced").rank(1), |(of, at)| {
            each(of, at.filter(|at| at.traced).map(|at| at.forced))
        })
        .column(Column::figure("flush_p50_ns", "durable-head-flush").rank(1), |(_, at)| at.and_then(|at| at.flush_p50))
        .build()
}

fn syncs(figures: &DurabilityFigures) -> Table {
    Table::builder("syncs", figures.commits.iter().filter(|of| of.rule.apart))
        .column(Column::figure("bytes", "durable-head-dirty"), |of| of.rule.bytes())
        .column(Column::figure("syncs", "durable-head-syncs"), |of| Value::Count(of.commits))
        .columns(columns::times(0, 0, 0), columns::time_cells)
        .build()
}

/// Returns the row of CSV for a method.
fn row(of: &CommitFigures) -> FigureRow {
    FigureRow {
        workload: of.rule.to_string(),
        stage: of.rule.method.to_string(),
        role: if of.rule.apart { "sync" } else { "commit" }.to_owned(),
        in_flight: 1,
        operations: of.commits,
        rate: Some(of.rate.per_second()),
        times: of.figures(),
        errors: Some(of.errors),
        ..FigureRow::default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Style;
    use crate::fixture::{self, text};
    use crate::widgets::text::width;
    use crate::{write_answer, write_terminal};
    use messages::Language;
    use model::plan::{CommitMethod, CommitRule};
    use model::{
        Bytes, Iops, Judgement, Nanos, RunRecord, judged::DurabilityLayer, measured::Percentile, record::Labels,
    };

    pub(crate) fn run() -> (RunRecord, Judgement) {
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
        judgement.answer = model::judged::RunAnswer::default();
        judgement.figures = Some(model::judged::KindFigures::Durability(Box::new(DurabilityFigures {
            promises: vec![broken(CommitMethod::Fdatasync), broken(CommitMethod::Rename)],
            layers: vec![layer("ext4", "/data", "", "rw"), layer("sda", "scsi", "write back", "has a cache")],
            commits: commits.into(),
        })));
        (record, judgement)
    }

    /// Returns the run with every doubt of another fixture.
    pub(crate) fn troubled() -> (RunRecord, Judgement) {
        let (record, mut judgement) = fixture::troubled();
        judgement.patterns.clear();
        judgement.figures = run().1.figures;
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
        let reported = ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels, earlier: &[] };
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
            crate::kinds::tests::contains(reported, name, row);
        }
    }
}
