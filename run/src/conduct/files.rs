//! What the conductor needs of the files of a run: seams, so that a run can be tested without a disk.

use super::open_target::OpenTarget;
use load::session::Sessions;
use load::target::TargetError;
use model::{Job, Nanos, RunEvent, Sentence, Target};
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Why files were not made ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError {
    /// A sentence saying what could not be made.
    Cannot(String),
    /// A sentence: nothing came back for longer than is waited for. A thread may be in the kernel still.
    Hung(String),
}

impl From<TargetError> for LayoutError {
    fn from(why: TargetError) -> LayoutError {
        LayoutError::Cannot(why.to_string())
    }
}

/// The files of a run's jobs: made ready once, opened per job, put away per job.
pub trait Files {
    /// Makes ready what the plan's layout asks. `progress` is given bytes done and bytes in all, and says whether to go on.
    /// Returns the bytes written.
    ///
    /// # Errors
    /// What could not be made, or that it hangs.
    fn lay_out(&mut self, _progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, LayoutError> {
        Ok(0)
    }

    /// Opens the files of a job, in the order of [`Job::targets`].
    ///
    /// # Errors
    /// A sentence, when one cannot be opened or is no longer what was inspected.
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence>;

    /// Whether all are there, and as large as they were.
    ///
    /// # Errors
    /// [`TargetError`] saying what happened.
    fn present(&self) -> Result<(), TargetError>;

    /// Whether files that grow leave free what is never used of their file systems.
    ///
    /// # Errors
    /// [`TargetError`] with the figures.
    fn room(&self) -> Result<(), TargetError> {
        Ok(())
    }

    /// Opens the database sessions of jobs that drive one.
    fn sessions(&self) -> Option<Arc<dyn Sessions>> {
        None
    }

    /// What else is known by now, about each second and once after each wave: counters of a database.
    fn events(&mut self, _now: Nanos) -> Vec<RunEvent> {
        Vec::new()
    }

    /// Called before a wave begins whose jobs are measured from their beginning: what is counted from here on is theirs. The moment at
    /// which they begin is set behind it.
    fn wave_begins(&mut self) {}

    /// Called every few milliseconds while a wave runs, with the time in which all of it is measured, ramps left out: `from`
    /// the latest beginning, `until` the latest end.
    fn tick(&mut self, _now: Nanos, _from: Nanos, _until: Nanos) {}

    /// A wave has ended; what it did after its measured time is done.
    fn wave_ended(&mut self, _now: Nanos) {}

    /// After the last wave of a run that went to its end, before the end is told: what is still to be counted.
    fn ended(&mut self) -> Vec<RunEvent> {
        Vec::new()
    }

    /// Before each wave, whose first stage is this one: whether it is to run, or why neither it nor what follows it is.
    fn goes_on(&mut self, _stage: usize) -> ControlFlow<String> {
        ControlFlow::Continue(())
    }

    /// Makes durable and removes what the job asks, after its load.
    ///
    /// # Errors
    /// When that fails.
    fn close(&mut self, _job: &Job, _files: &[Arc<File>]) -> io::Result<()> {
        Ok(())
    }
}

/// The targets of a qualification as files of its jobs: each job has its target's.
pub(crate) struct TargetFiles<'a, 's> {
    /// What the plan names, in order.
    pub planned: Vec<&'a Target>,
    /// The same, open and locked.
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

/// The file of the target at this place among those of a run.
///
/// # Errors
/// A sentence, when it cannot be opened.
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
