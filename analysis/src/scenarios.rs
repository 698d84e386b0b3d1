//! Judgements of whole runs with known properties: docs/design/limits.md, "m4.xlarge", "i3.xlarge" and "Two caps of a
//! throttle"; docs/design/statistics.md, "Levels of a series".

use crate::judge::judge;
use crate::testkit::{Rig, Run, Storage, randread};
use model::judged::{BindingKind, Knee, Outcome, PatternJudgement, Steadiness};
use model::plan::{Access, Mix, Pacing, Rate, Rates, StageRole, Workload};
use model::{Bytes, Iops, Judgement, Nanos, Op, RunState, bounds::LimitAxis, record::StepStop};
use proptest::prelude::*;

const CAP_IOPS: f64 = 6000.0;
const CAP_BYTES: f64 = 93_750_000.0;

/// Judges a qualification as secchi runs it: a ramp at 8k, sweeps at the other sizes of docs/design/limits.md, "Two
/// caps of a throttle".
fn qualification(storage: &Storage, prepare: impl FnOnce(&mut Rig)) -> Judgement {
    let mut rig = Rig::new();
    prepare(&mut rig);
    let ramp = rig.ramp(randread(8 << 10), storage);
    for k in [4, 16, 32, 64, 128, 256] {
        rig.sweep(randread(k << 10), ramp, 32, storage);
    }
    judge(&rig.record())
}

fn throttled() -> Storage {
    Storage::capped(0.0004, CAP_IOPS, CAP_BYTES)
}

fn pattern<'a>(judgement: &'a Judgement, label: &str) -> &'a PatternJudgement {
    judgement.patterns.iter().find(|p| p.label == label).expect("the pattern was run")
}

fn kinds(judgement: &Judgement) -> Vec<(String, BindingKind)> {
    judgement.patterns.iter().map(|p| (p.label.clone(), p.binding.kind)).collect()
}

fn one_ramp(storage: &Storage, prepare: impl FnOnce(&mut Rig)) -> Judgement {
    let mut rig = Rig::new();
    prepare(&mut rig);
    rig.ramp(randread(8 << 10), storage);
    judge(&rig.record())
}

// --- which limit ------------------------------------------------------------------------------------------------

#[test]
fn the_two_caps_of_a_control_group_are_named_at_seven_of_seven_sizes() {
    let judgement = qualification(&throttled(), |rig| rig.cgroup(Op::Read, Some(CAP_IOPS), Some(CAP_BYTES)));
    for p in &judgement.patterns {
        let by_bytes = p.mean_size.as_u64() >= 16 << 10;
        let (kind, name) = if by_bytes {
            (BindingKind::LimitBandwidth, "cgroup read bandwidth")
        } else {
            (BindingKind::LimitIops, "cgroup read IOPS")
        };
        assert_eq!((p.binding.kind, p.binding.names.as_slice()), (kind, [name.to_owned()].as_slice()), "{}", p.label);
        let rate = p.levels[p.best.unwrap()].iops.value;
        let cap = CAP_IOPS.min(CAP_BYTES / p.mean_size.as_u64() as f64);
        assert!((rate / cap - 1.0).abs() < 0.01, "{}: {rate} of {cap}", p.label);
    }
    assert_eq!(judgement.patterns.len(), 7);
    assert_eq!((judgement.outcome, judgement.exit_code), (Outcome::Pass, 0));
    assert!(judgement.caveats.is_empty(), "{:?}", judgement.caveats);
    assert_eq!(
        judgement.verdict,
        "4k, 8k randread are limited by the cgroup's 6,000 read IOPS: 6,000 of 6,000 (100 %) at depth 4 and above; \
         16k, 32k, 64k, 128k, 256k randread are limited by the cgroup's 93.75 MB/s read bandwidth: \
         93.75 MB/s of 93.75 MB/s (100 %) at depth 32"
            .replace("6,000 of 6,000", &measured(&judgement, "8k randread"))
            .replace("93.75 MB/s of", &format!("{} of", pattern(&judgement, "16k randread").levels[0].bandwidth))
    );
    let crossover = judgement.findings.iter().find(|f| f.id == "crossover").expect("the caps cross");
    assert!(crossover.statement.contains("15.3 KiB"), "{}", crossover.statement);
}

fn measured(judgement: &Judgement, label: &str) -> String {
    let p = pattern(judgement, label);
    format!("{} of 6,000", Iops(p.levels.last().unwrap().iops.value))
}

#[test]
fn the_same_caps_show_by_experiment_when_no_row_names_them() {
    let judgement = qualification(&throttled(), |_| ());
    for p in &judgement.patterns {
        let kind = if p.mean_size.as_u64() >= 16 << 10 { BindingKind::BandwidthCap } else { BindingKind::IopsCap };
        assert_eq!(p.binding.kind, kind, "{}: {}", p.label, p.binding.statement);
    }
    assert!(
        judgement.verdict.starts_with("4k, 8k randread are limited by a cap of about 6,000 IOPS"),
        "{}",
        judgement.verdict
    );
}

#[test]
fn a_declared_row_equal_to_the_control_groups_is_said_to_be_equal() {
    let judgement = qualification(&throttled(), |rig| {
        rig.cgroup(Op::Read, Some(CAP_IOPS), Some(CAP_BYTES));
        rig.declare("volume iops=6000 mbps=125MiB");
        rig.declare("instance mbps=93.75MB");
    });
    let small = &pattern(&judgement, "8k randread").binding;
    assert_eq!(small.kind, BindingKind::LimitIops);
    assert_eq!(small.names, ["volume IOPS", "cgroup read IOPS"]);
    assert!(
        small.statement.contains("limited by the cgroup's 6,000 read IOPS, which equals the declared limit `volume`"),
        "{}",
        small.statement
    );
    let large = &pattern(&judgement, "64k randread").binding;
    assert_eq!(large.kind, BindingKind::LimitBandwidth);
    assert_eq!(large.names, ["instance bandwidth", "cgroup read bandwidth"]);
}

#[test]
fn m4_xlarge_cannot_tell_its_volume_from_its_instance() {
    // docs/design/limits.md, "m4.xlarge": gp3 6000 on an instance that caps at 6000 too; L0 = 0.63 ms, Q* = 3.78,
    // measured +2.4 %.
    let storage = Storage::capped(0.00063, 6144.0, 1e12);
    let judgement = one_ramp(&storage, |rig| {
        rig.declare("volume iops=6000 mbps=250MiB");
        rig.declare("instance iops=6000 mbps=93.75MB");
    });
    let p = pattern(&judgement, "8k randread");
    assert_eq!(p.binding.kind, BindingKind::Undecidable);
    assert_eq!(p.binding.names, ["volume IOPS", "instance IOPS"]);
    assert!(p.binding.statement.contains("no block size would show which limit binds"), "{}", p.binding.statement);
    assert!((p.n_star.unwrap() / 3.87 - 1.0).abs() < 0.02, "N* = 6144 * 0.63 ms");
    assert_eq!(p.knee, Knee::Between { below: 2, at: 4, latency: p.levels[2].mean });
    assert_eq!(p.at_n_star.map(|a| a.0), Some(4));
}

#[test]
fn caps_that_cross_at_the_size_measured_are_undecidable_and_the_deciding_size_is_named() {
    let judgement = one_ramp(&Storage::capped(0.0004, 6000.0, 6000.0 * 8192.0), |rig| {
        rig.declare("volume iops=6000");
        rig.declare("instance mbps=49.152MB");
    });
    let binding = &pattern(&judgement, "8k randread").binding;
    assert_eq!(binding.kind, BindingKind::Undecidable);
    assert_eq!(binding.names, ["volume IOPS", "instance bandwidth"]);
    assert!(binding.statement.contains("a run at 4k or 16k would show which limit binds"), "{}", binding.statement);
}

#[test]
fn iris_writes_of_512k_are_bound_by_the_instances_bandwidth() {
    // docs/design/limits.md, "m4.xlarge": 178.8 IOPS, 93.75 MB/s.
    let storage = Storage::capped(0.002, 6000.0, CAP_BYTES);
    let mut rig = Rig::new();
    rig.declare("volume iops=3000 mbps=1000MiB");
    rig.declare("instance iops=6000 mbps=93.75MB");
    rig.ramp(Workload::new(Mix::WRITE, Bytes::from_kib(512), Access::Sequential), &storage);
    let judgement = judge(&rig.record());
    let binding = &judgement.patterns[0].binding;
    assert_eq!((binding.kind, binding.names[0].as_str()), (BindingKind::LimitBandwidth, "instance bandwidth"));
    // 5.6 ms with one in flight, because the cap binds already: the latency is an effect of the cap.
    assert!(binding.constraints.iter().any(|c| c.name == "queue (Little)" && (c.used - 1.0).abs() < 0.01));
}

#[test]
fn a_flat_rate_below_every_known_cap_is_an_unknown_cap_or_the_device() {
    // docs/design/limits.md, "m4.xlarge": 4025 of 6000, flat over depth.
    let judgement = one_ramp(&Storage::capped(0.0005, 4025.0, 1e12), |rig| rig.declare("volume iops=6000"));
    let p = pattern(&judgement, "8k randread");
    assert_eq!(p.binding.kind, BindingKind::CapOrDevice);
    assert!(p.binding.statement.ends_with(" IOPS at depth 2 and above"), "{}", p.binding.statement);
    let reason = "latency grew with depth, but the rate did not; the generator was idle, and no known limit was near";
    assert!(p.binding.evidence.iter().any(|e| e == reason), "{:?}", p.binding.evidence);
    let finding = judgement.findings.iter().find(|f| f.id == "below-all-limits").expect("said");
    assert!(finding.evidence[0].contains("(67 %)"), "{:?}", finding.evidence);
}

#[test]
fn a_mix_is_held_by_a_limit_on_its_reads_at_twice_the_rate() {
    let storage = Storage::capped(0.0004, 12_000.0, 1e12);
    let mut rig = Rig::new();
    rig.cgroup(Op::Read, Some(6000.0), None);
    rig.ramp(Workload::new(Mix { write_percent: 50, trim_percent: 0 }, Bytes(16384), Access::RANDOM), &storage);
    let binding = judge(&rig.record()).patterns.remove(0).binding;
    assert_eq!(
        (binding.kind, binding.names.as_slice()),
        (BindingKind::LimitIops, ["cgroup read IOPS".into()].as_slice())
    );
    assert!(binding.statement.contains("of 6,000 (100 %)"), "{}", binding.statement);
}

#[test]
fn faster_than_a_declared_row_is_a_finding_and_never_silence() {
    let judgement = one_ramp(&Storage::capped(0.0004, 6000.0, 1e12), |rig| rig.declare("volume iops=3000"));
    let finding = &judgement.findings[0];
    assert_eq!(finding.id, "above-limit");
    assert!(finding.statement.contains("burst, merged requests, a wrong limit, or a cache"));
    assert_eq!(pattern(&judgement, "8k randread").binding.kind, BindingKind::CapOrDevice);
}

#[test]
fn a_declared_row_that_another_size_passed_is_not_named_because_it_fits_by_chance() {
    let storage = Storage::capped(0.0004, 7000.0, CAP_BYTES);
    let mut rig = Rig::new();
    // 93.75 MB/s are 5,722 operations of 16k: the row matches that rate, but 8k did 7,000.
    rig.declare("volume iops=5722");
    let ramp = rig.ramp(randread(16 << 10), &storage);
    rig.sweep(randread(8 << 10), ramp, 32, &storage);
    rig.sweep(randread(4 << 10), ramp, 32, &storage);
    let judgement = judge(&rig.record());
    let binding = &pattern(&judgement, "16k randread").binding;
    assert!(!binding.names.iter().any(|n| n.contains("volume")), "{binding:?}");
    assert!(binding.evidence.iter().any(|e| e.contains("by chance: 4k randread exceeded that limit")), "{binding:?}");
    assert!(judgement.findings.iter().any(|f| f.id == "above-limit"), "{:?}", judgement.findings);
    // If it was exceeded earlier, that may have been a burst: the row is named, with a remark.
    let mut rig = Rig::new();
    rig.declare("volume iops=5722");
    let ramp = rig.ramp(randread(8 << 10), &storage);
    rig.sweep(randread(16 << 10), ramp, 32, &storage);
    let judgement = judge(&rig.record());
    let binding = &pattern(&judgement, "16k randread").binding;
    assert_eq!(binding.names, ["volume IOPS"]);
    assert!(binding.evidence.iter().any(|e| e.contains("8k randread exceeded")), "{binding:?}");
}

#[test]
fn sequential_operations_above_a_cap_that_merges_are_explained_and_random_ones_are_not() {
    let gp3 = crate::catalog::Catalog::shipped().resolve_volume("gp3:size=2000GiB,iops=6000").unwrap();
    let storage = Storage::capped(0.0004, 15_000.0, 131_072_000.0);
    let ids_of = |workload: Workload| {
        let mut rig = Rig::new();
        rig.limits(gp3.limits.clone());
        rig.ramp(workload, &storage);
        judge(&rig.record()).findings.into_iter().map(|f| f.id).collect::<Vec<_>>()
    };
    let sequential = ids_of(sequential(Mix::READ, 8));
    assert!(sequential.contains(&"merged".into()) && !sequential.contains(&"above-limit".into()), "{sequential:?}");
    let random = ids_of(randread(8 << 10));
    assert!(random.contains(&"above-limit".into()) && !random.contains(&"merged".into()), "{random:?}");
}

#[test]
fn what_the_vendor_reserves_is_still_at_the_cap_and_said() {
    let gp3 = crate::catalog::Catalog::shipped().resolve_volume("gp3:size=2000GiB,iops=6000").unwrap();
    let judgement = one_ramp(&Storage::capped(0.0004, 5600.0, 1e12), |rig| rig.limits(gp3.limits));
    assert_eq!(judgement.patterns[0].binding.names, ["gp3 volume IOPS"]);
    assert!(judgement.verdict.contains("within the promised 90 %"), "{}", judgement.verdict);
}

#[test]
fn a_cap_exceeded_at_many_sizes_is_one_finding_with_the_worst_figure() {
    let judgement = qualification(&throttled(), |rig| {
        rig.declare("volume mbps=20MB");
        rig.declare("link iops=5000");
    });
    let above: Vec<_> = judgement.findings.iter().filter(|f| f.id == "above-limit").collect();
    assert_eq!(above.len(), 2, "one for each cap: {above:#?}");
    let statement = |name: &str| above.iter().find(|f| f.statement.contains(name)).expect("a finding");
    let volume = statement("`volume` of 20.00 MB/s");
    assert!(volume.statement.starts_with("4k to 256k randread run above"), "{}", volume.statement);
    assert_eq!(volume.evidence.len(), 1);
    assert!(volume.evidence[0].starts_with("up to ") && volume.evidence[0].ends_with(" (469 %)"), "{volume:#?}");
    let link = statement("`link` of 5,000 IOPS");
    assert!(link.statement.starts_with("4k to 16k randread run above"), "{}", link.statement);
}

#[test]
fn an_l0_that_deeper_levels_refute_is_doubted_and_replaced() {
    // 1.24 ms with one in flight, 0.8 ms with two: something slowed the single operations.
    let mut rig = Rig::new();
    let stage = rig.stage("ramp", StageRole::Ramp, randread(1 << 20));
    for (depth, rate) in [(1, 806.0), (2, 2500.0), (4, 2600.0), (8, 2600.0)] {
        rig.step(stage, Run::at(depth, rate));
    }
    rig.step(stage, Run::at(2, 2500.0).hold().seconds(8));
    let judgement = judge(&rig.record());
    let p = &judgement.patterns[0];
    let doubt = judgement.caveats.iter().find(|c| c.id == "l0-spoilt").expect("a doubt");
    assert_eq!((doubt.step, p.levels[0].caveats.as_slice()), (Some(0), ["l0-spoilt".to_owned()].as_slice()));
    let (depth, at_most) = p.l0_doubted.expect("doubted");
    assert_eq!(depth, 2);
    assert!((at_most.secs() / 0.0008 - 1.0).abs() < 0.01, "{at_most}");
    assert!((p.n_star.unwrap() / (2600.0 * 0.0008) - 1.0).abs() < 0.01, "{:?}", p.n_star);
    assert!(p.binding.constraints.iter().all(|c| c.name != "queue (Little)" || c.used < 1.03), "{:?}", p.binding);
    // Without a contradiction nothing is reported.
    let sound = one_ramp(&Storage::capped(0.0004, 6000.0, 1e12), |_| ());
    assert_eq!(sound.patterns[0].l0_doubted, None);
    assert!(!sound.caveats.iter().any(|c| c.id == "l0-spoilt"));
}

#[test]
fn a_held_rate_says_what_its_seconds_showed_and_that_it_changed_level() {
    let mut rig = Rig::new();
    let stage = rig.stage("ramp", StageRole::Ramp, randread(8192));
    rig.step(stage, Run::at(4, 6000.0));
    rig.step(stage, Run::at(4, 3000.0).first(40, 6000.0).hold().seconds(12));
    let p = judge(&rig.record()).patterns.remove(0);
    let (low, high) = p.sustained_seconds.expect("eight seconds");
    assert!(low.per_second() > 2900.0 && high.per_second() < 3100.0, "only those after the change: {low} to {high}");
    assert!(p.binding.statement.contains("after the rate changed"), "{}", p.binding.statement);
    assert!((p.sustained.unwrap().value / 3000.0 - 1.0).abs() < 0.01);
}

#[test]
fn a_rate_that_still_follows_concurrency_is_limited_by_latency() {
    let judgement = one_ramp(&Storage::capped(0.0004, 1e9, 1e12), |_| ());
    let p = pattern(&judgement, "8k randread");
    // 10 µs of CPU per operation caps the generator only at 100,000; 128 in flight give 320,000.
    assert_eq!(p.binding.kind, BindingKind::Generator, "{}", p.binding.statement);
    let cheap = Storage { cpu_per_op: 1e-6, ..Storage::capped(0.0004, 1e9, 1e12) };
    let judgement = one_ramp(&cheap, |_| ());
    let p = pattern(&judgement, "8k randread");
    assert_eq!((p.binding.kind, &p.knee), (BindingKind::Latency, &Knee::NotReached { deepest: 128 }));
    assert!(p.binding.statement.contains("a deeper queue would give more"), "{}", p.binding.statement);
}

#[test]
fn a_device_that_bends_before_it_saturates_is_unknown_until_it_is_pushed_further() {
    // docs/design/limits.md, "i3.xlarge": up to 16 in flight.
    let mut rig = Rig::new();
    let stage = rig.stage("r", StageRole::Ramp, randread(8192));
    for (depth, rate) in [(1, 5882.0), (4, 21739.0), (8, 40176.0), (16, 67212.0)] {
        rig.step(stage, Run::at(depth, rate));
    }
    let judgement = judge(&rig.record());
    let binding = &judgement.patterns[0].binding;
    assert_eq!(binding.kind, BindingKind::Unknown);
    let figure = Iops(judgement.patterns[0].levels[3].iops.value);
    assert_eq!(binding.statement, format!("8k randread was not saturated: {figure} IOPS at depth 16 and still rising"));
    assert!(binding.evidence.contains(&"increase the depth".into()), "{:?}", binding.evidence);
}

#[test]
fn the_null_engine_measures_the_generator() {
    let mut rig = Rig::new();
    rig.target().kind = model::plan::TargetKind::Null;
    let stage = rig.stage("n", StageRole::Fixed, randread(8192));
    rig.step(stage, Run { cpu_per_op: 40e-9, ..Run::at(1, 24e6) });
    let judgement = judge(&rig.record());
    assert_eq!(judgement.patterns[0].binding.kind, BindingKind::Generator);
}

// --- the sentence -----------------------------------------------------------------------------------------------

/// Adds a ramp of 1 s levels and the level held afterwards, at these rates.
fn ramp_of(rig: &mut Rig, workload: Workload, rates: &[f64], cv: f64) {
    let name = format!("ramp-{}", workload.label());
    let stage = rig.stage(&name, StageRole::Ramp, workload);
    for (i, rate) in rates.iter().enumerate() {
        rig.step(stage, Run { cv, cpu_per_op: 1e-6, ..Run::at(1 << i, *rate) });
    }
    let best = (0..rates.len()).max_by(|a, b| rates[*a].total_cmp(&rates[*b])).expect("rates");
    rig.step(stage, Run { cpu_per_op: 1e-6, ..Run::at(1 << best, rates[best]).hold().seconds(8) });
}

const RISING: [f64; 4] = [10_000.0, 16_000.0, 24_000.0, 34_000.0];
const FLAT: [f64; 4] = [10_000.0, 18_000.0, 18_100.0, 18_050.0];

fn sequential(mix: Mix, k: u64) -> Workload {
    Workload::new(mix, Bytes::from_kib(k), Access::Sequential)
}

/// Returns the sustained rate of a workload, as printed.
fn held(judgement: &Judgement, label: &str) -> String {
    Iops(pattern(judgement, label).levels.last().expect("levels").iops.value).to_string()
}

#[test]
fn workloads_that_were_not_saturated_are_one_group_led_by_8k_randread() {
    let mut rig = Rig::new();
    ramp_of(&mut rig, sequential(Mix::WRITE, 128), &RISING, 0.004);
    ramp_of(&mut rig, sequential(Mix::READ, 128), &FLAT, 0.004);
    ramp_of(&mut rig, randread(8 << 10), &RISING, 0.004);
    let judgement = judge(&rig.record());
    let (x, flat) = (held(&judgement, "8k randread"), held(&judgement, "128k read"));
    assert_eq!(
        judgement.verdict,
        format!(
            "8k randread: {x} IOPS at depth 8 and still rising; 2 of 3 workloads were not saturated at depth 8; \
             128k read is limited by a cap or by the device (this run cannot distinguish them): {flat} IOPS at depth 2 \
             and above"
        )
    );
    assert_eq!(pattern(&judgement, "8k randread").binding.kind, BindingKind::Unknown);
}

#[test]
fn noise_that_hides_the_knee_is_said_with_the_rate_reached() {
    let mut rig = Rig::new();
    ramp_of(&mut rig, randread(8 << 10), &[20_000.0, 21_000.0, 21_500.0], 0.4);
    let judgement = judge(&rig.record());
    let p = pattern(&judgement, "8k randread");
    assert_eq!((&p.knee, p.binding.kind), (&Knee::NotResolved, BindingKind::Unknown));
    let x = held(&judgement, "8k randread");
    assert_eq!(
        judgement.verdict,
        format!("8k randread reached {x} IOPS at depth 4; its limit is unknown: the levels are too noisy")
    );
}

#[test]
fn levels_that_agree_are_not_called_noisy_and_what_names_caps_is_told() {
    // A quick run reported "the levels are too noisy" for 19,977, 20,667 and 20,249 IOPS.
    let mut rig = Rig::new();
    rig.quick();
    let stage = rig.stage("r", StageRole::Ramp, randread(8192));
    for (depth, rate) in [(1, 20_249.0), (2, 14_000.0), (4, 19_977.0), (8, 20_667.0)] {
        rig.step(stage, Run { cpu_per_op: 1e-6, ..Run::at(depth, rate).seconds(1) });
    }
    let mut record = rig.record();
    // Short levels: too few windows for an error estimate.
    record.steps.iter_mut().for_each(|s| s.intervals[0].windows.truncate(4));
    let judgement = judge(&record);
    assert_eq!(judgement.patterns[0].knee, Knee::NotResolved);
    let verdict = &judgement.verdict;
    assert!(verdict.contains(" to 8 agree within ") && !verdict.contains("noisy"), "{verdict}");
    assert!(
        verdict.ends_with("levels are too few or too short to name a cap; --effort standard can identify caps"),
        "{verdict}"
    );
}

#[test]
fn sweeps_nothing_is_known_about_are_left_to_their_table() {
    let mut rig = Rig::new();
    ramp_of(&mut rig, randread(8 << 10), &RISING, 0.004);
    let storage = Storage { cpu_per_op: 1e-6, ..Storage::capped(0.0002, 30_000.0, 1e12) };
    for k in [4, 16, 32] {
        rig.sweep(randread(k << 10), 0, 8, &storage);
    }
    let judgement = judge(&rig.record());
    let x = held(&judgement, "8k randread");
    assert_eq!(judgement.verdict, format!("8k randread was not saturated: {x} IOPS at depth 8 and still rising"));
    let sweep = &pattern(&judgement, "4k randread").binding;
    assert_eq!(sweep.kind, BindingKind::Unknown);
    assert!(sweep.statement.ends_with(" IOPS at depth 8; no limit is known here"), "{}", sweep.statement);
}

#[test]
fn the_verdict_of_many_causes_stays_within_three_lines() {
    let mut rig = Rig::new();
    rig.declare("a-volume-with-a-name-as-long-as-some-people-give-them iops=18000");
    rig.declare("an-instance-with-a-name-as-long-as-some-people-give-them iops=18050");
    ramp_of(&mut rig, randread(8 << 10), &RISING, 0.004);
    ramp_of(&mut rig, sequential(Mix::READ, 128), &FLAT, 0.004);
    ramp_of(&mut rig, sequential(Mix::WRITE, 128), &FLAT.map(|r| r / 3.0), 0.004);
    ramp_of(&mut rig, sequential(Mix::WRITE, 1024), &[2000.0, 2100.0, 2150.0], 0.4);
    let judgement = judge(&rig.record());
    assert!(judgement.verdict.len() <= 273, "{}: {}", judgement.verdict.len(), judgement.verdict);
    assert!(judgement.verdict.contains("8k randread was not saturated: "), "{}", judgement.verdict);
    assert!(judgement.verdict.ends_with(" more below"), "{}", judgement.verdict);
}

// --- the generator ----------------------------------------------------------------------------------------------

#[test]
fn a_fifth_of_a_cpu_below_the_cap_is_the_generator_and_a_whole_cpu_at_the_cap_is_the_cap() {
    let under = |quota: f64| {
        let storage = Storage { cpu_per_op: 80e-6, quota: Some(quota), ..throttled() };
        one_ramp(&storage, |rig| {
            rig.cgroup(Op::Read, Some(CAP_IOPS), Some(CAP_BYTES));
            rig.preflight().host.cpu_quota = Some(quota);
        })
    };
    let fifth = under(0.2);
    let p = pattern(&fifth, "8k randread");
    assert_eq!(p.binding.kind, BindingKind::Generator, "{}", p.binding.statement);
    assert!(
        fifth.verdict.contains("load generator's CPU, not by the storage: ")
            && fifth.verdict.contains("is a lower bound"),
        "{}",
        fifth.verdict
    );
    assert!(fifth.caveats.iter().any(|c| c.id == "generator-bound"));
    let whole = under(1.0);
    assert_eq!(pattern(&whole, "8k randread").binding.kind, BindingKind::LimitIops);
    assert!(whole.caveats.iter().all(|c| c.id != "generator-bound"), "{:?}", whole.caveats);
}

#[test]
fn a_quota_used_to_the_end_exactly_at_the_cap_is_undecidable() {
    let mut rig = Rig::new();
    rig.cgroup(Op::Read, Some(CAP_IOPS), None);
    rig.preflight().host.cpu_quota = Some(0.2);
    let stage = rig.stage("r", StageRole::Fixed, randread(8192));
    rig.step(stage, Run { cpu_per_op: 0.2 / CAP_IOPS, throttled: 39, ..Run::at(32, CAP_IOPS) });
    let binding = judge(&rig.record()).patterns.remove(0).binding;
    assert_eq!(binding.kind, BindingKind::Undecidable);
    assert_eq!(binding.names, ["cgroup read IOPS", "generator CPU"]);
}

#[test]
fn a_busy_thread_at_the_cap_is_a_remark_beside_the_limit() {
    let mut rig = Rig::new();
    rig.cgroup(Op::Read, Some(CAP_IOPS), None);
    let stage = rig.stage("r", StageRole::Fixed, randread(8192));
    rig.step(stage, Run { cpu_per_op: 0.9 / CAP_IOPS, ..Run::at(32, CAP_IOPS) });
    let binding = judge(&rig.record()).patterns.remove(0).binding;
    assert_eq!(binding.kind, BindingKind::LimitIops);
    assert!(binding.evidence.iter().any(|e| e.starts_with("remark: the generator was busy")), "{:?}", binding.evidence);
}

// --- needs, validity, ends --------------------------------------------------------------------------------------

#[test]
fn needs_decide_the_exit_code_of_a_valid_run() {
    let with = |need: &str| {
        let judgement = one_ramp(&throttled(), |rig| rig.need(need));
        (judgement.outcome, judgement.exit_code)
    };
    assert_eq!(with("8k randread: iops>=5000, avg<=2ms"), (Outcome::Pass, 0));
    assert_eq!(with("8k randread: iops>=9000"), (Outcome::Fail, 1));
    assert_eq!(with("8k randread: iops>=6000"), (Outcome::Undecided, 2));
    assert_eq!(with("8k randwrite: iops>=1"), (Outcome::Undecided, 2));
}

#[test]
fn errors_leave_no_pass_and_exit_2() {
    let mut rig = Rig::new();
    rig.need("8k randread: iops>=1000");
    let stage = rig.stage("r", StageRole::Ramp, randread(8192));
    rig.step(stage, Run::at(1, 2500.0));
    rig.step(stage, Run { errors: 3, ..Run::at(2, 5000.0) });
    let judgement = judge(&rig.record());
    assert_eq!((judgement.outcome, judgement.exit_code), (Outcome::Undecided, 2));
    assert_eq!(judgement.needs[0].outcome, Outcome::Undecided);
    assert!(judgement.verdict.starts_with("not valid: operations failed"), "{}", judgement.verdict);
    assert!(judgement.patterns[0].levels[1].struck.is_some() && judgement.patterns[0].levels[0].struck.is_none());
    assert_eq!(judgement.patterns[0].best, Some(0), "a level with errors is no best level");
}

#[test]
fn a_hung_device_exits_5_and_what_was_measured_before_stands() {
    let mut rig = Rig::new();
    let ramp = rig.ramp(randread(8192), &throttled());
    let stage = rig.stage("w", StageRole::Ramp, Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM));
    rig.step(stage, Run::at(8, 1000.0).seconds(1));
    let mut record = rig.record();
    record.state = RunState::Hung;
    let end = record.steps.last_mut().unwrap().end.as_mut().unwrap();
    end.stop = StepStop::Hung;
    end.submitted += 8;
    end.pending = 8;
    end.pending_ages = vec![Nanos::from_secs(61); 8];
    let judgement = judge(&record);
    assert_eq!((judgement.outcome, judgement.exit_code), (Outcome::Undecided, 5));
    assert!(
        judgement.verdict.starts_with(
            "hung: 8 operations in 8k randwrite at depth 8 did not complete, the oldest pending for 61.0 s; \
             before that: 8k randread is"
        ),
        "{}",
        judgement.verdict
    );
    assert!(judgement.patterns[ramp].best.is_some());
    assert!(judgement.patterns[1].levels[0].struck.is_some());
    assert_eq!(judgement.patterns[1].levels[0].max, Some(Nanos::from_secs(61)));
}

#[test]
fn a_run_that_did_not_end_says_so_and_does_not_pass() {
    for (state, code) in [(RunState::Stopped, 130), (RunState::Interrupted, 2), (RunState::Failed, 2)] {
        let mut rig = Rig::new();
        rig.ramp(randread(8192), &throttled());
        let mut record = rig.record();
        record.state = state;
        record.steps.last_mut().unwrap().end = None;
        let judgement = judge(&record);
        assert_eq!((judgement.outcome, judgement.exit_code), (Outcome::Undecided, code));
        assert!(judgement.caveats.iter().any(|c| c.id == "partial"));
        record.signal = Some(15);
        let expected = if state == RunState::Stopped { 143 } else { code };
        assert_eq!(judge(&record).exit_code, expected, "the code is the process's own");
    }
}

#[test]
fn tmpfs_is_no_storage_and_no_pass() {
    let judgement = one_ramp(&throttled(), |rig| {
        rig.need("8k randread: iops>=1");
        rig.preflight().storage.memory = Some("tmpfs keeps its files in memory".into());
    });
    assert_eq!((judgement.outcome, judgement.exit_code), (Outcome::Undecided, 2));
    assert_eq!(judgement.needs[0].outcome, Outcome::Undecided);
    let said: Vec<_> = judgement.caveats.iter().filter(|c| c.id == "memory-backed").collect();
    assert_eq!(said.len(), judgement.patterns[0].levels.len(), "once for each step");
    assert!(said.iter().all(|c| c.statement == said[0].statement && c.evidence == said[0].evidence));
    assert_eq!(judgement.verdict, "not valid: memory was measured, not storage (tmpfs keeps its files in memory)");
    assert_eq!(judgement.patterns[0].best, None);
    assert!(judgement.patterns[0].levels.iter().all(|l| l.struck.is_some()));
}

#[test]
fn a_record_without_steps_is_judged_without_panic() {
    let judgement = judge(&Rig::new().record());
    assert_eq!(judgement.verdict, "nothing was measured");
    assert!(judgement.patterns.is_empty());
}

// --- regimes ----------------------------------------------------------------------------------------------------

#[test]
fn a_burst_that_ends_during_the_hold_is_sustained_at_its_last_regime() {
    let mut rig = Rig::new();
    let stage = rig.ramp(randread(8192), &Storage::capped(0.0004, 3000.0, 1e12));
    rig.step(stage, Run::at(2, 300.0).seconds(20).first(100, 3000.0).hold());
    let mut record = rig.record();
    record.steps.remove(record.steps.len() - 2);
    let judgement = judge(&record);
    let p = &judgement.patterns[0];
    let sustained = p.sustained.as_ref().expect("the last regime is a level");
    assert!((sustained.value / 300.0 - 1.0).abs() < 0.02, "{sustained:?}");
    assert!(judgement.caveats.iter().any(|c| c.id == "two-regimes"));
    assert!(judgement.findings.iter().any(|f| f.id == "not-sustained"), "{:?}", judgement.findings);
}

#[test]
fn a_hold_that_does_not_settle_sustains_nothing() {
    let mut rig = Rig::new();
    let stage = rig.stage("r", StageRole::Ramp, randread(8192));
    rig.step(stage, Run::at(4, 3000.0));
    rig.step(stage, Run::at(4, 3000.0).seconds(9).hold());
    let mut record = rig.record();
    let hold = record.steps.last_mut().unwrap();
    for (i, w) in hold.intervals.iter_mut().flat_map(|i| &mut i.windows).enumerate() {
        w.ops[0] -= (2 * i) as u64;
    }
    let judgement = judge(&record);
    assert_eq!(judgement.patterns[0].sustained, None);
    assert!(
        judgement.caveats.iter().any(|c| c.id == "not-settled" || c.id == "two-regimes"),
        "{:?}",
        judgement.caveats
    );
}

#[test]
fn latency_with_one_in_flight_comes_from_a_probe_of_the_same_workload() {
    let mut rig = Rig::new();
    let probe = rig.stage("p", StageRole::Probe, randread(8192));
    rig.step(probe, Run::at(1, 2500.0));
    let fixed = rig.stage("f", StageRole::Fixed, randread(8192));
    rig.step(fixed, Run::at(16, 39_900.0));
    let judgement = judge(&rig.record());
    assert_eq!(
        kinds(&judgement),
        [("8k randread".into(), BindingKind::Latency), ("8k randread".into(), BindingKind::Latency)]
    );
    let l0 = judgement.patterns[1].l0.unwrap();
    assert!((l0.micros() / 400.0 - 1.0).abs() < 0.01, "{l0}");
}

#[test]
fn a_durable_write_is_bound_by_its_write_and_its_flush_together() {
    let mut rig = Rig::new();
    let mut durable = Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM);
    durable.flush_every = Some(1);
    let stage = rig.stage("d", StageRole::Probe, durable);
    rig.step(stage, Run::at(1, 500.0));
    let p = judge(&rig.record()).patterns.remove(0);
    assert_eq!(p.binding.kind, BindingKind::Latency, "{}", p.binding.statement);
    assert!((p.n_star.unwrap() - 1.0).abs() < 0.01);
    assert!(p.levels[0].flush.is_some());
}

#[test]
fn an_open_loop_met_is_no_limit() {
    let mut rig = Rig::new();
    let mut workload = randread(8192);
    workload.pacing = Pacing::Poisson(Iops(1000.0));
    let stage = rig.stage("f", StageRole::Fixed, workload);
    rig.step(stage, Run::at(16, 1000.0));
    let judgement = judge(&rig.record());
    assert!(judgement.verdict.contains("not limited at the requested rate"), "{}", judgement.verdict);
}

#[test]
fn rates_by_direction_that_were_reached_are_no_limit_of_the_storage() {
    let judged = |most: f64| {
        let mut rig = Rig::new();
        let mut workload = randread(8192);
        // One number of fio applies to every direction.
        let rates = [Some(Rate::Iops(Iops(most))); 3];
        workload.pacing = Pacing::Rates(Rates { of: rates, poisson: false, forgive_pauses: false });
        let stage = rig.stage("f", StageRole::Fixed, workload);
        rig.step(stage, Run::at(16, 1000.0));
        judge(&rig.record()).verdict
    };
    assert!(judged(1000.0).contains("not limited at the requested rate"), "{}", judged(1000.0));
    assert!(judged(1000.0).contains("IOPS were delivered (requested maximum: read 1,000 IOPS)"), "{}", judged(1000.0));
    assert!(!judged(1100.0).contains("not limited at the requested rate"), "{}", judged(1100.0));
}

// --- laws -------------------------------------------------------------------------------------------------------

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// For any caps, latencies and sizes, the limit that binds by construction is named.
    #[test]
    fn the_tighter_of_two_rows_is_named(
        iops in 500.0f64..20_000.0, mb in 5.0f64..400.0, l0_us in 80.0f64..1000.0, k in 2u32..8,
    ) {
        let size = 1024u64 << k;
        let by_bytes = mb * 1e6 / size as f64;
        // A difference below a tenth is a tie or close to one.
        prop_assume!((iops / by_bytes).ln().abs() > 0.1);
        let storage = Storage { cpu_per_op: 2e-6, ..Storage::capped(l0_us * 1e-6, iops, mb * 1e6) };
        // The ramp ends at 128; the cap must be within reach.
        prop_assume!(iops.min(by_bytes) * storage.l0 < 40.0);
        let mut rig = Rig::new();
        rig.cgroup(Op::Read, Some(iops), Some(mb * 1e6));
        rig.ramp(randread(size), &storage);
        let binding = judge(&rig.record()).patterns.remove(0).binding;
        let axis = if iops < by_bytes { LimitAxis::Iops } else { LimitAxis::Bandwidth };
        let kind = match axis {
            LimitAxis::Iops => BindingKind::LimitIops,
            LimitAxis::Bandwidth => BindingKind::LimitBandwidth,
        };
        // Caps reached with one operation in flight tie with its latency.
        prop_assert!(binding.kind == kind, "{}", binding.statement);
    }

    /// Damaged, partial and unusual records are judged without panic, and never pass by accident.
    #[test]
    fn any_record_is_judged(
        keep in 0usize..12, drop_end in any::<bool>(), cut in 0usize..10, zero in any::<bool>(), stage in 0usize..4,
        length in prop::sample::select(vec![0u64, 1, 100_000_000, u64::MAX / 4]),
        busiest in prop::sample::select(vec![0.0, 1.0, f64::NAN, f64::INFINITY]),
    ) {
        let mut rig = Rig::new();
        rig.declare("volume iops=6000 mbps=125MiB");
        rig.need("8k randread: iops>=1000, p99<=5ms");
        rig.ramp(randread(8192), &throttled());
        let mut record = rig.record();
        record.steps.truncate(keep);
        if let Some(step) = record.steps.last_mut() {
            step.stage = stage;
            step.intervals.truncate(cut);
            if let Some(end) = &mut step.end {
                end.busiest_thread = busiest;
            }
            if let Some(i) = step.intervals.first_mut() {
                i.length = Nanos(length);
                if let Some(w) = i.windows.first_mut() {
                    w.length = Nanos(length);
                }
                if zero {
                    *i = model::Interval::default();
                }
            }
            if drop_end {
                step.end = None;
                record.state = RunState::Interrupted;
            }
        }
        let judgement = judge(&record);
        prop_assert!(!judgement.verdict.is_empty());
        prop_assert_eq!(judgement.exit_code == 0, judgement.outcome == Outcome::Pass);
    }
}

#[test]
fn durable_writes_and_plain_ones_do_not_cross() {
    let mut rig = Rig::new();
    rig.cgroup(Op::Write, Some(3000.0), Some(CAP_BYTES));
    for (k, flush_every, rate) in [(8, Some(1), 3000.0), (64, None, CAP_BYTES / 65_536.0)] {
        let mut workload = Workload::new(Mix::WRITE, Bytes::from_kib(k), Access::RANDOM);
        workload.flush_every = flush_every;
        let stage = rig.stage(&format!("w{k}"), StageRole::Fixed, workload);
        rig.step(stage, Run::at(32, rate));
    }
    let judgement = judge(&rig.record());
    assert_eq!(
        judgement.patterns.iter().map(|p| p.binding.kind).collect::<Vec<_>>(),
        [BindingKind::LimitIops, BindingKind::LimitBandwidth]
    );
    assert!(judgement.findings.iter().all(|f| f.id != "crossover"), "{:?}", judgement.findings);
}

#[test]
fn a_held_level_that_wavered_has_no_limit_and_no_burst_of_the_ramp_stands_for_it() {
    let mut rig = Rig::new();
    rig.cgroup(Op::Read, Some(6000.0), None);
    let workload = Workload::new(Mix::READ, Bytes(8192), Access::RANDOM);
    let stage = rig.stage("ramp-randread-8k", StageRole::Ramp, workload);
    // The saved credit of a throttle is spent in one short level.
    rig.step(stage, Run::at(1, 6640.0).seconds(1));
    rig.step(stage, Run::at(2, 6000.0).seconds(1));
    rig.step(stage, Run::at(1, 6000.0).hold().seconds(6));
    let mut record = rig.record();
    let held = record.steps.last_mut().expect("the held step");
    for (i, window) in held.intervals.iter_mut().flat_map(|i| &mut i.windows).enumerate() {
        // Rose steadily, with a mean near the cap.
        let factor = 0.8 + 0.4 * i as f64 / 59.0;
        window.ops[0] = (window.ops[0] as f64 * factor) as u64;
    }
    let judgement = judge(&record);
    let pattern = &judgement.patterns[0];
    let wavered = &pattern.levels.iter().find(|l| l.hold).expect("a held level").steadiness;
    assert!(matches!(wavered, Steadiness::NotSettled { .. }), "{wavered:?}");
    // Neither the burst nor a mean over the rise is used as its rate.
    assert_eq!(pattern.binding.kind, BindingKind::Unknown);
    let statement = &pattern.binding.statement;
    assert!(statement.starts_with("8k randread did not settle: the rate rose steadily by "), "{statement}");
    assert_eq!(pattern.sustained, None);
    assert_eq!(judgement.verdict, *statement);
}

// --- figures that do not represent the storage ------------------------------------------------------------------

#[test]
fn what_the_page_cache_gave_is_no_latency_of_the_storage() {
    for depth in [1, 8] {
        let mut rig = Rig::new();
        rig.declare("volume iops=100000");
        let stage = rig.stage("f", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(depth, 400_000.0));
        let mut record = rig.record();
        record.steps[0].job.target.direct = false;
        let a = record.steps[0].accounting.as_mut().expect("counted");
        (a.process_read, a.cgroup_read) = (Some(0), None);
        let judgement = judge(&record);
        assert_eq!(judgement.patterns[0].binding.kind, BindingKind::Unknown, "{}", judgement.verdict);
        assert!(judgement.verdict.contains("the page cache answered, not the storage"), "{}", judgement.verdict);
        assert!(judgement.findings.iter().all(|f| f.id != "above-limit"), "{:?}", judgement.findings);
        assert_eq!(judgement.exit_code, 0, "it was asked for");
    }
}

#[test]
fn a_latency_taken_from_a_level_does_not_explain_that_level() {
    // The single operations were slowed. At depth 4 each takes at most 4 / X, and 4 of those in flight give X again.
    let mut rig = Rig::new();
    let stage = rig.stage("r", StageRole::Ramp, randread(8192));
    rig.step(stage, Run::at(1, 1000.0));
    rig.step(stage, Run::at(4, 20_000.0));
    let pattern = judge(&rig.record()).patterns.remove(0);
    assert!(pattern.l0_doubted.is_some());
    assert_ne!(pattern.binding.kind, BindingKind::Latency, "{}", pattern.binding.statement);
}

#[test]
fn the_one_level_that_was_not_struck_does_not_bind() {
    let mut rig = Rig::new();
    let stage = rig.stage("r", StageRole::Ramp, randread(8192));
    rig.step(stage, Run::at(1, 5000.0));
    for (depth, rate) in [(2, 9900.0), (4, 19_000.0), (8, 24_000.0)] {
        rig.step(stage, Run { waited: 0.4, others: 1.9, idle: 0.0, ..Run::at(depth, rate) });
    }
    let pattern = judge(&rig.record()).patterns.remove(0);
    let statement = &pattern.binding.statement;
    assert_eq!(pattern.binding.kind, BindingKind::Unknown, "{statement}");
    assert!(statement.contains("5,000 IOPS") && statement.ends_with("the levels at greater depths are not valid"));
}

/// Runs sustained levels of 8k at depth 4 and of other sizes at depth 8, with `rates` by size in KiB, while others
/// wrote 60 % of the bytes read. Returns the number of valid levels, and the binding kind of the first size.
fn beside_others(rates: &[(u64, f64)], depth: u32, run: impl Fn(Run) -> Run) -> (usize, BindingKind) {
    let mut rig = Rig::new();
    let ramp = rig.stage("r", StageRole::Ramp, randread(8 << 10));
    for (concurrency, rate) in [(1, 5000.0), (2, 10_000.0), (4, 20_000.0), (8, 20_050.0), (16, 20_020.0)] {
        rig.step(ramp, run(Run::at(concurrency, rate)));
    }
    for (k, rate) in rates {
        if *k == 8 {
            rig.step(ramp, run(Run::at(4, *rate).hold().seconds(8)));
        } else {
            let sweep = rig.stage(&format!("sweep-{k}"), StageRole::Sweep, randread(k << 10));
            rig.step(sweep, run(Run::at(depth, *rate)));
        }
    }
    let mut record = rig.record();
    for step in &mut record.steps {
        let a = step.accounting.as_mut().expect("counted");
        a.device_write = Some(a.asked_read * 6 / 10);
    }
    let judgement = judge(&record);
    let speaks = |l: &&model::judged::LevelFigures| l.hold || l.concurrency() == depth;
    let valid =
        judgement.patterns.iter().flat_map(|p| p.levels.iter().rev().find(speaks)).filter(|l| l.struck.is_none());
    (valid.count(), pattern(&judgement, &format!("{}k randread", rates[0].0)).binding.kind)
}

#[test]
fn a_rate_that_only_a_cap_explains_stands_beside_others() {
    let as_it_is = |run: Run| run;
    let capped = [(4, 19_964.0), (8, 20_005.0), (16, 20_000.0)];
    assert_eq!(beside_others(&capped, 8, as_it_is), (3, BindingKind::IopsCap));
    let bandwidth = [(8, 20_005.0), (16, 10_020.0), (32, 5000.0)];
    assert_eq!(beside_others(&bandwidth, 8, as_it_is), (3, BindingKind::BandwidthCap));
    let kind = |rates: &[(u64, f64)], depth, run: &dyn Fn(Run) -> Run| beside_others(rates, depth, run);
    for (why, (valid, kind)) in [
        ("three sizes 4 % apart", kind(&[(4, 20_400.0), (8, 20_005.0), (16, 19_600.0)], 8, &as_it_is)),
        ("two sizes 2 % apart", kind(&[(8, 20_005.0), (16, 19_600.0)], 8, &as_it_is)),
        ("as many in flight at every size: one latency is one rate", kind(&capped, 4, &as_it_is)),
        ("threads that never slept", kind(&capped, 8, &|run| Run { cpu_per_op: 46e-6, ..run })),
        ("threads that waited for a CPU", kind(&capped, 8, &|run| Run { waited: 0.8, ..run })),
    ] {
        assert_eq!(valid, 0, "{why}");
        assert!(!matches!(kind, BindingKind::IopsCap | BindingKind::BandwidthCap), "{why}: {kind:?}");
    }
    assert_eq!(beside_others(&[(8, 20_005.0), (16, 19_950.0)], 8, as_it_is), (2, BindingKind::IopsCap));
}

#[test]
fn one_bandwidth_over_a_wide_range_of_sizes_is_a_cap_beside_others() {
    // As measured next to 105 MB/s of others; 8k was limited in its operations.
    let at = |k: u64, mb: f64| (k, mb * 1e6 / (k << 10) as f64);
    let sizes = [at(16, 93.7), at(64, 93.8), at(256, 93.75), at(1024, 93.7)];
    let as_it_is = |run: Run| run;
    // The fifth is the ramp of 8k.
    assert_eq!(beside_others(&sizes, 8, as_it_is), (5, BindingKind::BandwidthCap));
    let apart = [at(16, 91.0), at(64, 93.8), at(256, 93.75), at(1024, 93.7)];
    for (why, sizes) in [
        ("3 % apart", &apart[..]),
        ("three sizes", &sizes[1..]),
        ("equal latencies", &[16, 64, 256, 1024].map(|k| (k, 20_000.0))),
    ] {
        let kind = beside_others(sizes, 8, as_it_is).1;
        assert!(!matches!(kind, BindingKind::IopsCap | BindingKind::BandwidthCap), "{why}: {kind:?}");
    }
}

#[test]
fn a_ramp_that_is_flat_from_its_first_level_on_is_saturated_there() {
    // Rates at depths 1, 2 and 4 that a quick run called too noisy.
    let mut rig = Rig::new();
    let stage = rig.stage("r", StageRole::Ramp, randread(8192));
    for (depth, rate) in [(1, 20_249.0), (2, 19_977.0), (4, 20_667.0)] {
        rig.step(stage, Run::at(depth, rate).seconds(1));
    }
    let knee = &judge(&rig.record()).patterns[0].knee;
    assert!(matches!(knee, Knee::Between { below: 0, at: 1, .. }), "{knee:?}");
}

#[test]
fn a_ramp_that_others_ended_does_not_show_the_device() {
    let others = |disturbed: &[usize]| {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        for (depth, rate) in [(1, 5000.0), (2, 9900.0), (4, 9950.0), (8, 10_000.0)] {
            rig.step(stage, Run::at(depth, rate));
        }
        let mut record = rig.record();
        for i in disturbed {
            let a = record.steps[*i].accounting.as_mut().expect("counted");
            a.device_write = Some(a.asked_read / 3);
        }
        judge(&record)
    };
    assert_eq!(others(&[]).patterns[0].binding.kind, BindingKind::CapOrDevice);
    let before = others(&[3]).patterns.remove(0).binding.kind;
    assert_eq!(before, BindingKind::CapOrDevice, "depth 4 showed it before they came");
    let disturbed = |rates: [f64; 4]| {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        for (i, rate) in rates.into_iter().enumerate() {
            rig.step(stage, Run::at(1 << i, rate));
        }
        let mut record = rig.record();
        for a in record.steps[1..].iter_mut().filter_map(|s| s.accounting.as_mut()) {
            a.device_write = Some(a.asked_read / 3);
        }
        judge(&record)
    };
    let judgement = disturbed([5000.0, 9500.0, 9900.0, 10_000.0]);
    let binding = &judgement.patterns[0].binding;
    assert_eq!(binding.kind, BindingKind::Unknown, "{}", binding.statement);
    assert!(binding.statement.contains("other processes used the device"), "{}", binding.statement);
    assert_eq!(judgement.exit_code, 0, "a level on the way is no answer");
    // The same rate at every depth despite others: a cap, or a device shared with them.
    let judgement = disturbed([5000.0, 9900.0, 9950.0, 10_000.0]);
    let binding = &judgement.patterns[0].binding;
    assert_eq!(binding.kind, BindingKind::CapOrDevice, "{}", binding.statement);
    let shared = binding.evidence.iter().any(|e| e.contains("if the cap includes their I/O"));
    assert!(shared, "{:?}", binding.evidence.iter().map(model::Sentence::as_str).collect::<Vec<_>>());
}

#[test]
fn block_sizes_with_different_rates_have_a_figure_each() {
    let mut rig = Rig::new();
    for (k, rate) in [(4, 21_000.0), (8, 19_000.0), (64, 3100.0)] {
        let stage = rig.stage(&format!("r{k}"), StageRole::Ramp, randread(k << 10));
        for depth in [1, 2, 4] {
            rig.step(stage, Run::at(depth, rate));
        }
    }
    let verdict = judge(&rig.record()).verdict;
    // A cap is ruled out only for the middle size: 4k may be at one on operations, 64k at one on bytes.
    assert!(verdict.starts_with("8k randread is limited by the device: 1"), "{verdict}");
    let ends = "; 4k, 64k randread are limited by a cap or by the device (this run cannot distinguish them): 4k 2";
    assert!(verdict.contains(ends) && verdict.contains(", 64k 3,") && verdict.ends_with(" IOPS"), "{verdict}");
}

// --- the purchased performance ----------------------------------------------------------------------------------

#[test]
fn far_more_than_what_was_bought_proves_nothing_of_it() {
    let bought = |limit: &str, rate: f64| {
        let mut rig = Rig::new();
        rig.declare(limit);
        rig.need("8k randread: iops>=1000");
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(32, rate));
        judge(&rig.record())
    };
    let far = bought("volume iops=1000", 7600.0);
    assert_eq!((far.outcome, far.exit_code), (Outcome::Undecided, 2));
    assert_eq!(far.needs[0].outcome, Outcome::Pass, "the need itself was met");
    assert!(far.verdict.starts_with("8k randread delivered 760 % of the declared limit"), "{}", far.verdict);
    let said = far.caveats.iter().find(|c| c.id == "beyond-limit").expect("a doubt");
    assert_eq!(said.severity, model::Severity::Doubt);
    // A slightly higher rate is within a shaper's tolerance, or the limit of the row has been raised.
    let little = bought("volume iops=6950", 7600.0);
    assert_eq!(little.exit_code, 0);
    assert!(little.findings.iter().any(|f| f.id == "above-limit"), "{:?}", little.findings);
    assert_eq!(bought("volume iops=7600", 7600.0).exit_code, 0);
}

#[test]
fn other_limits_than_its_own_are_held_against_a_kept_run() {
    let mut rig = Rig::new();
    let stage = rig.stage("r", StageRole::Fixed, randread(8192));
    rig.step(stage, Run::at(32, 6000.0));
    let mut record = rig.record();
    record.plan.limits = vec!["volume iops=6000".parse().expect("a limit")];
    let (_, judgement) = crate::judge::judge_by(&record, Vec::new());
    assert_eq!(judgement.patterns[0].binding.names, ["volume IOPS"]);
    assert_eq!(judgement.exit_code, 0);
    record.plan.limits = vec!["volume iops=1000".parse().expect("a limit")];
    assert_eq!(crate::judge::judge_by(&record, Vec::new()).1.exit_code, 2);
}

#[test]
fn a_limit_that_changes_under_a_run_is_told_and_mixed_into_nothing() {
    let mut rig = Rig::new();
    rig.cgroup(Op::Read, Some(6000.0), None);
    rig.need("8k randread: iops>=5000");
    let stage = rig.stage("r", StageRole::Ramp, randread(8192));
    for (pass, rate) in [6000.0, 6000.0, 300.0].into_iter().enumerate() {
        rig.step(stage, Run { pass: pass as u32, ..Run::at(32, rate) });
    }
    let mut record = rig.record();
    let lowered = || {
        let limit = record.preflight.limits[0].clone();
        vec![model::Limit { iops: Some(Iops(300.0)), ..limit }]
    };
    let (during, after) = (record.steps[1].start.as_nanos() + 1_000_000_000, lowered());
    record.steps[1].end.as_mut().unwrap().caps =
        vec![model::record::CapsSeen { from: Nanos(during), limits: after.clone() }];
    record.steps[2].end.as_mut().unwrap().caps = vec![model::record::CapsSeen { from: Nanos(0), limits: after }];
    let judgement = judge(&record);
    let changed: Vec<_> = judgement.caveats.iter().filter(|c| c.id == "limit-changed").collect();
    assert_eq!(changed.len(), 1, "{:?}", judgement.caveats);
    assert_eq!(changed[0].step, Some(1));
    assert!(
        changed[0].evidence.starts_with("before 1.00 s: cgroup read 6,000 IOPS; after that: cgroup read 300"),
        "{changed:?}"
    );
    assert!(judgement.caveats.iter().any(|c| c.id == "limits-differ"));
    let levels = &judgement.patterns[0].levels;
    assert_eq!(levels.len(), 2, "what ended under another limit is another level");
    assert_eq!(judgement.patterns[0].knee, Knee::NotResolved);
    assert!((levels[0].iops.value / 6000.0 - 1.0).abs() < 0.02, "{:?}", levels[0].iops);
}

#[test]
fn a_limit_that_moves_all_the_time_is_told_in_one_sentence() {
    let mut rig = Rig::new();
    rig.cgroup(Op::Read, Some(6000.0), None);
    let stage = rig.stage("r", StageRole::Ramp, randread(8192));
    rig.step(stage, Run::at(32, 6000.0));
    let mut record = rig.record();
    let limit = record.preflight.limits[0].clone();
    let start = record.steps[0].start.as_nanos();
    record.steps[0].end.as_mut().unwrap().caps = (1..=9)
        .map(|i| model::record::CapsSeen {
            from: Nanos(start + i * 500_000_000),
            limits: vec![model::Limit { iops: Some(Iops(6000.0 - 500.0 * i as f64)), ..limit.clone() }],
        })
        .collect();
    let judgement = judge(&record);
    let changed: Vec<_> = judgement.caveats.iter().filter(|c| c.id == "limit-changed").collect();
    let [one] = changed[..] else { panic!("{changed:?}") };
    let expected = "9 changes between 500 ms and 4.50 s; before: cgroup read 6,000 IOPS; after: cgroup read 1,500 IOPS";
    assert!(one.evidence.starts_with(expected), "{one:?}");
}

#[test]
fn contents_that_storage_can_shrink_are_told() {
    let doubt_of = |change: &dyn Fn(&mut model::plan::Contents)| {
        let mut workload = Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM);
        change(&mut workload.detail.contents);
        let mut rig = Rig::new();
        let stage = rig.stage("w", StageRole::Fixed, workload);
        rig.step(stage, Run::at(8, 6000.0));
        let caveats = judge(&rig.record()).caveats;
        caveats.into_iter().find(|c| c.id == "easy-contents").map(|c| (c.severity, c.evidence))
    };
    assert_eq!(doubt_of(&|_| ()), None);
    assert_eq!(
        doubt_of(&|c| c.kind = model::plan::Filling::Zero),
        Some((model::Severity::Doubt, "zeros are written".into()))
    );
    let pattern = doubt_of(&|c| c.kind = model::plan::Filling::Pattern(vec![1, 2])).expect("told");
    assert_eq!(pattern.1, "a pattern of 2 bytes is written repeatedly");
    let half = doubt_of(&|c| (c.compress_percent, c.dedupe_percent) = (50, 20)).expect("told");
    assert_eq!(half, (model::Severity::Note, "50 % can be compressed away, 20 % duplicates earlier blocks".into()));
}

#[test]
fn clones_are_one_load_for_needs_limits_answers_and_lists() {
    let mut rig = Rig::new();
    rig.declare("volume iops=48000");
    rig.need("8k randread: iops>=30000");
    rig.clones(&randread(8192), (0..8).map(|_| Run::at(4, 6000.0).seconds(10)));
    // The next section runs after these clones.
    rig.clones(&randread(8192), [Run::at(4, 7000.0).seconds(10)]);
    let record = rig.record();
    let judgement = crate::judge::judge(&record);
    let levels: Vec<(u32, i64)> = judgement
        .patterns
        .iter()
        .flat_map(|p| &p.levels)
        .map(|l| (l.concurrency(), (l.iops.value / 1000.0).round() as i64))
        .collect();
    assert_eq!(levels, [(32, 48), (4, 7)]);
    assert_eq!(judgement.patterns[0].stage, "s0");
    assert_eq!(judgement.needs[0].outcome, Outcome::Pass, "{:?}", judgement.needs);
    assert_eq!(judgement.patterns[0].binding.names, ["volume IOPS"], "{:?}", judgement.patterns[0].binding);
    let other = crate::judge::judge_by(&record, vec!["8k randread: iops>=49000".parse().expect("a need")]);
    assert_eq!(other.1.needs[0].outcome, Outcome::Fail);
    assert!(other.1.needs[0].clauses[0].measured.starts_with("47,9"), "{:?}", other.1.needs[0].clauses);
    let listed = crate::workload_figures(&record);
    let listed: Vec<(&str, u64, Option<u64>)> = listed.iter().map(|w| (w.name.as_str(), w.depth, w.jobs)).collect();
    assert_eq!(listed, [("s0", 32, Some(8)), ("s1", 4, Some(1))]);
}

#[test]
fn clones_that_ran_one_after_the_other_are_not_added_up() {
    let mut rig = Rig::new();
    rig.need("8k randread: iops>=10000");
    rig.clones(&randread(8192), (0..2).map(|_| Run::at(4, 6000.0)));
    let mut record = rig.record();
    for interval in &mut record.steps[1].intervals {
        interval.start += Nanos::from_secs(20);
        interval.windows.iter_mut().for_each(|w| w.start += Nanos::from_secs(20));
    }
    let judgement = crate::judge::judge(&record);
    assert_eq!(judgement.needs[0].outcome, Outcome::Fail, "{:?}", judgement.needs);
    assert_eq!(judgement.patterns.len(), 1);
    assert!((judgement.patterns[0].levels[0].iops.value / 6000.0 - 1.0).abs() < 0.01);
}
