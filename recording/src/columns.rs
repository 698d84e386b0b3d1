//! Requests in columns: what is alike stands together, and is small.
//!
//! A payload is numbers in LEB128: requests, ticks of the first one, ticks up to which the recording is complete behind this frame,
//! the unit of places in bytes, and the classes that occur (kind, flags, target, length). Behind them, deflated, four columns, each
//! with its length in bytes before it: classes, ticks since the request before, latencies (0 = none, else ticks + 1), and places as
//! the distance from where the last request of the same target and direction ended, in zigzag. A tick is 100 ns.

use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use model::{Nanos, RecordedRequest, RequestFlags, RequestKind};
use std::collections::HashMap;
use std::io::{self, Read, Write};

/// Nanoseconds of the unit of time.
const TICK: u64 = 100;
/// Requests of one frame at the most.
pub(crate) const MOST: usize = 1 << 16;
/// Bytes that a payload may have when it is unpacked: no request needs more than 40.
const UNPACKED_MAX: u64 = 48 * MOST as u64;

/// Where the last request of a target and direction ended, which is where the next one is likely to begin.
#[derive(Debug, Default)]
struct Ends(Vec<[u64; RequestKind::ALL.len()]>);

impl Ends {
    fn get(&self, request: &RecordedRequest) -> u64 {
        self.0.get(usize::from(request.target)).map_or(0, |kinds| kinds[request.kind as usize])
    }

    fn set(&mut self, request: &RecordedRequest) {
        let target = usize::from(request.target);
        if self.0.len() <= target {
            self.0.resize(target + 1, Default::default());
        }
        self.0[target][request.kind as usize] = request.offset.wrapping_add(request.bytes);
    }
}

/// The payload of these requests, which are in order of time.
pub(crate) fn encode(requests: &[RecordedRequest], complete: Nanos) -> io::Result<Vec<u8>> {
    debug_assert!(requests.len() <= MOST && requests.is_sorted_by_key(|r| r.at));
    let ticks = |time: Nanos| time.as_nanos() / TICK;
    let first = requests.first().map_or(0, |r| ticks(r.at));
    let unit = if requests.iter().all(|r| r.offset % 512 == 0 && r.bytes % 512 == 0) { 512 } else { 1 };
    let mut classes = HashMap::new();
    let mut listed = Vec::new();
    let mut columns: [Vec<u8>; 4] = Default::default();
    let (mut before, mut ends, mut last) = (first, Ends::default(), None);
    for request in requests {
        let class = (request.kind, request.flags, request.target, request.bytes);
        // Most are like the one before: that is looked at first, for recording is to cost little.
        let number = match last {
            Some((same, number)) if same == class => number,
            _ => *classes.entry(class).or_insert_with(|| {
                listed.push(class);
                listed.len() as u64 - 1
            }),
        };
        last = Some((class, number));
        put(&mut columns[0], number);
        let at = ticks(request.at);
        put(&mut columns[1], at - before);
        before = at;
        // Nearest tick: beginnings are cut off, so that none comes before another that was earlier.
        let rounded = |l: Nanos| (l.as_nanos() + TICK / 2) / TICK + 1;
        put(&mut columns[2], request.latency.map_or(0, rounded));
        let away = (request.offset / unit).wrapping_sub(ends.get(request) / unit);
        put(&mut columns[3], zigzag(away));
        ends.set(request);
    }
    let mut payload = Vec::new();
    for number in [requests.len() as u64, first, ticks(complete), unit, listed.len() as u64] {
        put(&mut payload, number);
    }
    for (kind, flags, target, bytes) in listed {
        payload.push(kind as u8);
        payload.push(flags.bits());
        put(&mut payload, u64::from(target));
        put(&mut payload, bytes);
    }
    let mut deflate = DeflateEncoder::new(payload, Compression::fast());
    for column in &columns {
        let mut length = Vec::new();
        put(&mut length, column.len() as u64);
        deflate.write_all(&length)?;
        deflate.write_all(column)?;
    }
    deflate.finish()
}

/// What a payload holds: requests, and the time up to which the recording is complete behind it. `None` for one that nobody wrote
/// so.
pub(crate) fn decode(payload: &[u8]) -> Option<(Vec<RecordedRequest>, Nanos)> {
    let mut rest = payload;
    let count = usize::try_from(take(&mut rest)?).ok().filter(|n| *n <= MOST)?;
    let first = take(&mut rest)?;
    let complete = Nanos(take(&mut rest)?.checked_mul(TICK)?);
    let unit = take(&mut rest).filter(|unit| [1, 512].contains(unit))?;
    let classes = usize::try_from(take(&mut rest)?).ok().filter(|n| *n <= count)?;
    let mut listed = Vec::with_capacity(classes);
    for _ in 0..classes {
        let kind = *RequestKind::ALL.get(usize::from(byte(&mut rest)?))?;
        let flags = RequestFlags::from_bits(byte(&mut rest)?);
        let target = u16::try_from(take(&mut rest)?).ok()?;
        listed.push((kind, flags, target, take(&mut rest)?));
    }
    let mut unpacked = Vec::new();
    DeflateDecoder::new(rest).take(UNPACKED_MAX).read_to_end(&mut unpacked).ok()?;
    let mut rest = unpacked.as_slice();
    let mut column = || {
        let length = usize::try_from(take(&mut rest)?).ok()?;
        let (own, others) = rest.split_at_checked(length)?;
        rest = others;
        Some(own)
    };
    let mut columns = [column()?, column()?, column()?, column()?];
    let mut requests = Vec::with_capacity(count);
    let (mut at, mut ends) = (first, Ends::default());
    for _ in 0..count {
        let class = usize::try_from(take(&mut columns[0])?).ok()?;
        let (kind, flags, target, bytes) = *listed.get(class)?;
        at = at.checked_add(take(&mut columns[1])?)?;
        let latency = take(&mut columns[2])?.checked_sub(1);
        let mut request = RecordedRequest {
            at: Nanos(at.checked_mul(TICK)?),
            latency: latency.map(|ticks| ticks.checked_mul(TICK).map(Nanos)).map_or(Some(None), |l| l.map(Some))?,
            target,
            kind,
            flags,
            offset: 0,
            bytes,
        };
        let place = (ends.get(&request) / unit).wrapping_add(unzigzag(take(&mut columns[3])?));
        request.offset = place.checked_mul(unit)?;
        ends.set(&request);
        requests.push(request);
    }
    Some((requests, complete))
}

/// A difference, so that small ones of either sign are small numbers.
const fn zigzag(difference: u64) -> u64 {
    (difference << 1) ^ ((difference as i64 >> 63) as u64)
}

const fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let next = byte(from)?;
        let bits = u64::from(next & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if next < 0x80 {
            return Some(number);
        }
    }
    None
}

fn byte(from: &mut &[u8]) -> Option<u8> {
    let (first, rest) = from.split_first()?;
    *from = rest;
    Some(*first)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn any_request() -> impl Strategy<Value = RecordedRequest> {
        let kind = prop::sample::select(RequestKind::ALL.to_vec());
        let place = prop_oneof![(0u64..1 << 40).prop_map(|sectors| sectors * 512), 0u64..1 << 50];
        let size = prop_oneof![(0u64..2048).prop_map(|sectors| sectors * 512), 0u64..1 << 33];
        let latency = prop::option::of(0u64..1 << 40);
        (0u64..1 << 45, latency, 0u16..5, kind, any::<u8>(), place, size).prop_map(
            |(at, latency, target, kind, flags, offset, bytes)| RecordedRequest {
                at: Nanos(at / TICK * TICK),
                latency: latency.map(|l| Nanos(l / TICK * TICK)),
                target,
                kind,
                flags: RequestFlags::from_bits(flags),
                offset,
                bytes,
            },
        )
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(mut requests in prop::collection::vec(any_request(), 0..200), complete in 0u64..1 << 45) {
            requests.sort_by_key(|r| r.at);
            let complete = Nanos(complete / TICK * TICK);
            let payload = encode(&requests, complete).expect("encoded");
            prop_assert_eq!(decode(&payload), Some((requests, complete)));
        }

        #[test]
        fn no_bytes_make_decoding_panic(payload in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&payload);
        }

        #[test]
        fn numbers_and_differences_come_back(number in any::<u64>()) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            prop_assert_eq!(take(&mut bytes.as_slice()), Some(number));
            prop_assert_eq!(unzigzag(zigzag(number)), number);
        }
    }
}
