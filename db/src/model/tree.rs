//! Which page a node lies in that was inserted in random order: a tree of pages that split as the engine's do.
//!
//! Subscripts of such nodes follow from their numbers ([`scattered_subscript`]), so that the tree is grown again of the number of
//! inserts alone and nothing of it is kept on disk. It is held in memory: four bytes a node, and some for each page.

use super::profile::Split;
use model::scattered_subscript;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};

/// How a tree splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TreeRule {
    /// Nodes of a page.
    pub nodes: usize,
    pub split: Split,
    /// Pages under an inner page.
    pub fanout: usize,
}

/// Most inserts of a tree: their numbers are kept in 32 bits.
pub(super) const MOST: u64 = u32::MAX as u64;

#[derive(Debug, Default)]
struct Leaf {
    page: u64,
    /// Numbers of the inserts, each where its place is.
    nodes: Vec<u32>,
}

/// An inner page, and how many are under it.
#[derive(Debug, Clone, Copy)]
struct Inner {
    page: u64,
    under: usize,
}

/// Page and place where a node was before.
pub(super) type Was = (u64, usize);

/// A page that a split writes: which nodes are in it afterwards, and where the value of each was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rewritten {
    pub page: u64,
    /// Page and place of each before; `None` = the new node.
    pub nodes: Vec<Option<Was>>,
    /// It was not there before.
    pub fresh: bool,
}

/// What an insert does to the pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Inserted {
    /// Where the new node lies afterwards.
    pub page: u64,
    pub which: usize,
    /// Its page is new, and it is alone there.
    pub fresh: bool,
    /// Pages that are written for a split, from the left to the right.
    pub rewritten: Vec<Rewritten>,
    /// Inner pages that are written.
    pub inner: Vec<u64>,
}

/// The tree; pages and inner pages are counted from 0, each for themselves.
#[derive(Debug)]
pub(super) struct Tree {
    rule: TreeRule,
    /// By the least subscript that may lie there.
    leaves: BTreeMap<u64, Leaf>,
    inner: BTreeMap<u64, Inner>,
    inserted: u64,
}

fn subscript(node: u32) -> u64 {
    scattered_subscript(u64::from(node))
}

impl Tree {
    /// As so many inserts leave it.
    pub fn grown(rule: TreeRule, inserts: u64) -> Tree {
        let mut tree = Tree { rule, leaves: BTreeMap::new(), inner: BTreeMap::new(), inserted: 0 };
        for node in 1..=inserts.min(MOST) {
            tree.insert(node as u32);
        }
        tree
    }

    /// Inserts so far.
    pub fn inserted(&self) -> u64 {
        self.inserted
    }

    /// Page and place of a node; `None` where it was not inserted.
    pub fn find(&self, node: u64) -> Option<(u64, usize)> {
        let node = u32::try_from(node).ok()?;
        let (_, leaf) = self.leaves.range(..=subscript(node)).next_back()?;
        leaf.nodes.iter().position(|n| *n == node).map(|which| (leaf.page, which))
    }

    /// Inserts the node of this number, which is not there yet.
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

    /// A full page, and a node that belongs there.
    fn split(&mut self, start: u64, node: u32) -> Inserted {
        let (below, above) = self.under_one_inner(start);
        let mut starts = vec![start];
        let known = self.leaves.len() as u64;
        let behind = |leaf: &Leaf| leaf.nodes.iter().all(|n| subscript(*n) < subscript(node));
        // Behind all there is, a page is begun and the full one left as it is, by every engine.
        let last = self.leaves.last_key_value().is_some_and(|(s, leaf)| *s == start && behind(leaf));
        if self.rule.split == Split::Siblings && !last {
            // Neighbours under the same inner page: what is in all of them is spread anew.
            let before = self.leaves.range(below..start).next_back().map(|(s, _)| *s);
            let after = self.leaves.range((Excluded(start), above.map_or(Unbounded, Excluded))).next().map(|(s, _)| *s);
            starts = before.into_iter().chain(starts).chain(after).collect();
        }
        let first = starts[0];
        let taken: Vec<Leaf> = starts.iter().filter_map(|s| self.leaves.remove(s)).collect();
        let mut all: Vec<(u64, u32, Option<Was>)> = Vec::with_capacity(taken.len() * self.rule.nodes + 1);
        for leaf in &taken {
            all.extend(leaf.nodes.iter().enumerate().map(|(i, n)| (subscript(*n), *n, Some((leaf.page, i)))));
        }
        all.push((subscript(node), node, None));
        all.sort_unstable_by_key(|(subscript, ..)| *subscript);
        let at = all.iter().position(|(_, n, _)| *n == node).unwrap_or(0);
        let ends = if last { vec![all.len() - 1, all.len()] } else { self.ends(all.len(), at, taken.len()) };
        let mut inserted = Inserted::default();
        let (mut from, mut begins) = (0, first);
        for (i, end) in ends.into_iter().enumerate() {
            let fresh = i >= taken.len();
            let page = taken.get(i).map_or(known + (i - taken.len().min(i)) as u64, |leaf| leaf.page);
            let part = &all[from..end];
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

    /// Where the pages end that so many nodes are put into, with the new one at `at`, of so many pages before.
    fn ends(&self, all: usize, at: usize, before: usize) -> Vec<usize> {
        if self.rule.split == Split::Point {
            // Left and right of the new node, which goes to the fewer of them.
            let left = if at < all - 1 - at { at + 1 } else { at };
            return vec![left.max(1), all];
        }
        let pages = all.div_ceil(self.rule.nodes).max(before);
        (1..=pages).map(|i| all * i / pages).collect()
    }

    /// Range of the inner page that a page is under: where it begins, and where the next does.
    fn under_one_inner(&self, start: u64) -> (u64, Option<u64>) {
        let begins = self.inner.range(..=start).next_back().map_or(0, |(s, _)| *s);
        (begins, self.inner.range((Excluded(begins), Unbounded)).next().map(|(s, _)| *s))
    }

    /// So many pages more are under an inner page. Which inner pages are written.
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

    /// What pages hold, moved by hand as the tree says.
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
        /// Whatever the rule: no node is lost or doubled by splits, each is found where the pages have it, pages and inner pages are
        /// numbered without a gap, none holds more than there is room for, and the tree grown of the number alone is the same.
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

    /// The textbook's figures: halves are ln 2 full, thirds of three siblings more, and pages split where the key fell less.
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
