//! Windows.

use std::path::Path;

/// Makes a symbolic link to a file, or to a directory where one stands there.
///
/// # Errors
/// As `CreateSymbolicLinkW`: links want a right that few have. `Unsupported` under wine, which says that it made one and did not.
pub fn symlink(to: impl AsRef<Path>, link: impl AsRef<Path>) -> std::io::Result<()> {
    let link = link.as_ref();
    if to.as_ref().is_dir() {
        std::os::windows::fs::symlink_dir(to, link)?;
    } else {
        std::os::windows::fs::symlink_file(to, link)?;
    }
    match std::fs::symlink_metadata(link) {
        Ok(told) if told.is_symlink() => Ok(()),
        _ => Err(std::io::ErrorKind::Unsupported.into()),
    }
}

/// Nobody is root here.
pub fn is_root() -> bool {
    false
}

/// Builds beside tests stand still on Unix only: there are no process groups to stop.
pub(crate) fn hold_group(_group: i32, _held: bool) {}
