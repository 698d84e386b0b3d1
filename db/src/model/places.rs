//! Positions of pages in a global's file. Pages of ordered nodes and pages of randomly inserted nodes form separate
//! sequences. Each sequence includes the related pages that an engine writes in addition.

use super::profile::{NodeOrder, Profile};
use super::tree::TreeRule;

/// Kind of the nodes in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nodes in the order of their subscripts.
    InOrder,
    /// Nodes inserted in random order.
    Scattered,
}

/// Kinds of the pages in a file, as runs of pages of one kind. The last run is open-ended. Pages of ordered nodes come
/// first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Runs(Vec<(Kind, u64)>);

impl Runs {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the position of a page in the file, or `None` if the runs do not include the page. `at` is the page's
    /// position in the sequence of pages of this kind.
    pub fn find(&self, kind: Kind, at: u64) -> Option<u64> {
        let mut left = at;
        let first = [(Kind::InOrder, 0)];
        let mut runs = first.iter().chain(&self.0).peekable();
        while let Some((run_kind, begins)) = runs.next() {
            let length = runs.peek().map_or(u64::MAX, |(_, next)| next - begins);
            if *run_kind == kind {
                if left < length {
                    return Some(begins + left);
                }
                left -= length;
            }
        }
        None
    }

    /// Begins a run of this kind after the first `behind` pages.
    pub fn begin(&mut self, kind: Kind, behind: u64) {
        let last = self.0.last().map_or(0, |(_, begins)| *begins);
        self.0.push((kind, behind.max(last)));
    }

    /// Encodes the runs for the header: one word each, with the kind in the lowest bit.
    pub fn to_words(&self) -> Vec<u64> {
        self.0.iter().map(|(kind, begins)| begins << 1 | u64::from(*kind == Kind::Scattered)).collect()
    }

    /// Decodes the runs from the header.
    pub fn of_words(words: impl Iterator<Item = u64>) -> Runs {
        let kind = |word| if word & 1 == 1 { Kind::Scattered } else { Kind::InOrder };
        Runs(words.map(|word| (kind(word), word >> 1)).collect())
    }
}

/// Number of bytes in an index page that hold no entries.
const INDEX_HEADER: u64 = 40;
/// Fill factor of index pages for keys in order, in percent.
const INDEX_FILL: u64 = 90;

/// Sequences of pages for a profile with page splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sequences {
    /// True if nodes are stored in the order of arrival.
    pub heap: bool,
    /// True if the file has a page with a map of the used pages.
    pub map: bool,
    /// Number of pages of nodes per related page (an inner page of the tree, or a page of the primary index).
    in_order: u64,
    scattered: u64,
    /// Rules for the tree of nodes, or of primary index entries.
    pub tree: TreeRule,
}

impl Sequences {
    /// Creates the sequences for this number of nodes per page. Returns `None` if the profile has no splits.
    pub fn from_profile(profile: &Profile, page: u64, nodes: u32) -> Option<Sequences> {
        let pages = &profile.pages;
        if !pages.splits() {
            return None;
        }
        let (heap, nodes, fanout) =
            (pages.order.value == NodeOrder::Arrival, u64::from(nodes.max(1)), pages.fanout.value);
        let entries = (page.saturating_sub(INDEX_HEADER) / pages.index_entry.value.max(1)).max(2);
        // Pages of a tree with splits are at least half full. This limits the number of related pages, so that each has
        // a position.
        let (in_order, scattered, held) = if heap {
            (entries * INDEX_FILL / 100 / nodes, entries / 2 / nodes, entries)
        } else {
            (fanout, fanout / 2, nodes)
        };
        let tree = TreeRule { nodes: held as usize, split: pages.split.value, fanout: fanout as usize };
        let (in_order, scattered) = (in_order.max(1), scattered.max(1));
        Some(Sequences { heap, map: pages.map.value, in_order, scattered, tree })
    }

    /// Position of the map of used pages.
    pub const MAP: (Kind, u64) = (Kind::InOrder, 0);

    /// Returns the position of a page of ordered nodes. Pages are counted from 0.
    pub const fn in_order(self, page: u64) -> (Kind, u64) {
        (Kind::InOrder, page + page / self.in_order + 1 + self.map as u64)
    }

    /// Returns the position of the page related to a page of ordered nodes: its inner page, or the page of its index
    /// entries.
    pub const fn related_in_order(self, page: u64) -> (Kind, u64) {
        (Kind::InOrder, page / self.in_order * (self.in_order + 1) + self.map as u64)
    }

    /// Returns the position of a page of randomly inserted nodes.
    pub const fn scattered(self, page: u64) -> (Kind, u64) {
        (Kind::Scattered, page + page / self.scattered + 1)
    }

    /// Returns the position of a page related to randomly inserted nodes: an inner page, or a page of index entries.
    /// These pages are counted separately.
    pub const fn related_scattered(self, page: u64) -> (Kind, u64) {
        (Kind::Scattered, page * (self.scattered + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::profile::Split;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn sequences(heap: bool, map: bool, in_order: u64, scattered: u64) -> Sequences {
        let tree = TreeRule { nodes: 20, split: Split::Half, fanout: 20 };
        Sequences { heap, map, in_order, scattered, tree }
    }

    proptest! {
        /// Checks any alternation of kinds. No two pages may share a position, the stored runs must reproduce every
        /// position, and existing pages must not move.
        #[test]
        fn no_two_pages_share_a_place(
            turns in prop::collection::vec(1_u64..50, 1..12), map: bool, in_order in 1_u64..30, scattered in 1_u64..30,
        ) {
            let order = sequences(false, map, in_order, scattered);
            let (mut runs, mut taken, mut made) = (Runs::default(), BTreeSet::new(), Vec::new());
            let (mut next, mut behind) = ([0_u64; 2], 0);
            if map {
                made.push((Sequences::MAP, 0));
                taken.insert(0);
                behind = 1;
            }
            for (turn, pages) in turns.into_iter().enumerate() {
                for _ in 0..pages {
                    let page = next[turn % 2];
                    next[turn % 2] += 1;
                    let (node, related) = match turn % 2 {
                        0 => (order.in_order(page), order.related_in_order(page)),
                        _ => (order.scattered(page), order.related_scattered(page / scattered)),
                    };
                    for (kind, at) in [node, related] {
                        if made.iter().any(|(known, _)| *known == (kind, at)) {
                            continue;
                        }
                        if runs.find(kind, at).is_none() {
                            runs.begin(kind, behind);
                        }
                        let place = runs.find(kind, at).expect("it was begun");
                        prop_assert!(taken.insert(place), "{:?} of {:?}", (kind, at), runs);
                        behind = behind.max(place + 1);
                        made.push(((kind, at), place));
                    }
                }
            }
            let read = Runs::of_words(runs.to_words().into_iter());
            prop_assert_eq!(&read, &runs);
            for ((kind, at), place) in made {
                prop_assert_eq!(read.find(kind, at), Some(place));
            }
        }
    }
}
