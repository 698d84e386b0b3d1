//! fio's outputs, as fio 3.33 lays them out: normal, terse, JSON, JSON with histograms, and its log files.
//!
//! Pure: a record in, text out. `write_head` gives what fio prints before the load, `write_result` what it prints
//! after, or for a look at a run that still runs (`--status-interval`): the record need not be complete. Where fio's
//! figures and the record's truth differ the field keeps fio's name and holds the truth; `docs/fio-output.md` lists
//! these.

mod account;
mod buckets;
pub(crate) mod eta;
mod json;
pub mod logs;
mod moment;
mod normal;
mod number;
mod options;
mod terse;
#[cfg(test)]
mod tests;
mod trust;

use account::Accounts;
use messages::Language;
use model::{DiskUse, Nanos, RunRecord};
use std::io::{self, Write};
use std::str::FromStr;

/// The layout that is followed; readers find their way by it.
const LAYOUT: &str = "fio-3.33";

/// What is written: fio's `--output-format`, several at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outputs {
    /// The normal output, and behind it what is doubtful.
    pub normal: bool,
    /// Terse lines.
    pub terse: bool,
    /// The JSON document.
    pub json: bool,
    /// With histograms in it.
    pub bins: bool,
    /// Version of the terse lines, 2 to 5.
    pub terse_version: u8,
    /// Of the block `TRUST`: all else is fio's, in fio's words.
    pub language: Language,
}

impl Outputs {
    /// Only the normal output: fio's default.
    pub const NORMAL: Outputs =
        Outputs { normal: true, terse: false, json: false, bins: false, terse_version: 3, language: Language::English };
}

/// Why an `--output-format` could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownOutput(pub String);

impl std::fmt::Display for UnknownOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "unknown output format `{}`: normal, terse (or minimal), json, json+, several with commas",
            clean_text(&self.0)
        )
    }
}

impl std::error::Error for UnknownOutput {}

impl FromStr for Outputs {
    type Err = UnknownOutput;

    /// Reads `normal,json`. The terse version stays at 3.
    fn from_str(text: &str) -> Result<Self, UnknownOutput> {
        let mut outputs = Outputs { normal: false, ..Outputs::NORMAL };
        for word in text.split(',').map(str::trim) {
            match word {
                "normal" => outputs.normal = true,
                "terse" | "minimal" => outputs.terse = true,
                "json" => outputs.json = true,
                "json+" => (outputs.json, outputs.bins) = (true, true),
                _ => return Err(UnknownOutput(model::clip(word))),
            }
        }
        Ok(outputs)
    }
}

/// Writes what fio prints before the load: the jobs, its version, the number of threads, files to be made. Only the
/// normal output has such lines.
///
/// # Errors
/// Those of `out`.
pub fn write_head(record: &RunRecord, outputs: Outputs, out: &mut dyn Write) -> io::Result<()> {
    if outputs.normal { normal::head(record, out) } else { Ok(()) }
}

/// Writes the figures in all chosen formats, in fio's order: terse, JSON, normal with its `TRUST` block. The record may
/// be that of a run that goes on. `pid` is printed as fio prints that of a job.
///
/// # Errors
/// Those of `out`.
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

/// `fio-3.33-secchi-0.1.0`: readers look for `fio-` and the numbers behind it, and pass over a suffix, for fio's own
/// builds between releases have one.
fn version(record: &RunRecord) -> String {
    format!("{LAYOUT}-secchi-{}", clean_text(&record.tool))
}

/// Foreign text on one line, without characters that could steer a terminal.
fn clean_text(text: &str) -> String {
    crate::widgets::sanitise::clean(text, true)
}

fn millis(time: Nanos) -> u64 {
    time.as_nanos() / 1_000_000
}

/// Figures of the disks, unless no job wants them.
fn disks_of(record: &RunRecord) -> &[DiskUse] {
    let sections = &record.plan.sections;
    if sections.is_empty() || sections.iter().any(|s| s.telling.disks) { &record.disks } else { &[] }
}

/// The devices a device is made of, as one: fio's mean of their counters, and the highest utilisation.
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
