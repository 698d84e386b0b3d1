//! Rules for one job.

use super::{LintFacts, LintRule};
use crate::file::Section;
use crate::options::{RandomDistribution, SyncMode, VerifyMethod};
use crate::units::Extent;
use messages::{message, sentence};
use model::plan::BlockSizes;
use model::text::{Named, Said, readings};
use model::{Bytes, Nanos, Sentence, Severity, bounds::LimitAxis, judged::RuleText};

/// Rules in the order of the report.
pub(crate) const RULES: &[LintRule] = &[
    LintRule { text: RuleText { id: "L01-page-cache", severity: Severity::Doubt }, look: page_cache },
    LintRule { text: RuleText { id: "L02-memory", severity: Severity::Doubt }, look: memory },
    LintRule { text: RuleText { id: "L03-burst", severity: Severity::Doubt }, look: burst },
    LintRule { text: RuleText { id: "L04-depth", severity: Severity::Doubt }, look: depth },
    LintRule { text: RuleText { id: "L06-gtod-reduce", severity: Severity::Doubt }, look: gtod },
    LintRule { text: RuleText { id: "L11-same-places", severity: Severity::Note }, look: same_places },
    LintRule { text: RuleText { id: "L12-ramp", severity: Severity::Note }, look: ramp },
    LintRule { text: RuleText { id: "L13-sync-too", severity: Severity::Note }, look: sync_too },
    LintRule { text: RuleText { id: "L14-few-samples", severity: Severity::Note }, look: few_samples },
    LintRule { text: RuleText { id: "L15-shared-file", severity: Severity::Note }, look: shared_file },
    LintRule { text: RuleText { id: "L16-compressible", severity: Severity::Doubt }, look: compressible },
    LintRule { text: RuleText { id: "L17-processors", severity: Severity::Note }, look: processors },
    LintRule { text: RuleText { id: "L18-no-runtime", severity: Severity::Note }, look: no_runtime },
    LintRule { text: RuleText { id: "L23-clones-apart", severity: Severity::Note }, look: clones_apart },
    LintRule { text: RuleText { id: "L07-label", severity: Severity::Doubt }, look: label },
];

type JobFinding = Option<(Sentence, &'static str)>;

pub(super) fn touches_storage(s: &Section) -> bool {
    let engine = s.options.engine.engine;
    !engine.is_null() && !engine.does_no_io()
}

/// Returns `true` if the job checks data rather than speed. Such a job must process all of its data, however long that
/// takes.
pub(super) fn is_about_contents(s: &Section) -> bool {
    s.options.verify.method != VerifyMethod::None
}

fn is_cached(s: &Section) -> bool {
    touches_storage(s) && !s.options.engine.direct
}

fn page_cache(s: &Section, _: &LintFacts) -> JobFinding {
    is_cached(s).then(|| {
        let durable =
            s.options.engine.sync != SyncMode::None || s.options.engine.fsync > 0 || s.options.engine.fdatasync > 0;
        let what = match (s.options.pattern.rw.writes() && !s.options.pattern.rw.reads(), durable) {
            (true, true) => sentence!("lint-writes-cached-first"),
            _ => sentence!("lint-page-cache-answers"),
        };
        (what, "direct")
    })
}

/// Returns the total size of all files that a job uses, in bytes.
fn working_set(s: &Section) -> Option<u64> {
    let files = &s.options.files;
    let size = match files.size {
        Some(Extent::Bytes(size)) => size.as_u64(),
        _ => files.filesize.map(|(_, most)| most.as_u64().saturating_mul(u64::from(files.nrfiles.max(1))))?,
    };
    let clones = if files.filenames.is_empty() { u64::from(s.options.job.numjobs.max(1)) } else { 1 };
    Some(size.saturating_mul(clones))
}

fn memory(s: &Section, facts: &LintFacts) -> JobFinding {
    let (set, memory) = (working_set(s)?, facts.memory?);
    (is_cached(s) && set < memory.as_u64().saturating_mul(2))
        .then(|| (sentence!("lint-cached-in-memory", set = Bytes(set), memory), "size"))
}

fn burst(s: &Section, facts: &LintFacts) -> JobFinding {
    let runtime = s.options.time.runtime;
    if runtime == Nanos(0) || !touches_storage(s) {
        return None;
    }
    let bursts = facts.limits.iter().flat_map(|limit| {
        [LimitAxis::Iops, LimitAxis::Bandwidth].into_iter().filter_map(move |axis| {
            let (cap, burst) = (limit.cap(axis)?, limit.burst(axis)?);
            let lasts = burst.seconds_at(burst.rate, cap);
            (lasts > runtime.secs() && lasts.is_finite()).then(|| (lasts, limit.name.clone()))
        })
    });
    let (lasts, name) = bursts.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (lasts, runtime) = (format!("{lasts:.0}"), format!("{:.0}", runtime.secs()));
    Some((sentence!("lint-burst-outlasts", name, lasts, runtime), "runtime"))
}

fn depth(s: &Section, _: &LintFacts) -> JobFinding {
    let (engine, depth) = (s.options.engine.engine, s.options.depth.iodepth);
    (engine.is_synchronous() && depth > 1)
        .then(|| (sentence!("lint-depth-with-engine", depth, engine = engine.word()), "iodepth"))
}

fn gtod(s: &Section, _: &LintFacts) -> JobFinding {
    (s.options.time.gtod_reduce && touches_storage(s)).then(|| (sentence!("lint-no-latency"), "gtod_reduce"))
}

fn same_places(s: &Section, _: &LintFacts) -> JobFinding {
    let p = &s.options.pattern;
    if !p.rw.is_random() || !touches_storage(s) {
        return None;
    }
    // A skewed distribution repeats some offsets on purpose.
    if p.norandommap && s.is_set("norandommap") && p.distribution.iter().all(|d| *d == RandomDistribution::default()) {
        return Some((sentence!("lint-blocks-twice"), "norandommap"));
    }
    (p.randrepeat && s.is_set("randrepeat")).then(|| (sentence!("lint-same-places"), "randrepeat"))
}

/// Runtime at or above which the start of the job has little influence on the mean.
const LONG: Nanos = Nanos::from_secs(600);

fn ramp(s: &Section, _: &LintFacts) -> JobFinding {
    let t = &s.options.time;
    let short = t.runtime > Nanos(0) && t.runtime < LONG && t.ramp_time == Nanos(0);
    (short && touches_storage(s) && !is_about_contents(s))
        .then(|| (sentence!("lint-without-ramp", runtime = format!("{:.0}", t.runtime.secs())), "runtime"))
}

fn sync_too(s: &Section, _: &LintFacts) -> JobFinding {
    let e = &s.options.engine;
    let writes = s.options.pattern.rw.writes();
    (writes && e.direct && e.sync == SyncMode::Sync)
        .then(|| (sentence!("saw-list-last", all = "sync=1", last = "direct=1"), "sync"))
}

fn few_samples(s: &Section, _: &LintFacts) -> JobFinding {
    let o = &s.options;
    if o.time.time_based || o.job.loops > 1 || is_about_contents(s) {
        return None;
    }
    let Some(Extent::Bytes(size)) = o.files.io_size.or(o.files.size) else { return None };
    let block = o.block.bs[usize::from(!o.pattern.rw.reads())].max().as_u64().max(1);
    let ops = (size.as_u64() / block).saturating_mul(u64::from(o.job.numjobs.max(1)));
    let ops = if o.pattern.number_ios > 0 { ops.min(o.pattern.number_ios) } else { ops };
    (ops < 100_000).then(|| {
        let p = if ops < 10_000 { "99.9" } else { "99.99" };
        (sentence!("lint-percentile-is-chance", ops, p), "size")
    })
}

fn shared_file(s: &Section, _: &LintFacts) -> JobFinding {
    let o = &s.options;
    let [file] = o.files.filenames.as_slice() else { return None };
    if o.job.numjobs < 2 || o.files.offset_increment != Extent::default() || !touches_storage(s) {
        return None;
    }
    // Clones choose different random offsets. Devices have no inode lock, and direct writes share a file's lock.
    let locked = o.pattern.rw.writes() && !o.engine.direct && !file.starts_with("/dev");
    let n = o.job.numjobs;
    let what = match (o.pattern.rw.is_random(), locked) {
        (false, _) => sentence!("lint-clones-follow", n),
        (true, true) => sentence!("lint-clones-wait", n),
        (true, false) => return None,
    };
    Some((what, "filename"))
}

fn compressible(s: &Section, _: &LintFacts) -> JobFinding {
    let (o, b) = (&s.options, &s.options.buffers);
    if !o.pattern.rw.writes() || !touches_storage(s) {
        return None;
    }
    if b.zero {
        return Some((sentence!("lint-only-zeros"), "zero_buffers"));
    }
    if let Some(percent) = b.compress_percentage.filter(|p| *p > 0) {
        return Some((sentence!("lint-compresses", percent), "buffer_compress_percentage"));
    }
    let percent = b.dedupe_percentage.filter(|p| *p > 0)?;
    Some((sentence!("lint-copies", percent), "dedupe_percentage"))
}

fn processors(s: &Section, facts: &LintFacts) -> JobFinding {
    let (jobs, cpus) = (s.options.job.numjobs, facts.cpus?);
    let busy = !s.options.engine.engine.is_synchronous();
    (busy && jobs > cpus.saturating_mul(2)).then(|| (sentence!("lint-jobs-on-processors", jobs, cpus), "numjobs"))
}

fn no_runtime(s: &Section, _: &LintFacts) -> JobFinding {
    let o = &s.options;
    let ends = o.time.runtime == Nanos(0) && o.pattern.number_ios == 0 && touches_storage(s) && !is_about_contents(s);
    ends.then(|| {
        let what = match o.job.numjobs {
            0 | 1 => sentence!("lint-no-runtime"),
            n => sentence!("lint-jobs-may-end-apart", n),
        };
        (what, "size")
    })
}

fn clones_apart(s: &Section, _: &LintFacts) -> JobFinding {
    let (jobs, together) = (s.options.job.numjobs, s.options.report.group_reporting);
    (jobs > 1 && !together).then(|| (sentence!("lint-reports-of-clones", jobs), "numjobs"))
}

fn label(s: &Section, _: &LintFacts) -> JobFinding {
    says_otherwise(&s.name, message!("lint-its-name"), s).map(|what| (what, "numjobs"))
}

/// Returns the first contradiction between a name and the options. `None` if any interpretation of the name agrees with
/// the options.
///
/// `called` is the phrase for the name at the start of the sentence, such as `its name` in
/// `its name says 2, and numjobs is 1 and iodepth is 1`.
pub(super) fn says_otherwise(name: &str, called: impl Into<Said>, s: &Section) -> Option<Sentence> {
    let called = called.into();
    let mut differences = readings(name).into_iter().map(|named| differs(&named, called.clone(), s));
    let first = differences.next()??;
    differences.all(|other| other.is_some()).then_some(first)
}

fn differs(named: &Named, name: Said, s: &Section) -> Option<Sentence> {
    let o = &s.options;
    let (jobs, depth) = (o.job.numjobs, o.depth.iodepth);
    let block = match &o.block.bs[usize::from(!o.pattern.rw.reads())] {
        BlockSizes::Fixed(size) => Some(size.as_u64()),
        _ => None,
    };
    if let Some(says) = named.depth.filter(|d| *d != depth) {
        return Some(sentence!("lint-says-depth", name, says, depth));
    }
    if let Some(says) = named.jobs.filter(|j| *j != jobs) {
        return Some(sentence!("lint-says-jobs", name, says, jobs));
    }
    // `5m` may also be five minutes, and `64m` the size of the file.
    let is_other = |says: u64| {
        let size = match o.files.size {
            Some(Extent::Bytes(size)) => Some(size.as_u64()),
            _ => None,
        };
        size == Some(says) || says.is_multiple_of(1 << 20) && o.time.runtime.secs() == (says >> 20) as f64 * 60.0
    };
    if let (Some(says), Some(is)) = (named.block, block)
        && says != is
        && !is_other(says)
    {
        return Some(sentence!("lint-says-block", name, says = Bytes(says).short(), block = Bytes(is).short()));
    }
    let (mix, read) = (o.pattern.rw.is_mix(), u32::from(o.pattern.mix_read));
    let fits = match named.numbers.as_slice() {
        [] => true,
        [one] if mix && [read, 100 - read].contains(one) => true,
        [a, b, ..] if mix && a + b == 100 => true,
        [one] => [jobs, depth, jobs.saturating_mul(depth)].contains(one),
        [a, b, ..] => (*a, *b) == (jobs, depth) || (*b, *a) == (jobs, depth),
    };
    if !fits {
        let says = named.numbers.iter().map(|n| Sentence::from(n.to_string()));
        let says = says.reduce(|all, last| sentence!("saw-list-last", all, last)).unwrap_or_default();
        return Some(sentence!("lint-says-numbers", name, says, jobs, depth));
    }
    let rw = named.rw?;
    let (reads, writes) = (o.pattern.rw.reads(), o.pattern.rw.writes());
    let only = rw.trim_start_matches("rand");
    let contradicts =
        only == "read" && !reads || only == "write" && !writes || rw.starts_with("rand") && !o.pattern.rw.is_random();
    contradicts.then(|| sentence!("lint-says-rw", name, says = rw, rw = o.pattern.rw.word()))
}
