//! Workload of a job: mix, offsets, file order, rates and pauses.

use super::contents::{contents, verify};
use super::facts::Facts;
use super::files::sizes::direction_used;
use super::zones::{strided, zoned};
use crate::error::JobError;
use crate::file::Section;
use crate::options::{JobOptions, RandomDistribution, RateProcess, Rw, RwArgument, RwSequencer, ThinkBlocks};
use model::plan::{Access, Detail, FlushKind, Mix, Pacing, Rate, Rates, Think, Workload, none_if_zero};
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
    let distribution = &p.distribution[used];
    let access = if p.rw.is_random() {
        let even = *distribution == RandomDistribution::default();
        Access::Random { distribution: distribution.law, repeat: p.may_repeat() || !even }
    } else {
        Access::Sequential
    };
    let (run, stride) = match p.rw_argument {
        Some(RwArgument::Every(n)) => (u32::try_from(n).unwrap_or(u32::MAX), 0),
        Some(RwArgument::Skip(bytes)) => (1, bytes),
        None => (0, 0),
    };
    let read = &o.block.bs[0];
    let apart = |i: usize| Some(&o.block.bs[i]).filter(|sizes| *sizes != read).cloned();
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
        zones: distribution.zones.clone(),
        centre: distribution.center,
        zone: strided(o),
        zoned: zoned(o),
        file_order: o.files.service,
        flush,
        full_flush_every,
        think: think(section),
        contents: contents(section, facts)?,
        verify: verify(section, facts)?,
    };
    Ok(Workload { mix, block: read.clone(), access, pacing: pacing(o), flush_every, detail })
}

fn think(section: &Section) -> Option<Think> {
    let r = &section.options.rate;
    // If only `thinktime_iotime` is given, the number of operations does not cause a pause.
    let counts = section.is_set("thinktime_blocks") || r.thinktime_iotime.is_zero();
    (!r.thinktime.is_zero()).then(|| Think {
        time: r.thinktime,
        spin: r.thinktime_spin.min(r.thinktime),
        blocks: if counts { r.thinktime_blocks } else { 0 },
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
