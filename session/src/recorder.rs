//! The recording made during a watch: a thread writes the batches of the trace to a file.

use anyhow::{Context, Result};
use messages::sentence;
use model::recording::{RecordedLayer, RecordedRequest, RecordedTarget, Recording, RecordingEnd, RecordingHeader};
use model::{Plan, plan::RolePath};
use monitor::trace::RecordedBatch;
use recording::RecordingWriter;
use run::Identity;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Maximum number of batches waiting to be written; one arrives twice a second.
const BATCHES: usize = 16;
/// Time for which the thread waits for the last batch after everything else has ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// A recording that is ready to begin.
pub struct Recorder {
    /// New, empty file.
    pub file: File,
    /// Path of the file.
    pub path: PathBuf,
    /// True if names are omitted.
    pub redact: bool,
    /// True if nothing is printed during the recording.
    pub quiet: bool,
}

impl Recorder {
    /// Begins to record the requests that `plan` will observe.
    pub fn start(
        self,
        plan: &Plan,
        layer: RecordedLayer,
        roles: &[RolePath],
        identity: &Identity,
    ) -> Result<RunningRecorder> {
        let kept = !self.redact;
        let begun: jiff::Timestamp = identity.started.parse().unwrap_or_default();
        let roles =
            roles.iter().map(|r| (r.role.clone(), if kept { r.path.display().to_string() } else { String::new() }));
        let command = plan.watch().map(|watch| watch.command.clone()).unwrap_or_default();
        let header = RecordingHeader {
            layer,
            source: format!("secchi {}", identity.tool),
            begun: u64::try_from(begun.as_nanosecond()).unwrap_or(0),
            host: if kept { monitor::facts::host(&monitor::Roots::host()).hostname } else { String::new() },
            roles: roles.collect(),
            command: if kept { command } else { Vec::new() },
            has_latency: true,
            ..RecordingHeader::default()
        };
        let (requests, batches) = sync_channel(BATCHES);
        let (failed, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let flags = (Arc::clone(&failed), Arc::clone(&over));
        let (file, redact) = (self.file, self.redact);
        let thread = std::thread::Builder::new().name("recording".to_owned());
        let thread = thread.spawn(move || {
            let outcome = write(&file, &header, redact, &batches, &flags.1);
            flags.0.store(outcome.is_err(), Relaxed);
            outcome
        });
        let thread = thread.context("cannot start a thread for the recording")?;
        Ok(RunningRecorder { path: self.path, requests: Some(requests), failed, over, thread })
    }
}

/// A recording in progress.
pub struct RunningRecorder {
    path: PathBuf,
    /// Sender for batches of requests; taken once.
    pub requests: Option<SyncSender<RecordedBatch>>,
    /// Set if writing failed; the run then has no reason to continue.
    pub failed: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Recorded>>,
}

/// Figures of a finished recording.
#[derive(Debug, Default)]
pub struct Recorded {
    requests: u64,
    bytes: u64,
    end: RecordingEnd,
    lost: u64,
    /// Number of requests by role, sorted by name.
    roles: BTreeMap<String, u64>,
    /// True if the last batch arrived.
    whole: bool,
}

impl RunningRecorder {
    /// Waits until the last request has been written, and returns the figures of the recording.
    ///
    /// # Errors
    /// If the recording could not be written.
    pub fn finish(mut self) -> Result<(PathBuf, Recorded)> {
        self.over.store(true, Relaxed);
        drop(self.requests.take());
        let shown = self.path.display().to_string();
        let ended = self.thread.join().unwrap_or_else(|_| Err(io::Error::other("its thread panicked")));
        Ok((self.path, ended.with_context(|| format!("the recording {shown} could not be completed"))?))
    }
}

impl Recorded {
    /// Returns `true` if the recording contains no requests.
    pub fn is_empty(&self) -> bool {
        self.requests == 0
    }

    /// Returns `true` if no request is missing from the recording.
    pub fn is_whole(&self) -> bool {
        self.whole && self.lost == 0
    }

    /// Describes in lines a recording that was converted from a file.
    pub fn converted(&self, path: &std::path::Path, source: &str) -> Vec<messages::Sentence> {
        let first = sentence!(
            "recording-converted",
            path = path.display().to_string(),
            requests = report::count(self.requests),
            time = self.end.length,
            each = self.each(),
            source
        );
        std::iter::once(first).chain(self.role_sentences()).collect()
    }

    /// Formats the bytes per request.
    fn each(&self) -> String {
        let each = if self.requests == 0 { 0.0 } else { self.bytes as f64 / self.requests as f64 };
        format!("{each:.1}")
    }

    fn role_sentences(&self) -> impl Iterator<Item = messages::Sentence> {
        self.roles.iter().map(|(role, n)| sentence!("recording-role", role, requests = report::count(*n)))
    }

    /// Describes the recording in lines.
    pub fn sentences(&self, path: &std::path::Path) -> Vec<messages::Sentence> {
        let share = self.end.cpu.secs() / self.end.length.secs().max(1e-9) * 100.0;
        let mut lines = vec![sentence!(
            "recording-done",
            path = path.display().to_string(),
            requests = report::count(self.requests),
            time = self.end.length,
            each = self.each(),
            share = format!("{share:.1}")
        )];
        lines.extend(self.role_sentences());
        if self.lost > 0 {
            lines.push(sentence!("recording-lost", events = report::count(self.lost)));
        }
        if self.end.unresolved > 0 {
            lines.push(sentence!("recording-unresolved", calls = report::count(self.end.unresolved)));
        }
        for unseen in &self.end.unseen {
            lines.push(sentence!("recording-unseen", calls = report::count(unseen.calls), call = &unseen.call));
        }
        if !self.whole {
            lines.push(sentence!("recording-not-ended"));
        }
        lines
    }
}

/// Writes a recording that is already complete.
///
/// # Errors
/// If the recording could not be written.
pub fn write_whole(file: &File, recording: &mut Recording) -> io::Result<Recorded> {
    let writer = RecordingWriter::begin(BufWriter::new(file), &recording.header)?;
    // Keep the nanosecond resolution of another tool's recording.
    let mut writer = writer.keep_nanoseconds();
    writer.write_targets(&recording.targets)?;
    let mut recorded = Recorded { whole: true, end: recording.end.clone(), ..Recorded::default() };
    count(&mut recorded.roles, &recording.requests, &recording.targets);
    writer.write_requests(&mut recording.requests, recording.end.length)?;
    recorded.requests = writer.requests();
    writer.end(&recording.end)?.get_ref().sync_all()?;
    recorded.bytes = file.metadata()?.len();
    Ok(recorded)
}

/// Writes batches until the last one has arrived. Each batch is on disk before the next one is taken.
fn write(
    file: &File,
    header: &RecordingHeader,
    redact: bool,
    batches: &Receiver<RecordedBatch>,
    over: &AtomicBool,
) -> io::Result<Recorded> {
    let mut writer = RecordingWriter::begin(BufWriter::new(file), header)?;
    let mut recorded = Recorded::default();
    let mut until = None;
    loop {
        let mut batch = match batches.recv_timeout(Duration::from_millis(100)) {
            Ok(batch) => batch,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if over.load(Relaxed) => {
                // If the thread of the trace hangs on a disk, the trace never ends.
                if Instant::now() > *until.get_or_insert_with(|| Instant::now() + PATIENCE) {
                    break;
                }
                continue;
            }
            Err(RecvTimeoutError::Timeout) => continue,
        };
        if redact {
            batch.targets.iter_mut().for_each(|target| target.name.clear());
        }
        writer.write_targets(&batch.targets)?;
        count(&mut recorded.roles, &batch.requests, &batch.targets);
        if !batch.requests.is_empty() || batch.end.is_some() {
            writer.write_requests(&mut batch.requests, batch.complete)?;
        }
        if let Some(lost) = &batch.lost {
            recorded.lost += lost.events;
            writer.write_lost(lost)?;
        }
        writer.flush()?.get_ref().sync_data()?;
        if let Some(end) = batch.end {
            recorded.whole = true;
            recorded.end = end;
            break;
        }
    }
    recorded.requests = writer.requests();
    let cpu_time = sys::threads::thread_cpu_time();
    recorded.end.cpu += model::Nanos(cpu_time.user_ns + cpu_time.system_ns);
    if recorded.whole {
        writer.flush()?;
        recorded.bytes = writer.bytes();
        writer.end(&recorded.end)?.get_ref().sync_all()?;
    }
    recorded.bytes = file.metadata()?.len();
    Ok(recorded)
}

fn count(roles: &mut BTreeMap<String, u64>, requests: &[RecordedRequest], targets: &[RecordedTarget]) {
    let mut by_target = vec![0u64; targets.len()];
    for request in requests {
        if let Some(count) = by_target.get_mut(usize::from(request.target)) {
            *count += 1;
        }
    }
    for (target, count) in targets.iter().zip(by_target) {
        *roles.entry(target.role.clone()).or_default() += count;
    }
}
