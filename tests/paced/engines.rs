//! Engines selected by name, including blocking ones, and a kernel that refuses io_uring.

use crate::support::{Sandbox, alone, beside, is_root, names_in, skip};

#[test]
fn every_engine_measures_and_blocking_ones_take_threads() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for engine in ["sync", "mmap", "psync"] {
        let words = "--patterns randread --bs 8k --max-depth 2 --size 64m --keep --json";
        let buffered = if engine == "mmap" { "--buffered" } else { "" };
        let ended = sandbox.qualify(sandbox.data(), words).words(&format!("--engine {engine} {buffered}")).run();
        assert!(ended.code == 0 || ended.code == 2, "{engine}: {}", ended.stderr);
        let run = ended.json();
        crate::whole_run::adds_up(&run);
        let deepest = run.record.steps.iter().map(|s| (s.job.threads, s.job.queue_depth)).max();
        assert_eq!(deepest, Some((2, 1)), "{engine}: two in flight are two threads");
        assert!(run.record.steps.iter().all(|s| s.job.engine == engine));
    }
}

/// Restores the setting when dropped.
struct Uring(String);

const SYSCTL: &str = "/proc/sys/kernel/io_uring_disabled";

impl Uring {
    fn forbid() -> Result<Uring, String> {
        let before = std::fs::read_to_string(SYSCTL).map_err(|e| format!("{SYSCTL}: {e}"))?;
        std::fs::write(SYSCTL, "2").map_err(|e| format!("{SYSCTL}: {e}"))?;
        Ok(Uring(before))
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        let _ = std::fs::write(SYSCTL, self.0.trim());
    }
}

#[test]
fn without_io_uring_auto_falls_back_and_says_so_and_asking_for_it_fails() {
    // Other processes on this machine use io_uring.
    let _alone = alone();
    if !is_root() {
        skip!("not root: {SYSCTL} cannot be set");
    }
    let sandbox = Sandbox::new();
    let forbidden = match Uring::forbid() {
        Ok(forbidden) => forbidden,
        Err(why) => skip!("{why}"),
    };
    let words = "--patterns randread --bs 8k --max-depth 1 --size 64m";
    let asked = sandbox.qualify(sandbox.data(), words).words("--engine io_uring --json").run();
    assert_eq!((asked.code, names_in(&sandbox.data()).len()), (4, 0), "{}", asked.stderr);
    assert!(asked.stderr.contains("io_uring_disabled"), "the setting is named: {}", asked.stderr);
    let auto = sandbox.qualify(sandbox.data(), words).words("--json").run();
    drop(forbidden);
    auto.measured();
    let run = auto.json();
    crate::whole_run::adds_up(&run);
    assert!(run.record.steps.iter().all(|s| s.job.engine != "io_uring"));
    let fact = run.record.preflight.engines.iter().find(|e| e.name == "io_uring").expect("it is listed");
    let reason = fact.unavailable.as_deref().expect("it is not available");
    assert!(reason.contains("io_uring_disabled"), "{reason}");
    let choice = &run.record.preflight.engine_choice;
    assert!(choice.contains("io_uring"), "the choice says what was wanted: {choice}");
}

#[test]
fn a_choice_stands_for_the_next_run_on_the_same_target() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let choice = |engine: &str| {
        let words = format!("--patterns randread --bs 8k --max-depth 1 --size 64m --engine {engine} --json");
        let record = sandbox.qualify(sandbox.data(), &words).run().json().record;
        (record.id, record.preflight.engine_choice)
    };
    let (first, why) = choice("auto");
    assert!(why.contains(", by a trial of "), "{why}");
    // An explicitly requested engine is not a choice of secchi.
    assert_eq!(choice("psync").1, "psync, as requested");
    let (_, why) = choice("auto");
    let stands = why.contains(&format!("as in run {}, confirmed by a trial", &first[..8]));
    // A neighbour may have slowed each of the trials.
    assert!(stands || why.contains(&format!("(used in run {}), chosen by a trial", &first[..8])), "{why}");
    let (_, why) = choice("auto!");
    assert!(!why.contains("run "), "{why}");
}
