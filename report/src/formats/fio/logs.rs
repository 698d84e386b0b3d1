//! fio's log files: bandwidth, IOPS, latencies and histograms over time, under fio's names and in its columns
//! (`time, value, direction, block size[, offset], priority`).
//!
//! Logs averaged over `log_avg_msec`, and histograms, are made of the record: [`averaged`]. Logs of every operation are
//! not in a record: whoever has the operations writes a file per [`kinds_of`] under [`file_name`], a line per
//! [`op_line`].

use super::account::{WAYS, counted, section_of};
use super::buckets::{BUCKETS, counts};
use super::moment::Moment;
use super::samples::{kib_per_second, per_second, stretches};
use model::{Interval, LatencyHistogram, LogValue, Logs, Nanos, Op, Plan, RunRecord, Step, Window};
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

/// A file of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFile {
    /// Its name, relative to where fio would put it: the prefix may hold a directory.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// Name of a log of a job, if it is asked for: `<prefix>_bw.<job>.log`, without the number where jobs share one.
/// `job` counts the jobs of the whole run from 1, clones included. An empty prefix means the section's name.
#[must_use]
pub fn file_name(logs: &Logs, kind: LogKind, section: &str, job: usize) -> Option<String> {
    let prefix = kind.prefix(logs)?;
    let prefix = if prefix.is_empty() { section } else { prefix };
    let word = kind.word();
    Some(if logs.per_job { format!("{prefix}_{word}.{job}.log") } else { format!("{prefix}_{word}.log") })
}

/// Names of all logs that a plan asks for, each once.
#[must_use]
pub fn names(plan: &Plan) -> Vec<String> {
    let mut names = Vec::new();
    for (index, stage) in plan.stages.iter().enumerate() {
        let Some(section) = stage.place.section.and_then(|s| plan.sections.get(s)) else { continue };
        let logs = &section.telling.logs;
        for name in LogKind::ALL.into_iter().filter_map(|kind| file_name(logs, kind, &section.name, index + 1)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Logs that hold every operation under these options.
pub fn kinds_of(logs: &Logs) -> impl Iterator<Item = LogKind> {
    let every = logs.average.0 == 0;
    LogKind::ALL.into_iter().filter(move |k| every && *k != LogKind::Histogram && k.prefix(logs).is_some())
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
    pub fn of(record: &RunRecord, step: &Step, logs: &Logs) -> LogClock {
        let zero = counted(step).map(|i| i.start).min().unwrap_or(step.start);
        let epoch = logs.unix_time.then(|| Moment::parse(&record.started)).flatten().map(|m| m.millis);
        LogClock { zero, epoch }
    }

    fn millis(&self, at: u64) -> i64 {
        match self.epoch {
            Some(epoch) => epoch.saturating_add((at / 1_000_000) as i64),
            None => (at.saturating_sub(self.zero.0) / 1_000_000) as i64,
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
    let completion = entry.latency.since(entry.submission.unwrap_or_default()).0;
    let value = match kind {
        LogKind::Bandwidth => (entry.bytes as f64 / 1024.0 / (completion.max(1) as f64 / 1e9)) as u64,
        LogKind::Iops => 1,
        LogKind::Submission => match entry.submission {
            Some(ns) => ns.0,
            None => return,
        },
        LogKind::Completion => completion,
        LogKind::Total => entry.latency.0,
        LogKind::Histogram => return,
    };
    if entry.op == Op::Flush {
        return;
    }
    let place = (entry.bytes, entry.offset, entry.priority);
    line(logs, clock.millis(entry.at.0), Measured { mean: value, max: value }, entry.op, place, out);
    if logs.issue_times && !logs.narrow {
        // fio 3.39: the last column, in nanoseconds since the start.
        out.pop();
        let issued = entry.at.0.saturating_sub(completion);
        let _ = writeln!(out, ", {}", issued.saturating_sub(clock.zero.0));
    }
}

/// A value of a log, and the largest it stands for.
#[derive(Clone, Copy)]
struct Measured {
    mean: u64,
    max: u64,
}

fn line(logs: &Logs, time: i64, value: Measured, op: Op, place: (u64, u64, u16), out: &mut String) {
    let (size, offset, priority) = place;
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
        writeln!(out, ", 0x{priority:04x}")
    } else {
        writeln!(out, ", {}", u16::from(priority >> 13 == 1))
    };
}

/// Every log that can be made of the record: averaged ones where `log_avg_msec` is set, and histograms. Jobs that share
/// a file stand in it one after the other.
#[must_use]
pub fn averaged(record: &RunRecord) -> Vec<LogFile> {
    let mut files: Vec<LogFile> = Vec::new();
    for (index, stage) in record.plan.stages.iter().enumerate() {
        let section = section_of(record, stage);
        let logs = &section.telling.logs;
        for kind in LogKind::ALL {
            let Some(name) = file_name(logs, kind, &section.name, index + 1) else { continue };
            if kind != LogKind::Histogram && logs.average.0 == 0 {
                continue;
            }
            let mut text = String::new();
            for step in record.steps.iter().filter(|s| s.stage == index) {
                step_log(kind, logs, &LogClock::of(record, step, logs), step, &mut text);
            }
            match files.iter_mut().find(|f| f.name == name) {
                Some(file) => file.text.push_str(&text),
                None => files.push(LogFile { name, text }),
            }
        }
    }
    files
}

fn step_log(kind: LogKind, logs: &Logs, clock: &LogClock, step: &Step, out: &mut String) {
    match kind {
        LogKind::Bandwidth => rates(logs, clock, step, kib_per_second, out),
        LogKind::Iops => rates(logs, clock, step, per_second, out),
        LogKind::Submission | LogKind::Completion | LogKind::Total => latencies(kind, logs, clock, step, out),
        LogKind::Histogram => histograms(logs, clock, step, out),
    }
}

/// Rates over real lengths. Between a direction's first and last operation a stretch in which nothing completed is 0.
fn rates(logs: &Logs, clock: &LogClock, step: &Step, value: fn(&Window, Op) -> f64, out: &mut String) {
    let every: Vec<Window> = stretches(step.windows(), logs.average).collect();
    // Windows are a tenth of a second: the largest of them is what a maximum can say.
    let windows: Vec<&Window> = step.windows().collect();
    for (i, stretch) in every.iter().enumerate() {
        for op in WAYS {
            let busy = |w: &Window| w.ops[op.index()] > 0;
            if !every[..=i].iter().any(busy) || !every[i..].iter().any(busy) {
                continue;
            }
            let end = stretch.start.0 + stretch.length.0;
            let within = windows.iter().filter(|w| w.start >= stretch.start && w.start.0 < end);
            let max = within.map(|w| value(w, op)).fold(0.0, f64::max);
            let measured = Measured { mean: value(stretch, op).round() as u64, max: max.round() as u64 };
            line(logs, clock.millis(end), measured, op, (0, 0, 0), out);
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

/// Intervals put together to stretches of at least `length`, and what is left.
fn intervals(step: &Step, length: Nanos) -> Vec<Interval> {
    let mut all: Vec<Interval> = Vec::new();
    for interval in counted(step) {
        match all.last_mut().filter(|last| last.length.0 + 1_000_000 < length.0) {
            Some(last) => last.merge(interval),
            None => all.push(interval.clone()),
        }
    }
    all
}

fn latencies(kind: LogKind, logs: &Logs, clock: &LogClock, step: &Step, out: &mut String) {
    if let Some(op) = narrow(kind, logs, step) {
        for w in stretches(step.windows(), logs.average) {
            if let Some(mean) = w.mean_latency() {
                let measured = Measured { mean: mean.0, max: mean.0 };
                line(logs, clock.millis(w.start.0 + w.length.0), measured, op, (0, 0, 0), out);
            }
        }
        return;
    }
    for interval in intervals(step, logs.average) {
        for op in WAYS {
            let histogram = histogram_of(kind, &interval, op);
            if let (Some(mean), Some(max)) = (histogram.mean(), histogram.max()) {
                let end = interval.start.0 + interval.length.0;
                line(logs, clock.millis(end), Measured { mean: mean.0, max: max.0 }, op, (0, 0, 0), out);
            }
        }
    }
}

/// Whether windows tell a latency log more finely than intervals do: they hold one sum of latencies for all kinds of
/// operations, so there must be one kind only, and no maximum asked for.
fn narrow(kind: LogKind, logs: &Logs, step: &Step) -> Option<Op> {
    let coarse = counted(step).any(|i| i.length.0 > logs.average.0 + logs.average.0 / 2);
    let apart = counted(step).any(|i| i.per_op.iter().any(|o| o.completion.count() > 0));
    let told = kind == LogKind::Total || (kind == LogKind::Completion && !apart);
    if !coarse || !told || logs.value != LogValue::Mean || step.windows().next().is_none() {
        return None;
    }
    let used = |op: Op| step.windows().any(|w| w.ops[op.index()] > 0);
    let mut ops = Op::ALL.into_iter().filter(|op| used(*op));
    match (ops.next(), ops.next()) {
        (Some(op), None) if op != Op::Flush => Some(op),
        _ => None,
    }
}

fn histograms(logs: &Logs, clock: &LogClock, step: &Step, out: &mut String) {
    // fio's option ends at 6; there each octave is one number.
    let stride = 1usize << logs.coarseness.min(6);
    for interval in intervals(step, logs.histogram_every) {
        for op in WAYS {
            let histogram = histogram_of(LogKind::Histogram, &interval, op);
            if histogram.count() == 0 {
                continue;
            }
            let time = clock.millis(interval.start.0 + interval.length.0);
            let size = step.job.workload.sizes_of(op).min().0;
            let _ = write!(out, "{time}, {}, {size}", op.index());
            for merged in counts(histogram).chunks(stride) {
                let _ = write!(out, ", {}", merged.iter().sum::<u64>());
            }
            out.push('\n');
        }
    }
    debug_assert!(BUCKETS.is_multiple_of(stride));
}
