//! Output of iostat from sysstat 10 to 12 on Linux: printed reports (with or without `-x`, `-h`, `--human`,
//! `--pretty`, `--compact`, `-t`) and JSON (`-o JSON`).
//!
//! The first report covers the time since boot and is stored separately (`ForeignFile::disks`). With `-y`, iostat omits
//! this report, but the output does not show whether the option was used. With `-h` and `-x`, a report has several
//! tables for the same devices, each with different columns.

use crate::format::Format;
use crate::linux::sysstat::{Cell, Devices, apart, cells, date_of, printed};
use crate::text::dates::{self, date_order, date_time};
use crate::text::json::{self, Value};
use crate::text::series::{Clock, usual_periods};
use crate::text::source::{ImportError, Nothing, Source, add_remark, pass_over, remark};
use messages::sentence;
use model::foreign::ForeignFile;
use std::rc::Rc;

pub(crate) const TEXT: Format = Format { name: "iostat", shares_a_log: true, recognise, read };
pub(crate) const JSON: Format =
    Format { name: "iostat-json", shares_a_log: false, recognise: is_json, read: read_json };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| header(line).is_some())
}

/// Returns the words of headers such as `Device: rrqm/s ... %util`, `Device tps kB_read/s ...`, or with `-h`
/// `tps kB_read/s ... Device`.
fn header(line: &str) -> Option<Rc<[&str]>> {
    if !line.contains("Device") {
        return None;
    }
    let words: Rc<[&str]> = line.split_ascii_whitespace().collect();
    let is_header = [words.first(), words.last()].into_iter().flatten().any(|w| is_device(w))
        && words.iter().any(|w| matches!(*w, "%util" | "tps" | "r/s" | "w/s" | "d/s" | "f/s" | "aqu-sz"));
    is_header.then_some(words)
}

/// Returns `true` for `Linux 5.10.0 (host)  11/21/26  _x86_64_  (2 CPU)`.
fn is_banner(line: &str) -> bool {
    line.starts_with("Linux ") && line.contains('(')
}

fn is_device(word: &str) -> bool {
    matches!(word, "Device" | "Device:")
}

fn is_json(source: &Source<'_>) -> bool {
    let head = source.head();
    head.contains("\"sysstat\"") && head.contains("\"hosts\"") && source.text().contains("\"disk_device\"")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "iostat".to_owned(), ..ForeignFile::default() };
    rows(source.lines()?, None, &mut file, source)?;
    Ok(vec![file])
}

/// Start of a collection in seconds since 1970, and interval between its reports in seconds. Needed for reports
/// without times.
pub(crate) type Collected = (i64, f64);

/// Converter from reports to one set of series per device.
#[derive(Default)]
struct Reports {
    clock: Clock,
    /// Number of the current report, from 1.
    count: u32,
    at: f64,
    /// True if the reports have times.
    timed: bool,
    /// Time zone of the first report, in seconds ahead of UTC.
    zone: Option<i32>,
    /// Start and interval of the collection, for reports without times.
    collected: Option<Collected>,
    /// True if iostat's first line is missing. People often publish only an excerpt of the interval reports.
    is_excerpt: bool,
    devices: Devices,
}

impl Reports {
    /// Starts a new report. `time` is the report's time, if it has one.
    fn begins(&mut self, time: Option<Time>, line: u32, file: &mut ForeignFile) {
        self.count += 1;
        match time {
            Some((time, zone)) => {
                if !self.timed {
                    self.zone = zone;
                }
                self.timed = true;
                // All times use the first report's time zone, because local time may change to or from summer time.
                let changed = zone.zip(self.zone).map_or(0.0, |(now, first)| f64::from(now - first));
                self.at = self.clock.at(time - changed, line, &mut file.remarks);
            }
            // The first report is printed immediately, every other report at the end of its interval.
            None if !self.timed => {
                self.at = self.collected.map_or(f64::from(self.count), |(_, s)| f64::from(self.count - 1) * s);
            }
            None => {}
        }
    }

    fn sample(&mut self, file: &mut ForeignFile, device: &str, (column, cell): (&str, Cell), line: u32) {
        match self.count {
            0 | 1 if !self.is_excerpt => apart(file, device, (column, cell), line),
            _ => self.devices.sample(file, device, (column, cell), self.at, line),
        }
    }

    fn ends(self, file: &mut ForeignFile) {
        (file.began, file.zone) = (self.clock.began(), self.zone);
        match self.count {
            0 => {}
            _ if self.is_excerpt => file.remarks.push(remark(0, sentence!("import-iostat-excerpt"))),
            1 => file.remarks.push(remark(0, sentence!("import-iostat-one"))),
            _ => file.remarks.push(remark(0, sentence!("import-iostat-first"))),
        }
        match self.collected {
            _ if self.timed => usual_periods(file),
            _ if self.count <= 1 => {}
            Some((began, seconds)) => {
                file.began = Some(began);
                file.series.iter_mut().for_each(|s| s.period = Some(seconds));
                let seconds = seconds.to_string();
                file.remarks.push(remark(0, sentence!("import-reports-by-profile", seconds)));
            }
            None => file.remarks.push(remark(0, sentence!("import-iostat-untimed"))),
        }
    }
}

/// Adds printed reports to a file.
pub(crate) fn rows<'a>(
    lines: impl Iterator<Item = (u32, &'a str)>,
    collected: Option<Collected>,
    file: &mut ForeignFile,
    source: &Source<'_>,
) -> Result<(), Nothing> {
    let lines: Vec<(u32, &str)> = lines.map(|(n, l)| (n, l.trim())).collect();
    let (order, _) = date_order(lines.iter().filter_map(|(_, l)| l.split(' ').next()));
    let is_excerpt = collected.is_none() && !lines.iter().any(|(_, line)| is_banner(line));
    let mut reports = Reports { collected, is_excerpt, ..Reports::default() };
    // Tables of the current report, and the devices in the last of them. A repeated table starts the next report.
    let mut tables: Vec<Rc<[&str]>> = Vec::new();
    // Last header: most reports repeat it.
    let mut last: Option<(&str, Rc<[&str]>)> = None;
    let mut listed: Vec<&str> = Vec::new();
    // True after a time or a CPU table: the next table starts another report.
    let (mut time, mut is_next) = (None, true);
    let mut is_cpu = false;
    // Device name that was printed on a separate line (`-h` in sysstat before 11.7).
    let mut name: Option<&str> = None;
    for (number, line) in lines {
        source.in_time_at(number)?;
        let repeated = last.as_ref().filter(|(text, _)| *text == line).map(|(_, words)| Rc::clone(words));
        if let Some(words) = repeated.or_else(|| header(line)) {
            last = Some((line, Rc::clone(&words)));
            if is_next || time.is_some() || tables.contains(&words) {
                reports.begins(time.take(), number, file);
                tables.clear();
            }
            tables.push(words);
            listed.clear();
            (is_next, is_cpu, name) = (false, false, None);
        } else if is_banner(line) {
            date_of(line).unwrap_or_default().clone_into(&mut file.when);
        } else if line.starts_with("avg-cpu") {
            (is_cpu, is_next) = (true, true);
        } else if let Some(report_time) = stamp(line, order) {
            time = Some(report_time);
        } else if is_cpu || line.is_empty() {
            is_cpu = false;
        } else if let Some(header) = tables.last() {
            let mut words: Vec<&str> = line.split_ascii_whitespace().collect();
            if let [alone] = words.as_slice()
                && printed(alone).is_none()
            {
                name = Some(alone);
                continue;
            }
            if let Some(name) = name.take() {
                words.insert(0, name);
            }
            let is_last = header.last().is_some_and(|w| is_device(w));
            let (device, values, columns) = match (words.as_slice(), &header[..]) {
                ([values @ .., device], [columns @ .., _]) if is_last => (*device, values, columns),
                ([device, values @ ..], [_, columns @ ..]) => (*device, values, columns),
                _ => continue,
            };
            let Some(cells) = cells(values, columns) else {
                pass_over(&mut file.remarks, number, line);
                continue;
            };
            if listed.contains(&device) {
                add_remark(&mut file.remarks, number, || sentence!("import-iostat-twice", device));
                continue;
            }
            listed.push(device);
            for (cell, column) in cells.into_iter().zip(columns) {
                reports.sample(file, device, (column, cell), number);
            }
        } else {
            pass_over(&mut file.remarks, number, line);
        }
    }
    if reports.count == 0 || file.disks.is_empty() && file.series.is_empty() {
        return Err(Nothing(sentence!("import-iostat-empty")));
    }
    reports.ends(file);
    Ok(())
}

/// Time of a report: seconds since 1970 in local time, and seconds ahead of UTC if known.
type Time = (f64, Option<i32>);

/// Parses a report time, such as `11/21/26 23:02:50`, `11/21/2026 11:02:50 PM`, or `2026-11-21T23:02:59+0000`
/// (S_TIME_FORMAT=ISO).
fn stamp(line: &str, order: dates::DateOrder) -> Option<Time> {
    if let Some((date, rest)) = line.split_once('T')
        && dates::date_parts(date).is_some()
    {
        let end = rest.find(['+', '-', 'Z']).unwrap_or(rest.len());
        let (time, zone) = rest.split_at(end);
        return Some((date_time(date, time, order)?, dates::zone_east(zone)));
    }
    let (date, time) = line.split_once(' ')?;
    dates::date_parts(date)?;
    Some((date_time(date, time, order)?, None))
}

fn read_json(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let parsed = json::documents(source.text(), &|| source.in_time())?;
    let hosts = parsed.list.iter().filter_map(|d| d.get("sysstat")?.get("hosts")).flat_map(Value::elements);
    let mut files: Vec<ForeignFile> = hosts.map(host).filter(|f| !f.disks.is_empty()).collect();
    match (&parsed.broken, files.last_mut()) {
        (Some((line, reason)), Some(last)) => {
            last.remarks.push(remark(*line, sentence!("import-json-not-whole", why = reason)))
        }
        (Some((line, reason)), None) => {
            return Err(ImportError(format!("its JSON is malformed: {reason} at line {line}")));
        }
        (None, None) => return Err(ImportError("it contains no devices of iostat".to_owned())),
        (None, Some(_)) => {}
    }
    Ok(files)
}

fn host(host: &Value<'_>) -> ForeignFile {
    let mut file = ForeignFile { tool: "iostat".to_owned(), ..ForeignFile::default() };
    file.when = host.text_of("date").unwrap_or_default().to_owned();
    let statistics = host.elements_of("statistics");
    let dates = statistics.iter().filter_map(|s| s.text_of("timestamp"));
    let (order, _) = date_order(dates.filter_map(|d| d.split(' ').next()));
    let mut reports = Reports::default();
    for statistic in statistics {
        let time = statistic.text_of("timestamp").and_then(|t| stamp(t, order));
        reports.begins(time, statistic.line, &mut file);
        for disk in statistic.elements_of("disk") {
            let device = disk.text_of("disk_device").unwrap_or("?");
            for (column, value) in disk.members() {
                let written = value.figure().map(|_| value.written());
                if let Some((text, number)) = written.and_then(|text| Some((text, printed(text)?))) {
                    reports.sample(&mut file, device, (column, (text, number)), value.line);
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
    use model::foreign::{Quantity, Statistic, Way};
    use proptest::prelude::*;

    const PRINTED: &str = include_str!("../../tests/data/iostat.txt");
    const ISO: &str = include_str!("../../tests/data/iostat-iso.txt");
    const UNTIMED: &str = include_str!("../../tests/data/iostat-y.txt");
    const AS_JSON: &str = include_str!("../../tests/data/iostat.json");
    const HUMAN: &str = include_str!("../../tests/data/public/iostat-h.txt");
    const COMPACT: &str = include_str!("../../tests/data/public/iostat-compact.txt");
    const OLD: &str = "Linux 3.10.0-693.el7.x86_64 (h) \t12/22/2022 \t_x86_64_\t(12 CPU)\n\n12/22/2022 11:59:59 PM\navg-cpu:  %user %idle\n   0.01  99.96\n\n\
        Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\n\
        sda1              0.00     0.00    0.18    0.00     0.56     0.20     8.34     0.00    0.13    0.12    3.00   0.12   0.00\n\n\
        12/23/2022 12:00:00 AM\n\
        Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\n\
        sda1              0.00  8612.00    1.00 51749.60     4.00 241463.20     9.33     4.51    0.09    0.00    0.09   0.02  78.56\n";

    const BANNER: &str = "Linux 6.1.0 (h) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n";

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn reports_are_series_by_device_and_the_first_stands_apart() {
        let file = read_file(PRINTED);
        let writes = file.series("vda w/s").unwrap();
        let points: Vec<(f64, f64)> = writes.points.iter().map(|p| (p.at, p.value)).collect();
        assert_eq!(points, [(1.0, 5754.0), (2.0, 7368.0)]);
        assert!(PRINTED.lines().nth(writes.points[0].line as usize - 1).unwrap().contains("5754.00"));
        assert_eq!(file.series("vda wkB/s").unwrap().points[0].value, 368_736.0 * 1024.0);
        assert_eq!(file.series("vda %util").unwrap().points[0].value, 0.524);
        assert_eq!(file.began, dates::iso("2026-11-21 23:02:50"));
        let vda = file.disks.iter().find(|d| d.name == "vda").unwrap();
        assert_eq!(vda.value(Way::Read, Quantity::Iops(Statistic::Mean)), Some(3677.62));
        assert!(file.remarks.iter().any(|r| r.text.contains("since the machine started")), "{:?}", file.remarks);
    }

    #[test]
    fn every_form_of_time_is_read() {
        let iso = read_file(ISO);
        assert_eq!((iso.began, iso.zone, read_file(PRINTED).zone), (dates::iso("2026-11-21 23:02:59"), Some(0), None));
        let tokyo = read_file(&ISO.replace("+0000", "+0900"));
        assert_eq!((tokyo.began, tokyo.began_utc()), (iso.began, iso.began.map(|b| b - 9 * 3600)));
        let old = read_file(OLD);
        let queue = old.series("sda1 avgqu-sz").unwrap();
        assert_eq!((queue.points[0].at, queue.points[0].value), (1.0, 4.51));
        assert!(read_file(UNTIMED).remarks.iter().any(|r| r.text.contains("without times")));
    }

    #[test]
    fn a_clock_that_is_changed_for_the_summer_goes_on_as_it_began() {
        let zones = ISO.match_indices("+0000").count();
        assert!(zones > 1, "{ISO}");
        let changed = ISO.replacen("+0000", "+0100", 1);
        let (before, after) = (
            read_file(ISO),
            read_file(&changed.replace("23:02:59+0100", "00:02:59+0100").replacen("2026-11-21T00", "2026-11-22T00", 1)),
        );
        let at = |f: &ForeignFile| f.series("vda w/s").unwrap().points.iter().map(|p| p.at).collect::<Vec<_>>();
        assert_eq!((at(&before), before.began_utc()), (at(&after), after.began_utc()));
    }

    #[test]
    fn a_block_without_the_first_line_is_an_interval() {
        let block = "> Device            r/s     rMB/s w_await  aqu-sz  %util\n> nvme0n1         13.00      1.62 1289.00    5.17 146.70\n";
        for text in [block.to_owned(), block.replace("> ", "")] {
            let file = read_file(&text);
            let util = file.series("nvme0n1 %util").unwrap();
            assert_eq!(
                (util.points.len(), (util.points[0].value * 1000.0).round(), util.points[0].line),
                (1, 1467.0, 2)
            );
            assert!(file.disks.is_empty() && file.remarks.iter().any(|r| r.text.contains("excerpt")), "{file:?}");
        }
    }

    #[test]
    fn json_tells_the_same() {
        let file = read_file(AS_JSON);
        assert_eq!(file.format, "iostat-json");
        assert!(file.series("vda w/s").is_some_and(|s| !s.points.is_empty()));
        assert_eq!(file.series("vda util").unwrap().of, Some((Way::All, Quantity::Utilisation)));
        let text: Vec<&str> = AS_JSON.lines().collect();
        let first = file.series("vda w/s").unwrap().points[0];
        assert!(text[first.line as usize - 1].contains("\"vda\""));
    }

    #[test]
    fn a_single_report_with_units_is_of_the_time_since_boot() {
        let file = read_file(HUMAN);
        assert_eq!((file.format.as_str(), file.series.len(), file.disks.len()), ("iostat", 0, 7));
        let sda = &file.disks[0];
        assert_eq!((sda.name.as_str(), sda.line), ("sda", 4));
        let read = sda.get(Way::Read, Quantity::Bandwidth(Statistic::Mean)).unwrap();
        assert_eq!((read.value, read.words.as_str()), (Some(222.1 * 1024.0), "kB_read/s 222.1k"));
        assert_eq!(sda.value(Way::All, Quantity::Iops(Statistic::Mean)), Some(8.59));
        assert!(sda.asked.others.contains(&("kB_read".to_owned(), "1.5G".to_owned())), "{:?}", sda.asked.others);
        let remarks: Vec<&str> = file.remarks.iter().map(|r| r.text.as_str()).collect();
        assert!(
            remarks.iter().any(|t| t.contains("only report") && t.contains("since the machine started")),
            "{remarks:?}"
        );
    }

    #[test]
    fn the_device_may_stand_last_and_units_may_be_left_out() {
        let file = read_file(COMPACT);
        let sdr = file.disks.iter().find(|d| d.name == "sdr").unwrap();
        assert_eq!(sdr.value(Way::Write, Quantity::Bandwidth(Statistic::Mean)), Some(19.48 * 1024.0));
        let util = file.series("sdr %util").unwrap();
        assert_eq!((util.points.len(), util.points[0].value, util.points[0].line), (1, 0.0642, 17));
        assert_eq!(file.series("sdr w_await").unwrap().points[0].value, 0.04);
        assert!(!file.remarks.iter().any(|r| r.text.contains("skipped")), "{:?}", file.remarks);
    }

    /// Output made for this test, with `-h` and `-x`. Reads, writes and discards have one table each. Flushes share a
    /// table with the other columns.
    const TABLES: &str = "\
        \x20    r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device\n    6.90    222.1k     0.39   5.4%   12.58    32.2k sda\n\n\
        \x20    w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz Device\n    1.69     57.1k     1.36  44.6%    9.61    33.7k sda\n\n\
        \x20    d/s     dkB/s   drqm/s  %drqm d_await dareq-sz Device\n    0.00      0.0k     0.00   0.0%    0.00     0.0k sda\n\n\
        \x20    f/s f_await  aqu-sz  %util Device\n    0.00    0.00    0.10   0.5% sda\n\n";

    #[test]
    fn several_tables_of_one_report_are_no_intervals() {
        let file = read_file(&format!("{BANNER}{TABLES}"));
        assert_eq!((file.series.len(), file.disks.len()), (0, 1), "{:?}", file.series);
        let values = |way, quantity| file.disks[0].value(way, quantity);
        assert_eq!(values(Way::Read, Quantity::Iops(Statistic::Mean)), Some(6.9));
        assert_eq!(values(Way::Write, Quantity::Bandwidth(Statistic::Mean)), Some(57.1 * 1024.0));
        assert_eq!(values(Way::All, Quantity::Utilisation), Some(0.005));
        let two = read_file(&format!("{BANNER}{}", TABLES.repeat(2)));
        let util = two.series("sda %util").unwrap();
        assert_eq!((util.points.len(), util.points[0].at), (1, 2.0));
    }

    #[test]
    fn a_name_on_a_line_of_its_own_is_that_of_the_values_below() {
        let text = "Linux 6.1.0 (h)\nDevice:            tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\nmapper-with-a-long-name\n\
                    \x20                 1.50        10.00         0.00       1000          0\n";
        let file = read_file(text);
        assert_eq!(file.disks[0].name, "mapper-with-a-long-name");
        assert_eq!(file.disks[0].value(Way::All, Quantity::Iops(Statistic::Mean)), Some(1.5));
    }

    #[test]
    fn a_device_that_is_listed_again_counts_once() {
        let text = format!(
            "{}sda               9.00     1.00         1.00       1000          0\n",
            "Linux 6.1.0 (h)\nDevice tps kB_read/s kB_wrtn/s kB_read kB_wrtn\nsda 1 2 3 4 5\n"
        );
        let file = read_file(&text);
        assert_eq!(file.disks[0].value(Way::All, Quantity::Iops(Statistic::Mean)), Some(1.0));
        assert!(file.remarks.iter().any(|r| r.text.contains("listed twice")), "{:?}", file.remarks);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(which in 0usize..5, at in 0usize..3000, gone in 0usize..30, put in "[0-9A-Za-z%/., \\n-]{0,12}") {
            let text = [PRINTED, OLD, AS_JSON, HUMAN, TABLES][which];
            let at = at.min(text.len());
            let text = format!("{}{put}{}", &text[..at], &text[(at + gone).min(text.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
