//! Arguments of `secchi runs`.

use crate::{ResultArgs, StoreArg};
use clap::{Args, Subcommand, ValueEnum};
use session::exit;
use std::path::PathBuf;

/// Help text for filters.
const WHERE_HELP: &str = "\
Filters, for --where:
  target~/mnt and bs=8k          conditions combined with and, or, not and parentheses
  iops>=5k and p99<2ms           a run is listed if one of its workloads meets all conditions
  tag=nightly and since 3d       since and before take a time, a date, or a duration before now
  Operators: = != ~ (contains) !~ < <= > >=; quote values that contain spaces or parentheses
  Run fields:      id tag note command target plan host tool state verdict exit started took size
  Workload fields: workload pattern bs engine depth jobs iops mbps avg p99";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = WHERE_HELP)]
pub struct Runs {
    #[command(subcommand)]
    pub action: Option<RunsAction>,

    #[command(flatten)]
    pub list: RunsList,
}

#[derive(Debug, Args)]
pub struct RunsList {
    /// Filter, such as 'target~/mnt and bs=8k and since 3d'
    #[arg(long = "where", value_name = "FILTER")]
    pub filter: Option<String>,

    /// Sort order of the list
    #[arg(long, value_enum, default_value_t = RunsOrder::Started, value_name = "KEY")]
    pub sort: RunsOrder,

    /// Reverse the sort order
    #[arg(long)]
    pub reverse: bool,

    /// Maximum number of runs to list
    #[arg(short = 'n', long, value_name = "N", value_parser = many)]
    pub max_count: Option<usize>,

    /// Print only ids, one per line
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub ids: bool,

    /// Print the list as one JSON document
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Print the list as CSV, one line per workload
    #[arg(long)]
    pub csv: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunsOrder {
    /// Newest first
    Started,
    /// Longest first
    Took,
    /// Most operations per second first
    Iops,
    /// Lowest latency first
    P99,
    /// Largest target first
    Size,
    /// By path
    Target,
}

#[derive(Debug, Subcommand)]
pub enum RunsAction {
    /// Add or remove tags
    Tag(RunsTag),
    /// Set the note of a run
    Note(RunsNote),
    /// Delete runs, after a confirmation if they are chosen by --where
    #[command(visible_alias = "rm")]
    Delete(RunsDelete),
    /// Export runs to one file, for transfer to another machine, or as Parquet tables
    Export(RunsExport),
    /// Import runs from a file written by `secchi runs export`
    Import(RunsImport),
    /// Merge the parts of a multi-host run whose rank 0 was lost
    Join(RunsJoin),
    /// Show the results of one plan over time, with change points
    Trend(RunsTrend),
    /// Create the tables of a team's store, in the schema `secchi` of its database
    Init(StoreOnly),
    /// Upload the runs waiting on this machine to the team's store
    Push(StoreOnly),
}

#[derive(Debug, Args)]
pub struct StoreOnly {
    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "secchi runs tag [OPTIONS] <RUN>... <+TAG|-TAG>...\n       secchi runs tag [OPTIONS] <RUN>... <TAG>"
)]
pub struct RunsTag {
    /// Runs (ids or prefixes, `last`, `last-1`, tags), then +TAG to add or -TAG to remove a tag
    ///
    /// If the last word has no sign, it is a tag to add.
    #[arg(value_name = "WORD", required = true, num_args = 1..)]
    pub words: Vec<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
pub struct RunsJoin {
    /// Parts of the run: ids or prefixes, `last`, `last-1`, or tags
    ///
    /// If only one part is given, secchi searches for the others in the store and in the store's directory `parts`.
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    pub runs: Vec<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
pub struct RunsNote {
    /// Run id or prefix, `last`, `last-1`, or a tag
    #[arg(value_name = "RUN")]
    pub run: String,

    /// New note; '' removes it
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub text: String,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Runs chosen by name, by filter, or both.
#[derive(Debug, Args)]
pub struct ChosenRuns {
    /// Run ids or prefixes, `last`, `last-1`, or tags
    #[arg(value_name = "RUN", required_unless_present = "filter")]
    pub runs: Vec<String>,

    /// Filter (see `secchi runs --help`)
    #[arg(long = "where", value_name = "FILTER")]
    pub filter: Option<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
pub struct RunsDelete {
    #[command(flatten)]
    pub chosen: ChosenRuns,

    /// Delete runs chosen by --where without confirmation
    #[arg(short, long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct RunsExport {
    #[command(flatten)]
    pub chosen: ChosenRuns,

    /// Output file, such as night.secchi; `-` is standard output; a directory for parquet
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Output format
    #[arg(short, long, value_enum, default_value_t = ExportFormat::Secchi, value_name = "FORMAT")]
    pub format: ExportFormat,

    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
}

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One compressed file with complete runs, for `secchi runs import`
    Secchi,
    /// Tables for data frames and SQL: four files in a directory
    Parquet,
}

#[derive(Debug, Args)]
pub struct RunsImport {
    /// File written by `secchi runs export`; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
#[command(after_help = exit::TABLE)]
pub struct RunsTrend {
    /// A run of the plan (id, prefix or `last`), or the plan's key from `runs --json`
    #[arg(value_name = "PLAN|RUN")]
    pub plan: String,

    /// Filter (see `secchi runs --help`)
    #[arg(long = "where", value_name = "FILTER")]
    pub filter: Option<String>,

    #[command(flatten)]
    pub results: ResultArgs,

    /// Print the trend as one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Parses a maximum number of runs, such as 500 or 2k.
fn many(text: &str) -> Result<usize, String> {
    super::count::<0, { usize::MAX as u64 }>(text).map(|number| number as usize)
}
