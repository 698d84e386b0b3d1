//! Options for the time at which a job starts, is measured and ends.

use crate::options::{Context, JobOptions, OptionSpec, option, put, refuse};
use crate::units;
use crate::value::{Kind, Value};
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

fn set_startdelay(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(text) = value else { return Ok(()) };
    let second = Nanos::from_secs(1);
    let (low, high) = match text.split_once(['-', ':']) {
        Some((low, high)) if !low.is_empty() => (units::time(low, second)?, units::time(high, second)?),
        _ => {
            let delay = units::time(&text, second)?;
            (delay, delay)
        }
    };
    job.time.startdelay = if low <= high { (low, high) } else { (high, low) };
    Ok(())
}

const CLOCK: &str = "job-noted-clock";

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option(
        "runtime",
        Kind::SECONDS,
        "0",
        "Maximum duration of the measurement; 0 = no limit. Without `time_based`, the job ends earlier if all of \
         `size` has been transferred. With `time_based`, the workload repeats until the time is up.",
    )
    .alias(&["timeout"])
    .set(put!(time.runtime)),
    option(
        "time_based",
        Kind::Flag,
        "0",
        "Run for the whole `runtime`, repeating the workload when it is done. Each repetition starts with a new random \
         map.",
    )
    .set(put!(time.time_based)),
    option(
        "ramp_time",
        Kind::SECONDS,
        "0",
        "Duration of the load before measuring begins, in addition to `runtime`. Reported figures exclude it.",
    )
    .set(put!(time.ramp_time)),
    refuse(
        "ramp_size",
        "Amount of I/O before measuring begins (fio 3.41).",
        "measuring begins after a time, not after an amount of I/O; use ramp_time",
    ),
    option(
        "startdelay",
        Kind::Form("time or range of times (10, 5-30), in seconds if no unit is given"),
        "0",
        "Delay before the job starts; if a range is given, the delay of each clone is drawn from it.",
    )
    .set(set_startdelay),
    option("clocksource", Kind::Text, "", "Clock for timing operations.").noted(CLOCK),
    option("gtod_reduce", Kind::Bool, "0", "In fio: read the clock less often and do not measure latency.")
        .noted("job-noted-latency-cheap")
        .set(put!(time.gtod_reduce)),
    option("gtod_cpu", Kind::from(0), "", "In fio: reserve a CPU for reading the clock.")
        .noted("job-noted-no-clock-cpu"),
    option("disable_lat", Kind::Bool, "0", "In fio: do not measure total latency.").noted("job-noted-latency-free"),
    option("disable_clat", Kind::Bool, "0", "In fio: do not measure completion latency.")
        .noted("job-noted-latency-free"),
    option("disable_slat", Kind::Bool, "0", "In fio: do not measure submission latency.")
        .noted("job-noted-latency-free"),
    option("disable_bw_measurement", Kind::Bool, "0", "In fio: do not sample bandwidth.")
        .alias(&["disable_bw"])
        .noted("job-noted-bandwidth-free"),
];
