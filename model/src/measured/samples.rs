//! Samples of bandwidth and IOPS as fio takes them: means over periods of fixed length (`bwavgtime`, `iopsavgtime`),
//! summarised by minimum, maximum and deviation.
//!
//! For long runs only sums are kept ([`Sampled`]): windows are merged until they are as long as a sample.

use crate::measured::{Phase, Window};
use crate::{Interval, Nanos, Op};
use serde::{Deserialize, Serialize};

/// Maximum amount by which a sample may be too short: fio's scheduling slack.
const SLACK: Nanos = Nanos::from_millis(1);
/// Number of sampled directions: reads, writes, trims.
const WAYS: usize = 3;

/// Moments of a series of samples.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Samples {
    /// Number of samples.
    pub count: u64,
    /// Minimum; 0 without samples.
    pub min: f64,
    /// Maximum; 0 without samples.
    pub max: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Samples {
    /// Adds a sample.
    pub fn put(&mut self, value: f64) {
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        // Welford's algorithm: avoids large sums of squares, in which differences would be lost.
        let from_old = value - self.mean;
        self.mean += from_old / self.count as f64;
        self.squares += from_old * (value - self.mean);
    }

    /// Adds the samples of another job of the group. Like fio, this sums every field, because the samples were not
    /// taken at the same times.
    pub fn sum(&mut self, other: &Samples) {
        self.count += other.count;
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.squares += other.squares;
    }

    /// Returns the sample standard deviation.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        if self.count > 1 { (self.squares / (self.count - 1) as f64).sqrt() } else { 0.0 }
    }
}

/// Windows merged until they are as long as a sample.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenSample(Option<Window>);

impl OpenSample {
    /// Adds the next window. Returns the merged windows if they are now `length` long; the next sample then begins.
    pub fn add(&mut self, window: &Window, length: Nanos) -> Option<Window> {
        match &mut self.0 {
            Some(sum) => sum.merge(window),
            none => *none = Some(*window),
        }
        self.0.take_if(|sum| sum.length + SLACK >= length)
    }
}

/// Returns the bandwidth in KiB/s, the unit of fio's samples and logs.
#[must_use]
pub fn kib_per_second(window: &Window, op: Op) -> f64 {
    window.bytes[op.index()] as f64 / 1024.0 / window.length.secs().max(1e-9)
}

/// Returns the operations per second.
#[must_use]
pub fn ops_per_second(window: &Window, op: Op) -> f64 {
    window.ops[op.index()] as f64 / window.length.secs().max(1e-9)
}

/// Time in which a direction was busy, in whole windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BusyTime {
    /// Start of the first window with a completion.
    pub first: Nanos,
    /// Start of the last window with a completion.
    pub last: Nanos,
    /// End of the last window with a completion.
    pub until: Nanos,
}

/// Samples and busy times of a step. They are exact for steps of any length, because they are computed from the
/// measured windows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sampled {
    /// Lengths of a sample, for bandwidth and IOPS.
    lengths: [Nanos; 2],
    /// End of the last added interval; intervals that end no later are already included.
    until: Nanos,
    open: [OpenSample; 2],
    /// Complete samples, counted only if the job continues after them: fio takes no sample at the very end.
    #[serde(default)]
    whole: [Option<Window>; 2],
    /// Samples in KiB/s, by direction.
    bandwidth: [Samples; WAYS],
    /// Samples in operations per second, by direction.
    iops: [Samples; WAYS],
    busy: [Option<BusyTime>; WAYS],
}

impl Sampled {
    /// Returns an empty value, for samples of these lengths.
    #[must_use]
    pub fn new(bandwidth: Nanos, iops: Nanos) -> Sampled {
        Sampled { lengths: [bandwidth, iops], ..Sampled::default() }
    }

    /// Returns the samples of these intervals.
    #[must_use]
    pub fn from_intervals(bandwidth: Nanos, iops: Nanos, intervals: &[Interval]) -> Sampled {
        let mut sampled = Sampled::new(bandwidth, iops);
        intervals.iter().for_each(|i| sampled.take(i));
        sampled
    }

    /// Adds the next interval, unless it was added before: rewriting a journal repeats intervals.
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
        let kinds = [(&mut self.bandwidth, kib_per_second as fn(&Window, Op) -> f64), (&mut self.iops, ops_per_second)];
        let stretches = self.open.iter_mut().zip(&mut self.whole).zip(self.lengths);
        for ((samples, value), ((open, whole), length)) in kinds.into_iter().zip(stretches) {
            let before = whole.take();
            *whole = open.add(window, length);
            let Some(stretch) = before else { continue };
            // As in fio, a sample without completions does not count; stalls are reported as doubts.
            for op in Op::ALL.into_iter().filter(|op| op.index() < WAYS && stretch.ops[op.index()] > 0) {
                samples[op.index()].put(value(&stretch, op));
            }
        }
    }

    /// Returns the bandwidth samples of a direction, in KiB/s.
    #[must_use]
    pub fn bandwidth(&self, op: Op) -> Samples {
        self.bandwidth.get(op.index()).copied().unwrap_or_default()
    }

    /// Returns the IOPS samples of a direction.
    #[must_use]
    pub fn iops(&self, op: Op) -> Samples {
        self.iops.get(op.index()).copied().unwrap_or_default()
    }

    /// Returns the busy time of a direction, or `None` if nothing completed in that direction.
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
        let mut one = Samples::default();
        [10.0, 20.0].into_iter().for_each(|value| one.put(value));
        let mut both = one;
        both.sum(&one);
        assert_eq!((both.count, both.min, both.max, both.mean), (4, 20.0, 40.0, 30.0));
    }
}
