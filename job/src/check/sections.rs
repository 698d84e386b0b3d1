//! Checks of one section: contradictory settings, and settings that override others.

use crate::error::{JobError, Note};
use crate::file::Section;
use crate::options::{DedupeMode, JobOptions, RunOptions, VerifyMethod, ZoneMode};
use crate::units::Extent;
use messages::sentence;
use model::{Nanos, Sentence, plan::BlockSizes};

pub(super) fn section_errors(section: &Section, run: &RunOptions, notes: &mut Vec<Note>) -> Result<(), JobError> {
    let o = &section.options;
    let wrong = |option: &str, why: String| Err(job_error(section, option, &why));
    if run.readonly && (o.pattern.rw.writes() || o.pattern.rw.trims()) {
        return wrong("rw", format!("rw={} changes data, which --readonly forbids", o.pattern.rw.word()));
    }
    let logs = [&o.logs.bw, &o.logs.lat, &o.logs.iops, &o.logs.hist];
    // A job name that begins with `/` may be the path of a device. That is checked later, with the files.
    if section.name.starts_with('/') && logs.iter().any(|log| log.is_some()) {
        let name = model::clip(&section.name);
        return Err(JobError::new(&section.at, format!("name `{name}`: {}", crate::names::LEADS_AWAY)));
    }
    other_work(section)?;
    run_as_fio_does(section, notes);
    beside_the_load(section, notes);
    sizes(section)?;
    if o.rate.bytes.iter().any(|b| !b.is_zero()) && o.rate.iops.iter().any(|i| *i > 0) {
        return wrong("rate_iops", "rate and rate_iops exclude each other".into());
    }
    for i in 0..3 {
        let (bytes, bytes_min) = (o.rate.bytes[i].as_u64(), o.rate.bytes_min[i].as_u64());
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
        let reason =
            format!("{copies} % duplicates and a working set of {} % exceed 100 %", o.buffers.dedupe_working_set);
        return wrong("dedupe_percentage", reason);
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

fn job_error(section: &Section, option: &str, why: &str) -> JobError {
    JobError::new(section.place_of(option), format!("job `{}`: {why}", model::clip(&section.name)))
}

/// Adds notes for settings that cannot be applied as given. secchi changes them in the same way as fio.
fn run_as_fio_does(section: &Section, notes: &mut Vec<Note>) {
    let o = &section.options;
    let (engine, depth) = (o.engine.engine, o.depth.iodepth);
    let mut note = |option: &str, what: Sentence| notes.push(Note::new(section.place_of(option), what));
    if engine.is_synchronous() && depth > 1 {
        note("iodepth", sentence!("job-depth-one", depth, engine = engine.word()));
    }
    if let Some(low) = o.depth.low.filter(|low| *low > depth) {
        note("iodepth_low", sentence!("job-depth-low", low, depth));
    }
    // A job without I/O gets no note, because it transfers no bytes that could end it.
    if o.time.time_based && o.time.runtime == Nanos(0) && !engine.does_no_io() {
        note("time_based", sentence!("job-no-runtime"));
    }
    if o.zones.mode == ZoneMode::None && section.is_set("zonesize") {
        note("zonesize", sentence!("job-zones-strided"));
    }
}

/// Checks that a job without I/O has the options that its engine requires.
fn other_work(section: &Section) -> Result<(), JobError> {
    let c = &section.options.other_work;
    let engine = section.options.engine.engine;
    let reason = if engine.burns_cpu() && c.load == 0 {
        "ioengine=cpuio needs cpuload, in percent of a CPU: cpuload=50"
    } else if engine.runs_program() && c.program.as_deref().unwrap_or_default().trim().is_empty() {
        "ioengine=exec needs a program: program=/usr/bin/true"
    } else {
        return Ok(());
    };
    Err(job_error(section, "ioengine", reason))
}

/// Adds notes about work that a job does in addition to the measured I/O, because it may affect the results.
fn beside_the_load(section: &Section, notes: &mut Vec<Note>) {
    let (o, job) = (&section.options, model::clip(&section.name));
    let program = |text: &Option<String>| text.as_deref().map(model::clip).unwrap_or_default();
    let mut note = |option: &str, what: Sentence| notes.push(Note::new(section.place_of(option), what));
    if o.engine.engine.burns_cpu() {
        note("cpuload", sentence!("job-burns-cpu", job = &job, load = o.other_work.load));
    }
    if o.engine.engine.runs_program() {
        note("program", sentence!("job-runs-program", job = &job, program = program(&o.other_work.program)));
        if o.time.runtime == Nanos(0) {
            note("program", sentence!("job-as-long-as-program", job = &job));
        }
    }
    if o.process.before.is_some() {
        note("exec_prerun", sentence!("job-runs-before", job = &job, program = program(&o.process.before)));
    }
    if o.process.after.is_some() {
        note("exec_postrun", sentence!("job-runs-after", job = &job, program = program(&o.process.after)));
    }
}

/// Returns three flags, for reads, writes and trims. A flag is `true` if the job uses that direction.
fn used(o: &JobOptions) -> [bool; 3] {
    [o.pattern.rw.reads(), o.pattern.rw.writes(), o.pattern.rw.trims()]
}

pub(super) fn sizes(section: &Section) -> Result<(), JobError> {
    let o = &section.options;
    let wrong = |option: &str, why: String| Err(job_error(section, option, &why));
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
        let direct = o.engine.direct && !o.engine.engine.is_null();
        if direct && o.block.unaligned && matches!(block, BlockSizes::Range(..)) {
            return wrong("bs_unaligned", "direct I/O does not support unaligned sizes".into());
        }
        if let BlockSizes::Range(low, high) = block
            && !high.as_u64().is_multiple_of(low.as_u64())
            && !o.block.unaligned
        {
            let reason = format!("the range {}-{} must end at a multiple of its start", low.short(), high.short());
            return wrong("bsrange", reason);
        }
    }
    Ok(())
}

pub(super) fn verify(section: &Section) -> Result<(), JobError> {
    let o = &section.options;
    let method = o.verify.method;
    let wrong = |option: &str, why: String| Err(job_error(section, option, &why));
    if method == VerifyMethod::None {
        if o.verify.verify_only {
            return wrong("verify_only", "verify_only needs a method, such as verify=crc32c".into());
        }
        return Ok(());
    }
    if matches!(method, VerifyMethod::Pattern | VerifyMethod::PatternHdr) && o.verify.pattern.is_none() {
        return wrong("verify", format!("verify={} needs a verify_pattern", method.word()));
    }
    Ok(())
}
