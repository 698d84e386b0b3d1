//! Format of a journal: a head of 16 bytes, then frames. This module encodes and checks them and does not access files.
//!
//! Head: magic `SECCHIJ1`, format version (u32), crc32c of the preceding twelve bytes. Frame: length of the payload
//! (u32), crc32c of length and payload (u32), and the payload, which is one [`RunEvent`] as JSON. All integers are
//! little-endian. A sequence of zeros is never a valid frame, because no payload is empty. Part of a JSON text never
//! looks like a frame: it contains no bytes below 0x20, so any length read from it would exceed [`MAX_FRAME`].

use messages::sentence;
use model::{RunEvent, Sentence};
use serde::Deserialize;
use std::io::Read;

/// Version of a record. It is decoded separately, because a record of another version may contain fields that this
/// version lacks.
#[derive(Deserialize)]
pub(crate) struct RecordVersion {
    pub version: u32,
}

/// Version of the journal's format. Its events have a separate version.
pub const FORMAT_VERSION: u32 = 1;
/// Maximum payload of a frame, in bytes.
pub const MAX_FRAME: u32 = 64 << 20;
/// Maximum size of a journal, in bytes.
pub const MAX_JOURNAL: u64 = 4 << 30;

/// Size of the journal's head, in bytes.
pub(crate) const HEAD: usize = 16;
/// Size of a frame's head, in bytes.
const FRAME_HEAD: usize = 8;

/// Position and kind of damage in a journal. Everything before the position is intact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// The last frame is incomplete.
    Torn {
        /// Offset of the frame.
        at: u64,
        /// Expected size of the frame, in bytes.
        wanted: u64,
        /// Actual size of the frame, in bytes.
        there: u64,
    },
    /// The length is zero or exceeds the maximum size of a frame.
    Length {
        /// Offset of the frame.
        at: u64,
        /// Length that is stored in the frame.
        length: u32,
    },
    /// The checksum is wrong.
    Checksum {
        /// Offset of the frame.
        at: u64,
    },
    /// The frame is whole, but its payload is not an event.
    Event {
        /// Offset of the frame.
        at: u64,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// The frame is whole, but its event cannot follow the previous events.
    Order {
        /// Offset of the frame.
        at: u64,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// The bytes cannot be read from the disk.
    Read {
        /// Offset of the frame.
        at: u64,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
}

impl Damage {
    /// Returns a sentence that describes the damage and its position.
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

/// Reason why an event cannot be encoded as a frame.
#[derive(Debug)]
pub(crate) enum FrameError {
    /// The event has no JSON form that could be read back (a number is not finite, or a path is not UTF-8).
    Event(String),
    /// The event exceeds [`MAX_FRAME`].
    TooLarge(u64),
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("a slice of four bytes"))
}

fn checksum(length: u32, payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&length.to_le_bytes()), payload)
}

/// Appends a frame with `event` to `out`. If there is an error, `out` is unchanged.
///
/// As a check, the payload is decoded before it is appended, because an unreadable frame would damage the journal.
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
    serde_json::from_slice::<RunEvent>(payload).map_err(|e| {
        FrameError::Event(format!("it could not be read back ({e}); for example, a number may not be finite"))
    })?;
    let sum = checksum(length, payload);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4..start + FRAME_HEAD].copy_from_slice(&sum.to_le_bytes());
    Ok(())
}

/// Reader of frames from a source positioned after the head.
pub(crate) struct FrameReader<R> {
    inner: R,
    /// Offset of the end of the last whole frame, or of the bytes skipped after it.
    at: u64,
    /// Size of the journal, in bytes.
    end: u64,
    /// Read-ahead buffer. Bytes before `from` are already consumed.
    ahead: Vec<u8>,
    from: usize,
    /// Number of consecutive zeros at the end of the bytes skipped last.
    zeros: u64,
    /// Number of bytes that the search for the next frame may still checksum.
    trials: u64,
}

/// Kind of the bytes found where a frame was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Unreadable bytes, followed by a whole frame.
    Passed,
    /// An incomplete last frame, or zeros in its place. A killed writer or a power cut leaves a journal in this state.
    Tail,
    /// Other bytes, up to the end of the journal.
    Rest,
}

/// Minimum number of zeros at the end that indicate a sector lost in a power cut, as opposed to a flipped byte.
const ZEROS: u64 = 8;

/// Minimum size of a read from the source, in bytes.
const CHUNK: usize = 64 << 10;

impl<R: Read> FrameReader<R> {
    /// Creates a reader. `length` is the size of the whole journal, including the head, and limits how much is read.
    pub(crate) fn new(inner: R, length: u64) -> Self {
        FrameReader::resume(inner, HEAD as u64, length)
    }

    /// Creates a reader for a source that is positioned at offset `at`, after a whole frame.
    pub(crate) fn resume(inner: R, at: u64, length: u64) -> Self {
        let trials = length.saturating_mul(4).saturating_add(u64::from(MAX_FRAME));
        FrameReader { inner, at, end: length, ahead: Vec::new(), from: 0, zeros: 0, trials }
    }

    /// Returns the offset of the end of the last frame read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Returns the number of bytes from the end of the last frame read to the end of the journal.
    pub(crate) fn left(&self) -> u64 {
        self.end.saturating_sub(self.at)
    }

    /// Returns the next `n` bytes, or as many as remain. Does not allocate more memory than the source has bytes.
    fn peek(&mut self, n: usize) -> std::io::Result<&[u8]> {
        let n = usize::try_from(self.left()).unwrap_or(usize::MAX).min(n);
        let buffered = self.ahead.len() - self.from;
        if buffered < n {
            self.ahead.drain(..self.from);
            self.from = 0;
            let known = usize::try_from(self.left()).unwrap_or(usize::MAX);
            let wanted = (n.max(CHUNK).min(known) - buffered) as u64;
            let read = (&mut self.inner).take(wanted).read_to_end(&mut self.ahead)?;
            if buffered + read < n {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(&self.ahead[self.from..self.from + n])
    }

    /// Consumes `n` peeked bytes.
    fn pass(&mut self, n: usize) {
        self.from += n;
        self.at += n as u64;
    }

    /// Returns the next event, or `None` if the journal ends after the last frame. After damage,
    /// [`FrameReader::resync`] must be called before reading can continue.
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

    /// Returns the record version if the current frame is whole and begins a run, even if this program does not know
    /// other parts of the event.
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

    /// Returns `true` if the remaining bytes are an incomplete frame. A frame that contains a whole event and only has
    /// a wrong length does not count as incomplete.
    fn is_torn(&mut self) -> std::io::Result<bool> {
        let left = usize::try_from(self.left()).unwrap_or(usize::MAX);
        if left < FRAME_HEAD {
            return Ok(true);
        }
        let length = u32_at(self.peek(FRAME_HEAD)?, 0);
        if length == 0 || length > MAX_FRAME || length as usize <= left - FRAME_HEAD {
            return Ok(false);
        }
        let payload = &self.peek(left)?[FRAME_HEAD..];
        Ok(serde_json::from_slice::<serde::de::IgnoredAny>(payload).is_err())
    }

    /// Skips unreadable bytes up to the next whole frame. Returns `false` if there is none; all bytes are then
    /// consumed.
    fn resync(&mut self) -> std::io::Result<bool> {
        self.zeros = 0;
        loop {
            if self.left() == 0 {
                return Ok(false);
            }
            // `peek` reads at least one chunk at a time, because reading single bytes would be slow.
            let head = self.peek(FRAME_HEAD + 1)?;
            self.zeros = if head[0] == 0 { self.zeros + 1 } else { 0 };
            self.pass(1);
            if self.is_whole_frame()? {
                return Ok(true);
            }
        }
    }

    /// Returns `true` if a whole frame begins here.
    fn is_whole_frame(&mut self) -> std::io::Result<bool> {
        let left = self.left();
        let head = self.peek(FRAME_HEAD + 1)?;
        if head.len() <= FRAME_HEAD || head[FRAME_HEAD] != b'{' {
            return Ok(false);
        }
        let (length, sum) = (u32_at(head, 0), u32_at(head, 4));
        let wanted = FRAME_HEAD as u64 + u64::from(length);
        // `trials` limits the work, in case lengths were forged to make this function checksum the same bytes again and
        // again.
        if length == 0 || length > MAX_FRAME || wanted > left || u64::from(length) > self.trials {
            return Ok(false);
        }
        self.trials -= u64::from(length);
        let payload = &self.peek(FRAME_HEAD + length as usize)?[FRAME_HEAD..];
        Ok(checksum(length, payload) == sum)
    }

    /// Skips to the next whole frame after damage, or classifies the remaining bytes. `live` is true if the writer may
    /// be in the middle of the last frame.
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
        let end = model::record::StepEnd { busiest_thread: f64::NAN, ..Default::default() };
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
