//! Judges whether the engine writes back as fast as it is updated, from the pages that are updated but not yet in the
//! data files.

use model::judged::{Backlog, BacklogTrend};
use model::{Nanos, measured::DatabaseUse};

/// Minimum number of samples for a trend: three in each third.
const LEAST: usize = 9;
/// Minimum ratio of the mean in the last third to that in the first for growth that is not due to chance.
const GROWTH: f64 = 1.2;

/// Returns the backlog of a run; `None` if it was not sampled.
///
/// The backlog rises and falls with every checkpoint, so a slope alone means little. It counts as growing if its mean
/// and its minimum both increase from each third of the run to the next, and the mean increases by at least a fifth
/// overall. Write-back then cannot keep up even at its best.
pub(super) fn judge(used: &DatabaseUse) -> Option<Backlog> {
    let points = &used.backlog;
    let last = points.last()?.1;
    let most = points.iter().map(|p| p.1).fold(0.0, f64::max);
    Some(Backlog { trend: trend(used), slope: slope(points), most, last })
}

fn trend(used: &DatabaseUse) -> BacklogTrend {
    let points = &used.backlog;
    if points.len() < LEAST {
        return BacklogTrend::TooShort;
    }
    let (from, to) = (points[0].0, points[points.len() - 1].0);
    let third = to.since(from).as_nanos() / 3;
    let part = |n: u64| {
        let (start, end) =
            (from.as_nanos() + n * third, if n == 2 { u64::MAX } else { from.as_nanos() + (n + 1) * third });
        let values = points.iter().filter(move |p| (start..end).contains(&p.0.as_nanos())).map(|p| p.1);
        let (count, sum, low) = values.fold((0u32, 0.0, f64::INFINITY), |(c, s, l), v| (c + 1, s + v, f64::min(l, v)));
        (sum / f64::from(count.max(1)), low)
    };
    let thirds = [part(0), part(1), part(2)];
    let rises = thirds.windows(2).all(|w| w[1].0 > w[0].0 && w[1].1 > w[0].1);
    if !rises || thirds[2].0 < GROWTH * thirds[0].0 {
        return BacklogTrend::Level;
    }
    // The write-back of a phase that still ran at the end is not visible.
    let written_back = used.phases.iter().any(|p| p.end < to && p.end > from);
    if written_back { BacklogTrend::Grows } else { BacklogTrend::Gathers }
}

/// Returns the slope in pages per second, by least squares.
fn slope(points: &[(Nanos, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean_t = points.iter().map(|p| p.0.secs()).sum::<f64>() / n;
    let mean_v = points.iter().map(|p| p.1).sum::<f64>() / n;
    let (mut up, mut down) = (0.0, 0.0);
    for (at, value) in points {
        let t = at.secs() - mean_t;
        up += t * (value - mean_v);
        down += t * t;
    }
    if down > 0.0 { up / down } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::measured::EnginePhase;

    const SECOND: u64 = Nanos::from_secs(1).as_nanos();

    fn used(values: impl IntoIterator<Item = f64>, phases: &[u64]) -> DatabaseUse {
        let backlog = (1..).zip(values).map(|(i, v)| (Nanos::from_secs(i), v)).collect();
        let phase = |end: &u64| EnginePhase {
            name: "WAL checkpoint".into(),
            start: Nanos((end - 1) * SECOND),
            end: Nanos::from_secs(*end),
            pages: None,
        };
        DatabaseUse { backlog, phases: phases.iter().map(phase).collect(), ..DatabaseUse::default() }
    }

    #[test]
    fn a_sawtooth_of_checkpoints_is_level() {
        let saw = (0..60).map(|i| f64::from(i % 10) * 100.0);
        let backlog = judge(&used(saw, &[10, 20, 30, 40, 50])).expect("there are samples");
        assert_eq!((backlog.trend, backlog.most, backlog.last), (BacklogTrend::Level, 900.0, 900.0));
    }

    #[test]
    fn a_sawtooth_that_never_comes_down_again_grows() {
        let saw = (0..60).map(|i| f64::from(i % 10) * 100.0 + f64::from(i) * 30.0);
        let backlog = judge(&used(saw, &[10, 20, 30, 40, 50])).expect("there are samples");
        assert_eq!(backlog.trend, BacklogTrend::Grows);
        assert!((25.0..45.0).contains(&backlog.slope), "{}", backlog.slope);
    }

    #[test]
    fn without_a_write_back_it_only_gathers_and_few_samples_tell_nothing() {
        let line = |n: u32| (0..n).map(|i| f64::from(i) * 100.0);
        assert_eq!(judge(&used(line(30), &[])).map(|b| b.trend), Some(BacklogTrend::Gathers));
        let backlog = judge(&used(line(5), &[3])).expect("there are samples");
        assert_eq!((backlog.trend, backlog.slope.round()), (BacklogTrend::TooShort, 100.0));
        assert_eq!(judge(&used([], &[])), None);
    }
}
