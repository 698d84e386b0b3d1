//! The file system and the devices under a path.

use super::direct::{alignment, ask_statx, in_memory, refused};
use super::memory::made_of_memory;
use super::stack::{of_mount, stack};
use crate::Roots;
use crate::mounts::{kernel_mounts, mounts_with, of_file};
use model::{Bytes, record::StorageFacts};
use std::io;
use std::path::{Path, PathBuf};
use sys::file_systems::Mount;
use sys::files::{FileTypeExt, MetadataExt};

/// File systems that expose kernel state; their files are not storage.
const PSEUDO: [&str; 14] = [
    "proc",
    "sysfs",
    "cgroup",
    "cgroup2",
    "devpts",
    "debugfs",
    "tracefs",
    "securityfs",
    "configfs",
    "bpf",
    "pstore",
    "efivarfs",
    "binfmt_misc",
    "fusectl",
];

/// Reason why the storage under a path could not be determined.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// The path cannot be inspected.
    #[error("cannot look at {path}: {source}")]
    Stat {
        /// Path as given by the caller.
        path: PathBuf,
        /// Error returned by the system.
        source: io::Error,
    },
    /// The path is not a file, directory or block device.
    #[error("{path} is {kind}, not storage: give a directory, a file or a block device")]
    NotStorage {
        /// Path as given by the caller.
        path: PathBuf,
        /// Kind of the file, such as `a pipe or socket`.
        kind: &'static str,
    },
    /// No mount in the table contains the path.
    #[error("no file system in {table} contains {path}: is /proc from another mount namespace?")]
    NoMount {
        /// Path as given by the caller.
        path: PathBuf,
        /// Mount table that was searched.
        table: PathBuf,
    },
}

/// Returns facts about the storage under `path`, which may be a file, a directory or a block device. For a block
/// device, `filesystem` is `none`. Symbolic links are followed. Nothing is written. In a directory, a nameless file is
/// opened and closed again to determine the alignment of direct I/O.
///
/// # Errors
/// Returns an error if the path does not exist, cannot be inspected or is not storage.
pub fn storage(roots: &Roots, path: &Path) -> Result<StorageFacts, FactsError> {
    let failed = |source: io::Error| FactsError::Stat { path: path.to_owned(), source };
    let real = sys::files::canonical(path).map_err(failed)?;
    let meta = sys::files::metadata(&real).map_err(failed)?;
    let kind = meta.file_type();
    if kind.is_block_device() {
        return Ok(device(roots, &real, sys::devices::device_number(meta.rdev())));
    }
    if !kind.is_file() && !kind.is_dir() {
        let kind = if kind.is_char_device() { "a character device" } else { "a pipe or socket" };
        return Err(FactsError::NotStorage { path: path.to_owned(), kind });
    }
    let dev = sys::devices::device_number(meta.dev());
    let id = sys::file_systems::mount_id_at(&real);
    let table = mounts_with(roots, id);
    let mount = of_file(&table, &real, dev, id)
        .ok_or_else(|| FactsError::NoMount { path: path.to_owned(), table: roots.proc.join("self/mountinfo") })?;
    if PSEUDO.contains(&mount.fs.as_str()) {
        return Err(FactsError::NotStorage { path: path.to_owned(), kind: "in a file system of the kernel" });
    }
    let space = sys::file_systems::space_at(&real).map_err(failed)?;
    let devices = stack(roots, &tops(roots, &table, mount, dev));
    let statx = ask_statx(&real, kind.is_dir());
    let direct_refused = refused(roots, &table, mount, statx);
    Ok(StorageFacts {
        filesystem: mount.fs.clone(),
        mount_point: mount.point.to_string_lossy().into_owned(),
        mount_options: mount.all_options(),
        fs_size: Bytes(space.total),
        fs_free: Bytes(space.available),
        direct_align: if direct_refused.is_some() { None } else { alignment(statx, &real, false, &devices) },
        memory: in_memory(roots, &table, mount).or_else(|| made_of_memory(roots, &table, &devices)),
        devices,
        direct_refused,
    })
}

/// Returns the device numbers under a mount. The file's device number is the most reliable; anonymous numbers are
/// resolved through the mount.
fn tops(roots: &Roots, table: &[Mount], mount: &Mount, dev: (u32, u32)) -> Vec<(u32, u32)> {
    if roots.block(dev).is_some() { vec![dev] } else { of_mount(roots, table, mount) }
}

fn device(roots: &Roots, path: &Path, dev: (u32, u32)) -> StorageFacts {
    let devices = stack(roots, &[dev]);
    StorageFacts {
        filesystem: "none".to_owned(),
        direct_align: alignment(ask_statx(path, false), path, true, &devices),
        memory: made_of_memory(roots, &kernel_mounts(roots), &devices),
        devices,
        ..StorageFacts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_missing_path_and_a_character_device_are_named_in_the_error() {
        let host = Roots::host();
        let missing = storage(&host, Path::new("/nowhere/at all")).unwrap_err().to_string();
        assert!(missing.starts_with("cannot look at /nowhere/at all: "), "{missing}");
        of_linux!();
        let null = storage(&host, Path::new("/dev/null")).unwrap_err().to_string();
        assert!(null.contains("/dev/null is a character device"), "{null}");
        let proc = storage(&host, Path::new("/proc")).unwrap_err().to_string();
        assert!(proc.contains("/proc is in a file system of the kernel, not storage"), "{proc}");
    }

    #[test]
    fn a_directory_and_a_file_in_it_lie_on_the_same_storage() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let file = dir.path().join("f");
        fs::write(&file, "x").unwrap();
        let host = Roots::host();
        let of_dir = storage(&host, dir.path()).unwrap();
        let of_file = storage(&host, &file).unwrap();
        assert_eq!(of_dir.devices, of_file.devices);
        assert_eq!(of_dir.mount_point, of_file.mount_point);
        assert!(of_dir.fs_size >= of_dir.fs_free && !of_dir.fs_size.is_zero());
        assert!(dir.path().starts_with(&of_dir.mount_point));
    }

    #[test]
    fn memory_file_systems_do_not_take_direct_io_to_a_device() {
        let shm = Path::new("/dev/shm");
        let Ok(facts) = storage(&Roots::host(), shm) else { testkit::skip!("/dev/shm is not here") };
        if facts.filesystem == "tmpfs" {
            assert_eq!(facts.direct_refused.as_deref(), Some("tmpfs keeps its files in memory"));
            assert_eq!(facts.memory, facts.direct_refused);
            assert!(facts.devices.is_empty() && facts.direct_align.is_none());
        }
    }
}
