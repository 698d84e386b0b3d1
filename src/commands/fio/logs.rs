//! Logs of every operation (`write_lat_log` without `log_avg_msec`), written as they come: there may be millions.

use crate::outputs::{Output, Stream};
use load::recorder::Entry as Operation;
use model::{Nanos, Op, RunRecord};
use report::formats::fio::logs::{LogClock, LogFile, LogKind, OpEntry, file_name, kinds_of, op_line};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufWriter, IntoInnerError, Write};

/// The files of logs.
pub struct EveryOp {
    /// Claimed, by name: clones may share one.
    claimed: HashMap<String, Output>,
    /// Being written.
    files: HashMap<String, BufWriter<Stream>>,
    line: String,
    trouble: Option<String>,
}

impl EveryOp {
    pub fn new(claimed: HashMap<String, Output>) -> Self {
        EveryOp { claimed, files: HashMap::new(), line: String::new(), trouble: None }
    }

    /// Adds operations of a step to its logs.
    pub fn add(&mut self, record: &RunRecord, step: usize, entries: &[Operation]) {
        let Some(of) = record.steps.get(step) else { return };
        let stage = record.stage_of(of);
        let Some(section) = stage.place.section.and_then(|s| record.plan.sections.get(s)) else { return };
        let logs = &section.telling.logs;
        // Measuring begins after the ramp; what completed before is in no log.
        let window = if of.job.manner.window.0 == 0 { run::WINDOW.0 } else { of.job.manner.window.0 };
        let zero = Nanos(of.start.0 + of.job.stop.ramp.0.div_ceil(window) * window);
        let clock = LogClock { zero, ..LogClock::of(record, of, logs) };
        let parts = of.job.manner.parts;
        let priority =
            of.job.manner.thread.io_priority.map_or(0, |(class, level)| (u16::from(class) << 13) | u16::from(level));
        for kind in kinds_of(logs) {
            self.line.clear();
            for entry in entries.iter().filter(|e| e.time >= zero.0 && e.op != Op::Flush) {
                let entry = OpEntry {
                    at: Nanos(entry.time),
                    op: entry.op,
                    bytes: u64::from(entry.len),
                    offset: entry.at,
                    submission: parts.then_some(Nanos(entry.submission)),
                    latency: Nanos(entry.latency),
                    priority,
                };
                op_line(kind, logs, &clock, &entry, &mut self.line);
            }
            // An engine that waits has no time of submission to tell; its log is there all the same, as fio's.
            if self.line.is_empty() && kind != LogKind::Submission {
                continue;
            }
            // fio counts the jobs of the whole run, clones included, from one.
            if let Some(name) = file_name(logs, kind, &section.name, of.stage + 1) {
                self.append(name);
            }
        }
    }

    fn append(&mut self, name: String) {
        if self.trouble.is_some() {
            return;
        }
        let file = match self.files.entry(name) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(new) => {
                let begun = self.claimed.remove(new.key()).map(Output::stream);
                match begun.unwrap_or_else(|| Err(io::ErrorKind::NotFound.into())) {
                    Ok(file) => new.insert(BufWriter::with_capacity(1 << 20, file)),
                    Err(error) => {
                        self.trouble = Some(format!("cannot write the log {}: {error}", new.key()));
                        return;
                    }
                }
            }
        };
        if let Err(error) = file.write_all(self.line.as_bytes()) {
            self.trouble = Some(format!("cannot write a log: {error}"));
        }
    }

    /// Writes what is still in memory, and the logs made of the record.
    ///
    /// # Errors
    /// One sentence, when a log could not be written.
    pub fn close(&mut self, averaged: Vec<LogFile>) -> Result<(), String> {
        for (name, file) in self.files.drain() {
            let whole = file.into_inner().map_err(IntoInnerError::into_error);
            if let Err(error) = whole.and_then(Stream::finish) {
                self.trouble.get_or_insert(format!("cannot write the log {name}: {error}"));
            }
        }
        for log in averaged {
            let put = self.claimed.get_mut(&log.name).map(|output| output.put(log.text.as_bytes()));
            if let Err(error) = put.unwrap_or_else(|| Err(io::ErrorKind::NotFound.into())) {
                self.trouble.get_or_insert(format!("cannot write the log {}: {error}", log.name));
            }
        }
        self.trouble.take().map_or(Ok(()), Err)
    }
}
