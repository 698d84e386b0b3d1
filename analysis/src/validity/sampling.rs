//! Cost of sampling counters during a run: a sampler that takes a tenth of a core affects the measurement.

use model::{Nanos, RunRecord, judged::SamplingCost};

/// Share of one core above which the sampler raises a doubt.
pub(crate) const DEAR: f64 = 0.01;

/// Returns the cost as measured by the sampler itself: each sample records the CPU time of the previous one. `None` if
/// there are no samples.
#[must_use]
pub fn sampling(record: &RunRecord) -> Option<SamplingCost> {
    let (cpu, share) = (record.series("sampler.cpu")?, record.series("sampler.cost")?);
    let micros: f64 = cpu.points.iter().map(|p| p.1).sum();
    // Each share belongs to its own interval, whose length is its weight.
    let time: f64 =
        cpu.points.iter().zip(&share.points).filter(|(_, s)| s.1 > 0.0).map(|(c, s)| c.1 / s.1 * 100.0).sum();
    let looks = cpu.points.len() as u64;
    (looks > 0 && time > 0.0).then(|| SamplingCost {
        looks,
        per_look: Nanos((micros * 1e3 / looks as f64).round() as u64),
        share: micros / time,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::measured::{Layer, Series};
    use model::plan::StageRole;

    #[test]
    fn the_cost_of_looking_is_weighed_by_time() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(1, 100.0));
        let mut record = rig.record();
        assert_eq!(sampling(&record), None);
        let series = |name: &str, values: [f64; 2]| Series {
            name: name.into(),
            unit: String::new(),
            layer: Layer::Application,
            points: values.iter().enumerate().map(|(i, v)| (Nanos(i as u64), *v)).collect(),
        };
        // 1 ms in 1 s, then 1 ms in 100 ms.
        record.series.push(series("sampler.cpu", [1000.0, 1000.0]));
        record.series.push(series("sampler.cost", [0.1, 1.0]));
        let cost = sampling(&record).unwrap();
        assert_eq!((cost.looks, cost.per_look), (2, Nanos::from_millis(1)));
        assert!((cost.share - 0.002 / 1.1).abs() < 1e-9, "{}", cost.share);
    }
}
