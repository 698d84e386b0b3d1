//! Formats figures as fio does (`20.5k`, `81.1MiB/s`, `8875.9k`), and chooses the unit of a line of latencies.
//!
//! The formats are fio 3.33's, derived from its output and its documentation of `significant_figures`.

use model::LatencyHistogram;

/// Unit after the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    None,
    Byte,
    BytesPerSecond,
    BitsPerSecond,
}

impl Unit {
    const fn sign(self) -> &'static str {
        match self {
            Unit::None => "",
            Unit::Byte => "B",
            Unit::BytesPerSecond => "B/s",
            Unit::BitsPerSecond => "bit/s",
        }
    }
}

const DECIMAL: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Formats `value` in at most `digits` characters before the prefix, counting the decimal point as one. A whole number
/// that fits is printed in full; only a longer one gets a prefix.
pub(super) fn short(value: u64, digits: usize, binary: bool, unit: Unit) -> String {
    let thousand = if binary { 1024 } else { 1000 };
    let mut whole = if unit == Unit::BitsPerSecond { value.saturating_mul(8) } else { value };
    let mut prefix = 0;
    let mut rest = None;
    while whole.to_string().len() > digits && prefix + 1 < DECIMAL.len() {
        rest = Some(whole % thousand);
        whole /= thousand;
        prefix += 1;
    }
    let name = if binary { BINARY[prefix] } else { DECIMAL[prefix] };
    let Some(rest) = rest else { return format!("{whole}{name}{}", unit.sign()) };
    let room = digits.saturating_sub(whole.to_string().len());
    if room <= 1 {
        let whole = whole + u64::from(rest >= thousand / 2);
        return format!("{whole}{name}{}", unit.sign());
    }
    // A fraction that rounds up to 1 carries into the integer part.
    let fraction = format!("{:.*}", room - 1, rest as f64 / thousand as f64);
    let whole = whole + u64::from(fraction.starts_with('1'));
    format!("{whole}.{}{name}{}", &fraction[2..], unit.sign())
}

/// Returns the sample standard deviation in the unit of the samples, as fio prints it: divided by n - 1. Computed from
/// exact sums.
pub(super) fn deviation(h: &LatencyHistogram) -> f64 {
    let s = h.summary();
    if s.count < 2 {
        return 0.0;
    }
    let n = u128::from(s.count);
    // n * sum_sq - sum^2 without rounding if it fits, so that a narrow distribution far from zero keeps its width.
    let moment = match (n.checked_mul(s.sum_sq), s.sum.checked_mul(s.sum)) {
        (Some(a), Some(b)) => a.saturating_sub(b) as f64,
        _ => (n as f64 * s.sum_sq as f64 - s.sum as f64 * s.sum as f64).max(0.0),
    };
    (moment / (n as f64 * (n as f64 - 1.0))).sqrt()
}

/// Returns the exact mean in nanoseconds; 0 without samples.
pub(super) fn mean(h: &LatencyHistogram) -> f64 {
    h.summary().mean().unwrap_or(0.0)
}

/// Returns the divisor and unit for a line of latencies. A line uses a larger unit than nanoseconds only if minimum,
/// maximum and deviation are all large enough for it.
pub(super) fn latency_unit(min: u64, max: u64, deviation: f64) -> (u64, &'static str) {
    if min > 2_000_000 && max > 99_999_999 && deviation > 1_000_000.0 {
        (1_000_000, "msec")
    } else if min > 2_000 && max > 99_999 && deviation > 1_000.0 {
        (1_000, "usec")
    } else {
        (1, "nsec")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;
    use proptest::prelude::*;

    #[test]
    fn figures_of_real_outputs_come_out_as_fio_printed_them() {
        // From runs of fio 3.33: bytes and times are from its JSON, the expected text from its normal output.
        let rate = 85_012_981;
        assert_eq!(short(20_755, 4, false, Unit::None), "20.8k");
        assert_eq!(short(rate, 4, true, Unit::BytesPerSecond), "81.1MiB/s");
        assert_eq!(short(rate, 4, false, Unit::BytesPerSecond), "85.0MB/s");
        assert_eq!(short(170_110_976, 4, true, Unit::Byte), "162MiB");
        assert_eq!(short(170_110_976, 4, false, Unit::Byte), "170MB");
        assert_eq!(short(8_875_882, 6, false, Unit::None), "8875.9k");
        assert_eq!(short(21_708_897, 6, false, Unit::None), "21709k");
        assert_eq!(short(4096, 4, true, Unit::Byte), "4096B");
        assert_eq!(short(16_384, 4, true, Unit::Byte), "16.0KiB");
        assert_eq!(short(1 << 20, 4, true, Unit::Byte), "1024KiB");
        assert_eq!(short(20 * (1 << 20), 4, true, Unit::Byte), "20.0MiB");
        assert_eq!(short(912_804_571, 4, false, Unit::BytesPerSecond), "913MB/s");
        assert_eq!(short(0, 4, true, Unit::Byte), "0B");
    }

    #[test]
    fn a_fraction_that_rounds_up_carries() {
        assert_eq!(short(19_999, 4, false, Unit::None), "20.0k");
        assert_eq!(short(999_999, 4, false, Unit::None), "1000k");
        assert_eq!(short(125_000, 4, false, Unit::BitsPerSecond), "1000kbit/s");
    }

    #[test]
    fn the_deviation_of_a_narrow_distribution_far_from_zero_is_exact() {
        let mut h = LatencyHistogram::default();
        for ns in [3_000_000_000_000u64, 3_000_000_000_002, 3_000_000_000_004] {
            h.record(Nanos(ns));
        }
        assert!((deviation(&h) - 2.0).abs() < 1e-9, "{}", deviation(&h));
    }

    fn parsed(text: &str, binary: bool) -> f64 {
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let prefix = text[end..].trim_end_matches("B/s").trim_end_matches('B');
        let names = if binary { BINARY } else { DECIMAL };
        let power = names.iter().position(|n| *n == prefix).expect("a known prefix") as i32;
        text[..end].parse::<f64>().expect("a number") * if binary { 1024f64 } else { 1000f64 }.powi(power)
    }

    proptest! {
        #[test]
        fn a_figure_reads_back_within_its_digits(exponent in 0u32..63, fraction in 0.0f64..1.0, binary: bool, digits in 4usize..8) {
            let value = ((1u64 << exponent) as f64 * (1.0 + fraction)) as u64;
            let text = short(value, digits, binary, Unit::Byte);
            let back = parsed(&text, binary);
            // At least three of four characters are digits.
            let error = (back - value as f64).abs() / (value as f64).max(1.0);
            prop_assert!(error <= 0.0051, "{value} as {text} is {back}");
        }
    }
}
