//! Output of `hdparm -t` and `-T`. Each device and kind of read becomes a test.
//!
//! According to `hdparm.c`, 1 MB is 1024 * 1024 bytes (`TIMING_BUF_MB`), and 1 kB, which is used for slow devices, is
//! 1024 bytes. `cached reads` are reads from memory.

use crate::format::Format;
use crate::text::figure::{Cut, number};
use crate::text::source::{self, ImportError, Source, clip, fault, remark, tool_error};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignTest, ForeignWork, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "hdparm", shares_a_log: true, recognise, read };

const MIB: f64 = 1_048_576.0;

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| kind(line.trim()).is_some())
}

/// Parses the kind of reads, such as `buffered disk reads`. Returns the kind and the rest of the line.
fn kind(line: &str) -> Option<(&str, &str)> {
    let (kind, rest) = line.strip_prefix("Timing ")?.split_once(':')?;
    (kind.ends_with("cached reads") || kind.ends_with("disk reads")).then_some((kind, rest.trim()))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "hdparm".to_owned(), ..ForeignFile::default() };
    let mut device = String::new();
    source.each_line(|number, line| {
        if let Some((kind, figures)) = kind(line) {
            if line.contains("failed") {
                tool_error(&mut file, number, line);
            } else {
                timing(&mut file, number, line, &device, kind, figures);
            }
        } else if let Some(name) = line.strip_suffix(':').filter(|name| name.starts_with('/')) {
            name.clone_into(&mut device);
        } else if line.contains("HDIO_DRIVE_CMD") {
            // hdparm flushes the device before each timing, which devices other than ATA do not support.
            file.remarks.push(remark(number, clip(line)));
        } else if ["failed", "Permission denied", "No such file", "error"].iter().any(|words| line.contains(words)) {
            tool_error(&mut file, number, line);
        }
    })?;
    source::with_tests(vec![file], "hdparm")
}

/// Parses `80 MB in  3.08 seconds =  26.01 MB/sec`.
fn timing(file: &mut ForeignFile, line: u32, words: &str, device: &str, kind: &str, figures: &str) {
    let mut test = ForeignTest { name: format!("{device} {kind}").trim().to_owned(), line, ..ForeignTest::default() };
    test.asked.jobs = Some(1);
    test.asked.direct = Some(kind.starts_with("O_DIRECT"));
    let is_cached = kind.ends_with("cached reads");
    let moved = number(figures).filter(|(_, rest)| rest.trim_start().starts_with("MB in"));
    let seconds = figures.split_once(" in ").and_then(|(_, rest)| number(rest)).map(|(f, _)| f);
    let rate = figures.split_once('=').and_then(|(_, rest)| {
        let (figure, unit) = number(rest)?;
        match unit.trim() {
            "MB/sec" => Some(figure.times(MIB)),
            "kB/sec" => Some(figure.times(1024.0)),
            _ => None,
        }
    });
    let Some(rate) = rate else {
        fault(file, line, || sentence!("import-end-missing", missing = "MB/sec"));
        file.tests.push(test);
        return;
    };
    let (quantity, way) = if is_cached {
        (Quantity::Work(ForeignWork::CachedBytes, Statistic::Overall), Way::All)
    } else {
        (Quantity::Bandwidth(Statistic::Overall), Way::Read)
    };
    test.values.push(rate.to_value(way, quantity, Cut::Nearest, line, clip(words)));
    test.values.extend(seconds.map(|s| s.to_value(way, Quantity::Runtime, Cut::Nearest, line, clip(words))));
    match moved {
        Some((moved, _)) if !is_cached => {
            test.values.push(moved.times(MIB).to_value(way, Quantity::Moved, Cut::Exact, line, clip(words)));
        }
        Some((moved, _)) => test.asked.others.push(("MB".to_owned(), moved.value.to_string())),
        None => {}
    }
    file.tests.push(test);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/hdparm.txt");
    const BANDWIDTH: Quantity = Quantity::Bandwidth(Statistic::Overall);
    const CACHED: Quantity = Quantity::Work(ForeignWork::CachedBytes, Statistic::Overall);

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn reads_of_a_device_are_told_from_those_of_memory() {
        let file = read_file(TEXT);
        assert_eq!((file.format.as_str(), file.remarks.len(), file.faults.len()), ("hdparm", 0, 0));
        let names: Vec<&str> = file.tests.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "/dev/nvme0n1 cached reads",
                "/dev/nvme0n1 buffered disk reads",
                "/dev/sdb cached reads",
                "/dev/sdb buffered disk reads"
            ]
        );
        assert_eq!(file.tests[0].value(Way::All, CACHED), Some(10_414.33 * MIB));
        assert_eq!(file.tests[0].value(Way::Read, BANDWIDTH), None);
        let disk = &file.tests[3];
        assert_eq!(disk.value(Way::Read, BANDWIDTH), Some(26.01 * MIB));
        assert_eq!(disk.value(Way::Read, Quantity::Moved), Some(80.0 * MIB));
        assert_eq!(disk.value(Way::Read, Quantity::Runtime), Some(3.08));
        assert_eq!((disk.asked.direct, disk.asked.jobs), (Some(false), Some(1)));
    }

    #[test]
    fn slow_devices_have_kilobytes() {
        let file = read_file("/dev/fd0:\n Timing O_DIRECT disk reads:   2 MB in 54.12 seconds =  37.84 kB/sec\n");
        assert_eq!(file.tests[0].value(Way::Read, BANDWIDTH), Some(37.84 * 1024.0));
        assert_eq!(file.tests[0].asked.direct, Some(true));
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let file = read_file(&TEXT[..TEXT.rfind(" =").unwrap()]);
        assert_eq!(file.faults.iter().map(|f| f.line).collect::<Vec<_>>(), [file.tests[3].line]);
        let failed = TEXT.replace("80 MB in  3.08 seconds =  26.01 MB/sec", "read() failed: Input/output error");
        let file = read_file(&failed);
        assert_eq!(file.tests.len(), 3);
        assert!(file.faults[0].text.contains("Input/output error"));
        let flush = TEXT.replace(
            " Timing buffered",
            " HDIO_DRIVE_CMD(null) (wait for flush complete) failed: Inappropriate\n Timing buffered",
        );
        let file = read_file(&flush);
        assert_eq!((file.remarks.len(), file.faults.len()), (2, 0));
        let error =
            crate::read::read("x", b"/dev/sda:\n Timing buffered disk reads: read() failed: Input/output error\n")
                .unwrap_err();
        assert!(error.to_string().contains("Input/output error"), "{error}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z=/:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
