//! Samples of bandwidth and IOPS as fio takes them: means over stretches of a fixed length (`bwavgtime`, `iopsavgtime`), of
//! which the least, the largest, and the spread are told.
//!
//! Of a long run they are kept as sums ([`Sampled`]): its windows are put together until they are longer than a sample.

use crate::{Interval, Nanos, Op, Phase, Window};
use serde::{Deserialize, Serialize};

/// How much too short a sample may be: fio's scheduling slack.
const SLACK: u64 = Nanos::from_millis(1).as_nanos();
/// Directions that are sampled: reads, writes, trims.
pub const WAYS: usize = 3;

/// Moments of a series of samples.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Samples {
    /// How many.
    pub count: u64,
    /// The least; 0 where there is none.
    pub min: f64,
    /// The largest; 0 where there is none.
    pub max: f64,
    /// Their mean.
    pub mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Samples {
    /// Adds one.
    pub fn put(&mut self, value: f64) {
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        // Welford: no sum of large squares that the differences drown in.
        let from_old = value - self.mean;
        self.mean += from_old / self.count as f64;
        self.squares += from_old * (value - self.mean);
    }

    /// Adds those of another job of the group: like fio, everything is summed, the samples not being at the same times.
    pub fn sum(&mut self, other: &Samples) {
        self.count += other.count;
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.squares += other.squares;
    }

    /// Sample standard deviation.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        if self.count > 1 { (self.squares / (self.count - 1) as f64).sqrt() } else { 0.0 }
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Samples {
        let mut samples = Samples::default();
        values.into_iter().for_each(|v| samples.put(v));
        samples
    }
}

/// Windows put together until they are as long as a sample.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct OpenSample(Option<Window>);

impl OpenSample {
    /// Adds the next window. The stretch, where it is `length` long with it: the next one begins then.
    pub fn add(&mut self, window: &Window, length: Nanos) -> Option<Window> {
        let stretch = match &mut self.0 {
            None => self.0.insert(*window),
            Some(sum) => {
                sum.merge(window);
                sum
            }
        };
        if stretch.length.as_nanos() + SLACK < length.as_nanos() {
            return None;
        }
        self.0.take()
    }
}

/// Bandwidth in KiB/s, fio's unit of samples and logs.
#[must_use]
pub fn kib_per_second(window: &Window, op: Op) -> f64 {
    window.bytes[op.index()] as f64 / 1024.0 / window.length.secs().max(1e-9)
}

/// Operations per second.
#[must_use]
pub fn ops_per_second(window: &Window, op: Op) -> f64 {
    window.ops[op.index()] as f64 / window.length.secs().max(1e-9)
}

/// When a direction was busy, by windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BusyTime {
    /// Start of the first window with a completion.
    pub first: Nanos,
    /// Start of the last one.
    pub last: Nanos,
    /// End of the last one.
    pub until: Nanos,
}

/// Samples of a step, and when its directions were busy: exact however long the step, from windows as they were measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sampled {
    /// Lengths of a sample, of bandwidth and IOPS.
    lengths: [Nanos; 2],
    /// What ends no later is in.
    until: Nanos,
    open: [OpenSample; 2],
    /// Whole, and counted when the job goes on behind it: fio takes no sample at the very end.
    #[serde(default)]
    whole: [Option<Window>; 2],
    /// In KiB/s, by direction.
    bandwidth: [Samples; WAYS],
    /// By direction.
    iops: [Samples; WAYS],
    busy: [Option<BusyTime>; WAYS],
}

impl Sampled {
    /// Nothing yet, of samples of bandwidth and of IOPS of these lengths.
    #[must_use]
    pub fn new(bandwidth: Nanos, iops: Nanos) -> Sampled {
        Sampled { lengths: [bandwidth, iops], ..Sampled::default() }
    }

    /// That of intervals.
    #[must_use]
    pub fn from_intervals(bandwidth: Nanos, iops: Nanos, intervals: &[Interval]) -> Sampled {
        let mut sampled = Sampled::new(bandwidth, iops);
        intervals.iter().for_each(|i| sampled.take(i));
        sampled
    }

    /// Adds the next interval. One that was taken before is passed over: a journal that is written anew tells them again.
    pub fn take(&mut self, interval: &Interval) {
        let end = interval.start.saturating_add(interval.length);
        if interval.phase == Phase::Ramp || end <= self.until {
            return;
        }
        self.until = end;
        for window in &interval.windows {
            for (busy, _) in self.busy.iter_mut().zip(window.ops).filter(|(_, ops)| *ops > 0) {
                let busy = busy.get_or_insert(BusyTime { first: window.start, ..BusyTime::default() });
                (busy.last, busy.until) = (window.start, (window.start + window.length));
            }
            if interval.phase == Phase::Measure {
                self.measure(window);
            }
        }
    }

    fn measure(&mut self, window: &Window) {
        let all = [(&mut self.bandwidth, kib_per_second as fn(&Window, Op) -> f64), (&mut self.iops, ops_per_second)];
        let stretches = self.open.iter_mut().zip(&mut self.whole).zip(self.lengths);
        for ((samples, value), ((open, whole), length)) in all.into_iter().zip(stretches) {
            let before = whole.take();
            *whole = open.add(window, length);
            let Some(stretch) = before else { continue };
            // As in fio, a sample in which nothing completed is none: stalls are told among the doubts.
            for op in Op::ALL.into_iter().filter(|op| op.index() < WAYS && stretch.ops[op.index()] > 0) {
                samples[op.index()].put(value(&stretch, op));
            }
        }
    }

    /// Samples of bandwidth in KiB/s of a direction.
    #[must_use]
    pub fn bandwidth(&self, op: Op) -> Samples {
        self.bandwidth.get(op.index()).copied().unwrap_or_default()
    }

    /// Samples of IOPS of a direction.
    #[must_use]
    pub fn iops(&self, op: Op) -> Samples {
        self.iops.get(op.index()).copied().unwrap_or_default()
    }

    /// When a direction was busy; `None` = never.
    #[must_use]
    pub fn busy(&self, op: Op) -> Option<BusyTime> {
        self.busy.get(op.index()).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: Nanos = Nanos::from_millis(500);
    const TENTH: Nanos = Nanos::from_millis(100);

    fn window(number: u64, ops: u64) -> Window {
        Window {
            start: Nanos(number * 100_000_000),
            length: TENTH,
            ops: [ops, 0, 0, 0],
            bytes: [ops * 4096, 0, 0, 0],
            ..Window::default()
        }
    }

    fn new(length: Nanos, ops: &[u64]) -> Sampled {
        let windows: Vec<Window> = ops.iter().enumerate().map(|(i, n)| window(i as u64, *n)).collect();
        let length_of_all = Nanos(windows.len() as u64 * TENTH.as_nanos());
        Sampled::from_intervals(length, length, &[Interval { length: length_of_all, windows, ..Interval::default() }])
    }

    #[test]
    fn windows_make_samples_of_the_length_asked_and_a_short_rest_is_left_out() {
        let sampled = new(HALF, &[10, 10, 10, 10, 10, 30, 30, 30, 30, 30, 30, 30]);
        let iops = sampled.iops(Op::Read);
        assert_eq!((iops.count, iops.min, iops.max, iops.mean), (2, 100.0, 300.0, 200.0));
        assert!((iops.deviation() - 20_000f64.sqrt()).abs() < 1e-9);
        let kib = sampled.bandwidth(Op::Read);
        assert_eq!((kib.min, kib.max), (400.0, 1200.0));
        let busy = sampled.busy(Op::Read).expect("it read");
        assert_eq!(
            (busy.first, busy.last, busy.until),
            (Nanos(0), Nanos::from_millis(1_100), Nanos::from_millis(1_200))
        );
        assert_eq!(sampled.busy(Op::Write), None);
    }

    #[test]
    fn a_sample_that_ends_with_the_job_is_left_out_as_in_fio() {
        // fio 3.33: 1 sample of 1 s, 9 of 5 s, 10 of 5.1 s.
        for (tenths, samples) in [(10, 1), (50, 9), (51, 10), (5, 0)] {
            assert_eq!(new(HALF, &vec![10; tenths]).iops(Op::Read).count, samples, "{tenths} tenths of a second");
        }
    }

    #[test]
    fn a_sample_in_which_nothing_completed_is_none_as_in_fio() {
        let sampled = new(TENTH, &[0, 0, 10, 0, 10, 0]);
        assert_eq!((sampled.iops(Op::Read).count, sampled.iops(Op::Read).min), (2, 100.0));
        assert_eq!(sampled.iops(Op::Write), Samples::default());
    }

    #[test]
    fn jobs_of_a_group_are_summed() {
        let one: Samples = [10.0, 20.0].into_iter().collect();
        let mut both = one;
        both.sum(&one);
        assert_eq!((both.count, both.min, both.max, both.mean), (4, 20.0, 40.0, 30.0));
    }
}
