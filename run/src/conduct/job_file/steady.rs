//! fio's steadystate: a series of seconds is steady if its slope, or its maximum deviation from the mean, is small over
//! a window (fio's steadystate.c). It is used for job files only; `analysis` judges the steadiness of qualifications by
//! a different rule.

use model::plan::{SteadyOf, SteadyRule};
use model::{Interval, Op, measured::Phase, record::SteadyResult};
use std::collections::VecDeque;

/// Steadiness detector for one or several jobs.
pub struct Steady {
    rule: SteadyRule,
    /// Seconds that some members have not reported yet, with the sums so far.
    open: VecDeque<SteadySample>,
    /// Sums of the samples in the last window.
    window: VecDeque<Figures>,
    /// Remaining time to skip at the beginning, in nanoseconds.
    ramp_left: u64,
    attained: bool,
    slope: f64,
    deviation: f64,
}

#[derive(Default)]
struct SteadySample {
    reported: Vec<bool>,
    figures: Figures,
}

/// Figures of one sample: rates, and the mean latency as sum and count.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Figures {
    iops: f64,
    bandwidth: f64,
    latency_sum: f64,
    latency_count: f64,
    length: f64,
}

impl Figures {
    fn figure(&self, what: SteadyOf) -> f64 {
        match what {
            SteadyOf::Iops => self.iops,
            SteadyOf::Bandwidth => self.bandwidth,
            SteadyOf::Latency => self.latency(),
        }
    }

    fn latency(&self) -> f64 {
        if self.latency_count > 0.0 { self.latency_sum / self.latency_count } else { 0.0 }
    }
}

impl Steady {
    /// Creates a detector without samples.
    #[must_use]
    pub fn new(rule: SteadyRule) -> Self {
        Steady {
            rule,
            open: VecDeque::new(),
            window: VecDeque::new(),
            ramp_left: rule.ramp.as_nanos(),
            attained: false,
            slope: 0.0,
            deviation: 0.0,
        }
    }

    /// Adds a measured second of a member; a second counts once all `members` have reported it.
    pub fn add(&mut self, member: usize, members: usize, interval: &Interval) {
        if interval.phase != Phase::Measure || interval.length.is_zero() || self.attained {
            return;
        }
        let seconds = interval.length.secs();
        let place = match self.open.iter().position(|look| !look.reported.get(member).copied().unwrap_or(false)) {
            Some(place) => place,
            None => {
                self.open.push_back(SteadySample { reported: vec![false; members], figures: Figures::default() });
                self.open.len() - 1
            }
        };
        let look = &mut self.open[place];
        look.reported[member] = true;
        look.figures.iops += interval.data_ops() as f64 / seconds;
        look.figures.bandwidth += interval.bytes().as_u64() as f64 / seconds;
        look.figures.length = look.figures.length.max(seconds);
        for op in [Op::Read, Op::Write, Op::Trim] {
            let summary = interval.op(op).latency.summary();
            look.figures.latency_sum += summary.sum as f64;
            look.figures.latency_count += summary.count as f64;
        }
        while self.open.front().is_some_and(|look| look.reported.iter().all(|t| *t)) {
            let figures = self.open.pop_front().expect("just looked at").figures;
            self.take(figures);
        }
    }

    fn take(&mut self, figures: Figures) {
        let length = (figures.length * 1e9) as u64;
        if self.ramp_left > 0 {
            self.ramp_left = self.ramp_left.saturating_sub(length);
            return;
        }
        let looks = (self.rule.duration.as_nanos() / self.rule.check.as_nanos().max(1)).max(1) as usize;
        self.window.push_back(figures);
        while self.window.len() > looks {
            self.window.pop_front();
        }
        if self.window.len() < looks {
            return;
        }
        let series: Vec<f64> = self.window.iter().map(|f| f.figure(self.rule.of)).collect();
        let mean = series.iter().sum::<f64>() / series.len() as f64;
        let unit = if self.rule.percent { 100.0 / mean.max(f64::MIN_POSITIVE) } else { 1.0 };
        self.slope = slope(&series) * unit;
        self.deviation = series.iter().map(|x| (x - mean).abs()).fold(0.0, f64::max) * unit;
        let criterion = if self.rule.slope { self.slope.abs() } else { self.deviation };
        self.attained = criterion < self.rule.limit;
    }

    /// Returns `true` if the last full window was steady.
    #[must_use]
    pub fn attained(&self) -> bool {
        self.attained
    }

    /// Returns the result for the record.
    #[must_use]
    pub fn result(&self) -> SteadyResult {
        SteadyResult {
            attained: self.attained,
            criterion: if self.rule.slope { self.slope } else { self.deviation },
            slope: self.slope,
            max_deviation: self.deviation,
            iops: self.window.iter().map(|f| f.iops).collect(),
            bandwidth: self.window.iter().map(|f| f.bandwidth).collect(),
            latency: self.window.iter().map(Figures::latency).collect(),
        }
    }
}

/// Returns the slope of the least-squares line through (0, y0), (1, y1), ...
fn slope(series: &[f64]) -> f64 {
    let n = series.len() as f64;
    let x_mean = (n - 1.0) / 2.0;
    let y_mean = series.iter().sum::<f64>() / n;
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in series.iter().enumerate() {
        above += (x as f64 - x_mean) * (y - y_mean);
        below += (x as f64 - x_mean).powi(2);
    }
    if below > 0.0 { above / below } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    fn second(ops: u64) -> Interval {
        let mut interval = Interval { length: Nanos::from_secs(1), ..Interval::default() };
        interval.per_op[0].tally.ops = ops;
        interval.per_op[0].tally.bytes = ops * 4096;
        interval
    }

    fn rule(slope: bool, limit: f64) -> SteadyRule {
        SteadyRule {
            of: SteadyOf::Iops,
            slope,
            limit,
            percent: true,
            duration: Nanos::from_secs(5),
            ramp: Nanos::from_secs(2),
            check: Nanos::from_secs(1),
        }
    }

    #[test]
    fn a_level_series_is_steady_after_ramp_and_window() {
        let mut steady = Steady::new(rule(false, 1.0));
        for n in 0..7 {
            assert!(!steady.attained(), "after {n} seconds");
            steady.add(0, 1, &second(1000));
        }
        assert!(steady.attained());
        assert_eq!(steady.result().iops, vec![1000.0; 5]);
    }

    #[test]
    fn a_rising_series_is_not_until_it_is_level() {
        let mut steady = Steady::new(rule(true, 0.5));
        for n in 0..20 {
            steady.add(0, 1, &second(1000 + 100 * n));
        }
        assert!(!steady.attained(), "{:?}", steady.result());
        for _ in 0..5 {
            steady.add(0, 1, &second(3000));
        }
        assert!(steady.attained());
    }

    #[test]
    fn members_are_summed_second_by_second() {
        let mut steady = Steady::new(rule(false, 1.0));
        for _ in 0..7 {
            steady.add(0, 2, &second(1000));
        }
        assert!(!steady.attained(), "the other has said nothing");
        for _ in 0..7 {
            steady.add(1, 2, &second(500));
        }
        assert!(steady.attained());
        assert_eq!(steady.result().iops[0], 1500.0);
    }
}
