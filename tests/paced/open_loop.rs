//! Coordinated omission (docs/design/statistics.md, "Open and closed loops"; docs/design/goals.md, "Reliability", G4):
//! a stall counts in every request that it delays, not only in one.

use crate::support::{PATIENCE, Sandbox, Secchi, eventually, paced, skip, undisturbed};
use model::{LatencyHistogram, Op};
use std::time::{Duration, Instant};

const RATE: f64 = 1000.0;

#[test]
fn a_stall_of_a_second_is_in_every_request_it_delayed() {
    let _paced = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    let file = sandbox.data().join("t.dat");
    let fio = |words: &str| {
        let mut run = Secchi::new(&sandbox.path("home"));
        run.words("fio --name=r --size=64m --direct=1 --ioengine=libaio --bs=4k").words(words);
        run.arg(format!("--filename={}", file.display())).arg(format!("--store={}", sandbox.store().display()));
        run
    };
    assert_eq!(fio("--rw=write").run().code, 0);
    undisturbed(|| {
        let before = disk.group.reads();
        let mut run = fio("--rw=randread --iodepth=32 --rate_iops=1000 --runtime=8s --time_based");
        let running = run.inside(disk.group.path()).start();
        assert!(eventually(PATIENCE, || disk.group.reads() > before + 3000), "the load runs");
        let stalled = Instant::now();
        disk.group.hang();
        // The stall itself, not a wait for a condition.
        std::thread::sleep(Duration::from_secs(1));
        disk.group.lift();
        let stalled = stalled.elapsed().as_secs_f64();
        let ended = running.wait(PATIENCE);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let trust = ended.stdout.split("\nTRUST\n").nth(1).expect("it stands behind fio's output");
        let trust = trust.split_whitespace().collect::<Vec<_>>().join(" ");
        let needles = ["stalled", "of its step", "from due: mean", "from submission: mean"];
        let mut wrong: Vec<String> =
            needles.iter().filter(|w| !trust.contains(**w)).map(|w| format!("`{w}` is not in: {trust}")).collect();
        let run = sandbox.newest().expect("a run");
        let level = &run.judgement.patterns[0].levels[0];
        let listed = sandbox.secchi("runs").run().stdout;
        let due = format!("mean latency {} from the due time", level.mean.expect("something completed"));
        if !level.caveats.iter().any(|c| c == "not-settled" || c == "two-regimes") && !listed.contains(&due) {
            wrong.push(format!("`{due}` is not in: {listed}"));
        }
        let record = run.record;
        let mut response = LatencyHistogram::default();
        for interval in &record.steps[0].intervals {
            let read = interval.op(Op::Read);
            response.merge(if read.response.count() > 0 { &read.response } else { &read.latency });
        }
        let n = response.count() as f64;
        let longest = response.max().expect("something completed").secs();
        let p99 = response.quantile(0.99).expect("something completed").secs();
        // Requests that arrive during a stall of s wait s, s - 1/r, s - 2/r ...: n/100 of them exceed p99.
        let truth = longest - n / 100.0 / RATE;
        let mean = response.mean().expect("something completed").secs();
        eprintln!(
            "stalled {stalled:.3} s, longest {longest:.3} s, p99 {p99:.3} s for {truth:.3} s, mean {mean:.4} s, n {n}"
        );
        if longest < stalled * 0.9 {
            wrong.push(format!("longest {longest} of a stall of {stalled}"));
        }
        if (p99 / truth - 1.0).abs() > 0.06 {
            wrong.push(format!("p99 {p99} s, truth {truth} s"));
        }
        // At least s^2 * r / (2n).
        if mean < 0.9 * stalled * stalled * RATE / (2.0 * n) {
            wrong.push(format!("mean {mean} s"));
        }
        wrong
    });
}
