//! fio's logs, written during the run. A log of individual operations (`write_lat_log` without `log_avg_msec`) may
//! have millions of lines, and averages of a long run cannot be computed from its record, because the record merges
//! intervals.

use super::compressed_logs::Packer;
use load::recorder::Entry as Operation;
use model::{Interval, Nanos, Op, RunRecord, record::Step};
use report::formats::fio::logs::{
    AggregateLog, LogClock, LogForm, LogKind, OpEntry, StepLogs, averaged_names, file_name, kinds_of, op_line,
};
use session::outputs::{Output, Stream};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufWriter, IntoInnerError, Write};

/// Buffer size of a log, in bytes. It is small because each job may have five logs.
const BUFFER: usize = 128 << 10;

/// Returns `true` if only the end of a step shows which part of the step counts. This is the case when fio searches for
/// the highest depth that meets a latency target.
fn searches(step: &Step) -> bool {
    step.job.tuning.ends.latency_target.is_some()
}

/// An open log.
enum LogFile {
    Text(BufWriter<Stream>),
    Packed(Box<Packer<BufWriter<Stream>>>),
}

impl LogFile {
    fn new(form: LogForm, stream: Stream) -> Self {
        let file = BufWriter::with_capacity(BUFFER, stream);
        match form {
            LogForm::Text => LogFile::Text(file),
            LogForm::Samples | LogForm::Packed => {
                LogFile::Packed(Box::new(Packer::new(file, form == LogForm::Samples)))
            }
        }
    }

    fn add(&mut self, lines: &str) -> io::Result<()> {
        match self {
            LogFile::Text(file) => file.write_all(lines.as_bytes()),
            LogFile::Packed(packer) => packer.add(lines),
        }
    }

    fn finish(self) -> io::Result<()> {
        let file = match self {
            LogFile::Text(file) => file,
            LogFile::Packed(packer) => packer.finish()?,
        };
        file.into_inner().map_err(IntoInnerError::into_error)?.finish()
    }
}

/// Writer of all logs of a run.
pub struct LogWriter {
    /// Claimed files by name; clones may share one.
    claimed: HashMap<String, (Output, LogForm)>,
    /// Open logs by name.
    files: HashMap<String, LogFile>,
    /// Logs of averages and histograms by step.
    averages: Vec<Option<Vec<StepLogs>>>,
    line: String,
    /// Log of all jobs together, if requested.
    aggregate: Option<AggregateLog>,
    trouble: Option<String>,
}

impl LogWriter {
    pub fn new(claimed: HashMap<String, (Output, LogForm)>) -> Self {
        let aggregate = claimed.contains_key(AggregateLog::NAMES[0]).then(AggregateLog::default);
        LogWriter {
            claimed,
            files: HashMap::new(),
            averages: Vec::new(),
            line: String::new(),
            aggregate,
            trouble: None,
        }
    }

    /// Adds operations of a step to its logs.
    pub fn add(&mut self, record: &RunRecord, step: usize, entries: &[Operation]) {
        let Some(step_record) = record.steps.get(step) else { return };
        let stage = record.stage_of(step_record);
        let Some(section) = record.plan.section_of(stage) else { return };
        let logs = &section.report.logs;
        // Measuring begins after `ramp_time`; operations that completed earlier are not logged.
        let window = step_record.job.tuning.window_length().as_nanos();
        let zero = Nanos(step_record.start.as_nanos() + step_record.job.stop.ramp.as_nanos().div_ceil(window) * window);
        let clock = LogClock { zero, ..LogClock::for_step(record, step_record, logs) };
        let parts = step_record.job.tuning.split_latency;
        let priority = step_record.job.tuning.thread.priority();
        for kind in kinds_of(logs) {
            self.line.clear();
            for entry in entries.iter().filter(|e| e.time >= zero.as_nanos() && e.op != Op::Flush) {
                let entry = OpEntry {
                    at: Nanos(entry.time),
                    op: entry.op,
                    bytes: u64::from(entry.len),
                    offset: entry.at,
                    submission: parts.then_some(Nanos(entry.submission)),
                    latency: Nanos(entry.latency),
                    priority: if entry.priority == 0 { priority } else { entry.priority },
                };
                op_line(kind, logs, &clock, &entry, &mut self.line);
            }
            // A synchronous engine reports no submission times, but the log for them is created nevertheless, as in
            // fio.
            if self.line.is_empty() && kind != LogKind::Submission {
                continue;
            }
            // fio numbers the jobs of the whole run from one, clones included.
            if let Some(name) = file_name(logs, kind, &section.name, step_record.stage + 1) {
                self.append(name);
            }
        }
    }

    /// Adds an interval of a step to its logs of averages and histograms.
    pub fn take(&mut self, record: &RunRecord, step: usize, interval: &Interval) {
        if let Some(aggregate) = &mut self.aggregate {
            aggregate.take(interval);
        }
        let Some(step_record) = record.steps.get(step).filter(|s| !searches(s)) else { return };
        if self.averages.len() <= step {
            self.averages.resize(step + 1, None);
        }
        let mut logs = self.averages[step].take().unwrap_or_else(|| StepLogs::for_step(record, step_record));
        for log in &mut logs {
            self.line.clear();
            log.take(interval, &mut self.line);
            self.append(log.name.clone());
        }
        self.averages[step] = Some(logs);
    }

    /// Writes the rest after the last complete average of each step, the logs of steps whose counted part is known only
    /// now, and empty logs for jobs without operations.
    fn end_averages(&mut self, record: &RunRecord) {
        for mut log in std::mem::take(&mut self.averages).into_iter().flatten().flatten() {
            self.line.clear();
            log.finish(&mut self.line);
            self.append(log.name);
        }
        for step in record.steps.iter().filter(|s| searches(s)) {
            for mut log in StepLogs::for_step(record, step) {
                self.line.clear();
                step.intervals.iter().for_each(|i| log.take(i, &mut self.line));
                log.finish(&mut self.line);
                self.append(log.name);
            }
        }
        self.line.clear();
        averaged_names(&record.plan).into_iter().for_each(|name| self.append(name));
    }

    fn append(&mut self, name: String) {
        if self.trouble.is_some() {
            return;
        }
        let file = match self.files.entry(name) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(new) => {
                let begun = self.claimed.remove(new.key()).ok_or(io::Error::from(io::ErrorKind::NotFound));
                match begun.and_then(|(output, form)| Ok(LogFile::new(form, output.stream()?))) {
                    Ok(file) => new.insert(file),
                    Err(error) => {
                        self.trouble = Some(format!("cannot write the log {}: {error}", new.key()));
                        return;
                    }
                }
            }
        };
        if let Err(error) = file.add(&self.line) {
            self.trouble = Some(format!("cannot write a log: {error}"));
        }
    }

    /// Completes and closes all logs.
    ///
    /// # Errors
    /// One sentence, when a log could not be written.
    pub fn close(&mut self, record: &RunRecord) -> Result<(), String> {
        self.end_averages(record);
        if let Some(aggregate) = self.aggregate.take() {
            for (way, name) in AggregateLog::NAMES.into_iter().enumerate() {
                self.line = aggregate.text(way);
                self.append(name.to_owned());
            }
        }
        for (name, file) in self.files.drain() {
            if let Err(error) = file.finish() {
                self.trouble.get_or_insert(format!("cannot write the log {name}: {error}"));
            }
        }
        self.trouble.take().map_or(Ok(()), Err)
    }
}
