//! Rank 0: gives each rank its part of a wave, takes in what they tell, and misses one that says nothing any more.

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

/// Threads of all ranks are told their beginning so long before it: a message and two looks.
const AHEAD: Nanos = Nanos::from_millis(100);
/// Windows that are kept of a step.
const KEPT: usize = 36_000;

/// What rank 0 knows of the others.
pub(crate) struct Leader {
    link: RankLink,
    /// Who they are, rank 0 first.
    ranks: Vec<RankFacts>,
    /// Ranks that are gone, or cannot go on, and why.
    gone: BTreeMap<usize, Stop>,
    /// One of them fell silent.
    missed: bool,
    /// What was heard and is for later.
    heard: VecDeque<(usize, Report)>,
    /// The database that each rank drives, as it was told last.
    databases: BTreeMap<usize, DatabaseUse>,
    /// Something of them was not passed on yet.
    news: bool,
    /// Ranks that have told all.
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

    /// What a rank is called by.
    fn name(&self, rank: usize) -> &str {
        &self.ranks[rank].name
    }

    fn tell(&self, rank: usize, order: &Order) {
        self.link.send(rank, encode(order));
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        1..self.link.size()
    }

    /// Has all ranks make their targets ready.
    pub fn fill(&self) {
        self.others().for_each(|rank| self.tell(rank, &Order::Fill));
    }

    /// Waits until all have done so. Returns the bytes they wrote.
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
                Report::Filled(theirs) => {
                    bytes += theirs;
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

    /// Gives each rank its jobs of a wave whose steps begin at number `base`.
    pub fn order(&mut self, plan: &Plan, jobs: &[WaveJob<'_>], base: usize) -> Away {
        let owner = |stage: &Stage| RankFacts::owner(&self.ranks, stage).unwrap_or(0);
        let ranks: Vec<usize> = jobs.iter().map(|j| owner(&plan.stages[j.stage])).collect();
        for rank in self.others().filter(|rank| ranks.contains(rank)) {
            let own: Vec<usize> = (0..jobs.len()).filter(|i| ranks[*i] == rank).collect();
            let order = |which: &usize| {
                let WaveJob { stage, pass, hold, job, delay, after } = &jobs[*which];
                JobOrder {
                    step: base + which,
                    // Stages of a rank stand in the plan of all in the order they have in its own.
                    stage: plan.stages[..*stage].iter().filter(|s| owner(s) == rank).count(),
                    pass: *pass,
                    hold: *hold,
                    job: job.as_ref().clone(),
                    delay: *delay,
                    after: after.iter().filter_map(|a| own.iter().position(|o| o == a)).collect(),
                }
            };
            self.tell(rank, &Order::Wave(own.iter().map(order).collect()));
        }
        let jobs =
            ranks.iter().map(|rank| (*rank > 0).then(|| AwayJob { rank: *rank, ..AwayJob::default() })).collect();
        Away { base, jobs, over: BTreeSet::new(), beside: Vec::new() }
    }

    /// Waits until every rank of a wave has opened what it needs, and says when all begin.
    ///
    /// # Errors
    /// A sentence, when one of them cannot.
    pub fn begin(&mut self, away: &Away, now: &dyn Fn() -> Nanos, interrupt: &Interrupt) -> Result<Nanos, String> {
        let mut waiting = away.ranks();
        // What else was said, as in a pause before, is for the wave to hear: heard again here it would be all there is.
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
        away.ranks().into_iter().for_each(|rank| self.tell(rank, &Order::Begin(at)));
        Ok(at)
    }

    /// A wave does not begin.
    pub fn cancel(&self, away: &Away) {
        away.ranks().into_iter().for_each(|rank| self.tell(rank, &Order::Cancel));
    }

    /// A step of another rank is to stop.
    pub fn stop(&self, away: &mut Away, which: usize, why: StepStop) {
        if let Some(job) = away.jobs.get_mut(which).and_then(Option::as_mut).filter(|j| j.stopped.is_none()) {
            job.stopped = Some(why);
            self.tell(job.rank, &Order::Stop(away.base + which, why));
        }
    }

    /// Every step of other ranks is to stop; said again where a signal comes after another reason.
    pub fn stop_all(&self, away: &mut Away, why: StepStop) {
        for which in 0..away.jobs.len() {
            if let Some(job) = away.jobs[which].as_mut()
                && job.stopped != Some(why)
                && job.stopped != Some(StepStop::Signal)
            {
                job.stopped = Some(why);
                self.tell(job.rank, &Order::Stop(away.base + which, why));
            }
        }
    }

    /// What was heard of a wave.
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
                    job.look(*live);
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

    /// Whether all ranks of a wave have told all of it, or will not.
    pub fn is_over(&self, away: &Away) -> bool {
        away.ranks().iter().all(|rank| away.over.contains(rank) || self.gone.contains_key(rank))
    }

    /// Takes in what is known of the database of a rank. It is passed on with that of the others.
    pub fn take_database(&mut self, rank: usize, used: DatabaseUse) {
        let used = database_of(self.name(rank), used);
        self.databases.insert(rank, used);
        self.news = true;
    }

    /// The databases of all hosts as one, if something of them is new.
    pub fn databases(&mut self) -> Option<RunEvent> {
        if !std::mem::take(&mut self.news) {
            return None;
        }
        let all = DatabaseUse::of_hosts(self.databases.values().cloned().collect());
        Some(RunEvent::Database(Box::new(all)))
    }

    /// No wave follows: all do what is left, and tell of it.
    pub fn finish(&self) {
        self.others().for_each(|rank| self.tell(rank, &Order::Finish));
    }

    /// What others tell of a watch: events, as they were sent.
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

    /// Says when all begin.
    pub fn begin_at(&self, at: Nanos) {
        self.others().for_each(|rank| self.tell(rank, &Order::Begin(at)));
    }

    /// Whether all have told all, or will not.
    pub fn all_finished(&self) -> bool {
        self.others().all(|rank| self.has_finished(rank))
    }

    /// Whether nothing more comes from a rank.
    pub fn has_finished(&self, rank: usize) -> bool {
        self.finished.contains(&rank) || self.gone.contains_key(&rank)
    }

    /// Hears what is told after the last wave; whether that was all of it.
    pub fn hear_the_end(&mut self, sink: &mut dyn Sink) -> bool {
        let mut wait = Duration::from_millis(20);
        while let Some((rank, report)) = self.next(wait) {
            wait = Duration::ZERO;
            match report {
                Report::Event(event) => match *event {
                    RunEvent::Database(used) => self.take_database(rank, *used),
                    // Steps have ended, and were told.
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

    /// What became of ranks that could not go on.
    ///
    /// # Errors
    /// Why the run ends, where one did not.
    pub fn check(&mut self) -> Result<(), Stop> {
        // Those that were stopped for another's sake say no more than that.
        let signalled = |stop: &Stop| matches!(stop, Stop::Signal { .. });
        let first = self.gone.iter().min_by_key(|(rank, stop)| (signalled(stop), **rank)).map(|(rank, _)| *rank);
        first.and_then(|rank| self.gone.remove(&rank)).map_or(Ok(()), Err)
    }

    /// Whether nothing was heard any more of a rank.
    pub fn missed_any(&self) -> bool {
        self.missed
    }

    /// Whether a rank is gone that was here.
    pub fn misses_any(&self) -> bool {
        !self.gone.is_empty()
    }

    /// The run is over: all end.
    pub fn end(&self) {
        self.others().for_each(|rank| self.tell(rank, &Order::End));
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

    /// Gives up those of which nothing is heard.
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

    /// An event of another rank with its host's name where it is of a host.
    fn named(&self, rank: usize, event: RunEvent) -> RunEvent {
        named_by(self.name(rank), event)
    }
}

/// What other ranks do of a wave.
pub(crate) struct Away {
    base: usize,
    /// By the wave's jobs; `None` for those that run here.
    jobs: Vec<Option<AwayJob>>,
    /// Ranks that have told all of it.
    over: BTreeSet<usize>,
    /// What failed beside I/O.
    pub beside: Vec<Sentence>,
}

/// Something of a wave that was heard.
pub(crate) enum Heard {
    /// There is more to decide by.
    Live(usize),
    /// When a job is measured.
    Scheduled(usize, Nanos, Nanos),
    /// An interval of a job is complete.
    Interval(usize, Box<Interval>),
    /// Single operations of a step.
    Operations(usize, Vec<load::recorder::Entry>),
    /// For the record.
    Event(Box<RunEvent>),
    /// A job has ended; what its own rank says of its step, if it still could.
    Ended(usize, Box<LoadEnd>, Option<Box<StepEnd>>),
}

/// A job that another rank runs.
#[derive(Default)]
struct AwayJob {
    rank: usize,
    windows: VecDeque<Window>,
    before: usize,
    recent: Vec<Window>,
    stuck: Option<Nanos>,
    /// What was measured so far.
    total: Interval,
    from: Option<Nanos>,
    stopped: Option<StepStop>,
    step_end: Option<StepEnd>,
    ended: bool,
}

impl AwayJob {
    fn look(&mut self, live: LiveReport) {
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

    /// The end of one that will not tell it any more: what is known of it is what it told.
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
    /// Ranks that have a part in it.
    fn ranks(&self) -> BTreeSet<usize> {
        self.jobs.iter().flatten().map(|j| j.rank).collect()
    }

    fn job(&mut self, step: usize) -> Option<(usize, &mut AwayJob)> {
        let which = step.checked_sub(self.base)?;
        Some((which, self.jobs.get_mut(which)?.as_mut()?))
    }

    /// Whether a job of the wave runs elsewhere.
    pub fn has(&self, which: usize) -> bool {
        self.jobs.get(which).is_some_and(Option::is_some)
    }

    /// Whether all of them have ended.
    pub fn all_ended(&self) -> bool {
        self.jobs.iter().flatten().all(|j| j.ended)
    }

    /// Hands over what is known of a job that runs.
    pub fn with_live<T>(&mut self, which: usize, now: Nanos, look: impl FnOnce(&Live<'_>) -> T) -> Option<T> {
        let job = self.jobs.get_mut(which)?.as_mut().filter(|j| !j.ended)?;
        let windows: &[Window] = job.windows.make_contiguous();
        Some(look(&Live { now, windows, before: job.before, recent: &job.recent, stuck: job.stuck }))
    }
}
