//! Mounted file systems and volumes, and the properties that follow from the type of a file system.

use std::path::PathBuf;

/// Major and minor number.
pub(crate) type Dev = (u32, u32);

/// A mounted file system, as listed in a line of /proc/self/mountinfo (proc(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Mount ID, as returned by [`crate::file_systems::mount_id`].
    pub id: u64,
    /// Device number; major 0 is anonymous (tmpfs, overlay, NFS, btrfs).
    pub dev: Dev,
    /// Directory of the file system that is mounted here; not `/` for bind mounts and subvolumes.
    pub root: PathBuf,
    /// Mount point.
    pub point: PathBuf,
    /// Options of this mount.
    pub options: String,
    /// Type of the file system: `ext4`.
    pub fs: String,
    /// Source: `/dev/sda1`, `server:/export`, `tmpfs`.
    pub source: PathBuf,
    /// Options of the file system, shared by all its mounts.
    pub super_options: String,
}

impl Mount {
    /// Returns all options without duplicates: those of the mount, then those of the file system.
    #[must_use]
    pub fn all_options(&self) -> String {
        let mut options: Vec<&str> = self.options.split(',').collect();
        let read_only = options.contains(&"ro");
        for option in self.super_options.split(',') {
            // A read-only mount of a writable file system stays read-only.
            let contradicts = read_only && option == "rw";
            if !contradicts && !options.contains(&option) {
                options.push(option);
            }
        }
        options.retain(|o| !o.is_empty());
        options.join(",")
    }
}

/// Parses a device number as the kernel prints it: `8:1`.
#[must_use]
pub fn parse_dev(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim().split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// File systems that keep their files in memory. Since Linux 6.6 tmpfs accepts `O_DIRECT` and ignores it.
const MEMORY: [&str; 6] = ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs", "mqueue"];

/// File systems shared with other hosts or served by another program, which alone decides the meaning of `O_DIRECT` and
/// of a flush; locks may hold on this host only.
const REMOTE: [&str; 23] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "ceph",
    "afs",
    "lustre",
    "gpfs",
    "ocfs2",
    "ocfs2_dlmfs",
    "gfs2",
    "beegfs",
    "virtiofs",
    "orangefs",
    "pvfs2",
    "ncpfs",
    "vboxsf",
    // On macOS.
    "afpfs",
    "webdav",
    "vmhgfs",
    "glusterfs",
];

/// Returns `true` if file systems of this type keep their files in memory.
#[must_use]
pub fn is_memory_fs(fs: &str) -> bool {
    MEMORY.contains(&fs)
}

/// Returns `true` if file systems of this type are stored on or shared with other machines, or served by another
/// process. Excludes `fuseblk`, a process serving a local disk.
#[must_use]
pub fn is_remote_fs(fs: &str) -> bool {
    REMOTE.contains(&fs) || fs == "fuse" || fs.starts_with("fuse.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_on_a_local_disk_is_not_remote() {
        assert!(is_remote_fs("fuse.sshfs") && is_remote_fs("nfs4"));
        assert!(!is_remote_fs("fuseblk") && !is_remote_fs("ext4") && !is_remote_fs("tmpfs"));
        assert!(is_memory_fs("tmpfs") && !is_memory_fs("ext4"));
    }
}
