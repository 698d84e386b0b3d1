//! Reader of a recording, which returns requests in the order in which they were issued.

use super::columns::decode;
use super::frame::{FrameKind, Frames, RecordingError};
use model::Nanos;
use model::recording::{LostRequests, RecordedRequest, RecordedTarget, Recording, RecordingEnd, RecordingHeader};
use serde::de::DeserializeOwned;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Read;

/// Reader of a recording: an iterator over its requests. The targets, the periods with lost requests, and the end are
/// complete once the iterator has ended.
#[derive(Debug)]
pub struct RecordingReader<R> {
    frames: Frames<R>,
    header: RecordingHeader,
    targets: Vec<RecordedTarget>,
    lost: Vec<LostRequests>,
    end: Option<RecordingEnd>,
    damage: Option<RecordingError>,
    /// Requests that cannot be returned yet, because earlier ones may follow in the file. The earliest comes first.
    /// Each request is stored with its position in the file, to keep the order of simultaneous requests.
    waiting: BinaryHeap<Reverse<Waiting>>,
    read: u64,
    /// Time before which reading is complete: all requests issued earlier have been read.
    complete: Nanos,
    /// True once all frames have been read.
    over: bool,
}

#[derive(Debug)]
struct Waiting {
    order: (Nanos, u64),
    request: RecordedRequest,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order.cmp(&other.order)
    }
}

impl<R: Read> RecordingReader<R> {
    /// Reads the data before the first request.
    ///
    /// # Errors
    /// Returns an error if the data is not a recording, or ends before the end of its first frame.
    pub fn begin(from: R) -> Result<Self, RecordingError> {
        let mut frames = Frames::begin(from)?;
        let at = frames.at();
        let header = match frames.next()? {
            Some((FrameKind::Header, payload)) => json(&payload).ok_or(RecordingError::Damaged(at))?,
            Some(_) => return Err(RecordingError::Damaged(at)),
            None => return Err(RecordingError::Torn(at)),
        };
        Ok(RecordingReader {
            frames,
            header,
            targets: Vec::new(),
            lost: Vec::new(),
            end: None,
            damage: None,
            waiting: BinaryHeap::new(),
            read: 0,
            complete: Nanos(0),
            over: false,
        })
    }

    /// Returns the header, which precedes the first request.
    #[must_use]
    pub const fn header(&self) -> &RecordingHeader {
        &self.header
    }

    /// Returns the targets read so far. They include the targets of all requests returned so far.
    #[must_use]
    pub fn targets(&self) -> &[RecordedTarget] {
        &self.targets
    }

    /// Returns the periods with lost requests that have been read so far.
    #[must_use]
    pub fn lost(&self) -> &[LostRequests] {
        &self.lost
    }

    /// Returns the data from the end frame of the recording. Returns `None` before that frame is reached, or if the
    /// recording was not ended properly.
    #[must_use]
    pub const fn end(&self) -> Option<&RecordingEnd> {
        self.end.as_ref()
    }

    /// Returns the error that stopped reading before the end frame, if there was one.
    #[must_use]
    pub fn into_damage(self) -> Option<RecordingError> {
        self.damage
    }

    /// Reads the rest of the recording into memory. Also returns the error if the recording was not ended properly.
    pub fn collect_all(mut self) -> (Recording, Option<RecordingError>) {
        let requests: Vec<RecordedRequest> = self.by_ref().collect();
        let last = requests.iter().map(|r| r.end().unwrap_or(r.at)).max().unwrap_or_default();
        let end = self.end.take().unwrap_or_else(|| RecordingEnd {
            length: last,
            requests: requests.len() as u64,
            ..RecordingEnd::default()
        });
        let recording = Recording { header: self.header, targets: self.targets, requests, lost: self.lost, end };
        (recording, self.damage)
    }

    fn next_frame(&mut self) {
        let at = self.frames.at();
        let taken = match self.frames.next() {
            Ok(Some((kind, payload))) => self.take(kind, &payload).ok_or(RecordingError::Damaged(at)),
            Ok(None) => {
                // A recording that was ended properly has an end frame.
                self.over = true;
                if self.end.is_none() {
                    self.damage = Some(RecordingError::Torn(at));
                }
                return;
            }
            Err(error) => Err(error),
        };
        if let Err(error) = taken {
            self.over = true;
            self.damage = Some(error);
        }
    }

    fn take(&mut self, kind: FrameKind, payload: &[u8]) -> Option<()> {
        match kind {
            FrameKind::Header => return None,
            FrameKind::Targets => {
                let targets: Vec<RecordedTarget> = json(payload)?;
                if !targets.starts_with(&self.targets) {
                    return None;
                }
                self.targets = targets;
            }
            FrameKind::Requests => {
                let (requests, complete) = decode(payload)?;
                if requests.iter().any(|r| usize::from(r.target) >= self.targets.len()) {
                    return None;
                }
                for request in requests {
                    self.waiting.push(Reverse(Waiting { order: (request.at, self.read), request }));
                    self.read += 1;
                }
                self.complete = self.complete.max(complete);
            }
            FrameKind::Lost => self.lost.push(json(payload)?),
            FrameKind::End => self.end = Some(json(payload)?),
        }
        Some(())
    }
}

impl<R: Read> Iterator for RecordingReader<R> {
    type Item = RecordedRequest;

    fn next(&mut self) -> Option<RecordedRequest> {
        loop {
            let first = self.waiting.peek().map(|Reverse(waiting)| waiting.order.0);
            if first.is_some_and(|at| self.over || at < self.complete) {
                return self.waiting.pop().map(|Reverse(waiting)| waiting.request);
            }
            if self.over {
                return None;
            }
            self.next_frame();
        }
    }
}

fn json<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
    serde_json::from_slice(payload).ok()
}

#[cfg(test)]
mod tests {
    use super::super::columns::MOST;
    use super::super::columns::tests::any_request;
    use super::super::writer::RecordingWriter;
    use super::*;
    use proptest::prelude::*;

    fn targets() -> Vec<RecordedTarget> {
        let target = |role: &str| RecordedTarget { role: role.into(), name: "vda".into(), ..RecordedTarget::default() };
        ["data", "journal", "unmapped", "a", "b"].map(target).into()
    }

    fn recording(mut requests: Vec<RecordedRequest>) -> Recording {
        requests.sort_by_key(|r| r.at);
        let header = RecordingHeader { source: "a test".into(), has_latency: true, ..RecordingHeader::default() };
        let end = RecordingEnd { length: Nanos(1 << 46), requests: requests.len() as u64, ..RecordingEnd::default() };
        let lost = vec![LostRequests { from: Nanos(5), until: Nanos(9), events: 3 }];
        Recording { header, targets: targets(), requests, lost, end }
    }

    fn write(recording: &Recording) -> Vec<u8> {
        let mut writer = RecordingWriter::begin(Vec::new(), &recording.header).expect("begun");
        writer.write_targets(&recording.targets).expect("written");
        for part in recording.requests.chunks(MOST) {
            let complete = part.last().map_or(Nanos(0), |r| r.at);
            writer.write_requests(&mut part.to_vec(), complete).expect("written");
        }
        recording.lost.iter().for_each(|lost| writer.write_lost(lost).expect("written"));
        writer.end(&recording.end).expect("ended")
    }

    fn read(bytes: &[u8]) -> (Recording, Option<RecordingError>) {
        RecordingReader::begin(bytes).expect("a recording").collect_all()
    }

    #[test]
    fn what_is_no_recording_is_said_to_be_none() {
        assert!(matches!(RecordingReader::begin(&b"blktrace"[..]), Err(RecordingError::NoRecording)));
        assert!(matches!(RecordingReader::begin(&b""[..]), Err(RecordingError::NoRecording)));
        let mut later = MAGIC_AND_VERSION_9.to_vec();
        later.extend(crc32c::crc32c(&later).to_le_bytes());
        assert!(matches!(RecordingReader::begin(later.as_slice()), Err(RecordingError::Version(9))));
    }

    const MAGIC_AND_VERSION_9: [u8; 12] = *b"SECCHIR1\x09\0\0\0";

    proptest! {
        #[test]
        fn a_recording_is_read_back(requests in prop::collection::vec(any_request(), 0..100)) {
            let whole = recording(requests);
            let bytes = write(&whole);
            let (recovered, damage) = read(&bytes);
            prop_assert_eq!(recovered, whole);
            prop_assert!(damage.is_none());
        }

        #[test]
        fn requests_that_were_handed_over_late_stand_where_they_were_issued(
            requests in prop::collection::vec(any_request(), 1..100), cut in 1usize..20,
        ) {
            // The writer receives the requests in order of completion, as from a trace.
            let whole = recording(requests);
            let mut ended = whole.requests.clone();
            ended.sort_by_key(|r| r.end().unwrap_or(r.at));
            let mut writer = RecordingWriter::begin(Vec::new(), &whole.header).expect("begun");
            writer.write_targets(&whole.targets).expect("written");
            for at in (0..ended.len()).step_by(cut) {
                let until = (at + cut).min(ended.len());
                let complete = ended[until..].iter().map(|r| r.at).min().unwrap_or(Nanos(u64::MAX / 1000));
                writer.write_requests(&mut ended[at..until].to_vec(), complete).expect("written");
            }
            let bytes = writer.end(&whole.end).expect("ended");
            let (recovered, damage) = read(&bytes);
            prop_assert!(damage.is_none());
            prop_assert!(recovered.requests.is_sorted_by_key(|r| r.at));
            let sorted = |requests: &[RecordedRequest]| {
                let mut texts: Vec<String> = requests.iter().map(|r| format!("{r:?}")).collect();
                texts.sort();
                texts
            };
            prop_assert_eq!(sorted(&recovered.requests), sorted(&whole.requests));
        }

        #[test]
        fn one_that_breaks_off_gives_what_came_before_and_says_so(
            requests in prop::collection::vec(any_request(), 0..60), cut in 0.0f64..1.0,
        ) {
            let whole = recording(requests);
            let bytes = write(&whole);
            let cut = (bytes.len() as f64 * cut) as usize;
            if let Ok(reader) = RecordingReader::begin(&bytes[..cut]) {
                let (recovered, damage) = reader.collect_all();
                prop_assert!(damage.is_some());
                prop_assert!(whole.requests.starts_with(&recovered.requests));
            }
        }

        #[test]
        fn a_changed_byte_is_found(requests in prop::collection::vec(any_request(), 1..40), at in 0.0f64..1.0, bit in 0u8..8) {
            let whole = recording(requests);
            let mut bytes = write(&whole);
            let at = (bytes.len() as f64 * at) as usize;
            bytes[at] ^= 1 << bit;
            if let Ok(reader) = RecordingReader::begin(bytes.as_slice()) {
                let (recovered, damage) = reader.collect_all();
                prop_assert!(damage.is_some());
                prop_assert!(whole.requests.starts_with(&recovered.requests));
            }
        }
    }
}
