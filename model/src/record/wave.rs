//! Waves of a database run: workers that ran together, presented as in PerfTools with one row per wave.
//!
//! Each worker is a separate stage, named `ranread.p4.w0`: the part before `.w` is the name of its wave, and the part
//! before the first dot is its verb. A ramp consists of several consecutive waves.

use crate::{
    Bytes, CompactSort, Interval, Iops, LatencyHistogram, Nanos, Op, RunRecord, measured::Transacted, plan::SessionRule,
};

/// Measured work of one worker of a database run.
#[derive(Debug, Clone, PartialEq)]
pub struct DbJob {
    /// Index of the worker's step in the record.
    pub step: usize,
    /// Number of the worker in the wave, from 1.
    pub number: u32,
    /// Number of the worker's host if there are several, from 0.
    pub side: usize,
    /// Measured intervals, merged into one.
    pub total: Interval,
}

impl DbJob {
    /// Returns the number of records or blocks read.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.total.op(Op::Read).tally.ops
    }

    /// Returns the number of records written.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.total.op(Op::Write).tally.ops
    }

    /// Returns the reads per second over the worker's measured time.
    #[must_use]
    pub fn reads_per_sec(&self) -> f64 {
        per_second(self.reads(), self.total.length)
    }

    /// Returns the updates per second over the worker's measured time.
    #[must_use]
    pub fn writes_per_sec(&self) -> f64 {
        per_second(self.writes(), self.total.length)
    }
}

fn per_second(n: u64, time: Nanos) -> f64 {
    if time.is_zero() { 0.0 } else { n as f64 / time.secs() }
}

/// Workers that ran together.
#[derive(Debug, Clone, PartialEq)]
pub struct DbWave<'a> {
    /// Common part of the names of the wave's stages: `ranread.p4`.
    pub name: &'a str,
    /// Number of workers requested.
    pub processes: u32,
    /// Work of each worker; `None` for blocks read without the engine.
    pub rule: Option<&'a SessionRule>,
    /// Requested size of a read or write.
    pub block: Bytes,
    /// Workers with measurements, by number.
    pub jobs: Vec<DbJob>,
}

impl RunRecord {
    /// Returns the waves of a database run in the order of its plan, without waves that measured nothing. Empty for
    /// other runs.
    #[must_use]
    pub fn db_waves(&self) -> Vec<DbWave<'_>> {
        if self.database().is_none() {
            return Vec::new();
        }
        let mut waves: Vec<DbWave> = Vec::new();
        // Workers of a host are numbered after those of the previous hosts.
        let of_host =
            |name: &str| self.plan.stages.iter().filter(|s| s.place.side == 0 && wave_of(&s.name) == name).count();
        for (index, stage) in self.plan.stages.iter().enumerate() {
            let name = wave_of(&stage.name);
            let at = waves.iter().position(|w| w.name == name).unwrap_or_else(|| {
                let rule = stage.job.tuning.work.session();
                let block = stage.job.workload.block.max();
                waves.push(DbWave { name, processes: 0, rule, block, jobs: Vec::new() });
                waves.len() - 1
            });
            waves[at].processes += 1;
            let steps = self.steps.iter().enumerate().filter(|(_, s)| s.stage == index);
            waves[at].jobs.extend(steps.filter_map(|(step, s)| {
                let total = Interval { windows: Vec::new(), ..s.total() };
                let side = stage.place.side;
                let before = if side > 0 { (side * of_host(name)) as u32 } else { 0 };
                let number = before + stage.place.clone + 1;
                (!total.length.is_zero()).then_some(DbJob { step, number, side, total })
            }));
        }
        waves.retain(|w| !w.jobs.is_empty());
        waves.iter_mut().for_each(|w| w.jobs.compact_sort_by_key(|j| j.number));
        waves
    }
}

/// Returns the name of the wave that a stage belongs to: the name of the stage without the worker and the host.
#[must_use]
pub fn wave_of(stage: &str) -> &str {
    let stage = stage.split_once('@').map_or(stage, |(own, _)| own);
    match stage.rsplit_once(".w") {
        Some((wave, worker)) if !worker.is_empty() && worker.bytes().all(|b| b.is_ascii_digit()) => wave,
        _ => stage,
    }
}

impl DbWave<'_> {
    /// Returns PerfTools' class of the wave, or the verb if there is no such class: `RanRead`, `SeqWrite`.
    #[must_use]
    pub fn class(&self) -> String {
        db_class(self.name.split('.').next().unwrap_or(self.name))
    }

    /// Returns the combined work of all workers: counts and latencies are summed, the time is the maximum.
    #[must_use]
    pub fn total(&self) -> Interval {
        let mut total = Interval::default();
        for job in &self.jobs {
            total.length = total.length.max(job.total.length);
            total.merge_parallel(&job.total);
        }
        total.start = self.jobs.iter().map(|j| j.total.start).min().unwrap_or_default();
        total
    }

    /// Returns the reads per second as the sum of the workers' rates, as in PerfTools.
    #[must_use]
    pub fn reads_per_sec(&self) -> Iops {
        Iops(self.jobs.iter().map(DbJob::reads_per_sec).sum())
    }

    /// Returns the updates per second as the sum of the workers' rates, as in PerfTools.
    #[must_use]
    pub fn writes_per_sec(&self) -> Iops {
        Iops(self.jobs.iter().map(DbJob::writes_per_sec).sum())
    }

    /// Returns the percentage of batches that read; 100 if blocks are read.
    #[must_use]
    pub fn read_percent(&self) -> u8 {
        self.rule.map_or(100, |r| r.read_percent)
    }

    /// Returns the latencies of whole transactions.
    #[must_use]
    pub fn transacted(&self) -> Transacted {
        let mut total = Transacted::default();
        self.jobs.iter().filter_map(|j| j.total.transacted.as_deref()).for_each(|t| total.merge(t));
        total
    }

    /// Returns the latencies that the sessions of the wave wait for: those of reads if there are any, otherwise those
    /// of whole transactions.
    #[must_use]
    pub fn waited(&self) -> LatencyHistogram {
        let total = self.total();
        let reads = total.op(Op::Read).from_due();
        if reads.count() > 0 {
            return reads.clone();
        }
        let transactions = self.transacted().all();
        if transactions.count() > 0 { transactions } else { total.op(Op::Write).from_due().clone() }
    }

    /// Returns the number of batches, counting transactions and groups of reads; 0 if there are none.
    #[must_use]
    pub fn batches(&self) -> u64 {
        let Some(rule) = self.rule else { return 0 };
        let reads: u64 = self.jobs.iter().map(|j| j.reads().div_ceil(u64::from(rule.batch.max(1)))).sum();
        self.transacted().all().count() + reads
    }

    /// Returns the mean actual pause after each batch: the workers' time outside of calls, divided by the batches. It
    /// includes the time to draw subscripts and generate values.
    #[must_use]
    pub fn achieved_hang(&self) -> Option<Nanos> {
        let batches = self.batches();
        (batches > 0).then(|| Nanos((self.pausing().as_nanos() as f64 / batches as f64).round() as u64))
    }

    /// Returns the total time that all workers spent outside of calls.
    #[must_use]
    pub fn pausing(&self) -> Nanos {
        let idle = |j: &DbJob| {
            j.total.length.as_nanos().saturating_sub(u64::try_from(j.total.in_flight_ns).unwrap_or(u64::MAX))
        };
        Nanos(self.jobs.iter().map(idle).sum())
    }

    /// Returns the total time of all workers.
    #[must_use]
    pub fn working(&self) -> Nanos {
        self.jobs.iter().map(|j| j.total.length).sum::<Nanos>()
    }
}

/// Class of runs that create globals. They are stored like others but are not tests.
pub const MAKING: &str = "CreateGlobals";

/// Returns PerfTools' class of a verb, or the verb itself if there is none: `ranread` gives `RanRead`.
#[must_use]
pub fn db_class(verb: &str) -> String {
    let known = ["RanRead", "RanWrite", "RanIO", "SeqRead", "SeqWrite", "Insert", "TpcB", MAKING];
    let plain = verb.replace('-', "");
    known.iter().find(|k| k.eq_ignore_ascii_case(&plain)).map_or_else(|| verb.to_owned(), |k| (*k).to_owned())
}

impl RunRecord {
    /// Returns PerfTools' name for a database run: that of its verb or, if it was a ramp, that of its waves.
    #[must_use]
    pub fn db_title(&self) -> String {
        let first = self.plan.stages.first().map(|s| wave_of(&s.name));
        first
            .and_then(|w| w.split('.').next())
            .map_or_else(|| db_class(self.database().map_or("", |d| &d.verb)), db_class)
    }
}

/// Returns the integral over time of a series of rates: each rate times the interval that it covers. The first interval
/// is assumed to be as long as the second, or one second if there is only one point.
pub(crate) fn integral(points: &[(Nanos, f64)]) -> f64 {
    let mut sum = 0.0;
    for (i, (at, rate)) in points.iter().enumerate() {
        let length = match i.checked_sub(1).map(|before| points[before].0) {
            Some(before) => at.since(before).secs(),
            None => points.get(1).map_or(1.0, |next| next.0.since(*at).secs()).min(at.secs().max(0.0)),
        };
        sum += rate * length;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_is_the_name_without_the_worker() {
        assert_eq!(wave_of("ranread.p4.w0"), "ranread.p4");
        assert_eq!(wave_of("ranread.p16.w15"), "ranread.p16");
        assert_eq!(wave_of("ranread.p4"), "ranread.p4");
        assert_eq!(wave_of("a.wave"), "a.wave");
        assert_eq!(wave_of("ranread.p4.w1@node.w7:2"), "ranread.p4");
        assert_eq!((db_class("ranio").as_str(), db_class("create-globals").as_str()), ("RanIO", MAKING));
        assert_eq!(db_class("something"), "something");
    }

    #[test]
    fn a_series_of_rates_adds_up_over_its_real_time() {
        let s = 1_000_000_000;
        assert_eq!(integral(&[]), 0.0);
        assert_eq!(integral(&[(Nanos(s), 100.0), (Nanos(2 * s), 100.0), (Nanos(4 * s), 50.0)]), 300.0);
        assert_eq!(integral(&[(Nanos(5 * s), 10.0)]), 10.0);
    }
}
