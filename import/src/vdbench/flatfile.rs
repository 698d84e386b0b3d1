//! vdbench's `flatfile.html`, with one line per interval and run. Columns are identified by name. The `avg_` line
//! becomes a test.
//!
//! Comments in the file define the units: 1 MB is 1024 * 1024 bytes, and response times are in milliseconds. vdbench
//! prints `n/a` if a column has no single value.

use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{Cut, Figure, whole};
use crate::text::series::{Clock, named, point, usual_periods};
use crate::text::source::{self, ImportError, Source, Unknown, clip, cut};
use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "vdbench-flatfile", shares_a_log: true, recognise, read };

const MIB: f64 = 1_048_576.0;

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(is_header)
}

fn is_header(line: &str) -> bool {
    line.trim_start().starts_with("tod ") && ["Interval", "reqrate", "resp_max"].iter().all(|word| line.contains(word))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "vdbench".to_owned(), ..ForeignFile::default() };
    let (mut columns, mut unknown, mut clock) = (Vec::new(), Unknown::default(), Clock::default());
    // Run whose intervals were read last, if its average is still missing.
    let mut open: Option<String> = None;
    source.each_line(|number, line| {
        if is_header(line) {
            columns = line.split_ascii_whitespace().map(str::to_owned).collect();
            return;
        }
        if line.starts_with(['*', '<']) {
            return;
        }
        let cells: Vec<&str> = line.split_ascii_whitespace().collect();
        let row = Row { columns: &columns, cells: &cells, number, line };
        let time = row.get("tod").and_then(dates::time_of_day);
        let (Some(time), Some(run), Some(interval)) = (time, row.get("Run"), row.get("Interval")) else {
            unknown.line(&mut file.remarks, number, line);
            return;
        };
        if interval.starts_with("avg") {
            file.tests.push(row.test(run, interval));
            open = None;
            return;
        }
        open = Some(run.to_owned());
        let at = clock.at(time, number, &mut file.remarks);
        for (column, quantity, unit, scale) in [
            ("rate", Quantity::Iops(Statistic::Mean), "1/s", 1.0),
            ("MB/sec", Quantity::Bandwidth(Statistic::Mean), "B/s", MIB),
            ("resp", total(Statistic::Mean), "s", 1e-3),
        ] {
            let Some(figure) = row.figure(column) else { continue };
            let series = named(&mut file.series, &format!("{run} {column}"), unit, Some((Way::All, quantity)));
            point(series, at, figure.times(scale).value, number);
        }
    })?;
    if let Some(run) = open {
        cut(&mut file, &format!("{run} avg_"));
    }
    unknown.end(&mut file.remarks);
    usual_periods(&mut file);
    source::with_tests(vec![file], "vdbench's flat file")
}

fn total(statistic: Statistic) -> Quantity {
    Quantity::Latency(ForeignLatency::Total, statistic)
}

struct Row<'a> {
    columns: &'a [String],
    cells: &'a [&'a str],
    number: u32,
    line: &'a str,
}

impl<'a> Row<'a> {
    fn get(&self, column: &str) -> Option<&'a str> {
        let at = self.columns.iter().position(|c| c == column)?;
        self.cells.get(at).copied().filter(|cell| *cell != "n/a")
    }

    fn figure(&self, column: &str) -> Option<Figure> {
        self.get(column).and_then(whole)
    }

    fn test(&self, run: &str, interval: &str) -> ForeignTest {
        let mut test = ForeignTest { name: run.to_owned(), line: self.number, ..ForeignTest::default() };
        let size = self.figure("xfersize").map(|f| Bytes(f.value as u64)).filter(|size| !size.is_zero());
        test.asked.block = [size.map(|s| (s, s)); 2];
        test.asked.others.push(("intervals".to_owned(), interval.trim_start_matches("avg_").to_owned()));
        // `threads` is the number per storage definition, and the file does not contain the number of definitions.
        for column in
            ["reqrate", "threads", "rdpct", "rhpct", "whpct", "seekpct", "lunsize", "version", "read%", "cpu_used"]
        {
            let value = self.get(column).map(|value| (column.to_owned(), value.to_owned()));
            test.asked.others.extend(value);
        }
        let way = match self.figure("read%").map(|share| share.value) {
            Some(100.0) => Way::Read,
            Some(0.0) => Way::Write,
            _ => Way::All,
        };
        for (column, way, quantity, scale) in [
            ("rate", way, Quantity::Iops(Statistic::Overall), 1.0),
            ("MB/sec", way, Quantity::Bandwidth(Statistic::Overall), MIB),
            ("resp", way, total(Statistic::Mean), 1e-3),
            ("resp_max", way, total(Statistic::Max), 1e-3),
            ("resp_std", way, total(Statistic::Deviation), 1e-3),
            ("read_resp", Way::Read, total(Statistic::Mean), 1e-3),
            ("write_resp", Way::Write, total(Statistic::Mean), 1e-3),
            ("read_max", Way::Read, total(Statistic::Max), 1e-3),
            ("write_max", Way::Write, total(Statistic::Max), 1e-3),
        ] {
            if let Some(figure) = self.figure(column).filter(|f| f.value > 0.0) {
                let words = format!("{column} {}", clip(self.get(column).unwrap_or(self.line)));
                test.values.push(figure.times(scale).to_value(way, quantity, Cut::Nearest, self.number, words));
            }
        }
        test
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/vdbench-flatfile.html");

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn averages_are_tests_and_intervals_are_series() {
        let file = read_file(TEXT);
        assert_eq!((file.format.as_str(), file.tests.len()), ("vdbench-flatfile", 2));
        assert_eq!((file.remarks.len(), file.faults.len()), (0, 0), "{file:?}");
        let [write, read] = file.tests.as_slice() else { panic!("{:?}", file.tests) };
        assert_eq!(write.name, "random_write_max_4k");
        assert_eq!(write.asked.block[1], Some((Bytes(4096), Bytes(4096))));
        for (test, way, quantity, wanted) in [
            (write, Way::Write, Quantity::Iops(Statistic::Overall), 327.4444),
            (write, Way::Write, Quantity::Bandwidth(Statistic::Overall), 1.2791 * MIB),
            (write, Way::Write, total(Statistic::Mean), 23.9089e-3),
            (write, Way::Write, total(Statistic::Max), 1.514975),
            (read, Way::Read, Quantity::Iops(Statistic::Overall), 62.1111),
            (read, Way::Read, total(Statistic::Deviation), 93.9099e-3),
        ] {
            let value = test.value(way, quantity).unwrap_or_else(|| panic!("{way:?} {quantity:?}"));
            assert!((value - wanted).abs() <= wanted * 1e-12, "{quantity:?}: {value}");
        }
        assert_eq!(file.series("random_read_max_4k rate").unwrap().points.len(), 2);
    }

    #[test]
    fn what_was_cut_is_told() {
        let cut = &TEXT[..TEXT.find("10:57:32.027").unwrap()];
        assert!(read_file(cut).faults[0].text.contains("random_read_max_4k avg_"), "{:?}", read_file(cut).faults);
        let cut = &TEXT[..TEXT.find("10:57:09.037").unwrap()];
        let error = crate::read::read("x", cut.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("cut short"), "{error}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z_:/. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
