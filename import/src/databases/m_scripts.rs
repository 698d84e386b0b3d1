//! Output of the M scripts that `secchi db script` generates. Each run becomes one set of figures.
//!
//! Result lines begin with `secchi-m 1`, followed by a word and `name=value` fields. All other lines of a terminal log
//! are skipped. A run without an end line was truncated and is rejected.

use crate::fio::options;
use crate::format::Format;
use crate::text::dates::HOROLOG_DAYS;
use crate::text::figure::{Cut, Figure};
use crate::text::source::{self, ImportError, Source};
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};
use model::{LatencyHistogram, Nanos};
use std::collections::BTreeMap;

const MARK: &str = "secchi-m 1 ";

/// Results of one run of the scripts.
#[derive(Debug, Clone, PartialEq)]
pub struct MRun {
    /// Database engine: `gtm` or `iris`.
    pub engine: String,
    /// Version of the engine, with underscores instead of spaces.
    pub version: String,
    /// Kind of run, such as `ranread` or `ranwrite`.
    pub verb: String,
    /// Number of the run in its database.
    pub batch: u64,
    /// End of the run in seconds since 1970, in the local time of the machine. The scripts do not print the time zone.
    pub ended: i64,
    /// Number of requested processes.
    pub processes: u32,
    /// Number of processes that did not finish.
    pub failed: u32,
    /// Requested duration in seconds; 0 = until the work is done.
    pub seconds: f64,
    /// Number of operations per batch.
    pub batch_size: u64,
    /// Pause after each batch, in milliseconds.
    pub hang_ms: f64,
    /// Percentage of batches that are reads.
    pub read_percent: u8,
    /// True if commits did not wait for the journal.
    pub lazy: bool,
    /// True if the processes disabled journaling.
    pub nojrn: bool,
    /// Kind of reads: `blocks` (IRIS's VIEW) or `records`.
    pub reads_are: String,
    /// Results of each process that finished.
    pub workers: Vec<MWorker>,
    /// Latencies of all processes by operation: `read`, `update`, `commit`, `transaction`. Each latency is the middle
    /// of one of the scripts' buckets. Buckets are exact below 1000 microseconds. Longer latencies have three
    /// significant digits.
    pub latencies: BTreeMap<String, LatencyHistogram>,
}

/// Results of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MWorker {
    /// Number of the global that the process worked on.
    pub global: u32,
    /// Number of records read.
    pub reads: u64,
    /// Number of records written.
    pub writes: u64,
    /// Time from the barrier to the end of the process.
    pub took: Nanos,
    /// Part of `took` that was spent in pauses.
    pub hung: Nanos,
}

/// Parses all runs in a text.
///
/// # Errors
/// Returns an error if the text contains no run, if a line is malformed, or if a run has no end line.
pub fn read_runs(text: &[u8]) -> Result<Vec<MRun>, ImportError> {
    let text = String::from_utf8_lossy(text);
    let (mut runs, mut open): (Vec<MRun>, Option<MRun>) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        let Some(at) = line.find(MARK) else { continue };
        let wrong = |reason: &str| ImportError(format!("line {}: {reason}", number + 1));
        let mut words = line[at + MARK.len()..].split_ascii_whitespace();
        let kind = words.next().unwrap_or_default();
        let fields = Fields { pairs: words.filter_map(|word| word.split_once('=')).collect(), line: number + 1 };
        match (kind, &mut open) {
            ("run", None) => open = Some(head(&fields)?),
            ("run", Some(_)) => {
                return Err(wrong("a run begins before the previous one has ended: the text was truncated"));
            }
            ("worker", Some(run)) => run.workers.push(worker(&fields)?),
            ("time", Some(run)) => time(run, &fields)?,
            ("end", Some(run)) if fields.number::<u64>("batch")? == run.batch => runs.extend(open.take()),
            ("count" | "size" | "mgstat", _) => {}
            _ => return Err(wrong("it does not belong to a run: the text was truncated")),
        }
    }
    match open {
        Some(run) => Err(ImportError(format!("the run of {} has no end: the text was truncated", run.verb))),
        None if runs.is_empty() => Err(ImportError("it contains no runs of secchi's M scripts".into())),
        None => Ok(runs),
    }
}

pub(crate) const FORMAT: Format = Format { name: "secchi-m", shares_a_log: false, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.text().contains(MARK)
}

/// Converts the runs to foreign results, one document each.
fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    // Requesting the lines checks their length and number.
    drop(source.lines()?);
    // The figures of a run are sums over its workers, so their source is the `run` line.
    let heads = source.text().lines().zip(1..).filter(|(l, _)| l.contains("secchi-m 1 run "));
    let runs = read_runs(source.text().as_bytes())?;
    Ok(runs.iter().zip(heads).map(|(run, (words, line))| foreign_run(run, words, line)).collect())
}

fn foreign_run(run: &MRun, words: &str, line: u32) -> ForeignFile {
    let mut test =
        ForeignTest { name: format!("{}, {} processes", run.verb, run.processes), line, ..ForeignTest::default() };
    test.asked.jobs = Some(run.processes);
    test.asked.depth = Some(1);
    test.asked.seconds = Some(run.seconds).filter(|s| *s > 0.0);
    for (name, value) in [
        ("verb", run.verb.clone()),
        ("txn", run.batch_size.to_string()),
        ("hang_ms", run.hang_ms.to_string()),
        ("read_pct", run.read_percent.to_string()),
        ("lazy", u8::from(run.lazy).to_string()),
        ("nojrn", u8::from(run.nojrn).to_string()),
        ("reads_are", run.reads_are.clone()),
    ] {
        test.asked.others.push((name.to_owned(), value));
    }
    let words = source::clip(words);
    let longest = run.workers.iter().map(|w| w.took.secs()).fold(0.0, f64::max);
    for (way, count) in [
        (Way::Read, run.workers.iter().map(|w| w.reads).sum::<u64>()),
        (Way::Write, run.workers.iter().map(|w| w.writes).sum::<u64>()),
    ] {
        if count == 0 {
            continue;
        }
        let figure = |value: f64, ulp: f64| Figure { value, ulp };
        let new_value =
            |quantity, value, ulp, cut| figure(value, ulp).to_value(way, quantity, cut, line, words.clone());
        test.values.push(new_value(Quantity::Operations, count as f64, 1.0, Cut::Exact));
        if longest > 0.0 {
            test.values.push(new_value(Quantity::Runtime, longest, 1e-6, Cut::Nearest));
            test.values.push(new_value(Quantity::Iops(Statistic::Overall), count as f64 / longest, 0.0, Cut::Exact));
        }
        let operation = if way == Way::Read { "read" } else { "update" };
        if let Some(histogram) = run.latencies.get(operation) {
            let total = |statistic| Quantity::Latency(ForeignLatency::Total, statistic);
            if let Some(mean) = histogram.summary().mean() {
                // Times above a millisecond have three digits.
                test.values.push(new_value(total(Statistic::Mean), mean * 1e-9, mean * 1e-9 * 0.005, Cut::Nearest));
            }
            test.histograms.push((way, ForeignLatency::Total, histogram.clone()));
        }
    }
    if run.failed > 0 {
        let figure = Figure { value: f64::from(run.failed), ulp: 1.0 };
        test.values.push(figure.to_value(Way::All, Quantity::Errors, Cut::Exact, line, words));
    }
    ForeignFile {
        tool: format!("secchi-m on {} {}", run.engine, run.version),
        // The scripts print the time at the end of a run, not at its start.
        began: Some(run.ended - longest.round() as i64),
        tests: vec![test],
        ..ForeignFile::default()
    }
}

struct Fields<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    line: usize,
}

impl Fields<'_> {
    fn text(&self, name: &str) -> Result<&str, ImportError> {
        let value = self.pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        value.ok_or_else(|| ImportError(format!("line {}: {name} is missing", self.line)))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, ImportError> {
        let text = self.text(name)?;
        text.parse()
            .map_err(|_| ImportError(format!("line {}: {name}={} is not a valid number", self.line, model::clip(text))))
    }

    fn micros(&self, name: &str) -> Result<Nanos, ImportError> {
        // The time is negative if the clock was set back during the run.
        Ok(Nanos(self.number::<i64>(name)?.max(0).cast_unsigned().saturating_mul(1000)))
    }
}

fn head(fields: &Fields<'_>) -> Result<MRun, ImportError> {
    let day = fields.number::<i64>("days")?.saturating_sub(HOROLOG_DAYS);
    Ok(MRun {
        engine: fields.text("engine")?.to_owned(),
        version: fields.text("version")?.to_owned(),
        verb: fields.text("verb")?.to_owned(),
        batch: fields.number("batch")?,
        ended: day.saturating_mul(86_400).saturating_add(fields.number("second")?),
        processes: fields.number("processes")?,
        failed: fields.number("failed")?,
        seconds: fields.number("seconds")?,
        batch_size: fields.number("txn")?,
        hang_ms: fields.number("hang_ms")?,
        read_percent: fields.number("read_pct")?,
        lazy: fields.number::<u8>("lazy")? != 0,
        // Scripts from before 2026-11-22 do not print this field.
        nojrn: fields.text("nojrn").is_ok_and(|text| text != "0"),
        reads_are: fields.text("reads_are")?.to_owned(),
        workers: Vec::new(),
        latencies: BTreeMap::new(),
    })
}

fn worker(fields: &Fields<'_>) -> Result<MWorker, ImportError> {
    Ok(MWorker {
        global: fields.number("global")?,
        reads: fields.number("reads")?,
        writes: fields.number("writes")?,
        took: fields.micros("us")?,
        hung: fields.micros("hung_us")?,
    })
}

fn time(run: &mut MRun, fields: &Fields<'_>) -> Result<(), ImportError> {
    let (from, width) = (fields.micros("us")?, fields.number::<u64>("width")?);
    let n: u64 = fields.number("n")?;
    if n > options::MOST_OF_BIN {
        return Err(ImportError(format!("line {}: {n} values in one bucket are too many", fields.line)));
    }
    let at = Nanos(from.as_nanos().saturating_add(width.saturating_sub(1).saturating_mul(500)));
    let operation = fields.text("of")?.to_owned();
    options::record(run.latencies.entry(operation).or_default(), at, n);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\
USER>do ranwrite^SECCHI(2,1,50,2)
secchi-m 1 run engine=gtm version=GT.M_V7.0-005_Linux_x86_64 batch=3 verb=ranwrite processes=2 seconds=1 txn=50 hang_ms=2 read_pct=0 lazy=0 value=45 spread=0 days=67895 second=72866 us=1061242 failed=1 reads_are=records
secchi-m 1 worker global=1 reads=0 writes=8350 us=1009907 hung_us=420116
secchi-m 1 time of=commit us=12 width=1 n=3
secchi-m 1 time of=commit us=1230 width=10 n=2
secchi-m 1 end batch=3
";

    #[test]
    fn a_printed_run_is_read_with_its_times() {
        let runs = read_runs(TEXT.as_bytes()).unwrap();
        let run = &runs[0];
        assert_eq!((run.verb.as_str(), run.processes, run.failed, run.batch_size), ("ranwrite", 2, 1, 50));
        // This is 2026-11-21 20:14:26.
        assert_eq!(run.ended, 1_795_292_066);
        assert_eq!((run.workers[0].writes, run.workers[0].took), (8350, Nanos::from_micros(1_009_907)));
        let commits = &run.latencies["commit"];
        assert_eq!(
            (commits.count(), commits.min(), commits.max()),
            (5, Some(Nanos::from_micros(12)), Some(Nanos(1_234_500)))
        );
    }

    #[test]
    fn a_text_that_was_cut_is_refused_by_what_is_missing() {
        let lines: Vec<&str> = TEXT.lines().collect();
        let cut = read_runs(lines[..5].join("\n").as_bytes()).unwrap_err().to_string();
        assert!(cut.contains("no end"), "{cut}");
        let orphan = read_runs(lines[2..].join("\n").as_bytes()).unwrap_err().to_string();
        assert!(orphan.contains("line 1"), "{orphan}");
        assert!(read_runs(b"nothing").unwrap_err().to_string().contains("no runs"));
        let missing = read_runs(TEXT.replace("writes=8350 ", "").as_bytes()).unwrap_err().to_string();
        assert!(missing.contains("line 3: writes is missing"), "{missing}");
    }

    #[test]
    fn a_printed_run_is_a_foreign_result_too() {
        let file = crate::read::read("x", TEXT.as_bytes()).unwrap().remove(0);
        let test = &file.tests[0];
        assert_eq!((file.format.as_str(), test.line, test.asked.jobs), ("secchi-m", 2, Some(2)));
        assert_eq!(test.value(Way::Write, Quantity::Operations), Some(8350.0));
        assert_eq!(test.value(Way::All, Quantity::Errors), Some(1.0));
        // The run ended at 20:14:26 and lasted one second. Counters that were collected during the run are aligned with
        // that second.
        assert_eq!(file.began, Some(1_795_292_065));
    }

    #[test]
    fn a_journal_switched_off_and_mgstat_beside_it_are_told() {
        let text =
            TEXT.replace("reads_are=records\n", "reads_are=blocks nojrn=1\nsecchi-m 1 mgstat directory=/iris/mgr/\n");
        assert!(read_runs(text.as_bytes()).unwrap()[0].nojrn);
        assert!(!read_runs(TEXT.as_bytes()).unwrap()[0].nojrn);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(cut in 0usize..600, put in "\\PC{0,12}", at in 0usize..600) {
            let mut text: String = TEXT.chars().skip(cut).collect();
            if at < text.len() { text.insert_str(at, &put); }
            let _ = read_runs(text.as_bytes());
        }
    }
}
