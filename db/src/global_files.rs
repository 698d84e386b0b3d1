//! Files of globals, for engines that store each global in a separate file.

use crate::DbError;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the files of existing globals with numbers up to `begun`, the last one whose creation was started. A file
/// with a higher number belongs to the user.
///
/// # Errors
/// Returns an error if a file is not the one that was created for its global, or cannot be examined.
pub(crate) fn existing(
    begun: u32,
    path_of: impl Fn(u32) -> PathBuf,
    is_own: impl Fn(&Path) -> bool,
) -> Result<Vec<(u32, PathBuf)>, DbError> {
    let mut files = Vec::new();
    for number in 0..=begun {
        let path = path_of(number);
        match std::fs::symlink_metadata(&path) {
            Ok(m) if m.is_file() && is_own(&path) => files.push((number, path)),
            Ok(_) => {
                return Err(DbError::refused(
                    path.display().to_string(),
                    "it is not the file that was created for this global",
                    "nothing was opened; put the original file back, or move this one away and create the global again",
                ));
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(DbError::io("look at", path)(e)),
        }
    }
    Ok(files)
}
