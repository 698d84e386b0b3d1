//! Uses of a block device or file: mounts, swap, partitions, holders, loop devices, processes.
//!
//! An exclusive open ([`crate::files::OpenHow::exclusive`]) is the authority on whether a device is in use. This module
//! finds the reason, and uses that the kernel permits: a loop device on top, or a database that writes to the raw
//! device. Devices are compared by device number and [`FileId`], never by name (docs/design/safety.md, "Devices").

use super::block::loop_backing;
use crate::common::{Dev, DeviceIdentity, DeviceUse, FileId, Mount, Use, parse_dev, sysfs_block};
use crate::linux::files::{device_number, mounts, unescape};
use rustix::fs::{AtFlags, CWD, FileType, StatxFlags};
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

impl DeviceUse {
    /// Returns `true` if the machine depends on it: `/`, `/boot`, `/usr`, swap.
    #[must_use]
    pub fn vital(&self) -> bool {
        match &self.what {
            Use::Mounted(point) => point == Path::new("/") || point.starts_with("/boot") || point.starts_with("/usr"),
            Use::Swap => true,
            Use::Carries(_) | Use::Member(_) | Use::Written { .. } => false,
        }
    }
}

/// Returns all known uses of a device, of devices built on it, and of the disk it is part of. An empty result is not
/// proof: other mount namespaces, and for an ordinary user the processes of other users, are invisible.
#[must_use]
pub fn device_uses(dev: Dev) -> Vec<DeviceUse> {
    let tables = Tables::read();
    let mut uses = Vec::new();
    let mut seen = HashSet::new();
    let mut todo = vec![(dev, true)];
    // A file system or an array on the whole disk also covers its partitions; other partitions do not matter.
    todo.extend(whole_disk(dev).map(|disk| (disk, false)));
    while let Some((dev, partitions)) = todo.pop() {
        if seen.insert(dev) {
            tables.uses_of(dev, partitions, &mut uses, &mut todo);
        }
    }
    let names: Vec<(Dev, String)> = seen.iter().map(|d| (*d, device_name(*d))).collect();
    let writers = writers(&seen).into_iter().filter_map(|(dev, pid, name)| {
        let (_, device) = names.iter().find(|(d, _)| *d == dev)?;
        Some(DeviceUse { device: device.clone(), what: Use::Written { pid, name } })
    });
    uses.extend(writers);
    uses
}

/// Returns the uses of a file as a device: `is the backing file of loop3`, `is a swap file`.
#[must_use]
pub fn file_uses(id: FileId) -> Vec<String> {
    let tables = Tables::read();
    let backs = |l: &&Loop| l.file == Some(id);
    let mut uses: Vec<String> =
        tables.loops.iter().filter(backs).map(|l| format!("is the backing file of {}", l.name)).collect();
    let is_swap = |s: &PathBuf| fs::metadata(s).is_ok_and(|m| m.is_file() && FileId::from(&m) == id);
    if tables.swaps.iter().any(is_swap) {
        uses.push("is a swap file".to_owned());
    }
    uses
}

struct Loop {
    name: String,
    dev: Dev,
    file: Option<FileId>,
    on_device: Option<Dev>,
}

/// Snapshot of the kernel's tables.
struct Tables {
    mounts: Vec<Mount>,
    swaps: Vec<PathBuf>,
    loops: Vec<Loop>,
}

impl Tables {
    fn read() -> Tables {
        let swaps = fs::read("/proc/swaps").unwrap_or_default();
        // After the header line, the name is the first column.
        let swaps = swaps.split(|b| *b == b'\n').skip(1);
        let swaps = swaps.filter_map(|l| l.split(|b| b.is_ascii_whitespace()).next()).filter(|n| !n.is_empty());
        Tables { mounts: mounts().unwrap_or_default(), swaps: swaps.map(unescape).collect(), loops: loops() }
    }

    fn uses_of(&self, dev: Dev, partitions: bool, uses: &mut Vec<DeviceUse>, todo: &mut Vec<(Dev, bool)>) {
        let device = device_name(dev);
        let mut add = |what| uses.push(DeviceUse { device: device.clone(), what });
        let is_this = |path: &PathBuf| block_at(path) == Some(dev);
        // btrfs shows an anonymous number; its source names one of its devices.
        for m in self.mounts.iter().filter(|m| m.dev == dev || (m.dev.0 == 0 && is_this(&m.source))) {
            add(Use::Mounted(m.point.clone()));
        }
        if self.swaps.iter().any(is_this) {
            add(Use::Swap);
        }
        btrfs_of(&device).into_iter().for_each(|fs| add(Use::Member(fs)));
        for l in self.loops.iter().filter(|l| l.on_device == Some(dev)) {
            add(Use::Carries(l.name.clone()));
            todo.push((l.dev, true));
        }
        let Some(dir) = device_dir(dev) else { return };
        for name in names(&dir.join("holders")) {
            todo.extend(dev_of(&Path::new("/sys/class/block").join(&name)).map(|d| (d, true)));
            add(Use::Carries(name));
        }
        if partitions {
            let parts = names(&dir).into_iter().map(|n| dir.join(n)).filter(|p| p.join("partition").exists());
            todo.extend(parts.filter_map(|p| dev_of(&p)).map(|d| (d, true)));
        }
    }
}

fn loops() -> Vec<Loop> {
    let block = Path::new("/sys/block");
    let attached = |name: String| {
        let dir = block.join(&name);
        let text = fs::read(dir.join("loop/backing_file")).ok()?;
        let dev = dev_of(&dir)?;
        // The ioctl identifies the file regardless of its name; without permission to open the node, use the name.
        let asked = fs::File::open(Path::new("/dev").join(&name)).and_then(|f| loop_backing(&f)).ok().flatten();
        if let Some(backing) = asked {
            return Some(Loop { name, dev, file: Some(backing.file), on_device: backing.device });
        }
        let named = fs::metadata(unescape(text.trim_ascii_end())).ok();
        let on_device = named.as_ref().filter(|m| m.file_type().is_block_device()).map(|m| device_number(m.rdev()));
        Some(Loop { name, dev, file: named.as_ref().map(FileId::from), on_device })
    };
    names(block).into_iter().filter(|n| n.starts_with("loop")).filter_map(attached).collect()
}

/// Returns the processes, except this one, that have one of these devices open for writing.
fn writers(devs: &HashSet<Dev>) -> Vec<(Dev, u32, String)> {
    let me = std::process::id();
    let mut writers = Vec::new();
    for pid in names(Path::new("/proc")).iter().filter_map(|n| n.parse::<u32>().ok()).filter(|p| *p != me) {
        let process = PathBuf::from(format!("/proc/{pid}"));
        for fd in names(&process.join("fd")) {
            // Without synchronizing: a file on an unreachable server must not block the scan.
            let flags = AtFlags::STATX_DONT_SYNC | AtFlags::NO_AUTOMOUNT;
            let Ok(s) = rustix::fs::statx(CWD, process.join("fd").join(&fd), flags, StatxFlags::TYPE) else { continue };
            let dev = (s.stx_rdev_major, s.stx_rdev_minor);
            if FileType::from_raw_mode(s.stx_mode.into()) == FileType::BlockDevice
                && devs.contains(&dev)
                && opened_for_writing(&process.join("fdinfo").join(&fd))
            {
                let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
                writers.push((dev, pid, name.trim_end().to_owned()));
                break;
            }
        }
    }
    writers
}

fn opened_for_writing(fdinfo: &Path) -> bool {
    let Ok(text) = fs::read_to_string(fdinfo) else { return false };
    let flags = text.lines().find_map(|l| l.strip_prefix("flags:")).map(str::trim);
    flags.and_then(|f| u32::from_str_radix(f, 8).ok()).is_some_and(|f| f & libc::O_ACCMODE as u32 != 0)
}

fn block_at(path: &Path) -> Option<Dev> {
    let m = fs::metadata(path).ok().filter(|_| path.is_absolute())?;
    m.file_type().is_block_device().then(|| device_number(m.rdev()))
}

fn btrfs_of(device: &str) -> Option<String> {
    let file_systems = Path::new("/sys/fs/btrfs");
    names(file_systems)
        .into_iter()
        .find(|fs| file_systems.join(fs).join("devices").join(device).exists())
        .map(|fs| format!("btrfs {fs}"))
}

/// Returns the names in a directory; none if it cannot be read.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|e| e.file_name().into_string().ok()).collect()
}

fn dev_of(dir: &Path) -> Option<Dev> {
    parse_dev(&fs::read_to_string(dir.join("dev")).ok()?)
}

fn device_dir(dev: Dev) -> Option<PathBuf> {
    fs::canonicalize(sysfs_block(Path::new("/sys"), dev)).ok()
}

fn whole_disk(dev: Dev) -> Option<Dev> {
    let dir = device_dir(dev)?;
    dir.join("partition").exists().then(|| dev_of(dir.parent()?)).flatten()
}

/// Returns the kernel's name of a device, `vda`; `8:1` if /sys does not list it.
#[must_use]
pub fn device_name(dev: (u32, u32)) -> String {
    let dir = device_dir(dev);
    let name = dir.as_deref().and_then(Path::file_name).and_then(|n| n.to_str());
    name.map_or_else(|| format!("{}:{}", dev.0, dev.1), str::to_owned)
}

/// Returns the name, model and serial number of a block device.
#[must_use]
pub fn device_identity(dev: (u32, u32)) -> DeviceIdentity {
    let name = device_name(dev);
    let Some(dir) = device_dir(dev) else {
        return DeviceIdentity { name, ..DeviceIdentity::default() };
    };
    let partition = dir.join("partition").exists();
    let disk = if partition { dir.parent().unwrap_or(&dir) } else { &dir };
    let partition_of = partition.then(|| disk.file_name().map(|n| n.to_string_lossy().into_owned())).flatten();
    DeviceIdentity {
        name,
        model: ["device/model", "device/name"].iter().find_map(|f| words(&disk.join(f), 0)),
        serial: if partition { None } else { serial(disk, dev) },
        partition_of,
        removable: words(&disk.join("removable"), 0).as_deref() == Some("1"),
    }
}

fn serial(disk: &Path, (major, minor): Dev) -> Option<String> {
    // The SCSI page begins with a header of four bytes.
    let places = [("serial", 0), ("device/serial", 0), ("device/vpd_pg80", 4), ("wwid", 0), ("device/wwid", 0)];
    let volumes = [("dm/uuid", 0), ("md/uuid", 0)];
    let attribute = places.iter().chain(&volumes).find_map(|(file, skip)| words(&disk.join(file), *skip));
    attribute.or_else(|| {
        let udev = fs::read_to_string(format!("/run/udev/data/b{major}:{minor}")).ok()?;
        let property = |key: &str| udev.lines().find_map(|l| l.strip_prefix(key)).map(str::to_owned);
        property("E:ID_SERIAL_SHORT=").or_else(|| property("E:ID_SERIAL="))
    })
}

/// Returns the printable text of a small file, trimmed.
fn words(file: &Path, skip: usize) -> Option<String> {
    let bytes = fs::read(file).ok()?;
    let text = String::from_utf8_lossy(bytes.get(skip..)?);
    let text: String = text.chars().filter(|c| !c.is_control() && *c != char::REPLACEMENT_CHARACTER).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the memory that can be used without swapping, in bytes; `None` without /proc.
#[must_use]
pub fn memory_available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_file_system_is_found_and_is_vital() {
        let root = mounts().unwrap().into_iter().rfind(|m| m.point == Path::new("/")).unwrap();
        let uses = device_uses(root.dev);
        assert!(uses.iter().any(|u| u.vital() && u.what == Use::Mounted("/".into())), "{uses:?}");
    }

    #[test]
    fn an_ordinary_file_has_no_such_uses() {
        let file = tempfile::tempfile().unwrap();
        assert!(file_uses(FileId::from_file(&file).unwrap()).is_empty());
    }

    #[test]
    fn memory_is_told() {
        assert!(memory_available().unwrap() > 1 << 20);
    }
}
