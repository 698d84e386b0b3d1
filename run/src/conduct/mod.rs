//! The conductor: runs a plan wave by wave, reports events to the sink, and stops on signals, errors and hangs.
//!
//! One executor runs every wave ([`executor`]). A scheduler decides what runs next: [`ramps`] for qualifications and
//! marks, [`job_file`] for job files and runs of the same form. Each scheduler has rules that end jobs early.

pub mod calibrate;
mod errors;
mod executor;
mod files;
mod fill;
mod job_file;
mod open_target;
mod ramps;

pub use files::{Files, LayoutError};
pub use open_target::OpenTarget;

use crate::context::{Ending, Identity, Interrupt, RunContext, announce};
use crate::peers::{Alone, Peers};
use crate::sink::{Progress, Sink};
use crate::wave::{Scheduler, Stop};
use calibrate::{ChoiceError, choose_engine};
use executor::Executor;
use files::{TargetFiles, open_target};
use job_file::JobFileScheduler;
use messages::sentence;
use model::record::{DeviceFacts, Preflight};
use model::{Bytes, BytesPerSecond, Caveat, Nanos, Plan, RunEvent, Sentence, plan::StageRole};
use ramps::RampScheduler;
use sys::clock::{Clock, RunClock};

/// Inputs of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunInputs<'a> {
    /// Plan to run.
    pub plan: &'a Plan,
    /// Facts about machine and storage.
    pub preflight: &'a Preflight,
    /// Identity of the run.
    pub identity: &'a Identity,
    /// Caveats known before the run.
    pub caveats: &'a [Caveat],
}

/// Targets of a run.
pub enum Targets<'a, 's> {
    /// Open and locked targets of a qualification or a mark, in the order of [`Plan::targets`]. The conductor fills
    /// them first, and does not remove them.
    TestAreas(&'a mut [&'s mut dyn OpenTarget]),
    /// Files of a job file.
    JobFiles(&'a mut dyn Files),
}

/// Runs a plan until it completes, is stopped or fails, and returns how it ended.
pub fn conduct(
    clock: RunClock,
    inputs: &RunInputs<'_>,
    targets: Targets<'_, '_>,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
) -> Ending {
    conduct_with(clock, inputs, inputs, targets, sink, interrupt, &mut Alone)
}

/// Same as [`conduct`], but together with other processes. `inputs` and `targets` are those of this process; `common`
/// are the inputs of all.
pub(crate) fn conduct_with(
    clock: RunClock,
    inputs: &RunInputs<'_>,
    common: &RunInputs<'_>,
    mut targets: Targets<'_, '_>,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
    peers: &mut dyn Peers,
) -> Ending {
    let mut conductor = Conductor::begin(clock, inputs, common, sink, interrupt, peers);
    let outcome = conductor.run_plan(common.plan, &mut targets);
    conductor.end(Ending::from_outcome(outcome, interrupt))
}

/// Conductor of a plan, or of the part of it that this process runs.
pub(crate) struct Conductor<'a> {
    clock: RunClock,
    inputs: &'a RunInputs<'a>,
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
    peers: &'a mut dyn Peers,
    context: RunContext,
}

impl<'a> Conductor<'a> {
    /// Begins a run, and reports its beginning with the plan and the facts of `common`.
    pub fn begin(
        clock: RunClock,
        inputs: &'a RunInputs<'a>,
        common: &RunInputs<'_>,
        sink: &'a mut dyn Sink,
        interrupt: &'a Interrupt,
        peers: &'a mut dyn Peers,
    ) -> Self {
        announce(&clock, common.plan, common.preflight, common.identity, sink);
        let context = RunContext::begin(&clock, inputs.plan, inputs.preflight, inputs.caveats, sink);
        Conductor { clock, inputs, sink, interrupt, peers, context }
    }

    /// Prepares the targets and runs the waves of `plan`, the common plan of all processes.
    fn run_plan(&mut self, plan: &Plan, targets: &mut Targets<'_, '_>) -> Result<Vec<Sentence>, Stop> {
        let began = self.clock.now();
        let written = self.prepare(targets)?;
        if let Targets::TestAreas(open) = targets {
            let engine = self.choose_engine(open)?;
            let before = Nanos(self.clock.now() - began);
            return self.run(targets, &[], &mut RampScheduler::new(plan, engine, written, before));
        }
        self.run(targets, &self.inputs.preflight.storage.devices, &mut JobFileScheduler::new(plan))
    }

    /// Prepares the targets of all processes concurrently. Returns the number of bytes written, and reports it even on
    /// failure.
    pub fn prepare(&mut self, targets: &mut Targets<'_, '_>) -> Result<u64, Stop> {
        self.peers.prepare(self.sink)?;
        let began = self.clock.now();
        let mut bytes = 0;
        let outcome =
            self.fill(targets, &mut bytes).and_then(|()| self.peers.prepared(bytes, self.sink, self.interrupt));
        bytes += outcome.as_ref().copied().unwrap_or(0);
        if bytes > 0 {
            self.sink.event(RunEvent::Filled { bytes, time: Nanos(self.clock.now() - began) });
        }
        outcome.map(|_| bytes)
    }

    /// Fills the unfilled ranges of test areas, or lays out the files of a job file. Adds the bytes written to
    /// `written`, even if a fill fails.
    fn fill(&mut self, targets: &mut Targets<'_, '_>, written: &mut u64) -> Result<(), Stop> {
        let plan = self.inputs.plan;
        match targets {
            Targets::TestAreas(_) if !plan.target.kind.is_local() || plan.fill.is_zero() => Ok(()),
            Targets::TestAreas(targets) => plan.each_target().zip(targets.iter_mut()).try_for_each(|(target, open)| {
                fill::fill(self.clock, plan, target, *open, self.sink, self.interrupt, written)
            }),
            Targets::JobFiles(files) => {
                *written += lay_out(self.clock, plan, *files, self.sink, self.interrupt)?;
                Ok(())
            }
        }
    }

    /// Returns the engine of all loads: the requested one, or the one that is fastest on the first target.
    fn choose_engine(&mut self, targets: &[&mut dyn OpenTarget]) -> Result<String, Stop> {
        let RunInputs { plan, preflight, .. } = *self.inputs;
        let asked = plan.stages.first().map_or("auto", |s| s.job.engine.as_str());
        let (engine, why) = if asked == "auto" {
            let file = open_target(targets, 0, &plan.target, false).map_err(Stop::Failed)?;
            let block = Bytes(8192).max(plan.target.align).min(plan.target.size);
            let times = (Nanos::from_millis(100), plan.hang);
            // A ramp can reach its levels with threads, but a requested queue depth needs an engine with a queue.
            let queues = plan.stages.iter().any(|s| s.role == StageRole::Fixed && s.job.queue_depth > 1);
            let tried = (queues, preflight.standing_engine.as_ref());
            choose_engine(self.clock, &plan.target, &file, block, times, tried, self.interrupt)?
        } else {
            (asked.to_owned(), sentence!("engine-asked", engine = asked))
        };
        self.sink.event(RunEvent::EngineChosen { why, requested: asked != "auto" });
        Ok(engine)
    }

    /// Runs the waves of a scheduler on prepared targets, and reports the kernel counters of `disks`. Returns failures
    /// that did not end the run.
    pub fn run<'p>(
        &mut self,
        targets: &mut Targets<'_, '_>,
        disks: &[DeviceFacts],
        scheduler: &mut impl Scheduler<'p>,
    ) -> Result<Vec<Sentence>, Stop> {
        let plan = self.inputs.plan;
        let mut areas;
        let files: &mut dyn Files = match targets {
            Targets::TestAreas(open) => {
                areas = TargetFiles { planned: plan.each_target().collect(), open };
                &mut areas
            }
            Targets::JobFiles(files) => *files,
        };
        let (context, peers) = (&mut self.context, &mut *self.peers);
        let mut executor = Executor::new(self.clock, plan, files, self.sink, self.interrupt, context, peers);
        executor.count_disks(disks);
        executor.run(scheduler)
    }

    /// Reports the end of the run.
    pub fn end(mut self, ending: Ending) -> Ending {
        self.context.end(&self.clock, ending, self.sink)
    }
}

/// Prepares the files of a job file. Returns the number of bytes written.
fn lay_out(
    clock: RunClock,
    plan: &Plan,
    files: &mut dyn Files,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
) -> Result<u64, Stop> {
    let began = clock.now();
    let mut last = 0;
    let mut show = |done: u64, total: u64| {
        let now = clock.now();
        if now >= last + 200_000_000 {
            last = now;
            let seconds = Nanos(now - began).secs().max(1e-9);
            let rate = done as f64 / seconds;
            sink.progress(&Progress {
                label: format!("laying out files, {} of {}", Bytes(done), Bytes(total)),
                bandwidth: BytesPerSecond(rate),
                elapsed: Nanos(now),
                left: Nanos(plan.expected_time().as_nanos() + ((total - done) as f64 / rate.max(1.0) * 1e9) as u64),
                steps: plan.stages.len(),
                ..Progress::default()
            });
        }
        !interrupt.asked()
    };
    let written = files.lay_out(&mut show);
    if interrupt.asked() {
        return Err(Stop::Signal { stuck: matches!(written, Err(LayoutError::Hung(_))) });
    }
    written.map_err(|e| match e {
        LayoutError::Cannot(what) => Stop::Failed(what.into()),
        LayoutError::Hung(what) => Stop::Hung(what.into()),
    })
}

impl From<ChoiceError> for Stop {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Signal { stuck } => Stop::Signal { stuck },
            ChoiceError::Hung { pending, engine, oldest } => {
                Stop::Hung(sentence!("end-hung-choice", pending, engine, oldest))
            }
            ChoiceError::Load(error) => error.into(),
        }
    }
}
