//! Stable sorting in little code.
//!
//! `slice::sort_by` is compiled for each type and comparison, about 4 KB each in the program that is shipped; a report sorts a hundred
//! tables of a few rows. Here one sort of places serves them all.

use std::cmp::Ordering;

/// Sorts as the methods of a slice without `compact_` do, for tables of few rows; long series of measurements are better sorted by those.
pub trait CompactSort<T> {
    /// As `sort_by`: stable; ascending by `compare`.
    fn compact_sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// As `sort_by_key`: stable; ascending by `key`.
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

/// Which row comes first, second, ... of `rows` rows.
fn sorted_places(rows: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..rows).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

/// Brings row `places[i]` to place `i` for every `i`, along the circles in which rows change places.
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
