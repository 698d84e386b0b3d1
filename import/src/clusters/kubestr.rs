//! Output of kubestr's `fio` command: one test per job, and device statistics as fio prints them.
//!
//! kubestr prints fields of fio's JSON document (kastenhq/kubestr, `pkg/fio/parsable_fio_output.go`). `IOPS` and
//! `BW(KiB/s)` are means over the run time; `iops:` and `bw(KiB/s):` are statistics of samples. Job options are printed
//! as given. Options that were not given are printed without a value.

use crate::fio::text::device_statistics;
use crate::format::Format;
use crate::text::figure::{Cut, number, size};
use crate::text::source::{self, ImportError, Source, Unknown, clip, tool_error};
use model::foreign::{ForeignFile, ForeignTest, ForeignValue, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "kubestr", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| line.trim_start().starts_with("FIO version - "))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "kubestr")
}

/// Beginnings of lines that contain no figures.
const CHATTER: [&str; 6] = ["PVC created", "Pod created", "Elapsed time", "FIO test results", "Disk stats", "-  OK"];

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    /// fio's global options, which apply to every job.
    global: Vec<(String, String)>,
    /// Direction of the figures that follow.
    way: Option<Way>,
    unknown: Unknown,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if line.starts_with("Running FIO test") {
            self.ends();
        } else if CHATTER.iter().any(|words| line.starts_with(words)) {
            // This line has no results.
        } else if let Some(version) = line.strip_prefix("FIO version - ") {
            version.trim().clone_into(&mut self.file.tool);
        } else if let Some(options) = line.strip_prefix("Global options - ") {
            self.global = options_of(options).collect();
        } else if let Some(name) = line.strip_prefix("JobName:") {
            let name = name.trim().to_owned();
            let mut test = ForeignTest { name, line: number, ..ForeignTest::default() };
            test.asked.jobs = Some(1);
            self.global.iter().for_each(|(name, value)| set_option(&mut test, name, value));
            self.file.tests.push(test);
            self.way = None;
        } else if let Some(way) = direction(line) {
            self.way = Some(way);
        } else if line.contains("rw=") && line.contains("blocksize=") {
            if let Some(test) = self.file.tests.last_mut() {
                options_of(line).for_each(|(name, value)| set_option(test, &name, &value));
            }
        } else if let Some(values) = self.way.and_then(|way| figures(line, way, number)) {
            self.file.tests.iter_mut().last().into_iter().for_each(|test| test.values.extend(values.clone()));
        } else if let Some(disk) = device_statistics(number, line) {
            self.file.disks.push(disk);
        } else if line.starts_with("Error") || line.contains("failed") {
            tool_error(&mut self.file, number, line);
        } else if !self.file.tests.is_empty() {
            self.unknown.line(&mut self.file.remarks, number, line);
        }
    }

    fn ends(&mut self) {
        self.unknown.end(&mut self.file.remarks);
        let file = std::mem::take(&mut self.file);
        if !file.tests.is_empty() || !file.faults.is_empty() {
            self.files.push(file);
        }
        self.global.clear();
    }
}

/// Parses `blocksize=4K filesize=2G iodepth=64 rw=randread`. Skips options without a value, which were not given.
fn options_of(line: &str) -> impl Iterator<Item = (String, String)> {
    let pairs = line.split_ascii_whitespace().filter_map(|word| word.split_once('='));
    pairs.filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.to_owned(), value.to_owned()))
}

fn set_option(test: &mut ForeignTest, name: &str, value: &str) {
    let asked = &mut test.asked;
    match name {
        "rw" => asked.rw = Some(value.to_owned()),
        "blocksize" => asked.block = [size(value).map(|size| (size, size)); 2],
        "filesize" => asked.size = size(value),
        "iodepth" => asked.depth = value.parse().ok(),
        "ioengine" => asked.engine = Some(value.to_owned()),
        "direct" => asked.direct = Some(value != "0"),
        _ => asked.others.push((name.to_owned(), value.to_owned())),
    }
}

fn direction(line: &str) -> Option<Way> {
    match line {
        "read:" => Some(Way::Read),
        "write:" => Some(Way::Write),
        "trim:" => Some(Way::Trim),
        _ => None,
    }
}

/// Parses `IOPS=1583.366333 BW(KiB/s)=6350`, `iops: min=1006 max=2280 avg=1599.766724` or
/// `bw(KiB/s): min=4024 max=9120 avg=6399.233398`.
fn figures(line: &str, way: Way, number_of_line: u32) -> Option<Vec<ForeignValue>> {
    let value = |quantity: Quantity, text: &str, unit: f64, cut: Cut, words: &str| {
        let (figure, _) = number(text)?;
        Some(figure.times(unit).to_value(way, quantity, cut, number_of_line, clip(words)))
    };
    let (quantity, unit): (fn(Statistic) -> Quantity, f64) = if line.starts_with("IOPS=") {
        let totals = options_of(line).filter_map(|(name, text)| {
            let words = format!("{name}={text}");
            match name.as_str() {
                "IOPS" => value(Quantity::Iops(Statistic::Overall), &text, 1.0, Cut::Nearest, &words),
                "BW(KiB/s)" => value(Quantity::Bandwidth(Statistic::Overall), &text, 1024.0, Cut::Down, &words),
                _ => None,
            }
        });
        return Some(totals.collect());
    } else if line.starts_with("iops: ") {
        (Quantity::Iops, 1.0)
    } else if line.starts_with("bw(KiB/s): ") {
        (Quantity::Bandwidth, 1024.0)
    } else {
        return None;
    };
    let samples = options_of(line).filter_map(|(name, text)| {
        let statistic = match name.as_str() {
            "min" => Statistic::Min,
            "max" => Statistic::Max,
            "avg" => Statistic::Mean,
            _ => return None,
        };
        value(quantity(statistic), &text, unit, Cut::Nearest, &format!("{name}={text}"))
    });
    Some(samples.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/kubestr.txt");

    #[test]
    fn jobs_have_their_options_and_totals() {
        let files = crate::read::read("x", TEXT.as_bytes()).unwrap();
        assert_eq!((files.len(), files[0].tool.as_str(), files[0].remarks.len()), (2, "fio-3.30", 0));
        let jobs = &files[0].tests;
        assert_eq!(
            jobs.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(),
            ["read_iops", "write_iops", "read_bw", "write_bw"]
        );
        let large = &jobs[2].asked;
        assert_eq!((large.rw.as_deref(), large.depth, large.direct), (Some("randread"), Some(64), Some(true)));
        assert_eq!(large.block[0], Some((Bytes(131_072), Bytes(131_072))));
        assert_eq!(jobs[0].value(Way::Read, Quantity::Iops(Statistic::Overall)), Some(8_648.512_695));
        assert_eq!(jobs[1].value(Way::Write, Quantity::Bandwidth(Statistic::Overall)), Some(31_022.0 * 1024.0));
        assert_eq!(jobs[0].value(Way::Read, Quantity::Iops(Statistic::Min)), Some(5584.0));
        // Options that were not given are absent. The second run is a separate document.
        let job = &files[1].tests[0];
        assert_eq!((job.name.as_str(), job.asked.direct, job.asked.engine.as_deref()), ("", None, None));
        assert_eq!(files[1].disks[0].value(Way::Write, Quantity::Operations), Some(46_436_180.0));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z=/:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
