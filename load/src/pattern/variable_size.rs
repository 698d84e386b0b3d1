//! Random offsets for operations of different sizes. No byte is accessed twice in a pass, and no map is needed.
//!
//! The range is divided into cells of equal length. Each cell consists of pieces in the requested proportions of
//! operations and sizes, so that a pass has exactly these proportions. The pieces are shuffled once; each cell and pass
//! rotates their order by a different number of pieces. Pieces are visited in the order of a [`Permutation`]. The space
//! after the last cell is filled with randomly drawn pieces as long as one fits. (fio draws offset and size separately
//! and truncates operations that would touch a visited block, so that small sizes are more frequent than requested.)

use super::order::Permutation;
use super::size::SizeLaw;
use crate::random::{Random, mix};
use model::Op;

/// Maximum number of pieces in a cell. Finer distributions are approximated by quantiles.
const MOST: u64 = 4096;

/// Operation of a fixed size at an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Offset within the cell, or, for a piece after the last cell, within the range.
    pub at: u64,
    pub len: u32,
    pub op: Op,
}

#[derive(Debug, Clone)]
pub(super) struct VariableSizeOrder {
    cell: Vec<Piece>,
    cell_len: u64,
    tail: Vec<Piece>,
    /// Total number of pieces in all cells.
    celled: u64,
    order: Permutation,
    seed: u64,
}

/// Operation, its weight in the mix, and its sizes.
pub(super) type Share<'a> = (Op, u64, &'a SizeLaw);

impl VariableSizeOrder {
    /// Creates an order over a range of `size` bytes. Offsets are multiples of `grain`. `seed` is common to all
    /// workers.
    pub(super) fn new(shares: &[Share<'_>], size: u64, grain: u64, seed: u64, first: u64, stride: u64) -> Self {
        let mut random = Random::new(mix(seed ^ 0x711E));
        let mut cell = pieces(shares);
        for i in (1..cell.len()).rev() {
            cell.swap(i, random.below(i as u64 + 1) as usize);
        }
        let cell_len = line_up(&mut cell, grain);
        let cells = size / cell_len;
        let celled = cells * cell.len() as u64;
        let tail = fill(&cell, cells * cell_len, size, grain, &mut random);
        let order = Permutation::new(celled + tail.len() as u64, seed, first, stride);
        VariableSizeOrder { cell, cell_len, tail, celled, order, seed }
    }

    /// Returns the next piece, with its offset in the range. Returns `None` once at the end of each pass.
    #[inline]
    pub(super) fn next_in_pass(&mut self) -> Option<Piece> {
        let pass = self.order.pass();
        let turn = self.order.next_in_pass()?;
        if turn >= self.celled {
            return self.tail.get((turn - self.celled) as usize).copied();
        }
        let pieces = self.cell.len() as u64;
        let (cell, index) = (turn / pieces, turn % pieces);
        // Multiplication, as in `Random::below`: a division would cost as much as everything else.
        let turned = ((u128::from(mix(self.seed ^ pass ^ (cell << 20))) * u128::from(pieces)) >> 64) as u64;
        let begin = self.cell[turned as usize].at;
        let mut piece =
            self.cell[(if index + turned < pieces { index + turned } else { index + turned - pieces }) as usize];
        let within = if piece.at >= begin { piece.at - begin } else { piece.at + self.cell_len - begin };
        piece.at = cell * self.cell_len + within;
        Some(piece)
    }

    pub(super) fn repeat(&mut self) {
        self.order.repeat();
    }

    pub(super) fn restart(&mut self) {
        self.order.restart();
    }
}

/// Returns the pieces of a cell: as few as possible that yield the requested shares.
fn pieces(shares: &[Share<'_>]) -> Vec<Piece> {
    exact(shares).unwrap_or_else(|| by_quantiles(shares))
}

/// Returns pieces in exactly the requested proportions, or `None` if this would take too many pieces.
fn exact(shares: &[Share<'_>]) -> Option<Vec<Piece>> {
    // The shares of an operation's sizes are fractions of that operation's sum of weights. With a common denominator
    // they are whole numbers.
    let mut common = 1u128;
    for (_, _, law) in shares {
        let (_, total) = weights(law)?;
        common = common / gcd(common, u128::from(total)) * u128::from(total);
        if common >= 1 << 64 {
            return None;
        }
    }
    let mut counts: Vec<(Piece, u128)> = Vec::new();
    for (op, weight, law) in shares {
        let (list, total) = weights(law)?;
        let each = u128::from(*weight) * (common / u128::from(total));
        counts.extend(list.into_iter().map(|(len, part)| (Piece { at: 0, len, op: *op }, each * u128::from(part))));
    }
    let divisor = counts.iter().fold(0, |divisor, (_, count)| gcd(divisor, *count)).max(1);
    let sum: u128 = counts.iter().map(|(_, count)| count / divisor).sum();
    if sum == 0 || sum > u128::from(MOST) {
        return None;
    }
    Some(counts.into_iter().flat_map(|(piece, count)| std::iter::repeat_n(piece, (count / divisor) as usize)).collect())
}

/// Returns the sizes of a distribution, their weights and the sum of the weights, or `None` if there are too many
/// sizes.
fn weights(law: &SizeLaw) -> Option<(Vec<(u32, u64)>, u64)> {
    match law {
        SizeLaw::Fixed(size) => Some((vec![(*size, 1)], 1)),
        SizeLaw::Split(table, total) => {
            let mut last = 0;
            let list = table.iter().map(|(below, size)| (*size, below - std::mem::replace(&mut last, *below)));
            Some((list.collect(), *total))
        }
        SizeLaw::Range { min, max } if max % min == 0 && max / min <= MOST => {
            let steps = max / min;
            Some(((1..=steps).map(|n| ((n * min) as u32, 1)).collect(), steps))
        }
        SizeLaw::Range { .. } | SizeLaw::Loose { .. } => None,
    }
}

/// Returns pieces in approximately the requested proportions. Their sizes are evenly spaced quantiles of the
/// distribution.
fn by_quantiles(shares: &[Share<'_>]) -> Vec<Piece> {
    let total: u64 = shares.iter().map(|(_, weight, _)| weight).sum();
    let mut cell = Vec::with_capacity(MOST as usize);
    for (op, weight, law) in shares {
        let count = (weight * MOST / total.max(1)).max(1);
        for i in 0..count {
            let roll = ((u128::from(2 * i + 1) << 64) / u128::from(2 * count)) as u64;
            cell.push(Piece { at: 0, len: law.quantile(roll), op: *op });
        }
    }
    cell
}

fn span(len: u32, grain: u64) -> u64 {
    u64::from(len).next_multiple_of(grain.max(1))
}

/// Places the pieces consecutively and returns their total length.
fn line_up(cell: &mut [Piece], grain: u64) -> u64 {
    let mut at = 0;
    for piece in cell {
        piece.at = at;
        at += span(piece.len, grain);
    }
    at.max(1)
}

/// Returns randomly drawn pieces that fill the space from `at` to `end`, as long as one fits.
fn fill(cell: &[Piece], mut at: u64, end: u64, grain: u64, random: &mut Random) -> Vec<Piece> {
    let mut tail = Vec::new();
    while let Some(piece) = fitting(cell, end - at.min(end), random) {
        tail.push(Piece { at, ..piece });
        at += span(piece.len, grain);
    }
    tail
}

fn fitting(cell: &[Piece], room: u64, random: &mut Random) -> Option<Piece> {
    let drawn = (0..8).map(|_| cell[random.below(cell.len() as u64) as usize]).find(|p| u64::from(p.len) <= room);
    drawn.or_else(|| cell.iter().filter(|p| u64::from(p.len) <= room).min_by_key(|p| p.len).copied())
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;
    use model::plan::{BlockSizes, SizeShare};
    use proptest::prelude::*;

    fn split(list: &[(u64, u32)]) -> SizeLaw {
        let list = list.iter().map(|(k, weight)| SizeShare { size: Bytes::from_kib(*k), weight: *weight }).collect();
        SizeLaw::new(&BlockSizes::Split(list), false)
    }

    /// Returns the pieces of all workers in one pass.
    fn pass(tiles: &mut [VariableSizeOrder]) -> Vec<Piece> {
        tiles.iter_mut().flat_map(|t| std::iter::from_fn(|| t.next_in_pass())).collect()
    }

    proptest! {
        #[test]
        fn no_byte_is_touched_twice_in_a_pass_and_little_is_left_out(
            size in 1u64 << 20..20 << 20, writes in 1u64..99, workers in 1u64..4, seed: u64, passes in 1..3,
        ) {
            let (reads, writing) = (split(&[(4, 50), (16, 30), (64, 20)]), split(&[(8, 1), (12, 2)]));
            let shares = [(Op::Read, 100 - writes, &reads), (Op::Write, writes, &writing)];
            let mut tiles: Vec<VariableSizeOrder> = (0..workers).map(|w| VariableSizeOrder::new(&shares, size, 4096, seed, w, workers)).collect();
            for _ in 0..passes {
                let mut visited = pass(&mut tiles);
                visited.sort_unstable_by_key(|p| p.at);
                for pair in visited.windows(2) {
                    prop_assert!(pair[0].at + u64::from(pair[0].len) <= pair[1].at);
                }
                prop_assert!(visited.iter().all(|p| p.at % 4096 == 0 && p.at + u64::from(p.len) <= size));
                let bytes: u64 = visited.iter().map(|p| u64::from(p.len)).sum();
                prop_assert!(size - bytes < 8192, "{} of {size} left out", size - bytes);
            }
        }
    }

    #[test]
    fn shares_of_a_pass_are_exact() {
        let sizes = split(&[(8, 20), (16, 10), (32, 10), (512, 60)]);
        let shares = [(Op::Read, 70, &sizes), (Op::Write, 30, &sizes)];
        // A cell has 100 pieces and is 31,360 KiB long.
        let mut tiles = [VariableSizeOrder::new(&shares, (10 * 31_360) << 10, 8192, 1, 0, 1)];
        let visited = pass(&mut tiles);
        assert_eq!(visited.len(), 1000);
        let count = |op, k: u32| visited.iter().filter(|p| p.op == op && p.len == k << 10).count();
        assert_eq!((count(Op::Read, 512), count(Op::Write, 512)), (420, 180));
        assert_eq!((count(Op::Read, 8), count(Op::Write, 16)), (140, 30));
        let order: Vec<u64> = visited.iter().map(|p| p.at).collect();
        assert!(!order.is_sorted());
        let second = pass(&mut tiles);
        assert_ne!(second.iter().map(|p| p.at).collect::<Vec<_>>(), order);
    }

    #[test]
    fn a_law_of_many_sizes_comes_out_nearly() {
        let law = SizeLaw::new(&BlockSizes::Range(Bytes(512), Bytes::from_mib(8)), false);
        let cell = pieces(&[(Op::Read, 100, &law)]);
        assert_eq!(cell.len() as u64, MOST);
        let mean = cell.iter().map(|p| f64::from(p.len)).sum::<f64>() / cell.len() as f64;
        assert!((mean / ((8u64 << 20) as f64 / 2.0) - 1.0).abs() < 0.01, "{mean}");
    }
}
