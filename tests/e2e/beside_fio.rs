//! Beside the installed fio: the same load must give the same figures.

use crate::support::{Blkio, Place, Run, Tmpfs, alone, command_in, skip, undisturbed};
use model::StageRole;
use std::path::{Path, PathBuf};

/// IOPS and mean latency (completion, in ns) of fio's random 8 KiB reads.
fn fio(file: &Path, group: Option<&Path>, words: &str) -> Result<(f64, f64), String> {
    let groups: Vec<PathBuf> = group.into_iter().map(Path::to_owned).collect();
    let run = command_in(&groups, "fio")
        .args(["--name=beside", "--readonly", "--rw=randread", "--bs=8k", "--time_based", "--ramp_time=1s"])
        .args(["--output-format=json", "--norandommap", "--size=64m"])
        .arg(format!("--filename={}", file.display()))
        .args(words.split_whitespace())
        .output()
        .map_err(|e| format!("fio: {e}"))?;
    if !run.status.success() {
        return Err(format!("fio: {}", String::from_utf8_lossy(&run.stderr)));
    }
    let told: serde_json::Value = serde_json::from_slice(&run.stdout).map_err(|e| format!("fio: {e}"))?;
    let read = &told["jobs"][0]["read"];
    let figure = |v: &serde_json::Value| v.as_f64().ok_or("fio tells no figure".to_owned());
    Ok((figure(&read["iops"])?, figure(&read["clat_ns"]["mean"])?))
}

fn kept_file(place: &Place, dir: &Path) -> PathBuf {
    let words = "--patterns randread --bs 8k --max-depth 1 --size 64m --keep --json";
    let ended = place.qualify(dir, words).run();
    assert!(ended.code == 0 || ended.code == 2, "{}", ended.stderr);
    ended.json().record.plan.target.path
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn has_fio() -> bool {
    std::process::Command::new("fio").arg("--version").output().is_ok()
}

#[test]
fn under_a_throttle_fio_and_secchi_measure_the_same_rate() {
    let _alone = alone();
    if !has_fio() {
        skip!("fio is not installed");
    }
    let place = Place::new();
    let group = match Blkio::on(&place.data()) {
        Ok(group) => group,
        Err(why) => skip!("{why}"),
    };
    let file = kept_file(&place, &place.data());
    group.cap_reads(6000, 0);
    undisturbed(|| {
        // fio, ours, fio: a neighbour that comes or goes shows as two different rates of fio.
        let theirs = || {
            let words = "--ioengine=libaio --direct=1 --iodepth=4 --runtime=4s";
            fio(&file, Some(group.path()), words).expect("fio runs").0
        };
        let before = theirs();
        let words = "--patterns randread --bs 8k --max-depth 4 --engine libaio --json --size 64m";
        let ended = place.qualify(&file, words).inside(group.path()).run();
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let ours = held(&ended.json());
        let after = theirs();
        let line = format!("8k random reads capped at 6000: fio {before:.0} and {after:.0}, secchi {ours:.0} IOPS");
        eprintln!("{line}");
        let alike = |theirs: f64| (ours / theirs - 1.0).abs() <= 0.01;
        if alike(before) || alike(after) { Vec::new() } else { vec![line] }
    });
}

/// Rate of the level held.
fn held(run: &Run) -> f64 {
    let ramp = run.judgement.patterns.iter().find(|p| p.role == StageRole::Ramp).expect("a ramp was run");
    ramp.levels.last().expect("a level was held").iops.value
}

#[test]
fn on_memory_one_operation_at_a_time_costs_no_more_than_with_fio() {
    let _alone = alone();
    if !has_fio() {
        skip!("fio is not installed");
    }
    let place = Place::new();
    let mounted = match Tmpfs::mount(&place.path("memory"), "1300m") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    let file = kept_file(&place, &mounted.point);
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        theirs.push(fio(&file, None, "--ioengine=psync --iodepth=1 --runtime=2s").expect("fio runs").1);
        let words = "--patterns randread --bs 8k --max-depth 1 --engine psync --buffered --json --size 64m";
        let run = place.qualify(&file, words).run().json();
        let step = run.record.steps.iter().find(|s| s.hold).expect("a level was held");
        ours.push(step.total().latency().mean().expect("operations were measured").0 as f64);
    }
    let (theirs, ours) = (median(theirs), median(ours));
    eprintln!(
        "8k reads from memory, one at a time: fio {theirs:.0} ns, secchi {ours:.0} ns, {:.2} of fio's",
        ours / theirs
    );
    // No claim about speed here, only against gross mistakes: this is a debug build on a busy machine.
    assert!(ours / theirs <= 1.5, "fio {theirs:.0} ns, secchi {ours:.0} ns");
}
