//! Merges steps by a key of their stages: processes of a database, phases of a metadata run.

use model::{Interval, RunRecord, Stage, measured::Phase, record::Step};

/// Returns a run in which steps whose stages have the same key are merged into the first of them.
pub(crate) fn gathered_by<T: PartialEq>(record: &RunRecord, key: impl Fn(&Stage) -> Option<T>) -> RunRecord {
    let mut out = record.clone();
    let key_of = |step: &Step| record.plan.stages.get(step.stage).and_then(&key);
    for i in 0..record.steps.len() {
        let Some(wanted_key) = key_of(&record.steps[i]) else { continue };
        let first = record.steps.iter().position(|s| key_of(s).as_ref() == Some(&wanted_key)).unwrap_or(i);
        if first < i {
            let (head, tail) = out.steps.split_at_mut(i);
            join(&mut head[first], &mut tail[0]);
        }
    }
    out
}

/// Moves the measurements of `other` into `sum`, as work that was done in parallel.
fn join(sum: &mut Step, other: &mut Step) {
    sum.job.threads += other.job.threads;
    let added = std::mem::take(&mut other.intervals);
    let same_grid = sum.intervals.len() == added.len()
        && sum.intervals.iter().zip(&added).all(|(a, b)| {
            a.phase == b.phase && a.start.as_nanos().abs_diff(b.start.as_nanos()) < a.length.as_nanos() / 10 + 1
        });
    if same_grid {
        sum.intervals.iter_mut().zip(&added).for_each(|(a, b)| beside(a, b));
    } else {
        // The interval boundaries differ: only the totals can be combined.
        let whole = |intervals: &[Interval]| {
            let mut total = Interval::default();
            intervals.iter().filter(|i| i.phase == Phase::Measure).for_each(|i| total.merge(i));
            total.windows.clear();
            total
        };
        let mut total = whole(&sum.intervals);
        let other = whole(&added);
        total.length = total.length.max(other.length);
        total.merge_parallel(&other);
        sum.intervals = vec![total];
    }
    if let (Some(mine), Some(added)) = (&mut sum.end, &other.end) {
        mine.submitted += added.submitted;
        mine.completed += added.completed;
        mine.failed += added.failed;
        mine.pending += added.pending;
        mine.bytes += added.bytes;
        mine.busiest_thread = mine.busiest_thread.max(added.busiest_thread);
    }
}

fn beside(sum: &mut Interval, other: &Interval) {
    sum.merge_parallel(other);
    if sum.windows.len() != other.windows.len() {
        sum.windows.clear();
        return;
    }
    sum.windows.iter_mut().zip(&other.windows).for_each(|(a, b)| a.merge_parallel(b));
}
