//! Reduces a run to the figures that are compared.

use super::values::{format_value, latency_value};
use super::{database, metadata};
use crate::levels::figures::{Level, levels};
use crate::levels::verification::load_only;
use crate::validity::caveats;
use messages::sentence;
use model::judged::{DEPTH, JOBS, RunFigures, SubjectFigures, told_course};
use model::plan::{BlockSizes, KindName, MarkDirection, MarkTest, Pacing, StageRole, Workload};
use model::{Caveat, Interval, Op, RunKind, RunRecord, RunState, Sentence, Stage, distinct, grouped};
use model::{bounds::Metric, record::LatencyFrom};
use std::borrow::Cow;

/// Suffix of the name of a probe.
pub(crate) const ALONE: &str = " alone";

/// Returns the figures of a run, in the order of `metrics`. Pure, like the judge; invalid figures are returned as
/// errors.
#[must_use]
pub fn reduce(record: &RunRecord, source: &str, metrics: &[Metric]) -> RunFigures {
    if let Some(used) = record.database() {
        let judgement = crate::judge::judge(record);
        let subjects = database::subjects(record, used, &judgement, metrics);
        return figures(record, source, &judgement.caveats, subjects);
    }
    if record.plan.kind == RunKind::Metadata {
        let judgement = crate::judge::judge(record);
        let subjects = metadata::subjects(record, &judgement, metrics);
        return figures(record, source, &judgement.caveats, subjects);
    }
    let is_job_file = record.plan.kind.name() == KindName::JobFile;
    let loads = if is_job_file { record.joint() } else { Cow::Borrowed(record) };
    let record = &*load_only(&loads);
    let mut stages = levels(record);
    let caveats = caveats::doubts(record, &mut stages);
    let subjects = match record.plan.kind.name() {
        KindName::JobFile => jobs(record, &stages, metrics),
        KindName::Mark => tests(record, &stages, metrics),
        KindName::Ping => requests(record, metrics),
        _ => patterns(record, &stages, metrics),
    };
    figures(record, source, &caveats, subjects)
}

fn figures(record: &RunRecord, source: &str, caveats: &[Caveat], mut subjects: Vec<SubjectFigures>) -> RunFigures {
    let doubts = caveats.iter().filter(|c| c.severity >= model::Severity::Doubt);
    let mut remarks = distinct(doubts.map(|c| Sentence::concat([format!("{}: ", c.id).into(), c.statement.clone()])));
    if record.state != RunState::Complete {
        remarks.push(sentence!("came-to-no-end"));
    }
    if record.state == RunState::Damaged {
        let values = subjects.iter_mut().flat_map(|s| &mut s.values);
        values.for_each(|v| *v = Err(sentence!("journal-of-run-damaged")));
    }
    RunFigures {
        source: source.to_owned(),
        tool: format!("secchi {}", record.tool.trim_start_matches("secchi").trim_start()),
        started: record.started.clone(),
        subjects,
        remarks,
    }
}

/// Returns every level of every stage.
fn patterns(record: &RunRecord, stages: &[Vec<Level>], metrics: &[Metric]) -> Vec<SubjectFigures> {
    let levels =
        record.plan.stages.iter().zip(stages).flat_map(|(stage, levels)| levels.iter().map(move |l| (stage, l)));
    let subject = |(stage, level): (&Stage, &Level)| SubjectFigures {
        name: match stage.role {
            StageRole::Probe => format!("{}{ALONE}", stage.job.workload.label()),
            _ => stage.job.workload.label(),
        },
        level: matches!(stage.role, StageRole::Ramp | StageRole::Sweep),
        held: level.figures.hold,
        parameters: parameters(stage, level.job.concurrency(), None, &level.job.engine),
        values: metrics.iter().map(|m| of_level(level, *m)).collect(),
        ..SubjectFigures::default()
    };
    levels.map(subject).collect()
}

fn of_level(level: &Level, metric: Metric) -> Result<f64, Sentence> {
    if let Some(reason) = &level.figures.struck {
        // This also applies if the level did not settle: there is no mean to compare.
        return Err(reason.clone());
    }
    // For durable writes the latency of the flush is used, because a commit waits for it.
    let flushes = &level.kept.op(Op::Flush).latency;
    let durable = level.job.workload.flush_every == Some(1) && flushes.count() > 0;
    let latency = if durable { flushes } else { &level.latency };
    match metric {
        Metric::Iops => Ok(level.rate()),
        Metric::Bandwidth => Ok(level.figures.bandwidth.per_second()),
        _ => latency_value(latency, metric),
    }
}

/// Returns the tests of a mark in each direction. Each figure comes from the median loop, as in the mark itself.
fn tests(record: &RunRecord, stages: &[Vec<Level>], metrics: &[Metric]) -> Vec<SubjectFigures> {
    let loops = record.plan.stages.iter().zip(stages).filter_map(|(stage, levels)| {
        let (level, test) = (levels.first()?, MarkTest::from_job(&stage.job)?);
        let name = format!("{test} {}", MarkDirection::from_mix(stage.job.workload.mix).name());
        Some((name, (stage, level)))
    });
    let middle = |loops: &[(&Stage, &Level)], metric: Metric| -> Result<f64, Sentence> {
        let mut values = loops.iter().map(|(_, level)| of_level(level, metric)).collect::<Result<Vec<f64>, _>>()?;
        values.sort_by(f64::total_cmp);
        values.get(values.len().saturating_sub(1) / 2).copied().ok_or_else(|| sentence!("nothing-completed"))
    };
    grouped(loops)
        .into_iter()
        .map(|(name, loops)| {
            let (stage, level) = loops[0];
            let depth = stage.job.queue_depth;
            SubjectFigures {
                name,
                parameters: parameters(stage, depth, Some(stage.job.threads), &level.job.engine),
                values: metrics.iter().map(|m| middle(&loops, *m)).collect(),
                ..SubjectFigures::default()
            }
        })
        .collect()
}

/// Returns the counted requests of a ping by their exact times; rates are over wall time.
fn requests(record: &RunRecord, metrics: &[Metric]) -> Vec<SubjectFigures> {
    let (Some(stage), Some(pinged)) = (record.plan.stages.first(), record.ping()) else { return Vec::new() };
    let rate = pinged.total.count as f64 / pinged.total.length().secs().max(1e-9);
    let value = |metric: Metric| match metric {
        _ if pinged.total.times.count() == 0 => Err(sentence!("ping-none-counted")),
        Metric::Iops => Ok(rate),
        Metric::Bandwidth => Ok(rate * pinged.block.as_u64() as f64),
        _ => latency_value(&pinged.total.times, metric),
    };
    let mut parameters = parameters(stage, 1, None, &stage.job.engine);
    if let Some(request_interval) = stage.job.tuning.work.paced() {
        let flag_text = |flag: bool| u8::from(flag).to_string();
        parameters.push(("interval".to_owned(), request_interval.interval.to_string()));
        parameters.push(("burst".to_owned(), request_interval.burst.to_string()));
        parameters.push(("from due".to_owned(), flag_text(request_interval.from_due)));
        parameters.push(("uncached".to_owned(), flag_text(request_interval.uncached)));
        parameters.push(("durable".to_owned(), flag_text(request_interval.durable)));
    }
    // The two kinds of latency have two names: one of them includes requests that a stall delayed before they were
    // sent.
    let due = if pinged.from_due { LatencyFrom::FROM_DUE } else { "" };
    vec![SubjectFigures {
        name: format!("{} requests{due}", stage.job.workload.label()),
        parameters,
        values: metrics.iter().map(|m| value(*m)).collect(),
        ..SubjectFigures::default()
    }]
}

/// Returns the loads of a job file, each direction separately. Sections without I/O have no figures.
fn jobs(record: &RunRecord, stages: &[Vec<Level>], metrics: &[Metric]) -> Vec<SubjectFigures> {
    let does_io = |stage: &Stage| stage.job.tuning.work.does_io();
    let stages = record.plan.stages.iter().zip(stages).enumerate().filter(|(_, (stage, _))| does_io(stage));
    stages.flat_map(|(i, (stage, levels))| job(record, (i, stage), levels, metrics)).collect()
}

fn job(
    record: &RunRecord,
    (index, stage): (usize, &Stage),
    levels: &[Level],
    metrics: &[Metric],
) -> Vec<SubjectFigures> {
    let section = record.plan.section_of(stage);
    let name = section.map_or(&stage.name, |s| &s.name);
    // A job's figures cover its whole time, as fio's do: if it changed level, they would be a mean across the change.
    let changed = |l: &Level| {
        let course = || sentence!("not-at-one-level", course = told_course(&l.figures.course));
        l.figures.steadiness.changed().then(course)
    };
    let struck = levels.iter().find_map(|l| l.figures.struck.clone().or_else(|| changed(l)));
    let mut total = Interval::default();
    let steps = || record.steps.iter().filter(|s| s.stage == index);
    for step in steps() {
        let part = step.total();
        total.merge_parallel(&part);
        total.length += part.length;
        // Requests in flight at the end are part of the latencies, as in fio, but not of the rates.
        for (mine, theirs) in step.drained().flat_map(|i| i.per_op.iter().enumerate()) {
            total.per_op[mine].latency.merge(&theirs.latency);
            total.per_op[mine].completion.merge(&theirs.completion);
        }
    }
    let seconds = total.length.secs().max(1e-9);
    let threads = steps().map(|s| s.job.threads).max().unwrap_or(stage.job.threads);
    let asked: Vec<usize> = (0..WAYS.len()).filter(|i| stage.job.workload.mix.share(WAYS[*i]) > 0.0).collect();
    let engine = steps().next().map_or(&stage.job.engine, |s| &s.job.engine);
    let value = |way: usize, metric: Metric| -> Result<f64, Sentence> {
        if let Some(reason) = &struck {
            return Err(reason.clone());
        }
        let stats = total.op(WAYS[way]);
        match metric {
            _ if stats.tally.ops == 0 => Err(sentence!("nothing-completed")),
            Metric::Iops => Ok(stats.tally.ops as f64 / seconds),
            Metric::Bandwidth => Ok(stats.tally.bytes as f64 / seconds),
            Metric::Mean => latency_value(&stats.latency, metric),
            // fio's percentiles and maximum are those of the completion latency, if it was recorded separately.
            _ if stats.completion.count() > 0 => latency_value(&stats.completion, metric),
            _ => latency_value(&stats.latency, metric),
        }
    };
    asked
        .iter()
        .map(|way| SubjectFigures {
            name: if asked.len() > 1 { format!("{name}: {}", WAYS[*way]) } else { name.clone() },
            parameters: parameters(stage, stage.job.queue_depth, Some(threads), engine),
            values: metrics.iter().map(|m| value(*way, *m)).collect(),
            ..SubjectFigures::default()
        })
        .collect()
}

const WAYS: [Op; 3] = [Op::Read, Op::Write, Op::Trim];

/// Returns the requested parameters in fio's terms. Threads are separate from the depth if the user chose both.
fn parameters(stage: &Stage, depth: u32, threads: Option<u32>, engine: &str) -> Vec<(String, String)> {
    let job = &stage.job;
    let w = &job.workload;
    let mut list = vec![("rw", w.rw().to_owned()), ("bs", block(&w.block)), (DEPTH, depth.to_string())];
    list.extend(threads.map(|n| (JOBS, n.to_string())));
    if w.mix.write_percent > 0 && w.mix.write_percent < 100 {
        list.push(("rwmixread", w.mix.read_percent().to_string()));
    }
    list.push(("engine", engine.to_owned()));
    list.push(("direct", u8::from(job.target.direct).to_string()));
    list.push(("size", job.target.size.short()));
    list.push(("fsync", w.flush_every.unwrap_or(0).to_string()));
    list.push(("rate", rate(w)));
    if let model::plan::Access::Random { distribution, repeat } = w.access {
        list.push((
            "distribution",
            format!("{}{}", format_value(&distribution), if repeat { ", repeating" } else { "" }),
        ));
    }
    list.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(details(&w.detail)).collect()
}

/// Rarely used parameters, in the order in which they are compared. Fields that are missing here follow.
const DETAILS: [&str; 18] = [
    "write_block",
    "trim_block",
    "align",
    "block_by_order",
    "unaligned",
    "run",
    "stride",
    "identical",
    "random_percent",
    "zones",
    "centre",
    "zone",
    "zoned",
    "file_order",
    "flush",
    "full_flush_every",
    "think",
    "verify",
];

/// Returns rarely used parameters, each under its own name, so that a difference between two runs can be named.
fn details(detail: &model::plan::Detail) -> Vec<(String, String)> {
    let fields = |value: serde_json::Value| {
        if let serde_json::Value::Object(fields) = value { fields } else { Default::default() }
    };
    let mut details = fields(serde_json::to_value(detail).unwrap_or_default());
    let contents = fields(details.remove("contents").unwrap_or_default());
    let contents = contents.into_iter().map(|(name, value)| (format!("contents.{name}"), format_value(&value)));
    let known = DETAILS.map(|name| (name.to_owned(), format_value(&details.remove(name))));
    let others = details.into_iter().map(|(name, value)| (name, format_value(&value)));
    known.into_iter().chain(others).chain(contents).collect()
}

fn block(sizes: &BlockSizes) -> String {
    match sizes {
        BlockSizes::Fixed(size) => size.short(),
        BlockSizes::Range(low, high) => format!("{}-{}", low.short(), high.short()),
        BlockSizes::Split(list) => {
            list.iter().map(|s| format!("{}/{}", s.size.short(), s.weight)).collect::<Vec<_>>().join(":")
        }
    }
}

fn rate(w: &Workload) -> String {
    match w.pacing {
        Pacing::Closed => "none".to_owned(),
        Pacing::Fixed(rate) => format!("{rate} IOPS"),
        Pacing::Poisson(rate) => format!("{rate} IOPS, Poisson"),
        Pacing::Rates(rates) => rates.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detail_has_a_name_of_its_own_and_no_value_in_our_private_words() {
        let plain = details(&model::plan::Detail::default());
        let named: std::collections::BTreeSet<&str> = plain.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(named.len(), plain.len());
        let mut other = model::plan::Detail { run: 8, ..model::plan::Detail::default() };
        other.contents.dedupe_percent = 50;
        let changed: Vec<(String, String)> = details(&other).into_iter().filter(|d| !plain.contains(d)).collect();
        assert_eq!(
            changed,
            [("run".to_owned(), "8".to_owned()), ("contents.dedupe_percent".to_owned(), "50".to_owned())]
        );
        assert!(plain.iter().all(|(_, value)| !value.contains("None")), "{plain:?}");
        assert!(plain.contains(&("verify".to_owned(), "none".to_owned())), "{plain:?}");
    }
}
