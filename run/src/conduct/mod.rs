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
mod wave;

pub use files::{Files, LayoutError};
pub use open_target::{NullTarget, OpenTarget};

pub(crate) use executor::Executor;
pub(crate) use files::TargetFiles;
pub(crate) use wave::{Scheduler, Stop, Wave, WaveEnd, WaveJob, WaveRules};

use crate::context::{Ending, Identity, Interrupt, RunContext, announce};
use crate::ranks::Leader;
use crate::sink::{Progress, Sink};
use calibrate::{ChoiceError, choose_engine};
use files::open_target;
use job_file::JobFileScheduler;
use messages::sentence;
use model::{Bytes, BytesPerSecond, Caveat, Nanos, Plan, Preflight, RunEvent, Sentence, StageRole};
use ramps::RampScheduler;
use sys::{Clock, RunClock};

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
    conduct_led(clock, inputs, targets, sink, interrupt, None)
}

/// Leader of the other ranks of a run on many hosts, with the plan and the facts of all ranks.
type Together<'a> = (&'a mut Leader, (&'a Plan, &'a Preflight));

/// Same as [`conduct`], but together with other ranks if there are any. `inputs` and `targets` are those of this rank.
pub(crate) fn conduct_led(
    clock: RunClock,
    inputs: &RunInputs<'_>,
    targets: Targets<'_, '_>,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
    together: Option<Together<'_>>,
) -> Ending {
    let RunInputs { plan, preflight, identity, caveats } = *inputs;
    let announced = together.as_ref().map_or((plan, preflight), |(_, announced)| *announced);
    announce(&clock, announced.0, announced.1, identity, sink);
    let mut context = RunContext::begin(&clock, plan, preflight, caveats, sink);
    let outcome = match targets {
        Targets::TestAreas(targets) => qualification(clock, inputs, targets, sink, (interrupt, together), &mut context),
        Targets::JobFiles(files) => job_file(clock, inputs, files, sink, (interrupt, together), &mut context),
    };
    let ending = Ending::from_outcome(outcome, interrupt);
    context.end(&clock, &ending, sink);
    ending
}

fn qualification(
    clock: RunClock,
    inputs: &RunInputs<'_>,
    targets: &mut [&mut dyn OpenTarget],
    sink: &mut dyn Sink,
    (interrupt, mut together): (&Interrupt, Option<Together<'_>>),
    context: &mut RunContext,
) -> Result<Vec<Sentence>, Stop> {
    let plan = inputs.plan;
    let began = clock.now();
    let fill = |sink: &mut dyn Sink, written: &mut u64| fill_targets(clock, plan, targets, sink, interrupt, written);
    let written = make_ready(clock, fill, sink, interrupt, &mut together)?;
    let engine = take_engine(clock, inputs, targets, sink, interrupt)?;
    let before = Nanos(clock.now() - began);
    let mut files = TargetFiles { planned: plan.each_target().collect(), open: targets };
    let mut executor = Executor::new(clock, plan, &mut files, sink, interrupt, context);
    let plan = lead(&mut executor, plan, together);
    executor.run(&mut RampScheduler::new(plan, engine, written, before))
}

fn job_file(
    clock: RunClock,
    inputs: &RunInputs<'_>,
    files: &mut dyn Files,
    sink: &mut dyn Sink,
    (interrupt, mut together): (&Interrupt, Option<Together<'_>>),
    context: &mut RunContext,
) -> Result<Vec<Sentence>, Stop> {
    let fill = |sink: &mut dyn Sink, written: &mut u64| {
        *written = lay_out(clock, inputs.plan, files, sink, interrupt)?;
        Ok(())
    };
    make_ready(clock, fill, sink, interrupt, &mut together)?;
    let mut executor = Executor::new(clock, inputs.plan, files, sink, interrupt, context);
    executor.count_disks(&inputs.preflight.storage.devices);
    let plan = lead(&mut executor, inputs.plan, together);
    executor.run(&mut JobFileScheduler::new(plan))
}

/// Prepares the targets of all ranks concurrently. Returns the number of bytes written, and reports it even on failure.
fn make_ready(
    clock: RunClock,
    fill: impl FnOnce(&mut dyn Sink, &mut u64) -> Result<(), Stop>,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
    together: &mut Option<Together<'_>>,
) -> Result<u64, Stop> {
    let began = clock.now();
    if let Some((leader, _)) = together {
        leader.fill();
    }
    let mut bytes = 0;
    let outcome = fill(sink, &mut bytes).and_then(|()| match together {
        Some((leader, _)) => leader.filled(sink, interrupt),
        None => Ok(0),
    });
    bytes += outcome.as_ref().copied().unwrap_or(0);
    if bytes > 0 {
        sink.event(RunEvent::Filled { bytes, time: Nanos(clock.now() - began) });
    }
    outcome.map(|_| bytes)
}

/// Connects the executor to the other ranks, if there are any. Returns the plan to schedule: the common plan of all
/// ranks, or this rank's own plan.
fn lead<'a>(executor: &mut Executor<'a>, own_plan: &'a Plan, together: Option<Together<'a>>) -> &'a Plan {
    let Some((leader, (joint_plan, _))) = together else { return own_plan };
    executor.lead(leader, joint_plan);
    joint_plan
}

/// Fills the unfilled ranges of each target. Adds the bytes written to `written`, even on failure.
pub(crate) fn fill_targets(
    clock: RunClock,
    plan: &Plan,
    targets: &mut [&mut dyn OpenTarget],
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
    written: &mut u64,
) -> Result<(), Stop> {
    if !plan.target.kind.is_local() || plan.fill.is_zero() {
        return Ok(());
    }
    for (target, open) in plan.each_target().zip(targets.iter_mut()) {
        fill::fill(clock, plan, target, *open, sink, interrupt, written)?;
    }
    Ok(())
}

/// Returns the engine of all loads: the requested one, or the one that is fastest on the first target.
fn take_engine(
    clock: RunClock,
    inputs: &RunInputs<'_>,
    targets: &[&mut dyn OpenTarget],
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
) -> Result<String, Stop> {
    let plan = inputs.plan;
    let asked = plan.stages.first().map_or("auto", |s| s.job.engine.as_str());
    let (engine, why) = if asked == "auto" {
        let file = open_target(targets, 0, &plan.target, false).map_err(Stop::Failed)?;
        let block = Bytes(8192).max(plan.target.align).min(plan.target.size);
        let times = (Nanos::from_millis(100), plan.hang);
        // A ramp can reach its levels with threads, but a requested queue depth needs an engine with a queue.
        let queues = plan.stages.iter().any(|s| s.role == StageRole::Fixed && s.job.queue_depth > 1);
        let tried = (queues, inputs.preflight.standing_engine.as_ref());
        choose_engine(clock, &plan.target, &file, block, times, tried, interrupt)?
    } else {
        (asked.to_owned(), sentence!("engine-asked", engine = asked))
    };
    sink.event(RunEvent::EngineChosen { why, requested: asked != "auto" });
    Ok(engine)
}

/// Prepares the files of a job file. Returns the number of bytes written.
pub(crate) fn lay_out(
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
