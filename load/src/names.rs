//! Node names in the style of PerfTools V1. The random-looking name of a node is computed from the node's number in its
//! global, without a stored list.
//!
//! To form a name, the number is permuted and written in letters and digits. All names differ and look random, their
//! sort order is unrelated to the order of their numbers, and any process can recompute them.

use crate::random::mix;
use model::plan::{NAME_CHARACTERS, NAME_LETTERS, NodeNames};

/// Alphabet of names. The first character of a subscript is one of the first 52 characters.
const ALPHABET: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// Subscript under which a global's size is recorded.
const SIZE: &[u8; 4] = b"Size";

/// Generator of node names. It allocates memory when it is created, but not for each name.
#[derive(Debug, Clone)]
pub struct Namer {
    /// End of each subscript in the text.
    ends: Vec<usize>,
    text: Vec<u8>,
    /// Number of different names. All node numbers below this value have unique names.
    numbers: u64,
    /// Node number whose name would be `Size`, if any.
    size: Option<u64>,
    /// Half the number of permuted bits.
    half: u32,
    /// Number of characters that distinguish the names; later characters are only padding.
    telling: usize,
}

impl Namer {
    /// Creates a generator for names of this form.
    #[must_use]
    pub fn new(names: &NodeNames) -> Namer {
        let ends: Vec<usize> = names
            .levels()
            .scan(0, |end, n| {
                *end += n;
                Some(*end)
            })
            .collect();
        let size = names.may_be_size().then(|| {
            let digit = |(i, c): (usize, &u8)| {
                let at = ALPHABET.iter().position(|a| a == c).unwrap_or(0) as u64;
                let worth = if i == 0 { 1 } else { NAME_LETTERS * NAME_CHARACTERS.pow(i as u32 - 1) };
                at * worth
            };
            SIZE.iter().enumerate().map(digit).sum::<u64>()
        });
        let numbers = names.count().saturating_add(u64::from(size.is_some()));
        let bits = (64 - (numbers - 1).leading_zeros()).max(2);
        let mut namer =
            Namer { text: vec![0; names.characters()], ends, numbers, size, half: bits.div_ceil(2), telling: 0 };
        let mut combinations: u128 = 1;
        namer.telling = (0..namer.text.len())
            .take_while(|at| {
                let more = combinations < u128::from(u64::MAX);
                combinations = combinations.saturating_mul(u128::from(namer.base(*at)));
                more
            })
            .count();
        namer
    }

    fn base(&self, at: usize) -> u64 {
        if at == 0 || self.ends.contains(&at) { NAME_LETTERS } else { NAME_CHARACTERS }
    }

    /// Permutes the numbers of `2 * half` bits, in four rounds of a Feistel network.
    fn permuted(&self, number: u64) -> u64 {
        let mask = u64::MAX >> (64 - self.half);
        let (mut left, mut right) = (number >> self.half & mask, number & mask);
        for round in 1..=4u64 {
            (left, right) = (right, left ^ (mix(right ^ (round << 56)) & mask));
        }
        left << self.half | right
    }

    /// Returns the subscripts of node `number` (from 1), in order.
    pub fn name(&mut self, number: u64) -> impl ExactSizeIterator<Item = &str> {
        let mut x = number.saturating_sub(1);
        if self.size.is_some_and(|size| x >= size) {
            x += 1;
        }
        // Cycle walking: numbers out of range are permuted again until they are in range, which keeps the mapping one
        // to one.
        loop {
            x = self.permuted(x);
            if x < self.numbers && Some(x) != self.size {
                break;
            }
        }
        let mut rest = x;
        let mut fill = mix(x);
        for at in 0..self.text.len() {
            let base = self.base(at);
            let from = if at < self.telling { &mut rest } else { &mut fill };
            self.text[at] = ALPHABET[(*from % base) as usize];
            *from /= base;
            if at >= self.telling && fill < NAME_CHARACTERS {
                fill = mix(x.wrapping_add(at as u64));
            }
        }
        let (ends, text) = (&self.ends, std::str::from_utf8(&self.text).unwrap_or_default());
        (0..ends.len()).map(move |i| &text[if i == 0 { 0 } else { ends[i - 1] }..ends[i]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn node_names(names: NodeNames, n: u64) -> HashSet<String> {
        let mut namer = Namer::new(&names);
        (1..=n).map(|i| namer.name(i).collect::<Vec<_>>().join(",")).collect()
    }

    #[test]
    fn every_number_has_a_name_of_its_own_and_the_same_again() {
        for (names, n) in [
            (NodeNames { name: 0, depth: 2, length: 5 }, 20_000),
            (NodeNames { name: 3, depth: 2, length: 4 }, 20_000),
            (NodeNames { name: 0, depth: 4, length: 8 }, 20_000),
            // 7,905 characters per name.
            (NodeNames { name: 0, depth: 31, length: 255 }, 200),
            (NodeNames { name: 1, depth: 1, length: 3 }, 20_000),
        ] {
            let generated = node_names(names, n);
            assert_eq!(generated.len() as u64, n, "{names}");
            assert_eq!(generated, node_names(names, n));
            for name in generated.iter().take(200) {
                let lengths: Vec<usize> = name.split(',').map(str::len).collect();
                assert_eq!(lengths, names.levels().collect::<Vec<_>>());
                assert!(name.split(',').all(|part| part.starts_with(|c: char| c.is_ascii_alphabetic())), "{name}");
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == ','), "{name}");
            }
        }
    }

    #[test]
    fn all_names_of_a_small_form_are_used_and_the_word_for_the_size_is_none() {
        assert_eq!(NodeNames { name: 0, depth: 1, length: 1 }.count(), 52);
        assert_eq!(node_names(NodeNames { name: 0, depth: 1, length: 1 }, 52).len(), 52);
        let two = NodeNames { name: 0, depth: 1, length: 2 };
        assert_eq!(node_names(two, two.count()).len() as u64, 52 * 62);
        let four = NodeNames { name: 0, depth: 1, length: 4 };
        assert_eq!(four.count(), 52 * 62 * 62 * 62 - 1);
        let mut namer = Namer::new(&four);
        // Numbers around the number that is permuted to `Size`, and the last number.
        let near = [1, 2, namer.size.unwrap(), namer.size.unwrap() + 1, namer.size.unwrap() + 2, four.count()];
        let generated: HashSet<String> = near.iter().map(|n| namer.name(*n).collect::<String>()).collect();
        assert!(generated.len() == near.len() && !generated.contains("Size"), "{generated:?}");
        let two_levels = NodeNames { name: 0, depth: 2, length: 4 };
        assert!(!two_levels.may_be_size() && two_levels.count() < u64::MAX);
    }

    #[test]
    fn names_come_in_no_order() {
        let mut namer = Namer::new(&NodeNames { name: 0, depth: 2, length: 5 });
        let names: Vec<String> = (1..=1000).map(|n| namer.name(n).collect::<String>()).collect();
        let rises = names.windows(2).filter(|w| w[0] < w[1]).count();
        assert!((400..600).contains(&rises), "{rises}");
    }
}
