//! Options for logs, which have fio's file names and columns.

use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, noted, only, option, put};
use crate::value::{Kind, Value, Word, words};
use crate::value_error::ValueError;
use model::Nanos;
use std::path::PathBuf;

/// Log files and their format.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogOptions {
    /// Prefix of the bandwidth log. As in the other logs, an empty path means the job's name.
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

words! {
    /// Value that is logged for an averaging window.
    LogWindow, default Average {
        Average = "avg" | "0": "average",
        Max = "max" | "1": "maximum",
        Both = "both": "average and maximum",
    }
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
    option("write_bw_log", Kind::OptionalPath, "", put!(logs.bw))
        .help("Log bandwidth over time to `<prefix>_bw.<job>.log`; the default prefix is the job's name."),
    option("write_lat_log", Kind::OptionalPath, "", put!(logs.lat)).help(
        "Log total, completion and submission latency over time to `<prefix>_lat`, `_clat` and `_slat.<job>.log`.",
    ),
    option("write_iops_log", Kind::OptionalPath, "", put!(logs.iops))
        .help("Log IOPS over time to `<prefix>_iops.<job>.log`."),
    option("write_hist_log", Kind::OptionalPath, "", put!(logs.hist))
        .help("Log histograms of completion latency to `<prefix>_clat_hist.<job>.log` every `log_hist_msec`."),
    option("log_avg_msec", Kind::MILLIS, "0", put!(logs.avg))
        .help("Averaging window for log entries; 0 = one entry per operation."),
    option("log_hist_msec", Kind::MILLIS, "0", put!(logs.hist_every))
        .help("Interval between histograms; 0 = no histograms."),
    option("log_hist_coarseness", Kind::Int { min: 0, max: 6 }, "0", put!(logs.hist_coarseness))
        .help("Merge 2^n neighbouring histogram buckets into one."),
    option("log_max_value", Kind::Bool, "0", Job(set_max))
        .alias(&["log_max"])
        .help("Log the maximum of each window instead of the average."),
    option("log_window_value", Kind::words(LogWindow::WORDS), "avg", put!(logs.window))
        .help("Value to log for each window (fio 3.37)."),
    option("log_offset", Kind::Bool, "0", put!(logs.offset))
        .help("Include the offset in log entries for individual operations."),
    option("log_prio", Kind::Bool, "0", put!(logs.prio))
        .help("Log the priority class and level instead of a high-priority flag."),
    option("log_issue_time", Kind::Bool, "0", put!(logs.issue_time))
        .help("Include the issue time in log entries for individual operations (fio 3.39)."),
    option("log_narrow", Kind::Bool, "0", put!(logs.narrow)).help(
        "Log only fio 2's four columns (time, value, direction, block size), as fiologparser expects. secchi only.",
    ),
    option("per_job_logs", Kind::Bool, "1", put!(logs.per_job))
        .help("Include the job's number in log file names; with 0, jobs with the same prefix write to one file."),
    option("log_unix_epoch", Kind::Bool, "0", Job(set_unix_epoch))
        .help("Log times relative to 1970 instead of the start."),
    option("log_alternate_epoch", Kind::Bool, "0", Job(set_unix_epoch))
        .help("Log times from the clock that `log_alternate_epoch_clock_id` selects."),
    only(
        "log_alternate_epoch_clock_id",
        &[Word::new("0", "real time")],
        &[("1", "logs have the time since the start, or real time with log_unix_epoch")],
    )
    .help("Clock for `log_alternate_epoch`; only 0 (real time) is supported."),
    noted("log_entries", Kind::Int { min: 1024, max: 1_048_576 }, "1024", "job-noted-logs")
        .help("In fio: initial number of log entries in memory."),
    option("bwavgtime", Kind::MILLIS, "500", put!(logs.bw_window))
        .help("Averaging window for the bandwidth line in the report."),
    option("iopsavgtime", Kind::MILLIS, "500", put!(logs.iops_window))
        .help("Averaging window for the IOPS line in the report."),
    noted("log_compression", Kind::Text, "", "job-noted-logs")
        .help("In fio: compress the log in memory while the job runs."),
    noted("log_compression_cpus", Kind::Text, "", "job-noted-logs").help("In fio: CPUs for log compression."),
    option("log_store_compressed", Kind::Bool, "0", put!(logs.compressed)).help(
        "Compress log files, with names such as `PREFIX_bw.1.log.fz`; `--inflate-log` in secchi or fio prints them. \
         Histograms are not compressed.",
    ),
];
