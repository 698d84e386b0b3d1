//! Options for logs, which have fio's file names and columns.

use crate::options::{Context, JobOptions, OptionSpec, option, put};
use crate::text;
use crate::value::{Kind, Value, words};
use crate::value_error::ValueError;
use model::Nanos;
use std::path::PathBuf;

/// Log files and their format.
#[derive(Debug, Clone, PartialEq)]
pub struct LogOptions {
    /// Prefix of the bandwidth log.
    pub bw: Option<PathBuf>,
    /// Prefix of the latency logs: total, completion, submission.
    pub lat: Option<PathBuf>,
    /// Prefix of the IOPS log.
    pub iops: Option<PathBuf>,
    /// Prefix of the histogram log.
    pub hist: Option<PathBuf>,
    /// Averaging window of the logs; 0 = every operation is logged.
    pub avg: Nanos,
    /// Interval between histograms; 0 = no histograms.
    pub hist_every: Nanos,
    /// Binary logarithm of the number of histogram buckets that are merged into one, 0 to 6.
    pub hist_coarseness: u8,
    /// Value that is logged for an averaging window.
    pub window: LogWindow,
    /// True if offsets are logged as well.
    pub offset: bool,
    /// True if priorities are logged as well.
    pub prio: bool,
    /// True if log files are compressed.
    pub compressed: bool,
    /// True if issue times are logged as well.
    pub issue_time: bool,
    /// True if log lines end after the size column.
    pub narrow: bool,
    /// True if file names contain the number of the clone.
    pub per_job: bool,
    /// True if times are taken from the real-time clock instead of being counted from the start.
    pub epoch: bool,
    /// Averaging window of the bandwidth line in the report.
    pub bw_window: Nanos,
    /// Averaging window of the IOPS line in the report.
    pub iops_window: Nanos,
}

impl Default for LogOptions {
    fn default() -> Self {
        LogOptions {
            bw: None,
            lat: None,
            iops: None,
            hist: None,
            avg: Nanos(0),
            hist_every: Nanos(0),
            hist_coarseness: 0,
            window: LogWindow::Average,
            offset: false,
            prio: false,
            compressed: false,
            issue_time: false,
            narrow: false,
            per_job: true,
            epoch: false,
            bw_window: Nanos::from_millis(500),
            iops_window: Nanos::from_millis(500),
        }
    }
}

words! {
    /// Value that is logged for an averaging window.
    LogWindow, default Average {
        Average = "avg" | "0": "average",
        Max = "max" | "1": "maximum",
        Both = "both": "average and maximum",
    }
}

/// Returns the prefix that a log option was given, or an empty path if the option has no value.
fn prefix(value: Value) -> Option<PathBuf> {
    match value {
        Value::Text(text) => Some(text::to_path(&text)),
        // An empty path means the job's name, which is not known yet.
        _ => Some(PathBuf::new()),
    }
}

fn set_bw(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    job.logs.bw = prefix(value);
    Ok(())
}

fn set_lat(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    job.logs.lat = prefix(value);
    Ok(())
}

fn set_iops(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    job.logs.iops = prefix(value);
    Ok(())
}

fn set_hist(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    job.logs.hist = prefix(value);
    Ok(())
}

fn set_max(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Bool(max) = value {
        job.logs.window = if max { LogWindow::Max } else { LogWindow::Average };
    }
    Ok(())
}

fn set_unix_epoch(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    job.logs.epoch = matches!(value, Value::Bool(true));
    Ok(())
}

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option(
        "write_bw_log",
        Kind::LOG,
        "",
        "Log bandwidth over time to `<prefix>_bw.<job>.log`; the default prefix is the job's name.",
    )
    .set(set_bw),
    option(
        "write_lat_log",
        Kind::LOG,
        "",
        "Log total, completion and submission latency over time to `<prefix>_lat`, `_clat` and `_slat.<job>.log`.",
    )
    .set(set_lat),
    option("write_iops_log", Kind::LOG, "", "Log IOPS over time to `<prefix>_iops.<job>.log`.").set(set_iops),
    option(
        "write_hist_log",
        Kind::LOG,
        "",
        "Log histograms of completion latency to `<prefix>_clat_hist.<job>.log` every `log_hist_msec`.",
    )
    .set(set_hist),
    option("log_avg_msec", Kind::MILLIS, "0", "Averaging window for log entries; 0 = one entry per operation.")
        .set(put!(logs.avg)),
    option("log_hist_msec", Kind::MILLIS, "0", "Interval between histograms; 0 = no histograms.")
        .set(put!(logs.hist_every)),
    option(
        "log_hist_coarseness",
        Kind::Int { min: 0, max: 6 },
        "0",
        "Merge 2^n neighbouring histogram buckets into one.",
    )
    .set(put!(logs.hist_coarseness)),
    option("log_max_value", Kind::Bool, "0", "Log the maximum of each window instead of the average.")
        .alias(&["log_max"])
        .set(set_max),
    option("log_window_value", Kind::words(LogWindow::WORDS), "avg", "Value to log for each window (fio 3.37).")
        .set(put!(logs.window)),
    option("log_offset", Kind::Bool, "0", "Include the offset in log entries for individual operations.")
        .set(put!(logs.offset)),
    option("log_prio", Kind::Bool, "0", "Log the priority class and level instead of a high-priority flag.")
        .set(put!(logs.prio)),
    option(
        "log_issue_time",
        Kind::Bool,
        "0",
        "Include the issue time in log entries for individual operations (fio 3.39).",
    )
    .set(put!(logs.issue_time)),
    option(
        "log_narrow",
        Kind::Bool,
        "0",
        "Log only fio 2's four columns (time, value, direction, block size), as fiologparser expects. secchi only.",
    )
    .set(put!(logs.narrow)),
    option(
        "per_job_logs",
        Kind::Bool,
        "1",
        "Include the job's number in log file names; with 0, jobs with the same prefix write to one file.",
    )
    .set(put!(logs.per_job)),
    option("log_unix_epoch", Kind::Bool, "0", "Log times relative to 1970 instead of the start.").set(set_unix_epoch),
    option(
        "log_alternate_epoch",
        Kind::Bool,
        "0",
        "Log times from the clock that `log_alternate_epoch_clock_id` selects.",
    )
    .set(set_unix_epoch),
    option(
        "log_alternate_epoch_clock_id",
        Kind::Bool,
        "0",
        "Clock for `log_alternate_epoch`; only 0 (real time) is supported.",
    )
    .kind(Kind::Words {
        words: &[crate::Word { name: "0", aliases: &[], help: "real time" }],
        refused: &[("1", "logs have the time since the start, or real time with log_unix_epoch")],
        argument: false,
    }),
    option(
        "log_entries",
        Kind::Int { min: 1024, max: 1_048_576 },
        "1024",
        "In fio: initial number of log entries in memory.",
    )
    .noted("job-noted-logs"),
    option("bwavgtime", Kind::MILLIS, "500", "Averaging window for the bandwidth line in the report.")
        .set(put!(logs.bw_window)),
    option("iopsavgtime", Kind::MILLIS, "500", "Averaging window for the IOPS line in the report.")
        .set(put!(logs.iops_window)),
    option("log_compression", Kind::Text, "", "In fio: compress the log in memory while the job runs.")
        .noted("job-noted-logs"),
    option("log_compression_cpus", Kind::Text, "", "In fio: CPUs for log compression.").noted("job-noted-logs"),
    option(
        "log_store_compressed",
        Kind::Bool,
        "0",
        "Compress log files, with names such as `PREFIX_bw.1.log.fz`; `--inflate-log` in secchi or fio prints them. \
         Histograms are not compressed.",
    )
    .set(put!(logs.compressed)),
];
