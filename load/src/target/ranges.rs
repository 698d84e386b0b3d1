//! Sets of byte ranges: the filled, written or missing parts of a file.

use std::ops::Range;

/// Set of bytes, stored as sorted ranges that neither touch nor overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RangeSet(Vec<Range<u64>>);

impl RangeSet {
    /// Creates an empty set.
    #[must_use]
    pub const fn new() -> Self {
        RangeSet(Vec::new())
    }

    /// Returns the ranges, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Range<u64>] {
        &self.0
    }

    /// Returns the number of bytes in the set.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|r| r.end - r.start).sum()
    }

    /// Returns `true` if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a range; an empty range adds nothing.
    pub fn insert(&mut self, range: Range<u64>) {
        if range.start >= range.end {
            return;
        }
        // Merge it with the ranges that it touches or overlaps.
        let from = self.0.partition_point(|r| r.end < range.start);
        let to = self.0.partition_point(|r| r.start <= range.end);
        let mut whole = range;
        if from < to {
            whole.start = whole.start.min(self.0[from].start);
            whole.end = whole.end.max(self.0[to - 1].end);
        }
        self.0.splice(from..to, [whole]);
    }

    /// Returns the bytes of `within` that are not in the set.
    #[must_use]
    pub fn missing(&self, within: Range<u64>) -> RangeSet {
        let mut out = RangeSet::new();
        let mut at = within.start;
        for r in &self.0 {
            out.insert(at..r.start.min(within.end));
            at = at.max(r.end);
        }
        out.insert(at..within.end);
        out
    }

    /// Returns the bytes that are in both sets.
    #[must_use]
    pub fn and(&self, other: &RangeSet) -> RangeSet {
        let mut out = RangeSet::new();
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            out.insert(x.start.max(y.start)..x.end.min(y.end));
            if x.end <= y.end {
                a.next()
            } else {
                b.next()
            };
        }
        out
    }

    /// Returns only the whole, aligned blocks of `grain` bytes: a partially filled block does not count as filled.
    #[must_use]
    pub fn whole_blocks(&self, grain: u64) -> RangeSet {
        let grain = grain.max(1);
        self.0.iter().map(|r| r.start.div_ceil(grain).saturating_mul(grain)..r.end / grain * grain).collect()
    }

    /// Returns the largest `n` ranges.
    #[must_use]
    pub fn largest(&self, n: usize) -> RangeSet {
        let mut by_size = self.0.clone();
        by_size.sort_by_key(|r| std::cmp::Reverse(r.end - r.start));
        by_size.truncate(n);
        by_size.into_iter().collect()
    }

    /// Returns `n` offsets at multiples of `grain`, spread evenly over the bytes of the set and including the first
    /// block. Returns fewer if the set is small.
    #[must_use]
    pub fn samples(&self, n: u64, grain: u64) -> Vec<u64> {
        let blocks = self.whole_blocks(grain);
        let count = blocks.bytes() / grain.max(1);
        let n = n.min(count);
        let mut places = Vec::with_capacity(n as usize);
        let mut ranges = blocks.0.iter();
        let (mut range, mut before) = (ranges.next(), 0);
        for i in 0..n {
            let wanted = (u128::from(i) * u128::from(count) / u128::from(n)) as u64 * grain;
            while let Some(r) = range.filter(|r| wanted >= before + (r.end - r.start)) {
                before += r.end - r.start;
                range = ranges.next();
            }
            places.extend(range.map(|r| r.start + (wanted - before)));
        }
        places
    }
}

impl From<Range<u64>> for RangeSet {
    fn from(range: Range<u64>) -> Self {
        [range].into_iter().collect()
    }
}

impl FromIterator<Range<u64>> for RangeSet {
    fn from_iter<I: IntoIterator<Item = Range<u64>>>(ranges: I) -> Self {
        let mut set = RangeSet::new();
        ranges.into_iter().for_each(|r| set.insert(r));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn ranges() -> impl Strategy<Value = Vec<Range<u64>>> {
        proptest::collection::vec((0u64..200, 0u64..40).prop_map(|(at, len)| at..at + len), 0..12)
    }

    fn bytes(ranges: &[Range<u64>]) -> BTreeSet<u64> {
        ranges.iter().flat_map(Clone::clone).collect()
    }

    proptest! {
        #[test]
        fn it_is_the_set_of_its_bytes(a in ranges(), b in ranges(), start in 0u64..200, len in 0u64..100) {
            let (x, y): (RangeSet, RangeSet) = (a.iter().cloned().collect(), b.iter().cloned().collect());
            let (sx, sy) = (bytes(&a), bytes(&b));
            prop_assert_eq!(&bytes(x.as_slice()), &sx);
            prop_assert_eq!(x.bytes(), sx.len() as u64);
            prop_assert!(x.as_slice().windows(2).all(|w| w[0].end < w[1].start));
            prop_assert_eq!(bytes(x.and(&y).as_slice()), sx.intersection(&sy).copied().collect::<BTreeSet<_>>());
            let range: BTreeSet<u64> = (start..start + len).collect();
            let missing = x.missing(start..start + len);
            prop_assert_eq!(bytes(missing.as_slice()), range.difference(&sx).copied().collect::<BTreeSet<_>>());
        }

        #[test]
        fn samples_lie_inside_and_begin_with_the_first_block(a in ranges(), n in 1u64..20, grain in 1u64..9) {
            let x: RangeSet = a.into_iter().collect();
            let samples = x.samples(n, grain);
            let inside = bytes(x.as_slice());
            prop_assert!(samples.iter().all(|s| s % grain == 0 && (*s..s + grain).all(|b| inside.contains(&b))));
            prop_assert!(samples.windows(2).all(|w| w[0] < w[1]));
            let whole = x.whole_blocks(grain);
            prop_assert_eq!(samples.first().copied(), whole.as_slice().first().map(|r| r.start));
            prop_assert_eq!(samples.len() as u64, n.min(whole.bytes() / grain));
        }
    }

    #[test]
    fn the_largest_are_kept() {
        let set: RangeSet = [0..5, 10..12, 20..29].into_iter().collect();
        assert_eq!(set.largest(2).as_slice(), &[0..5, 20..29]);
    }
}
