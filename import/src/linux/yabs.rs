//! Output of YABS (Yet-Another-Bench-Script, masonr/yet-another-bench-script): the table of its fio tests or of its dd
//! tests. The JSON that it prints with `-j` is read by `yabs_json`.
//!
//! The parameters of the tests are not printed. According to the source (`yabs.sh`), for each block size fio runs
//! `randrw` with 50 % reads, `libaio`, `direct=1` and 2 jobs of depth 64, which share a file of 2 GiB (512 MiB on ARM).
//! A test ends after 30 s, or as soon as each job has transferred the size of the file; YABS does not print which.
//! Latencies are not measured (`gtod_reduce`). The row `Total` is the sum of the other two rows and is not read.
//!
//! Rates are from fio's terse output, in whole KiB/s and whole operations per second, and are truncated again. Before
//! v2026-07-03, YABS divided KiB/s by 1000 and printed `MB/s`. Since then, 1 MB is 1,000,000 bytes. IOPS and block
//! sizes show which unit a table uses.
//!
//! dd writes 16,384 blocks of 64 KiB with `oflag=direct` and reads them through the page cache, three times each.

use super::yabs_json;
use super::yabs_test::{BANDWIDTH, FILE, FILE_ON_ARM, IOPS, PARTITION, fio_test, test_name};
use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{Cut, Figure, counted, number, size, unmeasured};
use crate::text::source::{self, ImportError, Source, add_remark, clip, fault, pass_over, remark, tool_error};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignFile, ForeignTest, Way};
use std::cmp::Ordering;

pub(crate) const FORMAT: Format = Format { name: "yabs", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    let mut lines = source.head().lines().flat_map(|line| line.split('\r')).map(plain);
    yabs_json::is_json(source.head()) || lines.any(|l| is_banner(l) || title(l).is_some() || columns(l).is_some())
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, plain(line)))?;
    reader.ends();
    let mut files = reader.files;
    if yabs_json::is_json(source.text()) {
        yabs_json::read_into(&mut files, source)?;
    }
    source::with_tests(files, "YABS")
}

/// Removes the escape sequence with which YABS clears its progress messages.
fn plain(line: &str) -> &str {
    line.trim().trim_start_matches("\u{1b}[0K").trim_start()
}

/// Returns `true` for the name of the script in the banner. Headings of Markdown have no `#` at the end.
fn is_banner(line: &str) -> bool {
    line.starts_with('#') && line.ends_with('#') && line.contains(" Yet-Another-Bench-Script ")
}

/// Kind of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Table {
    /// Bandwidths and IOPS of fio by block size.
    Fio,
    /// Bandwidths of dd, whose reads have this block size in bytes.
    Dd(u64),
    /// Bandwidths of dd for writes and of `ioping -R -L -D` for reads (v2019-10-08 to v2020-01-07).
    DdAndIoping,
}

/// Parses the title of a table.
fn title(line: &str) -> Option<Table> {
    match line {
        "dd Disk Speed Tests:" => Some(Table::Dd(64 << 10)),
        "dd Sequential Disk Speed Tests:" => Some(Table::Dd(8 << 10)),
        _ => line.starts_with("fio Disk Speed Tests (Mixed R/W 50/50)").then_some(Table::Fio),
    }
}

/// Parses the block sizes in `Block Size | 4k            (IOPS) | 64k           (IOPS)`.
fn columns(line: &str) -> Option<Vec<&str>> {
    let columns = line.strip_prefix("Block Size")?.trim_start().strip_prefix('|')?.split('|');
    let sizes: Vec<&str> = columns.filter_map(|c| c.trim().strip_suffix("(IOPS)")).map(str::trim).collect();
    (!sizes.is_empty() && sizes.iter().all(|s| size(s).is_some())).then_some(sizes)
}

/// Rows of a table that belong together, while they are being read.
struct Part {
    /// Name for messages: the block sizes, or the tool.
    name: String,
    /// Line of the heading, on which its tests begin.
    heading: u32,
    /// Last line that was read.
    last: u32,
    /// Index of the test in the first column.
    first: usize,
    /// Number of columns; 0 if the heading has not been read.
    columns: usize,
    /// Rows that have not been read yet.
    missing: Vec<&'static str>,
}

/// Cell of fio's table. The bandwidth is in bytes per second if 1 MB is 1,000,000 bytes.
struct Cell {
    test: usize,
    way: Way,
    bandwidth: Figure,
    iops: Figure,
    line: u32,
    words: String,
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    /// Line of the banner, which an excerpt may lack.
    banner: Option<u32>,
    is_arm: bool,
    /// Descriptions of the machine.
    others: Vec<(String, String)>,
    table: Option<Table>,
    part: Option<Part>,
    cells: Vec<Cell>,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if is_banner(line) {
            self.ends();
            self.banner = Some(number);
        } else if let Some(table) = self.title(line) {
            self.table_begins(number, line, table);
        } else if let Some(sizes) = columns(line) {
            self.columns_begin(number, &sizes);
        } else if let Some((label, cells)) = self.row(line) {
            self.read_row(number, line, label, cells);
        } else if !line.bytes().all(|b| b"-| ".contains(&b)) && !line.starts_with('|') {
            self.part_ends();
            self.description(number, line);
        }
    }

    /// Parses the title of a table. `Disk Speed Tests:` alone does not identify YABS.
    fn title(&self, line: &str) -> Option<Table> {
        let early = || (self.banner.is_some() && line == "Disk Speed Tests:").then_some(Table::DdAndIoping);
        title(line).or_else(early)
    }

    /// Splits a row of a table into its label and cells. `Read*` refers to a note about the page cache.
    fn row<'a>(&self, line: &'a str) -> Option<(&'static str, &'a str)> {
        self.table?;
        let (label, cells) = line.split_once('|')?;
        let label = ["Read", "Write", "Total"].into_iter().find(|l| *l == label.trim().trim_end_matches('*'))?;
        Some((label, cells))
    }

    /// Reads a line that is not part of a table.
    fn description(&mut self, number: u32, line: &str) {
        let version = line.trim_matches(['#', ' ']);
        if line == "Basic System Information:" && !self.file.tests.is_empty() {
            self.ends();
        } else if line.starts_with('#') && version.starts_with("v20") {
            self.file.tool = format!("YABS {version}");
        } else if line.starts_with("ARM compatibility is considered") {
            self.is_arm = true;
        } else if line.starts_with("Less than ") && line.ends_with("Skipping disk test...") {
            tool_error(&mut self.file, number, line);
        } else if line.contains("Your test results will be inaccurate") {
            fault(&mut self.file, number, || sentence!("import-called-invalid", text = clip(line)));
        } else if line.starts_with("fio disk speed tests failed") || line.starts_with("Fio binary download failed") {
            self.file.remarks.push(remark(number, clip(line)));
        } else if self.banner.is_some() && self.file.when.is_empty() && began(line).is_some() {
            line.clone_into(&mut self.file.when);
            self.file.began = began(line);
            self.file.zone = line.split(' ').any(|word| word == "UTC").then_some(0);
        } else if let Some((name, value)) = line.split_once(':').map(|(name, value)| (name.trim(), value.trim()))
            && ["Processor", "RAM", "Disk", "Distro", "Kernel", "VM Type"].contains(&name)
            && !value.is_empty()
        {
            self.others.push((name.to_owned(), clip(value)));
        }
    }

    fn table_begins(&mut self, number: u32, line: &str, table: Table) {
        self.part_ends();
        if !self.file.tests.is_empty() {
            self.ends();
        }
        self.table = Some(table);
        if let Some((partition, _)) = line.split_once("(Partition ").and_then(|(_, rest)| rest.split_once(')')) {
            self.others.push((PARTITION.to_owned(), clip(partition)));
        }
        // The fourth column of dd's table is the mean of the three runs.
        let (name, columns, missing) = match table {
            Table::Fio => ("fio", 0, vec!["Block Size"]),
            Table::Dd(_) => ("dd", 3, vec!["Write", "Read"]),
            Table::DdAndIoping => ("dd, ioping", 3, vec!["Write", "Read"]),
        };
        let (name, first) = (name.to_owned(), self.file.tests.len());
        self.part = Some(Part { name, heading: number, last: number, first, columns, missing });
    }

    fn columns_begin(&mut self, number: u32, sizes: &[&str]) {
        if let Some(part) = &mut self.part {
            part.missing.retain(|row| *row != "Block Size");
        }
        self.part_ends();
        // An excerpt may contain several tables without titles.
        let is_repeated = |size: &&str| self.file.tests.iter().any(|t| t.name == test_name(size));
        if sizes.iter().any(is_repeated) {
            self.ends();
        }
        self.table = Some(Table::Fio);
        let file_size = self.banner.map(|_| if self.is_arm { FILE_ON_ARM } else { FILE });
        // A port to Windows prints the same table, but fio uses another engine there.
        let is_windows = self.others.iter().any(|(name, value)| name == PARTITION && value.ends_with(':'));
        let part = Part {
            name: sizes.join(", "),
            heading: number,
            last: number,
            first: self.file.tests.len(),
            columns: sizes.len(),
            missing: vec!["Read", "Write", "Total"],
        };
        self.part = Some(part);
        for size in sizes {
            let mut test = fio_test(size, number, file_size);
            test.asked.engine = test.asked.engine.filter(|_| !is_windows);
            self.file.tests.push(test);
        }
    }

    fn read_row(&mut self, number: u32, line: &str, label: &'static str, cells: &str) {
        let (Some(part), Some(table)) = (&mut self.part, self.table) else {
            return pass_over(&mut self.file.remarks, number, line);
        };
        if part.columns == 0 {
            // The heading with the block sizes is missing.
            return pass_over(&mut self.file.remarks, number, line);
        }
        part.last = number;
        part.missing.retain(|row| *row != label);
        let way = match label {
            "Read" => Way::Read,
            "Write" => Way::Write,
            _ => return,
        };
        let (first, columns, heading) = (part.first, part.columns, part.heading);
        for (column, text) in cells.split('|').map(str::trim).take(columns).enumerate() {
            match table {
                Table::Fio => self.fio_cell(number, text, first + column, way),
                Table::Dd(_) | Table::DdAndIoping => self.dd_cell(number, text, (heading, column), way, table),
            }
        }
    }

    /// Parses `48.72 MB/s   (12.1k)`. A cell without figures means that fio failed, or that YABS stopped it after 35 s.
    fn fio_cell(&mut self, line: u32, text: &str, test: usize, way: Way) {
        let words = clip(text);
        if let Some((bandwidth, iops)) = fio_figures(text) {
            self.cells.push(Cell { test, way, bandwidth, iops, line, words });
        } else if text.bytes().any(|b| b.is_ascii_digit()) {
            pass_over(&mut self.file.remarks, line, text);
        } else if let Some(test) = self.file.tests.get_mut(test) {
            let empty = |quantity| unmeasured(way, quantity, line, words.as_str(), "the cell is empty");
            test.values.extend([BANDWIDTH, IOPS].map(empty));
        }
    }

    /// Parses `291 MB/s`.
    fn dd_cell(&mut self, line: u32, text: &str, (heading, column): (u32, usize), way: Way, table: Table) {
        let Some((bandwidth, "")) = bandwidth(text) else { return pass_over(&mut self.file.remarks, line, text) };
        let mut test = dd_test(way, table, column, heading);
        let bandwidth = if test.asked.engine.is_some() { bandwidth } else { of_three_digits(bandwidth) };
        test.values.push(bandwidth.to_value(way, BANDWIDTH, Cut::Nearest, line, clip(text)));
        self.file.tests.push(test);
    }

    fn part_ends(&mut self) {
        let Some(part) = self.part.take().filter(|part| !part.missing.is_empty()) else { return };
        fault(&mut self.file, part.heading, || {
            sentence!("import-rows-missing", table = part.name, line = part.last, rows = part.missing.join(", "))
        });
    }

    /// Ends a run of YABS.
    fn ends(&mut self) {
        self.part_ends();
        let mut file = std::mem::take(&mut self.file);
        if file.tool.is_empty() {
            "YABS".clone_into(&mut file.tool);
        }
        add_fio_figures(&mut file, std::mem::take(&mut self.cells));
        for test in &mut file.tests {
            test.asked.others.extend(self.others.iter().cloned());
        }
        let is_measured = |test: &ForeignTest| test.values.iter().any(|v| v.value.is_some());
        if let Some(first) = file.tests.first().map(|test| test.line)
            && !file.tests.iter().any(is_measured)
        {
            file.tests.clear();
            fault(&mut file, first, || sentence!("import-yabs-empty", line = first));
        } else if let Some(line) = self.banner.filter(|_| file.tests.is_empty() && file.faults.is_empty()) {
            fault(&mut file, line, || sentence!("import-yabs-no-table", line));
        }
        let has = |name: &str| file.tests.iter().any(|test| test.name == test_name(name));
        if has("4k") && has("64k") && !has("512k") {
            add_remark(&mut file.remarks, 0, || sentence!("import-excerpt", missing = "Block Size | 512k"));
        }
        if !file.tests.is_empty() || !file.faults.is_empty() {
            self.files.push(file);
        }
        *self = Reader { files: std::mem::take(&mut self.files), ..Reader::default() };
    }
}

/// Creates a test with the parameters of one of dd's three runs, or of ioping's.
fn dd_test(way: Way, table: Table, column: usize, line: u32) -> ForeignTest {
    let (rw, tool, block, direct) = match (way, table) {
        (Way::Read, Table::Dd(block)) => ("read", "dd", block, false),
        // ioping's -L requests 256 KiB.
        (Way::Read, _) => ("read", "ioping", 256 << 10, true),
        _ => ("write", "dd", 64 << 10, true),
    };
    let name = format!("{tool} {rw} {}", column + 1);
    let mut test = ForeignTest { name, line, ..ForeignTest::default() };
    let asked = &mut test.asked;
    asked.rw = Some(rw.to_owned());
    asked.block[usize::from(way == Way::Write)] = Some((Bytes(block), Bytes(block)));
    (asked.depth, asked.jobs, asked.direct) = (Some(1), Some(1), Some(direct));
    match tool {
        "dd" => asked.size = Some(Bytes::from_gib(1)),
        _ => asked.engine = Some(tool.to_owned()),
    }
    test
}

/// Parses a bandwidth, such as `48.72 MB/s`, for an MB of 1,000,000 bytes. Returns the rest of the text.
fn bandwidth(text: &str) -> Option<(Figure, &str)> {
    let (figure, rest) = number(text)?;
    let (unit, rest) = rest.trim_start().split_at_checked("MB/s".len())?;
    let scale = match unit {
        "KB/s" => 1e3,
        "MB/s" => 1e6,
        "GB/s" => 1e9,
        _ => return None,
    };
    Some((figure.times(scale), rest))
}

/// Parses `48.72 MB/s   (12.1k)`.
fn fio_figures(text: &str) -> Option<(Figure, Figure)> {
    let (bandwidth, rest) = bandwidth(text)?;
    let (iops, rest) = counted(rest.trim_start().strip_prefix('(')?)?;
    (rest == ")").then_some((bandwidth, iops))
}

/// Widens the interval of a figure to the three digits that dd prints. YABS adds zeros.
fn of_three_digits(figure: Figure) -> Figure {
    let power = if figure.value > 0.0 { figure.value.log10().floor() as i32 - 2 } else { 0 };
    Figure { ulp: figure.ulp.max(10f64.powi(power)), ..figure }
}

/// First version in which 1 MB is 1,000,000 bytes.
const DECIMAL: &str = "YABS v2026-07-03";
/// Size of a printed byte if YABS divided KiB by 1000.
const KIB_OVER_1000: f64 = 1.024;
/// Relative difference that the roundings of fio and awk may cause.
const ROUNDING: f64 = 1e-3;

/// Adds the figures of a table, whose unit is known only after the whole table has been read.
fn add_fio_figures(file: &mut ForeignFile, cells: Vec<Cell>) {
    let fits = |cell: &Cell, unit: f64| {
        let block = file.tests.get(cell.test).and_then(|test| test.asked.block[0]);
        let block = block.map_or(0.0, |(block, _)| block.as_u64() as f64);
        let (low, high) = cell.bandwidth.times(unit).between(Cut::Down);
        let (fewest, most) = cell.iops.between(Cut::Down);
        low <= most * block * (1.0 + ROUNDING) && high >= fewest * block * (1.0 - ROUNDING)
    };
    let count = |unit: f64, other: f64| cells.iter().filter(|c| fits(c, unit) && !fits(c, other)).count();
    let by_figures = count(KIB_OVER_1000, 1.0).cmp(&count(1.0, KIB_OVER_1000));
    // Small figures have too few digits to show the unit.
    let by_version = || file.tool.starts_with("YABS v").then(|| DECIMAL.cmp(file.tool.as_str()));
    let (unit, doubt) = match if by_figures == Ordering::Equal { by_version() } else { Some(by_figures) } {
        Some(Ordering::Greater) => {
            (KIB_OVER_1000, Some("2.4 % above the printed figure: KiB divided by 1000, as in YABS before v2026-07-03"))
        }
        Some(Ordering::Equal | Ordering::Less) => (1.0, None),
        None => (1.0, Some("unit guessed: 2.4 % more if YABS is older than v2026-07-03")),
    };
    for cell in cells {
        let Some(test) = file.tests.get_mut(cell.test) else { continue };
        let bandwidth = cell.bandwidth.times(unit);
        let mut value = bandwidth.to_value(cell.way, BANDWIDTH, Cut::Down, cell.line, cell.words.as_str());
        value.doubt = doubt.map(str::to_owned);
        if unit == 1.0 && doubt.is_some() {
            value.between.1 *= KIB_OVER_1000;
        }
        test.values.extend([value, cell.iops.to_value(cell.way, IOPS, Cut::Down, cell.line, cell.words)]);
    }
}

/// Parses the output of `date`, such as `Tue May  7 11:03:34 CST 2024`, `Fri Aug 21 01:49:49 AM UTC 2026` or
/// `Wed 08 Jan 2020 07:33:21 PM UTC`, into seconds since 1970 in local time.
fn began(line: &str) -> Option<i64> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let (day, month) = match words.get(1..3)? {
        [day, month] if day.bytes().all(|b| b.is_ascii_digit()) => (day, month),
        [month, day] => (day, month),
        _ => return None,
    };
    let time = words.iter().position(|word| word.contains(':'))?;
    let half = words.get(time + 1).filter(|word| ["AM", "PM"].contains(word)).copied().unwrap_or_default();
    let year = words.iter().find(|word| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()))?;
    let midnight = dates::ctime(&format!("{} {month} {day} 00:00:00 {year}", words[0]))?;
    Some(midnight + dates::time_of_day(&format!("{}{half}", words[time]))? as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/yabs.txt");
    const DD: &str = include_str!("../../tests/data/public/yabs-dd.txt");
    /// Table from an issue of YABS, of a machine on which fio does not run.
    const EMPTY: &str = "fio Disk Speed Tests (Mixed R/W 50/50) (Partition /dev/vda2):\n---------------------------------\n\
        Block Size | 4k            (IOPS) | 64k           (IOPS)\n  ------   | ---            ----  | ----           ---- \n\
        Read       |                   () |                   ()\nWrite      |                   () |                   ()\n\
        Total      | 0.00 KB/s        (0) | 0.00 KB/s        (0)\n           |                      |                     \n\
        Block Size | 512k          (IOPS) | 1m            (IOPS)\n  ------   | ---            ----  | ----           ---- \n\
        Read       |                   () |                   ()\nWrite      |                   () |                   ()\n\
        Total      | 0.00 KB/s        (0) | 0.00 KB/s        (0)\n";

    fn read_files(text: &str) -> Vec<ForeignFile> {
        crate::read::read("x", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn error(text: &str) -> String {
        crate::read::read("x", text.as_bytes()).unwrap_err().to_string()
    }

    /// Returns the run of the version 2024-04-22.
    fn run_of_2024() -> &'static str {
        let begin = TEXT.find("$ bash").unwrap();
        &TEXT[begin..begin + TEXT[begin..].find("Geekbench").unwrap()]
    }

    fn bandwidths(test: &ForeignTest) -> [f64; 2] {
        [Way::Read, Way::Write].map(|way| test.value(way, BANDWIDTH).unwrap())
    }

    #[test]
    fn runs_of_every_version_have_their_tests_and_options() {
        let files = read_files(TEXT);
        let tools: Vec<&str> = files.iter().map(|f| f.tool.as_str()).collect();
        assert_eq!(tools, ["YABS v2020-02-04", "YABS v2024-04-22", "YABS v2022-05-06", "YABS v2026-07-24"]);
        assert!(files.iter().all(|f| f.tests.len() == 4 && f.faults.is_empty() && f.remarks.is_empty()), "{files:?}");
        let names: Vec<&str> = files[1].tests.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["rand_rw_4k", "rand_rw_64k", "rand_rw_512k", "rand_rw_1m"]);
        let blocks: Vec<u64> = files[0].tests.iter().map(|t| t.asked.block[1].unwrap().1.as_u64()).collect();
        assert_eq!(blocks, [4096, 65_536, 524_288, 1_048_576]);
        let asked = &files[1].tests[3].asked;
        assert_eq!((asked.rw.as_deref(), asked.engine.as_deref()), (Some("randrw"), Some("libaio")));
        assert_eq!((asked.depth, asked.jobs, asked.direct, asked.seconds), (Some(64), Some(2), Some(true), Some(30.0)));
        assert!(asked.others.contains(&(PARTITION.to_owned(), "/dev/vda1".to_owned())));
        let sizes: Vec<_> = files.iter().map(|f| f.tests[0].asked.size).collect();
        assert_eq!(sizes, [Some(FILE), Some(FILE), Some(FILE_ON_ARM), Some(FILE)]);
    }

    #[test]
    fn iops_are_truncated_and_their_product_shows_the_unit() {
        let files = read_files(TEXT);
        // 12.1k to 12.2k reads of 4 KiB are 49.56 to 49.97 MB/s, but the table says 48.72 MB/s.
        let [reads, writes] = bandwidths(&files[1].tests[0]);
        assert!((reads - 49_889_280.0).abs() < 1.0 && (writes - 49_971_200.0).abs() < 1.0, "{reads} {writes}");
        let rate = files[1].tests[0].get(Way::Read, IOPS).unwrap();
        assert_eq!((rate.value, rate.between, rate.line), (Some(12_100.0), (12_100.0, 12_200.0), 61));
        let printed = files[1].tests[0].get(Way::Read, BANDWIDTH).unwrap();
        assert!(
            printed.doubt.as_deref().is_some_and(|d| d.starts_with("2.4 %")) && printed.words.starts_with("48.72 MB/s")
        );
        // 103 to 104 writes of 1 MiB are 108.0 to 109.1 MB/s; printed are 105.63 MB/s.
        assert!((bandwidths(&files[1].tests[3])[1] - 108_165_120.0).abs() < 1.0);
        assert_eq!(files[1].tests[3].value(Way::Write, IOPS), Some(103.0));
        // 68.6k to 68.7k reads of 4 KiB are 281.0 to 281.4 MB/s, as printed.
        let last = &files[3].tests;
        assert_eq!((bandwidths(&last[0]), bandwidths(&last[2])), ([281.33e6, 282.08e6], [12.83e9, 13.51e9]));
        assert_eq!(last[0].get(Way::Read, BANDWIDTH).unwrap().doubt, None);
    }

    #[test]
    fn an_excerpt_has_the_unit_of_its_figures_or_reports_a_guess() {
        let begin = run_of_2024().find("Block Size").unwrap();
        let excerpt = read_files(&run_of_2024()[begin..]).remove(0);
        assert_eq!((excerpt.tool.as_str(), excerpt.tests.len(), excerpt.tests[0].asked.size), ("YABS", 4, None));
        assert!((bandwidths(&excerpt.tests[0])[0] - 49_889_280.0).abs() < 1.0);
        let row = "Block Size | 4k (IOPS)\nRead | 5.0 MB/s (1.2k)\nWrite | 5.0 MB/s (1.2k)\nTotal | 10.0 MB/s (2.4k)\n";
        let value = read_files(row)[0].tests[0].get(Way::Read, BANDWIDTH).unwrap().clone();
        assert!(value.doubt.as_deref().is_some_and(|d| d.starts_with("unit guessed")), "{value:?}");
        assert!(value.value == Some(5e6) && value.between.1 > 5.12e6, "{value:?}");
    }

    #[test]
    fn tables_of_dd_have_three_runs_of_each_direction() {
        let files = read_files(DD);
        let names: Vec<&str> = files[0].tests.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(
            names,
            ["dd write 1", "dd write 2", "dd write 3", "ioping read 1", "ioping read 2", "ioping read 3"]
        );
        let write = files[0].tests[0].get(Way::Write, BANDWIDTH).unwrap();
        assert_eq!((write.value, write.between), (Some(363e6), (362.5e6, 363.5e6)));
        let read = files[0].tests[3].get(Way::Read, BANDWIDTH).unwrap();
        assert!(read.value == Some(411.58e6) && read.between.0 > 411.57e6);
        let [writes, reads] = [0, 5].map(|place| &files[1].tests[place].asked);
        assert_eq!((writes.block[1], writes.direct), (Some((Bytes(65_536), Bytes(65_536))), Some(true)));
        assert_eq!((reads.block[0], reads.direct), (Some((Bytes(8192), Bytes(8192))), Some(false)));
        assert_eq!(files[1].tests[5].value(Way::Read, BANDWIDTH), Some(179e6));
        assert!(files.iter().all(|f| f.faults.is_empty() && f.remarks.is_empty()), "{files:?}");
    }

    #[test]
    fn dates_are_read_in_every_order() {
        for (text, expected) in [
            ("Tue May  7 11:03:34 CST 2024", "2024-05-07 11:03:34"),
            ("Fri Aug 21 01:49:49 PM UTC 2026", "2026-08-21 13:49:49"),
            ("Wed 08 Jan 2020 07:33:21 PM UTC", "2020-01-08 19:33:21"),
            ("Sun Mar  3 12:37:10 AM EST 2024", "2024-03-03 00:37:10"),
        ] {
            assert_eq!(began(text), dates::iso(expected), "{text}");
        }
        assert_eq!(began("Uptime     : 0 days, 14 hours, 16 minutes"), None);
    }

    #[test]
    fn a_table_that_ends_early_strikes_its_own_block_sizes() {
        let cut = run_of_2024().find("Write      | 104.63").unwrap();
        let file = read_files(&run_of_2024()[..cut]).remove(0);
        assert_eq!((file.tests.len(), file.faults.len()), (4, 1));
        assert_eq!(file.faults[0].line, file.tests[2].line);
        let said = file.faults[0].text.as_str();
        assert!(said.contains("512k, 1m") && said.contains("line 35") && said.contains("Write, Total"), "{said}");
        assert_eq!(file.tests[2].value(Way::Read, IOPS), Some(194.0));
        // A cell without its end is not a figure.
        let file = read_files(&run_of_2024()[..run_of_2024().find("MB/s    (204)").unwrap()]).remove(0);
        assert!(file.tests[2].get(Way::Write, BANDWIDTH).is_none());
        assert!(file.remarks.iter().any(|r| r.text.as_str().contains("104.63")), "{:?}", file.remarks);
        // A table without its second half is complete as far as it goes.
        let half = run_of_2024().find("           |").unwrap();
        let file = read_files(&run_of_2024()[..half]).remove(0);
        assert!(file.faults.is_empty() && file.remarks[0].text.as_str().contains("512k"), "{file:?}");
    }

    #[test]
    fn a_run_without_figures_is_refused_with_the_reason() {
        let said = error(EMPTY);
        assert!(said.contains("YABS") && said.contains("empty") && said.contains("line 3"), "{said}");
        let said = error(&run_of_2024()[..run_of_2024().find("fio Disk").unwrap()]);
        assert!(said.contains("line 3") && said.contains("fio Disk Speed Tests"), "{said}");
        let said = error("fio Disk Speed Tests (Mixed R/W 50/50):\n---------------------------------\n");
        assert!(said.contains("line 1") && said.contains("Block Size"), "{said}");
        let said = error("I ran Yet-Another-Bench-Script and fio Disk Speed Tests were fine.\n");
        assert!(said.contains("not supported"), "{said}");
        // Dashes instead of figures.
        let dashes = run_of_2024().replace("48.72 MB/s   (12.1k)", "-");
        let file = read_files(&dashes).remove(0);
        assert!(file.tests[0].get(Way::Read, IOPS).is_none() && file.tests[0].get(Way::Write, IOPS).is_some());
        assert_eq!(file.tests[0].values[0].value, None);
    }

    #[test]
    fn progress_messages_on_the_same_line_are_skipped() {
        let log = run_of_2024().replace("fio Disk", "Running fio...\r\u{1b}[0K\r\u{1b}[0Kfio Disk");
        let file = read_files(&log).remove(0);
        assert_eq!((file.tests.len(), file.tests[0].asked.others.iter().filter(|o| o.0 == PARTITION).count()), (4, 1));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z=/:.|() \\n-]{0,12}") {
            let part = |range: std::ops::Range<usize>| TEXT.get(range).unwrap_or_default();
            let text = format!("{}{put}{}", part(0..at), part((at + gone).min(TEXT.len())..TEXT.len()));
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
