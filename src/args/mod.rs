//! Arguments, as typed.

mod db;
mod describe;
mod durable;
mod examples;
mod judge;
mod limits;
mod mark;
mod needs;
mod ramp;
mod record;
mod replay;
mod report;
mod runs;
mod serve;
mod syncs;
mod table;
mod trace;
mod watch;

pub use db::*;
pub use describe::*;
pub use durable::*;
pub use examples::examples_text;
pub use judge::*;
pub use limits::*;
pub use mark::*;
pub use needs::*;
pub use ramp::*;
pub use record::*;
pub use replay::*;
pub use report::*;
pub use runs::*;
pub use serve::*;
pub use syncs::*;
pub use trace::*;
pub use watch::*;

use crate::exit;
use crate::inputs::contracts::Needs;
use ::report::formats::mark::MarkFormat;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use messages::Language;
use model::{Bytes, Limit, Metric, Nanos, Thoroughness};
use run::sharing::FileSharing;
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Parser)]
#[command(
    name = "secchi",
    version,
    about = "Does this storage deliver what was paid for and what the database needs, and if not, what is the bottleneck?",
    after_help = exit::TABLE,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Arguments {
    /// Language of pages and screens: en, ja, zh, ru [default: SECCHI_LANG, else the locale]
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = language)]
    pub lang: Option<Language>,

    /// With --version: also the features of this build, and which engines and databases work on this machine
    #[arg(long, requires = "version")]
    pub verbose: bool,

    /// With --version --verbose: as one JSON document
    #[arg(long, requires = "verbose")]
    pub json: bool,

    #[command(subcommand)]
    pub command: Command,
}

fn language(text: &str) -> Result<Language, String> {
    let codes = Language::ALL.map(Language::code);
    let known = Language::ALL.into_iter().find(|l| l.code() == text);
    known.ok_or_else(|| format!("no such language: there are {}", codes.join(", ")))
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure storage and judge it: which limit binds, and whether it meets the needs
    Qualify(Box<Qualify>),
    /// Run fio command lines and job files, and print fio's outputs
    Fio(Fio),
    /// Published limits: what storage was sold as, what that lets a workload do, what would meet a need
    Limits(Limits),
    /// Compare runs: did it change, by how much, and is that certain?
    Compare(Compare),
    /// Run two plans in turn and compare them
    Ab(Ab),
    /// Judge kept runs by needs, and what other tools measured: fio, ioping, mgstat, iostat, perfmon, PerfTools and more
    Judge(Box<Judge>),
    /// Say before a run what it would get wrong: fio commands, job files, scripts of them, plans
    Lint(Lint),
    /// Drive a real database: PerfTools' RanRead, RanWrite and RanIO on SQLite, GT.M and PostgreSQL
    Db(Box<Db>),
    /// Mark storage as CrystalDiskMark does: MB/s of sequential and random reads and writes
    Mark(Box<Mark>),
    /// Tell the latency of one request after the other, as ioping does
    Ping(Ping),
    /// Tell whether acknowledged writes are kept: what syncs become at each layer, or what is there after the power was cut
    Durable(Box<Durable>),
    /// Tell what the storage is doing right now: by device, role and process, against shared caps; beside a command
    Watch(Box<Watch>),
    /// Record every request that reaches the devices, by role: what a production system asks of its storage
    Record(Box<Record>),
    /// Tell what a recording asks of storage, and make a contract of it that a candidate is held against
    Needs(RecordingNeeds),
    /// Make a recording again on other storage, and tell its latencies beside those it had
    Replay(Box<Replay>),
    /// The runs kept: list, filter, tag, delete, carry between machines, see one plan over time
    Runs(Box<Runs>),
    /// Show a run again
    Show(Show),
    /// Write runs as a page for a browser, Markdown, CSV, JUnit or JSON
    Report(Report),
    /// Show the runs kept, and those in progress, to a browser on this machine
    Serve(Serve),
    /// Remove runs from the store: the same as `runs delete`
    Rm(RunsDelete),
    /// Print a script that completes secchi's words in a shell
    Completions(Completions),
    /// Print the manual page of secchi or of a command, or write the pages of all
    Manual(Manual),
    /// `--version --verbose`, which is no command to type.
    #[command(skip)]
    Version(VersionDetails),
    /// Serve a session of a database; secchi starts this itself
    #[command(hide = true)]
    DbSession(DbSession),
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct Qualify {
    /// A directory to make the test file in, or a file that secchi made earlier
    #[arg(value_name = "PATH", required_unless_present_any = ["dir", "device", "targets"], conflicts_with_all = ["dir", "device", "targets"])]
    pub path: Option<PathBuf>,

    /// One of several targets that are loaded at the same time, by a name of its own, such as A=/mnt/a; give it twice
    /// or more. They are judged by their sum, second by second, and what each had of it is shown. In a run on many hosts HOST:A=/mnt/a
    /// is one of that host alone
    #[arg(long = "target", value_name = "NAME=PATH", conflicts_with_all = ["dir", "device", "adopt"])]
    pub targets: Vec<HostedPath>,

    /// Make the test file in this directory
    #[arg(long, value_name = "DIR", conflicts_with = "device")]
    pub dir: Option<PathBuf>,

    /// Test this block device: reading only, unless --destroy is given
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<PathBuf>,

    /// Allow overwriting the device: type its serial number, or NAME:BYTES where it has none (--plan shows it)
    #[arg(long, value_name = "SERIAL", requires = "device")]
    pub destroy: Option<String>,

    /// Read an existing file that secchi did not make; it is never written
    #[arg(long, requires = "path")]
    pub adopt: bool,

    /// Measure names instead of blocks: make, look at, read and remove files in the shapes of mdtest (easy: empty files, a
    /// directory for each thread; hard: 3901 bytes each, all in one directory), in a directory of its own that is removed at the end
    #[arg(long, conflicts_with_all = ["targets", "device", "destroy", "adopt", "effort", "patterns", "bs", "max_depth", "size",
        "max_written", "engine", "limits", "volumes", "instance", "catalogs", "buffered", "keep", "share", "yes", "seed",
        "trace_blocks", "roles", "quiet"])]
    pub metadata: bool,

    /// Files of each thread, in each shape [default: so many that all threads of a host together have 100,000]
    #[arg(long, value_name = "N", requires = "metadata", allow_hyphen_values = true, value_parser = count::<1, 10_000_000>)]
    pub metadata_files: Option<u64>,

    /// Threads, each as a task of mdtest [default: one for each CPU, up to 16]
    #[arg(long, value_name = "N", requires = "metadata", allow_hyphen_values = true, value_parser = count_u32::<1, 64>)]
    pub metadata_threads: Option<u32>,

    /// Show the preflight and what would be done, and stop
    #[arg(long)]
    pub plan: bool,

    /// How thorough: about 90 s, 5 min or 30 min
    #[arg(long, value_enum, default_value_t = Effort::Quick, value_name = "HOW")]
    pub effort: Effort,

    /// Patterns: randread, randwrite, randrw, read, write
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub patterns: Vec<String>,

    /// Block sizes for every pattern, such as 4k,8k,16k
    #[arg(long, allow_hyphen_values = true, value_delimiter = ',', value_name = "LIST")]
    pub bs: Vec<Bytes>,

    /// Most operations in flight
    #[arg(long, allow_hyphen_values = true, value_name = "N", value_parser = count_u32::<0, { u32::MAX as u64 }>)]
    pub max_depth: Option<u32>,

    /// Size of the test file, or of the part of the device that is used; with --shared-file each rank's part of it
    #[arg(long, allow_hyphen_values = true, value_name = "SIZE")]
    pub size: Option<Bytes>,

    /// In a run on many hosts all ranks work on one test file instead of one each: segmented (each has a stretch, one behind the other, as IOR
    /// without -F) or interleaved (blocks in turns) [default: segmented, where nothing is said]
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "segmented", conflicts_with_all = ["targets", "device", "metadata"])]
    pub shared_file: Option<FileSharing>,

    /// Most bytes to write, the filling of the test file among them, such as 20g: what writes is cut short or left out then, and
    /// what reads goes on
    #[arg(long, value_name = "SIZE")]
    pub max_written: Option<Bytes>,

    /// Engine: auto, io_uring (on Windows windowsaio), libaio, psync, sync, mmap. `auto` keeps what it chose for this target
    /// before, so that runs compare, unless another is certainly a tenth faster; `auto!` chooses anew
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub engine: String,

    /// What the storage was sold as, such as 'volume iops=6000 mbps=125MiB'; may be repeated. With several targets it holds
    /// for their sum, or for one with on=NAME
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<Limit>,

    /// The volume as bought, from the catalogue, such as gp3:size=2000GiB,iops=6000 (secchi limits list). With several
    /// targets it is each one's, or one's with NAME=VOLUME
    #[arg(long = "volume", value_name = "VOLUME")]
    pub volumes: Vec<String>,

    /// The instance it is attached to, from the catalogue, such as m4.xlarge
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,

    #[command(flatten)]
    pub catalog: CatalogArg,

    /// What is needed, such as '8k randread: iops>=6000, avg<=2ms, p99<=5ms', a file of needs, or a contract (iris-flash,
    /// etcd, ranread, ibm-endurance:IOPS); with --metadata such as 'mdtest-easy create: iops>=50k, p99<=1ms'; may be repeated; decides
    /// the exit code
    #[arg(long = "need", value_name = "NEED")]
    pub needs: Vec<Needs>,

    #[command(flatten)]
    pub results: ResultArgs,

    /// Write the needs as a JUnit report, for CI
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Go through the page cache instead of around it
    #[arg(long)]
    pub buffered: bool,

    /// Keep the test file, so that the next run need not fill it
    #[arg(long)]
    pub keep: bool,

    /// Allow another run on the same target at the same time
    #[arg(long)]
    pub share: bool,

    /// Allow writing more than 100 GiB in all, and filling more than a tenth of the device
    #[arg(long)]
    pub yes: bool,

    /// Give up when an operation has been in flight for so long
    #[arg(long, allow_hyphen_values = true, default_value = "60s", value_name = "TIME")]
    pub hang: Nanos,

    /// Seed of everything random; the same seed asks the same
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,

    #[command(flatten)]
    pub trace: TraceArgs,

    /// Print everything: each level with its figures, charts, doubts and findings, and where it was measured
    #[arg(long, conflicts_with = "json")]
    pub full: bool,

    /// Print one line for a monitoring system, and end with its codes: 0 OK; 1 WARNING, less than was bought; 2 CRITICAL, a
    /// need is not met or the device hangs; 3 UNKNOWN
    #[arg(short, long, conflicts_with_all = ["json", "full", "plan"])]
    pub quiet: bool,

    /// Print the whole result as one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

/// A target by a name of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPath {
    pub name: String,
    pub path: PathBuf,
}

impl FromStr for NamedPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or("NAME=PATH is wanted")?;
        let good = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || name.len() > 32 || !name.chars().all(good) {
            return Err("a name has 1 to 32 letters, digits, `.`, `_` or `-`".to_owned());
        }
        Ok(NamedPath { name: name.to_owned(), path: path.into() })
    }
}

/// A target by a name of the user's, which may be of one host of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedPath {
    /// What a rank's targets are called by, or its host; `None` = every rank's.
    pub host: Option<String>,
    pub named: NamedPath,
}

impl HostedPath {
    /// Its name among the targets of all.
    pub fn full_name(&self) -> String {
        self.host.as_ref().map_or_else(|| self.named.name.clone(), |host| format!("{host}:{}", self.named.name))
    }
}

impl FromStr for HostedPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        let Some((host, _)) = name.rsplit_once(':') else { return Ok(HostedPath { host: None, named: text.parse()? }) };
        if host.is_empty() {
            return Err("HOST:NAME=PATH is wanted".to_owned());
        }
        Ok(HostedPath { host: Some(host.to_owned()), named: text[host.len() + 1..].parse()? })
    }
}

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct Fio {
    /// fio's arguments: job files, --name=... and the options of jobs (secchi fio --help)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub words: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(after_help = exit::COMPARED, override_usage = "secchi compare [OPTIONS] <A> <B>\n       secchi compare [OPTIONS] <A>... -- <B>...")]
pub struct Compare {
    /// Runs of side A: ids or their beginnings, journals, documents of --json, JSON files of fio
    #[arg(value_name = "A", required = true)]
    pub a: Vec<String>,

    /// Runs of side B, behind `--`
    #[arg(value_name = "B", last = true)]
    pub b: Vec<String>,

    #[command(flatten)]
    pub how: HowCompared,

    /// Parameters that may differ, such as depth,engine; `all` for every one
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub allow: Vec<String>,

    #[command(flatten)]
    pub results: ResultArgs,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
#[command(after_help = exit::COMPARED)]
pub struct Ab {
    /// The one plan: a command line of secchi, such as 'fio --name=r --rw=randread ...' or 'qualify /mnt/data --keep'
    #[arg(long, value_name = "PLAN")]
    pub a: String,

    /// The other
    #[arg(long, value_name = "PLAN")]
    pub b: String,

    /// Runs of each, in turn: A B B A A B ...
    #[arg(long, allow_hyphen_values = true, default_value = "8", value_name = "N", value_parser = count_u32::<0, { u32::MAX as u64 }>)]
    pub rounds: u32,

    /// Draws which side begins [default: anew each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    #[command(flatten)]
    pub how: HowCompared,

    #[command(flatten)]
    pub results: ResultArgs,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Clone, Args)]
pub struct HowCompared {
    /// Figures compared, declared beforehand: iops, mbps, avg, max, p99.9
    #[arg(long = "metric", value_delimiter = ',', default_value = "iops,p99", value_name = "LIST")]
    pub metrics: Vec<Metric>,

    /// A change by less than this is none
    #[arg(long, default_value = "3%", value_name = "PERCENT")]
    pub within: Share,

    /// Compare only this workload, such as '8k randread' or the name of a job; may be repeated
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,

    /// Print the comparison as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// A share, typed in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(pub f64);

impl std::str::FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').ok_or_else(|| "say it in percent, as in 3%".to_owned())?;
        match number.trim().parse::<f64>() {
            Ok(percent) if (0.01..=50.0).contains(&percent) => Ok(Share(percent / 100.0)),
            Ok(_) => Err("it must be 0.01% to 50%".to_owned()),
            Err(_) => Err("it is no number of percent, as in 3%".to_owned()),
        }
    }
}

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct Ping {
    /// ioping's arguments: options and a directory, file or device (secchi ping -h)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub words: Vec<OsString>,
    /// This program is called ioping: nothing but what ioping prints, and its exit codes
    #[arg(skip)]
    pub as_ioping: bool,
}

/// A count: `500`, `20k`, `1m` (thousand, million, billion with g), from `LEAST` to `MOST`.
///
/// # Errors
/// One clause that says what is allowed.
pub fn count<const LEAST: u64, const MOST: u64>(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.trim().to_ascii_lowercase() {
        t if t.ends_with('k') => (t[..t.len() - 1].to_owned(), 1_000),
        t if t.ends_with('m') => (t[..t.len() - 1].to_owned(), 1_000_000),
        t if t.ends_with('g') => (t[..t.len() - 1].to_owned(), 1_000_000_000),
        t => (t, 1),
    };
    let number = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor));
    let number = number.ok_or("not a whole number, such as 500, 20k or 1m (thousand, million)")?;
    let most = match MOST {
        u64::MAX => String::new(),
        // Of less than a hundred a rate would have decimals, and this is none.
        0..1_000 => format!(" to {MOST}"),
        _ => format!(" to {}", model::thousands(MOST as f64)),
    };
    (LEAST..=MOST).contains(&number).then_some(number).ok_or_else(|| format!("from {LEAST}{most}"))
}

/// As [`count`], of what is never as many as four billion.
///
/// # Errors
/// One clause that says what is allowed.
pub fn count_u32<const LEAST: u64, const MOST: u64>(text: &str) -> Result<u32, String> {
    const { assert!(MOST <= u32::MAX as u64) };
    count::<LEAST, MOST>(text).map(|number| number as u32)
}

/// Files that a measuring command writes its result to.
#[derive(Debug, Clone, Default, Args)]
pub struct ResultArgs {
    /// Write the result to this file too, in the format its name says: .html, .md, .csv, .xml (JUnit), .json or .txt; may be
    /// repeated
    #[arg(short, long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,

    /// Replace what stands at the output's name, though it is no earlier output of secchi
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Clone, Args)]
pub struct StoreArg {
    /// Where runs are kept: a directory, or a team's database as postgres://user@host/database [default: $XDG_DATA_HOME/secchi,
    /// else on Windows %LOCALAPPDATA%\secchi, else ~/.local/share/secchi]
    #[arg(long, value_name = "DIR|URL")]
    pub store: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// About 90 seconds
    Quick,
    /// About 5 minutes
    Standard,
    /// About 30 minutes, ramps repeated and interleaved
    Thorough,
}

impl From<Effort> for Thoroughness {
    fn from(effort: Effort) -> Self {
        match effort {
            Effort::Quick => Thoroughness::Quick,
            Effort::Standard => Thoroughness::Standard,
            Effort::Thorough => Thoroughness::Thorough,
        }
    }
}

#[derive(Debug, Args)]
pub struct Show {
    /// Id of a run or its beginning; `last`, `last-1`; or its tag
    #[arg(value_name = "RUN")]
    pub run: String,

    /// Print the whole record and its judgement as one JSON document
    #[arg(long)]
    pub json: bool,

    /// Print everything: each level with its figures, charts, doubts and findings, and where it was measured
    #[arg(long, conflicts_with = "json")]
    pub full: bool,

    /// Of a mark: what is printed: table, text (CrystalDiskMark's), csv, json, markdown
    #[arg(short, long, value_name = "FORMAT", value_parser = mark::format_named, conflicts_with = "json")]
    pub format: Option<&'static MarkFormat>,

    /// Of a mark: write it to this file too: .html, .png, .svg, .txt, .csv, .json or .md; may be repeated
    #[arg(short, long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,

    /// Replace what stands at the output's name, though it is no earlier output of secchi
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
pub struct DbSession {
    /// Engine, and what it is told
    #[arg(value_name = "WORD")]
    pub words: Vec<OsString>,
}

/// The words after `secchi NAME`, or all of them when this program is called NAME (and `true`). They are another tool's
/// own language: nothing of them is ours to interpret.
fn words_of(name: &str, args: impl IntoIterator<Item = OsString>) -> Option<(Vec<OsString>, bool)> {
    let mut args = args.into_iter();
    let program = args.next()?;
    let called = std::path::Path::new(&program).file_name();
    if called.is_some_and(|called| is_program_name(called, name)) {
        return Some((args.collect(), true));
    }
    is_program_name(&args.next()?, name).then(|| (args.collect(), false))
}

/// Whether a word is a program's name, which on Windows is `fio.exe`, in letters of any case; so scripts have it, too.
fn is_program_name(word: &OsStr, name: &str) -> bool {
    let bare = word.to_str().and_then(|word| word.len().checked_sub(4).and_then(|at| word.split_at_checked(at)));
    word == name || bare.is_some_and(|(bare, end)| end.eq_ignore_ascii_case(".exe") && bare.eq_ignore_ascii_case(name))
}

/// The words of `secchi ping`, and whether they are ioping's because this program is called so.
fn ping_words(args: Vec<OsString>) -> Option<(Vec<OsString>, bool)> {
    let ours = || words_of("ping", args.iter().cloned()).filter(|(_, called)| !called);
    words_of("ioping", args.iter().cloned()).filter(|(_, called)| *called).or_else(ours)
}

/// `secchi lint fio --name=...` without quotes: what stands behind `fio` is fio's.
fn lint_words(mut args: Vec<OsString>) -> Vec<OsString> {
    let plan = args.get(2).is_some_and(|w| ["fio", "secchi", "qualify"].iter().any(|p| w == p));
    if args.get(1).is_some_and(|w| w == "lint") && plan && args.len() > 3 {
        args.insert(2, "--".into());
    }
    args
}

/// `secchi runs tag RUN -old`: what begins with one hyphen is a tag to take away, not an option. It goes on as `!old`.
fn tag_words(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.get(1).is_some_and(|w| w == "runs") && args.get(2).is_some_and(|w| w == "tag") {
        for word in args.iter_mut().skip(3) {
            if let Some(tag) = word.to_str().and_then(|w| w.strip_prefix('-'))
                && tag.chars().next().is_some_and(char::is_alphanumeric)
                && tag != "h"
            {
                *word = format!("!{tag}").into();
            }
        }
    }
    args
}

/// The whole command line with its examples, what is hidden included.
pub fn command() -> clap::Command {
    examples::with_examples(Arguments::command())
}

impl Command {
    /// With what stands before every command left alone.
    fn alone(self) -> Arguments {
        Arguments { lang: None, verbose: false, json: false, command: self }
    }
}

/// Parses the command line. Help and version are printed here; a mistake is one sentence on standard error.
pub fn parse() -> Result<Arguments, exit::Code> {
    if let Some((words, _)) = words_of("fio", std::env::args_os()) {
        return Ok(Command::Fio(Fio { words }).alone());
    }
    if let Some((words, as_ioping)) = ping_words(std::env::args_os().collect()) {
        return Ok(Command::Ping(Ping { words, as_ioping }).alone());
    }
    let words = compare_words(tag_words(lint_words(std::env::args_os().collect())));
    let matched = command().try_get_matches_from(words);
    let parsed = matched.and_then(|m| Arguments::from_arg_matches(&m).map_err(|e| e.format(&mut Arguments::command())));
    parsed.or_else(|error| {
        use clap::error::ErrorKind;
        let typed = |option: &str| std::env::args_os().any(|word| word == option);
        Err(match error.kind() {
            // clap ends at `--version`, whatever stands around it.
            ErrorKind::DisplayVersion if typed("--verbose") => {
                return Ok(Command::Version(VersionDetails { json: typed("--json") }).alone());
            }
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                let help = error.render();
                let style = std::io::stdout().is_terminal();
                let text = if style { help.ansi().to_string() } else { help.to_string() };
                match crate::terminal::print(|_, out| out.write_all(text.as_bytes())) {
                    Ok(()) => exit::OK,
                    Err(lost) => {
                        crate::terminal::refuse(exit::CANNOT, &format!("{lost:#}"));
                        exit::CANNOT
                    }
                }
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                let _ = error.print();
                exit::BAD_INPUT
            }
            _ => {
                let message = one_sentence(&error.to_string());
                let message = match fio_tip(&error) {
                    // Clap's tip names the option that is spelled most alike, which does something else.
                    Some(tip) => format!("{}; {tip}", message.split("; tip:").next().unwrap_or(&message)),
                    None => message + &dash_tip(),
                };
                crate::terminal::refuse(exit::BAD_INPUT, &message);
                exit::BAD_INPUT
            }
        })
    })
}

/// Options of fio and other tools that `qualify` does not have, with the option that does the same.
const QUALIFY_TIPS: [(&[&str], &str); 5] = [
    (
        &["--runtime", "--time", "--duration", "--time_based"],
        "qualify measures until its figures hold: --effort quick (about 90 s), standard (5 min) or thorough (30 min); \
         for a fixed time use `secchi fio --runtime=30`",
    ),
    (&["--iodepth", "--numjobs", "--depth"], "qualify raises the depth by itself; --max-depth N limits it"),
    (&["--rw", "--readwrite"], "name the patterns, as in --patterns randread,write"),
    (&["--ioengine"], "name the engine, as in --engine io_uring"),
    (&["--filename", "--directory"], "name the directory or file without an option: `secchi qualify PATH`"),
];

/// Returns the advice for an option of fio that was given to `qualify`.
fn fio_tip(error: &clap::Error) -> Option<&'static str> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if error.kind() != ErrorKind::UnknownArgument || std::env::args_os().nth(1).is_none_or(|word| word != "qualify") {
        return None;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else { return None };
    QUALIFY_TIPS.iter().find(|(options, _)| options.contains(&typed.as_str())).map(|(_, tip)| *tip)
}

/// Moves options typed after `--` of `secchi compare A -- B -o page.html` before it: no run's name begins with a hyphen.
fn compare_words(args: Vec<OsString>) -> Vec<OsString> {
    let compares = args.get(1).is_some_and(|word| word == "compare");
    let Some(at) = args.iter().position(|word| word == "--").filter(|_| compares) else { return args };
    let (mut words, runs) = (args[..at].to_vec(), &args[at + 1..]);
    let command = Compare::augment_args(clap::Command::new("compare"));
    let takes_value = |typed: &str| {
        let is_it = |arg: &&clap::Arg| match typed.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long),
            None => {
                typed.strip_prefix('-').is_some_and(|short| arg.get_short().map(String::from).as_deref() == Some(short))
            }
        };
        command.get_arguments().find(is_it).is_some_and(|arg| arg.get_action().takes_values())
    };
    let mut side = vec![args[at].clone()];
    let mut rest = runs.iter();
    while let Some(word) = rest.next() {
        let option = word.to_str().filter(|text| text.starts_with('-') && *text != "-");
        match option {
            Some(option) => {
                words.push(word.clone());
                words.extend(takes_value(option).then(|| rest.next()).flatten().cloned());
            }
            None => side.push(word.clone()),
        }
    }
    words.extend(side);
    words
}

/// What to say when an option was pasted from a text that had its two hyphens made one dash.
fn dash_tip() -> String {
    let dash = |a: &String| a.starts_with(['\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}']);
    let mut words = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned());
    let Some(word) = words.find(dash) else { return String::new() };
    let name: String = word.chars().filter(|c| c.is_ascii()).collect();
    format!("; `{}` begins with a typographic dash: did you mean `--{name}`?", model::clip(&word))
}

/// Clap's message without usage and pointers to help, its tips behind it.
pub fn one_sentence(message: &str) -> String {
    let mut words = Vec::new();
    for line in message.lines() {
        let line = line.trim();
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        if !line.is_empty() {
            words.push(line.trim_start_matches("error: ").to_owned());
        }
    }
    words.join("; ").replace(":;", ":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_compare_may_follow_its_second_side() {
        let moved = |line: &str| {
            let words = compare_words(line.split(' ').map(OsString::from).collect());
            words.into_iter().map(|word| word.into_string().expect("text")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            moved("secchi compare A1 A2 -- B1 -o page.html B2 --json --metric=iops"),
            "secchi compare A1 A2 -o page.html --json --metric=iops -- B1 B2"
        );
        assert_eq!(moved("secchi compare a b"), "secchi compare a b");
        assert_eq!(moved("secchi lint -- fio -o x"), "secchi lint -- fio -o x");
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn counts_take_thousands_and_say_what_is_allowed() {
        let of = count::<1, 1_000_000>;
        assert_eq!((of("500"), of(" 20k"), of("1M")), (Ok(500), Ok(20_000), Ok(1_000_000)));
        for (text, why) in [
            ("0", "from 1 to 1,000,000"),
            ("1001k", "from 1 to 1,000,000"),
            ("2g", "from 1"),
            ("99999999999999999999", "not a whole number"),
            ("20000000000000000k", "not a whole number"),
            ("k", "not a whole number"),
            ("1.5k", "not a whole number"),
            ("5q", "not a whole number"),
            ("-1", "not a whole number"),
            ("", "not a whole number"),
        ] {
            let told = of(text).expect_err(text);
            assert!(told.contains(why), "{text}: {told}");
        }
        assert_eq!(count::<1, { u64::MAX }>("0"), Err("from 1".to_owned()));
    }

    #[test]
    fn a_mistake_is_one_sentence() {
        let error = Arguments::try_parse_from(["secchi", "qualify", "/tmp", "--bs", "4q"]).unwrap_err();
        let sentence = one_sentence(&error.to_string());
        assert!(sentence.contains("unknown unit `q`") && !sentence.contains('\n'), "{sentence}");
        let error = Arguments::try_parse_from(["secchi", "qualify", "/tmp", "--pattern", "read"]).unwrap_err();
        let sentence = one_sentence(&error.to_string());
        assert!(sentence.contains("--patterns"), "{sentence}");
    }

    #[test]
    fn the_words_of_fio_and_ioping_are_left_alone() {
        let words = |list: &[&str]| words_of("fio", list.iter().map(OsString::from)).map(|(words, _)| words);
        let ping = |list: &[&str]| ping_words(list.iter().map(OsString::from).collect());
        assert_eq!(
            ping(&["/usr/local/bin/ioping", "-c", "3", "."]).map(|(words, called)| (words.len(), called)),
            Some((3, true))
        );
        assert_eq!(ping(&["/usr/bin/ping", "-c", "3"]), None);
        assert_eq!(ping(&["secchi", "ping", "-RL", "."]), Some((vec!["-RL".into(), ".".into()], false)));
        assert_eq!(words(&["secchi", "fio", "-name=a", "--help"]), Some(vec!["-name=a".into(), "--help".into()]));
        assert_eq!(words(&["/usr/local/bin/fio", "x.fio"]), Some(vec!["x.fio".into()]));
        assert_eq!(words(&["secchi", "qualify", "fio"]), None);
        // Windows' names of programs.
        let named = Some(vec!["-name=a".into()]);
        assert_eq!(words(&["secchi.exe", "fio", "-name=a"]), named);
        assert_eq!(words(&["secchi", "fio.exe", "-name=a"]), named);
        assert_eq!(words(&["fio.exe", "-name=a"]), named);
        assert_eq!(words(&["FIO.EXE", "-name=a"]), named);
        assert_eq!(words(&["secchi", "fiox.exe", "-name=a"]), None);
        assert_eq!(words(&["secchi", ".exe", "-name=a"]), None);
    }

    #[test]
    fn a_mark_needs_no_words_and_counts_in_seconds() {
        let mark = |words: &[&str]| {
            let all = ["secchi", "mark"].iter().chain(words);
            match Arguments::try_parse_from(all).map_err(|e| one_sentence(&e.to_string())) {
                Ok(Arguments { command: Command::Mark(mark), .. }) => Ok(*mark),
                Ok(_) => Err("another command".to_owned()),
                Err(why) => Err(why),
            }
        };
        let plain = mark(&[]).unwrap();
        assert_eq!((plain.path, plain.loops, plain.size), (".".into(), 5, None));
        assert_eq!((plain.time.secs(), plain.interval.secs(), plain.mix), (5.0, 5.0, None));
        assert_eq!(mark(&["-t", "1.5", "-i", "200ms"]).map(|m| m.time.secs() + m.interval.secs()), Ok(1.7));
        assert_eq!(mark(&["--mix", "/mnt"]).map(|m| (m.mix, m.path)), Ok((Some(70), "/mnt".into())));
        assert_eq!(mark(&["--mix=50"]).map(|m| m.mix), Ok(Some(50)));
        assert_eq!(mark(&["-p", "nvme"]).map(|m| m.profile.tests.len()), Ok(4));
        assert!(mark(&["-p", "nmve"]).unwrap_err().contains("did you mean `nvme`?"));
        assert!(mark(&["--test", "4K-Q1"]).unwrap_err().contains("SEQ1M-Q8T1"));
        assert!(mark(&["-t", "x"]).unwrap_err().contains("number"));
        assert!(mark(&["-f", "png"]).unwrap_err().contains("unknown format"), "no picture into a terminal");
    }

    #[test]
    fn a_target_is_named_once() {
        assert!(Arguments::try_parse_from(["secchi", "qualify"]).is_err());
        assert!(Arguments::try_parse_from(["secchi", "qualify", "/tmp", "--device", "/dev/x"]).is_err());
    }

    /// Words that the program's own sentences put behind its name, each with the command it must be one of.
    fn suggested(text: &str) -> Vec<(usize, Vec<&str>)> {
        let mut found = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for (at, _) in line.match_indices("secchi ") {
                let before = line[..at].chars().next_back();
                let rest = &line[at + "secchi ".len()..];
                let word = |text: &str| text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').count();
                let first = &rest[..word(rest)];
                let second = rest[first.len()..].strip_prefix(' ').map_or("", |r| &r[..word(r)]);
                // In running text only the commands that have commands of their own are told from other words.
                if first == "db" || (before == Some('`') && !first.is_empty()) {
                    found.push((number + 1, vec![first, second]));
                }
            }
        }
        found
    }

    #[test]
    fn every_command_that_is_suggested_is_one() {
        let whole = Arguments::command();
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let rooms = [
            "src",
            "analysis/src",
            "db/src",
            "durable/src",
            "import/src",
            "job/src",
            "load/src",
            "report/src",
            "run/src",
            "store/src",
        ];
        let mut todo: Vec<std::path::PathBuf> = rooms.iter().map(|r| root.join(r)).collect();
        let (mut wrong, mut seen) = (Vec::new(), 0);
        while let Some(path) = todo.pop() {
            if path.is_dir() {
                todo.extend(std::fs::read_dir(&path).unwrap().flatten().map(|e| e.path()));
                continue;
            }
            if path.extension().is_none_or(|e| e != "rs") || path.ends_with("src/args/mod.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for (line, words) in suggested(&text) {
                seen += 1;
                let command = whole.find_subcommand(words[0]);
                let below = command.filter(|c| c.has_subcommands() && !words[1].is_empty());
                let known = command.is_some()
                    && below
                        .is_none_or(|c| c.find_subcommand(words[1]).is_some() || c.get_positionals().next().is_some());
                if !known {
                    wrong.push(format!("{}:{line}: secchi {}", path.display(), words.join(" ")));
                }
            }
        }
        assert!(seen > 20, "{seen} suggestions found");
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(suggested("try `secchi db read` now"), [(1, vec!["db", "read"])]);
        assert!(whole.find_subcommand("db").is_some_and(|db| db.find_subcommand("read").is_none()));
    }
}
