//! Printed output of procps `vmstat`: with or without `-t`, `-a`, `-w`, or with leading dates as in ^SystemPerformance.
//!
//! `bi` and `bo` are the data of all block devices in KiB/s, regardless of `-S`. Memory is in KiB unless `-S` set
//! another unit, which the output does not show. Unless vmstat ran with `-y`, the first row covers the time since boot.
//! The first row is stored separately (`ForeignFile::disks`).

use crate::format::Format;
use crate::text::dates::{DateOrder, date_order, date_time};
use crate::text::figure::{self, Cut};
use crate::text::series::{Clock, point, series, usual_periods};
use crate::text::source::{ImportError, Nothing, Source, pass_over, remark};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignSeries, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "vmstat", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        is_header(&words) && ["swpd", "free"].iter().all(|w| words.contains(w))
    })
}

/// Returns `true` for the header `r b swpd free ... us sy id wa st`. It may follow a heading for the date, or precede a
/// time zone (`-t`).
fn is_header(words: &[&str]) -> bool {
    ["r", "b", "us", "sy", "id"].iter().all(|w| words.contains(w))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "vmstat".to_owned(), ..ForeignFile::default() };
    let lines: Vec<(u32, &str)> = source.lines()?.collect();
    rows(&lines, &mut file, source)?;
    Ok(vec![file])
}

/// Splits a row into date and time, and values. Date and time may be before or after the values.
fn parted<'a>(words: &'a [&'a str], columns: usize) -> (Option<(&'a str, &'a str)>, &'a [&'a str]) {
    let is_time = |date: &str, time: &str| date_time(date, time, DateOrder::MonthDayYear).is_some();
    match words {
        [date, time, values @ ..] if values.len() == columns && is_time(date, time) => (Some((*date, *time)), values),
        [values @ .., date, time] if values.len() == columns && is_time(date, time) => (Some((*date, *time)), values),
        _ => (None, words),
    }
}

/// Adds the rows below a header to the series of a file.
pub(crate) fn rows(lines: &[(u32, &str)], file: &mut ForeignFile, source: &Source<'_>) -> Result<(), Nothing> {
    let dates = lines.iter().flat_map(|(_, l)| l.split_ascii_whitespace().filter(|w| w.len() >= 6));
    let (order, _) = date_order(dates);
    let mut clock = Clock::default();
    let mut names: Vec<&str> = Vec::new();
    let mut list: Vec<ForeignSeries> = Vec::new();
    let (mut count, mut timed, mut is_first) = (0u32, false, true);
    for (number, line) in lines {
        source.in_time_at(*number)?;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if is_header(&words) {
            let from = words.iter().position(|w| *w == "r").unwrap_or(0);
            // The time zone follows the columns.
            let to = words.iter().rposition(|w| ["us", "sy", "id", "wa", "st", "gu"].contains(w)).unwrap_or(from);
            names = words[from..=to].to_vec();
            // In secchi's own output, every row covers an interval, and date and time have headings.
            is_first &= words[0] != "Date";
            continue;
        }
        let (time, values) = parted(&words, names.len());
        let figures: Vec<_> = values.iter().filter_map(|w| figure::whole(w)).collect();
        if names.is_empty() || figures.len() != names.len() || figures.len() != values.len() {
            if !line.trim_start().starts_with("procs") {
                pass_over(&mut file.remarks, *number, line);
            }
            continue;
        }
        count += 1;
        let at = match time.and_then(|(date, time)| date_time(date, time, order)) {
            Some(time) => {
                timed = true;
                clock.at(time, *number, &mut file.remarks)
            }
            None => f64::from(count),
        };
        if std::mem::take(&mut is_first) {
            file.disks.push(since_boot(*number, names.iter().copied().zip(values.iter().copied())));
            continue;
        }
        if list.is_empty() {
            list = names.iter().map(|n| series(n, unit(n), None)).collect();
        }
        for (series, figure) in list.iter_mut().zip(figures) {
            point(series, at, figure.value, *number);
        }
    }
    if count == 0 {
        return Err(Nothing(sentence!("import-vmstat-empty")));
    }
    file.began = clock.began();
    file.series.extend(list);
    match (file.disks.is_empty(), count) {
        (true, _) => {}
        (false, 1) => file.remarks.push(remark(0, sentence!("import-vmstat-one"))),
        (false, _) => file.remarks.push(remark(file.disks[0].line, sentence!("import-vmstat-first"))),
    }
    if timed {
        usual_periods(file);
    } else if count > 1 {
        file.remarks.push(remark(0, sentence!("import-vmstat-untimed")));
    }
    Ok(())
}

/// Converts the row that covers the time since boot.
fn since_boot<'a>(line: u32, cells: impl Iterator<Item = (&'a str, &'a str)>) -> ForeignTest {
    let mut test = ForeignTest { name: "all block devices".to_owned(), line, ..ForeignTest::default() };
    for (column, text) in cells {
        let way = match column {
            "bi" => Way::Read,
            "bo" => Way::Write,
            _ => {
                test.asked.others.push((column.to_owned(), text.to_owned()));
                continue;
            }
        };
        let value = figure::whole(text).map(|f| {
            let quantity = Quantity::Bandwidth(Statistic::Mean);
            f.times(1024.0).to_value(way, quantity, Cut::Nearest, line, format!("{column} {text}"))
        });
        test.values.extend(value);
    }
    test
}

fn unit(name: &str) -> &'static str {
    match name {
        "us" | "sy" | "id" | "wa" | "st" | "gu" => "%",
        "bi" | "bo" | "si" | "so" => "KiB/s",
        "swpd" | "free" | "buff" | "cache" | "inact" | "active" => "KiB",
        "in" | "cs" => "1/s",
        _ => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::dates;
    use proptest::prelude::*;

    const TIMED: &str = include_str!("../../tests/data/public/vmstat-at.txt");
    const ONE: &str = include_str!("../../tests/data/public/vmstat-one.txt");
    const UNTIMED: &str = include_str!("../../tests/data/vmstat.txt");

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn the_first_row_is_of_the_time_since_boot_and_the_others_are_intervals() {
        let file = read_file(TIMED);
        assert_eq!((file.format.as_str(), file.began), ("vmstat", dates::iso("2021-09-16 20:33:13")));
        let switches = file.series("cs").unwrap();
        let points: Vec<(f64, f64, u32)> = switches.points.iter().map(|p| (p.at, p.value, p.line)).collect();
        assert_eq!(points, [(5.0, 84.0, 4), (10.0, 84.0, 5), (15.0, 87.0, 6)]);
        assert_eq!((switches.unit.as_str(), switches.period), ("1/s", Some(5.0)));
        assert_eq!(file.series("active").unwrap().unit, "KiB");
        let boot = file.disks[0].get(Way::Write, Quantity::Bandwidth(Statistic::Mean)).unwrap();
        assert_eq!((boot.value, boot.words.as_str(), boot.line), (Some(3072.0), "bo 3", 3));
        assert!(file.remarks.iter().all(|r| !r.text.contains("skipped")), "{:?}", file.remarks);
        assert!(file.remarks.iter().any(|r| r.text.contains("since the machine started")), "{:?}", file.remarks);
    }

    #[test]
    fn a_single_row_is_no_interval() {
        let file = read_file(ONE);
        assert_eq!((file.series.len(), file.disks.len()), (0, 1));
        assert!(file.remarks[0].text.contains("only row"), "{:?}", file.remarks);
        assert!(file.disks[0].asked.others.contains(&("id".to_owned(), "99".to_owned())));
    }

    #[test]
    fn rows_without_times_are_numbered() {
        let file = read_file(UNTIMED);
        let read = file.series("bi").unwrap();
        assert_eq!((read.points[0].at, read.points[0].value, read.unit.as_str()), (2.0, 29_060.0, "KiB/s"));
        assert!(file.remarks.iter().any(|r| r.text.contains("without times")), "{:?}", file.remarks);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TIMED.len(), gone in 0usize..30, put in "[0-9A-Za-z/:., \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TIMED[..at], &TIMED[(at + gone).min(TIMED.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
