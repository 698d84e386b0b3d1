//! What does not go together, and what has no effect: found before anything is opened.
//!
//! Errors are those rows that concern several options at once (docs/design/bad-input.md, "The forty rows"). A setting
//! without effect is a note, not an error: job files that set `rwmixread` for a pure read are everywhere, and harm
//! nobody.

use crate::error::{JobError, Note, SourceLocation};
use crate::lower::has_older_flow;
use crate::options::{Block, DedupeMode, IoEngine, JobOptions, RandomDistribution, RunOptions, VerifyMethod, ZoneMode};
use crate::read::Entry;
use crate::resolve::{JobFile, Section};
use crate::units::{self, Extent, Units};
use crate::value::Kind;
use Why::{Says, Without};
use messages::{Message, message, sentence};
use model::{Nanos, nearest};

/// Shorter stretches of a log would cost what they measure.
pub(crate) const SHORTEST_LOG: Nanos = Nanos(10_000_000);

/// Whether a size is written with a unit that fio reads otherwise.
pub(crate) fn reads_otherwise(kind: &Kind, value: &str, units: Units) -> bool {
    let sizes = matches!(kind, Kind::Size { .. } | Kind::Extent | Kind::PerDirection(Kind::Size { .. }))
        || matches!(kind, Kind::Form(form) if form.contains("size"));
    sizes && units.kb_base == 1024 && !units.fio_compat && units::spells_binary_unit(value)
}

/// Conflicts within one section's own lines.
pub(crate) fn check_scope(entries: &[Entry]) -> Result<(), JobError> {
    let last = |name: &str| entries.iter().rev().find(|e| e.spec.name == name);
    if let (Some(read), Some(write)) = (last("rwmixread"), last("rwmixwrite")) {
        let percent = |e: &Entry| e.value.as_deref().and_then(|v| units::count(v).ok()).unwrap_or(0);
        let (r, w) = (percent(read), percent(write));
        if r + w != 100 {
            let at = if read.at > write.at { &read.at } else { &write.at };
            let why = format!("rwmixread={r} and rwmixwrite={w} contradict each other: they sum to {}, not 100", r + w);
            return Err(JobError::new(at, why));
        }
    }
    Ok(())
}

/// Checks every section and the run; adds notes.
pub(crate) fn check(file: &mut JobFile) -> Result<(), JobError> {
    let asks_help = file.run.help || file.run.version || file.run.cmdhelp.is_some() || file.run.enghelp.is_some();
    // As in fio: it is asked whether other options are known (blktests does).
    let asks_help = asks_help || file.run.parse_only || file.run.inflate_log.is_some();
    if file.sections.is_empty() && !asks_help {
        return Err(JobError::new(&SourceLocation::Whole, "no jobs: begin one with --name=NAME, or give a job file"));
    }
    let mut clones = 0u64;
    let mut notes = Vec::new();
    let mut earlier: Vec<&str> = Vec::new();
    for section in &file.sections {
        clones += u64::from(section.options.job.numjobs);
        if clones > u64::from(file.run.max_jobs) {
            let why = format!("the jobs have more than {} clones in all (--max-jobs)", file.run.max_jobs);
            return Err(JobError::new(section.place_of("numjobs"), why));
        }
        if let Some(name) = &section.options.process.wait_for
            && !earlier.contains(&name.as_str())
        {
            let near = nearest(name, earlier.iter().copied());
            let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            let why = format!("wait_for: no job `{}` stands before this one{hint}", model::clip(name));
            return Err(JobError::new(section.place_of("wait_for"), why));
        }
        section_errors(section, &file.run, &mut notes)?;
        if section.options.process.flow != 0 && has_older_flow(file, section.options.process.flow_id) {
            notes.push(Note::new(section.place_of("flow"), sentence!("job-flow-older")));
        }
        without_effect(section, &mut notes);
        short_logs(section, &mut notes);
        doubtful_verify(section, &mut notes);
        earlier.push(&section.name);
    }
    // What a [global] sets without effect is told once, not for every job.
    notes.sort_by(|a: &Note, b: &Note| a.at.cmp(&b.at).then_with(|| a.text.cmp(&b.text)));
    notes.dedup();
    file.notes.append(&mut notes);
    if file.run.warnings_fatal
        && let Some(note) = file.notes.first()
    {
        return Err(JobError::new(&note.at, format!("{} (--warnings-fatal)", note.text)));
    }
    Ok(())
}

fn section_errors(section: &Section, run: &RunOptions, notes: &mut Vec<Note>) -> Result<(), JobError> {
    let o = &section.options;
    let wrong = |option: &str, why: String| {
        Err(JobError::new(section.place_of(option), format!("job `{}`: {why}", model::clip(&section.name))))
    };
    if run.readonly && (o.pattern.rw.writes() || o.pattern.rw.trims()) {
        return wrong("rw", format!("rw={} changes data, and --readonly forbids it", o.pattern.rw.word()));
    }
    let logs = [&o.logs.bw, &o.logs.lat, &o.logs.iops, &o.logs.hist];
    // A name that begins at the root may be a device's; what it is, is looked at when files are.
    if section.name.starts_with('/') && logs.iter().any(|log| log.is_some()) {
        let name = model::clip(&section.name);
        return Err(JobError::new(&section.at, format!("name `{name}`: {}", crate::read::LEADS_AWAY)));
    }
    other_work(section)?;
    run_as_fio_does(section, notes);
    beside_the_load(section, notes);
    sizes(section)?;
    if o.rate.bytes.iter().any(|b| b.0 > 0) && o.rate.iops.iter().any(|i| *i > 0) {
        return wrong("rate_iops", "rate and rate_iops exclude each other".into());
    }
    for i in 0..3 {
        let (bytes, bytes_min) = (o.rate.bytes[i].0, o.rate.bytes_min[i].0);
        let (iops, iops_min) = (o.rate.iops[i], o.rate.iops_min[i]);
        if bytes > 0 && bytes_min > bytes {
            return wrong("rate_min", format!("rate_min={bytes_min} is above rate={bytes}"));
        }
        if iops > 0 && iops_min > iops {
            return wrong("rate_iops_min", format!("rate_iops_min={iops_min} is above rate_iops={iops}"));
        }
    }
    verify(section)?;
    if o.zones.mode == ZoneMode::Strided && !section.is_set("zonesize") {
        return wrong("zonemode", "zonemode=strided needs a zonesize".into());
    }
    if o.buffers.dedupe_mode == DedupeMode::WorkingSet
        && let Some(copies) = o.buffers.dedupe_percentage
        && u32::from(copies) + u32::from(o.buffers.dedupe_working_set) > 100
    {
        let why = format!("{copies} % copies of {} % new blocks are more than there are", o.buffers.dedupe_working_set);
        return wrong("dedupe_percentage", why);
    }
    if o.buffers.dedupe_mode == DedupeMode::WorkingSet
        && o.buffers.dedupe_percentage.is_some()
        && o.files.size.is_none()
    {
        return wrong("dedupe_mode", "dedupe_mode=working_set needs a size".into());
    }
    if o.goals.latency_target > Nanos(0) && o.goals.latency_window == Nanos(0) {
        return wrong("latency_target", "latency_target needs a latency_window".into());
    }
    Ok(())
}

/// What cannot be as it was asked, and is run as fio runs it: told.
fn run_as_fio_does(section: &Section, notes: &mut Vec<Note>) {
    let o = &section.options;
    let (engine, depth) = (o.engine.engine, o.depth.iodepth);
    if engine.is_synchronous() && depth > 1 {
        let what = sentence!("job-depth-one", depth, engine = engine.word());
        notes.push(Note::new(section.place_of("iodepth"), what));
    }
    if let Some(low) = o.depth.low.filter(|low| *low > depth) {
        let what = sentence!("job-depth-low", low, depth);
        notes.push(Note::new(section.place_of("iodepth_low"), what));
    }
    // Without I/O there is no size to be done.
    if o.time.time_based && o.time.runtime == Nanos(0) && !engine.does_no_io() {
        notes.push(Note::new(section.place_of("time_based"), sentence!("job-no-runtime")));
    }
    if o.zones.mode == ZoneMode::None && section.is_set("zonesize") {
        notes.push(Note::new(section.place_of("zonesize"), sentence!("job-zones-strided")));
    }
}

/// What an engine that does no I/O cannot do without.
fn other_work(section: &Section) -> Result<(), JobError> {
    let c = &section.options.other_work;
    let why = match section.options.engine.engine {
        IoEngine::Cpuio if c.load == 0 => "ioengine=cpuio needs cpuload, in percent of a CPU: cpuload=50",
        IoEngine::Exec if c.program.as_deref().unwrap_or_default().trim().is_empty() => {
            "ioengine=exec needs a program: program=/usr/bin/true"
        }
        _ => return Ok(()),
    };
    let why = format!("job `{}`: {why}", model::clip(&section.name));
    Err(JobError::new(section.place_of("ioengine"), why))
}

/// What the job does beside the I/O that is measured: told, so that whoever reads the figures knows.
fn beside_the_load(section: &Section, notes: &mut Vec<Note>) {
    let (o, job) = (&section.options, model::clip(&section.name));
    let program = |text: &Option<String>| text.as_deref().map(model::clip).unwrap_or_default();
    match o.engine.engine {
        IoEngine::Cpuio => {
            let what = sentence!("job-burns-cpu", job = &job, load = o.other_work.load);
            notes.push(Note::new(section.place_of("cpuload"), what));
        }
        IoEngine::Exec => {
            let what = sentence!("job-runs-program", job = &job, program = program(&o.other_work.program));
            notes.push(Note::new(section.place_of("program"), what));
            if o.time.runtime == Nanos(0) {
                notes.push(Note::new(section.place_of("program"), sentence!("job-as-long-as-program", job = &job)));
            }
        }
        _ => {}
    }
    if o.process.before.is_some() {
        let what = sentence!("job-runs-before", job = &job, program = program(&o.process.before));
        notes.push(Note::new(section.place_of("exec_prerun"), what));
    }
    if o.process.after.is_some() {
        let what = sentence!("job-runs-after", job = &job, program = program(&o.process.after));
        notes.push(Note::new(section.place_of("exec_postrun"), what));
    }
}

/// Directions the job uses: reads, writes, trims.
fn used(o: &JobOptions) -> [bool; 3] {
    [o.pattern.rw.reads(), o.pattern.rw.writes(), o.pattern.rw.trims()]
}

fn sizes(section: &Section) -> Result<(), JobError> {
    let o = &section.options;
    let wrong = |option: &str, why: String| {
        Err(JobError::new(section.place_of(option), format!("job `{}`: {why}", model::clip(&section.name))))
    };
    for (block, used) in o.block.bs.iter().zip(used(o)) {
        if !used {
            continue;
        }
        let least = block.min();
        if let Some(Extent::Bytes(size)) = o.files.size
            && least > size
        {
            return wrong("size", format!("a block of {} is larger than the size, {size}", least));
        }
        if let Some((_, size)) = o.files.filesize
            && least > size
        {
            return wrong("filesize", format!("a block of {least} is larger than filesize, {size}"));
        }
        let direct = o.engine.direct && o.engine.engine != IoEngine::Null;
        if direct && o.block.unaligned && matches!(block, Block::Range(..)) {
            return wrong("bs_unaligned", "direct I/O cannot have sizes of any number of bytes".into());
        }
        if let Block::Range(low, high) = block
            && !high.0.is_multiple_of(low.0)
            && !o.block.unaligned
        {
            let why = format!("the range {}-{} ends at no multiple of its beginning", low.short(), high.short());
            return wrong("bsrange", why);
        }
    }
    Ok(())
}

fn verify(section: &Section) -> Result<(), JobError> {
    let o = &section.options;
    let method = o.verify.method;
    let wrong = |option: &str, why: String| {
        Err(JobError::new(section.place_of(option), format!("job `{}`: {why}", model::clip(&section.name))))
    };
    if method == VerifyMethod::None {
        if o.verify.verify_only {
            return wrong("verify_only", "verify_only needs a method: verify=crc32c, say".into());
        }
        return Ok(());
    }
    if matches!(method, VerifyMethod::Pattern | VerifyMethod::PatternHdr) && o.verify.pattern.is_none() {
        return wrong("verify", format!("verify={} needs a verify_pattern", method.word()));
    }
    Ok(())
}

/// Why an option has no effect.
enum Why {
    /// Without this one it has none.
    Without(&'static str),
    /// As a message says.
    Says(&'static str),
}

/// An option, when it has an effect, and why it has none otherwise.
type Effect = (&'static str, fn(&JobOptions) -> bool, Why);

const EFFECTS: &[Effect] = &[
    ("rwmixread", |o| o.pattern.rw.is_mix(), Says("job-no-mix")),
    ("rwmixwrite", |o| o.pattern.rw.is_mix(), Says("job-no-mix")),
    ("norandommap", |o| o.pattern.rw.is_random(), Says("job-not-random")),
    ("random_generator", |o| o.pattern.rw.is_random(), Says("job-not-random")),
    ("random_distribution", |o| o.pattern.rw.is_random(), Says("job-not-random")),
    ("percentage_random", |o| o.pattern.rw.is_random(), Says("job-not-random")),
    ("rw_sequencer", |o| o.pattern.rw_argument.is_some(), Says("job-no-number")),
    ("thinktime_spin", |o| o.rate.thinktime > Nanos(0), Without("thinktime")),
    ("thinktime_blocks", |o| o.rate.thinktime > Nanos(0), Without("thinktime")),
    ("thinktime_blocks_type", |o| o.rate.thinktime > Nanos(0), Without("thinktime")),
    ("thinktime_iotime", |o| o.rate.thinktime > Nanos(0), Without("thinktime")),
    ("rate_process", |o| o.rate.is_limited(), Says("job-no-rate")),
    (
        "rate_ignore_thinktime",
        |o| o.rate.is_limited() && o.rate.thinktime > Nanos(0),
        Says("job-no-rate-with-thinktime"),
    ),
    ("rate_cycle", has_minimum, Says("job-no-least-rate")),
    ("log_avg_msec", has_log, Says("job-no-log")),
    ("log_max_value", has_log, Says("job-no-log")),
    ("log_window_value", has_log, Says("job-no-log")),
    ("log_offset", has_log, Says("job-no-log")),
    ("log_narrow", has_log, Says("job-no-log")),
    ("log_offset", |o| !o.logs.narrow, Says("job-log-is-narrow")),
    ("log_prio", |o| !o.logs.narrow, Says("job-log-is-narrow")),
    ("log_issue_time", |o| !o.logs.narrow, Says("job-log-is-narrow")),
    ("log_hist_msec", |o| o.logs.hist.is_some(), Without("write_hist_log")),
    ("log_hist_coarseness", |o| o.logs.hist.is_some(), Without("write_hist_log")),
    ("write_hist_log", |o| o.logs.hist_every > Nanos(0), Without("log_hist_msec")),
    ("nrfiles", |o| o.files.filenames.is_empty(), Says("job-files-are-named")),
    ("filename_format", |o| o.files.filenames.is_empty(), Says("job-files-are-named")),
    ("exit_what", |o| o.process.exitall, Without("exitall")),
    ("cpus_allowed_policy", |o| !o.process.cpus.is_empty(), Without("cpus_allowed")),
    ("latency_window", |o| o.goals.latency_target > Nanos(0), Without("latency_target")),
    ("latency_percentile", |o| o.goals.latency_target > Nanos(0), Without("latency_target")),
    ("latency_run", |o| o.goals.latency_target > Nanos(0), Without("latency_target")),
    ("steadystate", |o| o.goals.steady_duration > Nanos(0), Without("steadystate_duration")),
    ("steadystate_ramp_time", |o| o.goals.steady_duration > Nanos(0), Without("steadystate_duration")),
    ("zonerange", |o| o.zones.is_strided(), Says("job-not-strided")),
    ("zoneskip", |o| o.zones.is_strided() || zoned(o), Says("job-not-strided")),
    ("zonecapacity", zoned, Without("zonemode")),
    ("read_beyond_wp", zoned, Without("zonemode")),
    ("max_open_zones", zoned, Without("zonemode")),
    ("job_max_open_zones", |o| zoned(o) && writes(o), Without("zonemode")),
    ("ignore_zone_limits", zoned, Without("zonemode")),
    ("zone_reset_threshold", |o| o.zones.reset_frequency > 0.0, Without("zone_reset_frequency")),
    ("zone_reset_frequency", zoned, Without("zonemode")),
    ("do_verify", has_verify, Without("verify")),
    ("verify_interval", has_verify, Without("verify")),
    ("verify_fatal", has_verify, Without("verify")),
    ("verify_backlog", has_verify, Without("verify")),
    ("verify_backlog_batch", |o| o.verify.backlog > 0, Without("verify_backlog")),
    ("buffer_compress_chunk", |o| o.buffers.compress_percentage.is_some(), Without("buffer_compress_percentage")),
    ("dedupe_global", |o| o.buffers.dedupe_mode == DedupeMode::WorkingSet, Without("dedupe_mode")),
    ("dedupe_mode", |o| o.buffers.dedupe_percentage.is_some(), Without("dedupe_percentage")),
    ("bs", |o| has_sizes(o, |b| matches!(b, Block::Fixed(_))), Says("job-sizes-elsewhere")),
    ("bsrange", |o| has_sizes(o, |b| matches!(b, Block::Range(..))), Says("job-sizes-of-bssplit")),
    ("write_hint", writes, Says("job-nothing-written")),
    ("log_issue_time", |o| has_log(o) && o.logs.avg == Nanos(0), Says("job-no-log-of-operations")),
    ("bs_unaligned", |o| o.block.bs.iter().any(|b| matches!(b, Block::Range(..))), Without("bsrange")),
    ("refill_buffers", |o| !o.buffers.zero, Says("job-zeros-written")),
    ("iodepth_batch", |o| !o.engine.engine.is_synchronous(), Says("job-engine-waits")),
    ("iodepth_batch_complete_min", |o| !o.engine.engine.is_synchronous(), Says("job-engine-waits")),
    ("iodepth_batch_complete_max", |o| !o.engine.engine.is_synchronous(), Says("job-engine-waits")),
    (
        "direct",
        |o| !matches!(o.engine.engine, IoEngine::Mmap | IoEngine::Libpmem) || !o.engine.direct,
        Says("job-mapped"),
    ),
    ("hipri", |o| o.engine.direct || o.engine.engine.commands() || !o.engine.hipri, Says("job-polling-direct")),
    ("fixedbufs", rings, Says("job-not-io-uring")),
    ("registerfiles", rings, Says("job-not-io-uring")),
    ("sqthread_poll", rings, Says("job-not-io-uring")),
    ("sqthread_poll_cpu", rings, Says("job-not-io-uring")),
    ("cpuload", |o| o.engine.engine == IoEngine::Cpuio, Says("job-not-cpuio")),
    ("cpuchunks", |o| o.engine.engine == IoEngine::Cpuio, Says("job-not-cpuio")),
    ("cpumode", |o| o.engine.engine == IoEngine::Cpuio, Says("job-not-cpuio")),
    ("exit_on_io_done", |o| o.engine.engine == IoEngine::Cpuio, Says("job-not-cpuio")),
    ("program", |o| o.engine.engine == IoEngine::Exec, Says("job-not-exec")),
    ("arguments", |o| o.engine.engine == IoEngine::Exec, Says("job-not-exec")),
    ("grace_time", |o| o.engine.engine == IoEngine::Exec, Says("job-not-exec")),
    ("std_redirect", |o| o.engine.engine == IoEngine::Exec, Says("job-not-exec")),
    ("fsync", writes, Says("job-nothing-written")),
    ("fdatasync", writes, Says("job-nothing-written")),
    ("end_fsync", writes, Says("job-nothing-written")),
    ("fsync_on_close", writes, Says("job-nothing-written")),
    ("sync", writes, Says("job-nothing-written")),
];

/// Whether any direction has sizes of this kind.
fn has_sizes(o: &JobOptions, kind: fn(&Block) -> bool) -> bool {
    o.block.bs.iter().any(kind)
}

fn rings(o: &JobOptions) -> bool {
    matches!(o.engine.engine, IoEngine::IoUring | IoEngine::IoUringCmd)
}

fn zoned(o: &JobOptions) -> bool {
    o.zones.mode == ZoneMode::Zoned
}

fn writes(o: &JobOptions) -> bool {
    o.pattern.rw.writes()
}

fn has_verify(o: &JobOptions) -> bool {
    o.verify.method != VerifyMethod::None
}

fn has_log(o: &JobOptions) -> bool {
    o.logs.bw.is_some() || o.logs.lat.is_some() || o.logs.iops.is_some()
}

fn has_minimum(o: &JobOptions) -> bool {
    o.rate.bytes_min.iter().any(|b| b.0 > 0) || o.rate.iops_min.iter().any(|i| *i > 0)
}

fn without_effect(section: &Section, notes: &mut Vec<Note>) {
    for (option, effective, why) in EFFECTS {
        if let Some(at) = section.places.get(option)
            && !is_default(section, option)
            && !effective(&section.options)
        {
            let why = match why {
                Without(other) => message!("job-missing", option = *other),
                Says(id) => Message::new(id),
            };
            notes.push(Note::new(at, sentence!("job-no-effect", option = *option, why)));
        }
    }
    let o = &section.options;
    let uniform = o.pattern.distribution.iter().all(|d| *d == RandomDistribution::Uniform);
    if !uniform && o.pattern.rw.is_random() && !o.pattern.norandommap {
        notes.push(Note::new(section.place_of("random_distribution"), sentence!("job-map-left-out")));
    }
}

/// Logs finer than windows are taken at.
fn short_logs(section: &Section, notes: &mut Vec<Note>) {
    let o = &section.options;
    let asked = [("log_avg_msec", has_log(o), o.logs.avg), ("log_hist_msec", o.logs.hist.is_some(), o.logs.hist_every)];
    for (option, on, time) in asked {
        if on && time > Nanos(0) && time < SHORTEST_LOG {
            let text = sentence!("job-log-too-fine", option, time, least = SHORTEST_LOG);
            notes.push(Note::new(section.place_of(option), text));
        }
    }
}

/// Verification that cannot be what was meant (fio warns of the same).
fn doubtful_verify(section: &Section, notes: &mut Vec<Note>) {
    let o = &section.options;
    if o.verify.method == VerifyMethod::None || !o.verify.do_verify || !writes(o) {
        return;
    }
    if o.engine.engine == IoEngine::Null {
        notes.push(Note::new(section.place_of("verify"), sentence!("job-null-verifies-nothing")));
        return;
    }
    if o.job.numjobs > 1 && !o.files.filenames.is_empty() {
        notes.push(Note::new(section.place_of("numjobs"), sentence!("job-clones-overwrite")));
    }
    if o.time.time_based && !o.pattern.rw.reads() && o.verify.backlog == 0 {
        notes.push(Note::new(section.place_of("time_based"), sentence!("job-never-verified")));
    }
}

/// Whether an option was typed with the value it has anyway: nothing to remark then.
fn is_default(section: &Section, option: &str) -> bool {
    let typed = section.own.iter().chain(&section.inherited).find(|t| t.name == option);
    typed.is_some_and(|t| matches!(t.value.as_str(), "0" | "none"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use messages::Language;

    #[test]
    fn every_reason_is_a_message() {
        for (option, _, why) in EFFECTS {
            match why {
                Without(other) => assert!(crate::all(&[]).any(|s| s.name == *other), "{option}: {other}"),
                Says(id) => assert!(!messages::fixed(Language::English, id).is_empty(), "{option}: {id}"),
            }
        }
    }
}
