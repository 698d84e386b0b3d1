//! Interface through which the parser gets files, variables and facts about the machine.

use crate::engines::Engines;
use crate::error::LookupError;

/// Source of everything outside of the input. The parser itself accesses neither disk nor environment.
pub trait Lookup {
    /// Returns the contents of a job file or an included one; `from` is the file that includes it. `-` is standard
    /// input.
    ///
    /// # Errors
    /// If the file cannot be read. The text follows its name, such as `no such file`.
    fn read(&self, path: &std::path::Path, from: Option<&str>) -> Result<Vec<u8>, LookupError>;

    /// Returns the value of `${NAME}`.
    fn variable(&self, name: &str) -> Option<String>;

    /// Returns the engines that jobs may name.
    fn engines(&self) -> &Engines;

    /// Returns the values of `$ncpus`, `$pagesize`, `$mb_memory`.
    fn machine(&self) -> Machine;
}

/// Values of the keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Number of CPUs online.
    pub cpus: u64,
    /// Size of a page in bytes.
    pub page_size: u64,
    /// Memory in megabytes (2^20).
    pub memory_mb: u64,
}
