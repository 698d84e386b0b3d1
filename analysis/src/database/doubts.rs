//! Doubts about database runs: figures that are of a cache, of a pause, of a commit that does not wait.

use super::{Run, device};
use crate::figures::Level;
use crate::{caveats, starved};
use model::{BacklogTrend, Bytes, Caveat, DbJudgement, RunRecord, Severity, ValueRule, thousands};

/// Share of the workers' time in pauses from which the rate is that of the pause.
const MOSTLY_PAUSE: f64 = 0.5;
/// A pause that lasts so many times what was asked was not kept.
const PAUSE_OFF: f64 = 1.5;
/// Digits of an operation's number that values need so that no two of a run are alike.
const NUMBER: u32 = 12;
/// Engines' words for commits that return before they are durable.
const LAZY: [&str; 5] =
    ["lazy", "synchronous=NORMAL", "synchronous=OFF", "TRANSACTIONID=BATCH", "synchronous_commit=off"];
/// Share of the devices' bytes from which others are told of, and bytes a second at least.
const FOREIGN: f64 = 0.1;
const FOREIGN_LEAST: f64 = 1_048_576.0;
/// Bytes that a commit of a file system's journal writes, generously.
const COMMIT: f64 = 65_536.0;
/// Errno of a record that was not there.
const MISSING: i32 = 2;

/// Doubts of each wave as one level; struck and marked as those of any run. What a session does is logical: it is not laid
/// against bytes or queues.
pub(super) fn of_levels(gathered: &RunRecord, levels: &mut [Level]) -> Vec<Caveat> {
    let mut all = Vec::new();
    for level in levels {
        let own = if level.job.manner.session.is_some() {
            of_sessions(gathered, level)
        } else {
            caveats::of_level(gathered, level)
        };
        caveats::mark(level, &own, &gathered.caveats);
        all.extend(own);
    }
    all
}

fn of_sessions(record: &RunRecord, level: &Level) -> Vec<Caveat> {
    let mut found = Vec::new();
    found.extend(crate::cache::run_on_memory(record));
    found.extend(failed(record, level));
    found.extend(caveats::hung(record, level));
    found.extend(starved::doubt(record, level));
    // Of buckets of the storage a logical rate tells nothing, and a short load is short by itself.
    found.extend(caveats::regime(record, level, false).filter(|c| c.severity >= Severity::Doubt));
    if level.figures.ops == 0 && level.figures.errors == 0 {
        found.push(caveats::nothing_done());
    }
    found.into_iter().map(|c| c.at_step(level.steps[0])).collect()
}

fn failed(record: &RunRecord, level: &Level) -> Option<Caveat> {
    if level.figures.errors == 0 {
        return None;
    }
    let stats = level.steps.iter().flat_map(|i| &record.steps[*i].intervals).flat_map(|i| &i.per_op);
    let missing: u64 = stats.filter_map(|o| o.tally.errors.get(&MISSING)).sum();
    let evidence =
        format!("{} failed beside {} that did not", level.figures.errors, thousands(level.figures.ops as f64));
    Some(if missing == level.figures.errors {
        Caveat::new("records-missing", Severity::Invalid, "records were asked for that are not there", evidence)
            .remedy("count them: secchi db count-subscripts; make them again: secchi db create-globals")
    } else {
        Caveat::new("io-errors", Severity::Invalid, "operations of the engine failed", evidence)
            .remedy("read the log of the engine and of the kernel")
    })
}

/// Doubts of the run as a whole.
pub(super) fn of_run(run: &Run, database: &DbJudgement) -> Vec<Caveat> {
    let mut found = Vec::new();
    found.extend(cached(run, database));
    found.extend(not_ours(run, database));
    found.extend(beside(run));
    found.extend(fits(run));
    found.extend(not_durable(run));
    found.extend(journal_off(run));
    found.extend(mostly_pause(database));
    found.extend(pause_off(database));
    found.extend(alike(run));
    found.extend(not_sustained(database));
    found
}

fn through_engine(run: &Run) -> bool {
    run.waves.iter().any(|w| w.rule.is_some())
}

fn updates(run: &Run) -> bool {
    run.waves.iter().any(|w| w.jobs.iter().any(|j| j.writes() > 0))
}

/// Reads through the engine that did not come from the device. Of blocks, the kernel's count of our own process tells.
fn cached(run: &Run, database: &DbJudgement) -> Option<Caveat> {
    let ratio = database.ratios.iter().find(|r| r.doubtful)?;
    // Updates read what they change; that this comes from memory is what a cache is for.
    let reads = run.waves.iter().any(|w| w.jobs.iter().any(|j| j.reads() > 0));
    if !reads || !through_engine(run) {
        return None;
    }
    Some(
        Caveat::new(
            "cached-reads",
            Severity::Doubt,
            "reads were answered from memory: their rate and latency are not those of the storage",
            format!("{}: {:.2}, expected {} at least", ratio.name, ratio.value, device::CACHED),
        )
        .remedy("make the data at least twice the memory, or read blocks past every cache: secchi db ranread"),
    )
}

/// Counts of whole devices that hold too much of others'.
fn not_ours(run: &Run, database: &DbJudgement) -> Option<Caveat> {
    let why = device::foreign(run, &database.device)?;
    let missing = run.used.below.as_ref().map(|b| b.missing.join("; ")).filter(|m| !m.is_empty());
    let evidence = missing.map_or_else(|| why.clone(), |missing| format!("{why}; not told apart: {missing}"));
    Some(
        Caveat::new(
            "device-counts-of-others",
            Severity::Doubt,
            "only whole devices were counted, and others used them: ratios to what they did are left out",
            evidence,
        )
        .remedy(
            "run it as root or as the engine's user, so that its processes are counted; or when the devices are quiet",
        ),
    )
}

/// Others on the devices while it was measured: whatever a session waited for, it may have waited for them.
fn beside(run: &Run) -> Option<Caveat> {
    let below = run.used.below.as_ref()?;
    let all = below.device()?.bytes() as f64;
    // A file system's journal is written by the kernel, for us as for others.
    let commits: u64 = below.devices.iter().filter_map(|d| d.commits).sum();
    let journal = commits as f64 * COMMIT;
    let foreign = match below.ours() {
        Some(ours) => all - ours.bytes() as f64 - journal,
        None => below.before? * below.length.secs(),
    };
    let seconds = below.length.secs().max(1e-3);
    (foreign > all * FOREIGN && foreign / seconds > FOREIGN_LEAST).then(|| {
        let (rate, share) = (model::BytesPerSecond(foreign / seconds), foreign / all * 100.0);
        Caveat::new(
            "foreign-load",
            Severity::Doubt,
            "others used the device at the same time",
            format!("{rate} on {} were not the engine's: {share:.0} % of all", below.names()),
        )
        .remedy("repeat when the device is quiet")
    })
}

/// The size rule: data of twice what may hold it, or blocks read past every cache.
fn fits(run: &Run) -> Option<Caveat> {
    let used = run.used;
    // What is written from the first record to the last needs no memory of what was there.
    let random = |w: &model::DbWave| w.rule.is_some_and(|r| r.order.is_drawn() || r.read_percent > 0);
    if !run.waves.iter().any(random) || used.data.0 == 0 {
        return None;
    }
    let host = &run.record.preflight.host;
    let memory = host.memory_limit.map_or(host.memory, |limit| limit.min(host.memory));
    // Past the page cache only the engine's own memory can hold it.
    let (holds, what) =
        if used.direct { (used.cache, "the engine's cache") } else { (used.cache.max(memory), "memory") };
    if holds.0 == 0 || used.data.0 / 2 >= holds.0 {
        return None;
    }
    let twice = Bytes(holds.0.saturating_mul(2));
    Some(
        Caveat::new(
            "data-fits-cache",
            Severity::Doubt,
            format!("the data is less than twice {what}: much of it is answered from there"),
            format!("{} of data, {holds} of {}", used.data, if used.direct { "cache" } else { "memory" }),
        )
        .remedy(format!(
            "set up {twice} or more, or limit memory (systemd-run -p MemoryMax=...), or a smaller --cache"
        )),
    )
}

fn not_durable(run: &Run) -> Option<Caveat> {
    let lazy = LAZY.iter().any(|word| run.used.commit.contains(word));
    (lazy && updates(run)).then(|| {
        Caveat::new(
            "commit-lazy",
            Severity::Note,
            "commits do not wait until they are durable: a crash loses the last of them",
            run.used.commit.clone(),
        )
        .remedy("run it with durable commits too, and compare")
    })
}

fn journal_off(run: &Run) -> Option<Caveat> {
    (!run.used.journal && updates(run)).then(|| {
        Caveat::new(
            "journal-off",
            Severity::Note,
            "updates were not journaled: nothing of them can be recovered, and the journal's writes are missing",
            run.used.commit.clone(),
        )
        .remedy("run it with --journal-mode on too, and compare")
    })
}

/// PerfTools' rates hide this: 73 % of the time of a published run were its own pauses.
fn mostly_pause(database: &DbJudgement) -> Option<Caveat> {
    let wave = database.waves.iter().find(|w| w.idle > MOSTLY_PAUSE && w.hang.is_some_and(|(asked, _)| asked.0 > 0))?;
    let (asked, _) = wave.hang?;
    Some(
        Caveat::new(
            "mostly-pause",
            Severity::Note,
            "the workers paused most of the time: the rate is that of the pause, the latencies stand",
            format!("{:.0} % of their time, with a pause of {asked} asked after each batch", wave.idle * 100.0),
        )
        .remedy("lower --pause, or use more workers, to see what the storage can do"),
    )
}

fn pause_off(database: &DbJudgement) -> Option<Caveat> {
    let off = |asked: model::Nanos, made: model::Nanos| {
        asked.0 > 0 && made.0 as f64 > PAUSE_OFF * asked.0 as f64 && made.since(asked).0 > 200_000
    };
    let (asked, made) = database.waves.iter().filter_map(|w| w.hang).find(|(asked, made)| off(*asked, *made))?;
    Some(
        Caveat::new(
            "pause-not-kept",
            Severity::Note,
            "pauses were longer than asked: the machine is short of CPU, or its timer is coarse",
            format!("{made} on average, {asked} asked"),
        )
        .remedy("use fewer workers, or give the machine more CPU"),
    )
}

/// Engines skip a write of what stands there already: no disk would be measured.
fn alike(run: &Run) -> Option<Caveat> {
    let rules = run.waves.iter().filter_map(|w| w.rule).filter(|r| r.read_percent < 100);
    let short = rules.map(|r| r.value).find_map(|v| match v {
        ValueRule::Length { from, .. } if from < NUMBER => Some(from),
        _ => None,
    })?;
    Some(
        Caveat::new(
            "values-alike",
            Severity::Doubt,
            "values are too short to differ: an engine may skip writing what stands there already",
            format!("{short} bytes, of which {NUMBER} are needed to number them"),
        )
        .remedy(format!("use --value {NUMBER} or more")),
    )
}

fn not_sustained(database: &DbJudgement) -> Option<Caveat> {
    let backlog = database.backlog.as_ref()?;
    let most = thousands(backlog.most);
    match backlog.trend {
        BacklogTrend::Grows => Some(
            Caveat::new(
                "backlog-grows",
                Severity::Doubt,
                "updates come faster than they are written back: this rate cannot be kept up",
                format!("{} pages more each second, up to {most}", thousands(backlog.slope)),
            )
            .remedy("fewer workers or a longer --pause until it is level; or faster data devices"),
        ),
        BacklogTrend::Gathers => Some(
            Caveat::new(
                "never-written-back",
                Severity::Doubt,
                "the engine wrote nothing back within the run: what that costs is not in these figures",
                format!("{most} pages gathered"),
            )
            .remedy("run longer than the engine's interval of writing back"),
        ),
        BacklogTrend::Level | BacklogTrend::TooShort => None,
    }
}
