//! A section of a job file as its author wrote it, how its figures are to be told, and the files it needs.

use super::zero_for_none;
use crate::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// A section of a job file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Options of the section itself, as typed, in order.
    pub options: Vec<(String, String)>,
    /// Options of the globals that were in force, as typed, in order.
    pub globals: Vec<(String, String)>,
    /// Number of its reporting group, from 0.
    pub group: u32,
    /// Whether its clones are reported as one (fio's group_reporting).
    pub one_report: bool,
    /// Free text for the report.
    pub description: String,
    /// How its figures are told.
    pub telling: ReportSettings,
}

/// How figures of a section are told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportSettings {
    /// Percentiles, rising.
    pub percentiles: Vec<f64>,
    /// Percentiles of the time to accept (fio's slat_percentiles).
    pub slat_percentiles: bool,
    /// Percentiles of the completion time (fio's clat_percentiles).
    pub clat_percentiles: bool,
    /// Percentiles of the total time (fio's lat_percentiles).
    pub lat_percentiles: bool,
    /// Latency lines left out: slat, clat, lat (fio's disable_*).
    pub without: [bool; 3],
    /// Reads, writes and trims as one (fio's unified_rw_reporting): as one, or as one beside each.
    pub unified: Unified,
    /// Bytes of a kilo: 1024 or 1000 (fio's kb_base).
    pub kb_base: u32,
    /// Bits per second instead of bytes (fio's unit_base=1).
    pub bits: bool,
    /// Digits of a figure in the normal output (fio's significant_figures).
    pub significant_figures: u32,
    /// Decimals of a percentile's name in the normal output: as many as the longest of fio's percentile_list has.
    pub percentile_precision: u32,
    /// Length of a sample of the bandwidth line (fio's bwavgtime).
    pub bandwidth_sample: Nanos,
    /// Length of a sample of the IOPS line (fio's iopsavgtime).
    pub iops_sample: Nanos,
    /// Logs to be written.
    pub logs: Logs,
    /// Whether its figures are told at all (fio's stats).
    pub reported: bool,
    /// Whether it wants those of the disks beneath (fio's disk_util).
    pub disks: bool,
}

impl Default for ReportSettings {
    fn default() -> Self {
        ReportSettings {
            percentiles: FIO_PERCENTILES.to_vec(),
            slat_percentiles: false,
            clat_percentiles: true,
            lat_percentiles: false,
            without: [false; 3],
            unified: Unified::None,
            kb_base: 1024,
            bits: false,
            significant_figures: 4,
            percentile_precision: 2,
            bandwidth_sample: Nanos::from_millis(500),
            iops_sample: Nanos::from_millis(500),
            logs: Logs::default(),
            reported: true,
            disks: true,
        }
    }
}

/// Percentiles fio tells by default.
pub const FIO_PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

/// fio's unified_rw_reporting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unified {
    /// Each direction by itself.
    #[default]
    None,
    /// All as one, told as reads.
    Mixed,
    /// Each, and all as one.
    Both,
}

/// fio's log files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Logs {
    /// Prefix of the bandwidth log.
    pub bandwidth: Option<String>,
    /// Prefix of the IOPS log.
    pub iops: Option<String>,
    /// Prefix of the latency logs: slat, clat, lat.
    pub latency: Option<String>,
    /// Prefix of the histogram log.
    pub histogram: Option<String>,
    /// Length of an average; `None` = every operation.
    #[serde(with = "zero_for_none")]
    pub average: Option<Nanos>,
    /// How an average is taken.
    pub value: LogValue,
    /// Length of a histogram.
    pub histogram_every: Nanos,
    /// Buckets are merged so many times in pairs (fio's log_hist_coarseness).
    pub coarseness: u32,
    /// One file per clone.
    pub per_job: bool,
    /// Offsets are logged.
    pub offsets: bool,
    /// Times of issue are logged, in lines of single operations (fio's log_issue_time).
    pub issue_times: bool,
    /// Wall-clock time instead of time since the start (fio's log_unix_epoch).
    pub unix_time: bool,
    /// Priorities are logged.
    pub priority: bool,
    /// Lines end after the size, as those of fio 2 did.
    #[serde(default)]
    pub narrow: bool,
    /// Files are compressed (fio's log_store_compressed).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compressed: bool,
}

/// fio's log_max_value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogValue {
    /// The mean.
    #[default]
    Mean,
    /// The largest.
    Max,
    /// The mean and the largest.
    Both,
}

/// A file made ready before the load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Where. Resolved.
    pub path: PathBuf,
    /// Its size afterwards.
    pub size: Bytes,
    /// How space is reserved.
    pub reserve: Reserve,
    /// Whether it is written through once, so that the load overwrites, and reads find data.
    pub write: bool,
    /// What `write` leaves out, in bytes and in order: space that is reserved and that the load is the first to write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<Range<u64>>,
    /// Whether it is made durable.
    pub durable: bool,
    /// Whether it stood there before and is used as it is.
    pub exists: bool,
    /// Stages that use it, as indices.
    pub stages: Vec<usize>,
}

/// How space for a file is reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reserve {
    /// Not at all.
    None,
    /// By fallocate.
    #[default]
    Allocate,
    /// By fallocate, the size kept (FALLOC_FL_KEEP_SIZE).
    AllocateKeepSize,
    /// By setting the size only: a sparse file.
    Truncate,
}
