//! Runs as tables for data frames and SQL. Their columns keep their names, types and units.
//!
//! | file | contents |
//! |---|---|
//! | `mod` | columns, and the rows of a run |
//! | `parquet` | writer of Parquet files |

#[cfg(feature = "parquet")]
mod parquet;

use super::run::Subject;
use crate::ReportedRun;
use crate::document::{FigureRow, View};
use model::measured::bucket_bounds;
use model::record::Step;
use model::{LatencyHistogram, Nanos, Op, RunRecord};
use serde::Serialize;
use std::io;

#[cfg(feature = "parquet")]
pub use parquet::ParquetTables;

/// One table, with the file that contains it.
#[derive(Debug)]
pub struct RunTable {
    /// Name of the table; its file is `NAME.parquet`.
    pub name: &'static str,
    /// Rows of the table, as a noun phrase.
    pub help: &'static str,
    /// Columns, in the order of the file.
    pub columns: &'static [TableColumn],
    rows: fn(&ReportedRun<'_>, PushRow<'_>) -> io::Result<()>,
}

/// A column. Each value may be null, which means that it was not measured.
#[derive(Debug)]
pub struct TableColumn {
    /// Name, which ends with the unit if it is not a count.
    pub name: &'static str,
    /// Type of the values.
    pub kind: ColumnType,
    /// Contents, as a phrase.
    pub help: &'static str,
}

/// Type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// UTF-8 text.
    String,
    /// Signed 64-bit integer.
    Int64,
    /// 64-bit floating-point number.
    Double,
    /// `true` or `false`.
    Boolean,
}

impl ColumnType {
    /// Returns the name of the type, as Parquet calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::String => "string",
            ColumnType::Int64 => "int64",
            ColumnType::Double => "double",
            ColumnType::Boolean => "boolean",
        }
    }
}

/// Function that takes the next row.
type PushRow<'a> = &'a mut dyn FnMut(Vec<Cell>) -> io::Result<()>;

/// A value of a row.
#[derive(Clone)]
enum Cell {
    Text(String),
    Int(Option<u64>),
    Float(Option<f64>),
    Flag(bool),
}

const fn column(name: &'static str, kind: ColumnType, help: &'static str) -> TableColumn {
    TableColumn { name, kind, help }
}

use ColumnType::{Boolean, Double, Int64, String as Words};

const RUN: TableColumn = column("run", Words, "ID of the run");
const STEP: TableColumn = column("step", Int64, "Number of the step in the run, from 0");
const STAGE: TableColumn = column("stage", Words, "Stage of the plan");
const WORKLOAD: TableColumn = column("workload", Words, "Workload, such as `8k randread`");
const OPERATION: TableColumn = column("operation", Words, "`read`, `write`, `trim` or `flush`");

/// All tables.
pub const RUN_TABLES: [RunTable; 4] = [
    RunTable {
        name: "levels",
        help: "Figures of each level of each workload, as in CSV",
        columns: &[
            RUN,
            column("started", Words, "Start of the run, as date and time with time zone"),
            WORKLOAD,
            STAGE,
            column("role", Words, "Role of the stage"),
            column("in_flight", Int64, "Operations in flight"),
            column("held", Boolean, "True for the level that is held after a ramp"),
            column("operations", Int64, "Operations in the figures"),
            column("iops", Double, "Operations per second"),
            column("iops_low", Double, "Lower bound of the 95 % interval of `iops`"),
            column("iops_high", Double, "Upper bound of the 95 % interval of `iops`"),
            column("bytes_per_s", Double, "Bytes per second"),
            column("mean_ns", Int64, "Mean latency, in nanoseconds"),
            column("p50_ns", Int64, "Median latency, in nanoseconds; null with too few samples"),
            column("p99_ns", Int64, "99th percentile of latency, in nanoseconds; null with too few samples"),
            column("p999_ns", Int64, "99.9th percentile of latency, in nanoseconds; null with too few samples"),
            column("max_ns", Int64, "Maximum latency, in nanoseconds"),
            column("errors", Int64, "Failed operations"),
            column("caveats", Words, "IDs of the doubts about the figures, separated by spaces"),
            column("struck", Words, "Reason why the figures are invalid; empty if they are valid"),
        ],
        rows: levels,
    },
    RunTable {
        name: "intervals",
        help: "Counts and latencies of each second, by kind of operation",
        columns: &[
            RUN,
            STEP,
            STAGE,
            WORKLOAD,
            column("phase", Words, "`ramp` (not counted), `measure`, or `drain` (only latencies count)"),
            column("start_ns", Int64, "Start on the clock of the run, in nanoseconds"),
            column("length_ns", Int64, "Actual length, in nanoseconds"),
            OPERATION,
            column("operations", Int64, "Completed operations"),
            column("bytes", Int64, "Bytes that they moved"),
            column("errors", Int64, "Failed operations"),
            column("mean_ns", Int64, "Mean latency, in nanoseconds"),
            column("p50_ns", Int64, "Median latency, in nanoseconds; null with too few samples"),
            column("p99_ns", Int64, "99th percentile of latency, in nanoseconds; null with too few samples"),
            column("max_ns", Int64, "Maximum latency, in nanoseconds"),
        ],
        rows: intervals,
    },
    RunTable {
        name: "histograms",
        help: "Latency histogram of each step, by kind of operation, without empty buckets",
        columns: &[
            RUN,
            STEP,
            STAGE,
            WORKLOAD,
            OPERATION,
            column("latency", Words, "`service` (from submission), or `response` (from the due time, if paced)"),
            column("low_ns", Int64, "Lower bound of the bucket, in nanoseconds"),
            column("high_ns", Int64, "Upper bound of the bucket, exclusive, in nanoseconds"),
            column("count", Int64, "Operations in the bucket"),
        ],
        rows: histograms,
    },
    RunTable {
        name: "series",
        help: "Sampled counters and gauges of devices, processes, control groups and the host",
        columns: &[
            RUN,
            column("name", Words, "Name, such as `device.vda.read_ops`"),
            column("unit", Words, "Unit of the values, such as `ops/s`"),
            column("layer", Words, "Layer at which the series was read"),
            column("at_ns", Int64, "End of the period on the clock of the run, in nanoseconds"),
            column("value", Double, "Value over the period"),
        ],
        rows: series,
    },
];

fn text(value: impl Into<String>) -> Cell {
    Cell::Text(value.into())
}

fn int(value: impl Into<Option<u64>>) -> Cell {
    Cell::Int(value.into())
}

fn nanos(value: impl Into<Option<Nanos>>) -> Cell {
    Cell::Int(value.into().map(Nanos::as_nanos))
}

/// Returns the name of a variant in the record.
fn word(variant: impl Serialize) -> Cell {
    text(serde_json::to_value(variant).ok().as_ref().and_then(|v| v.as_str()).unwrap_or_default())
}

fn levels(run: &ReportedRun<'_>, row: PushRow<'_>) -> io::Result<()> {
    let document = Subject::Runs(std::slice::from_ref(run)).document(View::Full);
    document.figures.into_iter().try_for_each(|figures| {
        let FigureRow { workload, stage, role, in_flight, held, operations, rate, interval, bytes, .. } = figures;
        let mut cells = vec![text(&run.record.id), text(&run.record.started)];
        cells.extend([text(workload), text(stage), text(role), int(in_flight), Cell::Flag(held), int(operations)]);
        cells.extend([rate, interval.map(|i| i.0), interval.map(|i| i.1), bytes].map(Cell::Float));
        cells.extend(figures.times.map(nanos));
        cells.extend([int(figures.errors), text(figures.caveats), text(figures.struck)]);
        row(cells)
    })
}

/// Returns the first columns of a step: run, step, stage and workload.
fn step_cells(record: &RunRecord, number: usize, step: &Step) -> [Cell; 4] {
    let stage = record.plan.stages.get(step.stage).map_or("", |stage| &stage.name);
    [text(&record.id), int(number as u64), text(stage), text(step.job.workload.label())]
}

fn intervals(run: &ReportedRun<'_>, row: PushRow<'_>) -> io::Result<()> {
    for (number, step) in run.record.steps.iter().enumerate() {
        let first = step_cells(run.record, number, step);
        for interval in &step.intervals {
            for op in Op::ALL {
                let stats = interval.op(op);
                let (tally, latency) = (&stats.tally, &stats.latency);
                if tally.ops == 0 && tally.failed() == 0 {
                    continue;
                }
                let mut cells = first.to_vec();
                cells.extend([word(interval.phase), nanos(interval.start), nanos(interval.length), text(op.name())]);
                cells.extend([int(tally.ops), int(tally.bytes), int(tally.failed()), nanos(latency.mean())]);
                cells.extend([50.0, 99.0].map(|p| nanos(latency.percentile(p).value())));
                cells.push(nanos(latency.max()));
                row(cells)?;
            }
        }
    }
    Ok(())
}

fn histograms(run: &ReportedRun<'_>, row: PushRow<'_>) -> io::Result<()> {
    for (number, step) in run.record.steps.iter().enumerate() {
        let first = step_cells(run.record, number, step);
        for op in Op::ALL {
            let counted = || step.measured().chain(step.drained()).map(|interval| interval.op(op));
            let service: LatencyHistogram = counted().map(|stats| &stats.latency).sum();
            let response: LatencyHistogram = counted().map(|stats| &stats.response).sum();
            for (name, histogram) in [("service", service), ("response", response)] {
                for (bucket, count) in histogram.buckets() {
                    let (low, width) = bucket_bounds(bucket);
                    let mut cells = first.to_vec();
                    cells.extend([text(op.name()), text(name), int(low), int(low + width), int(count)]);
                    row(cells)?;
                }
            }
        }
    }
    Ok(())
}

fn series(run: &ReportedRun<'_>, row: PushRow<'_>) -> io::Result<()> {
    for series in &run.record.series {
        for (at, value) in &series.points {
            let names = [text(&run.record.id), text(&series.name), text(&series.unit), word(series.layer)];
            row(Vec::from(names).into_iter().chain([nanos(*at), Cell::Float(Some(*value))]).collect())?;
        }
    }
    Ok(())
}

/// Tables in a build without the feature `parquet`: there are none.
#[cfg(not(feature = "parquet"))]
pub enum ParquetTables {}

#[cfg(not(feature = "parquet"))]
impl ParquetTables {
    /// Rejects the format.
    ///
    /// # Errors
    /// Returns an error in every case.
    pub fn new() -> io::Result<Self> {
        Err(io::Error::other("this build does not support Parquet (it was built without the feature `parquet`)"))
    }

    /// Adds a run.
    ///
    /// # Errors
    /// Returns no error.
    pub fn add(&mut self, _: &ReportedRun<'_>) -> io::Result<()> {
        match *self {}
    }

    /// Returns the contents of each file, with its table.
    ///
    /// # Errors
    /// Returns no error.
    pub fn finish(self) -> io::Result<Vec<(&'static RunTable, Vec<u8>)>> {
        match self {}
    }
}
