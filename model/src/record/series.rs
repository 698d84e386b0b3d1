//! Series of a record, and the events that store their samples.

use crate::measured::{NamedSeries, Sample, Series, SeriesSample, sampled};
use crate::{Nanos, RunEvent, RunRecord};

impl RunRecord {
    /// Returns the series of this name.
    #[must_use]
    pub fn series(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|s| s.name == name)
    }

    /// Returns the times of all samples, and the actual time since the previous sample, in order. Intervals without
    /// data are omitted.
    #[must_use]
    pub fn stretches(&self) -> Vec<(Nanos, Nanos)> {
        let points = self.series("sampler.stretch").map(|s| s.points.iter());
        points.into_iter().flatten().map(|(at, seconds)| (*at, Nanos::from_secs_f64(*seconds))).collect()
    }

    /// Converts samples to the events that store them: new series names, and one [`SeriesSample`]. Applied to this
    /// record, these events have the same effect as [`RunEvent::Samples`]. Names must be unique among the samples.
    #[must_use]
    pub fn look_events(&self, at: Nanos, samples: &[Sample]) -> Vec<RunEvent> {
        let mut new: Vec<NamedSeries> = Vec::new();
        let mut look =
            SeriesSample { over: sampled(samples, "sampler.stretch").unwrap_or(1.0), ..SeriesSample::default() };
        let mut numbered: Vec<(usize, f64)> = Vec::with_capacity(samples.len());
        let mut guess = 0;
        for sample in samples {
            // The series of a sample usually have the same order as in the previous sample.
            let known = match self.series.get(guess).filter(|s| s.name == sample.name) {
                Some(_) => Some(guess),
                None => self.series.iter().position(|s| s.name == sample.name),
            };
            let number = known.unwrap_or_else(|| {
                let Sample { name, unit, layer, .. } = sample.clone();
                new.push(NamedSeries { name, unit, layer });
                self.series.len() + new.len() - 1
            });
            guess = number + 1;
            numbered.push((number, sample.value));
        }
        numbered.sort_unstable_by_key(|(number, _)| *number);
        for (number, value) in numbered {
            look.put(number, value, self.series.get(number).and_then(|s| s.points.last()).map(|p| p.1));
        }
        let named = (!new.is_empty()).then_some(RunEvent::Series { first: self.series.len(), series: new });
        named.into_iter().chain([RunEvent::Look { at, look }]).collect()
    }

    /// Adds new series; returns `false` if their numbers are not the next ones.
    pub(crate) fn name_series(&mut self, first: usize, series: Vec<NamedSeries>) -> bool {
        if first != self.series.len() {
            return false;
        }
        let empty = |NamedSeries { name, unit, layer }| Series { name, unit, layer, points: Vec::new() };
        self.series.extend(series.into_iter().map(empty));
        true
    }

    /// Adds the values of one sample of all series. Returns `false`, and adds nothing, if a number is out of range, or
    /// if a series to be repeated has no value.
    pub(crate) fn add_look(&mut self, at: Nanos, look: SeriesSample) -> bool {
        let within = |first: usize, n: usize| first.checked_add(n).is_some_and(|end| end <= self.series.len());
        let known = look.counts.iter().all(|(first, run)| within(*first, run.len()))
            && look.values.iter().all(|(first, run)| within(*first, run.len()))
            && look.same.iter().all(|(first, n)| within(*first, *n));
        let lasting = |(first, n): &(usize, usize)| self.series[*first..first + n].iter().all(|s| !s.points.is_empty());
        if !known || !look.same.iter().all(lasting) {
            return false;
        }
        for (first, n) in look.same {
            for series in &mut self.series[first..first + n] {
                let last = series.points.last().expect("it was checked above").1;
                series.points.push((at, last));
            }
        }
        let counts = look.counts.into_iter().flat_map(|(first, run)| (first..).zip(run));
        let counts = counts.map(|(number, count)| (number, count as f64 / look.over));
        for (number, value) in counts.chain(look.values.into_iter().flat_map(|(first, run)| (first..).zip(run))) {
            self.series[number].points.push((at, value));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{measured::Layer, testkit::begin};
    use proptest::prelude::*;

    fn sample(name: &str, value: f64) -> Sample {
        Sample { name: name.to_owned(), unit: "ops/s".to_owned(), layer: Layer::Device, value }
    }

    /// Applies the same samples in compact and in plain form.
    fn both(looks: &[Vec<Sample>]) -> (RunRecord, RunRecord, Vec<RunEvent>) {
        let record = || RunRecord::begin(begin()).expect("it begins");
        let (mut small, mut plain, mut events) = (record(), record(), Vec::new());
        for (i, samples) in looks.iter().enumerate() {
            let at = Nanos(i as u64 + 1);
            for event in small.look_events(at, samples) {
                // As stored in the journal.
                let text = serde_json::to_string(&event).expect("it has a form");
                let event: RunEvent = serde_json::from_str(&text).expect("it reads back");
                events.push(event.clone());
                small.apply(event).expect("it fits");
            }
            plain.apply(RunEvent::Samples { at, samples: samples.clone() }).expect("it fits");
        }
        (small, plain, events)
    }

    #[test]
    fn a_rate_is_its_count_again_and_what_did_not_change_is_not_written() {
        let look = |s: f64, n: u64, idle: f64| {
            vec![sample("a", n as f64 / s), sample("idle", idle), sample("c", 0.1), sample("sampler.stretch", s)]
        };
        let (small, plain, events) =
            both(&[look(1.000_018_451, 52, 0.0), look(0.999_990_12, 6000, 0.0), look(1.5, 7, 0.25)]);
        assert_eq!(small, plain);
        let RunEvent::Look { look, .. } = &events[2] else { panic!("names came with the first: {events:?}") };
        assert_eq!(look.counts, [(0, vec![6000])]);
        assert_eq!((look.same.as_slice(), look.values.len()), ([(1, 2)].as_slice(), 1));
    }

    #[test]
    fn what_has_no_value_in_a_look_gets_none_and_what_comes_later_is_named_then() {
        let (small, plain, events) = both(&[
            vec![sample("a", 1.0), sample("b", 2.0)],
            vec![sample("b", 2.0)],
            vec![sample("new", 5.0), sample("b", 3.0), sample("a", 1.0)],
        ]);
        assert_eq!(small, plain);
        assert_eq!(small.series("a").expect("named").points, [(Nanos(1), 1.0), (Nanos(3), 1.0)]);
        assert_eq!(events.iter().filter(|e| matches!(e, RunEvent::Series { .. })).count(), 2);
    }

    #[test]
    fn numbers_that_are_nobodys_are_refused_and_leave_the_record_as_it_was() {
        let (record, ..) = both(&[vec![sample("a", 1.0)]]);
        let none = RunEvent::Series {
            first: 1,
            series: vec![NamedSeries { name: "e".into(), unit: String::new(), layer: Layer::Host }],
        };
        let mut with_empty = record.clone();
        with_empty.apply(none).expect("it is the next");
        let bad = [
            SeriesSample { values: vec![(1, vec![1.0])], ..SeriesSample::default() },
            SeriesSample { counts: vec![(usize::MAX, vec![1, 2])], ..SeriesSample::default() },
            SeriesSample { same: vec![(0, usize::MAX)], ..SeriesSample::default() },
        ];
        for look in bad {
            let mut now = record.clone();
            assert!(now.apply(RunEvent::Look { at: Nanos(9), look }).is_err());
            assert_eq!(now.series, record.series);
        }
        let repeat = SeriesSample { same: vec![(0, 2)], ..SeriesSample::default() };
        assert!(with_empty.apply(RunEvent::Look { at: Nanos(9), look: repeat }).is_err(), "nothing to repeat");
        let early = RunEvent::Series { first: 5, series: Vec::new() };
        assert!(record.clone().apply(early).is_err());
    }

    proptest! {
        #[test]
        fn a_look_written_small_is_the_look(
            looks in prop::collection::vec((0.0f64..10.0, prop::collection::vec(prop::option::of(prop_oneof![
                (0u64..100_000).prop_map(Ok), (-1e12f64..1e12).prop_map(Err)
            ]), 0..8)), 0..6)
        ) {
            let looks: Vec<Vec<Sample>> = looks.into_iter().map(|(stretch, values)| {
                let value = |v| match v { Ok(n) => n as f64 / stretch, Err(v) => v };
                let named = values.into_iter().enumerate().filter_map(|(i, v)| Some(sample(&format!("s{i}"), value(v?))));
                let finite = named.filter(|s| s.value.is_finite());
                finite.chain([sample("sampler.stretch", stretch)]).collect()
            }).collect();
            let (small, plain, _) = both(&looks);
            let by_name = |r: &RunRecord| { let mut s = r.series.clone(); s.sort_by(|a, b| a.name.cmp(&b.name)); s };
            prop_assert_eq!(by_name(&small), by_name(&plain));
        }
    }
}
