//! Text output of CrystalDiskMark 3 to 8, and of tools that use the same format (KDiskMark, `secchi mark`). Each test
//! is a line.
//!
//! - Version 3 prints `Random Read 4KB (QD=32) : 271.859 MB/s [ 66371.9 IOPS]`.
//! - Versions 4 to 6 print `(Q= 32,T= 1)` instead of `(QD=32)`.
//! - Versions 7 and 8 have sections `[Read]`, `[Write]` and `[Mix]`, and print
//!   `SEQ 1MiB (Q= 8, T= 1): 5024.997 MB/s [ 4792.2 IOPS] < 1667.96 us>`.
//!
//! Each figure is the best of several loops.

use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{self, Cut};
use crate::text::source::{ImportError, Source, add_remark, clip};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "crystaldiskmark", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().filter(|l| row(l).is_some()).count() >= 1 && source.head().contains("DiskMark")
        || source.head().lines().filter(|l| row(l).is_some()).count() >= 4
}

/// Splits a test's line into its name and figures.
fn row(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_start_matches('>').trim();
    let (name, figures) = line.rsplit_once(':')?;
    let kind = name.get(..3)?.to_ascii_lowercase();
    (matches!(kind.as_str(), "seq" | "ran" | "rnd") && figures.contains(" MB/s"))
        .then_some((name.trim(), figures.trim()))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let (mut files, mut file) = (Vec::new(), ForeignFile::default());
    let mut section = Way::All;
    for (number, line) in source.lines()? {
        let text = line.trim().trim_start_matches('>').trim();
        if let Some((name, figures)) = row(line) {
            file.tests.push(test(number, text, name, figures, section, kdiskmark(&file.tool)));
        } else if text.contains("DiskMark ") {
            // A title line begins another report.
            if !file.tests.is_empty() {
                files.push(std::mem::take(&mut file));
            }
            let (tool, _) = text.split_once(" (C)").unwrap_or((text, ""));
            file.tool = tool.split("): http").next().unwrap_or(tool).replace(['(', ')'], "").trim().to_owned();
            section = Way::All;
        } else if let Some(name) = text.strip_prefix('[').filter(|t| t.contains(']')) {
            section = match name.split(']').next() {
                Some("Read") => Way::Read,
                Some("Write") => Way::Write,
                _ => Way::All,
            };
            if section == Way::All {
                add_remark(&mut file.remarks, number, || sentence!("import-mix", text = clip(text)));
            }
        } else if let Some((key, value)) = text.split_once(':') {
            footer(&mut file, key.trim(), value.trim());
        }
    }
    files.push(file);
    files.retain(|f| !f.tests.is_empty());
    if files.is_empty() { Err(ImportError("it contains no tests of CrystalDiskMark".to_owned())) } else { Ok(files) }
}

/// Parses `Test : 1024 MiB [C: 26.4% (122.8/465.2 GiB)] (x5)  [Interval=5 sec]` or `Date : 2012/02/15 20:39:27`.
fn footer(file: &mut ForeignFile, key: &str, value: &str) {
    match key {
        "Date" => {
            file.when = value.to_owned();
            file.began = dates::iso(&value.replace('/', "-"));
        }
        "Test" => {
            for test in &mut file.tests {
                test.asked.size = figure::size(value);
                test.asked.others.push((key.to_owned(), value.to_owned()));
            }
        }
        "OS" | "Profile" | "Mode" | "Mix Ratio" | "Comment" => {
            file.tests.iter_mut().for_each(|t| t.asked.others.push((key.to_owned(), value.to_owned())));
        }
        _ => {}
    }
}

/// Actual units of KDiskMark's figures, which differ from their labels (according to KDiskMark's `benchmark.cpp`). Used
/// only if the title names KDiskMark.
#[derive(Clone, Copy, PartialEq)]
enum KDiskMark {
    /// MiB/s (before 1.5.1).
    Mebibytes,
    /// KiB/s divided by 1000.
    Mixed,
    /// KiB/s divided by 1000. The latency is fio's `clat` (3.2.0 and later).
    MixedAndCompletion,
}

fn kdiskmark(tool: &str) -> Option<KDiskMark> {
    let version = tool.strip_prefix("KDiskMark ")?;
    let mut numbers = version.split(['.', '-']).map_while(|n| n.parse::<u32>().ok());
    let mut next = || numbers.next().unwrap_or(0);
    Some(match [next(), next(), next()] {
        version if version < [1, 5, 1] => KDiskMark::Mebibytes,
        version if version < [3, 2, 0] => KDiskMark::Mixed,
        _ => KDiskMark::MixedAndCompletion,
    })
}

fn test(line: u32, words: &str, name: &str, figures: &str, section: Way, kdiskmark: Option<KDiskMark>) -> ForeignTest {
    let lower = name.to_ascii_lowercase();
    let way = match (lower.contains("read"), lower.contains("write")) {
        (true, false) => Way::Read,
        (false, true) => Way::Write,
        _ => section,
    };
    let prefix = match way {
        Way::Read => "read ",
        Way::Write => "write ",
        _ => "",
    };
    let apart = lower.contains("read") || lower.contains("write");
    let squeezed = name.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let mut test = ForeignTest { line, ..ForeignTest::default() };
    test.name = if apart { squeezed } else { format!("{prefix}{squeezed}") };
    let is_random = !lower.starts_with("seq");
    test.asked.rw = Some(
        match (is_random, way) {
            (true, Way::Read) => "randread",
            (true, Way::Write) => "randwrite",
            (true, _) => "randrw",
            (false, Way::Read) => "read",
            (false, Way::Write) => "write",
            (false, _) => "rw",
        }
        .to_owned(),
    );
    let block = name.split(['(', ')']).next().unwrap_or(name);
    let block = block.find(|c: char| c.is_ascii_digit()).and_then(|at| figure::size(&block[at..]));
    test.asked.block = [block.map(|block| (block, block)); 2];
    let number =
        |key: &str| name.find(key).and_then(|at| figure::number(&name[at + key.len()..])).map(|(f, _)| f.value as u32);
    test.asked.depth = number("QD=").or_else(|| number("Q="));
    test.asked.jobs = number("T=").or(Some(1));
    figures_of(&mut test, (line, words), figures, way, block, kdiskmark);
    test
}

fn figures_of(
    test: &mut ForeignTest,
    (line, words): (u32, &str),
    figures: &str,
    way: Way,
    block: Option<Bytes>,
    kdiskmark: Option<KDiskMark>,
) {
    let bandwidth = figure::number(figures).map(|(f, _)| f.times(1e6));
    let iops = figures.split_once('[').and_then(|(_, rest)| figure::number(rest)).map(|(f, _)| f);
    let latency = figures.split_once('<').and_then(|(_, rest)| figure::number(rest)).map(|(f, _)| f.times(1e-6));
    let clipped = clip(words);
    if let Some(rate) = bandwidth {
        let mut value =
            rate.to_value(way, Quantity::Bandwidth(Statistic::Overall), Cut::Nearest, line, clipped.clone());
        // Without a title, the figures themselves show which unit was used.
        let is_mixed = iops
            .zip(block)
            .is_some_and(|(iops, block)| (iops.value * block.as_u64() as f64 / rate.value - 1.024).abs() < 0.002);
        value.doubt = match kdiskmark {
            Some(KDiskMark::Mebibytes) => {
                Some("4.9 % below IOPS times block size: the unit is MiB, as in KDiskMark before 1.5.1".to_owned())
            }
            Some(_) => Some(MIXED.to_owned()),
            None => is_mixed.then(|| MIXED.to_owned()),
        };
        test.values.push(value);
    }
    if let Some(iops) = iops {
        test.values.push(iops.to_value(way, Quantity::Iops(Statistic::Overall), Cut::Nearest, line, clipped.clone()));
    }
    if let Some(latency) = latency {
        let is_completion = kdiskmark == Some(KDiskMark::MixedAndCompletion);
        let what = if is_completion { ForeignLatency::Completion } else { ForeignLatency::Total };
        test.values.push(latency.to_value(way, Quantity::Latency(what, Statistic::Mean), Cut::Nearest, line, clipped));
    }
}

const MIXED: &str = "2.4 % below IOPS times block size: KiB divided by 1000, as in KDiskMark";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const V3: &str = "-----------------------------------------------------------------------\nCrystalDiskMark 3.0.1 x64 (C) 2007-2010 hiyohiyo\n\
        * MB/s = 1,000,000 byte/s [SATA/300 = 300,000,000 byte/s]\n\n           Sequential Read :   505.825 MB/s\n\
        \x20  Random Write 4KB (QD=32) :   174.695 MB/s [ 42650.1 IOPS]\n\n  Test : 1000 MB [C: 33.0% (39.3/119.1 GB)] (x5)\n  Date : 2012/02/15 20:39:27\n";
    const V6: &str = "CrystalDiskMark 6.0.2 x64 (C) 2007-2018 hiyohiyo\n  Random Read 4KiB (Q=  8,T= 8) :   393.900 MB/s [  96167.0 IOPS]\n";
    const V8: &str = "CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo\n[Read]\n  SEQ    1MiB (Q=  8, T= 1):  7427.749 MB/s [   7083.7 IOPS] <   987.81 us>\n\
        \n[Write]\n  RND    4KiB (Q= 32, T=16):  2020.814 MB/s [ 493362.8 IOPS] <  1021.30 us>\n\n[Mix] Read 70%/Write 30%\n\
        \x20 RND    4KiB (Q=  1, T= 1):   100.000 MB/s [  24414.1 IOPS] <    40.00 us>\n\nProfile: NVMe\n   Test: 1 GiB (x5) [D: 0% (0/954GiB)]\n   Date: 2024/01/06 5:41:15\n";
    const KDE: &str = "KDiskMark (1.6.0): https://github.com/JonMagon/KDiskMark\n[Read]\nSequential 1 MiB (Q= 8, T= 1):   542.516 MB/s [    529.8 IOPS] < 14415.61 us>\n";

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn tests_of_all_versions_have_their_way_block_and_concurrency() {
        let old = read_file(V3);
        assert_eq!(old.tool, "CrystalDiskMark 3.0.1 x64");
        assert_eq!(old.began, dates::iso("2012-02-15 20:39:27"));
        let seen: Vec<_> = [V3, V6, V8]
            .iter()
            .flat_map(|text| read_file(text).tests)
            .map(|t| {
                (t.asked.rw.unwrap(), t.asked.block[0].map(|b| b.0.as_u64()), t.asked.depth, t.asked.jobs.unwrap())
            })
            .collect();
        let row = |rw: &str, block, depth, jobs| (rw.to_owned(), block, depth, jobs);
        assert_eq!(
            seen,
            [
                row("read", None, None, 1),
                row("randwrite", Some(4096), Some(32), 1),
                row("randread", Some(4096), Some(8), 8),
                row("read", Some(1 << 20), Some(8), 1),
                row("randwrite", Some(4096), Some(32), 16),
                row("randrw", Some(4096), Some(1), 1),
            ]
        );
    }

    #[test]
    fn figures_have_their_units_and_what_is_too_low_is_doubted() {
        let test = &read_file(V8).tests[1];
        assert_eq!(test.value(Way::Write, Quantity::Bandwidth(Statistic::Overall)), Some(2_020_814_000.0));
        assert_eq!(test.value(Way::Write, Quantity::Latency(ForeignLatency::Total, Statistic::Mean)), Some(1021.30e-6));
        assert_eq!(test.values.iter().filter(|v| v.doubt.is_some()).count(), 0);
        assert_eq!(test.asked.size, Some(Bytes::from_gib(1)));
        assert!(read_file(KDE).tests[0].values[0].doubt.as_deref().unwrap().contains("2.4 %"));
    }

    #[test]
    fn a_report_of_kdiskmark_has_what_its_version_means() {
        let file = read_file(include_str!("../../tests/data/public/kdiskmark-1.6.txt"));
        assert_eq!(
            (file.format.as_str(), file.tool.as_str(), file.tests.len()),
            ("crystaldiskmark", "KDiskMark 1.6.0", 8)
        );
        assert_eq!(file.began, dates::iso("2020-09-05 18:31:47"));
        let small = &file.tests[7];
        assert_eq!(
            (small.asked.block[1], small.asked.size),
            (Some((Bytes(4096), Bytes(4096))), Some(Bytes::from_mib(32)))
        );
        let rate = small.get(Way::Write, Quantity::Bandwidth(Statistic::Overall)).unwrap();
        assert_eq!((rate.value, rate.doubt.as_deref()), (Some(103_696_000.0), Some(MIXED)));
        assert_eq!(small.value(Way::Write, Quantity::Iops(Statistic::Overall)), Some(25_924.1));
        let mean = |what| Quantity::Latency(what, Statistic::Mean);
        assert_eq!(small.value(Way::Write, mean(ForeignLatency::Total)), Some(36.71e-6));
        let later = read_file(&KDE.replace("1.6.0", "3.2.0"));
        assert!(later.tests[0].value(Way::Read, mean(ForeignLatency::Completion)).is_some());
        let earlier = read_file(&KDE.replace("1.6.0", "1.5.0"));
        assert!(earlier.tests[0].values[0].doubt.as_deref().unwrap().contains("4.9 %"));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..V8.len(), gone in 0usize..30, put in "[0-9A-Za-z<>=/.:, \\n\\[\\]()-]{0,12}") {
            let text = format!("{}{put}{}", &V8[..at], &V8[(at + gone).min(V8.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
