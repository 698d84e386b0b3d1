//! Judgement of database runs (`secchi db`): figures by wave of workers, I/O that reached the devices, and whether the
//! rate is sustainable.
//!
//! The workers of a wave, which ran together, are combined first, so that rates, their intervals and changes of level
//! are those of the database and not of one worker. Blocks read without the engine are judged like any block load.
//! Figures of sessions are logical and are compared with bytes of the device only as a ratio that is labelled as such.

mod backlog;
mod device;
mod doubts;
mod growth;
mod limits;
mod needs;
mod throttle;
mod verdict;
mod waits;
mod waves;

pub(crate) use waits::binding_role;
pub(crate) use waves::kind_latency;
pub use waves::wave_keeps;

use crate::levels::clones::gathered_by;
use crate::levels::figures::{Level, levels};
use crate::validity::caveats;
use crate::verdict::{answer, sentences as outcomes};
use messages::sentence;
use model::judged::{DbJudgement, EngineFigures, KindFigures, NeedResult, Outcome, WaveFigures};
use model::measured::{DatabaseUse, Series};
use model::record::{DbWave, MAKING, wave_of};
use model::{Caveat, CompactSort, Judgement, RunRecord, RunState, bounds::Need};

/// A database run with derived figures.
struct Run<'a> {
    record: &'a RunRecord,
    used: &'a DatabaseUse,
    waves: Vec<DbWave<'a>>,
    engine: Vec<EngineFigures>,
}

impl<'a> Run<'a> {
    fn new(record: &'a RunRecord, used: &'a DatabaseUse) -> Self {
        let engine = record.series.iter().filter_map(EngineFigures::from_series).map(|f| exact(f, used));
        let engine = if used.hosts.is_empty() { engine.collect() } else { of_hosts(record, used) };
        Run { record, used, waves: record.db_waves(), engine }
    }

    /// Returns the engine's count over the run under one of mgstat's names: the exact count if available, otherwise a
    /// count computed from its rates.
    fn counted(&self, name: &str) -> Option<f64> {
        let mut counters =
            self.used.counters.iter().chain(self.used.mgstat.iter().filter(|_| !self.used.hosts.is_empty()));
        let count = counters.find(|(n, _)| n == name).map(|(_, v)| *v);
        count.or_else(|| self.engine.iter().find(|e| e.name == name).and_then(|e| e.total))
    }
}

/// Returns one sentence that explains why a ramp ends with its last wave, if that wave missed a need. Called while the
/// ramp runs.
#[must_use]
pub fn missed_need(record: &RunRecord, judgement: &Judgement) -> Option<String> {
    let database = judgement.database()?;
    let wave = database.waves.last()?;
    let missed = database.need_limit.as_ref().is_some_and(|limit| limit.outcomes.last() == Some(&Outcome::Fail));
    let needs: Vec<&str> =
        record.plan.needs.iter().filter(|n| n.database().is_some()).map(|n| n.text.as_str()).collect();
    missed.then(|| format!("the ramp ends at {} processes: not {}", wave.processes, needs.join(", ")))
}

/// Prefers the exact count, which covers only the measured time; samples cover the whole run.
fn exact(figures: EngineFigures, used: &DatabaseUse) -> EngineFigures {
    let seconds = used.below.as_ref().map(|b| b.length.secs()).filter(|s| *s > 0.0);
    let count = used.mgstat.iter().find(|(n, _)| *n == figures.name).map(|(_, total)| *total);
    let mean = count.filter(|_| figures.total.is_some()).zip(seconds).map(|(count, seconds)| count / seconds);
    EngineFigures { total: count.or(figures.total), mean: mean.unwrap_or(figures.mean), ..figures }
}

/// Returns the engine figures of each host, with its name: samples taken at different times have no common maximum.
fn of_hosts(record: &RunRecord, used: &DatabaseUse) -> Vec<EngineFigures> {
    let of_host = |(rank, own): (usize, &DatabaseUse)| {
        // Series of rank 0 have no prefix.
        let prefix = if rank == 0 { String::new() } else { format!("{}/", own.host) };
        let series = record
            .series
            .iter()
            .filter_map(move |s| Some(Series { name: s.name.strip_prefix(prefix.as_str())?.to_owned(), ..s.clone() }));
        let alone = DatabaseUse { hosts: Vec::new(), ..own.clone() };
        let figures =
            series.filter_map(|s| EngineFigures::from_series(&s)).map(|f| exact(f, &alone)).collect::<Vec<_>>();
        let host = own.host.clone();
        figures.into_iter().map(move |f| EngineFigures { name: format!("{host} {}", f.name), ..f })
    };
    used.hosts.iter().enumerate().flat_map(of_host).collect()
}

/// Judges a database run.
pub(crate) fn judge(record: &RunRecord, used: &DatabaseUse) -> Judgement {
    let run = Run::new(record, used);
    let gathered = gathered(record);
    let mut levels: Vec<Level> = levels(&gathered).into_iter().flatten().collect();
    let of_levels = doubts::of_levels(&gathered, &mut levels);
    let (device, ratios) = device::ratios(&run);
    let backlog = backlog::judge(used);
    let waves = waves::figures(&run, &levels);
    let ramp = waves::ramp(record, &waves);
    let hosts = device::of_hosts(used);
    let mut database = DbJudgement {
        title: record.db_title(),
        waves,
        ramp,
        need_limit: None,
        device,
        hosts,
        waits: waits::of_roles(&run),
        ratios,
        engine: run.engine.clone(),
        backlog,
        growth: growth::figures(&run),
    };
    let errors = run.waves.iter().any(|w| w.total().failed() > 0);
    database.need_limit = needs::limit(record, (&run.waves, &database.waves, &levels), errors);
    let caveats = all_doubts(&run, &database, of_levels);
    let needs = check_needs(&run, &database.waves, &gathered, levels, &caveats);
    let findings = limits::findings(record, &database);
    let (outcome, mut exit_code) = outcomes::outcome(record, &needs, &caveats);
    // The created data exists, even if its rate is not valid.
    if record.state == RunState::Complete && record.db_title() == MAKING {
        exit_code = 0;
    }
    let verdict = verdict::first_sentence(record, &database, &caveats);
    Judgement {
        answer: answer::of_database(record, &needs, &caveats, binding(record, &database)),
        verdict,
        outcome,
        needs,
        findings,
        caveats,
        figures: Some(KindFigures::Database(Box::new(database))),
        exit_code,
        sampling: crate::validity::sampling::sampling(record),
        ..Judgement::default()
    }
}

/// Returns the limit that binds the run: one that its devices used up, or an undeclared throttle.
fn binding(record: &RunRecord, database: &DbJudgement) -> Option<answer::DatabaseBinding> {
    limits::used_up(record, database).or_else(|| {
        let (p50, p99) = throttle::suspected(database)?;
        Some(answer::DatabaseBinding::Suspected { statement: sentence!("db-binds-throttle", p50, p99) })
    })
}

/// Returns the run with each wave as one step: the seconds of all its workers, and the kernel's counts for all of them.
fn gathered(record: &RunRecord) -> RunRecord {
    let mut out = gathered_by(record, |stage| Some(wave_of(&stage.name).to_owned()));
    if record.preflight.ranks.len() > 1 {
        // Each host's kernel counted only its part.
        out.steps.iter_mut().for_each(|step| step.accounting = None);
        return out;
    }
    for (steps, counts) in &record.together {
        let wave = |i: usize| record.steps.get(i).map(|s| wave_of(&record.stage_of(s).name));
        let Some(&first) = steps.iter().min() else { continue };
        // Counts that cover several waves belong to none of them.
        if steps.iter().all(|i| wave(*i) == wave(first))
            && let Some(step) = out.steps.get_mut(first)
        {
            step.accounting = Some(counts.clone());
        }
    }
    out
}

fn all_doubts(run: &Run, database: &DbJudgement, of_levels: Vec<Caveat>) -> Vec<Caveat> {
    let mut caveats = run.record.caveats.clone();
    caveats.extend(of_levels);
    caveats.extend(doubts::of_run(run, database));
    caveats.extend(database.growth.as_ref().and_then(growth::lost));
    caveats.extend(limits::contradicted(run.record, database));
    caveats.extend(caveats::ended_early(run.record));
    caveats.extend(caveats::busy_host(run.record));
    caveats.extend(crate::validity::layers::doubts(run.record));
    caveats.extend(of_ranks(run.record));
    caveats::tidy(caveats)
}

/// Returns the doubts that arise from comparing the hosts, each with all its workers combined.
fn of_ranks(record: &RunRecord) -> Vec<Caveat> {
    if record.preflight.ranks.len() < 2 {
        return Vec::new();
    }
    let by_host = gathered_by(record, |stage| Some((wave_of(&stage.name).to_owned(), stage.place.side)));
    let mut doubts = crate::validity::ranks::doubts(&by_host);
    for caveat in doubts.iter_mut().filter(|c| c.id == "hosts-apart") {
        // Rates of workers cover each worker's own time, on any host.
        caveat.statement = sentence!("db-hosts-apart");
    }
    doubts
}

/// Checks needs on operations of the database on its waves, and needs on blocks on waves that read blocks, all of which
/// are levels of one workload.
fn check_needs(
    run: &Run,
    waves: &[WaveFigures],
    gathered: &RunRecord,
    levels: Vec<Level>,
    caveats: &[Caveat],
) -> Vec<NeedResult> {
    let errors = caveats.iter().any(|c| c.id == "io-errors" || c.id == "wrong-data");
    let asked = &run.record.plan.needs;
    let logical = |(i, need): (usize, &Need)| {
        Some((i, needs::check((need, need.database()?), run.record, (&run.waves, waves, &levels), errors)))
    };
    let mut results: Vec<(usize, NeedResult)> = asked.iter().enumerate().filter_map(logical).collect();
    let mut blocks: Vec<Level> = levels.into_iter().filter(|l| l.job.tuning.work.session().is_none()).collect();
    blocks.compact_sort_by_key(Level::concurrency);
    let stages = [blocks];
    let too_small = doubts::too_small_for_needs(run.record, &run.waves);
    let physical = |(i, need): (usize, &Need)| {
        let mut result = crate::verdict::needs::check(need, gathered, &stages, errors);
        if let Some(reason) = too_small.as_ref().filter(|_| result.outcome != Outcome::Undecided) {
            (result.outcome, result.why) = (Outcome::Undecided, reason.clone());
        }
        (i, result)
    };
    results.extend(asked.iter().enumerate().filter(|(_, need)| need.database().is_none()).map(physical));
    results.compact_sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests;
