//! State of the work on one file of a job: its range and the progress of each operation.

use super::offsets::OffsetGenerator;
use super::order::Permutation;
use crate::random::{Random, mix};
use model::{Bytes, plan::StridedZone};

/// Tested range of a file, and the state of the work on it.
#[derive(Debug, Clone)]
pub(super) struct FileCursor {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
    /// Random offset generators, relative to `start`. Reads, writes and trims with the same alignment share a
    /// generator.
    pub spots: Vec<OffsetGenerator>,
    /// Next sequential offset of each kind of operation. As in fio, reads, writes and trims are separate streams.
    pub next: [u64; 3],
    /// Last offset of each kind of operation.
    pub last: [u64; 3],
    /// Number of operations of each kind in the current run so far, for strides.
    pub run: [u32; 3],
    pub zone: Option<ZoneWalk>,
}

impl FileCursor {
    pub(super) fn new(start: u64, end: u64, spots: Vec<OffsetGenerator>, zone: Option<ZoneWalk>) -> Self {
        FileCursor { start, end, spots, next: [start; 3], last: [start; 3], run: [0; 3], zone }
    }

    /// Begins a new pass.
    pub(super) fn restart(&mut self) {
        (self.next, self.last, self.run) = ([self.start; 3], [self.start; 3], [0; 3]);
        self.spots.iter_mut().for_each(OffsetGenerator::restart);
        if let Some(zone) = &mut self.zone {
            (zone.base, zone.bytes) = (self.start, 0);
        }
    }

    /// Updates the state after an operation has been assigned a position.
    #[inline]
    pub(super) fn moved(&mut self, op: usize, at: u64, len: u32) {
        self.last[op] = at;
        self.next[op] = at + u64::from(len);
        if let Some(zone) = &mut self.zone {
            zone.bytes += u64::from(len);
        }
    }

    /// Skips the stride after a run of `run` operations. As in fio, work that reaches an end of the range wraps around.
    /// With a positive stride, it continues at the start. With a negative stride, it continues one stride before the
    /// end.
    pub(super) fn leap(&mut self, op: usize, run: u32, stride: i64, smallest: u64) {
        self.run[op] += 1;
        if self.run[op] < run {
            return;
        }
        self.run[op] = 0;
        let at = self.next[op].checked_add_signed(stride).filter(|at| (self.start..self.end).contains(at));
        self.next[op] = match at {
            Some(at) if at + smallest <= self.end => at,
            _ if stride >= 0 => self.start,
            _ => self.end.saturating_add_signed(stride).clamp(self.start, self.end - smallest),
        };
    }
}

/// State of the work in zones with gaps between them (fio's zonemode=strided).
#[derive(Debug, Clone)]
pub(super) struct ZoneWalk {
    rule: StridedZone,
    base: u64,
    bytes: u64,
    grain: u64,
    /// Order of the zone's random offsets, without repetition; `None` if offsets may repeat.
    order: Option<Permutation>,
    random: Random,
    seed: u64,
}

impl ZoneWalk {
    pub(super) fn new(rule: StridedZone, (start, end): (u64, u64), grain: u64, once: bool, seed: u64) -> Self {
        let range = if rule.range.is_zero() { rule.size } else { rule.range };
        // A zone larger than the file is limited to the file.
        let rule = StridedZone { range: range.min(Bytes(end - start)), ..rule };
        let order = once.then(|| Permutation::new((range.as_u64() / grain).max(1), seed, 0, 1));
        ZoneWalk { rule, base: start, bytes: 0, grain, order, random: Random::new(seed), seed }
    }

    /// Returns the maximum size of an operation, in bytes: the length of a zone.
    pub(super) fn room(&self) -> u64 {
        self.rule.range.as_u64()
    }

    /// Moves to the next zone when this one is finished, and from the last zone to the first. If sequential work
    /// reaches the end of a zone before the zone is finished, the work continues at the start of the zone, unless the
    /// file ends there.
    pub(super) fn enter(ground: &mut FileCursor, smallest: u64) {
        let Some(zone) = &mut ground.zone else { return };
        if zone.bytes >= zone.rule.size.as_u64() {
            zone.bytes = 0;
            zone.base = zone.base.saturating_add(zone.rule.range.as_u64()).saturating_add(zone.rule.skip.as_u64());
            if zone.base.saturating_add(smallest) > ground.end {
                zone.base = ground.start;
            }
            ground.next = [zone.base; 3];
            if let Some(order) = &mut zone.order {
                // Each zone has a different order.
                zone.seed = mix(zone.seed);
                *order = Permutation::new((zone.rule.range.as_u64() / zone.grain).max(1), zone.seed, 0, 1);
            }
        }
        let end = zone.base.saturating_add(zone.rule.range.as_u64());
        if end > ground.end {
            // The end of the file cuts the zone short and ends the pass.
            return;
        }
        for next in &mut ground.next {
            if *next + smallest > end {
                *next = zone.base;
            }
        }
    }

    /// Returns the end of this zone.
    pub(super) fn end(&self, end: u64) -> u64 {
        (self.base + self.rule.range.as_u64()).min(end)
    }

    /// Returns a random offset in this zone that leaves room for `smallest` bytes.
    pub(super) fn spot(&mut self, end: u64, smallest: u64) -> u64 {
        let end = self.end(end);
        loop {
            let block = match &mut self.order {
                Some(order) => order.next_block(),
                None => self.random.below((self.rule.range.as_u64() / self.grain).max(1)),
            };
            let at = self.base + block * self.grain;
            // The first block of a zone always fits: zones that are too short for it are not entered.
            if at + smallest <= end {
                return at;
            }
        }
    }
}
