//! Demand of a recording on storage. Requests are added one by one, so that a recording does not have to fit into
//! memory.

mod contract;
mod rates;
mod reuse;
mod sampled;
mod samples;

pub use contract::demand_contract;
pub use sampled::sampled_demand;
pub(crate) use sampled::sampled_streams;

use messages::sentence;
use model::judged::{Demand, FlushDemand, KindDemand, RoleDemand, WorkingSet};
use model::recording::{LostRequests, RecordedLayer, RecordedRequest, RecordedTarget, RecordingEnd, RequestFlags};
use model::{Bytes, Caveat, CompactSort, LatencyHistogram, Nanos, Severity, measured::RequestKind};
use rates::Seconds;
use reuse::ReuseDistances;
use std::collections::BTreeMap;

/// Block size in which the working set is counted, in bytes.
const BLOCK: u64 = 4096;
/// Number of recent requests that a sequential request may continue, as in a block trace.
const REMEMBERED: usize = 16;
/// Length of a recording below which percentiles over its seconds and bursts mean little.
const SHORT: Nanos = Nanos::from_secs(60);

/// Builder of a demand from requests in the order in which they were issued.
#[derive(Debug, Default)]
pub struct DemandBuilder {
    all: Asked,
    roles: BTreeMap<String, Asked>,
    /// Recent requests, by target and direction.
    recent: BTreeMap<(u16, RequestKind), Recent>,
    last: Nanos,
    before: Nanos,
    without_latency: u64,
    requests: u64,
    backwards: u64,
}

#[derive(Debug)]
struct Recent {
    /// Start and end of each recent request.
    spans: [(u64, u64); REMEMBERED],
    next: usize,
}

/// Counters of a role.
#[derive(Debug, Default)]
struct Asked {
    kinds: BTreeMap<RequestKind, Kind>,
    iops: Seconds,
    bytes: Seconds,
    /// Nanoseconds in flight, by second.
    in_flight: Seconds,
    latencies: u128,
    reuse: ReuseDistances,
    flushes: u64,
    flushed: Option<Nanos>,
    apart: LatencyHistogram,
    written: u64,
}

#[derive(Debug, Default)]
struct Kind {
    told: KindDemand,
    iops: Seconds,
    bytes: Seconds,
}

impl DemandBuilder {
    /// Adds the next request; `targets` are those known so far.
    pub fn add(&mut self, request: &RecordedRequest, targets: &[RecordedTarget]) {
        let end = request.offset.saturating_add(request.bytes);
        let recent = self.recent.entry((request.target, request.kind));
        let recent = recent.or_insert(Recent { spans: [(u64::MAX, u64::MAX); REMEMBERED], next: 0 });
        let sequential = request.moves_data() && recent.goes_on(request.offset, end);
        self.requests += 1;
        self.without_latency += u64::from(request.latency.is_none());
        self.backwards += u64::from(request.at < self.before);
        self.before = request.at;
        self.last = self.last.max(request.end().unwrap_or(request.at));
        let role = targets.get(usize::from(request.target)).map(|t| t.role.as_str()).unwrap_or_default();
        // Map each target to a separate range of one large address space.
        let place = u64::from(request.target) << 44;
        self.all.add(request, sequential, place);
        // Copy a name only once, not for each request.
        let asked = match self.roles.get_mut(role) {
            Some(asked) => asked,
            None => self.roles.entry(role.to_owned()).or_default(),
        };
        asked.add(request, sequential, place);
    }

    /// Returns the demand of all requests.
    #[must_use]
    pub fn finish(self, layer: RecordedLayer, end: Option<&RecordingEnd>, lost: &[LostRequests]) -> Demand {
        let length = end.map_or(self.last, |end| end.length.max(self.last));
        let mut roles: Vec<RoleDemand> =
            self.roles.into_iter().map(|(role, asked)| asked.demand(role, length)).collect();
        roles.compact_sort_by_key(|role| std::cmp::Reverse(role.requests()));
        let mut doubts = Vec::new();
        doubts.extend(lost_doubt(lost).map(|doubt| doubt.remedy(sentence!("demand-lost-remedy"))));
        doubts.extend((length < SHORT).then(|| short_doubt(length)));
        for unseen in end.map(|end| end.unseen.as_slice()).unwrap_or_default() {
            let seen = sentence!("demand-unseen-seen", calls = unseen.calls, call = &unseen.call);
            let doubt = Caveat::new("recording-unseen", Severity::Doubt, sentence!("demand-unseen"), seen);
            doubts.push(doubt.remedy(sentence!("demand-unseen-remedy")));
        }
        if let Some(n) = end.map(|end| end.unresolved).filter(|n| *n > 0) {
            let seen = sentence!("demand-unresolved-seen", n);
            doubts.push(Caveat::new("recording-unresolved", Severity::Note, sentence!("demand-unresolved"), seen));
        }
        if layer == RecordedLayer::Syscalls {
            let seen = sentence!("demand-above-cache-seen");
            doubts.push(Caveat::new("recording-above-cache", Severity::Note, sentence!("demand-above-cache"), seen));
        }
        if self.without_latency > 0 {
            let seen = sentence!("demand-no-latency-seen", n = self.without_latency, of = self.requests);
            doubts.push(Caveat::new("recording-no-latency", Severity::Note, sentence!("demand-no-latency"), seen));
        }
        if self.backwards > 0 {
            let seen = sentence!("demand-backwards-seen", n = self.backwards);
            doubts.push(Caveat::new("recording-backwards", Severity::Doubt, sentence!("demand-backwards"), seen));
        }
        Demand { layer, length, resolution: None, all: self.all.demand(String::new(), length), roles, doubts }
    }
}

/// Returns a doubt if requests are missing from the recording.
pub(crate) fn lost_doubt(lost: &[LostRequests]) -> Option<Caveat> {
    let events: u64 = lost.iter().map(|lost| lost.events).sum();
    let seen = sentence!("demand-lost-seen", events, stretches = lost.len() as u64);
    (events > 0).then(|| Caveat::new("recording-lost", Severity::Doubt, sentence!("demand-lost"), seen))
}

/// Returns the doubt about a short recording, which may not include the busiest hour.
fn short_doubt(length: Nanos) -> Caveat {
    let seen = sentence!("demand-short-seen", time = length);
    let doubt = Caveat::new("recording-short", Severity::Doubt, sentence!("demand-short"), seen);
    doubt.remedy(sentence!("demand-short-remedy"))
}

impl Recent {
    /// Returns `true` if a request continues a recent one, at its end or within it, and remembers the end of the new
    /// one.
    ///
    /// A request within another one occurs if a log writes its last block again with more data.
    fn goes_on(&mut self, offset: u64, end: u64) -> bool {
        if let Some(before) =
            self.spans.iter_mut().find(|(begin, last)| (*begin..=*last).contains(&offset) && end >= *last)
        {
            *before = (offset, end);
            return true;
        }
        self.spans[self.next % REMEMBERED] = (offset, end);
        self.next = (self.next + 1) % REMEMBERED;
        false
    }
}

impl Asked {
    fn add(&mut self, request: &RecordedRequest, sequential: bool, place: u64) {
        if let Some(latency) = request.latency.filter(|_| !request.flags.has(RequestFlags::FAILED)) {
            self.latencies += u128::from(latency.as_nanos());
            self.add_in_flight(request.at, latency);
        }
        let kind = self.kinds.entry(request.kind).or_default();
        if request.flags.has(RequestFlags::FAILED) {
            kind.told.failed += 1;
            return;
        }
        kind.told.requests += 1;
        kind.iops.add(request.at, 1);
        request.latency.iter().for_each(|latency| kind.told.latency.record(*latency));
        let waits = [RequestFlags::SYNC, RequestFlags::FUA, RequestFlags::PREFLUSH];
        *kind.told.waited_for.get_or_insert(0) += u64::from(waits.into_iter().any(|flag| request.flags.has(flag)));
        if request.kind == RequestKind::Flush || request.flags.has(RequestFlags::PREFLUSH) {
            self.flushes += 1;
            if let Some(before) = self.flushed.replace(request.at) {
                self.apart.record(request.at.since(before));
            }
        }
        let sequences = kind.told.sequential.get_or_insert(0);
        if !request.moves_data() {
            return;
        }
        *sequences += u64::from(sequential);
        *kind.told.moved.get_or_insert(Bytes(0)) += Bytes(request.bytes);
        kind.told.sizes.add(Bytes(request.bytes), 1);
        kind.bytes.add(request.at, request.bytes);
        self.iops.add(request.at, 1);
        self.bytes.add(request.at, request.bytes);
        let read = request.kind == RequestKind::Read;
        self.written += if read { 0 } else { request.bytes };
        let last = request.offset.saturating_add(request.bytes - 1) / BLOCK;
        for block in request.offset / BLOCK..=last {
            self.reuse.add(place | block, read);
        }
    }

    /// Adds the time of a request to the seconds during which it was in flight.
    fn add_in_flight(&mut self, at: Nanos, latency: Nanos) {
        const SECOND: u64 = 1_000_000_000;
        let end = at.as_nanos().saturating_add(latency.as_nanos());
        let mut from = at.as_nanos();
        // Limits a request that never completed to 60 seconds.
        for _ in 0..60 {
            let until = end.min((from / SECOND + 1) * SECOND);
            self.in_flight.add(Nanos(from), until - from);
            from = until;
            if from >= end {
                break;
            }
        }
    }

    fn demand(self, role: String, length: Nanos) -> RoleDemand {
        let seconds = length.secs().max(f64::MIN_POSITIVE);
        let known = self.kinds.values().any(|kind| kind.told.latency.count() > 0);
        let in_flight = known.then(|| (self.latencies as f64 / 1e9 / seconds, self.in_flight.most() as f64 / 1e9));
        let [touched, read, written] = self.reuse.blocks().map(|blocks| Bytes((blocks * BLOCK as f64) as u64));
        let cached = self.reuse.curve().into_iter().map(|(blocks, share)| (Bytes(blocks.saturating_mul(BLOCK)), share));
        let between = self.written.checked_div(self.flushes).unwrap_or(0);
        let kinds = self.kinds.into_iter().map(|(kind, counted)| (kind, counted.demand(length))).collect();
        RoleDemand {
            role,
            kinds,
            iops: self.iops.demand(length),
            bandwidth: Some(self.bytes.demand(length)),
            in_flight,
            working_set: Some(WorkingSet {
                touched,
                read,
                written,
                sampled: self.reuse.sampled(),
                cached: cached.collect(),
            }),
            flushes: (self.flushes > 0).then_some(FlushDemand {
                flushes: self.flushes,
                apart: self.apart,
                written_between: Bytes(between),
            }),
        }
    }
}

impl Kind {
    fn demand(mut self, length: Nanos) -> KindDemand {
        self.told.iops = self.iops.demand(length);
        self.told.bandwidth = Some(self.bytes.demand(length));
        self.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::judged::RateDemand;

    fn request(at_ms: u64, kind: RequestKind, offset: u64, bytes: u64) -> RecordedRequest {
        RecordedRequest {
            at: Nanos::from_millis(at_ms),
            latency: Some(Nanos::from_millis(2)),
            target: u16::from(kind != RequestKind::Read),
            kind,
            flags: RequestFlags::SYNC,
            offset,
            bytes,
        }
    }

    fn targets() -> Vec<RecordedTarget> {
        ["data", "journal"].map(|role| RecordedTarget { role: role.into(), ..RecordedTarget::default() }).into()
    }

    fn demand(requests: &[RecordedRequest], length: Nanos) -> Demand {
        let mut builder = DemandBuilder::default();
        requests.iter().for_each(|request| builder.add(request, &targets()));
        let end = RecordingEnd { length, ..RecordingEnd::default() };
        builder.finish(RecordedLayer::Block, Some(&end), &[])
    }

    #[test]
    fn a_database_is_told_by_its_roles() {
        let mut requests = Vec::new();
        for i in 0..1000u64 {
            requests.push(request(i * 100, RequestKind::Read, (i % 50) * 81_920, 8192));
            requests.push(request(i * 100 + 1, RequestKind::Write, i * 4096, 4096));
            requests.push(request(i * 100 + 2, RequestKind::Flush, 0, 0));
        }
        let demand_seen = demand(&requests, Nanos::from_secs(100));
        assert_eq!(
            demand_seen.roles.iter().map(|r| (r.role.as_str(), r.requests())).collect::<Vec<_>>(),
            [("data", 1000), ("journal", 1000)]
        );
        let data = &demand_seen.roles[0];
        let reads = &data.kinds[&RequestKind::Read];
        assert_eq!(
            (reads.requests, reads.sequential, reads.sizes.commonest()[0]),
            (1000, Some(0), (Bytes(8192), 1000))
        );
        assert_eq!((data.iops.mean, data.iops.percentiles), (10.0, Some([10.0, 10.0, 10.0])));
        assert_eq!(data.bandwidth.as_ref().map(RateDemand::most), Some(81_920.0));
        let set = data.working_set.as_ref().expect("every request was seen");
        assert_eq!(set.touched, Bytes(50 * 8192));
        // Each block is read again after 49 other requests of two blocks: a cache of 100 blocks or more hits on all but
        // the first read.
        let held = |bytes: u64| set.cached.iter().find(|(b, _)| b.as_u64() == bytes).expect("told").1;
        assert!(held(256 << 10) < 0.01 && (held(512 << 10) - 0.95).abs() < 1e-9, "{:?}", set.cached);
        let (mean, most) = data.in_flight.expect("latencies are known");
        assert!((mean - 0.02).abs() < 1e-9 && (most - 0.02).abs() < 1e-9, "10 a second of 2 ms");
        let journal = &demand_seen.roles[1];
        assert_eq!(journal.kinds[&RequestKind::Write].sequential, Some(999));
        let flushes = journal.flushes.as_ref().expect("there were some");
        assert_eq!((flushes.flushes, flushes.written_between), (1000, Bytes(4096)));
        assert_eq!(flushes.apart.percentile(50.0).value().map(|t| t.as_nanos().div_ceil(10_000_000)), Some(10));
        assert_eq!(demand_seen.all.requests(), 2000);
        assert!(demand_seen.doubts.is_empty(), "{:?}", demand_seen.doubts);
    }

    #[test]
    fn a_log_that_writes_its_last_block_again_is_in_order() {
        let places = [(0, 8192), (0, 8192), (4096, 8192), (8192, 4096), (12_288, 4096), (500 << 20, 4096)];
        let requests: Vec<_> =
            places.into_iter().map(|(at, bytes)| request(1, RequestKind::Write, at, bytes)).collect();
        let demand_seen = demand(&requests, Nanos::from_secs(1));
        assert_eq!(demand_seen.all.kinds[&RequestKind::Write].sequential, Some(4), "all but the first and the last");
    }

    #[test]
    fn a_short_recording_and_a_lost_part_of_it_are_doubted() {
        let mut builder = DemandBuilder::default();
        builder.add(&RecordedRequest { latency: None, ..request(5, RequestKind::Read, 0, 512) }, &targets());
        let lost = [LostRequests { from: Nanos(0), until: Nanos(9), events: 7 }];
        let demand_seen = builder.finish(RecordedLayer::Block, None, &lost);
        let rules: Vec<&str> = demand_seen.doubts.iter().map(|d| d.id.as_str()).collect();
        assert_eq!(rules, ["recording-lost", "recording-short", "recording-no-latency"]);
    }
}
