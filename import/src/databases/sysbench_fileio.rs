//! Output of the file test in sysbench 0.4 to 1.1: one document per run, and one for `prepare`, which also prints a
//! rate.
//!
//! According to `sb_fileio.c`, 1 MiB, or 1 `Mb` in 0.4, is 1024 * 1024 bytes. In 0.4, latencies cover reads and writes.
//! In later versions, latencies also cover fsyncs.

use crate::format::Format;
use crate::text::figure::{self, Cut, Figure, number, whole};
use crate::text::series::{named, point, usual_periods};
use crate::text::source::{self, ImportError, Source, clip, cut, fault, remark, tool_error};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignAsked, ForeignFile, ForeignLatency, ForeignTest, ForeignValue, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "sysbench-fileio", shares_a_log: true, recognise, read };

const MIB: f64 = 1_048_576.0;
/// Value of `O_DIRECT` on Linux for x86, as printed by 0.4.
const O_DIRECT: &str = "16384";

fn recognise(source: &Source<'_>) -> bool {
    let has = |words: &str| source.head().lines().any(|line| line.trim_start().starts_with(words));
    ["Extra file open flags:", "File operations:", "Operations performed:"].into_iter().any(has)
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "sysbench fileio")
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    /// Options that were read before the test begins.
    asked: ForeignAsked,
    total: Option<f64>,
    test: Option<ForeignTest>,
    is_complete: bool,
    /// True if latencies include fsyncs.
    has_syncs: bool,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if let Some(version) = line.strip_prefix("sysbench ").filter(|v| v.starts_with(|c: char| c.is_ascii_digit())) {
            self.ends();
            let version = version.split([':', ' ']).next().unwrap_or("");
            self.file.tool = format!("sysbench {version}");
            self.has_syncs = !version.starts_with("0.");
        } else if ["FATAL:", "ALERT:", "Number of unfinished"].iter().any(|words| line.starts_with(words)) {
            // One of these lines is `Number of unfinished transactions on forced shutdown: 3`.
            tool_error(&mut self.file, number, line);
        } else if line.starts_with("WARNING:") {
            self.file.remarks.push(remark(number, clip(line)));
        } else if line.starts_with("Threads fairness") {
            self.is_complete = true;
        } else if let Some((bytes, rest)) = line.split_once(" bytes written in ") {
            self.prepared(number, line, bytes, rest);
        } else if self.test.is_none() {
            self.option(number, line);
        } else if !self.is_complete {
            self.result(number, line);
        } else if let Some(each) = line.strip_prefix("events (avg/stddev):").and_then(number_before_slash) {
            self.count_threads(each);
        }
    }

    /// Sets the number of threads if the options do not contain it. The number of threads is the total number of events
    /// divided by `each`, the mean number of events per thread.
    fn count_threads(&mut self, each: f64) {
        let Some(test) = &mut self.test else { return };
        let events = test.value(Way::All, Quantity::Operations).filter(|_| test.asked.jobs.is_none() && each > 0.0);
        let threads = events.map(|events| events / each).filter(|n| (n - n.round()).abs() < 0.01 && *n >= 0.99);
        test.asked.jobs = threads.map_or(test.asked.jobs, |n| Some(n.round() as u32));
    }

    fn option(&mut self, number: u32, line: &str) {
        let asked = &mut self.asked;
        let size = |text: &str| figure::bytes(text, true).map(|(f, _)| f.value);
        if let Some(size) = line.strip_prefix("Block size ").and_then(size) {
            let size = Bytes(size as u64);
            asked.block = [Some((size, size)); 2];
            let asked = std::mem::take(&mut self.asked);
            let test = ForeignTest { name: "fileio".to_owned(), line: number, asked, ..ForeignTest::default() };
            self.test = Some(test);
        } else if let Some(threads) = line.strip_prefix("Number of threads: ") {
            asked.jobs = threads.parse().ok();
        } else if let Some(flags) = line.strip_prefix("Extra file open flags: ") {
            asked.direct = match flags.trim() {
                "(none)" | "0" => Some(false),
                O_DIRECT => Some(true),
                flags if flags.contains("direct") => Some(true),
                _ => None,
            };
            asked.others.push(("extra file open flags".to_owned(), flags.trim().to_owned()));
        } else if let Some(text) = line.strip_suffix(" total file size") {
            self.total = size(text);
            asked.others.push(("total file size".to_owned(), text.to_owned()));
        } else if line.ends_with(" each") {
            asked.others.push(("files".to_owned(), line.to_owned()));
        }
    }

    /// Reads a line that follows the block size: further options, then the figures.
    fn result(&mut self, number: u32, line: &str) {
        // Only version 1.0 and later print this line.
        self.has_syncs |= line.starts_with("File operations:");
        if let Some(samples) = line.strip_prefix('[').and_then(|l| l.split_once("] reads: ")) {
            self.sample(number, samples);
            return;
        }
        let Some(test) = &mut self.test else { return };
        if let Some(what) = line.strip_prefix("Doing ").and_then(|l| l.strip_suffix(" test")) {
            let rw = match what {
                "sequential write (creation)" | "sequential rewrite" => "write",
                "sequential read" => "read",
                "random read" => "randread",
                "random write" => "randwrite",
                "random r/w" => "randrw",
                _ => "",
            };
            test.asked.rw = Some(rw.to_owned()).filter(|rw| !rw.is_empty());
            test.asked.others.push(("test".to_owned(), what.to_owned()));
        } else if line == "Using synchronous I/O mode" {
            test.asked.depth = Some(1);
        } else if let Some(operations) = line.strip_prefix("Operations performed:") {
            operations_of_old(test, number, line, operations);
        } else if line.starts_with("Read ") && line.contains("Written ") {
            bytes_of_old(test, number, line);
        } else if let Some(rate) = line.strip_suffix(" Requests/sec executed").and_then(whole) {
            test.values.push(rate.to_value(Way::All, Quantity::Iops(Statistic::Overall), Cut::Nearest, number, line));
        } else if let Some((key, value)) = line.split_once(": ") {
            figures(test, self.has_syncs, number, line, key.trim(), value.trim());
        } else if line.starts_with("Using ") || line.contains("fsync()") {
            test.asked.others.push((line.to_owned(), String::new()));
        }
    }

    /// Parses `[ 10s ] reads: 19.15 MiB/s writes: 12.77 MiB/s fsyncs: 2804.95/s latency (ms,95%): 10.843`.
    fn sample(&mut self, line: u32, (at, rest): (&str, &str)) {
        let Some((at, _)) = number(at) else { return };
        let writes = rest.split_once("writes: ").map(|(_, rest)| rest);
        for (name, way, text) in [("reads", Way::Read, Some(rest)), ("writes", Way::Write, writes)] {
            let Some((rate, unit)) = text.and_then(number) else { continue };
            if !unit.trim_start().starts_with("MiB/s") && !unit.trim_start().starts_with("MB/s") {
                continue;
            }
            let quantity = Some((way, Quantity::Bandwidth(Statistic::Mean)));
            point(named(&mut self.file.series, name, "B/s", quantity), at.value, rate.times(MIB).value, line);
        }
    }

    /// Parses `1073741824 bytes written in 7.23 seconds (141.56 MiB/sec).`
    fn prepared(&mut self, line: u32, words: &str, bytes: &str, rest: &str) {
        let (Some(bytes), Some((seconds, _))) = (whole(bytes), number(rest)) else { return };
        let mut test = ForeignTest { name: "prepare".to_owned(), line, ..ForeignTest::default() };
        // Older versions print MB for the same unit.
        let rate = rest.split_once('(').and_then(|(_, rate)| number(rate)).map(|(f, _)| f.times(MIB));
        for (figure, quantity, cut) in [
            (Some(bytes), Quantity::Moved, Cut::Exact),
            (Some(seconds), Quantity::Runtime, Cut::Nearest),
            (rate, Quantity::Bandwidth(Statistic::Overall), Cut::Nearest),
        ] {
            test.values.extend(figure.map(|f| f.to_value(Way::Write, quantity, cut, line, clip(words))));
        }
        self.file.tests.push(test);
    }

    fn ends(&mut self) {
        if let Some(mut test) = self.test.take() {
            // Threads share the files, so the size per thread is known only for a single thread.
            test.asked.size = self.total.filter(|_| test.asked.jobs == Some(1)).map(|size| Bytes(size as u64));
            if !self.is_complete {
                if test.values.is_empty() {
                    cut(&mut self.file, "File operations");
                } else {
                    fault(&mut self.file, test.line, || sentence!("import-end-missing", missing = "Threads fairness"));
                }
            }
            if !test.values.is_empty() {
                self.file.tests.push(test);
            }
        }
        usual_periods(&mut self.file);
        self.files.push(std::mem::take(&mut self.file));
        *self = Reader { files: std::mem::take(&mut self.files), ..Reader::default() };
    }
}

/// Returns the mean from a mean and its standard deviation, such as `31289.6000/431.72`.
fn number_before_slash(text: &str) -> Option<f64> {
    text.trim().split('/').next().and_then(whole).map(|f| f.value)
}

/// Parses ` 6000 Read, 4000 Write, 12800 Other = 22800 Total`.
fn operations_of_old(test: &mut ForeignTest, line: u32, words: &str, text: &str) {
    for part in text.split(['=', ',']) {
        let Some((count, what)) = number(part).filter(|(count, _)| count.value > 0.0) else { continue };
        let way = match what.trim() {
            "Read" | "reads" => Way::Read,
            "Write" | "writes" => Way::Write,
            "Other" => Way::Sync,
            _ => continue,
        };
        test.values.push(count.to_value(way, Quantity::Operations, Cut::Exact, line, words));
    }
}

/// Parses `Read 93.75Mb  Written 62.5Mb  Total transferred 156.25Mb  (18.056Mb/sec)`.
fn bytes_of_old(test: &mut ForeignTest, line: u32, words: &str) {
    for (before, way, quantity) in [
        ("Read ", Way::Read, Quantity::Moved),
        ("Written ", Way::Write, Quantity::Moved),
        ("(", Way::All, Quantity::Bandwidth(Statistic::Overall)),
    ] {
        let figure = words.split_once(before).and_then(|(_, rest)| figure::bytes(rest, true)).map(|(f, _)| f);
        let figure = figure.filter(|f| f.value > 0.0);
        test.values.extend(figure.map(|f| f.to_value(way, quantity, Cut::Nearest, line, words)));
    }
}

/// Reads a line with a key and a value, as printed by any version.
fn figures(test: &mut ForeignTest, has_syncs: bool, line: u32, words: &str, key: &str, value: &str) {
    let figure = number(value).map(|(f, _)| f);
    let mut record = |way, quantity, figure: Option<Figure>| {
        // The figures of a direction that was not requested are zero.
        let figure = figure.filter(|f| f.value > 0.0);
        test.values.extend(figure.map(|f| f.to_value(way, quantity, Cut::Nearest, line, clip(words))));
    };
    let (iops, bandwidth) = (Quantity::Iops(Statistic::Overall), Quantity::Bandwidth(Statistic::Overall));
    match key {
        "reads/s" => record(Way::Read, iops, figure),
        "writes/s" => record(Way::Write, iops, figure),
        "fsyncs/s" => record(Way::Sync, iops, figure),
        "read, MiB/s" => record(Way::Read, bandwidth, figure.map(|f| f.times(MIB))),
        "written, MiB/s" => record(Way::Write, bandwidth, figure.map(|f| f.times(MIB))),
        // Version 1.1 prints `read:  IOPS=1225.54 19.15 MiB/s (20.08 MB/s)`.
        "read" | "write" | "fsync" if value.starts_with("IOPS=") => {
            let way = match key {
                "read" => Way::Read,
                "write" => Way::Write,
                _ => Way::Sync,
            };
            if let Some((rate, rest)) = number(&value["IOPS=".len()..]) {
                record(way, iops, Some(rate));
                let bytes = number(rest).filter(|(_, unit)| unit.trim_start().starts_with("MiB/s"));
                record(way, bandwidth, bytes.map(|(f, _)| f.times(MIB)));
            }
        }
        // This number counts all kinds of operations, including fsyncs.
        "total number of events" if has_syncs => {
            test.values
                .extend(figure.map(|f| f.to_value(Way::All, Quantity::Operations, Cut::Exact, line, clip(words))));
        }
        "total time" | "time elapsed" => record(Way::All, Quantity::Runtime, figure),
        "min" | "avg" | "max" => {
            let statistic = match key {
                "min" => Statistic::Min,
                "avg" => Statistic::Mean,
                _ => Statistic::Max,
            };
            latency(test, has_syncs, statistic, line, words, figure);
        }
        _ if key.ends_with("percentile") => {
            // The key is `95th percentile`, or in old versions `approx.  95 percentile`.
            let digits = key.trim_start_matches(|c: char| !c.is_ascii_digit());
            if let Some((p, _)) = number(digits) {
                latency(test, has_syncs, Statistic::Percentile(p.value), line, words, figure);
            }
        }
        _ => test.asked.others.push((key.to_owned(), clip(value))),
    }
}

fn latency(
    test: &mut ForeignTest,
    has_syncs: bool,
    statistic: Statistic,
    line: u32,
    words: &str,
    figure: Option<Figure>,
) {
    let quantity = Quantity::Latency(ForeignLatency::Total, statistic);
    let Some(figure) = figure.map(|f| f.times(1e-3)) else { return };
    let value = figure.to_value(Way::All, quantity, Cut::Nearest, line, clip(words));
    let doubt = has_syncs.then(|| "of reads, writes and fsyncs together".to_owned());
    test.values.push(ForeignValue { doubt, ..value });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OLD: &str = include_str!("../../tests/data/public/sysbench-0.4.txt");
    const NEW: &str = include_str!("../../tests/data/public/sysbench-1.0.txt");
    const IOPS: Quantity = Quantity::Iops(Statistic::Overall);
    const BANDWIDTH: Quantity = Quantity::Bandwidth(Statistic::Overall);

    fn latency(statistic: Statistic) -> Quantity {
        Quantity::Latency(ForeignLatency::Total, statistic)
    }

    fn files(text: &str) -> Vec<ForeignFile> {
        crate::read::read("x", text.as_bytes()).unwrap()
    }

    #[test]
    fn a_run_of_old_has_counts_and_one_rate() {
        let file = files(OLD).remove(0);
        assert_eq!((file.format.as_str(), file.tool.as_str()), ("sysbench-fileio", "sysbench 0.4.12"));
        assert_eq!((file.tests.len(), file.remarks.len(), file.faults.len()), (1, 0, 0), "{file:?}");
        let test = &file.tests[0];
        assert_eq!((test.asked.rw.as_deref(), test.asked.jobs, test.asked.depth), (Some("randrw"), Some(1), Some(1)));
        assert_eq!((test.asked.block[0], test.asked.direct), (Some((Bytes(16_384), Bytes(16_384))), Some(false)));
        assert_eq!(test.asked.size, Some(Bytes::from_gib(1)));
        for (way, quantity, wanted) in [
            (Way::Read, Quantity::Operations, 6000.0),
            (Way::Write, Quantity::Operations, 4000.0),
            (Way::Sync, Quantity::Operations, 12_800.0),
            (Way::Read, Quantity::Moved, 93.75 * MIB),
            (Way::Write, Quantity::Moved, 62.5 * MIB),
            (Way::All, BANDWIDTH, 18.056 * MIB),
            (Way::All, IOPS, 1155.58),
            (Way::All, Quantity::Runtime, 8.6536),
            (Way::All, latency(Statistic::Mean), 0.11e-3),
            (Way::All, latency(Statistic::Max), 8.4e-3),
            (Way::All, latency(Statistic::Percentile(95.0)), 0.2e-3),
        ] {
            let value = test.value(way, quantity).unwrap_or_else(|| panic!("{way:?} {quantity:?}"));
            assert!((value - wanted).abs() <= wanted * 1e-12, "{quantity:?}: {value}");
        }
    }

    #[test]
    fn preparing_is_a_document_of_its_own_and_latencies_hold_fsyncs() {
        let files = files(NEW);
        let names: Vec<Vec<&str>> = files.iter().map(|f| f.tests.iter().map(|t| t.name.as_str()).collect()).collect();
        assert_eq!(names, [["prepare"], ["fileio"]]);
        assert_eq!(files[0].tests[0].value(Way::Write, Quantity::Moved), Some(1_073_741_824.0));
        assert_eq!(files[0].tests[0].value(Way::Write, BANDWIDTH), Some(141.56 * MIB));
        let test = &files[1].tests[0];
        assert_eq!((test.asked.jobs, test.asked.size), (Some(16), None));
        assert_eq!(test.value(Way::Read, IOPS), Some(1225.54));
        assert_eq!(test.value(Way::Sync, IOPS), Some(2804.95));
        assert_eq!(test.value(Way::Write, BANDWIDTH), Some(12.77 * MIB));
        let p95 = test.get(Way::All, latency(Statistic::Percentile(95.0))).unwrap();
        assert!((p95.value.unwrap() - 10.84e-3).abs() < 1e-12 && p95.doubt.is_some(), "{p95:?}");
        assert!(files.iter().all(|f| f.faults.is_empty()), "{files:?}");
    }

    #[test]
    fn rates_of_1_1_are_read() {
        let (head, _) = NEW.split_once("File operations:").unwrap();
        let text = format!(
            "{head}[ 10s ] reads: 19.15 MiB/s writes: 12.77 MiB/s fsyncs: 2804.95/s latency (ms,95%): 10.843\n\
             Throughput:\n         read:  IOPS=1225.54 19.15 MiB/s (20.08 MB/s)\n         write: IOPS=817.03 12.77 MiB/s (13.39 MB/s)\n\
             \x20        fsync: IOPS=2804.95\n\nLatency (ms):\n         max:       78.48\nThreads fairness:\n"
        );
        let file = files(&text).remove(1);
        assert_eq!(file.tests[0].value(Way::Read, BANDWIDTH), Some(19.15 * MIB));
        assert_eq!(file.tests[0].value(Way::Write, IOPS), Some(817.03));
        assert_eq!(file.series("writes").unwrap().points[0].value, 12.77 * MIB);
        assert_eq!(file.faults.len(), 0);
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let file = files(&OLD[..OLD.find("Threads fairness").unwrap()]).remove(0);
        assert!(file.faults[0].text.contains("Threads fairness"), "{:?}", file.faults);
        let error = crate::read::read("x", &OLD.as_bytes()[..OLD.find("Operations performed").unwrap()])
            .unwrap_err()
            .to_string();
        assert!(error.contains("cut short"), "{error}");
        let failed = NEW.replace(
            "File operations:",
            "FATAL: Failed to write file! errno = 28 (No space left on device)\nFile operations:",
        );
        assert!(files(&failed)[1].faults[0].text.contains("No space left"));
    }

    #[test]
    fn threads_that_are_not_named_follow_from_their_events() {
        let run = NEW.find("Number of threads: 16").unwrap();
        let at = run + NEW[run..].find("Extra file open flags").unwrap();
        let end = at + NEW[at..].find("WARNING").unwrap_or(NEW.len() - at);
        let file = files(&NEW[at..end]).remove(0);
        assert_eq!(file.tests[0].asked.jobs, Some(16));
        assert!(file.tests[0].get(Way::All, latency(Statistic::Mean)).unwrap().doubt.is_some());
        assert_eq!(file.tests[0].value(Way::All, Quantity::Operations), Some(48_609.0));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..OLD.len(), gone in 0usize..30, put in "[0-9A-Za-z:(/=. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &OLD[..at], &OLD[(at + gone).min(OLD.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
