//! Compact form of a sample of many counters: series are named once and then identified by numbers.
//!
//! The encoding is lossless: decoded values are bit for bit the sampled ones. If a rate is exactly a count divided by
//! the period, the count is stored. Unchanged values are not repeated.

use crate::measured::Layer;
use serde::{Deserialize, Serialize};

/// Declaration of a series, at its first sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedSeries {
    /// Name: `device.vda.read_ops`.
    pub name: String,
    /// Unit of the values.
    pub unit: String,
    /// Layer at which the series was read.
    pub layer: Layer,
}

/// Values of series, identified by number, which is the index into [`crate::RunRecord::series`]. Each part holds runs of
/// consecutive series: the number of the first, and the values. A series that is not in any part has no value in this
/// sample.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SeriesSample {
    /// Period of the counts in seconds: the value of `sampler.stretch` in this sample, or 1 without one.
    pub over: f64,
    /// Counts: the value is the count divided by `over`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<(usize, Vec<u64>)>,
    /// Values that are stored unchanged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(usize, Vec<f64>)>,
    /// Number of consecutive series that keep their previous value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<(usize, usize)>,
}

/// Bound below which a double represents every integer exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Adds the value of a series to the last run, or begins a new one.
fn append<T>(runs: &mut Vec<(usize, Vec<T>)>, number: usize, value: T) {
    match runs.last_mut().filter(|(first, run)| first + run.len() == number) {
        Some((_, run)) => run.push(value),
        None => runs.push((number, vec![value])),
    }
}

impl SeriesSample {
    fn repeat(&mut self, number: usize) {
        match self.same.last_mut().filter(|(first, n)| *first + *n == number) {
            Some((_, n)) => *n += 1,
            None => self.same.push((number, 1)),
        }
    }

    /// Adds the value of the next series in its smallest form; `before` is its previous value.
    pub(crate) fn put(&mut self, number: usize, value: f64, before: Option<f64>) {
        if before.is_some_and(|last| last.to_bits() == value.to_bits()) {
            self.repeat(number);
        } else if let Some(count) = self.count_of(value) {
            append(&mut self.counts, number, count);
        } else {
            append(&mut self.values, number, value);
        }
    }

    /// Returns the count from which exactly this value is computed, if there is one.
    fn count_of(&self, value: f64) -> Option<u64> {
        let count = (value * self.over).round();
        let back = (0.0..EXACT).contains(&count) && (count / self.over).to_bits() == value.to_bits();
        back.then_some(count as u64)
    }
}
