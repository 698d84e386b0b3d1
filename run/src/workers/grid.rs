//! Merges the windows of all workers of a load on a common time grid, and returns them as intervals in order of time.

use load::recorder::Recorder;
use model::measured::{Phase, Window};
use model::{Interval, Nanos};
use std::collections::BTreeMap;

/// Maximum time to wait for workers that do not hand over their windows, in nanoseconds. After that, an interval is
/// returned without them.
const LATE: u64 = Nanos::from_secs(2).as_nanos();
/// Minimum number of windows kept for watches, which read them many times per second: a hundred seconds at the usual
/// length.
const KEEP: usize = 1024;
/// Number of windows in a snapshot.
const RECENT: usize = 5;

/// Windows of all workers of a load on a common time grid.
pub(crate) struct Grid {
    start: u64,
    /// Length of a window, in nanoseconds.
    window: u64,
    /// Number of windows per interval; the journal stores an interval about once per second.
    per_interval: u64,
    /// Number of windows before the measurement.
    ramp: u64,
    groups: BTreeMap<u64, Group>,
    /// Number of groups (windows of one interval) already returned.
    given: u64,
    drain: Interval,
    /// Complete windows, including those before the measurement. The oldest windows of a long load are dropped.
    windows: Vec<Window>,
    /// Number of older windows that were dropped.
    dropped: u64,
    /// Minimum number of windows to keep.
    keep: usize,
    /// Sum of the measured intervals.
    pub(crate) total: Interval,
    last_end: u64,
}

#[derive(Default)]
struct Group {
    interval: Interval,
    windows: BTreeMap<u64, Window>,
}

impl Grid {
    /// Creates a grid whose first `ramp` windows are not measured. Intervals are at most `interval` nanoseconds long,
    /// or one window if that is longer.
    pub(crate) fn new(start: u64, window: u64, interval: u64, ramp: u64) -> Self {
        Grid {
            start,
            window,
            per_interval: (interval / window).max(1),
            ramp,
            groups: BTreeMap::new(),
            given: 0,
            drain: Interval { phase: Phase::Drain, ..Interval::default() },
            windows: Vec::new(),
            dropped: 0,
            keep: KEEP,
            total: Interval::default(),
            last_end: start,
        }
    }

    /// Keeps at least the windows of the last `time` nanoseconds.
    pub(crate) fn keep(&mut self, time: u64) {
        let windows = usize::try_from(time / self.window.max(1)).unwrap_or(usize::MAX);
        self.keep = KEEP.max(windows.saturating_add(RECENT));
    }

    /// Returns the group of a window. Ramp windows and measured windows never share a group.
    fn group_of(&self, window: u64) -> u64 {
        if window < self.ramp {
            window / self.per_interval
        } else {
            self.ramp.div_ceil(self.per_interval) + (window - self.ramp) / self.per_interval
        }
    }

    /// Returns the windows of a group, as a half-open range.
    fn range_of(&self, group: u64) -> (u64, u64) {
        let ramp_groups = self.ramp.div_ceil(self.per_interval);
        if group < ramp_groups {
            (group * self.per_interval, ((group + 1) * self.per_interval).min(self.ramp))
        } else {
            let first = self.ramp + (group - ramp_groups) * self.per_interval;
            (first, first + self.per_interval)
        }
    }

    pub(crate) fn add(&mut self, recorder: &Recorder) {
        if recorder.window == u64::MAX {
            let drained = recorder.to_interval(Phase::Drain);
            if self.drain.length.is_zero() {
                self.drain.start = drained.start;
                self.drain.length = drained.length;
            }
            self.drain.merge_parallel(&drained);
            return;
        }
        self.last_end = self.last_end.max(recorder.end);
        // A window that was handed over too late for its interval counts in the next one, so that no operation is lost.
        let number = recorder.window.max(self.range_of(self.given).0);
        let group = self.groups.entry(self.group_of(number)).or_default();
        let interval = recorder.to_interval(Phase::Measure);
        group.interval.merge_parallel(&interval);
        group.windows.entry(number).or_default().merge_parallel(&interval.windows[0]);
    }

    /// Returns the groups that every worker has completed, and those that are overdue.
    pub(crate) fn give_out(&mut self, covered: u64, now: u64, mut give: impl FnMut(Interval)) {
        if covered == u64::MAX {
            // All workers have ended; `finish` returns the rest, because it knows when the last group ends.
            return;
        }
        loop {
            let (_, to) = self.range_of(self.given);
            let edge = self.start + to * self.window;
            if covered < edge && now < edge + LATE {
                break;
            }
            let interval = self.take_group(u64::MAX);
            give(interval);
        }
        self.extend_windows(covered);
    }

    /// Adds the windows that every worker has completed to the list, without waiting for whole intervals.
    fn extend_windows(&mut self, covered: u64) {
        let done = covered.saturating_sub(self.start) / self.window;
        let mut next = self.complete();
        while next < done {
            let window = self.groups.get(&self.group_of(next)).and_then(|g| g.windows.get(&next)).copied();
            let mut window = window.unwrap_or_default();
            window.start = Nanos(self.start + next * self.window);
            window.length = Nanos(self.window);
            self.windows.push(window);
            next += 1;
        }
        // Dropping is safe, because an interval that is not returned yet takes its windows from its group, not from
        // this list.
        if self.windows.len() > self.keep.saturating_mul(2) {
            self.dropped += self.windows.drain(..self.windows.len() - self.keep).len() as u64;
        }
    }

    /// Returns the number of complete windows, including dropped ones.
    fn complete(&self) -> u64 {
        self.dropped + self.windows.len() as u64
    }

    /// Returns the measured windows, and the number of dropped ones before them.
    pub(crate) fn measured(&self) -> (usize, &[Window]) {
        let ramp = self.ramp.saturating_sub(self.dropped) as usize;
        (self.dropped.saturating_sub(self.ramp) as usize, self.windows.get(ramp..).unwrap_or_default())
    }

    pub(crate) fn recent(&self) -> &[Window] {
        &self.windows[self.windows.len().saturating_sub(RECENT)..]
    }

    /// Takes the next group, cut at `end`. Missing windows, in which nothing completed, are added as empty ones.
    fn take_group(&mut self, end: u64) -> Interval {
        let number = self.given;
        self.given += 1;
        let (from, to) = self.range_of(number);
        let Group { mut interval, windows } = self.groups.remove(&number).unwrap_or_default();
        let measured = from >= self.ramp;
        interval.phase = if measured { Phase::Measure } else { Phase::Ramp };
        // A group that consists only of late windows begins at the end of submission and has no length.
        interval.start = Nanos((self.start + from * self.window).min(end));
        interval.windows.clear();
        for n in from..to {
            let start = self.start + n * self.window;
            if start >= end {
                break;
            }
            let mut window = windows.get(&n).copied().unwrap_or_default();
            window.start = Nanos(start);
            window.length = Nanos(self.window.min(end - start));
            interval.windows.push(window);
            if self.complete() == n {
                self.windows.push(window);
            }
        }
        interval.length = interval.windows.iter().map(|w| w.length).sum::<Nanos>();
        if measured {
            self.total.merge(&interval);
            // The sum needs no windows, and ten per second would accumulate.
            self.total.windows.clear();
        }
        interval
    }

    /// Returns the remaining intervals after the end of a load, cut at the end of submission, then the drain; also
    /// returns the end of the measurement.
    pub(crate) fn finish(&mut self) -> (Vec<Interval>, u64) {
        // Workers end at a window boundary or when they notice the stop. The end of their last windows is the actual
        // end.
        let end = self.last_end;
        let mut rest = Vec::new();
        while self.start + self.range_of(self.given).0 * self.window < end || !self.groups.is_empty() {
            rest.push(self.take_group(end));
        }
        if self.drain.ops() > 0 || self.drain.failed() > 0 {
            rest.push(std::mem::take(&mut self.drain));
        }
        (rest, end)
    }
}
