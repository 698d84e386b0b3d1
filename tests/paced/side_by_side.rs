//! Several targets under one cap: loop devices with their own caps on a disk with a common cap.

use crate::support::{Blkio, Loop, Mounted, Run, Sandbox, alone, beside, loop_and_ext4, skip, undisturbed};
use model::judged::{BindingKind, PatternJudgement};
use model::plan::StageRole;

/// Cap of all targets together; `OWN` is that of the second one.
const SHARED: u64 = 2000;
const OWN: u64 = 500;

/// Two file systems on loop devices over files of one disk, and a group that caps the disk and the second device.
struct Pair {
    group: Blkio,
    a: (Mounted, Loop),
    b: (Mounted, Loop),
    sandbox: Sandbox,
}

impl Pair {
    fn new() -> Result<Pair, String> {
        let sandbox = Sandbox::new();
        let group = Blkio::on(&sandbox.data())?;
        let disk = |name: &str| -> Result<(Mounted, Loop), String> {
            let made = loop_and_ext4(&sandbox.path(&format!("{name}.image")), 4 << 30, &sandbox.path(name))?;
            made.1.direct()?;
            Ok(made)
        };
        let (a, b) = (disk("a")?, disk("b")?);
        Ok(Pair { group, a, b, sandbox })
    }

    fn run(&self) -> Run {
        let mut secchi =
            self.sandbox.secchi("qualify --size 128m --keep --json --patterns randread --bs 8k --max-depth 8");
        for (name, side) in [("A", &self.a), ("B", &self.b)] {
            secchi.arg("--target").arg(format!("{name}={}", side.0.point.display()));
        }
        let ended = secchi.inside(self.group.path()).run();
        assert!(ended.code == 0 || ended.code == 2, "{}", ended.stderr);
        ended.json()
    }
}

fn ramp(run: &Run) -> &PatternJudgement {
    run.judgement.patterns.iter().find(|p| p.role == StageRole::Ramp).expect("a ramp was asked for")
}

#[test]
fn the_cap_two_targets_share_is_named_and_what_each_had_of_it() {
    let _alone = alone();
    let pair = match Pair::new() {
        Ok(pair) => pair,
        Err(why) => skip!("{why}"),
    };
    pair.group.cap_reads(SHARED, 0);
    if let Err(why) = pair.group.cap_reads_of(&pair.b.0.point, OWN) {
        skip!("{why}");
    }
    undisturbed(|| {
        let run = pair.run();
        let pattern = ramp(&run);
        let mut wrongs = Vec::new();
        let binding = &pattern.binding;
        if binding.kind != BindingKind::LimitIops || binding.names != ["cgroup read IOPS"] {
            wrongs.push(format!("not the shared cap: {binding:#?}"));
        }
        let level = pattern.levels.last().expect("a level was run");
        let off = level.iops.value / SHARED as f64 - 1.0;
        if off.abs() > 0.03 {
            wrongs.push(format!("the sum is {:+.1} % from the shared cap", off * 100.0));
        }
        let names: Vec<&str> = pattern.shares.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        let (a, b) = (&pattern.shares[0], &pattern.shares[1]);
        eprintln!("A {:.1} %, B {:.1} %, B at {:?}", a.share * 100.0, b.share * 100.0, b.at);
        let expected = OWN as f64 / SHARED as f64;
        if (b.share - expected).abs() > 0.02 || (a.share + b.share - 1.0).abs() > 1e-9 {
            wrongs.push(format!("B had {} of the sum, its own cap is {expected}", b.share));
        }
        if b.at.as_deref() != Some("cgroup read IOPS") || a.at.is_some() {
            wrongs.push(format!("B alone is at a cap of its own: {a:?} {b:?}"));
        }
        // The steps of the targets add up to those of the joint record.
        let joint = run.record.joint();
        let parts: u64 = run.record.steps.iter().filter_map(|s| s.end.as_ref()).map(|e| e.completed).sum();
        let whole: u64 = joint.steps.iter().filter_map(|s| s.end.as_ref()).map(|e| e.completed).sum();
        assert_eq!((parts, joint.steps.len() * 2), (whole, run.record.steps.len()));
        wrongs
    });
}

#[test]
fn targets_that_make_no_sense_together_are_refused() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let dir = sandbox.data().display().to_string();
    let refuse = |words: &str, needle: &str| sandbox.secchi(&format!("qualify {words}")).run().refuses(64, needle);
    refuse(&format!("--target A={dir}"), "given once");
    refuse(&format!("--target A={dir} --target A={dir}"), "two targets are named `A`");
    refuse(&format!("--target {dir} --target B={dir}"), "NAME=PATH");
    refuse(&format!("--target A= --target B={dir}"), "NAME=PATH");
    let file = sandbox.path("other");
    std::fs::create_dir(&file).expect("a directory can be made");
    let two = format!("--size 64m --target A={dir} --target B={}", file.display());
    let with = |option: &str| sandbox.secchi(&format!("qualify {two}")).arg(option).run();
    with("--limit=volume on=C iops=500").refuses(64, "the targets are A, B");
    with("--volume=gp9:size=500GiB").refuses(64, "did you mean");
    let twice = sandbox.secchi(&format!("qualify {two} --volume A=gp3:size=500GiB --volume A=gp3:size=600GiB"));
    twice.run().refuses(64, "already has a volume");
    sandbox.secchi(&format!("qualify {dir}")).arg("--limit=volume on=C iops=500").run().refuses(64, "several --target");
}
