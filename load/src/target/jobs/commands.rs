//! Character devices that take a device's own commands past the block layer: `/dev/ng0n1` of NVMe, `/dev/sg0` of SCSI.
//!
//! Whoever writes through one writes to the block device behind it, and the kernel keeps nobody off: such a node is neither
//! mounted nor claimed, whatever stands on the disk. So the block device is inspected, consented to and held with `O_EXCL` in
//! its place, and the node is only what is opened for the load.

use super::super::error::{TargetError, bad_input, cannot, printable};
use super::super::resolve::{ResolvedPath, locate};
use std::path::{Path, PathBuf};
use sys::CommandNode;
use sys::{FileTypeExt, MetadataExt};

/// A node, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub path: PathBuf,
    pub number: (u32, u32),
}

/// Which node this is; `None` if it takes no commands.
pub(super) fn node(place: &ResolvedPath) -> Option<(Node, CommandNode)> {
    let number = place.meta.file_type().is_char_device().then(|| sys::device_number(place.meta.rdev()))?;
    let found = sys::command_node(number)?;
    Some((Node { path: place.path.clone(), number }, found))
}

/// The block device behind a node; `None` if the place is no such node.
pub(super) fn behind(place: &ResolvedPath) -> Result<Option<ResolvedPath>, TargetError> {
    let Some((_, found)) = node(place) else { return Ok(None) };
    let path = Path::new("/dev").join(sys::device_name(found.block));
    let block = locate(&path, true)?;
    let right = block.meta.file_type().is_block_device() && sys::device_number(block.meta.rdev()) == found.block;
    if !right {
        let why = format!("its block device should be {}, which is another", printable(&path));
        return Err(cannot(format!("look behind {}", printable(&place.path)), why, ""));
    }
    Ok(Some(block))
}

fn is_whole_disk(place: &ResolvedPath) -> bool {
    place.meta.file_type().is_block_device() && sys::is_scsi_disk(sys::device_number(place.meta.rdev()))
}

/// Whether the way of a job and what it names go together.
pub(super) fn fitting(place: &ResolvedPath, node: Option<&Node>, commands: bool) -> Result<(), TargetError> {
    match (node, commands) {
        (Some(node), false) => Err(bad_input(
            printable(&node.path),
            "it takes commands of the device, not reads and writes",
            format!("use ioengine=io_uring_cmd (NVMe) or sg (SCSI), or name {}", printable(&place.path)),
        )),
        // Commands through a partition or a mapping go to the disk below it, at the places they say: to somebody else's data.
        (None, true) if !is_whole_disk(place) => Err(bad_input(
            printable(&place.path),
            "the engine sends commands to a whole device, this is none that takes them",
            "name the node of a namespace, such as /dev/ng0n1, or of a SCSI disk, such as /dev/sg0",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_device_of_commands_is_none_and_an_engine_of_commands_takes_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = sys::canonical(dir.path()).unwrap().join("file");
        std::fs::write(&path, b"x").unwrap();
        // Where no path leads to what swallows everything, only the file is looked at.
        let null = Some(Path::new(sys::NULL_DEVICE)).filter(|null| null.is_absolute());
        for path in [Some(path.as_path()), null].into_iter().flatten() {
            let place = locate(path, false).unwrap();
            assert!(node(&place).is_none() && behind(&place).unwrap().is_none());
            assert!(fitting(&place, None, false).is_ok());
            assert!(fitting(&place, None, true).unwrap_err().to_string().contains("/dev/ng0n1"));
        }
        let block = locate(&path, false).unwrap();
        let node = Node { path: "/dev/ng9n1".into(), number: (245, 9) };
        let told = fitting(&block, Some(&node), false).unwrap_err().to_string();
        assert!(told.starts_with("/dev/ng9n1: it takes commands") && told.contains("io_uring_cmd"), "{told}");
        assert!(fitting(&block, Some(&node), true).is_ok());
        assert!(!sys::is_scsi_disk((1, 3)));
    }
}
