//! The option table, with one entry for every option of the fio language, grouped by topic.
//!
//! The parser, `--cmdhelp`, the reference chapter and the man page use the same table. Each entry contains the kind of
//! value, the default, the help text and secchi's treatment of the option ([`Support`]).

mod issue;
mod job;
mod run;
mod workload;

pub use issue::*;
pub use job::*;
pub use run::*;
pub use workload::*;

use crate::engines::Engines;
use crate::units::Units;
use crate::value::{Kind, RefusedWord, Value, Word};
use crate::value_error::ValueError;
use messages::Sentence;
use model::plan::{EngineOption, OptionValue};

/// Treatment of an option by secchi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Implemented as documented.
    Done,
    /// Accepted. The message with this ID explains what secchi does instead.
    Noted(&'static str),
    /// Refused. The sentence gives the reason and an alternative.
    Refused(&'static str),
}

/// Data that a setter needs in addition to the value, and the list to which it adds notes.
#[derive(Debug)]
pub struct Context<'a> {
    /// Interpretation of units in sizes.
    pub units: Units,
    /// Available engines.
    pub engines: &'a Engines,
    /// Notes to the user, one sentence each.
    pub notes: &'a mut Vec<Sentence>,
}

/// Function that stores a value in a field of the job options.
pub type JobSetter = fn(&mut JobOptions, Value, &mut Context<'_>) -> Result<(), ValueError>;
/// Function that stores a value in a field of the run options.
pub type RunSetter = fn(&mut RunOptions, Value, &mut Context<'_>) -> Result<(), ValueError>;

/// Destination of an option's value.
#[derive(Clone, Copy)]
pub enum Setter {
    /// No destination: the option is refused, or its value has no effect.
    Nowhere,
    /// Field of a job's options.
    Job(JobSetter),
    /// Field of the run's options, for options that are valid only on the command line.
    Run(RunSetter),
    /// The engine, which receives the option's name and value.
    Engine(&'static EngineOption),
}

/// Table entry for one option.
#[derive(Clone, Copy)]
pub struct OptionSpec {
    /// Name of the option.
    pub name: &'static str,
    /// Other names of the option.
    pub aliases: &'static [&'static str],
    /// Kind of value that the option takes.
    pub kind: Kind,
    /// Default in the form in which it would be typed; empty = no default.
    pub default: &'static str,
    /// Description in one paragraph.
    pub help: &'static str,
    /// Treatment of the option by secchi.
    pub support: Support,
    /// Engines that have the option. If the list is empty, the engines that declare the option have it, or all engines
    /// if none declares it ([`OptionSpec::engines_having`]).
    pub engines: &'static [&'static str],
    /// True if the option is valid only on the command line, not in a job.
    pub command: bool,
    /// Destination of the value.
    pub setter: Setter,
}

/// Returns the entry for an implemented option. An empty `default` means that there is no default.
const fn option(name: &'static str, kind: Kind, default: &'static str, setter: Setter) -> OptionSpec {
    let command = matches!(setter, Setter::Run(_));
    OptionSpec { name, aliases: &[], kind, default, help: "", support: Support::Done, engines: &[], command, setter }
}

/// Returns the entry for an option whose value has no effect. The message with the ID `instead` explains what secchi
/// does instead.
const fn noted(name: &'static str, kind: Kind, default: &'static str, instead: &'static str) -> OptionSpec {
    option(name, kind, default, Setter::Nowhere).noted(instead)
}

/// Returns the entry for an option that accepts only the first of these words, which is its default.
const fn only(name: &'static str, words: &'static [Word], refused: &'static [RefusedWord]) -> OptionSpec {
    option(name, Kind::Words { words, refused, argument: false }, words[0].name, Setter::Nowhere)
}

/// Returns the entry for a refused option.
const fn refuse(name: &'static str, why: &'static str) -> OptionSpec {
    OptionSpec { support: Support::Refused(why), ..option(name, Kind::Text, "", Setter::Nowhere) }
}

impl OptionSpec {
    /// Returns the first sentence of the help.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        // A full stop ends a sentence only before a space or at the end of the text, so `4.5k` does not end a sentence.
        self.help.split_inclusive(". ").next().unwrap_or(self.help).trim_end()
    }

    /// Returns the entry for an option that an engine declares.
    pub(crate) const fn of_engine(option: &'static EngineOption) -> OptionSpec {
        let kind = match option.value {
            OptionValue::Flag => Kind::Flag,
            OptionValue::Bool => Kind::Bool,
            OptionValue::UpTo(max) => Kind::Int { min: 0, max: max as i64 },
            OptionValue::Words(words, refused) => Kind::Words { words, refused, argument: false },
            OptionValue::Text => Kind::Text,
            OptionValue::Path => Kind::Path,
        };
        self::option(option.name, kind, option.default, Setter::Engine(option)).help(option.help)
    }

    /// Returns the option's name and its aliases.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    const fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn engines(mut self, engines: &'static [&'static str]) -> Self {
        self.engines = engines;
        self
    }

    const fn noted(mut self, instead: &'static str) -> Self {
        self.support = Support::Noted(instead);
        self
    }

    const fn on_command_line(mut self) -> Self {
        self.command = true;
        self
    }

    /// Returns the engines that have the option, in order. An empty list means that all engines have it.
    #[must_use]
    pub fn engines_having(&self, engines: &Engines) -> Vec<&'static str> {
        let bring = engines.having(self.name).filter(|name| !self.engines.contains(name));
        self.engines.iter().copied().chain(bring).collect()
    }

    /// Returns `true` if `name` is the option's name or one of its aliases.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// Options on one topic.
#[derive(Clone, Copy)]
pub struct Group {
    /// Heading in the help and the reference.
    pub title: &'static str,
    /// Options of the group.
    pub options: &'static [OptionSpec],
}

/// Option table in the order of the reference. Does not contain the options that engines declare
/// ([`Engines::options`]).
pub const GROUPS: &[Group] = &[
    Group { title: "Command line", options: run::command::OPTIONS },
    Group { title: "Job", options: job::general::OPTIONS },
    Group { title: "Time", options: job::time::OPTIONS },
    Group { title: "Files", options: workload::files::OPTIONS },
    Group { title: "Pattern", options: workload::pattern::OPTIONS },
    Group { title: "Block size", options: workload::block::OPTIONS },
    Group { title: "Buffers", options: workload::buffers::OPTIONS },
    Group { title: "Engine", options: issue::engine::OPTIONS },
    Group { title: "Depth", options: issue::depth::OPTIONS },
    Group { title: "Rate and think time", options: issue::rate::OPTIONS },
    Group { title: "Goals", options: job::goals::OPTIONS },
    Group { title: "Verification", options: workload::verify::OPTIONS },
    Group { title: "Processes and order", options: job::process::OPTIONS },
    Group { title: "Logs", options: run::logs::OPTIONS },
    Group { title: "Report", options: run::report::OPTIONS },
    Group { title: "Replay", options: workload::replay::OPTIONS },
    Group { title: "Zones", options: workload::zones::OPTIONS },
];

/// Iterates over all options: first the table, then the options that engines declare, then `extra`, the options that
/// the caller adds (such as consent).
pub fn all(engines: &Engines, extra: &[OptionSpec]) -> impl Iterator<Item = OptionSpec> {
    let brought = engines.options().map(OptionSpec::of_engine);
    GROUPS.iter().flat_map(|g| g.options.iter().copied()).chain(brought).chain(extra.iter().copied())
}

/// Calls `store` with the setter and the default of every option that has both, except the engine, whose default
/// depends on the system.
///
/// # Panics
/// Panics if the table has a default that its option does not accept.
fn for_each_default(
    engines: &Engines,
    mut store: impl FnMut(Setter, Value, &mut Context<'_>) -> Result<(), ValueError>,
) {
    let units = Units::default();
    let context = &mut Context { units, engines, notes: &mut Vec::new() };
    let options = GROUPS.iter().flat_map(|group| group.options).filter(|spec| spec.kind != Kind::Engine);
    for spec in options.filter(|spec| !spec.default.is_empty() && !matches!(spec.setter, Setter::Nowhere)) {
        let value = crate::value::read(&spec.kind, Some(spec.default), units);
        let stored = value.and_then(|value| store(spec.setter, value, context));
        stored.unwrap_or_else(|why| panic!("default of {}: {why}", spec.name));
    }
}

/// Options of one job, with every default filled in (`JobOptions::new`). The `Default` values of its parts are not the
/// defaults of the options.
#[derive(Debug, Clone, PartialEq)]
pub struct JobOptions {
    /// Description, clones, loops and units.
    pub job: GeneralOptions,
    /// Start and end of the job.
    pub time: TimeOptions,
    /// Files and their creation.
    pub files: FileOptions,
    /// Directions, offsets and random choices.
    pub pattern: PatternOptions,
    /// Block sizes.
    pub block: BlockOptions,
    /// Contents of written data.
    pub buffers: BufferOptions,
    /// Engine and the options that apply to it.
    pub engine: EngineOptions,
    /// Work that replaces I/O.
    pub other_work: OtherWorkOptions,
    /// Number of operations in flight, and batch sizes.
    pub depth: DepthOptions,
    /// Rate limits and think time.
    pub rate: RateOptions,
    /// Latency target, steady state and latency limit.
    pub goals: GoalOptions,
    /// Verification of written data.
    pub verify: VerifyOptions,
    /// Threads, CPUs, the order of jobs, and error handling.
    pub process: ProcessOptions,
    /// Log files.
    pub logs: LogOptions,
    /// Contents of the job's report.
    pub report: ReportOptions,
    /// Strided access and zoned devices.
    pub zones: ZoneOptions,
    /// Recordings to write or to replay.
    pub replay: ReplayOptions,
}

impl JobOptions {
    /// Returns the defaults of all options, as documented in the option table.
    pub(crate) fn new(engines: &Engines) -> JobOptions {
        let mut job = JobOptions {
            job: Default::default(),
            time: Default::default(),
            files: Default::default(),
            pattern: Default::default(),
            block: Default::default(),
            buffers: Default::default(),
            engine: EngineOptions::new(engines.usual()),
            other_work: Default::default(),
            depth: Default::default(),
            rate: Default::default(),
            goals: Default::default(),
            verify: Default::default(),
            process: Default::default(),
            logs: Default::default(),
            report: Default::default(),
            zones: Default::default(),
            replay: Default::default(),
        };
        for_each_default(engines, |setter, value, context| match setter {
            Setter::Job(set) => set(&mut job, value, context),
            _ => Ok(()),
        });
        job
    }
}

/// Creates a setter that stores the value in a field of [`JobOptions`], such as `put!(depth.iodepth)`.
macro_rules! put {
    ($group:ident . $field:ident) => {
        $crate::options::Setter::Job(|job, value, _| {
            job.$group.$field = $crate::value::Take::take(value)?;
            Ok(())
        })
    };
}

/// Creates a setter that parses text with a function, such as `parse!(process.cpus, cpu_list)`.
macro_rules! parse {
    ($group:ident . $field:ident, $parse:expr) => {
        $crate::options::Setter::Job(|job, value, _| {
            let text: String = $crate::value::Take::take(value)?;
            job.$group.$field = $parse(&text)?;
            Ok(())
        })
    };
}

/// Creates a setter for an array with one value per direction, such as `put_dirs!(rate.bytes)`. Directions without a
/// value stay unchanged.
macro_rules! put_dirs {
    ($group:ident . $field:ident, $make:expr) => {
        $crate::options::Setter::Job(|job, value, _| {
            if let $crate::Value::Dirs(parts) = value {
                for (slot, part) in job.$group.$field.iter_mut().zip(parts) {
                    if let Some(part) = part {
                        *slot = $make(part);
                    }
                }
            }
            Ok(())
        })
    };
}
use {parse, put, put_dirs};

/// The only accepted word for switches that cannot be turned on.
const OFF: &[Word] = &[Word::new("0", "off")];
