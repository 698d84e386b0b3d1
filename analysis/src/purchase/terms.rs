//! Checks whether limits carry a demand on given terms, and computes the resulting service.

use super::load::{Countings, Load};
use super::queue::{Offer, Passage, passes};
use super::steps::Demands;
use model::bounds::LimitAxis;
use model::judged::{Headroom, ServedDemand};
use model::{Limit, Nanos, Op};

/// Relative difference up to which rates are equal.
const ROUNDING: f64 = 1e-9;
/// Longest reported time, in seconds: ten years.
const LONGEST: f64 = 10.0 * 365.0 * 86_400.0;

/// Requirements of a purchase.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PurchaseTerms {
    /// Headroom added to the demand: 0.3 = 30 %.
    pub headroom: f64,
    /// Maximum wait of a request, in whole seconds.
    pub wait: u64,
    /// Seconds for which the repeated recording must be carried; `None` = without end.
    pub lasting: Option<u64>,
    /// Fill level of credit buckets at the beginning, 0..=1.
    pub credits: f64,
}

/// A demand with precomputed figures.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub demands: Demands<'a>,
    /// Maximum of a second, and total, by way of counting, axis and direction (both, reads, writes).
    figures: Vec<[[(f64, f64); 3]; 2]>,
}

impl<'a> Asked<'a> {
    pub fn new(load: &'a Load, countings: &'a Countings, period: u64) -> Self {
        let ways = countings.0.len();
        let mut figures = vec![[[(0.0_f64, 0.0_f64); 3]; 2]; ways];
        for second in load.charged.chunks(countings.stride()) {
            for (way, figures) in figures.iter_mut().enumerate() {
                for (axis, figures) in figures.iter_mut().enumerate() {
                    let (read, write) = (second[way][axis] as f64, second[ways + way][axis] as f64);
                    for (figure, value) in figures.iter_mut().zip([read + write, read, write]) {
                        *figure = (figure.0.max(value), figure.1 + value);
                    }
                }
            }
        }
        Asked { demands: Demands::new(vec![load], countings, period), figures }
    }

    /// Returns the maximum of a second, and the mean.
    fn maximum_and_mean(&self, limit: &Limit, axis: LimitAxis) -> (f64, f64) {
        let figures = &self.figures[self.demands.countings.place(limit.charging)];
        let direction = match limit.op {
            None => 0,
            Some(Op::Read) => 1,
            Some(Op::Write) => 2,
            Some(_) => return (0.0, 0.0),
        };
        let (most, total) = figures[usize::from(axis == LimitAxis::Bandwidth)][direction];
        (most, total / self.demands.period as f64)
    }

    /// Returns the mean size of requests in bytes, with neighbours merged as by the vendor that merges most.
    pub fn mean_size(&self) -> f64 {
        let [ops, bytes] = self.figures[0].map(|axis| axis[0].1);
        let merged = self.figures.iter().map(|way| way[0][0].1).fold(ops, f64::min);
        bytes / merged.max(1.0)
    }

    /// Returns the tightest of the sustained caps, compared with the busiest second.
    pub fn headroom(&self, limits: &[Limit]) -> Option<Headroom> {
        let axes = [LimitAxis::Iops, LimitAxis::Bandwidth];
        let caps = limits.iter().flat_map(|limit| axes.into_iter().map(move |axis| (limit, axis)));
        let factor = |(limit, axis): (&Limit, LimitAxis)| {
            let (most, _) = self.maximum_and_mean(limit, axis);
            let factor = limit.cap(axis)? / most;
            (most > 0.0).then(|| Headroom { factor, limit: limit.axis_name(axis) })
        };
        caps.filter_map(factor).min_by(|a, b| a.factor.total_cmp(&b.factor))
    }

    /// Returns `true` if operations and bytes of the whole demand are capped: if a document omits one of them, it is
    /// unknown whether the demand is carried. A local device, which is rated at its own small unit, needs no cap on
    /// bytes.
    pub fn known(&self, limits: &[Limit], local: bool) -> bool {
        let capped = |axis, direction| is_capped(limits, axis, direction);
        self.directions().all(|d| capped(LimitAxis::Iops, d) && (local || capped(LimitAxis::Bandwidth, d)))
    }

    /// Returns `true` if operations or bytes of the whole demand are capped: some instances have no cap on operations.
    pub fn bounded(&self, limits: &[Limit]) -> bool {
        let capped = |axis, direction| is_capped(limits, axis, direction);
        self.directions().all(|d| capped(LimitAxis::Iops, d) || capped(LimitAxis::Bandwidth, d))
    }

    /// Returns the directions of the demand: 0 for reads, 1 for writes.
    fn directions(&self) -> impl Iterator<Item = usize> {
        [0, 1].into_iter().filter(|direction| self.figures[0][0][direction + 1].1 > 0.0)
    }

    /// Returns `true` if limits carry the demand: by figures of its seconds if they are conclusive, else second by
    /// second.
    pub fn carried(&self, limits: &[Limit], terms: &PurchaseTerms) -> bool {
        let scale = 1.0 + terms.headroom;
        let mut spared = true;
        for (limit, axis) in limits.iter().flat_map(|l| [(l, LimitAxis::Iops), (l, LimitAxis::Bandwidth)]) {
            let Some(base) = limit.cap(axis) else { continue };
            let (most, mean) = self.maximum_and_mean(limit, axis);
            if most * scale <= base * (1.0 + ROUNDING) {
                continue;
            }
            spared = false;
            let burst = limit.burst(axis);
            let rate = burst.map_or(base, |b| b.rate);
            if terms.wait == 0 && most * scale > rate * (1.0 + ROUNDING) {
                return false;
            }
            let granted = burst.and_then(|b| b.granted(base)).unwrap_or(0.0);
            if terms.lasting.is_none() && mean * scale > (base + granted) * (1.0 + ROUNDING) {
                return false;
            }
        }
        spared || self.passes(limits, terms)
    }

    fn passes(&self, limits: &[Limit], terms: &PurchaseTerms) -> bool {
        let numbered: Vec<_> = limits.iter().map(|l| (None, l)).collect();
        let period = self.demands.period;
        let mut passage = Passage::new(offer(&self.demands, terms), &numbered);
        match terms.lasting {
            Some(seconds) => passage.pass(seconds, Some(terms.wait)),
            None => {
                // The levels of the buckets fall from the first round to the second, or never.
                let once = passage.pass(period, Some(terms.wait));
                if !once || passage.repeats() {
                    return once;
                }
                let levels = passage.levels();
                passage.pass(period, Some(terms.wait))
                    && levels.iter().zip(passage.levels()).all(|(before, after)| after >= before * (1.0 - ROUNDING))
            }
        }
    }
}

fn is_capped(limits: &[Limit], axis: LimitAxis, direction: usize) -> bool {
    limits.iter().any(|l| l.cap(axis).is_some() && passes(l.op, direction))
}

fn offer<'a>(demands: &'a Demands<'a>, terms: &PurchaseTerms) -> Offer<'a> {
    Offer { demands, scale: 1.0 + terms.headroom, credits: terms.credits }
}

/// Returns the service of demands by limits, and whether the limits carry them. Limits of one volume come with its
/// index, those of an instance with `None`.
pub(super) fn served(
    demands: &Demands,
    limits: &[(Option<usize>, &Limit)],
    terms: &PurchaseTerms,
) -> (ServedDemand, bool) {
    let period = demands.period;
    let mut passage = Passage::new(offer(demands, terms), limits);
    passage.pass(terms.lasting.unwrap_or(period), None);
    let mut served = passage.served();
    let waits = served.longest_wait > Nanos::from_secs(terms.wait);
    let empty = served.credits.iter().filter_map(|c| c.empty).min();
    served.lasts = empty;
    if terms.lasting.is_none() && empty.is_none() && !waits && !passage.repeats() {
        let before = passage.levels();
        passage.pass(period, None);
        if let Some((bucket, time)) = runs_out(&before, &passage.levels(), period) {
            served.lasts = Some(time);
            served.binds = served.binds.or_else(|| served.credits.get(bucket).map(|c| c.limit.clone()));
        }
    }
    let ends = terms.lasting.is_none() && served.lasts.is_some();
    let carries = !waits && !ends;
    (served, carries)
}

/// Returns the bucket that will be empty first, and when. Considers only buckets that are lower after the second round
/// than after the first.
fn runs_out(before: &[f64], after: &[f64], period: u64) -> Option<(usize, Nanos)> {
    let levels = before.iter().zip(after).enumerate();
    let drained = levels.filter(|(_, (before, after))| **after < **before * (1.0 - ROUNDING));
    let rounds = drained.map(|(at, (before, after))| (at, 2.0 + after / (before - after)));
    let (at, rounds) = rounds.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((at, Nanos::from_secs((rounds * period as f64).min(LONGEST) as u64)))
}
