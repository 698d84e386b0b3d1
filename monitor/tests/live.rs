//! Facts, limits and counters of this machine, with loop devices, mounts and control groups that the tests set up and
//! remove. Tests that the machine does not permit are reported as skipped.

use monitor::facts::{storage, storage_doubts};
use monitor::{Io, KernelCounters, Roots, cgroup_limits, samplers};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::skipped as skip;

/// Environment variable with the file to which the child of the control-group test writes its findings.
const CHILD: &str = "SECCHI_TEST_CGROUP_CHILD";
const READS: u64 = 64;
const BLOCK: usize = 4096;

fn run(command: &[&str]) -> Result<String, String> {
    let out = Command::new(command[0]).args(&command[1..]).output().map_err(|e| format!("{}: {e}", command[0]))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    } else {
        Err(format!("{}: {}", command.join(" "), String::from_utf8_lossy(&out.stderr).trim()))
    }
}

/// Commands that undo the setup in reverse order, whether the test passed or failed.
#[derive(Default)]
struct Undo(Vec<Vec<String>>);

impl Undo {
    fn later(&mut self, command: &[&str]) {
        self.0.push(command.iter().map(|w| (*w).to_owned()).collect());
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        for command in self.0.iter().rev() {
            let _ = Command::new(&command[0]).args(&command[1..]).output();
        }
    }
}

/// Creates a directory on the build's file system rather than in `/tmp`, which is in memory on many machines.
fn disk_dir() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory")
}

fn text(path: &Path) -> String {
    path.to_str().expect("our own paths are plain").to_owned()
}

#[test]
fn a_loop_device_over_a_file_shows_the_devices_of_the_file_below_it() {
    let (host, dir, mut undo) = (Roots::host(), disk_dir(), Undo::default());
    let image = dir.path().join("image of a disk");
    fs::write(&image, vec![0u8; 16 << 20]).unwrap();
    let node = match run(&["losetup", "--find", "--show", &text(&image)]) {
        Ok(node) => node,
        Err(reason) => return skip(&reason),
    };
    undo.later(&["losetup", "--detach", &node]);

    let below = storage(&host, &image).unwrap();
    let facts = storage(&host, Path::new(&node)).unwrap();
    assert_eq!(facts.filesystem, "none");
    let top = &facts.devices[0];
    assert_eq!((format!("/dev/{}", top.name), top.kind.as_str(), top.size.as_u64()), (node.clone(), "loop", 16 << 20));
    assert_eq!(top.backing.as_deref(), Some(text(&image).as_str()));
    let lower: Vec<&str> = facts.devices[1..].iter().map(|d| d.name.as_str()).collect();
    let expected: Vec<&str> = below.devices.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(lower, expected);
    assert!(facts.direct_align.as_ref().is_some_and(|(align, _)| *align >= top.logical_block));
    assert!(storage_doubts(&host, &facts).iter().any(|c| c.id == "loop-buffered"));

    // With a file system on it, the same devices are found through the mount.
    let point = dir.path().join("mnt");
    fs::create_dir(&point).unwrap();
    if let Err(reason) = run(&["mkfs.ext4", "-q", &node]).and_then(|_| run(&["mount", &node, &text(&point)])) {
        return skip(&reason);
    }
    undo.later(&["umount", &text(&point)]);
    let inside = storage(&host, &point).unwrap();
    assert_eq!((inside.filesystem.as_str(), inside.mount_point), ("ext4", text(&point)));
    assert_eq!(inside.devices, facts.devices);
    assert!(inside.fs_free < inside.fs_size && inside.fs_size.as_u64() < 16 << 20);
}

#[test]
fn an_overlay_on_memory_refuses_direct_io_and_one_on_disk_shows_the_disk() {
    let (host, dir, mut undo) = (Roots::host(), disk_dir(), Undo::default());
    let path = |name: &str| text(&dir.path().join(name));
    for name in ["memory", "lower", "disk-upper", "disk-work", "on-memory", "on-disk"] {
        fs::create_dir(path(name)).unwrap();
    }
    if let Err(reason) = run(&["mount", "-t", "tmpfs", "tmpfs", &path("memory")]) {
        return skip(&reason);
    }
    undo.later(&["umount", &path("memory")]);
    fs::create_dir(path("memory/upper")).unwrap();
    fs::create_dir(path("memory/work")).unwrap();
    let mut overlay = |upper: &str, work: &str, at: &str| {
        let options = format!("lowerdir={},upperdir={},workdir={}", path("lower"), path(upper), path(work));
        run(&["mount", "-t", "overlay", "overlay", "-o", &options, &path(at)])?;
        undo.later(&["umount", &path(at)]);
        Ok::<(), String>(())
    };
    if let Err(reason) = overlay("memory/upper", "memory/work", "on-memory") {
        return skip(&reason);
    }
    let on_memory = storage(&host, Path::new(&path("on-memory"))).unwrap();
    assert_eq!(on_memory.filesystem, "overlay");
    assert!(on_memory.direct_refused.is_some_and(|r| r.contains("which is in memory")));
    assert!(on_memory.devices.is_empty());
    if let Err(reason) = overlay("disk-upper", "disk-work", "on-disk") {
        return skip(&reason);
    }
    let on_disk = storage(&host, Path::new(&path("on-disk"))).unwrap();
    assert_eq!(on_disk.devices, storage(&host, dir.path()).unwrap().devices);
}

/// Reads the file's blocks with direct I/O, so that the exact number of requests is known.
fn read_directly(path: &Path) -> Result<(), String> {
    let how = sys::files::OpenHow { access: sys::files::Access::Read, direct: true, exclusive: false };
    let place = path.canonicalize().map_err(|e| e.to_string())?;
    let file = sys::files::open_no_links(None, &place, how).map_err(|e| format!("direct open: {e}"))?;
    let mut room = vec![0u8; 2 * BLOCK];
    let start = room.as_ptr().align_offset(BLOCK);
    for block in 0..READS {
        let place = &mut room[start..start + BLOCK];
        sys::files::FileExt::read_exact_at(&file, place, block * BLOCK as u64).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Runs only as the child of the test below, inside the control group that it created.
#[test]
#[ignore = "the child of a_throttled_control_group_is_found_and_counted_by_its_member"]
fn child_in_a_control_group() {
    let Some(findings) = std::env::var_os(CHILD).map(PathBuf::from) else {
        return;
    };
    let host = Roots::host();
    let data = findings.with_extension("data");
    let devices = storage(&host, &data).unwrap().devices;
    let devs: Vec<(u32, u32)> = devices.iter().map(|d| d.dev).collect();
    let counters = KernelCounters::open(&host, &devices);
    let (mut open, _) = samplers::all(&host, &samplers::Subjects::from_devices(&devices));
    let before = counters.snapshot();
    read_directly(&data).unwrap();
    let asked = Io { read: READS * BLOCK as u64, read_ops: READS, ..Io::default() };
    let accounting = counters.snapshot().since(&before, asked);
    let mut samples = Vec::new();
    open.iter_mut().for_each(|s| s.sample(model::Nanos::from_secs(1), &mut samples));
    let mut lines: Vec<String> = cgroup_limits(&host, &devs).iter().map(|l| format!("limit {l}")).collect();
    lines.push(format!("process {:?}", accounting.process_read));
    lines.push(format!("cgroup {:?} {:?}", accounting.cgroup_read_ops, accounting.cgroup_read));
    lines.push(format!("device {}", accounting.device_read >= Some(accounting.asked_read)));
    let sampled = samples.iter().find(|s| s.name == "cgroup.read_ops").map(|s| s.value);
    lines.push(format!("sampled {sampled:?}"));
    fs::write(findings, lines.join("\n")).unwrap();
}

/// Returns the disk on which the control group's caps are set, in the kernel's notation.
fn disk_under(path: &Path) -> Option<String> {
    let devices = storage(&Roots::host(), path).ok()?.devices;
    let disk = devices.iter().find(|d| d.kind != "partition" && d.dev != (0, 0))?;
    Some(format!("{}:{}", disk.dev.0, disk.dev.1))
}

#[test]
fn a_throttled_control_group_is_found_and_counted_by_its_member() {
    let (dir, mut undo) = (disk_dir(), Undo::default());
    let group = Path::new("/sys/fs/cgroup/blkio").join(format!("secchi-test-{}", std::process::id()));
    let Some(disk) = disk_under(dir.path()) else {
        return skip("no disk is known under the build directory");
    };
    if fs::create_dir(&group).is_err() {
        return skip("no control group of version 1 for block I/O can be made here");
    }
    undo.later(&["rmdir", &text(&group)]);
    for (file, cap) in [("read_iops", 6000u64), ("read_bps", 93_750_000), ("write_bps", 10_000_000)] {
        let file = group.join(format!("blkio.throttle.{file}_device"));
        if let Err(reason) = fs::write(&file, format!("{disk} {cap}")) {
            return skip(&format!("{}: {reason}", file.display()));
        }
    }
    let findings = dir.path().join("findings");
    let data = findings.with_extension("data");
    let bytes: Vec<u8> = (0..READS as usize * BLOCK).map(|i| (i % 251) as u8).collect();
    fs::write(&data, bytes).unwrap();
    fs::File::open(&data).unwrap().sync_all().unwrap();
    if let Err(reason) = read_directly(&data) {
        return skip(&reason);
    }
    // The shell joins the group and then becomes this test program, so that all its threads start in the group.
    let script = r#"echo $$ > "$1/cgroup.procs" && shift && exec "$@""#;
    let me = std::env::current_exe().unwrap();
    let child = Command::new("sh")
        .args(["-c", script, "sh", &text(&group), &text(&me)])
        .args(["--exact", "child_in_a_control_group", "--ignored", "--quiet"])
        .env(CHILD, &findings)
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let bytes = READS * BLOCK as u64;
    assert_eq!(
        fs::read_to_string(&findings).unwrap().lines().collect::<Vec<_>>(),
        [
            "limit cgroup read 6,000 IOPS".to_owned(),
            "limit cgroup read 93.75 MB/s".to_owned(),
            "limit cgroup write 10.00 MB/s".to_owned(),
            format!("process Some({bytes})"),
            format!("cgroup Some({READS}) Some({bytes})"),
            "device true".to_owned(),
            format!("sampled Some({READS}.0)"),
        ]
    );
}

#[test]
fn the_samplers_of_this_machine_name_the_device_under_the_target() {
    let dir = disk_dir();
    let host = Roots::host();
    let devices = storage(&host, dir.path()).unwrap().devices;
    let Some(top) = devices.first() else {
        return skip("no device is known under the build directory");
    };
    let (mut open, unavailable) = samplers::all(&host, &samplers::Subjects::from_devices(&devices));
    assert!(unavailable.iter().all(|u| u.name != "disk"), "{unavailable:?}");
    let mut samples = Vec::new();
    open.iter_mut().for_each(|s| s.sample(model::Nanos::from_secs(1), &mut samples));
    for series in ["read_ops", "write_ops", "read", "write", "in_flight", "queue", "busy"] {
        let name = format!("device.{}.{series}", top.name);
        assert!(samples.iter().any(|s| s.name == name && s.value >= 0.0), "{name}");
    }
}
