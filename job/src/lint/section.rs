//! Rules over one job.

use super::{LintFacts, LintRule};
use crate::options::{Block, IoEngine, RandomDistribution, SyncMode, VerifyMethod};
use crate::resolve::Section;
use crate::units::Extent;
use model::{Bytes, LimitAxis, Nanos, RuleText, Severity, named};

/// Rules in the order in which they are told.
pub(crate) const RULES: &[LintRule] = &[
    LintRule {
        text: RuleText {
            id: "L01-page-cache",
            severity: Severity::Doubt,
            title: "the page cache would answer",
            explanation: "Without direct=1 reads come from memory as soon as they were read once, and writes return before the \
                storage has them. That is the speed of memory, and with an asynchronous engine its depth has no effect.",
            remedy: "add direct=1; for a program that uses the page cache, data of at least twice the memory",
        },
        look: page_cache,
    },
    LintRule {
        text: RuleText {
            id: "L02-memory",
            severity: Severity::Doubt,
            title: "the data fit into memory",
            explanation: "Through the page cache, data of less than twice the memory are mostly answered by it.",
            remedy: "use more data than twice the memory, or direct=1",
        },
        look: memory,
    },
    LintRule {
        text: RuleText {
            id: "L03-burst",
            severity: Severity::Doubt,
            title: "it would end before the burst does",
            explanation: "Volumes with credits run above their baseline until the bucket is empty. A run that is shorter than that \
                measures the burst, and no database lives on it.",
            remedy: "run for longer than the burst lasts, or drain it first (ramp_time)",
        },
        look: burst,
    },
    LintRule {
        text: RuleText {
            id: "L04-depth",
            severity: Severity::Doubt,
            title: "the engine waits for each operation: the depth is 1",
            explanation: "sync, psync, vsync, pvsync and mmap do one operation at a time, whatever iodepth says; fio notes it in one \
                line and goes on.",
            remedy: "take libaio or io_uring with direct=1, or more jobs",
        },
        look: depth,
    },
    LintRule {
        text: RuleText {
            id: "L06-gtod-reduce",
            severity: Severity::Doubt,
            title: "gtod_reduce leaves out latency",
            explanation: "gtod_reduce=1 turns off submission, completion and total latency with all percentiles, to save clock \
                reads. What a database waits for is then not measured.",
            remedy: "leave it out: a clock read costs some 25 ns",
        },
        look: gtod,
    },
    LintRule {
        text: RuleText {
            id: "L11-same-places",
            severity: Severity::Note,
            title: "the random places are the same each time, or some come twice",
            explanation: "With randrepeat=1 every run and every pass asks the same places in the same order, which caches learn; with \
                norandommap some blocks come twice in a pass and others never, which matters where the data were never written.",
            remedy: "randrepeat=0 for repeats; norandommap only on data that were written as a whole",
        },
        look: same_places,
    },
    LintRule {
        text: RuleText {
            id: "L12-ramp",
            severity: Severity::Note,
            title: "the start is measured too: no ramp_time",
            explanation: "The first seconds of a run hold the opening of files, empty caches and full buckets; they weigh most in short \
                runs.",
            remedy: "add ramp_time, a tenth of the runtime",
        },
        look: ramp,
    },
    LintRule {
        text: RuleText {
            id: "L13-sync-too",
            severity: Severity::Note,
            title: "sync=1 on top of direct=1: every write waits for the media",
            explanation: "direct=1 passes the page cache by; sync=1 asks besides that every write be durable, so that a volatile write \
                cache is flushed each time. That is another question, and may be the right one for journals.",
            remedy: "leave sync out for data files; for journals prefer fdatasync=1",
        },
        look: sync_too,
    },
    LintRule {
        text: RuleText {
            id: "L14-few-samples",
            severity: Severity::Note,
            title: "too few operations for the percentiles it prints",
            explanation: "The 99.99th percentile rests on one operation in ten thousand: with fewer than a hundred thousand it is \
                chance, and with fewer than ten thousand so is the 99.9th.",
            remedy: "run longer, time based",
        },
        look: few_samples,
    },
    LintRule {
        text: RuleText {
            id: "L15-shared-file",
            severity: Severity::Note,
            title: "all jobs work on one file",
            explanation: "With filename= the clones share the file: sequential streams ask the same places behind each other, which \
                caches answer, and writes through the page cache meet at the file's lock. Random places on a device, or with \
                direct=1, are left alone.",
            remedy: "leave filename out, so that every job has its own, or give offset_increment",
        },
        look: shared_file,
    },
    LintRule {
        text: RuleText {
            id: "L16-compressible",
            severity: Severity::Doubt,
            title: "it writes data that compress or deduplicate",
            explanation: "Zeros and repeated blocks take no room on storage that compresses, deduplicates or does not keep zeros: \
                writes are then fast, and later reads do not touch media.",
            remedy: "leave zero_buffers out, and refill_buffers=1 for devices that deduplicate",
        },
        look: compressible,
    },
    LintRule {
        text: RuleText {
            id: "L17-processors",
            severity: Severity::Note,
            title: "many more jobs than processors",
            explanation: "Jobs of an asynchronous engine beyond the processors do not add operations in flight that depth would not \
                add, but compete for time: the client may become what is measured.",
            remedy: "use fewer jobs with more depth",
        },
        look: processors,
    },
    LintRule {
        text: RuleText {
            id: "L18-no-runtime",
            severity: Severity::Note,
            title: "it ends when its files are done: how long that is nobody knows before",
            explanation: "Without a runtime a fast volume is measured for seconds, within caches and bursts, and a slow one for hours; \
                jobs end at different times, and the rates of the last ones are not those of all.",
            remedy: "time_based=1 with a runtime",
        },
        look: no_runtime,
    },
    LintRule {
        text: RuleText {
            id: "L23-clones-apart",
            severity: Severity::Note,
            title: "each clone would be reported alone",
            explanation: "Without group_reporting fio prints a report for each clone of numjobs: none of them is the load's rate, and \
                their sum has to be made by hand.",
            remedy: "add group_reporting=1, unless the clones are to be compared with each other",
        },
        look: clones_apart,
    },
    LintRule {
        text: RuleText {
            id: "L07-label",
            severity: Severity::Doubt,
            title: "the job's name says other parameters than its options",
            explanation: "Reports and tables are made of names. A copied line that keeps its name, or keeps its options, makes a row \
                that claims what was not run.",
            remedy: "make the name say what is run",
        },
        look: label,
    },
];

type Told = Option<(String, &'static str)>;

pub(super) fn touches_storage(s: &Section) -> bool {
    s.options.engine.engine != IoEngine::Null
}

/// Whether it is to find out what is there, and not how fast: all of it has to be done then, however long that takes.
pub(super) fn is_about_contents(s: &Section) -> bool {
    s.options.verify.method != VerifyMethod::None
}

fn is_cached(s: &Section) -> bool {
    touches_storage(s) && !s.options.engine.direct
}

fn page_cache(s: &Section, _: &LintFacts) -> Told {
    is_cached(s).then(|| {
        let durable =
            s.options.engine.sync != SyncMode::None || s.options.engine.fsync > 0 || s.options.engine.fdatasync > 0;
        let what = match (s.options.pattern.rw.writes() && !s.options.pattern.rw.reads(), durable) {
            (true, true) => "direct=0: writes go through the page cache before they are made durable",
            _ => "direct=0: the page cache answers, and not the storage",
        };
        (what.to_owned(), "direct")
    })
}

/// Bytes of all files of a job.
fn working_set(s: &Section) -> Option<u64> {
    let files = &s.options.files;
    let size = match files.size {
        Some(Extent::Bytes(size)) => size.0,
        _ => files.filesize.map(|(_, most)| most.0.saturating_mul(u64::from(files.nrfiles.max(1))))?,
    };
    let clones = if files.filenames.is_empty() { u64::from(s.options.job.numjobs.max(1)) } else { 1 };
    Some(size.saturating_mul(clones))
}

fn memory(s: &Section, facts: &LintFacts) -> Told {
    let (set, memory) = (working_set(s)?, facts.memory?);
    (is_cached(s) && set < memory.0.saturating_mul(2)).then(|| {
        (format!("{} are less than twice the memory of {memory}, and go through the page cache", Bytes(set)), "size")
    })
}

fn burst(s: &Section, facts: &LintFacts) -> Told {
    let runtime = s.options.time.runtime;
    if runtime == Nanos(0) || !touches_storage(s) {
        return None;
    }
    let told = facts.limits.iter().flat_map(|limit| {
        [LimitAxis::Iops, LimitAxis::Bandwidth].into_iter().filter_map(move |axis| {
            let (cap, burst) = (limit.cap(axis)?, limit.burst(axis)?);
            let lasts = burst.seconds_at(burst.rate, cap);
            (lasts > runtime.secs() && lasts.is_finite()).then(|| (lasts, limit.name.clone()))
        })
    });
    let (lasts, name) = told.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let what = format!("a full burst of {name} lasts for {lasts:.0} s, and the run for {:.0} s", runtime.secs());
    Some((what, "runtime"))
}

fn depth(s: &Section, _: &LintFacts) -> Told {
    let (engine, depth) = (s.options.engine.engine, s.options.depth.iodepth);
    (engine.is_synchronous() && depth > 1)
        .then(|| (format!("iodepth={depth} with ioengine={}", engine.word()), "iodepth"))
}

fn gtod(s: &Section, _: &LintFacts) -> Told {
    (s.options.time.gtod_reduce && touches_storage(s))
        .then(|| ("gtod_reduce=1: no latency, no percentile".to_owned(), "gtod_reduce"))
}

fn same_places(s: &Section, _: &LintFacts) -> Told {
    let p = &s.options.pattern;
    if !p.rw.is_random() || !touches_storage(s) {
        return None;
    }
    // Where some places are to come more often than others that is what was asked.
    if p.norandommap && s.is_set("norandommap") && p.distribution.iter().all(|d| *d == RandomDistribution::Uniform) {
        return Some(("norandommap: some blocks come twice, and others never".to_owned(), "norandommap"));
    }
    (p.randrepeat && s.is_set("randrepeat"))
        .then(|| ("randrepeat=1: the same places in the same order each time".to_owned(), "randrepeat"))
}

/// From this on the start is a small part of the mean.
const LONG: Nanos = Nanos(600 * 1_000_000_000);

fn ramp(s: &Section, _: &LintFacts) -> Told {
    let t = &s.options.time;
    let short = t.runtime > Nanos(0) && t.runtime < LONG && t.ramp_time == Nanos(0);
    (short && touches_storage(s) && !is_about_contents(s))
        .then(|| (format!("{:.0} s without a ramp_time", t.runtime.secs()), "runtime"))
}

fn sync_too(s: &Section, _: &LintFacts) -> Told {
    let e = &s.options.engine;
    let writes = s.options.pattern.rw.writes();
    (writes && e.direct && e.sync == SyncMode::Sync).then(|| ("sync=1 and direct=1".to_owned(), "sync"))
}

fn few_samples(s: &Section, _: &LintFacts) -> Told {
    let o = &s.options;
    if o.time.time_based || o.job.loops > 1 || is_about_contents(s) {
        return None;
    }
    let Some(Extent::Bytes(size)) = o.files.io_size.or(o.files.size) else { return None };
    let block = o.block.bs[usize::from(!o.pattern.rw.reads())].max().0.max(1);
    let ops = (size.0 / block).saturating_mul(u64::from(o.job.numjobs.max(1)));
    let ops = if o.pattern.number_ios > 0 { ops.min(o.pattern.number_ios) } else { ops };
    (ops < 100_000).then(|| {
        let p = if ops < 10_000 { "99.9th" } else { "99.99th" };
        (format!("about {ops} operations: its {p} percentile is chance"), "size")
    })
}

fn shared_file(s: &Section, _: &LintFacts) -> Told {
    let o = &s.options;
    let [file] = o.files.filenames.as_slice() else { return None };
    if o.job.numjobs < 2 || o.files.offset_increment != Extent::default() || !touches_storage(s) {
        return None;
    }
    // Random places of clones are their own, and devices have no lock; direct writes share a file's.
    let locked = o.pattern.rw.writes() && !o.engine.direct && !file.starts_with("/dev");
    let why = match (o.pattern.rw.is_random(), locked) {
        (false, _) => "each follows the places of the others",
        (true, true) => "their writes wait for each other",
        (true, false) => return None,
    };
    Some((format!("{} clones on one file: {why}", o.job.numjobs), "filename"))
}

fn compressible(s: &Section, _: &LintFacts) -> Told {
    let (o, b) = (&s.options, &s.options.buffers);
    if !o.pattern.rw.writes() || !touches_storage(s) {
        return None;
    }
    if b.zero {
        return Some(("zero_buffers: nothing but zeros is written".to_owned(), "zero_buffers"));
    }
    if let Some(percent) = b.compress_percentage.filter(|p| *p > 0) {
        return Some((format!("{percent} % of each buffer compress away"), "buffer_compress_percentage"));
    }
    let percent = b.dedupe_percentage.filter(|p| *p > 0)?;
    Some((format!("{percent} % of the blocks are copies"), "dedupe_percentage"))
}

fn processors(s: &Section, facts: &LintFacts) -> Told {
    let (jobs, cpus) = (s.options.job.numjobs, facts.cpus?);
    let busy = !s.options.engine.engine.is_synchronous();
    (busy && jobs > cpus.saturating_mul(2)).then(|| (format!("{jobs} jobs on {cpus} processors"), "numjobs"))
}

fn no_runtime(s: &Section, _: &LintFacts) -> Told {
    let o = &s.options;
    let ends = o.time.runtime == Nanos(0) && o.pattern.number_ios == 0 && touches_storage(s) && !is_about_contents(s);
    ends.then(|| {
        let apart =
            if o.job.numjobs > 1 { format!("; its {} jobs may end apart", o.job.numjobs) } else { String::new() };
        (format!("no runtime{apart}"), "size")
    })
}

fn clones_apart(s: &Section, _: &LintFacts) -> Told {
    let (jobs, together) = (s.options.job.numjobs, s.options.report.group_reporting);
    (jobs > 1 && !together).then(|| (format!("numjobs={jobs} gives {jobs} reports"), "numjobs"))
}

fn label(s: &Section, _: &LintFacts) -> Told {
    says_otherwise(&s.name, s).map(|what| (format!("its name {what}"), "numjobs"))
}

/// What a name says otherwise than the options: `says 2, and numjobs is 1, iodepth 1`.
pub(super) fn says_otherwise(name: &str, s: &Section) -> Option<String> {
    let (named, o) = (named(name), &s.options);
    let (jobs, depth) = (o.job.numjobs, o.depth.iodepth);
    let block = match &o.block.bs[usize::from(!o.pattern.rw.reads())] {
        Block::Fixed(size) => Some(size.0),
        _ => None,
    };
    if let Some(says) = named.depth.filter(|d| *d != depth) {
        return Some(format!("says a depth of {says}, and iodepth is {depth}"));
    }
    if let Some(says) = named.jobs.filter(|j| *j != jobs) {
        return Some(format!("says {says} jobs, and numjobs is {jobs}"));
    }
    if let (Some(says), Some(is)) = (named.block, block)
        && says != is
    {
        return Some(format!("says {}, and bs is {}", Bytes(says).short(), Bytes(is).short()));
    }
    let fits = match named.numbers.as_slice() {
        [] => true,
        [one] => [jobs, depth, jobs.saturating_mul(depth)].contains(one),
        [a, b, ..] => (*a, *b) == (jobs, depth) || (*b, *a) == (jobs, depth),
    };
    if !fits {
        let says: Vec<String> = named.numbers.iter().map(u32::to_string).collect();
        return Some(format!("says {}, and numjobs is {jobs}, iodepth {depth}", says.join(" and ")));
    }
    let rw = named.rw?;
    let (reads, writes) = (o.pattern.rw.reads(), o.pattern.rw.writes());
    let only = rw.trim_start_matches("rand");
    let contradicts =
        only == "read" && !reads || only == "write" && !writes || rw.starts_with("rand") && !o.pattern.rw.is_random();
    contradicts.then(|| format!("says {rw}, and rw is {}", o.pattern.rw.word()))
}
