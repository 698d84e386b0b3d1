//! A window series as a sample of correlated values: autocorrelation time, effective sample size, confidence interval.
//!
//! Method: docs/design/statistics.md, "Intervals of a mean". Storage windows of 100 ms are correlated (with a lag-1
//! autocorrelation of .07 to .79 on a real disk), so the textbook error `s/sqrt(n)` is too small by a factor of
//! `sqrt(tau)`. Here, `tau` is estimated with Geyer's initial positive sequence. Batch means give a second interval,
//! and the wider interval is used. `steady.rs` decides whether the series has a single level.

use messages::sentence;
use model::Sentence;

/// Minimum effective number of independent samples for an interval (docs/design/statistics.md, "Intervals of a mean").
pub const MIN_ESS: f64 = 30.0;

/// Minimum length of a series for computing its spread.
const MIN_WINDOWS: usize = 5;

/// Mean of a series and the precision of that mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Number of values.
    pub n: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation (n - 1).
    pub sd: f64,
    /// Integrated autocorrelation time, at least 1, in windows.
    pub tau: f64,
    /// Half-width of the 95 % interval of the mean: the wider result of the two methods. Show it only if
    /// [`Spread::enough`] is true. Otherwise, it is a rough scale for decisions that tolerate uncertainty.
    pub half: f64,
}

impl Spread {
    /// Returns the effective number of independent samples, n / tau.
    #[must_use]
    pub fn ess(&self) -> f64 {
        self.n as f64 / self.tau
    }

    /// Returns `true` if an interval may be shown.
    #[must_use]
    pub fn enough(&self) -> bool {
        self.ess() >= MIN_ESS
    }
}

/// Returns a sentence with the number of windows that an interval needs at an autocorrelation time of `tau` windows,
/// and the number available.
pub fn windows_wanted(tau: f64, had: u64) -> Sentence {
    sentence!("windows-wanted", wanted = (MIN_ESS * tau).ceil().to_string(), had)
}

/// Returns the spread of a series, or `None` for fewer than five values, or if a value is not finite.
#[must_use]
pub fn spread(x: &[f64]) -> Option<Spread> {
    if x.len() < MIN_WINDOWS || x.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let n = x.len() as f64;
    let mean = mean(x);
    let sd = standard_deviation(x, mean);
    let tau = autocorrelation_time(x);
    let by_ess = student_t(n / tau - 1.0) * sd * (tau / n).sqrt();
    Some(Spread { n: x.len(), mean, sd, tau, half: by_ess.max(batch_means_half(x)) })
}

/// Returns the arithmetic mean; 0 for an empty slice.
#[must_use]
pub fn mean(x: &[f64]) -> f64 {
    if x.is_empty() { 0.0 } else { x.iter().sum::<f64>() / x.len() as f64 }
}

/// Returns the sample standard deviation about `mean`; exactly 0 for a series that is constant up to rounding.
fn standard_deviation(x: &[f64], mean: f64) -> f64 {
    let var = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (x.len() as f64 - 1.0).max(1.0);
    let sd = var.sqrt();
    if sd <= mean.abs() * 1e-12 { 0.0 } else { sd }
}

/// Returns the integrated autocorrelation time by Geyer's initial positive sequence (1992). For a reversible chain,
/// sums of two neighbouring autocorrelations are positive and decreasing, so the sum ends at the first pair that is not
/// positive.
///
/// `tau = -1 + 2 * sum(Gamma_k)`, `Gamma_k = rho(2k) + rho(2k+1)`. The result is never below 1: otherwise a series that
/// oscillates about its mean (the sawtooth of a throttle) would claim more samples than it has.
#[must_use]
pub fn autocorrelation_time(x: &[f64]) -> f64 {
    let n = x.len();
    let mean = mean(x);
    let centred: Vec<f64> = x.iter().map(|v| v - mean).collect();
    let c0: f64 = centred.iter().map(|v| v * v).sum();
    if n < 4 || c0 <= (mean * 1e-12).powi(2) * n as f64 {
        return 1.0;
    }
    let rho = |lag: usize| centred[lag..].iter().zip(&centred).map(|(a, b)| a * b).sum::<f64>() / c0;
    let mut sum = 0.0;
    let mut last = f64::INFINITY;
    for k in 0..n / 4 {
        let pair = rho(2 * k) + rho(2 * k + 1);
        if pair <= 0.0 {
            break;
        }
        // Forcing the sequence to decrease removes the noise of long lags.
        last = last.min(pair);
        sum += last;
    }
    (2.0 * sum - 1.0).clamp(1.0, n as f64)
}

/// Returns the half-width of the 95 % interval, computed from the means of 10 to 20 batches. Returns 0 if there are too
/// few values for ten batches of two.
fn batch_means_half(x: &[f64]) -> f64 {
    let batches = (x.len() / 5).clamp(10, 20);
    let size = x.len() / batches;
    if size < 2 {
        return 0.0;
    }
    // Surplus values are dropped at the front, because the start is the least reliable part.
    let tail = &x[x.len() - size * batches..];
    let means: Vec<f64> = tail.chunks_exact(size).map(mean).collect();
    mean_half(&means)
}

/// Returns the median. For an even number of values, it is the mean of the two middle values. For no values, it is 0.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// Returns the half-width of the 95 % interval of the mean of independent values; infinite for fewer than two values.
pub fn mean_half(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    if n < 2.0 { f64::INFINITY } else { student_t(n - 1.0) * standard_deviation(x, mean(x)) / n.sqrt() }
}

/// Returns the half-width of the 95 % interval for a ratio of two sums. Examples are a mean latency and the share of
/// operations beyond a value. `stretches` holds (numerator, denominator) for each of several equal periods of time.
/// Returns `None` for fewer than five periods.
///
/// Uses the ratio estimator: `sqrt(tau * W/(W-1) * sum((y - r*n)^2)) / sum(n)` (Cochran 1977, 6.4). tau is computed
/// from the residuals, because the periods may be correlated: for events in bursts, the number of bursts counts, not
/// the number of operations.
pub fn ratio_half(stretches: &[(f64, f64)]) -> Option<f64> {
    let (over, under): (f64, f64) = stretches.iter().fold((0.0, 0.0), |s, (y, n)| (s.0 + y, s.1 + n));
    if stretches.len() < MIN_WINDOWS || under <= 0.0 {
        return None;
    }
    let residuals: Vec<f64> = stretches.iter().map(|(y, n)| y - over / under * n).collect();
    let w = residuals.len() as f64;
    let tau = autocorrelation_time(&residuals);
    let square: f64 = residuals.iter().map(|r| r * r).sum();
    Some(student_t(w / tau - 1.0) * (tau * w / (w - 1.0) * square).sqrt() / under)
}

/// Returns the 97.5 % quantile of Student's t with `dof` degrees of freedom (fractions allowed, at least 1).
///
/// Uses a table with linear interpolation up to 10 degrees of freedom. Above that, uses the Cornish-Fisher expansion to
/// the third order, which is accurate to 0.0003 in this range.
#[must_use]
pub fn student_t(dof: f64) -> f64 {
    const TABLE: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    const Z: f64 = 1.959_964;
    let dof = if dof.is_finite() { dof.max(1.0) } else { return Z };
    if dof < 10.0 {
        let low = dof.floor() as usize;
        let share = dof - dof.floor();
        return TABLE[low - 1] + share * (TABLE[low] - TABLE[low - 1]);
    }
    heavy_tail(Z, dof)
}

/// Returns the quantile of Student's t with `dof` degrees of freedom that has the same tail probability as `z` under
/// the normal distribution (Cornish-Fisher, to the third order).
#[must_use]
pub fn heavy_tail(z: f64, dof: f64) -> f64 {
    z + (z.powi(3) + z) / (4.0 * dof)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * dof.powi(2))
        + (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / (384.0 * dof.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Noise;

    #[test]
    fn students_t_agrees_with_the_printed_tables() {
        for (dof, t) in [(1.0, 12.706), (9.0, 2.262), (10.0, 2.228), (12.0, 2.179), (19.0, 2.093), (120.0, 1.980)] {
            assert!((student_t(dof) - t).abs() < 0.001, "{dof}: {}", student_t(dof));
        }
        assert!((student_t(f64::INFINITY) - 1.96).abs() < 0.001);
    }

    #[test]
    fn the_autocorrelation_time_of_an_ar1_series_is_its_theory() {
        // tau = (1 + phi) / (1 - phi).
        for (phi, theory) in [(0.0, 1.0), (0.5, 3.0), (0.8, 9.0)] {
            let mut noise = Noise::new(7);
            let taus: Vec<f64> = (0..200).map(|_| autocorrelation_time(&noise.ar1(2000, phi, 1000.0, 50.0))).collect();
            let got = mean(&taus);
            assert!((got / theory - 1.0).abs() < 0.15, "phi {phi}: {got} for {theory}");
        }
    }

    #[test]
    fn a_swinging_series_does_not_claim_more_samples_than_it_has() {
        let saw: Vec<f64> = (0..100).map(|i| if i % 2 == 0 { 90.0 } else { 110.0 }).collect();
        assert!((spread(&saw).unwrap().ess() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn intervals_cover_the_truth_about_as_often_as_they_say() {
        // docs/design/statistics.md, "Intervals of a mean", has the coverage of the ESS interval by (n, phi): .959 (60,
        // 0), .927 (60, .5), .948 (300, .5), .937 (300, .8). The wider of the two intervals covers the mean at least as
        // often.
        for (n, phi, floor) in [(60, 0.0, 0.94), (60, 0.5, 0.90), (300, 0.5, 0.93), (300, 0.8, 0.92)] {
            let mut noise = Noise::new(11);
            let runs = 1000;
            let hits = (0..runs)
                .filter(|_| {
                    let s = spread(&noise.ar1(n, phi, 1000.0, 50.0)).unwrap();
                    (s.mean - 1000.0).abs() <= s.half
                })
                .count();
            let covered = hits as f64 / f64::from(runs);
            assert!(covered >= floor && covered < 0.995, "n {n} phi {phi}: {covered}");
        }
    }

    #[test]
    fn too_few_independent_samples_give_a_reason_with_a_number() {
        let mut noise = Noise::new(3);
        let s = spread(&noise.ar1(40, 0.8, 1000.0, 50.0)).unwrap();
        assert!(!s.enough());
        assert_eq!(spread(&[1.0, 2.0]), None);
        assert_eq!(spread(&[f64::NAN; 10]), None);
    }

    #[test]
    fn a_constant_series_has_an_interval_of_no_width() {
        let s = spread(&[6000.1; 50]).unwrap();
        assert!(s.enough() && s.half < 1e-6);
    }

    #[test]
    fn a_ratio_over_seconds_is_as_sure_as_its_seconds() {
        // 1 % of the operations are slow, in bursts: in each of 20 seconds, 0 or 4 % of about 1000 operations are slow.
        let mut noise = Noise::new(12);
        let runs = 1000;
        let hits = (0..runs)
            .filter(|_| {
                let seconds: Vec<(f64, f64)> = (0..20)
                    .map(|_| {
                        let n = 800.0 + 400.0 * noise.uniform();
                        let burst = if noise.uniform() < 0.25 { 0.04 } else { 0.0 };
                        (n * burst, n)
                    })
                    .collect();
                let share = seconds.iter().map(|s| s.0).sum::<f64>() / seconds.iter().map(|s| s.1).sum::<f64>();
                (share - 0.01).abs() <= ratio_half(&seconds).unwrap()
            })
            .count();
        let covered = hits as f64 / f64::from(runs);
        // Under the assumption of independent operations, the interval would be 0.14 %, which misses the true value
        // three times out of four.
        assert!((0.90..0.99).contains(&covered), "{covered}");
        assert_eq!(ratio_half(&[(1.0, 1.0); 4]), None);
        assert_eq!(ratio_half(&[(0.0, 0.0); 9]), None);
    }
}
