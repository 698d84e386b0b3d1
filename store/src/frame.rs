//! The form of a journal: a head of 16 bytes, then frames. Encoding and checking, no file.
//!
//! Head: magic `SECCHIJ1`, format version (u32), crc32c of the twelve bytes before it. Frame: length of the payload
//! (u32), crc32c of length and payload (u32), payload = one [`RunEvent`] as JSON. All integers little-endian.
//! A run of zeros is never a frame, as no payload is empty; and no stretch of JSON looks like one, as JSON holds no
//! bytes below 0x20, which makes any length read from it larger than [`MAX_FRAME`].

use crate::error::Unreadable;
use model::RunEvent;
use std::io::Read;

/// Version of the journal's form (not of its events, which have their own).
pub const FORMAT_VERSION: u32 = 1;
/// Largest payload of a frame, in bytes.
pub const MAX_FRAME: u32 = 64 << 20;
/// Largest journal, in bytes.
pub const MAX_JOURNAL: u64 = 4 << 30;

const MAGIC: [u8; 8] = *b"SECCHIJ1";
/// Bytes of the journal's head.
pub(crate) const HEAD: usize = 16;
/// Bytes before a frame's payload.
const FRAME_HEAD: usize = 8;

/// Where and how a journal breaks off; everything before is whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The last frame was not written to its end.
    #[error("the frame at byte {at} breaks off: {there} of {wanted} bytes are there")]
    Torn {
        /// Offset of the frame.
        at: u64,
        /// Bytes it should have.
        wanted: u64,
        /// Bytes it has.
        there: u64,
    },
    /// Zero, or longer than a frame may be.
    #[error("the frame at byte {at} has an impossible length of {length}")]
    Length {
        /// Offset of the frame.
        at: u64,
        /// What stands there.
        length: u32,
    },
    /// Checksum mismatch.
    #[error("the frame at byte {at} has a wrong checksum")]
    Checksum {
        /// Offset of the frame.
        at: u64,
    },
    /// Whole, but not an event.
    #[error("the frame at byte {at} is not an event: {why}")]
    Event {
        /// Offset of the frame.
        at: u64,
        /// Why.
        why: String,
    },
    /// Whole, but does not follow from what is before.
    #[error("the event at byte {at} does not fit: {why}")]
    Order {
        /// Offset of the frame.
        at: u64,
        /// Why.
        why: String,
    },
    /// The disk does not give the bytes back.
    #[error("the file cannot be read at byte {at}: {why}")]
    Read {
        /// Offset of the frame.
        at: u64,
        /// Why.
        why: String,
    },
}

/// Why an event has no frame.
#[derive(Debug)]
pub(crate) enum FrameError {
    /// It has no JSON form that reads back (a number that is not finite, a path that is not text).
    Event(String),
    /// Larger than [`MAX_FRAME`].
    TooLarge(u64),
}

/// The head of a journal of this format.
pub(crate) fn head() -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    let sum = crc32c::crc32c(&head[..12]);
    head[12..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// Checks a head.
pub(crate) fn check_head(head: &[u8; HEAD]) -> Result<(), Unreadable> {
    if head[..8] != MAGIC {
        return Err(Unreadable::NotAJournal);
    }
    if u32_at(head, 12) != crc32c::crc32c(&head[..12]) {
        return Err(Unreadable::HeadDamaged);
    }
    match u32_at(head, 8) {
        FORMAT_VERSION => Ok(()),
        other => Err(Unreadable::Format(other)),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("a slice of four bytes"))
}

fn checksum(length: u32, payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&length.to_le_bytes()), payload)
}

/// Puts the frame of `event` behind what `out` holds; on error `out` is as before.
///
/// The payload is read back before it counts: one frame that cannot be read would cut off all that follow it.
pub(crate) fn encode(event: &RunEvent, out: &mut Vec<u8>) -> Result<(), FrameError> {
    let start = out.len();
    let result = encode_behind(event, out, start);
    if result.is_err() {
        out.truncate(start);
    }
    result
}

fn encode_behind(event: &RunEvent, out: &mut Vec<u8>, start: usize) -> Result<(), FrameError> {
    out.extend_from_slice(&[0; FRAME_HEAD]);
    serde_json::to_writer(&mut *out, event).map_err(|e| FrameError::Event(e.to_string()))?;
    let payload = &out[start + FRAME_HEAD..];
    let length = u32::try_from(payload.len()).ok().filter(|n| *n <= MAX_FRAME);
    let length = length.ok_or(FrameError::TooLarge(payload.len() as u64))?;
    serde_json::from_slice::<RunEvent>(payload)
        .map_err(|e| FrameError::Event(format!("it would not read back ({e}), as when a number is not finite")))?;
    let sum = checksum(length, payload);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4..start + FRAME_HEAD].copy_from_slice(&sum.to_le_bytes());
    Ok(())
}

/// Reads frames one by one from a source positioned behind the head.
pub(crate) struct FrameReader<R> {
    inner: R,
    /// Offset behind the last whole frame.
    at: u64,
    /// Length of the journal.
    end: u64,
    payload: Vec<u8>,
}

impl<R: Read> FrameReader<R> {
    /// `length` is that of the whole journal, head included; never more is read.
    pub(crate) fn new(inner: R, length: u64) -> Self {
        FrameReader::resume(inner, HEAD as u64, length)
    }

    /// Of a source positioned at the offset `at`, behind a whole frame.
    pub(crate) fn resume(inner: R, at: u64, length: u64) -> Self {
        FrameReader { inner, at, end: length, payload: Vec::new() }
    }

    /// The offset behind the last frame read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// The next event; `None` at a clean end. After damage nothing more can be read.
    pub(crate) fn next(&mut self) -> Result<Option<RunEvent>, Damage> {
        let at = self.at;
        let there = self.end.saturating_sub(at);
        if there == 0 {
            return Ok(None);
        }
        if there < FRAME_HEAD as u64 {
            return Err(Damage::Torn { at, wanted: FRAME_HEAD as u64, there });
        }
        let read = |e: std::io::Error| Damage::Read { at, why: e.to_string() };
        let mut head = [0; FRAME_HEAD];
        self.inner.read_exact(&mut head).map_err(read)?;
        let (length, sum) = (u32_at(&head, 0), u32_at(&head, 4));
        if length == 0 || length > MAX_FRAME {
            return Err(Damage::Length { at, length });
        }
        let wanted = FRAME_HEAD as u64 + u64::from(length);
        if wanted > there {
            return Err(Damage::Torn { at, wanted, there });
        }
        // Not larger than what the file really holds, so a false length cannot take memory.
        self.payload.resize(length as usize, 0);
        self.inner.read_exact(&mut self.payload).map_err(read)?;
        if checksum(length, &self.payload) != sum {
            return Err(Damage::Checksum { at });
        }
        let event = serde_json::from_slice(&self.payload);
        let event = event.map_err(|e| Damage::Event { at, why: e.to_string() })?;
        self.at += wanted;
        Ok(Some(event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use model::Nanos;

    fn frame(event: &RunEvent) -> Vec<u8> {
        let mut out = Vec::new();
        encode(event, &mut out).expect("an ordinary event has a frame");
        out
    }

    fn first(bytes: &[u8]) -> Result<Option<RunEvent>, Damage> {
        FrameReader::new(bytes, HEAD as u64 + bytes.len() as u64).next()
    }

    #[test]
    fn a_frame_reads_back_to_the_bit() {
        for event in fixture::run(7, 3) {
            assert_eq!(first(&frame(&event)), Ok(Some(event)));
        }
    }

    #[test]
    fn an_event_that_would_not_read_back_is_refused_and_leaves_nothing() {
        let mut out = b"before".to_vec();
        let end = model::StepEnd { busiest_thread: f64::NAN, ..Default::default() };
        assert!(matches!(encode(&RunEvent::StepEnd { step: 0, end }, &mut out), Err(FrameError::Event(_))));
        assert_eq!(out, b"before");
    }

    #[test]
    fn zeros_are_never_a_frame() {
        assert!(matches!(first(&[0; 64]), Err(Damage::Length { length: 0, .. })));
    }

    #[test]
    fn a_stretch_of_json_is_never_a_frame() {
        let whole = frame(&RunEvent::Note { at: Nanos(5), text: "\u{1}\n\u{7f}ä \"quoted\"".to_owned() });
        let payload = &whole[FRAME_HEAD..];
        for from in 0..payload.len() - FRAME_HEAD {
            assert!(matches!(first(&payload[from..]), Err(Damage::Length { .. })), "from {from}");
        }
    }

    #[test]
    fn a_false_length_takes_no_memory() {
        let mut bytes = frame(&RunEvent::Note { at: Nanos(5), text: String::new() });
        bytes[..4].copy_from_slice(&MAX_FRAME.to_le_bytes());
        let mut reader = FrameReader::new(&bytes[..], HEAD as u64 + bytes.len() as u64);
        assert!(matches!(reader.next(), Err(Damage::Torn { .. })));
        assert_eq!(reader.payload.capacity(), 0);
    }

    #[test]
    fn deeply_nested_json_is_refused_without_overflowing_the_stack() {
        let payload = [b"{\"note\":".to_vec(), vec![b'['; 1 << 20]].concat();
        let length = u32::try_from(payload.len()).expect("a mebibyte");
        let bytes = [&length.to_le_bytes()[..], &checksum(length, &payload).to_le_bytes()[..], &payload[..]].concat();
        assert!(matches!(first(&bytes), Err(Damage::Event { .. })));
    }

    #[test]
    fn heads_of_others_are_told_apart() {
        let ok = head();
        assert!(check_head(&ok).is_ok());
        let mut other = ok;
        other[8] = 9;
        assert!(matches!(check_head(&other), Err(Unreadable::HeadDamaged)));
        let sum = crc32c::crc32c(&other[..12]);
        other[12..].copy_from_slice(&sum.to_le_bytes());
        assert!(matches!(check_head(&other), Err(Unreadable::Format(9))));
        assert!(matches!(check_head(b"not a journal!!!"), Err(Unreadable::NotAJournal)));
    }
}
