//! The engines of the language: those that the caller hands over, and fio's words for work that is none of theirs.

use crate::name_error::NameError;
use crate::value::Word;
use model::{EngineOption, EngineQueue, EngineSpec, EngineTarget, NameWork, ServerSpec};
use std::fmt;

/// The engines a language is read with, made once for the life of the program.
pub struct Engines {
    all: Vec<IoEngine>,
    words: Vec<Word>,
    options: Vec<&'static EngineOption>,
}

/// What an `ioengine=` stands for.
#[derive(Clone, Copy)]
pub struct IoEngine {
    word: &'static str,
    runs: Runs,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Runs {
    Engine(&'static EngineSpec),
    /// The native asynchronous engine of this system, in place of that of another.
    Native,
    /// No I/O: CPU time is burnt.
    Cpu,
    /// No I/O: a program runs.
    Program,
}

/// fio's words for engines that run as one of ours: the word, ours, and help.
const INSTEAD: &[(&str, &str, &str)] = &[
    ("splice", "psync", "here as psync: pread and pwrite, no pipe between"),
    ("libzbc", "psync", "here as psync: pread and pwrite on the block device, with zonemode=zbd for its zones"),
    ("cpp_null", "null", "here as null: fio's example of an engine in a file of its own, which does nothing"),
    ("libpmem", "mmap", "here as mmap: what is stored is durable when it is flushed"),
];

/// fio's words for what is no engine of ours.
const OTHERS: &[(&str, Runs, &str)] = &[
    ("windowsaio", Runs::Native, "Windows overlapped I/O; elsewhere the native asynchronous engine"),
    ("solarisaio", Runs::Native, "Solaris asynchronous I/O; elsewhere the native asynchronous engine"),
    ("cpuio", Runs::Cpu, "no I/O: CPU time is burnt, as much as `cpuload` says"),
    ("exec", Runs::Program, "no I/O: `program` runs as long as the job"),
];

/// Engines of a job that names none, as in fio: the first that is this system's.
const USUAL: [&str; 2] = ["windowsaio", "psync"];

impl Engines {
    /// Of these, in the order of help and reference.
    ///
    /// # Panics
    /// When the engines that fio's words stand for (psync, null, mmap) are not among them.
    #[must_use]
    pub fn new(specs: impl IntoIterator<Item = &'static EngineSpec>) -> Engines {
        let (mut all, mut words, mut options) = (Vec::new(), Vec::new(), Vec::<&EngineOption>::new());
        for spec in specs {
            for option in spec.options {
                if !options.iter().any(|known| known.name == option.name) {
                    options.push(option);
                }
            }
            all.push(IoEngine { word: spec.name, runs: Runs::Engine(spec) });
            words.push(Word { name: spec.name, aliases: spec.aliases, help: spec.help });
        }
        for &(word, ours, help) in INSTEAD {
            let runs = all.iter().find(|e| e.word == ours).map(|e| e.runs);
            all.push(IoEngine { word, runs: runs.expect("psync, null and mmap are among the engines") });
            words.push(Word { name: word, aliases: &[], help });
        }
        for &(word, runs, help) in OTHERS {
            // One of another system may be one of this.
            if all.iter().any(|e| e.word == word) {
                continue;
            }
            all.push(IoEngine { word, runs });
            words.push(Word { name: word, aliases: &[], help });
        }
        Engines { all, words, options }
    }

    /// The words for them, in order.
    #[must_use]
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Options that engines bring, each once.
    pub fn options(&self) -> impl Iterator<Item = &'static EngineOption> {
        self.options.iter().copied()
    }

    /// The engines that bring an option, in order.
    pub(crate) fn having(&self, option: &str) -> impl Iterator<Item = &'static str> {
        let ours = self.all.iter().filter(|engine| engine.runs_as().is_none());
        ours.filter(move |engine| engine.has(option)).map(|engine| engine.word)
    }

    /// The one of a word, by its place among [`Engines::words`].
    pub(crate) fn at(&self, index: usize) -> Option<IoEngine> {
        self.all.get(index).copied()
    }

    /// The engine of a job that names none.
    pub(crate) fn usual(&self) -> IoEngine {
        let own = |name: &&str| self.all.iter().find(|e| e.word == *name && e.spec().is_some());
        *USUAL.iter().find_map(own).expect("psync is among the engines")
    }

    /// Whether there is one of this name.
    ///
    /// # Errors
    /// When there is none, with the nearest.
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
    /// As job files call it.
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

    /// Whether it brings this option.
    pub(crate) fn has(self, option: &str) -> bool {
        self.options().iter().any(|own| own.name == option)
    }

    /// The options that it brings.
    pub(crate) fn options(self) -> &'static [EngineOption] {
        self.spec().map_or(&[], |spec| spec.options)
    }

    /// The name of what runs it; `native` is the asynchronous engine of this system.
    #[must_use]
    pub fn name(self, native: &'static str) -> &'static str {
        match self.runs {
            Runs::Engine(spec) => spec.name,
            Runs::Native => native,
            Runs::Cpu | Runs::Program => self.word,
        }
    }

    /// The engine that runs it, where that is called otherwise; `None` for those of other systems.
    #[must_use]
    pub fn runs_as(self) -> Option<&'static str> {
        self.spec().map(|spec| spec.name).filter(|name| *name != self.word)
    }

    /// Whether it is of another system, and the native asynchronous engine of this one takes its place.
    #[must_use]
    pub fn is_of_another_system(self) -> bool {
        self.runs == Runs::Native
    }

    /// Whether each operation is waited for, so that the depth is 1 whatever is asked.
    #[must_use]
    pub fn is_synchronous(self) -> bool {
        match self.runs {
            Runs::Engine(spec) => spec.queue != EngineQueue::Deep,
            Runs::Native => false,
            Runs::Cpu | Runs::Program => true,
        }
    }

    /// Whether it does no I/O at all, and has no files.
    #[must_use]
    pub fn does_no_io(self) -> bool {
        self.burns_cpu() || self.runs_program()
    }

    /// Whether it burns CPU time.
    #[must_use]
    pub fn burns_cpu(self) -> bool {
        self.runs == Runs::Cpu
    }

    /// Whether it runs a program.
    #[must_use]
    pub fn runs_program(self) -> bool {
        self.runs == Runs::Program
    }

    /// What its operations go to; `None` where it does no I/O, or is of another system.
    #[must_use]
    pub fn works_on(self) -> Option<EngineTarget> {
        self.spec().map(|spec| spec.works_on)
    }

    /// Whether it moves contents of files and block devices by plain reads and writes.
    #[must_use]
    pub fn moves_contents(self) -> bool {
        self.runs == Runs::Native || self.works_on() == Some(EngineTarget::Contents)
    }

    /// Whether it transfers nothing, to measure the tool itself.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.works_on() == Some(EngineTarget::Nothing)
    }

    /// Whether files are mapped into memory.
    #[must_use]
    pub fn maps_files(self) -> bool {
        self.works_on() == Some(EngineTarget::Mapping)
    }

    /// Whether it sends the device's own commands, past page cache and block layer.
    #[must_use]
    pub fn commands(self) -> bool {
        self.works_on() == Some(EngineTarget::Commands)
    }

    /// What it does with names of files and directories; `None` where it works on what is in them.
    #[must_use]
    pub fn name_work(self) -> Option<NameWork> {
        self.spec().and_then(EngineSpec::name_work)
    }

    /// The server it talks to, if it reaches past the files of this machine.
    #[must_use]
    pub fn server(self) -> Option<ServerSpec> {
        match self.works_on() {
            Some(EngineTarget::Server(server)) => Some(server),
            _ => None,
        }
    }
}

/// The engines there are, for the tests of this crate.
#[cfg(test)]
pub(crate) fn for_tests() -> &'static Engines {
    static ENGINES: std::sync::LazyLock<Engines> = std::sync::LazyLock::new(|| Engines::new(load::engines::specs()));
    &ENGINES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_names_no_engine_has_the_one_of_fio_on_its_system() {
        let specs = || load::engines::specs().filter(|spec| spec.name != "windowsaio");
        assert_eq!(Engines::new(specs()).usual().word(), "psync");
        static OVERLAPPED: EngineSpec =
            EngineSpec::new("windowsaio", "", EngineQueue::Deep, model::EngineTarget::Contents);
        let windows = Engines::new(specs().chain([&OVERLAPPED]));
        assert_eq!(windows.usual().word(), "windowsaio", "its own, not that of another system");
    }
}
