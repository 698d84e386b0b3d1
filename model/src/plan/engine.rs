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
    /// Whether it can give space back; why not, else.
    pub no_trims: Option<&'static str>,
}

impl EngineSpec {
    /// One that has no other words.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, queue: EngineQueue, works_on: EngineTarget) -> EngineSpec {
        EngineSpec { name, aliases: &[], help, queue, works_on }
    }

    /// With other words for it.
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> EngineSpec {
        EngineSpec { aliases, ..self }
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
