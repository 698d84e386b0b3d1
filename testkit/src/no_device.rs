//! Stubs of test devices, which only Linux supports.

use std::path::Path;

/// Stub of a file system in memory, which cannot be mounted on this system.
pub struct Tmpfs;

impl Tmpfs {
    /// Returns an error, because this system cannot mount a file system in memory.
    pub fn mount(_point: &Path, _size: &str) -> Result<Tmpfs, String> {
        Err("file systems in memory are mounted on Linux only".to_owned())
    }
}
