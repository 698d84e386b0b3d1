//! What the parser asks of the world.

use crate::engines::Engines;
use crate::error::LookupError;

/// What the parser may ask of the world. It touches neither disk nor environment itself.
pub trait Lookup {
    /// Contents of a job file or of an included one; `from` is the file that includes it. `-` is standard input.
    ///
    /// # Errors
    /// Why it cannot be read, as one would say after its name: `no such file`.
    fn read(&self, path: &std::path::Path, from: Option<&str>) -> Result<Vec<u8>, LookupError>;

    /// Value of `${NAME}`.
    fn variable(&self, name: &str) -> Option<String>;

    /// The engines that jobs may name.
    fn engines(&self) -> &Engines;

    /// Facts behind `$ncpus`, `$pagesize`, `$mb_memory`.
    fn machine(&self) -> Machine;
}

/// Facts behind the keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// CPUs online.
    pub cpus: u64,
    /// Bytes of a page.
    pub page_size: u64,
    /// Megabytes (2^20) of memory.
    pub memory_mb: u64,
}
