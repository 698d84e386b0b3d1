//! Known caps: reads throttled by the kernel, and a CPU quota (docs/design/limits.md, "Two caps of a throttle";
//! docs/design/goals.md, "Reliability", G2).

use crate::support::{Blkio, CpuQuota, Run, Sandbox, alone, paced, skip, undisturbed};
use model::judged::BindingKind::{Generator, LimitBandwidth, LimitIops, Undecidable};
use model::judged::{BindingKind, PatternJudgement};
use model::plan::StageRole;
use std::path::Path;
use std::time::Duration;

const IOPS: f64 = 6000.0;
const BANDWIDTH: f64 = 93_750_000.0;

/// Runs random reads inside the group and the other groups.
fn run(sandbox: &Sandbox, group: &Blkio, words: &str, limits: &[&str], others: &[&Path]) -> Run {
    let mut secchi = sandbox.qualify(sandbox.data(), "--patterns randread --size 256m --keep --json");
    secchi.words(words);
    for limit in limits {
        secchi.arg("--limit").arg(limit);
    }
    for other in others {
        secchi.inside(other);
    }
    let ended = secchi.inside(group.path()).run();
    assert!(ended.code == 0 || ended.code == 2, "{}", ended.stderr);
    let run = ended.json();
    crate::whole_run::adds_up(&run);
    run
}

/// Returns the patterns by block size, without the probe.
fn by_size(run: &Run) -> Vec<(u64, &PatternJudgement)> {
    let measured = run.judgement.patterns.iter().filter(|p| p.role != StageRole::Probe);
    let mut patterns: Vec<_> = measured.map(|p| (p.mean_size.as_u64(), p)).collect();
    patterns.sort_by_key(|(size, _)| *size);
    patterns
}

/// Returns the rate of a pattern: of the held level, or of its only level.
fn rate(pattern: &PatternJudgement) -> f64 {
    pattern.levels.last().expect("a level was run").iops.value
}

/// Returns the errors of a run under both caps.
fn find_errors(run: &Run) -> Vec<String> {
    let mut wrongs = Vec::new();
    for (size, pattern) in by_size(run) {
        let bandwidth = BANDWIDTH / size as f64;
        let (cap, kind) = if bandwidth < IOPS { (bandwidth, LimitBandwidth) } else { (IOPS, LimitIops) };
        let off = rate(pattern) / cap - 1.0;
        eprintln!("{}: {:+.2} % from the cap, {:?}", pattern.label, off * 100.0, pattern.binding.kind);
        if pattern.binding.kind != kind {
            wrongs.push(format!("{}: {:?}, not {kind:?}", pattern.label, pattern.binding));
        }
        if off.abs() > 0.01 {
            wrongs.push(format!("{}: {:+.2} % from the cap", pattern.label, off * 100.0));
        }
    }
    wrongs
}

/// Returns the errors of a pattern that should have this binding, with these words in its description.
fn bound_by(run: &Run, kind: BindingKind, words: &[&str]) -> Vec<String> {
    let (_, pattern) = by_size(run)[0];
    let binding = &pattern.binding;
    let said = format!("{} {:?} {:?}", binding.statement, binding.names, binding.evidence);
    let is_named = binding.kind == kind && words.iter().all(|w| said.contains(w));
    if is_named {
        Vec::new()
    } else {
        vec![format!("not {kind:?} with {words:?} at {} IOPS: {binding:#?}", rate(pattern))]
    }
}

#[test]
fn the_cap_that_binds_is_named_at_six_sizes_and_measured_within_a_percent() {
    // A generator that waits for a CPU used by other tests loses more than one percent.
    let _alone = alone();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    disk.group.cap_reads(IOPS as u64, BANDWIDTH as u64);
    undisturbed(|| {
        let run = run(&sandbox, &disk.group, "--bs 4k,8k,16k,32k,64k,128k --max-depth 8", &[], &[]);
        assert_eq!(by_size(&run).len(), 6);
        let names: Vec<&str> = run.record.preflight.limits.iter().map(|l| l.name.as_str()).collect();
        assert!(names.iter().any(|n| n.contains("cgroup")), "the caps are found by themselves: {names:?}");
        find_errors(&run)
    });
}

#[test]
fn declared_limits_equal_to_what_binds_are_named_and_two_at_one_point_are_undecidable() {
    let _paced = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    disk.group.cap_reads(IOPS as u64, BANDWIDTH as u64);
    undisturbed(|| {
        let equal = run(&sandbox, &disk.group, "--bs 8k --max-depth 8", &["volume iops=6000 mbps=93.75MB"], &[]);
        bound_by(&equal, LimitIops, &["volume", "cgroup", "equal"])
    });
    // 6000 IOPS of 8 KiB are 49.152 MB/s.
    undisturbed(|| {
        let tied =
            run(&sandbox, &disk.group, "--bs 8k --max-depth 8", &["volume iops=6000", "instance mbps=49.152MB"], &[]);
        bound_by(&tied, Undecidable, &["volume", "instance"])
    });
}

#[test]
fn a_generator_without_cpu_is_named_instead_of_the_storage() {
    // The test measures the share of a CPU that the generator gets.
    let _alone = alone();
    // On the machine's disk: a loop device does part of the work in kernel threads, which are not in this control
    // group.
    let sandbox = Sandbox::new();
    let group = match Blkio::on(&sandbox.data()) {
        Ok(group) => group,
        Err(why) => skip!("{why}"),
    };
    // Fill before there is a quota.
    run(&sandbox, &group, "--bs 8k --max-depth 1", &[], &[]);
    // A fifth of a CPU, and even a twenty-fifth, reach a cap of 6000: with the cap the generator must have less.
    for (percent, cap) in [(20, 0), (2, IOPS as u64)] {
        let quota = match CpuQuota::percent(percent) {
            Ok(quota) => quota,
            Err(why) => skip!("{why}"),
        };
        group.cap_reads(cap, 0);
        undisturbed(|| {
            bound_by(&run(&sandbox, &group, "--bs 8k --max-depth 16", &[], &[quota.path()]), Generator, &[])
        });
    }
}

#[test]
fn a_cap_that_comes_down_while_it_is_measured_is_noticed_and_no_need_is_met_by_what_was_before() {
    let _paced = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    let words = "--patterns randread --bs 8k --size 128m --max-depth 2 --keep --json";
    let lowered = |from: u64, to: Option<u64>| {
        disk.group.cap_reads(from, 0);
        let mut secchi = sandbox.qualify(sandbox.data(), words);
        let mut running = secchi.arg("--need").arg("8k randread: iops>=1500").inside(disk.group.path()).start();
        if let Some(to) = to {
            running.wait_for_message(", held");
            disk.group.cap_reads(to, 0);
        }
        running.wait(Duration::from_secs(120))
    };
    let fallen = lowered(4000, Some(400));
    assert!([1, 2].contains(&fallen.code), "not met: {}{}", fallen.stdout, fallen.stderr);
    let run = fallen.json();
    let held = run.record.steps.last().and_then(|s| s.end.as_ref()).expect("it was held to its end");
    let seen = held.caps.last().and_then(|seen| seen.limits.first()).and_then(|l| l.iops).expect("the limit seen last");
    assert!((seen.per_second() - 400.0).abs() < 1e-6, "{:?}", held.caps);
    assert!(run.judgement.caveats.iter().any(|c| c.id == "limit-changed"), "{:?}", run.judgement.caveats);
    assert_ne!(run.judgement.needs[0].outcome, model::judged::Outcome::Pass, "{:?}", run.judgement.needs);
    let verdict = &run.judgement.verdict;
    let as_it_is = !verdict.contains("4,000 read IOPS") || verdict.contains("(changed since then)");
    assert!(as_it_is, "{verdict}");
    assert!(run.judgement.findings.iter().all(|f| f.id != "burst-bucket"), "whoever turned it down is no bucket");
}
