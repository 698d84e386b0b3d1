//! The one option table: every option of the fio language, one entry each, grouped by what they are about.
//!
//! The table serves the parser, `--cmdhelp`, the reference chapter and the man page. An entry says what value the
//! option takes, its default, what it means, and honestly what becomes of it: [`Support`].

mod issue;
mod job;
mod run;
mod workload;

pub use issue::*;
pub use job::*;
pub use run::*;
pub use workload::*;

use crate::engines::{Engines, IoEngine};
use crate::units::Units;
use crate::value::{Kind, Value};
use crate::value_error::ValueError;
use messages::Sentence;
use model::{EngineOption, OptionValue};

/// What becomes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Done as documented.
    Done,
    /// Accepted; the message says what is done instead, and is told to the user.
    Noted(&'static str),
    /// Refused by name; the sentence says why and what to do.
    Refused(&'static str),
}

/// What an option needs to know beside its value, and where it may leave a word to the user.
#[derive(Debug)]
pub struct Context<'a> {
    /// How sizes are read.
    pub units: Units,
    /// The engines there are.
    pub engines: &'a Engines,
    /// Remarks, one sentence each.
    pub notes: &'a mut Vec<Sentence>,
}

/// Puts a value into its field of a job.
pub type JobSetter = fn(&mut JobOptions, Value, &mut Context<'_>) -> Result<(), ValueError>;
/// Puts a value into its field of the run.
pub type RunSetter = fn(&mut RunOptions, Value, &mut Context<'_>) -> Result<(), ValueError>;

/// Where an option's value goes.
#[derive(Clone, Copy)]
pub enum Setter {
    /// Nowhere: it is refused, or has no effect that needs a value.
    Nowhere,
    /// Into the options of a job.
    Job(JobSetter),
    /// Into the options of the run; only on the command line.
    Run(RunSetter),
    /// To the engine, by its name.
    Engine(&'static EngineOption),
}

/// One option.
#[derive(Clone, Copy)]
pub struct OptionSpec {
    /// Its name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What value it takes.
    pub kind: Kind,
    /// Default as one would write it; empty = none.
    pub default: &'static str,
    /// What it does, one paragraph.
    pub help: &'static str,
    /// What becomes of it.
    pub support: Support,
    /// Engines it belongs to; empty = all, or those that bring it ([`OptionSpec::engines_having`]).
    pub engines: &'static [&'static str],
    /// Whether it stands on the command line only, not in a job.
    pub command: bool,
    /// Where its value goes.
    pub setter: Setter,
}

/// Starts an entry that is done; `default` empty = none.
const fn option(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec {
        name,
        aliases: &[],
        kind,
        default,
        help,
        support: Support::Done,
        engines: &[],
        command: false,
        setter: Setter::Nowhere,
    }
}

/// An entry that is refused.
const fn refuse(name: &'static str, help: &'static str, why: &'static str) -> OptionSpec {
    let mut spec = option(name, Kind::Text, "", help);
    spec.support = Support::Refused(why);
    spec
}

impl OptionSpec {
    /// The first sentence of its help.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        // A full stop ends a sentence only before a blank or the end: `4.5k` and `i.e.` are within.
        self.help.split_inclusive(". ").next().unwrap_or(self.help).trim_end()
    }

    /// The row of an option that engines have.
    pub(crate) const fn of_engine(option: &'static EngineOption) -> OptionSpec {
        let kind = match option.value {
            OptionValue::Flag => Kind::Flag,
            OptionValue::Bool => Kind::Bool,
            OptionValue::UpTo(max) => Kind::Int { min: 0, max: max as i64 },
            OptionValue::Words(words, refused) => Kind::Words { words, refused, argument: false },
            OptionValue::Text => Kind::Text,
            OptionValue::Path => Kind::Path,
        };
        let spec = self::option(option.name, kind, option.default, option.help);
        OptionSpec { setter: Setter::Engine(option), ..spec }
    }

    const fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn engines(mut self, engines: &'static [&'static str]) -> Self {
        self.engines = engines;
        self
    }

    const fn set(mut self, setter: JobSetter) -> Self {
        self.setter = Setter::Job(setter);
        self
    }

    const fn run(mut self, setter: RunSetter) -> Self {
        self.setter = Setter::Run(setter);
        self.command = true;
        self
    }

    const fn noted(mut self, instead: &'static str) -> Self {
        self.support = Support::Noted(instead);
        self
    }

    const fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    const fn on_command_line(mut self) -> Self {
        self.command = true;
        self
    }

    /// The engines it belongs to, in order; none = it belongs to all.
    #[must_use]
    pub fn engines_having(&self, engines: &Engines) -> Vec<&'static str> {
        let bring = engines.having(self.name).filter(|name| !self.engines.contains(name));
        self.engines.iter().copied().chain(bring).collect()
    }

    /// Whether `name` is its name or an alias.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// Options about one thing.
#[derive(Clone, Copy)]
pub struct Group {
    /// Heading in help and reference.
    pub title: &'static str,
    /// Its options.
    pub options: &'static [OptionSpec],
}

/// The table without the options that engines bring ([`Engines::options`]), in the order of the reference.
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

/// Every option, with options of the engines and those that the binary adds (consent words, say) after ours.
pub fn all(engines: &Engines, extra: &[OptionSpec]) -> impl Iterator<Item = OptionSpec> {
    let brought = engines.options().map(OptionSpec::of_engine);
    GROUPS.iter().flat_map(|g| g.options.iter().copied()).chain(brought).chain(extra.iter().copied())
}

/// What a job asks, every default filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct JobOptions {
    /// Description, clones, loops.
    pub job: GeneralOptions,
    /// When it starts and ends.
    pub time: TimeOptions,
    /// Files and how they are made.
    pub files: FileOptions,
    /// Directions, places, random choices.
    pub pattern: PatternOptions,
    /// Sizes of operations.
    pub block: BlockOptions,
    /// Content of what is written.
    pub buffers: BufferOptions,
    /// How operations are sent.
    pub engine: EngineOptions,
    /// What it does instead of I/O.
    pub other_work: OtherWorkOptions,
    /// How many in flight.
    pub depth: DepthOptions,
    /// Rate limits and think time.
    pub rate: RateOptions,
    /// Latency target, steady state, latency limit.
    pub goals: GoalOptions,
    /// Verification of written data.
    pub verify: VerifyOptions,
    /// Processes, order, CPUs, errors.
    pub process: ProcessOptions,
    /// Log files.
    pub logs: LogOptions,
    /// What is told of the job.
    pub report: ReportOptions,
    /// Strided access and zoned devices.
    pub zones: ZoneOptions,
    /// Recordings that are written or made again.
    pub replay: ReplayOptions,
}

impl JobOptions {
    /// Every default, with this engine.
    #[must_use]
    pub fn new(engine: IoEngine) -> JobOptions {
        JobOptions {
            job: Default::default(),
            time: Default::default(),
            files: Default::default(),
            pattern: Default::default(),
            block: Default::default(),
            buffers: Default::default(),
            engine: EngineOptions::new(engine),
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
        }
    }
}

/// `put!(depth.iodepth)`: a setter that takes the value into that field of [`JobOptions`].
macro_rules! put {
    ($group:ident . $field:ident) => {
        |job, value, _| {
            job.$group.$field = $crate::value::Take::take(value)?;
            Ok(())
        }
    };
}

/// `put_dirs!(rate.bytes)`: a setter for an array of three, that leaves what was not given.
macro_rules! put_dirs {
    ($group:ident . $field:ident, $make:expr) => {
        |job, value, _| {
            if let $crate::Value::Dirs(parts) = value {
                for (slot, part) in job.$group.$field.iter_mut().zip(parts) {
                    if let Some(part) = part {
                        *slot = $make(part);
                    }
                }
            }
            Ok(())
        }
    };
}
use {put, put_dirs};

/// The only word of switches that cannot be on.
const OFF: &[crate::Word] = &[crate::Word { name: "0", aliases: &[], help: "no" }];
