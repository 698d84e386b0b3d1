//! Requests as recordings of the first form have them; they are written so no more.
//!
//! A payload is numbers in LEB128: requests, ticks of 100 ns of the first one, ticks up to which the recording is complete behind
//! this frame, the unit of places in bytes, and the classes that occur (kind, flags, target, length). Behind them, deflated together,
//! four columns, each with its length in bytes before it: classes, ticks since the request before, latencies (0 = none, else ticks +
//! 1), and places as the distance from where the last request of the same target and direction ended, in zigzag.

use super::columns::{Ends, MOST, UNPACKED_MAX};
use super::numbers::{byte, part, take, unzigzag};
use flate2::bufread::DeflateDecoder;
use model::{Nanos, RecordedRequest, RequestFlags, RequestKind};
use std::io::Read;

/// Nanoseconds of the unit of time.
const TICK: u64 = 100;

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
    let mut columns = [part(&mut rest)?, part(&mut rest)?, part(&mut rest)?, part(&mut rest)?];
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

#[cfg(test)]
mod tests {
    use super::super::RecordingReader;
    use super::*;
    use model::{Bytes, RecordedLayer};
    use proptest::prelude::*;

    /// Made by the program before its recordings had another form: half a second of a database.
    const FILE: &[u8] = include_bytes!("fixtures/first-form.sqio");

    #[test]
    fn recordings_of_the_first_form_are_read() {
        let (told, damage) = RecordingReader::begin(FILE).expect("a recording").collect_all();
        assert!(damage.is_none(), "{damage:?}");
        assert_eq!((told.header.layer, told.end.requests), (RecordedLayer::Block, told.requests.len() as u64));
        let of = |kind: RequestKind| told.requests.iter().filter(move |r| r.kind == kind);
        let bytes = |kind: RequestKind| Bytes(of(kind).map(|r| r.bytes).sum());
        let counts =
            [RequestKind::Read, RequestKind::Write, RequestKind::Flush].map(|kind| (of(kind).count(), bytes(kind)));
        assert_eq!(counts, COUNTS);
        assert!(
            told.requests.is_sorted_by_key(|r| r.at)
                && told.requests.iter().filter(|r| r.latency.is_none()).count() <= 1
        );
    }

    const COUNTS: [(usize, Bytes); 3] = [(23, Bytes(2_019_328)), (78, Bytes(1_454_080)), (40, Bytes(0))];

    proptest! {
        #[test]
        fn no_bytes_make_decoding_panic(payload in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&payload);
        }
    }
}
