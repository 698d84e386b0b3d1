//! Stubs of test devices, which only Linux supports.

use std::path::Path;

/// File system in memory: cannot be mounted on this system.
pub struct Tmpfs;

impl Tmpfs {
    /// Returns an error with the reason.
    pub fn mount(_point: &Path, _size: &str) -> Result<Tmpfs, String> {
        Err("file systems in memory are mounted on Linux only".to_owned())
    }
}
