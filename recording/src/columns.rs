//! Encoding of requests in columns. Similar values are stored together, because they compress well.
//!
//! A payload begins with these numbers, in LEB128:
//!
//! - number of requests,
//! - nanoseconds per tick,
//! - time of the first request, in ticks,
//! - time up to which the recording is complete after this frame, in ticks,
//! - unit of offsets, in bytes,
//! - number of classes (a class is a kind, flags, a target and a length).
//!
//! Four parts follow. Each is preceded by its length in bytes and compressed separately (deflate), so that it has its
//! own codes:
//!
//! - the classes, and the class of each request,
//! - the magnitudes of the ticks since the previous request,
//! - the magnitudes of the latencies (0 for no latency, otherwise ticks + 1),
//! - the offsets, as the zigzag distance from the end of the previous request with the same target and direction.
//!
//! The last part is a bit stream. For each request, it contains the low bits that the magnitudes leave out
//! (`numbers.rs`): first those of its time, then those of its latency. These bits are noise, so they are not
//! compressed.

use super::numbers::{BitReader, BitWriter, byte, join, part, put, split, take, unzigzag, zigzag};
use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use model::recording::{RecordedRequest, RequestFlags};
use model::{Nanos, measured::RequestKind};
use std::collections::HashMap;
use std::io::{self, Read, Write};

/// Unit of time, in nanoseconds, for requests recorded while they happen.
pub(crate) const TICK: u64 = 100;
/// Maximum number of requests per frame.
pub(crate) const MOST: usize = 1 << 16;
/// Maximum size of an unpacked part, in bytes: no request needs more than 40 bytes.
pub(crate) const UNPACKED_MAX: u64 = 48 * MOST as u64;

type Class = (RequestKind, RequestFlags, u16, u64);

/// End of the last request of each target and direction, where the next one is likely to begin.
#[derive(Debug, Default)]
pub(crate) struct Ends(Vec<[u64; RequestKind::ALL.len()]>);

impl Ends {
    pub fn get(&self, request: &RecordedRequest) -> u64 {
        self.0.get(usize::from(request.target)).map_or(0, |kinds| kinds[request.kind as usize])
    }

    pub fn set(&mut self, request: &RecordedRequest) {
        let target = usize::from(request.target);
        if self.0.len() <= target {
            self.0.resize(target + 1, Default::default());
        }
        self.0[target][request.kind as usize] = request.offset.wrapping_add(request.bytes);
    }
}

/// Classes in order of their first use.
#[derive(Debug, Default)]
struct Classes {
    numbers: HashMap<Class, u64>,
    listed: Vec<Class>,
    last: Option<(Class, u64)>,
}

impl Classes {
    fn number(&mut self, request: &RecordedRequest) -> u64 {
        let class = (request.kind, request.flags, request.target, request.bytes);
        // Most requests have the same class as the previous one; checking it first keeps recording cheap.
        let number = match self.last {
            Some((same, number)) if same == class => number,
            _ => *self.numbers.entry(class).or_insert_with(|| {
                self.listed.push(class);
                self.listed.len() as u64 - 1
            }),
        };
        self.last = Some((class, number));
        number
    }

    fn write(&self, unit: u64) -> Vec<u8> {
        let mut out = Vec::new();
        for (kind, flags, target, bytes) in &self.listed {
            out.extend([*kind as u8, flags.bits()]);
            put(&mut out, u64::from(*target));
            put(&mut out, bytes / unit);
        }
        out
    }

    fn read(from: &mut &[u8], count: usize, unit: u64) -> Option<Vec<Class>> {
        let mut listed = Vec::with_capacity(count);
        for _ in 0..count {
            let kind = *RequestKind::ALL.get(usize::from(byte(from)?))?;
            let flags = RequestFlags::from_bits(byte(from)?);
            let target = u16::try_from(take(from)?).ok()?;
            listed.push((kind, flags, target, take(from)?.checked_mul(unit)?));
        }
        Some(listed)
    }
}

/// Encodes requests as a payload. The requests must be in chronological order. Times are stored in units of `tick`
/// nanoseconds.
pub(crate) fn encode(requests: &[RecordedRequest], complete: Nanos, tick: u64) -> io::Result<Vec<u8>> {
    debug_assert!(requests.len() <= MOST && requests.is_sorted_by_key(|r| r.at));
    let ticks = |time: Nanos| time.as_nanos() / tick;
    // Latencies are rounded to the nearest tick. Start times are truncated, which keeps their order.
    let rounded = |latency: Nanos| (latency.as_nanos() + tick / 2) / tick + 1;
    let first = requests.first().map_or(0, |r| ticks(r.at));
    let unit = if requests.iter().all(|r| r.offset % 512 == 0 && r.bytes % 512 == 0) { 512 } else { 1 };
    let mut classes = Classes::default();
    let (mut numbers, mut times, mut latencies, mut places) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut bits = BitWriter::default();
    let (mut before, mut ends) = (first, Ends::default());
    for request in requests {
        put(&mut numbers, classes.number(request));
        let at = ticks(request.at);
        for (sizes, number) in [(&mut times, at - before), (&mut latencies, request.latency.map_or(0, rounded))] {
            let (size, rest, count) = split(number);
            sizes.push(size);
            bits.put(rest, count);
        }
        before = at;
        let away = (request.offset / unit).wrapping_sub(ends.get(request) / unit);
        put(&mut places, zigzag(away));
        ends.set(request);
    }
    let mut payload = Vec::new();
    let listed = classes.listed.len() as u64;
    for number in [requests.len() as u64, tick, first, ticks(complete), unit, listed] {
        put(&mut payload, number);
    }
    let mut class_column = classes.write(unit);
    class_column.extend(numbers);
    for column in [class_column, times, latencies, places] {
        let packed = deflated(&column)?;
        put(&mut payload, packed.len() as u64);
        payload.extend(packed);
    }
    payload.extend(bits.finish());
    Ok(payload)
}

fn deflated(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
    deflate.write_all(bytes)?;
    deflate.finish()
}

fn inflated(from: &mut &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    DeflateDecoder::new(part(from)?).take(UNPACKED_MAX).read_to_end(&mut unpacked).ok()?;
    Some(unpacked)
}

/// Decodes a payload. Returns its requests, and the time up to which the recording is complete after this payload.
/// Returns `None` if the payload is invalid.
pub(crate) fn decode(payload: &[u8]) -> Option<(Vec<RecordedRequest>, Nanos)> {
    let mut rest = payload;
    let count = usize::try_from(take(&mut rest)?).ok().filter(|n| *n <= MOST)?;
    let tick = take(&mut rest).filter(|tick| *tick > 0)?;
    let first = take(&mut rest)?;
    let time = |ticks: u64| ticks.checked_mul(tick).map(Nanos);
    let complete = time(take(&mut rest)?)?;
    let unit = take(&mut rest).filter(|unit| [1, 512].contains(unit))?;
    let listed = usize::try_from(take(&mut rest)?).ok().filter(|n| *n <= count)?;
    let unpacked = [inflated(&mut rest)?, inflated(&mut rest)?, inflated(&mut rest)?, inflated(&mut rest)?];
    let [mut numbers, mut times, mut latencies, mut places] = unpacked.each_ref().map(Vec::as_slice);
    let classes = Classes::read(&mut numbers, listed, unit)?;
    let mut bits = BitReader::new(rest);
    let mut requests = Vec::with_capacity(count);
    let (mut at, mut ends) = (first, Ends::default());
    for _ in 0..count {
        let (kind, flags, target, bytes) = *classes.get(usize::try_from(take(&mut numbers)?).ok()?)?;
        at = at.checked_add(join(byte(&mut times)?, &mut bits)?)?;
        let latency = match join(byte(&mut latencies)?, &mut bits)? {
            0 => None,
            ticks => Some(time(ticks - 1)?),
        };
        let mut request = RecordedRequest { at: time(at)?, latency, target, kind, flags, offset: 0, bytes };
        let place = (ends.get(&request) / unit).wrapping_add(unzigzag(take(&mut places)?));
        request.offset = place.checked_mul(unit)?;
        ends.set(&request);
        requests.push(request);
    }
    Some((requests, complete))
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
            let payload = encode(&requests, complete, TICK).expect("encoded");
            prop_assert_eq!(decode(&payload), Some((requests, complete)));
        }

        #[test]
        fn nanoseconds_are_kept_where_that_is_asked(times in prop::collection::vec((0u64..1 << 40, 0u64..1 << 40), 1..50)) {
            let request = |(at, latency): &(u64, u64)| RecordedRequest {
                at: Nanos(*at),
                latency: Some(Nanos(*latency)),
                target: 0,
                kind: RequestKind::Read,
                flags: RequestFlags::default(),
                offset: 512,
                bytes: 512,
            };
            let mut requests: Vec<RecordedRequest> = times.iter().map(request).collect();
            requests.sort_by_key(|r| r.at);
            let payload = encode(&requests, Nanos(7), 1).expect("encoded");
            prop_assert_eq!(decode(&payload), Some((requests, Nanos(7))));
        }

        #[test]
        fn no_bytes_make_decoding_panic(payload in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&payload);
        }
    }
}
