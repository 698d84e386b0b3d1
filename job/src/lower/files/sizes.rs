//! Block sizes, and the offset and size of each file that a clone uses.

use super::paths::paths_on;
use crate::error::JobError;
use crate::file::{Section, not_done};
use crate::lower::facts::{Facts, PathKind};
use crate::options::{JobOptions, Rw, ZoneMode};
use crate::units::Extent;
use model::{Bytes, plan::BlockSizes};
use std::borrow::Cow;
use std::path::PathBuf;

/// Panic message for a size that is still in zones, although [`zones_as_bytes`] has converted all sizes to bytes.
pub(in crate::lower) const ZONES_ARE_BYTES: &str = "zones were converted to bytes before";

/// Size that means "until the file system is full".
pub(in crate::lower) const ENDLESS: u64 = 1 << 60;

/// Converts sizes and offsets in zones to bytes. The device determines the zone size. If the device has no zones, the
/// zone size is `zonesize`.
pub(in crate::lower) fn zones_as_bytes<'a>(
    section: &'a Section,
    facts: &dyn Facts,
) -> Result<Cow<'a, Section>, JobError> {
    let f = &section.options.files;
    let given = [("size", f.size), ("io_size", f.io_size), ("offset", Some(f.offset))];
    let given = given.into_iter().chain([("offset_increment", Some(f.offset_increment))]);
    let Some((option, _)) = given.clone().find(|(_, extent)| matches!(extent, Some(Extent::Zones(_)))) else {
        return Ok(Cow::Borrowed(section));
    };
    let zones = &section.options.zones;
    if zones.mode != ZoneMode::Zoned {
        return Err(not_done(section, option, "a number of zones needs zonemode=zbd"));
    }
    let first = paths_on(section, 0, &|path| facts.is_device(path)).into_iter().next();
    let zone_size = first.and_then(|path| facts.zone_size(&path));
    let Some(zone) = zone_size.or(Some(zones.size)).filter(|zone| !zone.is_zero()) else {
        return Err(not_done(section, option, "it counts zones, but the device has none: set zonesize"));
    };
    let bytes = |extent: Extent| match extent {
        Extent::Zones(n) => Extent::Bytes(Bytes(n.saturating_mul(zone.as_u64()))),
        Extent::Bytes(_) | Extent::Percent(_) => extent,
    };
    let mut section = section.clone();
    let f = &mut section.options.files;
    // A size of zero zones means the whole size, as if no size were given.
    f.size = f.size.map(bytes).filter(|size| *size != Extent::Bytes(Bytes(0)));
    f.io_size = f.io_size.map(bytes);
    (f.offset, f.offset_increment) = (bytes(f.offset), bytes(f.offset_increment));
    Ok(Cow::Owned(section))
}

pub(in crate::lower) fn direction_used(rw: Rw, direction: usize) -> bool {
    match direction {
        0 => rw.reads(),
        1 => rw.writes(),
        _ => rw.trims(),
    }
}

/// Returns the largest block size of the directions in use. Returns fio's default if no direction is in use.
pub(in crate::lower) fn largest_block(o: &JobOptions) -> Bytes {
    used_blocks(o).map(BlockSizes::max).max().unwrap_or(Bytes(4096))
}

/// Iterates over the block sizes of the directions in use.
pub(in crate::lower) fn used_blocks(o: &JobOptions) -> impl Iterator<Item = &BlockSizes> {
    o.block.bs.iter().enumerate().filter(|(i, _)| direction_used(o.pattern.rw, *i)).map(|(_, block)| block)
}

pub(in crate::lower) fn check_align(section: &Section, align: Bytes, offset: Bytes) -> Result<(), JobError> {
    let grain = align.as_u64().max(1);
    for block in used_blocks(&section.options) {
        let sizes: Vec<Bytes> = match block {
            BlockSizes::Fixed(size) => vec![*size],
            BlockSizes::Range(low, _) if section.options.block.unaligned => vec![*low, Bytes(1)],
            BlockSizes::Range(low, high) => vec![*low, *high],
            BlockSizes::Split(list) => list.iter().map(|s| s.size).collect(),
        };
        if let Some(wrong) = sizes.iter().find(|size| !size.as_u64().is_multiple_of(grain)) {
            let reason =
                format!("direct=1 needs sizes that are multiples of {grain} B here; {} B is not", wrong.as_u64());
            return Err(not_done(section, "bs", reason));
        }
    }
    if !offset.as_u64().is_multiple_of(grain) {
        let reason =
            format!("direct=1 needs offsets that are multiples of {grain} B here; {} B is not", offset.as_u64());
        return Err(not_done(section, "offset", reason));
    }
    Ok(())
}

/// Returns the offset and size of each file that a clone uses, by the rules of fio's `setup_files`.
pub(in crate::lower) fn sizes(
    section: &Section,
    clone: u32,
    paths: &[PathBuf],
    kinds: &[PathKind],
    null: bool,
    facts: &dyn Facts,
) -> Result<Vec<(Bytes, Bytes)>, JobError> {
    let o = &section.options;
    let f = &o.files;
    let grain = used_blocks(o).map(|b| b.min().as_u64()).min().unwrap_or(1).max(1);
    let smallest = used_blocks(o).map(|b| b.min().as_u64()).max().unwrap_or(1);
    let count = paths.len() as u64;
    let asked = match f.size {
        Some(Extent::Bytes(size)) => Some(size.as_u64()),
        _ => None,
    };
    // All files get equal shares, which are not rounded to blocks. The remaining whole blocks go to the first files.
    let share = asked.map(|total| total / count);
    let mut extra = asked.map_or(0, |total| (total - share.unwrap_or(0) * count) / grain);
    let mut ranges = Vec::with_capacity(paths.len());
    for (path, kind) in paths.iter().zip(kinds) {
        let real = match kind {
            PathKind::File(size) | PathKind::Device(size) => size.as_u64(),
            _ => 0,
        };
        let device = matches!(kind, PathKind::Device(_));
        let endless = *kind == PathKind::Endless;
        let offset = if f.file_append && !device { real } else { offset_of(o, clone, real, grain) };
        let rest = real.saturating_sub(offset);
        // A percentage refers to the current size of the file, or to the size that it will get.
        let part = |rest: u64| match f.size {
            Some(Extent::Percent(percent)) if percent < 100 => {
                percent_of(rest.saturating_add(offset), percent).min(rest) / grain * grain
            }
            _ => rest,
        };
        let size = match (f.filesize, share, f.size) {
            (Some((low, high)), _, _) if real < low.as_u64() || real > high.as_u64() => {
                let drawn = if low == high {
                    low.as_u64()
                } else {
                    low.as_u64() + facts.random() % (high.as_u64() - low.as_u64() + 1)
                };
                part(drawn.saturating_sub(offset) / grain * grain)
            }
            (Some(_), _, _) | (None, _, Some(Extent::Percent(_))) => part(rest),
            // A single file gets the whole size, including a short last piece.
            (None, Some(share), _) if count == 1 => asked.unwrap_or(share),
            (None, Some(share), _) => {
                let more = if extra > 0 { grain } else { 0 };
                extra = extra.saturating_sub(1);
                share + more
            }
            (None, None, _) => rest,
        };
        let shown = path.display();
        // If a size is given, the job ends as it would without `fill_device`. The option then only permits the file
        // system to become full.
        if f.fill_device && asked.is_none() && f.filesize.is_none() && !device && !endless {
            if !o.pattern.rw.writes() {
                let reason = "a job that only reads cannot fill the file system: set a size, or use a job that writes";
                return Err(not_done(section, "fill_device", reason));
            }
            ranges.push((Bytes(offset), Bytes(ENDLESS)));
            continue;
        }
        if device && offset.saturating_add(size) > real {
            let reason =
                format!("{shown} has {}, but {} at offset {} were requested", Bytes(real), Bytes(size), Bytes(offset));
            return Err(not_done(section, "size", reason));
        }
        if size == 0 && asked.is_none() {
            let (option, reason) = match kind {
                PathKind::Missing if null && o.engine.engine.server().is_some() => {
                    let what = format!("{} does not report a size, so the job needs one", o.engine.engine.word());
                    ("size", what)
                }
                PathKind::Missing if null => ("size", "the null engine needs a size".to_owned()),
                PathKind::Missing => ("size", format!("{shown} does not exist, so it needs a size")),
                _ if real > 0 && offset >= real => {
                    let reason =
                        format!("{} is at or beyond the end of {shown}, which has {}", Bytes(offset), Bytes(real));
                    ("offset", reason)
                }
                _ => ("size", format!("{shown} is empty, so it needs a size")),
            };
            return Err(not_done(section, option, reason));
        }
        if size < smallest {
            let reason = format!("a block of {} does not fit into {} of {shown}", Bytes(smallest), Bytes(size));
            return Err(not_done(section, "bs", reason));
        }
        ranges.push((Bytes(offset), Bytes(size)));
    }
    Ok(ranges)
}

pub(in crate::lower) fn percent_of(whole: u64, percent: u8) -> u64 {
    (u128::from(whole) * u128::from(percent) / 100) as u64
}

/// Returns the offset at which a clone's part of a file of `real` bytes begins. If `offset` or `offset_increment` is a
/// percentage, the result is rounded up to `offset_align`, or to the smallest block size.
fn offset_of(o: &JobOptions, clone: u32, real: u64, grain: u64) -> u64 {
    let f = &o.files;
    let of_real = |extent: Extent| match extent {
        Extent::Bytes(bytes) => bytes.as_u64(),
        Extent::Percent(percent) => percent_of(real, percent),
        Extent::Zones(_) => unreachable!("{ZONES_ARE_BYTES}"),
    };
    let offset = of_real(f.offset).saturating_add(of_real(f.offset_increment).saturating_mul(u64::from(clone)));
    let whole = [f.offset, f.offset_increment].iter().all(|e| matches!(e, Extent::Bytes(_)));
    let grain = if !f.offset_align.is_zero() { f.offset_align.as_u64() } else { grain };
    if whole { offset } else { offset.div_ceil(grain).saturating_mul(grain) }
}
