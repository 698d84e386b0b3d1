//! Key figures of a run, and of one plan over its runs.

use crate::compare::{ALONE, reduce};
use messages::sentence;
use model::judged::{DEPTH, JOBS, SubjectFigures, TrendLevel, TrendLine};
use model::record::{LatencyFrom, WorkloadFigures};
use model::{Bytes, BytesPerSecond, Iops, Nanos, RunRecord, Sentence, bounds::Metric, distinct};
use statistics::changes::{MIN_SEGMENT, lasting_changes};
use statistics::series::mean;

const P99: Metric = Metric::Percentile(99.0);
/// Figures of a workload in a list.
const METRICS: [Metric; 4] = [Metric::Iops, Metric::Bandwidth, Metric::Mean, P99];

/// Returns the key figures of each workload of a run, from the sustained level or else from the fastest. Probes, with
/// one operation in flight, are left out: they measure the latency of the path, not its capacity.
#[must_use]
pub fn workload_figures(record: &RunRecord) -> Vec<WorkloadFigures> {
    let figures = reduce(record, "", &METRICS);
    let mut chosen: Vec<&SubjectFigures> = Vec::new();
    let listed = |s: &&SubjectFigures| {
        !s.name.ends_with(ALONE) && s.metrics(&METRICS).iter().any(|metric| METRICS.contains(metric))
    };
    for subject in figures.subjects.iter().filter(listed) {
        match chosen.iter_mut().find(|c| c.name == subject.name) {
            None => chosen.push(subject),
            Some(best) if (subject.held, rate(subject)) > (best.held, rate(best)) => *best = subject,
            Some(_) => {}
        }
    }
    chosen.into_iter().map(workload_figures_of).collect()
}

fn rate(subject: &SubjectFigures) -> Option<f64> {
    value(subject, Metric::Iops).ok()
}

/// Returns a figure of a workload, or the reason why there is none.
fn value(subject: &SubjectFigures, metric: Metric) -> Result<f64, Sentence> {
    let index = subject.metrics(&METRICS).iter().position(|m| *m == metric);
    let value = index.and_then(|i| subject.values.get(i)).ok_or_else(|| sentence!("listed-with-another"))?;
    value.clone().and_then(|v| if v.is_finite() { Ok(v) } else { Err(sentence!("nothing-completed")) })
}

/// Returns the figure, or `None` and the reason.
fn parted<T>(value: Result<f64, Sentence>, figure: fn(f64) -> T) -> (Option<T>, Option<Sentence>) {
    match value {
        Ok(value) => (Some(figure(value)), None),
        Err(reason) => (None, Some(reason)),
    }
}

fn workload_figures_of(subject: &SubjectFigures) -> WorkloadFigures {
    let word = |name: &str| subject.parameter(name).unwrap_or_default().to_owned();
    let number = |name: &str| subject.parameter(name).and_then(|n| n.parse::<u64>().ok());
    let jobs = number(JOBS);
    let time = |metric| parted(value(subject, metric), |ns| Nanos(ns as u64));
    let (iops, iops_reason) = parted(value(subject, Metric::Iops), Iops);
    let (bandwidth, bandwidth_reason) = parted(value(subject, Metric::Bandwidth), BytesPerSecond);
    let (mean, mean_reason) = time(Metric::Mean);
    let (p99, p99_reason) = time(P99);
    WorkloadFigures {
        name: subject.name.clone(),
        pattern: word("rw"),
        bs: word("bs").parse::<Bytes>().ok(),
        engine: word("engine"),
        depth: number(DEPTH).unwrap_or(0).saturating_mul(jobs.unwrap_or(1)),
        jobs,
        iops,
        iops_reason,
        bandwidth,
        bandwidth_reason,
        mean,
        mean_reason,
        p99,
        p99_reason,
        latency_from: LatencyFrom::of_name(&subject.name),
    }
}

/// Returns the lines of a trend: rate and p99 of each workload over the runs, which are in order of time. Changes are
/// detected by the same rule as within a run (`changes`), which needs eight runs on each side. With fewer runs no mean
/// is reported, because it might span a change.
#[must_use]
pub fn trend_lines(runs: &[&[WorkloadFigures]]) -> Vec<TrendLine> {
    let subjects: Vec<&str> = distinct(runs.iter().flat_map(|run| run.iter()).map(|w| w.name.as_str()));
    let line_of = |subject: &str, metric: Metric| {
        let values = runs.iter().map(|run| {
            let workload = run.iter().find(|w| w.name == subject)?;
            match metric {
                Metric::Iops => workload.iops.map(|i| i.per_second()),
                _ => workload.p99.map(|ns| ns.as_nanos() as f64),
            }
        });
        line(subject, metric, values.collect())
    };
    subjects.iter().flat_map(|s| [line_of(s, Metric::Iops), line_of(s, P99)]).filter(|l| !l.levels.is_empty()).collect()
}

fn line(subject: &str, metric: Metric, values: Vec<Option<f64>>) -> TrendLine {
    let measured: Vec<(usize, f64)> = values.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?))).collect();
    let x: Vec<f64> = measured.iter().map(|(_, v)| *v).collect();
    let enough = x.len() >= 2 * MIN_SEGMENT;
    let cuts = if enough { lasting_changes(&x, 0.0) } else { Vec::new() };
    let edges: Vec<usize> = std::iter::once(0).chain(cuts).chain([x.len()]).collect();
    let level = |from: usize, to: usize| {
        let part = &x[from..to];
        TrendLevel {
            from: measured[from].0,
            to: measured[to - 1].0,
            count: part.len(),
            mean: enough.then(|| mean(part)),
            low: part.iter().copied().fold(f64::INFINITY, f64::min),
            high: part.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    };
    let levels = edges.windows(2).filter(|e| e[0] < e[1]).map(|e| level(e[0], e[1])).collect();
    let reason = match (enough, x.len()) {
        (true, _) => Sentence::default(),
        (false, n) => sentence!("trend-needs-runs", needed = 2 * MIN_SEGMENT, n),
    };
    TrendLine { subject: subject.to_owned(), metric, values, levels, why: reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Noise;

    fn workload(iops: f64) -> WorkloadFigures {
        WorkloadFigures {
            name: "8k randread".into(),
            pattern: "randread".into(),
            bs: Some(Bytes(8192)),
            engine: "io_uring".into(),
            depth: 32,
            iops: (iops > 0.0).then_some(Iops(iops)),
            p99: Some(Nanos((1e9 / iops.max(1.0)) as u64)),
            ..WorkloadFigures::default()
        }
    }

    fn lines(values: &[f64]) -> Vec<TrendLine> {
        let runs: Vec<Vec<WorkloadFigures>> = values.iter().map(|v| vec![workload(*v)]).collect();
        let runs: Vec<&[WorkloadFigures]> = runs.iter().map(Vec::as_slice).collect();
        trend_lines(&runs)
    }

    #[test]
    fn a_change_between_runs_is_found_and_no_mean_lies_across_it() {
        let mut noise = Noise::new(3);
        let values: Vec<f64> = noise
            .ar1(30, 0.0, 1.0, 0.01)
            .iter()
            .enumerate()
            .map(|(i, v)| v * if i < 18 { 6000.0 } else { 4500.0 })
            .collect();
        let lines = lines(&values);
        let iops = &lines[0];
        assert_eq!((iops.metric, iops.levels.len(), iops.levels[0].to, iops.levels[1].from), (Metric::Iops, 2, 17, 18));
        let means: Vec<f64> = iops.levels.iter().map(|l| l.mean.expect("enough runs")).collect();
        assert!((means[0] / 6000.0 - 1.0).abs() < 0.01 && (means[1] / 4500.0 - 1.0).abs() < 0.01, "{means:?}");
        assert_eq!(lines[1].levels.len(), 2, "of p99 too");
    }

    #[test]
    fn too_few_runs_have_no_mean_and_it_is_said() {
        let lines = lines(&[6000.0, 4000.0, 5000.0]);
        let level = &lines[0].levels[0];
        assert_eq!((level.mean, level.low, level.high, level.count), (None, 4000.0, 6000.0, 3));
        assert_eq!(lines[0].why, "16 runs are needed to detect a change, but only 3 have this figure");
    }

    #[test]
    fn a_run_without_the_figure_is_a_gap_not_a_zero() {
        let mut values = vec![6000.0; 20];
        values[7] = 0.0;
        let lines = lines(&values);
        assert_eq!((lines[0].values[7], lines[0].levels[0].count, lines[0].levels[0].low), (None, 19, 6000.0));
        assert!(trend_lines(&[]).is_empty());
    }
}
