//! Tests that trace requests on this machine, to a private loop device that no other process writes to.

use super::*;
use model::measured::{RequestKind, TracedOps};
use model::plan::UNMAPPED;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lock that allows one trace at a time, because the tests count instances.
pub(super) static ALONE: Mutex<()> = Mutex::new(());

/// Loop device over a private file, removed on drop.
struct Loop {
    device: PathBuf,
    _dir: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Loop {
    /// Creates a loop device; reports a skip and returns `None` if that is not possible.
    fn new(mib: u64) -> Option<Loop> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let dir = tempfile::tempdir_in(".").expect("a directory");
        let image = dir.path().join("image");
        let file = std::fs::File::create(&image).expect("a file");
        file.set_len(mib << 20).expect("its size");
        let made = Command::new("losetup").args(["--find", "--show"]).arg(&image).output();
        match made {
            Ok(out) if out.status.success() => {
                let device = String::from_utf8_lossy(&out.stdout).trim().into();
                Some(Loop { device, _dir: dir, _alone: alone })
            }
            _ => {
                testkit::skipped("no loop device can be made here");
                None
            }
        }
    }

    fn facts(&self) -> Vec<DeviceFacts> {
        let number = sys::files::metadata(&self.device).expect("a device").rdev();
        stack(&Roots::host(), &[sys::devices::device_number(number)])
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.device).status();
    }
}

fn begin(devices: &[DeviceFacts], roles: &[RolePath]) -> Option<BlockTracer<u8>> {
    match BlockTracer::begin(&Roots::host(), devices, roles, Nanos(0)) {
        Ok(tracer) => Some(tracer),
        Err(error) => {
            testkit::skipped(&error.to_string());
            None
        }
    }
}

/// Returns the only answer.
fn only(answers: Vec<(u8, BlockTrace)>) -> BlockTrace {
    let [(1, trace)] = <[(u8, BlockTrace); 1]>::try_from(answers).expect("one answer, in time") else {
        panic!("another")
    };
    trace
}

fn dd(args: &[&str], to: &Path) {
    let out = Command::new("dd").args(args).arg(format!("of={}", to.display())).arg("if=/dev/zero").output();
    let out = out.expect("dd runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

fn writes(trace: &BlockTrace, device: &Path) -> TracedOps {
    let name = device.file_name().expect("a name").to_string_lossy().into_owned();
    trace.devices.iter().find(|d| d.name == name).expect("it is traced").all(RequestKind::Write)
}

#[test]
fn every_write_is_seen_in_its_size_and_the_kernels_own_counts_agree() {
    let Some(loop_device) = Loop::new(16) else { return };
    // Trace only the loop device: on the disk below, other processes may have requests in flight when the trace begins.
    let Some(mut tracer) = begin(&loop_device.facts()[..1], &[]) else { return };
    dd(&["bs=8k", "count=300", "oflag=direct", "conv=notrunc"], &loop_device.device);
    let first = only(tracer.take(Nanos::from_micros(1), 1));
    dd(&["bs=64k", "count=20", "seek=10", "oflag=direct", "conv=notrunc"], &loop_device.device);
    let second = only(tracer.finish(Nanos::from_micros(3), 1));
    let small = writes(&first, &loop_device.device);
    assert_eq!(small.sizes.commonest(), [(Bytes(8192), 300)]);
    assert_eq!((small.ops, small.service.count(), small.sequential), (300, 300, 299));
    assert_eq!(writes(&second, &loop_device.device).sizes.commonest(), [(Bytes(65536), 20)]);
    let mut whole = first;
    whole.merge(&second);
    assert_eq!((whole.from, whole.until, whole.lost, whole.unmatched), (Nanos(0), Nanos::from_micros(3), 0, 0));
    let device = &whole.devices[0];
    let counted = device.counted.as_ref().expect("the kernel counts loop devices");
    assert_eq!(counted.ops[1], 320);
    assert_eq!(counted.sectors[1] * 512, device.all(RequestKind::Write).sizes.bytes().as_u64());
    assert_eq!(device.in_flight, 0);
    assert_eq!(device.queued.sizes[&RequestKind::Write].count(), 320, "nothing to merge or split");
    let submitted = device.processes.iter().filter(|p| p.program == "dd" && p.pid.is_some());
    assert_eq!(submitted.map(|p| p.ops[1]).sum::<u64>(), 320);
}

#[test]
fn two_areas_of_a_device_are_two_roles_through_the_loop_device_down_to_its_file() {
    let Some(loop_device) = Loop::new(16) else { return };
    let role = RolePath { role: "data".into(), path: loop_device.device.clone() };
    let Some(tracer) = begin(&loop_device.facts(), &[role]) else { return };
    dd(&["bs=16k", "count=50", "oflag=direct", "conv=notrunc"], &loop_device.device);
    let trace = only(tracer.finish(Nanos(1), 1));
    let device = &trace.devices[0];
    assert_eq!(device.roles.iter().map(|r| r.role.as_str()).collect::<Vec<_>>(), ["data"], "all of it is known");
    assert_eq!(device.roles[0].ops(), 50);
    // Both layers are listed separately: the loop device, and the device below that holds its file.
    let image = sys::files::canonical(loop_device._dir.path().join("image")).expect("it is there");
    let [below] = device.over.as_slice() else { panic!("one file: {:?}", device.over) };
    assert!(below.starts_with(&image.to_string_lossy().into_owned()), "{below}");
    for lower in trace.devices.iter().skip(1) {
        assert!(below.ends_with(&format!(" on {}", lower.name)) || below.contains(", "), "{below}: {}", lower.name);
    }
    assert!(trace.devices.iter().skip(1).flat_map(|d| &d.roles).all(|r| r.role == "data" || r.role == UNMAPPED));
}

/// Returns a machine with an LVM volume on an array of two partitions, as shown by sysfs.
fn stacked_machine() -> (tempfile::TempDir, Roots) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let roots = Roots::under(dir.path());
    let put = |path: &str, text: &str| {
        let path = roots.sys.join(path);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    let device = |number: &str, path: &str| {
        put(&format!("devices/{path}/dev"), &format!("{number}\n"));
        put(&format!("devices/{path}/size"), "2048\n");
        let link = roots.sys.join("dev/block").join(number);
        std::fs::create_dir_all(link.parent().expect("it has one")).expect("made");
        testkit::symlink(roots.sys.join("devices").join(path), link).expect("linked");
    };
    device("253:0", "virtual/block/dm-0");
    device("9:0", "virtual/block/md0");
    for (disk, major) in [("sda", 8), ("sdb", 65)] {
        device(&format!("{major}:0"), &format!("pci/{disk}"));
        put(&format!("devices/pci/{disk}/mq/0/cpu_list"), "0\n");
        device(&format!("{major}:1"), &format!("pci/{disk}/{disk}1"));
        put(&format!("devices/pci/{disk}/{disk}1/partition"), "1\n");
        put(&format!("devices/virtual/block/md0/slaves/{disk}1/dev"), &format!("{major}:1\n"));
    }
    put("devices/virtual/block/dm-0/slaves/md0/dev", "9:0\n");
    std::fs::create_dir_all(&roots.proc).expect("made");
    (dir, roots)
}

#[test]
fn every_layer_of_a_stack_is_traced_by_its_number_and_says_what_it_stands_on() {
    of_linux!();
    let (_dir, roots) = stacked_machine();
    let stack = stack(&roots, &[(253, 0)]);
    let numbers: Vec<(u32, u32)> = stack.iter().map(|d| d.dev).collect();
    let wholes = wholes(&roots, &numbers);
    let described: Vec<String> = wholes
        .iter()
        .map(|w| format!("{} {:?} {} over [{}]", w.name, w.dev, w.without_requests, w.over.join(", ")))
        .collect();
    assert_eq!(
        described,
        [
            "dm-0 (253, 0) true over [md0]",
            "md0 (9, 0) true over [sda1, sdb1]",
            "sda (8, 0) false over []",
            "sdb (65, 0) false over []",
        ],
        "partitions by their disks, each once"
    );
    assert_eq!(wholes[2].partitions, [(8, 1)]);
}

#[test]
fn a_tracer_that_ends_or_is_dropped_leaves_no_instance() {
    let Some(loop_device) = Loop::new(1) else { return };
    let Some(mut tracer) = begin(&loop_device.facts(), &[]) else { return };
    let count = || {
        let fs = tracefs::TraceFs::open(&Roots::host()).expect("it was opened just now");
        names(&fs.root.join("instances"))
            .iter()
            .filter(|n| n.starts_with(&format!("secchi-{}-", std::process::id())))
            .count()
    };
    assert_eq!(count(), 1);
    only(tracer.take(Nanos(1), 1));
    drop(tracer);
    assert_eq!(count(), 0);
    let second = begin(&loop_device.facts(), &[]).expect("again");
    only(second.finish(Nanos(2), 1));
    assert_eq!(count(), 0);
}

#[test]
fn events_that_found_no_room_are_counted() {
    let Some(loop_device) = Loop::new(4) else { return };
    let (roots, devices) = (Roots::host(), loop_device.facts());
    let Ok(tracer) =
        BlockTracer::<u8>::begin_sized(&roots, traced_disks(&roots, &devices, &[]), &[], Nanos(0), Some(8192), None)
    else {
        testkit::skip!("no tracer here")
    };
    dd(&["bs=512", "count=8000", "oflag=direct", "conv=notrunc"], &loop_device.device);
    let trace = only(tracer.finish(Nanos(1), 1));
    let counted = trace.devices[0].counted.as_ref().expect("counted").ops[1];
    assert_eq!(counted, 8000);
    let seen = writes(&trace, &loop_device.device).ops;
    // A slow machine may drain even the smallest buffer in time.
    assert!(seen == counted && trace.lost == 0 || seen < counted && trace.lost > 0, "{seen} seen, {} lost", trace.lost);
}

#[test]
fn answers_that_come_late_come_by_their_names_and_in_order_and_lose_nothing() {
    let Some(loop_device) = Loop::new(4) else { return };
    let Some(mut tracer) = begin(&loop_device.facts(), &[]) else { return };
    let write = |count: &str| dd(&["bs=4k", count, "oflag=direct", "conv=notrunc"], &loop_device.device);
    let mut answers = Vec::new();
    for (name, count) in [(1, "count=10"), (2, "count=20"), (3, "count=30")] {
        write(count);
        // Do not wait for the answer.
        tracer.ask(Nanos(name.into()), name, false);
    }
    write("count=40");
    answers.extend(tracer.late());
    answers.extend(tracer.take(Nanos(4), 4));
    write("count=50");
    answers.extend(tracer.finish(Nanos(5), 5));
    let counts: Vec<(u8, u64)> =
        answers.iter().map(|(name, trace)| (*name, writes(trace, &loop_device.device).ops)).collect();
    assert_eq!(counts, [(1, 10), (2, 20), (3, 30), (4, 40), (5, 50)]);
}

#[test]
fn what_has_no_device_is_told_so() {
    let error = BlockTracer::<u8>::begin(&Roots::host(), &[], &[], Nanos(0)).expect_err("nothing to trace");
    assert!(error.to_string().contains("no block device"), "{error}");
}
