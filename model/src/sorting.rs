//! Stable sorting that needs little machine code.
//!
//! `slice::sort_by` is compiled for each type and comparison, about 4 KB each in the shipped program, and a report
//! sorts a hundred tables of a few rows. Here all tables share one function that sorts indices.

use std::cmp::Ordering;

/// Sorting methods for tables of few rows. They behave like the methods of a slice that have the same name without the
/// prefix `compact_`. Use the slice methods for long series of measurements.
pub trait CompactSort<T> {
    /// Sorts as `sort_by` does: stable, ascending by `compare`.
    fn compact_sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts as `sort_by_key` does: stable, ascending by `key`.
    fn compact_sort_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> CompactSort<T> for [T] {
    fn compact_sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut places = sorted_places(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        carry(&mut places, &mut |a, b| self.swap(a, b));
    }

    fn compact_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.compact_sort_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// Returns the sorted order: the index of the row that comes first, second, and so on.
fn sorted_places(rows: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..rows).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

/// Moves row `places[i]` to index `i` for every `i`, following the cycles of the permutation.
fn carry(places: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..places.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut places[at], at);
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(keys in prop::collection::vec(0u8..20, 0..60)) {
            let rows: Vec<(u8, usize)> = keys.into_iter().enumerate().map(|(at, key)| (key, at)).collect();
            let mut by_key = rows.clone();
            by_key.compact_sort_by_key(|(key, _)| *key);
            let mut by = rows.clone();
            by.compact_sort_by(|a, b| b.0.cmp(&a.0));
            let mut standard = rows;
            standard.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(&by_key, &standard);
            standard.sort_by_key(|(_, at)| *at);
            standard.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
            prop_assert_eq!(by, standard);
        }
    }
}
