//! Alignment of direct I/O, and storage on which direct I/O does not reach a device (docs/design/storage.md, "Direct
//! I/O and alignment").

use crate::Roots;
use crate::facts::stack::overlay_base;
use messages::sentence;
use model::{Bytes, Sentence, record::DeviceFacts};
use std::fs::File;
use std::path::Path;
use sys::file_systems::Mount;

/// Result of querying statx about direct I/O on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Statx {
    /// Largest of the alignments required for memory, offset and length.
    Align(u64),
    /// The file system does not support direct I/O on this file.
    Refused,
    /// The kernel (before 6.1) or the file system does not report the alignment.
    Silent,
}

/// Queries statx for a file or block device. For a directory, queries a file without a name in that directory, which
/// leaves no trace.
pub(super) fn ask_statx(path: &Path, is_dir: bool) -> Statx {
    match sys::storage::direct_align_at(path, is_dir).map(|align| align.memory.max(align.offset)) {
        None => Statx::Silent,
        Some(0) => Statx::Refused,
        Some(align) => Statx::Align(u64::from(align)),
    }
}

/// Returns the alignment required for direct I/O, and the source of that value. The alignment is never below the
/// logical block size of the device on top of the stack.
pub(super) fn alignment(
    statx: Statx,
    path: &Path,
    is_device: bool,
    devices: &[DeviceFacts],
) -> Option<(Bytes, String)> {
    let tops = devices.iter().filter(|d| d.depth == 0).map(|d| d.logical_block.as_u64());
    let logical = tops.max().filter(|b| *b > 0);
    match statx {
        Statx::Align(align) => {
            Some((Bytes(align.max(logical.unwrap_or(0))), sys::storage::ALIGNMENT_TOLD_BY.to_owned()))
        }
        Statx::Refused => None,
        Statx::Silent => {
            let ioctl = || File::open(path).ok().and_then(|f| sys::devices::block_geometry(&f).ok());
            match is_device.then(ioctl).flatten() {
                Some(device) => Some((Bytes(u64::from(device.logical)), "ioctl".to_owned())),
                None => logical.map(|size| (Bytes(size), "logical block of the device".to_owned())),
            }
        }
    }
}

/// Returns the reason why direct I/O on this mount does not reach a device; `None` if it does.
pub(super) fn refused(roots: &Roots, mounts: &[Mount], mount: &Mount, statx: Statx) -> Option<Sentence> {
    if let Some(reason) = in_memory(roots, mounts, mount) {
        return Some(reason);
    }
    (statx == Statx::Refused).then(|| sentence!("direct-io-refused-says", filesystem = &mount.fs))
}

/// Returns the reason why the files of this mount are in memory; `None` if they are not.
pub(super) fn in_memory(roots: &Roots, mounts: &[Mount], mount: &Mount) -> Option<Sentence> {
    if sys::file_systems::is_memory_fs(&mount.fs) {
        return Some(sentence!("memory-files", filesystem = &mount.fs));
    }
    let base = overlay_base(roots, mounts, mount).filter(|base| sys::file_systems::is_memory_fs(&base.fs))?;
    Some(sentence!("memory-overlay", place = base.point.display().to_string(), filesystem = &base.fs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn top(logical: u64) -> DeviceFacts {
        DeviceFacts { logical_block: Bytes(logical), ..DeviceFacts::default() }
    }

    #[test]
    fn the_grain_is_never_below_the_logical_block() {
        let path = Path::new("/nowhere");
        let alignment_for = |statx, blocks: &[u64]| {
            let devices: Vec<DeviceFacts> = blocks.iter().map(|b| top(*b)).collect();
            alignment(statx, path, false, &devices).map(|(b, how)| (b.as_u64(), how))
        };
        assert_eq!(alignment_for(Statx::Align(512), &[4096]), Some((4096, sys::storage::ALIGNMENT_TOLD_BY.into())));
        assert_eq!(alignment_for(Statx::Align(4096), &[512]), Some((4096, sys::storage::ALIGNMENT_TOLD_BY.into())));
        assert_eq!(alignment_for(Statx::Silent, &[512, 4096]), Some((4096, "logical block of the device".into())));
        assert_eq!(alignment_for(Statx::Silent, &[]), None);
        assert_eq!(alignment_for(Statx::Refused, &[512]), None);
    }

    #[test]
    fn a_directory_is_asked_without_leaving_a_trace() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let _ = ask_statx(dir.path(), true);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
