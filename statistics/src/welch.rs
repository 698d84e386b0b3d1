//! Welch's test of two means, shown next to the rank test because many readers know it. No decision depends on Welch's
//! test.

use crate::series::mean;

/// Returns the two-sided p-value for equal means. Returns `None` if a sample has fewer than two values, or if both
/// samples are constant.
#[must_use]
pub fn welch(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let error = |x: &[f64]| {
        let n = x.len() as f64;
        let m = mean(x);
        x.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (n - 1.0) / n
    };
    let (ea, eb) = (error(a), error(b));
    let square = ea + eb;
    if square <= 0.0 || !square.is_finite() {
        return None;
    }
    let t = (mean(a) - mean(b)) / square.sqrt();
    // Degrees of freedom by Welch and Satterthwaite.
    let dof = square.powi(2) / (ea.powi(2) / (a.len() as f64 - 1.0) + eb.powi(2) / (b.len() as f64 - 1.0));
    Some(incomplete_beta(dof / (dof + t * t), dof / 2.0, 0.5))
}

/// Returns the regularised incomplete beta function by its continued fraction (Lentz; Numerical Recipes 6.4), within
/// 1e-10.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut h = d;
    for m in 1..300 {
        let m = f64::from(m);
        for step in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / away(1.0 + step * d);
            c = away(1.0 + step / c);
            h *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-12 {
            break;
        }
    }
    h
}

/// Returns the logarithm of the gamma function for positive values (Lanczos, g = 5, six terms), within 2e-10.
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 6] = [
        76.180_091_729_471_46,
        -86.505_320_329_416_77,
        24.014_098_240_830_91,
        -1.231_739_572_450_155,
        0.120_865_097_386_617_9e-2,
        -0.539_523_938_495_3e-5,
    ];
    let base = x + 5.5;
    let sum: f64 = TERMS.iter().enumerate().map(|(i, t)| t / (x + 1.0 + i as f64)).sum();
    (x + 0.5) * base.ln() - base + (2.506_628_274_631_000_5 * (1.000_000_000_190_015 + sum) / x).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_students_tables() {
        // t = 2.228 at 10 degrees of freedom leaves 5 %; t = 2.776 at 4.
        for (t, dof) in [(2.228f64, 10.0f64), (2.776, 4.0), (12.706, 1.0), (1.980, 120.0)] {
            let p = incomplete_beta(dof / (dof + t * t), dof / 2.0, 0.5);
            assert!((p - 0.05).abs() < 1e-4, "{t} {dof}: {p}");
        }
    }

    #[test]
    fn equal_samples_have_p_one_and_constant_ones_none() {
        assert!((welch(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(welch(&[1.0, 1.0], &[2.0, 2.0]), None);
        assert_eq!(welch(&[1.0], &[2.0, 3.0]), None);
    }
}
