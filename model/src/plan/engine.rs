//! Descriptions of engines for the job language, help and preflight. Each engine defines its own next to the code that
//! opens it.

/// Description of an engine: its name in jobs and its help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineSpec {
    /// Name in jobs, plans and records.
    pub name: &'static str,
    /// Other names accepted in job files.
    pub aliases: &'static [&'static str],
    /// Description for help, one phrase.
    pub help: &'static str,
    /// Number of operations that a thread has in flight.
    pub queue: EngineQueue,
    /// Kind of object that the engine's operations work on.
    pub works_on: EngineTarget,
    /// Options in addition to those that every engine has.
    pub options: &'static [EngineOption],
}

/// An option specific to some engines. It is set by name in jobs, and its value is passed to the engine as text.
/// Default values are not passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineOption {
    /// Name in jobs.
    pub name: &'static str,
    /// Values that the option accepts.
    pub value: OptionValue,
    /// Default as written in a job; empty if there is none.
    pub default: &'static str,
    /// Description, one paragraph.
    pub help: &'static str,
}

/// Values that an engine option accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionValue {
    /// `0` or `1`; the option without a value means `1`.
    Flag,
    /// `0` or `1`; the value is required.
    Bool,
    /// An integer from 0 to this maximum.
    UpTo(u32),
    /// One of these words. The second list has fio's words that are rejected, each with the reason.
    Words(&'static [OptionWord], &'static [(&'static str, &'static str)]),
    /// Any text.
    Text,
    /// A path in the directory of the job's files.
    Path,
}

/// A word that is the value of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionWord {
    /// Name of the word.
    pub name: &'static str,
    /// Synonyms.
    pub aliases: &'static [&'static str],
    /// Description, one phrase.
    pub help: &'static str,
}

impl OptionWord {
    /// Creates a word without synonyms.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str) -> OptionWord {
        OptionWord { name, aliases: &[], help }
    }
}

impl EngineOption {
    /// Creates an option that accepts this kind of value.
    #[must_use]
    pub const fn new(
        name: &'static str,
        value: OptionValue,
        default: &'static str,
        help: &'static str,
    ) -> EngineOption {
        EngineOption { name, value, default, help }
    }
}

/// Number of operations that a thread of an engine has in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineQueue {
    /// One operation; concurrency is the number of threads.
    Single,
    /// A batch that is submitted as a whole and waited for as a whole.
    Batch,
    /// As many as the queue depth allows.
    Deep,
}

/// Kind of object that the operations of an engine work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineTarget {
    /// Contents of files and block devices.
    Contents,
    /// Contents of files through a memory mapping.
    Mapping,
    /// A device, through device commands that bypass the page cache and the block layer.
    Commands,
    /// Space of files: allocated, truncated or moved, without transfer of contents.
    Space,
    /// Names of files and directories.
    Names(NameWork),
    /// Files in a directory that the run creates and passes to the engine as an open descriptor. Job files cannot name
    /// this engine.
    OwnDirectory,
    /// Data on a server.
    Server(ServerSpec),
    /// Nothing; measures the tool itself.
    Nothing,
}

/// Operation of an engine on names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameWork {
    /// Creates files and opens existing ones.
    MakeFiles,
    /// Stats files, which are created in advance if missing.
    LookAtFiles,
    /// Removes files, which are created in advance if missing.
    RemoveFiles,
    /// Creates directories.
    MakeDirectories,
    /// Stats directories, which are created in advance.
    LookAtDirectories,
    /// Removes directories, which are created in advance.
    RemoveDirectories,
}

impl NameWork {
    /// Returns `true` if the operation works on directories, not files.
    #[must_use]
    pub const fn is_of_directories(self) -> bool {
        matches!(self, NameWork::MakeDirectories | NameWork::LookAtDirectories | NameWork::RemoveDirectories)
    }

    /// Returns `true` if the operation removes names.
    #[must_use]
    pub const fn removes(self) -> bool {
        matches!(self, NameWork::RemoveFiles | NameWork::RemoveDirectories)
    }

    /// Returns `true` if the job itself creates missing entries.
    #[must_use]
    pub const fn makes(self) -> bool {
        matches!(self, NameWork::MakeFiles | NameWork::MakeDirectories)
    }
}

/// Properties of an engine that talks to a server, for the job language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSpec {
    /// Options required to locate the data.
    pub needs: &'static [&'static str],
    /// True if the size is queried from the server. The single object that the engine works on is then named after the
    /// required options.
    pub sized: bool,
    /// True if the client library caches data in this machine's memory, unless the option `direct` is set.
    pub cached: bool,
    /// Reason why the engine cannot free space; `None` if it can.
    pub no_trims: Option<&'static str>,
}

impl EngineSpec {
    /// Creates a description without aliases and options.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, queue: EngineQueue, works_on: EngineTarget) -> EngineSpec {
        EngineSpec { name, aliases: &[], help, queue, works_on, options: &[] }
    }

    /// Returns the description with aliases.
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> EngineSpec {
        EngineSpec { aliases, ..self }
    }

    /// Returns the description with engine-specific options.
    #[must_use]
    pub const fn with_options(self, options: &'static [EngineOption]) -> EngineSpec {
        EngineSpec { options, ..self }
    }

    /// Returns `true` if a thread has one operation in flight, so that concurrency is the number of threads.
    #[must_use]
    pub const fn is_blocking(&self) -> bool {
        matches!(self.queue, EngineQueue::Single)
    }

    /// Returns the operation on names, or `None` if the engine works on contents.
    #[must_use]
    pub const fn name_work(&self) -> Option<NameWork> {
        if let EngineTarget::Names(work) = self.works_on { Some(work) } else { None }
    }
}
