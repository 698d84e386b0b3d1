//! iostat of sysstat 10 to 12 on Linux: reports as printed (`-x` or not, with `-t` or not) and as JSON (`-o JSON`).
//!
//! The first report is of the time since the machine started, unless iostat ran with `-y`, which the output does not tell: it stands
//! apart, among the disks. Kilobytes of iostat's are 1024 bytes.

use crate::civil;
use crate::figure::{Cut, Figure, whole};
use crate::json::{self, Value};
use crate::source::{Nothing, pass_over, remark};
use crate::table::{Clock, date_order, date_time, point, series, usual_periods};
use crate::{Format, ImportError, Source};
use messages::sentence;
use model::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};
use std::collections::HashMap;

pub(crate) const TEXT: Format =
    Format { name: "iostat", about: "iostat of sysstat 10 to 12 on Linux, as printed", recognise, read };
pub(crate) const JSON: Format =
    Format { name: "iostat-json", about: "iostat -o JSON", recognise: is_json, read: read_json };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(is_header)
}

/// `Device: rrqm/s ... %util`, `Device tps kB_read/s ...`.
fn is_header(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.next().is_some_and(|w| matches!(w, "Device" | "Device:"))
        && words.any(|w| matches!(w, "%util" | "tps" | "r/s" | "aqu-sz"))
}

fn is_json(source: &Source<'_>) -> bool {
    let head = source.head();
    head.contains("\"sysstat\"") && head.contains("\"hosts\"") && source.text().contains("\"disk_device\"")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "iostat".to_owned(), ..ForeignFile::default() };
    rows(source.lines()?, &mut file, || source.in_time())?;
    Ok(vec![file])
}

/// Samples of devices under way to their series.
#[derive(Default)]
struct Reports {
    clock: Clock,
    /// Number of the report that is being read, from 1.
    count: u32,
    at: f64,
    /// Whether reports have times of their own.
    timed: bool,
    /// Seconds ahead of UTC, as the first time tells it.
    zone: Option<i32>,
    /// Place of a series by its name.
    places: HashMap<String, usize>,
}

impl Reports {
    /// A report begins, at a time if it tells one.
    fn begins(&mut self, time: Option<Time>, line: u32, file: &mut ForeignFile) {
        self.count += 1;
        match time {
            Some((time, zone)) => {
                if !self.timed {
                    self.zone = zone;
                }
                self.timed = true;
                // All by the clock of the first: that on the wall may be changed for the summer.
                let changed = zone.zip(self.zone).map_or(0.0, |(now, first)| f64::from(now - first));
                self.at = self.clock.at(time - changed, line, &mut file.remarks);
            }
            None if !self.timed => self.at = f64::from(self.count),
            None => {}
        }
    }

    fn sample(&mut self, file: &mut ForeignFile, device: &str, column: &str, figure: Figure, line: u32) {
        let (of, scale, unit) = meaning(column);
        let figure = figure.times(scale);
        if self.count <= 1 {
            let at = file.disks.iter().position(|d| d.name == device).unwrap_or_else(|| {
                file.disks.push(ForeignTest { name: device.to_owned(), line, ..ForeignTest::default() });
                file.disks.len() - 1
            });
            match of {
                Some((way, of)) => {
                    let words = format!("{column} of {device}");
                    file.disks[at].values.push(figure.told(way, of, Cut::Nearest, line, words));
                }
                None => file.disks[at].asked.others.push((column.to_owned(), figure.value.to_string())),
            }
            return;
        }
        let name = format!("{device} {column}");
        let place = *self.places.entry(name).or_insert_with_key(|name| {
            file.series.push(series(name, unit, of));
            let last = file.series.len() - 1;
            file.series[last].instance = Some(device.to_owned());
            last
        });
        point(&mut file.series[place], self.at, figure.value, line);
    }

    fn ends(self, file: &mut ForeignFile) {
        (file.began, file.zone) = (self.clock.began(), self.zone);
        if self.count > 0 {
            file.remarks.push(remark(0, sentence!("import-iostat-first")));
        }
        if self.timed {
            usual_periods(file);
        } else if self.count > 1 {
            file.remarks.push(remark(0, sentence!("import-iostat-untimed")));
        }
    }
}

/// Reads printed reports into a file.
pub(crate) fn rows<'a>(
    lines: impl Iterator<Item = (u32, &'a str)>,
    file: &mut ForeignFile,
    in_time: impl Fn() -> Result<(), ImportError>,
) -> Result<(), Nothing> {
    let lines: Vec<(u32, &str)> = lines.map(|(n, l)| (n, l.trim())).collect();
    let (order, _) = date_order(lines.iter().filter_map(|(_, l)| l.split(' ').next()));
    let mut reports = Reports::default();
    let mut header: Vec<&str> = Vec::new();
    let mut time = None;
    // Devices of the report so far: one that stands again is of the next.
    let mut seen: Vec<&str> = Vec::new();
    let mut is_cpu = false;
    for (number, line) in lines {
        if number % 1024 == 0 {
            in_time()?;
        }
        if is_header(line) {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            // A header also stands again within a report, for other columns (sysstat 12, -h).
            if header != words || !seen.is_empty() || reports.count == 0 || time.is_some() {
                reports.begins(time.take(), number, file);
                seen.clear();
            }
            header = words;
            is_cpu = false;
        } else if line.starts_with("Linux ") && line.contains('(') {
            file.when =
                line.split_ascii_whitespace().find(|w| civil::date_parts(w).is_some()).unwrap_or_default().to_owned();
        } else if line.starts_with("avg-cpu") {
            is_cpu = true;
        } else if let Some(told) = stamp(line, order) {
            time = Some(told);
        } else if is_cpu || line.is_empty() {
            is_cpu = false;
        } else if header.is_empty() {
            pass_over(&mut file.remarks, number, line);
        } else {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            // The name stands first, with -h last.
            let (device, values) = match words.first().map(|w| whole(w).is_none()) {
                Some(true) => (words[0], &words[1..]),
                _ => (words[words.len() - 1], &words[..words.len() - 1]),
            };
            if values.len() != header.len() - 1 || values.iter().any(|v| number_of(v).is_none()) {
                pass_over(&mut file.remarks, number, line);
                continue;
            }
            seen.push(device);
            for (value, column) in values.iter().zip(&header[1..]) {
                if let Some(figure) = number_of(value) {
                    reports.sample(file, device, column, figure, number);
                }
            }
        }
    }
    if reports.count == 0 || file.disks.is_empty() {
        return Err(Nothing(sentence!("import-iostat-empty")));
    }
    reports.ends(file);
    Ok(())
}

/// A value; some languages part decimals by a comma.
fn number_of(text: &str) -> Option<Figure> {
    match text.split_once(',') {
        Some((a, b)) if !b.contains([',', '.']) && b.len() < 3 => whole(&format!("{a}.{b}")),
        _ => whole(text),
    }
}

/// Seconds since 1970 on the clock on the wall, and how many it is ahead of UTC, if that is told.
type Time = (f64, Option<i32>);

/// The time of a report: `11/21/26 23:02:50`, `11/21/2026 11:02:50 PM`, `2026-11-21T23:02:59+0000` (S_TIME_FORMAT=ISO).
fn stamp(line: &str, order: civil::DateOrder) -> Option<Time> {
    if let Some((date, rest)) = line.split_once('T')
        && civil::date_parts(date).is_some()
    {
        let end = rest.find(['+', '-', 'Z']).unwrap_or(rest.len());
        let (time, zone) = rest.split_at(end);
        return Some((date_time(date, time, order)?, civil::zone_east(zone)));
    }
    let (date, time) = line.split_once(' ')?;
    civil::date_parts(date)?;
    Some((date_time(date, time, order)?, None))
}

/// What a column is of, its unit in base units and by name.
fn meaning(column: &str) -> (Option<(Way, Quantity)>, f64, &'static str) {
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
        "rMB/s" | "MB_read/s" => (Some((Way::Read, bandwidth)), mib, "B/s"),
        "wMB/s" | "MB_wrtn/s" => (Some((Way::Write, bandwidth)), mib, "B/s"),
        "dMB/s" | "MB_dscd/s" => (Some((Way::Trim, bandwidth)), mib, "B/s"),
        "rsec/s" | "Blk_read/s" => (Some((Way::Read, bandwidth)), 512.0, "B/s"),
        "wsec/s" | "Blk_wrtn/s" => (Some((Way::Write, bandwidth)), 512.0, "B/s"),
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

fn read_json(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let found = json::documents(source.text(), &|| source.in_time())?;
    let hosts = found.list.iter().filter_map(|d| d.get("sysstat")?.get("hosts")).flat_map(Value::elements);
    let mut files: Vec<ForeignFile> = hosts.map(host).filter(|f| !f.disks.is_empty()).collect();
    match (&found.broken, files.last_mut()) {
        (Some((line, why)), Some(last)) => last.remarks.push(remark(*line, sentence!("import-json-not-whole", why))),
        (Some((line, why)), None) => return Err(ImportError(format!("its JSON is not whole: {why} at line {line}"))),
        (None, None) => return Err(ImportError("it has no devices of iostat's".to_owned())),
        (None, Some(_)) => {}
    }
    Ok(files)
}

fn host(host: &Value<'_>) -> ForeignFile {
    let mut file = ForeignFile { tool: "iostat".to_owned(), ..ForeignFile::default() };
    file.when = host.text_of("date").unwrap_or_default().to_owned();
    let statistics = host.get("statistics").map(Value::elements).unwrap_or_default();
    let dates = statistics.iter().filter_map(|s| s.text_of("timestamp"));
    let (order, _) = date_order(dates.filter_map(|d| d.split(' ').next()));
    let mut reports = Reports::default();
    for statistic in statistics {
        let time = statistic.text_of("timestamp").and_then(|t| stamp(t, order));
        reports.begins(time, statistic.line, &mut file);
        for disk in statistic.get("disk").map(Value::elements).unwrap_or_default() {
            let device = disk.text_of("disk_device").unwrap_or("?");
            for (column, value) in disk.members() {
                if let Some(figure) = value.figure() {
                    reports.sample(&mut file, device, column, figure, value.line);
                }
            }
        }
    }
    reports.ends(&mut file);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRINTED: &str = include_str!("../tests/data/iostat.txt");
    const ISO: &str = include_str!("../tests/data/iostat-iso.txt");
    const UNTIMED: &str = include_str!("../tests/data/iostat-y.txt");
    const AS_JSON: &str = include_str!("../tests/data/iostat.json");
    const OLD: &str = "Linux 3.10.0-693.el7.x86_64 (h) \t12/22/2022 \t_x86_64_\t(12 CPU)\n\n12/22/2022 11:59:59 PM\navg-cpu:  %user %idle\n   0.01  99.96\n\n\
        Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\n\
        sda1              0.00     0.00    0.18    0.00     0.56     0.20     8.34     0.00    0.13    0.12    3.00   0.12   0.00\n\n\
        12/23/2022 12:00:00 AM\n\
        Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\n\
        sda1              0.00  8612.00    1.00 51749.60     4.00 241463.20     9.33     4.51    0.09    0.00    0.09   0.02  78.56\n";

    fn one(text: &str) -> ForeignFile {
        crate::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn reports_are_series_by_device_and_the_first_stands_apart() {
        let file = one(PRINTED);
        let writes = file.series("vda w/s").unwrap();
        let points: Vec<(f64, f64)> = writes.points.iter().map(|p| (p.at, p.value)).collect();
        assert_eq!(points, [(1.0, 5754.0), (2.0, 7368.0)]);
        assert!(PRINTED.lines().nth(writes.points[0].line as usize - 1).unwrap().contains("5754.00"));
        assert_eq!(file.series("vda wkB/s").unwrap().points[0].value, 368_736.0 * 1024.0);
        assert_eq!(file.series("vda %util").unwrap().points[0].value, 0.524);
        assert_eq!(file.began, civil::iso("2026-11-21 23:02:50"));
        let vda = file.disks.iter().find(|d| d.name == "vda").unwrap();
        assert_eq!(vda.value(Way::Read, Quantity::Iops(Statistic::Mean)), Some(3677.62));
        assert!(file.remarks.iter().any(|r| r.text.contains("since the machine started")), "{:?}", file.remarks);
    }

    #[test]
    fn every_form_of_time_is_read() {
        let iso = one(ISO);
        assert_eq!((iso.began, iso.zone, one(PRINTED).zone), (civil::iso("2026-11-21 23:02:59"), Some(0), None));
        let tokyo = one(&ISO.replace("+0000", "+0900"));
        assert_eq!((tokyo.began, tokyo.began_utc()), (iso.began, iso.began.map(|b| b - 9 * 3600)));
        let old = one(OLD);
        let queue = old.series("sda1 avgqu-sz").unwrap();
        assert_eq!((queue.points[0].at, queue.points[0].value), (1.0, 4.51));
        assert!(one(UNTIMED).remarks.iter().any(|r| r.text.contains("without times")));
    }

    #[test]
    fn a_clock_that_is_changed_for_the_summer_goes_on_as_it_began() {
        let zones = ISO.match_indices("+0000").count();
        assert!(zones > 1, "{ISO}");
        let changed = ISO.replacen("+0000", "+0100", 1);
        let (before, after) = (
            one(ISO),
            one(&changed.replace("23:02:59+0100", "00:02:59+0100").replacen("2026-11-21T00", "2026-11-22T00", 1)),
        );
        let at = |f: &ForeignFile| f.series("vda w/s").unwrap().points.iter().map(|p| p.at).collect::<Vec<_>>();
        assert_eq!((at(&before), before.began_utc()), (at(&after), after.began_utc()));
    }

    #[test]
    fn json_tells_the_same() {
        let file = one(AS_JSON);
        assert_eq!(file.format, "iostat-json");
        assert!(file.series("vda w/s").is_some_and(|s| !s.points.is_empty()));
        assert_eq!(file.series("vda util").unwrap().of, Some((Way::All, Quantity::Utilisation)));
        let text: Vec<&str> = AS_JSON.lines().collect();
        let first = file.series("vda w/s").unwrap().points[0];
        assert!(text[first.line as usize - 1].contains("\"vda\""));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(which in 0usize..3, at in 0usize..3000, gone in 0usize..30, put in "[0-9A-Za-z%/., \\n-]{0,12}") {
            let text = [PRINTED, OLD, AS_JSON][which];
            let at = at.min(text.len());
            let text = format!("{}{put}{}", &text[..at], &text[(at + gone).min(text.len())..]);
            let _ = crate::read("x", text.as_bytes());
        }
    }
}
