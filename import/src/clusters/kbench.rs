//! kbench's summary of one volume, or of two volumes side by side (yasker/kbench, `fio/parse.sh` and
//! `fio/cmp_parse.sh`).
//!
//! Rates are means over fio's samples, and latencies are means over operations. Both are truncated to whole numbers.
//! The summary does not contain block sizes, depths and run times, which differ between versions.

use crate::format::Format;
use crate::text::figure::{Cut, number};
use crate::text::source::{self, ImportError, Source, Unknown, clip};
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "kbench", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| is_title(line.trim()))
}

/// Returns `true` for the title of a summary. The misspelling in the second title is part of the format.
fn is_title(line: &str) -> bool {
    matches!(line, "FIO Benchmark Summary" | "FIO Benchmark Comparsion Summary" | "FIO Benchmark Comparison Summary")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "kbench")
}

/// Section of the summary, with the quantity that its figures measure and the size of their unit in base units.
#[derive(Clone, Copy)]
struct Section {
    name: &'static str,
    quantity: Quantity,
    unit: f64,
}

const SECTIONS: [Section; 3] = [
    Section { name: "IOPS", quantity: Quantity::Iops(Statistic::Overall), unit: 1.0 },
    Section { name: "Bandwidth in KiB/sec", quantity: Quantity::Bandwidth(Statistic::Overall), unit: 1024.0 },
    Section { name: "Latency in ns", quantity: Quantity::Latency(ForeignLatency::Total, Statistic::Mean), unit: 1e-9 },
];

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    is_open: bool,
    volumes: Vec<String>,
    section: Option<Section>,
    others: Vec<(String, String)>,
    unknown: Unknown,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if is_title(line) {
            self.ends();
            self.is_open = true;
        } else if !self.is_open || line.starts_with("===") || line.ends_with("Change") {
            // Skip progress before the summary, separator lines and column headings.
        } else if let Some(section) = SECTIONS.into_iter().find(|s| line.starts_with(s.name)) {
            self.section = Some(section);
        } else if let Some((name, value)) = line.split_once(':') {
            let (name, value) = (name.trim(), value.trim());
            match (name, self.section) {
                ("For", None) => self.volumes = value.split(" vs ").map(|v| v.trim().to_owned()).collect(),
                ("Random", Some(section)) => self.figures(number, line, section, ["randread", "randwrite"], value),
                ("Sequential", Some(section)) => self.figures(number, line, section, ["read", "write"], value),
                (_, Some(section)) => self.others.push((format!("{}, {name}", section.name), clip(value))),
                (_, None) => self.others.push((name.to_owned(), clip(value))),
            }
        } else {
            self.unknown.line(&mut self.file.remarks, number, line);
        }
    }

    /// Parses `96,735 / 89,565`, or for two volumes `96,735 / 89,565 vs 98,135 / 88,990 : 1.45% / -0.64%`.
    fn figures(&mut self, line: u32, words: &str, section: Section, rw: [&str; 2], value: &str) {
        let volumes = value.split(" : ").next().unwrap_or(value).split(" vs ");
        for (place, pair) in volumes.enumerate() {
            let volume = self.volumes.get(place).cloned().unwrap_or_default();
            for ((rw, way), text) in rw.into_iter().zip([Way::Read, Way::Write]).zip(pair.split('/')) {
                let Some((figure, _)) = number(text) else { continue };
                let name = format!("{volume} {}", section.name).trim().to_owned();
                let mut test = ForeignTest { name, line, ..ForeignTest::default() };
                test.asked.rw = Some(rw.to_owned());
                let figure = figure.times(section.unit);
                test.values.push(figure.to_value(way, section.quantity, Cut::Down, line, clip(words)));
                self.file.tests.push(test);
            }
        }
    }

    fn ends(&mut self) {
        self.unknown.end(&mut self.file.remarks);
        let mut file = std::mem::take(&mut self.file);
        "kbench".clone_into(&mut file.tool);
        for test in &mut file.tests {
            test.asked.others.clone_from(&self.others);
        }
        if !file.tests.is_empty() {
            self.files.push(file);
        }
        *self = Reader { files: std::mem::take(&mut self.files), ..Reader::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: &str = include_str!("../../tests/data/public/kbench.txt");
    const TWO: &str = include_str!("../../tests/data/public/kbench-two.txt");

    fn tests_of(text: &str) -> Vec<ForeignTest> {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0).tests
    }

    #[test]
    fn each_direction_of_each_section_is_a_test() {
        let tests = tests_of(ONE);
        let rw: Vec<&str> = tests.iter().filter_map(|t| t.asked.rw.as_deref()).collect();
        assert_eq!(rw, ["randread", "randwrite", "read", "write"].repeat(3));
        assert_eq!(tests[1].value(Way::Write, Quantity::Iops(Statistic::Overall)), Some(5288.0));
        assert_eq!(tests[4].value(Way::Read, Quantity::Bandwidth(Statistic::Overall)), Some(300_118.0 * 1024.0));
        let latency = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
        assert!(tests[8].value(Way::Read, latency).is_some_and(|t| (t - 902.039e-6).abs() < 1e-12));
        assert!(tests[0].asked.others.contains(&("Size".to_owned(), "30G".to_owned())));
    }

    #[test]
    fn two_volumes_are_named() {
        let tests = tests_of(TWO);
        assert_eq!(tests.len(), 24);
        assert_eq!((tests[0].name.as_str(), tests[2].name.as_str()), ("850-pro-raw IOPS", "850-pro-ext4 IOPS"));
        assert_eq!(tests[2].value(Way::Read, Quantity::Iops(Statistic::Overall)), Some(98_135.0));
        assert!(
            tests[0].asked.others.iter().any(|(name, value)| name == "IOPS, CPU Idleness" && value.starts_with("68%"))
        );
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TWO.len(), gone in 0usize..30, put in "[0-9A-Za-z=/:,. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TWO[..at], &TWO[(at + gone).min(TWO.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
