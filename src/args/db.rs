//! Arguments of `secchi db`.

use super::{BoughtArgs, Needs, ResultArgs, StoreArg, TraceArgs};
use crate::exit;
use clap::{Args, Subcommand, ValueEnum};
use model::{Bytes, FileRole, Iops, Nanos, NodeNames, Pacing, Skew, UnitError, ValueRule};
use report::formats::perftools::{EXPORTS, Export, export};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Db {
    #[command(subcommand)]
    pub verb: DbVerb,
}

#[derive(Debug, Subcommand)]
pub enum DbVerb {
    /// Make a database in a new directory
    Setup(Box<DbSetup>),
    /// Make globals 1 to N, each with so many subscripts; those that exist are made anew
    CreateGlobals(DbCreate),
    /// Make more globals until there are so many in all
    AddGlobals(DbAdd),
    /// Count the subscripts of every global by visiting each
    CountSubscripts(DbDir),
    /// Tell the sizes recorded with the globals
    GetSizes(DbDir),
    /// Read random written blocks of the database's files past every cache, or random records through the engine
    Ranread(DbRun),
    /// Update random records in transactions, each process in a global of its own
    Ranwrite(DbRun),
    /// Batches of reads and transactions of updates, mixed by percent
    Ranio(DbRun),
    /// Write a global from the first record to the last
    Seqwrite(DbRun),
    /// Read globals from the first record to the last
    Seqread(DbRun),
    /// Insert new records in transactions, so that the database grows: keys in a sequence or anywhere, bounded by time, count or size
    Insert(Box<DbInsert>),
    /// TPC-B's transaction as pgbench does it, on tables of its own (postgres)
    Tpcb(Box<DbTpcb>),
    /// Raise the number of processes until a rule stops it
    Ramp(Box<DbRamp>),
    /// End runs on a database: each after its present batch
    Stop(DbStop),
    /// Check that what the database holds is sound, by the engine's own checker
    Check(DbDir),
    /// Remove a database: what setup made, and nothing else
    Purge(DbDir),
    /// Make a copy of a database a database of its own: until then no command works on it
    Adopt(DbDir),
    /// Write these tests as scripts in M, for engines that somebody else drives: IRIS, GT.M
    Script(DbScript),
    /// What was run on a database
    History(DbHistory),
    /// Ask about what was run, in SQL: tables RanRead, RanWrite, RanIO (a row for each worker) and run (one for each batch)
    Sql(DbSql),
    /// Write what was run on a database: in columns of ours, as JSON, or as PerfTools writes it
    Export(DbExport),
    /// Forget what was run on a database; the database stays
    Reset(DbReset),
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbScript {
    /// Engine: gtm (also YottaDB), iris (written after its documentation, not run by us)
    #[arg(long, value_name = "NAME")]
    pub engine: String,

    /// Directory to write them into; no file that is there is overwritten
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub output: PathBuf,
}

impl Db {
    /// Whether it runs a load that ends by itself and is kept as a run.
    pub fn measures(&self) -> bool {
        use DbVerb::{Insert, Ramp, Ranio, Ranread, Ranwrite, Seqread, Seqwrite, Tpcb};
        matches!(
            self.verb,
            Ranread(_) | Ranwrite(_) | Ranio(_) | Seqread(_) | Seqwrite(_) | Insert(_) | Tpcb(_) | Ramp(_)
        )
    }
}

/// A database.
#[derive(Debug, Clone, Args)]
pub struct DbDir {
    /// The directory of the database
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbSetup {
    /// A directory that is not there yet, or is empty
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// Engine: sqlite, gtm, postgres; model: no engine but the I/O of one
    #[arg(long, value_name = "NAME", default_value = "sqlite")]
    pub engine: String,

    /// model: whose I/O: sqlite-wal, postgres, postgres-18, gtm, iris, innodb, or a file of figures that ends in .toml
    #[arg(long, value_name = "NAME|FILE")]
    pub profile: Option<String>,

    /// Name of the database
    #[arg(long, value_name = "NAME", default_value = "RAN")]
    pub name: String,

    /// Fill it to this size with records, which ranread then reads; twice the machine's memory says most
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub size: Option<Bytes>,

    /// Directories for data files, one or more; globals are spread over them
    #[arg(long, value_name = "DIRS", value_delimiter = ',')]
    pub data: Vec<PathBuf>,

    /// Directory for the journal
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,

    /// model: directory for the image journal, which pages are written to before they are written to their places (IRIS's
    /// WIJ, InnoDB's doublewrite) [default: the journal's]
    #[arg(long, value_name = "DIR")]
    pub image: Option<PathBuf>,

    /// postgres: a server that is there, such as postgres://me@host/db; a schema of our own is made in it [default: a
    /// private cluster, set up and stopped by secchi]
    #[arg(long, value_name = "URL", conflicts_with_all = ["data", "journal", "image"])]
    pub url: Option<String>,

    /// Page size of the database
    #[arg(long, value_name = "SIZE")]
    pub block: Option<Bytes>,

    /// postgres: a parameter of the write path for every run that does not say otherwise, as --set of `secchi db ranwrite`
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    pub set: Vec<(String, String)>,

    /// Whether updates are journaled unless a run says otherwise
    #[arg(long, value_enum, default_value_t = OnOff::On, value_name = "on|off")]
    pub journal_mode: OnOff,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    /// Yes
    On,
    /// No
    Off,
}

#[derive(Debug, Clone, Args)]
pub struct DbCreate {
    #[command(flatten)]
    pub dir: DbDir,

    /// How many globals
    #[arg(short, long, value_name = "N", default_value = "5", value_parser = super::count_u32::<1, 1000>)]
    pub globals: u32,

    /// Subscripts of each
    #[arg(short, long, value_name = "N", default_value = "1000000", value_parser = super::count::<1, 1_000_000_000_000>)]
    pub subscripts: u64,

    /// Secondary indexes of each global: so many columns with random integers, an index on each (postgres, sqlite), an index global
    /// (gtm), pages of index trees (model). Whatever sets or inserts a record gives it new ones, so that every index is written, too
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

    /// How many globals there are to be in all
    #[arg(short, long, value_name = "TOTAL", default_value = "5", value_parser = super::count_u32::<1, 1000>)]
    pub globals: u32,

    /// Subscripts of each [default: as many as global 1 has]
    #[arg(short, long, value_name = "N", value_parser = super::count::<1, 1_000_000_000_000>)]
    pub subscripts: Option<u64>,

    #[command(flatten)]
    pub values: ValueArg,

    #[command(flatten)]
    pub engine: EngineArgs,

    #[command(flatten)]
    pub store: StoreArg,
}

/// What nodes are called, as PerfTools V1's RanWrite was told it.
#[derive(Debug, Clone, Args)]
pub struct NamesArg {
    /// Nodes have random names of so many levels in place of subscripts 1 to N, as in PerfTools V1 (its default: 2)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=31), help_heading = "Named nodes")]
    pub node_depth: Option<u8>,

    /// Letters and digits of each level [default: 5, as in PerfTools V1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..), help_heading = "Named nodes")]
    pub subnode_length: Option<u8>,

    /// Letters and digits of the name that V1 gives the global itself (its default: 3); a level before the others here, since
    /// each worker's global is its own [default: none]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=31), help_heading = "Named nodes")]
    pub name_length: Option<u8>,
}

impl NamesArg {
    /// What is asked, if anything is.
    pub fn names(&self) -> Option<NodeNames> {
        let NamesArg { node_depth, subnode_length, name_length } = *self;
        let asked = node_depth.is_some() || subnode_length.is_some() || name_length.is_some();
        asked.then(|| NodeNames {
            name: name_length.unwrap_or(0),
            depth: node_depth.unwrap_or(2),
            length: subnode_length.unwrap_or(5),
        })
    }
}

/// What values look like.
#[derive(Debug, Clone, Args)]
pub struct ValueArg {
    /// Length of values in bytes, or shortest and longest, such as 256 or 200-255 [default: PerfTools' text of about 50]
    #[arg(long, value_name = "BYTES", value_parser = value_rule)]
    pub value: Option<ValueRule>,
}

impl ValueArg {
    /// The rule.
    pub fn rule(&self) -> ValueRule {
        self.value.unwrap_or(ValueRule::Text)
    }
}

fn value_rule(text: &str) -> Result<ValueRule, UnitError> {
    let number = |part: &str| {
        let n = part.trim().parse::<u32>().ok().filter(|n| (24..=3900).contains(n));
        n.ok_or_else(|| {
            UnitError(format!("a length of a value is 24 to 3900 bytes, such as 256 or 200-255, not `{part}`"))
        })
    };
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (number(from)?, number(to)?);
    if from > to {
        return Err(UnitError(format!("{from}-{to}: the shortest comes first")));
    }
    Ok(ValueRule::Length { from, to })
}

/// How the engine is set for a run.
#[derive(Debug, Clone, Args)]
pub struct EngineArgs {
    /// Whether updates are journaled [default: as at setup]
    #[arg(long, alias = "journal", value_enum, value_name = "on|off", help_heading = "Engine")]
    pub journal_mode: Option<OnOff>,

    /// When a commit returns: durable, or lazy (as IRIS by default; what was acknowledged may be lost)
    #[arg(long, value_enum, default_value_t = CommitWord::Durable, value_name = "WHEN", help_heading = "Engine")]
    pub commit: CommitWord,

    /// What the engine may keep in memory
    #[arg(long, value_name = "SIZE", default_value = "16m", help_heading = "Engine")]
    pub cache: Bytes,

    /// How often it writes back what is journaled: a checkpoint, an epoch [default: 30s; model: as its profile says]
    #[arg(long, value_name = "TIME", help_heading = "Engine")]
    pub write_back: Option<Nanos>,

    /// postgres: a parameter of the write path of our server, such as full_page_writes=off, wal_sync_method=open_datasync or
    /// checkpoint_completion_target=0.5; the server itself checks the value; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter, help_heading = "Engine")]
    pub set: Vec<(String, String)>,
}

fn parameter(text: &str) -> Result<(String, String), UnitError> {
    match text.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_ascii_lowercase(), value.to_owned()))
        }
        _ => Err(UnitError(format!("`{}` is no NAME=VALUE, such as full_page_writes=off", model::clip(text)))),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CommitWord {
    /// When the journal is on the device
    Durable,
    /// As early as the engine can
    Lazy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Through {
    /// Blocks of the data files, past every cache
    Blocks,
    /// Records, by the engine
    Engine,
    /// Blocks, by the engine's own block read (postgres: pg_prewarm)
    EngineBlocks,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbRun {
    #[command(flatten)]
    pub dir: DbDir,

    /// Processes: workers that run at the same time
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 1000>)]
    pub processes: u32,

    #[command(flatten)]
    pub run: DbRunArgs,

    #[command(flatten)]
    pub layout: LayoutArgs,
}

/// Two layouts compared.
#[derive(Debug, Clone, Args)]
pub struct LayoutArgs {
    /// model: the same run also with roles moved to other volumes, by turns, and whether that is worth it: data, journal, image,
    /// such as journal=/vol2,image=/vol3; data may be named several times. A copy of the database is made for it, and removed
    #[arg(long, value_name = "ROLE=DIR,...", value_parser = layout, help_heading = "Layout")]
    pub compare_layout: Option<Layout>,

    /// Runs of each layout, in turn: A B B A A B ...; with 4 a change of one figure of several proves nothing
    #[arg(long, value_name = "N", default_value = "5", requires = "compare_layout", help_heading = "Layout",
        value_parser = super::count_u32::<0, { u32::MAX as u64 }>)]
    pub rounds: u32,

    /// A change by less than this is none
    #[arg(long, default_value = "3%", value_name = "PERCENT", requires = "compare_layout", help_heading = "Layout")]
    pub within: super::Share,

    /// Keep the copy, in a directory inside the database's own, and name it
    #[arg(long, requires = "compare_layout", help_heading = "Layout")]
    pub keep_layout: bool,
}

impl LayoutArgs {
    /// No layout beside the one there is.
    fn none() -> LayoutArgs {
        LayoutArgs { compare_layout: None, rounds: 5, within: super::Share(0.03), keep_layout: false }
    }
}

/// Roles that are moved, each to where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Directories for data files, over which globals are spread; empty = they stay.
    pub data: Vec<PathBuf>,
    /// Directory for the journal.
    pub journal: Option<PathBuf>,
    /// Directory for the image journal.
    pub image: Option<PathBuf>,
}

impl Layout {
    /// Each role with a directory that it is moved to.
    pub fn moved(&self) -> impl Iterator<Item = (FileRole, &PathBuf)> {
        let of = |role| move |dir| (role, dir);
        let data = self.data.iter().map(of(FileRole::Data));
        data.chain(self.journal.iter().map(of(FileRole::Journal))).chain(self.image.iter().map(of(FileRole::Image)))
    }
}

impl std::fmt::Display for Layout {
    /// As it is asked for.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all: Vec<String> = self.moved().map(|(role, dir)| format!("{}={}", role.name(), dir.display())).collect();
        f.write_str(&all.join(","))
    }
}

fn layout(text: &str) -> Result<Layout, UnitError> {
    let mut found = Layout::default();
    for part in text.split(',') {
        let (role, dir) = part
            .split_once('=')
            .filter(|(_, dir)| !dir.is_empty())
            .ok_or_else(|| UnitError(format!("`{}` is no ROLE=DIR, such as journal=/vol2", model::clip(part))))?;
        let twice = |known: &Option<PathBuf>| match known {
            Some(_) => Err(UnitError(format!("`{role}` is named twice: it has one directory"))),
            None => Ok(Some(PathBuf::from(dir))),
        };
        match role.trim() {
            "data" => found.data.push(dir.into()),
            "journal" => found.journal = twice(&found.journal)?,
            "image" => found.image = twice(&found.image)?,
            other => {
                let roles = ["data", "journal", "image"];
                let near = model::nearest(other, roles).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                return Err(UnitError(format!("`{}` is no role: data, journal, image{near}", model::clip(other))));
            }
        }
    }
    Ok(found)
}

/// What every run of a verb can be told.
#[derive(Debug, Clone, Args)]
pub struct DbRunArgs {
    /// How long, in seconds or with a unit [default: 300 s; seqwrite, seqread: once through]
    #[arg(short, long, value_name = "TIME", value_parser = super::mark::seconds, allow_hyphen_values = true)]
    pub time: Option<Nanos>,

    /// End after so many operations of each process instead
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "time", value_parser = super::count::<1, { u64::MAX }>)]
    pub count: Option<u64>,

    /// ranread, ranio: size of a block that is read, such as 8k or 64k [default: the page]
    #[arg(long, value_name = "SIZE")]
    pub block: Option<Bytes>,

    /// What ranread and ranio read: blocks of the files past every cache, or records (ranread: also blocks) by the engine
    #[arg(long, value_enum, default_value_t = Through::Blocks, value_name = "WHAT")]
    pub through: Through,

    /// Operations of a batch; of updates a transaction. 0 = no transactions: every update by itself
    #[arg(long, value_name = "N", default_value = "50", value_parser = super::count_u32::<0, 100_000>)]
    pub txn: u32,

    /// Pause after each batch, in milliseconds or with a unit; never inside a latency [default: 2ms; seqwrite, seqread: 0]
    #[arg(long, value_name = "TIME", value_parser = millis, allow_hyphen_values = true)]
    pub pause: Option<Nanos>,

    /// The pause varies evenly by so many percent either way
    #[arg(long, alias = "hang-var", value_name = "PERCENT", default_value = "0", value_parser = percent)]
    pub pause_var: u8,

    /// Batches (transactions) a second of all processes together, begun when they are due and not when the one before has ended;
    /// latencies count from when they were due, and no pause is made; ranread past the engine: blocks a second [default: each
    /// process its next at once]
    #[arg(long, value_name = "N", value_parser = rate, conflicts_with_all = ["pause", "pause_var"])]
    pub rate: Option<Iops>,

    /// ranread, ranwrite, ranio: some subscripts are asked for more often: zipf:0.99, or hotspot:80:20 (80 % of what is drawn on the
    /// first 20 % of the subscripts); ranread past the engine: some blocks of each file [default: all alike]
    #[arg(long, value_name = "LAW", value_parser = skew)]
    pub skew: Option<Skew>,

    /// ranio: how many of a hundred batches read
    #[arg(long, value_name = "PERCENT", default_value = "50", value_parser = percent)]
    pub read_pct: u8,

    /// ranwrite: each set makes a node of a name of its own, as PerfTools V1's do (globals made with --node-depth)
    #[arg(long)]
    pub new_nodes: bool,

    /// seqread: in the engine's own order ($ORDER, a cursor) instead of by subscript
    #[arg(long)]
    pub order: bool,

    #[command(flatten)]
    pub values: ValueArg,

    /// New nodes in place of updates.
    #[arg(skip)]
    pub insert: Option<Inserts>,

    #[command(flatten)]
    pub common: DbCommon,
}

/// What every run can be told, whatever it does.
#[derive(Debug, Clone, Args)]
pub struct DbCommon {
    /// The load runs this long before anything is counted: caches fill, a throttle's first credit is used up
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = super::mark::seconds, conflicts_with = "count")]
    pub warm_up: Nanos,

    /// How batches of --rate come due
    #[arg(long, value_enum, default_value_t = RateProcess::Poisson, value_name = "LAW", requires = "rate")]
    pub rate_process: RateProcess,

    #[command(flatten)]
    pub engine: EngineArgs,

    /// A name under which runs at the same time belong together
    #[arg(long, value_name = "NAME", default_value = "")]
    pub group: String,

    /// Seed of what is drawn [default: from the system]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Give up when an operation has been in flight for so long
    #[arg(long, alias = "hang-limit", allow_hyphen_values = true, value_name = "TIME", default_value = "60s")]
    pub hang: Nanos,

    /// What is needed of the database, such as 'commit: p99<=10ms' or 'update: iops>=5000' (read, update, commit, transaction), a
    /// file of needs, or a contract; decides the exit code; may be repeated
    #[arg(long = "need", value_name = "NEED")]
    pub needs: Vec<Needs>,

    /// Cache of the storage controller: random reads need four times as much data
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub controller_cache: Option<Bytes>,

    /// Decide needs on reads even if the data fits into caches
    #[arg(long)]
    pub cached: bool,

    #[command(flatten)]
    pub bought: BoughtArgs,

    #[command(flatten)]
    pub trace: TraceArgs,

    #[command(flatten)]
    pub results: ResultArgs,

    /// Print everything: figures by worker and role, charts, doubts and findings with evidence, and where it was measured
    #[arg(long, conflicts_with = "json")]
    pub full: bool,

    /// Print the whole record as JSON
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

/// How batches come due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RateProcess {
    /// Each by itself, at exponentially distributed distances: as of many users
    Poisson,
    /// At even distances
    Fixed,
}

impl RateProcess {
    /// So many a second.
    pub const fn at(self, rate: Iops) -> Pacing {
        match self {
            RateProcess::Poisson => Pacing::Poisson(rate),
            RateProcess::Fixed => Pacing::Fixed(rate),
        }
    }
}

fn rate(text: &str) -> Result<Iops, UnitError> {
    let n = text.trim().parse::<f64>().ok().filter(|n| (0.001..=1e9).contains(n));
    n.map(Iops).ok_or_else(|| UnitError(format!("`{}` is no rate: 0.001 to 1e9 batches a second", model::clip(text))))
}

fn skew(text: &str) -> Result<Skew, UnitError> {
    let wrong = |why: &str| UnitError(format!("`{}`: {why}; such as zipf:0.99 or hotspot:80:20", model::clip(text)));
    let number = |text: &str| text.trim().trim_end_matches('%').parse::<f64>().ok().filter(|n| n.is_finite());
    let parts: Vec<&str> = text.split(':').collect();
    match parts.as_slice() {
        ["zipf", theta] => match number(theta).filter(|t| *t > 0.0 && *t <= 100.0) {
            Some(theta) => Ok(Skew::Zipf(theta)),
            None => Err(wrong("the exponent of zipf is above 0, at most 100")),
        },
        ["hotspot", drawn, subscripts] => {
            let share = |text: &str| number(text).filter(|n| *n > 0.0 && *n < 100.0);
            match (share(drawn), share(subscripts)) {
                (Some(drawn), Some(subscripts)) => Ok(Skew::Hotspot { drawn, subscripts }),
                _ => Err(wrong("both shares of hotspot are above 0 and below 100 percent")),
            }
        }
        _ => Err(wrong("no such law")),
    }
}

fn millis(text: &str) -> Result<Nanos, UnitError> {
    let bare = text.trim().ends_with(|c: char| c.is_ascii_digit());
    if bare { format!("{}ms", text.trim()).parse() } else { text.parse() }
}

fn percent(text: &str) -> Result<u8, UnitError> {
    let n = text.trim().trim_end_matches('%').parse::<u8>().ok().filter(|n| *n <= 100);
    n.ok_or_else(|| UnitError(format!("`{text}` is not 0 to 100 percent")))
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbTpcb {
    #[command(flatten)]
    pub dir: DbDir,

    /// Processes (pgbench's clients): workers with a connection each
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 500>)]
    pub processes: u32,

    /// Branches; each has 10 tellers and 100,000 accounts (about 16 MB). Tables of another scale are made anew
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 20_000>)]
    pub scale: u32,

    /// How long, in seconds or with a unit
    #[arg(short, long, value_name = "TIME", default_value = "300", value_parser = super::mark::seconds, allow_hyphen_values = true)]
    pub time: Nanos,

    /// End after so many transactions of each process instead
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "time", value_parser = super::count::<1, { u64::MAX / 4 }>)]
    pub count: Option<u64>,

    /// Transactions a second of all processes together, begun when they are due (pgbench's --rate); latencies count from then
    #[arg(long, value_name = "N", value_parser = rate)]
    pub rate: Option<Iops>,

    #[command(flatten)]
    pub common: DbCommon,
}

impl DbTpcb {
    /// As a run like those of other verbs; what it has no option for is as it must be.
    pub fn as_run(&self) -> DbRun {
        let own = self.clone();
        DbRun {
            dir: own.dir,
            processes: own.processes,
            layout: LayoutArgs::none(),
            run: DbRunArgs {
                time: own.count.is_none().then_some(own.time),
                // Of updates.
                count: own.count.map(|n| n * TPCB_UPDATES),
                txn: TPCB_UPDATES as u32,
                pause: Some(Nanos(0)),
                rate: own.rate,
                ..DbRunArgs::plain(own.common)
            },
        }
    }
}

impl DbRunArgs {
    /// Of a verb that has nothing but what all have: through the engine, for as long as is said.
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

/// What `insert` was asked beside what all runs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inserts {
    /// Where new keys lie; `None` = as the nodes of the database come.
    pub order: Option<InsertOrder>,
    /// It ends when the files of the database take so many bytes.
    pub grow_to: Option<Bytes>,
    /// Workers, each of which inserts into a global of its own.
    pub processes: u32,
}

/// Where the keys of new nodes lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InsertOrder {
    /// Each behind the last: numbers of a sequence, the last page of the tree is written again and again
    Sequential,
    /// Anywhere among those before: as UUIDs, any page of the tree may be read and split
    Random,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct DbInsert {
    #[command(flatten)]
    pub dir: DbDir,

    /// Processes: workers that insert at the same time, each into a global of its own
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 1000>)]
    pub processes: u32,

    /// Keys behind the last (a sequence) or anywhere (UUIDs) [default: sequential; named nodes: random]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub order: Option<InsertOrder>,

    /// End when the files of the database together take so many bytes of their file systems, such as 20g. What is never used of a file
    /// system (a twentieth, at least a gibibyte) stays free in any case
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub grow_to: Option<Bytes>,

    /// How long, in seconds or with a unit [default: 300 s; none with --grow-to]
    #[arg(short, long, value_name = "TIME", value_parser = super::mark::seconds, allow_hyphen_values = true)]
    pub time: Option<Nanos>,

    /// End after so many inserts of each process instead
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "time", value_parser = super::count::<1, 1_000_000_000_000>)]
    pub count: Option<u64>,

    /// Inserts of a transaction. 0 = no transactions: every insert by itself
    #[arg(long, value_name = "N", default_value = "50", value_parser = super::count_u32::<0, 100_000>)]
    pub txn: u32,

    /// Pause after each transaction, in milliseconds or with a unit; never inside a latency [default: none]
    #[arg(long, value_name = "TIME", value_parser = millis, allow_hyphen_values = true)]
    pub pause: Option<Nanos>,

    /// Transactions a second of all processes together, begun when they are due; latencies count from then, and no pause is made
    #[arg(long, value_name = "N", value_parser = rate, conflicts_with = "pause")]
    pub rate: Option<Iops>,

    #[command(flatten)]
    pub values: ValueArg,

    #[command(flatten)]
    pub common: DbCommon,
}

impl DbInsert {
    /// As a run like those of other verbs.
    pub fn as_run(&self) -> DbRun {
        let own = self.clone();
        DbRun {
            dir: own.dir,
            processes: own.processes,
            layout: LayoutArgs::none(),
            run: DbRunArgs {
                time: own.time,
                count: own.count,
                txn: own.txn,
                pause: own.pause,
                rate: own.rate,
                values: own.values,
                insert: Some(Inserts { order: own.order, grow_to: own.grow_to, processes: own.processes }),
                ..DbRunArgs::plain(own.common)
            },
        }
    }
}

/// Updates of a transaction of TPC-B: an account, a teller, a branch, and a row of history.
const TPCB_UPDATES: u64 = 4;

#[derive(Debug, Clone, Args)]
pub struct DbRamp {
    #[command(flatten)]
    pub dir: DbDir,

    /// What is done: ranread, ranwrite, ranio
    #[arg(long, value_enum, default_value_t = RampVerb::Ranread, value_name = "VERB")]
    pub verb: RampVerb,

    /// Processes at first
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::count_u32::<1, 1000>)]
    pub from: u32,

    /// Processes at most
    #[arg(long, value_name = "N", default_value = "64", value_parser = super::count_u32::<1, 1000>)]
    pub to: u32,

    /// Raise the rate of --rate up to this, by as many processes as --from says, instead of the processes
    #[arg(long, value_name = "N", value_parser = rate, requires = "rate", conflicts_with = "to")]
    pub to_rate: Option<Iops>,

    /// How they are raised: x2 doubles, +5 adds
    #[arg(long, value_name = "STEP", default_value = "x2", value_parser = super::ramp::Step::parse)]
    pub step: super::ramp::Step,

    /// When it ends: any of these, such as 'avg>10ms | gain<10%'; a need on what the database does (commit, transaction, update,
    /// read) ends it, too, with the level that does not meet it [default: 'avg>10ms | gain<10%', with such a need 'gain<10%']
    #[arg(long, value_name = "RULE", value_parser = super::ramp::Ends::parse)]
    pub stop: Option<super::ramp::Ends>,

    /// What a level must keep to be accepted, such as 'avg<=2ms, max<=5ms'
    #[arg(long, value_name = "CLAUSES")]
    pub accept: Option<String>,

    #[command(flatten)]
    pub run: DbRunArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RampVerb {
    /// See there
    Ranread,
    /// See there
    Ranwrite,
    /// See there
    Ranio,
}

#[derive(Debug, Clone, Args)]
pub struct DbStop {
    #[command(flatten)]
    pub dir: DbDir,

    /// Only this run: its id, or the beginning of it
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct DbHistory {
    #[command(flatten)]
    pub dir: DbDir,

    /// First take in what the scripts of `secchi db script` printed, from this file. DIR need be no database then: any name will
    /// do, under which the history is found again
    #[arg(long, value_name = "FILE")]
    pub import: Option<PathBuf>,

    /// Lay the runs that were given this --group on one time axis, second by second
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    pub group: Option<String>,

    /// Print all batches; without it the newest that fit a screen
    #[arg(long, conflicts_with_all = ["json", "group"])]
    pub full: bool,

    /// Print it as one JSON document
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

    /// How the answer is printed
    #[arg(long, value_enum, default_value_t = AnswerFormat::Table, value_name = "FORMAT")]
    pub format: AnswerFormat,

    #[command(flatten)]
    pub store: StoreArg,
}

/// How answers are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// Columns
    Table,
    /// Commas
    Csv,
    /// Objects
    Json,
}

impl AnswerFormat {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            AnswerFormat::Table => "table",
            AnswerFormat::Csv => "csv",
            AnswerFormat::Json => "json",
        }
    }
}

#[derive(Clone, Args)]
pub struct DbExport {
    #[command(flatten)]
    pub dir: DbDir,

    /// csv (PerfTools' columns and more), json, or perftools-v0 to perftools-v3: what that version of PerfTools writes
    #[arg(long, default_value = "csv", value_name = "FORMAT", value_parser = export_named)]
    pub format: &'static dyn Export,

    /// A new file; of PerfTools' formats also a directory, in which files are named as PerfTools names them
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace what stands at the output's name, whatever it is
    #[arg(long)]
    pub force: bool,

    /// Only runs of this test: ranread, ranwrite, ranio, seqread, seqwrite
    #[arg(long, value_name = "TEST", value_parser = ["ranread", "ranwrite", "ranio", "seqread", "seqwrite"])]
    pub test: Option<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

impl std::fmt::Debug for DbExport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DbExport { dir, format, output, force, test, store } = self;
        f.debug_tuple("DbExport")
            .field(dir)
            .field(&format.name())
            .field(output)
            .field(force)
            .field(test)
            .field(store)
            .finish()
    }
}

fn export_named(name: &str) -> Result<&'static dyn Export, String> {
    export(name).ok_or_else(|| {
        let known = || EXPORTS.iter().map(|e| e.name());
        let near = model::nearest(name, known()).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        format!("there are {}{near}", known().collect::<Vec<_>>().join(", "))
    })
}

#[derive(Debug, Clone, Args)]
pub struct DbReset {
    #[command(flatten)]
    pub dir: DbDir,

    #[command(flatten)]
    pub store: StoreArg,
}
