//! What lowering asks of the world.

use crate::error::LookupError;
use model::{Bytes, Recording};
use std::path::Path;

/// What a path is, before anything is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// Nothing is there.
    Missing,
    /// A regular file of this size.
    File(Bytes),
    /// `/dev/null` or `/dev/zero`: as long as is asked, and nothing of it is kept.
    Endless,
    /// A block device of this size.
    Device(Bytes),
    /// A directory.
    Directory,
    /// Something else: a pipe, a character device.
    Other,
}

/// What lowering asks of the world.
pub trait Facts {
    /// What a path is.
    fn kind(&self, path: &Path) -> PathKind;
    /// Whether it is a device, or as endless as one.
    fn is_device(&self, path: &Path) -> bool {
        matches!(self.kind(path), PathKind::Device(_) | PathKind::Endless)
    }
    /// What offsets and lengths of direct I/O on it, or in its directory, must be multiples of.
    fn align(&self, path: &Path) -> Bytes;
    /// How long the zones of a device are; `None` = it has none.
    fn zone_size(&self, path: &Path) -> Option<Bytes> {
        let _ = path;
        None
    }
    /// The best asynchronous engine of this machine, for engines of other systems.
    fn native_engine(&self) -> &'static str;
    /// The CPUs of a NUMA node; `None` = there is no such node.
    fn cpus_of_node(&self, node: u32) -> Option<Vec<u32>>;
    /// Size of what a server keeps, by the engine that reaches it and its options.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn served_size(&self, engine: &str, options: &[(String, String)]) -> Result<Bytes, LookupError> {
        let _ = options;
        Err(LookupError(format!("{engine} is not reached from here")))
    }
    /// A random number: for what a job file wants different in every run.
    fn random(&self) -> u64;
    /// A recording of requests that is to be made again.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn recording(&self, path: &Path) -> Result<Recording, LookupError> {
        let _ = path;
        Err(LookupError("recordings are not read here".to_owned()))
    }
    /// Contents of a pattern file.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn contents(&self, path: &Path) -> Result<Vec<u8>, LookupError>;
}
