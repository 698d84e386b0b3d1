//! Requests handed on one by one, for a recording.

use super::whole::Whole;
use model::{LostRequests, Nanos, RecordedRequest, RecordedTarget, RecordingEnd, RequestFlags, RequestKind, UNMAPPED};
use std::collections::HashMap;
use std::sync::mpsc::SyncSender;

/// What came since the batch before.
#[derive(Debug, Default)]
pub struct RecordedBatch {
    /// All targets so far; requests name them by their place here.
    pub targets: Vec<RecordedTarget>,
    /// Requests that ended, in the order in which they did.
    pub requests: Vec<RecordedRequest>,
    /// Whatever was issued before this moment has been handed over with this batch.
    pub complete: Nanos,
    /// A stretch of which something is missing.
    pub lost: Option<LostRequests>,
    /// Of the last batch; requests are not counted here.
    pub end: Option<RecordingEnd>,
}

/// Collects requests, and hands them on.
#[derive(Debug)]
pub(super) struct RequestLog {
    out: SyncSender<RecordedBatch>,
    /// CLOCK_MONOTONIC of the recording's beginning.
    begun: u64,
    targets: Vec<RecordedTarget>,
    /// Of a device and a role, each by its number.
    numbers: HashMap<(usize, usize), u16>,
    requests: Vec<RecordedRequest>,
    unmatched: u64,
}

/// A request as the trace knows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TracedRequest {
    /// The device's number, and the role's.
    pub of: (usize, usize),
    pub kind: RequestKind,
    pub flags: RequestFlags,
    pub sector: u64,
    pub bytes: u64,
    /// CLOCK_MONOTONIC.
    pub issued: u64,
    /// CLOCK_MONOTONIC; `None` = in flight still.
    pub ended: Option<u64>,
}

impl RequestLog {
    pub fn new(out: SyncSender<RecordedBatch>, begun: u64) -> Self {
        RequestLog { out, begun, targets: Vec::new(), numbers: HashMap::new(), requests: Vec::new(), unmatched: 0 }
    }

    fn since(&self, at: u64) -> Nanos {
        Nanos(at.saturating_sub(self.begun))
    }

    pub fn add(&mut self, request: &TracedRequest, whole: &Whole, roles: &[String]) {
        // Begun before the recording: its beginning is none of ours.
        if request.issued < self.begun {
            return;
        }
        let targets = &mut self.targets;
        let target = *self.numbers.entry(request.of).or_insert_with(|| {
            let role = request.of.1.checked_sub(1).and_then(|r| roles.get(r)).map_or(UNMAPPED, String::as_str);
            targets.push(RecordedTarget {
                role: role.to_owned(),
                name: whole.name.clone(),
                size: whole.size,
                sector: whole.sector,
            });
            u16::try_from(targets.len() - 1).unwrap_or(u16::MAX)
        });
        let flush = request.kind == RequestKind::Flush;
        self.requests.push(RecordedRequest {
            at: self.since(request.issued),
            latency: request.ended.map(|ended| Nanos(ended.saturating_sub(request.issued))),
            target,
            kind: request.kind,
            flags: request.flags,
            offset: if flush || request.sector == u64::MAX { 0 } else { request.sector.saturating_mul(512) },
            bytes: if flush { 0 } else { request.bytes },
        });
    }

    pub fn unmatched(&mut self) {
        self.unmatched += 1;
    }

    /// Hands on what there is; `complete` is the beginning of the oldest request in flight, or the time up to which events were
    /// read (CLOCK_MONOTONIC).
    pub fn hand_on(&mut self, complete: u64, lost: Option<(u64, u64, u64)>, end: Option<(u64, Nanos)>) {
        let lost =
            lost.map(|(from, until, events)| LostRequests { from: self.since(from), until: self.since(until), events });
        let end = end.map(|(at, cpu)| RecordingEnd {
            length: self.since(at),
            unmatched: self.unmatched,
            cpu,
            ..RecordingEnd::default()
        });
        let batch = RecordedBatch {
            targets: self.targets.clone(),
            requests: std::mem::take(&mut self.requests),
            complete: self.since(complete),
            lost,
            end,
        };
        // Nobody takes them any more where writing failed, which whoever writes says.
        let _ = self.out.send(batch);
    }
}
