//! Construction of patterns: checks the workload, then selects the simplest source that implements it.

use super::cursor::{FileCursor, ZoneWalk};
use super::detailed::{Again, Detailed, Flushes, Ops, Order, Sizes};
use super::distribution::{self, OffsetDistribution};
use super::files::Files;
use super::offsets::{self, OffsetGenerator, Turns};
use super::order::{Permutation, Runs};
use super::plain::{Drawn, Mixed, Once, Places, Plain, Sequential};
use super::size::SizeLaw;
use super::variable_size::VariableSizeOrder;
use super::{Part, PatternError, Source, Span};
use crate::random::{Random, mix};
use model::plan::{Access, BlockSizes, Distribution, FlushKind, Mix, StridedZone, Workload};
use model::{Bytes, Op};

/// Maximum size of an operation, in bytes. Results are signed 32-bit numbers.
const LARGEST: u64 = 1 << 30;
/// Maximum number of files in a job. The index of a file is stored in 16 bits.
const MOST_FILES: usize = 1 << 16;

/// Parameters from which a pattern is built.
pub(super) struct Recipe<'a> {
    pub workload: &'a Workload,
    pub spans: &'a [Span],
    pub part: Part,
    pub seed: u64,
    pub pass_bytes: Option<Bytes>,
}

/// Source of a pattern, with the kind and size of its operations if these are constant.
pub(super) struct Made {
    pub source: Box<dyn Source>,
    pub op: Op,
    pub len: u32,
}

/// Checks the parameters and builds the source.
pub(super) fn build(recipe: &Recipe<'_>) -> Result<Made, PatternError> {
    let largest = check(recipe)?;
    let regions = regions(recipe, largest)?;
    plain(recipe, &regions).map_or_else(|| detailed(recipe, &regions, largest), Ok)
}

/// Returns the kinds of operations in the mix, without flushes.
fn used(mix: Mix) -> impl Iterator<Item = Op> {
    [Op::Read, Op::Write, Op::Trim].into_iter().filter(move |op| mix.share(*op) > 0.0)
}

/// Returns the only kind of operation in the mix, or `None` if there are several.
fn single(mix: Mix) -> Option<Op> {
    used(mix).next().filter(|_| used(mix).count() == 1)
}

/// Returns `true` if the mix has only trims and writes: each block is trimmed, then written (fio's trimwrite).
fn trims_then_writes(mix: Mix) -> bool {
    mix.trim_percent > 0 && mix.write_percent > 0 && mix.read_percent() == 0
}

/// Checks that the workload is valid, and returns the size of the largest operation.
fn check(recipe: &Recipe<'_>) -> Result<u64, PatternError> {
    let Recipe { workload, spans, .. } = recipe;
    let mut largest = 0;
    for op in used(workload.mix) {
        for sizes in [workload.sizes_of(op), &workload.block] {
            let mean = sizes.mean();
            if sizes.min().is_zero() || !mean.is_finite() || sizes.max() < sizes.min() {
                return Err(PatternError::NoBlock);
            }
        }
        largest = largest.max(workload.sizes_of(op).max().as_u64());
    }
    if workload.detail.block_by_order {
        largest = workload.max_block().as_u64();
    }
    if largest > LARGEST {
        return Err(PatternError::TooLarge { block: Bytes(largest) });
    }
    if let Access::Random { distribution, .. } = workload.access {
        distribution::check(distribution, workload.detail.centre)?;
    }
    check_detail(workload)?;
    if spans.is_empty() || spans.len() > MOST_FILES {
        return Err(PatternError::Files { count: spans.len() });
    }
    if recipe.pass_bytes == Some(Bytes(0)) {
        return Err(PatternError::TooSmall { block: Bytes(largest), size: Bytes(0) });
    }
    Ok(largest)
}

fn check_detail(workload: &Workload) -> Result<(), PatternError> {
    let detail = &workload.detail;
    let no_law = |what, value, allowed| Err(PatternError::NoLaw { what, value, allowed });
    match detail.file_order {
        model::plan::FileOrder::Zipf(x) => distribution::check(Distribution::Zipf(x), None)?,
        model::plan::FileOrder::Pareto(x) => distribution::check(Distribution::Pareto(x), None)?,
        model::plan::FileOrder::Normal(x) => distribution::check(Distribution::Normal(x), None)?,
        _ => {}
    }
    if detail.align.is_some_and(|align| used(workload.mix).any(|op| align[op.index()].as_u64() == 0)) {
        return no_law("the alignment of random offsets", 0.0, "above 0");
    }
    if let Some(percent) = detail.random_percent.and_then(|p| p.into_iter().find(|p| *p > 100)) {
        return no_law("the share of random offsets", f64::from(percent), "at most 100 percent");
    }
    let uneven =
        matches!(workload.access, Access::Random { distribution, .. } if distribution != Distribution::Uniform);
    if let Some(zone) = detail.zone {
        if zone.size.is_zero() {
            return no_law("the size of a zone in bytes", 0.0, "above 0");
        }
        if uneven || !detail.zones.is_empty() {
            return Err(PatternError::Conflict { one: "strided zones", other: "a random distribution" });
        }
    }
    if !detail.zones.is_empty() && uneven {
        return Err(PatternError::Conflict { one: "shares of zones", other: "another random distribution" });
    }
    if !workload.access.is_random() && (!detail.zones.is_empty() || detail.random_percent.is_some_and(|p| p != [0; 3]))
    {
        return Err(PatternError::Conflict { one: "a sequential workload", other: "a share of random offsets" });
    }
    if workload.access.is_random() && detail.stride != 0 && gap(workload) == 0 {
        return Err(PatternError::Conflict {
            one: "interleaved random blocks",
            other: "a random distribution or several block sizes",
        });
    }
    Ok(())
}

/// Returns the length of the gap, in bytes, that random offsets leave after each block; 0 = no gaps. The gaps are for
/// the blocks of other workers or ranks.
fn gap(workload: &Workload) -> u64 {
    let detail = &workload.detail;
    let even = once_and_always(workload) && detail.run <= 1 && detail.zone.is_none() && one_size(workload).is_some();
    if even { u64::try_from(detail.stride).unwrap_or(0) } else { 0 }
}

/// Returns the range of each file that this worker uses. Random workers share the whole range; each sequential worker
/// has a separate part.
fn regions(recipe: &Recipe<'_>, largest: u64) -> Result<Vec<(u64, u64)>, PatternError> {
    let Recipe { workload, spans, part, .. } = recipe;
    // Streams that skip the blocks of other ranks begin at one of their own blocks.
    let left_out = u64::try_from(workload.detail.stride).unwrap_or(0);
    let grain = match left_out {
        0 => workload.min_block().as_u64(),
        gap => workload.min_block().as_u64() * u64::from(workload.detail.run.max(1)) + gap,
    };
    let mut regions = Vec::with_capacity(spans.len());
    for span in *spans {
        let (start, size) = (span.at.as_u64(), span.size.as_u64());
        let (from, to) = if workload.access.is_random() {
            (0, size)
        } else {
            let share = size / u64::from(part.workers.max(1)) / grain * grain;
            let from = share * u64::from(part.worker);
            (from, if part.worker + 1 >= part.workers { size } else { from + share })
        };
        if to - from < largest {
            return Err(PatternError::TooSmall { block: Bytes(largest), size: Bytes(to - from) });
        }
        regions.push((start.saturating_add(from), start.saturating_add(to)));
    }
    Ok(regions)
}

fn turns(recipe: &Recipe<'_>, salt: u64) -> Turns {
    let Recipe { part, seed, .. } = recipe;
    let worker_seed = mix(seed ^ mix(u64::from(part.worker) + 1));
    // The first file gets the same offsets as the file of a job with only one file.
    let salted = |seed: u64| if salt == 0 { seed } else { mix(seed ^ mix(salt)) };
    Turns {
        first: u64::from(part.worker),
        stride: u64::from(part.workers.max(1)),
        seed: salted(*seed),
        own: salted(worker_seed),
    }
}

/// Returns `true` if every pass repeats the first one. This is the case for verified random loads without repetition.
/// Verified data may be written in one pass and read in several. Therefore, the mix must be drawn identically in each
/// pass, and so must the offsets if a pass does not cover the range. fio does the same: it reseeds its generators in
/// each loop if no offset occurs twice within a loop.
fn repeats(workload: &Workload) -> bool {
    workload.detail.verify.is_some() && matches!(workload.access, Access::Random { repeat: false, .. })
}

/// Returns the plain source if the workload is plain: one file, one size, no flushes, no settings that affect offsets,
/// and passes that cover the whole file.
fn plain(recipe: &Recipe<'_>, regions: &[(u64, u64)]) -> Option<Made> {
    let Recipe { workload, pass_bytes, .. } = recipe;
    let detail = &workload.detail;
    let [(start, end)] = regions else { return None };
    let len = u64::from(one_size(workload)?);
    let grain = even_grain(workload)?;
    let busy = workload.flush_every.is_some()
        || detail.full_flush_every.is_some()
        || detail.run > 1
        || detail.stride != 0 && gap(workload) == 0
        || !detail.zones.is_empty()
        || detail.zone.is_some()
        || detail.random_percent.is_some_and(|p| p != [100; 3])
        || trims_then_writes(workload.mix)
        || repeats(workload) && single(workload.mix).is_none();
    let step = grain + gap(workload);
    let blocks = room_of(end - start, len, step);
    let pass_ops = if step > grain { blocks } else { (end - start) / len };
    if busy || pass_bytes.is_some_and(|p| p.as_u64().div_ceil(len) < pass_ops) {
        return None;
    }
    let Turns { first, stride, seed, own: worker_seed } = turns(recipe, 0);
    let op = single(workload.mix);
    let places: Box<dyn Places> = match workload.access {
        Access::Sequential => {
            op?;
            let last = start + (pass_ops - 1) * len;
            Box::new(Sequential { start: *start, last, step: len, at: *start })
        }
        Access::Random { distribution: Distribution::Uniform, repeat: false } => {
            if grain != len {
                return None;
            }
            Box::new(Once { start: *start, step, order: Permutation::new(blocks, seed, first, stride) })
        }
        Access::Random { distribution, .. } => {
            let law =
                OffsetDistribution::new(distribution, detail.centre, blocks, seed, Random::new(worker_seed ^ 0x97AC));
            Box::new(Drawn { start: *start, grain, law })
        }
    };
    let mixed = op.is_none().then(|| Mixed::new(workload.mix, worker_seed));
    Some(Made { source: Box::new(Plain { mixed, places }), op: op.unwrap_or(Op::Read), len: len as u32 })
}

/// Returns the size of the operations, if all of them have the same size.
fn one_size(workload: &Workload) -> Option<u32> {
    let laws = laws(workload);
    let first = laws.random[used(workload.mix).next()?.index()].fixed()?;
    used(workload.mix)
        .all(|op| laws.random[op.index()].fixed() == Some(first) && laws.sequential[op.index()].fixed() == Some(first))
        .then_some(first)
}

/// Returns the alignment of random offsets, if it is the same for every operation.
fn even_grain(workload: &Workload) -> Option<u64> {
    let mut grains = used(workload.mix).map(|op| grain_of(workload, op));
    let first = grains.next()?;
    grains.all(|g| g == first).then_some(first)
}

fn grain_of(workload: &Workload, op: Op) -> u64 {
    match workload.detail.align {
        Some(align) => align[op.index()].as_u64(),
        // With this option, random operations have the sizes of writes.
        None if workload.detail.block_by_order => workload.sizes_of(Op::Write).min().as_u64(),
        None => workload.sizes_of(op).min().as_u64(),
    }
}

/// Returns the number of aligned offsets at which an operation of `smallest` bytes fits.
fn room_of(size: u64, smallest: u64, grain: u64) -> u64 {
    (size.saturating_sub(smallest) / grain) + 1
}

fn laws(workload: &Workload) -> Sizes {
    let law = |sizes: &BlockSizes| SizeLaw::new(sizes, workload.detail.unaligned);
    let by_op = [Op::Read, Op::Write, Op::Trim].map(|op| law(workload.sizes_of(op)));
    let smallest = workload.min_block().as_u64();
    if workload.detail.block_by_order {
        let both = |op| std::array::from_fn(|_| law(workload.sizes_of(op)));
        return Sizes { random: both(Op::Write), sequential: both(Op::Read), smallest };
    }
    Sizes { random: by_op.clone(), sequential: by_op, smallest }
}

fn detailed(recipe: &Recipe<'_>, regions: &[(u64, u64)], largest: u64) -> Result<Made, PatternError> {
    let Recipe { workload, seed, pass_bytes, .. } = recipe;
    let detail = &workload.detail;
    let sizes = laws(workload);
    let worker_seed = turns(recipe, 0).own;
    let mut grounds = Vec::with_capacity(regions.len());
    let mut which = [0; 3];
    for (number, region) in regions.iter().enumerate() {
        let (ground, belongs) = ground(recipe, *region, number as u64, &sizes, largest)?;
        which = belongs;
        grounds.push(ground);
    }
    if repeats(workload) {
        grounds.iter_mut().flat_map(|g| &mut g.spots).for_each(OffsetGenerator::repeat);
    }
    let ops = match single(workload.mix) {
        Some(op) => Ops::One(op),
        None if trims_then_writes(workload.mix) => Ops::TrimThenWrite,
        None => Ops::Mixed(Mixed::new(workload.mix, worker_seed)),
    };
    let in_spots = matches!(grounds[0].spots.first(), Some(OffsetGenerator::Runs { .. }));
    let order = Order {
        random: workload.access.is_random(),
        spots: which,
        run: if in_spots { 0 } else { detail.run },
        run_left: 0,
        identical: detail.identical && workload.access.is_random(),
        percent: detail.random_percent.unwrap_or([100; 3]),
        stride: if workload.access.is_random() { 0 } else { detail.stride },
    };
    let every = match detail.flush {
        FlushKind::Data => [workload.flush_every, detail.full_flush_every],
        FlushKind::Full => [detail.full_flush_every, workload.flush_every],
    };
    let pass = pass_bytes.map_or(u64::MAX, |p| p.as_u64());
    let lengths: Vec<u64> = regions.iter().map(|(from, to)| to - from).collect();
    let random = Random::new(worker_seed ^ 0xB555);
    let again = repeats(workload).then(|| Again {
        mixed: match &ops {
            Ops::Mixed(mixed) => Some(mixed.clone()),
            _ => None,
        },
        random: random.clone(),
    });
    let total: u64 = lengths.iter().sum();
    let apart = pass_bytes.is_some() && !workload.access.is_random() && single(workload.mix).is_none();
    let source = Detailed {
        ops,
        flushes: Flushes { every, writes: 0, due: None },
        files: Files::new(&lengths, detail.file_order, *seed, Random::new(worker_seed ^ 0xF11E)),
        grounds,
        order,
        sizes,
        pass_bytes: pass,
        pass_left: pass,
        goes_on: pass < total || apart,
        owed: None,
        random,
        again,
    };
    Ok(Made { source: Box::new(source), op: Op::Read, len: 0 })
}

/// Returns the cursor of one file and, for each operation, the index of its generator of random offsets.
fn ground(
    recipe: &Recipe<'_>,
    (start, end): (u64, u64),
    number: u64,
    sizes: &Sizes,
    largest: u64,
) -> Result<(FileCursor, [usize; 3]), PatternError> {
    let workload = recipe.workload;
    let turns = turns(recipe, number);
    if let Some(rule) = workload.detail.zone {
        return zoned(workload, rule, (start, end), turns, largest).map(|ground| (ground, [0; 3]));
    }
    let (mut list, mut grains, mut which) = (Vec::new(), Vec::new(), [0; 3]);
    if let Access::Random { .. } = workload.access {
        if let Some(tiles) = tiles(workload, sizes, end - start, turns) {
            list.push(tiles);
        } else {
            for op in used(workload.mix) {
                let grain = grain_of(workload, op);
                let known = grains.iter().position(|g| *g == grain);
                which[op.index()] = known.unwrap_or(list.len());
                if known.is_none() {
                    list.push(spots_of(workload, op, grain, end - start, turns, sizes)?);
                    grains.push(grain);
                }
            }
        }
    }
    Ok((FileCursor::new(start, end, list, None), which))
}

fn zoned(
    workload: &Workload,
    rule: StridedZone,
    (start, end): (u64, u64),
    turns: Turns,
    largest: u64,
) -> Result<FileCursor, PatternError> {
    let once = matches!(workload.access, Access::Random { repeat: false, .. });
    let grain = used(workload.mix).map(|op| grain_of(workload, op)).min().unwrap_or(1);
    let walk = ZoneWalk::new(rule, (start, end), grain, once, turns.own);
    if walk.room() < largest {
        return Err(PatternError::TooSmall { block: Bytes(largest), size: Bytes(walk.room()) });
    }
    Ok(FileCursor::new(start, end, Vec::new(), Some(walk)))
}

/// Returns `true` if all offsets are random and none is visited twice in a pass.
fn once_and_always(workload: &Workload) -> bool {
    let detail = &workload.detail;
    workload.access == Access::RANDOM
        && detail.zones.is_empty()
        && detail.random_percent.is_none_or(|p| p == [100; 3])
        && !detail.identical
        && detail.align.is_none()
}

/// Returns the generator of pieces of different sizes, for workloads with several sizes in which no offset may repeat.
fn tiles(workload: &Workload, sizes: &Sizes, size: u64, turns: Turns) -> Option<OffsetGenerator> {
    if !once_and_always(workload) || workload.detail.run > 1 || one_size(workload).is_some() {
        return None;
    }
    let grain = used(workload.mix).map(|op| grain_of(workload, op)).min()?;
    let shares: Vec<_> = if trims_then_writes(workload.mix) {
        vec![(Op::Trim, 100, &sizes.random[Op::Trim.index()])]
    } else {
        used(workload.mix)
            .map(|op| (op, (workload.mix.share(op) * 100.0).round() as u64, &sizes.random[op.index()]))
            .collect()
    };
    Some(OffsetGenerator::VariableSize(VariableSizeOrder::new(
        &shares,
        size,
        grain,
        turns.seed,
        turns.first,
        turns.stride,
    )))
}

fn spots_of(
    workload: &Workload,
    op: Op,
    grain: u64,
    size: u64,
    turns: Turns,
    sizes: &Sizes,
) -> Result<OffsetGenerator, PatternError> {
    let detail = &workload.detail;
    let smallest = match &sizes.random[op.index()] {
        SizeLaw::Fixed(size) => u64::from(*size),
        _ => sizes.smallest,
    };
    let step = grain + gap(workload);
    let blocks = room_of(size, smallest, step);
    let Access::Random { distribution, repeat } = workload.access else {
        return Ok(OffsetGenerator::Once {
            order: Permutation::new(blocks, turns.seed, turns.first, turns.stride),
            grain,
        });
    };
    let random = Random::new(turns.own ^ 0x97AC);
    if !detail.zones.is_empty() {
        let zones = offsets::zones(&detail.zones, (blocks, grain), repeat, turns)?;
        return Ok(OffsetGenerator::Zoned { zones, random, grain });
    }
    if repeat || distribution != Distribution::Uniform {
        let law = OffsetDistribution::new(distribution, detail.centre, blocks, turns.seed, random);
        return Ok(OffsetGenerator::Drawn { law, grain });
    }
    if detail.run > 1 && once_and_always(workload) && one_size(workload).is_some() {
        let runs = Runs::new(blocks, u64::from(detail.run), turns.seed, turns.first, turns.stride);
        return Ok(OffsetGenerator::Runs { runs, grain });
    }
    let order = Permutation::new(blocks, turns.seed, turns.first, turns.stride);
    Ok(OffsetGenerator::Once { order, grain: step })
}
