//! Sequence of operations: the kind, offset and size of each.
//!
//! Operations are generated 64 at a time by a source selected when the pattern is built: `plain` for one size on one
//! file, `detailed` for everything else. Features that a workload does not use therefore cost nothing.
//!
//! Random offsets without repetition need no map of visited blocks (a lookup in fio's map takes about 50 ns and a cache
//! miss). Instead, a bijection computes the order of the blocks ([`Permutation`]). If sizes differ, the range is
//! divided into pieces of these sizes (`tiles`).
//!
//! In one pass, random offsets without repetition visit every block once, and sequential offsets go from start to end.
//! Then a new pass begins, from the start or in another random order. (fio repeats the same order in each loop while
//! `randrepeat` is on; a cache could learn it.) With `pass_bytes`, a pass can end earlier.
//!
//! Random offsets without repetition have these guarantees. Without runs, zones, alignment or `random_percent`, no byte
//! is accessed twice in a pass, whether or not sizes differ. Only remainders that are too short for an operation are
//! left out. The same holds with runs of one size. In zones, every block of a zone occurs once before any block occurs
//! again. Otherwise the offsets at which random operations *begin* are all different within a pass, but the operations
//! may overlap (as in fio).

mod build;
mod cursor;
mod detailed;
pub(crate) mod distribution;
mod files;
mod offsets;
mod order;
mod plain;
mod size;
mod variable_size;

use crate::engine::Request;
use model::plan::{FlushKind, Workload};
use model::{Bytes, Op};
pub use order::Permutation;

/// Next operation of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextIo {
    /// Byte offset.
    pub at: u64,
    /// Length in bytes; 0 for a flush.
    pub len: u32,
    /// Kind of operation.
    pub op: Op,
    /// Durability of a flush; ignored for other operations.
    pub flush: FlushKind,
    /// Index of the file in [`model::Job::targets`]. A flush applies to the file written last.
    pub file: u16,
}

impl NextIo {
    /// Placeholder before the fields are set.
    const BLANK: NextIo = NextIo { at: 0, len: 0, op: Op::Read, flush: FlushKind::Data, file: 0 };

    /// Returns the request for this operation with the given buffer.
    #[inline(always)]
    pub fn request(self, slot: u32) -> Request {
        Request { slot, op: self.op, flush: self.flush, file: self.file, at: self.at, len: self.len, skip: 0 }
    }
}

const BATCH: usize = 64;

/// Operations that were generated together.
type Batch = [NextIo; BATCH];

/// Generator of batches of operations.
trait Source: Send {
    fn fill(&mut self, batch: &mut Batch);
}

/// Endless sequence of operations.
pub struct Pattern {
    batch: Batch,
    next: usize,
    source: Box<dyn Source>,
}

/// Share of a job's work that one worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Number of this worker, from 0.
    pub worker: u32,
    /// Total number of workers.
    pub workers: u32,
}

impl Part {
    /// Share of a single worker, which does all the work.
    pub const ALONE: Part = Part { worker: 0, workers: 1 };
}

/// Range of a file that a job uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Start of the range.
    pub at: Bytes,
    /// Length of the range.
    pub size: Bytes,
}

impl From<&model::Target> for Span {
    fn from(target: &model::Target) -> Self {
        Span { at: target.offset, size: target.size }
    }
}

/// Error from building a pattern for a workload and target.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PatternError {
    /// The target is smaller than one operation.
    #[error("a block of {block} does not fit into {size}")]
    TooSmall {
        /// Largest block.
        block: Bytes,
        /// Bytes available to a worker.
        size: Bytes,
    },
    /// The list of sizes is empty, or a size or all weights are zero.
    #[error("block sizes are empty or zero")]
    NoBlock,
    /// The block is larger than one system call can transfer.
    #[error("a block of {block} exceeds the maximum of 1 GiB per operation")]
    TooLarge {
        /// Largest block.
        block: Bytes,
    },
    /// A parameter is invalid for the distribution of random offsets.
    #[error("{what} is {value}: {allowed}")]
    NoLaw {
        /// Name of the parameter.
        what: &'static str,
        /// Value as given.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// Two options contradict each other.
    #[error("{one} and {other} cannot be combined: use one of them")]
    Conflict {
        /// First option.
        one: &'static str,
        /// Second option, which contradicts the first.
        other: &'static str,
    },
    /// There are no files, or too many.
    #[error("a job must have 1 to 65536 files, not {count}")]
    Files {
        /// Number of files requested.
        count: usize,
    },
}

impl Pattern {
    /// Returns the pattern of one worker over `size` bytes from offset 0. Each random decision uses separate random
    /// numbers derived from the seed.
    ///
    /// # Errors
    /// Returns an error if the target is too small for the workload, or the workload contradicts itself.
    pub fn new(workload: &Workload, size: Bytes, part: Part, seed: u64) -> Result<Self, PatternError> {
        Pattern::over(workload, &[Span { at: Bytes(0), size }], part, seed, None)
    }

    /// Returns the pattern of one worker over ranges of several files. With `pass_bytes`, a new pass begins after that
    /// number of bytes at the latest ([`model::plan::Ends::pass_bytes`]). A block that is trimmed and then written counts
    /// once.
    ///
    /// # Errors
    /// Returns the same errors as [`Pattern::new`]. Each file must have room for the largest operation.
    pub fn over(
        workload: &Workload,
        spans: &[Span],
        part: Part,
        seed: u64,
        pass_bytes: Option<Bytes>,
    ) -> Result<Self, PatternError> {
        let made = build::build(&build::Recipe { workload, spans, part, seed, pass_bytes })?;
        let batch = [NextIo { len: made.len, op: made.op, ..NextIo::BLANK }; BATCH];
        Ok(Pattern { batch, next: BATCH, source: made.source })
    }

    /// Returns a pattern without operations, for workers that receive them from another source.
    #[must_use]
    pub fn none() -> Self {
        struct Nothing;
        impl Source for Nothing {
            fn fill(&mut self, _: &mut Batch) {}
        }
        Pattern { batch: [NextIo::BLANK; BATCH], next: BATCH, source: Box::new(Nothing) }
    }

    /// Returns the next operation.
    #[inline(always)]
    pub fn next_io(&mut self) -> NextIo {
        if self.next == BATCH {
            self.refill();
        }
        let place = self.batch[self.next];
        self.next += 1;
        place
    }

    #[inline(never)]
    fn refill(&mut self) {
        self.source.fill(&mut self.batch);
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::{Access, BlockSizes, Distribution, Mix, SizeShare};
    use proptest::prelude::*;

    const ALONE: Part = Part::ALONE;

    fn workload(mix: Mix, k: u64, access: Access) -> Workload {
        Workload::new(mix, Bytes::from_kib(k), access)
    }

    proptest! {
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
                    [(8, 20), (16, 10), (128, 70)].map(|(k, weight)| SizeShare { size: Bytes::from_kib(k), weight }).to_vec(),
                );
            }
            let mut p = Pattern::new(&w, Bytes(size), Part { worker, workers: 3 }, seed).unwrap();
            for _ in 0..500 {
                let place = p.next_io();
                prop_assert!(place.at + u64::from(place.len) <= size);
                prop_assert_eq!(place.at % 8192, 0);
            }
        }
    }

    #[test]
    fn what_is_verified_is_the_same_in_every_pass() {
        let mut w = Workload::new(Mix { write_percent: 50, trim_percent: 0 }, Bytes(4096), Access::RANDOM);
        let verify = model::plan::Verify::new(model::plan::Checksum::Crc32c);
        for pass_bytes in [256 << 10, 128 << 10] {
            // A pass over half of the blocks is followed by the other half.
            let n = 64;
            let pass = |p: &mut Pattern| (0..n).map(|_| p.next_io()).map(|p| (p.op, p.at)).collect::<Vec<_>>();
            w.detail.verify = None;
            let mut p = Pattern::over(&w, &spans(&[256]), ALONE, 7, Some(Bytes(pass_bytes))).unwrap();
            assert_ne!(pass(&mut p), pass(&mut p));
            w.detail.verify = Some(verify.clone());
            let mut p = Pattern::over(&w, &spans(&[256]), ALONE, 7, Some(Bytes(pass_bytes))).unwrap();
            let first = pass(&mut p);
            assert!(first.iter().any(|p| p.0 == Op::Read) && first.iter().any(|p| p.0 == Op::Write));
            assert_eq!(pass(&mut p), first);
        }
    }

    #[test]
    fn two_passes_have_different_orders_of_the_same_blocks() {
        let mut p = Pattern::new(&workload(Mix::READ, 4, Access::RANDOM), Bytes::from_kib(400), ALONE, 1).unwrap();
        let mut pass = || (0..100).map(|_| p.next_io().at).collect::<Vec<_>>();
        let (mut a, mut b) = (pass(), pass());
        assert_ne!(a, b);
        a.sort_unstable();
        b.sort_unstable();
        assert_eq!(a, b);
    }

    #[test]
    fn a_random_order_does_not_alternate() {
        // With a plain linear generator, successive offsets would alternate between even and odd, which affects a
        // device with two halves.
        let mut p = Pattern::new(&workload(Mix::READ, 4, Access::RANDOM), Bytes::from_gib(4), ALONE, 9).unwrap();
        let blocks: Vec<u64> = (0..20_000).map(|_| p.next_io().at / 4096).collect();
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
        let mut offsets: Vec<u64> = Vec::new();
        for worker in 0..4 {
            let mut p = Pattern::new(&w, Bytes::from_mib(16), Part { worker, workers: 4 }, 0).unwrap();
            let places: Vec<u64> = (0..64).map(|_| p.next_io().at).collect();
            assert!(places.windows(2).all(|w| w[1] == w[0] + 65536));
            assert_eq!(p.next_io().at, places[0], "wraps to its own start");
            offsets.extend(places);
        }
        offsets.sort_unstable();
        assert_eq!(offsets, (0..256).map(|i| i * 65536).collect::<Vec<_>>());
    }

    #[test]
    fn the_mix_comes_out_as_asked() {
        let w = workload(Mix { write_percent: 25, trim_percent: 5 }, 4, Access::RANDOM);
        let mut p = Pattern::new(&w, Bytes::from_gib(1), ALONE, 3).unwrap();
        let mut count = [0u32; 4];
        for _ in 0..100_000 {
            count[p.next_io().op.index()] += 1;
        }
        assert!((f64::from(count[Op::Read.index()]) / 1000.0 - 70.0).abs() < 0.6, "{count:?}");
        assert!((f64::from(count[Op::Write.index()]) / 1000.0 - 25.0).abs() < 0.6, "{count:?}");
    }

    #[test]
    fn shares_of_a_split_are_of_the_count() {
        let mut w = workload(Mix::READ, 8, Access::RANDOM);
        w.block = BlockSizes::Split(
            [(8, 20), (16, 10), (32, 10), (512, 60)]
                .map(|(k, weight)| SizeShare { size: Bytes::from_kib(k), weight })
                .to_vec(),
        );
        let mut p = Pattern::new(&w, Bytes::from_gib(1), ALONE, 3).unwrap();
        let mean = (0..100_000).map(|_| f64::from(p.next_io().len)).sum::<f64>() / 100_000.0 / 1024.0;
        assert!((mean - 313.6).abs() < 3.0, "{mean}");
    }

    #[test]
    fn a_flush_follows_every_second_write_and_moves_nothing() {
        let mut w = workload(Mix::WRITE, 8, Access::Sequential);
        w.flush_every = Some(2);
        let mut p = Pattern::new(&w, Bytes::from_mib(1), ALONE, 0).unwrap();
        let places: Vec<NextIo> = (0..6).map(|_| p.next_io()).collect();
        let ops: Vec<Op> = places.iter().map(|p| p.op).collect();
        assert_eq!(ops, [Op::Write, Op::Write, Op::Flush, Op::Write, Op::Write, Op::Flush]);
        assert_eq!((places[2].len, places[3].at), (0, 16384));
    }

    #[test]
    fn zipf_has_hot_blocks_and_scatters_them() {
        let access = Access::Random { distribution: Distribution::Zipf(1.2), repeat: true };
        let mut p = Pattern::new(&workload(Mix::READ, 4, access), Bytes::from_mib(64), ALONE, 3).unwrap();
        let mut hits = std::collections::HashMap::new();
        for _ in 0..50_000 {
            *hits.entry(p.next_io().at / 4096).or_insert(0u32) += 1;
        }
        let mut top: Vec<(u64, u32)> = hits.into_iter().collect();
        top.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        assert!(top[0].1 > 5000, "{:?}", top[0]);
        assert!(top[0].0.abs_diff(top[1].0) > 1, "the two hottest are neighbours");
    }

    #[test]
    fn pareto_twenty_eighty() {
        let access = Access::Random { distribution: Distribution::Pareto(0.2), repeat: true };
        let mut p = Pattern::new(&workload(Mix::READ, 4, access), Bytes::from_mib(40), ALONE, 3).unwrap();
        let mut hits = vec![0u32; 10240];
        for _ in 0..200_000 {
            hits[(p.next_io().at / 4096) as usize] += 1;
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
            assert!((0..64).map(|_| p.next_io()).all(|p| p.at + u64::from(p.len) <= size), "{size}");
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

    /// Returns a workload of 4 KiB blocks, modified by `change`.
    fn asked(mix: Mix, access: Access, change: impl FnOnce(&mut Workload)) -> Workload {
        let mut w = workload(mix, 4, access);
        change(&mut w);
        w
    }

    fn spans(sizes: &[u64]) -> Vec<Span> {
        sizes.iter().map(|k| Span { at: Bytes(0), size: Bytes::from_kib(*k) }).collect()
    }

    fn over(w: &Workload, sizes: &[u64], pass: Option<u64>) -> Pattern {
        Pattern::over(w, &spans(sizes), ALONE, 7, pass.map(Bytes::from_kib)).unwrap()
    }

    /// Returns the file and block of each of the first `n` operations, without flushes.
    fn blocks(w: &Workload, sizes: &[u64], pass: Option<u64>, n: usize) -> Vec<(u16, u64)> {
        let mut p = over(w, sizes, pass);
        (0..n).map(|_| p.next_io()).filter(|p| p.op != Op::Flush).map(|p| (p.file, p.at / 4096)).collect()
    }

    const BOTH: Mix = Mix { write_percent: 50, trim_percent: 0 };
    const TRIMS: Mix = Mix { write_percent: 0, trim_percent: 100 };
    const TRIM_WRITE: Mix = Mix { write_percent: 50, trim_percent: 50 };

    proptest! {
        #[test]
        fn every_block_of_every_file_comes_once_per_pass(
            sizes in proptest::collection::vec(1u64..60, 1..5), run in 0u32..9, turn in 1u32..5, random: bool, seed: u64,
        ) {
            let access = if random { Access::RANDOM } else { Access::Sequential };
            let w = asked(Mix::READ, access, |w| {
                (w.detail.run, w.detail.file_order) = (run, model::plan::FileOrder::RoundRobin(turn));
            });
            let kib: Vec<u64> = sizes.iter().map(|blocks| blocks * 4).collect();
            let mut p = Pattern::over(&w, &spans(&kib), ALONE, seed, None).unwrap();
            for _ in 0..3 {
                let mut seen: Vec<Vec<u32>> = sizes.iter().map(|n| vec![0; *n as usize]).collect();
                for _ in 0..sizes.iter().sum::<u64>() {
                    let place = p.next_io();
                    seen[usize::from(place.file)][(place.at / 4096) as usize] += 1;
                }
                prop_assert!(seen.iter().flatten().all(|n| *n == 1), "{seen:?}");
            }
        }

        #[test]
        fn no_finer_point_leads_out_of_the_file(
            run in 0u32..5, stride in -3i64..4, identical: bool, percent in 0u8..=100, repeat: bool, random: bool,
            zone in proptest::option::of((1u64..9, 2u64..9, 0u64..5)), align in proptest::option::of(1u64..5),
            mix in prop_oneof![Just(Mix::READ), Just(BOTH), Just(TRIMS), Just(TRIM_WRITE)], by_order: bool, loose: bool,
            at in 0u64..5, size in 9u64..300, seed: u64,
        ) {
            let access = if random {
                Access::Random { distribution: Distribution::Uniform, repeat }
            } else {
                Access::Sequential
            };
            let w = asked(mix, access, |w| {
                w.block = BlockSizes::Range(Bytes(4096), Bytes(8192));
                w.detail.write_block = by_order.then_some(BlockSizes::Fixed(Bytes(4096)));
                let detail = &mut w.detail;
                (detail.run, detail.identical) = (run, identical);
                detail.stride = if random { 0 } else { stride * 4096 };
                (detail.block_by_order, detail.unaligned) = (by_order, loose);
                detail.random_percent = random.then_some([percent; 3]);
                detail.align = align.map(|a| [Bytes(a * 512); 3]);
                detail.zone = zone.map(|(size, range, skip)| model::plan::StridedZone {
                    size: Bytes(size * 4096),
                    range: Bytes(range * 4096),
                    skip: Bytes(skip * 4096),
                });
            });
            let span = Span { at: Bytes(at * 4096), size: Bytes::from_kib(size) };
            let mut p = Pattern::over(&w, &[span, span], ALONE, seed, Some(Bytes::from_kib(100))).unwrap();
            for _ in 0..600 {
                let place = p.next_io();
                prop_assert!(place.len >= 4096 && place.at >= span.at.as_u64(), "{place:?}");
                prop_assert!(place.at + u64::from(place.len) <= span.at.as_u64() + span.size.as_u64(), "{place:?}");
            }
        }
    }

    #[test]
    fn sequential_reads_and_writes_are_streams_of_their_own_as_in_fio() {
        let mut p = over(&workload(BOTH, 4, Access::Sequential), &[4096], None);
        let mut next = [0u64; 2];
        for _ in 0..600 {
            let place = p.next_io();
            let next_offset = &mut next[usize::from(place.op == Op::Write)];
            assert_eq!(place.at, *next_offset);
            *next_offset += 4096;
        }
    }

    /// Ranks that take turns block by block together cover the whole file, and no block twice, in any order and with
    /// any number of threads.
    #[test]
    fn blocks_in_turns_are_all_of_a_file_and_each_is_of_one() {
        let (ranks, rows) = (3u64, 40u64);
        let shapes = [(Access::Sequential, false), (Access::RANDOM, false), (Access::RANDOM, true)];
        for ((access, flushes), workers) in shapes.into_iter().flat_map(|shape| [(shape, 1u32), (shape, 2)]) {
            let w = asked(Mix::WRITE, access, |w| {
                w.detail.stride = (ranks as i64 - 1) * 4096;
                w.flush_every = flushes.then_some(8);
            });
            let mut owners = vec![Vec::new(); (ranks * rows) as usize];
            for rank in 0..ranks {
                let span = Span { at: Bytes(8192 + rank * 4096), size: Bytes((ranks * rows - rank) * 4096) };
                for worker in 0..workers {
                    let mut p = Pattern::over(&w, &[span], Part { worker, workers }, 7, None).expect("a pattern");
                    let places = std::iter::repeat_with(|| p.next_io()).filter(|place| place.len > 0);
                    for place in places.take((rows / u64::from(workers)) as usize) {
                        owners[((place.at - 8192) / 4096) as usize].push(rank);
                    }
                }
            }
            for (block, owner) in owners.iter().enumerate() {
                assert!(owner.iter().all(|rank| *rank == block as u64 % ranks), "{access:?} block {block}: {owner:?}");
            }
            // The workers' shares of an order need not be equal in size.
            assert!(workers > 1 || owners.iter().all(|owner| owner.len() == 1), "{access:?}: {owners:?}");
        }
        let uneven = asked(Mix::READ, Access::Random { distribution: Distribution::Uniform, repeat: true }, |w| {
            w.detail.stride = 4096;
        });
        let span = Span { at: Bytes(0), size: Bytes(1 << 20) };
        assert!(Pattern::over(&uneven, &[span], ALONE, 1, None).is_err(), "nobody else's blocks are left out there");
    }

    #[test]
    fn strides_leave_holes_and_go_backwards_as_in_fio() {
        let w = asked(Mix::READ, Access::Sequential, |w| w.detail.stride = 4096);
        let even: Vec<(u16, u64)> = (0..8).chain(0..8).map(|i| (0, i * 2)).collect();
        assert_eq!(blocks(&w, &[64], None, 16), even, "--rw=read:4k --size=64k");
        let w = asked(Mix::READ, Access::Sequential, |w| w.detail.stride = -8192);
        let back = [0, 6, 5, 4, 3, 2, 1, 0].map(|block| (0, block));
        assert_eq!(blocks(&w, &[32], None, 8), back, "--rw=read:-8k --size=32k");
    }

    #[test]
    fn strided_zones_are_those_of_fio() {
        let zone = |size: u64, range: u64, skip: u64| {
            Some(model::plan::StridedZone {
                size: Bytes::from_kib(size),
                range: Bytes::from_kib(range),
                skip: Bytes::from_kib(skip),
            })
        };
        let w = asked(Mix::READ, Access::Sequential, |w| w.detail.zone = zone(8, 16, 8));
        let walk = [0, 1, 6, 7, 12, 13, 0, 1].map(|block| (0, block));
        assert_eq!(blocks(&w, &[64], None, 8), walk, "--zonesize=8k --zonerange=16k --zoneskip=8k");
        let w = asked(Mix::READ, Access::Sequential, |w| w.detail.zone = zone(8, 0, 8));
        let walk = [0, 1, 4, 5, 8, 9, 12, 13, 0, 1].map(|block| (0, block));
        assert_eq!(blocks(&w, &[64], None, 10), walk, "--zonesize=8k --zoneskip=8k");
        let w = asked(Mix::READ, Access::Sequential, |w| w.detail.zone = zone(16, 32, 8));
        let walk = [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 0, 1].map(|block| (0, block));
        assert_eq!(blocks(&w, &[128], None, 16), walk, "--zonesize=16k --zonerange=32k --zoneskip=8k --loops=2");
        let w = asked(Mix::READ, Access::Sequential, |w| w.detail.zone = zone(48, 32, 0));
        let walk = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 8, 9].map(|block| (0, block));
        assert_eq!(blocks(&w, &[128], None, 14), walk, "--zonesize=48k --zonerange=32k");
        let w = asked(Mix::READ, Access::RANDOM, |w| w.detail.zone = zone(16, 16, 16));
        for (i, pair) in blocks(&w, &[64], None, 64).chunks(4).enumerate() {
            let mut zone: Vec<u64> = pair.iter().map(|(_, block)| *block).collect();
            zone.sort_unstable();
            let first = (i as u64 % 2) * 8;
            assert_eq!(zone, [first, first + 1, first + 2, first + 3]);
        }
    }

    #[test]
    fn runs_are_sequential_and_identical_ones_stay() {
        let repeat = Access::Random { distribution: Distribution::Uniform, repeat: true };
        for access in [Access::RANDOM, repeat] {
            let w = asked(Mix::READ, access, |w| w.detail.run = 8);
            let places = blocks(&w, &[40_000], None, 8000);
            let follows = places.windows(2).filter(|w| w[1].1 == w[0].1 + 1).count();
            assert!((6980..=7020).contains(&follows), "{follows} of 8000 follow");
            let w = asked(Mix::READ, access, |w| (w.detail.run, w.detail.identical) = (4, true));
            assert!(blocks(&w, &[40_000], None, 400).chunks(4).all(|run| run.iter().all(|p| *p == run[0])));
        }
    }

    #[test]
    fn a_share_of_the_places_is_random() {
        let w = asked(Mix::READ, Access::RANDOM, |w| w.detail.random_percent = Some([30; 3]));
        let places = blocks(&w, &[400_000], None, 10_000);
        let follows = places.windows(2).filter(|w| w[1].1 == w[0].1 + 1).count();
        assert!(follows.abs_diff(7000) < 250, "{follows} of 10000 follow");
    }

    #[test]
    fn each_block_is_trimmed_then_written() {
        for access in [Access::Sequential, Access::RANDOM] {
            let mut p = over(&workload(TRIM_WRITE, 4, access), &[64, 64], None);
            for _ in 0..100 {
                let (trim, write) = (p.next_io(), p.next_io());
                assert_eq!((trim.op, write), (Op::Trim, NextIo { op: Op::Write, ..trim }));
            }
        }
    }

    #[test]
    fn both_kinds_of_flushes_come_after_their_writes() {
        // fio with --fsync=3 --fdatasync=2 issues only the fsync after the sixth write.
        let w =
            asked(Mix::WRITE, Access::Sequential, |w| (w.flush_every, w.detail.full_flush_every) = (Some(2), Some(3)));
        let mut p = over(&w, &[64, 64], None);
        let (mut writes, mut flushes, mut file) = (0, Vec::new(), 0);
        for _ in 0..24 {
            let place = p.next_io();
            if place.op == Op::Flush {
                assert_eq!((place.len, place.file), (0, file), "a flush is of the file last written");
                flushes.push((writes, place.flush));
            } else {
                (writes, file) = (writes + 1, place.file);
            }
        }
        let (data, full) = (FlushKind::Data, FlushKind::Full);
        assert_eq!(flushes[..5], [(2, data), (3, full), (4, data), (6, full), (8, data)]);
    }

    #[test]
    fn sizes_are_by_direction_or_by_order() {
        let mut w = asked(BOTH, Access::RANDOM, |w| w.detail.write_block = Some(BlockSizes::Fixed(Bytes(16384))));
        let mut p = over(&w, &[1 << 20], None);
        let (mut count, n) = ([0u32; 2], 20_000);
        for _ in 0..n {
            let place = p.next_io();
            assert_eq!(place.len, if place.op == Op::Write { 16384 } else { 4096 });
            count[usize::from(place.op == Op::Write)] += 1;
        }
        assert!(count[0].abs_diff(count[1]) < 600, "{count:?}");
        (w.detail.block_by_order, w.detail.random_percent) = (true, Some([40; 3]));
        let mut p = over(&w, &[1 << 20], None);
        let large = (0..n).filter(|_| p.next_io().len == 16384).count();
        assert!(large.abs_diff(8000) < 350, "{large} of {n}");
    }

    #[test]
    fn a_pass_that_is_cut_short_is_followed_by_what_it_left_over() {
        let w = workload(Mix::READ, 4, Access::Sequential);
        let places = blocks(&w, &[64], Some(12), 7);
        assert_eq!(places, [0, 1, 2, 3, 4, 5, 6].map(|block| (0, block)));
        assert_eq!(blocks(&w, &[16], Some(12), 6), [0, 1, 2, 3, 0, 1].map(|block| (0, block)));
        let places = blocks(&workload(Mix::READ, 4, Access::RANDOM), &[4096], Some(2048), 1024);
        let (first, second) = places.split_at(512);
        let distinct = |places: &[(u16, u64)]| places.iter().collect::<std::collections::HashSet<_>>().len();
        assert_eq!((distinct(first), distinct(second)), (512, 512));
        assert_eq!(distinct(&places), 1024);
    }

    #[test]
    fn wishes_that_contradict_each_other_are_refused() {
        let refused = |w: &Workload| Pattern::over(w, &spans(&[64]), ALONE, 0, None).err().unwrap().to_string();
        let zones = vec![model::plan::ZoneShare { ops_percent: 100, size: model::plan::ZoneSize::Percent(50.0) }];
        let zipf = Access::Random { distribution: Distribution::Zipf(1.2), repeat: true };
        let w = asked(Mix::READ, zipf, |w| w.detail.zones = zones.clone());
        assert!(refused(&w).contains("cannot be combined"));
        let w = asked(Mix::READ, Access::Sequential, |w| w.detail.zones = zones);
        assert!(refused(&w).contains("cannot be combined"));
        let w = workload(Mix::READ, 4, Access::RANDOM);
        assert_eq!(Pattern::over(&w, &[], ALONE, 0, None).err(), Some(PatternError::Files { count: 0 }));
    }

    #[test]
    #[ignore = "measures: run with optimisation, --ignored --nocapture"]
    #[expect(clippy::print_stderr, reason = "prints what it measured")]
    fn cost_of_a_place() {
        let split = [(8, 20), (16, 10), (512, 70)].map(|(k, weight)| SizeShare { size: Bytes::from_kib(k), weight });
        let cases = [
            ("plain sequential", workload(Mix::READ, 4, Access::Sequential)),
            ("plain random", workload(Mix::READ, 4, Access::RANDOM)),
            ("plain random mix", workload(BOTH, 4, Access::RANDOM)),
            ("flush", asked(Mix::WRITE, Access::RANDOM, |w| w.flush_every = Some(8))),
            ("run of 8", asked(Mix::READ, Access::RANDOM, |w| w.detail.run = 8)),
            ("tiles", asked(BOTH, Access::RANDOM, |w| w.block = BlockSizes::Split(split.to_vec()))),
            ("sequential mix", workload(BOTH, 4, Access::Sequential)),
        ];
        for (name, w) in cases {
            for files in [&[1 << 22][..], &[1 << 20, 1 << 20, 1 << 20]] {
                let mut p = over(&w, files, None);
                let (start, n) = (std::time::Instant::now(), 20_000_000u32);
                (0..n).for_each(|_| {
                    std::hint::black_box(p.next_io());
                });
                let ns = start.elapsed().as_nanos() as f64 / f64::from(n);
                eprintln!("{name}, {} files: {ns:.1} ns", files.len());
            }
        }
    }
}
