//! Windows performance counters from typeperf, logman and relog, in the formats `(PDH-CSV 4.0)` and `(PDH-TSV 4.0)`,
//! which uses tabs.
//!
//! Times are actual sample times, so intervals are as measured. Rates need two samples, so the first row is blank. Only
//! disk counters count as device figures, because process I/O differs from device I/O. Logical disks do not count if
//! the file also contains the physical disks on which they are stored.

use crate::format::Format;
use crate::text::dates::{DateOrder, date_time};
use crate::text::delimited::fields;
use crate::text::figure;
use crate::text::series::{Clock, point, series, usual_periods};
use crate::text::source::{ImportError, Nothing, Source, add_remark, pass_over, remark};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, ForeignSeries, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "perfmon", shares_a_log: false, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(is_header)
}

fn is_header(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches('"');
    line.starts_with("(PDH-CSV") || line.starts_with("(PDH-TSV")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "perfmon".to_owned(), ..ForeignFile::default() };
    rows(source.lines()?, &mut file, source)?;
    Ok(vec![file])
}

/// Adds the header and rows of counters to the series of a file.
pub(crate) fn rows<'a>(
    lines: impl Iterator<Item = (u32, &'a str)>,
    file: &mut ForeignFile,
    source: &Source<'_>,
) -> Result<(), Nothing> {
    let (mut clock, mut list, mut blank) = (Clock::default(), Vec::<ForeignSeries>::new(), 0u32);
    let mut delimiter = ',';
    // Index of the series for each column of the last header.
    let mut columns: Vec<usize> = Vec::new();
    for (number, line) in lines {
        source.in_time_at(number)?;
        if is_header(line) {
            delimiter = if line.contains("(PDH-TSV") { '\t' } else { ',' };
            let head = fields(line, delimiter);
            columns = head.iter().skip(1).map(|name| place(&mut list, name)).collect();
            if let Some(zone) =
                head[0].split_once(") (").map(|(_, z)| z.trim_end_matches(')')).filter(|z| !z.is_empty())
            {
                add_remark(&mut file.remarks, number, || sentence!("import-zone", zone = zone.replace(")(", ", ")));
                // Windows prints the time zone in minutes west of UTC.
                let west = zone.rsplit_once(")(").and_then(|(_, minutes)| minutes.trim().parse::<i32>().ok());
                file.zone = west.filter(|m| m.abs() <= 15 * 60).map(|m| -m * 60);
            }
            continue;
        }
        let row = fields(line, delimiter);
        let time = row[0].split_once(' ').and_then(|(date, time)| date_time(date, time, DateOrder::MonthDayYear));
        let Some(time) = time.filter(|_| !columns.is_empty()) else {
            if !line.trim().is_empty() {
                pass_over(&mut file.remarks, number, line);
            }
            continue;
        };
        let at = clock.at(time, number, &mut file.remarks);
        if file.when.is_empty() {
            file.when.clone_from(&row[0]);
        }
        for (value, column) in row[1..].iter().zip(&columns) {
            match figure::whole(value) {
                Some(value) => point(&mut list[*column], at, value.value, number),
                None => blank += 1,
            }
        }
    }
    if blank > 0 {
        file.remarks.push(remark(0, sentence!("import-blank-values", n = blank)));
    }
    if list.iter().all(|s| s.points.is_empty()) {
        return Err(Nothing(sentence!("import-counters-empty")));
    }
    file.began = clock.began();
    without_logical(&mut list);
    file.series.extend(list);
    usual_periods(file);
    Ok(())
}

fn place(list: &mut Vec<ForeignSeries>, name: &str) -> usize {
    if let Some(known) = list.iter().position(|s| s.name == name) {
        return known;
    }
    let (_, instance, counter) = parts(name);
    let (unit, quantity) = meaning(counter);
    list.push(ForeignSeries { instance: instance.map(str::to_owned), ..series(name, unit, quantity) });
    list.len() - 1
}

/// Splits a path such as `\\MYPC\PhysicalDisk(4 H:)\Disk Write Bytes/sec` into object, instance and counter. An
/// instance may contain parentheses and backslashes, as in `Cluster CSV File System(C:\ClusterStorage\Volume1)` and
/// `Network Interface(Intel(R) 82574L)`.
fn parts(name: &str) -> (&str, Option<&str>, &str) {
    let path = match name.strip_prefix("\\\\").and_then(|rest| rest.split_once('\\')) {
        Some((_host, path)) => path,
        None => name.trim_start_matches('\\'),
    };
    if let (Some(open), Some(close)) = (path.find('('), path.rfind(")\\"))
        && open < close
    {
        return (&path[..open], Some(&path[open + 1..close]), &path[close + 2..]);
    }
    match path.rsplit_once('\\') {
        Some((object, counter)) => (object, None, counter),
        None => ("", None, path),
    }
}

/// Drops the quantities of logical disks if there are also physical disks, because the same data passes through both.
fn without_logical(list: &mut [ForeignSeries]) {
    let is_of = |s: &ForeignSeries, object: &str| parts(&s.name).0 == object;
    if list.iter().any(|s| s.of.is_some() && is_of(s, "PhysicalDisk")) {
        list.iter_mut().filter(|s| is_of(s, "LogicalDisk")).for_each(|s| s.of = None);
    }
}

/// Returns the unit of a counter, and its quantity if it is a disk counter.
fn meaning(counter: &str) -> (&'static str, Option<(Way, Quantity)>) {
    let (iops, bandwidth) = (Quantity::Iops(Statistic::Mean), Quantity::Bandwidth(Statistic::Mean));
    let await_ = Quantity::Latency(ForeignLatency::Device, Statistic::Mean);
    match counter {
        "Disk Reads/sec" => ("1/s", Some((Way::Read, iops))),
        "Disk Writes/sec" => ("1/s", Some((Way::Write, iops))),
        "Disk Transfers/sec" => ("1/s", Some((Way::All, iops))),
        "Disk Read Bytes/sec" => ("B/s", Some((Way::Read, bandwidth))),
        "Disk Write Bytes/sec" => ("B/s", Some((Way::Write, bandwidth))),
        "Disk Bytes/sec" => ("B/s", Some((Way::All, bandwidth))),
        "Avg. Disk sec/Read" => ("s", Some((Way::Read, await_))),
        "Avg. Disk sec/Write" => ("s", Some((Way::Write, await_))),
        "Avg. Disk sec/Transfer" => ("s", Some((Way::All, await_))),
        "Current Disk Queue Length" | "Avg. Disk Queue Length" => ("1", Some((Way::All, Quantity::InFlight))),
        "Avg. Disk Read Queue Length" => ("1", Some((Way::Read, Quantity::InFlight))),
        "Avg. Disk Write Queue Length" => ("1", Some((Way::Write, Quantity::InFlight))),
        "Avg. Disk Bytes/Transfer" | "Avg. Disk Bytes/Read" | "Avg. Disk Bytes/Write" => ("B", None),
        name if name.starts_with('%') => ("%", None),
        name if name.ends_with("Bytes/sec") => ("B/s", None),
        name if name.ends_with("/sec") => ("1/s", None),
        _ => ("", None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\r\n\"(PDH-CSV 4.0) (Tokyo Standard Time)(-540)\",\"\\\\MYPC\\PhysicalDisk(4 H:)\\Disk Write Bytes/sec\",\"\\\\MYPC\\Memory\\Pages/sec\"\r\n\
        \"04/15/2022 10:41:37.144\",\" \",\" \"\r\n\
        \"04/15/2022 10:41:38.185\",\"216069186.04617643356\",\"1\"\r\n\
        \"04/15/2022 10:41:40.257\",\"0\",\"2.5\"\r\n\
        The command completed successfully.\r\n";

    #[test]
    fn counters_have_the_times_of_their_samples() {
        let file = crate::read::read("x", TEXT.as_bytes()).unwrap().remove(0);
        let writes = &file.series[0];
        assert_eq!(writes.instance.as_deref(), Some("4 H:"));
        assert_eq!(writes.of, Some((Way::Write, Quantity::Bandwidth(Statistic::Mean))));
        let steps: Vec<f64> = writes.points.iter().map(|p| (p.at * 1000.0).round()).collect();
        assert_eq!(steps, [1185.0, 3257.0]);
        assert_eq!(writes.points[0].line, 4);
        assert_eq!((file.series[1].instance.as_deref(), file.series[1].unit.as_str()), (None, "1/s"));
        let remarks: Vec<&str> = file.remarks.iter().map(|r| r.text.as_str()).collect();
        assert_eq!(
            remarks,
            [
                "its times are in time zone Tokyo Standard Time, -540",
                "skipped: The command completed successfully.",
                "2 blank values: rates have no value in the first row"
            ]
        );
    }

    #[test]
    fn instances_have_signs_of_their_own_and_only_disks_are_devices() {
        for (name, wanted) in [
            ("\\\\H\\PhysicalDisk(4 H:)\\Disk Reads/sec", ("PhysicalDisk", Some("4 H:"), "Disk Reads/sec")),
            ("\\PhysicalDisk(0 C: D:)\\Disk Reads/sec", ("PhysicalDisk", Some("0 C: D:"), "Disk Reads/sec")),
            (
                "\\\\H\\Cluster CSV File System(C:\\ClusterStorage\\Volume1)\\Reads/sec",
                ("Cluster CSV File System", Some("C:\\ClusterStorage\\Volume1"), "Reads/sec"),
            ),
            (
                "\\\\H\\Network Interface(Intel(R) 82574L)\\Bytes Total/sec",
                ("Network Interface", Some("Intel(R) 82574L"), "Bytes Total/sec"),
            ),
            ("\\\\H\\Process(irisdb#12)\\IO Read Bytes/sec", ("Process", Some("irisdb#12"), "IO Read Bytes/sec")),
            ("\\\\H\\Memory\\Pages/sec", ("Memory", None, "Pages/sec")),
        ] {
            assert_eq!(parts(name), wanted, "{name}");
        }
        let read = |objects: [&str; 2]| {
            let head = objects.map(|o| format!("\"\\\\H\\{o}\\Disk Write Bytes/sec\"")).join(",");
            let text = format!("\"(PDH-CSV 4.0)\",{head}\n\"04/15/2022 10:41:38.185\",\"1\",\"2\"\n");
            crate::read::read("x", text.as_bytes())
                .unwrap()
                .remove(0)
                .series
                .iter()
                .map(|s| s.of.is_some())
                .collect::<Vec<_>>()
        };
        assert_eq!(read(["PhysicalDisk(0 C:)", "LogicalDisk(C:)"]), [true, false]);
        assert_eq!(read(["LogicalDisk(C:)", "LogicalDisk(D:)"]), [true, true]);
    }

    #[test]
    fn what_powershell_wrote_as_utf_16_is_the_same() {
        let mut wide = vec![0xff, 0xfe];
        wide.extend(TEXT.encode_utf16().flat_map(u16::to_le_bytes));
        let (a, b) = (crate::read::read("x", TEXT.as_bytes()).unwrap(), crate::read::read("x", &wide).unwrap());
        assert_eq!(a, b);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), put in "[0-9\",/: \\n.-]{0,12}") {
            let mut text = TEXT.to_owned();
            text.insert_str(at, &put);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
