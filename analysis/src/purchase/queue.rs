//! Simulation of limits: the demand of each second is offered to them. Requests above a limit wait and are served in
//! later seconds, the oldest first. Buckets of credits are filled and drained second by second (docs/design/limits.md,
//! "Bursts").

use super::load::{Countings, DIRECTIONS, Load};
use model::bounds::{BurstLasts, LimitAxis};
use model::judged::{CreditUse, ServedDemand};
use model::{Limit, Nanos, Op};

/// Share of a second's demand below which a remainder is a rounding error.
const NOTHING: f64 = 1e-9;

/// Demands that wait in separate queues and are repeated without end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer<'a> {
    /// Load of each volume.
    pub loads: &'a [&'a Load],
    pub countings: &'a Countings,
    /// Factor on each request: 1.3 = with 30 % of headroom.
    pub scale: f64,
    /// Seconds after which the demand repeats.
    pub period: u64,
    /// Fill level of the buckets at the beginning, 0..=1.
    pub credits: f64,
}

/// A cap on one axis.
#[derive(Debug, Clone)]
struct Gate {
    name: String,
    base: f64,
    bucket: Option<Bucket>,
    /// Axis: operations or bytes.
    axis: usize,
    /// Index of its way of counting.
    counting: usize,
    /// True for each queue that passes through the gate.
    queues: Vec<bool>,
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
    /// Indices of the load's seconds that have such requests.
    batches: Vec<usize>,
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
    steps: Steps,
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
    blocked: Vec<bool>,
}

impl Bucket {
    fn from_limit(limit: &Limit, axis: LimitAxis, base: f64, full: f64) -> Option<Bucket> {
        let burst = limit.burst(axis)?;
        let capacity = burst.capacity(base);
        let fill = match burst.lasts {
            BurstLasts::Time { every: Some(every), .. } => Some(capacity / every.secs().max(1.0)),
            _ => None,
        };
        let level = capacity * full;
        Some(Bucket { rate: burst.rate, capacity, level, fill, lowest: level, empty: None })
    }

    /// Updates the level after a second in which `used` was served under a cap of `base`.
    fn settle(&mut self, base: f64, used: f64, now: u64) {
        let change = match self.fill {
            Some(fill) if used <= base => fill,
            _ => base - used,
        };
        self.level = (self.level + change).clamp(0.0, self.capacity);
        self.lowest = self.lowest.min(self.level);
        if self.level <= self.capacity * NOTHING && used >= base * (1.0 - NOTHING) {
            self.empty.get_or_insert(now);
        }
    }

    fn idle(&mut self, base: f64, seconds: u64) {
        let gained = self.fill.unwrap_or(base) * seconds as f64;
        self.level = (self.level + gained).min(self.capacity);
    }
}

impl Gate {
    /// Returns the capacity of the gate in one second.
    fn room(&self) -> f64 {
        self.bucket.as_ref().map_or(self.base, |b| b.rate.min(self.base + b.level))
    }
}

impl Offer<'_> {
    /// Returns the second in which a batch was requested.
    fn arrival(&self, queue: &Queue, batch: u64) -> u64 {
        let count = queue.batches.len() as u64;
        if count == 0 {
            return u64::MAX;
        }
        let place = queue.batches[(batch % count) as usize];
        batch / count * self.period + u64::from(self.loads[queue.load].seconds[place])
    }

    /// Returns the cost of a whole batch at a gate.
    fn cost(&self, queue: &Queue, batch: u64, counting: usize, axis: usize) -> f64 {
        let place = queue.batches[(batch % queue.batches.len() as u64) as usize];
        let at = place * self.countings.stride() + queue.direction * self.countings.0.len() + counting;
        self.loads[queue.load].charged[at][axis] as f64
    }

    /// Returns the second in which the next batch of a queue was requested.
    fn due(&self, queue: &Queue) -> u64 {
        self.arrival(queue, queue.head)
    }
}

/// The demand of the seconds with requests, at every gate. Most seconds fit through all gates, and are served without
/// looking at single queues.
#[derive(Debug)]
struct Steps {
    /// Numbers of these seconds, ascending.
    seconds: Vec<u32>,
    /// Demand at each gate, by second.
    asked: Vec<f64>,
    /// Operations, as counted singly.
    ops: Vec<f64>,
    /// Next second, and the beginning of its repetition.
    next: usize,
    began: u64,
}

impl Steps {
    fn new(offer: &Offer<'_>, gates: &[Gate]) -> Self {
        let mut seconds: Vec<u32> = offer.loads.iter().flat_map(|load| load.seconds.iter().copied()).collect();
        seconds.sort_unstable();
        seconds.dedup();
        let (stride, ways) = (offer.countings.stride(), offer.countings.0.len());
        let (mut asked, mut ops) = (vec![0.0; seconds.len() * gates.len()], vec![0.0; seconds.len()]);
        for (i, load) in offer.loads.iter().enumerate() {
            let mut step = 0;
            for (second, charged) in load.seconds.iter().zip(load.charged.chunks(stride)) {
                step += seconds[step..].iter().take_while(|s| *s < second).count();
                let row = &mut asked[step * gates.len()..(step + 1) * gates.len()];
                for (direction, charged) in charged.chunks(ways).enumerate() {
                    ops[step] += charged[0][0] as f64;
                    for (asked, gate) in row.iter_mut().zip(gates) {
                        if gate.queues[i * DIRECTIONS + direction] {
                            *asked += charged[gate.counting][gate.axis] as f64 * offer.scale;
                        }
                    }
                }
            }
        }
        Steps { seconds, asked, ops, next: 0, began: 0 }
    }

    /// Returns the time of the next second with requests; `None` if there is none at all.
    fn due(&mut self, period: u64) -> Option<u64> {
        if self.next == self.seconds.len() {
            self.next = 0;
            self.began += period;
        }
        Some(self.began + u64::from(*self.seconds.get(self.next)?))
    }

    /// Continues with the first second at or after `now`.
    fn skip_to(&mut self, now: u64, period: u64) {
        self.began = now - now % period;
        self.next = self.seconds.partition_point(|second| self.began + u64::from(*second) < now);
    }
}

impl<'a> Passage<'a> {
    /// Creates a passage before any demand is offered. Each limit comes with the index of its volume; `None` = all
    /// volumes.
    pub fn new(offer: Offer<'a>, limits: &[(Option<usize>, &Limit)]) -> Self {
        let stride = offer.countings.stride();
        let queues: Vec<Queue> = (0..offer.loads.len() * DIRECTIONS)
            .map(|i| {
                let (load, direction) = (i / DIRECTIONS, i % DIRECTIONS);
                let single = direction * offer.countings.0.len();
                let charges = offer.loads[load].charged.chunks(stride).enumerate();
                let batches = charges.filter(|(_, charged)| charged[single][0] > 0).map(|(at, _)| at).collect();
                Queue { load, direction, batches, head: 0, left: 1.0, upcoming: 0 }
            })
            .collect();
        let mut gates = Vec::new();
        for (volume, limit) in limits {
            for (axis, place) in [(LimitAxis::Iops, 0), (LimitAxis::Bandwidth, 1)] {
                let Some(base) = limit.cap(axis) else { continue };
                let through = |q: &Queue| volume.is_none_or(|v| v == q.load) && passes(limit.op, q.direction);
                gates.push(Gate {
                    name: limit.axis_name(axis),
                    base,
                    bucket: Bucket::from_limit(limit, axis, base, offer.credits),
                    axis: place,
                    counting: offer.countings.place(limit.charging),
                    queues: queues.iter().map(through).collect(),
                    held: 0,
                });
            }
        }
        Passage {
            offer,
            queues,
            steps: Steps::new(&offer, &gates),
            now: 0,
            offered: 0.0,
            delayed: 0.0,
            waiting: 0,
            longest: 0,
            first: None,
            room: vec![0.0; gates.len()],
            asked: vec![0.0; gates.len()],
            blocked: Vec::new(),
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
        let period = self.offer.period;
        self.steps.skip_to(self.now, period);
        while self.now < end {
            let due = self.steps.due(period).unwrap_or(u64::MAX);
            if due > self.now {
                let idle = due.min(end) - self.now;
                self.gates.iter_mut().for_each(|g| g.bucket.iter_mut().for_each(|b| b.idle(g.base, idle)));
                self.now += idle;
                continue;
            }
            let at = self.steps.next;
            let asked = &self.steps.asked[at * self.gates.len()..(at + 1) * self.gates.len()];
            if self.gates.iter().zip(asked).any(|(gate, asked)| *asked > gate.room()) {
                break;
            }
            for (gate, asked) in self.gates.iter_mut().zip(asked) {
                let base = gate.base;
                gate.bucket.iter_mut().for_each(|b| b.settle(base, *asked, self.now));
            }
            self.offered += self.steps.ops[at];
            self.steps.next += 1;
            self.now += 1;
        }
        let (now, began) = (self.now, self.steps.began);
        for queue in self.queues.iter_mut().filter(|q| !q.batches.is_empty()) {
            let seconds = &self.offer.loads[queue.load].seconds;
            let served = queue.batches.partition_point(|b| began + u64::from(seconds[*b]) < now);
            let head = began / period * queue.batches.len() as u64 + served as u64;
            (queue.head, queue.upcoming) = (head, head);
        }
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
        let group: Vec<usize> = (0..self.queues.len())
            .filter(|i| !self.blocked[*i] && self.offer.due(&self.queues[*i]) == oldest)
            .collect();
        self.asked.fill(0.0);
        for i in &group {
            let queue = &self.queues[*i];
            for (g, gate) in self.gates.iter().enumerate().filter(|(_, gate)| gate.queues[*i]) {
                let cost = self.offer.cost(queue, queue.head, gate.counting, gate.axis);
                self.asked[g] += cost * self.offer.scale * queue.left;
            }
        }
        let share = |g: usize| if self.asked[g] > self.room[g] { self.room[g] / self.asked[g] } else { 1.0 };
        let least = (0..self.gates.len()).map(share).fold(1.0, f64::min);
        let full: Vec<usize> = (0..self.gates.len()).filter(|g| least < 1.0 && share(*g) <= least + NOTHING).collect();
        if least > 0.0 && oldest < self.now {
            self.longest = self.longest.max(self.now - oldest);
        }
        for (room, asked) in self.room.iter_mut().zip(&self.asked) {
            *room = (*room - asked * least).max(0.0);
        }
        for i in group {
            let queue = &mut self.queues[i];
            queue.left *= 1.0 - least;
            if least >= 1.0 || queue.left < NOTHING {
                queue.head += 1;
                queue.left = 1.0;
                continue;
            }
            let queue = &self.queues[i];
            let costs = |g: &&usize| {
                let gate = &self.gates[**g];
                gate.queues[i] && self.offer.cost(queue, queue.head, gate.counting, gate.axis) > 0.0
            };
            let holds: Vec<usize> = full.iter().filter(costs).copied().collect();
            self.blocked[i] = !holds.is_empty();
            for g in holds {
                self.room[g] = 0.0;
                self.gates[g].held += 1;
            }
        }
    }

    /// Counts requests not served in their own second, and seconds in which requests wait.
    fn account(&mut self) {
        let mut waits = false;
        for i in 0..self.queues.len() {
            let queue = &mut self.queues[i];
            while self.offer.arrival(queue, queue.upcoming) <= self.now {
                self.offered += self.offer.cost(queue, queue.upcoming, 0, 0);
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
            self.delayed += late * self.offer.cost(queue, last, 0, 0);
        }
        if waits {
            self.waiting += 1;
            self.first.get_or_insert(self.now);
        }
    }

    /// Returns the waiting part of the offered demand, by a way of counting.
    fn backlog(&self, counting: usize, axis: usize) -> f64 {
        let waiting = |q: &Queue| {
            let whole = (q.head..q.upcoming).map(|b| self.offer.cost(q, b, counting, axis)).sum::<f64>();
            if q.head < q.upcoming { whole - (1.0 - q.left) * self.offer.cost(q, q.head, counting, axis) } else { 0.0 }
        };
        self.queues.iter().map(waiting).sum()
    }

    /// Returns the level of each bucket.
    pub fn levels(&self) -> Vec<f64> {
        self.gates.iter().filter_map(|g| g.bucket.as_ref()).map(|b| b.level).collect()
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
            left: self.backlog(0, 0).round() as u64,
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
    use super::super::load::Charged;
    use super::*;
    use model::bounds::{Burst, LimitSource};
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

    fn offer<'a>(loads: &'a [&'a Load], countings: &'a Countings, period: u64) -> Offer<'a> {
        Offer { loads, countings, scale: 1.0, period, credits: 1.0 }
    }

    #[test]
    fn what_does_not_fit_waits_and_is_served_in_order() {
        let (load, countings) = (load(&[(100, 0), (250, 0), (0, 0), (0, 0)]), single());
        let loads = [&load];
        let limit = limit(100.0, None);
        let mut passage = Passage::new(offer(&loads, &countings, 4), &[(None, &limit)]);
        assert!(passage.pass(4, None));
        let served = passage.served();
        assert_eq!((served.requests, served.delayed, served.left), (350, 150, 0));
        assert_eq!((served.waiting, served.longest_wait), (Nanos::from_secs(2), Nanos::from_secs(2)));
        assert_eq!((served.first_wait, served.binds.as_deref()), (Some(Nanos::from_secs(1)), Some("v IOPS")));
        let mut strict = Passage::new(offer(&loads, &countings, 4), &[(None, &limit)]);
        assert!(!strict.pass(4, Some(1)));
    }

    #[test]
    fn a_cap_on_writes_holds_no_reads_back() {
        let (load, countings) = (load(&[(100, 100), (100, 0)]), single());
        let loads = [&load];
        let writes = Limit { op: Some(Op::Write), ..limit(50.0, None) };
        let mut passage = Passage::new(offer(&loads, &countings, 2), &[(None, &writes)]);
        passage.pass(2, None);
        assert_eq!((passage.served().delayed, passage.served().left), (50, 0));
    }

    /// 100 GiB of gp2 at 3,000 IOPS: 5.4 million credits, refilled at 300 per second.
    #[test]
    fn a_bucket_lasts_as_published_and_is_filled_by_what_is_not_used() {
        let (load, countings) = (load(&[(3000, 0); 1]), single());
        let loads = [&load];
        for (base, lasts) in [(100.0, 1862), (300.0, 2000), (1002.0, 2703), (2250.0, 7200)] {
            let lasting = BurstLasts::Bucket { capacity: 5_400_000.0 };
            let gp2 = Limit { burst_iops: Some(Burst { rate: 3000.0, lasts: lasting }), ..limit(base, None) };
            let mut passage = Passage::new(offer(&loads, &countings, 1), &[(None, &gp2)]);
            passage.pass(10_000, None);
            let served = passage.served();
            let empty = served.credits[0].empty.expect("it ran empty").secs();
            assert!((empty - f64::from(lasts)).abs() <= 1.0, "{base}: {empty}");
            assert_eq!(served.first_wait.map(|t| (t.secs() - empty).abs() <= 1.0), Some(true));
        }
        // Half an hour of rest gives 300 * 1,800 credits, which carry 3,000 for 200 s more.
        let lasting = BurstLasts::Bucket { capacity: 5_400_000.0 };
        let gp2 = Limit { burst_iops: Some(Burst { rate: 3000.0, lasts: lasting }), ..limit(300.0, None) };
        let empty = Offer { credits: 0.0, period: 10_000, ..offer(&loads, &countings, 0) };
        let mut passage = Passage::new(empty, &[(None, &gp2)]);
        passage.pass(1801, None);
        assert!((passage.levels()[0] - 300.0 * 1790.0).abs() < 3001.0, "{:?}", passage.levels());
    }

    #[test]
    fn a_published_time_is_carried_once_and_comes_back_over_a_day() {
        let (load, countings) = (load(&[(18_750, 0); 1]), single());
        let loads = [&load];
        let lasts = BurstLasts::Time { time: Nanos::from_secs(1800), every: Some(Nanos::from_secs(86_400)) };
        let instance = Limit { burst_iops: Some(Burst { rate: 18_750.0, lasts }), ..limit(3600.0, None) };
        let mut passage = Passage::new(offer(&loads, &countings, 1), &[(None, &instance)]);
        passage.pass(2000, None);
        assert_eq!(passage.served().credits[0].empty, Some(Nanos::from_secs(1799)));
        let once = Offer { credits: 0.0, period: 200_000, ..offer(&loads, &countings, 1) };
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
            let loads = [&a, &b];
            let private = Limit {
                burst_iops: Some(Burst { rate: iops * 2.0, lasts: BurstLasts::Bucket { capacity: bucket } }),
                ..limit(iops, Some(kib * 1024.0))
            };
            let common = limit(shared, None);
            let limits = [(Some(0), &private), (None, &common)];
            let mut passage = Passage::new(offer(&loads, &countings, 1000), &limits);
            let mut slow = Passage::new(offer(&loads, &countings, 1000), &limits);
            let (mut served, mut offered) = (0.0, 0.0);
            for second in 0..60usize {
                slow.second();
                let room: Vec<f64> = passage.gates.iter().map(Gate::room).collect();
                let before = passage.backlog(0, 0);
                let at = |l: &[(u64, u64)]| l.get(second).map_or(0, |(r, w)| r + w) as f64;
                passage.pass(1, None);
                let came = at(&seconds) + at(&other);
                let went = before + came - passage.backlog(0, 0);
                offered += came;
                served += went;
                prop_assert!(went <= room[2] * (1.0 + 1e-6) + 1e-6, "{went} of {room:?}");
                prop_assert!(went >= -1e-6);
                let fits = came <= room[2] && at(&seconds) <= room[0] && before < 1e-6
                    && seconds.get(second).map_or(0, |(r, w)| r * 4096 + w * 8192) as f64 <= room[1];
                prop_assert!(!fits || passage.backlog(0, 0) < 1e-3, "{}", passage.backlog(0, 0));
            }
            prop_assert!((served + passage.backlog(0, 0) - offered).abs() < 1e-3);
            let served = passage.served();
            prop_assert!(served.delayed <= served.requests && served.left <= served.delayed);
            prop_assert_eq!(served.requests as f64, offered);
            // Seconds that are served at once have the same result as those that are served in turns.
            let slow = slow.served();
            prop_assert_eq!(
                (slow.requests, slow.waiting, slow.longest_wait, slow.first_wait, &slow.binds),
                (served.requests, served.waiting, served.longest_wait, served.first_wait, &served.binds)
            );
            prop_assert!(slow.delayed.abs_diff(served.delayed) <= 1);
            let lowest = slow.credits.iter().zip(&served.credits).map(|(a, b)| (a.lowest - b.lowest).abs());
            prop_assert!(lowest.fold(0.0, f64::max) < 1e-6);
        }

        #[test]
        fn a_constant_demand_below_all_caps_never_waits(rate in 1u64..1000, spare in 0.0f64..0.5, seconds in 1u64..5000) {
            let (load, countings) = (load(&[(rate, rate)]), single());
            let loads = [&load];
            let cap = limit(2.0 * rate as f64 * (1.0 + spare), Some(12_288.0 * rate as f64 * (1.0 + spare)));
            let mut passage = Passage::new(offer(&loads, &countings, 1), &[(None, &cap)]);
            prop_assert!(passage.pass(seconds, Some(0)));
            let served = passage.served();
            prop_assert_eq!((served.delayed, served.waiting, served.longest_wait), (0, Nanos(0), Nanos(0)));
        }
    }
}
