//! Block devices in memory, which are not storage (docs/design/storage.md, "Caches and memory").

use super::stack::device_by_name;
use crate::Roots;
use crate::mounts::above;
use messages::sentence;
use model::{Sentence, record::DeviceFacts};
use std::path::Path;
use sys::file_systems::Mount;

/// Returns the reason why data on these devices is in memory, if all devices at the bottom of the stack are memory. A
/// stack that includes a disk, such as a cache in memory in front of a disk, is storage.
pub(super) fn made_of_memory(roots: &Roots, mounts: &[Mount], devices: &[DeviceFacts]) -> Option<Sentence> {
    // The order is depth first: a device is at the bottom unless the next one is below it.
    let lies_on = |i: usize| devices.get(i + 1).is_some_and(|next| next.depth > devices[i].depth);
    let bottom = (0..devices.len()).filter(|i| !lies_on(*i)).map(|i| of_device(roots, mounts, &devices[i]));
    let mut reasons: Vec<Sentence> = bottom.collect::<Option<_>>()?;
    reasons.dedup();
    (!reasons.is_empty()).then(|| Sentence::join(reasons, ", "))
}

fn of_device(roots: &Roots, mounts: &[Mount], device: &DeviceFacts) -> Option<Sentence> {
    let name = &device.name;
    if name.strip_prefix("zram").is_some_and(is_number) {
        return Some(sentence!("memory-zram", device = name));
    }
    if name.strip_prefix("ram").is_some_and(is_number) {
        return Some(sentence!("memory-brd", device = name));
    }
    let file = Path::new(device.backing.as_deref()?);
    if device_by_name(roots, file).is_some() {
        return None;
    }
    let mount = above(mounts, file).filter(|m| sys::file_systems::is_memory_fs(&m.fs))?;
    Some(sentence!("memory-loop", device = name, file = file.display().to_string(), filesystem = &mount.fs))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, depth: u32, backing: Option<&str>) -> DeviceFacts {
        DeviceFacts { name: name.into(), depth, backing: backing.map(str::to_owned), ..DeviceFacts::default() }
    }

    fn memory_reason(devices: &[DeviceFacts]) -> Option<Sentence> {
        let table = b"22 1 254:0 / / rw - ext4 /dev/vda rw\n23 22 0:30 / /dev/shm rw - tmpfs tmpfs rw\n";
        let dir = tempfile::tempdir().expect("a temporary directory");
        let roots = Roots::under(dir.path());
        std::fs::create_dir_all(roots.proc.join("self")).unwrap();
        std::fs::write(roots.proc.join("self/mountinfo"), table).unwrap();
        made_of_memory(&roots, &crate::mounts::mounts(&roots), devices)
    }

    #[test]
    fn drivers_of_memory_and_loops_on_it_are_memory() {
        of_linux!();
        assert_eq!(memory_reason(&[device("zram0", 0, None)]).as_deref(), Some("zram0 is compressed memory (zram)"));
        assert_eq!(memory_reason(&[device("ram3", 0, None)]).as_deref(), Some("ram3 is a RAM disk (brd)"));
        let on_shm = device("loop4", 0, Some("/dev/shm/image"));
        let expected = "loop4 is backed by memory: its file /dev/shm/image is on tmpfs";
        assert_eq!(memory_reason(std::slice::from_ref(&on_shm)).as_deref(), Some(expected));
        // An encrypted volume on a device in memory is in memory as well.
        assert_eq!(
            memory_reason(&[device("dm-0", 0, None), DeviceFacts { depth: 1, ..on_shm }]).as_deref(),
            Some(expected)
        );
    }

    #[test]
    fn disks_and_stacks_with_a_disk_in_them_are_storage() {
        assert_eq!(memory_reason(&[]), None);
        assert_eq!(memory_reason(&[device("vda", 0, None)]), None);
        assert_eq!(memory_reason(&[device("pmem0", 0, None)]), None, "it is persistent");
        assert_eq!(memory_reason(&[device("loop0", 0, Some("/images/a")), device("vda", 1, None)]), None);
        assert_eq!(memory_reason(&[device("loop0", 0, Some("/images/a"))]), None);
        // A mirror of memory and a disk has to wait for the disk.
        assert_eq!(memory_reason(&[device("md0", 0, None), device("ram0", 1, None), device("sda", 1, None)]), None);
        assert_eq!(memory_reason(&[device("ramdisk", 0, None)]), None, "not the driver's name");
    }
}
