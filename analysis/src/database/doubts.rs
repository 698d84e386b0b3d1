//! Doubts about database runs: figures determined by a cache, by a pause, or by a commit that does not wait.

use super::{Run, device};
use crate::levels::figures::Level;
use crate::validity::caveats;
use crate::validity::cpu::starved;
use crate::validity::sync::{self, TooSoon};
use messages::sentence;
use model::judged::{ArrivalFigures, BacklogTrend, DbJudgement};
use model::measured::{DatabaseUse, FileRole, RoleSource, RoleUse};
use model::plan::{Pacing, ValueRule};
use model::record::{DbWave, HostFacts};
use model::{Bytes, BytesPerSecond, Caveat, LatencyHistogram, Op, RunRecord, Sentence, Severity, units::thousands};

/// Name of the engine model, which is not a real engine.
const MODEL: &str = "model";
/// Names of GT.M's counters of restarted transactions (one for each try), of committed transactions, and of the updates
/// made in all tries.
const STARTED_AGAIN: [&str; 5] = ["TR0", "TR1", "TR2", "TR3", "TR4"];
const COMMITTED: [&str; 1] = ["CTN"];
const SETS: [&str; 2] = ["SET", "KIL"];
/// Share of the workers' time in pauses from which the pause determines the rate.
const MOSTLY_PAUSE: f64 = 0.5;
/// Ratio of the actual pause to the requested one above which the pause was not kept.
const PAUSE_OFF: f64 = 1.5;
/// Share of the due batches that may be missing without a doubt.
const RATE_OFF: f64 = 0.01;
/// Number of digits that a value needs for its operation's number, so that all values of a run differ.
const NUMBER: u32 = 12;
/// Engines' settings with which commits return before they are durable.
const LAZY: [&str; 6] =
    ["lazy", "synchronous=NORMAL", "synchronous=OFF", "TRANSACTIONID=BATCH", "synchronous_commit=off", "fsync=off"];
/// Minimum number of durable commits for which a journal without a write or flush is a contradiction: the first few may
/// share a flush from before the measured time.
const DURABLE_COMMITS: u64 = 20;
/// Minimum share of the devices' bytes, and minimum bytes per second, from which other processes' I/O is reported.
const FOREIGN: f64 = 0.1;
const FOREIGN_LEAST: f64 = 1_048_576.0;
/// Ratio of the lower to the upper bound of other processes' bytes above which the two count as equal.
const ALIKE: f64 = 0.9;
/// Bytes that a commit of a file system's journal writes, estimated generously.
const COMMIT: f64 = 65_536.0;
/// Errno of a record that does not exist.
const MISSING: i32 = 2;

/// Returns the doubts about each wave as one level, and marks the levels as for any run. Figures of sessions are
/// logical, so they are not compared with bytes or queues.
pub(super) fn of_levels(gathered: &RunRecord, levels: &mut [Level]) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    for level in levels {
        let of_level = if level.job.tuning.work.session().is_some() {
            of_sessions(gathered, level)
        } else {
            caveats::of_level(gathered, level)
        };
        caveats::mark(level, &of_level, &gathered.caveats);
        caveats.extend(of_level);
    }
    caveats
}

fn of_sessions(record: &RunRecord, level: &Level) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    caveats.extend(crate::validity::cache::run_on_memory(record));
    caveats.extend(failed(record, level));
    caveats.extend(caveats::hung(record, level));
    caveats.extend(starved::doubt(record, level));
    // A logical rate shows nothing about buckets of the storage, and a short load is reported as short anyway.
    caveats.extend(caveats::regime(record, level, false).filter(|c| c.severity >= Severity::Doubt));
    if level.figures.ops == 0 && level.figures.errors == 0 {
        caveats.push(caveats::nothing_done());
    }
    caveats.into_iter().map(|c| c.at_step(level.steps[0])).collect()
}

fn failed(record: &RunRecord, level: &Level) -> Option<Caveat> {
    if level.figures.errors == 0 {
        return None;
    }
    let stats = level.steps.iter().flat_map(|i| &record.steps[*i].intervals).flat_map(|i| &i.per_op);
    let missing: u64 = stats.filter_map(|o| o.tally.errors.get(&MISSING)).sum();
    let done = thousands(level.figures.ops as f64);
    let evidence = sentence!("db-operations-failed-seen", failed = level.figures.errors, done);
    Some(if missing == level.figures.errors {
        Caveat::new("records-missing", Severity::Invalid, sentence!("db-records-missing"), evidence)
            .remedy(sentence!("db-records-missing-remedy"))
    } else {
        Caveat::new("io-errors", Severity::Invalid, sentence!("db-operations-failed"), evidence)
            .remedy(sentence!("db-operations-failed-remedy"))
    })
}

/// Returns the doubts about the run as a whole.
pub(super) fn of_run(run: &Run, database: &DbJudgement) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    caveats.extend(of_model(run));
    caveats.extend(cached(run, database));
    caveats.extend(not_ours(run, database));
    caveats.extend(beside(run));
    caveats.extend(fits(run));
    caveats.extend(differ(run));
    caveats.extend(not_durable(run));
    caveats.extend(unwritten_journal(run));
    caveats.extend(too_soon(run));
    caveats.extend(journal_off(run));
    caveats.extend(rate_not_kept(database));
    caveats.extend(mostly_pause(database));
    caveats.extend(pause_off(database));
    caveats.extend(alike(run));
    caveats.extend(started_again(run));
    caveats.extend(cut(run));
    caveats.extend(not_sustained(database));
    caveats
}

fn through_engine(run: &Run) -> bool {
    run.waves.iter().any(|w| w.rule.is_some())
}

fn updates(run: &Run) -> bool {
    run.waves.iter().any(|w| w.jobs.iter().any(|j| j.writes() > 0))
}

/// Returns the caveat for I/O of secchi's model of an engine: the figures omit everything else that a real engine does.
fn of_model(run: &Run) -> Option<Caveat> {
    (run.used.engine == MODEL && through_engine(run)).then(|| {
        Caveat::new("figures-of-a-model", Severity::Doubt, sentence!("db-of-model"), &run.used.version)
            .remedy(sentence!("db-of-model-remedy"))
    })
}

/// Returns the caveat for reads through the engine that did not come from the device. For blocks, the kernel's count of
/// secchi's own process shows this.
fn cached(run: &Run, database: &DbJudgement) -> Option<Caveat> {
    let ratio = database.ratios.iter().find(|r| r.doubtful)?;
    // Updates read the records that they change; serving these reads from memory is the purpose of a cache.
    let reads = run.waves.iter().any(|w| w.jobs.iter().any(|j| j.reads() > 0));
    if !reads || !through_engine(run) {
        return None;
    }
    let (value, least) = (format!("{:.2}", ratio.value), device::CACHED.to_string());
    let evidence = sentence!("db-cached-reads-seen", ratio = &ratio.name, value, least);
    let doubt = Caveat::new("cached-reads", Severity::Doubt, sentence!("db-cached-reads"), evidence);
    Some(doubt.remedy(sentence!("db-cached-reads-remedy")))
}

/// Returns the caveat for counts of whole devices with too much I/O of other processes.
fn not_ours(run: &Run, database: &DbJudgement) -> Option<Caveat> {
    let reason = device::foreign(run, &database.device)?;
    let missing =
        run.used.below.as_ref().map(|b| Sentence::join(b.missing.iter().cloned(), "; ")).filter(|m| !m.is_empty());
    let evidence = match missing {
        Some(missing) => sentence!("db-counts-not-apart", why = reason, missing),
        None => reason,
    };
    let doubt = Caveat::new("device-counts-of-others", Severity::Doubt, sentence!("db-counts-of-others"), evidence);
    Some(doubt.remedy(sentence!("db-counts-of-others-remedy")))
}

/// Returns the caveat for other processes' I/O on the devices during the measured time: sessions may have waited for
/// it. It is only a note if the counts for the engine differ so much that all of this I/O may have been the engine's.
fn beside(run: &Run) -> Option<Caveat> {
    let below = run.used.below.as_ref()?;
    let device = below.device()?.bytes() as f64;
    // The kernel writes a file system's journal, for the engine as well as for other processes.
    let commits: u64 = below.devices.iter().filter_map(|d| d.commits).sum();
    let journal = if below.ours().is_some() { commits as f64 * COMMIT } else { 0.0 };
    let (least, most) = below.foreign()?;
    let (least, most) = ((least - journal).max(0.0), (most - journal).max(0.0));
    let seconds = below.length.secs().max(1e-3);
    let counts = |bytes: f64| bytes > device * FOREIGN && bytes / seconds > FOREIGN_LEAST;
    if !counts(most) {
        return None;
    }
    let (rate, share) = (BytesPerSecond(most / seconds), format!("{:.0}", most / device * 100.0));
    let devices = below.names();
    let evidence = if below.group().is_none() || least > most * ALIKE {
        sentence!("db-foreign-load-seen", rate, devices, share)
    } else {
        let (least, low) = (BytesPerSecond(least / seconds), format!("{:.0}", least / device * 100.0));
        sentence!("db-foreign-load-range", least, most = rate, devices, low, high = share)
    };
    let (severity, statement) = match counts(least) {
        true => (Severity::Doubt, sentence!("db-foreign-load")),
        false => (Severity::Note, sentence!("db-foreign-load-perhaps")),
    };
    Some(Caveat::new("foreign-load", severity, statement, evidence).remedy(sentence!("db-foreign-load-remedy")))
}

/// Returns the caveat for data that violates the size rule: it must be twice the size of the memory that may hold it,
/// or blocks must bypass every cache.
fn fits(run: &Run) -> Option<Caveat> {
    run.used.each().enumerate().find_map(|(rank, used)| {
        let host = run.record.preflight.ranks.get(rank).map_or(&run.record.preflight.host, |r| &r.host);
        let doubt = fits_host(run, used, host)?;
        if used.host.is_empty() {
            return Some(doubt);
        }
        let evidence = sentence!("ranks-on-host", host = &used.host, what = doubt.evidence.clone());
        Some(Caveat { evidence, ..doubt })
    })
}

fn fits_host(run: &Run, used: &DatabaseUse, host: &HostFacts) -> Option<Caveat> {
    // Sequential writes do not need previous contents of memory.
    let random = |w: &DbWave| w.rule.is_none_or(|r| r.order.is_drawn() || r.read_percent > 0);
    if !run.waves.iter().any(random) {
        return None;
    }
    let size = size_rule(run.record, used, host, &run.waves)?;
    let (data, needed) = (used.data, size.needed);
    let (statement, evidence) = match size.holder {
        Holder::Engine(holds) => (sentence!("db-fits-cache"), sentence!("db-fits-cache-seen", data, holds)),
        Holder::Memory(holds) => (sentence!("db-fits-memory"), sentence!("db-fits-memory-seen", data, holds)),
        Holder::Controller(holds) => {
            (sentence!("db-fits-controller"), sentence!("db-fits-controller-seen", data, holds))
        }
    };
    let severity = if size.accepted { Severity::Note } else { Severity::Doubt };
    let caveat = Caveat::new("data-fits-cache", severity, statement, evidence);
    Some(caveat.remedy(sentence!("db-fits-remedy", directory = &used.directory, needed = argument(needed))))
}

/// Memory that may answer reads instead of the device, with its size.
enum Holder {
    Engine(Bytes),
    Memory(Bytes),
    Controller(Bytes),
}

/// Data that is too small to measure the device.
struct TooSmall {
    /// Minimum size of the data that the rule accepts.
    needed: Bytes,
    /// Memory that requires this size.
    holder: Holder,
    /// True if `--cached` was given: figures of caches are requested.
    accepted: bool,
}

/// Applies the size rule: twice the engine's cache, twice the memory of the host and four times the cache of the
/// controller.
///
/// Direct updates of an engine bypass the page cache, so for them memory counts only if there are reads. Returns `None`
/// if the data is large enough or its size is unknown.
fn size_rule(record: &RunRecord, used: &DatabaseUse, host: &HostFacts, waves: &[DbWave]) -> Option<TooSmall> {
    let reads = waves.iter().any(|w| w.jobs.iter().any(|j| j.reads() > 0));
    let memory = host.memory_limit.map_or(host.memory, |limit| limit.min(host.memory));
    let memory = if used.direct && !reads { Bytes(0) } else { memory };
    let controller = option(record, "--controller-cache").and_then(|size| size.parse().ok()).unwrap_or(Bytes(0));
    let holders = [
        (Holder::Engine(used.cache), used.cache, 2),
        (Holder::Memory(memory), memory, 2),
        (Holder::Controller(controller), controller, 4),
    ];
    let (holder, needed) = holders
        .into_iter()
        .map(|(holder, size, factor)| (holder, size.as_u64().saturating_mul(factor)))
        .max_by_key(|h| h.1)?;
    if used.data.is_zero() || used.data.as_u64() >= needed {
        return None;
    }
    let accepted = record.plan.args.iter().any(|a| a == "--cached");
    Some(TooSmall { needed: Bytes(needed), holder, accepted })
}

/// Returns the reason why no need on reads can be decided: the data of some host is too small and `--cached` was not
/// given.
pub(super) fn too_small_for_needs(record: &RunRecord, waves: &[DbWave]) -> Option<Sentence> {
    let used = record.database()?;
    used.each().enumerate().find_map(|(rank, used)| {
        let host = record.preflight.ranks.get(rank).map_or(&record.preflight.host, |r| &r.host);
        let size = size_rule(record, used, host, waves).filter(|size| !size.accepted)?;
        let needed = argument(size.needed);
        Some(sentence!("db-need-fits", data = used.data, directory = &used.directory, needed))
    })
}

/// Formats a size as an argument of an option: in MiB, rounded up.
fn argument(size: Bytes) -> String {
    format!("{}m", size.as_u64().div_ceil(1 << 20))
}

/// Returns the value of an option of the run's command line, as `--name=value` or `--name value`.
fn option<'a>(record: &'a RunRecord, name: &str) -> Option<&'a str> {
    let args = &record.plan.args;
    args.iter().enumerate().find_map(|(i, arg)| match arg.strip_prefix(name)? {
        "" => args.get(i + 1).map(String::as_str),
        value => value.strip_prefix('='),
    })
}

/// Returns the caveat for databases that differ between hosts, so that their sum has no meaning.
fn differ(run: &Run) -> Option<Caveat> {
    let [first, others @ ..] = run.used.hosts.as_slice() else { return None };
    let kind = |d: &DatabaseUse| {
        (d.engine.clone(), d.version.clone(), d.page, d.cache, d.journal, d.direct, d.names, d.indexes)
    };
    let same =
        |d: &&DatabaseUse| kind(d) == kind(first) && d.commit == first.commit && d.parameters == first.parameters;
    let other = others.iter().find(|d| !same(d))?;
    let engine_of = |d: &DatabaseUse| {
        let (host, engine, version, commit) = (&d.host, &d.engine, &d.version, &d.commit);
        sentence!("db-host-has", host, engine, version, page = d.page, cache = d.cache, commit)
    };
    let evidence = Sentence::join([engine_of(first), engine_of(other)], "; ");
    Some(Caveat::new("hosts-databases-differ", Severity::Doubt, sentence!("db-hosts-differ"), evidence))
}

/// Returns `true` if commits return before they are durable, by the engine's settings.
fn is_lazy(run: &Run) -> bool {
    LAZY.iter().any(|word| run.used.commit.contains(word))
}

fn not_durable(run: &Run) -> Option<Caveat> {
    (is_lazy(run) && updates(run)).then(|| {
        Caveat::new("commit-lazy", Severity::Note, sentence!("db-lazy-commits"), &run.used.commit)
            .remedy(sentence!("db-lazy-commits-remedy"))
    })
}

/// Returns the caveat for durable commits of an engine that wrote nothing to its journal, or never flushed it.
fn unwritten_journal(run: &Run) -> Option<Caveat> {
    let commits: u64 = run.waves.iter().flat_map(|w| &w.jobs).map(|j| j.total.op(Op::Flush).tally.ops).sum();
    if is_lazy(run) || !run.used.journal || !updates(run) || commits < DURABLE_COMMITS {
        return None;
    }
    run.used.each().find_map(|used| {
        // PostgreSQL does not count the flushes of WAL files opened with O_SYNC or O_DSYNC.
        let synchronous =
            used.parameters.iter().any(|(name, how)| name == "wal_sync_method" && how.starts_with("open_"));
        // Counts of a device are no evidence: a device without a volatile cache receives no flush.
        let by_engine = |r: &&RoleUse| matches!(r.source, RoleSource::Engine(_));
        let mut journals = used.roles.iter().filter(|r| r.role == FileRole::Journal).filter(by_engine);
        let (writes, flushes) = journals.next().map_or((None, None), |role| (role.writes, role.flushes));
        let written = used.mgstat.iter().find(|(name, _)| name == "Jrnwrts").map(|(_, count)| *count as u64).or(writes);
        let missing = match (written, flushes) {
            (Some(0), _) => sentence!("db-journal-unwritten-writes", commits = thousands(commits as f64)),
            (_, Some(0)) if !synchronous => {
                sentence!("db-journal-unwritten-flushes", commits = thousands(commits as f64))
            }
            _ => return None,
        };
        let caveat = Caveat::new("commits-not-durable", Severity::Invalid, sentence!("db-journal-unwritten"), missing);
        Some(caveat.remedy(sentence!("db-journal-unwritten-remedy")))
    })
}

/// Returns the caveat for commits that wait, but take less time than a medium needs. Sharing a flush between sessions
/// makes no commit faster.
fn too_soon(run: &Run) -> Option<Caveat> {
    if !updates(run) || !run.used.journal || LAZY.iter().any(|word| run.used.commit.contains(word)) {
        return None;
    }
    let mut commits = LatencyHistogram::default();
    let jobs = run.waves.iter().flat_map(|w| &w.jobs).filter(|j| j.writes() > 0);
    jobs.for_each(|j| commits.merge(&j.total.op(Op::Flush).latency));
    let took = commits.percentile(50.0).value().filter(|_| commits.count() >= sync::FEWEST)?;
    Some(TooSoon::detect(&run.record.preflight, took)?.caveat(&run.record.preflight, took, commits.count()))
}

fn journal_off(run: &Run) -> Option<Caveat> {
    (!run.used.journal && updates(run)).then(|| {
        Caveat::new("journal-off", Severity::Note, sentence!("db-no-journal"), &run.used.commit)
            .remedy(sentence!("db-no-journal-remedy"))
    })
}

/// Returns `true` if as many batches began as were due, within the range of chance.
pub(super) fn is_kept(arrivals: &ArrivalFigures, processes: u32) -> bool {
    let chance = match arrivals.asked {
        Pacing::Poisson(_) => 4.0 * arrivals.due.sqrt(),
        _ => 2.0 * f64::from(processes.max(1)),
    };
    arrivals.due - arrivals.begun.count as f64 <= chance.max(RATE_OFF * arrivals.due)
}

/// Returns the caveat for batches that were due and did not begin, beyond the range of chance: the latencies omit
/// batches that still waited at the end.
fn rate_not_kept(database: &DbJudgement) -> Option<Caveat> {
    // A ramp of rates, which ends when the rate is not kept, reports this in its first sentence.
    if database.need_limit.as_ref().is_some_and(|limit| limit.by_rate) {
        return None;
    }
    let late = database.waves.iter().find_map(|w| w.arrivals.as_ref().filter(|a| !is_kept(a, w.processes)))?;
    let (asked, begun) = (late.asked.rate()?, late.begun.rate?);
    let longest = late.begun.max.unwrap_or_default();
    let (asked, begun) = (thousands(asked.per_second()), thousands(begun.per_second()));
    let evidence = sentence!("db-rate-not-kept-seen", begun, asked, longest);
    let doubt = Caveat::new("rate-not-kept", Severity::Doubt, sentence!("db-rate-not-kept"), evidence);
    Some(doubt.remedy(sentence!("db-rate-not-kept-remedy")))
}

/// Returns the caveat for a rate that the requested pauses determine. PerfTools' rates hide this: in a published run,
/// 73 % of the time was spent in pauses.
fn mostly_pause(database: &DbJudgement) -> Option<Caveat> {
    let wave =
        database.waves.iter().find(|w| w.idle > MOSTLY_PAUSE && w.hang.is_some_and(|(asked, _)| !asked.is_zero()))?;
    let (asked, _) = wave.hang?;
    let evidence = sentence!("db-mostly-pause-seen", share = format!("{:.0}", wave.idle * 100.0), asked);
    let doubt = Caveat::new("mostly-pause", Severity::Note, sentence!("db-mostly-pause"), evidence);
    Some(doubt.remedy(sentence!("db-mostly-pause-remedy")))
}

fn pause_off(database: &DbJudgement) -> Option<Caveat> {
    let off = |asked: model::Nanos, made: model::Nanos| {
        !asked.is_zero()
            && made.as_nanos() as f64 > PAUSE_OFF * asked.as_nanos() as f64
            && made.since(asked).as_nanos() > 200_000
    };
    let (asked, made) = database.waves.iter().filter_map(|w| w.hang).find(|(asked, made)| off(*asked, *made))?;
    let evidence = sentence!("db-pause-longer-seen", made, asked);
    let doubt = Caveat::new("pause-not-kept", Severity::Note, sentence!("db-pause-longer"), evidence);
    Some(doubt.remedy(sentence!("db-pause-longer-remedy")))
}

/// Returns the caveat for values that may be identical: engines skip a write that changes nothing, so no disk would be
/// measured.
fn alike(run: &Run) -> Option<Caveat> {
    let rules = run.waves.iter().filter_map(|w| w.rule).filter(|r| r.read_percent < 100);
    let short = rules.map(|r| r.value).find_map(|v| match v {
        ValueRule::Length { from, .. } if from < NUMBER => Some(from),
        _ => None,
    })?;
    let evidence = sentence!("db-values-alike-seen", short, needed = NUMBER);
    let doubt = Caveat::new("values-alike", Severity::Doubt, sentence!("db-values-alike"), evidence);
    Some(doubt.remedy(sentence!("db-values-alike-remedy", needed = NUMBER)))
}

/// Returns the caveat for restarted transactions: the engine made, and counted, their reads and updates more than once.
fn started_again(run: &Run) -> Option<Caveat> {
    if run.used.engine != "gtm" {
        return None;
    }
    let count = |names: &[&str]| -> f64 {
        run.used.counters.iter().filter(|(name, _)| names.contains(&name.as_str())).map(|(_, n)| n).sum()
    };
    let again = count(&STARTED_AGAIN);
    (again > 0.0).then(|| {
        let [again, commits, sets] = [again, count(&COMMITTED), count(&SETS)].map(thousands);
        let evidence = sentence!("db-started-again-seen", again, commits, sets);
        Caveat::new("transactions-started-again", Severity::Note, sentence!("db-started-again"), evidence)
            .remedy(sentence!("db-started-again-remedy"))
    })
}

/// Returns the caveat for values that the model truncated to their slots, when a real engine would split pages.
fn cut(run: &Run) -> Option<Caveat> {
    let count = |name| run.counted(name).unwrap_or(0.0);
    let of_model = Some(count("values_cut")).filter(|n| run.used.engine == "model" && *n > 0.0);
    of_model.map(|n| {
        let evidence = sentence!("db-values-cut-seen", n = thousands(n), of = thousands(count("sets")));
        Caveat::new("values-cut", Severity::Doubt, sentence!("db-values-cut"), evidence)
            .remedy(sentence!("db-values-cut-remedy"))
    })
}

fn not_sustained(database: &DbJudgement) -> Option<Caveat> {
    let backlog = database.backlog.as_ref()?;
    let most = thousands(backlog.most);
    match backlog.trend {
        BacklogTrend::Grows => {
            let evidence = sentence!("db-backlog-grows-seen", slope = thousands(backlog.slope), most);
            let doubt = Caveat::new("backlog-grows", Severity::Doubt, sentence!("db-backlog-grows"), evidence);
            Some(doubt.remedy(sentence!("db-backlog-grows-remedy")))
        }
        BacklogTrend::Gathers => {
            let evidence = sentence!("db-never-written-back-seen", most);
            let doubt =
                Caveat::new("never-written-back", Severity::Doubt, sentence!("db-never-written-back"), evidence);
            Some(doubt.remedy(sentence!("db-never-written-back-remedy")))
        }
        BacklogTrend::Level | BacklogTrend::TooShort => None,
    }
}
