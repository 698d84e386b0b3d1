//! Positions of randomly inserted nodes: a tree whose pages split as in the engine.
//!
//! The subscripts of these nodes follow from their numbers ([`scattered_subscript`]). Therefore, the tree can be
//! rebuilt from the number of inserts alone, and is not stored on disk. In memory, the tree takes four bytes per node,
//! and a few bytes per page.

use super::profile::Split;
use model::plan::scattered_subscript;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};

/// Rules for splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TreeRule {
    /// Number of nodes per page.
    pub nodes: usize,
    pub split: Split,
    /// Number of pages under an inner page.
    pub fanout: usize,
}

/// Maximum number of inserts. Their numbers are stored in 32 bits.
pub(super) const MOST: u64 = u32::MAX as u64;

#[derive(Debug, Default)]
struct Leaf {
    page: u64,
    /// Insert numbers of the nodes, by position in the page.
    nodes: Vec<u32>,
}

/// An inner page and the number of pages under it.
#[derive(Debug, Clone, Copy)]
struct Inner {
    page: u64,
    under: usize,
}

/// Previous page and position of a node.
pub(super) type Was = (u64, usize);

/// Page that a split writes, with its nodes and their previous positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rewritten {
    pub page: u64,
    /// Previous page and position of each node; `None` for the new node.
    pub nodes: Vec<Option<Was>>,
    /// True if the page is new.
    pub fresh: bool,
}

/// Effect of an insert on the pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Inserted {
    /// Page of the new node.
    pub page: u64,
    pub which: usize,
    /// True if the page of the new node is new and contains no other node.
    pub fresh: bool,
    /// Pages that a split writes, from left to right.
    pub rewritten: Vec<Rewritten>,
    /// Inner pages that are written.
    pub inner: Vec<u64>,
}

/// The tree. Pages and inner pages are counted separately, from 0.
#[derive(Debug)]
pub(super) struct Tree {
    rule: TreeRule,
    /// Pages by the lowest subscript that belongs in each page.
    leaves: BTreeMap<u64, Leaf>,
    inner: BTreeMap<u64, Inner>,
    inserted: u64,
}

fn subscript(node: u32) -> u64 {
    scattered_subscript(u64::from(node))
}

impl Tree {
    /// Builds the tree after `inserts` inserts.
    pub fn grown(rule: TreeRule, inserts: u64) -> Tree {
        let mut tree = Tree { rule, leaves: BTreeMap::new(), inner: BTreeMap::new(), inserted: 0 };
        for node in 1..=inserts.min(MOST) {
            tree.insert(node as u32);
        }
        tree
    }

    /// Returns the number of inserts so far.
    pub fn inserted(&self) -> u64 {
        self.inserted
    }

    /// Returns the page and position of a node; `None` if it was not inserted.
    pub fn find(&self, node: u64) -> Option<(u64, usize)> {
        let node = u32::try_from(node).ok()?;
        let (_, leaf) = self.leaves.range(..=subscript(node)).next_back()?;
        leaf.nodes.iter().position(|n| *n == node).map(|which| (leaf.page, which))
    }

    /// Inserts the node with this number, which must be new.
    pub fn insert(&mut self, node: u32) -> Inserted {
        self.inserted += 1;
        let Some((start, leaf)) = self.leaves.range_mut(..=subscript(node)).next_back() else {
            self.leaves.insert(0, Leaf { page: 0, nodes: vec![node] });
            self.inner.insert(0, Inner { page: 0, under: 1 });
            return Inserted { fresh: true, inner: vec![0], ..Inserted::default() };
        };
        if leaf.nodes.len() < self.rule.nodes {
            leaf.nodes.push(node);
            return Inserted { page: leaf.page, which: leaf.nodes.len() - 1, ..Inserted::default() };
        }
        let start = *start;
        self.split(start, node)
    }

    /// Splits a full page for a new node.
    fn split(&mut self, start: u64, node: u32) -> Inserted {
        let (below, above) = self.under_one_inner(start);
        let mut starts = vec![start];
        let known = self.leaves.len() as u64;
        let behind = |leaf: &Leaf| leaf.nodes.iter().all(|n| subscript(*n) < subscript(node));
        // For a node after the last one, every engine begins a new page and leaves the full page unchanged.
        let last = self.leaves.last_key_value().is_some_and(|(s, leaf)| *s == start && behind(leaf));
        if self.rule.split == Split::Siblings && !last {
            // The neighbors are under the same inner page: the nodes of all these pages are distributed again.
            let before = self.leaves.range(below..start).next_back().map(|(s, _)| *s);
            let after = self.leaves.range((Excluded(start), above.map_or(Unbounded, Excluded))).next().map(|(s, _)| *s);
            starts = before.into_iter().chain(starts).chain(after).collect();
        }
        let first = starts[0];
        let taken: Vec<Leaf> = starts.iter().filter_map(|s| self.leaves.remove(s)).collect();
        let mut entries: Vec<(u64, u32, Option<Was>)> = Vec::with_capacity(taken.len() * self.rule.nodes + 1);
        for leaf in &taken {
            entries.extend(leaf.nodes.iter().enumerate().map(|(i, n)| (subscript(*n), *n, Some((leaf.page, i)))));
        }
        entries.push((subscript(node), node, None));
        entries.sort_unstable_by_key(|(subscript, ..)| *subscript);
        let at = entries.iter().position(|(_, n, _)| *n == node).unwrap_or(0);
        let ends =
            if last { vec![entries.len() - 1, entries.len()] } else { self.ends(entries.len(), at, taken.len()) };
        let mut inserted = Inserted::default();
        let (mut from, mut begins) = (0, first);
        for (i, end) in ends.into_iter().enumerate() {
            let fresh = i >= taken.len();
            let page = taken.get(i).map_or(known + (i - taken.len().min(i)) as u64, |leaf| leaf.page);
            let part = &entries[from..end];
            if let Some(which) = part.iter().position(|(_, n, _)| *n == node) {
                (inserted.page, inserted.which) = (page, which);
            }
            if i > 0 {
                begins = part[0].0;
            }
            self.leaves.insert(begins, Leaf { page, nodes: part.iter().map(|(_, n, _)| *n).collect() });
            let nodes = part.iter().map(|(.., was)| *was).collect();
            inserted.rewritten.push(Rewritten { page, nodes, fresh });
            from = end;
        }
        let added = inserted.rewritten.iter().filter(|p| p.fresh).count();
        inserted.inner = self.count_under(below, added);
        inserted
    }

    /// Distributes `count` nodes over pages and returns the end index of each page. `at` is the index of the new node.
    /// `before` is the number of pages before the insertion.
    fn ends(&self, count: usize, at: usize, before: usize) -> Vec<usize> {
        if self.rule.split == Split::Point {
            // The page is split at the new node, which goes to the side with fewer nodes.
            let left = if at < count - 1 - at { at + 1 } else { at };
            return vec![left.max(1), count];
        }
        let pages = count.div_ceil(self.rule.nodes).max(before);
        (1..=pages).map(|i| count * i / pages).collect()
    }

    /// Returns the range of the inner page above a page: its start and the start of the next inner page.
    fn under_one_inner(&self, start: u64) -> (u64, Option<u64>) {
        let begins = self.inner.range(..=start).next_back().map_or(0, |(s, _)| *s);
        (begins, self.inner.range((Excluded(begins), Unbounded)).next().map(|(s, _)| *s))
    }

    /// Adds pages under an inner page. Returns the inner pages that are written.
    fn count_under(&mut self, begins: u64, added: usize) -> Vec<u64> {
        let (_, ends) = self.under_one_inner(begins);
        let pages = self.inner.len() as u64;
        let Some(inner) = self.inner.get_mut(&begins) else { return Vec::new() };
        inner.under += added;
        let (page, under) = (inner.page, inner.under);
        if under <= self.rule.fanout {
            return vec![page];
        }
        let half = under / 2;
        inner.under = half;
        let range = (Included(begins), ends.map_or(Unbounded, Excluded));
        if let Some(middle) = self.leaves.range(range).nth(half).map(|(s, _)| *s) {
            self.inner.insert(middle, Inner { page: pages, under: under - half });
        }
        vec![page, pages]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeSet, HashMap};

    fn rule(split: Split, nodes: usize, fanout: usize) -> TreeRule {
        TreeRule { nodes, split, fanout }
    }

    /// Contents of the pages, updated according to the tree's results.
    type Pages = HashMap<u64, Vec<u32>>;

    fn apply(pages: &mut Pages, node: u32, done: &Inserted) {
        if done.rewritten.is_empty() {
            let page = pages.entry(done.page).or_default();
            assert!(page.len() == done.which && (page.is_empty() == done.fresh), "{done:?}");
            page.push(node);
            return;
        }
        let before = pages.clone();
        for part in &done.rewritten {
            assert_eq!(!before.contains_key(&part.page), part.fresh, "{part:?}");
            let at = |(page, which): (u64, usize)| before[&page][which];
            pages.insert(part.page, part.nodes.iter().map(|was| was.map_or(node, at)).collect());
        }
    }

    proptest! {
        /// Checks every split rule. Splits must neither lose nor duplicate nodes, and each node must be found in its
        /// page. Pages and inner pages must be numbered without gaps, and no page may exceed its capacity. The tree
        /// rebuilt from the number of inserts must be the same.
        #[test]
        fn pages_hold_every_node_once_where_the_tree_finds_it(
            split in prop::sample::select(vec![Split::Half, Split::Point, Split::Siblings]),
            nodes in 1_usize..40, fanout in 2_usize..30, inserts in 1_u32..1500,
        ) {
            let rule = rule(split, nodes, fanout);
            let (mut tree, mut pages, mut inner) = (Tree::grown(rule, 0), Pages::new(), BTreeSet::new());
            for node in 1..=inserts {
                let done = tree.insert(node);
                inner.extend(done.inner.iter().copied());
                apply(&mut pages, node, &done);
            }
            let again = Tree::grown(rule, u64::from(inserts));
            prop_assert_eq!(tree.inserted(), u64::from(inserts));
            for node in 1..=inserts {
                let (page, which) = tree.find(node.into()).expect("it was inserted");
                prop_assert_eq!(pages[&page][which], node);
                prop_assert_eq!(again.find(node.into()), Some((page, which)));
            }
            prop_assert_eq!(tree.find(u64::from(inserts) + 1), None);
            prop_assert_eq!(pages.values().map(Vec::len).sum::<usize>(), inserts as usize);
            prop_assert!(pages.values().all(|held| !held.is_empty() && held.len() <= nodes));
            prop_assert_eq!(pages.keys().max().copied(), Some(pages.len() as u64 - 1));
            prop_assert_eq!(inner.last().copied(), Some(inner.len() as u64 - 1));
            prop_assert!(tree.inner.values().all(|i| i.under <= fanout.max(2)));
            prop_assert_eq!(tree.inner.values().map(|i| i.under).sum::<usize>(), pages.len());
        }
    }

    /// Checks the fill factors against the textbook. Pages that split into halves are ln 2 (69 %) full. Pages are
    /// fuller if three siblings share the nodes, and less full if they split at the new key.
    #[test]
    fn pages_are_as_full_as_the_rule_makes_them() {
        let fill = |split| {
            let tree = Tree::grown(rule(split, 26, 400), 50_000);
            50_000.0 / 26.0 / tree.leaves.len() as f64
        };
        let (half, siblings, point) = (fill(Split::Half), fill(Split::Siblings), fill(Split::Point));
        assert!((0.67..0.73).contains(&half), "{half}");
        assert!((0.80..0.92).contains(&siblings), "{siblings}");
        assert!((0.50..0.58).contains(&point), "{point}");
    }
}
