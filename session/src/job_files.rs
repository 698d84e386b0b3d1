//! Files of jobs, which are held open during the run.

use crate::console::aside_of;
use load::target::{JobFiles, Names, TargetError};
use model::{Bytes, Job, Nanos, RunEvent, Sentence};
use run::{Files, LayoutError};
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Files of the jobs during the run.
pub struct HeldJobFiles {
    /// Files of the jobs; `None` while a layout thread owns them, and after that thread has hung.
    files: Option<JobFiles>,
    /// Names that jobs create, look up or remove.
    names: Names,
    /// Time without progress after which the layout counts as hung.
    hang: Duration,
}

/// Interval between checks for progress of the layout.
const LOOK: Duration = Duration::from_millis(100);

impl HeldJobFiles {
    /// Wraps opened files. `hang` is the time without progress after which the layout counts as hung.
    pub fn new(files: JobFiles, hang: Nanos) -> HeldJobFiles {
        HeldJobFiles { files: Some(files), names: Names::default(), hang: Duration::from_nanos(hang.as_nanos()) }
    }

    /// Adds names that jobs create, look up or remove.
    pub fn with_names(self, names: Names) -> HeldJobFiles {
        HeldJobFiles { names, ..self }
    }

    fn note_layout(&mut self) {
        for note in self.files.as_ref().map(JobFiles::take_notes).unwrap_or_default() {
            aside_of(&note.into());
        }
    }

    fn files(&self) -> io::Result<&JobFiles> {
        self.files.as_ref().ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    /// Opens the files of a job.
    pub fn open_files(&self, job: &Job) -> io::Result<Vec<Arc<File>>> {
        self.files()?.open(job)
    }
}

impl Files for HeldJobFiles {
    /// Lays out the files in a separate thread. If a file system hangs, the files stay with the thread, and the run
    /// ends without them.
    fn lay_out(&mut self, tell: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, LayoutError> {
        self.names.make().map_err(|e| LayoutError::Cannot(e.to_string()))?;
        let Some(mut files) = self.files.take() else {
            return Err(LayoutError::Hung("an earlier write of the files still hangs".into()));
        };
        let (said, hear) = mpsc::channel();
        let go_on = Arc::new(AtomicBool::new(true));
        let asks = Arc::clone(&go_on);
        let make = move || {
            // Sending fails after the run has given up on the layout.
            let written = files.lay_out(&mut |done, total| said.send((done, total)).is_ok() && asks.load(Relaxed));
            (files, written)
        };
        let thread = std::thread::Builder::new().name("layout".into()).spawn(make);
        let thread = thread.map_err(|e| LayoutError::Cannot(format!("cannot start a thread to lay out files: {e}")))?;
        // Only new bytes count as progress, because a thread that waits for a write keeps sending reports.
        let (mut now, mut moved) = ((0, 0), Instant::now());
        while !thread.is_finished() {
            match hear.recv_timeout(LOOK) {
                Ok(more) if more != now => (now, moved) = (more, Instant::now()),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                // The thread is about to end.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(1)),
            }
            go_on.fetch_and(tell(now.0, now.1), Relaxed);
            if moved.elapsed() > self.hang {
                return Err(LayoutError::Hung(format!(
                    "laying out files hangs: {} of {} were written, then no write completed for {:.1} s",
                    Bytes(now.0),
                    Bytes(now.1),
                    moved.elapsed().as_secs_f64()
                )));
            }
        }
        let (files, written) = thread.join().map_err(|_| LayoutError::Cannot("laying out files panicked".into()))?;
        self.files = Some(files);
        self.note_layout();
        Ok(written?)
    }

    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        self.open_files(job).map_err(|e| format!("{}: {e}", job.name).into())
    }

    fn present(&self) -> Result<(), TargetError> {
        self.files.as_ref().map_or(Ok(()), JobFiles::present)
    }

    fn room(&self) -> Result<(), TargetError> {
        self.files.as_ref().map_or(Ok(()), JobFiles::room)
    }

    fn ended(&mut self) -> Vec<RunEvent> {
        // A failure is reported in the same way as for files that cannot be removed.
        if let Err(error) = self.names.remove() {
            aside_of(&format!("unlink=1: {error}").into());
        }
        Vec::new()
    }

    fn close(&mut self, job: &Job, files: &[Arc<File>]) -> io::Result<()> {
        let Some(held) = &mut self.files else { return Err(io::ErrorKind::TimedOut.into()) };
        let closed = held.close(job, files);
        self.note_layout();
        closed
    }
}
