//! Comparison with the installed fio: the same load must give the same figures.

use crate::support::{Run, Sandbox, Tmpfs, alone, command_in, names_in, paced, skip, undisturbed};
use model::plan::StageRole;
use std::path::{Path, PathBuf};

/// Returns IOPS and mean completion latency (in ns) of random 8 KiB reads, measured by fio or by a command that takes
/// fio's options.
fn reads(command: &[&str], file: &Path, group: Option<&Path>, words: &str) -> Result<(f64, f64), String> {
    let groups: Vec<PathBuf> = group.into_iter().map(Path::to_owned).collect();
    let (program, args) = command.split_first().expect("a command has a program");
    let run = command_in(&groups, program)
        .args(args)
        .args(["--name=beside", "--readonly", "--rw=randread", "--bs=8k", "--time_based", "--ramp_time=1s"])
        .args(["--output-format=json", "--norandommap", "--size=64m"])
        .arg(format!("--filename={}", file.display()))
        .args(words.split_whitespace())
        .output()
        .map_err(|e| format!("{program}: {e}"))?;
    if !run.status.success() {
        return Err(format!("{program}: {}", String::from_utf8_lossy(&run.stderr)));
    }
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).map_err(|e| format!("{program}: {e}"))?;
    let read = &report["jobs"][0]["read"];
    let figure = |v: &serde_json::Value| v.as_f64().ok_or(format!("{program} tells no figure"));
    Ok((figure(&read["iops"])?, figure(&read["clat_ns"]["mean"])?))
}

fn kept_file(sandbox: &Sandbox, dir: &Path) -> PathBuf {
    let words = "--patterns randread --bs 8k --max-depth 1 --size 64m --keep --json";
    let ended = sandbox.qualify(dir, words).run();
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
    let _paced = paced();
    if !has_fio() {
        skip!("fio is not installed");
    }
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    let file = kept_file(&sandbox, &sandbox.data());
    disk.group.cap_reads(6000, 0);
    undisturbed(|| {
        // The order is fio, secchi, fio: if a neighbour starts or stops, the two rates of fio differ.
        let measure_fio = || {
            let words = "--ioengine=libaio --direct=1 --iodepth=4 --runtime=4s";
            reads(&["fio"], &file, Some(disk.group.path()), words).expect("fio runs").0
        };
        let before = measure_fio();
        let words = "--patterns randread --bs 8k --max-depth 4 --engine libaio --json --size 64m";
        let ended = sandbox.qualify(&file, words).inside(disk.group.path()).run();
        ended.measured();
        let ours = held(&ended.json());
        let after = measure_fio();
        let line = format!("8k random reads capped at 6000: fio {before:.0} and {after:.0}, secchi {ours:.0} IOPS");
        eprintln!("{line}");
        let alike = |rate: f64| (ours / rate - 1.0).abs() <= 0.01;
        if alike(before) || alike(after) { Vec::new() } else { vec![line] }
    });
}

/// Returns the rate of the last level of the ramp.
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
    let sandbox = Sandbox::new();
    let mounted = match Tmpfs::mount(&sandbox.path("memory"), "1300m") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    let file = mounted.point.join("data");
    std::fs::write(&file, vec![0x5a; 64 << 20]).expect("a file of ours");
    let store = sandbox.store().display().to_string();
    let secchi = [env!("CARGO_BIN_EXE_secchi"), "fio", "--store", &store];
    undisturbed(|| {
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        let words = "--ioengine=psync --iodepth=1 --runtime=2s";
        for _ in 0..3 {
            theirs.push(reads(&["fio"], &file, None, words).expect("fio runs").1);
            ours.push(reads(&secchi, &file, None, words).expect("it runs").1);
        }
        let (theirs, ours) = (median(theirs), median(ours));
        let line = format!(
            "8k reads from memory, one at a time: fio {theirs:.0} ns, secchi {ours:.0} ns, {:.2} of fio's",
            ours / theirs
        );
        eprintln!("{line}");
        // This guards only against gross errors and makes no claim about speed: it is a debug build on a busy machine.
        if ours / theirs <= 1.5 { Vec::new() } else { vec![line] }
    });
}

/// Returns `true` if the block layer counted at least 99 % of the bytes that the run reports for this process.
fn is_confirmed(record: &model::RunRecord) -> bool {
    let counts = record.steps[0].accounting.as_ref().or(record.together.first().map(|(_, counts)| counts));
    counts.is_some_and(|c| {
        let asked = c.asked_read + c.asked_write;
        let carried = c.process_read.unwrap_or(0) + c.process_write.unwrap_or(0);
        carried >= asked / 100 * 99
    })
}

/// Runs fio with the parameters of a `mark` row. Returns MB/s and mean latency (ns) of both directions together.
fn fio_row(
    file: &Path,
    test: &model::plan::MarkTest,
    direction: model::plan::MarkDirection,
) -> Result<(f64, f64), String> {
    let reads = direction.mix().read_percent();
    let rw = match (test.random, reads) {
        (false, 100) => "read",
        (false, 0) => "write",
        (false, _) => "rw",
        (true, 100) => "randread",
        (true, 0) => "randwrite",
        (true, _) => "randrw",
    };
    let run = std::process::Command::new("fio")
        .args(["--name=row", "--time_based", "--runtime=1s", "--size=256m", "--direct=1", "--ioengine=libaio"])
        .args(["--group_reporting", "--output-format=json", "--refill_buffers", "--randrepeat=0", "--thread"])
        .args([format!("--rw={rw}"), format!("--rwmixread={reads}"), format!("--bs={}", test.block.as_u64())])
        .args([format!("--iodepth={}", test.queues), format!("--numjobs={}", test.threads)])
        .arg(format!("--filename={}", file.display()))
        .output()
        .map_err(|e| format!("fio: {e}"))?;
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).map_err(|e| format!("fio: {e}"))?;
    let job = &report["jobs"][0];
    let figure = |way: &str, name: &str| job[way][name].as_f64().unwrap_or(0.0);
    let count = |way: &str| job[way]["lat_ns"]["N"].as_f64().unwrap_or(0.0);
    let waited = |way: &str| job[way]["lat_ns"]["mean"].as_f64().unwrap_or(0.0) * count(way);
    let bytes = figure("read", "bw_bytes") + figure("write", "bw_bytes");
    let mean = (waited("read") + waited("write")) / (count("read") + count("write")).max(1.0);
    Ok((bytes / 1e6, mean))
}

/// Reason for measuring a row again.
const SPOILT: &str = "others had the CPU or the disk";

#[test]
fn rows_of_a_mark_agree_with_fio_on_the_same_parameters() {
    let _alone = alone();
    if !has_fio() {
        skip!("fio is not installed");
    }
    let sandbox = Sandbox::new();
    // All reads use the same file: two files on a disk with caches may be read at rates that differ threefold, with any
    // tool.
    let mut make = crate::support::Secchi::new(&sandbox.path("home"));
    make.arg("mark").arg(sandbox.data()).arg("--store").arg(sandbox.store());
    let made = make.words("-n 1 -t 1 -i 0 -s 256m --keep --test RND4K-Q1T1 --only read --engine libaio").run();
    made.measured();
    let kept = names_in(&sandbox.data()).into_iter().find(|n| n.ends_with(".dat")).expect("the file is kept");
    let fio_file = |direction| match direction {
        model::plan::MarkDirection::Read => sandbox.data().join(&kept),
        _ => sandbox.data().join("fio.dat"),
    };
    let mut apart = Vec::new();
    use model::plan::MarkDirection::{Mix, Read, Write};
    let rows = [
        ("SEQ1M-Q8T1", &[Read, Write][..]),
        ("SEQ1M-Q1T1", &[Read]),
        ("RND4K-Q32T4", &[Read, Mix(70)]),
        ("RND4K-Q1T1", &[Read, Write]),
    ];
    for (words, directions) in rows {
        let test: model::plan::MarkTest = words.parse().expect("a test");
        for &direction in directions {
            let check = || -> Result<Option<String>, String> {
                // The order is fio, secchi, fio: if a neighbour starts or stops, the two rates of fio differ.
                let before = fio_row(&fio_file(direction), &test, direction)?;
                let mut secchi = crate::support::Secchi::new(&sandbox.path("home"));
                let only = direction.name();
                secchi.arg("mark").arg(sandbox.data()).arg("--store").arg(sandbox.store());
                let ended = secchi.words(&format!(
                    "-n 1 -t 1 -i 0 -s 256m --keep --test {words} --only {only} --engine libaio --json"
                ));
                let ended = ended.run();
                if ended.starved() {
                    return Ok(Some(SPOILT.to_owned()));
                }
                if ended.code != 0 {
                    return Err(ended.stderr);
                }
                let record = ended.json().record;
                let total = record.steps[0].total();
                let ours = (total.bandwidth().mb(), total.latency().mean().map_or(0.0, |m| m.as_nanos() as f64));
                let after = fio_row(&fio_file(direction), &test, direction)?;
                let line = format!(
                    "{words:<14} {only:<5}  fio {:>8.1} and {:>8.1}  secchi {:>8.1} MB/s   mean fio {:>8.1} and {:>8.1}  secchi {:>8.1} us",
                    before.0,
                    after.0,
                    ours.0,
                    before.1 / 1e3,
                    after.1 / 1e3,
                    ours.1 / 1e3
                );
                eprintln!("{line}");
                let (low, high) = (before.0.min(after.0), before.0.max(after.0));
                // The measurement is short and others use the disk: only a gross difference is an error of secchi.
                // Large blocks may be faster in secchi because its buffers are in huge pages: then the kernel's count
                // must confirm ours.
                let slow = ours.0 < 0.4 * low;
                Ok((slow || ours.0 > 2.5 * high && !is_confirmed(&record)).then_some(line))
            };
            let mut difference = check().expect("both ran");
            for _ in 0..2 {
                if difference.is_some() {
                    difference = check().expect("both ran");
                }
            }
            if difference.as_deref() == Some(SPOILT) {
                testkit::skipped(&format!("{words} {}: {SPOILT} three times", direction.name()));
            } else {
                apart.extend(difference);
            }
        }
    }
    assert!(apart.is_empty(), "{apart:#?}");
}
