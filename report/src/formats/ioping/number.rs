//! ioping's numbers: the largest unit that fits; no decimals for whole multiples, one decimal from ten units on, two
//! decimals below that. Callers truncate fractions to whole nanoseconds, bytes or operations. Sizes are binary, counts
//! decimal.

use model::Nanos;

const COUNTS: &[(&str, u64)] =
    &[("T", 1_000_000_000_000), ("G", 1_000_000_000), ("M", 1_000_000), ("k", 1000), ("", 1)];
const SIZES: &[(&str, u64)] =
    &[("PiB", 1 << 50), ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
const SECOND: u64 = 1_000_000_000;
const TIMES: &[(&str, u64)] =
    &[("hour", 3600 * SECOND), ("min", 60 * SECOND), ("s", SECOND), ("ms", 1_000_000), ("us", 1000), ("ns", 1)];

fn with_unit(value: u64, units: &[(&str, u64)]) -> String {
    let last = units[units.len() - 1];
    let (name, unit) = units.iter().copied().find(|(_, unit)| value >= *unit).unwrap_or(last);
    let decimals = match (value % unit, value / unit) {
        (0, _) => 0,
        (_, 10..) => 1,
        _ => 2,
    };
    let number = format!("{:.decimals$}", value as f64 / unit as f64);
    if name.is_empty() { number } else { format!("{number} {name}") }
}

/// Formats a count, such as `7.20 k`.
pub(super) fn count(value: u64) -> String {
    with_unit(value, COUNTS)
}

/// Formats a size, such as `28.1 MiB`.
pub(super) fn size(bytes: u64) -> String {
    with_unit(bytes, SIZES)
}

/// Formats a time, such as `138.8 us`.
pub(super) fn time(ns: u64) -> String {
    with_unit(ns, TIMES)
}

/// Formats a time, or a dash if it is unknown.
pub(super) fn time_or_dash(value: Option<Nanos>) -> String {
    value.map_or("-".to_owned(), |v| time(v.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ioping_writes_them() {
        // Expected texts are those of ioping 1.3.
        assert_eq!(time(0), "0 ns");
        assert_eq!(time(999), "999 ns");
        assert_eq!(time(1_250_000), "1.25 ms");
        assert_eq!(time(9_000_200_000), "9.00 s");
        assert_eq!(time(138_811), "138.8 us");
        assert_eq!(time(369_000), "369 us");
        assert_eq!(time(90 * SECOND), "1.50 min");
        assert_eq!(time(7200 * SECOND), "2 hour");
        assert_eq!(size(4096), "4 KiB");
        assert_eq!(size(0), "0 B");
        assert_eq!(size(29_507_724), "28.1 MiB");
        assert_eq!(size(4608), "4.50 KiB");
        assert_eq!(count(7204), "7.20 k");
        assert_eq!(count(1000), "1 k");
        assert_eq!(count(1), "1");
        assert_eq!(count(0), "0");
    }
}
