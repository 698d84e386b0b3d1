//! Output of the four versions of PerfTools' `Export`.
//!
//! | version | tables | fields end with | rates of a batch |
//! |---|---|---|---|
//! | V0 (2016 to 2019) | RanRead | a tab | mean over workers of 1000 / response time x processes |
//! | V1 (2022) | RanRead, RanWrite | a comma | the same |
//! | V2 (2023) | RanRead, RanWrite | a comma | sum over workers of operations / time |
//! | V3 (2024 to 2026) | RanRead, RanWrite, RanIO | a comma | sums of reads / time and of writes / time |
//!
//! The separator follows every field, including the last. In V3 each class defines standard deviations differently:
//! RanRead divides the deviation of reads by their mean, but not the deviation of writes; RanWrite does the opposite;
//! RanIO uses the sample standard deviation. Columns that a class does not fill are empty.

use super::number::{average, canonical, deviation, over, round, sample_deviation};
use super::{Batch, Export, Worker};
use std::io::{self, Write};

pub(super) const V0: Export = Export {
    name: "perftools-v0",
    classes: &["RanRead"],
    write: |batches, out| by_response(batches, "\t", 3, IopsOf::ResponseTime, out),
};

pub(super) const V1: Export = Export {
    name: "perftools-v1",
    classes: &["RanRead", "RanWrite"],
    write: |batches, out| by_response(batches, ",", 3, IopsOf::ResponseTime, out),
};

pub(super) const V2: Export = Export {
    name: "perftools-v2",
    classes: &["RanRead", "RanWrite"],
    write: |batches, out| by_response(batches, ",", 4, IopsOf::Time, out),
};

pub(super) const V3: Export = Export { name: "perftools-v3", classes: &super::CLASSES, write: separate };

/// Writes the rows of version 3, with separate reads and writes.
fn separate(batches: &[&Batch], out: &mut dyn Write) -> io::Result<()> {
    let mixed = batches.first().is_some_and(|b| b.class == "RanIO");
    let middle: &[&str] = match mixed {
        true => &["StdDevRPS", "StdDevWPS", "CVReads", "CVWrites", "CVReadsPerS", "CVWritesPerS"],
        false => &[],
    };
    let head = ["RunDate", "RunTime", "Database", "Namespace", "Reads", "Writes", "ReadsPS", "WritesPS"];
    let names = head.iter().chain(&["StdDevR", "StdDevW"]).chain(middle).chain(&["Processes", "ReadPct"]);
    line(names.map(|n| (*n).to_owned()), ",", out)?;
    batches.iter().try_for_each(|b| line(third(b), ",", out))
}

fn line(fields: impl IntoIterator<Item = String>, mark: &str, out: &mut dyn Write) -> io::Result<()> {
    for field in fields {
        write!(out, "{field}{mark}")?;
    }
    writeln!(out)
}

/// Source of a worker's IOPS.
#[derive(Clone, Copy)]
enum IopsOf {
    /// 1000 / response time x processes, an estimate for the whole batch; averaged over workers.
    ResponseTime,
    /// Operations / time of the worker; summed over workers.
    Time,
}

/// Converts to a stored `%Integer`: decimals are truncated.
fn integer(value: f64) -> f64 {
    if value.is_finite() { value.trunc() } else { 0.0 }
}

/// Writes the rows of versions 0 to 2: a response time, and IOPS derived from it or computed separately.
fn by_response(batches: &[&Batch], mark: &str, decimals: usize, of: IopsOf, out: &mut dyn Write) -> io::Result<()> {
    // RanWrite had no column for the directory in these versions.
    let place = if batches.first().is_some_and(|b| b.class == "RanWrite") { "Namespace" } else { "Database" };
    let names = ["RunDate", "RunTime", place, "Iterations", "Processes", "ResponseTime", "IOPS"];
    line(names.map(str::to_owned), mark, out)?;
    for batch in batches {
        let response = |w: &Worker| round(w.seconds() / w.done() as f64 * 1000.0, decimals);
        let workers: Vec<&Worker> = batch.workers.iter().filter(|w| w.done() > 0).collect();
        let times: Vec<f64> = workers.iter().map(|w| response(w)).collect();
        // A response time that rounds to zero has no IOPS: PerfTools fails with an error.
        let iops = match of {
            IopsOf::ResponseTime => {
                let one = |r: &f64| (*r > 0.0).then(|| integer(1000.0 / r * f64::from(batch.processes)));
                average(&times.iter().filter_map(one).collect::<Vec<_>>())
            }
            IopsOf::Time => Some(workers.iter().map(|w| integer(w.done() as f64 / w.seconds())).sum()),
        };
        let fields = [
            batch.date.clone(),
            batch.time.clone(),
            if place == "Namespace" { batch.namespace.clone() } else { batch.database.clone() },
            // A query grouped by batch returns the value of the batch's first row.
            workers.first().map_or_else(String::new, |w| w.done().to_string()),
            batch.processes.to_string(),
            average(&times).map_or_else(String::new, |t| canonical(t, 2)),
            iops.map_or_else(String::new, |i| canonical(i, 0)),
        ];
        line(fields, mark, out)?;
    }
    Ok(())
}

/// Returns the fields of version 3. A class leaves the operations that it does not do unset, so they are in no sum.
fn third(batch: &Batch) -> Vec<String> {
    let values_of = |does: bool, f: fn(&Worker) -> f64| -> Vec<f64> {
        if does { batch.workers.iter().map(f).collect() } else { Vec::new() }
    };
    let (does_read, does_write) = (batch.class != "RanWrite", batch.class != "RanRead");
    let reads = values_of(does_read, |w| w.reads as f64);
    let writes = values_of(does_write, |w| w.writes as f64);
    let reads_ps = values_of(does_read, |w| integer(w.reads_per_sec()));
    let writes_ps = values_of(does_write, |w| integer(w.writes_per_sec()));
    let sum = |v: &[f64]| (!v.is_empty()).then(|| v.iter().sum::<f64>());
    let text = |v: Option<f64>, decimals| v.map_or_else(String::new, |v| canonical(v, decimals));
    let mut fields = vec![batch.date.clone(), batch.time.clone(), batch.database.clone(), batch.namespace.clone()];
    fields.extend([&reads, &writes, &reads_ps, &writes_ps].map(|v| text(sum(v), 0)));
    let relative = |v: &[f64], deviation: Option<f64>| over(deviation, average(v));
    let spread: Vec<Option<f64>> = match batch.class.as_str() {
        "RanRead" => vec![relative(&reads, deviation(&reads)), deviation(&writes)],
        "RanWrite" => vec![deviation(&reads), relative(&writes, deviation(&writes))],
        _ => {
            let columns = [&reads, &writes, &reads_ps, &writes_ps];
            let plain = columns.map(|v| sample_deviation(v));
            plain.into_iter().chain(columns.map(|v| relative(v, sample_deviation(v)))).collect()
        }
    };
    fields.extend(spread.into_iter().map(|v| text(v, 3)));
    fields.extend([batch.processes.to_string(), batch.read_percent.to_string()]);
    fields
}
