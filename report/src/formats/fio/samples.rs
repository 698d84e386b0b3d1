//! Samples of bandwidth and IOPS: windows put together to the length fio averages over (`bwavgtime`, `iopsavgtime`).

use model::{Nanos, Op, Window};

/// Moments of a series of samples.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Samples {
    pub count: u64,
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Samples {
    fn of(values: &[f64]) -> Samples {
        if values.is_empty() {
            return Samples::default();
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Samples {
            count: values.len() as u64,
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(0.0, f64::max),
            mean,
            squares: values.iter().map(|v| (v - mean).powi(2)).sum(),
        }
    }

    /// Adds those of another job of the group: like fio, everything is summed, the samples not being at the same times.
    pub(super) fn sum(&mut self, other: &Samples) {
        self.count += other.count;
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.squares += other.squares;
    }

    /// Sample standard deviation.
    pub(super) fn deviation(&self) -> f64 {
        if self.count > 1 { (self.squares / (self.count - 1) as f64).sqrt() } else { 0.0 }
    }
}

/// How much too short a sample may be: fio's scheduling slack.
const SLACK: u64 = 1_000_000;

/// Windows put together to stretches of at least `length`, the last of them left out when it is shorter.
pub(super) fn stretches<'a>(windows: impl Iterator<Item = &'a Window>, length: Nanos) -> impl Iterator<Item = Window> {
    let mut windows = windows.peekable();
    std::iter::from_fn(move || {
        let mut sum: Option<Window> = None;
        loop {
            let window = windows.next()?;
            let stretch = match &mut sum {
                None => sum.insert(*window),
                Some(sum) => {
                    add(sum, window);
                    sum
                }
            };
            if stretch.length.0 + SLACK >= length.0 {
                return Some(*stretch);
            }
        }
    })
}

fn add(sum: &mut Window, window: &Window) {
    // A gap between windows is time that passed, too.
    sum.length = Nanos((window.start.0 + window.length.0).saturating_sub(sum.start.0));
    sum.errors += window.errors;
    sum.latency_sum += window.latency_sum;
    sum.ops.iter_mut().zip(window.ops).for_each(|(a, b)| *a += b);
    sum.bytes.iter_mut().zip(window.bytes).for_each(|(a, b)| *a += b);
}

/// Bandwidth in KiB/s, fio's unit of samples and logs.
pub(super) fn kib_per_second(window: &Window, op: Op) -> f64 {
    window.bytes[op.index()] as f64 / 1024.0 / window.length.secs().max(1e-9)
}

/// Operations per second.
pub(super) fn per_second(window: &Window, op: Op) -> f64 {
    window.ops[op.index()] as f64 / window.length.secs().max(1e-9)
}

/// Samples of one direction. As in fio, one in which nothing completed is none: stalls are told among the doubts.
pub(super) fn sampled<'a>(
    windows: impl Iterator<Item = &'a Window>,
    length: Nanos,
    op: Op,
    value: fn(&Window, Op) -> f64,
) -> Samples {
    let busy = stretches(windows, length).filter(|w| w.ops[op.index()] > 0);
    let values: Vec<f64> = busy.map(|w| value(&w, op)).collect();
    Samples::of(&values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(number: u64, ops: u64) -> Window {
        Window {
            start: Nanos(number * 100_000_000),
            length: Nanos(100_000_000),
            ops: [ops, 0, 0, 0],
            bytes: [ops * 4096, 0, 0, 0],
            ..Window::default()
        }
    }

    #[test]
    fn windows_make_samples_of_the_length_asked_and_a_short_rest_is_left_out() {
        let windows: Vec<Window> = (0..12).map(|i| window(i, if i < 5 { 10 } else { 30 })).collect();
        let samples = sampled(windows.iter(), Nanos(500_000_000), Op::Read, per_second);
        assert_eq!((samples.count, samples.min, samples.max, samples.mean), (2, 100.0, 300.0, 200.0));
        assert!((samples.deviation() - 20_000f64.sqrt()).abs() < 1e-9);
        let kib = sampled(windows.iter(), Nanos(500_000_000), Op::Read, kib_per_second);
        assert_eq!((kib.min, kib.max), (400.0, 1200.0));
    }

    #[test]
    fn a_sample_in_which_nothing_completed_is_none_as_in_fio() {
        let ops = [0, 0, 10, 0, 10, 0];
        let windows: Vec<Window> = ops.iter().enumerate().map(|(i, n)| window(i as u64, *n)).collect();
        let samples = sampled(windows.iter(), Nanos(100_000_000), Op::Read, per_second);
        assert_eq!((samples.count, samples.min), (2, 100.0));
        assert_eq!(sampled(windows.iter(), Nanos(100_000_000), Op::Write, per_second), Samples::default());
    }

    #[test]
    fn jobs_of_a_group_are_summed() {
        let one = Samples::of(&[10.0, 20.0]);
        let mut both = one;
        both.sum(&one);
        assert_eq!((both.count, both.min, both.max, both.mean), (4, 20.0, 40.0, 30.0));
    }
}
