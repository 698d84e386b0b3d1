//! Which operation comes next: what, where, how large.
//!
//! Places are made 64 at a time by a source chosen when the pattern is built: [`plain`] for one size on one file,
//! [`detailed`] for everything else, so that what a workload does not use is not asked about. Randomness without
//! repetition needs no map of visited blocks (fio's: about 50 ns and a cache miss): a block's turn is computed by a
//! bijection ([`Permutation`]), and pieces of different sizes tile the range ([`tiles`]).
//!
//! What a *pass* is: random places without repetition visit everything once, sequential ones go from the start to the
//! end; then a new pass begins, from the start or in another random order. (fio repeats the same order in each loop as
//! long as `randrepeat` is on; a cache could learn it.) `pass_bytes` ends a pass earlier.
//!
//! What holds of random places without repetition: with no runs, zones, alignment or `random_percent` asked for, no byte
//! is touched twice in a pass, whatever the sizes, and nothing is left out but ends too short for an operation. With runs
//! of one size neither. In zones, every block of a zone comes once before any comes again. Otherwise the places at which
//! random operations *begin* are all different within a pass, but the operations may overlap (so they may in fio).

mod build;
mod detailed;
mod files;
mod ground;
mod law;
mod order;
mod plain;
mod size;
mod spots;
mod tiles;

use crate::engine::Request;
use model::{Bytes, FlushKind, Op, Workload};
pub use order::Permutation;

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
    /// Which of the job's files, in the order of [`model::Job::targets`]. A flush is of the file last written.
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

/// Places made at once.
struct Batch {
    places: [Place; BATCH],
    /// Bit i: a pass begins with place i. Only for sources whose passes are not a plain count.
    begins: u64,
    /// Bit i: place i writes what the one before it trimmed, and counts with it.
    paired: u64,
}

/// Makes places.
trait Source: Send {
    fn fill(&mut self, batch: &mut Batch);
}

/// Yields places without end.
pub struct Pattern {
    batch: Batch,
    next: usize,
    base: u64,
    source: Box<dyn Source>,
    /// Operations of a pass of all workers, where every pass has the same.
    pass_ops: Option<u64>,
    pass_bytes: Option<u64>,
    largest: u64,
}

/// Which part of a job's work a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// This worker, from 0.
    pub worker: u32,
    /// Workers in all.
    pub workers: u32,
}

impl Part {
    /// The only worker.
    pub const ALONE: Part = Part { worker: 0, workers: 1 };
}

/// The part of a file that is worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub at: Bytes,
    /// How long it is.
    pub size: Bytes,
}

impl From<&model::Target> for Span {
    fn from(target: &model::Target) -> Self {
        Span { at: target.offset, size: target.size }
    }
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
    /// Two wishes that contradict each other.
    #[error("{one} and {other} do not go together: ask for one of them")]
    Conflict {
        /// The one.
        one: &'static str,
        /// The other.
        other: &'static str,
    },
    /// No file, or too many.
    #[error("a job works on 1 to 65536 files, not on {count}")]
    Files {
        /// Given.
        count: usize,
    },
}

impl Pattern {
    /// The pattern of one worker over `size` bytes from offset 0. The seed gives every aspect its own numbers.
    ///
    /// # Errors
    /// When the target is too small for the workload, or the workload contradicts itself.
    pub fn new(workload: &Workload, size: Bytes, part: Part, seed: u64) -> Result<Self, PatternError> {
        Pattern::over(workload, &[Span { at: Bytes(0), size }], part, seed, None)
    }

    /// The pattern of one worker over parts of several files. With `pass_bytes`, a new pass begins after so many bytes
    /// at the latest ([`model::Ends::pass_bytes`]); where a block is trimmed and written, it counts once.
    ///
    /// # Errors
    /// As [`Pattern::new`]; each file must have room for the largest operation.
    pub fn over(
        workload: &Workload,
        spans: &[Span],
        part: Part,
        seed: u64,
        pass_bytes: Option<Bytes>,
    ) -> Result<Self, PatternError> {
        let made = build::build(&build::Recipe { workload, spans, part, seed, pass_bytes })?;
        let places = [Place { len: made.len, op: made.op, ..Place::BLANK }; BATCH];
        Ok(Pattern {
            batch: Batch { places, begins: 0, paired: 0 },
            next: BATCH,
            base: 0,
            source: made.source,
            pass_ops: made.pass_ops,
            pass_bytes: pass_bytes.map(|p| p.0),
            largest: made.largest,
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
        let place = self.batch.places[self.next];
        self.next += 1;
        place
    }

    #[inline(never)]
    fn refill(&mut self) {
        self.source.fill(&mut self.batch);
        if self.base > 0 {
            for place in &mut self.batch.places {
                if place.op != Op::Flush {
                    place.at += self.base;
                }
            }
        }
        self.next = 0;
    }

    /// How many operations, flushes among them, move `bytes`: where a job that ends by bytes ends. To be asked of a fresh
    /// pattern of a worker alone; several workers share the count. As in fio, operations are sent while fewer than `bytes`
    /// were; of a pass given by its bytes, what does not fit into the files any more counts as done; and a new pass does
    /// not begin for less than the largest operation. A flush that would be the very last operation is left out.
    ///
    /// One size on one file is calculated; otherwise places are made and counted, about 10 ns each.
    #[must_use]
    pub fn ops_for(mut self, bytes: Bytes) -> u64 {
        match self.pass_ops {
            Some(pass_ops) => self.calculated(bytes.0, pass_ops),
            None => self.counted(bytes.0),
        }
    }

    fn calculated(&self, bytes: u64, pass_ops: u64) -> u64 {
        let len = self.largest;
        let moved = pass_ops * len;
        // What a whole pass counts as.
        let pass = self.pass_bytes.unwrap_or(moved);
        let (passes, rest) = (bytes / pass, bytes % pass);
        let partial = if passes > 0 && self.pass_bytes.is_none() && rest < len { 0 } else { rest.div_ceil(len) };
        passes * pass_ops + partial.min(pass_ops)
    }

    fn counted(&mut self, bytes: u64) -> u64 {
        let (mut ops, mut done, mut in_pass) = (0u64, 0u64, 0u64);
        loop {
            self.refill();
            for (i, place) in self.batch.places.iter().enumerate() {
                if self.batch.begins >> i & 1 == 1 && ops > 0 {
                    done += self.pass_bytes.unwrap_or(in_pass);
                    in_pass = 0;
                    if self.pass_bytes.is_none() && bytes.saturating_sub(done) < self.largest {
                        return ops;
                    }
                }
                let paired = self.batch.paired >> i & 1 == 1;
                if done + in_pass >= bytes && !paired {
                    return ops;
                }
                ops += 1;
                if !paired {
                    in_pass += u64::from(place.len);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Access, BlockSizes, Distribution, Mix, SizeShare};
    use proptest::prelude::*;

    const ALONE: Part = Part::ALONE;

    fn workload(mix: Mix, k: u64, access: Access) -> Workload {
        Workload::new(mix, Bytes(k << 10), access)
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
