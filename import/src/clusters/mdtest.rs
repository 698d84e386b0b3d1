//! Text output of mdtest 1.9 to 4: one test per line of `SUMMARY rate`, one document per run.
//!
//! The last four numbers on a line are the maximum, minimum, mean and standard deviation of the rate per second, over
//! all iterations. mdtest prints a rate of 0 for operations that were not requested.

use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{self, Cut, Figure, whole};
use crate::text::source::{self, ImportError, Source, clip, cut, remark, tool_error};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignTest, ForeignWork, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "mdtest", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| is_launch(line.trim()) || is_summary(line.trim()))
}

/// Returns `true` for `mdtest-3.3.0 was launched with 64 total task(s) on 4 node(s)`.
fn is_launch(line: &str) -> bool {
    line.starts_with("mdtest-") && line.contains(" was launched with ")
}

/// Returns `true` for `SUMMARY: (of 3 iterations)`, `SUMMARY rate: (of 3 iterations)` or
/// `SUMMARY rate (in ops/sec): (of 1 iterations)`.
fn is_summary(line: &str) -> bool {
    line.starts_with("SUMMARY") && line.contains(": (of ") && line.ends_with("iterations)")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "mdtest")
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    jobs: Option<u32>,
    others: Vec<(String, String)>,
    /// True between the start line and the end line of a run. Output with a start line also has an end line, unless it
    /// was truncated.
    is_open: bool,
    is_in_summary: bool,
    zeros: usize,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if let Some(when) = line.strip_prefix("-- started at ") {
            self.ends();
            let when = when.trim_end_matches('-').trim();
            when.clone_into(&mut self.file.when);
            self.file.began = when.split_once(' ').and_then(|(date, time)| {
                let (numbers, _) = dates::date_parts(date)?;
                let day = dates::ordered(numbers, dates::DateOrder::MonthDayYear)?;
                Some(day * 86_400 + dates::time_of_day(time)? as i64)
            });
            self.is_open = true;
        } else if line.starts_with("-- finished at ") {
            self.is_open = false;
        } else if is_launch(line) {
            if !self.file.tests.is_empty() {
                self.ends();
            }
            let (tool, rest) = line.split_once(" was launched with ").unwrap_or((line, ""));
            tool.clone_into(&mut self.file.tool);
            self.jobs = figure::number(rest).map(|(f, _)| f.value as u32);
            self.others.push(("launched with".to_owned(), rest.to_owned()));
        } else if is_summary(line) {
            self.is_in_summary = !line.starts_with("SUMMARY time");
            if !self.is_in_summary {
                self.file.remarks.push(remark(number, sentence!("import-times-unread", tool = "mdtest")));
            }
            let iterations = line.rsplit_once("(of ").map_or("", |(_, n)| n.trim_end_matches(" iterations)"));
            self.others.push(("iterations".to_owned(), iterations.to_owned()));
        } else if line.contains("ERROR") || line.contains("FAILED in") || line.contains("** error **") {
            tool_error(&mut self.file, number, line);
        } else if line.contains("WARNING") {
            self.file.remarks.push(remark(number, clip(line)));
        } else if let Some((name, figures)) = row(line).filter(|_| self.is_in_summary) {
            self.row(number, line, name, figures);
        } else if let Some((name @ ("Command line used" | "Path" | "FS"), value)) = line.split_once(':') {
            self.others.push((name.to_owned(), value.trim().to_owned()));
        } else if line.ends_with(" files/directories") {
            self.others.push(("files/directories".to_owned(), line.to_owned()));
        }
    }

    fn row(&mut self, line: u32, words: &str, name: &str, [max, min, mean, deviation]: [Figure; 4]) {
        if max.value == 0.0 {
            self.zeros += 1;
            return;
        }
        let mut test = ForeignTest { name: name.to_owned(), line, ..ForeignTest::default() };
        test.asked.jobs = self.jobs;
        test.asked.others.clone_from(&self.others);
        for (figure, statistic) in [
            (mean, Statistic::Overall),
            (max, Statistic::Max),
            (min, Statistic::Min),
            (deviation, Statistic::Deviation),
        ] {
            let quantity = Quantity::Work(ForeignWork::Entries, statistic);
            test.values.push(figure.to_value(Way::All, quantity, Cut::Nearest, line, clip(words)));
        }
        self.file.tests.push(test);
    }

    fn ends(&mut self) {
        if self.is_open {
            cut(&mut self.file, "-- finished at");
        }
        if self.zeros > 0 {
            let text = sentence!("import-zeros-left-out", n = self.zeros, tool = "mdtest");
            self.file.remarks.push(remark(0, text));
        }
        self.files.push(std::mem::take(&mut self.file));
        *self = Reader { files: std::mem::take(&mut self.files), ..Reader::default() };
    }
}

/// Parses a name and the last four numbers on a line: `File stat : 14300.892 13962.028 14165.403 145.686`. Newer
/// versions print no colon, and print the rates of the ranks before the rates of the iterations.
fn row(line: &str) -> Option<(&str, [Figure; 4])> {
    let (name, figures) = line.split_at(line.find(|c: char| c.is_ascii_digit()).filter(|at| *at > 0)?);
    let numbers: Option<Vec<Figure>> = figures.split_ascii_whitespace().map(whole).collect();
    Some((name.trim_end_matches([':', ' ']), numbers?.last_chunk().copied()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/mdtest-3.3.txt");
    const RATE: Quantity = Quantity::Work(ForeignWork::Entries, Statistic::Overall);

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn operations_are_tests_with_their_mean_over_iterations() {
        let file = read_file(TEXT);
        assert_eq!((file.format.as_str(), file.tool.as_str()), ("mdtest", "mdtest-3.3.0"));
        assert_eq!(file.began, dates::iso("2022-07-11 12:11:32"));
        assert_eq!((file.tests.len(), file.remarks.len(), file.faults.len()), (9, 0, 0), "{file:?}");
        let test = &file.tests[3];
        assert_eq!((test.name.as_str(), test.asked.jobs), ("File creation", Some(64)));
        assert_eq!(test.value(Way::All, RATE), Some(5258.577));
        let rate = |s| test.value(Way::All, Quantity::Work(ForeignWork::Entries, s));
        assert_eq!((rate(Statistic::Max), rate(Statistic::Min)), (Some(6342.026), Some(3364.939)));
        assert_eq!(rate(Statistic::Deviation), Some(1343.513));
        assert!(test.asked.others.contains(&("iterations".to_owned(), "3".to_owned())), "{:?}", test.asked.others);
    }

    #[test]
    fn zeros_and_times_are_no_rates() {
        let text = TEXT.replace(
            "File read                 :      26741.557      26155.602      26512.201        253.745",
            "File read                 :          0.000          0.000          0.000          0.000",
        );
        let file = read_file(&text);
        assert_eq!(file.tests.len(), 8);
        assert!(file.remarks[0].text.contains("a rate of 0"), "{:?}", file.remarks);
        let times =
            format!("{TEXT}SUMMARY time: (of 3 iterations)\n   File stat                 :   1.5  1.5  1.5  0.0\n");
        let file = read_file(&times);
        assert_eq!((file.tests.len(), file.remarks.len()), (9, 1), "{file:?}");
    }

    #[test]
    fn columns_of_ranks_are_passed_by() {
        let text = "mdtest-4.0.0 was launched with 1 total task(s) on 1 node(s)\nSUMMARY rate (in ops/sec): (of 1 iterations)\n\
                    File creation   9.000  8.000  8.500  7.000  5.000  6.000  0.200\n";
        let file = read_file(text);
        assert_eq!((file.tests[0].name.as_str(), file.tests[0].value(Way::All, RATE)), ("File creation", Some(6.0)));
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let file = read_file(&TEXT[..TEXT.find("   File stat").unwrap()]);
        assert!(file.faults[0].text.contains("-- finished at"), "{:?}", file.faults);
        let failed =
            TEXT.replace("SUMMARY rate", "ERROR: unable to create file, No space left on device\nSUMMARY rate");
        assert!(read_file(&failed).faults[0].text.contains("No space left"));
        let error = crate::read::read("x", &TEXT.as_bytes()[..TEXT.find("SUMMARY").unwrap()]).unwrap_err().to_string();
        assert!(error.contains("cut short"), "{error}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z(:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
