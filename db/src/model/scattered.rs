//! Pages of nodes that are inserted in random order, as a tree has them: it begins with one page and doubles, each new page
//! taking over from one that was full.
//!
//! Where a node lies depends on its number alone, so that it is found again without a tree. Between two doublings inserts fall
//! evenly on the pages that the doubling adds; in a tree they fall on twice as many, each half as often. The first on such a
//! page is a split: the page it splits from is written with it.

use load::random::mix;

/// Where the node of an insert lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Page, from 0.
    pub page: u64,
    /// Place in it.
    pub which: usize,
    /// The page that this one split from.
    pub from: Option<u64>,
}

/// Of the insert with this number (from 1), with so many nodes a page.
pub(super) fn place_of(insert: u64, nodes: u32) -> Place {
    let (i, nodes) = (insert.saturating_sub(1), u64::from(nodes.max(1)));
    if i < nodes {
        return Place { page: 0, which: i as usize, from: None };
    }
    // Pages before this doubling: as many as it adds.
    let before = 1u64 << (i / nodes).ilog2();
    let cell = permuted(i - before * nodes, before * nodes, before);
    let page = before + cell / nodes;
    Place { page, which: (cell % nodes) as usize, from: Some(page - before) }
}

/// A permutation of the numbers below `all`: Feistel's four rounds, again as long as they lead outside.
fn permuted(number: u64, all: u64, salt: u64) -> u64 {
    let half = (64 - (all - 1).max(1).leading_zeros()).div_ceil(2).max(1);
    let mask = u64::MAX >> (64 - half);
    let mut x = number;
    loop {
        let (mut left, mut right) = (x >> half & mask, x & mask);
        for round in 1..=4u64 {
            (left, right) = (right, left ^ (mix(right ^ (round << 56) ^ (salt << 8)) & mask));
        }
        x = left << half | right;
        if x < all {
            return x;
        }
    }
}

/// How pages of nodes and of secondary indexes lie in one file: groups of so many pages of nodes, each with room behind them for the
/// pages of every index that go with so many nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Groups {
    indexes: u64,
    /// Pages of an index in a group.
    room: u64,
}

/// Pages of nodes in a group.
const GROUP: u64 = 64;

impl Groups {
    /// Of so many indexes; with so many nodes, and entries of an index, in a page.
    pub fn new(indexes: u32, nodes: u32, entries: u32) -> Groups {
        // Pages of a tree that doubles are half full at the least.
        let room = (2 * GROUP * u64::from(nodes)).div_ceil(u64::from(entries.max(1)));
        Groups { indexes: u64::from(indexes), room: room.max(1) }
    }

    const fn stride(self) -> u64 {
        GROUP + self.indexes * self.room
    }

    /// Where a page of nodes lies.
    pub const fn of_nodes(self, page: u64) -> u64 {
        page / GROUP * self.stride() + page % GROUP
    }

    /// Where a page of an index (from 1) lies.
    pub const fn of_index(self, index: u32, page: u64) -> u64 {
        page / self.room * self.stride() + GROUP + (index as u64 - 1) * self.room + page % self.room
    }

    /// Pages of nodes that a file of so many pages has room for.
    pub const fn nodes_of(self, pages: u64) -> u64 {
        let rest = pages % self.stride();
        pages / self.stride() * GROUP + if rest < GROUP { rest } else { GROUP }
    }

    /// Whether a page of the file is one of nodes.
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
            // A page splits from one that is there: each doubling begins when all before are full.
            let mut there = BTreeSet::new();
            for place in places {
                assert!(place.from.is_none_or(|from| there.contains(&from)), "{place:?}");
                there.insert(place.page);
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
