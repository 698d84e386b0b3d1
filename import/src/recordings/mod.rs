//! Other tools' recordings of requests: blktrace, fio's iologs, biosnoop.
//!
//! A further one is one file with a `const FORMAT: RecordingFormat`, and its row in [`RECORDING_FORMATS`].

mod biosnoop;
mod blktrace;
mod iolog;

pub use blktrace::{BEGINS as BLKTRACE_BEGINS, write as write_blktrace};
use model::CompactSort;
use model::{Nanos, RecordedRequest, RecordedTarget, Recording, RecordingEnd, RecordingHeader};
use std::collections::HashMap;

/// Why a file is no recording of a kind, or a broken one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordingImportError {
    /// Nothing here knows it.
    #[error("it is no recording of secchi, blktrace, fio (iolog) or biosnoop")]
    Unknown,
    /// A line, or the record at a byte, is not as the format has it.
    #[error("{place}: {why}")]
    Broken {
        /// `line 7`, `byte 480`.
        place: String,
        /// A phrase.
        why: String,
    },
    /// It holds no request.
    #[error("it holds no request")]
    Empty,
}

/// Why a recording cannot be told as a blktrace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a blktrace tells devices by their numbers, and this recording has requests of {0}")]
pub struct NoDevice(pub String);

fn broken<T>(place: impl Into<String>, why: impl Into<String>) -> Result<T, RecordingImportError> {
    Err(RecordingImportError::Broken { place: place.into(), why: why.into() })
}

/// A kind of file.
pub struct RecordingFormat {
    /// What it is called.
    pub name: &'static str,
    /// Whether a file that begins so is one.
    pub recognise: fn(&[u8]) -> bool,
    /// Reads it.
    ///
    /// # Errors
    /// What is broken, and where.
    pub read: fn(&[u8]) -> Result<Recording, RecordingImportError>,
}

/// Every kind.
pub const RECORDING_FORMATS: [RecordingFormat; 3] = [blktrace::FORMAT, iolog::FORMAT, biosnoop::FORMAT];

/// Reads another tool's recording.
///
/// # Errors
/// What is unknown, broken or empty.
pub fn read_recording(bytes: &[u8]) -> Result<Recording, RecordingImportError> {
    let format = RECORDING_FORMATS.iter().find(|format| (format.recognise)(bytes));
    let recording = (format.ok_or(RecordingImportError::Unknown)?.read)(bytes)?;
    if recording.requests.is_empty() { Err(RecordingImportError::Empty) } else { Ok(recording) }
}

/// Puts requests and the names of what they went to together.
#[derive(Default)]
struct Builder {
    targets: Vec<RecordedTarget>,
    numbers: HashMap<String, u16>,
    requests: Vec<RecordedRequest>,
    unmatched: u64,
}

impl Builder {
    /// The number of a target of this name; `None` for more than can be told apart.
    fn target(&mut self, name: &str) -> Option<u16> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let number = u16::try_from(self.targets.len()).ok()?;
        self.targets.push(RecordedTarget { role: name.to_owned(), name: name.to_owned(), ..RecordedTarget::default() });
        self.numbers.insert(name.to_owned(), number);
        Some(number)
    }

    /// Adds a request that was read at `place`.
    ///
    /// # Errors
    /// A figure that is out of range.
    fn push(&mut self, request: RecordedRequest, place: impl FnOnce() -> String) -> Result<(), RecordingImportError> {
        request.check().or_else(|why| broken(place(), why.to_string()))?;
        self.requests.push(request);
        Ok(())
    }

    /// The recording, in order of time, and of the file where that is the same.
    fn finish(mut self, header: RecordingHeader) -> Recording {
        self.requests.compact_sort_by_key(|r| r.at);
        let length = self.requests.iter().map(|r| r.end().unwrap_or(r.at)).max().unwrap_or(Nanos(0));
        let requests = self.requests.len() as u64;
        let end = RecordingEnd { length, requests, unmatched: self.unmatched, ..RecordingEnd::default() };
        Recording { header, targets: self.targets, requests: self.requests, lost: Vec::new(), end }
    }
}
