//! Numbers in the job language: sizes, times, plain integers, percentages, hexadecimal numbers, and expressions in
//! parentheses.
//!
//! In sizes, `k m g t p` and `kb mb ...` are powers of 1024, or of 1000 with `kb_base=1000`. `ki mi ...` and
//! `kib mib ...` are always powers of 1024. fio reads `ki` and `kib` as powers of 1000 unless `kb_base=1000` (HOWTO,
//! "Parameter types"). [`Units::fio_compat`] selects fio's behavior.
//!
//! Numbers are exact: `1.5g` is accepted, but a third of a byte is not. Unlike fio, the parser does not ignore the text
//! after the first unexpected character (docs/design/bad-input.md, "The forty rows", rows 5, 6, 32).

use crate::value_error::ValueError;
use model::{Bytes, Nanos, clip};

/// Interpretation of units in sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    /// Value of `kb_base`: 1024 or 1000.
    pub kb_base: u32,
    /// True if `1MiB` is read as in fio: as 10^6 bytes with `kb_base=1024`.
    pub fio_compat: bool,
}

impl Default for Units {
    fn default() -> Self {
        Units { kb_base: 1024, fio_compat: false }
    }
}

/// Size in bytes, in percent of a size that is known later, or in zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Size in bytes.
    Bytes(Bytes),
    /// Percentage of the file or device, 0 to 100.
    Percent(u8),
    /// Number of zones on the device.
    Zones(u64),
}

impl Default for Extent {
    fn default() -> Self {
        Extent::Bytes(Bytes(0))
    }
}

/// Quantity that a number measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Bytes(Units),
    /// Time. A number without a unit is multiplied by this number of nanoseconds.
    Time(u64),
    /// Plain count. As in fio, it may have the suffixes `k m g`.
    Count,
}

/// Largest allowed value of any number. The limit is well below 2^63, so sums do not overflow.
const LARGEST: i128 = 1 << 62;

impl Measure {
    /// Returns the words for messages: the quantity, its smallest unit, and the available units.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Measure::Bytes(_) => ("size", "bytes", "k m g t p (with or without b), ki mi gi ti pi"),
            Measure::Time(_) => ("time", "nanoseconds", "d h m s ms us ns"),
            Measure::Count => ("number", "ones", "k m g t"),
        }
    }

    /// Returns the factor by which a unit multiplies a number. The product is in bytes or nanoseconds, or is a plain
    /// count.
    fn factor(self, unit: &str) -> Option<i128> {
        let unit = unit.to_ascii_lowercase();
        match self {
            Measure::Time(bare) => Some(match unit.as_str() {
                "" => i128::from(bare),
                "d" | "day" | "days" => 86_400_000_000_000,
                "h" | "hour" | "hours" => 3_600_000_000_000,
                "m" | "min" => 60_000_000_000,
                "s" | "sec" => 1_000_000_000,
                "ms" | "msec" => 1_000_000,
                "us" | "usec" | "µs" | "μs" => 1_000,
                "ns" | "nsec" => 1,
                _ => return None,
            }),
            Measure::Bytes(units) => byte_factor(&unit, units),
            Measure::Count => match unit.as_str() {
                "" => Some(1),
                "k" => Some(1 << 10),
                "m" => Some(1 << 20),
                "g" => Some(1 << 30),
                "t" => Some(1 << 40),
                _ => None,
            },
        }
    }
}

fn byte_factor(unit: &str, units: Units) -> Option<i128> {
    if matches!(unit, "" | "b") {
        return Some(1);
    }
    let prefix = unit.chars().next()?;
    let power = "kmgtp".find(prefix)? as u32 + 1;
    let rest = &unit[prefix.len_utf8()..];
    let spelled_binary = match rest {
        "" | "b" => false,
        "i" | "ib" => true,
        _ => return None,
    };
    let decimal = if spelled_binary { units.kb_base != 1000 && units.fio_compat } else { units.kb_base == 1000 };
    let base: i128 = if decimal { 1000 } else { 1024 };
    Some(base.pow(power))
}

/// Returns `true` if a text uses units such as `KiB`, which fio reads differently from other programs.
#[must_use]
pub(crate) fn spells_binary_unit(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    bytes.windows(3).any(|w| w[0].is_ascii_digit() && b"kmgtp".contains(&w[1]) && w[2] == b'i')
}

/// Exact decimal number: `mantissa * 10^exponent`.
struct Decimal {
    mantissa: i128,
    exponent: i32,
}

/// Parses the digits at the beginning of a text. Returns the number and the rest, which is the unit.
fn lex_number(text: &str) -> Result<(Decimal, &str), Fault> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        if end == 0 {
            return Err(Fault::NotANumber);
        }
        let mantissa = i128::from_str_radix(&hex[..end], 16).map_err(|_| Fault::TooLarge)?;
        return Ok((Decimal { mantissa, exponent: 0 }, &hex[end..]));
    }
    let whole = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if whole == 0 {
        return Err(Fault::NotANumber);
    }
    let mut digits = text[..whole].to_owned();
    let mut rest = &text[whole..];
    let mut exponent = 0i32;
    if let Some(fraction) = rest.strip_prefix('.') {
        let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
        if end == 0 || fraction[end..].starts_with('.') {
            return Err(Fault::NotANumber);
        }
        let kept = fraction[..end].trim_end_matches('0');
        if kept.len() > 18 {
            return Err(Fault::TooFine);
        }
        digits.push_str(kept);
        exponent -= kept.len() as i32;
        rest = &fraction[end..];
    }
    // An `e` begins an exponent only if digits follow, as in `1e30`. Otherwise it may be a unit.
    if let Some(tail) = rest.strip_prefix(['e', 'E']) {
        let body = tail.strip_prefix(['+', '-']).unwrap_or(tail);
        let end = body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
        if end > 0 {
            let power: i32 = body[..end].parse().map_err(|_| Fault::TooLarge)?;
            exponent =
                if tail.starts_with('-') { exponent.saturating_sub(power) } else { exponent.saturating_add(power) };
            rest = &body[end..];
        }
    }
    let mantissa = digits.trim_start_matches('0');
    if mantissa.len() > 36 {
        return Err(Fault::TooLarge);
    }
    let mantissa = if mantissa.is_empty() { 0 } else { mantissa.parse().map_err(|_| Fault::NotANumber)? };
    Ok((Decimal { mantissa, exponent }, rest))
}

/// Error in a number. `read` builds the message and adds the text of the number.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    NotANumber,
    TooLarge,
    TooFine,
    Unit(String),
    Expression(&'static str),
}

impl Decimal {
    /// Multiplies the number by a factor. The product must be a whole number.
    fn times(self, factor: i128) -> Result<i128, Fault> {
        if self.mantissa == 0 {
            return Ok(0);
        }
        let mut value = self.mantissa.checked_mul(factor).ok_or(Fault::TooLarge)?;
        if self.exponent > 0 {
            let power = u32::try_from(self.exponent).ok().and_then(|e| 10i128.checked_pow(e)).ok_or(Fault::TooLarge)?;
            value = value.checked_mul(power).ok_or(Fault::TooLarge)?;
        } else if self.exponent < 0 {
            let power = 10i128.checked_pow(self.exponent.unsigned_abs()).ok_or(Fault::TooFine)?;
            if value % power != 0 {
                return Err(Fault::TooFine);
            }
            value /= power;
        }
        if value > LARGEST { Err(Fault::TooLarge) } else { Ok(value) }
    }

    fn as_f64(&self) -> f64 {
        self.mantissa as f64 * 10f64.powi(self.exponent.clamp(-400, 400))
    }
}

fn evaluate(text: &str, measure: Measure) -> Result<i128, Fault> {
    if text.starts_with('(') {
        let value = Expression::value(text, measure)?;
        return Ok(value as i128);
    }
    let (number, unit) = lex_number(text)?;
    let unit = unit.trim();
    let factor = measure.factor(unit).ok_or_else(|| Fault::Unit(unit.to_owned()))?;
    number.times(factor)
}

fn read(text: &str, measure: Measure) -> Result<u64, ValueError> {
    let trimmed = text.trim();
    let (noun, smallest, allowed) = measure.words();
    if let Some(positive) = trimmed.strip_prefix('-')
        && positive.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err(ValueError::Negative { given: clip(trimmed), noun });
    }
    let body = trimmed.strip_prefix('+').unwrap_or(trimmed);
    let given = || clip(trimmed);
    let value = evaluate(body, measure).map_err(|fault| match fault {
        Fault::NotANumber => ValueError::NotANumber { given: given(), noun },
        Fault::TooLarge => ValueError::TooLarge { given: given(), most: None },
        Fault::TooFine => ValueError::NotWhole { given: given(), unit: smallest },
        Fault::Unit(unit) => ValueError::UnknownUnit { given: given(), unit: clip(&unit), allowed },
        Fault::Expression(why) => ValueError::within(trimmed, why),
    })?;
    u64::try_from(value).map_err(|_| ValueError::Negative { given: clip(trimmed), noun })
}

/// Parses a size in bytes.
///
/// # Errors
/// Returns an error if the text is not a number, is negative, has an unknown unit, is not a whole number of bytes, or
/// is above 2^62. The error distinguishes these cases.
pub fn size(text: &str, units: Units) -> Result<Bytes, ValueError> {
    read(text, Measure::Bytes(units)).map(Bytes)
}

/// Parses a size in bytes, a percentage such as `20%`, or a number of zones such as `4z`.
///
/// # Errors
/// Returns an error in the same cases as [`size`], or if the percentage is above 100.
pub fn extent(text: &str, units: Units) -> Result<Extent, ValueError> {
    // fio accepts `100%%`, because its parser stops at the first `%`.
    let Some(percent) = text.trim().strip_suffix('%').map(|percent| percent.trim_end_matches('%')) else {
        if let Some(zones) =
            text.trim().strip_suffix(['z', 'Z']).filter(|z| z.starts_with(|c: char| c.is_ascii_digit()))
        {
            return count(zones).map(Extent::Zones);
        }
        return size(text, units).map(Extent::Bytes);
    };
    let value = count(percent)?;
    match u8::try_from(value) {
        Ok(p @ 0..=100) => Ok(Extent::Percent(p)),
        _ => Err(ValueError::out_of_range(text, "between 0% and 100%")),
    }
}

/// Parses a time. A number without a unit is multiplied by `bare` (seconds for `runtime`, microseconds for
/// `thinktime`), even in an expression. fio's parser does the same, although its HOWTO mentions microseconds for
/// expressions.
///
/// # Errors
/// Returns an error if the text is not a number, is negative, has an unknown unit, or is above 2^62 ns (146 years).
pub fn time(text: &str, bare: Nanos) -> Result<Nanos, ValueError> {
    read(text, Measure::Time(bare.as_nanos())).map(Nanos)
}

/// Parses a plain whole number. As in fio, the prefix `0x` and the suffixes `k m g t` (powers of 1024) are allowed.
///
/// # Errors
/// Returns an error if the text is not a number in this form.
pub fn count(text: &str) -> Result<u64, ValueError> {
    read(text, Measure::Count)
}

/// Parses a whole number that may be negative.
///
/// # Errors
/// Returns an error if the text is not a number in this form.
pub fn signed(text: &str) -> Result<i64, ValueError> {
    let trimmed = text.trim();
    match trimmed.strip_prefix('-') {
        Some(positive) => count(positive).map(|v| -(v as i64)),
        None => count(trimmed).map(|v| v as i64),
    }
}

/// Parses a number with a fraction. `nan`, `inf` and units are not allowed.
///
/// # Errors
/// Returns an error if the text is not a number in this form.
pub fn float(text: &str) -> Result<f64, ValueError> {
    let trimmed = text.trim();
    let (negative, body) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, trimmed),
    };
    // fio accepts `.1` as a number.
    let whole = format!("0{body}");
    let body = if body.starts_with('.') { whole.as_str() } else { body };
    match lex_number(body) {
        Ok((number, "")) if number.as_f64().is_finite() => {
            // The standard library rounds correctly. The lexer has already checked the form.
            let value = body.parse().unwrap_or_else(|_| number.as_f64());
            Ok(if negative { -value } else { value })
        }
        _ => Err(ValueError::NotANumber { given: clip(trimmed), noun: "number" }),
    }
}

/// Evaluates plain arithmetic, such as `8*$mb_memory` after the keyword has been replaced. Returns `None` if the text
/// is not arithmetic.
pub(crate) fn arithmetic(text: &str) -> Option<i128> {
    let plain = |c: char| c.is_ascii_digit() || "+-*/%^(). ".contains(c);
    if text.is_empty() || !text.chars().all(plain) {
        return None;
    }
    Expression::value(text, Measure::Count).ok().map(|v| v as i128)
}

/// Number in an expression. `united` is true if the number already includes its unit.
#[derive(Clone, Copy)]
struct Quantity {
    value: f64,
    united: bool,
}

/// Recursive-descent parser for `+ - * / % ^`, unary minus and parentheses. It computes in double precision.
struct Expression<'a> {
    rest: &'a str,
    measure: Measure,
    depth: u32,
}

impl<'a> Expression<'a> {
    fn value(text: &'a str, measure: Measure) -> Result<f64, Fault> {
        let mut parser = Expression { rest: text, measure, depth: 0 };
        let sum = parser.sum()?;
        let value = parser.with_unit(sum);
        if !parser.rest.trim().is_empty() {
            return Err(Fault::Expression("unexpected text after the expression"));
        }
        // Double precision cannot represent every whole number above 2^53, so an error is better than rounding.
        if !value.is_finite() || value.abs() > 9_007_199_254_740_992.0 {
            return Err(Fault::TooLarge);
        }
        Ok(value)
    }

    /// Returns the value. A time without a unit is multiplied by the option's default unit.
    fn with_unit(&self, quantity: Quantity) -> f64 {
        match self.measure {
            Measure::Time(bare) if !quantity.united => quantity.value * bare as f64,
            _ => quantity.value,
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        if is_next {
            self.rest = &self.rest[c.len_utf8()..];
        }
        is_next
    }

    fn sum(&mut self) -> Result<Quantity, Fault> {
        let mut left = self.product()?;
        loop {
            let sign = if self.take('+') {
                1.0
            } else if self.take('-') {
                -1.0
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = if left.united == right.united {
                Quantity { value: left.value + sign * right.value, ..left }
            } else {
                Quantity { value: self.with_unit(left) + sign * self.with_unit(right), united: true }
            };
        }
    }

    fn product(&mut self) -> Result<Quantity, Fault> {
        let mut left = self.power()?;
        loop {
            if self.take('*') {
                let right = self.power()?;
                if left.united && right.united {
                    return Err(Fault::Expression("a time cannot be multiplied by a time"));
                }
                left = Quantity { value: left.value * right.value, united: left.united || right.united };
            } else if self.take('/') {
                let right = self.divisor()?;
                left = Quantity { value: left.value / right.value, united: left.united && !right.united };
            } else if self.take('%') {
                let right = self.divisor()?;
                left = Quantity { value: left.value % right.value, ..left };
            } else {
                return Ok(left);
            }
        }
    }

    fn divisor(&mut self) -> Result<Quantity, Fault> {
        let by = self.power()?;
        if by.value == 0.0 { Err(Fault::Expression("division by zero")) } else { Ok(by) }
    }

    fn power(&mut self) -> Result<Quantity, Fault> {
        let base = self.atom()?;
        if self.take('^') {
            self.deeper()?;
            let exponent = self.power()?;
            self.depth -= 1;
            return Ok(Quantity { value: base.value.powf(exponent.value), ..base });
        }
        Ok(base)
    }

    fn deeper(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > 64 { Err(Fault::Expression("nested more than 64 levels deep")) } else { Ok(()) }
    }

    fn atom(&mut self) -> Result<Quantity, Fault> {
        if self.take('(') {
            self.deeper()?;
            let value = self.sum()?;
            self.depth -= 1;
            if !self.take(')') {
                return Err(Fault::Expression("a closing parenthesis is missing"));
            }
            return Ok(value);
        }
        if self.take('-') {
            self.deeper()?;
            let quantity = self.atom()?;
            self.depth -= 1;
            return Ok(Quantity { value: -quantity.value, ..quantity });
        }
        self.peek();
        let (number, rest) =
            lex_number(self.rest).map_err(|_| Fault::Expression("a number is expected in the expression"))?;
        let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let (unit, rest) = rest.split_at(end);
        self.rest = rest;
        let time = matches!(self.measure, Measure::Time(_));
        if unit.is_empty() && time {
            return Ok(Quantity { value: number.as_f64(), united: false });
        }
        let factor = self.measure.factor(unit).ok_or_else(|| Fault::Unit(unit.to_owned()))?;
        Ok(Quantity { value: number.as_f64() * factor as f64, united: time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OURS: Units = Units { kb_base: 1024, fio_compat: false };
    const FIOS: Units = Units { kb_base: 1024, fio_compat: true };
    const SI: Units = Units { kb_base: 1000, fio_compat: false };

    #[test]
    fn sizes_follow_the_language_and_only_mib_differs_from_fio() {
        for (text, ours, fios, si) in [
            ("4096", 4096, 4096, 4096),
            ("4096b", 4096, 4096, 4096),
            ("4k", 4096, 4096, 4000),
            ("4kB", 4096, 4096, 4000),
            ("1g", 1 << 30, 1 << 30, 1_000_000_000),
            ("5GB", 5 << 30, 5 << 30, 5_000_000_000),
            ("1MiB", 1 << 20, 1_000_000, 1 << 20),
            ("1mi", 1 << 20, 1_000_000, 1 << 20),
            ("0x1000", 4096, 4096, 4096),
            ("0x10k", 16384, 16384, 16000),
            ("1.5k", 1536, 1536, 1500),
            ("1e3", 1000, 1000, 1000),
            ("(4k*2+512)", 8704, 8704, 8512),
            ("(2^10)", 1024, 1024, 1024),
        ] {
            assert_eq!(size(text, OURS), Ok(Bytes(ours)), "{text}");
            assert_eq!(size(text, FIOS), Ok(Bytes(fios)), "{text}");
            assert_eq!(size(text, SI), Ok(Bytes(si)), "{text}");
        }
    }

    #[test]
    fn odd_sizes_are_named_and_never_cut_off() {
        let wrong = |text: &str| size(text, OURS).unwrap_err().to_string();
        assert!(wrong("-4k").contains("negative size"));
        assert!(wrong("-1").contains("negative size"));
        assert!(wrong("1e40").contains("too large"));
        assert!(wrong("4q").contains("unknown unit `q`"));
        assert!(wrong("1,5").contains("unknown unit `,5`"));
        assert!(wrong("9223372036854775808").contains("too large"));
        assert!(wrong("nan").contains("not a size"));
        assert!(wrong("").contains("not a size"));
        assert!(wrong("1.2.3").contains("not a size"));
        assert!(wrong("(1/0)").contains("division by zero"));
        assert!(wrong(&"(".repeat(10_000)).len() < 200);
        assert!(wrong(&"9".repeat(1_000_000)).len() < 200);
    }

    #[test]
    fn why_a_number_is_none_is_told_apart() {
        let given = |text: &str| text.to_owned();
        for (text, why) in [
            ("-1", ValueError::Negative { given: given("-1"), noun: "size" }),
            ("nan", ValueError::NotANumber { given: given("nan"), noun: "size" }),
            ("1e40", ValueError::TooLarge { given: given("1e40"), most: None }),
            ("1.5", ValueError::NotWhole { given: given("1.5"), unit: "bytes" }),
            ("(1/0)", ValueError::within("(1/0)", "division by zero")),
        ] {
            assert_eq!(size(text, OURS), Err(why));
        }
        assert!(matches!(time("4q", Nanos(1)), Err(ValueError::UnknownUnit { unit, .. }) if unit == "q"));
        assert_eq!(extent("101%", OURS), Err(ValueError::out_of_range("101%", "between 0% and 100%")));
    }

    #[test]
    fn a_bare_time_counts_the_options_own_unit_in_an_expression_too() {
        assert_eq!(time("10", Nanos::from_secs(1)), Ok(Nanos::from_secs(10)));
        assert_eq!(time("8000000", Nanos::from_micros(1)), Ok(Nanos::from_secs(8)));
        assert_eq!(time("2m", Nanos(1)), Ok(Nanos::from_secs(120)));
        assert_eq!(time("1.5ms", Nanos(1)), Ok(Nanos::from_micros(1_500)));
        assert_eq!(time("250usec", Nanos(1)), Ok(Nanos::from_micros(250)));
        assert_eq!(time("(500*2)", Nanos::from_secs(1)), Ok(Nanos::from_secs(1_000)));
        assert_eq!(time("(10*60s + 5)", Nanos::from_micros(1)), Ok(Nanos::from_micros(600_000_005)));
        assert_eq!(time("(1m/30s)", Nanos::from_micros(1)), Ok(Nanos::from_micros(2)));
        assert!(time("(1s*1s)", Nanos(1)).is_err());
        assert!(time("1,5", Nanos(1)).unwrap_err().to_string().contains("decimals need a point"));
        assert!(time("ten", Nanos(1)).unwrap_err().to_string().contains("not a time"));
        assert!(time("-5", Nanos(1)).unwrap_err().to_string().contains("negative time"));
    }

    #[test]
    fn extents_are_bytes_or_percent() {
        assert_eq!(extent("20%", OURS), Ok(Extent::Percent(20)));
        assert_eq!(extent("1g", OURS), Ok(Extent::Bytes(Bytes::from_gib(1))));
        assert_eq!(extent("0%", OURS), Ok(Extent::Percent(0)));
        assert!(extent("101%", OURS).is_err());
        assert_eq!(extent("3z", OURS), Ok(Extent::Zones(3)));
        assert!(extent("z", OURS).is_err());
    }

    proptest! {
        #[test]
        fn nothing_makes_the_units_panic(text in ".{0,40}") {
            let _ = size(&text, OURS);
            let _ = extent(&text, SI);
            let _ = time(&text, Nanos::from_micros(1));
            let _ = signed(&text);
            let _ = float(&text);
            let _ = arithmetic(&text);
        }

        #[test]
        fn number_like_text_does_not_panic_either(text in "[-+(]?[0-9.ex(*/^%)kmgi]{0,30}") {
            let _ = size(&text, FIOS);
            let _ = time(&text, Nanos::from_micros(1));
            let _ = float(&text);
            let _ = arithmetic(&text);
        }

        #[test]
        fn a_size_written_short_reads_back(bytes in 0u64..(1 << 61)) {
            prop_assert_eq!(size(&Bytes(bytes).short(), OURS), Ok(Bytes(bytes)));
            prop_assert_eq!(size(&format!("0x{bytes:x}"), OURS), Ok(Bytes(bytes)));
        }

        #[test]
        fn a_time_in_nanoseconds_reads_back(ns in 0u64..(1 << 61)) {
            prop_assert_eq!(time(&format!("{ns}ns"), Nanos(7)), Ok(Nanos(ns)));
        }
    }
}
