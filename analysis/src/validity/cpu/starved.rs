//! Checks whether other processes ("others" in this module) used the CPU while the load's threads were ready to run. If
//! so, neither the rate nor the latencies are those of the storage or of the load generator.
//!
//! The kernel counts the time that a runnable thread waits for a CPU. A closed loop loses its waiting time: with one
//! operation in flight the rate falls by exactly that share. If threads wait for one another, or for their control
//! group's quota, the load generator itself is the cause (`generator.rs`). Waits for interrupts and kernel threads,
//! which serve the load's own I/O, and for an idle CPU to wake up belong to the storage stack: others took no more than
//! they used of the CPUs that the threads ran on (docs/design/statistics.md, "The CPU").

use super::throttling::{USED_UP, throttled_share};
use crate::levels::accounting::WAITED;
use crate::levels::figures::{Level, levels};
use crate::limits::caps;
use messages::sentence;
use model::plan::{Pacing, StageRole, TargetKind};
use model::{Caveat, Nanos, RunRecord, Sentence, Severity, measured::CpuWait, record::StepEnd};

/// Share of waiting time from which the figures do not represent this machine.
pub(crate) const INVALID: f64 = 0.20;
/// Share of periods with stops by the control group above which the waits are caused by its quota.
const THROTTLED: f64 = 0.1;
/// Share of the mean latency that waits for a CPU may take, for loads that rest between operations.
const OF_LATENCY: f64 = 0.20;
/// Criteria for a crowd if waits are not counted: maximum idle share of the machine, and minimum CPUs used by others.
const CROWDED: (f64, f64) = (0.10, 0.5);

/// Identifier of the doubt that others used the CPU.
pub const ID: &str = "host-busy";
/// Tolerance within which the loss of rate equals the share of waiting time (20 runs next to busy loops).
const NEARLY: f64 = 0.07;

/// CPU time that others took from a level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Starved {
    /// Share of the threads' time that others took, 0..=1; `None` if the kernel does not count waits.
    pub share: Option<f64>,
    /// Share of their time in which the threads ran or could have run, 0..=1; in the rest they slept.
    pub runnable: f64,
    /// Observations as a sentence.
    pub seen: Sentence,
}

impl Starved {
    /// Returns `true` if the CPU is the bottleneck: the threads always had work to do.
    pub fn is_bound(&self) -> bool {
        self.share.is_some() && self.runnable >= USED_UP
    }
}

/// Use of the machine's CPUs during the steps of a level, in CPUs.
struct Machine {
    cpus: f64,
    idle: Option<f64>,
    others: Option<f64>,
    /// This process with all of its threads.
    own: f64,
    /// Interrupts and the kernel's own threads; zero if unknown, and then included in `others`.
    kernel: f64,
    steal: f64,
    /// Share of the threads' CPUs that other processes used, 0..=1; `None` if unknown.
    near: Option<f64>,
}

impl Machine {
    /// Computes the use of the machine. `engine` is the use by a database engine's processes, which count as ours.
    fn from_level(record: &RunRecord, level: &Level, used: f64, engine: f64) -> Machine {
        let cpus = f64::from(record.preflight.host.cpus.max(1));
        let ends: Vec<(f64, &StepEnd)> = level
            .steps
            .iter()
            .filter_map(|i| Some((&record.steps[*i], record.steps[*i].end.as_ref()?)))
            .map(|(step, end)| (end.at.since(step.start).secs().max(1e-9), end))
            .collect();
        let whole: f64 = ends.iter().map(|(time, _)| time).sum();
        let share = |of: &dyn Fn(&StepEnd) -> Option<f64>| -> Option<f64> {
            let sum: Option<f64> = ends.iter().map(|(time, end)| Some(of(end)? * time)).sum();
            sum.filter(|_| whole > 0.0).map(|sum| sum / whole)
        };
        let mean = |of: &dyn Fn(&StepEnd) -> Option<f64>| share(of).map(|share| cpus * share);
        let (idle, steal) = (mean(&|e| e.host_idle), mean(&|e| e.host_steal).unwrap_or(0.0));
        let rest = idle.map(|idle| (cpus - idle - steal).max(0.0));
        // If others were not counted, everything except the threads' own use is attributed to others.
        let others = mean(&|e| e.host_others).or_else(|| rest.map(|rest| (rest - used).max(0.0)));
        let kernel = mean(&|e| e.host_kernel).unwrap_or(0.0);
        let others = others.map(|others| (others - engine - kernel).max(0.0));
        let ours = rest.zip(others).map_or(used, |(rest, others)| (rest - others - kernel).max(used));
        // The CPUs of a database engine's processes are unknown.
        let near = share(&|e| e.others_near).filter(|_| engine <= 0.0);
        Machine { cpus, idle, others, own: ours, kernel, steal, near }
    }

    fn to_sentence(&self) -> Sentence {
        let percent = |of: f64| format!("{:.0}", of / self.cpus * 100.0);
        let cpus = self.cpus as u32;
        let others = self.others.map(|o| sentence!("seen-others-cpu", used = format!("{o:.2}"), cpus));
        let idle = self.idle.map(|idle| sentence!("seen-idle", share = percent(idle)));
        let stolen = self.steal / self.cpus >= 0.02;
        let steal = stolen.then(|| sentence!("seen-stolen", share = percent(self.steal)));
        Sentence::join([others, idle, steal].into_iter().flatten(), ", ")
    }
}

/// Returns the CPU time that a database engine's processes used in addition to this one, in CPUs. `None` if sessions
/// drive an engine and its use was not counted, because it would be attributed to others.
fn engine(record: &RunRecord, level: &Level) -> Option<f64> {
    if level.job.tuning.work.session().is_none() {
        return Some(0.0);
    }
    // With several hosts, the machine recorded here is only one of them.
    let used = record.database().filter(|d| d.hosts.is_empty())?;
    let below = used.below.as_ref()?;
    Some(below.cpu?.secs() / below.length.secs().max(1e-9))
}

/// CPU time of a level's threads, in CPUs.
struct Waits {
    machine: Machine,
    /// CPU time used by others.
    others: f64,
    /// Time in which the threads were ready but had no CPU, in CPUs, with the kernel's counts; `None` if the kernel
    /// does not count waits.
    waited: Option<(f64, CpuWait)>,
    /// Share of that time in which others used the CPU, 0..=1.
    by_others: f64,
    /// Share of the threads' time that others took, 0..=1.
    share: f64,
    /// Share of their time in which the threads ran or could have run, 0..=1.
    runnable: f64,
}

impl Waits {
    /// Computes the CPU time of a level's threads. Returns `None` if the control group's quota caused the waits, or if
    /// a database engine's use cannot be distinguished from that of others.
    fn from_level(record: &RunRecord, level: &Level) -> Option<Waits> {
        let time = level.kept.length.secs();
        let threads = f64::from(level.job.threads.max(1));
        if time <= 0.0 || throttled_share(record, level) >= THROTTLED {
            return None;
        }
        let used = (level.kept.cpu_user.secs() + level.kept.cpu_system.secs()) / time;
        let machine = Machine::from_level(record, level, used, engine(record, level)?);
        let waited = level.kept.cpu_wait.map(|wait| (wait.time.secs() / time, wait));
        let time_waited = waited.map_or(0.0, |(waited, _)| waited);
        let others = machine.others.unwrap_or(machine.cpus);
        // While a thread waits, another thread has the CPU: a thread of another process, of the load, or of the kernel.
        let rest = (machine.own - used / threads).max(0.0) + machine.kernel;
        let by_others = if others + rest > 0.0 { others / (others + rest) } else { 0.0 };
        // Stolen time is taken from the thread that was on the CPU.
        let stolen = machine.steal * used / (machine.own + others).max(1e-9);
        // Each thread waits for others at most as long as they use its CPU.
        let kept = (time_waited * by_others / threads).min(machine.near.unwrap_or(1.0));
        let share = (kept + stolen / threads).min(1.0);
        let runnable = ((used + time_waited) / threads).min(1.0);
        Some(Waits { machine, others, waited, by_others, share, runnable })
    }
}

/// Returns the CPU time that others took from a level; `None` if there is no evidence.
pub(crate) fn starved(record: &RunRecord, level: &Level) -> Option<Starved> {
    let Waits { machine, others, waited, by_others, share, runnable } = Waits::from_level(record, level)?;
    let Some((waited, wait)) = waited else { return crowded(&machine) };
    if share >= WAITED {
        let threads = f64::from(level.job.threads.max(1));
        let waited = (waited / threads).min(1.0) * 100.0;
        let seen = sentence!("seen-waited-cpu", share = format!("{waited:.0}"));
        return Some(Starved {
            share: Some(share),
            runnable,
            seen: Sentence::join([seen, machine.to_sentence()], "; "),
        });
    }
    // A load with rests between its operations waits little in total, but may wait in each operation. Most of a
    // session's operations happen in the engine's memory, so their mean is no measure of a wait.
    let rests = level.job.workload.pacing != Pacing::Closed || level.job.tuning.work.paced().is_some();
    let (each, mean) = (wait.time.secs() / wait.times.max(1) as f64, level.figures.mean?.secs());
    let slower = each * by_others / mean.max(1e-9);
    (rests && slower >= OF_LATENCY && others >= CROWDED.1).then(|| {
        let (wait, part) = (Nanos::from_secs_f64(each), format!("{:.0}", slower.min(1.0) * 100.0));
        let seen = Sentence::join([sentence!("seen-waited-each", wait, share = part), machine.to_sentence()], "; ");
        Starved { share: Some(share), runnable, seen }
    })
}

/// Returns the evidence without wait counts: a machine without idle time that others mostly used.
fn crowded(machine: &Machine) -> Option<Starved> {
    let (idle, others) = (machine.idle?, machine.others?);
    (idle / machine.cpus < CROWDED.0 && others >= CROWDED.1).then(|| Starved {
        share: None,
        runnable: 0.0,
        seen: Sentence::join([machine.to_sentence(), sentence!("seen-waits-untold")], "; "),
    })
}

/// Returns the share of a level's rate that others took by using the CPU, even a small one; zero if waits are not
/// counted.
pub(crate) fn lost(record: &RunRecord, level: &Level) -> f64 {
    Waits::from_level(record, level).filter(|w| w.waited.is_some()).map_or(0.0, |w| w.share)
}

/// Returns the maximum factor by which the rate of a level might rise with enough CPU: 1 at a known limit, infinite if
/// the use by others is unknown.
pub(crate) fn at_most(record: &RunRecord, level: &Level) -> f64 {
    if caps::at_any(record, level) {
        return 1.0;
    }
    let share = starved(record, level).map_or(Some(0.0), |s| s.share);
    share.map_or(f64::INFINITY, |share| (1.0 + NEARLY) / (1.0 - share).max(1e-9))
}

/// Returns the doubt about the level of a run that suffered most.
pub(crate) fn worst(record: &RunRecord) -> Option<Caveat> {
    let levels = levels(record);
    levels.iter().flatten().filter_map(|level| doubt(record, level)).max_by_key(|doubt| doubt.weight)
}

/// Returns the doubt about a level whose threads waited while others used the CPU.
pub(crate) fn doubt(record: &RunRecord, level: &Level) -> Option<Caveat> {
    let starved = starved(record, level)?;
    // At a limit, known or not, the limit sets the rate anyway; the null engine does not measure any storage.
    let nothing = level.job.target.kind == TargetKind::Null && level.job.tuning.work.session().is_none();
    let rate_stands = nothing || level.only_a_cap || caps::at_any(record, level);
    let severity = match starved.share {
        Some(share) if share >= INVALID && !rate_stands => Severity::Invalid,
        _ => Severity::Doubt,
    };
    let statement = match severity {
        Severity::Invalid => sentence!("doubt-starved"),
        _ => sentence!("doubt-starved-in-part"),
    };
    let caveat = Caveat::new(ID, severity, statement, starved.seen).weighing(starved.share.unwrap_or(0.0));
    Some(caveat.remedy(sentence!("remedy-starved")))
}

/// Reduces the severity to a doubt for levels that only lead to the sustained one, and for probes of a run in which a
/// ramp's sustained level is sound. Those levels remain invalid, but they do not invalidate the run.
pub(crate) fn spare_the_run(record: &RunRecord, stages: &[Vec<Level>], caveats: &mut [Caveat]) {
    let role = |stage: usize| record.plan.stages[stage].role;
    let holds = |stage: usize| stages[stage].iter().any(|l| l.figures.hold && l.sound());
    let ramp_holds = (0..stages.len()).any(|stage| role(stage) == StageRole::Ramp && holds(stage));
    for caveat in caveats.iter_mut().filter(|c| c.id == ID && c.severity == Severity::Invalid) {
        let Some(step) = caveat.step.and_then(|s| record.steps.get(s)) else { continue };
        let judged_elsewhere = match role(step.stage) {
            StageRole::Ramp => !step.hold && holds(step.stage),
            StageRole::Probe => ramp_holds,
            StageRole::Fixed | StageRole::Sweep => false,
        };
        if judged_elsewhere {
            caveat.severity = Severity::Doubt;
            caveat.statement = sentence!("doubt-starved-on-the-way");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::{Iops, Judgement};

    fn record_of(run: Run, change: impl FnOnce(&mut Rig)) -> RunRecord {
        let mut rig = Rig::new();
        change(&mut rig);
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, run);
        rig.record()
    }

    fn first_caveat(record: &RunRecord) -> Option<Caveat> {
        let levels = crate::levels::figures::levels(record);
        doubt(record, &levels[0][0])
    }

    fn judged(run: Run) -> Judgement {
        crate::judge::judge(&record_of(run, |rig| rig.need("8k randread: iops>=100")))
    }

    /// Returns a run with one thread, next to two busy loops on two CPUs. The thread spends the share `waited` of its
    /// time waiting for a CPU.
    fn beside_loops(waited: f64, depth: u32) -> Run {
        Run { waited, others: 1.9, idle: 0.0, ..Run::at(depth, 6000.0) }
    }

    #[test]
    fn a_level_that_others_starved_is_struck_and_nothing_else_is_blamed() {
        let judgement = judged(beside_loops(0.43, 1));
        let caveat = judgement.caveats.iter().find(|c| c.id == "host-busy").expect("told");
        assert_eq!(caveat.severity, Severity::Invalid);
        assert!(
            caveat.evidence.starts_with(
                "the workers waited 43 % of their time for a CPU; other processes used 1.90 of 2 CPUs, 0 % "
            ),
            "{}",
            caveat.evidence
        );
        assert!(judgement.caveats.iter().all(|c| c.id != "generator-bound"), "{:?}", judgement.caveats);
        assert!(judgement.patterns[0].levels[0].struck.is_some());
        assert_eq!((judgement.outcome, judgement.exit_code), (model::judged::Outcome::Undecided, 2));
        let verdict = &judgement.verdict;
        assert!(verdict.contains("other processes used the CPU") && !verdict.contains("limited by"), "{verdict}");
    }

    #[test]
    fn a_level_on_the_way_is_struck_and_does_not_spoil_the_run() {
        let judged = |probe: f64, first: f64, held: f64| {
            let mut rig = Rig::new();
            let stage = rig.stage("p", StageRole::Probe, randread(8192));
            rig.step(stage, beside_loops(probe, 1));
            let stage = rig.stage("r", StageRole::Ramp, randread(8192));
            for (depth, rate, waited) in [(1, 6000.0, first), (2, 11_900.0, 0.01), (4, 12_000.0, 0.01)] {
                rig.step(stage, Run { rate, ..beside_loops(waited, depth) });
            }
            rig.step(stage, Run { rate: 11_950.0, ..beside_loops(held, 2) }.hold());
            let judgement = crate::judge::judge(&rig.record());
            let struck = judgement.patterns.iter().flat_map(|p| &p.levels).filter(|l| l.struck.is_some()).count();
            (struck, judgement.exit_code, judgement.verdict.contains("not valid"))
        };
        assert_eq!(judged(0.01, 0.01, 0.01), (0, 0, false));
        assert_eq!(judged(0.45, 0.45, 0.01), (2, 0, false));
        assert_eq!(judged(0.01, 0.01, 0.45), (1, 2, true), "the level that is judged");
    }

    #[test]
    fn a_held_ramp_of_any_workload_spares_a_starved_probe() {
        let judged = |held: f64, need: &str| {
            let mut rig = Rig::new();
            if !need.is_empty() {
                rig.need(need);
            }
            let stage = rig.stage("p", StageRole::Probe, randread(8192));
            rig.step(stage, beside_loops(0.45, 1));
            let stage = rig.stage("r", StageRole::Ramp, randread(65_536));
            for (depth, rate) in [(1, 1200.0), (2, 1430.0), (4, 1431.0), (8, 1429.0)] {
                rig.step(stage, Run::at(depth, rate));
            }
            rig.step(stage, Run { rate: 1430.0, ..beside_loops(held, 4) }.hold().seconds(8));
            crate::judge::judge(&rig.record())
        };
        let spared = judged(0.01, "");
        assert_eq!(spared.exit_code, 0, "{}", spared.verdict);
        assert!(spared.patterns[0].levels[0].struck.is_some(), "the probe's own figures stay struck");
        assert_eq!(spared.caveats.iter().find(|c| c.id == ID).map(|c| c.severity), Some(Severity::Doubt));
        let binds =
            spared.answer.lines.iter().find(|l| l.subject == model::judged::AnswerSubject::Binds).expect("a line");
        assert!(binds.text.contains("64k randread") && !binds.text.contains("not valid"), "{}", binds.text);
        assert_eq!(judged(0.01, "8k randread: iops>=100").exit_code, 2, "a need of the probe is undecided");
        assert_eq!(judged(0.45, "").exit_code, 2, "no sound held level is left");
    }

    /// Judges a ramp that levels off at 12,000 operations per second, next to two busy loops. Its threads spend the
    /// share `waited` of their time waiting for a CPU.
    fn plateau(waited: f64, cpu_per_op: f64) -> Judgement {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        let run = |depth, rate| Run { rate, cpu_per_op, ..beside_loops(waited, depth) };
        for (depth, rate) in [(1, 6000.0), (2, 11_500.0), (4, 12_000.0), (8, 11_950.0), (16, 12_050.0)] {
            rig.step(stage, run(depth, rate));
        }
        rig.step(stage, run(4, 12_000.0).hold());
        crate::judge::judge(&rig.record())
    }

    #[test]
    fn threads_that_rest_show_a_device_and_threads_that_never_do_a_busy_cpu() {
        let rests = plateau(0.10, 10e-6);
        let binding = &rests.patterns[0].binding;
        assert_eq!(binding.kind, model::judged::BindingKind::CapOrDevice, "{}", binding.statement);
        assert!(binding.statement.contains("at least 11,9"), "{}", binding.statement);
        assert!(binding.evidence.iter().any(|e| e.contains("other processes used the CPU")), "{:?}", binding.evidence);
        // Three quarters of a CPU used and a sixth of the time spent waiting: more concurrency does not raise the rate,
        // but more CPU would.
        let busy = plateau(0.16, 62e-6);
        let binding = &busy.patterns[0].binding;
        assert_eq!(binding.kind, model::judged::BindingKind::Generator, "{}", binding.statement);
        assert!(
            binding.statement.contains("this machine's CPU, which was busy with other processes"),
            "{}",
            binding.statement
        );
    }

    #[test]
    fn a_little_of_it_is_told_and_no_cause_is_named() {
        let judgement = judged(beside_loops(0.10, 1));
        let caveat = judgement.caveats.iter().find(|c| c.id == "host-busy").expect("told");
        assert_eq!(caveat.severity, Severity::Doubt);
        assert!(judgement.verdict.contains("other processes used the CPU"), "{}", judgement.verdict);
        assert!(!judgement.verdict.contains("limited by"), "{}", judgement.verdict);
        assert_eq!(judgement.exit_code, 0);
    }

    #[test]
    fn beside_a_busy_host_a_need_can_be_met_and_fails_only_beyond_what_that_took() {
        let judged = |need: &str, declared: &str| {
            let record = record_of(Run { cv: 0.0, ..beside_loops(0.10, 1) }, |rig| {
                rig.need(need);
                if !declared.is_empty() {
                    rig.declare(declared);
                }
            });
            let need = crate::judge::judge(&record).needs.remove(0);
            (need.outcome, need.why)
        };
        // 6,000 IOPS with a tenth of the time spent waiting: 6,667 without the waits, and 7,133 if the loss was
        // slightly higher.
        assert_eq!(judged("8k randread: iops>=5900", "").0, model::judged::Outcome::Pass);
        let (outcome, reason) = judged("8k randread: iops>=6500", "");
        assert_eq!(outcome, model::judged::Outcome::Undecided, "{reason}");
        assert!(reason.contains("other processes used the CPU"), "{reason}");
        assert_eq!(judged("8k randread: iops>=7300", "").0, model::judged::Outcome::Fail);
        assert_eq!(
            judged("8k randread: avg<=0.1ms", "").0,
            model::judged::Outcome::Undecided,
            "latencies are the longer for it"
        );
        // At a limit, the limit sets the rate, regardless of the CPU.
        assert_eq!(judged("8k randread: iops>=6500", "volume iops=6000").0, model::judged::Outcome::Fail);
    }

    #[test]
    fn a_busy_neighbour_that_leaves_us_the_cpu_is_no_doubt() {
        assert_eq!(first_caveat(&record_of(beside_loops(0.02, 32), |_| ())), None);
        assert_eq!(first_caveat(&record_of(Run { waited: 0.02, others: 0.1, ..Run::at(1, 6000.0) }, |_| ())), None);
    }

    #[test]
    fn what_threads_wait_for_one_another_is_their_own() {
        // 32 threads on two CPUs without other processes, each of them waiting nearly all the time.
        let crowd = |others: f64| {
            let run = Run { waited: 30.0, others, idle: 0.0, cpu_per_op: 20e-6, ..Run::at(1, 95_000.0) };
            let mut record = record_of(run, |_| ());
            record.steps[0].job.threads = 32;
            first_caveat(&record).map(|c| c.severity)
        };
        assert_eq!(crowd(0.04), None);
        assert_eq!(crowd(1.0), Some(Severity::Invalid));
    }

    #[test]
    fn a_quota_of_our_own_is_not_others() {
        assert_eq!(first_caveat(&record_of(Run { throttled: 30, ..beside_loops(0.6, 1) }, |_| ())), None);
    }

    #[test]
    fn waiting_for_the_kernel_an_idle_cpu_or_a_cpu_that_others_do_not_use_is_not_others() {
        // As traced next to a busy loop on the other of two CPUs: 13.7 % waited, of which 7.9 points on an idle CPU,
        // 3.5 for kblockd and 2.2 for others.
        let traced = |near: Option<f64>, kernel: Option<f64>| {
            let run = Run { waited: 0.137, others: 1.16, idle: 0.2, ..Run::at(64, 60_000.0) };
            let mut record = record_of(run, |_| ());
            let end = record.steps[0].end.as_mut().expect("it ended");
            (end.others_near, end.host_kernel) = (near, kernel);
            record
        };
        assert_eq!(first_caveat(&traced(Some(0.022), Some(0.05))), None);
        let binding = |record| crate::judge::judge(&record).verdict.to_string();
        assert!(!binding(traced(Some(0.022), Some(0.05))).contains("other processes"), "nor is it in the verdict");
        assert_eq!(first_caveat(&traced(None, Some(0.57))), None, "nearly all of it was the kernel's");
        let seen = first_caveat(&traced(Some(0.3), Some(0.08))).expect("others used the CPUs of the load").evidence;
        assert!(seen.contains("other processes used 1.00 of 2 CPUs"), "{seen}");
        assert!(first_caveat(&traced(None, None)).is_some(), "neither was counted");
    }

    #[test]
    fn at_a_known_limit_the_rate_stands_though_the_latencies_do_not() {
        let at_limit = record_of(beside_loops(0.3, 32), |rig| rig.declare("volume iops=6000"));
        assert_eq!(first_caveat(&at_limit).map(|c| c.severity), Some(Severity::Doubt));
        let binding = &crate::judge::judge(&at_limit).patterns[0].binding;
        assert_eq!(binding.kind, model::judged::BindingKind::LimitIops, "{}", binding.statement);
    }

    #[test]
    fn a_load_at_a_rate_is_told_when_waiting_makes_its_latencies() {
        let paced = |times: u64| {
            let mut rig = Rig::new();
            let mut workload = randread(8192);
            workload.pacing = Pacing::Fixed(Iops(100.0));
            let stage = rig.stage("r", StageRole::Fixed, workload);
            rig.step(stage, Run { waited: 0.04, others: 1.9, idle: 0.0, ..Run::at(1, 100.0) });
            let mut record = rig.record();
            for interval in &mut record.steps[0].intervals {
                interval.cpu_wait = interval.cpu_wait.map(|w| model::measured::CpuWait { times, ..w });
            }
            first_caveat(&record)
        };
        // 40 ms of each second, in 15 waits: 2.7 of the 10 ms of an operation; in 200 waits, a fiftieth of it.
        let caveat = paced(15).expect("told");
        assert_eq!(caveat.severity, Severity::Doubt);
        assert!(caveat.evidence.contains("of the mean latency"), "{}", caveat.evidence);
        assert_eq!(paced(200), None);
    }

    #[test]
    fn where_waits_are_not_counted_a_crowd_is_told_as_such() {
        let mut record = record_of(beside_loops(0.0, 1), |_| ());
        record.steps[0].intervals.iter_mut().for_each(|i| i.cpu_wait = None);
        let caveat = first_caveat(&record).expect("told");
        assert_eq!(caveat.severity, Severity::Doubt);
        assert!(caveat.evidence.contains("this kernel does not report"), "{}", caveat.evidence);
        // Other processes are not counted, either.
        record.steps[0].end.as_mut().expect("it ended").host_others = None;
        assert!(first_caveat(&record).is_some());
        record.steps[0].end.as_mut().expect("it ended").host_idle = Some(0.3);
        assert_eq!(first_caveat(&record), None);
    }

    #[test]
    fn what_the_hypervisor_took_is_others_too() {
        let stolen =
            |steal, rate| first_caveat(&record_of(Run { steal, idle: 0.3, ..Run::at(32, rate) }, |_| ())).is_some();
        assert!(stolen(0.3, 50_000.0), "half a CPU wanted, and it was taken while we were on it");
        assert!(!stolen(0.3, 1000.0), "hardly any CPU was wanted");
    }
}
