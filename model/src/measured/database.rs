//! Measurements of databases that are driven by their own engines (`secchi db`).

use crate::measured::{Below, CountedBy};
use crate::{Bytes, CompactSort, LatencyHistogram, Nanos, plan::NodeNames};
use serde::{Deserialize, Serialize};

/// Latencies of whole transactions, from before the first update to after the commit; measured from the due time if
/// they come due at a rate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transacted {
    /// Transactions that ended while the engine was not writing back.
    pub outside: LatencyHistogram,
    /// Transactions that ended while the engine was writing back, in a checkpoint or an epoch.
    pub inside: LatencyHistogram,
    /// Delay of each batch after its due time, including reads, if batches come due at a rate.
    #[serde(default, skip_serializing_if = "LatencyHistogram::is_empty")]
    pub lag: LatencyHistogram,
    /// Commits alone, of the transactions in `outside`.
    #[serde(default, skip_serializing_if = "LatencyHistogram::is_empty")]
    pub commits_outside: LatencyHistogram,
    /// Commits alone, of the transactions in `inside`.
    #[serde(default, skip_serializing_if = "LatencyHistogram::is_empty")]
    pub commits_inside: LatencyHistogram,
}

impl Transacted {
    /// Returns the latencies of all transactions.
    #[must_use]
    pub fn all(&self) -> LatencyHistogram {
        [&self.outside, &self.inside].into_iter().sum()
    }

    /// Adds the transactions of another worker or another period of time.
    pub fn merge(&mut self, other: &Transacted) {
        self.outside.merge(&other.outside);
        self.inside.merge(&other.inside);
        self.lag.merge(&other.lag);
        self.commits_outside.merge(&other.commits_outside);
        self.commits_inside.merge(&other.commits_inside);
    }
}

/// Role of a database file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FileRole {
    /// Data files (IRIS.DAT).
    Data,
    /// Journal, write-ahead log.
    Journal,
    /// Image journal: pages are written to it before they are written in place (IRIS's WIJ, InnoDB's doublewrite
    /// buffer).
    Image,
    /// Other files: temporary files, server logs.
    Temporary,
}

impl FileRole {
    /// Returns the name of the role.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Columns of mgstat of InterSystems IRIS, as in its header.
pub const MGSTAT_COLUMNS: [&str; 12] = [
    "Glorefs", "GRratio", "PhyRds", "Gloupds", "Rourefs", "PhyWrs", "WDQsz", "WDphase", "Jrnwrts", "WDpass", "IJUcnt",
    "IJULock",
];

/// Kind of task that waits for database files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiter {
    /// Sessions, for which users wait.
    Sessions,
    /// Background writers.
    Writers,
}

impl FileRole {
    /// Returns the name of the counter of milliseconds spent waiting for files of this role: the time in calls, and the
    /// time until another task's call completed. Not every engine has this counter.
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

/// A database at the time of a run, with the counters of its engine and its devices over the run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DatabaseUse {
    /// Host of this database in a run on many hosts. Empty in a run on one host, and for the total over all hosts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Databases of the hosts in a run on many hosts, rank 0 first, as far as known; all other fields are then totals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<DatabaseUse>,
    /// Name of the engine: `sqlite`, `gtm`, `postgres`.
    pub engine: String,
    /// Version of the engine.
    pub version: String,
    /// Directory of the database, as entered.
    pub directory: String,
    /// Name given when the database was set up.
    pub name: String,
    /// Identity of the database (UUID, hyphenated), for comparing runs on the same database.
    pub uuid: String,
    /// Page size.
    pub page: Bytes,
    /// Size of the engine's cache.
    pub cache: Bytes,
    /// Size of the data files.
    pub data: Bytes,
    /// Format of the node names; `None` means integer subscripts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<NodeNames>,
    /// True if updates are journaled.
    pub journal: bool,
    /// Commit mode, `durable` or `lazy`, in the engine's terms.
    pub commit: String,
    /// Parameters of the engine's write path, by the engine's names: those that were set, and others of interest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<(String, String)>,
    /// True if the engine bypasses the page cache for its files.
    pub direct: bool,
    /// Verb of the run: `ranread`, `ranwrite`, ...
    pub verb: String,
    /// Name shared by related runs on one time axis; empty for a single run.
    pub group: String,
    /// Counters of the engine over the run, under the engine's names.
    pub counters: Vec<(String, f64)>,
    /// The same counters under mgstat's names, if there is an equivalent. Exact, unlike sums of sampled rates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mgstat: Vec<(String, f64)>,
    /// I/O of the devices, by role of the files on them.
    pub roles: Vec<RoleUse>,
    /// I/O below the engine in the measured time, without the ramp-up before it and the time after it; the counters
    /// above cover the same time. `None` in imported runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Below>,
    /// I/O below the engine from the end of the measured time until the engine had written back deferred pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Below>,
    /// Phases of writing back within the measured time: checkpoints, epochs.
    pub phases: Vec<EnginePhase>,
    /// Samples of the updates that were not yet in the data files: time on the run's clock, pages.
    pub backlog: Vec<(Nanos, f64)>,
    /// Recovery and checks after the run, one sentence each.
    pub checks: Vec<String>,
    /// Number of secondary indexes of each global.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub indexes: u32,
    /// Growth of the database, if the run inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
}

/// Growth of a database in a run of inserts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Growth {
    /// Nodes of all globals before the run, as recorded.
    pub nodes_before: u64,
    /// Nodes found in the database after the run, including those of the warm-up and those completed after the measured
    /// time.
    pub nodes_after: u64,
    /// True if the keys of new nodes are scattered, false if they are in order.
    pub scattered: bool,
    /// Files by role, before the engine wrote anything and after the engine was stopped; empty if the files are not on
    /// this host.
    pub files: Vec<FilesGrowth>,
    /// Bytes allocated before the run to all files, of any role, in the directories of the database.
    pub allocated_before: Bytes,
    /// Bytes allocated to these files after the run.
    pub allocated_after: Bytes,
}

impl Growth {
    /// Returns the number of inserted nodes.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes_after.saturating_sub(self.nodes_before)
    }
}

/// The files of one role before and after a run of inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesGrowth {
    /// Role of the files.
    pub role: FileRole,
    /// Total length before the run.
    pub length_before: Bytes,
    /// Total length after the run.
    pub length_after: Bytes,
    /// Space allocated by the file system before the run.
    pub allocated_before: Bytes,
    /// Space allocated by the file system after the run.
    pub allocated_after: Bytes,
}

impl DatabaseUse {
    /// Merges the databases of several hosts that are driven at the same time into a total that contains each of them.
    /// A single database is returned as it is.
    #[must_use]
    pub fn of_hosts(databases: Vec<DatabaseUse>) -> DatabaseUse {
        let hosts = databases.as_slice();
        let [first, others @ ..] = hosts else { return DatabaseUse::default() };
        if others.is_empty() {
            return first.clone();
        }
        let mut total = DatabaseUse { host: String::new(), ..first.clone() };
        let each = |field: fn(&DatabaseUse) -> &String| {
            let mut values: Vec<&str> = Vec::new();
            for text in hosts.iter().map(field).map(String::as_str) {
                if !values.contains(&text) {
                    values.push(text);
                }
            }
            values.join(", ")
        };
        total.engine = each(|d| &d.engine);
        total.version = each(|d| &d.version);
        total.directory = common_directory(hosts).unwrap_or_else(|| each(|d| &d.directory));
        total.name = each(|d| &d.name);
        total.uuid = each(|d| &d.uuid);
        total.commit = each(|d| &d.commit);
        total.cache = hosts.iter().map(|d| d.cache).sum();
        total.data = hosts.iter().map(|d| d.data).sum();
        total.journal = hosts.iter().all(|d| d.journal);
        total.direct = hosts.iter().all(|d| d.direct);
        total.counters = summed(hosts, |d| &d.counters);
        total.mgstat = summed(hosts, |d| &d.mgstat);
        total.roles = roles_of(hosts);
        total.below = below_of(hosts, |d| d.below.as_ref());
        total.after = below_of(hosts, |d| d.after.as_ref());
        let phase =
            |d: &DatabaseUse, p: &EnginePhase| EnginePhase { name: format!("{} {}", d.host, p.name), ..p.clone() };
        total.phases = hosts.iter().flat_map(|d| d.phases.iter().map(move |p| phase(d, p))).collect();
        total.phases.compact_sort_by_key(|p| (p.start, p.end));
        total.backlog = backlog_of(hosts);
        total.growth = growth_of(hosts);
        total.checks = hosts.iter().flat_map(|d| d.checks.iter().map(move |c| format!("{}: {c}", d.host))).collect();
        total.hosts = databases;
        total
    }

    /// Returns the parameters as text: `full_page_writes=off, wal_sync_method=fdatasync`; empty without parameters.
    #[must_use]
    pub fn parameters_text(&self) -> String {
        self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
    }

    /// Iterates over the databases of the hosts; in a run on one host, only over this database.
    pub fn each(&self) -> impl Iterator<Item = &DatabaseUse> {
        let alone = self.hosts.is_empty().then_some(self);
        alone.into_iter().chain(&self.hosts)
    }
}

/// Returns the directory from the command line, if each host has a subdirectory in it.
fn common_directory(hosts: &[DatabaseUse]) -> Option<String> {
    let parent = |d: &DatabaseUse| {
        let (parent, folder) = d.directory.rsplit_once('/')?;
        let number = folder.strip_prefix("rank-")?;
        (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then(|| parent.to_owned())
    };
    let first = parent(hosts.first()?)?;
    hosts.iter().all(|d| parent(d).as_ref() == Some(&first)).then_some(first)
}

/// Sums counters by name; omits counters that any host lacks.
fn summed(hosts: &[DatabaseUse], counters: fn(&DatabaseUse) -> &Vec<(String, f64)>) -> Vec<(String, f64)> {
    let sum = |name: &str| -> Option<f64> {
        hosts.iter().map(|d| counters(d).iter().find(|(n, _)| n == name).map(|(_, value)| *value)).sum()
    };
    let names = hosts.first().into_iter().flat_map(counters);
    names.filter_map(|(name, _)| Some((name.clone(), sum(name)?))).collect()
}

/// Sums the roles of all hosts; a count that one host lacks is `None` in the sum.
fn roles_of(hosts: &[DatabaseUse]) -> Vec<RoleUse> {
    let names = hosts.first().into_iter().flat_map(|d| &d.roles).map(|r| r.role);
    let sum_role = |role: FileRole| -> Option<RoleUse> {
        let of_role = |d: &'_ DatabaseUse| d.roles.iter().find(|r| r.role == role).cloned();
        let each = hosts.iter().map(of_role).collect::<Option<Vec<RoleUse>>>()?;
        let sum = |count: fn(&RoleUse) -> Option<u64>| each.iter().map(count).sum::<Option<u64>>();
        Some(RoleUse {
            role,
            source: each.iter().map(|r| r.source.clone()).reduce(RoleSource::joined)?,
            reads: sum(|r| r.reads),
            read_bytes: sum(|r| r.read_bytes),
            writes: sum(|r| r.writes),
            write_bytes: sum(|r| r.write_bytes),
            flushes: sum(|r| r.flushes),
        })
    };
    names.filter_map(sum_role).collect()
}

/// Returns the I/O below all hosts, or `None` if one of them did not count it.
fn below_of(hosts: &[DatabaseUse], field: fn(&DatabaseUse) -> Option<&Below>) -> Option<Below> {
    let each = hosts.iter().map(|d| Some(field(d)?.on_host(&d.host))).collect::<Option<Vec<Below>>>()?;
    each.into_iter().reduce(Below::with_host)
}

/// Returns the growth on all hosts, or `None` if one of them did not record it.
fn growth_of(hosts: &[DatabaseUse]) -> Option<Growth> {
    let each = hosts.iter().map(|d| d.growth.as_ref()).collect::<Option<Vec<&Growth>>>()?;
    let mut total = Growth { scattered: each.first()?.scattered, ..Growth::default() };
    for growth in each {
        total.nodes_before += growth.nodes_before;
        total.nodes_after += growth.nodes_after;
        total.allocated_before += growth.allocated_before;
        total.allocated_after += growth.allocated_after;
        for files in &growth.files {
            match total.files.iter_mut().find(|f| f.role == files.role) {
                None => total.files.push(*files),
                Some(sum) => {
                    sum.length_before += files.length_before;
                    sum.length_after += files.length_after;
                    sum.allocated_before += files.allocated_before;
                    sum.allocated_after += files.allocated_after;
                }
            }
        }
    }
    Some(total)
}

/// Returns the total pages of all hosts at the time of each sample of any host, starting when every host has had a
/// sample. Each host contributes its latest sample.
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

/// I/O of the files of one role. The I/O is counted at the device if the role has separate devices, otherwise by the
/// engine; `None` if neither counts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoleUse {
    /// Role of the files.
    pub role: FileRole,
    /// Source of the counts.
    pub source: RoleSource,
    /// Read operations; `None` if not counted.
    pub reads: Option<u64>,
    /// Bytes read.
    pub read_bytes: Option<u64>,
    /// Write operations; `None` if not counted.
    pub writes: Option<u64>,
    /// Bytes written.
    pub write_bytes: Option<u64>,
    /// Flushes: cache flushes of the device, or fsync calls of the engine.
    pub flushes: Option<u64>,
}

/// Source of the counts of a role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum RoleSource {
    /// The devices of the role, which no other role uses.
    Devices {
        /// Source of the devices' counts.
        by: CountedBy,
        /// Names of the devices.
        devices: String,
    },
    /// The engine: its name for the counter.
    Engine(String),
}

impl RoleSource {
    /// Returns the source of the sum of counts from two sources.
    fn joined(self, other: RoleSource) -> RoleSource {
        let join = |a: String, b: String| if a.split(", ").any(|n| n == b) { a } else { format!("{a}, {b}") };
        match (self, other) {
            (RoleSource::Devices { by: a, devices }, RoleSource::Devices { by: b, devices: more }) => {
                // Counts of whole devices include the I/O of others, and so does the sum.
                let by = if a == b { a } else { CountedBy::Device };
                RoleSource::Devices { by, devices: join(devices, more) }
            }
            (a, b) => RoleSource::Engine(join(a.into_names(), b.into_names())),
        }
    }

    fn into_names(self) -> String {
        match self {
            RoleSource::Devices { devices: names, .. } | RoleSource::Engine(names) => names,
        }
    }
}

impl From<&str> for RoleSource {
    fn from(counter: &str) -> RoleSource {
        RoleSource::Engine(counter.to_owned())
    }
}

/// A period in which the engine wrote back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnginePhase {
    /// Name of the phase: `WAL checkpoint`, `epoch`, `checkpointer`.
    pub name: String,
    /// Start, on the run's clock.
    pub start: Nanos,
    /// End, on the run's clock.
    pub end: Nanos,
    /// Pages written, if known.
    pub pages: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::{DeviceBelow, IoCounts};

    #[test]
    fn counts_of_several_hosts_name_each_source_once() {
        let by = |by, names: &str| RoleSource::Devices { by, devices: names.to_owned() };
        let (group, device) = (by(CountedBy::Group, "a.vda"), by(CountedBy::Device, "b.vda"));
        let engine = RoleSource::from("pg_stat_io");
        assert_eq!(group.clone().joined(device.clone()), by(CountedBy::Device, "a.vda, b.vda"));
        assert_eq!(engine.clone().joined(engine.clone()), engine);
        for source in [group, device, engine] {
            let json = serde_json::to_string(&source).expect("JSON");
            assert_eq!(serde_json::from_str::<RoleSource>(&json).expect("it reads back"), source);
        }
    }

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
        let total = DatabaseUse::of_hosts(hosts.to_vec());
        assert_eq!(
            (total.directory.as_str(), total.engine.as_str(), total.data),
            ("/shared/db", "sqlite", Bytes(2000))
        );
        assert_eq!(total.counters, [("PhyWrs".to_owned(), 40.0)], "what one alone counts is no sum");
        let below = total.below.as_ref().expect("both counted");
        assert_eq!((below.names().as_str(), below.length), ("a/vda, b/vda", Nanos::from_secs(2)));
        assert_eq!(below.group().and_then(|g| g.writes), Some(40));
        let seconds: Vec<(u64, f64)> =
            total.backlog.iter().map(|(at, pages)| (at.as_nanos() / 1_000_000_000, *pages)).collect();
        assert_eq!(seconds, [(2, 20.0), (3, 30.0), (4, 40.0)], "from when both had looked");
        assert_eq!(total.each().map(|d| d.host.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(DatabaseUse::of_hosts(hosts[..1].to_vec()), hosts[0], "one alone is itself");
        assert_eq!(hosts[0].each().count(), 1);
    }

    #[test]
    fn what_one_host_does_not_count_is_counted_of_none() {
        let mut hosts = [host("a", 0, 10), host("b", 1, 30)];
        hosts[1].below = None;
        hosts[1].directory = "/elsewhere".to_owned();
        let total = DatabaseUse::of_hosts(hosts.to_vec());
        assert_eq!((total.below, total.directory.as_str()), (None, "/shared/db/rank-0, /elsewhere"));
    }
}
