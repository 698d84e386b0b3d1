//! Counts of the replayed operations next to those of the recorded ones.

use super::ReplayLoad;
use model::record::{OperationLatencies, ReplaySecond, Replayed, ReplayedKind, ReplayedRole, ReplayedSize};
use model::{Bytes, LatencyHistogram, Nanos, Op};

/// Delay above which an operation counts as late. Delays caused only by a busy machine are shorter.
const LATE: Nanos = Nanos::from_millis(10);

/// A replayed operation, with times from the beginning of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MadeOperation {
    /// Kind of operation.
    pub op: Op,
    /// Size of the operation.
    pub bytes: Bytes,
    /// Time at which it was due.
    pub due: Nanos,
    /// Time at which it was sent.
    pub sent: Nanos,
    /// Time at which it ended.
    pub end: Nanos,
}

/// Counter of the operations of a replay, as they are added.
#[derive(Debug, Clone)]
pub struct ReplayTally {
    told: Replayed,
}

impl ReplayTally {
    /// Creates a tally for these loads; `speed` is the requested one, 0 = as fast as possible.
    #[must_use]
    pub fn new(recording: &str, speed: f64, loads: &[ReplayLoad]) -> Self {
        let counts = Replayed {
            recording: recording.to_owned(),
            speed,
            roles: loads.iter().flat_map(|load| recorded(load, speed)).collect(),
        };
        ReplayTally { told: counts }
    }

    /// Adds an operation of a role, by the role's index in the plan.
    pub fn add(&mut self, role: usize, made: &MadeOperation) {
        let is_paced = self.told.speed > 0.0;
        let Some(role) = self.told.roles.get_mut(role) else { return };
        role.made_length = role.made_length.max(made.end);
        let latency = made.end.since(made.sent);
        let kind = kind(&mut role.kinds, made.op);
        kind.made.add(made.bytes, Some(latency));
        kind.from_due.record(made.end.since(made.due));
        if made.op != Op::Flush {
            size(&mut kind.sizes, made.bytes).made.add(made.bytes, Some(latency));
        }
        if !is_paced {
            return;
        }
        let second = (made.due.as_nanos() / Nanos::from_secs(1).as_nanos()) as usize;
        if role.seconds.len() <= second {
            role.seconds.resize(second + 1, ReplaySecond::default());
        }
        let lag = made.sent.since(made.due);
        let counts = &mut role.seconds[second];
        counts.operations += 1;
        counts.late += u64::from(lag > LATE);
        counts.longest = counts.longest.max(lag);
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn counts(&self) -> &Replayed {
        &self.told
    }
}

/// Returns the recorded counts of the roles of a load.
fn recorded(load: &ReplayLoad, speed: f64) -> Vec<ReplayedRole> {
    let named = |role: &super::RoleReplay| ReplayedRole { role: role.role.clone(), ..ReplayedRole::default() };
    let mut roles: Vec<ReplayedRole> = load.roles.iter().map(named).collect();
    for (operation, request) in load.list.iter().zip(&load.recorded) {
        let counts = &mut roles[usize::from(operation.file)];
        counts.operations += 1;
        counts.following += u64::from(operation.is_following());
        let kind = kind(&mut counts.kinds, operation.op);
        // Flushes that belong to a write, and further pieces of a request, have no recorded latency.
        let Some(request) = request else {
            kind.recorded.add(Bytes(0), None);
            continue;
        };
        kind.recorded.add(Bytes(request.bytes), request.latency);
        if operation.op != Op::Flush {
            // Counted under the replayed size, so that recorded and replayed requests are compared at the same size.
            size(&mut kind.sizes, Bytes(u64::from(operation.len))).recorded.add(Bytes(request.bytes), request.latency);
        }
        let end = request.end().unwrap_or(request.at).since(load.begun);
        counts.recorded_length = counts.recorded_length.max(end);
    }
    let speed = if speed > 0.0 { speed } else { 1.0 };
    for role in &mut roles {
        role.recorded_length = Nanos((role.recorded_length.as_nanos() as f64 / speed) as u64);
    }
    roles
}

fn kind(kinds: &mut Vec<ReplayedKind>, op: Op) -> &mut ReplayedKind {
    let place = kinds.iter().position(|k| k.op == op).unwrap_or_else(|| {
        let place = kinds.iter().take_while(|k| k.op.index() < op.index()).count();
        let (recorded, made) = Default::default();
        let from_due = LatencyHistogram::default();
        kinds.insert(place, ReplayedKind { op, recorded, made, from_due, sizes: Vec::new() });
        place
    });
    &mut kinds[place]
}

fn size(sizes: &mut Vec<ReplayedSize>, bytes: Bytes) -> &mut ReplayedSize {
    let up_to = Bytes(bytes.as_u64().max(512).next_power_of_two());
    let place = sizes.iter().position(|s| s.up_to == up_to).unwrap_or_else(|| {
        let place = sizes.iter().take_while(|s| s.up_to < up_to).count();
        let (recorded, made): (OperationLatencies, OperationLatencies) = Default::default();
        sizes.insert(place, ReplayedSize { up_to, recorded, made });
        place
    });
    &mut sizes[place]
}
