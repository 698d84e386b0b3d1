//! Windows of all workers of a load on a common grid, given out as intervals in order of time.

use load::recorder::Recorder;
use model::{Interval, Nanos, Phase, Window};
use std::collections::BTreeMap;

/// How long workers that do not hand over their windows are waited for before an interval is given out without them.
const LATE: u64 = Nanos::from_secs(2).as_nanos();
/// Windows kept at least for those who look at a load, many times a second: a hundred seconds of the usual ones.
const KEEP: usize = 1024;
/// Windows a glance looks at.
const RECENT: usize = 5;

/// Windows of all workers on the common grid, given out as intervals in order of time.
pub(crate) struct Grid {
    start: u64,
    /// Length of a window.
    window: u64,
    /// Windows of an interval: what the journal keeps about each second.
    per_interval: u64,
    /// Windows before measuring begins.
    ramp: u64,
    groups: BTreeMap<u64, Group>,
    /// Groups below this number were given out.
    given: u64,
    drain: Interval,
    /// Windows that are complete, those before measuring began included, without the oldest of a long load.
    windows: Vec<Window>,
    /// So many of them are not kept any more.
    dropped: u64,
    /// Windows kept at least.
    keep: usize,
    /// Measured intervals put together.
    pub(crate) total: Interval,
    last_end: u64,
}

#[derive(Default)]
struct Group {
    interval: Interval,
    windows: BTreeMap<u64, Window>,
}

impl Grid {
    /// `ramp` windows are not measured. Intervals are no longer than `interval`, or one window where that is longer.
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

    /// Keeps at least the windows of the last `time` nanoseconds for whoever looks.
    pub(crate) fn keep(&mut self, time: u64) {
        let windows = usize::try_from(time / self.window.max(1)).unwrap_or(usize::MAX);
        self.keep = KEEP.max(windows.saturating_add(RECENT));
    }

    /// Ramp windows and measured windows never share a group.
    fn group_of(&self, window: u64) -> u64 {
        if window < self.ramp {
            window / self.per_interval
        } else {
            self.ramp.div_ceil(self.per_interval) + (window - self.ramp) / self.per_interval
        }
    }

    /// Windows of a group, half open.
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
        // Handed over too late for its own interval: counted in the next, so that no operation is lost.
        let number = recorder.window.max(self.range_of(self.given).0);
        let group = self.groups.entry(self.group_of(number)).or_default();
        let interval = recorder.to_interval(Phase::Measure);
        group.interval.merge_parallel(&interval);
        group.windows.entry(number).or_default().merge_parallel(&interval.windows[0]);
    }

    /// Gives out the groups that every worker has passed, and those nobody will wait for any longer.
    pub(crate) fn give_out(&mut self, covered: u64, now: u64, mut give: impl FnMut(Interval)) {
        if covered == u64::MAX {
            // All ended: `finish` knows where the last one is cut.
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

    /// Completes the list of windows as far as every worker has come, without waiting for whole seconds.
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
        // Those of an interval that is not given out yet are looked up by their numbers.
        if self.windows.len() > self.keep.saturating_mul(2) {
            self.dropped += self.windows.drain(..self.windows.len() - self.keep).len() as u64;
        }
    }

    /// Windows that are complete, those not kept any more included.
    fn complete(&self) -> u64 {
        self.dropped + self.windows.len() as u64
    }

    /// Measured windows, and how many before them are not kept any more.
    pub(crate) fn measured(&self) -> (usize, &[Window]) {
        let ramp = self.ramp.saturating_sub(self.dropped) as usize;
        (self.dropped.saturating_sub(self.ramp) as usize, self.windows.get(ramp..).unwrap_or_default())
    }

    pub(crate) fn recent(&self) -> &[Window] {
        &self.windows[self.windows.len().saturating_sub(RECENT)..]
    }

    /// Takes the next group, cut at `end`. Windows without any completion are filled in.
    fn take_group(&mut self, end: u64) -> Interval {
        let number = self.given;
        self.given += 1;
        let (from, to) = self.range_of(number);
        let Group { mut interval, windows } = self.groups.remove(&number).unwrap_or_default();
        let measured = from >= self.ramp;
        interval.phase = if measured { Phase::Measure } else { Phase::Ramp };
        // A group made up of what was handed over too late begins where sending ended: it has no length of its own.
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
            // Nobody asks the whole for them, and there are ten a second.
            self.total.windows.clear();
        }
        interval
    }

    /// What is left when the load has ended: the last intervals, cut where sending ended, and the drain. Also where
    /// measuring ended.
    pub(crate) fn finish(&mut self) -> (Vec<Interval>, u64) {
        // Workers end at a grid edge or at the stop, whichever they noticed; their windows say so.
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
