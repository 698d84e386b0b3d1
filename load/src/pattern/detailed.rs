//! Source for workloads that the plain source does not cover: several files, sizes by direction, flushes, runs and
//! strides, zones, trims followed by writes, and passes shorter than the range. Operations are generated one at a time.
//! Each takes 10 to 20 ns, or 50 ns with pieces of different sizes (plain source: 2 to 6 ns).

use super::cursor::{FileCursor, ZoneWalk};
use super::files::Files;
use super::offsets::RandomOffset;
use super::plain::Mixed;
use super::size::SizeLaw;
use super::{Batch, NextIo, Source};
use crate::random::Random;
use model::{Op, plan::FlushKind};

/// Source of detailed patterns.
pub(super) struct Detailed {
    pub ops: Ops,
    pub flushes: Flushes,
    pub files: Files,
    pub grounds: Vec<FileCursor>,
    pub order: Order,
    pub sizes: Sizes,
    /// Bytes per pass; `u64::MAX` = the size of the files.
    pub pass_bytes: u64,
    /// Bytes left in this pass.
    pub pass_left: u64,
    /// True if a pass continues where the last one ended, until the files are done. As in fio, this happens if a pass
    /// is smaller than the files (`io_size`), or if reads, writes and trims reach the end at different times.
    pub goes_on: bool,
    /// Pending write that follows a trim of the same block.
    pub owed: Option<NextIo>,
    pub random: Random,
    /// Initial state of the generators, if every pass repeats the first one.
    pub again: Option<Again>,
}

/// Saved state of the generators.
#[derive(Debug, Clone)]
pub(super) struct Again {
    pub mixed: Option<Mixed>,
    pub random: Random,
}

/// Choice of the next operation.
pub(super) enum Ops {
    /// Always this operation.
    One(Op),
    /// Operation drawn at random according to the shares.
    Mixed(Mixed),
    /// Each block is trimmed, then written.
    TrimThenWrite,
}

/// Sizes for each kind of operation: read, write, trim.
pub(super) struct Sizes {
    pub random: [SizeLaw; 3],
    pub sequential: [SizeLaw; 3],
    /// Smallest of all sizes, in bytes.
    pub smallest: u64,
}

/// Choice between a random offset and the one that follows the previous operation.
pub(super) struct Order {
    /// True if any offset is random.
    pub random: bool,
    /// Index in [`FileCursor::spots`] for each kind of operation.
    pub spots: [usize; 3],
    /// Number of operations in a run. In a random run, only the first has a random offset.
    pub run: u32,
    /// Number of operations left in the current run.
    pub run_left: u32,
    /// True if all operations of a run use the offset of the first one.
    pub identical: bool,
    /// Percentage of random offsets for each kind of operation.
    pub percent: [u8; 3],
    /// Bytes skipped between sequential runs.
    pub stride: i64,
}

/// Flushes issued after a number of writes.
#[derive(Debug, Clone, Default)]
pub(super) struct Flushes {
    /// Number of writes between data flushes and between full flushes; `None` = no flushes of this kind.
    pub every: [Option<u32>; 2],
    pub writes: u64,
    pub due: Option<NextIo>,
}

impl Flushes {
    /// Counts a write, after which a flush of its file may be due. If both kinds are due, the full flush replaces the
    /// other.
    #[inline]
    fn wrote(&mut self, place: NextIo) {
        self.writes += 1;
        let due = |every: Option<u32>| every.is_some_and(|every| self.writes.is_multiple_of(u64::from(every)));
        let flush = match self.every.map(due) {
            [_, true] => FlushKind::Full,
            [true, false] => FlushKind::Data,
            [false, false] => return,
        };
        self.due = Some(NextIo { op: Op::Flush, flush, at: 0, len: 0, ..place });
    }
}

impl Source for Detailed {
    fn fill(&mut self, batch: &mut Batch) {
        batch.fill_with(|| self.next());
    }
}

impl Detailed {
    /// Returns the next operation.
    fn next(&mut self) -> NextIo {
        if let Some(flush) = self.flushes.due.take() {
            return flush;
        }
        if let Some(write) = self.owed.take() {
            self.flushes.wrote(write);
            return write;
        }
        loop {
            if self.pass_left == 0 && self.goes_on {
                self.pass_left = self.pass_bytes;
            }
            let file = if self.pass_left > 0 { self.files.next() } else { None };
            let Some(file) = file else {
                self.restart();
                if !self.goes_on {
                    self.pass_left = self.pass_bytes;
                }
                continue;
            };
            if let Some(place) = self.place_in(file) {
                self.pass_left = self.pass_left.saturating_sub(u64::from(place.len));
                match (&self.ops, place.op) {
                    (Ops::TrimThenWrite, _) => self.owed = Some(NextIo { op: Op::Write, ..place }),
                    (_, Op::Write) => self.flushes.wrote(place),
                    _ => {}
                }
                return place;
            }
            if self.files.begin_anew() {
                self.grounds[file].restart();
            } else {
                self.files.finish(file);
            }
        }
    }

    /// Restarts the files from their beginning.
    #[cold]
    fn restart(&mut self) {
        self.order.run_left = 0;
        self.files.restart();
        self.grounds.iter_mut().for_each(FileCursor::restart);
        if let Some(Again { mixed, random }) = &self.again {
            self.random = random.clone();
            if let (Ops::Mixed(ops), Some(first)) = (&mut self.ops, mixed) {
                ops.restart_as(first);
            }
        }
    }

    /// Returns the next operation in this file, or `None` if the file is done in this pass.
    fn place_in(&mut self, file: usize) -> Option<NextIo> {
        let op = match &mut self.ops {
            Ops::One(op) => *op,
            Ops::Mixed(mixed) => mixed.next(),
            Ops::TrimThenWrite => Op::Trim,
        };
        let ground = &mut self.grounds[file];
        ZoneWalk::enter(ground, self.sizes.smallest);
        let random = self.order.random && self.order.jumps(op.index(), &mut self.random);
        let (at, len, op) = if random {
            random_place(ground, op, &self.order, &self.sizes, &mut self.random)?
        } else {
            let follow = follow(ground, op.index(), &self.order, &self.sizes, &mut self.random);
            match follow {
                Some((at, len)) => (at, len, op),
                // A run that reaches the end continues elsewhere.
                None if self.order.random => random_place(ground, op, &self.order, &self.sizes, &mut self.random)?,
                None => return None,
            }
        };
        ground.moved(op.index(), at, len);
        if self.order.stride != 0 {
            ground.leap(op.index(), self.order.run.max(1), self.order.stride, self.sizes.smallest);
        }
        Some(NextIo { at, len, op, file: file as u16, ..NextIo::BLANK })
    }
}

impl Order {
    /// Returns `true` if the next offset of a random workload is random.
    #[inline]
    fn jumps(&mut self, op: usize, random: &mut Random) -> bool {
        if self.run > 1 {
            if self.run_left > 0 {
                self.run_left -= 1;
                return false;
            }
            self.run_left = self.run - 1;
        }
        let percent = self.percent[op];
        percent >= 100 || random.below(100) < u64::from(percent)
    }
}

/// Returns a random offset in the file, with the size and kind of operation; the operation may depend on the offset.
fn random_place(
    ground: &mut FileCursor,
    op: Op,
    order: &Order,
    sizes: &Sizes,
    random: &mut Random,
) -> Option<(u64, u32, Op)> {
    let law = &sizes.random[op.index()];
    if let Some(zone) = &mut ground.zone {
        let at = zone.spot(ground.end, sizes.smallest);
        let len = law.draw_within(zone.end(ground.end) - at, random)?;
        return Some((at, len, op));
    }
    match ground.spots[order.spots[op.index()]].next()? {
        RandomOffset::Piece(piece) => Some((ground.start + piece.at, piece.len, piece.op)),
        RandomOffset::At(at) => {
            let at = ground.start + at;
            Some((at, law.draw_within(ground.end - at, random)?, op))
        }
    }
}

/// Returns the offset after the last operation of this kind, or the same offset again if the run is identical.
fn follow(ground: &FileCursor, op: usize, order: &Order, sizes: &Sizes, random: &mut Random) -> Option<(u64, u32)> {
    let at = if order.identical { ground.last[op] } else { ground.next[op] };
    let end = ground.zone.as_ref().map_or(ground.end, |zone| zone.end(ground.end));
    let len = sizes.sequential[op].draw_within(end.saturating_sub(at), random)?;
    Some((at, len))
}
