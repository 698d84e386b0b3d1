//! Compares two layouts of a database by alternating runs: is moving worthwhile, and which volume binds?

use super::{Incomparable, Question, compare, database, reduce};
use crate::database::binding_role;
use model::judged::{
    Answer, BacklogTrend, Comparison, LayoutAnswer, LayoutComparison, LayoutSide, RolePlace, RoleWait, RunFigures,
    UntestedFigure,
};
use model::{Judgement, LatencyHistogram, RunRecord, bounds::Metric, measured::FileRole};
use statistics::series::mean;

/// Percentiles compared, chosen in advance. There are few of them, so that five runs of each side are enough: each
/// additional figure makes all tests stricter.
const LATENCIES: [Metric; 2] = [Metric::Percentile(50.0), Metric::Percentile(99.0)];

/// Compares runs on the current layout (`a`) with runs on the layout described by `moved`.
///
/// # Errors
/// Returns an error if the runs did not do the same work.
pub fn compare_layouts(
    [a, b]: [&[RunRecord]; 2],
    places: [Vec<RolePlace>; 2],
    moved: String,
    within: f64,
) -> Result<LayoutComparison, Incomparable> {
    let question = Question { metrics: Vec::new(), within, allow: Vec::new(), only: Vec::new() };
    let judged = |runs: &[RunRecord]| runs.iter().map(crate::judge::judge).collect::<Vec<_>>();
    let (of_a, of_b) = (judged(a), judged(b));
    let figures = |runs: &[RunRecord], judged: &[Judgement]| -> Vec<RunFigures> {
        runs.iter().zip(judged).map(|(record, judgement)| figures(record, judgement)).collect()
    };
    let comparison = compare(&figures(a, &of_a), &figures(b, &of_b), &question)?;
    let [at_a, at_b] = places;
    Ok(LayoutComparison {
        answer: answer(&comparison),
        moved,
        sides: [side(at_a, &of_a), side(at_b, &of_b)],
        comparison,
        commits: commits(a, b),
    })
}

fn figures(record: &RunRecord, judgement: &Judgement) -> RunFigures {
    let subjects = record.database().map(|used| database::layout_subjects(record, used, judgement));
    RunFigures { subjects: subjects.unwrap_or_default(), ..reduce(record, &record.id, &[]) }
}

fn answer(comparison: &Comparison) -> LayoutAnswer {
    let any = |wanted: &dyn Fn(&model::judged::Compared) -> bool| comparison.figures.iter().any(wanted);
    let better = any(&|f| f.answer == Answer::Changed && f.better == Some(true));
    let worse = any(&|f| f.answer == Answer::Changed && f.better == Some(false));
    match (better, worse) {
        (true, true) => LayoutAnswer::Mixed,
        (true, false) => LayoutAnswer::Worth,
        (false, true) => LayoutAnswer::Worse,
        (false, false) if any(&|f| f.answer == Answer::CannotTell) => LayoutAnswer::CannotTell,
        (false, false) => LayoutAnswer::NoDifference,
    }
}

fn side(roles: Vec<RolePlace>, judged: &[Judgement]) -> LayoutSide {
    let databases = || judged.iter().filter_map(|j| j.database());
    let wait_of = |role: FileRole| {
        let each: Vec<&RoleWait> = databases().filter_map(|d| d.waits.iter().find(|w| w.role == role)).collect();
        let mean = |f: fn(&RoleWait) -> f64| mean(&each.iter().map(|w| f(w)).collect::<Vec<_>>());
        (!each.is_empty()).then(|| RoleWait { role, sessions: mean(|w| w.sessions), writers: mean(|w| w.writers) })
    };
    let waits: Vec<RoleWait> = roles.iter().filter_map(|r| wait_of(r.role)).collect();
    let grows = databases().filter(|d| d.backlog.as_ref().is_some_and(|b| b.trend == BacklogTrend::Grows)).count();
    LayoutSide { binds: binding_role(&waits), roles, waits, grows: grows as u32 }
}

fn commits(a: &[RunRecord], b: &[RunRecord]) -> Vec<UntestedFigure> {
    let values_of = |runs: &[RunRecord], inside: bool, metric: Metric| -> Vec<f64> {
        let one = |record: &RunRecord| -> Option<f64> {
            let Metric::Percentile(p) = metric else { return None };
            let mut latencies = LatencyHistogram::default();
            for wave in record.db_waves() {
                let transacted = wave.transacted();
                latencies.merge(if inside { &transacted.commits_inside } else { &transacted.commits_outside });
            }
            latencies.percentile(p).value().map(|n| n.as_nanos() as f64)
        };
        runs.iter().filter_map(one).collect()
    };
    let figure = |(inside, metric)| UntestedFigure {
        inside,
        metric,
        a: values_of(a, inside, metric),
        b: values_of(b, inside, metric),
    };
    let figures = [false, true].into_iter().flat_map(|inside| LATENCIES.map(|metric| (inside, metric)));
    figures.map(figure).filter(|f| !f.a.is_empty() || !f.b.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Nanos, record::Step};

    /// Returns the fixture with different commit latencies and correspondingly longer waits for the journal.
    fn run(id: u32, latency: u64, waited: f64) -> RunRecord {
        let mut record = crate::database_fixture::updates();
        record.id = format!("run-{id}");
        let each = |step: &mut Step| {
            for interval in &mut step.intervals {
                let commits = &mut interval.per_op[model::Op::Flush.index()];
                let n = commits.latency.count();
                commits.latency = LatencyHistogram::default();
                (0..n).for_each(|i| commits.latency.record(Nanos(latency + i * 1000)));
            }
        };
        record.steps.iter_mut().for_each(each);
        let called: f64 =
            record.db_waves().iter().map(|w| (w.working().as_nanos() - w.pausing().as_nanos()) as f64 / 1e6).sum();
        let used = record.database_mut().unwrap();
        for role in [FileRole::Data, FileRole::Journal] {
            let share = if role == FileRole::Journal { waited } else { 0.05 };
            used.counters.push((role.wait_counter(model::measured::Waiter::Sessions).into(), share * called));
            used.counters.push((role.wait_counter(model::measured::Waiter::Writers).into(), 0.0));
        }
        record
    }

    fn places(journal: &str) -> Vec<RolePlace> {
        let place =
            |role, at: &str| RolePlace { role, directories: vec![at.into()], devices: Vec::new(), moved: false };
        vec![place(FileRole::Data, "/d"), place(FileRole::Journal, journal)]
    }

    #[test]
    fn shorter_commits_are_worth_it_longer_ones_are_not_and_equal_ones_are_no_difference() {
        let runs =
            |latency: u64, waited| (0..5).map(|i| run(i, latency + u64::from(i) * 10, waited)).collect::<Vec<_>>();
        let (slow, fast) = (runs(4_000_000, 0.8), runs(1_000_000, 0.3));
        let comparison = |a: &[RunRecord], b: &[RunRecord]| {
            compare_layouts([a, b], [places("/d"), places("/j")], "journal=/j".into(), 0.03).unwrap()
        };
        let result = comparison(&slow, &fast);
        assert_eq!(result.answer, LayoutAnswer::Worth, "{:#?}", result.comparison);
        assert_eq!((result.sides[0].binds, result.sides[1].binds), (Some(FileRole::Journal), None));
        let wait = result.sides[0].waits.iter().find(|w| w.role == FileRole::Journal).unwrap();
        assert!((wait.sessions - 0.8).abs() < 0.01, "{wait:?}");
        assert_eq!(comparison(&fast, &slow).answer, LayoutAnswer::Worse);
        assert_eq!(comparison(&fast, &fast).answer, LayoutAnswer::NoDifference);
        // Three runs per side are too few to prove it.
        assert_eq!(comparison(&slow[..3], &fast[..3]).answer, LayoutAnswer::CannotTell);
    }
}
