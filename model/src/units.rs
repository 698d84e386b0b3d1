//! Quantities with their units, so that no bare `u64` is passed between crates.
//!
//! Parsing follows the conventions of storage tools: bare `k m g t` and `ki mi gi ti` are binary (8k = 8192 bytes);
//! units that spell out the byte (`kB`, `MB`, `GB`) are decimal. fio's opposite interpretation (`1MiB` = 10^6) is
//! handled by the crate `job`, not here.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A number of bytes, or a byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A duration or an instant on the run's clock, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Nanos(pub u64);

/// Completed operations per second.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Iops(pub f64);

/// Bytes per second. Printed in decimal units (MB/s = 10^6 bytes) unless noted otherwise.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct BytesPerSecond(pub f64);

/// Error when parsing a quantity. The text contains the input, what is allowed and, if there is one, the nearest valid
/// value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnitError(pub String);

/// Returns `true` for the default value, such as 0, for fields that are not serialized then.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Shortens the user's input to at most 80 characters, so that an error stays on one line.
#[must_use]
pub fn clip(text: &str) -> String {
    if text.chars().count() <= 80 {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(77).collect();
    short.push_str("...");
    short
}

fn number(what: &str, text: &str) -> Result<(f64, String), UnitError> {
    let trimmed = text.trim();
    if trimmed.starts_with('-') {
        return Err(UnitError(format!("negative {what} `{}`", clip(trimmed))));
    }
    let end = trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(trimmed.len());
    let (digits, unit) = trimmed.split_at(end);
    if digits.is_empty() {
        return Err(UnitError(format!("`{}` is not a {what}: a number is expected first", clip(trimmed))));
    }
    let value: f64 = digits.parse().map_err(|_| UnitError(format!("`{}` is not a number", clip(digits))))?;
    if !value.is_finite() {
        return Err(UnitError(format!("`{}` is too large", clip(trimmed))));
    }
    Ok((value, unit.trim().to_owned()))
}

fn byte_factor(unit: &str) -> Option<f64> {
    let binary = |power: i32| 1024f64.powi(power);
    let decimal = |power: i32| 1000f64.powi(power);
    // `MB` is decimal because it spells out the byte; a bare `m` is binary, as in every storage tool.
    let lower = unit.to_ascii_lowercase();
    let (prefix, rest) = match lower.chars().next() {
        None => return Some(1.0),
        Some('b') if lower == "b" => return Some(1.0),
        Some(c) => (c, &lower[c.len_utf8()..]),
    };
    let power = match prefix {
        'k' => 1,
        'm' => 2,
        'g' => 3,
        't' => 4,
        'p' => 5,
        _ => return None,
    };
    match rest {
        "" | "i" | "ib" => Some(binary(power)),
        "b" => Some(decimal(power)),
        _ => None,
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (value, unit) = number("size", text)?;
        let factor = byte_factor(&unit).ok_or_else(|| {
            UnitError(format!(
                "unknown unit `{}` in `{}`: k m g t (binary), KiB MiB GiB TiB, or kB MB GB TB (decimal)",
                clip(&unit),
                clip(text.trim())
            ))
        })?;
        let bytes = value * factor;
        if bytes > 9.0e18 {
            return Err(UnitError(format!("`{}` is too large", clip(text.trim()))));
        }
        if bytes.fract() != 0.0 {
            return Err(UnitError(format!("`{}` is not a whole number of bytes", clip(text.trim()))));
        }
        Ok(Bytes(bytes as u64))
    }
}

impl fmt::Display for Bytes {
    /// Formats exact values in binary units: `8 KiB`, `1.5 GiB`, `1000 B`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        if value.fract() == 0.0 {
            write!(f, "{value:.0} {}", UNITS[unit])
        } else {
            write!(f, "{value:.2} {}", UNITS[unit])
        }
    }
}

impl Bytes {
    /// Returns a size of `kib` KiB.
    #[must_use]
    pub const fn from_kib(kib: u64) -> Self {
        Bytes(kib << 10)
    }

    /// Returns a size of `mib` MiB.
    #[must_use]
    pub const fn from_mib(mib: u64) -> Self {
        Bytes(mib << 20)
    }

    /// Returns a size of `gib` GiB.
    #[must_use]
    pub const fn from_gib(gib: u64) -> Self {
        Bytes(gib << 30)
    }

    /// Multiplies by `n`; saturates on overflow.
    #[must_use]
    pub const fn times(self, n: u64) -> Self {
        Bytes(self.0.saturating_mul(n))
    }

    /// Returns the number of bytes.
    #[must_use]
    #[inline]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// Returns the short form used in labels and options: `8k`, `1m`, `512`.
    #[must_use]
    pub fn short(self) -> String {
        for (shift, letter) in [(40, 't'), (30, 'g'), (20, 'm'), (10, 'k')] {
            let unit = 1u64 << shift;
            if self.0 >= unit && self.0.is_multiple_of(unit) {
                return format!("{}{letter}", self.0 >> shift);
            }
        }
        self.0.to_string()
    }
}

impl Nanos {
    /// Returns a duration of whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Nanos(seconds * 1_000_000_000)
    }

    /// Returns a duration of whole milliseconds.
    #[must_use]
    pub const fn from_millis(milliseconds: u64) -> Self {
        Nanos(milliseconds * 1_000_000)
    }

    /// Returns a duration of whole days.
    #[must_use]
    pub const fn from_days(days: u64) -> Self {
        Nanos::from_secs(days * 86_400)
    }

    /// Returns a duration of whole microseconds.
    #[must_use]
    pub const fn from_micros(microseconds: u64) -> Self {
        Nanos(microseconds * 1_000)
    }

    /// Returns the number of nanoseconds.
    #[must_use]
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Converts from seconds; negative and non-finite values become zero.
    #[must_use]
    pub fn from_secs_f64(seconds: f64) -> Self {
        Nanos((seconds * 1e9).max(0.0) as u64)
    }

    /// Returns the duration in seconds.
    #[must_use]
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns the number of complete seconds.
    #[must_use]
    pub const fn whole_secs(self) -> u64 {
        self.0 / 1_000_000_000
    }

    /// Returns the duration in milliseconds.
    #[must_use]
    pub fn millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns the duration in microseconds.
    #[must_use]
    pub fn micros(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Implements sums, differences and multiples of a whole quantity. A negative difference is a bug; where it may occur,
/// use [`Nanos::since`].
macro_rules! arithmetic {
    ($unit:ident) => {
        impl $unit {
            /// Returns the sum, saturating on overflow.
            #[must_use]
            #[inline]
            pub const fn saturating_add(self, other: $unit) -> $unit {
                $unit(self.0.saturating_add(other.0))
            }

            /// Returns `true` if the quantity is zero.
            #[must_use]
            #[inline]
            pub const fn is_zero(self) -> bool {
                self.0 == 0
            }
        }

        impl std::ops::Add for $unit {
            type Output = $unit;

            #[inline]
            fn add(self, other: $unit) -> $unit {
                $unit(self.0 + other.0)
            }
        }

        impl std::ops::AddAssign for $unit {
            #[inline]
            fn add_assign(&mut self, other: $unit) {
                self.0 += other.0;
            }
        }

        impl std::ops::Sub for $unit {
            type Output = $unit;

            #[inline]
            fn sub(self, other: $unit) -> $unit {
                $unit(self.0 - other.0)
            }
        }

        impl std::ops::SubAssign for $unit {
            #[inline]
            fn sub_assign(&mut self, other: $unit) {
                self.0 -= other.0;
            }
        }

        impl std::ops::Mul<u64> for $unit {
            type Output = $unit;

            #[inline]
            fn mul(self, times: u64) -> $unit {
                $unit(self.0 * times)
            }
        }

        impl std::ops::Div<u64> for $unit {
            type Output = $unit;

            #[inline]
            fn div(self, parts: u64) -> $unit {
                $unit(self.0 / parts)
            }
        }

        impl std::iter::Sum for $unit {
            fn sum<I: Iterator<Item = $unit>>(all: I) -> $unit {
                $unit(all.map(|one| one.0).sum())
            }
        }
    };
}

arithmetic!(Nanos);
arithmetic!(Bytes);

/// Implements access to the number of a rate, and sums of rates.
macro_rules! rate {
    ($unit:ident) => {
        impl $unit {
            /// Returns the rate as a number per second.
            #[must_use]
            #[inline]
            pub const fn per_second(self) -> f64 {
                self.0
            }
        }

        impl std::ops::AddAssign for $unit {
            #[inline]
            fn add_assign(&mut self, other: $unit) {
                self.0 += other.0;
            }
        }

        impl std::iter::Sum for $unit {
            fn sum<I: Iterator<Item = $unit>>(all: I) -> $unit {
                $unit(all.map(|one| one.0).sum())
            }
        }
    };
}

rate!(Iops);
rate!(BytesPerSecond);

impl fmt::Display for Nanos {
    /// Formats three significant digits in the usual unit: `85.3 us`, `1.20 ms`, `12.0 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0 as f64;
        let (value, unit) = if self.0 < 1_000 {
            return write!(f, "{} ns", self.0);
        } else if ns < 999_500.0 {
            (ns / 1e3, "us")
        } else if ns < 999_500_000.0 {
            (ns / 1e6, "ms")
        } else {
            (ns / 1e9, "s")
        };
        let decimals = if value < 9.995 {
            2
        } else if value < 99.95 {
            1
        } else {
            0
        };
        write!(f, "{value:.decimals$} {unit}")
    }
}

impl FromStr for Nanos {
    type Err = UnitError;

    /// Parses `5m`, `90s`, `2ms`, `150us`, `1h`. A bare number is an error, because tools disagree about its unit.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (value, unit) = number("time", text)?;
        let factor = match unit.as_str() {
            "ns" => 1.0,
            "us" | "usec" | "µs" | "μs" => 1e3,
            "ms" | "msec" => 1e6,
            "s" | "sec" => 1e9,
            "m" | "min" => 60e9,
            "h" => 3600e9,
            "d" => 86_400e9,
            "" => {
                return Err(UnitError(format!("`{}` has no unit of time; use ns us ms s m h d", clip(text.trim()))));
            }
            _ => {
                return Err(UnitError(format!(
                    "unknown unit of time `{}` in `{}`: ns us ms s m h d",
                    clip(&unit),
                    clip(text.trim())
                )));
            }
        };
        let ns = value * factor;
        if ns > 9.0e18 {
            return Err(UnitError(format!("`{}` is too long", clip(text.trim()))));
        }
        Ok(Nanos(ns as u64))
    }
}

impl FromStr for Iops {
    type Err = UnitError;

    /// Parses `6000` or `12k` (decimal, as vendors count operations).
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (value, unit) = number("rate", text)?;
        let factor = match unit.to_ascii_lowercase().as_str() {
            "" => 1.0,
            "k" => 1e3,
            "m" => 1e6,
            _ => {
                return Err(UnitError(format!(
                    "unknown unit `{}` in `{}`: use k or m (thousand, million) for operations per second",
                    clip(&unit),
                    clip(text.trim())
                )));
            }
        };
        Ok(Iops(value * factor))
    }
}

impl fmt::Display for Iops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&thousands(self.0))
    }
}

impl FromStr for BytesPerSecond {
    type Err = UnitError;

    /// Parses `125MiB`, `93.75MB` or `750Mbps` (bits, decimal), with or without `/s`. A bare number is an error.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (value, unit) = number("bandwidth", text)?;
        let unit = unit.strip_suffix("/s").unwrap_or(&unit);
        let bits = match unit {
            "kbps" | "Kbps" | "kbit" => Some(1e3),
            "mbps" | "Mbps" | "mbit" | "Mbit" => Some(1e6),
            "gbps" | "Gbps" | "gbit" | "Gbit" => Some(1e9),
            _ => None,
        };
        if let Some(factor) = bits {
            return Ok(BytesPerSecond(value * factor / 8.0));
        }
        if unit.is_empty() {
            return Err(UnitError(format!(
                "`{}` has no unit; use MB or MiB (per second), or Mbps for bits",
                clip(text.trim())
            )));
        }
        let factor = byte_factor(unit).ok_or_else(|| {
            UnitError(format!(
                "unknown unit `{}` in `{}`: kB MB GB (decimal), KiB MiB GiB (binary) or Mbps Gbps (bits)",
                clip(unit),
                clip(text.trim())
            ))
        })?;
        Ok(BytesPerSecond(value * factor))
    }
}

impl BytesPerSecond {
    /// Returns the rate in decimal megabytes per second.
    #[must_use]
    pub fn mb(self) -> f64 {
        self.0 / 1e6
    }
}

impl fmt::Display for BytesPerSecond {
    /// Formats decimal units: `93.75 MB/s`, `1.20 GB/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = self.mb();
        if mb >= 10_000.0 {
            write!(f, "{:.2} GB/s", mb / 1e3)
        } else if mb >= 1_000.0 {
            write!(f, "{} MB/s", thousands(mb))
        } else if mb >= 99.95 {
            write!(f, "{mb:.1} MB/s")
        } else {
            write!(f, "{mb:.2} MB/s")
        }
    }
}

/// Formats a rate: from 100 on as an integer with thousands separators (`61,240`), below that with one or two decimals.
#[must_use]
pub fn thousands(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    if value.abs() < 9.995 {
        return format!("{value:.2}");
    }
    if value.abs() < 99.95 {
        return format!("{value:.1}");
    }
    let digits = format!("{:.0}", value.abs());
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0.0 {
        out.push('-');
    }
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Returns the candidate nearest to `typed` by edit distance, or `None` if none is similar enough to suggest.
#[must_use]
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 1 + typed.chars().count() / 3;
    let beginning = |word: &str| word.chars().take(64).collect::<String>();
    // Optimal string alignment: an insertion, deletion, replacement or swap of adjacent characters costs 1.
    let distance = |candidate: &'a str| (strsim::osa_distance(&beginning(typed), &beginning(candidate)), candidate);
    let near = candidates.into_iter().map(distance).filter(|(distance, _)| *distance <= limit);
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// Returns `; did you mean ...?` with the candidate nearest to `typed`, or an empty text if none is similar enough.
#[must_use]
pub fn suggestion<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, candidates).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_letter_is_binary_and_a_spelled_byte_is_decimal() {
        assert_eq!("8k".parse(), Ok(Bytes(8192)));
        assert_eq!("128KiB".parse(), Ok(Bytes(131_072)));
        assert_eq!("1GB".parse(), Ok(Bytes(1_000_000_000)));
        assert_eq!("1.5g".parse(), Ok(Bytes(1_610_612_736)));
        assert_eq!("512".parse(), Ok(Bytes(512)));
    }

    #[test]
    fn bad_sizes_say_what_is_wrong() {
        let message = |t: &str| t.parse::<Bytes>().unwrap_err().0;
        assert!(message("4q").contains("unknown unit `q`"));
        assert!(message("-4k").contains("negative size"));
        assert!(message("ten").contains("a number is expected first"));
        assert!(message("1e30").contains("unknown unit `e30`"));
        assert!(message("99999999999t").contains("too large"));
        assert!(message("0.3").contains("whole number of bytes"));
        assert!(message("1.2.3k").contains("not a number"));
        assert!(message(&"9".repeat(1_000_000)).len() < 200);
    }

    #[test]
    fn bandwidth_knows_bits_from_bytes() {
        assert_eq!("93.75MB".parse(), Ok(BytesPerSecond(93_750_000.0)));
        assert_eq!("750Mbps".parse(), Ok(BytesPerSecond(93_750_000.0)));
        assert_eq!("125MiB/s".parse(), Ok(BytesPerSecond(131_072_000.0)));
        assert!("125".parse::<BytesPerSecond>().is_err());
    }

    #[test]
    fn times_need_a_unit() {
        assert_eq!("2ms".parse(), Ok(Nanos(2_000_000)));
        assert_eq!("1.5s".parse(), Ok(Nanos(1_500_000_000)));
        assert!("10".parse::<Nanos>().unwrap_err().0.contains("no unit"));
    }

    #[test]
    fn figures_are_printed_for_reading() {
        assert_eq!(Iops(61_240.4).to_string(), "61,240");
        assert_eq!(Nanos(85_340).to_string(), "85.3 us");
        assert_eq!(Nanos(999_600).to_string(), "1.00 ms");
        assert_eq!(Bytes(8192).to_string(), "8 KiB");
        assert_eq!(Bytes(131_072).short(), "128k");
        assert_eq!(BytesPerSecond(93_750_000.0).to_string(), "93.75 MB/s");
    }

    #[test]
    fn the_nearest_name_is_offered_only_when_near() {
        assert_eq!(nearest("raed", ["read", "write"]), Some("read"));
        assert_eq!(nearest("xyz", ["read", "write"]), None);
    }
}
