//! Our operation counts compared with the kernel's, operation by operation (docs/design/goals.md, "Reliability", G1).

use crate::support::{Blkio, Run, SHORT, Sandbox, Tmpfs, beside, skip, undisturbed};
use std::fs::File;
use std::path::Path;

const BLOCK: u64 = 8192;

/// Returns the share of a file's blocks that the file system stores in two extents: the kernel reads such a block in
/// two operations. `None` if the file system does not report extents.
fn split_share(path: &Path) -> Option<f64> {
    let file = File::open(path).expect("our own file can be read");
    let size = file.metadata().expect("it stands").len();
    let extents = sys::storage::extents(&file, 0..size).expect("extents can be asked for")?;
    let mut split: Vec<u64> = extents.iter().map(|e| e.range.start).filter(|s| s % BLOCK != 0).collect();
    split.iter_mut().for_each(|start| *start /= BLOCK);
    split.dedup();
    Some(split.len() as f64 / (size / BLOCK) as f64)
}

#[test]
fn the_kernel_counts_the_reads_we_count() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    if let Err(why) = Blkio::on(&sandbox.data()) {
        skip!("{why}");
    }
    let kept = sandbox.qualify(sandbox.data(), "--patterns randread --bs 8k --max-depth 1 --size 64m --keep --json");
    let kept = kept.run();
    kept.measured();
    let share = split_share(&kept.json().record.plan.target.path);
    eprintln!("share of blocks in two places: {share:?}");
    // Otherwise the journal's writes would make the disk read its own blocks now and then.
    let memory = match Tmpfs::mount(&sandbox.store(), "64m") {
        Ok(memory) => memory,
        Err(why) => skip!("{why}"),
    };
    for engine in ["io_uring", "libaio", "psync"] {
        undisturbed(|| {
            let group = Blkio::on(&sandbox.data()).expect("the first one could be made");
            let words = format!("{SHORT} --json --engine {engine}");
            let ended = sandbox.qualify(sandbox.data(), &words).inside(group.path()).run();
            if ended.code == 4 {
                testkit::skipped(&format!("{engine}: {}", ended.stderr));
                return Vec::new();
            }
            ended.measured();
            let run = ended.json();
            crate::whole_run::adds_up(&run);
            find_errors(&run, &group, share)
        });
    }
    drop(memory);
}

/// Returns the differences between the kernel's counts and ours.
fn find_errors(run: &Run, group: &Blkio, share: Option<f64>) -> Vec<String> {
    let mut wrongs = Vec::new();
    let mut in_steps = 0;
    for step in &run.record.steps {
        let kernel = step.accounting.as_ref().expect("counters were read");
        let charged = kernel.cgroup_read_ops.expect("the group has counters");
        let label = format!("{}, {}: {kernel:?}", step.job.engine, step.job.name);
        if kernel.cgroup_read != Some(kernel.asked_read) {
            wrongs.push(format!("other bytes: {label}"));
        }
        let asked = kernel.asked_read_ops;
        let split = charged.checked_sub(asked).expect("no operation of ours is missing") as f64;
        // Offsets are random: the number of split reads is within six standard deviations of the expected share.
        if let Some(share) = share {
            let expected = share * asked as f64;
            let chance = if share > 0.0 { 6.0 * expected.sqrt() + expected * 0.05 + 3.0 } else { 0.0 };
            if (split - expected).abs() > chance {
                wrongs.push(format!("{split} reads were split, not about {expected:.1}: {label}"));
            }
        }
        in_steps += charged;
    }
    // The group is also charged for reading the program, the extent map and the header of our file if they are not
    // cached.
    let besides = group.reads().checked_sub(in_steps).expect("the group holds every step");
    eprintln!("{in_steps} reads in steps, {besides} besides");
    if besides > 2000 {
        wrongs.push(format!("{in_steps} reads in steps, {besides} besides"));
    }
    wrongs
}
