//! The latency histogram: log-linear buckets, one associative [`LatencyHistogram::merge`], percentiles computed on
//! demand.
//!
//! Buckets: values below 256 ns have one bucket per nanosecond. Above, each power of two is divided into 128 equal
//! buckets, so a bucket's width is at most 1/128 of its lower bound and its midpoint is at most 1/256 = 0.39 % away
//! from any value in it. The range ends at [`LATENCY_MAX`] (one hour); larger values are counted in the last bucket and
//! in `saturated`. Count, sum, sum of squares, minimum and maximum are exact.

use crate::{Nanos, measured::Summary};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// Sub-buckets per power of two.
const SUB_BUCKETS: usize = 128;
/// Number of buckets.
pub const BUCKETS: usize = 4608;
/// Largest latency that has a bucket: one hour.
pub const LATENCY_MAX: Nanos = Nanos::from_secs(3_600);

// 1 h needs 42 bits, so its bucket must lie inside the table.
const _: () = assert!(bucket_of(LATENCY_MAX.as_nanos()) < BUCKETS);

/// Returns the bucket for a latency of `ns` nanoseconds. Saturates at the last bucket.
#[must_use]
#[inline(always)]
pub const fn bucket_of(ns: u64) -> usize {
    // `| 128` gives all values below 256 the shift 0, for which the bucket is the value itself.
    let shift = 56 - (ns | SUB_BUCKETS as u64).leading_zeros() as usize;
    let bucket = shift * SUB_BUCKETS + (ns >> shift) as usize;
    if bucket < BUCKETS { bucket } else { BUCKETS - 1 }
}

/// Returns the lower bound of a bucket and its width, in nanoseconds.
#[must_use]
pub const fn bucket_bounds(bucket: usize) -> (u64, u64) {
    if bucket < 2 * SUB_BUCKETS {
        return (bucket as u64, 1);
    }
    let shift = bucket / SUB_BUCKETS - 1;
    let sub = (bucket - shift * SUB_BUCKETS) as u64;
    (sub << shift, 1 << shift)
}

/// Returns the value that represents a bucket: its midpoint, rounded down.
#[must_use]
pub const fn bucket_mid(bucket: usize) -> Nanos {
    let (low, width) = bucket_bounds(bucket);
    Nanos(low + (width - 1) / 2)
}

/// A percentile, or the reason there is none. JSON has a number, or `null` and the reason in the next field: see
/// [`percentiles`](super::percentiles).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Percentile {
    /// The value, with at least 10 samples beyond it.
    Value(Nanos),
    /// Fewer than 10 samples lie beyond it: it must not be printed as a figure.
    TooFew,
}

impl Percentile {
    /// Returns the value, if there is one.
    #[must_use]
    pub const fn value(self) -> Option<Nanos> {
        if let Percentile::Value(value) = self { Some(value) } else { None }
    }
}

/// Latencies of completed operations. Not for the hot path: the recorder of `load` is another type.
///
/// An empty histogram takes one word of memory, and clones share their counts until one of them changes. This matters
/// because an interval has twenty histograms, most of them empty, and records are cloned as a whole.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "Sparse"))]
pub struct LatencyHistogram(Option<Arc<Counted>>);

/// Counts of a histogram. They are either open, one for each bucket between the first and the last, or packed, a few
/// bytes for each non-empty bucket ([`LatencyHistogram::pack`]): a long run stores thousands of histograms of past
/// seconds that no longer change.
#[derive(Debug, Clone, Default)]
struct Counted {
    /// Bucket index of `counts[0]`, or of the first packed bucket.
    first: usize,
    counts: Vec<u64>,
    /// For each bucket, the number of buckets skipped since the previous one, then its count; seven bits per byte, the
    /// lowest first. Packed counts are not in `counts`.
    packed: Box<[u8]>,
    summary: Summary,
    saturated: u64,
}

/// Summary of an empty histogram.
const NOTHING: Summary = Summary { count: 0, sum: 0, sum_sq: 0, min: 0, max: 0 };

impl PartialEq for LatencyHistogram {
    fn eq(&self, other: &Self) -> bool {
        self.summary() == other.summary() && self.saturated() == other.saturated() && self.buckets().eq(other.buckets())
    }
}

impl Eq for LatencyHistogram {}

fn put_packed(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number written by [`put_packed`].
fn take_packed(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
}

impl LatencyHistogram {
    /// Creates a histogram from existing counters: `counts[i]` belongs to bucket `first + i`.
    ///
    /// The caller must ensure that `summary` describes the same samples.
    #[must_use]
    pub fn from_parts(first: usize, counts: Vec<u64>, summary: Summary, saturated: u64) -> Self {
        debug_assert!(first + counts.len() <= BUCKETS);
        debug_assert_eq!(counts.iter().sum::<u64>(), summary.count);
        Counted { first, counts, summary, saturated, ..Counted::default() }.into()
    }

    /// Creates a histogram from stored buckets (index, count).
    ///
    /// # Errors
    /// Returns an error if the buckets do not match the summary.
    pub(crate) fn from_buckets(
        buckets: impl IntoIterator<Item = (usize, u64)>,
        summary: Summary,
        saturated: u64,
    ) -> Result<Self, &'static str> {
        let mut counted = Counted { saturated, ..Counted::default() };
        let mut total = 0u64;
        for (bucket, count) in buckets {
            if bucket >= BUCKETS {
                return Err("histogram bucket out of range");
            }
            total = total.checked_add(count).ok_or("histogram counts overflow")?;
            // Cannot overflow: the bucket is part of the total just checked.
            counted.add(bucket, count);
        }
        if total != summary.count {
            return Err("histogram counts do not sum to its count");
        }
        counted.summary = summary;
        Ok(counted.into())
    }

    fn counted_mut(&mut self) -> &mut Counted {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Adds one sample. Intended for tests, imports and slow paths.
    pub fn record(&mut self, latency: Nanos) {
        let counted = self.counted_mut();
        counted.add(bucket_of(latency.as_nanos()), 1);
        counted.summary.record(latency.as_nanos());
        counted.saturated += u64::from(latency > LATENCY_MAX);
    }

    /// Minimises the memory of a histogram that is kept and read but rarely changed.
    pub fn pack(&mut self) {
        let Some(counted) = self.0.as_ref().filter(|c| !c.counts.is_empty()) else { return };
        // Clones may share the open counts, so those are not modified.
        self.0 = Some(Arc::new(counted.to_packed()));
    }

    /// Returns the memory in bytes, including counts shared with clones.
    pub(crate) fn footprint(&self) -> usize {
        let counts = |c: &Counted| size_of::<Counted>() + c.counts.capacity() * size_of::<u64>() + c.packed.len();
        self.0.as_deref().map_or(0, counts)
    }

    /// Adds all samples of `other`. Associative and commutative; this is the only way that latencies are combined.
    pub fn merge(&mut self, other: &LatencyHistogram) {
        match (&self.0, &other.0) {
            (_, None) => {}
            (None, Some(_)) => *self = other.clone(),
            (Some(_), Some(other)) => self.counted_mut().merge(other),
        }
    }

    /// Returns the exact count, sum, sum of squares, minimum and maximum.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        self.0.as_ref().map_or(&NOTHING, |c| &c.summary)
    }

    /// Returns the number of samples.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.summary().count
    }

    /// Returns `true` if there are no samples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns the number of samples above [`LATENCY_MAX`]; they are counted in the last bucket.
    #[must_use]
    pub fn saturated(&self) -> u64 {
        self.0.as_ref().map_or(0, |c| c.saturated)
    }

    /// Returns the exact mean, if there are samples.
    #[must_use]
    pub fn mean(&self) -> Option<Nanos> {
        self.summary().mean().map(|m| Nanos(m.round() as u64))
    }

    /// Returns the exact minimum, if there are samples.
    #[must_use]
    pub fn min(&self) -> Option<Nanos> {
        (self.summary().count > 0).then_some(Nanos(self.summary().min))
    }

    /// Returns the exact maximum, if there are samples.
    #[must_use]
    pub fn max(&self) -> Option<Nanos> {
        (self.summary().count > 0).then_some(Nanos(self.summary().max))
    }

    /// Returns the percentile `p` in 0..=100, within 0.39 %, if at least 10 samples lie beyond it
    /// (docs/design/statistics.md, "Percentiles").
    #[must_use]
    pub fn percentile(&self, p: f64) -> Percentile {
        let n = self.summary().count as f64;
        // The small slack allows for 1 - 0.99 not being exactly 0.01.
        if n * (1.0 - p / 100.0) < 10.0 - 1e-9 {
            return Percentile::TooFew;
        }
        self.quantile(p / 100.0).map_or(Percentile::TooFew, Percentile::Value)
    }

    /// Returns the smallest value at or below which a share `q` in 0..=1 of the samples lies, for any number of
    /// samples; `None` if empty.
    ///
    /// Nearest rank: the smallest value with at least `ceil(q*n)` samples at or below it.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<Nanos> {
        let n = self.summary().count;
        if n == 0 {
            return None;
        }
        let rank = ((q * n as f64).ceil() as u64).clamp(1, n);
        let mut seen = 0;
        for (bucket, count) in self.buckets() {
            seen += count;
            if seen >= rank {
                let mid = bucket_mid(bucket).as_nanos();
                return Some(Nanos(mid.clamp(self.summary().min, self.summary().max)));
            }
        }
        Some(Nanos(self.summary().max))
    }

    /// Iterates over the non-empty buckets as (bucket, count), in ascending order.
    pub fn buckets(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.0.iter().flat_map(|c| c.buckets())
    }
}

impl<'a> std::iter::Sum<&'a LatencyHistogram> for LatencyHistogram {
    /// Merges histograms.
    fn sum<I: Iterator<Item = &'a LatencyHistogram>>(histograms: I) -> LatencyHistogram {
        let mut sum = LatencyHistogram::default();
        histograms.for_each(|histogram| sum.merge(histogram));
        sum
    }
}

impl From<Counted> for LatencyHistogram {
    fn from(counted: Counted) -> LatencyHistogram {
        LatencyHistogram(Some(Arc::new(counted)))
    }
}

impl Counted {
    fn buckets(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let open = self.counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, n)| (self.first + i, *n));
        // One of the two iterators is empty.
        Packed { bytes: &self.packed, next: self.first }.chain(open)
    }

    fn to_packed(&self) -> Counted {
        let (mut bytes, mut next) = (Vec::new(), None);
        for (bucket, count) in self.buckets() {
            put_packed(&mut bytes, next.map_or(0, |next| bucket - next) as u64);
            put_packed(&mut bytes, count);
            next = Some(bucket + 1);
        }
        let empty = self.counts.iter().take_while(|n| **n == 0).count();
        Counted {
            first: self.first + empty,
            counts: Vec::new(),
            packed: bytes.into(),
            summary: self.summary,
            saturated: self.saturated,
        }
    }

    fn add(&mut self, bucket: usize, count: u64) {
        self.cover(bucket, bucket + 1);
        self.counts[bucket - self.first] += count;
    }

    /// Converts packed counts to open ones.
    fn open(&mut self) {
        if self.packed.is_empty() {
            return;
        }
        let packed = std::mem::take(&mut self.packed);
        for (bucket, count) in (Packed { bytes: &packed, next: self.first }) {
            self.cover_open(bucket, bucket + 1);
            self.counts[bucket - self.first] += count;
        }
    }

    /// Extends `counts` so that it covers buckets `from..to`.
    fn cover(&mut self, from: usize, to: usize) {
        self.open();
        self.cover_open(from, to);
    }

    fn cover_open(&mut self, from: usize, to: usize) {
        if self.counts.is_empty() {
            self.first = from;
            self.counts.resize(to - from, 0);
            return;
        }
        if from < self.first {
            let missing = self.first - from;
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = from;
        }
        if to > self.first + self.counts.len() {
            self.counts.resize(to - self.first, 0);
        }
    }

    fn merge(&mut self, other: &Counted) {
        if !other.packed.is_empty() {
            other.buckets().for_each(|(bucket, n)| self.add(bucket, n));
        } else if other.counts.is_empty() {
            return;
        } else {
            self.cover(other.first, other.first + other.counts.len());
            let offset = other.first - self.first;
            for (i, n) in other.counts.iter().enumerate() {
                self.counts[offset + i] += n;
            }
        }
        self.summary.merge(&other.summary);
        self.saturated += other.saturated;
    }
}

/// Iterator over the buckets of packed counts.
struct Packed<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl Iterator for Packed<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<(usize, u64)> {
        let bucket = self.next + take_packed(&mut self.bytes)? as usize;
        self.next = bucket + 1;
        Some((bucket, take_packed(&mut self.bytes)?))
    }
}

/// Serialised form: `[bucket, count, bucket, count, ...]`. It is sparse because most buckets are empty.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LatencyHistogram"))]
struct Sparse {
    /// Exact count, sums, minimum and maximum.
    summary: Summary,
    /// Number of samples above one hour.
    saturated: u64,
    /// Buckets that are not empty: index and count, one after the other.
    buckets: Vec<u64>,
}

impl Serialize for LatencyHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Sparse {
            summary: *self.summary(),
            saturated: self.saturated(),
            buckets: self.buckets().flat_map(|(b, n)| [b as u64, n]).collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LatencyHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let sparse = Sparse::deserialize(deserializer)?;
        let (pairs, rest) = sparse.buckets.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(D::Error::custom("histogram buckets are not pairs"));
        }
        let pairs = pairs.iter().map(|&[bucket, count]| (usize::try_from(bucket).unwrap_or(usize::MAX), count));
        LatencyHistogram::from_buckets(pairs, sparse.summary, sparse.saturated).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram(values: &[u64]) -> LatencyHistogram {
        let mut h = LatencyHistogram::default();
        for v in values {
            h.record(Nanos(*v));
        }
        h
    }

    fn latencies() -> impl Strategy<Value = Vec<u64>> {
        // Exponents instead of values, so that every octave up to beyond the range is generated.
        prop::collection::vec(
            (0u32..46, 0.0f64..1.0).prop_map(|(e, f)| ((1u64 << e) as f64 * (1.0 + f)) as u64),
            1..300,
        )
    }

    #[test]
    fn buckets_tile_the_range_without_gap_or_overlap() {
        let mut next = 0;
        for bucket in 0..BUCKETS {
            let (low, width) = bucket_bounds(bucket);
            assert_eq!(low, next, "bucket {bucket}");
            assert_eq!(bucket_of(low), bucket);
            assert_eq!(bucket_of(low + width - 1), bucket);
            next = low + width;
        }
        assert!(next > LATENCY_MAX.as_nanos());
    }

    #[test]
    fn a_value_above_an_hour_saturates_and_is_counted() {
        let h = histogram(&[1000, LATENCY_MAX.as_nanos() * 3]);
        assert_eq!(h.saturated(), 1);
        assert_eq!(h.max(), Some(LATENCY_MAX * 3));
        assert_eq!(h.buckets().last(), Some((BUCKETS - 1, 1)));
    }

    #[test]
    fn a_percentile_needs_ten_samples_beyond_it() {
        let thousand: Vec<u64> = (1..=1000).map(|i| i * 1000).collect();
        let h = histogram(&thousand);
        assert!(h.percentile(99.0).value().is_some());
        assert_eq!(h.percentile(99.9), Percentile::TooFew);
        assert_eq!(histogram(&thousand[..999]).percentile(99.0), Percentile::TooFew);
    }

    #[test]
    fn an_empty_histogram_has_no_figures() {
        let h = LatencyHistogram::default();
        assert_eq!((h.mean(), h.min(), h.max(), h.quantile(0.5)), (None, None, None, None));
    }

    #[test]
    fn damaged_json_is_refused() {
        for bad in [
            r#"{"summary":{"count":1,"sum":5,"sum_sq":25,"min":5,"max":5},"saturated":0,"buckets":[5]}"#,
            r#"{"summary":{"count":2,"sum":5,"sum_sq":25,"min":5,"max":5},"saturated":0,"buckets":[5,1]}"#,
            r#"{"summary":{"count":1,"sum":5,"sum_sq":25,"min":5,"max":5},"saturated":0,"buckets":[99999,1]}"#,
            r#"{"summary":{"count":0,"sum":5,"sum_sq":25,"min":5,"max":5},"saturated":0,"buckets":[5,18446744073709551615,5,1]}"#,
        ] {
            assert!(serde_json::from_str::<LatencyHistogram>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_quantile_is_within_the_stated_error_of_the_sorted_truth(mut values in latencies(), q in 0.0f64..1.0) {
            let h = histogram(&values);
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let truth = values[rank - 1];
            let got = h.quantile(q).unwrap().as_nanos();
            if truth <= LATENCY_MAX.as_nanos() {
                prop_assert!(got.abs_diff(truth) as f64 <= truth as f64 * 0.004, "{got} for {truth}");
            }
        }

        #[test]
        fn merge_equals_recording_everything_in_one(a in latencies(), b in latencies(), c in latencies()) {
            let whole = histogram(&[a.clone(), b.clone(), c.clone()].concat());
            let (ha, hb, hc) = (histogram(&a), histogram(&b), histogram(&c));
            let mut left = ha.clone();
            left.merge(&hb);
            left.merge(&hc);
            let mut right = hb;
            right.merge(&hc);
            let mut right_first = ha;
            right_first.merge(&right);
            prop_assert_eq!(&left, &whole);
            prop_assert_eq!(&right_first, &whole);
        }

        #[test]
        fn packed_it_is_the_same_in_everything(a in latencies(), b in latencies(), q in 0.0f64..1.0) {
            let (open, mut packed) = (histogram(&a), histogram(&a));
            packed.pack();
            prop_assert!(packed.0.iter().all(|c| c.counts.is_empty()));
            prop_assert_eq!(&packed, &open);
            prop_assert_eq!(packed.quantile(q), open.quantile(q));
            prop_assert_eq!(serde_json::to_string(&packed).unwrap(), serde_json::to_string(&open).unwrap());
            let mut other = histogram(&b);
            other.merge(&packed);
            packed.merge(&histogram(&b));
            prop_assert_eq!(&other, &packed);
            prop_assert_eq!(packed, histogram(&[a, b].concat()));
        }

        #[test]
        fn json_round_trips(values in latencies()) {
            let h = histogram(&values);
            let text = serde_json::to_string(&h).unwrap();
            let back: LatencyHistogram = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(back, h);
        }
    }
}
