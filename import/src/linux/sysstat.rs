//! Functions shared by the readers for sysstat's iostat, sar and pidstat. They parse printed values and column names,
//! and store device figures.
//!
//! 1 sector is 512 bytes, and 1 kB is 1024 bytes. With `--human` (`-h` in iostat), a value in bytes is followed by a
//! unit. These units are also powers of 1024 (`common.c`, `cprintf_unit`).

use crate::text::dates::{self, date_order};
use crate::text::figure::{Cut, Figure, whole};
use crate::text::series::{Instances, named_test, point};
use crate::text::source::remark;
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, Quantity, Statistic, Way};

/// Units printed with `--human`, and their size in bytes: sectors, bytes, and multiples of bytes.
const UNITS: [(char, f64); 7] = [
    ('s', 512.0),
    ('B', 1.0),
    ('k', 1024.0),
    ('M', 1_048_576.0),
    ('G', 1_073_741_824.0),
    ('T', 1_099_511_627_776.0),
    ('P', 1_125_899_906_842_624.0),
];

/// Parses a printed value such as `12.58`, `222.1k` or `5.4%`. Also returns the size of its unit in bytes, if it has a
/// unit. In some languages, the decimal separator is a comma.
pub(crate) fn printed(text: &str) -> Option<(Figure, Option<f64>)> {
    let (digits, bytes) = match text.chars().last()? {
        '%' => (&text[..text.len() - 1], None),
        last => match UNITS.iter().find(|(unit, _)| *unit == last) {
            Some((_, bytes)) => (&text[..text.len() - 1], Some(*bytes)),
            None => (text, None),
        },
    };
    let figure = match digits.split_once(',') {
        Some((a, b)) if !b.contains([',', '.']) && b.len() < 3 => whole(&format!("{a}.{b}")),
        _ => whole(digits),
    };
    Some((figure?, bytes))
}

/// Text of a value, its number, and the size of its unit in bytes, if it has a unit.
pub(crate) type Cell<'a> = (&'a str, (Figure, Option<f64>));

/// Parses the values of a row, which must have one number for each column.
pub(crate) fn cells<'a>(values: &[&'a str], columns: &[&str]) -> Option<Vec<Cell<'a>>> {
    let cell = |value: &&'a str| Some((*value, printed(value)?));
    if values.len() == columns.len() { values.iter().map(cell).collect() } else { None }
}

/// Returns the quantity of a device column, the size of its unit in base units, and the name of the base unit.
pub(crate) fn meaning(column: &str) -> (Option<(Way, Quantity)>, f64, &'static str) {
    let rate = Quantity::Iops(Statistic::Mean);
    let bandwidth = Quantity::Bandwidth(Statistic::Mean);
    let waiting = Quantity::Latency(ForeignLatency::Device, Statistic::Mean);
    let kib = 1024.0;
    let mib = 1_048_576.0;
    match column {
        "r/s" => (Some((Way::Read, rate)), 1.0, "1/s"),
        "w/s" => (Some((Way::Write, rate)), 1.0, "1/s"),
        "d/s" => (Some((Way::Trim, rate)), 1.0, "1/s"),
        "f/s" => (Some((Way::Sync, rate)), 1.0, "1/s"),
        "tps" => (Some((Way::All, rate)), 1.0, "1/s"),
        "rkB/s" | "kB_read/s" => (Some((Way::Read, bandwidth)), kib, "B/s"),
        "wkB/s" | "kB_wrtn/s" => (Some((Way::Write, bandwidth)), kib, "B/s"),
        "dkB/s" | "kB_dscd/s" => (Some((Way::Trim, bandwidth)), kib, "B/s"),
        "kB/s" => (Some((Way::All, bandwidth)), kib, "B/s"),
        "rMB/s" | "MB_read/s" => (Some((Way::Read, bandwidth)), mib, "B/s"),
        "wMB/s" | "MB_wrtn/s" => (Some((Way::Write, bandwidth)), mib, "B/s"),
        "dMB/s" | "MB_dscd/s" => (Some((Way::Trim, bandwidth)), mib, "B/s"),
        "MB/s" => (Some((Way::All, bandwidth)), mib, "B/s"),
        "rsec/s" | "rd_sec/s" | "Blk_read/s" => (Some((Way::Read, bandwidth)), 512.0, "B/s"),
        "wsec/s" | "wr_sec/s" | "Blk_wrtn/s" => (Some((Way::Write, bandwidth)), 512.0, "B/s"),
        "r_await" => (Some((Way::Read, waiting)), 1e-3, "s"),
        "w_await" => (Some((Way::Write, waiting)), 1e-3, "s"),
        "d_await" => (Some((Way::Trim, waiting)), 1e-3, "s"),
        "f_await" => (Some((Way::Sync, waiting)), 1e-3, "s"),
        "await" => (Some((Way::All, waiting)), 1e-3, "s"),
        "aqu-sz" | "avgqu-sz" => (Some((Way::All, Quantity::InFlight)), 1.0, "1"),
        "%util" | "util" => (Some((Way::All, Quantity::Utilisation)), 0.01, "1"),
        "rareq-sz" | "wareq-sz" | "dareq-sz" | "areq-sz" => (None, kib, "B"),
        "avgrq-sz" => (None, 512.0, "B"),
        "svctm" => (None, 1e-3, "s"),
        name if name.ends_with("rqm/s") => (None, 1.0, "1/s"),
        name if name.starts_with('%') || name.ends_with("rqm") => (None, 1.0, "%"),
        _ => (None, 1.0, ""),
    }
}

/// Converts a value to a column's base unit. A unit that is printed with the value takes precedence over the unit of
/// the column.
pub(crate) fn in_base(printed: (Figure, Option<f64>), scale: f64, unit: &str) -> Figure {
    match printed {
        (figure, Some(bytes)) if matches!(unit, "B/s" | "B") => figure.times(bytes),
        (figure, _) => figure.times(scale),
    }
}

/// Converter from device figures to series.
#[derive(Default)]
pub(crate) struct Devices(Instances);

impl Devices {
    /// Adds a figure that covers one interval to the series of a device.
    pub fn sample(&mut self, file: &mut ForeignFile, device: &str, (column, cell): (&str, Cell), at: f64, line: u32) {
        let (quantity, scale, unit) = meaning(column);
        let series = self.0.series(&mut file.series, (device, column), unit, quantity);
        point(series, at, in_base(cell.1, scale, unit).value, line);
    }
}

/// Adds a figure that covers more than one interval (the time since boot, or all reports) to `ForeignFile::disks`.
pub(crate) fn apart(file: &mut ForeignFile, device: &str, (column, (text, value)): (&str, Cell), line: u32) {
    let disk = named_test(&mut file.disks, device, line);
    let (quantity, scale, unit) = meaning(column);
    match quantity {
        Some((way, quantity)) => {
            let figure = in_base(value, scale, unit);
            let foreign_value = figure.to_value(way, quantity, Cut::Nearest, line, format!("{column} {text}"));
            disk.values.push(foreign_value);
        }
        None => disk.asked.others.push((column.to_owned(), text.to_owned())),
    }
}

/// Returns the date in sysstat's first line. Only the text after the host name is searched, because a kernel version
/// may look like a date.
pub(crate) fn date_of(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("Linux ")?.split_once(')')?;
    rest.split_ascii_whitespace().find(|w| dates::date_parts(w).is_some())
}

/// Parses the date in sysstat's first line into seconds since 1970, and stores it in the file:
/// `Linux 6.1.0 (host)  10/31/25  _x86_64_  (2 CPU)`. Returns `None` for other lines.
pub(crate) fn banner(line: &str, number: u32, file: &mut ForeignFile) -> Option<f64> {
    let date = date_of(line)?;
    date.clone_into(&mut file.when);
    let (order, sure) = date_order(std::iter::once(date));
    if !sure {
        file.remarks.push(remark(number, sentence!("import-month-or-day")));
    }
    let (numbers, _) = dates::date_parts(date)?;
    Some(dates::ordered(numbers, order)? as f64 * 86_400.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_units_in_multiples_of_1024() {
        let value = |text: &str, unit| in_base(printed(text).unwrap(), 1024.0, unit).value;
        assert_eq!(value("222.1", "B/s"), 222.1 * 1024.0);
        assert_eq!(value("222.1k", "B/s"), 222.1 * 1024.0);
        assert_eq!(value("1.5G", "B"), 1.5 * 1_073_741_824.0);
        assert_eq!(value("0.0B", "B/s"), 0.0);
        assert_eq!(value("8.0s", "B/s"), 4096.0);
        assert_eq!(printed("5.4%").map(|(f, b)| (f.value, b)), Some((5.4, None)));
        assert_eq!(printed("12,58").map(|(f, _)| f.value), Some(12.58));
        assert_eq!(printed("sda"), None);
        assert_eq!(printed(""), None);
        assert_eq!(printed("%"), None);
    }

    #[test]
    fn the_date_of_the_first_line_is_not_the_kernels_version() {
        assert_eq!(date_of("Linux 5.10.0 (h) \t11/21/26 \t_x86_64_\t(2 CPU)"), Some("11/21/26"));
        assert_eq!(date_of("Linux 5.10.0 (h)"), None);
    }

    #[test]
    fn rounding_of_a_unit_is_that_of_its_digits() {
        let (figure, bytes) = printed("222.1k").unwrap();
        let (low, high) = figure.times(bytes.unwrap()).between(Cut::Nearest);
        assert!((low - 222.05 * 1024.0).abs() < 1e-6 && (high - 222.15 * 1024.0).abs() < 1e-6);
    }
}
