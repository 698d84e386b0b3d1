//! Replay of a recording on other storage: time and position of each operation, and the comparison with the recorded
//! latencies.

mod causes;
mod layout;
mod tally;
mod verdict;

pub use tally::{MadeOperation, ReplayTally};
pub(crate) use verdict::judge;

use crate::demand::lost_doubt;
use causes::followed;
use layout::Layout;
use messages::sentence;
use model::plan::{FlushKind, ReplayLinks, ReplayRequest, ReplaySignals, UNMAPPED};
use model::recording::{RecordedLayer, RecordedRequest, Recording, RequestFlags, most_in_flight};
use model::{Bytes, Caveat, Nanos, Op, Severity, distinct, measured::RequestKind};
use std::ops::Range;

/// Maximum time between requests that were submitted together: a gathered list is passed to the device at once, which
/// takes a fraction of a microsecond for each request.
const TOGETHER: Nanos = Nanos::from_micros(1);
/// Maximum time between the first and the last request of such a list.
const LONGEST_LIST: Nanos = Nanos::from_micros(100);

/// Settings of a replay.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayAsked {
    /// Roles to replay; empty = all, with unmapped requests only if there are no others.
    pub roles: Vec<String>,
    /// Divisor of the times; `None` = as fast as possible.
    pub speed: Option<f64>,
    /// Maximum size of a file.
    pub fold: Option<Bytes>,
    /// Alignment of offsets and lengths.
    pub align: Bytes,
    /// True if ranges that the recording writes before it reads them are left unwritten at the start.
    pub grow: bool,
    /// True if trims are replayed: on devices, and in files that allocate new space, which reuse trimmed ranges. In
    /// other files trims would leave holes, which reads do not fetch from the device.
    pub trims: bool,
    /// Load number of each role: one worker replays all roles with the same number. Roles not listed have number 0.
    pub loads: Vec<(String, u64)>,
}

impl ReplayAsked {
    fn load_of(&self, role: &str) -> u64 {
        self.loads.iter().find(|(named, _)| named == role).map_or(0, |(_, number)| *number)
    }
}

/// Replay of one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleReplay {
    /// Name of the role.
    pub role: String,
    /// Required size of its file.
    pub size: Bytes,
    /// Maximum number of requests in flight; 1 if unknown.
    pub depth: u32,
    /// Ranges of its file that are written before they are read, in order; empty unless requested.
    pub written_first: Vec<Range<u64>>,
}

/// Operations that one worker replays: those of one role, or of several that may wait for each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayLoad {
    /// The roles; an operation's file is an index into this list.
    pub roles: Vec<RoleReplay>,
    /// The operations, in order.
    pub list: Vec<ReplayRequest>,
    /// Start of the replay on the clock of the recording; the same for all loads.
    pub begun: Nanos,
    /// The request of each operation in the list; `None` for flushes that belong to a write.
    pub recorded: Vec<Option<RecordedRequest>>,
    /// Dependencies on operations of other loads, and operations that others depend on.
    pub links: ReplayLinks,
}

/// A replay that is ready to run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayPlan {
    /// Loads that run in parallel, with their roles in the order of the recording.
    pub loads: Vec<ReplayLoad>,
    /// Doubts about the replay.
    pub doubts: Vec<Caveat>,
}

/// Numbers of requests that are left out or replayed differently, by reason.
#[derive(Default)]
struct LeftOut {
    unmapped: u64,
    trims: u64,
    failed: u64,
    other: u64,
    moved: u64,
    /// Writes forced to the medium (FUA), which are replayed as two operations.
    forced: u64,
}

/// Plans a replay. The plan is empty if no request is to be replayed.
#[must_use]
pub fn plan_replay(recording: &Recording, asked: &ReplayAsked) -> ReplayPlan {
    let owners = owners(recording);
    let is_wanted = wanted(&owners, asked);
    let mut left = LeftOut {
        unmapped: if is_wanted(UNMAPPED) { 0 } else { owners.iter().filter(|r| **r == UNMAPPED).count() as u64 },
        ..LeftOut::default()
    };
    // All loads start with the first of these requests.
    let first = recording.requests.iter().zip(&owners).find(|(_, role)| is_wanted(role));
    let begun = first.map_or(Nanos(0), |(r, _)| r.at);
    // Requests of the file system itself link the requests of its users.
    let near = recording.requests.iter().zip(&owners).filter(|(_, r)| is_wanted(r) || **r == UNMAPPED);
    let (pool, whose): (Vec<RecordedRequest>, Vec<Option<&str>>) =
        near.map(|(r, of)| (*r, Some(*of).filter(|of| is_wanted(of) && left.keeps(r, asked)))).unzip();
    // Some roles may have no requests left.
    let roles: Vec<&str> = distinct(whose.iter().flatten().copied());
    let mut plan = ReplayPlan::default();
    let mut folded = Bytes(0);
    if !roles.is_empty() {
        let asks = role_requests(pool, &whose, &roles);
        let layouts = (0..roles.len() as u16)
            .map(|role| Layout::new(asks.iter().filter(|a| a.role == role).map(|a| &a.request), asked.fold));
        let layouts: Vec<Layout> = layouts.collect();
        folded = layouts.iter().fold(folded, |sum, layout| sum.saturating_add(layout.folded));
        let operations = load(&roles, &asks, &layouts, (recording.header.layer, begun), asked, &mut left);
        plan.loads = apart(operations, |role| asked.load_of(role));
    }
    plan.doubts = doubts(recording, &plan, &left, folded);
    plan
}

/// Returns a predicate for the roles that are replayed.
fn wanted<'a>(owners: &[&str], asked: &'a ReplayAsked) -> impl Fn(&str) -> bool + use<'a> {
    let is_any_known = owners.iter().any(|role| *role != UNMAPPED);
    move |role| match asked.roles.is_empty() {
        true => role != UNMAPPED || !is_any_known,
        false => asked.roles.iter().any(|r| r == role),
    }
}

/// Returns the requests that are replayed, with the position of the request that each follows.
fn role_requests(pool: Vec<RecordedRequest>, whose: &[Option<&str>], roles: &[&str]) -> Vec<RoleRequest> {
    let number = |role: &str| roles.iter().position(|r| *r == role).map(|i| i as u16);
    let whose: Vec<Option<u16>> = whose.iter().map(|role| role.and_then(number)).collect();
    let follows = followed(&pool, &whose);
    let mut places = 0u32;
    let numbered = whose.iter().map(|role| {
        places += u32::from(role.is_some());
        places.saturating_sub(1)
    });
    let numbers: Vec<u32> = numbered.collect();
    let made = pool.into_iter().zip(whose).zip(follows).filter_map(|((request, role), follows)| {
        let follows = follows.map(|(place, gap)| (numbers[place as usize], gap));
        Some(RoleRequest { request, role: role?, follows })
    });
    made.collect()
}

/// Splits a list of all roles into loads if the roles belong to several. An operation that waits for an operation of
/// another load does so through a signal.
fn apart(all: ReplayLoad, load_of: impl Fn(&str) -> u64) -> Vec<ReplayLoad> {
    let mut numbers: Vec<u64> = Vec::new();
    let mut loads: Vec<ReplayLoad> = Vec::new();
    // For each role, its load and its index there.
    let mut homes: Vec<(usize, u16)> = Vec::with_capacity(all.roles.len());
    for role in &all.roles {
        let number = load_of(&role.role);
        let load = numbers.iter().position(|n| *n == number).unwrap_or(numbers.len());
        if load == numbers.len() {
            numbers.push(number);
            loads.push(ReplayLoad { begun: all.begun, ..ReplayLoad::default() });
        }
        homes.push((load, loads[load].roles.len() as u16));
        loads[load].roles.push(role.clone());
    }
    if loads.len() < 2 {
        return vec![all];
    }
    // For each operation, its load and index there, and its signal if another load waits for it.
    let mut placed: Vec<(usize, u32)> = Vec::with_capacity(all.list.len());
    let mut signals: Vec<Option<u32>> = vec![None; all.list.len()];
    let mut count = 0;
    for (mut operation, recorded) in all.list.into_iter().zip(all.recorded) {
        let (load, file) = homes[usize::from(operation.file)];
        operation.file = file;
        let before = operation.follows as usize;
        let place = loads[load].list.len() as u32;
        if let Some((earlier_load, earlier_place)) = placed.get(before).copied() {
            operation.follows = if earlier_load == load { earlier_place } else { ReplayRequest::ELSEWHERE };
            if earlier_load != load {
                let signal = *signals[before].get_or_insert_with(|| {
                    count += 1;
                    loads[earlier_load].links.tells.push((earlier_place, count - 1));
                    count - 1
                });
                loads[load].links.awaits.push((place, signal));
            }
        }
        placed.push((load, place));
        loads[load].list.push(operation);
        loads[load].recorded.push(recorded);
    }
    let shared = ReplaySignals::new(count);
    for load in &mut loads {
        load.links.signals = shared.clone();
    }
    loads
}

impl LeftOut {
    /// Returns `true` if a request is replayed, and otherwise counts the reason.
    fn keeps(&mut self, request: &RecordedRequest, asked: &ReplayAsked) -> bool {
        let count = match request.kind {
            _ if request.flags.has(RequestFlags::FAILED) => &mut self.failed,
            RequestKind::Other => &mut self.other,
            RequestKind::Discard if !asked.trims => &mut self.trims,
            RequestKind::Read | RequestKind::Write | RequestKind::Discard if request.bytes == 0 => &mut self.other,
            _ => return true,
        };
        *count += 1;
        false
    }
}

/// Returns the role of each request. A flush has no position: it belongs to the role that wrote to the device last,
/// since the previous flush.
fn owners(recording: &Recording) -> Vec<&str> {
    let role = |target: u16| recording.targets.get(usize::from(target)).map_or(UNMAPPED, |t| t.role.as_str());
    let device = |target: u16| recording.targets.get(usize::from(target)).map_or("", |t| t.name.as_str());
    let mut written: Vec<(&str, &str)> = Vec::new();
    let mut owners = Vec::with_capacity(recording.requests.len());
    for request in &recording.requests {
        let (owner, on) = (role(request.target), device(request.target));
        let last = written.iter_mut().find(|(device, _)| *device == on);
        owners.push(match (request.kind, last) {
            (RequestKind::Write, Some(last)) if owner != UNMAPPED => {
                last.1 = owner;
                owner
            }
            (RequestKind::Write, None) if owner != UNMAPPED => {
                written.push((on, owner));
                owner
            }
            (RequestKind::Flush, Some(last)) if owner == UNMAPPED => std::mem::replace(&mut last.1, UNMAPPED),
            _ => owner,
        });
    }
    owners
}

impl ReplayLoad {
    /// Adds an operation and the request that it represents. Returns the due time and the
    /// predecessor of an operation that follows it immediately.
    fn push(&mut self, operation: ReplayRequest, request: Option<&RecordedRequest>) -> (Nanos, u32) {
        self.list.push(operation);
        self.recorded.push(request.copied());
        (Nanos(0), self.list.len() as u32 - 1)
    }
}

/// A request to replay, with the index of its role, and the position of the request that it follows with the delay.
struct RoleRequest {
    request: RecordedRequest,
    role: u16,
    follows: Option<(u32, Nanos)>,
}

/// A list of requests that were submitted together: the role, the due time and the predecessor of the first request,
/// and the issue times of the first and of the latest request.
#[derive(Clone, Copy)]
struct Handed {
    role: u16,
    when: (Nanos, u32),
    first: Nanos,
    last: Nanos,
}

fn load(
    roles: &[&str],
    asks: &[RoleRequest],
    layouts: &[Layout],
    (layer, begun): (RecordedLayer, Nanos),
    asked: &ReplayAsked,
    left: &mut LeftOut,
) -> ReplayLoad {
    let speed = asked.speed.unwrap_or(1.0);
    let scaled = |time: Nanos| Nanos((time.as_nanos() as f64 / speed) as u64);
    let align = asked.align.as_u64().max(1);
    let mut made = ReplayLoad { begun, ..ReplayLoad::default() };
    // Last operation of each request in the list, for which followers wait.
    let mut places: Vec<u32> = Vec::with_capacity(asks.len());
    let mut handed: Option<Handed> = None;
    // For each role, the time at which all its writes so far had ended.
    let mut written: Vec<Option<Nanos>> = vec![None; roles.len()];
    for RoleRequest { request, role, follows } in asks {
        let Some((op, flush)) = request.operation(layer) else { continue };
        let (at, role) = (request.at, *role);
        let before = written[usize::from(role)].filter(|ended| *ended <= at);
        if op == Op::Write {
            written[usize::from(role)] = written[usize::from(role)].max(request.end());
        }
        let is_write = |place: u32| asks[place as usize].request.kind == RequestKind::Write;
        let previous = match (follows, before) {
            // A flush that follows a write has waited for all writes, regardless of the order in which they end in the
            // replay.
            (Some((place, _)), Some(ended)) if op == Op::Flush && is_write(*place) => {
                (scaled(at.since(ended)), ReplayRequest::ALL_WRITES)
            }
            (Some((place, gap)), _) => (scaled(*gap), places[*place as usize]),
            (None, _) => (scaled(at.since(begun)), ReplayRequest::FREE),
        };
        // The request joins the list; system calls are issued one by one.
        let with =
            handed.filter(|h| h.role == role && at.since(h.last) <= TOGETHER && at.since(h.first) <= LONGEST_LIST);
        let with = with.filter(|_| layer == RecordedLayer::Block && op != Op::Flush);
        let mut when = with.map_or(previous, |h| h.when);
        handed = Some(Handed { role, when, first: with.map_or(at, |h| h.first), last: at }).filter(|_| op != Op::Flush);
        let flushing = |(due, follows)| ReplayRequest {
            due,
            at: 0,
            len: 0,
            file: role,
            op: Op::Flush,
            flush: FlushKind::Data,
            follows,
        };
        if op == Op::Write && request.flags.has(RequestFlags::PREFLUSH) {
            when = made.push(flushing(when), None);
        }
        let layout = &layouts[usize::from(role)];
        let (offset, len) = if op == Op::Flush { (0, 0) } else { layout.place(request, align) };
        left.moved += u64::from(op != Op::Flush && len != request.bytes);
        // A single operation, or pieces that follow each other immediately.
        let whole = ReplayRequest { at: offset, op, flush, ..flushing(when) };
        for (number, piece) in whole.in_pieces(len).enumerate() {
            let (due, follows) = when;
            when = made.push(ReplayRequest { due, follows, ..piece }, Some(request).filter(|_| number == 0));
        }
        if op == Op::Write && request.flags.has(RequestFlags::FUA) {
            left.forced += 1;
            made.push(flushing(when), None);
        }
        places.push(made.list.len() as u32 - 1);
    }
    let roles = roles.iter().zip(layouts).zip(0u16..).map(|((role, layout), number)| {
        let requests: Vec<RecordedRequest> = asks.iter().filter(|a| a.role == number).map(|a| a.request).collect();
        RoleReplay {
            role: (*role).to_owned(),
            size: layout.size(),
            depth: most_in_flight(&requests),
            written_first: if asked.grow { layout.written_first(requests.iter()) } else { Vec::new() },
        }
    });
    ReplayLoad { roles: roles.collect(), ..made }
}

fn doubts(recording: &Recording, plan: &ReplayPlan, left: &LeftOut, folded: Bytes) -> Vec<Caveat> {
    let mut doubts: Vec<Caveat> = lost_doubt(&recording.lost).into_iter().collect();
    if !folded.is_zero() {
        let seen = sentence!("replay-folded-seen", bytes = folded);
        doubts.push(Caveat::new("replay-folded", Severity::Doubt, sentence!("replay-folded"), seen));
    }
    let operations: u64 = plan.loads.iter().map(|l| l.list.len() as u64).sum();
    if left.moved > 0 {
        let seen = sentence!("replay-moved-seen", n = left.moved, of = operations);
        doubts.push(Caveat::new("replay-moved", Severity::Doubt, sentence!("replay-moved"), seen));
    }
    for (id, n, statement) in [
        ("replay-unmapped", left.unmapped, sentence!("replay-unmapped")),
        ("replay-trims", left.trims, sentence!("replay-trims")),
        ("replay-failed", left.failed + left.other, sentence!("replay-failed")),
    ] {
        if n > 0 {
            doubts.push(Caveat::new(id, Severity::Note, statement, sentence!("replay-left-out-seen", n)));
        }
    }
    if operations == 0 {
        return doubts;
    }
    if left.forced > 0 {
        let seen = sentence!("replay-forced-seen", n = left.forced);
        doubts.push(Caveat::new("replay-forced", Severity::Note, sentence!("replay-forced"), seen));
    }
    let first = plan.loads.iter().flat_map(|load| &load.roles).flat_map(|role| &role.written_first);
    let first: u64 = first.map(|range| range.end - range.start).sum();
    if first > 0 {
        let seen = sentence!("replay-grown-seen", bytes = Bytes(first));
        doubts.push(Caveat::new("replay-grown", Severity::Note, sentence!("replay-grown"), seen));
    }
    let following: u64 = plan.loads.iter().flat_map(|l| &l.list).filter(|r| r.is_following()).count() as u64;
    let timed = recording.requests.iter().any(|r| r.latency.is_some());
    if timed {
        let seen = sentence!("replay-following-seen", n = following, of = operations);
        doubts.push(Caveat::new("replay-following", Severity::Note, sentence!("replay-following"), seen));
    } else {
        let seen = sentence!("replay-open-seen");
        doubts.push(Caveat::new("replay-open", Severity::Doubt, sentence!("replay-open"), seen));
    }
    let apart: u64 = plan.loads.iter().map(|l| l.links.awaits.len() as u64).sum();
    if apart > 0 {
        let seen = sentence!("replay-apart-seen", n = apart, loads = plan.loads.len() as u64);
        doubts.push(Caveat::new("replay-apart", Severity::Note, sentence!("replay-apart"), seen));
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::recording::{RecordedTarget, RecordingHeader};

    fn request(at: u64, target: u16, kind: RequestKind, flags: RequestFlags) -> RecordedRequest {
        let bytes = if kind == RequestKind::Flush { 0 } else { 8192 };
        let (at, latency) = (Nanos::from_micros(at), Some(Nanos::from_micros(100)));
        RecordedRequest { at, latency, target, kind, flags, offset: at.as_nanos() / 1000 * 8192, bytes }
    }

    fn recording(requests: Vec<RecordedRequest>) -> Recording {
        let target = |role: &str| RecordedTarget { role: role.into(), name: "vda".into(), ..RecordedTarget::default() };
        Recording {
            header: RecordingHeader { layer: RecordedLayer::Block, has_latency: true, ..RecordingHeader::default() },
            targets: vec![target("data"), target("journal"), target(UNMAPPED)],
            requests,
            ..Recording::default()
        }
    }

    /// Plans a replay in which each role has a separate device.
    fn plan(requests: Vec<RecordedRequest>, asked: ReplayAsked) -> ReplayPlan {
        let loads = vec![("data".to_owned(), 0), ("journal".to_owned(), 1)];
        plan_replay(&recording(requests), &ReplayAsked { speed: Some(1.0), align: Bytes(512), loads, ..asked })
    }

    fn kinds(role: &ReplayLoad) -> Vec<Op> {
        role.list.iter().map(|r| r.op).collect()
    }

    const NONE: RequestFlags = RequestFlags::from_bits(0);

    #[test]
    fn a_flush_belongs_to_whose_data_was_written_since_the_last() {
        use RequestKind::{Flush, Read, Write};
        let requests = vec![
            request(0, 0, Read, NONE),
            request(1000, 1, Write, NONE),
            request(2000, 2, Flush, NONE),
            request(3000, 2, Flush, NONE),
            request(4000, 0, Write, NONE),
            request(5000, 2, Flush, NONE),
        ];
        let plan = plan(requests, ReplayAsked::default());
        let kinds_of = |role: &str| plan.loads.iter().find(|l| l.roles[0].role == role).map(kinds);
        assert_eq!(kinds_of("data"), Some(vec![Op::Read, Op::Write, Op::Flush]));
        assert_eq!(kinds_of("journal"), Some(vec![Op::Write, Op::Flush]));
        // The second flush made no data of either role durable.
        assert_eq!(kinds_of(UNMAPPED), None);
        let left = plan.doubts.iter().find(|d| d.id == "replay-unmapped").expect("it is told");
        assert_eq!(left.evidence.to_string(), "1 requests");
    }

    #[test]
    fn what_is_forced_to_the_medium_is_written_and_flushed() {
        let flags = RequestFlags::PREFLUSH.with(RequestFlags::FUA);
        let requests = vec![request(0, 1, RequestKind::Write, flags), request(5000, 1, RequestKind::Write, NONE)];
        let plan = plan(requests, ReplayAsked::default());
        let list = &plan.loads[0].list;
        assert_eq!(kinds(&plan.loads[0]), [Op::Flush, Op::Write, Op::Flush, Op::Write]);
        let follows: Vec<u32> = list.iter().map(|r| r.follows).collect();
        assert_eq!(follows, [ReplayRequest::FREE, 0, 1, ReplayRequest::FREE]);
        assert_eq!(list[3].due, Nanos::from_micros(5000));
        let forced = plan.doubts.iter().find(|d| d.id == "replay-forced").expect("it is told");
        assert_eq!(forced.evidence.to_string(), "1 writes");
    }

    #[test]
    fn roles_begin_together_at_the_first_request_of_those_that_are_made() {
        let requests = vec![
            request(0, 2, RequestKind::Read, NONE),
            request(700, 1, RequestKind::Read, NONE),
            request(1000, 0, RequestKind::Read, NONE),
        ];
        let both = plan(requests.clone(), ReplayAsked::default());
        assert_eq!(both.loads.iter().map(|r| r.list[0].due.as_nanos()).collect::<Vec<_>>(), [0, 300_000]);
        let loads = vec![("journal".to_owned(), 1)];
        let twice = ReplayAsked { speed: Some(2.0), loads, ..ReplayAsked::default() };
        let twice = plan_replay(&recording(requests.clone()), &twice);
        assert_eq!(twice.loads[1].list[0].due.as_nanos(), 150_000);
        let one = plan(requests, ReplayAsked { roles: vec!["data".into()], ..ReplayAsked::default() });
        assert_eq!((one.loads.len(), one.loads[0].list[0].due), (1, Nanos(0)));
    }

    #[test]
    fn a_role_that_begins_later_is_no_role_that_took_longer() {
        let early = (0..5).map(|i| request(i * 1_000_000, 0, RequestKind::Read, NONE));
        let late = (5..8).map(|i| request(i * 1_000_000, 1, RequestKind::Read, NONE));
        let plan = plan(early.chain(late).collect(), ReplayAsked::default());
        let mut tally = ReplayTally::new("a test", 1.0, &plan.loads);
        for (number, role) in plan.loads.iter().enumerate() {
            for made in &role.list {
                let end = made.due + Nanos::from_micros(100);
                let (op, bytes) = (made.op, Bytes(u64::from(made.len)));
                tally.add(number, &MadeOperation { op, bytes, due: made.due, sent: made.due, end });
            }
        }
        for role in &tally.counts().roles {
            assert_eq!(role.recorded_length, role.made_length, "{}", role.role);
        }
        assert!(verdict::kept_up(tally.counts()));
    }

    #[test]
    fn what_was_handed_over_at_once_is_due_at_once() {
        // Bursts of ten, 300 ns apart, every 10 ms; and one request 20 µs after each.
        let bursts = (0..5).flat_map(|burst| {
            (0..11).map(move |i| {
                let at = Nanos(burst * 10_000_000 + if i < 10 { i * 300 } else { 22_700 });
                RecordedRequest { at, ..request(burst * 11 + i, 0, RequestKind::Write, NONE) }
            })
        });
        let list = &plan(bursts.collect(), ReplayAsked::default()).loads[0].list;
        for (place, operation) in list.iter().enumerate() {
            let (burst, i) = (place as u64 / 11, place % 11);
            let due = burst * 10_000_000 + if i < 10 { 0 } else { 22_700 };
            assert_eq!((operation.due, operation.follows), (Nanos(due), ReplayRequest::FREE), "{place}");
        }
    }

    #[test]
    fn a_flush_behind_writes_waits_for_all_of_them() {
        // Each millisecond eight writes, 5 µs apart, and a flush 10 µs after the last end; the next round begins 10 µs
        // after the flush ends.
        let mut requests = Vec::new();
        for round in 0..50 {
            let at = round * 1_000;
            requests.extend((0..8).map(|i| request(at + i * 5, 1, RequestKind::Write, NONE)));
            requests.push(RecordedRequest {
                latency: Some(Nanos::from_micros(845)),
                ..request(at + 145, 2, RequestKind::Flush, NONE)
            });
        }
        let list = &plan(requests, ReplayAsked::default()).loads[0].list;
        let flushes: Vec<_> = list.iter().filter(|r| r.op == Op::Flush).collect();
        assert_eq!(flushes.len(), 50);
        assert!(
            flushes.iter().all(|r| r.follows == ReplayRequest::ALL_WRITES && r.due == Nanos::from_micros(10)),
            "{flushes:?}"
        );
    }

    #[test]
    fn what_waits_for_another_device_waits_through_a_signal() {
        // A transaction reads data, writes the journal 10 µs later, and reads again 20 µs after that.
        let requests: Vec<_> = (0..500u64)
            .flat_map(|i| {
                [request(i * 230, 0, RequestKind::Read, NONE), request(i * 230 + 110, 1, RequestKind::Write, NONE)]
            })
            .collect();
        let plan = plan(requests, ReplayAsked::default());
        let [data, journal] = plan.loads.as_slice() else { panic!("{} loads", plan.loads.len()) };
        assert_eq!((kinds(data), kinds(journal)), (vec![Op::Read; 500], vec![Op::Write; 500]));
        assert_eq!(journal.list[7].follows, ReplayRequest::ELSEWHERE);
        assert_eq!((data.list[7].due, journal.list[7].due), (Nanos::from_micros(20), Nanos::from_micros(10)));
        // The journal's write 7 waits for the data's read 7, and read 8 waits for that write.
        let signal = |of: &[(u32, u32)], place: u32| of.iter().find(|(at, _)| *at == place).map(|(_, signal)| *signal);
        let (signalled, awaited) = (signal(&data.links.tells, 7), signal(&journal.links.awaits, 7));
        assert!(signalled.is_some() && signalled == awaited, "{signalled:?} {awaited:?}");
        assert_eq!(signal(&journal.links.tells, 7), signal(&data.links.awaits, 8));
        assert_eq!(data.links.signals, journal.links.signals);
        let apart = plan.doubts.iter().find(|d| d.id == "replay-apart").expect("it is told");
        assert!(apart.evidence.to_string().starts_with("999 "), "{}", apart.evidence);
        // On one device one worker replays both, without signals.
        let one =
            plan_replay(&recording(requests_of(&plan)), &ReplayAsked { speed: Some(1.0), ..ReplayAsked::default() });
        assert_eq!((one.loads.len(), one.loads[0].links.clone()), (1, ReplayLinks::default()));
        assert!(one.loads[0].list.iter().skip(1).enumerate().all(|(before, r)| r.follows == before as u32));
    }

    /// Returns the requests of a plan, as they were recorded.
    fn requests_of(plan: &ReplayPlan) -> Vec<RecordedRequest> {
        let mut recorded: Vec<RecordedRequest> =
            plan.loads.iter().flat_map(|l| l.recorded.iter().flatten().copied()).collect();
        recorded.sort_by_key(|r| r.at);
        recorded
    }

    #[test]
    fn trims_go_to_devices_only_and_failed_requests_nowhere() {
        let requests = || {
            let mut trim = request(0, 0, RequestKind::Discard, NONE);
            trim.bytes = (5 << 30) + 512;
            let failed = request(100, 0, RequestKind::Read, RequestFlags::FAILED);
            vec![trim, failed, request(200, 0, RequestKind::Read, NONE)]
        };
        assert_eq!(kinds(&plan(requests(), ReplayAsked::default()).loads[0]), [Op::Read]);
        let device = plan(requests(), ReplayAsked { trims: true, ..ReplayAsked::default() });
        let list = &device.loads[0].list;
        let lengths: Vec<u64> = list.iter().filter(|r| r.op == Op::Trim).map(|r| u64::from(r.len)).collect();
        assert_eq!((lengths.len(), lengths.iter().sum::<u64>()), (6, (5 << 30) + 512));
    }

    #[test]
    fn what_was_made_stands_beside_what_was_recorded() {
        let requests: Vec<_> = (0..100).map(|i| request(i * 50_000, 0, RequestKind::Read, NONE)).collect();
        let plan = plan(requests, ReplayAsked::default());
        let mut tally = ReplayTally::new("a test", 1.0, &plan.loads);
        for request in &plan.loads[0].list {
            // The operations of the third second are sent late.
            let late = if request.due.as_nanos() / 1_000_000_000 == 2 { Nanos::from_millis(30) } else { Nanos(0) };
            let sent = request.due + late;
            let (op, bytes) = (request.op, Bytes(u64::from(request.len)));
            tally.add(0, &MadeOperation { op, bytes, due: request.due, sent, end: sent + Nanos::from_micros(150) });
        }
        let counts = tally.counts();
        let (role, read) = (&counts.roles[0], &counts.roles[0].kinds[0]);
        assert_eq!((read.recorded.operations, read.made.operations), (100, 100));
        assert_eq!((read.recorded.bytes, read.made.bytes), (Bytes(819_200), Bytes(819_200)));
        assert_eq!((role.late_seconds(), role.longest_lag(), role.seconds[2].late), (1, Nanos::from_millis(30), 20));
        assert!(!verdict::kept_up(counts));
        assert_eq!(read.made.latency.max().map(|t| t.as_nanos() / 1000), Some(150));
    }
}
