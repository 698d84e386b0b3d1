//! Runs on many hosts: checks that they began and ended together, that none is slow, and that their clocks agree.
//!
//! The joint figure covers the seconds in which all hosts were measured; the time in which a host ran alone is reported
//! separately (docs/design/hosts.md, "The joint figure").

use messages::sentence;
use model::record::{Step, measured_together};
use model::{Caveat, CompactSort, Iops, Nanos, RunRecord, Sentence, Severity};

/// Minimum difference between the start times or the end times of the hosts that is reported.
pub(crate) const APART: Nanos = Nanos::from_millis(500);
/// Share of the median rate of the faster half below which a host is a straggler.
const BEHIND: f64 = 0.8;
/// Maximum number of hosts that are named.
const NAMED: usize = 4;

/// A check of steps that ran together; returns a caveat and its weight.
type Finder = fn(&RunRecord, &[&Step]) -> Option<(f64, Caveat)>;

/// Returns the doubt about a record that covers a single host of a run with several hosts.
pub(crate) fn part_alone(record: &RunRecord) -> Option<Caveat> {
    let part = record.preflight.part.as_ref()?;
    let evidence = sentence!("ranks-part", rank = part.rank, ranks = part.ranks, run = &part.run);
    Some(Caveat::new("part-of-run", Severity::Doubt, sentence!("ranks-part-alone"), evidence))
}

/// Returns doubts and notes from comparing the hosts; none if there is only one.
pub(crate) fn doubts(record: &RunRecord) -> Vec<Caveat> {
    if record.preflight.ranks.len() < 2 {
        return Vec::new();
    }
    let groups = record.steps_together();
    let worst = |of: Finder| {
        let doubts = groups.iter().filter(|group| group.len() > 1).filter_map(|group| of(record, group));
        doubts.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, caveat)| caveat)
    };
    [worst(skew), worst(straggler), clocks(record), bound(record)].into_iter().flatten().collect()
}

/// Returns the doubt about ranks that a launcher bound to fewer CPUs than they have simultaneous threads, on machines
/// with more CPUs: `mpirun` binds each rank to one CPU by default.
pub(crate) fn bound(record: &RunRecord) -> Option<Caveat> {
    let ranks = &record.preflight.ranks;
    if ranks.len() < 2 {
        return None;
    }
    let mut steps: Vec<Vec<&Step>> = vec![Vec::new(); ranks.len()];
    for step in &record.steps {
        if let Some((rank, _)) = record.plan.stages.get(step.stage).and_then(|stage| record.rank_of(stage)) {
            steps[rank].push(step);
        }
    }
    let crowded = ranks.iter().zip(&steps).filter_map(|(rank, steps)| {
        let (cpus, processors) = (rank.host.cpus, rank.host.processors);
        let threads = most_at_once(steps);
        (processors > cpus && threads > cpus).then_some((rank.name.as_str(), cpus, processors, threads))
    });
    let mut crowded: Vec<_> = crowded.collect();
    // The rank with the most threads per CPU is reported; the others are counted.
    crowded.compact_sort_by(|a, b| (u64::from(b.3) * u64::from(a.1)).cmp(&(u64::from(a.3) * u64::from(b.1))));
    let (host, cpus, processors, threads) = *crowded.first()?;
    let evidence = sentence!("ranks-bound-seen", host, cpus, all = processors, threads);
    let more = (crowded.len() > 1).then(|| sentence!("ranks-more-bound", n = crowded.len() - 1));
    let evidence = Sentence::join([evidence].into_iter().chain(more), "; ");
    let caveat = Caveat::new("ranks-bound", Severity::Doubt, sentence!("ranks-bound"), evidence);
    Some(caveat.remedy(sentence!("ranks-bound-remedy", mpirun = "--bind-to none", srun = "--cpu-bind=none")))
}

/// Returns the maximum number of load threads that ran at the same time.
fn most_at_once(steps: &[&Step]) -> u32 {
    let until = |step: &Step| step.end.as_ref().map_or(Nanos(u64::MAX), |end| end.at);
    let mut changes: Vec<(Nanos, i64)> = Vec::with_capacity(2 * steps.len());
    for step in steps {
        let threads = i64::from(step.job.threads);
        changes.extend([(step.start, threads), (until(step).max(step.start), -threads)]);
    }
    // A step that ends at the moment another one begins is subtracted first.
    changes.sort_unstable();
    let (mut now, mut most) = (0, 0);
    for (_, change) in changes {
        now += change;
        most = most.max(now);
    }
    u32::try_from(most).unwrap_or(u32::MAX)
}

/// Returns the name of the step's host.
fn host<'r>(record: &'r RunRecord, step: &Step) -> &'r str {
    record.target_of(step).map_or("", |target| target.name.as_str())
}

/// Returns a doubt and the time difference if the hosts did not start or finish measuring together.
fn skew(record: &RunRecord, steps: &[&Step]) -> Option<(f64, Caveat)> {
    let spread = |of: fn(&Step) -> Option<Nanos>| {
        let mut times: Vec<(Nanos, &str)> = steps.iter().filter_map(|s| Some((of(s)?, host(record, s)))).collect();
        times.sort();
        let (first, last) = (*times.first()?, *times.last()?);
        Some((last.0.since(first.0), first.1, last.1))
    };
    let (begun, first, late) = spread(Step::measured_from)?;
    let (ended, early, last) = spread(Step::measured_until)?;
    if begun.max(ended) < APART {
        return None;
    }
    let together = measured_together(steps).first().map(|i| i.length).unwrap_or_default();
    let evidence = [
        (begun >= APART).then(|| sentence!("ranks-begun-apart", late, first, by = begun)),
        (ended >= APART).then(|| sentence!("ranks-ended-apart", early, last, by = ended)),
        Some(sentence!("ranks-together-for", time = together)),
    ];
    let statement = sentence!("ranks-apart");
    let evidence = Sentence::join(evidence.into_iter().flatten(), "; ");
    let caveat = Caveat::new("hosts-apart", Severity::Note, statement, evidence);
    Some((begun.max(ended).secs(), caveat.remedy(sentence!("ranks-apart-remedy"))))
}

/// Reports stragglers in the common seconds, with the share of the rate they cost.
fn straggler(record: &RunRecord, steps: &[&Step]) -> Option<(f64, Caveat)> {
    let together = measured_together(steps);
    // A shorter time shows which host was started first, not which is slow.
    together.first().filter(|i| i.length >= Nanos::from_secs(1))?;
    let rates: Vec<(f64, &str)> =
        together.iter().zip(steps).map(|(i, step)| (i.iops().per_second(), host(record, step))).collect();
    let behind = Behind::find(&rates)?;
    let loss = |rate: f64| behind.usual - rate;
    let lost: f64 = behind.slow.iter().map(|(rate, _)| loss(*rate)).sum();
    let total: f64 = rates.iter().map(|(rate, _)| rate).sum();
    let label = record.plan.stages.get(steps[0].stage).map(|s| s.job.workload.label()).unwrap_or_default();
    let usual = sentence!("ranks-usual", label, rate = Iops(behind.usual), lost = Iops(lost));
    let caveat = behind.doubt(usual, |rate, host| {
        let share = (100.0 * loss(rate) / lost).round() as u64;
        sentence!("ranks-behind-by", host, rate = Iops(rate), share)
    });
    Some((lost / (total + lost), caveat))
}

/// Hosts that are slower than the others.
pub(crate) struct Behind<'h> {
    /// Usual rate: the median of the faster half, so that the slow hosts do not affect it.
    pub usual: f64,
    /// Hosts below four fifths of the usual rate, with their rates, the slowest first; at least one.
    pub slow: Vec<(f64, &'h str)>,
}

impl<'h> Behind<'h> {
    /// Finds the slow hosts among these rates; `None` if there are none.
    pub fn find(rates: &[(f64, &'h str)]) -> Option<Behind<'h>> {
        let mut slow = rates.to_vec();
        slow.compact_sort_by(|a, b| a.0.total_cmp(&b.0));
        let upper = &slow[slow.len() / 2..];
        let (usual, _) = *upper.get(upper.len().checked_sub(1)? / 2)?;
        slow.retain(|(rate, _)| *rate < BEHIND * usual);
        (!slow.is_empty()).then_some(Behind { usual, slow })
    }

    /// Returns the doubt. Its evidence begins with `usual`, followed by the sentence that `of_each` makes from the rate
    /// and the name of each slow host.
    pub fn doubt(&self, usual: Sentence, of_each: impl Fn(f64, &str) -> Sentence) -> Caveat {
        let (host, others) = (self.slow[0].1, self.slow.len() - 1);
        let named = self.slow.iter().take(NAMED).map(|(rate, host)| of_each(*rate, host));
        let more = self.slow.len().saturating_sub(NAMED);
        let more = (more > 0).then(|| sentence!("ranks-more-behind", n = more));
        let evidence = Sentence::join(std::iter::once(usual).chain(named).chain(more), "; ");
        let statement = match others {
            0 => sentence!("ranks-straggler", host),
            _ => sentence!("ranks-stragglers", host, others),
        };
        let caveat = Caveat::new("straggler", Severity::Doubt, statement, evidence);
        caveat.remedy(sentence!("ranks-straggler-remedy", host))
    }
}

/// Reports clocks that could be compared only coarsely.
pub(crate) fn clocks(record: &RunRecord) -> Option<Caveat> {
    let coarse = record.preflight.ranks.iter().max_by_key(|rank| rank.clock.uncertainty)?;
    let within = coarse.clock.uncertainty;
    (within > Nanos::from_millis(10)).then(|| {
        let evidence = sentence!("ranks-clock-within", host = &coarse.name, within);
        Caveat::new("clocks-coarse", Severity::Doubt, sentence!("ranks-clocks-coarse"), evidence)
    })
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Rig, Run, randread};
    use model::plan::{NamedTarget, StagePlacement, StageRole};
    use model::record::{ClockOffset, HostFacts, RankFacts};
    use model::{Bytes, Nanos, RunRecord};

    /// Returns a run of hosts at one level each. A host is given by its name, its rate and the delay of its start.
    fn run_of(hosts: &[(&str, f64, Nanos)]) -> RunRecord {
        let mut rig = Rig::new();
        for (name, rate, _) in hosts {
            let stage = rig.stage(&format!("r@{name}"), StageRole::Fixed, randread(8192));
            rig.step(stage, Run::at(16, *rate).seconds(10));
        }
        let mut record = rig.record();
        let first = record.steps[0].start;
        for (side, step) in record.steps.iter_mut().enumerate() {
            record.plan.stages[step.stage].place =
                StagePlacement { with_previous: side > 0, side, ..StagePlacement::default() };
            let (back, later) = (step.start - first, hosts[side].2);
            step.start = first + later;
            for interval in &mut step.intervals {
                interval.start = interval.start - back + later;
                interval.windows.iter_mut().for_each(|w| w.start = w.start - back + later);
            }
        }
        let target = record.plan.target.clone();
        record.plan.targets = hosts
            .iter()
            .map(|(name, ..)| NamedTarget { name: (*name).into(), target: target.clone(), fill: Bytes(0) })
            .collect();
        record.preflight.ranks = hosts
            .iter()
            .map(|(name, ..)| RankFacts {
                name: (*name).into(),
                host: HostFacts::default(),
                clock: ClockOffset { offset: 5, uncertainty: Nanos(20_000) },
                targets: 1,
            })
            .collect();
        record
    }

    fn caveat_text(record: &RunRecord, id: &str) -> Option<String> {
        let judged = crate::judge::judge(record);
        let caveat = judged.caveats.iter().find(|c| c.id == id)?;
        Some(format!("{}: {}", caveat.statement, caveat.evidence))
    }

    const NONE: Nanos = Nanos(0);

    #[test]
    fn the_host_that_is_behind_is_named_with_its_figure_and_share() {
        let record = run_of(&[("a", 6000.0, NONE), ("b", 3000.0, NONE), ("c", 6100.0, NONE), ("d", 5000.0, NONE)]);
        let text = caveat_text(&record, "straggler").expect("one is behind");
        assert!(text.contains('b') && text.contains("3,000 IOPS") && text.contains("100 %"), "{text}");
        assert!(!text.contains("; d:"), "{text}");
    }

    #[test]
    fn two_that_are_behind_share_the_loss() {
        let record = run_of(&[
            ("a", 6000.0, NONE),
            ("b", 3000.0, NONE),
            ("c", 6000.0, NONE),
            ("d", 5000.0, NONE),
            ("e", 4500.0, NONE),
        ]);
        let text = caveat_text(&record, "straggler").expect("two are behind");
        assert!(text.contains("b") && text.contains("67 %") && text.contains("33 %"), "{text}");
    }

    #[test]
    fn equal_hosts_have_no_straggler_and_nothing_to_tell() {
        let record = run_of(&[("a", 6000.0, NONE), ("b", 5600.0, NONE)]);
        assert_eq!(
            (
                caveat_text(&record, "straggler"),
                caveat_text(&record, "hosts-apart"),
                caveat_text(&record, "clocks-coarse")
            ),
            (None, None, None)
        );
    }

    #[test]
    fn one_that_begins_two_seconds_late_leaves_eight_seconds_of_all() {
        let record = run_of(&[("a", 6000.0, NONE), ("b", 3000.0, Nanos::from_secs(2))]);
        let text = caveat_text(&record, "hosts-apart").expect("they are apart");
        assert!(text.contains("b started 2.00 s after a") && text.contains("8.00 s"), "{text}");
        let joint = record.joint();
        let total = joint.steps[0].total();
        assert_eq!(total.length, Nanos::from_secs(8));
        assert!((total.iops().per_second() - 9000.0).abs() < 100.0, "{}", total.iops());
        // Nothing is lost: operations done alone are in the drain.
        let total: u64 = record.steps.iter().flat_map(|s| &s.intervals).map(model::Interval::ops).sum();
        assert_eq!(joint.steps[0].intervals.iter().map(model::Interval::ops).sum::<u64>(), total);
    }

    #[test]
    fn a_rank_that_was_bound_to_fewer_cpus_than_it_has_threads_is_doubted() {
        let text_of = |cpus: u32, processors: u32, threads: u32| {
            let mut record = run_of(&[("a", 6000.0, NONE), ("b", 6000.0, NONE)]);
            let host = &mut record.preflight.ranks[1].host;
            (host.cpus, host.processors) = (cpus, processors);
            record.steps[1].job.threads = threads;
            caveat_text(&record, "ranks-bound")
        };
        let text = text_of(1, 8, 4).expect("four threads on one CPU");
        assert!(text.contains("b: 4 threads on 1 of 8 CPUs"), "{text}");
        assert_eq!(
            (text_of(4, 8, 4), text_of(1, 0, 4), text_of(1, 8, 1)),
            (None, None, None),
            "enough of them; all there are; one thread"
        );
        // Threads that do not run at the same time can share a CPU.
        let mut record = run_of(&[("a", 6000.0, NONE), ("b", 6000.0, NONE)]);
        let host = &mut record.preflight.ranks[1].host;
        (host.cpus, host.processors) = (1, 8);
        let (mut after, end) = (record.steps[1].clone(), record.steps[1].end.as_ref().expect("it ended").at);
        after.start = end;
        record.steps.push(after.clone());
        assert_eq!(super::bound(&record), None);
        record.steps[2].start = record.steps[1].start;
        assert!(super::bound(&record).is_some(), "two jobs at once");
    }

    #[test]
    fn clocks_that_were_compared_over_a_slow_network_are_doubted() {
        let mut record = run_of(&[("a", 6000.0, NONE), ("b", 6000.0, NONE)]);
        record.preflight.ranks[1].clock.uncertainty = Nanos::from_millis(25);
        assert!(caveat_text(&record, "clocks-coarse").is_some_and(|t| t.contains("b") && t.contains("25.0 ms")));
    }
}
