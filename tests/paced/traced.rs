//! The block trace of a run: its counts compared with the kernel's, sizes by pattern and by role, and its behaviour
//! without permission and after a kill.

use crate::support::{
    Blkio, Ended, Mounted, PATIENCE, Run, Sandbox, Secchi, as_nobody, beside, eventually, names_in, own_disk,
    processes_about, skip,
};
use model::Bytes;
use model::measured::{BlockTrace, RequestKind, TracedDevice, TracedOps};
use std::ffi::OsStr;
use std::path::Path;

fn fio(sandbox: &Sandbox, disk: &Path, words: &str) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    let directory = format!("--directory={}", disk.display());
    secchi.words("fio --trace-blocks --store").arg(sandbox.store()).arg(directory).words(words);
    secchi
}

fn kept_run(sandbox: &Sandbox, ended: &Ended) -> Run {
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    sandbox.newest().expect("a run was kept")
}

/// Returns the reason if there is no trace here.
fn untraced(run: &Run) -> Option<String> {
    run.record.caveats.iter().find(|c| c.id == "no-block-trace").map(|c| c.evidence.to_string())
}

/// Returns the trace of these steps and its loop device, the top of the stack.
fn traced<'a>(run: &'a Run, steps: &[usize]) -> (&'a BlockTrace, &'a TracedDevice) {
    let of_steps = run.record.blocks.iter().find(|b| b.steps == steps).expect("the steps were traced");
    let name = &run.record.preflight.storage.devices[0].name;
    let device = of_steps.trace.devices.iter().find(|d| d.name == *name).expect("its device was traced");
    (&of_steps.trace, device)
}

fn writes<'a>(device: &'a TracedDevice, role: &str) -> &'a TracedOps {
    let role = device.roles.iter().find(|r| r.role == role).expect("the role wrote");
    role.kind(RequestKind::Write).expect("it wrote")
}

#[test]
fn a_paced_run_is_traced_to_the_operation_and_its_sizes_sum_to_the_kernels_counts() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (disk, _device) = own_disk!(sandbox, 2 << 30);
    let mut secchi = fio(
        &sandbox,
        &disk.point,
        "--name=w --rw=randwrite --bs=8k --size=64m --direct=1 --ioengine=io_uring --iodepth=8 --rate_iops=6000 \
         --time_based --runtime=2",
    );
    let group = Blkio::on(&disk.point);
    if let Ok(group) = &group {
        secchi.inside(group.path());
    }
    let run = kept_run(&sandbox, &secchi.run());
    if let Some(why) = untraced(&run) {
        skip!("{why}");
    }
    let (trace, device) = traced(&run, &[0]);
    assert_eq!((trace.lost, trace.unmatched), (0, 0));
    let job_writes = writes(device, "w");
    let asked = run.record.steps[0].accounting.as_ref().expect("counters were read");
    assert_eq!(job_writes.sizes.bytes(), Bytes(asked.asked_write), "every byte asked for, and no other");
    assert_eq!(job_writes.sizes.count(), job_writes.ops);
    assert_eq!(job_writes.sizes.buckets().iter().map(|b| b.0).sum::<u64>(), job_writes.ops);
    assert_eq!(job_writes.service.count(), job_writes.ops);
    assert_eq!(job_writes.across, 0);
    if let (Ok(_), Some(charged)) = (&group, asked.cgroup_write_ops) {
        assert_eq!(charged, asked.asked_write_ops, "the group is charged what entered the block layer");
    }
    // All requests on the device, including those of the file system, over the whole run: the kernel counts a request a
    // moment after it reports its completion, which on a loaded machine may be in the next interval.
    let mut whole = BlockTrace::default();
    run.record.blocks.iter().for_each(|b| whole.merge(&b.trace));
    let everything = whole.devices.iter().find(|d| d.name == device.name).expect("it is the same device");
    let counted = everything.counted.as_ref().expect("the kernel counts loop devices");
    let all_writes = everything.all(RequestKind::Write);
    // Zeroing of unwritten extents counts as writes in the kernel, without data.
    let zeroed = everything.all(RequestKind::Other);
    assert_eq!(all_writes.sizes.bytes().as_u64() + zeroed.sizes.bytes().as_u64(), counted.sectors[1] * 512);
    let flushes = everything.all(RequestKind::Flush).ops;
    let more = counted.ops[1] - all_writes.ops - zeroed.ops;
    assert!(more == 0 || flushes > 0, "{more} writes of the kernel's are in no event");
    let step_writes = device.all(RequestKind::Write);
    let merged = device.queued.sizes[&RequestKind::Write].count() - step_writes.ops;
    assert!(merged <= step_writes.ops / 50, "8 KiB at random stay what they are: {merged} merged");
    assert!(job_writes.sizes.commonest()[0].0 == Bytes(8192), "{:?}", job_writes.sizes.commonest());
    assert!(run.judgement.layers.iter().any(|l| l.steps == [0] && !l.says.is_empty()));
}

#[test]
fn what_is_written_in_order_through_the_cache_reaches_the_device_in_large_requests() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (disk, _device) = own_disk!(sandbox, 2 << 30);
    let words = "--name=s --rw=write --bs=8k --size=64m --direct=0 --end_fsync=1 --ioengine=psync";
    let run = kept_run(&sandbox, &fio(&sandbox, &disk.point, words).run());
    if let Some(why) = untraced(&run) {
        skip!("{why}");
    }
    let (_, device) = traced(&run, &[0]);
    let job_writes = writes(device, "s");
    assert_eq!(job_writes.sizes.bytes(), Bytes::from_mib(64), "all of the file, once");
    let mean = job_writes.sizes.mean().expect("there are requests");
    assert!(mean >= Bytes::from_kib(64), "blocks of 8 KiB went out in requests of {mean}");
    let says = &run.judgement.layers.iter().find(|l| l.steps == [0]).expect("layers").says;
    assert!(says.iter().any(|s| s.contains("per request, with the same bytes")), "{says:?}");
}

#[test]
fn files_of_two_jobs_are_told_apart_to_the_byte() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (disk, _device) = own_disk!(sandbox, 2 << 30);
    let words = "--direct=1 --ioengine=psync --size=16m --rw=randwrite --name=data --bs=8k --name=journal --bs=64k";
    let run = kept_run(&sandbox, &fio(&sandbox, &disk.point, words).run());
    if let Some(why) = untraced(&run) {
        skip!("{why}");
    }
    let (_, device) = traced(&run, &[0, 1]);
    for (step, role) in run.record.steps.iter().zip(["data", "journal"]) {
        let asked = step.end.as_ref().expect("it ended").bytes;
        assert_eq!(writes(device, role).sizes.bytes(), Bytes(asked), "{role}");
    }
    // With roles of the user: one file has a role, the other has none.
    let mut secchi = fio(&sandbox, &disk.point, words);
    let file = names_in(&disk.point).into_iter().find(|n| n.contains("journal")).expect("its file");
    secchi.arg("--overwrite=1").arg(format!("--role=log={}", disk.point.join(file).display()));
    let run = kept_run(&sandbox, &secchi.run());
    let (_, device) = traced(&run, &[0, 1]);
    assert_eq!(writes(device, "log").sizes.bytes(), Bytes::from_mib(16));
    assert!(writes(device, model::plan::UNMAPPED).sizes.bytes() >= Bytes::from_mib(16));
}

#[test]
fn without_permission_a_sentence_says_what_is_missing_and_the_run_goes_on() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let Some(nobody) = as_nobody(&sandbox) else { return };
    let mut secchi = nobody("fio --trace-blocks --name=r --rw=randread --bs=8k --size=1m --ioengine=psync");
    secchi.arg(format!("--directory={}", sandbox.data().display())).arg("--store").arg(sandbox.store());
    let ended = secchi.run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    // In a container only root of the host can help.
    let who = if text.contains("a container has no tracefs") { "as root on the host" } else { "sudo" };
    for needle in ["were not recorded", "no trace: ", who] {
        assert!(text.contains(needle), "`{needle}` is not in: {text}");
    }
}

#[test]
fn a_killed_run_leaves_no_instance_behind_after_the_next() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (disk, _device) = own_disk!(sandbox, 2 << 30);
    let words: [&OsStr; 3] = ["-t".as_ref(), "tracefs".as_ref(), "secchi-e2e".as_ref()];
    let tracefs = match Mounted::new(&words, &sandbox.path("tracefs")) {
        Ok(tracefs) => tracefs,
        Err(why) => skip!("{why}"),
    };
    let words = "--name=k --rw=randread --bs=8k --size=8m --direct=1 --ioengine=psync --time_based --runtime=60";
    let running = fio(&sandbox, &disk.point, words).start();
    let about = || processes_about(&disk.point);
    let left = |pids: &[u32]| {
        let ours = |name: &String| pids.iter().any(|p| name.starts_with(&format!("secchi-{p}-")));
        names_in(&tracefs.point.join("instances")).into_iter().filter(ours).count()
    };
    let mut pids = Vec::new();
    let traced = eventually(PATIENCE, || {
        pids = about();
        left(&pids) > 0
    });
    running.signal(rustix::process::Signal::KILL);
    drop(running);
    assert!(eventually(PATIENCE, || about().is_empty()), "the load ends with its supervisor");
    if !traced {
        skip!("no trace was begun here");
    }
    assert_eq!(left(&pids), 1, "nobody was left to remove it");
    let words = "--name=k --rw=randread --bs=8k --size=8m --direct=1 --ioengine=psync --io_size=1m";
    let run = kept_run(&sandbox, &fio(&sandbox, &disk.point, words).run());
    assert_eq!(untraced(&run), None);
    assert_eq!(left(&pids), 0, "the next one removes it");
}
