//! Recordings of requests from other tools: blktrace, fio iologs, biosnoop.
//!
//! To add a format, add a file with a `const FORMAT: RecordingFormat` and a row in [`RECORDING_FORMATS`].

mod biosnoop;
mod blktrace;
mod iolog;

pub use blktrace::{BEGINS as BLKTRACE_BEGINS, write as write_blktrace};
use model::recording::{RecordedRequest, RecordedTarget, Recording, RecordingEnd, RecordingHeader};
use model::{CompactSort, Nanos};
use std::collections::HashMap;

/// Reason why a file is not a readable recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordingImportError {
    /// No format recognises the file.
    #[error("it is not a recording of secchi, blktrace, fio (iolog) or biosnoop")]
    Unknown,
    /// A line of a text file or a record of a binary file does not match the format.
    #[error("{place}: {why}")]
    Broken {
        /// Position of the error, such as `line 7` or `byte 480`.
        place: String,
        /// Reason, as a phrase.
        why: String,
    },
    /// The file contains no request.
    #[error("it contains no requests")]
    Empty,
}

/// Error for a recording that cannot be converted to a blktrace file. Contains the name of the unsuitable target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("blktrace identifies devices by their numbers, but this recording has requests to {0}")]
pub struct NoDevice(pub String);

fn broken<T>(place: impl Into<String>, reason: impl Into<String>) -> Result<T, RecordingImportError> {
    Err(RecordingImportError::Broken { place: place.into(), why: reason.into() })
}

/// Format for recordings.
pub struct RecordingFormat {
    /// Returns `true` if a file that begins with these bytes has this format.
    pub recognise: fn(&[u8]) -> bool,
    /// Reads a recording.
    ///
    /// # Errors
    /// Returns an error if the file does not match the format. The error contains the position of the mismatch.
    pub read: fn(&[u8]) -> Result<Recording, RecordingImportError>,
}

/// All formats for recordings.
pub const RECORDING_FORMATS: [RecordingFormat; 3] = [blktrace::FORMAT, iolog::FORMAT, biosnoop::FORMAT];

/// Reads a recording from another tool.
///
/// # Errors
/// Returns an error if the format is unknown, the file does not match its format, or the file has no requests.
pub fn read_recording(bytes: &[u8]) -> Result<Recording, RecordingImportError> {
    let format = RECORDING_FORMATS.iter().find(|format| (format.recognise)(bytes));
    let recording = (format.ok_or(RecordingImportError::Unknown)?.read)(bytes)?;
    if recording.requests.is_empty() { Err(RecordingImportError::Empty) } else { Ok(recording) }
}

/// Collects requests and the names of their targets.
#[derive(Default)]
struct Builder {
    targets: Vec<RecordedTarget>,
    numbers: HashMap<String, u16>,
    requests: Vec<RecordedRequest>,
    unmatched: u64,
}

impl Builder {
    /// Returns the number of the target with this name. Adds the target if it is new. Returns `None` if there are too
    /// many targets.
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
    /// Returns an error if a figure of the request is out of range.
    fn push(&mut self, request: RecordedRequest, place: impl FnOnce() -> String) -> Result<(), RecordingImportError> {
        request.check().or_else(|error| broken(place(), error.to_string()))?;
        self.requests.push(request);
        Ok(())
    }

    /// Returns the recording, sorted by time. Requests with equal times keep their order in the file.
    fn finish(mut self, header: RecordingHeader) -> Recording {
        self.requests.compact_sort_by_key(|r| r.at);
        let length = self.requests.iter().map(|r| r.end().unwrap_or(r.at)).max().unwrap_or(Nanos(0));
        let requests = self.requests.len() as u64;
        let end = RecordingEnd { length, requests, unmatched: self.unmatched, ..RecordingEnd::default() };
        Recording { header, targets: self.targets, requests: self.requests, lost: Vec::new(), end }
    }
}
