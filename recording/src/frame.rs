//! Frames of a recording.
//!
//! Head of the file: magic `SECCHIR1`, format version (u32), crc32c of the preceding twelve bytes. Frame: kind (u8),
//! length of the payload (u32), crc32c of kind, length and payload (u32), payload. All integers are little-endian.
//! Reading stops at a frame that is truncated or has a wrong checksum. Everything before that frame is valid.

use messages::sentence;
use model::Sentence;
use std::io::{self, Read, Write};

/// First bytes of every recording.
pub(crate) const MAGIC: &[u8; 8] = b"SECCHIR1";
/// Version of the file format.
pub(crate) const FORMAT_VERSION: u32 = 1;
/// Largest payload, in bytes.
pub(crate) const MAX_PAYLOAD: u32 = 64 << 20;

/// Kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// The header, as JSON. It is the first frame.
    Header = 1,
    /// All targets up to this frame, as JSON. The list is written again whenever targets are added.
    Targets = 2,
    /// Requests, in columns.
    Requests = 3,
    /// A period with lost requests, as JSON.
    Lost = 4,
    /// Data about the end of the recording, as JSON. It is the last frame of a recording that was ended properly.
    End = 5,
}

impl FrameKind {
    pub fn from_byte(byte: u8) -> Option<Self> {
        let kinds = [Self::Header, Self::Targets, Self::Requests, Self::Lost, Self::End];
        kinds.into_iter().find(|k| *k as u8 == byte)
    }
}

/// Reason why a recording cannot be read, or why reading stopped before the end of the recording.
#[derive(Debug)]
pub enum RecordingError {
    /// The file could not be read.
    Read(io::Error),
    /// The file does not begin with the magic number of a recording.
    NoRecording,
    /// The format version is newer than this program supports.
    Version(u32),
    /// The file ends within the frame that begins at this byte, because the program that wrote the file was stopped.
    Torn(u64),
    /// The data at this byte is damaged.
    Damaged(u64),
}

impl RecordingError {
    /// Returns the message, with the position of the error.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        match self {
            RecordingError::Read(error) => sentence!("recording-unreadable", error = error.to_string()),
            RecordingError::NoRecording => sentence!("recording-none"),
            RecordingError::Version(version) => sentence!("recording-version", version = *version),
            RecordingError::Torn(at) => sentence!("recording-torn", at = *at),
            RecordingError::Damaged(at) => sentence!("recording-damaged", at = *at),
        }
    }
}

impl std::fmt::Display for RecordingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for RecordingError {}

/// Writes the head of a file.
pub(crate) fn write_head(out: &mut impl Write) -> io::Result<()> {
    let mut head = MAGIC.to_vec();
    head.extend(FORMAT_VERSION.to_le_bytes());
    head.extend(crc32c::crc32c(&head).to_le_bytes());
    out.write_all(&head)
}

/// Writes a frame; returns its total size in bytes.
pub(crate) fn write_frame(out: &mut impl Write, kind: FrameKind, payload: &[u8]) -> io::Result<u64> {
    let too_large = || io::Error::new(io::ErrorKind::InvalidInput, "a frame of the recording is too large");
    let length = u32::try_from(payload.len()).ok().filter(|n| *n <= MAX_PAYLOAD).ok_or_else(too_large)?;
    let mut head = vec![kind as u8];
    head.extend(length.to_le_bytes());
    head.extend(crc32c::crc32c_append(crc32c::crc32c(&head), payload).to_le_bytes());
    out.write_all(&head)?;
    out.write_all(payload)?;
    Ok((head.len() + payload.len()) as u64)
}

/// Reader of consecutive frames.
#[derive(Debug)]
pub(crate) struct Frames<R> {
    from: R,
    /// Number of bytes read so far.
    at: u64,
}

impl<R: Read> Frames<R> {
    /// Reads and checks the head of the file.
    pub fn begin(mut from: R) -> Result<Self, RecordingError> {
        let mut head = [0; 16];
        let filled = read_up_to(&mut from, &mut head).map_err(RecordingError::Read)?;
        if filled < head.len() || &head[..8] != MAGIC {
            return Err(RecordingError::NoRecording);
        }
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if number(12) != crc32c::crc32c(&head[..12]) {
            return Err(RecordingError::Damaged(0));
        }
        match number(8) {
            FORMAT_VERSION => Ok(Frames { from, at: 16 }),
            version => Err(RecordingError::Version(version)),
        }
    }

    /// Returns the next frame, or `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<(FrameKind, Vec<u8>)>, RecordingError> {
        let begin = self.at;
        let mut head = [0; 9];
        let filled = read_up_to(&mut self.from, &mut head).map_err(RecordingError::Read)?;
        if filled == 0 {
            return Ok(None);
        }
        if filled < head.len() {
            return Err(RecordingError::Torn(begin));
        }
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        let sum = u32::from_le_bytes([head[5], head[6], head[7], head[8]]);
        let kind =
            FrameKind::from_byte(head[0]).filter(|_| length <= MAX_PAYLOAD).ok_or(RecordingError::Damaged(begin))?;
        // The buffer grows with the data that is actually read, so a false length does not allocate memory.
        let mut payload = Vec::new();
        self.from.by_ref().take(u64::from(length)).read_to_end(&mut payload).map_err(RecordingError::Read)?;
        if payload.len() < length as usize {
            return Err(RecordingError::Torn(begin));
        }
        if crc32c::crc32c_append(crc32c::crc32c(&head[..5]), &payload) != sum {
            return Err(RecordingError::Damaged(begin));
        }
        self.at += 9 + u64::from(length);
        Ok(Some((kind, payload)))
    }

    /// Returns the offset in bytes of the end of the last frame returned.
    pub const fn at(&self) -> u64 {
        self.at
    }
}

/// Fills the buffer until it is full or the data ends; returns the number of bytes read.
fn read_up_to(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
