//! Synthetic watches: two volumes under one cap, as in docs/design/foreign-results.md, "A shared cap".

use crate::judge::judge;
use crate::testkit::{Rig, Run, randread};
use model::bounds::*;
use model::judged::*;
use model::measured::*;
use model::plan::*;
use model::record::*;
use model::*;

const SECOND: u64 = Nanos::from_secs(1).as_nanos();

/// Returns a watch of vdb (data) and vdc (journal), with a row of (write_ops, bytes) for each second.
fn watch(rows: &[[(f64, f64); 2]], limits: &[&str]) -> RunRecord {
    let mut rig = Rig::new();
    let stage = rig.stage("r", StageRole::Fixed, randread(8192));
    rig.step(stage, Run::at(1, 100.0));
    let mut record = rig.record();
    let device = |name: &str, role: &str, below: &[&str]| WatchedDevice {
        name: name.into(),
        roles: vec![role.into()],
        below: below.iter().map(|b| (*b).to_owned()).collect(),
    };
    record.steps.clear();
    record.plan.stages.clear();
    record.plan.limits = limits.iter().map(|l| l.parse().expect("a limit")).collect();
    let watch = Box::new(WatchPlan {
        interval: Nanos(SECOND),
        length: None,
        devices: vec![device("vdb", "data", &[]), device("vdc", "journal", &[])],
        all_devices: false,
        processes: Vec::new(),
        top: 0,
        groups: Vec::new(),
        command: Vec::new(),
        alerts: Vec::new(),
        hosts: Vec::new(),
    });
    record.plan.kind = model::RunKind::Watch { watch };
    for (i, row) in rows.iter().enumerate() {
        let mut samples = vec![value("sampler.stretch", 1.0)];
        for (name, (ops, bytes)) in ["vdb", "vdc"].iter().zip(row) {
            let figures = [("read_ops", 0.0), ("write_ops", *ops), ("read", 0.0), ("write", *bytes)];
            samples.extend(figures.map(|(what, v)| value(&format!("device.{name}.{what}"), v)));
            if *ops > 0.0 {
                samples.push(value(&format!("device.{name}.write_await"), 1.0 + i as f64));
            }
        }
        record.apply(RunEvent::Samples { at: Nanos((i as u64 + 1) * SECOND), samples }).expect("it fits");
    }
    record
}

fn value(name: &str, value: f64) -> Sample {
    Sample { name: name.into(), unit: String::new(), layer: Layer::Device, value }
}

fn judged(record: &RunRecord) -> (String, WatchJudgement) {
    let judgement = judge(record);
    (judgement.verdict.to_string(), judgement.watch().expect("a watch").clone())
}

#[test]
fn a_shared_cap_is_held_against_the_sum_of_the_same_second_and_never_against_the_sum_of_maxima() {
    // The peaks of journal and data are in different seconds: their sum never exceeds 94 MB/s, but the sum of their
    // maxima is 160.
    let rows = [[(10.0, 10e6), (80.0, 80e6)], [(80.0, 80e6), (10.0, 10e6)], [(47.0, 47e6), (47.0, 46e6)]];
    let (verdict, watch) = judged(&watch(&rows, &["instance mbps=93.75MB"]));
    let cap = &watch.caps[0];
    assert_eq!(cap.most, (93e6, Nanos::from_secs(3)));
    assert!((cap.sum_of_maxima - 160e6).abs() < 1.0);
    assert_eq!((cap.full, cap.longest, cap.of), (Nanos(SECOND), Nanos(SECOND), Nanos::from_secs(3)));
    assert!((cap.shares[0] - 47.0 / 93.0).abs() < 1e-9, "shares are those of the time it was full");
    assert!(
        verdict.starts_with(
            "the combined load of 2 devices reached the limit `instance` of 93.75 MB/s for 1.00 s of 3.00 s"
        ),
        "{verdict}"
    );
}

#[test]
fn a_device_that_stands_on_another_of_the_sum_is_left_out_of_it() {
    let mut record = watch(&[[(100.0, 1e6), (100.0, 1e6)]], &["volume iops=1000"]);
    record.plan.watch_mut().expect("a watch").devices[0].below = vec!["vdc".into()];
    let (verdict, watch) = judged(&record);
    assert_eq!((watch.caps[0].over.as_slice(), watch.caps[0].most.0), (&["journal (vdc)".to_owned()][..], 100.0));
    assert_eq!(watch.caps[0].left_out, ["data (vdb)"]);
    assert!(verdict.contains("no limit was reached") && verdict.contains("10 %"), "{verdict}");
}

#[test]
fn a_limit_may_be_on_one_role_and_count_large_operations_as_several() {
    let record = watch(&[[(100.0, 100.0 * 512e3), (900.0, 1e6)]], &["volume iops=1000 on=data"]);
    let (_, judged_as_is) = judged(&record);
    assert_eq!(judged_as_is.caps[0].most.0, 100.0);
    let mut charging = record.clone();
    charging.plan.limits[0].charging = Some(Charging { unit: Bytes(256_000), merges: true, whole: false });
    assert_eq!(judged(&charging).1.caps[0].most.0, 200.0);
}

#[test]
fn latency_is_weighed_by_requests_and_gaps_are_in_no_mean() {
    let mut record = watch(&[[(300.0, 3e6), (0.0, 0.0)], [(100.0, 1e6), (0.0, 0.0)]], &[]);
    // Nothing is known about the time until the next sample: the machine slept.
    let late =
        vec![value("sampler.stretch", 1.0), value("device.vdb.read_ops", 0.0), value("device.vdb.write_ops", 200.0)];
    record.apply(RunEvent::Samples { at: Nanos::from_secs(100), samples: late }).expect("it fits");
    let (verdict, watch) = judged(&record);
    let data = &watch.devices[0];
    assert_eq!(data.latency[1], Some(Nanos::from_micros(1_250)));
    assert_eq!((data.iops.0, data.iops.1), (Iops(200.0), Iops(300.0)));
    assert_eq!(watch.covered, Nanos::from_secs(3));
    assert!(verdict.starts_with("data (vdb) averaged 200 IOPS"), "{verdict}");
}

fn with_command(command: CommandUse) -> Option<Results> {
    Some(Results::Watch(WatchResults { command: Some(Box::new(command)), ..WatchResults::default() }))
}

#[test]
fn the_command_decides_the_code_and_is_in_the_sentence() {
    let mut record = watch(&[[(1.0, 1.0), (0.0, 0.0)]], &[]);
    record.plan.watch_mut().expect("a watch").command = vec!["/usr/bin/dd".into()];
    record.results = with_command(CommandUse { exit: Some(CommandExit::Code(3)), ..CommandUse::default() });
    let judgement = judge(&record);
    assert_eq!((judgement.exit_code, judgement.outcome), (3, Outcome::Fail));
    assert!(judgement.verdict.ends_with("; `dd` exited with code 3"), "{}", judgement.verdict);
    record.results = with_command(CommandUse { exit: Some(CommandExit::Signal(9)), ..CommandUse::default() });
    assert_eq!(judge(&record).exit_code, 137);
}

#[test]
fn a_command_that_was_told_to_end_is_the_watchs_own_end_and_one_that_did_not_is_a_doubt() {
    let mut record = watch(&[[(1.0, 1.0), (0.0, 0.0)]], &[]);
    record.plan.watch_mut().expect("a watch").command = vec!["dd".into()];
    let command_of = |exit: Option<CommandExit>| {
        let ended = exit.map(|_| Nanos::from_secs(6));
        CommandUse { pid: 77, ended, exit, told_to_end: Some(Nanos::from_secs(5)), ..CommandUse::default() }
    };
    for exit in [CommandExit::Signal(15), CommandExit::Code(0), CommandExit::Code(3)] {
        record.results = with_command(command_of(Some(exit)));
        let judgement = judge(&record);
        assert_eq!((judgement.exit_code, judgement.outcome), (0, Outcome::Pass), "{exit:?}");
        assert!(judgement.verdict.contains("`dd` was sent a termination signal after"), "{}", judgement.verdict);
    }
    record.results = with_command(command_of(None));
    let judgement = judge(&record);
    assert_eq!((judgement.exit_code, judgement.outcome), (2, Outcome::Undecided));
    assert!(judgement.verdict.ends_with("it was left running as process 77"), "{}", judgement.verdict);
    assert!(judgement.caveats.iter().any(|c| c.id == "command-left-running"));
    // If the watch was stopped without ending the command, its exit code is 128 plus the signal's number.
    record.results = with_command(CommandUse::default());
    record.state = model::RunState::Stopped;
    assert_eq!(judge(&record).exit_code, 130);
    record.signal = Some(15);
    assert_eq!(judge(&record).exit_code, 143);
}

/// Adds a sample of a process that reads 8 KiB with each call, a quarter of it from a device.
fn with_process(mut record: RunRecord) -> RunRecord {
    record.plan.watch_mut().expect("a watch").processes =
        vec![WatchedProcess { name: "77".into(), pid: 77, program: "db".into() }];
    let process_value = |what: &str, v: f64| value(&format!("process.77.{what}"), v);
    let samples = vec![
        process_value("read_calls", 1000.0),
        process_value("called_read", 8_192_000.0),
        process_value("read", 2_048_000.0),
        process_value("write_calls", 10.0),
        process_value("called_write", 81_920.0),
        process_value("write", 8_192_000.0),
        value("group./a:b.cpu", 50.0),
        value("group./a:b.memory", 4096.0),
        value("group./a:b.periods", 10.0),
        value("group./a:b.throttled", 4.0),
        value("group./a:b.stopped", 25.0),
        value("group./a:b:vdb.read_ops", 250.0),
        value("group./a:b:vdb.write_ops", 0.0),
        value("group./a:b:vdb.read", 2_048_000.0),
        value("group./a:b:vdb.write", 0.0),
    ];
    record.plan.watch_mut().expect("a watch").groups =
        vec![WatchedGroup { name: "/a:b".into(), ..WatchedGroup::default() }];
    record.apply(RunEvent::Samples { at: Nanos(SECOND), samples }).expect("it fits");
    record
}

#[test]
fn system_calls_and_bytes_to_devices_stand_side_by_side_each_with_its_layer() {
    let mut record = with_process(watch(&[[(100.0, 1e6), (0.0, 0.0)]], &[]));
    record.disks = vec![DiskUse { name: "vdb".into(), ops: [250, 0], sectors: [4000, 0], ..DiskUse::default() }];
    let judgement = judge(&record);
    let [seen] = judgement.layers.as_slice() else { panic!("one: {:?}", judgement.layers) };
    let rows: Vec<(StackLayer, &str, Option<u64>, Option<Bytes>)> =
        seen.layers.iter().map(|l| (l.layer, l.device.as_str(), l.reads.ops, l.reads.bytes)).collect();
    assert_eq!(
        rows,
        [
            (StackLayer::SystemCalls, "77 (db)", Some(1000), Some(Bytes(8_192_000))),
            (StackLayer::Process, "77 (db)", None, Some(Bytes(2_048_000))),
            (StackLayer::Device, "vdb", Some(250), Some(Bytes(2_048_000))),
        ]
    );
    assert!(seen.says[0].contains("read by system calls did not come from block devices"), "{:?}", seen.says);
    assert!(seen.says[1].contains("io_uring"), "{:?}", seen.says);
}

#[test]
fn a_group_stopped_by_its_quota_is_a_doubt_and_its_devices_are_apart() {
    let judgement = judge(&with_process(watch(&[[(100.0, 1e6), (0.0, 0.0)]], &[])));
    let groups = &judgement.watch().expect("a watch").groups;
    assert_eq!(groups.len(), 1, "{groups:?}");
    let group = &groups[0];
    assert_eq!((group.name.as_str(), group.cpus, group.throttled), ("/a:b", Some(0.5), Some(0.4)));
    assert_eq!((group.stopped, group.memory), (Some(Nanos(SECOND / 4)), Some((Bytes(4096), Bytes(4096)))));
    assert_eq!((group.io[0].device.as_str(), group.io[0].ops, group.io[0].most), ("vdb", [250.0, 0.0], Iops(250.0)));
    let doubt = judgement.caveats.iter().find(|c| c.id == "group-throttled").expect("it is told");
    assert!(doubt.evidence.contains("40 % of the quota periods"), "{}", doubt.evidence);
}

/// Adds volume counters to a watch: a row of percentages for each second.
fn with_counts(mut record: RunRecord, name: &str, rows: &[f64]) -> RunRecord {
    for (what, factor) in [("volume_iops_exceeded", 1.0), ("instance_throughput_exceeded", 0.0)] {
        let points = rows.iter().enumerate().map(|(i, v)| (Nanos((i as u64 + 1) * SECOND), v * factor)).collect();
        let name = format!("ebs.{name}.{what}");
        record.series.push(Series { name, unit: "percent".into(), layer: Layer::Device, points });
    }
    record
}

#[test]
fn what_the_volume_counted_stands_above_what_rates_look_like() {
    let rows = [[(10.0, 10e6), (47.0, 47e6)]; 4];
    let record = with_counts(watch(&rows, &["instance mbps=57MB"]), "vdc", &[100.0, 90.0, 60.0, 0.0]);
    let judgement = judge(&record);
    let said = "journal (vdc) exceeded volume IOPS for 2.50 s of 4.00 s, according to EBS's own counters";
    assert_eq!(judgement.verdict.to_string(), said);
    assert!(judgement.caveats.iter().all(|c| c.id != "limit-not-counted"));
}

#[test]
fn a_cap_that_was_full_while_the_volume_counted_nothing_is_a_doubt() {
    let rows = [[(10.0, 10e6), (47.0, 47e6)]; 4];
    let full = watch(&rows, &["instance mbps=57MB"]);
    let doubts = |record: &RunRecord| judge(record).caveats.iter().filter(|c| c.id == "limit-not-counted").count();
    assert_eq!(doubts(&full), 0, "nobody counted");
    assert_eq!(doubts(&with_counts(full, "vdc", &[0.0, 0.0, 0.1, 0.0])), 1);
    let roomy = watch(&rows, &["instance mbps=500MB"]);
    assert_eq!(doubts(&with_counts(roomy, "vdc", &[0.0; 4])), 0);
}
