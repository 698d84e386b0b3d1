//! Detection of an undeclared throttle by its pauses.
//!
//! The throttle of Linux control groups grants its budget in slices of a tenth of a second. An operation either passes
//! at the speed of the device or waits for the next slice: a few percent of the latencies are just below 100 ms, the
//! others far below.

use model::Nanos;
use model::judged::{DbJudgement, OpFigures, WaveFigures};

/// Range of the 99th percentile of operations that wait for the next slice.
const SLICE: std::ops::RangeInclusive<Nanos> = Nanos::from_millis(70)..=Nanos::from_millis(110);
/// Minimum ratio of the 99th percentile to the median.
const FAR_BELOW: u64 = 10;
/// Maximum half-width of the interval of a flat rate, as a share.
const FLAT: f64 = 0.05;

/// Returns the median and the 99th percentile of a wave with a flat rate and the latencies of a throttle; `None` if
/// there is no such wave.
pub(super) fn suspected(database: &DbJudgement) -> Option<(Nanos, Nanos)> {
    database.waves.iter().rev().filter(|wave| is_flat(wave)).find_map(|wave| {
        let kinds = [&wave.reads, &wave.commits, &wave.updates];
        kinds.into_iter().flatten().find_map(pauses)
    })
}

fn is_flat(wave: &WaveFigures) -> bool {
    let rate = &wave.rate;
    rate.value > 0.0 && rate.ci.is_some_and(|(low, high)| high - low <= 2.0 * FLAT * rate.value)
}

fn pauses(figures: &OpFigures) -> Option<(Nanos, Nanos)> {
    let (p50, p99) = (figures.p50.value()?, figures.p99.value()?);
    (SLICE.contains(&p99) && p50.as_nanos().saturating_mul(FAR_BELOW) <= p99.as_nanos()).then_some((p50, p99))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::measured::Percentile;

    fn judged(p50: u64, p99: u64, half: f64) -> DbJudgement {
        let judgement = crate::judge::judge(&crate::database_fixture::reads());
        let mut database = judgement.database().expect("a database run").clone();
        let wave = &mut database.waves[0];
        let at = |micros: u64| Percentile::Value(Nanos(micros * 1_000));
        let reads = wave.reads.as_mut().expect("reads");
        (reads.p50, reads.p99) = (at(p50), at(p99));
        wave.rate.ci = Some((wave.rate.value * (1.0 - half), wave.rate.value * (1.0 + half)));
        database
    }

    #[test]
    fn a_flat_rate_with_few_long_pauses_is_a_throttle() {
        assert!(suspected(&judged(180, 94_000, 0.01)).is_some());
        assert!(suspected(&judged(180, 94_000, 0.3)).is_none(), "the rate is not flat");
        assert!(suspected(&judged(180, 9_000, 0.01)).is_none(), "shorter pauses are those of a disk");
        assert!(suspected(&judged(40_000, 94_000, 0.01)).is_none(), "a queue, not a pause");
    }
}
