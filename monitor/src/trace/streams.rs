//! Assembly of events into requests, with their completion, latency, size and role.

use super::events::{Event, Thread, What};
use super::locations::RoleSectors;
use super::recorded::{RequestLog, TracedRequest};
use super::submitters::{Submitted, Submitters};
use super::whole::Whole;
use model::measured::{QueuedBios, RequestKind, TracedDevice, TracedOps};
use model::{Bytes, Nanos, plan::UNMAPPED, recording::RequestFlags};
use rustc_hash::FxHashMap;

/// Number of recent request ends that are remembered: this many interleaved sequential streams are recognised.
const REMEMBERED: usize = 16;
/// Maximum number of pending requests. No device has as many in flight, so if there are more, completions were lost.
const PENDING_MAX: usize = 1 << 20;
/// Age, in nanoseconds, after which an insertion into the queue is dropped, because merging has changed its address.
const STALE: u64 = Nanos::from_secs(30).as_nanos();

type Key = (usize, RequestKind, u64);

#[derive(Debug, Clone, Copy)]
struct Pending {
    at: u64,
    waited: Option<u64>,
    /// First sector of the request.
    sector: u64,
    bytes: u64,
    /// Number of bytes not completed yet.
    left: u64,
    role: usize,
    sequential: bool,
    flags: RequestFlags,
    across: bool,
    failed: bool,
}

impl Pending {
    /// Returns the request as it is sent to a recording.
    fn traced(&self, number: usize, kind: RequestKind, ended: Option<u64>) -> TracedRequest {
        let failed = if self.failed { RequestFlags::FAILED } else { RequestFlags::default() };
        TracedRequest {
            of: (number, self.role),
            kind,
            flags: self.flags.with(failed),
            sector: self.sector,
            bytes: self.bytes,
            issued: self.at,
            ended,
        }
    }
}

/// Devices and their requests in flight.
#[derive(Debug)]
pub(crate) struct Streams {
    devices: Vec<Device>,
    by_number: FxHashMap<(u32, u32), usize>,
    pending: FxHashMap<Key, Pending>,
    /// Requests for the same sectors as another request in flight, the oldest first.
    twins: Vec<(Key, Pending)>,
    /// First sectors of operations on devices without requests, by end sector, because completions may contain the end
    /// sector instead of the first one.
    ends: FxHashMap<Key, u64>,
    inserted: FxHashMap<Key, u64>,
    roles: Vec<String>,
    unmatched: u64,
    /// Processes of the threads that submit operations.
    pub submitters: Submitters,
    /// Log that receives each request.
    pub log: Option<RequestLog>,
}

#[derive(Debug)]
struct Device {
    whole: Whole,
    queued: QueuedBios,
    submitted: FxHashMap<Thread, Submitted>,
    /// Counts by role, then kind.
    seen: Vec<[TracedOps; RequestKind::ALL.len()]>,
    recent: [Recent; RequestKind::ALL.len()],
}

/// End sectors of recent requests.
#[derive(Debug, Clone, Copy)]
struct Recent {
    ends: [u64; REMEMBERED],
    next: usize,
}

impl Recent {
    const NONE: Recent = Recent { ends: [u64::MAX; REMEMBERED], next: 0 };

    /// Returns `true` if a request continues at the end of a recent one, and remembers its end.
    fn goes_on(&mut self, sector: u64, end: u64) -> bool {
        if let Some(before) = self.ends.iter_mut().find(|e| **e == sector) {
            *before = end;
            return true;
        }
        self.ends[self.next % REMEMBERED] = end;
        self.next = (self.next + 1) % REMEMBERED;
        false
    }
}

impl Streams {
    /// Creates the streams of these devices; `roles` contains the names in the order of their indices in
    /// [`RoleSectors`].
    pub fn new(wholes: Vec<Whole>, roles: Vec<String>) -> Streams {
        let mut by_number = FxHashMap::default();
        for (i, whole) in wholes.iter().enumerate() {
            by_number.insert(whole.dev, i);
            by_number.extend(whole.partitions.iter().map(|p| (*p, i)));
        }
        let device = |whole| Device {
            whole,
            queued: QueuedBios::default(),
            submitted: FxHashMap::default(),
            seen: Vec::new(),
            recent: [Recent::NONE; RequestKind::ALL.len()],
        };
        Streams {
            devices: wholes.into_iter().map(device).collect(),
            by_number,
            pending: FxHashMap::default(),
            twins: Vec::new(),
            ends: FxHashMap::default(),
            inserted: FxHashMap::default(),
            roles,
            unmatched: 0,
            submitters: Submitters::default(),
            log: None,
        }
    }

    /// Processes an event. Events must be passed in chronological order.
    pub fn take(&mut self, event: &Event, places: &RoleSectors) {
        let Some(&number) = self.by_number.get(&event.dev) else { return };
        // Flushes are issued at sector 0 and complete without a sector (-1); passthrough commands have no sector,
        // either.
        let nowhere = event.kind == RequestKind::Flush || event.sector == u64::MAX;
        let key = (number, event.kind, if nowhere { 0 } else { event.sector });
        let bios = self.devices[number].whole.without_requests;
        match event.what {
            What::Insert => self.insert(key, event.at),
            What::Merge => drop(self.inserted.remove(&key)),
            What::Requeue => drop(self.remove(&key)),
            What::Split => self.devices[number].queued.splits += 1,
            What::Issue if !bios => self.begin(key, event, places),
            What::Complete if !bios => self.end(key, event),
            What::BioQueue => {
                if event.bytes > 0 {
                    let device = &mut self.devices[number];
                    device.queued.sizes.entry(event.kind).or_default().add(Bytes(event.bytes), 1);
                    // A split operation is not queued again, so its bytes are counted once.
                    if event.thread.id > 0 {
                        device.submitted.entry(event.thread).or_default().count(event);
                    }
                }
                if bios {
                    self.ends.insert((number, event.kind, event.sector + event.bytes / 512), event.sector);
                    self.begin(key, event, places);
                }
            }
            What::BioComplete if bios => self.end_bio(key, event),
            What::Issue | What::Complete | What::BioComplete => {}
        }
    }

    fn insert(&mut self, key: Key, at: u64) {
        if self.inserted.len() >= PENDING_MAX / 16 {
            self.inserted.retain(|_, then| then.saturating_add(STALE) > at);
        }
        if self.inserted.len() < PENDING_MAX {
            self.inserted.insert(key, at);
        }
    }

    fn begin(&mut self, key: Key, event: &Event, places: &RoleSectors) {
        let (number, kind, sector) = key;
        if self.pending.len() >= PENDING_MAX {
            self.forget();
        }
        let end = sector.saturating_add(event.bytes.div_ceil(512));
        let device = &mut self.devices[number];
        let sized = event.bytes > 0 && kind != RequestKind::Flush;
        let place = if sized { places.role_of(device.whole.dev, sector, end) } else { Default::default() };
        let pending = Pending {
            at: event.at,
            waited: self.inserted.remove(&key).map(|then| event.at.saturating_sub(then)),
            sector,
            bytes: event.bytes,
            left: event.bytes,
            role: place.role,
            sequential: sized && device.recent[kind as usize].goes_on(sector, end),
            flags: event.flags,
            across: place.across,
            failed: false,
        };
        if let Some(older) = self.pending.insert(key, pending) {
            self.twins.push((key, older));
        }
    }

    /// Removes the oldest request with this key.
    fn remove(&mut self, key: &Key) -> Option<Pending> {
        match self.twins.iter().position(|(k, _)| k == key) {
            Some(at) => Some(self.twins.remove(at).1),
            None => self.pending.remove(key),
        }
    }

    fn end(&mut self, key: Key, event: &Event) {
        let Some(mut pending) = self.remove(&key) else {
            // This is the completion of an empty write with a flush; the flush itself has been counted.
            self.count_unmatched(event);
            return;
        };
        pending.failed |= event.failed;
        if event.bytes > 0 && event.bytes < pending.left {
            // Partial completion; the rest completes under its own address.
            pending.left -= event.bytes;
            self.pending.insert((key.0, key.1, key.2 + event.bytes / 512), pending);
            return;
        }
        self.book(key, &pending, event.at);
    }

    fn end_bio(&mut self, key: Key, event: &Event) {
        let (number, kind, sector) = key;
        // Drivers that advance the operation itself report its end sector instead of its first sector.
        let began = if self.pending.contains_key(&key) { Some(sector) } else { self.ends.get(&key).copied() };
        let Some((began, mut pending)) = began.and_then(|b| Some((b, self.remove(&(number, kind, b))?))) else {
            self.count_unmatched(event);
            return;
        };
        self.ends.remove(&(number, kind, began + pending.bytes / 512));
        pending.failed |= event.failed;
        self.book((number, kind, began), &pending, event.at);
    }

    fn count_unmatched(&mut self, event: &Event) {
        if event.bytes > 0 {
            self.unmatched += 1;
            self.log.iter_mut().for_each(RequestLog::unmatched);
        }
    }

    /// Sends completed requests to the recording, and, when the recording ends, the requests in flight. `until` is the
    /// time up to which events were processed.
    pub fn hand_on(&mut self, until: u64, lost: Option<(u64, u64, u64)>, end: Option<(u64, Nanos)>) {
        let Streams { log: Some(log), pending, twins, devices, roles, .. } = self else { return };
        let in_flight = || pending.iter().chain(twins.iter().map(|(key, pending)| (key, pending)));
        if end.is_some() {
            for ((number, kind, _), pending) in in_flight() {
                log.add(&pending.traced(*number, *kind, None), &devices[*number].whole, roles);
            }
        }
        let oldest = in_flight().map(|(_, pending)| pending.at).min();
        log.hand_on(oldest.map_or(until, |oldest| oldest.min(until)), lost, end);
    }

    fn book(&mut self, (number, kind, _): Key, pending: &Pending, at: u64) {
        if let Some(log) = &mut self.log {
            log.add(&pending.traced(number, kind, Some(at)), &self.devices[number].whole, &self.roles);
        }
        let seen = &mut self.devices[number].seen;
        if seen.len() <= pending.role {
            seen.resize_with(pending.role + 1, Default::default);
        }
        let ops = &mut seen[pending.role][kind as usize];
        if pending.failed {
            ops.errors += 1;
            return;
        }
        ops.ops += 1;
        if pending.bytes > 0 && kind != RequestKind::Flush {
            ops.sizes.add(Bytes(pending.bytes), 1);
        }
        ops.service.record(Nanos(at.saturating_sub(pending.at)));
        if let Some(waited) = pending.waited {
            ops.queued.record(Nanos(waited));
        }
        ops.sequential += u64::from(pending.sequential);
        ops.metadata += u64::from(pending.flags.has(RequestFlags::METADATA));
        ops.forced += u64::from(pending.flags.has(RequestFlags::FUA));
        ops.flushed_before += u64::from(pending.flags.has(RequestFlags::PREFLUSH));
        ops.across += u64::from(pending.across);
    }

    /// Drops all requests in flight. Used after the loss of events, because the completions of these requests may be
    /// among them.
    pub fn forget(&mut self) {
        self.pending.clear();
        self.twins.clear();
        self.ends.clear();
        self.inserted.clear();
    }

    /// Returns the counts since the last call: the devices, and the number of completions that matched no request.
    pub fn take_counts(&mut self) -> (Vec<TracedDevice>, u64) {
        let mut in_flight = vec![0; self.devices.len()];
        for (key, _) in self.pending.iter().chain(self.twins.iter().map(|(k, p)| (k, p))) {
            in_flight[key.0] += 1;
        }
        let (roles, submitters) = (&self.roles, &self.submitters);
        let devices = self.devices.iter_mut().zip(in_flight).map(|(device, in_flight)| {
            let mut traced = TracedDevice {
                name: device.whole.name.clone(),
                dev: device.whole.dev,
                over: device.whole.over.clone(),
                without_requests: device.whole.without_requests,
                queued: std::mem::take(&mut device.queued),
                in_flight,
                ..TracedDevice::default()
            };
            for process in submitters.processes(std::mem::take(&mut device.submitted)) {
                traced.add_process(process);
            }
            for (role, kinds) in std::mem::take(&mut device.seen).into_iter().enumerate() {
                let name = role.checked_sub(1).and_then(|r| roles.get(r)).map_or(UNMAPPED, String::as_str);
                for (kind, ops) in RequestKind::ALL.into_iter().zip(kinds) {
                    if ops != TracedOps::default() {
                        traced.role_mut(name).kinds.entry(kind).or_default().merge(&ops);
                    }
                }
            }
            traced
        });
        (devices.collect(), std::mem::take(&mut self.unmatched))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::measured::DeviceProcess;
    use proptest::prelude::*;

    fn whole(without_requests: bool) -> Whole {
        Whole {
            name: "vda".into(),
            dev: (254, 0),
            over: Vec::new(),
            without_requests,
            size: Bytes(0),
            sector: 512,
            partitions: vec![(254, 1)],
        }
    }

    fn streams() -> Streams {
        Streams::new(vec![whole(false)], vec!["data".into(), "journal".into()])
    }

    fn event(what: What, at: u64, sector: u64, bytes: u64) -> Event {
        let (kind, flags, thread) = (RequestKind::Write, RequestFlags::default(), Thread::default());
        Event { at, what, dev: (254, 0), sector, bytes, kind, flags, failed: false, thread }
    }

    fn writes(streams: &mut Streams) -> TracedOps {
        streams.take_counts().0[0].all(RequestKind::Write)
    }

    #[test]
    fn a_request_is_timed_from_its_issue_and_its_queueing() {
        let (mut s, none) = (streams(), RoleSectors::default());
        for e in [
            event(What::Insert, 10, 8, 4096),
            event(What::Issue, 30, 8, 4096),
            event(What::Issue, 40, 16, 8192),
            event(What::Complete, 100, 8, 4096),
        ] {
            s.take(&e, &none);
        }
        let (devices, unmatched) = s.take_counts();
        let ops = devices[0].all(RequestKind::Write);
        assert_eq!((ops.ops, ops.sizes.bytes(), unmatched), (1, Bytes(4096), 0));
        assert_eq!((ops.service.max(), ops.queued.max()), (Some(Nanos(70)), Some(Nanos(20))));
        assert_eq!(devices[0].in_flight, 1, "the second has no answer yet");
        s.take(&event(What::Complete, 130, 16, 8192), &none);
        assert_eq!(writes(&mut s).sequential, 1, "it went on where the first ended");
    }

    #[test]
    fn an_answer_in_parts_is_one_request_of_its_whole_size() {
        let (mut s, none) = (streams(), RoleSectors::default());
        for e in [
            event(What::Issue, 1, 100, 65536),
            event(What::Complete, 5, 100, 16384),
            event(What::Complete, 9, 132, 49152),
        ] {
            s.take(&e, &none);
        }
        let ops = writes(&mut s);
        assert_eq!((ops.ops, ops.sizes.bytes(), ops.service.max()), (1, Bytes(65536), Some(Nanos(8))));
    }

    #[test]
    fn two_requests_for_one_place_are_both_counted_and_a_requeued_one_once() {
        let (mut s, none) = (streams(), RoleSectors::default());
        for e in [
            event(What::Issue, 1, 8, 512),
            event(What::Issue, 2, 8, 512),
            event(What::Complete, 5, 8, 512),
            event(What::Complete, 9, 8, 512),
            event(What::Issue, 10, 64, 512),
            event(What::Requeue, 11, 64, 512),
            event(What::Issue, 20, 64, 512),
            event(What::Complete, 21, 64, 512),
        ] {
            s.take(&e, &none);
        }
        let (devices, unmatched) = s.take_counts();
        let ops = devices[0].all(RequestKind::Write);
        assert_eq!((ops.ops, unmatched, devices[0].in_flight), (3, 0, 0));
        assert_eq!((ops.service.min(), ops.service.max()), (Some(Nanos(1)), Some(Nanos(7))));
    }

    #[test]
    fn flushes_have_a_time_and_no_size_and_errors_are_in_no_figure() {
        let (mut s, none) = (streams(), RoleSectors::default());
        let flush = |what, at| Event { kind: RequestKind::Flush, ..event(what, at, 0, 0) };
        s.take(&flush(What::Issue, 1), &none);
        s.take(&Event { sector: u64::MAX, ..flush(What::Complete, 31) }, &none);
        s.take(&event(What::Complete, 32, 0, 0), &none);
        s.take(&event(What::Issue, 40, 8, 512), &none);
        s.take(&Event { failed: true, ..event(What::Complete, 41, 8, 512) }, &none);
        s.take(&event(What::Complete, 50, 4000, 512), &none);
        let (devices, unmatched) = s.take_counts();
        let flushes = devices[0].all(RequestKind::Flush);
        assert_eq!((flushes.ops, flushes.sizes.count(), flushes.service.max()), (1, 0, Some(Nanos(30))));
        let writes = devices[0].all(RequestKind::Write);
        assert_eq!((writes.ops, writes.errors), (0, 1));
        assert_eq!(unmatched, 1, "the last was in flight before");
    }

    #[test]
    fn operations_of_a_partition_are_the_disks() {
        let (mut s, none) = (streams(), RoleSectors::default());
        s.take(&Event { dev: (254, 1), ..event(What::BioQueue, 1, 8, 12288) }, &none);
        s.take(&Event { dev: (9, 9), ..event(What::BioQueue, 1, 8, 12288) }, &none);
        let (devices, _) = s.take_counts();
        assert_eq!(devices[0].queued.sizes[&RequestKind::Write].commonest(), [(Bytes(12288), 1)]);
    }

    #[test]
    fn queued_operations_are_counted_for_the_submitting_thread() {
        let (mut s, none) = (streams(), RoleSectors::default());
        let thread = |id| Thread { id, name: *b"db\0\0\0\0\0\0\0\0\0\0\0\0\0\0" };
        let queued = |id, bytes| Event { thread: thread(id), ..event(What::BioQueue, 1, 8, bytes) };
        let read = Event { kind: RequestKind::Read, dev: (254, 1), ..queued(8, 512) };
        let discard = Event { kind: RequestKind::Discard, ..queued(9, 1 << 30) };
        for e in [queued(7, 4096), queued(7, 8192), event(What::Split, 2, 8, 0), read, discard, queued(7, 0)] {
            s.take(&e, &none);
        }
        // The request is issued by a kernel worker.
        s.take(&Event { thread: thread(1), ..event(What::Issue, 3, 8, 12288) }, &none);
        let (devices, _) = s.take_counts();
        let process =
            |pid, ops, bytes| DeviceProcess { pid: Some(pid), program: "db".into(), group: String::new(), ops, bytes };
        assert_eq!(devices[0].processes, [process(7, [0, 2], [0, 12288]), process(8, [1, 0], [512, 0])]);
        assert!(s.take_counts().0[0].processes.is_empty(), "each period has its counts");
    }

    #[test]
    fn a_device_without_requests_is_told_by_its_operations() {
        let mut s = Streams::new(vec![whole(true)], Vec::new());
        let none = RoleSectors::default();
        s.take(&event(What::BioQueue, 1, 8, 4096), &none);
        s.take(&event(What::BioQueue, 2, 800, 4096), &none);
        s.take(&event(What::BioComplete, 5, 8, 4096), &none);
        s.take(&event(What::BioComplete, 9, 808, 0), &none);
        let ops = writes(&mut s);
        assert_eq!((ops.ops, ops.sizes.bytes(), ops.service.max()), (2, Bytes(8192), Some(Nanos(7))));
    }

    proptest! {
        #[test]
        fn whatever_comes_every_answer_is_counted_once(
            events in prop::collection::vec((0usize..8, 0u64..6, 0u64..5, any::<bool>()), 0..200),
        ) {
            let (mut s, none) = (streams(), RoleSectors::default());
            let mut answers = 0;
            for (i, (what, sector, blocks, failed)) in events.iter().enumerate() {
                let what = super::super::events::EVENTS[*what].0;
                answers += u64::from(what == What::Complete);
                s.take(&Event { failed: *failed, ..event(what, i as u64, *sector, blocks * 512) }, &none);
            }
            let (devices, unmatched) = s.take_counts();
            let ops = devices[0].all(RequestKind::Write);
            prop_assert!(ops.ops + ops.errors + unmatched <= answers);
            prop_assert!(ops.sizes.count() <= ops.ops);
        }
    }
}
