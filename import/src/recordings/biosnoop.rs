//! Text output of biosnoop (BPF tools). Each completed request is a line that contains its latency.
//!
//! The columns are `TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)`, and with `-Q` the time in the queue. The reader
//! finds columns by their headings. The bpftrace script with the same name does not print sectors, so its output is
//! rejected with the name of the missing column.

use super::{Builder, RecordingFormat, RecordingImportError, broken};
use model::recording::{RecordedRequest, Recording, RecordingHeader, RequestFlags};
use model::{Nanos, clip, measured::RequestKind};

pub(super) const FORMAT: RecordingFormat = RecordingFormat { recognise, read };

fn head(bytes: &[u8]) -> Option<(usize, Vec<&str>)> {
    let text = std::str::from_utf8(bytes.get(..bytes.len().min(4096))?)
        .or_else(|e| std::str::from_utf8(&bytes[..e.valid_up_to()]));
    text.ok()?.lines().enumerate().take(5).find_map(|(number, line)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_head = words.first().is_some_and(|w| w.starts_with("TIME(")) && words.contains(&"PID");
        is_head.then_some((number, words))
    })
}

fn recognise(bytes: &[u8]) -> bool {
    head(bytes).is_some()
}

fn read(bytes: &[u8]) -> Result<Recording, RecordingImportError> {
    let (skip, words) = head(bytes).ok_or(RecordingImportError::Unknown)?;
    let place_of_head = format!("line {}", skip + 1);
    let unit = |head: &str| match head.split_once('(').map(|(_, unit)| unit) {
        Some("s)") => Some(1e9),
        Some("ms)") => Some(1e6),
        Some("us)") => Some(1e3),
        _ => None,
    };
    // Columns are counted from the right, because program names may contain spaces.
    let column = |name: &str| {
        let at = words.iter().position(|word| word.starts_with(name));
        at.map(|at| (words.len() - at, words[at])).ok_or_else(|| RecordingImportError::Broken {
            place: place_of_head.clone(),
            why: format!("column {} is missing: the recording cannot be replayed", name),
        })
    };
    let time_unit = unit(words[0]).unwrap_or(1e9);
    let disk = column("DISK")?.0;
    let (sector, size) = (column("SECTOR")?.0, column("BYTES")?.0);
    let (latency, latency_head) = column("LAT(")?;
    let latency_unit = unit(latency_head).unwrap_or(1e6);
    // The whole heading must match, because `TIME` also begins with `T`.
    let Some(kind) = words.iter().position(|w| *w == "T").map(|at| words.len() - at) else {
        return broken(place_of_head, "column T is missing: reads and writes cannot be distinguished");
    };
    let mut builder = Builder::default();
    let mut first: Option<u64> = None;
    let mut earliest = u64::MAX;
    for (number, line) in bytes.split(|b| *b == b'\n').enumerate().skip(skip + 1) {
        let place = || format!("line {}", number + 1);
        let line = String::from_utf8_lossy(line);
        let cells: Vec<&str> = line.split_whitespace().collect();
        if cells.is_empty() || cells.first() == words.first() {
            continue;
        }
        let cell = |from_right: usize| match cells.len().checked_sub(from_right).and_then(|at| cells.get(at)) {
            Some(cell) => Ok(*cell),
            None => broken(place(), "it has fewer columns than the header"),
        };
        let number_of = |text: &str, what: &str| {
            text.parse::<f64>()
                .ok()
                .filter(|n| n.is_finite() && *n >= 0.0)
                .map_or_else(|| broken(place(), format!("`{}` is not a valid {what}", clip(text))), Ok)
        };
        let ended = (number_of(cells[0], "time")? * time_unit) as u64;
        let took = (number_of(cell(latency)?, "latency")? * latency_unit) as u64;
        let (kind, flags) = kind_of(cell(kind)?);
        let Some(target) = builder.target(cell(disk)?) else {
            return broken(place(), "too many disks");
        };
        let offset = number_of(cell(sector)?, "sector")? as u64;
        let bytes = number_of(cell(size)?, "size")? as u64;
        let began = ended.saturating_sub(took);
        earliest = earliest.min(began);
        // Times may be counted from the boot of the machine, so only the time since the first line must be plausible.
        let first = *first.get_or_insert(began);
        let request = RecordedRequest {
            at: Nanos(began).since(Nanos(first)),
            latency: Some(Nanos(took)),
            target,
            kind,
            flags,
            offset: if kind == RequestKind::Flush { 0 } else { offset.saturating_mul(512) },
            bytes: if kind == RequestKind::Flush { 0 } else { bytes },
        };
        builder.push(request, place)?;
        if let Some(added) = builder.requests.last_mut() {
            added.at = Nanos(began);
        }
    }
    for request in &mut builder.requests {
        request.at = request.at.since(Nanos(earliest));
    }
    let header = RecordingHeader { source: "biosnoop".to_owned(), has_latency: true, ..RecordingHeader::default() };
    Ok(builder.finish(header))
}

/// Parses the kernel's letters for a request, such as `R`, `W`, `WS` or `FF`.
fn kind_of(letters: &str) -> (RequestKind, RequestFlags) {
    let kind = match letters.trim_start_matches('F').chars().next() {
        Some('R') => RequestKind::Read,
        Some('W') => RequestKind::Write,
        Some('D') => RequestKind::Discard,
        None if letters.starts_with('F') => RequestKind::Flush,
        _ => RequestKind::Other,
    };
    let sync = if letters.contains('S') { RequestFlags::SYNC } else { RequestFlags::default() };
    (kind, sync)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_requests_that_ended_then() {
        let text = "TIME(s)     COMM           PID    DISK      T SECTOR     BYTES  LAT(ms)\n\
                    0.000004    supervise      1950   vda       W 13092560   4096      0.74\n\
                    0.010000    my server      1950   vda       R 800        8192     10.00\n";
        assert!(recognise(text.as_bytes()));
        let recording = read(text.as_bytes()).expect("read");
        let short: Vec<_> = recording.requests.iter().map(|r| (r.kind, r.latency, r.offset, r.bytes)).collect();
        assert_eq!(short[0], (RequestKind::Write, Some(Nanos(740_000)), 13_092_560 * 512, 4096));
        assert_eq!(short[1], (RequestKind::Read, Some(Nanos(10_000_000)), 409_600, 8192));
    }

    #[test]
    fn figures_that_no_request_has_are_rejected_by_line_and_limit() {
        let refused = |line: &str| {
            let text = format!("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n1.0 a 1 vda R 0 4096 0.1\n{line}\n");
            read(text.as_bytes()).expect_err("out of range").to_string()
        };
        assert!(refused("2.0 a 1 vda R 0 4096 1e12").starts_with("line 3: a latency of"));
        assert!(refused("2.0 a 1 vda R 0 1e18 0.1").contains("exceeds the maximum of 4 GiB"));
        assert!(refused("2e18 a 1 vda R 0 4096 0.1").contains("after the start of the recording"));
    }

    #[test]
    fn what_has_no_places_is_refused_by_that() {
        let text = "TIME(ms)     DISK    COMM             PID    LAT(ms)\n611          nvme0n1 bash             4179         10\n";
        let error = read(text.as_bytes()).expect_err("no sectors").to_string();
        assert!(error.starts_with("line 1: column SECTOR is missing"), "{error}");
    }
}
