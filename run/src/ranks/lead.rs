//! Rank 0: sends each rank its part of a wave, processes reports, and detects lost ranks.

use super::message::{JobOrder, LiveReport, Order, Report, Trouble, decode, encode};
use super::{RankLink, SILENCE, database_of, named_by};
use crate::conduct::{Stop, WaveJob};
use crate::context::Interrupt;
use crate::sink::{Progress, Sink};
use crate::workers::{Live, LoadEnd};
use load::worker::WorkerEnd;
use messages::sentence;
use model::{
    DatabaseUse, Interval, Nanos, Phase, Plan, RankFacts, RunEvent, Sentence, Stage, StepEnd, StepStop, Window,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Time between the announcement of the start and the start on all ranks: enough for one message and two polls.
const AHEAD: Nanos = Nanos::from_millis(100);
/// Maximum number of windows kept per step.
const KEPT: usize = 36_000;

/// State of the other ranks, as known to rank 0.
pub(crate) struct Leader {
    link: RankLink,
    /// Facts of the ranks, rank 0 first.
    ranks: Vec<RankFacts>,
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
    pub fn new(link: RankLink, ranks: &[RankFacts]) -> Self {
        Leader {
            link,
            ranks: ranks.to_vec(),
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

    /// Orders all ranks to fill their targets.
    pub fn fill(&self) {
        self.others().for_each(|rank| self.send_order(rank, &Order::Fill));
    }

    /// Waits until all ranks have filled their targets. Returns the number of bytes they wrote.
    pub fn filled(&mut self, sink: &mut dyn Sink, interrupt: &Interrupt) -> Result<u64, Stop> {
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
                    sink.event(self.named(rank, *event));
                }
                Report::Failed(trouble, what) => self.lose(rank, trouble, &what),
                Report::Refused { text, .. } => self.lose(rank, Trouble::Failed, &text.into()),
                _ => {}
            }
            self.check()?;
        }
        Ok(bytes)
    }

    /// Sends each rank its jobs of a wave whose first step has the number `base`.
    pub fn order(&mut self, plan: &Plan, jobs: &[WaveJob<'_>], base: usize) -> Away {
        let owner = |stage: &Stage| RankFacts::owner(&self.ranks, stage).unwrap_or(0);
        let ranks: Vec<usize> = jobs.iter().map(|j| owner(&plan.stages[j.stage])).collect();
        for rank in self.others().filter(|rank| ranks.contains(rank)) {
            let rank_jobs: Vec<usize> = (0..jobs.len()).filter(|i| ranks[*i] == rank).collect();
            let order = |which: &usize| {
                let WaveJob { stage, pass, hold, job, delay, after } = &jobs[*which];
                JobOrder {
                    step: base + which,
                    // A rank's stages have the same order in the common plan as in the rank's own plan.
                    stage: plan.stages[..*stage].iter().filter(|s| owner(s) == rank).count(),
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
        Away { base, jobs, over: BTreeSet::new(), beside: Vec::new() }
    }

    /// Waits until every rank has opened the files of a wave, then announces the common start time.
    ///
    /// # Errors
    /// Returns a sentence if one of them cannot begin.
    pub fn begin(&mut self, away: &Away, now: &dyn Fn() -> Nanos, interrupt: &Interrupt) -> Result<Nanos, String> {
        let mut waiting = away.ranks();
        // Other reports, such as those from a preceding pause, are kept for the wave. If they were put back
        // immediately, this loop would receive them again.
        let mut later = Vec::new();
        while !waiting.is_empty() {
            match self.next(Duration::from_millis(20)) {
                Some((rank, Report::Ready)) => _ = waiting.remove(&rank),
                Some((rank, Report::Failed(trouble, what))) => self.lose(rank, trouble, &what),
                Some(other) => later.push(other),
                None => self.miss_silent(),
            }
            if self.gone.keys().any(|rank| waiting.contains(rank)) || interrupt.asked() {
                return Err(match self.gone.values().next() {
                    Some(stop) => stop.to_string(),
                    None => "stopped".to_owned(),
                });
            }
        }
        self.heard.extend(later);
        let at = now().saturating_add(AHEAD);
        away.ranks().into_iter().for_each(|rank| self.send_order(rank, &Order::Begin(at)));
        Ok(at)
    }

    /// Cancels a wave before it begins.
    pub fn cancel(&self, away: &Away) {
        away.ranks().into_iter().for_each(|rank| self.send_order(rank, &Order::Cancel));
    }

    /// Stops a step of another rank.
    pub fn stop(&self, away: &mut Away, which: usize, why: StepStop) {
        if let Some(job) = away.jobs.get_mut(which).and_then(Option::as_mut).filter(|j| j.stopped.is_none()) {
            job.stopped = Some(why);
            self.send_order(job.rank, &Order::Stop(away.base + which, why));
        }
    }

    /// Stops every step of other ranks. The order is sent again if a signal follows another reason.
    pub fn stop_all(&self, away: &mut Away, why: StepStop) {
        for which in 0..away.jobs.len() {
            if let Some(job) = away.jobs[which].as_mut()
                && job.stopped != Some(why)
                && job.stopped != Some(StepStop::Signal)
            {
                job.stopped = Some(why);
                self.send_order(job.rank, &Order::Stop(away.base + which, why));
            }
        }
    }

    /// Processes reports about a wave and returns those that the caller needs.
    pub fn hear(&mut self, away: &mut Away, now: Nanos, wait: Duration) -> Vec<Heard> {
        let mut heard = Vec::new();
        let mut wait = wait;
        while let Some((rank, report)) = self.next(wait) {
            wait = Duration::ZERO;
            self.take(away, rank, report, &mut heard);
        }
        self.miss_silent();
        for which in 0..away.jobs.len() {
            let Some(job) = away.jobs[which].as_mut() else { continue };
            if !job.ended && self.gone.contains_key(&job.rank) {
                job.ended = true;
                heard.push(Heard::Ended(which, Box::new(job.lost_end(now)), None));
            }
        }
        heard
    }

    fn take(&mut self, away: &mut Away, rank: usize, report: Report, heard: &mut Vec<Heard>) {
        let base = away.base;
        match report {
            Report::Live(step, live) => {
                if let Some((which, job)) = away.job(step) {
                    job.record_live(*live);
                    heard.push(Heard::Live(which));
                }
            }
            Report::Scheduled(step, from, until) => {
                if let Some((which, job)) = away.job(step) {
                    job.from = Some(from);
                    heard.push(Heard::Scheduled(which, from, until));
                }
            }
            Report::Operations(step, entries) => heard.push(Heard::Operations(step, entries)),
            Report::Event(event) => match *event {
                RunEvent::Interval { step, interval } => {
                    if let Some((which, job)) = away.job(step) {
                        job.add(&interval);
                        heard.push(Heard::Interval(which, Box::new(interval)));
                    }
                }
                RunEvent::StepEnd { step, end } => {
                    if let Some((_, job)) = away.job(step) {
                        job.step_end = Some(end);
                    }
                }
                RunEvent::Database(used) => self.take_database(rank, *used),
                other => heard.push(Heard::Event(Box::new(self.named(rank, other)))),
            },
            Report::Ended(step, end) => {
                let which = step.wrapping_sub(base);
                if let Some((_, job)) = away.job(step) {
                    job.ended = true;
                    heard.push(Heard::Ended(which, end, job.step_end.take().map(Box::new)));
                }
            }
            Report::Failed(trouble, what) => self.lose(rank, trouble, &what),
            Report::Beside(what) => {
                away.beside.push(sentence!("ranks-on-host", host = self.name(rank), what = what.to_string()));
            }
            Report::WaveOver => _ = away.over.insert(rank),
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

    /// Returns `true` if every rank of a wave has sent its last report about the wave, or is lost.
    pub fn is_over(&self, away: &Away) -> bool {
        away.ranks().iter().all(|rank| away.over.contains(rank) || self.gone.contains_key(rank))
    }

    /// Records the state of a rank's database, to be passed on together with the others.
    pub fn take_database(&mut self, rank: usize, used: DatabaseUse) {
        let used = database_of(self.name(rank), used);
        self.databases.insert(rank, used);
        self.news = true;
    }

    /// Returns the databases of all hosts as one event, if any of them changed.
    pub fn databases(&mut self) -> Option<RunEvent> {
        if !std::mem::take(&mut self.news) {
            return None;
        }
        let merged = DatabaseUse::of_hosts(self.databases.values().cloned().collect());
        Some(RunEvent::Database(Box::new(merged)))
    }

    /// Announces that no wave follows: all ranks do their remaining work and report it.
    pub fn finish(&self) {
        self.others().for_each(|rank| self.send_order(rank, &Order::Finish));
    }

    /// Returns the events of a watch that other ranks sent.
    pub fn hear_events(&mut self, wait: Duration) -> Vec<(usize, RunEvent)> {
        let (mut heard, mut wait) = (Vec::new(), wait);
        while let Some((rank, report)) = self.next(wait) {
            wait = Duration::ZERO;
            match report {
                Report::Event(event) => heard.push((rank, *event)),
                Report::Failed(trouble, what) => self.lose(rank, trouble, &what),
                Report::Refused { text, .. } => self.lose(rank, Trouble::Failed, &text.into()),
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

    /// Returns `true` if every rank has sent its last report or is lost.
    pub fn all_finished(&self) -> bool {
        self.others().all(|rank| self.has_finished(rank))
    }

    /// Returns `true` if a rank sends no more reports.
    pub fn has_finished(&self, rank: usize) -> bool {
        self.finished.contains(&rank) || self.gone.contains_key(&rank)
    }

    /// Processes reports after the last wave; returns `true` once all are received.
    pub fn hear_the_end(&mut self, sink: &mut dyn Sink) -> bool {
        let mut wait = Duration::from_millis(20);
        while let Some((rank, report)) = self.next(wait) {
            wait = Duration::ZERO;
            match report {
                Report::Event(event) => match *event {
                    RunEvent::Database(used) => self.take_database(rank, *used),
                    // The steps have ended and were reported.
                    RunEvent::Interval { .. } | RunEvent::StepEnd { .. } => {}
                    other => sink.event(self.named(rank, other)),
                },
                Report::Failed(trouble, what) => self.lose(rank, trouble, &what),
                Report::Finished => _ = self.finished.insert(rank),
                _ => {}
            }
        }
        self.miss_silent();
        self.all_finished()
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

    /// Returns `true` if a rank is lost.
    pub fn misses_any(&self) -> bool {
        !self.gone.is_empty()
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

    fn lose(&mut self, rank: usize, trouble: Trouble, what: &Sentence) {
        let what = sentence!("ranks-on-host", host = self.name(rank), what = what.to_string());
        self.gone.entry(rank).or_insert(match trouble {
            Trouble::Signal => Stop::Signal { stuck: false },
            Trouble::Hung => Stop::Lost(what),
            Trouble::Failed => Stop::Failed(what),
            Trouble::Lacking => Stop::Lacking(what),
        });
    }

    /// Adds the host name to an event of another rank if the event concerns that host.
    fn named(&self, rank: usize, event: RunEvent) -> RunEvent {
        named_by(self.name(rank), event)
    }
}

/// Part of a wave that other ranks run.
pub(crate) struct Away {
    base: usize,
    /// Jobs by their index in the wave; `None` for those that run here.
    jobs: Vec<Option<AwayJob>>,
    /// Ranks that have sent their last report about the wave.
    over: BTreeSet<usize>,
    /// Failures other than I/O errors on other ranks.
    pub beside: Vec<Sentence>,
}

/// Report about a wave.
pub(crate) enum Heard {
    /// New windows of a job.
    Live(usize),
    /// Measured time of a job.
    Scheduled(usize, Nanos, Nanos),
    /// Complete interval of a job.
    Interval(usize, Box<Interval>),
    /// Individual operations of a step.
    Operations(usize, Vec<load::recorder::Entry>),
    /// Event for the record.
    Event(Box<RunEvent>),
    /// End of a job: result of its load, and the end of its step if the rank reported it.
    Ended(usize, Box<LoadEnd>, Option<Box<StepEnd>>),
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

    /// Returns `true` if a job of the wave runs on another rank.
    pub fn has(&self, which: usize) -> bool {
        self.jobs.get(which).is_some_and(Option::is_some)
    }

    /// Returns `true` if all these jobs have ended.
    pub fn all_ended(&self) -> bool {
        self.jobs.iter().flatten().all(|j| j.ended)
    }

    /// Calls `look` with the state of a running job and returns the result; `None` if the job has ended.
    pub fn with_live<T>(&mut self, which: usize, now: Nanos, look: impl FnOnce(&Live<'_>) -> T) -> Option<T> {
        let job = self.jobs.get_mut(which)?.as_mut().filter(|j| !j.ended)?;
        let windows: &[Window] = job.windows.make_contiguous();
        Some(look(&Live { now, windows, before: job.before, recent: &job.recent, stuck: job.stuck }))
    }
}
