//! Character devices that accept a device's native commands and bypass the block layer: `/dev/ng0n1` for NVMe,
//! `/dev/sg0` for SCSI.
//!
//! Writing through such a node writes to its block device. The kernel does not prevent this even if the disk is in use,
//! because the node itself is neither mounted nor claimed. Therefore secchi inspects the block device, requires consent
//! for it and holds it with `O_EXCL`, and opens the node only for the load.

use super::super::error::{TargetError, bad_input, cannot, printable};
use super::super::resolve::{ResolvedPath, locate};
use std::path::{Path, PathBuf};
use sys::devices::CommandNode;
use sys::files::{FileTypeExt, MetadataExt};

/// Identity of a device node at the inspection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub path: PathBuf,
    pub number: (u32, u32),
}

/// Returns the command node at this path, or `None` if the object at the path does not accept commands.
pub(super) fn node(place: &ResolvedPath) -> Option<(Node, CommandNode)> {
    let number = place.meta.file_type().is_char_device().then(|| sys::devices::device_number(place.meta.rdev()))?;
    let commands = sys::devices::command_node(number)?;
    Some((Node { path: place.path.clone(), number }, commands))
}

/// Returns the block device of a command node, or `None` if the path is not a command node.
pub(super) fn behind(place: &ResolvedPath) -> Result<Option<ResolvedPath>, TargetError> {
    let Some((_, commands)) = node(place) else { return Ok(None) };
    let path = Path::new("/dev").join(sys::devices::device_name(commands.block));
    let block = locate(&path, true)?;
    let right =
        block.meta.file_type().is_block_device() && sys::devices::device_number(block.meta.rdev()) == commands.block;
    if !right {
        let reason = format!("its block device should be {}, but that is another device", printable(&path));
        return Err(cannot(format!("find the block device of {}", printable(&place.path)), reason, ""));
    }
    Ok(Some(block))
}

fn is_whole_disk(place: &ResolvedPath) -> bool {
    place.meta.file_type().is_block_device()
        && sys::devices::is_scsi_disk(sys::devices::device_number(place.meta.rdev()))
}

/// Checks that the engine's kind of access (commands, or reads and writes) matches the path that the job names.
pub(super) fn fitting(place: &ResolvedPath, node: Option<&Node>, commands: bool) -> Result<(), TargetError> {
    match (node, commands) {
        (Some(node), false) => Err(bad_input(
            printable(&node.path),
            "it accepts device commands, not reads and writes",
            format!("use ioengine=io_uring_cmd (NVMe) or sg (SCSI), or use {}", printable(&place.path)),
        )),
        // Commands sent through a partition or a mapping go to the underlying disk at absolute addresses, so they could
        // reach data outside the partition or mapping.
        (None, true) if !is_whole_disk(place) => Err(bad_input(
            printable(&place.path),
            "the engine sends commands to a whole device, and this device does not accept them",
            "use the node of a namespace, such as /dev/ng0n1, or of a SCSI disk, such as /dev/sg0",
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
        let path = sys::files::canonical(dir.path()).unwrap().join("file");
        std::fs::write(&path, b"x").unwrap();
        // If the null device has no absolute path on this system, only the file is checked.
        let null = Some(Path::new(sys::streams::NULL_DEVICE)).filter(|null| null.is_absolute());
        for path in [Some(path.as_path()), null].into_iter().flatten() {
            let place = locate(path, false).unwrap();
            assert!(node(&place).is_none() && behind(&place).unwrap().is_none());
            assert!(fitting(&place, None, false).is_ok());
            assert!(fitting(&place, None, true).unwrap_err().to_string().contains("/dev/ng0n1"));
        }
        let block = locate(&path, false).unwrap();
        let node = Node { path: "/dev/ng9n1".into(), number: (245, 9) };
        let message = fitting(&block, Some(&node), false).unwrap_err().to_string();
        assert!(
            message.starts_with("/dev/ng9n1: it accepts device commands") && message.contains("io_uring_cmd"),
            "{message}"
        );
        assert!(fitting(&block, Some(&node), true).is_ok());
        assert!(!sys::devices::is_scsi_disk((1, 3)));
    }
}
