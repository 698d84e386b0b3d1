//! Recordings of a running system: each request once, by role, against the kernel's own counts; what is asked, as needs; files that
//! break off; other tools' recordings.

use crate::support::{PATIENCE, Sandbox, Secchi, as_nobody, beside, eventually, own_disk, processes_about, skip};
use model::{Bytes, RecordedRequest, Recording, RequestKind, UNMAPPED};
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

/// Words of a load on files below a directory, to stand behind `--`.
fn load(secchi: &mut Secchi, store: &Path, directory: &Path, words: &str) {
    secchi.arg("--").arg(env!("CARGO_BIN_EXE_secchi")).words("fio --store").arg(store);
    secchi.arg(format!("--directory={}", directory.display())).words(words);
}

#[test]
fn every_request_is_recorded_once_and_its_needs_are_those_of_the_load() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (disk, _device) = own_disk!(sandbox, 1 << 30);
    for directory in ["db", "wal"] {
        std::fs::create_dir(disk.point.join(directory)).expect("made");
    }
    let file = sandbox.path("db.sqio");
    let mut secchi = sandbox.secchi("record --quiet");
    secchi.arg("-o").arg(&file).arg(format!("--role=data={}", disk.point.join("db").display()));
    secchi.arg(format!("--role=journal={}", disk.point.join("wal").display()));
    let words = "--direct=1 --ioengine=io_uring --iodepth=4 --size=32m --rw=randrw --bs=8k --name=d --rate_iops=3000 \
                 --io_size=96000k --norandommap";
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
    let own = reads.iter().chain(&writes).filter(|r| r.bytes == 8192);
    // Its own layout of the file is of larger requests.
    let all = own.count();
    assert!((12000..12010).contains(&all), "of 12,000 operations of 8 KiB {all} were recorded");
    assert!((5800..6200).contains(&reads.len()), "{}", reads.len());
    assert!(recording.requests.iter().all(|r| r.latency.is_some() && r.offset + r.bytes <= 1 << 30));
    assert!(recording.requests.is_sorted_by_key(|r| r.at));
    assert_eq!(recording.end.requests, recording.requests.len() as u64);
    assert!(recording.targets.iter().any(|t| t.role == "data" && t.size == Bytes::from_mib(1024) && t.sector == 512));
    assert!(recording.targets.iter().all(|t| ["data", "journal", UNMAPPED].contains(&t.role.as_str())));

    let mut secchi = needs(&sandbox, "--json");
    let contract = sandbox.path("need.toml");
    let told = secchi.arg(&file).arg("-o").arg(&contract).run();
    assert_eq!(told.code, 0, "{}", told.stderr);
    let told: Value = serde_json::from_str(&told.stdout).expect("a document");
    let data = told["roles"].as_array().expect("roles").iter().find(|r| r["role"] == "data").expect("data");
    assert_eq!(data["kinds"]["read"]["requests"], reads.len() as u64);
    assert_eq!(data["kinds"]["read"]["sizes"][0]["bytes"], 8192);
    let text = std::fs::read_to_string(&contract).expect("a contract");
    assert!(text.contains("mode = \"randrw\"") && text.contains("mix = \""), "{text}");
    // The contract is one that a candidate can be held against.
    let plan = sandbox.qualify(sandbox.data(), "--plan --need").arg(&contract).run();
    assert_eq!(plan.code, 0, "{}", plan.stderr);
    // A screen, in eighty columns.
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
    // One that breaks off is told up to there.
    let bytes = std::fs::read(&file).expect("there");
    let cut = sandbox.path("cut.sqio");
    std::fs::write(&cut, &bytes[..bytes.len() - 5]).expect("written");
    let told = needs(&sandbox, "--json").arg(&cut).run();
    assert_eq!(told.code, 2, "{}", told.stderr);
    assert!(told.stderr.contains("breaks off at byte"), "{}", told.stderr);
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
    // The size of some seconds of it: two thousand requests a second of some bytes each.
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
    let told = needs(&sandbox, "").arg(&file).run();
    assert_eq!(told.code, 2, "{}", told.stderr);
    // What it was made around lives on: nobody but us knows of it.
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

#[test]
fn recordings_of_other_tools_are_read_and_what_is_none_is_refused() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.path("log");
    std::fs::write(&file, "fio version 3 iolog\n0 a add\n0 a open\n10 a read 0 4096\n20 a read 4096 4096\n")
        .expect("written");
    let told = needs(&sandbox, "--json").arg(&file).run();
    assert_eq!(told.code, 0, "{}", told.stderr);
    let told: Value = serde_json::from_str(&told.stdout).expect("a document");
    assert_eq!(
        (&told["layer"], &told["all"]["kinds"]["read"]["requests"]),
        (&Value::from("operations"), &Value::from(2))
    );
    std::fs::write(&file, "hello\n").expect("written");
    needs(&sandbox, "").arg(&file).run().refuses(64, "it is no recording");
    std::fs::write(&file, "fio version 3 iolog\n0 a dance 1 2\n").expect("written");
    needs(&sandbox, "").arg(&file).run().refuses(64, "line 2: `dance` is no action");
}
