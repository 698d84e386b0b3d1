//! Functions shared by the readers of fio's outputs: options as typed, latency buckets, error messages.

use crate::text::figure;
use crate::text::source::{add_remark, fault};
use messages::sentence;
use model::foreign::{ForeignAsked, ForeignFile, ForeignTest};
use model::{Bytes, LatencyHistogram, Nanos};

/// Upper ends of the latency buckets in fio's summaries, which are in nanoseconds, microseconds or milliseconds. The
/// last two occur only with milliseconds.
pub(crate) const SHARES: [f64; 12] =
    [2.0, 4.0, 10.0, 20.0, 50.0, 100.0, 250.0, 500.0, 750.0, 1000.0, 2000.0, f64::INFINITY];

/// Returns the bounds of the bucket that ends at `end`, in seconds. The lower bound is exclusive, the upper one
/// inclusive. `unit` is in seconds. The first bucket in microseconds or milliseconds begins where the buckets of the
/// smaller unit end.
pub(crate) fn share(end: f64, unit: f64) -> Option<(f64, f64)> {
    let at = SHARES.iter().position(|b| *b == end)?;
    let low = if at == 0 { if unit < 1e-8 { 0.0 } else { 1.0 } } else { SHARES[at - 1] };
    Some((figure::scaled(low, unit), figure::scaled(end, unit)))
}

/// Parses a size like fio with default options: `k` and `kb` are 1024, `kib` is 1000 (`HOWTO`, `kb_base`).
pub(crate) fn typed_size(text: &str) -> Option<Bytes> {
    let (number, rest) = figure::number(text)?;
    let unit = rest.trim().to_ascii_lowercase();
    let power = match unit.bytes().next() {
        None | Some(b'b') => 0,
        Some(b'k') => 1,
        Some(b'm') => 2,
        Some(b'g') => 3,
        Some(b't') => 4,
        Some(b'p') => 5,
        _ => return None,
    };
    let base: f64 = if unit.ends_with("ib") { 1000.0 } else { 1024.0 };
    Some(Bytes((number.value * base.powi(power)) as u64))
}

/// Parses a time like fio and returns it in seconds. A number without a unit is in seconds.
fn typed_seconds(text: &str) -> Option<f64> {
    let (number, unit) = figure::number(text)?;
    let unit = unit.trim();
    Some(if unit.is_empty() { number.value } else { number.times(figure::unit_of_time(unit)?).value })
}

/// Stores an option in its own field, or in the list of other options if it has no field.
pub(crate) fn option(asked: &mut ForeignAsked, name: &str, value: &str) {
    match name {
        "rw" | "readwrite" => asked.rw = Some(value.split(':').next().unwrap_or(value).replace("readwrite", "rw")),
        "bs" | "blocksize" => {
            let mut sizes = value.split(',').map(typed_size);
            let read = sizes.next().flatten();
            let write = sizes.next().unwrap_or(read);
            asked.block = [read, write].map(|size| size.map(|s| (s, s)));
        }
        "iodepth" => asked.depth = value.parse().ok(),
        "numjobs" => asked.jobs = value.parse().ok(),
        "ioengine" => asked.engine = Some(value.to_owned()),
        "direct" => asked.direct = Some(value != "0"),
        "runtime" => asked.seconds = typed_seconds(value),
        "size" => asked.size = typed_size(value),
        _ => {}
    }
    let known = matches!(
        name,
        "rw" | "readwrite" | "bs" | "blocksize" | "iodepth" | "ioengine" | "direct" | "numjobs" | "name"
    );
    if !known && !asked.others.iter().any(|(k, _)| k == name) {
        asked.others.push((name.to_owned(), value.to_owned()));
    }
}

/// Name under which fio's client mode reports the sum of all clients.
pub(crate) const ALL_CLIENTS: &str = "All clients";

/// Moves the sum of all clients to the groups. The sum remains a job if the file has no other jobs.
pub(crate) fn part_clients(file: &mut ForeignFile) {
    let is_sum = |t: &ForeignTest| t.name == ALL_CLIENTS;
    if file.tests.iter().any(|t| !is_sum(t)) {
        file.groups.extend(file.tests.extract_if(.., |t| is_sum(t)));
    }
}

/// Adds fio's error messages to the remarks. The first message becomes a fault of the whole document instead, unless a
/// job reports the error itself, or the run counted errors and continued.
pub(crate) fn record_errors(file: &mut ForeignFile, errors: Vec<(u32, String)>) {
    let is_reported = !file.faults.is_empty() || file.tests.iter().any(|t| t.failed_operations().is_some());
    let n = errors.len();
    for (i, (line, text)) in errors.into_iter().enumerate() {
        if i == 0 && !is_reported {
            fault(file, line, || sentence!("import-fio-error", n, text));
        } else {
            add_remark(&mut file.remarks, line, || sentence!("import-fio-error", n = 1, text));
        }
    }
}

/// Returns `true` if a line is an error message from fio, such as
/// `fio: pid=7, err=5/file:io_u.c:1889, func=io_u error, ...`, `fio: io_u error on file a: Input/output error: ...`,
/// `error: failed to setup shm segment` or `crc32c: verify failed at file ...`.
pub(crate) fn says_error(line: &str) -> bool {
    let says = |what: &[&str]| what.iter().any(|w| line.contains(w));
    let is_message = line.starts_with("fio: ") || line.starts_with("error: ") || line.starts_with("verify: ");
    says(&["verify failed at file"])
        || is_message && says(&["err=", "error", "failed", "not loadable", "unable to", "bad "]) && !says(&["err=0,"])
}

/// Maximum number of samples in one bin. A file with more samples in a bin is garbled.
pub(crate) const MOST_OF_BIN: u64 = 1 << 32;

/// Records a time `count` times, by repeated doubling.
pub(crate) fn record(histogram: &mut LatencyHistogram, at: Nanos, count: u64) {
    let mut power = LatencyHistogram::default();
    power.record(at);
    let mut left = count;
    while left > 0 {
        if left & 1 == 1 {
            histogram.merge(&power);
        }
        left >>= 1;
        if left > 0 {
            let twice = power.clone();
            power.merge(&twice);
        }
    }
}

/// Returns the middle of a bucket of fio's histogram, which has 64 buckets per power of two (`stat.c`,
/// `plat_idx_to_val`).
pub(crate) fn bucket(index: usize) -> u64 {
    if index < 128 {
        return index as u64;
    }
    let error_bits = (index >> 6) as u32 - 1;
    if error_bits > 50 {
        return u64::MAX;
    }
    (1u64 << (error_bits + 6)) + (index as u64 % 64) * (1u64 << error_bits) + (1u64 << (error_bits - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_fio_takes() {
        for (text, size) in [("4k", 4096), ("1g", 1 << 30), ("1GiB", 1_000_000_000), ("5GB", 5 << 30), ("512", 512)] {
            assert_eq!(typed_size(text), Some(Bytes(size)), "{text}");
        }
    }

    #[test]
    fn messages_of_errors_are_told_from_others() {
        for line in [
            "fio: pid=7, err=28/file:filesetup.c:250, func=write, error=No space left on device",
            "fio: io_u error on file a: Input/output error: read offset=0, buflen=4096",
            "fio: engine libaio not loadable",
            "error: failed to setup shm segment",
            "crc32c: verify failed at file a offset 0, length 4096",
        ] {
            assert!(says_error(line), "{line}");
        }
        for line in [
            "fio: this is a message of fio's",
            "fio: terminating on signal 2",
            "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1",
        ] {
            assert!(!says_error(line), "{line}");
        }
    }

    #[test]
    fn buckets_are_fios() {
        // The expected values are keys in the json+ output of fio 3.33.
        assert_eq!((bucket(0), bucket(127), bucket(128), bucket(129), bucket(192)), (0, 127, 129, 131, 258));
        let mut histogram = LatencyHistogram::default();
        record(&mut histogram, Nanos(1000), 5);
        assert_eq!((histogram.count(), histogram.summary().sum), (5, 5000));
    }
}
