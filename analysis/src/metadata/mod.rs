//! Judgement of metadata runs (`secchi qualify --metadata`): a rate and latencies for each phase of each shape, all
//! threads together, with doubts about them.
//!
//! A rate is the number of files over the time from the start of the first thread to the end of the last, as in mdtest.
//! This also applies to many hosts: a phase ends after a number of files, and its rate covers the time for all of them.
//! The joint rate until the first host finished is reported in addition. Latencies of all threads are merged. There are
//! no ramps, levels or limits, and the rules about them do not apply here.

mod needs;

pub(crate) use needs::latencies;

use crate::levels::clones::gathered_by;
use crate::levels::figures::levels;
use crate::validity::cpu::starved;
use crate::validity::ranks::{APART, Behind};
use crate::validity::{cache, caveats, ranks, sampling};
use crate::verdict::answer;
use crate::verdict::sentences::{behind, outcome, trouble};
use messages::sentence;
use model::judged::{KindFigures, MetadataFigures, MetadataPhaseFigures, MetadataTotals, RunAnswer};
use model::metadata::{METADATA_PHASES, METADATA_SYNC, MetadataPhase, MetadataShape};
use model::{
    Caveat, Interval, Iops, Judgement, Nanos, Op, RunRecord, Sentence, Severity, measured::Phase, record::Step,
    units::thousands,
};
use std::collections::BTreeSet;

/// Minimum duration of a phase: in a shorter one, starting and ending take longer than the measurement.
const SHORT: Nanos = Nanos::from_secs(1);

/// Judges a metadata run.
pub(crate) fn judge(record: &RunRecord) -> Judgement {
    let figures = figures(record);
    let mut doubts = record.caveats.clone();
    doubts.extend(of_figures(record, &figures));
    doubts.extend(crowded(record));
    doubts.extend(cache::run_on_memory(record));
    doubts.extend(caveats::ended_early(record));
    doubts.extend(caveats::busy_host(record));
    doubts.extend([apart(&figures), straggler(&figures)].into_iter().flatten());
    doubts.extend([ranks::clocks(record), ranks::bound(record)].into_iter().flatten());
    let doubts = caveats::tidy(doubts);
    let needs = needs::check_all(record, &figures, &doubts);
    let (outcome, exit_code) = outcome(record, &needs, &doubts);
    Judgement {
        answer: RunAnswer::from_lines(answer::needs_line(&needs)),
        verdict: behind(trouble(record, &doubts), &doubts, found(record, &figures)),
        outcome,
        needs,
        caveats: doubts,
        figures: Some(KindFigures::Metadata(Box::new(figures))),
        sampling: sampling::sampling(record),
        exit_code,
        ..Judgement::default()
    }
}

/// Returns the doubt that other processes used the CPU, for the phase that suffered most: a file takes a few
/// microseconds of CPU time.
fn crowded(record: &RunRecord) -> Option<Caveat> {
    let hosts = &record.preflight.ranks;
    if hosts.len() < 2 {
        return crowded_host(record);
    }
    let of_host = |(side, facts): (usize, &model::record::RankFacts)| {
        let mut alone = record.only(&[side]);
        alone.preflight.host = facts.host.clone();
        let doubt = crowded_host(&alone)?;
        Some(Caveat {
            evidence: sentence!("ranks-on-host", host = &facts.name, what = doubt.evidence.clone()),
            ..doubt
        })
    };
    hosts.iter().enumerate().filter_map(of_host).max_by_key(|doubt| doubt.weight)
}

fn crowded_host(record: &RunRecord) -> Option<Caveat> {
    let together = gathered_by(record, |stage| stage.job.tuning.work.metadata().map(|rule| (rule.shape, rule.phase)));
    let phases = levels(&together);
    let doubts = phases.iter().flatten().filter_map(|level| starved::doubt(&together, level));
    doubts.max_by_key(|doubt| doubt.weight)
}

fn figures(record: &RunRecord) -> MetadataFigures {
    let first = record.plan.stages.first();
    let wave = record.plan.waves().next().unwrap_or_default();
    let hosts: Vec<String> = match record.preflight.ranks.as_slice() {
        [_, _, ..] => record.preflight.ranks.iter().map(|rank| rank.name.clone()).collect(),
        _ => Vec::new(),
    };
    // In one directory every thread has a different number.
    let owners: BTreeSet<u32> =
        wave.iter().filter_map(|s| s.job.tuning.work.metadata()).map(|rule| rule.owner).collect();
    MetadataFigures {
        threads: u32::try_from(wave.len()).unwrap_or(u32::MAX),
        files_each: first.and_then(|s| s.job.tuning.work.metadata()).map_or(0, |rule| rule.files),
        one_directory: (!hosts.is_empty()).then_some(owners.len() == wave.len()),
        phases: METADATA_PHASES.iter().filter_map(|of| phase(record, *of, hosts.len())).collect(),
        hosts,
    }
}

/// Steps that ran together, merged.
struct Gathered {
    total: Interval,
    begin: Nanos,
    end: Nanos,
    errors: u64,
}

impl Gathered {
    /// Merges the steps; `None` if nothing was measured.
    fn from_steps<'r>(steps: impl Iterator<Item = &'r Step>) -> Option<Gathered> {
        let mut merged = Gathered { total: Interval::default(), begin: Nanos(u64::MAX), end: Nanos(0), errors: 0 };
        for step in steps {
            let one = step.total();
            if one.length.is_zero() {
                continue;
            }
            merged.begin = merged.begin.min(one.start);
            merged.end = merged.end.max(one.start.saturating_add(one.length));
            // Includes operations in flight at the end.
            step.drained().chain([&one]).for_each(|interval| merged.total.merge_parallel(interval));
            merged.errors += one.failed();
        }
        (merged.end > merged.begin).then_some(merged)
    }

    fn time(&self) -> Nanos {
        self.end.since(self.begin)
    }

    fn rate(&self) -> Iops {
        if self.time().is_zero() { Iops(0.0) } else { Iops(self.total.data_ops() as f64 / self.time().secs()) }
    }

    fn figures(&self) -> MetadataTotals {
        let latency = self.total.latency();
        MetadataTotals {
            files: self.total.data_ops(),
            time: self.time(),
            rate: self.rate(),
            mean: latency.mean(),
            p50: latency.percentile(50.0),
            p99: latency.percentile(99.0),
            p999: latency.percentile(99.9),
            max: latency.max(),
            errors: self.errors,
        }
    }
}

/// Returns the number of files of a complete phase: those of all threads.
pub(crate) fn expected(figures: &MetadataFigures) -> u64 {
    figures.files_each.saturating_mul(u64::from(figures.threads))
}

/// Returns the figures of a phase; `None` if it did not begin.
fn phase(record: &RunRecord, of: (MetadataShape, MetadataPhase), hosts: usize) -> Option<MetadataPhaseFigures> {
    let (shape, phase) = of;
    let is_of_phase =
        |step: &Step| record.stage_of(step).job.tuning.work.metadata().is_some_and(|r| (r.shape, r.phase) == of);
    let steps: Vec<usize> = (0..record.steps.len()).filter(|i| is_of_phase(&record.steps[*i])).collect();
    let merged = Gathered::from_steps(steps.iter().map(|i| &record.steps[*i]))?;
    let of_host = |host: usize| {
        let is_on_host = |step: &&Step| record.stage_of(step).place.side == host;
        steps.iter().map(|i| &record.steps[*i]).filter(is_on_host).collect::<Vec<_>>()
    };
    let each: Vec<Vec<&Step>> = (0..hosts).map(of_host).collect();
    let parts: Vec<Option<Gathered>> = each.iter().map(|steps| Gathered::from_steps(steps.iter().copied())).collect();
    let none = Gathered { total: Interval::default(), begin: merged.begin, end: merged.begin, errors: 0 };
    let next =
        record.steps.iter().map(|s| s.start).filter(|start| *start >= merged.end).min().unwrap_or(Nanos(u64::MAX));
    // The sync between the end of the phase and the start of the next one.
    let synced = |series: &str, end: Nanos| {
        let mut syncs = record.series.iter().filter(|s| s.name == series).flat_map(|s| &s.points);
        let (_, seconds) = syncs.find(|(at, _)| (end..=next).contains(at)).filter(|_| phase.changes())?;
        Some(end.saturating_add(Nanos((seconds * 1e9) as u64)))
    };
    // Each host syncs after its last file, and the last host makes the phase durable.
    let durable = match parts.as_slice() {
        [] => synced(METADATA_SYNC, merged.end),
        parts => parts.iter().enumerate().try_fold(merged.end, |latest, (host, part)| {
            let name = &record.preflight.ranks[host].name;
            let series = if host == 0 { METADATA_SYNC.to_owned() } else { format!("{name}/{METADATA_SYNC}") };
            Some(latest.max(synced(&series, part.as_ref()?.end)?))
        }),
    };
    let totals = merged.figures();
    Some(MetadataPhaseFigures {
        shape,
        phase,
        sync: durable.map(|at| at.since(merged.end)),
        durable_rate: durable.map(|at| Iops(totals.files as f64 / at.since(merged.begin).secs())),
        all: totals,
        steps,
        together: together(&each, &parts),
        hosts: parts.iter().map(|part| part.as_ref().unwrap_or(&none).figures()).collect(),
    })
}

/// Returns the files per second from the last host's start to the first host's end, from the windows of each host. A
/// window that is only partly within this time counts in proportion.
fn together(each: &[Vec<&Step>], parts: &[Option<Gathered>]) -> Option<Iops> {
    let from = parts.iter().map(|part| Some(part.as_ref()?.begin)).collect::<Option<Vec<_>>>()?.into_iter().max()?;
    let until = parts.iter().filter_map(|part| Some(part.as_ref()?.end)).min()?;
    if until.since(from) < SHORT || until < from {
        return None;
    }
    let data = [Op::Read, Op::Write, Op::Trim].map(Op::index);
    let share = |start: Nanos, length: Nanos, ops: u64| {
        let inside = start.saturating_add(length).min(until).since(start.max(from));
        ops as f64 * inside.secs() / length.secs().max(1e-9)
    };
    let rate_of = |interval: &Interval| -> f64 {
        match interval.windows.as_slice() {
            [] => share(interval.start, interval.length, interval.data_ops()),
            windows => windows.iter().map(|w| share(w.start, w.length, data.iter().map(|op| w.ops[*op]).sum())).sum(),
        }
    };
    let measured = each.iter().flatten().flat_map(|s| &s.intervals).filter(|i| i.phase == Phase::Measure);
    Some(Iops(measured.map(rate_of).sum::<f64>() / until.since(from).secs()))
}

/// Formats the result: `mdtest-easy: 48,102 creates/s, 801,220 stats/s; mdtest-hard: ...; by 2 threads on ext4`.
fn found(record: &RunRecord, figures: &MetadataFigures) -> Sentence {
    let shapes = [MetadataShape::Easy, MetadataShape::Hard].into_iter().filter_map(|shape| {
        let rates: Vec<Sentence> = figures.phases_of(shape).map(rate).collect();
        (!rates.is_empty())
            .then(|| sentence!("metadata-shape", shape = shape.name(), rates = Sentence::join(rates, ", ")))
    });
    let shapes = Sentence::join(shapes, "; ");
    if shapes.is_empty() {
        return sentence!("db-nothing-measured");
    }
    let filesystem = &record.preflight.storage.filesystem;
    match figures.hosts.len() {
        0 => sentence!("metadata-found", shapes, n = figures.threads, filesystem),
        hosts => sentence!("metadata-found-hosts", shapes, n = figures.threads, hosts, filesystem),
    }
}

fn rate(figures: &MetadataPhaseFigures) -> Sentence {
    let rate = thousands(figures.all.rate.per_second());
    match figures.phase {
        MetadataPhase::Create => sentence!("metadata-creates", rate),
        MetadataPhase::Stat => sentence!("metadata-stats", rate),
        MetadataPhase::Read => sentence!("metadata-reads", rate),
        MetadataPhase::Remove => sentence!("metadata-removes", rate),
    }
}

fn of_figures(record: &RunRecord, figures: &MetadataFigures) -> impl Iterator<Item = Caveat> {
    let looked = |p: &&MetadataPhaseFigures| matches!(p.phase, MetadataPhase::Stat | MetadataPhase::Read);
    let known: Vec<&MetadataPhaseFigures> =
        figures.phases.iter().filter(looked).filter(|p| looks_at_own(record, figures, p)).collect();
    let cached = (!known.is_empty()).then(|| {
        let files = grouped(figures.files_each * u64::from(figures.threads));
        let memory = record.preflight.host.memory;
        let evidence = match figures.hosts.is_empty() {
            true => sentence!("metadata-seen-cached", files, memory),
            false => {
                let phases = known.iter().map(|p| p.label()).collect::<Vec<_>>().join(", ");
                sentence!("metadata-seen-cached-hosts", phases, files, memory)
            }
        };
        Caveat::new("names-cached", Severity::Doubt, sentence!("metadata-doubt-cached"), evidence)
            .remedy(sentence!("metadata-remedy-cached"))
    });
    let shortest = figures.phases.iter().filter(|p| p.all.time < SHORT && !looked(p)).min_by_key(|p| p.all.time);
    let short = shortest.map(|p| {
        let evidence =
            sentence!("metadata-seen-short", phase = p.label(), files = grouped(p.all.files), time = p.all.time);
        Caveat::new("phases-short", Severity::Doubt, sentence!("metadata-doubt-short"), evidence)
            .remedy(sentence!("metadata-remedy-short"))
    });
    let changed = figures.phases.iter().any(|p| p.phase.changes() && p.durable_rate.is_some()).then(|| {
        let evidence = sentence!("metadata-seen-durable");
        Caveat::new("names-not-durable", Severity::Note, sentence!("metadata-doubt-durable"), evidence)
    });
    [cached, short, changed].into_iter().flatten()
}

/// Formats a count without decimals; a rate below a hundred would have some.
fn grouped(n: u64) -> String {
    if n < 1000 { n.to_string() } else { thousands(n as f64) }
}

/// Returns `true` if a phase accesses files that the same machine created.
fn looks_at_own(record: &RunRecord, figures: &MetadataFigures, of: &MetadataPhaseFigures) -> bool {
    let machine = |side: usize| record.preflight.ranks.get(side).map(|rank| &rank.host.hostname);
    if figures.one_directory != Some(true) {
        return true;
    }
    let rules = |phase: MetadataPhase| {
        let stages = record.plan.stages.iter().filter_map(|s| Some((s.place.side, s.job.tuning.work.metadata()?)));
        stages.filter(move |(_, rule)| (rule.shape, rule.phase) == (of.shape, phase)).map(|(side, r)| (side, r.owner))
    };
    let makers: std::collections::BTreeMap<u32, usize> =
        rules(MetadataPhase::Create).map(|(side, owner)| (owner, side)).collect();
    let by = |owner: u32| makers.get(&owner).and_then(|side| machine(*side));
    rules(of.phase).any(|(side, owner)| by(owner) == machine(side))
}

/// Reports hosts that finished at different times, for the phase with the largest difference: the time that the first
/// host waited for the last one.
fn apart(figures: &MetadataFigures) -> Option<Caveat> {
    let ends = |p: &MetadataPhaseFigures| {
        let by_time = |(a, _): &(&MetadataTotals, &String), (b, _): &(&MetadataTotals, &String)| a.time.cmp(&b.time);
        let hosts = || p.hosts.iter().zip(&figures.hosts);
        let (first, last) = (hosts().min_by(by_time)?, hosts().max_by(by_time)?);
        Some((last.0.time.since(first.0.time), first.1.clone(), last.1.clone()))
    };
    let phases = figures.phases.iter().filter_map(|p| Some((p, ends(p)?)));
    let (phase, (by, early, last)) = phases.max_by_key(|(_, (by, ..))| *by).filter(|(_, (by, ..))| *by >= APART)?;
    let seen = sentence!("metadata-seen-ended", phase = phase.label(), early, last, by);
    let rate = phase.together.map(|rate| sentence!("metadata-seen-together", rate = thousands(rate.per_second())));
    let evidence = Sentence::join([seen].into_iter().chain(rate), "; ");
    Some(Caveat::new("hosts-apart", Severity::Note, sentence!("metadata-doubt-ended"), evidence))
}

/// Reports slow hosts, for the phase in which they cost the most time: all hosts have the same number of files, and all
/// wait for the last.
fn straggler(figures: &MetadataFigures) -> Option<Caveat> {
    let rates = |p: &MetadataPhaseFigures| -> Vec<(f64, &str)> {
        p.hosts.iter().zip(&figures.hosts).map(|(of, name)| (of.rate.per_second(), name.as_str())).collect()
    };
    // Very short phases are irrelevant.
    let phases = figures.phases.iter().filter(|p| p.all.time >= SHORT);
    let behind = phases.filter_map(|p| Some((p.label(), Behind::find(&rates(p))?)));
    let cost = |behind: &Behind<'_>| 1.0 - behind.slow[0].0 / behind.usual;
    let (label, behind) = behind.max_by(|(_, a), (_, b)| cost(a).total_cmp(&cost(b)))?;
    let usual = sentence!("metadata-usual", phase = label, rate = thousands(behind.usual));
    Some(behind.doubt(usual, |rate, host| sentence!("metadata-behind", host, rate = thousands(rate))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::plan::{NamedTarget, StagePlacement, StageRole};
    use model::record::{HostFacts, RankFacts};
    use model::{Bytes, RunState, Stage, judged::Outcome, measured::Series, metadata::MetadataRule};

    /// Returns a run of two threads, the second of which ends later. Each phase takes `seconds` and then half a second
    /// to become durable.
    fn record(seconds: u64) -> RunRecord {
        let mut rig = Rig::new();
        let first = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(first, Run::at(1, 1000.0));
        let mut record = rig.record();
        let (template, step) = (record.plan.stages[0].clone(), record.steps[0].clone());
        record.plan.kind = model::RunKind::Metadata;
        record.plan.stages.clear();
        record.steps.clear();
        record.preflight.storage.filesystem = "ext4".to_owned();
        let mut at = Nanos::from_secs(1);
        let mut synced = Vec::new();
        for (shape, phase) in METADATA_PHASES {
            for thread in 0..2u64 {
                let mut job = template.job.clone();
                job.tuning.work =
                    model::plan::Work::Metadata(MetadataRule { shape, phase, owner: thread as u32, files: 1000 });
                let place = StagePlacement { with_previous: thread > 0, ..StagePlacement::default() };
                let name = format!("{}.{}.w{thread}", shape.name(), phase.name());
                record.plan.stages.push(Stage { place, ..Stage::fixed(name, job.clone()) });
                let mut interval = Interval { phase: Phase::Measure, start: at, ..Interval::default() };
                interval.length = Nanos::from_millis(seconds * 500 * (thread + 1));
                let writes = &mut interval.per_op[Op::Write.index()];
                writes.tally.ops = 1000;
                (0..1000).for_each(|_| writes.latency.record(Nanos::from_millis(1)));
                let stage = record.plan.stages.len() - 1;
                record.steps.push(Step { stage, job, start: at, intervals: vec![interval], ..step.clone() });
            }
            at = at.saturating_add(Nanos::from_secs(seconds)).saturating_add(Nanos::from_millis(500));
            synced.push((at, 0.5));
        }
        let layer = model::measured::Layer::Application;
        record.series = vec![Series { name: METADATA_SYNC.to_owned(), unit: "s".to_owned(), layer, points: synced }];
        record.state = RunState::Complete;
        record.caveats.clear();
        record
    }

    fn ids(judgement: &Judgement) -> Vec<&str> {
        judgement.caveats.iter().map(|c| c.id.as_str()).collect()
    }

    #[test]
    fn a_rate_is_all_files_over_the_time_until_the_last_thread_ends() {
        let judgement = judge(&record(2));
        let figures = judgement.metadata().expect("it is about names");
        assert_eq!((figures.threads, figures.files_each, figures.phases.len()), (2, 1000, METADATA_PHASES.len()));
        for phase in &figures.phases {
            assert_eq!((phase.all.files, phase.all.time), (2000, Nanos::from_secs(2)), "{}", phase.label());
            assert!((phase.all.rate.per_second() - 1000.0).abs() < 1e-6);
            assert_eq!(phase.steps.len(), 2);
            assert!(phase.all.p99.value().is_some_and(|p| (0.99..1.01).contains(&(p.secs() * 1e3))));
            let durable = phase.durable_rate.map(|r| r.per_second());
            assert_eq!(durable, phase.phase.changes().then_some(2000.0 / 2.5), "{}", phase.label());
        }
        assert!(
            judgement.verdict.contains("mdtest-easy: 1,000 creates/s, 1,000 stats/s, 1,000 removes/s"),
            "{}",
            judgement.verdict
        );
        assert!(judgement.verdict.ends_with("by 2 threads on ext4"), "{}", judgement.verdict);
        assert_eq!((ids(&judgement), judgement.exit_code), (vec!["names-cached", "names-not-durable"], 0));
    }

    #[test]
    fn short_phases_memory_and_an_early_end_are_doubts() {
        let mut short = record(1);
        short.steps.iter_mut().flat_map(|s| &mut s.intervals).for_each(|i| i.length = Nanos::from_millis(10));
        assert!(ids(&judge(&short)).contains(&"phases-short"));
        let mut memory = record(2);
        memory.preflight.storage.memory = Some("tmpfs keeps its files in memory".into());
        let judged = judge(&memory);
        assert_eq!((judged.caveats[0].id.as_str(), judged.exit_code), (cache::MEMORY, 2));
        let mut stopped = record(2);
        stopped.steps.truncate(3);
        stopped.series[0].points.truncate(1);
        stopped.state = RunState::Stopped;
        let judged = judge(&stopped);
        let figures = judged.metadata().expect("it is about names");
        assert_eq!(figures.phases.len(), 2, "those that began");
        assert_eq!((figures.phases[1].all.files, figures.phases[1].sync), (1000, None));
        assert!(ids(&judged).contains(&"partial") && !ids(&judged).contains(&"names-cached"));
        assert_ne!(judged.exit_code, 0);
    }

    /// Returns the same run on two hosts with one thread each; the second host takes twice as long. If `shared`, they
    /// work in one directory.
    fn of_hosts(shared: bool) -> RunRecord {
        let mut record = record(4);
        let target = record.plan.target.clone();
        for (name, host) in [("a", "m1"), ("b", "m2")] {
            record.plan.targets.push(NamedTarget { name: name.into(), target: target.clone(), fill: Bytes(0) });
            let host = HostFacts { hostname: host.into(), ..HostFacts::default() };
            record.preflight.ranks.push(RankFacts { name: name.into(), host, clock: Default::default(), targets: 1 });
        }
        for (i, stage) in record.plan.stages.iter_mut().enumerate() {
            stage.place.side = i % 2;
            if let model::plan::Work::Metadata(rule) = &mut stage.job.tuning.work {
                rule.owner = if shared { (i as u32 % 2 + rule.phase.stride()) % 2 } else { 0 };
            }
        }
        // The first host syncs while the second is still at work.
        let mut early = record.series[0].clone();
        early.points.iter_mut().for_each(|(at, _)| *at -= Nanos::from_secs(2));
        record.series[0].name = format!("b/{METADATA_SYNC}");
        record.series.push(early);
        record
    }

    #[test]
    fn hosts_are_one_rate_until_the_last_is_done_and_each_has_its_own() {
        let judged = judge(&of_hosts(true));
        let figures = judged.metadata().expect("it is about names");
        assert_eq!(
            (figures.hosts.as_slice(), figures.one_directory),
            (&["a".to_owned(), "b".to_owned()][..], Some(true))
        );
        assert!(judged.verdict.ends_with("by 2 threads on 2 hosts, on ext4"), "{}", judged.verdict);
        for phase in &figures.phases {
            assert_eq!((phase.all.files, phase.all.time), (2000, Nanos::from_secs(4)), "{}", phase.label());
            let rates: Vec<f64> = phase.hosts.iter().map(|h| h.rate.per_second()).collect();
            assert_eq!((phase.all.rate.per_second(), rates), (500.0, vec![500.0, 250.0]));
            assert_eq!(phase.hosts.iter().map(|h| h.files).sum::<u64>(), phase.all.files);
            // In the first two seconds one host did all of its files, and the other host did half of its files.
            assert_eq!(phase.together.map(|r| r.per_second()), Some(750.0));
            let durable = phase.durable_rate.map(|r| r.per_second());
            assert_eq!(
                durable,
                phase.phase.changes().then_some(2000.0 / 4.5),
                "the last one's sync: {}",
                phase.label()
            );
        }
        let slow = judged.caveats.iter().find(|c| c.id == "straggler").expect("one is behind");
        assert!(slow.statement.contains('b') && slow.evidence.contains("250"), "{}: {}", slow.statement, slow.evidence);
        let ended = judged.caveats.iter().find(|c| c.id == "hosts-apart").expect("they end apart");
        assert!(
            ended.evidence.contains("a finished 2.00 s before b") && ended.evidence.contains("750"),
            "{}",
            ended.evidence
        );
    }

    #[test]
    fn what_another_host_made_is_not_known_here_and_without_a_sync_of_all_nothing_is_durable() {
        let cached = |record: &RunRecord| {
            judge(record).caveats.iter().find(|c| c.id == "names-cached").map(|c| c.evidence.to_string())
        };
        // With two hosts, an offset of two reaches the host's own files.
        let seen = cached(&of_hosts(true)).expect("files are read by who made them");
        assert!(seen.contains("mdtest-hard read") && !seen.contains("stat"), "{seen}");
        let mut one_machine = of_hosts(true);
        one_machine.preflight.ranks[1].host.hostname = "m1".into();
        assert!(cached(&one_machine).is_some_and(|seen| seen.contains("mdtest-easy stat")));
        assert!(cached(&of_hosts(false)).is_some_and(|seen| seen.contains("mdtest-hard stat")));
        let mut unsynced = of_hosts(true);
        unsynced.series.pop();
        let judgement = judge(&unsynced);
        let figures = judgement.metadata().expect("it is about names");
        assert!(figures.phases.iter().all(|p| p.durable_rate.is_none() && p.sync.is_none()));
        assert_eq!(judge(&of_hosts(false)).metadata().and_then(|m| m.one_directory), Some(false));
    }

    #[test]
    fn needs_are_decided_by_the_phase_they_name() {
        let judged = |record: &RunRecord, needs: &[&str]| {
            let needs = needs.iter().map(|n| n.parse().expect("a need")).collect();
            crate::judge_by(record, needs).1
        };
        // Each phase has 1,000 files per second and latencies of 1 ms.
        let met = judged(
            &record(2),
            &["mdtest-easy create: iops>=1000, p99<=1.1ms", "mdtest-hard-delete for 2s: avg<=1.1ms"],
        );
        let outcomes: Vec<Outcome> = met.needs.iter().map(|n| n.outcome).collect();
        assert_eq!(
            (outcomes, met.outcome, met.exit_code),
            (vec![Outcome::Pass; 2], Outcome::Pass, 0),
            "{:?}",
            met.needs
        );
        assert_eq!(met.needs[0].depth, Some(2), "by two threads");
        let not = judged(&record(2), &["mdtest-hard stat: iops>=1001", "mdtest-hard read: p50<=0.5ms"]);
        assert!(not.needs.iter().all(|n| n.outcome == Outcome::Fail) && not.exit_code == 1, "{:?}", not.needs);
        // As IO500 requires: for 300 s.
        let open = judged(&record(2), &["mdtest-easy-write for 300s: iops>=1", "8k randread: iops>=1"]);
        assert!(open.needs.iter().all(|n| n.outcome == Outcome::Undecided) && open.exit_code == 2);
        assert!(open.needs[0].why.contains("for 2.00 s"), "{}", open.needs[0].why);
        assert!(open.needs[1].why.contains("secchi qualify"), "{}", open.needs[1].why);
        let mut memory = record(2);
        memory.preflight.storage.memory = Some("tmpfs keeps its files in memory".into());
        assert_eq!(judged(&memory, &["mdtest-easy create: iops>=1"]).needs[0].outcome, Outcome::Undecided);
        let mut stopped = record(2);
        stopped.steps.truncate(1);
        stopped.state = RunState::Stopped;
        let needs = judged(&stopped, &["mdtest-easy create: iops>=1", "mdtest-hard create: iops>=1"]).needs;
        assert!(needs[0].why.contains("1000 of 2000") || needs[0].why.contains("1,000 of 2,000"), "{}", needs[0].why);
        assert!(needs[1].why.contains("--metadata --need"), "{}", needs[1].why);
    }

    #[test]
    fn two_runs_are_compared_phase_by_phase() {
        let metrics = [model::bounds::Metric::Iops, model::bounds::Metric::Percentile(99.0)];
        let figures = crate::reduce(&record(2), "a", &metrics);
        let names: Vec<&str> = figures.subjects.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names.len(), METADATA_PHASES.len());
        assert_eq!((names[0], names[6]), ("mdtest-easy create", "mdtest-hard remove"));
        let rate = figures.subjects[0].values[0].clone().expect("it was measured");
        assert!((rate - 1000.0).abs() < 1e-6, "{rate}");
        assert!(figures.subjects.iter().all(|s| s.values[1].is_ok()), "{:?}", figures.subjects[0].values);
        assert_eq!(figures.subjects[0].parameter("files"), Some("1000"));
        let two_hosts = crate::reduce(&of_hosts(true), "b", &metrics);
        assert_eq!(two_hosts.subjects[0].parameter("hosts"), Some("2"), "which did not do the same");
        let mut stopped = record(2);
        stopped.steps.truncate(1);
        assert!(crate::reduce(&stopped, "c", &metrics).subjects[0].values[0].is_err());
    }

    #[test]
    fn a_run_that_measured_nothing_says_so() {
        let mut none = record(2);
        none.steps.clear();
        let judged = judge(&none);
        assert!(judged.verdict.contains("nothing was measured"), "{}", judged.verdict);
    }
}
