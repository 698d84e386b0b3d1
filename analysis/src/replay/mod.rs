//! Making a recording again on other storage: what is sent when and where, and how that compares with what was recorded.

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
use model::{
    Bytes, Caveat, FlushKind, Nanos, Op, RecordedLayer, RecordedRequest, Recording, ReplayLinks, ReplayRequest,
    ReplaySignals, RequestFlags, RequestKind, Severity, UNMAPPED, most_in_flight,
};
use std::ops::Range;

/// What was issued so soon after the request before it was handed over with it: a list that was gathered is given to the device
/// at once, which takes a fraction of a microsecond for each.
const TOGETHER: Nanos = Nanos::from_micros(1);
/// The longest such list: all of one is issued within this time.
const LONGEST_LIST: Nanos = Nanos::from_micros(100);

/// How a recording is to be made again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayAsked {
    /// Roles that are made again; empty = all, and requests of no role only where there is nothing else.
    pub roles: Vec<String>,
    /// Times are divided by this; `None` = as fast as possible.
    pub speed: Option<f64>,
    /// The largest file.
    pub fold: Option<Bytes>,
    /// Offsets and lengths are multiples of this.
    pub align: Bytes,
    /// What was written first is left unwritten until it is written again.
    pub grow: bool,
    /// Trims are made: on devices, and in files that find new space, where what was given back is handed out again. In other files they
    /// would leave holes that no read of the device fills.
    pub trims: bool,
    /// Roles by the load they belong to: those of one number are made by one worker. A role that is not here is of number 0.
    pub loads: Vec<(String, u64)>,
}

impl ReplayAsked {
    fn load_of(&self, role: &str) -> u64 {
        self.loads.iter().find(|(named, _)| named == role).map_or(0, |(_, number)| *number)
    }
}

/// What is made again of one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleReplay {
    /// The role.
    pub role: String,
    /// As large as its file must be.
    pub size: Bytes,
    /// Most requests that were in flight; 1 where it is not known.
    pub depth: u32,
    /// Bytes of its file that are written before any of them is read, in order; empty where nobody asked for them.
    pub written_first: Vec<Range<u64>>,
}

/// What one worker makes again: operations of one role, or of several that may wait for each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayLoad {
    /// The roles: an operation's file is a place here.
    pub roles: Vec<RoleReplay>,
    /// The operations, in order.
    pub list: Vec<ReplayRequest>,
    /// When the replay begins, on the clock of the recording: the same of all loads.
    pub begun: Nanos,
    /// The requests, one for each operation of the list; `None` for flushes that belong to a write.
    pub recorded: Vec<Option<RecordedRequest>>,
    /// What waits for other loads' operations, and what others wait for.
    pub links: ReplayLinks,
}

/// A recording, ready to be made again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayPlan {
    /// Loads that run side by side; their roles in the order of the recording.
    pub loads: Vec<ReplayLoad>,
    /// What is to be doubted of it.
    pub doubts: Vec<Caveat>,
}

/// Requests that are left out, or made in another way, by why.
#[derive(Default)]
struct LeftOut {
    unmapped: u64,
    trims: u64,
    failed: u64,
    other: u64,
    moved: u64,
    /// Writes that were forced to the medium: made, as two operations.
    forced: u64,
}

/// Plans a replay. Empty where nothing of the recording is to be made.
#[must_use]
pub fn plan_replay(recording: &Recording, asked: &ReplayAsked) -> ReplayPlan {
    let owners = owners(recording);
    let is_wanted = wanted(&owners, asked);
    let mut left = LeftOut {
        unmapped: if is_wanted(UNMAPPED) { 0 } else { owners.iter().filter(|r| **r == UNMAPPED).count() as u64 },
        ..LeftOut::default()
    };
    // All begin with the first of them.
    let first = recording.requests.iter().zip(&owners).find(|(_, role)| is_wanted(role));
    let begun = first.map_or(Nanos(0), |(r, _)| r.at);
    // What the file system asks for itself stands between what is asked of it.
    let near = recording.requests.iter().zip(&owners).filter(|(_, r)| is_wanted(r) || **r == UNMAPPED);
    let (pool, whose): (Vec<RecordedRequest>, Vec<Option<&str>>) =
        near.map(|(r, of)| (*r, Some(*of).filter(|of| is_wanted(of) && left.keeps(r, asked)))).unzip();
    // Of some roles nothing may be left.
    let mut roles: Vec<&str> = Vec::new();
    for role in whose.iter().flatten() {
        if !roles.contains(role) {
            roles.push(role);
        }
    }
    let mut plan = ReplayPlan::default();
    let mut folded = Bytes(0);
    if !roles.is_empty() {
        let asks = role_requests(pool, &whose, &roles);
        let layouts = (0..roles.len() as u16)
            .map(|role| Layout::new(asks.iter().filter(|a| a.role == role).map(|a| &a.request), asked.fold));
        let layouts: Vec<Layout> = layouts.collect();
        folded = layouts.iter().fold(folded, |sum, layout| sum.saturating_add(layout.folded));
        let all = load(&roles, &asks, &layouts, (recording.header.layer, begun), asked, &mut left);
        plan.loads = apart(all, |role| asked.load_of(role));
    }
    plan.doubts = doubts(recording, &plan, &left, folded);
    plan
}

/// Which roles are made again.
fn wanted<'a>(owners: &[&str], asked: &'a ReplayAsked) -> impl Fn(&str) -> bool + use<'a> {
    let is_any_known = owners.iter().any(|role| *role != UNMAPPED);
    move |role| match asked.roles.is_empty() {
        true => role != UNMAPPED || !is_any_known,
        false => asked.roles.iter().any(|r| r == role),
    }
}

/// The requests that are made again, with what each follows by its place among them.
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

/// The loads that a list of all roles comes to, where not all of them belong to one. What waited for another load's operation
/// does so through a signal.
fn apart(all: ReplayLoad, load_of: impl Fn(&str) -> u64) -> Vec<ReplayLoad> {
    let mut numbers: Vec<u64> = Vec::new();
    let mut loads: Vec<ReplayLoad> = Vec::new();
    // Of each role its load, and its place there.
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
    // Of each operation its load and its place there; of those that another load waits for the signal.
    let mut placed: Vec<(usize, u32)> = Vec::with_capacity(all.list.len());
    let mut signals: Vec<Option<u32>> = vec![None; all.list.len()];
    let mut count = 0;
    for (mut operation, recorded) in all.list.into_iter().zip(all.recorded) {
        let (load, file) = homes[usize::from(operation.file)];
        operation.file = file;
        let before = operation.follows as usize;
        let place = loads[load].list.len() as u32;
        if let Some((of, there)) = placed.get(before).copied() {
            operation.follows = if of == load { there } else { ReplayRequest::ELSEWHERE };
            if of != load {
                let signal = *signals[before].get_or_insert_with(|| {
                    count += 1;
                    loads[of].links.tells.push((there, count - 1));
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
    /// Whether a request is made again.
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

/// The role of each request. A flush has no place: it belongs to whose data was written last, since the flush before.
fn owners(recording: &Recording) -> Vec<&str> {
    let role = |target: u16| recording.targets.get(usize::from(target)).map_or(UNMAPPED, |t| t.role.as_str());
    let device = |target: u16| recording.targets.get(usize::from(target)).map_or("", |t| t.name.as_str());
    let mut written: Vec<(&str, &str)> = Vec::new();
    let mut owners = Vec::with_capacity(recording.requests.len());
    for request in &recording.requests {
        let (own, on) = (role(request.target), device(request.target));
        let last = written.iter_mut().find(|(device, _)| *device == on);
        owners.push(match (request.kind, last) {
            (RequestKind::Write, Some(last)) if own != UNMAPPED => {
                last.1 = own;
                own
            }
            (RequestKind::Write, None) if own != UNMAPPED => {
                written.push((on, own));
                own
            }
            (RequestKind::Flush, Some(last)) if own == UNMAPPED => std::mem::replace(&mut last.1, UNMAPPED),
            _ => own,
        });
    }
    owners
}

/// The list as it grows, with the requests that its operations stand for.
#[derive(Default)]
struct Operations {
    list: Vec<ReplayRequest>,
    recorded: Vec<Option<RecordedRequest>>,
}

impl Operations {
    /// Adds one; when what follows it at once is due, and what that follows.
    fn push(&mut self, operation: ReplayRequest, request: Option<&RecordedRequest>) -> (Nanos, u32) {
        self.list.push(operation);
        self.recorded.push(request.copied());
        (Nanos(0), self.list.len() as u32 - 1)
    }
}

/// A request that is made again, its role's place, and the one it follows, by its place, and how much later.
struct RoleRequest {
    request: RecordedRequest,
    role: u16,
    follows: Option<(u32, Nanos)>,
}

/// A list that was handed over at once: whose, when its first goes, when that was issued, and when the last so far.
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
    let mut made = Operations::default();
    // Where what stands for a request ends in the list: what follows it waits for that.
    let mut places: Vec<u32> = Vec::with_capacity(asks.len());
    let mut handed: Option<Handed> = None;
    // Of each role, when all its writes so far had ended.
    let mut written: Vec<Option<Nanos>> = vec![None; roles.len()];
    for RoleRequest { request, role, follows } in asks {
        let Some((op, flush)) = request.operation(layer) else { continue };
        let (at, role) = (request.at, *role);
        let before = written[usize::from(role)].filter(|ended| *ended <= at);
        if op == Op::Write {
            written[usize::from(role)] = written[usize::from(role)].max(request.end());
        }
        let is_write = |place: u32| asks[place as usize].request.kind == RequestKind::Write;
        let own = match (follows, before) {
            // Who flushes behind a write has waited for all of them, in whatever order they end here.
            (Some((place, _)), Some(ended)) if op == Op::Flush && is_write(*place) => {
                (scaled(at.since(ended)), ReplayRequest::ALL_WRITES)
            }
            (Some((place, gap)), _) => (scaled(*gap), places[*place as usize]),
            (None, _) => (scaled(at.since(begun)), ReplayRequest::FREE),
        };
        // It goes with the list; of calls each is made by itself.
        let with =
            handed.filter(|h| h.role == role && at.since(h.last) <= TOGETHER && at.since(h.first) <= LONGEST_LIST);
        let with = with.filter(|_| layer == RecordedLayer::Block && op != Op::Flush);
        let mut when = with.map_or(own, |h| h.when);
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
        // As one operation, or in pieces that follow each other at once.
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
    let Operations { list, recorded } = made;
    let roles = roles.iter().zip(layouts).zip(0u16..).map(|((role, layout), number)| {
        let own: Vec<RecordedRequest> = asks.iter().filter(|a| a.role == number).map(|a| a.request).collect();
        RoleReplay {
            role: (*role).to_owned(),
            size: layout.size(),
            depth: most_in_flight(&own),
            written_first: if asked.grow { layout.written_first(own.iter()) } else { Vec::new() },
        }
    });
    ReplayLoad { roles: roles.collect(), list, begun, recorded, links: ReplayLinks::default() }
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
    use model::{RecordedTarget, RecordingHeader};

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

    /// As if each role had a device of its own.
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
        let of = |role: &str| plan.loads.iter().find(|l| l.roles[0].role == role).map(kinds);
        assert_eq!(of("data"), Some(vec![Op::Read, Op::Write, Op::Flush]));
        assert_eq!(of("journal"), Some(vec![Op::Write, Op::Flush]));
        // The second flush made nothing of theirs durable.
        assert_eq!(of(UNMAPPED), None);
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
        for role in &tally.told().roles {
            assert_eq!(role.recorded_length, role.made_length, "{}", role.role);
        }
        assert!(verdict::kept_up(tally.told()));
    }

    #[test]
    fn what_was_handed_over_at_once_is_due_at_once() {
        // Bursts of ten, 300 ns apart, each 10 ms; and one 20 µs behind each.
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
        // Each millisecond eight writes, 5 µs apart, and a flush 10 µs behind the last end; the next begins 10 µs behind the flush's.
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
        // A transaction reads data, and 10 µs later writes the journal, and 20 µs behind that reads again.
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
        // The journal's seventh write waits for the data's seventh read, and the eighth read for that.
        let signal = |of: &[(u32, u32)], place: u32| of.iter().find(|(at, _)| *at == place).map(|(_, signal)| *signal);
        let (told, awaited) = (signal(&data.links.tells, 7), signal(&journal.links.awaits, 7));
        assert!(told.is_some() && told == awaited, "{told:?} {awaited:?}");
        assert_eq!(signal(&journal.links.tells, 7), signal(&data.links.awaits, 8));
        assert_eq!(data.links.signals, journal.links.signals);
        let apart = plan.doubts.iter().find(|d| d.id == "replay-apart").expect("it is told");
        assert!(apart.evidence.to_string().starts_with("999 "), "{}", apart.evidence);
        // On one device one worker makes both, and nobody signals.
        let one =
            plan_replay(&recording(requests_of(&plan)), &ReplayAsked { speed: Some(1.0), ..ReplayAsked::default() });
        assert_eq!((one.loads.len(), one.loads[0].links.clone()), (1, ReplayLinks::default()));
        assert!(one.loads[0].list.iter().skip(1).enumerate().all(|(before, r)| r.follows == before as u32));
    }

    /// The requests of a plan, as they were recorded.
    fn requests_of(plan: &ReplayPlan) -> Vec<RecordedRequest> {
        let mut all: Vec<RecordedRequest> =
            plan.loads.iter().flat_map(|l| l.recorded.iter().flatten().copied()).collect();
        all.sort_by_key(|r| r.at);
        all
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
            // The third second is sent late.
            let late = if request.due.as_nanos() / 1_000_000_000 == 2 { Nanos::from_millis(30) } else { Nanos(0) };
            let sent = request.due + late;
            let (op, bytes) = (request.op, Bytes(u64::from(request.len)));
            tally.add(0, &MadeOperation { op, bytes, due: request.due, sent, end: sent + Nanos::from_micros(150) });
        }
        let told = tally.told();
        let (role, read) = (&told.roles[0], &told.roles[0].kinds[0]);
        assert_eq!((read.recorded.operations, read.made.operations), (100, 100));
        assert_eq!((read.recorded.bytes, read.made.bytes), (Bytes(819_200), Bytes(819_200)));
        assert_eq!((role.late_seconds(), role.longest_lag(), role.seconds[2].late), (1, Nanos::from_millis(30), 20));
        assert!(!verdict::kept_up(told));
        assert_eq!(read.made.latency.max().map(|t| t.as_nanos() / 1000), Some(150));
    }
}
