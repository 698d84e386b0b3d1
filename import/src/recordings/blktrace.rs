//! Binary files written by blktrace for one CPU, or merged for all CPUs (`blkparse -d`).
//!
//! A record is a `struct blk_io_trace` (include/uapi/linux/blktrace_api.h). It has 48 bytes, plus extra data whose
//! length is in the record. A request lasts from its issue (`D`) to its completion (`C`). If a file has no issue
//! records, a request lasts from its queueing (`Q`) to its completion.

use super::{Builder, NoDevice, RecordingFormat, RecordingImportError, broken};
use model::recording::{RecordedRequest, Recording, RecordingHeader, RequestFlags};
use model::{CompactSort, Nanos, measured::RequestKind};
use std::collections::{HashMap, VecDeque};

pub(super) const FORMAT: RecordingFormat = RecordingFormat { recognise, read };

/// Upper three bytes of the first word in every record. The lowest byte is the version.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
/// First bytes of a file that secchi writes: version and magic number in little-endian order.
pub const BEGINS: &str = "\x07tae";
const RECORD: usize = 48;

// Actions are in the lower half of the action word.
const QUEUE: u32 = 1;
const ISSUE: u32 = 7;
const COMPLETE: u32 = 8;
// Categories are in the upper half of the action word.
const WRITE: u32 = 1 << 1;
const FLUSH: u32 = 1 << 2;
const SYNC: u32 = 1 << 3;
const PASSED_THROUGH: u32 = 1 << 9;
const NOTIFY: u32 = 1 << 10;
const AHEAD: u32 = 1 << 11;
const META: u32 = 1 << 12;
const DISCARD: u32 = 1 << 13;
const FUA: u32 = 1 << 15;

#[derive(Clone, Copy)]
struct Record {
    time: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    device: u32,
    failed: bool,
}

impl Record {
    const fn what(self) -> u32 {
        self.action & 0xffff
    }

    const fn is(self, category: u32) -> bool {
        self.action >> 16 & category != 0
    }

    fn kind(self) -> RequestKind {
        match () {
            () if self.is(DISCARD) => RequestKind::Discard,
            () if self.is(PASSED_THROUGH) => RequestKind::Other,
            () if self.is(FLUSH) && self.bytes == 0 => RequestKind::Flush,
            () if self.is(WRITE) => RequestKind::Write,
            () => RequestKind::Read,
        }
    }

    fn flags(self) -> RequestFlags {
        let flush = if self.kind() == RequestKind::Flush { RequestFlags::default() } else { RequestFlags::PREFLUSH };
        let known = [
            (SYNC, RequestFlags::SYNC),
            (AHEAD, RequestFlags::READAHEAD),
            (META, RequestFlags::METADATA),
            (FUA, RequestFlags::FUA),
            (FLUSH, flush),
        ];
        known
            .into_iter()
            .filter(|(bit, _)| self.is(*bit))
            .fold(RequestFlags::default(), |union, (_, flag)| union.with(flag))
    }
}

/// Detects the byte order of a file from its first word.
fn order(bytes: &[u8]) -> Option<fn([u8; 4]) -> u32> {
    let first: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
    let orders: [fn([u8; 4]) -> u32; 2] = [u32::from_le_bytes, u32::from_be_bytes];
    orders.into_iter().find(|order| order(first) & 0xffff_ff00 == MAGIC)
}

fn recognise(bytes: &[u8]) -> bool {
    order(bytes).is_some()
}

fn read(bytes: &[u8]) -> Result<Recording, RecordingImportError> {
    let u32_of = order(bytes).ok_or(RecordingImportError::Unknown)?;
    let little = u32_of([1, 0, 0, 0]) == 1;
    let mut records = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let place = format!("byte {at}");
        let Some(record) = bytes.get(at..at + RECORD) else {
            return broken(place, "the file ends in the middle of a record");
        };
        let word = |at: usize| u32_of([record[at], record[at + 1], record[at + 2], record[at + 3]]);
        let long = |at: usize| {
            let (first, second) = (u64::from(word(at)), u64::from(word(at + 4)));
            if little { second << 32 | first } else { first << 32 | second }
        };
        let short = |at: usize| {
            let pair = [record[at], record[at + 1]];
            if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
        };
        if word(0) & 0xffff_ff00 != MAGIC {
            return broken(place, "not a blktrace record");
        }
        if word(0) & 0xff != VERSION {
            return broken(place, format!("blktrace records have version {}; version 7 is supported", word(0) & 0xff));
        }
        at += RECORD + usize::from(short(46));
        if at > bytes.len() {
            return broken(place, "the file ends in the middle of a record");
        }
        let record = Record {
            time: long(8),
            sector: long(16),
            bytes: word(24),
            action: word(28),
            device: word(36),
            failed: short(44) != 0,
        };
        if !record.is(NOTIFY) && [QUEUE, ISSUE, COMPLETE].contains(&record.what()) {
            records.push(record);
        }
    }
    records.compact_sort_by_key(|record| record.time);
    requests(&records)
}

/// Pairs the beginning of each request with its completion, in chronological order.
fn requests(records: &[Record]) -> Result<Recording, RecordingImportError> {
    let begins = if records.iter().any(|r| r.what() == ISSUE) { ISSUE } else { QUEUE };
    let zero = records.first().map_or(0, |r| r.time);
    let mut builder = Builder::default();
    let mut open: HashMap<(u32, u64, RequestKind), VecDeque<usize>> = HashMap::new();
    for (number, record) in records.iter().enumerate() {
        let place = || format!("record {} in order of time", number + 1);
        let kind = record.kind();
        let key = (record.device, if kind == RequestKind::Flush { 0 } else { record.sector }, kind);
        if record.what() == begins {
            // A device number consists of a major number (12 bits) and a minor number (20 bits).
            let name = format!("{},{}", record.device >> 20, record.device & 0xf_ffff);
            let Some(target) = builder.target(&name) else { continue };
            open.entry(key).or_default().push_back(builder.requests.len());
            let request = RecordedRequest {
                at: Nanos(record.time - zero),
                latency: None,
                target,
                kind,
                flags: record.flags(),
                offset: if kind == RequestKind::Flush { 0 } else { record.sector.saturating_mul(512) },
                bytes: u64::from(record.bytes),
            };
            builder.push(request, place)?;
        } else if record.what() == COMPLETE {
            let Some(first) = open.get_mut(&key).and_then(VecDeque::pop_front) else {
                builder.unmatched += u64::from(record.bytes > 0);
                continue;
            };
            let request = &mut builder.requests[first];
            request.latency = Some(Nanos(record.time - zero).since(request.at));
            request.check().or_else(|error| broken(place(), error.to_string()))?;
            if record.failed {
                request.flags = request.flags.with(RequestFlags::FAILED);
            }
        }
    }
    let header = RecordingHeader {
        source: "blktrace".to_owned(),
        has_latency: true,
        trace_start: Nanos(zero),
        ..RecordingHeader::default()
    };
    Ok(builder.finish(header))
}

/// Converts a recording to a blktrace file with one queue record per request, because fio replays these records.
///
/// # Errors
/// Returns an error if the name of a recorded target is not a device number (`major,minor`).
pub fn write(recording: &Recording) -> Result<Vec<u8>, NoDevice> {
    let device = |name: &str| {
        let (major, minor) = name.split_once(',')?;
        let (major, minor) = (major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?);
        (major < 1 << 12 && minor < 1 << 20).then_some(major << 20 | minor)
    };
    let number_of = |name: &String| device(name).ok_or_else(|| NoDevice(name.clone()));
    let devices: Vec<u32> = recording.targets.iter().map(|t| number_of(&t.name)).collect::<Result<_, _>>()?;
    let mut out = Vec::with_capacity(recording.requests.len() * RECORD);
    for (number, request) in (0u32..).zip(&recording.requests) {
        for word in [MAGIC | VERSION, number] {
            out.extend(word.to_le_bytes());
        }
        out.extend(request.at.as_nanos().to_le_bytes());
        out.extend((request.offset / 512).to_le_bytes());
        let bytes = u32::try_from(request.bytes).unwrap_or(u32::MAX);
        let action = QUEUE | categories(request) << 16;
        for word in [bytes, action, 0, devices[usize::from(request.target)], 0] {
            out.extend(word.to_le_bytes());
        }
        out.extend([0; 4]);
    }
    Ok(out)
}

fn categories(request: &RecordedRequest) -> u32 {
    const READ: u32 = 1;
    let kind = match request.kind {
        RequestKind::Read => READ,
        RequestKind::Write => WRITE,
        RequestKind::Flush => WRITE | FLUSH,
        RequestKind::Discard => WRITE | DISCARD,
        RequestKind::Other => PASSED_THROUGH,
    };
    let flags = [
        (RequestFlags::SYNC, SYNC),
        (RequestFlags::READAHEAD, AHEAD),
        (RequestFlags::METADATA, META),
        (RequestFlags::FUA, FUA),
        (RequestFlags::PREFLUSH, FLUSH),
    ];
    flags.into_iter().filter(|(flag, _)| request.flags.has(*flag)).fold(kind, |bits, (_, bit)| bits | bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(time: u64, sector: u64, bytes: u32, action: u32, categories: u32) -> Vec<u8> {
        let mut out = Vec::new();
        for word in [MAGIC | VERSION, 1] {
            out.extend(word.to_le_bytes());
        }
        out.extend(time.to_le_bytes());
        out.extend(sector.to_le_bytes());
        for word in [bytes, action | categories << 16, 99, 254 << 20 | 1, 0] {
            out.extend(word.to_le_bytes());
        }
        out.extend([0; 4]);
        out
    }

    #[test]
    fn requests_are_from_issue_to_completion() {
        let bytes = [
            record(1000, 8, 4096, QUEUE, WRITE | SYNC),
            record(1500, 8, 4096, ISSUE, WRITE | SYNC | FUA),
            record(1600, 800, 8192, ISSUE, 1),
            record(1700, 0, 0, ISSUE, FLUSH | WRITE),
            record(9500, 8, 4096, COMPLETE, WRITE | SYNC | FUA),
            record(9600, 800, 8192, COMPLETE, 1),
            record(9700, 16, 512, COMPLETE, 1),
        ]
        .concat();
        let recording = read(&bytes).expect("read");
        let short: Vec<_> = recording.requests.iter().map(|r| (r.kind, r.at, r.latency, r.offset, r.bytes)).collect();
        let expected = [
            (RequestKind::Write, Nanos(500), Some(Nanos(8000)), 4096, 4096),
            (RequestKind::Read, Nanos(600), Some(Nanos(8000)), 409_600, 8192),
            (RequestKind::Flush, Nanos(700), None, 0, 0),
        ];
        assert_eq!(short, expected);
        assert!(recording.requests[0].flags.has(RequestFlags::SYNC.with(RequestFlags::FUA)));
        assert_eq!((recording.targets[0].name.as_str(), recording.end.unmatched), ("254,1", 1));
    }

    #[test]
    fn a_file_without_issues_begins_where_requests_were_queued() {
        let bytes = [record(10, 8, 512, QUEUE, 1), record(30, 8, 512, COMPLETE, 1)].concat();
        assert_eq!(read(&bytes).expect("read").requests[0].latency, Some(Nanos(20)));
    }

    #[test]
    fn figures_that_are_impossible_are_rejected_with_their_record() {
        let error = |first: (u64, u32), second: (u64, u32)| {
            let bytes = [record(first.0, 8, first.1, QUEUE, 1), record(second.0, 8, second.1, COMPLETE, 1)].concat();
            read(&bytes).map(|r| r.requests[0].latency).map_err(|e| e.to_string())
        };
        let day = 86_400_000_000_000;
        assert_eq!(error((1, u32::MAX), (day + 1, u32::MAX)), Ok(Some(Nanos(day))));
        for late in [day + 2, 1 << 63, u64::MAX] {
            let message = error((1, 512), (late, 512)).unwrap_err();
            assert!(message.contains("record 2") && message.contains("86400 s"), "{message}");
        }
        let late = [record(1, 8, 512, QUEUE, 1), record(u64::MAX, 8, 512, QUEUE, 1)].concat();
        let message = read(&late).unwrap_err().to_string();
        assert!(message.contains("record 2") && message.contains("after the start"), "{message}");
        let gap = [record(1, 8, 512, QUEUE, 1), record(100_000_000_000_000_000, 8, 512, QUEUE, 1)].concat();
        assert_eq!(read(&gap).map(|r| r.requests.len()).ok(), Some(2));
    }

    #[test]
    fn one_that_ends_within_a_record_says_where() {
        let bytes = record(10, 8, 512, QUEUE, 1);
        let error = read(&[bytes.clone(), bytes[..40].to_vec()].concat()).expect_err("cut").to_string();
        assert_eq!(error, "byte 48: the file ends in the middle of a record");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let bytes = [
            record(1000, 8, 4096, QUEUE, WRITE | SYNC),
            record(1600, 800, 8192, QUEUE, 1 | AHEAD),
            record(1700, 0, 0, QUEUE, FLUSH | WRITE),
            record(1800, 16, 512, QUEUE, WRITE | DISCARD),
        ]
        .concat();
        let recording = read(&bytes).expect("read");
        let written = write(&recording).expect("devices");
        assert!(written.starts_with(BEGINS.as_bytes()));
        let again = read(&written).expect("read");
        assert_eq!((again.requests, again.targets), (recording.requests.clone(), recording.targets.clone()));
        let mut files = recording;
        files.targets[0].name = "/srv/db".into();
        assert_eq!(write(&files), Err(NoDevice("/srv/db".into())));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&[record(1, 1, 512, ISSUE, 1), bytes].concat());
        }
    }
}
