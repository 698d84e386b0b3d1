//! Options for rate limits and for pauses between operations.

use crate::options::{OptionSpec, option, put, put_dirs, refuse};
use crate::value::{Kind, words};
use model::{Bytes, Nanos};

/// Rate limits and think time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RateOptions {
    /// Bytes per second for each clone, for reads, writes and trims; 0 = no limit.
    pub bytes: [Bytes; 3],
    /// Operations per second for each clone; 0 = no limit.
    pub iops: [u64; 3],
    /// Minimum rate in bytes per second, below which the job ends with an error; 0 = no minimum.
    pub bytes_min: [Bytes; 3],
    /// Minimum rate in operations per second, below which the job ends with an error; 0 = no minimum.
    pub iops_min: [u64; 3],
    /// Distribution of the intervals between operations.
    pub process: RateProcess,
    /// Interval at which the rate is compared with its minimum.
    pub cycle: Nanos,
    /// True if the job does not catch up after think time.
    pub ignore_thinktime: bool,
    /// Pause after each group of operations.
    pub thinktime: Nanos,
    /// Part of the pause that is spent using the CPU.
    pub thinktime_spin: Nanos,
    /// Number of operations between pauses. If it is not given, but `thinktime_iotime` is, operations cause no pause.
    pub thinktime_blocks: u32,
    /// Operations that `thinktime_blocks` counts: completed or issued operations.
    pub thinktime_blocks_type: ThinkBlocks,
    /// Time between pauses; 0 = no limit.
    pub thinktime_iotime: Nanos,
}

impl RateOptions {
    /// Returns `true` if any rate is limited.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.bytes.iter().any(|b| !b.is_zero()) || self.iops.iter().any(|i| *i > 0)
    }
}

words! {
    /// Distribution of the intervals between operations under a rate limit.
    RateProcess, default Linear {
        Linear = "linear": "even intervals",
        Poisson = "poisson": "exponentially distributed intervals, like independent users",
    }
}

words! {
    /// Operations that `thinktime_blocks` counts.
    ThinkBlocks, default Complete {
        Complete = "complete": "completed operations",
        Issue = "issue": "issued operations",
    }
}

const RATE: Kind = Kind::PerDirection(&Kind::Size { min: 0, max: 1 << 50 });
const IOPS: Kind = Kind::PerDirection(&Kind::Int { min: 0, max: u32::MAX as i64 });

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("rate", RATE, "", put_dirs!(rate.bytes, Bytes)).help(
        "Maximum bandwidth of each clone, in bytes per second; 0 = no limit. `1m,500k` limits reads and writes \
         separately; `,500k` limits only writes. In fio's output, latency is measured from submission, as in fio. \
         TRUST, `report` and needs measure it from the scheduled start, so that stalls are not hidden.",
    ),
    option("rate_iops", IOPS, "", put_dirs!(rate.iops, |v| v)).help(
        "Maximum number of operations per second for each clone, by direction as in `rate`. Cannot be combined with \
         `rate`.",
    ),
    option("rate_min", RATE, "", put_dirs!(rate.bytes_min, Bytes)).alias(&["ratemin"]).help(
        "Bandwidth in bytes per second below which a clone ends with an error. The bandwidth is checked in every \
         `rate_cycle`, starting with the clone's third second.",
    ),
    option("rate_iops_min", IOPS, "", put_dirs!(rate.iops_min, |v| v)).help(
        "Operations per second below which a clone ends with an error. The rate is checked in every `rate_cycle`, \
         starting with the clone's third second.",
    ),
    option("rate_process", Kind::words(RateProcess::WORDS), "linear", put!(rate.process))
        .help("Spacing of operations under a rate limit."),
    option("rate_cycle", Kind::MILLIS, "1000", put!(rate.cycle))
        .alias(&["ratecycle"])
        .help("Interval at which rates are compared with `rate_min` and `rate_iops_min`."),
    option("rate_ignore_thinktime", Kind::Bool, "0", put!(rate.ignore_thinktime))
        .help("Do not speed up after think time to catch up with the rate."),
    option("thinktime", Kind::MICROS, "0", put!(rate.thinktime)).help(
        "Pause after every `thinktime_blocks` operations or after `thinktime_iotime`; operations in flight complete \
         first.",
    ),
    option("thinktime_spin", Kind::MICROS, "0", put!(rate.thinktime_spin))
        .help("Part of `thinktime` to spend using the CPU instead of sleeping."),
    option("thinktime_blocks", Kind::from(0), "1", put!(rate.thinktime_blocks))
        .help("Number of operations between pauses. The default of 1 keeps the queue depth at 1."),
    option("thinktime_blocks_type", Kind::words(ThinkBlocks::WORDS), "complete", put!(rate.thinktime_blocks_type))
        .help("Operations that `thinktime_blocks` counts: completed or issued."),
    option("thinktime_iotime", Kind::SECONDS, "0", put!(rate.thinktime_iotime)).help(
        "Duration of I/O between pauses. With `thinktime_blocks`, the pause begins when either limit is reached.",
    ),
    refuse("thinkcycles", "cycles are not counted; use thinktime_spin, which spins for a time")
        .help("Number of CPU cycles to spin during each pause (fio 3.34)."),
];
