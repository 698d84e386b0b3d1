//! Random numbers for the hot path: SplitMix64, with one multiplication chain per number. Any seed works equally well.
//!
//! A generator from another crate would work, too. This one is five lines long and inlined everywhere. Its sequence
//! must never change, because secchi promises that a seed produces the same requests in every version.

/// SplitMix64 generator (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Returns the next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "never ends, so an Option would be a lie on the hot path")]
    #[inline(always)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Returns a number below `n`, computed by multiplication (Lemire). The bias is at most n / 2^64. Returns 0 if `n`
    /// is 0.
    #[inline(always)]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// Returns a number in [0, 1), with 53 random bits.
    #[inline(always)]
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns an exponentially distributed number with mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Returns a normally distributed number with mean 0 and standard deviation 1 (Box and Muller).
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Scrambles a number with SplitMix64's finaliser: a bijection on 64-bit numbers that scatters well.
#[inline(always)]
#[must_use]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_laws_have_their_means() {
        let mut r = Random::new(7);
        let n = 200_000;
        let mean = |f: &mut dyn FnMut() -> f64| (0..n).map(|_| f()).sum::<f64>() / f64::from(n);
        assert!((mean(&mut || r.unit()) - 0.5).abs() < 0.005);
        assert!((mean(&mut || r.exponential()) - 1.0).abs() < 0.01);
        assert!(mean(&mut || r.normal()).abs() < 0.01);
        assert!((mean(&mut || r.normal().powi(2)) - 1.0).abs() < 0.02);
        assert!((mean(&mut || r.below(10) as f64) - 4.5).abs() < 0.05);
    }

    #[test]
    fn one_seed_gives_one_sequence() {
        // Reference values of SplitMix64 for seed 0.
        let mut r = Random::new(0);
        assert_eq!([r.next(), r.next()], [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]);
    }
}
