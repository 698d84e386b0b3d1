//! Facts about files and the machine that lowering needs.

use crate::error::LookupError;
use model::{Bytes, recording::Recording};
use std::path::Path;

/// Kind of a path, before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// The path does not exist.
    Missing,
    /// A regular file of this size.
    File(Bytes),
    /// `/dev/null` or `/dev/zero`, which have no fixed size and do not keep data.
    Endless,
    /// A block device of this size.
    Device(Bytes),
    /// A directory.
    Directory,
    /// Another kind, such as a pipe or a character device.
    Other,
}

/// Source of facts about files and the machine.
pub trait Facts {
    /// Returns the kind of a path.
    fn kind(&self, path: &Path) -> PathKind;
    /// Returns `true` for a device, or a file of unlimited size.
    fn is_device(&self, path: &Path) -> bool {
        matches!(self.kind(path), PathKind::Device(_) | PathKind::Endless)
    }
    /// Returns the alignment that direct I/O on this path requires for offsets and lengths. If the path does not exist,
    /// its directory determines the alignment.
    fn align(&self, path: &Path) -> Bytes;
    /// Returns the size of a device's zones, or `None` if it has no zones.
    fn zone_size(&self, path: &Path) -> Option<Bytes> {
        let _ = path;
        None
    }
    /// Returns the name of the best asynchronous engine on this machine. It replaces engines of other systems.
    fn native_engine(&self) -> &'static str;
    /// Returns the CPUs of a NUMA node, or `None` if the node does not exist.
    fn cpus_of_node(&self, node: u32) -> Option<Vec<u32>>;
    /// Returns the size of an object on a server that `engine` accesses with these `options`.
    ///
    /// # Errors
    /// Returns an error if the size cannot be determined.
    fn served_size(&self, engine: &str, options: &[(String, String)]) -> Result<Bytes, LookupError> {
        let _ = options;
        Err(LookupError(format!("{engine} cannot be queried")))
    }
    /// Returns a random number for choices that must differ between runs.
    fn random(&self) -> u64;
    /// Returns a recording of requests to replay.
    ///
    /// # Errors
    /// Returns an error if the recording cannot be read.
    fn recording(&self, path: &Path) -> Result<Recording, LookupError> {
        let _ = path;
        Err(LookupError("recordings cannot be read".to_owned()))
    }
    /// Returns the contents of a pattern file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    fn contents(&self, path: &Path) -> Result<Vec<u8>, LookupError>;
}
