//! diskspd's text output (without `-Rxml`): the requested options, and results. Each time span becomes a document.
//!
//! According to `ResultParser.cpp`, 1 MiB is 1024 * 1024 bytes, latencies are in milliseconds, CPU shares are for all
//! CPUs together, and `3-nines` is the 99.9th percentile.

use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{self, Cut, whole};
use crate::text::source::{self, ImportError, Source, Unknown, clip, cut, pass_over, remark, tool_error};
use model::Bytes;
use model::foreign::{ForeignAsked, ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "diskspd-text", shares_a_log: true, recognise, read };

const RESULTS: &str = "Results for timespan ";

fn recognise(source: &Source<'_>) -> bool {
    let has = |words: &str| source.head().lines().any(|l| l.trim_start().starts_with(words));
    has(RESULTS) || has("Input parameters:") && has("timespan:")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.span_ends();
    reader.files.push(reader.file);
    source::with_tests(reader.files, "diskspd")
}

/// Section of the output that a line belongs to.
#[derive(Default, PartialEq)]
enum Part {
    /// Requested options and properties of the machine.
    #[default]
    Head,
    /// Table of operations and bytes.
    Io(Way),
    Latencies,
    /// Sums over several time spans. They do not become a test.
    Totals,
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    unknown: Unknown,
    part: Part,
    /// Requested options for each time span, and its number of targets.
    asked: Vec<(ForeignAsked, usize)>,
    command: Option<String>,
    when: String,
    processors: f64,
    /// Columns of the table of operations.
    columns: Vec<String>,
    /// Tables of operations whose sums have been read.
    sums: Vec<Way>,
    /// True if the end of the latency table has been read.
    has_latencies: bool,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if let Some(command) = line.strip_prefix("Command Line:") {
            self.command = Some(command.trim().to_owned());
        } else if line == "Input parameters:" {
            self.span_ends();
            self.files.push(std::mem::take(&mut self.file));
            self.asked.clear();
            self.processors = 0.0;
            self.when.clear();
        } else if let Some(rest) = line.strip_prefix(RESULTS) {
            self.span_ends();
            self.span_begins(number, rest.trim_end_matches(':'));
        } else if is_error(line) {
            tool_error(&mut self.file, number, line);
        } else if line.to_ascii_uppercase().starts_with("WARNING") {
            self.file.remarks.push(remark(number, clip(line)));
        } else if line == "Totals:" {
            self.part = Part::Totals;
            pass_over(&mut self.file.remarks, number, line);
        } else if self.part != Part::Totals {
            if self.file.tests.is_empty() {
                self.head(line);
            } else {
                self.result(number, line);
            }
        }
    }

    fn head(&mut self, line: &str) {
        let keyed = line.split_once(':').map(|(key, value)| (key.trim(), value.trim()));
        match keyed {
            Some(("timespan", _)) => self.asked.push(Default::default()),
            Some(("start time", when)) => when.clone_into(&mut self.when),
            Some(("cpu count", count)) => self.processors = count.parse().unwrap_or(0.0),
            _ => {
                if let Some((asked, targets)) = self.asked.last_mut() {
                    option(asked, targets, line, keyed);
                }
            }
        }
    }

    fn span_begins(&mut self, number: u32, which: &str) {
        let which = which.parse::<usize>().unwrap_or(1).max(1) - 1;
        let (asked, targets) = self.asked.get(which).cloned().unwrap_or_default();
        let mut test = ForeignTest { line: number, asked, ..ForeignTest::default() };
        let others = &mut test.asked.others;
        if let Some((_, path)) = others.iter().find(|(name, _)| name == "path") {
            test.name = path.trim_matches('\'').to_owned();
        }
        if targets > 1 {
            others.push(("targets".to_owned(), targets.to_string()));
        }
        others.extend(self.command.iter().map(|command| ("command".to_owned(), command.clone())));
        self.file.tool = "diskspd".to_owned();
        self.file.when.clone_from(&self.when);
        (self.file.began, self.file.zone) = dates::began(&self.when.replace('/', "-"));
        self.file.tests.push(test);
    }

    fn result(&mut self, number: u32, line: &str) {
        let Some(test) = self.file.tests.last_mut() else { return };
        if let Some((key, value)) = line.split_once(':').filter(|(key, _)| !key.contains('|')) {
            let seconds = value.trim().strip_suffix('s').and_then(whole);
            match key {
                "actual test time" => test
                    .values
                    .extend(seconds.map(|s| s.to_value(Way::All, Quantity::Runtime, Cut::Nearest, number, line))),
                "thread count" => test.asked.jobs = value.trim().parse().ok(),
                "proc count" => self.processors = value.trim().parse().unwrap_or(0.0),
                // Without values, `total` is the heading of the latencies in 2.0. The heading has more words since 2.1.
                // With values, `total` is the row of sums in a table of operations.
                "total" if value.is_empty() => self.part = Part::Latencies,
                "Total latency distribution" => self.part = Part::Latencies,
                "total" => self.sum(number, line, value),
                _ => self.unknown.line(&mut self.file.remarks, number, line),
            }
            return;
        }
        match line {
            "Total IO" => self.part = Part::Io(Way::All),
            "Read IO" => self.part = Part::Io(Way::Read),
            "Write IO" => self.part = Part::Io(Way::Write),
            _ if line.starts_with("thread |") => {
                self.columns = line.split('|').skip(1).map(|c| c.trim().to_owned()).collect();
            }
            _ if line.starts_with("avg.|") => self.processors_shares(number, line),
            _ if self.part == Part::Latencies && line.contains('|') => self.latency(number, line),
            // These are separator lines, and rows for individual CPUs and threads.
            _ if line.contains('|') || line.bytes().all(|b| b"-*".contains(&b)) => {}
            _ => self.unknown.line(&mut self.file.remarks, number, line),
        }
    }

    /// Parses `total:  146169856 | 35686 | 4.64 | 1189.03 | 0.840 | 129.18 | 1.051`.
    fn sum(&mut self, number: u32, line: &str, cells: &str) {
        let (Part::Io(way), Some(test)) = (&self.part, self.file.tests.last_mut()) else { return };
        self.sums.push(*way);
        let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
        let get = |name: &str| {
            let at = self.columns.iter().position(|column| column == name)?;
            whole(cells.get(at)?)
        };
        // The figures of a direction that was not requested are zero.
        if get("I/Os").is_none_or(|f| f.value == 0.0) {
            return;
        }
        let total = |statistic| Quantity::Latency(ForeignLatency::Total, statistic);
        for (name, quantity, scale, cut) in [
            ("bytes", Quantity::Moved, 1.0, Cut::Exact),
            ("I/Os", Quantity::Operations, 1.0, Cut::Exact),
            ("MiB/s", Quantity::Bandwidth(Statistic::Overall), 1_048_576.0, Cut::Nearest),
            ("I/O per s", Quantity::Iops(Statistic::Overall), 1.0, Cut::Nearest),
            ("AvgLat", total(Statistic::Mean), 1e-3, Cut::Nearest),
            ("IopsStdDev", Quantity::Iops(Statistic::Deviation), 1.0, Cut::Nearest),
            ("LatStdDev", total(Statistic::Deviation), 1e-3, Cut::Nearest),
        ] {
            test.values.extend(get(name).map(|f| f.times(scale).to_value(*way, quantity, cut, number, clip(line))));
        }
    }

    /// Parses `avg.|   0.82%|   0.10%|    0.72%|  99.18%`. The percentages are for all CPUs together. They are
    /// converted to multiples of one CPU, as in fio.
    fn processors_shares(&mut self, number: u32, line: &str) {
        let Some(test) = self.file.tests.last_mut() else { return };
        let share = |at: usize| line.split('|').nth(at).and_then(|cell| whole(cell.trim().strip_suffix('%')?));
        for (at, quantity) in [(2, Quantity::CpuUser), (3, Quantity::CpuSystem)] {
            if let Some(share) = share(at).filter(|_| self.processors > 0.0) {
                let share = share.times(0.01).times(self.processors);
                test.values.push(share.to_value(Way::All, quantity, Cut::Nearest, number, line));
            }
        }
    }

    /// Parses `3-nines |      1.608 |      8.378 |      7.432`.
    fn latency(&mut self, number: u32, line: &str) {
        let Some(test) = self.file.tests.last_mut() else { return };
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let Some(statistic) = statistic(cells[0]) else { return };
        self.has_latencies |= statistic == Statistic::Max;
        for (cell, way) in cells[1..].iter().zip([Way::Read, Way::Write, Way::All]) {
            let quantity = Quantity::Latency(ForeignLatency::Total, statistic);
            test.values.extend(whole(cell).map(|f| f.times(1e-3).to_value(way, quantity, Cut::Nearest, number, line)));
        }
    }

    /// Ends a time span. If the time span has no results yet, its lines, such as warnings, are kept for the next time
    /// span.
    fn span_ends(&mut self) {
        let Some(test) = self.file.tests.first() else { return };
        let is_timed = test.asked.others.iter().any(|(name, _)| name == "measuring latency");
        if is_timed && !self.has_latencies {
            cut(&mut self.file, "max |");
        } else if !self.sums.contains(&Way::Write) {
            cut(&mut self.file, "Write IO");
        }
        self.unknown.end(&mut self.file.remarks);
        self.files.push(std::mem::take(&mut self.file));
        (self.part, self.has_latencies) = (Part::Head, false);
        self.sums.clear();
    }
}

/// Returns `true` for `ERROR: ...`, `Error opening file: ...` or `There has been an error during threads execution`.
fn is_error(line: &str) -> bool {
    let lower = line.get(..20).unwrap_or(line).to_ascii_lowercase();
    lower.starts_with("error") || lower.starts_with("there has been an er")
}

fn statistic(name: &str) -> Option<Statistic> {
    if let Some(nines) = name.strip_suffix("-nines").and_then(|n| n.parse::<usize>().ok()) {
        let nines = nines.clamp(2, 12);
        return format!("99.{}", "9".repeat(nines - 2)).parse().ok().map(Statistic::Percentile);
    }
    Some(match name {
        "min" => Statistic::Min,
        "max" => Statistic::Max,
        _ => Statistic::Percentile(name.strip_suffix("th").and_then(whole)?.value),
    })
}

/// Reads a line of requested options. If there are several targets, an option is kept only if all targets have the same
/// value.
fn option(asked: &mut ForeignAsked, targets: &mut usize, line: &str, keyed: Option<(&str, &str)>) {
    let mut other = |name: &str, value: &str| asked.others.push((name.to_owned(), value.to_owned()));
    let rw = |random: bool, asked: &ForeignAsked| {
        let done = asked.others.iter().rev().find_map(|(name, _)| name.strip_prefix("performing "));
        let plain = match done? {
            "read test" => "read",
            "write test" => "write",
            _ => "rw",
        };
        Some(if random { format!("rand{plain}") } else { plain.to_owned() })
    };
    match keyed {
        Some(("path", path)) => {
            *targets += 1;
            other("path", path);
        }
        Some(("duration", value)) => asked.seconds = value.strip_suffix('s').and_then(|s| s.parse().ok()),
        Some(("block size", value)) => {
            let size = figure::bytes(value, false).map(|(f, _)| Bytes(f.value as u64));
            let size = size.map(|s| (s, s));
            asked.block = [if *targets <= 1 || asked.block[0] == size { size } else { None }; 2];
        }
        Some((key, value)) if key.starts_with("number of outstanding I/O operations") => {
            asked.depth = value.parse().ok().filter(|depth| *targets <= 1 || asked.depth == Some(*depth));
        }
        Some(("performing mix test (read/write ratio", ratio)) => {
            other("performing mix test", ratio.trim_end_matches(')'));
        }
        Some((key, value)) if key.starts_with("using ") => {
            let pattern = rw(key.contains("random"), asked);
            asked.rw = pattern.filter(|rw| *targets <= 1 || asked.rw.as_ref() == Some(rw));
            let pattern = key.split(" (").next().unwrap_or(key);
            asked.others.push((pattern.to_owned(), value.trim_end_matches(')').to_owned()));
        }
        Some((key, value)) => other(key, value),
        None => {
            match line {
                "software cache disabled" => asked.direct = Some(true),
                "using software cache" => asked.direct = Some(false),
                _ => {}
            }
            if !line.bytes().all(|b| b == b'-') {
                asked.others.push((line.to_owned(), String::new()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OLD: &str = include_str!("../../tests/data/public/diskspd-2.0.txt");
    const NEW: &str = include_str!("../../tests/data/public/diskspd-2.2.txt");

    fn total(statistic: Statistic) -> Quantity {
        Quantity::Latency(ForeignLatency::Total, statistic)
    }

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn figures_of_a_mix_are_those_of_its_sums_and_percentiles() {
        let file = read_file(OLD);
        assert_eq!((file.format.as_str(), file.when.as_str()), ("diskspd-text", "2021/04/16 19:03:38 UTC"));
        assert_eq!((file.began, file.zone), (dates::iso("2021-04-16 19:03:38"), Some(0)));
        assert_eq!((file.remarks.len(), file.faults.len()), (0, 0), "{file:?}");
        let test = &file.tests[0];
        assert_eq!((test.name.as_str(), test.asked.rw.as_deref()), ("diskspd.dat", Some("randrw")));
        assert_eq!(test.asked.block[0], Some((Bytes(4096), Bytes(4096))));
        assert_eq!((test.asked.depth, test.asked.jobs, test.asked.direct), (Some(1), Some(1), Some(true)));
        assert_eq!(test.asked.seconds, Some(30.0));
        for (way, quantity, wanted) in [
            (Way::All, Quantity::Runtime, 30.01),
            (Way::All, Quantity::CpuUser, 0.004),
            (Way::Read, Quantity::Operations, 25_060.0),
            (Way::Read, Quantity::Moved, 102_645_760.0),
            (Way::Read, Quantity::Bandwidth(Statistic::Overall), 3.26 * 1_048_576.0),
            (Way::Write, Quantity::Iops(Statistic::Overall), 354.05),
            (Way::Write, total(Statistic::Mean), 2.179e-3),
            (Way::Write, total(Statistic::Percentile(99.0)), 6.107e-3),
            (Way::Read, total(Statistic::Percentile(99.9)), 1.608e-3),
            (Way::All, total(Statistic::Percentile(99.99999)), 35.257e-3),
            (Way::All, total(Statistic::Max), 35.257e-3),
        ] {
            let value = test.value(way, quantity).unwrap_or_else(|| panic!("{way:?} {quantity:?}"));
            assert!((value - wanted).abs() <= wanted * 1e-12, "{quantity:?}: {value}");
        }
    }

    #[test]
    fn a_direction_that_was_not_asked_has_no_figures() {
        let file = read_file(NEW);
        assert_eq!((file.remarks.len(), file.faults.len()), (0, 0), "{file:?}");
        let test = &file.tests[0];
        assert_eq!(test.asked.rw.as_deref(), Some("randwrite"));
        assert_eq!((test.asked.depth, test.asked.jobs), (Some(16), Some(4)));
        assert!(test.values.iter().all(|v| v.way != Way::Read), "{:?}", test.values);
        assert_eq!(test.value(Way::Write, Quantity::Iops(Statistic::Overall)), Some(508.09));
        assert!((test.value(Way::All, Quantity::CpuSystem).unwrap() - 0.0328).abs() < 1e-12);
        assert!(test.asked.others.iter().any(|(name, value)| name == "command" && value.contains("-Suw")));
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let cut = read_file(&OLD[..OLD.find("99th").unwrap()]);
        assert!(cut.faults[0].text.contains("cut short"), "{:?}", cut.faults);
        let before = crate::read::read("x", &OLD.as_bytes()[..OLD.find("Results").unwrap()]).unwrap_err().to_string();
        assert_eq!(before, "it contains no result of diskspd");
        let failed = OLD.replace("Total IO\n", "ERROR: thread 0 has failed\nTotal IO\n");
        assert!(read_file(&failed).faults[0].text.contains("thread 0 has failed"));
        let failed = format!("{}Error opening file: x [5]\n", &OLD[..OLD.find("System").unwrap()]);
        let error = crate::read::read("x", failed.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("Error opening file: x [5]"), "{error}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..OLD.len(), gone in 0usize..30, put in "[0-9A-Za-z:|%. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &OLD[..at], &OLD[(at + gone).min(OLD.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
