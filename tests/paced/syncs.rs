//! Methods of making writes durable: each sync counted a second way, layers that drop flushes named, nothing left.

use crate::support::{Ended, PATIENCE, Sandbox, Tmpfs, beside, eventually, names_in, paced, skip, tool};
use model::judged::{DurabilityFigures, PromiseStanding};
use model::plan::CommitMethod;
use rustix::process::Signal;
use std::path::Path;
use std::process::Command;

fn durable(sandbox: &Sandbox, place: &Path, words: &str) -> Ended {
    sandbox.secchi(&format!("durable {words}")).arg(place).run()
}

fn figures(ended: &Ended) -> DurabilityFigures {
    ended.json().judgement.durability().cloned().unwrap_or_else(|| panic!("no figures: {}", ended.stderr))
}

fn nothing_left(place: &Path) {
    let left: Vec<_> = names_in(place).into_iter().filter(|name| name != "lost+found").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn every_way_is_measured_kept_and_shown_again() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = durable(&sandbox, &sandbox.data(), "--time 200ms --json");
    assert!([0, 2].contains(&ended.code), "{}: {}", ended.code, ended.stderr);
    let figures = figures(&ended);
    for method in CommitMethod::ALL.iter().copied() {
        let entry = figures.commits.iter().find(|entry| entry.rule.method == method);
        let entry = entry.unwrap_or_else(|| panic!("{method} is missing"));
        assert!(entry.commits > 0 && entry.errors == 0, "{method}: {entry:?}");
    }
    let promised: Vec<CommitMethod> = figures.promises.iter().map(|p| p.method).collect();
    let expected: Vec<CommitMethod> = CommitMethod::ALL.iter().copied().filter(|m| m.promises()).collect();
    assert_eq!(promised, expected);
    nothing_left(&sandbox.data());
    let shown = sandbox.secchi("show last").run();
    assert!(shown.stdout.contains("Promises") && shown.stdout.contains("fdatasync 2 x 8k"), "{}", shown.stdout);
    for (ending, row) in
        [("md", "| fdatasync 2 x 8k |"), ("csv", "fdatasync 2 x 8k,fdatasync,commit,"), ("html", "Promises")]
    {
        let file = sandbox.path(&format!("told.{ending}"));
        let report = sandbox.secchi("report last").arg("-o").arg(&file).run();
        assert_eq!(report.code, 0, "{}", report.stderr);
        assert!(std::fs::read_to_string(&file).expect("written").contains(row), "{ending}");
    }
}

/// strace counts as many syncs as the run reports.
#[test]
fn strace_counts_the_same_syncs() {
    let _beside = beside();
    if let Err(why) = tool("strace", &["-V".as_ref()]) {
        skip!("{why}");
    }
    let sandbox = Sandbox::new();
    let summary = sandbox.path("calls");
    let ended = Command::new("strace")
        .args(["-f", "-c", "-U", "name,calls,time", "-e", "trace=fdatasync,sync_file_range,renameat,renameat2", "-o"])
        .arg(&summary)
        .arg(env!("CARGO_BIN_EXE_secchi"))
        .args(["durable", "--time", "300ms", "--json", "--store"])
        .arg(sandbox.store())
        .arg(sandbox.data())
        .output()
        .expect("it starts");
    let Some(text) = std::fs::read_to_string(&summary).ok().filter(|t| t.contains("fdatasync")) else {
        skip!("strace may not trace here");
    };
    let stdout = String::from_utf8_lossy(&ended.stdout);
    let run: crate::support::Run = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {ended:?}"));
    let figures = run.judgement.durability().cloned().expect("it is about commits");
    let counted = |names: &[&str]| -> u64 {
        let rows = text.lines().filter(|l| l.split_whitespace().next().is_some_and(|name| names.contains(&name)));
        rows.filter_map(|l| l.split_whitespace().nth(1)).filter_map(|n| n.parse::<u64>().ok()).sum()
    };
    let reported = |methods: &[CommitMethod]| -> u64 {
        figures.commits.iter().filter(|of| methods.contains(&of.rule.method)).map(|of| of.commits).sum()
    };
    // One more of each may be in flight at the end; the journal of the run and its store sync too.
    let ranges = counted(&["sync_file_range"]);
    let (least, most) = (reported(&[CommitMethod::SyncFileRange]), reported(&[CommitMethod::SyncFileRange]) + 1);
    assert!((least..=most).contains(&ranges), "sync_file_range: {ranges}, told {least}");
    let renames = counted(&["renameat", "renameat2"]);
    let least = reported(&[CommitMethod::Rename]);
    assert!((least..=least + 20).contains(&renames), "rename: {renames}, told {least}");
    let syncs = counted(&["fdatasync"]);
    let least = reported(&[CommitMethod::Fdatasync, CommitMethod::Append]);
    assert!((least..=least + 300).contains(&syncs), "fdatasync: {syncs}, told {least}");
}

/// The setting of a device's write cache, restored when dropped.
struct WriteCache(std::path::PathBuf);

impl WriteCache {
    fn set(&self, mode: &str) {
        std::fs::write(&self.0, mode).expect("root may");
    }
}

impl Drop for WriteCache {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.0, "write back");
    }
}

/// A file system that sends no flush, and a device that reports no cache, are named; without them the promises are
/// kept.
#[test]
fn the_layer_that_passes_no_flush_on_is_named() {
    let _paced = paced();
    let sandbox = Sandbox::new();
    let place = sandbox.path("disk");
    let (_mounted, device) = match testkit::loop_and_ext4(&sandbox.path("image"), 768 << 20, &place) {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    let name = device.path.file_name().expect("a name").to_string_lossy().into_owned();
    let cache = WriteCache(format!("/sys/block/{name}/queue/write_cache").into());
    cache.set("write back");
    let run = || {
        let ended = durable(&sandbox, &place, "--time 400ms --json");
        let figures = figures(&ended);
        (ended.code, figures)
    };
    let (code, honest) = run();
    let traced = honest.commits.iter().any(|of| of.devices.iter().any(|at| at.traced));
    if !traced {
        skip!("the block layer cannot be traced here");
    }
    // Below 20 commits, flushes are not judged.
    if honest.commits.iter().any(|of| of.commits < 20) {
        skip!("the machine was too busy: too few commits to count flushes");
    }
    for of in &honest.promises {
        assert!(matches!(of.standing, PromiseStanding::Kept { .. }), "{:?}", honest.promises);
    }
    assert_eq!(code, 0);
    // The device reports no cache, although its backing storage has one.
    cache.set("write through");
    let (code, lying) = run();
    assert!(
        lying.promises.iter().all(|p| p.standing == PromiseStanding::Broken { layer: name.clone() }),
        "{:?}",
        lying.promises
    );
    assert_eq!(code, 1);
    cache.set("write back");
    let remounted = Command::new("mount").args(["-o", "remount,barrier=0"]).arg(&place).status().expect("mount starts");
    assert!(remounted.success());
    let (code, careless) = run();
    assert!(
        careless.promises.iter().all(|p| p.standing == PromiseStanding::Broken { layer: "ext4".into() }),
        "{:?}",
        careless.promises
    );
    assert_eq!(code, 1);
    nothing_left(&place);
}

#[test]
fn memory_keeps_no_promise() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let place = sandbox.path("memory");
    let _memory = match Tmpfs::mount(&place, "512m") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    let ended = durable(&sandbox, &place, "--time 200ms --json");
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let figures = figures(&ended);
    assert!(figures.promises.iter().all(|p| p.standing == PromiseStanding::Broken { layer: "tmpfs".into() }));
    nothing_left(&place);
}

#[test]
fn an_interrupt_leaves_nothing_and_keeps_what_was_seen() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let running = sandbox.secchi("durable --time 1m").arg(sandbox.data()).start();
    let directory = || names_in(&sandbox.data()).into_iter().find(|name| name.ends_with(".files"));
    let busy = || directory().is_some_and(|name| sandbox.data().join(name).join("easy.0/commit.data").exists());
    assert!(eventually(PATIENCE, busy), "{}", running.stderr());
    running.signal(Signal::INT);
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    nothing_left(&sandbox.data());
    assert!(sandbox.newest().is_some_and(|run| run.judgement.durability().is_some()));
}

#[test]
fn what_is_no_directory_or_makes_no_sense_is_refused_before_anything_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.path("file");
    std::fs::write(&file, "precious").expect("written");
    durable(&sandbox, &file, "").refuses(64, "this is not a directory");
    durable(&sandbox, Path::new("/dev"), "").refuses(3, "kernel");
    durable(&sandbox, &sandbox.data(), "--time 1ms").refuses(64, "--time");
    durable(&sandbox, &sandbox.data(), "--time 2h").refuses(64, "--time");
    durable(&sandbox, &sandbox.data(), "--hang 1ms").refuses(64, "--hang");
    let small = sandbox.path("small");
    match Tmpfs::mount(&small, "64m") {
        Ok(_mounted) => durable(&sandbox, &small, "").refuses(3, "free"),
        Err(why) => testkit::skipped(&why.to_string()),
    }
    assert_eq!(std::fs::read_to_string(&file).expect("it stays"), "precious");
    nothing_left(&sandbox.data());
}
