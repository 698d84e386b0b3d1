//! Pages of randomly inserted nodes in a simplified tree. The tree begins with one page and doubles, and each new page
//! splits from a full page.
//!
//! The position of a node depends only on its number, so it can be found without a tree. Between two doublings, inserts
//! are distributed evenly over the pages that the doubling adds. In a real tree, inserts go to twice as many pages, and
//! to each page half as often. The first insert on an added page is a split: the page from which it splits is also
//! written.

use load::random::mix;

/// Position of an inserted node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Number of the page, from 0.
    pub page: u64,
    /// Position in the page.
    pub which: usize,
    /// Page from which the page of the node split; `None` for the first page.
    pub from: Option<u64>,
}

/// Returns the position of the insert with this number (from 1), with `nodes` nodes per page.
pub(super) fn place_of(insert: u64, nodes: u32) -> Place {
    let (i, nodes) = (insert.saturating_sub(1), u64::from(nodes.max(1)));
    if i < nodes {
        return Place { page: 0, which: i as usize, from: None };
    }
    // Number of pages before this doubling, which adds the same number of pages.
    let before = 1u64 << (i / nodes).ilog2();
    let cell = permuted(i - before * nodes, before * nodes, before);
    let page = before + cell / nodes;
    Place { page, which: (cell % nodes) as usize, from: Some(page - before) }
}

/// Returns the position of a number in a pseudorandom permutation of the numbers below `count`. Uses four rounds of a
/// Feistel cipher, repeated while the result is out of range.
fn permuted(number: u64, count: u64, salt: u64) -> u64 {
    let half = (64 - (count - 1).max(1).leading_zeros()).div_ceil(2).max(1);
    let mask = u64::MAX >> (64 - half);
    let mut x = number;
    loop {
        let (mut left, mut right) = (x >> half & mask, x & mask);
        for round in 1..=4u64 {
            (left, right) = (right, left ^ (mix(right ^ (round << 56) ^ (salt << 8)) & mask));
        }
        x = left << half | right;
        if x < count {
            return x;
        }
    }
}

/// Arrangement of node pages and secondary index pages in one file: groups of [`GROUP`] node pages. Each group is
/// followed by space for the corresponding pages of every index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Groups {
    indexes: u64,
    /// Number of pages that each index has in a group.
    room: u64,
}

/// Number of node pages in a group.
const GROUP: u64 = 64;

impl Groups {
    /// Creates the arrangement for these numbers of indexes, nodes per page, and index entries per page.
    pub fn new(indexes: u32, nodes: u32, entries: u32) -> Groups {
        // Pages of a tree that doubles are at least half full.
        let room = (2 * GROUP * u64::from(nodes)).div_ceil(u64::from(entries.max(1)));
        Groups { indexes: u64::from(indexes), room: room.max(1) }
    }

    const fn stride(self) -> u64 {
        GROUP + self.indexes * self.room
    }

    /// Returns the position of a node page in the file.
    pub const fn of_nodes(self, page: u64) -> u64 {
        page / GROUP * self.stride() + page % GROUP
    }

    /// Returns the position of an index page in the file. Indexes are numbered from 1.
    pub const fn of_index(self, index: u32, page: u64) -> u64 {
        page / self.room * self.stride() + GROUP + (index as u64 - 1) * self.room + page % self.room
    }

    /// Returns the number of node pages in a file of `pages` pages.
    pub const fn nodes_of(self, pages: u64) -> u64 {
        let rest = pages % self.stride();
        pages / self.stride() * GROUP + if rest < GROUP { rest } else { GROUP }
    }

    /// Returns `true` if a page of the file is a node page.
    pub const fn has_nodes(self, page: u64) -> bool {
        page % self.stride() < GROUP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_nodes_and_of_indexes_share_a_file_and_no_place() {
        for (indexes, nodes, entries) in [(0, 100, 300), (1, 100, 300), (3, 143, 250), (2, 4, 700), (8, 300, 100)] {
            let groups = Groups::new(indexes, nodes, entries);
            let mut places = BTreeSet::new();
            for page in 0..1000 {
                let place = groups.of_nodes(page);
                assert!(groups.has_nodes(place) && places.insert(place), "{indexes} {page}");
                for index in 1..=indexes {
                    let place = groups.of_index(index, page);
                    assert!(!groups.has_nodes(place) && places.insert(place), "{indexes} {index} {page}");
                }
            }
        }
        let grouped = Groups::new(2, 100, 300);
        for page in 0..1000 {
            assert_eq!(grouped.nodes_of(grouped.of_nodes(page) + 1), page + 1);
            assert_eq!(grouped.nodes_of(grouped.of_nodes(page)), page);
        }
        let plain = Groups::new(0, 100, 300);
        assert!((0..1000).all(|page| plain.of_nodes(page) == page), "without indexes the file is as it was");
    }
    use std::collections::BTreeSet;

    #[test]
    fn no_two_inserts_share_a_place_and_pages_double_without_a_hole() {
        for nodes in [1, 3, 100, 143] {
            let inserts = 64 * u64::from(nodes);
            let places: Vec<Place> = (1..=inserts).map(|n| place_of(n, nodes)).collect();
            let distinct: BTreeSet<(u64, usize)> = places.iter().map(|p| (p.page, p.which)).collect();
            assert_eq!(distinct.len() as u64, inserts, "{nodes}");
            assert!(places.iter().all(|p| p.page < 64 && p.which < nodes as usize), "{nodes}: as full as can be");
            // A page splits from an existing one: each doubling begins when all earlier pages are full.
            let mut existing = BTreeSet::new();
            for place in places {
                assert!(place.from.is_none_or(|from| existing.contains(&from)), "{place:?}");
                existing.insert(place.page);
            }
        }
    }

    #[test]
    fn inserts_between_two_doublings_come_in_no_order() {
        let pages: Vec<u64> = (10_001..=16_000).map(|n| place_of(n, 100).page).collect();
        let rises = pages.windows(2).filter(|w| w[1] > w[0]).count();
        assert!((2_500..3_500).contains(&rises), "{rises} of {}", pages.len());
    }
}
