//! Implementation for Windows.

use std::path::Path;

/// Creates a symbolic link to a file, or to a directory if `to` is one.
///
/// # Errors
/// Returns an error if `CreateSymbolicLinkW` fails. Most users lack the privilege that it requires. Returns
/// `Unsupported` under Wine, which reports success without creating a link.
pub fn symlink(to: impl AsRef<Path>, link: impl AsRef<Path>) -> std::io::Result<()> {
    let link = link.as_ref();
    if to.as_ref().is_dir() {
        std::os::windows::fs::symlink_dir(to, link)?;
    } else {
        std::os::windows::fs::symlink_file(to, link)?;
    }
    match std::fs::symlink_metadata(link) {
        Ok(metadata) if metadata.is_symlink() => Ok(()),
        _ => Err(std::io::ErrorKind::Unsupported.into()),
    }
}

/// Returns `false`: Windows has no root user.
pub fn is_root() -> bool {
    false
}

/// Does nothing: Windows has no process groups that could be stopped.
pub(crate) fn hold_group(_group: i32, _held: bool) {}

/// Returns the ID of another process, which runs longer than the tests: that of the system itself.
#[must_use]
pub fn other_process() -> u32 {
    4
}
