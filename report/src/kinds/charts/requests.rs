//! Sizes of the requests that a device received.

use super::{Source, word};
use crate::document::Unit;
use crate::document::chart::{Axis, Bars, Chart, Choice, Scale};
use messages::Sentence;
use model::measured::{BlockTrace, RequestKind, RequestSizes, SIZE_BUCKETS, TracedOps};

/// Returns the chart of all runs.
pub(super) fn sizes(runs: &[Source<'_>]) -> Option<Chart> {
    chart(runs.iter().flat_map(run_sizes).collect())
}

fn run_sizes(run: &Source<'_>) -> Vec<(Sentence, RequestSizes)> {
    let mut merged = BlockTrace::default();
    run.record.blocks.iter().for_each(|b| merged.merge(&b.trace));
    streams(&merged).iter().map(|s| (run.label(s.name()), s.ops.sizes.clone())).collect()
}

/// Returns the chart of requests by size; `None` without requests.
pub(crate) fn chart(sizes: Vec<(Sentence, RequestSizes)>) -> Option<Chart> {
    let is_used = |i: &usize| sizes.iter().any(|(_, sizes)| sizes.buckets()[*i].0 > 0);
    let last = SIZE_BUCKETS.len() - 1;
    let used = (0..=last).find(is_used)?..=(0..=last).rfind(is_used)?;
    let values = |sizes: &RequestSizes| {
        let buckets = sizes.buckets();
        used.clone().map(|i| Some(buckets[i].0 as f64)).collect()
    };
    // The name of a bucket is its lower bound, which is the size of most of its requests.
    let name = |i: usize| format!("{}{}", SIZE_BUCKETS[i], if i == last { "+" } else { "" });
    let series = sizes.iter().filter(|(_, s)| s.count() > 0).map(|(name, s)| (name.clone(), values(s)));
    let axis = Axis::new("page-requests", Unit::Count, Scale::Zero);
    let bars = Bars::new("page-block", used.clone().map(|i| name(i).into()), axis, series);
    let choices = vec![Choice::new("", bars.checked(""))];
    Chart::new("requests", "chart-requests", "chart-requests-hint", choices)
}

/// Requests of one kind, for one role on one device.
pub(crate) struct Stream<'a> {
    /// Name of the device.
    pub device: &'a str,
    /// Role; empty for flushes.
    pub role: &'a str,
    /// Kind of the requests.
    pub kind: RequestKind,
    /// The requests.
    pub ops: &'a TracedOps,
}

impl Stream<'_> {
    /// Returns a name such as `nvme0n1 journal write`.
    pub fn name(&self) -> Sentence {
        let place = format!("{} {} ", self.device, self.role);
        Sentence::concat([place.trim_start().into(), kind_word(self.kind)])
    }
}

/// Returns the streams sorted by device, in the order of the stack, then by role and kind.
pub(crate) fn streams(trace: &BlockTrace) -> Vec<Stream<'_>> {
    let mut rows = Vec::new();
    for device in &trace.devices {
        for role in &device.roles {
            for kind in RequestKind::ALL {
                if let Some(ops) = role.kind(kind) {
                    // Flushes belong to the device, regardless of the role that caused them.
                    let name = if kind == RequestKind::Flush { "" } else { &role.role };
                    rows.push(Stream { device: &device.name, role: name, kind, ops });
                }
            }
        }
    }
    rows
}

/// Returns the word for a kind of request.
pub(crate) fn kind_word(kind: RequestKind) -> Sentence {
    match kind {
        RequestKind::Read => word("op-read"),
        RequestKind::Write => word("op-write"),
        RequestKind::Flush => word("op-flush"),
        RequestKind::Discard | RequestKind::Other => kind.name().into(),
    }
}
