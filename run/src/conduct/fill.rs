//! Fill of the unwritten parts of secchi's test file, with the same engines and workers as the measurement.

use super::errors::lost;
use super::open_target::OpenTarget;
use crate::context::Interrupt;
use crate::sampling::{RateSnapshot, RefreshTimer};
use crate::sink::{Progress, Sink};
use crate::wave::Stop;
use crate::workers::{Decision, Live, Load, run_load};
use load::content::Content;
use load::target::TargetError;
use messages::sentence;
use model::plan::{Access, ErrorPolicy, Mix, StopRule, Workload};
use model::{Bytes, Job, Nanos, Plan, RunEvent, Sentence, Severity, Target, measured::Phase, record::StepStop};
use std::ops::Range;
use std::sync::Arc;
use sys::clock::{Clock, RunClock};

/// Size of one write, in bytes.
const BLOCK: u64 = 1 << 20;
/// Number of writes in flight: enough to saturate a fast device, few enough to stop quickly.
const DEPTH: u32 = 8;
/// Returns the size of a part, in bytes. After each part, its data is made durable, it is marked as filled, and the
/// free space is checked. With the page cache, parts are smaller, because a process reports nothing while it waits for
/// fdatasync.
const fn part_of(direct: bool) -> u64 {
    if direct { 1 << 30 } else { 128 << 20 }
}

/// Fills the unfilled ranges of a target and makes them durable. Adds the bytes written to `written`, even on failure.
///
/// # Errors
/// Returns an error on signals, I/O errors and hangs. Parts that were filled before that are marked as filled and can
/// be reused.
pub(super) fn fill(
    clock: RunClock,
    plan: &Plan,
    what: &Target,
    site: &mut dyn OpenTarget,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
    written: &mut u64,
) -> Result<(), Stop> {
    let ranges: Vec<Range<u64>> = site.unfilled();
    let total: u64 = ranges.iter().map(|r| r.end - r.start).sum();
    let mut state = State {
        done: 0,
        written,
        all: total,
        start: clock.now(),
        left_after: plan.expected_time(),
        timer: RefreshTimer::default(),
    };
    let engine = fill_engine(plan);
    for range in ranges {
        let mut from = range.start;
        while from < range.end {
            let to = (from + part_of(what.direct)).min(range.end);
            part(clock, plan, what, site, sink, interrupt, &engine, from..to, &mut state)?;
            from = to;
        }
    }
    sync(site, what)
}

/// Returns the requested engine, or else the first one that works, and the queue depth. Any engine is good enough,
/// because a fill measures nothing.
fn fill_engine(plan: &Plan) -> (String, u32) {
    let asked = plan.stages.first().map_or("auto", |s| s.job.engine.as_str());
    let candidates = if asked == "auto" { load::engines::CANDIDATES.to_vec() } else { vec![asked] };
    let facts = super::calibrate::engine_facts();
    let works = |name: &str| facts.iter().any(|f| f.name == name && f.unavailable.is_none());
    let name = candidates.into_iter().find(|n| works(n)).unwrap_or("psync");
    let blocking = load::engines::find(name).is_ok_and(|e| e.spec.is_blocking());
    (name.to_owned(), if blocking { 1 } else { DEPTH })
}

struct State<'w> {
    done: u64,
    /// Bytes written to all targets of the run.
    written: &'w mut u64,
    all: u64,
    start: u64,
    left_after: Nanos,
    timer: RefreshTimer,
}

/// Returns the block size of a part: the usual size, or for a short part a size that divides it.
fn block_of(length: u64, align: u64) -> u64 {
    if length.is_multiple_of(BLOCK) {
        return BLOCK;
    }
    let mut block = BLOCK;
    while block > align.max(4096) && !length.is_multiple_of(block) {
        block /= 2;
    }
    block
}

#[expect(clippy::too_many_arguments, reason = "one caller, which hands on its own arguments")]
fn part(
    clock: RunClock,
    plan: &Plan,
    what: &Target,
    site: &mut dyn OpenTarget,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
    (engine, depth): &(String, u32),
    range: Range<u64>,
    state: &mut State<'_>,
) -> Result<(), Stop> {
    let total = state.all;
    let ended = |done, why: Sentence| {
        Stop::Failed(sentence!("end-fill-after-of", written = Bytes(done), all = Bytes(total), why))
    };
    if let Err(error) = site.room() {
        report_full(sink, &error);
        return Err(ended(state.done, error.to_string().into()));
    }
    let length = range.end - range.start;
    let block = block_of(length, what.align.as_u64());
    let mut workload = Workload::new(Mix::WRITE, Bytes(block), Access::Sequential);
    // Use the contents that the load will write; the file must not mix zeros with other blocks.
    if let Some(first) = plan.stages.first() {
        workload.detail.contents = first.job.workload.detail.contents.clone();
    }
    let job = Job {
        tuning: model::plan::JobTuning::default(),
        more: Vec::new(),
        name: "fill".to_owned(),
        workload,
        target: what.clone(),
        engine: engine.clone(),
        queue_depth: *depth,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: Nanos(u64::MAX / 4), steady_after: None, max_ops: Some(length / block) },
        on_error: ErrorPolicy::Stop,
        seed: range.start,
        faults: None,
    };
    let file = site
        .file(what.direct, true)
        .map_err(|e| Stop::Failed(format!("cannot open {} to fill it: {e}", what.path.display()).into()))?;
    let load = Load {
        files: vec![file],
        part: Some((Bytes(range.start), Bytes(length))),
        content: what.uuid.map(|uuid| Arc::new(Content::new(uuid, range.start ^ 0xF111).for_grain(block))),
        ..Load::new(job, plan.hang)
    };
    let began = clock.now();
    let mut watch = FillWatch {
        sink,
        interrupt,
        target: &*site,
        state,
        depth: load.job.queue_depth,
        began,
        looked: began,
        full: None,
        seen: (0, 0),
    };
    let end = run_load(clock, &load, &mut |live| watch.decide(live)).map_err(|e| Stop::Failed(e.to_string().into()))?;
    let full = watch.full.take();
    // The closing counts lack threads that did not return, but the windows of these threads were counted.
    let part_written = end.workers.write_bytes.max(watch.seen.1);
    state.done += part_written;
    *state.written += part_written;
    let reached = state.done;
    match end.stop {
        StepStop::Signal => return Err(Stop::Signal { stuck: end.workers.pending > 0 }),
        StepStop::Hung => {
            return Err(Stop::Hung(sentence!("end-hung-fill", pending = end.workers.pending)));
        }
        _ => {}
    }
    if let Some(cause) = lost(site, &end) {
        return Err(Stop::Hung(cause));
    }
    if let Some(error) = full {
        report_full(sink, &error);
        return Err(ended(reached, error.to_string().into()));
    }
    let errors = end.total.op(model::Op::Write).tally.errors.keys().next().copied();
    if end.workers.failed > 0 || end.workers.broken.is_some() || end.workers.write_bytes < length {
        let cause = match (errors, end.workers.broken) {
            (Some(errno @ (sys::errno::ENOSPC | sys::errno::EDQUOT)), _) => {
                let cause = format!("{}: {}", what.path.display(), super::errors::text_of(errno));
                sink.event(RunEvent::Caveat(analysis::file_system_full(Severity::Doubt, cause.clone())));
                cause.into()
            }
            (Some(errno), _) => super::errors::text_of(errno).into(),
            (None, Some(broken)) => broken.into(),
            (None, None) if end.workers.failed > 0 => sentence!("end-fill-write-failed"),
            (None, None) => sentence!("end-fill-stopped"),
        };
        return Err(ended(reached, cause));
    }
    // Mark the range only once it is durable: after a crash, the sidecar must not claim more than the disk holds.
    sync(site, what)?;
    if let Err(error) = site.filled(range) {
        let text = sentence!("note-sidecar", error = error.to_string());
        sink.event(RunEvent::Note { at: Nanos(clock.now()), text });
    }
    Ok(())
}

/// Reports a caveat if the error is a full file system.
fn report_full(sink: &mut dyn Sink, error: &TargetError) {
    if matches!(error, TargetError::Full(_)) {
        let load::target::Reason { what, why, .. } = error.reason();
        sink.event(RunEvent::Caveat(analysis::file_system_full(Severity::Doubt, format!("{what}: {why}"))));
    }
}

/// Calls fdatasync once: a second call after a failure would report success although data is lost.
fn sync(site: &dyn OpenTarget, what: &Target) -> Result<(), Stop> {
    let fail = |e: std::io::Error| Stop::Failed(sentence!("end-fill-not-durable", error = e.to_string()));
    site.file(what.direct, true).and_then(|f| f.sync_data()).map_err(fail)
}

struct FillWatch<'a, 'w> {
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
    target: &'a dyn OpenTarget,
    state: &'a mut State<'w>,
    depth: u32,
    began: u64,
    /// Time of the last check of the target and its free space.
    looked: u64,
    /// Error that was returned because there is no more space.
    full: Option<TargetError>,
    /// Number of windows seen so far, and the bytes written in them.
    seen: (usize, u64),
}

impl FillWatch<'_, '_> {
    fn show(&mut self, live: &Live<'_>) {
        if !self.state.timer.due(live, self.began) {
            return;
        }
        let written = self.state.done + self.seen.1;
        let elapsed = Nanos(live.now.as_nanos().saturating_sub(self.state.start));
        let rate = written as f64 / elapsed.secs().max(0.1);
        let rest = (self.state.all.saturating_sub(written)) as f64 / rate.max(1.0);
        let RateSnapshot { iops, bandwidth, latency } = RateSnapshot::over(live.recent);
        self.sink.progress(&Progress {
            label: format!("fill {} of {}", Bytes(written >> 20 << 20), Bytes(self.state.all)),
            concurrency: self.depth,
            phase: Phase::Measure,
            iops,
            bandwidth,
            latency,
            elapsed: live.now,
            left: Nanos(self.state.left_after.as_nanos().saturating_add(Nanos::from_secs_f64(rest).as_nanos())),
            warning: live.stuck.map(|age| format!("a write has been in flight for {age}")),
            ..Progress::default()
        });
    }

    fn decide(&mut self, live: &Live<'_>) -> Decision {
        let new = live.windows.get(self.seen.0.saturating_sub(live.before)..).unwrap_or_default();
        self.seen.1 += new.iter().map(model::measured::Window::total_bytes).sum::<u64>();
        self.seen.0 = live.before + live.windows.len();
        self.show(live);
        if self.interrupt.asked() {
            return Decision::Stop(StepStop::Signal);
        }
        // Other processes write too, so the free space is checked every second, not only between parts
        // (docs/design/safety.md, "Free space").
        if live.now.as_nanos() >= self.looked + 1_000_000_000 {
            self.looked = live.now.as_nanos();
            self.full = self.full.take().or_else(|| self.target.room().err());
            if self.full.is_some() || self.target.present().is_err() {
                return Decision::Stop(StepStop::Errors);
            }
        }
        Decision::GoOn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_of_a_rest_divides_it() {
        assert_eq!(block_of(1 << 30, 512), BLOCK);
        assert_eq!(block_of((1 << 20) + (64 << 10), 512), 64 << 10);
        assert_eq!(block_of(4096 * 3, 512), 4096);
    }
}
