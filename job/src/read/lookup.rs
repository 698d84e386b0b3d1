//! Interface through which the parser obtains files, variables and facts about the machine.

use crate::engines::Engines;
use crate::error::LookupError;

/// Source of all data outside of the input. The parser itself does not read files or environment variables.
pub trait Lookup {
    /// Returns the contents of a job file or an included file. The path `-` means standard input. `from` is the file
    /// that contains the include, if any.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read. The message consists of the file name and the error's text, such as
    /// `no such file`.
    fn read(&self, path: &std::path::Path, from: Option<&str>) -> Result<Vec<u8>, LookupError>;

    /// Returns the value of the environment variable in `${NAME}`.
    fn variable(&self, name: &str) -> Option<String>;

    /// Returns the engines that jobs may name.
    fn engines(&self) -> &Engines;

    /// Returns the values of the keywords `$ncpus`, `$pagesize` and `$mb_memory`.
    fn machine(&self) -> Machine;
}

/// Values of the keywords `$ncpus`, `$pagesize` and `$mb_memory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Number of online CPUs.
    pub cpus: u64,
    /// Size of a page in bytes.
    pub page_size: u64,
    /// Memory in megabytes (2^20).
    pub memory_mb: u64,
}
