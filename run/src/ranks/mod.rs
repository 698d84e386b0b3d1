//! Many hosts as one run: one process on each, a *rank* as in MPI.
//!
//! Rank 0 leads: it plans, conducts, judges and keeps (`lead.rs`). The others follow: each takes its part of every wave from rank 0,
//! runs it by the same executor, and tells of it by the very events a run alone would have (`follow.rs`). Nothing of this is on a
//! thread of load: ranks speak from the thread that collects, over a [`Link`].
//!
//! The order of things: [`Team::join`] compares versions and clocks; each rank looks at its own targets and opens nothing;
//! [`Team::agree`] puts all plans together, or ends all where one refuses; [`Team::conduct`] runs them. What ranks kept by themselves
//! where rank 0 was lost is put together by [`join_parts`].

mod follow;
mod lead;
mod message;
#[cfg(feature = "mpi")]
pub mod mpi;
mod parts;

pub(crate) use lead::{Away, Heard, Leader};
pub use parts::{JoinError, join_parts};

use crate::conduct::{RunInputs, Targets, conduct_led};
use crate::context::{Ending, Interrupt};
use crate::sink::Sink;
use message::{Greeting, Order, Report, Trouble, decode, encode};
use messages::sentence;
use model::{Caveat, ClockOffset, Plan, Preflight, RankFacts, RankPart, RankPlan, RunEvent, Sample, Sentence, Target};
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::RunClock;

/// Nothing is heard of a rank for so long: it is gone, or the network to it is.
pub const SILENCE: Duration = Duration::from_secs(6);
/// So long a rank may look at its targets before it says what it would do.
const LOOKING: Duration = Duration::from_secs(120);

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

/// Why a run on several ranks does not begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The exit code.
    pub code: i32,
    /// A sentence; `None` where rank 0 says it.
    pub text: Option<Sentence>,
}

/// The ranks of this run, as one of them sees them.
pub struct Team {
    link: Arc<dyn Link>,
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
    /// Rank 0 has ended the run, and has all of it.
    released: bool,
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
    pub fn join(link: Arc<dyn Link>, host: &str, version: &str, run: String, clock: RunClock) -> Result<Team, Refusal> {
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
            released: false,
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

    /// The run's id, the same on all ranks.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Whether rank 0 has ended the run, so that what another rank kept by itself is not needed.
    #[must_use]
    pub fn is_released(&self) -> bool {
        self.released
    }

    /// Whether the others know that it is over, or are not there any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ended
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
        let own = RankPlan { facts, plan: plan.clone(), preflight: preflight.clone() };
        if !self.leads() {
            let (run, rank, ranks) = (self.run.clone(), self.rank(), self.size());
            let part = RankPart { run, rank, ranks, facts: own.facts.clone() };
            self.report(&Report::Plan(Box::new(own)));
            return match self.order(LOOKING) {
                Some(Order::Agreed) => {
                    self.part = Some(part);
                    Ok(())
                }
                _ => Err(self.silently()),
            };
        }
        let mut ranks = vec![own];
        for (rank, report) in (1..).zip(self.one_of_each(LOOKING)?) {
            match report {
                Report::Plan(theirs) => ranks.push(*theirs),
                Report::Refused { code, text } => {
                    let text = sentence!("ranks-on-host", host = &self.names[rank], what = text);
                    return Err(self.refuse_all(code, text));
                }
                _ => return Err(self.refuse_all(1, sentence!("ranks-no-word", rank))),
            }
        }
        for (rank, offset) in self.offsets.iter().enumerate() {
            if let Some(other) = ranks.get_mut(rank) {
                other.facts.clock = *offset;
            }
        }
        if let Some((a, b, path)) = same_file(&ranks) {
            let text = sentence!("ranks-same-file", a = &self.names[a], b = &self.names[b], path, word = "$rank");
            return Err(self.refuse_all(3, text));
        }
        let (Some(plan), Some(preflight)) = (Plan::of_ranks(&ranks), Preflight::of_ranks(&ranks)) else {
            return Err(self.refuse_all(3, sentence!("ranks-plans-differ")));
        };
        let names: Vec<&str> = plan.targets.iter().map(|t| t.name.as_str()).collect();
        let unknown = |l: &model::Limit| l.on.iter().find(|on| !names.contains(&on.as_str())).cloned();
        if let Some((limit, on)) = plan.limits.iter().find_map(|l| Some((l, unknown(l)?))) {
            let text = sentence!("ranks-limit-on", limit = limit.to_string(), on, names = names.join(", "));
            return Err(self.refuse_all(64, text));
        }
        self.joint = Some(Joint { plan, preflight });
        (1..self.size()).for_each(|rank| self.tell(rank, &Order::Agreed));
        Ok(())
    }

    /// Says that this rank cannot take part, before anything runs. What is to be said here is in the refusal: rank 0 speaks for
    /// all.
    pub fn refuse(&mut self, code: i32, text: &str) -> Refusal {
        if self.leads() {
            return self.refuse_all(code, text.to_owned().into());
        }
        self.report(&match self.part.is_some() {
            true => Report::Failed(Trouble::Failed, text.to_owned().into()),
            false => Report::Refused { code, text: text.to_owned() },
        });
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
            let (ending, released) = follow::follow(&self.link, self.clock, &inputs, targets, sink, interrupt);
            (self.ended, self.released) = (true, released);
            self.leave();
            return ending;
        }
        let Some(joint) = self.joint.take() else { return Ending::failed(sentence!("ranks-plans-differ")) };
        let mut leader = Leader::new(Arc::clone(&self.link), &joint.preflight.ranks);
        let together = (&joint.plan, &joint.preflight);
        let ending = conduct_led(self.clock, inputs, targets, sink, interrupt, Some((&mut leader, together)));
        leader.end();
        (self.ended, self.missed) = (true, leader.missed_any());
        // Nothing of what follows, which may take seconds, is the others'.
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

/// An event of a rank that is not rank 0, with its name where what it tells is of a host.
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

/// What ranks are called: by their hosts, with the rank where several have one host.
fn names(greetings: &[Greeting]) -> Vec<String> {
    let several = |host: &str| greetings.iter().filter(|g| g.host == host).count() > 1;
    let name =
        |(rank, g): (usize, &Greeting)| if several(&g.host) { format!("{}:{rank}", g.host) } else { g.host.clone() };
    greetings.iter().enumerate().map(name).collect()
}

/// Two ranks of one host that would write one file, by rank, and its path.
fn same_file(ranks: &[RankPlan]) -> Option<(usize, usize, String)> {
    let written = |r: &RankPlan| -> Vec<Target> {
        let writes = r.plan.stages.iter().filter(|s| s.job.workload.mix.writes() && s.job.target.kind.is_local());
        // Those that take turns by blocks, as they were told to, leave the others' out.
        let apart = writes.filter(|s| s.job.workload.detail.stride <= 0);
        apart.flat_map(|s| s.job.targets().cloned().collect::<Vec<_>>()).collect()
    };
    let end = |t: &Target| t.offset.as_u64().saturating_add(t.size.as_u64());
    let meet = |a: &Target, b: &Target| a.path == b.path && a.offset.as_u64() < end(b) && b.offset.as_u64() < end(a);
    let all: Vec<_> = ranks.iter().map(written).collect();
    for (b, theirs) in all.iter().enumerate() {
        for (a, ours) in all[..b].iter().enumerate() {
            let one_host = ranks[a].facts.host.hostname == ranks[b].facts.host.hostname;
            let met = |own: &&Target| one_host && theirs.iter().any(|other| meet(own, other));
            if let Some(own) = ours.iter().find(met) {
                return Some((a, b, own.path.display().to_string()));
            }
        }
    }
    None
}
