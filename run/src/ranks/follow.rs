//! A rank that follows: takes its part of each wave from rank 0, runs it by the executor every run has, and tells what happens.

#![cfg_attr(
    not(any(feature = "mpi", feature = "test-support")),
    allow(unreachable_code, unused_variables, reason = "a build without a link has nothing behind one")
)]

use super::message::{JobOrder, LiveReport, Order, Report, Trouble, decode, encode};
use super::{RankLink, SILENCE};
use crate::conduct::{
    Executor, Files, RunInputs, Scheduler, Stop, TargetFiles, Targets, Wave, WaveEnd, WaveJob, WaveRules, fill_targets,
    lay_out,
};
use crate::context::{Ending, Interrupt, RunContext, announce};
use crate::sink::{Progress, Sink};
use crate::workers::{Decision, Live, LoadEnd, LoadError};
use load::recorder::Entry;
use messages::sentence;
use model::{Interval, Nanos, RunEvent, Sentence, StepStop};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use sys::RunClock;

/// Reports are sent together, this often: what rank 0 decides by them may come so much later.
const TOGETHER: Duration = Duration::from_millis(200);
/// How long one look for an order waits, where nothing else is to be done.
const WAIT: Duration = Duration::from_millis(20);

/// Does what rank 0 says until it says that the run is over. Returns how it ended here, and whether rank 0 ended it: else it is gone.
pub(super) fn follow(
    link: &RankLink,
    clock: RunClock,
    inputs: &RunInputs<'_>,
    targets: Targets<'_, '_>,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
) -> (Ending, bool) {
    let wire = Wire { link: link.clone(), state: Mutex::default() };
    let RunInputs { plan, preflight, identity, caveats } = *inputs;
    let mut told = RankSink { wire: &wire, own: sink, steps: BTreeMap::new() };
    announce(&clock, plan, preflight, identity, &mut told);
    let mut context = RunContext::begin(&clock, plan, preflight, caveats, &mut told);
    let mut targets = targets;
    let filled = wire.fill(&mut told, |sink| match &mut targets {
        Targets::TestAreas(open) => {
            let mut written = 0;
            fill_targets(clock, plan, open, sink, interrupt, &mut written).map(|()| written)
        }
        Targets::JobFiles(files) => lay_out(clock, plan, *files, sink, interrupt),
    });
    let outcome = filled.and_then(|()| {
        let mut areas;
        let files: &mut dyn Files = match targets {
            Targets::TestAreas(open) => {
                areas = TargetFiles { planned: plan.each_target().collect(), open };
                &mut areas
            }
            Targets::JobFiles(files) => files,
        };
        let mut executor = Executor::new(clock, plan, files, &mut told, interrupt, &mut context);
        executor.run(&mut FollowScheduler { wire: &wire, interrupt })
    });
    if let Err(stop) = &outcome {
        wire.fail(stop);
        wire.wait_for_end();
    }
    let whole = outcome.is_ok();
    let (over, dismissed) = {
        let state = wire.state();
        (state.over, state.dismissed)
    };
    let ending = match outcome {
        Ok(_) | Err(Stop::Signal { stuck: false }) if over && !dismissed && !interrupt.asked() => {
            let what = sentence!("ranks-lost", host = "rank 0", silence = Nanos::from_secs(SILENCE.as_secs()));
            Ending::lost(what)
        }
        outcome => Ending::of(outcome, interrupt),
    };
    context.end(&clock, &ending, &mut told);
    wire.push(Report::Finished);
    wire.flush();
    // Others may have more to do at the end than this rank has.
    while whole && !wire.state().over {
        wire.listen(WAIT);
        told.own.progress(&Progress::default());
    }
    let dismissed = wire.state().dismissed;
    (ending, dismissed)
}

/// The line to rank 0, shared by what tells and what listens.
struct Wire {
    link: RankLink,
    state: Mutex<WireState>,
}

#[derive(Default)]
struct WireState {
    /// What is to be sent.
    outbox: Vec<Report>,
    sent: Option<Instant>,
    /// Steps that are to stop.
    stops: BTreeMap<usize, StepStop>,
    /// All of them are to stop: rank 0 is gone.
    stop_all: Option<StepStop>,
    /// When the wave begins, once that is known; an error where it does not.
    begin: Option<Result<Nanos, ()>>,
    /// Rank 0 said that no wave follows.
    finish: bool,
    /// The run is over: rank 0 said so, or is gone.
    over: bool,
    /// Rank 0 said so.
    dismissed: bool,
    /// The next wave.
    wave: Option<Vec<JobOrder>>,
    /// Targets are to be made ready.
    fill: bool,
    /// Numbers that the steps of the wave have in the run.
    numbers: Vec<usize>,
    /// Number of the wave's first step here.
    first: Option<usize>,
    /// Measured windows of each that were told, and when.
    told: BTreeMap<usize, (usize, Instant)>,
}

impl Wire {
    fn state(&self) -> MutexGuard<'_, WireState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, report: Report) {
        self.state().outbox.push(report);
    }

    fn flush(&self) {
        let mut state = self.state();
        state.sent = Some(Instant::now());
        let outbox = std::mem::take(&mut state.outbox);
        if !outbox.is_empty() {
            self.link.send(0, encode(&outbox));
        }
    }

    fn flush_if_due(&self) {
        let due = self.state().sent.is_none_or(|sent| sent.elapsed() >= TOGETHER);
        if due {
            self.flush();
        }
    }

    /// Takes in what rank 0 says.
    fn listen(&self, wait: Duration) {
        let mut wait = wait;
        while let Some((_, bytes)) = self.link.receive(wait) {
            wait = Duration::ZERO;
            let Some(order) = decode::<Order>(&bytes) else { continue };
            let mut state = self.state();
            match order {
                Order::Fill => state.fill = true,
                Order::Wave(jobs) => {
                    // What is said of it may have come with it: nothing of that is let go later.
                    (state.stops, state.stop_all, state.begin) = (BTreeMap::new(), None, None);
                    state.wave = Some(jobs);
                }
                Order::Begin(at) => state.begin = Some(Ok(at)),
                Order::Cancel => state.begin = Some(Err(())),
                Order::Stop(step, why) => _ = state.stops.insert(step, why),
                Order::Finish => state.finish = true,
                Order::End => (state.over, state.dismissed) = (true, true),
                Order::Called { .. } | Order::Words(_) | Order::Agreed => {}
            }
        }
        if self.link.silent(0) > SILENCE {
            let mut state = self.state();
            state.over = true;
            state.stop_all.get_or_insert(StepStop::Signal);
            state.begin.get_or_insert(Err(()));
        }
    }

    /// Makes targets ready when that is asked, and says what was written.
    fn fill(&self, sink: &mut RankSink<'_>, make: impl FnOnce(&mut dyn Sink) -> Result<u64, Stop>) -> Result<(), Stop> {
        loop {
            self.listen(WAIT);
            sink.own.progress(&Progress::default());
            let state = self.state();
            if state.over {
                return Err(Stop::Signal { stuck: false });
            }
            if state.fill {
                break;
            }
        }
        let bytes = make(sink)?;
        self.push(Report::Filled(bytes));
        self.flush();
        Ok(())
    }

    fn fail(&self, stop: &Stop) {
        let report = match stop {
            Stop::Signal { .. } => Report::Failed(Trouble::Signal, Sentence::default()),
            Stop::Hung(what) | Stop::Lost(what) => Report::Failed(Trouble::Hung, what.clone()),
            Stop::Failed(what) => Report::Failed(Trouble::Failed, what.clone()),
            Stop::Lacking(what) => Report::Failed(Trouble::Lacking, what.clone()),
        };
        self.push(report);
        self.flush();
    }

    /// What went wrong here was said: rank 0 ends the run.
    fn wait_for_end(&self) {
        let until = Instant::now() + SILENCE;
        while !self.state().over && Instant::now() < until {
            self.listen(WAIT);
        }
    }
}

/// Gives the waves that rank 0 orders.
struct FollowScheduler<'w> {
    wire: &'w Wire,
    interrupt: &'w Interrupt,
}

impl<'w> Scheduler<'w> for FollowScheduler<'w> {
    type Rules = FollowRules<'w>;

    fn is_ready(&mut self) -> bool {
        self.wire.listen(WAIT);
        self.wire.flush_if_due();
        let state = self.wire.state();
        state.wave.is_some() || state.finish || state.over || self.interrupt.asked()
    }

    fn next(&mut self, _elapsed: Nanos) -> Option<Wave<'w, FollowRules<'w>>> {
        let mut state = self.wire.state();
        let jobs = state.wave.take()?;
        state.first = None;
        state.numbers = jobs.iter().map(|j| j.step).collect();
        state.told.clear();
        let job = |order: JobOrder| WaveJob {
            stage: order.stage,
            pass: order.pass,
            hold: order.hold,
            job: Cow::Owned(order.job),
            delay: order.delay,
            after: order.after,
        };
        let numbers = state.numbers.clone();
        Some(Wave {
            jobs: jobs.into_iter().map(job).collect(),
            pause: None,
            rules: FollowRules { wire: self.wire, numbers, shown: None },
        })
    }

    fn wave_ended(&mut self, _wave: Wave<'w, FollowRules<'w>>, end: WaveEnd) -> Result<(), Stop> {
        end.failed.into_iter().for_each(|what| self.wire.push(Report::Beside(what)));
        self.wire.push(Report::WaveOver);
        self.wire.flush();
        Ok(())
    }
}

/// Ends jobs when rank 0 says so.
struct FollowRules<'w> {
    wire: &'w Wire,
    /// Numbers that its steps have in the run.
    numbers: Vec<usize>,
    /// When it was last shown that the rank lives.
    shown: Option<u64>,
}

impl WaveRules for FollowRules<'_> {
    fn begin(&mut self, _now: Nanos) -> Result<Option<Nanos>, LoadError> {
        self.wire.push(Report::Ready);
        self.wire.flush();
        loop {
            let mut state = self.wire.state();
            let over = state.over.then_some(Err(()));
            if let Some(begin) = state.begin.take().or(over) {
                let text = || LoadError::Elsewhere("another host cannot begin".to_owned());
                return begin.map(Some).map_err(|()| text());
            }
            drop(state);
            self.wire.listen(WAIT);
        }
    }

    fn interval(&mut self, _which: usize, _interval: &Interval) {}

    fn scheduled(&mut self, which: usize, from: Nanos, until: Nanos) {
        self.wire.push(Report::Scheduled(self.numbers[which], from, until));
    }

    fn decide(&mut self, which: usize, live: &Live<'_>) -> (Decision, Option<Sentence>) {
        let number = self.numbers[which];
        self.wire.listen(Duration::ZERO);
        let mut state = self.wire.state();
        let (told, when) = state.told.get(&number).map_or((0, None), |(told, when)| (*told, Some(*when)));
        if when.is_none_or(|when| when.elapsed() >= TOGETHER) {
            let new = live.windows.get(told.saturating_sub(live.before)..).unwrap_or_default().to_vec();
            state.told.insert(number, (live.before + live.windows.len(), Instant::now()));
            let report = LiveReport { windows: new, recent: live.recent.to_vec(), stuck: live.stuck };
            state.outbox.push(Report::Live(number, Box::new(report)));
        }
        let stop = state.stop_all.or_else(|| state.stops.get(&number).copied());
        (stop.map_or(Decision::GoOn, Decision::Stop), None)
    }

    fn progress(&mut self, now: Nanos) -> Option<Progress> {
        // Once all jobs of a look have been asked.
        self.wire.flush_if_due();
        let due = self.shown.is_none_or(|last| now.as_nanos() > last + 250_000_000);
        due.then(|| {
            self.shown = Some(now.as_nanos());
            Progress { elapsed: now, ..Progress::default() }
        })
    }

    fn ended(&mut self, which: usize, end: &LoadEnd) {
        self.wire.push(Report::Ended(self.numbers[which], Box::new(end.clone())));
        self.wire.flush();
    }
}

/// Keeps what happens here, and tells rank 0 of it.
struct RankSink<'w> {
    wire: &'w Wire,
    own: &'w mut dyn Sink,
    /// Numbers of steps in the run, by their numbers here.
    steps: BTreeMap<usize, usize>,
}

impl RankSink<'_> {
    fn number(&self, step: usize) -> Option<usize> {
        self.steps.get(&step).copied()
    }

    /// The event as rank 0 is to know it; `None` where rank 0 says it itself.
    fn told(&mut self, event: &RunEvent) -> Option<RunEvent> {
        match event {
            RunEvent::StepBegin { number: Some(number), .. } => {
                // Steps begin one behind the other, in the order of the wave's jobs.
                let mut state = self.wire.state();
                let first = *state.first.get_or_insert(*number);
                if let Some(theirs) = state.numbers.get(number - first) {
                    self.steps.insert(*number, *theirs);
                }
                None
            }
            RunEvent::Interval { step, interval } => {
                Some(RunEvent::Interval { step: self.number(*step)?, interval: interval.clone() })
            }
            RunEvent::StepEnd { step, end } => Some(RunEvent::StepEnd { step: self.number(*step)?, end: end.clone() }),
            RunEvent::Accounting { steps, counts } => {
                let steps = steps.iter().map(|step| self.number(*step)).collect::<Option<Vec<usize>>>()?;
                Some(RunEvent::Accounting { steps, counts: counts.clone() })
            }
            RunEvent::Blocks { steps, trace } => {
                let steps = steps.iter().map(|step| self.number(*step)).collect::<Option<Vec<usize>>>()?;
                Some(RunEvent::Blocks { steps, trace: trace.clone() })
            }
            RunEvent::Samples { .. } | RunEvent::Caveat(_) | RunEvent::Note { .. } | RunEvent::Database(_) => {
                Some(event.clone())
            }
            // Whose beginning, end and choices these are rank 0 says; devices of other hosts have names of ours.
            _ => None,
        }
    }
}

impl Sink for RankSink<'_> {
    fn event(&mut self, event: RunEvent) {
        if let Some(told) = self.told(&event) {
            self.wire.push(Report::Event(Box::new(told)));
        }
        self.own.event(event);
    }

    fn progress(&mut self, progress: &Progress) {
        self.own.progress(progress);
    }

    fn operations(&mut self, step: usize, entries: &[Entry]) {
        if let Some(which) = self.number(step) {
            self.wire.push(Report::Operations(which, entries.to_vec()));
        }
        self.own.operations(step, entries);
    }
}

impl Ending {
    /// Of what a run came to.
    pub(crate) fn of(outcome: Result<Vec<Sentence>, Stop>, interrupt: &Interrupt) -> Ending {
        match outcome {
            Ok(failures) if failures.is_empty() => Ending::complete(),
            Ok(failures) => Ending::failed(Sentence::join(failures, "; ")),
            Err(Stop::Signal { stuck }) => Ending::signal(interrupt, stuck),
            Err(Stop::Hung(what)) => Ending::hung(what),
            Err(Stop::Lost(what)) => Ending::lost(what),
            Err(Stop::Failed(what)) => Ending::failed(what),
            Err(Stop::Lacking(what)) => Ending::lacking(what),
        }
    }
}
