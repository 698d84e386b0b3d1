//! Source for one file, one size and no flushes. These workloads are the most common ones, and the ones used to measure
//! secchi's speed.
//!
//! Operations are generated 64 at a time. Operation kinds and offsets each come from one source selected when the
//! pattern is built, so that features that a workload does not use cost nothing.

use super::distribution::OffsetDistribution;
use super::order::Permutation;
use super::{Batch, Source};
use crate::random::Random;
use model::{Op, plan::Mix};

/// Source of plain patterns.
pub(super) struct Plain {
    /// Mix of operations; `None` = always the operation preset in the batch.
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

/// Generator of a mix of operations, drawn according to their shares.
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

    /// Restarts with the same draws as `first`.
    pub(super) fn restart_as(&mut self, first: &Mixed) {
        self.random = first.random.clone();
    }

    fn fill(&mut self, batch: &mut Batch) {
        for place in batch {
            place.op = self.next();
        }
    }
}

/// Generator of the offsets of operations of one size.
pub(super) trait Places: Send {
    fn fill(&mut self, batch: &mut Batch);
}

/// Sequential offsets, which wrap around from the end to the start.
pub(super) struct Sequential {
    pub start: u64,
    /// Last valid offset.
    pub last: u64,
    pub step: u64,
    pub at: u64,
}

impl Places for Sequential {
    fn fill(&mut self, batch: &mut Batch) {
        for place in batch {
            if self.at > self.last {
                self.at = self.start;
            }
            place.at = self.at;
            self.at += self.step;
        }
    }
}

/// Random offsets that visit every block once per pass.
pub(super) struct Once {
    pub start: u64,
    /// Distance between the starts of two blocks: more than a block if other ranks' blocks are in between.
    pub step: u64,
    pub order: Permutation,
}

impl Places for Once {
    fn fill(&mut self, batch: &mut Batch) {
        for place in batch {
            place.at = self.start + self.order.next_block() * self.step;
        }
    }
}

/// Block offsets drawn from a distribution.
pub(super) struct Drawn {
    pub start: u64,
    pub grain: u64,
    pub law: OffsetDistribution,
}

impl Places for Drawn {
    fn fill(&mut self, batch: &mut Batch) {
        for place in batch {
            place.at = self.start + self.law.next() * self.grain;
        }
    }
}
