//! Recordings named by the user. They are read as a stream, so that they need not fit in memory.

use crate::exit::{self, coded};
use crate::inputs;
use anyhow::Result;
use import::RecordingImportError;
use model::recording::{
    LostRequests, RecordedRequest, RecordedTarget, Recording, RecordingEnd, RecordingHeader, RequestOutOfRange,
};
use recording::{RecordingError, RecordingReader};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

/// Content of a recording without its requests.
#[derive(Debug, Default)]
pub struct ReadRecording {
    /// Header, known before the first request.
    pub header: RecordingHeader,
    /// Targets of the requests.
    pub targets: Vec<RecordedTarget>,
    /// Trailer after the last request, if the recording was ended.
    pub end: Option<RecordingEnd>,
    /// Time ranges in which requests are missing.
    pub lost: Vec<LostRequests>,
    /// Reason why the recording stops, if it was not ended.
    pub damage: Option<RecordingError>,
}

/// Maximum size of another tool's recording, in bytes.
const LARGEST: u64 = 4 << 30;

/// Content of a file.
pub enum Found {
    /// A recording.
    Recording(Box<ReadRecording>),
    /// Another kind of file: its content.
    Other(Vec<u8>),
}

/// Reads a file that may be a recording. `each` is called for every request in the order of issue, with the targets
/// known so far.
///
/// # Errors
/// One sentence, if the file cannot be read or is a broken recording of another tool.
pub fn find(path: &Path, mut each: impl FnMut(&RecordedRequest, &[RecordedTarget])) -> Result<Found> {
    let wrong = |reason: String| coded(exit::BAD_INPUT, inputs::cannot_read(path, &reason));
    let (mut file, meta) = inputs::open(path).map_err(wrong)?;
    match stream(BufReader::with_capacity(1 << 20, &file), &mut each) {
        Err(StreamError::Recording(RecordingError::NoRecording)) => {}
        Ok(read) => return Ok(Found::Recording(Box::new(read))),
        Err(StreamError::Recording(error)) => return Err(wrong(error.sentence().to_string())),
        Err(StreamError::OutOfRange { request, why }) => return Err(wrong(format!("request {request}: {why}"))),
    }
    let bytes = all_of(&mut file, meta.len()).map_err(wrong)?;
    let recording = match import::read_recording(&bytes) {
        Err(RecordingImportError::Unknown) => return Ok(Found::Other(bytes)),
        read => read.map_err(|error| wrong(error.to_string()))?,
    };
    recording.requests.iter().for_each(|request| each(request, &recording.targets));
    Ok(Found::Recording(Box::new(ReadRecording {
        header: recording.header,
        targets: recording.targets,
        end: Some(recording.end),
        lost: recording.lost,
        damage: None,
    })))
}

/// Reads a recording. `each` is called as in [`find`].
///
/// # Errors
/// Same as for [`find`], and if the file is not a recording.
pub fn read(path: &Path, each: impl FnMut(&RecordedRequest, &[RecordedTarget])) -> Result<ReadRecording> {
    match find(path, each)? {
        Found::Recording(read) => Ok(*read),
        Found::Other(_) => {
            Err(coded(exit::BAD_INPUT, inputs::cannot_read(path, &RecordingImportError::Unknown.to_string())))
        }
    }
}

/// Reads a whole recording into memory: 48 bytes per request.
///
/// # Errors
/// Errors of [`read`]. A broken recording is also an error, because a part of a recording is not replayed.
pub fn whole(path: &Path) -> Result<Recording> {
    let mut requests = Vec::new();
    let known = read(path, |request, _| requests.push(*request))?;
    if let Some(damage) = known.damage {
        return Err(coded(exit::BAD_INPUT, inputs::cannot_read(path, &damage.sentence())));
    }
    let end = known.end.unwrap_or_default();
    Ok(Recording { header: known.header, targets: known.targets, requests, lost: known.lost, end })
}

/// Reads another tool's recording.
///
/// # Errors
/// The reason, phrased so that it can follow the file's name.
pub fn read_foreign(file: &mut File) -> Result<Recording, String> {
    let length = file.metadata().map_or(0, |meta| meta.len());
    import::read_recording(&all_of(file, length)?).map_err(|error| error.to_string())
}

/// Reads another tool's file completely.
fn all_of(file: &mut File, length: u64) -> Result<Vec<u8>, String> {
    if length > LARGEST {
        return Err(format!("it is not a recording of secchi, and it is larger than {LARGEST} bytes"));
    }
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(|error| format!("it cannot be read: {error}"))?;
    Ok(bytes)
}

/// Reason why a file cannot be read as a recording of secchi.
enum StreamError {
    /// The file is not a recording, or it is broken.
    Recording(RecordingError),
    /// A figure of a request is out of range. Requests are counted from 1.
    OutOfRange { request: u64, why: RequestOutOfRange },
}

fn stream(
    from: impl Read,
    each: &mut impl FnMut(&RecordedRequest, &[RecordedTarget]),
) -> Result<ReadRecording, StreamError> {
    let mut reader = RecordingReader::begin(from).map_err(StreamError::Recording)?;
    let mut number = 0;
    while let Some(request) = reader.next() {
        number += 1;
        request.check().map_err(|why| StreamError::OutOfRange { request: number, why })?;
        each(&request, reader.targets());
    }
    Ok(ReadRecording {
        header: reader.header().clone(),
        targets: reader.targets().to_vec(),
        end: reader.end().cloned(),
        lost: reader.lost().to_vec(),
        damage: reader.into_damage(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Nanos, measured::RequestKind, recording::RequestFlags};
    use recording::RecordingWriter;

    const READ: RecordedRequest = RecordedRequest {
        at: Nanos(0),
        latency: Some(Nanos(100_000)),
        target: 0,
        kind: RequestKind::Read,
        flags: RequestFlags::from_bits(0),
        offset: 0,
        bytes: 4096,
    };

    fn written(requests: &[RecordedRequest]) -> Vec<u8> {
        let mut writer = RecordingWriter::begin(Vec::new(), &RecordingHeader::default()).unwrap().keep_nanoseconds();
        writer.write_targets(&[RecordedTarget { name: "vda".into(), ..RecordedTarget::default() }]).unwrap();
        writer.write_requests(&mut requests.to_vec(), Nanos(u64::MAX)).unwrap();
        writer.end(&RecordingEnd::default()).unwrap()
    }

    #[test]
    fn impossible_figures_are_rejected_with_their_request() {
        let year = 365 * 86_400_000_000_000;
        for (second, limit) in [
            (RecordedRequest { at: Nanos(100_000_000_000_000_000), ..READ }, None),
            (RecordedRequest { at: Nanos(11 * year), ..READ }, Some("after the start")),
            (RecordedRequest { at: Nanos(u64::MAX), ..READ }, Some("after the start")),
            (RecordedRequest { bytes: 1 << 44, ..READ }, Some("4 GiB")),
            (RecordedRequest { bytes: 1 << 48, ..READ }, Some("4 GiB")),
            (RecordedRequest { latency: Some(Nanos((1 << 63) - 1)), ..READ }, Some("86400 s")),
            (RecordedRequest { latency: Some(Nanos(u64::MAX - 1)), ..READ }, Some("86400 s")),
        ] {
            let mut count = 0;
            let read = stream(&*written(&[READ, second]), &mut |_, _| count += 1);
            let reason = match read {
                Err(StreamError::OutOfRange { request, why }) => Some((request, why.to_string())),
                Err(StreamError::Recording(error)) => panic!("{error}"),
                Ok(_) => None,
            };
            assert_eq!(count, if limit.is_some() { 1 } else { 2 }, "{second:?}");
            match (limit, reason) {
                (None, None) => {}
                (Some(limit), Some((2, reason))) if reason.contains(limit) => {}
                (_, reason) => panic!("{second:?}: {reason:?}"),
            }
        }
    }
}
