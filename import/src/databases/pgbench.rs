//! pgbench's report: one test per run. The lines that `--progress` prints become series.
//!
//! Transactions measure work done by a database, not device operations. A mean latency without a standard deviation is
//! usually not measured. Except with `-C` and `--latency-limit`, pgbench computes such a mean from the duration and the
//! numbers of clients and transactions (pgbench's documentation).

use crate::format::Format;
use crate::text::figure::{Cut, Figure, number};
use crate::text::series::{named, point, usual_periods};
use crate::text::source::{self, ImportError, Source, clip, cut, fault, remark, tool_error};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, ForeignWork, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "pgbench", shares_a_log: true, recognise, read };

const RATE: Quantity = Quantity::Work(ForeignWork::Transactions, Statistic::Overall);

fn recognise(source: &Source<'_>) -> bool {
    let has = |words: &str| source.head().lines().any(|line| line.trim_start().starts_with(words));
    has("transaction type: ") && (has("number of clients: ") || has("scaling factor: ") || has("tps = "))
        || source.head().lines().any(|line| progress(line.trim()).is_some())
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "pgbench")
}

/// Parses a progress line: seconds since the start, transactions per second, and mean latency in seconds.
fn progress(line: &str) -> Option<(f64, Figure, Option<Figure>)> {
    let (at, rest) = number(line.strip_prefix("progress: ")?)?;
    let (rate, rest) = number(rest.trim_start().strip_prefix("s, ")?)?;
    let rest = rest.trim_start().strip_prefix("tps")?;
    let latency =
        rest.split_once("lat ").and_then(|(_, rest)| number(rest)).filter(|(_, unit)| unit.starts_with(" ms"));
    Some((at.value, rate, latency.map(|(f, _)| f.times(1e-3))))
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    test: Option<ForeignTest>,
    /// True after the rate of a report has been read. Later lines are about individual scripts and statements.
    has_rate: bool,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if let Some(version) = line.strip_prefix("pgbench (") {
            self.ends();
            self.file.tool = format!("pgbench {}", version.trim_end_matches(')'));
        } else if line.starts_with("starting vacuum") {
            if self.has_rate {
                self.ends();
            }
        } else if let Some((at, rate, latency)) = progress(line) {
            if self.has_rate {
                self.ends();
            }
            self.sample(number, at, rate, latency);
        } else if line.starts_with("pgbench: warning") || line.contains("WARNING:") {
            self.file.remarks.push(remark(number, clip(line)));
        } else if is_error(line) {
            tool_error(&mut self.file, number, line);
        } else if line.starts_with("transaction type: ") {
            if self.test.is_some() {
                self.ends();
            }
            let mut test = ForeignTest { name: "pgbench".to_owned(), line: number, ..ForeignTest::default() };
            test.asked.others.extend(line.split_once(": ").map(|(key, value)| (key.to_owned(), value.to_owned())));
            self.test = Some(test);
        } else if let Some((key, value)) = line.split_once(" = ").or_else(|| line.split_once(": ")) {
            self.report(number, line, key.trim(), value.trim());
        }
    }

    fn sample(&mut self, line: u32, at: f64, rate: Figure, latency: Option<Figure>) {
        let mean = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
        let work = Quantity::Work(ForeignWork::Transactions, Statistic::Mean);
        for (name, unit, quantity, figure) in [("tps", "1/s", work, Some(rate)), ("lat", "s", mean, latency)] {
            let Some(figure) = figure else { continue };
            point(named(&mut self.file.series, name, unit, Some((Way::All, quantity))), at, figure.value, line);
        }
    }

    fn report(&mut self, line: u32, words: &str, key: &str, value: &str) {
        let Some(test) = &mut self.test else { return };
        if self.has_rate && key != "tps" {
            return;
        }
        let figure = number(value).map(|(f, _)| f);
        let total = |statistic| Quantity::Latency(ForeignLatency::Total, statistic);
        match key {
            "tps" => {
                // Older versions print the rate with and without connection time. Newer versions print only the rate
                // without connection time.
                let without = !value.contains("including connections establishing");
                let rate = figure.map(|f| f.to_value(Way::All, RATE, Cut::Nearest, line, clip(words)));
                if without && let Some(rate) = rate {
                    test.values.push(rate);
                    self.has_rate = true;
                } else {
                    test.asked.others.push((key.to_owned(), value.to_owned()));
                }
            }
            "latency average" | "latency stddev" => {
                let quantity = total(if key == "latency average" { Statistic::Mean } else { Statistic::Deviation });
                let latency = figure.filter(|_| value.contains(" ms")).map(|f| f.times(1e-3));
                test.values.extend(latency.map(|f| f.to_value(Way::All, quantity, Cut::Nearest, line, clip(words))));
            }
            "number of failed transactions" => {
                let failed = figure.filter(|f| f.value > 0.0);
                test.values
                    .extend(failed.map(|f| f.to_value(Way::All, Quantity::Errors, Cut::Exact, line, clip(words))));
                test.asked.others.push((key.to_owned(), value.to_owned()));
            }
            "number of transactions actually processed" => {
                test.asked.others.push((key.to_owned(), value.to_owned()));
                let counts = value.split_once('/').and_then(|(done, asked)| Some((number(done)?.0, number(asked)?.0)));
                if let Some((done, asked)) = counts.filter(|(done, asked)| done.value < asked.value) {
                    let (done, asked) = (done.value.to_string(), asked.value.to_string());
                    fault(&mut self.file, line, || sentence!("import-fewer-than-asked", done, asked));
                }
            }
            "number of clients" => test.asked.jobs = value.parse().ok(),
            "number of transactions per client" => test.asked.count = value.parse().ok(),
            "duration" => test.asked.seconds = figure.map(|f| f.value),
            _ if !key.starts_with('-') => test.asked.others.push((key.to_owned(), clip(value))),
            _ => {}
        }
    }

    fn ends(&mut self) {
        if let Some(mut test) = self.test.take() {
            let deviation = Quantity::Latency(ForeignLatency::Total, Statistic::Deviation);
            if test.get(Way::All, deviation).is_none() {
                let mean = test.values.iter_mut().filter(|v| matches!(v.of, Quantity::Latency(..)));
                mean.for_each(|v| v.doubt = Some("computed from duration, clients and transactions".to_owned()));
            }
            self.file.tests.push(test);
        }
        let has_begun = !self.file.tests.is_empty() || !self.file.series.is_empty();
        if has_begun && !self.has_rate {
            cut(&mut self.file, "tps =");
        }
        usual_periods(&mut self.file);
        self.files.push(std::mem::take(&mut self.file));
        self.has_rate = false;
    }
}

/// Returns `true` for `Run was aborted; the above results are incomplete.`, `pgbench: error: client 3 ...`,
/// `client 3 aborted in command ...` and server errors.
fn is_error(line: &str) -> bool {
    line.starts_with("Run was aborted")
        || ["pgbench: error", "pgbench: fatal", "ERROR:", "FATAL:"].iter().any(|words| line.contains(words))
        || line.to_ascii_lowercase().starts_with("client ") && line.contains(" aborted")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NEW: &str = include_str!("../../tests/data/public/pgbench-18.txt");
    const PREPARED: &str = include_str!("../../tests/data/public/pgbench-13.txt");
    const OLD: &str = "starting vacuum...end.\ntransaction type: TPC-B (sort of)\nscaling factor: 1\nquery mode: simple\n\
        number of clients: 10\nnumber of threads: 1\nnumber of transactions per client: 1000\n\
        number of transactions actually processed: 10000/10000\nlatency average: 11.013 ms\n\
        tps = 85.184871 (including connections establishing)\ntps = 85.296346 (excluding connections establishing)\n";
    const MEAN: Quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);

    fn files(text: &str) -> Vec<ForeignFile> {
        crate::read::read("x", text.as_bytes()).unwrap()
    }

    #[test]
    fn the_report_is_a_test_and_progress_is_series() {
        for (text, tool, rate, mean, first) in [
            (NEW, "pgbench 18beta3", 3520.138174, 5.673e-3, 3589.4),
            (PREPARED, "pgbench 18beta3, server 13.22", 3352.985575, 5.956e-3, 4788.7),
        ] {
            let file = files(text).remove(0);
            assert_eq!((file.format.as_str(), file.tool.as_str()), ("pgbench", tool));
            assert_eq!((file.tests.len(), file.remarks.len(), file.faults.len()), (1, 0, 0), "{file:?}");
            let test = &file.tests[0];
            assert_eq!((test.value(Way::All, RATE), test.value(Way::All, MEAN)), (Some(rate), Some(mean)));
            assert_eq!(test.get(Way::All, MEAN).unwrap().doubt, None);
            assert_eq!((test.asked.jobs, test.asked.seconds), (Some(20), Some(300.0)));
            assert_eq!(test.value(Way::All, Quantity::Errors), None);
            let tps = file.series("tps").unwrap();
            assert_eq!((tps.points.len(), tps.points[0].value, tps.period), (10, first, Some(30.0)));
        }
    }

    #[test]
    fn reports_of_old_have_two_rates_and_a_computed_latency() {
        let file = files(OLD).remove(0);
        let test = &file.tests[0];
        assert_eq!((test.value(Way::All, RATE), test.asked.count), (Some(85.296346), Some(1000)));
        let mean = test.get(Way::All, MEAN).unwrap();
        assert_eq!((mean.value, mean.doubt.is_some()), (Some(11.013e-3), true));
        assert!(test.asked.others.iter().any(|(name, value)| name == "tps" && value.starts_with("85.184871")));
        assert_eq!(files(&format!("{OLD}{OLD}")).len(), 2);
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let file = files(&NEW[..NEW.find("tps = ").unwrap()]).remove(0);
        assert!(file.faults[0].text.contains("tps ="), "{:?}", file.faults);
        let error =
            crate::read::read("x", &NEW.as_bytes()[..NEW.find("transaction type").unwrap()]).unwrap_err().to_string();
        assert!(error.contains("cut short"), "{error}");
        let fewer = OLD.replace("10000/10000", "9310/10000");
        assert_eq!(
            files(&fewer)[0].faults[0].text.as_str(),
            "only 9310 of the 10000 requested transactions were completed"
        );
        let failed = format!("{NEW}Run was aborted; the above results are incomplete.\n");
        assert!(files(&failed)[0].faults[0].text.contains("incomplete"));
        let failed = NEW.replace("failed transactions: 0 (0.000%)", "failed transactions: 12 (0.001%)");
        assert_eq!(files(&failed)[0].tests[0].value(Way::All, Quantity::Errors), Some(12.0));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..NEW.len(), gone in 0usize..30, put in "[0-9A-Za-z=(:/. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &NEW[..at], &NEW[(at + gone).min(NEW.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
