//! Columns that several kinds have.

use crate::document::figure::Times;
use crate::document::{Cell, Column, FigureRow};
use model::judged::{LevelFigures, PatternJudgement};

/// Returns the columns of the times of operations: mean, p50, p99, p99.9 and maximum, with the ranks for dropping p50,
/// p99.9 and the maximum. [`time_cells`] returns their cells.
pub(crate) fn times(p50: u8, p999: u8, max: u8) -> [Column; 5] {
    [
        Column::figure("mean_ns", "page-mean"),
        Column::term("p50_ns", "p50").rank(p50),
        Column::term("p99_ns", "p99"),
        Column::term("p999_ns", "p99.9").rank(p999),
        Column::figure("max_ns", "page-maximum").rank(max),
    ]
}

/// Returns the cells of [`times`].
pub(crate) fn time_cells(figures: &impl Times) -> [Cell; 5] {
    let (mean, [p50, p99, p999], max) = figures.times();
    [mean.into(), p50.into(), p99.into(), p999.into(), max.into()]
}

/// Returns the row of CSV for a level.
pub(crate) fn level(pattern: &PatternJudgement, level: &LevelFigures) -> FigureRow {
    let row = FigureRow {
        workload: pattern.label.clone(),
        stage: pattern.stage.clone(),
        role: format!("{:?}", pattern.role).to_lowercase(),
        in_flight: level.concurrency().into(),
        held: level.hold,
        operations: level.ops,
        interval: level.iops.ci,
        errors: Some(level.errors),
        caveats: level.caveats.join(" "),
        struck: level.struck.as_deref().unwrap_or_default().to_owned(),
        ..FigureRow::default()
    };
    // A level whose rate never became steady has no figures.
    match level.steadiness.unsettled() {
        true => row,
        false => FigureRow {
            rate: Some(level.iops.value),
            bytes: Some(level.bandwidth.per_second()),
            times: level.figures(),
            ..row
        },
    }
}
