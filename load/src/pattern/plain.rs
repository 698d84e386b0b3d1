//! One file, one size, no flushes: what most workloads are, and what is measured for speed.
//!
//! Places are made 64 at a time; operations and places come from one source each, chosen when the pattern is built, so
//! that what a workload does not use is not asked about.

use super::distribution::OffsetDistribution;
use super::order::Permutation;
use super::{BATCH, Batch, Source};
use crate::random::Random;
use model::{Mix, Op};

/// The pattern.
pub(super) struct Plain {
    /// `None` = always the operation that stands in the batch from the start.
    pub mixed: Option<Mixed>,
    pub places: Box<dyn Places>,
}

impl Source for Plain {
    fn fill(&mut self, batch: &mut Batch) {
        if let Some(mixed) = &mut self.mixed {
            mixed.fill(batch);
        }
        self.places.fill(batch);
    }
}

/// Draws operations by their shares.
#[derive(Debug, Clone)]
pub(super) struct Mixed {
    random: Random,
    write_below: u64,
    trim_below: u64,
}

impl Mixed {
    pub(super) fn new(mix: Mix, seed: u64) -> Self {
        let write_below = u64::from(mix.write_percent);
        Mixed { random: Random::new(seed ^ 0x0415), write_below, trim_below: write_below + u64::from(mix.trim_percent) }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Op {
        let roll = self.random.below(100);
        if roll < self.write_below {
            Op::Write
        } else if roll < self.trim_below {
            Op::Trim
        } else {
            Op::Read
        }
    }

    /// From the first draw on.
    pub(super) fn restart_as(&mut self, first: &Mixed) {
        self.random = first.random.clone();
    }

    fn fill(&mut self, batch: &mut Batch) {
        for place in &mut batch.places {
            place.op = self.next();
        }
    }
}

/// Where operations of one size go.
pub(super) trait Places: Send {
    fn fill(&mut self, batch: &mut Batch);
}

/// One behind the other, from the end back to the start.
pub(super) struct Sequential {
    pub start: u64,
    /// The last place there is.
    pub last: u64,
    pub step: u64,
    pub at: u64,
}

impl Places for Sequential {
    fn fill(&mut self, batch: &mut Batch) {
        for place in &mut batch.places {
            if self.at > self.last {
                self.at = self.start;
            }
            place.at = self.at;
            self.at += self.step;
        }
    }
}

/// Every block once per pass.
pub(super) struct Once {
    pub start: u64,
    /// From the beginning of a block to that of the next one: more than a block where others' lie between.
    pub step: u64,
    pub order: Permutation,
}

impl Places for Once {
    fn fill(&mut self, batch: &mut Batch) {
        for place in &mut batch.places {
            place.at = self.start + self.order.next_block() * self.step;
        }
    }
}

/// Blocks drawn by a law.
pub(super) struct Drawn {
    pub start: u64,
    pub grain: u64,
    pub law: OffsetDistribution,
}

impl Places for Drawn {
    fn fill(&mut self, batch: &mut Batch) {
        for place in &mut batch.places {
            place.at = self.start + self.law.next() * self.grain;
        }
    }
}

const _: () = assert!(BATCH == 64, "the starts of passes are bits of one word");
