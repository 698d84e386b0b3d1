//! fio's outputs in the layout of fio 3.33: normal, terse, JSON, JSON with histograms, and its log files.
//!
//! All functions are pure: a record in, text out. `write_head` writes the text that fio prints before the load;
//! `write_result` writes the results, also for a run in progress (`--status-interval`), whose record is incomplete. If
//! fio computes a figure incorrectly, the field keeps fio's name and contains the correct value;
//! `book/src/reference/fio-output.md` lists these fields.

mod account;
mod buckets;
pub(crate) mod eta;
mod json;
pub mod logs;
mod moment;
mod normal;
mod number;
mod terse;
#[cfg(test)]
mod tests;
mod trust;

use crate::harmless;
use account::Accounts;
use messages::Language;
use model::{Nanos, RunRecord, measured::DiskUse};
use std::io::{self, Write};

/// Version of the layout, from which other programs know how to parse the output.
const LAYOUT: &str = "fio-3.33";

/// Output formats to write: fio's `--output-format`, which accepts several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outputs {
    /// True for the normal output, followed by the doubts.
    pub normal: bool,
    /// True for terse lines.
    pub terse: bool,
    /// True for the JSON document.
    pub json: bool,
    /// True if the JSON document includes histograms.
    pub bins: bool,
    /// Version of the terse lines, 2 to 5.
    pub terse_version: u8,
    /// Language of the block `TRUST`; all other text is fio's.
    pub language: Language,
}

impl Outputs {
    /// Normal output only: fio's default.
    pub const NORMAL: Outputs =
        Outputs { normal: true, terse: false, json: false, bins: false, terse_version: 3, language: Language::English };
}

/// Writes the text that fio prints before the load: the jobs, its version, the number of threads, files to be created.
/// Only the normal output has such lines.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_head(record: &RunRecord, outputs: Outputs, out: &mut dyn Write) -> io::Result<()> {
    if outputs.normal { normal::head(record, out) } else { Ok(()) }
}

/// Writes the figures in all selected formats, in fio's order: terse, JSON, normal with its `TRUST` block. The run may
/// still be in progress. `pid` is printed as the process ID of each job.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_result(record: &RunRecord, outputs: Outputs, pid: u32, out: &mut dyn Write) -> io::Result<()> {
    let accounts = Accounts::new(record);
    if outputs.terse {
        terse::write(record, &accounts, outputs.terse_version, out)?;
    }
    if outputs.json {
        writeln!(out, "{}", json::document(record, &accounts, outputs.bins).print())?;
    }
    if outputs.normal {
        normal::body(record, &accounts, pid, out)?;
        trust::write(record, &accounts, outputs.language, out)?;
    }
    Ok(())
}

/// Returns a version such as `fio-3.33-secchi-0.1.0`: readers look for `fio-` and the numbers after it and ignore a
/// suffix, because fio's own development builds have one.
fn version(record: &RunRecord) -> String {
    format!("{LAYOUT}-secchi-{}", harmless(&record.tool))
}

fn millis(time: Nanos) -> u64 {
    time.as_nanos() / 1_000_000
}

/// Returns the figures of the disks, unless no job requests them.
fn disks_of(record: &RunRecord) -> &[DiskUse] {
    let sections = record.plan.sections();
    if sections.is_empty() || sections.iter().any(|s| s.report.disks) { &record.disks } else { &[] }
}

/// Combines the devices below a device into one, as fio does: the mean of their counters and the highest utilisation.
fn together(disk: &DiskUse) -> DiskUse {
    let n = disk.slaves.len().max(1) as u64;
    let mean = |f: fn(&DiskUse) -> [u64; 2]| [0, 1].map(|way| disk.slaves.iter().map(|s| f(s)[way]).sum::<u64>() / n);
    let busiest = disk.slaves.iter().max_by(|a, b| a.util_percent().total_cmp(&b.util_percent()));
    DiskUse {
        name: disk.name.clone(),
        ops: mean(|s| s.ops),
        merges: mean(|s| s.merges),
        sectors: mean(|s| s.sectors),
        ticks: mean(|s| s.ticks.map(|t| t.as_nanos())).map(Nanos),
        in_queue: Nanos(disk.slaves.iter().map(|s| s.in_queue.as_nanos()).sum::<u64>() / n),
        busy: busiest.map_or(Nanos(0), |b| b.busy),
        length: busiest.map_or(Nanos(0), |b| b.length),
        slaves: Vec::new(),
        flushes: disk.slaves.iter().map(|s| s.flushes).sum(),
    }
}
