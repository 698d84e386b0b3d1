//! A watch on many hosts: every rank looks at its own counters at the same moments of the run's clock, and rank 0 puts the looks of one
//! moment together. What is of a host bears its name (`host/vda`).

use super::lead::Leader;
use super::message::{Order, Report, Trouble, decode, encode};
use super::{RankLink, SILENCE, named_by};
use crate::context::{Ending, Interrupt};
use crate::sink::{Progress, Sink};
use crate::watch::StopRequest;
use model::CompactSort;
use model::{DiskUse, Nanos, RunEvent, RunState, Sample, name_on_host, sampled};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use sys::{Clock, RunClock};

/// So long the others are waited for when the watch is over. Whoever stops it by a signal waits less: launchers of MPI programs end
/// all processes a second later.
const LAST: Duration = Duration::from_secs(3);
const LAST_OF_SIGNAL: Duration = Duration::from_millis(400);
/// A look of rank 0 waits at most so long for those of the others.
const LATE: u64 = Nanos::from_secs(1).as_nanos();

/// Looks that wait to be put together.
struct Looks {
    /// Half the time between two.
    half: u64,
    /// By rank; rank 0's say which moments there are.
    of: Vec<VecDeque<Look>>,
}

/// One look: when, and what was seen.
pub(super) type Look = (Nanos, Vec<Sample>);

/// Looks that hosts kept by themselves, put together by moments, in the order of time. Which moments there are the first host says that still
/// looked, by looks with `sampler.` in their names: those of a later one bear its host's `names` before them, and are told twice then.
pub(super) fn put_together(interval: Nanos, kept: Vec<Vec<Look>>, names: &[String]) -> Vec<Look> {
    let mut looks = Looks { half: interval.as_nanos() / 2, of: kept.into_iter().map(VecDeque::from).collect() };
    let mut told = Vec::new();
    while let Some(base) = looks.of.iter().position(|of| !of.is_empty()) {
        looks.of.swap(0, base);
        let mut together = looks.matched(Nanos(u64::MAX), &|_| true, true);
        looks.of.swap(0, base);
        if base > 0 {
            let own = format!("{}/sampler.", names.get(base).map_or("", String::as_str));
            let unnamed =
                |s: &Sample| Some(Sample { name: format!("sampler.{}", s.name.strip_prefix(&own)?), ..s.clone() });
            for (_, samples) in &mut together {
                samples.extend(samples.iter().filter_map(unnamed).collect::<Vec<_>>());
            }
        }
        told.extend(together);
    }
    told.compact_sort_by_key(|(at, _)| *at);
    told
}

impl Looks {
    /// Everything that can be told now: looks of all, and those that have none of rank 0's beside them. With `last` nothing more comes.
    fn take(&mut self, now: Nanos, gone: &dyn Fn(usize) -> bool, last: bool) -> Vec<Look> {
        let mut told = self.matched(now, gone, last);
        if last {
            told.extend(self.of[1..].iter_mut().flat_map(std::mem::take));
        }
        told
    }

    /// Those that stand beside looks of the first, and what came too late for one.
    fn matched(&mut self, now: Nanos, gone: &dyn Fn(usize) -> bool, last: bool) -> Vec<Look> {
        let mut told = Vec::new();
        while let Some((at, _)) = self.of[0].front() {
            let (from, to) = (at.as_nanos().saturating_sub(self.half), at.as_nanos().saturating_add(self.half));
            let has = |rank: usize| self.of[rank].back().is_some_and(|(u, _)| u.as_nanos() > from);
            let all = (1..self.of.len()).all(|rank| has(rank) || gone(rank));
            if !(all || last || now.as_nanos() > at.as_nanos().saturating_add(LATE)) {
                break;
            }
            let Some((at, mut samples)) = self.of[0].pop_front() else { break };
            for looks in &mut self.of[1..] {
                while looks.front().is_some_and(|(u, _)| u.as_nanos() <= to) {
                    let Some((u, own)) = looks.pop_front() else { break };
                    // The nearest to it is its own; one that came too late for its moment stays by itself.
                    let next = looks.front().is_some_and(|(u, _)| u.as_nanos() <= to);
                    if next || u.as_nanos() <= from { told.push((u, own)) } else { samples.extend(own) }
                }
            }
            told.push((at, samples));
        }
        told
    }
}

/// Rank 0: what the others see beside what it sees itself.
pub(super) struct LeadWatch<'a, S> {
    leader: Leader,
    clock: RunClock,
    interrupt: &'a Interrupt,
    own: &'a mut S,
    names: Vec<String>,
    looks: Looks,
    /// By rank.
    disks: Vec<Vec<DiskUse>>,
    /// How it ends before its time.
    ending: Option<Ending>,
}

impl<'a, S: Sink + StopRequest> LeadWatch<'a, S> {
    pub fn new(
        leader: Leader,
        names: Vec<String>,
        (clock, interval): (RunClock, Nanos),
        interrupt: &'a Interrupt,
        own: &'a mut S,
    ) -> Self {
        let of = names.iter().map(|_| VecDeque::new()).collect();
        let disks = names.iter().map(|_| Vec::new()).collect();
        let looks = Looks { half: interval.as_nanos() / 2, of };
        LeadWatch { leader, clock, interrupt, own, names, looks, disks, ending: None }
    }

    /// How it ended, where that is another's doing; and whether a rank is gone.
    pub fn ended(self, ending: Ending) -> (Ending, Leader) {
        (self.ending.unwrap_or(ending), self.leader)
    }

    /// Takes in what the others tell.
    fn hear(&mut self, wait: Duration) {
        for (rank, event) in self.leader.hear_events(wait) {
            self.take(rank, event);
        }
        self.leader.miss_silent();
        if self.ending.is_none() {
            self.ending = self.leader.check().err().map(|stop| Ending::of(Err(stop), self.interrupt));
        }
    }

    fn take(&mut self, rank: usize, event: RunEvent) {
        let host = &self.names[rank];
        match event {
            RunEvent::Samples { at, samples } => {
                let name = |s: Sample| Sample { name: name_on_host(&s.name, host, rank == 0), ..s };
                self.looks.of[rank].push_back((at, samples.into_iter().map(name).collect()));
            }
            RunEvent::Disks(disks) => {
                let named = disks.into_iter().map(|d| DiskUse { name: format!("{host}/{}", d.name), ..d });
                self.disks[rank] = named.collect();
                self.own.event(RunEvent::Disks(self.disks.concat()));
            }
            RunEvent::Caveat(_) | RunEvent::Note { .. } => self.own.event(named_by(host, event)),
            _ => {}
        }
    }

    fn tell(&mut self, last: bool) {
        let now = Nanos(self.clock.now());
        let leader = &self.leader;
        for (at, samples) in self.looks.take(now, &|rank| leader.has_finished(rank), last) {
            self.own.event(RunEvent::Samples { at, samples });
        }
    }

    /// The watch is over: what the others have seen until now is waited for.
    fn hear_the_rest(&mut self) {
        self.leader.finish();
        let wait = if self.interrupt.asked() { LAST_OF_SIGNAL } else { LAST };
        let until = Instant::now() + wait;
        while !self.leader.all_finished() && Instant::now() < until {
            self.hear(Duration::from_millis(10));
            self.own.wants_stop(Nanos(self.clock.now()));
        }
        self.tell(true);
    }
}

impl<S: Sink + StopRequest> Sink for LeadWatch<'_, S> {
    fn event(&mut self, event: RunEvent) {
        match event {
            // What is no look has no moment of others.
            RunEvent::Samples { ref samples, .. } if sampled(samples, "sampler.stretch").is_none() => {}
            RunEvent::Samples { .. } => {
                self.take(0, event);
                self.tell(false);
            }
            RunEvent::Disks(_) | RunEvent::Caveat(_) | RunEvent::Note { .. } => self.take(0, event),
            RunEvent::End { state, at, reason, signal } => {
                self.hear_the_rest();
                let (state, reason, signal) = match &self.ending {
                    Some(ending) => (ending.state, ending.reason.clone(), ending.signal),
                    None => (state, reason, signal),
                };
                self.own.event(RunEvent::End { state, at, reason, signal });
            }
            other => self.own.event(other),
        }
    }

    fn progress(&mut self, progress: &Progress) {
        self.own.progress(progress);
    }
}

impl<S: Sink + StopRequest> StopRequest for LeadWatch<'_, S> {
    fn wants_stop(&mut self, now: Nanos) -> bool {
        self.hear(Duration::ZERO);
        self.tell(false);
        let enough = self.own.wants_stop(now);
        enough || self.ending.is_some()
    }
}

/// Another rank: tells what it sees until rank 0 has enough, and keeps it by itself.
pub(super) struct FollowWatch<'a, S> {
    pub link: RankLink,
    pub own: &'a mut S,
    /// Rank 0 said that no more looks follow, or is gone.
    pub finish: bool,
    pub over: bool,
    /// Rank 0 said that it is over, and has all of it.
    pub dismissed: bool,
}

impl<S: StopRequest> FollowWatch<'_, S> {
    pub fn report(&self, report: Report) {
        self.link.send(0, encode(&[report]));
    }

    /// Hears rank 0; when the watch begins, if that was said.
    pub fn listen(&mut self, wait: Duration) -> Option<Nanos> {
        let (mut begin, mut wait) = (None, wait);
        while let Some((_, bytes)) = self.link.receive(wait) {
            wait = Duration::ZERO;
            match decode::<Order>(&bytes) {
                Some(Order::Begin(at)) => begin = Some(at),
                Some(Order::Finish) => self.finish = true,
                Some(Order::End) => (self.finish, self.over, self.dismissed) = (true, true, true),
                _ => {}
            }
        }
        if self.link.silent(0) > SILENCE {
            (self.finish, self.over) = (true, true);
        }
        begin
    }

    /// Tells how it ended, and waits until rank 0 says that all have; whether it did.
    pub fn finish(mut self, ending: &Ending) -> bool {
        if !self.finish {
            let trouble = match ending.state {
                RunState::Failed => Trouble::Failed,
                RunState::Hung => Trouble::Hung,
                _ => Trouble::Signal,
            };
            self.report(Report::Failed(trouble, ending.reason.clone()));
        }
        self.report(Report::Finished);
        while !self.over {
            self.listen(Duration::from_millis(20));
            self.own.wants_stop(Nanos(0));
        }
        self.dismissed
    }
}

impl<S: Sink + StopRequest> Sink for FollowWatch<'_, S> {
    fn event(&mut self, event: RunEvent) {
        let told = match &event {
            RunEvent::Samples { samples, .. } => sampled(samples, "sampler.stretch").is_some(),
            RunEvent::Disks(_) | RunEvent::Caveat(_) | RunEvent::Note { .. } => true,
            _ => false,
        };
        if told {
            self.report(Report::Event(Box::new(event.clone())));
        }
        self.own.event(event);
    }

    fn progress(&mut self, progress: &Progress) {
        self.own.progress(progress);
    }
}

impl<S: Sink + StopRequest> StopRequest for FollowWatch<'_, S> {
    fn wants_stop(&mut self, now: Nanos) -> bool {
        self.listen(Duration::ZERO);
        self.own.wants_stop(now);
        self.finish
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Layer;

    fn look(ms: u64, name: &str) -> (Nanos, Vec<Sample>) {
        let sample = Sample { name: name.into(), unit: String::new(), layer: Layer::Application, value: 0.0 };
        (Nanos::from_millis(ms), vec![sample])
    }

    fn told(all: &[(Nanos, Vec<Sample>)]) -> Vec<(u64, String)> {
        let names = |samples: &[Sample]| samples.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join("+");
        all.iter().map(|(at, samples)| (at.as_nanos() / 1_000_000, names(samples))).collect()
    }

    #[test]
    fn looks_of_one_moment_are_told_together_once_all_are_there() {
        let mut looks = Looks { half: Nanos::from_millis(50).as_nanos(), of: vec![VecDeque::new(); 3] };
        let nobody = |_: usize| false;
        looks.of[0].push_back(look(100, "a"));
        looks.of[1].push_back(look(103, "b"));
        assert_eq!(told(&looks.take(Nanos::from_millis(110), &nobody, false)), []);
        looks.of[2].push_back(look(99, "c"));
        assert_eq!(told(&looks.take(Nanos::from_millis(111), &nobody, false)), [(100, "a+b+c".to_owned())]);
        // One that is missing is waited for a second, and told by itself when it comes.
        looks.of[0].push_back(look(200, "a"));
        looks.of[1].push_back(look(201, "b"));
        assert_eq!(told(&looks.take(Nanos::from_millis(900), &nobody, false)), []);
        assert_eq!(told(&looks.take(Nanos::from_millis(1201), &nobody, false)), [(200, "a+b".to_owned())]);
        looks.of[2].extend([look(199, "c"), look(300, "c")]);
        looks.of[0].push_back(look(300, "a"));
        looks.of[1].push_back(look(305, "b"));
        let all = looks.take(Nanos::from_millis(1300), &nobody, false);
        assert_eq!(told(&all), [(199, "c".to_owned()), (300, "a+b+c".to_owned())]);
        // At the end everything is told.
        looks.of[1].push_back(look(420, "b"));
        assert_eq!(told(&looks.take(Nanos::from_millis(1400), &nobody, true)), [(420, "b".to_owned())]);
    }

    #[test]
    fn looks_that_were_kept_are_told_by_moments_of_whoever_still_looked() {
        let kept = |looks: &[(u64, &str)]| looks.iter().map(|(ms, name)| look(*ms, name)).collect::<Vec<_>>();
        let of = vec![
            kept(&[(100, "a"), (200, "a")]),
            kept(&[(101, "b"), (201, "b"), (301, "h1/sampler.stretch"), (401, "b")]),
            kept(&[(99, "c"), (302, "c"), (403, "c"), (502, "c")]),
        ];
        let names = ["h0", "h1", "h2"].map(str::to_owned);
        let all = put_together(Nanos::from_millis(100), of, &names);
        let wanted =
            [(100, "a+b+c"), (200, "a+b"), (301, "h1/sampler.stretch+c+sampler.stretch"), (401, "b+c"), (502, "c")];
        assert_eq!(told(&all), wanted.map(|(ms, names)| (ms, names.to_owned())));
        assert_eq!(put_together(Nanos::from_millis(100), vec![Vec::new(); 3], &names), []);
    }

    #[test]
    fn one_that_is_gone_is_not_waited_for() {
        let mut looks = Looks { half: Nanos::from_millis(50).as_nanos(), of: vec![VecDeque::new(); 2] };
        looks.of[0].push_back(look(100, "a"));
        assert_eq!(told(&looks.take(Nanos::from_millis(101), &|rank| rank == 1, false)), [(100, "a".to_owned())]);
    }
}
