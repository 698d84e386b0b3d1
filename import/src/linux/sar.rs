//! Printed output of `sar -d` from sysstat 9 to 12 on Linux: one row per device and interval, and means at the end.
//!
//! Times are the ends of intervals. Only the first line has a date. The first row covers an interval, not the time
//! since boot as in iostat. `Average:` rows are stored separately (`ForeignFile::disks`). Other tables in the same
//! output (`sar -A`) are skipped.

use crate::format::Format;
use crate::linux::sysstat::{Devices, apart, banner, cells, printed};
use crate::text::dates::time_of_day;
use crate::text::series::{Clock, usual_periods};
use crate::text::source::{ImportError, Nothing, Source, add_remark, pass_over, remark};
use messages::sentence;
use model::foreign::ForeignFile;

pub(crate) const FORMAT: Format = Format { name: "sar", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.text().lines().any(|line| line.contains("DEV") && row(line).is_some_and(|(_, words)| is_header(&words)))
}

/// Returns `true` for the header `DEV tps rkB/s ...`, or for the same header with `DEV` at the end (`--pretty`).
fn is_header(words: &[&str]) -> bool {
    [words.first(), words.last()].contains(&Some(&"DEV")) && words.contains(&"tps")
}

/// End of a row's interval.
#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    /// Seconds since midnight.
    At(f64),
    /// All intervals: the row begins with `Average:`.
    Mean,
}

/// Splits a line into its time and the other words: `06:43:45 PM dev8-0 6274.00 ...`, `14时33分13秒 dev8-0 ...`,
/// `Average: sda ...`.
fn row(line: &str) -> Option<(When, Vec<&str>)> {
    let mut words: Vec<&str> = line.split_ascii_whitespace().collect();
    let first = *words.first()?;
    // In Chinese and Japanese, hours, minutes and seconds are followed by units.
    let clock = first.replace(['时', '時', '分'], ":").replace('秒', "");
    let (when, taken) = match (time_of_day(&clock), words.get(1)) {
        (Some(_), Some(half)) if ["AM", "PM"].contains(half) => (When::At(time_of_day(&format!("{clock} {half}"))?), 2),
        (Some(at), _) if clock.matches(':').count() == 2 => (When::At(at), 1),
        // This is `Average:`, `平均时间:` or `Среднее:`.
        _ if first.ends_with([':', '\u{ff1a}']) => (When::Mean, 1),
        _ => return None,
    };
    words.drain(..taken);
    Some((when, words))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "sar".to_owned(), ..ForeignFile::default() };
    rows(source.lines()?, &mut file, source)?;
    Ok(vec![file])
}

/// Adds device tables to a file.
pub(crate) fn rows<'a>(
    lines: impl Iterator<Item = (u32, &'a str)>,
    file: &mut ForeignFile,
    source: &Source<'_>,
) -> Result<(), Nothing> {
    let (mut clock, mut devices) = (Clock::default(), Devices::default());
    let mut day = None;
    // Columns of the current table, or `None` for a table without devices.
    let mut header: Option<Vec<&str>> = None;
    for (number, line) in lines {
        source.in_time_at(number)?;
        let line = line.trim();
        let Some((when, words)) = row(line) else {
            match banner(line, number, file) {
                Some(seconds) => day = Some(seconds),
                None if line.starts_with("Linux ") || line == "^C" => {}
                None => pass_over(&mut file.remarks, number, line),
            }
            continue;
        };
        if line.contains("LINUX RESTART") {
            add_remark(&mut file.remarks, number, || sentence!("import-sar-restart"));
        } else if is_header(&words) {
            header = Some(words);
        } else if words.iter().all(|w| printed(w).is_none()) {
            // This is the header of another table.
            header = None;
        } else if let Some(columns) = &header {
            let (device, values, columns) = match (words.as_slice(), columns.as_slice()) {
                ([values @ .., device], [columns @ .., "DEV"]) => (*device, values, columns),
                ([device, values @ ..], [_, columns @ ..]) => (*device, values, columns),
                _ => continue,
            };
            let Some(cells) = cells(values, columns) else {
                pass_over(&mut file.remarks, number, line);
                continue;
            };
            let at = match when {
                When::At(time) => Some(clock.at(day.unwrap_or(0.0) + time, number, &mut file.remarks)),
                When::Mean => None,
            };
            for cell in columns.iter().copied().zip(cells) {
                match at {
                    Some(at) => devices.sample(file, device, cell, at, number),
                    None => apart(file, device, cell, number),
                }
            }
        }
    }
    if file.series.is_empty() && file.disks.is_empty() {
        return Err(Nothing(sentence!("import-sar-empty")));
    }
    // Without a date, the day is unknown.
    file.began = clock.began().filter(|_| day.is_some());
    if !file.disks.is_empty() {
        file.remarks.push(remark(file.disks[0].line, sentence!("import-sar-average")));
    }
    usual_periods(file);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::dates;
    use model::foreign::{Quantity, Statistic, Way};
    use proptest::prelude::*;

    const NVME: &str = include_str!("../../tests/data/public/sar-d.txt");

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn every_row_is_of_an_interval_and_averages_stand_apart() {
        let file = read_file(NVME);
        assert_eq!((file.format.as_str(), file.when.as_str()), ("sar", "10/31/25"));
        assert_eq!(file.began, dates::iso("2025-10-31 21:15:29"));
        let written = file.series("nvme1n1 wkB/s").unwrap();
        let points: Vec<(f64, f64, u32)> = written.points.iter().map(|p| (p.at, p.value, p.line)).collect();
        assert_eq!(points, [(0.0, 262_688.0 * 1024.0, 5), (1.0, 254_640.0 * 1024.0, 9)]);
        assert_eq!(written.of, Some((Way::Write, Quantity::Bandwidth(Statistic::Mean))));
        assert!((file.series("nvme1n1 await").unwrap().points[0].value - 15.44e-3).abs() < 1e-12);
        assert_eq!(file.series("nvme1n1 %util").unwrap().points[0].value, 1.0);
        let mean = file.disks[1].get(Way::All, Quantity::Iops(Statistic::Mean)).unwrap();
        assert_eq!((mean.value, mean.words.as_str(), mean.line), (Some(1040.5), "tps 1040.50", 14));
        assert!(!file.remarks.iter().any(|r| r.text.contains("skipped")), "{:?}", file.remarks);
    }

    #[test]
    fn sectors_halves_of_the_day_and_midnight_are_read() {
        let head = "DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util";
        let row = |time: &str, read: &str| {
            format!("{time}    dev8-0    50.00 {read}    0.00      8.00      0.10      2.00      0.16      1.00\n")
        };
        let text = format!(
            "Linux 3.10.0 (h)  01/27/2020  _x86_64_  (32 CPU)\n\n11:59:50 PM       {head}\n{}{}",
            row("11:59:55 PM", "400.00"),
            row("12:00:00 AM", "800.00")
        );
        let file = read_file(&text);
        assert_eq!(file.began, dates::iso("2020-01-27 23:59:55"));
        let read = file.series("dev8-0 rd_sec/s").unwrap();
        let points: Vec<(f64, f64)> = read.points.iter().map(|p| (p.at, p.value)).collect();
        assert_eq!(points, [(0.0, 400.0 * 512.0), (5.0, 800.0 * 512.0)]);
        let chinese = read_file(&format!("14时33分12秒  {head}\n{}", row("14时33分13秒", "400.00")));
        assert_eq!((chinese.series("dev8-0 tps").unwrap().points.len(), chinese.began), (1, None));
    }

    #[test]
    fn other_tables_of_the_same_output_are_no_devices() {
        let text = format!(
            "{NVME}\n21:15:30        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
             21:15:31        all      2.15     12.50      2.36      0.12      0.00     82.88\n\
             21:15:31       LINUX RESTART      (2 CPU)\n"
        );
        let file = read_file(&text);
        assert!(file.series.iter().all(|s| s.instance.as_deref() != Some("all")));
        assert!(file.remarks.iter().any(|r| r.text.contains("restarted")), "{:?}", file.remarks);
        assert!(crate::read::read("x", b"21:15:30 CPU %user %idle\n21:15:31 all 1 2\n").is_err());
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..NVME.len(), gone in 0usize..30, put in "[0-9A-Za-z%/:., \\n-]{0,12}") {
            let text = format!("{}{put}{}", &NVME[..at], &NVME[(at + gone).min(NVME.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
