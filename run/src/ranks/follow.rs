//! A following rank: receives its part of each wave from rank 0, runs it with the normal conductor, and reports
//! events.

use super::message::{JobOrder, LiveReport, Order, Report, decode, encode};
use super::{RankLink, SILENCE};
use crate::conduct::{Conductor, RunInputs, Targets};
use crate::context::{Ending, Interrupt};
use crate::peers::Peers;
use crate::sink::{Progress, Sink};
use crate::wave::{Scheduler, Stop, Wave, WaveEnd, WaveJob, WaveRules};
use crate::workers::{Decision, Live, LoadEnd, LoadError};
use load::recorder::Entry;
use messages::sentence;
use model::record::{Results, StepStop};
use model::{Interval, Nanos, RunEvent, Sentence};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use sys::clock::RunClock;

/// Interval at which collected reports are sent. It delays the decisions of rank 0.
const TOGETHER: Duration = Duration::from_millis(200);
/// Maximum time to wait for an order when there is nothing else to do.
const WAIT: Duration = Duration::from_millis(20);

/// Follows the orders of rank 0 until the run is over. Returns how the run ended on this rank. Also returns `true` if
/// rank 0 ended the run, or `false` if rank 0 is lost.
pub(super) fn follow(
    link: &RankLink,
    clock: RunClock,
    inputs: &RunInputs<'_>,
    mut targets: Targets<'_, '_>,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
) -> (Ending, bool) {
    let wire = Wire { link: link.clone(), state: Mutex::default() };
    let mut rank_sink = RankSink { wire: &wire, own: sink, steps: BTreeMap::new() };
    let mut lead = Lead(&wire);
    let mut conductor = Conductor::begin(clock, inputs, inputs, &mut rank_sink, interrupt, &mut lead);
    let outcome = conductor
        .prepare(&mut targets)
        .and_then(|_| conductor.run(&mut targets, &[], &mut FollowScheduler { wire: &wire, interrupt }));
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
        outcome => Ending::from_outcome(outcome, interrupt),
    };
    let ending = conductor.end(ending);
    wire.push(Report::Finished);
    wire.flush();
    // At the end, other ranks may need more time than this one.
    while whole && !wire.state().over {
        wire.listen(WAIT);
        rank_sink.own.progress(&Progress::default());
    }
    let dismissed = wire.state().dismissed;
    (ending, dismissed)
}

/// Connection to rank 0, shared by the code that reports and the code that listens.
struct Wire {
    link: RankLink,
    state: Mutex<WireState>,
}

#[derive(Default)]
struct WireState {
    /// Reports to be sent.
    outbox: Vec<Report>,
    sent: Option<Instant>,
    /// Steps to be stopped, with the reason.
    stops: BTreeMap<usize, StepStop>,
    /// Reason to stop all steps, because rank 0 is lost.
    stop_all: Option<StepStop>,
    /// Start time of the wave, once known; an error if the wave was cancelled.
    begin: Option<Result<Nanos, ()>>,
    /// True if rank 0 announced that no wave follows.
    finish: bool,
    /// True if the run is over, because rank 0 ended it or is lost.
    over: bool,
    /// True if rank 0 ended the run.
    dismissed: bool,
    /// Jobs of the next wave.
    wave: Option<Vec<JobOrder>>,
    /// True if the targets are to be filled.
    fill: bool,
    /// Numbers of the wave's steps in the whole run.
    numbers: Vec<usize>,
    /// Number of the wave's first step on this rank.
    first: Option<usize>,
    /// Number of measured windows reported for each step, and the time of the last report.
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

    /// Processes the messages of rank 0.
    fn listen(&self, wait: Duration) {
        let mut wait = wait;
        while let Some((_, bytes)) = self.link.receive(wait) {
            wait = Duration::ZERO;
            let Some(order) = decode::<Order>(&bytes) else { continue };
            let mut state = self.state();
            match order {
                Order::Fill => state.fill = true,
                Order::Wave(jobs) => {
                    // The same batch may contain orders about the wave, so the state must be reset here.
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

    fn fail(&self, stop: &Stop) {
        self.push(Report::Failed(stop.clone()));
        self.flush();
    }

    /// Waits for rank 0 to end the run after a failure was reported.
    fn wait_for_end(&self) {
        let until = Instant::now() + SILENCE;
        while !self.state().over && Instant::now() < until {
            self.listen(WAIT);
        }
    }
}

/// Rank 0, as the only peer of a following rank.
struct Lead<'w>(&'w Wire);

impl Peers for Lead<'_> {
    fn prepare(&mut self, sink: &mut dyn Sink) -> Result<(), Stop> {
        loop {
            self.0.listen(WAIT);
            sink.progress(&Progress::default());
            let state = self.0.state();
            if state.over {
                return Err(Stop::Signal { stuck: false });
            }
            if state.fill {
                return Ok(());
            }
        }
    }

    fn prepared(&mut self, bytes: u64, _sink: &mut dyn Sink, _interrupt: &Interrupt) -> Result<u64, Stop> {
        self.0.push(Report::Filled(bytes));
        self.0.flush();
        Ok(0)
    }

    fn begin(&mut self, _clock: RunClock, _interrupt: &Interrupt) -> Result<Option<Nanos>, LoadError> {
        self.0.push(Report::Ready);
        self.0.flush();
        loop {
            let mut state = self.0.state();
            let over = state.over.then_some(Err(()));
            if let Some(begin) = state.begin.take().or(over) {
                return begin.map(Some).map_err(|()| LoadError::Elsewhere("another host cannot start".to_owned()));
            }
            drop(state);
            self.0.listen(WAIT);
        }
    }
}

/// Scheduler of the waves ordered by rank 0.
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

/// Rules that end jobs when rank 0 orders it.
struct FollowRules<'w> {
    wire: &'w Wire,
    /// Numbers of the wave's steps in the whole run.
    numbers: Vec<usize>,
    /// Time when the rank last showed that it is alive.
    shown: Option<u64>,
}

impl WaveRules for FollowRules<'_> {
    fn interval(&mut self, _which: usize, _interval: &Interval) {}

    fn scheduled(&mut self, which: usize, from: Nanos, until: Nanos) {
        self.wire.push(Report::Scheduled(self.numbers[which], from, until));
    }

    fn decide(&mut self, which: usize, live: &Live<'_>) -> (Decision, Option<Sentence>) {
        let number = self.numbers[which];
        self.wire.listen(Duration::ZERO);
        let mut state = self.wire.state();
        let (reported, when) = state.told.get(&number).map_or((0, None), |(reported, when)| (*reported, Some(*when)));
        if when.is_none_or(|when| when.elapsed() >= TOGETHER) {
            let new = live.windows.get(reported.saturating_sub(live.before)..).unwrap_or_default().to_vec();
            state.told.insert(number, (live.before + live.windows.len(), Instant::now()));
            let report = LiveReport { windows: new, recent: live.recent.to_vec(), stuck: live.stuck };
            state.outbox.push(Report::Live(number, Box::new(report)));
        }
        let stop = state.stop_all.or_else(|| state.stops.get(&number).copied());
        (stop.map_or(Decision::GoOn, Decision::Stop), None)
    }

    fn progress(&mut self, now: Nanos) -> Option<Progress> {
        // All jobs have been processed at this point.
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

/// Sink that passes events to the rank's own sink and reports them to rank 0.
struct RankSink<'w> {
    wire: &'w Wire,
    own: &'w mut dyn Sink,
    /// Numbers of steps in the whole run, by their numbers on this rank.
    steps: BTreeMap<usize, usize>,
}

impl RankSink<'_> {
    fn number(&self, step: usize) -> Option<usize> {
        self.steps.get(&step).copied()
    }

    /// Returns the event to report to rank 0; `None` if rank 0 generates it itself.
    fn event_for_lead(&mut self, event: &RunEvent) -> Option<RunEvent> {
        match event {
            RunEvent::StepBegin { number, .. } => {
                // Steps begin in the order of the wave's jobs, so their numbers follow each other.
                let mut state = self.wire.state();
                let first = *state.first.get_or_insert(*number);
                if let Some(run_number) = state.numbers.get(number - first) {
                    self.steps.insert(*number, *run_number);
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
            RunEvent::Samples { .. }
            | RunEvent::Caveat(_)
            | RunEvent::Note { .. }
            | RunEvent::Results(Results::Database(_)) => Some(event.clone()),
            // Rank 0 itself reports the beginning, the end and the choices of the run. Events about devices are
            // omitted, because devices on several hosts may have the same name.
            _ => None,
        }
    }
}

impl Sink for RankSink<'_> {
    fn event(&mut self, event: RunEvent) {
        if let Some(report) = self.event_for_lead(&event) {
            self.wire.push(Report::Event(Box::new(report)));
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
