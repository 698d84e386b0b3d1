//! What the M scripts of `secchi db script` print -> figures of runs, one each.
//!
//! Lines begin with `secchi-m 1`, then a word and fields `name=value`; whatever else stands in a terminal's log is passed over. A
//! run without its end line was cut short: it is refused, not guessed.

use crate::fio::options;
use crate::format::Format;
use crate::text::dates::HOROLOG_DAYS;
use crate::text::figure::{Cut, Figure};
use crate::text::source::{self, ImportError, Source};
use model::{ForeignFile, ForeignLatency, ForeignTest, LatencyHistogram, Nanos, Quantity, Statistic, Way};
use std::collections::BTreeMap;

const MARK: &str = "secchi-m 1 ";

/// A run of the scripts.
#[derive(Debug, Clone, PartialEq)]
pub struct MRun {
    /// `gtm` or `iris`.
    pub engine: String,
    /// Its version, blanks as underscores.
    pub version: String,
    /// `ranread`, `ranwrite`, ...
    pub verb: String,
    /// Number of the run in its database.
    pub batch: u64,
    /// When it ended, in seconds since 1970 as the clock on the wall of that machine showed (its zone is not told).
    pub ended: i64,
    /// Processes asked for.
    pub processes: u32,
    /// Those that did not come to their end.
    pub failed: u32,
    /// Seconds asked for; 0 = until the work was done.
    pub seconds: f64,
    /// Operations of a batch.
    pub batch_size: u64,
    /// Pause after each batch, milliseconds.
    pub hang_ms: f64,
    /// Percent of batches that read.
    pub read_percent: u8,
    /// Commits did not wait for the journal.
    pub lazy: bool,
    /// The processes had switched their journal off.
    pub nojrn: bool,
    /// What a read was: `blocks` (IRIS's VIEW) or `records`.
    pub reads_are: String,
    /// One for each process that came to its end.
    pub workers: Vec<MWorker>,
    /// By what they are of: `read`, `update`, `commit`, `transaction`. Times of all processes, each at the middle of the bucket
    /// the script kept it in (exact microseconds below 1000, three digits above).
    pub latencies: BTreeMap<String, LatencyHistogram>,
}

/// What a process did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MWorker {
    /// Global it worked on.
    pub global: u32,
    /// Records that were read.
    pub reads: u64,
    /// Records that were written.
    pub writes: u64,
    /// From the barrier to its end.
    pub took: Nanos,
    /// Of that in pauses.
    pub hung: Nanos,
}

/// Whether a text has results of the scripts.
#[must_use]
pub fn is_m_result(text: &[u8]) -> bool {
    text.windows(MARK.len()).any(|w| w == MARK.as_bytes())
}

/// Reads all runs of a text.
///
/// # Errors
/// When there is none, a line is not of that form, or a run has no end.
pub fn read_runs(text: &[u8]) -> Result<Vec<MRun>, ImportError> {
    let text = String::from_utf8_lossy(text);
    let (mut runs, mut open): (Vec<MRun>, Option<MRun>) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        let Some(at) = line.find(MARK) else { continue };
        let wrong = |why: &str| ImportError(format!("line {}: {why}", number + 1));
        let mut words = line[at + MARK.len()..].split_ascii_whitespace();
        let kind = words.next().unwrap_or_default();
        let fields = Fields { pairs: words.filter_map(|word| word.split_once('=')).collect(), line: number + 1 };
        match (kind, &mut open) {
            ("run", None) => open = Some(head(&fields)?),
            ("run", Some(_)) => return Err(wrong("a run begins before the one before has ended: the text was cut")),
            ("worker", Some(run)) => run.workers.push(worker(&fields)?),
            ("time", Some(run)) => time(run, &fields)?,
            ("end", Some(run)) if fields.number::<u64>("batch")? == run.batch => runs.extend(open.take()),
            ("count" | "size" | "mgstat", _) => {}
            _ => return Err(wrong("it does not belong to a run: the text was cut")),
        }
    }
    match open {
        Some(run) => Err(ImportError(format!("the run of {} has no end: the text was cut", run.verb))),
        None if runs.is_empty() => Err(ImportError("it has no runs of secchi's M scripts".into())),
        None => Ok(runs),
    }
}

pub(crate) const FORMAT: Format = Format {
    name: "secchi-m",
    about: "what the M scripts of `secchi db script` print",
    shares_a_log: false,
    recognise,
    read,
};

fn recognise(source: &Source<'_>) -> bool {
    is_m_result(source.text().as_bytes())
}

/// The same runs as foreign results, one document each.
fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    // Its bounds are checked by asking for them.
    drop(source.lines()?);
    // A run's own line: its figures are sums over those of its workers.
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
        let told = |of, value, ulp, cut| figure(value, ulp).to_value(way, of, cut, line, words.clone());
        test.values.push(told(Quantity::Operations, count as f64, 1.0, Cut::Exact));
        if longest > 0.0 {
            test.values.push(told(Quantity::Runtime, longest, 1e-6, Cut::Nearest));
            test.values.push(told(Quantity::Iops(Statistic::Overall), count as f64 / longest, 0.0, Cut::Exact));
        }
        let of = if way == Way::Read { "read" } else { "update" };
        if let Some(histogram) = run.latencies.get(of) {
            let total = |statistic| Quantity::Latency(ForeignLatency::Total, statistic);
            if let Some(mean) = histogram.summary().mean() {
                // Times above a millisecond are kept to three digits.
                test.values.push(told(total(Statistic::Mean), mean * 1e-9, mean * 1e-9 * 0.005, Cut::Nearest));
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
        // What they print last is the time of day at their end.
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
        let found = self.pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        found.ok_or_else(|| ImportError(format!("line {}: {name} is missing", self.line)))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, ImportError> {
        let text = self.text(name)?;
        text.parse()
            .map_err(|_| ImportError(format!("line {}: {name}={} is no such number", self.line, model::clip(text))))
    }

    fn micros(&self, name: &str) -> Result<Nanos, ImportError> {
        // A clock that was set back during the run.
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
        // Scripts of before 2026-11-22 do not tell it.
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
        return Err(ImportError(format!("line {}: {n} times in one bucket", fields.line)));
    }
    let at = Nanos(from.as_nanos().saturating_add(width.saturating_sub(1).saturating_mul(500)));
    let of = fields.text("of")?.to_owned();
    options::record(run.latencies.entry(of).or_default(), at, n);
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
        // 2026-11-21 20:14:26.
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
        // It ended at 20:14:26 after a second, so counters beside it are laid over that second.
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
