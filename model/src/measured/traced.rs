//! Trace of the block layer: requests by exact size and time, per device and per role of their files, with the kernel's
//! counters over the same time.
//!
//! A trace is recorded in periods of about a second, which [`BlockTrace::merge`] combines, so the trace of a killed run
//! is not lost. Requests are counted at completion; a request that never completed is only counted in `in_flight`.

use super::submitters::add_process;
use crate::measured::{DeviceProcess, DiskUse, Layer, Sample};
use crate::{Bytes, CompactSort, LatencyHistogram, Nanos};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Lower bounds of the buckets in which sizes are shown: powers of two, the last one open.
pub const SIZE_BUCKETS: [Bytes; 14] = {
    let mut bounds = [Bytes(0); 14];
    let mut i = 0;
    while i < bounds.len() {
        bounds[i] = Bytes(512 << i);
        i += 1;
    }
    bounds
};

/// Size from which sizes are no longer counted separately, in bytes.
const OPEN: u64 = 4 << 20;

/// Sizes of requests: every size below 4 MiB separately, because write daemons also use sizes that are not powers of
/// two (252 KiB, 508 KiB).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RequestSizes {
    /// Size in bytes, with the number of requests. Device requests are whole sectors, so there are at most 8192
    /// entries.
    exact: BTreeMap<u64, u64>,
    /// Requests of 4 MiB and more.
    large: u64,
    /// Bytes of the requests of 4 MiB and more.
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

    /// Iterates over the sizes below 4 MiB in ascending order, with their counts.
    pub(crate) fn exact(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.exact.iter().map(|(size, n)| (*size, *n))
    }

    /// Returns the number of requests of 4 MiB and more, and their bytes.
    pub(crate) fn large(&self) -> (u64, Bytes) {
        (self.large, Bytes(self.large_bytes))
    }

    /// Creates the value from the results of `exact` and `large`.
    pub(crate) fn from_parts(exact: Vec<(u64, u64)>, (large, bytes): (u64, Bytes)) -> RequestSizes {
        RequestSizes { exact: exact.into_iter().collect(), large, large_bytes: bytes.as_u64() }
    }

    /// Adds the requests of `other`.
    pub fn merge(&mut self, other: &RequestSizes) {
        for (size, n) in &other.exact {
            *self.exact.entry(*size).or_default() += n;
        }
        self.large += other.large;
        self.large_bytes = self.large_bytes.saturating_add(other.large_bytes);
    }

    /// Returns the number of requests.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.exact.values().sum::<u64>() + self.large
    }

    /// Returns the exact number of bytes of all requests.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.exact.iter().map(|(size, n)| size * n).sum::<u64>().saturating_add(self.large_bytes))
    }

    /// Returns the mean size, if there are requests.
    #[must_use]
    pub fn mean(&self) -> Option<Bytes> {
        self.bytes().as_u64().checked_div(self.count()).map(Bytes)
    }

    /// Returns count and bytes of each bucket of [`SIZE_BUCKETS`]; together they cover all requests.
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

    /// Returns the number of requests of this size or less; requests of 4 MiB and more are never included.
    #[must_use]
    pub fn at_most(&self, size: Bytes) -> u64 {
        self.exact.range(..=size.as_u64()).map(|(_, n)| n).sum()
    }

    /// Returns the sizes below 4 MiB with their counts, the most common first.
    #[must_use]
    pub fn commonest(&self) -> Vec<(Bytes, u64)> {
        let mut sizes: Vec<(Bytes, u64)> = self.exact.iter().map(|(size, n)| (Bytes(*size), *n)).collect();
        sizes.compact_sort_by_key(|(size, n)| (std::cmp::Reverse(*n), *size));
        sizes
    }
}

/// Requests of one kind: reads, writes, discards, flushes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TracedOps {
    /// Number of requests completed without error.
    pub ops: u64,
    /// Sizes of the requests, except flushes, which have none.
    #[serde(skip_serializing_if = "no_sizes")]
    pub sizes: RequestSizes,
    /// Time from dispatch to the device to completion: the service time of the device.
    #[serde(skip_serializing_if = "LatencyHistogram::is_empty")]
    pub service: LatencyHistogram,
    /// Time from queueing to dispatch; only for requests that an I/O scheduler held back.
    #[serde(skip_serializing_if = "LatencyHistogram::is_empty")]
    pub queued: LatencyHistogram,
    /// Number of sequential requests: their first sector follows the last sector of a recent request to the same device.
    #[serde(skip_serializing_if = "crate::units::is_default")]
    pub sequential: u64,
    /// Number of requests marked by the file system as metadata.
    #[serde(skip_serializing_if = "crate::units::is_default")]
    pub metadata: u64,
    /// Number of requests forced to the medium (`FUA`), which are durable when they complete.
    #[serde(skip_serializing_if = "crate::units::is_default")]
    pub forced: u64,
    /// Number of requests with a preceding flush of the device's cache.
    #[serde(skip_serializing_if = "crate::units::is_default")]
    pub flushed_before: u64,
    /// Number of requests that extend into the extents of another role; they are counted for the role in which they
    /// begin.
    #[serde(skip_serializing_if = "crate::units::is_default")]
    pub across: u64,
    /// Number of requests that failed; the other fields exclude them.
    #[serde(skip_serializing_if = "crate::units::is_default")]
    pub errors: u64,
}

fn no_sizes(sizes: &RequestSizes) -> bool {
    sizes.count() == 0
}

impl TracedOps {
    /// Adds the requests of `other`.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RequestKind {
    /// Read operations.
    Read,
    /// Writes, including those forced to the medium.
    Write,
    /// Discards and secure erases.
    Discard,
    /// Flushes of the device's cache.
    Flush,
    /// Others: writes of zeros without data, passthrough commands, zone management.
    Other,
}

impl RequestKind {
    /// All kinds, in display order.
    pub const ALL: [RequestKind; 5] =
        [RequestKind::Read, RequestKind::Write, RequestKind::Discard, RequestKind::Flush, RequestKind::Other];

    /// Returns the name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Requests of one role to a device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TracedRole {
    /// Role: `data`, `journal`, ... as the user named it, or [`crate::plan::UNMAPPED`].
    pub role: String,
    /// Requests by kind.
    pub kinds: BTreeMap<RequestKind, TracedOps>,
}

impl TracedRole {
    /// Returns the requests of one kind, or `None` if there were none.
    #[must_use]
    pub fn kind(&self, kind: RequestKind) -> Option<&TracedOps> {
        self.kinds.get(&kind).filter(|ops| !ops.is_empty())
    }

    /// Returns the number of completed requests of every kind.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.kinds.values().map(|k| k.ops).sum()
    }

    /// Returns the bytes of completed requests of every kind.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.kinds.values().map(|k| k.sizes.bytes().as_u64()).fold(0, u64::saturating_add))
    }
}

/// Operations that entered the block layer, before merging and splitting.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueuedBios {
    /// Requested sizes by kind; flushes have none.
    pub sizes: BTreeMap<RequestKind, RequestSizes>,
    /// Number of splits of operations that were too large for the device or crossed a boundary.
    pub splits: u64,
}

/// Trace of one device.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TracedDevice {
    /// Kernel name of the whole device: `vda`, `dm-0`.
    pub name: String,
    /// Major and minor device number.
    pub dev: (u32, u32),
    /// Underlying devices, one layer down: `vda`, `/var/tmp/image on vda`; empty for a disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<String>,
    /// True if the device has no request queue (dm, md, zram); the trace then contains operations as they entered the
    /// device.
    pub without_requests: bool,
    /// Operations that entered the request queue. For a device without a queue, `roles` contains the operations.
    pub queued: QueuedBios,
    /// Requests to the device, by role.
    pub roles: Vec<TracedRole>,
    /// Processes that submitted the reads and writes in `queued`, sorted by process ID and name. Empty if these
    /// operations were not traced, as in a recording of devices with request queues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<DeviceProcess>,
    /// Number of requests dispatched but not completed at the end of the period.
    pub in_flight: u64,
    /// The kernel's counters over the same time; `None` if the kernel has none for this device.
    pub counted: Option<DiskUse>,
}

impl TracedDevice {
    /// Adds a later period.
    pub fn merge(&mut self, later: &TracedDevice) {
        for (kind, sizes) in &later.queued.sizes {
            self.queued.sizes.entry(*kind).or_default().merge(sizes);
        }
        self.queued.splits += later.queued.splits;
        for role in &later.roles {
            let known = self.role_mut(&role.role);
            for (kind, ops) in &role.kinds {
                known.kinds.entry(*kind).or_default().merge(ops);
            }
        }
        later.processes.iter().for_each(|process| self.add_process(process.clone()));
        self.in_flight = later.in_flight;
        if let Some(counted) = &later.counted {
            match &mut self.counted {
                Some(known) => known.merge(counted),
                none => *none = Some(counted.clone()),
            }
        }
    }

    /// Returns the role of this name, adding it if it is missing; roles are sorted by name.
    pub fn role_mut(&mut self, name: &str) -> &mut TracedRole {
        let known = self.roles.binary_search_by(|r| r.role.as_str().cmp(name));
        let at = known.unwrap_or_else(|at| {
            self.roles.insert(at, TracedRole { role: name.to_owned(), kinds: BTreeMap::new() });
            at
        });
        &mut self.roles[at]
    }

    /// Adds the I/O of a process. If there are too many entries, sums some of them by program.
    pub fn add_process(&mut self, process: DeviceProcess) {
        add_process(&mut self.processes, process);
    }

    /// Returns the first `most` processes by bytes, and then the sum of other programs if there is one.
    #[must_use]
    pub fn first_processes(&self, most: usize) -> Vec<&DeviceProcess> {
        let (mut first, sum): (Vec<_>, Vec<_>) = self.processes.iter().partition(|process| !process.is_sum());
        first.compact_sort_by_key(|process| Reverse(process.all_bytes()));
        first.truncate(most);
        first.extend(sum);
        first
    }

    /// Returns the requests of one kind over all roles.
    #[must_use]
    pub fn all(&self, kind: RequestKind) -> TracedOps {
        let mut sum = TracedOps::default();
        self.roles.iter().filter_map(|r| r.kinds.get(&kind)).for_each(|ops| sum.merge(ops));
        sum
    }

    /// Returns the number of completed requests of every kind.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.roles.iter().map(TracedRole::ops).sum()
    }
}

/// Result of locating the files of a role on the devices.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoleFiles {
    /// The role.
    pub role: String,
    /// File, directory or device that was given for the role.
    pub path: String,
    /// Number of files found.
    pub files: u64,
    /// Number of bytes whose location on a device is known.
    pub mapped: Bytes,
    /// Reason why some bytes cannot be located; empty if all can.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why_not: String,
}

/// Page cache counters of the whole machine (`/proc/vmstat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheUse {
    /// Bytes read from block devices.
    pub paged_in: Bytes,
    /// Bytes written to block devices.
    pub paged_out: Bytes,
    /// Bytes of pages that became dirty.
    pub dirtied: Bytes,
    /// Bytes of dirty pages written back.
    pub written: Bytes,
}

impl CacheUse {
    /// Adds the counters of another period.
    pub fn merge(&mut self, other: &CacheUse) {
        self.paged_in += other.paged_in;
        self.paged_out += other.paged_out;
        self.dirtied += other.dirtied;
        self.written += other.written;
    }

    /// Returns the increase since `earlier`.
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

/// A period of a trace, or the whole trace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockTrace {
    /// Start, on the run's clock.
    pub from: Nanos,
    /// End, on the run's clock.
    pub until: Nanos,
    /// Traced time; less than the time between start and end if there are gaps between periods.
    pub length: Nanos,
    /// Traced devices.
    pub devices: Vec<TracedDevice>,
    /// Requested roles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleFiles>,
    /// Page cache of the machine.
    pub cache: CacheUse,
    /// Number of events that were lost because the kernel's buffer was full: counts are too low by up to this number.
    pub lost: u64,
    /// Number of completions without a known start: the request was in flight when the trace began, or the start event
    /// was lost.
    pub unmatched: u64,
    /// Number of events read.
    pub events: u64,
    /// CPU time for reading the events.
    pub cpu: Nanos,
}

impl BlockTrace {
    /// Returns the 99th percentile of each device's service time for reads and writes; omits devices with too few
    /// requests.
    #[must_use]
    pub fn p99_by_device(&self) -> Vec<(String, Nanos)> {
        let p99_of_device = |device: &TracedDevice| {
            let kinds = device.roles.iter().flat_map(|r| &r.kinds);
            let data = kinds.filter(|(kind, _)| matches!(kind, RequestKind::Read | RequestKind::Write));
            let service: LatencyHistogram = data.map(|(_, ops)| &ops.service).sum();
            Some((device.name.clone(), service.percentile(99.0).value()?))
        };
        self.devices.iter().filter_map(p99_of_device).collect()
    }

    /// Adds a later period. The operation is associative if periods are added in order of time.
    pub fn merge(&mut self, later: &BlockTrace) {
        if self.length.is_zero() {
            self.from = later.from;
        }
        self.until = self.until.max(later.until);
        self.length += later.length;
        for device in &later.devices {
            match self.devices.iter_mut().find(|d| d.dev == device.dev) {
                Some(known) => known.merge(device),
                None => self.devices.push(device.clone()),
            }
        }
        for role in &later.roles {
            match self.roles.iter_mut().find(|r| r.role == role.role && r.path == role.path) {
                Some(known) => *known = role.clone(),
                None => self.roles.push(role.clone()),
            }
        }
        self.cache.merge(&later.cache);
        self.lost += later.lost;
        self.unmatched += later.unmatched;
        self.events += later.events;
        self.cpu += later.cpu;
    }

    /// Returns the sizes of this period as samples, like other counters: `sizes.DEVICE.ROLE.KIND.BUCKET` is a number of
    /// requests, where BUCKET is the lower bound in bytes of a bucket of [`SIZE_BUCKETS`]. `trace.stretch` is the time
    /// over which they were counted, in seconds. Summed over all periods, they are the histogram of the whole trace.
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

/// Trace of steps that ran at the same time, or of the time between steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepTrace {
    /// Indices of the steps; empty if none ran.
    pub steps: Vec<usize>,
    /// The trace, merged over all periods.
    pub trace: BlockTrace,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::UNMAPPED;
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

    fn stretch() -> impl Strategy<Value = BlockTrace> {
        let request = (0usize..2, 0usize..3, 0usize..5, 0u64..9000, 1u64..1_000_000);
        prop::collection::vec(request, 0..40).prop_map(|requests| {
            let mut trace = BlockTrace { length: Nanos(10), lost: 1, ..BlockTrace::default() };
            for (device, role, kind, sectors, ns) in requests {
                let name = ["vda", "dm-0"][device];
                let process =
                    DeviceProcess { pid: Some(role as u32), bytes: [sectors, ns], ..DeviceProcess::default() };
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
                device.add_process(process);
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
                    let requests = device.all(kind);
                    prop_assert_eq!(requests.sizes.count(), requests.ops);
                    let buckets = requests.sizes.buckets();
                    prop_assert_eq!(buckets.iter().map(|b| b.0).sum::<u64>(), requests.ops);
                    prop_assert_eq!(buckets.iter().map(|b| b.1.as_u64()).sum::<u64>(), requests.sizes.bytes().as_u64());
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
