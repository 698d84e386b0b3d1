//! Numbers in ObjectScript's format (`.67`, `1.3`, `6011`), and the statistical functions of its SQL.

use crate::widgets::figures::trimmed;

/// Rounds half away from zero to `decimals` decimals and formats the result in canonical form: no zero before the
/// point, no trailing zeros.
pub fn canonical(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return String::new();
    }
    match trimmed(round(value, decimals), decimals).as_str() {
        "" | "-0" | "0" => "0".to_owned(),
        t if t.starts_with("0.") => t[1..].to_owned(),
        t if t.starts_with("-0.") => format!("-{}", &t[2..]),
        t => t.to_owned(),
    }
}

/// Rounds like `$number(value, decimals)`, which calculates in decimal. Adds a tiny amount first, because the binary
/// value of a decimal half may be slightly too small.
pub fn round(value: f64, decimals: usize) -> f64 {
    let scale = 10f64.powi(i32::try_from(decimals).unwrap_or(0));
    let scaled = value * scale;
    (scaled + scaled.signum() * scaled.abs().max(1.0) * 1e-12).round() / scale
}

/// Returns the mean; `None` without values.
pub fn average(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns STDDEV_POP; `None` without values.
pub fn deviation(values: &[f64]) -> Option<f64> {
    Some((squares(values)? / values.len() as f64).sqrt())
}

/// Returns STDDEV_SAMP; `None` for fewer than two values.
pub fn sample_deviation(values: &[f64]) -> Option<f64> {
    (values.len() > 1).then(|| squares(values).map(|s| (s / (values.len() - 1) as f64).sqrt()))?
}

fn squares(values: &[f64]) -> Option<f64> {
    let mean = average(values)?;
    Some(values.iter().map(|v| (v - mean).powi(2)).sum())
}

/// Divides `of` by `by`; `None` if either is missing or the divisor is 0.
pub fn over(of: Option<f64>, by: Option<f64>) -> Option<f64> {
    Some(of? / by.filter(|b| *b != 0.0)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_canonical() {
        let cases = [(0.67, 2, ".67"), (1.3, 2, "1.3"), (2.6001, 2, "2.6"), (6011.4, 0, "6011"), (0.0, 3, "0")];
        for (value, decimals, text) in cases {
            assert_eq!(canonical(value, decimals), text);
        }
        assert_eq!(canonical(-0.5, 2), "-.5");
        assert_eq!(canonical(-0.001, 2), "0");
        assert_eq!(canonical(1000.0, 0), "1000");
        assert_eq!(canonical(f64::NAN, 2), "");
        assert_eq!(canonical(1.005, 2), "1.01", "half in decimal");
    }

    #[test]
    fn deviations_are_those_of_the_textbook() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(deviation(&values), Some(2.0));
        assert!((sample_deviation(&values).unwrap() - 2.138).abs() < 0.001);
        assert_eq!((deviation(&[3.0]), sample_deviation(&[3.0]), deviation(&[])), (Some(0.0), None, None));
        assert_eq!(over(Some(1.0), Some(0.0)), None);
    }
}
