//! Options for the goals of a job: latency target, steady state, latency limit.

use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, option, put, put_dirs};
use crate::units;
use crate::value::{Kind, Value, words};
use crate::value_error::ValueError;
use model::Nanos;

/// Options for the latency target, the steady state and the latency limit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GoalOptions {
    /// Latency target; 0 = off. The job finds the largest queue depth that meets it.
    pub latency_target: Nanos,
    /// Duration for which each queue depth is tried.
    pub latency_window: Nanos,
    /// Percentage of operations that must meet the target.
    pub latency_percentile: f64,
    /// True if the job keeps adjusting the queue depth. Otherwise it ends when it has found the largest depth.
    pub latency_run: bool,
    /// Latency above which the job ends with an error, for reads, writes and trims; 0 = off.
    pub max_latency: [Nanos; 3],
    /// Steady-state rule that ends the job.
    pub steady: SteadyState,
    /// Window to which the steady-state rule is applied; 0 = off.
    pub steady_duration: Nanos,
    /// Time before the first steady-state window begins.
    pub steady_ramp: Nanos,
    /// Interval between samples in a steady-state window.
    pub steady_interval: Nanos,
}

/// Rule for the steady state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SteadyState {
    /// Quantity that must be steady.
    pub of: SteadyOf,
    /// Largest allowed deviation or slope, in units of the quantity or in percent of the mean.
    pub limit: f64,
    /// True if `limit` is in percent.
    pub percent: bool,
}

words! {
    /// Quantity that must be steady.
    SteadyOf, default IopsSlope {
        Iops = "iops": "deviation of the IOPS samples from their mean",
        IopsSlope = "iops_slope": "slope of the IOPS",
        Bw = "bw": "deviation of the bandwidth samples from their mean",
        BwSlope = "bw_slope": "slope of the bandwidth",
        Lat = "lat": "deviation of the mean latency samples from their mean",
        LatSlope = "lat_slope": "slope of the mean latency",
    }
}

fn set_steady(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Word(index, argument) = value else { return Ok(()) };
    let measure = SteadyOf::ALL_WORDS[index];
    let text = argument.ok_or_else(|| format!("a limit is needed: {}:0.3%", measure.word()))?;
    let (body, percent) = match text.strip_suffix('%') {
        Some(body) => (body, true),
        None => (text.as_str(), false),
    };
    let limit = match (measure, percent) {
        (SteadyOf::Bw | SteadyOf::BwSlope, false) => units::size(body, ctx.units)?.as_u64() as f64,
        (SteadyOf::Lat | SteadyOf::LatSlope, false) => units::time(body, Nanos(1))?.as_nanos() as f64,
        _ => units::float(body)?,
    };
    if limit < 0.0 || (percent && limit > 100.0) {
        return Err(ValueError::out_of_range(&text, if percent { "0%..100%" } else { "0 or more" }));
    }
    job.goals.steady = SteadyState { of: measure, limit, percent };
    Ok(())
}

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("latency_target", Kind::MICROS, "0", put!(goals.latency_target)).help(
        "Find the largest queue depth at which `latency_percentile` percent of the operations in a `latency_window` \
         complete within this time.",
    ),
    option("latency_window", Kind::MICROS, "0", put!(goals.latency_window))
        .help("Time for which `latency_target` tries each depth."),
    option("latency_percentile", Kind::Float { min: 0.0, max: 100.0 }, "100", put!(goals.latency_percentile))
        .help("Percentage of operations that must meet `latency_target`."),
    option("latency_run", Kind::Bool, "0", put!(goals.latency_run))
        .help("Keep adjusting the depth instead of ending when the largest one is found."),
    option("max_latency", Kind::PerDirection(&Kind::MICROS), "", put_dirs!(goals.max_latency, Nanos))
        .help("End the job with an error when an operation takes longer than this time."),
    option("steadystate", Kind::words_with_argument(SteadyOf::WORDS), "iops_slope:0.01%", Job(set_steady))
        .alias(&["ss"])
        .help(
            "End the job when this metric is steady throughout `steadystate_duration`, that is, when its \
             deviation from the mean or its slope is below the limit (`iops:2%`, `bw_slope:0.1%`).",
        ),
    option("steadystate_duration", Kind::SECONDS, "0", put!(goals.steady_duration))
        .alias(&["ss_dur"])
        .help("Window in which the steady state is judged; 0 = off."),
    option("steadystate_ramp_time", Kind::SECONDS, "0", put!(goals.steady_ramp))
        .alias(&["ss_ramp"])
        .help("Time before the first steady-state window."),
    option("steadystate_check_interval", Kind::SECONDS, "1", put!(goals.steady_interval))
        .alias(&["ss_interval"])
        .help("Interval between samples in the steady-state window (fio 3.35)."),
];
