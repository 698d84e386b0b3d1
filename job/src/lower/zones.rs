//! Strided access and zoned devices.

use super::files::sizes::used_blocks;
use crate::error::JobError;
use crate::file::{Section, not_done};
use crate::options::{JobOptions, VerifyMethod, ZoneMode};
use model::Bytes;
use model::plan::{BlockSizes, StridedZone, ZonedRule, none_if_zero};

pub(super) fn strided(o: &JobOptions) -> Option<StridedZone> {
    let z = &o.zones;
    z.is_strided().then_some(StridedZone {
        size: z.size,
        range: if z.range.is_zero() { z.size } else { z.range },
        skip: z.skip,
    })
}

pub(super) fn zoned(o: &JobOptions) -> Option<Box<ZonedRule>> {
    let z = &o.zones;
    (z.mode == ZoneMode::Zoned).then(|| {
        Box::new(ZonedRule {
            size: none_if_zero(z.size),
            capacity: none_if_zero(z.capacity),
            skip: z.skip,
            max_open: none_if_zero(z.max_open),
            job_max_open: none_if_zero(z.job_max_open),
            ignore_limits: z.ignore_limits,
            read_beyond: z.read_beyond,
            reset_threshold: z.reset_threshold,
            reset_frequency: z.reset_frequency,
        })
    })
}

/// Returns an error for options that are not supported on zoned devices.
pub(super) fn refuse_in_zones(section: &Section) -> Result<(), JobError> {
    let o = &section.options;
    if o.zones.mode != ZoneMode::Zoned {
        return Ok(());
    }
    let engine = o.engine.engine;
    if o.pattern.rw.trims() {
        return Err(not_done(section, "rw", "zonemode=zbd does not support trims: writes reset the zones"));
    }
    if o.verify.method != VerifyMethod::None {
        return Err(not_done(
            section,
            "verify",
            "zonemode=zbd does not support verification: writes go to the write pointers",
        ));
    }
    if !engine.moves_contents() {
        let reason = format!("ioengine={} does not support zones; use io_uring, libaio or psync", engine.word());
        return Err(not_done(section, "zonemode", reason));
    }
    if o.pattern.rw.writes() && !o.engine.direct {
        return Err(not_done(
            section,
            "zonemode",
            "writing to zones needs direct=1: the page cache does not keep the order",
        ));
    }
    Ok(())
}

/// Checks strided zones. They need a single file, because fio counts the bytes of a zone across all files, so a zone
/// would end at an arbitrary place.
pub(super) fn check_zones(section: &Section, sizes: &[Bytes]) -> Result<(), JobError> {
    let Some(zone) = strided(&section.options) else { return Ok(()) };
    if sizes.len() > 1 {
        return Err(not_done(section, "zonemode", "strided zones need a single file: give each file its own job"));
    }
    let option = if !section.options.zones.range.is_zero() { "zonerange" } else { "zonesize" };
    let largest = used_blocks(&section.options).map(BlockSizes::max).max().unwrap_or_default();
    if zone.range < largest {
        let reason = format!("a block of {largest} does not fit into a zone of {}", zone.range);
        return Err(not_done(section, option, reason));
    }
    Ok(())
}

/// Returns the bytes of a sequential pass whose last zone is cut short by the end of the file. The pass ends there, as
/// in fio. Returns `None` if the zones continue at the start of the file.
pub(super) fn cut_short(zone: StridedZone, size: u64, grain: u64) -> Option<u64> {
    let (step, whole) =
        (zone.range.as_u64().saturating_add(zone.skip.as_u64()).max(1), zone.size.as_u64().div_ceil(grain) * grain);
    let last = (size - grain) / step;
    let left = (size - last * step) / grain * grain;
    (last > 0 && left < whole && left < zone.range.as_u64()).then(|| last * whole + left)
}
