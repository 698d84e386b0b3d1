//! Reads `/proc/diskstats` (Documentation/admin-guide/iostats.rst): times in milliseconds, sectors of 512 bytes. One
//! file holds all devices, so a single read covers them at the same moment. If the file is hidden (in some containers),
//! reads `/sys/dev/block/MAJ:MIN/stat` of each device.

use super::{Device, Disk, Reading, Row};
use crate::Roots;
use crate::roots::{number, text};
use crate::samplers::{MoreDisks, Sampler, Subjects};
use messages::sentence;
use model::Sentence;

pub(super) fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let wanted: Vec<((u32, u32), String)> = subjects.devices.iter().map(|d| (d.dev, d.name.clone())).collect();
    let source = {
        let (roots, wanted) = (roots.clone(), wanted.clone());
        move || {
            let rows = every(&roots);
            if rows.is_empty() {
                wanted.iter().filter_map(|(dev, name)| alone(&roots, *dev, name)).collect()
            } else {
                rows
            }
        }
    };
    let rows = source();
    let loops: Vec<(u32, u32)> = subjects.devices.iter().filter(|d| d.kind == "loop").map(|d| d.dev).collect();
    let emptied = {
        let roots = roots.clone();
        move |dev: (u32, u32)| loops.contains(&dev) && number(&roots.sysfs_block(dev).join("size")) == Some(0)
    };
    // A loop device without a file still has counters, which do not change; such a device must not be listed as idle.
    let source = {
        let emptied = emptied.clone();
        move || -> Vec<Row> { source().into_iter().filter(|row| !emptied(row.dev)).collect() }
    };
    let find = |dev: (u32, u32), name: &str| rows.iter().find(|r| r.dev == dev && r.name == name).map(|r| r.reading);
    let mut devices: Vec<Device> = wanted
        .into_iter()
        .filter_map(|(dev, name)| Some(Device { last: Some(find(dev, &name)?), away: emptied(dev), dev, name }))
        .collect();
    if subjects.more != MoreDisks::None {
        for row in rows.iter().filter(|r| r.is_one_of(subjects.more)) {
            if !devices.iter().any(|d| d.dev == row.dev) {
                let last = Some(row.reading);
                devices.push(Device { dev: row.dev, name: row.name.clone(), last, away: false });
            }
        }
    }
    if devices.is_empty() && subjects.more == MoreDisks::None {
        return Err(sentence!("sampler-no-device"));
    }
    Ok(Box::new(Disk { source, devices, more: subjects.more, remarks: Vec::new() }))
}

/// Returns all devices with kernel counters, including partitions.
pub(super) fn every(roots: &Roots) -> Vec<Row> {
    let stats = text(&roots.proc.join("diskstats")).unwrap_or_default();
    stats.lines().filter_map(row).collect()
}

fn alone(roots: &Roots, dev: (u32, u32), name: &str) -> Option<Row> {
    let stat = text(&roots.sysfs_block(dev).join("stat"))?;
    Some(Row { dev, name: name.to_owned(), reading: counters(&stat)? })
}

/// Parses ` 254       0 vda 29628 7156 ...`.
fn row(line: &str) -> Option<Row> {
    let line = line.trim_start();
    let (major, line) = line.split_once(char::is_whitespace)?;
    let (minor, line) = line.trim_start().split_once(char::is_whitespace)?;
    let (name, rest) = line.trim_start().split_once(char::is_whitespace)?;
    let dev = (major.parse().ok()?, minor.parse().ok()?);
    // Depending on the kernel version, sysfs and this file write either `/` or `!`; we use `!`.
    Some(Row { dev, name: name.replace('/', "!"), reading: counters(rest)? })
}

fn counters(stat: &str) -> Option<Reading> {
    let words: Vec<u64> = stat.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let at = |i: usize| words.get(i).copied();
    let bytes = |i: usize| at(i).map(|sectors| sectors.saturating_mul(512));
    Some(Reading {
        reads: at(0)?,
        read_merges: at(1)?,
        read_bytes: bytes(2)?,
        read_ms: at(3)?,
        writes: at(4)?,
        write_merges: at(5)?,
        write_bytes: bytes(6)?,
        write_ms: at(7)?,
        in_flight: at(8)?,
        busy_ms: at(9)?,
        queue_ms: at(10)?,
        discards: at(11).zip(bytes(13)).zip(at(14)).map(|((n, bytes), ms)| (n, bytes, ms)),
        flushes: at(15).zip(at(16)),
    })
}

/// Returns `true` if the name looks like the name of a whole disk. A partition's name is the disk's name plus a number,
/// but the names of loop devices, dm, md and zram also end in a number.
pub(super) fn is_whole(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == name.len() {
        return true;
    }
    let numbered =
        ["loop", "dm-", "md", "zram", "ram", "sr", "nbd", "drbd", "bcache", "rbd", "pmem", "zd", "fd", "mtdblock"];
    if numbered.contains(&stem) {
        return true;
    }
    // nvme0n1, nvme0c0n1 and mmcblk0 are disks; nvme0n1p2 and mmcblk0p1 are partitions.
    (name.starts_with("nvme") && stem.ends_with('n')) || stem == "mmcblk"
}

#[cfg(test)]
mod tests {
    use super::super::known_devices;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_line_of_a_real_disk_is_read_and_a_short_one_is_not() {
        let line = " 254       0 vda 29628     7156  3832146    12885     8608    12958  1452768     6900        2     5736    \
                     20129     3827       37   233816      313      796       30\n";
        let row = row(line).unwrap();
        assert_eq!((row.dev, row.name.as_str()), ((254, 0), "vda"));
        let reading = row.reading;
        assert_eq!((reading.reads, reading.read_bytes, reading.read_ms), (29_628, 3_832_146 * 512, 12_885));
        assert_eq!((reading.in_flight, reading.busy_ms, reading.write_merges), (2, 5736, 12958));
        assert_eq!((reading.discards, reading.flushes), (Some((3827, 233_816 * 512, 313)), Some((796, 30))));
        let old = counters("1 2 3 4 5 6 7 8 0 9 10").unwrap();
        assert_eq!((old.discards, old.flushes), (None, None), "a kernel before 4.18");
        assert_eq!(counters("1 2 3"), None);
        assert_eq!(counters(&"-1 ".repeat(11)), None);
    }

    #[test]
    fn disks_are_told_from_their_partitions_by_name() {
        for disk in
            ["vda", "sda", "sdaa", "nvme0n1", "nvme10n12", "mmcblk0", "loop0", "dm-12", "md127", "zram0", "xvdf"]
        {
            assert!(is_whole(disk), "{disk}");
        }
        for part in ["vda1", "sda12", "nvme0n1p3", "mmcblk0p1", "xvda1", "loop0p1", "md0p1"] {
            assert!(!is_whole(part), "{part}");
        }
    }

    #[test]
    fn known_devices_have_names_and_idle_ones_are_marked() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let roots = Roots::under(dir.path());
        std::fs::create_dir_all(&roots.proc).expect("made");
        let stats = " 254 0 vda 1 0 8 1 0 0 0 0 0 1 1\n 254 1 vda1 0 0 0 0 0 0 0 0 0 0 0\nnonsense\n";
        std::fs::write(roots.proc.join("diskstats"), stats).expect("written");
        let known = known_devices(&roots);
        let listed: Vec<_> = known.iter().map(|d| (d.name.as_str(), d.whole, d.idle)).collect();
        assert_eq!(listed, [("vda", true, false), ("vda1", false, true)]);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "([0-9 ]*|\\PC)*", name in "\\PC*") {
            let _ = (row(&text), counters(&text), is_whole(&name));
        }
    }
}
