//! Simulation of limits: the demand of each second is offered to them. Requests above a limit wait and are served in
//! later seconds, the oldest first. Buckets of credits are filled and drained second by second (docs/design/limits.md,
//! "Bursts").

use super::load::DIRECTIONS;
use super::steps::{Column, Demands, RUN, View};
use model::bounds::LimitAxis;
use model::judged::{CreditUse, ServedDemand};
use model::{Limit, Nanos, Op};
use std::rc::Rc;

/// Share of a second's demand below which a remainder is a rounding error.
const NOTHING: f64 = 1e-9;

/// Demands, and the terms on which they are offered to limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer<'a> {
    pub demands: &'a Demands<'a>,
    /// Factor on each request: 1.3 = with 30 % of headroom.
    pub scale: f64,
    /// Fill level of the buckets at the beginning, 0..=1.
    pub credits: f64,
}

/// A cap on one axis.
#[derive(Debug, Clone)]
struct Gate {
    name: String,
    base: f64,
    bucket: Option<Bucket>,
    view: View,
    /// Demand in its view.
    demand: Rc<Column>,
    /// Number of times that the cap delayed something.
    held: u64,
}

#[derive(Debug, Clone)]
struct Bucket {
    rate: f64,
    capacity: f64,
    level: f64,
    /// Refill during a second below the base; `None` = the unused part of the base.
    fill: Option<f64>,
    lowest: f64,
    empty: Option<u64>,
}

/// Reads or writes of one volume, in the order of their seconds.
#[derive(Debug)]
struct Queue {
    load: usize,
    direction: usize,
    /// Next batch to serve, counted over all repetitions, and its remaining share.
    head: u64,
    left: f64,
    /// First batch that has not been offered yet.
    upcoming: u64,
}

/// A demand on its way through limits.
#[derive(Debug)]
pub(crate) struct Passage<'a> {
    offer: Offer<'a>,
    gates: Vec<Gate>,
    queues: Vec<Queue>,
    now: u64,
    /// Operations offered so far, as counted singly.
    offered: f64,
    delayed: f64,
    waiting: u64,
    longest: u64,
    first: Option<u64>,
    /// Remaining capacity of the gates in this second.
    room: Vec<f64>,
    /// Demand of a group of queues on the gates.
    asked: Vec<f64>,
    /// Queues that have to wait for the next second.
    blocked: Vec<bool>,
    /// Queues whose oldest requests are being served.
    group: Vec<usize>,
    /// Gates that have no capacity left for them.
    full: Vec<bool>,
}

impl Bucket {
    fn from_limit(limit: &Limit, axis: LimitAxis, base: f64, full: f64) -> Option<Bucket> {
        let burst = limit.burst(axis)?;
        let capacity = burst.capacity(base);
        let level = capacity * full;
        Some(Bucket { rate: burst.rate, capacity, level, fill: burst.granted(base), lowest: level, empty: None })
    }

    /// Updates the level after a second in which `used` was served under a cap of `base`.
    fn settle(&mut self, base: f64, used: f64, now: u64) {
        let change = match self.fill {
            // A rounding error above the base uses no credits.
            Some(fill) if used <= base * (1.0 + NOTHING) => fill,
            _ => base - used,
        };
        self.level = (self.level + change).clamp(0.0, self.capacity);
        self.lowest = self.lowest.min(self.level);
        if self.level <= self.capacity * NOTHING && used >= base * (1.0 - NOTHING) {
            self.empty.get_or_insert(now);
        }
    }

    /// Updates the level after seconds in which `used` was served, never more than `base` in one of them.
    fn refill(&mut self, base: f64, seconds: u64, used: f64) {
        let gained = self.fill.map_or(base * seconds as f64 - used, |fill| fill * seconds as f64);
        self.level = (self.level + gained).min(self.capacity);
    }
}

impl Gate {
    /// Returns the capacity of the gate in one second.
    fn room(&self) -> f64 {
        self.bucket.as_ref().map_or(self.base, |b| b.rate.min(self.base + b.level))
    }

    /// Returns the demand of a second up to which a bucket, if there is one, is filled and does not count as empty.
    fn calm(&self) -> f64 {
        if self.bucket.is_some() { self.base * (1.0 - NOTHING) } else { self.base }
    }
}

impl Offer<'_> {
    /// Returns the second in which a batch was requested.
    fn arrival(&self, queue: &Queue, batch: u64) -> u64 {
        let batches = self.batches(queue);
        let count = batches.len() as u64;
        if count == 0 {
            return u64::MAX;
        }
        let place = batches[(batch % count) as usize];
        batch / count * self.demands.period + u64::from(self.demands.loads[queue.load].seconds[place])
    }

    fn batches(&self, queue: &Queue) -> &[usize] {
        &self.demands.batches[queue.load * DIRECTIONS + queue.direction]
    }

    /// Returns the charge for a whole batch.
    fn cost(&self, queue: &Queue, batch: u64, counting: usize, axis: usize) -> f64 {
        let batches = self.batches(queue);
        let place = batches[(batch % batches.len() as u64) as usize];
        let Demands { loads, countings, .. } = self.demands;
        let at = place * countings.stride() + queue.direction * countings.0.len() + counting;
        loads[queue.load].charged[at][axis] as f64
    }

    /// Returns the number of operations of a batch, counted singly.
    fn ops(&self, queue: &Queue, batch: u64) -> f64 {
        self.cost(queue, batch, 0, 0)
    }

    /// Returns the second in which the next batch of a queue was requested.
    fn due(&self, queue: &Queue) -> u64 {
        self.arrival(queue, queue.head)
    }
}

impl<'a> Passage<'a> {
    /// Creates a passage before any demand is offered. Each limit comes with the index of its volume; `None` = all
    /// volumes.
    pub fn new(offer: Offer<'a>, limits: &[(Option<usize>, &Limit)]) -> Self {
        let Demands { loads, countings, .. } = offer.demands;
        let queue = |at: usize| {
            let (load, direction) = (at / DIRECTIONS, at % DIRECTIONS);
            Queue { load, direction, head: 0, left: 1.0, upcoming: 0 }
        };
        let queues: Vec<Queue> = (0..loads.len() * DIRECTIONS).map(queue).collect();
        let mut gates = Vec::new();
        for (volume, limit) in limits {
            for (limited, axis) in [(LimitAxis::Iops, 0), (LimitAxis::Bandwidth, 1)] {
                let Some(base) = limit.cap(limited) else { continue };
                let through = |q: &Queue| volume.is_none_or(|v| v == q.load) && passes(limit.op, q.direction);
                let queues = queues.iter().map(through).collect();
                let view = View { counting: countings.place(limit.charging), axis, queues };
                gates.push(Gate {
                    name: limit.axis_name(limited),
                    base,
                    bucket: Bucket::from_limit(limit, limited, base, offer.credits),
                    demand: offer.demands.column(&view),
                    view,
                    held: 0,
                });
            }
        }
        Passage {
            offer,
            queues,
            now: 0,
            offered: 0.0,
            delayed: 0.0,
            waiting: 0,
            longest: 0,
            first: None,
            room: vec![0.0; gates.len()],
            asked: vec![0.0; gates.len()],
            blocked: Vec::new(),
            group: Vec::new(),
            full: Vec::new(),
            gates,
        }
    }

    /// Continues for this number of seconds, or until a request has waited, or must wait, longer than `most`. Returns
    /// `true` if none did.
    pub fn pass(&mut self, seconds: u64, most: Option<u64>) -> bool {
        let end = self.now + seconds;
        while self.now < end {
            if self.oldest() >= self.now {
                self.serve_what_fits(end);
                if self.now == end {
                    break;
                }
            }
            self.second();
            if most.is_some_and(|most| self.longest.max(self.oldest_wait()) > most) {
                return false;
            }
        }
        true
    }

    /// Returns the second of the oldest request that was not served.
    fn oldest(&self) -> u64 {
        self.queues.iter().map(|q| self.offer.due(q)).min().unwrap_or(u64::MAX)
    }

    /// Returns the minimum time that the oldest waiting request will have waited when it is served.
    fn oldest_wait(&self) -> u64 {
        self.now.saturating_sub(self.oldest())
    }

    /// Serves all requests while nothing waits and everything fits, until the end at most.
    fn serve_what_fits(&mut self, end: u64) {
        let Demands { seconds, ops, period, .. } = self.offer.demands;
        let mut began = self.now - self.now % period;
        let mut next = seconds.partition_point(|second| began + u64::from(*second) < self.now);
        while self.now < end {
            if next == seconds.len() {
                (next, began) = (0, began + period);
            }
            let due = seconds.get(next).map_or(u64::MAX, |second| began + u64::from(*second));
            if due > self.now {
                self.skip_to(due.min(end), None);
            } else if let Some(until) =
                self.calm_run(next).map(|second| began + u64::from(second) + 1).filter(|u| *u <= end)
            {
                self.skip_to(until, Some(next / RUN));
                self.offered += ops.runs[next / RUN].1;
                next += RUN;
            } else {
                let scale = self.offer.scale;
                if self.gates.iter().any(|gate| gate.demand.asked[next] * scale > gate.room()) {
                    break;
                }
                for gate in &mut self.gates {
                    let (base, asked) = (gate.base, gate.demand.asked[next] * scale);
                    gate.bucket.iter_mut().for_each(|b| b.settle(base, asked, self.now));
                }
                self.offered += ops.asked[next];
                next += 1;
                self.now += 1;
            }
        }
        for queue in &mut self.queues {
            let (seconds, batches) = (&self.offer.demands.loads[queue.load].seconds, self.offer.batches(queue));
            let served = batches.partition_point(|b| began + u64::from(seconds[*b]) < self.now);
            let head = began / period * batches.len() as u64 + served as u64;
            (queue.head, queue.upcoming) = (head, head);
        }
    }

    /// Returns the last second of the run that begins with a step, if every second of it is calm at every gate.
    fn calm_run(&self, step: usize) -> Option<u32> {
        let scale = self.offer.scale;
        let calm = |gate: &Gate| gate.demand.runs.get(step / RUN).is_some_and(|(most, _)| most * scale <= gate.calm());
        let begins = step.is_multiple_of(RUN) && self.gates.iter().all(calm);
        begins.then(|| self.offer.demands.seconds.get(step + RUN - 1).copied()).flatten()
    }

    /// Continues until a time before which nothing is requested, or only a calm run.
    fn skip_to(&mut self, until: u64, run: Option<usize>) {
        for gate in &mut self.gates {
            let used = run.map_or(0.0, |run| gate.demand.runs[run].1 * self.offer.scale);
            let base = gate.base;
            gate.bucket.iter_mut().for_each(|b| b.refill(base, until - self.now, used));
        }
        self.now = until;
    }

    fn second(&mut self) {
        for (room, gate) in self.room.iter_mut().zip(&self.gates) {
            *room = gate.room();
        }
        self.blocked.clear();
        self.blocked.resize(self.queues.len(), false);
        while let Some(oldest) = self.oldest_unblocked() {
            self.serve(oldest);
        }
        let now = self.now;
        for (gate, room) in self.gates.iter_mut().zip(&self.room) {
            let used = (gate.room() - room).max(0.0);
            let base = gate.base;
            gate.bucket.iter_mut().for_each(|b| b.settle(base, used, now));
        }
        self.account();
        self.now += 1;
    }

    fn oldest_unblocked(&self) -> Option<u64> {
        let open = self.queues.iter().zip(&self.blocked).filter(|(_, blocked)| !**blocked);
        open.map(|(q, _)| self.offer.due(q)).filter(|at| *at <= self.now).min()
    }

    /// Serves the requests of the second `oldest`: all of them, or the share of each queue that fits. Queues whose
    /// gates then have no capacity left have to wait.
    fn serve(&mut self, oldest: u64) {
        let mut group = std::mem::take(&mut self.group);
        let is_served = |i: &usize| !self.blocked[*i] && self.offer.due(&self.queues[*i]) == oldest;
        group.clear();
        group.extend((0..self.queues.len()).filter(is_served));
        self.asked.fill(0.0);
        for i in &group {
            let queue = &self.queues[*i];
            for (g, gate) in self.gates.iter().enumerate().filter(|(_, gate)| gate.view.queues[*i]) {
                let cost = self.offer.cost(queue, queue.head, gate.view.counting, gate.view.axis);
                self.asked[g] += cost * self.offer.scale * queue.left;
            }
        }
        let share = |g: usize| if self.asked[g] > self.room[g] { self.room[g] / self.asked[g] } else { 1.0 };
        let least = (0..self.gates.len()).map(share).fold(1.0, f64::min);
        self.full.clear();
        self.full.extend((0..self.gates.len()).map(|g| least < 1.0 && share(g) <= least + NOTHING));
        if least > 0.0 && oldest < self.now {
            self.longest = self.longest.max(self.now - oldest);
        }
        for (room, asked) in self.room.iter_mut().zip(&self.asked) {
            *room = (*room - asked * least).max(0.0);
        }
        for i in group.iter().copied() {
            let queue = &mut self.queues[i];
            queue.left *= 1.0 - least;
            if least >= 1.0 || queue.left < NOTHING {
                queue.head += 1;
                queue.left = 1.0;
                continue;
            }
            for (g, gate) in self.gates.iter_mut().enumerate().filter(|(g, gate)| self.full[*g] && gate.view.queues[i])
            {
                if self.offer.cost(queue, queue.head, gate.view.counting, gate.view.axis) > 0.0 {
                    self.room[g] = 0.0;
                    gate.held += 1;
                    self.blocked[i] = true;
                }
            }
        }
        self.group = group;
    }

    /// Counts requests not served in their own second, and seconds in which requests wait.
    fn account(&mut self) {
        let mut waits = false;
        for i in 0..self.queues.len() {
            let queue = &mut self.queues[i];
            while self.offer.arrival(queue, queue.upcoming) <= self.now {
                self.offered += self.offer.ops(queue, queue.upcoming);
                queue.upcoming += 1;
            }
            let queue = &self.queues[i];
            waits |= queue.head < queue.upcoming;
            let Some(last) = queue.upcoming.checked_sub(1).filter(|l| self.offer.arrival(queue, *l) == self.now) else {
                continue;
            };
            let late = match queue.head.cmp(&last) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => queue.left,
                std::cmp::Ordering::Greater => 0.0,
            };
            self.delayed += late * self.offer.ops(queue, last);
        }
        if waits {
            self.waiting += 1;
            self.first.get_or_insert(self.now);
        }
    }

    /// Returns the number of operations that were offered and wait.
    fn backlog(&self) -> f64 {
        let waiting = |q: &Queue| {
            let whole = (q.head..q.upcoming).map(|b| self.offer.ops(q, b)).sum::<f64>();
            if q.head < q.upcoming { whole - (1.0 - q.left) * self.offer.ops(q, q.head) } else { 0.0 }
        };
        self.queues.iter().map(waiting).sum()
    }

    /// Returns the level of each bucket.
    pub fn levels(&self) -> Vec<f64> {
        self.gates.iter().filter_map(|g| g.bucket.as_ref()).map(|b| b.level).collect()
    }

    /// Returns `true` if no request has waited and no bucket is lower than at the beginning: no later round is then
    /// served worse, because without waiting requests, levels only depend on earlier levels and the demand.
    pub fn repeats(&self) -> bool {
        let mut buckets = self.gates.iter().filter_map(|gate| gate.bucket.as_ref());
        self.waiting == 0 && buckets.all(|bucket| bucket.level >= bucket.capacity * self.offer.credits)
    }

    /// Returns the service so far.
    pub fn served(&self) -> ServedDemand {
        let credits = |g: &Gate| {
            let b = g.bucket.as_ref()?;
            let share = |level: f64| level / b.capacity.max(f64::MIN_POSITIVE);
            let empty = b.empty.map(Nanos::from_secs);
            Some(CreditUse { limit: g.name.clone(), lowest: share(b.lowest), end: share(b.level), empty })
        };
        let binds = self.gates.iter().filter(|g| g.held > 0).max_by_key(|g| g.held);
        ServedDemand {
            requests: self.offered as u64,
            delayed: self.delayed.round() as u64,
            waiting: Nanos::from_secs(self.waiting),
            longest_wait: Nanos::from_secs(self.longest.max(self.oldest_wait())),
            first_wait: self.first.map(Nanos::from_secs),
            left: self.backlog().round() as u64,
            binds: binds.map(|g| g.name.clone()),
            credits: self.gates.iter().filter_map(credits).collect(),
            lasts: None,
        }
    }
}

/// Returns `true` if a limit on this operation applies to reads (0) or writes (1).
pub(crate) fn passes(op: Option<Op>, direction: usize) -> bool {
    match op {
        None => true,
        Some(Op::Read) => direction == 0,
        Some(Op::Write) => direction == 1,
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::{Charged, Countings, Load};
    use super::*;
    use model::bounds::{Burst, BurstLasts, LimitSource};
    use model::{BytesPerSecond, Iops};
    use proptest::prelude::*;

    fn limit(iops: f64, bandwidth: Option<f64>) -> Limit {
        Limit {
            iops: Some(Iops(iops)),
            bandwidth: bandwidth.map(BytesPerSecond),
            ..Limit::new("v", LimitSource::Declared(String::new()))
        }
    }

    /// Reads and writes by second.
    fn load(seconds: &[(u64, u64)]) -> Load {
        let charged = seconds.iter().flat_map(|(r, w)| [[*r, *r * 4096], [*w, *w * 8192]]);
        let charged: Vec<Charged> = charged.collect();
        Load { seconds: (0..seconds.len() as u32).collect(), charged }
    }

    fn single() -> Countings {
        Countings::from_all([None].into_iter())
    }

    fn offer<'a>(demands: &'a Demands<'a>) -> Offer<'a> {
        Offer { demands, scale: 1.0, credits: 1.0 }
    }

    #[test]
    fn what_does_not_fit_waits_and_is_served_in_order() {
        let (load, countings) = (load(&[(100, 0), (250, 0), (0, 0), (0, 0)]), single());
        let demands = Demands::new(vec![&load], &countings, 4);
        let limit = limit(100.0, None);
        let mut passage = Passage::new(offer(&demands), &[(None, &limit)]);
        assert!(passage.pass(4, None));
        let served = passage.served();
        assert_eq!((served.requests, served.delayed, served.left), (350, 150, 0));
        assert_eq!((served.waiting, served.longest_wait), (Nanos::from_secs(2), Nanos::from_secs(2)));
        assert_eq!((served.first_wait, served.binds.as_deref()), (Some(Nanos::from_secs(1)), Some("v IOPS")));
        let mut strict = Passage::new(offer(&demands), &[(None, &limit)]);
        assert!(!strict.pass(4, Some(1)));
    }

    #[test]
    fn a_cap_on_writes_holds_no_reads_back() {
        let (load, countings) = (load(&[(100, 100), (100, 0)]), single());
        let demands = Demands::new(vec![&load], &countings, 2);
        let writes = Limit { op: Some(Op::Write), ..limit(50.0, None) };
        let mut passage = Passage::new(offer(&demands), &[(None, &writes)]);
        passage.pass(2, None);
        assert_eq!((passage.served().delayed, passage.served().left), (50, 0));
    }

    /// 100 GiB of gp2 at 3,000 IOPS: 5.4 million credits, refilled at 300 per second.
    #[test]
    fn a_bucket_lasts_as_published_and_is_filled_by_what_is_not_used() {
        let (load, countings) = (load(&[(3000, 0); 1]), single());
        let demands = Demands::new(vec![&load], &countings, 1);
        for (base, lasts) in [(100.0, 1862), (300.0, 2000), (1002.0, 2703), (2250.0, 7200)] {
            let lasting = BurstLasts::Bucket { capacity: 5_400_000.0 };
            let gp2 = Limit { burst_iops: Some(Burst { rate: 3000.0, lasts: lasting }), ..limit(base, None) };
            let mut passage = Passage::new(offer(&demands), &[(None, &gp2)]);
            passage.pass(10_000, None);
            let served = passage.served();
            let empty = served.credits[0].empty.expect("it ran empty").secs();
            assert!((empty - f64::from(lasts)).abs() <= 1.0, "{base}: {empty}");
            assert_eq!(served.first_wait.map(|t| (t.secs() - empty).abs() <= 1.0), Some(true));
        }
        // Half an hour of rest gives 300 * 1,800 credits, which carry 3,000 for 200 s more.
        let lasting = BurstLasts::Bucket { capacity: 5_400_000.0 };
        let gp2 = Limit { burst_iops: Some(Burst { rate: 3000.0, lasts: lasting }), ..limit(300.0, None) };
        let demands = Demands::new(vec![&load], &countings, 10_000);
        let empty = Offer { credits: 0.0, ..offer(&demands) };
        let mut passage = Passage::new(empty, &[(None, &gp2)]);
        passage.pass(1801, None);
        assert!((passage.levels()[0] - 300.0 * 1790.0).abs() < 3001.0, "{:?}", passage.levels());
    }

    #[test]
    fn a_published_time_is_carried_once_and_comes_back_over_a_day() {
        let (load, countings) = (load(&[(18_750, 0); 1]), single());
        let demands = Demands::new(vec![&load], &countings, 1);
        let lasts = BurstLasts::Time { time: Nanos::from_secs(1800), every: Some(Nanos::from_secs(86_400)) };
        let instance = Limit { burst_iops: Some(Burst { rate: 18_750.0, lasts }), ..limit(3600.0, None) };
        let mut passage = Passage::new(offer(&demands), &[(None, &instance)]);
        passage.pass(2000, None);
        assert_eq!(passage.served().credits[0].empty, Some(Nanos::from_secs(1799)));
        let demands = Demands::new(vec![&load], &countings, 200_000);
        let once = Offer { credits: 0.0, ..offer(&demands) };
        let mut passage = Passage::new(once, &[(None, &instance)]);
        passage.pass(86_410, None);
        assert!((passage.levels()[0] / (15_150.0 * 1800.0) - 1.0).abs() < 0.001, "{:?}", passage.levels());
    }

    proptest! {
        /// Served and waiting requests add up to the offered ones; no second exceeds the limit; below the limits
        /// nothing waits.
        #[test]
        fn work_is_conserved_and_no_cap_is_passed(
            seconds in proptest::collection::vec((0u64..300, 0u64..300), 1..60),
            other in proptest::collection::vec((0u64..300, 0u64..300), 1..60),
            iops in 50.0f64..700.0, kib in 100.0f64..4000.0, shared in 50.0f64..1000.0, bucket in 0.0f64..2000.0,
        ) {
            let (a, b, countings) = (load(&seconds), load(&other), single());
            let demands = Demands::new(vec![&a, &b], &countings, 1000);
            let private = Limit {
                burst_iops: Some(Burst { rate: iops * 2.0, lasts: BurstLasts::Bucket { capacity: bucket } }),
                ..limit(iops, Some(kib * 1024.0))
            };
            let common = limit(shared, None);
            let limits = [(Some(0), &private), (None, &common)];
            let mut passage = Passage::new(offer(&demands), &limits);
            let (mut served, mut offered) = (0.0, 0.0);
            for second in 0..60usize {
                let room: Vec<f64> = passage.gates.iter().map(Gate::room).collect();
                let before = passage.backlog();
                let at = |l: &[(u64, u64)]| l.get(second).map_or(0, |(r, w)| r + w) as f64;
                passage.pass(1, None);
                let came = at(&seconds) + at(&other);
                let went = before + came - passage.backlog();
                offered += came;
                served += went;
                prop_assert!(went <= room[2] * (1.0 + 1e-6) + 1e-6, "{went} of {room:?}");
                prop_assert!(went >= -1e-6);
                let fits = came <= room[2] && at(&seconds) <= room[0] && before < 1e-6
                    && seconds.get(second).map_or(0, |(r, w)| r * 4096 + w * 8192) as f64 <= room[1];
                prop_assert!(!fits || passage.backlog() < 1e-3, "{}", passage.backlog());
            }
            prop_assert!((served + passage.backlog() - offered).abs() < 1e-3);
            let served = passage.served();
            prop_assert!(served.delayed <= served.requests && served.left <= served.delayed);
            prop_assert_eq!(served.requests as f64, offered);
        }

        /// Seconds that are served at once have the same result as those that are served in turns.
        #[test]
        fn seconds_served_at_once_are_served_alike(
            phases in proptest::collection::vec((0u64..300, 0u64..300, 0u64..40, 1usize..400), 1..6),
            iops in 100.0f64..700.0, rate in 1.0f64..3.0, capacity in 0.0f64..50_000.0, credits in 0.0f64..=1.0,
            timed: bool, scale in 1.0f64..1.5, gap in 1u32..200, rounds in 1u64..4,
        ) {
            let step = |(r, w, change, n): &(u64, u64, u64, usize)| {
                let (r, w, change) = (*r, *w, *change);
                (0..*n as u64).map(move |i| (r + i * 7 % (change + 1), w)).collect::<Vec<_>>()
            };
            let seconds: Vec<(u64, u64)> = phases.iter().flat_map(step).collect();
            let (mut load, countings) = (load(&seconds), single());
            load.seconds.iter_mut().filter(|second| **second >= gap).for_each(|second| *second += gap);
            let period = seconds.len() as u64 + u64::from(gap) + 10;
            let demands = Demands::new(vec![&load], &countings, period);
            let lasts = match timed {
                true => BurstLasts::Time { time: Nanos::from_secs(60), every: Some(Nanos::from_secs(600)) },
                false => BurstLasts::Bucket { capacity },
            };
            let writes = Limit { op: Some(Op::Write), ..limit(iops, None) };
            let burst = Limit { burst_iops: Some(Burst { rate: iops * rate, lasts }), ..limit(iops, None) };
            let limits = [(Some(0), &burst), (None, &writes)];
            let new = || Passage::new(Offer { scale, credits, ..offer(&demands) }, &limits);
            let (mut slow, mut fast) = (new(), new());
            for round in 0..rounds {
                let (levels, repeats) = (fast.levels(), round > 0 && fast.repeats());
                (0..period).for_each(|_| slow.second());
                fast.pass(period, None);
                let kept = fast.levels().iter().zip(levels).all(|(after, before)| *after >= before * (1.0 - 1e-9));
                prop_assert!(!repeats || kept && fast.waiting == 0, "a later round is served worse: {fast:?}");
                let (slow, fast) = (slow.served(), fast.served());
                prop_assert_eq!(
                    (slow.requests, slow.waiting, slow.longest_wait, slow.first_wait, &slow.binds),
                    (fast.requests, fast.waiting, fast.longest_wait, fast.first_wait, &fast.binds)
                );
                prop_assert!(slow.delayed.abs_diff(fast.delayed) <= 1, "{slow:?} {fast:?}");
                for (slow, fast) in slow.credits.iter().zip(&fast.credits) {
                    prop_assert!((slow.lowest - fast.lowest).abs() < 1e-6 && (slow.end - fast.end).abs() < 1e-6);
                    prop_assert_eq!(slow.empty, fast.empty);
                }
            }
        }

        #[test]
        fn a_constant_demand_below_all_caps_never_waits(rate in 1u64..1000, spare in 0.0f64..0.5, seconds in 1u64..5000) {
            let (load, countings) = (load(&[(rate, rate)]), single());
            let demands = Demands::new(vec![&load], &countings, 1);
            let cap = limit(2.0 * rate as f64 * (1.0 + spare), Some(12_288.0 * rate as f64 * (1.0 + spare)));
            let mut passage = Passage::new(offer(&demands), &[(None, &cap)]);
            prop_assert!(passage.pass(seconds, Some(0)));
            let served = passage.served();
            prop_assert_eq!((served.delayed, served.waiting, served.longest_wait), (0, Nanos(0), Nanos(0)));
        }
    }
}
