//! Seconds of a step in which other processes used the device or the CPU. No figure includes these seconds.
//!
//! On a shared machine a burst of one second by another process would spoil a level of four seconds. The kernel's
//! counters, sampled during the load, identify these seconds: device activity beyond ours, time taken by the
//! hypervisor, time the workers waited for a CPU. If most of the step was quiet, these seconds are set aside, counted
//! and reported. A neighbour that is always active is not a disturbance but part of the environment, and is reported
//! for the whole step (`cache.rs`, `starved.rs`).
//!
//! The activity of others is compared with the usual rate of the load in this step, never with its rate in the same
//! second: a stall of the storage, in which the load completed almost nothing, is not a disturbance.

use crate::levels::accounting;
use model::measured::{Phase, Series};
use model::{Interval, Nanos, RunRecord, plan::StageRole, record::Step};
use statistics::series::median;

/// Minimum number of intervals that must remain, and minimum share of the measured time.
const LEFT: (usize, f64) = (2, 0.5);
/// Maximum overlap of an interval with a disturbed sampling interval for the interval to count as undisturbed: the two
/// do not begin at the same moment.
const TOUCHED: u64 = Nanos::from_millis(100).as_nanos();

/// Disturbances of a stretch of time, each as a share of the load's usual rate or of the CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Shares {
    /// Bytes moved by other processes, divided by the bytes of the load.
    pub bytes: f64,
    /// Device operations caused by other processes, divided by those of the load; zero if the kernel may have split the
    /// load's.
    pub ops: f64,
    /// CPU time that the hypervisor gave to other machines.
    pub stolen: f64,
    /// Time the workers waited for a CPU beyond their usual waits.
    pub waited: f64,
}

impl Shares {
    fn disturb(self) -> bool {
        self.bytes.max(self.ops) > accounting::SLOWED || self.stolen.max(self.waited) > accounting::WAITED
    }

    fn most(self, other: Shares) -> Shares {
        Shares {
            bytes: self.bytes.max(other.bytes),
            ops: self.ops.max(other.ops),
            stolen: self.stolen.max(other.stolen),
            waited: self.waited.max(other.waited),
        }
    }
}

/// The part of a step that is set aside.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Disturbance {
    /// Start times of the intervals that are set aside.
    starts: Vec<Nanos>,
    /// Total length of these intervals.
    pub time: Nanos,
    /// Measured time of the step.
    pub measured: Nanos,
    /// Maximum of each share over these intervals.
    pub most: Shares,
    /// Maximum of each share over the remaining intervals.
    pub quiet: Shares,
}

impl Disturbance {
    /// Returns `true` if an interval, or a window in it, is set aside.
    pub fn contains(&self, start: Nanos, step: &Step) -> bool {
        let interval = measured(step).rfind(|i| i.start <= start);
        interval.is_some_and(|interval| self.starts.contains(&interval.start))
    }
}

fn measured(step: &Step) -> impl DoubleEndedIterator<Item = &Interval> {
    step.intervals.iter().filter(|i| i.phase == Phase::Measure && !i.length.is_zero())
}

/// Returns the disturbed part of a step; `None` if nothing or most of it was disturbed, or if there are no counters. A
/// job with a requested duration is reported for its whole time: only levels of a qualification are judged by a part.
pub(crate) fn of_step(record: &RunRecord, step: &Step) -> Option<Disturbance> {
    if record.stage_of(step).role == StageRole::Fixed || !record.plan.targets.is_empty() {
        return None;
    }
    let intervals: Vec<&Interval> = measured(step).collect();
    if intervals.len() <= LEFT.0 {
        return None;
    }
    let threads = f64::from(step.job.threads.max(1));
    let waited = |i: &Interval| i.cpu_wait.map_or(0.0, |w| w.time.secs() / i.length.secs() / threads);
    let usual_wait = median(&intervals.iter().map(|i| waited(i)).collect::<Vec<_>>());
    let looks = sample_intervals(record, step);
    // In one second, others cannot have taken more CPU time than they used of the threads' CPUs in the whole step.
    let whole = intervals.iter().map(|i| i.length.secs()).sum::<f64>();
    let near = step.end.as_ref().and_then(|end| end.others_near);
    let at_most = |i: &Interval| near.map_or(1.0, |near| near * whole / i.length.secs());
    let excess = |i: &Interval| (waited(i) - usual_wait).max(0.0).min(at_most(i));
    let shares: Vec<Shares> = intervals.iter().map(|i| Shares { waited: excess(i), ..during(&looks, i) }).collect();
    let disturbed = || intervals.iter().zip(&shares).filter(|(_, s)| s.disturb());
    let time = disturbed().map(|(i, _)| i.length).sum::<Nanos>();
    let measured = intervals.iter().map(|i| i.length).sum::<Nanos>();
    let left = intervals.len() - disturbed().count();
    if time.is_zero() || left < LEFT.0 || measured.since(time).secs() < LEFT.1 * measured.secs() {
        return None;
    }
    let most_of = |shares: &mut dyn Iterator<Item = &Shares>| shares.fold(Shares::default(), |a, b| a.most(*b));
    Some(Disturbance {
        starts: disturbed().map(|(i, _)| i.start).collect(),
        time,
        measured,
        most: most_of(&mut disturbed().map(|(_, s)| s)),
        quiet: most_of(&mut shares.iter().filter(|s| !s.disturb())),
    })
}

/// The time between two samples, and the activity of others in it.
struct SampleInterval {
    from: u64,
    until: u64,
    others: Shares,
}

/// Returns the samples taken during a step.
fn sample_intervals(record: &RunRecord, step: &Step) -> Vec<SampleInterval> {
    let series = |name: &str| record.series.iter().find(|s| s.name == name);
    let (Some(first), Some(last), Some(stretches)) =
        (measured(step).next(), measured(step).next_back(), series("sampler.stretch"))
    else {
        return Vec::new();
    };
    // Kernel requests added by the file system do not belong to others, and no sample can distinguish them.
    let counted = step.job.target.direct && step.job.workload.flush_every.is_none();
    let device = record.preflight.storage.devices.first().filter(|_| counted).map(|d| d.name.as_str());
    let of_device = |what: &str| series(&format!("device.{}.{what}", device?));
    let whole = !accounting::may_be_split(record, step);
    let device_bytes = [of_device("read"), of_device("write")];
    let device_ops = [of_device("read_ops"), of_device("write_ops")];
    let own_bytes = ["read", "write"].map(|way| series(&format!("process.secchi.{way}")));
    let steal = series("cpu.steal");
    let usual = |value: fn(&Interval) -> f64| {
        median(&measured(step).map(|i| value(i) / i.length.secs()).collect::<Vec<_>>()).max(1.0)
    };
    let (usual_bytes, usual_ops) = (usual(|i| i.bytes().as_u64() as f64), usual(|i| i.data_ops() as f64));
    let end = last.start.as_nanos() + last.length.as_nanos();
    let near = |(at, _): &&(Nanos, f64)| *at > first.start;
    let mut looks = Vec::new();
    for (at, stretch) in stretches.points.iter().filter(near) {
        let from = at.as_nanos().saturating_sub((stretch * 1e9) as u64);
        if from >= end {
            break;
        }
        let sum = |all: &[Option<&Series>]| all.iter().map(|s| value_at((*s)?, *at)).sum::<Option<f64>>();
        let foreign_bytes = sum(&device_bytes).zip(sum(&own_bytes)).map_or(0.0, |(all, own)| all - own);
        let foreign_ops = sum(&device_ops)
            .filter(|_| whole)
            .zip(own_ops(step, from, at.as_nanos()))
            .map_or(0.0, |(all, own)| all - own - accounting::OWN_WRITES);
        looks.push(SampleInterval {
            from,
            until: at.as_nanos(),
            others: Shares {
                bytes: foreign_bytes.max(0.0) / usual_bytes,
                ops: foreign_ops.max(0.0) / usual_ops,
                stolen: steal.and_then(|s| value_at(s, *at)).unwrap_or(0.0) / 100.0,
                waited: 0.0,
            },
        });
    }
    looks
}

/// Returns the maximum activity of others over the sampling intervals that overlap an interval.
fn during(looks: &[SampleInterval], interval: &Interval) -> Shares {
    let (from, until) = (interval.start.as_nanos(), interval.start.as_nanos() + interval.length.as_nanos());
    let touched = |l: &&SampleInterval| l.until.min(until).saturating_sub(l.from.max(from)) > TOUCHED;
    looks.iter().filter(touched).fold(Shares::default(), |all, look| all.most(look.others))
}

fn value_at(series: &Series, at: Nanos) -> Option<f64> {
    let place = series.points.binary_search_by_key(&at, |(at, _)| *at).ok()?;
    Some(series.points[place].1)
}

/// Returns the load's completed operations per second in a stretch of time; `None` if its windows do not cover the
/// stretch.
fn own_ops(step: &Step, from: u64, until: u64) -> Option<f64> {
    let (mut ops, mut covered) = (0.0, 0);
    for window in step.windows() {
        let end = window.start.as_nanos() + window.length.as_nanos();
        let common = end.min(until).saturating_sub(window.start.as_nanos().max(from));
        ops += window.total_ops() as f64 * common as f64 / window.length.as_nanos().max(1) as f64;
        covered += common;
    }
    let length = until.saturating_sub(from);
    (length > 0 && covered + TOUCHED >= length).then(|| ops / Nanos(covered).secs().max(1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::{Iops, Judgement, judged::LevelFigures, measured::Layer};

    /// Returns a sustained level of five seconds at 4,000 IOPS of 8 KiB. In the third second its rate is reduced to the
    /// share `dip`. In each second other processes read and write the given number of bytes per second.
    fn record(dip: f64, others: [f64; 5], role: StageRole) -> RunRecord {
        let mut rig = Rig::new();
        let stage = rig.stage("r", role, randread(8192));
        let bend: fn(f64) -> f64 = match dip {
            d if d >= 1.0 => |_| 1.0,
            d if d > 0.2 => |t| if (0.4..0.6).contains(&t) { 0.5 } else { 1.0 },
            _ => |t| if (0.4..0.6).contains(&t) { 0.02 } else { 1.0 },
        };
        rig.step(stage, Run { bend, hold: role == StageRole::Ramp, ..Run::at(8, 4000.0).seconds(5) });
        let mut record = rig.record();
        let seconds: Vec<(Nanos, f64, f64)> = record.steps[0]
            .intervals
            .iter()
            .map(|i| (i.start + i.length, i.bytes().as_u64() as f64, i.data_ops() as f64))
            .collect();
        let mut series = |name: &str, value: &dyn Fn(usize) -> f64| {
            let points = seconds.iter().enumerate().map(|(i, (at, ..))| (*at, value(i))).collect();
            record.series.push(Series { name: name.into(), unit: String::new(), layer: Layer::Device, points });
        };
        series("sampler.stretch", &|_| 1.0);
        series("device.vda.read", &|i| seconds[i].1);
        series("device.vda.write", &|i| others[i]);
        series("device.vda.read_ops", &|i| seconds[i].2);
        series("device.vda.write_ops", &|i| others[i] / 65_536.0);
        series("process.secchi.read", &|i| seconds[i].1);
        series("process.secchi.write", &|_| 0.0);
        record
    }

    fn level(judgement: &Judgement) -> &LevelFigures {
        &judgement.patterns[0].levels[0]
    }

    fn aside(judgement: &Judgement) -> Vec<String> {
        judgement.caveats.iter().filter(|c| c.id == "set-aside").map(|c| c.evidence.to_string()).collect()
    }

    const MB: f64 = 1e6;

    #[test]
    fn a_second_that_others_took_is_in_no_figure_and_is_told() {
        let judgement = crate::judge::judge(&record(0.5, [0.0, 0.0, 40.0 * MB, 0.0, 0.0], StageRole::Ramp));
        let level = level(&judgement);
        assert!((level.iops.value / 4000.0 - 1.0).abs() < 0.01, "{}", Iops(level.iops.value));
        assert_eq!(level.time, Nanos::from_secs(4));
        assert_eq!(
            aside(&judgement),
            ["1.0 of 5.0 s are left out: other processes moved up to 122 % as many bytes as the load"]
        );
        assert_eq!((level.struck.clone(), judgement.exit_code), (None, 0));
        assert!(judgement.caveats.iter().all(|c| c.id != "foreign-load"), "{:?}", judgement.caveats);
    }

    #[test]
    fn a_neighbour_who_is_always_there_is_no_disturbance() {
        let judgement = crate::judge::judge(&record(1.0, [20.0 * MB; 5], StageRole::Ramp));
        assert_eq!((aside(&judgement).len(), level(&judgement).time), (0, Nanos::from_secs(5)));
        let most = crate::judge::judge(&record(1.0, [0.0, 20.0 * MB, 20.0 * MB, 20.0 * MB, 0.0], StageRole::Ramp));
        assert!(aside(&most).is_empty());
    }

    #[test]
    fn a_stall_of_the_storage_is_none_though_others_did_more_than_the_load_then() {
        // In the stalled second 0.7 MB were ours and 2 MB belonged to others: a sixteenth of the load's usual rate.
        let judgement = crate::judge::judge(&record(0.02, [2.0 * MB; 5], StageRole::Ramp));
        assert!(aside(&judgement).is_empty());
        let alone = crate::judge::judge(&record(0.02, [0.0; 5], StageRole::Ramp));
        assert_eq!(level(&judgement).ops, level(&alone).ops);
    }

    #[test]
    fn a_job_that_was_asked_to_run_for_its_time_is_told_of_all_of_it() {
        let judgement = crate::judge::judge(&record(0.5, [0.0, 0.0, 40.0 * MB, 0.0, 0.0], StageRole::Fixed));
        assert!(aside(&judgement).is_empty());
    }

    #[test]
    fn seconds_without_a_cpu_and_those_a_hypervisor_took_are_set_aside() {
        let mut waited = record(0.5, [0.0; 5], StageRole::Ramp);
        let wait = &mut waited.steps[0].intervals[2].cpu_wait;
        *wait = wait.map(|w| model::measured::CpuWait { time: Nanos::from_millis(450), ..w });
        assert_eq!(
            aside(&crate::judge::judge(&waited)),
            ["1.0 of 5.0 s are left out: the workers waited 45 % longer for a CPU"]
        );
        waited.steps[0].end.as_mut().expect("it ended").others_near = Some(0.005);
        assert!(aside(&crate::judge::judge(&waited)).is_empty(), "others hardly used the CPUs of the load");
        let mut stolen = record(0.5, [0.0; 5], StageRole::Ramp);
        let points =
            stolen.series[0].points.iter().enumerate().map(|(i, (at, _))| (*at, if i == 2 { 30.0 } else { 0.0 }));
        let points = points.collect();
        stolen.series.push(Series { name: "cpu.steal".into(), unit: "percent".into(), layer: Layer::Host, points });
        assert_eq!(
            aside(&crate::judge::judge(&stolen)),
            ["1.0 of 5.0 s are left out: the hypervisor gave 30 % of the CPU to other machines"]
        );
    }
}
