//! Conversion of rows of samples to series with a common clock.

use crate::text::source::add_remark;
use messages::sentence;
use model::foreign::{ForeignFile, ForeignPoint, ForeignRemark, ForeignSeries, ForeignTest, Quantity, Way};
use std::collections::HashMap;

/// Creates a series without samples.
pub(crate) fn series(name: &str, unit: &str, quantity: Option<(Way, Quantity)>) -> ForeignSeries {
    ForeignSeries {
        name: name.to_owned(),
        instance: None,
        of: quantity,
        unit: unit.to_owned(),
        period: None,
        points: Vec::new(),
    }
}

/// Returns the series with this name. Adds the series if it is new.
pub(crate) fn named<'a>(
    list: &'a mut Vec<ForeignSeries>,
    name: &str,
    unit: &str,
    quantity: Option<(Way, Quantity)>,
) -> &'a mut ForeignSeries {
    let place = list.iter().position(|s| s.name == name).unwrap_or_else(|| {
        list.push(series(name, unit, quantity));
        list.len() - 1
    });
    &mut list[place]
}

/// Index of the series in a file with many instances, such as devices.
#[derive(Default)]
pub(crate) struct Instances {
    places: HashMap<String, usize>,
    /// Place after the last one: in most reports, columns have the same order.
    next: usize,
}

impl Instances {
    /// Returns the series for a column of an instance. Adds the series if it is new.
    pub fn series<'a>(
        &mut self,
        list: &'a mut Vec<ForeignSeries>,
        (instance, column): (&str, &str),
        unit: &str,
        quantity: Option<(Way, Quantity)>,
    ) -> &'a mut ForeignSeries {
        let is_same = |s: &ForeignSeries| {
            let rest = s.name.strip_prefix(instance).and_then(|rest| rest.strip_prefix(' '));
            rest == Some(column) && s.instance.as_deref() == Some(instance)
        };
        let place = match list.get(self.next) {
            Some(next) if is_same(next) => self.next,
            _ => *self.places.entry(format!("{instance} {column}")).or_insert_with_key(|name| {
                list.push(ForeignSeries { instance: Some(instance.to_owned()), ..series(name, unit, quantity) });
                list.len() - 1
            }),
        };
        self.next = if place + 1 < list.len() { place + 1 } else { 0 };
        &mut list[place]
    }
}

/// Returns the test with this name. Adds the test if it is new.
pub(crate) fn named_test<'a>(list: &'a mut Vec<ForeignTest>, name: &str, line: u32) -> &'a mut ForeignTest {
    let place = list.iter().position(|test| test.name == name).unwrap_or_else(|| {
        list.push(ForeignTest { name: name.to_owned(), line, ..ForeignTest::default() });
        list.len() - 1
    });
    &mut list[place]
}

/// Clock that converts sample times to increasing times, even across midnight and after the clock was set back.
#[derive(Default)]
pub(crate) struct Clock {
    first: Option<f64>,
    last: f64,
    shift: f64,
}

/// Half a day in seconds. If the time of day decreases by more, the sample is from the next day.
const HALF_DAY: f64 = 43_200.0;

impl Clock {
    /// Converts a sample's time to seconds since the first sample, whose time is rounded down to a whole second. `time`
    /// is in seconds since 1970, or since midnight in a file without dates.
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

    /// Returns the time of the first sample, rounded down to a whole second.
    pub fn began(&self) -> Option<i64> {
        self.first.map(|f| f as i64)
    }
}

/// Adds a sample to a series.
pub(crate) fn point(series: &mut ForeignSeries, at: f64, value: f64, line: u32) {
    series.points.push(ForeignPoint { at, value, line });
}

/// Sets the period of each series without a period to the median distance between samples.
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
