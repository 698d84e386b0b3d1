//! Rank 0: sends each rank its part of a wave, processes reports, and detects lost ranks.

use super::message::{JobOrder, LiveReport, Order, Report, decode, encode};
use super::{RankLink, SILENCE, database_of, named_by};
use crate::context::Interrupt;
use crate::peers::{PeerReport, Peers};
use crate::sink::{Progress, Sink};
use crate::wave::{Stop, WaveJob};
use crate::workers::{Decision, Live, LoadEnd, LoadError};
use load::worker::WorkerEnd;
use messages::sentence;
use model::measured::{DatabaseUse, Phase, Window};
use model::record::{RankFacts, Results, StepEnd, StepStop};
use model::{Interval, Nanos, Plan, RunEvent, Sentence};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use sys::clock::{Clock, RunClock};

/// Time between the announcement of the start and the start on all ranks: enough for one message and two polls.
const AHEAD: Nanos = Nanos::from_millis(100);
/// Maximum number of windows kept per step.
const KEPT: usize = 36_000;

/// State of the other ranks, as known to rank 0.
pub(crate) struct Leader {
    link: RankLink,
    /// Facts of the ranks, rank 0 first.
    ranks: Vec<RankFacts>,
    /// Rank of each stage of the common plan.
    owners: Vec<usize>,
    /// Part of the current wave that other ranks run.
    away: Away,
    /// Ranks that are lost or cannot continue, each with the reason.
    gone: BTreeMap<usize, Stop>,
    /// True if a rank stopped sending messages.
    missed: bool,
    /// Reports that are not processed yet.
    heard: VecDeque<(usize, Report)>,
    /// Last report of each rank about its database.
    databases: BTreeMap<usize, DatabaseUse>,
    /// True if the reports about databases changed since they were last passed on.
    news: bool,
    /// Ranks that have sent their last report.
    finished: BTreeSet<usize>,
}

impl Leader {
    pub fn new(link: RankLink, plan: &Plan, ranks: &[RankFacts]) -> Self {
        Leader {
            link,
            ranks: ranks.to_vec(),
            owners: plan.stages.iter().map(|stage| RankFacts::owner(ranks, stage).unwrap_or(0)).collect(),
            away: Away::default(),
            gone: BTreeMap::new(),
            missed: false,
            heard: VecDeque::new(),
            databases: BTreeMap::new(),
            news: false,
            finished: BTreeSet::new(),
        }
    }

    /// Returns the name of a rank.
    fn name(&self, rank: usize) -> &str {
        &self.ranks[rank].name
    }

    fn send_order(&self, rank: usize, order: &Order) {
        self.link.send(rank, encode(order));
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        1..self.link.size()
    }

    /// Processes reports about a wave and returns those that the conductor needs.
    fn hear(&mut self, now: Nanos, wait: Duration) -> Vec<PeerReport> {
        let mut heard = Vec::new();
        let mut wait = wait;
        while let Some((rank, report)) = self.next(wait) {
            wait = Duration::ZERO;
            self.take(rank, report, &mut heard);
        }
        self.miss_silent();
        for (which, job) in self.away.jobs.iter_mut().enumerate() {
            if let Some(job) = job.as_mut().filter(|job| !job.ended && self.gone.contains_key(&job.rank)) {
                job.ended = true;
                heard.push(PeerReport::Ended(which, Box::new(job.lost_end(now)), None));
            }
        }
        heard
    }

    fn take(&mut self, rank: usize, report: Report, heard: &mut Vec<PeerReport>) {
        let base = self.away.base;
        match report {
            Report::Live(step, live) => {
                if let Some((which, job)) = self.away.job(step) {
                    job.record_live(*live);
                    heard.push(PeerReport::Live(which));
                }
            }
            Report::Scheduled(step, from, until) => {
                if let Some((which, job)) = self.away.job(step) {
                    job.from = Some(from);
                    heard.push(PeerReport::Scheduled(which, from, until));
                }
            }
            Report::Operations(step, entries) => heard.push(PeerReport::Operations(step, entries)),
            Report::Event(event) => match *event {
                RunEvent::Interval { step, interval } => {
                    if let Some((which, job)) = self.away.job(step) {
                        job.add(&interval);
                        heard.push(PeerReport::Interval(which, Box::new(interval)));
                    }
                }
                RunEvent::StepEnd { step, end } => {
                    if let Some((_, job)) = self.away.job(step) {
                        job.step_end = Some(end);
                    }
                }
                RunEvent::Results(Results::Database(used)) => self.take_database(rank, *used),
                other => heard.push(PeerReport::Event(Box::new(named_by(self.name(rank), other)))),
            },
            Report::Ended(step, end) => {
                let which = step.wrapping_sub(base);
                if let Some((_, job)) = self.away.job(step) {
                    job.ended = true;
                    heard.push(PeerReport::Ended(which, end, job.step_end.take().map(Box::new)));
                }
            }
            Report::Failed(stop) => self.lose(rank, stop),
            Report::Beside(what) => {
                let what = sentence!("ranks-on-host", host = self.name(rank), what = what.to_string());
                self.away.beside.push(what);
            }
            Report::WaveOver => _ = self.away.over.insert(rank),
            Report::Finished => _ = self.finished.insert(rank),
            Report::Greeting(_)
            | Report::Word(_)
            | Report::Plan(_)
            | Report::Refused { .. }
            | Report::Did { .. }
            | Report::Filled(_)
            | Report::Ready => {}
        }
    }

    /// Records the state of a rank's database, to be passed on together with the others.
    fn take_database(&mut self, rank: usize, used: DatabaseUse) {
        let used = database_of(self.name(rank), used);
        self.databases.insert(rank, used);
        self.news = true;
    }

    /// Reports the databases of all hosts as one event, if any of them changed.
    fn report_databases(&mut self, sink: &mut dyn Sink) {
        if std::mem::take(&mut self.news) {
            let merged = DatabaseUse::of_hosts(self.databases.values().cloned().collect());
            sink.event(RunEvent::Results(Results::Database(Box::new(merged))));
        }
    }

    /// Returns the events of a watch that other ranks sent.
    pub fn hear_events(&mut self, wait: Duration) -> Vec<(usize, RunEvent)> {
        let (mut heard, mut wait) = (Vec::new(), wait);
        while let Some((rank, report)) = self.next(wait) {
            wait = Duration::ZERO;
            match report {
                Report::Event(event) => heard.push((rank, *event)),
                Report::Failed(stop) => self.lose(rank, stop),
                Report::Refused { text, .. } => self.lose(rank, Stop::Failed(text.into())),
                Report::Finished => _ = self.finished.insert(rank),
                _ => {}
            }
        }
        heard
    }

    /// Announces the common start time.
    pub fn begin_at(&self, at: Nanos) {
        self.others().for_each(|rank| self.send_order(rank, &Order::Begin(at)));
    }

    /// Stops a step of another rank. The order is sent again if a signal follows another reason.
    fn stop_job(&mut self, which: usize, why: StepStop) {
        if let Some(job) = self.away.jobs[which].as_mut()
            && job.stopped != Some(why)
            && job.stopped != Some(StepStop::Signal)
        {
            job.stopped = Some(why);
            let rank = job.rank;
            self.send_order(rank, &Order::Stop(self.away.base + which, why));
        }
    }

    /// Returns `true` if every rank has sent its last report or is lost.
    pub fn all_finished(&self) -> bool {
        self.others().all(|rank| self.has_finished(rank))
    }

    /// Returns `true` if a rank sends no more reports.
    pub fn has_finished(&self, rank: usize) -> bool {
        self.finished.contains(&rank) || self.gone.contains_key(&rank)
    }

    /// Checks for ranks that could not continue.
    ///
    /// # Errors
    /// Returns the reason to end the run, if there is one.
    pub fn check(&mut self) -> Result<(), Stop> {
        // Ranks that were stopped because of another rank report only a signal.
        let signalled = |stop: &Stop| matches!(stop, Stop::Signal { .. });
        let first = self.gone.iter().min_by_key(|(rank, stop)| (signalled(stop), **rank)).map(|(rank, _)| *rank);
        first.and_then(|rank| self.gone.remove(&rank)).map_or(Ok(()), Err)
    }

    /// Returns `true` if a rank stopped sending messages.
    pub fn missed_any(&self) -> bool {
        self.missed
    }

    /// Ends the run on all ranks.
    pub fn end(&self) {
        self.others().for_each(|rank| self.send_order(rank, &Order::End));
    }

    fn next(&mut self, wait: Duration) -> Option<(usize, Report)> {
        if let Some(heard) = self.heard.pop_front() {
            return Some(heard);
        }
        let (rank, bytes) = self.link.receive(wait)?;
        let reports: Vec<Report> = decode(&bytes)?;
        self.heard.extend(reports.into_iter().map(|report| (rank, report)));
        self.heard.pop_front()
    }

    /// Marks silent ranks as lost.
    pub fn miss_silent(&mut self) {
        for rank in 1..self.link.size() {
            let silent = self.link.silent(rank);
            if silent > SILENCE && !self.gone.contains_key(&rank) {
                let host = self.name(rank);
                let what = sentence!("ranks-lost", host, silence = Nanos::from_secs(silent.as_secs()));
                self.gone.insert(rank, Stop::Lost(what));
                self.missed = true;
            }
        }
    }

    /// Records why a rank could not continue. Nothing hangs on this host.
    fn lose(&mut self, rank: usize, stop: Stop) {
        let on_host = |what: Sentence| sentence!("ranks-on-host", host = self.name(rank), what = what.to_string());
        let stop = match stop {
            Stop::Signal { .. } => Stop::Signal { stuck: false },
            Stop::Hung(what) | Stop::Lost(what) => Stop::Lost(on_host(what)),
            Stop::Failed(what) => Stop::Failed(on_host(what)),
            Stop::Lacking(what) => Stop::Lacking(on_host(what)),
        };
        self.gone.entry(rank).or_insert(stop);
    }
}

impl Peers for Leader {
    fn prepare(&mut self, _sink: &mut dyn Sink) -> Result<(), Stop> {
        self.others().for_each(|rank| self.send_order(rank, &Order::Fill));
        Ok(())
    }

    fn prepared(&mut self, _bytes: u64, sink: &mut dyn Sink, interrupt: &Interrupt) -> Result<u64, Stop> {
        let (mut waiting, mut bytes): (BTreeSet<usize>, u64) = (self.others().collect(), 0);
        while !waiting.is_empty() {
            if interrupt.asked() {
                return Err(Stop::Signal { stuck: false });
            }
            let (rank, report) = match self.next(Duration::from_millis(20)) {
                Some(heard) => heard,
                None => {
                    self.miss_silent();
                    self.check()?;
                    sink.progress(&Progress { label: "waiting for other hosts".to_owned(), ..Progress::default() });
                    continue;
                }
            };
            match report {
                Report::Filled(count) => {
                    bytes += count;
                    waiting.remove(&rank);
                }
                Report::Event(event) => {
                    sink.event(named_by(self.name(rank), *event));
                }
                Report::Failed(stop) => self.lose(rank, stop),
                Report::Refused { text, .. } => self.lose(rank, Stop::Failed(text.into())),
                _ => {}
            }
            self.check()?;
        }
        Ok(bytes)
    }

    fn order(&mut self, jobs: &[WaveJob<'_>], base: usize) -> Vec<usize> {
        let owners = &self.owners;
        let ranks: Vec<usize> = jobs.iter().map(|j| owners[j.stage]).collect();
        for rank in self.others().filter(|rank| ranks.contains(rank)) {
            let rank_jobs: Vec<usize> = (0..jobs.len()).filter(|i| ranks[*i] == rank).collect();
            let order = |which: &usize| {
                let WaveJob { stage, pass, hold, job, delay, after } = &jobs[*which];
                JobOrder {
                    step: base + which,
                    // A rank's stages have the same order in the common plan as in the rank's own plan.
                    stage: owners[..*stage].iter().filter(|owner| **owner == rank).count(),
                    pass: *pass,
                    hold: *hold,
                    job: job.as_ref().clone(),
                    delay: *delay,
                    after: after.iter().filter_map(|a| rank_jobs.iter().position(|o| o == a)).collect(),
                }
            };
            self.send_order(rank, &Order::Wave(rank_jobs.iter().map(order).collect()));
        }
        let jobs =
            ranks.iter().map(|rank| (*rank > 0).then(|| AwayJob { rank: *rank, ..AwayJob::default() })).collect();
        self.away = Away { base, jobs, ..Away::default() };
        (0..ranks.len()).filter(|which| ranks[*which] == 0).collect()
    }

    fn cancel(&self) {
        self.away.ranks().into_iter().for_each(|rank| self.send_order(rank, &Order::Cancel));
    }

    fn begin(&mut self, clock: RunClock, interrupt: &Interrupt) -> Result<Option<Nanos>, LoadError> {
        let mut waiting = self.away.ranks();
        // Other reports, such as those from a preceding pause, are kept for the wave. If they were put back
        // immediately, this loop would receive them again.
        let mut later = Vec::new();
        while !waiting.is_empty() {
            match self.next(Duration::from_millis(20)) {
                Some((rank, Report::Ready)) => _ = waiting.remove(&rank),
                Some((rank, Report::Failed(stop))) => self.lose(rank, stop),
                Some(other) => later.push(other),
                None => self.miss_silent(),
            }
            if self.gone.keys().any(|rank| waiting.contains(rank)) || interrupt.asked() {
                let stop = self.gone.values().next();
                return Err(LoadError::Elsewhere(stop.map_or_else(|| "stopped".to_owned(), Stop::to_string)));
            }
        }
        self.heard.extend(later);
        let at = Nanos(clock.now()).saturating_add(AHEAD);
        self.away.ranks().into_iter().for_each(|rank| self.send_order(rank, &Order::Begin(at)));
        Ok(Some(at))
    }

    fn reports(&mut self, now: Nanos) -> Vec<PeerReport> {
        self.hear(now, Duration::ZERO)
    }

    fn live(&mut self, which: usize, now: Nanos) -> Option<Live<'_>> {
        let job = self.away.jobs.get_mut(which)?.as_mut().filter(|j| !j.ended)?;
        let windows: &[Window] = job.windows.make_contiguous();
        Some(Live { now, windows, before: job.before, recent: &job.recent, stuck: job.stuck })
    }

    fn stop(&mut self, which: usize, why: StepStop) {
        if self.away.jobs[which].as_ref().is_some_and(|job| job.stopped.is_none()) {
            self.stop_job(which, why);
        }
    }

    fn apply(&mut self, decision: Decision) -> Decision {
        // If a rank is lost, there is no sum over all ranks any more. The results of the others are kept.
        let decision = if self.gone.is_empty() { decision } else { Decision::Stop(StepStop::Signal) };
        if let Decision::Stop(why) = decision {
            (0..self.away.jobs.len()).for_each(|which| self.stop_job(which, why));
        }
        decision
    }

    fn all_ended(&self) -> bool {
        self.away.jobs.iter().flatten().all(|j| j.ended)
    }

    fn end_wave(&mut self, now: Nanos, sink: &mut dyn Sink) -> Option<Vec<Sentence>> {
        for heard in self.hear(now, Duration::from_millis(10)) {
            match heard {
                PeerReport::Event(event) => sink.event(*event),
                PeerReport::Operations(step, entries) => sink.operations(step, &entries),
                _ => {}
            }
        }
        let over = |rank: &usize| self.away.over.contains(rank) || self.gone.contains_key(rank);
        if !self.away.ranks().iter().all(over) {
            return None;
        }
        self.report_databases(sink);
        Some(std::mem::take(&mut self.away.beside))
    }

    fn failure(&mut self) -> Option<Stop> {
        self.check().err()
    }

    fn emit(&mut self, event: RunEvent, sink: &mut dyn Sink) {
        match event {
            RunEvent::Results(Results::Database(used)) => {
                self.take_database(0, *used);
                self.report_databases(sink);
            }
            event => sink.event(event),
        }
    }

    fn finish(&self) {
        self.others().for_each(|rank| self.send_order(rank, &Order::Finish));
    }

    fn finished(&mut self, sink: &mut dyn Sink) -> Result<bool, Stop> {
        let mut wait = Duration::from_millis(20);
        while let Some((rank, report)) = self.next(wait) {
            wait = Duration::ZERO;
            match report {
                Report::Event(event) => match *event {
                    RunEvent::Results(Results::Database(used)) => self.take_database(rank, *used),
                    // The steps have ended and were reported.
                    RunEvent::Interval { .. } | RunEvent::StepEnd { .. } => {}
                    other => sink.event(named_by(self.name(rank), other)),
                },
                Report::Failed(stop) => self.lose(rank, stop),
                Report::Finished => _ = self.finished.insert(rank),
                _ => {}
            }
        }
        self.miss_silent();
        self.report_databases(sink);
        let done = self.all_finished();
        if done {
            self.check()?;
        }
        Ok(done)
    }
}

/// Part of a wave that other ranks run.
#[derive(Default)]
struct Away {
    base: usize,
    /// Jobs by their index in the wave; `None` for those that run here.
    jobs: Vec<Option<AwayJob>>,
    /// Ranks that have sent their last report about the wave.
    over: BTreeSet<usize>,
    /// Failures other than I/O errors on other ranks.
    beside: Vec<Sentence>,
}

/// Job that another rank runs.
#[derive(Default)]
struct AwayJob {
    rank: usize,
    windows: VecDeque<Window>,
    before: usize,
    recent: Vec<Window>,
    stuck: Option<Nanos>,
    /// Sum of the measured intervals so far.
    total: Interval,
    from: Option<Nanos>,
    stopped: Option<StepStop>,
    step_end: Option<StepEnd>,
    ended: bool,
}

impl AwayJob {
    fn record_live(&mut self, live: LiveReport) {
        self.windows.extend(live.windows);
        while self.windows.len() > KEPT {
            self.windows.pop_front();
            self.before += 1;
        }
        (self.recent, self.stuck) = (live.recent, live.stuck);
    }

    fn add(&mut self, interval: &Interval) {
        if interval.phase == Phase::Measure {
            self.total.merge(interval);
        }
    }

    /// Returns the result of a job whose rank is lost, based on the rank's earlier reports.
    fn lost_end(&self, now: Nanos) -> LoadEnd {
        let ops = self.total.ops();
        LoadEnd {
            stop: StepStop::Hung,
            start: self.from.unwrap_or(now),
            end: now,
            workers: WorkerEnd { submitted: ops, completed: ops, ..WorkerEnd::default() },
            cpus: BTreeMap::new(),
            busiest: 0.0,
            notes: Vec::new(),
            remarks: Vec::new(),
            began: None,
            total: self.total.clone(),
        }
    }
}

impl Away {
    /// Returns the ranks that run part of the wave.
    fn ranks(&self) -> BTreeSet<usize> {
        self.jobs.iter().flatten().map(|j| j.rank).collect()
    }

    fn job(&mut self, step: usize) -> Option<(usize, &mut AwayJob)> {
        let which = step.checked_sub(self.base)?;
        Some((which, self.jobs.get_mut(which)?.as_mut()?))
    }
}
