//! Decides when and in which direction the shaped loop may send, based on the rates of the directions and on pauses.
//!
//! Rates work as in fio: they are upper limits, counted from the start, so operations missed during stalls or pauses
//! are sent later. A direction without a rate is always due. If several directions are due, the mix decides. If the
//! chosen direction is not due, one that is due is used instead.

use super::flow::FlowShare;
use crate::pattern::{NextIo, Part, Pattern};
use crate::random::{Random, mix};
use model::plan::{Pacing, Rate, Think, Workload};
use model::{Iops, Op};

/// Rate of one direction, or of all directions if they have a common rate.
struct DirectionRate {
    /// Upper bound of the roll that chooses this direction.
    below: u64,
    pace: Pace,
    /// Due time of the next operation, in nanoseconds since the start. It is not rounded, so that the rate does not
    /// drift.
    due: f64,
}

#[derive(Clone, Copy)]
enum Pace {
    Free,
    /// Nanoseconds per operation.
    Operation(f64),
    /// Nanoseconds per byte.
    Byte(f64),
}

/// Next action of the loop.
pub(in crate::worker) enum Next {
    /// Send this operation, with its due time (in nanoseconds since the start).
    Io(NextIo, u64),
    /// Wait until this time (in nanoseconds since the start).
    At(u64),
}

/// Limiter for the rates of the directions.
pub(in crate::worker) struct RateLimiter {
    lanes: Vec<DirectionRate>,
    /// Patterns of all directions except the first; the worker has the pattern of the first direction.
    others: Vec<Pattern>,
    random: Random,
    poisson: bool,
    forgive: bool,
    rated: bool,
    flow: Option<FlowShare>,
}

impl RateLimiter {
    /// Creates a limiter. `others` holds the patterns of [`crate::worker::workloads`] after the first, in order. Each
    /// rate is divided among the workers.
    pub(in crate::worker) fn new(
        workload: &Workload,
        others: Vec<Pattern>,
        part: Part,
        seed: u64,
        flow: Option<FlowShare>,
    ) -> Self {
        let seed = mix(seed ^ mix(u64::from(part.worker) + 1));
        let (by_direction, poisson, forgive) = match workload.pacing {
            Pacing::Rates(rates) => (rates.of, rates.poisson, rates.forgive_pauses),
            _ => ([None; 3], false, false),
        };
        let workers = f64::from(part.workers.max(1));
        let pace = |op: Op| match by_direction[op.index()] {
            None => Pace::Free,
            Some(Rate::Iops(Iops(rate))) => Pace::Operation(1e9 * workers / rate),
            Some(Rate::Bytes(rate)) => Pace::Byte(1e9 * workers / rate.per_second()),
        };
        let directions = crate::worker::rules::directions(workload);
        let mut below = 0;
        let lanes: Vec<DirectionRate> = directions
            .into_iter()
            .map(|(op, percent)| {
                below += percent;
                DirectionRate { below, pace: pace(op), due: 0.0 }
            })
            .collect();
        let rated = lanes.iter().any(|l| !matches!(l.pace, Pace::Free));
        RateLimiter { lanes, others, random: Random::new(seed ^ 0x6A7E), poisson, forgive, rated, flow }
    }

    /// Returns the next operation, if one is due `now` nanoseconds after the start.
    pub(in crate::worker) fn next(&mut self, first_pattern: &mut Pattern, now: u64) -> Next {
        let chosen = if self.lanes.len() == 1 {
            0
        } else {
            let roll = self.random.below(100);
            self.lanes.iter().position(|l| roll < l.below).unwrap_or(0)
        };
        let first = (0..self.lanes.len()).min_by(|a, b| self.lanes[*a].due.total_cmp(&self.lanes[*b].due)).unwrap_or(0);
        let number = if self.lanes[chosen].due <= now as f64 { chosen } else { first };
        let lane = &mut self.lanes[number];
        if lane.due > now as f64 {
            // Rounded up: otherwise the operation would not be due yet after a slightly early wake-up.
            return Next::At(lane.due.ceil() as u64);
        }
        if let Some(flow) = &mut self.flow
            && let Err(pause) = flow.take()
        {
            return Next::At(now + pause);
        }
        let place = if number == 0 { first_pattern.next_io() } else { self.others[number - 1].next_io() };
        let due = lane.due as u64;
        if place.op != Op::Flush {
            let gap = match lane.pace {
                Pace::Free => 0.0,
                Pace::Operation(ns) => ns,
                Pace::Byte(ns) => ns * f64::from(place.len),
            };
            lane.due += if self.poisson { gap * self.random.exponential() } else { gap };
        }
        Next::Io(place, if matches!(lane.pace, Pace::Free) { now } else { due })
    }

    /// Returns `true` if any direction has a rate.
    pub(in crate::worker) fn is_rated(&self) -> bool {
        self.rated
    }

    /// Records the end of a pause of `ns` nanoseconds. If the job forgives pauses, operations missed during the pause
    /// are not sent later.
    pub(in crate::worker) fn paused(&mut self, ns: u64) {
        if self.forgive {
            for lane in self.lanes.iter_mut().filter(|l| !matches!(l.pace, Pace::Free)) {
                lane.due += ns as f64;
            }
        }
    }
}

/// Pauses of a load (fio's thinktime). The operations in flight complete before a pause.
pub(in crate::worker) struct Pauses {
    pub(in crate::worker) think: Think,
    /// Number of data operations submitted so far; `completed` is the number of them that have completed.
    pub(in crate::worker) issued: u64,
    pub(in crate::worker) completed: u64,
    /// Number of operations at the last pause.
    at_last: u64,
    /// End of the last pause, on the run's clock.
    since: u64,
}

impl Pauses {
    /// Creates the pauses. Without think time, no pause is ever due.
    pub(in crate::worker) fn new(think: Option<Think>) -> Self {
        let none = Think {
            time: model::Nanos(0),
            spin: model::Nanos(0),
            blocks: 0,
            by_issue: false,
            work_time: Some(model::Nanos(u64::MAX)),
        };
        Pauses { think: think.unwrap_or(none), issued: 0, completed: 0, at_last: 0, since: 0 }
    }

    pub(in crate::worker) fn begin(&mut self, now: u64) {
        self.since = now;
    }

    /// Returns the number of operations that may be sent before the next pause.
    pub(in crate::worker) fn room(&self) -> u64 {
        if self.think.by_issue && self.think.blocks > 0 {
            (self.at_last + u64::from(self.think.blocks)).saturating_sub(self.issued)
        } else {
            u64::MAX
        }
    }

    /// Returns `true` if a pause is due.
    pub(in crate::worker) fn is_due(&self, now: u64) -> bool {
        let count = if self.think.by_issue { self.issued } else { self.completed };
        let by_count = self.think.blocks > 0 && count >= self.at_last + u64::from(self.think.blocks);
        by_count || self.think.work_time.is_some_and(|t| now.saturating_sub(self.since) >= t.as_nanos())
    }

    /// Begins a pause. Operations that complete while the pause is prepared count towards the next one.
    pub(in crate::worker) fn enter(&mut self) {
        self.at_last = if self.think.by_issue { self.issued } else { self.completed };
    }

    /// Ends a pause.
    pub(in crate::worker) fn leave(&mut self, now: u64) {
        self.since = now;
    }
}
