//! IO500's `result_summary.txt`, which is also its console output: one test per phase, and the score.
//!
//! 1 GiB is 1024^3 bytes. The kIOPS of a phase are thousands of files per second, as counted by mdtest and find. IO500
//! marks phases that violate its rules, and scores that are computed from such phases. In output of scripts from before
//! SC20, the meaning of `GB/s` is unknown, so only the score is read.

use crate::format::Format;
use crate::text::figure::{Cut, number};
use crate::text::source::{self, ImportError, Source, Unknown, clip, cut, fault, remark, tool_error};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignTest, ForeignWork, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "io500", shares_a_log: true, recognise, read };

const GIB: f64 = 1_073_741_824.0;

fn recognise(source: &Source<'_>) -> bool {
    let begins = |line: &str| ["IO500 version ", "[RESULT]", "[SCORE"].iter().any(|word| line.starts_with(word));
    source.head().lines().any(|line| begins(line.trim_start()))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let (mut files, mut file, mut unknown) = (Vec::new(), ForeignFile::default(), Unknown::default());
    let mut has_score = false;
    source.each_line(|number, line| {
        if let Some(version) = line.strip_prefix("IO500 version ") {
            ends(&mut files, &mut file, std::mem::take(&mut has_score), &mut unknown);
            file.tool = format!("IO500 {version}");
        } else if line.starts_with("[SCORE") {
            has_score = true;
            if !score(&mut file, number, line) {
                unknown.line(&mut file.remarks, number, line);
            }
        } else if let Some(rest) = line.strip_prefix("[RESULT]") {
            if !phase(&mut file, number, line, rest) {
                unknown.line(&mut file.remarks, number, line);
            }
        } else if line.contains("test phases invalid") {
            fault(&mut file, number, || sentence!("import-called-invalid", text = clip(line)));
        } else if line.starts_with("ERROR INVALID") || line.contains("WARNING") {
            // This line is the reason why a phase is marked. The mark itself is on the line of the phase.
            file.remarks.push(remark(number, clip(line)));
        } else if line.contains("ERROR") {
            tool_error(&mut file, number, line);
        } else if !line.starts_with('[') && !file.tests.is_empty() && !has_score {
            unknown.line(&mut file.remarks, number, line);
        }
    })?;
    ends(&mut files, &mut file, has_score, &mut unknown);
    source::with_tests(files, "IO500")
}

fn ends(files: &mut Vec<ForeignFile>, file: &mut ForeignFile, has_score: bool, unknown: &mut Unknown) {
    if !file.tests.is_empty() && !has_score {
        cut(file, "[SCORE");
    }
    unknown.end(&mut file.remarks);
    files.push(std::mem::take(file));
}

/// Parses `    ior-easy-write        2.259563 GiB/s : time 332.503 seconds [INVALID]`.
fn phase(file: &mut ForeignFile, line: u32, words: &str, rest: &str) -> bool {
    let Some((name, figures)) = rest.trim().split_once(' ') else { return false };
    let Some((figure, rest)) = number(figures) else { return false };
    let way = match name {
        n if n.starts_with("ior") && n.ends_with("write") => Way::Write,
        n if n.starts_with("ior") && n.ends_with("read") => Way::Read,
        _ => Way::All,
    };
    let (quantity, scale) = match rest.split_ascii_whitespace().next() {
        Some("GiB/s") => (Quantity::Bandwidth(Statistic::Overall), GIB),
        Some("kIOPS" | "kiops") => (Quantity::Work(ForeignWork::Entries, Statistic::Overall), 1e3),
        _ => return false,
    };
    let mut test = ForeignTest { name: name.to_owned(), line, ..ForeignTest::default() };
    test.values.push(figure.times(scale).to_value(way, quantity, Cut::Nearest, line, clip(words)));
    let time = rest.split_once("time ").and_then(|(_, time)| number(time));
    test.values.extend(time.map(|(f, _)| f.to_value(Way::All, Quantity::Runtime, Cut::Nearest, line, clip(words))));
    marked(file, line, words);
    file.tests.push(test);
    true
}

/// Parses `[SCORE ] Bandwidth 0.585873 GiB/s : IOPS 4.148649 kiops : TOTAL 1.559032`. These figures are geometric means
/// and not rates.
fn score(file: &mut ForeignFile, line: u32, words: &str) -> bool {
    let Some((_, rest)) = words.split_once(']') else { return false };
    let Some((parts, total)) = rest.split_once("TOTAL ") else { return false };
    let Some((figure, _)) = number(total) else { return false };
    let mut test = ForeignTest { name: "SCORE".to_owned(), line, ..ForeignTest::default() };
    for part in parts.split(" : ").filter_map(|part| part.trim().split_once(' ')) {
        test.asked.others.push((part.0.to_owned(), part.1.trim().to_owned()));
    }
    let quantity = Quantity::Work(ForeignWork::Points, Statistic::Overall);
    test.values.push(figure.to_value(Way::All, quantity, Cut::Nearest, line, clip(words)));
    marked(file, line, words);
    file.tests.push(test);
    true
}

/// Adds a fault if a line ends with `[INVALID]`, or begins with `[SCORE-invalid]` as in scripts before SC20.
fn marked(file: &mut ForeignFile, line: u32, words: &str) {
    if words.contains("[INVALID]") || words.starts_with("[SCORE-invalid") {
        fault(file, line, || sentence!("import-called-invalid", text = clip(words)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SC20: &str = include_str!("../../tests/data/public/io500-sc20.txt");
    const ISC22: &str = include_str!("../../tests/data/public/io500-isc22.txt");
    const INVALID: &str = include_str!("../../tests/data/public/io500-invalid.txt");

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn phases_and_score_are_tests() {
        for (text, tool, write, find, total) in [
            (SC20, "IO500 io500-sc20_v3", 2.259563, 364_668.06, 2.724124),
            (ISC22, "IO500 io500-isc22_v1 (standard)", 0.764612, 290_737.481, 1.559032),
        ] {
            let file = read_file(text);
            assert_eq!((file.format.as_str(), file.tool.as_str(), file.tests.len()), ("io500", tool, 13));
            assert_eq!((file.remarks.len(), file.faults.len()), (0, 0), "{file:?}");
            let test_named = |name: &str| file.tests.iter().find(|t| t.name == name).unwrap();
            let bandwidth = test_named("ior-easy-write").value(Way::Write, Quantity::Bandwidth(Statistic::Overall));
            assert_eq!(bandwidth, Some(write * GIB));
            let entries =
                test_named("find").value(Way::All, Quantity::Work(ForeignWork::Entries, Statistic::Overall)).unwrap();
            assert!((entries - find).abs() < 1e-6, "{entries}");
            let points = test_named("SCORE").value(Way::All, Quantity::Work(ForeignWork::Points, Statistic::Overall));
            assert_eq!(points, Some(total));
            assert_eq!(test_named("SCORE").value(Way::All, Quantity::Bandwidth(Statistic::Overall)), None);
        }
        assert_eq!(read_file(SC20).tests[0].value(Way::All, Quantity::Runtime), Some(332.503));
    }

    #[test]
    fn what_it_calls_invalid_is_a_fault_of_that_phase() {
        let file = read_file(INVALID);
        let struck: Vec<&str> = file
            .faults
            .iter()
            .filter_map(|fault| file.tests.iter().find(|t| t.line == fault.line))
            .map(|t| t.name.as_str())
            .collect();
        assert_eq!(struck, ["find", "SCORE"]);
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let file = read_file(&ISC22[..ISC22.find("[SCORE").unwrap()]);
        assert!(file.faults[0].text.contains("[SCORE"), "{:?}", file.faults);
        let failed =
            ISC22.replace("[RESULT]                 find", "ERROR: could not open file\n[RESULT]                 find");
        assert!(read_file(&failed).faults[0].text.contains("could not open file"));
        let error = crate::read::read("x", &ISC22.as_bytes()[..ISC22.find('[').unwrap()]).unwrap_err().to_string();
        assert_eq!(error, "it contains no result of IO500");
    }

    #[test]
    fn of_the_scripts_before_only_the_score_is_read() {
        let text = "[RESULT] BW   phase 1            ior_easy_write                8.581 GB/s : time  58.27 seconds\n\
                    One or more test phases invalid.  Not valid for IO-500 submission.\n\
                    [SCORE-valid] Bandwidth 1.61907 GB/s : IOPS 14.8749 kiops : TOTAL 4.90749\n";
        let file = read_file(text);
        assert_eq!((file.tests.len(), file.remarks.len(), file.faults.len()), (1, 1, 1), "{file:?}");
        assert!(file.faults[0].text.contains("phases invalid"));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..ISC22.len(), gone in 0usize..30, put in "[0-9A-Za-z\\[\\]:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &ISC22[..at], &ISC22[(at + gone).min(ISC22.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
