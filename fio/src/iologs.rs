//! fio's `write_iolog`: records every operation of a job in a file that secchi or another tool can replay.
//!
//! Lines are sorted by submission time, but an operation is known only once it has completed. A line therefore waits
//! for operations that were submitted earlier, up to a time limit.

use anyhow::Result;
use job::JobFile;
use load::recorder::Entry;
use model::{Nanos, Op, Plan, RunRecord, plan::FlushKind, record::Step};
use session::outputs::{Output, Outputs, Replaces, Stream};
use session::reject;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt::Write as _;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::Path;

/// First line of the file.
const HEAD: &str = "fio version 3 iolog";
/// Time for which a line waits for operations that were submitted earlier. Operations that take longer are written
/// later in the file.
const PATIENCE: Nanos = Nanos::from_secs(2);

/// A waiting line: submission time in microseconds, sequence number for lines with the same time, and the rest of the
/// line.
type Waiting = Reverse<(u64, u64, String)>;

struct Iolog {
    out: BufWriter<Stream>,
    waiting: BinaryHeap<Waiting>,
    /// Number of lines so far.
    lines: u64,
    /// Time of the last line; the time of later lines is never earlier.
    last: u64,
    /// Steps whose files have been listed.
    begun: Vec<usize>,
}

/// All iologs of a run.
#[derive(Default)]
pub struct IologWriter {
    /// File names by section; jobs may share one.
    names: Vec<Option<String>>,
    claimed: HashMap<String, Output>,
    files: HashMap<String, Iolog>,
    trouble: Option<String>,
}

impl IologWriter {
    /// Claims the files that jobs name.
    pub fn claim(file: &JobFile, plan: &Plan, outputs: &mut Outputs) -> Result<Self> {
        let name = |section: &job::Section| section.options.replay.write.as_ref().map(|p| p.display().to_string());
        let names: Vec<Option<String>> = file.sections.iter().map(name).collect();
        for stage in &plan.stages {
            let asked = stage.place.section.and_then(|s| names[s].as_ref());
            let blank = |path: &Path| path.to_string_lossy().contains(char::is_whitespace);
            if asked.is_some()
                && let Some(target) = stage.job.targets().find(|t| blank(&t.path))
            {
                reject!(
                    "write_iolog: the name {} contains a blank, which an iolog cannot represent",
                    target.path.display()
                );
            }
        }
        let mut claimed = HashMap::new();
        for name in names.iter().flatten() {
            if !claimed.contains_key(name) {
                claimed.insert(name.clone(), outputs.claim(Path::new(name), Replaces::Begun(HEAD))?);
            }
        }
        Ok(IologWriter { names, claimed, files: HashMap::new(), trouble: None })
    }

    /// Adds operations of a step to the file of its job.
    pub fn add(&mut self, record: &RunRecord, step: usize, entries: &[Entry]) {
        let Some(step_record) = record.steps.get(step) else { return };
        let section = record.stage_of(step_record).place.section;
        let Some(name) = section.and_then(|s| self.names.get(s)?.clone()) else { return };
        if self.trouble.is_none()
            && let Err(error) = self.write(&name, step, step_record, entries)
        {
            self.trouble = Some(format!("cannot write the iolog {name}: {error}"));
        }
    }

    fn write(&mut self, name: &str, step: usize, step_record: &Step, entries: &[Entry]) -> io::Result<()> {
        if let Some(output) = self.claimed.remove(name) {
            self.files.insert(name.to_owned(), Iolog::begin(output)?);
        }
        let Some(log) = self.files.get_mut(name) else { return Ok(()) };
        let files: Vec<String> = step_record.job.targets().map(|t| t.path.display().to_string()).collect();
        if !log.begun.contains(&step) {
            log.begun.push(step);
            for file in &files {
                log.line(0, &format!("{file} add"))?;
                log.line(0, &format!("{file} open"))?;
            }
        }
        let mut newest = Nanos(0);
        for entry in entries {
            let sent = sent(entry).since(step_record.start);
            newest = newest.max(Nanos(entry.time).since(step_record.start));
            let Some(file) = files.get(usize::from(entry.file)) else { continue };
            let mut rest = String::new();
            let _ = write!(rest, "{file} {} {} {}", action(entry), entry.at, entry.len);
            log.wait(sent, rest);
        }
        log.write_until(Nanos(newest.as_nanos().saturating_sub(PATIENCE.as_nanos())))
    }

    /// Writes the waiting lines and closes the files.
    ///
    /// # Errors
    /// One sentence, when a file could not be written.
    pub fn close(&mut self, record: &RunRecord) -> Result<(), String> {
        // Jobs without operations get an empty file.
        for (name, output) in self.claimed.drain() {
            match Iolog::begin(output) {
                Ok(log) => drop(self.files.insert(name, log)),
                Err(error) => {
                    self.trouble.get_or_insert(format!("cannot write the iolog {name}: {error}"));
                }
            }
        }
        for (name, log) in self.files.drain() {
            if let Err(error) = log.finish(record) {
                self.trouble.get_or_insert(format!("cannot write the iolog {name}: {error}"));
            }
        }
        self.trouble.take().map_or(Ok(()), Err)
    }
}

impl Iolog {
    fn begin(output: Output) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(128 << 10, output.stream()?);
        writeln!(out, "{HEAD}")?;
        Ok(Iolog { out, waiting: BinaryHeap::new(), lines: 0, last: 0, begun: Vec::new() })
    }

    fn line(&mut self, time: u64, rest: &str) -> io::Result<()> {
        self.last = self.last.max(time);
        writeln!(self.out, "{} {rest}", self.last)
    }

    fn wait(&mut self, sent: Nanos, rest: String) {
        self.lines += 1;
        self.waiting.push(Reverse((sent.as_nanos() / 1000, self.lines, rest)));
    }

    fn write_until(&mut self, until: Nanos) -> io::Result<()> {
        let until = until.as_nanos() / 1000;
        while self.waiting.peek().is_some_and(|Reverse((time, ..))| *time <= until) {
            let Some(Reverse((time, _, rest))) = self.waiting.pop() else { break };
            self.line(time, &rest)?;
        }
        Ok(())
    }

    fn finish(mut self, record: &RunRecord) -> io::Result<()> {
        self.write_until(Nanos(u64::MAX))?;
        for step in std::mem::take(&mut self.begun) {
            for target in record.steps[step].job.targets() {
                self.line(self.last, &format!("{} close", target.path.display()))?;
            }
        }
        self.out.into_inner().map_err(IntoInnerError::into_error)?.finish()
    }
}

/// Returns the submission time on the run's clock. The latency starts at this time and includes the submission call.
const fn sent(entry: &Entry) -> Nanos {
    Nanos(entry.time - entry.latency)
}

const fn action(entry: &Entry) -> &'static str {
    match (entry.op, entry.flush) {
        (Op::Read, _) => "read",
        (Op::Write, _) => "write",
        (Op::Trim, _) => "trim",
        (Op::Flush, FlushKind::Full) => "sync",
        (Op::Flush, FlushKind::Data) => "datasync",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::engine::Request;

    #[test]
    fn the_time_of_handing_over_is_within_a_latency() {
        let entry = Entry { time: 1000, submission: 300, latency: 900, ..Entry::new(&Request::default(), 4096) };
        assert_eq!(sent(&entry), Nanos(100));
    }
}
