//! Table printed by bonnie++ 1.03 to 2.00: block writes, rewrites, block reads and seeks.
//!
//! The figures have these meanings in the source of bonnie++ (`bonnie++.cpp`, `bon_io.cpp`). Rates are in KiB/s or,
//! since 2.00, in bytes with a suffix. The I/O goes through the page cache, and each phase ends with a sync that is
//! included in the rate. A seek reads a block at a random position, and every tenth block is written back. `Latency` is
//! the longest operation of a phase. `+++++` marks a phase that was too short to time. Rates per character measure the
//! C library, not storage.

use crate::format::Format;
use crate::text::figure::{Cut, Figure, bytes, number, unit_of_time};
use crate::text::source::{self, ImportError, Source, clip};
use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "bonnie", shares_a_log: true, recognise, read };

/// Phases in the order of the columns, with the closest fio mode and the direction of the rate.
const PHASES: [(&str, Option<(&str, Way)>); 6] = [
    ("output per character", None),
    ("block output", Some(("write", Way::Write))),
    ("rewrite", Some(("rw", Way::All))),
    ("input per character", None),
    ("block input", Some(("read", Way::Read))),
    ("random seeks", Some(("randread", Way::Read))),
];

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(is_title)
}

fn is_title(line: &str) -> bool {
    line.contains("--Sequential Output--") && line.contains("--Sequential Input-")
}

#[derive(Default)]
struct Reader {
    file: ForeignFile,
    /// True while reading the table of block operations. The table of file operations that follows it is ignored.
    is_in_blocks: bool,
    /// Start positions of the phase columns in the heading line.
    columns: Vec<usize>,
    concurrency: Option<u32>,
    has_suffixes: bool,
    /// Phases and test indexes of the last row.
    row: Vec<(usize, usize)>,
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    "bonnie++".clone_into(&mut reader.file.tool);
    // Columns are identified by their position in the line, so lines are not trimmed.
    for (number, line) in source.lines()? {
        reader.line(number, line);
    }
    source::with_tests(vec![reader.file], "bonnie++")
}

impl Reader {
    fn line(&mut self, number_of_line: u32, line: &str) {
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        if is_title(line) {
            self.is_in_blocks = true;
            self.row.clear();
            if let Some(version) = line.split_ascii_whitespace().nth(1).filter(|_| first == "Version") {
                self.file.tool = format!("bonnie++ {version}");
            }
        } else if line.contains("--Sequential Create--") {
            self.is_in_blocks = false;
        } else if !self.is_in_blocks {
            // This is the table of file operations.
        } else if line.contains("-Rewrite-") {
            self.columns = Some(columns(line)).filter(|columns| columns.len() == PHASES.len()).unwrap_or_default();
            self.concurrency =
                (first == "Concurrency").then(|| line.split_ascii_whitespace().nth(1)?.parse().ok()).flatten();
        } else if line.contains("%CP") {
            self.has_suffixes = !line.contains("K/sec");
        } else if first == "Latency" {
            self.latencies(number_of_line, line);
        } else {
            self.figures(number_of_line, line);
        }
    }

    /// Parses `nas  16G   139  99 775132  99 589190  99   383  99 1638929  99 12930 2046`.
    fn figures(&mut self, line: u32, text: &str) {
        let Some(begin) = self.columns.first().and_then(|at| at.checked_sub(1)) else { return };
        let Some((head, _)) = text.split_at_checked(begin.min(text.len())) else { return };
        let mut head = head.split_ascii_whitespace();
        let (machine, size) = match (head.next(), head.next()) {
            (Some(machine), Some(size)) => (machine, size),
            (Some(size), None) if size.ends_with(|c: char| c.is_ascii_alphabetic()) => ("", size),
            _ => return,
        };
        let size = bytes(size.split(':').next().unwrap_or(size), true);
        let Some((size, "")) = size else { return };
        self.row.clear();
        // Each rate is followed by a CPU percentage.
        let rates: Vec<(usize, &str)> = words(text).into_iter().filter(|(end, _)| *end > begin).step_by(2).collect();
        for (phase, rate) in in_columns(&rates, &self.columns, "K/sec".len()) {
            let (name, Some((rw, way))) = PHASES[phase] else { continue };
            let (quantity, figure) = if phase == 5 {
                (Quantity::Iops(Statistic::Overall), number(rate).map(|(figure, _)| figure))
            } else {
                (Quantity::Bandwidth(Statistic::Overall), self.bandwidth(rate))
            };
            // The phase was too short to time.
            let Some(figure) = figure else { continue };
            let mut test =
                ForeignTest { name: format!("{machine} {name}").trim().to_owned(), line, ..ForeignTest::default() };
            test.asked.rw = Some(rw.to_owned());
            test.asked.size = Some(Bytes(size.value as u64));
            test.asked.direct = Some(false);
            test.asked.jobs = self.concurrency;
            test.values.push(figure.to_value(way, quantity, Cut::Down, line, clip(rate)));
            self.row.push((phase, self.file.tests.len()));
            self.file.tests.push(test);
        }
    }

    /// Parses a rate into bytes per second. It is printed in KiB/s, or since 2.00 with a suffix.
    fn bandwidth(&self, text: &str) -> Option<Figure> {
        match self.has_suffixes {
            true => bytes(text, true).map(|(figure, _)| figure),
            false => number(text).map(|(figure, _)| figure.times(1024.0)),
        }
    }

    /// Parses the longest latency of each phase: `Latency  60266us  7030us  7059us  21553us  3844us  5710us`.
    fn latencies(&mut self, line: u32, text: &str) {
        for (phase, cell) in in_columns(&words(text)[1..], &self.columns, "60266us".len()) {
            let Some((_, test)) = self.row.iter().find(|(measured, _)| *measured == phase) else { continue };
            let Some((_, Some((_, way)))) = PHASES.get(phase) else { continue };
            let Some((figure, unit)) = number(cell) else { continue };
            let Some(unit) = unit_of_time(unit.trim()) else { continue };
            let quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Max);
            let value = figure.times(unit).to_value(*way, quantity, Cut::Down, line, clip(cell));
            self.file.tests[*test].values.push(value);
        }
    }
}

/// Returns the start positions of the columns in `-Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--`.
fn columns(line: &str) -> Vec<usize> {
    let mut columns: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(next) = line[at..].find(" -").map(|next| at + next + 1) {
        columns.push(next);
        at = next + 1;
    }
    if line.starts_with('-') {
        columns.insert(0, 0);
    }
    columns
}

/// Splits a line into words with their end positions.
fn words(line: &str) -> Vec<(usize, &str)> {
    let end = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize + word.len();
    line.split_ascii_whitespace().map(|word| (end(word), word)).collect()
}

/// Assigns words to phase columns. A word usually ends `width` characters into its column. Skipped phases are blank, so
/// if there are fewer words than columns, they are assigned in order to the nearest columns.
fn in_columns<'a>(words: &[(usize, &'a str)], columns: &[usize], width: usize) -> Vec<(usize, &'a str)> {
    if words.len() == columns.len() {
        return words.iter().enumerate().map(|(phase, (_, word))| (phase, *word)).collect();
    }
    let mut first = 0;
    let mut cells = Vec::new();
    for (end, word) in words {
        let nearest = (first..columns.len()).min_by_key(|column| (columns[*column] + width).abs_diff(*end));
        let Some(column) = nearest else { break };
        cells.push((column, *word));
        first = column + 1;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/bonnie.txt");
    const BANDWIDTH: Quantity = Quantity::Bandwidth(Statistic::Overall);
    const LONGEST: Quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Max);

    #[test]
    fn tables_of_every_version_are_read() {
        let file = crate::read::read("x", TEXT.as_bytes()).unwrap().remove(0);
        let find = |name: &str| file.tests.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("{name}"));
        let zfs = find("FreeBSDzfs block output");
        assert_eq!(zfs.value(Way::Write, BANDWIDTH), Some(108_834.0 * 1024.0));
        assert!(zfs.value(Way::Write, LONGEST).is_some_and(|t| (t - 1.992).abs() < 1e-9));
        assert_eq!((zfs.asked.jobs, zfs.asked.size), (Some(4), Some(Bytes(16 << 30))));
        assert_eq!(find("FreeBSDzfs random seeks").value(Way::Read, Quantity::Iops(Statistic::Overall)), Some(393.0));
        let server = find("MYSERVER block input");
        assert_eq!(server.value(Way::Read, BANDWIDTH), Some(102_054.0 * 1024.0));
        // This output has the suffixes of version 2.00, and a phase that was too short to time.
        let debian = find("debian0 block output");
        assert!(debian.value(Way::Write, BANDWIDTH).is_some_and(|b| (b - 1.4 * 1_073_741_824.0).abs() < 1.0));
        assert!(debian.value(Way::Write, LONGEST).is_some_and(|t| (t - 24.976e-3).abs() < 1e-9));
        assert!(file.tests.iter().all(|t| t.name != "debian0 random seeks"));
        assert!(file.tests.iter().all(|t| !t.name.contains("character") && t.asked.direct == Some(false)));
    }

    #[test]
    fn rates_of_more_digits_than_their_column_stay_with_it() {
        let row = "Version  1.97       ------Sequential Output------ --Sequential Input- --Random-\n\
                   Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n\
                   Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n\
                   nas          16384M   139  99 775132  99 589190  99   383  99 1638929  99 12930 2046\n";
        let file = crate::read::read("x", row.as_bytes()).unwrap().remove(0);
        let rates: Vec<f64> = file.tests.iter().filter_map(|t| t.values[0].value).collect();
        assert_eq!(rates, [775_132.0 * 1024.0, 589_190.0 * 1024.0, 1_638_929.0 * 1024.0, 12_930.0]);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-zé=/:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", TEXT.get(..at).unwrap_or(""), TEXT.get((at + gone).min(TEXT.len())..).unwrap_or(""));
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
