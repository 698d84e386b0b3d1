//! Confidence intervals of proportions.

/// Two-sided 95 % quantile of the normal distribution.
const Z: f64 = 1.959_963_985;

/// Returns the 95 % score interval of `k` successes in `n` trials; 0..=1 without trials.
///
/// Wilson 1927, Journal of the American Statistical Association 22, 209-212. Unlike the normal approximation it holds
/// for few trials and for proportions near 0 and 1.
#[must_use]
pub fn wilson(k: u64, n: u64) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    let (n, p) = (n as f64, k as f64 / n as f64);
    let middle = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    (((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0))
}

/// Returns the difference of two independent proportions `k/n - l/m` with its 95 % interval: estimate, lower and upper
/// end. `None` if either has no trials.
///
/// Newcombe 1998, Statistics in Medicine 17, 873-890, method 10.
#[must_use]
pub fn difference((k, n): (u64, u64), (l, m): (u64, u64)) -> Option<(f64, f64, f64)> {
    if n == 0 || m == 0 {
        return None;
    }
    let (p, q) = (k as f64 / n as f64, l as f64 / m as f64);
    let ((low, high), (other_low, other_high)) = (wilson(k, n), wilson(l, m));
    let below = ((p - low).powi(2) + (other_high - q).powi(2)).sqrt();
    let above = ((high - p).powi(2) + (q - other_low).powi(2)).sqrt();
    Some((p - q, p - q - below, p - q + above))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    #[test]
    fn intervals_are_those_of_the_papers() {
        // Newcombe 1998, Statistics in Medicine 17, 857-872, table I, method 3.
        for ((k, n), (low, high)) in [
            ((81, 263), (0.2553, 0.3662)),
            ((15, 148), (0.0624, 0.1605)),
            ((0, 20), (0.0, 0.1611)),
            ((1, 29), (0.0061, 0.1718)),
        ] {
            let (a, b) = wilson(k, n);
            assert!(near(a, low) && near(b, high), "{k}/{n}: {a} {b}");
        }
        // Newcombe 1998, 873-890, table II, method 10.
        for (a, b, (low, high)) in [
            ((56, 70), (48, 80), (0.0524, 0.3339)),
            ((9, 10), (3, 10), (0.1705, 0.8090)),
            ((5, 56), (0, 29), (-0.0381, 0.1926)),
            ((10, 10), (0, 10), (0.6075, 1.0)),
        ] {
            let (_, x, y) = difference(a, b).expect("trials");
            assert!(near(x, low) && near(y, high), "{a:?} {b:?}: {x} {y}");
        }
        assert_eq!((wilson(0, 0), difference((0, 0), (1, 2))), ((0.0, 1.0), None));
    }
}
