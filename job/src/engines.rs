//! Engines of the job language: the engines that the caller passes in, and fio's words for other kinds of work.

use crate::name_error::NameError;
use crate::value::Word;
use model::plan::{EngineOption, EngineQueue, EngineSpec, EngineTarget, NameWork, ServerSpec};
use std::fmt;

/// Engines that job files may name. Created once for the lifetime of the program.
pub struct Engines {
    all: Vec<IoEngine>,
    words: Vec<Word>,
    options: Vec<&'static EngineOption>,
}

/// Meaning of a word after `ioengine=`.
#[derive(Clone, Copy)]
pub struct IoEngine {
    word: &'static str,
    runs: Runs,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Runs {
    Engine(&'static EngineSpec),
    /// This system's native asynchronous engine, which replaces an engine of another operating system.
    Native,
    /// No I/O: uses CPU time.
    Cpu,
    /// No I/O: runs a program.
    Program,
}

/// fio's words for engines that secchi replaces with its own: the word, secchi's engine, and the help text.
const INSTEAD: &[(&str, &str, &str)] = &[
    ("splice", "psync", "runs as psync: pread and pwrite, without a pipe"),
    ("libzbc", "psync", "runs as psync: pread and pwrite on the block device; zonemode=zbd handles its zones"),
    ("cpp_null", "null", "runs as null; in fio, an example of an external engine that does nothing"),
    ("libpmem", "mmap", "runs as mmap: data is durable once it is flushed"),
];

/// fio's words for engines of other systems, and for work without I/O.
const OTHERS: &[(&str, Runs, &str)] = &[
    ("windowsaio", Runs::Native, "Windows overlapped I/O; on other systems, the native asynchronous engine"),
    ("solarisaio", Runs::Native, "Solaris asynchronous I/O; on other systems, the native asynchronous engine"),
    ("cpuio", Runs::Cpu, "no I/O: uses CPU time as set by `cpuload`"),
    ("exec", Runs::Program, "no I/O: runs `program` for the duration of the job"),
];

/// Default engines, as in fio. The first one that exists on this system is used.
const USUAL: [&str; 2] = ["windowsaio", "psync"];

impl Engines {
    /// Creates the table of engines, in the order used by the help and the reference.
    ///
    /// # Panics
    /// Panics if `specs` lacks one of the engines that replace fio's engines (psync, null, mmap).
    #[must_use]
    pub fn new(specs: impl IntoIterator<Item = &'static EngineSpec>) -> Engines {
        let (mut engines, mut words, mut options) = (Vec::new(), Vec::new(), Vec::<&EngineOption>::new());
        for spec in specs {
            for option in spec.options {
                if !options.iter().any(|known| known.name == option.name) {
                    options.push(option);
                }
            }
            engines.push(IoEngine { word: spec.name, runs: Runs::Engine(spec) });
            words.push(Word { name: spec.name, aliases: spec.aliases, help: spec.help });
        }
        for &(word, ours, help) in INSTEAD {
            let runs = engines.iter().find(|e| e.word == ours).map(|e| e.runs);
            engines.push(IoEngine { word, runs: runs.expect("psync, null and mmap are engines") });
            words.push(Word { name: word, aliases: &[], help });
        }
        for &(word, runs, help) in OTHERS {
            // An engine in this list may be one of this system's own engines, such as `windowsaio` on Windows.
            if engines.iter().any(|e| e.word == word) {
                continue;
            }
            engines.push(IoEngine { word, runs });
            words.push(Word { name: word, aliases: &[], help });
        }
        Engines { all: engines, words, options }
    }

    /// Returns the words that `ioengine` accepts, in the order used by the help.
    #[must_use]
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Iterates over the options that engines declare, without duplicates.
    pub fn options(&self) -> impl Iterator<Item = &'static EngineOption> {
        self.options.iter().copied()
    }

    /// Iterates over the engines that declare an option, in the order used by the help.
    pub(crate) fn having(&self, option: &str) -> impl Iterator<Item = &'static str> {
        let ours = self.all.iter().filter(|engine| engine.runs_as().is_none());
        ours.filter(move |engine| engine.has(option)).map(|engine| engine.word)
    }

    /// Returns the engine at an index of [`Engines::words`].
    pub(crate) fn at(&self, index: usize) -> Option<IoEngine> {
        self.all.get(index).copied()
    }

    /// Returns the default engine.
    pub(crate) fn usual(&self) -> IoEngine {
        let default_engine = |name: &&str| self.all.iter().find(|e| e.word == *name && e.spec().is_some());
        *USUAL.iter().find_map(default_engine).expect("psync is an engine")
    }

    /// Checks that an engine with this name exists.
    ///
    /// # Errors
    /// Returns an error if no engine has this name. The error contains the most similar name.
    pub(crate) fn check_name(&self, name: &str) -> Result<(), NameError> {
        if self.words.iter().any(|w| w.name == name) {
            return Ok(());
        }
        Err(NameError::no_engine(name, self.words.iter().map(|w| w.name)))
    }
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}

impl fmt::Debug for IoEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

impl PartialEq for IoEngine {
    fn eq(&self, other: &IoEngine) -> bool {
        self.word == other.word
    }
}

impl IoEngine {
    /// Returns the name used in job files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.word
    }

    const fn spec(self) -> Option<&'static EngineSpec> {
        match self.runs {
            Runs::Engine(spec) => Some(spec),
            Runs::Native | Runs::Cpu | Runs::Program => None,
        }
    }

    /// Returns `true` if the engine declares this option.
    pub(crate) fn has(self, option: &str) -> bool {
        self.options().iter().any(|own| own.name == option)
    }

    /// Returns the options that the engine declares.
    pub(crate) fn options(self) -> &'static [EngineOption] {
        self.spec().map_or(&[], |spec| spec.options)
    }

    /// Returns the name of the engine that runs. `native` is the name of this system's asynchronous engine.
    #[must_use]
    pub fn name(self, native: &'static str) -> &'static str {
        match self.runs {
            Runs::Engine(spec) => spec.name,
            Runs::Native => native,
            Runs::Cpu | Runs::Program => self.word,
        }
    }

    /// Returns the name of the engine that runs, if it differs from the word. Returns `None` for engines of other
    /// systems.
    #[must_use]
    pub fn runs_as(self) -> Option<&'static str> {
        self.spec().map(|spec| spec.name).filter(|name| *name != self.word)
    }

    /// Returns `true` for an engine of another system. The native asynchronous engine of this system replaces it.
    #[must_use]
    pub fn is_of_another_system(self) -> bool {
        self.runs == Runs::Native
    }

    /// Returns `true` if the engine waits for each operation, so the depth is always 1.
    #[must_use]
    pub fn is_synchronous(self) -> bool {
        match self.runs {
            Runs::Engine(spec) => spec.queue != EngineQueue::Deep,
            Runs::Native => false,
            Runs::Cpu | Runs::Program => true,
        }
    }

    /// Returns `true` if the engine does no I/O and has no files.
    #[must_use]
    pub fn does_no_io(self) -> bool {
        self.burns_cpu() || self.runs_program()
    }

    /// Returns `true` if the engine burns CPU time.
    #[must_use]
    pub fn burns_cpu(self) -> bool {
        self.runs == Runs::Cpu
    }

    /// Returns `true` if the engine runs a program.
    #[must_use]
    pub fn runs_program(self) -> bool {
        self.runs == Runs::Program
    }

    /// Returns the kind of target that the operations work on, or `None` if the engine does no I/O or belongs to
    /// another system.
    #[must_use]
    pub fn works_on(self) -> Option<EngineTarget> {
        self.spec().map(|spec| spec.works_on)
    }

    /// Returns `true` if the engine transfers contents of files and block devices with plain reads and writes.
    #[must_use]
    pub fn moves_contents(self) -> bool {
        self.runs == Runs::Native || self.works_on() == Some(EngineTarget::Contents)
    }

    /// Returns `true` if the engine transfers nothing, which measures the overhead of secchi itself.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.works_on() == Some(EngineTarget::Nothing)
    }

    /// Returns `true` if the engine maps files into memory.
    #[must_use]
    pub fn maps_files(self) -> bool {
        self.works_on() == Some(EngineTarget::Mapping)
    }

    /// Returns `true` if the engine sends the device's own commands, bypassing page cache and block layer.
    #[must_use]
    pub fn commands(self) -> bool {
        self.works_on() == Some(EngineTarget::Commands)
    }

    /// Returns the work that the engine does on file and directory names, or `None` if it works on file contents.
    #[must_use]
    pub fn name_work(self) -> Option<NameWork> {
        self.spec().and_then(EngineSpec::name_work)
    }

    /// Returns the kind of server that the engine accesses, or `None` if it works on files on this machine.
    #[must_use]
    pub fn server(self) -> Option<ServerSpec> {
        match self.works_on() {
            Some(EngineTarget::Server(server)) => Some(server),
            _ => None,
        }
    }
}

/// Returns the available engines, for the tests of this crate.
#[cfg(test)]
pub(crate) fn for_tests() -> &'static Engines {
    static ENGINES: std::sync::LazyLock<Engines> = std::sync::LazyLock::new(|| Engines::new(load::engines::specs()));
    &ENGINES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_engine_is_that_of_fio_on_the_system() {
        let specs = || load::engines::specs().filter(|spec| spec.name != "windowsaio");
        assert_eq!(Engines::new(specs()).usual().word(), "psync");
        static OVERLAPPED: EngineSpec =
            EngineSpec::new("windowsaio", "", EngineQueue::Deep, model::plan::EngineTarget::Contents);
        let windows = Engines::new(specs().chain([&OVERLAPPED]));
        assert_eq!(windows.usual().word(), "windowsaio", "its own, not that of another system");
    }
}
