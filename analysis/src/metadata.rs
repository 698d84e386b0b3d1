//! Runs about names (`secchi qualify --metadata`), judged: a rate and latencies for each phase of each shape, all threads together, and
//! what is doubtful of them.
//!
//! A rate is files over the time from the beginning of the first thread to the end of the last, as mdtest has it. Latencies of all
//! threads are merged. No ramp, no level and no limit is looked for: rules about those have nothing to say here.

use crate::levels::clones::gathered_by;
use crate::levels::figures::levels;
use crate::validity::cpu::starved;
use crate::validity::{cache, caveats, sampling};
use crate::verdict::sentences::{behind, outcome, trouble};
use messages::sentence;
use model::{
    Caveat, Interval, Iops, Judgement, METADATA_PHASES, METADATA_SYNC, MetadataFigures, MetadataPhase,
    MetadataPhaseFigures, MetadataShape, Nanos, RunAnswer, RunRecord, Sentence, Severity, Step, thousands, wave_of,
};

/// A phase that takes less is begun and ended more than it is measured.
const SHORT: Nanos = Nanos::from_secs(1);

/// Judges a run about names.
pub(crate) fn judge(record: &RunRecord) -> Judgement {
    let figures = figures(record);
    let mut doubts = record.caveats.clone();
    doubts.extend(of_figures(record, &figures));
    doubts.extend(crowded(record));
    doubts.extend(cache::run_on_memory(record));
    doubts.extend(caveats::ended_early(record));
    doubts.extend(caveats::busy_host(record));
    let doubts = caveats::tidy(doubts);
    let (outcome, exit_code) = outcome(record, &[], &doubts);
    Judgement {
        answer: RunAnswer::default(),
        verdict: behind(trouble(record, &doubts), &doubts, found(record, &figures)),
        outcome,
        needs: Vec::new(),
        patterns: Vec::new(),
        findings: Vec::new(),
        caveats: doubts,
        database: None,
        metadata: Some(Box::new(figures)),
        watch: None,
        sampling: sampling::sampling(record),
        layers: Vec::new(),
        exit_code,
    }
}

/// That others had the CPU, of the phase which that cost most: a file is a few microseconds of a CPU.
fn crowded(record: &RunRecord) -> Option<Caveat> {
    let together = gathered_by(record, |stage| Some(wave_of(&stage.name).to_owned()));
    let phases = levels(&together);
    let doubts = phases.iter().flatten().filter_map(|level| starved::doubt(&together, level));
    doubts.max_by_key(|doubt| doubt.weight)
}

fn figures(record: &RunRecord) -> MetadataFigures {
    let first = record.plan.stages.first();
    let wave = record.plan.waves().next().map_or(0, <[_]>::len);
    MetadataFigures {
        threads: u32::try_from(wave).unwrap_or(u32::MAX),
        files_each: first.and_then(|s| s.job.tuning.metadata).map_or(0, |rule| rule.files),
        phases: METADATA_PHASES.iter().filter_map(|of| phase(record, *of)).collect(),
    }
}

/// A phase; `None` if it did not begin.
fn phase(record: &RunRecord, of: (MetadataShape, MetadataPhase)) -> Option<MetadataPhaseFigures> {
    let (shape, phase) = of;
    let own = |step: &Step| record.stage_of(step).job.tuning.metadata.is_some_and(|r| (r.shape, r.phase) == of);
    let steps: Vec<usize> = (0..record.steps.len()).filter(|i| own(&record.steps[*i])).collect();
    let (mut total, mut begin, mut end, mut errors) = (Interval::default(), Nanos(u64::MAX), Nanos(0), 0);
    for step in steps.iter().map(|i| &record.steps[*i]) {
        let one = step.total();
        if one.length.is_zero() {
            continue;
        }
        begin = begin.min(one.start);
        end = end.max(one.start.saturating_add(one.length));
        // Of those under way when it ended, too.
        step.drained().chain([&one]).for_each(|interval| total.merge_parallel(interval));
        errors += one.failed();
    }
    let time = end.since(begin);
    if steps.is_empty() || time.is_zero() {
        return None;
    }
    let (files, latency) = (total.data_ops(), total.latency());
    let rate = |time: Nanos| Iops(files as f64 / time.secs());
    let next = record.steps.iter().map(|s| s.start).filter(|start| *start >= end).min().unwrap_or(Nanos(u64::MAX));
    // The sync between its end and the beginning of the next phase.
    let mut syncs = record.series.iter().filter(|s| s.name == METADATA_SYNC).flat_map(|s| &s.points);
    let synced = syncs.find(|(at, _)| (end..=next).contains(at)).filter(|_| phase.changes());
    let sync = synced.map(|(_, seconds)| Nanos((seconds * 1e9) as u64));
    Some(MetadataPhaseFigures {
        shape,
        phase,
        files,
        time,
        rate: rate(time),
        sync,
        durable_rate: sync.map(|sync| rate(time.saturating_add(sync))),
        mean: latency.mean(),
        p50: latency.percentile(50.0),
        p99: latency.percentile(99.0),
        p999: latency.percentile(99.9),
        max: latency.max(),
        errors,
        steps,
    })
}

/// `mdtest-easy: 48,102 creates/s, 801,220 stats/s; mdtest-hard: ...; by 2 threads on ext4`.
fn found(record: &RunRecord, figures: &MetadataFigures) -> Sentence {
    let shapes = [MetadataShape::Easy, MetadataShape::Hard].into_iter().filter_map(|shape| {
        let rates: Vec<Sentence> = figures.of(shape).map(rate).collect();
        (!rates.is_empty())
            .then(|| sentence!("metadata-shape", shape = shape.name(), rates = Sentence::join(rates, ", ")))
    });
    let shapes = Sentence::join(shapes, "; ");
    if shapes.is_empty() {
        return sentence!("db-nothing-measured");
    }
    let filesystem = &record.preflight.storage.filesystem;
    sentence!("metadata-found", shapes, n = figures.threads, filesystem)
}

fn rate(figures: &MetadataPhaseFigures) -> Sentence {
    let rate = thousands(figures.rate.per_second());
    match figures.phase {
        MetadataPhase::Create => sentence!("metadata-creates", rate),
        MetadataPhase::Stat => sentence!("metadata-stats", rate),
        MetadataPhase::Read => sentence!("metadata-reads", rate),
        MetadataPhase::Remove => sentence!("metadata-removes", rate),
    }
}

fn of_figures(record: &RunRecord, figures: &MetadataFigures) -> impl Iterator<Item = Caveat> {
    let looked = |p: &&MetadataPhaseFigures| matches!(p.phase, MetadataPhase::Stat | MetadataPhase::Read);
    let cached = figures.phases.iter().any(|p| looked(&p)).then(|| {
        let files = thousands((figures.files_each * u64::from(figures.threads)) as f64);
        let evidence = sentence!("metadata-seen-cached", files, memory = record.preflight.host.memory);
        Caveat::new("names-cached", Severity::Doubt, sentence!("metadata-doubt-cached"), evidence)
            .remedy(sentence!("metadata-remedy-cached"))
    });
    let shortest = figures.phases.iter().filter(|p| p.time < SHORT && !looked(p)).min_by_key(|p| p.time);
    let short = shortest.map(|p| {
        let evidence =
            sentence!("metadata-seen-short", phase = p.label(), files = thousands(p.files as f64), time = p.time);
        Caveat::new("phases-short", Severity::Doubt, sentence!("metadata-doubt-short"), evidence)
            .remedy(sentence!("metadata-remedy-short"))
    });
    let changed = figures.phases.iter().any(|p| p.phase.changes() && p.durable_rate.is_some()).then(|| {
        let evidence = sentence!("metadata-seen-durable");
        Caveat::new("names-not-durable", Severity::Note, sentence!("metadata-doubt-durable"), evidence)
    });
    [cached, short, changed].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::{MetadataRule, Op, Phase, RunState, Series, Stage, StagePlacement, StageRole, Step};

    /// Two threads, the second of which ends later; each phase takes `seconds` and then half a second to become durable.
    fn record(seconds: u64) -> RunRecord {
        let mut rig = Rig::new();
        let first = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(first, Run::at(1, 1000.0));
        let mut record = rig.record();
        let (template, step) = (record.plan.stages[0].clone(), record.steps[0].clone());
        record.plan.stages.clear();
        record.steps.clear();
        record.preflight.storage.filesystem = "ext4".to_owned();
        let mut at = Nanos::from_secs(1);
        let mut synced = Vec::new();
        for (shape, phase) in METADATA_PHASES {
            for thread in 0..2u64 {
                let mut job = template.job.clone();
                job.tuning.metadata = Some(MetadataRule { shape, phase, owner: thread as u32, files: 1000 });
                let place = StagePlacement { with_previous: thread > 0, ..StagePlacement::default() };
                let name = format!("{}.{}.w{thread}", shape.name(), phase.name());
                record.plan.stages.push(Stage { place, ..Stage::fixed(name, job.clone()) });
                let mut interval = Interval { phase: Phase::Measure, start: at, ..Interval::default() };
                interval.length = Nanos::from_millis(seconds * 500 * (thread + 1));
                let own = &mut interval.per_op[Op::Write.index()];
                own.tally.ops = 1000;
                (0..1000).for_each(|_| own.latency.record(Nanos::from_millis(1)));
                let stage = record.plan.stages.len() - 1;
                record.steps.push(Step { stage, job, start: at, intervals: vec![interval], ..step.clone() });
            }
            at = at.saturating_add(Nanos::from_secs(seconds)).saturating_add(Nanos::from_millis(500));
            synced.push((at, 0.5));
        }
        let layer = model::Layer::Application;
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
        let figures = judgement.metadata.as_deref().expect("it is about names");
        assert_eq!((figures.threads, figures.files_each, figures.phases.len()), (2, 1000, METADATA_PHASES.len()));
        for phase in &figures.phases {
            assert_eq!((phase.files, phase.time), (2000, Nanos::from_secs(2)), "{}", phase.label());
            assert!((phase.rate.per_second() - 1000.0).abs() < 1e-6);
            assert_eq!(phase.steps.len(), 2);
            assert!(phase.p99.value().is_some_and(|p| (0.99..1.01).contains(&(p.secs() * 1e3))));
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
        memory.preflight.storage.filesystem = "tmpfs".to_owned();
        let judged = judge(&memory);
        assert_eq!((judged.caveats[0].id.as_str(), judged.exit_code), (cache::MEMORY, 2));
        let mut stopped = record(2);
        stopped.steps.truncate(3);
        stopped.series[0].points.truncate(1);
        stopped.state = RunState::Stopped;
        let judged = judge(&stopped);
        let figures = judged.metadata.as_deref().expect("it is about names");
        assert_eq!(figures.phases.len(), 2, "those that began");
        assert_eq!((figures.phases[1].files, figures.phases[1].sync), (1000, None));
        assert!(ids(&judged).contains(&"partial") && !ids(&judged).contains(&"names-cached"));
        assert_ne!(judged.exit_code, 0);
    }

    #[test]
    fn a_run_that_measured_nothing_says_so() {
        let mut none = record(2);
        none.steps.clear();
        let judged = judge(&none);
        assert!(judged.verdict.contains("nothing was measured"), "{}", judged.verdict);
    }
}
