//! Logs of every operation (`write_lat_log` without `log_avg_msec`), written as they come: there may be millions.

use load::recorder::Entry;
use model::{Nanos, Op, RunRecord};
use report::formats::fio::logs::{LogClock, LogKind, OpEntry, file_name, kinds_of, op_line};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};

/// The files that are open.
#[derive(Default)]
pub struct EveryOp {
    /// By name: clones may share one.
    files: HashMap<String, BufWriter<File>>,
    line: String,
    trouble: Option<String>,
}

impl EveryOp {
    /// Adds operations of a step to its logs.
    pub fn add(&mut self, record: &RunRecord, step: usize, entries: &[Entry]) {
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
            std::collections::hash_map::Entry::Occupied(open) => open.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => match File::create(new.key()) {
                Ok(file) => new.insert(BufWriter::with_capacity(1 << 20, file)),
                Err(error) => {
                    self.trouble = Some(format!("cannot write the log {}: {error}", new.key()));
                    return;
                }
            },
        };
        if let Err(error) = file.write_all(self.line.as_bytes()) {
            self.trouble = Some(format!("cannot write a log: {error}"));
        }
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// One sentence, when a log could not be written.
    pub fn close(&mut self) -> Result<(), String> {
        for (name, mut file) in self.files.drain() {
            if let Err(error) = file.flush() {
                self.trouble.get_or_insert(format!("cannot write the log {name}: {error}"));
            }
        }
        self.trouble.take().map_or(Ok(()), Err)
    }
}
