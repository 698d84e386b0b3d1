//! Rows of samples over time -> series on one clock.

use crate::text::source::add_remark;
use messages::sentence;
use model::{ForeignFile, ForeignPoint, ForeignRemark, ForeignSeries, Quantity, Way};

/// A series without samples yet.
pub(crate) fn series(name: &str, unit: &str, of: Option<(Way, Quantity)>) -> ForeignSeries {
    ForeignSeries { name: name.to_owned(), instance: None, of, unit: unit.to_owned(), period: None, points: Vec::new() }
}

/// Times of samples, made to rise: days that roll over, clocks set back.
#[derive(Default)]
pub(crate) struct Clock {
    first: Option<f64>,
    last: f64,
    shift: f64,
}

/// Half a day: a time of day that falls by more is the next day's.
const HALF_DAY: f64 = 43_200.0;

impl Clock {
    /// Seconds since 1970 (or since midnight, where a file has no dates) -> seconds after the whole second of the first.
    pub fn at(&mut self, time: f64, line: u32, remarks: &mut Vec<ForeignRemark>) -> f64 {
        let first = *self.first.get_or_insert_with(|| time.floor());
        let mut at = time - first + self.shift;
        if at < self.last {
            let back = self.last - at;
            if back > HALF_DAY && back <= 2.0 * HALF_DAY {
                self.shift += 2.0 * HALF_DAY;
                at += 2.0 * HALF_DAY;
            } else {
                add_remark(remarks, line, || sentence!("import-clock-back", seconds = format!("{back:.0}")));
                self.shift += back + 1.0;
                at = self.last + 1.0;
            }
        }
        self.last = at;
        at
    }

    /// The whole second of the first sample.
    pub fn began(&self) -> Option<i64> {
        self.first.map(|f| f as i64)
    }
}

/// Adds a sample to a series.
pub(crate) fn point(series: &mut ForeignSeries, at: f64, value: f64, line: u32) {
    series.points.push(ForeignPoint { at, value, line });
}

/// Sets the usual distance of samples as the period of all series that have none told.
pub(crate) fn usual_periods(file: &mut ForeignFile) {
    for series in file.series.iter_mut().filter(|s| s.period.is_none()) {
        let mut steps: Vec<f64> = series.points.windows(2).map(|w| w[1].at - w[0].at).filter(|d| *d > 0.0).collect();
        steps.sort_by(f64::total_cmp);
        series.period = steps.get(steps.len() / 2).copied();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_roll_over_and_clocks_set_back_are_told() {
        let (mut clock, mut remarks) = (Clock::default(), Vec::new());
        let mut at = |t: f64| clock.at(t, 1, &mut remarks);
        assert_eq!((at(86_399.5), at(0.5), at(2.0)), (0.5, 1.5, 3.0));
        assert_eq!(at(1.0), 4.0);
        assert_eq!(at(2.0), 5.0);
        assert_eq!(remarks.len(), 1);
        assert!(remarks[0].text.contains("went back by 1 s"), "{remarks:?}");
    }
}
