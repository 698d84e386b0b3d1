//! Making a recording again on other storage: what is sent when and where, and how that compares with what was recorded.

mod causes;
mod layout;
mod tally;
mod verdict;

pub use tally::{MadeOperation, ReplayTally};
pub use verdict::{kept_up, replay_verdict};

use causes::followed;
use layout::Layout;
use messages::sentence;
use model::{
    Bytes, Caveat, FlushKind, Nanos, Op, RecordedLayer, RecordedRequest, Recording, ReplayRequest, RequestFlags,
    RequestKind, Severity, UNMAPPED, most_in_flight,
};

/// Bytes of the largest operation: what is larger goes in pieces.
const LARGEST: u64 = 1 << 30;

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
    /// Trims are made: on devices. In a file they would leave holes that no read of the device fills.
    pub trims: bool,
}

/// What is made again of one role.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleReplay {
    /// The role.
    pub role: String,
    /// The operations, in order.
    pub list: Vec<ReplayRequest>,
    /// As large as its file must be.
    pub size: Bytes,
    /// Most requests that were in flight; 1 where it is not known.
    pub depth: u32,
    /// The requests, one for each operation of the list; `None` for flushes that belong to a write.
    pub recorded: Vec<Option<RecordedRequest>>,
}

/// A recording, ready to be made again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayPlan {
    /// The roles, in the order of the recording.
    pub roles: Vec<RoleReplay>,
    /// What is to be doubted of it.
    pub doubts: Vec<Caveat>,
}

/// Requests that are left out, or changed, by why.
#[derive(Default)]
struct LeftOut {
    unmapped: u64,
    trims: u64,
    failed: u64,
    other: u64,
    moved: u64,
}

/// Plans a replay. Empty where nothing of the recording is to be made.
#[must_use]
pub fn plan_replay(recording: &Recording, asked: &ReplayAsked) -> ReplayPlan {
    let owners = owners(recording);
    let named = owners.iter().any(|role| *role != UNMAPPED);
    let wanted = |role: &str| match asked.roles.is_empty() {
        true => role != UNMAPPED || !named,
        false => asked.roles.iter().any(|r| r == role),
    };
    let mut roles: Vec<&str> = Vec::new();
    for role in &owners {
        if wanted(role) && !roles.contains(role) {
            roles.push(role);
        }
    }
    let mut left = LeftOut {
        unmapped: if wanted(UNMAPPED) { 0 } else { owners.iter().filter(|r| **r == UNMAPPED).count() as u64 },
        ..LeftOut::default()
    };
    // All begin with the first of them.
    let of_any = recording.requests.iter().zip(&owners).find(|(_, role)| wanted(role));
    let begun = of_any.map_or(Nanos(0), |(r, _)| r.at);
    let mut plan = ReplayPlan::default();
    let mut folded = Bytes(0);
    for role in roles {
        let of_role = recording.requests.iter().zip(&owners).filter(|(_, r)| **r == role).map(|(r, _)| *r);
        let requests: Vec<RecordedRequest> = of_role.filter(|r| left.keeps(r, asked)).collect();
        if requests.is_empty() {
            continue;
        }
        let layout = Layout::new(requests.iter(), asked.fold);
        folded = folded.saturating_add(layout.folded);
        plan.roles.push(role_replay(role, (&requests, recording.header.layer), &layout, begun, asked, &mut left));
    }
    plan.doubts = doubts(recording, &plan, &left, folded);
    plan
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

fn role_replay(
    role: &str,
    (requests, layer): (&[RecordedRequest], RecordedLayer),
    layout: &Layout,
    begun: Nanos,
    asked: &ReplayAsked,
    left: &mut LeftOut,
) -> RoleReplay {
    let speed = asked.speed.unwrap_or(1.0);
    let scaled = |time: Nanos| Nanos((time.as_nanos() as f64 / speed) as u64);
    let align = asked.align.as_u64().max(1);
    let mut made = Operations::default();
    // Where what stands for a request ends in the list: what follows it waits for that.
    let mut places: Vec<u32> = Vec::with_capacity(requests.len());
    for (request, follows) in requests.iter().zip(followed(requests)) {
        let Some((op, flush)) = request.operation(layer) else { continue };
        let mut when = match follows {
            Some((place, gap)) => (scaled(gap), places[place as usize]),
            None => (scaled(request.at.since(begun)), ReplayRequest::FREE),
        };
        let flushing = |(due, follows)| ReplayRequest {
            due,
            at: 0,
            len: 0,
            file: 0,
            op: Op::Flush,
            flush: FlushKind::Data,
            follows,
        };
        if op == Op::Write && request.flags.has(RequestFlags::PREFLUSH) {
            when = made.push(flushing(when), None);
        }
        let (at, len) = if op == Op::Flush { (0, 0) } else { layout.place(request, align) };
        left.moved += u64::from(op != Op::Flush && len != request.bytes);
        // As one operation, or in pieces that follow each other at once.
        for piece in 0..len.div_ceil(LARGEST).max(1) {
            let (due, follows) = when;
            let len = (len - piece * LARGEST).min(LARGEST) as u32;
            let this = ReplayRequest { due, at: at + piece * LARGEST, len, file: 0, op, flush, follows };
            when = made.push(this, Some(request).filter(|_| piece == 0));
        }
        if op == Op::Write && request.flags.has(RequestFlags::FUA) {
            made.push(flushing(when), None);
        }
        places.push(made.list.len() as u32 - 1);
    }
    let Operations { list, recorded } = made;
    RoleReplay { role: role.to_owned(), list, size: layout.size(), depth: most_in_flight(requests), recorded }
}

fn doubts(recording: &Recording, plan: &ReplayPlan, left: &LeftOut, folded: Bytes) -> Vec<Caveat> {
    let mut doubts = Vec::new();
    let events: u64 = recording.lost.iter().map(|lost| lost.events).sum();
    if events > 0 {
        let seen = sentence!("demand-lost-seen", events, stretches = recording.lost.len() as u64);
        doubts.push(Caveat::new("recording-lost", Severity::Doubt, sentence!("demand-lost"), seen));
    }
    if !folded.is_zero() {
        let seen = sentence!("replay-folded-seen", bytes = folded);
        doubts.push(Caveat::new("replay-folded", Severity::Doubt, sentence!("replay-folded"), seen));
    }
    let operations: u64 = plan.roles.iter().map(|r| r.list.len() as u64).sum();
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
    let following: u64 = plan.roles.iter().flat_map(|r| &r.list).filter(|r| r.is_following()).count() as u64;
    let timed = recording.requests.iter().any(|r| r.latency.is_some());
    if timed {
        let seen = sentence!("replay-following-seen", n = following, of = operations);
        doubts.push(Caveat::new("replay-following", Severity::Note, sentence!("replay-following"), seen));
    } else {
        let seen = sentence!("replay-open-seen");
        doubts.push(Caveat::new("replay-open", Severity::Doubt, sentence!("replay-open"), seen));
    }
    if plan.roles.len() > 1 && following > 0 {
        let seen = sentence!("replay-apart-seen", roles = plan.roles.len() as u64);
        doubts.push(Caveat::new("replay-apart", Severity::Note, sentence!("replay-apart"), seen));
    }
    doubts
}
