//! Distributions of random offsets: the probability of each block.

use super::PatternError;
use super::order::Scatter;
use crate::random::Random;
use model::plan::Distribution;

/// Generator of blocks in `0..blocks`, drawn from a distribution with replacement.
#[derive(Debug, Clone)]
pub(crate) struct OffsetDistribution {
    kind: Kind,
    blocks: u64,
    random: Random,
}

#[derive(Debug, Clone)]
enum Kind {
    Uniform,
    /// Zipf distribution of ranks, which are spread over the blocks.
    Zipf(rand_distr::Zipf<f64>, Spread),
    /// Gray et al. 1994: n * u^(ln h / ln (1-h)) sends a share 1-h of the operations to the first share h of the
    /// blocks.
    Pareto(f64, Spread),
    /// Normal distribution around the middle, with mean and deviation in blocks. Values out of range are drawn again.
    Normal {
        middle: f64,
        deviation: f64,
    },
}

/// Mapping that scatters ranks over the blocks. If a position is set, the hottest block is at this position (fio's
/// second parameter of random_distribution).
#[derive(Debug, Clone)]
struct Spread {
    scatter: Scatter,
    shift: u64,
}

impl Spread {
    fn new(blocks: u64, seed: u64, centre: Option<f64>) -> Self {
        let scatter = Scatter::new(blocks, seed);
        let shift = centre.map_or(0, |c| ((c * blocks as f64) as u64).min(blocks - 1) + blocks - scatter.block_at(0));
        Spread { scatter, shift }
    }

    #[inline(always)]
    fn block_at_rank(&self, rank: u64, blocks: u64) -> u64 {
        (self.scatter.block_at(rank.min(blocks - 1)) + self.shift) % blocks
    }
}

impl OffsetDistribution {
    /// Creates a generator over at least one block. `seed` determines the hot spots and is common to all workers;
    /// `random` is specific to the worker. The parameters must have passed [`check`].
    pub(crate) fn new(law: Distribution, centre: Option<f64>, blocks: u64, seed: u64, random: Random) -> Self {
        let blocks = blocks.max(1);
        let kind = match law {
            Distribution::Uniform => Kind::Uniform,
            Distribution::Zipf(theta) => Kind::Zipf(
                rand_distr::Zipf::new(blocks as f64, theta).expect("checked: exponent above 0, at least one block"),
                Spread::new(blocks, seed, centre),
            ),
            Distribution::Pareto(h) => Kind::Pareto(h.ln() / (1.0 - h).ln(), Spread::new(blocks, seed, centre)),
            Distribution::Normal(percent) => Kind::Normal {
                middle: centre.unwrap_or(0.5) * blocks as f64,
                deviation: percent / 100.0 * blocks as f64,
            },
        };
        OffsetDistribution { kind, blocks, random }
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        let n = self.blocks;
        match &self.kind {
            Kind::Uniform => self.random.below(n),
            Kind::Zipf(law, spread) => {
                spread.block_at_rank(rand_distr::Distribution::sample(law, &mut self.random) as u64 - 1, n)
            }
            Kind::Pareto(power, spread) => spread.block_at_rank((n as f64 * self.random.unit().powf(*power)) as u64, n),
            Kind::Normal { middle, deviation } => loop {
                let at = middle + self.random.normal() * deviation;
                if at >= 0.0 && at < n as f64 {
                    break at as u64;
                }
            },
        }
    }
}

/// Checks the parameters of the distribution. With invalid parameters, drawing might never end, or silently follow
/// another distribution.
pub(super) fn check(distribution: Distribution, centre: Option<f64>) -> Result<(), PatternError> {
    let (what, value, holds, allowed) = match distribution {
        Distribution::Uniform => return Ok(()),
        Distribution::Zipf(theta) => {
            ("the exponent of zipf", theta, theta > 0.0 && theta <= 100.0, "above 0, at most 100")
        }
        Distribution::Pareto(h) => ("the hot share of pareto", h, h > 0.0 && h < 1.0, "between 0 and 1"),
        Distribution::Normal(d) => {
            ("the deviation of normal", d, d > 0.0 && d <= 100.0, "above 0, at most 100 percent")
        }
    };
    if !holds {
        return Err(PatternError::NoLaw { what, value, allowed });
    }
    match centre {
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err(PatternError::NoLaw { what: "the centre of the hot spots", value, allowed: "from 0 to 1" })
        }
        _ => Ok(()),
    }
}

impl rand_core::TryRng for Random {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok((self.next() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Self::Error> {
        for chunk in dst.chunks_mut(8) {
            let bytes = self.next().to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hottest_block_lies_at_the_centre() {
        for (law, centre) in [(Distribution::Zipf(1.3), 0.25), (Distribution::Pareto(0.1), 0.5)] {
            let mut law = OffsetDistribution::new(law, Some(centre), 1000, 5, Random::new(1));
            let mut hits = vec![0u32; 1000];
            (0..100_000).for_each(|_| hits[law.next() as usize] += 1);
            let hottest = (0..1000).max_by_key(|b| hits[*b]).unwrap();
            assert_eq!(hottest, (centre * 1000.0) as usize);
        }
    }

    #[test]
    fn normal_lies_about_its_centre_and_inside() {
        let mut law = OffsetDistribution::new(Distribution::Normal(5.0), Some(0.2), 1000, 5, Random::new(1));
        let mean = (0..50_000).map(|_| law.next() as f64).sum::<f64>() / 50_000.0;
        assert!((mean - 200.0).abs() < 2.0, "{mean}");
        let mut edge = OffsetDistribution::new(Distribution::Normal(20.0), Some(1.0), 100, 5, Random::new(1));
        assert!((0..10_000).all(|_| edge.next() < 100));
    }
}
