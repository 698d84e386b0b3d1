//! Consecutive snapshots of `pg_stat_io` in PostgreSQL 16 and later. `psql` prints a snapshot for the query
//! `select now(), * from pg_stat_io`. The format is CSV or tab-separated text, with or without headings.
//!
//! Counters become rates over the interval between two snapshots. The rates are grouped by object: `data` for
//! relations, `temp` for temporary relations, `journal` for the WAL (18 and later). File extensions count as writes.
//! Times are call durations, if the server records them (`track_io_timing`).
//!
//! If counters were reset or the clock was set back, the interval between the two snapshots is skipped. Later samples
//! form another series with the same name.

use crate::format::Format;
use crate::text::dates;
use crate::text::delimited::fields;
use crate::text::series::{point, series};
use crate::text::source::{ImportError, Source, add_remark, pass_over};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, ForeignSeries, Quantity, Statistic, Way};
use std::collections::BTreeMap;

pub(crate) const FORMAT: Format = Format { name: "pg-stat-io", shares_a_log: false, recognise, read };

/// Columns of PostgreSQL 16 and 17 after the time, for text without a heading.
const COLUMNS_16: &str = "backend_type,object,context,reads,read_time,writes,write_time,writebacks,writeback_time,extends,\
                          extend_time,op_bytes,hits,evictions,reuses,fsyncs,fsync_time,stats_reset";
const COLUMNS_18: &str = "backend_type,object,context,reads,read_bytes,read_time,writes,write_bytes,write_time,writebacks,\
                          writeback_time,extends,extend_bytes,extend_time,hits,evictions,reuses,fsyncs,fsync_time,stats_reset";

/// Block size in bytes for versions whose view does not contain it.
const BLOCK: f64 = 8192.0;

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().take(50).any(|line| {
        let row = cells(line);
        is_head(&row) || columns_of(row.len()).is_some() && is_object(&row[2]) && time(&row[0]).is_some()
    })
}

fn is_head(row: &[String]) -> bool {
    ["backend_type", "object", "stats_reset"].iter().all(|name| row.iter().any(|cell| cell == name))
}

fn is_object(word: &str) -> bool {
    matches!(word, "relation" | "temp relation" | "wal")
}

fn cells(line: &str) -> Vec<String> {
    fields(line, if line.contains('\t') { '\t' } else { ',' })
}

fn columns_of(cells: usize) -> Option<Vec<String>> {
    let known = [COLUMNS_16, COLUMNS_18].into_iter().find(|columns| columns.split(',').count() + 1 == cells)?;
    Some(std::iter::once("now").chain(known.split(',')).map(str::to_owned).collect())
}

/// Parses a time such as `2026-11-26 05:23:15.123456+00` into seconds since 1970.
fn time(text: &str) -> Option<f64> {
    let whole = dates::iso(text.trim())? as f64;
    let behind = text.split_once('.').map_or("", |(_, rest)| rest);
    let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
    Some(whole + format!("0.{digits}0").parse::<f64>().unwrap_or(0.0))
}

/// Counters for one kind of operation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Counted {
    ops: f64,
    bytes: f64,
    /// Total time in milliseconds.
    time: f64,
}

/// Counters of one snapshot, by object and kind of operation. Extensions count as writes.
type Counters = BTreeMap<(&'static str, Way), Counted>;

#[derive(Debug, Clone, Default)]
struct Snapshot {
    at: f64,
    line: u32,
    /// Time of the latest counter reset, as printed.
    reset: String,
    /// Backend, object and context of each row. In a valid snapshot, no combination occurs twice.
    rows: Vec<String>,
    counters: Counters,
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "pg_stat_io".to_owned(), ..ForeignFile::default() };
    let mut columns: Vec<String> = Vec::new();
    let mut snapshots: Vec<Snapshot> = Vec::new();
    source.each_line(|number, line| {
        let row = cells(line);
        if is_head(&row) {
            columns = row;
            return;
        }
        if columns.len() != row.len() {
            columns = columns_of(row.len()).unwrap_or_default();
        }
        let Some(at) = row.first().and_then(|cell| time(cell)).filter(|_| columns.len() == row.len()) else {
            pass_over(&mut file.remarks, number, line);
            return;
        };
        if snapshots.last().is_none_or(|last| last.at != at) {
            snapshots.push(Snapshot { at, line: number, ..Snapshot::default() });
        }
        let snapshot = snapshots.last_mut().expect("just made");
        if !snapshot.take(&columns, &row) {
            pass_over(&mut file.remarks, number, line);
        }
    })?;
    let Some(first) = snapshots.first() else {
        return Err(ImportError("it contains no rows of pg_stat_io".to_owned()));
    };
    file.began = Some(first.at.floor() as i64);
    file.zone = Some(0);
    file.when = dates::rfc3339(first.at.max(0.0) as u64);
    if snapshots.len() == 1 {
        add_remark(&mut file.remarks, 0, || sentence!("import-pg-one"));
    }
    rates(&snapshots, &mut file);
    Ok(vec![file])
}

impl Snapshot {
    /// Adds a row. Returns `false` if its object is unknown or the row is a duplicate.
    fn take(&mut self, columns: &[String], row: &[String]) -> bool {
        let cell = |name: &str| columns.iter().position(|c| c == name).map_or("", |i| row[i].as_str());
        // Counters of operations that an object does not support are empty or `\N`.
        let count = |name: &str| cell(name).parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
        let role = match cell("object") {
            "relation" => "data",
            "temp relation" => "temp",
            "wal" => "journal",
            _ => return false,
        };
        let key = format!("{}\t{}\t{}", cell("backend_type"), cell("object"), cell("context"));
        if self.rows.contains(&key) {
            return false;
        }
        self.rows.push(key);
        // Rows may have been reset at different times. The latest reset counts.
        if cell("stats_reset") > self.reset.as_str() && cell("stats_reset") != "\\N" {
            cell("stats_reset").clone_into(&mut self.reset);
        }
        let each = count("op_bytes").unwrap_or(BLOCK);
        let operations = [
            (Way::Read, "reads", "read_bytes", "read_time"),
            (Way::Write, "writes", "write_bytes", "write_time"),
            (Way::Write, "extends", "extend_bytes", "extend_time"),
            (Way::Sync, "fsyncs", "", "fsync_time"),
        ];
        for (way, ops, bytes, time) in operations {
            let Some(ops) = count(ops) else { continue };
            let counted = self.counters.entry((role, way)).or_default();
            counted.ops += ops;
            counted.bytes += count(bytes).unwrap_or(ops * each);
            counted.time += count(time).unwrap_or(0.0);
        }
        true
    }

    /// Returns the reason why the interval since an earlier snapshot cannot be used, if any.
    fn step(&self, before: &Snapshot) -> Option<messages::Sentence> {
        if self.at < before.at {
            return Some(sentence!("import-pg-clock", seconds = format!("{:.0}", before.at - self.at)));
        }
        if self.reset != before.reset {
            return Some(sentence!("import-pg-reset", when = &self.reset));
        }
        let fell = |key: &(&str, Way), was: &Counted| self.counters.get(key).is_none_or(|is| is.ops < was.ops);
        before.counters.iter().any(|(key, was)| fell(key, was)).then(|| sentence!("import-pg-back"))
    }
}

/// Converts differences between snapshots to rates.
fn rates(snapshots: &[Snapshot], file: &mut ForeignFile) {
    let first = snapshots[0].at.floor();
    // Samples after the clock was set back are shifted by this number of seconds.
    let mut shift = 0.0;
    let mut open: BTreeMap<(&str, Way), Vec<ForeignSeries>> = BTreeMap::new();
    for pair in snapshots.windows(2) {
        let (before, now) = (&pair[0], &pair[1]);
        if let Some(reason) = now.step(before) {
            shift += (before.at - now.at).max(0.0);
            add_remark(&mut file.remarks, now.line, || reason);
            file.series.extend(std::mem::take(&mut open).into_values().flatten());
            continue;
        }
        let seconds = now.at - before.at;
        for ((role, way), is) in &now.counters {
            let was = before.counters.get(&(*role, *way)).copied().unwrap_or_default();
            let list = open.entry((*role, *way)).or_insert_with(|| new_series(role, *way, seconds));
            let ops = is.ops - was.ops;
            let waited = if ops > 0.0 { ((is.time - was.time) / ops).max(0.0) / 1e3 } else { 0.0 };
            let values = [ops / seconds, waited, (is.bytes - was.bytes).max(0.0) / seconds];
            for (series, value) in list.iter_mut().zip(values) {
                point(series, now.at + shift - first, value, now.line);
            }
        }
    }
    file.series.extend(open.into_values().flatten());
    // If the server records no times, all times are zero.
    let untimed =
        |s: &ForeignSeries| matches!(s.of, Some((_, Quantity::Latency(..)))) && s.points.iter().all(|p| p.value == 0.0);
    file.series.retain(|s| !untimed(s));
}

/// Creates the series for an object: operations, time per operation, and bytes. Fsyncs have no bytes.
fn new_series(role: &str, way: Way, period: f64) -> Vec<ForeignSeries> {
    let word = match way {
        Way::Read => "reads",
        Way::Sync => "fsyncs",
        _ => "writes",
    };
    let kinds = [
        ("", "1/s", Quantity::Iops(Statistic::Mean)),
        (" time", "s", Quantity::Latency(ForeignLatency::Total, Statistic::Mean)),
        (" bytes", "B/s", Quantity::Bandwidth(Statistic::Mean)),
    ];
    let list =
        kinds.into_iter().take(if way == Way::Sync { 2 } else { 3 }).map(|(what, unit, quantity)| ForeignSeries {
            instance: Some(role.to_owned()),
            period: Some(period),
            ..series(&format!("{role} {word}{what}"), unit, Some((way, quantity)))
        });
    list.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SNAPSHOTS: &str = include_str!("../../tests/data/pg_stat_io.csv");

    fn file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    fn points(file: &ForeignFile, name: &str) -> Vec<(f64, f64)> {
        let samples = file.series.iter().filter(|s| s.name == name).flat_map(|s| &s.points);
        samples.map(|p| (p.at, p.value)).collect()
    }

    /// Formats a snapshot of PostgreSQL 16: reads and writes of clients, writes of the checkpointer, and time of the
    /// last reset.
    fn snapshot(at: &str, [reads, writes, checkpoint]: [u32; 3], reset: &str) -> String {
        let row = |backend: &str, reads: &str, writes: u32| {
            format!("2026-11-26 {at}+00,{backend},relation,normal,{reads},0,{writes},0,0,0,2,0,8192,9,9,,0,0,{reset}\n")
        };
        row("client backend", &reads.to_string(), writes) + &row("checkpointer", "", checkpoint)
    }

    #[test]
    fn snapshots_become_rates_of_what_lies_between() {
        let text = [
            snapshot("05:00:00.5", [100, 10, 5], "a"),
            snapshot("05:00:10.5", [1100, 30, 45], "a"),
            snapshot("05:00:15.5", [1100, 30, 45], "a"),
        ];
        for text in [text.concat(), text.concat().replace(',', "\t").replace("\t\t", "\t\\N\t")] {
            let file = file(&text);
            assert_eq!((file.format.as_str(), file.remarks.len()), ("pg-stat-io", 0), "{:?}", file.remarks);
            assert_eq!(points(&file, "data reads"), [(10.5, 100.0), (15.5, 0.0)]);
            assert_eq!(points(&file, "data writes"), [(10.5, 6.0), (15.5, 0.0)]);
            assert_eq!(points(&file, "data reads bytes")[0].1, 819_200.0);
            assert!(points(&file, "data reads time").is_empty(), "nothing was timed");
            assert_eq!(file.series[0].period, Some(10.0));
        }
    }

    #[test]
    fn a_reset_and_a_clock_that_steps_back_are_steps() {
        let text = [
            snapshot("05:00:00", [100, 10, 5], "a"),
            snapshot("05:00:10", [200, 10, 5], "a"),
            snapshot("05:00:20", [50, 1, 1], "b"),
            snapshot("05:00:30", [70, 1, 1], "b"),
            snapshot("04:00:31", [80, 1, 1], "b"),
            snapshot("04:00:41", [380, 1, 1], "b"),
            snapshot("04:00:51", [7, 1, 1], "b"),
        ];
        let file = file(&text.concat());
        assert_eq!(points(&file, "data reads"), [(10.0, 10.0), (30.0, 2.0), (40.0, 30.0)]);
        let remarks: Vec<&str> = file.remarks.iter().map(|r| r.text.as_str()).collect();
        assert_eq!(remarks.len(), 3, "{remarks:?}");
        assert!(remarks[0].contains("reset at b") && remarks[1].contains("went back by 3599 s"), "{remarks:?}");
        assert!(remarks[2].contains("without a recorded reset"), "{remarks:?}");
    }

    #[test]
    fn one_snapshot_alone_is_told() {
        let file = file(&snapshot("05:00:00", [1, 1, 1], "a"));
        assert!(file.series.is_empty() && file.remarks[0].text.contains("only one snapshot"), "{file:?}");
    }

    #[test]
    fn those_of_18_tell_the_journal_and_bytes() {
        let file = file(SNAPSHOTS);
        assert!(points(&file, "journal writes").iter().any(|(_, rate)| *rate > 0.0), "{:?}", file.series);
        let (bytes, ops) = (points(&file, "data reads bytes"), points(&file, "data reads"));
        assert!(bytes.iter().zip(&ops).any(|((_, b), (_, n))| b / n >= 8192.0), "{bytes:?} {ops:?}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..SNAPSHOTS.len(), put in "[0-9,:\\t \\n.-]{0,12}") {
            if SNAPSHOTS.is_char_boundary(at) {
                let text = format!("{}{put}{}", &SNAPSHOTS[..at], &SNAPSHOTS[at..]);
                let _ = crate::read::read("x", text.as_bytes());
            }
        }
    }
}
