//! Reuse distances of a sample of blocks: how large a cache must be to hold what is read again.
//!
//! Blocks are sampled by a hash of where they are (SHARDS: Waldspurger and others, "Efficient MRC Construction with SHARDS",
//! FAST 2015), so that each sampled block is seen every time. The distance of a use is the number of different blocks used since its
//! last one; divided by the share sampled it is that of all blocks. When more blocks are sampled than there is room for, those with
//! the largest hashes are forgotten, and none like them taken any more.

use std::collections::{BinaryHeap, HashMap};

/// Blocks looked at, at the most.
const ROOM: usize = 1 << 16;
/// Hashes are below this.
const RANGE: u64 = 1 << 32;

/// Which blocks were used when.
#[derive(Debug)]
pub struct ReuseDistances {
    /// Of each sampled block: when it was used last, in uses of the sample, and whether it was read, or written.
    seen: HashMap<u64, Use>,
    /// Largest hashes first.
    hashes: BinaryHeap<(u64, u64)>,
    /// Blocks with a hash below are sampled.
    below: u64,
    /// Marks the last use of each block by its time.
    last_uses: Fenwick,
    now: usize,
    /// Reads by the distance in blocks of all, scaled; `None` = the first use.
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
    /// A block is used.
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
                // Different blocks used since: those whose last use is later than this one's.
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

    /// Share of blocks that are sampled.
    pub fn sampled(&self) -> f64 {
        self.below as f64 / RANGE as f64
    }

    /// Different blocks used, read and written.
    pub fn blocks(&self) -> [f64; 3] {
        let count = |of: fn(&Use) -> bool| self.seen.values().filter(|u| of(u)).count() as f64 / self.sampled();
        [count(|_| true), count(|u| u.read), count(|u| u.written)]
    }

    /// For caches of rising numbers of blocks (powers of two), the share of reads that they hold, as far as more is held by more.
    pub fn curve(&self) -> Vec<(u64, f64)> {
        let mut distances: Vec<(u64, f64)> = self.distances.iter().map(|(d, n)| (*d, *n)).collect();
        distances.sort_unstable_by_key(|(distance, _)| *distance);
        let all = self.first + distances.iter().map(|(_, n)| n).sum::<f64>();
        if all == 0.0 {
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
            curve.push((size, held / all));
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
        // Others of the same hash are not sampled any more either.
        while let Some((same, block)) = self.hashes.peek().copied().filter(|(same, _)| *same >= hash) {
            debug_assert_eq!(same, hash);
            self.hashes.pop();
            if let Some(forgotten) = self.seen.remove(&block) {
                self.last_uses.add(forgotten.at, -1);
            }
        }
    }

    /// Uses are numbered from one again, in their order.
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

/// Distances told apart to an eighth: their lower bounds.
const fn bucket(distance: u64) -> u64 {
    let spare = 64 - distance.leading_zeros();
    if spare <= 4 { distance } else { distance >> (spare - 4) << (spare - 4) }
}

/// Below [`RANGE`], and alike for nothing that is alike (the finaliser of SplitMix64).
const fn hash(block: u64) -> u64 {
    let mut z = block.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 32
}

/// Sums of beginnings of a list that changes (Fenwick 1994). Places count from one.
#[derive(Debug)]
struct Fenwick(Vec<i32>);

impl Fenwick {
    fn add(&mut self, mut at: usize, change: i32) {
        while at < self.0.len() {
            self.0[at] += change;
            at += at & at.wrapping_neg();
        }
    }

    /// Of the first `at`.
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

    /// By definition: a cache that evicts what was used longest ago.
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
        // Twice through a million blocks: the second time all are a million away.
        let blocks = 1_000_000u64;
        for block in (0..blocks).chain(0..blocks) {
            reuse.add(block, true);
        }
        assert!(reuse.sampled() < 0.07, "{}", reuse.sampled());
        let [all, read, written] = reuse.blocks();
        assert!((all / blocks as f64 - 1.0).abs() < 0.02 && read == all && written == 0.0, "{all}");
        let curve = reuse.curve();
        let at = |size: u64| curve.iter().find(|(s, _)| *s == size).expect("told").1;
        assert!(at(1 << 19) < 0.01 && (curve.last().expect("told").1 - 0.5).abs() < 0.03, "{curve:?}");
    }
}
