//! Storage that fails during a measurement: errors, a full disk, hangs (docs/design/safety.md, "I/O errors" and
//! "Hangs"; docs/design/goals.md, "Reliability", G10).

use crate::db::Base;
use crate::support::{
    Loop, Mounted, OwnDisk, PATIENCE, Run, Running, Sandbox, Secchi, Tmpfs, beside, command_in, eventually, is_root,
    loop_and_ext4, names_in, own_disk, processes_about, processes_in, skip, tool,
};
use model::{RunState, judged::Outcome};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn io_errors_in_the_middle_are_counted_and_never_pass() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let backing = sandbox.path("image");
    let device = match Loop::new(&backing, 128 << 20) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let mut secchi = sandbox.secchi("qualify --patterns randread --bs 8k --max-depth 2 --effort standard --json");
    secchi.arg("--need").arg("8k randread: iops>=1").arg("--device").arg(&device.path);
    let mut running = secchi.start();
    running.wait_for_message("8k randread, 1 in flight");
    sandbox.wait_until_measured(&running);
    File::options().write(true).open(&backing).and_then(|f| f.set_len(1 << 20)).expect("the image is cut");
    let ended = running.wait(PATIENCE);
    assert!(ended.code == 2 || ended.code == 5, "{}: {}", ended.code, ended.stderr);
    let run = ended.json();
    assert_eq!(run.record.state, RunState::Failed, "{}", run.record.reason);
    assert_ne!(run.judgement.outcome, Outcome::Pass);
    let end = run.record.steps.last().and_then(|s| s.end.as_ref()).expect("the step is closed");
    assert!(end.failed > 0 && end.completed > 0, "{end:?}");
    assert!(run.record.reason.contains("Input/output error"), "{}", run.record.reason);
    crate::whole_run::adds_up(&run);
    assert_eq!(sandbox.newest().expect("it is kept"), run);
}

#[test]
fn a_fill_without_room_ends_with_the_size_reached() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    // A disk that reports more space than its backing storage has.
    let small = match Tmpfs::mount(&sandbox.path("small"), "256m") {
        Ok(small) => small,
        Err(why) => skip!("{why}"),
    };
    let (disk, _device) = match loop_and_ext4(&small.point.join("image"), 4 << 30, &sandbox.path("disk")) {
        Ok(both) => both,
        Err(why) => skip!("{why}"),
    };
    let before = names_in(&disk.point);
    let ended = sandbox.qualify(&disk.point, "--patterns randread --size 1g --yes --json --bs 8k").run();
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    let run = ended.json();
    assert_eq!(run.record.state, RunState::Failed);
    assert!(run.record.reason.contains("the fill stopped after"), "{}", run.record.reason);
    assert!(run.record.steps.is_empty(), "nothing is measured on a file that is not filled");
    assert_ne!(run.judgement.outcome, Outcome::Pass);
    let after = names_in(&disk.point);
    assert!(after == before || ended.stderr.contains("could not be removed"), "{after:?}: {}", ended.stderr);
}

/// Options of the runs on devices that hang: long enough even on a slow machine.
const LONG: &str = "--bs 8k --max-depth 2 --size 64m --effort standard --hang 2s --json";

/// Waits for a run whose device hangs, and returns its partial result.
fn ends_as_hung(running: Running) -> (Run, String) {
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    let run = ended.json();
    assert_eq!(run.record.state, RunState::Hung, "{}", run.record.reason);
    let end = run.record.steps.last().and_then(|s| s.end.as_ref()).expect("the step is closed");
    assert!(end.pending > 0, "{end:?}");
    assert!(end.pending_ages.iter().any(|age| age.secs() >= 1.9), "ages of what did not come back: {end:?}");
    assert!(run.record.reason.contains("never completed"), "{}", run.record.reason);
    assert_ne!(run.judgement.outcome, Outcome::Pass);
    (run, ended.stderr)
}

/// Asserts that no process continues I/O once the device responds again.
fn no_orphans(about: &Path) {
    let gone = eventually(PATIENCE, || processes_about(about).is_empty());
    assert!(gone, "orphans: {:?}", processes_about(about));
}

#[test]
fn a_device_that_stops_answering_reads_ends_the_run_with_a_partial_result() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let disk = match OwnDisk::at(&sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    for engine in ["io_uring", "libaio", "psync"] {
        let words = format!("--patterns randread {LONG} --engine {engine}");
        let mut running = sandbox.qualify(disk.point(), &words).inside(disk.group.path()).start();
        running.wait_for_message("8k randread, 1 in flight");
        sandbox.wait_until_measured(&running);
        disk.group.cap_reads(0, 1);
        let (run, _) = ends_as_hung(running);
        disk.group.lift();
        no_orphans(disk.point());
        assert_eq!(sandbox.newest().expect("it is kept"), run, "{engine}");
    }
}

/// A thread blocked in a read holds its file, so the run must end without touching it. Previously the work at the end
/// of a job waited for that thread until the supervisor gave up the process half a minute later.
#[test]
fn jobs_that_hang_in_their_own_reads_end_at_their_limit() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let disk = match OwnDisk::at(&sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    let file = disk.point().join("v");
    for engine in ["psync", "pvsync2", "posixaio", "libaio"] {
        let words = format!(
            "fio --name=a --filename={} --size=16m --rw=randread --bs=4k --direct=1 --ioengine={engine} --time_based \
             --runtime=60 --hang=2s",
            file.display()
        );
        let made = sandbox.secchi(&format!("{words} --create_only=1")).run();
        assert_eq!(made.code, 0, "{engine}: {}", made.stderr);
        let before = disk.group.reads();
        let running = sandbox.secchi(&words).inside(disk.group.path()).start();
        // More than the reads needed to inspect the file.
        assert!(
            eventually(PATIENCE, || disk.group.reads() > before + 100),
            "{engine}: nothing is read: {}",
            running.stderr()
        );
        sandbox.wait_until_measured(&running);
        disk.group.cap_reads(0, 1);
        let ended = running.wait(PATIENCE);
        disk.group.lift();
        assert_eq!(ended.code, 5, "{engine}: {}", ended.stderr);
        // The run itself reports it, not the supervisor.
        assert!(ended.stderr.contains("operations in a"), "{engine}: {}", ended.stderr);
        no_orphans(disk.point());
    }
}

/// A thread in the kernel keeps the descriptors of its process open: previously `secchi ... | tee log` ended only when
/// the disk recovered.
#[test]
fn what_a_hung_run_writes_into_a_pipe_comes_to_its_end() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let disk = match OwnDisk::at(&sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    let words = format!(
        "fio --name=a --filename={} --size=16m --rw=randread --bs=4k --direct=1 --ioengine=psync --time_based --runtime=60 \
         --hang=2s --store={}",
        disk.point().join("v").display(),
        sandbox.store().display()
    );
    let before = disk.group.reads();
    let mut running = command_in(&[disk.group.path().to_owned()], env!("CARGO_BIN_EXE_secchi"))
        .args(words.split_whitespace())
        .env("HOME", sandbox.path("home"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("secchi starts");
    assert!(eventually(PATIENCE, || disk.group.reads() > before + 100), "nothing is read");
    disk.group.cap_reads(0, 1);
    let mut pipe = running.stdout.take().expect("it is a pipe");
    let (end, met) = std::sync::mpsc::channel();
    let reading = std::thread::spawn(move || end.send(std::io::read_to_string(&mut pipe)));
    let met = met.recv_timeout(PATIENCE);
    disk.group.lift();
    let _ = reading.join();
    assert_eq!(running.wait().expect("it ends").code(), Some(5));
    met.expect("the end of its output comes while its disk hangs").expect("it is text");
    no_orphans(disk.point());
}

/// Previously the process counted as alive while files were prepared, even if no operation completed.
#[test]
fn files_that_are_laid_out_on_a_disk_that_hangs_end_at_their_limit() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let disk = match OwnDisk::at(&sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    // Slow enough that it hangs in the middle.
    disk.group.cap_writes(0, 20 << 20);
    let words =
        format!("fio --name=a --directory={} --size=800m --rw=randread --bs=4k --hang=2s", disk.point().display());
    let running = sandbox.secchi(&words).inside(disk.group.path()).start();
    let file = disk.point().join("a.0.0");
    assert!(eventually(PATIENCE, || file.exists()), "the file was never begun: {}", running.stderr());
    let before = disk.group.written();
    let begun = eventually(PATIENCE, || disk.group.written() > before + (1 << 20));
    assert!(begun, "nothing of the file is written: {}", running.stderr());
    disk.group.hang();
    let ended = running.wait(PATIENCE);
    disk.group.lift();
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    assert!(ended.stderr.contains("laying out files hangs"), "said by the run itself: {}", ended.stderr);
    let kept = sandbox.newest().expect("it is kept").record;
    assert_eq!(kept.state, RunState::Hung, "{}", kept.reason);
    no_orphans(disk.point());
}

#[test]
fn a_disk_that_hangs_under_program_and_store_too_ends_the_run_with_a_partial_result() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let disk = match OwnDisk::at(&sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    let (program, data, store) = (disk.point().join("secchi"), disk.point().join("data"), disk.point().join("store"));
    std::fs::create_dir(&data).expect("a directory on our disk");
    std::fs::copy(env!("CARGO_BIN_EXE_secchi"), &program).expect("room on our disk");
    let program_file = File::open(&program).expect("it was just made");
    program_file.sync_all().expect("our disk takes it");
    let mut secchi = Secchi::new(&disk.point().join("home"));
    secchi.program(&program).arg("qualify").arg(&data).arg("--store").arg(&store);
    secchi.words("--patterns randread").words(LONG).inside(disk.group.path());
    let mut running = secchi.start();
    running.wait_for_message("8k randread, 1 in flight");
    // The run store is on that disk as well.
    let runs = || std::fs::read_dir(store.join("runs")).expect("the journal is there").flatten();
    let journaled = || runs().filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum::<u64>();
    let begun = journaled();
    assert!(eventually(PATIENCE, || journaled() > begun), "nothing is measured: {}", running.stderr());
    disk.group.hang();
    // Simulate memory pressure: pages of the program that are not locked would have to be read again.
    rustix::fs::fadvise(&program_file, 0, None, rustix::fs::Advice::DontNeed).expect("advice is always taken");
    let (run, said) = ends_as_hung(running);
    assert!(said.contains("the disk of the run store does not respond"), "{said}");
    disk.group.lift();
    no_orphans(disk.point());
    let mut runs = Secchi::new(&sandbox.path("home"));
    let kept = runs.words("show --json").arg(&run.record.id).arg("--store").arg(&store).run();
    assert_eq!(kept.code, 0, "what had come to the disk can be read: {}", kept.stderr);
    let kept = kept.json().record;
    assert_eq!(kept.id, run.record.id);
    assert!(kept.state.has_no_end() || kept.state == RunState::Hung, "{:?}", kept.state);
}

/// Nothing may rely on a run that cannot be read again.
#[test]
fn a_run_that_is_kept_nowhere_ends_with_4() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let full = match Tmpfs::mount(&sandbox.path("full"), "400k") {
        Ok(full) => full,
        Err(why) => skip!("{why}"),
    };
    let fio = "fio --name=a --ioengine=null --size=1g --rw=read --time_based --runtime=1";
    for words in [fio, "ping -c 2 ."] {
        let ended = sandbox.secchi(words).arg("--store").arg(full.point.join("store")).run();
        assert_eq!(ended.code, 4, "{words}: {}", ended.stderr);
        assert!(ended.stderr.contains("this run is not stored"), "{words}: {}", ended.stderr);
    }
}

/// Thaws the file system when dropped: a frozen one would block every process that uses it.
struct Frozen(PathBuf);

impl Frozen {
    fn thaw(&self) {
        let _ = tool("fsfreeze", &["--unfreeze".as_ref(), self.0.as_os_str()]);
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        self.thaw();
    }
}

#[test]
fn a_frozen_file_system_ends_the_run_with_a_partial_result() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    if !is_root() {
        skip!("not root: nothing can be frozen");
    }
    let (disk, _device) = own_disk!(sandbox, 2 << 30);
    // A write may block during submission (psync, libaio) or never complete (io_uring).
    for engine in ["io_uring", "libaio", "psync"] {
        let words = format!("--patterns randwrite {LONG} --engine {engine}");
        let mut running = sandbox.qualify(&disk.point, &words).start();
        running.wait_for_message("8k randwrite, 1 in flight");
        sandbox.wait_until_measured(&running);
        if let Err(why) = tool("fsfreeze", &["--freeze".as_ref(), disk.point.as_os_str()]) {
            skip!("{why}");
        }
        let frozen = Frozen(disk.point.clone());
        let (run, _) = ends_as_hung(running);
        frozen.thaw();
        no_orphans(&disk.point);
        assert_eq!(sandbox.newest().expect("it is kept"), run, "{engine}");
    }
}

/// The engine's files and the announcement of the run are on the disk that hangs, and the end of the run waits for none
/// of them. Previously the supervisor ended it half a minute later. The blocked processes end when the disk recovers,
/// and nothing is lost.
fn a_database_hangs(engine: &str) {
    let _beside = beside();
    let base = Base::within("disk");
    // Only root can create and freeze the device.
    let (disk, _device): (Mounted, Loop) =
        match loop_and_ext4(&base.sandbox.path("image"), 1 << 30, &base.sandbox.path("disk")) {
            Ok(both) => both,
            Err(why) => skip!("{why}"),
        };
    if let Err(why) = base.make(engine, "") {
        skip!("{why}");
    }
    base.run_ok("create-globals", "-g 2 -s 2000");
    let running = base.command("ranwrite", "-p 2 -t 600 --hang 2s --json").start();
    crate::db::wait_for_load(&base.sandbox, &base.at, &running);
    base.sandbox.wait_until_measured(&running);
    if let Err(why) = tool("fsfreeze", &["--freeze".as_ref(), disk.point.as_os_str()]) {
        skip!("{why}");
    }
    let (frozen, since) = (Frozen(disk.point.clone()), Instant::now());
    let (run, _) = ends_as_hung(running);
    assert!(since.elapsed() < Duration::from_secs(30), "{:?}", since.elapsed());
    frozen.thaw();
    assert_eq!(base.sandbox.newest().expect("it is kept"), run);
    let gone = eventually(PATIENCE, || processes_in(&disk.point).is_empty());
    assert!(gone, "orphans: {:?}", processes_in(&disk.point));
    base.counts_are(2, 2000);
    base.run_ok("check", "");
    base.run_ok("ranwrite", "-p 2 -n 100");
}

#[test]
fn a_database_on_a_frozen_file_system_ends_with_a_partial_result() {
    a_database_hangs("sqlite");
}

#[test]
fn a_frozen_file_system_under_gtm_ends_with_a_partial_result_and_loses_nothing() {
    a_database_hangs("gtm");
}

#[test]
fn a_frozen_file_system_under_postgres_ends_with_a_partial_result_and_loses_nothing() {
    a_database_hangs("postgres");
}

/// An engine that writes back while it stops may take any time, as long as it makes progress. Previously secchi gave up
/// after 20 s, and the engine had to recover at its next start.
#[test]
fn an_engine_that_stops_slowly_is_waited_for() {
    let _beside = beside();
    let base = Base::within("disk");
    let disk = match OwnDisk::at(&base.sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    if let Err(why) = base.make("postgres", "") {
        skip!("{why}");
    }
    base.run_ok("create-globals", "-g 2 -s 20000");
    // secchi does not leave a group that has a limit.
    disk.group.cap_reads(1_000_000, 0);
    let running = base.command("ranwrite", "-p 2 -t 600 --hang 3s").inside(disk.group.path()).start();
    crate::db::wait_for_load(&base.sandbox, &base.at, &running);
    // Most of its pages are dirty by then: the journal contains them whole.
    let before = disk.group.written();
    assert!(eventually(PATIENCE, || disk.group.written() > before + (8 << 20)), "{}", running.stderr());
    assert_eq!(base.db("stop", "").code, 0);
    let log = base.at.join("work/server.log");
    let stops = || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("received fast shutdown"));
    assert!(eventually(PATIENCE, stops), "{}", running.stderr());
    disk.group.cap_writes(0, 250_000);
    let ended = running.wait(PATIENCE);
    disk.group.lift();
    assert!(ended.code == 0 || ended.starved(), "{}: {}", ended.code, ended.stderr);
    assert!(ended.stderr.contains("stopped by `secchi db stop`"), "{}", ended.stderr);
    let checked = base.run_ok("check", "");
    assert!(!checked.contains("recovered"), "{checked}");
    base.counts_are(2, 20_000);
}
