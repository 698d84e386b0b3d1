//! The form of a journal: a head of 16 bytes, then frames. Encoding and checking, no file.
//!
//! Head: magic `SECCHIJ1`, format version (u32), crc32c of the twelve bytes before it. Frame: length of the payload
//! (u32), crc32c of length and payload (u32), payload = one [`RunEvent`] as JSON. All integers little-endian.
//! A run of zeros is never a frame, as no payload is empty; and no stretch of JSON looks like one, as JSON holds no
//! bytes below 0x20, which makes any length read from it larger than [`MAX_FRAME`].

use messages::sentence;
use model::{RunEvent, Sentence};
use serde::Deserialize;
use std::io::Read;

/// The version of a record, of which nothing else is looked at: what is of another version may have what ours has not.
#[derive(Deserialize)]
pub(crate) struct RecordVersion {
    pub version: u32,
}

/// Version of the journal's form (not of its events, which have their own).
pub const FORMAT_VERSION: u32 = 1;
/// Largest payload of a frame, in bytes.
pub const MAX_FRAME: u32 = 64 << 20;
/// Largest journal, in bytes.
pub const MAX_JOURNAL: u64 = 4 << 30;

/// Bytes of the journal's head.
pub(crate) const HEAD: usize = 16;
/// Bytes before a frame's payload.
const FRAME_HEAD: usize = 8;

/// Where and how a journal breaks off; everything before is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// The last frame was not written to its end.
    Torn {
        /// Offset of the frame.
        at: u64,
        /// Bytes it should have.
        wanted: u64,
        /// Bytes it has.
        there: u64,
    },
    /// Zero, or longer than a frame may be.
    Length {
        /// Offset of the frame.
        at: u64,
        /// What stands there.
        length: u32,
    },
    /// Checksum mismatch.
    Checksum {
        /// Offset of the frame.
        at: u64,
    },
    /// Whole, but not an event.
    Event {
        /// Offset of the frame.
        at: u64,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// Whole, but does not follow from what is before.
    Order {
        /// Offset of the frame.
        at: u64,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// The disk does not give the bytes back.
    Read {
        /// Offset of the frame.
        at: u64,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
}

impl Damage {
    /// What is wrong, and where.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        match self {
            Damage::Torn { at, wanted, there } => sentence!("frame-torn", at = *at, there = *there, wanted = *wanted),
            Damage::Length { at, length } => sentence!("frame-length", at = *at, length = *length),
            Damage::Checksum { at } => sentence!("frame-checksum", at = *at),
            Damage::Event { at, why } => sentence!("frame-no-event", at = *at, why),
            Damage::Order { at, why } => sentence!("frame-order", at = *at, why),
            Damage::Read { at, why } => sentence!("frame-unreadable", at = *at, why),
        }
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for Damage {}

/// Why an event has no frame.
#[derive(Debug)]
pub(crate) enum FrameError {
    /// It has no JSON form that reads back (a number that is not finite, a path that is not text).
    Event(String),
    /// Larger than [`MAX_FRAME`].
    TooLarge(u64),
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
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
    /// Offset behind the last whole frame, or behind what was passed over.
    at: u64,
    /// Length of the journal.
    end: u64,
    /// Bytes read ahead; those before `from` are done with.
    ahead: Vec<u8>,
    from: usize,
    /// Zeros that end what was passed over last.
    zeros: u64,
    /// Bytes whose checksums may still be tried in the search for the next frame.
    trials: u64,
}

/// What stands where a frame should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Something that cannot be read, and a whole frame behind it.
    Passed,
    /// The last frame, not written to its end, or zeros in its place: what a writer that was killed leaves, or a power cut.
    Tail,
    /// Something else, to the end.
    Rest,
}

/// Zeros at the end that a flipped byte does not make: the rest of a sector that a power cut kept from the disk.
const ZEROS: u64 = 8;

/// Bytes asked of the source at least.
const CHUNK: usize = 64 << 10;

impl<R: Read> FrameReader<R> {
    /// `length` is that of the whole journal, head included; never more is read.
    pub(crate) fn new(inner: R, length: u64) -> Self {
        FrameReader::resume(inner, HEAD as u64, length)
    }

    /// Of a source positioned at the offset `at`, behind a whole frame.
    pub(crate) fn resume(inner: R, at: u64, length: u64) -> Self {
        let trials = length.saturating_mul(4).saturating_add(u64::from(MAX_FRAME));
        FrameReader { inner, at, end: length, ahead: Vec::new(), from: 0, zeros: 0, trials }
    }

    /// The offset behind the last frame read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Bytes from there to the end.
    pub(crate) fn left(&self) -> u64 {
        self.end.saturating_sub(self.at)
    }

    /// The next `n` bytes, or what there is of them. Takes no more memory than the source has bytes.
    fn peek(&mut self, n: usize) -> std::io::Result<&[u8]> {
        let n = usize::try_from(self.left()).unwrap_or(usize::MAX).min(n);
        let there = self.ahead.len() - self.from;
        if there < n {
            self.ahead.drain(..self.from);
            self.from = 0;
            let known = usize::try_from(self.left()).unwrap_or(usize::MAX);
            let wanted = (n.max(CHUNK).min(known) - there) as u64;
            let read = (&mut self.inner).take(wanted).read_to_end(&mut self.ahead)?;
            if there + read < n {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(&self.ahead[self.from..self.from + n])
    }

    /// Passes over bytes that were peeked.
    fn pass(&mut self, n: usize) {
        self.from += n;
        self.at += n as u64;
    }

    /// The next event; `None` at a clean end. After damage nothing more can be read but behind [`FrameReader::resync`].
    pub(crate) fn next(&mut self) -> Result<Option<RunEvent>, Damage> {
        let (at, there) = (self.at, self.left());
        if there == 0 {
            return Ok(None);
        }
        if there < FRAME_HEAD as u64 {
            return Err(Damage::Torn { at, wanted: FRAME_HEAD as u64, there });
        }
        let read = |e: std::io::Error| Damage::Read { at, why: e.to_string() };
        let head = self.peek(FRAME_HEAD).map_err(read)?;
        let (length, sum) = (u32_at(head, 0), u32_at(head, 4));
        if length == 0 || length > MAX_FRAME {
            return Err(Damage::Length { at, length });
        }
        let wanted = FRAME_HEAD as u64 + u64::from(length);
        if wanted > there {
            return Err(Damage::Torn { at, wanted, there });
        }
        let whole = FRAME_HEAD + length as usize;
        let payload = &self.peek(whole).map_err(read)?[FRAME_HEAD..];
        if checksum(length, payload) != sum {
            return Err(Damage::Checksum { at });
        }
        let event = serde_json::from_slice(payload);
        let event = event.map_err(|e| Damage::Event { at, why: e.to_string() })?;
        self.pass(whole);
        Ok(Some(event))
    }

    /// The record version that the frame here says it begins a run of, where it is whole: told even where the rest of it has
    /// content that this program does not know.
    pub(crate) fn record_version(&mut self) -> Option<u32> {
        #[derive(Deserialize)]
        struct First {
            begin: RecordVersion,
        }
        if !self.is_whole_frame().ok()? {
            return None;
        }
        let length = u32_at(self.peek(FRAME_HEAD).ok()?, 0) as usize;
        let payload = &self.peek(FRAME_HEAD + length).ok()?[FRAME_HEAD..];
        Some(serde_json::from_slice::<First>(payload).ok()?.begin.version)
    }

    /// Whether what is left is the beginning of a frame that was not written to its end. A frame that is whole but for a
    /// false length holds a whole event.
    fn is_torn(&mut self) -> std::io::Result<bool> {
        let left = usize::try_from(self.left()).unwrap_or(usize::MAX);
        if left < FRAME_HEAD {
            return Ok(true);
        }
        let length = u32_at(self.peek(FRAME_HEAD)?, 0);
        if length == 0 || length > MAX_FRAME || length as usize <= left - FRAME_HEAD {
            return Ok(false);
        }
        let there = &self.peek(left)?[FRAME_HEAD..];
        Ok(serde_json::from_slice::<serde::de::IgnoredAny>(there).is_err())
    }

    /// Passes over what cannot be read to where the next whole frame begins; `false` where there is none, and then nothing
    /// is left.
    fn resync(&mut self) -> std::io::Result<bool> {
        self.zeros = 0;
        loop {
            if self.left() == 0 {
                return Ok(false);
            }
            // Not less than a chunk: byte by byte it would be slow.
            let head = self.peek(FRAME_HEAD + 1)?;
            self.zeros = if head[0] == 0 { self.zeros + 1 } else { 0 };
            self.pass(1);
            if self.is_whole_frame()? {
                return Ok(true);
            }
        }
    }

    /// Whether a whole frame begins here.
    fn is_whole_frame(&mut self) -> std::io::Result<bool> {
        let left = self.left();
        let head = self.peek(FRAME_HEAD + 1)?;
        if head.len() <= FRAME_HEAD || head[FRAME_HEAD] != b'{' {
            return Ok(false);
        }
        let (length, sum) = (u32_at(head, 0), u32_at(head, 4));
        let wanted = FRAME_HEAD as u64 + u64::from(length);
        // Lengths made up to have everything summed over and over get nowhere.
        if length == 0 || length > MAX_FRAME || wanted > left || u64::from(length) > self.trials {
            return Ok(false);
        }
        self.trials -= u64::from(length);
        let payload = &self.peek(FRAME_HEAD + length as usize)?[FRAME_HEAD..];
        Ok(checksum(length, payload) == sum)
    }

    /// Behind damage: goes to the next whole frame, or says what the rest is. `live` when its writer may be in the middle of
    /// the last frame.
    pub(crate) fn skip_gap(&mut self, live: bool) -> std::io::Result<Gap> {
        let left = self.left();
        let torn = self.is_torn()?;
        if self.resync()? {
            return Ok(Gap::Passed);
        }
        let tail = live || torn || self.zeros == left || self.zeros >= ZEROS;
        Ok(if tail { Gap::Tail } else { Gap::Rest })
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
        let whole = frame(&RunEvent::Note { at: Nanos(5), text: "\u{1}\n\u{7f}ä \"quoted\"".into() });
        let payload = &whole[FRAME_HEAD..];
        for from in 0..payload.len() - FRAME_HEAD {
            assert!(matches!(first(&payload[from..]), Err(Damage::Length { .. })), "from {from}");
        }
    }

    #[test]
    fn a_false_length_takes_no_memory() {
        let mut bytes = frame(&RunEvent::Note { at: Nanos(5), text: "".into() });
        bytes[..4].copy_from_slice(&MAX_FRAME.to_le_bytes());
        let mut reader = FrameReader::new(&bytes[..], HEAD as u64 + bytes.len() as u64);
        assert!(matches!(reader.next(), Err(Damage::Torn { .. })));
        assert!(reader.ahead.capacity() <= CHUNK, "{}", reader.ahead.capacity());
    }

    #[test]
    fn deeply_nested_json_is_refused_without_overflowing_the_stack() {
        let payload = [b"{\"note\":".to_vec(), vec![b'['; 1 << 20]].concat();
        let length = u32::try_from(payload.len()).expect("a mebibyte");
        let bytes = [&length.to_le_bytes()[..], &checksum(length, &payload).to_le_bytes()[..], &payload[..]].concat();
        assert!(matches!(first(&bytes), Err(Damage::Event { .. })));
    }
}
