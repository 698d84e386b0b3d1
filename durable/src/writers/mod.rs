//! Writers of an experiment. They run concurrently, each in its own thread. Only after a sync has returned does a
//! writer report its write and begin the next one (docs/design/durability.md, "What is written").

mod append;
mod blocks;
mod names;

use crate::directory::{Failure, FailureKind, Home, check_direct, failure};
use crate::experiment::Marker;
use crate::geometry::WriterKind;
use model::{LatencyHistogram, Nanos};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, Thread};

/// Progress of the writers. It is shared with the threads that report it.
#[derive(Debug)]
pub struct Progress {
    /// Number of the last write of each writer whose sync has returned.
    synced: Vec<AtomicU64>,
    stop: AtomicBool,
    failed: Mutex<Option<Failure>>,
    /// Thread that is woken after each sync.
    waiting: Mutex<Option<Thread>>,
}

impl Progress {
    fn new(writers: u16) -> Progress {
        Progress {
            synced: (0..writers).map(|_| AtomicU64::new(0)).collect(),
            stop: AtomicBool::new(false),
            failed: Mutex::new(None),
            waiting: Mutex::new(None),
        }
    }

    /// Returns the number of the last write of each writer whose sync has returned, or 0 if there is none.
    #[must_use]
    pub fn synced(&self) -> Vec<u64> {
        self.synced.iter().map(|n| n.load(Ordering::Acquire)).collect()
    }

    /// Requests that every writer ends after its current write.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.wake();
    }

    /// Returns `true` if a stop was requested or a writer failed.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Registers the current thread to be woken after each sync.
    pub fn wake_here(&self) {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::current());
    }

    fn wake(&self) {
        if let Some(thread) = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            thread.unpark();
        }
    }

    fn is_synced(&self, writer: u16, sequence: u64) {
        self.synced[usize::from(writer)].store(sequence, Ordering::Release);
        self.wake();
    }

    pub(crate) fn fail(&self, failure: Failure) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.stop();
    }

    /// Returns the failure that ended a writer early, if any.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Running writers.
#[derive(Debug)]
pub struct Writers {
    progress: Arc<Progress>,
    threads: Vec<JoinHandle<LatencyHistogram>>,
}

/// Operations of one writer.
trait Writer: Send {
    /// Performs and syncs write number `sequence`. Returns the latency of the sync, or of the writes if each of them is
    /// durable by itself.
    fn write(&mut self, sequence: u64) -> io::Result<Nanos>;
}

/// Calls `act` and returns its duration.
fn timed(act: impl FnOnce() -> io::Result<()>) -> io::Result<Nanos> {
    let before = sys::clock::monotonic_ns();
    act()?;
    Ok(Nanos(sys::clock::monotonic_ns().saturating_sub(before)))
}

impl Writers {
    /// Opens the files of a prepared experiment and starts the writers.
    ///
    /// # Errors
    /// Returns a [`Failure`] if a file cannot be opened as required or a thread cannot be started. In that case,
    /// nothing has been written.
    pub fn start(home: &Home, marker: &Marker) -> Result<Writers, Failure> {
        check_direct(home, marker)?;
        let progress = Arc::new(Progress::new(marker.geometry.writers()));
        let mut opened: Vec<(u16, Box<dyn Writer>)> = Vec::new();
        for number in 0..marker.geometry.writers() {
            let kind = marker.geometry.kind(number);
            let writer: io::Result<Box<dyn Writer>> = match kind {
                WriterKind::Blocks => blocks::BlocksWriter::open(home, marker, number).map(|w| Box::new(w) as _),
                WriterKind::Append => append::AppendWriter::open(home, marker, number).map(|w| Box::new(w) as _),
                WriterKind::Names => names::NamesWriter::open(home, marker, number).map(|w| Box::new(w) as _),
            };
            let writer = writer.map_err(|e| {
                failure(
                    FailureKind::Cannot,
                    format!(
                        "cannot open the files of writer {number} in {} (--sync {}): {e}",
                        home.path().display(),
                        marker.sync
                    ),
                )
            })?;
            opened.push((number, writer));
        }
        let mut writers = Writers { progress: Arc::clone(&progress), threads: Vec::new() };
        for (number, writer) in opened {
            let progress = Arc::clone(&progress);
            let named = std::thread::Builder::new().name(format!("writer {number}"));
            match named.spawn(move || work(number, writer, &progress)) {
                Ok(thread) => writers.threads.push(thread),
                Err(e) => {
                    writers.progress.stop();
                    writers.join();
                    return Err(failure(FailureKind::Cannot, format!("cannot start a thread: {e}")));
                }
            }
        }
        Ok(writers)
    }

    /// Returns the progress that the writers share.
    #[must_use]
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Returns `true` if all writers have ended.
    #[must_use]
    pub fn have_ended(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Waits for all writers to end. Returns the sync latencies of each writer.
    pub fn join(&mut self) -> Vec<LatencyHistogram> {
        self.threads.drain(..).map(|thread| thread.join().unwrap_or_default()).collect()
    }
}

fn work(number: u16, mut writer: Box<dyn Writer>, progress: &Progress) -> LatencyHistogram {
    let mut latencies = LatencyHistogram::default();
    for sequence in 1_u64.. {
        if progress.is_stopped() {
            break;
        }
        match writer.write(sequence) {
            Ok(latency) => {
                latencies.record(latency);
                progress.is_synced(number, sequence);
            }
            // A failed sync is final: the kernel has dropped the pages, so another sync would succeed without writing
            // them.
            Err(error) => {
                let full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
                let kind = if full { FailureKind::Cannot } else { FailureKind::Failed };
                progress.fail(failure(kind, format!("writer {number} ended at write {sequence}: {error}")));
                break;
            }
        }
    }
    latencies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::Parent;
    use crate::experiment::SyncMethod;
    use crate::experiment::tests::example;
    use testkit::{PATIENCE, eventually};

    #[test]
    fn every_way_to_sync_writes_until_it_is_told_to_end() {
        for sync in SyncMethod::ALL {
            let temp = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a directory");
            let marker = Marker { sync, ..example() };
            let home = Parent::open(temp.path()).and_then(|parent| parent.make(&marker)).expect("it is made");
            let mut writers = match Writers::start(&home, &marker) {
                Ok(writers) => writers,
                Err(why) => {
                    testkit::skipped(&format!("{sync}: {why}"));
                    continue;
                }
            };
            let progress = writers.progress();
            // Wait until the append writer has begun a second file.
            let far = || progress.synced().iter().all(|n| *n > 20) || progress.failure().is_some();
            assert!(eventually(PATIENCE, far));
            progress.stop();
            let latencies = writers.join();
            assert_eq!(progress.failure(), None, "{sync}");
            let counts: Vec<u64> = latencies.iter().map(LatencyHistogram::count).collect();
            assert_eq!(counts, progress.synced(), "one latency for each sync");
        }
    }
}
