//! Contents of a job's report.

use crate::options::{Context, JobOptions, OptionSpec, option, put, refuse};
use crate::value::{Kind, Value, words};
use crate::value_error::ValueError;

/// Contents and units of a job's report.
#[derive(Debug, Clone, PartialEq)]
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

impl Default for ReportOptions {
    fn default() -> Self {
        ReportOptions {
            group_reporting: false,
            new_group: false,
            stats: true,
            clat_percentiles: true,
            lat_percentiles: false,
            slat_percentiles: false,
            percentile_list: PERCENTILES.to_vec(),
            significant_figures: 4,
            disk_util: true,
            unified: UnifiedRw::None,
        }
    }
}

/// Percentiles that are reported by default.
pub const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

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
    option(
        "group_reporting",
        Kind::Flag,
        "0",
        "Report all jobs in a group together instead of each clone. A group begins at `stonewall` or `new_group`.",
    )
    .set(put!(report.group_reporting)),
    option("new_group", Kind::Flag, "0", "Start a new reporting group with this job.").set(put!(report.new_group)),
    option("stats", Kind::Bool, "1", "Include the job in the report; with 0, it runs but is not reported.")
        .set(put!(report.stats)),
    option("clat_percentiles", Kind::Bool, "1", "Report percentiles of completion latency.")
        .set(put!(report.clat_percentiles)),
    option("lat_percentiles", Kind::Bool, "0", "Report percentiles of total latency.")
        .set(put!(report.lat_percentiles)),
    option("slat_percentiles", Kind::Bool, "0", "Report percentiles of submission latency.")
        .set(put!(report.slat_percentiles)),
    option(
        "percentile_list",
        PERCENTS,
        "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
        "Percentiles to report.",
    )
    .set(set_percentiles),
    option(
        "significant_figures",
        Kind::Int { min: 1, max: 10 },
        "4",
        "Number of significant digits in the normal output.",
    )
    .set(put!(report.significant_figures)),
    option(
        "disk_util",
        Kind::Bool,
        "1",
        "Report the kernel's statistics for the underlying disks if at least one job sets this option.",
    )
    .set(put!(report.disk_util)),
    option(
        "unified_rw_reporting",
        Kind::words(UnifiedRw::WORDS),
        "none",
        "Report reads, writes and trims separately or combined.",
    )
    .set(put!(report.unified)),
    option("job_start_clock_id", Kind::from(0), "0", "In fio 3.38: clock for `job_start` in JSON.")
        .noted("job-noted-job-start"),
    refuse(
        "block_error_percentiles",
        "Report a histogram of blocks with failed trims.",
        "failed operations are counted per error number (errno); leave this option out",
    ),
];
