//! Reuse distances of a sample of blocks: the size of a cache that holds the blocks which are read again.
//!
//! Blocks are sampled by a hash of their position (SHARDS: Waldspurger and others, "Efficient MRC Construction with
//! SHARDS", FAST 2015), so that every use of a sampled block is seen. The distance of a use is the number of different
//! blocks used since its last use; divided by the sampled share it estimates the distance among all blocks. If more
//! blocks are sampled than there is room for, those with the largest hashes are dropped, and blocks with such hashes
//! are no longer sampled.

use std::collections::{BinaryHeap, HashMap};

/// Maximum number of sampled blocks.
const ROOM: usize = 1 << 16;
/// Upper bound of the hashes (exclusive).
const RANGE: u64 = 1 << 32;

/// Uses of the sampled blocks over time.
#[derive(Debug)]
pub struct ReuseDistances {
    /// For each sampled block: its last use, counted in uses of the sample, and whether it was read or written.
    seen: HashMap<u64, Use>,
    /// Hashes with their blocks, the largest first.
    hashes: BinaryHeap<(u64, u64)>,
    /// Blocks with a hash below this are sampled.
    below: u64,
    /// Marks the last use of each block by its time.
    last_uses: Fenwick,
    now: usize,
    /// Number of reads by distance in blocks, both scaled to all blocks. First uses are counted in `first`.
    distances: HashMap<u64, f64>,
    first: f64,
}

#[derive(Debug, Clone, Copy)]
struct Use {
    at: usize,
    read: bool,
    written: bool,
}

impl Default for ReuseDistances {
    fn default() -> Self {
        ReuseDistances {
            seen: HashMap::new(),
            hashes: BinaryHeap::new(),
            below: RANGE,
            last_uses: Fenwick(vec![0; 4 * ROOM + 1]),
            now: 0,
            distances: HashMap::new(),
            first: 0.0,
        }
    }
}

impl ReuseDistances {
    /// Records a use of a block.
    pub fn add(&mut self, block: u64, read: bool) {
        let hash = hash(block);
        if hash >= self.below {
            return;
        }
        if self.now + 1 >= self.last_uses.0.len() {
            self.number_anew();
        }
        self.now += 1;
        let scale = RANGE as f64 / self.below as f64;
        let before = self.seen.get(&block).copied();
        match before {
            Some(last) => {
                // Number of different blocks used since then: those whose last use is later than that of this block.
                let between = self.last_uses.sum(self.now) - self.last_uses.sum(last.at);
                self.last_uses.add(last.at, -1);
                if read {
                    *self.distances.entry(bucket((between as f64 * scale) as u64)).or_default() += scale;
                }
            }
            None => {
                self.hashes.push((hash, block));
                if read {
                    self.first += scale;
                }
            }
        }
        let (was_read, was_written) = before.map_or((false, false), |u| (u.read, u.written));
        self.seen.insert(block, Use { at: self.now, read: was_read || read, written: was_written || !read });
        self.last_uses.add(self.now, 1);
        while self.seen.len() > ROOM {
            self.forget_largest();
        }
    }

    /// Returns the share of blocks that are sampled.
    pub fn sampled(&self) -> f64 {
        self.below as f64 / RANGE as f64
    }

    /// Returns the number of different blocks used, read and written.
    pub fn blocks(&self) -> [f64; 3] {
        let count = |of: fn(&Use) -> bool| self.seen.values().filter(|u| of(u)).count() as f64 / self.sampled();
        [count(|_| true), count(|u| u.read), count(|u| u.written)]
    }

    /// Returns the share of reads that hit caches of increasing size in blocks (powers of two), up to the size beyond
    /// which a larger cache does not help.
    pub fn curve(&self) -> Vec<(u64, f64)> {
        let mut distances: Vec<(u64, f64)> = self.distances.iter().map(|(d, n)| (*d, *n)).collect();
        distances.sort_unstable_by_key(|(distance, _)| *distance);
        let total = self.first + distances.iter().map(|(_, n)| n).sum::<f64>();
        if total == 0.0 {
            return Vec::new();
        }
        let (mut curve, mut held, mut at): (Vec<(u64, f64)>, f64, usize) = (Vec::new(), 0.0, 0);
        let largest = distances.last().map_or(0, |(d, _)| *d);
        for power in 0..48 {
            let size = 1u64 << power;
            while let Some((_, n)) = distances.get(at).filter(|(d, _)| *d < size) {
                held += n;
                at += 1;
            }
            curve.push((size, held / total));
            if size > largest {
                break;
            }
        }
        curve
    }

    fn forget_largest(&mut self) {
        let Some((hash, block)) = self.hashes.pop() else { return };
        self.below = hash;
        if let Some(forgotten) = self.seen.remove(&block) {
            self.last_uses.add(forgotten.at, -1);
        }
        // Drop other blocks with the same hash as well.
        while let Some((same, block)) = self.hashes.peek().copied().filter(|(same, _)| *same >= hash) {
            debug_assert_eq!(same, hash);
            self.hashes.pop();
            if let Some(forgotten) = self.seen.remove(&block) {
                self.last_uses.add(forgotten.at, -1);
            }
        }
    }

    /// Renumbers the uses from one, in their order.
    fn number_anew(&mut self) {
        let mut uses: Vec<(usize, u64)> = self.seen.iter().map(|(block, u)| (u.at, *block)).collect();
        uses.sort_unstable();
        self.last_uses.0.fill(0);
        for (number, (_, block)) in uses.iter().enumerate() {
            if let Some(u) = self.seen.get_mut(block) {
                u.at = number + 1;
            }
            self.last_uses.add(number + 1, 1);
        }
        self.now = uses.len();
    }
}

/// Returns the lower bound of a distance's bucket; buckets are accurate to an eighth.
const fn bucket(distance: u64) -> u64 {
    let spare = 64 - distance.leading_zeros();
    if spare <= 4 { distance } else { distance >> (spare - 4) << (spare - 4) }
}

/// Returns a hash below [`RANGE`] that differs for similar blocks (the finaliser of SplitMix64).
const fn hash(block: u64) -> u64 {
    let mut z = block.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 32
}

/// Prefix sums of a list that changes (Fenwick 1994). Positions count from one.
#[derive(Debug)]
struct Fenwick(Vec<i32>);

impl Fenwick {
    fn add(&mut self, mut at: usize, change: i32) {
        while at < self.0.len() {
            self.0[at] += change;
            at += at & at.wrapping_neg();
        }
    }

    /// Returns the sum of the first `at` values.
    fn sum(&self, mut at: usize) -> i32 {
        let mut sum = 0;
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reference implementation: a cache that evicts the least recently used block.
    fn held_by_a_cache(uses: &[u64], size: usize) -> usize {
        let (mut cache, mut held) = (Vec::new(), 0);
        for block in uses {
            if let Some(at) = cache.iter().position(|b| b == block) {
                cache.remove(at);
                held += 1;
            } else if cache.len() == size {
                cache.remove(0);
            }
            cache.push(*block);
        }
        held
    }

    proptest! {
        #[test]
        fn a_curve_is_what_caches_of_its_sizes_hold(uses in prop::collection::vec(0u64..14, 1..200)) {
            let mut reuse = ReuseDistances::default();
            uses.iter().for_each(|block| reuse.add(*block, true));
            for (size, share) in reuse.curve() {
                let held = held_by_a_cache(&uses, size as usize) as f64 / uses.len() as f64;
                prop_assert!((share - held).abs() < 1e-9, "{size}: {share} {held}");
            }
        }
    }

    #[test]
    fn a_sample_stands_for_all_where_there_are_many() {
        let mut reuse = ReuseDistances::default();
        // Two passes over a million blocks: in the second, every distance is a million.
        let blocks = 1_000_000u64;
        for block in (0..blocks).chain(0..blocks) {
            reuse.add(block, true);
        }
        assert!(reuse.sampled() < 0.07, "{}", reuse.sampled());
        let [total, read, written] = reuse.blocks();
        assert!((total / blocks as f64 - 1.0).abs() < 0.02 && read == total && written == 0.0, "{total}");
        let curve = reuse.curve();
        let at = |size: u64| curve.iter().find(|(s, _)| *s == size).expect("told").1;
        assert!(at(1 << 19) < 0.01 && (curve.last().expect("told").1 - 0.5).abs() < 0.03, "{curve:?}");
    }
}
