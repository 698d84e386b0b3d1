//! Options for the directions and offsets of operations.

use crate::options::{Context, JobOptions, OptionSpec, option, put, put_dirs, refuse};
use crate::units;
use crate::value::{Kind, Value, split_directions, words};
use crate::value_error::ValueError;
use model::{Bytes, clip};

/// Options for directions, offsets and random choices.
#[derive(Debug, Clone, PartialEq)]
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

impl Default for PatternOptions {
    fn default() -> Self {
        PatternOptions {
            rw: Rw::Read,
            rw_argument: None,
            rw_sequencer: RwSequencer::Sequential,
            mix_read: 50,
            number_ios: 0,
            randrepeat: true,
            allrandrepeat: false,
            randseed: None,
            norandommap: false,
            softrandommap: false,
            random_generator: RandomGenerator::Tausworthe,
            distribution: [const { RandomDistribution::Uniform }; 3],
            percentage_random: [100; 3],
        }
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
#[derive(Debug, Clone, PartialEq)]
pub enum RandomDistribution {
    /// Uniform distribution: every block is equally likely.
    Uniform,
    /// Zipf distribution. The hottest blocks are near `center`, or scattered.
    Zipf {
        /// Exponent of Zipf's law.
        theta: f64,
        /// Position of the hottest block, 0 to 1; `None` = scattered.
        center: Option<f64>,
    },
    /// Pareto (self-similar) distribution.
    Pareto {
        /// Share `h` of the blocks that gets a share of `1 - h` of the operations.
        power: f64,
        /// Position of the hottest block, 0 to 1; `None` = scattered.
        center: Option<f64>,
    },
    /// Normal distribution.
    Normal {
        /// Deviation in percent of the range.
        deviation: f64,
        /// Middle of the distribution, 0 to 1; `None` = 0.5.
        center: Option<f64>,
    },
    /// Zones with sizes in percent of the file, from the first zone to the last.
    Zoned(Vec<ZoneShare>),
    /// Zones with sizes in bytes, from the first zone to the last.
    ZonedAbs(Vec<ZoneSize>),
}

/// Zone of a random distribution, with its size in percent of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoneShare {
    /// Percentage of the operations that use this zone.
    pub access: u8,
    /// Size in percent of the file.
    pub size: u8,
}

/// Zone of a random distribution, with its size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoneSize {
    /// Percentage of the operations that use this zone.
    pub access: u8,
    /// Size in bytes.
    pub size: Bytes,
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

fn set_mix_read(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Int(percent) = value {
        job.pattern.mix_read = percent.clamp(0, 100) as u8;
    }
    Ok(())
}

fn set_mix_write(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Int(percent) = value {
        job.pattern.mix_read = (100 - percent).clamp(0, 100) as u8;
    }
    Ok(())
}

fn set_randseed(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(text) = value {
        job.pattern.randseed = Some(units::count(&text)?);
    }
    Ok(())
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
            Some((first, center)) => (first, Some(within(center, 0.0, 1.0)?)),
            None => (rest, None),
        };
        Ok((within(first, low, high)?, center))
    };
    // Defaults as in fio's options.c: zipf 1.1, pareto 0.2, normal 0.
    let one = match head {
        "random" => RandomDistribution::Uniform,
        "zipf" => {
            let (theta, center) = number(1.1, 0.0, 100.0)?;
            if theta == 1.0 {
                return Err("a zipf exponent of 1 is not supported: use a value close to it".into());
            }
            // With an exponent of 0, every block is equally likely.
            if theta == 0.0 { RandomDistribution::Uniform } else { RandomDistribution::Zipf { theta, center } }
        }
        "pareto" => {
            let (power, center) = number(0.2, 0.0, 1.0)?;
            if power == 0.0 || power == 1.0 {
                return Err(
                    format!("a pareto power of {power} selects a single block: use a value between 0 and 1").into()
                );
            }
            RandomDistribution::Pareto { power, center }
        }
        "normal" => {
            let (deviation, center) = number(0.0, 0.0, 100.0)?;
            if deviation == 100.0 {
                return Err("a normal deviation must be below 100".into());
            }
            RandomDistribution::Normal { deviation, center }
        }
        "zoned" | "zoned_abs" => {
            let rest = rest.ok_or_else(|| format!("`{head}` needs zones: {head}:60/10:40/90"))?;
            let parts = split_directions(rest)?;
            for (slot, part) in job.pattern.distribution.iter_mut().zip(parts) {
                if let Some(part) = part {
                    *slot = if head == "zoned" { zones(part)? } else { zone_sizes(part, ctx)? };
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
    job.pattern.distribution = [one.clone(), one.clone(), one];
    Ok(())
}

fn within(text: &str, low: f64, high: f64) -> Result<f64, ValueError> {
    match units::float(text)? {
        v if v >= low && v <= high => Ok(v),
        _ => Err(ValueError::out_of_range(text, format!("{low}..{high}"))),
    }
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

fn zones(text: &str) -> Result<RandomDistribution, ValueError> {
    let mut list = Vec::new();
    let mut blanks = Vec::new();
    for (access, size) in zone_parts(text)? {
        if size.trim().is_empty() {
            blanks.push(list.len());
        }
        list.push(ZoneShare { access, size: if size.trim().is_empty() { 0 } else { percent(size)? } });
    }
    let sum: u32 = list.iter().map(|z| u32::from(z.size)).sum();
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
        list[*at].size = (left as usize / blanks.len() + odd) as u8;
    }
    Ok(RandomDistribution::Zoned(list))
}

fn zone_sizes(text: &str, ctx: &Context<'_>) -> Result<RandomDistribution, ValueError> {
    let mut list = Vec::new();
    for (access, size) in zone_parts(text)? {
        list.push(ZoneSize { access, size: units::size(size, ctx.units)? });
    }
    Ok(RandomDistribution::ZonedAbs(list))
}

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    refuse(
        "random_sequence_stride",
        "Step after each round of `random_distribution=sequence` (fio 3.42).",
        "sequences of blocks are not supported",
    ),
    option(
        "rw",
        Kind::Words { words: Rw::WORDS, refused: &[], argument: true },
        "read",
        "Direction and order of operations. `randread:8` uses a new random offset every 8 operations and continues \
         sequentially in between. `write:4k` leaves a gap of 4k after each block, and `read:-8k` reads backwards.",
    )
    .alias(&["readwrite"])
    .set(set_rw),
    option("rw_sequencer", Kind::words(RwSequencer::WORDS), "sequential", "Effect of the number after a random `rw`.")
        .set(put!(pattern.rw_sequencer)),
    option(
        "rwmixread",
        Kind::PERCENT,
        "50",
        "Percentage of operations in a mix that are reads; the rest are writes. If both `rwmixread` and `rwmixwrite` \
         are given, they must sum to 100.",
    )
    .set(set_mix_read),
    option("rwmixwrite", Kind::PERCENT, "50", "Percentage of operations in a mix that are writes; the rest are reads.")
        .set(set_mix_write),
    option(
        "number_ios",
        Kind::Int { min: 0, max: 1 << 62 },
        "0",
        "End after this number of operations, multiplied by `loops`, unless the job ends earlier. 0 = no limit.",
    )
    .set(put!(pattern.number_ios)),
    option("randrepeat", Kind::Bool, "1", "Use the same random offsets in every run.").set(put!(pattern.randrepeat)),
    option("allrandrepeat", Kind::Bool, "0", "Make all random choices the same in every run.")
        .set(put!(pattern.allrandrepeat)),
    option("randseed", Kind::Form("whole number"), "", "Random seed; the same seed produces the same requests.")
        .set(set_randseed),
    option(
        "norandommap",
        Kind::Flag,
        "0",
        "Choose random offsets without tracking visited blocks. By default, every block is visited exactly once per \
         pass.",
    )
    .set(put!(pattern.norandommap)),
    option("softrandommap", Kind::Bool, "0", "In fio: continue without the random map if it does not fit into memory.")
        .noted("job-noted-no-map")
        .set(put!(pattern.softrandommap)),
    option(
        "random_generator",
        Kind::words(RandomGenerator::WORDS),
        "tausworthe",
        "In fio: generator of random offsets.",
    )
    .noted("job-noted-permutation")
    .set(put!(pattern.random_generator)),
    option(
        "random_distribution",
        Kind::Form(
            "random; zipf:theta, pareto:power or normal:deviation, each optionally with :center; zoned:access/size:... \
             or zoned_abs:access/bytes:...",
        ),
        "random",
        "Distribution of random offsets. `zoned` assigns shares of the operations to shares of the file, and can \
         differ for reads, writes and trims. All distributions except `random` imply `norandommap`.",
    )
    .set(set_distribution),
    option(
        "percentage_random",
        Kind::PerDirection(&Kind::PERCENT),
        "100",
        "Percentage of a random job's operations that use random offsets; the others are sequential.",
    )
    .set(put_dirs!(pattern.percentage_random, |v: u64| v.min(100) as u8)),
    option(
        "percentage_sequential",
        Kind::Text,
        "",
        "In older versions of fio: percentage of a random job's operations that are sequential.",
    )
    .noted(GIVEN_UP),
    option("rwmixcycle", Kind::Text, "", "In older versions of fio: period over which the mix is maintained.")
        .noted(GIVEN_UP),
];

const GIVEN_UP: &str = "job-noted-given-up";
