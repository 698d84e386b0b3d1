//! Databases driven by their own engines (`secchi db`): what a session is asked, and what is known of the engine beside it.

use crate::CompactSort;
use crate::{Below, Bytes, LatencyHistogram, Nanos, Pacing};
use serde::{Deserialize, Serialize};

/// A thread drives a database session instead of a block engine: batches of operations on records of globals, each batch of
/// updates one transaction, with a pause after each (PerfTools' RanWrite and RanIO).
///
/// A *global* is InterSystems' word for one ordered, persistent array: a table, or a file of its own, elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRule {
    /// Operations of a batch.
    pub batch: u32,
    /// Updates of a batch are one transaction; otherwise each is made durable by itself.
    pub transaction: bool,
    /// Pause after each batch; in no latency.
    pub hang: Nanos,
    /// The pause is drawn evenly from `hang` less and more this percent, 0..=100.
    pub hang_variation: u8,
    /// Percent of batches that read: whole batches, as RanIO rolls them.
    pub read_percent: u8,
    /// Number of the global that this worker's updates go to, from 1, and its subscripts 1..=count.
    pub own: GlobalSize,
    /// Globals that reads are drawn from, evenly by subscript.
    pub read: Vec<GlobalSize>,
    /// Reads are of whole blocks, by the engine itself or of its files: then the counts of `read` are of blocks, and files are
    /// numbered as globals are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocks: bool,
    /// Which subscript comes next.
    pub order: KeyOrder,
    /// How values are made.
    pub value: ValueRule,
    /// Nodes have names in place of integer subscripts: the globals were made so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<NodeNames>,
    /// What most loads leave as it is.
    #[serde(default, skip_serializing_if = "SessionExtra::is_none")]
    pub extra: SessionExtra,
}

impl SessionRule {
    /// Whether it makes nodes in order, in transactions, and reads none: where none is there, that is what engines load in bulk.
    #[must_use]
    pub const fn may_be_load(&self) -> bool {
        matches!(self.order, KeyOrder::Sequential { .. }) && self.read_percent == 0 && self.transaction
    }
}

/// What few loads of a database ask for.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionExtra {
    /// Which subscripts are drawn more often than others, where they are drawn; `None` = all alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// When batches come due, whatever those before them took; `None` = each when the one before has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<BatchArrivals>,
    /// A batch is TPC-B's transaction on tables of this scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tpcb: Option<u32>,
    /// Secondary indexes of each global: whatever sets a node draws a new key of each.
    #[serde(default, skip_serializing_if = "no_indexes")]
    pub indexes: u32,
}

impl SessionExtra {
    /// Whether nothing of it is asked for.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == SessionExtra::default()
    }
}

/// Which subscripts are drawn more often than others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skew {
    /// By Zipf's law with this exponent, above 0; the hot subscripts are scattered over all by a permutation, which is the same
    /// for all workers.
    Zipf(f64),
    /// So many percent of what is drawn falls evenly on the first so many percent of the subscripts, the rest evenly on the
    /// others; each above 0 and below 100.
    Hotspot {
        /// Share of what is drawn, in percent.
        drawn: f64,
        /// Share of the subscripts, in percent.
        subscripts: f64,
    },
}

impl std::fmt::Display for Skew {
    /// As it is asked for: `zipf:0.99`, `hotspot:80:20`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Skew::Zipf(theta) => write!(f, "zipf:{theta}"),
            Skew::Hotspot { drawn, subscripts } => write!(f, "hotspot:{drawn}:{subscripts}"),
        }
    }
}

/// When the batches of a worker come due.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BatchArrivals {
    /// The law, and the batches of all workers of a host together.
    pub pacing: Pacing,
    /// The number of this worker, from 0.
    pub worker: u32,
    /// Workers that share the rate.
    pub workers: u32,
}

/// What the nodes of a global are called where that is not 1 to N: PerfTools V1's random strings, such as
/// `^RanWriteGlobal1("Xr6","drb7x","t8vqa")`. Node n of every global has the same name, and no two of a global have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeNames {
    /// Letters and digits of the name that V1 gives the global itself; here it is a subscript before the others, since a
    /// worker's global is its own. 0 = none.
    #[serde(default)]
    pub name: u8,
    /// Levels of subscripts below it, at least 1.
    pub depth: u8,
    /// Letters and digits of each of these, at least 1.
    pub length: u8,
}

/// What the first character of a subscript is one of: a letter, so that no name is a number.
pub const NAME_LETTERS: u64 = 52;
/// What each further one is one of.
pub const NAME_CHARACTERS: u64 = 62;

impl NodeNames {
    /// Characters of each subscript, in order.
    pub fn levels(&self) -> impl Iterator<Item = usize> {
        let first = (self.name > 0).then_some(usize::from(self.name));
        first.into_iter().chain(std::iter::repeat_n(usize::from(self.length), usize::from(self.depth)))
    }

    /// Characters of all subscripts together.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.levels().sum()
    }

    /// Whether a subscript of this form could read `Size`, under which a global has its size recorded.
    #[must_use]
    pub fn may_be_size(&self) -> bool {
        self.name == 0 && self.depth == 1 && self.length == 4
    }

    /// How many names there are; `u64::MAX` = at least so many.
    #[must_use]
    pub fn count(&self) -> u64 {
        let power = |base: u64, n: usize| (0..n).try_fold(1u64, |product, _| product.checked_mul(base));
        let of = |n: usize| NAME_LETTERS.checked_mul(power(NAME_CHARACTERS, n - 1)?);
        let all = self.levels().try_fold(1u64, |product, n| product.checked_mul(of(n)?));
        all.map_or(u64::MAX, |n| n - u64::from(self.may_be_size()))
    }
}

impl std::fmt::Display for NodeNames {
    /// `2 subscripts of 5 characters`, `a name of 3 and 2 subscripts of 5 characters`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.name > 0 {
            write!(f, "a name of {} and ", self.name)?;
        }
        let s = if self.depth == 1 { "" } else { "s" };
        let more = if self.length == 1 { "" } else { "s" };
        write!(f, "{} subscript{s} of {} character{more}", self.depth, self.length)
    }
}

/// A global and how many subscripts it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalSize {
    /// From 1.
    pub number: u32,
    /// Subscripts 1..=count, or as many names.
    pub count: u64,
    /// Beside these so many nodes whose subscripts are spread over the range above ([`scattered_subscript`]), as
    /// inserts in random order made them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scattered: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl GlobalSize {
    /// With subscripts 1..=count alone.
    #[must_use]
    pub const fn new(number: u32, count: u64) -> GlobalSize {
        GlobalSize { number, count, scattered: 0 }
    }

    /// All its nodes.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.count.saturating_add(self.scattered)
    }

    /// The subscript of one of its nodes, counted from 1: those in order come first.
    #[must_use]
    pub const fn subscript(&self, node: u64) -> u64 {
        if node <= self.count { node } else { scattered_subscript(node - self.count) }
    }
}

/// Subscripts from here on are those of nodes inserted in random order; no global has so many in order.
pub const SCATTERED_FROM: u64 = 1 << 41;
/// How many bits they spread over: with what is below they stay within the 18 digits of M's numbers.
const SCATTERED_BITS: u32 = 56;
const SCATTERED_MASK: u64 = (1 << SCATTERED_BITS) - 1;
/// Odd, and its inverse modulo 2^56.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15 & SCATTERED_MASK;
const GATHER: u64 = inverse(SCATTER);

/// Newton's way to the inverse modulo a power of two: each step doubles the bits that are right.
const fn inverse(odd: u64) -> u64 {
    let (mut x, mut round) = (odd, 0);
    while round < 6 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x & SCATTERED_MASK
}

/// The subscript of the node that is inserted as this one (from 1) in random order: a permutation, so that no two meet,
/// any process finds them again, and each falls anywhere among those before.
#[must_use]
pub const fn scattered_subscript(node: u64) -> u64 {
    let half = SCATTERED_BITS / 2;
    let x = node.wrapping_mul(SCATTER) & SCATTERED_MASK;
    let x = (x ^ (x >> half)).wrapping_mul(SCATTER) & SCATTERED_MASK;
    SCATTERED_FROM + (x ^ (x >> half))
}

/// The other way round: which insert made the node of this subscript; `None` of a subscript in order.
#[must_use]
pub const fn scattered_node(subscript: u64) -> Option<u64> {
    if subscript < SCATTERED_FROM {
        return None;
    }
    let half = SCATTERED_BITS / 2;
    let x = (subscript - SCATTERED_FROM) & SCATTERED_MASK;
    let x = (x ^ (x >> half)).wrapping_mul(GATHER) & SCATTERED_MASK;
    Some((x ^ (x >> half)).wrapping_mul(GATHER) & SCATTERED_MASK)
}

/// Which subscript comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyOrder {
    /// Evenly drawn from 1..=count.
    Random,
    /// From this one upwards; after the last begins at 1 again.
    Sequential {
        /// The first.
        from: u64,
    },
    /// The next in the engine's own order (`$ORDER`, a cursor); from 1 upwards, then again.
    Scan,
    /// Evenly drawn from the names beyond 1..=count: a node that was most likely not there (updates of named nodes only).
    New,
    /// The next node that is not there: behind the last in order, or at a subscript spread over the range above.
    Insert {
        /// Spread.
        scattered: bool,
    },
}

impl KeyOrder {
    /// Whether each comes by chance, wherever in the tree it lies.
    #[must_use]
    pub const fn is_drawn(self) -> bool {
        matches!(self, KeyOrder::Random | KeyOrder::New | KeyOrder::Insert { scattered: true })
    }
}

/// How values are made. Every value holds the number of its operation: engines skip a write of what stands there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueRule {
    /// PerfTools' text, about 45 bytes: `Updated by job 3 at 04:05:06 PM, 1234567`.
    Text,
    /// Lengths evenly drawn, both ends included; equal ends make every value as long.
    Length {
        /// Shortest, in bytes.
        from: u32,
        /// Longest, in bytes.
        to: u32,
    },
}

impl ValueRule {
    /// Shortest value.
    #[must_use]
    pub const fn shortest(&self) -> u32 {
        match self {
            ValueRule::Text => 45,
            ValueRule::Length { from, .. } => *from,
        }
    }

    /// Longest value.
    #[must_use]
    pub const fn longest(&self) -> u32 {
        match self {
            ValueRule::Text => 80,
            ValueRule::Length { to, .. } => *to,
        }
    }
}

/// Whole transactions: from before the first update to after the commit; of those that come due at a rate from when they were due.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Transacted {
    /// Those that ended while the engine wrote nothing back behind them.
    pub outside: LatencyHistogram,
    /// Those that ended while it did: in a checkpoint, an epoch.
    pub inside: LatencyHistogram,
    /// Of batches that come due at a rate, reads included: how much later than due each began.
    #[serde(default, skip_serializing_if = "nothing")]
    pub lag: LatencyHistogram,
    /// Commits alone, of those outside.
    #[serde(default, skip_serializing_if = "nothing")]
    pub commits_outside: LatencyHistogram,
    /// Commits alone, of those inside.
    #[serde(default, skip_serializing_if = "nothing")]
    pub commits_inside: LatencyHistogram,
}

fn nothing(of: &LatencyHistogram) -> bool {
    of.count() == 0
}

impl Transacted {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> LatencyHistogram {
        let mut all = self.outside.clone();
        all.merge(&self.inside);
        all
    }

    /// Adds those of another worker or another stretch of time.
    pub fn merge(&mut self, other: &Transacted) {
        self.outside.merge(&other.outside);
        self.inside.merge(&other.inside);
        self.lag.merge(&other.lag);
        self.commits_outside.merge(&other.commits_outside);
        self.commits_inside.merge(&other.commits_inside);
    }
}

/// What a file of a database is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// Data (IRIS.DAT).
    Data,
    /// Journal, write-ahead log.
    Journal,
    /// Image journal: pages that are written there before they are written to their places (IRIS's WIJ, InnoDB's doublewrite).
    Image,
    /// Whatever else: temporary files, server logs.
    Temporary,
}

impl FileRole {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FileRole::Data => "data",
            FileRole::Journal => "journal",
            FileRole::Image => "image",
            FileRole::Temporary => "temporary",
        }
    }
}

/// Columns of mgstat of InterSystems IRIS, as its header has them.
pub const MGSTAT_COLUMNS: [&str; 12] = [
    "Glorefs", "GRratio", "PhyRds", "Gloupds", "Rourefs", "PhyWrs", "WDQsz", "WDphase", "Jrnwrts", "WDpass", "IJUcnt",
    "IJULock",
];

/// Who waits for files of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiter {
    /// Sessions, which users wait for.
    Sessions,
    /// What writes back behind them.
    Writers,
}

impl FileRole {
    /// Name of the counter of the milliseconds that somebody waited for its files, where an engine has one: time in calls, and
    /// time until another's call was done.
    #[must_use]
    pub const fn wait_counter(self, waiter: Waiter) -> &'static str {
        match (self, waiter) {
            (FileRole::Data, Waiter::Sessions) => "ms_sessions_waited_for_data",
            (FileRole::Journal, Waiter::Sessions) => "ms_sessions_waited_for_journal",
            (FileRole::Image, Waiter::Sessions) => "ms_sessions_waited_for_image",
            (FileRole::Temporary, Waiter::Sessions) => "ms_sessions_waited_for_temporary",
            (FileRole::Data, Waiter::Writers) => "ms_writers_waited_for_data",
            (FileRole::Journal, Waiter::Writers) => "ms_writers_waited_for_journal",
            (FileRole::Image, Waiter::Writers) => "ms_writers_waited_for_image",
            (FileRole::Temporary, Waiter::Writers) => "ms_writers_waited_for_temporary",
        }
    }
}

/// A database at the time of a run, and what its engine and its devices counted over the run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DatabaseUse {
    /// Of a run on many hosts: whose this is. Empty in a run of one host, and of what is of all of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Of a run on many hosts: the database of each, rank 0's first, as far as they are known; everything else here is of all of them then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<DatabaseUse>,
    /// Engine by name: `sqlite`, `gtm`, `postgres`.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Directory of the database, as typed.
    pub directory: String,
    /// Name given at setup.
    pub name: String,
    /// Identity of the database (UUID, hyphenated): runs on the same one can be laid side by side.
    pub uuid: String,
    /// Size of a page.
    pub page: Bytes,
    /// What the engine may keep in memory.
    pub cache: Bytes,
    /// Bytes of data files.
    pub data: Bytes,
    /// What its nodes are called; `None` = integer subscripts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<NodeNames>,
    /// Whether updates are journaled.
    pub journal: bool,
    /// When a commit returns: `durable` or `lazy`, in the engine's own words.
    pub commit: String,
    /// Parameters of the engine's write path, by its names for them: those that were set, and those worth telling.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<(String, String)>,
    /// Whether the engine's own files are opened past the page cache.
    pub direct: bool,
    /// What the run asked, by verb: `ranread`, `ranwrite`, ...
    pub verb: String,
    /// Runs that belong together on one time axis carry the same name; empty = alone.
    pub group: String,
    /// Counters of the engine over the run, under its own names.
    pub counters: Vec<(String, f64)>,
    /// The same under mgstat's names, where there is a counterpart. Exact, unlike what rates of samples add up to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mgstat: Vec<(String, f64)>,
    /// What the devices did, by role of the files on them.
    pub roles: Vec<RoleUse>,
    /// What was read and written below the engine in the measured time, ramp-up and what came after the end left out; so are
    /// the counters above. `None` in runs of older versions, whose counts are of the whole run and the whole device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Below>,
    /// The same from the end of the measured time until the engine had written back what it had put off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Below>,
    /// When the engine wrote back behind the sessions within the measured time: checkpoints, epochs, each once.
    pub phases: Vec<EnginePhase>,
    /// Updates made but not yet in the data files, sampled: time on the run's clock, pages.
    pub backlog: Vec<(Nanos, f64)>,
    /// What was recovered or checked afterwards: one sentence each.
    pub checks: Vec<String>,
    /// Secondary indexes of each global.
    #[serde(default, skip_serializing_if = "no_indexes")]
    pub indexes: u32,
    /// Of a run that inserts: by how much the database grew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
}

fn no_indexes(n: &u32) -> bool {
    *n == 0
}

/// By how much a run of inserts made a database grow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Growth {
    /// Nodes of all globals before, as recorded.
    pub nodes_before: u64,
    /// The same afterwards, as found in the database: warm-up and what ended behind the measured time included.
    pub nodes_after: u64,
    /// Where the keys of new nodes lie.
    pub scattered: bool,
    /// Files by role, before the engine wrote anything and after it was stopped; empty where they are not here.
    pub files: Vec<FilesGrowth>,
    /// Every file in the directories of the database, whatever it is for: bytes allocated before.
    pub allocated_before: Bytes,
    /// And afterwards.
    pub allocated_after: Bytes,
}

impl Growth {
    /// Nodes that were inserted.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes_after.saturating_sub(self.nodes_before)
    }
}

/// The files of one role before and after a run of inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesGrowth {
    /// What they are for.
    pub role: FileRole,
    /// Their lengths added up, before.
    pub length_before: Bytes,
    /// And afterwards.
    pub length_after: Bytes,
    /// What the file system has allocated for them, before.
    pub allocated_before: Bytes,
    /// And afterwards.
    pub allocated_after: Bytes,
}

impl DatabaseUse {
    /// The databases of several hosts that are driven at the same time, as one, with each beside. One alone is itself.
    #[must_use]
    pub fn of_hosts(own: Vec<DatabaseUse>) -> DatabaseUse {
        let hosts = own.as_slice();
        let [first, others @ ..] = hosts else { return DatabaseUse::default() };
        if others.is_empty() {
            return first.clone();
        }
        let mut all = DatabaseUse { host: String::new(), ..first.clone() };
        let each = |of: fn(&DatabaseUse) -> &String| {
            let mut told: Vec<&str> = Vec::new();
            for text in hosts.iter().map(of).map(String::as_str) {
                if !told.contains(&text) {
                    told.push(text);
                }
            }
            told.join(", ")
        };
        all.engine = each(|d| &d.engine);
        all.version = each(|d| &d.version);
        all.directory = common_directory(hosts).unwrap_or_else(|| each(|d| &d.directory));
        all.name = each(|d| &d.name);
        all.uuid = each(|d| &d.uuid);
        all.commit = each(|d| &d.commit);
        all.cache = hosts.iter().map(|d| d.cache).sum();
        all.data = hosts.iter().map(|d| d.data).sum();
        all.journal = hosts.iter().all(|d| d.journal);
        all.direct = hosts.iter().all(|d| d.direct);
        all.counters = summed(hosts, |d| &d.counters);
        all.mgstat = summed(hosts, |d| &d.mgstat);
        all.roles = roles_of(hosts);
        all.below = below_of(hosts, |d| d.below.as_ref());
        all.after = below_of(hosts, |d| d.after.as_ref());
        let phase =
            |d: &DatabaseUse, p: &EnginePhase| EnginePhase { name: format!("{} {}", d.host, p.name), ..p.clone() };
        all.phases = hosts.iter().flat_map(|d| d.phases.iter().map(move |p| phase(d, p))).collect();
        all.phases.compact_sort_by_key(|p| (p.start, p.end));
        all.backlog = backlog_of(hosts);
        all.growth = growth_of(hosts);
        all.checks = hosts.iter().flat_map(|d| d.checks.iter().map(move |c| format!("{}: {c}", d.host))).collect();
        all.hosts = own;
        all
    }

    /// Its parameters as text: `full_page_writes=off, wal_sync_method=fdatasync`; empty where none are told.
    #[must_use]
    pub fn parameters_text(&self) -> String {
        self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
    }

    /// The database of each host; of a run of one the only one.
    pub fn each(&self) -> impl Iterator<Item = &DatabaseUse> {
        let alone = self.hosts.is_empty().then_some(self);
        alone.into_iter().chain(&self.hosts)
    }
}

/// What was given on the command line, where each host has a folder of its own in it.
fn common_directory(hosts: &[DatabaseUse]) -> Option<String> {
    let parent = |d: &DatabaseUse| {
        let (parent, folder) = d.directory.rsplit_once('/')?;
        let number = folder.strip_prefix("rank-")?;
        (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then(|| parent.to_owned())
    };
    let first = parent(hosts.first()?)?;
    hosts.iter().all(|d| parent(d).as_ref() == Some(&first)).then_some(first)
}

/// Counts by name, added up; those that not all of them tell are left out.
fn summed(hosts: &[DatabaseUse], of: fn(&DatabaseUse) -> &Vec<(String, f64)>) -> Vec<(String, f64)> {
    let sum = |name: &str| -> Option<f64> {
        hosts.iter().map(|d| of(d).iter().find(|(n, _)| n == name).map(|(_, value)| *value)).sum()
    };
    let names = hosts.first().into_iter().flat_map(of);
    names.filter_map(|(name, _)| Some((name.clone(), sum(name)?))).collect()
}

/// Roles of all hosts, added up by role; what one does not count, the sum does not.
fn roles_of(hosts: &[DatabaseUse]) -> Vec<RoleUse> {
    let names = hosts.first().into_iter().flat_map(|d| &d.roles).map(|r| r.role);
    let of = |role: FileRole| -> Option<RoleUse> {
        let of_role = |d: &'_ DatabaseUse| d.roles.iter().find(|r| r.role == role).cloned();
        let each = hosts.iter().map(of_role).collect::<Option<Vec<RoleUse>>>()?;
        let sum = |of: fn(&RoleUse) -> Option<u64>| each.iter().map(of).sum::<Option<u64>>();
        let mut sources: Vec<&str> = each.iter().map(|r| r.source.as_str()).collect();
        sources.dedup();
        Some(RoleUse {
            role,
            source: sources.join(", "),
            reads: sum(|r| r.reads),
            read_bytes: sum(|r| r.read_bytes),
            writes: sum(|r| r.writes),
            write_bytes: sum(|r| r.write_bytes),
            flushes: sum(|r| r.flushes),
        })
    };
    names.filter_map(of).collect()
}

/// What was counted below all hosts; `None` where one of them did not count.
fn below_of(hosts: &[DatabaseUse], of: fn(&DatabaseUse) -> Option<&Below>) -> Option<Below> {
    let each = hosts.iter().map(|d| Some(of(d)?.on_host(&d.host))).collect::<Option<Vec<Below>>>()?;
    let mut each = each.into_iter();
    let mut all = each.next()?;
    each.for_each(|below| all.add_host(&below));
    Some(all)
}

/// The growth of all hosts; `None` where one of them does not tell.
fn growth_of(hosts: &[DatabaseUse]) -> Option<Growth> {
    let each = hosts.iter().map(|d| d.growth.as_ref()).collect::<Option<Vec<&Growth>>>()?;
    let mut all = Growth { scattered: each.first()?.scattered, ..Growth::default() };
    for own in each {
        all.nodes_before += own.nodes_before;
        all.nodes_after += own.nodes_after;
        all.allocated_before = Bytes(all.allocated_before.as_u64() + own.allocated_before.as_u64());
        all.allocated_after = Bytes(all.allocated_after.as_u64() + own.allocated_after.as_u64());
        for files in &own.files {
            match all.files.iter_mut().find(|f| f.role == files.role) {
                None => all.files.push(*files),
                Some(sum) => {
                    let add = |a: &mut Bytes, b: Bytes| *a = Bytes(a.as_u64() + b.as_u64());
                    add(&mut sum.length_before, files.length_before);
                    add(&mut sum.length_after, files.length_after);
                    add(&mut sum.allocated_before, files.allocated_before);
                    add(&mut sum.allocated_after, files.allocated_after);
                }
            }
        }
    }
    Some(all)
}

/// The pages of all hosts, at each look of one of them, from when all had looked: what the others saw last stands for them.
fn backlog_of(hosts: &[DatabaseUse]) -> Vec<(Nanos, f64)> {
    let mut looks: Vec<(Nanos, usize, f64)> = Vec::new();
    for (host, used) in hosts.iter().enumerate() {
        looks.extend(used.backlog.iter().map(|(at, pages)| (*at, host, *pages)));
    }
    looks.compact_sort_by_key(|(at, host, _)| (*at, *host));
    let mut last: Vec<Option<f64>> = vec![None; hosts.len()];
    let sum = |(at, host, pages): (Nanos, usize, f64)| {
        last[host] = Some(pages);
        Some((at, last.iter().copied().sum::<Option<f64>>()?))
    };
    looks.into_iter().filter_map(sum).collect()
}

/// What was written to and read from the files of one role. Counted at the device where a role has devices of its own,
/// otherwise by the engine; `None` where neither tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoleUse {
    /// Of which files.
    pub role: FileRole,
    /// Who counted: `device vda`, `control group, vda`, or the engine's counter.
    pub source: String,
    /// Read operations; `None` = not counted.
    pub reads: Option<u64>,
    /// Bytes read.
    pub read_bytes: Option<u64>,
    /// Write operations; `None` = not counted.
    pub writes: Option<u64>,
    /// Bytes written.
    pub write_bytes: Option<u64>,
    /// Flushes: cache flushes of the device, or fsync calls of the engine.
    pub flushes: Option<u64>,
}

/// A stretch in which the engine wrote back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnginePhase {
    /// What: `WAL checkpoint`, `epoch`, `checkpointer`.
    pub name: String,
    /// On the run's clock.
    pub start: Nanos,
    /// On the run's clock.
    pub end: Nanos,
    /// Pages it wrote, where known.
    pub pages: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceBelow, IoCounts};

    fn host(name: &str, rank: u32, writes: u64) -> DatabaseUse {
        let counts = IoCounts { writes: Some(writes), write_bytes: writes * 4096, ..IoCounts::default() };
        DatabaseUse {
            host: name.to_owned(),
            engine: "sqlite".to_owned(),
            directory: format!("/shared/db/rank-{rank}"),
            data: Bytes(1000),
            journal: true,
            counters: vec![("PhyWrs".to_owned(), writes as f64), (format!("only-{name}"), 1.0)],
            below: Some(Below {
                length: Nanos::from_secs(2),
                devices: vec![DeviceBelow {
                    name: "vda".to_owned(),
                    group: Some(counts),
                    device: counts,
                    commits: None,
                }],
                ..Below::default()
            }),
            backlog: vec![(Nanos::from_secs(u64::from(rank) + 1), 10.0), (Nanos::from_secs(u64::from(rank) + 3), 20.0)],
            ..DatabaseUse::default()
        }
    }

    #[test]
    fn databases_of_several_hosts_are_one_with_each_beside() {
        let hosts = [host("a", 0, 10), host("b", 1, 30)];
        let all = DatabaseUse::of_hosts(hosts.to_vec());
        assert_eq!((all.directory.as_str(), all.engine.as_str(), all.data), ("/shared/db", "sqlite", Bytes(2000)));
        assert_eq!(all.counters, [("PhyWrs".to_owned(), 40.0)], "what one alone counts is no sum");
        let below = all.below.as_ref().expect("both counted");
        assert_eq!((below.names().as_str(), below.length), ("a/vda, b/vda", Nanos::from_secs(2)));
        assert_eq!(below.group().and_then(|g| g.writes), Some(40));
        let seconds: Vec<(u64, f64)> =
            all.backlog.iter().map(|(at, pages)| (at.as_nanos() / 1_000_000_000, *pages)).collect();
        assert_eq!(seconds, [(2, 20.0), (3, 30.0), (4, 40.0)], "from when both had looked");
        assert_eq!(all.each().map(|d| d.host.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(DatabaseUse::of_hosts(hosts[..1].to_vec()), hosts[0], "one alone is itself");
        assert_eq!(hosts[0].each().count(), 1);
    }

    #[test]
    fn scattered_subscripts_are_found_again_and_lie_anywhere_in_their_range() {
        let mut seen = std::collections::BTreeSet::new();
        let mut last = 0;
        let mut rises = 0;
        for node in 1..=20_000u64 {
            let subscript = scattered_subscript(node);
            assert_eq!(scattered_node(subscript), Some(node));
            assert!((SCATTERED_FROM..1_000_000_000_000_000_000).contains(&subscript) && seen.insert(subscript));
            rises += u32::from(subscript > last);
            last = subscript;
        }
        assert!((8_000..12_000).contains(&rises), "{rises} of 20000 lie behind the one before");
        let middle = SCATTERED_FROM + (SCATTERED_MASK >> 1);
        assert!((9_500..10_500).contains(&seen.range(middle..).count()));
        assert_eq!((scattered_node(1 << 40), scattered_node(SCATTERED_FROM - 1)), (None, None));
        let size = GlobalSize { scattered: 3, ..GlobalSize::new(1, 5) };
        assert_eq!((size.total(), size.subscript(5), size.subscript(6)), (8, 5, scattered_subscript(1)));
    }

    #[test]
    fn what_one_host_does_not_count_is_counted_of_none() {
        let mut hosts = [host("a", 0, 10), host("b", 1, 30)];
        hosts[1].below = None;
        hosts[1].directory = "/elsewhere".to_owned();
        let all = DatabaseUse::of_hosts(hosts.to_vec());
        assert_eq!((all.below, all.directory.as_str()), (None, "/shared/db/rank-0, /elsewhere"));
    }
}
