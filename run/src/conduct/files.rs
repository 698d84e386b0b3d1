//! Interfaces to the files of a run, so that a run can be tested without a disk.

use super::open_target::OpenTarget;
use load::session::Sessions;
use load::target::TargetError;
use model::{Job, Nanos, RunEvent, Sentence, Target};
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Reason why the files could not be prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError {
    /// A file could not be created; holds a sentence for the user.
    Cannot(String),
    /// I/O did not complete within the hang timeout; holds a sentence for the user. A thread may still be blocked in
    /// the kernel.
    Hung(String),
}

impl From<TargetError> for LayoutError {
    fn from(why: TargetError) -> LayoutError {
        LayoutError::Cannot(why.to_string())
    }
}

/// Files of a run's jobs: prepared once, opened and closed per job.
pub trait Files {
    /// Prepares the files of the plan's layout. `progress` receives the bytes done and the total, and returns `false`
    /// to stop. Returns the number of bytes written.
    ///
    /// # Errors
    /// Returns an error if a file cannot be created or if I/O hangs.
    fn lay_out(&mut self, _progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, LayoutError> {
        Ok(0)
    }

    /// Opens the files of a job, in the order of [`Job::targets`].
    ///
    /// # Errors
    /// Returns a sentence if a file cannot be opened or differs from the inspected one.
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence>;

    /// Checks that all files exist and have their original size.
    ///
    /// # Errors
    /// Returns a [`TargetError`] that describes the change.
    fn present(&self) -> Result<(), TargetError>;

    /// Checks that the reserved space of the file systems is still free, for files that grow.
    ///
    /// # Errors
    /// Returns a [`TargetError`] with the figures.
    fn room(&self) -> Result<(), TargetError> {
        Ok(())
    }

    /// Returns the source of database sessions, for jobs that drive a database.
    fn sessions(&self) -> Option<Arc<dyn Sessions>> {
        None
    }

    /// Returns further events, such as counters of a database. Called about once per second and after each wave.
    fn events(&mut self, _now: Nanos) -> Vec<RunEvent> {
        Vec::new()
    }

    /// Called before the start time of a wave is set, if its jobs are measured from their beginning. Counters start
    /// here.
    fn wave_begins(&mut self) {}

    /// Called every few milliseconds during a wave, with the period in which all jobs are measured, without ramps:
    /// `from` is the latest beginning, `until` the latest end.
    fn tick(&mut self, _now: Nanos, _from: Nanos, _until: Nanos) {}

    /// Called after a wave has ended, including its work after the measured time.
    fn wave_ended(&mut self, _now: Nanos) {}

    /// Returns the final events of a completed run, such as last counts. Called after the last wave, before the end of
    /// the run is reported.
    fn ended(&mut self) -> Vec<RunEvent> {
        Vec::new()
    }

    /// Decides before each wave whether it runs; `stage` is the first stage of the wave. `Break` contains the reason
    /// why this wave and all later ones are skipped.
    fn goes_on(&mut self, _stage: usize) -> ControlFlow<String> {
        ControlFlow::Continue(())
    }

    /// Called after a job's load. Makes the job's files durable and removes them, if the job requests it.
    ///
    /// # Errors
    /// Returns an error if that fails.
    fn close(&mut self, _job: &Job, _files: &[Arc<File>]) -> io::Result<()> {
        Ok(())
    }
}

/// Files of a qualification: each job uses its target's file.
pub(crate) struct TargetFiles<'a, 's> {
    /// Targets of the plan, in order.
    pub planned: Vec<&'a Target>,
    /// The same targets, open and locked.
    pub open: &'a [&'s mut dyn OpenTarget],
}

impl Files for TargetFiles<'_, '_> {
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        if !job.target.kind.is_local() {
            return Ok(Vec::new());
        }
        let writes = job.workload.mix.writes() || job.workload.flush_every.is_some();
        let at = self.planned.iter().position(|target| target.path == job.target.path).unwrap_or(0);
        open_target(self.open, at, &job.target, writes).map(|file| vec![file])
    }

    fn present(&self) -> Result<(), TargetError> {
        self.open.iter().try_for_each(|target| target.present())
    }
}

/// Opens the file of the target with index `at`.
///
/// # Errors
/// Returns a sentence if the file cannot be opened.
pub(super) fn open_target(
    targets: &[&mut dyn OpenTarget],
    at: usize,
    target: &Target,
    write: bool,
) -> Result<Arc<File>, Sentence> {
    let path = target.path.display();
    let open = targets.get(at).ok_or_else(|| Sentence::from(format!("{path} is not open")))?;
    open.file(target.direct, write).map_err(|e| format!("cannot open {path} for the load: {e}").into())
}
