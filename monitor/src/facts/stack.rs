//! Stack of block devices under a file system or device, followed down to the disks through sysfs.

use super::drive::health;
use crate::Roots;
use crate::mounts::{above, kernel_mounts};
use crate::roots::{dev, names, number, word};
use model::{Bytes, record::DeviceFacts};
use std::fs;
use std::path::{Path, PathBuf};
use sys::file_systems::Mount;
use sys::files::{FileTypeExt, MetadataExt};

/// Maximum depth of a stack. No real stack is that deep; the maximum is reached only if sysfs is inconsistent.
const DEPTH_MAX: u32 = 16;

/// Returns the devices from `tops` down, each before the devices below it: a partition before its disk, dm and md
/// devices before their members, a loop device before the devices of its backing file. Each device is listed once.
/// Device numbers without a block device (the anonymous numbers of tmpfs, overlay, NFS) are skipped.
#[must_use]
pub fn stack(roots: &Roots, tops: &[(u32, u32)]) -> Vec<DeviceFacts> {
    let mut walk = Walk { roots, mounts: kernel_mounts(roots), out: Vec::new() };
    for top in tops {
        walk.visit(*top, 0);
    }
    walk.out
}

struct Walk<'a> {
    roots: &'a Roots,
    mounts: Vec<Mount>,
    out: Vec<DeviceFacts>,
}

impl Walk<'_> {
    fn visit(&mut self, dev: (u32, u32), depth: u32) {
        if depth > DEPTH_MAX || self.out.iter().any(|d| d.dev == dev) {
            return;
        }
        let Some(dir) = self.roots.block(dev) else {
            return;
        };
        self.out.push(describe(self.roots, &dir, dev, depth));
        for lower in self.lower(&dir) {
            self.visit(lower, depth + 1);
        }
        for path in nvme_paths(&dir) {
            // A path to a multipath namespace is hidden: it has no device number to visit.
            let facts = describe(self.roots, &path, (0, 0), depth + 1);
            if !self.out.iter().any(|d| d.name == facts.name) {
                self.out.push(facts);
            }
        }
    }

    /// Returns the device numbers of the devices directly below the device with this sysfs directory.
    fn lower(&self, dir: &Path) -> Vec<(u32, u32)> {
        if dir.join("partition").exists() {
            return dir.parent().and_then(dev).into_iter().collect();
        }
        if let Some(file) = backing_file(dir) {
            return match device_by_name(self.roots, &file) {
                Some(dev) => vec![dev],
                None => tops_of_path(self.roots, &self.mounts, &file),
            };
        }
        let slaves = dir.join("slaves");
        names(&slaves).iter().filter_map(|name| dev(&slaves.join(name))).collect()
    }
}

/// Returns the stack under a path according to the mount table alone. The path itself is not accessed, since it may
/// belong to another machine or namespace.
#[must_use]
pub fn stack_of_path(roots: &Roots, path: &Path) -> Vec<DeviceFacts> {
    stack(roots, &tops_of_path(roots, &kernel_mounts(roots), path))
}

fn tops_of_path(roots: &Roots, mounts: &[Mount], path: &Path) -> Vec<(u32, u32)> {
    above(mounts, path).map(|mount| of_mount(roots, mounts, mount)).unwrap_or_default()
}

/// Returns the device numbers under a mount: the mount's own number or, if that number is anonymous, the numbers of the
/// devices that the file system names. Empty for memory and network file systems, and for overlays whose upper
/// directory is not visible from here.
pub(super) fn of_mount(roots: &Roots, mounts: &[Mount], mount: &Mount) -> Vec<(u32, u32)> {
    if roots.block(mount.dev).is_some() {
        return vec![mount.dev];
    }
    if let Some(lower) = overlay_base(roots, mounts, mount) {
        return of_mount(roots, mounts, lower);
    }
    let source = mount.source.to_string_lossy();
    if !source.starts_with("/dev/") {
        return Vec::new();
    }
    // bcachefs separates its devices with colons; no other file system has a colon before `/dev/`.
    let named = source.split(":/dev/").enumerate().map(|(i, part)| match i {
        0 => PathBuf::from(part),
        _ => Path::new("/dev").join(part),
    });
    let devs: Vec<(u32, u32)> = named.filter_map(|name| device_by_name(roots, &name)).collect();
    match devs.as_slice() {
        [one] if mount.fs == "btrfs" => btrfs_members(roots, *one),
        _ => devs,
    }
}

/// Returns the mount that receives the writes of an overlay, if it is visible from here (usually not in a container).
pub(super) fn overlay_base<'a>(roots: &Roots, mounts: &'a [Mount], mount: &Mount) -> Option<&'a Mount> {
    if mount.fs != "overlay" {
        return None;
    }
    let layer = mount.super_option("upperdir").or_else(|| {
        let lower = mount.super_option("lowerdir")?;
        // Read-only overlays have no upper layer; the first lower one is the topmost.
        lower.to_string_lossy().split(':').next().map(PathBuf::from)
    })?;
    let visible = roots.place(&layer).is_dir();
    // An overlay on an overlay is not followed, so that callers cannot recurse endlessly.
    above(mounts, &layer).filter(|base| visible && base.id != mount.id && base.fs != "overlay")
}

/// Returns all devices of the btrfs file system with this member. sysfs lists all members, the mount table only one.
fn btrfs_members(roots: &Roots, member: (u32, u32)) -> Vec<(u32, u32)> {
    let base = roots.sys.join("fs/btrfs");
    for uuid in names(&base) {
        let devices = base.join(uuid).join("devices");
        let members: Vec<(u32, u32)> = names(&devices).iter().filter_map(|name| dev(&devices.join(name))).collect();
        if members.contains(&member) {
            return members;
        }
    }
    vec![member]
}

/// Returns the device number of the block device that a node path names. The number is read from the node itself or, if
/// the node does not exist (containers have few nodes), looked up by kernel name or device-mapper name in sysfs.
#[must_use]
pub fn device_by_name(roots: &Roots, node: &Path) -> Option<(u32, u32)> {
    let name = node.strip_prefix("/dev").ok()?;
    if let Ok(meta) = sys::files::metadata(roots.place(node))
        && meta.file_type().is_block_device()
    {
        return Some(sys::devices::device_number(meta.rdev()));
    }
    // In names such as cciss/c0d0, sysfs has `!` instead of `/`.
    let kernel = name.to_string_lossy().replace('/', "!");
    let block = roots.sys.join("class/block");
    if let Some(number) = dev(&block.join(&kernel)) {
        return Some(number);
    }
    let mapped = kernel.strip_prefix("mapper!")?;
    let dm = names(&block).into_iter().find(|n| word(&block.join(n).join("dm/name")).as_deref() == Some(mapped))?;
    dev(&block.join(dm))
}

/// Returns the backing file of an active loop device. If the file was unlinked, the suffix ` (deleted)` is removed.
fn backing_file(dir: &Path) -> Option<PathBuf> {
    let path = word(&dir.join("loop/backing_file"))?;
    Some(sys::file_systems::unescape(path.strip_suffix(" (deleted)").unwrap_or(&path).as_bytes()))
}

/// Returns the hidden per-controller devices under a multipath NVMe namespace: `nvme0n1` has `nvme0c0n1`, `nvme0c1n1`.
fn nvme_paths(dir: &Path) -> Vec<PathBuf> {
    let Some((subsystem, space)) = dir.file_name().and_then(|n| n.to_str()).and_then(nvme_head) else {
        return Vec::new();
    };
    let head = dir.join("device");
    let controllers = names(&head).into_iter().filter(|n| n.starts_with("nvme")).map(|n| head.join(n));
    let mut paths = Vec::new();
    for controller in controllers.filter(|c| c.is_dir()) {
        let ours = |n: &String| {
            n.strip_prefix(&format!("nvme{subsystem}c"))
                .and_then(|r| r.split_once('n'))
                .is_some_and(|(_, s)| s == space)
        };
        paths.extend(names(&controller).iter().filter(|n| ours(n)).map(|n| controller.join(n)));
    }
    paths
}

/// Splits `nvme0n1` into `0` and `1`; `None` for paths (`nvme0c0n1`) and partitions.
fn nvme_head(name: &str) -> Option<(&str, &str)> {
    let (subsystem, space) = name.strip_prefix("nvme")?.split_once('n')?;
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|c| c.is_ascii_digit());
    (digits(subsystem) && digits(space)).then_some((subsystem, space))
}

fn describe(roots: &Roots, dir: &Path, dev: (u32, u32), depth: u32) -> DeviceFacts {
    let name = dir.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let partition = dir.join("partition").exists();
    // A partition shares the queue and the identity of its disk.
    let disk = if partition { dir.parent().unwrap_or(dir) } else { dir };
    let queue = |file: &str| disk.join("queue").join(file);
    let bytes = |file: &str, unit: u64| Bytes(number(&queue(file)).unwrap_or(0).saturating_mul(unit));
    DeviceFacts {
        kind: kind(dir, &name, partition).to_owned(),
        name,
        dev,
        depth,
        // sysfs reports sizes in 512-byte sectors regardless of the block size.
        size: Bytes(number(&dir.join("size")).unwrap_or(0).saturating_mul(512)),
        model: model(disk),
        serial: serial(disk),
        logical_block: bytes("logical_block_size", 1),
        physical_block: bytes("physical_block_size", 1),
        rotational: number(&queue("rotational")) == Some(1),
        scheduler: word(&queue("scheduler")).map_or_else(|| "none".to_owned(), |s| bracketed(&s)),
        nr_requests: number(&queue("nr_requests")).and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
        max_request: bytes("max_sectors_kb", 1024),
        write_cache: word(&queue("write_cache")).unwrap_or_default(),
        backing: backing_file(dir).map(|p| p.to_string_lossy().into_owned()),
        discard: number(&queue("discard_max_bytes")).is_some_and(|n| n > 0),
        // A partition has no separate health; its disk is below it in the stack.
        health: if partition { None } else { health(roots, dir) },
    }
}

/// Returns the active choice of `none [mq-deadline] kyber bfq`. Devices with a single choice show it without brackets.
fn bracketed(list: &str) -> String {
    let inside = list.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(inside, _)| inside);
    inside.unwrap_or_else(|| list.split_whitespace().next().unwrap_or("none")).to_owned()
}

/// Returns the bus or driver of a device. It is recognized by a directory that only this kind of device has, otherwise
/// by the bus, otherwise by the device's name.
fn kind(dir: &Path, name: &str, partition: bool) -> &'static str {
    const DIRS: [&str; 4] = ["dm", "md", "bcache", "loop"];
    const BUSES: [(&str, &str); 8] = [
        ("virtio", "virtio"),
        ("nvme", "nvme"),
        ("nvme-subsystem", "nvme"),
        ("scsi", "scsi"),
        ("mmc", "mmc"),
        ("xen", "xen"),
        ("nd", "pmem"),
        ("rbd", "rbd"),
    ];
    const NAMES: [&str; 10] = ["loop", "zram", "bcache", "nvme", "nbd", "drbd", "rbd", "nullb", "ram", "pmem"];
    if partition {
        return "partition";
    }
    // A bcache member has a bcache directory, too, so the name must match as well.
    let has = |d: &str| dir.join(d).is_dir() && (d != "bcache" || name.starts_with(d));
    let bus = sys::files::canonical(dir.join("device/subsystem")).ok();
    let bus = bus.as_deref().and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or_default();
    let numbered =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    let by_dir = DIRS.into_iter().find(|d| has(d));
    let by_bus = || BUSES.iter().find(|(b, _)| *b == bus).map(|(_, kind)| *kind);
    by_dir.or_else(by_bus).or_else(|| NAMES.into_iter().find(|n| numbered(n))).unwrap_or("other")
}

/// Returns the maker and model of a disk, the name of a device-mapper device, or the level of an array.
fn model(disk: &Path) -> Option<String> {
    let name = ["dm/name", "md/level", "device/model", "device/name"].iter().find_map(|f| word(&disk.join(f)))?;
    // SCSI lists the maker separately; for virtio and PCI, the file contains a number.
    let maker = word(&disk.join("device/vendor")).filter(|v| !v.starts_with("0x") && !name.starts_with(v.as_str()));
    Some(maker.map_or(name.clone(), |maker| format!("{maker} {name}")))
}

fn serial(disk: &Path) -> Option<String> {
    let plain = ["serial", "device/serial", "dm/uuid", "md/uuid"].iter().find_map(|f| word(&disk.join(f)));
    // SCSI keeps the serial in vital product data page 0x80, after a header of four bytes.
    let page = || {
        let page = fs::read(disk.join("device/vpd_pg80")).ok()?;
        let text = String::from_utf8_lossy(page.get(4..)?).trim_matches([' ', '\0', '\n']).to_owned();
        (!text.is_empty()).then_some(text)
    };
    plain.or_else(page).or_else(|| ["wwid", "device/wwid"].iter().find_map(|f| word(&disk.join(f))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bracketed_scheduler_is_the_active_one() {
        assert_eq!(bracketed("none [mq-deadline] kyber bfq"), "mq-deadline");
        assert_eq!(bracketed("[none] mq-deadline"), "none");
        assert_eq!(bracketed("none"), "none");
        assert_eq!(bracketed("[broken"), "[broken");
        assert_eq!(bracketed(""), "none");
    }

    #[test]
    fn only_heads_of_nvme_have_paths() {
        assert_eq!(nvme_head("nvme0n1"), Some(("0", "1")));
        assert_eq!(nvme_head("nvme12n34"), Some(("12", "34")));
        for other in ["nvme0c0n1", "nvme0n1p2", "nvme0", "sda", "nvmen1", "nvme0n"] {
            assert_eq!(nvme_head(other), None, "{other}");
        }
    }

    #[test]
    fn unknown_device_numbers_have_no_stack() {
        assert!(stack(&Roots::host(), &[(0, 45), (4095, 77)]).is_empty());
    }

    proptest! {
        #[test]
        fn no_name_makes_the_readers_panic(name in "\\PC*") {
            let _ = (nvme_head(&name), bracketed(&name));
        }
    }
}
