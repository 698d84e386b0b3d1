//! Numbers as ioping accepts them: a decimal number or a fraction (`1/3`, `/3`), with a suffix in upper or lower case.

/// Suffixes with their factors.
type Suffixes = &'static [(&'static str, f64)];

const COUNTS: Suffixes =
    &[("", 1.0), ("da", 1e1), ("k", 1e3), ("m", 1e6), ("g", 1e9), ("t", 1e12), ("p", 1e15), ("e", 1e18)];

const K: f64 = 1024.0;
const SIZES: Suffixes = &[
    ("", 1.0),
    ("b", 1.0),
    ("sector", 512.0),
    ("page", 4096.0),
    ("k", K),
    ("kb", K),
    ("kib", K),
    ("m", K * K),
    ("mb", K * K),
    ("mib", K * K),
    ("g", K * K * K),
    ("gb", K * K * K),
    ("gib", K * K * K),
    ("t", K * K * K * K),
    ("tb", K * K * K * K),
    ("tib", K * K * K * K),
    ("pb", K * K * K * K * K),
    ("pib", K * K * K * K * K),
    ("eb", K * K * K * K * K * K),
];

const TIMES: Suffixes = &[
    ("", 1e9),
    ("ns", 1.0),
    ("nsec", 1.0),
    ("us", 1e3),
    ("usec", 1e3),
    ("ms", 1e6),
    ("msec", 1e6),
    ("s", 1e9),
    ("sec", 1e9),
    ("m", 60e9),
    ("min", 60e9),
    ("h", 3600e9),
    ("hour", 3600e9),
];

/// Parses a count and truncates it to a whole number.
pub fn count(text: &str) -> Result<u64, String> {
    value(text, COUNTS, i32::MAX.into(), "a count such as 100, 10k or 1m").map(|v| v as u64)
}

/// Parses a rate per second, which may be a fraction.
pub fn rate(text: &str) -> Result<f64, String> {
    value(text, COUNTS, 1e9, "a rate such as 100, 2k or 1/3")
}

/// Parses a size in bytes and truncates it to a whole number.
pub fn size(text: &str) -> Result<u64, String> {
    value(text, SIZES, i64::MAX as f64, "a size such as 4k, 1MiB, 8sector or 1page (k, m, g are binary)")
        .map(|v| v as u64)
}

/// Parses a time into whole nanoseconds. A number without a unit is in seconds.
pub fn time(text: &str) -> Result<u64, String> {
    value(text, TIMES, i64::MAX as f64, "a time such as 1s, 0.2, 1/3, 100ms or 250us").map(|v| v as u64)
}

fn value(text: &str, suffixes: Suffixes, most: f64, allowed: &str) -> Result<f64, String> {
    let wrong = |reason: String| Err(format!("{reason}: {allowed}"));
    let (first, mut rest) = number(text);
    let mut value = first;
    if let Some(divisor) = rest.strip_prefix('/') {
        let (below, behind) = number(divisor);
        let Some(below) = below else { return wrong(format!("`{}` has no number after the `/`", model::clip(text))) };
        if below == 0.0 {
            return wrong(format!("`{}` divides by zero", model::clip(text)));
        }
        value = Some(first.unwrap_or(1.0) / below);
        rest = behind;
    }
    let Some(value) = value else { return wrong(format!("`{}` is not a number", model::clip(text))) };
    let Some((_, factor)) = suffixes.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest)) else {
        return wrong(format!("`{}` has an unknown unit `{}`", model::clip(text), model::clip(rest)));
    };
    let value = value * factor;
    if value < 0.0 {
        return wrong(format!("`{}` is negative", model::clip(text)));
    }
    if value > most {
        return wrong(format!("`{}` is too large", model::clip(text)));
    }
    Ok(value)
}

/// Returns the decimal number at the start of a text, and the rest.
fn number(text: &str) -> (Option<f64>, &str) {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let begin = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(begin);
    let mut end = whole;
    if bytes.get(whole) == Some(&b'.') {
        let fraction = digits(whole + 1);
        // A decimal point alone is not a number.
        if fraction > whole + 1 || whole > begin {
            end = fraction;
        }
    }
    if end == begin {
        return (None, text);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    (text[..end].parse().ok(), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fractions_and_suffixes_are_iopings() {
        assert_eq!(time("1/3"), Ok(333_333_333));
        assert_eq!(time("/4"), Ok(250_000_000));
        assert_eq!(time("0.2"), Ok(200_000_000));
        assert_eq!(time("100MS"), Ok(100_000_000));
        assert_eq!(time("2m"), Ok(120_000_000_000));
        assert_eq!(time("250us"), Ok(250_000));
        assert_eq!(size("1/2m"), Ok(512 << 10));
        assert_eq!(size("8sector"), Ok(4096));
        assert_eq!(size("1Page"), Ok(4096));
        assert_eq!(size("4k"), Ok(4096));
        assert_eq!(size("1.5kb"), Ok(1536));
        assert_eq!(size("1e3"), Ok(1000));
        assert_eq!(size("1eb"), Ok(1 << 60));
        assert_eq!(count("10k"), Ok(10_000));
        assert_eq!(rate("1/3"), Ok(1.0 / 3.0));
    }

    #[test]
    fn what_is_no_number_is_told_with_what_is_allowed() {
        for (text, needle) in
            [("", "not a number"), ("k", "not a number"), ("1/0", "by zero"), ("1/x", "no number"), ("-1", "negative")]
        {
            let error = time(text).unwrap_err();
            assert!(error.contains(needle) && error.contains("100ms"), "{error}");
        }
        assert!(size("4q").unwrap_err().contains("unknown unit `q`"));
        assert!(time("4kb").unwrap_err().contains("unknown unit `kb`"));
        assert!(count("3g").unwrap_err().contains("too large"));
        for odd in [".", "..", "1..", "+", "1e", "e5", "1//2", "\u{e9}", "1\u{e9}", "nan", "inf"] {
            let _ = (size(odd), time(odd), count(odd));
        }
        assert!(size("nan").is_err() && size("inf").is_err());
    }
}
