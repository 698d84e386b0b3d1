//! Devices of tests are Linux' alone.

use std::path::Path;

/// A file system in memory: there are none.
pub struct Tmpfs;

impl Tmpfs {
    /// Always why there is none.
    pub fn mount(_point: &Path, _size: &str) -> Result<Tmpfs, String> {
        Err("file systems in memory are mounted on Linux only".to_owned())
    }
}
