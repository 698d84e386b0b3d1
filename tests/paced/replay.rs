//! Replayed recordings: the same operations, also counted by the kernel; storage that keeps up and storage that does
//! not; fio's iologs replayed by fio and by secchi; refusals.

use crate::support::{Sandbox, Secchi, beside, blktrace_record, names_in, own_disk, paced, skip, tool, undisturbed};
use model::recording::{RecordedLayer, RecordingEnd, RecordingHeader};
use model::{Nanos, Op, measured::RequestKind, record::Replayed};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Writes an iolog of 4 KiB reads and writes at a constant rate for some seconds; every eighth operation is a flush.
/// Returns the reads, writes and flushes.
fn iolog(path: &Path, file: &str, rate: u64, seconds: u64) -> [u64; 3] {
    let mut text = format!("fio version 3 iolog\n0 {file} add\n0 {file} open\n");
    let mut counts = [0; 3];
    for i in 0..rate * seconds {
        let (at, place) = (i * 1_000_000 / rate, i * 7919 % 4096 * 4096);
        let kind = if i % 8 == 7 { 2 } else { usize::from(i % 3 == 0) };
        counts[kind] += 1;
        let action = ["read", "write", "datasync"][kind];
        let (place, len) = if kind == 2 { (0, 0) } else { (place, 4096) };
        writeln!(text, "{at} {file} {action} {place} {len}").expect("into memory");
    }
    writeln!(text, "{} {file} close", seconds * 1_000_000).expect("into memory");
    std::fs::write(path, text).expect("written");
    counts
}

fn made(replayed: &Replayed, op: Op) -> (u64, u64) {
    let kinds = replayed.roles.iter().flat_map(|role| &role.kinds).filter(|kind| kind.op == op);
    kinds.fold((0, 0), |sum, kind| (sum.0 + kind.recorded.operations, sum.1 + kind.made.operations))
}

fn replay(sandbox: &Sandbox, recording: &Path, place: &Path, words: &str) -> Secchi {
    let mut secchi = sandbox.secchi("replay");
    secchi.arg(recording).arg(place).words(words);
    secchi
}

#[test]
fn every_operation_is_made_again_and_nothing_is_left_behind() {
    let _paced = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    let log = sandbox.path("log");
    let [reads, writes, flushes] = iolog(&log, "db", 500, 3);
    // The layout only writes; all reads come from the replay, and are direct.
    let before = disk.group.reads();
    let ended = replay(&sandbox, &log, &sandbox.data(), "--json").inside(disk.group.path()).run();
    let run = ended.json();
    let after = disk.group.reads();
    let replayed = run.record.replayed().expect("it is told beside the recording");
    for (op, count) in [(Op::Read, reads), (Op::Write, writes), (Op::Flush, flushes)] {
        assert_eq!(made(replayed, op), (count, count), "{op:?}");
    }
    // The file system adds at most a few reads of its own.
    assert!(
        (reads..reads + 40).contains(&(after - before)),
        "{reads} were made, the kernel counted {}",
        after - before
    );
    assert!([0, 1].contains(&ended.code), "{}: {}", ended.code, ended.stderr);
    assert!(names_in(&sandbox.data()).iter().all(|name| name == "lost+found"), "{:?}", names_in(&sandbox.data()));
    let shown = sandbox.secchi("show last").run();
    assert!(shown.stdout.contains("replayed") && shown.stdout.contains("flush"), "{}", shown.stdout);
    assert_eq!(i32::from(run.judgement.exit_code), ended.code);
    // The page has the same table and the verdict of the replay.
    let page = sandbox.path("page.html");
    let report = sandbox.secchi("report last").arg("-o").arg(&page).run();
    assert_eq!(report.code, 0, "{}", report.stderr);
    let page = std::fs::read_to_string(page).expect("written");
    assert!(page.contains("Recorded and replayed") && page.contains("p99 from due"), "{page}");
    assert!(page.contains(&run.judgement.verdict.to_string()), "{}", run.judgement.verdict);
}

#[test]
fn a_file_that_grew_finds_space_that_was_never_written() {
    let _beside = beside();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    // The first MiB is read; the next eight are written and then read.
    let log = sandbox.path("log");
    let mut text = "fio version 2 iolog\ndb add\ndb open\n".to_owned();
    for (action, pieces) in [("read", 0..1), ("write", 1..9), ("read", 1..9)] {
        for block in pieces.flat_map(|piece: u64| piece * 16..(piece + 1) * 16) {
            writeln!(text, "db {action} {} 65536", block * 65536).expect("into memory");
        }
    }
    std::fs::write(&log, text + "db close\n").expect("written");
    let written = |words: &str| {
        let before = disk.group.written();
        let run = replay(&sandbox, &log, &sandbox.data(), words).inside(disk.group.path()).run().json();
        let replayed = run.record.replayed().expect("it is told");
        assert_eq!((made(replayed, Op::Read).1, made(replayed, Op::Write).1), (144, 128));
        let is_told = run.record.caveats.iter().any(|caveat| caveat.id == "replay-grown");
        (run.record.plan.fill.as_u64() >> 20, is_told, (disk.group.written() - before) >> 20)
    };
    let (fill, is_told, all) = written("--json");
    assert_eq!((fill, is_told), (9, false));
    let (fill, is_told, grown) = written("--json --grow");
    assert_eq!((fill, is_told), (1, true));
    // The file system's own writes are fewer.
    assert!((7..=9).contains(&(all - grown)), "{all} MiB, and {grown} where the file grew");
    // Space that is trimmed in between is new again.
    let cut = sandbox.path("cut");
    let [mut first, mut again] = [String::new(), String::new()];
    for block in 0..128 {
        writeln!(first, "db write {} 65536", block * 65536).expect("into memory");
        writeln!(again, "db write {} 65536", block * 65536).expect("into memory");
    }
    let text = format!("fio version 2 iolog\ndb add\ndb open\n{first}db trim 0 8388608\n{again}db close\n");
    std::fs::write(&cut, text).expect("written");
    for (words, trims, left_out) in [("--json", (0, 0), true), ("--json --grow", (1, 1), false)] {
        let run = replay(&sandbox, &cut, &sandbox.data(), words).run().json();
        let replayed = run.record.replayed().expect("it is told");
        assert_eq!((made(replayed, Op::Trim), made(replayed, Op::Write)), (trims, (256, 256)), "{words}");
        assert_eq!(run.record.caveats.iter().any(|caveat| caveat.id == "replay-trims"), left_out, "{words}");
    }
    replay(&sandbox, &log, &sandbox.data(), "--grow --keep").run().refuses(64, "--keep");
    replay(&sandbox, &log, &sandbox.data(), "--keep").run();
    replay(&sandbox, &log, &sandbox.data(), "--grow").run().refuses(3, "does not allocate new space");
}

#[test]
fn storage_that_does_not_keep_up_is_told_with_the_cap_and_the_seconds() {
    let _paced = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    let log = sandbox.path("log");
    iolog(&log, "db", 6000, 3);
    // Replay without pauses, to create the file for the second replay.
    let first = replay(&sandbox, &log, &sandbox.data(), "--keep --timing as-fast-as-possible --json").run();
    let run = first.json();
    let quick = run.record.replayed().expect("it is told");
    assert!(quick.roles[0].seconds.is_empty() && quick.speed == 0.0, "nothing is late that is not due");
    assert_eq!(quick.roles[0].made(), quick.roles[0].operations);
    // On a busy machine, figures of some tenths of a second are not valid; the test does not need them.
    assert!([0, 2].contains(&first.code), "{}: {}", first.code, first.stderr);
    disk.group.cap_reads(1500, 0);
    undisturbed(|| {
        let mut wrong = Vec::new();
        let ended = replay(&sandbox, &log, &sandbox.data(), "--keep").inside(disk.group.path()).run();
        let mut expect = |what: bool, why: &str| {
            if !what {
                wrong.push(format!("{why}: {} {} {}", ended.code, ended.stdout, ended.stderr));
            }
        };
        expect(ended.code == 1, "it did not keep up");
        let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        expect(text.contains("does not keep up") && text.contains("1,500 read IOPS"), "the cap is named");
        expect(text.contains("second 1:"), "the seconds are told");
        wrong
    });
}

#[test]
fn a_recording_of_the_block_layer_is_made_again_by_role() {
    // Dependencies are derived from times, which other tests would distort.
    let _paced = paced();
    let sandbox = Sandbox::new();
    let (disk, _device) = own_disk!(sandbox, 1 << 30);
    let file = sandbox.path("db.sqio");
    let mut secchi = sandbox.record_roles(&disk.point, &file);
    secchi.arg("--").arg(env!("CARGO_BIN_EXE_secchi")).words("fio --store").arg(sandbox.path("own"));
    secchi.words("--direct=1 --size=16m --io_size=8m --bs=8k --ioengine=psync");
    secchi.words("--name=d --rw=randread --rate_iops=500 --directory").arg(disk.point.join("db"));
    secchi.words("--name=j --rw=write --fdatasync=1 --directory").arg(disk.point.join("wal"));
    let ended = secchi.run();
    if ended.code == 4 {
        skip!("{}", ended.stderr);
    }
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let target = sandbox.data();
    let again = replay(&sandbox, &file, &target, "--json").run().json();
    let replayed = again.record.replayed().expect("it is told");
    let mut roles: Vec<&str> = replayed.roles.iter().map(|r| r.role.as_str()).collect();
    roles.sort_unstable();
    assert_eq!(roles, ["data", "journal"]);
    for role in &replayed.roles {
        for kind in &role.kinds {
            assert_eq!(kind.recorded.operations, kind.made.operations, "{} {:?}", role.role, kind.op);
            let moved = kind.op == Op::Flush || kind.recorded.bytes == kind.made.bytes;
            assert!(moved, "{} {:?}: {} and {}", role.role, kind.op, kind.recorded.bytes, kind.made.bytes);
        }
    }
    let journal = replayed.roles.iter().find(|r| r.role == "journal").expect("it is there");
    let flushes = journal.kinds.iter().find(|k| k.op == Op::Flush).map_or(0, |k| k.made.operations);
    assert!(flushes >= 1000, "each write was made durable: {flushes}");
    // One at a time: the next request starts when the last one has completed.
    assert!(journal.following > journal.operations / 2, "{} of {}", journal.following, journal.operations);
    // One worker replays both roles if they are on one device; on two devices each has its own worker. The roles did
    // not depend on each other.
    let apart = |record: &model::RunRecord| record.caveats.iter().any(|caveat| caveat.id == "replay-apart");
    let stages = &again.record.plan.stages;
    assert_eq!((stages.len(), stages[0].job.more.len(), apart(&again.record)), (1, 1, false));
    let words = format!("--json --role journal={} --role data", disk.point.display());
    let two = replay(&sandbox, &file, &target, &words).run().json();
    assert_eq!(two.record.plan.stages.len(), 2);
    assert_eq!(counts(&two.record), counts(&again.record));
    // Replay a single role, elsewhere.
    let other = sandbox.path("other");
    std::fs::create_dir(&other).expect("made");
    let words = format!("--json --role journal={}", other.display());
    // If no role uses the common directory, it need not exist.
    let alone = replay(&sandbox, &file, &sandbox.path("nowhere"), &words).run().json();
    assert_eq!(alone.record.plan.stages.len(), 1);
    assert!(alone.record.plan.stages[0].job.target.path.starts_with(&other));
    replay(&sandbox, &file, &target, "--role jurnal").run().refuses(64, "did you mean `journal`?");
}

/// Returns the replayed operations of each role.
fn counts(record: &model::RunRecord) -> std::collections::BTreeMap<String, u64> {
    let roles = record.replayed().into_iter().flat_map(|replayed| &replayed.roles);
    roles.map(|role| (role.role.clone(), role.made())).collect()
}

/// Writes a recording of a program that, a thousand times a second, reads data, then writes to the journal and flushes
/// it.
///
/// Each request begins 20 us after the end of the one before. A program recorded next to others is less regular, and
/// its dependencies would depend on the machine.
fn transactions(path: &Path, count: u64) {
    let request = |at, latency, target, kind, offset, bytes| model::recording::RecordedRequest {
        at: Nanos::from_micros(at),
        latency: Some(Nanos::from_micros(latency)),
        target,
        kind,
        flags: model::recording::RequestFlags::default(),
        offset,
        bytes,
    };
    let transaction = |i: u64| {
        let at = i * 1000;
        [
            request(at, 300, 0, RequestKind::Read, i * 7919 % 1024 * 8192, 8192),
            request(at + 320, 150, 1, RequestKind::Write, i * 4096, 4096),
            request(at + 490, 490, 1, RequestKind::Flush, 0, 0),
        ]
    };
    let target =
        |role: &str| model::recording::RecordedTarget { role: role.into(), name: "vda".into(), ..Default::default() };
    let header = RecordingHeader { layer: RecordedLayer::Block, has_latency: true, ..Default::default() };
    let length = Nanos::from_micros(count * 1000);
    let file = std::fs::File::create(path).expect("a recording");
    let mut writer = recording::RecordingWriter::begin(file, &header).expect("begun");
    writer.write_targets(&[target("data"), target("journal")]).expect("written");
    let mut requests: Vec<_> = (0..count).flat_map(transaction).collect();
    writer.write_requests(&mut requests, length).expect("written");
    writer.end(&RecordingEnd { length, ..Default::default() }).expect("ended");
}

#[test]
fn what_waited_for_another_device_waits_for_it_again() {
    let _paced = paced();
    let sandbox = Sandbox::new();
    let file = sandbox.path("db.sqio");
    transactions(&file, 1500);
    // The data goes to a disk capped at 200 reads a second, the journal to the disk of this machine.
    let other = Sandbox::new();
    let slow = match testkit::OwnDisk::at(&other.data()) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    slow.group.cap_reads(200, 0);
    let place = sandbox.path("journal");
    std::fs::create_dir(&place).expect("made");
    let words = format!("--json --role data={} --role journal={}", other.data().display(), place.display());
    undisturbed(|| {
        let run = replay(&sandbox, &file, &place, &words).inside(slow.group.path()).run().json();
        assert_eq!(run.record.plan.stages.len(), 2);
        let replayed = run.record.replayed().expect("it is told");
        let role = |name: &str| replayed.roles.iter().find(|r| r.role == name).expect("it was recorded");
        let (data, journal) = (role("data"), role("journal"));
        for role in [data, journal] {
            assert_eq!(role.made(), role.operations, "{}", role.role);
        }
        assert_eq!((data.made(), journal.made()), (1500, 3000));
        let apart = run.record.caveats.iter().find(|caveat| caveat.id == "replay-apart").expect("it is told");
        let waiting = apart.evidence.to_string();
        let waiting: u64 = waiting.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        assert_eq!(waiting, 2999, "all reads but the first, and all writes, wait for another device");
        // The reads take seven seconds, and so does the journal, although its disk never delays it: it waits for the reads.
        let seconds = (data.made_length.secs(), journal.made_length.secs());
        assert!(seconds.0 > 6.0 && seconds.1 > 6.0, "{seconds:?}");
        let verdict = run.judgement.verdict.to_string();
        if verdict.contains("200") { Vec::new() } else { vec![format!("the cap is named: {verdict}")] }
    });
}

#[test]
fn what_is_no_recording_or_not_ours_is_refused_before_anything_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let log = sandbox.path("log");
    iolog(&log, "db", 100, 1);
    let refused = |recording: &Path, words: &str, code: i32, why: &str| {
        replay(&sandbox, recording, &sandbox.data(), words).run().refuses(code, why);
    };
    refused(&sandbox.path("none"), "", 64, "none");
    let text = sandbox.path("text");
    std::fs::write(&text, "hello\n").expect("written");
    refused(&text, "", 64, "it is not a recording");
    refused(&log, "--timing fast", 64, "scale=2.0");
    refused(&log, "--engine mmap", 64, "io_uring, libaio, psync");
    refused(&log, "--fold 1k", 64, "must be at least 1 MiB");
    assert!(names_in(&sandbox.data()).is_empty());
    // A file of that name from another user.
    let foreign = sandbox.data().join("secchi-replay-db.dat");
    std::fs::write(&foreign, "precious").expect("written");
    replay(&sandbox, &log, &sandbox.data(), "").run().refuses(3, "secchi-replay-db.dat");
    assert_eq!(std::fs::read_to_string(&foreign).expect("it stands"), "precious");
}

#[test]
fn an_iolog_is_made_again_by_fio_and_by_us_alike_and_each_reads_the_others() {
    let _beside = beside();
    let fio = "fio";
    if let Err(why) = tool(fio, &["--version".as_ref()]) {
        skip!("{why}");
    }
    let sandbox = Sandbox::new();
    let words =
        "--rw=randrw --size=4m --bs=4k-16k --fdatasync=16 --ioengine=psync --rate_iops=1000 --output-format=json";
    let totals = |text: &str| {
        let document: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
        ["read", "write"].map(|way| {
            let way = &document["jobs"][0][way];
            (way["total_ios"].as_u64(), way["io_bytes"].as_u64())
        })
    };
    let by_fio = |words: String| {
        let run =
            Command::new(fio).args(words.split_whitespace()).current_dir(sandbox.root()).output().expect("fio runs");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        totals(&String::from_utf8_lossy(&run.stdout))
    };
    let by_us = |words: String| {
        let mut secchi = Secchi::new(&sandbox.path("home"));
        secchi.words("fio --store").arg(sandbox.store()).words(&words);
        let ended = secchi.run();
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        totals(&ended.stdout)
    };
    let at = |name: &str| sandbox.path(name).display().to_string();
    let fio_totals = by_fio(format!("--name=w --filename={} --write_iolog={} {words}", at("f"), at("theirs")));
    let ours = by_us(format!("--name=w --filename={} --write_iolog={} {words}", at("g"), at("ours")));
    for (log, written, file) in [("theirs", fio_totals, "f"), ("ours", ours, "g")] {
        let words = format!("--name=r --read_iolog={} --output-format=json", at(log));
        let fios = by_fio(words.clone());
        let replayed = by_us(format!("{words} --allow-overwrite"));
        assert_eq!((fios, replayed), (written, written), "{log}");
        let elsewhere =
            by_us(format!("{words} --replay_redirect={} --replay_skip=sync --replay_no_stall=1", at("new")));
        assert_eq!(elsewhere, written, "{log}");
        std::fs::remove_file(sandbox.path("new")).expect("made by the replay");
        let reads = by_us(format!("{words} --replay_skip=write,sync --replay_time_scale=400"));
        assert_eq!(reads, [written[0], (Some(0), Some(0))], "{log}");
        std::fs::remove_file(sandbox.path(file)).expect("made by fio or us");
    }
    // It contains each flush.
    let flushes = std::fs::read_to_string(sandbox.path("ours")).expect("it was written");
    let flushes = flushes.lines().filter(|line| line.contains(" datasync ")).count() as u64;
    assert!(flushes > 0 && flushes + 1 >= ours[1].0.unwrap_or(0) / 16, "{flushes}");
}

/// Returns time, sector, size and action of each record.
fn read_trace(path: &Path) -> Vec<(u64, u64, u32, u32)> {
    let bytes = std::fs::read(path).expect("it was written");
    let long = |r: &[u8], at: usize| u64::from_le_bytes(r[at..at + 8].try_into().expect("eight"));
    let word = |r: &[u8], at: usize| u32::from_le_bytes(r[at..at + 4].try_into().expect("four"));
    bytes.chunks(48).map(|r| (long(r, 8), long(r, 16), word(r, 24), word(r, 28))).collect()
}

#[test]
fn traces_are_put_together_as_fio_puts_them_together() {
    let fio = "fio";
    if let Err(why) = tool(fio, &["--version".as_ref()]) {
        skip!("{why}");
    }
    let _beside = beside();
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.path(name).display().to_string();
    // Each trace begins at a different time.
    let trace = |from: u64, step: u64, write: bool| {
        let queued = |i| 1 | if write && i % 2 == 0 { 2 } else { 1 } << 16;
        (0..40).flat_map(|i| blktrace_record(from + i * step, i * 7 % 64 * 8, 4096, queued(i))).collect::<Vec<u8>>()
    };
    std::fs::write(at("a"), trace(1_000_000, 1_700_000, true)).expect("written");
    std::fs::write(at("b"), trace(20_000_000, 900_000, false)).expect("written");
    let words = |kept: &str, log: &str| {
        format!("--name=r --read_iolog={log} --replay_redirect={} --size=256k --output-format=json {kept}", at("place"))
    };
    let merged = |kept: &str| {
        let kept = format!("--merge_blktrace_file={} --merge_blktrace_scalars=50:100", at(kept));
        words(&kept, &format!("{}:{}", at("a"), at("b")))
    };
    std::fs::write(at("place"), vec![7; 1 << 18]).expect("written");
    let by_fio = |words: String| {
        let run = Command::new(fio).args(words.split_whitespace()).output().expect("fio runs");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    let ended = sandbox.secchi("fio --allow-overwrite").words(&merged("ours")).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let ours = read_trace(&sandbox.path("ours"));
    let half = (0..40).map(|i| ((1_000_000 + i * 1_700_000) / 2, i * 7 % 64 * 8, i % 2 == 0));
    let whole = (0..40).map(|i| (20_000_000 + i * 900_000, i * 7 % 64 * 8, false));
    let requests = half.chain(whole).map(|(at, sector, write)| (at, sector, 4096, 1 | if write { 2 } else { 1 } << 16));
    let mut expected: Vec<(u64, u64, u32, u32)> = requests.collect();
    expected.sort_by_key(|request| request.0);
    assert_eq!(ours, expected);
    // fio before 2026 merged nothing (c55d29ef).
    by_fio(merged("theirs"));
    match read_trace(&sandbox.path("theirs")) {
        theirs if theirs.is_empty() => testkit::skipped("this fio does not put traces together"),
        theirs => assert_eq!(ours, theirs),
    }
    // fio can replay the merged file, and secchi overwrites it as a file of the same kind, but not other files.
    let by_fio = by_fio(words("", &at("ours")));
    let again = sandbox.secchi("fio --allow-overwrite").words(&merged("ours")).run();
    for text in [by_fio, ended.stdout, again.stdout] {
        let document: Value = serde_json::from_str(&text[text.find('{').expect("a document")..]).expect("JSON");
        let counts = ["read", "write"].map(|way| document["jobs"][0][way]["total_ios"].as_u64());
        assert_eq!(counts, [Some(60), Some(20)], "{text}");
    }
    std::fs::write(at("mine"), "mine").expect("written");
    sandbox.secchi("fio --allow-overwrite").words(&merged("mine")).run().refuses(3, "mine");
    iolog(&sandbox.path("log"), "db", 100, 1);
    let kept = format!("--merge_blktrace_file={}", at("new"));
    sandbox.secchi("fio").words(&words(&kept, &at("log"))).run().refuses(64, "requests to db");
}
