//! Checks that the load generator had enough CPU (docs/design/statistics.md, "The load generator"). If it did not, the
//! measured rate is only a lower bound for the storage.
//!
//! There are two strengths of evidence. Strong: our own threads used nearly all of their CPU allowance, or the control
//! group stopped them in most periods. Weak: the CPU was unusual in some way (a busy neighbour, a queue not kept full)
//! that may or may not have reduced the rate; this only counts if nothing else explains the rate. If others used the
//! CPU that our threads waited for (`starved.rs`), only CPU time that our own threads used up counts as evidence.

use super::starved::starved;
use super::throttling::{USED_UP, throttled_share};
use crate::levels::figures::Level;
use messages::sentence;
use model::{RunRecord, Sentence, plan::TargetKind, units::thousands};

/// Share of secchi's own ceiling, the rate of the null engine, above which a rate is close to it.
const NEAR_CEILING: f64 = 0.7;
/// Share of use above which the CPU allowance is as exact a limit as any row.
const EXHAUSTED: f64 = 0.97;

/// Strength of the evidence against the generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    None,
    Weak,
    Strong,
}

/// The generator's part in a level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Generator {
    pub strength: Strength,
    /// True if its CPU allowance is used up, so that it ties with a limit row at the same rate.
    pub exhausted: bool,
    /// Observations, one figure each.
    pub reasons: Vec<Sentence>,
    /// Operations per second it could have issued at this CPU cost per operation; infinite if it cost nothing.
    pub allows: f64,
    /// Its CPU use as a sentence, for evidence if there is no problem.
    pub usage: Sentence,
}

impl Generator {
    /// Returns the observations as one sentence.
    pub fn to_sentence(&self) -> Sentence {
        Sentence::join(self.reasons.clone(), "; ")
    }
}

/// CPU figures of a level.
struct Cpu {
    /// CPU time used, in CPUs.
    used: f64,
    /// CPU time allowed, in CPUs.
    allowed: f64,
    /// The control group's quota, if it determines `allowed`.
    quota: Option<f64>,
    /// CPUs of the machine.
    machine: f64,
}

impl Cpu {
    fn from_level(record: &RunRecord, level: &Level) -> Cpu {
        let host = &record.preflight.host;
        let machine = f64::from(host.cpus.max(1));
        let threads = f64::from(level.job.threads.max(1)).min(machine);
        let quota = host.cpu_quota.filter(|q| *q > 0.0 && *q < threads);
        let time = level.kept.length.secs();
        let used = (level.kept.cpu_user.secs() + level.kept.cpu_system.secs()) / time.max(1e-9);
        Cpu { used, allowed: quota.unwrap_or(threads), quota, machine }
    }

    fn share(&self) -> f64 {
        self.used / self.allowed
    }

    /// Returns the CPU time that others leave, in CPUs, if the machine is crowded and a good part of its use is ours.
    fn left(&self, idle: f64) -> Option<f64> {
        let ours = self.used / self.machine;
        (idle < 0.10 && ours >= 0.2).then_some((ours + idle) * self.machine)
    }

    fn allowance(&self) -> Sentence {
        match self.quota {
            Some(quota) => sentence!("of-cpu-quota", quota = format!("{quota:.2}")),
            None => sentence!("of-cpus", n = self.allowed as u32),
        }
    }
}

/// Weighs the evidence for one level.
pub(crate) fn generator(record: &RunRecord, level: &Level) -> Generator {
    let cpu = Cpu::from_level(record, level);
    let throttled = throttled_share(record, level);
    let mut strong = Vec::new();
    let mut weak = Vec::new();
    if cpu.share() >= USED_UP {
        strong.push(sentence!("seen-threads-used", share = percent(cpu.share()), of = cpu.allowance()));
    }
    if throttled >= 0.1 {
        let list = if throttled >= 0.5 { &mut strong } else { &mut weak };
        list.push(sentence!("seen-throttled", share = percent(throttled.min(1.0))));
    }
    let busiest = level.figures.busiest_thread;
    if busiest > USED_UP && cpu.share() < USED_UP {
        strong.push(sentence!("seen-busiest-thread", share = percent(busiest)));
    }
    machine(record, level, &cpu, &mut strong, &mut weak);
    let ceiling = ceiling(record, level);
    if let Some(ceiling) = ceiling.filter(|c| level.rate() > NEAR_CEILING * c) {
        let share = percent(level.rate() / ceiling);
        strong.push(sentence!("seen-near-ceiling", share, ceiling = thousands(ceiling)));
    }
    if cpu.share() < USED_UP && starved(record, level).is_some() {
        strong.clear();
        weak.clear();
    }
    let per_op = cpu.used / level.rate().max(1e-9);
    // On a crowded machine only the CPU time left by others is available.
    let allowed = cpu.allowed.min(cpu.left(idle(record, level)).unwrap_or(f64::INFINITY));
    let by_cpu = if per_op > 0.0 { allowed / per_op } else { f64::INFINITY };
    let strength = match (strong.is_empty(), weak.is_empty()) {
        (false, _) => Strength::Strong,
        (true, false) => Strength::Weak,
        (true, true) => Strength::None,
    };
    strong.append(&mut weak);
    Generator {
        strength,
        exhausted: (cpu.quota.is_some() && cpu.share() >= EXHAUSTED) || throttled >= 0.5,
        reasons: strong,
        allows: ceiling.map_or(by_cpu, |c| c.min(by_cpu)),
        usage: sentence!("seen-generator", share = percent(cpu.share()), of = cpu.allowance()),
    }
}

/// Formats a share in whole percent.
fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

/// Returns the idle share of the machine's CPU time; 1 if unknown.
fn idle(record: &RunRecord, level: &Level) -> f64 {
    let ends = level.steps.iter().filter_map(|i| record.steps[*i].end.as_ref());
    ends.filter_map(|e| e.host_idle).fold(1.0, f64::min)
}

/// Adds the evidence from the whole machine. If others may have used the CPU, it is weak evidence against us.
fn machine(record: &RunRecord, level: &Level, cpu: &Cpu, strong: &mut Vec<Sentence>, weak: &mut Vec<Sentence>) {
    let idle = idle(record, level);
    let ours = cpu.used / cpu.machine;
    if cpu.left(idle).is_some() {
        let list = if ours >= 0.5 { &mut *strong } else { &mut *weak };
        list.push(sentence!("seen-machine-idle", idle = percent(idle), ours = percent(ours)));
    }
    let asked = f64::from(level.concurrency());
    let closed = !level.job.workload.pacing.is_open() && level.job.target.kind != TargetKind::Null;
    if closed && asked > 1.0 && level.figures.ops > 0 && level.figures.in_flight < 0.9 * asked {
        let n = format!("{:.1}", level.figures.in_flight);
        weak.push(sentence!("seen-not-in-flight", n, asked = level.concurrency()));
    }
}

/// Returns the null engine's rate for this number of threads, interpolated between its rates at depth 1 and 32 on a
/// logarithmic axis.
fn ceiling(record: &RunRecord, level: &Level) -> Option<f64> {
    let (single, deep) = record.preflight.ceiling?;
    let share = (f64::from(level.job.queue_depth.max(1)).log2() / 5.0).min(1.0);
    let one = single.per_second() + share * (deep.per_second() - single.per_second());
    let host = &record.preflight.host;
    // The ceiling of one thread was measured under the same quota, which does not grow with threads.
    let cores = f64::from(level.job.threads.min(host.cpus.max(1)).max(1));
    let cores = host.cpu_quota.map_or(cores, |q| cores.min(q.max(1.0)));
    (one > 0.0).then_some(one * cores)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::{Iops, plan::StageRole};

    fn judged(rig: Rig) -> Generator {
        let record = rig.record();
        let levels = crate::levels::figures::levels(&record);
        generator(&record, &levels[0][0])
    }

    fn rig(run: Run) -> Rig {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, run);
        rig
    }

    #[test]
    fn an_idle_generator_is_not_blamed() {
        let g = judged(rig(Run::at(32, 6000.0)));
        assert_eq!((g.strength, g.exhausted), (Strength::None, false), "{:?}", g.reasons);
        // 10 µs of CPU each, one thread.
        assert!((g.allows / 100_000.0 - 1.0).abs() < 0.01, "{}", g.allows);
        assert_eq!(g.usage, "generator: 6 % of one CPU");
    }

    #[test]
    fn a_fifth_of_a_cpu_used_up_is_strong_evidence_though_no_thread_looks_busy() {
        let mut rig = rig(Run { cpu_per_op: 80e-6, throttled: 38, ..Run::at(32, 2480.0) });
        rig.preflight().host.cpu_quota = Some(0.2);
        let g = judged(rig);
        assert_eq!((g.strength, g.exhausted), (Strength::Strong, true));
        assert!(g.reasons[0].contains("quota of 0.20 CPUs"), "{:?}", g.reasons);
    }

    #[test]
    fn a_whole_cpu_of_quota_is_no_evidence() {
        let mut rig = rig(Run::at(32, 6000.0));
        rig.preflight().host.cpu_quota = Some(1.0);
        assert_eq!(judged(rig).strength, Strength::None);
    }

    #[test]
    fn throttling_in_most_periods_is_seen_even_without_a_known_quota() {
        let g = judged(rig(Run { throttled: 35, ..Run::at(32, 2000.0) }));
        assert_eq!((g.strength, g.exhausted), (Strength::Strong, true));
    }

    #[test]
    fn whoever_waits_for_others_is_not_blamed() {
        // Near its own ceiling on a machine without idle time: the ceiling was measured next to the same neighbours.
        let waiting = |share| {
            let mut rig = rig(Run { idle: 0.0, waited: share, others: 1.3, ..Run::at(1, 60_000.0) });
            rig.preflight().ceiling = Some((Iops(65_000.0), Iops(65_000.0)));
            judged(rig)
        };
        assert_eq!(waiting(0.0).strength, Strength::Strong);
        let g = waiting(0.4);
        assert_eq!((g.strength, g.reasons.len()), (Strength::None, 0), "{:?}", g.reasons);
        let busy = Run { idle: 0.0, waited: 0.08, others: 1.0, ..Run::at(1, 92_000.0) };
        assert_eq!(judged(rig(busy)).strength, Strength::Strong, "92 % of a CPU used is its own");
    }

    #[test]
    fn on_a_crowded_machine_only_what_others_leave_is_allowed() {
        let g = judged(rig(Run { idle: 0.02, ..Run::at(32, 60_000.0) }));
        assert_ne!(g.strength, Strength::None, "the machine was full, and much of it ours");
        assert!(g.allows < 1.25 * 60_000.0, "{} of the 100,000 a free CPU would give", g.allows);
    }

    #[test]
    fn a_busy_neighbour_alone_is_not_the_generator() {
        assert_eq!(judged(rig(Run { idle: 0.02, ..Run::at(32, 6000.0) })).strength, Strength::None);
        assert_eq!(judged(rig(Run { steal: 0.05, ..Run::at(32, 6000.0) })).strength, Strength::None);
        let wanted = judged(rig(Run { steal: 0.05, ..Run::at(32, 70_000.0) }));
        assert_eq!(wanted.strength, Strength::None, "what the hypervisor took others had");
    }

    #[test]
    fn a_rate_near_the_null_engines_is_the_generators_own() {
        let mut rig = rig(Run { cpu_per_op: 1e-6, ..Run::at(1, 200_000.0) });
        rig.preflight().ceiling = Some((Iops(250_000.0), Iops(1e6)));
        let g = judged(rig);
        assert_eq!(g.strength, Strength::Strong);
        assert!(g.reasons[0].contains("null engine"), "{:?}", g.reasons);
    }
}
