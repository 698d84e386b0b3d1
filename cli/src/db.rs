//! Arguments of `secchi db`.

use crate::table::named_values;
use crate::{BoughtArgs, Needs, ResultArgs, StoreArg, TraceArgs};
use clap::{Args, Subcommand, ValueEnum};
use model::plan::{NodeNames, Pacing, Skew, ValueRule};
use model::{Bytes, Iops, Nanos, measured::FileRole, units::UnitError};
use report::formats::perftools::{EXPORTS, Export, export};
use session::exit;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Db {
    #[command(subcommand)]
    pub verb: DbVerb,
}

#[derive(Debug, Subcommand)]
pub enum DbVerb {
    /// Create a database in a new directory
    Setup(Box<DbSetup>),
    /// Create globals 1 to N, replacing existing ones
    CreateGlobals(DbCreate),
    /// Add globals until there are TOTAL globals
    AddGlobals(DbAdd),
    /// Count the subscripts of every global by visiting each one
    CountSubscripts(DbDir),
    /// Print the recorded sizes of the globals
    GetSizes(DbDir),
    /// Read random blocks of the database files with direct I/O, or random records through the engine
    Ranread(DbRun),
    /// Update random records in transactions, each process in its own global
    Ranwrite(DbRun),
    /// Mix batches of reads with transactions of updates
    Ranio(DbRun),
    /// Write a global from the first record to the last
    Seqwrite(DbRun),
    /// Read globals from the first record to the last
    Seqread(DbRun),
    /// Insert new records in transactions, so that the database grows
    Insert(Box<DbInsert>),
    /// Run pgbench's TPC-B transaction on separate tables (postgres)
    Tpcb(Box<DbTpcb>),
    /// Increase the number of processes until a stop condition holds
    Ramp(Box<DbRamp>),
    /// Stop the runs on a database, each after its current batch
    Stop(DbStop),
    /// Check the integrity of the database with the engine's checker
    Check(DbDir),
    /// Remove a database, but only what `setup` created
    Purge(DbDir),
    /// Turn a copied directory into a separate database; other commands reject copies
    Adopt(DbDir),
    /// Write these tests as M scripts, to run on IRIS or GT.M without secchi
    Script(DbScript),
    /// List the runs on a database
    History(DbHistory),
    /// Query the runs with SQL: tables RanRead, RanWrite, RanIO (one row per worker) and run (one row per batch)
    Sql(DbSql),
    /// Export the runs as CSV, as JSON, or in a PerfTools format
    Export(DbExport),
    /// Delete the run history; the database is kept
    Reset(DbReset),
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbScript {
    /// Engine: gtm (also for YottaDB) or iris (written from the IRIS documentation; not tested on IRIS)
    #[arg(long, value_name = "NAME")]
    pub engine: String,

    /// Directory for the scripts; existing files are not overwritten
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub output: PathBuf,
}

impl Db {
    /// Returns `true` if the command runs a load that is stored as a run.
    pub fn measures(&self) -> bool {
        use DbVerb::{Insert, Ramp, Ranio, Ranread, Ranwrite, Seqread, Seqwrite, Tpcb};
        matches!(
            self.verb,
            Ranread(_) | Ranwrite(_) | Ranio(_) | Seqread(_) | Seqwrite(_) | Insert(_) | Tpcb(_) | Ramp(_)
        )
    }
}

/// Database directory.
#[derive(Debug, Clone, Args)]
pub struct DbDir {
    /// Database directory
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbSetup {
    /// Directory for the database; it must be new or empty
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// Engine: sqlite, gtm, postgres, or model (the I/O of an engine, without the engine)
    #[arg(long, value_name = "NAME", default_value = "sqlite")]
    pub engine: String,

    /// Profile for --engine model: sqlite-wal, postgres, postgres-18, gtm, iris, innodb, or a .toml file
    #[arg(long, value_name = "NAME|FILE")]
    pub profile: Option<String>,

    /// Name of the database
    #[arg(long, value_name = "NAME", default_value = "RAN")]
    pub name: String,

    /// Fill the database with records up to this size, for ranread
    ///
    /// Twice the machine's memory gives the most reliable figures.
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub size: Option<Bytes>,

    /// Directories for data files, separated by commas; globals are distributed across them
    #[arg(long, value_name = "DIRS", value_delimiter = ',')]
    pub data: Vec<PathBuf>,

    /// Directory for the journal
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,

    /// Directory for the image journal of --engine model [default: the journal's directory]
    ///
    /// Pages are written to the image journal before they are written in place, like IRIS's WIJ or InnoDB's doublewrite
    /// buffer.
    #[arg(long, value_name = "DIR")]
    pub image: Option<PathBuf>,

    /// Existing PostgreSQL server, such as postgres://me@host/db [default: a private cluster, run by secchi]
    ///
    /// secchi creates a schema for its tables there.
    #[arg(long, value_name = "URL", conflicts_with_all = ["data", "journal", "image"])]
    pub url: Option<String>,

    /// Page size of the database
    #[arg(long, value_name = "SIZE")]
    pub block: Option<Bytes>,

    /// Default value of a PostgreSQL parameter for all runs, such as full_page_writes=off; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    pub set: Vec<(String, String)>,

    /// Journaling of updates; each run can override it with --journal-mode
    #[arg(long, value_enum, default_value_t = OnOff::On, value_name = "on|off")]
    pub journal_mode: OnOff,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    /// Journal updates
    On,
    /// Do not journal updates
    Off,
}

#[derive(Debug, Clone, Args)]
pub struct DbCreate {
    #[command(flatten)]
    pub dir: DbDir,

    /// Number of globals
    #[arg(short, long, value_name = "N", default_value = "5", value_parser = super::count_u32::<1, 1000>)]
    pub globals: u32,

    /// Number of subscripts per global
    #[arg(short, long, value_name = "N", default_value = "1000000", value_parser = super::count::<1, 1_000_000_000_000>)]
    pub subscripts: u64,

    /// Number of secondary indexes per global
    ///
    /// An index is an indexed column of random integers (postgres, sqlite), an index global (gtm) or pages of an index
    /// tree (model). Writing a record changes every index.
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u32).range(0..=8))]
    pub indexes: u32,

    #[command(flatten)]
    pub names: NamesArg,

    #[command(flatten)]
    pub values: ValueArg,

    #[command(flatten)]
    pub engine: EngineArgs,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Clone, Args)]
pub struct DbAdd {
    #[command(flatten)]
    pub dir: DbDir,

    /// Total number of globals afterwards
    #[arg(short, long, value_name = "TOTAL", default_value = "5", value_parser = super::count_u32::<1, 1000>)]
    pub globals: u32,

    /// Number of subscripts per global [default: the number in global 1]
    #[arg(short, long, value_name = "N", value_parser = super::count::<1, 1_000_000_000_000>)]
    pub subscripts: Option<u64>,

    #[command(flatten)]
    pub values: ValueArg,

    #[command(flatten)]
    pub engine: EngineArgs,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Options for node names, as in RanWrite of PerfTools V1.
#[derive(Debug, Clone, Args)]
pub struct NamesArg {
    /// Use random node names with this number of levels instead of subscripts 1 to N (PerfTools V1: 2)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=31))]
    pub node_depth: Option<u8>,

    /// Number of characters per level of a node name [default: 5, as in PerfTools V1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub subnode_length: Option<u8>,

    /// Number of characters in an additional first level of node names (PerfTools V1: 3) [default: no additional level]
    ///
    /// In PerfTools V1, this level is the name of a random global. Here, each worker writes to its own global.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=31))]
    pub name_length: Option<u8>,
}

impl NamesArg {
    /// Returns the naming rule, or `None` if no option is given.
    pub fn names(&self) -> Option<NodeNames> {
        let NamesArg { node_depth, subnode_length, name_length } = *self;
        let is_given = node_depth.is_some() || subnode_length.is_some() || name_length.is_some();
        is_given.then(|| NodeNames {
            name: name_length.unwrap_or(0),
            depth: node_depth.unwrap_or(2),
            length: subnode_length.unwrap_or(5),
        })
    }
}

/// Options for the values of records.
#[derive(Debug, Clone, Args)]
pub struct ValueArg {
    /// Length of values in bytes, such as 256 or 200-255 [default: PerfTools' text, about 50 bytes]
    #[arg(long, value_name = "BYTES", value_parser = value_rule)]
    pub value: Option<ValueRule>,
}

impl ValueArg {
    /// Returns the rule for values; without the option, values have PerfTools' text.
    pub fn rule(&self) -> ValueRule {
        self.value.unwrap_or(ValueRule::Text)
    }
}

fn value_rule(text: &str) -> Result<ValueRule, UnitError> {
    let number = |part: &str| {
        let n = part.trim().parse::<u32>().ok().filter(|n| (24..=3900).contains(n));
        n.ok_or_else(|| {
            UnitError(format!("`{part}`: the length of a value must be 24 to 3900 bytes, such as 256 or 200-255"))
        })
    };
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (number(from)?, number(to)?);
    if from > to {
        return Err(UnitError(format!("{from}-{to}: the shorter length must come first")));
    }
    Ok(ValueRule::Length { from, to })
}

/// Engine settings for a run.
#[derive(Debug, Clone, Args)]
pub struct EngineArgs {
    /// Journaling of updates [default: the setting chosen at setup]
    #[arg(long, value_enum, value_name = "on|off")]
    pub journal_mode: Option<OnOff>,

    /// Durability of commits: durable, or lazy (acknowledged updates may be lost, as in IRIS by default)
    #[arg(long, value_enum, default_value_t = CommitWord::Durable, value_name = "WHEN")]
    pub commit: CommitWord,

    /// Size of the engine's cache
    #[arg(long, value_name = "SIZE", default_value = "16m")]
    pub cache: Bytes,

    /// Checkpoint interval (GT.M: epoch interval) [default: 30s; with --engine model, the interval in the profile]
    #[arg(long, value_name = "TIME")]
    pub write_back: Option<Nanos>,

    /// Parameter of the private PostgreSQL server, such as full_page_writes=off; repeatable
    ///
    /// Only parameters of the write path can be set, such as wal_sync_method=open_datasync or
    /// checkpoint_completion_target=0.5. The server checks the value.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    pub set: Vec<(String, String)>,
}

fn parameter(text: &str) -> Result<(String, String), UnitError> {
    match text.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_ascii_lowercase(), value.to_owned()))
        }
        _ => Err(UnitError(format!("`{}` is not NAME=VALUE, such as full_page_writes=off", model::clip(text)))),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CommitWord {
    /// Return when the journal is on the device
    Durable,
    /// Return as early as the engine can
    Lazy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Through {
    /// Data file blocks, with direct I/O
    Blocks,
    /// Records, through the engine
    Engine,
    /// Blocks, read by the engine (postgres: pg_prewarm)
    EngineBlocks,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbRun {
    #[command(flatten)]
    pub dir: DbDir,

    /// Number of concurrent processes
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 1000>)]
    pub processes: u32,

    #[command(flatten)]
    pub run: DbRunArgs,

    #[command(flatten)]
    pub layout: LayoutArgs,
}

/// Options for the comparison of two layouts; the default compares nothing.
#[derive(Debug, Clone, Default, Args)]
pub struct LayoutArgs {
    /// Compare with a layout that puts roles on other volumes, such as journal=/vol2,image=/vol3
    ///
    /// Roles: data, journal and, for the model engine, image; data may be repeated. secchi copies the database, runs
    /// alternately on both layouts, and removes the copy.
    #[arg(long, value_name = "ROLE=DIR,...", value_parser = layout)]
    pub compare_layout: Option<Layout>,

    /// Number of runs of each layout, in the order A B B A A B ...
    ///
    /// With 4 or fewer runs, a change in only one of several metrics is not significant.
    #[arg(long, value_name = "N", default_value = "5", requires = "compare_layout",
        value_parser = super::count_u32::<0, { u32::MAX as u64 }>)]
    pub rounds: u32,

    /// Smallest change that counts as a difference, in percent
    #[arg(long, default_value = "3%", value_name = "PERCENT", requires = "compare_layout")]
    pub within: super::Share,

    /// Keep the copy, in a subdirectory of the database directory, and print its path
    #[arg(long, requires = "compare_layout")]
    pub keep_layout: bool,
}

/// Roles that are moved, with their new directories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Directories for data files; empty if data stays.
    pub data: Vec<PathBuf>,
    /// Directory for the journal.
    pub journal: Option<PathBuf>,
    /// Directory for the image journal.
    pub image: Option<PathBuf>,
}

impl Layout {
    /// Returns each moved role with its new directory.
    pub fn moved(&self) -> impl Iterator<Item = (FileRole, &PathBuf)> {
        let with_role = |role| move |dir| (role, dir);
        let data = self.data.iter().map(with_role(FileRole::Data));
        data.chain(self.journal.iter().map(with_role(FileRole::Journal)))
            .chain(self.image.iter().map(with_role(FileRole::Image)))
    }
}

impl std::fmt::Display for Layout {
    /// Formats the layout as on the command line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let roles: Vec<String> = self.moved().map(|(role, dir)| format!("{}={}", role.name(), dir.display())).collect();
        f.write_str(&roles.join(","))
    }
}

fn layout(text: &str) -> Result<Layout, UnitError> {
    let mut layout = Layout::default();
    for part in text.split(',') {
        let (role, dir) = part
            .split_once('=')
            .filter(|(_, dir)| !dir.is_empty())
            .ok_or_else(|| UnitError(format!("`{}` is not ROLE=DIR, such as journal=/vol2", model::clip(part))))?;
        let twice = |known: &Option<PathBuf>| match known {
            Some(_) => Err(UnitError(format!("`{role}` is given twice: a role has one directory"))),
            None => Ok(Some(PathBuf::from(dir))),
        };
        match role.trim() {
            "data" => layout.data.push(dir.into()),
            "journal" => layout.journal = twice(&layout.journal)?,
            "image" => layout.image = twice(&layout.image)?,
            other => {
                let roles = ["data", "journal", "image"];
                let near = model::units::suggestion(other, roles);
                return Err(UnitError(format!(
                    "`{}` is not a role: expected data, journal or image{near}",
                    model::clip(other)
                )));
            }
        }
    }
    Ok(layout)
}

/// Options for a load.
#[derive(Debug, Clone, Args)]
pub struct DbRunArgs {
    /// Duration, in seconds or with a unit [default: 300 s, or one pass for seqwrite and seqread]
    #[arg(short, long, value_name = "TIME", value_parser = super::mark::seconds, allow_hyphen_values = true)]
    pub time: Option<Nanos>,

    /// End after this number of operations per process instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "time", value_parser = super::count::<1, { u64::MAX }>)]
    pub count: Option<u64>,

    /// Size of the blocks that ranread and ranio read, such as 8k or 64k [default: the page size]
    #[arg(long, value_name = "SIZE")]
    pub block: Option<Bytes>,

    /// Read method for ranread and ranio: data file blocks, records through the engine, or blocks through the engine
    #[arg(long, value_enum, default_value_t = Through::Blocks, value_name = "WHAT")]
    pub through: Through,

    /// Operations per batch or transaction; 0 = updates without transactions
    #[arg(long, value_name = "N", default_value = "50", value_parser = super::count_u32::<0, 100_000>)]
    pub txn: u32,

    /// Pause after each batch, in milliseconds or with a unit [default: 2ms for ranwrite and ranio, otherwise 0]
    ///
    /// Latencies do not include pauses.
    #[arg(long, value_name = "TIME", value_parser = millis, allow_hyphen_values = true)]
    pub pause: Option<Nanos>,

    /// Uniform random variation of the pause, as a percentage of its length
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent)]
    pub pause_var: u8,

    /// Start N batches per second across all processes, on a schedule [default: closed loop]
    ///
    /// Latency is measured from the scheduled start, and there are no pauses. When ranread reads blocks, N is in blocks
    /// per second.
    #[arg(long, value_name = "N", value_parser = rate, conflicts_with_all = ["pause", "pause_var"])]
    pub rate: Option<Iops>,

    /// Access distribution for ranread, ranwrite and ranio, such as zipf:0.99 or hotspot:80:20 [default: uniform]
    ///
    /// With hotspot:80:20, 80 % of the accesses go to the first 20 % of the subscripts. When ranread reads blocks, the
    /// distribution applies to the blocks of each file.
    #[arg(long, value_name = "LAW", value_parser = skew)]
    pub skew: Option<Skew>,

    /// Percentage of ranio's batches that consist of reads
    #[arg(long, value_name = "PERCENT", default_value = "50", value_parser = percent)]
    pub read_pct: u8,

    /// Create a new node for each update, like RanWrite in PerfTools V1 (requires globals created with --node-depth)
    #[arg(long)]
    pub new_nodes: bool,

    /// In seqread, follow the engine's order ($ORDER, a cursor) instead of counting subscripts
    #[arg(long)]
    pub order: bool,

    #[command(flatten)]
    pub values: ValueArg,

    /// Inserts instead of updates; `None` for other commands.
    #[arg(skip)]
    pub insert: Option<Inserts>,

    #[command(flatten)]
    pub common: DbCommon,
}

/// Options that all loads share.
#[derive(Debug, Clone, Args)]
pub struct DbCommon {
    /// Duration of the warm-up before the measurement
    ///
    /// The warm-up fills caches and uses up a throttle's burst credits.
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = super::mark::seconds, conflicts_with = "count")]
    pub warm_up: Nanos,

    /// Arrival process for --rate
    #[arg(long, value_parser = named_values(RATE_PROCESSES), default_value = "poisson", value_name = "LAW", requires = "rate")]
    pub rate_process: RateProcess,

    #[command(flatten)]
    pub engine: EngineArgs,

    /// Name of a group of runs that run at the same time
    #[arg(long, value_name = "NAME", default_value = "")]
    pub group: String,

    /// Random seed [default: chosen by the system]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Abort when an operation has been in flight for this duration
    #[arg(long, allow_hyphen_values = true, value_name = "TIME", default_value = "60s")]
    pub hang: Nanos,

    /// Requirement that determines the exit code, such as 'commit: p99<=10ms' or 'update: iops>=5000'; repeatable
    ///
    /// Operations: read, update, commit, transaction. NEED can also be a file that contains needs, or the name of a
    /// contract.
    #[arg(long = "need", value_name = "NEED")]
    pub needs: Vec<Needs>,

    /// Cache size of the storage controller; random reads are doubted if the data is less than four times this size
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub controller_cache: Option<Bytes>,

    /// Judge read needs even if the data fits into caches
    #[arg(long)]
    pub cached: bool,

    #[command(flatten)]
    pub bought: BoughtArgs,

    #[command(flatten)]
    pub trace: TraceArgs,

    #[command(flatten)]
    pub results: ResultArgs,

    /// Print figures per worker and role, charts, doubts and findings with evidence, and the environment
    #[arg(long, conflicts_with = "json")]
    pub full: bool,

    /// Print the record as one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Pacing of batches at a rate per second.
pub type RateProcess = fn(Iops) -> Pacing;

/// Arrival processes of batches, with their help texts.
const RATE_PROCESSES: &[(&str, RateProcess, &str)] = &[
    ("poisson", Pacing::Poisson, "Exponentially distributed intervals, like independent users"),
    ("fixed", Pacing::Fixed, "Equal intervals"),
];

fn rate(text: &str) -> Result<Iops, UnitError> {
    let n = text.trim().parse::<f64>().ok().filter(|n| (0.001..=1e9).contains(n));
    n.map(Iops).ok_or_else(|| {
        UnitError(format!("`{}` is not a rate: expected 0.001 to 1e9 batches per second", model::clip(text)))
    })
}

fn skew(text: &str) -> Result<Skew, UnitError> {
    let wrong =
        |reason: &str| UnitError(format!("`{}`: {reason}; such as zipf:0.99 or hotspot:80:20", model::clip(text)));
    let number = |text: &str| text.trim().trim_end_matches('%').parse::<f64>().ok().filter(|n| n.is_finite());
    let parts: Vec<&str> = text.split(':').collect();
    match parts.as_slice() {
        ["zipf", theta] => match number(theta).filter(|t| *t > 0.0 && *t <= 100.0) {
            Some(theta) => Ok(Skew::Zipf(theta)),
            None => Err(wrong("the exponent of zipf must be above 0 and at most 100")),
        },
        ["hotspot", drawn, subscripts] => {
            let share = |text: &str| number(text).filter(|n| *n > 0.0 && *n < 100.0);
            match (share(drawn), share(subscripts)) {
                (Some(drawn), Some(subscripts)) => Ok(Skew::Hotspot { drawn, subscripts }),
                _ => Err(wrong("both shares of hotspot must be above 0 and below 100 percent")),
            }
        }
        _ => Err(wrong("unknown distribution")),
    }
}

fn millis(text: &str) -> Result<Nanos, UnitError> {
    let bare = text.trim().ends_with(|c: char| c.is_ascii_digit());
    if bare { format!("{}ms", text.trim()).parse() } else { text.parse() }
}

fn percent(text: &str) -> Result<u8, UnitError> {
    let n = text.trim().trim_end_matches('%').parse::<u8>().ok().filter(|n| *n <= 100);
    n.ok_or_else(|| UnitError(format!("`{text}` is not a percentage from 0 to 100")))
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbTpcb {
    #[command(flatten)]
    pub dir: DbDir,

    /// Number of processes, each with one connection (pgbench's clients)
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 500>)]
    pub processes: u32,

    /// Number of branches, each with 10 tellers and 100,000 accounts (about 16 MB)
    ///
    /// Tables with a different scale are recreated.
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 20_000>)]
    pub scale: u32,

    /// Duration, in seconds or with a unit
    #[arg(short, long, value_name = "TIME", default_value = "300", value_parser = super::mark::seconds, allow_hyphen_values = true)]
    pub time: Nanos,

    /// End after this number of transactions per process instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "time", value_parser = super::count::<1, { u64::MAX / 4 }>)]
    pub count: Option<u64>,

    /// Start N transactions per second across all processes, on a schedule, like pgbench's --rate
    ///
    /// Latency is measured from the scheduled start.
    #[arg(long, value_name = "N", value_parser = rate)]
    pub rate: Option<Iops>,

    #[command(flatten)]
    pub common: DbCommon,
}

impl DbTpcb {
    /// Returns the equivalent load; settings without an option have the values of TPC-B.
    pub fn as_run(&self) -> DbRun {
        let args = self.clone();
        DbRun {
            dir: args.dir,
            processes: args.processes,
            layout: LayoutArgs::default(),
            run: DbRunArgs {
                time: args.count.is_none().then_some(args.time),
                // The load counts updates.
                count: args.count.map(|n| n * TPCB_UPDATES),
                txn: TPCB_UPDATES as u32,
                pause: Some(Nanos(0)),
                rate: args.rate,
                ..DbRunArgs::plain(args.common)
            },
        }
    }
}

impl DbRunArgs {
    /// Returns the options for a command that has only the common options.
    fn plain(common: DbCommon) -> DbRunArgs {
        DbRunArgs {
            time: None,
            count: None,
            block: None,
            through: Through::Blocks,
            txn: 1,
            pause: None,
            pause_var: 0,
            rate: None,
            skew: None,
            read_pct: 0,
            new_nodes: false,
            order: false,
            values: ValueArg { value: None },
            insert: None,
            common,
        }
    }
}

/// Options for `insert`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inserts {
    /// Order of new keys; `None` = the order of the existing nodes.
    pub order: Option<InsertOrder>,
    /// Size of the database files at which the run ends, in bytes.
    pub grow_to: Option<Bytes>,
    /// Number of workers, each with a separate global.
    pub processes: u32,
}

/// Order of the keys of new nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InsertOrder {
    /// Ascending, like a sequence: the last page of the tree is written repeatedly
    Sequential,
    /// Random, like UUIDs: any page of the tree may be read and split
    Random,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbInsert {
    #[command(flatten)]
    pub dir: DbDir,

    /// Number of concurrent processes, each with its own global
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 1000>)]
    pub processes: u32,

    /// Order of new keys: sequential or random [default: sequential; random for named nodes]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub order: Option<InsertOrder>,

    /// End when the database files reach this total size, such as 20g
    ///
    /// At least 5 % of each file system, and at least 1 GiB, always stays free.
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub grow_to: Option<Bytes>,

    /// Duration, in seconds or with a unit [default: 300 s; unlimited with --grow-to]
    #[arg(short, long, value_name = "TIME", value_parser = super::mark::seconds, allow_hyphen_values = true)]
    pub time: Option<Nanos>,

    /// End after this number of inserts per process instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "time", value_parser = super::count::<1, 1_000_000_000_000>)]
    pub count: Option<u64>,

    /// Inserts per transaction; 0 = no transactions
    #[arg(long, value_name = "N", default_value = "50", value_parser = super::count_u32::<0, 100_000>)]
    pub txn: u32,

    /// Pause after each transaction, in milliseconds or with a unit [default: none]
    ///
    /// Latencies do not include pauses.
    #[arg(long, value_name = "TIME", value_parser = millis, allow_hyphen_values = true)]
    pub pause: Option<Nanos>,

    /// Start N transactions per second across all processes, on a schedule
    ///
    /// Latency is measured from the scheduled start, and there are no pauses.
    #[arg(long, value_name = "N", value_parser = rate, conflicts_with = "pause")]
    pub rate: Option<Iops>,

    #[command(flatten)]
    pub values: ValueArg,

    #[command(flatten)]
    pub common: DbCommon,
}

impl DbInsert {
    /// Returns the equivalent load.
    pub fn as_run(&self) -> DbRun {
        let args = self.clone();
        DbRun {
            dir: args.dir,
            processes: args.processes,
            layout: LayoutArgs::default(),
            run: DbRunArgs {
                time: args.time,
                count: args.count,
                txn: args.txn,
                pause: args.pause,
                rate: args.rate,
                values: args.values,
                insert: Some(Inserts { order: args.order, grow_to: args.grow_to, processes: args.processes }),
                ..DbRunArgs::plain(args.common)
            },
        }
    }
}

/// Updates per TPC-B transaction: an account, a teller, a branch and a history row.
const TPCB_UPDATES: u64 = 4;

#[derive(Debug, Clone, Args)]
pub struct DbRamp {
    #[command(flatten)]
    pub dir: DbDir,

    /// Load: ranread, ranwrite, ranio
    #[arg(long, value_enum, default_value_t = RampVerb::Ranread, value_name = "VERB")]
    pub verb: RampVerb,

    /// Number of processes at the first level
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 1000>)]
    pub from: u32,

    /// Maximum number of processes
    #[arg(long, value_name = "N", default_value = "64", value_parser = super::count_u32::<1, 1000>)]
    pub to: u32,

    /// Ramp the rate from --rate to N instead of the process count, which stays at --from
    #[arg(long, value_name = "N", value_parser = rate, requires = "rate", conflicts_with = "to")]
    pub to_rate: Option<Iops>,

    /// Step between levels: x2 doubles, +5 adds five
    #[arg(long, value_name = "STEP", default_value = "x2", value_parser = super::ramp::Step::parse)]
    pub step: super::ramp::Step,

    /// Stop conditions, separated by | [default: 'avg>10ms | gain<10%', or 'gain<10%' with a database need]
    ///
    /// A database need (on commit, transaction, update or read) also ends the ramp, at the first level that misses it.
    #[arg(long, value_name = "RULE", value_parser = super::ramp::Ends::parse)]
    pub stop: Option<super::ramp::Ends>,

    /// Conditions for accepting a level, such as 'avg<=2ms, max<=5ms'
    #[arg(long, value_name = "CLAUSES")]
    pub accept: Option<String>,

    #[command(flatten)]
    pub run: DbRunArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RampVerb {
    /// Random reads
    Ranread,
    /// Random updates
    Ranwrite,
    /// Random reads and updates
    Ranio,
}

#[derive(Debug, Clone, Args)]
pub struct DbStop {
    #[command(flatten)]
    pub dir: DbDir,

    /// Run id or prefix [default: all runs]
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct DbHistory {
    #[command(flatten)]
    pub dir: DbDir,

    /// File to import: the output of a script written by `secchi db script`
    ///
    /// In this case, DIR need not be a database; its name identifies the history.
    #[arg(long, value_name = "FILE")]
    pub import: Option<PathBuf>,

    /// Show the runs of this group on a shared time axis, second by second
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    pub group: Option<String>,

    /// Print all batches [default: the newest batches that fit on a screen]
    #[arg(long, conflicts_with_all = ["json", "group"])]
    pub full: bool,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Clone, Args)]
pub struct DbSql {
    #[command(flatten)]
    pub dir: DbDir,

    /// One SELECT, such as 'select Processes, round(sum(ReadsPerSec)) from RanRead group by Batch'
    #[arg(value_name = "SELECT")]
    pub question: String,

    /// Output format
    #[arg(long, value_parser = named_values(ANSWER_FORMATS), default_value = "table", value_name = "FORMAT")]
    pub format: &'static str,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Formats of query results, with their names for the writer and their help texts.
const ANSWER_FORMATS: &[(&str, &str, &str)] = &[
    ("table", "table", "Aligned columns"),
    ("csv", "csv", "Comma-separated values"),
    ("json", "json", "JSON objects"),
];

#[derive(Debug, Clone, Args)]
pub struct DbExport {
    #[command(flatten)]
    pub dir: DbDir,

    /// Format: csv (PerfTools' columns and more), json, or perftools-v0 to perftools-v3
    #[arg(long, default_value = "csv", value_name = "FORMAT", value_parser = export_named)]
    pub format: &'static Export,

    /// Output file, or for PerfTools formats a directory, in which secchi uses PerfTools' file names
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,

    /// Test to export: ranread, ranwrite, ranio, seqread, seqwrite [default: all]
    #[arg(long, value_name = "TEST", value_parser = ["ranread", "ranwrite", "ranio", "seqread", "seqwrite"])]
    pub test: Option<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

fn export_named(name: &str) -> Result<&'static Export, String> {
    export(name).ok_or_else(|| {
        let known = || EXPORTS.iter().map(|e| e.name);
        let near = model::units::suggestion(name, known());
        format!("known formats are {}{near}", known().collect::<Vec<_>>().join(", "))
    })
}

#[derive(Debug, Clone, Args)]
pub struct DbReset {
    #[command(flatten)]
    pub dir: DbDir,

    #[command(flatten)]
    pub store: StoreArg,
}
