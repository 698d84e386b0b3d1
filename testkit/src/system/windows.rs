//! Windows.

use std::path::Path;

/// Makes a symbolic link to a file, or to a directory where one stands there.
///
/// # Errors
/// As `CreateSymbolicLinkW`: links want a right that few have.
pub fn symlink(to: impl AsRef<Path>, link: impl AsRef<Path>) -> std::io::Result<()> {
    if to.as_ref().is_dir() {
        return std::os::windows::fs::symlink_dir(to, link);
    }
    std::os::windows::fs::symlink_file(to, link)
}

/// Nobody is root here.
pub fn is_root() -> bool {
    false
}

/// Builds beside tests stand still on Unix only: there are no process groups to stop.
pub(crate) fn hold_group(_group: i32, _held: bool) {}
