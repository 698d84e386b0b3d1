//! Targets that must be refused or reported with a warning, and must not change by a bit (docs/design/safety.md,
//! "Targets"; docs/design/storage.md, "Caches and memory").

use crate::support::{
    Loop, Mounted, Sandbox, Tmpfs, Zram, beside, is_root, loop_and_ext4, names_in, own_disk, print_of, skip, tool,
};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

const READ: &str = "--patterns randread --bs 8k --max-depth 2";

/// Writes a user's file with contents.
fn users_file(path: &Path, size: u64) {
    let mut file = File::create_new(path).expect("a new file");
    let block: Vec<u8> = (0..1_u32 << 18).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    for _ in 0..size >> 20 {
        file.write_all(&block).expect("room on the disk");
    }
    file.sync_all().expect("the disk takes it");
}

#[test]
fn a_file_of_the_users_is_never_touched_and_read_only_if_asked() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.data().join("precious.db");
    users_file(&file, 64 << 20);
    let before = print_of(&file);
    sandbox.qualify(&file, READ).run().refuses(3, "--adopt");
    sandbox.qualify(&file, "--patterns randwrite").run().refuses(3, "--adopt");
    sandbox.qualify(&file, "--adopt --patterns randwrite").run().refuses(64, "--adopt");
    sandbox
        .qualify(&file, "--adopt --size 1g")
        .arg("--patterns")
        .arg("randread")
        .run()
        .refuses(64, "secchi never extends it");
    assert_eq!(print_of(&file), before);

    let ended = sandbox.qualify(&file, READ).words("--adopt --json").run();
    ended.measured();
    let run = ended.json();
    crate::whole_run::adds_up(&run);
    assert_eq!(run.record.fill, None);
    assert!(run.record.steps.iter().all(|s| !s.job.workload.mix.writes()));
    assert_eq!(print_of(&file), before, "reading leaves even the times as they were");
    assert_eq!(names_in(&sandbox.data()), ["precious.db"]);
}

#[test]
fn what_was_never_written_is_not_read_as_if_it_were() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let sparse = sandbox.data().join("sparse");
    File::create_new(&sparse).and_then(|f| f.set_len(256 << 20)).expect("a sparse file");
    let promised = sandbox.data().join("promised");
    let file = File::create_new(&promised).expect("a new file");
    if rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, 256 << 20).is_err() {
        skip!("this file system cannot allocate without writing");
    }
    // A single written block does not make the rest written.
    file.write_all_at(&[7; 8192], 1 << 20).expect("room on the disk");
    file.sync_all().expect("the disk takes it");
    for path in [&sparse, &promised] {
        let before = print_of(path);
        let ended = sandbox.qualify(path, READ).arg("--adopt").run();
        ended.refuses(3, "never written");
        assert!(ended.stderr.contains("creates and fills a test file in it"), "an offer: {}", ended.stderr);
        assert_eq!(print_of(path), before);
    }
    assert_eq!(names_in(&sandbox.data()), ["promised", "sparse"]);
}

#[test]
fn on_tmpfs_no_device_is_claimed() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mounted = match Tmpfs::mount(&sandbox.path("memory"), "1300m") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    is_told_as_memory(&sandbox, &mounted.point, "tmpfs keeps its files in memory");
    assert_eq!(names_in(&mounted.point), Vec::<String>::new());
}

/// Asserts that a measurement in memory is reported as invalid by every command: no need is met, and no figure is
/// valid.
fn is_told_as_memory(sandbox: &Sandbox, dir: &Path, reason: &str) {
    let need = ["--need", "8k randread: iops>=1"];
    let junit = sandbox.path("junit.xml");
    let ended = sandbox
        .qualify(dir, READ)
        .words("--size 64m --json")
        .arg(need[0])
        .arg(need[1])
        .arg("--junit")
        .arg(&junit)
        .run();
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    let run = ended.json();
    let invalid = run.judgement.caveats.iter().find(|c| c.id == "memory-backed").expect("it is said");
    assert_eq!((invalid.severity, invalid.evidence.as_str()), (model::Severity::Invalid, reason));
    assert_eq!(run.judgement.needs[0].outcome, model::judged::Outcome::Undecided, "{:?}", run.judgement.needs);
    if run.judgement.verdict.starts_with("not valid: no I/O was done") {
        skip!("the machine was too busy: the load did not get a CPU");
    }
    assert!(
        run.judgement.verdict.starts_with("not valid: memory was measured, not storage"),
        "{}",
        run.judgement.verdict
    );
    for pattern in &run.judgement.patterns {
        assert!(pattern.levels.iter().all(|l| l.struck.is_some()), "{:?}", pattern.levels);
    }
    let report = std::fs::read_to_string(&junit).expect("the JUnit report");
    assert!(report.contains(r#"failures="0" errors="1""#), "{report}");
    let id = run.record.id;
    let judged = sandbox.secchi("judge").arg(&id).arg(need[0]).arg(need[1]).run();
    assert_eq!(judged.code, 2, "{}{}", judged.stdout, judged.stderr);
    assert!(
        judged.stdout.contains("UNDECIDED") && judged.stdout.contains("the figures are not valid"),
        "{}",
        judged.stdout
    );
    let page = sandbox.secchi("report").arg(&id).words("-f markdown").run();
    assert!(page.stdout.contains("memory was measured, not storage"), "{}", page.stdout);
    let listed = sandbox.secchi("runs").words("--where exit=2 --json").run();
    assert!(listed.stdout.contains(&id), "{}", listed.stdout);

    let mark =
        sandbox.secchi("mark").arg(dir).words("--size 64m --loops 1 --time 1s --test SEQ1MQ1T1 --only read").run();
    assert_eq!(mark.code, 2, "{}{}", mark.stdout, mark.stderr);
    assert!(mark.stdout.contains("memory was measured, not storage"), "{}", mark.stdout);
    let job = format!("--name=r --directory={} --size=8m --rw=randread --bs=8k --unlink=1", dir.display());
    let fio = sandbox.secchi("fio").words(&job).run();
    assert_eq!(fio.code, 0, "every job ran: {}", fio.stderr);
    assert!(fio.stdout.contains("INVALID: memory was measured, not storage"), "{}", fio.stdout);
}

#[test]
fn devices_in_memory_are_told_as_memory() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let memory = match Tmpfs::mount(&sandbox.path("memory"), "1300m") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    let image = memory.point.join("image");
    let (mounted, device) = match loop_and_ext4(&image, 1200 << 20, &sandbox.path("disk")) {
        Ok(both) => both,
        Err(why) => skip!("{why}"),
    };
    let name = device.path.file_name().and_then(|n| n.to_str()).expect("a loop device").to_owned();
    let reason = format!("{name} is backed by memory: its file {} is on tmpfs", image.display());
    is_told_as_memory(&sandbox, &mounted.point, &reason);
}

#[test]
fn an_overlay_on_memory_is_told_as_memory() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let memory = match Tmpfs::mount(&sandbox.path("memory"), "1300m") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    let dir = |name: &str| {
        let dir = memory.point.join(name);
        std::fs::create_dir(&dir).expect("room in memory");
        dir.display().to_string()
    };
    let options = format!("lowerdir={},upperdir={},workdir={}", dir("lower"), dir("upper"), dir("work"));
    let words: [&OsStr; 5] =
        ["-t".as_ref(), "overlay".as_ref(), "-o".as_ref(), options.as_ref(), "secchi-e2e".as_ref()];
    let mounted = match Mounted::new(&words, &sandbox.path("merged")) {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    let reason = format!("the overlay writes to {} on tmpfs, which is in memory", memory.point.display());
    is_told_as_memory(&sandbox, &mounted.point, &reason);
    drop(mounted);
}

#[test]
fn compressed_memory_is_told_as_memory() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let zram = match Zram::new("1300M") {
        Ok(zram) => zram,
        Err(why) => skip!("{why}"),
    };
    let device = zram.path();
    if let Err(why) = tool("mkfs.ext4", &["-q".as_ref(), "-F".as_ref(), device.as_os_str()]) {
        skip!("{why}");
    }
    let mounted = match Mounted::new(&[device.as_os_str()], &sandbox.path("disk")) {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    is_told_as_memory(&sandbox, &mounted.point, &format!("{} is compressed memory (zram)", zram.name()));
    drop(mounted);
}

#[test]
fn a_nearly_full_disk_is_refused_before_anything_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mounted = match Tmpfs::mount(&sandbox.path("small"), "64m") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    let ended = sandbox.qualify(&mounted.point, READ).words("--size 62m").run();
    ended.refuses(3, "62 MiB of test data");
    assert!(ended.stderr.contains("are free on tmpfs, and 3.20 MiB of them must stay free"), "{}", ended.stderr);
    assert!(ended.stderr.contains("use at most"), "{}", ended.stderr);
    assert_eq!(names_in(&mounted.point), Vec::<String>::new());

    let (mounted, _device) = own_disk!(sandbox, 512 << 20);
    let before = names_in(&mounted.point);
    sandbox.qualify(&mounted.point, READ).words("--size 480m").run().refuses(3, "must stay free");
    assert_eq!(names_in(&mounted.point), before);
    assert_eq!(sandbox.newest().map(|r| r.record.id), None, "what was refused is no run");
}

#[test]
fn a_mounted_device_is_refused_under_every_name() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let image = sandbox.path("image");
    let (mounted, device) = match loop_and_ext4(&image, 128 << 20, &sandbox.path("disk")) {
        Ok(both) => both,
        Err(why) => skip!("{why}"),
    };
    users_file(&mounted.point.join("precious"), 8 << 20);
    let before = print_of(&mounted.point.join("precious"));
    let link = sandbox.path("link");
    std::os::unix::fs::symlink(&device.path, &link).expect("a link");
    let word = format!("{}:{}", device.path.display(), 128 << 20);
    for name in [&device.path, &link] {
        for words in ["--patterns randread", "--patterns randwrite"] {
            let mut secchi = sandbox.secchi("qualify");
            secchi.arg("--device").arg(name).words(words);
            if words.contains("write") {
                secchi.arg("--destroy").arg(&word);
            }
            let ended = secchi.run();
            assert_eq!((ended.code, ended.stdout.as_str()), (3, ""), "{words}: {}", ended.stderr);
        }
    }
    // The backing file of the device.
    sandbox.qualify(&image, "--patterns randread --adopt").run().refuses(3, "");
    assert_eq!(print_of(&mounted.point.join("precious")), before);
    let check = |d: &Loop| tool("e2fsck", &["-n".as_ref(), "-f".as_ref(), d.path.as_os_str()]);
    drop(mounted);
    check(&device).expect("the file system is whole");
}

#[test]
fn an_unmounted_device_is_read_and_only_overwritten_with_its_word() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let device = match Loop::new(&sandbox.path("image"), 128 << 20) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let made = tool("mkfs.ext4", &["-q".as_ref(), "-F".as_ref(), device.path.as_os_str()]);
    made.expect("a file system on our own image");
    // Read from the device, because the backing file may be written back late.
    let contents = |d: &Loop| std::fs::read(&d.path).expect("our loop device can be read");
    let before = contents(&device);
    let named = |words: &str| {
        let mut secchi = sandbox.secchi("qualify --json --max-depth 2");
        secchi.arg("--device").arg(&device.path).words(words);
        secchi
    };
    sandbox.qualify(&device.path, READ).run().refuses(64, "--device");
    named("--patterns randwrite").run().refuses(64, "randwrite");
    named("--patterns randwrite --destroy WRONG").run().refuses(3, "");
    assert!(contents(&device) == before, "a device refused is a device untouched");

    let ended = named("--patterns randread --bs 8k").run();
    assert!(ended.code == 0 || ended.code == 2, "{}", ended.stderr);
    crate::whole_run::adds_up(&ended.json());
    assert!(contents(&device) == before, "reading changes nothing");

    let word = format!("{}:{}", device.path.display(), 128 << 20);
    let mut destroy = named("--patterns randwrite --bs 8k");
    destroy.arg("--destroy").arg(&word);
    let refused = destroy.run();
    refused.refuses(3, "--yes");
    assert!(contents(&device) == before);
    let ended = destroy.arg("--yes").run();
    assert!(ended.code == 0 || ended.code == 2, "{}", ended.stderr);
    crate::whole_run::adds_up(&ended.json());
    assert!(contents(&device) != before, "now it is overwritten");
}

#[test]
fn two_runs_on_one_target_disturb_nobody() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut first = sandbox.qualify(sandbox.data(), READ).words("--size 64m --json").start();
    first.wait_for_message("8k randread");
    let dat = names_in(&sandbox.data()).into_iter().find(|n| n.ends_with(".dat")).expect("the first has its file");
    let file = sandbox.data().join(dat);
    let second = sandbox.qualify(&file, READ).run();
    second.refuses(3, "--share");
    let first = first.wait(Duration::from_secs(600));
    first.measured();
    crate::whole_run::adds_up(&first.json());
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
}

#[test]
fn a_read_only_mount_is_said_to_be_one() {
    let _beside = beside();
    if !is_root() {
        skip!("not root: nothing can be mounted");
    }
    let sandbox = Sandbox::new();
    let words: [&OsStr; 4] = ["-t".as_ref(), "tmpfs".as_ref(), "-o".as_ref(), "size=1300m".as_ref()];
    let mut words = words.to_vec();
    words.push("secchi-e2e".as_ref());
    let mounted = match Mounted::new(&words, &sandbox.path("sealed")) {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    mounted.remount("ro");
    sandbox.qualify(&mounted.point, READ).words("--size 64m").run().refuses(4, "read-only");
}
