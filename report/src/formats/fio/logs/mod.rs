//! fio's log files: bandwidth, IOPS, latencies and histograms over time, under fio's names and in its columns
//! (`time, value, direction, block size[, offset], priority`).
//!
//! Logs averaged over `log_avg_msec`, and histograms, are made of the record: [`StepLogs`]. Logs of every operation are
//! not in a record: whoever has the operations writes a file per [`kinds_of`] under [`file_name`], a line per
//! [`op_line`].

pub mod samples;

use super::account::{WAYS, counted, section_of};
use super::buckets::{BUCKETS, counts};
use super::moment::Moment;
use model::CompactSort;
use model::{
    Interval, LatencyHistogram, LogValue, Logs, Nanos, Op, OpenSample, Phase, Plan, RunRecord, Step, Window,
    kib_per_second, ops_per_second,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a log file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// KiB/s.
    Bandwidth,
    /// Operations per second.
    Iops,
    /// Time to accept, in ns.
    Submission,
    /// Time from there to completion, in ns.
    Completion,
    /// Both together, in ns.
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

    /// The part of the file name that tells it.
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

/// Name of a log of a job, if it is asked for: `<prefix>_bw.<job>.log`, without the number where jobs share one.
/// `job` counts the jobs of the whole run from 1, clones included. An empty prefix means the section's name.
#[must_use]
pub fn file_name(logs: &Logs, kind: LogKind, section: &str, job: usize) -> Option<String> {
    let prefix = kind.prefix(logs)?;
    let prefix = if prefix.is_empty() { section } else { prefix };
    let word = kind.word();
    let end = if form_of(logs, kind) == LogForm::Text { "log" } else { "log.fz" };
    Some(if logs.per_job { format!("{prefix}_{word}.{job}.{end}") } else { format!("{prefix}_{word}.{end}") })
}

/// What the file of a log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogForm {
    /// Lines of text.
    Text,
    /// Samples as fio 3.33 has them in memory, compressed (`samples.rs`).
    Samples,
    /// Lines, compressed: with columns that samples have no place for.
    Packed,
}

/// The form of a log under these options.
#[must_use]
pub fn form_of(logs: &Logs, kind: LogKind) -> LogForm {
    let more = logs.narrow || logs.issue_times || logs.value == LogValue::Both;
    match (logs.compressed && kind != LogKind::Histogram, more) {
        (false, _) => LogForm::Text,
        (true, false) => LogForm::Samples,
        (true, true) => LogForm::Packed,
    }
}

/// Names of all logs that a plan asks for, each once, and what they hold.
#[must_use]
pub fn names(plan: &Plan) -> Vec<(String, LogForm)> {
    names_of(plan, |_, _| true)
}

/// Names of those that are made of intervals ([`StepLogs`]).
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
        let Some(section) = stage.place.section.and_then(|s| plan.sections.get(s)) else { continue };
        let logs = &section.telling.logs;
        let kinds = LogKind::ALL.into_iter().filter(|kind| asked(*kind, logs));
        let named = kinds.filter_map(|k| Some((file_name(logs, k, &section.name, index + 1)?, form_of(logs, k))));
        for (name, form) in named {
            if names.iter().all(|(known, _)| *known != name) {
                names.push((name, form));
            }
        }
    }
    names
}

/// Logs that hold every operation under these options.
pub fn kinds_of(logs: &Logs) -> impl Iterator<Item = LogKind> {
    LogKind::ALL.into_iter().filter(move |k| !is_averaged(*k, logs) && k.prefix(logs).is_some())
}

/// fio's `--bandwidth-log`: the bandwidth of all jobs together, by direction, every half second of the run.
#[derive(Debug, Clone, Default)]
pub struct AggregateLog {
    /// Bytes by direction in each half second that had any.
    bytes: BTreeMap<u64, [u64; 3]>,
    /// When the first job began and the last one ended, in ns: a half second that was not measured whole is no rate.
    measured: Option<(u64, u64)>,
}

/// Nanoseconds that a line of it stands for: fio's `bwavgtime`.
const AGGREGATE: u64 = Nanos::from_millis(500).as_nanos();

impl AggregateLog {
    /// Names of its files, of reads, writes and trims.
    pub const NAMES: [&str; 3] = ["agg-read_bw.log", "agg-write_bw.log", "agg-trim_bw.log"];

    /// Adds the next interval of any step.
    pub fn take(&mut self, interval: &Interval) {
        for window in interval.windows.iter().filter(|_| interval.phase == Phase::Measure) {
            // Where a window reaches into two, both have their part of it.
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

    /// The text of one of its files: time in ms since the run began, KiB/s, direction, and two zeros as fio has them.
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

/// From what times of a log count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogClock {
    /// The log's zero on the run's clock: where measuring of the job began.
    pub zero: Nanos,
    /// Wall-clock time of the run's zero in milliseconds since 1970, if times are to be told so (`log_unix_epoch`).
    pub epoch: Option<i64>,
}

impl LogClock {
    /// That of a step of a record.
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
    /// When it completed, on the run's clock.
    pub at: Nanos,
    /// What it was. Flushes are in no log of fio.
    pub op: Op,
    /// Its size.
    pub bytes: u64,
    /// Its place.
    pub offset: u64,
    /// Time to accept it, where told apart.
    pub submission: Option<Nanos>,
    /// From submission to completion, all of it.
    pub latency: Nanos,
    /// The kernel's number of its I/O priority: class * 8192 + level.
    pub priority: u16,
}

/// Appends the line of one operation to `out`; nothing for a flush, or a time that was not told apart.
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
    // In nanoseconds since the start; only logs of one part of the latency have it.
    let issued = match kind {
        LogKind::Submission | LogKind::Completion => {
            entry.at.as_nanos().saturating_sub(completion).saturating_sub(clock.zero.as_nanos())
        }
        _ => 0,
    };
    let about = About { size: entry.bytes, offset: entry.offset, priority: entry.priority, issued };
    line(logs, clock.millis(entry.at.as_nanos()), Measured { mean: value, max: value }, entry.op, about, out);
}

/// A value of a log, and the largest it stands for.
#[derive(Clone, Copy)]
struct Measured {
    mean: u64,
    max: u64,
}

/// What a line tells of one operation beside its value; of many at once fio tells zeros.
#[derive(Clone, Copy, Default)]
struct About {
    size: u64,
    offset: u64,
    /// As in [`OpEntry::priority`].
    priority: u16,
    /// When it was sent, in ns since the start.
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
    // Without log_prio fio tells only whether the class was real time.
    let _ = if logs.priority {
        write!(out, ", 0x{priority:04x}")
    } else {
        write!(out, ", {}", u16::from(priority >> 13 == 1))
    };
    // fio 3.39 has it last.
    if logs.issue_times {
        let _ = write!(out, ", {issued}");
    }
    out.push('\n');
}

/// A log of a step that is made of its intervals, line by line.
#[derive(Debug, Clone)]
pub struct StepLogs {
    /// Name of its file, which jobs may share.
    pub name: String,
    kind: LogKind,
    logs: Logs,
    clock: LogClock,
    begun: bool,
    /// Smallest sizes by direction, which lines of histograms tell.
    sizes: [u64; WAYS.len()],
    /// Rates: what is not yet as long as an average, and the largest of its windows by direction.
    open: OpenSample,
    largest: [f64; WAYS.len()],
    /// Rates: ends of averages in which nothing completed, by direction: lines once something does again.
    silent: [Vec<u64>; WAYS.len()],
    seen: [bool; WAYS.len()],
    /// Latencies and histograms: what is not yet as long as an average.
    whole: Option<Interval>,
}

impl StepLogs {
    /// Those that a step's job asks for.
    #[must_use]
    pub fn for_step(record: &RunRecord, step: &Step) -> Vec<StepLogs> {
        let stage = record.stage_of(step);
        let section = section_of(record, stage);
        let logs = &section.telling.logs;
        let kinds = LogKind::ALL.into_iter().filter(|k| is_averaged(*k, logs));
        let named = kinds.filter_map(|k| Some((k, file_name(logs, k, &section.name, step.stage + 1)?)));
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
        named.map(one).collect()
    }

    /// Adds the next interval of the step: lines of what is complete with it go to `out`.
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

    /// What is left when the step has ended. A rate over less than an average is none.
    pub fn finish(&mut self, out: &mut String) {
        if let Some(rest) = self.whole.take() {
            self.write_interval(&rest, out);
        }
    }

    /// Rates over real lengths. Between a direction's first and last operation a stretch in which nothing completed is 0.
    fn rates(&mut self, interval: &Interval, value: fn(&Window, Op) -> f64, out: &mut String) {
        let Some(average) = self.logs.average else { return };
        let measured = interval.windows.iter().filter(|_| interval.phase == Phase::Measure);
        for window in measured {
            // Windows are a tenth of a second: the largest of them is what a maximum can say.
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

    /// Notes in which directions nothing completed, and tells of those that do again what was noted.
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
        // The journal keeps windows; a log of latencies has no use for them.
        if let Some(whole) = &mut self.whole {
            whole.windows.clear();
        }
    }

    /// Lines of an interval that is as long as an average.
    fn write_interval(&self, interval: &Interval, out: &mut String) {
        let time = self.clock.millis(interval.start.as_nanos() + interval.length.as_nanos());
        // fio's option ends at 6; there each octave is one number.
        let stride = 1usize << self.logs.coarseness.min(6);
        debug_assert!(BUCKETS.is_multiple_of(stride));
        for (op, size) in WAYS.into_iter().zip(self.sizes) {
            let histogram = histogram_of(self.kind, interval, op);
            let (Some(mean), Some(max)) = (histogram.mean(), histogram.max()) else { continue };
            if self.kind != LogKind::Histogram {
                line(
                    &self.logs,
                    time,
                    Measured { mean: mean.as_nanos(), max: max.as_nanos() },
                    op,
                    About::default(),
                    out,
                );
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

    /// Windows of a tenth of a second from `start` on, each with so many bytes read.
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
