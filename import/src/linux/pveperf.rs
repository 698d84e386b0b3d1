//! Output of Proxmox VE's `pveperf`: buffered reads, single-sector reads, and new files of 4,001 bytes that are written
//! and synced.
//!
//! According to the source (proxmox/pve-manager, `bin/pveperf`), each part lasts 3 s. Buffered reads go through the
//! page cache, 2 MiB at a time. 1 MB is 1024 * 1024 bytes. A seek is a buffered read of 512 bytes at a random position.
//! For each fsync, a file is created, written and closed.

use crate::format::Format;
use crate::text::figure::{Cut, Figure, number};
use crate::text::source::{self, ImportError, Source, clip};
use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, ForeignValue, ForeignWork, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "pveperf", shares_a_log: true, recognise, read };

/// Duration of each part, in seconds.
const SECONDS: f64 = 3.0;

fn recognise(source: &Source<'_>) -> bool {
    let has = |words: &str| source.head().lines().any(|line| line.trim_start().starts_with(words));
    has("FSYNCS/SECOND:") || has("BUFFERED READS:") && has("AVERAGE SEEK TIME:")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut files: Vec<ForeignFile> = Vec::new();
    let mut others: Vec<(String, String)> = Vec::new();
    source.each_line(|line, words| {
        let Some((name, value)) = words.split_once(':').map(|(name, value)| (name.trim(), value.trim())) else {
            return;
        };
        // A run begins with the CPU line, or with a part that the current run already has.
        let repeats = |file: &ForeignFile| file.tests.iter().any(|test| test.name == name.to_lowercase());
        if name == "CPU BOGOMIPS" || files.last().is_none_or(repeats) {
            files.push(ForeignFile { tool: "pveperf".to_owned(), ..ForeignFile::default() });
            others.clear();
        }
        let Some(file) = files.last_mut() else { return };
        match part(name, value) {
            Some(mut test) => {
                test.line = line;
                test.name = name.to_lowercase();
                for figure in &mut test.values {
                    (figure.line, figure.words) = (line, clip(words));
                }
                file.tests.push(test);
            }
            None if matches!(name, "CPU BOGOMIPS" | "REGEX/SECOND" | "HD SIZE" | "DNS EXT" | "DNS INT") => {
                others.push((name.to_owned(), clip(value)));
            }
            None => {}
        }
        for test in &mut file.tests {
            test.asked.others.clone_from(&others);
        }
    })?;
    source::with_tests(files, "pveperf")
}

/// Parses a line about storage into a test.
fn part(name: &str, value: &str) -> Option<ForeignTest> {
    let mut test = ForeignTest::default();
    (test.asked.jobs, test.asked.depth, test.asked.direct) = (Some(1), Some(1), Some(false));
    test.asked.seconds = Some(SECONDS);
    let (figure, unit) = number(value)?;
    let total = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
    let (figure, way, quantity) = match (name, unit.trim()) {
        ("BUFFERED READS", "MB/sec") => {
            test.asked.rw = Some("read".to_owned());
            (figure.times(1_048_576.0), Way::Read, Quantity::Bandwidth(Statistic::Overall))
        }
        ("AVERAGE SEEK TIME", "ms") => {
            test.asked.rw = Some("randread".to_owned());
            test.asked.block[0] = Some((Bytes(512), Bytes(512)));
            (figure.times(1e-3), Way::Read, total)
        }
        // Each fsync includes creating and closing a file, so it is more than one device operation.
        ("FSYNCS/SECOND", "") => {
            test.asked.rw = Some("fsync".to_owned());
            (figure, Way::All, Quantity::Work(ForeignWork::Calls, Statistic::Overall))
        }
        _ => return None,
    };
    test.values.push(figure.to_value(way, quantity, Cut::Nearest, 0, ""));
    // There is one operation at a time, so rate and mean time are inverses of each other.
    let inverse = match quantity {
        Quantity::Latency(..) => Some(Quantity::Iops(Statistic::Overall)),
        Quantity::Work(..) => Some(total),
        _ => None,
    };
    if let Some(inverse) = inverse.filter(|_| figure.value > 0.0) {
        let figure = Figure { value: 1.0 / figure.value, ulp: figure.ulp / figure.value.powi(2) };
        let doubt = Some("the inverse of the printed value".to_owned());
        test.values.push(ForeignValue { doubt, ..figure.to_value(way, inverse, Cut::Nearest, 0, "") });
    }
    Some(test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/made/pveperf.txt");

    #[test]
    fn parts_about_storage_are_tests_and_the_rest_describes_them() {
        let files = crate::read::read("x", TEXT.as_bytes()).unwrap();
        assert_eq!(files.len(), 2, "the second has no part that reads a device");
        let tests = &files[0].tests;
        let names: Vec<&str> = tests.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["buffered reads", "average seek time", "fsyncs/second"]);
        assert_eq!(tests[0].value(Way::Read, Quantity::Bandwidth(Statistic::Overall)), Some(182.5 * 1_048_576.0));
        let mean = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
        assert!(tests[1].value(Way::Read, mean).is_some_and(|t| (t - 0.31e-3).abs() < 1e-12));
        assert_eq!(tests[2].asked.rw.as_deref(), Some("fsync"));
        let calls = Quantity::Work(ForeignWork::Calls, Statistic::Overall);
        assert_eq!(
            (tests[2].value(Way::All, calls), files[1].tests[0].value(Way::All, calls)),
            (Some(512.25), Some(96.6))
        );
        assert!(tests[2].value(Way::All, mean).is_some_and(|t| (t - 1.0 / 512.25).abs() < 1e-12));
        assert_eq!(tests[2].asked.others.iter().filter(|(name, _)| name == "HD SIZE").count(), 1);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z=/:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
