//! vdbench's console output, `summary.html` and `totals.html`. The `avg_` line of each run definition becomes a test.
//!
//! A table has two heading lines, such as `i/o` above `rate`. 1 MB is 1024 * 1024 bytes unless the heading contains
//! `1000**2`. Response times are in milliseconds, and CPU shares are for all CPUs together. The average excludes the
//! first interval.

use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{self, Cut, number, whole};
use crate::text::series::{Clock, named, point, usual_periods};
use crate::text::source::{self, ImportError, Source, Unknown, clip, cut, fault, tool_error};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "vdbench", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| heading(line).is_some() || line.trim_start().starts_with("Vdbench distribution:"))
}

/// Parses the upper heading line, `Feb 18, 2019    interval        i/o   MB/sec ...`, into its date and the words after
/// `interval`.
fn heading(line: &str) -> Option<(i64, Vec<String>)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let at = words.iter().position(|w| w.trim_matches('.').eq_ignore_ascii_case("interval"))?;
    let [month, day, year] = words.get(at.checked_sub(3)?..at)? else { return None };
    let midnight = dates::ctime(&format!("x {month} {} 00:00:00 {year}", day.trim_end_matches(',')))?;
    let rest = &words[at + 1..];
    let is_known = |w: &&str| w.starts_with("MB/sec") || w.contains("ReqstdOps");
    rest.iter().any(is_known).then(|| (midnight, rest.iter().map(|w| (*w).to_owned()).collect()))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "vdbench")
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    unknown: Unknown,
    clock: Clock,
    midnight: i64,
    /// Upper heading line, until the lower line has been read.
    upper: Option<Vec<String>>,
    columns: Vec<String>,
    run: Option<ForeignTest>,
    /// True if there are lines for individual intervals. Output with such lines also ends with a completion message.
    has_intervals: bool,
    is_complete: bool,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if let Some(upper) = self.upper.take() {
            self.columns = columns(&upper, line);
            return;
        }
        if let Some((midnight, upper)) = heading(line) {
            self.midnight = midnight;
            self.upper = Some(upper);
            return;
        }
        if let Some(name) = line.strip_prefix("Vdbench distribution:") {
            self.ends();
            self.file.tool = name.split_ascii_whitespace().next().unwrap_or("vdbench").to_owned();
            return;
        }
        let (time, rest) = line.split_at(line.find([' ', '\t', 'a']).unwrap_or(line.len()));
        let time = Some(time).filter(|t| t.contains(':')).and_then(dates::time_of_day);
        let rest = rest.trim();
        if let Some(name) = rest.strip_prefix("Starting RD=") {
            self.run_is_over();
            self.run = Some(run(number, name));
        } else if rest.contains("Vdbench execution completed successfully") {
            self.is_complete = true;
        } else if is_error(line) {
            tool_error(&mut self.file, number, line);
        } else if let Some(time) = time
            && !self.columns.is_empty()
            && self.row(number, line, time, rest)
        {
        } else if self.file.tool.is_empty() && self.run.is_none() || time.is_some() || is_chatter(line) {
            // This is a startup message, or the HTML around the table.
        } else {
            self.unknown.line(&mut self.file.remarks, number, line);
        }
    }

    /// Parses `avg_2-5      113.0     0.11    1024 ...`, or the same columns after the number of an interval.
    fn row(&mut self, number: u32, line: &str, time: f64, rest: &str) -> bool {
        let mut words = rest.split_ascii_whitespace();
        let first = words.next().unwrap_or("");
        let cells: Vec<&str> = words.collect();
        if cells.len() < self.columns.len().min(4) {
            return false;
        }
        if let Some(intervals) = first.strip_prefix("avg_") {
            let mut test = self.run.take().unwrap_or_else(|| ForeignTest { line: number, ..ForeignTest::default() });
            let cells: Vec<(&str, &str)> = self.columns.iter().map(String::as_str).zip(cells).collect();
            test.asked.others.push(("intervals".to_owned(), intervals.to_owned()));
            figures(&mut test, &cells, number, line);
            self.file.tests.push(test);
            return true;
        }
        if first.parse::<u32>().is_err() {
            return false;
        }
        self.has_intervals = true;
        let at = self.clock.at(self.midnight as f64 + time, number, &mut self.file.remarks);
        let run = self.run.as_ref().map_or("", |run| run.name.as_str());
        for (name, cell) in self.columns.iter().zip(cells) {
            let (quantity, unit, scale) = match name.as_str() {
                "i/o rate" | "ReqstdOps rate" => (Quantity::Iops(Statistic::Mean), "1/s", 1.0),
                "mb/sec total" => (Quantity::Bandwidth(Statistic::Mean), "B/s", 1_048_576.0),
                name if name.starts_with("MB/sec") => (Quantity::Bandwidth(Statistic::Mean), "B/s", mega(name)),
                "resp time" => (total(Statistic::Mean), "s", 1e-3),
                _ => continue,
            };
            let Some(cell) = whole(cell) else { continue };
            let name = format!("{run} {name}").trim().to_owned();
            let series = named(&mut self.file.series, &name, unit, Some((Way::All, quantity)));
            point(series, at, cell.times(scale).value, number);
        }
        true
    }

    /// Ends a run. Adds a fault if it has no average and therefore no result.
    fn run_is_over(&mut self) {
        if let Some(run) = self.run.take() {
            fault(&mut self.file, run.line, || sentence!("import-end-missing", missing = "avg_"));
        }
    }

    fn ends(&mut self) {
        self.run_is_over();
        if self.has_intervals && !self.is_complete {
            cut(&mut self.file, "Vdbench execution completed successfully");
        }
        self.unknown.end(&mut self.file.remarks);
        self.file.began = self.clock.began().filter(|_| self.midnight > 0);
        usual_periods(&mut self.file);
        let file = std::mem::take(&mut self.file);
        if !file.tests.is_empty() || !file.faults.is_empty() {
            self.files.push(file);
        }
        *self = Reader { files: std::mem::take(&mut self.files), ..Reader::default() };
    }
}

/// Parses `rd1; I/O rate: 100; elapsed=5; For loops: xfersize=4k threads=8`.
fn run(line: u32, text: &str) -> ForeignTest {
    let parted = text.replace(". ", ";");
    let mut parts = parted.split(';').map(str::trim).filter(|part| !part.is_empty());
    let mut test = ForeignTest { line, name: parts.next().unwrap_or("").to_owned(), ..ForeignTest::default() };
    for part in parts {
        let Some((key, value)) = part.split_once([':', '=']) else { continue };
        match key.trim() {
            "elapsed" => test.asked.seconds = value.trim().parse().ok(),
            key => test.asked.others.push((key.to_owned(), value.trim().to_owned())),
        }
    }
    let size = text.split([' ', ',', ';']).find_map(|word| word.strip_prefix("xfersize="));
    let size = size.and_then(|s| figure::bytes(s, true)).filter(|(_, rest)| rest.is_empty());
    let size = size.map(|(f, _)| Bytes(f.value as u64));
    test.asked.block = [size.map(|s| (s, s)); 2];
    test
}

/// Combines the two lines of a heading into column names.
fn columns(upper: &[String], lower: &str) -> Vec<String> {
    let mut lower = lower.split_ascii_whitespace();
    let mut names = Vec::new();
    let is_of_files = upper.iter().any(|w| w.contains("ReqstdOps"));
    for group in upper {
        let group = group.trim_matches('.');
        let Some(first) = lower.next() else { break };
        names.push(format!("{group} {first}"));
        // For file systems, one word in the upper line covers several columns.
        let more = match first {
            "rate" | "read" if is_of_files => 1,
            "total" if is_of_files && group.starts_with("cpu") => 1,
            _ => 0,
        };
        names.extend(lower.by_ref().take(more).map(|word| format!("{group} {word}")));
    }
    names
}

fn total(statistic: Statistic) -> Quantity {
    Quantity::Latency(ForeignLatency::Total, statistic)
}

/// Returns the number of bytes in 1 MB, according to the column heading.
fn mega(name: &str) -> f64 {
    if name.contains("1000") { 1e6 } else { 1_048_576.0 }
}

/// Adds the figures from an average line.
fn figures(test: &mut ForeignTest, cells: &[(&str, &str)], number: u32, line: &str) {
    let get = |name: &str| cells.iter().find(|(n, _)| *n == name).and_then(|(_, cell)| whole(cell));
    // If all operations were reads, or all were writes, the figures are for one direction.
    let way = match get("read pct").map(|share| share.value) {
        Some(100.0) => Way::Read,
        Some(0.0) if get("i/o rate").is_some() => Way::Write,
        _ => Way::All,
    };
    let of_files = get("ReqstdOps rate").is_some();
    for (name, cell) in cells {
        // The figure is `NaN` if the system does not report CPU times.
        let Some(figure) = whole(cell) else { continue };
        let millis = figure.times(1e-3);
        let (way, quantity, figure) = match *name {
            "i/o rate" => (way, Quantity::Iops(Statistic::Overall), figure),
            _ if name.starts_with("MB/sec") => (way, Quantity::Bandwidth(Statistic::Overall), figure.times(mega(name))),
            "resp time" => (way, total(Statistic::Mean), millis),
            "resp max" => (way, total(Statistic::Max), millis),
            "resp stddev" => (way, total(Statistic::Deviation), millis),
            "queue depth" => (way, Quantity::InFlight, figure),
            _ if figure.value == 0.0 => continue,
            "read rate" => (Way::Read, Quantity::Iops(Statistic::Overall), figure),
            "write rate" => (Way::Write, Quantity::Iops(Statistic::Overall), figure),
            "mb/sec read" => (Way::Read, Quantity::Bandwidth(Statistic::Overall), figure.times(1_048_576.0)),
            "mb/sec write" => (Way::Write, Quantity::Bandwidth(Statistic::Overall), figure.times(1_048_576.0)),
            "mb/sec total" => (Way::All, Quantity::Bandwidth(Statistic::Overall), figure.times(1_048_576.0)),
            // For a single direction, this time equals the overall time.
            "read resp" if of_files || way == Way::All => (Way::Read, total(Statistic::Mean), millis),
            "write resp" if of_files || way == Way::All => (Way::Write, total(Statistic::Mean), millis),
            "read max" => (Way::Read, total(Statistic::Max), millis),
            "write max" => (Way::Write, total(Statistic::Max), millis),
            name => {
                test.asked.others.push((name.to_owned(), (*cell).to_owned()));
                continue;
            }
        };
        test.values.push(figure.to_value(way, quantity, Cut::Nearest, number, clip(line)));
    }
}

/// Returns `true` for `Vdbench terminating due to Fatal Data_errors`, `java.lang.RuntimeException: ...` and I/O errors
/// with `errno:`.
fn is_error(line: &str) -> bool {
    ["terminating due to", "CTRL-C requested", "Exception: ", "errno:", "Master is aborting", "Minimum required Java"]
        .iter()
        .any(|words| line.contains(words))
}

/// Returns `true` for stack frames, empty comments and HTML tags.
fn is_chatter(line: &str) -> bool {
    ["at ", "For documentation", "<", "*"].iter().any(|words| line.starts_with(words)) || number(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/vdbench-stdout.txt");
    const FILES: &str = "12:00:00.000 Starting RD=fs1; elapsed=60; fwdrate=max. For loops: None\n\n\
        Jan 05, 2022 .Interval. .ReqstdOps... ...cpu%...  read ....read..... ....write.... ..mb/sec... mb/sec .xfer.. ...mkdir....\n\
        \x20                         rate   resp total  sys   pct   rate   resp   rate   resp  read write  total    size  rate   resp\n\
        12:00:01.063           1 3334.0 19.110  28.8 3.81  59.8 1995.0  6.600 1339.0 37.750  1995  1339 3334.0 1048576   0.0  0.000\n\
        12:00:02.063     avg_2-2 3334.0 19.110  28.8 3.81  59.8 1995.0  6.600 1339.0 37.750  1995  1339 3334.0 1048576   0.0  0.000\n\
        12:00:03.000 Vdbench execution completed successfully. Output directory: /x\n";

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn the_average_is_the_test_and_intervals_are_series() {
        let file = read_file(TEXT);
        assert_eq!((file.format.as_str(), file.tool.as_str()), ("vdbench", "vdbench50407"));
        assert_eq!(file.began, dates::iso("2019-02-18 16:46:15"));
        assert_eq!((file.tests.len(), file.remarks.len(), file.faults.len()), (1, 0, 0), "{file:?}");
        let test = &file.tests[0];
        assert_eq!((test.name.as_str(), test.asked.seconds), ("rd1", Some(5.0)));
        assert!(test.asked.others.contains(&("I/O rate".to_owned(), "100".to_owned())), "{:?}", test.asked);
        for (way, quantity, wanted) in [
            (Way::All, Quantity::Iops(Statistic::Overall), 113.0),
            (Way::All, Quantity::Bandwidth(Statistic::Overall), 0.11 * 1_048_576.0),
            (Way::All, total(Statistic::Mean), 18e-6),
            (Way::Read, total(Statistic::Mean), 10e-6),
            (Way::Write, total(Statistic::Mean), 27e-6),
            (Way::Write, total(Statistic::Max), 2.57e-3),
            (Way::All, total(Statistic::Deviation), 120e-6),
        ] {
            let value = test.value(way, quantity).unwrap_or_else(|| panic!("{way:?} {quantity:?}"));
            assert!((value - wanted).abs() <= wanted * 1e-12, "{quantity:?}: {value}");
        }
        let rates = file.series("rd1 i/o rate").unwrap();
        assert_eq!(rates.points.iter().map(|p| p.value).collect::<Vec<_>>(), [76.0, 109.0, 112.0, 105.0, 126.0]);
        assert!((rates.points[4].at - 4.027).abs() < 1e-6, "{rates:?}");
    }

    #[test]
    fn tables_of_file_systems_have_both_directions() {
        let file = read_file(FILES);
        assert_eq!((file.remarks.len(), file.faults.len()), (0, 0), "{file:?}");
        let test = &file.tests[0];
        assert_eq!(test.value(Way::Read, Quantity::Iops(Statistic::Overall)), Some(1995.0));
        assert_eq!(test.value(Way::Write, total(Statistic::Mean)), Some(37.75e-3));
        assert_eq!(test.value(Way::All, Quantity::Bandwidth(Statistic::Overall)), Some(3334.0 * 1_048_576.0));
        assert!(test.asked.others.contains(&("cpu% sys".to_owned(), "3.81".to_owned())), "{:?}", test.asked.others);
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let file = read_file(&TEXT[..TEXT.find("16:46:20.050").unwrap()]);
        assert!(file.faults[0].text.contains("execution completed"), "{:?}", file.faults);
        let cut = &TEXT[..TEXT.find("16:46:19.060").unwrap()];
        let error = crate::read::read("x", cut.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("avg_"), "{error}");
        let failed =
            TEXT.replace("16:46:20.050 ", "16:46:20.050 Vdbench terminating due to Fatal Data_errors\n16:46:21.0 ");
        assert!(read_file(&failed).faults[0].text.contains("Fatal Data_errors"));
        let failed =
            format!("{}java.lang.RuntimeException: Failure loading\n", &TEXT[..TEXT.find("16:46:14").unwrap()]);
        let error = crate::read::read("x", failed.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("Failure loading"), "{error}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z_:=. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
