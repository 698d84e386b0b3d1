//! Random offsets in one file.

use super::PatternError;
use super::distribution::OffsetDistribution;
use super::order::{Permutation, Runs};
use super::variable_size::{Piece, VariableSizeOrder};
use crate::random::{Random, mix};
use model::plan::{Distribution, ZoneShare, ZoneSize};

/// Generator of random offsets, relative to the start of a range.
#[derive(Debug, Clone)]
pub(super) enum OffsetGenerator {
    /// Every multiple of the alignment once per pass.
    Once { order: Permutation, grain: u64 },
    /// Every multiple of the alignment once per pass, in runs of adjacent blocks. The order of the runs is random.
    Runs { runs: Runs, grain: u64 },
    /// Pieces of different sizes, without repetition in a pass.
    VariableSize(VariableSizeOrder),
    /// Multiples of the alignment, drawn from a distribution. Passes never end.
    Drawn { law: OffsetDistribution, grain: u64 },
    /// Offsets in zones. Each zone is selected with the probability of its share. Passes never end.
    Zoned { zones: Vec<Zone>, random: Random, grain: u64 },
}

/// Random offset, with its size and operation if these depend on the offset.
pub(super) enum RandomOffset {
    /// Offset from the start of the range, in bytes.
    At(u64),
    /// Offset, size and operation.
    Piece(Piece),
}

impl OffsetGenerator {
    /// Returns the next offset. Returns `None` once at the end of each pass.
    #[inline]
    pub(super) fn next(&mut self) -> Option<RandomOffset> {
        Some(match self {
            OffsetGenerator::Once { order, grain } => RandomOffset::At(order.next_in_pass()? * *grain),
            OffsetGenerator::Runs { runs, grain } => RandomOffset::At(runs.next_in_pass()? * *grain),
            OffsetGenerator::VariableSize(tiles) => RandomOffset::Piece(tiles.next_in_pass()?),
            OffsetGenerator::Drawn { law, grain } => RandomOffset::At(law.next() * *grain),
            OffsetGenerator::Zoned { zones, random, grain } => {
                let roll = random.below(100);
                let zone = zones.iter_mut().find(|z| roll < z.below).expect("the shares of zones sum to 100");
                RandomOffset::At(zone.next() * *grain)
            }
        })
    }

    /// Makes every pass repeat the first one, for generators without repetition.
    pub(super) fn repeat(&mut self) {
        match self {
            OffsetGenerator::Once { order, .. } => order.repeat(),
            OffsetGenerator::Runs { runs, .. } => runs.repeat(),
            OffsetGenerator::VariableSize(tiles) => tiles.repeat(),
            OffsetGenerator::Drawn { .. } | OffsetGenerator::Zoned { .. } => {}
        }
    }

    /// Begins a new pass.
    pub(super) fn restart(&mut self) {
        match self {
            OffsetGenerator::Once { order, .. } => order.restart(),
            OffsetGenerator::Runs { runs, .. } => runs.restart(),
            OffsetGenerator::VariableSize(tiles) => tiles.restart(),
            OffsetGenerator::Drawn { .. } => {}
            OffsetGenerator::Zoned { zones, .. } => zones.iter_mut().for_each(Zone::restart),
        }
    }
}

/// Part of the range with a separate share of the operations.
#[derive(Debug, Clone)]
pub(super) struct Zone {
    /// Exclusive upper bound of the rolls (0 to 99) that select this zone; the bound of the previous zone is the lower
    /// bound.
    below: u64,
    /// Start of the zone, in blocks.
    start: u64,
    within: Within,
}

#[derive(Debug, Clone)]
enum Within {
    /// Every block of the zone once, then again in another order.
    Once(Permutation),
    Drawn(OffsetDistribution),
}

impl Zone {
    fn next(&mut self) -> u64 {
        self.start
            + match &mut self.within {
                Within::Once(order) => order.next_block(),
                Within::Drawn(law) => law.next(),
            }
    }

    fn restart(&mut self) {
        if let Within::Once(order) = &mut self.within {
            order.restart();
        }
    }
}

/// Positions in a random order that belong to one worker. `seed` is common to all workers; `own` is the worker's own
/// seed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turns {
    pub first: u64,
    pub stride: u64,
    pub seed: u64,
    pub own: u64,
}

/// Divides `blocks` blocks of `grain` bytes into zones.
pub(super) fn zones(
    shares: &[ZoneShare],
    (blocks, grain): (u64, u64),
    repeat: bool,
    turns: Turns,
) -> Result<Vec<Zone>, PatternError> {
    let sum: u32 = shares.iter().map(|s| u32::from(s.ops_percent)).sum();
    if sum != 100 {
        let (value, allowed) = (f64::from(sum), "100 percent in total");
        return Err(PatternError::NoLaw { what: "the sum of the zones' shares", value, allowed });
    }
    let (mut below, mut end) = (0, 0.0f64);
    let mut list = Vec::with_capacity(shares.len());
    for (number, share) in shares.iter().enumerate() {
        let start = end;
        end += match share.size {
            ZoneSize::Percent(percent) => percent / 100.0 * blocks as f64,
            ZoneSize::Bytes(bytes) => (bytes.as_u64() / grain) as f64,
        };
        // Rounding of percentages may exceed the range slightly, but by less than a block.
        if !(end >= start && end < blocks as f64 + 1.0) {
            let (value, allowed) = (end * grain as f64, "at most the size of the range");
            return Err(PatternError::NoLaw { what: "the end of the zones in bytes", value, allowed });
        }
        let (from, to) = (start.round() as u64, (end.round() as u64).min(blocks));
        if share.ops_percent == 0 {
            continue;
        }
        if to <= from {
            let (value, allowed) =
                ((end - start) * grain as f64, "at least one block, because the zone has a share of the operations");
            return Err(PatternError::NoLaw { what: "the size of a zone in bytes", value, allowed });
        }
        below += u64::from(share.ops_percent);
        let seed = mix(turns.seed ^ mix(number as u64 + 1));
        let within = if repeat {
            let random = Random::new(mix(turns.own ^ mix(number as u64 + 1)));
            Within::Drawn(OffsetDistribution::new(Distribution::Uniform, None, to - from, seed, random))
        } else {
            Within::Once(Permutation::new(to - from, seed, turns.first, turns.stride))
        };
        list.push(Zone { below, start: from, within });
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;

    const TURNS: Turns = Turns { first: 0, stride: 1, seed: 4, own: 5 };

    fn share(ops_percent: u8, percent: f64) -> ZoneShare {
        ZoneShare { ops_percent, size: ZoneSize::Percent(percent) }
    }

    #[test]
    fn zones_get_their_shares_and_cover_their_blocks() {
        // fio's example: 60 % to the first 10 %, 30 % to the next 20 %, 8 % to the next 30 %, 2 % to the rest.
        let shares = [share(60, 10.0), share(30, 20.0), share(8, 30.0), share(2, 40.0)];
        for repeat in [false, true] {
            let zones = zones(&shares, (1000, 1), repeat, TURNS).unwrap();
            let mut spots = OffsetGenerator::Zoned { zones, random: Random::new(9), grain: 1 };
            let mut hits = vec![0u32; 1000];
            for _ in 0..100_000 {
                let Some(RandomOffset::At(at)) = spots.next() else { panic!("zones have no end") };
                hits[at as usize] += 1;
            }
            let share = |from: usize, to: usize| f64::from(hits[from..to].iter().sum::<u32>()) / 1000.0;
            for (from, to, percent) in [(0, 100, 60.0), (100, 300, 30.0), (300, 600, 8.0), (600, 1000, 2.0)] {
                assert!((share(from, to) - percent).abs() < 0.8, "{from}..{to}: {}", share(from, to));
            }
            let first = &hits[..100];
            let spread = first.iter().max().unwrap() - first.iter().min().unwrap();
            assert_eq!(spread <= 1, !repeat, "{spread}");
        }
    }

    #[test]
    fn zones_that_are_none_are_refused() {
        let bytes = |ops_percent, bytes| ZoneShare { ops_percent, size: ZoneSize::Bytes(Bytes(bytes)) };
        let refused = |list: &[ZoneShare]| zones(list, (100, 4096), true, TURNS).unwrap_err().to_string();
        assert!(refused(&[share(60, 10.0)]).contains("100 percent"));
        assert!(refused(&[share(60, 10.0), share(40, 95.0)]).contains("end of the zones"));
        assert!(refused(&[bytes(50, 4096), bytes(50, 100 * 4096)]).contains("end of the zones"));
        assert!(refused(&[share(60, 0.0), share(40, 100.0)]).contains("size of a zone"));
        assert!(zones(&[bytes(50, 4096), bytes(0, 4096), bytes(50, 98 * 4096)], (100, 4096), true, TURNS).is_ok());
    }
}
