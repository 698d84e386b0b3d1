//! Runs on many hosts, with one process on each, called a *rank* as in MPI.
//!
//! Rank 0 leads: it plans, conducts, judges and stores (`lead.rs`). The others follow: each receives its part of every
//! wave from rank 0, runs it with the same executor, and reports the same events as a single run (`follow.rs`). Ranks
//! communicate over a [`Link`] on the thread that collects results, so load threads are not affected.
//!
//! The order of steps: [`Team::join`] compares versions and clocks. Each rank inspects its own targets without opening
//! them, and may inform the others ([`Team::exchange`]). [`Team::agree`] combines all plans, or ends all ranks if one
//! refuses. [`Team::conduct`] runs them. If rank 0 was lost, [`join_parts`] combines the runs that the other ranks
//! stored.

#![cfg_attr(
    not(any(feature = "mpi", feature = "test-support")),
    allow(unreachable_code, unused_mut, unused_variables, reason = "a build without MPI has no other ranks")
)]

mod follow;
#[cfg(any(feature = "mpi", test))]
mod fragments;
mod joint;
mod lead;
mod message;
#[cfg(feature = "mpi")]
pub mod mpi;
mod parts;
mod watch;

pub use parts::{JoinError, join_parts};

use crate::conduct::{RunInputs, Targets, conduct_with};
use crate::context::{Ending, Interrupt};
use crate::sink::Sink;
use crate::watch::{StopRequest, WatchControl, watch_with};
use joint::{RankPlan, joint_plan, joint_preflight};
use lead::Leader;
use message::{Greeting, Order, Report, decode, encode};
use messages::sentence;
use model::measured::{DatabaseUse, Sample};
use model::record::{ClockOffset, Preflight, RankFacts, RankPart};
use model::{Caveat, Nanos, Plan, RunEvent, RunKind, Sentence, Target};
use monitor::samplers::Subjects;
use std::path::PathBuf;
#[cfg(any(feature = "mpi", feature = "test-support"))]
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::clock::{Clock, RunClock};
use sys::files::{FileTypeExt, MetadataExt};
use watch::{FollowWatch, LeadWatch};

/// Time without messages after which a rank counts as lost.
pub const SILENCE: Duration = Duration::from_secs(6);
/// Maximum time for a rank to inspect its targets before it reports its plan, unless it requests more time.
const LOOKING: Duration = Duration::from_secs(120);

/// Time between the announcement of a watch's start and the start. Other ranks open their counters in this time.
const WATCHES_IN: Nanos = Nanos::from_millis(300);

/// Communication between ranks: messages arrive complete, and those of one sender arrive in order. No method waits for
/// the receiver.
pub trait Link: Send + Sync {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;
    /// Returns the number of ranks.
    fn size(&self) -> usize;
    /// Sends a message without blocking.
    fn send(&self, to: usize, message: Vec<u8>);
    /// Returns the next message and its sender, if one arrives within `wait`.
    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)>;
    /// Returns the time since the last message from a rank. Links send heartbeats at regular intervals.
    fn silent(&self, rank: usize) -> Duration;
    /// Compares the clocks; all ranks call this at the same point of their work. Rank 0 receives the offsets of all
    /// clocks from its own clock, by rank; the others receive only their own offset.
    fn compare_clocks(&self, clock: RunClock) -> Vec<ClockOffset>;
    /// Disconnects from the other ranks; returns `true` if that completes within `wait`.
    fn leave(&self, wait: Duration) -> bool;
}

/// Link of this build.
#[cfg(any(feature = "mpi", feature = "test-support"))]
pub type RankLink = Arc<dyn Link>;

/// Link of builds without MPI: a type without values, so that the code for ranks is not compiled into the program.
#[cfg(not(any(feature = "mpi", feature = "test-support")))]
pub type RankLink = NoLink;

/// Placeholder for a link in builds without one.
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

/// Reason why a run on several ranks does not begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Exit code.
    pub code: i32,
    /// Sentence for the user; `None` if rank 0 prints it.
    pub text: Option<Sentence>,
}

/// Result of a rank's work other than a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Name of the rank's targets.
    pub host: String,
    /// Exit code that the rank would have ended with.
    pub code: i32,
    /// Lines to print about it.
    pub lines: Vec<String>,
}

/// One rank's view of the ranks of a run.
pub struct Team {
    link: RankLink,
    clock: RunClock,
    /// Name of this rank's targets.
    name: String,
    /// Id of the run.
    run: String,
    offsets: Vec<ClockOffset>,
    /// Names of all ranks, only on rank 0.
    names: Vec<String>,
    joint: Option<Joint>,
    /// This rank's part of the run; set only on ranks other than 0, after all have agreed.
    part: Option<RankPart>,
    /// True if rank 0 ordered the other ranks to end.
    ended: bool,
    /// True if this rank has disconnected.
    left: bool,
    /// True if another rank was lost.
    missed: bool,
    /// True if rank 0 announced the end of the run, so that it may exit from then on.
    dismissed: bool,
    /// Maximum time to wait for the other ranks before a run.
    patience: Duration,
    /// True if the ranks stay connected after the run.
    stays: bool,
}

/// Common plan and facts of all ranks.
struct Joint {
    plan: Plan,
    preflight: Preflight,
}

impl Team {
    /// Connects to the other ranks. All must have the same `version`; otherwise none of them runs. The id of the run is
    /// that of rank 0.
    ///
    /// # Errors
    /// Returns a refusal on all ranks; rank 0 prints it.
    pub fn join(link: RankLink, host: &str, version: &str, run: String, clock: RunClock) -> Result<Team, Refusal> {
        let offsets = link.compare_clocks(clock);
        let leads = link.rank() == 0;
        let clock = match offsets.first() {
            Some(offset) if !leads => clock.advanced(offset.offset.saturating_neg()),
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
            Ok(()) => {
                tracing::info!(rank = team.rank(), size = team.size(), names = ?team.names, "joined the other ranks");
                Ok(team)
            }
            Err(refusal) => {
                // Send the pending messages before this process ends.
                team.leave();
                Err(refusal)
            }
        }
    }

    /// Returns `true` if this rank plans, judges and prints.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.link.rank() == 0
    }

    /// Returns the number of this rank, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.link.rank()
    }

    /// Returns the name of this rank's targets.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of all ranks' targets, rank 0 first; empty on other ranks.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the run's id, the same on all ranks.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns `true` if rank 0 has ended the run, so that the records stored by other ranks are not needed.
    #[must_use]
    pub fn is_dismissed(&self) -> bool {
        self.dismissed
    }

    /// Returns `true` if the other ranks know that the run is over, or are lost.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ended
    }

    /// Returns `true` if another rank was lost during the run, so that it may still be working. Rank 0 checks all
    /// ranks; the others check only rank 0.
    #[must_use]
    pub fn misses_any(&self) -> bool {
        if self.leads() { self.missed } else { self.part.is_some() && !self.dismissed }
    }

    /// Returns the number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.link.size()
    }

    /// Returns the clock that is synchronized across all ranks.
    #[must_use]
    pub fn clock(&self) -> RunClock {
        self.clock
    }

    /// Sends host and version, and receives the name of this rank.
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
            self.send_order(rank, &Order::Called { name: self.names[rank].clone(), run: self.run.clone() });
        }
        Ok(())
    }

    /// Sends the text `word` of each rank to all ranks, for information that they need before they plan. Returns the
    /// texts by rank. All ranks call this at the same point of their work.
    ///
    /// # Errors
    /// Returns a refusal on all ranks if one of them refuses; rank 0 prints it.
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
                Report::Word(reported) => words.push(reported),
                other => return Err(self.refused_by(rank, other)),
            }
        }
        (1..self.size()).for_each(|rank| self.send_order(rank, &Order::Words(words.clone())));
        Ok(words)
    }

    /// Returns the refusal for a refusing or unexpected report of a rank.
    fn refused_by(&mut self, rank: usize, report: Report) -> Refusal {
        match report {
            Report::Refused { code, text } => {
                let text = sentence!("ranks-on-host", host = &self.names[rank], what = text);
                self.refuse_all(code, text)
            }
            _ => self.refuse_all(1, sentence!("ranks-no-word", rank)),
        }
    }

    /// Sets the maximum time for the inspection of targets, for example because a database has to start. All ranks must
    /// set the same value; a lost rank is detected earlier.
    pub fn wait_at_most(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Keeps the ranks connected after the run, until [`Team::gather`].
    pub fn stay(&mut self) {
        self.stays = true;
    }

    /// Reports the result of work other than a run to rank 0. On rank 0, returns the results of all ranks, its own
    /// first. No other method may be called afterwards.
    ///
    /// # Errors
    /// Returns an error if a rank is lost.
    pub fn gather(&mut self, code: i32, lines: Vec<String>) -> Result<Vec<Done>, Refusal> {
        if !self.leads() {
            self.report(&Report::Did { code, lines });
            // Wait for the order to end: MPI ends all ranks if one exits early.
            let _ = self.order(self.patience);
            return Ok(Vec::new());
        }
        let mut results = vec![Done { host: self.name.clone(), code, lines }];
        results.extend(self.hear_all()?);
        self.end_all();
        Ok(results)
    }

    /// Returns the results of the other ranks.
    fn hear_all(&mut self) -> Result<Vec<Done>, Refusal> {
        let mut heard = Vec::new();
        for (rank, report) in (1..).zip(self.one_of_each(self.patience)?) {
            let (code, lines) = match report {
                Report::Did { code, lines } => (code, lines),
                Report::Refused { code, text } => (code, vec![text]),
                Report::Failed(stop) => (4, vec![stop.to_string()]),
                _ => return Err(self.refuse_all(1, sentence!("ranks-no-word", rank))),
            };
            heard.push(Done { host: self.names[rank].clone(), code, lines });
        }
        Ok(heard)
    }

    /// Combines the plans of all ranks; nothing was opened yet. If one rank cannot take part, all ranks end.
    ///
    /// # Errors
    /// Returns a refusal on all ranks; rank 0 prints it.
    pub fn agree(&mut self, plan: &Plan, preflight: &Preflight) -> Result<(), Refusal> {
        let facts = RankFacts {
            name: self.name.clone(),
            host: preflight.host.clone(),
            clock: self.offsets.first().copied().unwrap_or_default(),
            targets: plan.targets.len().max(1),
        };
        let own_plan = RankPlan { facts, plan: plan.clone(), preflight: preflight.clone(), files: files_of(plan) };
        if !self.leads() {
            let (run, rank, ranks) = (self.run.clone(), self.rank(), self.size());
            let part = RankPart { run, rank, ranks, facts: own_plan.facts.clone() };
            self.report(&Report::Plan(Box::new(own_plan)));
            return match self.order(self.patience) {
                Some(Order::Agreed) => {
                    self.part = Some(part);
                    Ok(())
                }
                _ => Err(self.silently()),
            };
        }
        let mut ranks = vec![own_plan];
        for (rank, report) in (1..).zip(self.one_of_each(self.patience)?) {
            match report {
                Report::Plan(reported) => ranks.push(*reported),
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
        let (Some(plan), Some(preflight)) = (joint_plan(&ranks), joint_preflight(&ranks)) else {
            return Err(self.refuse_all(3, sentence!("ranks-plans-differ")));
        };
        let mut names: Vec<&str> = plan.targets.iter().map(|t| t.name.as_str()).collect();
        names.extend(plan.watch().into_iter().flat_map(|watch| watch.names()));
        let unknown = |l: &model::Limit| l.on.iter().find(|on| !names.contains(&on.as_str())).cloned();
        if let Some((limit, on)) = plan.limits.iter().find_map(|l| Some((l, unknown(l)?))) {
            let text = sentence!("ranks-limit-on", limit = limit.to_string(), on, names = names.join(", "));
            return Err(self.refuse_all(64, text));
        }
        self.joint = Some(Joint { plan, preflight });
        (1..self.size()).for_each(|rank| self.send_order(rank, &Order::Agreed));
        Ok(())
    }

    /// Returns the common plan. It exists only on rank 0, between the agreement and the run.
    #[must_use]
    pub fn agreed(&self) -> Option<&Plan> {
        self.joint.as_ref().map(|joint| &joint.plan)
    }

    /// Announces that this rank cannot take part, before anything runs. The refusal contains the text that this rank
    /// must print, if any; rank 0 prints the text for all ranks.
    pub fn refuse(&mut self, code: i32, text: &str) -> Refusal {
        if self.leads() {
            return self.refuse_all(code, text.to_owned().into());
        }
        self.report(&Report::Refused { code, text: text.to_owned() });
        let _ = self.order(LOOKING);
        self.silently()
    }

    /// Runs the common plan until it ends.
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
        let mut leader = Leader::new(self.link.clone(), &joint.plan, &joint.preflight.ranks);
        let common = RunInputs { plan: &joint.plan, preflight: &joint.preflight, ..*inputs };
        let ending = conduct_with(self.clock, inputs, &common, targets, sink, interrupt, &mut leader);
        leader.end();
        (self.ended, self.missed) = (true, leader.missed_any());
        // Rank 0 does not need the other ranks for the rest of its work, which may take seconds.
        if !self.stays {
            self.leave();
        }
        ending
    }

    /// Runs a watch that starts on all ranks at the same time. Every rank watches its own subjects. Rank 0's sink
    /// receives the events of all ranks.
    pub fn conduct_watch(
        &mut self,
        inputs: &RunInputs<'_>,
        subjects: Subjects,
        interrupt: &Interrupt,
        sink: &mut (impl Sink + StopRequest),
    ) -> Ending {
        let clock = self.clock;
        let interval = inputs.plan.watch().map(|w| w.interval).unwrap_or_default();
        let around = WatchControl { command: None, interrupt, tap: None };
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
            // Rank 0 decides when the watch is over.
            let mut endless = inputs.plan.clone();
            endless.watch_mut().into_iter().for_each(|watch| watch.length = None);
            let part = Preflight { part: self.part.clone(), ..inputs.preflight.clone() };
            let recorded = RunInputs { preflight: &part, ..*inputs };
            let inputs = RunInputs { plan: &endless, ..*inputs };
            let ending = watch_with(&clock, &inputs, &recorded, Some(begin), subjects, around, &mut seen);
            (self.ended, self.dismissed) = (true, seen.finish(&ending));
            self.leave();
            return ending;
        }
        let Some(joint) = self.joint.take() else { return Ending::failed(sentence!("ranks-plans-differ")) };
        let leader = Leader::new(self.link.clone(), &joint.plan, &joint.preflight.ranks);
        let begin = Nanos(clock.now().saturating_add(WATCHES_IN.as_nanos()));
        leader.begin_at(begin);
        let mut seen = LeadWatch::new(leader, self.names.clone(), (clock, interval), interrupt, sink);
        let common = RunInputs { plan: &joint.plan, preflight: &joint.preflight, ..*inputs };
        let ending = watch_with(&clock, inputs, &common, Some(begin), subjects, around, &mut seen);
        let (ending, leader) = seen.ended(ending);
        leader.end();
        (self.ended, self.missed) = (true, leader.missed_any());
        self.leave();
        ending
    }

    /// Disconnects. Later calls do nothing. Does not wait long for a lost rank.
    pub fn leave(&mut self) {
        if self.leads() && !self.ended {
            self.end_all();
        }
        self.ended = true;
        if !std::mem::replace(&mut self.left, true) {
            // Rank 0 must continue soon. The others wait longer, because MPI ends all ranks as soon as one exits
            // without disconnecting.
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

    /// Ends all ranks. Rank 0 prints one sentence for all of them; the others print nothing.
    fn refuse_all(&mut self, code: i32, text: Sentence) -> Refusal {
        self.end_all();
        Refusal { code, text: Some(text) }
    }

    fn end_all(&mut self) {
        self.ended = true;
        (1..self.size()).for_each(|rank| self.send_order(rank, &Order::End));
    }

    fn send_order(&self, rank: usize, order: &Order) {
        self.link.send(rank, encode(order));
    }

    fn report(&self, report: &Report) {
        self.link.send(0, encode(&[report]));
    }

    /// Returns the next order, if one arrives in time.
    fn order(&self, wait: Duration) -> Option<Order> {
        let until = Instant::now() + wait;
        while Instant::now() < until && self.link.silent(0) < SILENCE {
            if let Some((_, bytes)) = self.link.receive(Duration::from_millis(100)) {
                return decode(&bytes);
            }
        }
        None
    }

    /// Returns one report from each other rank, in the order of ranks from 1.
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

/// Adds a rank's name to an event that concerns its host.
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

/// Prepares a rank's database facts for the list of all ranks.
fn database_of(host: &str, used: DatabaseUse) -> DatabaseUse {
    let mut used = DatabaseUse { host: host.to_owned(), ..used };
    if used.below.as_ref().is_some_and(|below| below.length.is_zero()) {
        // Without a measured period, the counts are unknown rather than zero.
        (used.below, used.roles, used.counters, used.mgstat) = (None, Vec::new(), Vec::new(), Vec::new());
    }
    used
}

/// Returns the names of the ranks: their host names, followed by the number of the rank if several ranks are on one
/// host.
fn names(greetings: &[Greeting]) -> Vec<String> {
    let several = |host: &str| greetings.iter().filter(|g| g.host == host).count() > 1;
    let name =
        |(rank, g): (usize, &Greeting)| if several(&g.host) { format!("{}:{rank}", g.host) } else { g.host.clone() };
    greetings.iter().enumerate().map(name).collect()
}

/// Returns two ranks of one host that would use the same database, and the path of the database.
fn same_database(ranks: &[RankPlan]) -> Option<(usize, usize, String)> {
    let place = |r: &RankPlan| (r.plan.kind == RunKind::Database).then(|| r.plan.target.path.clone());
    (0..ranks.len()).find_map(|b| {
        let path = place(&ranks[b])?;
        let one_host = |a: &usize| ranks[*a].facts.host.hostname == ranks[b].facts.host.hostname;
        let a = (0..b).filter(one_host).find(|a| place(&ranks[*a]).as_ref() == Some(&path))?;
        Some((a, b, path.display().to_string()))
    })
}

/// Returns the existing local files and devices of a plan, each with the numbers that identify it in the kernel.
fn files_of(plan: &Plan) -> Vec<(PathBuf, (u64, u64))> {
    let mut files: Vec<(PathBuf, (u64, u64))> = Vec::new();
    for target in plan.stages.iter().flat_map(|s| s.job.targets()).filter(|t| t.kind.is_local()) {
        if files.iter().any(|(path, _)| *path == target.path) {
            continue;
        }
        // Several device nodes can refer to one device.
        let known = |m: sys::files::Metadata| {
            if m.file_type().is_block_device() { (u64::MAX, m.rdev()) } else { (m.dev(), m.ino()) }
        };
        files.extend(sys::files::metadata(&target.path).ok().map(|m| (target.path.clone(), known(m))));
    }
    files
}

/// Returns two ranks of one host that would write to the same part of a file, even under different names, and the path
/// of the file.
fn same_file(ranks: &[RankPlan]) -> Option<(usize, usize, String)> {
    let written = |r: &RankPlan| -> Vec<Target> {
        let writes = r.plan.stages.iter().filter(|s| s.job.workload.mix.writes() && s.job.target.kind.is_local());
        // Interleaved jobs skip the blocks of other ranks.
        let apart = writes.filter(|s| s.job.workload.detail.stride <= 0);
        apart.flat_map(|s| s.job.targets().cloned().collect::<Vec<_>>()).collect()
    };
    let end = |t: &Target| t.offset.as_u64().saturating_add(t.size.as_u64());
    let known = |rank: usize, t: &Target| ranks[rank].files.iter().find(|(path, _)| *path == t.path).map(|(_, id)| *id);
    let same = |(a, first): (usize, &Target), (b, second): (usize, &Target)| {
        first.path == second.path || known(a, first).is_some_and(|id| known(b, second) == Some(id))
    };
    let meet = |a: (usize, &Target), b: (usize, &Target)| {
        same(a, b) && a.1.offset.as_u64() < end(b.1) && b.1.offset.as_u64() < end(a.1)
    };
    let targets: Vec<_> = ranks.iter().map(written).collect();
    for (b, later) in targets.iter().enumerate() {
        for (a, earlier) in targets[..b].iter().enumerate() {
            let one_host = ranks[a].facts.host.hostname == ranks[b].facts.host.hostname;
            let met = |first: &&Target| one_host && later.iter().any(|second| meet((a, first), (b, second)));
            if let Some(target) = earlier.iter().find(met) {
                return Some((a, b, target.path.display().to_string()));
            }
        }
    }
    None
}
