//! Contents of a job's report.

use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, noted, option, put, refuse};
use crate::value::{Kind, Value, words};
use crate::value_error::ValueError;

/// Contents and units of a job's report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportOptions {
    /// True if the jobs in a group share one report.
    pub group_reporting: bool,
    /// True if a group begins at this job.
    pub new_group: bool,
    /// True if the job's results are reported.
    pub stats: bool,
    /// True if percentiles of completion latency are reported.
    pub clat_percentiles: bool,
    /// True if percentiles of total latency are reported.
    pub lat_percentiles: bool,
    /// True if percentiles of submission latency are reported.
    pub slat_percentiles: bool,
    /// Reported percentiles in ascending order, at most 20.
    pub percentile_list: Vec<f64>,
    /// Number of significant digits in the normal output.
    pub significant_figures: u8,
    /// True if figures for the underlying disks are reported.
    pub disk_util: bool,
    /// Combination of reads, writes and trims into one result.
    pub unified: UnifiedRw,
}

words! {
    /// Combination of reads, writes and trims into one result.
    UnifiedRw, default None {
        None = "none" | "0": "reads, writes and trims separately",
        Mixed = "mixed" | "1": "all combined",
        Both = "both" | "2": "separately and combined",
    }
}

fn set_percentiles(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Floats(mut list) = value {
        list.sort_by(f64::total_cmp);
        list.dedup();
        job.report.percentile_list = list;
    }
    Ok(())
}

const PERCENTS: Kind = Kind::Floats { min: 0.0, max: 100.0, most: 20 };

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("group_reporting", Kind::Flag, "0", put!(report.group_reporting)).help(
        "Report all jobs in a group together instead of each clone. A group begins at `stonewall` or `new_group`.",
    ),
    option("new_group", Kind::Flag, "0", put!(report.new_group)).help("Start a new reporting group with this job."),
    option("stats", Kind::Bool, "1", put!(report.stats))
        .help("Include the job in the report; with 0, it runs but is not reported."),
    option("clat_percentiles", Kind::Bool, "1", put!(report.clat_percentiles))
        .help("Report percentiles of completion latency."),
    option("lat_percentiles", Kind::Bool, "0", put!(report.lat_percentiles))
        .help("Report percentiles of total latency."),
    option("slat_percentiles", Kind::Bool, "0", put!(report.slat_percentiles))
        .help("Report percentiles of submission latency."),
    option(
        "percentile_list",
        PERCENTS,
        "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
        Job(set_percentiles),
    )
    .help("Percentiles to report."),
    option("significant_figures", Kind::Int { min: 1, max: 10 }, "4", put!(report.significant_figures))
        .help("Number of significant digits in the normal output."),
    option("disk_util", Kind::Bool, "1", put!(report.disk_util))
        .help("Report the kernel's statistics for the underlying disks if at least one job sets this option."),
    option("unified_rw_reporting", Kind::words(UnifiedRw::WORDS), "none", put!(report.unified))
        .help("Report reads, writes and trims separately or combined."),
    noted("job_start_clock_id", Kind::from(0), "0", "job-noted-job-start")
        .help("In fio 3.38: clock for `job_start` in JSON."),
    refuse("block_error_percentiles", "failed operations are counted per error number (errno); leave this option out")
        .help("Report a histogram of blocks with failed trims."),
];
