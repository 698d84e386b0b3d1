//! fio's iologs, versions 2 and 3 (`write_iolog`). They contain the operations of jobs on files, without latencies.
//!
//! In version 2, only the waits have times, in microseconds. In version 3, each action begins with its time.

use super::{Builder, RecordingFormat, RecordingImportError, broken};
use model::recording::{RecordedLayer, RecordedRequest, Recording, RecordingHeader, RequestFlags};
use model::{Nanos, clip, measured::RequestKind};

pub(super) const FORMAT: RecordingFormat = RecordingFormat { recognise, read };

/// Text before the version in the first line.
const BEFORE: &str = "fio version ";
const BEHIND: &str = " iolog";

fn recognise(bytes: &[u8]) -> bool {
    bytes.starts_with(BEFORE.as_bytes()) && version(bytes).is_some()
}

/// Returns the version in the first line.
fn version(bytes: &[u8]) -> Option<u32> {
    let line = bytes.split(|b| *b == b'\n').next()?;
    std::str::from_utf8(line).ok()?.trim_end().strip_prefix(BEFORE)?.strip_suffix(BEHIND)?.parse().ok()
}

fn read(bytes: &[u8]) -> Result<Recording, RecordingImportError> {
    let version = version(bytes).ok_or(RecordingImportError::Unknown)?;
    if !(2..=3).contains(&version) {
        return broken("line 1", format!("the iolog has version {version}; versions 2 and 3 are supported"));
    }
    let text = std::str::from_utf8(bytes)
        .or_else(|error| broken(format!("byte {}", error.valid_up_to()), "not UTF-8 text"))?;
    let mut builder = Builder::default();
    let mut now = 0u64;
    for (number, line) in text.lines().enumerate().skip(1) {
        let place = || format!("line {}", number + 1);
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let whole = |word: &str, what: &str| {
            word.parse::<u64>().or_else(|_| broken(place(), format!("`{}` is not a valid {what}", clip(word))))
        };
        if version == 3 {
            now = whole(words.remove(0), "time")?;
        }
        let (file, action, numbers) = match words.as_slice() {
            [file, action, numbers @ ..] if [0, 2].contains(&numbers.len()) => (*file, *action, numbers),
            _ => return broken(place(), "expected a file, an action, and for most actions an offset and a length"),
        };
        let pair = match numbers {
            [offset, length] => Some((whole(offset, "offset")?, whole(length, "length")?)),
            _ => None,
        };
        let (kind, flags) = match action {
            "add" | "open" | "close" => continue,
            "wait" if version == 2 => {
                let Some((microseconds, _)) = pair else {
                    return broken(place(), "the duration of the wait is missing");
                };
                // A wait contains the time between the previous wait and the next action.
                now = now.saturating_add(microseconds);
                continue;
            }
            "read" => (RequestKind::Read, RequestFlags::default()),
            "write" => (RequestKind::Write, RequestFlags::default()),
            "trim" => (RequestKind::Discard, RequestFlags::default()),
            "sync" | "sync_file_range" => (RequestKind::Flush, RequestFlags::SYNC),
            "datasync" => (RequestKind::Flush, RequestFlags::SYNC.with(RequestFlags::DATA_ONLY)),
            other => return broken(place(), format!("`{}` is not an iolog action", clip(other))),
        };
        let (offset, bytes) = match (pair, kind) {
            (_, RequestKind::Flush) => (0, 0),
            (Some(pair), _) => pair,
            (None, _) => return broken(place(), "the offset and the length are missing"),
        };
        let Some(target) = builder.target(file) else { return broken(place(), "too many files") };
        let at = Nanos(now.saturating_mul(1000));
        builder.push(RecordedRequest { at, latency: None, target, kind, flags, offset, bytes }, place)?;
    }
    Ok(builder.finish(RecordingHeader {
        layer: RecordedLayer::Operations,
        source: format!("fio iolog version {version}"),
        ..RecordingHeader::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_no_request_has_are_rejected_by_line_and_limit() {
        let refused = |lines: &str| read(lines.as_bytes()).expect_err("out of range").to_string();
        assert!(refused("fio version 2 iolog\n/f read 0 281474976710656\n").starts_with("line 2: a request of"));
        assert!(
            refused("fio version 3 iolog\n1 /f read 0 512\n999999999999999 /f read 0 512\n").starts_with("line 3: ")
        );
    }

    #[test]
    fn version_2_has_its_times_in_waits() {
        let text = "fio version 2 iolog\n/d/f add\n/d/f open\n/d/f write 0 4096\n/d/f wait 2500 0\n/d/f read 8192 4096\n/d/f datasync 0 0\n/d/f close\n";
        let recording = read(text.as_bytes()).expect("read");
        let short: Vec<_> = recording.requests.iter().map(|r| (r.at.as_nanos(), r.kind, r.offset, r.bytes)).collect();
        let expected = [
            (0, RequestKind::Write, 0, 4096),
            (2_500_000, RequestKind::Read, 8192, 4096),
            (2_500_000, RequestKind::Flush, 0, 0),
        ];
        assert_eq!(short, expected);
        assert!(recording.requests[2].flags.has(RequestFlags::DATA_ONLY));
        assert_eq!(recording.targets[0].name, "/d/f");
    }

    #[test]
    fn version_3_has_a_time_before_each_and_what_is_broken_is_told_with_its_line() {
        let text = "fio version 3 iolog\n0 a add\n0 a open\n51 a trim 4096 512\n";
        let recording = read(text.as_bytes()).expect("read");
        assert_eq!((recording.requests[0].at, recording.requests[0].kind), (Nanos(51_000), RequestKind::Discard));
        let error = |text: &str| read(text.as_bytes()).expect_err("broken").to_string();
        assert_eq!(error("fio version 3 iolog\n5 a wait 7 0\n"), "line 2: `wait` is not an iolog action");
        assert_eq!(
            error("fio version 2 iolog\na read 1\n"),
            "line 2: expected a file, an action, and for most actions an offset and a length"
        );
        assert_eq!(error("fio version 2 iolog\na read x 1\n"), "line 2: `x` is not a valid offset");
        assert_eq!(error("fio version 9 iolog\n"), "line 1: the iolog has version 9; versions 2 and 3 are supported");
    }
}
