//! Options for the time at which a job starts, is measured and ends.

use crate::options::{OptionSpec, noted, option, parse, put, refuse};
use crate::units;
use crate::value::Kind;
use crate::value_error::ValueError;
use model::Nanos;

/// Options for the start and end of a job.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TimeOptions {
    /// Maximum time that is measured; 0 = no limit.
    pub runtime: Nanos,
    /// True if the job starts over from the beginning of the file until `runtime` has passed.
    pub time_based: bool,
    /// Duration of the load before measuring begins. It is not part of `runtime`.
    pub ramp_time: Nanos,
    /// Range from which the delay before each clone's start is drawn.
    pub startdelay: (Nanos, Nanos),
    /// True if `gtod_reduce` or one of the `disable_` options was given. Latency is measured nevertheless.
    pub gtod_reduce: bool,
}

/// Parses a time, such as `10`, or a range of times, such as `5-30`, in seconds if no unit is given.
fn delay_range(text: &str) -> Result<(Nanos, Nanos), ValueError> {
    let time = |text: &str| units::time(text, Nanos::from_secs(1));
    let (low, high) = match text.split_once(['-', ':']) {
        Some((low, high)) if !low.is_empty() => (time(low)?, time(high)?),
        _ => (time(text)?, time(text)?),
    };
    Ok((low.min(high), low.max(high)))
}

const CLOCK: &str = "job-noted-clock";

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("runtime", Kind::SECONDS, "0", put!(time.runtime)).alias(&["timeout"]).help(
        "Maximum duration of the measurement; 0 = no limit. Without `time_based`, the job ends earlier if all of \
         `size` has been transferred. With `time_based`, the workload repeats until the time is up.",
    ),
    option("time_based", Kind::Flag, "0", put!(time.time_based)).help(
        "Run for the whole `runtime`, repeating the workload when it is done. Each repetition starts with a new random \
         map.",
    ),
    option("ramp_time", Kind::SECONDS, "0", put!(time.ramp_time))
        .help("Duration of the load before measuring begins, in addition to `runtime`. Reported figures exclude it."),
    refuse("ramp_size", "measuring begins after a time, not after an amount of I/O; use ramp_time")
        .help("Amount of I/O before measuring begins (fio 3.41)."),
    option(
        "startdelay",
        Kind::Form("time or range of times (10, 5-30), in seconds if no unit is given"),
        "0",
        parse!(time.startdelay, delay_range),
    )
    .help("Delay before the job starts; if a range is given, the delay of each clone is drawn from it."),
    noted("clocksource", Kind::Text, "", CLOCK).help("Clock for timing operations."),
    option("gtod_reduce", Kind::Bool, "0", put!(time.gtod_reduce))
        .noted("job-noted-latency-cheap")
        .help("In fio: read the clock less often and do not measure latency."),
    noted("gtod_cpu", Kind::from(0), "", "job-noted-no-clock-cpu").help("In fio: reserve a CPU for reading the clock."),
    noted("disable_lat", Kind::Bool, "0", "job-noted-latency-free").help("In fio: do not measure total latency."),
    noted("disable_clat", Kind::Bool, "0", "job-noted-latency-free").help("In fio: do not measure completion latency."),
    noted("disable_slat", Kind::Bool, "0", "job-noted-latency-free").help("In fio: do not measure submission latency."),
    noted("disable_bw_measurement", Kind::Bool, "0", "job-noted-bandwidth-free")
        .alias(&["disable_bw"])
        .help("In fio: do not sample bandwidth."),
];
