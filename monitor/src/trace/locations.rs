//! Mapping from device sectors to roles. The extents of files are offset by the start of the partition. The extents are
//! followed through loop devices to the extents of the backing files, and through contiguous mappings: linear and
//! encrypted device-mapper targets (LVM volumes, LUKS), and md mirrors.
//!
//! Stripes, thin pools, caches and parity rearrange sectors. For these, files are located only on the mapped device;
//! sectors of the devices below stay unmapped, which is reported. File systems with a private address space (btrfs) are
//! not mapped.

use crate::Roots;
use crate::facts::device_by_name;
use crate::roots::{names, number, word};
use model::{Bytes, CompactSort, measured::RoleFiles, plan::RolePath};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use sys::devices::MappedPiece;
use sys::files::{FileTypeExt, Guards, Metadata, MetadataExt, OpenGuarded};

const SECTOR: u64 = 512;
/// Maximum number of files of one role that are inspected.
const FILES_MAX: usize = 20_000;
/// Maximum nesting of devices.
const DEPTH_MAX: usize = 8;

/// Device number of a disk.
type Dev = (u32, u32);

/// Sectors of one role: first sector, end (exclusive), role.
type Span = (u64, u64, usize);

/// Role of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct RequestLocation {
    /// Index of the role, from 1; 0 if no known file has these sectors.
    pub role: usize,
    /// True if the request extends into another role.
    pub across: bool,
}

/// Sectors of roles, by disk, from the current and the previous scan. The previous scan is kept so that files removed
/// after it are still known.
#[derive(Debug, Default)]
pub(crate) struct RoleSectors {
    now: HashMap<Dev, Vec<Span>>,
    before: HashMap<Dev, Vec<Span>>,
}

impl RoleSectors {
    /// Returns the role at sectors `from..to` of a disk.
    pub fn role_of(&self, dev: Dev, from: u64, to: u64) -> RequestLocation {
        let role = self.at(dev, from);
        let across = to > from + 1 && self.at(dev, to - 1) != role;
        RequestLocation { role, across }
    }

    fn at(&self, dev: Dev, sector: u64) -> usize {
        let find = |spans: &HashMap<Dev, Vec<Span>>| {
            let spans = spans.get(&dev)?;
            let span = spans[..spans.partition_point(|s| s.0 <= sector)].last()?;
            (sector < span.1).then_some(span.2)
        };
        find(&self.now).or_else(|| find(&self.before)).unwrap_or(0)
    }

    /// Replaces the spans with the spans from a new scan.
    fn renew(&mut self, mut spans: HashMap<Dev, Vec<Span>>) {
        spans.values_mut().for_each(|s| s.sort_unstable());
        self.before = std::mem::replace(&mut self.now, spans);
    }
}

/// Byte range of a device: start and length.
type Stretch = (u64, u64);

/// Cached extents of a file.
#[derive(Debug)]
struct Known {
    /// Size, number of blocks, and time of change. The time matters if the file system does not overwrite in place.
    state: (u64, u64, (i64, i64)),
    /// True if all extents are allocated. If the kernel later allocates space for dirty pages, `state` does not change.
    placed: bool,
    /// True if overwritten data keeps its location.
    in_place: bool,
    /// Offset in the file, offset on the device under its file system, and length, all in bytes.
    extents: Vec<(u64, u64, u64)>,
}

/// Pieces of a mapped device, or the reason why they are unknown.
type Table = Result<Vec<MappedPiece>, String>;

/// Scanner that finds the sectors of roles. It can scan repeatedly, because files grow.
#[derive(Debug)]
pub(crate) struct Finder {
    roots: Roots,
    roles: Vec<RolePath>,
    known: HashMap<(u64, u64), Known>,
    /// Function that reads the table of a mapped device.
    read_table: fn(Dev) -> Table,
    /// Tables by device, each read once per scan.
    tables: HashMap<Dev, Table>,
}

/// Result of one scan for a role.
#[derive(Debug, Default)]
struct Found {
    files: u64,
    mapped: u64,
    why_not: String,
}

/// Destination for the extents of one role.
struct Entry<'a> {
    role: usize,
    spans: &'a mut HashMap<Dev, Vec<Span>>,
    found: &'a mut Found,
}

impl Finder {
    pub fn new(roots: &Roots, roles: &[RolePath]) -> Finder {
        // A recorded machine has no device mapper to query.
        let read_table =
            if *roots == Roots::host() { table_of } else { |_| Err("it belongs to another machine".to_owned()) };
        Finder {
            roots: roots.clone(),
            roles: roles.to_vec(),
            known: HashMap::new(),
            read_table,
            tables: HashMap::new(),
        }
    }

    /// Scans the files of all roles and updates `places`.
    pub fn find_files(&mut self, places: &mut RoleSectors) -> Vec<RoleFiles> {
        let mut spans: HashMap<Dev, Vec<Span>> = HashMap::new();
        let mut taken = HashSet::new();
        self.tables.clear();
        let mut results: Vec<Found> = self.roles.iter().map(|_| Found::default()).collect();
        // The longest path comes first, so a journal in the data directory counts as the journal.
        let mut order: Vec<usize> = (0..self.roles.len()).collect();
        order.compact_sort_by_key(|i| std::cmp::Reverse(self.roles[*i].path.components().count()));
        for i in order {
            let path = self.roles[i].path.clone();
            self.role(i + 1, &path, &mut taken, &mut spans, &mut results[i]);
        }
        self.known.retain(|id, _| taken.contains(id));
        places.renew(spans);
        let role_files = self.roles.iter().zip(results).map(|(role, result)| RoleFiles {
            role: role.role.clone(),
            path: role.path.to_string_lossy().into_owned(),
            files: result.files,
            mapped: Bytes(result.mapped),
            why_not: result.why_not,
        });
        role_files.collect()
    }

    fn role(
        &mut self,
        role: usize,
        path: &Path,
        taken: &mut HashSet<(u64, u64)>,
        spans: &mut HashMap<Dev, Vec<Span>>,
        result: &mut Found,
    ) {
        let Ok(meta) = sys::files::metadata(path) else {
            result.why_not = "the file does not exist now".to_owned();
            return;
        };
        if meta.file_type().is_block_device() {
            let dev = sys::devices::device_number(meta.rdev());
            let bytes = self.roots.block(dev).and_then(|d| number(&d.join("size"))).unwrap_or(0) * SECTOR;
            (result.files, result.mapped) = (1, bytes);
            self.place(dev, vec![(0, bytes)], &mut Entry { role, spans, found: result }, 0);
            return;
        }
        let files = files(path, &meta);
        if files.len() >= FILES_MAX {
            result.why_not = format!("only the first {FILES_MAX} files are mapped");
        }
        for (path, meta) in files {
            if !taken.insert((meta.dev(), meta.ino())) {
                continue;
            }
            result.files += 1;
            let dev = sys::devices::device_number(meta.dev());
            if self.roots.block(dev).is_none() {
                result.why_not = match sys::file_systems::file_system_magic_at(&path).and_then(addresses_of_its_own) {
                    Some(name) => own_addresses(name),
                    None => "their file system is not directly on a single block device".to_owned(),
                };
                continue;
            }
            match self.extents(&path, &meta) {
                Ok(extents) => {
                    let stretches: Vec<Stretch> = extents.iter().map(|e| (e.1, e.2)).collect();
                    result.mapped += stretches.iter().map(|s| s.1).sum::<u64>();
                    self.place(dev, stretches, &mut Entry { role, spans, found: result }, 0);
                }
                Err(reason) => result.why_not = reason,
            }
        }
    }

    /// Returns the extents of a file, reading them again only if the file has changed.
    fn extents(&mut self, path: &Path, meta: &Metadata) -> Result<Vec<(u64, u64, u64)>, String> {
        let id = (meta.dev(), meta.ino());
        let state = (meta.len(), meta.blocks(), (meta.mtime(), meta.mtime_nsec()));
        if let Some(known) = self.known.get(&id)
            && known.state.0 == state.0
            && known.state.1 == state.1
            && known.placed
            && (known.in_place || known.state.2 == state.2)
        {
            return Ok(known.extents.clone());
        }
        let known = read_extents(path, meta, state)?;
        let extents = known.extents.clone();
        self.known.insert(id, known);
        Ok(extents)
    }

    /// Adds byte ranges of a device to a role: on the device's disk, and on the devices below it.
    fn place(&mut self, dev: Dev, stretches: Vec<Stretch>, entry: &mut Entry<'_>, depth: usize) {
        let Some(dir) = self.roots.block(dev) else { return };
        let (disk, stretches) = match number(&dir.join("start")).filter(|_| dir.join("partition").exists()) {
            None => (dir, stretches),
            Some(start) => {
                let Some(disk) = dir.parent().map(Path::to_owned) else { return };
                (disk, stretches.into_iter().map(|(at, len)| (at.saturating_add(start * SECTOR), len)).collect())
            }
        };
        let Some(number) = crate::roots::dev(&disk) else { return };
        let sectors = |(at, len): &Stretch| (at / SECTOR, at.saturating_add(*len).div_ceil(SECTOR), entry.role);
        entry.spans.entry(number).or_default().extend(stretches.iter().map(sectors));
        let below = match () {
            () if depth >= DEPTH_MAX => return,
            () if disk.join("loop/backing_file").exists() => return self.below_loop(&disk, &stretches, entry, depth),
            () if disk.join("dm").is_dir() => self.below_mapped(number, &stretches),
            () if disk.join("md").is_dir() => below_array(&disk, &stretches),
            () => return,
        };
        let (below, why_not) = below;
        if !why_not.is_empty() {
            let (name, members) = (disk.file_name().unwrap_or_default().to_string_lossy(), names(&disk.join("slaves")));
            entry.found.why_not = format!(
                "requests cannot be followed below {name} ({why_not}): on {} they are unmapped",
                members.join(", ")
            );
        }
        for (dev, stretches) in below {
            self.place(dev, stretches, entry, depth + 1);
        }
    }

    fn below_loop(&mut self, disk: &Path, stretches: &[Stretch], entry: &mut Entry<'_>, depth: usize) {
        let Some(backing) = word(&disk.join("loop/backing_file")) else { return };
        let offset = number(&disk.join("loop/offset")).unwrap_or(0);
        let backing = PathBuf::from(backing);
        let moved = stretches.iter().map(|(at, len)| (at.saturating_add(offset), *len));
        if let Some(dev) = device_by_name(&self.roots, &backing) {
            return self.place(dev, moved.collect(), entry, depth + 1);
        }
        let Ok(meta) = sys::files::metadata(&backing) else { return };
        let Ok(extents) = self.extents(&backing, &meta) else { return };
        let below = moved.flat_map(|stretch| through(&extents, stretch)).collect();
        self.place(sys::devices::device_number(meta.dev()), below, entry, depth + 1);
    }

    /// Maps byte ranges through the table of a mapped device.
    fn below_mapped(&mut self, dev: Dev, stretches: &[Stretch]) -> Below {
        let read = self.read_table;
        let pieces = match self.tables.entry(dev).or_insert_with(|| read(dev)) {
            Ok(pieces) => pieces,
            Err(reason) => return (Vec::new(), reason.clone()),
        };
        let mut below: HashMap<Dev, Vec<(u64, u64, u64)>> = HashMap::new();
        let mut other = Vec::new();
        for piece in pieces.iter() {
            match piece.below {
                Some((dev, first)) => {
                    let bytes = [piece.start, first, piece.length].map(|n| n.saturating_mul(SECTOR));
                    below.entry(dev).or_default().push((bytes[0], bytes[1], bytes[2]));
                }
                None if other.contains(&piece.target) => {}
                None => other.push(piece.target.clone()),
            }
        }
        let why_not = if other.is_empty() { String::new() } else { format!("its table is `{}`", other.join("`, `")) };
        let moved = |extents: Vec<_>| stretches.iter().flat_map(|stretch| through(&extents, *stretch)).collect();
        (below.into_iter().map(|(dev, extents)| (dev, moved(extents))).collect(), why_not)
    }
}

/// Byte ranges on the devices below, and the reason if some or all are missing.
type Below = (Vec<(Dev, Vec<Stretch>)>, String);

/// Maps byte ranges to the members of a mirror, which hold all data in order, after md's reserved area (`offset`, in
/// sectors, in Documentation/admin-guide/md.rst).
fn below_array(disk: &Path, stretches: &[Stretch]) -> Below {
    let level = word(&disk.join("md/level")).unwrap_or_default();
    if level != "raid1" {
        return (Vec::new(), format!("it is an array of level {}", if level.is_empty() { "unknown" } else { &level }));
    }
    let mut below = Vec::new();
    for member in names(&disk.join("slaves")) {
        let dev = crate::roots::dev(&disk.join("slaves").join(&member));
        let offset = number(&disk.join(format!("md/dev-{member}/offset")));
        let Some((dev, offset)) = dev.zip(offset) else {
            return (Vec::new(), format!("md does not report where its data begins on {member}"));
        };
        let offset = offset.saturating_mul(SECTOR);
        below.push((dev, stretches.iter().map(|(at, len)| (at.saturating_add(offset), *len)).collect()));
    }
    (below, String::new())
}

/// Reads the table from this machine's device mapper.
fn table_of(dev: Dev) -> Table {
    sys::devices::mapped_pieces(dev).map_err(|e| format!("its table could not be read: {e}"))
}

/// Maps a byte range of a file through the file's extents.
fn through(extents: &[(u64, u64, u64)], (at, len): Stretch) -> Vec<Stretch> {
    let end = at.saturating_add(len);
    let cut = |(logical, physical, length): &(u64, u64, u64)| {
        let (from, to) = ((*logical).max(at), logical.saturating_add(*length).min(end));
        (from < to).then(|| (physical + (from - logical), to - from))
    };
    extents.iter().filter_map(cut).collect()
}

fn read_extents(path: &Path, meta: &Metadata, state: (u64, u64, (i64, i64))) -> Result<Known, String> {
    // Opening must not block on a pipe that has replaced the file, and must not follow a link.
    let cannot = |e: std::io::Error| format!("{}: {e}", path.display());
    let file = OpenOptions::new().read(true).open_guarded(path, Guards::NEITHER).map_err(cannot)?;
    if sys::files::file_metadata(&file).map_err(cannot)?.ino() != meta.ino() {
        return Err(format!("{} was just replaced", path.display()));
    }
    if let Some(name) = sys::file_systems::file_system_magic(&file).and_then(addresses_of_its_own) {
        return Err(own_addresses(name));
    }
    let mapped = sys::storage::extents_as_they_are(&file, 0..u64::MAX >> 1).map_err(cannot)?;
    let mapped =
        mapped.ok_or_else(|| format!("the file system of {} does not report the location of files", path.display()))?;
    let placed = mapped.iter().all(|e| e.placed() || e.encoded());
    let extents =
        mapped.iter().filter(|e| e.placed()).map(|e| (e.range.start, e.physical, e.range.end - e.range.start));
    Ok(Known { state, placed, in_place: writes_in_place(&file), extents: extents.collect() })
}

/// Returns the name of a file system whose FIEMAP addresses are in a private space that spans all its devices. If these
/// addresses were taken as sectors, requests would be assigned to the wrong roles. The numbers are from linux/magic.h.
fn addresses_of_its_own(fs: u64) -> Option<&'static str> {
    match fs {
        0x9123_683e => Some("btrfs"),
        0xca45_1a4e => Some("bcachefs"),
        0x2fc1_2fc1 => Some("zfs"),
        _ => None,
    }
}

fn own_addresses(name: &str) -> String {
    format!("{name} reports the location of files in its own address space, not in sectors of a device")
}

/// Returns `true` if overwritten blocks keep their location. XFS moves only shared (reflinked) blocks, and a move changes
/// the file's number of blocks.
fn writes_in_place(file: &File) -> bool {
    const EXT: u64 = 0xef53;
    const XFS: u64 = 0x5846_5342;
    sys::file_systems::file_system_magic(file).is_some_and(|fs| [EXT, XFS].contains(&fs))
}

/// Returns the regular files at a path and below it. Links are not followed, because a role names exactly the files
/// that belong to it.
fn files(path: &Path, meta: &Metadata) -> Vec<(PathBuf, Metadata)> {
    // The path itself may be a link; files in it that are opened later must not be links.
    let Ok(path) = sys::files::canonical(path) else { return Vec::new() };
    if meta.is_file() {
        return vec![(path, meta.clone())];
    }
    let (mut files, mut left) = (Vec::new(), vec![path]);
    while let Some(dir) = left.pop() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for entry in entries.flatten() {
            let Ok(meta) = sys::files::symlink_metadata(entry.path()) else { continue };
            if meta.is_dir() {
                left.push(entry.path());
            } else if meta.is_file() && files.len() < FILES_MAX {
                files.push((entry.path(), meta));
            }
        }
        if files.len() >= FILES_MAX {
            break;
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places(spans: &[Span]) -> RoleSectors {
        let mut places = RoleSectors::default();
        places.renew(HashMap::from([((254, 0), spans.to_vec())]));
        places
    }

    #[test]
    fn a_request_has_the_role_of_its_first_sector_and_says_if_it_goes_beyond() {
        let p = places(&[(100, 200, 1), (200, 300, 2), (400, 500, 1)]);
        let location = |from, to| p.role_of((254, 0), from, to);
        assert_eq!(location(100, 116), RequestLocation { role: 1, across: false });
        assert_eq!(location(199, 201), RequestLocation { role: 1, across: true });
        assert_eq!(location(300, 301), RequestLocation::default());
        assert_eq!(location(499, 500).role, 1);
        assert_eq!(p.role_of((8, 0), 100, 116), RequestLocation::default(), "another disk");
    }

    #[test]
    fn what_went_away_is_known_for_one_look_more() {
        let mut p = places(&[(100, 200, 1)]);
        p.renew(HashMap::new());
        assert_eq!(p.role_of((254, 0), 150, 158).role, 1);
        p.renew(HashMap::new());
        assert_eq!(p.role_of((254, 0), 150, 158).role, 0);
    }

    /// Returns a machine of which only sysfs exists: a volume (dm-0) on a mirror (md0) of two partitions, a striped
    /// volume (dm-1), and a parity array (md1).
    fn machine() -> (tempfile::TempDir, Roots) {
        let dir = tempfile::tempdir().expect("a directory");
        let roots = Roots::under(dir.path());
        let put = |path: &str, text: &str| {
            let path = dir.path().join("sys").join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            fs::write(path, text).expect("written");
        };
        let device = |number: &str, path: &str| {
            put(&format!("devices/{path}/dev"), number);
            put("dev/block/none", "");
            let to = format!("../../devices/{path}");
            testkit::symlink(to, dir.path().join("sys/dev/block").join(number)).expect("linked");
        };
        for (disk, major) in [("sda", 8), ("sdb", 65)] {
            device(&format!("{major}:0"), disk);
            device(&format!("{major}:2"), &format!("{disk}/{disk}2"));
            put(&format!("devices/{disk}/{disk}2/partition"), "2\n");
            put(&format!("devices/{disk}/{disk}2/start"), "2048\n");
            put(&format!("devices/md0/md/dev-{disk}2/offset"), "100\n");
            for upper in ["md0", "md1", "dm-1"] {
                put(&format!("devices/{upper}/slaves/{disk}2/dev"), &format!("{major}:2\n"));
            }
        }
        for (number, name) in [("9:0", "md0"), ("9:1", "md1"), ("253:0", "dm-0"), ("253:1", "dm-1")] {
            device(number, name);
        }
        put("devices/md0/md/level", "raid1\n");
        put("devices/md1/md/level", "raid5\n");
        put("devices/dm-0/dm/name", "data\n");
        put("devices/dm-0/slaves/md0/dev", "9:0\n");
        put("devices/dm-1/dm/name", "fast\n");
        (dir, roots)
    }

    /// Returns the locations of bytes 4096 to 12288 of a device, added for role 3, and the reason if some locations are
    /// missing.
    fn placed(finder: &mut Finder, dev: Dev) -> (HashMap<Dev, Vec<Span>>, String) {
        let (mut spans, mut result) = (HashMap::new(), Found::default());
        finder.place(dev, vec![(4096, 8192)], &mut Entry { role: 3, spans: &mut spans, found: &mut result }, 0);
        (spans, result.why_not)
    }

    #[test]
    fn files_on_a_partition_lie_behind_its_start() {
        of_linux!();
        let (_dir, roots) = machine();
        let (spans, why_not) = placed(&mut Finder::new(&roots, &[]), (8, 2));
        assert_eq!((spans, why_not), (HashMap::from([((8, 0), vec![(2056, 2072, 3)])]), String::new()));
    }

    #[test]
    fn files_on_a_volume_on_a_mirror_are_followed_down_to_both_disks() {
        of_linux!();
        let (_dir, roots) = machine();
        let mut finder = Finder::new(&roots, &[]);
        // Two pieces in reverse order: the first sectors are mapped to the end of the device below.
        finder.read_table = |dev| {
            assert_eq!(dev, (253, 0));
            let piece = |start, length, first| MappedPiece {
                start,
                length,
                target: "linear".to_owned(),
                below: Some(((9, 0), first)),
            };
            Ok(vec![piece(0, 16, 5000), piece(16, 1000, 400)])
        };
        let (spans, why_not) = placed(&mut finder, (253, 0));
        assert_eq!(why_not, "");
        assert_eq!(spans[&(253, 0)], [(8, 24, 3)]);
        assert_eq!(spans[&(9, 0)], [(5008, 5016, 3), (400, 408, 3)]);
        // The data begins after md's reserved sectors and the partition's start.
        for disk in [(8, 0), (65, 0)] {
            assert_eq!(spans[&disk], [(5008 + 2148, 5016 + 2148, 3), (400 + 2148, 408 + 2148, 3)]);
        }
    }

    #[test]
    fn what_arranges_sectors_otherwise_is_named_and_nothing_below_it_is_claimed() {
        of_linux!();
        let (_dir, roots) = machine();
        let mut finder = Finder::new(&roots, &[]);
        let (spans, why_not) = placed(&mut finder, (9, 1));
        assert_eq!(spans.keys().collect::<Vec<_>>(), [&(9, 1)], "on the array itself it is known");
        assert_eq!(
            why_not,
            "requests cannot be followed below md1 (it is an array of level raid5): on sda2, sdb2 they are unmapped"
        );
        finder.read_table =
            |_| Ok(vec![MappedPiece { start: 0, length: 99, target: "striped".to_owned(), below: None }]);
        let (spans, why_not) = placed(&mut finder, (253, 1));
        assert_eq!(spans.keys().collect::<Vec<_>>(), [&(253, 1)]);
        assert!(why_not.contains("its table is `striped`") && why_not.contains("sda2, sdb2"), "{why_not}");
        // Reading the table fails, because there is no such device.
        let (spans, why_not) = placed(&mut Finder { read_table: table_of, ..Finder::new(&roots, &[]) }, (253, 1));
        assert_eq!(spans.len(), 1);
        assert!(why_not.contains("its table could not be read"), "{why_not}");
    }

    #[test]
    fn files_of_roles_are_told_apart_and_followed_as_they_grow() {
        let dir = tempfile::tempdir_in(".").expect("a directory");
        let roots = Roots::host();
        let dev = sys::devices::device_number(sys::files::metadata(dir.path()).expect("there").dev());
        if roots.block(dev).is_none() {
            testkit::skipped(&format!("{} is not on a block device", dir.path().display()));
            return;
        }
        let write = |name: &str, len: usize| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            fs::write(&path, vec![1; len]).expect("written");
            File::open(&path).and_then(|f| f.sync_all()).expect("durable");
        };
        write("db", 65536);
        write("wal/1", 32768);
        let role = |role: &str, path: PathBuf| RolePath { role: role.into(), path };
        let roles = [role("data", dir.path().to_owned()), role("journal", dir.path().join("wal"))];
        let mut finder = Finder::new(&roots, &roles);
        let mut places = RoleSectors::default();
        let role_files = finder.find_files(&mut places);
        if role_files.iter().any(|t| !t.why_not.is_empty()) {
            testkit::skipped(&role_files[0].why_not.to_string());
            return;
        }
        assert_eq!(
            role_files.iter().map(|t| (t.files, t.mapped.as_u64())).collect::<Vec<_>>(),
            [(1, 65536), (1, 32768)]
        );
        write("db", 131_072);
        assert_eq!(finder.find_files(&mut places)[0].mapped, Bytes(131_072));
        // The file is dirty at one scan and written out before the next: neither its size nor its blocks nor its times
        // change.
        fs::write(dir.path().join("db"), vec![2; 1 << 20]).expect("written");
        finder.find_files(&mut places);
        File::open(dir.path().join("db")).and_then(|f| f.sync_all()).expect("durable");
        assert_eq!(finder.find_files(&mut places)[0].mapped, Bytes::from_mib(1));
        let sectors = |role| {
            let spans = places.now.values().flatten().filter(|s| s.2 == role);
            spans.map(|s| s.1 - s.0).sum::<u64>()
        };
        assert!(sectors(1) >= 256 && sectors(2) >= 64, "once for each device of the stack");
    }

    proptest! {
        #[test]
        fn a_stretch_keeps_its_bytes_where_the_file_has_extents(
            lengths in prop::collection::vec((1u64..50, 0u64..20), 1..10), at in 0u64..300, len in 0u64..300,
        ) {
            let (mut logical, mut extents, mut covered) = (0, Vec::new(), HashSet::new());
            for (i, (length, gap)) in lengths.iter().enumerate() {
                extents.push((logical, 1000 * (i as u64 + 1), *length));
                covered.extend(logical..logical + length);
                logical += length + gap;
            }
            let below = through(&extents, (at, len));
            let inside = (at..at + len).filter(|b| covered.contains(b)).count() as u64;
            prop_assert_eq!(below.iter().map(|s| s.1).sum::<u64>(), inside);
        }
    }
}
