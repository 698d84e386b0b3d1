//! Random numbers that are the same in every run of a test.

/// Seeded random numbers (splitmix64); the same seed produces the same numbers.
pub struct Noise(u64);

impl Noise {
    /// Creates a generator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Noise(seed)
    }

    /// Returns a number from 0 (inclusive) to 1 (exclusive), uniformly distributed.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a random number from the standard normal distribution, using the Box-Muller transform.
    pub fn normal(&mut self) -> f64 {
        let u = self.uniform().max(1e-300);
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Returns a stationary AR(1) series with the given mean and standard deviation.
    pub fn ar1(&mut self, n: usize, phi: f64, mean: f64, sd: f64) -> Vec<f64> {
        let mut state = self.normal();
        let fresh = (1.0 - phi * phi).sqrt();
        (0..n)
            .map(|_| {
                state = phi * state + fresh * self.normal();
                mean + sd * state
            })
            .collect()
    }
}
