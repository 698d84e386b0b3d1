//! Tests of block devices as targets, with private loop devices. A device in use is detected under every name, nothing
//! is written without consent, and the claim lasts for the whole run.

mod support;

use load::content::Content;
use load::target::{Action, Class, TargetError, TargetRequest, inspect, open};
use model::Bytes;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::*;
use sys::files::{FileExt, MetadataExt};
use testkit::symlink;

/// Returns the text that must be typed for a loop device of `mib` MiB.
fn word(device: &Loop, mib: u64) -> String {
    format!("{}:{}", device.dev.display(), mib * MIB)
}

/// Environment of a device test: a directory with an image. Only one test has such an environment at a time.
struct Stage {
    dir: Dir,
    file: PathBuf,
    // Dropped last.
    _alone: std::sync::MutexGuard<'static, ()>,
}

/// Returns a stage with an empty image of `mib` MiB.
fn stage(mib: u64) -> Stage {
    let alone = alone();
    let dir = dir();
    let file = dir.join("image");
    image(&file, mib);
    std::fs::create_dir(dir.join("mnt")).unwrap();
    Stage { dir, file, _alone: alone }
}

/// Returns a stage with a file system in its image, if the tools to create a file system exist.
fn stage_formatted(mib: u64) -> Option<Stage> {
    let stage = stage(mib);
    mkfs(&stage.file).then_some(stage)
}

fn destroy(device: &Loop, mib: u64) -> TargetRequest {
    TargetRequest { consent: Some(word(device, mib)), ..request(&device.dev, mib) }
}

fn refused(request: &TargetRequest, expected: &str) -> TargetError {
    let error = inspect(request).unwrap_err();
    assert_eq!(error.class(), Class::Refused, "{error}");
    assert!(error.to_string().contains(expected), "{error}");
    error
}

/// Names under which a device can be reached: its node, a relative path, a link, a second node, a bind mount over
/// another node, and a descriptor.
struct Names {
    all: Vec<PathBuf>,
    _held: File,
    // Dropped (unmounted) before its directory is removed.
    _bind: Option<Mount>,
    _dir: Dir,
}

fn all_names(device: &Loop) -> Names {
    let dir = dir();
    let mut paths = vec![device.dev.clone()];
    let ups = std::env::current_dir().unwrap().canonicalize().unwrap().components().count() - 1;
    let up: PathBuf = std::iter::repeat_n("..", ups).collect();
    paths.push(up.join(device.dev.strip_prefix("/").unwrap()));
    symlink(&device.dev, dir.join("link")).unwrap();
    symlink("link", dir.join("link2")).unwrap();
    paths.extend([dir.join("link"), dir.join("link2")]);
    if mknod(&dir.join("node"), device.number()) {
        paths.push(dir.join("node"));
    }
    std::fs::write(dir.join("under"), b"").unwrap();
    let bind = Mount::new(&["--bind", device.dev.to_str().unwrap()], &dir.join("under"));
    paths.extend(bind.is_some().then(|| dir.join("under")));
    let held = File::open(&device.dev).unwrap();
    paths.push(format!("/proc/self/fd/{}", held.as_raw_fd()).into());
    Names { all: paths, _held: held, _bind: bind, _dir: dir }
}

/// Asserts that the device is rejected under every name, for writing and for reading, with and without the right
/// consent.
fn refused_under_every_name(device: &Loop, mib: u64, expected: &str) {
    let names = all_names(device);
    for name in &names.all {
        for request in [
            request(name, mib),
            TargetRequest { path: name.clone(), ..destroy(device, mib) },
            TargetRequest { path: name.clone(), share: true, ..destroy(device, mib) },
            reading(name),
        ] {
            let error = inspect(&request).unwrap_err();
            assert_eq!(error.class(), Class::Refused, "{}: {error}", name.display());
            let link = error.to_string().contains("symbolic link");
            assert!(link || error.to_string().contains(expected), "{}: {error}", name.display());
            assert!(!link || request.will_write, "reading may go through links: {error}");
        }
    }
}

#[test]
fn an_unused_device_needs_its_identity_typed_and_tells_what_lies_on_it() {
    let Some(Stage { _alone, dir: _dir, file }) = stage_formatted(16) else { return };
    let Some(device) = Loop::on(&file, &[]) else { return };
    let before = snapshot(&file);
    let error = refused(&request(&device.dev, 16), "contains ext2/3/4").to_string();
    assert!(error.contains(&format!("--destroy '{}'", word(&device, 16))), "{error}");
    assert!(error.contains("16 MiB") && error.contains("all data on it would be lost"), "{error}");
    for wrong in ["", "yes", "/dev/loop99:16777216", &device.dev.display().to_string()] {
        let typed = TargetRequest { consent: Some(wrong.to_owned()), ..request(&device.dev, 16) };
        refused(&typed, "--destroy names");
    }
    let inspection = inspect(&destroy(&device, 16)).unwrap();
    assert_eq!(inspection.action, Action::DestroyDevice);
    assert_eq!((inspection.size, inspection.to_fill), (Bytes(16 * MIB), Bytes(16 * MIB)));
    assert!(inspection.opens.iter().any(|o| o.flags.contains("O_RDWR|O_EXCL")), "{:?}", inspection.opens);
    let hasty = inspect(&TargetRequest { yes: false, ..destroy(&device, 16) }).unwrap();
    assert_eq!(hasty.large.as_deref(), Some("16 MiB are 100 % of 16 MiB"));
    assert_eq!(open(hasty).unwrap_err().class(), Class::Refused);
    let small = TargetRequest { size: Some(Bytes(17 * MIB)), ..destroy(&device, 16) };
    assert_eq!(inspect(&small).unwrap_err().class(), Class::BadInput);
    assert_eq!(snapshot(&file), before);
}

#[test]
fn a_device_is_held_for_the_whole_run_and_its_fill_is_known_again() {
    let Some(Stage { _alone, dir, file }) = stage_formatted(16) else { return };
    let Some(device) = Loop::on(&file, &[]) else { return };
    let (_, mut target) = inspect_open(&destroy(&device, 16)).unwrap();
    refused(&destroy(&device, 16), "in use");
    refused(&reading(&device.dev), "in use");
    let mounted = Command::new("mount").arg(&device.dev).arg(dir.join("mnt")).stderr(Stdio::null()).status().unwrap();
    assert!(!mounted.success(), "the claim keeps mounts out");
    fill(&mut target, u64::MAX);
    assert_eq!(unfilled(&target), 0);
    target.file(true, true).unwrap().write_all_at(aligned_block(target.inspection().uuid.unwrap()), 8192).unwrap();
    target.still_there().unwrap();
    target.free_space_ok().unwrap();
    let uuid = target.inspection().uuid;
    target.remove().unwrap();
    assert!(device.dev.exists(), "devices are not removed");

    let inspection = inspect(&destroy(&device, 16)).unwrap();
    assert_eq!((inspection.uuid, inspection.to_fill), (uuid, Bytes(0)));
    assert!(inspection.device.unwrap().signatures.found.contains(&"secchi test data"));
    refused(&request(&device.dev, 16), "all data on it would be lost");
    let (inspection, target) = inspect_open(&reading(&device.dev)).unwrap();
    assert_eq!((inspection.action, inspection.uuid), (Action::ReadDevice, uuid));
    assert_eq!(target.file(false, true).unwrap_err().class(), Class::Refused);
    assert!(target.unfilled().is_empty());
}

/// Returns a page-aligned block for direct I/O.
fn aligned_block(uuid: u128) -> &'static [u8] {
    let memory = Box::leak(vec![0u8; 8192].into_boxed_slice());
    let start = memory.as_ptr().align_offset(4096);
    let block = &mut memory[start..start + 4096];
    let content = Content::new(uuid, 3);
    content.fill_pool(block);
    content.stamp(block, 8192, 2);
    block
}

#[test]
fn a_mounted_device_is_refused_under_every_name() {
    let Some(Stage { _alone, dir, file }) = stage_formatted(16) else { return };
    let Some(device) = Loop::on(&file, &[]) else { return };
    let Some(_mount) = Mount::device(&device.dev, &dir.join("mnt"), "ro") else { return };
    let before = snapshot(&file);
    refused_under_every_name(&device, 16, &format!("is mounted on {}", dir.join("mnt").display()));
    // The backing file is rejected as a user's file, whether it is mounted or not.
    refused(&request(&file, 16), "it was not changed");
    // Reading alongside the file system is allowed only on request, and without a claim.
    let share = TargetRequest { share: true, ..reading(&device.dev) };
    let (inspection, target) = inspect_open(&share).unwrap();
    assert!(inspection.notes.iter().any(|n| n.contains("disturb")), "{:?}", inspection.notes);
    assert!(inspection.opens.iter().all(|o| !o.flags.contains("O_EXCL")), "{:?}", inspection.opens);
    target.file(true, false).unwrap();
    assert_eq!(snapshot(&file), before);
}

#[test]
fn a_device_under_another_loop_device_is_refused() {
    let Some(Stage { _alone, dir, file }) = stage_formatted(16) else { return };
    let Some(lower) = Loop::on(&file, &[]) else { return };
    let Some(upper) = Loop::on(&lower.dev, &["-r"]) else { return };
    let before = snapshot(&file);
    refused_under_every_name(&lower, 16, &format!("{} is used by {}", lower.name(), upper.name()));
    let Some(_mount) = Mount::device(&upper.dev, &dir.join("mnt"), "ro,noload") else { return };
    refused_under_every_name(&lower, 16, &format!("{} is mounted on", upper.name()));
    assert_eq!(snapshot(&file), before);
}

#[test]
fn swap_is_refused_under_every_name() {
    let Stage { _alone, dir: _dir, file } = stage(16);
    let Some(device) = Loop::on(&file, &[]) else { return };
    {
        let Some(_swap) = Swap::on(&device.dev) else { return };
        let before = snapshot(&file);
        refused_under_every_name(&device, 16, "is swap");
        let error = inspect(&TargetRequest { share: true, ..destroy(&device, 16) }).unwrap_err();
        assert!(error.to_string().contains("this machine runs from it"), "{error}");
        assert_read_beside_its_users(&device.dev, "is swap");
        assert_eq!(snapshot(&file), before);
    }
    refused(&request(&device.dev, 16), "contains swap");
}

#[test]
fn a_device_that_a_process_writes_to_is_refused() {
    let Stage { _alone, dir: _dir, file } = stage(16);
    let Some(device) = Loop::on(&file, &[]) else { return };
    let raw = File::options().read(true).write(true).open(&device.dev).unwrap();
    let child = Command::new("sleep").arg("60").stdin(Stdio::from(raw)).spawn().unwrap();
    let child = Child(child);
    refused_under_every_name(&device, 16, &format!("open for writing in process {}", child.0.id()));
    drop(child);
    inspect(&destroy(&device, 16)).unwrap();
}

#[test]
fn the_device_the_machine_lives_on_is_never_written_and_only_read_beside_its_users() {
    let _alone = alone();
    let dev = sys::files::metadata("/").unwrap().dev();
    let dir = dir();
    // Create a private node for the device of `/`. The device is only inspected.
    if sys::devices::device_number(dev).0 == 0 || !mknod(&dir.join("root"), dev) {
        return skip("/ lies on no block device of its own");
    }
    let root = dir.join("root");
    for share in [false, true] {
        let error = inspect(&TargetRequest { share, ..request(&root, 1) }).unwrap_err();
        assert_eq!(error.class(), Class::Refused, "{error}");
        assert!(error.to_string().contains("this machine runs from it"), "{error}");
    }
    let error = inspect(&reading(&root)).unwrap_err();
    assert_eq!(error.class(), Class::Refused, "{error}");
    assert!(error.to_string().contains("read it anyway with --share"), "{error}");
    if let Err(error) = File::open(&root) {
        return skip(&format!("the device / lies on cannot be opened even for reading here: {error}"));
    }
    assert_read_beside_its_users(&root, "is mounted on /");
}

/// Asserts that a device in use can be read with `share`: read-only, without a claim, and with its users in the notes.
fn assert_read_beside_its_users(dev: &Path, user: &str) {
    let read = inspect(&TargetRequest { share: true, ..reading(dev) }).unwrap();
    let harmless = |flags: &str| flags.contains("O_RDONLY") && !flags.contains("O_EXCL");
    assert!(read.opens.iter().all(|o| harmless(&o.flags)), "{:?}", read.opens);
    assert!(read.notes.iter().any(|n| n.contains(user)), "{:?}", read.notes);
}

#[test]
fn a_disk_with_a_mounted_partition_is_refused() {
    let Stage { _alone, dir, file } = stage(32);
    // One partition from 1 MiB to the end of the device, in a partition table written by hand.
    let mut entry = [0u8; 66];
    entry[4] = 0x83;
    entry[8..12].copy_from_slice(&2048u32.to_le_bytes());
    entry[12..16].copy_from_slice(&(31 * 2048u32).to_le_bytes());
    entry[64..].copy_from_slice(&[0x55, 0xAA]);
    File::options().write(true).open(&file).unwrap().write_all_at(&entry, 446).unwrap();
    let Some(device) = Loop::on(&file, &["-P"]) else { return };
    refused(&request(&device.dev, 32), "MBR partition table");
    let part = PathBuf::from(format!("{}p1", device.dev.display()));
    if !part.exists() {
        return skip("this kernel makes no partitions on loop devices");
    }
    if !mkfs(&part) {
        return;
    }
    let Some(_mount) = Mount::device(&part, &dir.join("mnt"), "ro") else { return };
    let before = snapshot(&file);
    refused_under_every_name(&device, 32, "is mounted on");
    assert_eq!(snapshot(&file), before);
}

#[test]
fn a_read_only_or_empty_device_cannot_be_used() {
    let Stage { _alone, dir, file } = stage(16);
    let Some(device) = Loop::on(&file, &["-r"]) else { return };
    let error = inspect(&destroy(&device, 16)).unwrap_err();
    assert_eq!(error.class(), Class::Cannot, "{error}");
    assert!(error.to_string().contains("read-only"), "{error}");
    let free = Path::new("/dev/zram0");
    if free.exists() && std::fs::read_to_string("/sys/block/zram0/disksize").is_ok_and(|s| s.trim() == "0") {
        let error = inspect(&reading(free)).unwrap_err();
        assert_eq!(error.class(), Class::Cannot, "{error}");
    } else {
        skip("no unattached zram0 here");
    }
    let nothing = dir.join("nothing");
    // Major number 240 is reserved for experiments, so it has no driver.
    if mknod(&nothing, 240 << 8 | 7) {
        assert_eq!(inspect(&reading(&nothing)).unwrap_err().class(), Class::Cannot);
    }
}

#[test]
fn a_device_that_shrinks_is_lost() {
    let Stage { _alone, dir: _dir, file } = stage(16);
    let Some(device) = Loop::on(&file, &[]) else { return };
    let (_, target) = inspect_open(&destroy(&device, 16)).unwrap();
    target.still_there().unwrap();
    File::options().write(true).open(&file).unwrap().set_len(8 * MIB).unwrap();
    device.rescan();
    let error = target.still_there().unwrap_err();
    assert_eq!(error.class(), Class::Lost);
    assert!(error.to_string().contains("had 16 MiB, now 8 MiB"), "{error}");
}

#[test]
fn another_device_under_the_same_name_is_noticed() {
    let _alone = alone();
    let dir = dir();
    let (first, other) = (dir.join("one"), dir.join("other"));
    image(&first, 16);
    image(&other, 16);
    let (Some(a), Some(b)) = (Loop::on(&first, &[]), Loop::on(&other, &[])) else { return };
    let node = dir.join("node");
    if !mknod(&node, a.number()) {
        return;
    }
    let before = snapshot(&other);
    let inspection = inspect(&TargetRequest { path: node.clone(), ..destroy(&a, 16) }).unwrap();
    std::fs::remove_file(&node).unwrap();
    assert!(mknod(&node, b.number()));
    let error = open(inspection).unwrap_err();
    assert_eq!(error.class(), Class::Refused, "{error}");
    // The node is replaced in the same way during a run.
    std::fs::remove_file(&node).unwrap();
    assert!(mknod(&node, a.number()));
    let (_, target) = inspect_open(&TargetRequest { path: node.clone(), ..destroy(&a, 16) }).unwrap();
    std::fs::remove_file(&node).unwrap();
    assert!(mknod(&node, b.number()));
    assert_eq!(target.file(true, true).unwrap_err().class(), Class::Refused);
    assert_eq!(snapshot(&other), before);
}

#[test]
fn options_for_files_are_bad_input_on_a_device_and_the_other_way_round() {
    let Stage { _alone, dir, file } = stage(16);
    let Some(device) = Loop::on(&file, &[]) else { return };
    let adopt = TargetRequest { adopt: true, ..reading(&device.dev) };
    let consent = TargetRequest { consent: Some(word(&device, 16)), ..reading(&device.dev) };
    let misaligned = TargetRequest { align: Bytes(256), ..destroy(&device, 16) };
    let on_file = TargetRequest { consent: Some("S1".into()), ..request(dir.path(), 1) };
    for request in [adopt, consent, misaligned, on_file] {
        let error = inspect(&request).unwrap_err();
        assert_eq!(error.class(), Class::BadInput, "{error}");
    }
    let unknown = inspect(&reading(&device.dev)).unwrap();
    assert!(unknown.notes.iter().any(|n| n.contains("contents unknown")), "{:?}", unknown.notes);
}
