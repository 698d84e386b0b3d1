//! fio's log files: bandwidth, IOPS, latencies and histograms over time, with fio's file names and columns (`time,
//! value, direction, block size[, offset], priority`).
//!
//! Logs averaged over `log_avg_msec`, and histograms, are generated from the record by [`StepLogs`]. A record does not
//! contain every operation: code that has the operations writes one file per [`kinds_of`], named by [`file_name`], with
//! one line per [`op_line`].

pub mod samples;

use super::account::{WAYS, counted, section_of};
use super::buckets::{BUCKETS, counts};
use super::moment::Moment;
use model::measured::{OpenSample, Phase, Window, kib_per_second, ops_per_second};
use model::plan::{LogValue, Logs, Section};
use model::{CompactSort, Interval, LatencyHistogram, Nanos, Op, Plan, RunRecord, record::Step};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Quantity in a log file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// Bandwidth in KiB/s.
    Bandwidth,
    /// Operations per second.
    Iops,
    /// Submission latency, in ns.
    Submission,
    /// Latency from submission to completion, in ns.
    Completion,
    /// Total latency, in ns.
    Total,
    /// Completion latencies by fio's buckets.
    Histogram,
}

impl LogKind {
    const ALL: [LogKind; 6] = [
        LogKind::Bandwidth,
        LogKind::Iops,
        LogKind::Submission,
        LogKind::Completion,
        LogKind::Total,
        LogKind::Histogram,
    ];

    /// Returns the part of the file name that identifies the kind.
    const fn word(self) -> &'static str {
        match self {
            LogKind::Bandwidth => "bw",
            LogKind::Iops => "iops",
            LogKind::Submission => "slat",
            LogKind::Completion => "clat",
            LogKind::Total => "lat",
            LogKind::Histogram => "clat_hist",
        }
    }

    fn prefix(self, logs: &Logs) -> Option<&str> {
        match self {
            LogKind::Bandwidth => logs.bandwidth.as_deref(),
            LogKind::Iops => logs.iops.as_deref(),
            LogKind::Submission | LogKind::Completion | LogKind::Total => logs.latency.as_deref(),
            LogKind::Histogram => logs.histogram.as_deref(),
        }
    }
}

/// Returns the name of a job's log, if the log is enabled: `<prefix>_bw.<job>.log`, without the number if jobs share a
/// file. `job` counts the jobs of the whole run from 1, clones included. An empty prefix means the section's name.
#[must_use]
pub fn file_name(logs: &Logs, kind: LogKind, section: &str, job: usize) -> Option<String> {
    let prefix = kind.prefix(logs)?;
    let prefix = if prefix.is_empty() { section } else { prefix };
    let word = kind.word();
    let end = if form_of(logs, kind) == LogForm::Text { "log" } else { "log.fz" };
    Some(if logs.per_job { format!("{prefix}_{word}.{job}.{end}") } else { format!("{prefix}_{word}.{end}") })
}

/// Format of a log file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogForm {
    /// Lines of text.
    Text,
    /// Samples in fio 3.33's in-memory format, compressed (`samples.rs`).
    Samples,
    /// Compressed lines, for columns that samples cannot store.
    Packed,
}

/// Returns the format of a log under these options.
#[must_use]
pub fn form_of(logs: &Logs, kind: LogKind) -> LogForm {
    let more = logs.narrow || logs.issue_times || logs.value == LogValue::Both;
    match (logs.compressed && kind != LogKind::Histogram, more) {
        (false, _) => LogForm::Text,
        (true, false) => LogForm::Samples,
        (true, true) => LogForm::Packed,
    }
}

/// Returns the names of all logs of a plan, without duplicates, and their formats.
#[must_use]
pub fn names(plan: &Plan) -> Vec<(String, LogForm)> {
    names_of(plan, |_, _| true)
}

/// Returns the names of logs that are generated from intervals ([`StepLogs`]).
#[must_use]
pub fn averaged_names(plan: &Plan) -> Vec<String> {
    names_of(plan, is_averaged).into_iter().map(|(name, _)| name).collect()
}

fn is_averaged(kind: LogKind, logs: &Logs) -> bool {
    kind == LogKind::Histogram || logs.average.is_some()
}

fn names_of(plan: &Plan, asked: fn(LogKind, &Logs) -> bool) -> Vec<(String, LogForm)> {
    let mut names: Vec<(String, LogForm)> = Vec::new();
    for (index, stage) in plan.stages.iter().enumerate() {
        let Some(section) = plan.section_of(stage) else { continue };
        for (kind, name) in named(section, index, asked) {
            if names.iter().all(|(known, _)| *known != name) {
                names.push((name, form_of(&section.report.logs, kind)));
            }
        }
    }
    names
}

/// Returns the logs of the stage with this index that are enabled and wanted, with their names.
fn named(
    section: &Section,
    stage: usize,
    wanted: fn(LogKind, &Logs) -> bool,
) -> impl Iterator<Item = (LogKind, String)> {
    let logs = &section.report.logs;
    let kinds = LogKind::ALL.into_iter().filter(move |kind| wanted(*kind, logs));
    kinds.filter_map(move |kind| Some((kind, file_name(logs, kind, &section.name, stage + 1)?)))
}

/// Returns the kinds of logs that contain every operation under these options.
pub fn kinds_of(logs: &Logs) -> impl Iterator<Item = LogKind> {
    LogKind::ALL.into_iter().filter(move |k| !is_averaged(*k, logs) && k.prefix(logs).is_some())
}

/// fio's `--bandwidth-log`: the total bandwidth of all jobs by direction, for every half second of the run.
#[derive(Debug, Clone, Default)]
pub struct AggregateLog {
    /// Bytes by direction, for each half second in which any were transferred.
    bytes: BTreeMap<u64, [u64; 3]>,
    /// Start of the first job and end of the last, in ns. A half second that was measured only in part yields no rate.
    measured: Option<(u64, u64)>,
}

/// Time covered by one line, in nanoseconds: fio's `bwavgtime`.
const AGGREGATE: u64 = Nanos::from_millis(500).as_nanos();

impl AggregateLog {
    /// Names of the files for reads, writes and trims.
    pub const NAMES: [&str; 3] = ["agg-read_bw.log", "agg-write_bw.log", "agg-trim_bw.log"];

    /// Adds the next interval of any step.
    pub fn take(&mut self, interval: &Interval) {
        for window in interval.windows.iter().filter(|_| interval.phase == Phase::Measure) {
            // A window that overlaps two half seconds is divided between them.
            let end = window.start.as_nanos() + window.length.as_nanos();
            let mut from = window.start.as_nanos();
            let (first, last) = self.measured.unwrap_or((from, end));
            self.measured = Some((first.min(from), last.max(end)));
            while from < end {
                let until = end.min((from / AGGREGATE + 1) * AGGREGATE);
                let share = (until - from) as f64 / window.length.as_nanos().max(1) as f64;
                let sums = self.bytes.entry(from / AGGREGATE).or_default();
                for (sum, op) in sums.iter_mut().zip(WAYS) {
                    *sum += (window.bytes[op.index()] as f64 * share).round() as u64;
                }
                from = until;
            }
        }
    }

    /// Returns the text of one file: time in ms since the start of the run, KiB/s, direction, and two zeros as in fio.
    #[must_use]
    pub fn text(&self, way: usize) -> String {
        let mut out = String::new();
        let Some((first, last)) = self.measured else { return out };
        let whole = |half: u64| half * AGGREGATE >= first && (half + 1) * AGGREGATE <= last;
        for (half, sums) in self.bytes.iter().filter(|(half, sums)| sums[way] > 0 && whole(**half)) {
            let rate = sums[way] as f64 / 1024.0 / (AGGREGATE as f64 / 1e9);
            let _ = writeln!(out, "{}, {}, {way}, 0, 0", (half + 1) * (AGGREGATE / 1_000_000), rate.round());
        }
        out
    }
}

/// Reference for the times in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogClock {
    /// Zero of the log on the run's clock: the time at which measurement of the job began.
    pub zero: Nanos,
    /// Wall-clock time of the run's zero in milliseconds since 1970, if the log contains such times (`log_unix_epoch`).
    pub epoch: Option<i64>,
}

impl LogClock {
    /// Returns the clock for a step of a record.
    #[must_use]
    pub fn for_step(record: &RunRecord, step: &Step, logs: &Logs) -> LogClock {
        let zero = counted(step).map(|i| i.start).min().unwrap_or(step.start);
        let epoch = logs.unix_time.then(|| Moment::parse(&record.started)).flatten().map(|m| m.millis);
        LogClock { zero, epoch }
    }

    fn millis(&self, at: u64) -> i64 {
        match self.epoch {
            Some(epoch) => epoch.saturating_add((at / 1_000_000) as i64),
            None => (at.saturating_sub(self.zero.as_nanos()) / 1_000_000) as i64,
        }
    }
}

/// One operation, for logs of every operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpEntry {
    /// Time of completion, on the run's clock.
    pub at: Nanos,
    /// Kind of operation. fio logs no flushes.
    pub op: Op,
    /// Size in bytes.
    pub bytes: u64,
    /// Offset in bytes.
    pub offset: u64,
    /// Submission latency, if measured separately.
    pub submission: Option<Nanos>,
    /// Total latency from submission to completion.
    pub latency: Nanos,
    /// The kernel's number for the I/O priority: class * 8192 + level.
    pub priority: u16,
}

/// Appends the line of one operation to `out`; appends nothing for a flush or for a latency that was not measured
/// separately.
pub fn op_line(kind: LogKind, logs: &Logs, clock: &LogClock, entry: &OpEntry, out: &mut String) {
    let completion = entry.latency.since(entry.submission.unwrap_or_default()).as_nanos();
    let value = match kind {
        LogKind::Bandwidth => (entry.bytes as f64 / 1024.0 / (completion.max(1) as f64 / 1e9)) as u64,
        LogKind::Iops => 1,
        LogKind::Submission => match entry.submission {
            Some(ns) => ns.as_nanos(),
            None => return,
        },
        LogKind::Completion => completion,
        LogKind::Total => entry.latency.as_nanos(),
        LogKind::Histogram => return,
    };
    if entry.op == Op::Flush {
        return;
    }
    // Nanoseconds since the start; contained only in logs of a part of the latency.
    let issued = match kind {
        LogKind::Submission | LogKind::Completion => {
            entry.at.as_nanos().saturating_sub(completion).saturating_sub(clock.zero.as_nanos())
        }
        _ => 0,
    };
    let about = About { size: entry.bytes, offset: entry.offset, priority: entry.priority, issued };
    line(logs, clock.millis(entry.at.as_nanos()), Measured { mean: value, max: value }, entry.op, about, out);
}

/// Mean and maximum of a log value.
#[derive(Clone, Copy)]
struct Measured {
    mean: u64,
    max: u64,
}

/// Columns of a line other than the value; for averages of many operations fio writes zeros.
#[derive(Clone, Copy, Default)]
struct About {
    size: u64,
    offset: u64,
    /// I/O priority, as in [`OpEntry::priority`].
    priority: u16,
    /// Time of submission, in ns since the start.
    issued: u64,
}

fn line(logs: &Logs, time: i64, value: Measured, op: Op, about: About, out: &mut String) {
    let About { size, offset, priority, issued } = about;
    let _ = write!(out, "{time}, ");
    let _ = match logs.value {
        LogValue::Mean => write!(out, "{}", value.mean),
        LogValue::Max => write!(out, "{}", value.max),
        LogValue::Both => write!(out, "{}, {}", value.mean, value.max),
    };
    let _ = write!(out, ", {}, {size}", op.index());
    if logs.narrow {
        out.push('\n');
        return;
    }
    if logs.offsets {
        let _ = write!(out, ", {offset}");
    }
    // Without log_prio fio only reports whether the class was real time.
    let _ = if logs.priority {
        write!(out, ", 0x{priority:04x}")
    } else {
        write!(out, ", {}", u16::from(priority >> 13 == 1))
    };
    // The last column in fio 3.39.
    if logs.issue_times {
        let _ = write!(out, ", {issued}");
    }
    out.push('\n');
}

/// A step's log that is generated from its intervals, line by line.
#[derive(Debug, Clone)]
pub struct StepLogs {
    /// Name of the file; jobs may share it.
    pub name: String,
    kind: LogKind,
    logs: Logs,
    clock: LogClock,
    begun: bool,
    /// Smallest block size by direction; histogram lines contain it.
    sizes: [u64; WAYS.len()],
    /// For rates: the incomplete average, followed by the largest value of its windows, by direction.
    open: OpenSample,
    largest: [f64; WAYS.len()],
    /// For rates: ends of averaging periods without completions, by direction. They are written as lines once
    /// operations complete again.
    silent: [Vec<u64>; WAYS.len()],
    seen: [bool; WAYS.len()],
    /// For latencies and histograms: the incomplete average.
    whole: Option<Interval>,
}

impl StepLogs {
    /// Returns the logs enabled for a step's job.
    #[must_use]
    pub fn for_step(record: &RunRecord, step: &Step) -> Vec<StepLogs> {
        let stage = record.stage_of(step);
        let section = section_of(record, stage);
        let logs = &section.report.logs;
        let one = |(kind, name)| StepLogs {
            name,
            kind,
            logs: logs.clone(),
            clock: LogClock::for_step(record, step, logs),
            begun: false,
            sizes: WAYS.map(|op| step.job.workload.sizes_of(op).min().as_u64()),
            open: OpenSample::default(),
            largest: Default::default(),
            silent: Default::default(),
            seen: Default::default(),
            whole: None,
        };
        named(&section, step.stage, is_averaged).map(one).collect()
    }

    /// Adds the next interval of the step; lines completed by it are appended to `out`.
    pub fn take(&mut self, interval: &Interval, out: &mut String) {
        if interval.phase == Phase::Ramp {
            return;
        }
        if !self.begun {
            (self.begun, self.clock.zero) = (true, interval.start);
        }
        match self.kind {
            LogKind::Bandwidth => self.rates(interval, kib_per_second, out),
            LogKind::Iops => self.rates(interval, ops_per_second, out),
            _ => self.latencies(interval, out),
        }
    }

    /// Writes the remaining lines after the end of the step. A rate over less than one averaging period is dropped.
    pub fn finish(&mut self, out: &mut String) {
        if let Some(rest) = self.whole.take() {
            self.write_interval(&rest, out);
        }
    }

    /// Computes rates over the actual lengths of the averaging periods. Between a direction's first and last operation,
    /// a period without completions has the rate 0.
    fn rates(&mut self, interval: &Interval, value: fn(&Window, Op) -> f64, out: &mut String) {
        let Some(average) = self.logs.average else { return };
        let measured = interval.windows.iter().filter(|_| interval.phase == Phase::Measure);
        for window in measured {
            // Windows are 100 ms long, so the maximum is that of the largest window.
            for (largest, op) in self.largest.iter_mut().zip(WAYS) {
                *largest = largest.max(value(window, op));
            }
            let Some(stretch) = self.open.add(window, average) else { continue };
            let end = stretch.start.as_nanos() + stretch.length.as_nanos();
            let largest = std::mem::take(&mut self.largest);
            self.end_silence(&stretch, out);
            for (way, op) in WAYS.into_iter().enumerate() {
                if stretch.ops[op.index()] == 0 {
                    continue;
                }
                let measured = Measured { mean: value(&stretch, op).round() as u64, max: largest[way].round() as u64 };
                line(&self.logs, self.clock.millis(end), measured, op, About::default(), out);
            }
        }
    }

    /// Records directions without completions, and writes the zero lines of directions that complete operations again.
    fn end_silence(&mut self, stretch: &Window, out: &mut String) {
        let end = stretch.start.as_nanos() + stretch.length.as_nanos();
        let mut over: Vec<(u64, Op)> = Vec::new();
        for (op, (silent, seen)) in WAYS.into_iter().zip(self.silent.iter_mut().zip(&mut self.seen)) {
            if stretch.ops[op.index()] > 0 {
                *seen = true;
                over.extend(silent.drain(..).map(|end| (end, op)));
            } else if *seen {
                silent.push(end);
            }
        }
        over.compact_sort_by_key(|(end, op)| (*end, op.index()));
        for (end, op) in over {
            line(&self.logs, self.clock.millis(end), Measured { mean: 0, max: 0 }, op, About::default(), out);
        }
    }

    fn latencies(&mut self, interval: &Interval, out: &mut String) {
        let histogram = self.kind == LogKind::Histogram;
        let length = if histogram { self.logs.histogram_every } else { self.logs.average.unwrap_or_default() };
        match self.whole.as_mut().filter(|whole| whole.length.as_nanos() + 1_000_000 < length.as_nanos()) {
            Some(whole) => whole.merge(interval),
            None => {
                let next = Interval { windows: Vec::new(), ..interval.clone() };
                if let Some(whole) = self.whole.replace(next) {
                    self.write_interval(&whole, out);
                }
            }
        }
        // The journal keeps windows; latency logs do not need them.
        if let Some(whole) = &mut self.whole {
            whole.windows.clear();
        }
    }

    /// Writes the lines of an interval that is as long as an averaging period.
    fn write_interval(&self, interval: &Interval, out: &mut String) {
        let time = self.clock.millis(interval.start.as_nanos() + interval.length.as_nanos());
        // The maximum of fio's option is 6, at which each octave is a single number.
        let stride = 1usize << self.logs.coarseness.min(6);
        debug_assert!(BUCKETS.is_multiple_of(stride));
        for (op, size) in WAYS.into_iter().zip(self.sizes) {
            let histogram = histogram_of(self.kind, interval, op);
            let (Some(mean), Some(max)) = (histogram.mean(), histogram.max()) else { continue };
            if self.kind != LogKind::Histogram {
                let measured = Measured { mean: mean.as_nanos(), max: max.as_nanos() };
                line(&self.logs, time, measured, op, About::default(), out);
                continue;
            }
            let _ = write!(out, "{time}, {}, {size}", op.index());
            for merged in counts(histogram).chunks(stride) {
                let _ = write!(out, ", {}", merged.iter().sum::<u64>());
            }
            out.push('\n');
        }
    }
}

fn histogram_of(kind: LogKind, interval: &Interval, op: Op) -> &LatencyHistogram {
    let stats = interval.op(op);
    match kind {
        LogKind::Submission => &stats.submission,
        LogKind::Completion | LogKind::Histogram if stats.completion.count() > 0 => &stats.completion,
        _ => &stats.latency,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns windows of 100 ms from `start` on, with `bytes` bytes read in each.
    fn interval(start: u64, windows: u64, bytes: u64) -> Interval {
        let window = |i: u64| Window {
            start: Nanos(start + i * 100_000_000),
            length: Nanos::from_millis(100),
            bytes: [bytes, 0, 0, 0],
            ..Window::default()
        };
        Interval { phase: Phase::Measure, windows: (0..windows).map(window).collect(), ..Interval::default() }
    }

    #[test]
    fn the_log_of_all_jobs_adds_what_they_did_in_each_whole_half_second() {
        let mut log = AggregateLog::default();
        // Two jobs, one from 0.2 s on, the other from 0.6 s to 1.1 s.
        log.take(&interval(200_000_000, 13, 102_400));
        log.take(&interval(600_000_000, 5, 102_400));
        assert_eq!(
            log.text(0),
            "1000, 1800, 0, 0, 0\n1500, 1200, 0, 0, 0\n",
            "none of 0 to 0.5 s: it was not measured whole"
        );
        assert_eq!((log.text(1).as_str(), log.text(2).as_str()), ("", ""));
    }
}
