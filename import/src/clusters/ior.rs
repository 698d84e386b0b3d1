//! Text output of IOR 2.10 to 4: one test per operation of `Summary of all tests`, one document per run.
//!
//! According to `ior-output.c`, 1 MiB is 1024 * 1024 bytes, `OPs` are transfers, and rates are means over repetitions.
//! IOR computes latency as the time spent reading or writing, divided by the number of transfers in one block. Versions
//! before 4 ignored that there may be several segments.

use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{self, Cut, Figure, whole};
use crate::text::source::{self, ImportError, Source, add_remark, clip, cut, remark, tool_error};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, ForeignValue, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "ior", shares_a_log: true, recognise, read };

const HEAD: &str = ": MPI Coordinated Test of Parallel I/O";
const MIB: f64 = 1_048_576.0;

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| line.trim_end().ends_with(HEAD))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "IOR")
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Part {
    #[default]
    Head,
    Options,
    Iterations,
    Summary,
}

/// Row of a table.
struct Row {
    number: u32,
    line: String,
    cells: Vec<String>,
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    part: Part,
    options: Vec<(String, String)>,
    command: String,
    /// Column names of the table of repetitions.
    iteration_columns: Vec<String>,
    summary_columns: Vec<String>,
    iterations: Vec<Row>,
    is_in: bool,
    is_complete: bool,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if let Some(tool) = line.strip_suffix(HEAD) {
            self.ends();
            tool.clone_into(&mut self.file.tool);
            self.is_in = true;
            return;
        }
        if !self.is_in {
            return;
        }
        let keyed = line.split_once([':', '=']).map(|(key, value)| (key.trim(), value.trim()));
        let first = line.split_ascii_whitespace().next().unwrap_or("");
        match (keyed, self.part) {
            _ if line.contains("ERROR") => tool_error(&mut self.file, number, line),
            _ if line.contains("WARNING") => self.file.remarks.push(remark(number, clip(line))),
            (Some(("Began" | "Run began", when)), _) => {
                when.clone_into(&mut self.file.when);
                self.file.began = dates::ctime(when);
            }
            (Some(("Finished" | "Run finished", _)), _) => self.is_complete = true,
            (Some(("Command line" | "Command line used", command)), _) => command.clone_into(&mut self.command),
            (Some(("Options" | "Summary", "")), _) => {
                self.part = Part::Options;
                self.options.clear();
            }
            _ if first == "access" && line.contains("bw(MiB/s)") => {
                self.part = Part::Iterations;
                self.iteration_columns = line.split_ascii_whitespace().map(str::to_owned).collect();
            }
            _ if first == "Operation" && line.contains("(MiB)") => {
                self.part = Part::Summary;
                // The column names of IOR 2.10 contain spaces.
                let line = line.replace(" (", "(").replace("Std Dev", "StdDev");
                self.summary_columns = line.split_ascii_whitespace().map(str::to_owned).collect();
            }
            (Some((key, value)), Part::Options) => self.options.push((key.to_owned(), value.to_owned())),
            (_, Part::Iterations) if matches!(first, "write" | "read" | "remove") => {
                let cells: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
                if first == "remove" {
                    add_remark(&mut self.file.remarks, number, || sentence!("import-phase-without-io", phase = first));
                } else if cells.len() > 3 {
                    self.iterations.push(Row { number, line: clip(line), cells });
                }
            }
            (_, Part::Summary) if matches!(first, "write" | "read") => {
                let cells: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
                if cells.len() > 3 {
                    self.summary(&Row { number, line: clip(line), cells });
                }
            }
            _ => {}
        }
    }

    fn option(&self, names: &[&str]) -> Option<&str> {
        self.options.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value.as_str())
    }

    /// Returns a test that contains the run's options.
    fn asked(&self, row: &Row, access: &str) -> ForeignTest {
        let mut test = ForeignTest { name: access.to_owned(), line: row.number, ..ForeignTest::default() };
        let cell = |name: &str| {
            let at = self.summary_columns.iter().position(|column| column == name)?;
            row.cells.get(at).filter(|_| self.part == Part::Summary)
        };
        let count = |name: &str| cell(name).and_then(|c| whole(c)).map(|f| f.value);
        let size = |names: &[&str]| self.option(names).and_then(|v| figure::bytes(v, true)).map(|(f, _)| f.value);
        let asked = &mut test.asked;
        let is_random = self.option(&["ordering in a file"]).is_some_and(|order| order.contains("random"));
        asked.rw = Some(if is_random { format!("rand{access}") } else { access.to_owned() });
        let block = count("xsize").or_else(|| size(&["xfersize"])).map(|b| Bytes(b as u64));
        asked.block = [block.map(|b| (b, b)); 2];
        let tasks = self.option(&["tasks", "clients"]).and_then(figure::number).map(|(f, _)| f.value);
        asked.jobs = count("#Tasks").or(tasks).map(|n| n as u32);
        asked.engine = self.option(&["api"]).map(str::to_owned);
        if asked.engine.as_deref() == Some("POSIX") {
            // A task waits for each transfer, so its depth is 1.
            asked.depth = Some(1);
        }
        let part = count("blksiz").or_else(|| size(&["blocksize"]));
        asked.size = part.zip(self.segments()).map(|(block, segments)| Bytes((block * segments) as u64));
        if ["useO_DIRECT=1", "posix.odirect"].iter().any(|word| self.command.contains(word)) {
            asked.direct = Some(true);
        }
        for name in ["access", "nodes", "clients per node", "repetitions", "segments", "aggregate filesize"] {
            asked.others.extend(self.option(&[name]).map(|value| (name.to_owned(), value.to_owned())));
        }
        if !self.command.is_empty() {
            asked.others.push(("command".to_owned(), self.command.clone()));
        }
        test
    }

    /// Returns the number of segments from `segments : 321`, or in old versions from `pattern = segmented (1 segment)`.
    fn segments(&self) -> Option<f64> {
        let new = self.option(&["segments"]).and_then(whole);
        let old = || {
            let pattern = self.option(&["pattern"])?;
            figure::number(pattern.split_once('(')?.1).map(|(f, _)| f)
        };
        new.or_else(old).map(|f| f.value)
    }

    fn summary(&mut self, row: &Row) {
        let access = row.cells[0].clone();
        let mut test = self.asked(row, &access);
        let way = way(&access);
        let at = |name: &str| self.summary_columns.iter().position(|column| column == name);
        let cell = |at: usize| row.cells.get(at).and_then(|c| whole(c));
        let rate = |statistic, of_bytes| {
            if of_bytes { Quantity::Bandwidth(statistic) } else { Quantity::Iops(statistic) }
        };
        for (unit, scale, of_bytes) in [("MiB", MIB, true), ("OPs", 1.0, false)] {
            // Two columns are called StdDev. Each is to the right of its mean.
            let mean = at(&format!("Mean({unit})"));
            for (at, statistic) in [
                (mean, Statistic::Overall),
                (at(&format!("Max({unit})")), Statistic::Max),
                (at(&format!("Min({unit})")), Statistic::Min),
                (mean.map(|at| at + 1), Statistic::Deviation),
            ] {
                let figure = at.and_then(cell).map(|f| f.times(scale));
                let words = || clip(&row.line);
                let value =
                    figure.map(|f| f.to_value(way, rate(statistic, of_bytes), Cut::Nearest, row.number, words()));
                test.values.extend(value);
            }
        }
        let time = at("Mean(s)").and_then(cell);
        test.values.extend(time.map(|f| f.to_value(way, Quantity::Runtime, Cut::Nearest, row.number, clip(&row.line))));
        self.latency(&mut test, &access);
        self.file.tests.push(test);
        self.iterations.retain(|row| row.cells[0] != access);
    }

    /// Adds the latency if there is only one repetition and the value is meaningful.
    fn latency(&mut self, test: &mut ForeignTest, access: &str) {
        let Some(at) = self.iteration_columns.iter().position(|column| column == "Latency(s)") else { return };
        let rows: Vec<&Row> = self.iterations.iter().filter(|row| row.cells[0] == access).collect();
        let cell = |row: &Row| row.cells.get(at).and_then(|c| whole(c));
        if let [row] = rows.as_slice()
            && let Some(latency) = cell(row)
        {
            let (number, is_old) =
                (row.number, self.file.tool.starts_with("IOR-3") || self.file.tool.starts_with("IOR-2"));
            let segments = self.segments().unwrap_or(1.0);
            if is_old && segments > 1.0 {
                let segments = segments.to_string();
                add_remark(&mut self.file.remarks, number, || sentence!("import-ior-latency", segments));
                return;
            }
            let quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
            let doubt = if is_old {
                "the time of all tasks divided by the transfers of one"
            } else {
                "of the first task alone"
            };
            let value = latency.to_value(way(access), quantity, Cut::Nearest, number, row.line.clone());
            test.values.push(ForeignValue { doubt: Some(doubt.to_owned()), ..value });
        } else if !rows.is_empty() {
            let list: Vec<String> = rows.iter().filter_map(|row| row.cells.get(at).cloned()).collect();
            test.asked.others.push(("Latency(s) of repetitions".to_owned(), clip(&list.join(", "))));
        }
    }

    /// Ends a run. If repetitions have no summary, the output was truncated, and each repetition becomes a separate
    /// test.
    fn ends(&mut self) {
        self.part = Part::Head;
        for row in std::mem::take(&mut self.iterations) {
            let access = row.cells[0].clone();
            let mut test = self.asked(&row, &access);
            let cell = |name: &str| -> Option<Figure> {
                let at = self.iteration_columns.iter().position(|column| column == name)?;
                row.cells.get(at).and_then(|c| whole(c))
            };
            for (name, quantity, scale) in [
                ("bw(MiB/s)", Quantity::Bandwidth(Statistic::Overall), MIB),
                ("IOPS", Quantity::Iops(Statistic::Overall), 1.0),
                ("total(s)", Quantity::Runtime, 1.0),
            ] {
                let figure = cell(name).map(|f| f.times(scale));
                test.values.extend(
                    figure.map(|f| f.to_value(way(&access), quantity, Cut::Nearest, row.number, row.line.clone())),
                );
            }
            self.file.tests.push(test);
        }
        if self.is_in {
            if !self.is_complete {
                cut(&mut self.file, "Finished");
            }
            self.files.push(std::mem::take(&mut self.file));
        }
        *self = Reader { files: std::mem::take(&mut self.files), ..Reader::default() };
    }
}

fn way(access: &str) -> Way {
    if access == "read" { Way::Read } else { Way::Write }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OLD: &str = include_str!("../../tests/data/public/ior-3.0.txt");
    const NEW: &str = include_str!("../../tests/data/public/ior-3.3.txt");
    const BANDWIDTH: Quantity = Quantity::Bandwidth(Statistic::Overall);
    const LATENCY: Quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);

    fn files(text: &str) -> Vec<ForeignFile> {
        crate::read::read("x", text.as_bytes()).unwrap()
    }

    #[test]
    fn operations_are_tests_with_the_figures_of_the_summary() {
        let file = files(NEW).remove(0);
        assert_eq!((file.format.as_str(), file.tool.as_str()), ("ior", "IOR-3.3.0"));
        assert_eq!((file.began, file.faults.len()), (dates::iso("2022-07-11 12:04:24"), 0));
        let [write, read] = file.tests.as_slice() else { panic!("{:?}", file.tests) };
        assert_eq!((write.asked.rw.as_deref(), read.asked.rw.as_deref()), (Some("write"), Some("read")));
        assert_eq!(write.asked.block[1], Some((Bytes::from_mib(1), Bytes::from_mib(1))));
        assert_eq!((write.asked.jobs, write.asked.depth), (Some(64), Some(1)));
        assert_eq!(write.asked.size, Some(Bytes(321 << 24)));
        assert_eq!(write.value(Way::Write, BANDWIDTH), Some(1842.29 * MIB));
        assert_eq!(read.value(Way::Read, Quantity::Iops(Statistic::Overall)), Some(2316.13));
        assert_eq!(read.value(Way::Read, Quantity::Runtime), Some(141.91957));
        // The printed latency of 11 s assumes 16 transfers, but there were 5136.
        assert_eq!(write.value(Way::Write, LATENCY), None);
        assert!(file.remarks.iter().any(|r| r.text.contains("321 segments")), "{:?}", file.remarks);
    }

    #[test]
    fn several_runs_of_an_old_version_are_documents() {
        let files = files(OLD);
        assert_eq!(files.len(), 2);
        assert!(files.iter().all(|f| f.tool == "IOR-3.0.1" && f.faults.is_empty() && f.tests.len() == 1), "{files:?}");
        let test = &files[1].tests[0];
        assert_eq!(test.value(Way::Write, BANDWIDTH), Some(488.70 * MIB));
        assert_eq!(test.value(Way::Write, Quantity::Runtime), Some(39.28823));
        assert_eq!(test.value(Way::Write, Quantity::Iops(Statistic::Overall)), None);
        assert_eq!(
            (test.asked.jobs, test.asked.block[1]),
            (Some(96), Some((Bytes::from_mib(20), Bytes::from_mib(20))))
        );
        assert!(test.asked.others.contains(&("access".to_owned(), "file-per-process".to_owned())));
    }

    #[test]
    fn the_latency_of_one_segment_is_read_and_doubted() {
        let text = NEW.replace("segments            : 321", "segments            : 1");
        let file = files(&text).remove(0);
        let latency = file.tests[1].get(Way::Read, LATENCY).unwrap();
        assert_eq!((latency.value, latency.doubt.is_some()), (Some(8.61), true));
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let file = files(&NEW[..NEW.find("Summary of all").unwrap()]).remove(0);
        assert_eq!(file.tests.len(), 2);
        assert!(file.faults[0].text.contains("Finished"), "{:?}", file.faults);
        let failed = NEW.replace("remove ", "ior ERROR: write() failed, errno 28, No space left on device\nremove ");
        assert!(files(&failed)[0].faults[0].text.contains("No space left"));
        let failed = format!("{}ior ERROR: open64() failed\n", &NEW[..NEW.find("Results:").unwrap()]);
        let error = crate::read::read("x", failed.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("open64() failed"), "{error}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..NEW.len(), gone in 0usize..30, put in "[0-9A-Za-z(:=. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &NEW[..at], &NEW[(at + gone).min(NEW.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
