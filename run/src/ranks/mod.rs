//! Many hosts as one run: one process on each, a *rank* as in MPI.
//!
//! Rank 0 leads: it plans, conducts, judges and keeps (`lead.rs`). The others follow: each takes its part of every wave from rank 0,
//! runs it by the same executor, and tells of it by the very events a run alone would have (`follow.rs`). Nothing of this is on a
//! thread of load: ranks speak from the thread that collects, over a [`Link`].
//!
//! The order of things: [`Team::join`] compares versions and clocks; each rank looks at its own targets and opens nothing, and may tell
//! the others what it found ([`Team::exchange`]); [`Team::agree`] puts all plans together, or ends all where one refuses;
//! [`Team::conduct`] runs them. What ranks kept by themselves where rank 0 was lost is put together by [`join_parts`].

#![cfg_attr(
    not(any(feature = "mpi", feature = "test-support")),
    allow(unreachable_code, unused_variables, reason = "a build without a link has nothing behind one")
)]

mod follow;
mod lead;
mod message;
#[cfg(feature = "mpi")]
pub mod mpi;
mod parts;
mod watch;

pub(crate) use lead::{Away, Heard, Leader};
pub use parts::{JoinError, join_parts};

use crate::conduct::{RunInputs, Targets, conduct_led};
use crate::context::{Ending, Interrupt};
use crate::sink::Sink;
use crate::watch::{StopRequest, WatchControl, conduct_watch};
use message::{Greeting, Order, Report, decode, encode};
use messages::sentence;
use model::{
    Caveat, ClockOffset, DatabaseUse, Nanos, Plan, Preflight, RankFacts, RankPart, RankPlan, RunEvent, Sample,
    Sentence, Target,
};
use monitor::samplers::Subjects;
use std::path::PathBuf;
#[cfg(any(feature = "mpi", feature = "test-support"))]
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::{Clock, RunClock};
use sys::{FileTypeExt, MetadataExt};
use watch::{FollowWatch, LeadWatch};

/// Nothing is heard of a rank for so long: it is gone, or the network to it is.
pub const SILENCE: Duration = Duration::from_secs(6);
/// So long a rank may look at its targets before it says what it would do, if it does not ask for more.
const LOOKING: Duration = Duration::from_secs(120);

/// A watch begins so much later than rank 0 says so: others open their counters meanwhile.
const WATCHES_IN: Nanos = Nanos::from_millis(300);

/// How ranks speak with each other: messages arrive whole, and in the order of each sender. Nothing here waits for the other end.
pub trait Link: Send + Sync {
    /// Which of the ranks this is, from 0.
    fn rank(&self) -> usize;
    /// How many there are.
    fn size(&self) -> usize;
    /// Sends; returns at once.
    fn send(&self, to: usize, message: Vec<u8>);
    /// The next message and its sender, if one comes within `wait`.
    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)>;
    /// How long nothing was heard of a rank. Links themselves say often that they are there.
    fn silent(&self, rank: usize) -> Duration;
    /// Compares clocks; all ranks call it at the same point of their work. Rank 0 gets the offsets of all clocks to its own, by rank;
    /// the others their own alone.
    fn compare_clocks(&self, clock: RunClock) -> Vec<ClockOffset>;
    /// Takes leave of the others, if that is done within `wait`.
    fn leave(&self, wait: Duration) -> bool;
}

/// The link of this build.
#[cfg(any(feature = "mpi", feature = "test-support"))]
pub type RankLink = Arc<dyn Link>;

/// The link of this build: none, so that nothing of what follows is in the program.
#[cfg(not(any(feature = "mpi", feature = "test-support")))]
pub type RankLink = NoLink;

/// A link there is none of.
#[cfg(not(any(feature = "mpi", feature = "test-support")))]
#[derive(Debug, Clone)]
pub enum NoLink {}

#[cfg(not(any(feature = "mpi", feature = "test-support")))]
impl std::ops::Deref for NoLink {
    type Target = dyn Link;

    fn deref(&self) -> &Self::Target {
        match *self {}
    }
}

/// Why a run on several ranks does not begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The exit code.
    pub code: i32,
    /// A sentence; `None` where rank 0 says it.
    pub text: Option<Sentence>,
}

/// What a rank did that is no run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// What the rank's targets are called by.
    pub host: String,
    /// The exit code it would have ended with.
    pub code: i32,
    /// What is to be said of it.
    pub lines: Vec<String>,
}

/// The ranks of this run, as one of them sees them.
pub struct Team {
    link: RankLink,
    clock: RunClock,
    /// What its targets are called by.
    name: String,
    /// The run's id.
    run: String,
    offsets: Vec<ClockOffset>,
    /// By rank; on rank 0 only.
    names: Vec<String>,
    joint: Option<Joint>,
    /// Which part of the run this rank is; on others than rank 0, once all have agreed.
    part: Option<RankPart>,
    /// The others were told to end.
    ended: bool,
    /// Leave was taken.
    left: bool,
    /// One of the others is gone.
    missed: bool,
    /// Rank 0 said that the run is over; it is there as long as it has not.
    dismissed: bool,
    /// So long the others are waited for before anything runs.
    patience: Duration,
    /// There is more to be done together after the run.
    stays: bool,
}

/// What all do together.
struct Joint {
    plan: Plan,
    preflight: Preflight,
}

impl Team {
    /// Meets the others: all have the same `version`, or none runs. The run's id is the one that rank 0 gives.
    ///
    /// # Errors
    /// A refusal, the same on all ranks, told by rank 0.
    pub fn join(link: RankLink, host: &str, version: &str, run: String, clock: RunClock) -> Result<Team, Refusal> {
        let offsets = link.compare_clocks(clock);
        let leads = link.rank() == 0;
        let clock = match offsets.first() {
            Some(own) if !leads => clock.advanced(own.offset.saturating_neg()),
            _ => clock,
        };
        let mut team = Team {
            link,
            clock,
            name: host.to_owned(),
            run,
            offsets,
            names: Vec::new(),
            joint: None,
            part: None,
            ended: false,
            left: false,
            missed: false,
            dismissed: false,
            patience: LOOKING,
            stays: false,
        };
        match team.greet(host, version) {
            Ok(()) => Ok(team),
            Err(refusal) => {
                // What was said goes out before this process ends.
                team.leave();
                Err(refusal)
            }
        }
    }

    /// Whether this is the rank that plans, judges and prints.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.link.rank() == 0
    }

    /// Which rank this is, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.link.rank()
    }

    /// What this rank's targets are called by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the targets of each rank are called by, rank 0's first; empty on other ranks.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The run's id, the same on all ranks.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Whether rank 0 has ended the run, so that what another rank kept by itself is not needed.
    #[must_use]
    pub fn is_dismissed(&self) -> bool {
        self.dismissed
    }

    /// Whether the others know that it is over, or are not there any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ended
    }

    /// Whether one of the others was not heard of any more during the run, so that it may still be at work: to rank 0 any of them, to
    /// the others rank 0.
    #[must_use]
    pub fn misses_any(&self) -> bool {
        if self.leads() { self.missed } else { self.part.is_some() && !self.dismissed }
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.link.size()
    }

    /// The clock that shows the same on all ranks.
    #[must_use]
    pub fn clock(&self) -> RunClock {
        self.clock
    }

    /// Tells host and version; learns what this rank is called.
    fn greet(&mut self, host: &str, version: &str) -> Result<(), Refusal> {
        if !self.leads() {
            let greeting = Greeting { host: host.to_owned(), version: version.to_owned() };
            self.report(&Report::Greeting(greeting));
            return match self.order(LOOKING) {
                Some(Order::Called { name, run }) => {
                    (self.name, self.run) = (name, run);
                    Ok(())
                }
                _ => Err(self.silently()),
            };
        }
        let mut greetings = vec![Greeting { host: host.to_owned(), version: version.to_owned() }];
        for (rank, report) in (1..).zip(self.one_of_each(LOOKING)?) {
            match report {
                Report::Greeting(greeting) => greetings.push(greeting),
                _ => return Err(self.refuse_all(1, sentence!("ranks-no-word", rank))),
            }
        }
        if let Some(other) = greetings.iter().find(|g| g.version != version) {
            let text =
                sentence!("ranks-versions", host = &other.host, theirs = &other.version, ours = version.to_owned());
            return Err(self.refuse_all(3, text));
        }
        self.names = names(&greetings);
        self.name.clone_from(&self.names[0]);
        for rank in 1..self.size() {
            self.tell(rank, &Order::Called { name: self.names[rank].clone(), run: self.run.clone() });
        }
        Ok(())
    }

    /// Tells all ranks a word of each, by rank: what they are to know of each other before they plan. All of them call it at the same
    /// point of their work, and go on together.
    ///
    /// # Errors
    /// A refusal, the same on all ranks, told by rank 0, where one of them refuses.
    pub fn exchange(&mut self, word: &str) -> Result<Vec<String>, Refusal> {
        if !self.leads() {
            self.report(&Report::Word(word.to_owned()));
            return match self.order(self.patience) {
                Some(Order::Words(words)) => Ok(words),
                _ => Err(self.silently()),
            };
        }
        let mut words = vec![word.to_owned()];
        for (rank, report) in (1..).zip(self.one_of_each(self.patience)?) {
            match report {
                Report::Word(theirs) => words.push(theirs),
                other => return Err(self.refused_by(rank, other)),
            }
        }
        (1..self.size()).for_each(|rank| self.tell(rank, &Order::Words(words.clone())));
        Ok(words)
    }

    /// What a rank said instead of what it was asked.
    fn refused_by(&mut self, rank: usize, report: Report) -> Refusal {
        match report {
            Report::Refused { code, text } => {
                let text = sentence!("ranks-on-host", host = &self.names[rank], what = text);
                self.refuse_all(code, text)
            }
            _ => self.refuse_all(1, sentence!("ranks-no-word", rank)),
        }
    }

    /// What has to be looked at takes this long at most: a database is started for it. All ranks say the same; one that is gone is missed
    /// before.
    pub fn wait_at_most(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// What follows the run is done together, too, and told by [`Team::gather`]: leave is taken behind that.
    pub fn stay(&mut self) {
        self.stays = true;
    }

    /// Tells rank 0 what was done here that is no run; on rank 0 what all did, its own first. Nothing may follow it.
    ///
    /// # Errors
    /// When one of them is gone.
    pub fn gather(&mut self, code: i32, lines: Vec<String>) -> Result<Vec<Done>, Refusal> {
        if !self.leads() {
            self.report(&Report::Did { code, lines });
            // Whoever goes without the others ends them.
            let _ = self.order(self.patience);
            return Ok(Vec::new());
        }
        let mut all = vec![Done { host: self.name.clone(), code, lines }];
        all.extend(self.hear_all()?);
        self.end_all();
        Ok(all)
    }

    /// What each of the others did.
    fn hear_all(&mut self) -> Result<Vec<Done>, Refusal> {
        let mut heard = Vec::new();
        for (rank, report) in (1..).zip(self.one_of_each(self.patience)?) {
            let (code, lines) = match report {
                Report::Did { code, lines } => (code, lines),
                Report::Refused { code, text } => (code, vec![text]),
                Report::Failed(_, text) => (4, vec![text.to_string()]),
                _ => return Err(self.refuse_all(1, sentence!("ranks-no-word", rank))),
            };
            heard.push(Done { host: self.names[rank].clone(), code, lines });
        }
        Ok(heard)
    }

    /// Puts together what every rank would do; nothing was opened yet. Where one of them cannot, all end.
    ///
    /// # Errors
    /// A refusal, the same on all ranks, told by rank 0.
    pub fn agree(&mut self, plan: &Plan, preflight: &Preflight) -> Result<(), Refusal> {
        let facts = RankFacts {
            name: self.name.clone(),
            host: preflight.host.clone(),
            clock: self.offsets.first().copied().unwrap_or_default(),
            targets: plan.targets.len().max(1),
        };
        let own = RankPlan { facts, plan: plan.clone(), preflight: preflight.clone(), files: files_of(plan) };
        if !self.leads() {
            let (run, rank, ranks) = (self.run.clone(), self.rank(), self.size());
            let part = RankPart { run, rank, ranks, facts: own.facts.clone() };
            self.report(&Report::Plan(Box::new(own)));
            return match self.order(self.patience) {
                Some(Order::Agreed) => {
                    self.part = Some(part);
                    Ok(())
                }
                _ => Err(self.silently()),
            };
        }
        let mut ranks = vec![own];
        for (rank, report) in (1..).zip(self.one_of_each(self.patience)?) {
            match report {
                Report::Plan(theirs) => ranks.push(*theirs),
                other => return Err(self.refused_by(rank, other)),
            }
        }
        for (rank, offset) in self.offsets.iter().enumerate() {
            if let Some(other) = ranks.get_mut(rank) {
                other.facts.clock = *offset;
            }
        }
        if let Some((a, b, path)) = same_database(&ranks) {
            let text = sentence!("ranks-same-database", a = &self.names[a], b = &self.names[b], path);
            return Err(self.refuse_all(3, text));
        }
        if let Some((a, b, path)) = same_file(&ranks) {
            let text = sentence!("ranks-same-file", a = &self.names[a], b = &self.names[b], path, word = "$rank");
            return Err(self.refuse_all(3, text));
        }
        let (Some(plan), Some(preflight)) = (Plan::of_ranks(&ranks), Preflight::of_ranks(&ranks)) else {
            return Err(self.refuse_all(3, sentence!("ranks-plans-differ")));
        };
        let mut names: Vec<&str> = plan.targets.iter().map(|t| t.name.as_str()).collect();
        names.extend(plan.watch.iter().flat_map(|watch| watch.names()));
        let unknown = |l: &model::Limit| l.on.iter().find(|on| !names.contains(&on.as_str())).cloned();
        if let Some((limit, on)) = plan.limits.iter().find_map(|l| Some((l, unknown(l)?))) {
            let text = sentence!("ranks-limit-on", limit = limit.to_string(), on, names = names.join(", "));
            return Err(self.refuse_all(64, text));
        }
        self.joint = Some(Joint { plan, preflight });
        (1..self.size()).for_each(|rank| self.tell(rank, &Order::Agreed));
        Ok(())
    }

    /// The plan of all, on rank 0, from when it was agreed on until it runs.
    #[must_use]
    pub fn agreed(&self) -> Option<&Plan> {
        self.joint.as_ref().map(|joint| &joint.plan)
    }

    /// Says that this rank cannot take part, before anything runs. What is to be said here is in the refusal: rank 0 speaks for
    /// all.
    pub fn refuse(&mut self, code: i32, text: &str) -> Refusal {
        if self.leads() {
            return self.refuse_all(code, text.to_owned().into());
        }
        self.report(&Report::Refused { code, text: text.to_owned() });
        let _ = self.order(LOOKING);
        self.silently()
    }

    /// Runs what was agreed on to its end.
    pub fn conduct(
        &mut self,
        inputs: &RunInputs<'_>,
        targets: Targets<'_, '_>,
        sink: &mut dyn Sink,
        interrupt: &Interrupt,
    ) -> Ending {
        if !self.leads() {
            let preflight = Preflight { part: self.part.clone(), ..inputs.preflight.clone() };
            let inputs = RunInputs { preflight: &preflight, ..*inputs };
            let (ending, dismissed) = follow::follow(&self.link, self.clock, &inputs, targets, sink, interrupt);
            (self.ended, self.dismissed) = (true, dismissed);
            if !self.stays {
                self.leave();
            }
            return ending;
        }
        let Some(joint) = self.joint.take() else { return Ending::failed(sentence!("ranks-plans-differ")) };
        let mut leader = Leader::new(self.link.clone(), &joint.preflight.ranks);
        let together = (&joint.plan, &joint.preflight);
        let ending = conduct_led(self.clock, inputs, targets, sink, interrupt, Some((&mut leader, together)));
        leader.end();
        (self.ended, self.missed) = (true, leader.missed_any());
        // Nothing of what follows, which may take seconds, is the others'.
        if !self.stays {
            self.leave();
        }
        ending
    }

    /// Watches until its end: every rank its own, beginning at one moment. Rank 0's sink is told of all.
    pub fn conduct_watch(
        &mut self,
        inputs: &RunInputs<'_>,
        subjects: Subjects,
        interrupt: &Interrupt,
        sink: &mut (impl Sink + StopRequest),
    ) -> Ending {
        let clock = self.clock;
        let interval = inputs.plan.watch.as_deref().map(|w| w.interval).unwrap_or_default();
        let around = |begin, told| WatchControl { command: None, interrupt, tap: None, together: Some((begin, told)) };
        let RunInputs { plan, preflight, identity, caveats } = *inputs;
        if !self.leads() {
            let link = self.link.clone();
            let mut seen = FollowWatch { link, own: sink, finish: false, over: false, dismissed: false };
            let begin = loop {
                let begin = seen.listen(Duration::from_millis(20));
                seen.own.wants_stop(Nanos(0));
                if begin.is_some() || seen.finish || interrupt.asked() {
                    break begin.unwrap_or_default();
                }
            };
            // Rank 0 says when it is over.
            let mut own = plan.clone();
            own.watch.iter_mut().for_each(|watch| watch.length = None);
            let kept = Preflight { part: self.part.clone(), ..preflight.clone() };
            let around = around(begin, (plan, &kept));
            let ending = conduct_watch(&clock, &own, preflight, identity, caveats, subjects, around, &mut seen);
            (self.ended, self.dismissed) = (true, seen.finish(&ending));
            self.leave();
            return ending;
        }
        let Some(joint) = self.joint.take() else { return Ending::failed(sentence!("ranks-plans-differ")) };
        let leader = Leader::new(self.link.clone(), &joint.preflight.ranks);
        let begin = Nanos(clock.now().saturating_add(WATCHES_IN.as_nanos()));
        leader.begin_at(begin);
        let mut seen = LeadWatch::new(leader, self.names.clone(), (clock, interval), interrupt, sink);
        let around = around(begin, (&joint.plan, &joint.preflight));
        let ending = conduct_watch(&clock, plan, preflight, identity, caveats, subjects, around, &mut seen);
        let (ending, leader) = seen.ended(ending);
        leader.end();
        (self.ended, self.missed) = (true, leader.missed_any());
        self.leave();
        ending
    }

    /// Takes leave, once. A rank that is gone is not waited for.
    pub fn leave(&mut self) {
        if self.leads() && !self.ended {
            self.end_all();
        }
        self.ended = true;
        if !std::mem::replace(&mut self.left, true) {
            // Rank 0 has to go on; the others wait for it, as all are ended with the first that goes without leave.
            let wait = match (self.leads(), self.missed) {
                (false, _) => 30,
                (true, false) => 5,
                (true, true) => 1,
            };
            self.link.leave(Duration::from_secs(wait));
        }
    }

    fn silently(&mut self) -> Refusal {
        self.ended = true;
        Refusal { code: 0, text: None }
    }

    /// One sentence for all: the others end without a word.
    fn refuse_all(&mut self, code: i32, text: Sentence) -> Refusal {
        self.end_all();
        Refusal { code, text: Some(text) }
    }

    fn end_all(&mut self) {
        self.ended = true;
        (1..self.size()).for_each(|rank| self.tell(rank, &Order::End));
    }

    fn tell(&self, rank: usize, order: &Order) {
        self.link.send(rank, encode(order));
    }

    fn report(&self, report: &Report) {
        self.link.send(0, encode(&[report]));
    }

    /// The next order, if one comes in time.
    fn order(&self, wait: Duration) -> Option<Order> {
        let until = Instant::now() + wait;
        while Instant::now() < until && self.link.silent(0) < SILENCE {
            if let Some((_, bytes)) = self.link.receive(Duration::from_millis(100)) {
                return decode(&bytes);
            }
        }
        None
    }

    /// A report of each other rank, by rank from 1 on.
    fn one_of_each(&mut self, wait: Duration) -> Result<Vec<Report>, Refusal> {
        let until = Instant::now() + wait;
        let mut heard: Vec<Option<Report>> = (1..self.size()).map(|_| None).collect();
        while let Some(missing) = heard.iter().position(Option::is_none) {
            let rank = missing + 1;
            if Instant::now() > until || self.link.silent(rank) > SILENCE {
                let called = self.names.get(rank).cloned().unwrap_or_else(|| rank.to_string());
                return Err(self.refuse_all(5, sentence!("ranks-silent", host = called)));
            }
            if let Some((from, bytes)) = self.link.receive(Duration::from_millis(100)) {
                let reports: Vec<Report> = decode(&bytes).unwrap_or_default();
                let slot = from.checked_sub(1).and_then(|at| heard.get_mut(at));
                if let (Some(slot), Some(report)) = (slot, reports.into_iter().next()) {
                    slot.get_or_insert(report);
                }
            }
        }
        Ok(heard.into_iter().flatten().collect())
    }
}

/// An event of a rank with its name, where what it tells is of a host.
fn named_by(host: &str, event: RunEvent) -> RunEvent {
    match event {
        RunEvent::Note { at, text } => {
            RunEvent::Note { at, text: sentence!("ranks-on-host", host, what = text.to_string()) }
        }
        RunEvent::Caveat(caveat) => RunEvent::Caveat(Caveat {
            evidence: sentence!("ranks-on-host", host, what = caveat.evidence.to_string()),
            ..caveat
        }),
        RunEvent::Samples { at, samples } => {
            let named = |s: Sample| Sample { name: format!("{host}/{}", s.name), ..s };
            RunEvent::Samples { at, samples: samples.into_iter().map(named).collect() }
        }
        other => other,
    }
}

/// What a rank knows of its database, as it stands beside those of others.
fn database_of(host: &str, used: DatabaseUse) -> DatabaseUse {
    let mut used = DatabaseUse { host: host.to_owned(), ..used };
    if used.below.as_ref().is_some_and(|below| below.length.is_zero()) {
        // Nothing was counted yet, or not at all: that is no count of nothing.
        (used.below, used.roles, used.counters, used.mgstat) = (None, Vec::new(), Vec::new(), Vec::new());
    }
    used
}

/// What ranks are called: by their hosts, with the rank where several have one host.
fn names(greetings: &[Greeting]) -> Vec<String> {
    let several = |host: &str| greetings.iter().filter(|g| g.host == host).count() > 1;
    let name =
        |(rank, g): (usize, &Greeting)| if several(&g.host) { format!("{}:{rank}", g.host) } else { g.host.clone() };
    greetings.iter().enumerate().map(name).collect()
}

/// Two ranks of one host that would drive one database, by rank, and where it is.
fn same_database(ranks: &[RankPlan]) -> Option<(usize, usize, String)> {
    let place = |r: &RankPlan| (r.plan.command == "db").then(|| r.plan.target.path.clone());
    (0..ranks.len()).find_map(|b| {
        let path = place(&ranks[b])?;
        let one_host = |a: &usize| ranks[*a].facts.host.hostname == ranks[b].facts.host.hostname;
        let a = (0..b).filter(one_host).find(|a| place(&ranks[*a]).as_ref() == Some(&path))?;
        Some((a, b, path.display().to_string()))
    })
}

/// The local files and devices of a plan that are there, by what the kernel knows them by.
fn files_of(plan: &Plan) -> Vec<(PathBuf, (u64, u64))> {
    let mut files: Vec<(PathBuf, (u64, u64))> = Vec::new();
    for target in plan.stages.iter().flat_map(|s| s.job.targets()).filter(|t| t.kind.is_local()) {
        if files.iter().any(|(path, _)| *path == target.path) {
            continue;
        }
        // Nodes of a device may be several.
        let known = |m: sys::Metadata| {
            if m.file_type().is_block_device() { (u64::MAX, m.rdev()) } else { (m.dev(), m.ino()) }
        };
        files.extend(sys::metadata(&target.path).ok().map(|m| (target.path.clone(), known(m))));
    }
    files
}

/// Two ranks of one host that would write one file, whatever it is called, by rank, and its path.
fn same_file(ranks: &[RankPlan]) -> Option<(usize, usize, String)> {
    let written = |r: &RankPlan| -> Vec<Target> {
        let writes = r.plan.stages.iter().filter(|s| s.job.workload.mix.writes() && s.job.target.kind.is_local());
        // Those that take turns by blocks, as they were told to, leave the others' out.
        let apart = writes.filter(|s| s.job.workload.detail.stride <= 0);
        apart.flat_map(|s| s.job.targets().cloned().collect::<Vec<_>>()).collect()
    };
    let end = |t: &Target| t.offset.as_u64().saturating_add(t.size.as_u64());
    let known = |rank: usize, t: &Target| ranks[rank].files.iter().find(|(path, _)| *path == t.path).map(|(_, id)| *id);
    let same = |(a, own): (usize, &Target), (b, other): (usize, &Target)| {
        own.path == other.path || known(a, own).is_some_and(|id| known(b, other) == Some(id))
    };
    let meet = |a: (usize, &Target), b: (usize, &Target)| {
        same(a, b) && a.1.offset.as_u64() < end(b.1) && b.1.offset.as_u64() < end(a.1)
    };
    let all: Vec<_> = ranks.iter().map(written).collect();
    for (b, theirs) in all.iter().enumerate() {
        for (a, ours) in all[..b].iter().enumerate() {
            let one_host = ranks[a].facts.host.hostname == ranks[b].facts.host.hostname;
            let met = |own: &&Target| one_host && theirs.iter().any(|other| meet((a, own), (b, other)));
            if let Some(own) = ours.iter().find(met) {
                return Some((a, b, own.path.display().to_string()));
            }
        }
    }
    None
}
