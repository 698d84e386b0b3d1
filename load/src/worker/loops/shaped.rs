//! Shaped loop for jobs with special settings: rates by direction, pauses, batches and watermarks, a depth search, or
//! operations that must not overlap. An unused feature is represented by a value that is never reached (a due time of
//! zero, an infinite count), not by a condition. Ordinary jobs use another loop.

use super::depth_search::{DepthSearch, Step};
use super::rate_limiter::{Next, Pauses, RateLimiter};
use crate::engine::Wait;
use crate::pattern::NextIo;
use crate::recorder::Recorder;
use crate::stamp::Stamp;
use crate::worker::rules::TOO_LATE;
use crate::worker::{Slot, Worker, sleep_or_spin};
use crate::zoned::{Placed, Share};
use model::{Nanos, Op, plan::Queueing};
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use sys::clock::Clock;

/// State of the shaped loop.
pub struct ShapedLoop {
    pub(in crate::worker) gate: RateLimiter,
    pub(in crate::worker) pauses: Pauses,
    pub(in crate::worker) probe: Option<DepthSearch>,
    /// Current maximum number of operations in flight.
    depth: u64,
    /// Maximum number of operations submitted in one batch.
    submit: usize,
    /// Minimum number of completions to wait for when the queue is full.
    at_least: usize,
    /// True if the loop checks for completions after each submission, even if the queue is not full.
    polls: bool,
    /// Maximum number of completions recorded in one step.
    at_most: usize,
    /// Low watermark: after the queue was full, nothing is sent until it has drained to this depth.
    low: u64,
    serialize: bool,
    /// Zones of each file, if the job uses zones.
    zones: Vec<Share>,
    /// True while the queue drains to `low`.
    ebbing: bool,
    /// Operation that waits for an overlapping one to complete, with its due time.
    held: Option<(NextIo, u64)>,
    begun: bool,
}

/// Result of placing an operation in zones.
enum Moved {
    To(NextIo),
    /// The zone is busy.
    Later,
    /// No more operations are possible.
    Nowhere,
}

/// Interval between checks of a zone that another job uses, in nanoseconds.
const ZONE_LOOK: u64 = 20_000;

/// Reason why no more operations are sent at the moment.
#[derive(PartialEq, Eq)]
enum Until {
    /// The queue is full, no operations are left to send, or operations would overlap: wait for a completion.
    Completion,
    /// Nothing is due before this time, on the run's clock.
    Time(u64),
}

impl ShapedLoop {
    pub(in crate::worker) fn new(
        gate: RateLimiter,
        pauses: Pauses,
        probe: Option<DepthSearch>,
        queueing: Queueing,
        depth: u32,
        zones: Vec<Share>,
    ) -> Self {
        let depth = u64::from(depth.max(1));
        let number = |n: Option<u32>, none: u64| n.map_or(none, u64::from);
        ShapedLoop {
            depth: probe.as_ref().map_or(depth, DepthSearch::depth),
            gate,
            pauses,
            probe,
            submit: number(queueing.submit, depth) as usize,
            at_least: queueing.complete_min.unwrap_or(1).max(1) as usize,
            polls: queueing.complete_min == Some(0),
            at_most: number(queueing.complete_max, u64::MAX) as usize,
            low: number(queueing.low, depth - 1).min(depth - 1),
            serialize: queueing.serialize,
            zones,
            ebbing: false,
            held: None,
            begun: false,
        }
    }

    pub(in crate::worker) fn serializes(&self) -> bool {
        self.serialize
    }

    /// Returns `true` if operations have due times.
    pub(in crate::worker) fn is_rated(&self) -> bool {
        self.gate.is_rated()
    }

    /// Returns the number of zones that were reset.
    pub(in crate::worker) fn resets(&self) -> u64 {
        self.zones.iter().map(Share::resets).sum()
    }

    /// Returns the depth that the search found, and the time at which it was found.
    pub(in crate::worker) fn settled(&self) -> (Option<u32>, Option<Nanos>) {
        let Some(probe) = &self.probe else { return (None, None) };
        (Some(probe.depth() as u32), probe.settled_at().map(Nanos))
    }
}

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(in crate::worker) fn shaped_loop<const SERIAL: bool>(&mut self, fine: &mut ShapedLoop) -> io::Result<()> {
        if !fine.begun {
            fine.begun = true;
            fine.pauses.begin(self.timeline.start);
            if let Some(probe) = &mut fine.probe {
                probe.begin(self.timeline.start);
            }
        }
        while !self.stopped {
            let until = self.fill::<SERIAL>(fine)?;
            if self.left == 0 && fine.held.is_none() && !self.replenish() && self.in_flight == 0 {
                break;
            }
            if self.in_flight > 0 || !self.done.is_empty() {
                self.fetch(fine, &until)?;
            } else if let Until::Time(at) = until {
                // There is nothing to wait for but the next due time or the end of the window.
                let (now, until) = (self.clock.now(), at.min(self.edge));
                if until > now {
                    sleep_or_spin(&self.clock, until - now);
                }
            }
            let now = self.clock.now();
            let rolled = now >= self.edge;
            if rolled {
                self.roll(now);
            }
            self.book(fine, now)?;
            if fine.pauses.is_due(now) && !self.stopped {
                self.pause(fine)?;
            }
            if rolled {
                self.look_for_depth(fine, now)?;
            }
        }
        Ok(())
    }

    /// Sends as many operations as possible, and returns the reason why it stopped.
    fn fill<const SERIAL: bool>(&mut self, fine: &mut ShapedLoop) -> io::Result<Until> {
        let start = self.timeline.start;
        let mut until = Until::Completion;
        if fine.ebbing && self.in_flight > fine.low {
            return Ok(until);
        }
        fine.ebbing = false;
        let now = self.clock.now();
        while self.in_flight + (self.batch.len() as u64) < fine.depth && !self.free.is_empty() && fine.pauses.room() > 0
        {
            let (place, due) = match fine.held.take() {
                Some(held) => held,
                None if self.left == 0 => break,
                None => match fine.gate.next(&mut self.pattern, now.saturating_sub(start)) {
                    Next::At(at) => {
                        until = Until::Time(start.saturating_add(at));
                        break;
                    }
                    Next::Io(place, due) => {
                        self.left -= 1;
                        (place, start.saturating_add(due))
                    }
                },
            };
            let raw = place;
            let place = match fine.zones.get_mut(usize::from(place.file)) {
                None => place,
                Some(share) => match self.in_zone(share, place) {
                    Moved::To(place) => place,
                    Moved::Later => {
                        fine.held = Some((raw, due));
                        if self.in_flight == 0 && self.batch.is_empty() {
                            // An operation of another job must complete, and that job needs the CPU more than this one.
                            self.clock.sleep(ZONE_LOOK);
                            until = Until::Time(now);
                        }
                        break;
                    }
                    Moved::Nowhere => break,
                },
            };
            if SERIAL && self.overlaps(&place) {
                fine.held = Some((place, due));
                break;
            }
            fine.pauses.issued += u64::from(place.op != Op::Flush);
            let slot = self.take(place);
            self.slots[slot as usize].due = due;
            if let Some(share) = fine.zones.get_mut(usize::from(place.file)) {
                share.takes(slot);
            }
            if self.batch.len() >= fine.submit {
                let now = self.clock.now();
                self.issue(now)?;
            }
        }
        if !self.batch.is_empty() {
            let now = self.clock.now();
            self.issue(now)?;
        }
        fine.ebbing = self.in_flight >= fine.depth;
        Ok(until)
    }

    /// Returns the position that the zones allow for this operation.
    fn in_zone(&mut self, share: &mut Share, place: NextIo) -> Moved {
        let slots = &self.slots;
        share.sweep(|slot| slots[slot as usize].busy, self.end.failed);
        loop {
            match share.place(place) {
                Placed::At(place) => return Moved::To(place),
                Placed::Wait => return Moved::Later,
                Placed::Skip(bytes) => {
                    if !self.leave_out(bytes) {
                        return Moved::Nowhere;
                    }
                }
                Placed::End => {
                    self.exhaust();
                    return Moved::Nowhere;
                }
                Placed::Failed(reason) => {
                    self.end.broken = Some(reason);
                    self.shared.stop_at.fetch_min(self.clock.now(), Relaxed);
                    self.exhaust();
                    return Moved::Nowhere;
                }
            }
        }
    }

    /// Returns `true` if `place` overlaps an operation that is in flight or prepared.
    fn overlaps(&self, place: &NextIo) -> bool {
        let end = place.at + u64::from(place.len);
        self.slots.iter().filter(|s| s.busy && s.request.file == place.file).any(|s| {
            let at = s.request.at - u64::from(s.request.skip);
            place.at < at + u64::from(s.len) && at < end
        })
    }

    /// Waits for completions according to the job's queue settings.
    fn fetch(&mut self, fine: &ShapedLoop, until: &Until) -> io::Result<()> {
        if !self.done.is_empty() {
            // Some completions are left from the last call, which recorded only up to the maximum.
            return Ok(());
        }
        let in_flight = self.in_flight as usize;
        match until {
            Until::Completion
                if fine.polls && self.in_flight < fine.depth && fine.pauses.room() > 0 && self.left > 0 =>
            {
                self.engine.reap(0, Wait::AtMost(0), &mut self.done)
            }
            Until::Completion => self.engine.reap(fine.at_least.min(in_flight), Wait::Forever, &mut self.done),
            Until::Time(at) => {
                let (now, at) = (self.clock.now(), (*at).min(self.edge));
                let wait = Wait::AtMost(at.saturating_sub(now));
                self.engine.reap(usize::from(at > now).min(in_flight), wait, &mut self.done)
            }
        }
    }

    /// Records completed operations, up to the maximum number per call.
    fn book(&mut self, fine: &mut ShapedLoop, now: u64) -> io::Result<()> {
        let n = self.done.len().min(fine.at_most);
        let (rated, completed) = (fine.gate.is_rated(), &mut fine.pauses.completed);
        self.settle_first(n, now, |recorder, slot, now| respond(recorder, slot, now, rated, completed))?;
        self.done.drain(..n);
        Ok(())
    }

    /// Performs a pause: waits for the operations in flight, then spins, then sleeps.
    #[cold]
    fn pause(&mut self, fine: &mut ShapedLoop) -> io::Result<()> {
        fine.pauses.enter();
        while !self.done.is_empty() {
            let now = self.clock.now();
            self.book(fine, now)?;
        }
        let (rated, completed) = (fine.gate.is_rated(), &mut fine.pauses.completed);
        self.quiesce(&mut |recorder, slot, now| respond(recorder, slot, now, rated, completed))?;
        let began = self.clock.now();
        let think = fine.pauses.think;
        let end = began.saturating_add(think.time.as_nanos().max(think.spin.as_nanos()));
        let spin_until = began.saturating_add(think.spin.as_nanos());
        let mut now = began;
        while now < end && !self.stopped {
            let until = end.min(self.edge);
            if now < spin_until {
                while now < until.min(spin_until) {
                    self.clock.pause();
                    now = self.clock.now();
                }
            } else if until > now {
                sleep_or_spin(&self.clock, until - now);
            }
            now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
        }
        fine.gate.paused(now - began);
        fine.pauses.leave(now);
        Ok(())
    }

    /// Ends a cycle of the depth search if its time is over. Called at the end of a window.
    #[cold]
    fn look_for_depth(&mut self, fine: &mut ShapedLoop, now: u64) -> io::Result<()> {
        let Some(probe) = &mut fine.probe else { return Ok(()) };
        if !probe.is_over(now) || self.stopped {
            return Ok(());
        }
        let step = probe.cycle(now, self.watch.ops, self.watch.late);
        fine.depth = probe.depth();
        fine.low = fine.depth - 1;
        fine.ebbing = false;
        (self.watch.ops, self.watch.late) = (0, 0);
        match step {
            Step::GoOn => {}
            Step::Down | Step::Found => {
                let (rated, completed) = (fine.gate.is_rated(), &mut fine.pauses.completed);
                self.quiesce(&mut |recorder, slot, now| respond(recorder, slot, now, rated, completed))?;
                if let Some(probe) = &mut fine.probe {
                    probe.begin(self.clock.now());
                }
            }
            Step::Done => {
                self.exhaust();
                fine.held = None;
            }
            Step::Hopeless => {
                let target = self.watch.rules.target.unwrap_or_default();
                self.end.broken = Some(format!("the latency exceeds {target} even with one operation at a time"));
                self.end.first_error = TOO_LATE;
                self.shared.stop_at.fetch_min(now, Relaxed);
                self.exhaust();
                fine.held = None;
            }
        }
        Ok(())
    }
}

fn respond(recorder: &mut Recorder, slot: &Slot, now: u64, rated: bool, completed: &mut u64) {
    *completed += u64::from(slot.request.op != Op::Flush);
    if rated {
        recorder.responded(slot.request.op, now.saturating_sub(slot.due));
    }
}
