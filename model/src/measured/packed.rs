//! Compact form of a part of the block trace: sizes and times are words of a 64-letter alphabet.
//!
//! The encoding is lossless. A bucket takes two or three letters, while JSON numbers take seven. The form is text, so
//! frames of a journal contain no byte that could be mistaken for a frame header.
//!
//! A number is a sequence of letters of 5 bits each, the lowest first; 32 is added to all but the last. A latency word
//! has for each bucket the distance from the previous bucket, doubled, plus one if the count is not 1; in that case the
//! count follows. Then come a dot, the sum, sum of squares, minimum, maximum, and the number of values beyond the
//! table. A size word has for each size the distance from the previous size, either in sectors and doubled, or in
//! bytes, doubled, plus one; then the count. After a dot come the number of requests of 4 MiB and more, and their
//! bytes.

use crate::measured::{BlockTrace, RequestKind, RequestSizes, Summary, TracedOps};
use crate::{Bytes, LatencyHistogram};
use serde::{Deserialize, Serialize};

/// A part of a trace in compact form.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PackedTrace {
    /// The trace without sizes and latencies.
    trace: BlockTrace,
    /// Words of the sizes and latencies, by device: the queued sizes by kind, then for each kind of each role the
    /// sizes, the times at the device, and the times in the queue. Empty values are empty words; trailing empty words
    /// are omitted.
    words: Vec<String>,
}

impl From<BlockTrace> for PackedTrace {
    fn from(mut trace: BlockTrace) -> PackedTrace {
        let mut words = Vec::new();
        for device in &mut trace.devices {
            let queued = std::mem::take(&mut device.queued.sizes);
            words.extend(RequestKind::ALL.map(|kind| queued.get(&kind).map(sizes_word).unwrap_or_default()));
            for ops in device.roles.iter_mut().flat_map(|r| r.kinds.values_mut()) {
                let TracedOps { sizes, service, queued, .. } = ops;
                let sizes = std::mem::take(sizes);
                words.push(if sizes == RequestSizes::default() { String::new() } else { sizes_word(&sizes) });
                for latency in [service, queued] {
                    words.push(latency_word(&std::mem::take(latency)));
                }
            }
        }
        let filled = words.iter().rposition(|w| !w.is_empty()).map_or(0, |last| last + 1);
        words.truncate(filled);
        PackedTrace { trace, words }
    }
}

impl PackedTrace {
    /// Returns the original trace, or `None` if the words are invalid.
    #[must_use]
    pub fn unpacked(self) -> Option<BlockTrace> {
        let PackedTrace { mut trace, words } = self;
        let mut words = words.iter().map(String::as_str);
        let mut next = || words.next().unwrap_or_default();
        for device in &mut trace.devices {
            for kind in RequestKind::ALL {
                let word = next();
                if !word.is_empty() {
                    device.queued.sizes.insert(kind, sizes_of(word)?);
                }
            }
            for ops in device.roles.iter_mut().flat_map(|r| r.kinds.values_mut()) {
                let word = next();
                ops.sizes = if word.is_empty() { RequestSizes::default() } else { sizes_of(word)? };
                for latency in [&mut ops.service, &mut ops.queued] {
                    *latency = latency_of(next())?;
                }
            }
        }
        words.next().is_none().then_some(trace)
    }
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Value of each letter; 255 for characters outside the alphabet.
const VALUES: [u8; 128] = {
    let mut values = [255; 128];
    let mut i = 0;
    while i < LETTERS.len() {
        values[LETTERS[i] as usize] = i as u8;
        i += 1;
    }
    values
};
/// Bytes per sector.
const SECTOR: u64 = 512;

pub(crate) fn put(word: &mut String, mut number: u128) {
    loop {
        let low = (number & 31) as usize;
        number >>= 5;
        word.push(char::from(LETTERS[if number > 0 { low + 32 } else { low }]));
        if number == 0 {
            return;
        }
    }
}

/// Reader of consecutive numbers of a word.
pub(crate) struct Numbers<'a>(pub(crate) &'a [u8]);

impl Numbers<'_> {
    pub(crate) fn next(&mut self) -> Option<u128> {
        let (mut number, mut shift) = (0u128, 0u32);
        loop {
            let (letter, rest) = self.0.split_first()?;
            self.0 = rest;
            let value = u128::from(*VALUES.get(usize::from(*letter))?);
            if value > 63 {
                return None;
            }
            // Numbers with more than 128 bits are invalid.
            let bits = value & 31;
            if shift >= 128 || (bits << shift) >> shift != bits {
                return None;
            }
            number |= bits << shift;
            shift += 5;
            if value < 32 {
                return Some(number);
            }
        }
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.next()?.try_into().ok()
    }

    /// Returns `true` and skips the letter if it is a dot, which ends a part.
    fn dot(&mut self) -> bool {
        let rest = self.0.strip_prefix(b".");
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }
}

/// Returns the word of a histogram; an empty histogram is an empty word.
pub(crate) fn latency_word(latency: &LatencyHistogram) -> String {
    let (mut word, mut next) = (String::new(), 0);
    if *latency == LatencyHistogram::default() {
        return word;
    }
    for (bucket, count) in latency.buckets() {
        put(&mut word, (bucket - next) as u128 * 2 + u128::from(count != 1));
        if count != 1 {
            put(&mut word, count.into());
        }
        next = bucket + 1;
    }
    word.push('.');
    let s = latency.summary();
    for number in [s.sum, s.sum_sq, s.min.into(), s.max.into(), latency.saturated().into()] {
        put(&mut word, number);
    }
    word
}

pub(crate) fn latency_of(word: &str) -> Option<LatencyHistogram> {
    if word.is_empty() {
        return Some(LatencyHistogram::default());
    }
    let mut numbers = Numbers(word.as_bytes());
    let (mut buckets, mut next, mut total) = (Vec::new(), 0u64, 0u64);
    while !numbers.dot() {
        let gap = numbers.u64()?;
        let count = if gap & 1 == 1 { numbers.u64()? } else { 1 };
        let bucket = next.checked_add(gap >> 1)?;
        total = total.checked_add(count)?;
        buckets.push((usize::try_from(bucket).ok()?, count));
        next = bucket + 1;
    }
    let summary = Summary {
        count: total,
        sum: numbers.next()?,
        sum_sq: numbers.next()?,
        min: numbers.u64()?,
        max: numbers.u64()?,
    };
    let latency = LatencyHistogram::from_buckets(buckets, summary, numbers.u64()?).ok()?;
    numbers.0.is_empty().then_some(latency)
}

fn sizes_word(sizes: &RequestSizes) -> String {
    let (mut word, mut before) = (String::new(), 0);
    for (size, count) in sizes.exact() {
        let gap = size - before;
        put(&mut word, if gap.is_multiple_of(SECTOR) { u128::from(gap / SECTOR) * 2 } else { u128::from(gap) * 2 + 1 });
        put(&mut word, count.into());
        before = size;
    }
    word.push('.');
    let (large, bytes) = sizes.large();
    if (large, bytes) != (0, Bytes(0)) {
        put(&mut word, large.into());
        put(&mut word, bytes.as_u64().into());
    }
    word
}

fn sizes_of(word: &str) -> Option<RequestSizes> {
    let mut numbers = Numbers(word.as_bytes());
    let (mut exact, mut before) = (Vec::new(), 0u64);
    while !numbers.dot() {
        let gap = numbers.u64()?;
        let gap = if gap & 1 == 1 { gap >> 1 } else { (gap >> 1).checked_mul(SECTOR)? };
        before = before.checked_add(gap)?;
        exact.push((before, numbers.u64()?));
    }
    let large = if numbers.0.is_empty() { (0, Bytes(0)) } else { (numbers.u64()?, Bytes(numbers.u64()?)) };
    numbers.0.is_empty().then(|| RequestSizes::from_parts(exact, large))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Nanos, measured::TracedDevice};
    use proptest::prelude::*;

    #[test]
    fn numbers_of_every_length_are_read_back() {
        for number in [0, 1, 31, 32, 1023, 1024, u128::from(u64::MAX), u128::MAX] {
            let mut word = String::new();
            put(&mut word, number);
            let mut numbers = Numbers(word.as_bytes());
            assert_eq!((numbers.next(), numbers.next()), (Some(number), None), "{word}");
        }
        assert_eq!(Numbers("_".repeat(30).as_bytes()).next(), None, "more bits than there are");
    }

    fn stretch() -> impl Strategy<Value = BlockTrace> {
        let request = (0usize..2, 0usize..5, 0u64..9_000_000, 0u64..5_000_000_000_000, any::<bool>());
        prop::collection::vec(request, 0..60).prop_map(|requests| {
            let mut trace = BlockTrace { until: Nanos(10), lost: 1, ..BlockTrace::default() };
            trace.devices = ["vda", "dm-0"].map(|n| TracedDevice { name: n.into(), ..TracedDevice::default() }).into();
            for (device, kind, size, ns, held) in requests {
                let (device, kind) = (&mut trace.devices[device], RequestKind::ALL[kind]);
                device.queued.sizes.entry(kind).or_default().add(Bytes(size), 2);
                let ops = device.role_mut(if held { "data" } else { "unmapped" }).kinds.entry(kind).or_default();
                ops.ops += 1;
                ops.sizes.add(Bytes(size / 512 * 512), 1);
                ops.service.record(Nanos(ns));
                if held {
                    ops.queued.record(Nanos(ns / 1000));
                }
            }
            trace
        })
    }

    proptest! {
        #[test]
        fn a_trace_written_small_is_the_trace(trace in stretch()) {
            let text = serde_json::to_string(&PackedTrace::from(trace.clone())).expect("it has a form");
            prop_assert!(text.len() <= serde_json::to_string(&trace).expect("it has a form").len() + 30);
            let back: PackedTrace = serde_json::from_str(&text).expect("it reads back");
            prop_assert_eq!(back.unpacked(), Some(trace));
        }

        #[test]
        fn no_words_make_it_panic(trace in stretch(), which in any::<prop::sample::Index>(), put in "[A-Za-z0-9_.é-]{0,60}") {
            let mut packed = PackedTrace::from(trace);
            packed.words.push(String::new());
            let at = which.index(packed.words.len());
            packed.words[at] = put.clone();
            let _ = packed.unpacked();
            let _ = (latency_of(&put), sizes_of(&put));
        }
    }
}
