//! Numbers as a tool printed them, and their conversion to values. Each value has the interval of unrounded values that
//! would be printed in the same way.

use crate::text::source::is_typographic_dash;
use model::Bytes;
use model::foreign::{ForeignValue, Quantity, Way};

/// Rounding that a tool applied to a number before printing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Rounded to the nearest number.
    Nearest,
    /// Rounded down.
    Down,
    /// Rounded up.
    Up,
    /// Rounded either down or to the nearest number. The interval covers both cases.
    Either,
    /// Not rounded, such as a count.
    Exact,
}

/// Decimal number in a unit: the printed value and the weight of its last digit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figure {
    pub value: f64,
    pub ulp: f64,
}

impl Figure {
    /// Converts the number to base units. `unit` is the size of the current unit in base units.
    pub fn times(self, unit: f64) -> Figure {
        Figure { value: scaled(self.value, unit), ulp: scaled(self.ulp, unit) }
    }

    /// Returns the smallest and the largest value that the tool would have printed like this.
    pub fn between(self, cut: Cut) -> (f64, f64) {
        let half = self.ulp / 2.0;
        let (low, high) = match cut {
            Cut::Nearest => (self.value - half, self.value + half),
            Cut::Up => (self.value - self.ulp, self.value),
            Cut::Down => (self.value, self.value + self.ulp),
            Cut::Either => (self.value - half, self.value + self.ulp),
            Cut::Exact => (self.value, self.value),
        };
        // Rates, counts and times are never negative. A slope may be negative.
        if self.value >= 0.0 { (low.max(0.0), high) } else { (low, high) }
    }

    /// Converts the number to a value of a test.
    pub fn to_value(self, way: Way, quantity: Quantity, cut: Cut, line: u32, words: impl Into<String>) -> ForeignValue {
        let value = Some(self.value);
        ForeignValue { way, of: quantity, value, between: self.between(cut), line, words: words.into(), doubt: None }
    }
}

/// Multiplies a value by a unit. If the unit is below 1, divides by its inverse instead, so 120002 ms gives exactly the
/// same value as 120.002 s.
pub(crate) fn scaled(value: f64, unit: f64) -> f64 {
    if unit < 1.0 { value / (1.0 / unit).round() } else { value * unit }
}

/// Returns a value that, according to the file, was not measured.
pub(crate) fn unmeasured(
    way: Way,
    quantity: Quantity,
    line: u32,
    words: impl Into<String>,
    doubt: &str,
) -> ForeignValue {
    let between = (0.0, f64::INFINITY);
    ForeignValue { way, of: quantity, value: None, between, line, words: words.into(), doubt: Some(doubt.to_owned()) }
}

/// Upper bound for storage figures in any unit. A larger number is garbled and might overflow to infinity.
const LARGEST: f64 = 1e30;

/// Parses the number at the start of a text. Returns the number and the rest of the text. Commas may separate
/// thousands, as in `1,024.5MB`.
pub(crate) fn number(text: &str) -> Option<(Figure, &str)> {
    let text = text.trim_start();
    let unsigned = text.strip_prefix(['-', '+']).or_else(|| text.strip_prefix(is_typographic_dash));
    let negative = text.starts_with('-') || text.starts_with(is_typographic_dash);
    let rest = unsigned.unwrap_or(text);
    let bytes = rest.as_bytes();
    let (mut end, mut digits, mut decimals, mut point, mut parted) = (0, 0u32, 0, false, false);
    while let Some(b) = bytes.get(end) {
        match b {
            b'0'..=b'9' => {
                digits += 1;
                decimals += i32::from(point);
            }
            b'.' if !point && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) => point = true,
            b',' if !point && digits > 0 && is_thousands(&bytes[end..]) => parted = true,
            _ => break,
        }
        end += 1;
    }
    if digits == 0 {
        return None;
    }
    let mut exponent = 0;
    let mut length = 0;
    if let Some(more) = rest[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(more.starts_with(['-', '+']));
        let count = more[sign..].bytes().take_while(u8::is_ascii_digit).count();
        if let Ok(power) = more[..sign + count].parse::<i32>()
            && count > 0
        {
            (exponent, length) = (power, 1 + sign + count);
        }
    }
    let written = &rest[..end + length];
    let value: f64 = if parted { written.replace(',', "").parse() } else { written.parse() }.ok()?;
    let end = end + length;
    // The last bit of `powi` with a negative power differs between systems, but quotients are rounded identically
    // everywhere.
    let power = exponent.saturating_sub(decimals);
    let ulp = if power < 0 { 1.0 / 10f64.powi(power.saturating_neg()) } else { 10f64.powi(power) };
    (value < LARGEST && ulp < LARGEST)
        .then_some((Figure { value: if negative { -value } else { value }, ulp }, &rest[end..]))
}

/// Returns `true` if a text begins with a comma and exactly three digits.
fn is_thousands(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && bytes[1..4].iter().all(u8::is_ascii_digit) && !bytes.get(4).is_some_and(u8::is_ascii_digit)
}

/// Parses a text that consists of a single number.
pub(crate) fn whole(text: &str) -> Option<Figure> {
    number(text).filter(|(_, rest)| rest.trim().is_empty()).map(|(figure, _)| figure)
}

/// Parses a count, which may have a suffix (`20.5k`, `1150.9k`, `1.2M`). Returns the count and the rest of the text.
pub(crate) fn counted(text: &str) -> Option<(Figure, &str)> {
    let (figure, rest) = number(text)?;
    let suffix = rest.trim_start();
    let scale = match suffix.chars().next() {
        Some('k' | 'K') => 1e3,
        Some('M' | 'm') => 1e6,
        Some('G' | 'g') => 1e9,
        Some('T' | 't') => 1e12,
        _ => return Some((figure, rest)),
    };
    Some((figure.times(scale), &suffix[1..]))
}

/// Parses a size with its unit into bytes. `KiB` is 1024. `KB`, `kB` and `k` are 1000, or 1024 if `old` is set.
pub(crate) fn bytes(text: &str, old: bool) -> Option<(Figure, &str)> {
    let (figure, rest) = number(text)?;
    let unit = rest.trim_start();
    let length = unit.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = unit.split_at(length);
    let power = match word.bytes().next() {
        None => return Some((figure, rest)),
        Some(b'B' | b'b') if word.len() == 1 => return Some((figure, rest)),
        Some(b'k' | b'K') => 1,
        Some(b'M' | b'm') => 2,
        Some(b'G' | b'g') => 3,
        Some(b'T' | b't') => 4,
        Some(b'P' | b'p') => 5,
        _ => return None,
    };
    let base: f64 = match &word[1..] {
        "iB" | "ib" | "i" => 1024.0,
        "" | "B" | "b" if old => 1024.0,
        "" | "B" | "b" => 1000.0,
        _ => return None,
    };
    Some((figure.times(base.powi(power)), rest))
}

/// Parses a size with its unit, where `K`, `KB` and `KiB` are 1024 bytes. The text after the unit is ignored.
pub(crate) fn size(text: &str) -> Option<Bytes> {
    bytes(text, true).map(|(figure, _)| Bytes(figure.value as u64))
}

/// Returns the number of seconds in a unit, such as `nsec`, `us`, `msec`, `s`, `min` or `hour`.
pub(crate) fn unit_of_time(word: &str) -> Option<f64> {
    Some(match word {
        "ns" | "nsec" => 1e-9,
        "us" | "usec" | "µs" | "μs" => 1e-6,
        "ms" | "msec" => 1e-3,
        "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" | "hour" => 3600.0,
        "d" | "day" => 86_400.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rounding_leaves_an_interval() {
        let (figure, rest) = counted("20.5k, BW=").unwrap();
        assert_eq!((figure.value, rest), (20_500.0, ", BW="));
        let (low, high) = figure.between(Cut::Nearest);
        assert!((low - 20_450.0).abs() < 1e-6 && (high - 20_550.0).abs() < 1e-6);
        assert_eq!(counted("3188").unwrap().0.between(Cut::Down), (3188.0, 3189.0));
        assert_eq!(whole(".67").map(|f| (f.value, f.ulp)), Some((0.67, 0.01)));
    }

    #[test]
    fn numbers_are_read_in_every_dress() {
        for (text, value) in [
            ("1,024.5", 1024.5),
            ("-3", -3.0),
            ("−3", -3.0),
            ("1e+09", 1e9),
            ("216069186.04617643356", 216_069_186.046_176_43),
            ("12,345,678", 12_345_678.0),
            ("+.5", 0.5),
        ] {
            assert_eq!(whole(text).map(|f| f.value), Some(value), "{text}");
        }
        for text in ["", "-", "nan", "inf", "1e999", "abc", "."] {
            assert_eq!(whole(text), None, "{text}");
        }
        assert_eq!(number("786347,262229").map(|(f, rest)| (f.value, rest)), Some((786_347.0, ",262229")));
    }

    #[test]
    fn units_of_bytes_have_the_base_that_their_words_say() {
        for (text, old, value) in [
            ("24.9MiB/s", false, 24.9 * 1_048_576.0),
            ("26.1MB/s", false, 26.1e6),
            ("223054KB/s", true, 223_054.0 * 1024.0),
            ("8192B", false, 8192.0),
            ("4K", true, 4096.0),
            ("36 KiB", false, 36_864.0),
        ] {
            let read = bytes(text, old).unwrap().0.value;
            assert!((read - value).abs() <= value * 1e-12, "{text}: {read}");
        }
        assert!(bytes("5 requests", false).is_none());
    }

    proptest! {
        #[test]
        fn what_a_number_was_rounded_to_contains_it(value in 0.0f64..1e9, decimals in 0usize..6) {
            let figure = whole(&format!("{value:.decimals$}")).unwrap();
            let (low, high) = figure.between(Cut::Nearest);
            prop_assert!(low - 1e-6 <= value && value <= high + 1e-6);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}|[0-9.,eE+-]{0,20}") {
            let _ = (number(&text), counted(&text), bytes(&text, true));
        }
    }
}
