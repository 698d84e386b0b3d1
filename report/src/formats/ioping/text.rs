//! The human-readable lines, and the raw line for scripts.

use super::figures::Figures;
use super::number::{count, size, time};
use super::{Marks, PingRequest};
use crate::harmless;
use model::Op;
use model::record::{PingPlace, PingStats, PingWay, Pinged};
use std::fmt::Write;

/// Formats the target in parentheses: `(ext4 /dev/vda 39.1 GiB)`.
fn place(of: &PingPlace, marks: Marks) -> String {
    let PingPlace { fs, device, size: bytes, .. } = of;
    let size = match marks {
        // Older versions printed a size only for devices.
        Marks::Old if fs != "block" => String::new(),
        _ => format!(" {}", size(bytes.as_u64())),
    };
    harmless(&format!("({fs} {device}{size})"))
}

/// Returns the prefix `host: ` of a line if there are several hosts.
#[must_use]
pub fn host(of: &PingPlace) -> String {
    if of.host.is_empty() { String::new() } else { format!("{}: ", harmless(&of.host)) }
}

/// Appends one request: `4 KiB <<< . (ext4 /dev/vda 39.1 GiB): request=2 time=128.9 us`. No line end.
pub fn request_line(of: &PingPlace, marks: Marks, request: &PingRequest, out: &mut String) {
    let arrow = if request.op == Op::Write { ">>>" } else { "<<<" };
    let (moved, took) = (size(request.moved), time(request.time.as_nanos()));
    let (path, place) = (harmless(&of.path), place(of, marks));
    out.push_str(&host(of));
    // Writing to a string cannot fail.
    let _ = write!(out, "{moved} {arrow} {path} {place}: request={} time={took}", request.number);
    if let Some(notice) = request.notice {
        let _ = write!(out, " ({notice})");
    }
}

/// Appends ioping's statistics after an empty line; with several hosts, the statistics of each host come first, then
/// the total.
pub fn summary(pinged: &Pinged, marks: Marks, out: &mut String) {
    pinged.hosts.iter().for_each(|host| summary(host, marks, out));
    let stats = &pinged.total;
    let f = Figures::new(stats, pinged.block.as_u64());
    let way = match pinged.way {
        PingWay::Read => " read",
        PingWay::Write => " written",
        PingWay::ByTurns => "",
    };
    let (path, place) = (harmless(&pinged.place.path), place(&pinged.place, marks));
    let path = format!("{}{path}", host(&pinged.place));
    let _ = writeln!(out, "\n--- {path} {place} ioping statistics ---");
    let (valid, sum, bytes) = (count(f.valid), time(f.sum as u64), size(f.size));
    let (iops, speed) = (count(f.iops as u64), size(f.speed as u64));
    let _ = writeln!(out, "{valid} requests completed in {sum}, {bytes}{way}, {iops} iops, {speed}/s");
    if stats.too_fast > 0 {
        let _ = write!(out, "{} too fast, ", count(stats.too_fast));
    }
    if stats.too_slow > 0 {
        let _ = write!(out, "{} too slow, ", count(stats.too_slow));
    }
    let (requests, wall, bytes) = (count(f.count), time(f.load_time), size(f.load_size));
    let (iops, speed) = (count(f.load_iops as u64), size(f.load_speed as u64));
    let _ = writeln!(out, "generated {requests} requests in {wall}, {bytes}, {iops} iops, {speed}/s");
    let (min, avg, max, mdev) = (time(f.min), time(f.avg as u64), time(f.max), time(f.mdev as u64));
    let _ = writeln!(out, "min/avg/max/mdev = {min} / {avg} / {max} / {mdev}");
}

/// Appends the ten raw fields: count, sum of times, operations and bytes per second, min, avg, max, mdev, all requests,
/// wall time; times in nanoseconds.
pub fn raw(stats: &PingStats, block: u64, out: &mut String) {
    let f = Figures::new(stats, block);
    let Figures { valid, sum, iops, speed, min, avg, max, mdev, count, load_time, .. } = f;
    let _ = writeln!(out, "{valid} {sum:.0} {iops:.0} {speed:.0} {min} {avg:.0} {max} {mdev:.0} {count} {load_time}");
}
