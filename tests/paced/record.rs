//! Recordings of a running system: each request once, by role, compared with the kernel's counts; the recorded demand
//! as needs; truncated files; recordings of other tools.

use crate::support::{
    PATIENCE, Sandbox, Secchi, as_nobody, beside, blktrace_record, eventually, own_disk, processes_about, skip,
};
use model::recording::{RecordedLayer, RecordedRequest, Recording, RequestFlags};
use model::{Bytes, measured::RequestKind, plan::UNMAPPED};
use recording::{RecordingError, RecordingReader};
use serde_json::Value;
use std::path::Path;

fn read(path: &Path) -> (Recording, Option<RecordingError>) {
    let bytes = std::fs::read(path).expect("there is a recording");
    RecordingReader::begin(bytes.as_slice()).expect("it is a recording").collect_all()
}

fn of_role<'a>(recording: &'a Recording, role: &str, kind: RequestKind) -> Vec<&'a RecordedRequest> {
    let is = |r: &&RecordedRequest| recording.targets[usize::from(r.target)].role == role && r.kind == kind;
    recording.requests.iter().filter(is).collect()
}

fn needs(sandbox: &Sandbox, words: &str) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words("needs").words(words);
    secchi
}

/// Appends a load on files below a directory as the command after `--`.
fn load(secchi: &mut Secchi, store: &Path, directory: &Path, words: &str) {
    secchi.arg("--").arg(env!("CARGO_BIN_EXE_secchi")).words("fio --store").arg(store);
    secchi.arg(format!("--directory={}", directory.display())).words(words);
}

#[test]
fn every_request_is_recorded_once_and_its_needs_are_those_of_the_load() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (disk, _device) = own_disk!(sandbox, 1 << 30);
    let file = sandbox.path("db.sqio");
    let mut secchi = sandbox.record_roles(&disk.point, &file);
    let words = "--direct=1 --ioengine=io_uring --iodepth=4 --size=32m --rw=randrw --bs=8k --name=d --rate_iops=3000 \
                 --io_size=96000k --norandommap";
    // Create the file beforehand, so that only the load is recorded.
    let mut layout = sandbox.secchi("fio --create_only=1");
    layout.arg(format!("--directory={}", disk.point.join("db").display())).words(words);
    assert_eq!(layout.run().code, 0);
    load(&mut secchi, &sandbox.path("own"), &disk.point.join("db"), words);
    let ended = secchi.run();
    if ended.code == 4 {
        skip!("{}", ended.stderr);
    }
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let (recording, damage) = read(&file);
    assert!(damage.is_none() && recording.lost.is_empty(), "{damage:?} {:?}", recording.lost);
    let (reads, writes) =
        (of_role(&recording, "data", RequestKind::Read), of_role(&recording, "data", RequestKind::Write));
    // Two adjacent requests may have been merged; the file system's own writes are smaller.
    let blocks = reads.iter().chain(&writes).filter(|r| (8192..=32768).contains(&r.bytes));
    let count = blocks.map(|r| r.bytes).sum::<u64>() / 8192;
    assert!((12000..12010).contains(&count), "of 12,000 operations of 8 KiB {count} were recorded");
    assert!((5800..6200).contains(&reads.len()), "{}", reads.len());
    assert!(recording.requests.iter().all(|r| r.latency.is_some() && r.offset + r.bytes <= 1 << 30));
    assert!(recording.requests.is_sorted_by_key(|r| r.at));
    assert_eq!(recording.end.requests, recording.requests.len() as u64);
    assert!(recording.targets.iter().any(|t| t.role == "data" && t.size == Bytes::from_mib(1024) && t.sector == 512));
    assert!(recording.targets.iter().all(|t| ["data", "journal", UNMAPPED].contains(&t.role.as_str())));

    let mut secchi = needs(&sandbox, "--json");
    let contract = sandbox.path("need.toml");
    let shown = secchi.arg(&file).arg("-o").arg(&contract).run();
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let document: Value = serde_json::from_str(&shown.stdout).expect("a document");
    let data = document["roles"].as_array().expect("roles").iter().find(|r| r["role"] == "data").expect("data");
    assert_eq!(data["kinds"]["read"]["requests"], reads.len() as u64);
    assert_eq!(data["kinds"]["read"]["sizes"][0]["bytes"], 8192);
    let text = std::fs::read_to_string(&contract).expect("a contract");
    assert!(text.contains("mode = \"randrw\"") && text.contains("mix = \""), "{text}");
    // A candidate can be tested against the contract.
    let plan = sandbox.qualify(sandbox.data(), "--plan --need").arg(&contract).run();
    assert_eq!(plan.code, 0, "{}", plan.stderr);
    // The screen fits in eighty columns.
    let screen = needs(&sandbox, "").arg(&file).columns(80).run();
    assert!(screen.stdout.lines().all(|l| l.chars().count() <= 80), "{}", screen.stdout);
    assert!(screen.stdout.contains("data") && screen.stdout.contains("p99"), "{}", screen.stdout);
}

#[test]
fn a_recording_is_never_replaced_and_names_are_left_out_where_that_is_asked() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (disk, _device) = own_disk!(sandbox, 64 << 20);
    let file = sandbox.path("secret.sqio");
    let record = |file: &Path| {
        let mut secchi = sandbox.secchi("record --quiet --redact");
        secchi.arg("-o").arg(file).arg(format!("--role=data={}", disk.point.display()));
        secchi
            .words("-- dd if=/dev/zero bs=64k count=16 oflag=direct conv=fsync status=none")
            .arg(format!("of={}", disk.point.join("hidden").display()));
        secchi.run()
    };
    let ended = record(&file);
    if ended.code == 4 {
        skip!("{}", ended.stderr);
    }
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let (recording, _) = read(&file);
    let text = format!("{:?} {:?}", recording.header, recording.targets);
    assert!(
        !text.contains("hidden") && !text.contains("loop") && !text.contains(&*disk.point.to_string_lossy()),
        "{text}"
    );
    assert_eq!(of_role(&recording, "data", RequestKind::Write).iter().map(|r| r.bytes).sum::<u64>(), 1 << 20);
    record(&file).refuses(64, "never replaced");
    // A truncated recording is reported up to its last complete part.
    let bytes = std::fs::read(&file).expect("there");
    let cut = sandbox.path("cut.sqio");
    std::fs::write(&cut, &bytes[..bytes.len() - 5]).expect("written");
    let shown = needs(&sandbox, "--json").arg(&cut).run();
    assert_eq!(shown.code, 2, "{}", shown.stderr);
    assert!(shown.stderr.contains("is truncated at byte"), "{}", shown.stderr);
}

#[test]
fn a_killed_recording_keeps_what_was_written_before_its_last_second() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (disk, _device) = own_disk!(sandbox, 256 << 20);
    let file = sandbox.path("killed.sqio");
    let mut secchi = sandbox.secchi("record --quiet");
    secchi.arg("-o").arg(&file).arg(format!("--role=data={}", disk.point.display()));
    let words = "--direct=1 --ioengine=psync --size=32m --rw=randread --bs=4k --name=d --rate_iops=2000 --time_based --runtime=60";
    load(&mut secchi, &sandbox.path("own"), &disk.point, words);
    let running = secchi.start();
    // A few seconds of the recording: two thousand requests per second of some bytes each.
    let grown = || std::fs::metadata(&file).is_ok_and(|meta| meta.len() > 20_000);
    let said = || !running.stderr().is_empty();
    assert!(eventually(PATIENCE, || grown() || said()));
    if said() {
        let ended = running.wait(PATIENCE);
        assert_eq!(ended.code, 4, "{}", ended.stderr);
        skip!("{}", ended.stderr);
    }
    running.signal(rustix::process::Signal::KILL);
    running.wait(PATIENCE);
    let (recording, damage) = read(&file);
    assert!(matches!(damage, Some(RecordingError::Torn(_))), "{damage:?}");
    let reads = of_role(&recording, "data", RequestKind::Read).len();
    assert!(reads > 2000, "{reads}");
    assert!(recording.end.requests as usize == recording.requests.len());
    let shown = needs(&sandbox, "").arg(&file).run();
    assert_eq!(shown.code, 2, "{}", shown.stderr);
    // The recorded command keeps running: only this test knows about it.
    assert!(eventually(PATIENCE, || {
        let left = processes_about(&disk.point);
        for pid in &left {
            let pid = rustix::process::Pid::from_raw(*pid as i32).expect("a number");
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        left.is_empty()
    }));
}

#[test]
fn without_permission_it_is_said_and_no_file_is_left() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let Some(nobody) = as_nobody(&sandbox) else { return };
    let file = sandbox.data().join("none.sqio");
    let mut secchi = nobody("record --quiet --for 2s --store");
    let ended = secchi.arg(sandbox.store()).arg("-o").arg(&file).run();
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("trac"), "{}", ended.stderr);
    assert!(!file.exists(), "an empty recording is left");
}

/// Records the calls of secchi's own fio. Returns `None`, with a message, if recording is not possible here.
fn record_calls(sandbox: &Sandbox, file: &Path, words: &str) -> Option<String> {
    let mut secchi = sandbox.secchi("record --quiet --layer syscalls");
    secchi.arg("-o").arg(file).arg(format!("--role=data={}", sandbox.data().display()));
    load(&mut secchi, &sandbox.path("own"), &sandbox.data(), words);
    let ended = secchi.run();
    if ended.code == 4 {
        eprintln!("SKIPPED: {}", ended.stderr);
        return None;
    }
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    Some(ended.stderr)
}

/// Returns fio's own counts, and the 8 KiB blocks and flushes of the role in the recording.
fn counts_of(report: &Path, recording: &Recording) -> ([u64; 3], [u64; 3]) {
    let report: Value = serde_json::from_slice(&std::fs::read(report).expect("a report")).expect("a document");
    let job = &report["jobs"][0];
    let mut counted = ["read", "write", "sync"].map(|kind| job[kind]["total_ios"].as_u64().expect("a count"));
    // Before the load begins, dirty data is written back with one sync.
    counted[2] += 1;
    let requests = |kind| of_role(recording, "data", kind);
    let blocks = |kind| requests(kind).iter().filter(|r| r.bytes == 8192).count() as u64;
    (counted, [blocks(RequestKind::Read), blocks(RequestKind::Write), requests(RequestKind::Flush).len() as u64])
}

#[test]
fn calls_of_a_command_are_recorded_as_often_as_it_made_them_and_where() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (file, report) = (sandbox.path("calls.sqio"), sandbox.path("report.json"));
    // Lay out the file beforehand, because the layout flushes too.
    let mut layout = Secchi::new(&sandbox.path("home"));
    layout.words("fio --size=16m --rw=randrw --bs=8k --name=d --create_only=1 --store").arg(sandbox.path("own"));
    let laid_out = layout.arg(format!("--directory={}", sandbox.data().display())).run();
    assert_eq!(laid_out.code, 0, "{}", laid_out.stderr);
    for engine in ["psync", "sync", "pvsync2"] {
        let _ = std::fs::remove_file(&file);
        let words = format!(
            "--ioengine={engine} --size=16m --rw=randrw --bs=8k --name=d --fdatasync=16 --output-format=json --output={}",
            report.display()
        );
        let Some(_) = record_calls(&sandbox, &file, &words) else { return };
        let (recording, damage) = read(&file);
        assert!(damage.is_none() && recording.lost.is_empty(), "{damage:?} {:?}", recording.lost);
        assert_eq!(recording.header.layer, RecordedLayer::Syscalls);
        let (counted, recorded) = counts_of(&report, &recording);
        assert_eq!(recorded, counted, "{engine}");
        assert_eq!(counted[0] + counted[1], 2048);
        let blocks = recording.requests.iter().filter(|r| r.bytes == 8192 && r.latency.is_some());
        let data = blocks.filter(|r| recording.targets[usize::from(r.target)].role == "data");
        let mut places: Vec<u64> = data.map(|r| r.offset).collect();
        places.sort_unstable();
        // Each block once, located by the argument or by the file position.
        assert_eq!(places, (0..2048).map(|block| block * 8192).collect::<Vec<_>>(), "{engine}");
        let flushes = of_role(&recording, "data", RequestKind::Flush);
        assert!(flushes.iter().all(|r| r.flags.has(RequestFlags::SYNC.with(RequestFlags::DATA_ONLY)) && r.bytes == 0));
    }
    let shown = needs(&sandbox, "--json").arg(&file).run();
    let document: Value = serde_json::from_str(&shown.stdout).expect("a document");
    assert_eq!(document["layer"], "syscalls");
    assert!(document["doubts"].to_string().contains("recording-above-cache"), "{}", document["doubts"]);
}

#[test]
fn what_is_asked_by_rings_is_counted_and_told_as_unseen() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.path("ring.sqio");
    let Some(said) = record_calls(&sandbox, &file, "--ioengine=io_uring --size=1m --rw=randread --bs=4k --name=d")
    else {
        return;
    };
    if !said.contains("io_uring_enter") {
        skip!("no io_uring here: {said}");
    }
    assert!(said.contains("use --layer block"), "{said}");
    let (recording, _) = read(&file);
    let unseen = &recording.end.unseen[0];
    assert!(unseen.call == "io_uring_enter" && unseen.calls >= 256, "{unseen:?}");
    let shown = needs(&sandbox, "--json").arg(&file).run();
    assert!(shown.stdout.contains("recording-unseen"), "{}", shown.stdout);
}

#[test]
fn calls_of_a_process_that_runs_already_are_recorded_without_names_where_that_is_asked() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let data = sandbox.data();
    let made = data.join("hidden");
    let script = "n=0; while :; do echo 12345678; sleep 0.02; done > \"$1\"";
    let child = std::process::Command::new("sh").args(["-c", script, "sh"]).arg(&made).spawn();
    let mut child = child.expect("a shell");
    assert!(eventually(PATIENCE, || made.metadata().is_ok_and(|meta| meta.len() > 90)));
    let file = sandbox.path("pid.sqio");
    let mut secchi = sandbox.secchi("record --quiet --layer syscalls --redact --for 2s");
    secchi.arg("-o").arg(&file).arg(format!("--pid={}", child.id()));
    let ended = secchi.arg(format!("--role=data={}", data.display())).run();
    let _ = child.kill();
    let _ = child.wait();
    if ended.code == 4 {
        skip!("{}", ended.stderr);
    }
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let (recording, _) = read(&file);
    let mut writes = of_role(&recording, "data", RequestKind::Write);
    // One may be in flight at the end: its size is unknown.
    writes.retain(|r| r.latency.is_some());
    assert!(writes.len() > 2 && writes.iter().all(|r| r.bytes == 9), "{writes:?}");
    // The offsets continue from the file position at the start of the recording.
    assert!(writes[0].offset >= 90 && writes.windows(2).all(|pair| pair[1].offset == pair[0].offset + 9), "{writes:?}");
    let text = format!("{:?} {:?}", recording.header, recording.targets);
    assert!(!text.contains("hidden") && !text.contains(&*data.to_string_lossy()), "{text}");
}

#[test]
fn whose_calls_are_recorded_must_be_said_and_at_the_block_layer_they_are_nobodys() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let record = |words: &str| {
        let mut secchi = sandbox.secchi("record");
        secchi.arg("-o").arg(sandbox.path("none.sqio")).words(words).run()
    };
    record("--layer syscalls").refuses(64, "--layer syscalls needs a process");
    record("--pid 1").refuses(64, "add --layer syscalls");
    record("--layer syscalls --pid 4194304").refuses(64, "no such process");
    assert!(!sandbox.path("none.sqio").exists());
}

#[test]
fn recordings_of_other_tools_written_anew_ask_the_same() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let iolog = "fio version 3 iolog\n0 /d/a add\n0 /d/a open\n10 /d/a read 0 4096\n20 /d/a write 4096 4096\n1200021 /d/a sync 0 0\n";
    let biosnoop = "TIME(s)     COMM           PID    DISK      T SECTOR     BYTES  LAT(ms)\n\
                    0.000004    supervise      1950   vda       W 13092560   4096      0.74\n\
                    1.310001    my server      1950   vdb       R 800        8192     10.01\n";
    let blktrace = [
        blktrace_record(1001, 8, 4096, 7 | 1 << 16),
        blktrace_record(1777, 800, 8192, 7 | 1 << 16),
        blktrace_record(9503, 8, 4096, 8 | 1 << 16),
        blktrace_record(1_000_009_999, 800, 8192, 8 | 1 << 16),
    ];
    let files =
        [("iolog", iolog.as_bytes().to_vec()), ("bio", biosnoop.as_bytes().to_vec()), ("blk", blktrace.concat())];
    let asked = |file: &Path| {
        let shown = needs(&sandbox, "--json").arg(file).run();
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        let mut document: Value = serde_json::from_str(&shown.stdout).expect("a document");
        document.as_object_mut().expect("an object").remove("recording");
        document
    };
    let convert = |from: &Path, to: &Path, words: &str| {
        let mut secchi = sandbox.secchi("record");
        secchi.arg("-o").arg(to).arg("--from").arg(from).words(words).run()
    };
    for (name, bytes) in files {
        let (from, to) = (sandbox.path(name), sandbox.path(&format!("{name}.sqio")));
        std::fs::write(&from, bytes).expect("written");
        let ended = convert(&from, &to, "");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(ended.stdout.contains("requests in"), "{}", ended.stdout);
        assert_eq!(asked(&from), asked(&to), "{name}");
        convert(&from, &to, "").refuses(64, "never replaced");
    }
    let (bio, to) = (sandbox.path("bio"), sandbox.path("named.sqio"));
    convert(&bio, &to, "--role data=/srv/db").refuses(64, "it has vda, vdb");
    convert(&bio, &to, "--layer block").refuses(64, "--layer");
    convert(&sandbox.path("bio.sqio"), &to, "").refuses(64, "already a recording of secchi");
    assert!(!to.exists());
    let ended = convert(&bio, &to, "--role data=/dev/vda --redact");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let (recording, _) = read(&to);
    assert_eq!(recording.targets.iter().map(|t| t.role.as_str()).collect::<Vec<_>>(), ["data", UNMAPPED]);
    assert!(recording.targets.iter().all(|t| t.name.is_empty()));
}

#[test]
fn recordings_of_other_tools_are_read_and_what_is_none_is_refused() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.path("log");
    std::fs::write(&file, "fio version 3 iolog\n0 a add\n0 a open\n10 a read 0 4096\n20 a read 4096 4096\n")
        .expect("written");
    let shown = needs(&sandbox, "--json").arg(&file).run();
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let document: Value = serde_json::from_str(&shown.stdout).expect("a document");
    assert_eq!(
        (&document["layer"], &document["all"]["kinds"]["read"]["requests"]),
        (&Value::from("operations"), &Value::from(2))
    );
    std::fs::write(&file, "hello\n").expect("written");
    needs(&sandbox, "").arg(&file).run().refuses(64, "it is not a recording");
    std::fs::write(&file, "fio version 3 iolog\n0 a dance 1 2\n").expect("written");
    needs(&sandbox, "").arg(&file).run().refuses(64, "line 2: `dance` is not an iolog action");
}
