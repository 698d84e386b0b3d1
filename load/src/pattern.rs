//! Which operation comes next: what, where, how large.
//!
//! Places are made 64 at a time, each aspect by one source chosen when the pattern is built, so what a workload does not
//! use is not asked about. Randomness without repetition needs no map of visited blocks: a block's turn is computed by
//! a bijection ([`Permutation`]), at a few nanoseconds and no memory (fio's map: about 50 ns and a cache miss).

use crate::engine::Request;
use crate::random::{Random, mix};
use model::{Access, BlockSizes, Bytes, Distribution, FlushKind, Mix, Op, Workload};

/// One operation's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Byte offset.
    pub at: u64,
    /// Bytes; 0 for a flush.
    pub len: u32,
    /// What.
    pub op: Op,
    /// How much a flush makes durable; without meaning for the others.
    pub flush: FlushKind,
    /// Which of the job's files, in the order of [`model::Job::targets`].
    pub file: u16,
}

impl Place {
    /// Before anything is known of it.
    const BLANK: Place = Place { at: 0, len: 0, op: Op::Read, flush: FlushKind::Data, file: 0 };

    /// The request for this place with this buffer.
    #[inline(always)]
    pub fn request(self, slot: u32) -> Request {
        Request { slot, op: self.op, flush: self.flush, file: self.file, at: self.at, len: self.len, skip: 0 }
    }
}

const BATCH: usize = 64;

/// Yields places without end.
pub struct Pattern {
    batch: [Place; BATCH],
    next: usize,
    base: u64,
    /// `None` = always the operation that stands in the batch from the start.
    ops: Option<Box<dyn OpSource>>,
    /// `None` = always the size that stands in the batch from the start.
    sizes: Option<Box<dyn SizeSource>>,
    places: Box<dyn PlaceSource>,
}

/// Which part of a job's work a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// This worker, from 0.
    pub worker: u32,
    /// Workers in all.
    pub workers: u32,
}

/// Why a workload has no pattern on this target.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PatternError {
    /// Not even one operation fits.
    #[error("a block of {block} does not fit into {size}")]
    TooSmall {
        /// Largest block.
        block: Bytes,
        /// Bytes a worker has.
        size: Bytes,
    },
    /// An empty list, a zero size, or weights that are all zero.
    #[error("block sizes are empty or zero")]
    NoBlock,
    /// More than one call of the kernel moves.
    #[error("a block of {block} is more than one operation can move: 1 GiB at most")]
    TooLarge {
        /// Largest block.
        block: Bytes,
    },
    /// A parameter for which the law of random places has no meaning.
    #[error("{what} is {value}: {allowed}")]
    NoLaw {
        /// Name of the parameter.
        what: &'static str,
        /// As given.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
}

/// The largest single operation, in bytes: an answer is a signed 32-bit number.
const LARGEST: u64 = 1 << 30;

impl Pattern {
    /// The pattern of one worker over `size` bytes from offset 0. The seed gives every aspect its own numbers.
    ///
    /// # Errors
    /// When the target is too small for the workload.
    pub fn new(workload: &Workload, size: Bytes, part: Part, seed: u64) -> Result<Self, PatternError> {
        let (min, max) = (workload.block.min().0, workload.block.max().0);
        if min == 0 || !workload.block.mean().is_finite() {
            return Err(PatternError::NoBlock);
        }
        if max > LARGEST {
            return Err(PatternError::TooLarge { block: Bytes(max) });
        }
        check_law(workload.access)?;
        let worker_seed = mix(seed ^ mix(u64::from(part.worker) + 1));
        let region = region(workload.access, size.0, min, part);
        if region.1 - region.0 < max {
            return Err(PatternError::TooSmall { block: Bytes(max), size: Bytes(region.1 - region.0) });
        }
        let only = only_op(workload);
        Ok(Pattern {
            batch: [Place { len: max as u32, op: only.unwrap_or(Op::Read), ..Place::BLANK }; BATCH],
            next: BATCH,
            base: 0,
            ops: only.is_none().then(|| op_source(workload.mix, workload.flush_every, worker_seed)),
            sizes: (min != max || workload.flush_every > 0).then(|| size_source(&workload.block, worker_seed)),
            places: place_source(workload, region, part, seed, worker_seed),
        })
    }

    /// Moves every place up by `base` bytes: for loads on a part of the target.
    #[must_use]
    pub fn starting_at(mut self, base: Bytes) -> Self {
        self.base = base.0;
        self
    }

    /// The next place.
    #[inline(always)]
    pub fn next_place(&mut self) -> Place {
        if self.next == BATCH {
            self.refill();
        }
        let place = self.batch[self.next];
        self.next += 1;
        place
    }

    #[inline(never)]
    fn refill(&mut self) {
        if let Some(ops) = &mut self.ops {
            ops.fill(&mut self.batch);
        }
        if let Some(sizes) = &mut self.sizes {
            sizes.fill(&mut self.batch);
        }
        self.places.fill(&mut self.batch);
        if self.base > 0 {
            for place in &mut self.batch {
                place.at += self.base;
            }
        }
        self.next = 0;
    }
}

/// Whether the law of random places is one: otherwise it would draw for ever, or another law in silence.
fn check_law(access: Access) -> Result<(), PatternError> {
    let Access::Random { distribution, .. } = access else { return Ok(()) };
    let (what, value, holds, allowed) = match distribution {
        Distribution::Uniform => return Ok(()),
        Distribution::Zipf(theta) => {
            ("the exponent of zipf", theta, theta > 0.0 && theta <= 100.0, "above 0, at most 100")
        }
        Distribution::Pareto(h) => ("the hot share of pareto", h, h > 0.0 && h < 1.0, "between 0 and 1"),
        Distribution::Normal(d) => {
            ("the deviation of normal", d, d > 0.0 && d <= 100.0, "above 0, at most 100 percent")
        }
    };
    if holds { Ok(()) } else { Err(PatternError::NoLaw { what, value, allowed }) }
}

/// Random workers share the whole range; sequential ones are streams of their own, so each has its own part of it.
fn region(access: Access, size: u64, grain: u64, part: Part) -> (u64, u64) {
    match access {
        Access::Random { .. } => (0, size),
        Access::Sequential => {
            let share = size / u64::from(part.workers.max(1)) / grain * grain;
            let start = share * u64::from(part.worker);
            let last = part.worker + 1 >= part.workers;
            (start, if last { size } else { start + share })
        }
    }
}

trait OpSource: Send {
    fn fill(&mut self, batch: &mut [Place; BATCH]);
}

trait SizeSource: Send {
    fn fill(&mut self, batch: &mut [Place; BATCH]);
}

/// Sizes are set when places are: a place must leave room for its size.
trait PlaceSource: Send {
    fn fill(&mut self, batch: &mut [Place; BATCH]);
}

/// The one operation of a mix, if it has only one.
fn single(mix: Mix) -> Option<Op> {
    [(Op::Write, mix.write_percent), (Op::Trim, mix.trim_percent), (Op::Read, mix.read_percent())]
        .into_iter()
        .find(|(_, share)| *share == 100)
        .map(|(op, _)| op)
}

/// The one operation of a workload, flushes considered.
fn only_op(workload: &Workload) -> Option<Op> {
    single(workload.mix).filter(|_| workload.flush_every == 0)
}

fn op_source(mix: Mix, flush_every: u32, seed: u64) -> Box<dyn OpSource> {
    let base: Box<dyn OpSource> = match single(mix) {
        Some(op) => Box::new(Always(op)),
        None => Box::new(Mixed {
            random: Random::new(seed ^ 0x0415),
            write_below: u64::from(mix.write_percent),
            trim_below: u64::from(mix.write_percent) + u64::from(mix.trim_percent),
        }),
    };
    if flush_every == 0 {
        return base;
    }
    Box::new(Flushing { base, spare: Vec::with_capacity(BATCH), every: flush_every, writes: 0 })
}

struct Always(Op);

impl OpSource for Always {
    fn fill(&mut self, batch: &mut [Place; BATCH]) {
        for place in batch {
            place.op = self.0;
        }
    }
}

struct Mixed {
    random: Random,
    write_below: u64,
    trim_below: u64,
}

impl OpSource for Mixed {
    fn fill(&mut self, batch: &mut [Place; BATCH]) {
        for place in batch {
            let roll = self.random.below(100);
            place.op = if roll < self.write_below {
                Op::Write
            } else if roll < self.trim_below {
                Op::Trim
            } else {
                Op::Read
            };
        }
    }
}

/// Puts a flush behind every n-th write.
struct Flushing {
    base: Box<dyn OpSource>,
    /// Operations of the base not yet handed out, last first.
    spare: Vec<Op>,
    every: u32,
    writes: u32,
}

impl OpSource for Flushing {
    fn fill(&mut self, batch: &mut [Place; BATCH]) {
        for place in batch {
            if self.writes == self.every {
                self.writes = 0;
                place.op = Op::Flush;
                continue;
            }
            if self.spare.is_empty() {
                let mut more = [Place::BLANK; BATCH];
                self.base.fill(&mut more);
                self.spare.extend(more.iter().rev().map(|p| p.op));
            }
            let op = self.spare.pop().expect("just refilled");
            self.writes += u32::from(op == Op::Write);
            place.op = op;
        }
    }
}

fn size_source(block: &BlockSizes, seed: u64) -> Box<dyn SizeSource> {
    match block {
        BlockSizes::Fixed(size) => Box::new(OneSize(size.0 as u32)),
        BlockSizes::Split(list) => {
            let mut below = 0u64;
            let table = list
                .iter()
                .map(|s| {
                    below += u64::from(s.weight);
                    (below, s.size.0 as u32)
                })
                .collect();
            Box::new(SplitSizes { random: Random::new(seed ^ 0xB555), table, total: below })
        }
        BlockSizes::Range(min, max) => {
            Box::new(RangeSizes { random: Random::new(seed ^ 0xB555), min: min.0 as u32, steps: max.0 / min.0 })
        }
    }
}

struct OneSize(u32);

impl SizeSource for OneSize {
    fn fill(&mut self, batch: &mut [Place; BATCH]) {
        for place in batch {
            place.len = if place.op == Op::Flush { 0 } else { self.0 };
        }
    }
}

struct SplitSizes {
    random: Random,
    /// (upper bound of the roll, size), rising.
    table: Vec<(u64, u32)>,
    total: u64,
}

impl SizeSource for SplitSizes {
    fn fill(&mut self, batch: &mut [Place; BATCH]) {
        for place in batch {
            let roll = self.random.below(self.total);
            let size = self.table.iter().find(|(below, _)| roll < *below).map_or(0, |(_, size)| *size);
            place.len = if place.op == Op::Flush { 0 } else { size };
        }
    }
}

/// Multiples of the smallest, each as likely.
struct RangeSizes {
    random: Random,
    min: u32,
    steps: u64,
}

impl SizeSource for RangeSizes {
    fn fill(&mut self, batch: &mut [Place; BATCH]) {
        for place in batch {
            let size = self.min * (1 + self.random.below(self.steps) as u32);
            place.len = if place.op == Op::Flush { 0 } else { size };
        }
    }
}

fn place_source(
    workload: &Workload,
    (start, end): (u64, u64),
    part: Part,
    seed: u64,
    worker_seed: u64,
) -> Box<dyn PlaceSource> {
    let block = &workload.block;
    let grain = block.min().0;
    let blocks = (end - start) / grain;
    let random = Random::new(worker_seed ^ 0x97AC);
    let grid = Grid { grain, end };
    let even = block.min() == block.max() && workload.flush_every == 0;
    match workload.access {
        Access::Sequential => Box::new(Sequential { start, end, at: start }),
        Access::Random { distribution: Distribution::Uniform, repeat: false } => {
            // All workers share the seed of the order and take every n-th turn of it.
            let order = Permutation::new(blocks, seed, u64::from(part.worker), u64::from(part.workers.max(1)));
            if even {
                return Box::new(Even { grain, source: order });
            }
            Box::new(OnGrid { grid, source: order })
        }
        Access::Random { distribution: Distribution::Uniform, .. } => {
            Box::new(OnGrid { grid, source: Drawn { blocks, draw: move |r: &mut Random, n| r.below(n), random } })
        }
        Access::Random { distribution: Distribution::Zipf(theta), .. } => {
            let scatter = Scatter::new(blocks, seed);
            let law =
                rand_distr::Zipf::new(blocks as f64, theta).expect("checked: exponent above 0, at least one block");
            let draw = move |r: &mut Random, n: u64| {
                let rank = rand_distr::Distribution::sample(&law, r) as u64 - 1;
                scatter.of(rank.min(n - 1))
            };
            Box::new(OnGrid { grid, source: Drawn { blocks, draw, random } })
        }
        Access::Random { distribution: Distribution::Pareto(h), .. } => {
            // Gray et al. 1994: n * u^(ln h / ln (1-h)) puts 1-h of the operations on the first h of the blocks.
            let power = h.ln() / (1.0 - h).ln();
            let scatter = Scatter::new(blocks, seed);
            let draw = move |r: &mut Random, n: u64| {
                let rank = (n as f64 * r.unit().powf(power)) as u64;
                scatter.of(rank.min(n - 1))
            };
            Box::new(OnGrid { grid, source: Drawn { blocks, draw, random } })
        }
        Access::Random { distribution: Distribution::Normal(deviation), .. } => {
            let draw = move |r: &mut Random, n: u64| {
                let middle = n as f64 / 2.0;
                loop {
                    let at = middle + r.normal() * deviation / 100.0 * n as f64;
                    if at >= 0.0 && at < n as f64 {
                        return at as u64;
                    }
                }
            };
            Box::new(OnGrid { grid, source: Drawn { blocks, draw, random } })
        }
    }
}

struct Sequential {
    start: u64,
    end: u64,
    at: u64,
}

impl PlaceSource for Sequential {
    fn fill(&mut self, batch: &mut [Place; BATCH]) {
        for place in batch {
            if self.at + u64::from(place.len) > self.end {
                self.at = self.start;
            }
            place.at = self.at;
            self.at += u64::from(place.len);
        }
    }
}

/// Places are multiples of the grain; a larger block that would reach beyond the end moves down.
#[derive(Clone, Copy)]
struct Grid {
    grain: u64,
    /// Bytes there are; at least the largest block.
    end: u64,
}

trait BlockSource: Send {
    fn next(&mut self) -> u64;
}

struct OnGrid<B> {
    grid: Grid,
    source: B,
}

impl<B: BlockSource> PlaceSource for OnGrid<B> {
    fn fill(&mut self, batch: &mut [Place; BATCH]) {
        for place in batch {
            if place.op == Op::Flush {
                place.at = 0;
                continue;
            }
            let last = self.grid.end - u64::from(place.len);
            place.at = (self.source.next() * self.grid.grain).min(last / self.grid.grain * self.grid.grain);
        }
    }
}

/// Every block as large as the grain, and no flushes: nothing to be looked at.
struct Even<B> {
    grain: u64,
    source: B,
}

impl<B: BlockSource> PlaceSource for Even<B> {
    fn fill(&mut self, batch: &mut [Place; BATCH]) {
        for place in batch {
            place.at = self.source.next() * self.grain;
        }
    }
}

struct Drawn<F> {
    blocks: u64,
    draw: F,
    random: Random,
}

impl<F: FnMut(&mut Random, u64) -> u64 + Send> BlockSource for Drawn<F> {
    #[inline(always)]
    fn next(&mut self) -> u64 {
        (self.draw)(&mut self.random, self.blocks)
    }
}

impl rand_core::RngCore for Random {
    fn next_u32(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.next()
    }

    fn fill_bytes(&mut self, dst: &mut [u8]) {
        for chunk in dst.chunks_mut(8) {
            let bytes = self.next().to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
    }
}

/// A bijection of `0..2^bits` onto itself: multiplications by odd numbers and xor-shifts, each invertible.
#[derive(Debug, Clone, Copy)]
struct Bijection {
    mask: u64,
    shift: u32,
    odd: [u64; 3],
    add: u64,
}

impl Bijection {
    /// The smallest power of two that holds `blocks`, scattered by `seed`.
    fn new(blocks: u64, seed: u64) -> Self {
        let bits = 64 - blocks.saturating_sub(1).leading_zeros();
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let mut random = Random::new(seed);
        // Odd multipliers with bits spread over the whole word.
        let odd = std::array::from_fn(|_| random.next() | 1);
        Bijection { mask, shift: bits.div_ceil(2).max(1), odd, add: random.next() }
    }

    #[inline(always)]
    fn of(&self, x: u64) -> u64 {
        let mut x = x.wrapping_add(self.add) & self.mask;
        for odd in self.odd {
            x = x.wrapping_mul(odd) & self.mask;
            x ^= x >> self.shift;
        }
        x
    }
}

/// Spreads ranks over blocks, one to one.
#[derive(Debug, Clone, Copy)]
struct Scatter {
    bijection: Bijection,
    blocks: u64,
}

impl Scatter {
    fn new(blocks: u64, seed: u64) -> Self {
        Scatter { bijection: Bijection::new(blocks, mix(seed ^ 0x5CA7)), blocks }
    }

    /// Cycle walking: the bijection is applied again until the value is a block; at most twice on average.
    fn of(&self, rank: u64) -> u64 {
        let mut x = rank;
        loop {
            x = self.bijection.of(x);
            if x < self.blocks {
                return x;
            }
        }
    }
}

/// Every block exactly once per pass over all workers together, each pass in another order.
#[derive(Debug, Clone)]
pub struct Permutation {
    blocks: u64,
    bijection: Bijection,
    counter: u64,
    first: u64,
    stride: u64,
    seed: u64,
    pass: u64,
}

impl Permutation {
    /// The turns `first, first + stride, ...` of the order given by `seed` over `blocks` blocks.
    #[must_use]
    pub fn new(blocks: u64, seed: u64, first: u64, stride: u64) -> Self {
        let seed = mix(seed ^ 0x0EDE);
        let bijection = Bijection::new(blocks.max(1), seed);
        // A worker beyond the last turn would never find a block; it then walks with the others.
        let first = if first > bijection.mask { 0 } else { first };
        Permutation { blocks: blocks.max(1), bijection, counter: first, first, stride, seed, pass: 0 }
    }
}

impl BlockSource for Permutation {
    #[inline(always)]
    fn next(&mut self) -> u64 {
        loop {
            if self.counter > self.bijection.mask {
                self.pass += 1;
                self.counter = self.first;
                self.bijection = Bijection::new(self.blocks, mix(self.seed.wrapping_add(self.pass)));
            }
            let block = self.bijection.of(self.counter);
            self.counter += self.stride;
            if block < self.blocks {
                return block;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::SizeShare;
    use proptest::prelude::*;

    const ALONE: Part = Part { worker: 0, workers: 1 };

    fn workload(mix: Mix, k: u64, access: Access) -> Workload {
        Workload::new(mix, Bytes(k << 10), access)
    }

    proptest! {
        #[test]
        fn random_without_repetition_touches_every_block_exactly_once_per_pass(
            blocks in 1u64..3000, workers in 1u64..9, seed: u64,
        ) {
            let mut seen = vec![0u32; blocks as usize];
            for worker in 0..workers {
                let mut order = Permutation::new(blocks, seed, worker, workers);
                if order.first != worker {
                    continue;
                }
                while order.counter <= order.bijection.mask && order.pass == 0 {
                    let before = order.pass;
                    let block = order.next();
                    if order.pass != before {
                        break;
                    }
                    seen[block as usize] += 1;
                }
            }
            prop_assert!(seen.iter().all(|n| *n == 1));
        }

        #[test]
        fn every_place_lies_inside_and_on_the_grid(
            access in prop_oneof![
                Just(Access::Sequential),
                Just(Access::RANDOM),
                Just(Access::Random { distribution: Distribution::Uniform, repeat: true }),
                Just(Access::Random { distribution: Distribution::Zipf(1.2), repeat: true }),
                Just(Access::Random { distribution: Distribution::Pareto(0.2), repeat: true }),
                Just(Access::Random { distribution: Distribution::Normal(10.0), repeat: true }),
            ],
            size in 400_000u64..9_000_000, worker in 0u32..3, split: bool, seed: u64,
        ) {
            let mut w = workload(Mix { write_percent: 30, trim_percent: 0 }, 8, access);
            if split {
                w.block = BlockSizes::Split(
                    [(8, 20), (16, 10), (128, 70)].map(|(k, weight)| SizeShare { size: Bytes(k << 10), weight }).to_vec(),
                );
            }
            let mut p = Pattern::new(&w, Bytes(size), Part { worker, workers: 3 }, seed).unwrap();
            for _ in 0..500 {
                let place = p.next_place();
                prop_assert!(place.at + u64::from(place.len) <= size);
                prop_assert_eq!(place.at % 8192, 0);
            }
        }
    }

    #[test]
    fn two_passes_have_different_orders_of_the_same_blocks() {
        let mut p = Pattern::new(&workload(Mix::READ, 4, Access::RANDOM), Bytes(400 << 10), ALONE, 1).unwrap();
        let mut pass = || (0..100).map(|_| p.next_place().at).collect::<Vec<_>>();
        let (mut a, mut b) = (pass(), pass());
        assert_ne!(a, b);
        a.sort_unstable();
        b.sort_unstable();
        assert_eq!(a, b);
    }

    #[test]
    fn a_random_order_does_not_alternate() {
        // A plain linear generator would give neighbours of alternating parity; a device with two halves would notice.
        let mut p = Pattern::new(&workload(Mix::READ, 4, Access::RANDOM), Bytes(4 << 30), ALONE, 9).unwrap();
        let blocks: Vec<u64> = (0..20_000).map(|_| p.next_place().at / 4096).collect();
        for bit in 0..10 {
            let changes = blocks.windows(2).filter(|w| (w[0] ^ w[1]) >> bit & 1 == 1).count() as f64;
            assert!((changes / 20_000.0 - 0.5).abs() < 0.05, "bit {bit}: {changes}");
        }
        let mean = blocks.iter().sum::<u64>() as f64 / 20_000.0 / f64::from(1 << 20);
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }

    #[test]
    fn sequential_workers_are_streams_of_their_own_that_cover_all() {
        let w = workload(Mix::READ, 64, Access::Sequential);
        let mut all: Vec<u64> = Vec::new();
        for worker in 0..4 {
            let mut p = Pattern::new(&w, Bytes(16 << 20), Part { worker, workers: 4 }, 0).unwrap();
            let places: Vec<u64> = (0..64).map(|_| p.next_place().at).collect();
            assert!(places.windows(2).all(|w| w[1] == w[0] + 65536));
            assert_eq!(p.next_place().at, places[0], "wraps to its own start");
            all.extend(places);
        }
        all.sort_unstable();
        assert_eq!(all, (0..256).map(|i| i * 65536).collect::<Vec<_>>());
    }

    #[test]
    fn the_mix_comes_out_as_asked() {
        let w = workload(Mix { write_percent: 25, trim_percent: 5 }, 4, Access::RANDOM);
        let mut p = Pattern::new(&w, Bytes(1 << 30), ALONE, 3).unwrap();
        let mut count = [0u32; 4];
        for _ in 0..100_000 {
            count[p.next_place().op.index()] += 1;
        }
        assert!((f64::from(count[Op::Read.index()]) / 1000.0 - 70.0).abs() < 0.6, "{count:?}");
        assert!((f64::from(count[Op::Write.index()]) / 1000.0 - 25.0).abs() < 0.6, "{count:?}");
    }

    #[test]
    fn shares_of_a_split_are_of_the_count() {
        let mut w = workload(Mix::READ, 8, Access::RANDOM);
        w.block = BlockSizes::Split(
            [(8, 20), (16, 10), (32, 10), (512, 60)]
                .map(|(k, weight)| SizeShare { size: Bytes(k << 10), weight })
                .to_vec(),
        );
        let mut p = Pattern::new(&w, Bytes(1 << 30), ALONE, 3).unwrap();
        let mean = (0..100_000).map(|_| f64::from(p.next_place().len)).sum::<f64>() / 100_000.0 / 1024.0;
        assert!((mean - 313.6).abs() < 3.0, "{mean}");
    }

    #[test]
    fn a_flush_follows_every_second_write_and_moves_nothing() {
        let mut w = workload(Mix::WRITE, 8, Access::Sequential);
        w.flush_every = 2;
        let mut p = Pattern::new(&w, Bytes(1 << 20), ALONE, 0).unwrap();
        let places: Vec<Place> = (0..6).map(|_| p.next_place()).collect();
        let ops: Vec<Op> = places.iter().map(|p| p.op).collect();
        assert_eq!(ops, [Op::Write, Op::Write, Op::Flush, Op::Write, Op::Write, Op::Flush]);
        assert_eq!((places[2].len, places[3].at), (0, 16384));
    }

    #[test]
    fn zipf_has_hot_blocks_and_scatters_them() {
        let access = Access::Random { distribution: Distribution::Zipf(1.2), repeat: true };
        let mut p = Pattern::new(&workload(Mix::READ, 4, access), Bytes(64 << 20), ALONE, 3).unwrap();
        let mut hits = std::collections::HashMap::new();
        for _ in 0..50_000 {
            *hits.entry(p.next_place().at / 4096).or_insert(0u32) += 1;
        }
        let mut top: Vec<(u64, u32)> = hits.into_iter().collect();
        top.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        assert!(top[0].1 > 5000, "{:?}", top[0]);
        assert!(top[0].0.abs_diff(top[1].0) > 1, "the two hottest are neighbours");
    }

    #[test]
    fn pareto_twenty_eighty() {
        let access = Access::Random { distribution: Distribution::Pareto(0.2), repeat: true };
        let mut p = Pattern::new(&workload(Mix::READ, 4, access), Bytes(40 << 20), ALONE, 3).unwrap();
        let mut hits = vec![0u32; 10240];
        for _ in 0..200_000 {
            hits[(p.next_place().at / 4096) as usize] += 1;
        }
        hits.sort_by_key(|n| std::cmp::Reverse(*n));
        let hot: u32 = hits[..2048].iter().sum();
        assert!((f64::from(hot) / 200_000.0 - 0.8).abs() < 0.02, "{hot}");
    }

    #[test]
    fn a_block_that_is_no_multiple_of_the_smallest_stays_inside_the_smallest_target() {
        let mut w = workload(Mix::WRITE, 4, Access::RANDOM);
        w.block =
            BlockSizes::Split([(4096, 1), (6144, 1)].map(|(b, weight)| SizeShare { size: Bytes(b), weight }).to_vec());
        for size in 6144..9000 {
            let mut p = Pattern::new(&w, Bytes(size), ALONE, size).unwrap();
            assert!((0..64).map(|_| p.next_place()).all(|p| p.at + u64::from(p.len) <= size), "{size}");
        }
    }

    #[test]
    fn what_has_no_meaning_is_refused_and_not_run_as_something_else() {
        let random = |distribution| Access::Random { distribution, repeat: true };
        let laws = [-1.0, 0.0, 101.0, f64::NAN, f64::INFINITY];
        let refused = |w: &Workload| Pattern::new(w, Bytes(1 << 40), ALONE, 0).err();
        for x in laws {
            for law in [Distribution::Zipf(x), Distribution::Pareto(x), Distribution::Normal(x)] {
                let error = refused(&workload(Mix::READ, 4, random(law)));
                assert!(matches!(error, Some(PatternError::NoLaw { .. })), "{law:?}: {error:?}");
            }
        }
        let mut w = workload(Mix::READ, 5 << 20, Access::RANDOM);
        assert!(matches!(refused(&w), Some(PatternError::TooLarge { .. })));
        w.block = BlockSizes::Split(vec![SizeShare { size: Bytes(4096), weight: 0 }]);
        assert_eq!(refused(&w), Some(PatternError::NoBlock));
    }

    #[test]
    fn a_target_smaller_than_a_block_is_refused() {
        let w = workload(Mix::READ, 64, Access::RANDOM);
        assert!(matches!(Pattern::new(&w, Bytes(4096), ALONE, 0), Err(PatternError::TooSmall { .. })));
    }
}
