//! Our counts against the kernel's, operation by operation (G1).

use crate::support::{Blkio, Place, SHORT, beside, skip};

#[test]
fn the_kernel_counts_the_reads_we_count() {
    let _beside = beside();
    let place = Place::new();
    let kept = place.qualify(place.data(), "--patterns randread --bs 8k --max-depth 1 --size 64m --keep").run();
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    for engine in ["io_uring", "libaio", "psync"] {
        let group = match Blkio::on(&place.data()) {
            Ok(group) => group,
            Err(why) => skip!("{why}"),
        };
        let words = format!("{SHORT} --json --engine {engine}");
        let ended = place.qualify(place.data(), &words).inside(group.path()).run();
        if ended.code == 4 {
            eprintln!("SKIPPED: {engine}: {}", ended.stderr);
            continue;
        }
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let run = ended.json();
        crate::whole_run::adds_up(&run);
        let ends = || run.record.steps.iter().filter_map(|s| s.end.as_ref());
        let ours: u64 = ends().map(|e| e.submitted).sum();
        for step in &run.record.steps {
            let kernel = step.accounting.as_ref().expect("counters were read");
            let charged = kernel.cgroup_read_ops.expect("the group has counters");
            let label = format!("{engine}, {}: {kernel:?}", step.job.name);
            assert_eq!(kernel.cgroup_read, Some(kernel.asked_read), "{label}");
            // A block of ours that crosses from one extent of the file to the next is two operations.
            let split = charged.checked_sub(kernel.asked_read_ops).expect("no operation of ours is missing");
            assert!(split <= kernel.asked_read_ops / 500, "{label}");
        }
        // Besides, the group pays for reading the program, the file's map and our own file's header.
        let theirs = group.reads();
        assert!((ours..ours + 100).contains(&theirs), "{engine}: we sent {ours} reads, the kernel counted {theirs}");
    }
}
