//! What a trace of the block layer saw: requests by their exact sizes and times, per device and per role of the files
//! they belong to, beside what the kernel itself counted over the same time.
//!
//! A trace is told in stretches, each about a second, which [`BlockTrace::merge`] puts together; so a killed run keeps
//! what it saw. Everything is counted at completion: a request that never came back is in `in_flight` only.

use crate::CompactSort;
use crate::{Bytes, DiskUse, LatencyHistogram, Layer, Nanos, Sample};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What requests of no known file are counted under.
pub const UNMAPPED: &str = "unmapped";

/// Lower bounds of the buckets sizes are shown in: powers of two, the last one open.
pub const SIZE_BUCKETS: [Bytes; 14] = {
    let mut bounds = [Bytes(0); 14];
    let mut i = 0;
    while i < bounds.len() {
        bounds[i] = Bytes(512 << i);
        i += 1;
    }
    bounds
};

/// Sizes from here on are not told apart.
const OPEN: u64 = 4 << 20;

/// Sizes of requests: every size below 4 MiB by itself, as write daemons do not keep to powers of two (252 KiB, 508 KiB).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestSizes {
    /// Size in bytes, and how many had it. Device requests are whole sectors, so there are at most 8192.
    exact: BTreeMap<u64, u64>,
    /// Requests of 4 MiB and more.
    large: u64,
    /// Bytes of those.
    large_bytes: u64,
}

impl RequestSizes {
    /// Counts `n` requests of `size` bytes.
    pub fn add(&mut self, size: Bytes, n: u64) {
        if size.as_u64() < OPEN {
            *self.exact.entry(size.as_u64()).or_default() += n;
        } else {
            self.large += n;
            self.large_bytes = self.large_bytes.saturating_add(size.as_u64().saturating_mul(n));
        }
    }

    /// Sizes below 4 MiB in rising order, with their counts.
    pub(crate) fn exact(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.exact.iter().map(|(size, n)| (*size, *n))
    }

    /// How many were of 4 MiB and more, and their bytes.
    pub(crate) fn large(&self) -> (u64, Bytes) {
        (self.large, Bytes(self.large_bytes))
    }

    /// The sizes that those two told.
    pub(crate) fn from_parts(exact: Vec<(u64, u64)>, (large, bytes): (u64, Bytes)) -> RequestSizes {
        RequestSizes { exact: exact.into_iter().collect(), large, large_bytes: bytes.as_u64() }
    }

    /// Adds those of `other`.
    pub fn merge(&mut self, other: &RequestSizes) {
        for (size, n) in &other.exact {
            *self.exact.entry(*size).or_default() += n;
        }
        self.large += other.large;
        self.large_bytes = self.large_bytes.saturating_add(other.large_bytes);
    }

    /// Requests counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.exact.values().sum::<u64>() + self.large
    }

    /// Bytes of all of them, exactly.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.exact.iter().map(|(size, n)| size * n).sum::<u64>().saturating_add(self.large_bytes))
    }

    /// Mean size, where there are requests.
    #[must_use]
    pub fn mean(&self) -> Option<Bytes> {
        self.bytes().as_u64().checked_div(self.count()).map(Bytes)
    }

    /// Count and bytes of each bucket of [`SIZE_BUCKETS`]; they sum to all.
    #[must_use]
    pub fn buckets(&self) -> [(u64, Bytes); SIZE_BUCKETS.len()] {
        let mut buckets = [(0, Bytes(0)); SIZE_BUCKETS.len()];
        for (size, n) in &self.exact {
            let bucket = &mut buckets[SIZE_BUCKETS.iter().rposition(|b| b.as_u64() <= *size).unwrap_or(0)];
            bucket.0 += n;
            bucket.1.0 += size * n;
        }
        let last = &mut buckets[SIZE_BUCKETS.len() - 1];
        *last = (last.0 + self.large, Bytes(last.1.as_u64().saturating_add(self.large_bytes)));
        buckets
    }

    /// Requests of this size or less; of 4 MiB and more none are told apart.
    #[must_use]
    pub fn at_most(&self, size: Bytes) -> u64 {
        self.exact.range(..=size.as_u64()).map(|(_, n)| n).sum()
    }

    /// Sizes below 4 MiB by how often they came, the commonest first.
    #[must_use]
    pub fn commonest(&self) -> Vec<(Bytes, u64)> {
        let mut all: Vec<(Bytes, u64)> = self.exact.iter().map(|(size, n)| (Bytes(*size), *n)).collect();
        all.compact_sort_by_key(|(size, n)| (std::cmp::Reverse(*n), *size));
        all
    }
}

/// Requests of one kind: reads, writes, discards, flushes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TracedOps {
    /// Completed without error.
    pub ops: u64,
    /// Sizes of those that have one: all but flushes.
    #[serde(skip_serializing_if = "no_sizes")]
    pub sizes: RequestSizes,
    /// From being handed to the device to its answer: the device's own time.
    #[serde(skip_serializing_if = "no_latency")]
    pub service: LatencyHistogram,
    /// From being queued to being handed to the device; only of those that an I/O scheduler held.
    #[serde(skip_serializing_if = "no_latency")]
    pub queued: LatencyHistogram,
    /// Began where one of the last few requests of their device ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub sequential: u64,
    /// Marked by the file system as its own metadata.
    #[serde(skip_serializing_if = "is_zero")]
    pub metadata: u64,
    /// Forced to the medium (`FUA`): on it when they were answered.
    #[serde(skip_serializing_if = "is_zero")]
    pub forced: u64,
    /// Asked for a flush of the device's cache before them.
    #[serde(skip_serializing_if = "is_zero")]
    pub flushed_before: u64,
    /// Went on into the extents of another role; counted where they began.
    #[serde(skip_serializing_if = "is_zero")]
    pub across: u64,
    /// Answered with an error; in none of the above.
    #[serde(skip_serializing_if = "is_zero")]
    pub errors: u64,
}

fn no_sizes(sizes: &RequestSizes) -> bool {
    sizes.count() == 0
}

fn no_latency(latency: &LatencyHistogram) -> bool {
    latency.count() == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl TracedOps {
    /// Adds those of `other`.
    pub fn merge(&mut self, other: &TracedOps) {
        self.ops += other.ops;
        self.sizes.merge(&other.sizes);
        self.service.merge(&other.service);
        self.queued.merge(&other.queued);
        self.sequential += other.sequential;
        self.metadata += other.metadata;
        self.forced += other.forced;
        self.flushed_before += other.flushed_before;
        self.across += other.across;
        self.errors += other.errors;
    }

    fn is_empty(&self) -> bool {
        self.ops == 0 && self.errors == 0
    }
}

/// Kinds of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// Read operations.
    Read,
    /// Writes, those forced to the medium too.
    Write,
    /// Discards and secure erases.
    Discard,
    /// Flushes of the device's cache.
    Flush,
    /// Others: writes of zeros without data, commands passed through, zone management.
    Other,
}

impl RequestKind {
    /// All, in the order shown.
    pub const ALL: [RequestKind; 5] =
        [RequestKind::Read, RequestKind::Write, RequestKind::Discard, RequestKind::Flush, RequestKind::Other];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RequestKind::Read => "read",
            RequestKind::Write => "write",
            RequestKind::Discard => "discard",
            RequestKind::Flush => "flush",
            RequestKind::Other => "other",
        }
    }
}

/// What one role of files asked of a device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TracedRole {
    /// `data`, `journal`, ... as the user named it, or [`UNMAPPED`].
    pub role: String,
    /// Its requests, by kind.
    pub kinds: BTreeMap<RequestKind, TracedOps>,
}

impl TracedRole {
    /// Requests of one kind; `None` where there were none.
    #[must_use]
    pub fn kind(&self, kind: RequestKind) -> Option<&TracedOps> {
        self.kinds.get(&kind).filter(|ops| !ops.is_empty())
    }

    /// Completed requests of every kind.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.kinds.values().map(|k| k.ops).sum()
    }

    /// Bytes of completed requests of every kind.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.kinds.values().map(|k| k.sizes.bytes().as_u64()).fold(0, u64::saturating_add))
    }
}

/// What entered the block layer, before it merged and split.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct QueuedBios {
    /// Sizes of what was asked, by kind; flushes have none.
    pub sizes: BTreeMap<RequestKind, RequestSizes>,
    /// Times one was cut in two, being larger than the device takes or crossing a boundary.
    pub splits: u64,
}

impl QueuedBios {
    /// Adds those of `other`.
    pub fn merge(&mut self, other: &QueuedBios) {
        for (kind, sizes) in &other.sizes {
            self.sizes.entry(*kind).or_default().merge(sizes);
        }
        self.splits += other.splits;
    }
}

/// One device as traced.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TracedDevice {
    /// Kernel name of the whole device: `vda`, `dm-0`.
    pub name: String,
    /// Major and minor number.
    pub dev: (u32, u32),
    /// What it stands on, one layer down: `vda`, `/var/tmp/image on vda`; empty for a disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<String>,
    /// It has no request queue (dm, md, zram): what is told are the operations as they entered it.
    #[serde(default)]
    pub without_requests: bool,
    /// What entered its queue; where it has none, `roles` is that.
    #[serde(default)]
    pub queued: QueuedBios,
    /// What went to it, by role.
    pub roles: Vec<TracedRole>,
    /// Handed to it and not answered when the stretch ended.
    #[serde(default)]
    pub in_flight: u64,
    /// What the kernel counted for it over the same time; `None` where it does not.
    #[serde(default)]
    pub counted: Option<DiskUse>,
}

impl TracedDevice {
    /// Adds what came after.
    pub fn merge(&mut self, later: &TracedDevice) {
        self.queued.merge(&later.queued);
        for role in &later.roles {
            let own = self.role_mut(&role.role);
            for (kind, ops) in &role.kinds {
                own.kinds.entry(*kind).or_default().merge(ops);
            }
        }
        self.in_flight = later.in_flight;
        match (&mut self.counted, &later.counted) {
            (Some(own), Some(other)) => own.merge(other),
            (own @ None, Some(other)) => *own = Some(other.clone()),
            (_, None) => {}
        }
    }

    /// The role of this name, made where it is missing; roles stay in order of their names.
    pub fn role_mut(&mut self, name: &str) -> &mut TracedRole {
        let at = match self.roles.binary_search_by(|r| r.role.as_str().cmp(name)) {
            Ok(at) => at,
            Err(at) => {
                self.roles.insert(at, TracedRole { role: name.to_owned(), kinds: BTreeMap::new() });
                at
            }
        };
        &mut self.roles[at]
    }

    /// Requests of one kind, all roles together.
    #[must_use]
    pub fn all(&self, kind: RequestKind) -> TracedOps {
        let mut sum = TracedOps::default();
        self.roles.iter().filter_map(|r| r.kinds.get(&kind)).for_each(|ops| sum.merge(ops));
        sum
    }

    /// Completed requests of every kind.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.roles.iter().map(TracedRole::ops).sum()
    }
}

/// How well the files of a role could be found on the devices.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoleFiles {
    /// The role.
    pub role: String,
    /// The file, directory or device named for it.
    pub path: String,
    /// Files found there.
    pub files: u64,
    /// Bytes of them whose place on a device is known.
    pub mapped: Bytes,
    /// Why some cannot be placed; empty when all can.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why_not: String,
}

/// What the page cache of the whole machine did (`/proc/vmstat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CacheUse {
    /// Bytes read from block devices.
    pub paged_in: Bytes,
    /// Bytes written to block devices.
    pub paged_out: Bytes,
    /// Bytes of pages made dirty.
    pub dirtied: Bytes,
    /// Bytes of dirty pages written back.
    pub written: Bytes,
}

impl CacheUse {
    /// Adds that of another stretch.
    pub fn merge(&mut self, other: &CacheUse) {
        self.paged_in.0 += other.paged_in.as_u64();
        self.paged_out += other.paged_out;
        self.dirtied += other.dirtied;
        self.written += other.written;
    }

    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &CacheUse) -> CacheUse {
        let grown = |now: Bytes, then: Bytes| Bytes(now.as_u64().saturating_sub(then.as_u64()));
        CacheUse {
            paged_in: grown(self.paged_in, earlier.paged_in),
            paged_out: grown(self.paged_out, earlier.paged_out),
            dirtied: grown(self.dirtied, earlier.dirtied),
            written: grown(self.written, earlier.written),
        }
    }
}

/// A stretch of a trace, or all of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BlockTrace {
    /// Begin on the run's clock.
    pub from: Nanos,
    /// End on the run's clock.
    pub until: Nanos,
    /// Time traced; less than between begin and end where stretches have gaps.
    pub length: Nanos,
    /// Devices traced.
    pub devices: Vec<TracedDevice>,
    /// Roles asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleFiles>,
    /// Page cache of the machine.
    pub cache: CacheUse,
    /// Events the kernel had no room for: counts are too low by up to as many.
    pub lost: u64,
    /// Completions of requests that were not seen to begin: in flight when the trace began, or lost.
    pub unmatched: u64,
    /// Events read.
    pub events: u64,
    /// CPU time spent reading them.
    pub cpu: Nanos,
}

impl BlockTrace {
    /// The 99th percentile of each device's own time for reads and writes; devices with too few requests are left out.
    #[must_use]
    pub fn p99_by_device(&self) -> Vec<(String, Nanos)> {
        let of = |device: &TracedDevice| {
            let mut service = LatencyHistogram::default();
            let kinds = device.roles.iter().flat_map(|r| &r.kinds);
            let data = kinds.filter(|(kind, _)| matches!(kind, RequestKind::Read | RequestKind::Write));
            data.for_each(|(_, ops)| service.merge(&ops.service));
            Some((device.name.clone(), service.percentile(99.0).value()?))
        };
        self.devices.iter().filter_map(of).collect()
    }

    /// Adds a later stretch. Associative over stretches in order of time.
    pub fn merge(&mut self, later: &BlockTrace) {
        if self.length.is_zero() {
            self.from = later.from;
        }
        self.until = self.until.max(later.until);
        self.length += later.length;
        for device in &later.devices {
            match self.devices.iter_mut().find(|d| d.dev == device.dev) {
                Some(own) => own.merge(device),
                None => self.devices.push(device.clone()),
            }
        }
        for role in &later.roles {
            match self.roles.iter_mut().find(|r| r.role == role.role && r.path == role.path) {
                Some(own) => *own = role.clone(),
                None => self.roles.push(role.clone()),
            }
        }
        self.cache.merge(&later.cache);
        self.lost += later.lost;
        self.unmatched += later.unmatched;
        self.events += later.events;
        self.cpu += later.cpu;
    }
}

impl BlockTrace {
    /// The sizes of this stretch as samples beside the other counters: `sizes.DEVICE.ROLE.KIND.BUCKET` (requests), where the
    /// bucket is the lower bound in bytes of one of [`SIZE_BUCKETS`]; and `trace.stretch` (s), the time they were counted
    /// over. Summed over all stretches they are the histogram of the whole trace.
    #[must_use]
    pub fn size_samples(&self) -> Vec<Sample> {
        let sample = |name: String, unit: &str, layer, value| Sample { name, unit: unit.to_owned(), layer, value };
        let mut samples = vec![sample("trace.stretch".to_owned(), "s", Layer::Application, self.length.secs())];
        for device in &self.devices {
            for role in &device.roles {
                for (kind, ops) in &role.kinds {
                    for (bound, (n, _)) in SIZE_BUCKETS.iter().zip(ops.sizes.buckets()).filter(|(_, (n, _))| *n > 0) {
                        let name = format!("sizes.{}.{}.{}.{}", device.name, role.role, kind.name(), bound.as_u64());
                        samples.push(sample(name, "requests", Layer::Device, n as f64));
                    }
                }
            }
        }
        samples
    }
}

/// Files that play one role, as the user names them: `data=/srv/db`, `journal=/srv/wal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolePath {
    /// A word of the user's.
    pub role: String,
    /// A file, a directory with all below it, or a block device.
    #[serde(with = "crate::plan::job::any_path")]
    pub path: std::path::PathBuf,
}

/// Why a text names no files and their role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RolePathError {
    /// The text has no `=` with a path behind it.
    #[error("`{}`: ROLE=PATH is wanted, such as data=/srv/db", crate::clip(.0))]
    NoPair(String),
    /// What stands before the `=` is too long, empty, or has other characters.
    #[error("a role is a word of 1 to 32 letters, digits, `.`, `_` or `-`")]
    NoRole,
    /// The word is the one for requests that belong to no role.
    #[error("the role `{UNMAPPED}` is for requests of no known file: choose another word")]
    Reserved,
}

impl std::str::FromStr for RolePath {
    type Err = RolePathError;

    fn from_str(text: &str) -> Result<Self, RolePathError> {
        let wanted = || RolePathError::NoPair(text.to_owned());
        let (role, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or_else(wanted)?;
        let good = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if role.is_empty() || role.len() > 32 || !role.chars().all(good) {
            return Err(RolePathError::NoRole);
        }
        if role == UNMAPPED {
            return Err(RolePathError::Reserved);
        }
        Ok(RolePath { role: role.to_owned(), path: path.into() })
    }
}

/// That a run is traced, and which files play which roles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TraceRule {
    /// Files and their roles; requests of no other file are [`UNMAPPED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RolePath>,
}

/// Traces of steps that ran together, or of the time between steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepTrace {
    /// Numbers of the steps; empty when none ran.
    pub steps: Vec<usize>,
    /// All stretches of them.
    pub trace: BlockTrace,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_go_from_a_sector_to_four_mebibytes_and_more() {
        assert_eq!(SIZE_BUCKETS[0], Bytes(512));
        assert_eq!(SIZE_BUCKETS[4], Bytes(8192));
        assert_eq!(SIZE_BUCKETS[13], Bytes::from_mib(4));
        let mut sizes = RequestSizes::default();
        for (size, n) in [(8192, 3), (12288, 1), (258_048, 2), (4 << 20, 1), (1 << 30, 2)] {
            sizes.add(Bytes(size), n);
        }
        let buckets = sizes.buckets();
        assert_eq!(buckets[4], (4, Bytes(3 * 8192 + 12288)));
        assert_eq!(buckets[8], (2, Bytes(2 * 258_048)), "252 KiB lies from 128 KiB on");
        assert_eq!(buckets[13], (3, Bytes((4 << 20) + (2 << 30))));
        assert_eq!(sizes.commonest()[..2], [(Bytes(8192), 3), (Bytes(258_048), 2)]);
        assert_eq!([8191, 8192, 16384, 4 << 20].map(|size| sizes.at_most(Bytes(size))), [0, 3, 4, 6]);
    }

    #[test]
    fn a_role_is_a_word_and_a_path() {
        let role: RolePath = "data=/srv/a=b".parse().expect("a role");
        assert_eq!((role.role.as_str(), role.path.to_str()), ("data", Some("/srv/a=b")));
        for bad in ["/srv", "data=", "=/srv", "my data=/srv", "unmapped=/srv"] {
            assert!(bad.parse::<RolePath>().is_err(), "{bad}");
        }
    }

    fn stretch() -> impl Strategy<Value = BlockTrace> {
        let request = (0usize..2, 0usize..3, 0usize..5, 0u64..9000, 1u64..1_000_000);
        prop::collection::vec(request, 0..40).prop_map(|requests| {
            let mut trace = BlockTrace { length: Nanos(10), lost: 1, ..BlockTrace::default() };
            for (device, role, kind, sectors, ns) in requests {
                let name = ["vda", "dm-0"][device];
                let one = BlockTrace {
                    devices: vec![TracedDevice {
                        name: name.into(),
                        dev: (device as u32, 0),
                        ..TracedDevice::default()
                    }],
                    ..BlockTrace::default()
                };
                trace.merge(&one);
                let device = trace.devices.iter_mut().find(|d| d.name == name).expect("just merged");
                let ops = device.role_mut(["data", "journal", UNMAPPED][role]);
                let ops = ops.kinds.entry(RequestKind::ALL[kind]).or_default();
                ops.ops += 1;
                ops.sizes.add(Bytes(sectors * 512), 1);
                ops.service.record(Nanos(ns));
            }
            trace.devices.sort_by(|a, b| a.name.cmp(&b.name));
            trace
        })
    }

    proptest! {
        #[test]
        fn samples_of_sizes_sum_to_all_requests_that_have_one(trace in stretch()) {
            let samples = trace.size_samples();
            let summed: f64 = samples.iter().filter(|s| s.unit == "requests").map(|s| s.value).sum();
            let kinds = trace.devices.iter().flat_map(|d| &d.roles).flat_map(|r| r.kinds.values());
            prop_assert_eq!(summed as u64, kinds.map(|ops| ops.sizes.count()).sum::<u64>());
            let mut names: Vec<&str> = samples.iter().map(|s| s.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(names.len(), samples.len());
        }
    }

    fn sorted(mut trace: BlockTrace) -> BlockTrace {
        trace.devices.sort_by(|a, b| a.name.cmp(&b.name));
        trace
    }

    proptest! {
        #[test]
        fn stretches_merge_alike_in_any_grouping_and_lose_nothing(a in stretch(), b in stretch(), c in stretch()) {
            let mut left = a.clone();
            left.merge(&b);
            left.merge(&c);
            let mut late = b.clone();
            late.merge(&c);
            let mut right = a.clone();
            right.merge(&late);
            prop_assert_eq!(sorted(left.clone()), sorted(right));
            let ops = |t: &BlockTrace| t.devices.iter().map(TracedDevice::ops).sum::<u64>();
            prop_assert_eq!(ops(&left), ops(&a) + ops(&b) + ops(&c));
            for device in &left.devices {
                for kind in RequestKind::ALL {
                    let all = device.all(kind);
                    prop_assert_eq!(all.sizes.count(), all.ops);
                    let buckets = all.sizes.buckets();
                    prop_assert_eq!(buckets.iter().map(|b| b.0).sum::<u64>(), all.ops);
                    prop_assert_eq!(buckets.iter().map(|b| b.1.as_u64()).sum::<u64>(), all.sizes.bytes().as_u64());
                }
            }
        }

        #[test]
        fn json_round_trips(a in stretch()) {
            let text = serde_json::to_string(&a).expect("a trace has a JSON form");
            prop_assert_eq!(serde_json::from_str::<BlockTrace>(&text).expect("it reads back"), a);
        }
    }
}
