//! `secchi db --engine model`: its counts equal the kernel's for each role; meaningless options are refused by name.

use crate::db::{Base, ops};
use crate::support::{Ended, Run, alone, beside, loop_and_ext4, skip};
use model::Op;
use model::measured::{DatabaseUse, FileRole, RoleSource};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn counter(used: &DatabaseUse, name: &str) -> f64 {
    used.counters.iter().find(|(n, _)| n == name).map_or(0.0, |(_, value)| *value)
}

#[test]
fn what_has_no_meaning_is_refused_by_name_before_anything_is_made() {
    let base = Base::within("data");
    let refused = |words: &str, needles: &[&str]| {
        let ended = base.db("setup", words);
        assert_eq!(ended.code, 64, "{words}: {}", ended.stderr);
        assert!(needles.iter().all(|needle| ended.stderr.contains(needle)), "{words}: {}", ended.stderr);
        assert!(!base.at.exists(), "{words}: something was made");
    };
    refused("--engine model", &["needs --profile", "iris"]);
    refused("--engine model --profile postgrse", &["did you mean `postgres`?"]);
    refused("--profile iris", &["--profile requires --engine model", "sqlite"]);
    refused("--engine sqlite --image /tmp", &["--image requires --engine model"]);
    refused("--engine model --profile postgres --image /tmp", &["--image", "no image journal"]);
    let profile = base.sandbox.path("own.toml");
    std::fs::write(&profile, "profile = \"own\"\nsize = 1\n").expect("a file");
    refused(&format!("--engine model --profile {}", profile.display()), &["own.toml", "size"]);
}

#[test]
fn nodes_with_names_are_refused() {
    let base = match Base::set_up("model --profile postgres", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    let ended = base.db("create-globals", "-g 1 -s 100 --node-depth 2");
    assert!(ended.code == 3 && ended.stderr.contains("integer subscripts only"), "{}", ended.stderr);
}

/// Returns the writes and the bytes written to a block device so far.
fn written(device: &Path) -> (u64, u64) {
    let name = device.file_name().expect("a device").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(format!("/sys/block/{name}/stat")).expect("its counts");
    let counts: Vec<u64> = text.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    (counts[4], counts[6] * 512)
}

#[test]
fn each_role_on_a_device_of_its_own_is_counted_as_the_device_counts_it() {
    let _alone = alone();
    let base = Base::within("data");
    let disk =
        |name: &str| loop_and_ext4(&base.sandbox.path(&format!("{name}.image")), 1 << 30, &base.sandbox.path(name));
    let disks: Result<Vec<_>, String> = ["d", "j", "w"].iter().map(|name| disk(name)).collect();
    let disks = match disks {
        Ok(disks) => disks,
        Err(why) => skip!("{why}"),
    };
    let at = |i: usize| disks[i].0.point.display().to_string();
    let words = format!("--profile iris --data {} --journal {} --image {}", at(0), at(1), at(2));
    if let Err(why) = base.make("model", &words) {
        skip!("{why}");
    }
    base.run_ok("create-globals", "-g 2 -s 20000");
    let before: Vec<_> = disks.iter().map(|(_, device)| written(&device.path)).collect();
    let run = base.measured("ranwrite", "-p 2 -t 3 --write-back 1s");
    let used = run.record.database().expect("a database");
    for (i, role) in [FileRole::Data, FileRole::Journal, FileRole::Image].into_iter().enumerate() {
        let counts = used.roles.iter().find(|r| r.role == role).expect("counted");
        let now = written(&disks[i].1.path);
        let name = disks[i].1.path.file_name().expect("a name").to_string_lossy().into_owned();
        let by_device = matches!(&counts.source, RoleSource::Devices { devices, .. } if *devices == name);
        assert!(by_device, "{counts:?}");
        let (writes, bytes) = (counts.writes.expect("writes"), counts.write_bytes.expect("bytes"));
        assert!(writes > 0 && writes <= now.0 - before[i].0, "{counts:?}, {:?} to {now:?}", before[i]);
        assert!(bytes > 0 && bytes <= now.1 - before[i].1, "{counts:?}, {:?} to {now:?}", before[i]);
    }
    // Every page is written to the image journal and then to its place, with direct I/O, so the requested bytes reach
    // the device.
    let role = |role| used.roles.iter().find(|r| r.role == role).and_then(|r| r.write_bytes).expect("bytes");
    let pages = counter(used, "pages_written_by_daemon") * 8192.0;
    let near = |bytes: u64| (bytes as f64 - pages).abs() <= 0.1 * pages + 2_000_000.0;
    assert!(near(role(FileRole::Data)) && near(role(FileRole::Image)), "{pages} bytes of pages, {:?}", used.roles);
    assert!(used.phases.iter().any(|p| p.name == "write daemon cycle"), "{:?}", used.phases);
    assert!(run.judgement.caveats.iter().any(|c| c.id == "figures-of-a-model"), "{:?}", run.judgement.caveats);
    assert_eq!(base.db("purge", "").code, 0);
    for i in 0..3 {
        let left: Vec<_> = std::fs::read_dir(at(i)).expect("the disk").flatten().map(|e| e.file_name()).collect();
        assert!(left.iter().all(|name| name == "lost+found"), "{left:?}");
    }
}

#[test]
fn commits_are_made_durable_as_often_as_it_says() {
    let _beside = beside();
    let base = match Base::set_up("model --profile postgres", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 2000");
    let out = base.sandbox.path("calls.txt");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-qq", "-e", "trace=fdatasync", "-o"]).arg(&out);
    strace.arg(env!("CARGO_BIN_EXE_secchi")).args(["db", "ranwrite"]).arg(&base.at);
    strace.args(["-p", "2", "-n", "20000", "--pause", "0", "--write-back", "1h", "--json", "--store"]);
    strace.arg(base.sandbox.store()).env("HOME", base.sandbox.path("home"));
    let started = Instant::now();
    let output = match strace.output() {
        Ok(output) => output,
        Err(why) => skip!("no system calls can be traced: strace: {why}"),
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ended = Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        took: started.elapsed(),
    };
    if ended.stderr.contains("ptrace") {
        skip!("no system calls can be traced: {}", ended.stderr);
    }
    assert!(ended.code == 0 || ended.starved(), "{}{}", ended.stdout, ended.stderr);
    let run: Run = ended.json();
    assert_eq!((ops(&run, Op::Write), ops(&run, Op::Flush)), (40_000, 800));
    let used = run.record.database().expect("a database");
    let journal = used.roles.iter().find(|r| r.role == FileRole::Journal).and_then(|r| r.flushes).expect("counted");
    let calls = std::fs::read_to_string(&out).expect("what was traced");
    let seen =
        calls.lines().filter(|l| l.contains("fdatasync(") && l.contains(".journal>") && !l.contains("/runs/")).count()
            as u64;
    let shared = counter(used, "commits_by_a_shared_sync");
    // Work before and after the measured time also syncs.
    assert_eq!(counter(used, "commits"), 800.0);
    assert!(journal <= seen && seen <= journal + 16, "{journal} told, {seen} seen");
    assert!(journal <= 800 && journal as f64 + shared >= 800.0, "{journal} syncs, {shared} shared");
}
