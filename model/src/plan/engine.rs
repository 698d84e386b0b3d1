//! What the job language, help and preflight know of an engine. Each engine describes itself where it is opened.

/// An engine, as jobs name it and help describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineSpec {
    /// Its name in jobs, plans and records.
    pub name: &'static str,
    /// Other words for it in job files.
    pub aliases: &'static [&'static str],
    /// What it does, a phrase for help.
    pub help: &'static str,
    /// How many operations a thread has in flight.
    pub queue: EngineQueue,
    /// What its operations go to.
    pub works_on: EngineTarget,
    /// Options that it has beside those of every engine.
    pub options: &'static [EngineOption],
}

/// An option that some engines have. Jobs name it, and its value is handed to the engine as text; a value that is the
/// default is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineOption {
    /// Its name in jobs.
    pub name: &'static str,
    /// What it is set to.
    pub value: OptionValue,
    /// Default as one would write it; empty = none.
    pub default: &'static str,
    /// What it does, one paragraph.
    pub help: &'static str,
}

/// What an option of an engine is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionValue {
    /// Bare means yes; or `0`, `1`.
    Flag,
    /// `0` or `1`, the value is required.
    Bool,
    /// A whole number from 0 to this.
    UpTo(u32),
    /// One of these words, and those of fio that are refused, each with the reason.
    Words(&'static [OptionWord], &'static [(&'static str, &'static str)]),
    /// Any text.
    Text,
    /// A path, in the directory of the job's files.
    Path,
}

/// A word that an option is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionWord {
    /// The word.
    pub name: &'static str,
    /// Other words for the same.
    pub aliases: &'static [&'static str],
    /// What it means, a phrase.
    pub help: &'static str,
}

impl OptionWord {
    /// One that has no other words.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str) -> OptionWord {
        OptionWord { name, aliases: &[], help }
    }
}

impl EngineOption {
    /// With this value.
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

/// How many operations a thread of an engine has in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineQueue {
    /// One; concurrency means threads.
    Single,
    /// A batch, which is handed over and waited for as a whole.
    Batch,
    /// As many as the depth says.
    Deep,
}

/// What the operations of an engine go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineTarget {
    /// Contents of files and block devices.
    Contents,
    /// Contents of files through a mapping.
    Mapping,
    /// A device, by its own commands, past page cache and block layer.
    Commands,
    /// The room of files: reserved, cut or moved; no contents are transferred.
    Space,
    /// Names of files and directories.
    Names(NameWork),
    /// Files of a directory that the run made for itself and hands over open: no job file can name it.
    OwnDirectory,
    /// What a server keeps.
    Server(ServerSpec),
    /// Nothing: measures the tool itself.
    Nothing,
}

/// What an engine does with names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameWork {
    /// Makes files; opens those that are there.
    MakeFiles,
    /// Looks at files, which are made before if they are not there.
    LookAtFiles,
    /// Removes files, which are made before if they are not there.
    RemoveFiles,
    /// Makes directories.
    MakeDirectories,
    /// Looks at directories, which are made before.
    LookAtDirectories,
    /// Removes directories, which are made before.
    RemoveDirectories,
}

impl NameWork {
    /// Whether it is about directories, not files.
    #[must_use]
    pub const fn is_of_directories(self) -> bool {
        matches!(self, NameWork::MakeDirectories | NameWork::LookAtDirectories | NameWork::RemoveDirectories)
    }

    /// Whether names go.
    #[must_use]
    pub const fn removes(self) -> bool {
        matches!(self, NameWork::RemoveFiles | NameWork::RemoveDirectories)
    }

    /// Whether the job itself makes what is not there.
    #[must_use]
    pub const fn makes(self) -> bool {
        matches!(self, NameWork::MakeFiles | NameWork::MakeDirectories)
    }
}

/// An engine of a server, for the job language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSpec {
    /// Options without which it cannot find what it works on.
    pub needs: &'static [&'static str],
    /// The size is asked of the server, and the one thing it works on is called after the options it needs.
    pub sized: bool,
    /// Its library caches in the memory of this machine, unless it is handed the option `direct`.
    pub cached: bool,
    /// Whether it can give space back; why not, else.
    pub no_trims: Option<&'static str>,
}

impl EngineSpec {
    /// One that has no other words.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, queue: EngineQueue, works_on: EngineTarget) -> EngineSpec {
        EngineSpec { name, aliases: &[], help, queue, works_on, options: &[] }
    }

    /// With other words for it.
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> EngineSpec {
        EngineSpec { aliases, ..self }
    }

    /// With options of its own.
    #[must_use]
    pub const fn with_options(self, options: &'static [EngineOption]) -> EngineSpec {
        EngineSpec { options, ..self }
    }

    /// Whether a thread waits for each operation, or for each batch, so that the depth is 1 whatever is asked.
    #[must_use]
    pub const fn is_synchronous(&self) -> bool {
        matches!(self.queue, EngineQueue::Single | EngineQueue::Batch)
    }

    /// Whether it has one operation in flight per thread, so that concurrency means threads.
    #[must_use]
    pub const fn is_blocking(&self) -> bool {
        matches!(self.queue, EngineQueue::Single)
    }

    /// What it does with names; `None` for one that works on what is in files.
    #[must_use]
    pub const fn name_work(&self) -> Option<NameWork> {
        match self.works_on {
            EngineTarget::Names(work) => Some(work),
            _ => None,
        }
    }
}
