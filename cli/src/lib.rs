//! Command-line arguments of all commands.
//!
//! # Example
//!
//! ```
//! use clap::Parser;
//! use cli::{Arguments, Command};
//! use model::Bytes;
//!
//! let line = ["secchi", "qualify", "/mnt/data", "--bs", "4k,8k", "--size", "4g"];
//! let arguments = Arguments::try_parse_from(line)?;
//! let Command::Qualify(qualify) = arguments.command else { panic!("another command") };
//! assert_eq!(qualify.bs, [Bytes::from_kib(4), Bytes::from_kib(8)]);
//! assert_eq!(qualify.size, Some(Bytes::from_gib(4)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Doc comments of options are their help texts.
#![allow(missing_docs)]

pub mod contracts;
mod db;
mod durable;
mod examples;
mod groups;
mod heading;
mod hydration;
mod judge;
mod limits;
mod mark;
mod needs;
mod perftools;
mod ramp;
mod record;
mod replay;
mod report;
mod runs;
mod serve;
mod short;
mod table;
mod watch;

pub use db::*;
pub use durable::*;
pub use examples::examples_text;
pub use groups::with_groups;
pub use hydration::*;
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
pub use watch::*;

use crate::contracts::Needs;
use ::report::formats::mark::MarkFormat;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use messages::Language;
use model::plan::{RolePath, Thoroughness, TraceRule};
use model::{Bytes, Limit, Nanos, bounds::Metric};
use run::sharing::FileSharing;
use session::exit;
use session::targets::HostedPath;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

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
    /// Output language: en, ja, zh, ru [default: SECCHI_LANG or the system locale]
    ///
    /// Help texts and manual pages are in English only.
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = language)]
    pub lang: Option<Language>,

    /// Print diagnostics on standard error; twice for details; with --version, what works on this machine
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,

    /// With --version --verbose, print one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(subcommand)]
    pub command: Command,
}

fn language(text: &str) -> Result<Language, String> {
    let codes = Language::ALL.map(Language::code);
    let known = Language::ALL.into_iter().find(|l| l.code() == text);
    known.ok_or_else(|| format!("unknown language: expected {}", codes.join(", ")))
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure storage, find the limit that binds, and check needs
    Qualify(Box<Qualify>),
    /// Run fio command lines and job files and print fio's output
    Fio(Fio),
    /// Look up limits of cloud volumes and instances, or find those that meet a need
    Limits(Limits),
    /// Compare runs and report each change with its confidence interval
    Compare(Compare),
    /// Run two plans alternately and compare them
    Ab(Ab),
    /// Judge stored runs and the output of other tools, such as fio and iostat
    Judge(Box<Judge>),
    /// Check fio commands, job files and scripts for mistakes before running them
    Lint(Lint),
    /// Run PerfTools' RanRead, RanWrite and RanIO on a database, or on a model of a database
    Db(Box<Db>),
    /// Benchmark sequential and random reads and writes, like CrystalDiskMark
    Mark(Box<Mark>),
    /// Measure the latency of individual requests, like ioping
    Ping(Ping),
    /// Check that synced writes reach the device and survive a power cut
    Durable(Box<Durable>),
    /// Estimate how much of a volume is not loaded from its snapshot yet, or load all of it
    Hydration(Box<Hydration>),
    /// Show current I/O by device, role and process, and the caps that devices share
    Watch(Box<Watch>),
    /// Record every request that reaches the devices, with its role
    Record(Box<Record>),
    /// Report what a recorded workload needs from its storage
    Needs(RecordingNeeds),
    /// Replay a recording on other storage and compare latencies with the original
    Replay(Box<Replay>),
    /// List, filter, tag, delete, export and import stored runs
    Runs(Box<Runs>),
    /// Show a stored run
    Show(Show),
    /// Write runs as HTML, Markdown, CSV, JUnit or JSON
    Report(Report),
    /// Serve stored and current runs to a browser on this machine
    Serve(Serve),
    /// Delete stored runs, like `runs delete`
    Rm(RunsDelete),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page of a command, or write all pages to a directory
    Manual(Manual),
    /// `--version --verbose`; not a command that users type.
    #[command(skip)]
    Version(VersionDetails),
    /// Serve a database session; started by secchi itself
    #[command(hide = true)]
    DbSession(DbSession),
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct Qualify {
    /// Directory for the test file, or a test file from an earlier run
    ///
    /// secchi creates its own test file in the directory and removes it at the end. It never writes to other files.
    #[arg(value_name = "PATH", required_unless_present_any = ["dir", "device", "targets"], conflicts_with_all = ["dir", "device", "targets"])]
    pub path: Option<PathBuf>,

    /// Named target, such as A=/mnt/a; repeat the option to load several targets at the same time
    ///
    /// Targets are judged by their sum, second by second, and the share of each target is shown. In a run on many
    /// hosts, HOST:A=/mnt/a is a target on that host only.
    #[arg(long = "target", value_name = "NAME=PATH", conflicts_with_all = ["dir", "device", "adopt"])]
    pub targets: Vec<HostedPath>,

    /// Create the test file in this directory
    #[arg(long, value_name = "DIR", conflicts_with = "device")]
    pub dir: Option<PathBuf>,

    /// Test this block device; read-only without --destroy
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<PathBuf>,

    /// Allow overwriting the device with this serial number (`--plan` prints it)
    ///
    /// For a device without a serial number, type NAME:BYTES.
    #[arg(long, value_name = "SERIAL", requires = "device")]
    pub destroy: Option<String>,

    /// Read an existing file that secchi did not create, and never write to it
    #[arg(long, requires = "path")]
    pub adopt: bool,

    /// Measure file operations instead of block I/O, like mdtest: create, stat, read and remove
    ///
    /// secchi uses the two shapes of mdtest: easy (empty files, one directory per thread) and hard (3,901 bytes per
    /// file, all files in one directory). It creates a directory for the files and removes the directory at the end.
    #[arg(long,
        conflicts_with_all = ["targets", "device", "destroy", "adopt", "effort", "patterns", "bs", "max_depth", "size",
        "max_written", "engine", "limits", "volumes", "instance", "catalogs", "buffered", "keep", "share", "yes", "seed",
        "trace_blocks", "roles", "quiet"])]
    pub metadata: bool,

    /// Number of files per thread, for each shape [default: 100,000 across all threads of a host]
    #[arg(long, value_name = "N", requires = "metadata", allow_hyphen_values = true, value_parser = count::<1, 10_000_000>)]
    pub metadata_files: Option<u64>,

    /// Number of threads, each of which corresponds to an mdtest task [default: one per CPU, up to 16]
    #[arg(long, value_name = "N", requires = "metadata", allow_hyphen_values = true, value_parser = count_u32::<1, 64>)]
    pub metadata_threads: Option<u32>,

    /// Print the preflight checks and the plan without changing anything
    #[arg(long)]
    pub plan: bool,

    /// Duration of the measurement: about 90 s (quick), 5 min (standard) or 30 min (thorough)
    #[arg(long, value_parser = table::named_values(EFFORTS), default_value = "quick", value_name = "EFFORT")]
    pub effort: Thoroughness,

    /// Patterns to run, separated by commas: randread, randwrite, randrw, read, write [default: all]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub patterns: Vec<String>,

    /// Block sizes for every pattern, such as 4k,8k,16k [default: depends on the pattern]
    ///
    /// Defaults: 8k for randread and randwrite, 16k for randrw, and 128k and 1m for read and write. randread also runs
    /// with 4k to 64k at one depth.
    #[arg(long, allow_hyphen_values = true, value_delimiter = ',', value_name = "LIST")]
    pub bs: Vec<Bytes>,

    /// Maximum number of operations in flight
    #[arg(long, allow_hyphen_values = true, value_name = "N", value_parser = count_u32::<0, { u32::MAX as u64 }>)]
    pub max_depth: Option<u32>,

    /// Size of the test file, or of the part of the device to test
    ///
    /// With --shared-file, this is the size of each rank's part.
    #[arg(long, allow_hyphen_values = true, value_name = "SIZE")]
    pub size: Option<Bytes>,

    /// In a run on many hosts, share one test file: segmented or interleaved [default without a value: segmented]
    ///
    /// segmented: each rank has a contiguous part, like IOR without -F. interleaved: blocks alternate between ranks.
    #[arg(long, value_name = "LAYOUT", num_args = 0..=1, require_equals = true, default_missing_value = "segmented",
        conflicts_with_all = ["targets", "device", "metadata"])]
    pub shared_file: Option<FileSharing>,

    /// Maximum number of bytes written, including the fill, such as 20g
    ///
    /// When the bound is reached, workloads that write are shortened or skipped; workloads that only read continue.
    /// [default: the smallest of four times the test file, 16 GiB and 2 % of the device]
    #[arg(long, value_name = "SIZE")]
    pub max_written: Option<Bytes>,

    /// I/O engine: auto, io_uring (on Windows windowsaio), libaio, psync, sync, mmap
    ///
    /// To keep runs comparable, `auto` reuses the engine that it chose earlier for this target, unless another engine
    /// is at least 10 % faster. `auto!` ignores the earlier choice.
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub engine: String,

    /// Limit that was paid for, such as 'volume iops=6000 mbps=125MiB'; repeatable
    ///
    /// With several targets, a limit applies to their sum, or to one target with on=NAME. A product is allowed for
    /// several equal volumes: iops=4*3000.
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<Limit>,

    /// Volume from the catalogue, such as gp3:size=2000GiB,iops=6000 (see `secchi limits list`)
    ///
    /// With several targets, VOLUME applies to every target, and NAME=VOLUME applies to one target.
    #[arg(long = "volume", value_name = "VOLUME")]
    pub volumes: Vec<String>,

    /// Instance that the volume is attached to, such as m6i.xlarge (see `secchi limits list`)
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,

    #[command(flatten)]
    pub catalog: CatalogArg,

    /// Requirement that determines the exit code, such as '8k randread: iops>=6000, p99<=5ms'; repeatable
    ///
    /// NEED can also be a file that contains needs, or the name of a contract, such as iris-flash or etcd (`secchi limits
    /// contracts` lists them). Example for --metadata: 'mdtest-easy create: iops>=50k, p99<=1ms'.
    #[arg(long = "need", value_name = "NEED")]
    pub needs: Vec<Needs>,

    #[command(flatten)]
    pub results: ResultArgs,

    /// Write the results for the needs as a JUnit report, for CI
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Use the page cache instead of direct I/O
    #[arg(long)]
    pub buffered: bool,

    /// Keep the test file, so that the next run does not need to fill it
    #[arg(long)]
    pub keep: bool,

    /// Allow other runs on the same target at the same time
    #[arg(long)]
    pub share: bool,

    /// Remove the bound on writes, and allow a fill of more than 100 GiB or 10 % of the device
    #[arg(long)]
    pub yes: bool,

    /// Abort when an operation has been in flight for this duration
    #[arg(long, allow_hyphen_values = true, default_value = "60s", value_name = "TIME")]
    pub hang: Nanos,

    /// Random seed; the same seed produces the same requests
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,

    #[command(flatten)]
    pub trace: TraceArgs,

    /// Print all levels, charts, doubts, findings and the environment
    #[arg(long, conflicts_with = "json")]
    pub full: bool,

    /// Print one line and use the exit codes of a monitoring plugin
    ///
    /// Exit codes: 0 = OK, 1 = WARNING (less than was paid for), 2 = CRITICAL (a need is not met, or the device hangs),
    /// 3 = UNKNOWN.
    #[arg(short, long, conflicts_with_all = ["json", "full", "plan"])]
    pub quiet: bool,

    /// Print the result as one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct Fio {
    /// Arguments for fio: job files, --name=... and job options (see `secchi fio --help`)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub words: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(after_help = exit::COMPARED, override_usage = "secchi compare [OPTIONS] <A> <B>\n       secchi compare [OPTIONS] <A>... -- <B>...")]
pub struct Compare {
    /// Runs of side A: run ids or prefixes, journals, or JSON files from secchi or fio
    #[arg(value_name = "A", required = true)]
    pub a: Vec<String>,

    /// Runs of side B, after `--`
    #[arg(value_name = "B", last = true)]
    pub b: Vec<String>,

    #[command(flatten)]
    pub how: HowCompared,

    /// Parameters that may differ between the sides, such as depth,engine; `all` allows any
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
    /// First plan: a secchi command, such as 'fio --name=r --rw=randread ...' or 'qualify /mnt/data --keep'
    #[arg(long, value_name = "PLAN")]
    pub a: String,

    /// Second plan
    #[arg(long, value_name = "PLAN")]
    pub b: String,

    /// Number of runs of each plan, in the order A B B A A B ...
    #[arg(long, allow_hyphen_values = true, default_value = "8", value_name = "N", value_parser = count_u32::<0, { u32::MAX as u64 }>)]
    pub rounds: u32,

    /// Random seed that decides which plan runs first [default: different each time]
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
    /// Metrics to compare: iops, mbps, avg, max, and percentiles such as p99.9
    #[arg(long = "metric", value_delimiter = ',', default_value = "iops,p99", value_name = "LIST")]
    pub metrics: Vec<Metric>,

    /// Smallest change that counts as a difference, in percent
    #[arg(long, default_value = "3%", value_name = "PERCENT")]
    pub within: Share,

    /// Compare only this workload, such as '8k randread' or a job name; repeatable
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,

    /// Print the comparison as one JSON document
    #[arg(long)]
    pub json: bool,
}

impl HowCompared {
    /// Returns the question that the comparison answers.
    pub fn question(&self, allow: &[String]) -> analysis::Question {
        analysis::Question {
            metrics: self.metrics.clone(),
            within: self.within.0,
            allow: allow.to_vec(),
            only: self.only.clone(),
        }
    }
}

/// Share, given in percent on the command line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Share(pub f64);

impl std::str::FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').ok_or_else(|| "a percentage is expected, such as 3%".to_owned())?;
        match number.trim().parse::<f64>() {
            Ok(percent) if (0.01..=50.0).contains(&percent) => Ok(Share(percent / 100.0)),
            Ok(_) => Err("it must be 0.01% to 50%".to_owned()),
            Err(_) => Err("not a percentage, such as 3%".to_owned()),
        }
    }
}

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct Ping {
    /// Arguments for ioping: options and a directory, file or device (see `secchi ping -h`)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub words: Vec<OsString>,
    /// True if the program was called as `ioping` and must use only ioping's output and exit codes.
    #[arg(skip)]
    pub as_ioping: bool,
}

/// Parses a count from `LEAST` to `MOST`: `500`, `20k` (thousand), `1m` (million), `1g` (billion).
///
/// # Errors
/// If the text is not a count in this range. The error is one clause that gives the allowed range.
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
        // `thousands` formats rates: numbers below 100 would have decimals.
        0..1_000 => format!(" to {MOST}"),
        _ => format!(" to {}", model::units::thousands(MOST as f64)),
    };
    (LEAST..=MOST).contains(&number).then_some(number).ok_or_else(|| format!("from {LEAST}{most}"))
}

/// Parses a count like [`count`], as `u32`.
///
/// # Errors
/// If the text is not a count in this range. The error is one clause that gives the allowed range.
pub fn count_u32<const LEAST: u64, const MOST: u64>(text: &str) -> Result<u32, String> {
    const { assert!(MOST <= u32::MAX as u64) };
    count::<LEAST, MOST>(text).map(|number| number as u32)
}

/// Files that a command writes its result to.
#[derive(Debug, Clone, Default, Args)]
pub struct ResultArgs {
    /// Also write the result to this file: .html, .md, .csv, .xml (JUnit), .json or .txt; repeatable
    #[arg(short, long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,

    /// Overwrite an existing file that secchi did not write
    #[arg(long)]
    pub force: bool,
}

/// Arguments for the block trace, shared by all commands that measure.
#[derive(Debug, Clone, Default, Args)]
pub struct TraceArgs {
    /// Trace sizes, latencies and processes of the requests to the device (requires root)
    #[arg(long)]
    pub trace_blocks: bool,

    /// Trace requests to this file, directory or device as ROLE, such as data=/srv/db; repeatable
    ///
    /// Requests outside the named files are reported as unmapped.
    #[arg(long = "role", value_name = "ROLE=PATH")]
    pub roles: Vec<RolePath>,
}

impl TraceArgs {
    /// Returns the trace rule, or `None` if no trace was requested. `usual` returns the roles if none were named.
    pub fn rule(&self, usual: impl FnOnce() -> Vec<RolePath>) -> Option<TraceRule> {
        if !self.trace_blocks && self.roles.is_empty() {
            return None;
        }
        let roles = if self.roles.is_empty() { usual() } else { self.roles.clone() };
        // The tracing thread resolves the paths later, when the working directory may be another.
        let fixed = |r: RolePath| RolePath { path: std::path::absolute(&r.path).unwrap_or(r.path), ..r };
        Some(TraceRule { roles: roles.into_iter().map(fixed).collect() })
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct StoreArg {
    /// Directory or database in which runs are stored
    ///
    /// Use postgres://user@host/database for a team's database. [default: $XDG_DATA_HOME/secchi if the variable is set,
    /// otherwise ~/.local/share/secchi, or on Windows %LOCALAPPDATA%\secchi]
    #[arg(long, value_name = "DIR|URL")]
    pub store: Option<PathBuf>,
}

/// Values of `--effort`, with their help texts.
const EFFORTS: &[(&str, Thoroughness, &str)] = &[
    ("quick", Thoroughness::Quick, "About 90 seconds"),
    ("standard", Thoroughness::Standard, "About 5 minutes"),
    ("thorough", Thoroughness::Thorough, "About 30 minutes, with repeated and interleaved ramps"),
];

#[derive(Debug, Args)]
pub struct Show {
    /// Run id or prefix, `last`, `last-1`, or a tag
    #[arg(value_name = "RUN", default_value = "last")]
    pub run: String,

    /// Print the record and its judgement as one JSON document
    #[arg(long)]
    pub json: bool,

    /// Print all levels, charts, doubts, findings and the environment
    #[arg(long, conflicts_with = "json")]
    pub full: bool,

    /// Output format for a `secchi mark` run: table, text (CrystalDiskMark's), csv, json, markdown
    #[arg(short, long, value_name = "FORMAT", value_parser = mark::format_named, conflicts_with = "json")]
    pub format: Option<&'static MarkFormat>,

    /// Also write a `secchi mark` result to this file: .html, .png, .svg, .txt, .csv, .json or .md; repeatable
    #[arg(short, long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,

    /// Overwrite an existing file that secchi did not write
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// Shell that will use the script
    #[arg(value_enum, value_name = "bash|elvish|fish|powershell|zsh", hide_possible_values = true)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Manual {
    /// Command, such as `qualify` or `db ranread` [default: secchi itself]
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub command: Vec<String>,

    /// Write the pages for all commands to this existing directory: secchi.1, secchi-qualify.1, ...
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Overwrite existing files that secchi did not write
    #[arg(long, requires = "dir")]
    pub force: bool,
}

/// `secchi --version --verbose`.
#[derive(Debug)]
pub struct VersionDetails {
    /// Print one JSON document.
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct DbSession {
    /// Engine and its arguments
    #[arg(value_name = "WORD")]
    pub words: Vec<OsString>,
}

/// Returns the words after `secchi NAME`, or all words and `true` if the program was called as NAME. The words follow
/// the syntax of another tool and are not interpreted here.
fn words_of(name: &str, args: impl IntoIterator<Item = OsString>) -> Option<(Vec<OsString>, bool)> {
    let mut args = args.into_iter();
    let program = args.next()?;
    let called = std::path::Path::new(&program).file_name();
    if called.is_some_and(|called| is_program_name(called, name)) {
        return Some((args.collect(), true));
    }
    is_program_name(&args.next()?, name).then(|| (args.collect(), false))
}

/// Returns `true` if a word is the name of a program, such as `fio`, or its Windows form, such as `FIO.EXE`.
fn is_program_name(word: &OsStr, name: &str) -> bool {
    let bare = word.to_str().and_then(|word| word.len().checked_sub(4).and_then(|at| word.split_at_checked(at)));
    word == name || bare.is_some_and(|(bare, end)| end.eq_ignore_ascii_case(".exe") && bare.eq_ignore_ascii_case(name))
}

/// Returns the words of `secchi ping`, and `true` if the program was called as `ioping`.
fn ping_words(args: Vec<OsString>) -> Option<(Vec<OsString>, bool)> {
    let ours = || words_of("ping", args.iter().cloned()).filter(|(_, called)| !called);
    words_of("ioping", args.iter().cloned()).filter(|(_, called)| *called).or_else(ours)
}

/// Inserts `--` into `secchi lint fio --name=...`, so that the options are passed to `lint` as words.
fn lint_words(mut args: Vec<OsString>) -> Vec<OsString> {
    let plan = args.get(2).is_some_and(|w| ["fio", "secchi", "qualify"].iter().any(|p| w == p));
    if args.get(1).is_some_and(|w| w == "lint") && plan && args.len() > 3 {
        args.insert(2, "--".into());
    }
    args
}

/// Rewrites `-old` in `secchi runs tag RUN -old` to `!old`: one hyphen removes a tag and is not an option.
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

/// Returns the command line with its examples, including hidden commands.
pub fn command() -> clap::Command {
    with_groups(map_commands(Arguments::command(), "", &|command, path| {
        let command = examples::with_examples(command, path);
        short::with_short_help(heading::with_headings(command, path), path)
    }))
}

/// Applies a change to a command and all its subcommands. The change also receives the path of each command, such as
/// `db ranread`.
fn map_commands(
    mut command: clap::Command,
    path: &str,
    change: &dyn Fn(clap::Command, &str) -> clap::Command,
) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    for name in names {
        let below = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command = command.mut_subcommand(name, |c| map_commands(c, &below, change));
    }
    change(command, path)
}

impl Command {
    /// Returns arguments with this command and without global options.
    fn alone(self) -> Arguments {
        Arguments { lang: None, verbose: 0, json: false, command: self }
    }
}

/// Parses the command line. Prints help or the version if requested, and reports a mistake in one sentence on standard
/// error.
pub fn parse() -> Result<Arguments, exit::Code> {
    if let Some((words, _)) = words_of("fio", std::env::args_os()) {
        return Ok(Command::Fio(Fio { words }).alone());
    }
    if let Some((words, as_ioping)) = ping_words(std::env::args_os().collect()) {
        return Ok(Command::Ping(Ping { words, as_ioping }).alone());
    }
    let words = compare_words(tag_words(lint_words(perftools_words(std::env::args_os().collect())?)));
    let matched = command().try_get_matches_from(words);
    let parsed = matched.and_then(|m| Arguments::from_arg_matches(&m).map_err(|e| e.format(&mut Arguments::command())));
    if parsed.as_ref().is_ok_and(|arguments| arguments.json) {
        let reason = "--json is an option of the command, or used with --version --verbose: write it after the command";
        session::console::refuse(exit::BAD_INPUT, reason);
        return Err(exit::BAD_INPUT);
    }
    if let Some(name) = parsed.as_ref().ok().and_then(english_command) {
        session::console::refuse(exit::BAD_INPUT, &format!("--lang: `secchi {name}` prints English only"));
        return Err(exit::BAD_INPUT);
    }
    parsed.or_else(|error| {
        use clap::error::ErrorKind;
        let typed = |option: &str| std::env::args_os().any(|word| word == option);
        Err(match error.kind() {
            // clap stops at `--version` and ignores the other words.
            ErrorKind::DisplayVersion if typed("--verbose") || typed("-v") => {
                return Ok(Command::Version(VersionDetails { json: typed("--json") }).alone());
            }
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                let help = error.render();
                let style = session::console::is_terminal(session::console::StandardStream::Output);
                let text = if style { help.ansi().to_string() } else { help.to_string() };
                match session::console::print(|_, out| out.write_all(text.as_bytes())) {
                    Ok(()) => exit::OK,
                    Err(lost) => {
                        session::console::refuse(exit::CANNOT, &format!("{lost:#}"));
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
                let message = match fio_tip(&error).or_else(|| path_tip(&error)) {
                    // Clap's tip names the most similar spelling, which does something else.
                    Some(tip) => format!("{}; {tip}", message.split("; tip:").next().unwrap_or(&message)),
                    None => message + &dash_tip(),
                };
                session::console::refuse(exit::BAD_INPUT, &message);
                exit::BAD_INPUT
            }
        })
    })
}

/// Replaces a call of PerfTools by the command that does the same, and says so.
fn perftools_words(args: Vec<OsString>) -> Result<Vec<OsString>, exit::Code> {
    match perftools::translate(&args) {
        None => Ok(args),
        Some(Ok(line)) => {
            // A process that measures reads the same words, and its supervisor has printed the remarks.
            if session::environment::supervisor_fd().is_none() {
                line.remarks.iter().for_each(|remark| session::console::remark(remark));
            }
            Ok(args.into_iter().take(1).chain(line.words).collect())
        }
        Some(Err(mistake)) => {
            session::console::refuse(exit::BAD_INPUT, &mistake);
            Err(exit::BAD_INPUT)
        }
    }
}

/// Returns the command's name if `--lang` was given although the command prints only English.
fn english_command(arguments: &Arguments) -> Option<&'static str> {
    arguments.lang?;
    match arguments.command {
        Command::Completions(_) => Some("completions"),
        Command::Manual(_) => Some("manual"),
        Command::DbSession(_) => Some("db-session"),
        _ => None,
    }
}

/// Options of fio and other tools that `qualify` does not have, with their equivalents.
const QUALIFY_TIPS: [(&[&str], &str); 5] = [
    (
        &["--runtime", "--time", "--duration", "--time_based"],
        "qualify measures until its figures are stable: --effort quick (about 90 s), standard (5 min) or thorough (30 \
         min); for a fixed time use `secchi fio --runtime=30`",
    ),
    (&["--iodepth", "--numjobs", "--depth"], "qualify raises the depth automatically; --max-depth N limits it"),
    (&["--rw", "--readwrite"], "name the patterns, as in --patterns randread,write"),
    (&["--ioengine"], "name the engine, as in --engine io_uring"),
    (&["--filename", "--directory"], "name the directory or file without an option: `secchi qualify PATH`"),
];

/// Returns advice if an option of fio was passed to `qualify`.
fn fio_tip(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if error.kind() != ErrorKind::UnknownArgument || std::env::args_os().nth(1).is_none_or(|word| word != "qualify") {
        return None;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else { return None };
    QUALIFY_TIPS.iter().find(|(options, _)| options.contains(&typed.as_str())).map(|(_, tip)| (*tip).to_owned())
}

/// Returns advice if a path was typed in place of a command.
fn path_tip(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let path = Path::new(typed);
    (path.components().count() > 1 || path.has_root() || path.exists())
        .then(|| format!("to measure storage: `secchi qualify {}`", model::clip(typed)))
}

/// Moves options that were typed after `--`, as in `secchi compare A -- B -o page.html`, before it. They cannot be
/// runs, because no run's name begins with a hyphen.
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

/// Returns a hint if an option begins with a typographic dash, as in text pasted from a formatted page.
fn dash_tip() -> String {
    let dash = |a: &String| a.starts_with(['\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}']);
    let mut words = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned());
    let Some(word) = words.find(dash) else { return String::new() };
    let name: String = word.chars().filter(|c| c.is_ascii()).collect();
    format!("; `{}` begins with a typographic dash: did you mean `--{name}`?", model::clip(&word))
}

/// Returns clap's message as one sentence, without the usage and the pointers to help.
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
    fn a_language_is_for_commands_that_print_sentences() {
        let english = |line: &str| english_command(&Arguments::try_parse_from(line.split(' ')).expect("valid"));
        assert_eq!(english("secchi manual --lang ja"), Some("manual"));
        assert_eq!(english("secchi --lang ja completions bash"), Some("completions"));
        assert_eq!(english("secchi manual"), None);
        assert_eq!(english("secchi limits list --lang ru"), None);
    }

    #[test]
    fn counts_take_thousands_and_say_what_is_allowed() {
        let parse = count::<1, 1_000_000>;
        assert_eq!((parse("500"), parse(" 20k"), parse("1M")), (Ok(500), Ok(20_000), Ok(1_000_000)));
        for (text, expected) in [
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
            let error = parse(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
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
        // Program names on Windows.
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
            let line = ["secchi", "mark"].iter().chain(words);
            match Arguments::try_parse_from(line).map_err(|e| one_sentence(&e.to_string())) {
                Ok(Arguments { command: Command::Mark(mark), .. }) => Ok(*mark),
                Ok(_) => Err("another command".to_owned()),
                Err(reason) => Err(reason),
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

    /// Returns the commands that messages suggest (`secchi db read`), with their line numbers.
    fn suggested(text: &str) -> Vec<(usize, Vec<&str>)> {
        let mut commands = Vec::new();
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
                // In running text, only `db` can be distinguished from other words.
                if first == "db" || (before == Some('`') && !first.is_empty()) {
                    commands.push((number + 1, vec![first, second]));
                }
            }
        }
        commands
    }

    #[test]
    fn every_command_that_is_suggested_is_one() {
        let whole = Arguments::command();
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let rooms = [
            "src",
            "analysis/src",
            "cli/src",
            "db/src",
            "dbrun/src",
            "durable/src",
            "fio/src",
            "import/src",
            "ioping/src",
            "job/src",
            "load/src",
            "report/src",
            "run/src",
            "session/src",
            "store/src",
        ];
        let mut todo: Vec<std::path::PathBuf> = rooms.iter().map(|r| root.join(r)).collect();
        let (mut wrong, mut seen) = (Vec::new(), 0);
        while let Some(path) = todo.pop() {
            if path.is_dir() {
                todo.extend(std::fs::read_dir(&path).unwrap().flatten().map(|e| e.path()));
                continue;
            }
            if path.extension().is_none_or(|e| e != "rs") || path.ends_with("cli/src/lib.rs") {
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
