//! Compact form of an interval: a journal stores one for each job and second.
//!
//! The encoding is lossless. Counts and histograms are words of 64 letters (`packed`), a quarter of the size of JSON
//! numbers and names.

use crate::measured::packed::{Numbers, latency_of, latency_word, put};
use crate::measured::{CpuWait, OpStats, Phase, PriorityLatency, QueueStats, Tally, Transacted, Window};
use crate::{Interval, Nanos};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserializer, Serialize, Serializer};

/// Compact interval: phase, times and counts; tally and latencies of each operation; the windows; and two parts that
/// are rarely present: queue depths with batch sizes, and transactions.
#[derive(Serialize)]
struct Small<'a>(String, Vec<String>, String, Option<&'a QueueStats>, Option<&'a Transacted>);

const PHASES: [Phase; 3] = [Phase::Ramp, Phase::Measure, Phase::Drain];

/// Serialises an interval, for serde's `with`.
///
/// # Errors
/// Returns the errors of the serializer.
pub fn serialize<S: Serializer>(interval: &Interval, serializer: S) -> Result<S::Ok, S::Error> {
    // This and the other patterns name every field, so that a new field does not compile until it is serialised.
    let Interval {
        start,
        length,
        phase,
        per_op,
        in_flight_ns,
        cpu_user,
        cpu_system,
        cpu_wait,
        queue,
        transacted,
        windows,
    } = interval;
    let mut head = String::new();
    let phase = PHASES.iter().position(|p| p == phase).unwrap_or(1);
    put(&mut head, phase as u128);
    [start, length, cpu_user, cpu_system].iter().for_each(|n| put(&mut head, n.as_nanos().into()));
    put(&mut head, *in_flight_ns);
    if let Some(CpuWait { time, times }) = cpu_wait {
        [time.as_nanos(), *times].iter().for_each(|n| put(&mut head, (*n).into()));
    }
    let ops = per_op.iter().map(op_word).collect();
    Small(head, ops, windows_word(windows), queue.as_deref(), transacted.as_deref()).serialize(serializer)
}

/// Deserialises an interval, for serde's `with`.
///
/// # Errors
/// Returns the errors of the deserializer, and an error if the data is not a valid interval.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Interval, D::Error> {
    deserializer.deserialize_tuple(5, SmallVisitor)
}

struct SmallVisitor;

impl<'de> Visitor<'de> for SmallVisitor {
    type Value = Interval;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an interval")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Interval, A::Error> {
        use serde::de::Error;
        let none = || A::Error::custom("the words are not an interval");
        let head: String = seq.next_element()?.ok_or_else(none)?;
        let ops: Vec<String> = seq.next_element()?.ok_or_else(none)?;
        let windows: String = seq.next_element()?.ok_or_else(none)?;
        let queue = seq.next_element()?.ok_or_else(none)?;
        let transacted = seq.next_element()?.ok_or_else(none)?;
        let mut interval = head_of(&head).ok_or_else(none)?;
        for (op, word) in interval.per_op.iter_mut().zip(&ops) {
            *op = op_of(word).ok_or_else(none)?;
        }
        if ops.len() != interval.per_op.len() {
            return Err(none());
        }
        interval.windows = windows_of(&windows).ok_or_else(none)?;
        (interval.queue, interval.transacted) = (queue, transacted);
        Ok(interval)
    }
}

fn head_of(word: &str) -> Option<Interval> {
    let mut n = Numbers(word.as_bytes());
    let phase = *PHASES.get(usize::try_from(n.u64()?).ok()?)?;
    let (start, length, user, system) = (n.u64()?, n.u64()?, n.u64()?, n.u64()?);
    let mut interval = Interval {
        phase,
        start: Nanos(start),
        length: Nanos(length),
        cpu_user: Nanos(user),
        cpu_system: Nanos(system),
        in_flight_ns: n.next()?,
        ..Interval::default()
    };
    if !n.0.is_empty() {
        interval.cpu_wait = Some(CpuWait { time: Nanos(n.u64()?), times: n.u64()? });
    }
    n.0.is_empty().then_some(interval)
}

/// Encodes an operation. Commas separate the latency words, because a latency word has no end mark. Pairs of a priority
/// and its latencies follow.
fn op_word(op: &OpStats) -> String {
    if *op == OpStats::default() {
        return String::new();
    }
    let mut word = String::new();
    let OpStats { tally, latency, response, failed, submission, completion, by_priority } = op;
    let Tally { ops, bytes, errors, short } = tally;
    [*ops, *bytes, *short, errors.len() as u64].iter().for_each(|n| put(&mut word, (*n).into()));
    for (errno, count) in errors {
        put(&mut word, u128::from(errno.cast_unsigned()));
        put(&mut word, (*count).into());
    }
    for latency in [latency, response, failed, submission, completion] {
        word.extend([",", &latency_word(latency)]);
    }
    for PriorityLatency { priority, latency } in by_priority {
        word.push(',');
        put(&mut word, (*priority).into());
        word.extend([",", &latency_word(latency)]);
    }
    word
}

fn op_of(word: &str) -> Option<OpStats> {
    let mut op = OpStats::default();
    if word.is_empty() {
        return Some(op);
    }
    let mut parts = word.split(',');
    let mut n = Numbers(parts.next()?.as_bytes());
    (op.tally.ops, op.tally.bytes, op.tally.short) = (n.u64()?, n.u64()?, n.u64()?);
    for _ in 0..n.u64()? {
        let errno = u32::try_from(n.u64()?).ok()?.cast_signed();
        op.tally.errors.insert(errno, n.u64()?);
    }
    for latency in [&mut op.latency, &mut op.response, &mut op.failed, &mut op.submission, &mut op.completion] {
        *latency = latency_of(parts.next()?)?;
    }
    while let Some(word) = parts.next() {
        let mut n = Numbers(word.as_bytes());
        let priority = u16::try_from(n.u64()?).ok().filter(|_| n.0.is_empty())?;
        op.by_priority.push(PriorityLatency { priority, latency: latency_of(parts.next()?)? });
    }
    n.0.is_empty().then_some(op)
}

/// Appends a difference, which may be negative: the sign is the lowest bit.
fn put_difference(word: &mut String, now: u64, before: u64) {
    let (size, below) = (now.abs_diff(before), now < before);
    put(word, u128::from(size) * 2 + u128::from(below));
}

fn difference(n: &mut Numbers<'_>, before: u64) -> Option<u64> {
    let difference = n.next()?;
    let size = u64::try_from(difference >> 1).ok()?;
    if difference & 1 == 1 { before.checked_sub(size) } else { before.checked_add(size) }
}

/// Encodes windows. If a window follows the previous one without a gap and has the same length, its start and length
/// take two letters.
fn windows_word(windows: &[Window]) -> String {
    let (mut word, mut expected, mut length) = (String::new(), 0, 0);
    for Window { start, length: lasts, ops, bytes, errors, latency_sum } in windows {
        put_difference(&mut word, start.as_nanos(), expected);
        put_difference(&mut word, lasts.as_nanos(), length);
        (expected, length) = (start.as_nanos().saturating_add(lasts.as_nanos()), lasts.as_nanos());
        let is_present = |i: usize| ops[i] != 0 || bytes[i] != 0;
        let present = (0..4).filter(|i| is_present(*i)).fold(0u128, |mask, i| mask | 1 << i);
        put(&mut word, present * 2 + u128::from(*errors > 0));
        for i in (0..4).filter(|i| is_present(*i)) {
            put(&mut word, ops[i].into());
            // Usually all operations have the same size.
            match bytes[i].checked_div(ops[i]).filter(|size| size * ops[i] == bytes[i] && size % 512 == 0) {
                Some(size) => put(&mut word, u128::from(size / 512) * 2),
                None => put(&mut word, u128::from(bytes[i]) * 2 + 1),
            }
        }
        if *errors > 0 {
            put(&mut word, (*errors).into());
        }
        put(&mut word, (*latency_sum).into());
    }
    word
}

fn windows_of(word: &str) -> Option<Vec<Window>> {
    let mut n = Numbers(word.as_bytes());
    let (mut windows, mut expected, mut length) = (Vec::new(), 0, 0);
    while !n.0.is_empty() {
        let start = difference(&mut n, expected)?;
        length = difference(&mut n, length)?;
        expected = start.saturating_add(length);
        let mut w = Window { start: Nanos(start), length: Nanos(length), ..Window::default() };
        let present = n.u64()?;
        for i in (0..4).filter(|i| present >> (i + 1) & 1 == 1) {
            w.ops[i] = n.u64()?;
            let size = n.next()?;
            let bytes = if size & 1 == 1 { size >> 1 } else { (size >> 1).checked_mul(512 * u128::from(w.ops[i]))? };
            w.bytes[i] = u64::try_from(bytes).ok()?;
        }
        if present & 1 == 1 {
            w.errors = n.u64()?;
        }
        w.latency_sum = n.u64()?;
        windows.push(w);
    }
    Some(windows)
}

#[cfg(test)]
mod tests {
    use crate::measured::{CpuWait, Phase, PriorityLatency, QueueStats, Window};
    use crate::{Interval, LatencyHistogram, Nanos, RunEvent};
    use proptest::prelude::*;

    fn interval() -> impl Strategy<Value = Interval> {
        let window = (any::<[u64; 2]>(), any::<[u32; 4]>(), prop::collection::vec(0u64..70_000, 4), any::<bool>());
        let window = window.prop_map(|([start, sum], ops, sizes, odd)| Window {
            start: Nanos(start >> 1),
            length: Nanos(sum >> 30),
            ops: ops.map(u64::from),
            bytes: std::array::from_fn(|i| u64::from(ops[i]) * sizes[i] / 512 * 512 + u64::from(odd)),
            errors: if odd { 3 } else { 0 },
            latency_sum: sum,
        });
        let latencies = prop::collection::vec((0usize..4, 0usize..5, 0u64..5_000_000_000_000), 0..40);
        (prop::collection::vec(window, 0..12), latencies, any::<u128>(), any::<[u64; 4]>(), 0..3).prop_map(
            |(windows, latencies, in_flight_ns, n, phase)| {
                let mut i = Interval { windows, in_flight_ns, ..Interval::default() };
                i.phase = [Phase::Ramp, Phase::Measure, Phase::Drain][phase as usize];
                [i.start, i.length, i.cpu_user, i.cpu_system] = n.map(Nanos);
                i.cpu_wait = (phase > 0).then_some(CpuWait { time: Nanos(n[0] >> 1), times: n[1] });
                for (op, which, ns) in latencies {
                    let op = &mut i.per_op[op];
                    let kinds =
                        [&mut op.latency, &mut op.response, &mut op.failed, &mut op.submission, &mut op.completion];
                    kinds.into_iter().nth(which).expect("one of five").record(Nanos(ns));
                    if ns % 3 == 0 {
                        let mut one = LatencyHistogram::default();
                        one.record(Nanos(ns));
                        PriorityLatency::merge_into(&mut op.by_priority, (which as u16) << 13, &one);
                    }
                    op.tally.ops += 1;
                    op.tally.errors.insert(which as i32 - 2, ns);
                }
                i.queue =
                    (phase == 0).then(|| Box::new(QueueStats { depth: [1, 2, 3, 4, 5, 6, 7], ..Default::default() }));
                i
            },
        )
    }

    proptest! {
        #[test]
        fn an_interval_written_small_is_the_interval(interval in interval()) {
            let event = RunEvent::Interval { step: 3, interval };
            let text = serde_json::to_string(&event).expect("it has a form");
            prop_assert_eq!(serde_json::from_str::<RunEvent>(&text).expect("it reads back"), event);
        }

        #[test]
        fn no_words_make_it_panic(words in prop::collection::vec("[A-Za-z0-9_.,é-]{0,40}", 6)) {
            let [a, b, c, d, e, f] = words.try_into().expect("six");
            let text = format!("{{\"interval\":{{\"step\":0,\"interval\":[\"{a}\",[\"{b}\",\"{c}\",\"{d}\",\"{e}\"],\"{f}\",null,null]}}}}");
            let _ = serde_json::from_str::<RunEvent>(&text);
            let _ = (super::windows_of(&f), super::op_of(&b), super::head_of(&a));
        }
    }
}
