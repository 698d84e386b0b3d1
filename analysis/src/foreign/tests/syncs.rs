//! Rows of syncs, needs on them, and rows that decide no need.

use super::every_rule::{Fio, MACOS, verified};
use super::*;

/// Returns a fio job that syncs each of its 2,300-byte writes, with the p99 of its syncs in microseconds.
fn etcd(name: &'static str, p99: u64, command: &'static str) -> ForeignFile {
    let is_slow = p99 > 100_000;
    let syncs = format!(
        "  fsync/fdatasync/sync_file_range:\n    sync (usec): min=400, max={}, avg={}, stdev=90.00\n    sync percentiles (usec):\n     | 50.00th=[ 1200], 90.00th=[ 1800], 99.00th=[{p99}], 99.90th=[{}]\n",
        p99 * 4,
        if is_slow { 16_900 } else { 1500 },
        p99 * 2
    );
    let fio = Fio {
        name,
        command,
        rw: "write",
        bs: 2300,
        engine: "sync",
        depth: 1,
        slat: (0.0, 0.0, 0.0),
        clat: (2.0, 2000.0, 10.0),
        lat: (3.0, 2010.0, 11.0),
        tail: [20, 25, 38, 1400],
        ops: 40_000,
        ms: if is_slow { 700_000 } else { 62_000 },
        sampled: if is_slow { 57.0 } else { 645.0 },
        lowest: if is_slow { 50.0 } else { 600.0 },
        more: syncs,
        ..Fio::default()
    };
    let text = fio.text();
    // A job with a synchronous engine has no submission latency.
    let without: Vec<&str> = text.lines().filter(|l| !l.contains("slat (usec)")).collect();
    read(name, &without.join("\n"))
}

fn need(files: &[ForeignFile], line: &str) -> model::judged::NeedResult {
    let list = match line.split_once(':') {
        Some(_) => needs(&[line]),
        None => crate::contract::preset(line).expect("a preset").expect("a need").needs,
    };
    let j = judge_foreign(files, &ForeignRequest { needs: &list, ..ForeignRequest::default() });
    j.needs.into_iter().next().expect("one need")
}

const COMMAND: &str = "--rw=write --ioengine=sync --fdatasync=1 --size=22m --bs=2300";

#[test]
fn syncs_of_fio_are_a_row_with_their_own_latency() {
    let j = judged(&[etcd("a.txt", 5000, COMMAND)], &[]);
    let row = j.rows.iter().find(|r| r.rw == "fdatasync").expect("a row of syncs");
    assert_eq!((row.label().as_str(), row.depth, row.bandwidth), ("2300 fdatasync", Some(1), None));
    assert!((row.p99.expect("a percentile") - 5e-3).abs() < 1e-6 && (row.mean.expect("a mean") - 1.5e-3).abs() < 1e-9);
    assert!((row.iops.expect("one sync a write") - 645.0).abs() < 1.0);
    assert_eq!(row.binds, "latency");
    let write = j.rows.iter().find(|r| r.rw == "write").expect("a row of writes");
    assert_eq!(write.binds, "", "a write of 11 us is not what 645 writes a second wait for");
    // A failed job does not become usable because of its syncs.
    let text = Fio { rw: "write", ..Fio::default() }.text().replace("err= 0:", "err= 5 (error=Input/output error):");
    let syncs = "  fsync/fdatasync/sync_file_range:\n    sync (usec): min=400, max=9000, avg=1500.00, stdev=90.00\n";
    let j = judged(&[read("a.txt", &format!("{text}{syncs}"))], &[]);
    assert_eq!((j.rows.len(), j.rows.iter().filter(|r| r.struck.as_deref() == Some("E01-not-whole")).count()), (2, 2));
    // Without a command the kind and the number of syncs are unknown.
    let j = judged(&[etcd("a.txt", 5000, "")], &[]);
    let row = j.rows.iter().find(|r| r.rw == "sync").expect("a row of syncs");
    assert!((row.iops, row.p99.is_some(), row.mean.is_some()) == (None, true, true), "{row:?}");
}

#[test]
fn syncs_of_fio_are_read_from_json_where_it_counts_none() {
    let json = r#"{"fio version":"fio-3.33","jobs":[{"jobname":"a","error":0,"job options":{"rw":"write","bs":"8k","fdatasync":"1","ioengine":"sync"},
        "write":{"total_ios":5000,"io_bytes":40960000,"io_kbytes":40000,"bw_bytes":4096000,"iops":500.0,"runtime":10000,
        "lat_ns":{"min":1000,"max":90000,"mean":9000.0,"N":5000}},
        "sync":{"total_ios":0,"lat_ns":{"min":900000,"max":30000000,"mean":1950000.0,"N":5000,
        "percentile":{"50.000000":1800000,"99.000000":12000000}}}}]}"#;
    let file = read("a.json", json);
    let row = judged(std::slice::from_ref(&file), &[]).rows.into_iter().find(|r| r.rw == "fdatasync").expect("a row");
    assert_eq!((row.block, row.iops), (Some(Bytes(8192)), Some(500.0)));
    assert_eq!(need(std::slice::from_ref(&file), "8k fdatasync: p99<=10ms").outcome, Outcome::Fail);
    let met = need(std::slice::from_ref(&file), "8k fdatasync: iops>=450, p99<=15ms");
    assert_eq!(met.outcome, Outcome::Pass, "{met:?}");
    assert_eq!(need(&[file], "4k fdatasync: p99<=15ms").outcome, Outcome::Undecided, "another block size");
}

#[test]
fn the_contract_of_etcd_decides_its_own_command() {
    assert_eq!(need(&[etcd("a.txt", 5000, COMMAND)], "etcd").outcome, Outcome::Pass);
    assert_eq!(need(&[etcd("a.txt", 300_000, COMMAND)], "etcd").outcome, Outcome::Fail);
    assert_eq!(need(&[etcd("a.txt", 5000, "")], "etcd").outcome, Outcome::Pass);
    assert_eq!(need(&[etcd("a.txt", 5000, COMMAND)], "8k fdatasync: p99<=10ms").outcome, Outcome::Undecided);
}

#[test]
fn syncs_are_counted_by_depths_where_nothing_else_counts_them() {
    let mut file = etcd("a.txt", 5000, "");
    let rest = "  IO depths    : 1=200.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%\n";
    let values =
        read("b.txt", &format!("{}{rest}", Fio { rw: "write", ..Fio::default() }.text())).tests.remove(0).values;
    file.tests[0].values.extend(values.into_iter().filter(|v| matches!(v.of, Quantity::DepthShare(_))));
    let row = judged(&[file], &[]).rows.into_iter().find(|r| r.rw == "sync").expect("a row of syncs");
    assert!((row.iops.expect("one sync a write") - 645.0).abs() < 1.0, "{row:?}");
    // A percentile of few syncs is due to chance, whether they are counted or not.
    let mut few = etcd("a.txt", 5000, "");
    few.tests[0].values.iter_mut().filter(|v| v.of == Quantity::Operations).for_each(|v| v.value = Some(500.0));
    assert_eq!(need(&[few], "etcd").outcome, Outcome::Undecided);
}

#[test]
fn a_write_that_is_synced_ends_with_its_sync() {
    let slow = etcd("a.txt", 300_000, COMMAND);
    let result = need(std::slice::from_ref(&slow), "2300 write: p99<=10ms");
    assert_eq!(result.outcome, Outcome::Fail, "{result:?}");
    assert_eq!(need(&[slow], "2300 write: avg<=20ms, iops>=50").outcome, Outcome::Pass);
}

#[test]
fn equal_loads_of_two_machines_are_not_decided_by_the_better_one() {
    let files = [etcd("slow.txt", 300_000, COMMAND), etcd("fast.txt", 5000, COMMAND)];
    let result = need(&files, "etcd");
    assert_eq!(result.outcome, Outcome::Fail);
    assert!(
        result.why.contains("slow.txt") && result.why.contains("fast.txt:") && result.why.contains("5.00 ms"),
        "{}",
        result.why
    );
    // Among rows with other parameters the best one counts, and the reason names the other file.
    let deep = Fio {
        name: "deep.txt",
        depth: 32,
        lat: (160.0, 99_000.0, 6390.0),
        clat: (150.0, 90_000.0, 6380.0),
        tail: [9000, 12_000, 20_000, 50_000],
        ..Fio::default()
    };
    let one = Fio {
        name: "one.txt",
        depth: 1,
        ops: 120_000,
        sampled: 1000.0,
        lat: (160.0, 9010.0, 990.0),
        clat: (150.0, 9000.0, 980.0),
        lowest: 900.0,
        ..Fio::default()
    };
    let result = need(&[one.file(), deep.file()], "8k randread: iops>=4000");
    assert_eq!((result.outcome, result.depth), (Outcome::Pass, Some(32)));
    assert!(result.why.contains("one.txt does not meet it (iops 1,000 IOPS)"), "{}", result.why);
    // Files that agree are not mentioned.
    let twice = [etcd("a.txt", 5000, COMMAND), etcd("b.txt", 5000, COMMAND)];
    assert!(!need(&twice, "etcd").why.contains(';'), "{}", need(&twice, "etcd").why);
}

#[test]
fn a_sync_that_stays_in_the_drive_meets_no_need() {
    let file = read("sync.txt", MACOS);
    let result = need(std::slice::from_ref(&file), "8k fdatasync: avg<=1ms");
    assert_eq!(result.outcome, Outcome::Fail);
    assert!(result.why.contains("fsync_writethrough"), "{}", result.why);
    let linux = MACOS.replace("\tfsync_writethrough   90.000 ops/sec   11111 usecs/op", "\tfsync_writethrough   n/a");
    let file = read("sync.txt", &linux);
    assert!(!ids(&judged(std::slice::from_ref(&file), &[])).contains(&"E04-not-durable"));
    assert_eq!(need(&[file], "8k fdatasync: avg<=1ms").outcome, Outcome::Pass);
}

#[test]
fn verification_is_no_load() {
    let j = judged(&[verified()], &[]);
    assert_eq!(j.rows[0].iops.map(f64::round), Some(5000.0));
    assert_eq!(j.rows[0].reads, Some(0.0));
    assert_eq!(need(&[verified()], "8k randwrite: iops>=6000").outcome, Outcome::Fail);
    assert_eq!(need(&[verified()], "8k randwrite: iops>=4900").outcome, Outcome::Pass);
    let mixed = Fio { rw: "randrw", command: "--verify=crc32c", ..Fio::default() }.file();
    assert_eq!(need(&[mixed], "8k randrw: iops>=1").outcome, Outcome::Undecided);
    // Reads of a group whose first job writes are not verification reads.
    let json = r#"{"fio version":"fio-3.33","jobs":[{"jobname":"a","error":0,"job options":{"rw":"write","bs":"8k"},
        "read":{"total_ios":5000,"io_bytes":40960000,"io_kbytes":40000,"bw_bytes":4096000,"iops":500.0,"runtime":10000},
        "write":{"total_ios":5000,"io_bytes":40960000,"io_kbytes":40000,"bw_bytes":4096000,"iops":500.0,"runtime":10000}}]}"#;
    assert_eq!(judged(&[read("a.json", json)], &[]).rows[0].iops, Some(1000.0));
}

#[test]
fn rows_that_contradict_themselves_meet_no_need() {
    let undecided = |what: &str, fio: Fio, id: &str| {
        let result = need(&[fio.file()], "8k randread: iops>=1, avg<=100s");
        assert_eq!(result.outcome, Outcome::Undecided, "{what}: {result:?}");
        assert!(result.why.contains(id), "{what}: {}", result.why);
    };
    let fio = Fio::default;
    // Last bin of fio's histogram: 17.2 s.
    let stuck = Fio {
        clat: (150.0, 60e6, 41e6),
        lat: (160.0, 60e6, 41e6),
        tail: [17_112_760, 17_112_760, 17_112_760, 17_112_760],
        ops: 5000,
        ms: 6_400_000,
        sampled: 0.8,
        lowest: 0.7,
        ..fio()
    };
    undecided("open bin", stuck, "B34-contradiction");
    undecided("percentile above the maximum", Fio { tail: [1200, 1800, 3000, 20_000], ..fio() }, "B34-contradiction");
    undecided("20 in 1 ms", Fio { ops: 20, ms: 1, ..fio() }, "B34-too-little");
    undecided("one of 4.1 s", Fio { ops: 1, ms: 4100, ..fio() }, "B34-too-little");
    let early = Fio { ops: 1000, ms: 207, command: "--runtime=1000 --size=8m", ..fio() };
    undecided("0.2 s of 1,000 s", early, "B34-too-little");
    undecided("more in flight than there may be", Fio { depth: 2, ..fio() }, "B34-impossible");
    let text = fio().text();
    let doubled = read("a.txt", &text.replace("IOPS=5000,", "IOPS=10.0k,").replace("issued rwts", "issued?"));
    assert!(doubled.tests[0].values.iter().all(|v| v.of != Quantity::Operations), "{doubled:?}");
    assert_eq!(judged(&[doubled], &[]).rows[0].struck.as_deref(), Some("B34-contradiction"));
    let stopped = read("a.txt", &text.replace("/120000msec)", "/0msec)"));
    assert_eq!(judged(&[stopped], &[]).rows[0].struck.as_deref(), Some("B34-contradiction"));
}

#[test]
fn a_result_at_a_burst_is_bound_by_it() {
    let limit = Limit {
        burst_iops: Some(model::bounds::Burst {
            rate: 5000.0,
            lasts: model::bounds::BurstLasts::Bucket { capacity: 5.4e6 },
        }),
        .."volume iops=300".parse().unwrap()
    };
    let judge = |fio: Fio| {
        judge_foreign(
            &[fio.file()],
            &ForeignRequest { limits: std::slice::from_ref(&limit), ..ForeignRequest::default() },
        )
    };
    let j = judge(Fio::default());
    assert_eq!(j.rows[0].binds, "IOPS burst limit (volume), for 19 min");
    assert!((j.rows[0].limit.as_ref().expect("a limit").1 - 1.0).abs() < 0.01);
    assert_eq!(ids(&j), ["B11-burst"]);
    // Between cap and burst nothing binds, and above the burst the row is wrong.
    let between = judge(Fio {
        ops: 300_000,
        sampled: 2500.0,
        lowest: 2400.0,
        lat: (160.0, 9010.0, 1590.0),
        clat: (150.0, 9000.0, 1580.0),
        tail: [2400, 3600, 6000, 8000],
        ..Fio::default()
    });
    assert_eq!((between.rows[0].binds.to_string(), ids(&between)), ("undecided".to_owned(), vec![]));
    let above = judge(Fio {
        ops: 700_000,
        sampled: 5833.0,
        lowest: 5000.0,
        lat: (160.0, 9010.0, 683.0),
        clat: (150.0, 9000.0, 675.0),
        ..Fio::default()
    });
    assert_eq!(ids(&above), ["B11-above-limit"]);
    // A cap without a burst is tighter.
    let limits = [limit.clone(), "instance iops=5000".parse().unwrap()];
    let file = [Fio::default().file()];
    let j = judge_foreign(&file, &ForeignRequest { limits: &limits, ..ForeignRequest::default() });
    assert_eq!(j.rows[0].binds, "IOPS limit (instance)");
}

#[test]
fn what_is_short_on_purpose_or_rounded_is_not_doubted() {
    let fio = Fio::default;
    let quiet = |what: &str, fio: Fio| {
        let j = judged(&[fio.file()], &[]);
        let doubts: Vec<&str> =
            ids(&j).into_iter().filter(|id| id.starts_with("B34") || id.starts_with("E0")).collect();
        assert!(doubts.is_empty(), "{what}: {doubts:?}");
    };
    quiet("a size that ends before its cap of time", Fio { command: "--runtime=600 --size=5g", ..fio() });
    quiet("a run as long as requested", Fio { command: "--runtime=120 --time_based", ..fio() });
    quiet("a short run that nobody wanted longer", Fio { ops: 10_000, ms: 2000, samples: 4, ..fio() });
    quiet(
        "a mean at the edge of its percentiles",
        Fio { clat: (790.0, 800.0, 795.0), lat: (795.0, 810.0, 803.0), tail: [800, 800, 800, 800], ..fio() },
    );
    quiet("verified reads", Fio { command: "--verify=crc32c", ..fio() });
    quiet("verification switched off", Fio { rw: "randrw", command: "--verify=0", ..fio() });
}

#[test]
fn a_sync_that_sent_nothing_meets_no_need() {
    let json = |mean: f64| {
        let text = format!(
            r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"a","error":0,"job options":{{"rw":"write","bs":"8k","fdatasync":"1","ioengine":"libaio"}},
        "write":{{"total_ios":5000,"io_bytes":40960000,"io_kbytes":40000,"bw_bytes":4096000,"iops":500.0,"runtime":10000,
        "lat_ns":{{"min":1000,"max":90000,"mean":9000.0,"N":5000}}}},
        "sync":{{"total_ios":0,"lat_ns":{{"min":80,"max":90000,"mean":{mean},"N":5000}}}}}}]}}"#
        );
        let text: &'static str = text.leak();
        need(&[read("a.json", text)], "8k fdatasync: avg<=1ms").outcome
    };
    assert_eq!(json(104.0), Outcome::Undecided, "fio's time of queueing it");
    assert_eq!(json(90_000.0), Outcome::Pass);
}

#[test]
fn reads_as_many_as_writes_without_a_word_of_the_job_may_verify() {
    let text = |reads: u64| -> &'static str {
        format!(
            "r: (groupid=0, jobs=1): err= 0: pid=17: Sat Nov 28 12:00:00 2026\n  read: IOPS=35.3k, BW=138MiB/s (145MB/s)({reads}KiB/464msec)\n    clat (usec): min=10, max=900, avg=80.00, stdev=9.00\n  \
             write: IOPS=13.8k, BW=54.1MiB/s (56.7MB/s)(65536KiB/1183msec); 0 zone resets\n    clat (usec): min=10, max=900, avg=80.00, stdev=9.00\n     \
             issued rwts: total={},16384,0,0 short=0,0,0,0 dropped=0,0,0,0\n",
            reads / 4
        )
        .leak()
    };
    let doubts = |reads| {
        let judged = judged(&[read("a.txt", text(reads))], &[]);
        ids(&judged).into_iter().any(|id| id == "E03-verification")
    };
    assert!(doubts(65_536));
    assert!(!doubts(65_000));
}

#[test]
fn depths_of_jobs_that_sync_each_write_are_possible() {
    let more = "  IO depths    : 1=200.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%\n";
    let mut fio = Fio { rw: "write", engine: "psync", depth: 1, command: "--fdatasync=1", ..Fio::default() };
    fio.more = more.into();
    let text = fio.text();
    let without: Vec<&str> = text.lines().filter(|l| !l.contains("slat (usec)") && !l.contains("1=100.0%")).collect();
    let judged = judged(&[read("a.txt", without.join("\n").leak())], &[]);
    let doubted = judged.findings.iter().any(|f| f.finding.statement.contains("200.0%"));
    assert!(!doubted, "{:?}", judged.findings);
}

#[test]
fn a_moment_is_doubted_and_meets_no_need() {
    let fio = Fio { rw: "randwrite", ops: 4096, ms: 34, ..Fio::default() };
    let judged = judged(&[fio.file()], &[]);
    let doubt = judged.findings.iter().find(|f| f.finding.id == "B34-too-little").map(|f| f.finding.severity);
    assert_eq!(doubt, Some(model::Severity::Doubt), "{:?}", ids(&judged));
    assert_eq!(need(&[fio.file()], "8k randwrite: iops>=1000").outcome, Outcome::Undecided);
}
