//! The loop of a replay: operations go when a recording says they are due, or when the one they follow has ended. Those
//! for which the queue has no room, or that wait for another, keep their due time and hold up no other.

use crate::pattern::NextIo;
use crate::worker::{Stamp, Worker};
use model::{Op, Replay, ReplayLinks, ReplayPace, ReplayRequest, ReplaySignals};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::sync::Arc;
use sys::Clock;

/// No operation.
const NONE: u32 = ReplayRequest::FREE;

/// What a replay goes by.
pub struct ReplayLoop {
    list: Arc<[ReplayRequest]>,
    /// The next one in the list that follows none.
    next: usize,
    /// Of each operation the first that follows it, and of each that follows one the next that follows the same.
    links: Box<[Links]>,
    /// Operations whose predecessor has ended: when they are due, from the start of the load. Room for all that follow.
    ready: BinaryHeap<Reverse<(u64, u32)>>,
    /// The operation in each slot.
    in_slot: Box<[u32]>,
    /// Slots of what came back last.
    returned: Vec<u32>,
    /// Of each file that has its own share of the queue; else empty.
    shares: Box<[QueueShare]>,
    /// Where an operation waits for all writes before it: how far those of each file are; else empty.
    writes: Box<[WriteProgress]>,
    /// Of each operation its number among the writes of its file; with `writes`.
    numbers: Box<[u32]>,
    /// What waits for operations of the loads beside this one, and what those wait for.
    elsewhere: Elsewhere,
    unpaced: bool,
}

/// How far the operations of other loads are that this one waits for.
#[derive(Default)]
struct Elsewhere {
    signals: ReplaySignals,
    /// Operations that wait, and their signals, in the order of the list: those from `from` on, but for what has no operation any more.
    awaits: Box<[(u32, u32)]>,
    from: usize,
    /// Of each operation the signal it gives when it ends; empty where none gives any.
    tells: Box<[u32]>,
}

/// So many of those that wait are looked at each time: one of a list that is held up holds up those far behind it.
const LOOKED_AT: usize = 64;
/// Looks at what other loads have told are so far apart, in nanoseconds.
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

    /// Takes off one that waits no more: its place, and when what it waited for ended.
    fn next(&mut self) -> Option<(u32, u64)> {
        let window = self.from..self.awaits.len().min(self.from + LOOKED_AT);
        let signals = &self.signals;
        let told = |(place, signal): (u32, u32)| Some((place, signals.ended(signal).filter(|_| place != NONE)?));
        let (at, found) = window.into_iter().find_map(|at| Some((at, told(self.awaits[at])?)))?;
        self.awaits[at].0 = NONE;
        while self.awaits.get(self.from).is_some_and(|(place, _)| *place == NONE) {
            self.from += 1;
        }
        Some(found)
    }
}

/// Nobody waits for what will not be made any more.
impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.tells.iter().filter(|signal| **signal != NONE).for_each(|signal| self.signals.tell(*signal, 0));
    }
}

#[derive(Clone, Copy)]
struct Links {
    first: u32,
    sibling: u32,
}

/// A file's share of the queue.
struct QueueShare {
    /// Operations that may still be sent.
    free: u32,
    /// Those that are due and have to wait for another of this file, with the time. Room for all.
    waiting: VecDeque<(u64, u32)>,
}

/// How far the writes of a file are.
#[derive(Default)]
struct WriteProgress {
    /// Which have ended.
    ended: Box<[bool]>,
    /// How many have ended of which all before have ended, too.
    whole: usize,
    /// Operations that wait for all writes before them: how many those are, and their place in the list.
    waiting: VecDeque<(usize, u32)>,
}

impl WriteProgress {
    /// Of each file, and of each operation that is a write its number among those of its file.
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

    /// Takes the end of a write.
    #[inline]
    fn take(&mut self, number: u32) {
        self.ended[number as usize] = true;
        while self.ended.get(self.whole).is_some_and(|ended| *ended) {
            self.whole += 1;
        }
    }

    /// The next operation that waited for all writes before it, if they have ended.
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
        // From the last to the first: those that follow the same are found in their order.
        let one = |r: &ReplayRequest| (r.follows as usize) < list.len();
        for (place, request) in list.iter().enumerate().rev().filter(|(_, r)| one(r)) {
            let first = std::mem::replace(&mut links[request.follows as usize].first, place as u32);
            links[place].sibling = first;
        }
        let depth = depth.max(1) as usize;
        let shares = replay.in_flight.iter().enumerate().map(|(file, most)| {
            let of = list.iter().filter(|r| usize::from(r.file) == file).count();
            QueueShare { free: (*most).max(1), waiting: VecDeque::with_capacity(of) }
        });
        let joins = list.iter().any(|r| r.follows == ReplayRequest::ALL_WRITES);
        let (writes, numbers) = if joins { WriteProgress::of_each(&list) } else { Default::default() };
        let mut replay = ReplayLoop {
            next: 0,
            // What waited for room in its share comes through here, too: one for each that ends.
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

    /// Goes on to the next operation that follows none.
    fn skip_followers(&mut self) {
        while self.list.get(self.next).is_some_and(ReplayRequest::is_following) {
            self.next += 1;
        }
    }

    /// The operation that is due next, with its time from the start of the load.
    #[inline]
    fn peek(&self) -> Option<(u64, u32)> {
        let free =
            self.list.get(self.next).map(|r| (if self.unpaced { 0 } else { r.due.as_nanos() }, self.next as u32));
        match (self.ready.peek(), free) {
            // What waited for another goes first.
            (Some(Reverse(ready)), Some(free)) => Some(if ready.0 <= free.0 { *ready } else { free }),
            (Some(Reverse(ready)), None) => Some(*ready),
            (None, free) => free,
        }
    }

    /// Takes that operation off.
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

    /// Whether the operation that is due next has room in its file's share; one that has not is taken off, and waits.
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

    /// Readies what waited for operations of other loads that have ended since.
    #[inline]
    fn look_elsewhere(&mut self, start: u64) {
        while let Some((place, ended)) = self.elsewhere.next() {
            let due = ended.saturating_sub(start).saturating_add(self.list[place as usize].due.as_nanos());
            self.ready.push(Reverse((if self.unpaced { 0 } else { due }, place)));
        }
    }

    /// Readies what follows the operation of a slot, which ended so long after the start of the load.
    #[inline]
    fn release(&mut self, slot: u32, now: u64, start: u64) {
        let ended = std::mem::replace(&mut self.in_slot[slot as usize], NONE);
        if let Some(signal) = self.elsewhere.tells.get(ended as usize).filter(|signal| **signal != NONE) {
            self.elsewhere.signals.tell(*signal, start.saturating_add(now));
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
        // Now, and not when the last thread has ended: that may be who waits.
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
                // As fast as possible nothing is late.
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
                // Awake it would take a processor from whom it waits for.
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
                // Ill or well; what came back short is still on its way.
                if !self.slots[slot as usize].busy {
                    replay.release(slot, now.saturating_sub(start), start);
                }
            }
        }
        Ok(())
    }
}
