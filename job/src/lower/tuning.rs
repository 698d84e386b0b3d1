//! Further settings of a job: queueing, threads, windows, priorities, and work other than I/O.

use super::engine::engine_options;
use super::facts::Facts;
use crate::check::SHORTEST_LOG;
use crate::error::JobError;
use crate::file::{JobFile, Section, not_done};
use crate::options::{
    ContinueOn, CpuMode, CpusPolicy, FadviseHint, JobOptions, LockMode, SyncMode as SyncWord, WriteHint,
};
use model::Nanos;
use model::plan::{
    Burn, ByPriority, Closing, Ends, ErrorPolicy, FileLock, FlowRule, JobTuning, OpeningRule, OtherWork, Program,
    Queueing, ShellCommands, SyncMode, ThreadRule, Work, WriteLife,
};

/// Returns the work that a job does instead of I/O.
pub(super) fn other_work(section: &Section) -> Option<Box<OtherWork>> {
    let (c, name) = (&section.options.other_work, section.name.as_str());
    let runtime = section.options.time.runtime;
    let engine = section.options.engine.engine;
    let burn = engine.burns_cpu().then(|| {
        OtherWork::Burn(Burn {
            load: c.load,
            chunk: c.chunk,
            sorts: c.mode == CpuMode::Qsort,
            until_io_ends: c.until_io_ends,
        })
    });
    let program = || {
        OtherWork::Program(Program {
            program: c.program.clone().unwrap_or_default(),
            expanded: c.arguments.as_deref().map(|arguments| expand_arguments(arguments, name, runtime)),
            arguments: c.arguments.clone(),
            output: c.redirect.then(|| name.to_owned()),
            grace: c.grace,
            ends_job: runtime == Nanos(0),
        })
    };
    burn.or_else(|| engine.runs_program().then(program)).map(Box::new)
}

/// Replaces `%r` with the duration in seconds and `%n` with the name of the job.
fn expand_arguments(arguments: &str, name: &str, runtime: Nanos) -> String {
    arguments.replace("%r", &(runtime.whole_secs()).to_string()).replace("%n", name)
}

/// Returns the shell commands that run before and after the load.
pub(super) fn commands(section: &Section) -> ShellCommands {
    let p = &section.options.process;
    let commands = ShellCommands { name: section.name.clone(), before: p.before.clone(), after: p.after.clone() };
    if commands.is_empty() { ShellCommands::default() } else { commands }
}

pub(super) fn policy(o: &JobOptions) -> ErrorPolicy {
    match o.process.continue_on_error {
        ContinueOn::None => ErrorPolicy::Stop,
        _ => ErrorPolicy::Continue,
    }
}

/// Returns the CPUs that a clone may run on.
pub(super) fn cpus(section: &Section, clone: u32, facts: &dyn Facts) -> Result<Vec<u32>, JobError> {
    let p = &section.options.process;
    let mut cpus = p.cpus.clone();
    if cpus.is_empty() {
        for node in &p.numa_nodes {
            let of_node = facts.cpus_of_node(*node);
            cpus.extend(
                of_node.ok_or_else(|| not_done(section, "numa_cpu_nodes", format!("node {node} does not exist")))?,
            );
        }
    }
    Ok(match (p.cpus_policy, cpus.len()) {
        (CpusPolicy::Split, n) if n > 0 => vec![cpus[clone as usize % n]],
        _ => cpus,
    })
}

/// Returns the rule that keeps the operation counts of the jobs in a flow in proportion.
///
/// If any weight in the flow is negative, all weights have the meaning of older fio versions: each operation adds its
/// job's weight to a counter that is kept near zero, so operation counts are inversely proportional to weights.
pub(super) fn flow(file: &JobFile, section: &Section) -> Option<FlowRule> {
    /// Dividend for converting weights of older versions: 8 and -1 become 1 : 8.
    const WHOLE: f64 = 1e6;
    let p = &section.options.process;
    let weight = match file.has_older_flow(p.flow_id) {
        true if p.flow != 0 => (WHOLE / p.flow.unsigned_abs() as f64).round().max(1.0) as u32,
        _ => u32::try_from(p.flow).unwrap_or(0),
    };
    (weight > 0).then_some(FlowRule { id: p.flow_id, weight, pause: p.flow_sleep })
}

pub(super) fn job_tuning(
    section: &Section,
    blocking: bool,
    ends: Ends,
    cpus: Vec<u32>,
    flow: Option<FlowRule>,
    work: Work,
) -> JobTuning {
    let o = &section.options;
    let (d, p, f, log) = (&o.depth, &o.process, &o.files, &o.logs);
    let logged = log.bw.is_some() || log.lat.is_some() || log.iops.is_some();
    // Logged averages and histograms are computed from windows and intervals. These must not be longer than the
    // averaging window and the histogram interval of the logs.
    let told_every = [(logged, log.avg), (log.hist.is_some(), log.hist_every)];
    let told_every =
        told_every.into_iter().filter(|(on, t)| *on && !t.is_zero()).map(|(_, t)| t.max(SHORTEST_LOG)).min();
    // The last cycle of a depth search is reported separately. This needs short intervals.
    let searched = (!o.goals.latency_target.is_zero() && !o.goals.latency_run).then_some(SEARCHED);
    let priority = p.prio.is_some() || p.prio_class.is_some();
    let thread = ThreadRule {
        cpus,
        nice: p.nice,
        // fio's defaults for the case that only the class or only the level is given.
        io_priority: priority.then(|| (p.prio_class.unwrap_or(2), p.prio.unwrap_or(0))),
        pinned: o.buffers.lockmem,
        memory: p.numa_memory.clone(),
    };
    JobTuning {
        queueing: Queueing {
            submit: section.is_set("iodepth_batch").then_some(d.batch_submit),
            complete_min: section.is_set("iodepth_batch_complete_min").then_some(d.batch_complete_min),
            complete_max: d.batch_complete_max,
            low: d.low.filter(|low| *low > 0 && *low < d.iodepth),
            serialize: d.serialize_overlap,
        },
        sync: match o.engine.sync {
            SyncWord::None => SyncMode::None,
            SyncWord::Sync => SyncMode::Full,
            SyncWord::Dsync => SyncMode::Data,
        },
        // With one operation in flight, the null engine returns only when the operation is complete, like synchronous
        // engines.
        split_latency: !(blocking || o.engine.engine.is_null() && d.iodepth == 1),
        window: told_every.map(window),
        interval: told_every.filter(|t| *t < SECOND).into_iter().chain(searched).min(),
        by_priority: by_priority(o, thread.priority()),
        thread,
        closing: Closing {
            flush: f.end_fsync && o.pattern.rw.writes(),
            flush_file_system: f.end_syncfs && o.pattern.rw.writes(),
            flush_on_close: f.fsync_on_close,
            unlink: f.unlink || f.unlink_each_loop,
        },
        ends,
        every_op: logged && log.avg.is_zero() || o.replay.write.is_some(),
        lock: match f.lock {
            LockMode::None => None,
            LockMode::Exclusive => Some(FileLock::Exclusive),
            LockMode::ReadWrite => Some(FileLock::ReadWrite),
        },
        opening: OpeningRule {
            invalidate: f.invalidate,
            advise: f.fadvise != FadviseHint::None,
            pre_read: f.pre_read,
            no_atime: false,
            life: section.is_set("write_hint").then_some(match o.engine.write_hint {
                WriteHint::None => WriteLife::None,
                WriteHint::Short => WriteLife::Short,
                WriteHint::Medium => WriteLife::Medium,
                WriteHint::Long => WriteLife::Long,
                WriteHint::Extreme => WriteLife::Extreme,
            }),
            commands: o.engine.engine.commands(),
        },
        engine_options: engine_options(o),
        ignore_errors: p.ignore_error.clone(),
        work,
        commands: commands(section),
        flow,
        tolerate: match p.continue_on_error {
            ContinueOn::Read => Some([true, false]),
            ContinueOn::Write => Some([false, true]),
            ContinueOn::Verify => Some([false, false]),
            ContinueOn::None | ContinueOn::Io | ContinueOn::All => None,
        },
    }
}

/// Returns the priorities that are reported separately, as in fio: the priorities of the operations in each direction
/// that the job uses.
fn by_priority(o: &JobOptions, own: u16) -> Option<ByPriority> {
    let mix = o.pattern.rw;
    let values = [(0, mix.reads()), (1, mix.writes())].map(|(way, used)| {
        let given = if used { o.engine.priorities_of(way) } else { Vec::new() };
        let default = (!given.is_empty()).then_some(own);
        default.into_iter().chain(given.into_iter().filter(|v| Some(*v) != default)).collect::<Vec<u16>>()
    });
    let has_values = values.iter().any(|v| !v.is_empty());
    has_values.then_some(ByPriority { values, whole: o.report.lat_percentiles })
}

const SECOND: Nanos = Nanos::from_secs(1);

/// Interval length for jobs that search for the best queue depth.
const SEARCHED: Nanos = Nanos::from_millis(100);

/// Returns the length of equal parts into which a period is divided. The parts are not longer than a usual window, and
/// each period ends at the end of a window.
pub(super) fn window(stretch: Nanos) -> Nanos {
    let fewest = stretch.as_nanos().div_ceil(model::plan::WINDOW.as_nanos()).max(1);
    // A period of whole milliseconds is divisible by a power of two slightly above `fewest`.
    let parts = (fewest..=fewest.saturating_mul(4)).find(|n| stretch.as_nanos().is_multiple_of(*n));
    Nanos(stretch.as_nanos() / parts.unwrap_or(fewest))
}
