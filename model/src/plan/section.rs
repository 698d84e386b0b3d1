//! A section of a job file as written, the settings of its report, and the files that it needs.

use super::zero_for_none;
use crate::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// A section of a job file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Section {
    /// Name of the section.
    pub name: String,
    /// Options of the section itself, as typed and in order.
    pub options: Vec<(String, String)>,
    /// Options of the global sections that apply to the section, as typed and in order.
    pub globals: Vec<(String, String)>,
    /// Number of the section's reporting group, from 0.
    pub group: u32,
    /// True if the clones of the section are reported as one (fio's group_reporting).
    pub one_report: bool,
    /// Free text for the report.
    pub description: String,
    /// Settings for reporting the figures of the section.
    pub report: ReportSettings,
}

/// Settings for reporting the figures of a section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReportSettings {
    /// Percentiles in ascending order.
    pub percentiles: Vec<f64>,
    /// True if percentiles of the submission latency are reported (fio's slat_percentiles).
    pub slat_percentiles: bool,
    /// True if percentiles of the completion latency are reported (fio's clat_percentiles).
    pub clat_percentiles: bool,
    /// True if percentiles of the total latency are reported (fio's lat_percentiles).
    pub lat_percentiles: bool,
    /// Latency lines to omit: slat, clat, lat (fio's disable_*).
    pub without: [bool; 3],
    /// Rule for combining reads, writes and trims (fio's unified_rw_reporting).
    pub unified: Unified,
    /// Bytes per kilobyte: 1024 or 1000 (fio's kb_base).
    pub kb_base: u32,
    /// True if rates are in bits per second instead of bytes (fio's unit_base=1).
    pub bits: bool,
    /// Significant digits of a figure in the normal output (fio's significant_figures).
    pub significant_figures: u32,
    /// Number of decimals of percentile names in the normal output: that of the longest entry in fio's percentile_list.
    pub percentile_precision: u32,
    /// Length of a sample of the bandwidth line (fio's bwavgtime).
    pub bandwidth_sample: Nanos,
    /// Length of a sample of the IOPS line (fio's iopsavgtime).
    pub iops_sample: Nanos,
    /// Logs to write.
    pub logs: Logs,
    /// True if the figures of the section are reported at all (fio's stats).
    pub reported: bool,
    /// True if figures of the underlying disks are reported (fio's disk_util).
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

/// Percentiles that fio reports by default.
const FIO_PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

/// Values of fio's unified_rw_reporting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unified {
    /// Each direction separately.
    #[default]
    None,
    /// All directions combined, reported as reads.
    Mixed,
    /// Each direction separately, and all combined.
    Both,
}

/// fio's log files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Averaging period; `None` means that every operation is logged.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Nanos"))]
    pub average: Option<Nanos>,
    /// Value that represents an averaging period.
    pub value: LogValue,
    /// Period that a logged histogram covers.
    pub histogram_every: Nanos,
    /// Number of times that buckets are merged in pairs (fio's log_hist_coarseness).
    pub coarseness: u32,
    /// True if each clone has its own log file.
    pub per_job: bool,
    /// True if offsets are logged.
    pub offsets: bool,
    /// True if issue times are logged, in lines that describe single operations (fio's log_issue_time).
    pub issue_times: bool,
    /// True if wall-clock time is logged instead of time since the start (fio's log_unix_epoch).
    pub unix_time: bool,
    /// True if priorities are logged.
    pub priority: bool,
    /// True if each line ends after the size, as in fio 2.
    pub narrow: bool,
    /// True if files are compressed (fio's log_store_compressed).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compressed: bool,
}

/// Values of fio's log_max_value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LogValue {
    /// The mean.
    #[default]
    Mean,
    /// The maximum.
    Max,
    /// The mean and the maximum.
    Both,
}

/// A file that is prepared before the load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Layout {
    /// Resolved path.
    pub path: PathBuf,
    /// Size of the file after preparation, in bytes.
    pub size: Bytes,
    /// Method of allocating the file's space.
    pub reserve: Reserve,
    /// True if the file is written once in full, so that the load overwrites data and reads find data.
    pub write: bool,
    /// Byte ranges that `write` skips, in order. Their space is allocated, but the load is the first to write to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<Range<u64>>,
    /// True if the file is synced.
    pub durable: bool,
    /// True if the file already existed and is used unchanged.
    pub exists: bool,
    /// Indices of the stages that use the file.
    pub stages: Vec<usize>,
}

/// Method of allocating space for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reserve {
    /// No allocation.
    None,
    /// Allocation with fallocate.
    #[default]
    Allocate,
    /// Allocation with fallocate, without changing the size (FALLOC_FL_KEEP_SIZE).
    AllocateKeepSize,
    /// Setting only the size, which creates a sparse file.
    Truncate,
}
