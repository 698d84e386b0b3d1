//! Runs that took place at the same time, on one time axis: for example database reads and writes started in two
//! terminals.

use super::history::HistoryAnswer;
use crate::formats::perftools::Cell;
use crate::formats::perftools::moment::instant;
use jiff::tz::TimeZone;
use model::{Op, RunRecord, measured::Phase, record::db_class};

/// Work of one run in one second of wall-clock time.
#[derive(Debug, Clone, Copy, Default)]
struct Second {
    ops: f64,
    /// Sum of the latencies of reads and updates, in nanoseconds.
    latency: f64,
}

/// Returns a row for each second of wall-clock time, with the rate and mean latency of each run and the sum of the
/// rates. Each interval is divided among the seconds that it overlaps, so rows add up to the total. The start times of
/// runs are known only to the second.
#[must_use]
pub fn side_by_side(runs: &[RunRecord]) -> HistoryAnswer {
    let begun = |run: &RunRecord| instant(&run.started).map_or(0, |t| t.as_nanosecond());
    let base = runs.iter().map(begun).min().unwrap_or(0);
    let series: Vec<Vec<Second>> = runs.iter().map(|run| seconds(run, (begun(run) - base) as f64)).collect();
    let mut columns = vec!["time".to_owned()];
    for (i, run) in runs.iter().enumerate() {
        let verb = run.database().map(|d| db_class(&d.verb)).unwrap_or_default();
        columns.push(format!("{} {verb}/s", i + 1));
        columns.push(format!("{} mean ms", i + 1));
    }
    columns.push("all/s".to_owned());
    let longest = series.iter().map(Vec::len).max().unwrap_or(0);
    let row = |second: usize| {
        let at = jiff::Timestamp::from_nanosecond(base + second as i128 * 1_000_000_000).unwrap_or_default();
        let mut row = vec![Cell::Text(at.to_zoned(TimeZone::UTC).strftime("%H:%M:%S").to_string())];
        let mut sum = 0.0;
        for run in &series {
            let tally = run.get(second).copied().unwrap_or_default();
            sum += tally.ops;
            row.push(Cell::Real(tally.ops.round()));
            row.push(if tally.ops > 0.0 { Cell::Real(tally.latency / tally.ops / 1e6) } else { Cell::Null });
        }
        row.push(Cell::Real(sum.round()));
        row
    };
    HistoryAnswer { columns, rows: (0..longest).map(row).collect() }
}

/// Returns the work of a run by second. The run began `late` nanoseconds after the first run.
fn seconds(run: &RunRecord, late: f64) -> Vec<Second> {
    let mut seconds = Vec::new();
    let intervals =
        run.steps.iter().flat_map(|s| &s.intervals).filter(|i| i.phase == Phase::Measure && !i.length.is_zero());
    for interval in intervals {
        let from = (late + interval.start.as_nanos() as f64) / 1e9;
        let length = interval.length.secs();
        let (reads, updates) = (&interval.op(Op::Read).latency, &interval.op(Op::Write).latency);
        let ops = interval.data_ops() as f64;
        let latency = (reads.summary().sum + updates.summary().sum) as f64;
        let mut at = from;
        while at < from + length - 1e-9 {
            let second = at.floor();
            let end = (second + 1.0).min(from + length);
            let share = (end - at) / length;
            let index = second as usize;
            if seconds.len() <= index {
                seconds.resize(index + 1, Second::default());
            }
            seconds[index].ops += ops * share;
            seconds[index].latency += latency * share;
            at = end.max(at + 1e-6);
        }
    }
    seconds
}
