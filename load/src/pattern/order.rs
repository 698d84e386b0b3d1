//! Random orders without a map of visited blocks: a bijection computes the position of each block in a few nanoseconds,
//! without memory.

use crate::random::{Random, mix};

/// Bijection of `0..2^bits` onto itself, built from multiplications by odd numbers and xor-shifts, each of which is
/// invertible.
#[derive(Debug, Clone, Copy)]
struct Bijection {
    mask: u64,
    shift: u32,
    odd: [u64; 3],
    add: u64,
}

impl Bijection {
    /// Creates a bijection over the smallest power of two that is at least `blocks`, determined by `seed`.
    fn new(blocks: u64, seed: u64) -> Self {
        let bits = 64 - blocks.saturating_sub(1).leading_zeros();
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let mut random = Random::new(seed);
        // Odd multipliers whose bits are spread over the whole word.
        let odd = std::array::from_fn(|_| random.next() | 1);
        Bijection { mask, shift: bits.div_ceil(2).max(1), odd, add: random.next() }
    }

    #[inline(always)]
    fn permute(&self, x: u64) -> u64 {
        let mut x = x.wrapping_add(self.add) & self.mask;
        for odd in self.odd {
            x = x.wrapping_mul(odd) & self.mask;
            x ^= x >> self.shift;
        }
        x
    }
}

/// One-to-one mapping of ranks to blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scatter {
    bijection: Bijection,
    blocks: u64,
}

impl Scatter {
    pub(super) fn new(blocks: u64, seed: u64) -> Self {
        Scatter { bijection: Bijection::new(blocks, mix(seed ^ 0x5CA7)), blocks }
    }

    /// Returns the block of a rank. Uses cycle walking: the bijection is applied until the value is a valid block
    /// number, at most twice on average.
    pub(super) fn block_at(&self, rank: u64) -> u64 {
        let mut x = rank;
        loop {
            x = self.bijection.permute(x);
            if x < self.blocks {
                return x;
            }
        }
    }
}

/// Random order in which all workers together visit every block exactly once per pass. Each pass has a different order,
/// unless every pass repeats the first.
#[derive(Debug, Clone)]
pub struct Permutation {
    blocks: u64,
    bijection: Bijection,
    counter: u64,
    first: u64,
    stride: u64,
    seed: u64,
    pass: u64,
    repeats: bool,
}

impl Permutation {
    /// Creates the generator for positions `first, first + stride, ...` of the order that `seed` determines for
    /// `blocks` blocks.
    #[must_use]
    pub fn new(blocks: u64, seed: u64, first: u64, stride: u64) -> Self {
        let seed = mix(seed ^ 0x0EDE);
        let bijection = Bijection::new(blocks.max(1), seed);
        // A worker whose first position is beyond the end would never get a block; it starts at position 0 instead.
        let first = if first > bijection.mask { 0 } else { first };
        Permutation { blocks: blocks.max(1), bijection, counter: first, first, stride, seed, pass: 0, repeats: false }
    }

    /// Makes every pass repeat the order of the first.
    pub(super) fn repeat(&mut self) {
        self.repeats = true;
    }

    /// Returns the next block. Returns `None` once at the end of each pass; the next pass has another order.
    #[inline(always)]
    pub fn next_in_pass(&mut self) -> Option<u64> {
        loop {
            if self.counter > self.bijection.mask {
                self.begin_pass();
                return None;
            }
            let block = self.bijection.permute(self.counter);
            self.counter += self.stride;
            if block < self.blocks {
                return Some(block);
            }
        }
    }

    /// Returns the next block, and continues with the next pass at the end of a pass.
    #[inline(always)]
    pub fn next_block(&mut self) -> u64 {
        loop {
            if let Some(block) = self.next_in_pass() {
                return block;
            }
        }
    }

    /// Abandons the rest of this pass if any of it was used, so that the next block is the first one of a new order.
    pub fn restart(&mut self) {
        if self.counter != self.first {
            self.begin_pass();
        }
    }

    /// Returns the number of the pass, from 0.
    #[must_use]
    pub fn pass(&self) -> u64 {
        self.pass
    }

    #[cold]
    fn begin_pass(&mut self) {
        self.counter = self.first;
        if self.repeats {
            return;
        }
        self.pass += 1;
        self.bijection = Bijection::new(self.blocks, mix(self.seed.wrapping_add(self.pass)));
    }
}

/// Runs of adjacent blocks, with the runs in random order: every block exactly once per pass. Each pass shifts the
/// start of the runs, so that they do not always cross stripe boundaries at the same places.
#[derive(Debug, Clone)]
pub(super) struct Runs {
    runs: Permutation,
    blocks: u64,
    len: u64,
    seed: u64,
    at: u64,
    left: u64,
}

impl Runs {
    /// Creates runs of `len` blocks over `blocks` blocks. With several workers, each worker gets every n-th run.
    pub(super) fn new(blocks: u64, len: u64, seed: u64, first: u64, stride: u64) -> Self {
        let len = len.clamp(1, blocks.max(1));
        let runs = Permutation::new(blocks.div_ceil(len), seed, first, stride);
        Runs { runs, blocks: blocks.max(1), len, seed, at: 0, left: 0 }
    }

    pub(super) fn repeat(&mut self) {
        self.runs.repeat();
    }

    /// Returns the next block, or `None` once at the end of each pass.
    pub(super) fn next_in_pass(&mut self) -> Option<u64> {
        if self.left == 0 {
            let pass = self.runs.pass;
            let run = self.runs.next_in_pass()?;
            let begin = run * self.len;
            self.left = self.len.min(self.blocks - begin);
            let shift = mix(self.seed ^ mix(pass + 1)) % self.blocks;
            self.at = (begin + shift) % self.blocks;
        }
        let block = self.at;
        self.left -= 1;
        self.at = if block + 1 == self.blocks { 0 } else { block + 1 };
        Some(block)
    }

    pub(super) fn restart(&mut self) {
        self.left = 0;
        self.runs.restart();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
                while let Some(block) = order.next_in_pass() {
                    seen[block as usize] += 1;
                }
            }
            prop_assert!(seen.iter().all(|n| *n == 1));
        }

        #[test]
        fn runs_cover_every_block_once_and_are_sequential(blocks in 1u64..2000, len in 1u64..40, seed: u64, pass in 0..3) {
            let mut runs = Runs::new(blocks, len, seed, 0, 1);
            for _ in 0..pass {
                while runs.next_in_pass().is_some() {}
            }
            let visited: Vec<u64> = std::iter::from_fn(|| runs.next_in_pass()).collect();
            let steps = visited.windows(2).filter(|w| w[1] != (w[0] + 1) % blocks).count() as u64;
            prop_assert!(steps < blocks.div_ceil(len.min(blocks)));
            let mut sorted = visited;
            sorted.sort_unstable();
            prop_assert!(sorted.iter().copied().eq(0..blocks));
        }
    }

    #[test]
    fn a_restart_gives_another_order_and_none_before_the_first_block() {
        let mut order = Permutation::new(1000, 7, 0, 1);
        let fresh: Vec<u64> = order.clone().next_in_pass().into_iter().collect();
        order.restart();
        assert_eq!(order.clone().next_in_pass().into_iter().collect::<Vec<_>>(), fresh);
        let first: Vec<u64> = (0..50).map(|_| order.next_block()).collect();
        order.restart();
        assert_ne!(first, (0..50).map(|_| order.next_block()).collect::<Vec<_>>());
    }
}
