//! Sizes of operations.

use crate::random::Random;
use model::plan::BlockSizes;

/// Distribution of sizes.
#[derive(Debug, Clone)]
pub(super) enum SizeLaw {
    Fixed(u32),
    /// Weighted sizes: pairs of the upper bound of the roll and the size, in ascending order, and the last upper bound.
    Split(Vec<(u64, u32)>, u64),
    /// Multiples of the lower end, equally likely. If the upper end is not a multiple, it is the last step, as in fio.
    Range {
        min: u64,
        max: u64,
    },
    /// Every number of bytes from `min` to `max`, equally likely.
    Loose {
        min: u64,
        max: u64,
    },
}

impl SizeLaw {
    pub(super) fn new(sizes: &BlockSizes, unaligned: bool) -> Self {
        match sizes {
            BlockSizes::Fixed(size) => SizeLaw::Fixed(size.as_u64() as u32),
            BlockSizes::Split(list) => {
                let mut below = 0u64;
                let table = list
                    .iter()
                    .map(|s| {
                        below += u64::from(s.weight);
                        (below, s.size.as_u64() as u32)
                    })
                    .collect();
                SizeLaw::Split(table, below)
            }
            BlockSizes::Range(min, max) if unaligned => SizeLaw::Loose { min: min.as_u64(), max: max.as_u64() },
            BlockSizes::Range(min, max) => SizeLaw::Range { min: min.as_u64(), max: max.as_u64() },
        }
    }

    /// Returns the size, if all operations have the same size.
    pub(super) fn fixed(&self) -> Option<u32> {
        match self {
            SizeLaw::Fixed(size) => Some(*size),
            SizeLaw::Split(table, _) => {
                let first = table.first()?.1;
                table.iter().all(|(_, size)| *size == first).then_some(first)
            }
            SizeLaw::Range { min, max } | SizeLaw::Loose { min, max } => (min == max).then_some(*min as u32),
        }
    }

    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u32 {
        match self {
            SizeLaw::Fixed(size) => *size,
            _ => self.quantile(random.next()),
        }
    }

    /// Returns the quantile of the distribution at `roll` / 2^64.
    pub(super) fn quantile(&self, roll: u64) -> u32 {
        let below = |n: u64| ((u128::from(roll) * u128::from(n)) >> 64) as u64;
        match self {
            SizeLaw::Fixed(size) => *size,
            SizeLaw::Split(table, total) => {
                let roll = below(*total);
                table.iter().find(|(bound, _)| roll < *bound).map_or(0, |(_, size)| *size)
            }
            SizeLaw::Range { min, max } => ((min + below(*max)) / min * min).min(*max) as u32,
            SizeLaw::Loose { min, max } => (min + below(max - min + 1)) as u32,
        }
    }

    /// Draws a size of at most `room` bytes, or returns `None` if no size fits. As in fio, sizes are drawn until one
    /// fits.
    #[inline]
    pub(super) fn draw_within(&self, room: u64, random: &mut Random) -> Option<u32> {
        let size = self.draw(random);
        if u64::from(size) <= room { Some(size) } else { self.draw_smaller(room, random) }
    }

    #[cold]
    fn draw_smaller(&self, room: u64, random: &mut Random) -> Option<u32> {
        let smallest = match self {
            SizeLaw::Fixed(_) => return None,
            SizeLaw::Split(table, _) => {
                let mut last = 0;
                let drawable = table.iter().filter(|(bound, _)| std::mem::replace(&mut last, *bound) != *bound);
                drawable.map(|(_, size)| *size).min()?
            }
            SizeLaw::Range { min, .. } | SizeLaw::Loose { min, .. } => *min as u32,
        };
        if u64::from(smallest) > room {
            return None;
        }
        // A rare size may be the only one that fits. After 100 draws, it is used directly.
        let tries = (0..100).map(|_| self.draw(random));
        Some(tries.into_iter().find(|size| u64::from(*size) <= room).unwrap_or(smallest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, plan::SizeShare};
    use proptest::prelude::*;

    fn split(list: &[(u64, u32)]) -> BlockSizes {
        BlockSizes::Split(list.iter().map(|(size, weight)| SizeShare { size: Bytes(*size), weight: *weight }).collect())
    }

    proptest! {
        #[test]
        fn shares_of_a_split_come_out_within_the_error_of_the_sample(
            weights in proptest::collection::vec(0u32..50, 2..6), seed: u64,
        ) {
            prop_assume!(weights.iter().sum::<u32>() > 0);
            let list: Vec<(u64, u32)> = weights.iter().enumerate().map(|(i, w)| (4096 << i, *w)).collect();
            let law = SizeLaw::new(&split(&list), false);
            let mut random = Random::new(seed);
            let n = 20_000;
            let mut count = vec![0u32; list.len()];
            for _ in 0..n {
                let size = u64::from(law.draw(&mut random));
                count[list.iter().position(|(s, _)| *s == size).unwrap()] += 1;
            }
            let total: u32 = weights.iter().sum();
            for (got, weight) in count.iter().zip(&weights) {
                let share = f64::from(*weight) / f64::from(total);
                // Five standard deviations of a binomial distribution: about one test in 1.5 million fails by chance.
                let error = 5.0 * (share * (1.0 - share) * f64::from(n)).sqrt();
                prop_assert!((f64::from(*got) - share * f64::from(n)).abs() <= error, "{got} of {n}, {share}");
            }
        }

        #[test]
        fn what_is_drawn_fits(min in 1u64..5000, more in 0u64..100_000, room in 0u64..100_000, loose: bool, seed: u64) {
            let law = SizeLaw::new(&BlockSizes::Range(Bytes(min), Bytes(min + more)), loose);
            match law.draw_within(room, &mut Random::new(seed)) {
                Some(size) => prop_assert!(u64::from(size) <= room && u64::from(size) >= min),
                None => prop_assert!(room < min),
            }
        }
    }

    #[test]
    fn a_range_has_every_multiple_alike_and_a_loose_one_every_byte() {
        let mut random = Random::new(3);
        let range = SizeLaw::new(&BlockSizes::Range(Bytes(4096), Bytes(16384)), false);
        let mut count = [0u32; 5];
        (0..40_000).for_each(|_| count[range.draw(&mut random) as usize / 4096] += 1);
        assert!(count[1..].iter().all(|n| n.abs_diff(10_000) < 450), "{count:?}");
        let loose = SizeLaw::new(&BlockSizes::Range(Bytes(512), Bytes(1024)), true);
        let drawn: Vec<u32> = (0..20_000).map(|_| loose.draw(&mut random)).collect();
        assert!(drawn.iter().any(|s| s % 512 != 0));
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&512), Some(&1024)));
    }

    #[test]
    fn a_size_without_weight_is_not_taken_because_it_would_fit() {
        let law = SizeLaw::new(&split(&[(512, 0), (4096, 1), (8192, 9)]), false);
        assert_eq!(law.draw_within(4096, &mut Random::new(1)), Some(4096));
        assert_eq!(law.draw_within(1024, &mut Random::new(1)), None);
    }
}
