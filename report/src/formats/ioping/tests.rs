//! Compares the output for ten published times with the published text, and for known times with text that ioping 1.3
//! printed.

use super::*;
use crate::Style;
use model::record::{PingPlace, PingRule, PingStats, PingWay, Pinged, Standing};
use model::{Bytes, Caveat, Severity};

/// A run of `ioping -c 10 .`, version 1.0 or 1.1, as shown on a web page. The page's markup removed a blank before the
/// path and the empty line before the statistics; the source of every version prints both.
const PUBLISHED: &str = "\
4 KiB <<<. (xfs /dev/dm-0): request=1 time=106.1 us (warmup)
4 KiB <<<. (xfs /dev/dm-0): request=2 time=128.9 us
4 KiB <<<. (xfs /dev/dm-0): request=3 time=163.7 us
4 KiB <<<. (xfs /dev/dm-0): request=4 time=136.6 us
4 KiB <<<. (xfs /dev/dm-0): request=5 time=152.3 us
4 KiB <<<. (xfs /dev/dm-0): request=6 time=141.6 us
4 KiB <<<. (xfs /dev/dm-0): request=7 time=139.1 us
4 KiB <<<. (xfs /dev/dm-0): request=8 time=129.6 us (fast)
4 KiB <<<. (xfs /dev/dm-0): request=9 time=130.7 us
4 KiB <<<. (xfs /dev/dm-0): request=10 time=126.8 us (fast)
--- . (xfs /dev/dm-0) ioping statistics ---
9 requests completed in 1.25 ms, 36 KiB read, 7.20 k iops, 28.1 MiB/s
generated 10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s
min/avg/max/mdev = 126.8 us / 138.8 us / 163.7 us / 11.6 us
";

/// Times of this run, in tenths of a microsecond.
const TIMES: [u64; 10] = [1061, 1289, 1637, 1366, 1523, 1416, 1391, 1296, 1307, 1268];

fn printed() -> String {
    PUBLISHED.replace("<<<.", "<<< .").replace("\n---", "\n\n---")
}

fn at(path: &str, fs: &str, device: &str, size: u64) -> PingPlace {
    PingPlace { path: path.into(), fs: fs.into(), device: device.into(), size: Bytes(size), ..PingPlace::default() }
}

fn replay(marks: Marks, place: PingPlace) -> (String, Pinged) {
    let mut out = String::new();
    let mut pinged = Pinged { place, block: Bytes(4096), way: PingWay::Read, ..Pinged::default() };
    let rule = PingRule::default();
    for (number, tenths) in (1..).zip(TIMES) {
        let time = Nanos(tenths * 100);
        let standing = rule.standing(number, time);
        pinged.total.add(time, standing);
        let notice = notice(marks, &pinged.total, standing, time);
        let counts = standing == Standing::Counts;
        let request = PingRequest { number, op: Op::Read, offset: 0, moved: 4096, time, notice, counts };
        request_line(&pinged.place, marks, &request, &mut out);
        out.push('\n');
    }
    // The last request began nine seconds after the first.
    pinged.total.finish = Nanos(9_000_126_800);
    summary(&pinged, marks, &mut out);
    (out, pinged)
}

#[test]
fn the_published_times_give_the_published_block_byte_for_byte() {
    let (out, _) = replay(Marks::Old, at(".", "xfs", "/dev/dm-0", 0));
    assert_eq!(out, printed());
}

#[test]
fn since_1_3_requests_8_and_10_are_not_fast_and_the_size_is_told() {
    let (out, _) = replay(Marks::Current, at(".", "xfs", "/dev/dm-0", 1 << 40));
    let expected = printed().replace(" (fast)", "").replace("(xfs /dev/dm-0)", "(xfs /dev/dm-0 1 TiB)");
    assert_eq!(out, expected);
}

#[test]
fn a_device_shows_its_size_in_every_version() {
    for marks in [Marks::Old, Marks::Current] {
        let (out, _) = replay(marks, at("/dev/sdb", "block", "device", 20 << 30));
        assert!(out.starts_with("4 KiB <<< /dev/sdb (block device 20 GiB): request=1 time="), "{out}");
    }
}

#[test]
fn raw_statistics_have_ten_fields() {
    let (_, pinged) = replay(Marks::Current, at(".", "xfs", "/dev/dm-0", 0));
    let mut out = String::new();
    raw(&pinged.total, 4096, &mut out);
    assert_eq!(out, "9 1249300 7204 29507724 126800 138811 163700 11582 10 9000126800\n");
    out.clear();
    raw(&PingStats::default(), 4096, &mut out);
    assert_eq!(out, "0 0 0 0 0 0 0 0 0 0\n");
}

#[test]
fn what_is_left_out_is_counted_and_writes_are_called_so() {
    let mut pinged = Pinged { place: at("d", "tmpfs", "tmpfs", 1 << 20), block: Bytes(512), ..Pinged::default() };
    pinged.way = PingWay::Write;
    for standing in [Standing::Warmup, Standing::TooFast, Standing::TooSlow, Standing::TooSlow, Standing::Counts] {
        pinged.total.add(Nanos(1000), standing);
    }
    pinged.total.finish = Nanos::from_secs(2);
    let mut out = String::new();
    summary(&pinged, Marks::Current, &mut out);
    let expected = "
--- d (tmpfs tmpfs 1 MiB) ioping statistics ---
1 requests completed in 1 us, 512 B written, 1 M iops, 488.3 MiB/s
1 too fast, 2 too slow, generated 5 requests in 2 s, 2.50 KiB, 2 iops, 1.25 KiB/s
min/avg/max/mdev = 1 us / 1 us / 1 us / 0 ns
";
    assert_eq!(out, expected);
    pinged.way = PingWay::ByTurns;
    out.clear();
    summary(&pinged, Marks::Current, &mut out);
    assert!(out.contains("in 1 us, 512 B, 1 M iops"), "{out}");
}

#[test]
fn json_is_one_array_that_readers_take() {
    let (_, pinged) = replay(Marks::Current, at("a\"b", "xfs", "/dev/dm-0", 7));
    let at = JsonTime { seconds: 1_700_000_000.25, local: "2023-11-14T22:13:20+0000".into() };
    let request = PingRequest {
        number: 1,
        op: Op::Write,
        offset: 8192,
        moved: 4096,
        time: Nanos(106_100),
        notice: Some("warmup"),
        counts: false,
    };
    let mut out = String::new();
    json_begin(&mut out);
    json_request(true, &at, &pinged.place, &request, &mut out);
    json_statistics(false, &at, &pinged.place, (&pinged.total, 4096), true, &mut out);
    json_end(&mut out);
    let read: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(read[0]["io"]["time"], 106_100);
    assert_eq!(read[0]["io"]["ignored"], true);
    assert_eq!(read[0]["io"]["operation"], "write");
    assert_eq!(read[0]["target"]["path"], "a\"b");
    assert_eq!(read[1]["stat"]["count"], 9);
    assert_eq!(read[1]["load"]["time"], 9_000_126_800u64);
    assert_eq!(read[1]["percentiles"]["p50"], serde_json::Value::Null, "nine requests are too few");
    assert!(out.contains("\"timestamp\": 1700000000.250000,"), "{out}");
}

#[test]
fn percentiles_and_histogram_stand_behind() {
    let mut pinged = Pinged { place: at("d", "xfs", "x", 1), block: Bytes(4096), ..Pinged::default() };
    for i in 0..1000u64 {
        pinged.total.add(Nanos(100_000 + i * i), Standing::Counts);
    }
    let mut out = Vec::new();
    let style = Style { color: false, unicode: true, width: 80, language: messages::Language::English };
    write_percentiles(&pinged, None, &[], &style, &mut out).expect("a vector");
    let text = String::from_utf8(out).expect("text");
    let memory = Caveat::new("memory-backed", Severity::Invalid, "memory was measured, not storage", "tmpfs");
    let unsent = Caveat::new("unsent", Severity::Doubt, "operations had not been sent", "about 9 of 20 due");
    let other = Caveat::new("small-working-set", Severity::Doubt, "it is small", "1 MiB");
    let mut struck = Vec::new();
    write_percentiles(&pinged, None, &[memory, unsent, other], &style, &mut struck).expect("a vector");
    let struck = String::from_utf8(struck).expect("text");
    let (before, behind) = ("not valid: memory was measured, not storage (tmpfs)", "operations had not been sent");
    assert_eq!(struck, format!("{before}\n{text}doubt: {behind} (about 9 of 20 due)\n"));
    assert!(text.starts_with("p50/p90/p99/p99.9 = "), "{text}");
    assert!(text.contains("/ -  (p99.9: 10 k requests)"), "{text}");
    assert!(text.lines().count() >= 5 && text.contains('█'), "{text}");
    assert!(text.lines().all(|l| crate::widgets::text::width(l) <= 80), "{text}");
}
