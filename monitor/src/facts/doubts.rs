//! Caveats that follow from the storage alone, before anything is measured (docs/design/storage.md, "Caches and memory"
//! and "Direct I/O and alignment").

use crate::Roots;
use crate::roots::number;
use messages::sentence;
use model::record::{DeviceFacts, StorageFacts};
use model::{Caveat, Severity, text::Message};
use std::path::Path;

/// Mount options that change the meaning of figures: option or key, identifier, severity, message about the effect.
const OPTIONS: [(&str, &str, Severity, &str); 6] = [
    ("compress", "compressed", Severity::Note, "mount-compresses"),
    ("nobarrier", "no-flush", Severity::Doubt, "mount-no-flush"),
    ("barrier=0", "no-flush", Severity::Doubt, "mount-no-flush"),
    ("data=journal", "data-journal", Severity::Note, "mount-data-journal"),
    ("sync", "sync-mount", Severity::Note, "mount-sync"),
    ("dax", "dax", Severity::Note, "mount-dax"),
];

/// Returns caveats about measurements on this storage.
#[must_use]
pub fn storage_doubts(roots: &Roots, storage: &StorageFacts) -> Vec<Caveat> {
    let mut doubts = Vec::new();
    // The fact that files are in memory is in the record, and invalidates every figure (`analysis::cache`).
    doubts.extend(storage.direct_refused.as_ref().filter(|_| storage.memory.is_none()).map(|reason| {
        Caveat::new("direct-not-honoured", Severity::Doubt, sentence!("direct-io-refused"), reason)
            .remedy(sentence!("direct-io-refused-remedy"))
    }));
    doubts.extend(whereabouts(storage));
    for option in storage.mount_options.split(',') {
        // An entry with a value matches the whole option; other entries match the key, regardless of its value.
        let key = option.split('=').next().unwrap_or(option);
        let key = key.strip_suffix("-force").unwrap_or(key);
        let known = OPTIONS.iter().find(|(begin, ..)| option == *begin || key == *begin);
        doubts.extend(known.map(|(_, id, severity, statement)| {
            let evidence = sentence!("mount-option", place = &storage.mount_point, option);
            Caveat::new(id, *severity, messages::sentence(Message::new(statement)), evidence)
        }));
    }
    for device in &storage.devices {
        doubts.extend(about_loop(roots, device).filter(|_| storage.memory.is_none()));
        doubts.extend(about_alignment(roots, device));
        doubts.extend(about_encryption(device));
    }
    doubts
}

fn whereabouts(storage: &StorageFacts) -> Option<Caveat> {
    // If no file system was inspected (null, objects, images on servers), there is no caveat about a file system.
    if storage.filesystem.is_empty() && storage.mount_point.is_empty() {
        return None;
    }
    if !storage.devices.is_empty()
        || storage.filesystem == "none"
        || sys::file_systems::is_memory_fs(&storage.filesystem)
    {
        return None;
    }
    let evidence = sentence!("storage-mounted", filesystem = &storage.filesystem, place = &storage.mount_point);
    let remote = sys::file_systems::is_remote_fs(&storage.filesystem) || storage.filesystem == "fuseblk";
    Some(if remote {
        Caveat::new("remote-storage", Severity::Note, sentence!("storage-remote"), evidence)
    } else {
        let remedy = match storage.filesystem.as_str() {
            "overlay" => sentence!("storage-overlay-remedy"),
            _ => sentence!("storage-unseen-remedy"),
        };
        Caveat::new("devices-unseen", Severity::Note, sentence!("storage-unseen"), evidence).remedy(remedy)
    })
}

fn about_loop(roots: &Roots, device: &DeviceFacts) -> Option<Caveat> {
    let file = Path::new(device.backing.as_deref()?);
    let dir = roots.block(device.dev)?;
    (number(&dir.join("loop/dio")) == Some(0)).then(|| {
        let statement = sentence!("loop-buffered", device = &device.name);
        let evidence = sentence!("loop-buffered-seen", file = file.display().to_string());
        Caveat::new("loop-buffered", Severity::Doubt, statement, evidence)
            .remedy(format!("losetup --direct-io=on /dev/{}", device.name))
    })
}

/// Returns a caveat about a partition that does not start on a physical block, which turns writes of whole blocks into
/// read-modify-write.
fn about_alignment(roots: &Roots, device: &DeviceFacts) -> Option<Caveat> {
    let dir = roots.block(device.dev).filter(|_| device.kind == "partition")?;
    let start = number(&dir.join("start"))?.checked_mul(512)?;
    let physical = device.physical_block.as_u64();
    (physical > 0 && start % physical != 0).then(|| {
        let statement = sentence!("partition-misaligned", device = &device.name);
        let evidence = sentence!("partition-misaligned-seen", start, physical);
        Caveat::new("misaligned-partition", Severity::Doubt, statement, evidence)
            .remedy(sentence!("partition-misaligned-remedy"))
    })
}

fn about_encryption(device: &DeviceFacts) -> Option<Caveat> {
    let uuid = device.serial.as_deref().filter(|s| device.kind == "dm" && s.starts_with("CRYPT-"))?;
    let statement = sentence!("device-encrypts", device = &device.name);
    Some(Caveat::new("encrypted", Severity::Note, statement, sentence!("device-encrypts-seen", uuid)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;
    use std::fs;

    fn on(filesystem: &str, options: &str, devices: Vec<DeviceFacts>) -> StorageFacts {
        StorageFacts {
            filesystem: filesystem.into(),
            mount_point: "/data".into(),
            mount_options: options.into(),
            devices,
            ..StorageFacts::default()
        }
    }

    fn ids(roots: &Roots, storage: &StorageFacts) -> Vec<String> {
        storage_doubts(roots, storage).into_iter().map(|c| c.id).collect()
    }

    fn device(name: &str, kind: &str) -> DeviceFacts {
        DeviceFacts { name: name.into(), dev: (8, 1), kind: kind.into(), ..DeviceFacts::default() }
    }

    #[test]
    fn plain_storage_raises_no_doubt() {
        let storage = on("ext4", "rw,relatime,discard,nosuid,async", vec![device("vda", "virtio")]);
        assert!(ids(&Roots::under(Path::new("/nowhere")), &storage).is_empty());
    }

    #[test]
    fn options_that_change_the_meaning_are_named() {
        let nowhere = Roots::under(Path::new("/nowhere"));
        let caveats = |options: &str| ids(&nowhere, &on("x", options, vec![device("sda", "scsi")]));
        assert_eq!(caveats("rw,compress=zstd:3"), ["compressed"]);
        assert_eq!(caveats("rw,compress-force=lzo"), ["compressed"]);
        assert_eq!(caveats("rw,barrier=0,sync"), ["no-flush", "sync-mount"]);
        assert!(caveats("rw,data=ordered,barrier=1,dirsync,lazytime").is_empty());
    }

    #[test]
    fn storage_without_visible_devices_says_why() {
        let nowhere = Roots::under(Path::new("/nowhere"));
        assert_eq!(ids(&nowhere, &on("nfs4", "rw", vec![])), ["remote-storage"]);
        assert_eq!(ids(&nowhere, &on("fuse.sshfs", "rw", vec![])), ["remote-storage"]);
        assert_eq!(ids(&nowhere, &on("overlay", "rw", vec![])), ["devices-unseen"]);
        let unseen = |filesystem| storage_doubts(&nowhere, &on(filesystem, "rw", vec![])).remove(0).remedy.to_string();
        assert!(unseen("overlay").contains("-v /mnt/data:/data") && !unseen("ecryptfs").contains("-v "));
        let reason = || Some("said here".into());
        let refused = StorageFacts { direct_refused: reason(), ..on("ecryptfs", "rw", vec![device("sda", "scsi")]) };
        assert_eq!(ids(&nowhere, &refused), ["direct-not-honoured"]);
        let memory = StorageFacts { direct_refused: reason(), memory: reason(), ..on("tmpfs", "rw", vec![]) };
        assert!(ids(&nowhere, &memory).is_empty(), "said by the judge, of every step");
    }

    #[test]
    fn a_partition_off_the_physical_grid_is_doubted() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let sysfs = dir.path().join("sys/dev/block/8:1");
        fs::create_dir_all(&sysfs).unwrap();
        let partition = DeviceFacts { physical_block: Bytes(4096), ..device("sda1", "partition") };
        let storage = on("ext4", "rw", vec![partition]);
        let roots = Roots::under(dir.path());
        fs::write(sysfs.join("start"), "63\n").unwrap();
        assert_eq!(ids(&roots, &storage), ["misaligned-partition"]);
        fs::write(sysfs.join("start"), "2048\n").unwrap();
        assert!(ids(&roots, &storage).is_empty());
    }
}
