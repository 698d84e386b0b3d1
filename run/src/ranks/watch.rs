//! Watch on many hosts: every rank samples its counters at the same times of the run's clock, and rank 0 combines the
//! samples of each time. The names of a host's series begin with the name of the host (`host/vda`).

use super::lead::Leader;
use super::message::{Order, Report, decode, encode};
use super::{RankLink, SILENCE, named_by};
use crate::context::{Ending, Interrupt};
use crate::peers::Peers;
use crate::sink::{Progress, Sink};
use crate::watch::StopRequest;
use crate::wave::Stop;
use model::measured::{DiskUse, Sample, name_on_host, sampled};
use model::{CompactSort, Nanos, RunEvent, RunState};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use sys::clock::{Clock, RunClock};

/// Maximum wait for the other ranks at the end of a watch. After a signal it is shorter, because MPI launchers end all
/// processes one second later.
const LAST: Duration = Duration::from_secs(3);
const LAST_OF_SIGNAL: Duration = Duration::from_millis(400);
/// Maximum time that samples of rank 0 wait for those of the other ranks, in nanoseconds.
const LATE: u64 = Nanos::from_secs(1).as_nanos();

/// Samples waiting to be combined.
struct Looks {
    /// Half the sampling interval, in nanoseconds.
    half: u64,
    /// Queue of each rank. The times of rank 0's samples determine which samples are combined.
    of: Vec<VecDeque<Look>>,
}

/// Time of sampling, and the samples taken then.
pub(super) type Look = (Nanos, Vec<Sample>);

/// Combines samples stored by the hosts, in order of time. The sampling times are those of the first host that still
/// has samples. The series with `sampler.` in their names record them. If that is not the first host in `names`, its
/// `sampler.` series are also added without the host's name as a prefix.
pub(super) fn put_together(interval: Nanos, kept: Vec<Vec<Look>>, names: &[String]) -> Vec<Look> {
    let mut looks = Looks { half: interval.as_nanos() / 2, of: kept.into_iter().map(VecDeque::from).collect() };
    let mut combined = Vec::new();
    while let Some(base) = looks.of.iter().position(|queue| !queue.is_empty()) {
        looks.of.swap(0, base);
        let mut together = looks.matched(Nanos(u64::MAX), &|_| true, true);
        looks.of.swap(0, base);
        if base > 0 {
            let prefix = format!("{}/sampler.", names.get(base).map_or("", String::as_str));
            let unnamed =
                |s: &Sample| Some(Sample { name: format!("sampler.{}", s.name.strip_prefix(&prefix)?), ..s.clone() });
            for (_, samples) in &mut together {
                samples.extend(samples.iter().filter_map(unnamed).collect::<Vec<_>>());
            }
        }
        combined.extend(together);
    }
    combined.compact_sort_by_key(|(at, _)| *at);
    combined
}

impl Looks {
    /// Returns all samples that are ready: combined ones, and those for which rank 0 has no sample at that time. `last`
    /// is true if no more samples will arrive.
    fn take(&mut self, now: Nanos, gone: &dyn Fn(usize) -> bool, last: bool) -> Vec<Look> {
        let mut ready = self.matched(now, gone, last);
        if last {
            ready.extend(self.of[1..].iter_mut().flat_map(std::mem::take));
        }
        ready
    }

    /// Returns combined samples, and those that arrived too late to be combined.
    fn matched(&mut self, now: Nanos, gone: &dyn Fn(usize) -> bool, last: bool) -> Vec<Look> {
        let mut ready = Vec::new();
        while let Some((at, _)) = self.of[0].front() {
            let (from, to) = (at.as_nanos().saturating_sub(self.half), at.as_nanos().saturating_add(self.half));
            let has = |rank: usize| self.of[rank].back().is_some_and(|(u, _)| u.as_nanos() > from);
            let complete = (1..self.of.len()).all(|rank| has(rank) || gone(rank));
            if !(complete || last || now.as_nanos() > at.as_nanos().saturating_add(LATE)) {
                break;
            }
            let Some((at, mut samples)) = self.of[0].pop_front() else { break };
            for looks in &mut self.of[1..] {
                while looks.front().is_some_and(|(u, _)| u.as_nanos() <= to) {
                    let Some((u, samples_of_rank)) = looks.pop_front() else { break };
                    // The newest samples in this period are combined; earlier ones are returned separately.
                    let next = looks.front().is_some_and(|(u, _)| u.as_nanos() <= to);
                    if next || u.as_nanos() <= from {
                        ready.push((u, samples_of_rank))
                    } else {
                        samples.extend(samples_of_rank)
                    }
                }
            }
            ready.push((at, samples));
        }
        ready
    }
}

/// State of rank 0 in a watch: combines the samples of the other ranks with its own.
pub(super) struct LeadWatch<'a, S> {
    leader: Leader,
    clock: RunClock,
    interrupt: &'a Interrupt,
    own: &'a mut S,
    names: Vec<String>,
    looks: Looks,
    /// Disk counters of each rank.
    disks: Vec<Vec<DiskUse>>,
    /// Result of the watch, if it ended early.
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
        let queues = names.iter().map(|_| VecDeque::new()).collect();
        let disks = names.iter().map(|_| Vec::new()).collect();
        let looks = Looks { half: interval.as_nanos() / 2, of: queues };
        LeadWatch { leader, clock, interrupt, own, names, looks, disks, ending: None }
    }

    /// Returns the leader and the result, which is that of another rank if it ended the watch.
    pub fn ended(self, ending: Ending) -> (Ending, Leader) {
        (self.ending.unwrap_or(ending), self.leader)
    }

    /// Processes reports of the other ranks.
    fn hear(&mut self, wait: Duration) {
        for (rank, event) in self.leader.hear_events(wait) {
            self.take(rank, event);
        }
        self.leader.miss_silent();
        if self.ending.is_none() {
            self.ending = self.leader.check().err().map(|stop| Ending::from_outcome(Err(stop), self.interrupt));
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

    fn pass_on(&mut self, last: bool) {
        let now = Nanos(self.clock.now());
        let leader = &self.leader;
        for (at, samples) in self.looks.take(now, &|rank| leader.has_finished(rank), last) {
            self.own.event(RunEvent::Samples { at, samples });
        }
    }

    /// Ends the watch on the other ranks, and waits for the samples that they have taken so far.
    fn hear_the_rest(&mut self) {
        self.leader.finish();
        let wait = if self.interrupt.asked() { LAST_OF_SIGNAL } else { LAST };
        let until = Instant::now() + wait;
        while !self.leader.all_finished() && Instant::now() < until {
            self.hear(Duration::from_millis(10));
            self.own.wants_stop(Nanos(self.clock.now()));
        }
        self.pass_on(true);
    }
}

impl<S: Sink + StopRequest> Sink for LeadWatch<'_, S> {
    fn event(&mut self, event: RunEvent) {
        match event {
            // Samples without this series are not combined by time.
            RunEvent::Samples { ref samples, .. } if sampled(samples, "sampler.stretch").is_none() => {}
            RunEvent::Samples { .. } => {
                self.take(0, event);
                self.pass_on(false);
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
        self.pass_on(false);
        let enough = self.own.wants_stop(now);
        enough || self.ending.is_some()
    }
}

/// State of another rank in a watch: reports its samples to rank 0 until rank 0 ends the watch, and stores them.
pub(super) struct FollowWatch<'a, S> {
    pub link: RankLink,
    pub own: &'a mut S,
    /// True if rank 0 needs no more samples, or is lost.
    pub finish: bool,
    pub over: bool,
    /// True if rank 0 ended the run and has all data.
    pub dismissed: bool,
}

impl<S: StopRequest> FollowWatch<'_, S> {
    pub fn report(&self, report: Report) {
        self.link.send(0, encode(&[report]));
    }

    /// Processes messages of rank 0; returns the start time of the watch if it was announced.
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

    /// Reports the result, and waits until rank 0 has ended the run; returns `true` if it did.
    pub fn finish(mut self, ending: &Ending) -> bool {
        if !self.finish {
            self.report(Report::Failed(match ending.state {
                RunState::Failed => Stop::Failed(ending.reason.clone()),
                RunState::Hung => Stop::Hung(ending.reason.clone()),
                _ => Stop::Signal { stuck: false },
            }));
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
        let is_reported = match &event {
            RunEvent::Samples { samples, .. } => sampled(samples, "sampler.stretch").is_some(),
            RunEvent::Disks(_) | RunEvent::Caveat(_) | RunEvent::Note { .. } => true,
            _ => false,
        };
        if is_reported {
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
    use model::measured::Layer;

    fn sample_at(ms: u64, name: &str) -> (Nanos, Vec<Sample>) {
        let sample = Sample { name: name.into(), unit: String::new(), layer: Layer::Application, value: 0.0 };
        (Nanos::from_millis(ms), vec![sample])
    }

    fn summarize(looks: &[(Nanos, Vec<Sample>)]) -> Vec<(u64, String)> {
        let names = |samples: &[Sample]| samples.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join("+");
        looks.iter().map(|(at, samples)| (at.as_nanos() / 1_000_000, names(samples))).collect()
    }

    #[test]
    fn looks_of_one_moment_are_told_together_once_all_are_there() {
        let mut looks = Looks { half: Nanos::from_millis(50).as_nanos(), of: vec![VecDeque::new(); 3] };
        let nobody = |_: usize| false;
        looks.of[0].push_back(sample_at(100, "a"));
        looks.of[1].push_back(sample_at(103, "b"));
        assert_eq!(summarize(&looks.take(Nanos::from_millis(110), &nobody, false)), []);
        looks.of[2].push_back(sample_at(99, "c"));
        assert_eq!(summarize(&looks.take(Nanos::from_millis(111), &nobody, false)), [(100, "a+b+c".to_owned())]);
        // Samples wait one second for those of a missing rank. Samples that arrive later are returned separately.
        looks.of[0].push_back(sample_at(200, "a"));
        looks.of[1].push_back(sample_at(201, "b"));
        assert_eq!(summarize(&looks.take(Nanos::from_millis(900), &nobody, false)), []);
        assert_eq!(summarize(&looks.take(Nanos::from_millis(1201), &nobody, false)), [(200, "a+b".to_owned())]);
        looks.of[2].extend([sample_at(199, "c"), sample_at(300, "c")]);
        looks.of[0].push_back(sample_at(300, "a"));
        looks.of[1].push_back(sample_at(305, "b"));
        let ready = looks.take(Nanos::from_millis(1300), &nobody, false);
        assert_eq!(summarize(&ready), [(199, "c".to_owned()), (300, "a+b+c".to_owned())]);
        // At the end, all samples are returned.
        looks.of[1].push_back(sample_at(420, "b"));
        assert_eq!(summarize(&looks.take(Nanos::from_millis(1400), &nobody, true)), [(420, "b".to_owned())]);
    }

    #[test]
    fn looks_that_were_kept_are_told_by_moments_of_whoever_still_looked() {
        let kept = |looks: &[(u64, &str)]| looks.iter().map(|(ms, name)| sample_at(*ms, name)).collect::<Vec<_>>();
        let stored = vec![
            kept(&[(100, "a"), (200, "a")]),
            kept(&[(101, "b"), (201, "b"), (301, "h1/sampler.stretch"), (401, "b")]),
            kept(&[(99, "c"), (302, "c"), (403, "c"), (502, "c")]),
        ];
        let names = ["h0", "h1", "h2"].map(str::to_owned);
        let combined = put_together(Nanos::from_millis(100), stored, &names);
        let wanted =
            [(100, "a+b+c"), (200, "a+b"), (301, "h1/sampler.stretch+c+sampler.stretch"), (401, "b+c"), (502, "c")];
        assert_eq!(summarize(&combined), wanted.map(|(ms, names)| (ms, names.to_owned())));
        assert_eq!(put_together(Nanos::from_millis(100), vec![Vec::new(); 3], &names), []);
    }

    #[test]
    fn one_that_is_gone_is_not_waited_for() {
        let mut looks = Looks { half: Nanos::from_millis(50).as_nanos(), of: vec![VecDeque::new(); 2] };
        looks.of[0].push_back(sample_at(100, "a"));
        assert_eq!(summarize(&looks.take(Nanos::from_millis(101), &|rank| rank == 1, false)), [(100, "a".to_owned())]);
    }
}
