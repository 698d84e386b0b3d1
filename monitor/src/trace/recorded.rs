//! Individual requests, sent to a recording.

use super::whole::Whole;
use model::recording::{LostRequests, RecordedRequest, RecordedTarget, RecordingEnd, RequestFlags};
use model::{Nanos, measured::RequestKind, plan::UNMAPPED};
use std::collections::HashMap;
use std::sync::mpsc::SyncSender;

/// Requests since the previous batch.
#[derive(Debug, Default)]
pub struct RecordedBatch {
    /// All targets so far; requests refer to them by index.
    pub targets: Vec<RecordedTarget>,
    /// Completed requests, in order of completion.
    pub requests: Vec<RecordedRequest>,
    /// Time before which the recording is complete: all requests issued earlier are in this batch or a previous one.
    pub complete: Nanos,
    /// Interval in which events were lost.
    pub lost: Option<LostRequests>,
    /// Closing counts, in the last batch only; the number of requests is not filled in.
    pub end: Option<RecordingEnd>,
}

/// Collector that sends requests in batches.
#[derive(Debug)]
pub(super) struct RequestLog {
    out: SyncSender<RecordedBatch>,
    /// Start of the recording, on CLOCK_MONOTONIC.
    begun: u64,
    targets: Vec<RecordedTarget>,
    /// Index of the target, by device index and role index.
    numbers: HashMap<(usize, usize), u16>,
    requests: Vec<RecordedRequest>,
    unmatched: u64,
}

/// A request as seen by the trace.
#[derive(Debug, Clone, Copy)]
pub(super) struct TracedRequest {
    /// Index of the device and index of the role.
    pub of: (usize, usize),
    pub kind: RequestKind,
    pub flags: RequestFlags,
    pub sector: u64,
    pub bytes: u64,
    /// Time of issue, on CLOCK_MONOTONIC.
    pub issued: u64,
    /// Time of completion, on CLOCK_MONOTONIC; `None` if still in flight.
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
        // Requests issued before the recording began are not part of it.
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

    /// Sends the collected requests. `complete` is the issue time of the oldest request in flight, or the time up to
    /// which events were read if no request is in flight (CLOCK_MONOTONIC).
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
        // The receiver is gone only if writing failed, which the writer reports.
        let _ = self.out.send(batch);
    }
}
