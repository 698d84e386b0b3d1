//! A run on many hosts: did they begin and end together, which of them is behind, and do their clocks agree?
//!
//! The joint figure is that of the seconds in which all were measured; what one did alone is told apart (docs/design/hosts.md,
//! "The joint figure").

use messages::sentence;
use model::{Caveat, Iops, Nanos, RunRecord, Sentence, Severity, Step, measured_together};

/// Beginnings or ends this far apart are told.
pub(crate) const APART: Nanos = Nanos::from_millis(500);
/// A host below this share of the middle of the faster half is behind.
const BEHIND: f64 = 0.8;
/// So many hosts are named at most.
const NAMED: usize = 4;

/// Looks at steps that ran together; what it finds, and how much that is.
type Finder = fn(&RunRecord, &[&Step]) -> Option<(f64, Caveat)>;

/// The doubt about what one of several hosts kept by itself.
pub(crate) fn part_alone(record: &RunRecord) -> Option<Caveat> {
    let part = record.preflight.part.as_ref()?;
    let evidence = sentence!("ranks-part", rank = part.rank, ranks = part.ranks, run = &part.run);
    Some(Caveat::new("part-of-run", Severity::Doubt, sentence!("ranks-part-alone"), evidence))
}

/// Doubts and notes about hosts beside each other; none in a run of one.
pub(crate) fn doubts(record: &RunRecord) -> Vec<Caveat> {
    if record.preflight.ranks.len() < 2 {
        return Vec::new();
    }
    let groups = record.steps_together();
    let worst = |of: Finder| {
        let told = groups.iter().filter(|group| group.len() > 1).filter_map(|group| of(record, group));
        told.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, caveat)| caveat)
    };
    [worst(skew), worst(straggler), clocks(record)].into_iter().flatten().collect()
}

/// What the step's host is called.
fn host<'r>(record: &'r RunRecord, step: &Step) -> &'r str {
    record.target_of(step).map_or("", |target| target.name.as_str())
}

/// Beginnings and ends that are apart, with how much.
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

/// Hosts behind the others in the seconds of all, with what of the rate they cost.
fn straggler(record: &RunRecord, steps: &[&Step]) -> Option<(f64, Caveat)> {
    let together = measured_together(steps);
    // A moment shows who was started first, not who is slow.
    together.first().filter(|i| i.length >= Nanos::from_secs(1))?;
    let rates: Vec<(f64, &str)> =
        together.iter().zip(steps).map(|(i, step)| (i.iops().per_second(), host(record, step))).collect();
    let behind = Behind::of(&rates)?;
    let loss = |rate: f64| behind.usual - rate;
    let lost: f64 = behind.slow.iter().map(|(rate, _)| loss(*rate)).sum();
    let all: f64 = rates.iter().map(|(rate, _)| rate).sum();
    let label = record.plan.stages.get(steps[0].stage).map(|s| s.job.workload.label()).unwrap_or_default();
    let usual = sentence!("ranks-usual", label, rate = Iops(behind.usual), lost = Iops(lost));
    let caveat = behind.doubt(usual, |rate, host| {
        let share = (100.0 * loss(rate) / lost).round() as u64;
        sentence!("ranks-behind-by", host, rate = Iops(rate), share)
    });
    Some((lost / (all + lost), caveat))
}

/// Hosts behind the others.
pub(crate) struct Behind<'h> {
    /// What is usual: the middle of the faster half, as those that are behind are not to say what the others can do.
    pub usual: f64,
    /// Those below four fifths of it, with their rates, the slowest first; at least one.
    pub slow: Vec<(f64, &'h str)>,
}

impl<'h> Behind<'h> {
    /// Of these rates and hosts; `None` where nobody is behind.
    pub fn of(rates: &[(f64, &'h str)]) -> Option<Behind<'h>> {
        let mut slow = rates.to_vec();
        slow.sort_by(|a, b| a.0.total_cmp(&b.0));
        let upper = &slow[slow.len() / 2..];
        let (usual, _) = *upper.get(upper.len().checked_sub(1)? / 2)?;
        slow.retain(|(rate, _)| *rate < BEHIND * usual);
        (!slow.is_empty()).then_some(Behind { usual, slow })
    }

    /// The doubt: what is `usual`, and what there is to say `of_each` by its rate and host.
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

/// Clocks that could be compared only coarsely.
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
    use model::{Bytes, ClockOffset, HostFacts, NamedTarget, Nanos, RankFacts, RunRecord, StagePlacement, StageRole};

    /// Hosts at one level each: name, rate, how much later each begins.
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

    fn told(record: &RunRecord, id: &str) -> Option<String> {
        let judged = crate::judge::judge(record);
        let caveat = judged.caveats.iter().find(|c| c.id == id)?;
        Some(format!("{}: {}", caveat.statement, caveat.evidence))
    }

    const NONE: Nanos = Nanos(0);

    #[test]
    fn the_host_that_is_behind_is_named_with_its_figure_and_share() {
        let record = run_of(&[("a", 6000.0, NONE), ("b", 3000.0, NONE), ("c", 6100.0, NONE), ("d", 5000.0, NONE)]);
        let told = told(&record, "straggler").expect("one is behind");
        assert!(told.contains('b') && told.contains("3,000 IOPS") && told.contains("100 %"), "{told}");
        assert!(!told.contains("; d:"), "{told}");
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
        let told = told(&record, "straggler").expect("two are behind");
        assert!(told.contains("b") && told.contains("67 %") && told.contains("33 %"), "{told}");
    }

    #[test]
    fn equal_hosts_have_no_straggler_and_nothing_to_tell() {
        let record = run_of(&[("a", 6000.0, NONE), ("b", 5600.0, NONE)]);
        assert_eq!(
            (told(&record, "straggler"), told(&record, "hosts-apart"), told(&record, "clocks-coarse")),
            (None, None, None)
        );
    }

    #[test]
    fn one_that_begins_two_seconds_late_leaves_eight_seconds_of_all() {
        let record = run_of(&[("a", 6000.0, NONE), ("b", 3000.0, Nanos::from_secs(2))]);
        let told = told(&record, "hosts-apart").expect("they are apart");
        assert!(told.contains("b began 2.00 s after a") && told.contains("8.00 s"), "{told}");
        let joint = record.joint();
        let total = joint.steps[0].total();
        assert_eq!(total.length, Nanos::from_secs(8));
        assert!((total.iops().per_second() - 9000.0).abs() < 100.0, "{}", total.iops());
        // Nothing is lost: what one did alone is in the drain.
        let all: u64 = record.steps.iter().flat_map(|s| &s.intervals).map(model::Interval::ops).sum();
        assert_eq!(joint.steps[0].intervals.iter().map(model::Interval::ops).sum::<u64>(), all);
    }

    #[test]
    fn clocks_that_were_compared_over_a_slow_network_are_doubted() {
        let mut record = run_of(&[("a", 6000.0, NONE), ("b", 6000.0, NONE)]);
        record.preflight.ranks[1].clock.uncertainty = Nanos::from_millis(25);
        assert!(told(&record, "clocks-coarse").is_some_and(|t| t.contains("b") && t.contains("25.0 ms")));
    }
}
