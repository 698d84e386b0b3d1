//! Times at which operations are sent. A closed loop sends the next operation as soon as one completes. In an open
//! loop, the arrival times are fixed before the run, independently of the device. A stall is therefore visible in every
//! request that it delays (docs/design/statistics.md, "Open and closed loops").

use crate::random::{Random, mix};
use model::plan::{Pacing, RequestInterval};
use model::{Iops, Nanos};

/// Arrival times of an open loop, in nanoseconds since the start of the load.
#[derive(Debug, Clone)]
pub struct Arrivals {
    /// Time of the next arrival. It is a double, so gaps are not rounded and the rate does not drift.
    due: f64,
    gap: f64,
    poisson: bool,
    random: Random,
}

impl Arrivals {
    /// Returns the arrival times for worker number `worker` of `workers`, or `None` for a closed loop. Each worker
    /// sends an equal share of the operations. With fixed intervals, the workers' arrivals are interleaved.
    #[must_use]
    pub fn new(pacing: Pacing, worker: u32, workers: u32, seed: u64) -> Option<Self> {
        let Iops(rate) = pacing.rate()?;
        let gap = 1e9 * f64::from(workers.max(1)) / rate;
        let poisson = matches!(pacing, Pacing::Poisson(_));
        // Each worker draws different times. If all workers used the same times, arrivals would come in groups of one
        // per worker.
        let mut random = Random::new(mix(seed ^ mix(u64::from(worker) + 1)) ^ 0xA221);
        let first =
            if poisson { random.exponential() * gap } else { gap * f64::from(worker) / f64::from(workers.max(1)) };
        Some(Arrivals { due: first, gap, poisson, random })
    }

    /// Returns the time at which the next operation is due.
    #[inline(always)]
    #[must_use]
    pub fn due(&self) -> u64 {
        self.due as u64
    }

    /// Advances to the next arrival.
    #[inline(always)]
    pub fn advance(&mut self) {
        let factor = if self.poisson { self.random.exponential() } else { 1.0 };
        self.due += self.gap * factor;
    }
}

/// Running state of a [`RequestInterval`]: computes when the next operation is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metronome {
    request_interval: RequestInterval,
    due: u64,
    /// Operations since the last interval.
    in_row: u64,
}

impl Metronome {
    /// Creates a metronome whose first operation is due at `start`.
    #[must_use]
    pub const fn new(request_interval: RequestInterval, start: Nanos) -> Self {
        Metronome { request_interval, due: start.as_nanos(), in_row: 0 }
    }

    /// Returns when the next operation is due.
    #[must_use]
    #[inline]
    pub const fn due(&self) -> Nanos {
        Nanos(self.due)
    }

    /// Records that the due operation has ended.
    #[inline]
    pub fn ended(&mut self, now: Nanos) {
        self.in_row += 1;
        if self.in_row >= self.request_interval.burst {
            self.in_row = 0;
            self.due = self.due.saturating_add(self.request_interval.interval.as_nanos());
        }
        if !self.request_interval.from_due {
            self.due = self.due.max(now.as_nanos());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_arrivals_of_all_workers_are_evenly_spread() {
        let mut arrivals: Vec<u64> = Vec::new();
        for worker in 0..4 {
            let mut a = Arrivals::new(Pacing::Fixed(Iops(1000.0)), worker, 4, 0).unwrap();
            for _ in 0..250 {
                arrivals.push(a.due());
                a.advance();
            }
        }
        arrivals.sort_unstable();
        assert!(arrivals.windows(2).all(|w| w[1] - w[0] == 1_000_000));
    }

    #[test]
    fn poisson_arrivals_have_the_rate_and_the_spread() {
        let mut a = Arrivals::new(Pacing::Poisson(Iops(1000.0)), 0, 1, 5).unwrap();
        let mut gaps = Vec::new();
        for _ in 0..100_000 {
            let before = a.due();
            a.advance();
            gaps.push((a.due() - before) as f64 / 1e6);
        }
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let var = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!((var - 1.0).abs() < 0.05, "{var}");
    }

    #[test]
    fn poisson_arrivals_of_all_workers_together_are_poisson() {
        let mut arrivals: Vec<u64> = Vec::new();
        for worker in 0..8 {
            let mut a = Arrivals::new(Pacing::Poisson(Iops(8000.0)), worker, 8, 5).unwrap();
            for _ in 0..10_000 {
                arrivals.push(a.due());
                a.advance();
            }
        }
        arrivals.sort_unstable();
        // The workers' last arrivals end at different times, so only the first 72,000 arrivals are checked. These are
        // distributed like the arrivals of a single process with the whole rate.
        let gaps: Vec<f64> = arrivals[..72_000].windows(2).map(|w| (w[1] - w[0]) as f64 / 125_000.0).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let var = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
        assert!((var - 1.0).abs() < 0.06, "{var}");
    }

    #[test]
    fn a_rate_that_does_not_divide_a_second_does_not_drift() {
        let mut a = Arrivals::new(Pacing::Fixed(Iops(3333.0)), 0, 1, 0).unwrap();
        for _ in 0..3333 * 3600 {
            a.advance();
        }
        assert!(a.due().abs_diff(3_600_000_000_000) < 1_000_000);
    }

    #[test]
    fn a_closed_loop_has_no_arrivals() {
        assert!(Arrivals::new(Pacing::Closed, 0, 1, 0).is_none());
    }
}
