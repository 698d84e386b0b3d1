//! Conditions that end a job: bytes and passes, time, steady state, latency.

use super::files::sizes::{ENDLESS, ZONES_ARE_BYTES, direction_used, percent_of, used_blocks};
use super::workload::rate_of;
use super::zones::{cut_short, strided};
use crate::error::JobError;
use crate::file::{Section, not_done};
use crate::options::{
    ExitWhat as ExitWord, JobOptions, RandomDistribution, Rw, RwArgument, SteadyOf as SteadyWord, VerifyMethod,
};
use crate::units::Extent;
use model::plan::{Ends, ExitWhat, LatencyTarget, SteadyOf, SteadyRule, StopRule};
use model::{Bytes, Nanos};

/// Maximum duration of a job without a time limit. Such a job ends when its bytes have been transferred.
const NO_LIMIT: Nanos = Nanos::from_days(365);

pub(super) fn endings(section: &Section, bytes: Bytes) -> Result<(StopRule, Ends), JobError> {
    let o = &section.options;
    let g = &o.goals;
    let io = match o.files.io_size {
        Some(Extent::Bytes(io)) => io.as_u64(),
        Some(Extent::Percent(percent)) => (u128::from(bytes.as_u64()) * u128::from(percent) / 100) as u64,
        Some(Extent::Zones(_)) => unreachable!("{ZONES_ARE_BYTES}"),
        // With `filesize`, `size` is the number of bytes to process.
        None => match (o.files.filesize, o.files.size) {
            (Some(_), Some(Extent::Bytes(size))) => bytes.as_u64().min(size.as_u64()),
            _ => bytes.as_u64(),
        },
    };
    // If more bytes are requested than the files hold, the job does not end at the last zone.
    let cut = strided(o)
        .filter(|_| !o.pattern.rw.is_random() && io <= bytes.as_u64())
        .and_then(|zone| cut_short(zone, bytes.as_u64(), used_blocks(o).map(|b| b.min().as_u64()).min()?.max(1)));
    // With gaps between blocks, a pass ends where the next block does not fit, and there is only one pass, as in fio
    // (t/jobs/t0007).
    let io = cut.or_else(|| stepped(o, bytes).filter(|_| io <= bytes.as_u64())).map_or(io, |cut| io.min(cut));
    if io == 0 {
        return Err(not_done(section, "io_size", "there is nothing to do"));
    }
    let filled = o.files.fill_device && bytes.as_u64() >= ENDLESS;
    let endless = (o.time.time_based && !o.time.runtime.is_zero()) || (filled && o.files.io_size.is_none());
    let loops = u64::from(o.job.loops.max(1));
    let pass = pass_of(o, io, bytes.as_u64());
    let stop = StopRule {
        ramp: o.time.ramp_time,
        time: if !o.time.runtime.is_zero() { o.time.runtime } else { NO_LIMIT },
        steady_after: None,
        max_ops: (o.pattern.number_ios > 0).then(|| o.pattern.number_ios.saturating_mul(loops)),
    };
    let ends = Ends {
        max_bytes: (!endless).then(|| Bytes(all_passes(o, io, pass, loops))),
        pass_bytes: Some(Bytes(pass)),
        max_latency: Some(g.max_latency).filter(|m| *m != [Nanos(0); 3]),
        // Directions that the job does not use have no minimum rate.
        floor: [0, 1, 2]
            .map(|i| rate_of(o.rate.iops_min[i], o.rate.bytes_min[i]).filter(|_| direction_used(o.pattern.rw, i))),
        floor_cycle: o.rate.cycle,
        steady: steady(o),
        latency_target: (!g.latency_target.is_zero()).then_some(LatencyTarget {
            target: g.latency_target,
            window: g.latency_window,
            percentile: g.latency_percentile,
            run: g.latency_run,
        }),
        until_full: o.files.fill_device && o.pattern.rw.writes(),
        exit_all: (o.process.exitall || o.process.exitall_on_error).then_some(match o.process.exit_what {
            ExitWord::Group => ExitWhat::Group,
            ExitWord::Stonewall => ExitWhat::Stonewall,
            ExitWord::All => ExitWhat::All,
        }),
        exit_all_on_error: o.process.exitall_on_error && !o.process.exitall,
    };
    Ok((stop, ends))
}

/// Returns the bytes that one sequential pass over a file transfers if blocks are separated by gaps. The blocks have
/// one size and one direction.
///
/// The pass ends at the end of the file, or where the next block begins within the file but does not fit. Returns
/// `None` if a gap extends beyond the end of the file, because the job then continues at its beginning (fio's
/// `get_next_seq_offset`).
fn stepped(o: &JobOptions, file: Bytes) -> Option<u64> {
    let Some(RwArgument::Skip(skip @ 1..)) = o.pattern.rw_argument else { return None };
    let sequential = matches!(o.pattern.rw, Rw::Read | Rw::Write | Rw::Trim) && o.files.nrfiles.max(1) == 1;
    let block = used_blocks(o).next().filter(|_| sequential)?;
    let (low, high, file, skip) = (block.min().as_u64(), block.max().as_u64(), file.as_u64(), skip as u64);
    if low != high || low == 0 || file < low || o.files.filenames.len() > 1 {
        return None;
    }
    let steps = (file - low) / (low + skip);
    let end = steps * (low + skip) + low;
    (end == file || end + skip < file).then_some((steps + 1) * low)
}

/// Returns the number of bytes in one pass, after which written data is read back. A pass is at most as large as all
/// files together, with two exceptions. Random writes that may repeat never use up the files, and continue up to
/// `io_size` as in fio. Verified sequential writes start over until they reach `io_size`, as in fio since 2026. fio
/// 3.33 verified the writes after each pass.
fn pass_of(o: &JobOptions, io: u64, files: u64) -> u64 {
    let drawn = is_drawn(o) && o.pattern.rw.writes();
    let verified = o.verify.method != VerifyMethod::None || !o.verify.do_verify;
    let again = o.pattern.rw == Rw::Write && verified;
    if o.zones.is_strided() || drawn || again { io } else { io.min(files) }
}

/// Returns `true` if random offsets may repeat, so a pass never uses up all of them.
fn is_drawn(o: &JobOptions) -> bool {
    let p = &o.pattern;
    let used = (0..3).find(|i| direction_used(p.rw, *i)).unwrap_or(0);
    let even = p.distribution[used] == RandomDistribution::default();
    p.rw.is_random() && (p.may_repeat() || !even)
}

/// Returns `true` if the job can continue after transferring as many whole blocks as the file holds. This is possible
/// with random offsets that may repeat. It is also possible with a mix of sequential reads and writes, because reads
/// and writes each begin at the start of the file.
pub(super) fn is_endless(o: &JobOptions) -> bool {
    !o.zones.is_strided()
        && match o.pattern.rw {
            Rw::RandRead | Rw::RandWrite | Rw::RandRw => is_drawn(o),
            rw => rw == Rw::ReadWrite,
        }
}

/// Returns the number of bytes in all passes. If the job requests less than one pass, the requested bytes are
/// transferred `loops` times. If it requests more, it ends after the pass that reaches the requested bytes, but makes
/// at least `loops` passes. Bytes that are read back count as well (fio's `keep_running`).
fn all_passes(o: &JobOptions, io: u64, pass: u64, loops: u64) -> u64 {
    let mut total = io.saturating_mul(loops);
    // fio starts the files over for further loops. For the rest of `io_size`, it starts them over only with
    // `do_verify`.
    if !o.verify.do_verify && !is_endless(o) && !is_drawn(o) && !o.zones.is_strided() {
        total = total.min(pass.saturating_mul(loops));
    }
    let back = match o.pattern.rw {
        _ if o.verify.method == VerifyMethod::None || !o.verify.do_verify => 0,
        Rw::Write | Rw::RandWrite => pass,
        Rw::ReadWrite | Rw::RandRw => percent_of(pass, 100 - o.pattern.mix_read),
        _ => 0,
    };
    if io <= pass || (loops == 1 && back == 0) {
        return total;
    }
    // A remainder that is smaller than a block does not count.
    let largest = used_blocks(o).map(|b| b.max().as_u64()).max().unwrap_or(1).max(1);
    let passes = (io + 1).saturating_sub(largest).div_ceil(pass + back).max(loops);
    total.min(passes.saturating_mul(pass))
}

fn steady(o: &JobOptions) -> Option<SteadyRule> {
    let g = &o.goals;
    let (figure, slope) = match g.steady.of {
        SteadyWord::Iops => (SteadyOf::Iops, false),
        SteadyWord::IopsSlope => (SteadyOf::Iops, true),
        SteadyWord::Bw => (SteadyOf::Bandwidth, false),
        SteadyWord::BwSlope => (SteadyOf::Bandwidth, true),
        SteadyWord::Lat => (SteadyOf::Latency, false),
        SteadyWord::LatSlope => (SteadyOf::Latency, true),
    };
    (!g.steady_duration.is_zero()).then_some(SteadyRule {
        of: figure,
        slope,
        limit: g.steady.limit,
        percent: g.steady.percent,
        duration: g.steady_duration,
        ramp: g.steady_ramp,
        check: g.steady_interval,
    })
}
