//! Compares the exports with published rows, and with the published columns and formulas of each version.

use super::*;
use analysis::database_fixture as fixture;

fn worker(job: u32, reads: u64, writes: u64, ms: u64) -> Worker {
    Worker { job, database: String::new(), reads, writes, proc_time: Nanos::from_millis(ms) }
}

fn batch(class: &str, workers: Vec<Worker>) -> Batch {
    static BASE: std::sync::OnceLock<Batch> = std::sync::OnceLock::new();
    let base = || history(&[(fixture::reads(), analysis::judge(&fixture::reads()))]).remove(0);
    let mut batch = BASE.get_or_init(base).clone();
    batch.class = class.to_owned();
    batch.processes = workers.len() as u32;
    batch.workers = workers;
    batch.read_percent = match class {
        "RanRead" => 100,
        "RanWrite" => 0,
        _ => 70,
    };
    batch
}

fn written(name: &str, batches: &[&Batch]) -> String {
    let mut out = Vec::new();
    (export(name).expect("it is registered").write)(batches, &mut out).expect("a vector takes every byte");
    String::from_utf8(out).expect("text")
}

/// Returns workers with 30,000 reads each and these response times, in microseconds.
fn responding(micros: &[u64]) -> Vec<Worker> {
    (1..)
        .zip(micros)
        .map(|(job, us)| Worker { proc_time: Nanos(us * 30_000 * 1000), ..worker(job, 30_000, 0, 0) })
        .collect()
}

#[test]
fn the_first_published_row_comes_out_as_it_was_printed() {
    // The same document prints "average response time = .666ms" and "Calculated IOPS = 6006" for this run: the mean of
    // the workers' IOPS differs from the IOPS of their mean.
    let one = batch("RanRead", responding(&[665, 665, 666, 666]));
    let text = written("perftools-v0", &[&one]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "RunDate\tRunTime\tDatabase\tIterations\tProcesses\tResponseTime\tIOPS\t");
    assert_eq!(lines[1], "2026-11-21\t14:01:27\t/data/ran/\t30000\t4\t.67\t6011\t");
}

/// Returns every way to distribute `n` items over `places`.
fn spread(n: usize, places: usize) -> Vec<Vec<usize>> {
    if places == 1 {
        return vec![vec![n]];
    }
    let first = |k: usize| spread(n - k, places - 1).into_iter().map(move |rest| [vec![k], rest].concat());
    (0..=n).rev().flat_map(first).collect()
}

#[test]
fn every_published_row_is_what_the_formula_makes_of_some_response_times() {
    let mut rows = 0;
    for line in include_str!("fixtures/ranread-sql.txt").lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [.., iterations, processes, response, iops] = fields.as_slice() else { continue };
        let (Ok(processes), Ok(response)) = (processes.parse::<usize>(), response.parse::<f64>()) else { continue };
        assert_eq!(*iterations, "30000");
        let is_possible = (100u64..3000).filter(|low| (*low as f64 / 1000.0 - response).abs() < 0.01).any(|low| {
            // `processes` workers, each with one of six response times of three decimals.
            spread(processes, 6).into_iter().any(|counts| {
                let times = || counts.iter().enumerate().flat_map(|(i, n)| std::iter::repeat_n(low + i as u64, *n));
                let whole: u64 = times().map(|t| 1_000_000 * processes as u64 / t).sum();
                let printed = (whole as f64 / processes as f64).round();
                // The cheap test comes first: only the few remaining candidates are exported.
                printed.to_string() == *iops && {
                    let times: Vec<u64> = times().collect();
                    let text = written("perftools-v0", &[&batch("RanRead", responding(&times))]);
                    let row: Vec<String> = text.lines().nth(1).unwrap().split('\t').map(str::to_owned).collect();
                    row[5].parse() == Ok(response) && row[6] == *iops
                }
            })
        });
        assert!(is_possible, "{line}");
        rows += 1;
    }
    assert_eq!(rows, 12);
}

#[test]
fn version_1_and_2_differ_in_decimals_and_in_what_iops_are() {
    let one = batch("RanRead", responding(&[665, 665, 666, 666]));
    assert_eq!(
        written("perftools-v1", &[&one]),
        "RunDate,RunTime,Database,Iterations,Processes,ResponseTime,IOPS,\n\
         2026-11-21,14:01:27,/data/ran/,30000,4,.67,6011,\n"
    );
    // IOPS are summed over the workers: 1503 + 1503 + 1501 + 1501.
    assert!(written("perftools-v2", &[&one]).ends_with(",30000,4,.67,6008,\n"));
    let writes = batch("RanWrite", vec![worker(1, 0, 600_000, 60_000), worker(2, 0, 630_000, 60_000)]);
    assert_eq!(
        written("perftools-v2", &[&writes]),
        "RunDate,RunTime,Namespace,Iterations,Processes,ResponseTime,IOPS,\n\
         2026-11-21,14:01:27,RAN,600000,2,.1,20500,\n"
    );
    assert_eq!(export("perftools-v0").unwrap().classes, ["RanRead"], "there was no RanWrite then");
}

#[test]
fn version_3_takes_a_deviation_for_each_class_as_its_query_does() {
    let reads = batch("RanRead", vec![worker(1, 1000, 0, 2000), worker(2, 3000, 0, 2000)]);
    let head = "RunDate,RunTime,Database,Namespace,Reads,Writes,ReadsPS,WritesPS,StdDevR,StdDevW,Processes,ReadPct,\n";
    // Population deviation 1000 divided by the mean 2000; operations that never occurred are empty, not 0.
    let expected = format!("{head}2026-11-21,14:01:27,/data/ran/,RAN,4000,,2000,,.5,,2,100,\n");
    assert_eq!(written("perftools-v3", &[&reads]), expected);
    let writes = batch("RanWrite", vec![worker(1, 0, 1000, 2000), worker(2, 0, 3000, 2000)]);
    assert!(written("perftools-v3", &[&writes]).ends_with(",/data/ran/,RAN,,4000,,2000,,.5,2,0,\n"));
    let mixed = batch("RanIO", vec![worker(1, 700, 300, 1000), worker(2, 900, 100, 1000)]);
    let text = written("perftools-v3", &[&mixed]);
    let (names, row) = text.split_once('\n').unwrap();
    assert!(
        names.ends_with(
            "StdDevR,StdDevW,StdDevRPS,StdDevWPS,CVReads,CVWrites,CVReadsPerS,CVWritesPerS,Processes,ReadPct,"
        )
    );
    // Sample standard deviation: sqrt(2 * 100^2) = 141.421.
    let expected = "RAN,1600,400,1600,400,141.421,141.421,141.421,141.421,.177,.707,.177,.707,2,70,\n";
    assert!(row.ends_with(expected), "{row}");
}

#[test]
fn a_worker_that_did_nothing_breaks_no_export() {
    for class in CLASSES {
        let idle = batch(class, vec![worker(1, 0, 0, 0)]);
        for e in EXPORTS {
            let text = written(e.name, &[&idle]);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{}: {text}", e.name);
        }
    }
}

#[test]
fn files_are_named_as_perftools_names_them() {
    let name = |class| file_name(class, "2022-10-23T14:08:59+09:00");
    assert_eq!(name("RanRead"), "PerfToolsRanRead_20221023-1408.txt");
    assert_eq!(name("RanIO"), "PerfToolsRanIO_20221023-1408.csv");
}

#[test]
fn a_history_numbers_each_wave_in_order_of_time() {
    let run = |mut record: RunRecord, started: &str| {
        record.started = started.to_owned();
        let judgement = analysis::judge(&record);
        (record, judgement)
    };
    let late = run(fixture::updates(), "2026-11-21T16:00:00+00:00");
    let early = run(fixture::ramp(), "2026-11-21T23:59:50+09:00");
    let batches = history(&[late, early]);
    let rows: Vec<(u32, &str, u32, &str)> =
        batches.iter().map(|b| (b.number, b.class.as_str(), b.processes, b.time.as_str())).collect();
    let expected = [
        (1, "RanRead", 1, "23:59:50"),
        (2, "RanRead", 4, "23:59:56"),
        (3, "RanRead", 8, "00:00:03"),
        (4, "RanRead", 16, "00:00:09"),
        (5, "RanWrite", 4, "16:00:00"),
    ];
    assert_eq!(rows, expected);
    assert_eq!((batches[1].date.as_str(), batches[2].date.as_str()), ("2026-11-21", "2026-11-22"));
    assert_eq!(batches[0].physical, Physical::default(), "what a whole ramp did is no batch's");
    assert_eq!(batches[4].physical.device_flushes, Some(2_998));
    assert_eq!(batches[4].physical.engine_writes, Some(31_416));
}

#[test]
fn our_own_table_has_perftools_columns_first_and_no_mark_behind_the_last() {
    let runs: Vec<(RunRecord, Judgement)> =
        [fixture::reads(), fixture::updates()].into_iter().map(|r| (r.clone(), analysis::judge(&r))).collect();
    let batches = history(&runs);
    let text = written("csv", &batches.iter().collect::<Vec<_>>());
    assert!(text.starts_with(
        "RunDate,RunTime,Database,Namespace,Reads,Writes,ReadsPS,WritesPS,StdDevR,StdDevW,Processes,ReadPct,Engine,"
    ));
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows.iter().all(|r| !r.ends_with(',')), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_document_of_a_history_reads_back() {
    let record = fixture::updates();
    let batches = history(&[(record.clone(), analysis::judge(&record))]);
    let back: serde_json::Value = serde_json::from_str(&written("json", &[&batches[0]])).expect("JSON");
    assert_eq!(back["history"][0]["class"], "RanWrite");
    assert_eq!(back["history"][0]["workers"].as_array().map(Vec::len), Some(4));
    assert_eq!(back["history"][0]["commits"]["count"], 2880);
}

#[test]
fn tables_have_a_row_for_each_worker_and_one_for_each_batch() {
    let record = fixture::ramp();
    let batches = history(&[(record.clone(), analysis::judge(&record))]);
    let tables = tables(&batches);
    let rows: Vec<(&str, usize)> = tables.iter().map(|t| (t.name.as_str(), t.rows.len())).collect();
    assert_eq!(rows, [("RanRead", 29), ("RanWrite", 0), ("RanIO", 0), ("run", 4)]);
    assert!(tables.iter().all(|t| t.rows.iter().all(|r| r.len() == t.columns.len())));
}
