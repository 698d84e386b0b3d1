//! `secchi runs`, as typed.

use super::StoreArg;
use crate::exit;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The fields of filters, for help.
const WHERE_HELP: &str = "\
Filters, for --where:
  target~/mnt and bs=8k          tests joined by and, or, not and parentheses
  iops>=5k and p99<2ms           of one workload: a run is listed if one of its workloads meets it all
  tag=nightly and since 3d       since and before take a time, a date or a duration ago
  Operators: = != ~ (contains) !~ < <= > >=; quotes around values with blanks or parentheses
  Of a run:      id tag note command target plan host tool state verdict exit started took size
  Of a workload: workload pattern bs engine depth iops mbps avg p99";

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
    /// Only runs that this holds for, such as 'target~/mnt and bs=8k and since 3d'
    #[arg(long = "where", value_name = "FILTER")]
    pub filter: Option<String>,

    /// In this order: newest, longest, fastest (iops), least latency (p99), largest, or by target first
    #[arg(long, value_enum, default_value_t = RunsOrder::Started, value_name = "KEY")]
    pub sort: RunsOrder,

    /// The other way round
    #[arg(long)]
    pub reverse: bool,

    /// At most so many
    #[arg(short = 'n', long, alias = "limit", value_name = "N", value_parser = many)]
    pub max_count: Option<usize>,

    /// Only the ids, one a line: for scripts
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub ids: bool,

    /// Print the list as one JSON document
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Print the list as comma-separated values, a line for each workload
    #[arg(long)]
    pub csv: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Orders of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunsOrder {
    /// Newest first
    Started,
    /// Longest first
    Took,
    /// Most operations per second first
    Iops,
    /// Least latency first
    P99,
    /// Largest target first
    Size,
    /// By path
    Target,
}

#[derive(Debug, Subcommand)]
pub enum RunsAction {
    /// Put tags to runs and take them away
    Tag(RunsTag),
    /// Write a note to a run
    Note(RunsNote),
    /// Delete runs: those that are named at once, those that a filter finds after a question
    #[command(visible_alias = "rm")]
    Delete(RunsDelete),
    /// Write runs into one file, to be carried to another machine
    Export(RunsExport),
    /// Take over the runs of a file of `secchi runs export`
    Import(RunsImport),
    /// Put together what the ranks of a run on many hosts kept by themselves, where rank 0 was lost
    Join(RunsJoin),
    /// One plan over time: its figures, and where they changed
    Trend(RunsTrend),
    /// Make the tables of a team's store, in schema `secchi` of its database
    Init(StoreOnly),
    /// Put runs that wait on this machine into the team's store
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
    /// Ids of runs or their beginnings; `last`, `last-1`; or tags; then +TAG puts a tag, -TAG takes it away. Without a sign the last word is a
    /// tag to put
    #[arg(value_name = "WORD", required = true, num_args = 1..)]
    pub words: Vec<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
pub struct RunsJoin {
    /// Parts, or the run as far as rank 0 kept it: ids or their beginnings; `last`, `last-1`; or tags. Of one alone the others are looked
    /// for in the store and in `parts` of it, where each rank keeps its own
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    pub runs: Vec<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
pub struct RunsNote {
    /// Id of a run or its beginning; `last`, `last-1`; or its tag
    #[arg(value_name = "RUN")]
    pub run: String,

    /// The note, in place of the one there was; '' takes it away
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub text: String,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Runs by name, by filter, or both.
#[derive(Debug, Args)]
pub struct ChosenRuns {
    /// Ids of runs or their beginnings; `last`, `last-1`; or tags
    #[arg(value_name = "RUN", required_unless_present = "filter")]
    pub runs: Vec<String>,

    /// Runs that this holds for (secchi runs --help)
    #[arg(long = "where", value_name = "FILTER")]
    pub filter: Option<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
pub struct RunsDelete {
    #[command(flatten)]
    pub chosen: ChosenRuns,

    /// Do not ask about runs that --where finds
    #[arg(short, long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct RunsExport {
    #[command(flatten)]
    pub chosen: ChosenRuns,

    /// The file to make, such as night.secchi; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Replace what stands at the output's name, whatever it is
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct RunsImport {
    /// A file of `secchi runs export`; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Args)]
#[command(after_help = exit::TABLE)]
pub struct RunsTrend {
    /// A run of the plan: its id, the beginning of it, or `last`; or the plan's key, as `runs --json` shows it
    #[arg(value_name = "PLAN|RUN")]
    pub plan: String,

    /// Only runs that this holds for (secchi runs --help)
    #[arg(long = "where", value_name = "FILTER")]
    pub filter: Option<String>,

    /// Print the trend as one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArg,
}
/// How many at most: any number, thousands with k.
fn many(text: &str) -> Result<usize, String> {
    super::count::<0, { usize::MAX as u64 }>(text).map(|number| number as usize)
}
