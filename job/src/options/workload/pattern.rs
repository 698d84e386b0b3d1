//! Options for the directions and offsets of operations.

use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, noted, option, parse, put, put_dirs, refuse};
use crate::units;
use crate::value::{Kind, Take, Value, float, split_directions, words};
use crate::value_error::ValueError;
use model::clip;
use model::plan::{Distribution, ZoneShare, ZoneSize};

/// Options for directions, offsets and random choices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PatternOptions {
    /// Direction and order of operations.
    pub rw: Rw,
    /// Number after the colon in `rw=MODE:N`, if given.
    pub rw_argument: Option<RwArgument>,
    /// Effect of the number in `rw=MODE:N` on random offsets.
    pub rw_sequencer: RwSequencer,
    /// Percentage of reads in a read-write mix; the rest are writes.
    pub mix_read: u8,
    /// Number of operations after which the job ends; 0 = no limit.
    pub number_ios: u64,
    /// True if every run uses the same offsets.
    pub randrepeat: bool,
    /// True if random choices other than offsets are also the same in every run.
    pub allrandrepeat: bool,
    /// Seed for random choices, if given.
    pub randseed: Option<u64>,
    /// True if random offsets may repeat because completed blocks are not tracked.
    pub norandommap: bool,
    /// True if the job runs without a map of completed blocks when the map does not fit into memory.
    pub softrandommap: bool,
    /// Generator of random offsets.
    pub random_generator: RandomGenerator,
    /// Distribution of random offsets, for reads, writes and trims.
    pub distribution: [RandomDistribution; 3],
    /// Percentage of a random job's operations at random offsets, for reads, writes and trims.
    pub percentage_random: [u8; 3],
}

impl PatternOptions {
    /// Returns `true` if random offsets may repeat. A shift register generates each offset once, even without a map of
    /// completed blocks.
    #[must_use]
    pub fn may_repeat(&self) -> bool {
        self.norandommap && self.random_generator != RandomGenerator::Lfsr
    }
}

words! {
    /// Direction and order of operations.
    Rw, default Read {
        Read = "read": "sequential reads",
        Write = "write": "sequential writes",
        Trim = "trim": "sequential trims",
        RandRead = "randread": "random reads",
        RandWrite = "randwrite": "random writes",
        RandTrim = "randtrim": "random trims",
        ReadWrite = "rw" | "readwrite": "sequential mix of reads and writes",
        RandRw = "randrw": "random mix of reads and writes",
        TrimWrite = "trimwrite": "sequential trims, each followed by a write of the block",
        RandTrimWrite = "randtrimwrite": "random trims, each followed by a write of the block",
    }
}

impl Rw {
    /// Returns `true` if offsets are random.
    #[must_use]
    pub const fn is_random(self) -> bool {
        matches!(self, Rw::RandRead | Rw::RandWrite | Rw::RandTrim | Rw::RandRw | Rw::RandTrimWrite)
    }

    /// Returns `true` if any operation reads.
    #[must_use]
    pub const fn reads(self) -> bool {
        matches!(self, Rw::Read | Rw::RandRead | Rw::ReadWrite | Rw::RandRw)
    }

    /// Returns `true` if any operation writes.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Rw::Write | Rw::RandWrite | Rw::ReadWrite | Rw::RandRw | Rw::TrimWrite | Rw::RandTrimWrite)
    }

    /// Returns `true` if any operation discards.
    #[must_use]
    pub const fn trims(self) -> bool {
        matches!(self, Rw::Trim | Rw::RandTrim | Rw::TrimWrite | Rw::RandTrimWrite)
    }

    /// Returns `true` for a mix of reads and writes, for which `rwmixread` has an effect.
    #[must_use]
    pub const fn is_mix(self) -> bool {
        matches!(self, Rw::ReadWrite | Rw::RandRw)
    }
}

/// Number after the colon in `rw=MODE:N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RwArgument {
    /// Number of operations per random offset, in random modes.
    Every(u64),
    /// Number of bytes that are skipped after each operation, in sequential modes. Negative numbers skip backwards.
    Skip(i64),
}

words! {
    /// Effect of the number in `rw=MODE:N` in random modes.
    RwSequencer, default Sequential {
        Sequential = "sequential": "continue sequentially from each random offset",
        Identical = "identical": "repeat each random offset that number of times",
    }
}

words! {
    /// Generator of random offsets.
    RandomGenerator, default Tausworthe {
        Tausworthe = "tausworthe": "random offsets, with a map of visited blocks",
        Lfsr = "lfsr": "shift register that visits every block once, without a map",
        Tausworthe64 = "tausworthe64": "like tausworthe, for more than 2^32 blocks",
    }
}

/// Distribution of random offsets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RandomDistribution {
    /// Probabilities of the blocks.
    pub law: Distribution,
    /// Position of the hottest block, 0 to 1. `None` = scattered, or in the middle for a normal distribution.
    pub center: Option<f64>,
    /// Zones, from the first to the last; empty = the whole file is one zone.
    pub zones: Vec<ZoneShare>,
}

fn set_rw(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Word(index, argument) = value else { return Ok(()) };
    let rw = Rw::ALL_WORDS[index];
    job.pattern.rw_argument = match argument {
        None => None,
        Some(text) if rw.is_random() => match units::count(&text)? {
            0 => return Err("the number of operations per offset must be 1 or more".into()),
            n => Some(RwArgument::Every(n)),
        },
        Some(text) => {
            let (negative, body) = match text.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, text.as_str()),
            };
            let skip = units::size(body, ctx.units)?.as_u64() as i64;
            Some(RwArgument::Skip(if negative { -skip } else { skip }))
        }
    };
    job.pattern.rw = rw;
    Ok(())
}

fn set_mix_write(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    job.pattern.mix_read = 100 - u8::take(value)?;
    Ok(())
}

fn seed(text: &str) -> Result<Option<u64>, ValueError> {
    units::count(text).map(Some)
}

/// Maximum number of zones in a distribution (HOWTO, `random_distribution`).
const MOST_ZONES: usize = 256;

fn set_distribution(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(text) = value else { return Ok(()) };
    // An example in fio's documentation uses `zoned_abs=60/20G`.
    let (head, rest) = match text.split_once([':', '=']) {
        Some((head, rest)) => (head.trim(), Some(rest)),
        None => (text.trim(), None),
    };
    let number = |default: f64, low: f64, high: f64| -> Result<(f64, Option<f64>), ValueError> {
        let Some(rest) = rest else { return Ok((default, None)) };
        let (first, center) = match rest.split_once(':') {
            Some((first, center)) => (first, Some(float(center, 0.0, 1.0)?)),
            None => (rest, None),
        };
        Ok((float(first, low, high)?, center))
    };
    // Defaults as in fio's options.c: zipf 1.1, pareto 0.2, normal 0.
    let (law, center) = match head {
        "random" => (Distribution::Uniform, None),
        "zipf" => {
            let (theta, center) = number(1.1, 0.0, 100.0)?;
            if theta == 1.0 {
                return Err("a zipf exponent of 1 is not supported: use a value close to it".into());
            }
            // With an exponent of 0, every block is equally likely.
            if theta == 0.0 { (Distribution::Uniform, None) } else { (Distribution::Zipf(theta), center) }
        }
        "pareto" => {
            let (power, center) = number(0.2, 0.0, 1.0)?;
            if power == 0.0 || power == 1.0 {
                return Err(
                    format!("a pareto power of {power} selects a single block: use a value between 0 and 1").into()
                );
            }
            (Distribution::Pareto(power), center)
        }
        "normal" => {
            let (deviation, center) = number(0.0, 0.0, 100.0)?;
            if deviation == 100.0 {
                return Err("a normal deviation must be below 100".into());
            }
            (Distribution::Normal(deviation), center)
        }
        "zoned" | "zoned_abs" => {
            let rest = rest.ok_or_else(|| format!("`{head}` needs zones: {head}:60/10:40/90"))?;
            let parts = split_directions(rest)?;
            for (slot, part) in job.pattern.distribution.iter_mut().zip(parts) {
                if let Some(part) = part {
                    let zones = if head == "zoned" { zones(part)? } else { zone_sizes(part, ctx)? };
                    *slot = RandomDistribution { zones, ..RandomDistribution::default() };
                }
            }
            return Ok(());
        }
        _ => {
            let words = ["random", "zipf", "pareto", "normal", "zoned", "zoned_abs"];
            let nearest = model::units::nearest(head, words).map(str::to_owned);
            return Err(ValueError::UnknownWord { given: clip(head), words: words.join(" "), nearest });
        }
    };
    if head == "random" && rest.is_some() {
        return Err("`random` takes no argument".into());
    }
    job.pattern.distribution = [(); 3].map(|()| RandomDistribution { law, center, zones: Vec::new() });
    Ok(())
}

/// Parses zones of the form `access/size`. The access percentages must sum to 100.
fn zone_parts(text: &str) -> Result<Vec<(u8, &str)>, ValueError> {
    let mut parts = Vec::new();
    for part in text.split(':') {
        if parts.len() == MOST_ZONES {
            return Err(format!("more than {MOST_ZONES} zones").into());
        }
        let (access, size) = part.split_once('/').ok_or_else(|| ValueError::form(part, "not a zone: access%/size"))?;
        parts.push((percent(access)?, size));
    }
    let sum: u32 = parts.iter().map(|(access, _)| u32::from(*access)).sum();
    if sum != 100 {
        return Err(format!("the shares of the operations sum to {sum}, not 100").into());
    }
    Ok(parts)
}

fn percent(text: &str) -> Result<u8, ValueError> {
    match units::count(text)? {
        v if v <= 100 => Ok(v as u8),
        _ => Err(ValueError::out_of_range(text, "0..100")),
    }
}

fn zones(text: &str) -> Result<Vec<ZoneShare>, ValueError> {
    let mut list = Vec::new();
    let mut blanks = Vec::new();
    for (access, size) in zone_parts(text)? {
        if size.trim().is_empty() {
            blanks.push(list.len());
        }
        list.push((access, if size.trim().is_empty() { 0 } else { percent(size)? }));
    }
    let sum: u32 = list.iter().map(|(_, size)| u32::from(*size)).sum();
    let left = 100u32.saturating_sub(sum);
    if blanks.is_empty() && sum != 100 || sum > 100 {
        return Err(format!("the shares of the file sum to {sum}, not 100").into());
    }
    if (left as usize) < blanks.len() {
        return Err(format!("{left} % of the file are left for {} zones without a share", blanks.len()).into());
    }
    // Zones without a percentage share the rest equally. The remainder of this division goes to the first zones.
    for (n, at) in blanks.iter().enumerate() {
        let odd = usize::from(n < left as usize % blanks.len());
        list[*at].1 = (left as usize / blanks.len() + odd) as u8;
    }
    let share = |(ops_percent, size)| ZoneShare { ops_percent, size: ZoneSize::Percent(f64::from(size)) };
    Ok(list.into_iter().map(share).collect())
}

fn zone_sizes(text: &str, ctx: &Context<'_>) -> Result<Vec<ZoneShare>, ValueError> {
    let share =
        |(ops_percent, size)| Ok(ZoneShare { ops_percent, size: ZoneSize::Bytes(units::size(size, ctx.units)?) });
    zone_parts(text)?.into_iter().map(share).collect()
}

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    refuse("random_sequence_stride", "sequences of blocks are not supported")
        .help("Step after each round of `random_distribution=sequence` (fio 3.42)."),
    option("rw", Kind::words_with_argument(Rw::WORDS), "read", Job(set_rw)).alias(&["readwrite"]).help(
        "Direction and order of operations. `randread:8` uses a new random offset every 8 operations and continues \
         sequentially in between. `write:4k` leaves a gap of 4k after each block, and `read:-8k` reads backwards.",
    ),
    option("rw_sequencer", Kind::words(RwSequencer::WORDS), "sequential", put!(pattern.rw_sequencer))
        .help("Effect of the number after a random `rw`."),
    option("rwmixread", Kind::PERCENT, "50", put!(pattern.mix_read)).help(
        "Percentage of operations in a mix that are reads; the rest are writes. If both `rwmixread` and `rwmixwrite` \
         are given, they must sum to 100.",
    ),
    option("rwmixwrite", Kind::PERCENT, "50", Job(set_mix_write))
        .help("Percentage of operations in a mix that are writes; the rest are reads."),
    option("number_ios", Kind::Int { min: 0, max: 1 << 62 }, "0", put!(pattern.number_ios))
        .help("End after this number of operations, multiplied by `loops`, unless the job ends earlier. 0 = no limit."),
    option("randrepeat", Kind::Bool, "1", put!(pattern.randrepeat)).help("Use the same random offsets in every run."),
    option("allrandrepeat", Kind::Bool, "0", put!(pattern.allrandrepeat))
        .help("Make all random choices the same in every run."),
    option("randseed", Kind::Form("whole number"), "", parse!(pattern.randseed, seed))
        .help("Random seed; the same seed produces the same requests."),
    option("norandommap", Kind::Flag, "0", put!(pattern.norandommap)).help(
        "Choose random offsets without tracking visited blocks. By default, every block is visited exactly once per \
         pass.",
    ),
    option("softrandommap", Kind::Bool, "0", put!(pattern.softrandommap))
        .noted("job-noted-no-map")
        .help("In fio: continue without the random map if it does not fit into memory."),
    option("random_generator", Kind::words(RandomGenerator::WORDS), "tausworthe", put!(pattern.random_generator))
        .noted("job-noted-permutation")
        .help("In fio: generator of random offsets."),
    option(
        "random_distribution",
        Kind::Form(
            "random; zipf:theta, pareto:power or normal:deviation, each optionally with :center; zoned:access/size:... \
             or zoned_abs:access/bytes:...",
        ),
        "random",
        Job(set_distribution),
    )
    .help(
        "Distribution of random offsets. `zoned` assigns shares of the operations to shares of the file, and can \
         differ for reads, writes and trims. All distributions except `random` imply `norandommap`.",
    ),
    option(
        "percentage_random",
        Kind::PerDirection(&Kind::PERCENT),
        "100",
        put_dirs!(pattern.percentage_random, |v: u64| v.min(100) as u8),
    )
    .help("Percentage of a random job's operations that use random offsets; the others are sequential."),
    noted("percentage_sequential", Kind::Text, "", GIVEN_UP)
        .help("In older versions of fio: percentage of a random job's operations that are sequential."),
    noted("rwmixcycle", Kind::Text, "", GIVEN_UP)
        .help("In older versions of fio: period over which the mix is maintained."),
];

const GIVEN_UP: &str = "job-noted-given-up";
