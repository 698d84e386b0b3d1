//! Workload of a job: mix, offsets, file order, rates and pauses.

use super::contents::{contents, verify};
use super::facts::Facts;
use super::files::sizes::{block_sizes, direction_used};
use super::zones::{strided, zoned};
use crate::error::JobError;
use crate::file::Section;
use crate::options::{
    FileOrder as FileWord, JobOptions, RandomDistribution, RateProcess, Rw, RwArgument, RwSequencer, ThinkBlocks,
};
use model::plan::{
    Access, Detail, Distribution, FileOrder, FlushKind, Mix, Pacing, Rate, Rates, Think, Workload, ZoneShare, ZoneSize,
    none_if_zero,
};
use model::{Bytes, BytesPerSecond, Iops};

pub(super) fn workload(section: &Section, facts: &dyn Facts) -> Result<Workload, JobError> {
    let o = &section.options;
    let p = &o.pattern;
    let mix = match p.rw {
        Rw::Read | Rw::RandRead => Mix::READ,
        Rw::Write | Rw::RandWrite => Mix::WRITE,
        Rw::Trim | Rw::RandTrim => Mix { write_percent: 0, trim_percent: 100 },
        Rw::ReadWrite | Rw::RandRw => Mix { write_percent: 100 - p.mix_read, trim_percent: 0 },
        Rw::TrimWrite | Rw::RandTrimWrite => Mix { write_percent: 50, trim_percent: 50 },
    };
    let used = (0..3).find(|i| direction_used(p.rw, *i)).unwrap_or(0);
    let (law, centre, zones) = distribution(&p.distribution[used]);
    let access = if p.rw.is_random() {
        let even = law == Distribution::Uniform && zones.is_empty();
        Access::Random { distribution: law, repeat: p.may_repeat() || !even }
    } else {
        Access::Sequential
    };
    let (run, stride) = match p.rw_argument {
        Some(RwArgument::Every(n)) => (u32::try_from(n).unwrap_or(u32::MAX), 0),
        Some(RwArgument::Skip(bytes)) => (1, bytes),
        None => (0, 0),
    };
    let read = block_sizes(&o.block.bs[0]);
    let apart = |i: usize| Some(block_sizes(&o.block.bs[i])).filter(|sizes| *sizes != read);
    let (flush, flush_every, full_flush_every) = match (none_if_zero(o.engine.fsync), none_if_zero(o.engine.fdatasync))
    {
        (None, data) => (FlushKind::Data, data, None),
        (full, None) => (FlushKind::Full, full, None),
        (full, data) => (FlushKind::Data, data, full),
    };
    let aligned = o.block.align.iter().any(Option::is_some);
    let detail = Detail {
        write_block: apart(1),
        trim_block: apart(2),
        align: aligned.then(|| [0, 1, 2].map(|i| o.block.align[i].unwrap_or_else(|| o.block.bs[i].min()))),
        block_by_order: o.block.is_seq_rand,
        unaligned: o.block.unaligned,
        run,
        stride,
        identical: p.rw_sequencer == RwSequencer::Identical,
        random_percent: Some(p.percentage_random).filter(|percent| p.rw.is_random() && *percent != [100; 3]),
        zones,
        centre,
        zone: strided(o),
        zoned: zoned(o),
        file_order: file_order(o),
        flush,
        full_flush_every,
        think: think(o),
        contents: contents(section, facts)?,
        verify: verify(section, facts)?,
    };
    Ok(Workload { mix, block: read, access, pacing: pacing(o), flush_every, detail })
}

pub(super) fn distribution(asked: &RandomDistribution) -> (Distribution, Option<f64>, Vec<ZoneShare>) {
    match asked {
        RandomDistribution::Uniform => (Distribution::Uniform, None, Vec::new()),
        RandomDistribution::Zipf { theta, center } => (Distribution::Zipf(*theta), *center, Vec::new()),
        RandomDistribution::Pareto { power, center } => (Distribution::Pareto(*power), *center, Vec::new()),
        RandomDistribution::Normal { deviation, center } => (Distribution::Normal(*deviation), *center, Vec::new()),
        RandomDistribution::Zoned(list) => {
            let zone = |z: &crate::options::ZoneShare| ZoneShare {
                ops_percent: z.access,
                size: ZoneSize::Percent(f64::from(z.size)),
            };
            (Distribution::Uniform, None, list.iter().map(zone).collect())
        }
        RandomDistribution::ZonedAbs(list) => {
            let zone =
                |z: &crate::options::ZoneSize| ZoneShare { ops_percent: z.access, size: ZoneSize::Bytes(z.size) };
            (Distribution::Uniform, None, list.iter().map(zone).collect())
        }
    }
}

fn file_order(o: &JobOptions) -> FileOrder {
    let every = u32::try_from(o.files.service.every.max(1)).unwrap_or(u32::MAX);
    match o.files.service.order {
        FileWord::RoundRobin => FileOrder::RoundRobin(every),
        FileWord::Sequential => FileOrder::Sequential,
        FileWord::Random => FileOrder::Random(every),
        FileWord::Zipf(theta) => FileOrder::Zipf(theta),
        FileWord::Pareto(power) => FileOrder::Pareto(power),
        FileWord::Normal(deviation) => FileOrder::Normal(deviation),
    }
}

fn think(o: &JobOptions) -> Option<Think> {
    let r = &o.rate;
    (!r.thinktime.is_zero()).then(|| Think {
        time: r.thinktime,
        spin: r.thinktime_spin.min(r.thinktime),
        // If only `thinktime_iotime` is given, the number of operations does not cause a pause.
        blocks: r.thinktime_blocks.unwrap_or(u32::from(r.thinktime_iotime.is_zero())),
        by_issue: r.thinktime_blocks_type == ThinkBlocks::Issue,
        work_time: none_if_zero(r.thinktime_iotime),
    })
}

/// Returns the rate limit. As in fio, a limit in operations takes precedence over a limit in bytes.
pub(super) fn rate_of(iops: u64, bytes: Bytes) -> Option<Rate> {
    match (iops, bytes.as_u64()) {
        (0, 0) => None,
        (0, bytes) => Some(Rate::Bytes(BytesPerSecond(bytes as f64))),
        (iops, _) => Some(Rate::Iops(Iops(iops as f64))),
    }
}

fn pacing(o: &JobOptions) -> Pacing {
    if !o.rate.is_limited() {
        return Pacing::Closed;
    }
    Pacing::Rates(Rates {
        of: [0, 1, 2].map(|i| rate_of(o.rate.iops[i], o.rate.bytes[i])),
        poisson: o.rate.process == RateProcess::Poisson,
        forgive_pauses: o.rate.ignore_thinktime,
    })
}
