//! Replay loop. An operation is sent when the recording makes it due, or when the operation on which it depends has
//! completed. Operations that wait for room in the queue, or for another operation, keep their due time and do not
//! delay others.

use crate::pattern::NextIo;
use crate::stamp::Stamp;
use crate::worker::Worker;
use model::Op;
use model::plan::{Replay, ReplayLinks, ReplayPace, ReplayRequest, ReplaySignals};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::sync::Arc;
use sys::clock::Clock;

/// Index that represents no operation.
const NONE: u32 = ReplayRequest::FREE;

/// State of a replay.
pub struct ReplayLoop {
    list: Arc<[ReplayRequest]>,
    /// Index of the next operation that does not depend on another.
    next: usize,
    /// For each operation, the first operation that depends on it, and the next operation with the same dependency.
    links: Box<[Links]>,
    /// Operations whose dependency has completed, with their due times from the start of the load. Preallocated for all
    /// operations with a dependency.
    ready: BinaryHeap<Reverse<(u64, u32)>>,
    /// Index of the operation in each slot.
    in_slot: Box<[u32]>,
    /// Slots of the operations that completed last.
    returned: Vec<u32>,
    /// Each file's share of the queue; empty if files have no separate shares.
    shares: Box<[QueueShare]>,
    /// Progress of the writes of each file; empty unless an operation waits for all earlier writes.
    writes: Box<[WriteProgress]>,
    /// Number of each operation among the writes of its file; used with `writes`.
    numbers: Box<[u32]>,
    /// Dependencies between operations of this load and operations of concurrent loads.
    elsewhere: Elsewhere,
    unpaced: bool,
}

/// Dependencies on operations of other loads.
#[derive(Default)]
struct Elsewhere {
    signals: ReplaySignals,
    /// Waiting operations, each with the signal that it waits for, in the order of the operation list. Entries before
    /// `from` are done. Later entries are done if their operation is `NONE`.
    awaits: Box<[(u32, u32)]>,
    from: usize,
    /// Signal that each operation sends when it completes; empty if no operation sends a signal.
    tells: Box<[u32]>,
}

/// Maximum number of waiting operations that one check covers. If this many operations are blocked, later ones have to
/// wait, too.
const LOOKED_AT: usize = 64;
/// Interval between checks of the signals of other loads, in nanoseconds.
const LOOK: u64 = 20_000;

impl Elsewhere {
    fn new(links: &ReplayLinks, operations: usize) -> Self {
        let mut tells = vec![NONE; if links.tells.is_empty() { 0 } else { operations }];
        links.tells.iter().for_each(|(place, signal)| tells[*place as usize] = *signal);
        Elsewhere {
            signals: links.signals.clone(),
            awaits: links.awaits.as_slice().into(),
            from: 0,
            tells: tells.into(),
        }
    }

    #[inline]
    fn is_waiting(&self) -> bool {
        self.from < self.awaits.len()
    }

    /// Removes an operation whose dependency is fulfilled. Returns its index and the time at which the dependency
    /// completed.
    fn next(&mut self) -> Option<(u32, u64)> {
        let window = self.from..self.awaits.len().min(self.from + LOOKED_AT);
        let signals = &self.signals;
        let completed = |(place, signal): (u32, u32)| Some((place, signals.ended(signal).filter(|_| place != NONE)?));
        let (at, result) = window.into_iter().find_map(|at| Some((at, completed(self.awaits[at])?)))?;
        self.awaits[at].0 = NONE;
        while self.awaits.get(self.from).is_some_and(|(place, _)| *place == NONE) {
            self.from += 1;
        }
        Some(result)
    }
}

/// Sends all remaining signals, so that other loads do not wait for operations that will never be sent.
impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.tells.iter().filter(|signal| **signal != NONE).for_each(|signal| self.signals.set(*signal, 0));
    }
}

#[derive(Clone, Copy)]
struct Links {
    first: u32,
    sibling: u32,
}

/// Share of the queue that belongs to one file.
struct QueueShare {
    /// Number of further operations that may be in flight.
    free: u32,
    /// Due operations blocked on an earlier request to the same file, with their due times. Preallocated.
    waiting: VecDeque<(u64, u32)>,
}

/// Progress of the writes of a file.
#[derive(Default)]
struct WriteProgress {
    /// True for each write that has completed.
    ended: Box<[bool]>,
    /// Number of writes completed without a gap, counted from the first write.
    whole: usize,
    /// Operations that wait for all writes before them: the number of those writes, and the index of the waiting
    /// operation in the operation list.
    waiting: VecDeque<(usize, u32)>,
}

impl WriteProgress {
    /// Returns the progress of the writes of each file, and the number of each write among the writes of its file.
    fn of_each(list: &[ReplayRequest]) -> (Vec<WriteProgress>, Vec<u32>) {
        let files = list.iter().map(|r| usize::from(r.file) + 1).max().unwrap_or(0);
        let mut writes = vec![0u32; files];
        let mut files: Vec<WriteProgress> = (0..files).map(|_| WriteProgress::default()).collect();
        let mut numbers = Vec::with_capacity(list.len());
        for (place, request) in list.iter().enumerate() {
            let file = usize::from(request.file);
            if request.follows == ReplayRequest::ALL_WRITES {
                files[file].waiting.push_back((writes[file] as usize, place as u32));
            }
            let is_write = request.op == Op::Write;
            numbers.push(if is_write { writes[file] } else { NONE });
            writes[file] += u32::from(is_write);
        }
        files.iter_mut().zip(writes).for_each(|(file, writes)| file.ended = vec![false; writes as usize].into());
        (files, numbers)
    }

    /// Records the completion of a write.
    #[inline]
    fn take(&mut self, number: u32) {
        self.ended[number as usize] = true;
        while self.ended.get(self.whole).is_some_and(|ended| *ended) {
            self.whole += 1;
        }
    }

    /// Returns the next operation that waited for all writes before it, if those have completed.
    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.waiting.front().filter(|(before, _)| *before <= self.whole)?;
        self.waiting.pop_front().map(|(_, place)| place)
    }
}

impl ReplayLoop {
    pub(in crate::worker) fn new(replay: &Replay, depth: u32) -> Self {
        let list = Arc::clone(&replay.list.0);
        let mut links = vec![Links { first: NONE, sibling: NONE }; list.len()];
        // From last to first, so that operations with the same dependency are linked in order.
        let follows_another = |r: &ReplayRequest| (r.follows as usize) < list.len();
        for (place, request) in list.iter().enumerate().rev().filter(|(_, r)| follows_another(r)) {
            let first = std::mem::replace(&mut links[request.follows as usize].first, place as u32);
            links[place].sibling = first;
        }
        let depth = depth.max(1) as usize;
        let shares = replay.in_flight.iter().enumerate().map(|(file, most)| {
            let requests = list.iter().filter(|r| usize::from(r.file) == file).count();
            QueueShare { free: (*most).max(1), waiting: VecDeque::with_capacity(requests) }
        });
        let joins = list.iter().any(|r| r.follows == ReplayRequest::ALL_WRITES);
        let (writes, numbers) = if joins { WriteProgress::of_each(&list) } else { Default::default() };
        let mut replay = ReplayLoop {
            next: 0,
            // Operations that waited for room in their file's share also pass through here, one for each completion.
            ready: BinaryHeap::with_capacity(replay.following as usize + depth),
            shares: shares.collect(),
            writes: writes.into(),
            numbers: numbers.into(),
            links: links.into(),
            in_slot: vec![NONE; depth].into(),
            returned: Vec::with_capacity(depth),
            elsewhere: Elsewhere::new(&replay.links, list.len()),
            unpaced: replay.pace == ReplayPace::Unpaced,
            list,
        };
        replay.skip_followers();
        replay
    }

    /// Advances to the next operation that does not depend on another.
    fn skip_followers(&mut self) {
        while self.list.get(self.next).is_some_and(ReplayRequest::is_following) {
            self.next += 1;
        }
    }

    /// Returns the operation that is due next, with its due time from the start of the load.
    #[inline]
    fn peek(&self) -> Option<(u64, u32)> {
        let free =
            self.list.get(self.next).map(|r| (if self.unpaced { 0 } else { r.due.as_nanos() }, self.next as u32));
        match (self.ready.peek(), free) {
            // At equal due times, an operation that waited for another goes first.
            (Some(Reverse(ready)), Some(free)) => Some(if ready.0 <= free.0 { *ready } else { free }),
            (Some(Reverse(ready)), None) => Some(*ready),
            (None, free) => free,
        }
    }

    /// Removes the operation that is due next from its queue, and returns it.
    #[inline]
    fn pop(&mut self, place: u32) -> ReplayRequest {
        if place as usize == self.next {
            self.next += 1;
            self.skip_followers();
        } else {
            self.ready.pop();
        }
        self.list[place as usize]
    }

    /// Returns `true` if the next operation has room in its file's share. Otherwise moves it to the waiting list.
    #[inline]
    fn admits(&mut self, due: u64, place: u32) -> bool {
        let file = usize::from(self.list[place as usize].file);
        let Some(share) = self.shares.get_mut(file) else { return true };
        if share.free > 0 {
            share.free -= 1;
            return true;
        }
        share.waiting.push_back((due, place));
        self.pop(place);
        false
    }

    /// Moves operations to the ready queue if the operations of other loads on which they depend have completed.
    #[inline]
    fn look_elsewhere(&mut self, start: u64) {
        while let Some((place, ended)) = self.elsewhere.next() {
            let due = ended.saturating_sub(start).saturating_add(self.list[place as usize].due.as_nanos());
            self.ready.push(Reverse((if self.unpaced { 0 } else { due }, place)));
        }
    }

    /// Moves the operations that depend on the one in this slot to the ready queue. `now` is the time at which the
    /// operation in the slot completed, measured from the start of the load.
    #[inline]
    fn release(&mut self, slot: u32, now: u64, start: u64) {
        let ended = std::mem::replace(&mut self.in_slot[slot as usize], NONE);
        if let Some(signal) = self.elsewhere.tells.get(ended as usize).filter(|signal| **signal != NONE) {
            self.elsewhere.signals.set(*signal, start.saturating_add(now));
        }
        let (list, unpaced) = (&self.list, self.unpaced);
        let due = |place: u32| if unpaced { 0 } else { now.saturating_add(list[place as usize].due.as_nanos()) };
        let file = usize::from(self.list[ended as usize].file);
        if let Some(share) = self.shares.get_mut(file) {
            share.free += 1;
            if let Some(waited) = share.waiting.pop_front() {
                self.ready.push(Reverse(waited));
            }
        }
        if let Some(writes) = self.writes.get_mut(file)
            && self.numbers[ended as usize] != NONE
        {
            writes.take(self.numbers[ended as usize]);
            while let Some(place) = writes.next() {
                self.ready.push(Reverse((due(place), place)));
            }
        }
        let mut place = self.links[ended as usize].first;
        while place != NONE {
            self.ready.push(Reverse((due(place), place)));
            place = self.links[place as usize].sibling;
        }
    }
}

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(in crate::worker) fn replay_loop(&mut self, replay: &mut ReplayLoop) -> io::Result<()> {
        let ended = self.make_again(replay);
        // Send the remaining signals now. If the signals were sent only after the last thread had ended, that thread
        // might itself be waiting for them.
        drop(std::mem::take(&mut replay.elsewhere));
        ended
    }

    fn make_again(&mut self, replay: &mut ReplayLoop) -> io::Result<()> {
        let start = self.timeline.start;
        while !self.stopped {
            let mut now = self.clock.now();
            let mut next = u64::MAX;
            if replay.elsewhere.is_waiting() {
                replay.look_elsewhere(start);
                next = now.saturating_add(LOOK);
            }
            while self.left > 0 && !self.free.is_empty() {
                let Some((after, place)) = replay.peek() else { break };
                let due = start.saturating_add(after);
                if due > now {
                    next = next.min(due);
                    break;
                }
                if !replay.admits(after, place) {
                    continue;
                }
                self.left -= 1;
                let ReplayRequest { at, len, op, flush, file, .. } = replay.pop(place);
                let slot = self.take(NextIo { at, len, op, flush, file });
                // Without pacing, no operation counts as late.
                self.slots[slot as usize].due = if replay.unpaced { now } else { due };
                replay.in_slot[slot as usize] = place;
            }
            if !self.batch.is_empty() {
                now = self.clock.now();
                self.issue(now)?;
            }
            let is_empty = replay.peek().is_none() && !replay.elsewhere.is_waiting();
            let over = (self.left == 0 && !self.replenish()) || is_empty;
            if over && self.in_flight == 0 && self.batch.is_empty() {
                break;
            }
            if self.in_flight == 0 && replay.elsewhere.is_waiting() && next > now {
                // Spinning would take a CPU from the load for which this thread waits.
                self.clock.sleep(next - now);
            } else {
                self.fetch_until(next, now)?;
            }
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            replay.returned.clear();
            replay.returned.extend(self.done.iter().map(|d| d.slot));
            self.settle(now, |recorder, slot, now| recorder.responded(slot.request.op, now.saturating_sub(slot.due)))?;
            for i in 0..replay.returned.len() {
                let slot = replay.returned[i];
                // The operation completed or failed. A short operation is still in flight.
                if !self.slots[slot as usize].busy {
                    replay.release(slot, now.saturating_sub(start), start);
                }
            }
        }
        Ok(())
    }
}
