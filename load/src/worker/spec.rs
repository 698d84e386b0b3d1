//! Selection of the kind of worker that a job needs. Done once, before the load.

use super::any_stamp::AnyStamp;
use super::loops::depth_search::DepthSearch;
use super::loops::flow::{Flow, FlowShare};
use super::loops::paced::PacedLoop;
use super::loops::rate_limiter::{Pauses, RateLimiter};
use super::loops::replay::ReplayLoop;
use super::loops::session_loop::SessionLoop;
use super::loops::shaped::ShapedLoop;
use super::rules::directions;
use super::{EndRules, Exchange, IssueMode, Parts, Pulse, Shared, Timeline, Worker, WorkerEnd};
use crate::content::{Content, Stamper};
use crate::contents;
use crate::engine::Engine;
use crate::pacer::Arrivals;
use crate::pattern::{Part, Pattern};
use crate::recorder::Recorder;
use crate::session::{self, KeyGenerator};
use crate::stamp::{Filled, ReadOnly, Stamp, Stamped};
use crate::verify::{self, Checker};
use model::plan::{Access, Distribution, Filling, Mix, Pacing, Queueing, Workload};
use model::{Bytes, Job, Op};
use std::fs::File;
use std::io;
use std::sync::Arc;
use sys::clock::{Clock, ClockVisitor, RunClock};

/// Job, engine and other parts from which a worker is built.
pub struct WorkerSpec<'a> {
    /// Job with all settings resolved.
    pub job: &'a Job,
    /// Number of this worker, and the total number of workers.
    pub part: Part,
    /// Engine, opened on this thread.
    pub engine: Box<dyn Engine>,
    /// True if the engine performs one operation at a time ([`model::plan::EngineSpec::is_blocking`]).
    pub blocking: bool,
    /// Database session that is used instead of the engine, with its write-back flag ([`crate::session::Sessions`]).
    pub session: Option<session::Opened>,
    /// Patterns of the operations: one for each of [`workloads`], in order.
    pub patterns: Vec<Pattern>,
    /// Content for writes of [`Filling::Unique`]; `None` = buffers are written unchanged (for the null engine).
    pub content: Option<Arc<Content>>,
    /// Files, in the order of [`Job::targets`]. Their cached pages are dropped before written data is read back.
    pub files: Vec<Arc<File>>,
    /// Rings for recorders, which [`recorder_for`] creates for this job.
    pub exchange: Exchange,
    /// Stop time and error count.
    pub shared: Arc<Shared>,
    /// State for the watchdog.
    pub pulse: Arc<Pulse>,
    /// State shared with the other jobs of its flow, if the job is part of one.
    pub flow: Option<Arc<Flow>>,
    /// The job's share in the zones of each file ([`crate::zoned::shares`]).
    pub zones: Vec<crate::zoned::Share>,
}

/// Worker that is ready to run. It begins at the given time on the run's clock, and runs until it is stopped.
pub type Runner = Box<dyn FnOnce(u64) -> WorkerEnd>;

/// Unsupported job or combination of options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Two options that cannot be combined.
    #[error("{what} cannot be combined with {with}: {advice}")]
    Together {
        /// First option.
        what: &'static str,
        /// Second option.
        with: &'static str,
        /// Advice to the user.
        advice: &'static str,
    },
    /// Blocks are too small to be verified.
    #[error("{0}; make blocks or the interval larger")]
    NoRoom(String),
}

/// Returns the reason why a job cannot run as written, if there is one. Used for checks before a run. [`build_worker`]
/// returns the same reason as an error.
#[must_use]
pub fn refusal(job: &Job) -> Option<Refused> {
    let detail = &job.workload.detail;
    if let Some(verify) = &detail.verify
        && let Err(error) = verify::check_fit(verify, job.workload.min_block().as_u64())
    {
        return Some(Refused::NoRoom(error.to_string()));
    }
    let together = |what, with, advice| Some(Refused::Together { what, with, advice });
    let tuning = &job.tuning;
    let (thinks, aims) = (detail.think.is_some(), tuning.ends.latency_target.is_some());
    let shaped =
        thinks || aims || tuning.flow.is_some() || Queueing { submit: None, ..tuning.queueing } != Queueing::default();
    if tuning.work.paced().is_some() {
        let what = "a beat";
        if job.queue_depth > 1 || job.workload.pacing != Pacing::Closed {
            let advice = "with a fixed interval there is one operation at a time";
            return together(what, "a queue depth above one, or rates", advice);
        }
        if detail.verify.is_some() || thinks || aims {
            return together(what, "verification, think time or a latency target", "leave one of them out");
        }
    }
    if tuning.work.replay().is_some() {
        let what = "a replay";
        if shaped || job.workload.pacing != Pacing::Closed || detail.zoned.is_some() {
            let with = "rates, think time, zones, completion batches, a flow or a latency target";
            return together(what, with, "the recording defines the time of each operation");
        }
        if detail.verify.is_some() {
            return together(what, "verification", "verify the files in a separate job");
        }
        if job.threads > 1 {
            return together(what, "several threads", "raise the queue depth instead");
        }
    }
    if job.workload.pacing.is_open() {
        let what = "an open loop";
        if detail.zoned.is_some() {
            return together(what, "zones of a device", "use rates, which full zones may delay");
        }
        if shaped {
            let with = "think time, completion batches, a flow or a latency target";
            return together(what, with, "use rates, which pauses may delay");
        }
        if detail.verify.as_ref().is_some_and(|v| v.check && job.workload.mix.writes()) {
            return together(what, "verification of the written data", "use rates, which verification may delay");
        }
    }
    if detail.verify.as_ref().is_some_and(|v| v.only) && directions(&job.workload).len() > 1 {
        return together(
            "verification of the data of an earlier run",
            "rates of several directions",
            "leave out the rates: nothing is written",
        );
    }
    None
}

/// Returns the workloads for which a worker needs patterns. If the job has rates, each direction has a separate pace
/// and therefore a separate workload. Otherwise, returns the job's own workload.
#[must_use]
pub fn workloads(job: &Job) -> Vec<Workload> {
    let workload = &job.workload;
    if job.tuning.work.paced().is_some_and(|b| b.by_turns) {
        // The loop chooses the direction of each operation; the pattern supplies only its offset.
        return vec![Workload { mix: Mix::WRITE, ..workload.clone() }];
    }
    let directions = directions(workload);
    if directions.len() < 2 {
        return vec![workload.clone()];
    }
    let mix_of = |op| match op {
        Op::Write => Mix::WRITE,
        Op::Trim => Mix { write_percent: 0, trim_percent: 100 },
        Op::Read | Op::Flush => Mix::READ,
    };
    directions.into_iter().map(|(op, _)| Workload { mix: mix_of(op), ..workload.clone() }).collect()
}

/// Creates an empty recorder for this job.
///
/// # Errors
/// Returns an error if there is not enough memory.
pub fn recorder_for(job: &Job) -> io::Result<Box<Recorder>> {
    let recorder = if job.tuning.keeps_every_op() { Recorder::with_log() } else { Recorder::new() }?;
    let recorder = match &job.tuning.by_priority {
        Some(by_priority) => recorder.with_priorities(&by_priority.values)?,
        None => recorder,
    };
    Ok(Box::new(recorder))
}

/// Creates the worker that this specification describes. `clock` is the clock of the run.
///
/// # Errors
/// Returns [`Refused`] in the same cases as [`refusal`].
pub fn build_worker(clock: RunClock, spec: WorkerSpec<'_>) -> Result<Runner, Refused> {
    clock.visit(WorkerBuild { spec, any: clock })
}

/// Parameters for building a worker. The worker is compiled for each kind of clock.
struct WorkerBuild<'a> {
    spec: WorkerSpec<'a>,
    any: RunClock,
}

// Workers for each kind of clock are compiled only here, not at each use.
impl ClockVisitor for WorkerBuild<'_> {
    type Output = Result<Runner, Refused>;

    fn visit<K: Clock>(self, clock: K) -> Self::Output {
        build_with(clock, self.any, self.spec)
    }
}

/// Same as [`build_worker`], for one kind of clock. `any` is the same clock for workers with additional work per
/// operation: workers that verify reads, generate the data of writes, or distinguish priorities. The kind of clock does
/// not matter for these workers, so they are compiled only once.
pub(super) fn build_with<K: Clock, C: Clock>(clock: K, any: C, spec: WorkerSpec<'_>) -> Result<Runner, Refused> {
    if let Some(refused) = refusal(spec.job) {
        return Err(refused);
    }
    if spec.session.is_some() {
        return Ok(spec.with(clock, any, ReadOnly));
    }
    let job = spec.job;
    let detail = &job.workload.detail;
    let writes = job.workload.mix.writes();
    let worker = spec.part.worker;
    let seed = job.seed ^ (u64::from(worker) << 40);
    if let Some(verify) = &detail.verify {
        let frame = verify::Frame {
            writes: job.workload.mix.write_percent > 0,
            depth: job.queue_depth,
            worker,
            most: most_writes(job, spec.part),
            nothing: job.engine == "null",
            files: job.targets().map(|t| (t.path.display().to_string(), t.uuid)).collect(),
        };
        let stamp = Stamped(Checker::new(verify.clone(), frame));
        return Ok(spec.with(any, any, stamp));
    }
    Ok(match (&detail.contents.kind, writes, spec.content.clone()) {
        (_, false, _) | (Filling::Unique, _, None) => spec.with(clock, any, ReadOnly),
        (Filling::Unique, true, Some(content)) if !contents::is_shaped(&detail.contents) => {
            let stamp = Stamper::new(content, worker as u16);
            spec.with(clock, any, stamp)
        }
        (_, true, _) => {
            let frame = contents::Frame {
                block: job.workload.sizes_of(Op::Write).min().as_u64(),
                max_block: job.workload.max_buffer().as_u64(),
                size: job.targets().map(|t| t.size.as_u64()).sum(),
                mixed: job.workload.mix.read_percent() > 0,
                seed,
            };
            spec.with(any, any, Filled(contents::filler(&detail.contents, frame)))
        }
    })
}

/// Returns the maximum number of writes of one worker. The log of writes must have room for them.
fn most_writes(job: &Job, part: Part) -> u64 {
    let by_ops = share_of(job.stop.max_ops, part);
    let block = job.workload.min_block().as_u64().max(1);
    let end = share_of(job.tuning.ends.max_bytes.map(|b| b.as_u64()), part)
        .min(share_of(job.tuning.ends.pass_bytes.map(|b| b.as_u64()), part));
    by_ops.min(end.div_ceil(block))
}

/// Returns the share of one worker if all workers together may use `max`.
fn share_of(max: Option<u64>, part: Part) -> u64 {
    let Some(max) = max else { return u64::MAX };
    let (n, i) = (u64::from(part.workers.max(1)), u64::from(part.worker));
    max / n + u64::from(i < max % n)
}

/// Returns a share of bytes, in whole blocks if they divide evenly.
fn bytes_share(max: Option<Bytes>, part: Part, block: u64) -> u64 {
    let Some(Bytes(max)) = max else { return u64::MAX };
    let blocks = max / block.max(1);
    if max.is_multiple_of(block.max(1)) {
        share_of(Some(blocks), part).saturating_mul(block)
    } else {
        share_of(Some(max), part)
    }
}

impl WorkerSpec<'_> {
    fn with<K: Clock, C: Clock, S: Stamp + Into<AnyStamp> + 'static>(self, clock: K, any: C, stamp: S) -> Runner {
        // Engines that return when the operation is done, and databases, have no separate submission.
        let parts = self.job.tuning.split_latency && !self.blocking && self.session.is_none();
        // Engines with priorities are asynchronous, so they time submission and completion separately.
        let ranked = parts && self.job.tuning.by_priority.is_some();
        let every = self.job.tuning.keeps_every_op();
        let (made, mode) = self.parts();
        match (parts, every, ranked) {
            (false, false, _) => ready::<K, S, false, false, false>(clock, stamp, made, mode),
            (true, false, false) => ready::<K, S, true, false, false>(clock, stamp, made, mode),
            (false, true, _) => ready::<K, S, false, true, false>(clock, stamp, made, mode),
            (true, true, false) => ready::<K, S, true, true, false>(clock, stamp, made, mode),
            (true, false, true) => ready::<C, AnyStamp, true, false, true>(any, stamp.into(), made, mode),
            (true, true, true) => ready::<C, AnyStamp, true, true, true>(any, stamp.into(), made, mode),
        }
    }

    /// Returns the parts common to workers of all kinds, and the issue mode.
    #[inline(never)]
    fn parts(self) -> (Parts, IssueMode) {
        let WorkerSpec { job, part, engine, session, patterns, files, exchange, shared, pulse, flow, zones, .. } = self;
        let workload = &job.workload;
        let flow = flow.zip(job.tuning.flow).map(|(flow, rule)| FlowShare::new(flow, rule));
        let (mode, pattern) = mode(job, part, patterns, session, (flow, zones));
        let window = job.tuning.window_length().as_nanos();
        let (block, ends) = (workload.min_block().as_u64(), &job.tuning.ends);
        // A block that is trimmed and then written counts as one operation (fio's trimwrite).
        let mix = workload.mix;
        let pairs = mix.trim_percent > 0 && mix.write_percent > 0 && mix.read_percent() == 0;
        let pair = 1 + u64::from(pairs && job.tuning.work.replay().is_none());
        let pass_bytes = bytes_share(ends.pass_bytes, part, block).saturating_mul(pair);
        let max_bytes = bytes_share(ends.max_bytes, part, block).saturating_mul(pair);
        let cached = job.targets().any(|t| !t.direct) && !files.is_empty();
        let again = reopens(workload, self.blocking, max_bytes);
        let fresh = job.tuning.opening.invalidate && cached && pass_bytes < max_bytes && again;
        let reads_back = workload.detail.verify.as_ref().is_some_and(|v| v.reads_back(mix.write_percent > 0));
        let timeline = Timeline {
            max_bytes,
            // Patterns start new passes themselves. The end of a pass matters only if something must be done between
            // passes.
            pass_bytes: if fresh || reads_back { pass_bytes } else { u64::MAX },
            ..Timeline::new(window, share_of(job.stop.max_ops, part).saturating_mul(pair))
        };
        let fatal = workload.detail.verify.as_ref().is_some_and(|v| v.fatal);
        let parts = Parts {
            engine,
            pattern,
            exchange,
            shared,
            pulse,
            timeline,
            policy: job.on_error,
            // Operations served from memory are limited only by the CPU, and fio logs all of them, so the worker waits
            // for room in the log. With a device, a wait would add to the latencies of the operations in flight.
            log_waits: files.is_empty() || job.targets().all(|t| !t.direct),
            whole: job.tuning.by_priority.as_ref().is_some_and(|p| p.whole),
            depth: job.queue_depth,
            max_block: workload.max_block().as_u64(),
            rules: EndRules::new(&job.tuning, fatal),
            files,
            fresh,
        };
        (parts, mode)
    }
}

fn ready<K: Clock, S: Stamp + 'static, const PARTS: bool, const EVERY: bool, const RANKED: bool>(
    clock: K,
    stamp: S,
    parts: Parts,
    mode: IssueMode,
) -> Runner {
    let worker: Worker<K, S, PARTS, EVERY, RANKED> = Worker::new(clock, stamp, parts);
    Box::new(move |start| worker.run(start, mode))
}

/// Returns `true` if fio closes and reopens the files between passes, which drops their cached pages. fio always
/// reopens the files for sequential offsets, and for random offsets with a map of visited blocks. Without this map, fio
/// 3.33 reopens them only for asynchronous reads that end after a number of bytes, not after a time.
fn reopens(workload: &Workload, blocking: bool, max_bytes: u64) -> bool {
    match workload.access {
        Access::Random { distribution: Distribution::Uniform, repeat: false } | Access::Sequential => true,
        Access::Random { .. } => !blocking && max_bytes != u64::MAX && workload.mix.write_percent == 0,
    }
}

/// Returns the issue mode of a job, and the first pattern, for loops that use only one pattern.
fn mode(
    job: &Job,
    part: Part,
    mut patterns: Vec<Pattern>,
    session: Option<session::Opened>,
    (flow, zones): (Option<FlowShare>, Vec<crate::zoned::Share>),
) -> (IssueMode, Pattern) {
    let workload = &job.workload;
    let detail = &workload.detail;
    let first = patterns.remove(0);
    if let (Some(rule), Some((session, writing_back))) = (job.tuning.work.session(), session) {
        // The epoch makes the values of different runs differ.
        let epoch = sys::clock::realtime_ns() / 1000;
        let drawer = KeyGenerator::new(rule, job.seed, part.worker, epoch);
        let result = drawer.empty_result();
        let due = rule.extra.arrivals;
        let arrivals = due.and_then(|due| Arrivals::new(due.pacing, due.worker, due.workers, job.seed));
        return (IssueMode::Session(Box::new(SessionLoop { session, drawer, result, writing_back, arrivals })), first);
    }
    if let Some(request_interval) = job.tuning.work.paced() {
        return (IssueMode::Paced(PacedLoop::new(request_interval)), first);
    }
    if let Some(replay) = job.tuning.work.replay() {
        return (IssueMode::Replayed(Box::new(ReplayLoop::new(replay, job.queue_depth))), first);
    }
    if let Some(arrivals) = Arrivals::new(workload.pacing, part.worker, part.workers, job.seed) {
        return (IssueMode::Open(arrivals), first);
    }
    let mut queueing = job.tuning.queueing;
    // The order of overlapping operations in flight is undefined, so the expected contents would be unknown.
    queueing.serialize |= detail.verify.is_some() && workload.mix.writes() && job.queue_depth > 1;
    let target = job.tuning.ends.latency_target;
    // The engine was opened with the size of submission batches and handles them itself.
    let ordinary = Queueing { submit: None, ..queueing } == Queueing::default()
        && detail.think.is_none()
        && target.is_none()
        && flow.is_none()
        && zones.is_empty()
        && !matches!(workload.pacing, Pacing::Rates(_))
        && !(job.tuning.split_latency && queueing.submit.is_some());
    if ordinary {
        return (IssueMode::Closed, first);
    }
    let gate = RateLimiter::new(workload, patterns, part, job.seed, flow);
    let probe = target.map(|t| DepthSearch::new(t, u64::from(job.queue_depth.max(1))));
    let fine = ShapedLoop::new(gate, Pauses::new(detail.think), probe, queueing, job.queue_depth, zones);
    (IssueMode::Shaped(Box::new(fine)), first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Based on system calls of fio 3.33: it calls `posix_fadvise(DONTNEED)` either in each pass over the file, or only
    /// once.
    #[test]
    fn without_a_map_of_blocks_files_stay_open_as_fios_do() {
        let drawn = Access::Random { distribution: Distribution::Uniform, repeat: true };
        let skewed = Access::Random { distribution: Distribution::Zipf(1.1), repeat: true };
        let mixed = Mix { write_percent: 50, trim_percent: 0 };
        let cases = [
            (Access::Sequential, Mix::READ, true, 1 << 27, true),
            (Access::RANDOM, Mix::READ, true, 1 << 27, true),
            (Access::RANDOM, mixed, true, u64::MAX, true),
            (drawn, Mix::READ, true, 1 << 27, false),
            (drawn, Mix::READ, true, u64::MAX, false),
            (drawn, Mix::READ, false, 1 << 27, true),
            (drawn, Mix::READ, false, u64::MAX, false),
            (drawn, mixed, false, 1 << 27, false),
            (skewed, Mix::READ, true, 1 << 27, false),
            (skewed, Mix::READ, false, 1 << 27, true),
        ];
        for (access, mix, blocking, bytes, expected) in cases {
            let workload = Workload::new(mix, Bytes(4096), access);
            assert_eq!(reopens(&workload, blocking, bytes), expected, "{access:?} {mix:?} {blocking} {bytes}");
        }
    }
}
